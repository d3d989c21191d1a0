"""Trees as pictures; needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._axes import LITERALLY, axes_of, inks_on, pyplot, room_of
from ._colours import class_colours, colours_of, ink_on, places_on_scale
from ._digits import Digits, ThresholdTexts, told_apart
from ._docstrings import described_like
from ._given_judges import ERRORS
from ._given_tree import (
    MOST_CATEGORIES,
    SHOWING_CONSTRAINTS,
    ForestEstimator,
    ShownTree,
    TreeEstimator,
    has_samples,
    label_of_categories,
    predicted_labels,
    samples_said,
)
from ._names import one_line
from ._sklearn import Interval, StrOptions, validate_params
from ._tree_checks import MULTIWAY
from ._tree_layout import LARGEST_FIGURE, MOST_MEASURED, PAD, SMALLEST_LETTERS, Drawing, Layout, TextSizes, enlarge
from ._typing import FloatArray, LabelsLike
from .export import export_text
from .tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

__all__ = ["plot_decision_path", "plot_distinct_trees", "plot_tree"]

# FreeType draws no letters of more points.
_MOST_POINTS = 1000

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
    drawing = Drawing(tree, feature_names, class_names, None if max_depth == "auto" else max_depth, precision)
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
    drawings = [Drawing(forest[one.members[0]], feature_names, class_names, max_depth, precision) for one in distinct]
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


def _figure_for(plt: Any, drawings: list[Drawing], n_columns: int, n_rows: int, fontsize: float | None) -> Figure:
    """Make a figure with room for trees in rows and columns, with titles of two lines."""
    figure: Figure = plt.figure(layout="constrained")
    size, sizes = 10.0 if fontsize is None else float(fontsize), TextSizes(figure)
    small = [drawing for drawing in drawings if len(drawing.shown) <= MOST_MEASURED]
    needed = [Layout(drawing, sizes, size).needed for drawing in small] or [np.array(LARGEST_FIGURE) * 72.0]
    enlarge(figure, (np.max(needed, axis=0) + 4.0 * size) * [n_columns, n_rows])
    return figure


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
            box = {"boxstyle": f"round,pad={PAD}", "facecolor": face, "edgecolor": "0.4", "linewidth": 0.8}
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
            return (widths + 2.0 * PAD * size) / width

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
            size = max(most, SMALLEST_LETTERS)
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
