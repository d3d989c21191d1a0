"""Fitted trees and forests, converted to estimators of scikit-learn and back.

`sklearn_nodes` converts the nodes. This module adds the other attributes of a fitted estimator: classes, names of
features, parameters, and the draws of a forest's samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload
from warnings import warn

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from .._given_tree import TreeEstimator, predicted_labels, tree_and_names
from .._names import checked_names
from .._tree_checks import LEAF
from .._typing import AnyArray, ForestOf, LabelsLike
from ..tree import Tree

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

# Parameters that have the same meaning in scikit-learn, and do not change what a fitted estimator does.
_PARAMETERS_OF_TREES = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "random_state",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
)
_PARAMETERS_OF_FORESTS = (*_PARAMETERS_OF_TREES, "bootstrap", "oob_score", "max_samples", "class_weight")
_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_")


# ------------------------------------------------------------------------------------------------------------------ out


@overload
def to_sklearn(
    tree: Tree | TreeEstimator, classes: LabelsLike | None = None
) -> DecisionTreeClassifier | DecisionTreeRegressor: ...


@overload
def to_sklearn(
    tree: ForestOf[Any] | Sequence[Tree | TreeEstimator], classes: LabelsLike | None = None
) -> RandomForestClassifier | RandomForestRegressor: ...


def to_sklearn(tree: Any, classes: LabelsLike | None = None) -> Any:
    """Convert a tree or forest to a fitted estimator of scikit-learn that decides alike, for other tools.

    A tree becomes a ``DecisionTreeClassifier``. A forest or a list of trees becomes a ``RandomForestClassifier``, which
    predicts the mean of the trees' predictions; trees and forests of numbers become a ``DecisionTreeRegressor`` and a
    ``RandomForestRegressor``. The result keeps the classes, the names of features, and all parameters that scikit-learn
    has too. Probabilities and numbers are equal to the last bit if scikit-learn adds them up in the order of the trees,
    as it does without `n_jobs`. If the trees of a forest vote, as in permutation and ID3 forests, a leaf gives its
    class the probability 1, and the forest predicts the shares of the votes.

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
        By default the estimator's classes, or 0..n_classes-1. Trees of numbers have none.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier or RandomForestRegressor
        Impurities are entropies if ``criterion="entropy"`` grew the tree, and Gini impurities otherwise; so are the
        gains that ``feature_importances_`` add up. Trees of numbers keep their impurities; they are NaN if a Tree was
        made without any. A forest keeps `oob_score_`, `oob_decision_function_` or `oob_prediction_` and, if
        scikit-learn would draw the same samples, `estimators_samples_`.

    Raises
    ------
    RuntimeError
        If this version of scikit-learn stores its nodes otherwise than 1.9 does.
    TypeError
        If `tree` is anything but trees and forests of pytrees.
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
        return _forest_to_sklearn(given, classes)
    if classes is None and not isinstance(given, Tree):
        classes = getattr(given, "classes_", None)
    tree = tree_and_names(given)[0]
    _check_predictions(given, tree)
    converted = tree.to_sklearn(classes)
    if not isinstance(given, Tree):
        converted.set_params(**_parameters_of_theirs(given, _PARAMETERS_OF_TREES))
    _copy_attributes(given, converted, "feature_names_in_", "max_features_")
    return converted


def _forest_to_sklearn(forest: Any, classes: LabelsLike | None) -> RandomForestClassifier | RandomForestRegressor:
    of_trees = [_parameters_of_theirs(estimator, _PARAMETERS_OF_TREES) for estimator in forest]
    parameters = _parameters_of_theirs(forest, _PARAMETERS_OF_FORESTS)
    if forest._trees()[0].is_regressor:
        # A user's criterion means nothing to scikit-learn.
        named = {"criterion": forest.criterion} if isinstance(forest.criterion, str) else {}
        converted = _numbers_to_sklearn(forest._trees(), classes, named | parameters, of_trees)
    else:
        converted = _classes_to_sklearn(forest, classes, parameters, of_trees)
    for one, estimator in zip(converted.estimators_, forest, strict=True):
        one.max_features_ = estimator.max_features_
    _tell_draws(forest, converted)
    _copy_attributes(forest, converted, "feature_names_in_", *_OUT_OF_BAG)
    return converted


def _numbers_to_sklearn(trees: Sequence[Tree], classes: LabelsLike | None, *parameters: Any) -> RandomForestRegressor:
    from .sklearn_nodes import check_no_classes, sklearn_regression_forest

    check_no_classes(classes)
    return sklearn_regression_forest(trees, *parameters)


