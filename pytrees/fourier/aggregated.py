"""Classifiers that rebuild one tree from the Fourier spectrum of a tree (RFT), or of a whole ensemble (AFT)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._given_tree import Ensemble
from .._sklearn import Interval, StrOptions, fit_context
from .._typing import FloatArray, IntArray, LabelsLike, MatrixLike, Measure, RandomState, RebuildCriterion
from ..simplify import merge_redundant
from ..trees.base import BaseTreeClassifier, unchanged_on_error
from ..trees.base_forest import FOREST_CONSTRAINTS
from ..trees.cart import DecisionTreeClassifier
from .base import (
    REBUILD_CONSTRAINTS,
    CodedEnsemble,
    MadeOfTreesMixin,
    coded_ensemble,
    nearest_shares,
    scores_of_classes,
)
from .boxes import check_shares
from .codes import with_value
from .ensembles import tree_from_ensemble
from .spectrum import FourierSpectrum, tree_from_spectra

if TYPE_CHECKING:
    from .rebuild import RebuiltTree

__all__ = ["AggregatedFourierTreeClassifier", "ReconstructedFourierTree"]


class _RebuiltTreeClassifier(MadeOfTreesMixin, BaseTreeClassifier):
    """A classifier that is one tree, made by TCFS of the weighted sum of some trees."""

    averages_: FloatArray
    merged_node_count_: int
    member_node_counts_: IntArray

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **REBUILD_CONSTRAINTS,
        "energy": [Interval(Real, 0.0, 1.0, closed="right"), None],
        "max_order": [Interval(Integral, 0, None, closed="left"), None],
        "criterion": [StrOptions({"entropy", "variance"})],
        "tol": [Interval(Real, 0.0, None, closed="left")],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def _fit_and_rebuild(self, X: Any, y: Any, *, sample_weight: Any, n_estimators: int | None, weights: Any) -> Self:
        is_uniform = isinstance(self.measure, str) and self.measure == "uniform"
        if not is_uniform and not (self.energy is None and self.max_order is None):
            raise ValueError("energy and max_order truncate spectra, and spectra need measure='uniform'.")
        with unchanged_on_error(self):
            ensemble = coded_ensemble(self, X, y, n_estimators, sample_weight)
            codes, n_classes = ensemble.codes, len(ensemble.classes)
            shares = check_shares(weights, len(codes.trees), "one a tree")
            rebuilt = self._rebuild(ensemble, shares)
            scores = nearest_shares(scores_of_classes(rebuilt.averages, n_classes))
            self._know(ensemble.classes)
            decoded = codes.decode(rebuilt.tree)
            self._keep(with_value(decoded, scores * decoded.value.sum(axis=1, keepdims=True)))
            self.averages_ = rebuilt.averages
            self.merged_node_count_ = merge_redundant(self.tree_).node_count
            self.member_node_counts_ = np.array([tree.node_count for tree in codes.trees])
        return self

    def _rebuild(self, ensemble: CodedEnsemble, shares: FloatArray) -> RebuiltTree:
        names = "criterion", "tol", "min_confidence", "max_depth", "max_leaf_nodes"
        limits = {name: getattr(self, name) for name in names}
        trees, cardinalities = ensemble.codes.trees, ensemble.codes.cardinalities
        if self.energy is None and self.max_order is None:
            return tree_from_ensemble(
                trees,
                cardinalities,
                weights=shares,
                values=ensemble.values,
                verbose=self.verbose,
                measure=ensemble.measure,
                **limits,
            )
        spectra = [self._spectrum(ensemble, shares, output) for output in range(len(ensemble.outputs))]
        return tree_from_spectra(spectra, categorical_features=ensemble.codes.is_categorical, **limits)

    def _spectrum(self, ensemble: CodedEnsemble, shares: FloatArray, output: int) -> FourierSpectrum:
        """Sum the spectra of the trees, after truncating each."""
        total: Any = 0.0
        for tree, values, share in zip(ensemble.codes.trees, ensemble.values, shares, strict=True):
            spectrum = FourierSpectrum.from_tree(tree, ensemble.codes.cardinalities, values=values[:, output])
            total = spectrum.truncate(energy=self.energy, max_order=self.max_order) * share + total
        return total


@described_like(DecisionTreeClassifier)
class ReconstructedFourierTree(_RebuiltTreeClassifier):
    """A tree rebuilt from its own Fourier spectrum, which can be truncated (RFT).

    A whole spectrum gives the function of the tree itself, in a tree that may have other splits; a truncated spectrum
    gives a smoother function, which acts like pruning [1]_.

    Parameters
    ----------
    estimator : tree classifier, FrozenEstimator of one, Tree, or None, default=None
        The tree, of pytrees or of scikit-learn. It is cloned and fitted, unless :class:`sklearn.frozen.FrozenEstimator`
        wraps a fitted tree. A :class:`Tree` is used as it is. None: a :class:`DecisionTreeClassifier` with
        ``criterion="entropy"``.
    energy : float in (0, 1] or None, default=None
        The spectrum keeps the fewest coefficients that have this share of the energy outside w_0. Memory must hold the
        spectrum, so attributes must have few values; see :meth:`FourierSpectrum.truncate`.
    max_order : int or None, default=None
        Coefficients of higher order are dropped. Memory must hold the spectrum, as for `energy`.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        The measure under which the function is averaged. A product of measures, one for every attribute: all codes have
        equal mass, their frequencies in X, or the given masses. Or ``"joint"``, the distribution of the samples in X:
        the tree is then grown on the samples, labelled by the function. Codes number the intervals between the
        thresholds, or the categories, see :func:`pytrees.fourier.ordinal_codes`.
    criterion : {"entropy", "variance"}, default="entropy"
        The measure of a split's gain in the new tree; see :meth:`FourierSpectrum.to_tree`.
    tol : float, default=0
        A node whose variance is at most this is a leaf.
    min_confidence : float in (0, 1] or None, default=None
        A node becomes a leaf if the greatest average share of a class is at least this: the paper's minimum confidence.
    max_depth : int or None, default=None
        Greatest depth of the new tree.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of the new tree. With None, more than 10,000 are an error.
    random_state : int, RandomState instance or None, default=None
        Given to `estimator` if it has a `random_state` of None.
    verbose : int, default=0
        Show a progress bar of the new tree's leaves on standard error if `max_leaf_nodes` limits them.

    Attributes
    ----------
    tree_ : Tree
        The new tree, on the original features. A categorical feature is split, on the codes of :meth:`encode`, into a
        child for every category that has mass. Its `value` holds shares of classes times the probability of the node,
        and `n_node_samples` is 1: it has no training samples.
    averages_ : ndarray of shape (node_count, n_outputs), float64
        The averages of the function at its nodes, not cut off: of the indicator of the last of two classes, or of the
        indicators of all classes if there are more.
    merged_node_count_ : int
        Number of nodes after :func:`merge_redundant`, which keeps all predictions.
    member_node_counts_ : ndarray of shape (1,), int64
        Number of nodes of the original tree.
    classes_ : ndarray of shape (n_classes,)
        The classes, in order.
    is_categorical_ : ndarray of shape (n_features,), bool, or None
        Whether a feature is categorical in `estimator`; None if none is.
    categories_ : list of ndarray
        The categories of every categorical feature, sorted. Samples of other categories are refused, or stay at the
        node that splits by the feature, by the `handle_unknown` of `estimator`.

    See Also
    --------
    AggregatedFourierTreeClassifier : Rebuilds one tree of an ensemble.
    FourierSpectrum.to_tree : Builds a tree from a spectrum of your own.

    References
    ----------
    .. [1] H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006: sections V and VII.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, ReconstructedFourierTree
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 2, [0, 1, 1, 0] * 2
    >>> tree = ReconstructedFourierTree(DecisionTreeClassifier()).fit(X, y)
    >>> tree.predict(X[:4])
    array([0, 1, 1, 0])
    """

    def __init__(
        self,
        estimator: Ensemble = None,
        *,
        energy: float | None = None,
        max_order: int | None = None,
        measure: Measure = "uniform",
        criterion: RebuildCriterion = "entropy",
        tol: float = 0.0,
        min_confidence: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.energy = energy
        self.max_order = max_order
        self.measure = measure
        self.criterion = criterion
        self.tol = tol
        self.min_confidence = min_confidence
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the tree, and rebuild it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, or NaN if `estimator` takes it; in categorical features, values that `estimator` takes.
        y : array-like of shape (n_samples,)
            Class labels of any type. The categories of an ordered pandas Categorical are the order of the classes for
            an ordinal `estimator` that has no `classes`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative, for the fit of the tree and for the measures of samples.

        Returns
        -------
        Self
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If `estimator` has more than one tree; if X or y do not match a tree that is fitted already; if `energy` or
            `max_order` is given with another measure than ``"uniform"``; if weights are negative or all zero, or
            `estimator` takes none; if there would be more than 10,000 leaves, and `max_leaf_nodes` is None.
        MemoryError
            If memory cannot hold the spectrum that `energy` or `max_order` truncates.
        """
        if isinstance(self.estimator, (list, tuple)) or hasattr(self.estimator, "n_estimators"):
            raise ValueError("One tree is rebuilt, not several; AggregatedFourierTreeClassifier takes several.")
        return self._fit_and_rebuild(X, y, sample_weight=sample_weight, n_estimators=None, weights=None)


