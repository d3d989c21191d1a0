"""The class counts of a node's categories, and of the categories that are listed for one side of a split into two.

With two classes, the best division puts the categories with the lowest shares of the second class on one side, if the
gain is greatest at a corner of the possible class counts of the left child: Breiman, Friedman, Olshen and Stone,
"Classification and Regression Trees" (1984), Theorem 4.5. The gain is greatest at a corner if it is a convex function
of these counts, or a convex function over a concave one. In all other cases every division is judged, if a node does
not have too many categories.

If classes are numbers and squared errors are judged, the best division of any number of categories puts the categories
with the lowest means on one side. If one side has the weight n and the sum s, and the node N and S, the gain grows with
f(n, s) = s**2 / n + (S - s)**2 / (N - n). This function is convex, and its least value S**2 / N continues it at (0, 0)
and (N, S). A side's (n, s) is the sum of the points (n_v, s_v) of its categories v. A convex function is greatest at a
corner of the hull of all these sums. At a corner some linear function a n + b s is greater than at all other sums, and
the sum of the points with a n_v + b s_v > 0 has the greatest value: all categories with means s_v / n_v on one side of
-a / b. No two categories of equal means are divided at a corner, so any order of them will do; theirs is the order of
their codes.

A limit on the samples or the weight of leaves may forbid the best cut of an order. If no allowed cut gains as much, all
divisions of a few categories are judged after the cuts: of equal gains the first cut is taken, or else the division of
the lowest number. With too many categories the best allowed cut is taken, though another division may gain more.

Too many categories are put in an order, too, and its cuts are judged, though another division may gain more. The order
is by the mean or the share as above, and with more than two classes by the first principal direction of the class
shares: D. Coppersmith, S. J. Hong and J. R. M. Hosking, "Partitioning nominal attributes in decision trees", Data
Mining and Knowledge Discovery 3 (1999), 197-217.
"""

import numpy as np

cimport cython
from libc.string cimport memcpy, memset

from pytrees._core.base.types cimport float64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport TargetSums

from pytrees._core.criteria.table import judges_means, orders_by_share

cdef enum:
    STEPS = 16      # towards the first principal direction

MOST_CATEGORIES = MOST_DIVIDED


def has_best_order(criterion, n_classes):
    """Whether the best division of any number of categories is a cut of their order by share or mean."""
    return judges_means(criterion) or orders_by_share(criterion, n_classes)


@cython.final
cdef class CategoryCounts:
    def __cinit__(
        self, Py_ssize_t n_classes, Py_ssize_t most_categories, Py_ssize_t n_rows, bint has_best_order,
        bint needs_entries, bint has_targets, bint counts_codes,
    ):
        cdef Py_ssize_t most = max(1, most_categories)
        cdef Py_ssize_t n_columns = sizeof(TargetSums) // sizeof(int64_t) if has_targets else n_classes
        cdef bint has_scores = most > MOST_DIVIDED and n_classes > 2 and not has_targets
        self.n_classes = <index_t> n_classes
        self.has_best_order = has_best_order
        self.in_order = False
        self.has_targets = has_targets
        self.codes = np.empty(most, dtype=np.int32)
        self.sizes = np.empty(most, dtype=np.int32)
        self.number_of_code = np.empty(most if counts_codes else 0, dtype=np.int32)
        self.counts = np.empty((most, n_columns), dtype=np.int64)
        self.for_user = np.empty((most if has_targets else 0, n_columns), dtype=np.int64)
        self.weight = np.empty(most, dtype=np.int64)
        self.order = np.empty(most, dtype=np.int32)
        self.spare_order = np.empty(most, dtype=np.int32)
        self.is_listed = np.zeros(most, dtype=np.uint8)
        self.listed_counts = np.empty(n_columns, dtype=np.int64)
        self.deviations = np.empty((most if has_scores else 0, n_classes))
        self.direction, self.next_direction = np.empty((2, n_classes if has_scores else 0))
        self.scores = np.empty(most if has_scores else 0)
        self.category_of = np.empty(n_rows if needs_entries else 0, dtype=np.int32)
        self.divided = np.empty(n_rows if needs_entries else 0, dtype=np.uint64)


