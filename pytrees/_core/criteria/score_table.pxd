"""Scores in vectors of the criteria that have them; `table` has everything else of a criterion.

Scores in single precision choose the cuts that are worth an exact comparison. With two classes, one word counts the
samples of both. With more classes, each bin of a node has a row of class weights, and few samples are sorted by class.
"""

from libc.math cimport fabs

from pytrees._core.base.simd cimport spread_few, sum_pairs
from pytrees._core.base.sizes cimport MOST_IN_PAIRS, MOST_OF_CLASSES_IN_PAIRS, MOST_OF_FEW
from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.entropy_scores cimport (
    mark_bins_by_entropy, score_bins_by_entropy, score_pairs_by_entropy,
)
from pytrees._core.criteria.gini cimport AnyGiniScan, BinaryGiniScan, GiniScan
from pytrees._core.criteria.gini_scores cimport (
    EntryScores, allow_entries_by_gini, find_entries_by_gini, mark_bins_by_gini, perfect_score_of_gini,
    score_bins_by_gini, score_entries_by_gini, score_pairs_by_gini, take_entries_left_by_gini, take_pair_left_by_gini,
)
from pytrees._core.criteria.ranking cimport BinaryRankingScan
from pytrees._core.criteria.ranking_scores cimport (
    mark_bins_by_ranking, score_bins_by_ranking, score_pairs_by_ranking,
)
from pytrees._core.criteria.table cimport BinnedScan, move_left, start_feature, tie_margin
from pytrees._core.rows.node_bins cimport (
    NodeBins, NodeFeature, PairedSamples, count_halves, count_rows_of_lanes, label_of_packed, take_halves,
    weight_of_packed,
)

# Criteria whose scores of two classes come from words that count both.
ctypedef fused BinaryScan:
    BinaryGiniScan
    BinaryRankingScan


cdef inline float lowered(const BinnedScan* scan, float64_t score, bint of_entries) noexcept nogil:
    """Lower the best score by its error, which is below a third of the share taken off: another cut that reaches the
    lowered score may be better."""
    cdef float64_t share = 1e-5 if BinnedScan is BinaryGiniScan and not of_entries else 2e-6
    return <float> (score - share * fabs(score) - tie_margin(scan))


cdef inline float64_t perfect_score(const BinnedScan* scan) noexcept nogil:
    """Return the score of a cut that leaves one class in each child."""
    if BinnedScan in AnyGiniScan:
        return perfect_score_of_gini(scan)
    else:
        return 0.0


# --------------------------------------------------------------------------------------------------- sorted entries

# A criterion takes part if `scores_cuts` of table.pyx says so; no other comes here.

cdef inline void allow_entries(
    const BinnedScan* scan, const EntryScores* scores, index_t n, index_t fewest_left, index_t most_left
) noexcept nogil:
    """Lay out which cuts of n entries are allowed."""
    if BinnedScan in AnyGiniScan:
        allow_entries_by_gini(scan, scores, n, fewest_left, most_left)


cdef inline float score_entries(
    const BinnedScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n, index_t first_of_1,
    const uint16_t* labels
) noexcept nogil:
    """Return the greatest score of a feature's cuts, 0 if none is allowed or gains anything."""
    if BinnedScan in AnyGiniScan:
        return score_entries_by_gini(scan, scores, entries, n, first_of_1, labels)
    else:
        return 0.0


cdef inline index_t find_entries(
    const BinnedScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n, index_t first_of_1,
    const uint16_t* labels, float to_reach
) noexcept nogil:
    """List the cuts whose scores reach `to_reach`, in ascending order; return their number."""
    if BinnedScan in AnyGiniScan:
        return find_entries_by_gini(scan, scores, entries, n, first_of_1, labels, to_reach)
    else:
        return 0


cdef inline index_t take_entries_left(BinnedScan* scan, const EntryScores* scores, index_t i) noexcept nogil:
    """Put the samples of the i-th cut that was found into the left child; return how many there are."""
    if BinnedScan in AnyGiniScan:
        return take_entries_left_by_gini(scan, scores, i)
    else:
        return 0


# ------------------------------------------------------------------------------------------- bins of the node, pairs

cdef inline bint counts_in_halves(const BinnedScan* scan) noexcept nogil:
    """Whether one word counts both classes, if weights are small."""
    if BinnedScan in BinaryScan:
        return True
    elif BinnedScan is EntropyScan:
        return scan.n_classes == 2
    else:
        return False


cdef inline index_t most_in_pairs(const BinnedScan* scan) noexcept nogil:
    return MOST_IN_PAIRS if counts_in_halves(scan) else MOST_OF_CLASSES_IN_PAIRS


cdef inline void start_scores(const BinnedScan* scan, NodeBins bins) noexcept nogil:
    """Lay out the class weights of the node and its samples, which are small."""
    cdef index_t label
    if BinnedScan in BinaryScan:
        take_halves(bins, bins.start, bins.stop)
    elif counts_in_halves(scan):
        take_halves(bins, bins.start, bins.stop)
    else:
        for label in range(bins.n_classes):
            bins.node_row[label] = <uint16_t> scan.total_counts[label]


