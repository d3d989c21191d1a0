"""Global evaluation: the cuts of a leaf and the labels of their sides, judged by the whole tree's clustering."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from pytrees._core.growth.distances cimport (
    Clusters,
    change_cluster,
    inner_sum,
    part,
    ratio_of_sums,
    sees_the_diagonal,
    sum_of_terms,
    takes_fractions,
    takes_ratio,
    term_of,
)
from pytrees._core.base.exact_sums cimport Term, TermSum, add_term, copy_terms, sign_of_sum
from pytrees._core.rows.partition cimport Block, RowPartition, block_row, threshold_between
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport (NONE, UNDEFINED, float64_t, index_t, int64_t, int128_t, uint64_t)
from pytrees._core.split.scan cimport (ACCURACY, ENTROPY, GAIN_RATIO, GINI, JACCARD, MAE, NVI, CriterionCode)


cdef struct Step:
    # A split of a leaf, and the labels of its two children; NONE of more, which take their majorities.
    index_t leaf, feature       # NONE where there is none
    index_t n_children
    index_t n_left, last_left, left_label, right_label
    float64_t threshold         # UNDEFINED of a categorical split
    # How the whole tree's distance changes: by a whole number, to a ratio, or about by a number, exactly by a sum.
    int64_t cost
    Term ratio
    float64_t change


cdef struct Side:
    # The rows on one side of the cut, and the inner sums of the clusters with them: of all, or of their majority's.
    int64_t* counts
    int64_t* sums
    int64_t total
    index_t majority


cdef struct LeafScan:
    # While a leaf is scanned, `clusters` do not hold its rows.
    Clusters* clusters
    bint all_labels, is_categorical     # the latter of the feature that is scanned
    index_t leaf, label, min_samples_leaf
    int64_t* leaf_counts
    int64_t* leaf_sums          # inner sums of clusters with all rows of the leaf
    int64_t leaf_total
    Term label_term             # of the label's cluster, with the leaf
    Term sums                   # of the whole tree, with the leaf; not for fractions
    Side left, right
    # The filter in floating point: a step of a lower score than the best one's, less the margin, is worse.
    float64_t ratio, offset, margin
    float64_t* values           # of the clusters' terms
    float64_t* left_scores
    float64_t* right_scores
    const index_t* labels       # by place
    const int64_t* weights      # by place; NULL where every row counts once
    bint sees_first_cut         # of those at which both sides get one label
    # Scratch of a categorical split, by majority: the rows of the children that have it, by class, and in all.
    int64_t* merged
    int64_t* merged_totals
    int64_t* child_counts
    # How a step, and the best one, change a sum of fractions; and scratch for what they differ by.
    TermSum* changes
    TermSum* best_changes
    TermSum* difference


# ------------------------------------------------------------------------------------------------------ a leaf's scan

cdef inline float64_t _value(CriterionCode code, float64_t ratio, Term term) noexcept nogil:
    """The more, the nearer; of ratios: in which the difference to this ratio is linear."""
    if takes_fractions(code):
        return <float64_t> term.a / <float64_t> term.b
    if takes_ratio(code):
        return ratio * <float64_t> term.b - <float64_t> term.a
    return -<float64_t> term.a


cdef inline void start_leaf(LeafScan* scan, index_t leaf, index_t label, int64_t* counts) noexcept nogil:
    """Take the leaf's rows out of the clusters."""
    cdef Clusters* clusters = scan.clusters
    cdef index_t cluster, k = clusters.n_classes
    scan.leaf = leaf
    scan.label = label
    scan.leaf_counts = counts
    scan.leaf_total = 0
    for cluster in range(k):
        scan.leaf_total += counts[cluster]
    scan.label_term = clusters.terms[label]
    scan.sums = sum_of_terms(clusters)
    scan.sees_first_cut = True
    change_cluster(clusters, label, counts, -1)
    for cluster in range(k):
        if scan.all_labels or cluster == label:
            scan.leaf_sums[cluster] = inner_sum(clusters.code, clusters, cluster, counts)


cdef inline void end_leaf(LeafScan* scan) noexcept nogil:
    change_cluster(scan.clusters, scan.label, scan.leaf_counts, 1)


