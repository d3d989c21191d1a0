"""The values of a grown tree's nodes if targets were rounded to their grid: means and medians of the targets.

All targets are whole multiples of a power of two. A sum of weighted multiples is a whole number in two's complement, of
as many words of 64 bits as the range of the targets needs; the lowest word is the first. A node's sum is the sum of its
children's, so that every sample is added once.
"""

from fractions import Fraction

import numpy as np

from libc.math cimport INFINITY, frexp, ldexp
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport bit_length, trailing_zeros
from pytrees._core.base.doubled cimport Doubled, doubled_of, is_certain, quotient_of
from pytrees._core.base.fractions cimport nearest_double
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport LEAF, float64_t, index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport int128_t, uint128_t
from pytrees._core.growth.tree cimport GrowingTree, KeptSums, Node, n_children_of, sums_of
from pytrees._core.split.node_search cimport NodeRows, row_at

cdef enum:
    MANTISSA_BITS = 52
    LEAST_EXPONENT = -1074      # of the unit in the last place
    WINDOW_BITS = 126           # of a numerator that is divided

# Smaller means have fewer digits, and would be rounded twice.
cdef float64_t SMALLEST = 2.0**-1022


cdef void list_rows(GrowingTree tree, index_t node) noexcept nogil:
    """List the rows of a leaf that stays one in place of their places in a block, which the next block takes."""
    cdef NodeRows* rows = &tree.nodes[node].rows
    cdef index_t i
    for i in range(rows.start, rows.stop if rows.in_block else rows.start):
        tree.partition.rows[i] = row_at(tree.search, rows, i)
    rows.in_block = False


cdef float64_t[::1] values_of_nodes(
    GrowingTree tree, const index_t[::1] order, const float64_t[::1] targets, bint are_medians
):
    """Return the values of the nodes, which `order` lists in preorder: the doubles nearest to the means of their
    targets, or their lower medians. `targets` are by row, and the rows of all leaves are listed."""
    cdef float64_t[::1] values = np.empty(order.shape[0])
    cdef uint64_t* words = NULL
    cdef Py_ssize_t i
    try:
        if are_medians:
            for i in range(order.shape[0]):
                values[i] = _median(tree, order[i], targets)
        else:
            with nogil:
                _write_means(tree, order, targets, values, &words)
    finally:
        free(words)
    return values


# -------------------------------------------------------------------------------------------------------------- means

cdef inline int64_t _digits_of(float64_t target, int* exponent) noexcept nogil:
    """Return the whole number of at most 53 bits that is the target divided by a power of two, and its exponent."""
    cdef uint64_t bits
    cdef int64_t digits
    memcpy(&bits, &target, sizeof(bits))
    exponent[0] = <int> (bits >> MANTISSA_BITS & 2047)
    digits = <int64_t> (bits & ((1ULL << MANTISSA_BITS) - 1))
    if exponent[0] > 0:
        digits |= <int64_t> 1 << MANTISSA_BITS
        exponent[0] -= 1
    exponent[0] += LEAST_EXPONENT
    return -digits if target < 0.0 else digits


cdef int _write_means(
    GrowingTree tree, const index_t[::1] order, const float64_t[::1] targets, float64_t[::1] values, uint64_t** memory
) except -1 nogil:
    cdef Py_ssize_t i, capacity = 0, top = 0    # words of nodes whose parents wait for them, the leftmost on top
    cdef int least, n_words = _count_words(tree, targets, &least)
    cdef index_t _child
    cdef const Node* node
    cdef uint64_t* words
    for i in range(order.shape[0] - 1, -1, -1):
        node = &tree.nodes[order[i]]
        reserve(<void**> memory, &capacity, (top + 2) * n_words, sizeof(uint64_t), b"words of sums")
        if node.first_child == LEAF:
            memset(memory[0] + top * n_words, 0, n_words * sizeof(uint64_t))
            top += 1
            _add_leaf(tree, &node.rows, targets, least, memory[0] + (top - 1) * n_words, n_words)
        for _child in range(1, n_children_of(tree, order[i])):
            top -= 1
            _add_words(memory[0] + top * n_words, memory[0] + (top - 1) * n_words, n_words)
        # Behind the sums there is room for one of them.
        words = memory[0] + (top - 1) * n_words
        if node.first_child == LEAF and node.rows.stop - node.rows.start == 1:
            values[i] = targets[tree.partition.rows[node.rows.start]] + 0.0    # one zero only
        else:
            values[i] = _mean(words, words + n_words, n_words, sums_of(tree, order[i]).weight, least)


