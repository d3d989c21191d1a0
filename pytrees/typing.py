"""The types of parameters, for the annotations of programs that call pytrees.

They are for type checkers: nothing looks at them when a program runs, and some of them are text then.
"""

from __future__ import annotations

from ._given_judges import CriterionLike, DistanceLike, ErrorLike
from ._typing import (
    CategoricalFeatures,
    CategoricalSplit,
    ClassWeight,
    CountCriterionName,
    CriterionName,
    DistanceName,
    ErrorName,
    Evaluation,
    HandleUnknown,
    ImpurityName,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    Measure,
    MonotonicConstraints,
    OobScore,
    PredictRule,
    RandomState,
    SplitLabels,
    Stop,
    Ties,
)

__all__ = [
    "CategoricalFeatures",
    "CategoricalSplit",
    "ClassWeight",
    "CountCriterionName",
    "CriterionLike",
    "CriterionName",
    "DistanceLike",
    "DistanceName",
    "ErrorLike",
    "ErrorName",
    "Evaluation",
    "HandleUnknown",
    "ImpurityName",
    "LabelsLike",
    "MatrixLike",
    "MaxFeatures",
    "Measure",
    "MonotonicConstraints",
    "OobScore",
    "PredictRule",
    "RandomState",
    "SplitLabels",
    "Stop",
    "Ties",
]
