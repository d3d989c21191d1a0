"""Gain of a split: what every criterion keeps while the rows of a node move from the right child to the left."""

cimport cython

from pytrees._core.criteria.clusterings cimport (
    JaccardScan,
    LabelledScan,
    RatioScan,
    compares_clusterings,
    gain_of_jaccard,
    gain_of_labelled,
    gain_of_ratio,
    is_perfect_jaccard,
    is_perfect_labelled,
    is_perfect_ratio,
    offer_jaccard,
    offer_labelled,
    offer_ratio,
    start_jaccard,
    start_labelled,
    start_weighted_clustering,
    weighted_clustering_gain,
)
from pytrees._core.criteria.gain cimport Gain, exact_gain, exceeds_by_tolerance, tolerant_gain
from pytrees._core.criteria.gini cimport (
    BinaryGiniScan,
    GiniScan,
    gain_of_binary_gini,
    gain_of_gini,
    offer_binary_gini,
    offer_gini,
)
from pytrees._core.criteria.ordinal cimport (
    LARGEST_INT64,
    FormRows,
    OrdinalGiniScan,
    RankingScan,
    gain_of_ranking,
    move_ordinal_gini,
    move_ranking,
    offer_ranking,
    start_rows,
)
from pytrees._core.base.types cimport MAE, NVI, WIG, CriterionCode, float64_t, index_t, int64_t, uint32_t
from pytrees._core.criteria.weighted cimport WeightedScan, gain_nearly, start_modes, start_sums, weighted_gain
from pytrees._core.criteria.wig cimport WigScan, complete_best, move_wig, offer_wig, start_wig, start_wig_feature

cdef enum:
    NLOGN_FRACTION_BITS = 30


# What a criterion on class counts keeps while rows move from the right child to the left is one structure for every
# criterion, held in registers by the loops that are written once for all of them. The arrays are a ClassCounts'.

cdef struct EntropyScan:
    # The gain grows with minus the children's entropies in total, which is sums of n log2 n.
    index_t n_classes
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    bint has_best
    int64_t best_score


# Those of them that have a bound on what a cut inside a bin can gain.
ctypedef fused BinnedScan:
    BinaryGiniScan
    GiniScan
    EntropyScan


ctypedef fused WholeScan:
    BinaryGiniScan
    GiniScan
    EntropyScan
    OrdinalGiniScan
    RankingScan
    RatioScan
    LabelledScan
    JaccardScan
    WigScan


ctypedef fused CountScan:
    BinaryGiniScan
    GiniScan
    EntropyScan
    OrdinalGiniScan
    RankingScan
    RatioScan
    LabelledScan
    JaccardScan
    WigScan
    WeightedScan


ctypedef fused MatchingScan:
    LabelledScan
    JaccardScan


@cython.final
cdef class ClassCounts:
    """The class counts of a node, and of its left child while the cuts of a feature are scanned."""

    cdef index_t n_classes
    cdef CriterionCode code
    cdef bint weighs_children
    cdef const int64_t[::1] table                   # n log2 n, for entropies
    cdef const int64_t[:, ::1] kernel               # of ordinal criteria: see FormRows
    cdef int64_t[::1] node_rows, left_rows
    cdef const uint32_t[:, ::1] narrow_kernel
    cdef uint32_t[:, ::1] narrow_left_rows          # one row
    cdef const float64_t[::1] scores
    cdef const float64_t[:, ::1] mode_weights
    cdef int64_t[::1] total_counts, left_counts, best_left_counts
    cdef float64_t[::1] total_weights, left_weights
    cdef float64_t total_weight                     # added up in the order of the rows
    cdef float64_t[::1] log2_table
    cdef float64_t[:, ::1] terms                    # scratch: of the node and its children
    cdef Py_ssize_t n_rows


