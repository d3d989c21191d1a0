"""Read the ensembles of other libraries as sums of trees, with the values that the leaves add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from .._typing import AnyArray, FloatArray, ModelOutput
from ..convert.library_nodes import (
    booster_of_lightgbm,
    booster_of_xgboost,
    tree_of_columns,
    tree_of_predictor,
    tree_of_treelite,
    values_of_treelite,
)
from ..tree import Tree
from .boxes import check_same_kind
from .codes import Member, check_members_are_alike, members_of, structure_of


@dataclass(frozen=True, eq=False)
class Sum:
    """An ensemble as a sum of trees.

    Attributes
    ----------
    members : list of Member
    values : list of ndarray of shape (node_count, n_outputs), float64
        The values that the nodes of every tree add.
    n_averaged : int
        The divisor of the sum.
    baseline : ndarray of shape (n_outputs,), float64
        The constant that is added before the first tree.
    classes : ndarray of shape (n_classes,), or None
    output : {"probability", "margin", "value"}
    feature_names : ndarray of shape (n_features,), or None
    link : str or None
        The link function of margins: one name for the same function in several libraries.
    """

    members: list[Member]
    values: list[FloatArray]
    n_averaged: int
    baseline: FloatArray
    classes: AnyArray | None
    output: ModelOutput
    feature_names: AnyArray | None = None
    link: str | None = None


# The names of link functions in the libraries, and our name for them.
_LINKS = {
    "LogitLink": "logit",
    "sigmoid(1)": "logit",
    "MultinomialLogit": "softmax",
    "LogLink": "log",
    "exponential": "log",
    "IdentityLink": "identity",
}


def _member(tree: Tree, dtype: type[np.floating[Any]]) -> Member:
    return Member(tree, np.zeros(tree.node_count, dtype=np.int64), dtype, {})


def _last_of_two(values: FloatArray) -> FloatArray:
    """Return the column of the last class if there are two, and all columns otherwise."""
    return np.ascontiguousarray(values[:, 1:] if values.shape[1] == 2 else values)


# -------------------------------------------------------------------------------------------------------- scikit-learn


def averaged(model: Any) -> Sum:
    """Read a tree, forest or bagging ensemble of scikit-learn or of pytrees: the mean of what its trees predict."""
    classes = np.asarray(model.classes_) if is_classifier(model) else None
    estimators = getattr(model, "estimators_", [model])
    check_members_are_alike(model, estimators)
    if classes is not None and getattr(model, "n_outputs_", 1) != 1:
        raise ValueError(f"{type(model).__name__} has {model.n_outputs_} outputs with classes; only one can be taken.")
    if isinstance(getattr(estimators[0], "tree_", None), Tree):
        members = members_of(model)
        if members[0].tree.is_regressor:
            return of_numbers(members)
        labels = model._labels_of_nodes() if hasattr(model, "_labels_of_nodes") else None
        shares = [member.tree.shares for member in members]
        if labels is not None:
            shares = [np.eye(len(model.classes_))[of_tree] for of_tree in labels]
        return _mean(members, [_last_of_two(of_tree) for of_tree in shares], classes)
    from ..convert.sklearn_nodes import sides_of_missing  # the caller has imported scikit-learn's trees

    columns = getattr(model, "estimators_features_", [None] * len(estimators))
    members, values = [], []
    for estimator, of_estimator in zip(estimators, columns, strict=True):
        if not hasattr(getattr(estimator, "tree_", None), "value"):
            names = f"{type(model).__name__} of {type(estimator).__name__}"
            raise TypeError(f"An ensemble of trees is expected, got {names}.")
        sides = sides_of_missing(estimator)
        tree, order = tree_of_columns(estimator.tree_, of_estimator, model.n_features_in_, sides)
        members.append(_member(tree, np.float32))
        value = estimator.tree_.value[order, :, 0] if classes is None else estimator.tree_.value[order, 0]
        if classes is not None and value.shape[1] < len(classes):
            # A bootstrap sample of bagging lacked classes: its tree has learned the codes of the classes in it.
            completed = np.zeros((len(value), len(classes)))
            completed[:, estimator.classes_.astype(np.int64)] = value
            value = completed
        values.append(np.ascontiguousarray(value) if classes is None else _last_of_two(value))
    return _mean(members, values, classes)


def of_numbers(members: Sequence[Member]) -> Sum:
    """Return the mean of trees of numbers. They become mere structures, as the trees of other libraries are."""
    check_same_kind([member.tree for member in members])
    structures = [member._replace(tree=structure_of(member.tree)) for member in members]
    return _mean(structures, [member.tree.value for member in members], None)


def _mean(members: list[Member], values: list[FloatArray], classes: AnyArray | None) -> Sum:
    baseline = np.zeros(values[0].shape[1])
    return Sum(members, values, len(members), baseline, classes, "value" if classes is None else "probability")


def gradient_boosting(model: Any) -> Sum:
    """Read scikit-learn's gradient boosting: its margins, or the values of a regressor."""
    init = model.init_
    if not (isinstance(init, str) or type(init).__name__ in ("DummyClassifier", "DummyRegressor")):
        raise ValueError(f"{type(model).__name__} starts from init={type(init).__name__}, which is not constant.")
    baseline = model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))
    baseline = np.array(baseline, dtype=np.float64).reshape(-1)
    members, values = [], []
    for stage in model.estimators_:
        for output, estimator in enumerate(stage):
            tree, order = tree_of_columns(estimator.tree_, None, model.n_features_in_)
            members.append(_member(tree, np.float32))
            values.append(_in_column(model.learning_rate * estimator.tree_.value[order, 0, 0], output, baseline.size))
    classes = model.classes_ if is_classifier(model) else None
    if classes is None:
        return Sum(members, values, 1, baseline, None, "value")
    link = "logit of half" if model.loss == "exponential" else "logit" if len(classes) == 2 else "softmax"
    return Sum(members, values, 1, baseline, classes, "margin", link=link)


