"""Regression trees: their targets lie on a grid of whole numbers, so that every comparison of cuts is exact."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ulp
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import kernel
from .._given_judges import ERRORS, ErrorLike, resolve_error
from .._judges import OwnCriterion
from .._numbers import beyond_float64, exponent_of
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    CategoricalSplit,
    CodeArray,
    FloatArray,
    HandleUnknown,
    IntArray,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    RandomState,
    Specification,
)
from .._weights import GRID_TOTAL_OF_NUMBERS, limits_of_kernel, weights_of
from .._weights import on_grid as weights_on_grid
from ..convert.sklearn_estimators import to_sklearn
from ..input.targets import MOST_SUM, MOST_TARGET, Grid, Targets, on_grid, whole_numbers
from ..input.validation import validate_X_numbers
from ..pruning import PruningPath, path_by_risks, pruned
from ..tree import Tree
from .base import (
    GROWTH_CONSTRAINTS,
    WEIGHT_CONSTRAINTS,
    BaseModel,
    BaseTree,
    CriterionOptions,
    Samples,
    check_has_impurity,
)
from .cart import DecisionTreeClassifier
from .monotonic import numbers_within_bounds
from .scoring import ScoredRegressor

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor as SklearnTree

__all__ = ["DecisionTreeRegressor"]


class ErrorOptions(CriterionOptions):
    """A name of a criterion of numbers, or a user's own criterion as an object."""

    def __str__(self) -> str:
        return (
            f"a str among {sorted(self.options)}, or an object of a class of your own that is derived from "
            "SumCriterion of pytrees.criteria"
        )


ERROR_CONSTRAINTS: dict[str, list[Any]] = {
    **GROWTH_CONSTRAINTS,
    **WEIGHT_CONSTRAINTS,
    "criterion": [ErrorOptions(ERRORS)],
    "n_jobs": [Integral, None],
}

_LEAST_POSITIVE = ulp(0.0)

# The unit of an impurity or gain, as a power of the unit of the targets; a user's criterion sees targets in their unit.
_POWERS = {"squared_error": 2, "absolute_error": 1, "user_sums": 0}


class GrownTree(NamedTuple):
    """A tree of numbers, and the path on which its branches were pruned; None if leaves cost nothing."""

    tree: Tree
    path: PruningPath | None


def grow_numbers(
    X: FloatArray,
    codes: CodeArray,
    weights: AnyArray | None,
    n_codes: int,
    criterion: Specification,
    limits: dict[str, Any],
    seed: int,
    *,
    y: FloatArray,
    grid: Grid,
    unit: Fraction = Fraction(1),
    **options: Any,
) -> GrownTree:
    """Grow one tree of numbers on the engine in force, and prune it: `base.grow` for targets `y` on a grid."""
    assert isinstance(criterion, tuple)
    name, power = criterion[0], _POWERS[criterion[0]]
    limits = dict(limits)
    ccp_alpha = limits.pop("ccp_alpha")
    if name == "user_sums":
        criterion = name, criterion[1] | {"grid": (grid.centre, grid.divisor, grid.exponent), "unit": unit}
    limits |= limits_of_kernel(limits, lambda gain: grid.distances(gain, power))
    if not grid.is_exact:
        options["exact_targets"] = y
    arrays = kernel("grow_by_gain")(X, codes, weights, n_codes, criterion, seed=seed, **limits, **options)
    sums = {of_node: np.asarray(arrays.pop(of_node)) for of_node in ("weight", "target_sum", "spread")}
    if ccp_alpha == 0.0:  # what is not needed goes before other arrays come
        del sums["spread"]
    value = grid.means(sums["weight"], sums["target_sum"]) if grid.is_exact else np.asarray(arrays["value"])
    if ccp_alpha == 0.0 and "monotonic_cst" not in limits:
        del sums["target_sum"]
    arrays |= {
        "value": value[:, np.newaxis],
        "gain": grid.distances(np.asarray(arrays["gain"]), power),
        "weighted_n_node_samples": _positive(weights_of(sums["weight"].astype(np.float64), unit)),
    }
    if name in ERRORS:
        arrays["impurity"] = grid.distances(np.asarray(arrays["impurity"]), power)
    tree = Tree._from_engine(arrays, X.shape[1], name if name in ERRORS else None)
    if "monotonic_cst" in limits:
        totals = whole_numbers(sums["target_sum"])
        tree = numbers_within_bounds(tree, limits["monotonic_cst"], sums["weight"], totals, grid)
    if ccp_alpha == 0.0:
        return GrownTree(tree, None)
    path = path_by_risks(tree, _risks(name, **sums), int(sums["weight"][0]))
    path = path._replace(
        ccp_alphas=grid.distances(path.ccp_alphas, power), impurities=grid.distances(path.impurities, power)
    )
    return GrownTree(pruned(tree, path, ccp_alpha), path)