cdef inline void start_scan(CountScan* scan, ClassCounts counts) noexcept nogil:
    """Of a node whose classes are counted."""
    if CountScan is BinaryGiniScan:
        scan.total = counts.total_counts[0] + counts.total_counts[1]
        scan.steps[0] = -counts.total_counts[1]
        scan.steps[1] = counts.total_counts[0]
        forget_best(scan)
    elif CountScan is GiniScan:
        _start_counts(scan, counts)
        scan.total_squares = _sum_of_squares(counts)
        forget_best(scan)
    elif CountScan is EntropyScan:
        _start_counts(scan, counts)
        scan.table = &counts.table[0]
        scan.total_sum = _sum_of_n_log2_n(counts)
        forget_best(scan)
    elif CountScan is OrdinalGiniScan:
        _start_counts(&scan.forms, counts)
        _start_kernel(&scan.rows, counts)
        scan.forms.total_squares = _form(counts)
        forget_best(&scan.forms)
    elif CountScan is RankingScan:
        scan.weighs_children = counts.weighs_children
        scan.total = _sum_of_counts(counts)
        _start_kernel(&scan.rows, counts)
        scan.total_form = _form(counts)
        # Children's forms are not greater than the node's.
        scan.is_small = <float64_t> scan.total * <float64_t> scan.total_form < 2.0**62
        scan.best_small_cost = LARGEST_INT64
        scan.has_best = False
    elif CountScan is RatioScan:
        _start_counts(scan, counts)
        scan.is_joint = counts.code == NVI
        scan.table = &counts.table[0]
        scan.total_sum = _sum_of_n_log2_n(counts)
        scan.has_best = False
    elif CountScan is LabelledScan:
        _start_counts(scan, counts)
        scan.counts_errors = counts.code == MAE
        start_labelled(scan)
    elif CountScan is JaccardScan:
        _start_counts(scan, counts)
        start_jaccard(scan)
    elif CountScan is WigScan:
        _start_wig(scan, counts)
        start_scan(&scan.best.exact, counts)
    else:
        scan.n_classes = counts.n_classes
        scan.code = counts.code
        scan.weighs_children = counts.weighs_children
        scan.scores = &counts.scores[0]
        scan.mode_weights = &counts.mode_weights[0, 0]
        scan.total_counts = &counts.total_weights[0]
        scan.left_counts = &counts.left_weights[0]
        scan.total = counts.total_weight
        scan.log2_table = &counts.log2_table[0]
        scan.node_terms = &counts.terms[0, 0]
        scan.left_terms = &counts.terms[1, 0]
        scan.right_terms = &counts.terms[2, 0]
        start_sums(scan, counts.n_rows)
        if compares_clusterings(scan.code):
            start_weighted_clustering(scan)


ctypedef fused ScanOfCounts:
    GiniScan
    EntropyScan
    RatioScan
    LabelledScan
    JaccardScan
    WigScan


cdef inline void _start_counts(ScanOfCounts* scan, ClassCounts counts) noexcept nogil:
    scan.n_classes = counts.n_classes
    scan.total_counts = &counts.total_counts[0]
    scan.left_counts = &counts.left_counts[0]
    scan.total = _sum_of_counts(counts)


cdef inline int64_t _sum_of_counts(ClassCounts counts) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(counts.n_classes):
        total += counts.total_counts[label]
    return total


cdef inline int64_t _sum_of_squares(ClassCounts counts) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(counts.n_classes):
        total += counts.total_counts[label] * counts.total_counts[label]
    return total


cdef inline int64_t _sum_of_n_log2_n(ClassCounts counts) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(counts.n_classes):
        total += counts.table[counts.total_counts[label]]
    return total


cdef inline void _start_kernel(FormRows* rows, ClassCounts counts) noexcept nogil:
    cdef index_t i, j
    rows.n_classes = counts.n_classes
    rows.kernel = &counts.kernel[0, 0]
    rows.node_rows = &counts.node_rows[0]
    rows.left_rows = &counts.left_rows[0]
    rows.is_narrow = counts.narrow_kernel.shape[0] > 0
    if rows.is_narrow:
        rows.n_lanes = <index_t> counts.narrow_kernel.shape[1]
        rows.narrow_kernel = &counts.narrow_kernel[0, 0]
        rows.narrow_left_rows = &counts.narrow_left_rows[0, 0]
    for i in range(counts.n_classes):
        counts.node_rows[i] = 0
        for j in range(counts.n_classes):
            counts.node_rows[i] += counts.kernel[i, j] * counts.total_counts[j]


cdef inline int64_t _form(ClassCounts counts) noexcept nogil:
    """The form of the node's class counts, once node_rows are known."""
    cdef index_t label
    cdef int64_t twice = 0
    for label in range(counts.n_classes):
        twice += counts.node_rows[label] * counts.total_counts[label]
    return twice // 2


cdef inline void _start_wig(WigScan* scan, ClassCounts counts) noexcept nogil:
    """But for what computes gains from the definition, whose class weights are set."""
    cdef index_t label
    _start_counts(scan, counts)
    scan.table = &counts.table[0]
    scan.mode_weights = &counts.mode_weights[0, 0]
    scan.best.left_counts = &counts.best_left_counts[0]
    start_wig(scan, counts.n_rows)
    for label in range(counts.n_classes):
        counts.total_weights[label] = <float64_t> counts.total_counts[label]
    counts.total_weight = <float64_t> scan.total


cdef inline void forget_best(BinnedScan* scan) noexcept nogil:
    if BinnedScan is EntropyScan:
        scan.has_best = False
    else:
        scan.to_beat = 0.0
        scan.best_product = 0.0
        scan.best_left_total = 0
    if BinnedScan is BinaryGiniScan:
        scan.best_difference = 0
    elif BinnedScan is GiniScan:
        scan.best_left_squares = 0
        scan.best_right_squares = 0