cdef index_t start_category(CategoryCounts categories, index_t code) noexcept nogil:
    """Start to count the samples of the next category, and return its number."""
    cdef index_t category = categories.n_present
    categories.codes[category] = code
    categories.sizes[category] = 0
    categories.weight[category] = 0
    memset(&categories.counts[category, 0], 0, categories.counts.shape[1] * sizeof(int64_t))
    categories.n_present += 1
    return category


cdef void number_codes(CategoryCounts categories, index_t n_codes) noexcept nogil:
    """Number the codes that samples have. Samples and classes have been counted at the places of their codes."""
    cdef index_t code, label, category = 0
    for code in range(n_codes):
        categories.number_of_code[code] = category
        if categories.sizes[code] == 0:
            continue
        categories.codes[category] = code
        categories.sizes[category] = categories.sizes[code]
        categories.weight[category] = 0
        for label in range(categories.n_classes):
            categories.counts[category, label] = categories.counts[code, label]
            categories.weight[category] += categories.counts[category, label]
        category += 1
    categories.n_present = category


# ---------------------------------------------------------------------------------------------- the order of categories

cdef void set_order(CategoryCounts categories) noexcept nogil:
    """Put the categories of a node, which are counted, in the order whose cuts are judged, if not all divisions are."""
    categories.in_order = categories.has_best_order or categories.n_present > MOST_DIVIDED
    if categories.in_order:
        if not categories.has_targets and categories.n_classes > 2:
            _score(categories)
        _sort(categories)


cdef void _sort(CategoryCounts categories) noexcept nogil:
    """Sort the categories by mean, share or score, then by code: a merge sort."""
    cdef index_t i, start, width = 1, n = categories.n_present
    for i in range(n):
        categories.order[i] = i
    while width < n:
        start = 0
        while start < n:
            _merge(categories, start, min(start + width, n), min(start + 2 * width, n))
            start += 2 * width
        memcpy(&categories.order[0], &categories.spare_order[0], n * sizeof(index_t))
        width *= 2


cdef inline void _merge(CategoryCounts categories, index_t start, index_t middle, index_t stop) noexcept nogil:
    """Merge the sorted parts order[start:middle] and order[middle:stop] to spare_order[start:stop]."""
    cdef index_t i, left = start, right = middle
    for i in range(start, stop):
        if right == stop or left < middle and not _is_less(categories, categories.order[right], categories.order[left]):
            categories.spare_order[i] = categories.order[left]
            left += 1
        else:
            categories.spare_order[i] = categories.order[right]
            right += 1


cdef inline bint _is_less(CategoryCounts categories, index_t one, index_t other) noexcept nogil:
    """Whether the mean, the share of the second class or the score is less in one category than in the other."""
    cdef const int64_t* a = &categories.counts[one, 0]
    cdef const int64_t* b = &categories.counts[other, 0]
    cdef const TargetSums* sums
    cdef const TargetSums* others
    if categories.has_targets:
        sums, others = sums_of_category(categories, one), sums_of_category(categories, other)
        return sums.sum * others.weight < others.sum * sums.weight
    if categories.n_classes > 2:
        return categories.scores[one] < categories.scores[other]
    return <int128_t> a[1] * (b[0] + b[1]) < <int128_t> b[1] * (a[0] + a[1])


cdef void _score(CategoryCounts categories) noexcept nogil:
    """Project the class shares of the categories onto their first principal direction, by steps of the power method.

    Every sum goes through categories or classes in ascending order, so that it has the same bits on every machine.
    """
    cdef index_t _, category, label, start
    cdef float64_t greatest, weighted
    start = _deviate(categories)
    for label in range(categories.n_classes):
        categories.direction[label] = categories.deviations[start, label]
    for _ in range(STEPS):
        memset(&categories.next_direction[0], 0, categories.n_classes * sizeof(float64_t))
        for category in range(categories.n_present):
            weighted = <float64_t> categories.weight[category] * _projection(categories, category)
            for label in range(categories.n_classes):
                categories.next_direction[label] += weighted * categories.deviations[category, label]
        greatest = 0.0
        for label in range(categories.n_classes):
            greatest = max(greatest, abs(categories.next_direction[label]))
        if greatest == 0.0:     # all shares are equal
            break
        for label in range(categories.n_classes):
            categories.direction[label] = categories.next_direction[label] / greatest
    for category in range(categories.n_present):
        categories.scores[category] = _projection(categories, category)


