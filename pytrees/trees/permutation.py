"""Permutation decision trees and forests, which depend on the order of the samples.

Harikrishnan N. B. and N. Nagaraj, "Permutation Decision Trees", arXiv:2306.02617.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

from .._by_keyword import by_keyword
from .._docstrings import described_like
from .._given_judges import CriterionLike
from .._sklearn import Interval, StrOptions
from .._typing import (
    CategoricalFeatures,
    CategoricalSplit,
    Draws,
    HandleUnknown,
    IntArray,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    RandomState,
)
from .base import GROWTH_CONSTRAINTS, BaseTreeClassifier, Samples
from .base_forest import FOREST_CONSTRAINTS, BaseForest, BaseForestClassifier
from .bootstrap import BLOCK_BOOTSTRAPS, draw_orders
from .cart import DecisionTreeClassifier

__all__ = ["PermutationDecisionForestClassifier", "PermutationDecisionTreeClassifier"]


# Meta-estimators look for the parameter `sample_weight`, and users ask for it.
_NO_WEIGHTS = (
    "In a sequence of labels a sample has no weight: repeat samples, or take DecisionTreeClassifier with a criterion "
    "of class counts."
)


@described_like(DecisionTreeClassifier)
class PermutationDecisionTreeClassifier(BaseTreeClassifier):
    """A decision tree whose impurity is the Effort-To-Compress of the label sequence.

    The samples are taken as a sequence, in their own order or by the keys of `order`: the same samples in another order
    can give another tree. Every split maximises the ETC gain (Eq. 1 of [1]_), ``ETC(S) - sum(|S_v| / |S| * ETC(S_v))``,
    in which a child's sequence S_v is the subsequence of its samples. `groups` divides the samples into several series,
    each a sequence of its own: the gain of a split is the mean of its gains in the groups, over the samples.

    Parameters
    ----------
    criterion : str or criterion object, default="etc"
        As in :class:`DecisionTreeClassifier`. ``"lz76"`` is another measure of how irregular a sequence is, which
        replaces ETC in the gain. Under every other criterion of the engine the order of the samples has no influence.
    min_gain : float or None, default=None
        As in :class:`DecisionTreeClassifier`, in steps of ``"etc"``.
    categorical_split : {"multiway", "subset"}, default="multiway"
        As in :class:`DecisionTreeClassifier`, where ``"subset"`` is the default. Here every division of categories into
        two sets is another sequence to judge, of which a node of 12 categories has 2,047.
    n_jobs : int or None, default=None
        Threads that scan the features of a node together if the node is large enough to profit; None is one thread,
        -1 as many as there are cores. The tree is the same for every number. Only ``"etc"`` and ``"lz76"`` use them.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Share of every feature in the total ETC gain; gains below zero count as zero.

    See Also
    --------
    PermutationDecisionForestClassifier : Many such trees, each on its own permutation of the samples.
    pytrees.effort_to_compress : The impurity of a sequence of labels.
    pytrees.lempel_ziv_complexity : Its impurity by ``criterion="lz76"``.

    Notes
    -----
    A node of n samples costs up to O(n log n) for every cut, so up to O(n² log n) for every feature, though
    neighbouring cuts share much of it; `max_candidates` bounds the cuts. Memory is linear in the data, for every
    thread.

    With `groups` the impurity of a node is the mean of the ETC of its groups' sequences, each weighted by its number of
    samples in the node. The gain by Eq. 1 then is the same mean of the gains in each group alone; it equals the gain of
    the paper for one group, and does not change if a series is repeated as a group of its own. A sum of the ETC would
    count a long series' steps by the samples of all others too, and `min_gain` would depend on the number of groups.
    The sequence of a single sample has the ETC 0: many groups of few samples say little about a node, and nothing if
    each has one sample left; then the first of all cuts is taken.

    References
    ----------
    .. [1] Harikrishnan N. B. and N. Nagaraj, "Permutation Decision Trees", arXiv:2306.02617, Section 2.

    Examples
    --------
    Two arrival orders of the same six patients, and the trees they give:

    >>> import numpy as np
    >>> from pytrees import PermutationDecisionTreeClassifier
    >>> X = np.array([[1, 1], [1, 2], [2, 1], [4, 3], [5, 1], [5, 4]])
    >>> y = np.array(["well", "well", "well", "ill", "ill", "ill"])
    >>> PermutationDecisionTreeClassifier().fit(X, y).feature_usage(X)
    array([6, 0])
    >>> tree = PermutationDecisionTreeClassifier().fit(X, y, order=[3, 1, 2, 6, 4, 5])
    >>> tree.predict([[3, 4]])
    array(['well'], dtype='<U4')

    Two wards, each with its own order of arrival:

    >>> ward = ["a", "a", "b", "b", "a", "b"]
    >>> PermutationDecisionTreeClassifier().fit(X, y, order=[3, 1, 2, 6, 4, 5], groups=ward).tree_.gain[0].item()
    2.0

    If the order matters, test on later samples; `order` and `groups` are routed to the tree:

    >>> import sklearn
    >>> from sklearn.model_selection import TimeSeriesSplit, cross_val_score
    >>> rng = np.random.default_rng(0)
    >>> X, hour = rng.normal(size=(200, 2)), np.arange(200)
    >>> y = X[:, 0] + np.sin(hour / 20) > 0
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     tree = PermutationDecisionTreeClassifier(max_depth=3).set_fit_request(order=True)
    ...     scores = cross_val_score(tree, X, y, cv=TimeSeriesSplit(3), params={"order": hour})
    >>> scores.shape
    (3,)
    """

    max_features_: int

    _reads_any_layout = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**GROWTH_CONSTRAINTS, "n_jobs": [Integral, None]}

    def __init__(
        self,
        criterion: CriterionLike = "etc",
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = None,
        min_gain: float | None = None,
        max_candidates: int | None = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "multiway",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.categorical_split = categorical_split
        self.n_jobs = n_jobs
        self.random_state = random_state

    @by_keyword(sample_weight=_NO_WEIGHTS)
    @described_like(DecisionTreeClassifier.fit)
    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        *,
        order: LabelsLike | None = None,
        groups: LabelsLike | None = None,
    ) -> Self:
        """Grow the tree on the samples as a sequence.

        Parameters
        ----------
        order : array-like of shape (n_samples,), optional
            Sortable keys, such as time stamps, that give the order of the samples; samples of equal keys stay in their
            own order. Without keys the samples' own order is the order. Key i belongs to sample i, whatever index a
            pandas column has. The keys can be routed through pipelines and searches: with
            ``sklearn.set_config(enable_metadata_routing=True)`` and ``set_fit_request(order=True)``.
        groups : array-like of shape (n_samples,), optional
            The series that every sample belongs to, by keys of any type that can be sorted. Each group is a sequence of
            its own, in the order of its samples: sequences never join across groups. Routed like the keys of `order`,
            by ``set_fit_request(groups=True)``. Groups have no influence if the order has none.

        Raises
        ------
        ValueError
            If X holds infinity (the column is named), y is continuous, lengths differ, or keys are missing or
            cannot be sorted; if every group has one sample; or if groups are given to a criterion of your own that
            judges sequences.
        TypeError
            If `sample_weight` is given, or `order` or `groups` by position.
        """
        return self._fit(X, y, order=order, groups=groups)


@described_like(BaseForest, PermutationDecisionTreeClassifier)
class PermutationDecisionForestClassifier(BaseForestClassifier):
    """Permutation decision trees, each on its own random permutation of the samples, and their majority vote.

    Diversity comes from the order of the samples alone: every tree sees all samples and all features (Section 4.1 of
    [1]_). `bootstrap` and `max_features` add what the authors leave to future work. A permutation destroys the order of
    the samples; if that order matters, a bootstrap by blocks keeps it within the blocks.

    Parameters
    ----------
    criterion : str or criterion object, default="etc"
        As in :class:`PermutationDecisionTreeClassifier`. Criteria that do not see the order give diverse trees only
        with `bootstrap` or `max_features`.
    bootstrap : bool or {"moving_block", "stationary"}, default=False
        Draw the samples of every tree with replacement, in the order of the draws, instead of permuting them. True
        draws one by one; ``"moving_block"`` draws blocks of `block_length` neighbours, all equally likely [2]_;
        ``"stationary"`` draws blocks that start at any sample and whose lengths are random, of the mean `block_length`,
        with the first sample after the last one [3]_. A block keeps the order of its samples. Blocks are drawn, or
        samples permuted, within every group.
    block_length : int or None, default=None
        Length of the blocks in samples; None is the cube root of the group's number of samples, rounded up. A group
        that is no longer is drawn from in blocks of its own length. Only with a bootstrap by blocks.

    Attributes
    ----------
    estimators_ : list of PermutationDecisionTreeClassifier
        The fitted trees; `random_state` of each is its seed.

    See Also
    --------
    PermutationDecisionTreeClassifier : One such tree, on the samples in their own order.
    DecisionForestClassifier : Forest of trees of any criterion, on bootstrap samples.
    effort_to_compress : The impurity that `criterion="etc"` gives to a sequence of labels.
    lempel_ziv_complexity : The one that `criterion="lz76"` gives.

    References
    ----------
    .. [1] Harikrishnan N. B. and N. Nagaraj, "Permutation Decision Trees", arXiv:2306.02617.
    .. [2] H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", The Annals of Statistics
       17(3), 1989.
    .. [3] D. N. Politis and J. P. Romano, "The stationary bootstrap", Journal of the American Statistical Association
       89(428), 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import PermutationDecisionForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = PermutationDecisionForestClassifier(n_estimators=11, random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:1])
    array([[1., 0., 0.]])
    >>> sum(distinct.count for distinct in forest.distinct_trees())
    11

    Trees on blocks of neighbours, tested on later samples:

    >>> import numpy as np
    >>> from sklearn.model_selection import TimeSeriesSplit, cross_val_score
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] + np.sin(np.arange(200) / 20) > 0
    >>> forest = PermutationDecisionForestClassifier(
    ...     n_estimators=5, max_depth=3, bootstrap="moving_block", block_length=20, random_state=0
    ... )
    >>> cross_val_score(forest, X, y, cv=TimeSeriesSplit(3)).shape
    (3,)
    >>> forest.fit(X, y).estimators_samples_[0][18:22]
    array([196, 197,  32,  33])
    """

    estimators_: list[PermutationDecisionTreeClassifier]

    _tree_class = PermutationDecisionTreeClassifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FOREST_CONSTRAINTS,
        "bootstrap": ["boolean", StrOptions(set(BLOCK_BOOTSTRAPS))],
        "block_length": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: CriterionLike = "etc",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = None,
        min_gain: float | None = None,
        max_candidates: int | None = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "multiway",
        bootstrap: bool | Literal["moving_block", "stationary"] = False,
        block_length: int | None = None,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.categorical_split = categorical_split
        self.bootstrap = bootstrap
        self.block_length = block_length
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @by_keyword(sample_weight=_NO_WEIGHTS)
    @described_like(DecisionTreeClassifier.fit)
    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        *,
        order: LabelsLike | None = None,
        groups: LabelsLike | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        order : array-like of shape (n_samples,), optional
            Sortable keys. The samples are sorted by them before they are permuted or drawn, so that the forest does not
            depend on how samples are stored.
        groups : array-like of shape (n_samples,), optional
            As in :meth:`PermutationDecisionTreeClassifier.fit`. Every tree permutes the samples of each group, or draws
            as many of them as there are.

        Raises
        ------
        ValueError
            As in :meth:`PermutationDecisionTreeClassifier.fit`; also if `block_length` is given without a bootstrap by
            blocks, or leaves one block of all samples, or one moving block of every group.
        """
        self._fit(X, y, order=order, groups=groups)
        return self

    def _make_draw(self, samples: Samples) -> Callable[..., Draws]:
        if self.block_length is not None:
            if not isinstance(self.bootstrap, str):
                raise ValueError(
                    f"block_length needs bootstrap='moving_block' or 'stationary', got {self.bootstrap!r}."
                )
            if self.block_length >= samples.n_used:
                raise ValueError(f"block_length={self.block_length} leaves one block of {samples.n_used} samples.")
        return partial(draw_orders, bootstrap=self.bootstrap, block_length=self.block_length)

    def _labels_of_nodes(self) -> list[IntArray]:
        return [estimator.tree_.majority for estimator in self.estimators_]
