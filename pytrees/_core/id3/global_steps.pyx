"""Global steps: splits of a leaf with labels of the children, judged by the clustering of the whole tree.

A step exchanges a leaf for its children, and moves the leaf's samples from the cluster of its label to the clusters of
the children's labels (F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Algorithm 3). While a leaf
is scanned, its samples are in no cluster. A side of a cut keeps its class counts and, for every cluster that it may
join, the inner sum of the cluster together with the side. Counts and sums change by one sample at a time.

*Comparison.* Steps are compared exactly: by whole numbers, by cross products of ratios, or by the sign of a sum of
fractions without their common terms. If the table of n log2 n cannot tell two entropies apart, the clusterings after
both steps are listed and compared as real numbers. A filter in floating point comes first: it drops a step whose score
is below the best score by more than rounding can explain.

*Ties.* Equally near steps are ordered by feature, threshold (missing values on the right, then on the left), leaf and
labels. If merits break ties, the step of the greatest merit within its leaf comes before all these (`local_distance`).
Most ties are cuts that change nothing, because both sides get the label of the leaf. Without merits the first such cut
of a leaf stands for all of them.

*Labels.* If all labels are tried, the best labels of both sides bound the score of a cut. Otherwise both sides get
their majorities; the children of a categorical split always do.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, NAN, ldexp
from libc.string cimport memcpy, memset

from pytrees._core.base.fractions cimport Term, TermSum, add_term, copy_terms, sign_of_sum
from pytrees._core.base.sorting cimport key_of, packed, place_of
from pytrees._core.base.types cimport NONE, UNDEFINED, float64_t, index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport sum_of_counts
from pytrees._core.criteria.labels cimport majority_of
from pytrees._core.criteria.logarithms cimport (
    SplitLogs, add_child_class, add_child_size, compare_information, forget_counts,
)
from pytrees._core.id3.distances cimport (
    DISTANCE_ACCURACY, DISTANCE_GAIN_RATIO, DISTANCE_GINI, DISTANCE_INFORMATION_GAIN, DISTANCE_JACCARD, DISTANCE_MAE,
    DISTANCE_NVI, DISTANCE_NVI_MAX, DISTANCE_VI, Clusters, DistanceCode, change_cluster, divides_by_joint, inner_sum,
    largest_term, log_margin_of, part, ratio_of_sums, sees_the_diagonal, sum_of_terms, takes_fractions,
    takes_logarithms, takes_ratio, term_of,
)
from pytrees._core.id3.local_distance cimport (
    LocalDistance, compare_merits, keep_merit, merit_of_categories, merit_of_cut, start_local_distance,
)
from pytrees._core.rows.features cimport is_categorical, threshold_between, value_at
from pytrees._core.rows.partition cimport Block, block_row, check_entries
from pytrees._core.split.node_search cimport NodeSearch

from pytrees._core.id3.distances import TERM

cdef enum:
    ENTRIES_OF_A_COMPARISON = 5000  # in exact numbers, for checks of signals


@cython.final
cdef class LeafScan:
    def __cinit__(
        self, Clusters clusters, NodeSearch search, bint all_labels, bint has_categories, LocalDistance local
    ):
        """The clusters are empty; the search has labels and weights by place. `local` is None if merits break no
        ties."""
        cdef index_t i, k = clusters.n_classes, n_terms = 4 * k + 4
        self.clusters = clusters
        self.partition = search.partition
        self.all_labels = all_labels
        self.min_samples_leaf = search.limits.min_samples_leaf
        self.form = search.counts.form
        self.labels = &search.wide_labels[0]
        self.weights = &search.place_counts[0] if search.place_counts.shape[0] > 0 else NULL
        self.leaf_sums, self.values = np.zeros(k, dtype=np.int64), np.zeros(k)
        n_rotated = search.partition.n_rows if search.partition.features.has_missing else 0
        self.rotated = np.empty(n_rotated, dtype=np.uint64)
        self.left_scores, self.right_scores, self.same_scores = np.zeros((3, k))
        self.local = local
        self.has_merits = local is not None
        self.counts = np.zeros((4, k), dtype=np.int64)
        self.left.counts, self.left.sums = &self.counts[0, 0], &self.counts[1, 0]
        self.right.counts, self.right.sums = &self.counts[2, 0], &self.counts[3, 0]
        # A step has at most 2 k + 1 terms; two steps are compared.
        self.terms = np.empty((3, n_terms), dtype=TERM)
        self.signs = np.empty((3, n_terms), dtype=np.intc)
        for i in range(3):
            self.term_sums[i].terms = &self.terms[i, 0]
            self.term_sums[i].signs = &self.signs[i, 0]
        self.changes = &self.term_sums[0]
        self.best_changes = &self.term_sums[1]
        self.difference = &self.term_sums[2]
        # A score sums a few rounded terms. The score of a categorical split sums up to 2 k + 1 terms, to about k.
        self.margin = ldexp(largest_term(self.clusters), -44)
        if has_categories:
            self.margin *= max(1.0, ldexp((k + 2.0) * (k + 2.0), -6))
            self.merged = np.zeros((k, k), dtype=np.int64)
            self.merged_totals, self.child_counts = np.zeros((2, k), dtype=np.int64)
        if takes_logarithms(clusters.code):
            self.margin += <float64_t> log_margin_of(clusters.code, clusters)
            self.log_counts = np.empty((2, k * k + k), dtype=np.int64)
            self.best_logs.joint, self.best_logs.sizes = &self.log_counts[0, 0], &self.log_counts[0, k * k]
            self.other_logs.joint, self.other_logs.sizes = &self.log_counts[1, 0], &self.log_counts[1, k * k]


# ------------------------------------------------------------------------------------------------------ a leaf's scan

cdef inline float64_t _value(DistanceCode code, float64_t ratio, Term term) noexcept nogil:
    """Return the value of a term: greater is nearer. For ratios the difference to `ratio` is linear in the value."""
    if takes_fractions(code):
        return <float64_t> term.a / <float64_t> term.b
    if takes_ratio(code):
        return ratio * <float64_t> term.b - <float64_t> term.a
    return -<float64_t> term.a


cdef inline void _value_clusters(DistanceCode code, LeafScan scan) noexcept nogil:
    """Write the values of the clusters without the leaf, and the part that the leaf adds to its label's cluster."""
    cdef index_t cluster
    for cluster in range(scan.clusters.n_classes):
        scan.values[cluster] = _value(code, scan.ratio, scan.clusters.terms[cluster])
    scan.offset = scan.values[scan.label] - _value(code, scan.ratio, scan.label_term)


