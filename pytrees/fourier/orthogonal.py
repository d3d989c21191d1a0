"""Orthogonal decision trees (ODT): the principal components of an ensemble as trees."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._given_tree import Ensemble
from .._sklearn import Interval, RealNotInt, StrOptions, fit_context
from .._tree_checks import LEAF
from .._typing import AnyArray, FloatArray, IntArray, LabelsLike, MatrixLike, Measure, RandomState
from ..input.validation import validate_X
from ..simplify import merge_redundant
from ..tree import Tree
from ..trees.base import BaseClassifier, BaseTreeClassifier, unchanged_on_error
from ..trees.base_forest import FOREST_CONSTRAINTS
from .aggregated import AggregatedFourierTreeClassifier
from .base import (
    REBUILD_CONSTRAINTS,
    CodedEnsemble,
    MadeOfTreesMixin,
    coded_ensemble,
    nearest_shares,
    scores_of_classes,
)
from .boxes import Leaves
from .codes import OrdinalCodes, leaf_like, with_value
from .ensembles import gram, tree_of_leaves
from .rebuild import MOST_LEAVES, Limits, RebuiltTree, too_many_leaves

__all__ = ["OrthogonalTreesClassifier"]

# Components of less energy, as a share of the energies of the trees, can be rounding errors.
_ROUNDING = 1e-12
# Inner products are rounded to this many bits below the greatest inner product. The order of a sum affects fewer bits;
# without this rounding, it could rotate the eigenvectors of equal eigenvalues.
_BITS = 44
# Entries of eigenvectors, and their sums, count as equal if they differ by less than this: small gaps between
# eigenvalues amplify rounding errors to this size.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Functions:
    """The functions of an ensemble's trees under a measure, minus their means if they are centred.

    Attributes
    ----------
    trees : list of Tree
        The trees of the ensemble, then, if they are centred, a single leaf for every output.
    values : list of ndarray of shape (node_count, n_outputs), float64
        The functions at the nodes: 0 or 1.
    lifted : ndarray of shape (n_functions, n_trees), float64
        The functions as weighted sums of `trees`.
    products : ndarray of shape (n_functions, n_functions), float64
        The inner products of the functions.
    scale : float
        The greatest inner product of a tree with itself, before centring.
    mean : ndarray of shape (n_outputs,), float64
        The mean vote that centring subtracts; zero without centring.
    """

    trees: list[Tree]
    values: list[FloatArray]
    lifted: FloatArray
    products: FloatArray
    scale: float
    mean: FloatArray


def functions_of(ensemble: CodedEnsemble, center: bool, verbose: int = 0) -> Functions:
    """Compute the functions of an ensemble and their inner products from the leaves (Eq. 4 of the paper)."""
    trees, cardinalities = ensemble.codes.trees, ensemble.codes.cardinalities
    n_trees, n_outputs = len(trees), len(ensemble.outputs)
    values = ensemble.values
    if center:
        trees = [*trees, *[leaf_like(trees[0])] * n_outputs]
        values = [*values, *np.eye(n_outputs)[:, np.newaxis]]
    products = gram(trees, cardinalities, values=values, verbose=verbose, measure=ensemble.measure)
    scale = float(products.diagonal()[:n_trees].max())
    means = products[:n_trees, n_trees:]  # w_0 is the inner product with a constant
    products = products[:n_trees, :n_trees] - means @ means.T
    mean = means.mean(axis=0) if center else np.zeros(n_outputs)
    return Functions(trees, values, np.hstack([np.eye(n_trees), -means]), products, scale, mean)


def eigenvectors(products: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Compute the falling eigenvalues of a Gram matrix and its eigenvectors as columns, the same on both engines."""
    unit = np.ldexp(1.0, int(np.frexp(scale * (1.0 + _SAME))[1]) - _BITS)
    energies, vectors = eigh(np.round(products / unit) * unit)
    return np.maximum(energies[::-1], 0.0), vectors[:, ::-1]


