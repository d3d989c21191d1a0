"""Stable sort of places by a key, both packed in one integer, inlined where it is cimported."""

from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport bit_length
from pytrees._core.base.types cimport index_t, uint32_t, uint64_t

cdef enum:
    SHORT_DIGIT_BITS = 8
    N_SHORT_COUNTS = 2 * 256
    LONG_DIGIT_BITS = 11
    N_LONG_COUNTS = 2 * 2048
    # From here on longer digits, which leave fewer keys to be told apart afterwards, are worth their counts.
    LONG_DIGITS_LENGTH = 2048
    # Up to here moving neighbours is cheaper than counting digits.
    INSERTION_LENGTH = 24


# The key in the upper half, the place in the lower one.
ctypedef fused Entry:
    uint32_t
    uint64_t


cdef inline index_t place_of(Entry entry) noexcept nogil:
    if Entry is uint32_t:
        return <index_t> (entry & 0xFFFF)
    else:
        return <index_t> (entry & <uint64_t> 0xFFFFFFFF)


cdef inline uint32_t key_of(Entry entry) noexcept nogil:
    if Entry is uint32_t:
        return entry >> 16
    else:
        return <uint32_t> (entry >> 32)


cdef inline Entry packed(uint32_t key, index_t place, Entry like) noexcept nogil:
    if Entry is uint32_t:
        return <uint32_t> (key << 16) | <uint32_t> place
    else:
        return (<uint64_t> key << 32) | <uint64_t> place


cdef inline void sort_entries(Entry* entries, Entry* spare, index_t n) noexcept nogil:
    """Ascending by key; entries of one key stay as they come, which is in ascending order of their places."""
    if n <= INSERTION_LENGTH:
        _sort_by_insertion(entries, n)
    elif n < LONG_DIGITS_LENGTH:
        _sort_by_short_digits(entries, spare, n)
    else:
        _sort_by_long_digits(entries, spare, n)


cdef inline void _sort_by_insertion(Entry* entries, index_t n) noexcept nogil:
    cdef index_t i, hole
    cdef Entry entry
    # entries[:i] are sorted; places ascend, so that whole integers compare as their keys and then their places do.
    for i in range(1, n):
        entry = entries[i]
        hole = i
        while hole > 0 and entries[hole - 1] > entry:
            entries[hole] = entries[hole - 1]
            hole -= 1
        entries[hole] = entry


cdef inline void _sort_by_short_digits(Entry* entries, Entry* spare, index_t n) noexcept nogil:
    cdef uint32_t counts[N_SHORT_COUNTS]
    _sort_by_digits(entries, spare, n, SHORT_DIGIT_BITS, counts)


cdef inline void _sort_by_long_digits(Entry* entries, Entry* spare, index_t n) noexcept nogil:
    cdef uint32_t counts[N_LONG_COUNTS]
    _sort_by_digits(entries, spare, n, LONG_DIGIT_BITS, counts)


cdef inline void _sort_by_digits(
    Entry* entries, Entry* spare, index_t n, int digit_bits, uint32_t* counts
) noexcept nogil:
    """Sort by the highest digits in which keys differ, one or two, and then each run of keys that share them."""
    cdef int n_bits = bit_length(_varied_bits(entries, n)), shift = 4 * sizeof(Entry) + max(n_bits - 2 * digit_bits, 0)
    cdef index_t start, stop, i = 1
    if n_bits == 0:
        return
    if n_bits <= digit_bits:
        sort_by_digits(entries, spare, n, shift, digit_bits, 1, counts)
        return
    sort_by_digits(entries, spare, n, shift, digit_bits, 2, counts)
    # entries[:i] are sorted.
    while i < n:
        if entries[i] >= entries[i - 1]:
            i += 1
            continue
        start, stop = i - 1, i + 1
        while start > 0 and entries[start - 1] >> shift == entries[i] >> shift:
            start -= 1
        while stop < n and entries[stop] >> shift == entries[i] >> shift:
            stop += 1
        sort_entries(entries + start, spare, stop - start)
        i = stop


cdef inline uint32_t _varied_bits(const Entry* entries, index_t n) noexcept nogil:
    """Return a number whose highest bit is the highest one in which keys differ; 0 if all keys are equal."""
    cdef uint32_t varied = 0, first = key_of(entries[0])
    cdef index_t i
    for i in range(n):
        varied |= key_of(entries[i]) ^ first
    return varied


cdef inline void sort_by_digits(
    Entry* entries, Entry* spare, index_t n, int shift, int digit_bits, int n_digits, uint32_t* counts
) noexcept nogil:
    """Stable radix sort by digits of the packed integers, from the bit `shift` on. `counts` has room for a number for
    each value of each digit."""
    cdef uint32_t n_values = <uint32_t> 1 << digit_bits
    cdef uint32_t digits, value, count, offset
    cdef uint32_t* places
    cdef Entry* source = entries
    cdef Entry* target = spare
    cdef index_t i
    cdef int digit
    memset(counts, 0, n_digits * n_values * sizeof(uint32_t))
    for i in range(n):
        digits = <uint32_t> (entries[i] >> shift)
        for digit in range(n_digits):
            counts[digit * n_values + ((digits >> (digit * digit_bits)) & (n_values - 1))] += 1
    for digit in range(n_digits):
        places = counts + digit * n_values
        offset = 0
        for value in range(n_values):
            count = places[value]
            places[value] = offset
            offset += count
        # places[v] is the place of the next entry with digit v.
        for i in range(n):
            value = <uint32_t> (source[i] >> (shift + digit * digit_bits)) & (n_values - 1)
            target[places[value]] = source[i]
            places[value] += 1
        source, target = target, source
    if source != entries:
        memcpy(entries, source, n * sizeof(Entry))