cdef int start_leaf(LeafScan scan, index_t leaf, index_t label, int64_t* counts, const Block* block) except -1 nogil:
    """Begin with a leaf of this label and these class counts: take its samples out of the clusters."""
    cdef index_t cluster, k = scan.clusters.n_classes
    scan.leaf = leaf
    scan.label = label
    scan.block = block[0]
    scan.leaf_counts = counts
    scan.leaf_total = sum_of_counts(counts, k)
    scan.label_term = scan.clusters.terms[label]
    scan.sums = sum_of_terms(scan.clusters)
    scan.sees_first_cut = True
    change_cluster(scan.clusters, label, counts, -1)
    for cluster in range(k):
        if scan.all_labels or cluster == label:
            scan.leaf_sums[cluster] = inner_sum(scan.clusters.code, scan.clusters, cluster, counts)
    if not takes_ratio(scan.clusters.code):
        _value_clusters(scan.clusters.code, scan)
    if scan.has_merits:
        start_local_distance(scan.local, counts)


cdef inline void _start_filter(DistanceCode code, LeafScan scan, const Step* best) noexcept nogil:
    """Prepare the scores of steps, which `_score_to_reach` of the best step is compared with."""
    cdef float64_t of_classes = 0.0
    scan.ratio = 0.0
    scan.ratio_margin = scan.margin
    if takes_ratio(code) and best.leaf != NONE:
        scan.ratio = <float64_t> best.ratio.a / <float64_t> best.ratio.b
        # The margin of cross products (`_is_near`), divided by the denominator of the best ratio.
        scan.ratio_margin += (
            4.0 * <float64_t> log_margin_of(code, scan.clusters) * <float64_t> scan.clusters.table[scan.clusters.total]
            / <float64_t> best.ratio.b
        )
        if code == DISTANCE_NVI_MAX and best.ratio.b == scan.clusters.class_entropy:
            # A gain divided by the greater entropy exceeds the best ratio only if the gain divided by the entropy of
            # the classes does. The entropy of the classes is the same for all steps.
            of_classes = <float64_t> best.ratio.a
            scan.ratio = 0.0
    if takes_ratio(code):
        _value_clusters(code, scan)
        scan.offset += (
            <float64_t> (scan.clusters.class_entropy - scan.sums.a)
            - scan.ratio * <float64_t> (scan.clusters.table[scan.clusters.total] - scan.sums.b) - of_classes
        )
    if scan.has_merits:
        _score_same_labels(code, scan)


