"""Distances of the clustering of a node's rows by a cut to that by their classes (F. Späh and S. Kosub, "Global
Evaluation for Decision Tree Learning", Section 1.1), inlined where they are cimported."""

from libc.math cimport INFINITY, log2

from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.base.types cimport (
    ACCURACY,
    GAIN_RATIO,
    JACCARD,
    MAE,
    NVI,
    CriterionCode,
    float64_t,
    index_t,
    int64_t,
    int128_t,
)
from pytrees._core.criteria.weighted cimport WeightedScan


cdef struct RatioScan:
    # Gain(Y, T) / H(T), or Gain(Y, T) / H(T, Y): T is the cut, Y the classes. Times the node's rows both are whole
    # multiples of 2**-30 bit. Of up to 2**28 rows, n log2 n is below 2**63, and the gain is below 2**59.
    index_t n_classes
    bint is_joint
    const int64_t* table
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, total_sum, left_total, left_sum, right_sum
    bint has_best
    int64_t best_numerator, best_denominator


cdef struct LabelledScan:
    # The children are labelled with two different classes so that the most rows are right, or the sum of the absolute
    # errors is the least. Where a row moves, no score rises by more than `steepness`: after one that misses the best,
    # the next that can exceed it is that of `next_left` rows.
    index_t n_classes
    bint counts_errors
    index_t first, last             # class of the node: no label beyond them has fewer errors
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, left_total, next_left, steepness, node_score
    int64_t node_error, left_error  # with the label `first`
    bint has_best
    int64_t best_score


cdef struct Overlap:
    int64_t both, either    # rows of the child and the class: their quotient is the Jaccard similarity


cdef struct Overlaps:
    # Of a child: the class that is most similar to it, and the second-best similarity.
    index_t label
    Overlap first, second


cdef struct JaccardScan:
    # The children are matched with two different classes so that the sum of the similarities is the greatest.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, left_total, next_left, largest_count
    float64_t best_similarity           # nearly best_numerator / best_denominator
    int64_t best_numerator, best_denominator        # of 2**31 rows below 2**63; the latter is 0 before the first cut


# ----------------------------------------------------------------------------------------------------------- matching

ctypedef fused Score:
    int64_t
    float64_t


cdef inline void forget_scores(Score* scores) noexcept nogil:
    """Below every score, and so that two of them can be added."""
    if Score is int64_t:
        scores[0] = scores[1] = -(<int64_t> 1 << 62)
    else:
        scores[0] = scores[1] = -INFINITY


cdef inline void take_score(index_t label, Score score, index_t* best, Score* scores) noexcept nogil:
    """Of the scores of a child as one class after the other keep the two greatest, and the class of the first."""
    if score <= scores[1]:
        return
    if score <= scores[0]:
        scores[1] = score
        return
    scores[1] = scores[0]
    scores[0] = score
    best[0] = label


cdef inline Score matched(
    index_t left, const Score* left_scores, index_t right, const Score* right_scores
) noexcept nogil:
    """The greatest sum of the scores of two different classes: where both children are best as the same class, one of
    them is the second-best of its own."""
    if left != right:
        return left_scores[0] + right_scores[0]
    return max(left_scores[0] + right_scores[1], left_scores[1] + right_scores[0])


# ------------------------------------------------------------------------------------------------------------- ratios

cdef inline bint offer_ratio(RatioScan* scan) noexcept nogil:
    cdef int64_t joint_sum = scan.left_sum + scan.right_sum
    cdef int64_t cut_sum = scan.table[scan.left_total] + scan.table[scan.total - scan.left_total]
    cdef int64_t numerator = scan.table[scan.total] - scan.total_sum + joint_sum - cut_sum
    cdef int64_t denominator = scan.table[scan.total] - (joint_sum if scan.is_joint else cut_sum)
    if scan.has_best and (
        <int128_t> numerator * scan.best_denominator <= <int128_t> scan.best_numerator * denominator
    ):
        return False
    scan.has_best = True
    scan.best_numerator = numerator
    scan.best_denominator = denominator
    return True