cdef inline void start_feature(CountScan* scan) noexcept nogil:
    """All rows in the right child. The best cut so far stays, but for criteria that compare with a tolerance: there it
    is the best of each feature that counts."""
    cdef index_t label
    if CountScan is BinaryGiniScan:
        scan.left_total = 0
        scan.difference = 0
    elif CountScan is OrdinalGiniScan:
        scan.forms.left_total = 0
        scan.forms.left_squares = 0
        scan.forms.right_squares = scan.forms.total_squares
        start_rows(&scan.rows)
    elif CountScan is RankingScan:
        scan.left_total = 0
        scan.left_form = 0
        scan.right_form = scan.total_form
        start_rows(&scan.rows)
    elif CountScan is WigScan:
        start_wig_feature(scan)
    else:
        scan.left_total = 0
        for label in range(scan.n_classes):
            scan.left_counts[label] = 0
        if CountScan is GiniScan:
            scan.left_squares = 0
            scan.right_squares = scan.total_squares
        elif CountScan in MatchingScan:
            scan.next_left = 0
            if CountScan is LabelledScan:
                scan.left_error = 0
        else:
            scan.left_sum = 0
            scan.right_sum = scan.total_sum
    if CountScan is WeightedScan:
        scan.has_best = False
        if scan.code == WIG:
            start_modes(scan)


cdef inline void move_left(WholeScan* scan, index_t label, int64_t weight) noexcept nogil:
    """Move so many rows of the class."""
    cdef int64_t left, right
    if WholeScan is BinaryGiniScan:
        scan.left_total += weight
        scan.difference += weight * scan.steps[label]
    elif WholeScan is OrdinalGiniScan:
        move_ordinal_gini(scan, label, weight)
    elif WholeScan is RankingScan:
        move_ranking(scan, label, weight)
    elif WholeScan is WigScan:
        move_wig(scan, label, weight)
    else:
        left = scan.left_counts[label]
        right = scan.total_counts[label] - left
        scan.left_total += weight
        scan.left_counts[label] = left + weight
        if WholeScan is GiniScan:
            scan.left_squares += weight * (2 * left + weight)
            scan.right_squares -= weight * (2 * right - weight)
        elif WholeScan is LabelledScan:
            scan.left_error += weight * (label - scan.first)
        elif WholeScan is not JaccardScan:
            scan.left_sum += scan.table[left + weight] - scan.table[left]
            scan.right_sum += scan.table[right - weight] - scan.table[right]


cdef inline bint offer(CountScan* scan) noexcept nogil:
    """Keep the present cut where it beats the best so far."""
    if CountScan is BinaryGiniScan:
        return offer_binary_gini(scan)
    elif CountScan is GiniScan:
        return offer_gini(scan)
    elif CountScan is EntropyScan:
        return _offer_entropy(scan)
    elif CountScan is OrdinalGiniScan:
        return offer_gini(&scan.forms)
    elif CountScan is RankingScan:
        return offer_ranking(scan)
    elif CountScan is RatioScan:
        return offer_ratio(scan)
    elif CountScan is LabelledScan:
        return offer_labelled(scan)
    elif CountScan is JaccardScan:
        return offer_jaccard(scan)
    elif CountScan is WigScan:
        return offer_wig(scan)
    else:
        return _offer_weighted(scan)


cdef inline Gain best_gain(CountScan* scan) noexcept nogil:
    if CountScan is BinaryGiniScan:
        return gain_of_binary_gini(scan)
    elif CountScan is GiniScan:
        return gain_of_gini(scan)
    elif CountScan is EntropyScan:
        return _gain_of_entropy(scan)
    elif CountScan is OrdinalGiniScan:
        return gain_of_gini(&scan.forms)
    elif CountScan is RankingScan:
        return gain_of_ranking(scan)
    elif CountScan is RatioScan:
        return gain_of_ratio(scan)
    elif CountScan is LabelledScan:
        return gain_of_labelled(scan)
    elif CountScan is JaccardScan:
        return gain_of_jaccard(scan)
    elif CountScan is WigScan:
        complete_best(scan.best)
        return tolerant_gain(scan.best.exact.best_score, scan.best.exact.total)
    else:
        return tolerant_gain(scan.best_score, scan.total)


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
    elif CountScan is RankingScan:
        return scan.has_best and scan.best_cost == 0
    elif CountScan is RatioScan:
        return is_perfect_ratio(scan)
    elif CountScan is LabelledScan:
        return is_perfect_labelled(scan)
    elif CountScan is JaccardScan:
        return is_perfect_jaccard(scan)
    else:
        return False


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
    cdef float64_t gain
    # What is not a number tells nothing.
    if scan.has_best and gain_nearly(scan) < scan.best_score - scan.margin:
        return False
    gain = weighted_clustering_gain(scan) if compares_clusterings(scan.code) else weighted_gain(scan)
    if scan.has_best and not exceeds_by_tolerance(gain, scan.best_score):
        return False
    scan.has_best = True
    scan.best_score = gain
    return True
