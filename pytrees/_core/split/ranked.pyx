"""The scan of a node's cuts where features are ranked, in bins that fit the node.

It takes a criterion that has a bound on what cuts inside a bin gain, and features without missing values.
"""

from libc.math cimport INFINITY, fabs, fabsf
from libc.stdlib cimport llabs
from libc.string cimport memmove

from pytrees._core.base.lanes cimport node_weights
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.criteria.ranking cimport BinaryRankingScan
from pytrees._core.rows.node_bins cimport (
    ROOM_FOR_PAIRS, NodeBins, NodeFeature, count_bins, count_pair_words, count_rows_of_lanes, count_samples,
    label_of_word, sort_marked, take_features, take_pair_words, weight_of_word,
)
from pytrees._core.split.entropies cimport (
    mark_binary_entropies, mark_by_entropy, paired_classes, score_binary_entropies, score_binary_sums,
    score_sums_by_entropy, sum_up_entropies,
)
from pytrees._core.split.scanner cimport NodeRows, Scanner, Split, threshold_of
from pytrees._core.split.table cimport (
    BinnedScan, best_gain, best_score_of, forget_best, highest_rise, is_perfect, move_bin_left, move_left, offer,
    start_feature, tie_margin, upper_bound,
)


cdef extern from "lanes.h":
    int32_t find_neighbours(
        const uint32_t* keys, int32_t n, uint32_t last, int32_t* last_left, int32_t* first_right
    ) nogil
    void sum_up(uint32_t* bins, int32_t n_bins) nogil
    float score_edges(
        const uint32_t* bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, float* scores
    ) nogil
    int32_t mark_mixed(
        const uint32_t* bins, int32_t n_bins, node_weights node, float to_beat, uint8_t* is_marked
    ) nogil
    void narrow_keys(const uint32_t* keys, int32_t n, uint32_t smallest, uint16_t* narrow) nogil
    void number_keys(uint32_t* keys, int32_t n, uint32_t* numbers) nogil
    void sum_pairs(const uint16_t* keys, const uint16_t* words, int32_t n, uint16_t* sums) nogil
    float score_sums(const uint16_t* sums, int32_t n, node_weights node, float* scores) nogil
    float score_edges_by_ranking(
        const uint32_t* bins, int32_t n_bins, int32_t first, int32_t last, node_weights node, int weighs_children,
        float* scores
    ) nogil
    int32_t mark_by_ranking(
        const uint32_t* bins, int32_t n_bins, node_weights node, int weighs_children, float to_reach,
        uint8_t* is_marked
    ) nogil
    float score_sums_by_ranking(
        const uint16_t* sums, int32_t n, node_weights node, int weighs_children, float* scores
    ) nogil


cdef extern from "lanes_of_classes.h":
    enum:
        MOST_OF_FEW
    ctypedef struct edges_of_rows:
        float* scores
        float* weights
        float* left_squares
        float* right_squares
    ctypedef struct sample_of_few:
        pass
    float sum_up_rows(
        uint16_t* rows, int32_t n_bins, int32_t n_lanes, const uint16_t* node, float total, int32_t first,
        int32_t last, const edges_of_rows* edges
    ) nogil
    int32_t mark_rows(
        const uint16_t* rows, int32_t n_bins, int32_t n_lanes, const uint16_t* node, float total, float to_reach,
        int has_edges, const edges_of_rows* edges, uint8_t* is_marked
    ) nogil
    void sum_squares_of_pairs(
        const uint16_t* keys, const uint16_t* weights, const paired_classes* classes, int32_t n,
        uint16_t* left_squares, uint16_t* right_squares, uint16_t* left
    ) nogil
    void spread_few(
        const uint16_t* weights, const paired_classes* classes, int32_t n, sample_of_few* samples
    ) nogil
    void sum_squares_of_few(
        const uint16_t* keys, const sample_of_few* samples, const paired_classes* classes, int32_t n,
        uint16_t* left_squares, uint16_t* right_squares, uint16_t* left
    ) nogil
    float score_squares(
        const uint16_t* left_squares, const uint16_t* right_squares, const uint16_t* left, int32_t n, float total,
        float* scores
    ) nogil
    void sum_classes_of_pairs(
        const uint16_t* keys, const uint16_t* weights, const paired_classes* classes, int32_t n, uint16_t* sums
    ) nogil


