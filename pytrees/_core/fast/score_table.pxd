"""Scores in vectors of the criteria that have them; `table` has everything else of a criterion.

Scores in single precision choose the cuts that are worth an exact comparison. With two classes, one word counts the
samples of both. With more classes, each bin of a node has a row of class weights, and few samples are sorted by class.
"""

from libc.math cimport INFINITY, fabs

from pytrees._core.base.sizes cimport (
    MOST_IN_PAIRS, MOST_OF_CLASSES_IN_PAIRS, MOST_OF_FEW, MOST_OF_FORM, MOST_OF_PAIRED_FORM, MOST_PAIRED,
    MOST_WEIGHT_IN_HALVES, MOST_WEIGHT_IN_PAIRS,
)
from pytrees._core.base.sorting cimport place_of
from pytrees._core.base.types cimport float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan, OrdinalGiniScan
from pytrees._core.criteria.ranking cimport BinaryRankingScan, RankingScan
from pytrees._core.criteria.squared_error cimport SquaredErrorScan
from pytrees._core.criteria.table cimport move_left, start_feature
from pytrees._core.fast.bounds cimport BinnedScan, FewScan, ScoredScan, tie_margin
from pytrees._core.fast.entropy_scores cimport mark_bins_by_entropy, score_bins_by_entropy, score_pairs_by_entropy
from pytrees._core.fast.entry_scores cimport EntryScores, lowered_squared_error, write_residuals
from pytrees._core.fast.node_bins cimport (
    NodeBins, NodeFeature, PairedSamples, count_halves, count_rows_of_lanes, label_of_packed, take_halves,
    weight_of_packed,
)
from pytrees._core.fast.simd cimport (
    BY_GINI, BY_RANKING, BY_WEIGHED_RANKING, cumulate_rows, edges_of_rows, mark_edges, mark_rows, node_weights,
    ordinal_forms, paired_classes, score_by_squares, score_by_steps, score_edges, score_in_order, score_numbers,
    score_squares, score_sums, score_two_classes, spread_few, sum_pairs, sum_squares_of_few, sum_squares_of_pairs,
    sum_up_rows, write_costs, write_entropy_steps, write_factors, write_form_steps, write_permissions, write_size_terms,
)

# Criteria whose scores of two classes come from words that count both.
ctypedef fused BinaryScan:
    BinaryGiniScan
    BinaryRankingScan


# Criteria whose sorted entries of two features are scored side by side.
ctypedef fused SideBySideScan:
    GiniScan
    EntropyScan


# Criteria whose scores of sorted entries are sums of forms of the children's class counts.
ctypedef fused FormScan:
    OrdinalGiniScan
    RankingScan


# Criteria whose cuts of sorted entries, once found, are compared after samples have moved one by one.
ctypedef fused MovedScan:
    EntropyScan
    SquaredErrorScan
    FormScan


cdef inline float lowered(const ScoredScan* scan, float64_t score, bint of_entries) noexcept nogil:
    """Lower the best score by its error, which is below a third of the share taken off: another cut that reaches the
    lowered score may be better."""
    cdef float64_t share = 1e-5 if ScoredScan is BinaryGiniScan and not of_entries else 2e-6
    if ScoredScan is SquaredErrorScan:
        return <float> lowered_squared_error(score)
    elif ScoredScan is EntropyScan:
        # A score of sorted entries is a sum of rounded numbers, two by class and three by child or node.
        return <float> (score - share * fabs(score) - (2 * scan.n_classes + 4 if of_entries else tie_margin(scan)))
    elif ScoredScan is RankingScan:
        # A score is the difference of two costs.
        return <float> (score - share * _cost_of_node(scan))
    else:
        return <float> (score - share * fabs(score))


cdef inline float64_t perfect_score(const ScoredScan* scan) noexcept nogil:
    """Return the score of a cut that leaves one class in each child, for a criterion that looks for it."""
    cdef index_t label, highest
    cdef int64_t score = 0
    if ScoredScan is BinaryGiniScan:
        return -<float64_t> scan.steps[0] * <float64_t> scan.steps[1]
    elif ScoredScan is GiniScan:
        return <float64_t> scan.total
    elif ScoredScan is OrdinalGiniScan:
        # The samples of the classes up to each, but for the highest that has some.
        highest = scan.n_classes - 1
        while scan.total_counts[highest] == 0:
            highest -= 1
        for label in range(highest):
            score += (highest - label) * scan.total_counts[label]
        return <float64_t> score
    elif ScoredScan is RankingScan:
        return _cost_of_node(scan)
    else:
        return 0.0


