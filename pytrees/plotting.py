"""Trees as pictures; needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._axes import LITERALLY, axes_of, pyplot
from ._colours import class_colours, colours_of, places_on_scale
from ._digits import Digits, ThresholdTexts, told_apart
from ._docstrings import described_like
from ._given_judges import ERRORS
from ._given_tree import (
    MOST_CATEGORIES,
    SHOWING_CONSTRAINTS,
    CategoryNames,
    ForestEstimator,
    ShownTree,
    TreeEstimator,
    class_said,
    counts_of,
    has_samples,
    label_of_categories,
    one_line,
    predicted_labels,
    samples_said,
    shown_nodes,
    side_of_missing,
)
from ._sklearn import Interval, StrOptions, validate_params
from ._tree_arrays import node_depths
from ._tree_checks import LEAF, MULTIWAY
from ._typing import FloatArray, IntArray, LabelsLike
from .export import export_text
from .tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

__all__ = ["plot_decision_path", "plot_distinct_trees", "plot_tree"]

_SMALLEST_LETTERS = 3.0
# No box is narrower or lower, in points, and no line of text is narrower than this share of its letters' size.
_SMALLEST_BOX = 8.0
_NARROWEST = 0.4
# FreeType draws no letters of more points.
_MOST_POINTS = 1000

# A figure that is made for a tree is not larger, in inches, and not measured for more nodes; it shows as many levels as
# have room with letters of this size.
_LARGEST_FIGURE = (24.0, 16.0)
_MOST_MEASURED = 500
_SMALLEST_IN_NEW_FIGURE = 6.0

# The shares of the axes' width that the questions of a decision path take, and the bars on their right.
_QUESTIONS, _BARS = 0.58, 0.29


# The constraints of all functions that draw.
_DRAWING_CONSTRAINTS: dict[str, list[Any]] = {
    "precision": [Interval(Integral, 0, 100, closed="both"), None],
    "fontsize": [Interval(Real, 0, _MOST_POINTS, closed="right"), None],
}


@described_like(export_text)
@validate_params(
    {
        **SHOWING_CONSTRAINTS,
        **_DRAWING_CONSTRAINTS,
        "max_depth": [*SHOWING_CONSTRAINTS["max_depth"], StrOptions({"auto"})],
        "impurity": ["boolean"],
        "node_ids": ["boolean"],
        "show_weights": ["boolean"],
        "proportion": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def plot_tree(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | Literal["auto"] | None = "auto",
    impurity: bool = False,
    node_ids: bool = False,
    show_weights: bool = False,
    proportion: bool = False,
    precision: int | None = None,
    ax: Axes | None = None,
    fontsize: float | None = None,
) -> list[Annotation]:
    """Draw a tree.

    Inner nodes show their test, which sends the samples that pass it to the left, or their categorical feature, with
    the categories at the edges. Leaves show their class, or number, and the number of their training samples. Nodes
    have the colour of the predicted class, paler if they are more mixed; or a colour for their number, the darker the
    higher the number is in the tree. If training samples of a node lacked the value, the node shows the side of samples
    without it.

    Parameters
    ----------
    max_depth : int, "auto" or None, default="auto"
        Only nodes down to this depth are drawn, the root's being 0; ``(...)`` stands for their children. By default
        they are as many levels as the axes have room for. None: all.
    impurity : bool, default=False
        Whether nodes show their impurity, if the criterion of the tree has one.
    node_ids : bool, default=False
        Whether nodes show their numbers.
    show_weights : bool, default=False
        Whether all nodes show the numbers of their training samples, or sums of weights, of every class; or their
        number, and the weight of their samples if samples had weights.
    proportion : bool, default=False
        Whether nodes show shares of all training samples and of the classes in place of numbers of samples.
    precision : int, optional
        Decimal places of thresholds, impurities, numbers and shares; by default they have at least four significant
        digits. A threshold has more digits where it takes more to divide the training samples as the tree does.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. By default the current axes; if no figure is open, axes of a new one that is large enough
        for the tree, up to 24 by 16 inches.
    fontsize : float, optional
        In points. By default 10, or small enough for neighbouring nodes not to overlap at the present size of the axes,
        but at least 3.

    Returns
    -------
    list of matplotlib.text.Annotation
        One for every node that is drawn, in preorder.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        As in :func:`pytrees.export_text`.

    See Also
    --------
    export_text : The rules of a tree as text.
    pytrees.export.to_sklearn : A scikit-learn estimator, which other programs can draw.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from pytrees import DecisionTreeClassifier, plot_tree
    >>> nodes = plot_tree(DecisionTreeClassifier().fit([[1.0], [3.0]], ["a", "b"]))
    >>> nodes[1].get_text()
    'class a\\n1 sample'
    """
    if ax is not None:
        ax = axes_of("plot_tree", ax)
    plt = pyplot("plot_tree")
    drawing = _Drawing(tree, feature_names, class_names, None if max_depth == "auto" else max_depth, precision)
    drawing.shows_weights, drawing.shows_shares, drawing.shows_numbers = show_weights, proportion, node_ids
    drawing.impurity = drawing.tree.impurity if impurity and hasattr(drawing.tree, "impurity") else None
    if ax is None:
        ax = plt.gca() if plt.get_fignums() else drawing.axes_of_new_figure(plt, fontsize)
    return drawing.draw_what_fits(ax, fontsize) if max_depth == "auto" else drawing.draw(ax, fontsize)


@described_like(plot_tree)
@validate_params(
    {
        "feature_names": SHOWING_CONSTRAINTS["feature_names"],
        "class_names": SHOWING_CONSTRAINTS["class_names"],
        **_DRAWING_CONSTRAINTS,
    },
    prefer_skip_nested_validation=True,
)
def plot_decision_path(
    tree: Tree | TreeEstimator,
    sample: ArrayLike | Sequence[object],
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    precision: int | None = None,
    ax: Axes | None = None,
    fontsize: float | None = None,
) -> list[Annotation]:
    """Draw how a tree decides about one sample, for readers who know the case and not the method.

    The questions about the sample stand from top to bottom, each with the sample's value and the answer. Bars on their
    right show how many training samples gave the same answers so far, and how their classes are mixed. The predicted
    class stands at the bottom. In a tree of numbers, each bar is a scale from the lowest to the highest number of the
    tree, with a mark at what a node would predict, and how far its training samples are from that.

    Parameters
    ----------
    sample : array-like of shape (n_features,) or (1, n_features)
        The sample, as the tree takes it: a row of an array, or of a data frame.
    precision : int, optional
        Decimal places of values and thresholds; by default they have at least four significant digits. Both have more
        if it takes more to tell them apart.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; the current axes by default.
    fontsize : float, optional
        In points. By default 10, or less if the questions have no room.

    Returns
    -------
    list of matplotlib.text.Annotation
        One for every node on the path: the questions, and the prediction.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        As in :func:`pytrees.export_text`; also if there is not one sample, or the tree does not take it.

    See Also
    --------
    plot_tree : The whole tree.
    plot_distinct_trees : The different trees of a forest.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from pytrees import DecisionTreeClassifier, plot_decision_path
    >>> tree = DecisionTreeClassifier().fit([[36.8], [39.5]], ["well", "ill"])
    >>> texts = plot_decision_path(tree, [37.0], feature_names=["temperature"])
    >>> [text.get_text() for text in texts]
    ['temperature is 37: at most 38.15', 'predicted: well']
    """
    ax = axes_of("plot_decision_path", ax)
    path = _Path(tree, sample, feature_names, class_names, precision)
    boxes = path.draw(ax, 10.0 if fontsize is None else fontsize)
    if fontsize is None:
        _shrink(ax, 10.0 * _QUESTIONS / _sizes(boxes)[0].max())
    return boxes


@described_like(plot_tree)
@validate_params(
    {
        "max_trees": [Interval(Integral, 1, None, closed="left")],
        "max_depth": SHOWING_CONSTRAINTS["max_depth"],
        "feature_names": SHOWING_CONSTRAINTS["feature_names"],
        "class_names": SHOWING_CONSTRAINTS["class_names"],
        **_DRAWING_CONSTRAINTS,
    },
    prefer_skip_nested_validation=True,
)
def plot_distinct_trees(
    forest: ForestEstimator,
    *,
    max_trees: int = 4,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = None,
    precision: int | None = None,
    figure: Figure | None = None,
    fontsize: float | None = None,
) -> list[Axes]:
    """Draw the most frequent of a forest's different trees side by side, for an expert to choose from.

    Parameters
    ----------
    forest : fitted forest
        One that has `distinct_trees`.
    max_trees : int, default=4
        The most trees to draw.
    max_depth : int or None, default=None
        Only nodes down to this depth are drawn, the root's being 0; ``(...)`` stands for their children. None: all.
    figure : matplotlib.figure.Figure, optional
        The figure to draw on; the current figure by default.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for every tree that is drawn. Its title says how many of the forest's trees decide like it, and how many
        different features it tests for a sample on average. Equal colours of numbers are equal numbers in all trees.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If `forest` is no forest, or a parameter is not as above.

    See Also
    --------
    plot_tree : One tree.
    PermutationDecisionForestClassifier.distinct_trees : The trees, with counts and costs.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from pytrees import PermutationDecisionForestClassifier, plot_distinct_trees
    >>> forest = PermutationDecisionForestClassifier(10, random_state=0).fit([[1, 1], [2, 2]], ["a", "b"])
    >>> [axes.get_title() for axes in plot_distinct_trees(forest)]
    ['10 of 10 trees\\n1 test for a sample']
    """
    plt = pyplot("plot_distinct_trees")
    if not hasattr(forest, "distinct_trees"):
        raise TypeError(f"A forest with distinct_trees is expected, got {type(forest).__name__}.")
    if figure is not None and not hasattr(figure, "add_subplot"):
        raise TypeError(f"figure must be a figure of matplotlib, got {figure!r}.")
    distinct = forest.distinct_trees()[: int(max_trees)]
    figure = plt.gcf() if figure is None else figure
    n_columns = int(np.ceil(np.sqrt(len(distinct))))
    n_rows = -(-len(distinct) // n_columns)
    drawn = []
    scale = np.concatenate([one.tree.value.ravel() for one in distinct])
    for place, one in enumerate(distinct, start=1):
        ax = figure.add_subplot(n_rows, n_columns, place)
        drawing = _Drawing(forest[one.members[0]], feature_names, class_names, max_depth, precision)
        drawing.scale = scale
        drawing.draw(ax, fontsize)
        tests = f"{one.tests_per_row:.3g} test{'' if one.tests_per_row == 1.0 else 's'} for a sample"
        ax.set_title(f"{one.count} of {len(forest)} trees\n{tests}", fontsize=fontsize)
        drawn.append(ax)
    return drawn


def _sizes(boxes: list[Annotation]) -> tuple[FloatArray, FloatArray]:
    """Return the widths and heights of boxes with text, in units of their axes."""
    ax: Any = boxes[0].axes
    extents = [box.get_window_extent() for box in boxes]
    pads = np.array([0.8 * float(box.get_fontsize()) * ax.figure.dpi / 72.0 for box in boxes])
    whole, sizes = ax.get_window_extent(), []
    for side, limits in (("width", ax.get_xlim()), ("height", ax.get_ylim())):
        pixels = np.array([getattr(extent, side) for extent in extents]) + pads
        sizes.append(pixels * (limits[1] - limits[0]) / getattr(whole, side))
    return sizes[0], sizes[1]


def _gaps_by_widths(levels: IntArray, x: FloatArray, widths: FloatArray) -> FloatArray:
    """Return for neighbours of the same level the distance of their middles by the distance that they need."""
    order = np.lexsort([x, levels])
    is_neighbour = np.diff(levels[order]) == 0
    needed = 0.5 * (widths[order][1:] + widths[order][:-1])
    return np.diff(x[order])[is_neighbour] / needed[is_neighbour]


def _sides_of_figure(ax: Any) -> FloatArray:
    """Return the left and the right end of the figure in the units of its axes."""
    whole = ax.figure.bbox
    ends: FloatArray = ax.transData.inverted().transform([[whole.x0, 0.0], [whole.x1, 0.0]])[:, 0]
    return ends


def _gaps_at_sides(sides: FloatArray, x: FloatArray, widths: FloatArray) -> FloatArray:
    """Return the distance of every middle from the nearer side by the distance that it needs."""
    return np.minimum(x - sides[0], sides[1] - x) / (0.5 * widths)


def _shrink(ax: Axes, fontsize: float) -> None:
    """Shrink the letters in the axes to a size, but not below the smallest that can be read."""
    for text in ax.texts:
        text.set_fontsize(min(text.get_fontsize(), max(fontsize, _SMALLEST_LETTERS)))


class _Path(ShownTree):
    """The nodes that a sample visits, and their texts."""

    def __init__(
        self,
        given: Any,
        sample: Any,
        feature_names: LabelsLike | None,
        class_names: LabelsLike | None,
        precision: int | None,
    ) -> None:
        super().__init__(given, feature_names, class_names)
        self.digits = Digits(precision if precision is None else int(precision))
        self.threshold_of = ThresholdTexts(self.tree, self.digits)
        if not self.tree.is_regressor:
            self.labels = predicted_labels(given, self.tree)
        rows = _as_rows(sample)
        rows = given.encode(rows) if hasattr(given, "encode") else rows
        try:
            self.row = np.asarray(rows, dtype=np.float64)
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"sample must hold numbers: {error}.") from error
        if self.row.shape != (1, self.tree.n_features):
            raise ValueError(f"One sample of {self.tree.n_features} features is expected, got {self.row.shape}.")
        self.row = self.row[0]
        self.nodes = self.tree.decision_path([self.row]).indices.tolist()

    def questions(self) -> list[str]:
        """Return a sentence for every node of the path but the last."""
        return [self.question(node, child) for node, child in zip(self.nodes, self.nodes[1:], strict=False)]

    def question(self, node: int, child: int) -> str:
        tree, feature = self.tree, self.tree.feature[node]
        name, value, threshold = self.feature_names[feature], float(self.row[feature]), float(tree.threshold[node])
        if tree.children_left[node] == MULTIWAY:
            known, among = self.name_of(feature, int(value)), tree.categories_of(child)
            said = f"{name} is {'missing' if known is None else known}"
            if len(among) > 1:
                said += f": one of {label_of_categories(tree, feature, child, self.name_of, MOST_CATEGORIES)}"
            return said
        if np.isnan(value):
            return f"{name} is missing"
        if threshold == np.inf:
            return f"{name} is not missing"
        levels = self.name_of.level(feature, value), self.name_of.level(feature, threshold)
        if None not in levels:
            value, threshold = levels
        else:
            value, threshold = told_apart(value, threshold, self.threshold_of(node), self.digits)
        return f"{name} is {value}: {'at most' if child == tree.children_left[node] else 'above'} {threshold}"

    def draw(self, ax: Axes, fontsize: float) -> list[Annotation]:
        tree, nodes = self.tree, self.nodes
        ax.set_axis_off()
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(-len(nodes) - 0.2, 0.9)
        style: dict[str, Any] = {"va": "center", "fontsize": fontsize, **LITERALLY}
        (self.draw_ends_of_scale if tree.is_regressor else self.draw_legend)(ax, fontsize)
        ax.text(0.0, 0.0, f"all {samples_said(tree, 0)}" if has_samples(tree) else "", color="0.3", **style)
        drawn = []
        for step, sentence in enumerate([*self.questions(), f"predicted: {self.predicted()}"]):
            is_last = step == len(nodes) - 1
            face = colours_of(self, nodes[-1:])[0] if is_last else "0.96"
            box = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": "0.4", "linewidth": 0.8}
            weight = "bold" if is_last else "normal"
            drawn.append(ax.annotate(one_line(sentence), (0.02, -step - 1.0), bbox=box, weight=weight, **style))
        for step, node in enumerate(nodes):
            (self.draw_scale if tree.is_regressor else self.draw_bar)(ax, -float(step), node)
            number = samples_said(tree, node)
            ax.text(_QUESTIONS + _BARS + 0.01, -step, number, color="0.3", **style | {"fontsize": 0.8 * fontsize})
        style["fontsize"] *= 0.8
        ax.text(_QUESTIONS, -len(nodes), one_line(self.how_sure()), color="0.3", **style)
        return drawn

    def predicted(self) -> str:
        """Return the class or number at the end of the path."""
        last = self.nodes[-1]
        if self.tree.is_regressor:
            return self.digits.number(self.tree.value[last, 0])
        return str(self.class_names[self.labels[last]])

    def how_sure(self) -> str:
        """Describe how many training samples at the end of the path have the predicted class, or their error."""
        last = self.nodes[-1]
        if not self.tree.is_regressor:
            share = self.tree.shares_at([last])[0][self.labels[last]]
            return f"{100.0 * share:.3g} % of these are {self.predicted()}"
        error = self.error_at(last)
        return "" if error is None else f"these differ from it by about {self.digits.number(error)}"

    def error_at(self, node: int) -> float | None:
        """Return how far the targets of a node's training samples are from its number; None if that is not known."""
        errors = self.tree.impurity if hasattr(self.tree, "impurity") else None
        name = self.tree.criterion_name
        if errors is None or name not in ERRORS:
            return None
        return float(np.sqrt(errors[node]) if name == "squared_error" else errors[node])

    def draw_legend(self, ax: Axes, fontsize: float) -> None:
        """Write the names of the classes that occur, in their colours, above the bars."""
        present = np.flatnonzero(self.tree.value[0])
        colours = class_colours(present)
        handles = [ax.barh(0.0, 0.0, color=colour) for colour in colours]
        names = [one_line(self.class_names[label]) for label in present]
        columns = min(len(names), 4)
        where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (_QUESTIONS, 0.97), "ncols": columns}
        # A label that starts with "_" would be left out, so that names are written after the legend is made.
        labels = [str(label) for label in present]
        legend = ax.legend(handles, labels, fontsize=0.8 * fontsize, frameon=False, borderaxespad=0.0, **where)
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set(text=name, **LITERALLY)

    def draw_ends_of_scale(self, ax: Axes, fontsize: float) -> None:
        """Write the lowest and the highest number of the tree above the ends of the bars."""
        style: dict[str, Any] = {"va": "bottom", "fontsize": 0.8 * fontsize, "color": "0.3", **LITERALLY}
        for end, place, side in ((self.scale.min(), 0.0, "left"), (self.scale.max(), 1.0, "right")):
            ax.text(_QUESTIONS + place * _BARS, 0.4, self.digits.number(end), ha=side, **style)

    def draw_scale(self, ax: Axes, y: float, node: int) -> None:
        """Draw the number of a node as a mark on a scale, with a bar over the usual distance of its samples."""
        number, error = float(self.tree.value[node, 0]), self.error_at(node)
        ax.barh(y, _BARS, left=_QUESTIONS, height=0.4, color="0.92", linewidth=0.0)
        ends = number + np.array([-1.0, 0.0, 1.0]) * (0.0 if error is None else error)
        low, place, high = np.clip(places_on_scale(ends, self.scale), 0.0, 1.0) * _BARS + _QUESTIONS
        colour = class_colours(0)
        ax.barh(y, high - low, left=low, height=0.4, color=0.5 + 0.5 * colour, linewidth=0.0)
        ax.plot([place, place], [y - 0.2, y + 0.2], color=0.6 * colour, linewidth=2.0, solid_capstyle="butt")

    def draw_bar(self, ax: Axes, y: float, node: int) -> None:
        """Draw the classes of a node's training samples as parts of a bar."""
        shares, left = self.tree.shares_at([node])[0], _QUESTIONS
        for label in np.flatnonzero(shares):
            ax.barh(y, _BARS * shares[label], left=left, height=0.4, color=class_colours(label), linewidth=0.0)
            left += _BARS * shares[label]


