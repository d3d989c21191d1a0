"""The best tree within limits, and the smallest consistent tree, as estimators."""

from __future__ import annotations

import time
from math import ceil
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._judges import check_costs
from .._sklearn import Interval, StrOptions, fit_context
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    ClassWeight,
    CodeArray,
    FloatArray,
    HandleUnknown,
    LabelsLike,
    MatrixLike,
)
from .._weights import on_grid
from ..input.categories import CATEGORICAL_CONSTRAINTS
from ..input.class_scale import ordered_categories
from ..input.validation import row_weights, validate_X_y, warn_of_words
from .base import GROWTH_CONSTRAINTS, BaseTreeClassifier, FiniteReal, threads_for, unchanged_on_error
from .cart import DecisionTreeClassifier
from .minimal import minimal_tree, smallest_tree
from .optimal import optimal_tree
from .optimal_search import Effort, Found, Limits, Problem, search, wrong_samples
from .search_columns import SearchColumns, columns_of

__all__ = ["MinimalTreeClassifier", "OptimalTreeClassifier"]

_EFFORT_CONSTRAINTS: dict[str, list[Any]] = {
    "time_limit": [FiniteReal(0.0), None],
    "memory_limit": [Interval(Integral, 0, None, closed="left")],
    **CATEGORICAL_CONSTRAINTS,
}


