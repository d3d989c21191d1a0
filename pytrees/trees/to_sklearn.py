"""scikit-learn's forests, made of fitted forests of pytrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._typing import LabelsLike
from ..export import SKLEARN_PARAMETERS_OF_FORESTS, SKLEARN_PARAMETERS_OF_TREES, kept_parameters
from .bootstrap import all_rows

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier


def forest_to_sklearn(forest: Any, classes: LabelsLike | None) -> RandomForestClassifier:
    """Convert a forest as :func:`pytrees.to_sklearn` describes it; `classes` are the forest's where they are None."""
    from ..convert.sklearn_nodes import sklearn_forest  # here: it takes longer to import than all of this package

    check_is_fitted(forest)
    rule = getattr(forest, "predict_rule", "mode")
    if rule != "mode":
        raise ValueError(
            f"{type(forest).__name__} predicts by predict_rule={rule!r}, but scikit-learn's forests predict the class "
            "of the greatest probability; to_sklearn([one.tree_ for one in forest], forest.classes_) predicts that."
        )
    classes = forest.classes_ if classes is None else np.asarray(classes)
    if len(classes) != forest.n_classes_:
        raise ValueError(f"classes has {len(classes)} labels; the forest has {forest.n_classes_} classes.")
    of_trees = [kept_parameters(estimator, SKLEARN_PARAMETERS_OF_TREES) for estimator in forest]
    labels, parameters = forest._labels_of_nodes(), kept_parameters(forest, SKLEARN_PARAMETERS_OF_FORESTS)
    converted = sklearn_forest(forest._trees(), classes, labels, parameters, of_trees)
    for one, estimator in zip(converted.estimators_, forest, strict=True):
        one.max_features_ = estimator.max_features_
    _tell_draws(forest, converted)
    for name in ("feature_names_in_", "oob_score_", "oob_decision_function_"):
        if hasattr(forest, name):
            setattr(converted, name, getattr(forest, name))
    return converted


def _tell_draws(forest: Any, converted: Any) -> None:
    """Set the attributes from which scikit-learn's forest draws the samples of its trees again.

    Versions of scikit-learn draw in several ways: the attributes stay only if this version draws the same samples.
    """
    n_rows, rows, draw = forest._drawn_from or (0, None, None)
    n_draws = n_rows if draw is all_rows else getattr(draw, "keywords", {}).get("n_draws")
    if rows is not None or n_draws is None:
        return
    draws = {"_n_samples": n_rows, "_n_samples_bootstrap": n_draws, "_sample_weight": None}
    vars(converted).update(draws)
    if not np.array_equal(converted.estimators_samples_[0], forest.estimators_samples_[0]):
        for name in draws:
            delattr(converted, name)
