"""Compression-complexity causality: whether the past of one sequence adds to the complexity of another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._coded_sequences import efforts_of_slices, encode
from ._engine import config_context, current_engine
from ._sklearn import Interval, validate_params
from ._typing import CodeArray, Engine, FloatArray, IntArray
from ._workers import run_in_order

__all__ = ["CompressionComplexityCausality", "compression_complexity_causality"]

_LABELS_OF_A_PART = 2**20  # labels in all windows that are in memory at a time


@dataclass(frozen=True, eq=False)
class CompressionComplexityCausality:
    """Causality between two sequences; made by :func:`compression_complexity_causality`.

    Parameters
    ----------
    x_to_y, y_to_x : float
        The causality from the past of x to y, and from the past of y to x.
    n_windows : int
        The number of windows over which both are means.
    surrogates_x_to_y, surrogates_y_to_x : ndarray of shape (n_surrogates,), float64
        The values of `x_to_y` and `y_to_x` if the cause is shifted in time against the effect.

    Attributes
    ----------
    pvalue_x_to_y, pvalue_y_to_x : float
        The probability of a value as extreme if the cause says nothing about the effect; NaN without surrogates.
    """

    x_to_y: float
    y_to_x: float
    n_windows: int
    surrogates_x_to_y: FloatArray = field(repr=False)
    surrogates_y_to_x: FloatArray = field(repr=False)

    @property
    def pvalue_x_to_y(self) -> float:
        """Two-sided p-value for the direction x to y."""
        return _pvalue(self.x_to_y, self.surrogates_x_to_y)

    @property
    def pvalue_y_to_x(self) -> float:
        """Two-sided p-value for the direction y to x."""
        return _pvalue(self.y_to_x, self.surrogates_y_to_x)


@validate_params(
    {
        "past": [Interval(Integral, 2, None, closed="left")],
        "present": [Interval(Integral, 1, None, closed="left")],
        "step": [Interval(Integral, 1, None, closed="left")],
        "n_surrogates": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def compression_complexity_causality(
    x: Iterable[Hashable],
    y: Iterable[Hashable],
    *,
    past: int,
    present: int,
    step: int,
    n_surrogates: int = 0,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> CompressionComplexityCausality:
    """Compute compression-complexity causality (CCC) between two sequences, in both directions.

    The causality from x to y compares two increases of the normalized Effort-To-Compress by the present of y: the
    increase over the past of y alone, and the increase over the joint past of x and y. The causality is the first
    increase less the second, as a mean over windows. It is positive if the past of x makes the present of y easier to
    compress, and negative if the past of x makes it harder.

    Parameters
    ----------
    x, y : sequences of hashable labels
        Both have the same length; labels are as in :func:`effort_to_compress`. The same label must mean the same in x
        and y, because the two are compared: :func:`symbolize` codes both alike if it gets one number of symbols.
    past : int
        The number of labels of the past (L in [1]_).
    present : int
        The number of labels of the present, which follow the past (w in [1]_).
    step : int
        The number of labels from one window to the next (delta in [1]_).
    n_surrogates : int, default=0
        The number of repetitions with the cause shifted in time, for a p-value.
    n_jobs : int, optional
        The number of threads, as joblib counts them.
    random_state : int, RandomState instance or None, default=None
        Draws the shifts. The result does not depend on `n_jobs`.

    Returns
    -------
    CompressionComplexityCausality
        Both directions, their surrogates and p-values.

    Raises
    ------
    TypeError
        As in :func:`effort_to_compress`.
    ValueError
        If the lengths differ, a window is longer than the sequences, labels are missing, or labels are numbers that are
        not whole, because the series was not symbolized; if there are fewer shifts than surrogates.

    See Also
    --------
    symbolize : Makes sequences of labels from series of numbers.
    effort_to_compress : The measure of complexity.

    Notes
    -----
    Let E be the normalized effort of a sequence or of two joint ones, u and v the pasts of x and y, and w the present
    of x. The direction y to x is the mean over windows of E(u + w) - E(u) - [E(u + w, v + w) - E(u, v)] of [1]_. In the
    joint sequence of past and present, the present of x stands on both sides.

    ETCPy leaves out the window that ends with the last label; otherwise it gives the same values. Its result equals
    this one on sequences that are one label shorter. It has no surrogates. If it bins, it uses equal widths of a range
    that is wider by 1e-6.

    A surrogate shifts the cause in a circle, by at least `past + present` labels, so that cause and effect keep all of
    their own dynamics. This is a fair null hypothesis for stationary series, but not for two series with a common trend
    or period. A p-value is two-sided: b surrogates are at least as high, or at least as low, and the p-value is twice
    the smaller (1 + b) / (1 + n_surrogates). It shows dependence. It points to a cause only together with the other
    direction, and with lengths and symbols that were chosen beforehand.

    Takes nearly linear time in the labels of all windows, and twice as long for every surrogate.

    References
    ----------
    .. [1] A. Kathpalia and N. Nagaraj, "Data-based intervention approach for Complexity-Causality measure", PeerJ
       Computer Science 5:e196, 2019.

    Examples
    --------
    A chaotic map x drives another one, y. The value of the wrong direction is larger, but no surrogate is as low as the
    value of the right direction:

    >>> from pytrees import compression_complexity_causality, symbolize
    >>> x, y = [0.4], [0.3]
    >>> for _ in range(2999):
    ...     free_x, free_y = (3.8 * last * (1 - last) for last in (x[-1], y[-1]))
    ...     x.append(free_x)
    ...     y.append(0.8 * free_y + 0.2 * free_x)
    >>> symbols = [symbolize(series, "width", n_symbols=4) for series in (x, y)]
    >>> found = compression_complexity_causality(
    ...     *symbols, past=150, present=15, step=20, n_surrogates=99, random_state=0
    ... )
    >>> round(found.x_to_y, 4), round(found.y_to_x, 4)
    (-0.0036, 0.0058)
    >>> found.pvalue_x_to_y, found.pvalue_y_to_x
    (0.02, 0.76)
    """
    (x_codes, y_codes), n_symbols = _coded_alike(x, y)
    n = len(x_codes)
    past, present, step = int(past), int(present), int(step)
    if past + present > n:
        raise ValueError(f"A window of past + present = {past + present} labels is longer than the sequences of {n}.")
    shifts = _shifts(n, past + present, n_surrogates, random_state)
    task = _Task(past, present, np.arange(0, n - past - present + 1, step, dtype=np.int64), n_symbols)
    alone = {"x": task.efforts_alone(x_codes, n_jobs), "y": task.efforts_alone(y_codes, n_jobs)}
    engine = current_engine()
    pairs = [(x_codes, y_codes, alone["y"]), (y_codes, x_codes, alone["x"])]
    tasks = [(engine, task, shift, *pair) for shift in [0, *shifts] for pair in pairs]
    found = list(run_in_order(_causality_on_worker, tasks, n_jobs, prefer="threads"))
    values = np.array(found, dtype=np.float64).reshape(-1, 2)
    return CompressionComplexityCausality(
        x_to_y=float(values[0, 0]),
        y_to_x=float(values[0, 1]),
        n_windows=len(task.starts),
        surrogates_x_to_y=values[1:, 0].copy(),
        surrogates_y_to_x=values[1:, 1].copy(),
    )


@dataclass
class _Task:
    """Compute the terms of the windows that start at `starts`."""

    past: int
    present: int
    starts: IntArray
    n_symbols: int

    def efforts_alone(self, codes: CodeArray, n_jobs: int | None) -> tuple[int, int]:
        """Sum the efforts of the pasts, and of the pasts with their presents, over the windows."""
        n_symbols, stops = self.n_symbols, self.starts + self.past
        return (
            int(efforts_of_slices(codes, n_symbols, self.starts, stops, 2, n_jobs).sum()),
            int(efforts_of_slices(codes, n_symbols, self.starts, stops + self.present, 2, n_jobs).sum()),
        )

    def causality(self, cause: CodeArray, effect: CodeArray, alone: tuple[int, int]) -> float:
        """Return the causality from one sequence to another; `alone` has the sums of `efforts_alone` for the effect."""
        n, length = len(effect), self.past + self.present
        # Joint symbols of cause and effect, and of the effect with itself for the present, are coded together.
        wide = effect.astype(np.int64) * self.n_symbols
        labels, codes = np.unique(np.concatenate([wide + cause, wide + effect]), return_inverse=True)
        codes = codes.astype(np.int32)
        n_joint = len(labels)
        joint_past = int(efforts_of_slices(codes, n_joint, self.starts, self.starts + self.past, 2, None).sum())
        offsets = np.arange(length)
        offsets[self.past :] += n
        joint = 0
        n_windows = max(1, _LABELS_OF_A_PART // length)
        for first in range(0, len(self.starts), n_windows):
            windows = codes[self.starts[first : first + n_windows, np.newaxis] + offsets].ravel()
            starts = np.arange(0, len(windows), length, dtype=np.int64)
            joint += int(efforts_of_slices(windows, n_joint, starts, starts + length, 2, None).sum())
        # The efforts are whole: their sums are exact, and the result does not depend on the order of the windows.
        of_past = (alone[0] - joint_past) / (self.past - 1)
        of_both = (alone[1] - joint) / (length - 1)
        return (of_both - of_past) / len(self.starts)


def _causality_on_worker(
    engine: Engine, task: _Task, shift: int, cause: CodeArray, effect: CodeArray, alone: tuple[int, int]
) -> float:
    with config_context(engine=engine):
        return task.causality(np.roll(cause, shift), effect, alone)


def _coded_alike(*sequences: Any) -> tuple[list[CodeArray], int]:
    """Encode the labels of all sequences alike; return the codes of each and the number of different labels."""
    code_of: dict[Any, int] = {}
    coded = []
    for name, sequence in zip("xy", sequences, strict=True):
        codes, labels = encode(sequence)
        if any(isinstance(label, float) and not label.is_integer() for label in labels):
            raise ValueError(f"{name} holds numbers that are not whole: symbolize it first.")
        renumbered = np.array([code_of.setdefault(label, len(code_of)) for label in labels], dtype=np.int32)
        coded.append(renumbered[codes] if len(codes) else codes)
    if len(coded[0]) != len(coded[1]):
        raise ValueError(f"x and y must have one length, got {len(coded[0])} and {len(coded[1])}.")
    return coded, len(code_of)


def _shifts(n: int, least: int, n_surrogates: int, random_state: Any) -> list[int]:
    """Draw different shifts, by at least `least` labels in either direction."""
    if n_surrogates == 0:
        return []
    n_shifts = max(0, n - 2 * least + 1)
    if n_surrogates > n_shifts:
        raise ValueError(
            f"Sequences of {n} labels have {n_shifts} shifts by past + present = {least} or more in either direction, "
            f"fewer than n_surrogates={n_surrogates}."
        )
    chosen = check_random_state(random_state).choice(n_shifts, size=n_surrogates, replace=False)
    return [least + int(shift) for shift in chosen]


def _pvalue(value: float, surrogates: FloatArray) -> float:
    if len(surrogates) == 0:
        return float("nan")
    tails = [np.count_nonzero(surrogates >= value), np.count_nonzero(surrogates <= value)]
    return float(min(1.0, 2.0 * (1 + min(tails)) / (1 + len(surrogates))))
