"""The class counts of a node's categories, and of the categories that are listed for one side of a split into two.

With two classes, the best division puts the categories with the lowest shares of the second class on one side, if the
gain is greatest at a corner of the possible class counts of the left child: Breiman, Friedman, Olshen and Stone,
"Classification and Regression Trees" (1984), Theorem 4.5. The gain is greatest at a corner if it is a convex function
of these counts, or a convex function over a concave one. In all other cases every division is judged.

If classes are numbers and squared errors are judged, the best division of any number of categories puts the categories
with the lowest means on one side. If one side has the weight n and the sum s, and the node N and S, the gain grows with
f(n, s) = s**2 / n + (S - s)**2 / (N - n). This function is convex, and its least value S**2 / N continues it at (0, 0)
and (N, S). A side's (n, s) is the sum of the points (n_v, s_v) of its categories v. A convex function is greatest at a
corner of the hull of all these sums. At a corner some linear function a n + b s is greater than at all other sums, and
the sum of the points with a n_v + b s_v > 0 has the greatest value: all categories with means s_v / n_v on one side of
-a / b. No two categories of equal means are divided at a corner, so any order of them will do; theirs is the order of
their codes. Limits on samples may forbid the best division: then the best allowed one in the order is taken, as with
two classes. Distances to medians have no such order.
"""

import numpy as np

cimport cython

from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.counts cimport TargetSums

from pytrees._core.criteria.table import orders_by_mean, orders_by_share

# A feature of more categories is refused if every division has to be judged: there are 2**(k - 1) - 1.
MOST_CATEGORIES = 12


def most_categories(criterion, n_classes):
    """Return how many categories a feature may have if its divisions into two are judged; None is any number."""
    if orders_by_mean(criterion) or orders_by_share(criterion, n_classes):
        return None
    return MOST_CATEGORIES


def check_subsets(criterion, n_classes, n_categories):
    """Raise ValueError if a feature has too many categories for every division to be judged."""
    most = most_categories(criterion, n_classes)
    for feature, n_codes in enumerate([] if n_categories is None or most is None else n_categories):
        if n_codes > most:
            raise ValueError(
                f"Feature {feature} has {n_codes} categories: where all their divisions into two are judged, there may "
                f"be {most}."
            )


@cython.final
cdef class CategoryCounts:
    def __cinit__(
        self, Py_ssize_t n_classes, Py_ssize_t most_categories, Py_ssize_t n_rows, bint by_share,
        bint judges_sequences, bint has_targets,
    ):
        cdef Py_ssize_t most = max(1, min(most_categories, n_rows))
        cdef Py_ssize_t n_columns = sizeof(TargetSums) // sizeof(int64_t) if has_targets else n_classes
        self.n_classes = <index_t> n_classes
        self.by_share = by_share
        self.has_targets = has_targets
        self.codes = np.empty(most, dtype=np.int32)
        self.sizes = np.empty(most, dtype=np.int32)
        self.counts = np.empty((most, n_columns), dtype=np.int64)
        self.weight = np.empty(most, dtype=np.int64)
        self.order = np.empty(most, dtype=np.int32)
        self.spare_order = np.empty(most, dtype=np.int32)
        self.is_listed = np.zeros(most, dtype=np.uint8)
        self.listed_counts = np.empty(n_columns, dtype=np.int64)
        self.category_of = np.empty(n_rows if judges_sequences else 0, dtype=np.int32)
        self.divided = np.empty(n_rows if judges_sequences else 0, dtype=np.uint64)


cdef index_t start_category(CategoryCounts categories, index_t code) noexcept nogil:
    """Start to count the samples of the next category, and return its number."""
    cdef index_t category = categories.n_present
    categories.codes[category] = code
    categories.sizes[category] = 0
    categories.weight[category] = 0
    categories.counts[category, :] = 0
    categories.n_present += 1
    return category


# ------------------------------------------------------------------------------------------------ the order of shares

cdef void order_by_share(CategoryCounts categories) noexcept nogil:
    """Sort the categories by the share of the second class or by the mean, then by code: a merge sort."""
    cdef index_t i, start, width = 1, n = categories.n_present
    for i in range(n):
        categories.order[i] = i
    while width < n:
        start = 0
        while start < n:
            _merge(categories, start, min(start + width, n), min(start + 2 * width, n))
            start += 2 * width
        categories.order[:n] = categories.spare_order[:n]
        width *= 2


cdef inline void _merge(CategoryCounts categories, index_t start, index_t middle, index_t stop) noexcept nogil:
    """Merge the sorted parts order[start:middle] and order[middle:stop] to spare_order[start:stop]."""
    cdef index_t i, left = start, right = middle
    for i in range(start, stop):
        if right == stop or left < middle and not _is_less(
            categories, categories.order[right], categories.order[left]
        ):
            categories.spare_order[i] = categories.order[left]
            left += 1
        else:
            categories.spare_order[i] = categories.order[right]
            right += 1


cdef inline bint _is_less(CategoryCounts categories, index_t one, index_t other) noexcept nogil:
    """Whether the share of the second class, or the mean, is less in one category than in the other."""
    cdef const int64_t* a = &categories.counts[one, 0]
    cdef const int64_t* b = &categories.counts[other, 0]
    cdef const TargetSums* sums
    cdef const TargetSums* others
    if categories.has_targets:
        sums, others = sums_of_category(categories, one), sums_of_category(categories, other)
        return sums.sum * others.weight < others.sum * sums.weight
    return <int128_t> a[1] * (b[0] + b[1]) < <int128_t> b[1] * (a[0] + a[1])


# ---------------------------------------------------------------------------------------------------------- divisions

cdef index_t n_divisions(CategoryCounts categories) noexcept nogil:
    """Return how many divisions there are to judge; they are numbered from 1."""
    return categories.n_present - 1 if categories.by_share else (1 << (categories.n_present - 1)) - 1


cdef void list_division(CategoryCounts categories, index_t number) noexcept nogil:
    """List the categories of one side of a division."""
    cdef index_t i
    categories.is_listed[:categories.n_present] = False
    categories.n_listed = 0
    categories.listed_counts[:] = 0
    categories.listed_weight = 0
    if categories.by_share:
        for i in range(number):
            _list(categories, categories.order[i])
        return
    for i in range(1, categories.n_present):
        if number >> (i - 1) & 1:
            _list(categories, i)


cdef void list_next_division(CategoryCounts categories, index_t number) noexcept nogil:
    """List the categories of one side of a division; the division before it, if any, is listed."""
    if number == 1 or not categories.by_share:
        list_division(categories, number)
    else:
        _list(categories, categories.order[number - 1])


cdef inline void _list(CategoryCounts categories, index_t category) noexcept nogil:
    cdef index_t label
    categories.is_listed[category] = True
    categories.n_listed += categories.sizes[category]
    categories.listed_weight += categories.weight[category]
    if categories.has_targets:
        listed_sums(categories).weight += sums_of_category(categories, category).weight
        listed_sums(categories).sum += sums_of_category(categories, category).sum
        return
    for label in range(categories.n_classes):
        categories.listed_counts[label] += categories.counts[category, label]
