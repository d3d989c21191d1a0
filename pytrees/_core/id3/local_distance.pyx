"""The merit of a split within its leaf: see `local_distance.pxd`."""

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.string cimport memcmp, memcpy

from pytrees._core.base.fractions cimport Term, add_term, sign_of_sum
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.category_table cimport complete_sum, start_whole_node
from pytrees._core.criteria.children cimport QuotientSum
from pytrees._core.criteria.counts cimport ClassCounts, log_margin, sum_of_counts
from pytrees._core.criteria.entropy cimport information_of_children, minus_variation_of_children
from pytrees._core.criteria.logarithms cimport (
    BY_JOINT, LESS_BOTH, InformationForm, SplitLogs, compare_exact_ratios, compare_information,
)
from pytrees._core.criteria.ratios cimport divisor_of_gain
from pytrees._core.id3.distances cimport (
    DISTANCE_GINI, DISTANCE_INFORMATION_GAIN, DISTANCE_JACCARD, DISTANCE_VI, divides_by_joint, takes_fractions,
    takes_logarithms,
)
from pytrees._core.split.children cimport end_child, start_children

from pytrees._core.criteria.logarithms import exact_ratio
from pytrees._core.id3.distances import TERM


@cython.final
cdef class LocalDistance:
    def __cinit__(self, DistanceCode code, bint absent_differ, ClassCounts counts, Py_ssize_t most_children):
        """`counts` belong to the criterion that judges leaves by this distance. `absent_differ` is for Jaccard: classes
        that a leaf lacks add to its distance, so that all leaves count the same number of classes."""
        n_terms = 2 * max(2, most_children, counts.n_classes) + 2
        self.code = code
        self.absent_differ = absent_differ
        self.n_classes = counts.n_classes
        self.children = ChildCounts(counts, False, takes_fractions(code), n_terms, None)
        self.best_counts = np.zeros(counts.n_classes, dtype=np.int64)
        terms, signs = np.empty(n_terms, dtype=TERM), np.empty(n_terms, dtype=np.intc)
        self.memory = terms, signs
        cdef Term[::1] term_view = terms
        cdef int[::1] sign_view = signs
        self.difference.terms = &term_view[0]
        self.difference.signs = &sign_view[0]


cdef int start_local_distance(LocalDistance local, const int64_t* leaf_counts) except -1 nogil:
    """Begin with a leaf of these class counts."""
    cdef index_t label
    local.children.total = sum_of_counts(leaf_counts, local.n_classes)
    local.n_present = 0
    for label in range(local.n_classes):
        local.children.node.total_counts[label] = leaf_counts[label]
        local.n_present += leaf_counts[label] > 0 or local.absent_differ
    return start_whole_node(local.children)


cdef int merit_of_cut(LocalDistance local, const int64_t* left, const int64_t* right, Merit* merit) except -1 nogil:
    """Write the merit of a cut between children of these class counts."""
    cdef index_t label
    start_children(local.children, NONE, 2, NONE)
    for label in range(local.n_classes):
        local.children.counts[label] = left[label]
    end_child(local.children)
    for label in range(local.n_classes):
        local.children.counts[label] = right[label]
    end_child(local.children)
    return _write_merit(local, merit)


cdef int merit_of_categories(
    LocalDistance local, const uint64_t* entries, index_t n, index_t n_children, const index_t* labels,
    const int64_t* weights, Merit* merit
) except -1 nogil:
    """Write the merit of a split into more than two children, one for every key of the sorted entries. `labels` and
    `weights` are by place; without weights (NULL) every sample counts once."""
    cdef index_t i
    start_children(local.children, NONE, n_children, NONE)
    # `counts` are the classes in entries[:i] of the last child; all children before it have ended.
    for i in range(n):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            end_child(local.children)
        local.children.counts[labels[place_of(entries[i])]] += 1 if weights == NULL else weights[place_of(entries[i])]
    end_child(local.children)
    return _write_merit(local, merit)


cdef int _write_merit(LocalDistance local, Merit* merit) except -1 nogil:
    """Write the merit of the split whose children have all ended."""
    merit.value = 0.0
    merit.b = local.children.total
    if local.code == DISTANCE_VI:
        merit.a = minus_variation_of_children(local.children)
    elif takes_logarithms(local.code):
        information_of_children(local.children, 1, &merit.a)
        if local.code != DISTANCE_INFORMATION_GAIN:
            merit.b = divisor_of_gain(
                BY_JOINT if divides_by_joint(local.code) else local.children.node.form,
                local.children.node.table[local.children.total], local.children.joint_sum, local.children.size_sum,
                local.children.node_sum,
            )
    elif takes_fractions(local.code):
        complete_sum(local.children)
        merit.a = local.n_present if local.code == DISTANCE_JACCARD else 0
        merit.value = local.children.present.terms.value
        if local.code == DISTANCE_GINI:
            merit.value /= <float64_t> local.children.total
        merit.value -= <float64_t> merit.a
    else:
        merit.a = local.children.score
        if local.children.label_of_all != NONE:
            merit.a -= local.children.least_loss


