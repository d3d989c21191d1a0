"""The joint distribution of samples, as a measure: what trees are at the samples, instead of on boxes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._progress import progress
from .._typing import Boxes, FloatArray, IntArray
from .boxes import Leaves, check_codes

# Samples that are walked through the trees at once, so that the numbers of their leaves stay small.
_ROWS = 4096


class Samples(NamedTuple):
    """Samples as codes, and their weights: the measure ``"joint"``.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_attributes), int64
    weights : ndarray of shape (n_rows,), float64
    """

    rows: IntArray
    weights: FloatArray

    def values_of(self, leaves: Leaves) -> FloatArray:
        """Return the sum of the trees' functions at the samples; (n_rows, n_outputs) float64."""
        X = self.rows.astype(np.float64)
        found = zip(leaves.trees, leaves.node_values, strict=True)
        total: Any = sum(values[tree.apply_valid(X)] for tree, values in found)
        return total

    def gram(self, leaves: Leaves, *, verbose: bool = False) -> FloatArray:
        """Return the inner products of the functions of all pairs of trees: weighted means over the samples."""
        first = np.cumsum([0, *(tree.node_count for tree in leaves.trees[:-1])])
        values, products = np.ascontiguousarray(np.concatenate(leaves.node_values)), np.zeros(1)
        starts = range(0, len(self.rows), _ROWS)
        for start in progress(starts, len(starts), "blocks of samples", enabled=verbose):
            X = self.rows[start : start + _ROWS].astype(np.float64)
            places = [tree.apply_valid(X) + place for tree, place in zip(leaves.trees, first, strict=True)]
            places = np.ascontiguousarray(np.stack(places, axis=1), dtype=np.int64)
            found = kernel("gram_of_samples")(places, values, self.weights[start : start + _ROWS])
            products = products + np.asarray(found, dtype=np.float64)
        return products / self.weights.sum()

    def average(self, leaves: Leaves, box: Boxes) -> FloatArray:
        """Return the mean of the sum of trees over the samples in a box; NaN where there are none."""
        _, attributes, run_indptr, start, stop = box
        weights = self.weights.copy()
        for i, m in enumerate(attributes):
            codes, runs = self.rows[:, m], slice(run_indptr[i], run_indptr[i + 1])
            allowed = [(low <= codes) & (codes < high) for low, high in zip(start[runs], stop[runs], strict=True)]
            weights[~np.any(allowed, axis=0)] = 0.0
        if not weights.any():
            return np.full(leaves.values.shape[1], np.nan)
        inside = np.flatnonzero(weights)
        return np.average(self.values_of(leaves)[inside], axis=0, weights=weights[inside])


def joint_samples(measure: object, cardinalities: IntArray, X: ArrayLike | None) -> Samples | None:
    """Return the samples of the measure ``"joint"``; None where the measure is another, a product."""
    if isinstance(measure, Samples):
        return measure
    if not isinstance(measure, str) or measure != "joint":
        return None
    if X is None:
        raise ValueError("measure='joint' needs X, the samples that it is the distribution of.")
    rows = check_codes(X, cardinalities)
    if not len(rows):
        raise ValueError("X has no samples: it has no distribution.")
    return Samples(rows, np.ones(len(rows)))