cdef inline void _start_filter(CriterionCode code, LeafScan* scan, const Step* best) noexcept nogil:
    """For a best step of which the score is what `_score_to_reach` says."""
    cdef Clusters* clusters = scan.clusters
    cdef index_t cluster
    cdef Term now
    scan.ratio = 0.0
    if takes_ratio(code) and best.leaf != NONE:
        scan.ratio = <float64_t> best.ratio.a / <float64_t> best.ratio.b
    for cluster in range(clusters.n_classes):
        scan.values[cluster] = _value(code, scan.ratio, clusters.terms[cluster])
    scan.offset = scan.values[scan.label] - _value(code, scan.ratio, scan.label_term)
    if takes_ratio(code):
        now = scan.sums
        scan.offset += (
            <float64_t> (clusters.class_entropy - now.a)
            - scan.ratio * <float64_t> (clusters.table[clusters.total] - now.b)
        )


cdef inline float64_t _score_to_reach(CriterionCode code, const LeafScan* scan, const Step* best) noexcept nogil:
    if best.leaf == NONE:
        return -INFINITY
    if takes_ratio(code):
        return -scan.margin
    if takes_fractions(code):
        return best.change - scan.margin
    return -<float64_t> best.cost - scan.margin


cdef inline void _start_sides(CriterionCode code, LeafScan* scan) noexcept nogil:
    """All rows on the right."""
    cdef Clusters* clusters = scan.clusters
    cdef Py_ssize_t size = clusters.n_classes * sizeof(int64_t)
    memset(scan.left.counts, 0, size)
    memcpy(scan.right.counts, scan.leaf_counts, size)
    scan.left.total = 0
    scan.right.total = scan.leaf_total
    if scan.all_labels:
        memcpy(scan.left.sums, clusters.sums, size)
        memcpy(scan.right.sums, scan.leaf_sums, size)
        return
    # Without labels of the user's choice a leaf's label is its majority.
    scan.left.majority = 0
    scan.left.sums[0] = clusters.sums[0]
    scan.right.majority = scan.label
    scan.right.sums[scan.label] = scan.leaf_sums[scan.label]


cdef inline int64_t _step(
    CriterionCode code, const Clusters* clusters, index_t cluster, index_t label, int64_t before, int64_t weight
) noexcept nogil:
    """How the inner sum of a cluster changes, which has so many rows of a side's class before."""
    cdef int64_t count = clusters.counts[<Py_ssize_t> label * clusters.n_classes + cluster] + before
    if code == GINI:
        return weight * (2 * count + weight)
    return part(code, clusters.table, cluster, label, count + weight) - part(
        code, clusters.table, cluster, label, count
    )


cdef inline void _move(
    CriterionCode code, bint all_labels, const Clusters* clusters, Side* side, index_t label, int64_t weight
) noexcept nogil:
    """Add the rows of a class to a side, or take them away."""
    cdef index_t cluster, majority
    cdef int64_t before = side.counts[label]
    side.counts[label] = before + weight
    side.total += weight
    if all_labels:
        if sees_the_diagonal(code):
            side.sums[label] += weight
            return
        for cluster in range(clusters.n_classes):
            side.sums[cluster] += _step(code, clusters, cluster, label, before, weight)
        return
    majority = side.majority
    if weight > 0:
        if before + weight > side.counts[majority] or before + weight == side.counts[majority] and label < majority:
            majority = label
    elif label == majority:
        majority = 0
        for cluster in range(1, clusters.n_classes):
            if side.counts[cluster] > side.counts[majority]:
                majority = cluster
    if majority == side.majority:
        side.sums[majority] += _step(code, clusters, majority, label, before, weight)
    else:
        side.majority = majority
        side.sums[majority] = inner_sum(code, clusters, majority, side.counts)


# ------------------------------------------------------------------------------------------------------------- a step

cdef inline Term _term(CriterionCode code, const LeafScan* scan, const Side* side, index_t cluster) noexcept nogil:
    return term_of(
        code, scan.clusters, cluster, side.sums[cluster], scan.clusters.cluster_sizes[cluster] + side.total
    )


cdef inline void _collect(
    CriterionCode code, const LeafScan* scan, index_t left_label, index_t right_label, TermSum* changes
) noexcept nogil:
    """The terms that come and go where the sides of the cut get these labels."""
    cdef Term* terms = scan.clusters.terms
    changes.n_terms = 0
    add_term(changes, scan.label_term, -1)
    if left_label == right_label:
        add_term(
            changes,
            term_of(
                code, scan.clusters, left_label, scan.leaf_sums[left_label],
                scan.clusters.cluster_sizes[left_label] + scan.leaf_total,
            ),
            1,
        )
    else:
        add_term(changes, _term(code, scan, &scan.left, left_label), 1)
        add_term(changes, _term(code, scan, &scan.right, right_label), 1)
        if right_label != scan.label:
            add_term(changes, terms[right_label], -1)
    if left_label != scan.label:
        add_term(changes, terms[left_label], -1)
    if scan.label != left_label and scan.label != right_label:
        add_term(changes, terms[scan.label], 1)


