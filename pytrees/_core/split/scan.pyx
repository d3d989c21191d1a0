"""The scan of a node's cuts: one loop over sorted samples, for all criteria on counts.

`table.pxd` is the table of what the loops ask of a criterion; here are the names and parameters behind its codes, and
which structure belongs to a code.
"""

import numpy as np

from libc.math cimport INFINITY, isnan

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t, index_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.entropy cimport EntropyScan
from pytrees._core.criteria.gain cimport Gain, is_greater_gain
from pytrees._core.criteria.gini cimport BinaryGiniScan, GiniScan
from pytrees._core.criteria.jaccard cimport JaccardScan
from pytrees._core.criteria.labelled cimport LabelledScan
from pytrees._core.criteria.logarithms cimport NO_INFORMATION, doubled
from pytrees._core.criteria.ordinal_gini cimport OrdinalGiniScan, ordinal_gini_kernel
from pytrees._core.criteria.ranking cimport BinaryRankingScan, RankingScan, ranking_kernel
from pytrees._core.criteria.ratios cimport RatioScan
from pytrees._core.criteria.variation cimport VariationScan
from pytrees._core.criteria.weighted cimport (
    WeightedScan, box_stays_below, has_boxes, move_box_left, move_weight_left, take_lead,
)
from pytrees._core.criteria.wig cimport WigBest, WigScan, weigh_classes
from pytrees._core.rows.partition cimport entries_of
from pytrees._core.sequence.impurities cimport COMPLEXITY, EFFORT
from pytrees._core.split.bins cimport find_bin_cut
from pytrees._core.split.blocks cimport find_block_cut, scores_in_lanes
from pytrees._core.split.missing cimport find_cut_with_missing
from pytrees._core.split.ranked cimport find_ranked_cut
from pytrees._core.split.scanner cimport (
    CLASS_COUNTS, OWN_CLASS_COUNTS, OWN_SEQUENCES, SEQUENCES, Cuts, Ends, NodeRows, Scanner, Split, count_node,
    cuts_to_try, ends_of_cuts, entries_have_cut, first_place, is_tried, label_of_place, threshold_of,
)
from pytrees._core.split.table cimport (
    ACCURACY, ENTROPY, ETC, GAIN_RATIO, GINI, JACCARD, LAST_ON_COUNTS, LZ76, MAE, NVI, NVI_MAX, NVI_SUM, ORDINAL_GINI,
    RANKING, USER_COUNTS, USER_SEQUENCE, VI, WIG, BinnedScan, CountScan, WholeScan, best_gain,
    information_form, is_binary_gini, is_perfect, move_left, offer, refuse_code, start_feature, start_scan, takes_ratio,
    upper_bound,
)

from pytrees._core.criteria.counts import costs_of, given_of, n_log2_n, parameters_of

cdef enum:
    # Of two classes with real weights so many samples are passed at once where their cuts are too poor.
    BOX_ROWS = 16

# Twice n log2 n of so many samples, in units of 2**-30 bit, is below 2**63.
MOST_DOUBLED = 2**27

CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "ogini": ORDINAL_GINI,
    "wig": WIG,
    "ranking": RANKING,
    "gain_ratio": GAIN_RATIO,
    "nvi": NVI,
    "nvi_sum": NVI_SUM,
    "nvi_max": NVI_MAX,
    "vi": VI,
    "jaccard": JACCARD,
    "accuracy": ACCURACY,
    "mae": MAE,
    "etc": ETC,
    "lz76": LZ76,
    "user_counts": USER_COUNTS,
    "user_sequence": USER_SEQUENCE,
}


# --------------------------------------------------------------------------------------- what follows from the name

