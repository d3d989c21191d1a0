"""The best split of a C4.5 node by gain ratio.

Every feature offers one split: a categorical feature a child for each of its values, a numeric feature the threshold of
the greatest gain. Only rows whose value is known take part. The gain is multiplied by their share of the node's weight.
The gain ratio divides the gain by the information of the division, which counts the rows without a value as one more
child. Among the offers whose gain is about the average or more, the greatest ratio wins.

The rows of the node are sorted anew for every feature: an entry packs the rank of a row's value with the row's place in
the node. Weights are real numbers, so the sums and the entropies are floating-point numbers.
"""

import numpy as np

cimport cython
from libc.math cimport NAN, log2
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.sizes cimport MOST_IN_NARROW
from pytrees._core.base.sorting cimport Entry, key_of, packed, place_of, sort_entries
from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.c45.entropies cimport (
    EntropySums, entropy_of_weights, gain_of_entropies, move_weight_left, start_sums, stays_below,
)
from pytrees._core.c45.rows cimport is_missing
from pytrees._core.criteria.counts cimport LOG2_TABLE_SIZE
from pytrees._core.criteria.gain cimport exceeds_by_tolerance
from pytrees._core.rows.features cimport ENTRIES_BETWEEN_CHECKS, Features, rank_at, threshold_between

# Quinlan's program lets a gain be this much below the average.
cdef float64_t SLACK = 1e-3


@cython.final
cdef class SplitFinder:
    def __cinit__(
        self, const float64_t[:, ::1] X, const index_t[::1] y, float64_t total, index_t n_classes,
        const int64_t[::1] n_categories, float64_t min_samples_leaf,
    ):
        values = np.asarray(X)
        missing = np.isnan(values)
        has_missing = missing.any(axis=0)
        self.X = X
        self.labels = y
        self.n_rows = X.shape[0]
        self.n_features = X.shape[1]
        self.n_classes = n_classes
        self.min_samples_leaf = min_samples_leaf
        self.n_categories = n_categories
        self.has_missing = has_missing.astype(np.uint8)
        # Features of very many values gain much by chance. They do not count in the average, unless all features have
        # very many values.
        is_typical = np.asarray(self.n_categories) < 0.3 * total
        self.is_typical = (is_typical if is_typical.any() else ~is_typical).astype(np.uint8)
        self.features = Features(np.where(missing, 0.0, values) if has_missing.any() else values)
        self.features.rank(False)
        n_narrow = self.n_rows if self.n_rows <= MOST_IN_NARROW else 0
        self.narrow, self.spare_narrow = np.empty((2, n_narrow), dtype=np.uint32)
        self.wide, self.spare_wide = np.empty((2, self.n_rows - n_narrow), dtype=np.uint64)
        self.node_labels = np.empty(self.n_rows, dtype=np.int32)
        self.sizes = np.empty(self.n_rows)
        self.counts = np.zeros((2, n_classes))
        self.log2_table = np.log2(np.linspace(1.0, 2.0, LOG2_TABLE_SIZE + 1))
        self.offers = <RatioSplit*> malloc(max(1, self.n_features) * sizeof(RatioSplit))
        if self.offers == NULL:
            raise MemoryError(f"no memory for the splits of {self.n_features} features")
        self.scan.n_classes = n_classes
        self.scan.log2_table = &self.log2_table[0]
        self.scan.total_counts = &self.counts[0, 0]
        self.scan.left_counts = &self.counts[1, 0]

    def __dealloc__(self):
        free(self.offers)


cdef int best_split(
    SplitFinder finder, const index_t* rows, const float64_t* weights, index_t n, const float64_t* counts,
    float64_t total, RatioSplit* best,
) except -1 nogil:
    """Find the split of the greatest gain ratio among the offers that gain about the average or more.

    Ties go to the lowest feature.
    """
    cdef const RatioSplit* offer
    cdef float64_t sum_of_gains = 0.0
    cdef index_t i, feature, n_typical = 0
    finder.rows, finder.weights, finder.n = rows, weights, n
    finder.node_counts, finder.total = counts, total
    for i in range(n):
        finder.node_labels[i] = finder.labels[rows[i]]
    for feature in range(<index_t> finder.n_features):
        check_signals(&finder.unchecked, n, ENTRIES_BETWEEN_CHECKS)
        if finder.narrow.shape[0] > 0:
            _offer(finder, feature, &finder.narrow[0], &finder.spare_narrow[0])
        else:
            _offer(finder, feature, &finder.wide[0], &finder.spare_wide[0])
        if finder.offers[feature].feature != NONE and finder.is_typical[feature]:
            sum_of_gains += finder.offers[feature].gain
            n_typical += 1
    best[0] = RatioSplit(NONE, NAN, 0.0, 0.0)
    for feature in range(<index_t> finder.n_features):
        offer = &finder.offers[feature]
        if (
            offer.feature != NONE
            and n_typical > 0
            and offer.gain >= sum_of_gains / n_typical - SLACK
            and exceeds_by_tolerance(offer.ratio, best.ratio)
        ):
            best[0] = offer[0]


cdef void _offer(SplitFinder finder, index_t feature, Entry* entries, Entry* spare) noexcept nogil:
    """Put the feature's best split among the offers, with the feature NONE if there is none."""
    cdef index_t n_known = _sort_known(finder, feature, entries, spare)
    finder.offers[feature].feature = NONE
    if n_known < 2 or key_of(entries[0]) == key_of(entries[n_known - 1]):
        return
    if finder.n_categories[feature] > 0:
        _split_by_category(finder, feature, entries, n_known)
    else:
        _split_by_threshold(finder, feature, entries, n_known)