def _as_rows(sample: Any) -> Any:
    """Return a table whose only row is the given sample."""
    if hasattr(sample, "to_frame"):  # a row of a data frame of pandas
        return sample.to_frame().T.infer_objects()
    return sample if np.ndim(sample) == 2 or hasattr(sample, "columns") else [sample]


class _Drawing(ShownTree):
    """The nodes that are drawn, and their positions."""

    fits: bool
    impurity: FloatArray | None = None
    looks_whether_it_fits = False
    smallest_letters = _SMALLEST_LETTERS
    shows_numbers = False
    shows_shares = False
    shows_weights = False

    def __init__(
        self,
        given: Any,
        feature_names: LabelsLike | None,
        class_names: LabelsLike | None,
        max_depth: int | None,
        precision: int | None,
    ) -> None:
        super().__init__(given, feature_names, class_names)
        self.digits = Digits(precision if precision is None else int(precision))
        self.threshold_of = ThresholdTexts(self.tree, self.digits)
        self.parents = np.full(self.tree.node_count, LEAF)
        self.parents[self.tree.children] = np.repeat(np.arange(self.tree.node_count), np.diff(self.tree.child_offsets))
        self.show_down_to(max_depth)
        weights = self.tree.weighted_n_node_samples
        self.has_weights = self.tree.is_regressor and not np.array_equal(weights, self.tree.n_node_samples)

    def show_down_to(self, max_depth: int | None) -> None:
        super().show_down_to(max_depth)
        self.x, self.depth = _node_positions(self.tree, max_depth)
        self.width = len(self.shown) - len(self.with_children)

    def axes_of_new_figure(self, plt: Any, fontsize: float | None) -> Axes:
        """Make a figure with room for the tree, and return its axes."""
        figure = plt.figure()
        ax: Axes = figure.add_axes((0.01, 0.01, 0.98, 0.93))  # a title fits above
        self.smallest_letters = _SMALLEST_IN_NEW_FIGURE
        size = 10.0 if fontsize is None else float(fontsize)
        least, most = figure.get_size_inches(), np.maximum(figure.get_size_inches(), _LARGEST_FIGURE)
        if len(self.shown) > _MOST_MEASURED:
            figure.set_size_inches(most)
            return ax
        boxes, labels = self.draw_nodes(ax, size), self.draw_edges(ax, size)
        for _ in range(2):  # where edges have their labels depends on the height
            x, y = self.spaces(boxes, labels)
            wanted = figure.get_size_inches() / [0.95 * x, 0.6 * y]
            figure.set_size_inches(np.clip(wanted, least, most))
        ax.clear()
        return ax

    def draw_what_fits(self, ax: Axes, fontsize: float | None) -> list[Annotation]:
        """Draw as many levels as the axes have room for, and the root in any case."""
        self.looks_whether_it_fits = True
        extent: Any = ax.get_window_extent()
        most = np.array([extent.width, extent.height]) * 72.0 / (ax.figure.dpi * _SMALLEST_BOX)
        on_level = np.bincount(self.depth)
        n_levels = min(int(np.argmax([*(on_level > most[0]), True])), int(most[1]))
        while True:
            # "(...)" stands on the level below the last one.
            self.show_down_to(max(0, n_levels - (2 if n_levels < on_level.size else 1)))
            if n_levels > 2 and self.least_width(fontsize) > extent.width * 72.0 / ax.figure.dpi:
                n_levels -= 1
                continue
            before = {*ax.texts, *ax.lines}
            boxes = self.draw(ax, fontsize)
            if self.fits or n_levels <= 2:
                return boxes
            for drawn in {*ax.texts, *ax.lines} - before:
                drawn.remove()
            n_levels -= 1

    def least_width(self, fontsize: float | None) -> float:
        """Return, in points, less than what the widest level takes; drawing many nodes would take long."""
        letters = self.smallest_letters if fontsize is None else float(fontsize)
        longest = [0 if self.is_left_out[node] else max(map(len, self.label(node).split("\n"))) for node in self.shown]
        return float(np.bincount(self.depth[self.shown], longest).max()) * _NARROWEST * letters

    def draw(self, ax: Axes, fontsize: float | None) -> list[Annotation]:
        """Draw all nodes, with letters that are small enough if no size is given."""
        size = 10.0 if fontsize is None else fontsize
        boxes, labels = self.draw_nodes(ax, size), self.draw_edges(ax, size)
        if fontsize is None:
            for _ in range(2):  # letters do not shrink quite evenly
                size *= self.room(boxes, labels)
                _shrink(ax, size)
            self.fits = size >= self.smallest_letters
        elif self.looks_whether_it_fits:
            self.fits = self.room(boxes, labels) == 1.0
        self.place_labels(boxes, labels)
        return boxes

    def draw_edges(self, ax: Axes, fontsize: float) -> dict[int, Annotation]:
        """Draw the edges, and return the labels of those that have one, by the child; their places are not final."""
        tree, x, depth = self.tree, self.x, self.depth
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": fontsize, "color": "0.3", **LITERALLY}
        background = ax.figure.get_facecolor()
        style["bbox"] = {"boxstyle": "round,pad=0.1", "facecolor": background, "linewidth": 0.0}
        labels = {}
        for node in self.with_children:
            for child in tree.children_of(node):
                ax.plot([x[node], x[child]], [-depth[node], -depth[child]], color="0.6", linewidth=0.8, zorder=0)
            for child, answer in _answers(tree, node, self.name_of):
                label = ax.annotate(one_line(answer), (x[child], -depth[child]), zorder=1, **style)
                labels[int(child)] = label
        return labels

    def draw_nodes(self, ax: Axes, fontsize: float) -> list[Annotation]:
        ax.set_axis_off()
        ax.set_xlim(-0.7, self.width - 0.3)
        ax.set_ylim(-self.depth[self.shown].max() - 0.5, 0.5)
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": fontsize, **LITERALLY}
        faces = colours_of(self, self.shown)
        return [
            ax.annotate(
                "(...)" if self.is_left_out[node] else self.label(node),
                (self.x[node], -self.depth[node]),
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": "0.8" if self.is_left_out[node] else face,
                    "edgecolor": "0.4",
                    "linewidth": 0.8,
                },
                **style,
            )
            for node, face in zip(self.shown, faces, strict=True)
        ]

    def room(self, boxes: list[Annotation], labels: dict[int, Annotation]) -> float:
        """Return the factor, at most 1, by which letters must shrink for boxes and labels of edges not to overlap, and
        not to be cut at the sides of the figure."""
        room = min(self.spaces(boxes, labels))
        return 1.0 if room >= 1.05 else 0.95 * room

    def spaces(self, boxes: list[Annotation], labels: dict[int, Annotation]) -> tuple[float, float]:
        """Return the space from left to right, and from top to bottom, by the space that boxes and labels need; at most
        2."""
        widths, heights = _sizes(boxes)
        highest = self.highest(heights)
        between = 0.5 * (highest[:-1] + highest[1:])  # the height that is taken between the middles of two levels
        sides = _sides_of_figure(boxes[0].axes)
        x = self.x[self.shown]
        factors = [_gaps_by_widths(self.depth[self.shown], x, widths), _gaps_at_sides(sides, x, widths)]
        if labels:
            children = list(labels)
            widths, heights = _sizes(list(labels.values()))
            x = self.places_of(children, highest, heights)
            factors += [_gaps_by_widths(self.depth[children], x, widths), _gaps_at_sides(sides, x, widths)]
            between[np.unique(self.depth[children]) - 1] += heights.max()
        return float(np.concatenate(factors).min(initial=2.0)), float((1.0 / between).min(initial=2.0))

    def highest(self, heights: FloatArray) -> FloatArray:
        """Return the height of the highest box of every level."""
        highest = np.zeros(self.depth[self.shown].max() + 1)
        np.maximum.at(highest, self.depth[self.shown], heights)
        return highest

    def places_of(self, children: list[int], highest: FloatArray, of_labels: FloatArray) -> FloatArray:
        """Return where edges cross the line above the boxes of a level on which labels of some heights stand."""
        parents = self.parents[children]
        share = np.maximum(0.5, 1.0 - 0.5 * highest[self.depth[children]] - 0.6 * of_labels.max())
        return self.x[parents] + share * (self.x[children] - self.x[parents])

    def place_labels(self, boxes: list[Annotation], labels: dict[int, Annotation]) -> None:
        """Move the labels of edges to just above the boxes of their level."""
        if not labels:
            return
        highest, (_, of_labels) = self.highest(_sizes(boxes)[1]), _sizes(list(labels.values()))
        above = 0.5 * highest + 0.6 * of_labels.max()
        for (child, label), x in zip(labels.items(), self.places_of(list(labels), highest, of_labels), strict=True):
            label.xy = label.xyann = (float(x), float(min(0.5, above[self.depth[child]]) - self.depth[child]))

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


