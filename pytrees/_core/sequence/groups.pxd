"""Samples of several groups, each of which is a label sequence of its own: how groups and their costs lie in memory."""

cimport cython

from pytrees._core.base.types cimport index_t, int64_t, uint8_t
from pytrees._core.sequence.impurities cimport ImpurityMemory


@cython.final
cdef class NodeGroups:
    """The groups of a node. Its samples are numbered group by group."""

    cdef const index_t[::1] group_of_row    # by row of the whole table
    cdef index_t n_groups                   # of the node, numbered from 0 on
    cdef index_t last_row                   # the row of the sample that was added last
    cdef index_t[::1] group_of_sample       # by sample of the node
    cdef index_t[::1] starts                # group g has the samples starts[g] to starts[g + 1] - 1
    cdef int64_t[::1] costs                 # by group: its number of samples times the impurity of their sequence


@cython.final
cdef class GroupCosts:
    """Memory of one thread for the cost of a cut, group by group."""

    cdef ImpurityMemory memory
    cdef index_t[::1] sequence      # memory.sequence
    cdef int64_t[::1] costs         # by group; the cost of a pending group is out of date
    cdef int64_t known              # sum of the costs of groups that are not pending
    cdef index_t[::1] pending       # groups of which samples have moved since their cost was computed
    cdef index_t n_pending
    cdef uint8_t[::1] is_pending


cdef void add_sample(NodeGroups groups, index_t sample, index_t row) noexcept nogil
cdef int64_t cost_of_node(NodeGroups groups, GroupCosts costs, const index_t[::1] labels) except -1 nogil
cdef void start_cuts(NodeGroups groups, GroupCosts costs) noexcept nogil
cdef void move_sample(NodeGroups groups, GroupCosts costs, index_t sample) noexcept nogil
cdef int64_t cost_of_cut(
    NodeGroups groups, GroupCosts costs, const index_t[::1] labels, const uint8_t[::1] is_left, int64_t limit
) except -1 nogil