cdef index_t _sort_known(SplitFinder finder, index_t feature, Entry* entries, Entry* spare) noexcept nogil:
    """Write the entries of the rows whose value is known, sorted by value, and return their number.

    The weights of these rows are summed up by class, and those of the rows without a value altogether.
    """
    cdef index_t i, label, n_known = 0
    cdef bint looks = finder.has_missing[feature]
    cdef float64_t* counts = <float64_t*> finder.scan.total_counts
    finder.missing = finder.scan.total = 0.0
    for label in range(finder.n_classes):
        counts[label] = 0.0 if looks else finder.node_counts[label]
    for i in range(finder.n):
        if looks:
            if is_missing(finder.X[finder.rows[i], feature]):
                finder.missing += finder.weights[i]
                continue
            counts[finder.node_labels[i]] += finder.weights[i]
            finder.scan.total += finder.weights[i]
        entries[n_known] = packed(rank_at(finder.features, finder.rows[i], feature), i, entries[0])
        n_known += 1
    if not looks:
        finder.scan.total = finder.total
    sort_entries(entries, spare, n_known)
    return n_known


cdef inline bint _is_enough(float64_t weight, float64_t least) noexcept nogil:
    return not exceeds_by_tolerance(least, weight)


cdef void _keep_offer(
    SplitFinder finder, index_t feature, float64_t threshold, float64_t gain, index_t n_children
) noexcept nogil:
    """Offer a split whose children have the weights sizes[:n_children]."""
    cdef RatioSplit* offer = &finder.offers[feature]
    cdef float64_t information = 0.0, share
    cdef index_t child
    for child in range(n_children + 1):
        share = (finder.missing if child == n_children else finder.sizes[child]) / finder.total
        if share > 0.0:
            information -= share * log2(share)
    offer[0] = RatioSplit(feature, threshold, gain, gain / information if information > 0.0 else 0.0)


# ---------------------------------------------------------------------------------------------------------- categories

cdef void _split_by_category(SplitFinder finder, index_t feature, const Entry* entries, index_t n_known) noexcept nogil:
    """Offer the split into a child for every value, if at least two children have enough rows."""
    cdef index_t i, place, child = 0, n_children = 0, n_enough = 0
    cdef float64_t gain
    cdef float64_t* counts = finder.scan.left_counts
    # The rows of entries[:i] are in children of these sizes.
    for i in range(n_known):
        if i == 0 or key_of(entries[i]) != key_of(entries[i - 1]):
            finder.sizes[n_children] = 0.0
            n_children += 1
        finder.sizes[n_children - 1] += finder.weights[place_of(entries[i])]
    for child in range(n_children):
        n_enough += _is_enough(finder.sizes[child], finder.min_samples_leaf)
    if n_enough < 2:
        return
    gain = entropy_of_weights(&finder.scan, 0, finder.scan.total)
    memset(counts, 0, finder.n_classes * sizeof(float64_t))
    child = 0
    # `counts` are the class weights of one child: of its rows up to entries[i].
    for i in range(n_known):
        place = place_of(entries[i])
        counts[finder.node_labels[place]] += finder.weights[place]
        if i == n_known - 1 or key_of(entries[i]) != key_of(entries[i + 1]):
            gain -= finder.sizes[child] / finder.scan.total * entropy_of_weights(&finder.scan, 1, finder.sizes[child])
            memset(counts, 0, finder.n_classes * sizeof(float64_t))
            child += 1
    _keep_offer(finder, feature, NAN, finder.scan.total / finder.total * gain, n_children)


# ---------------------------------------------------------------------------------------------------------- thresholds

cdef void _split_by_threshold(
    SplitFinder finder, index_t feature, const Entry* entries, index_t n_known
) noexcept nogil:
    """Offer the threshold of the greatest gain, less the bits that it takes to say which threshold was chosen.

    Both sides must have enough rows. As in Quinlan's program, this is more if there are many rows and few classes.
    """
    cdef EntropySums* scan = &finder.scan
    cdef index_t i, place, last_left = NONE, n_thresholds = 0
    cdef float64_t gain, right_total, least = 0.1 * scan.total / finder.n_classes
    least = max(finder.min_samples_leaf, min(25.0, least))
    scan.node_impurity = entropy_of_weights(scan, 0, scan.total)
    start_sums(scan, n_known)
    memset(scan.left_counts, 0, finder.n_classes * sizeof(float64_t))
    scan.left_total = scan.left_sum = 0.0
    scan.right_sum = scan.total_sum
    # The rows of entries[:i] are on the left.
    for i in range(n_known - 1):
        place = place_of(entries[i])
        move_weight_left(scan, finder.node_labels[place], finder.weights[place])
        if key_of(entries[i]) == key_of(entries[i + 1]) or not _is_enough(scan.left_total, least):
            continue
        right_total = scan.total - scan.left_total
        if not _is_enough(right_total, least):
            break
        n_thresholds += 1
        # A cut whose sums are NaN does not stay below: its gain is computed.
        if stays_below(scan):
            continue
        gain = gain_of_entropies(
            scan, entropy_of_weights(scan, 1, scan.left_total), entropy_of_weights(scan, 2, right_total)
        )
        if not scan.has_best or exceeds_by_tolerance(gain, scan.best_score):
            scan.has_best = True
            scan.best_score = scan.to_reach = gain
            last_left = i
            finder.sizes[0] = scan.left_total
            finder.sizes[1] = right_total
    if last_left == NONE:
        return
    gain = scan.total / finder.total * scan.best_score - log2(<float64_t> n_thresholds) / finder.total
    if exceeds_by_tolerance(gain, 0.0):
        _keep_offer(
            finder, feature,
            threshold_between(
                finder.X[finder.rows[place_of(entries[last_left])], feature],
                finder.X[finder.rows[place_of(entries[last_left + 1])], feature],
            ),
            gain, 2,
        )
