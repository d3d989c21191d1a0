"""The accelerators of one tree. They find the cuts and divide the rows as the plain engine does, in less time."""

cimport cython

from pytrees._core.base.types cimport index_t
from pytrees._core.fast.histogram cimport Bins, Slot
from pytrees._core.fast.state cimport FastState
from pytrees._core.split.node_search cimport NodeRows, NodeSearch


@cython.final
cdef class FastFeatures:
    """The part that trees share: how their nodes may be searched, and bins of the table."""

    cdef Bins bins                      # None if all nodes are in blocks
    cdef readonly Py_ssize_t block_rows     # nodes of more samples use bins of the table
    cdef index_t rows_per_leaf          # nodes of more samples for every leaf below them use them too; 0: no such rule
    cdef bint uses_node_bins            # instead of bins of the table


@cython.final
cdef class FastEngine(FastState):
    cdef int _count_all(self, NodeSearch search, Slot* slot, const NodeRows* node) except -1 nogil