def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the samples, which then have no weights."""
    return judging_of(criterion) in (SEQUENCES, OWN_SEQUENCES)


def judging_of(criterion):
    """Return what the criterion judges, as a number of `Judging`."""
    special = {ETC: SEQUENCES, LZ76: SEQUENCES, USER_SEQUENCE: OWN_SEQUENCES, USER_COUNTS: OWN_CLASS_COUNTS}
    return special.get(code_of(criterion), CLASS_COUNTS)


def sequence_impurity_of(criterion):
    """Return what is the impurity of a label sequence, as a number of `SequenceImpurity`; criteria that do not judge
    label sequences by one have no use for it."""
    return COMPLEXITY if code_of(criterion) == LZ76 else EFFORT


def code_of(criterion):
    """Return the code of a criterion, which is a name, or a name and parameters."""
    name = criterion if isinstance(criterion, str) else criterion[0]
    if name not in CODES:
        raise ValueError(f"criterion must be one of {sorted(CODES)}, got {name!r}.")
    return CODES[name]


def is_exact(criterion, n_classes):
    """Whether gains of whole class counts are compared exactly."""
    costs = costs_of(criterion)
    numbers = costs if len(costs) > 0 else parameters_of(criterion, n_classes)[2]
    return code_of(criterion) != WIG and bool(np.all(numbers == np.floor(numbers)))


def has_bounds(criterion, n_classes):
    """Whether there is a bound on what cuts inside a bin gain, so that features can be cut into bins."""
    code = code_of(criterion)
    if code == RANKING and n_classes == 2 and is_exact(criterion, n_classes):
        # Where pairs cost nothing, all cuts are alike.
        costs, scores = costs_of(criterion), parameters_of(criterion, n_classes)[2]
        return bool(costs[0, 1] > 0 if len(costs) > 0 else scores[0] != scores[1])
    return code in (GINI, ENTROPY) or is_binary_gini(code, n_classes)


def scores_cuts(criterion, n_classes):
    """Whether cuts of a block can be scored in single precision, so that few of them are looked at exactly."""
    code = code_of(criterion)
    return code == GINI or is_binary_gini(code, n_classes)


def weights_as_compared(criterion, n_classes, n_rows, weights):
    """Return the weights as the criterion compares them: of floating-point numbers where gains are compared with a
    tolerance, but for criteria that take whole counts all the same."""
    if is_exact(criterion, n_classes) or code_of(criterion) in (WIG, USER_COUNTS):
        return weights
    return np.ones(n_rows) if weights is None else weights.astype(np.float64)


def class_counts(criterion, n_classes, weights, n_rows):
    """Return room for the class counts of a node, and what the criterion takes from memory, as a ClassCounts."""
    name, alpha, scores, weighs_children = parameters_of(criterion, n_classes)
    cdef ClassCounts counts
    cdef int code = code_of(criterion)
    are_whole = weights is None or weights.dtype != np.float64
    total = n_rows if weights is None else weights.sum()
    kernel = np.zeros((1, 1), dtype=np.int64)
    if code == ORDINAL_GINI and are_whole:
        kernel = ordinal_gini_kernel(n_classes, int(total))
    elif code == RANKING and are_whole:
        kernel = ranking_kernel(scores, costs_of(criterion), int(total))
    form = information_form(code) if are_whole else NO_INFORMATION
    if doubled(form) > 1 and total >= MOST_DOUBLED:
        raise ValueError(f"criterion={name!r} counts at most {MOST_DOUBLED - 1} samples, got {total}.")
    table = n_log2_n(total if are_whole and (form != NO_INFORMATION or code == WIG) else 0)
    counts = ClassCounts(n_classes, code, n_rows, form, table, kernel, total, scores)
    counts.weighs_children = weighs_children
    counts.costs = costs_of(criterion)
    if code == WIG:
        weigh_classes(counts, scores.tolist(), alpha, given_of(criterion))
    return counts


# -------------------------------------------------------------------------------------------------- the best cut

cdef int find_cut(Scanner scanner, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose classes are counted first; best.feature is NONE without one."""
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef BinaryRankingScan binary_ranking
    cdef RatioScan ratio
    cdef VariationScan variation
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WigScan wig
    cdef WigBest wig_best
    cdef WeightedScan weighted
    cdef int code = scanner.counts.code
    if code < GINI or code > LAST_ON_COUNTS:
        return refuse_code(code)
    count_node(scanner, node)
    if node.in_block and scanner.partition.features.has_missing:
        return find_cut_with_missing(scanner, node, best)
    if scanner.float_weights.shape[0] > 0:
        _find_sorted(scanner, &weighted, node, best)
        # The definition of a criterion without one is not a number.
        if isnan(weighted.node_impurity):
            return refuse_code(code)
    elif is_binary_gini(code, scanner.counts.n_classes):
        start_scan(&binary_gini, scanner.counts)
        _find(scanner, &binary_gini, node, best)
    elif code == ORDINAL_GINI:
        _find_sorted(scanner, &ordinal_gini, node, best)
    elif code == RANKING and scanner.counts.n_classes == 2:
        start_scan(&binary_ranking, scanner.counts)
        _find(scanner, &binary_ranking, node, best)
    elif code == RANKING:
        _find_sorted(scanner, &ranking, node, best)
    elif takes_ratio(code):
        _find_sorted(scanner, &ratio, node, best)
    elif code == VI:
        _find_sorted(scanner, &variation, node, best)
    elif code == JACCARD:
        _find_sorted(scanner, &jaccard, node, best)
    elif code == ACCURACY or code == MAE:
        _find_sorted(scanner, &labelled, node, best)
    elif code == WIG:
        wig.best = &wig_best
        _find_sorted(scanner, &wig, node, best)
    elif code == ENTROPY:
        start_scan(&entropy, scanner.counts)
        _find(scanner, &entropy, node, best)
    elif code == GINI:
        start_scan(&gini, scanner.counts)
        _find(scanner, &gini, node, best)
    else:
        return refuse_code(code)
    return 0