cdef inline index_t _deviate(CategoryCounts categories) noexcept nogil:
    """Write by how much the class shares of every category differ from the node's, and return the category of the
    greatest weight times squared deviation."""
    cdef index_t category, label, start = 0
    cdef int64_t total = 0, of_class
    cdef float64_t square, greatest = -1.0, share
    for category in range(categories.n_present):
        total += categories.weight[category]
    for label in range(categories.n_classes):
        of_class = 0
        for category in range(categories.n_present):
            of_class += categories.counts[category, label]
        share = <float64_t> of_class / <float64_t> total
        for category in range(categories.n_present):
            categories.deviations[category, label] = (
                <float64_t> categories.counts[category, label] / <float64_t> categories.weight[category] - share
            )
    for category in range(categories.n_present):
        square = 0.0
        for label in range(categories.n_classes):
            square += categories.deviations[category, label] * categories.deviations[category, label]
        square *= <float64_t> categories.weight[category]
        if square > greatest:
            start, greatest = category, square
    return start


cdef inline float64_t _projection(CategoryCounts categories, index_t category) noexcept nogil:
    cdef index_t label
    cdef float64_t projection = 0.0
    for label in range(categories.n_classes):
        projection += categories.deviations[category, label] * categories.direction[label]
    return projection


# ---------------------------------------------------------------------------------------------------------- divisions

cdef index_t n_divisions(CategoryCounts categories) noexcept nogil:
    """Return how many divisions there are to judge; they are numbered from 1."""
    return categories.n_present - 1 if categories.in_order else (1 << (categories.n_present - 1)) - 1


cdef bint is_by_heuristic(CategoryCounts categories, index_t number) noexcept nogil:
    """Whether another division than this one, the best of those that were judged, may gain more."""
    return categories.n_present > MOST_DIVIDED and (not categories.has_best_order or number >= categories.n_present)


cdef void list_division(CategoryCounts categories, index_t number) noexcept nogil:
    """List the categories of one side of a division."""
    cdef index_t i, n = categories.n_present
    memset(&categories.is_listed[0], 0, categories.n_present)
    categories.n_listed = 0
    memset(&categories.listed_counts[0], 0, categories.listed_counts.shape[0] * sizeof(int64_t))
    categories.listed_weight = 0
    if categories.in_order and (number < n or n > MOST_DIVIDED):
        for i in range(number if number < n else number - (n - 1)):
            _list(categories, categories.order[i], 1)
        return
    if categories.in_order:
        number -= n - 1
    for i in range(1, n):
        if number >> (i - 1) & 1:
            _list(categories, i, 1)


cdef void list_next_division(CategoryCounts categories, index_t number) noexcept nogil:
    """List the categories of one side of a division; the division before it, if any, is listed."""
    cdef index_t category = 1
    if number == 1 or categories.in_order and number == categories.n_present:
        list_division(categories, number)
        return
    if categories.in_order and number < categories.n_present:
        _list(categories, categories.order[number - 1], 1)
        return
    # The lowest digits of the number before are ones, and become zeros.
    while categories.is_listed[category]:
        _list(categories, category, -1)
        category += 1
    _list(categories, category, 1)


cdef inline void _list(CategoryCounts categories, index_t category, index_t sign) noexcept nogil:
    """Put a category on the listed side; with a sign of -1, take it away from there."""
    cdef index_t label
    categories.is_listed[category] = sign > 0
    categories.n_listed += sign * categories.sizes[category]
    categories.listed_weight += sign * categories.weight[category]
    if categories.has_targets:
        listed_sums(categories).weight += sign * sums_of_category(categories, category).weight
        listed_sums(categories).sum += sign * sums_of_category(categories, category).sum
        return
    for label in range(categories.n_classes):
        categories.listed_counts[label] += sign * categories.counts[category, label]
