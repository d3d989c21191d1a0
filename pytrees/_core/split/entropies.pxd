"""Entropies of the cuts of a node whose samples are in bins of its own, or compared with each other.

Scores are whole multiples of 2**-30 bit, in single precision: they choose the cuts that are worth an exact look.
"""

from libc.math cimport INFINITY

from pytrees._core.base.types cimport index_t, int32_t, int64_t, uint16_t, uint32_t
from pytrees._core.criteria.entropy cimport EntropyScan, bound_of_entropy, highest_rise_of_entropy
from pytrees._core.rows.node_bins cimport ROOM_FOR_PAIRS, NodeBins, NodeFeature

cdef extern from "lanes_of_classes.h":
    # The classes of few samples, which stand in their order.
    ctypedef struct paired_classes:
        int32_t n_classes
        int32_t* ends           # where the samples of each end
        uint16_t* totals        # what they weigh
        uint16_t squares        # of these

cdef enum:
    MOST_CLASSES_IN_BINS = 128


# Of two classes one word counts both: a cut has so many zeros in the lower half on its left side, and ones above.

cdef inline int64_t _binary_term(const EntropyScan* scan, index_t label, int64_t left) noexcept nogil:
    """Return what the samples of one of two classes add to the score, so many being in the left child."""
    return scan.table[left] + scan.table[scan.total_counts[label] - left]


cdef inline int64_t _sizes_term(const EntropyScan* scan, int64_t left) noexcept nogil:
    """Return what the sizes of the children take from the score."""
    return scan.table[left] + scan.table[scan.total - left]


cdef inline float score_binary_entropies(
    const EntropyScan* scan, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Score the cuts behind the summed bins of two classes, and return the greatest score of the bins [first, last)."""
    cdef const uint32_t* words = <const uint32_t*> feature.counts
    cdef index_t bin
    cdef int64_t zeros, ones
    cdef float best = -INFINITY
    for bin in range(feature.n_bins):
        zeros, ones = words[bin] & 0xFFFF, words[bin] >> 16
        feature.scores[bin] = <float> (
            _binary_term(scan, 0, zeros) + _binary_term(scan, 1, ones) - _sizes_term(scan, zeros + ones)
        )
        if first <= bin < last:
            best = max(best, feature.scores[bin])
    return best


cdef inline index_t mark_binary_entropies(
    const EntropyScan* scan, NodeBins bins, const NodeFeature* feature, float to_reach
) noexcept nogil:
    """Mark the bins that have both classes and in which a cut could reach the score, which is convex in the class
    counts: one of the two corners does that have the left samples and those of one class of the bin."""
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
        highest = max(
            _binary_term(scan, 0, next_zeros) + _binary_term(scan, 1, ones) - _sizes_term(scan, next_zeros + ones),
            _binary_term(scan, 0, zeros) + _binary_term(scan, 1, next_ones) - _sizes_term(scan, zeros + next_ones),
        )
        # Of both this score and that of the cut, half a unit of each of six terms is rounded away.
        bins.is_marked[bin] = <float> (highest + 6) >= to_reach
        n_marked += bins.is_marked[bin]
    return n_marked


cdef inline float score_binary_sums(
    const EntropyScan* scan, const uint16_t* sums, index_t n_rows, float* scores
) noexcept nogil:
    """Score the cuts of which the words `sums` have the left child's class weights, and return the greatest score of
    those that leave some on the right."""
    cdef index_t i
    cdef int64_t zeros, ones
    cdef float best = -INFINITY
    for i in range(n_rows):
        zeros, ones = sums[i] & 0xFF, sums[i] >> 8
        scores[i] = <float> (
            _binary_term(scan, 0, zeros) + _binary_term(scan, 1, ones) - _sizes_term(scan, zeros + ones)
        )
        if zeros + ones < scan.total:
            best = max(best, scores[i])
    return best


# Of more classes there is a row of class weights for every bin, or sums for every class.

cdef inline float sum_up_entropies(
    const EntropyScan* scan, NodeBins bins, NodeFeature* feature, index_t first, index_t last
) noexcept nogil:
    """Turn the rows of class weights into those of all bins up to each, and score the cuts behind them; return the
    greatest score of the bins [first, last)."""
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


cdef inline index_t mark_by_entropy(
    const EntropyScan* scan, NodeBins bins, const NodeFeature* feature, index_t min_samples_leaf, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score; those of one class have none that is better than the
    edges."""
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
            bins.is_marked[bin] = (n_present > 1 or min_samples_leaf > 1) and (
                bound_of_entropy(&local, counts, <int64_t> own) >= to_reach
            )
            n_marked += bins.is_marked[bin]
        row += bins.n_lanes
    return n_marked


cdef inline float score_sums_by_entropy(
    const EntropyScan* scan, NodeBins bins, const paired_classes* classes, index_t n_rows, float* scores
) noexcept nogil:
    """Score the cuts of which pair_sums has the left child's class weights, and return the greatest score."""
    cdef const int64_t* table = scan.table
    cdef const uint16_t* sums
    cdef int64_t[ROOM_FOR_PAIRS] totals
    cdef index_t[ROOM_FOR_PAIRS] weights
    cdef index_t i, k, n_lanes = (n_rows + 7) // 8 * 8
    cdef int64_t of_class
    cdef float best = -INFINITY
    for i in range(n_rows):
        totals[i] = 0
        weights[i] = 0
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
