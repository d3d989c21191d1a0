"""The Fourier algebra without spectra: polynomial in the sizes of the trees, under product measures or at samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._progress import shown
from .._typing import FloatArray, IntArray, Measure, RebuildCriterion, Schema
from ..tree import TreeEstimator
from .boxes import (
    Leaves,
    box_of_schema,
    check_cardinalities,
    check_trees,
    listed,
    measure_arrays,
    multiway_features,
    weighted_leaves,
)
from .coded import coding_of, of_coding
from .effects import mean_and_variance, rounding
from .rebuild import Limits, RebuiltTree, categorical_mask, rebuild, settled_classes
from .samples import joint_samples

if TYPE_CHECKING:
    from ..tree import Tree

# Models whose magnitudes have exponents that differ by more are compared in units of their own.
_ALIKE = 10


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

    Lemma 2 of Kargupta, Park & Dutta, "Orthogonal Decision Trees": it is that of their spectra. It is worked out from
    pairs of leaves.

    Parameters
    ----------
    a, b : Tree or fitted tree estimator
        They split codes: attribute m has the values 0 to ``cardinalities[m] - 1``.
    cardinalities : array-like of shape (n_attributes,), int
        As in :func:`gram`.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`.
    X : array-like of shape (n_rows, n_attributes), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`.
    values : pair of array-like, optional
        As in :func:`gram`.

    Returns
    -------
    float
        The inner product.

    Raises
    ------
    ValueError
        As in :func:`gram`.

    See Also
    --------
    gram : The inner products of all pairs of several trees.
    FourierSpectrum.inner : The same of two spectra.

    Examples
    --------
    The share of the domain where both trees say class 1:

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

    Eq. 4 of Kargupta, Park & Dutta, "Orthogonal Decision Trees", uncentred, without spectra: what two leaves have in
    common is a box, and its probability a product.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        They split codes: attribute m has the values 0 to ``cardinalities[m] - 1``. See :func:`ordinal_codes`.
    cardinalities : array-like of shape (n_attributes,), int
        How many values every attribute has.
    measure : {"uniform", "empirical", "joint"} or list of array-like of shape (cardinality,), default="uniform"
        The measure that means are taken under. A product: of all values alike, of the frequencies that they have in
        `X`, or of these masses. Or that of the samples in `X` themselves, ``"joint"``: means over them, which know how
        attributes go together.
    X : array-like of shape (n_rows, n_attributes), optional
        The samples of ``measure="empirical"`` and ``measure="joint"``, as codes.
    class_index : int or None, default=-1
        The function of a tree is 1 where this class has the majority, and 0 elsewhere; -1 is the last class. (Of an
        estimator it is 1 where the estimator predicts the class, which in ID3 trees need not be the majority.) None
        takes every class as an output of its own; inner products add up those of the outputs.
    values : sequence of array-like of shape (node_count,) or (node_count, n_outputs), optional
        Instead: what the function of every tree is at its leaves. Of inner nodes only multiway ones matter, where
        values stay that no child has.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    ndarray of shape (n_trees, n_trees), float64
        Exactly symmetric.

    Raises
    ------
    ValueError
        If the trees differ in their features, classes or coding; if a tree splits where no values are; if the measure
        is unknown or its masses do not sum to one; if X has values outside the cardinalities.

    See Also
    --------
    tree_inner : The inner product of two trees.
    FourierSpectrum.inner : The same of two spectra.
    OrthogonalTreesClassifier : Estimator that takes the eigenvectors of this matrix.

    Notes
    -----
    Takes time of the order of the number of pairs of leaves, times their depth; under ``measure="joint"`` of the number
    of samples times that of pairs of trees [1]_.

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
    leaves = Leaves(trees, cardinalities, class_index=class_index, values=values)
    samples = joint_samples(measure, cardinalities, X)
    if samples is not None:
        return samples.gram(leaves, verbose=bool(verbose))
    arrays = measure_arrays(measure, cardinalities, X)
    with shown("pairs of leaves", enabled=bool(verbose)):
        products = kernel("gram")(leaves.indptr, leaves.boxes, leaves.values, arrays)
    return np.asarray(products, dtype=np.float64)


class ModelDistance(NamedTuple):
    """How far two functions are from each other; made by :func:`model_distance`.

    Parameters
    ----------
    distance : float
        The root of the mean squared difference, summed over the outputs. 0 where the mean square is up to 1e-12 of the
        square of what the trees of both together can vary, which is what rounding can leave of nothing.
    correlation : float
        The covariance over the product of the standard deviations, from -1 to 1, covariance and variances summed over
        the outputs. NaN where one of the functions is constant.

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


