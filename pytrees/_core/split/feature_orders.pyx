"""The orders of a node's samples by its features, for criteria on label sequences."""

import numpy as np

cimport cython

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport index_t, uint32_t, uint64_t
from pytrees._core.rows.partition cimport RowPartition, entries_of, missing_of
from pytrees._core.sequence.scanner cimport FeatureOrders
from pytrees._core.split.allowed_cuts cimport (
    AllowedCuts, Limits, allow_by_samples, allows, allows_some, choose_candidates, has_cut_between, is_tried, last_cut,
)


@cython.final
cdef class NodeOrders(FeatureOrders):
    def __cinit__(self, RowPartition partition, Limits limits):
        self.partition = partition
        self.limits = limits
        self.number_of_place = np.empty(partition.row_of_place.shape[0], dtype=np.int32)

    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil:
        if self.partition.is_wide:
            return _read(self, feature, missing_first, order, cuts, n_missing, <const uint64_t*> NULL)
        return _read(self, feature, missing_first, order, cuts, n_missing, <const uint32_t*> NULL)


cdef index_t _read(
    NodeOrders orders, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing,
    const Entry* width
) noexcept nogil:
    """Read the order of the node's samples by a feature, and the cuts to try, as FeatureOrders.read."""
    cdef index_t i, n_left, n_cuts = 0, n = orders.stop - orders.start
    cdef const Entry* entries = entries_of(orders.partition, orders.block, feature, orders.start, orders.stop, width)
    cdef AllowedCuts allowed
    n_missing[0] = missing_of(orders.partition, orders.block, feature, entries, n)
    allowed = allow_by_samples(&orders.limits, n, n_missing[0])
    if n_missing[0] == 0 and not has_cut_between(&allowed, entries):
        return 0
    choose_candidates(&allowed, entries, orders.limits.max_candidates)
    for i in range(1, last_cut(&allowed) + 1):
        if key_of(entries[i - 1]) == key_of(entries[i]) or not allows_some(&allowed, i) or not is_tried(&allowed):
            continue
        if allows(&allowed, missing_first, i):
            cuts[n_cuts] = i + n_missing[0] if missing_first else i
            n_cuts += 1
    if n_cuts == 0:
        return 0
    n_left = n_missing[0] if missing_first else 0
    for i in range(n - n_left):
        order[n_left + i] = orders.number_of_place[place_of(entries[i])]
    for i in range(n_left):
        order[i] = orders.number_of_place[place_of(entries[n - n_left + i])]
    return n_cuts
