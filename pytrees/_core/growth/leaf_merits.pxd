"""Local evaluation: how near the best splits of leaves come to the classes within them, inlined where cimported."""

from libc.math cimport fabs

from pytrees._core.criteria.children cimport exact_fraction
from pytrees._core.criteria.labels cimport Score
from pytrees._core.criteria.gain cimport Gain
from pytrees._core.growth.by_distance cimport Growth, Node
from pytrees._core.growth.open_leaves cimport whole_counts
from pytrees._core.rows.partition cimport is_categorical
from pytrees._core.split.scanner cimport NodeRows, Split
from pytrees._core.growth.sides cimport (
    Merit,
    count_sides,
    is_greater_merit,
    merit_of_counts,
    merit_of_weights,
    total_of,
)
from pytrees._core.base.types cimport (float64_t, index_t, int64_t, int128_t, uint64_t, uint128_t)
from pytrees._core.split.scan cimport (ACCURACY, ENTROPY, GAIN_RATIO, GINI, JACCARD, NVI, CriterionCode)

cdef enum:
    MERIT_BITS = 126


cdef inline void _undivided_merit(
    CriterionCode code, const Score* counts, index_t n_classes, Score* numerator, Score* denominator
) noexcept nogil:
    """Of a leaf's rows as one cluster, of the class that suits it best: what a split's gain adds to in its merit."""
    cdef index_t label, other
    cdef Score total = total_of(counts, n_classes), score, best = 0
    numerator[0] = 0
    denominator[0] = 1
    if code == ENTROPY or code == GAIN_RATIO or code == NVI:
        return
    denominator[0] = total * total if code == GINI else total
    for label in range(n_classes):
        if code == GINI:
            numerator[0] += counts[label] * counts[label]
            continue
        if code == JACCARD and counts[label] > 0:
            numerator[0] -= total
        score = counts[label]
        if code != JACCARD and code != ACCURACY:
            score = 0
            for other in range(n_classes):
                score -= counts[other] * (label - other if label > other else other - label)
        if label == 0 or score > best:
            best = score
    numerator[0] += best


cdef inline float64_t _value_of(const Merit* merit) noexcept nogil:
    """Nearly."""
    return <float64_t> merit.numerator / <float64_t> merit.denominator


cdef inline bint _is_near(float64_t value, float64_t other) noexcept nogil:
    """Whether two merits, each rounded three times at most, can be equal or compare the other way."""
    return fabs(value - other) <= 2.0**-50 * (fabs(value) + fabs(other))


cdef inline bint _put_fraction(fraction, Merit* merit) except -1:
    """Write the merit if there is room for it, and return whether there was."""
    numerator, denominator = fraction.as_integer_ratio()
    if max(abs(numerator), denominator).bit_length() > MERIT_BITS:
        return False
    merit.numerator = _narrowed(numerator)
    merit.denominator = <uint128_t> _narrowed(denominator)
    return True


cdef inline int128_t _narrowed(number) except? -1:
    return (<int128_t> <int64_t> (number >> 64) << 64) + <int128_t> <uint64_t> (number & 0xFFFFFFFFFFFFFFFF)


# ------------------------------------------------------------------------------------------------------- of a leaf

cdef inline int judge_split(Growth growth, index_t leaf, const Split* split) except -1 nogil:
    """Find the merit of the leaf's best split."""
    cdef Node* node = &growth.nodes[leaf]
    node.has_large_merit = False
    if not is_categorical(growth.partition.features, split.feature):
        node.merit = _merit_of_cut(growth, leaf, split)
    elif split.gain.denominator == 0:
        node.merit = _merit_of_weighted_children(growth, leaf, split)
    else:
        with gil:
            _set_exact_merit(growth, leaf, split)
    return 0


cdef inline Merit _merit_of_cut(Growth growth, index_t leaf, const Split* split) noexcept nogil:
    """Of a criterion that knows no distance, its gain."""
    cdef NodeRows* rows = &growth.nodes[leaf].rows
    cdef Merit merit
    cdef int64_t* counts = &growth.counts[0, 0]
    cdef float64_t* weights = &growth.weights[0, 0]
    cdef index_t k = growth.n_classes
    growth.counts[:] = 0
    growth.weights[:] = 0.0
    count_sides(growth.scanner, rows, split, k, counts, weights)
    if not growth.knows_distance:
        merit.numerator = split.gain.numerator
        merit.denominator = split.gain.denominator * <uint128_t> max(1, total_of(counts, 2 * k))
        merit.value = split.gain.value
        return merit
    if growth.scanner.float_weights.shape[0] == 0:
        return merit_of_counts(growth.code, counts, counts + k, k, &growth.scanner.counts.table[0])
    return merit_of_weights(growth.code, weights, weights + k, k)


cdef inline Merit _merit_of_weighted_children(Growth growth, index_t leaf, const Split* split) noexcept nogil:
    """Of weights that are not whole numbers, or a criterion that is not exact."""
    cdef Merit merit
    cdef float64_t numerator = 0.0, denominator = 1.0
    if growth.knows_distance:
        _undivided_merit(
            growth.code, &growth.values[<Py_ssize_t> leaf * growth.n_classes], growth.n_classes, &numerator,
            &denominator,
        )
    merit.numerator = 0
    merit.denominator = 0
    merit.value = split.gain.value + numerator / denominator
    return merit


cdef inline int _set_exact_merit(Growth growth, index_t leaf, const Split* split) except -1:
    """Of a categorical split, from its gain."""
    cdef Node* node = &growth.nodes[leaf]
    cdef int64_t* counts = whole_counts(growth, leaf)
    cdef int64_t numerator = 0, denominator = 1
    cdef Gain undivided
    gain = growth.scanner.children.large_gain if split.is_large else exact_fraction(&split.gain)
    merit = gain / int(total_of(counts, growth.n_classes))
    if growth.knows_distance:
        _undivided_merit(growth.code, counts, growth.n_classes, &numerator, &denominator)
        undivided.numerator = numerator
        undivided.denominator = <uint128_t> denominator
        merit += exact_fraction(&undivided)
    if growth.knows_distance and growth.code == ENTROPY:
        merit *= 2**30      # in units of n log2 n, as those of cuts
    node.has_large_merit = not _put_fraction(merit, &node.merit)
    if node.has_large_merit:
        growth.large_merits[leaf] = merit
        node.merit.value = float(merit)
    return 0


cdef inline bint comes_nearer(Growth growth, const Node* node, const Node* other) except -1 nogil:
    """Whether the best split of this leaf comes nearer than that of another one."""
    cdef float64_t value, other_value
    if not node.has_large_merit and not other.has_large_merit:
        return is_greater_merit(&node.merit, &other.merit)
    value = node.merit.value if node.has_large_merit else _value_of(&node.merit)
    other_value = other.merit.value if other.has_large_merit else _value_of(&other.merit)
    if not _is_near(value, other_value):
        return value > other_value
    with gil:
        return _exact_merit(growth, node) > _exact_merit(growth, other)


cdef inline object _exact_merit(Growth growth, const Node* node):
    cdef Gain fraction
    if node.has_large_merit:
        return growth.large_merits[node.local_step.leaf]
    fraction.numerator = node.merit.numerator
    fraction.denominator = node.merit.denominator
    return exact_fraction(&fraction)