def _positive(weights: FloatArray) -> FloatArray:
    """Return weights of nodes, none of which is rounded to 0 beside those of other nodes."""
    return np.maximum(weights, _LEAST_POSITIVE, out=weights)


def _risks(name: str, weight: IntArray, target_sum: IntArray, spread: IntArray) -> list[Fraction]:
    """Return the sum of the errors of every node's samples, exactly."""
    spreads = whole_numbers(spread).tolist()
    if name == "absolute_error":
        return [Fraction(of_node) for of_node in spreads]
    sums = zip(spreads, whole_numbers(target_sum).tolist(), weight.tolist(), strict=True)
    return [of_node - Fraction(total * total, n) for of_node, total, n in sums]


class BaseRegressor(ScoredRegressor, BaseModel):
    """Base class of trees and forests that predict numbers."""

    _judges_numbers = True
    _resolve = staticmethod(resolve_error)
    _grid_total: ClassVar[int] = GRID_TOTAL_OF_NUMBERS

    def _read(self, X: Any, y: Any, sample_weight: Any, class_weight: Any, order: Any, groups: Any) -> Samples:
        X, y = validate_X_numbers(self, X, y)
        rows, weights = self._rows_that_count(X, y, sample_weight, class_weight, order)
        used = y if rows is None else y[rows]
        numbers, unit = weights_on_grid(weights, self._grid_total)
        total = self._greatest_sum(len(used), numbers, unit)
        codes, targets = on_grid(used, total if numbers is None else min(total, MOST_SUM // MOST_TARGET))
        if rows is not None:
            codes_of_used, codes = codes, np.zeros(len(y), dtype=np.int32)
            codes[rows] = codes_of_used
        return Samples(X, codes, targets, rows, numbers, groups, y, unit)

    def _criterion_for(self, samples: Samples, total: float, rows: IntArray | None = None) -> Specification:
        judge, targets = self._judge(), {"targets": samples.outcome.numbers}
        if not isinstance(judge, OwnCriterion):
            return judge.name, targets
        name, given = judge.specification(len(samples.outcome), rows)
        return name, given | targets

    def _grower(self, outcome: Targets) -> Callable[..., Any]:
        return partial(grow_numbers, grid=outcome.grid)


@described_like(DecisionTreeClassifier)
class DecisionTreeRegressor(BaseTree, BaseRegressor):
    """A regression tree, grown from the root by squared or absolute errors, or by a criterion of your own.

    The tree is exact: every cut between two neighbouring values of every feature is judged, and gains by errors are
    compared as the whole numbers and fractions that they are. Ties go to the lowest feature, then to the lowest
    threshold. The tree is the same on every machine, on all engines, for every order of the samples and every number
    of threads.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"} or criterion object, default="squared_error"
        The measure of a node's impurity: the mean squared error of its samples about their mean, in the square of the
        targets' unit, or their mean absolute error about their median, in the targets' unit. The median of an even
        number is the lower of the two in the middle. Nodes predict the mean, or the median. An object is a criterion of
        your own, which gives the gain of every cut: see :class:`pytrees.criteria.SumCriterion`. Its nodes predict
        means, and have no impurity.
    min_gain : float or None, default=None
        Least gain of a split, in the units of the criterion. None grows until the targets of every leaf are equal.
    min_impurity_decrease : float, default=0.0
        Least decrease of the tree's impurity by a split: its gain times the node's share of all samples, by weight.
        0.0 is no limit. Not for a criterion of your own.
    ccp_alpha : float, default=0.0
        Cost of a leaf in minimal cost-complexity pruning, in the units of the criterion. A branch of the grown tree
        becomes a leaf if it decreases the tree's impurity by at most ccp_alpha · (its number of leaves - 1). 0.0: no
        branch is pruned. Not for a criterion of your own. See
        :meth:`DecisionTreeRegressor.cost_complexity_pruning_path`.
    monotonic_cst : array-like of int of shape (n_features,), dict of str to int, or None, default=None
        Monotonic constraints: along a feature of 1 the prediction must not fall, along a feature of -1 not rise, and
        along a feature of 0 it may do anything; a dict has constraints by the names of features. A cut that breaks a
        constraint is not taken, and leaves predict numbers within bounds that follow from the splits above them. For
        numeric features. See the Notes.
    categorical_split : {"multiway", "subset"}, default="subset"
        The children of a split by a categorical feature: two, for the two best sets of categories (``"subset"``); or
        one for every category among the node's samples. With ``"squared_error"`` the best set is a prefix of the
        categories sorted by their means (Breiman et al., "Classification and Regression Trees", 1984, Theorem 4.5).
        With ``"absolute_error"`` or a criterion of your own, or if `min_samples_leaf` or `min_weight_fraction_leaf`
        forbids the best prefix, all 2**(k - 1) - 1 divisions of a node's k categories are evaluated, up to 12 of them;
        a node of more categories takes the best allowed prefix by means, a heuristic. ``tree_.splits_by_heuristic``
        names these nodes.
    n_jobs : int or None, default=None
        Threads that grow the tree if it is large enough to profit: they share out its subtrees. None is one thread, -1
        as many as there are cores. Best-first growth (`max_leaf_nodes`) uses one thread. The tree is the same for every
        number.

    See Also
    --------
    DecisionForestRegressor : Many such trees on bootstrap samples.
    DecisionTreeClassifier : A tree of classes.

    Notes
    -----
    Targets lie on a grid of whole numbers: a target y is the number round(y · 2**s) less a centre, for the greatest s
    for which the weight of all samples times the greatest number is at most 2**60; if samples have weights, a greatest
    number of 2**35 is always allowed. If every target is a decimal of at most 15 digits after the point, the grid is
    the grid of the decimals, on which the sums 0.1 + 0.2 and 0.3 are equal. Sums on the grid are exact, and the same in
    any order. Cuts are compared on the grid. A node predicts the correctly rounded mean of its targets themselves, by
    their weights as they are compared; by absolute error, their lower median. Targets that differ by less than 2**-s
    count as equal, so that no cut parts them; s is about 60 - log2(n_samples) binary digits below the range of the
    targets, and at least 35 with weights.

    A cut gains (total left_sum - left_total sum)**2 / (total**2 left_total right_total), which is the decrease of the
    squared error. Growing takes O(n_features · n_samples · log(n_samples)) if the tree is balanced.

    `monotonic_cst` has scikit-learn's meaning. A cut by a constrained feature is allowed if the means, or medians, of
    both sides are in order, and within the bounds of the node. The mean of both then bounds all nodes on either side,
    and leaves outside of their bounds predict the nearest bound. All of these are compared as fractions, and
    predictions keep the constraint to the last bit. `max_candidates` are chosen among the allowed cuts. Impurities,
    importances and `ccp_alpha` are about the means and medians as they are. Pruning keeps all constraints, for a node
    that becomes a leaf has bounds too. Missing values count on the side to which they go. A threshold of infinity,
    between all known values and the missing ones, keeps the constraint too: the missing values are its upper side.

    Examples
    --------
    >>> import numpy as np
    >>> from pytrees import DecisionTreeRegressor
    >>> X, y = np.arange(8.0).reshape(-1, 1), np.array([0.1, 0.2, 0.1, 0.2, 5.1, 5.3, 9.1, 9.2])
    >>> tree = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    >>> tree.predict([[1.5], [4.0], [9.0]])
    array([0.15, 5.2 , 9.15])
    >>> tree.tree_.threshold
    array([ 3.5, -2. ,  5.5, -2. , -2. ])
    """

    max_features_: int

    _reads_any_layout = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = ERROR_CONSTRAINTS

    def __init__(
        self,
        criterion: ErrorLike = "squared_error",
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_candidates: int | None = None,
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "subset",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.max_candidates = max_candidates
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.categorical_split = categorical_split
        self.n_jobs = n_jobs
        self.random_state = random_state

    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Targets: finite numbers, taken as float64; missing targets and strings are refused.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A whole number acts exactly as that
            many repetitions of the sample, except in limits on numbers of samples. Other weights count as whole
            numbers: multiples of one number, as decimals are, count exactly, and other weights to 2**-41 of their sum.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named), y holds anything but finite numbers or several for a sample,
            lengths differ, or weights are missing, negative, all zero, or of an infinite sum.
        """
        return self._fit(X, y, sample_weight=sample_weight)

    def _keep(self, tree: GrownTree | Tree) -> None:
        super()._keep(tree.tree if isinstance(tree, GrownTree) else tree)

    @described_like(BaseModel.encode)
    def predict(self, X: MatrixLike) -> FloatArray:
        """Predict the number of every sample's leaf: the mean, or the median, of the leaf's training samples.

        Returns
        -------
        ndarray of shape (n_samples,), float64
            The predicted numbers.
        """
        leaves = self.apply(X)
        return self.tree_.value[leaves, 0]

    @described_like(fit)
    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Compute the path of minimal cost-complexity pruning of the tree that `fit` would grow without `ccp_alpha`.

        If each leaf costs alpha, the cheapest tree has leaves in place of some branches. As alpha grows, more branches
        become leaves, one after another, until the root is a leaf.

        Returns
        -------
        sklearn.utils.Bunch
            ``ccp_alphas``, ndarray of shape (n_steps + 1,), ascending from 0: with each as `ccp_alpha`, `fit` grows the
            tree of that step, or of the last step if several are equal. If several are 0, `fit` grows the tree of the
            first step: a `ccp_alpha` of 0 prunes no branch. ``impurities``, ndarray of the same shape: the impurities
            of the tree's leaves, added by their shares of the weight of all samples.

        Notes
        -----
        Section 3.3 of Breiman et al., "Classification and Regression Trees", 1984. Takes O(n log n) for a tree of n
        nodes. Alphas are compared exactly, as fractions on the grid of the targets.

        Examples
        --------
        >>> import numpy as np
        >>> from pytrees import DecisionTreeRegressor
        >>> X, y = np.arange(4.0).reshape(-1, 1), [0.0, 2.0, 10.0, 10.0]
        >>> path = DecisionTreeRegressor().cost_complexity_pruning_path(X, y)
        >>> path.ccp_alphas, path.impurities
        (array([ 0.  ,  0.5 , 20.25]), array([ 0.  ,  0.5 , 20.75]))
        """
        # The greatest cost cuts off all branches, so that the path goes down to the root.
        whole = clone(self).set_params(ccp_alpha=np.finfo(np.float64).max)
        whole._validate_params()
        check_has_impurity(self, "cost_complexity_pruning_path")
        samples = whole._read(X, y, sample_weight, None, None, None)
        path = whole._grow_on(samples).path
        if not np.all(np.isfinite(path.impurities)) or (len(path.nodes) and path.impurities[-1] == 0.0):
            raise beyond_float64("ccp_alphas and impurities", exponent_of(y))
        return Bunch(ccp_alphas=path.ccp_alphas, impurities=path.impurities)

    def to_sklearn(self) -> SklearnTree:
        """Convert the estimator to a fitted scikit-learn ``DecisionTreeRegressor`` that predicts alike.

        See :func:`pytrees.to_sklearn`.

        Returns
        -------
        sklearn.tree.DecisionTreeRegressor
            It predicts as the estimator does on data that is exact in float32, and takes categories as codes of
            `encode`.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn stores nodes differently from 1.9.
        """
        check_is_fitted(self)
        return to_sklearn(self)
