"""Trees built from functions by TCFS."""

from typing import NamedTuple

import numpy as np

from .._engine import kernel
from ..input.categories import resolve
from ..tree import Tree
from ..trees.base import or_unlimited
from .boxes import check_number, check_positive

# Energies that differ by this share of the squared magnitude are equal: rounding could have made the difference.
_ROUNDING = 1e-12
_CRITERIA = ("entropy", "variance")


class RebuiltTree(NamedTuple):
    """A tree built from a function, and the averages of the function over the schemata of the nodes.

    Parameters
    ----------
    tree : Tree
        Its `value` holds the averages as shares of classes, cut off at 0 and 1, times the probability of the node's
        schema; of one output, the shares of "any other class" and of the class. There are no training samples:
        `n_node_samples` is 1 everywhere. `gain` is in bits, or in squared units of the function.
    averages : ndarray of shape (node_count, n_outputs), float64
        The averages without cutting off; the tree's function is ``averages[tree.apply(X)]``. Values that have no mass
        under the measure have no child at a multiway node: there the function is the average of that node.

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
    averages: np.ndarray

    def evaluate(self, X):
        """Evaluate the function: return the averages of the leaves that the samples come to.

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


def categorical_mask(categorical_features, n_attributes):
    """Return which attributes are split into all their values; ndarray of shape (n_attributes,), bool.

    None stands for none of them, otherwise it is a mask, or their indices.
    """
    if isinstance(categorical_features, str):
        raise ValueError(f"categorical_features must be a mask or indices, got {categorical_features!r}.")
    mask = resolve(categorical_features, None, n_attributes)
    return np.zeros(n_attributes, dtype=bool) if mask is None else mask


def rebuild(function, arguments, magnitude_squared, is_categorical, criterion, tol, max_depth, max_leaf_nodes):
    """Call a kernel of TCFS, and make a Tree of what it returns."""
    if criterion not in _CRITERIA:
        raise ValueError(f"criterion must be one of {list(_CRITERIA)}, got {criterion!r}.")
    check_number("tol", tol, 0.0)
    if max_depth != 0 or isinstance(max_depth, bool):
        check_positive("max_depth", max_depth)
    check_positive("max_leaf_nodes", max_leaf_nodes)
    scale = float(magnitude_squared) or 1.0
    arrays = kernel(function)(
        *arguments,
        criterion,
        float(tol) + _ROUNDING * scale,
        scale,
        or_unlimited(max_depth),
        or_unlimited(max_leaf_nodes),
        is_categorical,
    )
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    averages, masses = arrays.pop("average"), arrays.pop("mass")
    arrays["value"] = _shares(averages) * masses[:, np.newaxis]
    arrays["n_node_samples"] = np.ones(len(masses), dtype=np.int64)
    return RebuiltTree(Tree.from_arrays(arrays, len(is_categorical)), averages)


def _shares(averages):
    """Convert averages to shares of classes; where no class has any, all have the same."""
    clipped = np.clip(averages, 0.0, 1.0)
    if clipped.shape[1] == 1:
        return np.hstack([1.0 - clipped, clipped])
    clipped[~clipped.any(axis=1)] = 1.0
    return clipped / clipped.sum(axis=1, keepdims=True)
