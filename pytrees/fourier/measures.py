"""The measures under which means are taken: a product of masses, or the joint distribution of samples.

The two classes have the same methods, which take sums of trees as :class:`Leaves`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._engine import kernel
from .._numbers import real_array
from .._progress import progress, shown
from .._typing import AnyArray, Boxes, FloatArray, IntArray, MatrixLike
from .boxes import MEMORY_LIMIT, Leaves, check_codes

# This many samples walk through the trees at a time, so that the indices of their leaves take little memory.
_ROWS = 4096
# A variance can be a rounding error up to this share of the squared span of the function.
ROUNDING = 1e-12


class Variances(NamedTuple):
    """The mean of a sum of trees, its variance summed over the outputs, and the parts of this variance.

    `first_order`, `total` and `pairs` are as in :class:`SobolIndices`, but not divided by the variance; `by_order` has
    the energy of every order, None under the joint distribution of samples.
    """

    mean: FloatArray
    variance: float
    first_order: FloatArray
    total: FloatArray
    pairs: FloatArray
    by_order: FloatArray | None


class Product(NamedTuple):
    """A product of measures, one for every attribute, as the kernels take it.

    Attributes
    ----------
    offsets : ndarray of shape (n_attributes + 1,), int64
        The masses of attribute m start at ``cumulative[offsets[m]]``.
    cumulative : ndarray of shape (sum of cardinalities + n_attributes,), float64
        The cumulative masses of every attribute, each starting with 0.
    """

    offsets: IntArray
    cumulative: FloatArray

    def gram(self, leaves: Leaves, *, verbose: bool = False) -> FloatArray:
        """Return the inner products of the functions of all pairs of trees."""
        with shown("pairs of leaves", enabled=verbose):
            products = kernel("gram")(leaves.indptr, leaves.boxes, leaves.values, self)
        return np.asarray(products, dtype=np.float64)

    def averages(self, leaves: Leaves, boxes: Boxes) -> FloatArray:
        """Return the means of the sum of trees over boxes; (n_boxes, n_outputs) float64, NaN without mass."""
        return np.asarray(kernel("box_averages")(leaves.boxes, leaves.values, boxes, self), dtype=np.float64)

    def variances(self, leaves: Leaves, *, verbose: bool = False) -> Variances:
        """Return the mean and variance of the sum of trees, and its parts by features and orders."""
        values, shift = _centred(leaves)
        with shown("pairs of leaves", enabled=verbose):
            found = kernel("box_effects")(leaves.boxes, values, self)
        mean, first, total, pairs, by_order = (np.asarray(part, dtype=np.float64) for part in found)
        by_order = np.maximum(by_order, 0.0)
        by_order[0] = ((mean + shift) ** 2).sum()
        return Variances(mean + shift, float(by_order[1:].sum()), first, total, np.maximum(pairs, 0.0), by_order)

    def mean_and_variance(self, leaves: Leaves, label: str | None = None) -> tuple[FloatArray, float]:
        """Return the mean of the sum of trees, and its variance summed over the outputs; show progress by a label."""
        with shown(label or "", enabled=label is not None):
            return self.variances(leaves)[:2]

    def profiles(self, leaves: Leaves, cardinalities: IntArray, wanted: Sequence[tuple[int, int]]) -> Any:
        """Return the means of the sum of trees with features, or pairs, set to each of their values."""
        return kernel("box_profiles")(leaves.boxes, leaves.values, self, wanted)

    def function_of(self, leaves: Leaves, cardinalities: IntArray) -> tuple[str, tuple[Any, ...]]:
        """Return the kernel that rebuilds the sum of trees as one tree, and its first arguments."""
        return "tree_from_boxes", (leaves.boxes, leaves.values, leaves.tree_of_box, self)


class Samples(NamedTuple):
    """The joint distribution of weighted samples: the measure ``"joint"``.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_attributes), int64
        The samples, as codes.
    weights : ndarray of shape (n_rows,), float64
        The weights of the samples.
    """

    rows: IntArray
    weights: FloatArray

    def values_of(self, leaves: Leaves) -> FloatArray:
        """Return the sum of the trees' functions at the samples; (n_rows, n_outputs) float64."""
        X = self.rows.astype(np.float64)
        found = zip(leaves.trees, leaves.node_values, strict=True)
        total: Any = sum(values[tree._apply_valid(X)] for tree, values in found)
        return total

    def gram(self, leaves: Leaves, *, verbose: bool = False) -> FloatArray:
        """Return the inner products of the functions of all pairs of trees."""
        first = np.cumsum([0, *(tree.node_count for tree in leaves.trees[:-1])])
        values, products = np.ascontiguousarray(np.concatenate(leaves.node_values)), np.zeros(1)
        starts = range(0, len(self.rows), _ROWS)
        for start in progress(starts, len(starts), "blocks of samples", enabled=verbose):
            X = self.rows[start : start + _ROWS].astype(np.float64)
            nodes = [tree._apply_valid(X) + before for tree, before in zip(leaves.trees, first, strict=True)]
            nodes = np.ascontiguousarray(np.stack(nodes, axis=1), dtype=np.int64)
            found = kernel("gram_of_samples")(nodes, values, self.weights[start : start + _ROWS])
            products = products + np.asarray(found, dtype=np.float64)
        return products / self.weights.sum()

    def averages(self, leaves: Leaves, boxes: Boxes) -> FloatArray:
        """Return the mean of the sum of trees over one box; (1, n_outputs) float64, NaN without samples."""
        _, attributes, run_indptr, start, stop = boxes
        weights = self.weights.copy()
        for i, m in enumerate(attributes):
            codes, runs = self.rows[:, m], slice(run_indptr[i], run_indptr[i + 1])
            allowed = [(low <= codes) & (codes < high) for low, high in zip(start[runs], stop[runs], strict=True)]
            weights[~np.any(allowed, axis=0)] = 0.0
        if not weights.any():
            return np.full((1, leaves.values.shape[1]), np.nan)
        inside = np.flatnonzero(weights)
        return np.average(self.values_of(leaves)[inside], axis=0, weights=weights[inside])[np.newaxis]

    def variances(self, leaves: Leaves, *, verbose: bool = False) -> Variances:
        """Return the mean and variance of the sum of trees, and its parts by features."""
        values = np.ascontiguousarray(self.values_of(leaves))
        with shown("pairs of features", enabled=verbose):
            found = kernel("sample_effects")(self.rows, values - values[0], self.weights)
        mean, first, total, pairs, variance = (np.asarray(part, dtype=np.float64) for part in found)
        return Variances(mean + values[0], float(variance), first, total, pairs, None)

    def mean_and_variance(self, leaves: Leaves, label: str | None = None) -> tuple[FloatArray, float]:
        """Return the mean of the sum of trees, and its variance summed over the outputs; too fast to show progress."""
        values = self.values_of(leaves)
        mean = np.average(values, axis=0, weights=self.weights)
        return mean, float(np.average((values - mean) ** 2, axis=0, weights=self.weights).sum())

    def profiles(self, leaves: Leaves, cardinalities: IntArray, wanted: Sequence[tuple[int, int]]) -> Any:
        """Return the means of the sum of trees with features, or pairs, set to each of their values."""
        return kernel("sample_profiles")(leaves.boxes, leaves.values, self.rows, self.weights, cardinalities, wanted)

    def function_of(self, leaves: Leaves, cardinalities: IntArray) -> tuple[str, tuple[Any, ...]]:
        """Return the kernel that rebuilds the sum of trees as one tree, and its first arguments."""
        return "tree_from_samples", (self.rows, self.values_of(leaves), self.weights, cardinalities)