cdef inline float64_t _cost_of_node(const RankingScan* scan) noexcept nogil:
    """Return the node's impurity times its samples, or times their square if children are weighed, with 1 as the
    distance of neighbouring classes."""
    cdef float64_t form = <float64_t> scan.total_form / <float64_t> scan.rows.kernel[1]
    return form * <float64_t> scan.total if scan.weighs_children else form


cdef inline float64_t perfect_score_of_entries(const ScoredScan* scan, const EntryScores* scores) noexcept nogil:
    """The same for sorted entries, whose scores by entropy are gains, and by ordinal Gini are of the samples of the
    classes above each."""
    cdef index_t label
    cdef int64_t score = 0
    if ScoredScan is OrdinalGiniScan:
        for label in range(scan.n_classes):
            score += label * scan.total_counts[label]
        return <float64_t> score
    elif ScoredScan is EntropyScan:
        score = scores.logs[scan.total]
        for label in range(scan.n_classes):
            score -= scores.logs[scan.total_counts[label]]
        return <float64_t> score
    else:
        return perfect_score(scan)


cdef inline node_weights _weights_of(const BinaryScan* scan) noexcept nogil:
    """Return what a sample of each of two classes adds to the numbers that the scores are made of."""
    cdef node_weights node
    if BinaryScan is BinaryGiniScan:
        # A sample of class 1 adds the samples of class 0 to the difference; a sample of class 0 subtracts those of
        # class 1.
        node.of_0, node.of_1 = <int32_t> scan.steps[1], <int32_t> -scan.steps[0]
        node.judge = BY_GINI
    else:
        node.of_0, node.of_1 = <int32_t> scan.total_counts[0], <int32_t> scan.total_counts[1]
        node.judge = BY_WEIGHED_RANKING if scan.weighs_children else BY_RANKING
    return node


# --------------------------------------------------------------------------------------------------- sorted entries

# A criterion takes part if `scores_cuts` of bounds.pyx says so; no other comes here.

cdef inline int64_t most_counted(const ScoredScan* scan, index_t n) noexcept nogil:
    """Return what the scores of n sorted entries count up to: samples or, of two classes, their weights."""
    if ScoredScan is BinaryGiniScan:
        return scan.total
    else:
        return n


cdef inline void allow_entries(
    const ScoredScan* scan, EntryScores* scores, const index_t* places, const uint16_t* labels, index_t n,
    index_t fewest_left, index_t most_left
) noexcept nogil:
    """Write the factors of the cuts of n entries that leave a number of samples on the left which is allowed, and what
    the scores need of the samples, which are at these places."""
    scores.labels = labels
    if ScoredScan is EntropyScan:
        write_entropy_steps(scores.logs, scan.total_counts, scan.n_classes, scores.log_steps, scores.log_starts)
        write_size_terms(scores.logs, n, fewest_left, most_left, scores.size_terms)
        scores.of_entropy.steps, scores.of_entropy.starts = scores.log_steps, scores.log_starts
        scores.of_entropy.size_terms, scores.of_entropy.n_classes = scores.size_terms, scan.n_classes
        scores.of_entropy.labels = labels
    elif ScoredScan is SquaredErrorScan:
        write_residuals(scan, places, n, scores.targets, scores.counts, scores.residuals)
        if scores.counts == NULL:
            write_factors(n, fewest_left, most_left, scores.left_factors, NULL)
        else:
            write_permissions(n, fewest_left, most_left, scores.left_factors)
    elif ScoredScan in FormScan:
        _allow_in_order(scan, scores, n, fewest_left, most_left)
    elif ScoredScan is BinaryGiniScan and scores.words != NULL:
        write_permissions(n, fewest_left, most_left, scores.left_factors)
    else:
        write_factors(
            n, fewest_left, most_left, scores.left_factors, scores.right_factors if ScoredScan is GiniScan else NULL
        )


