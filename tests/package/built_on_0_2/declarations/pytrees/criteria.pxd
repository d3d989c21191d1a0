from pytrees._core.base.types cimport index_t
from pytrees._core.criteria.user cimport CountCriterion, SequenceCriterion, SumCriterion
