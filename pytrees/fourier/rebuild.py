"""Build trees from functions by TCFS, the tree construction from Fourier spectra of Kargupta, Park and Dutta."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._numbers import times_power
from .._typing import BoolArray, FloatArray
from ..input.categories import resolve
from ..tree import Tree
from ..trees.base import or_unlimited
from .boxes import check_number, check_positive, check_share

# Energies count as equal if they differ by at most this share of the squared magnitude, which can be rounding.
_ROUNDING = 1e-12
_CRITERIA = ("entropy", "variance")
# The growth of a tree without limits ends with an error at this number of leaves: it could take for ever.
MOST_LEAVES = 10_000


class RebuiltTree(NamedTuple):
    """A tree built from a function, and the averages of the function over the schemata of the nodes.

    Parameters
    ----------
    tree : Tree
        The tree. Its `value` holds the averages as shares of classes, cut off at 0 and 1, times the probability of the
        node's schema; one output gives the shares of "any other class" and of the class. A tree that was made of trees
        of numbers is a tree of numbers: its `value` holds the averages as they are, and its `weighted_n_node_samples`
        the probabilities. There are no training samples: `n_node_samples` is 1 everywhere. `gain` is in bits, or in
        squared units of the function.
    averages : ndarray of shape (node_count, n_outputs), float64
        The averages without cutting off; the tree's function is ``averages[tree.apply(X)]``. A value without mass under
        the measure has no child at a multiway node: its samples get the average of that node.

    See Also
    --------
    tree_from_ensemble : Makes one of an ensemble.
    FourierSpectrum.to_tree : Makes one of a spectrum.

    Examples
    --------
    The mean of two trees, "and" and "or", is no indicator of a class:

    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import tree_from_ensemble
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> trees = [DecisionTreeClassifier().fit(X, y) for y in ([0, 0, 0, 1], [0, 1, 1, 1])]
    >>> rebuilt = tree_from_ensemble(trees, [2, 2], criterion="variance")
    >>> rebuilt.evaluate(X).ravel()
    array([0. , 0.5, 0.5, 1. ])
    """

    tree: Tree
    averages: FloatArray

    def evaluate(self, X: ArrayLike) -> FloatArray:
        """Evaluate the function: return the averages of the leaves that the samples reach.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs), float64
            The values of the tree's function.
        """
        return self.averages[self.tree.apply(X)]


def categorical_mask(categorical_features: ArrayLike | None, n_attributes: int) -> BoolArray:
    """Return which attributes are split into all their values; ndarray of shape (n_attributes,), bool.

    `categorical_features` is a mask or indices; None stands for no attribute.
    """
    if isinstance(categorical_features, str):
        raise ValueError(f"categorical_features must be a mask or indices, got {categorical_features!r}.")
    mask = resolve(categorical_features, None, n_attributes)
    return np.zeros(n_attributes, dtype=bool) if mask is None else mask


class Limits(NamedTuple):
    """The limits of a rebuilt tree's growth, and the criterion of its splits.

    `settled` has two arrays of shape (n_groups, n_outputs of a group). A node becomes a leaf if every group has an
    output whose average is at most the number in the first array, or at least the number in the second. None: never.
    """

    criterion: str
    tol: float
    max_depth: int | None
    max_leaf_nodes: int | None
    settled: tuple[FloatArray, FloatArray] | None

    def checked(self) -> Self:
        """Return the limits; raise ValueError if one is invalid."""
        if not isinstance(self.criterion, str) or self.criterion not in _CRITERIA:
            raise ValueError(f"criterion must be one of {list(_CRITERIA)}, got {self.criterion!r}.")
        check_number("tol", self.tol, 0.0)
        if self.max_depth != 0 or isinstance(self.max_depth, bool):
            check_positive("max_depth", self.max_depth)
        check_positive("max_leaf_nodes", self.max_leaf_nodes)
        return self


def settled_classes(min_confidence: float | None, n_outputs: int) -> tuple[FloatArray, FloatArray] | None:
    """Return `Limits.settled` for averages that are shares of classes, by this confidence; None for no limit.

    Section V.A of the paper: the confidence of one output is max(phi, 1 - phi), of the class or of the others; the
    confidence of several outputs is the greatest share.
    """
    if min_confidence is None:
        return None
    check_share("min_confidence", min_confidence)
    least = np.full((1, n_outputs), float(min_confidence) - _ROUNDING)
    return np.full((1, n_outputs), -np.inf) if n_outputs > 1 else 1.0 - least, least


def rebuild(
    function: str,
    arguments: tuple[Any, ...],
    magnitude_squared: float,
    is_categorical: BoolArray,
    limits: Limits,
    exponent: int,
) -> RebuiltTree:
    """Call a kernel of TCFS, and make a Tree of its result. The arguments give the function times 2**-exponent."""
    criterion, tol, max_depth, max_leaf_nodes, settled = limits.checked()
    scale = float(magnitude_squared) or 1.0
    tol = float(times_power(float(tol), -2 * exponent))  # infinity and 0 decide as numbers beyond the range would
    settled = None if settled is None else (times_power(settled[0], -exponent), times_power(settled[1], -exponent))
    arrays = kernel(function)(
        *arguments,
        criterion,
        tol + _ROUNDING * scale,
        scale,
        or_unlimited(max_depth),
        or_unlimited(max_leaf_nodes),
        is_categorical,
        settled,
        MOST_LEAVES if max_leaf_nodes is None else or_unlimited(None),
        exponent,
    )
    if arrays is None:
        raise too_many_leaves("The rebuilt tree has")
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    averages, masses = times_power(arrays.pop("average"), exponent), arrays.pop("mass")
    if criterion == "variance":
        arrays["gain"] = np.minimum(times_power(arrays["gain"], 2 * exponent), np.finfo(np.float64).max)
    if not np.all(np.isfinite(averages)):
        raise ValueError("The averages of the function are beyond the range of float64, 1.8e308.")
    arrays["value"] = _shares(averages) * masses[:, np.newaxis]
    arrays["n_node_samples"] = np.ones(len(masses), dtype=np.int64)
    return RebuiltTree(Tree.from_arrays(arrays, len(is_categorical)), averages)


def too_many_leaves(what: str) -> ValueError:
    """Return the error that a tree without limits is too large."""
    return ValueError(
        f"{what} more than {MOST_LEAVES} leaves, and max_leaf_nodes=None. A sum of trees, or a truncated spectrum, can "
        "need exponentially more leaves than the trees have. Set max_leaf_nodes (to a greater number, if you want all "
        "leaves), max_depth, min_confidence or tol."
    )


def _shares(averages: FloatArray) -> FloatArray:
    """Convert averages to shares of classes; equal shares if no class has any."""
    clipped = np.clip(averages, 0.0, 1.0)
    if clipped.shape[1] == 1:
        return np.hstack([1.0 - clipped, clipped])
    clipped[~clipped.any(axis=1)] = 1.0
    return clipped / clipped.sum(axis=1, keepdims=True)
