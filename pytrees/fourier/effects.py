"""Divide the function of an ensemble, exactly: its variance by features and interactions, and its effects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._progress import shown
from .._typing import FeatureOrPair, FloatArray, IntArray, LabelsLike, Measure, is_whole
from ..plotting import pyplot
from ..tree import TreeEstimator
from .boxes import MEMORY_LIMIT, Leaves, check_cardinalities, measure_arrays, weighted_leaves
from .partitions import check_budget
from .samples import joint_samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..tree import Tree

# Variances up to this share of the square of what a function can vary are what rounding leaves of nothing.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Shares of a function's variance by features; made by :func:`sobol_indices`.

    Parameters
    ----------
    mean : ndarray of shape (n_outputs,), float64
        The mean of every output.
    variance : float
        Of the function, summed over its outputs. Up to 1e-12 of the square of what the trees together can vary, which
        is what rounding can leave of nothing, it is 0, and so are all indices. Infinite where float64 has no such
        number.
    first_order : ndarray of shape (n_features,), float64
        The share that a feature explains alone: the variance of the mean given its value.
    total : ndarray of shape (n_features,), float64
        The share that is lost without the feature: the mean of the variance given the values of all others.
    pairs : ndarray of shape (n_features, n_features), float64
        The share that two features explain together and not one by one. Symmetric; zeros on the diagonal.
    energy_by_order : ndarray of shape (n_features + 1,), float64, or None
        The variance, not divided, of all interactions of k features, summed over the outputs; for k = 0 the squared
        mean. Under the uniform measure it is :meth:`FourierSpectrum.energy_by_order`. None under ``measure="joint"``,
        where the variance does not fall apart so.

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

    def plot(
        self, ax: Axes | None = None, *, feature_names: LabelsLike | None = None, max_features: int | None = 20
    ) -> Axes:
        """Draw first-order and total indices as bars, the greatest total on top; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the current axes by default.
        feature_names : sequence of str of length n_features, optional
            By default their numbers.
        max_features : int or None, default=20
            How many features are shown; None shows all.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there are other numbers of names and features.
        """
        names = _names(feature_names, self.total.size)
        shown = np.argsort(-self.total, kind="stable")[:max_features][::-1]
        ax = _axes(ax)
        ax.barh(range(len(shown)), self.total[shown], color="0.8", label="total")
        ax.barh(range(len(shown)), self.first_order[shown], height=0.4, label="first order")
        ax.set_yticks(range(len(shown)), [names[m] for m in shown])
        ax.set_xlabel("share of the variance")
        ax.legend(loc="lower right")
        return ax

    def plot_pairs(
        self, ax: Axes | None = None, *, feature_names: LabelsLike | None = None, max_features: int | None = 20
    ) -> Axes:
        """Draw the indices of pairs as a matrix, those below zero in another colour; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            As in :meth:`plot`.
        feature_names : sequence of str of length n_features, optional
            As in :meth:`plot`.
        max_features : int or None, default=20
            As in :meth:`plot`: those of the greatest total indices.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there are other numbers of names and features.
        """
        names = _names(feature_names, self.total.size)
        shown = np.argsort(-self.total, kind="stable")[:max_features]
        ax = _axes(ax)
        matrix = self.pairs[np.ix_(shown, shown)]
        bound = float(np.abs(matrix).max(initial=0.0))
        least = -bound if matrix.min(initial=0.0) < 0.0 else 0.0
        masked = np.ma.masked_array(matrix, np.eye(len(shown), dtype=bool))
        image = ax.imshow(masked, cmap="RdBu_r" if least else "Blues", vmin=least, vmax=bound)
        ax.set_xticks(range(len(shown)), [names[m] for m in shown], rotation=90)
        ax.set_yticks(range(len(shown)), [names[m] for m in shown])
        ax.figure.colorbar(image, ax=ax, label="share of the variance")
        return ax


def sobol_indices(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    verbose: int = 0,
) -> SobolIndices:
    """Compute the Sobol indices of a weighted sum of trees: of first order, total, and of all pairs of features.

    Exact, from what pairs of leaves have in common, where other tools sample. Under a product measure the variance
    falls apart into those of the effects of features and of their interactions [1]_: in the algebra's terms, the
    energies of the coefficients whose digits stand at these features.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        As in :func:`gram`.
    cardinalities : array-like of shape (n_features,), int
        As in :func:`gram`.
    weights : array-like of shape (n_trees,), optional
        By default the trees are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`. Under ``"joint"`` features go together as they do in `X`, and an index still is what its
        description says, of means and variances over samples that have the same codes: but shares of features overlap,
        an index of a pair is negative where both tell the same, and the total index is zero where no two samples
        differ in the feature alone.
    X : array-like of shape (n_rows, n_features), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`. With None variances are summed over the classes, as of a function of several outputs [2]_.
    values : sequence of array-like, optional
        As in :func:`gram`.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    SobolIndices
        The indices, with mean and variance.

    Raises
    ------
    ValueError
        As in :func:`schema_average`.

    See Also
    --------
    anova_effects : The effects that have these variances.
    gram : The matrix of inner products of the trees.
    scipy.stats.sobol_indices : The same of any function, by sampling.

    Notes
    -----
    Takes time of the order of the number of pairs of leaves that share a feature, as :func:`gram` does. Under
    ``measure="joint"`` of the number of samples times that of pairs of features.

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
    >>> X, y = load_iris(return_X_y=True)
    >>> codes = ordinal_codes(DecisionForestClassifier(20, random_state=0).fit(X, y))
    >>> indices = sobol_indices(codes.trees, codes.cardinalities, measure="empirical", X=codes.transform(X))
    >>> indices.total.argsort()[::-1]
    array([2, 3, 0, 1])
    >>> bool((indices.first_order <= indices.total).all())
    True
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    leaves, exponent = leaves.scaled()
    samples = joint_samples(measure, cardinalities, X)
    by_order = None
    # What is less than zero rounding left of nothing, but for pairs of features that go together.
    if samples is None:
        with shown("pairs of leaves", enabled=bool(verbose)):
            mean, first, total, pairs, by_order = _of_boxes(leaves, measure_arrays(measure, cardinalities, X))
        variance, pairs = float(by_order[1:].sum()), np.maximum(pairs, 0.0)
    else:
        at_samples = np.ascontiguousarray(samples.values_of(leaves))
        with shown("pairs of features", enabled=bool(verbose)):
            found = kernel("sample_effects")(samples.rows, at_samples - at_samples[0], samples.weights)
        mean, first, total, pairs, whole = (np.asarray(part, dtype=np.float64) for part in found)
        mean, variance = mean + at_samples[0], float(whole)
    first, total = np.maximum(first, 0.0), np.maximum(total, 0.0)
    mean = np.ldexp(mean, exponent)
    with np.errstate(over="ignore"):
        by_order = None if by_order is None else np.ldexp(by_order, 2 * exponent)
        whole_variance = float(np.ldexp(variance, 2 * exponent))
    if variance <= rounding(leaves):
        nothing = np.zeros_like(first)
        return SobolIndices(mean, 0.0, nothing, nothing.copy(), np.zeros_like(pairs), by_order)
    return SobolIndices(mean, whole_variance, first / variance, total / variance, pairs / variance, by_order)