def histogram_gradient_boosting(model: Any) -> Sum:
    """Read scikit-learn's histogram gradient boosting: its margins, or the values of a regressor without a link."""
    if getattr(model, "is_categorical_", None) is not None and np.any(model.is_categorical_):
        raise ValueError(
            f"{type(model).__name__} has categorical features; only splits at thresholds are taken. Encode these "
            "columns before, for example by sklearn.preprocessing.OneHotEncoder, and fit it without "
            "categorical_features; or fit a forest of pytrees, which takes categories, such as "
            "DecisionForestClassifier."
        )
    baseline = np.array(model._baseline_prediction, dtype=np.float64).reshape(-1)
    members, values = [], []
    for iteration in model._predictors:
        for output, predictor in enumerate(iteration):
            tree, order = tree_of_predictor(predictor.nodes, model.n_features_in_)
            members.append(_member(tree, np.float64))
            values.append(_in_column(predictor.nodes["value"][order], output, baseline.size))
    classes = model.classes_ if is_classifier(model) else None
    link = _link(type(model._loss.link).__name__)
    return Sum(members, values, 1, baseline, classes, "value" if link == "identity" else "margin", link=link)


def _in_column(values: AnyArray, output: int, n_outputs: int) -> FloatArray:
    found = np.zeros((len(values), n_outputs))
    found[:, output] = values
    return found


# ------------------------------------------------------------------------------------------------ XGBoost and LightGBM


def treelite_model(model: Any, library: str) -> Sum:
    """Read a model of XGBoost or LightGBM, or of treelite, by treelite."""
    try:
        treelite: Any = import_module("treelite")  # Any: treelite's types are incomplete
    except ImportError as error:
        raise ImportError("Models of other libraries need treelite: pip install treelite.") from error
    if hasattr(model, "fit"):
        check_is_fitted(model)
    classes = getattr(model, "classes_", None)
    try:
        if library == "xgboost":
            model = treelite.frontend.from_xgboost(booster_of_xgboost(model))
        elif library == "lightgbm":
            model = treelite.frontend.from_lightgbm(booster_of_lightgbm(model))
    except treelite.TreeliteError as error:
        raise ValueError(f"treelite cannot read this model of {library}: {error}") from error
    header = model.get_header_accessor()
    shape = int(header.get_field("num_target")[0]), int(header.get_field("num_class").max())
    baseline = np.array(header.get_field("base_scores"), dtype=np.float64)
    target, class_ = header.get_field("target_id"), header.get_field("class_id")
    leaf_shape = header.get_field("leaf_vector_shape")
    members, values = [], []
    for t in range(model.num_tree):
        nodes = model.get_tree_accessor(t)
        tree, order, dtype = tree_of_treelite(nodes, model.num_feature, library)
        of_outputs = np.zeros((len(order), *shape))
        targets, columns = (slice(None) if i < 0 else slice(i, i + 1) for i in (target[t], class_[t]))
        of_outputs[:, targets, columns] = values_of_treelite(nodes, leaf_shape)[order]
        members.append(_member(tree, dtype))
        values.append(of_outputs.reshape(len(order), -1))
    n_averaged = 1
    if header.get_field("average_tree_output")[0]:
        n_averaged = max(model.num_tree // (1 if np.any(class_ < 0) else shape[1]), 1)
    link = str(header.get_field("postprocessor"))
    if link in ("sigmoid", "multiclass_ova"):
        link += f"({float(header.get_field('sigmoid_alpha')[0]):g})"
    link = _link(link)
    return Sum(members, values, n_averaged, baseline, classes, "value" if link == "identity" else "margin", link=link)


def _link(name: str) -> str:
    return _LINKS.get(name, name)
