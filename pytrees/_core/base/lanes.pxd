"""Declare what the loops of `lanes.h` share."""

from libc.stdint cimport int32_t


cdef extern from "lanes.h":
    ctypedef struct node_weights:
        int32_t of_0, of_1
