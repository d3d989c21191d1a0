"""The request for one tree. `plan.pxd` has the fields."""

from fractions import Fraction
from math import ceil

import numpy as np

cimport cython

from pytrees._core.base.types cimport UNLIMITED
from pytrees._core.split.allowed_cuts cimport least_samples

from pytrees._core.criteria.counts import sums_are_wide
from pytrees._core.criteria.table import is_wide


@cython.final
cdef class Plan:
    def __init__(
        self, criterion, n_classes, y, weights, rows, *, max_depth, min_samples_split, min_samples_leaf,
        max_leaf_nodes, min_gain, max_candidates, max_features, n_threads, subsets, min_impurity_decrease,
        min_weight_fraction_leaf, lists_rows,
    ):
        self.criterion, self.n_classes = criterion, n_classes
        self.max_depth, self.min_samples_split, self.max_leaf_nodes = max_depth, min_samples_split, max_leaf_nodes
        self.min_gain, self.min_impurity_decrease = min_gain, min_impurity_decrease
        self.max_features, self.n_threads, self.subsets = max_features, n_threads, subsets
        self.is_best_first, self.lists_rows = max_leaf_nodes < UNLIMITED, lists_rows
        self.total_weight = len(rows) if weights is None else int(np.sum(np.asarray(weights)[rows]))
        self.limits = least_samples(min_samples_leaf)
        self.limits.max_candidates = max_candidates
        if min_weight_fraction_leaf != 0.0:
            # The fraction is the decimal number that it is written as.
            self.limits.min_leaf_weight = ceil(Fraction(repr(min_weight_fraction_leaf)) * self.total_weight)
        if weights is None:
            self.limits.min_samples_leaf = max(min_samples_leaf, self.limits.min_leaf_weight)
            self.limits.min_leaf_weight = 0
        weight_of_all = len(y) if weights is None else int(np.sum(weights))
        self.is_narrow = not (
            is_wide(criterion, n_classes, weight_of_all, weights) or sums_are_wide(criterion, weight_of_all)
        )
        self.block_rows = len(rows)