def _classes_to_sklearn(
    forest: Any, classes: LabelsLike | None, parameters: dict[str, Any], of_trees: list[dict[str, Any]]
) -> RandomForestClassifier:
    from .sklearn_nodes import sklearn_forest  # here: the import takes longer than all of this package

    rule = getattr(forest, "predict_rule", "mode")
    if rule != "mode":
        raise ValueError(
            f"{type(forest).__name__} predicts by predict_rule={rule!r}, but scikit-learn's forests predict the class "
            "of the greatest probability; to_sklearn([one.tree_ for one in forest], forest.classes_) predicts that."
        )
    if classes is not None:
        checked_names("classes", classes, forest.n_classes_, "the forest")
    classes = forest.classes_ if classes is None else np.asarray(classes)
    return sklearn_forest(forest._trees(), classes, forest._labels_of_nodes(), parameters, of_trees)


def _tell_draws(forest: Any, converted: Any) -> None:
    """Set the attributes from which scikit-learn's forest draws the samples of its trees again.

    Versions of scikit-learn draw in several ways: the attributes stay only if this version draws the same samples.
    """
    numbers = forest._numbers_of_draws()
    if numbers is None:
        return
    draws = {"_n_samples": numbers[0], "_n_samples_bootstrap": numbers[1], "_sample_weight": None}
    vars(converted).update(draws)
    if not np.array_equal(converted.estimators_samples_[0], forest._samples_of(forest[0])):
        for name in draws:
            delattr(converted, name)


def _list_to_sklearn(
    members: Sequence[Any], classes: LabelsLike | None
) -> RandomForestClassifier | RandomForestRegressor:
    from .sklearn_nodes import sklearn_forest

    if not members:
        raise ValueError("There are no trees.")
    trees = [tree_and_names(member)[0] for member in members]
    for member, tree in zip(members, trees, strict=True):
        if (tree.n_features, tree.n_classes) != (trees[0].n_features, trees[0].n_classes):
            raise ValueError("The trees differ in their features or classes.")
        _check_predictions(member, tree)
    forest: Any
    if trees[0].is_regressor:
        forest = _numbers_to_sklearn(trees, classes)
    else:
        forest = sklearn_forest(trees, _classes_of_all(members, trees[0].n_classes, classes))
    _copy_attributes(members[0], forest, "feature_names_in_")
    return forest


def _classes_of_all(members: Sequence[Any], n_classes: int, classes: LabelsLike | None) -> AnyArray:
    """Return the labels of the classes of all trees: given, known by the estimators among them, or numbers."""
    if classes is None:
        known = [member.classes_ for member in members if hasattr(member, "classes_")]
        if any(not np.array_equal(known[0], others) for others in known):
            raise ValueError("The trees differ in the labels of their classes.")
        return np.asarray(known[0]) if known else np.arange(n_classes)
    checked_names("classes", classes, n_classes)
    return np.asarray(classes)


def _check_predictions(estimator: Any, tree: Tree) -> None:
    """Raise a ValueError if the estimator predicts another class than the majority at a node where samples end."""
    if not isinstance(estimator, Tree) and _has_parts_of_samples(tree):
        raise ValueError(
            f"{type(estimator).__name__} divides samples with missing values among several children, which "
            "scikit-learn's trees cannot do. Its tree_.to_sklearn(classes_) predicts samples that lack no value."
        )
    if tree.is_regressor:
        return
    predicted = predicted_labels(estimator, tree)
    ends = tree.children_left < 0  # at leaves, and at multiway nodes
    n_others = int(np.count_nonzero(predicted[ends] != tree.majority[ends]))
    if n_others:
        why = f"predict_rule={estimator.predict_rule!r}" if hasattr(estimator, "_decide") else "node_labels_"
        raise ValueError(
            f"{type(estimator).__name__} predicts another class than the most frequent one at {n_others} nodes "
            f"({why}), which scikit-learn's trees cannot do. Its tree_.to_sklearn(classes_) predicts the most frequent "
            "classes."
        )


def _has_parts_of_samples(tree: Tree) -> bool:
    """Whether the children of a node have more samples than the node, because parts of one sample count at several."""
    inner = np.flatnonzero(tree.children_left != LEAF)
    parents = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    of_children = np.bincount(parents, weights=tree.n_node_samples[tree.children], minlength=tree.node_count)
    return bool(np.any(of_children[inner] > tree.n_node_samples[inner]))