cdef inline float score_bins(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, index_t n, index_t first, index_t last
) noexcept nogil:
    """Count the bins of a feature and score the cuts between them; return the greatest score of [first, last)."""
    if counts_in_halves(scan):
        count_halves(bins, feature, n)
    else:
        count_rows_of_lanes(bins, feature, n)
    if BinnedScan is BinaryRankingScan:
        return score_bins_by_ranking(scan, feature, first, last)
    elif BinnedScan is EntropyScan:
        return score_bins_by_entropy(scan, bins, feature, first, last)
    else:
        return score_bins_by_gini(scan, bins, feature, first, last)


cdef inline index_t mark_bins(
    const BinnedScan* scan, NodeBins bins, const NodeFeature* feature, bint allows_all, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return their number. If all edges are allowed as
    cuts, bins of one class have no better cut."""
    if BinnedScan is BinaryRankingScan:
        return mark_bins_by_ranking(scan, bins, feature, to_reach)
    elif BinnedScan is EntropyScan:
        return mark_bins_by_entropy(scan, bins, feature, allows_all, to_reach)
    else:
        return mark_bins_by_gini(scan, bins, feature, allows_all, to_reach)


cdef inline void take_bins_left(
    BinnedScan* scan, NodeBins bins, const NodeFeature* feature, index_t bin
) noexcept nogil:
    """Put the samples of all bins up to this one, and no others, into the left child."""
    cdef index_t label
    cdef uint32_t word
    cdef const uint16_t* row
    start_feature(scan)
    if counts_in_halves(scan):
        word = (<const uint32_t*> feature.counts)[bin]
        move_left(scan, 0, word & 0xFFFF)
        move_left(scan, 1, word >> 16)
    else:
        row = <const uint16_t*> feature.counts + <Py_ssize_t> bin * bins.n_lanes
        for label in range(bins.n_classes):
            move_left(scan, label, row[label])


cdef inline void move_packed_left(BinnedScan* scan, NodeBins bins, uint64_t word) noexcept nogil:
    """Move a sample whose class and weight are in a word to the left child."""
    if BinnedScan in BinaryScan:
        move_left(scan, 0, <int64_t> (word & <uint64_t> 0xFFFFFFFF))
        move_left(scan, 1, <int64_t> (word >> 32))
    else:
        move_left(scan, label_of_packed(bins, word), weight_of_packed(bins, word))


cdef inline void lay_out_pairs(
    const BinnedScan* scan, NodeBins bins, index_t n, PairedSamples* samples
) noexcept nogil:
    """Lay out the classes and weights of the node's samples, class by class if they are more than two."""
    cdef const uint64_t* words = &bins.packed[bins.start]
    cdef index_t i, n_classes = 0
    cdef uint32_t label, previous = 0xFFFFFFFF, weight, total = 0, squares = 0
    if counts_in_halves(scan):
        take_halves(bins, bins.start, bins.stop)
        for i in range(n):
            samples.weights[i] = <uint16_t> (bins.halves[i] & 0xFF | bins.halves[i] >> 8)
        return
    # The classes and their totals cover the samples met so far.
    for i in range(n):
        label, weight = <uint32_t> words[i], <uint32_t> (words[i] >> 32)
        n_classes += label != previous
        total = weight + (total if label == previous else 0)
        previous = label
        samples.weights[i] = <uint16_t> weight
        samples.classes.ends[n_classes - 1] = i + 1
        samples.classes.totals[n_classes - 1] = <uint16_t> total
    for i in range(n_classes):
        squares += <uint32_t> samples.classes.totals[i] * samples.classes.totals[i]
    samples.classes.n_classes = n_classes
    samples.classes.squares = <uint16_t> squares
    if BinnedScan is GiniScan and n <= MOST_OF_FEW:
        spread_few(samples.weights, &samples.classes, n, samples.few)


cdef inline float score_pairs(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, const PairedSamples* samples, const uint16_t* keys,
    index_t n
) noexcept nogil:
    """Score the cut behind every sample, from the sums of all samples of no greater key; return the greatest score.
    The cut behind the greatest key is none, but is scored."""
    if counts_in_halves(scan):
        sum_pairs(keys, samples.weights, &n, 1, n, <uint16_t*> feature.counts)
    if BinnedScan is BinaryRankingScan:
        return score_pairs_by_ranking(scan, feature, n)
    elif BinnedScan is EntropyScan:
        return score_pairs_by_entropy(scan, bins, feature, samples, keys, n)
    else:
        return score_pairs_by_gini(scan, feature, samples, keys, n)


cdef inline void take_pair_left(
    BinnedScan* scan, NodeBins bins, const NodeFeature* feature, const PairedSamples* samples, index_t found
) noexcept nogil:
    """Put the samples of no greater key than the one found, and no others, into the left child."""
    cdef uint32_t key = feature.keys[found]
    cdef const uint16_t* sums = <const uint16_t*> feature.counts
    cdef index_t i = 0, k
    cdef int64_t weight
    start_feature(scan)
    if BinnedScan is GiniScan:
        take_pair_left_by_gini(scan, feature, found)
    elif counts_in_halves(scan):
        move_left(scan, 0, sums[found] & 0xFF)
        move_left(scan, 1, sums[found] >> 8)
    else:
        for k in range(samples.classes.n_classes):
            weight = 0
            while i < samples.classes.ends[k]:
                weight += samples.weights[i] if feature.keys[i] <= key else 0
                i += 1
            move_left(scan, label_of_packed(bins, bins.packed[bins.start + i - 1]), weight)
