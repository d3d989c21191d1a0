"""A set of positions of which the lowest is asked for, as bits in memory of the caller.

Bit p & 63 of words[p >> 6] stands for position p, and bit w & 63 of groups[w >> 6] for a word that is not 0. Behind the
last group stands one more that is never 0, which ends every search.
"""

from libc.string cimport memset

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.types cimport NONE, index_t, uint64_t

cdef struct Marks:
    uint64_t* words
    uint64_t* groups
    index_t n_groups
    index_t first_group     # no group before this one has marks


cdef inline Py_ssize_t n_words(Py_ssize_t n_positions) noexcept nogil:
    return n_positions // 64 + 1


cdef inline Py_ssize_t n_groups(Py_ssize_t n_positions) noexcept nogil:
    return n_positions // 4096 + 2


cdef inline void clear_marks(Marks* marks, uint64_t* words, uint64_t* groups, index_t n_positions) noexcept nogil:
    marks.words = words
    marks.groups = groups
    marks.n_groups = n_positions // 4096 + 1
    marks.first_group = marks.n_groups
    memset(words, 0, (n_positions // 64 + 1) * sizeof(uint64_t))
    memset(groups, 0, marks.n_groups * sizeof(uint64_t))
    groups[marks.n_groups] = 1


cdef inline bint is_marked(const Marks* marks, index_t position) noexcept nogil:
    return (marks.words[position >> 6] >> (position & 63)) & 1


cdef inline void mark(Marks* marks, index_t position) noexcept nogil:
    cdef index_t group = position >> 12
    marks.words[position >> 6] |= <uint64_t> 1 << (position & 63)
    marks.groups[group] |= <uint64_t> 1 << (position >> 6 & 63)
    marks.first_group = min(marks.first_group, group)


cdef inline index_t take_lowest(Marks* marks) noexcept nogil:
    """Take the lowest position out of the set; NONE if the set is empty."""
    cdef index_t group = marks.first_group, word, bit
    while marks.groups[group] == 0:
        group += 1
    marks.first_group = group
    if group == marks.n_groups:
        return NONE
    word = group << 6 | trailing_zeros(marks.groups[group])
    bit = trailing_zeros(marks.words[word])
    marks.words[word] &= marks.words[word] - 1
    if marks.words[word] == 0:
        marks.groups[group] &= marks.groups[group] - 1
    return word << 6 | bit
