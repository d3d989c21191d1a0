"""Trees as text, as nested dicts, and as scikit-learn's estimators."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._docstrings import described_like
from ._missing import is_missing
from ._sklearn import Interval, validate_params
from ._typing import AnyArray, ForestOf, IntArray, LabelsLike, Names
from .tree import LEAF, MULTIWAY, Tree, TreeEstimator, node_depths

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

__all__ = ["export_dict", "export_text", "to_sklearn"]

# Parameters of the same meaning in scikit-learn's classes that do not change what a fitted estimator does.
SKLEARN_PARAMETERS_OF_TREES = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "random_state",
    "min_impurity_decrease",
    "ccp_alpha",
)
SKLEARN_PARAMETERS_OF_FORESTS = (*SKLEARN_PARAMETERS_OF_TREES, "bootstrap", "oob_score", "max_samples", "class_weight")


# How many categories of a child pictures name.
MOST_CATEGORIES = 4

# The constraints of all functions that show a tree.
SHOWING_CONSTRAINTS: dict[str, list[Any]] = {
    "feature_names": ["array-like", None],
    "class_names": ["array-like", None],
    "max_depth": [Interval(Integral, 0, None, closed="left"), None],
}


class _NumberedNames:
    """The names ``feature_0``, ``feature_1``, ..., made when they are asked for."""

    def __getitem__(self, feature: int) -> str:
        return f"feature_{feature}"


def tree_and_names(tree: Any, feature_names: Any = None, class_names: Any = None) -> tuple[Tree, Names, list[Any]]:
    """Return the Tree of a tree or estimator, and the names of its features and classes: given, its own, or numbers."""
    estimator: Any = None
    if not isinstance(tree, Tree):
        estimator = tree
        if hasattr(estimator, "fit"):
            check_is_fitted(estimator)
        tree = getattr(estimator, "tree_", None)
        if not isinstance(tree, Tree):
            hint = ": pass one tree, such as estimators_[0]" if hasattr(estimator, "estimators_") else ""
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


def plain_values(names: Any) -> list[Any]:
    """Return names as a list of Python's values: NumPy's dates as the shortest text by ISO 8601, and its durations
    with their unit."""
    names = np.asarray(names)
    if names.dtype.kind == "M":
        return np.datetime_as_string(names, unit="auto").tolist()
    return [str(name) for name in names] if names.dtype.kind == "m" else names.tolist()


def shown_nodes(tree: Tree, max_depth: int | None) -> tuple[IntArray, IntArray]:
    """Return the numbers of the nodes down to one level below `max_depth`, and of the nodes whose children are shown.

    Both ascend.
    """
    if max_depth is None or tree.max_depth <= max_depth:
        return np.arange(tree.node_count), np.flatnonzero(tree.children_left != LEAF)
    depth = node_depths(tree)
    return np.flatnonzero(depth <= max_depth + 1), np.flatnonzero((depth <= max_depth) & (tree.children_left != LEAF))


def _levels_of_branches(tree: Tree) -> list[int]:
    """Count the levels of the branch that starts at every node, its own included."""
    levels, children, offsets = [1] * tree.node_count, tree.children.tolist(), tree.child_offsets.tolist()
    for node in reversed(range(tree.node_count)):
        below = children[offsets[node] : offsets[node + 1]]
        levels[node] += max((levels[child] for child in below), default=0)
    return levels


def node_labels(given: Any, tree: Tree) -> IntArray:
    """Return for every node the code of the class that it predicts, or would predict as a leaf."""
    return getattr(given, "node_labels_", tree.majority)


def predicted_labels(given: Any, tree: Tree) -> IntArray:
    """Return for every node the code of the class that the estimator's rule predicts for samples that end there."""
    decide = getattr(given, "_decide", None)
    return node_labels(given, tree) if decide is None else decide(tree.value)