cdef inline void _allow_in_order(
    const FormScan* scan, EntryScores* scores, index_t n, index_t fewest_left, index_t most_left
) noexcept nogil:
    cdef ordinal_forms* node = &scores.of_order
    node.labels, node.steps, node.n_classes = scores.labels, scores.form_steps, scan.rows.n_classes
    node.is_ranking = FormScan is RankingScan
    node.left_factors, node.right_factors = scores.left_factors, scores.right_factors
    node.form = write_form_steps(scan.rows.total_counts, node.n_classes, n, node.is_ranking, scores.form_steps)
    node.base = 0.0
    if FormScan is RankingScan:
        node.base = <float> _cost_of_node(scan)
        write_costs(n, fewest_left, most_left, scan.weighs_children, scores.left_factors, scores.right_factors)
    else:
        write_factors(n, fewest_left, most_left, scores.left_factors, scores.right_factors)


cdef inline int64_t greatest_form(const FormScan* scan, index_t n) noexcept nogil:
    """Return how great the form of n samples can be: the sum of G_t**2 or of G_t (n - G_t), see simd_ordinal.h."""
    cdef int64_t squares = (scan.rows.n_classes - 1) * <int64_t> n * n
    return squares // 4 if FormScan is RankingScan else squares


# The samples that lack a feature's value are on the right of all its cuts, and `n_first` is 0, or on the left, and
# `n_first` is their number.

cdef inline float score_entries(
    const ScoredScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n_known, index_t n_first,
    index_t first_of_1
) noexcept nogil:
    """Return the greatest score of a feature's cuts, 0 if none is allowed or gains anything."""
    return _walk_entries(scan, scores, entries, n_known, n_first, first_of_1, 0.0, NULL, NULL, NULL)


cdef inline void score_entries_of_two(
    const ScoredScan* scan, const EntryScores* scores, const uint32_t* entries, const uint32_t* others, index_t n,
    float* best
) noexcept nogil:
    """Write the greatest scores of two features that have all values."""
    cdef const uint32_t* both[2]
    cdef int32_t[2] whole
    both[0], both[1] = entries, others
    if ScoredScan is GiniScan:
        score_by_squares(
            both, 2, n, 0, scores.labels, scan.total_counts, scan.n_classes, scores.left_factors, scores.right_factors,
            scores.steps, 0.0, NULL, NULL, NULL, best,
        )
    elif ScoredScan is EntropyScan:
        score_by_steps(both, 2, n, 0, &scores.of_entropy, scores.next_steps, 0, NULL, NULL, whole)
        best[0], best[1] = <float> whole[0], <float> whole[1]


cdef inline index_t find_entries(
    const ScoredScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n_known, index_t n_first,
    index_t first_of_1, float to_reach, index_t n_before
) noexcept nogil:
    """List the cuts whose scores reach `to_reach`, in ascending order, behind `n_before` that are listed already;
    return the number of all."""
    cdef index_t n_found = 0
    _walk_entries(
        scan, scores, entries, n_known, n_first, first_of_1, to_reach, scores.found + n_before,
        scores.squares_of_found + n_before if ScoredScan is GiniScan else NULL, &n_found,
    )
    return n_before + n_found


cdef inline float _walk_entries(
    const ScoredScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n_known, index_t n_first,
    index_t first_of_1, float to_reach, uint32_t* found, uint64_t* squares_of_found, index_t* n_found
) noexcept nogil:
    cdef index_t i
    cdef int32_t sum_of_first = 0, weight_of_first = 0, whole
    cdef uint32_t ones = 0
    cdef float best
    if ScoredScan is BinaryGiniScan:
        if scores.words != NULL:
            return _walk_words(scan, scores, entries, n_known, n_first, to_reach, found, n_found)
        for i in range(n_known, n_known + n_first):
            ones += <index_t> place_of(entries[i]) >= first_of_1
        return score_two_classes(
            entries, n_known, first_of_1, False, NULL, <uint32_t> n_first << 16 | ones, _weights_of(scan),
            scores.left_factors + n_first, to_reach, found, NULL, n_found,
        )
    elif ScoredScan is GiniScan:
        score_by_squares(
            &entries, 1, n_known, n_first, scores.labels, scan.total_counts, scan.n_classes,
            scores.left_factors + n_first, scores.right_factors + n_first, scores.steps, to_reach, found,
            squares_of_found, n_found, &best,
        )
        return best
    elif ScoredScan is EntropyScan:
        # Scores are whole; cuts that are not allowed have the score 0.
        score_by_steps(
            &entries, 1, n_known, n_first, &scores.of_entropy, scores.next_steps, max(<int32_t> to_reach, 1), found,
            n_found, &whole,
        )
        return <float> whole
    elif ScoredScan in FormScan:
        return score_in_order(entries, n_known, n_first, &scores.of_order, to_reach, found, n_found)
    elif ScoredScan is SquaredErrorScan:
        for i in range(n_known, n_known + n_first):
            if scores.counts == NULL:
                sum_of_first += scores.residuals[place_of(entries[i])]
            else:
                sum_of_first += scores.residuals[2 * place_of(entries[i])]
                weight_of_first += scores.residuals[2 * place_of(entries[i]) + 1]
        if scores.counts == NULL:
            return score_numbers(
                entries, n_known, scores.residuals, False, 0, sum_of_first, 0, scores.left_factors + n_first,
                to_reach, found, n_found,
            )
        return score_numbers(
            entries, n_known, scores.residuals, True, <int32_t> scan.total, sum_of_first, weight_of_first,
            scores.left_factors + n_first, to_reach, found, n_found,
        )
    else:
        return 0.0


