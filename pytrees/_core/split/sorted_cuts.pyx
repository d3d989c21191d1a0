"""The best cut of a node whose samples are sorted: one loop over sorted entries, for every criterion on class counts.

A single sample has no cuts inside it, so that nothing is refined here, and cuts are compared as they come.
"""

from pytrees._core.base.sizes cimport BOX_ROWS
from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport MISSING_LEFT, MISSING_RIGHT, NONE, index_t, int64_t, uint16_t, uint32_t, uint64_t
from pytrees._core.criteria.counts cimport are_numbers
from pytrees._core.criteria.gain cimport Gain, is_greater_gain
from pytrees._core.criteria.table cimport (
    CountScan, TargetScan, best_gain, compares_with_tolerance, is_perfect, move_left, move_target_left, offer_cut,
    prepare_cuts, start_cuts,
)
from pytrees._core.criteria.wide cimport BoxedScan, box_stays_below, has_boxes, move_box_left
from pytrees._core.rows.partition cimport check_entries, entries_of, missing_of
from pytrees._core.split.allowed_cuts cimport (
    AllowedCuts, allows, allows_in_order, allows_some, allows_some_in_order, has_cut_between, is_tried, last_cut,
)
from pytrees._core.split.limits cimport allow_by_order, allow_cuts
from pytrees._core.split.node_search cimport (
    NodeRows, NodeSearch, Split, direction_of, first_place, label_of_place, tally_missing, threshold_of,
    weight_of_place, write_cut,
)


