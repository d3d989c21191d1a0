"""Trees as boxes: as close as the widths of their texts allow, never on each other, and down to where they fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import LITERALLY, background_of, inks_on, room_of
from ._colours import colours_of, ink_on
from ._digits import Digits, ThresholdTexts
from ._given_tree import (
    MOST_CATEGORIES,
    CategoryNames,
    ShownTree,
    class_said,
    counts_of,
    has_samples,
    label_of_categories,
    samples_said,
    side_of_missing,
)
from ._names import one_line
from ._tree_arrays import node_depths
from ._tree_checks import LEAF, MULTIWAY
from ._typing import FloatArray, LabelsLike
from .tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

SMALLEST_LETTERS = 3.0
# Trees of so many leaves are always drawn to the last level.
_NEVER_CUT = 16
# The space around the text in a box, between boxes, and between levels, by the size of the letters.
PAD, _BETWEEN_BOXES, _BETWEEN_LEVELS = 0.35, 0.6, 0.8

# A figure that is made for a tree is not larger, in inches, and not measured for more nodes; it shows as many levels as
# have room with letters of this size.
LARGEST_FIGURE = (24.0, 16.0)
MOST_MEASURED = 500
_SMALLEST_IN_NEW_FIGURE = 6.0

# A new figure has more space between levels than is needed.
_AIRY = 1.5


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


def enlarge(figure: Figure, wanted: FloatArray) -> None:
    """Give a new figure a size in points, with some air from top to bottom, but no less than the usual one."""
    least = figure.get_size_inches()
    most = np.maximum(least, LARGEST_FIGURE)
    width, height = np.clip(wanted * [1.02, _AIRY] / 72.0, least, most).tolist()
    figure.set_size_inches(width, height)


def draw_leaves(
    tree: Tree, leaves: dict[int, str], faces: FloatArray, ax: Axes, feature_names: LabelsLike | None
) -> list[Annotation]:
    """Draw all nodes of a tree, with given texts of its leaves, and given colours of all nodes."""
    drawing = Drawing(tree, feature_names, None, None, None)
    drawing.labels_of_nodes, drawing.given_faces = leaves, faces
    return drawing.draw(ax, None)


class Drawing(ShownTree):
    """The nodes that are drawn, their texts and their positions."""

    given_faces: FloatArray | None = None
    impurity: FloatArray | None = None
    shows_numbers = False
    shows_shares = False
    shows_weights = False
    smallest_letters = SMALLEST_LETTERS

    def __init__(
        self,
        given: Any,
        feature_names: LabelsLike | None,
        class_names: LabelsLike | None,
        max_depth: int | None,
        precision: int | None,
    ) -> None:
        super().__init__(given, feature_names, class_names, max_depth)
        self.digits = Digits(precision if precision is None else int(precision))
        self.threshold_of = ThresholdTexts(self.tree, self.digits)
        self.parents = np.full(self.tree.node_count, LEAF)
        self.parents[self.tree.children] = np.repeat(np.arange(self.tree.node_count), np.diff(self.tree.child_offsets))
        self.depth = node_depths(self.tree)
        weights = self.tree.weighted_n_node_samples
        self.has_weights = self.tree.is_regressor and not np.array_equal(weights, self.tree.n_node_samples)
        self.labels_of_nodes: dict[int, str] = {}
        self.note = ""

    def axes_of_new_figure(self, plt: Any, fontsize: float | None) -> Axes:
        """Make a figure with room for the tree, and return its axes."""
        figure = plt.figure()
        ax: Axes = figure.add_axes((0.01, 0.01, 0.98, 0.93))  # a title fits above
        self.smallest_letters = _SMALLEST_IN_NEW_FIGURE
        if len(self.shown) > MOST_MEASURED:
            figure.set_size_inches(np.maximum(figure.get_size_inches(), LARGEST_FIGURE))
        else:
            needed = Layout(self, TextSizes(ax.figure), 10.0 if fontsize is None else float(fontsize)).needed
            enlarge(figure, needed / ax.get_position().size)
        return ax

    def draw_what_fits(self, ax: Axes, fontsize: float | None) -> list[Annotation]:
        """Draw as many levels as the axes have room for, all of a small tree, and the root in any case."""
        if self.tree.n_leaves <= _NEVER_CUT:
            return self.draw(ax, fontsize, may_shrink=True)
        ax.set_axis_off()
        room, sizes = room_of(ax), TextSizes(ax.figure)
        letters = self.smallest_letters if fontsize is None else float(fontsize)
        on_level, n_levels = np.bincount(self.depth), int(self.depth.max()) + 1
        fitting = 0
        for last in range(n_levels):
            # Nodes have no smaller boxes than their letters, so that most levels need not be measured.
            if on_level[: last + 1].max() * letters > room[0] or (last + 1) * letters > room[1]:
                break
            self.show_first(last, n_levels)
            if np.any(Layout(self, sizes, letters, room).needed > room):
                break
            fitting = last
        self.show_first(fitting, n_levels)
        return self.draw(ax, fontsize, least=letters)

    def show_first(self, last: int, n_levels: int) -> None:
        """Show the levels down to the last one, and say that the tree has more if it has."""
        is_whole = last >= n_levels - 1
        self.show_down_to(None if is_whole else last)
        self.note = "" if is_whole else f"cut at depth {last} of {n_levels - 1}"

    def draw(
        self, ax: Axes, fontsize: float | None, *, may_shrink: bool = False, least: float = SMALLEST_LETTERS
    ) -> list[Annotation]:
        """Draw all nodes, with letters that are small enough if no size is given, or if they may be smaller."""
        ax.set_axis_off()
        room, sizes = room_of(ax), TextSizes(ax.figure)
        layout = Layout(self, sizes, 10.0 if fontsize is None else float(fontsize), room)
        while (fontsize is None or may_shrink) and layout.fontsize > least:
            share = float((room / layout.needed).min())
            if share >= 1.0:
                break  # letters do not shrink quite evenly, so that the next size is measured again
            layout = Layout(self, sizes, max(least, 0.99 * share * layout.fontsize), room)
        return layout.draw(ax)

    def text_of(self, node: int) -> str:
        """Return the text of a box."""
        if self.is_left_out[node]:
            return "(...)"
        if node not in self.labels_of_nodes:
            self.labels_of_nodes[node] = self.label(node)
        return self.labels_of_nodes[node]

    def faces(self) -> FloatArray:
        """Return the colours of the boxes that are shown."""
        return colours_of(self, self.shown) if self.given_faces is None else self.given_faces[self.shown]

    def answers(self) -> dict[int, str]:
        """Return the labels of the edges that have one, by the child."""
        pairs = (pair for node in self.with_children for pair in _answers(self.tree, node, self.name_of))
        return {int(child): one_line(answer) for child, answer in pairs}

    def label(self, node: int) -> str:
        tree, lines = self.tree, [f"node {node}"] if self.shows_numbers else []
        share = self.digits.number if self.shows_shares else None
        name = None if tree.children_left[node] == LEAF else self.feature_names[tree.feature[node]]
        lines += [] if name is None else self.test(node, name)
        if name is None and not tree.is_regressor:
            lines.append(class_said(self.class_names[self.labels[node]]))
        if tree.is_regressor and (name is None or self.shows_weights):
            lines.append(f"value {self.digits.number(tree.value[node, 0])}")
        if self.impurity is not None:
            lines.append(f"{tree.criterion_name or 'impurity'} {self.digits.number(self.impurity[node])}")
        if name is None or self.shows_weights:
            lines.append(self.samples(node))
        if self.shows_weights and not tree.is_regressor:
            lines.append(counts_of(tree, node, share))
        if self.shows_weights and self.has_weights:
            lines.append(f"weight {counts_of(tree, node, share)[1:-1]}")
        return "\n".join(map(one_line, lines))

    def test(self, node: int, name: str) -> list[str]:
        """Return the test of an inner node on the feature of this name."""
        tree, missing = self.tree, side_of_missing(self.tree, node)
        if tree.children_left[node] == MULTIWAY:
            return [name]
        if tree.threshold[node] == np.inf:
            return [f"{name} not missing"]
        level = self.name_of.level(tree.feature[node], tree.threshold[node])
        return [f"{name} ≤ {level or self.threshold_of(node)}"] + [f"missing: {missing}"] * bool(missing)

    def samples(self, node: int) -> str:
        """Describe the number of a node's training samples, or their share."""
        if self.shows_shares and has_samples(self.tree):
            return f"{100.0 * self.tree.n_node_samples[node] / self.tree.n_node_samples[0]:.1f} % of samples"
        return samples_said(self.tree, node)


