"""The merit of a split within its leaf: see `merits.pxd`."""

import numpy as np

cimport cython
from libc.math cimport fabs
from libc.string cimport memcmp, memcpy

from pytrees._core.base.fractions cimport Term, add_term, sign_of_sum
from pytrees._core.base.sorting cimport key_of, place_of
from pytrees._core.base.types cimport NONE, float64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.children cimport QuotientSum
from pytrees._core.criteria.counts cimport ClassCounts, log_margin
from pytrees._core.criteria.entropy cimport information_of_children
from pytrees._core.criteria.logarithms cimport (
    LESS_BOTH, InformationForm, SplitLogs, compare_exact_ratios, compare_information, forget_counts,
)
from pytrees._core.criteria.variation cimport minus_variation_of_children
from pytrees._core.growth.distances cimport (
    DISTANCE_GINI, DISTANCE_INFORMATION_GAIN, DISTANCE_JACCARD, DISTANCE_NVI_MAX, DISTANCE_VI,
    divides_by_joint, takes_fractions, takes_logarithms,
)
from pytrees._core.criteria.table cimport complete_sum, end_whole_child, start_whole_node

from pytrees._core.criteria.logarithms import exact_ratio
from pytrees._core.growth.distances import TERM


@cython.final
cdef class LocalMerits:
    def __cinit__(self, DistanceCode code, bint absent_differ, ClassCounts counts, Py_ssize_t most_children):
        """`counts` are those of the criterion that judges leaves by this distance. Of Jaccard `absent_differ` says
        whether classes that a leaf lacks add to its distance, so that all leaves have the same number of them."""
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


cdef void start_merits(LocalMerits merits, const int64_t* leaf_counts) noexcept nogil:
    """Begin with a leaf of these class counts."""
    cdef index_t label
    merits.children.total = 0
    merits.n_present = 0
    for label in range(merits.n_classes):
        merits.children.node.total_counts[label] = leaf_counts[label]
        merits.children.total += leaf_counts[label]
        merits.n_present += leaf_counts[label] > 0 or merits.absent_differ
    start_whole_node(merits.children)


cdef inline void _start_split(ChildCounts children, index_t n_children) noexcept nogil:
    children.present.terms.n_terms = 0
    children.present.terms.value = 0.0
    children.n_children = n_children
    children.n_ended = 0
    children.joint_sum = 0
    children.size_sum = 0
    children.score = 0
    children.exchange.numerator = -1
    children.exchange.denominator = 1
    children.cluster_sizes[:] = 0
    children.cluster_counts[:] = 0
    forget_counts(&children.present.logs)


cdef int merit_of_cut(LocalMerits merits, const int64_t* left, const int64_t* right, Merit* merit) except -1 nogil:
    """Write the merit of a cut between children of these class counts."""
    cdef index_t label
    _start_split(merits.children, 2)
    for label in range(merits.n_classes):
        merits.children.counts[label] = left[label]
    end_whole_child(merits.children)
    merits.children.n_ended = 1
    for label in range(merits.n_classes):
        merits.children.counts[label] = right[label]
    end_whole_child(merits.children)
    return _write_merit(merits, merit)


cdef int merit_of_categories(
    LocalMerits merits, const uint64_t* entries, index_t n, index_t n_children, const index_t* labels,
    const int64_t* weights, Merit* merit
) except -1 nogil:
    """Write the merit of a split into more than two children, one for every key of the sorted entries. `labels` and
    `weights` are by place; without weights (NULL) every row counts once."""
    cdef index_t i
    _start_split(merits.children, n_children)
    merits.children.counts[:] = 0
    # Of entries[:i], those of the last child are counted; the others' children have ended.
    for i in range(n):
        if i > 0 and key_of(entries[i]) != key_of(entries[i - 1]):
            end_whole_child(merits.children)
            merits.children.n_ended += 1
            merits.children.counts[:] = 0
        merits.children.counts[labels[place_of(entries[i])]] += 1 if weights == NULL else weights[place_of(entries[i])]
    end_whole_child(merits.children)
    return _write_merit(merits, merit)


cdef int _write_merit(LocalMerits merits, Merit* merit) except -1 nogil:
    """Write the merit of the split whose children have all ended."""
    merit.value = 0.0
    merit.b = merits.children.total
    if merits.code == DISTANCE_VI:
        merit.a = minus_variation_of_children(merits.children)
    elif takes_logarithms(merits.code):
        information_of_children(merits.children, 1, &merit.a)
        if merits.code != DISTANCE_INFORMATION_GAIN:
            merit.b = merits.children.node.table[merits.children.total] - _sum_of_divisor(merits)
    elif takes_fractions(merits.code):
        complete_sum(merits.children)
        merit.a = merits.n_present if merits.code == DISTANCE_JACCARD else 0
        merit.value = merits.children.present.terms.value
        if merits.code == DISTANCE_GINI:
            merit.value /= <float64_t> merits.children.total
        merit.value -= <float64_t> merit.a
    else:
        merit.a = merits.children.score
        if merits.children.label_of_all != NONE:
            merit.a -= merits.children.least_loss
    return 0


