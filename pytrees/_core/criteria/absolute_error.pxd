"""Absolute error: the mean distance of the targets to their median, the lower one of two.

A class is a target, a whole number; its code is its rank. The sum of the distances of one child does not follow from
class counts that move, so the sums of all cuts of a feature are computed before its cuts are offered.
"""

cimport cython

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport MISSING_RIGHT, index_t, int64_t, uint8_t, uint64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.gain cimport Gain, exact_gain


@cython.final
cdef class MedianErrors:
    """The samples of a node in the order of their targets, and the errors of the children of a feature's cuts."""

    cdef index_t n                              # samples of the node
    cdef uint64_t[::1] keyed, spare             # their classes and places
    cdef int64_t[::1] weight_of_place
    cdef index_t[::1] position_of_place         # in the order of the targets, from 1 on
    # By position:
    cdef int64_t[::1] targets, weights
    cdef uint8_t[::1] is_missing                # the scanned feature's value
    cdef index_t[::1] previous, following       # links of the samples that are in the list
    cdef index_t[:, ::1] all_linked, links      # pairs of links, see Links: of all samples; of two lists
    # The list: its weight, the position of its median, the weight up to this position, and the sum of the distances.
    cdef int64_t total, up_to
    cdef int128_t error
    cdef index_t median
    cdef int64_t node_total                     # of all samples of the node
    cdef int128_t node_error
    # Memory of numbers of 128 bits, by side of the missing values, and number of known values on the left: the sums of
    # both children.
    cdef int64_t[:, ::1] left, right
    cdef int64_t[:, ::1] left_medians, right_medians    # only if they are kept


# The neighbours of a sample in a list.
cdef struct Links:
    index_t before, behind


cdef struct AbsoluteErrorScan:
    const int64_t* targets                      # by class
    const int128_t* left[2]
    const int128_t* right[2]
    int64_t total
    int128_t node_error, best_error             # best_error is -1 before the first cut
    index_t n_left
    int missing                                 # the side of the missing values


cdef void add_sample(MedianErrors errors, index_t place, index_t label, int64_t weight) noexcept nogil
cdef void sort_targets(MedianErrors errors, const int64_t[::1] targets) noexcept nogil
cdef void sum_errors(MedianErrors errors, const Entry* entries, index_t n_missing) noexcept nogil
cdef int128_t error_of_counts(const int64_t[::1] targets, const int64_t* counts) noexcept nogil


cdef inline int128_t* errors_of(int64_t[:, ::1] sums, int side) noexcept nogil:
    """Return the sums of the left or the right children, with the missing values on this side."""
    return <int128_t*> &sums[side, 0]


cdef inline void start_absolute_error(
    AbsoluteErrorScan* scan, MedianErrors errors, const int64_t[::1] targets
) noexcept nogil:
    cdef int side
    scan.targets = &targets[0]
    for side in range(2):
        scan.left[side], scan.right[side] = errors_of(errors.left, side), errors_of(errors.right, side)
    scan.total, scan.node_error = errors.node_total, errors.node_error
    scan.best_error = -1
    scan.n_left = 0
    scan.missing = MISSING_RIGHT


cdef inline bint offer_absolute_error(AbsoluteErrorScan* scan) noexcept nogil:
    cdef int128_t error = scan.left[scan.missing][scan.n_left] + scan.right[scan.missing][scan.n_left]
    if 0 <= scan.best_error <= error:
        return False
    scan.best_error = error
    return True


cdef inline Gain gain_of_absolute_error(const AbsoluteErrorScan* scan) noexcept nogil:
    return exact_gain(scan.node_error - scan.best_error, 1, scan.total)
