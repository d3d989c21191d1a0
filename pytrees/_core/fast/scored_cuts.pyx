"""The best cut of a node whose cuts have scores in vectors: of sorted entries, bins of the node, or all pairs.

All cuts of all features are scored in single precision. The greatest score less its error tells which cuts can be the
best, and which bins can hold a better one; these bins are refined. The cuts that are left are compared exactly, in
ascending order.
"""

from libc.math cimport INFINITY
from libc.string cimport memmove

from pytrees._core.base.sizes cimport MOST_PAIRED
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.counts cimport are_numbers
from pytrees._core.criteria.table cimport PatientScan, best_gain, forget_best, is_perfect, offer_cut
from pytrees._core.fast.bounds cimport BinnedScan, ScoredScan
from pytrees._core.fast.entry_scores cimport EntryScores
from pytrees._core.fast.node_bins cimport (
    NodeBins, NodeFeature, PairedSamples, bin_of_key, count_samples, last_key_of_bin, sort_marked,
)
from pytrees._core.fast.score_table cimport (
    MovedScan, SideBySideScan, allow_entries, find_entries, known_on_left, lay_out_pairs, lowered, mark_bins,
    move_packed_left, perfect_score, perfect_score_of_entries, score_bins, score_entries, score_entries_of_two,
    score_pairs, start_scores, take_bins_left, take_entries_left, take_pair_left,
)
from pytrees._core.fast.simd cimport narrow_keys, number_keys, sum_pairs
from pytrees._core.fast.state cimport FastState, write_ranked_cut
from pytrees._core.fast.way cimport ALL_PAIRS, SCORED_BINS, SCORED_ENTRIES, Way
from pytrees._core.rows.partition cimport check_entries, first_entry, missing_of
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, Split, first_place, tally_missing, threshold_of, write_cut,
)


# The best cut so far.
cdef struct ScoredCut:
    index_t number          # of its feature among the features looked at; NONE if there is no cut
    uint32_t last_key       # ranks: the greatest key on the left
    index_t n_known_left    # sorted entries: the samples on the left that have the value
    bint missing_left       # and whether those that lack it are there, too


cdef bint find_scored_cut(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, Split* best
) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started. False: the scores tell nothing, because no
    cut of sorted entries gains anything, or because their errors swallow the best score."""
    cdef ScoredCut cut
    cdef PairedSamples samples
    cdef bint of_entries = way == SCORED_ENTRIES
    cdef index_t k, n_known = 0, n_scored = 0, n_features = search.n_drawn if of_entries else fast.node_bins.n_slots
    cdef float64_t score
    cdef float to_reach, best_score = -INFINITY
    # A cut inside a bin can be perfect though no edge is.
    cdef float perfect = INFINITY
    _start(fast, search, scan, node, way, &samples)
    if ScoredScan not in PatientScan:
        if of_entries:
            perfect = lowered(scan, perfect_score_of_entries(scan, &fast.entry_scores.scores), True)
        elif way == ALL_PAIRS:
            perfect = lowered(scan, perfect_score(scan), False)
    cut.number = NONE
    while n_scored < n_features:
        check_entries(search.partition, node.stop - node.start)
        if n_known == n_scored:
            n_known += _score_features(fast, search, scan, node, way, n_scored, n_features, &samples)
        score = fast.scores[n_scored]
        best_score = max(best_score, <float> score)
        n_scored += 1
        if score >= perfect and score > (0.0 if of_entries else -INFINITY):
            # No later cut is better, and earlier ones were worse.
            _offer_feature(fast, search, scan, node, way, n_scored - 1, &samples, perfect, &cut)
            if is_perfect(scan):
                break
            forget_best(scan)
            cut.number = NONE
    if of_entries and best_score <= 0.0:
        return False
    to_reach = lowered(scan, best_score, of_entries)
    if of_entries and to_reach <= 0.0:
        return False
    for k in range(n_scored if cut.number == NONE else 0):
        check_entries(search.partition, node.stop - node.start)
        _offer_feature(fast, search, scan, node, way, k, &samples, to_reach, &cut)
        if is_perfect(scan):
            break
    if cut.number != NONE:
        _write(fast, search, scan, node, way, &cut, best)
        best_gain(scan, &best.gain)
    return True


# ------------------------------------------------------------------------------------------- what a source hands over

cdef inline void _start(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, PairedSamples* samples
) noexcept nogil:
    """Lay out the node's samples for the scores."""
    cdef index_t n = node.stop - node.start
    if way == SCORED_BINS:
        if ScoredScan in BinnedScan:
            start_scores(scan, fast.node_bins)
    elif way == ALL_PAIRS:
        if ScoredScan in BinnedScan:
            lay_out_pairs(scan, fast.node_bins, n, samples)
    else:
        if are_numbers(search.counts):
            _point_to_numbers(fast, search, node)
        elif fast.place_words.shape[0] > 0:
            fast.entry_scores.scores.words = &fast.place_words[first_place(search, node)]
        fast.entry_scores.scores.n_entries = n
        allow_entries(
            scan, &fast.entry_scores.scores, &search.partition.rows[node.start], _labels(search, node), n,
            search.limits.min_samples_leaf, n - search.limits.min_samples_leaf,
        )