cdef inline float _walk_words(
    const BinaryGiniScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n_known, index_t n_first,
    float to_reach, uint32_t* found, index_t* n_found
) noexcept nogil:
    cdef index_t i
    cdef uint32_t first_left = 0
    for i in range(n_known, n_known + n_first):
        first_left += <uint32_t> scores.words[place_of(entries[i])]
    if found == NULL:
        return score_two_classes(
            entries, n_known, 0, True, scores.words, first_left, _weights_of(scan), scores.left_factors + n_first,
            to_reach, NULL, NULL, NULL,
        )
    return score_two_classes(
        entries, n_known, 0, True, scores.words, first_left, _weights_of(scan), scores.left_factors + n_first,
        to_reach, found, scores.words_of_found + (found - scores.found), n_found,
    )


cdef inline index_t known_on_left(
    const ScoredScan* scan, const EntryScores* scores, index_t n_first, index_t i
) noexcept nogil:
    """Return how many samples that have the value are on the left of the i-th cut that was found."""
    if ScoredScan is BinaryGiniScan and scores.words == NULL:
        return <index_t> (scores.found[i] >> 16) - n_first
    else:
        return <index_t> scores.found[i]


cdef inline void take_entries_left(
    ScoredScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n_known, index_t n_first, index_t i,
    index_t before
) noexcept nogil:
    """Put the samples of the i-th cut that was found into the left child. If the criterion moves samples: without those
    that lack the value, and the first `before` entries are there, if any."""
    cdef index_t k
    cdef uint64_t squares
    cdef uint32_t word
    if ScoredScan is SquaredErrorScan:
        _sum_entries_left(scan, scores, entries, n_known, before, scores.found[i])
    elif ScoredScan in MovedScan:
        if before == 0:
            start_feature(scan)
        for k in range(before, <index_t> scores.found[i]):
            move_left(scan, scores.labels[place_of(entries[k])], 1)
    elif ScoredScan is BinaryGiniScan:
        word = scores.found[i] if scores.words == NULL else scores.words_of_found[i]
        scan.left_total = word >> 16
        scan.difference = (word & 0xFFFF) * scan.total + scan.left_total * scan.steps[0]
    elif ScoredScan is GiniScan:
        squares = scores.squares_of_found[i]
        scan.left_total = scores.found[i] + n_first
        scan.left_squares = <int64_t> (squares & <uint64_t> 0xFFFFFFFF)
        scan.right_squares = scan.total_squares - <int64_t> (squares >> 32)


cdef inline void _sum_entries_left(
    SquaredErrorScan* scan, const EntryScores* scores, const uint32_t* entries, index_t n, index_t before,
    index_t n_left
) noexcept nogil:
    """Put the first n_left of n samples into the left child, in which the first `before` are, if any. If these are all
    samples, fewer are added up where the right child is the smaller one."""
    cdef index_t i, first = before, last = n_left
    cdef int64_t weight = 0, sum = 0
    cdef bint of_right = n == scores.n_entries and n - n_left < n_left - before
    if of_right:
        first, last = n_left, n
    for i in range(first, last):
        if scores.counts == NULL:
            sum += scores.targets[place_of(entries[i])]
        else:
            weight += scores.counts[place_of(entries[i])]
            sum += scores.counts[place_of(entries[i])] * scores.targets[place_of(entries[i])]
    if scores.counts == NULL:
        weight = last - first
    if of_right:
        scan.left_total, scan.left_sum = scan.total - weight, scan.sum - sum
    elif before > 0:
        scan.left_total, scan.left_sum = scan.left_total + weight, scan.left_sum + sum
    else:
        scan.left_total, scan.left_sum = weight, sum


