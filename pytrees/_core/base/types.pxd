"""All typedefs, enums and constants that several kernels use."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef float float32_t
ctypedef double float64_t

# A row, a class, a position in a sequence, a symbol, a node: all below 2**31, checked at the door.
ctypedef int32_t index_t

cdef enum:
    NONE = -1               # no pair, no parent, no cut
    LEAF = -1               # children of a leaf
    MULTIWAY = -2           # left and right child of a node with a child for every category
    UNDEFINED = -2          # feature and threshold of a leaf
    NO_CATEGORY = -1        # of a root, and of the children of a threshold
    UNLIMITED = 2147483647
    NONE_MISSING = -1       # the side of a node's samples that lack the value: there are none
    MISSING_RIGHT = 0
    MISSING_LEFT = 1