cdef inline int64_t _sum_of_divisor(LocalMerits merits) noexcept nogil:
    """Return the sum of n log2 n that belongs to the entropy by which the information gain is divided."""
    if divides_by_joint(merits.code):
        return merits.children.joint_sum
    if merits.code == DISTANCE_NVI_MAX:
        return min(merits.children.size_sum, merits.children.node_sum)
    return merits.children.size_sum


cdef int compare_merits(LocalMerits merits, const Merit* merit, const Merit* best) except -2 nogil:
    """Return 1 where the present split comes nearer than the best, 0 where both come equally near, else -1."""
    cdef int128_t left, right
    cdef float64_t margin
    cdef Term n_classes
    if not takes_fractions(merits.code):
        left = <int128_t> merit.a * best.b
        right = <int128_t> best.a * merit.b
        if takes_logarithms(merits.code) and _is_near(merits, left - right, merit, best):
            return _compare_logs(merits)
        return (left > right) - (left < right)
    # Every fraction is rounded by 2**-53, and every sum.
    margin = (merits.children.present.terms.n_terms + merits.children.best.terms.n_terms + 8) * 2.0**-51 * (
        fabs(merit.value) + fabs(best.value) + <float64_t> merits.n_classes
    )
    if fabs(merit.value - best.value) > margin:
        return 1 if merit.value > best.value else -1
    merits.difference.n_terms = 0
    _add_fractions(merits, &merits.children.present.terms, merit, 1)
    _add_fractions(merits, &merits.children.best.terms, best, -1)
    n_classes.a = best.a - merit.a
    n_classes.b = 1
    add_term(&merits.difference, n_classes, 1)
    return sign_of_sum(&merits.difference)


cdef inline bint _is_near(
    LocalMerits merits, int128_t difference, const Merit* merit, const Merit* best
) noexcept nogil:
    """Whether rounding the table of n log2 n, by half a unit a number, can make this difference of cross products."""
    cdef SplitLogs* present = &merits.children.present.logs
    cdef SplitLogs* of_best = &merits.children.best.logs
    cdef int128_t factors = <int128_t> merit.b + best.b
    cdef int128_t margin = (
        2 * log_margin(merits.n_classes) + present.n_joint + present.n_sizes + of_best.n_joint + of_best.n_sizes
    )
    if merits.code == DISTANCE_VI:
        margin *= 2     # classes in children count twice
    elif merits.code != DISTANCE_INFORMATION_GAIN:
        # Of the other two b is a number of samples, which is not rounded.
        factors += <int128_t> merit.a + best.a
    return -margin * factors <= difference <= margin * factors


cdef int _compare_logs(LocalMerits merits) except -2 nogil:
    """Compare the merits of the present split and of the best one, which are ratios of entropies, as real numbers."""
    cdef Py_ssize_t size = merits.n_classes * sizeof(int64_t)
    cdef const int64_t* leaf_counts = &merits.children.node.total_counts[0]
    if memcmp(leaf_counts, &merits.best_counts[0], size) == 0:
        return compare_information(
            merits.children.node.form, leaf_counts, merits.n_classes, &merits.children.present.logs,
            &merits.children.best.logs,
        )
    with gil:
        return compare_exact_ratios(
            _exact_merit(merits, leaf_counts, &merits.children.present.logs),
            _exact_merit(merits, &merits.best_counts[0], &merits.children.best.logs),
        )


cdef tuple _exact_merit(LocalMerits merits, const int64_t* leaf_counts, const SplitLogs* logs):
    # Of different leaves the variations of information compare, and not what they gain.
    cdef InformationForm form = LESS_BOTH if merits.code == DISTANCE_VI else merits.children.node.form
    return exact_ratio(
        form, [int(leaf_counts[label]) for label in range(merits.n_classes)],
        [int(logs.joint[i]) for i in range(logs.n_joint)], [int(logs.sizes[i]) for i in range(logs.n_sizes)],
    )


cdef inline void _add_fractions(
    LocalMerits merits, const QuotientSum* terms, const Merit* merit, int sign
) noexcept nogil:
    cdef Term term
    cdef index_t i
    for i in range(terms.n_terms):
        term.a = terms.terms[i].numerator
        term.b = terms.terms[i].denominator
        if merits.code == DISTANCE_GINI:
            term.b *= merit.b
        add_term(&merits.difference, term, sign)


cdef void keep_merit(LocalMerits merits) noexcept nogil:
    """Take the present split for the best."""
    merits.children.present, merits.children.best = merits.children.best, merits.children.present
    memcpy(
        &merits.best_counts[0], &merits.children.node.total_counts[0], merits.n_classes * sizeof(int64_t)
    )