# ------------------------------------------------------------------------------------ few samples, targets as classes

cdef inline void put_left(FewScan* scan, int64_t weight, int64_t sum) noexcept nogil:
    """Put samples of this weight and sum of targets, and no others, into the left child."""
    scan.left_total, scan.left_sum = weight, sum


# ------------------------------------------------------------------------------------------- bins of the node, pairs

# Targets that are numbers have no bins of a node, and come into none of the functions below.

cdef inline bint counts_in_halves(const BinnedScan* scan) noexcept nogil:
    """Whether one word counts both classes, if weights are small."""
    if BinnedScan in BinaryScan:
        return True
    elif BinnedScan is EntropyScan:
        return scan.n_classes == 2
    else:
        return False


cdef inline bint fits_lanes(const BinnedScan* scan) noexcept nogil:
    """Whether the weights of the node fit the scores of its bins."""
    if BinnedScan is OrdinalGiniScan:
        # Squares of the weights up to each class are summed in 32 bits.
        if scan.n_classes * scan.total * scan.total >= MOST_OF_FORM:
            return False
    return scan.total <= MOST_WEIGHT_IN_HALVES


cdef inline bint fits_pairs(const BinnedScan* scan, index_t n) noexcept nogil:
    """The same of all pairs of n samples, in 16 bits; more samples take less time in bins."""
    if BinnedScan is OrdinalGiniScan:
        if (scan.n_classes - 1) * scan.total * scan.total > MOST_OF_PAIRED_FORM:
            return False
    return scan.total <= MOST_WEIGHT_IN_PAIRS and n <= (
        MOST_IN_PAIRS if counts_in_halves(scan) else MOST_OF_CLASSES_IN_PAIRS
    )


cdef inline void start_scores(const BinnedScan* scan, NodeBins bins) noexcept nogil:
    """Lay out the class weights of the node and its samples, which are small."""
    cdef index_t label
    cdef int64_t up_to = 0
    if BinnedScan in BinaryScan:
        take_halves(bins, bins.start, bins.stop)
    elif counts_in_halves(scan):
        take_halves(bins, bins.start, bins.stop)
    elif BinnedScan is OrdinalGiniScan:
        for label in range(bins.n_classes):
            up_to += scan.total_counts[label]
            bins.node_row[label] = <uint16_t> up_to
    elif BinnedScan is not SquaredErrorScan:
        for label in range(bins.n_classes):
            bins.node_row[label] = <uint16_t> scan.total_counts[label]


cdef inline float score_bins(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, index_t n, index_t first, index_t last
) noexcept nogil:
    """Count the bins of a feature and score the cuts between them; return the greatest score of [first, last)."""
    cdef edges_of_rows edges
    if counts_in_halves(scan):
        count_halves(bins, feature, n)
    else:
        count_rows_of_lanes(bins, feature, n)
    if BinnedScan in BinaryScan:
        return score_edges(
            <const uint32_t*> feature.counts, feature.n_bins, first, last, _weights_of(scan), feature.scores
        )
    elif BinnedScan is EntropyScan:
        return score_bins_by_entropy(scan, bins, feature, first, last)
    elif BinnedScan is GiniScan or BinnedScan is OrdinalGiniScan:
        edges = _edges_of(feature)
        (feature.scores - 1)[0] = <float> scan.total_squares / <float> scan.total
        (feature.right_squares - 1)[0] = <float> scan.total_squares
        if BinnedScan is OrdinalGiniScan:
            cumulate_rows(<uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, bins.n_classes)
        return sum_up_rows(
            <uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, &bins.node_row[0], <float> scan.total, first,
            last, bins.n_classes - 1 if BinnedScan is OrdinalGiniScan else -1, &edges,
        )
    else:
        return -INFINITY


cdef inline edges_of_rows _edges_of(const NodeFeature* feature) noexcept nogil:
    cdef edges_of_rows edges
    edges.scores, edges.weights = feature.scores, feature.weights
    edges.left_squares, edges.right_squares = feature.left_squares, feature.right_squares
    return edges


