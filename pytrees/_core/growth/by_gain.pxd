"""A tree as it grows."""

cimport cython

from pytrees._core.rows.histogram cimport Histograms, Slot
from pytrees._core.rows.partition cimport RowPartition
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint64_t
from pytrees._core.criteria.user cimport UserCut


cdef struct Node:
    NodeRows rows
    index_t first_child     # LEAF, or that of n_children nodes that follow one another
    index_t n_children, depth, feature, category
    float64_t threshold, gain
    uint64_t random_state   # follows from the tree's seed and the path to the node, whatever the order of growth

cdef struct OpenLeaf:
    index_t node
    bint is_searched
    Split split


@cython.final
cdef class Growth:
    """A tree as it grows: its nodes in the order in which they were made, and the leaves that may still be split."""

    cdef RowPartition partition
    cdef Scanner scanner
    cdef Histograms histograms      # None where all rows are in one block
    cdef index_t max_depth, min_samples_split, max_leaf_nodes, block_rows, n_classes
    cdef float64_t min_gain
    cdef Node* nodes
    cdef float64_t* values          # class counts of the leaves, n_classes a node
    cdef Py_ssize_t node_capacity, value_capacity
    cdef index_t n_nodes, n_leaves
    # In descending order of their rows' place: the leftmost leaf stands last. Where the number of leaves is limited
    # their splits are known; otherwise each is looked for when it is the leaf's turn, so that all of a block's nodes
    # are done before the next block is sorted.
    cdef OpenLeaf* open_leaves
    cdef Py_ssize_t open_capacity
    cdef index_t n_open
    cdef Slot* drawn_slot           # counts of the drawn features of one node at a time, where not all are looked at
    cdef int64_t n_scanned          # entries since the last look at the keyboard
    # A user's criterion is asked for the cuts of many open leaves in one go.
    cdef bint searches_together
    cdef OpenLeaf* spare_leaves
    cdef UserCut* user_cuts         # by place among the open leaves
    cdef Py_ssize_t spare_capacity, user_cut_capacity
    # Total count times gain of the open leaves whose splits have large ones, by node; see ChildCounts.
    cdef dict large_gains