def _of_boxes(leaves: Leaves, measure: tuple[IntArray, FloatArray]) -> list[FloatArray]:
    """Return the mean of a sum of trees under a product measure, and variances: first order, total, pairs, by order."""
    values, shift = centred(leaves)
    found = kernel("box_effects")(leaves.boxes, values, measure)
    mean, first, total, pairs, by_order = (np.asarray(part, dtype=np.float64) for part in found)
    by_order = np.maximum(by_order, 0.0)
    by_order[0] = ((mean + shift) ** 2).sum()
    return [mean + shift, first, total, pairs, by_order]


def mean_and_variance(
    leaves: Leaves, cardinalities: IntArray, measure: Measure, X: ArrayLike | None, label: str | None = None
) -> tuple[FloatArray, float]:
    """Compute the mean of a sum of trees and its variance, summed over the outputs; show progress by a label."""
    samples = joint_samples(measure, cardinalities, X)
    if samples is None:
        with shown(label or "", enabled=label is not None):
            mean, *_, by_order = _of_boxes(leaves, measure_arrays(measure, cardinalities, X))
        return mean, float(by_order[1:].sum())
    at_samples = samples.values_of(leaves)
    mean = np.average(at_samples, axis=0, weights=samples.weights)
    return mean, float(np.average((at_samples - mean) ** 2, axis=0, weights=samples.weights).sum())


