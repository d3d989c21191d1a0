"""Divide the variance of an ensemble's function by features and interactions, and compute their effects, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._axes import LITERALLY, axes_of
from .._docstrings import described_like
from .._given_tree import checked_names, class_said, one_line, plain_values
from .._progress import shown
from .._typing import AnyArray, FeatureOrPair, FloatArray, IntArray, LabelsLike, MatrixLike, Measure, is_whole
from ..input.categories import has_missing
from .boxes import (
    MEMORY_LIMIT,
    Leaves,
    check_budget,
    check_cardinalities,
    check_positive,
    of_coded_trees,
    weighted_leaves,
)
from .ensembles import gram, schema_average
from .given_models import numbered, takes_models
from .measures import Samples, measure_of, rounding

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Names of categories are turned if they have more letters side by side.
_MOST_LETTERS = 50
# How many points the word "missing" stands away from an axis, beyond the numbers at it.
_BEYOND_NUMBERS = {"x": 16, "y": 44}
# How many thresholds stand at an axis of a pair.
_MOST_THRESHOLDS = 6


@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Shares of a function's variance by features; made by :func:`sobol_indices`.

    Parameters
    ----------
    mean : ndarray of shape (n_outputs,), float64
        The mean of every output.
    variance : float
        The variance of the function, summed over its outputs. It is 0, and so are all indices, if it is at most 1e-12
        of the square of the span of all trees together: rounding alone can leave that much. Infinite beyond the range
        of float64.
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
    mean = np.ldexp(mean, exponent)
    with np.errstate(over="ignore"):
        by_order = None if by_order is None else np.ldexp(by_order, 2 * exponent)
        whole_variance = float(np.ldexp(variance, 2 * exponent))
    if variance <= rounding(leaves):
        nothing = np.zeros_like(first)
        return SobolIndices(mean, 0.0, nothing, nothing.copy(), np.zeros_like(pairs), by_order)
    return SobolIndices(mean, whole_variance, first / variance, total / variance, pairs / variance, by_order)


# ------------------------------------------------------------------------------------------------------------- effects


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
) -> list[FloatArray]:
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
    list of ndarray
        For every feature (cardinality,), for every pair (cardinality, cardinality of the second), float64; with a last
        axis for the outputs if there are several. Values without mass have means too. Code k of feature m stands for
        the values between two thresholds, ``codes.thresholds[m][k - 1 : k + 1]``, with the `codes` of
        :func:`additive_model` or :func:`ordinal_codes`. If the last threshold is infinity, the last code stands for
        missing values.

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
    >>> of_bmi, of_both = partial_dependence(model, X, ["bmi", ("bmi", "s5")])
    >>> at = model.codes.thresholds[2].searchsorted([-0.05, 0.05])
    >>> of_bmi[at].round()
    array([134., 171.])

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
    def plot(self, effect: FeatureOrPair, ax: Axes | None = None, *, feature_names: LabelsLike | None = None) -> Axes:
        """Draw an effect at all values, of a feature as steps or bars, of a pair as colours; needs matplotlib.

        Steps lie over the numbers of the feature, bars stand for categories, and every output has its colour. The
        effect of missing numbers is a point beside the steps. An axis of a pair has codes in their order, with some of
        the thresholds between them, or the categories. If no model has told thresholds, values are codes.

        Parameters
        ----------
        effect : int, str, or pair of these
            A feature by its number, or by its name if `feature_names` are known; or one of `pairs`.
        feature_names : sequence of str of length n_features, optional
            By default those of the model, or numbers.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such effect; if a pair has several outputs; if the number of names differs from the number of
            features.
        """
        names = names_for(
            self.feature_names if feature_names is None else feature_names, len(self.features), "feature "
        )
        m, other = _features(numbered([effect], self.feature_names), len(self.features))[0]
        ax = axes_of("plot", ax)
        if other < 0:
            self._draw_feature(ax, m, names[m])
            return ax
        table = self.pairs.get((m, other))
        if table is None or table.ndim > 2:
            raise ValueError(f"There is no effect of the pair {(m, other)} with one output; pairs: {list(self.pairs)}.")
        bound = np.abs(table).max()
        # Colours are not mixed: neighbouring categories have no order.
        shown = {"cmap": "RdBu_r", "interpolation": "nearest", "origin": "lower", "aspect": "auto"}
        image = ax.imshow(table.T, vmin=-bound, vmax=bound, **shown)
        ax.figure.colorbar(image, ax=ax).set_label(self._label(), **LITERALLY)
        self._name_values(ax.xaxis, m, names[m])
        self._name_values(ax.yaxis, other, names[other])
        return ax

    def _draw_feature(self, ax: Any, m: int, name: str) -> None:
        """Draw the effect of one feature, with a legend if there are several outputs."""
        effects = self.features[m].reshape(len(self.features[m]), -1)
        outputs = names_of_outputs(self.classes, effects.shape[1])
        if self._words_of(m) is not None:
            draw_bars(ax, effects, outputs)
            self._name_values(ax.xaxis, m, name)
        elif self.thresholds is None:
            for effect, output in zip(effects.T, outputs, strict=True):
                ax.step(range(len(effect)), effect, where="mid", label=output)
            self._name_values(ax.xaxis, m, name)
        else:
            draw_steps(ax, effects, self.thresholds[m], outputs)
            ax.set_xlabel(name, **LITERALLY)
        ax.axhline(0.0, color="0.8", zorder=0)
        ax.set_ylabel(self._label(effects.shape[1]), **LITERALLY)
        if len(outputs) > 1:
            for text in ax.legend().get_texts():
                text.set(**LITERALLY)

    def _label(self, n_outputs: int = 1) -> str:
        """Return what the numbers are: the effect, on a class if there is one output, for it."""
        if n_outputs > 1 or self.classes is None:
            return "effect"
        return f"effect on {names_of_outputs(self.classes, 1)[0]}"

    def _words_of(self, m: int) -> list[str] | None:
        """Return a word for every value of a feature; None if the values are numbers, or codes."""
        if self.categories is not None and m in self.categories:
            listed = self.categories[m]
            absent = {len(listed) - 1} if has_missing(listed) else set()
            return ["missing" if k in absent else one_line(word) for k, word in enumerate(plain_values(listed))]
        if self.thresholds is None or np.isfinite(self.thresholds[m]).any():
            return None
        return ["not missing", "missing"] if self.thresholds[m].size else ["all values"]

    def _name_values(self, axis: Any, m: int, name: str) -> None:
        """Write the name of a feature at an axis of its codes, and the names of categories or some thresholds."""
        said = self._words_of(m)
        if said is not None:
            turned = 90 if axis.axis_name == "x" and sum(map(len, said)) > _MOST_LETTERS else 0
            axis.set_ticks(range(len(said)), said, rotation=turned, **LITERALLY)
        elif self.thresholds is not None:
            cuts = self.thresholds[m][np.isfinite(self.thresholds[m])]
            between = np.unique(np.linspace(0, cuts.size - 1, _MOST_THRESHOLDS).round().astype(int))
            axis.set_ticks(between + 0.5, _short_texts(cuts[between]))
            is_missing = [cuts.size + 1] if cuts.size < self.thresholds[m].size else []
            axis.set_ticks(is_missing, ["missing"] * len(is_missing), minor=True)
            axis.set_tick_params(which="minor", pad=_BEYOND_NUMBERS[axis.axis_name])
        axis.set_label_text(name if said or self.thresholds else f"code of {name}", **LITERALLY)


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
    singles = _profiles(leaves, cardinalities, numbers, measure, X)
    masses = np.diff(product.cumulative[: product.offsets[1]])
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


# ------------------------------------------------------------------------------------------------------------ pictures


def names_for(feature_names: LabelsLike | None, n_features: int, prefix: str = "") -> list[str]:
    """Return the names of all features, or their numbers."""
    if feature_names is None:
        return [f"{prefix}{m}" for m in range(n_features)]
    return [one_line(name) for name in checked_names("feature_names", feature_names, n_features, "the model")]


def names_of_outputs(classes: AnyArray | None, n_outputs: int) -> list[str]:
    """Return how outputs are called: by their classes, a single one by the last class, or by numbers."""
    if classes is None:
        return [f"output {k}" for k in range(n_outputs)]
    return [class_said(one_line(name)) for name in plain_values(classes)[-n_outputs:]]


def draw_bars(ax: Axes, effects: FloatArray, outputs: Sequence[str]) -> None:
    """Draw a group of bars for every value, a bar for every output; effects have shape (n_values, n_outputs)."""
    width = 0.8 / len(outputs)
    for k, output in enumerate(outputs):
        left = np.arange(len(effects)) - 0.4 + width * k
        ax.bar(left, effects[:, k], width, align="edge", label=output)


def draw_steps(ax: Axes, effects: FloatArray, thresholds: FloatArray, outputs: Sequence[str]) -> None:
    """Draw a step function of numbers for every output, with points for missing values if these have the last code."""
    cuts = thresholds[np.isfinite(thresholds)]
    beyond = 0.05 * float(cuts[-1] - cuts[0]) or abs(float(cuts[0])) or 1.0
    ends = np.array([cuts[0] - beyond, *cuts, cuts[-1] + beyond])
    for effect, output in zip(effects.T, outputs, strict=True):
        ax.step(ends, np.append(effect[0], effect[: cuts.size + 1]), where="pre", label=output)
    if cuts.size == thresholds.size:
        return
    apart = ends[-1] + 0.08 * (ends[-1] - ends[0])
    for effect, line in zip(effects.T, ax.get_lines()[-len(outputs) :], strict=True):
        ax.plot(apart, effect[-1], "o", color=line.get_color())
    ax.axvline(0.5 * (ends[-1] + apart), color="0.8", linestyle=":", zorder=0)
    ax.set_xticks([tick for tick in ax.get_xticks() if ends[0] <= tick <= ends[-1]])
    ax.set_xticks([apart], ["missing"], minor=True)
    ax.tick_params(axis="x", which="minor", pad=_BEYOND_NUMBERS["x"])


def _short_texts(numbers: FloatArray) -> list[str]:
    """Write ascending numbers with the decimals that tell them apart, a single one with four digits."""
    gap = float(np.diff(numbers).min(initial=np.inf))
    if np.isinf(gap):
        return [f"{number:.4g}" for number in numbers]
    decimals = 1 - int(np.floor(np.log10(gap)))
    return [f"{round(float(number), decimals) + 0.0:.7g}" for number in numbers]  # zero has no sign
