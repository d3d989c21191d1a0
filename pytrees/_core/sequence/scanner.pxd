"""Best split of one node by the Effort-To-Compress or the Lempel-Ziv complexity of its children's label sequences."""

cimport cython
from cpython.pythread cimport PyThread_type_lock

from pytrees._core.base.types cimport index_t, int64_t, uint8_t, uint64_t
from pytrees._core.sequence.groups cimport GroupCosts, NodeGroups
from pytrees._core.sequence.history cimport ExhaustiveHistory, LabelPlanes
from pytrees._core.sequence.substitution cimport PairSubstitution, Run


cdef enum SequenceImpurity:
    # What is the impurity of a label sequence.
    EFFORT          # Effort-To-Compress
    COMPLEXITY      # Lempel-Ziv complexity


cdef class FeatureOrders:
    """Base class of readers: the order of a node's samples by a feature, and the cuts to try."""

    # Write the node's rows in ascending order of the feature, each as its place among the rows, to `order`, those that
    # lack its value last, or with `missing_first` first; the cuts to try in this order, each as its number of rows on
    # the left, ascending, to `cuts`; and the number of rows that lack the value to `n_missing`. Returns how many cuts
    # there are; where there are none, `order` is not written.
    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil


cdef struct Place:
    index_t previous, next, symbol


cdef struct Link:
    index_t place, symbol


cdef struct SequenceLevel:
    index_t length
    index_t n_distinct      # different pairs, the two at the ends not counted
    index_t left, right     # the pair to be replaced next
    index_t count           # its occurrences without overlap
    index_t rival           # no other pair has more


@cython.final
cdef class ChildSequence:
    """The label sequence of one child of a cut, and its first substitutions, a level each."""

    cdef index_t n_rows, n_classes
    cdef index_t n_levels           # levels[:n_levels] belong to the sequence as it is
    cdef SequenceLevel[::1] levels
    cdef Place[:, ::1] places       # a row a level
    cdef index_t[:, ::1] counts     # of all pairs, a row a level
    cdef Link[::1] links            # scratch: what takes the place of a part of the sequence
    cdef index_t[::1] flat_places   # scratch: places of the symbols of a level, in order


cdef struct Cut:
    int64_t cost            # sum over the children of their length times their impurity
    index_t feature         # NONE before any cut
    index_t n_left, n_missing_left      # rows on the left, and those of them that lack the feature's value


@cython.final
cdef class SequenceWorker:
    """Scratch memory of one thread that scans a feature."""

    cdef index_t[::1] sequence      # labels whose impurity is asked for; they may be overwritten
    cdef PairSubstitution state     # of EFFORT, otherwise None
    cdef ChildSequence left, right  # the same; None where there are too many classes
    cdef ExhaustiveHistory history  # of COMPLEXITY, otherwise None
    cdef LabelPlanes left_planes, right_planes  # the same; None where there are too many classes
    cdef uint64_t[::1] left_rows    # the same: a bit a row of the node
    cdef GroupCosts group_costs     # None without groups
    cdef index_t[::1] order, cuts
    cdef index_t[::1] n_left_of_run    # how many of each run of the node are on the left
    cdef uint8_t[::1] is_left       # by place, the first place being 1; place 0 counts as left


@cython.final
cdef class SequenceScanner:
    cdef index_t n_rows, n_classes, n_threads
    cdef SequenceImpurity impurity
    cdef index_t[::1] labels        # of the node's rows, in the order of the rows: the caller writes them here
    cdef index_t[::1] features      # to be scanned, ascending; the caller writes them here
    cdef Run[::1] runs              # of equal labels
    cdef index_t[::1] run_of_row
    cdef NodeGroups groups          # None without groups; the caller adds the node's samples to them
    cdef index_t length, n_runs, n_features
    cdef int64_t node_cost          # of the node undivided

    # What the threads share; behind the lock while there are several.
    cdef PyThread_type_lock lock
    cdef index_t n_taken            # features that a thread has taken
    cdef bint stops
    cdef Cut best
    cdef list workers
    cdef SequenceWorker worker      # of the calling thread
    cdef object pool


cdef int find_cut(
    SequenceScanner scanner, FeatureOrders orders, index_t length, index_t n_features, index_t max_cuts
) except -1 nogil
cdef index_t impurity_of_sequence(
    SequenceScanner scanner, SequenceWorker worker, index_t length, index_t limit
) noexcept nogil
