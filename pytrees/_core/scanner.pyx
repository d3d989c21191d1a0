"""Best split of one node: which features, which cuts, and the loop over the cuts of a feature."""

import numpy as np

cimport cython

from pytrees._core.criteria cimport (
    CountCriterion,
    Entropy,
    Gini,
    WeightedImpurity,
    exact_gain,
    is_greater_gain,
)
from pytrees._core.partition cimport Entry, RowPartition
from pytrees._core.sequence_scanner cimport FeatureOrders, SequenceScanner, find_cut
from pytrees._core.types cimport ETC, GINI, NONE, index_t, int64_t, uint64_t, uint128_t

from pytrees._core import criteria


@cython.final
cdef class Scanner(FeatureOrders):
    def __cinit__(
        self, RowPartition partition, labels, weights, index_t n_classes, criterion, index_t min_samples_leaf,
        index_t max_candidates, index_t max_features, index_t n_threads,
    ):
        cdef Py_ssize_t i
        self.partition = partition
        self.code = criteria.CODES[criterion]
        self.labels = labels
        if len(labels) != partition.n_rows or weights is not None and len(weights) != partition.n_rows:
            raise ValueError(f"Labels and weights must have {partition.n_rows} rows, as X has.")
        if self.code == ETC and weights is not None:
            raise ValueError("A label sequence has no weights.")
        for i in range(partition.n_rows):
            if not 0 <= self.labels[i] < n_classes:
                raise ValueError(f"Class code {self.labels[i]} of row {i} is outside 0..{n_classes - 1}.")
        self.count_weights = np.empty(0, dtype=np.int64)
        self.float_weights = np.empty(0, dtype=np.float64)
        if weights is not None and weights.dtype == np.float64:
            self.float_weights = weights
        elif weights is not None:
            self.count_weights = weights
        self.min_samples_leaf = min_samples_leaf
        self.max_candidates = max_candidates
        self.max_features = max_features
        if self.code == ETC:
            self.sequences = SequenceScanner(partition.n_rows, partition.n_features, n_classes, n_threads)
            self.place_of_row = np.empty(partition.n_rows, dtype=np.int32)
        elif self.float_weights.shape[0] > 0:
            self.weighted = WeightedImpurity(n_classes, self.code)
        elif self.code == GINI:
            self.gini = Gini(n_classes)
        else:
            self.entropy = Entropy(n_classes, partition.n_rows if weights is None else weights.sum())
        self.drawn = np.empty(partition.n_features, dtype=np.int32)
        self.is_drawn = np.empty(partition.n_features, dtype=np.uint8)

    cdef index_t read(self, index_t feature, index_t* order, index_t* cuts) noexcept nogil:
        cdef const Entry* entries = &self.partition.entries[feature, 0]
        cdef Cuts allowed = _allowed_cuts(self, feature, self.start, self.stop)
        cdef index_t i, n_cuts = 0
        if allowed.n_allowed == 0:
            return 0
        for i in range(self.start, self.stop):
            order[i - self.start] = self.place_of_row[entries[i].row]
        for i in range(self.start + self.min_samples_leaf - 1, self.stop - self.min_samples_leaf):
            if entries[i].rank != entries[i + 1].rank and _is_tried(&allowed):
                cuts[n_cuts] = i + 1 - self.start
                n_cuts += 1
        return n_cuts


cdef bint is_pure(Scanner scanner, index_t start, index_t stop) noexcept nogil:
    cdef index_t i, label = scanner.labels[scanner.partition.rows[start]]
    for i in range(start + 1, stop):
        if scanner.labels[scanner.partition.rows[i]] != label:
            return False
    return True


cdef int find_split(Scanner scanner, index_t start, index_t stop, uint64_t random_state, Split* best) except -1 nogil:
    """Write the best split of the node's rows to `best`; of equal ones that of the lowest feature, then threshold."""
    cdef index_t feature
    cdef Cuts cuts
    cdef Split split
    best.feature = NONE
    _draw_features(scanner, start, stop, random_state)
    if scanner.code == ETC:
        _find_sequence_split(scanner, start, stop, best)
        return 0
    _start_node(scanner, start, stop)
    for feature in range(<index_t> scanner.partition.n_features):
        if not scanner.is_drawn[feature]:
            continue
        cuts = _allowed_cuts(scanner, feature, start, stop)
        if cuts.n_allowed == 0:
            continue
        split.feature = feature
        split.n_left = 0
        if scanner.gini is not None:
            _scan_counts(scanner, scanner.gini, feature, start, stop, cuts, &split)
        elif scanner.entropy is not None:
            _scan_counts(scanner, scanner.entropy, feature, start, stop, cuts, &split)
        else:
            _scan_counts(scanner, scanner.weighted, feature, start, stop, cuts, &split)
        if split.n_left == 0:
            continue
        if best.feature == NONE or is_greater_gain(&split.gain, &best.gain):
            best[0] = split
    return 0


# ------------------------------------------------------------------------------------------------ which features