cdef inline void _point_to_numbers(FastState fast, NodeSearch search, const NodeRows* node) noexcept nogil:
    cdef EntryScores* scores = &fast.entry_scores.scores
    cdef index_t first = first_place(search, node)
    scores.targets = &search.place_targets[first]
    scores.counts = &search.place_counts[first] if search.count_weights.shape[0] > 0 else NULL


cdef inline index_t _score_features(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, index_t k, index_t n_features,
    const PairedSamples* samples
) noexcept nogil:
    """Write the greatest score of the k-th feature, or also of the next one; return how many were written."""
    cdef float[2] best
    if (
        ScoredScan in SideBySideScan and way == SCORED_ENTRIES and k + 1 < n_features
        and not search.partition.features.has_missing
    ):
        score_entries_of_two(
            scan, &fast.entry_scores.scores, _entries(search, node, k), _entries(search, node, k + 1),
            node.stop - node.start, best,
        )
        fast.scores[k], fast.scores[k + 1] = best[0], best[1]
        return 2
    fast.scores[k] = _score_feature(fast, search, scan, node, way, k, samples)
    return 1


cdef inline float _score_feature(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, index_t k, const PairedSamples*
    samples
) noexcept nogil:
    """Score the cuts of the k-th feature that are allowed, and return the greatest score."""
    cdef index_t first, last, n = node.stop - node.start
    cdef NodeFeature* feature
    if ScoredScan in BinnedScan:
        if way == SCORED_BINS:
            feature = &fast.node_bins.slots[k]
            _find_allowed_edges(fast.node_bins, feature, n, search.limits.min_samples_leaf, &first, &last)
            return score_bins(scan, fast.node_bins, feature, n, first, last)
        if way == ALL_PAIRS:
            return _score_pairs(fast, search, scan, &fast.node_bins.slots[k], samples, n)
    return _score_entries(fast, search, scan, node, k)


cdef inline int _offer_feature(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, Way way, index_t k, const PairedSamples*
    samples, float to_reach, ScoredCut* cut
) except -1 nogil:
    """Offer the cuts of the k-th feature whose scores reach what is asked, in ascending order."""
    if ScoredScan in BinnedScan:
        if way == SCORED_BINS:
            return _offer_bins(fast, search, fast.node_bins, scan, node, k, to_reach, cut)
    if fast.scores[k] < to_reach or fast.scores[k] == -INFINITY:
        return 0
    if ScoredScan in BinnedScan:
        if way == ALL_PAIRS:
            return _offer_pairs(search, fast.node_bins, scan, k, samples, node.stop - node.start, to_reach, cut)
    return _offer_entries(fast, search, scan, node, k, to_reach, cut)


cdef inline void _write(
    FastState fast, NodeSearch search, const ScoredScan* scan, const NodeRows* node, Way way, const ScoredCut* cut,
    Split* best
) noexcept nogil:
    cdef const uint32_t* entries
    if ScoredScan in BinnedScan:
        if way != SCORED_ENTRIES:
            write_ranked_cut(fast, search, node, cut.number, cut.last_key, best)
            return
    entries = _entries(search, node, cut.number)
    write_cut(
        search, node, search.drawn[cut.number], entries, _n_missing(search, node, cut.number, entries),
        cut.n_known_left, cut.missing_left, best,
    )
    if not fast.defers_thresholds:
        best.threshold = threshold_of(search, node, best)


# --------------------------------------------------------------------------------------------------- sorted entries

cdef inline const uint32_t* _entries(NodeSearch search, const NodeRows* node, index_t k) noexcept nogil:
    return &search.partition.narrow[first_entry(search.partition, node.block, search.drawn[k], node.start)]


cdef inline const uint16_t* _labels(NodeSearch search, const NodeRows* node) noexcept nogil:
    """Return the classes by place, NULL if they are numbers."""
    if are_numbers(search.counts):
        return NULL
    return &search.narrow_labels[first_place(search, node)]


