"""Data sets that need no file: toy examples of the papers, sets that follow from a rule, and random sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.datasets import make_blobs
from sklearn.utils import Bunch, check_random_state

from .._numbers import real_array, within_float64
from .._tree_checks import LEAF, UNDEFINED
from .._typing import FloatArray, IntArray, RandomState, is_real, is_whole
from ..tree import Tree

_MONKS_RULES = {
    1: lambda a: (a[0] == a[1]) | (a[4] == 1),
    2: lambda a: (a == 1).sum(axis=0) == 2,
    3: lambda a: ((a[4] == 3) & (a[3] == 1)) | ((a[4] != 4) & (a[1] != 3)),
}


def load_toy_permutations() -> Bunch:
    """Load the 14 patients of the permutation paper's toy example, and five orders of their arrival.

    Table 2 and the list of permutations in Section 3 of Harikrishnan and Nagaraj, arXiv:2306.02617. The first feature
    stands for the severity of the symptoms, the second for a molecular test; class 1 is to be quarantined.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (14, 2), float64; ``target`` of shape (14,), int64; ``feature_names``; ``permutations``, a
        dict from "A".."E" to arrays of sample indices, from 0.

    See Also
    --------
    load_toy_ordinal : The toy example of the ordinal paper.
    pytrees.PermutationDecisionTreeClassifier : Trees that depend on the order of the samples.

    Examples
    --------
    >>> from pytrees import PermutationDecisionTreeClassifier
    >>> from pytrees.datasets import load_toy_permutations
    >>> toy = load_toy_permutations()
    >>> for name in "BD":
    ...     rows = toy.permutations[name]
    ...     tree = PermutationDecisionTreeClassifier().fit(toy.data[rows], toy.target[rows])
    ...     print(name, tree.feature_usage(toy.data))
    B [14 14]
    D [14  4]
    """
    data = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)]
    data += [(5, 3), (5, 4)]
    permutations = {
        "A": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
        "B": (14, 3, 10, 12, 2, 4, 5, 11, 9, 8, 7, 1, 6, 13),
        "C": (13, 11, 8, 12, 7, 6, 4, 14, 10, 5, 2, 3, 1, 9),
        "D": (3, 2, 13, 10, 11, 1, 4, 7, 6, 9, 8, 14, 5, 12),
        "E": (10, 12, 1, 2, 13, 14, 8, 11, 4, 7, 9, 6, 5, 3),
    }
    return Bunch(
        data=np.array(data, dtype=np.float64),
        target=np.array([2] * 8 + [1] * 6),
        feature_names=["f0", "f1"],
        permutations={name: np.array(rows) - 1 for name, rows in permutations.items()},
    )


def load_toy_ordinal() -> Bunch:
    """Load four ordered classes that one feature divides against their order, and the other along it.

    The two splits of Fig. 3 of Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees": the first
    feature has classes 0 and 3 on its left, the second has classes 0 and 1. Criteria for nominal classes cannot tell
    them apart; criteria for ordered classes prefer the second. Here a class has 10 samples; the paper gives no number.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (40, 2), float64, of zeros and ones; ``target`` of shape (40,), int64; ``feature_names``;
        ``target_names``, the classes in order.

    See Also
    --------
    load_toy_permutations : The toy example of the permutation paper.
    pytrees.OrdinalDecisionTreeClassifier : Trees for ordered classes.

    Examples
    --------
    >>> import numpy as np
    >>> from pytrees.datasets import load_toy_ordinal
    >>> toy = load_toy_ordinal()
    >>> for name, column in zip(toy.feature_names, toy.data.T):
    ...     print(name, [np.bincount(toy.target[column == side], minlength=4).tolist() for side in (0, 1)])
    apart [[10, 0, 0, 10], [0, 10, 10, 0]]
    together [[10, 10, 0, 0], [0, 0, 10, 10]]
    """
    target = np.repeat(np.arange(4), 10)
    data = np.column_stack([(target == 1) | (target == 2), target >= 2]).astype(np.float64)
    return Bunch(
        data=data,
        target=target,
        feature_names=["apart", "together"],
        target_names=np.array(["C1", "C2", "C3", "C4"]),
    )


def make_monks(
    problem: Literal[1, 2, 3], *, n_samples: int | None = None, noise: float = 0.0, random_state: RandomState = None
) -> tuple[FloatArray, IntArray]:
    """Make one of the three MONK's problems: six nominal features, two classes, and a rule.

    The features a1..a6 have the values 1..3, 1..3, 1..2, 1..3, 1..4 and 1..2. Class 1 are the samples with

    - problem 1: a1 = a2 or a5 = 1,
    - problem 2: exactly two of the six features at 1,
    - problem 3: a5 = 3 and a4 = 1, or a5 other than 4 and a2 other than 3.

    Parameters
    ----------
    problem : {1, 2, 3}
        The number of the problem.
    n_samples : int, optional
        Number of samples, drawn without replacement; by default all 432 in lexicographic order. The original training
        sets have 124, 169 and 122.
    noise : float, default=0.0
        Share of the samples whose class is flipped; 0.05 in the original training set of problem 3, 6 of 122.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 6), float64
        The values of the features, from 1.
    y : ndarray of shape (n_samples,), int64
        0 or 1.

    Raises
    ------
    ValueError
        If `problem`, `n_samples` or `noise` is out of range.

    See Also
    --------
    make_balance_scale : Ordered classes that follow from a rule.
    make_from_random_tree : Classes that follow from a random tree.

    References
    ----------
    Thrun et al., "The MONK's problems: a performance comparison of different learning algorithms", CMU-CS-91-197, 1991.

    Examples
    --------
    >>> from pytrees.datasets import make_monks
    >>> X, y = make_monks(3, n_samples=122, noise=0.05, random_state=0)
    >>> X.shape, [int(make_monks(problem)[1].sum()) for problem in (1, 2, 3)]
    ((122, 6), [216, 142, 228])
    """
    if not is_whole(problem) or problem not in _MONKS_RULES:
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}.")
    if not is_real(noise) or not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise must be a share between 0 and 1, got {noise!r}.")
    X = np.array(list(product(*(range(1, values + 1) for values in (3, 3, 2, 3, 4, 2)))), dtype=np.float64)
    y = _MONKS_RULES[problem](X.T).astype(np.int64)
    random = check_random_state(random_state)
    if n_samples is not None:
        if not is_whole(n_samples) or not 1 <= n_samples <= len(X):
            raise ValueError(f"n_samples must be between 1 and {len(X)}, got {n_samples!r}.")
        rows = random.permutation(len(X))[:n_samples]
        X, y = X[rows], y[rows]
    flipped = random.permutation(len(y))[: round(noise * len(y))]
    y[flipped] = 1 - y[flipped]
    return X, y


def make_balance_scale() -> tuple[FloatArray, IntArray]:
    """Make all 625 weighings of the balance scale: four features of the values 1..5, and the side that tips.

    The features are the weight and the distance on the left, then those on the right.

    Returns
    -------
    X : ndarray of shape (625, 4), float64
        In lexicographic order.
    y : ndarray of shape (625,), int64
        In order: 0 if weight times distance is greater on the left (L), 1 if the scale balances (B), 2 if it is
        greater on the right (R).

    See Also
    --------
    make_monks : Other classes that follow from a rule.
    load_ordinal : Loads the file "balance-scale", among the sets of the ordinal paper.

    Examples
    --------
    >>> import numpy as np
    >>> from pytrees.datasets import make_balance_scale
    >>> X, y = make_balance_scale()
    >>> np.bincount(y)
    array([288,  49, 288])
    """
    X = np.array(list(product(range(1, 6), repeat=4)), dtype=np.float64)
    return X, 1 + np.sign(X[:, 2] * X[:, 3] - X[:, 0] * X[:, 1]).astype(np.int64)


def make_gaussian_blobs(
    n_samples: int = 300,
    n_features: int = 2,
    n_classes: int = 3,
    *,
    cluster_std: float | Sequence[float] = 1.0,
    random_state: RandomState = None,
) -> tuple[FloatArray, IntArray]:
    """Make isotropic Gaussian blobs, one for every class.

    Späh and Kosub, "Global Evaluation for Decision Tree Learning", Section 2, compare trees on such data.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points.
    n_features : int, default=2
        Number of features.
    n_classes : int, default=3
        Number of classes, with a blob for each.
    cluster_std : float or sequence of float, default=1.0
        Standard deviation of the blobs, whose centres are drawn from [-10, 10].
    random_state : int, RandomState instance or None, default=None
        Seed of what is drawn; an int gives the same data every time.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
        The points.
    y : ndarray of shape (n_samples,), int64
        Their classes, from 0.

    See Also
    --------
    make_from_random_tree : The other artificial data of the same paper.
    sklearn.datasets.make_blobs : The function that draws the blobs, with more options.

    Examples
    --------
    >>> from pytrees.datasets import make_gaussian_blobs
    >>> X, y = make_gaussian_blobs(90, n_features=4, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((90, 4), [0, 1, 2])
    """
    with within_float64("cluster_std"):
        cluster_std = float(cluster_std) if isinstance(cluster_std, Real) else cluster_std
        X, y = make_blobs(n_samples, n_features, centers=n_classes, cluster_std=cluster_std, random_state=random_state)
    return X, y.astype(np.int64)


def make_from_random_tree(
    n_samples: int = 500,
    n_features: int = 6,
    n_classes: int = 4,
    n_nodes: int = 15,
    *,
    max_depth: int | None = None,
    random_state: RandomState = None,
) -> tuple[FloatArray, IntArray, Tree]:
    """Make uniform random points, labelled by a random decision tree.

    Späh and Kosub, "Global Evaluation for Decision Tree Learning", Section 2.2 and Fig. 5, compare the sizes of grown
    trees and of a random tree, on 500 vectors with 6 features of 4 classes. Starting from one leaf, a random leaf is
    split at a random feature, between two random neighbouring values of its points, until there are `n_nodes` nodes.
    Sibling leaves have different classes, every class has a leaf, and every leaf has points. A smaller tree may label
    the points alike: the paper discards samples for which it finds one.

    Parameters
    ----------
    n_samples : int, default=500
        Number of points, drawn from [0, 1).
    n_features : int, default=6
        Number of features.
    n_classes : int, default=4
        Number of classes, at least two.
    n_nodes : int, default=15
        Nodes of the tree, leaves included: an odd number.
    max_depth : int, optional
        The most edges between the root and a leaf.
    random_state : int, RandomState instance or None, default=None
        Seed of what is drawn; an int gives the same data every time.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
        The points.
    y : ndarray of shape (n_samples,), int64
        Their classes, from 0.
    tree : pytrees.Tree
        The tree, with the class counts of the points at its nodes and gains of 0; ``tree.predict(X)`` is y.

    Raises
    ------
    ValueError
        If there is no such tree, or it has too many leaves for the points.

    See Also
    --------
    make_gaussian_blobs : The other artificial data of the same paper.
    make_monks : Classes that follow from a rule on nominal features.

    Examples
    --------
    >>> from pytrees.datasets import make_from_random_tree
    >>> X, y, tree = make_from_random_tree(n_nodes=9, random_state=0)
    >>> X.shape, tree.node_count, bool((tree.predict(X) == y).all())
    ((500, 6), 9, True)
    """
    if not is_whole(n_nodes) or n_nodes < 3 or n_nodes % 2 == 0:
        raise ValueError(f"n_nodes must be an odd number, 3 at least, got {n_nodes!r}.")
    for name, number in (("n_samples", n_samples), ("n_features", n_features)):
        if not is_whole(number) or number < 1:
            raise ValueError(f"{name} must be a whole number above 0, got {number!r}.")
    if max_depth is not None and (not is_whole(max_depth) or max_depth < 1):
        raise ValueError(f"max_depth must be a whole number above 0 or None, got {max_depth!r}.")
    n_leaves = (int(n_nodes) + 1) // 2
    if not is_whole(n_classes) or n_classes < 2 or n_leaves < n_classes:
        raise ValueError(f"A tree of {n_nodes} nodes has {n_leaves} leaves, which cannot have {n_classes!r} classes.")
    random = check_random_state(random_state)
    X = random.uniform(size=(n_samples, n_features))
    nodes = _split_at_random(X, n_leaves, max_depth, random)
    return _label(X, nodes, n_classes, random)


def make_stock_moves(
    n_samples: int = 1000, n_stocks: int = 99, *, cuts: ArrayLike = (-2.0, 0.0, 2.0), random_state: RandomState = None
) -> tuple[FloatArray, IntArray]:
    """Make daily moves of synthetic stocks, as levels, and whether one more stock rises on the same day.

    A stand-in, without real quotes, for the unpublished data set "NASDAQ" of Kargupta, Park and Dutta, "Orthogonal
    Decision Trees": levels of the daily changes of 99 stocks, and whether Yahoo's stock rises. A change in per cent is
    the market's change times the stock's sensitivity, plus the change of one of eight sectors, plus the stock's own
    change with fat tails (Student's t of 5 degrees of freedom). A common volatility wanders from day to day.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of days, at least one.
    n_stocks : int, default=99
        Number of stocks without the one whose move is the class, at least one.
    cuts : sequence of float, default=(-2.0, 0.0, 2.0)
        Changes in per cent between the levels, ascending.
    random_state : int, RandomState instance or None, default=None
        Seed of what is drawn; an int gives the same data every time.

    Returns
    -------
    X : ndarray of shape (n_samples, n_stocks), float64
        Levels 0 to ``len(cuts)``, from the greatest falls to the greatest rises.
    y : ndarray of shape (n_samples,), int64
        1 if the other stock rises, else 0.

    Raises
    ------
    ValueError
        If there are no days, stocks or cuts, or the cuts do not ascend.

    See Also
    --------
    load_discrete : Gives these data by the name "nasdaq", as the paper codes them.
    make_from_random_tree : Random classes that a tree can learn exactly.

    Examples
    --------
    >>> from pytrees.datasets import make_stock_moves
    >>> X, y = make_stock_moves(random_state=0)
    >>> X.shape, sorted(set(X.ravel().tolist())), float(y.mean())
    ((1000, 99), [0.0, 1.0, 2.0, 3.0], 0.5)
    """
    cuts = real_array("cuts", cuts)
    if not is_whole(n_samples) or not is_whole(n_stocks) or n_samples < 1 or n_stocks < 1:
        raise ValueError(f"There must be days and stocks, got n_samples={n_samples!r} and n_stocks={n_stocks!r}.")
    if cuts.ndim != 1 or cuts.size == 0 or np.isnan(cuts).any() or np.any(np.diff(cuts) <= 0.0):
        raise ValueError(f"cuts must be numbers that ascend, got {cuts.tolist()}.")
    n_samples, n_stocks, random = int(n_samples), int(n_stocks), check_random_state(random_state)
    log_volatility = np.zeros(n_samples)
    for day in range(1, n_samples):
        log_volatility[day] = 0.97 * log_volatility[day - 1] + 0.12 * random.standard_normal()
    n_sectors = 8
    market = 1.2 * random.standard_normal((n_samples, 1))
    sectors = 1.2 * random.standard_normal((n_samples, n_sectors))
    own = 1.5 * random.standard_t(5, size=(n_samples, n_stocks + 1))
    sensitivity = random.uniform(0.5, 1.8, size=n_stocks + 1)
    changes = sensitivity * market + sectors[:, np.arange(n_stocks + 1) % n_sectors] + own
    changes *= np.exp(log_volatility)[:, np.newaxis]
    return np.searchsorted(cuts, changes[:, :-1]).astype(np.float64), (changes[:, -1] > 0.0).astype(np.int64)


class _Node:
    """A node of a tree in the making: its rows and its split."""

    def __init__(self, rows: IntArray, depth: int) -> None:
        self.rows, self.depth = rows, depth
        self.feature, self.threshold = UNDEFINED, float(UNDEFINED)
        self.children: tuple[_Node, ...] = ()

    def preorder(self) -> Iterator[_Node]:
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(node.children)


def _split_at_random(X: FloatArray, n_leaves: int, max_depth: int | None, random: np.random.RandomState) -> list[_Node]:
    """Return the nodes, in preorder, of a tree that is split at random until it has `n_leaves` leaves."""
    root = _Node(np.arange(len(X)), 0)
    leaves = [root]
    while len(leaves) < n_leaves:
        open_ones = [i for i, leaf in enumerate(leaves) if len(leaf.rows) > 1 and leaf.depth != max_depth]
        if not open_ones:
            raise ValueError(f"{n_leaves} leaves are too many for {len(X)} samples and max_depth={max_depth!r}.")
        leaf = leaves.pop(open_ones[random.randint(len(open_ones))])
        leaf.feature = int(random.randint(X.shape[1]))
        column = X[leaf.rows, leaf.feature]
        values = np.sort(column)
        cut = random.randint(1, len(values))
        leaf.threshold = 0.5 * values[cut - 1] + 0.5 * values[cut]
        left = column <= leaf.threshold
        leaf.children = tuple(_Node(leaf.rows[side], leaf.depth + 1) for side in (left, ~left))
        leaves += leaf.children
    return list(root.preorder())


def _label(
    X: FloatArray, nodes: list[_Node], n_classes: int, random: np.random.RandomState
) -> tuple[FloatArray, IntArray, Tree]:
    """Return the points, their labels, and the Tree, once every leaf has a class."""
    number = {node: index for index, node in enumerate(nodes)}
    sibling: dict[_Node, _Node] = {}
    for node in nodes:
        if node.children:
            left, right = node.children
            sibling[left], sibling[right] = right, left
    leaves = [node for node in nodes if not node.children]
    # The first leaves get one class each, so that every class has a leaf; siblings get different classes.
    label: dict[_Node, int] = {}
    for index, position in enumerate(random.permutation(len(leaves))):
        leaf = leaves[position]
        others = [code for code in range(n_classes) if code != label.get(sibling[leaf])]
        label[leaf] = index if index < n_classes else others[random.randint(len(others))]
    y = np.empty(len(X), dtype=np.int64)
    for leaf in leaves:
        y[leaf.rows] = label[leaf]
    children = np.array([[number[child] for child in node.children] or [LEAF, LEAF] for node in nodes])
    tree = Tree(
        children_left=children[:, 0],
        children_right=children[:, 1],
        feature=[node.feature for node in nodes],
        threshold=[node.threshold for node in nodes],
        n_node_samples=[len(node.rows) for node in nodes],
        value=[np.bincount(y[node.rows], minlength=n_classes) for node in nodes],
        gain=np.zeros(len(nodes)),
        n_features=X.shape[1],
    )
    return X, y, tree