class _SearchedTree(BaseTreeClassifier):
    """A tree that is searched for: no criterion judges its splits."""

    def _row_weights(
        self, X: FloatArray, y: AnyArray, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> AnyArray | None:
        return row_weights(X, y, sample_weight, class_weight)

    def _read_columns(
        self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None, class_weight: ClassWeight = None
    ) -> tuple[SearchColumns, CodeArray, AnyArray | None]:
        """Validate what `fit` was given, and take over the classes; return the samples of weight above 0 as columns,
        their codes, and their weights, None if all are 1."""
        X, codes, classes = self._validate_X_y(X, y)
        rows, weights = self._rows_that_count(X, classes[codes], sample_weight, class_weight, None)
        if rows is not None:
            X, codes = X[rows], codes[rows]
        self._know(classes)
        return columns_of(self, X), codes, weights


@described_like(DecisionTreeClassifier, optimal_tree)
class OptimalTreeClassifier(_SearchedTree):
    """The decision tree of least error, or of least cost, within limits: no tree within them is better.

    The tree minimises the share of samples that it gets wrong, or their mean cost, plus `alpha` for every leaf. Its
    nodes are split in two: by a threshold between any two neighbouring values of a number, or by two sets of
    categories. Branch and bound finds the tree, and proves that there is no better one; a time limit gives the best
    tree found by then, and a bound.

    Parameters
    ----------
    max_depth : int or None, default=3
        The most splits from the root to a leaf. None: no limit; then `max_leaf_nodes` or `alpha` is needed. Time grows
        steeply with the levels.
    max_leaf_nodes : int or None, default=None
        The most leaves.
    alpha : float, default=0.0
        The cost of a leaf, as a share of the samples, or in the unit of `cost_matrix`: with 0.01, a split must get more
        than 1 % of all samples right that would be wrong without it. It is read as the decimal that is written: 0.1 is
        one tenth. A tiny alpha, such as 1e-9, chooses the fewest leaves among trees of the least error, which may take
        much longer.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    cost_matrix : array-like of shape (n_classes, n_classes), "absolute" or None, default=None
        In row j and column k, the cost of predicting class k for a sample of class j, in the order of `classes_`:
        finite numbers, not negative, and 0 on the diagonal. ``"absolute"``, for ordered classes, is ``abs(j - k)``; an
        ordered pandas Categorical y gives its order, and words in the alphabet's order get a warning.
        None: every error costs 1. A leaf predicts the class that costs least for its training samples, the lowest of
        several. If this is not its most frequent class, both classes exchange their shares in ``tree_.shares``, and so
        in `predict_proba`: the class of the greatest probability is the class that is predicted. ``tree_.value`` has
        the class counts as they are.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`DecisionTreeClassifier`. A feature may have 10 categories: all their divisions into two sets are
        judged. A missing value is one of them.
    max_gap : float, default=0.0
        The search ends once no tree can be better than the tree found by more than this, in the unit of `cost_`.
    time_limit : float or None, default=None
        Seconds after which the search stops. None: no limit.
    memory_limit : int, default=2**30
        Bytes of the table of results about sets of samples; a full table is emptied, which costs time only.
    count_best_roots : bool, default=False
        Whether to count the root cuts of best trees, for `n_best_roots_`. This may take longer.
    n_jobs : int or None, default=None
        Threads that share the search: each takes the cuts of one feature at a time. None is one thread, -1 as many as
        there are cores. They share `memory_limit`, too. A proven tree is the same for every number; `n_subproblems_`
        is not, nor is a tree that is not proven.
    verbose : int, default=0
        Whether to print a line a second, and one in the end: the seconds since the start of `fit`, the objective of the
        best tree found, and the lower bound.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays. The gain of a split is the weight, or cost, of errors that its subtree saves beyond a
        leaf.
    n_errors_ : int
        The number of training samples, of weight above 0, that the tree gets wrong.
    cost_ : float
        The objective: the share of the weight of the samples that the tree gets wrong, or their mean cost, plus `alpha`
        for every leaf.
    lower_bound_ : float
        No tree within the limits has a lower objective.
    is_proven_ : bool
        Whether no tree within the limits is better: True unless a time limit, Ctrl-C or `max_gap` stopped the search.
    n_best_roots_ : int or None
        The number of different cuts of all samples with which a best tree can begin: cuts of different features, or at
        different places of one. None if the tree is not proven, or time was over before all were counted. Only with
        ``count_best_roots=True``.
    n_subproblems_ : int
        The number of sets of samples that the search has examined.

    Warns
    -----
    ConvergenceWarning
        If the time limit or Ctrl-C ended the search, which keeps the best tree found by then: the warning says what is
        proven. A search that comes within `max_gap` does not warn.

    See Also
    --------
    optimal_tree : The same as a function, for complete numbers without weights.
    MinimalTreeClassifier : The smallest tree without any error.
    DecisionTreeClassifier : Trees grown by a criterion, split by split, in a fraction of the time.

    Notes
    -----
    With a time limit, trees grown by gini and entropy and cut back are the first ones known. Among several best trees
    the tree is the first one in a fixed order, as :func:`optimal_tree` describes it, on every machine and all engines,
    unless a limit of time stops the search.

    Samples that lack the value of a number go right of a threshold, or left, or are alone on the right of infinity,
    whatever costs least. If a node saw none in training, they go to the child of more weight, right of two equal ones.

    Whole weights act exactly as repetitions, but `min_samples_leaf` counts samples. Weights and costs lie on grids of
    whole numbers: multiples of one number, as decimals are, count exactly. A price of leaves, or a matrix of costs,
    leaves fewer digits to other weights: if weights and costs both have many digits, about six digits of each count.
    Trees, bounds and proofs are exact for the numbers on the grids. Costs that lie too far apart are refused.

    The problem is NP-hard. The bounds for continuous features, by what a few samples can change, are due to [1]_.

    References
    ----------
    .. [1] C. E. Brita, J. G. M. van der Linden and E. Demirovic, "Optimal Classification Trees for Continuous Feature
       Data Using Dynamic Programming with Branch-and-Bound", AAAI 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import OptimalTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.n_errors_, tree.is_proven_
    (22, True)

    Malignant tumours, class 0, that are taken for benign ones cost 10 times as much:

    >>> costly = OptimalTreeClassifier(max_depth=2, cost_matrix=[[0, 10], [1, 0]]).fit(X, y)
    >>> bool((costly.predict(X)[y == 0] == 1).sum() < (tree.predict(X)[y == 0] == 1).sum())
    True
    """

    n_errors_: int
    cost_: float
    lower_bound_: float
    is_proven_: bool
    n_best_roots_: int | None
    n_subproblems_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: GROWTH_CONSTRAINTS[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")},
        "alpha": [FiniteReal(0.0)],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cost_matrix": ["array-like", StrOptions({"absolute"}), None],
        "max_gap": [FiniteReal(0.0)],
        **_EFFORT_CONSTRAINTS,
        "count_best_roots": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        alpha: float = 0.0,
        min_samples_leaf: int | float = 1,
        class_weight: ClassWeight = None,
        cost_matrix: ArrayLike | Literal["absolute"] | None = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        max_gap: float = 0.0,
        time_limit: float | None = None,
        memory_limit: int = 2**30,
        count_best_roots: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.alpha = alpha
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.max_gap = max_gap
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.count_best_roots = count_best_roots
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search for the best tree.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A whole number acts exactly as that
            many repetitions of the sample, except in `min_samples_leaf`.

        Raises
        ------
        ValueError
            If no parameter limits the tree, X holds infinity (the column is named), a feature has more than 10
            categories, `cost_matrix` does not fit the classes, y is continuous, lengths differ, or weights are negative
            or all zero; or if the best tree is deeper than the search can go.
        """
        start = time.monotonic()
        with unchanged_on_error(self):
            if Limits(self.max_depth, self.max_leaf_nodes, alpha=self.alpha).are_none:
                raise ValueError(
                    "OptimalTreeClassifier needs max_depth, max_leaf_nodes or alpha; MinimalTreeClassifier needs none "
                    "of them."
                )
            columns, codes, weights = self._read_columns(X, y, sample_weight, self.class_weight)
            limits = Limits(self.max_depth, self.max_leaf_nodes, self._least_samples(len(codes)), self.alpha)
            costs = self._costs(self.n_classes_)
            problem = Problem(columns, codes, self.n_classes_, limits, weights=weights, cost_matrix=costs)
            found = search(problem, self._effort(), start)
            self._take(found)
            self.n_errors_ = int(wrong_samples(found.tree, columns.X, codes).sum())
        return self

    def _validate_X_y(self, X: MatrixLike, y: LabelsLike) -> tuple[FloatArray, CodeArray, AnyArray]:
        """Validate X and y; if their order counts, classes are in the order of an ordered pandas Categorical."""
        if not isinstance(self.cost_matrix, str):
            return super()._validate_X_y(X, y)
        coded = ordered_categories(y)
        if coded is None:
            X, codes, classes = super()._validate_X_y(X, y)
            warn_of_words(classes, "Give y as an ordered pandas Categorical for cost_matrix='absolute'.")
            return X, codes, classes
        X, codes, present = validate_X_y(self, X, coded[0], are_codes=True)
        return X, codes, coded[1][present]

    def _least_samples(self, n_samples: int) -> int:
        given = self.min_samples_leaf
        return int(given if isinstance(given, Integral) else ceil(given * n_samples))

    def _costs(self, n_classes: int) -> FloatArray | None:
        """Return the matrix of costs; None if every error costs 1."""
        if self.cost_matrix is None:
            return None
        if isinstance(self.cost_matrix, str):
            ranks = np.arange(n_classes, dtype=np.float64)
            return np.abs(ranks[:, np.newaxis] - ranks)
        costs = check_costs(self.cost_matrix, n_classes)
        if costs.diagonal().any():
            raise ValueError("cost_matrix must be zero on the diagonal: a sample that is right costs nothing.")
        return costs

    def _effort(self) -> Effort:
        return Effort(
            time_limit=None if self.time_limit is None else float(self.time_limit),
            memory_limit=int(self.memory_limit),
            max_gap=float(self.max_gap),
            count_best_roots=bool(self.count_best_roots),
            n_threads=threads_for(self.n_jobs),
            verbose=bool(self.verbose),
        )

    def _take(self, found: Found) -> None:
        """Take over what the search has found; warn if it ended early."""
        self._keep(found.tree)
        self.cost_, self.lower_bound_ = found.objective, found.lower_bound
        self.is_proven_ = found.objective == found.lower_bound
        self.n_subproblems_ = found.n_subproblems
        if hasattr(self, "n_best_roots_"):
            del self.n_best_roots_
        if self.count_best_roots:
            self.n_best_roots_ = None if found.n_best_roots < 0 else found.n_best_roots
        found.warn_of_early_end()


@described_like(DecisionTreeClassifier, OptimalTreeClassifier, minimal_tree)
class MinimalTreeClassifier(_SearchedTree):
    """The smallest decision tree that classifies all training samples correctly: no smaller tree does.

    The size of a tree is its number of nodes: mts in Section 3.1 of [1]_. Its nodes are split in two: by a threshold
    between any two neighbouring values of a number, or by two sets of categories. The search proves that no smaller
    tree is consistent with the labels; a time limit gives the smallest tree found by then, and a bound.

    Parameters
    ----------
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`OptimalTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays. Every split has gain 1: its two sides need one split less than the node.
    lower_bound_ : int
        The number of nodes that every consistent tree has at least; odd.
    is_proven_ : bool
        Whether no consistent tree has fewer nodes: True unless a limit or Ctrl-C stopped the search.
    n_subproblems_ : int
        The number of sets of samples that the search has examined.

    Warns
    -----
    ConvergenceWarning
        If the time limit or Ctrl-C ended the search, which keeps the smallest tree found by then, or a grown one; or if
        the search is too deep.

    See Also
    --------
    minimal_tree : The same as a function, for complete numbers.
    OptimalTreeClassifier : The tree of least error within limits: labels may be noisy.
    merge_redundant : A smaller tree with the same predictions, in linear time.

    Notes
    -----
    The problem is NP-hard: time is exponential in the size of the smallest tree. Trees that are deeper than 500 levels
    are not searched for. Missing values go where the tree stays smallest, as in :class:`OptimalTreeClassifier`.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import MinimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = MinimalTreeClassifier().fit(X, y)
    >>> tree.tree_.node_count, tree.is_proven_, tree.score(X, y)
    (15, True, 1.0)
    """

    lower_bound_: int
    is_proven_: bool
    n_subproblems_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _EFFORT_CONSTRAINTS

    def __init__(
        self,
        *,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        time_limit: float | None = None,
        memory_limit: int = 2**30,
    ) -> None:
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.time_limit = time_limit
        self.memory_limit = memory_limit

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search for the smallest tree.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. Other weights change no split, only
            ``tree_.value``.

        Raises
        ------
        ValueError
            If equal samples have different labels, so that no tree is consistent; if X holds infinity (the column is
            named), a feature has more than 10 categories, y is continuous, lengths differ, or weights are negative or
            all zero.
        """
        with unchanged_on_error(self):
            columns, codes, weights = self._read_columns(X, y, sample_weight)
            numbers, unit = on_grid(weights)
            tree, self.lower_bound_, self.n_subproblems_ = smallest_tree(
                columns,
                codes,
                self.n_classes_,
                numbers=numbers,
                unit=unit,
                time_limit=None if self.time_limit is None else float(self.time_limit),
                memory_limit=int(self.memory_limit),
            )
            self._keep(tree)
            self.is_proven_ = tree.node_count == self.lower_bound_
        return self