cdef inline void _score_same_labels(DistanceCode code, LeafScan scan) noexcept nogil:
    """Score the cuts that give both sides one label, by label."""
    cdef index_t label
    cdef Term term
    for label in range(scan.clusters.n_classes):
        if scan.all_labels or label == scan.label:
            term = term_of(
                code, scan.clusters, label, scan.leaf_sums[label], scan.clusters.cluster_sizes[label] + scan.leaf_total
            )
            scan.same_scores[label] = scan.offset + _value(code, scan.ratio, term) - scan.values[label]


cdef inline float64_t _score_to_reach(DistanceCode code, LeafScan scan, const Step* best) noexcept nogil:
    if best.leaf == NONE:
        return -INFINITY
    if takes_ratio(code):
        return -scan.ratio_margin
    if takes_fractions(code):
        return best.change - scan.margin
    return -<float64_t> best.cost - scan.margin


cdef inline void _start_sides(LeafScan scan) noexcept nogil:
    """Put all samples of the leaf on the right."""
    cdef Py_ssize_t size = scan.clusters.n_classes * sizeof(int64_t)
    memset(scan.left.counts, 0, size)
    memcpy(scan.right.counts, scan.leaf_counts, size)
    scan.left.total = 0
    scan.right.total = scan.leaf_total
    if scan.all_labels:
        memcpy(scan.left.sums, &scan.clusters.sums[0], size)
        memcpy(scan.right.sums, &scan.leaf_sums[0], size)
        return
    # A leaf's label is its majority unless all labels are tried.
    scan.left.majority = 0
    scan.left.sums[0] = scan.clusters.sums[0]
    scan.right.majority = scan.label
    scan.right.sums[scan.label] = scan.leaf_sums[scan.label]


cdef inline int64_t _change_of_sum(
    DistanceCode code, Clusters clusters, index_t cluster, index_t label, int64_t before, int64_t weight
) noexcept nogil:
    """Return the change of an inner sum if `weight` samples of a class join the side, which has `before` of them."""
    cdef int64_t count = clusters.counts[<Py_ssize_t> label * clusters.n_classes + cluster] + before
    if code == DISTANCE_GINI:
        return weight * (2 * count + weight)
    return part(code, clusters, cluster, label, count + weight) - part(code, clusters, cluster, label, count)


