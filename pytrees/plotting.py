"""Trees as pictures; needs matplotlib."""

import numpy as np

from .export import category_names, node_labels, tree_and_names
from .tree import LEAF, MULTIWAY

__all__ = ["plot_tree"]


def plot_tree(tree, *, feature_names=None, class_names=None, ax=None, fontsize=None):
    """Draw a tree.

    Inner nodes show their test, with the samples that pass it going left, or their categorical feature, whose
    categories stand at the ways to the children; leaves show their class and the number of their training samples. The
    colour is that of the predicted class, the paler the more mixed the node is.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one.
    feature_names, class_names : sequence, optional
        As in :func:`pytrees.export_text`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    fontsize : float, optional
        In points. By default it falls as the tree gets wider.

    Returns
    -------
    list of matplotlib.text.Annotation
        One for every node, in preorder.

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
    colours = plt.get_cmap("tab10")(np.arange(tree.n_classes) % 10)[:, :3]
    fontsize = min(10.0, max(3.0, 60.0 / tree.n_leaves)) if fontsize is None else fontsize
    _draw_edges(tree, category_names(given), ax, fontsize)
    return _draw_nodes(tree, node_labels(given, tree), feature_names, class_names, ax, fontsize, colours)


def _draw_edges(tree, name_of, ax, fontsize):
    ax.set_axis_off()
    x, depth = node_positions(tree)
    ax.set_xlim(-0.7, tree.n_leaves - 0.3)
    ax.set_ylim(-tree.max_depth - 0.5, 0.5)
    for node in np.flatnonzero(tree.children_left != LEAF):
        for child in tree.children_of(node):
            ax.plot([x[node], x[child]], [-depth[node], -depth[child]], color="0.6", linewidth=0.8, zorder=0)
        for child, answer in _answers(tree, node, name_of):
            middle = 0.5 * (x[node] + x[child]), -depth[node] - 0.5
            ax.annotate(str(answer), middle, ha="center", fontsize=fontsize, color="0.3")


def _answers(tree, node, name_of):
    """Return the children of a node with the labels of their edges: categories, or yes and no below the root."""
    children = tree.children_of(node)
    if tree.children_left[node] == MULTIWAY:
        return [(child, name_of(tree.feature[node], tree.category[child])) for child in children]
    return zip(children, ("yes", "no"), strict=True) if node == 0 else ()


def _draw_nodes(tree, labels, feature_names, class_names, ax, fontsize, colours):
    x, depth = node_positions(tree)
    style = {"ha": "center", "va": "center", "fontsize": fontsize}
    return [
        ax.annotate(
            _label(tree, node, labels[node], feature_names, class_names),
            (x[node], -depth[node]),
            bbox={"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": "0.4", "linewidth": 0.8},
            **style,
        )
        for node, face in enumerate(_faces(tree, colours[labels]))
    ]


def _label(tree, node, label, feature_names, class_names):
    if tree.children_left[node] == MULTIWAY:
        return feature_names[tree.feature[node]]
    if tree.children_left[node] != LEAF:
        return f"{feature_names[tree.feature[node]]} ≤ {tree.threshold[node]:.4g}"
    n_samples = tree.n_node_samples[node]
    return f"class {class_names[label]}\n{n_samples} sample{'' if n_samples == 1 else 's'}"


def _faces(tree, colours):
    """Return the colour of every node: that of its class, mixed with white as far as the node is mixed."""
    share = tree.value.max(axis=1) / tree.value.sum(axis=1)
    return 1.0 - 0.6 * share[:, None] * (1.0 - colours)


def node_positions(tree):
    """Return for every node its place from left to right, in leaves, and its depth.

    Inner nodes stand half-way between their first and last child.
    """
    depth = np.zeros(tree.node_count, dtype=np.int64)
    x = np.zeros(tree.node_count)
    is_leaf = tree.children_left == LEAF
    for node in np.flatnonzero(~is_leaf):  # parents stand before their children
        depth[tree.children_of(node)] = depth[node] + 1
    x[is_leaf] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(~is_leaf)[::-1]:
        x[node] = 0.5 * (x[tree.children_of(node)[0]] + x[tree.children_of(node)[-1]])
    return x, depth
