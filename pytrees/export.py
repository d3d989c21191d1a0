"""Trees as text, as dicts, and as scikit-learn estimators."""

import datetime
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._missing import is_missing
from ._sklearn import Interval, validate_params
from .tree import LEAF, MULTIWAY, Tree, node_depths

__all__ = ["export_dict", "export_text", "to_sklearn"]


# Of all functions that show a tree.
SHOWING_CONSTRAINTS = {
    "feature_names": ["array-like", None],
    "class_names": ["array-like", None],
    "max_depth": [Interval(Integral, 0, None, closed="left"), None],
}


class _NumberedNames:
    """The names ``feature_0``, ``feature_1``, ..., made when they are asked for."""

    def __getitem__(self, feature):
        return f"feature_{feature}"


def tree_and_names(tree, feature_names=None, class_names=None):
    """Return the Tree of what is given, and names of its features and classes: given ones, its own, or numbers."""
    estimator = None
    if not isinstance(tree, Tree):
        estimator = tree
        if hasattr(estimator, "fit"):
            check_is_fitted(estimator)
        tree = getattr(estimator, "tree_", None)
        if not isinstance(tree, Tree):
            hint = ": one of its estimators_ is one" if hasattr(estimator, "estimators_") else ""
            raise TypeError(f"A Tree or a fitted tree estimator is expected, got {type(estimator).__name__}{hint}.")
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    if class_names is None:
        class_names = getattr(estimator, "classes_", range(tree.n_classes))
    for what, names, number in (
        ("feature_names", feature_names, tree.n_features),
        ("class_names", class_names, tree.n_classes),
    ):
        if names is not None and len(names) != number:
            raise ValueError(f"{what} has {len(names)} names; the tree has {number}.")
    feature_names = _NumberedNames() if feature_names is None else [str(name) for name in feature_names]
    return tree, feature_names, plain_values(class_names)


def plain_values(names):
    """Return names as a list of Python's values: dates of NumPy as text by ISO 8601, as short as tells them, and its
    durations with their unit."""
    names = np.asarray(names)
    if names.dtype.kind == "M":
        return np.datetime_as_string(names, unit="auto").tolist()
    return [str(name) for name in names] if names.dtype.kind == "m" else names.tolist()


def shown_nodes(tree, max_depth):
    """Find the nodes that are shown down to a depth, and those of them whose children are: one level more.

    Parameters
    ----------
    tree : Tree
    max_depth : int or None

    Returns
    -------
    shown, with_children : ndarray, int64
        Numbers of nodes, ascending.
    """
    if max_depth is None or tree.max_depth <= max_depth:
        return np.arange(tree.node_count), np.flatnonzero(tree.children_left != LEAF)
    depth = node_depths(tree)
    return np.flatnonzero(depth <= max_depth + 1), np.flatnonzero((depth <= max_depth) & (tree.children_left != LEAF))


def _levels_of_branches(tree):
    """Count the levels of the branch that starts at every node, its own included."""
    levels, children, offsets = [1] * tree.node_count, tree.children.tolist(), tree.child_offsets.tolist()
    for node in reversed(range(tree.node_count)):
        below = children[offsets[node] : offsets[node + 1]]
        levels[node] += max((levels[child] for child in below), default=0)
    return levels


def node_labels(given, tree):
    """Return the code of the class that every node predicts, or would predict as a leaf."""
    return getattr(given, "node_labels_", tree.majority)


def _check_predictions(estimator, tree):
    """Raise a ValueError where nodes at which samples end are predicted to be of another class than the majority."""
    decide = getattr(estimator, "_decide", None)
    predicted = node_labels(estimator, tree) if decide is None else decide(tree.value)
    ends = (tree.children_left == LEAF) | (tree.children_left == MULTIWAY)
    n_others = int(np.count_nonzero(predicted[ends] != tree.majority[ends]))
    if n_others:
        why = "node_labels_" if decide is None else f"predict_rule={estimator.predict_rule!r}"
        raise ValueError(
            f"{type(estimator).__name__} predicts another class than the most frequent one at {n_others} nodes "
            f"({why}), which scikit-learn's trees cannot. Its tree_.to_sklearn(classes_) predicts the most frequent "
            "ones."
        )


def category_names(given):
    """Return a function that names a category of a feature: by the estimator's name of it, or by its code; None is the
    category of missing values."""
    is_categorical = getattr(given, "is_categorical_", None)
    if is_categorical is None:
        return lambda feature, code: int(code)
    names = dict(zip(np.flatnonzero(is_categorical).tolist(), given.categories_, strict=True))

    def name_of(feature, code):
        named = names[int(feature)][code : code + 1]
        return None if is_missing(named[0]) else plain_values(named)[0]

    return name_of


