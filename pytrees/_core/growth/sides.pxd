"""Local evaluation: how near the two sides of a cut come to the classes within their leaf, inlined where cimported."""

from libc.math cimport log2

from pytrees._core.criteria.labels cimport Score, forget_scores, matched, take_score
from pytrees._core.base.fractions cimport is_greater_fraction
from pytrees._core.criteria.gain cimport exceeds_by_tolerance
from pytrees._core.rows.partition cimport wide_entries
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split
from pytrees._core.base.sorting cimport place_of
from pytrees._core.base.types cimport (float64_t, index_t, int64_t, int128_t, uint64_t, uint128_t)
from pytrees._core.split.scan cimport (ACCURACY, ENTROPY, GAIN_RATIO, GINI, JACCARD, NVI, CriterionCode)


cdef struct Merit:
    # Minus a distance, or a similarity, but for what is the same for all leaves: exactly numerator / denominator, or
    # where the denominator is 0 a value that is compared with a tolerance.
    int128_t numerator
    uint128_t denominator
    float64_t value


cdef inline bint is_greater_merit(const Merit* a, const Merit* b) noexcept nogil:
    if a.denominator == 0:
        return exceeds_by_tolerance(a.value, b.value)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline Score total_of(const Score* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef Score total = 0
    for label in range(n_classes):
        total += counts[label]
    return total


cdef inline Score _squares(const Score* counts, index_t n_classes) noexcept nogil:
    cdef index_t label
    cdef Score total = 0
    for label in range(n_classes):
        total += counts[label] * counts[label]
    return total


cdef inline Score _best_labels(
    CriterionCode code, const Score* left, const Score* right, index_t n_classes
) noexcept nogil:
    """The most rows that two different labels of the sides get right, or minus the least sum of absolute errors."""
    cdef index_t label, other, best_left = 0, best_right = 0
    cdef Score left_scores[2]
    cdef Score right_scores[2]
    cdef Score left_score, right_score
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(n_classes):
        left_score = left[label]
        right_score = right[label]
        if code != ACCURACY:
            left_score = 0
            right_score = 0
            for other in range(n_classes):
                left_score -= left[other] * (label - other if label > other else other - label)
                right_score -= right[other] * (label - other if label > other else other - label)
        take_score(label, left_score, &best_left, left_scores)
        take_score(label, right_score, &best_right, right_scores)
    return matched(best_left, left_scores, best_right, right_scores)


cdef inline void count_sides(
    Scanner scanner, const NodeRows* rows, const Split* split, index_t n_classes, int64_t* counts, float64_t* weights
) noexcept nogil:
    """Add the rows of both sides to their class counts, or the weights that are not whole in ascending order of the
    feature."""
    cdef const uint64_t* entries = wide_entries(scanner.partition, rows.block, split.feature, rows.start, rows.stop)
    cdef index_t i, place, label
    for i in range(rows.stop - rows.start):
        place = place_of(entries[i])
        label = scanner.wide_labels[place] + (n_classes if i >= split.n_left else 0)
        if scanner.float_weights.shape[0] > 0:
            weights[label] += scanner.place_weights[place]
        elif scanner.count_weights.shape[0] > 0:
            counts[label] += scanner.place_counts[place]
        else:
            counts[label] += 1


# --------------------------------------------------------------------------------------------------------- whole counts

cdef inline Merit merit_of_counts(
    CriterionCode code, const int64_t* left, const int64_t* right, index_t n_classes, const int64_t* table
) noexcept nogil:
    cdef Merit merit
    cdef int64_t left_total = total_of(left, n_classes), right_total = total_of(right, n_classes)
    merit.value = 0.0
    merit.denominator = <uint128_t> (left_total + right_total)
    if code == GINI:
        merit.numerator = (
            <int128_t> _squares(left, n_classes) * right_total + <int128_t> _squares(right, n_classes) * left_total
        )
        merit.denominator *= <uint128_t> left_total * <uint128_t> right_total
    elif code == JACCARD:
        _set_similarity(&merit, left, right, left_total, right_total, n_classes)
    elif code == ENTROPY or code == GAIN_RATIO or code == NVI:
        _set_information(code, &merit, left, right, left_total, right_total, n_classes, table)
    else:
        merit.numerator = _best_labels(code, left, right, n_classes)
    return merit


cdef inline void _set_information(
    CriterionCode code, Merit* merit, const int64_t* left, const int64_t* right, int64_t left_total,
    int64_t right_total, index_t n_classes, const int64_t* table
) noexcept nogil:
    cdef index_t label
    cdef int64_t joint = 0, classes = 0, sides = table[left_total] + table[right_total]
    cdef int64_t total = table[left_total + right_total]
    for label in range(n_classes):
        joint += table[left[label]] + table[right[label]]
        classes += table[left[label] + right[label]]
    merit.numerator = total - classes - sides + joint
    # Of equal units; information gain is per row.
    if code == GAIN_RATIO:
        merit.denominator = <uint128_t> (total - sides)
    elif code == NVI:
        merit.denominator = <uint128_t> (total - joint)


cdef inline void _set_similarity(
    Merit* merit, const int64_t* left, const int64_t* right, int64_t left_total, int64_t right_total,
    index_t n_classes
) noexcept nogil:
    """The greatest sum of the Jaccard similarities of the sides to two different classes of the leaf, minus the number
    of its classes."""
    cdef index_t i, j, n_present = 0
    cdef int64_t left_union, right_union
    cdef int128_t numerator
    cdef uint128_t denominator
    merit.numerator = 0
    merit.denominator = 1
    for i in range(n_classes):
        if left[i] + right[i] == 0:
            continue
        n_present += 1
        left_union = left_total + right[i]
        for j in range(n_classes):
            if j == i or left[j] + right[j] == 0:
                continue
            right_union = right_total + left[j]
            numerator = <int128_t> left[i] * right_union + <int128_t> right[j] * left_union
            denominator = <uint128_t> left_union * <uint128_t> right_union
            if is_greater_fraction(numerator, denominator, merit.numerator, merit.denominator):
                merit.numerator = numerator
                merit.denominator = denominator
    merit.numerator -= n_present * <int128_t> merit.denominator


# ----------------------------------------------------------------------------- weights that are not whole numbers

cdef inline Merit merit_of_weights(
    CriterionCode code, const float64_t* left, const float64_t* right, index_t n_classes
) noexcept nogil:
    cdef Merit merit
    cdef float64_t left_total = total_of(left, n_classes), right_total = total_of(right, n_classes)
    merit.numerator = 0
    merit.denominator = 0
    if code == GINI:
        merit.value = (_squares(left, n_classes) / left_total + _squares(right, n_classes) / right_total) / (
            left_total + right_total
        )
    elif code == JACCARD:
        merit.value = _weighted_similarity(left, right, left_total, right_total, n_classes)
    elif code == ENTROPY or code == GAIN_RATIO or code == NVI:
        merit.value = _weighted_information(code, left, right, left_total, right_total, n_classes)
    else:
        merit.value = _best_labels(code, left, right, n_classes) / (left_total + right_total)
    return merit


cdef inline float64_t _x_log2_x(float64_t x) noexcept nogil:
    return x * log2(x) if x > 0.0 else 0.0


cdef inline float64_t _weighted_information(
    CriterionCode code, const float64_t* left, const float64_t* right, float64_t left_total, float64_t right_total,
    index_t n_classes
) noexcept nogil:
    cdef index_t label
    cdef float64_t joint = 0.0, classes = 0.0, sides = _x_log2_x(left_total) + _x_log2_x(right_total), gain, entropy
    cdef float64_t total = _x_log2_x(left_total + right_total)
    for label in range(n_classes):
        joint += _x_log2_x(left[label])
        classes += _x_log2_x(left[label] + right[label])
    for label in range(n_classes):
        joint += _x_log2_x(right[label])
    gain = total - classes - sides + joint
    if code == ENTROPY:
        return gain / (left_total + right_total)
    entropy = total - (sides if code == GAIN_RATIO else joint)
    return gain / entropy if entropy > 0.0 else 0.0


cdef inline float64_t _weighted_similarity(
    const float64_t* left, const float64_t* right, float64_t left_total, float64_t right_total, index_t n_classes
) noexcept nogil:
    """As _set_similarity."""
    cdef index_t label, n_present = 0, best_left = 0, best_right = 0
    cdef float64_t left_scores[2]
    cdef float64_t right_scores[2]
    cdef float64_t count
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(n_classes):
        count = left[label] + right[label]
        if count > 0.0:
            n_present += 1
            take_score(label, left[label] / (left_total + count - left[label]), &best_left, left_scores)
            take_score(label, right[label] / (right_total + count - right[label]), &best_right, right_scores)
    return matched(best_left, left_scores, best_right, right_scores) - n_present