cdef inline void _move(
    DistanceCode code, bint all_labels, Clusters clusters, Side* side, index_t label, int64_t weight
) noexcept nogil:
    """Add `weight` samples of a class to a side; a negative weight takes them away."""
    cdef index_t cluster, majority
    cdef int64_t before = side.counts[label]
    side.counts[label] = before + weight
    side.total += weight
    if all_labels:
        if sees_the_diagonal(code):
            side.sums[label] += weight
            return
        for cluster in range(clusters.n_classes):
            side.sums[cluster] += _change_of_sum(code, clusters, cluster, label, before, weight)
        return
    majority = side.majority
    if weight > 0:
        if before + weight > side.counts[majority] or before + weight == side.counts[majority] and label < majority:
            majority = label
    elif label == majority:
        majority = majority_of(side.counts, clusters.n_classes)
    if majority == side.majority:
        side.sums[majority] += _change_of_sum(code, clusters, majority, label, before, weight)
    else:
        side.majority = majority
        side.sums[majority] = inner_sum(code, clusters, majority, side.counts)


# ------------------------------------------------------------------------------------------------------------- a step

cdef inline Term _term(DistanceCode code, LeafScan scan, const Side* side, index_t cluster) noexcept nogil:
    return term_of(code, scan.clusters, cluster, side.sums[cluster], scan.clusters.cluster_sizes[cluster] + side.total)


cdef inline void _join(
    DistanceCode code, LeafScan scan, index_t cluster, int64_t inner, int64_t n_samples
) noexcept nogil:
    """Exchange the term of a cluster that `n_samples` of the leaf join; `inner` is its inner sum with them. The old
    term of the label's cluster, with the whole leaf, is exchanged elsewhere."""
    add_term(
        scan.changes, term_of(code, scan.clusters, cluster, inner, scan.clusters.cluster_sizes[cluster] + n_samples), 1
    )
    if cluster != scan.label:
        add_term(scan.changes, scan.clusters.terms[cluster], -1)


cdef inline void _collect(DistanceCode code, LeafScan scan, index_t left_label, index_t right_label) noexcept nogil:
    """List the terms that come and go if the sides of the cut get these labels."""
    scan.changes.n_terms = 0
    add_term(scan.changes, scan.label_term, -1)
    if left_label == right_label:
        _join(code, scan, left_label, scan.leaf_sums[left_label], scan.leaf_total)
    else:
        _join(code, scan, left_label, scan.left.sums[left_label], scan.left.total)
        _join(code, scan, right_label, scan.right.sums[right_label], scan.right.total)
    if scan.label != left_label and scan.label != right_label:
        add_term(scan.changes, scan.clusters.terms[scan.label], 1)


cdef inline void _judge(DistanceCode code, LeafScan scan, Step* step) noexcept nogil:
    """Add up the listed terms."""
    cdef index_t i
    cdef Term total = Term(0, 0), term
    step.change = 0.0
    for i in range(scan.changes.n_terms):
        term = scan.changes.terms[i]
        if takes_fractions(code):
            step.change += scan.changes.signs[i] * (<float64_t> term.a / <float64_t> term.b)
        else:
            total.a += scan.changes.signs[i] * term.a
            total.b += scan.changes.signs[i] * term.b
    if takes_ratio(code):
        step.ratio = ratio_of_sums(code, scan.clusters, scan.sums.a + total.a, scan.sums.b + total.b)
    step.cost = total.a


cdef inline bint _is_near(
    DistanceCode code, LeafScan scan, int128_t difference, const Step* step, const Step* best
) noexcept nogil:
    """Whether the rounded table of n log2 n can explain this difference of cross products of two ratios."""
    cdef int128_t margin = log_margin_of(code, scan.clusters)
    # A tree of one label gains nothing: its ratio is 0 / 1.
    if best.ratio.b > 1 and step.ratio.b > 1:
        margin *= <int128_t> step.ratio.a + step.ratio.b + best.ratio.a + best.ratio.b
    return -margin <= difference <= margin


cdef inline bint _changes_nothing(LeafScan scan, const Step* step) noexcept nogil:
    """Whether a step of the leaf that is scanned leaves all of its samples in their cluster."""
    return step.left_label == scan.label and step.right_label == scan.label


