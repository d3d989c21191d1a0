"""Make sequences of symbols, whose complexity `sequence` measures, from numbers or from other sequences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import factorial
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._coded_sequences import encode
from ._numbers import within_float64
from ._sklearn import Interval, StrOptions, validate_params
from ._typing import AnyArray, CodeArray, FloatArray

__all__ = ["join_symbols", "symbolize"]

_LONGEST_PATTERN = 12  # values: 12! patterns fit 32 bits


@validate_params(
    {
        "values": ["array-like"],
        "method": [StrOptions({"frequency", "width", "thresholds", "ordinal"})],
        "n_symbols": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "thresholds": ["array-like", None],
        "order": [Interval(Integral, 2, _LONGEST_PATTERN, closed="both")],
        "delay": [Interval(Integral, 1, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def symbolize(
    values: ArrayLike,
    method: Literal["frequency", "width", "thresholds", "ordinal"] = "frequency",
    *,
    n_symbols: int = 2,
    thresholds: ArrayLike | None = None,
    order: int = 3,
    delay: int = 1,
) -> CodeArray:
    """Make a sequence of symbols from a series of numbers.

    A measure of the sequence sees only the symbols, and other symbols can turn its result around. Report the method
    with the result, and try others. Symbolize a whole series, not its windows one by one: otherwise one symbol means
    different things in different windows.

    Parameters
    ----------
    values : array-like of shape (n,)
        The series; finite numbers.
    method : {"frequency", "width", "thresholds", "ordinal"}, default="frequency"
        How a symbol is chosen.

        - "frequency": `n_symbols` symbols of about equal frequency, divided by quantiles of the series. Equal values
          have equal symbols, so a series of few different values may have fewer symbols, or less even ones.
        - "width": `n_symbols` intervals of equal width between the least and the greatest value.
        - "thresholds": the number of `thresholds` below the value. As in a tree, a value equal to a threshold is not
          above it.
        - "ordinal": the permutation that sorts `order` values, `delay` steps apart, as a number from 0 to
          order! - 1 ([1]_). The pattern of ascending values is 0; equal values count as ascending.
    n_symbols : int, default=2
        Number of symbols, for "frequency" and "width".
    thresholds : array-like of shape (n_thresholds,), optional
        Ascending finite numbers; for "thresholds" alone.
    order : int, default=3
        Values of an ordinal pattern, 2 to 12.
    delay : int, default=1
        Steps between the values of an ordinal pattern.

    Returns
    -------
    ndarray of shape (n,), int32
        The symbols 0, 1, ... For "ordinal", the shape is (n - (order - 1) * delay,): a symbol for every pattern.

    Raises
    ------
    ValueError
        If the values are not a series of finite numbers; if thresholds are missing, do not ascend, or are given for
        another method; or if an ordinal pattern is longer than the series.

    See Also
    --------
    join_symbols : Makes one sequence of several.
    effort_to_compress : How irregular a sequence is.
    lempel_ziv_complexity : Another measure of how irregular a sequence is.

    Notes
    -----
    Takes O(n log n) by "frequency", O(n log n_symbols) by "width" and "thresholds", O(n order log order) by "ordinal".

    References
    ----------
    .. [1] C. Bandt and B. Pompe, "Permutation Entropy: A Natural Complexity Measure for Time Series", Physical Review
       Letters 88, 2002.

    Examples
    --------
    >>> from pytrees import effort_to_compress, symbolize
    >>> series = [4, 7, 9, 10, 6, 11, 3]
    >>> symbolize(series)
    array([0, 0, 1, 1, 0, 1, 0], dtype=int32)
    >>> symbolize(series, "thresholds", thresholds=[6, 9])
    array([0, 1, 1, 2, 0, 2, 0], dtype=int32)
    >>> symbolize(series, "ordinal")
    array([0, 0, 4, 2, 4], dtype=int32)
    >>> effort_to_compress(symbolize(series))
    5
    """
    series = _checked_series(values, "values")
    if (thresholds is None) == (method == "thresholds"):
        raise ValueError("thresholds are needed by method='thresholds', and by no other.")
    if method == "ordinal":
        return _ordinal_patterns(series, order, delay)
    if method == "thresholds":
        edges = _checked_series(thresholds, "thresholds")
        if np.any(edges[1:] <= edges[:-1]):
            raise ValueError("thresholds must ascend.")
    elif len(series) == 0:
        edges = series
    elif method == "width":
        shares = np.arange(1, n_symbols) / n_symbols
        low, high = series.min(), series.max()
        # Rounding must not make an edge fall below the edge before it.
        edges = np.maximum.accumulate(np.clip(low * (1.0 - shares) + high * shares, low, high))
    else:
        # Edge k is the least value with at least k / n_symbols of the series at or below it, found in whole numbers.
        edges = np.sort(series)[-(-np.arange(1, n_symbols) * len(series) // n_symbols) - 1]
    return np.searchsorted(edges, series, side="left").astype(np.int32)


def join_symbols(*sequences: Iterable[Hashable]) -> CodeArray:
    """Make one sequence of several of equal length: each of its symbols stands for a tuple of theirs.

    A measure of the new sequence is a joint measure of the sequences: ``effort_to_compress(join_symbols(x, y))`` is
    called the joint, or two-dimensional, Effort-To-Compress of x and y.

    Parameters
    ----------
    *sequences : sequences of hashable labels
        Each has length n, as in :func:`effort_to_compress`; or arrays of one shape, of any number of dimensions.

    Returns
    -------
    ndarray of shape (n,), int32
        The joint symbols 0, 1, ... Two are equal if all sequences have equal labels at both positions. Arrays give an
        array of their shape.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`; also if there is no sequence, or their lengths differ.

    See Also
    --------
    effort_to_compress : How irregular a sequence is.
    compression_complexity_causality : Whether one sequence says something about another.

    Notes
    -----
    Takes O(n log n) for each sequence.

    Examples
    --------
    >>> from pytrees import effort_to_compress, join_symbols
    >>> x, y = "00110", "ababa"
    >>> join_symbols(x, y)
    array([0, 1, 2, 3, 0], dtype=int32)
    >>> effort_to_compress(join_symbols(x, y))
    4
    """
    if not sequences:
        raise ValueError("At least one sequence is needed.")
    coded = [_coded(sequence) for sequence in sequences]
    if len({codes.shape for codes in coded}) > 1:
        raise ValueError(f"The sequences must have one length, got {[codes.shape for codes in coded]}.")
    joint = coded[0].astype(np.int64)
    for codes in coded[1:]:
        # Both factors are less than 2^31 - 1: the product fits in int64.
        joint = np.unique(joint * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1].reshape(codes.shape)
    return joint.astype(np.int32)


def _coded(sequence: Any) -> CodeArray:
    """Encode a sequence, or an array of several dimensions."""
    array = np.asarray(sequence) if hasattr(sequence, "__array__") else None
    if array is None or array.ndim == 1 or np.ma.is_masked(sequence):
        return encode(sequence)[0]
    return encode(array.ravel())[0].reshape(array.shape)


def _ordinal_patterns(series: FloatArray, order: int, delay: int) -> CodeArray:
    length = (order - 1) * delay + 1
    if len(series) < length:
        raise ValueError(
            f"A pattern of order={order} and delay={delay} takes {length} values, the series has {len(series)}."
        )
    windows = np.lib.stride_tricks.sliding_window_view(series, length)[:, ::delay]
    ranks = windows.argsort(axis=1, kind="stable")
    codes = np.zeros(len(ranks), dtype=np.int64)
    for i in range(order - 1):
        # The number of smaller later values is a digit of the pattern's number among the permutations.
        codes += (ranks[:, i + 1 :] < ranks[:, i : i + 1]).sum(axis=1) * factorial(order - 1 - i)
    return codes.astype(np.int32)


def _checked_series(values: Any, name: str) -> FloatArray:
    if np.ma.is_masked(values):
        raise ValueError(f"{name} contain missing values: some of them are masked.")
    try:
        array: AnyArray = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be numbers: {error}.") from error
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got an array with {array.ndim}.")
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must be real numbers, got complex ones.")
    try:
        with within_float64(name):
            series = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}.") from error
    if not np.all(np.isfinite(series)):
        raise ValueError(f"{name} contain NaN or infinity.")
    return series
