"""Gain of a split: what every criterion keeps while the rows of a node move from the right child to the left."""

cimport cython
from libc.math cimport fabs

from pytrees._core.exact cimport is_greater_fraction, nearest_double
from pytrees._core.types cimport (
    GINI,
    CriterionCode,
    float64_t,
    index_t,
    int64_t,
    int128_t,
    uint128_t,
)
from pytrees._core.weighted cimport WeightedScan, gain_nearly, start_sums, weighted_impurity

cdef enum:
    NLOGN_FRACTION_BITS = 30


cdef struct Gain:
    # Exact criteria: total count of the node times its gain, as a fraction.
    int128_t numerator
    uint128_t denominator
    # The gain as reported; for criteria that are not exact (denominator 0) also what is compared.
    float64_t value
    float64_t priority      # total weight times value


cdef inline bint exceeds_by_tolerance(float64_t a, float64_t b) noexcept nogil:
    return a - b > 1e-12 * (fabs(b) if fabs(b) > 1.0 else 1.0)


cdef inline bint is_greater_gain(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split of the same node."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.value, b.value)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline bint is_greater_priority(const Gain* a, const Gain* b) noexcept nogil:
    """Whether a is the better split when a and b split different nodes: gains count by the rows they concern."""
    if a.denominator == 0:
        return exceeds_by_tolerance(a.priority, b.priority)
    return is_greater_fraction(a.numerator, a.denominator, b.numerator, b.denominator)


cdef inline Gain exact_gain(int128_t numerator, uint128_t denominator, int64_t total) noexcept nogil:
    cdef Gain gain
    gain.numerator = numerator
    gain.denominator = denominator
    gain.value = nearest_double(numerator, denominator * <uint128_t> total)
    gain.priority = 0.0
    return gain


# What a criterion on class counts keeps while rows move from the right child to the left: one structure for every
# criterion, held in registers by the loops that are written once for all of them. The arrays are a ClassCounts'.

cdef struct BinaryGiniScan:
    # Of two classes the gain grows with D**2 / (L R): L and R are the children's rows, and the difference
    # D = left_ones total - left_total ones changes by steps[k] with every row of class k.
    int64_t total, left_total, difference, best_left_total, best_difference
    int64_t steps[2]
    # D**2 and L R of the best cut, 0 before the first one. Each product of theirs is rounded by less than 1e-15: in
    # `to_beat` the square is smaller by 1e-14, so that what does not reach it is not better.
    float64_t to_beat, best_product


cdef struct GiniScan:
    # The gain grows with left_squares / left_total + right_squares / right_total.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_squares, left_total, left_squares, right_squares
    int64_t best_left_total, best_left_squares, best_right_squares
    float64_t to_beat, best_product         # as above, with left_squares R + right_squares L in place of D**2


cdef struct EntropyScan:
    # The gain grows with minus the children's entropies in total, which is sums of n log2 n.
    index_t n_classes
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    bint has_best
    int64_t best_score


ctypedef fused ExactScan:
    BinaryGiniScan
    GiniScan
    EntropyScan


ctypedef fused CountScan:
    BinaryGiniScan
    GiniScan
    EntropyScan
    WeightedScan


@cython.final
cdef class ClassCounts:
    """The class counts of a node, and of its left child while the cuts of a feature are scanned."""

    cdef index_t n_classes
    cdef const int64_t[::1] table                   # n log2 n, for entropy
    cdef int64_t[::1] total_counts, left_counts
    cdef float64_t[::1] total_weights, left_weights
    cdef float64_t total_weight                     # added up in the order of the rows
    cdef float64_t[::1] log2_table
    cdef Py_ssize_t n_rows


cdef inline void start_scan(CountScan* scan, ClassCounts counts, CriterionCode code) noexcept nogil:
    """Of a node whose classes are counted."""
    cdef index_t label
    if CountScan is BinaryGiniScan:
        scan.total = counts.total_counts[0] + counts.total_counts[1]
        scan.steps[0] = -counts.total_counts[1]
        scan.steps[1] = counts.total_counts[0]
    elif CountScan is WeightedScan:
        scan.n_classes = counts.n_classes
        scan.is_gini = code == GINI
        scan.total_counts = &counts.total_weights[0]
        scan.left_counts = &counts.left_weights[0]
        scan.total = counts.total_weight
    else:
        scan.n_classes = counts.n_classes
        scan.total_counts = &counts.total_counts[0]
        scan.left_counts = &counts.left_counts[0]
        scan.total = 0
        for label in range(scan.n_classes):
            scan.total += scan.total_counts[label]
    if CountScan is GiniScan:
        scan.total_squares = 0
        for label in range(scan.n_classes):
            scan.total_squares += scan.total_counts[label] * scan.total_counts[label]
    elif CountScan is EntropyScan:
        scan.table = &counts.table[0]
        scan.total_sum = 0
        for label in range(scan.n_classes):
            scan.total_sum += scan.table[scan.total_counts[label]]
    elif CountScan is WeightedScan:
        scan.log2_table = &counts.log2_table[0]
        start_sums(scan, counts.n_rows)
    if CountScan is not WeightedScan:
        forget_best(scan)


cdef inline void forget_best(ExactScan* scan) noexcept nogil:
    if ExactScan is EntropyScan:
        scan.has_best = False
    else:
        scan.to_beat = 0.0
        scan.best_product = 0.0
        scan.best_left_total = 0
    if ExactScan is BinaryGiniScan:
        scan.best_difference = 0
    elif ExactScan is GiniScan:
        scan.best_left_squares = 0
        scan.best_right_squares = 0


cdef inline void start_feature(CountScan* scan) noexcept nogil:
    """All rows in the right child. The best cut so far stays, but for the criterion that compares with a tolerance:
    there it is the best of each feature that counts."""
    cdef index_t label
    scan.left_total = 0
    if CountScan is BinaryGiniScan:
        scan.difference = 0
    else:
        for label in range(scan.n_classes):
            scan.left_counts[label] = 0
    if CountScan is GiniScan:
        scan.left_squares = 0
        scan.right_squares = scan.total_squares
    elif CountScan is EntropyScan:
        scan.left_sum = 0
        scan.right_sum = scan.total_sum
    elif CountScan is WeightedScan:
        scan.left_sum = 0.0
        scan.right_sum = scan.total_sum
        scan.has_best = False


cdef inline void move_left(ExactScan* scan, index_t label, int64_t weight) noexcept nogil:
    """Move so many rows of the class."""
    cdef int64_t left, right
    scan.left_total += weight
    if ExactScan is BinaryGiniScan:
        scan.difference += weight * scan.steps[label]
    else:
        left = scan.left_counts[label]
        right = scan.total_counts[label] - left
        scan.left_counts[label] = left + weight
        if ExactScan is GiniScan:
            scan.left_squares += weight * (2 * left + weight)
            scan.right_squares -= weight * (2 * right - weight)
        else:
            scan.left_sum += scan.table[left + weight] - scan.table[left]
            scan.right_sum += scan.table[right - weight] - scan.table[right]


cdef inline bint offer(CountScan* scan) noexcept nogil:
    """Keep the present cut where it beats the best so far."""
    if CountScan is BinaryGiniScan:
        return _offer_binary_gini(scan)
    elif CountScan is GiniScan:
        return _offer_gini(scan)
    elif CountScan is EntropyScan:
        return _offer_entropy(scan)
    else:
        return _offer_weighted(scan)


cdef inline Gain best_gain(CountScan* scan) noexcept nogil:
    if CountScan is BinaryGiniScan:
        return _gain_of_binary_gini(scan)
    elif CountScan is GiniScan:
        return _gain_of_gini(scan)
    elif CountScan is EntropyScan:
        return _gain_of_entropy(scan)
    else:
        return _gain_of_weighted(scan)


cdef inline bint is_perfect(CountScan* scan) noexcept nogil:
    """Whether the best cut leaves one class in each child, so that no other cut can be better."""
    cdef int64_t right_total, largest
    if CountScan is BinaryGiniScan:
        # Of every cut |D| is at most ones (total - ones), the product of the steps.
        largest = -scan.steps[0] * scan.steps[1]
        return scan.best_product > 0.0 and (scan.best_difference == largest or scan.best_difference == -largest)
    elif CountScan is GiniScan:
        right_total = scan.total - scan.best_left_total
        return (
            scan.best_product > 0.0
            and scan.best_left_squares == scan.best_left_total * scan.best_left_total
            and scan.best_right_squares == right_total * right_total
        )
    elif CountScan is EntropyScan:
        return scan.has_best and scan.best_score == 0
    else:
        return False


# ------------------------------------------------------------------------------------------------ gini of two classes

cdef inline bint _offer_binary_gini(BinaryGiniScan* scan) noexcept nogil:
    cdef float64_t square = <float64_t> scan.difference * <float64_t> scan.difference
    cdef float64_t product = <float64_t> (scan.left_total * (scan.total - scan.left_total))
    cdef float64_t present = square * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not _is_better_binary_gini(scan):
        return False
    scan.to_beat = square * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_difference = scan.difference
    return True


cdef inline bint _is_better_binary_gini(const BinaryGiniScan* scan) noexcept nogil:
    return is_greater_fraction(
        <int128_t> scan.difference * scan.difference,
        <uint128_t> scan.left_total * <uint128_t> (scan.total - scan.left_total),
        <int128_t> scan.best_difference * scan.best_difference,
        <uint128_t> scan.best_left_total * <uint128_t> (scan.total - scan.best_left_total),
    )


cdef inline Gain _gain_of_binary_gini(const BinaryGiniScan* scan) noexcept nogil:
    """total * gain = 2 D**2 / (total L R)."""
    cdef int128_t left = scan.best_left_total, right = scan.total - scan.best_left_total
    cdef int128_t square = <int128_t> scan.best_difference * scan.best_difference
    return exact_gain(2 * square, <uint128_t> (scan.total * left * right), scan.total)


# ---------------------------------------------------------------------------------------------- gini of any classes

cdef inline bint _offer_gini(GiniScan* scan) noexcept nogil:
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    cdef float64_t score = (
        <float64_t> scan.left_squares * right_total + <float64_t> scan.right_squares * left_total
    )
    cdef float64_t product = left_total * right_total
    cdef float64_t present = score * scan.best_product, best = scan.to_beat * product
    if present < best:
        return False
    if present <= best * (1.0 + 3e-14) and scan.best_product > 0.0 and not _is_better_gini(scan):
        return False
    scan.to_beat = score * (1.0 - 1e-14)
    scan.best_product = product
    scan.best_left_total = scan.left_total
    scan.best_left_squares = scan.left_squares
    scan.best_right_squares = scan.right_squares
    return True


cdef inline bint _is_better_gini(const GiniScan* scan) noexcept nogil:
    cdef uint128_t left = scan.left_total, right = scan.total - scan.left_total
    cdef uint128_t best_left = scan.best_left_total, best_right = scan.total - scan.best_left_total
    return is_greater_fraction(
        scan.left_squares * right + scan.right_squares * left, left * right,
        scan.best_left_squares * best_right + scan.best_right_squares * best_left, best_left * best_right,
    )


cdef inline Gain _gain_of_gini(const GiniScan* scan) noexcept nogil:
    cdef int128_t total = scan.total, left = scan.best_left_total, right = total - left
    return exact_gain(
        total * (scan.best_left_squares * right + scan.best_right_squares * left)
        - left * right * scan.total_squares,
        <uint128_t> (total * left * right), scan.total,
    )


# ---------------------------------------------------------------------------------------------------------- entropy

cdef inline bint _offer_entropy(EntropyScan* scan) noexcept nogil:
    cdef int64_t score = (
        scan.left_sum - scan.table[scan.left_total] + scan.right_sum - scan.table[scan.total - scan.left_total]
    )
    if scan.has_best and score <= scan.best_score:
        return False
    scan.has_best = True
    scan.best_score = score
    return True


cdef inline Gain _gain_of_entropy(const EntropyScan* scan) noexcept nogil:
    cdef Gain gain = exact_gain(
        scan.table[scan.total] - scan.total_sum + scan.best_score, 1 << NLOGN_FRACTION_BITS, scan.total
    )
    # Entropy never rises; the rounding of the table can take a gain of nothing below zero.
    if gain.value < 0.0:
        gain.value = 0.0
    return gain


# ------------------------------------------------------------------------------ weights that are not whole numbers

cdef inline bint _offer_weighted(WeightedScan* scan) noexcept nogil:
    cdef float64_t right_total = scan.total - scan.left_total, score
    # What is not a number tells nothing.
    if scan.has_best and gain_nearly(scan) < scan.best_score - scan.margin:
        return False
    score = (
        scan.node_impurity
        - scan.left_total / scan.total * weighted_impurity(scan, 1, scan.left_total)
        - right_total / scan.total * weighted_impurity(scan, 2, right_total)
    )
    if scan.has_best and not exceeds_by_tolerance(score, scan.best_score):
        return False
    scan.has_best = True
    scan.best_score = score
    return True


cdef inline Gain _gain_of_weighted(const WeightedScan* scan) noexcept nogil:
    cdef Gain gain
    gain.numerator = 0
    gain.denominator = 0
    gain.value = scan.best_score
    gain.priority = scan.total * scan.best_score
    return gain
