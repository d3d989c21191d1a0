"""Passes over a whole sequence: one loads it, one counts its pairs, one replaces a pair.

Symbols are whole numbers from 0 on. A pair is two neighbouring symbols. Pairs are counted and replaced without overlap,
greedily from the left: a run of L equal symbols holds L // 2 pairs. While there are few symbols, a symbol is a byte.
"""

from libc.string cimport memset

from pytrees._core.base.types cimport index_t, uint8_t, uint16_t

cdef enum:
    BLOCK = 256     # pairs that are coded before they are counted
    FEW = 128       # shorter sequences are rewritten in one pass

ctypedef fused symbol_t:
    uint8_t
    index_t


cdef inline int load_codes(const index_t[::1] codes, Py_ssize_t n_symbols, index_t* sequence) except -1:
    """Write the codes to a sequence. Raise ValueError unless all are symbols."""
    cdef Py_ssize_t i
    for i in range(codes.shape[0]):
        if not 0 <= codes[i] < n_symbols:
            raise ValueError(f"Code {codes[i]} at position {i} is outside 0..{n_symbols - 1}.")
        sequence[i] = codes[i]


cdef inline void count_pairs(const uint8_t* symbols, index_t length, index_t n_symbols, index_t* table) noexcept nogil:
    """Count all pairs in a table with a row for every left symbol; n_symbols**2 < 2**16."""
    cdef uint16_t[BLOCK] codes
    cdef uint8_t[BLOCK] same
    cdef index_t i, block, start, size, overlaps = 0
    memset(table, 0, n_symbols * n_symbols * sizeof(index_t))
    for block in range((length + BLOCK - 2) // BLOCK):
        start = block * BLOCK
        size = min(<index_t> BLOCK, length - 1 - start)
        # The codes have a loop of their own, so that compilers vectorise it.
        for i in range(size):
            codes[i] = <uint16_t> (symbols[start + i] * n_symbols + symbols[start + i + 1])
            same[i] = symbols[start + i] == symbols[start + i + 1]
        # overlaps: the pair before was counted, and is a pair of equal symbols.
        for i in range(size):
            overlaps = same[i] & ~overlaps
            table[codes[i]] += overlaps | (1 - same[i])


cdef inline index_t replace_pair(
    symbol_t* sequence, index_t* positions, index_t length, symbol_t left, symbol_t right, symbol_t new
) noexcept nogil:
    """Replace every pair (left, right) by a new symbol, in place; return the new length of the sequence.

    Unless `positions` is NULL, it has a number for every symbol, and a new symbol keeps the number of the left one.
    """
    cdef index_t i, starts, written = 0, emits = 1
    cdef symbol_t here, following = sequence[0]
    # emits: position i is not the second half of a replaced pair. sequence[:written] is final, and written <= i.
    # There are no branches, because the positions of the pair cannot be predicted.
    for i in range(length - 1):
        here = following
        following = sequence[i + 1]
        starts = (here == left) & (following == right) & emits
        sequence[written] = here ^ ((here ^ new) & <symbol_t> -starts)
        if positions != NULL:
            positions[written] = positions[i]
        written += emits
        emits = 1 - starts
    sequence[written] = following
    if positions != NULL:
        positions[written] = positions[length - 1]
    return written + emits


cdef inline index_t replace_in_bytes(
    uint8_t* symbols, uint8_t* stays, index_t length, uint8_t left, uint8_t right, uint8_t new
) noexcept nogil:
    """Replace pairs as `replace_pair` does, in a sequence of bytes; `stays` is scratch of the same length."""
    cdef index_t i, starts, written = 0
    if left == right or length < FEW:
        return replace_pair[uint8_t](symbols, NULL, length, left, right, new)
    # Pairs of different symbols do not overlap, so compilers can vectorise the first pass.
    # stays[i]: symbol i is not the right one of a replaced pair.
    stays[0] = 1
    for i in range(length - 1):
        starts = (symbols[i] == left) & (symbols[i + 1] == right)
        stays[i + 1] = <uint8_t> (1 - starts)
        symbols[i] ^= (symbols[i] ^ new) & <uint8_t> -starts
    # symbols[:written] is final, and written <= i.
    for i in range(length):
        symbols[written] = symbols[i]
        written += stays[i]
    return written
