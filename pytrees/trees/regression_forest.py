"""Random forests of regression trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._given_judges import ErrorLike
from .._numbers import beyond_float64, exponent_of
from .._typing import (
    BoolArray,
    CategoricalFeatures,
    CategoricalSplit,
    FloatArray,
    HandleUnknown,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    OobScore,
    RandomState,
)
from ..convert.sklearn_estimators import to_sklearn
from ..input.validation import validate_X
from .base_forest import BaseForest
from .forest import BOOTSTRAP_CONSTRAINTS, BootstrapMixin, DecisionForestClassifier
from .growth_job import GrowthJob
from .regression_tree import ERROR_CONSTRAINTS, BaseRegressor, DecisionTreeRegressor
from .scoring import r2

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

__all__ = ["DecisionForestRegressor"]


@described_like(BaseForest, DecisionTreeRegressor, DecisionForestClassifier)
class DecisionForestRegressor(BootstrapMixin, BaseForest, BaseRegressor):
    """A random forest of regression trees on bootstrap samples; it predicts the mean of its trees.

    The forest is the same on all engines, for every number of threads, and on every machine.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"} or criterion object, default="squared_error"
        As in :class:`DecisionTreeRegressor`.
    min_samples_split : int or float, default=2
        Fewest samples that a node must have to be split. Repeated samples count once; a float is a fraction of all
        samples that could be drawn, rounded up.
    min_samples_leaf : int or float, default=1
        Fewest samples in every child of a split, counted as for `min_samples_split`.
    min_weight_fraction_leaf : float, default=0.0
        Least weight of the samples in every child of a split, as a fraction of the weight of the tree's samples, which
        count as often as they were drawn; at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default=1/3
        Number of features, drawn at random for every node, among which its split is searched; a float is a fraction of
        all. Further features are drawn until one has a cut that `min_samples_leaf` allows. A third is the default of
        [1]_; scikit-learn's forest takes all, which are 1.0 or None.
    bootstrap : bool, default=True
        Draw the samples of every tree with replacement, all with the same probability. Samples weigh as often as they
        were drawn, which grows the tree of the repeated samples. False: all samples for every tree.
    oob_score : bool or callable, default=False
        With `bootstrap`, score the forest on the samples that its trees have not seen: by R², or by a function
        ``metric(y_true, y_pred)``.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The fitted trees; `random_state` of each is its seed.
    oob_prediction_ : ndarray of shape (n_samples,), float64
        Only with `oob_score`. For every sample the mean over the trees that have not seen it; NaN if all have.
    oob_score_ : float
        Only with `oob_score`. The score of the samples that some tree has not seen; NaN if there are fewer than two.
    unbiased_feature_importances_ : ndarray of shape (n_features,), float64
        Only with `oob_score`. The decrease of the squared error by every feature on the samples that their trees have
        not seen, mean over the trees, in the square of the targets' unit [2]_. It is about zero, above or below, for a
        feature that tells nothing, while `feature_importances_` favours features of many values.

    See Also
    --------
    DecisionTreeRegressor : One such tree, with the grid on which targets lie.
    DecisionForestClassifier : A forest of trees of classes.

    Notes
    -----
    All trees share one grid of targets. A tree costs about as much as a :class:`DecisionTreeRegressor` with this
    `max_features` on the samples that are drawn, about 63 %. Features are sorted once for all trees, and no tree copies
    a sample of X. Prediction costs O(n_samples · depth) for every tree.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 5-32, 2001.
    .. [2] X. Li, Y. Wang, S. Basu, K. Kumbier and B. Yu, "A Debiased MDI Feature Importance Measure for Random
       Forests", NeurIPS 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from pytrees import DecisionForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = DecisionForestRegressor(50, min_samples_leaf=5, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[:2]).round(1)
    array([194.9,  78.8])
    >>> round(forest.oob_score_, 2)
    0.44
    """

    estimators_: list[DecisionTreeRegressor]
    oob_prediction_: FloatArray
    oob_score_: float

    _tree_class = DecisionTreeRegressor
    _of_oob = (*BootstrapMixin._of_oob, "oob_prediction_")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BOOTSTRAP_CONSTRAINTS,
        "criterion": ERROR_CONSTRAINTS["criterion"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ErrorLike = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = 1 / 3,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def __getattr__(self, name: str) -> Any:
        if name == "unbiased_feature_importances_" and "oob_score_" in vars(self):
            raise AttributeError(str(beyond_float64(name, exponent_of(np.nan_to_num(self.oob_prediction_)))))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @described_like(DecisionTreeRegressor.fit)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. With `bootstrap`, samples are drawn
            in proportion to their weights, and a tree counts a sample as often as it was drawn, as in scikit-learn from
            1.9 on. Otherwise every tree weighs all samples.

        Raises
        ------
        ValueError
            As in :meth:`DecisionTreeRegressor.fit`; also if `oob_score` or `max_samples` is given without `bootstrap`,
            or more samples are to be drawn for a tree than can be fitted.

        Warns
        -----
        UserWarning
            If some sample is in the bootstrap samples of all trees, so that `oob_score` cannot use it, as can happen to
            heavy samples; or if a fraction `max_samples` of the sum of the weights is few samples.
        """
        self._fit_and_judge(X, y, sample_weight=sample_weight)
        return self

    @described_like(DecisionTreeRegressor.predict)
    def predict(self, X: MatrixLike) -> FloatArray:
        """Predict the mean of the trees' numbers; the sum over trees runs in their order, whatever `n_jobs` is."""
        return self._mean_outputs(X)[:, 0]

    def _mean_outputs(self, X: Any) -> FloatArray:
        means = super()._mean_outputs(X)
        if np.all(np.isfinite(means)):
            return means
        # Sums of numbers near the ends of float64 are infinite, but their mean is not.
        X, trees, exponent = validate_X(self, X), self._trees(), len(self).bit_length()
        total = sum(np.ldexp(tree.outputs_at(tree._apply_valid(X)), -exponent) for tree in trees)
        with np.errstate(over="ignore"):
            means = np.ldexp(total / len(trees), exponent)
        return np.nan_to_num(means)  # rounding can lead beyond the greatest number

    def _keep_out_of_bag(self, job: GrowthJob, means: FloatArray, judged: BoolArray) -> None:
        self.oob_prediction_ = means[:, 0]
        if np.count_nonzero(judged) > 1:
            score = self.oob_score if callable(self.oob_score) else r2
            assert job.y is not None
            self.oob_score_ = score(job.y[judged], means[judged, 0])

    def to_sklearn(self) -> RandomForestRegressor:
        """Convert the forest to a fitted scikit-learn ``RandomForestRegressor`` of the same trees.

        See :func:`pytrees.to_sklearn`.

        Returns
        -------
        sklearn.ensemble.RandomForestRegressor
            Its predictions are this forest's on data that is exact in float32.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn stores nodes differently from 1.9.
        """
        check_is_fitted(self)
        return to_sklearn(self)