cdef inline bint is_perfect_ratio(const RatioScan* scan) noexcept nogil:
    """No ratio exceeds 1, for n log2 n, rounded as it is, of a sum of counts is not less than the sum of theirs."""
    return scan.has_best and scan.best_numerator == scan.best_denominator


cdef inline Gain gain_of_ratio(const RatioScan* scan) noexcept nogil:
    cdef Gain gain = exact_gain(<int128_t> scan.best_numerator * scan.total, scan.best_denominator, scan.total)
    # As of entropy: the rounding of the table can take a gain of nothing below zero.
    if gain.value < 0.0:
        gain.value = 0.0
    return gain


# -------------------------------------------------------------------------------------------- labels of the children

cdef inline void start_labelled(LabelledScan* scan) noexcept nogil:
    """Of a node whose classes are counted."""
    cdef index_t label, best = 0
    cdef int64_t error, below = 0
    cdef int64_t[2] scores
    scan.has_best = False
    scan.first = 0
    while scan.first < scan.n_classes - 1 and scan.total_counts[scan.first] == 0:
        scan.first += 1
    scan.last = scan.n_classes - 1
    while scan.last > scan.first and scan.total_counts[scan.last] == 0:
        scan.last -= 1
    scan.steepness = max(1, scan.last - scan.first) if scan.counts_errors else 1
    scan.node_error = 0
    for label in range(scan.first, scan.last + 1):
        scan.node_error += (label - scan.first) * scan.total_counts[label]
    error = scan.node_error
    forget_scores(scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, -error if scan.counts_errors else scan.total_counts[label], &best, scores)
        below += scan.total_counts[label]
        error += 2 * below - scan.total
    scan.node_score = scores[0]


cdef inline bint offer_labelled(LabelledScan* scan) noexcept nogil:
    cdef int64_t score
    if scan.left_total < scan.next_left:
        return False
    score = _minus_errors(scan) if scan.counts_errors else _hits(scan)
    if scan.has_best and score <= scan.best_score:
        scan.next_left = scan.left_total + (scan.best_score - score) // scan.steepness + 1
        return False
    scan.has_best = True
    scan.best_score = score
    return True


cdef inline int64_t _hits(const LabelledScan* scan) noexcept nogil:
    cdef index_t label, left = 0, right = 0
    cdef int64_t[2] left_scores, right_scores
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, scan.left_counts[label], &left, left_scores)
        take_score(label, scan.total_counts[label] - scan.left_counts[label], &right, right_scores)
    return matched(left, left_scores, right, right_scores)


cdef inline int64_t _minus_errors(const LabelledScan* scan) noexcept nogil:
    """From one label to the next the errors of rows up to the first grow by one, those of the others fall by one."""
    cdef index_t label, left = 0, right = 0
    cdef int64_t left_error = scan.left_error, right_error = scan.node_error - scan.left_error
    cdef int64_t left_below = 0, right_below = 0, count, right_total = scan.total - scan.left_total
    cdef int64_t[2] left_scores, right_scores
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, -left_error, &left, left_scores)
        take_score(label, -right_error, &right, right_scores)
        count = scan.left_counts[label]
        left_below += count
        left_error += 2 * left_below - scan.left_total
        right_below += scan.total_counts[label] - count
        right_error += 2 * right_below - right_total
    return matched(left, left_scores, right, right_scores)


cdef inline bint is_perfect_labelled(const LabelledScan* scan) noexcept nogil:
    return scan.has_best and scan.best_score == (0 if scan.counts_errors else scan.total)


cdef inline Gain gain_of_labelled(const LabelledScan* scan) noexcept nogil:
    return exact_gain(scan.best_score - scan.node_score, 1, scan.total)


# ------------------------------------------------------------------------------------------------------------- Jaccard

cdef inline void start_jaccard(JaccardScan* scan) noexcept nogil:
    """Of a node whose classes are counted."""
    cdef index_t label
    scan.largest_count = 0
    for label in range(scan.n_classes):
        scan.largest_count = max(scan.largest_count, scan.total_counts[label])
    scan.best_denominator = 0
    scan.best_similarity = 0.0
    scan.best_numerator = 0


cdef inline bint _exceeds(const Overlap* a, const Overlap* b) noexcept nogil:
    return a.both * b.either > b.both * a.either


