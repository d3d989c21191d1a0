"""Trees as pictures; needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._axes import LITERALLY, axes_of, background_of, inks_on, pyplot, room_of
from ._colours import class_colours, colours_of, ink_on, places_on_scale
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
    side_of_missing,
)
from ._sklearn import Interval, StrOptions, validate_params
from ._tree_arrays import node_depths
from ._tree_checks import LEAF, MULTIWAY
from ._tree_layout import TextSizes, close_positions
from ._typing import FloatArray, LabelsLike
from .export import export_text
from .tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

__all__ = ["plot_decision_path", "plot_distinct_trees", "plot_tree"]

_SMALLEST_LETTERS = 3.0
# Trees of so many leaves are always drawn to the last level.
_NEVER_CUT = 16
# The space around the text in a box, between boxes, and between levels, by the size of the letters.
_PAD, _BETWEEN_BOXES, _BETWEEN_LEVELS = 0.35, 0.6, 0.8
# FreeType draws no letters of more points.
_MOST_POINTS = 1000

# A figure that is made for a tree is not larger, in inches, and not measured for more nodes; it shows as many levels as
# have room with letters of this size.
_LARGEST_FIGURE = (24.0, 16.0)
_MOST_MEASURED = 500
_SMALLEST_IN_NEW_FIGURE = 6.0

# A new figure has more space between levels than is needed.
_AIRY = 1.5

# The share of the axes' width that the questions of a decision path take, and the least of the bars on their right.
_QUESTIONS, _LEAST_BARS = 0.58, 0.15
# Questions are broken into lines rather than written with smaller letters. The height of a line is in units of their
# size; the others in lines: of a bar, and of the space around a question.
_SMALLEST_ON_PATH = 6.0
_SMALLER = 0.8
_LINE, _BAR, _AROUND_QUESTION = 1.3, 0.9, 1.1


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
        they are as many levels as the axes have room for, and all levels of a tree of at most 16 leaves; a line at the
        bottom says where a tree is cut. None: all.
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
        but at least 3. With ``max_depth="auto"``, trees of at most 16 leaves have smaller letters than this if they
        have no room otherwise; in other cases a size that is given is kept.

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
        In points. By default 10, or less, but at least 3, if the questions have no room. Long questions are broken into
        lines.

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
    return path.draw(ax, fontsize)


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
        The figure to draw on. By default the current one; if no figure is open, a new one that is large enough for the
        trees, up to 24 by 16 inches.

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
    drawings = [_Drawing(forest[one.members[0]], feature_names, class_names, max_depth, precision) for one in distinct]
    n_columns = int(np.ceil(np.sqrt(len(distinct))))
    n_rows = -(-len(distinct) // n_columns)
    if figure is None:
        figure = plt.gcf() if plt.get_fignums() else _figure_for(plt, drawings, n_columns, n_rows, fontsize)
    # Trees have no labels at their axes, for which figures leave room.
    margins = (
        {"left": 0.02, "right": 0.98, "bottom": 0.02, "wspace": 0.06} if figure.get_layout_engine() is None else {}
    )
    grid = figure.add_gridspec(n_rows, n_columns, **margins)
    drawn = []
    for place, one in enumerate(distinct, start=1):
        tests = f"{one.tests_per_row:.3g} test{'' if one.tests_per_row == 1.0 else 's'} for a sample"
        drawn.append(figure.add_subplot(grid[place - 1]))
        drawn[-1].set_title(f"{one.count} of {len(forest)} trees\n{tests}", fontsize=fontsize)
        drawn[-1].set_axis_off()
    scale = np.concatenate([one.tree.value.ravel() for one in distinct])
    largest = 0.0
    for drawing, ax in zip(drawings, drawn, strict=True):
        drawing.scale = scale
        largest = max(largest, float(drawing.draw(ax, fontsize)[0].get_fontsize()))
    for ax in drawn:  # titles go with the letters below them
        ax.title.set_fontsize(min(float(ax.title.get_fontsize()), 1.2 * largest))
    return drawn


def _figure_for(plt: Any, drawings: list[_Drawing], n_columns: int, n_rows: int, fontsize: float | None) -> Figure:
    """Make a figure with room for trees in rows and columns, with titles of two lines."""
    figure: Figure = plt.figure(layout="constrained")
    size, sizes = 10.0 if fontsize is None else float(fontsize), TextSizes(figure)
    small = [drawing for drawing in drawings if len(drawing.shown) <= _MOST_MEASURED]
    needed = [_Layout(drawing, sizes, size).needed for drawing in small] or [np.array(_LARGEST_FIGURE) * 72.0]
    _enlarge(figure, (np.max(needed, axis=0) + 4.0 * size) * [n_columns, n_rows])
    return figure


def draw_leaves(
    tree: Tree, leaves: dict[int, str], faces: FloatArray, ax: Axes, feature_names: LabelsLike | None
) -> list[Annotation]:
    """Draw all nodes of a tree, with given texts of its leaves, and given colours of all nodes."""
    drawing = _Drawing(tree, feature_names, None, None, None)
    drawing.labels_of_nodes, drawing.given_faces = leaves, faces
    return drawing.draw(ax, None)


def _enlarge(figure: Figure, wanted: FloatArray) -> None:
    """Give a new figure a size in points, with some air from top to bottom, but no less than the usual one."""
    least = figure.get_size_inches()
    most = np.maximum(least, _LARGEST_FIGURE)
    figure.set_size_inches(np.clip(wanted * [1.02, _AIRY] / 72.0, least, most))


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

    def draw(self, ax: Axes, fontsize: float | None) -> list[Annotation]:
        tree, nodes = self.tree, self.nodes
        ax.set_axis_off()
        room = room_of(ax)
        size, texts, sure = self.fitting(ax, room, fontsize)
        muted = inks_on(ax)[1]
        # The unit of y is a line of text. A row has as many as its question, and space around it.
        lines = np.array([1, *(text.count("\n") + 1 for text in texts)]) + _AROUND_QUESTION
        top = lines.sum() * self.head(ax, room, size) / room[1]
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(-lines.sum(), top / (1.0 - min(0.8, top / lines.sum())))
        y = 0.5 * lines - np.cumsum(lines)
        style: dict[str, Any] = {"va": "center", "fontsize": size, **LITERALLY}
        ax.text(0.0, y[0], f"all {samples_said(tree, 0)}" if has_samples(tree) else "", color=muted, **style)
        drawn = []
        for step, text in enumerate(texts):
            is_last = step == len(nodes) - 1
            face = colours_of(self, nodes[-1:])[0] if is_last else np.full(3, 0.96)
            box = {"boxstyle": f"round,pad={_PAD}", "facecolor": face, "edgecolor": "0.4", "linewidth": 0.8}
            more = {"bbox": box, "weight": "bold" if is_last else "normal", "color": ink_on(face), **style}
            drawn.append(ax.annotate(text, (0.02, y[step + 1]), **more))
        style = {"color": muted, **style, "fontsize": _SMALLER * size}
        bars = self.bars(ax, room, size)
        for step, node in enumerate(nodes):
            (self.draw_scale if tree.is_regressor else self.draw_bar)(ax, y[step], node, bars)
            ax.text(_QUESTIONS + bars + 0.01, y[step], samples_said(tree, node), **style)
        if tree.is_regressor:
            style["va"] = "bottom"
            for end, place, side in ((self.scale.min(), 0.0, "left"), (self.scale.max(), bars, "right")):
                ax.text(_QUESTIONS + place, y[0] + 0.6, self.digits.number(end), ha=side, **style)
            style["va"] = "center"
        ax.text(_QUESTIONS, y[-1], sure, **style)
        return drawn

    def fitting(self, ax: Axes, room: FloatArray, fontsize: float | None) -> tuple[float, list[str], str]:
        """Return a size of letters, the questions with the prediction, and how sure it is, with breaks of lines where
        they are too wide otherwise."""
        normal, bold = TextSizes(ax.figure), TextSizes(ax.figure, weight="bold")
        size = 10.0 if fontsize is None else float(fontsize)
        texts = [one_line(text) for text in (*self.questions(), f"predicted: {self.predicted()}")]
        width = (_QUESTIONS - 0.03) * room[0]

        def too_wide(texts: list[str]) -> FloatArray:
            widths = np.append(normal(texts[:-1], size)[:, 0], bold(texts[-1:], size)[:, 0])
            return (widths + 2.0 * _PAD * size) / width

        texts = [
            text.replace(": ", ":\n", 1) if share > 1.0 else text
            for text, share in zip(texts, too_wide(texts), strict=True)
        ]
        if fontsize is None:
            size = max(size / max(1.0, too_wide(texts).max()), _SMALLEST_ON_PATH)
        texts = [_broken(text, share) for text, share in zip(texts, too_wide(texts), strict=True)]
        n_lines = sum(text.count("\n") + 1 + _AROUND_QUESTION for text in ["", *texts])
        most = (room[1] - self.head(ax, room, size)) / (_LINE * n_lines)
        if fontsize is None and most < size:
            size = max(most, _SMALLEST_LETTERS)
        sure = one_line(self.how_sure())
        share = normal([sure], _SMALLER * size)[0, 0] / ((1.0 - _QUESTIONS) * room[0])
        return size, texts, _broken(sure, share)

    def bars(self, ax: Axes, room: FloatArray, size: float) -> float:
        """Return the width of the bars, as a share of the axes: the numbers of samples stand on their right."""
        numbers = TextSizes(ax.figure)([samples_said(self.tree, node) for node in self.nodes], _SMALLER * size)
        return max(0.99 - _QUESTIONS - float(numbers[:, 0].max() / room[0]), _LEAST_BARS)

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

    def head(self, ax: Axes, room: FloatArray, size: float) -> float:
        """Write the names of the classes that occur, in their colours, above all, and return their height in points; or
        the height that the ends of the scale of numbers take."""
        if self.tree.is_regressor:
            return _LINE * size
        present = np.flatnonzero(self.tree.value[0])
        names = [one_line(self.class_names[label]) for label in present]
        letters = _SMALLER * size
        column = (
            TextSizes(ax.figure)(names, letters)[:, 0].max() + 5.0 * letters
        )  # with a patch, and space on both sides
        letters *= min(1.0, room[0] / column)
        handles = [ax.barh(0.0, 0.0, color=colour) for colour in class_colours(present)]
        where: dict[str, Any] = {"loc": "upper right", "borderaxespad": 0.0, "frameon": False}
        where["ncols"] = int(np.clip(room[0] / column, 1, len(names)))
        # A label that starts with "_" would be left out, so that names are written after the legend is made.
        legend = ax.legend(handles, [str(label) for label in present], fontsize=letters, **where)
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set(text=name, color=inks_on(ax)[0], **LITERALLY)
        return float(legend.get_window_extent().height) * 72.0 / ax.figure.dpi

    def draw_scale(self, ax: Axes, y: float, node: int, width: float) -> None:
        """Draw the number of a node as a mark on a scale, with a bar over the usual distance of its samples."""
        number, error = float(self.tree.value[node, 0]), self.error_at(node)
        ax.barh(y, width, left=_QUESTIONS, height=_BAR, color="0.92", linewidth=0.0)
        ends = number + np.array([-1.0, 0.0, 1.0]) * (0.0 if error is None else error)
        low, place, high = np.clip(places_on_scale(ends, self.scale), 0.0, 1.0) * width + _QUESTIONS
        colour = class_colours(0)
        ax.barh(y, high - low, left=low, height=_BAR, color=0.5 + 0.5 * colour, linewidth=0.0)
        ends = [y - 0.5 * _BAR, y + 0.5 * _BAR]
        ax.plot([place, place], ends, color=0.6 * colour, linewidth=2.0, solid_capstyle="butt")

    def draw_bar(self, ax: Axes, y: float, node: int, width: float) -> None:
        """Draw the classes of a node's training samples as parts of a bar."""
        shares, left = self.tree.shares_at([node])[0], _QUESTIONS
        for label in np.flatnonzero(shares):
            part = width * shares[label]
            ax.barh(y, part, left=left, height=_BAR, color=class_colours(label), linewidth=0.0)
            left += part