class Layout:
    """The places of all boxes and labels of edges for letters of a size, and the room that they need.

    Levels stand at heights 0, -1, -2, ...; `x` is in points. If axes have more room than is needed, the units of both
    directions stretch, and the boxes do not.

    Attributes
    ----------
    needed : ndarray of shape (2,)
        The least width and height of axes, in points, on which nothing overlaps.
    """

    def __init__(self, drawing: Drawing, sizes: TextSizes, fontsize: float, room: FloatArray | None = None) -> None:
        self.drawing, self.fontsize = drawing, fontsize
        shown = drawing.shown
        self.texts, self.answers = [drawing.text_of(node) for node in shown.tolist()], drawing.answers()
        boxes = sizes(self.texts, fontsize) + 2.0 * PAD * fontsize + 1.0  # and a line around them
        labels = sizes(list(self.answers.values()), fontsize) + 0.2 * fontsize
        place_of = {node: place for place, node in enumerate(shown.tolist())}
        depth = drawing.depth[shown]
        self.n_levels = int(depth.max()) + 1
        highest = np.zeros(self.n_levels)
        np.maximum.at(highest, depth, boxes[:, 1])
        # The labels of edges stand just above the boxes of their level.
        strip = np.zeros(self.n_levels)
        for child, (_, height) in zip(self.answers, labels, strict=True):
            level = drawing.depth[child]
            strip[level] = max(strip[level], 1.2 * height)
        between = 0.5 * (highest[1:] + highest[:-1]) + strip[1:] + _BETWEEN_LEVELS * fontsize
        note = sizes([drawing.note] if drawing.note else [], fontsize)
        least = max(between.max(initial=0.0), highest[0], highest[-1] + 2.0 * note[:, 1].max(initial=0.0))
        spacing = least if room is None else max(least, room[1] / self.n_levels)
        self.above = (0.5 * highest + 0.5 * strip) / spacing
        # Where edges cross the strips of their labels, from the parent to the child.
        self.share = np.maximum(0.5, 1.0 - self.above)
        widths = boxes[:, 0].copy()
        for child, (width, _) in zip(self.answers, labels, strict=True):
            place = place_of[child]
            widths[place] = max(widths[place], width / self.share[depth[place]])
        inner = set(drawing.with_children.tolist())
        children = [
            [place_of[child] for child in drawing.tree.children_of(node).tolist()] if node in inner else []
            for node in shown.tolist()
        ]
        x, width = close_positions(children, widths.tolist(), _BETWEEN_BOXES * fontsize)
        self.x, self.width = dict(zip(shown.tolist(), x.tolist(), strict=True)), width
        self.needed = np.array([max(width, note[:, 0].max(initial=0.0)), least * self.n_levels])

    def draw(self, ax: Axes) -> list[Annotation]:
        """Draw boxes, edges and their labels, and return the boxes."""
        drawing, depth = self.drawing, self.drawing.depth
        ax.set_xlim(0.0, self.width)
        ax.set_ylim(0.5 - self.n_levels, 0.5)
        background = background_of(ax)
        ink, muted = inks_on(ax)
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": self.fontsize, **LITERALLY}
        boxes = []
        for node, text, face in zip(drawing.shown.tolist(), self.texts, drawing.faces(), strict=True):
            colour: Any = np.full(3, 0.8) if drawing.is_left_out[node] else face
            box = {"boxstyle": f"round,pad={PAD}", "facecolor": colour, "edgecolor": "0.4", "linewidth": 0.8}
            place = (self.x[node], -depth[node])
            boxes.append(ax.annotate(text, place, bbox=box, color=ink_on(colour), **style))
        self.draw_edges(ax, 0.5 * ink + 0.5 * background)
        box = {"boxstyle": "round,pad=0.1", "facecolor": background, "linewidth": 0.0}
        for child, answer in self.answers.items():
            parent, level = int(drawing.parents[child]), depth[child]
            x = self.x[parent] + self.share[level] * (self.x[child] - self.x[parent])
            place = (x, min(0.5, self.above[level]) - level)
            ax.annotate(answer, place, bbox=box, color=muted, zorder=1, **style)
        if drawing.note:
            place, style["va"] = (0.5, 0.0), "bottom"
            ax.annotate(drawing.note, place, xycoords="axes fraction", color=muted, style="italic", **style)
        return boxes

    def draw_edges(self, ax: Axes, colour: Any) -> None:
        from matplotlib.lines import Line2D

        drawing, x, depth = self.drawing, self.x, self.drawing.depth
        for node in drawing.with_children.tolist():
            for child in drawing.tree.children_of(node).tolist():
                ends = [x[node], x[child]], [-depth[node], -depth[child]]
                ax.add_line(Line2D(*ends, color=colour, linewidth=0.8, zorder=0))


def _answers(tree: Tree, node: int, name_of: CategoryNames) -> Iterable[tuple[int, object]]:
    """Return the children of a node with the labels of their edges: categories, or yes and no below the root."""
    children = tree.children_of(node)
    if tree.children_left[node] == MULTIWAY:
        feature = tree.feature[node]
        return [(child, label_of_categories(tree, feature, child, name_of, MOST_CATEGORIES)) for child in children]
    return zip(children, ("yes", "no"), strict=True) if node == 0 else ()
