"""Plots of effects: steps over numbers, bars of categories, and colours of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._axes import LITERALLY, axes_of
from .._given_tree import class_said
from .._names import checked_names, one_line, plain_values
from .._typing import AnyArray, FloatArray, LabelsLike
from ..input.categories import has_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names of categories are turned if they have more letters side by side.
_MOST_LETTERS = 50
# How many points the word "missing" stands away from an axis, beyond the numbers at it.
_BEYOND_NUMBERS = {"x": 16, "y": 44}
# How many thresholds stand at an axis of a pair.
_MOST_THRESHOLDS = 6


class EffectPlots:
    """The features and outputs of a function, as far as they are known, for plots of its tables.

    Parameters
    ----------
    found : object
        The tables' owner, with `feature_names`, `categories`, `thresholds` and `classes`, each perhaps None.
    n_features : int
    feature_names : sequence of str of length n_features, or None
        By default those of `found`.
    """

    def __init__(self, found: Any, n_features: int, feature_names: LabelsLike | None) -> None:
        given = found.feature_names if feature_names is None else feature_names
        self.names: list[str] = names_for(given, n_features, "feature ")
        self.categories: dict[int, AnyArray] = found.categories or {}
        self.thresholds: list[FloatArray] | None = found.thresholds
        self.classes: AnyArray | None = found.classes

    def draw(
        self,
        ax: Axes | None,
        tables: dict[tuple[int, int], FloatArray],
        which: tuple[int, int],
        output: int | None,
        what: str,
        joined: str,
    ) -> Axes:
        """Draw the table of a feature, or of a pair in either order, and say what its numbers are."""
        m, other = which
        table = tables.get((m, other))
        if table is None and (other, m) in tables:
            table = tables[other, m].swapaxes(0, 1)
        if table is None:
            told = f"no {what} of the pair {which}" if other >= 0 else f"no {what} of the feature {m}"
            raise ValueError(f"There is {told}; there are {[pair if pair[1] >= 0 else pair[0] for pair in tables]}.")
        ax = axes_of("plot", ax)
        n_dims = 1 if other < 0 else 2
        outputs = names_of_outputs(self.classes, table.shape[-1] if table.ndim > n_dims else 1)
        has_name = self.classes is not None or table.ndim > n_dims
        if table.ndim > n_dims and (output is not None or other >= 0):
            output = -1 if output is None else output
            table, outputs = table[..., output], [outputs[output]]
        elif output not in (None, 0, -1):
            raise IndexError(f"There is one output, got output={output!r}.")
        label = f"{what}{joined}{outputs[0]}" if has_name and len(outputs) == 1 else what
        if other >= 0:
            self._draw_pair(ax, table, m, other, label, has_zero=what == "effect")
        else:
            self._draw_feature(ax, table.reshape(len(table), -1), m, outputs, label, has_zero=what == "effect")
        return ax

    def _draw_pair(self, ax: Any, table: FloatArray, m: int, other: int, label: str, *, has_zero: bool) -> None:
        """Draw the table of a pair in colours, which have white in the middle if the numbers are about zero."""
        bound = np.abs(table).max()
        scale = {"cmap": "RdBu_r", "vmin": -bound, "vmax": bound} if has_zero else {"cmap": "viridis"}
        # Colours are not mixed: neighbouring categories have no order.
        image = ax.imshow(table.T, interpolation="nearest", origin="lower", aspect="auto", **scale)
        ax.figure.colorbar(image, ax=ax).set_label(label, **LITERALLY)
        self._name_values(ax.xaxis, m)
        self._name_values(ax.yaxis, other)

    def _draw_feature(
        self, ax: Any, table: FloatArray, m: int, outputs: Sequence[str], label: str, *, has_zero: bool
    ) -> None:
        """Draw the table of one feature, with a legend if there are several outputs."""
        if self._words_of(m) is not None:
            draw_bars(ax, table, outputs)
            self._name_values(ax.xaxis, m)
        elif self.thresholds is None:
            for heights, output in zip(table.T, outputs, strict=True):
                ax.step(range(len(table)), heights, where="mid", label=output)
            self._name_values(ax.xaxis, m)
        else:
            draw_steps(ax, table, self.thresholds[m], outputs)
            ax.set_xlabel(self.names[m], **LITERALLY)
        if has_zero:
            ax.axhline(0.0, color="0.8", zorder=0)
        ax.set_ylabel(label, **LITERALLY)
        if len(outputs) > 1:
            for text in ax.legend().get_texts():
                text.set(**LITERALLY)

    def values_of(self, m: int, n_codes: int) -> AnyArray:
        """Return a value of a feature for each of its codes: a number in the middle, a category, or the code."""
        if m in self.categories:
            return self.categories[m]
        if self.thresholds is None:
            return np.arange(n_codes)
        cuts = self.thresholds[m][np.isfinite(self.thresholds[m])]
        missing = np.full(self.thresholds[m].size - cuts.size, np.nan)
        if not cuts.size:
            return np.append(0.0, missing)
        ends = _ends_of_steps(cuts)
        # The lower end of a code is not of it, and the upper one is.
        middles = np.maximum(0.5 * ends[1:] + 0.5 * ends[:-1], np.nextafter(ends[:-1], np.inf))
        return np.append(np.minimum(middles, ends[1:]), missing)

    def _words_of(self, m: int) -> list[str] | None:
        """Return a word for every value of a feature; None if the values are numbers, or codes."""
        if m in self.categories:
            listed = self.categories[m]
            absent = {len(listed) - 1} if has_missing(listed) else set()
            return ["missing" if k in absent else one_line(word) for k, word in enumerate(plain_values(listed))]
        if self.thresholds is None or np.isfinite(self.thresholds[m]).any():
            return None
        return ["not missing", "missing"] if self.thresholds[m].size else ["all values"]

    def _name_values(self, axis: Any, m: int) -> None:
        """Write the name of a feature at an axis of its codes, and the names of categories or some thresholds."""
        said = self._words_of(m)
        if said is not None:
            turned = 90 if axis.axis_name == "x" and sum(map(len, said)) > _MOST_LETTERS else 0
            axis.set_ticks(range(len(said)), said, rotation=turned, **LITERALLY)
        elif self.thresholds is not None:
            cuts = self.thresholds[m][np.isfinite(self.thresholds[m])]
            between = np.unique(np.linspace(0, cuts.size - 1, _MOST_THRESHOLDS).round().astype(int))
            axis.set_ticks(between + 0.5, _short_texts(cuts[between]))
            is_missing = [cuts.size + 1] if cuts.size < self.thresholds[m].size else []
            axis.set_ticks(is_missing, ["missing"] * len(is_missing), minor=True)
            axis.set_tick_params(which="minor", pad=_BEYOND_NUMBERS[axis.axis_name])
        axis.set_label_text(self.names[m] if said or self.thresholds else f"code of {self.names[m]}", **LITERALLY)


def names_for(feature_names: LabelsLike | None, n_features: int, prefix: str = "") -> list[str]:
    """Return the names of all features, or their numbers."""
    if feature_names is None:
        return [f"{prefix}{m}" for m in range(n_features)]
    return [one_line(name) for name in checked_names("feature_names", feature_names, n_features, "the model")]


def names_of_outputs(classes: AnyArray | None, n_outputs: int) -> list[str]:
    """Return how outputs are called: by their classes, a single one by the last class, or by numbers."""
    if classes is None:
        return [f"output {k}" for k in range(n_outputs)]
    return [class_said(one_line(name)) for name in plain_values(classes)[-n_outputs:]]


def draw_bars(ax: Axes, effects: FloatArray, outputs: Sequence[str]) -> None:
    """Draw a group of bars for every value, a bar for every output; effects have shape (n_values, n_outputs)."""
    width = 0.8 / len(outputs)
    for k, output in enumerate(outputs):
        left = np.arange(len(effects)) - 0.4 + width * k
        ax.bar(left, effects[:, k], width, align="edge", label=output)


def draw_steps(ax: Axes, effects: FloatArray, thresholds: FloatArray, outputs: Sequence[str]) -> None:
    """Draw a step function of numbers for every output, with points for missing values if these have the last code."""
    cuts = thresholds[np.isfinite(thresholds)]
    ends = _ends_of_steps(cuts)
    for effect, output in zip(effects.T, outputs, strict=True):
        ax.step(ends, np.append(effect[0], effect[: cuts.size + 1]), where="pre", label=output)
    if cuts.size == thresholds.size:
        return
    apart = ends[-1] + 0.08 * (ends[-1] - ends[0])
    for effect, line in zip(effects.T, ax.get_lines()[-len(outputs) :], strict=True):
        ax.plot(apart, effect[-1], "o", color=line.get_color())
    ax.axvline(0.5 * (ends[-1] + apart), color="0.8", linestyle=":", zorder=0)
    ax.set_xticks([tick for tick in ax.get_xticks() if ends[0] <= tick <= ends[-1]])
    ax.set_xticks([apart], ["missing"], minor=True)
    ax.tick_params(axis="x", which="minor", pad=_BEYOND_NUMBERS["x"])


def _ends_of_steps(cuts: FloatArray) -> FloatArray:
    """Return thresholds with a number a little beyond them on both sides."""
    beyond = 0.05 * float(cuts[-1] - cuts[0]) or abs(float(cuts[0])) or 1.0
    return np.array([cuts[0] - beyond, *cuts, cuts[-1] + beyond])


def _short_texts(numbers: FloatArray) -> list[str]:
    """Write ascending numbers with the decimals that tell them apart, a single one with four digits."""
    gap = float(np.diff(numbers).min(initial=np.inf))
    if np.isinf(gap):
        return [f"{number:.4g}" for number in numbers]
    decimals = 1 - int(np.floor(np.log10(gap)))
    return [f"{round(float(number), decimals) + 0.0:.7g}" for number in numbers]  # zero has no sign
