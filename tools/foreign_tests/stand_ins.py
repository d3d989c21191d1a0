"""Our estimators by scikit-learn's names, with its defaults where ours are others."""

from inspect import Parameter, signature

from pytrees import DecisionForestClassifier, DecisionForestRegressor, DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(DecisionForestClassifier):
    """Our forest; messages name its class."""


class RandomForestRegressor(DecisionForestRegressor):
    """Our forest, whose nodes consider all features by default, as scikit-learn's do."""

    def __init__(self, *args, **parameters):
        super().__init__(*args, **{"max_features": 1.0, **parameters})

    _ours = signature(DecisionForestRegressor.__init__)
    __init__.__signature__ = _ours.replace(
        parameters=[
            one.replace(default=1.0) if one.name == "max_features" else one
            for one in _ours.parameters.values()
            if one.kind is not Parameter.VAR_POSITIONAL
        ]
    )
    del _ours