def kept_parameters(estimator: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the estimator's parameters among these names."""
    parameters = estimator.get_params(deep=False)
    return {name: parameters[name] for name in names if name in parameters}


def _parameters_of_theirs(estimator: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the estimator's parameters among these names as scikit-learn's trees take them: monotonic constraints by
    feature, and of classes for two only."""
    parameters = kept_parameters(estimator, names)
    constraints = parameters.get("monotonic_cst")
    if getattr(estimator, "n_classes_", 0) > 2:
        parameters.pop("monotonic_cst", None)
    elif isinstance(constraints, dict):
        parameters["monotonic_cst"] = [constraints.get(name, 0) for name in estimator.feature_names_in_]
    return parameters


# ------------------------------------------------------------------------------------------------------------------- in


def estimator_from_sklearn(theirs: Any, class_of: Mapping[str, type[Any]]) -> Any:
    """Convert an estimator as :func:`pytrees.from_sklearn` describes it, to one of our classes.

    Their names are ``"tree"``, ``"forest"``, ``"regression tree"`` and ``"regression forest"``.
    """
    if not hasattr(theirs, "estimators_") and not _is_forest(theirs):
        tree = Tree.from_sklearn(theirs)
        parameters = _parameters_from_sklearn(theirs, ("criterion", "class_weight", *_PARAMETERS_OF_TREES))
        ours = class_of["regression tree" if tree.is_regressor else "tree"](**parameters)
        return _with_tree(ours, tree, theirs, theirs.max_features_)
    if not _is_forest(theirs):
        raise TypeError(
            "A tree, or a RandomForest or ExtraTrees of classes or numbers of scikit-learn is expected, got "
            f"{type(theirs).__name__}."
        )
    check_is_fitted(theirs)
    names = ("criterion", "n_estimators", "n_jobs", "verbose", "warm_start", *_PARAMETERS_OF_FORESTS)
    kind = "regression forest" if is_regressor(theirs) else "forest"
    forest = class_of[kind](**_parameters_from_sklearn(theirs, names))
    if theirs.n_outputs_ != 1:
        raise ValueError(f"{type(theirs).__name__} has {theirs.n_outputs_} outputs; a forest of pytrees has one.")
    forest._learn_from(theirs)
    _copy_attributes(theirs, forest, *_OUT_OF_BAG)
    members = [
        _with_tree(forest._make_estimator(one.random_state), Tree.from_sklearn(one), theirs, one.max_features_)
        for one in theirs.estimators_
    ]
    forest._keep_trees(members, None)
    if hasattr(theirs, "_n_samples"):
        forest._set_numbers_of_draws(theirs._n_samples, theirs._n_samples_bootstrap if theirs.bootstrap else None)
        if not np.array_equal(forest._samples_of(members[0]), theirs.estimators_samples_[0]):
            forest._drawn_from = None  # this version of scikit-learn draws other samples
    return forest


def _parameters_from_sklearn(theirs: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the parameters among these names, with a criterion that our estimators have."""
    from .sklearn_nodes import error_of_sklearn

    parameters = kept_parameters(theirs, names)
    if is_regressor(theirs):
        criterion = error_of_sklearn(theirs.criterion)
        if criterion is None:
            criterion = "squared_error"
            warn(
                f"pytrees has no criterion={theirs.criterion!r}: what {type(theirs).__name__} has learned is "
                f"converted, and the result has criterion={criterion!r}, by which another fit would grow.",
                stacklevel=4,
            )
        parameters["criterion"] = criterion
    return parameters


def _is_forest(estimator: object) -> bool:
    from sklearn import ensemble  # whoever has a forest has imported it

    of_classes = ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier
    return isinstance(estimator, (*of_classes, ensemble.RandomForestRegressor, ensemble.ExtraTreesRegressor))


def _with_tree(ours: Any, tree: Tree, theirs: Any, max_features: int) -> Any:
    """Return our estimator as fitted: with this tree, and with the classes and features of scikit-learn's estimator."""
    ours.max_features_ = max_features
    ours._keep(tree)
    ours._learn_from(theirs)
    return ours


def _copy_attributes(fitted: Any, converted: Any, *names: str) -> None:
    """Copy the attributes of these names that the fitted estimator has."""
    for name in names:
        if hasattr(fitted, name):
            setattr(converted, name, getattr(fitted, name))