cdef int _find(Scanner scanner, BinnedScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    if scanner.node_bins is not None:
        return find_ranked_cut(scanner, scan, node, best)
    if not node.in_block:
        return find_bin_cut(scanner, scan, node, best)
    if BinnedScan is BinaryGiniScan or BinnedScan is GiniScan:
        if scores_in_lanes(scanner, node) and find_block_cut(scanner, scan, node, best):
            return 0
    return _find_in_block(scanner, scan, node, best)


cdef inline int _find_sorted(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    start_scan(scan, scanner.counts)
    return _find_in_block(scanner, scan, node, best)


cdef int _find_in_block(Scanner scanner, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    if scanner.partition.is_wide:
        _scan_features(scanner, scan, node, best, <const uint64_t*> NULL)
    else:
        _scan_features(scanner, scan, node, best, <const uint32_t*> NULL)
    if best.feature == NONE:
        return 0
    if CountScan is not WeightedScan and CountScan is not WigScan:
        best_gain(scan, &best.gain)
    best.threshold = threshold_of(scanner, node, best)
    return 0


cdef inline int _scan_features(
    Scanner scanner, CountScan* scan, const NodeRows* node, Split* best, const Entry* width
) except -1 nogil:
    cdef index_t k, feature, n_left
    cdef const Entry* entries
    cdef Gain gain
    for k in range(scanner.n_drawn):
        feature = scanner.drawn[k]
        entries = entries_of(scanner.partition, node.block, feature, node.start, node.stop, width)
        n_left = _scan_feature(scanner, scan, node, entries)
        if n_left == 0:
            continue
        if CountScan is WeightedScan or CountScan is WigScan:
            best_gain(scan, &gain)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        if CountScan is WeightedScan:
            take_lead(scan, node.stop - node.start)
        best.feature = feature
        best.n_left = n_left
        best.last_left = place_of(entries[n_left - 1])
        best.first_right = place_of(entries[n_left])
        if is_perfect(scan):
            break
    return 0


cdef inline index_t _scan_feature(
    Scanner scanner, CountScan* scan, const NodeRows* node, const Entry* entries
) except -1 nogil:
    """Offer the cuts of a feature to try; return how many samples the last one kept sends left, 0 where none was
    kept."""
    cdef index_t n_left, n = node.stop - node.start, first = first_place(scanner, node)
    cdef bint is_weighted = scanner.count_weights.shape[0] > 0
    cdef Ends ends = ends_of_cuts(scanner, node, entries)
    cdef index_t stop = n - ends.right
    cdef Cuts cuts
    cdef CountScan local = scan[0]
    if not entries_have_cut(entries, n, ends):
        return 0
    cuts = cuts_to_try(entries, n, ends, scanner.max_candidates)
    start_feature(&local)
    if CountScan is WeightedScan:
        n_left = _scan_weights(scanner, &local, entries, ends.left, stop, first, &cuts)
    elif is_weighted or cuts.n_tried < cuts.n_allowed:
        n_left = _scan_entries(scanner, &local, entries, ends.left, stop, first, is_weighted, True, &cuts)
    else:
        # The usual case: with constants in place of the flags the loop has only what it needs.
        n_left = _scan_entries(scanner, &local, entries, ends.left, stop, first, False, False, &cuts)
    scan[0] = local
    return n_left


cdef inline index_t _scan_entries(
    Scanner scanner, WholeScan* scan, const Entry* entries, index_t fewest_left, index_t stop, index_t first,
    bint is_weighted, bint asks_cuts, Cuts* cuts
) except -1 nogil:
    cdef index_t i, label, n_left = 0
    cdef const uint16_t* narrow_labels = NULL
    cdef const index_t* wide_labels = NULL
    cdef const int64_t* counts = &scanner.place_counts[first] if is_weighted else NULL
    cdef Entry entry, next_entry = entries[0]
    if Entry is uint32_t:
        narrow_labels = &scanner.narrow_labels[first]
    else:
        wide_labels = &scanner.wide_labels[first]
    # The places of entries[:i + 1] have moved to the left, in this order.
    for i in range(stop):
        entry = next_entry
        next_entry = entries[i + 1]
        if Entry is uint32_t:
            label = narrow_labels[place_of(entry)]
        else:
            label = wide_labels[place_of(entry)]
        move_left(scan, label, counts[place_of(entry)] if is_weighted else 1)
        if key_of(entry) == key_of(next_entry) or i + 1 < fewest_left:
            continue
        if (not asks_cuts or is_tried(cuts)) and offer(scan):
            n_left = i + 1
    return n_left


cdef inline index_t _scan_weights(
    Scanner scanner, WeightedScan* scan, const Entry* entries, index_t fewest_left, index_t stop, index_t first,
    Cuts* cuts
) except -1 nogil:
    cdef index_t i = 0, place, n_left = 0, next_box = 0
    cdef bint skips_boxes = has_boxes(scan) and cuts.n_tried == cuts.n_allowed
    # The places of entries[:i] have moved to the left, in this order.
    while i < stop:
        if skips_boxes and i >= next_box and scan.to_reach > -INFINITY and i + BOX_ROWS < stop:
            if _skips_box(scanner, scan, entries + i, first):
                i += BOX_ROWS
                continue
            next_box = i + BOX_ROWS
        place = first + <index_t> place_of(entries[i])
        move_weight_left(scan, label_of_place(scanner, place, entries), scanner.place_weights[place])
        i += 1
        if key_of(entries[i - 1]) == key_of(entries[i]) or i < fewest_left:
            continue
        if is_tried(cuts) and offer(scan):
            n_left = i
    return n_left


cdef inline bint _skips_box(
    Scanner scanner, WeightedScan* scan, const Entry* entries, index_t first
) noexcept nogil:
    """Move the next samples to the left, if no cut among them or behind them gains what it has to reach."""
    cdef float64_t last[2]
    cdef float64_t weight, of_one, left_total = scan.left_total, zeros = scan.left_counts[0], ones = scan.left_counts[1]
    cdef index_t i, place
    for i in range(BOX_ROWS):
        place = first + <index_t> place_of(entries[i])
        weight = scanner.place_weights[place]
        # To add 0 changes nothing, and takes no jump.
        of_one = weight * label_of_place(scanner, place, entries)
        zeros += weight - of_one
        ones += of_one
        left_total += weight
    last[0], last[1] = zeros, ones
    if not box_stays_below(scan, scan.left_counts, last):
        return False
    move_box_left(scan, last, left_total)
    return True


# ------------------------------------------------------------------------------------------------------ from Python

def highest_score(criterion, const int64_t[::1] left, const int32_t[::1] counts, const int64_t[::1] right):
    """Bound the score of every cut inside a bin, given the class counts to its left, in it and to its right.

    The bin has two rows at least. The reference returns the highest score itself, which the bound is never below.

    Of all cuts of a node the best has the highest score, up to factors and terms that they share: for gini and ordinal
    gini of two classes D**2 / (L R), for gini of more sum over classes of left_k**2 / L + right_k**2 / R, for entropy
    minus the children's entropies times their rows, in units of 2**-30 bit, and for ranking of two classes minus the
    children's products of their class counts, times their rows where children are weighted.
    """
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef BinaryRankingScan binary_ranking
    cdef int64_t[::1] totals = np.asarray(left) + np.asarray(counts) + np.asarray(right)
    cdef ClassCounts node = class_counts(criterion, totals.shape[0], None, np.sum(totals))
    node.total_counts[:] = totals
    if node.code == ENTROPY:
        return _bound_after(&entropy, node, left, counts)
    if node.code == RANKING and totals.shape[0] == 2:
        return _bound_after(&binary_ranking, node, left, counts)
    if totals.shape[0] == 2:
        return _bound_after(&binary_gini, node, left, counts)
    return _bound_after(&gini, node, left, counts)


cdef float64_t _bound_after(
    BinnedScan* scan, ClassCounts node, const int64_t[::1] left, const int32_t[::1] counts
):
    cdef index_t label
    cdef int64_t total = 0
    start_scan(scan, node)
    start_feature(scan)
    for label in range(<index_t> left.shape[0]):
        move_left(scan, label, left[label])
        total += counts[label]
    return upper_bound(scan, &counts[0], total)