cdef int _count_words(GrowingTree tree, const float64_t[::1] targets, int* least) noexcept nogil:
    """Return how many words sums need, and the exponent of the power of two of which all targets are multiples."""
    cdef Py_ssize_t i
    cdef int exponent, greatest = LEAST_EXPONENT, of_weight = 0
    cdef int64_t digits
    least[0] = 1024
    for i in range(tree.partition.n_rows):
        digits = _digits_of(targets[tree.partition.rows[i]], &exponent)
        if digits != 0:
            greatest = max(greatest, exponent + MANTISSA_BITS + 1)
            least[0] = min(least[0], exponent + trailing_zeros(<uint64_t> digits))
    least[0] = min(least[0], greatest)
    frexp(<float64_t> sums_of(tree, 0).weight, &of_weight)
    return (greatest - least[0] + of_weight + 1) // 64 + 1      # with the sign


cdef inline void _add_leaf(
    GrowingTree tree, const NodeRows* rows, const float64_t[::1] targets, int least, uint64_t* words, int n_words
) noexcept nogil:
    cdef const index_t* row = &tree.partition.rows[0]
    cdef bint has_weights = tree.search.count_weights.shape[0] > 0
    cdef int128_t product
    cdef int64_t digits
    cdef int exponent
    cdef index_t i
    for i in range(rows.start, rows.stop):
        digits = _digits_of(targets[row[i]], &exponent)
        if digits == 0:
            continue
        if exponent < least:    # the last digits are zeros
            digits //= <int64_t> 1 << (least - exponent)
            exponent = least
        product = <int128_t> digits * (tree.search.count_weights[row[i]] if has_weights else 1)
        _add_shifted(product, exponent - least, words, n_words)


cdef inline void _add_shifted(int128_t number, int shift, uint64_t* words, int n_words) noexcept nogil:
    """Add a number of at most 125 bits, times 2**shift."""
    cdef int word = shift >> 6, bits = shift & 63
    cdef uint128_t total = <uint128_t> words[word] + <uint64_t> (<uint128_t> number << bits)
    cdef int128_t rest = (number >> (64 - bits)) + <int128_t> (total >> 64)
    words[word] = <uint64_t> total
    # The words above take the rest, in two's complement.
    for word in range(word + 1, n_words):
        total = <uint128_t> words[word] + <uint64_t> <uint128_t> rest
        words[word] = <uint64_t> total
        rest = (rest >> 64) + <int128_t> (total >> 64)


cdef inline void _add_words(const uint64_t* part, uint64_t* words, int n_words) noexcept nogil:
    cdef uint128_t total = 0
    cdef int i
    for i in range(n_words):
        total = <uint128_t> words[i] + part[i] + (total >> 64)
        words[i] = <uint64_t> total


cdef inline int _length(uint64_t number) noexcept nogil:
    """Return the number of bits of a number."""
    return 32 + bit_length(<unsigned int> (number >> 32)) if number >> 32 else bit_length(<unsigned int> number)