@validate_params(
    {**SHOWING_CONSTRAINTS, "digits": [Interval(Integral, 1, 100, closed="both")]},
    prefer_skip_nested_validation=True,
)
def export_text(tree, *, feature_names=None, class_names=None, max_depth=10, digits=4):
    """Export the rules of a tree as text.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one.
    feature_names : sequence of str of length n_features, optional
        By default the names that the estimator was fitted with, or ``feature_0``, ``feature_1``, ...
    class_names : sequence of length n_classes, optional
        By default the estimator's classes, or 0, 1, ...
    max_depth : int or None, default=10
        Only splits down to this depth are exported, the root's being 0; other branches end with
        ``truncated branch of depth`` and the number of their levels. None: all; a line is as long as its node is deep,
        so that the text of a chain of n splits grows with n squared, to 5 GB for n = 20,000.
    digits : int, default=4
        Significant digits of thresholds and gains.

    Returns
    -------
    str
        A line for every branch and leaf; leaves with their class and the class counts. Samples of a category that has
        no branch at a node are predicted to be of the class that most of the node's samples have. Where training
        samples of a node lacked the value, the branch that samples without it take says ``or missing``.

    Raises
    ------
    TypeError
        If `tree` is neither a Tree nor an estimator with one.
    ValueError
        If the number of names is wrong, or a parameter is not as above.

    See Also
    --------
    export_dict : The same as nested dicts, ready for JSON.
    plot_tree : The same as a picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, export_text
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(export_text(DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)))
    petal length (cm) <= 2.45 (gain 0.3333)
    |   class 0 [50, 0, 0]
    petal length (cm) > 2.45
    |   petal width (cm) <= 1.75 (gain 0.3897)
    |   |   class 1 [0, 49, 5]
    |   petal width (cm) > 1.75
    |   |   class 2 [0, 1, 45]
    """
    given = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    labels, name_of, lines, digits = node_labels(given, tree), category_names(given), [], int(digits)
    max_depth = tree.max_depth if max_depth is None else max_depth
    levels = _levels_of_branches(tree) if tree.max_depth > max_depth + 1 else None
    # What is still to be written, the next piece last: a line, or a node and its depth.
    pending = [(0, 0)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        indent = "|   " * depth
        if tree.children_left[node] == LEAF:
            counts = ", ".join(f"{count:.12g}" for count in tree.value[node])
            lines.append(f"{indent}class {class_names[labels[node]]} [{counts}]")
            continue
        if depth > max_depth:
            lines.append(f"{indent}truncated branch of depth {levels[node]}")
            continue
        gain = f" (gain {tree.gain[node]:.{digits}g})"
        children, tests = tree.children_of(node).tolist(), tests_of(tree, node, feature_names, name_of, digits)
        for child, test in reversed(list(zip(children, tests, strict=True))):
            pending.append((child, depth + 1))
            pending.append((f"{indent}{test}{gain if child == children[0] else ''}", depth))
    return "\n".join(lines)


def tests_of(tree, node, feature_names, name_of, digits):
    """Describe what the samples of each child of an inner node have in common."""
    feature = tree.feature[node]
    name = feature_names[feature]
    if tree.children_left[node] == MULTIWAY:
        categories = [name_of(feature, tree.category[child]) for child in tree.children_of(node)]
        return [f"{name} is missing" if category is None else f"{name} = {category}" for category in categories]
    if tree.threshold[node] == np.inf:
        return [f"{name} is not missing", f"{name} is missing"]
    threshold = f"{tree.threshold[node]:.{digits}g}"
    ways = side_of_missing(tree, node)
    return [
        f"{name} {test} {threshold}{' or missing' if way == ways else ''}"
        for test, way in (("<=", "left"), (">", "right"))
    ]


def side_of_missing(tree, node):
    """Return on which side samples go that lack the value of a node's feature, ``"left"`` or ``"right"``; None where
    none of its training samples did."""
    if not tree.saw_missing[node]:
        return None
    return "left" if tree.missing_go_to_left[node] else "right"


@validate_params(SHOWING_CONSTRAINTS, prefer_skip_nested_validation=True)
def export_dict(tree, *, feature_names=None, class_names=None, max_depth=None):
    """Export a tree as nested dicts of plain Python values, ready for JSON.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one.
    feature_names, class_names : sequence, optional
        As in :func:`export_text`.
    max_depth : int or None, default=None
        Only splits down to this depth are exported, the root's being 0; where others follow, a node has ``truncated``,
        the number of the levels that start with it, as :func:`export_text` tells it. None: all.

    Returns
    -------
    dict
        Every node has ``n_node_samples``, ``counts`` and ``class``; inner nodes also ``feature`` and ``gain``, and
        ``threshold`` and the nodes ``left`` (at most the threshold) and ``right``, or ``children``: a list of nodes,
        each with the ``category`` that it stands for, None for missing values. Where training samples lacked the value,
        ``missing`` is the side that such samples take, ``"left"`` or ``"right"``; the threshold is None where all
        others go left. Classes and categories that are dates come as text by ISO 8601 (``2000-01-31``,
        ``2000-01-31T12:30``), durations, intervals and other objects as their ``str``.

    Raises
    ------
    TypeError, ValueError
        As in :func:`export_text`.

    See Also
    --------
    export_text : The rules as text, to be read.
    pytrees.export.to_sklearn : A fitted scikit-learn estimator that decides alike.

    Notes
    -----
    ``json.dumps``, ``copy.deepcopy`` and ``==`` follow the nesting of the dicts, and raise RecursionError where a tree
    is deeper than some hundred levels. Give a `max_depth` there, or write the arrays of the :class:`Tree`, which are
    flat: ``{name: getattr(tree, name).tolist() for name in ("children_left", "children_right", ...)}``, of which
    ``Tree`` makes the tree again.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, export_dict
    >>> export_dict(DecisionTreeClassifier().fit([[1.0], [3.0]], ["a", "b"]))["left"]
    {'n_node_samples': 1, 'counts': [1.0, 0.0], 'class': 'a'}
    """
    given = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    shown, with_children = shown_nodes(tree, max_depth)
    labels, name_of = node_labels(given, tree)[shown].tolist(), category_names(given)
    class_names = [_for_json(name) for name in class_names]
    numbers = zip(shown.tolist(), tree.n_node_samples[shown].tolist(), tree.value[shown].tolist(), labels, strict=True)
    nodes = {
        node: {"n_node_samples": n_samples, "counts": counts, "class": class_names[label]}
        for node, n_samples, counts, label in numbers
    }
    for node in with_children.tolist():
        feature, children = tree.feature[node], tree.children_of(node).tolist()
        nodes[node] |= {"feature": feature_names[feature], "gain": float(tree.gain[node])}
        if tree.children_left[node] == MULTIWAY:
            for child in children:
                nodes[child]["category"] = _for_json(name_of(feature, tree.category[child]))
            nodes[node]["children"] = [nodes[child] for child in children]
        else:
            threshold, missing = float(tree.threshold[node]), side_of_missing(tree, node)
            nodes[node] |= {"threshold": None if threshold == np.inf else threshold}
            nodes[node] |= {} if missing is None else {"missing": missing}
            nodes[node] |= {"left": nodes[children[0]], "right": nodes[children[1]]}
    truncated = np.setdiff1d(shown[tree.children_left[shown] != LEAF], with_children).tolist()
    levels = _levels_of_branches(tree) if truncated else None
    for node in truncated:
        nodes[node]["truncated"] = levels[node]
    return nodes[0]


def _for_json(name):
    """Return words, numbers, truth values and None as they are, lists of names as lists; other objects as text."""
    if name is None or isinstance(name, (str, int, float)):
        return name
    if isinstance(name, (list, tuple)):
        return [_for_json(part) for part in name]
    return name.isoformat() if isinstance(name, datetime.date) else str(name)


def to_sklearn(tree, classes=None):
    """Convert a tree to a fitted scikit-learn ``DecisionTreeClassifier`` that decides as the tree does.

    scikit-learn rounds the data it is given to float32 (to the nearest), and compares it with float64 thresholds. The
    thresholds are rounded down to float32 here, which changes no decision on float32 data: no float32 number lies
    between a threshold and the greatest float32 number that is not above it. Data that is not exact in float32 can be
    rounded across a threshold; then, and only then, the two trees may decide differently.

    A multiway node becomes a balanced search among its categories, and the data that scikit-learn's tree takes has
    their codes: what the estimator's ``encode`` gives. Among its leaves are some without training samples, for the
    categories that have no child: they predict as the multiway node does.

    Missing values go where the tree sends them. What scikit-learn's trees cannot do is refused: missing values in
    samples to predict where the tree refuses them, as that of a :class:`C45Classifier`, which would send them to many
    leaves; and estimators that predict another class than the most frequent one in some leaf, as ordinal trees do by
    median or expectation and ID3 trees by `node_labels_`.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one. A Tree knows neither the labels of its classes nor names.
    classes : array-like of shape (n_classes,), optional
        By default the estimator's classes, or 0..n_classes-1.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        Where the tree refuses missing values, of a subclass that does: where it is unpickled, pytrees must be there.
        Its impurities are Gini impurities, whatever criterion grew the tree, and so are the gains that its
        ``feature_importances_`` add up.

    Raises
    ------
    RuntimeError
        If this version of scikit-learn keeps its nodes in another way than 1.9 does.
    TypeError, ValueError
        As in :func:`export_text`; ValueError also if the estimator does not predict the most frequent classes.

    See Also
    --------
    pytrees.Tree.to_sklearn : The same of a tree alone, without names.
    pytrees.export_dict : Nested dicts, which no version of a library is needed to read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import PermutationDecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ours = PermutationDecisionTreeClassifier().fit(X, y)
    >>> theirs = ours.to_sklearn()
    >>> bool((theirs.predict(X) == ours.predict(X)).all())
    True
    """
    given, feature_names = tree, getattr(tree, "feature_names_in_", None)
    if classes is None and not isinstance(tree, Tree):
        classes = getattr(tree, "classes_", None)
    tree, _, _ = tree_and_names(tree, class_names=classes)
    _check_predictions(given, tree)
    estimator = tree.to_sklearn(classes)
    if feature_names is not None:
        estimator.feature_names_in_ = feature_names
    return estimator
