cimport cython

from pytrees._core.base.types cimport index_t
from pytrees._core.rows.partition cimport Block, RowPartition
from pytrees._core.sequence.scanner cimport FeatureOrders
from pytrees._core.split.allowed_cuts cimport Limits


@cython.final
cdef class NodeOrders(FeatureOrders):
    """The orders of one node at a time, whose samples are in a block."""

    cdef RowPartition partition
    cdef Limits limits
    cdef Block block
    cdef index_t start, stop                    # of the node, among the partition's rows
    cdef index_t[::1] number_of_place           # a place's number among the node's places
