"""Scores of entropy: of a node's bins, and of all pairs of samples.

Scores are multiples of 2**-30 bit, in single precision. They choose the cuts that are worth an exact look.
"""

from libc.math cimport INFINITY

from pytrees._core.base.sizes cimport MOST_CLASSES_IN_BINS, MOST_PAIRED
from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint16_t, uint32_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.fast.bounds_of_criteria cimport bound_of_entropy, highest_rise_of_entropy
from pytrees._core.fast.node_bins cimport NodeBins, NodeFeature, PairedSamples
from pytrees._core.fast.simd cimport paired_classes, sum_pairs


cdef inline float score_bins_by_entropy(
    const EntropyScan* scan, NodeBins bins, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Score the cuts behind counted bins, and return the greatest score of the bins [first, last)."""
    if scan.n_classes == 2:
        return _score_binary_bins(scan, feature, first, last)
    return _sum_up_entropies(scan, bins, feature, first, last)


cdef inline index_t mark_bins_by_entropy(
    const EntropyScan* scan, NodeBins bins, const NodeFeature* feature, bint allows_all, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score; return their number."""
    if scan.n_classes == 2:
        return _mark_binary_bins(scan, bins, feature, to_reach)
    return _mark_rows(scan, bins, feature, allows_all, to_reach)


cdef inline float score_pairs_by_entropy(
    const EntropyScan* scan, NodeBins bins, NodeFeature* feature, const PairedSamples* samples, const uint16_t* keys,
    index_t n
) noexcept nogil:
    """Score the cuts behind all samples, whose sums of two classes are known; return the greatest score."""
    if scan.n_classes == 2:
        return _score_binary_sums(scan, <const uint16_t*> feature.counts, n, feature.scores)
    sum_pairs(keys, samples.weights, samples.classes.ends, samples.classes.n_classes, n, &bins.pair_sums[0])
    return _score_sums(scan, bins, &samples.classes, n, feature.scores)


# With two classes one word counts both: the samples of class 0 in its lower half, of class 1 in its upper half.

cdef inline int64_t _binary_score(const EntropyScan* scan, int64_t zeros, int64_t ones) noexcept nogil:
    """Return the score of a cut with these samples of both classes in the left child."""
    cdef const int64_t* table = scan.table
    return (
        table[zeros] + table[scan.total_counts[0] - zeros] + table[ones] + table[scan.total_counts[1] - ones]
        - table[zeros + ones] - table[scan.total - zeros - ones]
    )


cdef inline float _score_binary_bins(
    const EntropyScan* scan, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Score the cuts behind the summed bins of two classes, and return the greatest score of the bins [first, last)."""
    cdef const uint32_t* words = <const uint32_t*> feature.counts
    cdef index_t bin
    cdef int64_t zeros, ones
    cdef float best = -INFINITY
    for bin in range(feature.n_bins):
        zeros, ones = words[bin] & 0xFFFF, words[bin] >> 16
        feature.scores[bin] = <float> _binary_score(scan, zeros, ones)
        if first <= bin < last:
            best = max(best, feature.scores[bin])
    return best


cdef inline index_t _mark_binary_bins(
    const EntropyScan* scan, NodeBins bins, const NodeFeature* feature, float to_reach
) noexcept nogil:
    """Mark the bins that have both classes and in which a cut could reach the score.

    The score is convex in the class counts, so one of two corners bounds it: all samples of one class of the bin have
    moved to the left, and none of the other class."""
    cdef const uint32_t* words = <const uint32_t*> feature.counts
    cdef uint32_t before, own
    cdef int64_t zeros, ones, next_zeros, next_ones, highest
    cdef index_t bin, n_marked = 0
    for bin in range(feature.n_bins):
        before = words[bin - 1] if bin > 0 else 0
        own = words[bin] - before
        bins.is_marked[bin] = False
        if (own & 0xFFFF) == 0 or own >> 16 == 0:
            continue
        zeros, ones = before & 0xFFFF, before >> 16
        next_zeros, next_ones = words[bin] & 0xFFFF, words[bin] >> 16
        highest = max(_binary_score(scan, next_zeros, ones), _binary_score(scan, zeros, next_ones))
        # Each score sums six rounded terms, an error of 3 units; two scores differ by 6 more at most.
        bins.is_marked[bin] = <float> (highest + 6) >= to_reach
        n_marked += bins.is_marked[bin]
    return n_marked


cdef inline float _score_binary_sums(
    const EntropyScan* scan, const uint16_t* sums, index_t n_rows, float* scores
) noexcept nogil:
    """Score cuts from the left child's class weights in the words `sums`; return the greatest score of a cut that
    leaves samples on the right."""
    cdef index_t i
    cdef int64_t zeros, ones
    cdef float best = -INFINITY
    for i in range(n_rows):
        zeros, ones = sums[i] & 0xFF, sums[i] >> 8
        scores[i] = <float> _binary_score(scan, zeros, ones)
        if zeros + ones < scan.total:
            best = max(best, scores[i])
    return best


# With more classes every bin has a row of class weights, or every class has sums.

cdef inline float _sum_up_entropies(
    const EntropyScan* scan, NodeBins bins, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Cumulate the rows of class weights, and score the cuts behind the bins; return the greatest score of the bins
    [first, last)."""
    cdef const int64_t* table = scan.table
    cdef uint16_t* row = <uint16_t*> feature.counts
    cdef index_t bin, label
    cdef int64_t left, weight, score
    cdef float best = -INFINITY
    # In front of the first row are zeros.
    for bin in range(feature.n_bins):
        score = weight = 0
        for label in range(bins.n_classes):
            row[label] += (row - bins.n_lanes)[label]
            left = row[label]
            weight += left
            score += table[left] + table[scan.total_counts[label] - left]
        score -= table[weight] + table[scan.total - weight]
        feature.scores[bin] = <float> score
        feature.weights[bin] = <float> weight
        if first <= bin < last:
            best = max(best, feature.scores[bin])
        row += bins.n_lanes
    return best


cdef inline index_t _mark_rows(
    const EntropyScan* scan, NodeBins bins, const NodeFeature* feature, bint allows_all, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score. In a bin of one class no cut is better than the edges."""
    cdef EntropyScan local = scan[0]
    cdef const uint16_t* row = <const uint16_t*> feature.counts
    cdef const uint16_t* before
    cdef int32_t[MOST_CLASSES_IN_BINS] counts
    cdef index_t bin, label, n_present, n_marked = 0
    cdef float rise = <float> highest_rise_of_entropy(scan, 2) - <float> highest_rise_of_entropy(scan, 0), own, edges
    for bin in range(feature.n_bins):
        before = row - bins.n_lanes
        own = feature.weights[bin] - (feature.weights[bin - 1] if bin > 0 else <float> 0.0)
        edges = feature.scores[bin]
        if bin > 0:
            edges = max(edges, feature.scores[bin - 1])
        bins.is_marked[bin] = False
        if own > 1.0 and (bin == 0 or edges + (0.5 * own + 1.0) * rise >= to_reach):
            n_present = 0
            local.left_total = <int64_t> (feature.weights[bin] - own)
            for label in range(bins.n_classes):
                local.left_counts[label] = before[label]
                counts[label] = row[label] - before[label]
                n_present += counts[label] > 0
            bins.is_marked[bin] = (n_present > 1 or not allows_all) and (
                bound_of_entropy(&local, counts, <int64_t> own) >= to_reach
            )
            n_marked += bins.is_marked[bin]
        row += bins.n_lanes
    return n_marked


cdef inline float _score_sums(
    const EntropyScan* scan, NodeBins bins, const paired_classes* classes, index_t n_rows, float* scores
) noexcept nogil:
    """Score cuts from the left child's class weights in `pair_sums`; return the greatest score of a cut that leaves
    samples on the right."""
    cdef const int64_t* table = scan.table
    cdef const uint16_t* sums
    cdef int64_t[MOST_PAIRED] totals
    cdef index_t[MOST_PAIRED] weights
    cdef index_t i, k, n_lanes = (n_rows + 7) // 8 * 8
    cdef int64_t of_class
    cdef float best = -INFINITY
    for i in range(n_rows):
        totals[i] = weights[i] = 0
    for k in range(classes.n_classes):
        sums = &bins.pair_sums[k * n_lanes]
        of_class = classes.totals[k]
        for i in range(n_rows):
            totals[i] += table[sums[i]] + table[of_class - sums[i]]
            weights[i] += sums[i]
    for i in range(n_rows):
        scores[i] = <float> (totals[i] - table[weights[i]] - table[scan.total - weights[i]])
        if weights[i] < scan.total:
            best = max(best, scores[i])
    return best
