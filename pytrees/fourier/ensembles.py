"""The Fourier algebra without spectra, in time polynomial in the sizes of trees, under any measure of `measures`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._given_tree import TreeEstimator
from .._numbers import in_float64
from .._progress import shown
from .._typing import FloatArray, IntArray, MatrixLike, Measure, RebuildCriterion, Schema
from .boxes import (
    Leaves,
    are_numbers,
    box_of_schema,
    check_cardinalities,
    check_trees,
    coding_of,
    listed,
    multiway_features,
    of_coded_trees,
    of_coding,
    weighted_leaves,
)
from .codes import with_value
from .given_models import takes_models
from .measures import Product, Samples, measure_of, rounding
from .rebuild import Limits, RebuiltTree, categorical_mask, rebuild, settled_classes
from .spectrum import FourierSpectrum

if TYPE_CHECKING:
    from ..tree import Tree

# Two models whose magnitudes differ by more than this power of two are each compared in their own unit.
_ALIKE = 10


@of_coded_trees
def gram(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    *,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Compute the inner products of the functions of all pairs of trees: the means of their products.

    Eq. 4 of Kargupta, Park & Dutta, "Orthogonal Decision Trees", uncentred, without spectra: two leaves have a box in
    common, and the probability of a box is a product.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        Trees that split codes: attribute m has the values 0 to ``cardinalities[m] - 1``. See :func:`ordinal_codes`.
    cardinalities : array-like of shape (n_attributes,), int
        The number of values of every attribute.
    measure : {"uniform", "empirical", "joint"} or list of array-like of shape (cardinality,), default="uniform"
        The measure that means are taken under. A product of measures, one for every attribute: all values have the same
        mass, their frequencies in `X`, or the given masses. A code of missing values is one more value: under
        ``"uniform"`` it has the mass of any other, in frequencies the share of the samples that lack the value. Or
        ``"joint"``, the distribution of the samples in `X`: means over the samples, which know how attributes go
        together.
    X : array-like of shape (n_rows, n_attributes), optional
        The samples of ``measure="empirical"`` and ``measure="joint"``, as codes.
    class_index : int or None, default=-1
        The function of a tree is 1 where this class has the majority, and 0 elsewhere; -1 is the last class. (The
        function of an estimator is 1 where the estimator predicts the class, which in ID3 trees need not be the
        majority.) None takes every class as an output of its own; inner products add up over the outputs. The function
        of a tree of numbers is the number that the tree predicts.
    values : sequence of array-like of shape (node_count,) or (node_count, n_outputs), optional
        The functions of the trees at their leaves, in place of the indicators of a class. Among inner nodes only
        multiway nodes matter: samples stay there if no child has their value.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    ndarray of shape (n_trees, n_trees), float64
        Exactly symmetric.

    Raises
    ------
    ValueError
        If the trees differ in their features, classes or coding; if a tree splits outside the cardinalities; if the
        measure is unknown or its masses do not sum to one; if X has values outside the cardinalities.

    See Also
    --------
    tree_inner : The inner product of two trees.
    FourierSpectrum.inner : The inner product of two spectra.
    OrthogonalTreesClassifier : Estimator that takes the eigenvectors of this matrix.

    Notes
    -----
    Takes time of the order of the number of pairs of leaves, times their depth; under ``measure="joint"`` of the number
    of samples times the number of pairs of trees [1]_.

    References
    ----------
    .. [1] C. J. Merz, M. J. Pazzani, "A principal components approach to combining regression estimates", Machine
       Learning 36, 1999: the matrix of all predictions on the samples, times itself.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import gram, ordinal_codes
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> codes = ordinal_codes(DecisionForestClassifier(5, max_depth=3, random_state=0).fit(X, y))
    >>> gram(codes.trees, codes.cardinalities, measure="empirical", X=codes.transform(X)).shape
    (5, 5)
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves, exponent = Leaves(trees, cardinalities, class_index=class_index, values=values).scaled()
    products = measure_of(measure, cardinalities, X).gram(leaves, verbose=bool(verbose))
    return in_float64("Inner products", products, exponent, 2)


@described_like(gram)
@of_coded_trees
def tree_inner(
    a: Tree | TreeEstimator,
    b: Tree | TreeEstimator,
    cardinalities: ArrayLike,
    *,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
) -> float:
    """Compute the inner product of the functions of two trees: the mean of their product.

    It equals the inner product of their spectra (Lemma 2 of Kargupta, Park & Dutta, "Orthogonal Decision Trees"), and
    is computed from pairs of leaves.

    Parameters
    ----------
    a, b : Tree or fitted tree estimator
        Trees that split codes: attribute m has the values 0 to ``cardinalities[m] - 1``.

    Returns
    -------
    float
        The inner product.

    See Also
    --------
    gram : The inner products of all pairs of several trees.
    FourierSpectrum.inner : The inner product of two spectra.

    Examples
    --------
    The share of the domain in which both trees say class 1:

    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import tree_inner
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> both = DecisionTreeClassifier().fit(X, [0, 0, 0, 1])
    >>> either = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    >>> tree_inner(both, either, [2, 2])
    0.25
    """
    products = gram([a, b], cardinalities, measure=measure, X=X, class_index=class_index, values=values)
    return float(products[0, 1])


class ModelDistance(NamedTuple):
    """How far two functions are from each other; made by :func:`model_distance`.

    Parameters
    ----------
    distance : float
        The root of the mean squared difference, summed over the outputs. It is 0 if the mean square is at most 1e-12 of
        the square of the span of all trees together: rounding alone can leave that much.
    correlation : float
        The covariance over the product of the standard deviations, from -1 to 1, covariance and variances summed over
        the outputs. NaN if one of the functions is constant.

    See Also
    --------
    model_distance : Makes one of two ensembles.

    Examples
    --------
    >>> from pytrees.fourier import ModelDistance
    >>> ModelDistance(distance=0.5, correlation=1.0)
    ModelDistance(distance=0.5, correlation=1.0)
    """

    distance: float
    correlation: float


@described_like(gram)
@takes_models
@of_coded_trees
def model_distance(
    trees: Any,
    others: Any,
    cardinalities: ArrayLike | MatrixLike | None = None,
    *,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: MatrixLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    other_values: Iterable[ArrayLike] | None = None,
    verbose: int = 0,
) -> ModelDistance:
    """Compute the distance and the correlation of two models, each a weighted sum of trees.

    ``model_distance(model, other, X)`` takes two fitted ensembles and samples, as the ensembles take them. The distance
    is exact, without samples of the domain: two models that agree on all data at hand may differ elsewhere.

    Parameters
    ----------
    trees : fitted model, or sequence of Tree or of fitted tree estimators
        The first model. :func:`additive_model` takes or makes it, and its function is probabilities, margins or values;
        or its trees split codes, as in :func:`gram`.
    others : fitted model, or sequence of Tree or of fitted tree estimators
        The second model, of the same kind. Trees are on the same codes: :func:`ordinal_codes` codes the trees of both
        models in one list.
    cardinalities : array-like
        After models the samples `X`, of shape (n_samples, n_features). After trees on codes the number of values of
        every attribute, of shape (n_attributes,).
    weights, other_weights : array-like of shape (n_trees,), optional
        For trees on codes; by default the trees of a model are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`; for models with samples the default is ``"empirical"``. The codes of two models are the
        intervals between the thresholds of both.
    X : array-like of shape (n_samples, n_features), optional
        The samples of ``measure="empirical"`` and ``measure="joint"``: as the models take them, or as codes for trees
        on codes.
    class_index : int or None, default=-1
        For trees on codes, as in :func:`gram`.
    values, other_values : sequence of array-like, optional
        For trees on codes: the functions of the trees at their leaves, as in :func:`gram`, for both of the models or
        for none.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    ModelDistance
        ``distance`` and ``correlation``.

    Raises
    ------
    TypeError
        If :func:`additive_model` takes no such model; if a model is given together with trees on codes, or with
        arguments of these.
    ValueError
        As in :func:`additive_model` and :func:`schema_average`; if the models differ in their features, classes or
        outputs, or in their coding; if X does not have their features; if only one of them has values; NotFittedError
        if a model is not fitted.

    See Also
    --------
    gram : Inner products of single trees.
    sobol_indices : The parts of a model's variance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    >>> from pytrees.fourier import model_distance, ordinal_codes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest, extra = (f(10, random_state=0).fit(X, y) for f in (RandomForestClassifier, ExtraTreesClassifier))
    >>> found = model_distance(forest, extra, X)
    >>> 0.0 < found.distance < 1.0
    True

    The votes of their trees for the last class, anywhere:

    >>> codes = ordinal_codes([*forest.estimators_, *extra.estimators_])
    >>> found = model_distance(codes.trees[:10], codes.trees[10:], codes.cardinalities)
    >>> 0.0 < found.distance < 1.0
    True
    >>> model_distance(codes.trees, codes.trees, codes.cardinalities).distance
    0.0
    """
    cardinalities = check_cardinalities(cardinalities)
    trees, others = listed(trees), listed(others)
    first = weighted_leaves(trees, cardinalities, weights, class_index, values)
    second = weighted_leaves(others, cardinalities, other_weights, class_index, other_values)
    if first.values.shape[1] != second.values.shape[1]:
        raise ValueError(f"The models have {first.values.shape[1]} and {second.values.shape[1]} outputs.")
    if values is None and other_values is None:
        check_trees([*trees, *others], cardinalities)  # the indicators must be of the same classes
    if (values is None) != (other_values is None):
        raise ValueError(
            "values are given for one of the models only, so the other one would be the indicator of a class: give "
            "both."
        )
    return _distance(first, second, measure_of(measure, cardinalities, X), bool(verbose))


def _distance(first: Leaves, second: Leaves, measure: Product | Samples, verbose: bool) -> ModelDistance:
    """Compute the distance of two sums of trees, in a unit for both, and their correlation."""
    both, exponent = first.less(second).scaled()
    alike = [leaves.times_power(-exponent) for leaves in (first, second)]
    found = [
        measure.mean_and_variance(leaves, label if verbose else None)
        for leaves, label in zip([*alike, both], ("first model", "second model", "difference"), strict=True)
    ]
    (mean, variance), (other_mean, other_variance), (_, of_difference) = found
    squared = of_difference + float(((mean - other_mean) ** 2).sum())
    distance = float(np.ldexp(np.sqrt(squared), exponent)) if squared > rounding(both) else 0.0
    exponents = [int(np.frexp(leaves.magnitude)[1]) for leaves in (first, second)]
    if abs(exponents[0] - exponents[1]) > _ALIKE:
        # Rounding in the difference has lost the digits of the smaller model.
        alike = [leaves.times_power(-of_one) for leaves, of_one in zip((first, second), exponents, strict=True)]
        variance, other_variance, of_difference = (
            measure.mean_and_variance(leaves)[1] for leaves in (*alike, alike[0].less(alike[1]))
        )
    if variance <= rounding(alike[0]) or other_variance <= rounding(alike[1]):
        return ModelDistance(distance, np.nan)
    covariance = 0.5 * (variance + other_variance - of_difference)
    correlation = covariance / (np.sqrt(variance) * np.sqrt(other_variance))
    return ModelDistance(distance, float(np.clip(correlation, -1.0, 1.0)))


@described_like(gram)
@of_coded_trees
def schema_average(
    trees: Iterable[Tree | TreeEstimator],
    schema: Schema,
    cardinalities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
) -> float | FloatArray:
    """Compute the mean of a weighted sum of trees over a schema, which fixes some attributes.

    Eq. 2 of Kargupta, Park & Dutta, "Orthogonal Decision Trees", from the leaves that the schema meets.

    Parameters
    ----------
    schema : dict of int to int or set of int, or sequence of length n_attributes
        The values that attributes may have; in a sequence, None is the wild-card.
    weights : array-like of shape (n_trees,), optional
        By default the trees are averaged.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) if there are several outputs
        The mean.

    Raises
    ------
    ValueError
        As in :func:`gram`; if the schema fixes an attribute or value that does not exist, or has probability zero.

    See Also
    --------
    FourierSpectrum.schema_average : The mean of a spectrum's function, under the uniform measure.
    tree_from_ensemble : Builds a tree from such averages.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import schema_average
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> schema_average([tree], [0, None], [2, 2])
    0.5
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    box = box_of_schema(schema, cardinalities)
    leaves, exponent = leaves.scaled()
    averages = measure_of(measure, cardinalities, X).averages(leaves, box)[0]
    if np.isnan(averages).any():
        raise ValueError(f"The schema {schema!r} has probability zero under the measure.")
    averages = in_float64("Averages", averages, exponent)
    return float(averages[0]) if averages.size == 1 else averages


@described_like(schema_average, FourierSpectrum.to_tree)
@of_coded_trees
def tree_from_ensemble(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    criterion: RebuildCriterion = "entropy",
    tol: float = 0.0,
    min_confidence: float | None = None,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    categorical_features: ArrayLike | None = None,
    verbose: int = 0,
) -> RebuiltTree:
    """Build one tree of a weighted sum of trees by TCFS, without a spectrum.

    TCFS is the tree construction from a Fourier spectrum in Figs. 4 and 5 of Kargupta, Park & Dutta, "Orthogonal
    Decision Trees"; here the averages over schemata come from the leaves of the trees. The tree is the same as by
    :meth:`FourierSpectrum.to_tree` from the ensemble's spectrum. The function also works if memory cannot hold the
    spectrum, under any product measure, and under the joint distribution of samples.

    Parameters
    ----------
    min_confidence : float in (0, 1], optional
        As in :meth:`FourierSpectrum.to_tree`; the confidence of several outputs is the greatest average.
    categorical_features : array-like of bool or int, optional
        The attributes that are split into all their values: a mask, or indices. By default the attributes of multiway
        nodes of the trees.
    verbose : int, default=0
        Show a progress bar of leaves on standard error if `max_leaf_nodes` limits them.

    Returns
    -------
    RebuiltTree
        ``tree`` and ``averages``. Without limits the tree is the weighted sum itself, wherever there is mass; under
        ``measure="joint"``, at the samples. Trees of numbers give a tree of numbers.

    Raises
    ------
    ValueError
        As in :func:`gram` and :meth:`FourierSpectrum.to_tree`; if the trees predict numbers, and `criterion` is not
        ``"variance"`` or `min_confidence` is given: entropy and confidence are of shares of classes.

    See Also
    --------
    FourierSpectrum.to_tree : Builds a tree from a spectrum, which can be truncated first.
    ordinal_codes : The trees of an ensemble on codes, as needed here.
    ReconstructedFourierTree : Estimator that works this way.

    Notes
    -----
    A node takes time of the order of the leaves that it meets times their depth, and of the number of values; it takes
    pairs of leaves only if the node is nearly constant, or no cut gains anything. Under ``measure="joint"`` it takes
    time of the order of its samples times the number of attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import ordinal_codes, tree_from_ensemble
    >>> forest = DecisionForestClassifier(20, max_depth=4, random_state=0)
    >>> codes = ordinal_codes(forest.fit(*load_breast_cancer(return_X_y=True)))
    >>> tree_from_ensemble(codes.trees, codes.cardinalities, max_leaf_nodes=8).tree.n_leaves
    8

    A forest of numbers as one tree of numbers:

    >>> from sklearn.datasets import load_diabetes
    >>> from pytrees import DecisionForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> codes = ordinal_codes(DecisionForestRegressor(20, max_depth=4, random_state=0).fit(X, y))
    >>> one = tree_from_ensemble(codes.trees, codes.cardinalities, criterion="variance", max_leaf_nodes=8)
    >>> codes.decode(one.tree).predict(X[:2]).round(1)
    array([198. , 130.1])
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    settled = settled_classes(min_confidence, leaves.values.shape[1])
    limits = Limits(criterion, tol, max_depth, max_leaf_nodes, settled)
    of_numbers = values is None and are_numbers(leaves.trees)
    if of_numbers:
        _check_judges_numbers(limits.checked())
    resolved = measure_of(measure, cardinalities, X)
    with shown("leaves", enabled=bool(verbose) and max_leaf_nodes is not None):
        built = tree_of_leaves(leaves, cardinalities, limits, resolved, categorical_features)
    if not of_numbers:
        return built
    tree = with_value(built.tree, built.averages, weighted_n_node_samples=built.tree.value.sum(axis=1))
    return built._replace(tree=tree)


def _check_judges_numbers(limits: Limits) -> None:
    """Raise ValueError if some limits of a rebuilt tree are for shares of classes."""
    if limits.criterion != "variance":
        raise ValueError(
            f"The trees predict numbers, and criterion={limits.criterion!r} judges shares of classes: use "
            "criterion='variance'."
        )
    if limits.settled is not None:
        raise ValueError("The trees predict numbers, which have no confidence: use tol in place of min_confidence.")


def tree_of_leaves(
    leaves: Leaves,
    cardinalities: IntArray,
    limits: Limits,
    measure: Product | Samples,
    categorical_features: ArrayLike | None = None,
) -> RebuiltTree:
    """Build one tree of a sum of trees from its leaves."""
    of_trees = np.any([multiway_features(tree) for tree in leaves.trees], axis=0)
    mask = of_trees if categorical_features is None else categorical_mask(categorical_features, cardinalities.size)
    leaves, exponent = leaves.scaled()
    built = rebuild(*measure.function_of(leaves, cardinalities), leaves.magnitude**2, mask, limits, exponent)
    return built._replace(tree=of_coding(built.tree, coding_of(leaves.trees)))
