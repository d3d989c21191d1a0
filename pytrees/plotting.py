"""Trees as pictures; needs matplotlib."""

from numbers import Real

import numpy as np

from ._sklearn import Interval, validate_params
from .export import SHOWING_CONSTRAINTS, category_names, node_labels, shown_nodes, side_of_missing, tree_and_names
from .tree import LEAF, MULTIWAY, node_depths

__all__ = ["plot_tree"]


@validate_params(
    {**SHOWING_CONSTRAINTS, "fontsize": [Interval(Real, 0, None, closed="neither"), None]},
    prefer_skip_nested_validation=True,
)
def plot_tree(tree, *, feature_names=None, class_names=None, max_depth=None, ax=None, fontsize=None):
    """Draw a tree.

    Inner nodes show their test, with the samples that pass it going left, or their categorical feature, whose
    categories stand at the ways to the children; leaves show their class and the number of their training samples. The
    colour is that of the predicted class, the paler the more mixed the node is. Where training samples of a node lacked
    the value, the node shows on which side samples without it go.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one.
    feature_names, class_names : sequence, optional
        As in :func:`pytrees.export_text`.
    max_depth : int or None, default=None
        Only nodes down to this depth are drawn, the root's being 0; ``(...)`` stands for their children, where they
        have some. None: all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    fontsize : float, optional
        In points. By default it falls as the tree gets wider.

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
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot_tree needs matplotlib: pip install 'pytrees[plot]'.") from error
    given = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    ax = plt.gca() if ax is None else ax
    drawing = _Drawing(given, tree, feature_names, class_names, max_depth)
    fontsize = min(10.0, max(3.0, 60.0 / drawing.width)) if fontsize is None else fontsize
    drawing.draw_edges(ax, fontsize)
    return drawing.draw_nodes(ax, fontsize, plt.get_cmap("tab10")(np.arange(tree.n_classes) % 10)[:, :3])


class _Drawing:
    """The nodes that are drawn, and where they stand."""

    def __init__(self, given, tree, feature_names, class_names, max_depth):
        self.tree, self.feature_names, self.class_names = tree, feature_names, class_names
        self.labels, self.name_of = node_labels(given, tree), category_names(given)
        self.nodes, self.with_children = shown_nodes(tree, max_depth)
        self.x, self.depth = node_positions(tree, max_depth)
        self.width = len(self.nodes) - len(self.with_children)
        self.is_left_out = np.zeros(tree.node_count, dtype=bool)
        if max_depth is not None:
            self.is_left_out[self.nodes] = self.depth[self.nodes] > max_depth

    def draw_edges(self, ax, fontsize):
        tree, x, depth = self.tree, self.x, self.depth
        ax.set_axis_off()
        ax.set_xlim(-0.7, self.width - 0.3)
        ax.set_ylim(-depth[self.nodes].max() - 0.5, 0.5)
        for node in self.with_children:
            for child in tree.children_of(node):
                ax.plot([x[node], x[child]], [-depth[node], -depth[child]], color="0.6", linewidth=0.8, zorder=0)
            for child, answer in _answers(tree, node, self.name_of):
                middle = 0.5 * (x[node] + x[child]), -depth[node] - 0.5
                ax.annotate(str(answer), middle, ha="center", fontsize=fontsize, color="0.3")

    def draw_nodes(self, ax, fontsize, colours):
        style = {"ha": "center", "va": "center", "fontsize": fontsize}
        faces = _faces(self.tree.value[self.nodes], colours[self.labels[self.nodes]])
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
            for node, face in zip(self.nodes, faces, strict=True)
        ]

    def label(self, node):
        tree, feature = self.tree, self.tree.feature[node]
        if tree.children_left[node] == MULTIWAY:
            return self.feature_names[feature]
        if tree.children_left[node] != LEAF:
            missing = side_of_missing(tree, node)
            if tree.threshold[node] == np.inf:
                return f"{self.feature_names[feature]} not missing"
            test = f"{self.feature_names[feature]} ≤ {tree.threshold[node]:.4g}"
            return test if missing is None else f"{test}\nmissing: {missing}"
        n_samples = tree.n_node_samples[node]
        return f"class {self.class_names[self.labels[node]]}\n{n_samples} sample{'' if n_samples == 1 else 's'}"


def _answers(tree, node, name_of):
    """Return the children of a node with the labels of their edges: categories, or yes and no below the root."""
    children = tree.children_of(node)
    if tree.children_left[node] == MULTIWAY:
        names = [name_of(tree.feature[node], tree.category[child]) for child in children]
        return [(child, "missing" if name is None else name) for child, name in zip(children, names, strict=True)]
    return zip(children, ("yes", "no"), strict=True) if node == 0 else ()


def _faces(value, colours):
    """Return the colour of every node: that of its class, mixed with white as far as the node is mixed."""
    share = value.max(axis=1) / value.sum(axis=1)
    return 1.0 - 0.6 * share[:, None] * (1.0 - colours)


def node_positions(tree, max_depth=None):
    """Return for every node its place from left to right, and its depth.

    Of the nodes that are shown those without children are one place apart; others stand half-way between their first
    and last child.
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
