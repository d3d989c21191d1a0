"""Every estimator of the package, with few members, so that small samples fit it at once."""

from sklearn.base import is_classifier, is_regressor

import pytrees

KINDS = [value for name in pytrees.__all__ if hasattr(value := getattr(pytrees, name), "get_params")]
FEW = {"n_estimators": 3, "n_trees": 2, "max_depth": 3, "random_state": 0}


def small(kind, **parameters):
    """Return an estimator of a class, with few members and levels."""
    known = kind().get_params(deep=False)
    if "n_trees" in known:  # of a forest to be distilled
        forest = pytrees.DecisionForestRegressor if is_regressor(kind()) else pytrees.DecisionForestClassifier
        parameters = {"estimator": small(forest), "max_leaf_nodes": 8} | parameters
    return kind(**{name: value for name, value in FEW.items() if name in known} | parameters)


ESTIMATORS = [small(kind) for kind in KINDS]
CLASSIFIERS = [estimator for estimator in ESTIMATORS if is_classifier(estimator)]