def measure_of(
    measure: Any, cardinalities: IntArray, X: MatrixLike | None = None, weights: AnyArray | None = None
) -> Product | Samples:
    """Resolve a measure as users give it; `weights` belong to the samples X, None: all weigh the same."""
    if isinstance(measure, (Product, Samples)):
        return measure
    is_word = isinstance(measure, str)
    if is_word and measure == "joint":
        rows = _codes_of(X, measure, cardinalities)
        return Samples(rows, np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64))
    if X is not None and (not is_word or measure == "uniform"):
        raise ValueError("X is only for measure='empirical' and measure='joint'.")
    n_bytes = 8 * int(cardinalities.sum())
    if n_bytes > MEMORY_LIMIT:
        raise MemoryError(f"The masses of all values would take {n_bytes:.3g} bytes, more than {MEMORY_LIMIT}.")
    if is_word and measure == "uniform":
        masses = [np.ones(cardinality) for cardinality in cardinalities]
    elif is_word and measure == "empirical":
        columns = zip(_codes_of(X, measure, cardinalities).T, cardinalities, strict=True)
        masses = [np.bincount(column, weights, size).astype(np.float64) for column, size in columns]
        if weights is not None:
            masses = [part / weights.sum() for part in masses]
    else:
        masses = _checked_masses(measure, cardinalities)
    offsets = np.concatenate([[0], np.cumsum(cardinalities + 1)])
    return Product(offsets, np.concatenate([np.concatenate([[0.0], np.cumsum(part)]) for part in masses]))


def _codes_of(X: MatrixLike | None, measure: str, cardinalities: IntArray) -> IntArray:
    if X is None:
        raise ValueError(f"measure={measure!r} needs X, the samples whose distribution it is.")
    rows = check_codes(X, cardinalities)
    if not len(rows):
        raise ValueError("X has no samples: it has no distribution.")
    return rows


def _checked_masses(measure: object, cardinalities: IntArray) -> list[FloatArray]:
    if isinstance(measure, (str, Mapping)) or not np.iterable(measure):
        raise ValueError(
            f"measure must be 'uniform', 'empirical', 'joint', or a list of the masses of all values, got {measure!r}."
        )
    masses = [real_array(f"measure, for attribute {m},", part) for m, part in enumerate(measure)]
    if len(masses) != cardinalities.size:
        raise ValueError(f"measure has masses for {len(masses)} attributes; there are {cardinalities.size}.")
    for m, (part, cardinality) in enumerate(zip(masses, cardinalities, strict=True)):
        if part.shape != (cardinality,):
            raise ValueError(f"measure has masses of shape {part.shape} for attribute {m} of {cardinality} values.")
        if not np.all(np.isfinite(part)) or np.any(part < 0.0) or abs(part.sum() - 1.0) > 1e-9:
            raise ValueError(f"The masses of attribute {m} must be 0 or more and sum to 1; they sum to {part.sum()}.")
    return masses


def _centred(leaves: Leaves) -> tuple[FloatArray, FloatArray]:
    """Return the values minus a median of every tree, and the sum of the medians; the variance stays the same.

    Boxes of the median then have the value zero, and the kernel skips them.
    """
    values, shift = leaves.values.copy(), np.zeros(leaves.values.shape[1])
    for first, last in pairwise(leaves.indptr):
        median = np.sort(values[first:last], axis=0)[(last - first - 1) // 2]
        values[first:last] -= median
        shift += median
    return values, shift


def rounding(leaves: Leaves) -> float:
    """Return the variance up to which a sum of trees counts as constant, from the sum of the trees' spans."""
    spans = [np.ptp(leaves.values[first:last], axis=0).max() for first, last in pairwise(leaves.indptr)]
    return ROUNDING * float(sum(spans)) ** 2
