"""The sums of distances to the median of both children, for all cuts of a feature.

A list holds samples in the order of their targets, and points to the median. As a sample is taken out, the median moves
by a step or two, and the sum of the distances changes by the weights on both sides. Samples leave the right children of
a feature's cuts in ascending order of the feature, and the left children in descending order.

Samples that all weigh one take no conditional jumps. Let m be their number before a sample is taken out. If m is even,
every number from the lower to the upper median has the same sum of distances. So the sum falls by the distance of the
sample to the median of the odd one of both numbers, m and m - 1, whatever the order of the targets is.
"""

import numpy as np

cimport cython
from libc.string cimport memcpy

from pytrees._core.base.sorting cimport Entry, key_of, place_of, sort_entries
from pytrees._core.base.types cimport MISSING_LEFT, MISSING_RIGHT, index_t, int64_t, uint64_t
from pytrees._core.base.wide cimport int128_t


# A list of samples that weigh one: their links, the position of their lower median, and the sum of the distances.
cdef struct EqualList:
    Links* links
    index_t median
    int64_t error


@cython.final
cdef class MedianErrors:
    def __cinit__(self, Py_ssize_t n_rows):
        self.keyed, self.spare = np.zeros((2, n_rows), dtype=np.uint64)
        self.weight_of_place = np.zeros(n_rows, dtype=np.int64)
        self.position_of_place = np.zeros(n_rows, dtype=np.int32)
        # Position 0 stands before all samples, and the position after the last sample behind them.
        self.targets, self.weights = np.zeros((2, n_rows + 2), dtype=np.int64)
        self.previous, self.following = np.zeros((2, n_rows + 2), dtype=np.int32)
        # Links of all samples: each to the position before it, and to the position behind it.
        self.all_linked = np.arange(n_rows + 2, dtype=np.int32)[:, np.newaxis] + np.array([-1, 1], dtype=np.int32)
        self.links = np.empty((2, 2 * (n_rows + 2)), dtype=np.int32)
        self.is_missing = np.zeros(n_rows + 2, dtype=np.uint8)
        self.left, self.right = np.zeros((2, 2, (n_rows + 1) * (sizeof(int128_t) // sizeof(int64_t))), dtype=np.int64)
        self.left_medians, self.right_medians = np.zeros((2, 2, 0), dtype=np.int64)

    def keep_medians(self):
        """Keep the medians of both children of all cuts, too."""
        self.left_medians, self.right_medians = np.zeros((2, 2, len(self.targets) - 1), dtype=np.int64)


# --------------------------------------------------------------------------------------------------- a node's samples

cdef void add_sample(MedianErrors errors, index_t place, index_t label, int64_t weight) noexcept nogil:
    """Add a sample of the node, whose number of samples `n` is 0 at first; `sort_targets` comes after the last one."""
    errors.keyed[errors.n] = (<uint64_t> label << 32) | <uint64_t> place
    errors.weight_of_place[place] = weight
    errors.n += 1


cdef void sort_targets(MedianErrors errors, const int64_t[::1] targets) noexcept nogil:
    """Sort the samples of the node by target, and find their median and the sum of the distances."""
    cdef index_t position, place
    sort_entries(&errors.keyed[0], &errors.spare[0], errors.n)
    for position in range(1, errors.n + 1):
        place = place_of(errors.keyed[position - 1])
        errors.targets[position] = targets[key_of(errors.keyed[position - 1])]
        errors.weights[position] = errors.weight_of_place[place]
        errors.position_of_place[place] = position
    _fill_list(errors, False)
    errors.node_total, errors.node_error = errors.total, errors.error


# ---------------------------------------------------------------------------------------------- the cuts of a feature

cdef void sum_errors(MedianErrors errors, const Entry* entries, index_t n_missing) noexcept nogil:
    """Compute the sums of both children for all cuts of the node's sorted entries, the last of which lack the value."""
    cdef index_t i, n_known = errors.n - n_missing
    for i in range(n_missing):
        errors.is_missing[errors.position_of_place[place_of(entries[n_known + i])]] = True
    if (
        n_missing == 0 and errors.node_total == errors.n and errors.left_medians.shape[1] == 0
        and errors.node_error >> 62 == 0        # no child's sum is greater
    ):
        _sum_equal_weights(errors, entries)
    elif errors.left_medians.shape[1] > 0:
        _sum_sides(errors, entries, n_missing, True)
    else:
        _sum_sides(errors, entries, n_missing, False)
    for i in range(n_missing):
        errors.is_missing[errors.position_of_place[place_of(entries[n_known + i])]] = False


cdef inline void _sum_equal_weights(MedianErrors errors, const Entry* entries) noexcept nogil:
    """Compute the sums of both children if all samples weigh one and none lacks the value. Both lists lose their
    samples side by side, because each step of a list waits for the step before it."""
    cdef EqualList right, left
    cdef const int64_t* targets = &errors.targets[0]
    cdef const index_t* positions = &errors.position_of_place[0]
    cdef int128_t* of_right = errors_of(errors.right, MISSING_RIGHT)
    cdef int128_t* of_left = errors_of(errors.left, MISSING_RIGHT)
    cdef index_t i, n = errors.n
    right.links, left.links = <Links*> &errors.links[0, 0], <Links*> &errors.links[1, 0]
    memcpy(right.links, &errors.all_linked[0, 0], (n + 2) * sizeof(Links))
    memcpy(left.links, &errors.all_linked[0, 0], (n + 2) * sizeof(Links))
    right.median = left.median = (n + 1) // 2
    right.error = left.error = <int64_t> errors.node_error
    # entries[:i] are out of the right child's list, and entries[n - i:] out of the left child's.
    for i in range(n):
        of_left[n - i] = left.error
        if (n - i) & 1:
            _take_out_of_odd(&right, targets, positions[place_of(entries[i])])
            _take_out_of_odd(&left, targets, positions[place_of(entries[n - 1 - i])])
        else:
            _take_out_of_even(&right, targets, positions[place_of(entries[i])])
            _take_out_of_even(&left, targets, positions[place_of(entries[n - 1 - i])])
        of_right[i + 1] = right.error


cdef inline void _take_out_of_odd(EqualList* samples, const int64_t* targets, index_t position) noexcept nogil:
    """Take a sample out of an odd number: the lower median stays, or becomes the sample before it."""
    cdef index_t before = samples.links[samples.median].before
    cdef int64_t distance = targets[position] - targets[samples.median]
    samples.error -= distance if distance >= 0 else -distance
    samples.median = before if position >= samples.median else samples.median
    _unlink(samples, position)


cdef inline void _take_out_of_even(EqualList* samples, const int64_t* targets, index_t position) noexcept nogil:
    """Take a sample out of an even number: the median is the lower or the upper one of two."""
    cdef index_t behind = samples.links[samples.median].behind
    cdef int64_t distance
    samples.median = behind if position <= samples.median else samples.median
    distance = targets[position] - targets[samples.median]
    samples.error -= distance if distance >= 0 else -distance
    _unlink(samples, position)


cdef inline void _unlink(EqualList* samples, index_t position) noexcept nogil:
    cdef Links of_sample = samples.links[position]
    samples.links[of_sample.before].behind = of_sample.behind
    samples.links[of_sample.behind].before = of_sample.before


cdef inline void _sum_sides(
    MedianErrors errors, const Entry* entries, index_t n_missing, bint keeps_medians
) noexcept nogil:
    _empty(errors, entries, n_missing, MISSING_RIGHT, False, keeps_medians)
    _empty(errors, entries, n_missing, MISSING_RIGHT, True, keeps_medians)
    if n_missing > 0:
        _empty(errors, entries, n_missing, MISSING_LEFT, False, keeps_medians)
        _empty(errors, entries, n_missing, MISSING_LEFT, True, keeps_medians)


cdef inline void _empty(
    MedianErrors errors, const Entry* entries, index_t n_missing, int side, bint is_left, bint keeps_medians
) noexcept nogil:
    """Write the sums of the left or the right children, with missing values on this side; sums[i] with the first i
    samples on the left. Samples leave left children from the last on, and right children from the first on."""
    cdef index_t k, i, n_known = errors.n - n_missing
    cdef int128_t* sums = errors_of(errors.left, side) if is_left else errors_of(errors.right, side)
    _fill_list(errors, n_missing > 0 and side == (MISSING_RIGHT if is_left else MISSING_LEFT))
    for k in range(1, n_known + 1):
        i = n_known + 1 - k if is_left else k
        if not is_left:
            _take_out(errors, errors.position_of_place[place_of(entries[i - 1])])
        sums[i] = errors.error
        if keeps_medians and is_left:
            errors.left_medians[side, i] = errors.targets[errors.median]
        elif keeps_medians:
            errors.right_medians[side, i] = errors.targets[errors.median]
        if is_left:
            _take_out(errors, errors.position_of_place[place_of(entries[i - 1])])


# ----------------------------------------------------------------------------------------------------------- the list

cdef void _fill_list(MedianErrors errors, bint without_missing) noexcept nogil:
    """Put in all samples of the node, perhaps without those that lack the value."""
    cdef index_t position, last = 0
    errors.total = 0
    # `last` is the last sample that is in so far.
    for position in range(1, errors.n + 1):
        if without_missing and errors.is_missing[position]:
            continue
        errors.following[last] = position
        errors.previous[position] = last
        errors.total += errors.weights[position]
        last = position
    errors.following[last] = errors.n + 1
    errors.previous[errors.n + 1] = last
    errors.error = 0
    if errors.total == 0:
        return
    errors.median = errors.following[0]
    errors.up_to = errors.weights[errors.median]
    position = errors.median
    while position <= errors.n:
        errors.error += <int128_t> errors.weights[position] * (errors.targets[position] - errors.targets[errors.median])
        position = errors.following[position]
    _settle(errors)


cdef inline void _take_out(MedianErrors errors, index_t position) noexcept nogil:
    cdef int64_t weight = errors.weights[position]
    cdef index_t before = errors.previous[position], behind = errors.following[position]
    errors.following[before] = behind
    errors.previous[behind] = before
    errors.total -= weight
    if errors.total == 0:
        errors.error = 0
        return
    if position < errors.median:
        errors.up_to -= weight
        errors.error -= <int128_t> weight * (errors.targets[errors.median] - errors.targets[position])
    elif position > errors.median:
        errors.error -= <int128_t> weight * (errors.targets[position] - errors.targets[errors.median])
    else:
        errors.up_to -= weight
        if behind <= errors.n:
            _move_up(errors, behind)
        else:
            errors.error -= <int128_t> errors.up_to * (errors.targets[errors.median] - errors.targets[before])
            errors.median = before
    _settle(errors)


cdef inline void _settle(MedianErrors errors) noexcept nogil:
    """Move to the lower median: the first sample up to which lies half of the weight."""
    cdef index_t before
    cdef int64_t step
    while 2 * errors.up_to < errors.total:
        _move_up(errors, errors.following[errors.median])
    while 2 * (errors.up_to - errors.weights[errors.median]) >= errors.total:
        before = errors.previous[errors.median]
        errors.up_to -= errors.weights[errors.median]
        step = errors.targets[errors.median] - errors.targets[before]
        errors.error += <int128_t> step * (errors.total - 2 * errors.up_to)
        errors.median = before


cdef inline void _move_up(MedianErrors errors, index_t behind) noexcept nogil:
    cdef int64_t step = errors.targets[behind] - errors.targets[errors.median]
    errors.error += <int128_t> step * (2 * errors.up_to - errors.total)
    errors.median = behind
    errors.up_to += errors.weights[behind]


# -------------------------------------------------------------------------------------------------------- class counts

cdef int128_t error_of_counts(const int64_t[::1] targets, const int64_t* counts) noexcept nogil:
    """Return the sum of the distances to the lower median, 0 without samples."""
    cdef index_t label, median = 0
    cdef int64_t total = 0, up_to = 0, distance
    cdef int128_t error = 0
    for label in range(<index_t> targets.shape[0]):
        total += counts[label]
    for label in range(<index_t> targets.shape[0]):
        up_to += counts[label]
        if 2 * up_to >= total:
            median = label
            break
    for label in range(<index_t> targets.shape[0]):
        distance = targets[label] - targets[median]
        error += <int128_t> counts[label] * (distance if distance > 0 else -distance)
    return error
