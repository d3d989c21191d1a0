"""Samples drawn with replacement, and counted."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer

from pytrees._core.base.types cimport int64_t, uint32_t


cdef struct BitGenerator:
    # NumPy's interface of its bit generators, up to what is asked here.
    void* state
    void* next_uint64
    uint32_t (*next_uint32)(void* state) noexcept nogil


def count_draws(random_state, Py_ssize_t n_rows, Py_ssize_t n_draws):
    """Count how often each of up to 2**31 samples is drawn, as int64: the draws are those of `randint(n_rows,
    size=n_draws)` of a RandomState that no other thread uses.

    This takes 32 bits for a draw, as many of them as the greatest number has, and draws again where that is too great.
    """
    cdef uint32_t mask = 0
    while <Py_ssize_t> mask < n_rows - 1:
        mask = 2 * mask + 1
    # Behind the samples are the numbers that are too great: to count them, too, takes less than a jump.
    cdef int64_t[::1] counts = np.zeros(<Py_ssize_t> mask + 1, dtype=np.int64)
    cdef BitGenerator* bits = <BitGenerator*> PyCapsule_GetPointer(random_state._bit_generator.capsule, b"BitGenerator")
    cdef Py_ssize_t n_drawn = n_draws if n_rows == 1 else 0
    cdef uint32_t drawn
    counts[0] = n_drawn
    with nogil:
        while n_drawn < n_draws:
            drawn = bits.next_uint32(bits.state) & mask
            counts[drawn] += 1
            n_drawn += <Py_ssize_t> drawn < n_rows
    return np.asarray(counts)[:n_rows]
