"""The search among called rows, as `search` asks it."""

from pytrees._core.base.types cimport index_t
from pytrees._core.minimal.called_rows cimport CalledRows, FirstSplit


cdef int decide_rows(CalledRows search, const index_t* rows, index_t n_rows, index_t budget) except -1 nogil
cdef int choose_split(CalledRows search, const char* is_member, index_t budget, FirstSplit* split) except -1 nogil