cdef inline index_t _n_missing(
    NodeSearch search, const NodeRows* node, index_t k, const uint32_t* entries
) noexcept nogil:
    return missing_of(search.partition, node.block, search.drawn[k], entries, node.stop - node.start)


cdef inline float _score_entries(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, index_t k
) noexcept nogil:
    """Score the cuts with missing values on the right and, if there are some, on the left."""
    cdef const EntryScores* scores = &fast.entry_scores.scores
    cdef const uint32_t* entries = _entries(search, node, k)
    cdef index_t n_missing = _n_missing(search, node, k, entries), n_known = node.stop - node.start - n_missing
    cdef float best = score_entries(scan, scores, entries, n_known, 0, node.first_of_1)
    if n_missing > 0:
        best = max(best, score_entries(scan, scores, entries, n_known, n_missing, node.first_of_1))
    return best


cdef inline int _offer_entries(
    FastState fast, NodeSearch search, ScoredScan* scan, const NodeRows* node, index_t k, float to_reach, ScoredCut*
    cut
) except -1 nogil:
    """Offer the cuts by threshold, with missing values on the right first."""
    cdef const EntryScores* scores = &fast.entry_scores.scores
    cdef const uint32_t* entries = _entries(search, node, k)
    cdef index_t n_missing = _n_missing(search, node, k, entries), n_known = node.stop - node.start - n_missing
    cdef index_t n_known_left, chosen, n_first, n_right, n_found, j, before = 0, i = 0
    cdef bint missing_left
    n_found = n_right = find_entries(scan, scores, entries, n_known, 0, node.first_of_1, to_reach, 0)
    if n_missing > 0:
        n_found = find_entries(scan, scores, entries, n_known, n_missing, node.first_of_1, to_reach, n_right)
        if ScoredScan in MovedScan:
            tally_missing(search, node, entries, n_missing)
    j = n_right
    # The cuts [0, i) and [n_right, j) were offered.
    while i < n_right or j < n_found:
        missing_left = i == n_right or j < n_found and (
            known_on_left(scan, scores, n_missing, j) < known_on_left(scan, scores, 0, i)
        )
        n_first = n_missing if missing_left else 0
        chosen = j if missing_left else i
        i, j = i + 1 - missing_left, j + missing_left
        n_known_left = known_on_left(scan, scores, n_first, chosen)
        take_entries_left(scan, scores, entries, n_known, n_first, chosen, before)
        before = n_known_left
        if offer_cut(scan, search.counts, missing_left and ScoredScan in MovedScan):
            cut.number = k
            cut.n_known_left, cut.missing_left = n_known_left, missing_left


# ------------------------------------------------------------------------------------------------- bins of the node

cdef inline void _find_allowed_edges(
    NodeBins bins, const NodeFeature* feature, index_t n, index_t min_samples_leaf, index_t* first, index_t* last
) noexcept nogil:
    """Find the bins behind which a cut is allowed: the bins [first, last)."""
    first[0] = 0
    last[0] = feature.n_bins - 1
    if min_samples_leaf == 1:
        return
    count_samples(bins, feature, n)
    while first[0] < feature.n_bins and bins.n_up_to[first[0]] < min_samples_leaf:
        first[0] += 1
    last[0] = first[0]
    while last[0] < feature.n_bins and bins.n_up_to[last[0]] <= n - min_samples_leaf:
        last[0] += 1


