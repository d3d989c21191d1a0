# cython: language_level=3, boundscheck=False, cdivision=True, freethreading_compatible=True
"""Hellinger distance between the class distributions of a cut's two sides, as a criterion in Cython."""

from libc.math cimport sqrt

from pytrees.criteria cimport CountCriterion


cdef class HellingerDistance(CountCriterion):
    """The sum over the classes of (sqrt(share on the left) - sqrt(share on the right))**2, times the shares of the
    samples on both sides. Without these shares, a cut that sends a single sample aside would often be the best."""

    cdef int judge(
        self, const double[:, :] left, const double[:, :] right, double[:] gains
    ) except -1 nogil:
        cdef Py_ssize_t cut, k, n_classes = left.shape[1]
        cdef double n_left, n_right, difference
        for cut in range(left.shape[0]):
            n_left = n_right = 0.0
            for k in range(n_classes):
                n_left += left[cut, k]
                n_right += right[cut, k]
            gains[cut] = 0.0
            for k in range(n_classes):
                difference = sqrt(left[cut, k] / n_left) - sqrt(right[cut, k] / n_right)
                gains[cut] += difference * difference
            gains[cut] *= n_left * n_right / ((n_left + n_right) * (n_left + n_right))
        return 0
