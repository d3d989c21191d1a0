"""The order of a node's samples by a feature, and the cuts to try, for criteria on label sequences.

The order names samples by their number in the node. Samples whose value is missing stand at one end of it.
"""

import numpy as np

cimport cython

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport index_t, int64_t, uint32_t, uint64_t
from pytrees._core.rows.partition cimport Block, RowPartition, count_missing, entries_of
from pytrees._core.sequence.scanner cimport FeatureOrders


@cython.final
cdef class NodeOrders(FeatureOrders):
    def __cinit__(self, RowPartition partition, index_t min_samples_leaf, index_t max_candidates):
        self.partition = partition
        self.min_samples_leaf = min_samples_leaf
        self.max_candidates = max_candidates
        self.sample_of_place = np.empty(partition.row_of_place.shape[0], dtype=np.int32)

    cdef index_t read(
        self, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing
    ) noexcept nogil:
        if self.partition.is_wide:
            return _read(self, feature, missing_first, order, cuts, n_missing, <const uint64_t*> NULL)
        return _read(self, feature, missing_first, order, cuts, n_missing, <const uint32_t*> NULL)


cdef void start_orders(NodeOrders orders, Block block, index_t start, index_t stop) noexcept nogil:
    """Start the node that is [start, stop) of a block: number its samples."""
    cdef index_t i
    orders.block = block
    orders.start = start
    orders.stop = stop
    for i in range(start, stop):
        orders.sample_of_place[orders.partition.rows[i]] = i - start


cdef index_t _read(
    NodeOrders orders, index_t feature, bint missing_first, index_t* order, index_t* cuts, index_t* n_missing,
    const Entry* width
) noexcept nogil:
    """Read a feature as FeatureOrders.read."""
    cdef index_t i, n_cuts, n_first, n = orders.stop - orders.start
    cdef const Entry* entries = entries_of(
        orders.partition, orders.block, feature, orders.start, orders.stop, width
    )
    n_missing[0] = 0
    if orders.partition.features.has_missing:
        n_missing[0] = count_missing(orders.partition, orders.block, feature, entries, n)
    n_cuts = _list_cuts(orders, entries, n, n_missing[0], missing_first, cuts)
    if n_cuts == 0:
        return 0
    # The missing values, which are the last entries, come first in the order where `missing_first` asks for it.
    n_first = n_missing[0] if missing_first else 0
    for i in range(n_first):
        order[i] = orders.sample_of_place[place_of(entries[n - n_first + i])]
    for i in range(n - n_first):
        order[n_first + i] = orders.sample_of_place[place_of(entries[i])]
    return n_cuts


cdef inline index_t _list_cuts(
    NodeOrders orders, const Entry* entries, index_t n, index_t n_missing, bint missing_first, index_t* cuts
) noexcept nogil:
    """List the cuts to try with the missing values on one side, each as its number of samples on the left."""
    cdef index_t i, k, n_allowed = 0, n_cuts = 0, n_known = n - n_missing
    cdef index_t min_samples_leaf = orders.min_samples_leaf, max_candidates = orders.max_candidates
    # A cut behind i known values is allowed with the missing ones on the right if fewest_right <= i <= most_right, and
    # with them on the left if fewest_left <= i <= most_left.
    cdef index_t fewest_right = min_samples_leaf, most_right = min(n - min_samples_leaf, n_known)
    cdef index_t fewest_left = max(min_samples_leaf - n_missing, 1), most_left = n_known - min_samples_leaf
    for i in range(fewest_left, most_right + 1):
        if key_of(entries[i - 1]) != key_of(entries[i]) and (
            fewest_right <= i or n_missing > 0 and i <= most_left
        ):
            cuts[n_allowed] = i
            n_allowed += 1
    # Of more cuts than max_candidates, as many are tried, evenly spaced.
    if n_allowed > max_candidates:
        for k in range(max_candidates):
            cuts[k] = cuts[(2 * <int64_t> k + 1) * n_allowed // (2 * <int64_t> max_candidates)]
        n_allowed = max_candidates
    for k in range(n_allowed):
        i = cuts[k]
        if missing_first and fewest_left <= i <= most_left:
            cuts[n_cuts] = i + n_missing
            n_cuts += 1
        elif not missing_first and fewest_right <= i:
            cuts[n_cuts] = i
            n_cuts += 1
    return n_cuts