def _check_predictions(estimator: Any, tree: Tree) -> None:
    """Raise a ValueError if the estimator predicts another class than the majority at a node where samples end."""
    if not isinstance(estimator, Tree) and _has_parts_of_samples(tree):
        raise ValueError(
            f"{type(estimator).__name__} divides samples with missing values among several children, which "
            "scikit-learn's trees cannot. Its tree_.to_sklearn(classes_) predicts samples that lack no value."
        )
    predicted = predicted_labels(estimator, tree)
    ends = (tree.children_left == LEAF) | (tree.children_left == MULTIWAY)
    n_others = int(np.count_nonzero(predicted[ends] != tree.majority[ends]))
    if n_others:
        why = f"predict_rule={estimator.predict_rule!r}" if hasattr(estimator, "_decide") else "node_labels_"
        raise ValueError(
            f"{type(estimator).__name__} predicts another class than the most frequent one at {n_others} nodes "
            f"({why}), which scikit-learn's trees cannot. Its tree_.to_sklearn(classes_) predicts the most frequent "
            "ones."
        )


def _has_parts_of_samples(tree: Tree) -> bool:
    """Whether the children of some node have more samples than it has, as parts of one sample count at several."""
    inner = np.flatnonzero(tree.children_left != LEAF)
    parents = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    of_children = np.bincount(parents, weights=tree.n_node_samples[tree.children], minlength=tree.node_count)
    return bool(np.any(of_children[inner] > tree.n_node_samples[inner]))


class CategoryNames:
    """The names of categories: the estimator's, or their codes.

    Parameters
    ----------
    given : Tree or fitted estimator
    """

    def __init__(self, given: Any) -> None:
        is_categorical = getattr(given, "is_categorical_", None)
        self._names: dict[int, AnyArray] | None = None
        if is_categorical is not None:
            self._names = dict(zip(np.flatnonzero(is_categorical).tolist(), given.categories_, strict=True))
        self._levels: dict[int, AnyArray] = getattr(given, "ordered_categories_", None) or {}

    def __call__(self, feature: int, code: int) -> Any:
        """Return the name of a category of a feature; None for the category of missing values."""
        if self._names is None:
            return int(code)
        named = self._names[int(feature)][code : code + 1]
        return None if is_missing(named[0]) else plain_values(named)[0]

    def level(self, feature: int, number: float) -> str | None:
        """Return the name of the last of a feature's ordered categories up to this number; None if it has none."""
        if int(feature) not in self._levels:
            return None
        return str(plain_values(self._levels[int(feature)][[int(number)]])[0])


def label_of_categories(tree: Tree, feature: int, child: int, name_of: CategoryNames, most: int | None = None) -> str:
    """Return the names of the categories that lead to a child of a multiway node, with "missing" for missing values.

    If there are more than `most`, the first ones are named and the others counted.
    """
    names = [name_of(feature, code) for code in tree.categories_of(child)]
    known = [str(name) for name in names if name is not None]
    left_out = len(known) - most if most is not None and len(known) > most else 0
    listed = ", ".join(known[: len(known) - left_out]) + (f" and {left_out} more" if left_out else "")
    return " or ".join([part for part in (listed, "missing" if len(known) < len(names) else "") if part])


