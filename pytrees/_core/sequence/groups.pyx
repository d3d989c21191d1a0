"""Samples of several groups, each of which is a label sequence of its own: sequences never join across groups.

The impurity of a node is the mean of its groups' impurities, weighted by their numbers of samples. A child therefore
costs the sum over the groups of the number of its samples times the impurity of their sequence. Only groups whose
samples moved change between neighbouring cuts; the costs of the other groups are kept.
"""

import numpy as np

cimport cython

from pytrees._core.base.types cimport UNLIMITED, index_t, int64_t, uint8_t
from pytrees._core.sequence.impurities cimport ImpurityMemory, impurity_of, steps_left, take_child


def check_groups(groups, rows, Py_ssize_t n_rows):
    """Raise ValueError unless every row has a group, and the rows in use stand group by group, in ascending order."""
    if len(groups) != n_rows:
        raise ValueError(f"There are {len(groups)} groups for {n_rows} rows.")
    if np.any(np.diff(np.asarray(groups)[rows]) < 0):
        raise ValueError("The rows of a group must stand together, the groups in ascending order.")


@cython.final
cdef class NodeGroups:
    def __cinit__(self, group_of_row, Py_ssize_t n_rows):
        self.group_of_row = np.ascontiguousarray(group_of_row, dtype=np.int32)
        self.group_of_sample = np.empty(n_rows, dtype=np.int32)
        self.starts = np.empty(n_rows + 1, dtype=np.int32)
        self.costs = np.empty(n_rows, dtype=np.int64)


@cython.final
cdef class GroupCosts:
    def __cinit__(self, ImpurityMemory memory, Py_ssize_t n_rows):
        self.memory = memory
        self.sequence = memory.sequence
        self.costs = np.empty(n_rows, dtype=np.int64)
        self.pending = np.empty(n_rows, dtype=np.int32)
        self.is_pending = np.zeros(n_rows, dtype=np.uint8)


cdef void add_sample(NodeGroups groups, index_t sample, index_t row) noexcept nogil:
    """Add the next sample of the node: a row of the table."""
    if sample == 0 or groups.group_of_row[row] != groups.group_of_row[groups.last_row]:
        groups.starts[groups.n_groups] = sample
        groups.n_groups += 1
    groups.last_row = row
    groups.group_of_sample[sample] = groups.n_groups - 1
    groups.starts[groups.n_groups] = sample + 1


cdef int64_t cost_of_node(NodeGroups groups, GroupCosts costs, const index_t[::1] labels) except -1 nogil:
    """Return the cost of the node undivided, and keep it by group."""
    cdef index_t group, start, stop
    cdef int64_t total = 0
    for group in range(groups.n_groups):
        start, stop = groups.starts[group], groups.starts[group + 1]
        costs.sequence[:stop - start] = labels[start:stop]
        groups.costs[group] = (stop - start) * <int64_t> impurity_of(costs.memory, stop - start, UNLIMITED)
        total += groups.costs[group]
    return total


cdef void start_cuts(NodeGroups groups, GroupCosts costs) noexcept nogil:
    """Start the cuts of a feature, with all samples on the right."""
    cdef index_t group
    costs.known = costs.n_pending = 0
    for group in range(groups.n_groups):
        costs.costs[group] = groups.costs[group]
        costs.known += groups.costs[group]
        costs.is_pending[group] = False


cdef void move_sample(NodeGroups groups, GroupCosts costs, index_t sample) noexcept nogil:
    """Take note that a sample has moved to the left."""
    cdef index_t group = groups.group_of_sample[sample]
    if not costs.is_pending[group]:
        costs.is_pending[group] = True
        costs.pending[costs.n_pending] = group
        costs.n_pending += 1
        costs.known -= costs.costs[group]


cdef int64_t cost_of_cut(
    NodeGroups groups, GroupCosts costs, const index_t[::1] labels, const uint8_t[::1] is_left, int64_t limit
) except -1 nogil:
    """Return the cost of a cut, or a lower bound that reaches the limit. is_left[i + 1] is about sample i."""
    cdef index_t group
    cdef int64_t cost
    while costs.n_pending > 0 and costs.known < limit:
        group = costs.pending[costs.n_pending - 1]
        cost = _cost_of_group(groups, costs, labels, is_left, group, limit - costs.known)
        if costs.known + cost >= limit:
            return limit    # the group stays pending, because `cost` may be a bound
        costs.costs[group] = cost
        costs.known += cost
        costs.is_pending[group] = False
        costs.n_pending -= 1
    return costs.known


cdef int64_t _cost_of_group(
    NodeGroups groups, GroupCosts costs, const index_t[::1] labels, const uint8_t[::1] is_left, index_t group,
    int64_t limit
) except -1 nogil:
    cdef index_t side, length
    cdef int64_t cost = 0
    for side in range(2):
        length = take_child(labels, is_left, side, groups.starts[group], groups.starts[group + 1], costs.sequence)
        if length == 0:
            continue
        cost += length * <int64_t> impurity_of(costs.memory, length, steps_left(limit, cost, length))
        if cost >= limit:
            break
    return cost
