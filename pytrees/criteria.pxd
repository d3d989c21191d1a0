"""Base classes of criteria of your own, for Cython."""

from pytrees._core.criteria.user cimport CountCriterion, SequenceCriterion, SumCriterion
