# cython: language_level=3, freethreading_compatible=True
"""Criteria of a package that was built on pytrees 0.2. Their own fields and methods lie behind those of the bases."""

from libc.stdint cimport int64_t

from pytrees.criteria cimport CountCriterion, SequenceCriterion, SumCriterion, index_t


cdef double gini(const double[:] counts, double scale) except -1 nogil:
    cdef double total = 0.0, squares = 0.0
    for k in range(counts.shape[0]):
        total += counts[k]
        squares += counts[k] * counts[k]
    return scale * (total - squares / total)


cdef class Gini(CountCriterion):
    cdef double scale
    cdef readonly long n_calls

    def __init__(self, scale):
        self.scale = scale

    cdef double of_side(self, const double[:] counts) except -1 nogil:
        return gini(counts, self.scale)

    cdef int judge(self, const double[:, :] left, const double[:, :] right, double[:] gains) except -1 nogil:
        self.n_calls += 1
        for cut in range(left.shape[0]):
            gains[cut] = -self.of_side(left[cut]) - self.of_side(right[cut])
        return 0


cdef class Variance(SumCriterion):
    cdef double scale

    def __init__(self, scale):
        self.scale = scale

    cdef int judge(self, const double[:, :] left, const double[:, :] right, double[:] gains) except -1 nogil:
        for cut in range(left.shape[0]):
            gains[cut] = -self.scale * (left[cut, 2] + right[cut, 2])
        return 0


cdef class Changes(SequenceCriterion):
    """Minus the number of neighbours of different classes that are on the same side."""

    cdef object scale

    def __init__(self, scale):
        self.scale = scale

    cdef int judge(
        self, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order, const index_t[:] n_left,
        double[:] gains
    ) except -1 nogil:
        cdef int last[2]
        cdef Py_ssize_t cut, i, row
        cdef int changes, side
        with gil:
            goes_left = bytearray(labels.shape[0])
            for cut in range(n_left.shape[0]):
                for i in range(n_left[cut]):
                    goes_left[order[i]] = 1
                last[0] = last[1] = -1
                changes = 0
                for row in range(labels.shape[0]):
                    side = goes_left[row]
                    changes += last[side] != -1 and last[side] != labels[row]
                    last[side] = labels[row]
                gains[cut] = -self.scale * changes
        return 0