cdef int _compare_logs(LeafScan scan, const Step* step, const Step* best) except -2 nogil:
    """Compare two steps by entropies as real numbers. If `best` is no step, `step` is the best step, and is compared
    with the tree as it is."""
    cdef SplitLogs* after = &scan.best_logs if best.leaf == NONE else &scan.other_logs
    cdef SplitLogs* other = &scan.other_logs if best.leaf == NONE else &scan.best_logs
    check_entries(scan.partition, ENTRIES_OF_A_COMPARISON)
    # Most ties are steps that change no cluster.
    if scan.best_changes_nothing and (best.leaf == NONE or _changes_nothing(scan, step)):
        return 0
    _list_clusters(scan, best if best.leaf == NONE else step, &scan.other_logs)
    return compare_information(
        scan.form, &scan.clusters.class_sizes[0], scan.clusters.n_classes, after, other
    )


cdef void _list_clusters(LeafScan scan, const Step* step, SplitLogs* logs) noexcept nogil:
    """List the class counts of the clusters after a step of the leaf that is scanned. Without a step (its leaf is NONE)
    no leaf is scanned, and the clusters are listed as they are."""
    cdef index_t cluster, label, k = scan.clusters.n_classes
    cdef int64_t count, size
    forget_counts(logs)
    for cluster in range(k):
        size = 0
        for label in range(k):
            count = scan.clusters.counts[<Py_ssize_t> label * k + cluster]
            if step.split.n_children > 2:
                count += scan.merged[cluster, label]
            if step.left_label == cluster:
                count += scan.left.counts[label]
            if step.right_label == cluster:
                count += scan.right.counts[label]
            add_child_class(logs, count)
            size += count
        add_child_size(logs, size)


cdef inline int _compare_steps(
    DistanceCode code, LeafScan scan, const Step* step, const TermSum* changes, const Step* best,
    const TermSum* best_changes
) except -2 nogil:
    """Return 1 if the step comes nearer than the best step, 0 if both are equally near, otherwise -1."""
    cdef index_t i
    cdef int64_t margin
    cdef int128_t left, right
    if takes_ratio(code):
        left = <int128_t> step.ratio.a * best.ratio.b
        right = <int128_t> best.ratio.a * step.ratio.b
        if _is_near(code, scan, left - right, step, best):
            return _compare_logs(scan, step, best)
        return (left > right) - (left < right)
    if not takes_fractions(code):
        margin = log_margin_of(code, scan.clusters)
        if takes_logarithms(code) and -margin <= step.cost - best.cost <= margin:
            return _compare_logs(scan, step, best)
        return (step.cost < best.cost) - (step.cost > best.cost)
    if step.change > best.change + scan.margin:
        return 1
    if step.change < best.change - scan.margin:
        return -1
    copy_terms(scan.difference, changes)
    for i in range(best_changes.n_terms):
        add_term(scan.difference, best_changes.terms[i], -best_changes.signs[i])
    return sign_of_sum(scan.difference)


cdef int compare_to_present(LeafScan scan, const Step* best) except -2 nogil:
    """Return 1 if the best step brings the whole tree nearer, 0 if the tree stays as near as it is, otherwise -1."""
    cdef Step now
    cdef TermSum nothing
    nothing.n_terms = 0
    now.leaf = now.left_label = now.right_label = NONE
    now.split.n_children = 0
    now.cost = 0
    now.change = 0.0
    if takes_ratio(scan.clusters.code):
        now.ratio = sum_of_terms(scan.clusters)
        now.ratio = ratio_of_sums(scan.clusters.code, scan.clusters, now.ratio.a, now.ratio.b)
    return _compare_steps(scan.clusters.code, scan, best, scan.best_changes, &now, &nothing)


cdef inline Step _new_step(LeafScan scan, index_t n_children, index_t left_label, index_t right_label) noexcept nogil:
    cdef Step step
    step.leaf = scan.leaf
    step.left_label = left_label
    step.right_label = right_label
    step.split.feature = scan.feature
    step.split.n_children = n_children
    step.split.division = NONE
    step.split.is_large = step.split.knows_left = False
    step.split.gain.value = NAN
    step.split.n_left = 0
    step.split.n_missing = scan.n_missing
    step.split.n_missing_left = scan.n_missing_left
    step.split.last_left = step.split.first_right = NONE
    step.split.threshold = UNDEFINED
    return step