cdef inline index_t _mark_ends(NodeBins bins, const NodeFeature* feature, index_t first, index_t last) noexcept nogil:
    """Mark the bins with an edge that is not allowed as a cut, because a cut inside may be allowed; return how many
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


cdef inline int _offer_bins(
    FastState fast, NodeSearch search, NodeBins bins, BinnedScan* scan, const NodeRows* node, index_t k, float
    to_reach, ScoredCut* cut
) except -1 nogil:
    """Offer the cuts between bins whose scores reach what is asked, and the cuts inside the bins that could hold such a
    cut."""
    cdef const NodeFeature* feature = &bins.slots[k]
    cdef index_t bin, first, last, n = node.stop - node.start
    cdef index_t n_marked = 0, n_in_marked = 0, sorted_start, n_sorted = 0
    cdef const uint64_t* keyed = &bins.partition.keyed[0]
    if feature.shift > 0:
        n_marked = mark_bins(scan, bins, feature, search.limits.min_samples_leaf == 1, to_reach)
    _find_allowed_edges(bins, feature, n, search.limits.min_samples_leaf, &first, &last)
    if search.limits.min_samples_leaf > 1:
        n_marked += _mark_ends(bins, feature, first, last)
    if n_marked > 0:
        n_in_marked = sort_marked(bins, feature, n, &bins.is_marked[0])
    elif fast.scores[k] < to_reach:
        return 0
    for bin in range(feature.n_bins):
        if n_in_marked > 0 and bins.is_marked[bin]:
            # keyed[:sorted_start] are in marked bins before this one.
            sorted_start = n_sorted
            while n_sorted < n_in_marked and bin_of_key(feature, key_of(keyed[n_sorted])) == bin:
                n_sorted += 1
            take_bins_left(scan, bins, feature, bin - 1)
            _offer_inside(
                search, bins, scan, k, keyed + sorted_start, n_sorted - sorted_start,
                bins.n_up_to[bin - 1] if search.limits.min_samples_leaf > 1 and bin > 0 else 0, n, cut,
            )
        if first <= bin < last and feature.scores[bin] >= to_reach:
            take_bins_left(scan, bins, feature, bin)
            if offer_cut(scan, search.counts, False):
                cut.number = k
                cut.last_key = last_key_of_bin(feature, bin)


cdef inline int _offer_inside(
    NodeSearch search, NodeBins bins, BinnedScan* scan, index_t k, const uint64_t* keyed, index_t n_in_bin,
    index_t n_left, index_t n, ScoredCut* cut
) except -1 nogil:
    """Move the samples of a marked bin one by one, and offer the cuts between different values."""
    cdef index_t i
    for i in range(n_in_bin):
        move_packed_left(scan, bins, bins.packed[bins.start + place_of(keyed[i])])
        n_left += 1
        if i + 1 == n_in_bin or key_of(keyed[i]) == key_of(keyed[i + 1]):
            continue
        if search.limits.min_samples_leaf > 1 and not (
            search.limits.min_samples_leaf <= n_left <= n - search.limits.min_samples_leaf
        ):
            continue
        if offer_cut(scan, search.counts, False):
            cut.number = k
            cut.last_key = key_of(keyed[i])


# -------------------------------------------------------------------------------------------------------- all pairs

cdef inline float _score_pairs(
    FastState fast, NodeSearch search, BinnedScan* scan, NodeFeature* feature, const PairedSamples* samples, index_t n
) noexcept nogil:
    cdef uint16_t[MOST_PAIRED] keys
    cdef float best
    _write_narrow_keys(feature, n, keys)
    best = score_pairs(scan, fast.node_bins, feature, samples, keys, n)
    if search.limits.min_samples_leaf == 1:
        return best
    return _best_allowed(feature, keys, n, search.limits.min_samples_leaf)


cdef inline void _write_narrow_keys(const NodeFeature* feature, index_t n, uint16_t* keys) noexcept nogil:
    """Write keys of 16 bits: differences to the smallest or, if these are too great, numbers in their order."""
    cdef uint32_t[MOST_PAIRED] numbers
    if feature.span <= 0xFFFF:
        narrow_keys(feature.keys, n, feature.smallest, keys)
    else:
        number_keys(feature.keys, n, numbers)
        narrow_keys(numbers, n, 0, keys)


cdef float _best_allowed(
    NodeFeature* feature, const uint16_t* keys, index_t n, index_t min_samples_leaf
) noexcept nogil:
    """Give cuts that leave too few samples a score of minus infinity, and return the greatest of the others."""
    cdef uint16_t[MOST_PAIRED] ones, n_left
    cdef index_t i
    cdef float best = -INFINITY
    for i in range(n):
        ones[i] = 1
    sum_pairs(keys, ones, &n, 1, n, n_left)
    for i in range(n):
        if not min_samples_leaf <= n_left[i] <= n - min_samples_leaf:
            feature.scores[i] = -INFINITY
        best = max(best, feature.scores[i])
    return best


cdef inline int _offer_pairs(
    NodeSearch search, NodeBins bins, BinnedScan* scan, index_t k, const PairedSamples* samples, index_t n,
    float to_reach, ScoredCut* cut
) except -1 nogil:
    cdef const NodeFeature* feature = &bins.slots[k]
    cdef index_t[MOST_PAIRED] found
    cdef index_t i, hole, n_found = 0
    cdef uint32_t key
    # found[:n_found] are samples of those met so far, in ascending order of their keys, one for each key.
    for i in range(n):
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
        take_pair_left(scan, bins, feature, samples, found[i])
        if offer_cut(scan, search.counts, False):
            cut.number = k
            cut.last_key = feature.keys[found[i]]