cdef enum:
    MOST_IN_LANES = (1 << 15) - 1   # the weight of a node whose class weights fit the halves of words
    # Up to so many samples, of at most this weight, each is compared with all others: that takes no longer than to sort
    # them, and has no branches.
    MOST_IN_PAIRS = 64
    MOST_OF_CLASSES_IN_PAIRS = 96       # of more classes than two
    MOST_WEIGHT_IN_PAIRS = 255
    # But from so many on, of few different values, in bins.
    FEWEST_IN_BINS = 20

# Scores in single precision are wrong by less than a tenth of this share.
cdef float NEARLY = 1.0 - 1e-5
# Those of more classes are sums of two positive terms, wrong by less than a third of this share.
cdef float MORE_NEARLY = 1.0 - 2e-6


# Those of two classes whose samples, and all before a cut, are counted in one word.
ctypedef fused BinaryScan:
    BinaryGiniScan
    BinaryRankingScan


# A cut that sends the samples of keys up to `last_key` left.
cdef struct RankedCut:
    index_t slot        # NONE where no cut is allowed
    uint32_t last_key


# The samples of a node of little weight. Of more classes than two, those of a class stand together.
cdef struct PairedSamples:
    uint16_t[ROOM_FOR_PAIRS] weights    # of two classes, the words of both
    paired_classes classes
    sample_of_few[MOST_OF_FEW] few      # where they are not more


