"""Samples drawn with replacement from a seed, as NumPy's legacy generator draws them.

The words come from the Mersenne Twister MT19937, seeded by one word: M. Matsumoto and T. Nishimura, "Mersenne twister:
a 623-dimensionally equidistributed uniform pseudo-random number generator", ACM Transactions on Modeling and Computer
Simulation 8 (1998), pages 3-30. NumPy has frozen both this stream and how `RandomState.randint` makes numbers of it.
"""

import numpy as np

from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport UNLIMITED, int32_t, int64_t, uint32_t

cdef enum:
    N_WORDS = 624
    FAR = 397
    DRAWS_BETWEEN_CHECKS = 1000000      # for signals


# The state of the generator, and the words made from it.
cdef struct Twister:
    uint32_t[N_WORDS] state
    uint32_t[N_WORDS] words


def count_draws(uint32_t seed, Py_ssize_t n_rows, Py_ssize_t n_draws):
    """Draw numbers below n_rows as ``RandomState(seed).randint(n_rows, size=n_draws)`` does.

    Returns the numbers drawn, ascending, and how often each was drawn, as int64.
    """
    if not 1 <= n_rows <= UNLIMITED:
        raise ValueError(f"n_rows must be in 1..{UNLIMITED}, got {n_rows}.")
    if not 0 <= n_draws <= UNLIMITED:
        raise ValueError(f"n_draws must be in 0..{UNLIMITED}, got {n_draws}.")
    cdef Twister twister
    cdef uint32_t mask = _mask_of(<uint32_t> (n_rows - 1))
    cdef int32_t[::1] counts = np.zeros(<Py_ssize_t> mask + 1, dtype=np.int32)
    cdef int64_t[::1] drawn = np.empty(min(n_rows, n_draws) + 1, dtype=np.int64)
    cdef int64_t[::1] counts_of_drawn = np.empty(drawn.shape[0], dtype=np.int64)
    cdef Py_ssize_t n_drawn
    with nogil:
        _seed(&twister, seed)
        _count(&twister, mask, n_rows, n_draws, &counts[0])
        n_drawn = _list_drawn(&counts[0], n_rows, &drawn[0], &counts_of_drawn[0])
    return np.asarray(drawn)[:n_drawn], np.asarray(counts_of_drawn)[:n_drawn]


cdef inline uint32_t _mask_of(uint32_t largest) noexcept nogil:
    """Return the smallest number that is not less and has only ones in binary."""
    cdef uint32_t mask = 0
    while mask < largest:
        mask = mask << 1 | 1
    return mask


cdef inline int _count(
    Twister* twister, uint32_t mask, Py_ssize_t n_rows, Py_ssize_t n_draws, int32_t* counts
) except -1 nogil:
    """Count masked words until n_draws of them were below n_rows; others are not drawn, but counted, too."""
    cdef Py_ssize_t i, n_drawn = 0
    cdef uint32_t number
    cdef int64_t unchecked = 0
    while n_drawn < n_draws:
        check_signals(&unchecked, N_WORDS, DRAWS_BETWEEN_CHECKS)
        _refill(twister)
        for i in range(N_WORDS):
            if n_drawn == n_draws:
                break
            number = twister.words[i] & mask
            counts[number] += 1
            n_drawn += <Py_ssize_t> number < n_rows


cdef inline Py_ssize_t _list_drawn(
    const int32_t* counts, Py_ssize_t n_rows, int64_t* drawn, int64_t* counts_of_drawn
) noexcept nogil:
    """Write the rows that were drawn, and how often; return how many there are. One more place is overwritten again and
    again."""
    cdef Py_ssize_t row, n_drawn = 0
    for row in range(n_rows):
        drawn[n_drawn] = row
        counts_of_drawn[n_drawn] = counts[row]
        n_drawn += counts[row] > 0
    return n_drawn


# ------------------------------------------------------------------------------------------------ the Mersenne Twister

cdef void _seed(Twister* twister, uint32_t seed) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(N_WORDS):
        twister.state[i] = seed
        seed = <uint32_t> 1812433253 * (seed ^ seed >> 30) + <uint32_t> (i + 1)


cdef void _refill(Twister* twister) noexcept nogil:
    """Advance the state by all of its words, and make the next words of it."""
    cdef uint32_t* state = twister.state
    cdef uint32_t word
    cdef Py_ssize_t i
    for i in range(N_WORDS - FAR):
        state[i] = state[i + FAR] ^ _twisted(state[i], state[i + 1])
    for i in range(N_WORDS - FAR, N_WORDS - 1):
        state[i] = state[i + FAR - N_WORDS] ^ _twisted(state[i], state[i + 1])
    state[N_WORDS - 1] = state[FAR - 1] ^ _twisted(state[N_WORDS - 1], state[0])
    for i in range(N_WORDS):
        word = state[i]
        word ^= word >> 11
        word ^= word << 7 & <uint32_t> 0x9D2C5680
        word ^= word << 15 & <uint32_t> 0xEFC60000
        twister.words[i] = word ^ word >> 18


cdef inline uint32_t _twisted(uint32_t one, uint32_t following) noexcept nogil:
    cdef uint32_t joined = one & <uint32_t> 0x80000000 | following & <uint32_t> 0x7FFFFFFF
    return joined >> 1 ^ (<uint32_t> 0 - (joined & 1) & <uint32_t> 0x9908B0DF)