cdef float64_t _mean(
    const uint64_t* words, uint64_t* magnitude, int n_words, int64_t weight, int least
) except? -1.0 nogil:
    """Return the double nearest to the sum times 2**least, divided by the weight. There is room for the magnitude."""
    cdef bint is_negative = words[n_words - 1] >> 63
    cdef uint128_t total = is_negative, window
    cdef int i, top, n_bits, shift
    cdef bint has_rest
    cdef float64_t mean
    cdef Doubled quotient
    for i in range(n_words):
        total = (total >> 64 if i > 0 else total) + (~words[i] if is_negative else words[i])
        magnitude[i] = <uint64_t> total
    top = n_words - 1
    while top > 0 and magnitude[top] == 0:
        top -= 1
    if magnitude[top] == 0:
        return 0.0
    # The highest bits; the last of them is set if any lower bit is, as decides ties.
    n_bits = _length(magnitude[top])
    window = <uint128_t> magnitude[top] << 64 | (magnitude[top - 1] if top > 0 else 0)
    shift = 64 - n_bits
    window <<= shift
    has_rest = False
    if top > 1:
        window |= <uint128_t> magnitude[top - 2] >> n_bits
        has_rest = <uint64_t> (<uint128_t> magnitude[top - 2] << shift) != 0
        for i in range(top - 2):
            has_rest = has_rest or magnitude[i] != 0
    has_rest = has_rest or (<uint64_t> window & 3) != 0
    window = window >> 2 | <uint64_t> has_rest
    # Two doubles decide nearly all roundings, in less time than a division of 128 bits.
    quotient = quotient_of(doubled_of(<int128_t> window), doubled_of(<int128_t> weight))
    mean = quotient.high if is_certain(quotient) else nearest_double(<int128_t> window, <uint128_t> weight)
    mean = ldexp(mean, 64 * top + n_bits - WINDOW_BITS + least)
    if mean < SMALLEST:
        mean = _mean_of_few_digits(magnitude, n_words, weight, least)
    return -mean if is_negative else mean


cdef float64_t _mean_of_few_digits(
    const uint64_t* magnitude, int n_words, int64_t weight, int least
) except? -1.0 with gil:
    cdef int i
    number = sum([int(magnitude[i]) << 64 * i for i in range(n_words)])
    return float(number * Fraction(2)**least / weight)


# ------------------------------------------------------------------------------------------------------------ medians

cdef float64_t _median(GrowingTree tree, index_t node, const float64_t[::1] targets) except? -1.0:
    """Return the least target up to which lies half of the node's weight; on the grid it is the node's median."""
    cdef const NodeRows* rows = &tree.nodes[node].rows
    cdef const KeptSums* sums = sums_of(tree, node)
    cdef int128_t total = <int128_t> sums.sum[0] * <int128_t> (1ULL << 62) + sums.sum[1]
    cdef int64_t number, median = <int64_t> (total // sums.weight), up_to = 0
    cdef index_t i, row
    cdef float64_t least = INFINITY, greatest = -INFINITY
    cdef bint has_weights = tree.search.count_weights.shape[0] > 0
    for i in range(rows.start, rows.stop):
        row = tree.partition.rows[i]
        number = tree.search.counts.targets[tree.search.labels[row]]
        if number < median:
            up_to += tree.search.count_weights[row] if has_weights else 1
        elif number == median:
            least, greatest = min(least, targets[row]), max(greatest, targets[row])
    if least == greatest:
        return least + 0.0
    # Several targets were rounded to the median.
    of_node = np.asarray(tree.partition.rows[rows.start:rows.stop])
    of_node = of_node[np.asarray(tree.search.counts.targets)[np.asarray(tree.search.labels)[of_node]] == median]
    of_node = of_node[np.argsort(np.asarray(targets)[of_node], kind="stable")]
    weights = np.asarray(tree.search.count_weights)[of_node] if has_weights else np.ones(len(of_node), dtype=np.int64)
    return np.asarray(targets)[of_node[np.argmax(2 * (up_to + np.cumsum(weights)) >= sums.weight)]] + 0.0
