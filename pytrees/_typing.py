"""The types in the signatures of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Estimator = TypeVar("_Estimator")

FloatArray: TypeAlias = NDArray[np.float64]
# A table of float64 or float32 in any layout.
TableArray: TypeAlias = NDArray[np.floating[Any]]
ComplexArray: TypeAlias = NDArray[np.complex128]
IntArray: TypeAlias = NDArray[np.int64]
CodeArray: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]
# An array of class labels or categories, or an array whose type is one of several.
AnyArray: TypeAlias = NDArray[Any]

# Tables and labels from users: rows may hold words, dates and None as well as numbers.
MatrixLike: TypeAlias = ArrayLike | Sequence[Sequence[object]]
LabelsLike: TypeAlias = ArrayLike | Sequence[object]

# Names that parameters take: a test compares them with the constraints of the estimators.
Engine: TypeAlias = Literal["compiled", "plain", "reference"]
ImpurityName: TypeAlias = Literal["gini", "entropy", "log_loss", "ogini", "wig", "ranking"]
CountCriterionName: TypeAlias = (
    ImpurityName | Literal["gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "jaccard", "accuracy", "mae"]
)
CriterionName: TypeAlias = CountCriterionName | Literal["etc", "lz76"]
ErrorName: TypeAlias = Literal["squared_error", "absolute_error"]
DistanceName: TypeAlias = Literal[
    "information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", "mae"
]
Evaluation: TypeAlias = Literal["local", "global", "glocal"]
SplitLabels: TypeAlias = Literal["majority", "all"]
Ties: TypeAlias = Literal["first", "local"]
Stop: TypeAlias = Literal["pure", "no_distance_decay", "no_decrease"]
PredictRule: TypeAlias = Literal["mode", "median", "expected", "cost"]
HandleUnknown: TypeAlias = Literal["error", "majority"]
CategoricalSplit: TypeAlias = Literal["multiway", "subset"]
RebuildCriterion: TypeAlias = Literal["entropy", "variance"]
ModelOutput: TypeAlias = Literal["probability", "margin", "value"]
OrdinalMetric: TypeAlias = Literal["rps", "mae", "amae", "mmae", "qwk", "off_by_one"]

# Other parameters of several estimators or functions.
MonotonicConstraints: TypeAlias = ArrayLike | dict[str, int] | None
MaxFeatures: TypeAlias = int | float | Literal["sqrt", "log2"] | None
CategoricalFeatures: TypeAlias = ArrayLike | Literal["from_dtype"] | None
ClassWeight: TypeAlias = dict[Any, float] | dict[Any, int] | Literal["balanced"] | None
RandomState: TypeAlias = int | np.random.RandomState | None
OobScore: TypeAlias = bool | Callable[[AnyArray, AnyArray], float]
Measure: TypeAlias = Literal["uniform", "empirical", "joint"] | Sequence[ArrayLike]
FeatureOrPair: TypeAlias = int | str | tuple[int | str, int | str]
Schema: TypeAlias = Mapping[int, int | Iterable[int]] | Iterable[int | Iterable[int] | None]

# A criterion or distance as the kernels take it: its name, or its name and a dict of parameters.
Specification: TypeAlias = str | tuple[str, dict[str, Any]]
# Leaf boxes as the kernels take them: indptr, attribute, run_indptr, start, stop.
Boxes: TypeAlias = tuple[IntArray, IntArray, IntArray, IntArray, IntArray]
# The samples of a tree of a forest, None for all, and their weights.
Draws: TypeAlias = tuple[AnyArray | None, AnyArray | None]


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number in the range of float64, or infinite, or NaN. (To type checkers, numbers.Real
    has no order and no arithmetic.)"""
    if not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, Integral)


class ForestOf(Protocol[_Estimator]):
    """A forest of trees of one kind."""

    estimators_: list[_Estimator]

    def _make_estimator(self, seed: int | None = None) -> _Estimator: ...


class Names(Protocol):
    """Names of features by their numbers."""

    def __getitem__(self, feature: Any, /) -> str: ...


class SupportsWrite(Protocol):
    """A file that takes text."""

    def write(self, text: str, /) -> object: ...