cdef uint64_t mix64(uint64_t state) noexcept nogil:
    """The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state = (state ^ (state >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    state = (state ^ (state >> 27)) * <uint64_t> 0x94D049BB133111EB
    return state ^ (state >> 31)


cdef void _draw_features(Scanner scanner, index_t start, index_t stop, uint64_t random_state) noexcept nogil:
    """Draw max_features features without replacement, and further ones until one has an allowed cut."""
    cdef index_t i, chosen, feature, n_features = <index_t> scanner.partition.n_features
    cdef bint has_cut = False
    if scanner.max_features >= n_features:
        scanner.is_drawn[:] = True
        return
    for i in range(n_features):
        scanner.drawn[i] = i
        scanner.is_drawn[i] = False
    # drawn[:i] are the features drawn so far, drawn[i:] the others.
    for i in range(n_features):
        if i >= scanner.max_features and has_cut:
            break
        random_state += <uint64_t> 0x9E3779B97F4A7C15
        chosen = i + <index_t> ((<uint128_t> mix64(random_state) * <uint64_t> (n_features - i)) >> 64)
        feature = scanner.drawn[chosen]
        scanner.drawn[chosen] = scanner.drawn[i]
        scanner.drawn[i] = feature
        scanner.is_drawn[feature] = True
        has_cut = has_cut or _allowed_cuts(scanner, feature, start, stop).n_allowed > 0


# ---------------------------------------------------------------------------------------------------- which cuts

cdef Cuts _allowed_cuts(Scanner scanner, index_t feature, index_t start, index_t stop) noexcept nogil:
    """Cuts lie between different neighbouring values and leave min_samples_leaf rows on both sides."""
    cdef index_t i
    cdef Cuts cuts
    cuts.n_allowed = 0
    cuts.n_seen = 0
    cuts.n_taken = 0
    for i in range(start + scanner.min_samples_leaf - 1, stop - scanner.min_samples_leaf):
        cuts.n_allowed += (
            scanner.partition.entries[feature, i].rank != scanner.partition.entries[feature, i + 1].rank
        )
    cuts.n_tried = min(cuts.n_allowed, scanner.max_candidates)
    return cuts


cdef inline bint _is_tried(Cuts* cuts) noexcept nogil:
    """Whether to try the next allowed cut: number (2k + 1) n_allowed // (2 n_tried) for k = 0..n_tried-1."""
    cdef int64_t target = (2 * <int64_t> cuts.n_taken + 1) * cuts.n_allowed // (2 * <int64_t> cuts.n_tried)
    cdef bint tried = cuts.n_seen == target
    cuts.n_seen += 1
    cuts.n_taken += tried
    return tried


# ----------------------------------------------------------------------------------------------------- the scans

cdef void _start_node(Scanner scanner, index_t start, index_t stop) noexcept nogil:
    if scanner.gini is not None:
        _count_node(scanner, scanner.gini, start, stop)
    elif scanner.entropy is not None:
        _count_node(scanner, scanner.entropy, start, stop)
    else:
        _count_node(scanner, scanner.weighted, start, stop)


cdef void _count_node(Scanner scanner, CountCriterion criterion, index_t start, index_t stop) noexcept nogil:
    cdef index_t i, row
    criterion.start_node()
    for i in range(start, stop):
        row = scanner.partition.rows[i]
        if CountCriterion is WeightedImpurity:
            criterion.add(scanner.labels[row], scanner.float_weights[row])
        else:
            criterion.add(scanner.labels[row], _count_weight(scanner, row))


cdef inline int64_t _count_weight(Scanner scanner, index_t row) noexcept nogil:
    return 1 if scanner.count_weights.shape[0] == 0 else scanner.count_weights[row]


cdef void _scan_counts(
    Scanner scanner, CountCriterion criterion, index_t feature, index_t start, index_t stop, Cuts cuts, Split* split
) noexcept nogil:
    cdef const Entry* entries = &scanner.partition.entries[feature, 0]
    cdef index_t i, row
    cdef bint tries_all = cuts.n_tried == cuts.n_allowed
    criterion.start_feature()
    # The criterion has moved the rows of entries[start:i + 1] to the left, in this order.
    for i in range(start, stop - scanner.min_samples_leaf):
        row = entries[i].row
        if CountCriterion is WeightedImpurity:
            criterion.move_left(scanner.labels[row], scanner.float_weights[row])
        else:
            criterion.move_left(scanner.labels[row], _count_weight(scanner, row))
        if entries[i].rank == entries[i + 1].rank or i + 1 - start < scanner.min_samples_leaf:
            continue
        if (tries_all or _is_tried(&cuts)) and criterion.offer():
            split.n_left = i + 1 - start
    split.gain = criterion.best_gain()


cdef int _find_sequence_split(Scanner scanner, index_t start, index_t stop, Split* best) except -1 nogil:
    cdef index_t i, feature, n_features = 0
    scanner.start = start
    scanner.stop = stop
    for i in range(start, stop):
        scanner.place_of_row[scanner.partition.rows[i]] = i - start
        scanner.sequences.labels[i - start] = scanner.labels[scanner.partition.rows[i]]
    for feature in range(<index_t> scanner.partition.n_features):
        if scanner.is_drawn[feature]:
            scanner.sequences.features[n_features] = feature
            n_features += 1
    find_cut(scanner.sequences, scanner, stop - start, n_features, scanner.max_candidates)
    best.feature = scanner.sequences.best.feature
    best.n_left = scanner.sequences.best.n_left
    best.gain = exact_gain(
        (<int64_t> stop - start) * scanner.sequences.node_effort - scanner.sequences.best.cost, 1, stop - start
    )
    return 0