def centred(leaves: Leaves) -> tuple[FloatArray, FloatArray]:
    """Return the values less a median of every tree's, and the sum of these: what varies is what it was.

    Boxes of the median have the value zero then, and need not be looked at.
    """
    values, shift = leaves.values.copy(), np.zeros(leaves.values.shape[1])
    for first, last in pairwise(leaves.indptr):
        median = np.sort(values[first:last], axis=0)[(last - first - 1) // 2]
        values[first:last] -= median
        shift += median
    return values, shift


def rounding(leaves: Leaves) -> float:
    """Return the variance up to which a sum of trees counts as constant: of the square of the sum of their spans."""
    spans = [np.ptp(leaves.values[first:last], axis=0).max() for first, last in pairwise(leaves.indptr)]
    return ROUNDING * float(sum(spans)) ** 2


# ------------------------------------------------------------------------------------------------------------- effects


def partial_dependence(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    features: Iterable[FeatureOrPair] | None = None,
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    memory_limit: int = MEMORY_LIMIT,
    verbose: int = 0,
) -> list[FloatArray]:
    """Compute partial dependences of a weighted sum of trees: its means where features are set to each of their values.

    The other features are drawn from the measure, whatever the value that is set [1]_. All values of a feature, or of
    two, are computed at once.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        As in :func:`gram`.
    cardinalities : array-like of shape (n_features,), int
        As in :func:`gram`.
    features : sequence of int or of pair of int, optional
        Features, or pairs of different ones. By default all features, one by one.
    weights : array-like of shape (n_trees,), optional
        By default the trees are averaged.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="uniform"
        As in :func:`gram`. Under ``"joint"`` the other features are those of the samples in `X`: the mean is that over
        all samples after the value was set in each, as scikit-learn's ``partial_dependence`` does by brute force.
        (:func:`schema_average` is the mean over the samples that have the value.)
    X : array-like of shape (n_rows, n_features), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`; None gives all classes.
    values : sequence of array-like, optional
        As in :func:`gram`.
    memory_limit : int, default=2**30
        Bytes that the arrays may take together.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    list of ndarray
        For every feature (cardinality,), for every pair (cardinality, cardinality of the second), float64; with a last
        axis for the outputs where there are several. Values that have no mass have means too.

    Raises
    ------
    ValueError
        As in :func:`schema_average`; if there is no such feature, or a pair is not of two.
    MemoryError
        If the arrays would take more than `memory_limit`; before any of them is computed.

    See Also
    --------
    anova_effects : The same less the mean, and of pairs less the effects of each of them.
    schema_average : The mean over a part of the domain.
    sklearn.inspection.partial_dependence : The same of any estimator, value by value.

    Notes
    -----
    Takes time of the order of the number of leaves times their depth for a feature or pair, and of the values of these;
    under ``measure="joint"`` of the number of leaves times that of samples.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics 29, 2001,
       section 8.2.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import partial_dependence
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> partial_dependence([tree], [2, 2], [0, (0, 1)])
    [array([0. , 0.5]), array([[0., 0.],
           [0., 1.]])]
    """
    cardinalities = check_cardinalities(cardinalities)
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    wanted = _features(range(cardinalities.size) if features is None else features, cardinalities.size)
    _check_tables(wanted, cardinalities, leaves.values.shape[1], memory_limit)
    with shown("boxes", enabled=bool(verbose)):
        return [_without_one_output(table) for table in _profiles(leaves, cardinalities, wanted, measure, X)]


@dataclass(frozen=True, eq=False)
class AnovaEffects:
    """Effects of features and of pairs of them, which add up to a function; made by :func:`anova_effects`.

    Parameters
    ----------
    mean : float, or ndarray of shape (n_outputs,) if there are several outputs
        The mean of the function.
    features : list of ndarray of shape (cardinality,), float64
        For every feature how far the mean, where it has a value, is from that of all; of mean zero.
    pairs : dict of (int, int) to ndarray of shape (cardinality, cardinality of the second), float64
        What the mean, where two features have two values, has beyond the mean and the effects of each; the mean is
        zero over either. All arrays have a last axis for the outputs where there are several.

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

    def plot(self, effect: FeatureOrPair, ax: Axes | None = None, *, feature_names: LabelsLike | None = None) -> Axes:
        """Draw an effect at all values: that of a feature as steps, that of a pair as colours; needs matplotlib.

        Parameters
        ----------
        effect : int or pair of int
            A feature, or one of `pairs`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the current axes by default.
        feature_names : sequence of str of length n_features, optional
            By default their numbers.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such effect; if a pair has several outputs; if there are other numbers of names and features.
        """
        names = _names(feature_names, len(self.features), "feature ")
        m, other = _features([effect], len(self.features))[0]
        ax = _axes(ax)
        if other < 0:
            ax.step(range(len(self.features[m])), self.features[m], where="mid")
            ax.axhline(0.0, color="0.8", zorder=0)
            ax.set_ylabel("effect")
        else:
            table = self.pairs.get((m, other))
            if table is None or table.ndim > 2:
                raise ValueError(
                    f"There is no effect of the pair {(m, other)} of one output; pairs: {list(self.pairs)}."
                )
            bound = np.abs(table).max()
            image = ax.imshow(table.T, cmap="RdBu_r", vmin=-bound, vmax=bound, origin="lower", aspect="auto")
            ax.figure.colorbar(image, ax=ax, label="effect")
            ax.set_ylabel(f"code of {names[other]}")
        ax.set_xlabel(f"code of {names[m]}")
        return ax


def anova_effects(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: ArrayLike,
    pairs: Iterable[tuple[int, int]] = (),
    *,
    weights: ArrayLike | None = None,
    measure: Measure = "uniform",
    X: ArrayLike | None = None,
    class_index: int | None = -1,
    values: Iterable[ArrayLike] | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> AnovaEffects:
    """Compute the effects of all features, and of some pairs, in the analysis of variance of a weighted sum of trees.

    The function is its mean, plus an effect of every feature, of every pair, and so on, all uncorrelated [1]_. That
    needs a product measure.

    Parameters
    ----------
    trees : sequence of Tree or of fitted tree estimators
        As in :func:`gram`.
    cardinalities : array-like of shape (n_features,), int
        As in :func:`gram`.
    pairs : sequence of pair of int, default=()
        Features whose effects in pairs are wanted, such as those of the greatest ``SobolIndices.pairs``.
    weights : array-like of shape (n_trees,), optional
        By default the trees are averaged.
    measure : {"uniform", "empirical"} or list of array-like, default="uniform"
        As in :func:`gram`.
    X : array-like of shape (n_rows, n_features), optional
        As in :func:`gram`.
    class_index : int or None, default=-1
        As in :func:`gram`; None gives all classes.
    values : sequence of array-like, optional
        As in :func:`gram`.
    memory_limit : int, default=2**30
        As in :func:`partial_dependence`.

    Returns
    -------
    AnovaEffects
        The effects, at all values, also at those that have no mass.

    Raises
    ------
    ValueError
        As in :func:`partial_dependence`; under ``measure="joint"``, where features that go together have no effects of
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
    Variances of effects are Sobol indices:

    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import anova_effects, ordinal_codes, sobol_indices
    >>> codes = ordinal_codes(DecisionForestClassifier(20, random_state=0).fit(*load_iris(return_X_y=True)))
    >>> effects = anova_effects(codes.trees, codes.cardinalities)
    >>> indices = sobol_indices(codes.trees, codes.cardinalities)
    >>> [round(float(effect.var() / indices.variance), 3) for effect in effects.features]
    [0.006, 0.003, 0.509, 0.368]
    >>> indices.first_order.round(3)
    array([0.006, 0.003, 0.509, 0.368])
    """
    cardinalities = check_cardinalities(cardinalities)
    if joint_samples(measure, cardinalities, X) is not None:
        raise ValueError(
            "Effects need a product measure, such as 'empirical': under measure='joint' features go together. "
            "(partial_dependence and sobol_indices take it.)"
        )
    leaves = weighted_leaves(trees, cardinalities, weights, class_index, values)
    numbers = _features(range(cardinalities.size), cardinalities.size)
    wanted = _features(pairs, cardinalities.size)
    if any(other < 0 for _, other in wanted):
        raise ValueError("pairs must hold pairs of features; the effects of single ones are always there.")
    _check_tables([*numbers, *wanted], cardinalities, leaves.values.shape[1], memory_limit)
    singles = _profiles(leaves, cardinalities, numbers, measure, X)
    offsets, cumulative = measure_arrays(measure, cardinalities, X)
    masses = np.diff(cumulative[: offsets[1]])
    mean = masses @ singles[0] / masses.sum()
    features = [profile - mean for profile in singles]
    tables: dict[tuple[int, int], FloatArray] = {}
    for (m, other), table in zip(wanted, _profiles(leaves, cardinalities, wanted, measure, X), strict=True):
        alone = features[m][:, np.newaxis] + features[other][np.newaxis]
        tables[m, other] = _without_one_output(table - mean - alone)
    squeezed = float(mean[0]) if mean.size == 1 else mean
    return AnovaEffects(squeezed, [_without_one_output(effect) for effect in features], tables)


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
    X: ArrayLike | None,
) -> list[FloatArray]:
    """Compute the means where features or pairs are set; every array has a last axis for the outputs."""
    samples = joint_samples(measure, cardinalities, X)
    if samples is None:
        arrays = measure_arrays(measure, cardinalities, X)
        found = kernel("box_profiles")(leaves.boxes, leaves.values, arrays, wanted)
    else:
        given = samples.rows, samples.weights, cardinalities
        found = kernel("sample_profiles")(leaves.boxes, leaves.values, *given, wanted)
    tables = [np.asarray(table, dtype=np.float64) for table in found]
    return [table[:, 0] if other < 0 else table for table, (_, other) in zip(tables, wanted, strict=True)]


def _without_one_output(table: FloatArray) -> FloatArray:
    """Drop the last axis where it is that of a single output."""
    return table[..., 0] if table.shape[-1] == 1 else table


def _features(given: Iterable[FeatureOrPair], n_features: int) -> list[tuple[int, int]]:
    """Check features and pairs of features; return pairs, with -1 in place of a second one that is not there."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"A sequence of features or pairs of features is expected, got {given!r}.")
    found = []
    for one in given:
        members = [one] if is_whole(one) else list(one) if isinstance(one, Iterable) else []
        if any(isinstance(m, bool) or not is_whole(m) or not 0 <= m < n_features for m in members):
            raise ValueError(f"Features are numbers from 0 to {n_features - 1}, got {one!r}.")
        if len(set(members)) != (1 if is_whole(one) else 2) or len(members) > 2:
            raise ValueError(f"A feature, or a pair of two different ones, is expected, got {one!r}.")
        found.append((int(members[0]), int(members[1]) if len(members) == 2 else -1))
    return found


# ------------------------------------------------------------------------------------------------------------ pictures


def _axes(ax: Axes | None) -> Any:
    """Return the axes to draw on."""
    return pyplot("plot").gca() if ax is None else ax


def _names(feature_names: LabelsLike | None, n_features: int, prefix: str = "") -> list[str]:
    """Return the names of all features, or their numbers."""
    if feature_names is None:
        return [f"{prefix}{m}" for m in range(n_features)]
    names = [str(name) for name in np.asarray(feature_names)]
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names; there are {n_features} features.")
    return names
