"""Shapley values of single predictions, exact, from the boxes of the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import beta

from .._axes import LITERALLY, axes_of, inks_on
from .._digits import Digits
from .._docstrings import described_like
from .._missing import is_missing
from .._names import one_line, plain_values
from .._numbers import in_float64, times_power
from .._progress import progress
from .._sklearn import feature_names_of
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, LabelsLike, MatrixLike
from ..input.categories import values_of_sample
from .additive import AdditiveModel, additive_for
from .boxes import Leaves, check_positive, weighted_leaves
from .effect_plots import names_for, names_of_outputs
from .effects import SobolIndices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

# Pairs of patterns that are weighed at a time, so that they take little memory.
_PAIRS = 2**20

# Fewer samples need a background: they are too few to stand for the data, and one sample has only zeros.
_FEWEST_AS_BACKGROUND = 20


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """How much every feature adds to single predictions; made by :func:`shapley_values`.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs), float64
        The Shapley values. Those of a sample add up to its prediction minus `base_values`.
    base_values : float or ndarray of shape (n_outputs,), float64
        The mean prediction of the background.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if the samples or the model have told them.
    classes : ndarray of shape (n_classes,), or None, default=None
        The classes, if a classifier has told them. Two classes have one output, for the last class.
    data : array-like of shape (n_samples, n_features), or None, default=None
        The samples that were explained, as they were given.

    See Also
    --------
    shapley_values : Computes them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import shapley_values
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = shapley_values(DecisionTreeClassifier(max_depth=2).fit(X, y), X)
    >>> found.values.shape
    (150, 4, 3)
    >>> found.feature_names[abs(found.values).mean(axis=(0, 2)).argmax()]
    'petal length (cm)'
    """

    values: FloatArray
    base_values: float | FloatArray
    feature_names: AnyArray | None = None
    classes: AnyArray | None = None
    data: Any = None

    @described_like(SobolIndices.plot)
    def plot(
        self,
        sample: int,
        ax: Axes | None = None,
        *,
        output: int | None = None,
        feature_names: LabelsLike | None = None,
        max_features: int | None = 20,
    ) -> Axes:
        """Draw as bars what the features add to the prediction of one sample; needs matplotlib.

        Features have their values of the sample next to their names.

        Parameters
        ----------
        sample : int
            The number of the sample among those that were explained.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on, and not the output. By default the current axes; if no figure is open, axes of a new
            one.
        output : int, optional
            Which output of several, by its number: for a classifier the place of the class in `classes`. By default the
            class of the greatest prediction, and the last output of a model without classes. The label of the axis
            names it.
        max_features : int or None, default=20
            How many features are shown, the ones of the greatest absolute values; None shows all.

        Raises
        ------
        IndexError
            If there is no such sample or output.
        """
        bases: FloatArray = np.atleast_1d(self.base_values)
        by_output = self.values[sample].reshape(-1, bases.size)
        totals = bases + by_output.sum(axis=0)
        if output is None:
            output = -1 if self.classes is None else int(totals.argmax())
        values, base, total = by_output[:, output], float(bases[output]), float(totals[output])
        names = names_for(self.feature_names if feature_names is None else feature_names, values.size, "feature ")
        check_positive("max_features", max_features)
        if self.data is not None:
            names = [
                f"{name} = {_said(value)}"
                for name, value in zip(names, values_of_sample(self.data, sample), strict=True)
            ]
        shown = np.argsort(-np.abs(values), kind="stable")[:max_features][::-1]
        ax = axes_of("plot", ax)
        ax.barh(range(len(shown)), values[shown], color=np.where(values[shown] < 0, "C0", "C1"))
        ax.set_yticks(range(len(shown)), [names[m] for m in shown], **LITERALLY)
        ax.axvline(0.0, color=inks_on(ax, has_frame=True)[0], linewidth=0.8)
        if abs(total) <= 1e-12 * (abs(base) + np.abs(values).sum()):  # rounding alone can leave that much
            total = 0.0
        label = f"added to {base:.4g}, which makes {total:.4g}"
        outputs = names_of_outputs(self.classes, bases.size)
        ax.set_xlabel(label if outputs == ["output 0"] else f"{label} for {outputs[output]}", **LITERALLY)
        return ax


def _said(value: Any) -> str:
    """Return a value of a sample as text, a number with four digits."""
    if is_missing(value):
        return "missing"
    if isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_)):
        return Digits().number(float(value))
    return one_line(plain_values([value])[0])


def shapley_values(
    model: Any, X: MatrixLike, background: MatrixLike | None = None, *, verbose: int = 0
) -> ShapleyValues:
    """Compute how much every feature adds to single predictions: exact Shapley values of any ensemble of trees.

    A feature adds to a prediction if its value replaces the value of a sample of the background; the Shapley value is
    the mean over all background samples and all orders of replacing the features [1]_, the interventional values of
    [2]_. Trees may have a child for every category or divide categories into sets, too.

    Parameters
    ----------
    model : fitted model
        A model that :func:`additive_model` takes or makes. Its function is probabilities, margins or values.
    X : array-like of shape (n_samples, n_features)
        The samples to explain, as the model takes them.
    background : array-like of shape (n_background, n_features), optional
        The samples to compare with, such as training samples. By default X, if it has at least 20 samples.
    verbose : int, default=0
        Show a progress bar on standard error.

    Returns
    -------
    ShapleyValues
        The values, and the mean prediction of the background. Two classes have one output, for the last class.

    Raises
    ------
    TypeError
        If :func:`additive_model` takes no such model.
    ValueError
        As in :func:`additive_model`; if X has fewer than 20 samples and there is no background; if X or the background
        does not have the features of the model, has no samples, or a category that the model has not seen.

    See Also
    --------
    sobol_indices : The share of every feature in the variance.
    partial_dependence : The mean prediction at every value of a feature.

    Notes
    -----
    A leaf counts if every feature on its path has a value for it in the sample or in the background sample. Let the
    sample alone have a of these values, and the background sample alone b. Each feature of the former then gets the
    value of the leaf times (a - 1)! b! / (a + b)!, each of the latter minus a! (b - 1)! / (a + b)! times this value.
    Samples of the same pattern of fitting values are counted, so that the time grows with the number of leaves times
    the numbers of samples and of background samples, and with the pairs of their different patterns at every leaf.

    References
    ----------
    .. [1] L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II, 1953.
    .. [2] S. M. Lundberg et al., "From local explanations to global understanding with explainable AI for trees",
       Nature Machine Intelligence 2, 2020.

    Examples
    --------
    >>> import pandas as pd
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import shapley_values
    >>> X = pd.DataFrame({"colour": ["red", "green", "blue", "red", "green"], "size": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> tree = DecisionTreeClassifier(categorical_features=["colour"]).fit(X, [1, 0, 0, 1, 1])
    >>> found = shapley_values(tree, X, background=X)
    >>> found.base_values
    0.6
    >>> found.values.round(3)
    array([[ 0.5, -0.1],
           [-0.4, -0.2],
           [-0.4, -0.2],
           [ 0.5, -0.1],
           [-0.2,  0.6]])
    """
    additive = additive_for(model, X, background)
    rows = _known_codes(additive, "X", X)
    if background is None and len(rows) < _FEWEST_AS_BACKGROUND:
        raise ValueError(
            f"X has {len(rows)} samples, and is its own background from {_FEWEST_AS_BACKGROUND} samples on: Shapley "
            "values compare samples with a background. Give one, such as background=X_train."
        )
    behind = rows if background is None else _known_codes(additive, "background", background)
    leaves = weighted_leaves(additive.trees, additive.cardinalities, class_index=-1, **additive.arguments)
    leaves, exponent = leaves.scaled()
    found = np.zeros((*rows.shape, additive.n_outputs))
    boxes = zip(leaves.values, _conditions(leaves), strict=True)
    for value, (attributes, tables) in progress(boxes, len(leaves.values), "leaves", enabled=bool(verbose)):
        shares = _shares(_fits(rows, attributes, tables), _fits(behind, attributes, tables))
        found[:, attributes] += shares[:, :, np.newaxis] * value
    found = in_float64("Shapley values", found, exponent)
    predicted = additive.evaluate(X if background is None else background)
    base = times_power(times_power(predicted, -exponent).mean(axis=0), exponent)
    names = feature_names_of(X)
    names = additive.feature_names if names is None else names
    if additive.n_outputs == 1:
        return ShapleyValues(found[:, :, 0], float(base[0]), names, additive.classes, X)
    return ShapleyValues(found, base, names, additive.classes, X)


def _known_codes(model: AdditiveModel, name: str, X: MatrixLike) -> IntArray:
    """Return the codes of samples; raise ValueError if a sample has a category that no tree knows."""
    rows = model.codes.transform(X)
    unknown = np.argwhere((rows < 0) | (rows >= model.cardinalities))
    if unknown.size:
        sample, m = unknown[0]
        feature = f"feature {m}" if model.feature_names is None else repr(str(model.feature_names[m]))
        raise ValueError(
            f"Sample {sample} of {name} has a category of {feature} that the model has not seen: it has no leaf of its "
            "own, and no Shapley values."
        )
    return rows


def _conditions(leaves: Leaves) -> Iterator[tuple[IntArray, list[tuple[IntArray, IntArray]]]]:
    """Yield the attributes that the box of every leaf restricts, and the runs of values that it allows of each."""
    indptr, attribute, run_indptr, start, stop = leaves.boxes
    for first, last in pairwise(indptr):
        runs = [slice(run_indptr[k], run_indptr[k + 1]) for k in range(first, last)]
        yield attribute[first:last], [(start[run], stop[run]) for run in runs]


def _fits(rows: IntArray, attributes: IntArray, runs: list[tuple[IntArray, IntArray]]) -> BoolArray:
    """Return by sample and attribute whether the box allows the value."""
    fits = np.empty((len(rows), len(attributes)), dtype=bool)
    for k, (m, (start, stop)) in enumerate(zip(attributes, runs, strict=True)):
        run = np.searchsorted(start, rows[:, m], side="right") - 1
        fits[:, k] = (run >= 0) & (rows[:, m] < stop[run])
    return fits


def _shares(fits: BoolArray, behind: BoolArray) -> FloatArray:
    """Return by sample and attribute the mean share that the attribute has in a leaf of value one."""
    patterns, pattern_of, _ = _different(fits)
    of_background, _, numbers = _different(behind)
    found = np.empty(patterns.shape)
    step = max(1, _PAIRS // len(of_background))
    for first in range(0, len(patterns), step):
        found[first : first + step] = _weighed(patterns[first : first + step], of_background, numbers / len(behind))
    return found[pattern_of]


def _different(fits: BoolArray) -> tuple[BoolArray, IntArray, IntArray]:
    """Return the different rows, which of them every row is, and how often each occurs."""
    n_samples, n_columns = fits.shape
    bits = np.zeros((n_samples, -(-n_columns // 64) * 64), dtype=bool)
    bits[:, :n_columns] = fits
    keys = np.packbits(bits, axis=1).view(np.uint64)
    keys, axis = (keys[:, 0], None) if keys.shape[1] == 1 else (keys, 0)
    _, first, which, counts = np.unique(keys, axis=axis, return_index=True, return_inverse=True, return_counts=True)
    return fits[first], which.reshape(-1), counts


def _weighed(patterns: BoolArray, others: BoolArray, shares: FloatArray) -> FloatArray:
    """Return by pattern and attribute the share in the leaf, the mean over other patterns, which weigh `shares`."""
    lacking, fitting = (~patterns).astype(np.float64), patterns.astype(np.float64)
    lacking_others, fitting_others = (~others).astype(np.float64), others.astype(np.float64)
    n_alone, n_others_alone = fitting @ lacking_others.T, lacking @ fitting_others.T
    reached = shares * (lacking @ lacking_others.T == 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        gained = np.where(n_alone > 0, reached * beta(n_alone, n_others_alone + 1.0), 0.0)
        lost = np.where(n_others_alone > 0, reached * beta(n_alone + 1.0, n_others_alone), 0.0)
    return fitting * (gained @ lacking_others) - lacking * (lost @ fitting_others)