cdef inline void _take_overlap(Overlaps* overlaps, index_t label, int64_t both, int64_t either) noexcept nogil:
    cdef Overlap overlap
    overlap.both = both
    overlap.either = either
    if not _exceeds(&overlap, &overlaps.second):
        return
    if not _exceeds(&overlap, &overlaps.first):
        overlaps.second = overlap
        return
    overlaps.second = overlaps.first
    overlaps.first = overlap
    overlaps.label = label


cdef inline bint offer_jaccard(JaccardScan* scan) noexcept nogil:
    cdef Overlaps left, right
    cdef index_t label
    cdef int64_t count, in_node
    cdef float64_t similarity = 0.0
    cdef bint is_kept
    if scan.left_total < scan.next_left:
        return False
    # Of the two classes or more each child is also compared to one that it has no row of, or to a better one.
    left.label = right.label = 0
    left.first.both = left.second.both = right.first.both = right.second.both = 0
    left.first.either = left.second.either = right.first.either = right.second.either = 1
    for label in range(scan.n_classes):
        in_node = scan.total_counts[label]
        count = scan.left_counts[label]
        if count > 0:
            _take_overlap(&left, label, count, scan.left_total + in_node - count)
        if count < in_node:
            _take_overlap(&right, label, in_node - count, scan.total - scan.left_total + count)
    if left.label != right.label:
        is_kept = _offer_pair(scan, &left.first, &right.first, &similarity)
    else:
        is_kept = _offer_pair(scan, &left.first, &right.second, &similarity)
        is_kept = _offer_pair(scan, &left.second, &right.first, &similarity) or is_kept
    if not is_kept:
        _pass_over(scan, similarity, <float64_t> right.first.both / <float64_t> right.first.either)
    return is_kept


cdef inline bint _offer_pair(
    JaccardScan* scan, const Overlap* left, const Overlap* right, float64_t* similarity
) noexcept nogil:
    """Keep the sum of two similarities where it beats the best so far, and in `similarity` nearly the greater one of
    those of the cut."""
    cdef float64_t present = (
        <float64_t> left.both / <float64_t> left.either + <float64_t> right.both / <float64_t> right.either
    )
    cdef int64_t numerator, denominator
    similarity[0] = max(similarity[0], present)
    # Either sum is rounded by less than 1e-15.
    if present < scan.best_similarity - 4e-15:
        return False
    numerator = left.both * right.either + right.both * left.either
    denominator = left.either * right.either
    if (
        present <= scan.best_similarity + 4e-15 and scan.best_denominator > 0
        and <int128_t> numerator * scan.best_denominator <= <int128_t> scan.best_numerator * denominator
    ):
        return False
    scan.best_similarity = present
    scan.best_numerator = numerator
    scan.best_denominator = denominator
    return True


cdef inline void _pass_over(JaccardScan* scan, float64_t similarity, float64_t right_similarity) noexcept nogil:
    """Set `next_left` from a sum of similarities that is not better than the best, and the right child's best."""
    cdef float64_t missing = scan.best_similarity - similarity - 1e-14
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    # While m rows move, a similarity to the left child rises by at most m / L, because its L rows are in the union. One
    # of J to the right child, whose union loses at most m of at least R rows, rises by at most J m / (R - m), which for
    # up to half of the rows is at most 2 J m / R.
    if missing > 0.0:
        scan.next_left = scan.left_total + 1 + <int64_t> min(
            missing * left_total * right_total / (right_total + 2.0 * right_similarity * left_total), 0.5 * right_total
        )


cdef inline bint is_perfect_jaccard(const JaccardScan* scan) noexcept nogil:
    """No similarity exceeds 1."""
    return scan.best_denominator > 0 and scan.best_numerator == 2 * scan.best_denominator


cdef inline Gain gain_of_jaccard(const JaccardScan* scan) noexcept nogil:
    return exact_gain(
        <int128_t> scan.best_numerator * scan.total - <int128_t> scan.largest_count * scan.best_denominator,
        scan.best_denominator, scan.total,
    )


# ------------------------------------------------------------------------------ weights that are not whole numbers