@described_like(ReconstructedFourierTree)
class AggregatedFourierTreeClassifier(_RebuiltTreeClassifier):
    """One tree made of all trees of an ensemble, from the weighted sum of their functions (AFT).

    Every tree of the ensemble is a function, which is 1 if the tree predicts a class, otherwise 0; the weighted sum of
    these functions is the vote. The new tree approximates the vote by TCFS, the tree construction from a Fourier
    spectrum, and equals it without limits [1]_.

    Parameters
    ----------
    estimator : tree or ensemble classifier, FrozenEstimator, sequence of trees, or None, default=None
        An estimator of pytrees or of scikit-learn: a tree is grown on bootstrap samples `n_estimators` times, an
        ensemble of trees is cloned and fitted. A fitted ensemble inside :class:`sklearn.frozen.FrozenEstimator`, and
        sequences of :class:`Tree` or of fitted trees, are used as they are. None: a :class:`DecisionTreeClassifier`
        with ``criterion="entropy"``.
    n_estimators : int, default=10
        Number of trees that are grown; ensembles have their own number.
    weights : array-like of shape (n_trees,) or None, default=None
        Weights of the trees' votes, not negative, such as the weights of boosting. None: all equal.
    energy : float in (0, 1] or None, default=None
        As in :class:`ReconstructedFourierTree`, for every tree by itself.
    max_order : int or None, default=None
        As in :class:`ReconstructedFourierTree`, for every tree by itself.
    max_leaf_nodes : int or None, default=32
        Greatest number of leaves. With None and no other limit, the tree is the vote itself, which can need
        exponentially more leaves than the ensemble has: more than 10,000 are an error.
    random_state : int, RandomState instance or None, default=None
        Given to the estimator that is fitted, if its own `random_state` is None.

    Attributes
    ----------
    member_node_counts_ : ndarray of shape (n_trees,), int64
        Numbers of nodes of the trees of the ensemble.

    See Also
    --------
    OrthogonalTreesClassifier : Several trees that have nothing in common.
    pytrees.fourier.tree_from_ensemble : A function that makes the tree.

    References
    ----------
    .. [1] H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006: sections VI and VII.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import AggregatedFourierTreeClassifier, DecisionForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = DecisionForestClassifier(20, random_state=0)
    >>> one = AggregatedFourierTreeClassifier(forest, measure="empirical", max_leaf_nodes=16).fit(X, y)
    >>> one.get_n_leaves(), int(one.member_node_counts_.sum())
    (16, 886)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_RebuiltTreeClassifier._parameter_constraints,
        "n_estimators": FOREST_CONSTRAINTS["n_estimators"],
        "weights": ["array-like", None],
    }

    def __init__(
        self,
        estimator: Ensemble = None,
        *,
        n_estimators: int = 10,
        weights: ArrayLike | None = None,
        energy: float | None = None,
        max_order: int | None = None,
        measure: Measure = "uniform",
        criterion: RebuildCriterion = "entropy",
        tol: float = 0.0,
        min_confidence: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = 32,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.weights = weights
        self.energy = energy
        self.max_order = max_order
        self.measure = measure
        self.criterion = criterion
        self.tol = tol
        self.min_confidence = min_confidence
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state
        self.verbose = verbose

    @described_like(ReconstructedFourierTree.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the ensemble, and make one tree of it.

        Raises
        ------
        ValueError
            If the trees differ in their features or classes, or X or y do not match trees that are fitted already; if
            the number of weights is not the number of trees, or weights are negative or all zero; if `energy` or
            `max_order` is given with another measure than ``"uniform"``; if `sample_weight` is negative or all zero, or
            `estimator` takes none; if there would be more than 10,000 leaves, and `max_leaf_nodes` is None.
        MemoryError
            If memory cannot hold the spectra that `energy` or `max_order` truncates.
        """
        return self._fit_and_rebuild(
            X, y, sample_weight=sample_weight, n_estimators=self.n_estimators, weights=self.weights
        )