@validate_params(
    {
        **SHOWING_CONSTRAINTS,
        "digits": [Interval(Integral, 1, 100, closed="both")],
        "decimals": [Interval(Integral, 0, 100, closed="both"), None],
        "show_weights": ["boolean"],
        "proportion": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def export_text(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = 10,
    digits: int = 4,
    decimals: int | None = None,
    show_weights: bool = True,
    proportion: bool = False,
) -> str:
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
        ``truncated branch of depth`` and the number of their levels. None: all. Lines are indented by depth, so that
        the text of a chain of n splits grows with n squared, to 5 GB for n = 20,000.
    digits : int, default=4
        Significant digits of thresholds, gains, and shares.
    decimals : int, optional
        Decimal places of these, in place of significant digits.
    show_weights : bool, default=True
        Whether leaves show the numbers of their samples, or sums of weights, of every class.
    proportion : bool, default=False
        Whether leaves show shares in place of these numbers.

    Returns
    -------
    str
        A line for every branch and leaf; leaves with their class and the class counts. A sample whose category has no
        branch at a node gets the most frequent class of that node. If training samples of a node lacked the value, the
        branch that samples without it take says ``or missing``.

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
    labels, name_of, lines = node_labels(given, tree), CategoryNames(given), []
    form = f".{int(digits)}g" if decimals is None else f".{int(decimals)}f"
    max_depth = tree.max_depth if max_depth is None else max_depth
    levels = _levels_of_branches(tree) if tree.max_depth > max_depth + 1 else []
    # The pieces that are still to be written, the next last: a line, or a node and its depth.
    pending: list[tuple[Any, int]] = [(0, 0)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        indent = "|   " * depth
        if tree.children_left[node] == LEAF:
            counts = f" {counts_of(tree, node, form if proportion else None)}" if show_weights else ""
            lines.append(f"{indent}class {class_names[labels[node]]}{counts}")
            continue
        if depth > max_depth:
            lines.append(f"{indent}truncated branch of depth {levels[node]}")
            continue
        gain = f" (gain {tree.gain[node]:{form}})"
        children, tests = tree.children_of(node).tolist(), tests_of(tree, node, feature_names, name_of, form)
        for child, test in reversed(list(zip(children, tests, strict=True))):
            pending.append((child, depth + 1))
            pending.append((f"{indent}{test}{gain if child == children[0] else ''}", depth))
    return "\n".join(lines)


def counts_of(tree: Tree, node: int, form: str | None = None) -> str:
    """Describe the class counts of a node, or their shares if a format for these is given."""
    if form is not None:
        return f"[{', '.join(f'{share:{form}}' for share in tree.shares_at([node])[0])}]"
    return f"[{', '.join(f'{count:.12g}' for count in tree.value[node])}]"


def tests_of(tree: Tree, node: int, feature_names: Names, name_of: CategoryNames, form: str) -> list[str]:
    """Describe for each child of an inner node the test that its samples pass."""
    feature = tree.feature[node]
    name = feature_names[feature]
    if tree.children_left[node] == MULTIWAY:
        return [_test_of_categories(tree, feature, child, name, name_of) for child in tree.children_of(node)]
    if tree.threshold[node] == np.inf:
        return [f"{name} is not missing", f"{name} is missing"]
    threshold = name_of.level(feature, tree.threshold[node]) or f"{tree.threshold[node]:{form}}"
    ways = side_of_missing(tree, node)
    return [
        f"{name} {test} {threshold}{' or missing' if way == ways else ''}"
        for test, way in (("<=", "left"), (">", "right"))
    ]


def _test_of_categories(tree: Tree, feature: int, child: int, name: str, name_of: CategoryNames) -> str:
    codes = tree.categories_of(child)
    if len(codes) == 1 and name_of(feature, codes[0]) is None:
        return f"{name} is missing"
    return f"{name} {'=' if len(codes) == 1 else 'in'} {label_of_categories(tree, feature, child, name_of)}"


def side_of_missing(tree: Tree, node: int) -> Literal["left", "right"] | None:
    """Return the side of samples that lack the value of a node's feature, ``"left"`` or ``"right"``; None if none of
    its training samples did."""
    if not tree.saw_missing[node]:
        return None
    return "left" if tree.missing_go_to_left[node] else "right"


@described_like(export_text)
@validate_params(SHOWING_CONSTRAINTS, prefer_skip_nested_validation=True)
def export_dict(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = None,
) -> dict[str, Any]:
    """Export a tree as nested dicts of plain Python values, ready for JSON.

    Parameters
    ----------
    max_depth : int or None, default=None
        Only splits down to this depth are exported, the root's being 0. A node whose branch is cut off has
        ``truncated``, the number of levels from it on, as in :func:`export_text`. None: all.

    Returns
    -------
    dict
        Every node has ``n_node_samples``, ``counts`` and ``class``. Inner nodes also have ``feature`` and ``gain``, and
        either ``threshold`` with the nodes ``left`` (at most the threshold) and ``right``, or ``children``: a list of
        nodes, each with its ``category``, None for missing values, or with several ``categories``. If training samples
        lacked the value, ``missing`` is the side of samples without it, ``"left"`` or ``"right"``; the threshold is
        None if all others go left.

        The root also has ``n_features``; ``class_names``, the classes in the order of ``counts``; ``feature_names`` if
        they are known; ``takes_missing`` if samples may lack values; ``categories``, lists by the names of categorical
        features; and ``ordered_categories``, whose positions from 0 the thresholds compare. Classes and categories that
        are dates come as text by ISO 8601 (``2000-01-31``, ``2000-01-31T12:30``), durations, intervals and other
        objects as their ``str``.

    See Also
    --------
    pytrees.Tree.from_dict : Makes an equal tree of it.
    export_text : The rules as text, to be read.
    to_sklearn : A fitted scikit-learn estimator that decides alike.

    Notes
    -----
    ``json.dumps``, ``copy.deepcopy`` and ``==`` follow the nesting of the dicts, and raise RecursionError if a tree is
    deeper than some hundred levels. Give a `max_depth` then, or write the flat arrays of the :class:`Tree`,
    ``{name: getattr(tree, name).tolist() for name in ("children_left", "children_right", ...)}``, from which ``Tree``
    makes the tree again.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, export_dict
    >>> export_dict(DecisionTreeClassifier().fit([[1.0], [3.0]], ["a", "b"]))["left"]
    {'n_node_samples': 1, 'counts': [1.0, 0.0], 'class': 'a'}
    """
    given: Any = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    shown, with_children = shown_nodes(tree, max_depth)
    labels, name_of = node_labels(given, tree)[shown].tolist(), CategoryNames(given)
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
                names = [_for_json(name_of(feature, code)) for code in tree.categories_of(child)]
                nodes[child] |= {"category": names[0]} if len(names) == 1 else {"categories": names}
            nodes[node]["children"] = [nodes[child] for child in children]
        else:
            threshold, missing = float(tree.threshold[node]), side_of_missing(tree, node)
            nodes[node] |= {"threshold": None if threshold == np.inf else threshold}
            nodes[node] |= {} if missing is None else {"missing": missing}
            nodes[node] |= {"left": nodes[children[0]], "right": nodes[children[1]]}
    truncated = np.setdiff1d(shown[tree.children_left[shown] != LEAF], with_children).tolist()
    levels = _levels_of_branches(tree) if truncated else []
    for node in truncated:
        nodes[node]["truncated"] = levels[node]
    nodes[0] |= {"n_features": tree.n_features, "class_names": class_names}
    nodes[0] |= {"takes_missing": True} if tree.takes_missing else {}
    if not isinstance(feature_names, _NumberedNames):
        nodes[0]["feature_names"] = feature_names
    ordered = getattr(given, "ordered_categories_", None)
    if ordered:
        levels = {feature_names[feature]: plain_values(values) for feature, values in ordered.items()}
        nodes[0]["ordered_categories"] = {name: list(map(_for_json, values)) for name, values in levels.items()}
    categories = getattr(given, "categories_", None)
    if categories:
        names = [feature_names[feature] for feature in np.flatnonzero(given.is_categorical_)]
        as_json = [[_for_json(value) for value in _known_values(values)] for values in categories]
        nodes[0]["categories"] = dict(zip(names, as_json, strict=True))
    return nodes[0]


def _known_values(categories: AnyArray) -> list[Any]:
    """Return categories as values of Python, with None for missing values."""
    return [None if is_missing(value) else plain_values(categories[i : i + 1])[0] for i, value in enumerate(categories)]


def _for_json(name: Any) -> Any:
    """Return words, numbers, truth values and None as they are, lists of names as lists; other objects as text."""
    if name is None or isinstance(name, (str, int, float)):
        return name
    if isinstance(name, (list, tuple)):
        return [_for_json(part) for part in name]
    return name.isoformat() if isinstance(name, datetime.date) else str(name)


@overload
def to_sklearn(tree: Tree | TreeEstimator, classes: LabelsLike | None = None) -> DecisionTreeClassifier: ...
@overload
def to_sklearn(
    tree: ForestOf[Any] | Sequence[Tree | TreeEstimator], classes: LabelsLike | None = None
) -> RandomForestClassifier: ...
def to_sklearn(tree: Any, classes: LabelsLike | None = None) -> Any:
    """Convert a tree or forest to a fitted estimator of scikit-learn that decides alike, for other tools.

    A tree becomes a ``DecisionTreeClassifier``. A forest or a list of trees becomes a ``RandomForestClassifier``, which
    predicts the mean of the trees' predictions. The result keeps the classes, the names of features, and all parameters
    that scikit-learn has too. Probabilities are equal to the last bit if scikit-learn adds them up in the order of the
    trees, as it does without `n_jobs`. If the trees of a forest vote, as in permutation and ID3 forests, a leaf gives
    its class the probability 1, and the forest predicts the shares of the votes.

    scikit-learn rounds samples to float32, and compares them with float64 thresholds. Thresholds are rounded down to
    float32 here, which changes no decision on float32 data: no float32 number lies between a threshold and its rounded
    value. Only data that is not exact in float32 can be decided differently, as it can be rounded across a threshold.

    A multiway node becomes a balanced search among the codes of its categories; the estimator's ``encode`` gives the
    data that scikit-learn's tree takes. The search has leaves without training samples, for the categories without a
    child: they predict as the multiway node does.

    Missing values go where the tree sends them. scikit-learn's trees always take them: if the tree refuses them, they
    go to the child of more samples. Two kinds of estimators are refused: a :class:`C45Classifier` that divides samples
    with missing values among several leaves; and estimators that predict another class than the most probable one, as
    ordinal ones do by median, expectation or cost, and ID3 trees by `node_labels_`.

    Parameters
    ----------
    tree : Tree, fitted estimator, or list of them
        A tree, or an estimator that is a tree or forest of pytrees. A Tree knows neither the labels of its classes nor
        names. Trees of a list have the same features and classes.
    classes : array-like of shape (n_classes,), optional
        By default the estimator's classes, or 0..n_classes-1.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.ensemble.RandomForestClassifier
        Impurities are entropies if ``criterion="entropy"`` grew the tree, and Gini impurities otherwise; so are the
        gains that ``feature_importances_`` add up. A forest keeps `oob_score_`, `oob_decision_function_` and, if
        scikit-learn would draw the same samples, `estimators_samples_`.

    Raises
    ------
    RuntimeError
        If this version of scikit-learn stores its nodes otherwise than 1.9 does.
    TypeError
        If it is anything but trees and forests of pytrees.
    ValueError
        If scikit-learn's class cannot predict as the estimator does, or trees of a list or labels of classes do not
        belong together.

    See Also
    --------
    from_sklearn : The other way round.
    pytrees.Tree.to_sklearn : The same for a tree alone, without names.
    pytrees.export_dict : Nested dicts, which can be read without any library.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import PermutationDecisionForestClassifier, to_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> ours = PermutationDecisionForestClassifier(10, random_state=0).fit(X, y)
    >>> theirs = to_sklearn(ours)
    >>> type(theirs).__name__, bool((theirs.predict_proba(X) == ours.predict_proba(X)).all())
    ('RandomForestClassifier', True)
    """
    given = tree
    if isinstance(given, (list, tuple)):
        return _list_to_sklearn(given, classes)
    if hasattr(given, "estimators_") and hasattr(given, "to_sklearn"):
        return given.to_sklearn(classes)
    if classes is None and not isinstance(given, Tree):
        classes = getattr(given, "classes_", None)
    tree, _, _ = tree_and_names(given, class_names=classes)
    _check_predictions(given, tree)
    converted = tree.to_sklearn(classes)
    if not isinstance(given, Tree):
        converted.set_params(**kept_parameters(given, SKLEARN_PARAMETERS_OF_TREES))
    for name in ("feature_names_in_", "max_features_"):
        if hasattr(given, name):
            setattr(converted, name, getattr(given, name))
    return converted


def _list_to_sklearn(members: Sequence[Any], classes: LabelsLike | None) -> RandomForestClassifier:
    from .convert.sklearn_nodes import sklearn_forest

    if not members:
        raise ValueError("There are no trees.")
    trees = [tree_and_names(member, class_names=classes)[0] for member in members]
    for member, tree in zip(members, trees, strict=True):
        if (tree.n_features, tree.n_classes) != (trees[0].n_features, trees[0].n_classes):
            raise ValueError("The trees differ in their features or classes.")
        _check_predictions(member, tree)
    if classes is None:
        known = [member.classes_ for member in members if hasattr(member, "classes_")]
        if any(not np.array_equal(known[0], others) for others in known):
            raise ValueError("The trees differ in the labels of their classes.")
        classes = known[0] if known else np.arange(trees[0].n_classes)
    forest = sklearn_forest(trees, np.asarray(classes))
    if hasattr(members[0], "feature_names_in_"):
        forest.feature_names_in_ = members[0].feature_names_in_
    return forest


def kept_parameters(estimator: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the estimator's parameters among these names."""
    parameters = estimator.get_params(deep=False)
    return {name: parameters[name] for name in names if name in parameters}