cdef inline index_t mark_bins(
    const BinnedScan* scan, NodeBins bins, const NodeFeature* feature, bint allows_all, float to_reach
) noexcept nogil:
    """Mark the bins inside which a cut could reach the score, and return their number. If all edges are allowed as
    cuts, bins of one class have no better cut."""
    cdef edges_of_rows edges
    if BinnedScan in BinaryScan:
        return mark_edges(
            <const uint32_t*> feature.counts, feature.n_bins, _weights_of(scan), to_reach, &bins.is_marked[0]
        )
    elif BinnedScan is EntropyScan:
        return mark_bins_by_entropy(scan, bins, feature, allows_all, to_reach)
    else:
        edges = _edges_of(feature)
        return mark_rows(
            <const uint16_t*> feature.counts, feature.n_bins, bins.n_lanes, bins.n_classes,
            BinnedScan is OrdinalGiniScan, &bins.node_row[0], <float> scan.total, to_reach, allows_all, &edges,
            &bins.is_marked[0],
        )


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
            if BinnedScan is OrdinalGiniScan:
                move_left(scan, label, row[label] - (row[label - 1] if label > 0 else 0))
            else:
                move_left(scan, label, row[label])


cdef inline void move_packed_left(BinnedScan* scan, NodeBins bins, uint64_t word) noexcept nogil:
    """Move a sample whose class and weight are in a word to the left child."""
    if BinnedScan in BinaryScan:
        move_left(scan, 0, <int64_t> (word & <uint64_t> 0xFFFFFFFF))
        move_left(scan, 1, <int64_t> (word >> 32))
    else:
        move_left(scan, label_of_packed(bins, word), weight_of_packed(bins, word))


cdef inline void lay_out_pairs(const BinnedScan* scan, NodeBins bins, index_t n, PairedSamples* samples) noexcept nogil:
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
        samples.classes.times[n_classes - 1] = <uint16_t> label
    samples.classes.n_classes = n_classes
    if BinnedScan is OrdinalGiniScan:
        _cumulate(&samples.classes)
    else:
        for i in range(n_classes):
            squares += <uint32_t> samples.classes.totals[i] * samples.classes.totals[i]
        samples.classes.squares = <uint16_t> squares
    if (BinnedScan is GiniScan or BinnedScan is OrdinalGiniScan) and n <= MOST_OF_FEW:
        spread_few(samples.weights, &samples.classes, BinnedScan is OrdinalGiniScan, n, samples.few)


cdef inline void _cumulate(paired_classes* classes) noexcept nogil:
    """Write the numbers of classes in order, whose labels are where `times` will be."""
    cdef index_t k, times
    cdef uint32_t total = 0, squares = 0
    for k in range(classes.n_classes):
        times = classes.times[k + 1] - classes.times[k] if k + 1 < classes.n_classes else 0
        total += classes.totals[k]
        squares += times * total * total
        classes.totals[k] = <uint16_t> (times * total)
        classes.times[k] = <uint16_t> times
    classes.squares = <uint16_t> squares


cdef inline float score_pairs(
    const BinnedScan* scan, NodeBins bins, NodeFeature* feature, const PairedSamples* samples, const uint16_t* keys,
    index_t n
) noexcept nogil:
    """Score the cut behind every sample, from the sums of all samples of no greater key; return the greatest score.
    The cut behind the greatest key is none, but is scored."""
    cdef uint16_t* sums = <uint16_t*> feature.counts
    if counts_in_halves(scan):
        sum_pairs(keys, samples.weights, &n, 1, n, sums)
    if BinnedScan in BinaryScan:
        return score_sums(sums, n, _weights_of(scan), feature.scores)
    elif BinnedScan is EntropyScan:
        return score_pairs_by_entropy(scan, bins, feature, samples, keys, n)
    else:
        # One array after the other: the sums of squares on the left and on the right, and the samples on the left.
        if n <= MOST_OF_FEW:
            sum_squares_of_few(
                keys, samples.few, &samples.classes, BinnedScan is OrdinalGiniScan, n, sums, sums + MOST_PAIRED,
                sums + 2 * MOST_PAIRED,
            )
        else:
            sum_squares_of_pairs(
                keys, samples.weights, &samples.classes, BinnedScan is OrdinalGiniScan, n, sums, sums + MOST_PAIRED,
                sums + 2 * MOST_PAIRED,
            )
        return score_squares(sums, sums + MOST_PAIRED, sums + 2 * MOST_PAIRED, n, <float> scan.total, feature.scores)


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
        scan.left_squares = sums[found]
        scan.right_squares = sums[MOST_PAIRED + found]
        scan.left_total = sums[2 * MOST_PAIRED + found]
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