cdef inline bint compares_clusterings(CriterionCode code) noexcept nogil:
    return code == GAIN_RATIO or code == NVI or code == JACCARD or code == ACCURACY or code == MAE


cdef inline void start_weighted_clustering(WeightedScan* scan) noexcept nogil:
    """What the gain is the distance from: of ratios the entropy of the classes, of others the node's best score."""
    cdef index_t label, best = 0
    cdef float64_t error = 0.0, below = 0.0, total = 0.0
    cdef float64_t[2] scores
    if scan.code == GAIN_RATIO or scan.code == NVI:
        scan.node_impurity = 0.0
        for label in range(scan.n_classes):
            scan.node_impurity -= entropy_term(scan.total_counts[label], scan.total)
        return
    forget_scores(scores)
    for label in range(scan.n_classes):
        total += scan.total_counts[label]
        error += label * scan.total_counts[label]
    for label in range(scan.n_classes):
        take_score(
            label, _score(scan, scan.total_counts[label], scan.total_counts[label], scan.total, error), &best, scores
        )
        below += scan.total_counts[label]
        error += below - (total - below)
    scan.node_impurity = scores[0]


cdef inline float64_t weighted_clustering_gain(const WeightedScan* scan) noexcept nogil:
    cdef float64_t gain
    if scan.code == GAIN_RATIO or scan.code == NVI:
        return _weighted_ratio(scan)
    gain = _weighted_match(scan) - scan.node_impurity
    if scan.code == JACCARD:
        return gain
    return gain / scan.total if scan.total > 0.0 else 0.0


cdef inline float64_t entropy_term(float64_t weight, float64_t total) noexcept nogil:
    """p log2 p of a share of the node's weight."""
    if total <= 0.0 or weight <= 0.0:
        return 0.0
    return weight / total * log2(weight / total)


cdef inline float64_t _weighted_ratio(const WeightedScan* scan) noexcept nogil:
    cdef index_t label
    cdef float64_t of_cut = 0.0, joint = 0.0, denominator
    of_cut -= entropy_term(scan.left_total, scan.total)
    of_cut -= entropy_term(scan.total - scan.left_total, scan.total)
    for label in range(scan.n_classes):
        joint -= entropy_term(scan.left_counts[label], scan.total)
    for label in range(scan.n_classes):
        joint -= entropy_term(scan.total_counts[label] - scan.left_counts[label], scan.total)
    denominator = of_cut if scan.code == GAIN_RATIO else joint
    return (scan.node_impurity + of_cut - joint) / denominator if denominator > 0.0 else 0.0


cdef inline float64_t _score(
    const WeightedScan* scan, float64_t weight, float64_t in_node, float64_t total, float64_t error
) noexcept nogil:
    """Of rows of this total as a class, of which they hold this weight."""
    cdef float64_t either
    if scan.code == JACCARD:
        either = total + in_node - weight
        return weight / either if either > 0.0 else 0.0
    return weight if scan.code == ACCURACY else -error


cdef inline float64_t _weighted_match(const WeightedScan* scan) noexcept nogil:
    cdef index_t label, left = 0, right = 0
    cdef float64_t left_error = 0.0, right_error = 0.0, left_below = 0.0, right_below = 0.0
    cdef float64_t left_sum = 0.0, right_sum = 0.0, right_total = scan.total - scan.left_total, weight, in_node
    cdef float64_t[2] left_scores, right_scores
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(scan.n_classes):
        weight = scan.left_counts[label]
        left_sum += weight
        left_error += label * weight
        weight = scan.total_counts[label] - weight
        right_sum += weight
        right_error += label * weight
    for label in range(scan.n_classes):
        in_node = scan.total_counts[label]
        weight = scan.left_counts[label]
        take_score(label, _score(scan, weight, in_node, scan.left_total, left_error), &left, left_scores)
        left_below += weight
        left_error += left_below - (left_sum - left_below)
        weight = in_node - weight
        take_score(label, _score(scan, weight, in_node, right_total, right_error), &right, right_scores)
        right_below += weight
        right_error += right_below - (right_sum - right_below)
    return matched(left, left_scores, right, right_scores)
