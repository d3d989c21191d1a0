"""Forests: each tree grows from a seed of its own, on samples of its own; predictions are means or votes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, SupportsIndex, TypeVar, overload

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix, hstack
from sklearn.utils import check_random_state, gen_even_slices
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import config_context, current_engine, kernel
from .._progress import progress
from .._sklearn import Interval, RealNotInt, StrOptions, fit_context
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    CategoricalSplit,
    ClassWeight,
    Draws,
    FloatArray,
    ForestOf,
    HandleUnknown,
    IntArray,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    OobScore,
    RandomState,
    Specification,
)
from .._workers import in_order, set_on_error
from ..convert.sklearn_estimators import to_sklearn
from ..criteria import CriterionLike
from ..input.categories import encode, has_missing, kinds_of_features, takes_codes
from ..input.validation import MAX_SAMPLES, order_by_group, validate_rows, validate_X
from .base import (
    GROWTH_CONSTRAINTS,
    WEIGHT_CONSTRAINTS,
    BaseClassifier,
    BaseTreeClassifier,
    check_fitted,
    unchanged_on_error,
    weighs_if_it_can,
    with_groups,
)
from .bootstrap import all_rows, draw_balanced_counts, draw_counts, draw_sequence, order_of_draws
from .cart import DecisionTreeClassifier
from .distinct import DistinctTreesMixin
from .forest_prediction import ForestSums
from .growth_job import GrowthJob, StopEvent
from .out_of_bag import mixed_gains_out_of_bag, sum_shares_out_of_bag

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

    from ..tree import Tree

__all__ = ["DecisionForestClassifier"]

_Tree = TypeVar("_Tree")

# A forest of this many trees takes some 30 GB, even if all trees are single leaves.
MAX_TREES = 2**24

FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    **GROWTH_CONSTRAINTS,
    "n_estimators": [Interval(Integral, 1, MAX_TREES, closed="both")],
    "bootstrap": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
}


def _grow_from_seed(job: GrowthJob, seed: int) -> Any:
    """Grow one tree of a forest on samples of its own; the seed determines the samples and the tree."""
    job.check_not_stopped()
    rows, weights = job.arrange(seed)
    if rows is not None and weights is not None:
        weights_of_rows, weights = weights, np.zeros(len(job.X), dtype=weights.dtype)
        weights[rows] = weights_of_rows
    of_forest = {"rows": rows, "shared": job.shared, **job.kinds}
    with config_context(engine=job.engine), kernel("stoppable")(job.stop_event):
        return job.grow(job.X, job.codes, weights, job.n_classes, job.criterion, job.limits, seed, **of_forest)


class BaseForestClassifier(DistinctTreesMixin, BaseClassifier):
    """A forest of trees that grow on samples of their own, and the mean of their predictions.

    A subclass names its trees' class as `_tree_class`, whose parameters it shares by name. Its `_n_draws(n_rows)` or
    `_make_draw(n_rows)` says which samples trees get, its `_labels_of_nodes` which classes nodes vote for.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees, at most 2**24.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`DecisionTreeClassifier`. All trees know the categories of all samples.
    n_jobs : int or None, default=None
        Trees grown at once, through joblib. The forest is the same for every number and every backend.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for every tree, before any of them grows.
    verbose : int, default=0
        Show a progress bar on standard error.
    warm_start : bool, default=False
        Keep the trees of the last fit, and grow only as many more as `n_estimators` asks for: with the same data and an
        integer `random_state`, the forest is the one that a single fit would have grown. Classes, features and
        categories must be the same.

    Attributes
    ----------
    estimator_ : estimator
        A tree with the parameters of the fitted trees, not fitted.
    estimators_samples_ : list of ndarrays of int64
        The samples that every tree was grown on, as indices in X, in the order in which they were drawn.
    feature_importances_ : ndarray of shape (n_features,)
        Mean over the trees.
    """

    estimators_: list[Any]
    _drawn_from: tuple[int, IntArray | None, Callable[..., Draws]] | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = FOREST_CONSTRAINTS

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        order: Any = None,
        groups: Any = None,
    ) -> GrowthJob:
        """Grow the trees, or the trees that a warm start adds, and return the job that they grew from."""
        with unchanged_on_error(self):
            kept = list(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else []
            before = self._learned() if kept else None
            job, classes = self._make_job(X, y, sample_weight, class_weight, order, groups)
            random_state = check_random_state(self.random_state)
            seeds = random_state.randint(np.iinfo(np.int32).max, size=int(self.n_estimators)).tolist()
            self._know(classes)
            self._check_warm_start(kept, before)
            seeds = seeds[len(kept) :]
            trees = self._grow_all(job, seeds) if seeds else []
            wrapped = [self._wrap(tree, seed, job.limits) for tree, seed in zip(trees, seeds, strict=True)]
            n_rows = len(job.X) if job.rows is None else len(job.rows)
            self._keep_trees(kept + wrapped, (n_rows, job.rows, order_of_draws(job.draw)))
        return job

    def _keep_trees(
        self, estimators: list[Any], drawn_from: tuple[int, IntArray | None, Callable[..., Draws]] | None
    ) -> None:
        """Take over fitted trees, and the data from which `estimators_samples_` are drawn again."""
        self.estimators_, self._drawn_from, self._sums = estimators, drawn_from, ForestSums()

    def _grow_all(self, job: GrowthJob, seeds: list[int]) -> list[Any]:
        # The kernels release the interpreter's lock; the reference never does.
        prefer: Literal["threads", "processes"] = "threads" if job.engine == "compiled" else "processes"
        grown: Iterable[Any]
        with set_on_error(job.stop_event):
            if effective_n_jobs(self.n_jobs) == 1:
                grown = (_grow_from_seed(job, seed) for seed in seeds)
            else:
                grown = in_order([delayed(_grow_from_seed)(job, seed) for seed in seeds], self.n_jobs, prefer)
            return list(progress(grown, len(seeds), "trees", enabled=bool(self.verbose)))

    def _learned(self) -> dict[str, tuple[Any, ...]]:
        """Return the attributes that must be equal for all trees of a forest, by their names in errors."""
        return {
            "features": (self.n_features_in_, getattr(self, "feature_names_in_", None)),
            "categories": (self.is_categorical_, *(self.categories_ or ())),
            "ordered categories": (tuple(self.ordered_categories_), *self.ordered_categories_.values()),
            "classes": (self.classes_,),
        }

    def _check_warm_start(self, kept: list[Any], before: Any) -> None:
        """Raise ValueError if a warm start keeps too many trees, or trees that learned from other data."""
        if len(kept) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={len(kept)} when "
                "warm_start==True"
            )
        for name, learned in self._learned().items() if kept else ():
            others = before[name]
            if len(learned) != len(others) or not all(map(_are_equal, learned, others)):
                raise ValueError(f"warm_start=True keeps the trees of the last fit, but that fit had other {name}.")
        if kept and len(kept) == self.n_estimators:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=5)

    def _make_job(
        self, X: Any, y: Any, sample_weight: Any, class_weight: Any, order: Any, groups: Any
    ) -> tuple[GrowthJob, AnyArray]:
        X, codes, classes = self._validate_X_y(X, y)
        groups = self._groups(groups, len(X))
        order = order if groups is None else order_by_group(groups, order)
        rows, weights = self._rows_that_count(X, classes[codes], sample_weight, class_weight, order)
        n_rows = len(X) if rows is None else len(rows)
        limits = self._limits(n_rows, X.shape[1]) | self._constraints(X.shape[1], len(classes))
        weights_are_whole = weights is None or weights.dtype != np.float64
        criterion = self._specification(self._greatest_total(weights, n_rows), len(classes))
        if groups is not None:
            criterion = with_groups(criterion, groups)
        kinds = kinds_of_features(self, criterion, len(classes))
        draw = self._make_draw(n_rows)
        job = GrowthJob(
            engine=current_engine(),
            criterion=criterion,
            X=X,
            codes=codes,
            n_classes=len(classes),
            rows=rows,
            weights=weights,
            limits=limits,
            kinds=kinds,
            shared=self._share(X, len(classes), criterion, weights_are_whole, limits, kinds),
            draw=draw if groups is None else partial(draw, sizes=np.bincount(groups)),
            grow=self._grow,
            stop_event=StopEvent(),
        )
        return job, classes

    def _n_draws(self, n_rows: int) -> int | None:
        """Return how many samples are drawn for a tree; None if every tree gets all samples."""

    def _make_draw(self, n_rows: int) -> Callable[..., Draws]:
        """Return the `GrowthJob.draw` of a plain bootstrap, or of all samples if none are drawn."""
        n_draws = self._n_draws(n_rows)
        if n_draws is None:
            return all_rows
        draw: Callable[..., Draws] = draw_counts if self._judge().judges == "counts" else draw_sequence
        return partial(draw, n_draws=n_draws)

    def _greatest_total(self, weights: AnyArray | None, n_rows: int) -> float:
        """Return the greatest weight that the samples of a tree can have together."""
        n_draws = self._n_draws(n_rows)
        if weights is None:
            return n_rows if n_draws is None else n_draws
        if n_draws is None:
            return weights.sum()
        total = n_draws * float(weights.max())
        if not np.isfinite(total):
            raise ValueError(
                f"The values of sample_weight are too large: {n_draws} draws of {weights.max():.3g} have an infinite "
                "sum. Divide them all by the same number."
            )
        return total

    def _share(
        self,
        X: FloatArray,
        n_classes: int,
        criterion: Specification,
        weights_are_whole: bool,
        limits: dict[str, Any],
        kinds: dict[str, Any],
    ) -> Any:
        """Prepare X for the engine, once for all trees."""
        return kernel("share_features")(
            X,
            n_classes,
            criterion,
            weights_are_whole,
            limits["max_features"],
            limits["max_candidates"],
            n_categories=kinds.get("n_categories"),
        )

    def _make_estimator(self, seed: int | None = None) -> Any:
        names = self._tree_class._get_param_names()
        # The forest's jobs are whole trees: each of them grows on one thread.
        parameters = {name: getattr(self, name) for name in names if hasattr(self, name) and name != "n_jobs"}
        if isinstance(parameters.get("class_weight"), str):
            parameters["class_weight"] = "balanced"  # a tree's own samples are the subsample
        return self._tree_class(**{**parameters, "random_state": seed})

    def _wrap(self, tree: Any, seed: int, limits: dict[str, Any]) -> Any:
        """Return the tree as a fitted estimator of its own."""
        estimator = self._make_estimator(seed)
        estimator.max_features_ = min(limits["max_features"], self.n_features_in_)
        estimator._learn_from(self)
        estimator._keep(tree)
        return estimator

    def __len__(self) -> int:
        """Return the number of fitted trees."""
        check_is_fitted(self)
        return len(self.estimators_)

    @overload
    def __getitem__(self: ForestOf[_Tree], index: SupportsIndex) -> _Tree: ...
    @overload
    def __getitem__(self: ForestOf[_Tree], index: slice) -> list[_Tree]: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a fitted tree by its index, or a list of some by a slice."""
        check_is_fitted(self)
        return self.estimators_[index]

    def __iter__(self: ForestOf[_Tree]) -> Iterator[_Tree]:
        """Iterate over the fitted trees."""
        check_is_fitted(self)
        return iter(self.estimators_)

    @property
    def estimator_(self: ForestOf[_Tree]) -> _Tree:
        """A tree with the parameters of the fitted trees, not fitted."""
        check_is_fitted(self)
        return self._make_estimator()

    @property
    def estimators_samples_(self) -> list[IntArray]:
        """The samples that every tree was grown on; list of ndarrays of int64.

        Indices in X, in the order in which they were drawn. They are drawn again from the tree's seed.
        """
        check_is_fitted(self)
        if self._drawn_from is None:
            raise AttributeError("estimators_samples_ is unavailable on a forest converted from scikit-learn.")
        return [self._samples_of(estimator) for estimator in self.estimators_]

    def _samples_of(self, estimator: Any) -> IntArray:
        """Draw the samples of a fitted tree again."""
        assert self._drawn_from is not None
        n_rows, rows, draw = self._drawn_from
        indices, _ = draw(estimator.random_state, n_rows, None)
        indices = np.arange(n_rows) if indices is None else np.asarray(indices, dtype=np.int64)
        return indices if rows is None else rows[indices]

    def _numbers_of_draws(self) -> tuple[int, int] | None:
        """Return from how many samples a tree's are drawn, and how many draws; None if it is no plain bootstrap."""
        if self._drawn_from is None or self._drawn_from[1] is not None:
            return None
        n_rows, _, draw = self._drawn_from
        n_draws = n_rows if draw is all_rows else getattr(draw, "keywords", {}).get("n_draws")
        return None if n_draws is None else (n_rows, n_draws)

    def _set_numbers_of_draws(self, n_rows: int, n_draws: int | None) -> None:
        """Let trees have their samples from a plain bootstrap, or all samples if `n_draws` is None."""
        self._drawn_from = n_rows, None, all_rows if n_draws is None else partial(draw_sequence, n_draws=n_draws)

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of the greatest probability, the lowest of several."""
        decided = self._decide(self.predict_proba(X))
        return self.classes_[decided]

    def _decide(self, proba: FloatArray) -> IntArray:
        """Return the code of every sample's predicted class, by the probabilities of the classes."""
        return proba.argmax(axis=1)

    @described_like(BaseClassifier.encode)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the mean of the trees: shares of their votes, or means of the class shares in their leaves.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`; sums over trees run in their order, whatever `n_jobs` is.
        """
        check_fitted(self)
        X = validate_rows(self, X)
        trees = [estimator.tree_ for estimator in self.estimators_]
        if not self._sums.holds(trees):
            self._check_trees(trees)
        sums = self._sums(trees, X, self._labels_of_nodes(), n_jobs=self.n_jobs, named_in_errors=self)
        return sums / len(trees)

    def _trees(self) -> list[Tree]:
        """Return the trees, checked to be of one kind."""
        trees = [estimator.tree_ for estimator in self.estimators_]
        self._check_trees(trees)
        return trees

    def _check_trees(self, trees: Sequence[Tree]) -> None:
        """Raise ValueError if a tree has other features or classes: it would read past the ends of arrays."""
        for tree in trees:
            if (tree.n_features, tree.n_classes) != (self.n_features_in_, self.n_classes_):
                raise ValueError(
                    f"The forest has {self.n_features_in_} features and {self.n_classes_} classes, but estimators_ "
                    f"holds a tree of {tree.n_features} features and {tree.n_classes} classes."
                )

    def _labels_of_nodes(self) -> list[IntArray] | None:
        """Return the codes of the classes that the nodes of all trees vote for; None if trees give class shares."""

    def to_sklearn(self, classes: LabelsLike | None = None) -> RandomForestClassifier:
        """Convert the forest to a fitted scikit-learn ``RandomForestClassifier`` of the same trees.

        See :func:`pytrees.to_sklearn`.

        Parameters
        ----------
        classes : array-like of shape (n_classes,), optional
            The labels of the classes; by default `classes_`.

        Returns
        -------
        sklearn.ensemble.RandomForestClassifier
            Its ``predict_proba`` is this forest's on data that is exact in float32.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn stores nodes differently from 1.9.
        ValueError
            If the forest predicts another class than the one of the greatest probability, or `classes` has another
            length.
        """
        check_is_fitted(self)
        return to_sklearn(self, classes)

    @described_like(BaseClassifier.encode)
    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample reaches in every tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators), int64
            Indices of nodes in the trees.
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        return np.column_stack([tree.apply_valid(X) for tree in self._trees()])

    @described_like(BaseClassifier.encode)
    def decision_path(self, X: MatrixLike) -> tuple[csr_matrix, IntArray]:
        """Find the nodes that every sample visits in every tree.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_samples, n_nodes)
            1 if the sample visits the node; the columns of the trees follow each other.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,), int64
            Tree i has the columns n_nodes_ptr[i] to n_nodes_ptr[i + 1].
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        paths = [tree.decision_path(X) for tree in self._trees()]
        n_nodes = [path.shape[1] for path in paths]
        return hstack(paths, format="csr"), np.concatenate([[0], np.cumsum(n_nodes)])

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of every feature's share in the total gain; ndarray of shape (n_features,).

        As in scikit-learn's forests, trees that are one leaf do not count, and the means are divided by their sum. All
        are zero if no tree gained anything.
        """
        check_is_fitted(self)
        of_trees = [one.feature_importances_ for one in self.estimators_ if one.tree_.node_count > 1]
        means = np.mean(of_trees, axis=0) if of_trees else np.zeros(self.n_features_in_)
        return means / means.sum() if means.sum() > 0.0 else means


def _are_equal(one: Any, other: Any) -> bool:
    """Whether two fitted attributes are equal arrays, numbers, or both None."""
    if one is None or other is None:
        return one is other
    lack = [getattr(given, "ndim", 0) == 1 and has_missing(given) for given in (one, other)]
    if any(lack):
        one, other = one[:-1], other[:-1]  # a missing value is not equal to itself
    return lack[0] == lack[1] and np.array_equal(one, other)


@described_like(BaseForestClassifier, DecisionTreeClassifier)
class DecisionForestClassifier(BaseForestClassifier):
    """A random forest: decision trees on bootstrap samples, with a random part of the features at every node.

    Class probabilities are the mean over the trees of the class shares in their leaves (as in scikit-learn; [1]_ takes
    votes). The forest is the same on both engines, for every number of threads, and on every machine.

    Parameters
    ----------
    criterion : str or criterion object, default="gini"
        As in :class:`DecisionTreeClassifier`.
    min_samples_split : int or float, default=2
        Fewest samples that a node must have to be split. Repeated samples count once; a float is a fraction of all
        samples that could be drawn, rounded up.
    min_samples_leaf : int or float, default=1
        Fewest samples in every child of a split, counted as for `min_samples_split`.
    min_weight_fraction_leaf : float, default=0.0
        Least weight of the samples in every child of a split, as a fraction of the weight of the tree's samples, which
        count as often as they were drawn; at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of features, drawn at random for every node, among which its split is searched; a float is a fraction of
        all. Further features are drawn until one has a cut that `min_samples_leaf` allows. None: all.
    bootstrap : bool, default=True
        Draw the samples of every tree with replacement, all with the same probability. Samples stay in their order and
        weigh as often as they were drawn, which grows the tree of the repeated samples; with ``"etc"`` and ``"lz76"``,
        whose sequences have no weights, they are repeated in the order of the draws. False: all samples for every tree.
    max_samples : int, float or None, default=None
        With `bootstrap`, the number of samples that are drawn for a tree: a number, or a fraction of all samples,
        rounded down but at least 1; samples of weight 0 do not count. Either can exceed the number of samples. None: as
        many as there are.
    oob_score : bool or callable, default=False
        With `bootstrap`, score the forest on the samples that its trees have not seen: by accuracy, or by a function
        ``metric(y_true, y_pred)`` of the class labels.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes, as in scikit-learn, from all samples, or from the samples that are drawn for a tree
        (``"balanced_subsample"``); not with ``"etc"`` and ``"lz76"``.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The fitted trees; `random_state` of each is its seed.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes), float64
        Only with `oob_score`. For every sample the mean over the trees that have not seen it; NaN if all have.
    oob_score_ : float
        Only with `oob_score`. The score of the samples that some tree has not seen; NaN if there are none.
    unbiased_feature_importances_ : ndarray of shape (n_features,), float64
        Only with `oob_score`. The gain of the splits by every feature on the samples that their trees have not seen,
        mean over the trees. It is measured by Gini impurity, whatever the criterion, which mixes the shares of the
        classes among the training samples and among the unseen ones. It is about zero, above or below, for a feature
        that tells nothing, while `feature_importances_` favours features of many values.

    See Also
    --------
    DecisionTreeClassifier : One such tree.
    PermutationDecisionForestClassifier : Trees that differ by the order of their samples.

    Notes
    -----
    A tree costs about as much as a :class:`DecisionTreeClassifier` with this `max_features` on the samples that are
    drawn, about 63 %. Features are sorted once for all trees, and no tree copies a sample of X. Prediction costs
    O(n_samples · (depth + n_classes)) for every tree. [2]_ introduces `unbiased_feature_importances_`.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 5-32, 2001.
    .. [2] Z. Zhou and G. Hooker, "Unbiased Measurement of Feature Importance in Tree-Based Methods", ACM Transactions
       on Knowledge Discovery from Data 15(2), 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = DecisionForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> round(forest.oob_score_, 2)
    0.95
    >>> forest.unbiased_feature_importances_.round(2)
    array([0.04, 0.  , 0.29, 0.28])
    """

    estimators_: list[DecisionTreeClassifier]
    oob_decision_function_: FloatArray
    oob_score_: float
    unbiased_feature_importances_: FloatArray

    _tree_class = DecisionTreeClassifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FOREST_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, None, closed="neither"),
            None,
        ],
        "oob_score": ["boolean", callable],
        "class_weight": [dict, StrOptions({"balanced", "balanced_subsample"}), None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: CriterionLike = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = "sqrt",
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_candidates: int | None = None,
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "multiway",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: OobScore = False,
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
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
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @weighs_if_it_can
    @described_like(DecisionTreeClassifier.fit)
    def fit(
        self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None, order: LabelsLike | None = None
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. Weights do not change which samples
            are drawn: a sample weighs its weight times how often it was drawn. Not with ``"etc"`` and ``"lz76"``.
        order : array-like of shape (n_samples,), optional
            Sortable keys, such as time stamps. The samples are sorted by them before they are drawn, so that the forest
            does not depend on how samples are stored. Key i belongs to sample i. Without `bootstrap`, this is the order
            of the sequence for ``"etc"`` and ``"lz76"``.

        Raises
        ------
        ValueError
            As in :meth:`DecisionTreeClassifier.fit`; also if `oob_score` or `max_samples` is given without `bootstrap`,
            or more samples are to be drawn for a tree than can be fitted.

        Warns
        -----
        UserWarning
            If some sample is in the bootstrap samples of all trees, so that `oob_score` cannot use it.
        """
        with unchanged_on_error(self):
            for name in ("oob_decision_function_", "oob_score_", "unbiased_feature_importances_"):
                self.__dict__.pop(name, None)  # of an earlier fit
            class_weight = self.class_weight
            if self._balances_draws() and self._takes_weights():
                class_weight = None if self.bootstrap else "balanced"
            job = self._fit(X, y, sample_weight=sample_weight, class_weight=class_weight, order=order)
            if self.oob_score:
                if takes_codes(self):  # samples of weight 0 can have values that fit has not seen
                    job = replace(job, X=encode(self, X, handle_unknown="majority"))
                self._judge_out_of_bag(job)
        return self

    def _balances_draws(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _make_job(
        self, X: Any, y: Any, sample_weight: Any, class_weight: Any, order: Any, groups: Any
    ) -> tuple[GrowthJob, AnyArray]:
        job, classes = super()._make_job(X, y, sample_weight, class_weight, order, groups)
        if self.bootstrap and self._balances_draws():
            codes = job.codes if job.rows is None else job.codes[job.rows]
            draw: Callable[..., Draws] = draw_balanced_counts
            job = replace(job, draw=partial(draw, n_draws=self._n_draws(len(codes)), codes=codes))
        return job, classes

    def _make_draw(self, n_rows: int) -> Callable[..., Draws]:
        if not self.bootstrap:
            for name in ("oob_score", "max_samples"):
                if getattr(self, name):
                    raise ValueError(f"{name} needs bootstrap=True: otherwise every tree sees all samples.")
        return super()._make_draw(n_rows)

    def _n_draws(self, n_rows: int) -> int | None:
        if not self.bootstrap:
            return None
        n_draws = self.max_samples
        if n_draws is None:
            n_draws = n_rows
        elif not isinstance(n_draws, Integral):
            n_draws = max(1, n_draws * n_rows)
        if n_draws > MAX_SAMPLES:
            raise ValueError(
                f"max_samples={self.max_samples} draws more than {MAX_SAMPLES} samples, the most that can be fitted."
            )
        return int(n_draws)

    def _judge_out_of_bag(self, job: GrowthJob) -> None:
        trees = [estimator.tree_ for estimator in self.estimators_]
        seeds = [estimator.random_state for estimator in self.estimators_]
        blocks = gen_even_slices(len(job.X), min(len(job.X), effective_n_jobs(self.n_jobs)))
        tasks = [delayed(sum_shares_out_of_bag)(job, trees, seeds, block) for block in blocks]
        with set_on_error(job.stop_event):
            parts = list(in_order(tasks, self.n_jobs, prefer="threads"))
        total, n_trees = (np.concatenate(part) for part in zip(*parts, strict=True))
        judged = n_trees > 0
        if not judged.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                stacklevel=3,
            )
        self.oob_decision_function_ = np.full(total.shape, np.nan)
        self.oob_decision_function_[judged] = total[judged] / n_trees[judged, None]
        self.oob_score_ = np.nan
        if judged.any():
            from sklearn.metrics import accuracy_score  # here: it takes longer to import than all of this package

            true, predicted = job.codes[judged], self._decide(self.oob_decision_function_[judged])
            if callable(self.oob_score):
                self.oob_score_ = self.oob_score(self.classes_[true], self.classes_[predicted])
            else:
                self.oob_score_ = accuracy_score(true, predicted)
        tasks = [delayed(mixed_gains_out_of_bag)(job, tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
        with set_on_error(job.stop_event):
            gains = list(in_order(tasks, self.n_jobs, prefer="threads"))
        known = [of_tree for of_tree in gains if of_tree is not None]
        self.unbiased_feature_importances_ = np.mean(known, axis=0) if known else np.full(self.n_features_in_, np.nan)