cdef inline void judge(CriterionCode code, const LeafScan* scan, const TermSum* changes, Step* step) noexcept nogil:
    cdef index_t i
    cdef Term total
    total.a = 0
    total.b = 0
    step.change = 0.0
    for i in range(changes.n_terms):
        if takes_fractions(code):
            step.change += changes.signs[i] * (<float64_t> changes.terms[i].a / <float64_t> changes.terms[i].b)
        else:
            total.a += changes.signs[i] * changes.terms[i].a
            total.b += changes.signs[i] * changes.terms[i].b
    if takes_ratio(code):
        step.ratio = ratio_of_sums(scan.clusters, scan.sums.a + total.a, scan.sums.b + total.b)
    step.cost = total.a


cdef inline int compare_steps(
    CriterionCode code, const LeafScan* scan, const Step* step, const TermSum* changes, const Step* best,
    const TermSum* best_changes
) except -2 nogil:
    """1 where the step comes nearer than the best, 0 where both come equally near, else -1."""
    cdef index_t i
    cdef int128_t left, right
    if takes_ratio(code):
        left = <int128_t> step.ratio.a * best.ratio.b
        right = <int128_t> best.ratio.a * step.ratio.b
        return (left > right) - (left < right)
    if not takes_fractions(code):
        return (step.cost < best.cost) - (step.cost > best.cost)
    if step.change > best.change + scan.margin:
        return 1
    if step.change < best.change - scan.margin:
        return -1
    copy_terms(scan.difference, changes)
    for i in range(best_changes.n_terms):
        add_term(scan.difference, best_changes.terms[i], -best_changes.signs[i])
    return sign_of_sum(scan.difference)


cdef inline int decreases(const LeafScan* scan, const Step* best) except -2 nogil:
    """Whether the whole tree comes nearer by the best step than it is."""
    cdef Step now
    cdef TermSum nothing
    nothing.n_terms = 0
    now.cost = 0
    now.change = 0.0
    if takes_ratio(scan.clusters.code):
        now.ratio = sum_of_terms(scan.clusters)
        now.ratio = ratio_of_sums(scan.clusters, now.ratio.a, now.ratio.b)
    return compare_steps(scan.clusters.code, scan, best, scan.best_changes, &now, &nothing) > 0


cdef inline bint is_lower(const Step* step, const Step* best) noexcept nogil:
    return step.feature < best.feature or step.feature == best.feature and step.threshold < best.threshold


cdef inline bint precedes(const Step* step, const Step* best) noexcept nogil:
    """Of whole-numbered costs the lower one, of equal ones the lower feature, then threshold, then leaf."""
    if step.cost != best.cost:
        return step.cost < best.cost
    return is_lower(step, best)


cdef inline int _offer(
    CriterionCode code, LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries, index_t feature,
    index_t n_left, index_t left_label, index_t right_label, Step* best
) except -1 nogil:
    """Keep the step where it comes nearer than the best so far: of equal ones that of the lowest feature, then
    threshold, then leaf, then labels; leaves are scanned from the left."""
    cdef Step step
    cdef int order = 1
    step.feature = feature
    step.n_children = 2
    step.n_left = n_left
    step.last_left = place_of(entries[n_left - 1])
    _collect(code, scan, left_label, right_label, scan.changes)
    judge(code, scan, scan.changes, &step)
    if best.leaf != NONE:
        order = compare_steps(code, scan, &step, scan.changes, best, scan.best_changes)
    if order < 0 or order == 0 and feature > best.feature:
        return 0
    step.threshold = UNDEFINED
    if not scan.is_categorical:
        step.threshold = threshold_between(
            partition.X[block_row(partition, block, step.last_left), feature],
            partition.X[block_row(partition, block, place_of(entries[n_left])), feature],
        )
    if order == 0 and feature == best.feature:
        if step.threshold > best.threshold or step.threshold == best.threshold and best.leaf != scan.leaf:
            return 0
        if step.threshold == best.threshold and (
            left_label > best.left_label or left_label == best.left_label and right_label >= best.right_label
        ):
            return 0
    step.leaf = scan.leaf
    step.left_label = left_label
    step.right_label = right_label
    keep_step(scan, &step, best)
    return 0


