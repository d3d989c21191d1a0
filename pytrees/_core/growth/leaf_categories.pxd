"""Global evaluation of categorical splits: more than two children, labelled with their majorities."""

from libc.string cimport memset

from pytrees._core.growth.distances cimport inner_sum, term_of
from pytrees._core.base.exact_sums cimport TermSum, add_term
from pytrees._core.growth.leaf_scan cimport LeafScan, Step, compare_steps, judge, keep_step
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport (NONE, UNDEFINED, index_t, int64_t, uint64_t)
from pytrees._core.split.scan cimport (CriterionCode)


cdef inline void _merge_children(LeafScan* scan, const uint64_t* entries, index_t n) noexcept nogil:
    """Add the rows of every child to those of its majority."""
    cdef index_t i, label, majority, k = scan.clusters.n_classes
    cdef int64_t weight = 1
    memset(scan.merged, 0, <Py_ssize_t> k * k * sizeof(int64_t))
    memset(scan.merged_totals, 0, k * sizeof(int64_t))
    # `child_counts` are those of the rows of entries[:i] that have the value of entries[i].
    for i in range(n):
        if scan.weights != NULL:
            weight = scan.weights[place_of(entries[i])]
        scan.child_counts[scan.labels[place_of(entries[i])]] += weight
        if i + 1 < n and key_of(entries[i]) == key_of(entries[i + 1]):
            continue
        majority = 0
        for label in range(1, k):
            if scan.child_counts[label] > scan.child_counts[majority]:
                majority = label
        for label in range(k):
            scan.merged[<Py_ssize_t> majority * k + label] += scan.child_counts[label]
            scan.merged_totals[majority] += scan.child_counts[label]
            scan.child_counts[label] = 0


cdef inline void _collect(CriterionCode code, const LeafScan* scan, TermSum* changes) noexcept nogil:
    """The terms that come and go where the children get these labels."""
    cdef index_t label, k = scan.clusters.n_classes
    changes.n_terms = 0
    add_term(changes, scan.label_term, -1)
    for label in range(k):
        if scan.merged_totals[label] > 0:
            add_term(
                changes,
                term_of(
                    code, scan.clusters, label,
                    inner_sum(code, scan.clusters, label, &scan.merged[<Py_ssize_t> label * k]),
                    scan.clusters.cluster_sizes[label] + scan.merged_totals[label],
                ),
                1,
            )
            if label != scan.label:
                add_term(changes, scan.clusters.terms[label], -1)
        elif label == scan.label:
            add_term(changes, scan.clusters.terms[label], 1)


cdef inline int offer_children(
    LeafScan* scan, const uint64_t* entries, index_t n, index_t feature, index_t n_children, Step* best
) except -1 nogil:
    """Keep the split into a child for every value of the feature, as `leaf_scan` keeps cuts."""
    cdef CriterionCode code = scan.clusters.code
    cdef Step step
    cdef int order = 1
    _merge_children(scan, entries, n)
    _collect(code, scan, scan.changes)
    judge(code, scan, scan.changes, &step)
    if best.leaf != NONE:
        order = compare_steps(code, scan, &step, scan.changes, best, scan.best_changes)
    # Of one feature an equal split is that of a leaf further to the left.
    if order < 0 or order == 0 and feature >= best.feature:
        return 0
    step.leaf = scan.leaf
    step.feature = feature
    step.n_children = n_children
    step.n_left = 0
    step.last_left = NONE
    step.left_label = NONE
    step.right_label = NONE
    step.threshold = UNDEFINED
    keep_step(scan, &step, best)
    return 0