cdef int _compare_ties(LeafScan scan, Step* step, const Step* best, int order) except -2 nogil:
    """Write the merit of a step that is not worse than the best step, and compare both: 1, 0 or -1."""
    if step.split.n_children > 2:
        merit_of_categories(
            scan.local, scan.entries, scan.n_entries, step.split.n_children, scan.labels, scan.weights, &step.merit
        )
    else:
        merit_of_cut(scan.local, scan.left.counts, scan.right.counts, &step.merit)
    return order if order > 0 else compare_merits(scan.local, &step.merit, &best.merit)


cdef inline bint _comes_before(const Step* step, const Step* best) noexcept nogil:
    """Whether `step` wins a tie with `best`, a step of the same leaf or of a leaf further left."""
    return is_lower(step, best) or not is_lower(best, step) and step.leaf == best.leaf and (
        step.left_label < best.left_label
        or step.left_label == best.left_label and step.right_label < best.right_label
    )


cdef inline int _offer(DistanceCode code, LeafScan scan, Step* step, Step* best) except -1 nogil:
    """Keep the step, whose terms are listed, if it comes nearer than the best step. Ties go to the greatest merit, if
    merits break ties, then to the lowest feature, threshold, missing values on the right, leaf and labels. Leaves are
    scanned from the left."""
    cdef int order = 1
    _judge(code, scan, step)
    if best.leaf != NONE:
        order = _compare_steps(code, scan, step, scan.changes, best, scan.best_changes)
    if scan.has_merits and order >= 0:
        order = _compare_ties(scan, step, best, order)
    if order < 0 or order == 0 and step.split.feature > best.split.feature:
        return 0
    if not scan.is_categorical:
        step.split.first_right = place_of(scan.entries[step.split.n_left])
        step.split.threshold = threshold_between(
            value_at(
                scan.partition.features, block_row(scan.partition, scan.block, step.split.last_left), scan.feature
            ),
            value_at(
                scan.partition.features, block_row(scan.partition, scan.block, step.split.first_right), scan.feature
            ),
        )
    if order == 0 and step.split.feature == best.split.feature and not _comes_before(step, best):
        return 0
    best[0] = step[0]
    copy_terms(scan.best_changes, scan.changes)
    if takes_logarithms(code):
        scan.best_changes_nothing = _changes_nothing(scan, step)
        _list_clusters(scan, step, &scan.best_logs)
    if scan.has_merits:
        keep_merit(scan.local)


# ------------------------------------------------------------------------------------------------------------ the cuts

cdef inline int _offer_cut(
    DistanceCode code, LeafScan scan, index_t n_left, index_t left_label, index_t right_label, Step* best
) except -1 nogil:
    cdef Step step = _new_step(scan, 2, left_label, right_label)
    step.split.n_left = n_left
    step.split.last_left = place_of(scan.entries[n_left - 1])
    _collect(code, scan, left_label, right_label)
    return _offer(code, scan, &step, best)


cdef inline float64_t _score(DistanceCode code, LeafScan scan, const Side* side, index_t cluster) noexcept nogil:
    return _value(code, scan.ratio, _term(code, scan, side, cluster)) - scan.values[cluster]


cdef inline int _offer_majorities(DistanceCode code, LeafScan scan, index_t n_left, Step* best) except -1 nogil:
    cdef index_t left_label = scan.left.majority, right_label = scan.right.majority
    cdef float64_t score = scan.offset
    if left_label == right_label:
        # If both sides keep the label, nothing changes: without merits the first such cut of the leaf stands for all.
        if not scan.sees_first_cut:
            return 0
        if scan.has_merits and scan.same_scores[left_label] < _score_to_reach(code, scan, best):
            return 0
        scan.sees_first_cut = scan.has_merits
    else:
        score += _score(code, scan, &scan.left, left_label) + _score(code, scan, &scan.right, right_label)
        if score < _score_to_reach(code, scan, best):
            return 0
    return _offer_cut(code, scan, n_left, left_label, right_label, best)


