"""Stable sort of places by a key, both packed in one integer, inlined where it is cimported."""

from libc.string cimport memcpy, memset

from pytrees._core.base.types cimport index_t, uint32_t, uint64_t

cdef enum:
    SHORT_DIGIT_BITS = 8
    N_SHORT_COUNTS = 4 * 256
    LONG_DIGIT_BITS = 11
    N_LONG_COUNTS = 3 * 2048
    # From here on fewer, longer digits are worth their counts.
    LONG_DIGITS_LENGTH = 1024
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
    elif Entry is uint64_t and n >= LONG_DIGITS_LENGTH:
        _sort_by_long_digits(entries, spare, n)
    else:
        _sort_by_short_digits(entries, spare, n)


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
    _sort_by_digits(entries, spare, n, SHORT_DIGIT_BITS, sizeof(Entry) // 2, counts)


cdef inline void _sort_by_long_digits(Entry* entries, Entry* spare, index_t n) noexcept nogil:
    """Three digits, which have 33 bits together."""
    cdef uint32_t counts[N_LONG_COUNTS]
    _sort_by_digits(entries, spare, n, LONG_DIGIT_BITS, 3, counts)


cdef inline void _sort_by_digits(
    Entry* entries, Entry* spare, index_t n, int digit_bits, int n_digits, uint32_t* counts
) noexcept nogil:
    """Radix sort, least significant digit of the key first; digits that all keys share cost nothing."""
    cdef uint32_t n_values = <uint32_t> 1 << digit_bits
    cdef uint32_t key, value, count, offset
    cdef uint32_t* digit_counts
    cdef int digit
    cdef Entry* source = entries
    cdef Entry* target = spare
    cdef index_t i
    memset(counts, 0, n_digits * n_values * sizeof(uint32_t))
    for i in range(n):
        key = key_of(entries[i])
        for digit in range(n_digits):
            counts[digit * n_values + ((key >> (digit * digit_bits)) & (n_values - 1))] += 1
    for digit in range(n_digits):
        digit_counts = counts + digit * n_values
        key = key_of(source[0])
        if digit_counts[(key >> (digit * digit_bits)) & (n_values - 1)] == <uint32_t> n:
            continue
        offset = 0
        for value in range(n_values):
            count = digit_counts[value]
            digit_counts[value] = offset
            offset += count
        # digit_counts[v] is the place of the next entry with digit v.
        for i in range(n):
            value = (key_of(source[i]) >> (digit * digit_bits)) & (n_values - 1)
            target[digit_counts[value]] = source[i]
            digit_counts[value] += 1
        source, target = target, source
    if source != entries:
        memcpy(entries, source, n * sizeof(Entry))
