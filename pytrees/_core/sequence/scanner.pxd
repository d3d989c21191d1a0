"""The best cut of a node by the impurity of its children's label sequences: the state of a scan."""

cimport cython
from cpython.pythread cimport PyThread_type_lock

from pytrees._core.base.types cimport index_t, int64_t, uint8_t
from pytrees._core.sequence.groups cimport GroupCosts, NodeGroups
from pytrees._core.sequence.impurities cimport ImpurityMemory, SequenceImpurity
from pytrees._core.sequence.substitution cimport Run


cdef class FeatureOrders:
    """Base class of readers: the order of a node's samples by a feature, and the cuts to try."""

    # Write to `order` the numbers of the node's rows in ascending order of the feature; rows that lack its value come
    # last, or first with `missing_first`. Write to `cuts` the cuts to try, ascending: each is its number of rows on the
    # left. Write to `n_missing` the number of rows that lack the value. Return the number of cuts. If it is 0, `order`
    # need not be written.
    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil


cdef struct Cut:
    int64_t cost            # sum over the children of their length times their impurity
    index_t feature         # NONE before any cut
    index_t n_left, n_missing_left      # rows on the left, and those of them that lack the feature's value


@cython.final
cdef class SequenceWorker:
    """Scratch memory of one thread that scans a feature."""

    cdef ImpurityMemory memory
    cdef index_t[::1] sequence      # memory.sequence
    cdef GroupCosts group_costs     # None without groups
    cdef index_t[::1] order, cuts
    cdef index_t[::1] n_left_of_run     # by run of the node: how many of its rows are on the left
    cdef int64_t unchecked          # work since signals were checked
    cdef uint8_t[::1] is_left       # is_left[i + 1] is about row i; is_left[0] is true


@cython.final
cdef class SequenceScanner:
    cdef index_t n_rows, n_classes, n_threads
    cdef SequenceImpurity impurity
    cdef index_t[::1] labels        # of the node's rows, in the order of the rows: the caller writes them here
    cdef index_t[::1] features      # to be scanned, ascending; the caller writes them here
    cdef Run[::1] runs              # the node's runs of equal labels
    cdef index_t[::1] run_of_row
    cdef NodeGroups groups          # None without groups; the caller adds the node's samples to them
    cdef index_t length, n_runs, n_features
    cdef int64_t node_cost          # of the node undivided

    # Shared by the threads; a thread needs the lock to use them, if there are several threads.
    cdef PyThread_type_lock lock
    cdef index_t n_taken            # features that a thread has taken
    cdef bint stops
    cdef Cut best
    cdef list workers
    cdef SequenceWorker worker      # of the calling thread


cdef int find_cut(
    SequenceScanner scanner, FeatureOrders orders, index_t length, index_t n_features, index_t max_cuts
) except -1 nogil