def _answers(tree: Tree, node: int, name_of: CategoryNames) -> Iterable[tuple[int, object]]:
    """Return the children of a node with the labels of their edges: categories, or yes and no below the root."""
    children = tree.children_of(node)
    if tree.children_left[node] == MULTIWAY:
        feature = tree.feature[node]
        return [(child, label_of_categories(tree, feature, child, name_of, MOST_CATEGORIES)) for child in children]
    return zip(children, ("yes", "no"), strict=True) if node == 0 else ()


def _node_positions(tree: Tree, max_depth: int | None = None) -> tuple[FloatArray, IntArray]:
    """Return for every node its position from left to right, and its depth.

    Shown nodes without children stand at 0, 1, 2, ...; all others stand half-way between their first and last child.
    """
    nodes, with_children = shown_nodes(tree, max_depth)
    x = np.zeros(tree.node_count)
    ends = np.setdiff1d(nodes, with_children)
    x[ends] = np.arange(ends.size)
    first = tree.children[tree.child_offsets[with_children]]
    last = tree.children[tree.child_offsets[with_children + 1] - 1]
    for i in reversed(range(len(with_children))):  # parents stand before their children
        x[with_children[i]] = 0.5 * (x[first[i]] + x[last[i]])
    return x, node_depths(tree)
