"""Functions that are known at samples: inner products under the samples' joint distribution."""

import numpy as np

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport float64_t, int64_t


def gram_of_samples(const int64_t[:, ::1] places, const float64_t[:, ::1] values, const float64_t[::1] weights):
    """Sum weighted products of the values of all pairs of trees, over samples and outputs; (n_trees, n_trees) float64.

    `values` is (n_places, n_outputs): row places[i, t] has the values of tree t at sample i.
    """
    cdef Py_ssize_t n_trees = places.shape[1], n_outputs = values.shape[1], i, k, s, t
    cdef int64_t work_done = 0
    cdef float64_t value
    cdef float64_t[:, ::1] products = np.zeros((n_trees, n_trees))
    cdef float64_t[::1] here = np.empty(n_trees)
    if weights.shape[0] != places.shape[0] or np.any(np.less(places, 0)) or np.any(
        np.greater_equal(places, values.shape[0])
    ):
        raise ValueError("Places must be rows of the values, one for every weight and tree.")
    with nogil:
        for i in range(places.shape[0]):
            check_signals(&work_done, n_trees * n_trees * n_outputs, WORK_BETWEEN_CHECKS)
            for k in range(n_outputs):
                for t in range(n_trees):
                    here[t] = values[places[i, t], k]
                # Most values are zero if they are indicators of classes.
                for s in range(n_trees):
                    if here[s] == 0.0:
                        continue
                    value = weights[i] * here[s]
                    for t in range(s + 1):
                        products[s, t] += value * here[t]
        for s in range(n_trees):
            for t in range(s):
                products[t, s] = products[s, t]
    return np.asarray(products)