cdef int find_ranked_cut(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started."""
    cdef RankedCut cut
    cdef index_t n_rows = node.stop - node.start
    take_features(scanner.node_bins, &scanner.drawn[0], scanner.n_drawn, node.start, node.stop)
    if scan.total > MOST_IN_LANES:
        _find_cut(scan, scanner.node_bins, n_rows, scanner.min_samples_leaf, &cut)
    elif (
        scan.total <= MOST_WEIGHT_IN_PAIRS and n_rows <= _most_in_pairs(scan)
        and not _has_few_values(scan, scanner.node_bins, n_rows)
    ):
        _find_cut_by_pairs(scan, scanner.node_bins, n_rows, scanner.min_samples_leaf, &cut)
    else:
        _find_cut_in_lanes(scan, scanner.node_bins, n_rows, scanner.min_samples_leaf, &cut)
    if cut.slot != NONE:
        _write_cut(scanner.node_bins, &cut, node.start, node.stop, best)
        if not scanner.defers_thresholds:
            best.threshold = threshold_of(scanner, node, best)
        best_gain(scan, &best.gain)
    return 0


cdef inline int _find_cut(
    BinnedScan* scan, NodeBins bins, index_t n_rows, index_t min_samples_leaf, RankedCut* cut
) except -1 nogil:
    """Find the best cut; of equal ones that of the lowest feature, then threshold. Cuts inside a bin are tried where
    the bin's bound does not say that a cut between two bins is better."""
    cdef float64_t to_reach = -INFINITY
    cdef NodeFeature* feature
    cdef index_t k, n_marked
    for k in range(bins.n_slots):
        feature = &bins.slots[k]
        count_bins(bins, feature, n_rows)
        forget_best(scan)
        cut.slot = NONE
        feature.most_in_bin = _scan_bins(scan, bins, k, n_rows, min_samples_leaf, False, cut)
        feature.score = best_score_of(scan) if cut.slot != NONE else -INFINITY
        to_reach = max(to_reach, feature.score)
    # The scores carry less than 1e-15 of relative error.
    to_reach -= 1e-12 * fabs(to_reach) + tie_margin(scan)
    forget_best(scan)
    cut.slot = NONE
    for k in range(bins.n_slots):
        feature = &bins.slots[k]
        # Where all cuts between bins are allowed, those next to a bin bound the cuts inside it.
        if min_samples_leaf == 1 and feature.score < to_reach - highest_rise(scan, feature.most_in_bin):
            continue
        n_marked = _mark_bins(scan, bins, feature, n_rows, min_samples_leaf, to_reach)
        if n_marked > 0:
            sort_marked(bins, feature, n_rows)
            _scan_bins(scan, bins, k, n_rows, min_samples_leaf, True, cut)
        elif feature.score >= to_reach:
            _scan_bins(scan, bins, k, n_rows, min_samples_leaf, False, cut)
        if is_perfect(scan):
            break
    return 0


cdef inline index_t _bin_of(const NodeFeature* feature, uint32_t key) noexcept nogil:
    return <index_t> ((key - feature.smallest) >> feature.shift)


cdef inline uint32_t _last_key(const NodeFeature* feature, index_t bin) noexcept nogil:
    """Return the last key of a bin but the last."""
    return feature.smallest + (((<uint32_t> bin + 1) << feature.shift) - 1)


cdef inline index_t _mark_bins(
    BinnedScan* scan, NodeBins bins, const NodeFeature* feature, index_t n_rows, index_t min_samples_leaf,
    float64_t to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return how many they are."""
    cdef index_t n_classes = <index_t> bins.n_columns - 1
    cdef const int32_t* counts = feature.counts
    cdef index_t bin, n_in_bin, label, n_left = 0, n_marked = 0
    cdef int64_t weight
    cdef bint can_win
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    for bin in range(feature.n_bins):
        n_in_bin = counts[n_classes]
        can_win = (
            feature.shift > 0 and n_in_bin > 1
            and n_left + n_in_bin > min_samples_leaf and n_rows - n_left > min_samples_leaf
        )
        if can_win:
            weight = 0
            for label in range(n_classes):
                weight += counts[label]
            can_win = upper_bound(&local, counts, weight) >= to_reach
        bins.is_marked[bin] = can_win
        n_marked += can_win
        move_bin_left(&local, counts, n_classes)
        n_left += n_in_bin
        counts += bins.n_columns
    return n_marked


cdef inline int64_t _scan_bins(
    BinnedScan* scan, NodeBins bins, index_t slot, index_t n_rows, index_t min_samples_leaf, bint has_marked,
    RankedCut* cut
) except -1 nogil:
    """Offer the cuts between bins and, where bins are marked and their samples sorted, the cuts inside these. Return
    the greatest weight of a bin."""
    cdef const NodeFeature* feature = &bins.slots[slot]
    cdef index_t n_classes = <index_t> bins.n_columns - 1
    cdef const int32_t* counts = feature.counts
    cdef index_t bin, n_in_bin, n_left = 0, sorted_start = 0
    cdef int64_t moved, most_in_bin = 0
    cdef BinnedScan local = scan[0]
    start_feature(&local)
    # The rows of all bins before this one are on the left, n_left in all; of these sorted_start are in marked bins.
    for bin in range(feature.n_bins):
        n_in_bin = counts[n_classes]
        if has_marked and bins.is_marked[bin]:
            _scan_marked_bin(&local, bins, slot, sorted_start, n_in_bin, n_left, n_rows, min_samples_leaf, cut)
            sorted_start += n_in_bin
        elif n_in_bin > 0:
            moved = local.left_total
            move_bin_left(&local, counts, n_classes)
            most_in_bin = max(most_in_bin, local.left_total - moved)
        n_left += n_in_bin
        counts += bins.n_columns
        if n_in_bin == 0 or n_left < min_samples_leaf or n_left > n_rows - min_samples_leaf:
            continue
        if offer(&local):
            cut.slot = slot
            cut.last_key = _last_key(feature, bin)
    scan[0] = local
    return most_in_bin


cdef inline int _scan_marked_bin(
    BinnedScan* scan, NodeBins bins, index_t slot, index_t sorted_start, index_t n_in_bin, index_t n_left,
    index_t n_rows, index_t min_samples_leaf, RankedCut* cut
) except -1 nogil:
    """Move the bin's samples one by one, and offer the cuts between different values."""
    cdef const uint64_t* pairs = &bins.partition.pairs[sorted_start]
    cdef uint64_t word
    cdef index_t i
    for i in range(n_in_bin):
        word = bins.words[bins.start + place_of(pairs[i])]
        move_left(scan, label_of_word(bins, word), weight_of_word(bins, word))
        n_left += 1
        if i + 1 == n_in_bin or key_of(pairs[i]) == key_of(pairs[i + 1]):
            continue
        if n_left >= min_samples_leaf and n_left <= n_rows - min_samples_leaf and offer(scan):
            cut.slot = slot
            cut.last_key = key_of(pairs[i])
    return 0


# ------------------------------------------------------------------------------------- bounds in single precision

cdef int _find_cut_in_lanes(
    BinnedScan* scan, NodeBins bins, index_t n_rows, index_t min_samples_leaf, RankedCut* cut
) except -1 nogil:
    """As _find_cut, by bounds in single precision: what could win is looked at exactly."""
    cdef NodeFeature* feature
    cdef float to_reach = -INFINITY
    cdef index_t k, first, last, n_marked, n_in_marked
    _take_node(scan, bins)
    for k in range(bins.n_slots):
        feature = &bins.slots[k]
        _score_edges(scan, bins, feature, n_rows, min_samples_leaf)
        to_reach = max(to_reach, <float> feature.score)
    to_reach = _lowered(scan, to_reach)
    cut.slot = NONE
    for k in range(bins.n_slots):
        feature = &bins.slots[k]
        n_marked = 0
        if feature.shift > 0:
            n_marked = _mark_in_lanes(scan, bins, feature, min_samples_leaf, to_reach)
        _find_allowed_edges(bins, feature, n_rows, min_samples_leaf, &first, &last)
        if min_samples_leaf > 1:
            n_marked += _mark_ends(bins, feature, first, last)
        n_in_marked = sort_marked(bins, feature, n_rows) if n_marked > 0 else 0
        if n_marked > 0 or feature.score >= to_reach:
            _offer_cuts(scan, bins, k, first, last, n_rows, min_samples_leaf, to_reach, n_in_marked, cut)
        if is_perfect(scan):
            break
    return 0


cdef inline float _lowered(const BinnedScan* scan, float score) noexcept nogil:
    """Lower the best score by what it may be wrong by: others that reach this may be better. Without a cut there is
    none."""
    if BinnedScan is BinaryGiniScan:
        return NEARLY * score
    elif BinnedScan is GiniScan:
        return MORE_NEARLY * score
    elif BinnedScan is BinaryRankingScan:
        return score - (1.0 - MORE_NEARLY) * fabsf(score)
    else:
        return score - (1.0 - MORE_NEARLY) * fabsf(score) - 2.0 * <float> scan.best.margin


cdef inline bint _counts_in_words(const BinnedScan* scan) noexcept nogil:
    """Whether one word counts both classes, where weights are small."""
    if BinnedScan in BinaryScan:
        return True
    elif BinnedScan is EntropyScan:
        return scan.n_classes == 2
    else:
        return False


cdef inline index_t _most_in_pairs(const BinnedScan* scan) noexcept nogil:
    return MOST_IN_PAIRS if _counts_in_words(scan) else MOST_OF_CLASSES_IN_PAIRS


cdef inline bint _has_few_values(const BinnedScan* scan, NodeBins bins, index_t n_rows) noexcept nogil:
    """Whether bins of one value each are so few in all features that they take less time than pairs."""
    cdef index_t k
    cdef uint32_t most = n_rows if _counts_in_words(scan) else n_rows // 2
    if n_rows < FEWEST_IN_BINS:
        return False
    for k in range(bins.n_slots):
        if bins.slots[k].span >= most:
            return False
    return True


cdef inline void _take_node(const BinnedScan* scan, NodeBins bins) noexcept nogil:
    """Lay out the class weights of the node and its samples, which are small."""
    cdef index_t label
    if _counts_in_words(scan):
        take_pair_words(bins, bins.start, bins.stop)
    else:
        for label in range(bins.n_classes):
            bins.node_row[label] = <uint16_t> _total_of(scan, label)


cdef inline int64_t _total_of(const BinnedScan* scan, index_t label) noexcept nogil:
    if BinnedScan is BinaryGiniScan:
        return llabs(scan.steps[1 - label])
    else:
        return scan.total_counts[label]


cdef inline node_weights _node_weights(const BinaryScan* scan) noexcept nogil:
    cdef node_weights node
    if BinaryScan is BinaryGiniScan:
        # A sample of class 1 adds the node's weight of class 0 to the difference, one of class 0 takes that of class 1
        # away.
        node.of_0, node.of_1 = <int32_t> scan.steps[1], <int32_t> -scan.steps[0]
    else:
        node.of_0, node.of_1 = <int32_t> scan.total_counts[0], <int32_t> scan.total_counts[1]
    return node


cdef inline void _score_edges(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, index_t n_rows, index_t min_samples_leaf
) noexcept nogil:
    """Count the bins, and score the cuts between them."""
    cdef index_t first, last
    cdef edges_of_rows edges
    _find_allowed_edges(bins, feature, n_rows, min_samples_leaf, &first, &last)
    if _counts_in_words(scan):
        count_pair_words(bins, feature, n_rows)
        sum_up(<uint32_t*> feature.counts, feature.n_bins)
    if BinnedScan is BinaryRankingScan:
        feature.score = score_edges_by_ranking(
            <const uint32_t*> feature.counts, feature.n_bins, first, last, _node_weights(scan), scan.weighs_children,
            feature.scores,
        )
    elif BinnedScan is BinaryGiniScan:
        feature.score = score_edges(
            <const uint32_t*> feature.counts, feature.n_bins, first, last, _node_weights(scan), feature.scores
        )
    elif BinnedScan is EntropyScan:
        if _counts_in_words(scan):
            feature.score = score_binary_entropies(scan, feature, first, last)
        else:
            count_rows_of_lanes(bins, feature, n_rows)
            feature.score = sum_up_entropies(scan, bins, feature, first, last)
    else:
        count_rows_of_lanes(bins, feature, n_rows)
        (feature.scores - 1)[0] = <float> scan.total_squares / <float> scan.total
        (feature.right_squares - 1)[0] = <float> scan.total_squares
        edges = _edges(feature)
        feature.score = sum_up_rows(
            <uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, &bins.node_row[0], <float> scan.total, first,
            last, &edges,
        )


cdef inline edges_of_rows _edges(const NodeFeature* feature) noexcept nogil:
    cdef edges_of_rows edges
    edges.scores, edges.weights = feature.scores, feature.weights
    edges.left_squares, edges.right_squares = feature.left_squares, feature.right_squares
    return edges


cdef inline index_t _mark_in_lanes(
    const BinnedScan* scan, NodeBins bins, const NodeFeature* feature, index_t min_samples_leaf, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return how many they are."""
    cdef edges_of_rows edges
    if BinnedScan is BinaryGiniScan:
        return mark_mixed(
            <const uint32_t*> feature.counts, feature.n_bins, _node_weights(scan), to_reach, &bins.is_marked[0]
        )
    elif BinnedScan is BinaryRankingScan:
        return mark_by_ranking(
            <const uint32_t*> feature.counts, feature.n_bins, _node_weights(scan), scan.weighs_children, to_reach,
            &bins.is_marked[0],
        )
    elif BinnedScan is EntropyScan:
        if _counts_in_words(scan):
            return mark_binary_entropies(scan, bins, feature, to_reach)
        return mark_by_entropy(scan, bins, feature, min_samples_leaf, to_reach)
    else:
        edges = _edges(feature)
        return mark_rows(
            <const uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, &bins.node_row[0], <float> scan.total,
            to_reach, min_samples_leaf == 1, &edges, &bins.is_marked[0],
        )


cdef inline void _find_allowed_edges(
    NodeBins bins, const NodeFeature* feature, index_t n_rows, index_t min_samples_leaf, index_t* first, index_t* last
) noexcept nogil:
    """Find the bins behind which a cut is allowed: those of [first, last)."""
    first[0] = 0
    last[0] = feature.n_bins - 1
    if min_samples_leaf == 1:
        return
    count_samples(bins, feature, n_rows)
    while first[0] < feature.n_bins and bins.n_up_to[first[0]] < min_samples_leaf:
        first[0] += 1
    last[0] = first[0]
    while last[0] < feature.n_bins and bins.n_up_to[last[0]] <= n_rows - min_samples_leaf:
        last[0] += 1


cdef inline index_t _mark_ends(NodeBins bins, const NodeFeature* feature, index_t first, index_t last) noexcept nogil:
    """Mark the bins of which one edge alone, or none, is allowed as a cut, but perhaps a cut inside; return how many
    were not marked."""
    cdef index_t n_marked = 0
    if feature.shift == 0:
        return 0
    if first < feature.n_bins:
        n_marked += not bins.is_marked[first]
        bins.is_marked[first] = True
    if last < feature.n_bins:
        n_marked += not bins.is_marked[last]
        bins.is_marked[last] = True
    return n_marked


cdef int _offer_cuts(
    BinnedScan* scan, NodeBins bins, index_t slot, index_t first, index_t last, index_t n_rows,
    index_t min_samples_leaf, float to_reach, index_t n_in_marked, RankedCut* cut
) except -1 nogil:
    """Offer the cuts between bins whose scores reach what is asked, and those inside marked bins."""
    cdef const NodeFeature* feature = &bins.slots[slot]
    cdef index_t bin, sorted_start = 0, n_sorted = 0
    cdef const uint64_t* pairs = &bins.partition.pairs[0]
    for bin in range(feature.n_bins):
        if n_in_marked > 0 and bins.is_marked[bin]:
            # pairs[:sorted_start] are in marked bins before this one.
            sorted_start = n_sorted
            while n_sorted < n_in_marked and _bin_of(feature, key_of(pairs[n_sorted])) == bin:
                n_sorted += 1
            _set_left_bins(scan, bins, feature, bin - 1)
            _offer_inside(
                scan, bins, slot, sorted_start, n_sorted - sorted_start,
                bins.n_up_to[bin - 1] if min_samples_leaf > 1 and bin > 0 else 0, n_rows, min_samples_leaf, cut,
            )
        if first <= bin < last and feature.scores[bin] >= to_reach:
            _set_left_bins(scan, bins, feature, bin)
            if offer(scan):
                cut.slot = slot
                cut.last_key = _last_key(feature, bin)
    return 0


cdef inline void _set_left_bins(
    BinnedScan* scan, NodeBins bins, const NodeFeature* feature, index_t bin
) noexcept nogil:
    """Put the samples of all bins up to this one, and no others, into the left child."""
    cdef index_t label
    cdef uint32_t word
    cdef const uint16_t* row
    start_feature(scan)
    if _counts_in_words(scan):
        word = (<const uint32_t*> feature.counts)[bin]
        move_left(scan, 0, word & 0xFFFF)
        move_left(scan, 1, word >> 16)
    else:
        row = <const uint16_t*> feature.counts + <Py_ssize_t> bin * bins.n_lanes
        for label in range(bins.n_classes):
            move_left(scan, label, row[label])


cdef inline int _offer_inside(
    BinnedScan* scan, NodeBins bins, index_t slot, index_t start, index_t n_in_bin, index_t n_left, index_t n_rows,
    index_t min_samples_leaf, RankedCut* cut
) except -1 nogil:
    """Move the samples of a marked bin one by one, and offer the cuts between different values."""
    cdef const uint64_t* pairs = &bins.partition.pairs[start]
    cdef uint64_t word
    cdef index_t i
    for i in range(n_in_bin):
        word = bins.words[bins.start + place_of(pairs[i])]
        if BinnedScan in BinaryScan:
            move_left(scan, 0, <int64_t> (word & <uint64_t> 0xFFFFFFFF))
            move_left(scan, 1, <int64_t> (word >> 32))
        else:
            move_left(scan, label_of_word(bins, word), weight_of_word(bins, word))
        n_left += 1
        if i + 1 == n_in_bin or key_of(pairs[i]) == key_of(pairs[i + 1]):
            continue
        if min_samples_leaf > 1 and not min_samples_leaf <= n_left <= n_rows - min_samples_leaf:
            continue
        if offer(scan):
            cut.slot = slot
            cut.last_key = key_of(pairs[i])
    return 0


# -------------------------------------------------------------------------------------------------------- all pairs

cdef int _find_cut_by_pairs(
    BinnedScan* scan, NodeBins bins, index_t n_rows, index_t min_samples_leaf, RankedCut* cut
) except -1 nogil:
    """As _find_cut_in_lanes: what goes left at the cut behind every sample is the sum of all samples of no greater
    key."""
    cdef NodeFeature* feature
    cdef float to_reach = -INFINITY, perfect = _perfect_score(scan)
    cdef PairedSamples samples
    cdef index_t k, n_scored = 0
    _lay_out_samples(scan, bins, n_rows, &samples)
    # No later feature has a better cut than a perfect one.
    while n_scored < bins.n_slots and to_reach < perfect:
        feature = &bins.slots[n_scored]
        feature.score = _score_pairs(scan, bins, feature, &samples, n_rows, min_samples_leaf)
        to_reach = max(to_reach, <float> feature.score)
        n_scored += 1
    to_reach = _lowered(scan, to_reach)
    cut.slot = NONE
    for k in range(n_scored):
        if bins.slots[k].score > -INFINITY and bins.slots[k].score >= to_reach:
            _offer_pairs(scan, bins, k, &samples, n_rows, to_reach, cut)
            if is_perfect(scan):
                break
    return 0


cdef inline float _perfect_score(const BinnedScan* scan) noexcept nogil:
    """Return a score that only cuts reach which leave one class on either side: where all weights are small, others are
    far below."""
    cdef node_weights node
    if BinnedScan is BinaryGiniScan:
        node = _node_weights(scan)
        return NEARLY * <float> node.of_0 * <float> node.of_1
    elif BinnedScan is GiniScan:
        return MORE_NEARLY * <float> scan.total
    else:
        return 0.0


cdef inline void _lay_out_samples(
    const BinnedScan* scan, NodeBins bins, index_t n_rows, PairedSamples* samples
) noexcept nogil:
    cdef const uint64_t* words = &bins.words[bins.start]
    cdef index_t i, n_classes = 0
    cdef uint32_t label, previous = 0xFFFFFFFF, weight, total = 0, squares = 0
    if _counts_in_words(scan):
        take_pair_words(bins, bins.start, bins.stop)
        for i in range(n_rows):
            samples.weights[i] = <uint16_t> (bins.pair_words[i] & 0xFF | bins.pair_words[i] >> 8)
        return
    # Classes and their totals are those of the samples met so far.
    for i in range(n_rows):
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
    if BinnedScan is GiniScan and n_rows <= MOST_OF_FEW:
        spread_few(samples.weights, &samples.classes, n_rows, samples.few)


cdef inline float _score_pairs(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, const PairedSamples* samples, index_t n_rows,
    index_t min_samples_leaf
) noexcept nogil:
    """Score the cuts behind all samples, and return the greatest score. Cuts that leave too few samples score minus
    infinity; that behind the last key is none, but scored."""
    cdef uint16_t[ROOM_FOR_PAIRS] keys
    cdef uint16_t* sums = <uint16_t*> feature.counts
    cdef uint16_t* right_squares = sums + ROOM_FOR_PAIRS
    cdef uint16_t* left = right_squares + ROOM_FOR_PAIRS
    cdef float best
    _narrow_keys(feature, n_rows, keys)
    if _counts_in_words(scan):
        sum_pairs(keys, samples.weights, n_rows, sums)
    if BinnedScan is BinaryRankingScan:
        best = score_sums_by_ranking(sums, n_rows, _node_weights(scan), scan.weighs_children, feature.scores)
    elif BinnedScan is BinaryGiniScan:
        best = score_sums(sums, n_rows, _node_weights(scan), feature.scores)
    elif BinnedScan is EntropyScan:
        if _counts_in_words(scan):
            best = score_binary_sums(scan, sums, n_rows, feature.scores)
        else:
            sum_classes_of_pairs(keys, samples.weights, &samples.classes, n_rows, &bins.pair_sums[0])
            best = score_sums_by_entropy(scan, bins, &samples.classes, n_rows, feature.scores)
    else:
        if n_rows <= MOST_OF_FEW:
            sum_squares_of_few(keys, samples.few, &samples.classes, n_rows, sums, right_squares, left)
        else:
            sum_squares_of_pairs(keys, samples.weights, &samples.classes, n_rows, sums, right_squares, left)
        best = score_squares(sums, right_squares, left, n_rows, <float> scan.total, feature.scores)
    return best if min_samples_leaf == 1 else _best_allowed(feature, keys, n_rows, min_samples_leaf)


cdef inline void _narrow_keys(const NodeFeature* feature, index_t n_rows, uint16_t* keys) noexcept nogil:
    """Write keys of 16 bits: differences to the smallest or, where these are too great, numbers in their order."""
    cdef uint32_t[ROOM_FOR_PAIRS] numbers
    if feature.span <= 0xFFFF:
        narrow_keys(feature.keys, n_rows, feature.smallest, keys)
    else:
        number_keys(feature.keys, n_rows, numbers)
        narrow_keys(numbers, n_rows, 0, keys)


cdef float _best_allowed(
    NodeFeature* feature, const uint16_t* keys, index_t n_rows, index_t min_samples_leaf
) noexcept nogil:
    """Give cuts that leave too few samples a score of minus infinity, and return the greatest of the others."""
    cdef uint16_t[ROOM_FOR_PAIRS] ones, n_left
    cdef index_t i
    cdef float best = -INFINITY
    for i in range(n_rows):
        ones[i] = 1
    sum_pairs(keys, ones, n_rows, n_left)
    for i in range(n_rows):
        if not min_samples_leaf <= n_left[i] <= n_rows - min_samples_leaf:
            feature.scores[i] = -INFINITY
        best = max(best, feature.scores[i])
    return best


cdef inline int _offer_pairs(
    BinnedScan* scan, NodeBins bins, index_t slot, const PairedSamples* samples, index_t n_rows, float to_reach,
    RankedCut* cut
) except -1 nogil:
    """Offer the cuts whose scores reach what is asked, in ascending order."""
    cdef const NodeFeature* feature = &bins.slots[slot]
    cdef index_t[ROOM_FOR_PAIRS] found
    cdef index_t i, hole, n_found = 0
    cdef uint32_t key
    # found[:n_found] are samples of those met so far, in ascending order of their keys, one for each key.
    for i in range(n_rows):
        key = feature.keys[i]
        if feature.scores[i] < to_reach or key - feature.smallest == feature.span:
            continue
        hole = n_found
        while hole > 0 and feature.keys[found[hole - 1]] > key:
            hole -= 1
        if hole > 0 and feature.keys[found[hole - 1]] == key:
            continue
        memmove(&found[hole + 1], &found[hole], (n_found - hole) * sizeof(index_t))
        found[hole] = i
        n_found += 1
    for i in range(n_found):
        key = feature.keys[found[i]]
        _set_left_samples(scan, bins, feature, samples, found[i])
        if offer(scan):
            cut.slot = slot
            cut.last_key = key
    return 0


cdef inline void _set_left_samples(
    BinnedScan* scan, NodeBins bins, const NodeFeature* feature, const PairedSamples* samples, index_t found
) noexcept nogil:
    """Put the samples of no greater key than the one found, and no others, into the left child."""
    cdef uint32_t key = feature.keys[found]
    cdef const uint16_t* sums = <const uint16_t*> feature.counts
    cdef index_t i = 0, k
    cdef int64_t weight
    start_feature(scan)
    if BinnedScan is GiniScan:
        # All that it compares has been summed.
        scan.left_squares = sums[found]
        scan.right_squares = sums[ROOM_FOR_PAIRS + found]
        scan.left_total = sums[2 * ROOM_FOR_PAIRS + found]
    elif _counts_in_words(scan):
        move_left(scan, 0, sums[found] & 0xFF)
        move_left(scan, 1, sums[found] >> 8)
    else:
        for k in range(samples.classes.n_classes):
            weight = 0
            while i < samples.classes.ends[k]:
                weight += samples.weights[i] if feature.keys[i] <= key else 0
                i += 1
            move_left(scan, label_of_word(bins, bins.words[bins.start + i - 1]), weight)


cdef inline void _write_cut(
    NodeBins bins, const RankedCut* cut, index_t start, index_t stop, Split* best
) noexcept nogil:
    """Count the samples that go left, and find one of the greatest value among them and one of the smallest among the
    others."""
    cdef const NodeFeature* feature = &bins.slots[cut.slot]
    cdef int32_t last_left, first_right
    best.feature = feature.feature
    best.n_left = find_neighbours(feature.keys, stop - start, cut.last_key, &last_left, &first_right)
    best.last_left = bins.partition.rows[start + last_left]
    best.first_right = bins.partition.rows[start + first_right]
