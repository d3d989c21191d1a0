"""The smallest decision tree that is consistent with the labels."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, validate_params

from ._engine import kernel
from ._validation import validate_X_y
from .cart import DecisionTreeClassifier
from .simplify import merge_redundant
from .tree import LEAF, Tree

__all__ = ["MinimalTree", "minimal_tree"]


@dataclass(frozen=True)
class MinimalTree:
    """What :func:`minimal_tree` found.

    Attributes
    ----------
    tree : Tree
        The smallest consistent tree or, where a limit stopped the search, the smallest one known. Every split has
        gain 1: its two sides need one split less than the node. (Counted in nodes: mts = 1 + Delta_mts.)
    classes : ndarray of shape (n_classes,)
        The classes, sorted; column k of ``tree.value`` counts rows of class k.
    lower_bound : int
        Nodes that every consistent tree has at least; odd.
    n_subproblems : int
        Sets of rows that were looked at.
    """

    tree: Tree
    classes: np.ndarray
    lower_bound: int
    n_subproblems: int

    @property
    def is_proven(self):
        """Whether no consistent tree has fewer nodes; always, unless a limit stopped the search."""
        return self.tree.node_count == self.lower_bound


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "memory_limit": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def minimal_tree(X, y, *, time_limit=None, memory_limit=2**30):
    """Find the smallest decision tree that classifies all rows correctly, and prove that there is no smaller one.

    The tree has binary splits ``x_j <= threshold``, and its size is its number of nodes: mts in Section 3.1 of [1]_.
    Of all smallest trees it is the one that ID3 grows with the distance Delta_mts, from the root on: the cut with the
    least sum of the smallest sizes of both sides, of equal ones the lowest feature, then the lowest threshold.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; taken as float64.
    y : array-like of shape (n_samples,)
        Class labels of any type. Rows that are equal must have equal labels.
    time_limit : float or None, default=None
        Seconds after which the search stops. None: no limit.
    memory_limit : int, default=2**30
        Bytes of the table of what is known of sets of rows. When it is full it is emptied, which costs time only. Apart
        from it the search needs 20 bytes for every row and feature, and 16 for every row and level of the tree.

    Returns
    -------
    MinimalTree
        With `tree`, `is_proven` and `lower_bound`. Where the search was stopped, the tree is that of information gain
        without its redundant splits; it can happen to be proven smallest even then, but need not be the one described.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is continuous, lengths differ, equal rows have different labels, so that no tree
        is consistent, or a limit is negative.

    See Also
    --------
    merge_redundant : The same predictions from fewer nodes.

    Notes
    -----
    The problem is NP-hard: time is exponential in the size of the smallest tree. Depth-first search, with a growing
    number of splits, decides whether a set of rows can be told apart by so many; what it finds about a set is kept. It
    rests on two facts. A set needs no fewer splits than its subsets, so that among the cuts of a feature that leave
    the smaller side k splits, only the farthest matters; bisection finds it [2]_. And no two rows share a leaf
    if their classes differ or a row of another class lies between them in every feature, so that rows which pairwise
    cannot share a leaf need a leaf each. The search goes no deeper than 500 levels; trees that need more are not
    proven.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 3.1.
    .. [2] S. Ordyniak and S. Szeider, "Parameterized Complexity of Small Decision Tree Learning", AAAI 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, minimal_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> found = minimal_tree(X, y)
    >>> found.tree.node_count, found.is_proven, DecisionTreeClassifier().fit(X, y).tree_.node_count
    (15, True, 17)
    """
    estimator = DecisionTreeClassifier(criterion="entropy")
    X, codes, classes = validate_X_y(estimator, X, y)
    greedy = merge_redundant(estimator.fit(X, codes))
    leaf_counts = greedy.value[greedy.children_left == LEAF]
    if np.any(np.count_nonzero(leaf_counts, axis=1) > 1):
        raise ValueError("There is no consistent tree: equal rows of X have different labels.")
    arrays, splits, n_subproblems = kernel("minimal", "minimal_tree")(
        X,
        codes,
        len(classes),
        most_splits=greedy.n_leaves - 1,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    tree = _with_unit_gains(greedy) if arrays is None else Tree.from_arrays(arrays, X.shape[1])
    return MinimalTree(tree, classes, 2 * splits + 1, n_subproblems)


def _with_unit_gains(tree):
    gain = np.where(tree.children_left == LEAF, 0.0, 1.0)
    return Tree(
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        tree.n_node_samples,
        tree.value,
        gain,
        tree.n_features,
    )
