"""The cheapest trees of two levels if every column has two values: all cuts at once, from counts of pairs.

A row is marked in a column if it has the rarer one of the two values. For each class, a table has the weight of the
rows that are marked in two columns; on its diagonal, in one. The four leaves of a tree of two columns follow from these
sums: rows that are marked in both columns, in one of them, or in none. Few rows are marked, so that few pairs count.
The table of the larger side of a cut is the node's table without the rows of the other side.
"""

import numpy as np

from libc.string cimport memcpy, memset

from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.minimal.problem cimport STEPS_BETWEEN_CHECKS
from pytrees._core.optimal.cost_search cimport CostSearch, SearchNode, allocate, count_steps, node_at

# Tables of more columns take too much memory, and greater sums too many bits.
MOST_COLUMNS = 1024
MOST_WEIGHT = 2**31


cdef int open_pairs(CostSearch search) except -1:
    """Find out whether every column has two values and the tables can be made; list the marks of every row."""
    ranks, weights = np.asarray(search.ranks), np.asarray(search.weights)
    search.has_pairs = (
        ranks.max() <= 1 and len(ranks) <= MOST_COLUMNS and weights.sum() // search.unit < MOST_WEIGHT
        and search.least_samples == 1 and search.costs_of_labels == NULL
    )
    if not search.has_pairs:
        return 0
    is_rarer = ranks @ weights * 2 <= weights.sum()
    rows, columns = np.nonzero((ranks == is_rarer[:, np.newaxis]).T)
    search.marks = np.append(columns, 0).astype(np.int32)    # so that there is a first one
    search.mark_offsets = np.searchsorted(rows, np.arange(search.n_rows + 1)).astype(np.int64)
    search.pairs = <index_t*> allocate(search, _size(search))
    search.pairs_above = <index_t*> allocate(search, _size(search))


cdef inline Py_ssize_t _size(CostSearch search) noexcept nogil:
    """Return the bytes of a table."""
    return search.n_classes * search.n_columns * search.n_columns * <Py_ssize_t> sizeof(index_t)


cdef int _add_pairs(
    CostSearch search, const SearchNode* node, index_t* pairs, index_t sign, bint all_rows
) except -1 nogil:
    """Add the weights of the pairs of marks of a node's rows to a table, or subtract them: of all rows, or of those
    that are not in the side of a cut that was made last."""
    cdef Py_ssize_t size = search.n_columns * search.n_columns, start, stop, i, j
    cdef const index_t* marks = &search.marks[0]
    cdef index_t* table
    cdef index_t place, row, weight
    cdef int64_t n_steps = node.n_rows
    for place in range(node.n_rows):
        row = node.orders[place]
        if not all_rows and search.is_left[row]:
            continue
        table = pairs + search.labels[row] * size
        weight = sign * <index_t> (search.weights[row] // search.unit)
        start, stop = search.mark_offsets[row], search.mark_offsets[row + 1]
        n_steps += (stop - start) * (stop - start)
        if n_steps >= 2 * STEPS_BETWEEN_CHECKS:
            count_steps(search, n_steps // 2)
            n_steps = 0
        for i in range(start, stop):
            for j in range(i, stop):
                table[marks[i] * search.n_columns + marks[j]] += weight
    return count_steps(search, n_steps // 2)


cdef int _count_pairs(CostSearch search, Py_ssize_t number) except -1 nogil:
    """Write the table of a node, which has rows of the node before it: the side of a cut that was made last."""
    cdef SearchNode* node = node_at(search, number)
    cdef SearchNode* above
    if number == 0 or 2 * node.n_rows <= node_at(search, number - 1).n_rows:
        memset(search.pairs, 0, _size(search))
        return _add_pairs(search, node, search.pairs, 1, True)
    above = node_at(search, number - 1)
    if search.pairs_of != number - 1:
        memset(search.pairs_above, 0, _size(search))
        _add_pairs(search, above, search.pairs_above, 1, True)
        search.pairs_of = number - 1
    memcpy(search.pairs, search.pairs_above, _size(search))
    return _add_pairs(search, above, search.pairs, -1, False)


cdef inline int64_t _side(CostSearch search, int64_t total, int64_t most, int64_t correct) noexcept nogil:
    """Return what a side of this weight costs: as a leaf that gets `most` right, or split, with `correct` right."""
    return min((total - most) * search.unit + search.leaf_cost, (total - correct) * search.unit + 2 * search.leaf_cost)


cdef int64_t cost_of_column(CostSearch search, SearchNode* node, Py_ssize_t column) noexcept nogil:
    """Return what the cheapest tree costs whose first split is by a column, once the node's pairs are counted."""
    cdef Py_ssize_t n = search.n_columns, k, other
    cdef int64_t with_mark = 0, without = 0, most_with = 0, most_without = 0, best_with = 0, best_without = 0
    cdef int64_t marked, in_both, in_other, rest, both, one, another, none
    for k in range(search.n_classes):
        marked = search.pairs[(k * n + column) * n + column]
        rest = node.of_classes[k] // search.unit - marked
        with_mark += marked
        without += rest
        most_with, most_without = max(most_with, marked), max(most_without, rest)
    for other in range(n):
        both = one = another = none = 0
        for k in range(search.n_classes):
            marked = search.pairs[(k * n + column) * n + column]
            in_other = search.pairs[(k * n + other) * n + other]
            in_both = search.pairs[(k * n + min(column, other)) * n + max(column, other)]
            both, one = max(both, in_both), max(one, marked - in_both)
            another = max(another, in_other - in_both)
            none = max(none, node.of_classes[k] // search.unit - marked - in_other + in_both)
        best_with, best_without = max(best_with, both + one), max(best_without, another + none)
    if with_mark == 0 or without == 0:
        return node.leaf
    return _side(search, with_mark, most_with, best_with) + _side(search, without, most_without, best_without)


cdef int64_t cost_of_pairs(CostSearch search, Py_ssize_t number) except -1 nogil:
    """Return what the cheapest tree of up to two levels costs for the rows of a node, which are in the order of its
    first column."""
    cdef SearchNode* node = node_at(search, number)
    cdef Py_ssize_t column
    cdef int64_t best = node.leaf
    _count_pairs(search, number)
    for column in range(search.n_columns):
        best = min(best, cost_of_column(search, node, column))
    count_steps(search, search.n_columns * search.n_columns * search.n_classes)
    return best
