"""Base classes of criteria of your own, for Cython, and `index_t`, the integers that label sequences have.

A package compiled on these declarations works with later versions too: tests/package/test_older_declarations.py.
"""

from pytrees._core.base.types cimport index_t
from pytrees._core.criteria.user cimport CountCriterion, SequenceCriterion, SumCriterion
