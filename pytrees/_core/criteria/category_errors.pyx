"""The sums of distances to the median of a category's targets, and of the targets of a set of categories.

The samples of a category are put into the order of their targets by going through the node's samples in this order. A
set of categories has too many samples to go through all of them for every set: the weights of the set's categories say
between which steps its median lies, and only the samples of this step are looked at.
"""

import numpy as np

cimport cython

from pytrees._core.base.sorting cimport Entry, key_of, place_of
from pytrees._core.base.types cimport index_t, int64_t, uint32_t

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
        self.weights_before, self.sums_before = np.zeros(
            (2, n_rows // STEP + 2 if has_sets else 0, most_categories), dtype=np.int64
        )


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


cdef int64_t error_of_category(CategoryErrors categories, index_t category) noexcept nogil:
    """Return the sum of the distances of a category's targets to their lower median."""
    cdef index_t i, start = categories.starts[category], stop = categories.starts[category + 1], median = start
    cdef int64_t total = 0, up_to, error = 0, distance
    for i in range(start, stop):
        total += categories.weights[categories.positions[i]]
    up_to = categories.weights[categories.positions[start]]
    while 2 * up_to < total:
        median += 1
        up_to += categories.weights[categories.positions[median]]
    for i in range(start, stop):
        distance = categories.targets[categories.positions[i]] - categories.targets[categories.positions[median]]
        error += categories.weights[categories.positions[i]] * (distance if i > median else -distance)
    return error


# --------------------------------------------------------------------------------------------------- sets of categories

cdef void sum_steps(CategoryErrors categories) noexcept nogil:
    """Prepare the sums of sets. The last step comes after all samples."""
    cdef index_t position, category, step = 0
    for category in range(categories.n_categories):
        categories.weights_before[0, category] = categories.sums_before[0, category] = 0
    # The samples before `position` are summed in the step after `step`.
    for position in range(1, categories.errors.n + 1):
        if (position - 1) % STEP == 0:
            step = (position - 1) // STEP
            for category in range(categories.n_categories):
                categories.weights_before[step + 1, category] = categories.weights_before[step, category]
                categories.sums_before[step + 1, category] = categories.sums_before[step, category]
        category = categories.category_at[position]
        categories.weights_before[step + 1, category] += categories.weights[position]
        categories.sums_before[step + 1, category] += categories.weights[position] * categories.targets[position]


cdef int64_t error_of_set(CategoryErrors categories, uint32_t is_in) noexcept nogil:
    """Return the sum of the distances of the targets of a set of categories to their lower median. The set has samples,
    and the binary digits of `is_in`, the lowest first, tell whether categories 0, 1, ... are in it."""
    cdef index_t middle, step = 0, last = (categories.errors.n - 1) // STEP + 1, position
    cdef int64_t total = _sum_of_set(categories, categories.weights_before, last, is_in)
    cdef int64_t sum_of_all = _sum_of_set(categories, categories.sums_before, last, is_in)
    cdef int64_t up_to, sum_up_to
    # Before `step` lies less than half of the weight, before `last` at least half.
    while last - step > 1:
        middle = (step + last) // 2
        if 2 * _sum_of_set(categories, categories.weights_before, middle, is_in) < total:
            step = middle
        else:
            last = middle
    up_to = _sum_of_set(categories, categories.weights_before, step, is_in)
    sum_up_to = _sum_of_set(categories, categories.sums_before, step, is_in)
    position = step * STEP
    while 2 * up_to < total:
        position += 1
        if is_in >> categories.category_at[position] & 1:
            up_to += categories.weights[position]
            sum_up_to += categories.weights[position] * categories.targets[position]
    return categories.targets[position] * (2 * up_to - total) + sum_of_all - 2 * sum_up_to


cdef inline int64_t _sum_of_set(
    CategoryErrors categories, int64_t[:, ::1] before, index_t step, uint32_t is_in
) noexcept nogil:
    cdef index_t category
    cdef int64_t total = 0
    for category in range(categories.n_categories):
        if is_in >> category & 1:
            total += before[step, category]
    return total
