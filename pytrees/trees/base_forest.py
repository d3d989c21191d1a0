"""Base classes of forests: each tree grows from a seed of its own, on samples of its own; predictions are means."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, SupportsIndex, TypeVar, overload

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import config_context, current_engine, kernel
from .._progress import progress
from .._sklearn import Interval, fit_context
from .._typing import AnyArray, Draws, FloatArray, ForestOf, IntArray, LabelsLike, MatrixLike, Specification, TableArray
from .._weights import MAX_TOTAL_COUNT
from .._workers import run_in_order, set_on_error
from ..convert.sklearn_estimators import to_sklearn
from ..input.categories import has_missing, kinds_of_features
from ..input.validation import in_slabs, level_of_caller, validate_X
from .base import (
    GROWTH_CONSTRAINTS,
    BaseClassifier,
    BaseModel,
    BaseTreeClassifier,
    Samples,
    check_fitted,
    unchanged_on_error,
    with_groups,
)
from .bootstrap import all_rows, draw_counts, draw_sequence, ends_of_parts, order_of_draws
from .distinct import DistinctTreesMixin
from .forest_prediction import ForestSums
from .growth_job import GrowthJob, StopEvent

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

    from ..tree import Tree

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
    rows, weights, unit = job.arrange(seed)
    if rows is not None and weights is not None:
        weights_of_rows, weights = weights, np.zeros(len(job.X), dtype=weights.dtype)
        weights[rows] = weights_of_rows
        rows = rows.astype(np.int32)
        del weights_of_rows  # memory that no tree needs as it grows
    of_forest = {"rows": rows, "shared": job.shared, "unit": unit, **job.kinds}
    if job.y is not None:
        of_forest["y"] = job.y
    with config_context(engine=job.engine), kernel("stoppable")(job.stop_event):
        return job.grow(job.X, job.codes, weights, job.n_classes, job.criterion, job.limits, seed, **of_forest)


class BaseForest(DistinctTreesMixin, BaseModel):
    """A forest of trees that grow on samples of their own.

    A subclass names its trees' class as `_tree_class`, whose parameters it shares by name. Its `_n_draws` or
    `_make_draw` says which samples trees get, its `_labels_of_nodes` which classes nodes vote for.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees, at most 2**24.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`DecisionTreeClassifier`. All trees know the categories of all samples.
    n_jobs : int or None, default=None
        Trees grown at once, by the kind of workers that joblib and its contexts choose. The forest is the same for
        every number and every kind.
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

    _reads_any_layout = True

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
            samples = self._read(X, y, sample_weight, class_weight, order, groups)
            job = self._make_job(samples)
            random_state = check_random_state(self.random_state)
            seeds = random_state.randint(np.iinfo(np.int32).max, size=int(self.n_estimators)).tolist()
            self._know(samples.outcome)
            self._check_warm_start(kept, before)
            seeds = seeds[len(kept) :]
            trees = self._grow_all(job, seeds) if seeds else []
            wrapped = [self._wrap(tree, seed, job.limits) for tree, seed in zip(trees, seeds, strict=True)]
            self._keep_trees(kept + wrapped, (samples.n_used, job.rows, order_of_draws(job.draw)))
        return job

    def _keep_trees(
        self, estimators: list[Any], drawn_from: tuple[int, IntArray | None, Callable[..., Draws]] | None
    ) -> None:
        """Take over fitted trees, and the data from which `estimators_samples_` are drawn again."""
        self.estimators_, self._drawn_from, self._sums = estimators, drawn_from, ForestSums()

    def _grow_all(self, job: GrowthJob, seeds: list[int]) -> list[Any]:
        # The kernels release the interpreter's lock; the reference never does.
        prefer: Literal["threads", "processes"] = "threads" if job.engine != "reference" else "processes"
        with set_on_error(job.stop_event):
            grown = run_in_order(_grow_from_seed, [(job, seed) for seed in seeds], self.n_jobs, prefer)
            return list(progress(grown, len(seeds), "trees", enabled=bool(self.verbose)))

    def _learned(self) -> dict[str, tuple[Any, ...]]:
        """Return the attributes that must be equal for all trees of a forest, by their names in errors."""
        return {
            "features": (self.n_features_in_, getattr(self, "feature_names_in_", None)),
            "categories": (self.is_categorical_, *(self.categories_ or ())),
            "ordered categories": (tuple(self.ordered_categories_), *self.ordered_categories_.values()),
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
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                stacklevel=level_of_caller(),
            )

    def _make_job(self, samples: Samples) -> GrowthJob:
        n_codes, n_rows, weights = len(samples.outcome), samples.n_used, samples.weights
        n_features = samples.X.shape[1]
        limits = self._limits(n_rows, n_features) | self._constraints(n_features, len(samples.outcome))
        # If samples are drawn, weights say how likely; a tree then counts its draws.
        unit = Fraction(1) if self._n_draws(n_rows, weights, samples.unit) is not None else samples.unit
        total = self._greatest_sum(n_rows, weights, samples.unit)
        criterion = self._criterion_for(samples, float(total) * float(unit))
        if samples.groups is not None:
            criterion = with_groups(criterion, samples.groups)
        kinds = kinds_of_features(self)
        draw = self._make_draw(samples)
        if samples.groups is not None:
            draw = partial(draw, sizes=np.bincount(samples.groups))
        return GrowthJob(
            engine=current_engine(),
            criterion=criterion,
            X=samples.X,
            codes=samples.codes,
            y=samples.y,
            n_classes=n_codes,
            rows=samples.rows,
            weights=weights,
            unit=unit,
            grid_total=self._grid_total,
            limits=limits,
            kinds=kinds,
            shared=self._share(samples.X, n_codes, criterion, total < MAX_TOTAL_COUNT, limits, kinds),
            draw=draw,
            grow=self._grower(samples.outcome),
            stop_event=StopEvent(),
        )

    def _n_draws(self, n_rows: int, weights: AnyArray | None, unit: Fraction) -> int | None:
        """Return how many samples are drawn for a tree, by their weights on a grid and its unit; None if every tree
        gets all samples."""

    def _greatest_sum(self, n_rows: int, weights: AnyArray | None, unit: Fraction) -> int:
        n_draws = self._n_draws(n_rows, weights, unit)
        return super()._greatest_sum(n_rows, weights, unit) if n_draws is None else n_draws

    def _make_draw(self, samples: Samples) -> Callable[..., Draws]:
        """Return the `GrowthJob.draw` of a plain bootstrap, or of all samples if none are drawn."""
        n_draws = self._n_draws(samples.n_used, samples.weights, samples.unit)
        if n_draws is None:
            return all_rows
        draw: Callable[..., Draws] = draw_sequence if self._judge().judges == "sequence" else draw_counts
        return partial(draw, n_draws=n_draws, ends=ends_of_parts(samples.weights))

    def _share(
        self,
        X: TableArray,
        n_classes: int,
        criterion: Specification,
        is_narrow: bool,
        limits: dict[str, Any],
        kinds: dict[str, Any],
    ) -> Any:
        """Prepare X for the engine, once for all trees."""
        return kernel("share_features")(
            X,
            n_classes,
            criterion,
            is_narrow,
            limits["max_features"],
            limits["max_candidates"],
            n_categories=kinds.get("n_categories"),
            limits_cuts=limits.get("min_weight_fraction_leaf", 0.0) > 0.0 or limits.get("monotonic_cst") is not None,
        )

    def _make_estimator(self, seed: int | None = None) -> Any:
        names = self._tree_class._get_param_names()
        # The forest's jobs are whole trees: each of them grows on one thread.
        parameters = {name: getattr(self, name) for name in names if hasattr(self, name) and name != "n_jobs"}
        class_weight = parameters.get("class_weight")
        if isinstance(class_weight, str) and class_weight == "balanced_subsample":
            parameters["class_weight"] = "balanced"  # a tree's own samples are the subsample
        elif class_weight is not None and getattr(self, "bootstrap", False):
            parameters["class_weight"] = None  # the tree's samples were drawn by these weights
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
        """Return from how many samples a tree's are drawn, and how many draws; None if it is no plain bootstrap, or if
        samples are drawn by weight."""
        if self._drawn_from is None or self._drawn_from[1] is not None:
            return None
        n_rows, _, draw = self._drawn_from
        given = getattr(draw, "keywords", {})
        n_draws = n_rows if draw is all_rows else given.get("n_draws")
        return None if n_draws is None or given.get("ends") is not None else (n_rows, n_draws)

    def _set_numbers_of_draws(self, n_rows: int, n_draws: int | None) -> None:
        """Let trees have their samples from a plain bootstrap, or all samples if `n_draws` is None."""
        self._drawn_from = (
            n_rows,
            None,
            all_rows if n_draws is None else partial(draw_sequence, n_draws=n_draws, ends=None),
        )

    def _mean_outputs(self, X: Any) -> FloatArray:
        """Return the mean over the trees of what their nodes predict, or of their votes."""
        check_fitted(self)
        return in_slabs(self, X, self._mean_outputs_of_rows)

    def _mean_outputs_of_rows(self, X: FloatArray) -> FloatArray:
        trees = [estimator.tree_ for estimator in self.estimators_]
        sums = self._sums(
            trees,
            X,
            self._labels_of_nodes(),
            n_jobs=self.n_jobs,
            named_in_errors=self,
            check_trees=self._check_trees,
        )
        return sums / len(trees)

    def _labels_of_nodes(self) -> list[IntArray] | None:
        """Return the codes of the classes that the nodes of all trees vote for; None if trees give class shares."""

    def _trees(self) -> list[Tree]:
        """Return the trees, checked to be of one kind."""
        trees = [estimator.tree_ for estimator in self.estimators_]
        self._check_trees(trees)
        return trees

    def _check_trees(self, trees: Sequence[Tree]) -> None:
        """Raise ValueError if a tree has other features or classes: it would read past the ends of arrays."""
        n_classes = self._number_of_classes()
        for tree in trees:
            if (tree.n_features, tree.n_classes) != (self.n_features_in_, n_classes):
                raise ValueError(
                    f"The forest has {self.n_features_in_} features and {n_classes} classes, but estimators_ holds a "
                    f"tree of {tree.n_features} features and {tree.n_classes} classes."
                )

    @described_like(BaseModel.encode)
    def apply(self, X: MatrixLike) -> IntArray:
        """Find the leaf that every sample reaches in every tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators), int64
            Indices of nodes in the trees.
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        return np.column_stack([tree._apply_valid(X) for tree in self._trees()])

    @described_like(BaseModel.encode)
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


class BaseForestClassifier(BaseForest, BaseClassifier):
    """A forest of trees of classes, and the mean of their predictions. The parameters are those of `BaseForest`."""

    def _learned(self) -> dict[str, tuple[Any, ...]]:
        return super()._learned() | {"classes": (self.classes_,)}

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of the greatest probability, the lowest of several."""
        decided = self._decide(self.predict_proba(X))
        return self.classes_[decided]

    def _decide(self, proba: FloatArray) -> IntArray:
        """Return the code of every sample's predicted class, by the probabilities of the classes."""
        return proba.argmax(axis=1)

    @described_like(BaseModel.encode)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the mean of the trees: shares of their votes, or means of the class shares in their leaves.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`; sums over trees run in their order, whatever `n_jobs` is.
        """
        return self._mean_outputs(X)

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
