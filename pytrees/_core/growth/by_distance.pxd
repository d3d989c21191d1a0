"""Growth of a tree whose splits are judged by a distance between clusterings."""

cimport cython

from pytrees._core.growth.distances cimport ClusterMemory
from pytrees._core.base.exact_sums cimport TermSum
from pytrees._core.growth.leaf_scan cimport LeafScan, Step
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.scanner cimport NodeRows, Scanner
from pytrees._core.growth.sides cimport Merit
from pytrees._core.base.types cimport (float64_t, index_t, int64_t, uint64_t)
from pytrees._core.split.scan cimport (CriterionCode)


cdef struct Node:
    NodeRows rows
    index_t first_child, n_children     # that have consecutive numbers
    index_t category                    # that leads to it from its parent, where that is a categorical split
    index_t depth, feature, label, step
    float64_t threshold, gain
    uint64_t random_state   # as in growth
    # Of a leaf: the best split within it, and where the distance is a sum over the leaves the best of global ones.
    bint knows_local, knows_global, has_large_merit
    Step local_step, global_step
    float64_t local_gain
    Merit merit


@cython.final
cdef class Growth:
    """A tree as it grows: its nodes in the order in which they were made, and the leaves that may still be split."""

    cdef RowPartition partition
    cdef Scanner scanner
    cdef CriterionCode code
    cdef index_t n_classes, max_depth, min_samples_split, max_leaf_nodes
    # Whether steps judge the whole tree, whether they judge leaves, at least where no global one decreases the
    # distance, and whether each must decrease it.
    cdef bint is_global, is_local, must_decrease
    cdef bint has_categories        # whether features may be categorical: the tree then tells its children by offsets
    cdef bint knows_distance        # otherwise the criterion only knows gains
    cdef dict large_merits          # of leaves, where a `Merit` has no room for them
    cdef ClusterMemory memory
    cdef LeafScan scan
    cdef TermSum[3] term_sums
    # Scratch, by class: the counts of a node, or of both sides of a cut; and what a scan keeps.
    cdef int64_t[:, ::1] counts, scan_counts, merged
    cdef int64_t[:, ::1] terms      # of the sums, one after the other, and their signs
    cdef int[::1] signs
    cdef float64_t[:, ::1] weights, scan_scores
    cdef Node* nodes
    cdef float64_t* values          # class counts, n_classes a node
    cdef Py_ssize_t node_capacity, value_capacity, open_capacity
    cdef index_t n_nodes, n_leaves, n_open
    cdef index_t* open_leaves       # from left to right
    cdef int64_t n_scanned          # entries since the last look at the keyboard