cdef inline void keep_step(LeafScan* scan, const Step* step, Step* best) noexcept nogil:
    best[0] = step[0]
    copy_terms(scan.best_changes, scan.changes)


# ------------------------------------------------------------------------------------------------------------ the cuts

cdef inline float64_t _score(
    CriterionCode code, const LeafScan* scan, const Side* side, index_t cluster
) noexcept nogil:
    return _value(code, scan.ratio, _term(code, scan, side, cluster)) - scan.values[cluster]


cdef inline int _offer_majorities(
    CriterionCode code, LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries, index_t feature,
    index_t n_left, Step* best
) except -1 nogil:
    cdef index_t left_label = scan.left.majority, right_label = scan.right.majority
    cdef float64_t score = scan.offset
    if left_label == right_label:
        # Where both sides keep the label nothing changes: the first such cut of the leaf stands for all.
        if not scan.sees_first_cut:
            return 0
        scan.sees_first_cut = False
    else:
        score += _score(code, scan, &scan.left, left_label) + _score(code, scan, &scan.right, right_label)
        if score < _score_to_reach(code, scan, best):
            return 0
    return _offer(code, scan, partition, block, entries, feature, n_left, left_label, right_label, best)


cdef inline int _offer_all_labels(
    CriterionCode code, LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries, index_t feature,
    index_t n_left, Step* best
) except -1 nogil:
    cdef index_t left_label, right_label, k = scan.clusters.n_classes
    cdef float64_t best_left = -INFINITY, best_right = -INFINITY, wanted = _score_to_reach(code, scan, best)
    if scan.sees_first_cut:
        # Where both sides get one label, all cuts of the leaf are equal: the first one stands for them.
        scan.sees_first_cut = False
        for left_label in range(k):
            _offer(code, scan, partition, block, entries, feature, n_left, left_label, left_label, best)
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
                _offer(code, scan, partition, block, entries, feature, n_left, left_label, right_label, best)
    return 0


cdef inline int _scan_cuts(
    CriterionCode code, bint all_labels, LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries,
    index_t n, index_t feature, Step* best
) except -1 nogil:
    cdef index_t i, label
    cdef int64_t weight = 1
    _start_filter(code, scan, best)
    _start_sides(code, scan)
    # The rows of entries[:i + 1] are on the left.
    for i in range(n - scan.min_samples_leaf):
        label = scan.labels[place_of(entries[i])]
        if scan.weights != NULL:
            weight = scan.weights[place_of(entries[i])]
        _move(code, all_labels, scan.clusters, &scan.left, label, weight)
        _move(code, all_labels, scan.clusters, &scan.right, label, -weight)
        if key_of(entries[i]) == key_of(entries[i + 1]) or i + 1 < scan.min_samples_leaf:
            continue
        if all_labels:
            _offer_all_labels(code, scan, partition, block, entries, feature, i + 1, best)
        else:
            _offer_majorities(code, scan, partition, block, entries, feature, i + 1, best)
    return 0


cdef inline int _scan_feature_by(
    CriterionCode code, LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries, index_t n,
    index_t feature, Step* best
) except -1 nogil:
    if scan.all_labels:
        return _scan_cuts(code, True, scan, partition, block, entries, n, feature, best)
    return _scan_cuts(code, False, scan, partition, block, entries, n, feature, best)


cdef inline int scan_feature(
    LeafScan* scan, RowPartition partition, Block block, const uint64_t* entries, index_t n, index_t feature, Step* best
) except -1 nogil:
    """Offer every valid cut of a feature of the leaf: with constants in place of the distance and of whether all labels
    are tried, the loops have only what they need."""
    cdef CriterionCode code = scan.clusters.code
    if code == ENTROPY:
        return _scan_feature_by(ENTROPY, scan, partition, block, entries, n, feature, best)
    if code == GAIN_RATIO:
        return _scan_feature_by(GAIN_RATIO, scan, partition, block, entries, n, feature, best)
    if code == NVI:
        return _scan_feature_by(NVI, scan, partition, block, entries, n, feature, best)
    if code == GINI:
        return _scan_feature_by(GINI, scan, partition, block, entries, n, feature, best)
    if code == JACCARD:
        return _scan_feature_by(JACCARD, scan, partition, block, entries, n, feature, best)
    if code == ACCURACY:
        return _scan_feature_by(ACCURACY, scan, partition, block, entries, n, feature, best)
    return _scan_feature_by(MAE, scan, partition, block, entries, n, feature, best)
