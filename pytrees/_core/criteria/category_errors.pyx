"""The sums of distances to the median of a category's targets, and of the targets of a set of categories.

The samples of a category are put into the order of their targets by going through the node's samples in this order. A
set of categories has too many samples to go through all of them for every set: the weights of the set's categories say
between which steps its median lies, and only the samples of this step are looked at.
"""

import numpy as np

cimport cython

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport index_t, int64_t, uint32_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.categories cimport MOST_DIVIDED

cdef enum:
    STEP = 64       # samples


@cython.final
cdef class CategoryErrors:
    def __cinit__(self, MedianErrors errors, Py_ssize_t n_rows, Py_ssize_t most_categories, bint has_sets):
        self.errors = errors
        self.targets, self.weights = errors.targets, errors.weights
        self.category_at = np.zeros(n_rows + 1, dtype=np.int32)
        self.starts = np.zeros(min(most_categories, n_rows) + 2, dtype=np.int32)
        self.positions = np.zeros(n_rows, dtype=np.int32)
        n_steps, most_divided = (n_rows // STEP + 2 if has_sets else 0), min(most_categories, MOST_DIVIDED)
        self.weights_before = np.zeros((n_steps, most_divided), dtype=np.int64)
        self.sums_before = np.zeros((n_steps, most_divided * (sizeof(int128_t) // sizeof(int64_t))), dtype=np.int64)


cdef void take_categories(CategoryErrors categories, const Entry* entries) noexcept nogil:
    """Put the samples of every category into the order of their targets; the node's entries are sorted by category."""
    cdef index_t i, position, category = -1
    for i in range(categories.errors.n):
        if i == 0 or key_of(entries[i]) != key_of(entries[i - 1]):
            category += 1
            # Until the samples are in order, the start of the next category is the end of this one so far.
            categories.starts[category + 1] = i
        categories.category_at[categories.errors.position_of_place[place_of(entries[i])]] = category
    categories.n_categories = category + 1
    categories.starts[0] = 0
    for position in range(1, categories.errors.n + 1):
        category = categories.category_at[position]
        categories.positions[categories.starts[category + 1]] = position
        categories.starts[category + 1] += 1


cdef int128_t error_of_category(CategoryErrors categories, index_t category) noexcept nogil:
    """Return the sum of the distances of a category's targets to their lower median."""
    cdef index_t i, start = categories.starts[category], stop = categories.starts[category + 1], median = start
    cdef int64_t total = 0, up_to, distance
    cdef int128_t error = 0
    for i in range(start, stop):
        total += categories.weights[categories.positions[i]]
    up_to = categories.weights[categories.positions[start]]
    while 2 * up_to < total:
        median += 1
        up_to += categories.weights[categories.positions[median]]
    for i in range(start, stop):
        distance = categories.targets[categories.positions[i]] - categories.targets[categories.positions[median]]
        error += <int128_t> categories.weights[categories.positions[i]] * (distance if i > median else -distance)
    return error


# --------------------------------------------------------------------------------------------------- sets of categories

cdef inline int128_t* _sums_before(CategoryErrors categories, index_t step) noexcept nogil:
    return <int128_t*> &categories.sums_before[step, 0]


cdef void sum_steps(CategoryErrors categories) noexcept nogil:
    """Prepare the sums of sets of a few categories. The last step comes after all samples."""
    cdef index_t position, category, step = 0
    for category in range(categories.n_categories):
        categories.weights_before[0, category] = 0
        _sums_before(categories, 0)[category] = 0
    # The samples before `position` are summed in the step after `step`.
    for position in range(1, categories.errors.n + 1):
        if (position - 1) % STEP == 0:
            step = (position - 1) // STEP
            for category in range(categories.n_categories):
                categories.weights_before[step + 1, category] = categories.weights_before[step, category]
                _sums_before(categories, step + 1)[category] = _sums_before(categories, step)[category]
        category = categories.category_at[position]
        categories.weights_before[step + 1, category] += categories.weights[position]
        _sums_before(categories, step + 1)[category] += (
            <int128_t> categories.weights[position] * categories.targets[position]
        )


cdef int128_t error_of_set(CategoryErrors categories, uint32_t is_in) noexcept nogil:
    """Return the sum of the distances of the targets of a set of categories to their lower median. The set has samples,
    and the binary digits of `is_in`, the lowest first, tell whether categories 0, 1, ... are in it."""
    cdef index_t middle, step = 0, last = (categories.errors.n - 1) // STEP + 1, position
    cdef int64_t total = _weight_of_set(categories, last, is_in), up_to
    cdef int128_t sum_of_all = _sum_of_set(categories, last, is_in), sum_up_to
    # Before `step` lies less than half of the weight, before `last` at least half.
    while last - step > 1:
        middle = (step + last) // 2
        if 2 * _weight_of_set(categories, middle, is_in) < total:
            step = middle
        else:
            last = middle
    up_to = _weight_of_set(categories, step, is_in)
    sum_up_to = _sum_of_set(categories, step, is_in)
    position = step * STEP
    while 2 * up_to < total:
        position += 1
        if is_in >> categories.category_at[position] & 1:
            up_to += categories.weights[position]
            sum_up_to += <int128_t> categories.weights[position] * categories.targets[position]
    return <int128_t> categories.targets[position] * (2 * up_to - total) + sum_of_all - 2 * sum_up_to


cdef inline int64_t _weight_of_set(CategoryErrors categories, index_t step, uint32_t is_in) noexcept nogil:
    """Return the weight of the set's samples before the step."""
    cdef index_t category
    cdef int64_t total = 0
    for category in range(categories.n_categories):
        if is_in >> category & 1:
            total += categories.weights_before[step, category]
    return total


cdef inline int128_t _sum_of_set(CategoryErrors categories, index_t step, uint32_t is_in) noexcept nogil:
    """Return the weighted sum of the targets of the set's samples before the step."""
    cdef index_t category
    cdef int128_t total = 0
    for category in range(categories.n_categories):
        if is_in >> category & 1:
            total += _sums_before(categories, step)[category]
    return total