def _broken(text: str, share: float) -> str:
    """Return a text in lines, so many times narrower than it is if that is at least 1."""
    if share <= 1.0:
        return text
    longest = max(map(len, text.split("\n")))
    most = max(1, int(0.9 * longest / share))
    return "\n".join(line for part in text.split("\n") for line in wrap(part, most) or [""])


def _as_rows(sample: Any) -> Any:
    """Return a table whose only row is the given sample."""
    if hasattr(sample, "to_frame"):  # a row of a data frame of pandas
        return sample.to_frame().T.infer_objects()
    return sample if np.ndim(sample) == 2 or hasattr(sample, "columns") else [sample]


class _Drawing(ShownTree):
    """The nodes that are drawn, their texts and their positions."""

    given_faces: FloatArray | None = None
    impurity: FloatArray | None = None
    shows_numbers = False
    shows_shares = False
    shows_weights = False
    smallest_letters = _SMALLEST_LETTERS

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
        if len(self.shown) > _MOST_MEASURED:
            figure.set_size_inches(np.maximum(figure.get_size_inches(), _LARGEST_FIGURE))
        else:
            needed = _Layout(self, TextSizes(ax.figure), 10.0 if fontsize is None else float(fontsize)).needed
            _enlarge(figure, needed / ax.get_position().size)
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
            if np.any(_Layout(self, sizes, letters, room).needed > room):
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
        self, ax: Axes, fontsize: float | None, *, may_shrink: bool = False, least: float = _SMALLEST_LETTERS
    ) -> list[Annotation]:
        """Draw all nodes, with letters that are small enough if no size is given, or if they may be smaller."""
        ax.set_axis_off()
        room, sizes = room_of(ax), TextSizes(ax.figure)
        layout = _Layout(self, sizes, 10.0 if fontsize is None else float(fontsize), room)
        while (fontsize is None or may_shrink) and layout.fontsize > least:
            share = float((room / layout.needed).min())
            if share >= 1.0:
                break  # letters do not shrink quite evenly, so that the next size is measured again
            layout = _Layout(self, sizes, max(least, 0.99 * share * layout.fontsize), room)
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


class _Layout:
    """The places of all boxes and labels of edges for letters of a size, and the room that they need.

    Levels stand at heights 0, -1, -2, ...; `x` is in points. If axes have more room than is needed, the units of both
    directions stretch, and the boxes do not.

    Attributes
    ----------
    needed : ndarray of shape (2,)
        The least width and height of axes, in points, on which nothing overlaps.
    """

    def __init__(self, drawing: _Drawing, sizes: TextSizes, fontsize: float, room: FloatArray | None = None) -> None:
        self.drawing, self.fontsize = drawing, fontsize
        shown = drawing.shown
        self.texts, self.answers = [drawing.text_of(node) for node in shown.tolist()], drawing.answers()
        boxes = sizes(self.texts, fontsize) + 2.0 * _PAD * fontsize + 1.0  # and a line around them
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
            box = {"boxstyle": f"round,pad={_PAD}", "facecolor": colour, "edgecolor": "0.4", "linewidth": 0.8}
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

    def draw_edges(self, ax: Axes, colour: FloatArray) -> None:
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