cdef int find_sorted_cut(NodeSearch search, CountScan* scan, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose scan has been started."""
    if search.partition.is_wide:
        _search_features(search, scan, node, best, <const uint64_t*> NULL)
    else:
        _search_features(search, scan, node, best, <const uint32_t*> NULL)
    if best.feature == NONE:
        return 0
    if not compares_with_tolerance(scan):
        best_gain(scan, &best.gain)
    best.threshold = threshold_of(search, node, best)


cdef inline int _search_features(
    NodeSearch search, CountScan* scan, const NodeRows* node, Split* best, const Entry* width
) except -1 nogil:
    cdef index_t k, feature, n_missing, n_known_left, n = node.stop - node.start
    cdef bint missing_left
    cdef const Entry* entries
    cdef Gain gain
    for k in range(search.n_drawn):
        feature = search.drawn[k]
        check_entries(search.partition, n)
        entries = entries_of(search.partition, node.block, feature, node.start, node.stop, width)
        n_missing = missing_of(search.partition, node.block, feature, entries, n)
        missing_left = False
        n_known_left = _search_feature(search, scan, node, feature, entries, n_missing, &missing_left)
        if n_known_left == 0:
            continue
        if compares_with_tolerance(scan):
            best_gain(scan, &gain)
            if best.feature != NONE and not is_greater_gain(&gain, &best.gain):
                continue
            best.gain = gain
        write_cut(search, node, feature, entries, n_missing, n_known_left, missing_left, best)
        if is_perfect(scan):
            break


cdef inline index_t _search_feature(
    NodeSearch search, CountScan* scan, const NodeRows* node, index_t feature, const Entry* entries, index_t n_missing,
    bint* missing_left
) except -1 nogil:
    """Offer the cuts of a feature to try. Return how many known values the last cut kept sends left, 0 if none was
    kept, and write whether it sends the missing ones left."""
    cdef index_t n_known_left
    cdef bint is_weighted = search.count_weights.shape[0] > 0
    cdef AllowedCuts allowed = allow_cuts(search, node, entries, n_missing)
    cdef CountScan local = scan[0]
    if n_missing == 0 and not has_cut_between(&allowed, entries):
        return 0
    if n_missing > 0:
        tally_missing(search, node, entries, n_missing)
    prepare_cuts(&local, search.counts, entries, n_missing)
    if direction_of(search, feature) != 0:
        allow_by_order(search, node, feature, entries, n_missing, &allowed)
    start_cuts(&local, search.counts, feature)
    # Constants in place of the flags leave each loop with only what it needs; the last one is the usual case. A loop
    # for monotonic constraints takes missing values, too.
    if allowed.keeps_order[0] != NULL:
        n_known_left = _walk(search, &local, node, entries, &allowed, is_weighted, True, True, True, missing_left)
    elif n_missing == 0 and CountScan in BoxedScan and search.skips_boxes and allowed.n_tried == allowed.n_allowed:
        n_known_left = _walk_boxes(search, &local, node, entries, &allowed)
    elif n_missing > 0:
        n_known_left = _walk(search, &local, node, entries, &allowed, is_weighted, True, True, False, missing_left)
    elif is_weighted or allowed.n_tried < allowed.n_allowed:
        n_known_left = _walk(search, &local, node, entries, &allowed, is_weighted, True, False, False, missing_left)
    else:
        n_known_left = _walk(search, &local, node, entries, &allowed, False, False, False, False, missing_left)
    scan[0] = local
    return n_known_left


cdef inline index_t _walk(
    NodeSearch search, CountScan* scan, const NodeRows* node, const Entry* entries, AllowedCuts* allowed,
    bint is_weighted, bint asks_cuts, bint has_missing, bint has_order, bint* missing_left
) except -1 nogil:
    """Move the samples to the left one by one, and offer the cuts between different values."""
    cdef index_t i, label, kept = 0, first = first_place(search, node)
    cdef index_t fewest_left = allowed.fewest[MISSING_RIGHT], stop = last_cut(allowed)
    cdef const uint16_t* narrow_labels = NULL
    cdef const index_t* wide_labels = NULL
    cdef const int64_t* counts = &search.place_counts[first] if is_weighted else NULL
    cdef const int64_t* targets = &search.place_targets[first] if are_numbers(search.counts) else NULL
    cdef Entry entry, next_entry = entries[0]
    if CountScan not in TargetScan:
        if Entry is uint32_t:
            narrow_labels = &search.narrow_labels[first]
        else:
            wide_labels = &search.wide_labels[first]
    # The places of entries[:i + 1] have moved to the left, in this order.
    for i in range(stop):
        entry = next_entry
        next_entry = entries[i + 1]
        if CountScan in TargetScan:
            move_target_left(scan, targets[place_of(entry)], counts[place_of(entry)] if is_weighted else 1)
        else:
            if Entry is uint32_t:
                label = narrow_labels[place_of(entry)]
            else:
                label = wide_labels[place_of(entry)]
            move_left(scan, label, counts[place_of(entry)] if is_weighted else 1)
        if key_of(entry) == key_of(next_entry):
            continue
        if has_missing:
            if not _allows_some(allowed, i + 1, has_order) or not is_tried(allowed):
                continue
            if _allows(allowed, MISSING_RIGHT, i + 1, has_order) and offer_cut(scan, search.counts, False):
                kept, missing_left[0] = i + 1, False
            if _allows(allowed, MISSING_LEFT, i + 1, has_order) and offer_cut(scan, search.counts, True):
                kept, missing_left[0] = i + 1, True
        elif i + 1 >= fewest_left and (not asks_cuts or is_tried(allowed)) and offer_cut(scan, search.counts, False):
            kept = i + 1
    return kept


cdef inline bint _allows(const AllowedCuts* allowed, int missing, index_t n_known_left, bint has_order) noexcept nogil:
    return allows_in_order(allowed, missing, n_known_left) if has_order else allows(allowed, missing, n_known_left)


cdef inline bint _allows_some(const AllowedCuts* allowed, index_t n_known_left, bint has_order) noexcept nogil:
    return allows_some_in_order(allowed, n_known_left) if has_order else allows_some(allowed, n_known_left)


cdef inline index_t _walk_boxes(
    NodeSearch search, CountScan* scan, const NodeRows* node, const Entry* entries, AllowedCuts* allowed
) except -1 nogil:
    """As _walk, for wide counts without missing values if all cuts are tried. With two classes, runs of samples are
    skipped if no cut in them can win."""
    cdef index_t i = 0, next_box = 0, kept = 0, first = first_place(search, node), place, next_i
    cdef index_t fewest_left = allowed.fewest[MISSING_RIGHT], stop = last_cut(allowed)
    cdef int64_t weight, total, ones
    if CountScan in BoxedScan:
        # The places of entries[:i] have moved to the left, in this order.
        while i < stop:
            if i >= next_box and i + BOX_ROWS < stop and has_boxes(scan):
                total = ones = 0
                for next_i in range(i, i + BOX_ROWS):
                    place = first + <index_t> place_of(entries[next_i])
                    weight = weight_of_place(search, place)
                    total += weight
                    ones += weight * label_of_place(search, place, entries)     # nothing waits for memory
                if box_stays_below(scan, total - ones, ones):
                    move_box_left(scan, total - ones, ones)
                    i += BOX_ROWS
                    continue
                next_box = i + BOX_ROWS
            place = first + <index_t> place_of(entries[i])
            move_left(scan, label_of_place(search, place, entries), weight_of_place(search, place))
            i += 1
            if key_of(entries[i - 1]) != key_of(entries[i]) and i >= fewest_left and offer_cut(
                scan, search.counts, False
            ):
                kept = i
    return kept
