"""The decision tree of least error within limits on its levels and leaves, or with a cost of every leaf.

Branch and bound over sets of samples finds the tree; see `minimal/branch_and_bound` of both engines. The search has
whole costs of an error and of a leaf. Any two trees compare by these costs as they do by the share of errors plus alpha
for every leaf.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._engine import kernel
from .._sklearn import Interval, validate_params
from .._typing import AnyArray, CodeArray, FloatArray, LabelsLike
from ..input.validation import validate_numbers
from ..pruning import with_leaves
from ..tree import LEAF, Tree
from .base import or_unlimited
from .cart import DecisionTreeClassifier
from .minimal import MOST_MEMORY, minimal_tree, with_gains

__all__ = ["OptimalTree", "optimal_tree"]


@dataclass(frozen=True)
class OptimalTree:
    """The tree of least error within limits, or the best one known, and a bound; made by :func:`optimal_tree`.

    Parameters
    ----------
    tree : Tree
        The tree. The gain of a split is the number of samples that its subtree gets right beyond a leaf.
    classes : ndarray of shape (n_classes,)
        The classes, sorted; column k of ``tree.value`` counts samples of class k.
    n_errors : int
        The number of samples that the tree gets wrong.
    objective : float
        The share of the samples that the tree gets wrong, plus `alpha` for every leaf.
    lower_bound : float
        No tree within the limits has a lower objective.
    n_subproblems : int
        The number of sets of samples that the search has examined.

    Attributes
    ----------
    is_proven : bool
        Whether no tree within the limits is better.
    """

    tree: Tree
    classes: AnyArray
    n_errors: int
    objective: float
    lower_bound: float
    n_subproblems: int

    @property
    def is_proven(self) -> bool:
        """Whether no tree within the limits is better; always True unless a time limit stopped the search."""
        return self.objective == self.lower_bound


@described_like(minimal_tree)
@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "memory_limit": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def optimal_tree(
    X: ArrayLike,
    y: LabelsLike,
    *,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    alpha: float = 0.0,
    time_limit: float | None = None,
    memory_limit: int = 2**30,
) -> OptimalTree:
    """Find the decision tree that gets the fewest samples wrong within limits, and prove that there is no better one.

    The tree has binary splits ``x_j <= threshold`` between any two neighbouring values: features are not binarised.
    It minimises the share of samples that it gets wrong plus `alpha` for every leaf. Give at least one of `max_depth`,
    `max_leaf_nodes` and `alpha`; for a tree without limits use :func:`minimal_tree`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels of any type.
    max_depth : int or None, default=None
        The most splits from the root to a leaf.
    max_leaf_nodes : int or None, default=None
        The most leaves.
    alpha : float, default=0.0
        The cost of a leaf, as a share of the samples: with 0.01, a split must get more than 1 % of all samples right
        that would be wrong without it. A tiny alpha, such as 1e-9, chooses the fewest leaves among trees of the least
        error, which may take much longer.
    memory_limit : int, default=2**30
        Bytes of the table of results about sets of samples; a full table is emptied, which costs time only. Beside it
        the search needs 24 bytes for every sample and feature, for each level of the tree.

    Returns
    -------
    OptimalTree
        With `tree`, `n_errors`, `objective`, `is_proven` and `lower_bound`. If the time limit stopped the search, the
        tree is the best one among those found by looking few levels ahead and those grown by gini and entropy and cut
        back; it may differ from run to run. Among several best trees it is the first one in a fixed order of search: a
        leaf comes before splits, an even division of the leaves between both sides before others, features come by the
        errors of their best split, and the middle cut of a feature comes first.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is continuous, lengths differ, a limit is out of range, or no limit is given.

    See Also
    --------
    minimal_tree : The smallest tree without any error.
    DecisionTreeClassifier : Trees grown by a criterion, split by split, in a fraction of the time.

    Notes
    -----
    The problem is NP-hard: time grows steeply with the levels, and with the leaves if levels have no limit. Trees
    deeper than 498 levels are not searched for. The bounds for continuous features, by what a few samples can change,
    are due to [1]_. Labels may be noisy: samples that are equal may have different classes.

    References
    ----------
    .. [1] C. E. Brita, J. G. M. van der Linden and E. Demirovic, "Optimal Classification Trees for Continuous Feature
       Data Using Dynamic Programming with Branch-and-Bound", AAAI 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionTreeClassifier, optimal_tree
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = optimal_tree(X, y, max_depth=2)
    >>> found.n_errors, found.is_proven
    (22, True)
    >>> grown = DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> int((grown.predict(X) != y).sum())
    33
    """
    start = time.monotonic()
    if max_depth is None and max_leaf_nodes is None and alpha == 0:
        raise ValueError("optimal_tree needs max_depth, max_leaf_nodes or alpha; minimal_tree needs none of them.")
    X, codes, classes = validate_numbers("optimal_tree", X, y)
    costs = _costs(alpha, len(X), _most_leaves(len(X), max_depth, max_leaf_nodes))
    known = None
    if time_limit is not None:
        known = _grown_tree(DecisionTreeClassifier(max_depth=max_depth, max_leaf_nodes=max_leaf_nodes), X, codes, costs)
    arrays, _, least, n_subproblems = kernel("cheapest_tree")(
        X,
        codes,
        len(classes),
        costs,
        or_unlimited(max_depth),
        or_unlimited(max_leaf_nodes),
        budget=None if known is None else _cost(known, costs) + 1,
        time_limit=None if time_limit is None else max(0.0, start + time_limit - time.monotonic()),
        memory_limit=min(memory_limit, MOST_MEMORY),
    )
    tree = known if arrays is None else Tree.from_arrays(arrays, X.shape[1])
    if tree is None:
        raise ValueError("The tree is too deep to be searched for: use max_depth.")
    n_errors = int(_errors(tree).sum())
    objective = n_errors / len(X) + alpha * tree.n_leaves
    is_proven = _cost(tree, costs) == least
    lower_bound = objective if is_proven else _lower_bound(least, costs, alpha, len(X), objective)
    return OptimalTree(tree, classes, n_errors, objective, lower_bound, n_subproblems)


def _most_leaves(n_samples: int, max_depth: int | None, max_leaf_nodes: int | None) -> int:
    """Return the greatest number of leaves within the limits; every leaf has a sample."""
    by_depth = n_samples if max_depth is None or max_depth > 31 else 2**max_depth
    return min(n_samples, by_depth, n_samples if max_leaf_nodes is None else max_leaf_nodes)


def _costs(alpha: float, n_samples: int, most_leaves: int) -> tuple[int, int]:
    """Return whole costs of an error and of a leaf that compare any two trees as their objectives do.

    The price of a leaf, in errors, is only compared with quotients of a number of errors by a number of leaves. The
    mediant of the two quotients next to the price compares in the same way (H. Farey).
    """
    price = min(Fraction(alpha if isinstance(alpha, Rational) else float(alpha)) * n_samples, Fraction(n_samples + 1))
    near = price.limit_denominator(most_leaves)
    if near == price:
        return near.denominator, near.numerator
    numerator, denominator = near.numerator, near.denominator
    sign = 1 if price > near else -1
    # The next quotient on the other side of the price: the determinant of both quotients is one.
    inverse = pow(numerator, -1, denominator) if denominator > 1 else 0
    other = most_leaves - (most_leaves + sign * inverse) % denominator
    return denominator + other, numerator + (numerator * other + sign) // denominator


def _errors(tree: Tree) -> FloatArray:
    """Return, by node, the errors of a leaf, and 0 for other nodes."""
    errors = tree.value.sum(axis=1) - tree.value.max(axis=1)
    return np.where(tree.children_left == LEAF, errors, 0.0)


def _cost(tree: Tree, costs: tuple[int, int]) -> int:
    return costs[0] * int(_errors(tree).sum()) + costs[1] * tree.n_leaves


def _lower_bound(least: int, costs: tuple[int, int], alpha: float, n_samples: int, objective: float) -> float:
    """Return the least objective of any number of errors and leaves that cost `least` together, or more."""
    bound = objective
    for n_leaves in count(1):
        if alpha * n_leaves >= bound:
            break
        errors = max(0, -((costs[1] * n_leaves - least) // costs[0]))
        bound = min(bound, errors / n_samples + alpha * n_leaves)
        if errors == 0 or costs[1] == 0:
            break
    return bound


def _grown_tree(estimator: Any, X: FloatArray, codes: CodeArray, costs: tuple[int, int]) -> Tree:
    """Return the cheaper of the two trees that gini and entropy grow, after both are cut back."""
    trees = [estimator.set_params(criterion=criterion).fit(X, codes).tree_ for criterion in ("gini", "entropy")]
    return min((_cut_back(tree, costs) for tree in trees), key=lambda tree: _cost(tree, costs))


def _cut_back(tree: Tree, costs: tuple[int, int]) -> Tree:
    """Return the cheapest tree that is left after cutting off branches.

    The gain of a split is the number of samples that its branch gets right beyond a leaf.
    """
    leaf_errors = (tree.value.sum(axis=1) - tree.value.max(axis=1)).astype(np.int64).tolist()
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    errors, n_leaves, cut = leaf_errors.copy(), [1] * tree.node_count, []
    for node in reversed(range(tree.node_count)):
        if left[node] == LEAF:
            continue
        below = errors[left[node]] + errors[right[node]], n_leaves[left[node]] + n_leaves[right[node]]
        if costs[0] * below[0] + costs[1] * below[1] < costs[0] * leaf_errors[node] + costs[1]:
            errors[node], n_leaves[node] = below
        else:
            cut.append(node)
    gain = np.subtract(leaf_errors, errors).astype(np.float64)
    return with_leaves(with_gains(tree, gain), np.array(cut, dtype=np.int64))
