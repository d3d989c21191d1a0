"""Divide the variance of an ensemble's function by features and interactions, and compute their effects, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from .._axes import LITERALLY, axes_of
from .._docstrings import described_like
from .._numbers import beyond_float64, in_float64, times_power
from .._progress import shown
from .._typing import AnyArray, FeatureOrPair, FloatArray, IntArray, LabelsLike, MatrixLike, Measure, is_whole
from ..input.validation import level_of_caller
from .boxes import (
    MEMORY_LIMIT,
    Leaves,
    check_budget,
    check_cardinalities,
    check_positive,
    of_coded_trees,
    weighted_leaves,
)
from .effect_plots import EffectPlots, names_for
from .ensembles import gram, schema_average
from .given_models import numbered, takes_models
from .measures import Samples, measure_of, rounding

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Shares of a function's variance by features; made by :func:`sobol_indices`.

    Parameters
    ----------
    mean : ndarray of shape (n_outputs,), float64
        The mean of every output.
    variance : float
        The variance of the function, summed over its outputs. It is 0, and so are all indices, if it is at most 1e-12
        of the square of the span of all trees together: rounding alone can leave that much. If float64 cannot
        represent it, it is infinite or 0, with a RuntimeWarning, and the indices are right.
    first_order : ndarray of shape (n_features,), float64
        The share that a feature explains alone: the variance of the mean given its value.
    total : ndarray of shape (n_features,), float64
        The share that is lost without the feature: the mean of the variance given the values of all others.
    pairs : ndarray of shape (n_features, n_features), float64
        The share that two features explain together and not one by one. Symmetric; zeros on the diagonal.
    energy_by_order : ndarray of shape (n_features + 1,), float64, or None
        The variance, not divided, of all interactions of k features, summed over the outputs; for k = 0 the squared
        mean. Under the uniform measure it is :meth:`FourierSpectrum.energy_by_order`. None under ``measure="joint"``,
        which has no such parts.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if a model or its samples have told them.

    See Also
    --------
    sobol_indices : Makes one of an ensemble.
    anova_effects : The functions whose variances these are.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import sobol_indices
    >>> both = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> indices = sobol_indices([both], [2, 2])
    >>> indices.first_order.round(3), indices.total.round(3), indices.pairs[0, 1].round(3)
    (array([0.333, 0.333]), array([0.667, 0.667]), np.float64(0.333))
    """

    mean: FloatArray
    variance: float
    first_order: FloatArray
    total: FloatArray
    pairs: FloatArray
    energy_by_order: FloatArray | None
    feature_names: AnyArray | None = None

    def plot(
        self, ax: Axes | None = None, *, feature_names: LabelsLike | None = None, max_features: int | None = 20
    ) -> Axes:
        """Draw first-order and total indices as bars, the greatest total on top; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on. By default the current axes; if no figure is open, axes of a new one.
        feature_names : sequence of str of length n_features, optional
            By default those of the model, or numbers.
        max_features : int or None, default=20
            How many features are shown; None shows all.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the number of names differs from the number of features; if `max_features` is not from 1.
        """
        names = names_for(self.feature_names if feature_names is None else feature_names, self.total.size)
        check_positive("max_features", max_features)
        shown = np.argsort(-self.total, kind="stable")[:max_features][::-1]
        ax = axes_of("plot", ax)
        ax.barh(range(len(shown)), self.total[shown], color="0.8", label="total")
        ax.barh(range(len(shown)), self.first_order[shown], height=0.4, label="first order")
        ax.set_yticks(range(len(shown)), [names[m] for m in shown], **LITERALLY)
        ax.set_xlabel("share of the variance")
        ax.legend(loc="lower right")
        return ax

    @described_like(plot)
    def plot_pairs(
        self, ax: Axes | None = None, *, feature_names: LabelsLike | None = None, max_features: int | None = 20
    ) -> Axes:
        """Draw the indices of pairs as a matrix, negative ones in another colour; needs matplotlib.

        Parameters
        ----------
        max_features : int or None, default=20
            How many features are shown, the ones of the greatest total indices; None shows all.
        """
        names = names_for(self.feature_names if feature_names is None else feature_names, self.total.size)
        check_positive("max_features", max_features)
        shown = np.argsort(-self.total, kind="stable")[:max_features]
        ax = axes_of("plot", ax)
        matrix = self.pairs[np.ix_(shown, shown)]
        bound = float(np.abs(matrix).max(initial=0.0))
        least = -bound if matrix.min(initial=0.0) < 0.0 else 0.0
        masked = np.ma.masked_array(matrix, np.eye(len(shown), dtype=bool))
        image = ax.imshow(masked, cmap="RdBu_r" if least else "Blues", vmin=least, vmax=bound)
        ax.set_xticks(range(len(shown)), [names[m] for m in shown], rotation=90, **LITERALLY)
        ax.set_yticks(range(len(shown)), [names[m] for m in shown], **LITERALLY)
        ax.figure.colorbar(image, ax=ax, label="share of the variance")
        return ax


