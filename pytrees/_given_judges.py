"""A judge of splits as a user gives it: the types of parameters, and the criteria of numbers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._typing import CriterionName, DistanceName, ErrorName
from .criteria import Criterion, RankingImpurity, WeightedInformationGain
from .distances import JaccardDistance

if TYPE_CHECKING:
    from .criteria import CountCriterion, SequenceCriterion, SumCriterion

CriterionLike: TypeAlias = (
    "CriterionName | WeightedInformationGain | RankingImpurity | CountCriterion | SequenceCriterion"
)
ErrorLike: TypeAlias = "ErrorName | SumCriterion"
DistanceLike: TypeAlias = "DistanceName | CriterionLike | JaccardDistance | Literal['mts']"

# Criteria of numbers, by which regressors judge splits.
ERRORS = {
    criterion.name: criterion
    for criterion in (Criterion("squared_error", judges="numbers"), Criterion("absolute_error", judges="numbers"))
}


def resolve_error(criterion: Any) -> Any:
    """Return the criterion of numbers of a name, or the object itself."""
    return ERRORS[criterion] if isinstance(criterion, str) else criterion