def principal_components(functions: Functions, n_components: int | float) -> tuple[FloatArray, FloatArray]:
    """Compute the eigenvectors of the greatest eigenvalues of the Gram matrix, and all its eigenvalues.

    The eigenvectors are orthonormal rows of shape (n_components, n_functions), their signs as `with_signs` fixes them.
    The eigenvalues are falling, and not negative.
    """
    energies, vectors = eigenvectors(functions.products, functions.scale)
    rank = int(np.count_nonzero(energies > _ROUNDING * len(energies) * functions.scale))
    if isinstance(n_components, Integral):
        if n_components > rank:
            why = "" if rank else ": every tree predicts one class everywhere"
            raise ValueError(
                f"n_components={n_components}, but the functions of the {len(energies)} trees have rank {rank}{why}."
            )
        n_kept = int(n_components)
    else:
        captured = np.cumsum(energies[:rank])
        reached = captured >= (n_components - _ROUNDING) * energies[:rank].sum()
        n_kept = min(int(np.count_nonzero(~reached)) + 1, rank)
    return with_signs(vectors[:, :n_kept].T), energies


def with_signs(components: FloatArray) -> FloatArray:
    """Choose the sign of every component so that its sum, or if that is zero its greatest entry, is not negative.

    The first of several greatest entries decides. Rounding errors decide nothing.
    """
    sums, sizes = components.sum(axis=1), np.abs(components)
    greatest = (sizes >= (1.0 - _SAME) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    deciding = np.where(np.abs(sums) > _SAME, sums, components[np.arange(len(components)), greatest])
    return components * np.where(deciding < 0.0, -1.0, 1.0)[:, np.newaxis]


@dataclass(frozen=True)
class TreeLimits:
    """The limits of the trees of components."""

    max_depth: int | None
    max_leaf_nodes: int | None
    min_confidence: float | None

    def of(self, functions: Functions, weights: FloatArray) -> Limits:
        """Return the limits of TCFS for a tree of some components, each weights of `functions.trees`."""
        settled = None if self.min_confidence is None else settled_components(functions, weights, self.min_confidence)
        return Limits("variance", 0.0, self.max_depth, self.max_leaf_nodes, settled)


def settled_components(
    functions: Functions, weights: FloatArray, min_confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return the averages up to which, and the averages from which on, components have this confidence.

    A component has its least value if all trees of negative weight predict the class, and its greatest value if all
    trees of positive weight do. Its confidence is measured as a share of this range. If no weight is negative, and
    functions are not centred, that is the share of the class in a vote with these weights.
    """
    n_trees, n_outputs = len(functions.products), len(functions.mean)
    means = weights[:, n_trees:] if weights.shape[1] > n_trees else np.zeros((len(weights), n_outputs))
    least = np.minimum(weights[:, :n_trees], 0.0).sum(axis=1)[:, np.newaxis] + means
    span = np.abs(weights[:, :n_trees]).sum(axis=1)[:, np.newaxis]
    needed = (min_confidence - _ROUNDING) * span
    at_least = least + needed
    return np.full_like(at_least, -np.inf) if n_outputs > 1 else least + span - needed, at_least


def separate_trees(
    functions: Functions, components: FloatArray, ensemble: CodedEnsemble, limits: TreeLimits
) -> list[RebuiltTree]:
    """Build a tree for every component by TCFS."""
    cardinalities, built, n_leaves = ensemble.codes.cardinalities, [], 0
    for weights in components @ functions.lifted:
        leaves = Leaves(functions.trees, cardinalities, values=functions.values, weights=weights)
        of_one = limits.of(functions, weights[np.newaxis])
        built.append(tree_of_leaves(leaves, cardinalities, of_one, ensemble.measure))
        n_leaves += built[-1].tree.n_leaves
        if limits.max_leaf_nodes is None and n_leaves > MOST_LEAVES:
            raise too_many_leaves(f"The trees of {len(built)} of {len(components)} components have")
    return built


def shared_tree(
    functions: Functions, components: FloatArray, ensemble: CodedEnsemble, limits: TreeLimits
) -> tuple[list[RebuiltTree], FloatArray]:
    """Build one tree for all components by TCFS, and the components that are orthogonal on its leaves.

    The averages of the functions on the leaves have their own Gram matrix: its eigenvectors rotate the components.
    """
    weights = components @ functions.lifted
    values = [
        np.einsum("k,nq->nkq", of_tree, values).reshape(len(values), -1)
        for of_tree, values in zip(weights.T, functions.values, strict=True)
    ]
    cardinalities = ensemble.codes.cardinalities
    leaves = Leaves(functions.trees, cardinalities, values=values)
    of_all = limits.of(functions, weights)
    tree, averages = tree_of_leaves(leaves, cardinalities, of_all, ensemble.measure)
    averages = averages.reshape(tree.node_count, len(components), -1)
    leaves = tree.children_left == LEAF
    masses = tree.value[leaves].sum(axis=1)
    on_leaves = np.einsum("l,lcq,ldq->cd", masses, averages[leaves], averages[leaves])
    turned = eigenvectors(on_leaves, len(functions.products) * functions.scale)[1].T
    signed = with_signs(turned @ components)
    averages = np.einsum("cd,ndq->cnq", signed @ components.T, averages)
    return [RebuiltTree(tree, np.ascontiguousarray(of_one)) for of_one in averages], signed


def _decoded(codes: OrdinalCodes, built: list[RebuiltTree]) -> list[RebuiltTree]:
    """Return the trees on the original features, with one column of `value`: the probabilities of their nodes."""
    return [
        RebuiltTree(with_value(codes.decode(tree), tree.value.sum(axis=1, keepdims=True)), averages)
        for tree, averages in built
    ]


@described_like(AggregatedFourierTreeClassifier)
class OrthogonalTreesClassifier(MadeOfTreesMixin, BaseClassifier):
    """A few trees that approximate an ensemble: the principal components of its trees' functions (ODT).

    Every tree of the ensemble is a function, which is 1 if the tree predicts a class, otherwise 0. The eigenvectors of
    the matrix of their inner products combine the trees to functions that are orthogonal, and few of them carry most of
    the variance. TCFS, the tree construction from a Fourier spectrum, makes each of them a tree, with real numbers at
    its leaves [1]_.

    Parameters
    ----------
    n_components : int or float in (0, 1], default=0.9
        Number of components, or a share of the variance: the fewest components that carry this share together.
    combine : {"vote", "first", "least_squares"}, default="vote"
        How the components predict: by the ensemble's mean vote, projected on them; by the first alone, as a vote in
        which the trees have the weights of its eigenvector; or with weights that fit the training samples' classes by
        least squares (ODT-LR), the same weight for all classes.
    center : bool, default=False
        Subtract its mean, the coefficient w_0, from every function first. Then the mean vote, or with
        ``combine="least_squares"`` an intercept for every output, is added to the components' values.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        The measure under which functions are orthogonal. A product of measures, one for every attribute: all codes have
        equal mass, their frequencies in X, or the given masses. Or ``"joint"``, the distribution of the samples in X:
        inner products are means over the samples [2]_. Codes number the intervals between the ensemble's thresholds, or
        the categories, see :func:`pytrees.fourier.ordinal_codes`.
    structure : {"separate", "shared"}, default="separate"
        A tree for every component; if they are limited, these trees are only nearly orthogonal. Or one tree for all,
        with several numbers at its leaves, in which the components are rotated so that they are orthogonal at any size.
    min_confidence : float in (0, 1] or None, default=None
        A node becomes a leaf if the component's confidence is at least this; in a shared structure, the confidence of
        every component. It is the confidence of a class's share, for a component that is scaled from 0 (all trees of
        negative weight predict the class) to 1 (all trees of positive weight do).
    max_depth : int or None, default=None
        Greatest depth of the trees.
    max_leaf_nodes : int or None, default=32
        Greatest number of leaves of a tree. With None, and no `max_depth`, the trees are the components themselves,
        which can need exponentially more leaves than the ensemble has: more than 10,000 in all are an error.
    verbose : int, default=0
        Show a progress bar of the trees' inner products on standard error.

    Attributes
    ----------
    trees_ : list of RebuiltTree of length n_components
        ``tree``, on the original features (on the codes of :meth:`encode` if some are categorical), and ``averages``
        of the component at its nodes, of shape (node_count, n_outputs). A component's value is no share of a class: the
        tree's `value` is one column, the probabilities of its nodes under the measure.
    n_components_ : int
        Number of components.
    components_ : ndarray of shape (n_components, n_trees), float64
        The weights of the ensemble's trees, orthonormal; the sum of a row is not negative.
    explained_variance_ : ndarray of shape (n_components,), float64
        The squared norms of the components before TCFS.
    explained_variance_ratio_ : ndarray of shape (n_components,), float64
        The shares of `explained_variance_` in the squared norms of all trees. (If not centred, w_0 counts.)
    gram_ : ndarray of shape (n_components, n_components), float64
        The inner products of the trees that were built; it is not diagonal if limits keep the trees from orthogonality.
    weights_ : ndarray of shape (n_components,), float64
        The weights of the components in the scores of the classes.
    intercept_ : ndarray of shape (n_outputs,), float64
        The scores of the classes are the intercept plus the components times their weights. Two classes have one
        output, for the last class; more classes have one output each.
    node_counts_, merged_node_counts_ : ndarray of shape (n_components,), int64
        Numbers of nodes of the trees, before and after :func:`merge_redundant` for a component that predicts alone.

    See Also
    --------
    AggregatedFourierTreeClassifier : One tree of the mean vote.
    pytrees.fourier.gram : The matrix of inner products whose eigenvectors the components are.

    Notes
    -----
    Takes time of the order of the number of pairs of leaves for inner products, n_trees cubed for eigenvectors, and the
    time of :func:`pytrees.fourier.tree_from_ensemble` for every component.

    References
    ----------
    .. [1] H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006: sections VI and VII,
       Eq. 4.
    .. [2] C. J. Merz, M. J. Pazzani, "A principal components approach to combining regression estimates", Machine
       Learning 36, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.frozen import FrozenEstimator
    >>> from pytrees import OrthogonalTreesClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> few = OrthogonalTreesClassifier(FrozenEstimator(forest), n_components=3, measure="empirical").fit(X, y)
    >>> few.components_.shape
    (3, 20)
    >>> few.explained_variance_ratio_.round(2)
    array([0.64, 0.04, 0.03])
    """

    trees_: list[RebuiltTree]
    n_components_: int
    components_: FloatArray
    explained_variance_: FloatArray
    explained_variance_ratio_: FloatArray
    gram_: FloatArray
    weights_: FloatArray
    intercept_: FloatArray
    node_counts_: IntArray
    merged_node_counts_: IntArray
    member_node_counts_: IntArray

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **REBUILD_CONSTRAINTS,
        "n_estimators": FOREST_CONSTRAINTS["n_estimators"],
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
        ],
        "combine": [StrOptions({"vote", "first", "least_squares"})],
        "center": ["boolean"],
        "structure": [StrOptions({"separate", "shared"})],
    }

    def __init__(
        self,
        estimator: Ensemble = None,
        *,
        n_estimators: int = 10,
        n_components: int | float = 0.9,
        combine: Literal["vote", "first", "least_squares"] = "vote",
        center: bool = False,
        measure: Measure = "uniform",
        structure: Literal["separate", "shared"] = "separate",
        min_confidence: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = 32,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_components = n_components
        self.combine = combine
        self.center = center
        self.measure = measure
        self.structure = structure
        self.min_confidence = min_confidence
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    @described_like(AggregatedFourierTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the ensemble, and make trees of its components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, or NaN if `estimator` takes it; in categorical features, values that `estimator` takes.
            If the ensemble is fitted already, X serves only the measures of samples and ``combine="least_squares"``.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative, for the ensemble, for the measures of samples and for
            ``combine="least_squares"``.

        Raises
        ------
        ValueError
            If the trees differ in their features or classes, or X or y do not match trees that are fitted already; if
            `n_components` exceeds the number of components; if weights are negative or all zero, or `estimator` takes
            none; if there would be more than 10,000 leaves, and `max_leaf_nodes` is None.
        """
        with unchanged_on_error(self):
            ensemble = coded_ensemble(self, X, y, self.n_estimators, sample_weight)
            functions = functions_of(ensemble, self.center, self.verbose)
            components, energies = principal_components(functions, self.n_components)
            limits = TreeLimits(self.max_depth, self.max_leaf_nodes, self.min_confidence)
            if self.structure == "shared" and len(components):
                built, components = shared_tree(functions, components, ensemble, limits)
            else:
                built = separate_trees(functions, components, ensemble, limits)
            self._know(ensemble.classes)
            self.components_, self.n_components_ = components, len(components)
            self.explained_variance_ = np.einsum("ct,ts,cs->c", components, functions.products, components)
            self.explained_variance_ratio_ = self.explained_variance_ / (energies.sum() or 1.0)
            self.gram_ = self._gram(built, ensemble)
            self.intercept_, self.weights_ = self._combination(built, functions, ensemble)
            self.trees_ = _decoded(ensemble.codes, built)
            self.node_counts_ = np.array([tree.node_count for tree, _ in built], dtype=np.int64)
            self.merged_node_counts_ = self._merged_node_counts(functions.mean)
            self.member_node_counts_ = np.array([tree.node_count for tree in ensemble.codes.trees])
        return self

    def _gram(self, built: list[RebuiltTree], ensemble: CodedEnsemble) -> FloatArray:
        if not built:
            return np.zeros((0, 0))
        trees, averages = zip(*built, strict=True)
        return gram(trees, ensemble.codes.cardinalities, values=averages, measure=ensemble.measure)

    def _combination(
        self, built: list[RebuiltTree], functions: Functions, ensemble: CodedEnsemble
    ) -> tuple[FloatArray, FloatArray]:
        """Return the intercept, and the weights of the components."""
        if self.combine == "least_squares":
            targets = ensemble.indicators(ensemble.labels)
            outputs = np.array([component.evaluate(ensemble.rows) for component in built])
            outputs = outputs.reshape(len(built), *targets.shape)
            return least_squares(outputs, targets, ensemble.weights, intercept=self.center)
        weights = self.components_.mean(axis=1)
        if self.combine == "first":
            weights = self._weights_alone()
            weights[1:] = 0.0
        return functions.mean, weights

    def _weights_alone(self) -> FloatArray:
        """Return the weights of components that decide alone; without centring they are a vote and sum to one."""
        if self.center:
            return self.components_.mean(axis=1)
        return 1.0 / np.maximum(self.components_.sum(axis=1), _ROUNDING)

    def _merged_node_counts(self, mean: FloatArray) -> IntArray:
        counts = []
        for weight, (tree, averages) in zip(self._weights_alone(), self.trees_, strict=True):
            decisions = self._shares(mean + weight * averages).argmax(axis=1)
            counts.append(merge_redundant(tree, decisions)[0].node_count)
        return np.array(counts, dtype=np.int64)

    def _shares(self, outputs: FloatArray) -> FloatArray:
        return nearest_shares(scores_of_classes(outputs, self.n_classes_))

    @described_like(BaseClassifier.encode)
    def evaluate(self, X: MatrixLike) -> FloatArray:
        """Evaluate the trees of the components at some samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components, n_outputs), float64
            One output for two classes, for the last class; otherwise one for every class.
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        outputs = np.empty((len(X), self.n_components_, len(self.intercept_)))
        for c, (tree, averages) in enumerate(self.trees_):
            outputs[:, c] = averages[tree._apply_valid(X)]
        return outputs

    @described_like(BaseTreeClassifier.predict_proba)
    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the shares of classes that are nearest, in squares, to the scores of the components."""
        outputs = self.evaluate(X)
        return self._shares(self.intercept_ + np.einsum("c,ncq->nq", self.weights_, outputs))

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of the greatest score, the lowest of several."""
        decided = self.predict_proba(X).argmax(axis=1)
        return self.classes_[decided]


def least_squares(
    outputs: FloatArray, targets: FloatArray, row_weights: AnyArray | None = None, *, intercept: bool
) -> tuple[FloatArray, FloatArray]:
    """Fit the intercept of every output, zero without one, and one weight for every component, by least squares.

    `outputs` has the shape (n_components, n_rows, n_outputs), `targets` (n_rows, n_outputs). The weights are the
    smallest of all that fit equally well.
    """
    shares = np.full(len(targets), 1.0 / len(targets)) if row_weights is None else row_weights / row_weights.sum()
    means = np.einsum("n,cnq->cq", shares, outputs)[:, np.newaxis] * intercept
    target_means = shares @ targets * intercept
    roots = np.sqrt(shares)[:, np.newaxis]
    design = ((outputs - means) * roots).reshape(len(outputs), targets.size).T
    weights = np.linalg.lstsq(design, ((targets - target_means) * roots).ravel(), rcond=None)[0]
    return target_means - weights @ means[:, 0], weights