@described_like(gram, schema_average)
@takes_models
@of_coded_trees
def sobol_indices(
    trees: Any,
    cardinalities: ArrayLike | MatrixLike | None = None,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: MatrixLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    verbose: int = 0,
) -> SobolIndices:
    """Compute the Sobol indices of a model, or of trees on codes: of first order, total, and of all pairs of features.

    ``sobol_indices(model, X)`` takes a fitted ensemble and samples, as the ensemble takes them. The function is that of
    :func:`additive_model`: probabilities, margins or values, summed over outputs if there are several.

    The indices are exact, from the boxes that pairs of leaves have in common, while other tools sample. Under a product
    measure the variance is the sum of the variances of the effects of features and of their interactions [1]_: in the
    algebra's terms, the energies of the coefficients whose digits are non-zero at these features.

    Parameters
    ----------
    trees : fitted model, or sequence of Tree or of fitted tree estimators
        A model that :func:`additive_model` takes or makes; or trees that split codes, as in :func:`gram`.
    cardinalities : array-like
        After a model the samples `X`, of shape (n_samples, n_features). After trees on codes the number of values of
        every attribute, of shape (n_attributes,).
    weights : array-like of shape (n_trees,), optional
        For trees on codes; by default they are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`; for a model with samples the default is ``"empirical"``. Under ``"joint"`` features go
        together as they do in `X`. An index keeps its definition, by means and variances over samples that have the
        same codes. But shares of features overlap, the index of a pair is negative if both features say the same, and
        the total index is zero if no two samples differ in the feature alone. The first-order index of a feature with
        nearly as many codes as samples is too large: a code then tells the sample.
    X : array-like of shape (n_samples, n_features), optional
        The samples of ``measure="empirical"`` and ``measure="joint"``: as the model takes them, or as codes for trees
        on codes. If their columns have names, the result has these names.
    class_index : int or None, default=-1
        For trees on codes, as in :func:`gram`. With None variances are summed over the classes, which are several
        outputs [2]_.
    values : sequence of array-like of shape (node_count,) or (node_count, n_outputs), optional
        For trees on codes, as in :func:`gram`.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    SobolIndices
        The indices, with mean and variance.

    Raises
    ------
    TypeError
        If :func:`additive_model` takes no such model; if a model is given together with arguments of trees on codes.
    ValueError
        As in :func:`additive_model` and :func:`gram`; if X does not have the features of the model; NotFittedError if
        the model is not fitted.

    See Also
    --------
    anova_effects : The effects that have these variances.
    gram : The matrix of inner products of the trees.
    scipy.stats.sobol_indices : The indices of any function, by sampling.

    Notes
    -----
    Takes time of the order of the number of pairs of leaves that share a feature, as :func:`gram` does; under
    ``measure="joint"`` of the number of samples times the number of pairs of features.

    References
    ----------
    .. [1] I. M. Sobol', "Sensitivity estimates for nonlinear mathematical models", Mathematical Modelling and
       Computational Experiments 1, 1993.
    .. [2] F. Gamboa, A. Janon, T. Klein, A. Lagnoux, "Sensitivity analysis for multidimensional and functional
       outputs", Electronic Journal of Statistics 8, 2014.

    Examples
    --------
    Which features a forest listens to, one by one and together:

    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import ordinal_codes, sobol_indices
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = DecisionForestClassifier(20, random_state=0).fit(X, y)
    >>> indices = sobol_indices(forest, X)
    >>> [str(indices.feature_names[m]) for m in indices.total.argsort()[::-1]]
    ['petal length (cm)', 'petal width (cm)', 'sepal length (cm)', 'sepal width (cm)']
    >>> bool((indices.first_order <= indices.total).all())
    True

    The votes of its trees for the last class, from trees on codes:

    >>> codes = ordinal_codes(forest)
    >>> indices = sobol_indices(codes.trees, codes.cardinalities, measure="empirical", X=codes.transform(X))
    >>> indices.total.argsort()[::-1]
    array([2, 3, 0, 1])
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    leaves, exponent = leaves.scaled()
    found = measure_of(measure, cardinalities, X).variances(leaves, verbose=bool(verbose))
    mean, variance, first, total, pairs, by_order = found
    first, total = np.maximum(first, 0.0), np.maximum(total, 0.0)
    mean = in_float64("Means", mean, exponent)
    by_order = None if by_order is None else times_power(by_order, 2 * exponent)
    if variance <= rounding(leaves):
        nothing = np.zeros_like(first)
        return SobolIndices(mean, 0.0, nothing, nothing.copy(), np.zeros_like(pairs), by_order)
    whole_variance = float(times_power(variance, 2 * exponent))
    if not 0.0 < whole_variance < np.inf:
        lost = beyond_float64("variance and energy_by_order", exponent)
        warn(f"{lost} The indices are right.", RuntimeWarning, stacklevel=level_of_caller())
    return SobolIndices(mean, whole_variance, first / variance, total / variance, pairs / variance, by_order)


# ------------------------------------------------------------------------------------------------------------- effects


@dataclass(frozen=True, eq=False)
class AnovaEffects:
    """Effects of features and of pairs of them, which add up to a function; made by :func:`anova_effects`.

    Parameters
    ----------
    mean : float, or ndarray of shape (n_outputs,) if there are several outputs
        The mean of the function.
    features : list of ndarray of shape (cardinality,), float64
        For every feature and each of its values, the mean given the value minus the mean of the function. The mean of
        an effect is zero.
    pairs : dict of (int, int) to ndarray of shape (cardinality, cardinality of the second), float64
        For pairs of values, the mean given both values minus the mean of the function and the effects of both features.
        The mean over either feature is zero. All arrays have a last axis for the outputs if there are several.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if a model or its samples have told them.
    categories : dict of int to ndarray, or None, default=None
        The categories of every categorical feature, in the order of their codes, if a model has told them.
    thresholds : list of ndarray, or None, default=None
        For every feature the thresholds between its codes, if a model has told them. If the last one is infinity, the
        last code stands for missing values.
    classes : ndarray of shape (n_classes,), or None, default=None
        The classes, if a classifier has told them. Two classes have one output, for the last class.

    See Also
    --------
    anova_effects : Makes one of an ensemble.
    SobolIndices : The variances of all effects, as shares.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import anova_effects
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> effects = anova_effects([tree], [2, 2], [(0, 1)])
    >>> effects.mean, effects.features[0], effects.pairs[0, 1]
    (0.25, array([-0.25,  0.25]), array([[ 0.25, -0.25],
           [-0.25,  0.25]]))
    """

    mean: float | FloatArray
    features: list[FloatArray]
    pairs: dict[tuple[int, int], FloatArray]
    feature_names: AnyArray | None = None
    categories: dict[int, AnyArray] | None = None
    thresholds: list[FloatArray] | None = None
    classes: AnyArray | None = None

    @described_like(SobolIndices.plot)
    def plot(
        self,
        effect: FeatureOrPair,
        ax: Axes | None = None,
        *,
        output: int | None = None,
        feature_names: LabelsLike | None = None,
    ) -> Axes:
        """Draw an effect at all values, of a feature as steps or bars, of a pair as colours; needs matplotlib.

        Steps lie over the numbers of the feature, bars stand for categories, and every output has its colour. The
        effect of missing numbers is a point beside the steps. An axis of a pair has codes in their order, with some of
        the thresholds between them, or the categories. If no model has told thresholds, values are codes.

        Parameters
        ----------
        effect : int, str, or pair of these
            A feature by its number, or by its name if `feature_names` are known; or one of `pairs`, in either order.
        output : int, optional
            Which output of several, by its number: for a classifier the place of the class in `classes`. By default all
            outputs of a feature, and the last one of a pair.
        feature_names : sequence of str of length n_features, optional
            By default those of the model, or numbers.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        IndexError
            If there is no such output.
        ValueError
            If there is no such effect; if the number of names differs from the number of features.
        """
        singles = {(m, -1): table for m, table in enumerate(self.features)}
        plots = EffectPlots(self, len(self.features), feature_names)
        which = _features(numbered([effect], self.feature_names), len(self.features))[0]
        return plots.draw(ax, {**singles, **self.pairs}, which, output, "effect", " on ")


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence:
    """Means of a function with features set to each of their codes; made by :func:`partial_dependence`.

    A sequence of the arrays in `tables`, which also come by the feature: ``found["age"]``, ``found["age", "size"]``.

    Parameters
    ----------
    tables : list of ndarray, float64
        For every feature (cardinality,), for every pair (cardinality, cardinality of the second). All arrays have a
        last axis for the outputs if there are several.
    features : list of (int, int)
        The feature of every array, and the second one of a pair, or -1.
    n_features : int
        The number of features of the function.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if a model or its samples have told them.
    categories : dict of int to ndarray, or None, default=None
        The categories of every categorical feature, in the order of their codes, if a model has told them.
    thresholds : list of ndarray, or None, default=None
        For every feature the thresholds between its codes, if a model has told them. If the last one is infinity, the
        last code stands for missing values.
    classes : ndarray of shape (n_classes,), or None, default=None
        The classes, if a classifier has told them. Two classes have one output, for the last class.

    See Also
    --------
    partial_dependence : Makes one of an ensemble.
    AnovaEffects : The same without the mean, and pairs without the effects of both features.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import partial_dependence
    >>> tree = DecisionTreeClassifier().fit([[1.0, 5.0], [2.0, 5.0], [2.0, 7.0]], ["a", "a", "b"])
    >>> found = partial_dependence(tree, [[1.0, 5.0], [2.0, 5.0], [2.0, 7.0]])
    >>> found.grid
    [array([0.]), array([3., 9.])]
    >>> found[1]
    array([0., 1.])
    """

    tables: list[FloatArray]
    features: list[tuple[int, int]]
    n_features: int
    feature_names: AnyArray | None = None
    categories: dict[int, AnyArray] | None = None
    thresholds: list[FloatArray] | None = None
    classes: AnyArray | None = None

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.tables)

    def __getitem__(self, index: Any) -> Any:
        """Return an array by its place, or by its feature or pair of features."""
        if isinstance(index, (int, np.integer, slice)):
            return self.tables[index]
        which = _features(numbered([index], self.feature_names), self.n_features)[0]
        if which not in self.features:
            raise KeyError(f"The partial dependence of {index!r} was not computed; computed are {self.features}.")
        return self.tables[self.features.index(which)]

    def __repr__(self) -> str:
        return repr(self.tables)

    @property
    def grid(self) -> list[AnyArray | tuple[AnyArray, AnyArray]]:
        """For every array a value for each of its codes, or for a pair the values of both features.

        Numbers lie in the middle between two thresholds, the first and last ones a little beyond; NaN stands for
        missing values. Categories are values of the feature. Without thresholds the values are the codes.
        """
        plots = EffectPlots(self, self.n_features, None)
        return [
            plots.values_of(m, len(table))
            if other < 0
            else (plots.values_of(m, len(table)), plots.values_of(other, table.shape[1]))
            for table, (m, other) in zip(self.tables, self.features, strict=True)
        ]

    @described_like(AnovaEffects.plot)
    def plot(
        self,
        effect: FeatureOrPair,
        ax: Axes | None = None,
        *,
        output: int | None = None,
        feature_names: LabelsLike | None = None,
    ) -> Axes:
        """Draw the means at all values, of a feature as steps or bars, of a pair as colours; needs matplotlib.

        Axes are as in :meth:`AnovaEffects.plot`.

        Parameters
        ----------
        effect : int, str, or pair of these
            A feature by its number, or by its name if `feature_names` are known; or a pair, in either order. It is one
            of those that were computed.
        """
        plots = EffectPlots(self, self.n_features, feature_names)
        which = _features(numbered([effect], self.feature_names), self.n_features)[0]
        tables = dict(zip(self.features, self.tables, strict=True))
        return plots.draw(ax, tables, which, output, "partial dependence", " for ")


@described_like(sobol_indices)
@takes_models
@of_coded_trees
def partial_dependence(
    trees: Any,
    cardinalities: ArrayLike | MatrixLike | None = None,
    features: Iterable[FeatureOrPair] | None = None,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: MatrixLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    memory_limit: int = MEMORY_LIMIT,
    verbose: int = 0,
) -> PartialDependence:
    """Compute partial dependences of a model, or of trees on codes: the means with features set to each of their codes.

    ``partial_dependence(model, X, features)`` takes a fitted ensemble and samples, as the ensemble takes them. The
    other features are drawn from the measure, whatever value is set [1]_. All values of a feature, or of two, are
    computed at once.

    Parameters
    ----------
    features : sequence of int, of str, or of pair of these, optional
        Features, or pairs of different ones; by names if the model or its samples have names. By default all features,
        one by one.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`; for a model with samples the default is ``"empirical"``. Under ``"joint"`` the other
        features are taken from the samples in `X`: the mean runs over all samples, with the value set in each, as in
        the brute force of scikit-learn's ``partial_dependence``. (:func:`schema_average` is the mean over the samples
        that have the value.)
    class_index : int or None, default=-1
        For trees on codes, as in :func:`gram`; None gives all classes.
    memory_limit : int, default=2**30
        Bytes that the arrays may take together.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    PartialDependence
        A sequence of arrays: for every feature (cardinality,), for every pair (cardinality, cardinality of the second),
        float64; with a last axis for the outputs if there are several. Values without mass have means too. Its `grid`
        has a value for every code, and it has a `plot`.

    Raises
    ------
    TypeError
        As in :func:`sobol_indices`.
    ValueError
        As in :func:`sobol_indices`; if a feature does not exist, or a pair is not a pair of two features.
    MemoryError
        If the arrays would take more than `memory_limit`; nothing is computed then.

    See Also
    --------
    anova_effects : Partial dependences minus the mean, and for pairs also minus the effects of both features.
    schema_average : The mean over a part of the domain.
    sklearn.inspection.partial_dependence : Partial dependences of any estimator, value by value.

    Notes
    -----
    Takes time of the order of the number of leaves times their depth for a feature or pair, and of its number of
    values; under ``measure="joint"`` of the number of leaves times the number of samples.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics 29, 2001,
       section 8.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> from pytrees.fourier import additive_model, partial_dependence
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> boosted = GradientBoostingRegressor(n_estimators=20, max_depth=2, random_state=0).fit(X, y)
    >>> model = additive_model(boosted)  # it tells which values the codes stand for
    >>> found = partial_dependence(model, X, ["bmi", ("bmi", "s5")])
    >>> at = model.codes.thresholds[2].searchsorted([-0.05, 0.05])
    >>> found["bmi"][at].round()
    array([134., 171.])
    >>> found["bmi"].size == found.grid[0].size
    True

    Trees that split codes:

    >>> from pytrees import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> partial_dependence([tree], [2, 2], [0, (0, 1)])
    [array([0. , 0.5]), array([[0., 0.],
           [0., 1.]])]
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    wanted = _features(range(cardinalities.size) if features is None else features, cardinalities.size)
    _check_tables(wanted, cardinalities, leaves.values.shape[1], memory_limit)
    leaves, exponent = leaves.scaled()
    with shown("boxes", enabled=bool(verbose)):
        found = _profiles(leaves, cardinalities, wanted, measure, X)
    tables = [in_float64("Means", _without_one_output(table), exponent) for table in found]
    return PartialDependence(tables, wanted, cardinalities.size)


@described_like(partial_dependence)
@takes_models
@of_coded_trees
def anova_effects(
    trees: Any,
    cardinalities: ArrayLike | MatrixLike | None = None,
    pairs: Iterable[tuple[int, int]] = (),
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: MatrixLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> AnovaEffects:
    """Compute the effects of all features, and of some pairs, by the analysis of variance of a model or trees on codes.

    ``anova_effects(model, X, pairs)`` takes a fitted ensemble and samples, as the ensemble takes them. The function is
    its mean, plus an effect of every feature, of every pair, and so on, all uncorrelated [1]_. This decomposition needs
    a product measure.

    Parameters
    ----------
    pairs : sequence of pair of int or str, default=()
        Features whose effects in pairs are wanted, such as the pairs of the greatest ``SobolIndices.pairs``; by names
        if the model or its samples have names.

    Returns
    -------
    AnovaEffects
        The effects at all values, including values without mass.

    Raises
    ------
    ValueError
        As in :func:`partial_dependence`; also under ``measure="joint"``: features that go together have no effects of
        their own.
    MemoryError
        As in :func:`partial_dependence`.

    See Also
    --------
    sobol_indices : The variances of the effects, as shares.
    partial_dependence : The means that effects are made of.

    References
    ----------
    .. [1] W. Hoeffding, "A class of statistics with asymptotically normal distribution", Annals of Mathematical
       Statistics 19, 1948; B. Efron, C. Stein, "The jackknife estimate of variance", Annals of Statistics 9, 1981.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import anova_effects, ordinal_codes, sobol_indices
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = DecisionForestClassifier(20, random_state=0).fit(X, y == 2)
    >>> effects = anova_effects(forest, X, [(2, 3)])
    >>> effects.pairs[2, 3].shape == (effects.features[2].size, effects.features[3].size)
    True

    Variances of effects are Sobol indices:

    >>> codes = ordinal_codes(forest)
    >>> effects = anova_effects(codes.trees, codes.cardinalities)
    >>> indices = sobol_indices(codes.trees, codes.cardinalities)
    >>> [round(float(effect.var() / indices.variance), 3) for effect in effects.features]
    [0.013, 0.014, 0.611, 0.239]
    >>> indices.first_order.round(3)
    array([0.013, 0.014, 0.611, 0.239])
    """
    cardinalities = check_cardinalities(cardinalities)
    product = measure_of(measure, cardinalities, X)
    if isinstance(product, Samples):
        raise ValueError(
            "Effects need a product measure, such as 'empirical': under measure='joint' features go together. "
            "(partial_dependence and sobol_indices take it.)"
        )
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    numbers = _features(range(cardinalities.size), cardinalities.size)
    wanted = _features(pairs, cardinalities.size)
    if any(other < 0 for _, other in wanted):
        raise ValueError("pairs must hold pairs of features; the effects of single features are always computed.")
    _check_tables([*numbers, *wanted], cardinalities, leaves.values.shape[1], memory_limit)
    leaves, exponent = leaves.scaled()
    singles = _profiles(leaves, cardinalities, numbers, measure, X)
    masses = np.diff(product.cumulative[: product.offsets[1]])
    mean = masses @ singles[0] / masses.sum()
    features = [profile - mean for profile in singles]
    tables: dict[tuple[int, int], FloatArray] = {}
    for (m, other), table in zip(wanted, _profiles(leaves, cardinalities, wanted, measure, X), strict=True):
        alone = features[m][:, np.newaxis] + features[other][np.newaxis]
        tables[m, other] = in_float64("Effects", _without_one_output(table - mean - alone), exponent)
    mean = in_float64("Means", mean, exponent)
    squeezed = float(mean[0]) if mean.size == 1 else mean
    effects = [in_float64("Effects", _without_one_output(effect), exponent) for effect in features]
    return AnovaEffects(squeezed, effects, tables)


def _check_tables(
    wanted: Sequence[tuple[int, int]], cardinalities: IntArray, n_outputs: int, memory_limit: int
) -> None:
    """Refuse arrays of means that would take more memory than allowed."""
    sizes = [int(cardinalities[m]) * (int(cardinalities[other]) if other >= 0 else 1) for m, other in wanted]
    check_budget("The means", (sum(sizes), n_outputs), 8 * n_outputs * sum(sizes), memory_limit)


def _profiles(
    leaves: Leaves,
    cardinalities: IntArray,
    wanted: Sequence[tuple[int, int]],
    measure: Measure,
    X: MatrixLike | None,
) -> list[FloatArray]:
    """Compute the means with features or pairs set to their values; every array has a last axis for the outputs."""
    found = measure_of(measure, cardinalities, X).profiles(leaves, cardinalities, wanted)
    tables = [np.asarray(table, dtype=np.float64) for table in found]
    return [table[:, 0] if other < 0 else table for table, (_, other) in zip(tables, wanted, strict=True)]


def _without_one_output(table: FloatArray) -> FloatArray:
    """Drop the last axis if there is a single output."""
    return table[..., 0] if table.shape[-1] == 1 else table


def _features(given: Iterable[FeatureOrPair], n_features: int) -> list[tuple[int, int]]:
    """Check features and pairs of features; return pairs, in which -1 stands for no second feature."""
    if isinstance(given, str) or not np.iterable(given):
        raise ValueError(f"A sequence of features or pairs of features is expected, got {given!r}.")
    found = []
    for one in given:
        members = [one] if is_whole(one) else list(one) if np.iterable(one) else []
        if any(isinstance(m, bool) or not is_whole(m) or not 0 <= m < n_features for m in members):
            raise ValueError(f"Features are numbers from 0 to {n_features - 1}, got {one!r}.")
        if len(set(members)) != (1 if is_whole(one) else 2) or len(members) > 2:
            raise ValueError(f"A feature, or a pair of two different ones, is expected, got {one!r}.")
        found.append((int(members[0]), int(members[1]) if len(members) == 2 else -1))
    return found
