"""Where the boxes of a drawn tree stand: as close as the widths of their texts allow, and never on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._axes import LITERALLY
from ._typing import FloatArray


class TextSizes:
    """The widths and heights of texts on a figure, in points; every text of a size is measured once.

    Parameters
    ----------
    figure : matplotlib.figure.FigureBase
    **style : dict
        Properties of the texts, such as their weight.
    """

    def __init__(self, figure: Any, **style: Any) -> None:
        from matplotlib.text import Text

        self._text: Any = Text(**LITERALLY, **style)
        self._text.set_figure(figure)
        self._known: dict[tuple[float, str], tuple[float, float]] = {}

    def __call__(self, texts: Sequence[str], fontsize: float) -> FloatArray:
        """Return the sizes of texts with letters of a size, (n_texts, 2) float64."""
        found = np.zeros((len(texts), 2))
        for i, text in enumerate(texts):
            if (fontsize, text) not in self._known:
                self._text.set(text=text, fontsize=fontsize)
                extent, per_point = self._text.get_window_extent(), self._text.figure.dpi / 72.0
                self._known[fontsize, text] = (extent.width / per_point, extent.height / per_point)
            found[i] = self._known[fontsize, text]
        return found


def close_positions(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> tuple[FloatArray, float]:
    """Return the middles of the nodes of a tree from left to right, and the width of the whole tree.

    Subtrees stand side by side, as close as nodes of the same level, with a gap between them, allow; a parent stands
    half-way between its first and its last child [1]_. Takes time proportional to the number of nodes.

    Parameters
    ----------
    children : sequence of sequence of int
        The children of every node, which come after it.
    widths : sequence of float
        The widths of the nodes.
    gap : float
        The least space between two nodes of the same level.

    References
    ----------
    .. [1] E. M. Reingold, J. S. Tilford, "Tidier drawings of trees", IEEE Transactions on Software Engineering 7, 1981.
    """
    from_parent = np.zeros(len(widths))
    contours: list[_Contour | None] = [None] * len(widths)
    for node in reversed(range(len(widths))):
        below, middles = _Contour(), [0.0] * len(children[node])
        for i, child in enumerate(children[node]):
            beside, contours[child] = contours[child], None
            assert beside is not None
            if i > 0:
                middles[i] = below.distance_to(beside) + gap
                beside.offset += middles[i]
            below = below.joined_with(beside)
        middle = 0.5 * middles[-1] if middles else 0.0
        for child, place in zip(children[node], middles, strict=True):
            from_parent[child] = place - middle
        below.offset -= middle
        below.put_on_top(-0.5 * widths[node], 0.5 * widths[node])
        contours[node] = below
    whole = contours[0]
    assert whole is not None
    left, right = min(whole.left) + whole.offset, max(whole.right) + whole.offset
    x = np.full(len(widths), -left)
    for node, below_it in enumerate(children):
        for child in below_it:
            x[child] = x[node] + from_parent[child]
    return x, right - left


class _Contour:
    """The ends of a subtree on both sides, level by level from the lowest one to its root, all plus an offset.

    Joining two takes time in proportion to the levels of the lower one, and all joints of a tree together to its nodes.
    """

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.offset = 0.0

    def put_on_top(self, left: float, right: float) -> None:
        self.left.append(left - self.offset)
        self.right.append(right - self.offset)

    def distance_to(self, other: _Contour) -> float:
        """Return how far the other one must move to the right to touch this one."""
        levels = range(1, min(len(self.left), len(other.left)) + 1)
        return max(self.right[-k] - other.left[-k] for k in levels) + self.offset - other.offset

    def joined_with(self, other: _Contour) -> _Contour:
        """Return the contour of this one and another one on its right; one of the two is reused."""
        levels = range(1, min(len(self.left), len(other.left)) + 1)
        apart = other.offset - self.offset
        if len(self.left) >= len(other.left):
            for k in levels:
                self.right[-k] = other.right[-k] + apart
            return self
        for k in levels:
            other.left[-k] = self.left[-k] - apart
        return other
