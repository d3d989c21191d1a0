"""The order of a node's samples by a feature, and the cuts to try, for criteria on label sequences."""

cimport cython

from pytrees._core.base.types cimport index_t
from pytrees._core.rows.partition cimport Block, RowPartition
from pytrees._core.sequence.scanner cimport FeatureOrders


@cython.final
cdef class NodeOrders(FeatureOrders):
    cdef RowPartition partition
    cdef index_t min_samples_leaf, max_candidates
    cdef Block block                        # the node is [start, stop) of this block
    cdef index_t start, stop
    cdef index_t[::1] sample_of_place       # number of a place's sample among the node's samples


cdef void start_orders(NodeOrders orders, Block block, index_t start, index_t stop) noexcept nogil
