"""The request for one tree."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.split.allowed_cuts cimport Limits


@cython.final
cdef class Plan:
    """A tree's criterion and limits, and what follows from them before it grows; all its threads read the same plan."""

    cdef object criterion          # a name, or a name and parameters
    cdef Py_ssize_t n_classes
    cdef bint is_narrow            # the weights of all samples fit the narrow arithmetic
    cdef int64_t total_weight      # of the samples of the tree
    cdef bint subsets              # categories are divided into two sets
    cdef object directions         # of monotonic constraints, by feature; None without constraints
    cdef index_t max_features, n_threads
    # Limits: of cuts, of nodes, of the tree.
    cdef Limits limits
    cdef index_t min_samples_split, max_depth, max_leaf_nodes
    cdef float64_t min_gain, min_impurity_decrease      # -inf and 0 do not limit
    cdef bint is_best_first        # the number of leaves is limited
    cdef bint lists_rows           # of leaves, for values of targets that were rounded
    cdef Py_ssize_t block_rows     # nodes of more samples are not sorted; the accelerator searches them