cdef inline int _offer_all_labels(DistanceCode code, LeafScan scan, index_t n_left, Step* best) except -1 nogil:
    cdef index_t left_label, right_label, k = scan.clusters.n_classes
    cdef float64_t best_left = -INFINITY, best_right = -INFINITY, wanted = _score_to_reach(code, scan, best)
    if scan.sees_first_cut:
        # If both sides get one label, all cuts of the leaf are equal: without merits the first one stands for all.
        scan.sees_first_cut = scan.has_merits
        for left_label in range(k):
            if scan.has_merits and scan.same_scores[left_label] < wanted:
                continue
            _offer_cut(code, scan, n_left, left_label, left_label, best)
    for left_label in range(k):
        scan.left_scores[left_label] = scan.offset + _score(code, scan, &scan.left, left_label)
        scan.right_scores[left_label] = _score(code, scan, &scan.right, left_label)
        best_left = max(best_left, scan.left_scores[left_label])
        best_right = max(best_right, scan.right_scores[left_label])
    if best_left + best_right < wanted:
        return 0
    for left_label in range(k):
        if scan.left_scores[left_label] + best_right < wanted:
            continue
        for right_label in range(k):
            if left_label != right_label and scan.left_scores[left_label] + scan.right_scores[right_label] >= wanted:
                _offer_cut(code, scan, n_left, left_label, right_label, best)


cdef inline int _scan_cuts(DistanceCode code, bint all_labels, LeafScan scan, Step* best) except -1 nogil:
    cdef index_t i, label
    cdef int64_t weight = 1
    cdef const uint64_t* entries = scan.entries
    _start_filter(code, scan, best)
    _start_sides(scan)
    # The samples of entries[:i + 1] are on the left.
    for i in range(scan.n_entries - scan.min_samples_leaf):
        label = scan.labels[place_of(entries[i])]
        if scan.weights != NULL:
            weight = scan.weights[place_of(entries[i])]
        _move(code, all_labels, scan.clusters, &scan.left, label, weight)
        _move(code, all_labels, scan.clusters, &scan.right, label, -weight)
        if key_of(entries[i]) == key_of(entries[i + 1]) or i + 1 < scan.min_samples_leaf:
            continue
        if all_labels:
            check_entries(scan.partition, <int64_t> scan.clusters.n_classes * scan.clusters.n_classes)
            _offer_all_labels(code, scan, i + 1, best)
        else:
            _offer_majorities(code, scan, i + 1, best)


cdef inline int _offer_cuts(DistanceCode code, LeafScan scan, Step* best) except -1 nogil:
    if scan.all_labels:
        return _scan_cuts(code, True, scan, best)
    return _scan_cuts(code, False, scan, best)


cdef int offer_splits(
    LeafScan scan, const uint64_t* entries, index_t n, index_t n_missing, index_t feature, index_t n_children,
    Step* best
) except -1 nogil:
    """Offer every valid cut of a feature of the leaf, or its split into more than two children. The last n_missing of
    the sorted entries lack the value; they go to the right of the cuts first, then to the left."""
    cdef DistanceCode code = scan.clusters.code
    scan.feature = feature
    scan.is_categorical = is_categorical(scan.partition.features, feature)
    scan.entries = entries
    scan.n_entries = n
    scan.n_missing = n_missing
    scan.n_missing_left = 0
    if n_children > 2:
        return _offer_categories(code, scan, n_children, best)
    _offer_all_cuts(code, scan, best)
    if n_missing > 0:
        _put_missing_first(scan)
        _offer_all_cuts(code, scan, best)


