"""Extensions of compilers, or what `compiler.h` has in their place."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef extern from "compiler.h" nogil:
    # Four numbers side by side; sums and products are taken number by number. Addresses are multiples of 16 bytes, and
    # the numbers may also be read one by one.
    ctypedef uint32_t lanes_t "pytrees_lanes"
    void prefetch "pytrees_prefetch"(const void*) noexcept
    int popcount "pytrees_popcount"(uint64_t) noexcept
    int trailing_zeros "pytrees_trailing_zeros"(uint64_t) noexcept
    int bit_length "pytrees_bit_length"(uint32_t) noexcept
    uint32_t word_at "pytrees_word_at"(const uint8_t*) noexcept
    const char* PYTREES_VECTORS_NAME