def model_distance(
    trees: Iterable[Tree | TreeEstimator],
    others: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    other_values: Iterable[ArrayLike] | None = None,
    verbose: int = 0,
) -> ModelDistance:
    """Compute the distance and the correlation of two models, each a weighted sum of trees.

    Exact, without samples of the domain: two models that agree on all data at hand may differ elsewhere.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        The first model, as in :func:`gram`.
    others : sequence of Tree or of fitted tree estimators
        The second model, on the same codes: :func:`ordinal_codes` makes them of the trees of both in one list.
    cardinalities : array-like of shape (n_attributes,), int
        As in :func:`gram`.
    weights, other_weights : array-like of shape (n_trees,), optional
        By default the trees of a model are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`.
    X : array-like of shape (n_rows, n_attributes), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`.
    values, other_values : sequence of array-like, optional
        As in :func:`gram`, for both of the models or for none.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    ModelDistance
        ``distance`` and ``correlation``.

    Raises
    ------
    ValueError
        As in :func:`schema_average`; if the models differ in their features, classes or outputs, or in their coding;
        if one of them alone has values.

    See Also
    --------
    gram : Inner products of single trees.
    sobol_indices : What a model's variance is made of.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    >>> from pytrees.fourier import model_distance, ordinal_codes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest, extra = (f(10, random_state=0).fit(X, y) for f in (RandomForestClassifier, ExtraTreesClassifier))
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
        check_trees([*trees, *others], cardinalities)  # indicators of classes: of the same ones
    if (values is None) != (other_values is None):
        raise ValueError(
            "values are given for one of the models only, and the other would be the indicator of a class: give both."
        )
    return _distance(first, second, cardinalities, {"measure": measure, "X": X}, bool(verbose))


def _distance(
    first: Leaves, second: Leaves, cardinalities: IntArray, given: dict[str, Any], verbose: bool
) -> ModelDistance:
    """Compute the distance of two sums of trees, in a unit for both, and their correlation."""
    both, exponent = first.less(second).scaled()
    alike = [leaves.times_power(-exponent) for leaves in (first, second)]
    found = [
        mean_and_variance(leaves, cardinalities, **given, label=label if verbose else None)
        for leaves, label in zip([*alike, both], ("first model", "second model", "difference"), strict=True)
    ]
    (mean, variance), (other_mean, other_variance), (_, of_difference) = found
    squared = of_difference + float(((mean - other_mean) ** 2).sum())
    distance = float(np.ldexp(np.sqrt(squared), exponent)) if squared > rounding(both) else 0.0
    exponents = [int(np.frexp(leaves.magnitude)[1]) for leaves in (first, second)]
    if abs(exponents[0] - exponents[1]) > _ALIKE:
        # The difference tells too little of the smaller one.
        alike = [leaves.times_power(-of_one) for leaves, of_one in zip((first, second), exponents, strict=True)]
        variance, other_variance, of_difference = (
            mean_and_variance(leaves, cardinalities, **given)[1] for leaves in (*alike, alike[0].less(alike[1]))
        )
    if variance <= rounding(alike[0]) or other_variance <= rounding(alike[1]):
        return ModelDistance(distance, np.nan)
    covariance = 0.5 * (variance + other_variance - of_difference)
    correlation = covariance / (np.sqrt(variance) * np.sqrt(other_variance))
    return ModelDistance(distance, float(np.clip(correlation, -1.0, 1.0)))


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
    """Compute the mean of a weighted sum of trees over a schema, where some attributes are fixed.

    Eq. 2 of Kargupta, Park & Dutta, "Orthogonal Decision Trees", from the leaves that the schema meets.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        As in :func:`gram`.
    schema : dict of int to int or set of int, or sequence of length n_attributes
        The values that attributes may have; in a sequence, None is the wild-card.
    cardinalities : array-like of shape (n_attributes,), int
        As in :func:`gram`.
    weights : array-like of shape (n_trees,), optional
        By default the trees are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`.
    X : array-like of shape (n_rows, n_attributes), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`.
    values : sequence of array-like, optional
        As in :func:`gram`.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) if there are several outputs
        The mean.

    Raises
    ------
    ValueError
        As in :func:`gram`; if the schema fixes what is not there, or has no mass.

    See Also
    --------
    FourierSpectrum.schema_average : The same of a spectrum, under the uniform measure.
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
    samples = joint_samples(measure, cardinalities, X)
    if samples is None:
        arrays = measure_arrays(measure, cardinalities, X)
        averages = np.asarray(kernel("box_averages")(leaves.boxes, leaves.values, box, arrays)[0], dtype=np.float64)
    else:
        averages = samples.average(leaves, box)
    if np.isnan(averages).any():
        raise ValueError(f"The schema {schema!r} has no mass under the measure.")
    return float(averages[0]) if averages.size == 1 else averages


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

    Figs. 4 and 5 of Kargupta, Park & Dutta, "Orthogonal Decision Trees", with averages over schemata from the leaves of
    the trees. It gives the tree that :meth:`FourierSpectrum.to_tree` makes of the ensemble's spectrum, where there is
    room for that, and works under any product measure, and under the joint distribution of samples.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        As in :func:`schema_average`.
    cardinalities : array-like of shape (n_attributes,), int
        As in :func:`schema_average`.
    weights : array-like of shape (n_trees,), optional
        As in :func:`schema_average`.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`schema_average`.
    X : array-like of shape (n_rows, n_attributes), optional
        As in :func:`schema_average`.
    class_index : int or None, default=-1
        As in :func:`schema_average`.
    values : sequence of array-like, optional
        As in :func:`schema_average`.
    criterion : {"entropy", "variance"}, default="entropy"
        As in :meth:`FourierSpectrum.to_tree`.
    tol : float, default=0
        As in :meth:`FourierSpectrum.to_tree`.
    min_confidence : float in (0, 1], optional
        As in :meth:`FourierSpectrum.to_tree`; of several outputs, the confidence is the greatest average.
    max_depth : int, optional
        As in :meth:`FourierSpectrum.to_tree`.
    max_leaf_nodes : int, optional
        As in :meth:`FourierSpectrum.to_tree`.
    categorical_features : array-like of bool or int, optional
        As in :meth:`FourierSpectrum.to_tree`; by default, what multiway nodes of the trees ask for is categorical.
    verbose : int, default=0
        Show a progress bar on standard error, of leaves where `max_leaf_nodes` limits them.

    Returns
    -------
    RebuiltTree
        ``tree`` and ``averages``. Without limits it is the weighted sum itself, wherever there is mass; of samples, at
        these.

    Raises
    ------
    ValueError
        As in :func:`gram` and :meth:`FourierSpectrum.to_tree`.

    See Also
    --------
    FourierSpectrum.to_tree : The same from a spectrum, which can be truncated first.
    ordinal_codes : The trees of an ensemble on codes, as needed here.
    ReconstructedFourierTree : Estimator that works this way.

    Notes
    -----
    A node takes time of the order of the leaves that it meets times their depth, and of the number of values; of their
    pairs only where it is nearly constant, or no cut gains anything. Under ``measure="joint"`` it takes time of the
    order of its samples times the number of attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import ordinal_codes, tree_from_ensemble
    >>> forest = DecisionForestClassifier(20, max_depth=4, random_state=0)
    >>> codes = ordinal_codes(forest.fit(*load_breast_cancer(return_X_y=True)))
    >>> tree_from_ensemble(codes.trees, codes.cardinalities, max_leaf_nodes=8).tree.n_leaves
    8
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    settled = settled_classes(min_confidence, leaves.values.shape[1])
    limits = Limits(criterion, tol, max_depth, max_leaf_nodes, settled)
    given: dict[str, Any] = {"measure": measure, "X": X, "categorical_features": categorical_features}
    with shown("leaves", enabled=bool(verbose) and max_leaf_nodes is not None):
        return tree_of_leaves(leaves, cardinalities, limits, **given)


def tree_of_leaves(
    leaves: Leaves,
    cardinalities: IntArray,
    limits: Limits,
    *,
    measure: Any,
    X: ArrayLike | None = None,
    categorical_features: ArrayLike | None = None,
) -> RebuiltTree:
    """Build one tree of a sum of trees whose leaves were collected already."""
    of_trees = np.any([multiway_features(tree) for tree in leaves.trees], axis=0)
    mask = of_trees if categorical_features is None else categorical_mask(categorical_features, cardinalities.size)
    samples, magnitude_squared = joint_samples(measure, cardinalities, X), leaves.magnitude**2
    if samples is not None:
        arguments = samples.rows, samples.values_of(leaves), samples.weights, cardinalities
        built = rebuild("tree_from_samples", arguments, magnitude_squared, mask, limits)
    else:
        arrays = measure_arrays(measure, cardinalities, X)
        of_boxes = leaves.boxes, leaves.values, leaves.tree_of_box, arrays
        built = rebuild("tree_from_boxes", of_boxes, magnitude_squared, mask, limits)
    return built._replace(tree=of_coding(built.tree, coding_of(leaves.trees)))