cdef inline void _put_missing_first(LeafScan scan) noexcept nogil:
    """Put the samples that lack the value first, under the least key of the known values, so that no cut divides them.
    Offers may come in any order, except for the first cut, which may stand for all cuts of the leaf."""
    cdef index_t i, n_known = scan.n_entries - scan.n_missing
    cdef uint64_t* rotated = &scan.rotated[0]
    for i in range(scan.n_missing):
        rotated[i] = packed(key_of(scan.entries[0]), place_of(scan.entries[n_known + i]), scan.entries[0])
    memcpy(rotated + scan.n_missing, scan.entries, n_known * sizeof(uint64_t))
    scan.entries = rotated
    scan.n_missing_left = scan.n_missing
    scan.sees_first_cut = True


cdef int _offer_all_cuts(DistanceCode code, LeafScan scan, Step* best) except -1 nogil:
    """Offer the cuts of the entries as they stand. The distance's code and `all_labels` become constants here, so that
    the loops over cuts are compiled for each of them."""
    if code == DISTANCE_INFORMATION_GAIN:
        return _offer_cuts(DISTANCE_INFORMATION_GAIN, scan, best)
    if code == DISTANCE_GAIN_RATIO:
        return _offer_cuts(DISTANCE_GAIN_RATIO, scan, best)
    if divides_by_joint(code):
        return _offer_cuts(DISTANCE_NVI, scan, best)
    if code == DISTANCE_NVI_MAX:
        return _offer_cuts(DISTANCE_NVI_MAX, scan, best)
    if code == DISTANCE_VI:
        return _offer_cuts(DISTANCE_VI, scan, best)
    if code == DISTANCE_GINI:
        return _offer_cuts(DISTANCE_GINI, scan, best)
    if code == DISTANCE_JACCARD:
        return _offer_cuts(DISTANCE_JACCARD, scan, best)
    if code == DISTANCE_ACCURACY:
        return _offer_cuts(DISTANCE_ACCURACY, scan, best)
    if code == DISTANCE_MAE:
        return _offer_cuts(DISTANCE_MAE, scan, best)
    with gil:
        raise ValueError(f"Unknown distance code {code}.")


# ------------------------------------------------------------------------------------------------------ the categories

cdef inline void _merge_children(LeafScan scan) noexcept nogil:
    """Add the class counts of every child to the label of its majority."""
    cdef index_t i, label, majority, k = scan.clusters.n_classes
    cdef int64_t weight = 1
    cdef const uint64_t* entries = scan.entries
    memset(&scan.merged[0, 0], 0, <Py_ssize_t> k * k * sizeof(int64_t))
    memset(&scan.merged_totals[0], 0, k * sizeof(int64_t))
    # `child_counts` count the samples of entries[:i] that have the value of entries[i].
    for i in range(scan.n_entries):
        if scan.weights != NULL:
            weight = scan.weights[place_of(entries[i])]
        scan.child_counts[scan.labels[place_of(entries[i])]] += weight
        if i + 1 < scan.n_entries and key_of(entries[i]) == key_of(entries[i + 1]):
            continue
        majority = majority_of(&scan.child_counts[0], k)
        for label in range(k):
            scan.merged[majority, label] += scan.child_counts[label]
            scan.merged_totals[majority] += scan.child_counts[label]
            scan.child_counts[label] = 0


cdef int _offer_categories(DistanceCode code, LeafScan scan, index_t n_children, Step* best) except -1 nogil:
    """Offer the split into a child for every category of the feature; children get their majorities as labels."""
    cdef Step step = _new_step(scan, n_children, NONE, NONE)
    cdef index_t label, k = scan.clusters.n_classes
    cdef int64_t inner
    _merge_children(scan)
    scan.changes.n_terms = 0
    add_term(scan.changes, scan.label_term, -1)
    for label in range(k):
        if scan.merged_totals[label] > 0:
            inner = inner_sum(code, scan.clusters, label, &scan.merged[label, 0])
            _join(code, scan, label, inner, scan.merged_totals[label])
        elif label == scan.label:
            add_term(scan.changes, scan.clusters.terms[label], 1)
    return _offer(code, scan, &step, best)
