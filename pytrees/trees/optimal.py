"""The decision tree of least error within limits on its levels and leaves, or with a cost of every leaf."""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Integral, Real

from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._sklearn import Interval, validate_params
from .._typing import AnyArray, LabelsLike
from ..input.validation import validate_numbers
from ..tree import Tree
from .minimal import minimal_tree
from .optimal_search import Effort, Limits, Problem, search
from .search_columns import SearchColumns

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
        """Whether no tree within the limits is better; always True unless a time limit or Ctrl-C stopped the search."""
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
        that would be wrong without it. It is read as the decimal that is written: 0.1 is one tenth. A tiny alpha, such
        as 1e-9, chooses the fewest leaves among trees of the least error, which may take much longer.
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
        errors of their best split, and the middle cut of a feature comes first. If Ctrl-C ends the search, the result
        is the same as at the end of a time limit.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is continuous, lengths differ, a limit is out of range, or no limit is given.

    Warns
    -----
    ConvergenceWarning
        If the time limit or Ctrl-C ended the search before the tree was proven best.

    See Also
    --------
    OptimalTreeClassifier : The estimator, for weights, costs, missing values and categories, too.
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
    limits = Limits(max_depth, max_leaf_nodes, alpha=alpha)
    if limits.are_none:
        raise ValueError("optimal_tree needs max_depth, max_leaf_nodes or alpha; minimal_tree needs none of them.")
    X, codes, classes = validate_numbers("optimal_tree", X, y)
    problem = Problem(SearchColumns(X), codes, len(classes), limits)
    found = search(problem, Effort(time_limit, memory_limit), start)
    found.warn_of_early_end()
    return OptimalTree(found.tree, classes, found.cost, found.objective, found.lower_bound, found.n_subproblems)