cdef int compare_merits(LocalDistance local, const Merit* merit, const Merit* best) except -2 nogil:
    """Return 1 if the present split comes nearer than the best split, 0 if both are equally near, otherwise -1."""
    cdef int128_t left, right
    cdef float64_t margin
    if not takes_fractions(local.code):
        left = <int128_t> merit.a * best.b
        right = <int128_t> best.a * merit.b
        if takes_logarithms(local.code) and _is_near(local, left - right, merit, best):
            return _compare_logs(local)
        return (left > right) - (left < right)
    # Every fraction is rounded by 2**-53, and every sum.
    margin = (local.children.present.terms.n_terms + local.children.best.terms.n_terms + 8) * 2.0**-51 * (
        fabs(merit.value) + fabs(best.value) + <float64_t> local.n_classes
    )
    if fabs(merit.value - best.value) > margin:
        return 1 if merit.value > best.value else -1
    local.difference.n_terms = 0
    _add_fractions(local, &local.children.present.terms, merit, 1)
    _add_fractions(local, &local.children.best.terms, best, -1)
    add_term(&local.difference, Term(best.a - merit.a, 1), 1)
    return sign_of_sum(&local.difference)


cdef inline bint _is_near(
    LocalDistance local, int128_t difference, const Merit* merit, const Merit* best
) noexcept nogil:
    """Whether the rounded table of n log2 n, half a unit a number, can explain this difference of cross products."""
    cdef SplitLogs* present = &local.children.present.logs
    cdef SplitLogs* of_best = &local.children.best.logs
    cdef int128_t factors = <int128_t> merit.b + best.b
    cdef int128_t margin = (
        2 * log_margin(local.n_classes) + present.n_joint + present.n_sizes + of_best.n_joint + of_best.n_sizes
    )
    if local.code == DISTANCE_VI:
        margin *= 2     # classes in children count twice
    elif local.code != DISTANCE_INFORMATION_GAIN:
        # For vi and information gain b is a number of samples, which is not rounded.
        factors += <int128_t> merit.a + best.a
    return -margin * factors <= difference <= margin * factors


cdef int _compare_logs(LocalDistance local) except -2 nogil:
    """Compare the merits of the present split and of the best split, two ratios of entropies, as real numbers."""
    cdef Py_ssize_t size = local.n_classes * sizeof(int64_t)
    cdef const int64_t* leaf_counts = &local.children.node.total_counts[0]
    if memcmp(leaf_counts, &local.best_counts[0], size) == 0:
        return compare_information(
            local.children.node.form, leaf_counts, local.n_classes, &local.children.present.logs,
            &local.children.best.logs,
        )
    with gil:
        return compare_exact_ratios(
            _exact_merit(local, leaf_counts, &local.children.present.logs),
            _exact_merit(local, &local.best_counts[0], &local.children.best.logs),
        )


cdef tuple _exact_merit(LocalDistance local, const int64_t* leaf_counts, const SplitLogs* logs):
    # Two leaves compare by their variation of information, not by its decrease.
    cdef InformationForm form = LESS_BOTH if local.code == DISTANCE_VI else local.children.node.form
    return exact_ratio(
        form, [int(leaf_counts[label]) for label in range(local.n_classes)],
        [int(logs.joint[i]) for i in range(logs.n_joint)], [int(logs.sizes[i]) for i in range(logs.n_sizes)],
    )


cdef inline void _add_fractions(
    LocalDistance local, const QuotientSum* terms, const Merit* merit, int sign
) noexcept nogil:
    cdef Term term
    cdef index_t i
    for i in range(terms.n_terms):
        term.a = terms.terms[i].numerator
        term.b = terms.terms[i].denominator
        if local.code == DISTANCE_GINI:
            term.b *= merit.b
        add_term(&local.difference, term, sign)


cdef void keep_merit(LocalDistance local) noexcept nogil:
    """Make the present split the best split."""
    local.children.present, local.children.best = local.children.best, local.children.present
    memcpy(&local.best_counts[0], &local.children.node.total_counts[0], local.n_classes * sizeof(int64_t))
