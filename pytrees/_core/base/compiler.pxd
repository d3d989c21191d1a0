"""Extensions of compilers, or what `compiler.h` has in their place."""

from libc.stdint cimport uint32_t, uint64_t


cdef extern from "compiler.h" nogil:
    # Four side by side, each of which is added to and multiplied on its own; at multiples of 16 bytes. They may be read
    # as what they are made of.
    ctypedef uint32_t lanes_t "pytrees_lanes"
    void prefetch "pytrees_prefetch"(const void*) noexcept
    int popcount "pytrees_popcount"(uint64_t) noexcept
    int trailing_zeros "pytrees_trailing_zeros"(uint64_t) noexcept
    int bit_length "pytrees_bit_length"(uint32_t) noexcept
    const char* PYTREES_VECTORS_NAME
