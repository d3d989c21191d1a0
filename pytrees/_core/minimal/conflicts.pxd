"""Rows that cannot share a leaf of a consistent tree, and sets of which no two can; inlined where they are cimported.

Two rows conflict if their classes differ, or that of a row which lies between them in every feature does. All rows
between two rows of a node belong to the node: what conflicts among all rows conflicts in every node. Of rows that all
conflict with each other, a clique, every one needs a leaf of its own.

Sets of rows are arrays of `n_words` words; `n_rows` rows have one each in `boxes` and `conflicts`.
"""

from libc.string cimport memcpy, memset

from pytrees._core.minimal.row_sets cimport add_row, count_common, trailing_zeros
from pytrees._core.base.types cimport NONE, index_t, uint64_t


cdef inline void fill_boxes(
    const index_t* labels, index_t row, index_t n_rows, Py_ssize_t n_words, uint64_t* boxes
) noexcept nogil:
    """In the box of every row, all rows whose class differs from that of one row."""
    cdef index_t other
    memset(boxes, 0, n_words * sizeof(uint64_t))
    for other in range(n_rows):
        if labels[other] != labels[row]:
            add_row(boxes, other)
    for other in range(1, n_rows):
        memcpy(&boxes[other * n_words], boxes, n_words * sizeof(uint64_t))


cdef inline void narrow_boxes(
    const index_t* order, const index_t* rank, index_t row, index_t step, index_t n_rows, Py_ssize_t n_words,
    uint64_t* passed, uint64_t* boxes
) noexcept nogil:
    """Keep, in the boxes of rows on one side of the row, what lies between them and the row in a feature. `order` has
    the rows in ascending order, `rank` a number for each of their values; step is 1 for rows above, -1 for below."""
    cdef Py_ssize_t first = 0 if step > 0 else n_rows - 1, behind, word
    memset(passed, 0, n_words * sizeof(uint64_t))
    while rank[order[first]] != rank[row]:
        first += step
    # Passed are the rows from the row's own value to the one before `first`; rows of equal values pass together.
    while 0 <= first < n_rows:
        behind = first
        while 0 <= behind < n_rows and rank[order[behind]] == rank[order[first]]:
            add_row(passed, order[behind])
            behind += step
        while first != behind:
            for word in range(n_words):
                boxes[order[first] * n_words + word] &= passed[word]
            first += step


cdef inline void note_conflicts(
    const index_t* labels, index_t row, index_t n_rows, Py_ssize_t n_words, const uint64_t* boxes, uint64_t* conflicts
) noexcept nogil:
    """The rows that conflict with one row: those of other classes, and those whose boxes are not empty."""
    cdef index_t other
    cdef Py_ssize_t word
    cdef uint64_t found
    for other in range(n_rows):
        found = labels[other] != labels[row]
        for word in range(n_words):
            found |= boxes[other * n_words + word]
        if found:
            add_row(&conflicts[row * n_words], other)


cdef inline index_t find_clique(
    const uint64_t* conflicts, const uint64_t* rows, index_t n_rows, Py_ssize_t n_words, uint64_t* candidates,
    uint64_t* clique
) noexcept nogil:
    """The size of a clique among `rows`, of which those from `n_rows` on do not count: always the row is taken that
    conflicts with most of the others that are left."""
    cdef Py_ssize_t word
    cdef uint64_t unseen
    cdef index_t size = 0, row, best, degree, best_degree
    memset(clique, 0, n_words * sizeof(uint64_t))
    memcpy(candidates, rows, n_words * sizeof(uint64_t))
    if n_rows & 63:
        candidates[n_words - 1] &= (<uint64_t> 1 << (n_rows & 63)) - 1
    while True:
        best = best_degree = NONE
        for word in range(n_words):
            unseen = candidates[word]
            while unseen:
                row = <index_t> (64 * word + trailing_zeros(unseen))
                unseen &= unseen - 1
                degree = count_common(candidates, &conflicts[row * n_words], n_words)
                if degree > best_degree:
                    best, best_degree = row, degree
        if best == NONE:
            return size
        add_row(clique, best)
        size += 1
        for word in range(n_words):
            candidates[word] &= conflicts[best * n_words + word]
