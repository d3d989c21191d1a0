"""Random forests: trees that grow on bootstrap samples, judged on the samples that they have not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils import gen_even_slices

from .._by_keyword import by_keyword
from .._docstrings import described_like
from .._given_judges import CriterionLike
from .._sklearn import Interval, RealNotInt, StrOptions
from .._typing import (
    AnyArray,
    BoolArray,
    CategoricalFeatures,
    CategoricalSplit,
    ClassWeight,
    Draws,
    FloatArray,
    HandleUnknown,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    OobScore,
    RandomState,
)
from .._workers import run_in_order, set_on_error
from ..input.categories import allows_missing, encode, takes_codes
from ..input.validation import MAX_SAMPLES, level_of_caller
from .base import WEIGHT_CONSTRAINTS, Samples, unchanged_on_error
from .base_forest import FOREST_CONSTRAINTS, BaseForest, BaseForestClassifier
from .bootstrap import draw_balanced_counts
from .cart import DecisionTreeClassifier
from .growth_job import GrowthJob
from .out_of_bag import mean_outputs_out_of_bag, mixed_gains_out_of_bag
from .weighing import weighs_if_it_can

__all__ = ["DecisionForestClassifier"]

# Type checkers see that the mixin derives from BaseForest; when the program runs it does not.
if TYPE_CHECKING:
    MixedIntoForest = BaseForest
else:
    MixedIntoForest = object

BOOTSTRAP_CONSTRAINTS: dict[str, list[Any]] = {
    **FOREST_CONSTRAINTS,
    **WEIGHT_CONSTRAINTS,
    "max_samples": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, None, closed="neither"),
        None,
    ],
    "oob_score": ["boolean", callable],
}


class BootstrapMixin(MixedIntoForest):
    """Mixin of forests whose trees grow on bootstrap samples, and which judge themselves on out-of-bag samples.

    Its `_keep_out_of_bag` keeps the mean outputs of the trees that have not seen a sample, and scores them.
    """

    bootstrap: bool
    max_samples: int | float | None
    oob_score: OobScore
    oob_score_: float
    unbiased_feature_importances_: FloatArray

    # The attributes of a fit with `oob_score`.
    _of_oob: ClassVar[tuple[str, ...]] = ("oob_score_", "unbiased_feature_importances_")

    def _fit_and_judge(self, X: Any, y: Any, **given: Any) -> None:
        """Grow the trees, and judge them on out-of-bag samples if `oob_score` says so."""
        with unchanged_on_error(self):
            for name in self._of_oob:
                self.__dict__.pop(name, None)  # of an earlier fit
            job = self._fit(X, y, **given)
            self._warn_of_few_draws(job)
            if self.oob_score:
                if takes_codes(self):  # samples of weight 0 can have values that fit has not seen
                    coded = encode(self, X, handle_unknown="majority", allow_missing=allows_missing(self))
                    job = replace(job, X=coded)
                self._judge_out_of_bag(job)

    def _make_draw(self, samples: Samples) -> Callable[..., Draws]:
        if not self.bootstrap:
            for name in ("oob_score", "max_samples"):
                if getattr(self, name):
                    raise ValueError(f"{name} needs bootstrap=True: otherwise every tree sees all samples.")
        return super()._make_draw(samples)

    def _n_draws(self, n_rows: int, weights: AnyArray | None, unit: Fraction) -> int | None:
        if not self.bootstrap:
            return None
        n_draws = self.max_samples
        if n_draws is None:
            n_draws = n_rows
        elif not isinstance(n_draws, Integral):
            n_draws = max(1, n_draws * (n_rows if weights is None else float(int(weights.sum()) * unit)))
        if n_draws > MAX_SAMPLES:
            raise ValueError(
                f"max_samples={self.max_samples} draws more than {MAX_SAMPLES} samples, the most that can be fitted."
            )
        return int(n_draws)

    def _warn_of_few_draws(self, job: GrowthJob) -> None:
        """Warn if a fraction of the sum of weights is few samples, as with weights that add up to 1."""
        if job.weights is None or self.max_samples is None or isinstance(self.max_samples, Integral):
            return
        n_draws = getattr(job.draw, "keywords", {})["n_draws"]
        if n_draws < max(10, len(job.weights) ** (1 / 3)):
            warnings.warn(
                f"max_samples={self.max_samples} is a fraction of the sum of the weights: few samples are drawn for a "
                f"tree ({n_draws}). A whole number draws as many samples as it says.",
                stacklevel=level_of_caller(),
            )

    def _judge_out_of_bag(self, job: GrowthJob) -> None:
        trees = [estimator.tree_ for estimator in self.estimators_]
        seeds = [estimator.random_state for estimator in self.estimators_]
        blocks = gen_even_slices(len(job.X), min(len(job.X), effective_n_jobs(self.n_jobs)))
        tasks = [(job, trees, seeds, block) for block in blocks]
        with set_on_error(job.stop_event):
            means = np.concatenate(list(run_in_order(mean_outputs_out_of_bag, tasks, self.n_jobs, prefer="threads")))
        judged = ~np.isnan(means[:, 0])
        if not judged.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                stacklevel=level_of_caller(),
            )
        self.oob_score_ = np.nan
        if job.rows is not None:  # samples without weight have predictions, and do not count in scores
            judged &= np.bincount(job.rows, minlength=len(judged)) > 0
        self._keep_out_of_bag(job, means, judged)
        of_trees = [(job, tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
        with set_on_error(job.stop_event):
            gains = list(run_in_order(mixed_gains_out_of_bag, of_trees, self.n_jobs, prefer="threads"))
        known = [of_tree for of_tree in gains if of_tree is not None]
        if not any(np.isinf(of_tree).any() for of_tree in known):
            means = np.mean(known, axis=0) if known else np.full(self.n_features_in_, np.nan)
            self.unbiased_feature_importances_ = means

    def _keep_out_of_bag(self, job: GrowthJob, means: FloatArray, judged: BoolArray) -> None:
        """Keep the mean outputs of all samples, NaN for samples that all trees have seen; score those `judged`."""
        raise NotImplementedError


@described_like(BaseForest, DecisionTreeClassifier)
class DecisionForestClassifier(BootstrapMixin, BaseForestClassifier):
    """A random forest: decision trees on bootstrap samples, with a random part of the features at every node.

    Class probabilities are the mean over the trees of the class shares in their leaves (as in scikit-learn; [1]_ takes
    votes). The forest is the same on all engines, for every number of threads, and on every machine.

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
        With `bootstrap`, the number of samples that are drawn for a tree: a number, or a fraction of all samples, or of
        the sum of their weights if they have some, rounded down but at least 1. Either can exceed the number of
        samples. None: as many as there are, without those of weight 0.
    oob_score : bool or callable, default=False
        With `bootstrap`, score the forest on the samples that its trees have not seen: by accuracy, or by a function
        ``metric(y_true, y_pred)`` of the class labels.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes, as in scikit-learn, from all samples, or from the samples that are drawn for a tree
        (``"balanced_subsample"``); not with ``"etc"`` and ``"lz76"``. Weights from all samples multiply those of
        the samples: with `bootstrap` they say how likely a sample is drawn.

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

    _tree_class = DecisionTreeClassifier
    _of_oob = (*BootstrapMixin._of_oob, "oob_decision_function_")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BOOTSTRAP_CONSTRAINTS,
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
        categorical_split: CategoricalSplit = "subset",
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
    @by_keyword()
    @described_like(DecisionTreeClassifier.fit)
    def fit(
        self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None, *, order: LabelsLike | None = None
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. With `bootstrap`, samples are drawn
            in proportion to their weights, and a tree counts a sample as often as it was drawn, as in scikit-learn from
            1.9 on. Otherwise every tree weighs all samples. Not with ``"etc"`` and ``"lz76"``.
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
            If some sample is in the bootstrap samples of all trees, so that `oob_score` cannot use it, as can happen to
            heavy samples; or if a fraction `max_samples` of the sum of the weights is few samples.
        """
        class_weight = self.class_weight
        if self._balances_draws() and self._takes_weights():
            class_weight = None if self.bootstrap else "balanced"
        self._fit_and_judge(X, y, sample_weight=sample_weight, class_weight=class_weight, order=order)
        return self

    def _balances_draws(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _make_job(self, samples: Samples) -> GrowthJob:
        job = super()._make_job(samples)
        if self.bootstrap and self._balances_draws():
            codes = job.codes if job.rows is None else job.codes[job.rows]
            given = getattr(job.draw, "keywords", {})
            job = replace(job, draw=partial(draw_balanced_counts, **given, codes=codes))
        return job

    def _keep_out_of_bag(self, job: GrowthJob, means: FloatArray, judged: BoolArray) -> None:
        self.oob_decision_function_ = means
        if judged.any():
            from sklearn.metrics import accuracy_score  # here: it takes longer to import than all of this package

            true, predicted = job.codes[judged], self._decide(means[judged])
            if callable(self.oob_score):
                self.oob_score_ = self.oob_score(self.classes_[true], self.classes_[predicted])
            else:
                self.oob_score_ = accuracy_score(true, predicted)
