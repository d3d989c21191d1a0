"""Merge models that were trained in different places: the merged model is the weighted mean of their functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._progress import progress
from .._typing import AnyArray, BoolArray, FloatArray, Measure
from ..input.labels import positions_in
from .additive import AdditiveModel
from .boxes import check_shares
from .ensembles import model_distance
from .readers import Sum
from .together import code_together, with_baseline


@described_like(AdditiveModel)
@dataclass(eq=False, repr=False)
class MergedModel(AdditiveModel):
    """The weighted mean of several models, as a sum of trees on codes; made by :func:`merge`.

    Parameters
    ----------
    values : list of ndarray of shape (node_count, n_outputs), float64
        The values that the leaves of every tree add, times the weight of the tree's model.
    n_averaged : int
        Always 1.
    baseline : ndarray of shape (n_outputs,), float64
        The weighted mean of the models' baselines.
    classes : ndarray of shape (n_classes,), or None
        The classes of all models together.
    weights : ndarray of shape (n_models,), float64
        The weights of the models; they sum to 1.
    seen : ndarray of shape (n_models, n_classes), bool, or None
        Which of `classes` every model knows. Others have probability 0 in it. None if classes are not known.
    parts : list of (slice, list of ndarray)
        For every model the slice of its trees, and the values that their leaves add to its own function.

    See Also
    --------
    merge : Makes one of models.
    tree_from_ensemble : One tree of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from pytrees.fourier import merge
    >>> X, y = load_iris(return_X_y=True)
    >>> places = [slice(0, 100), slice(50, 150)]  # the first one has not seen the last class
    >>> merged = merge([RandomForestClassifier(5, random_state=0).fit(X[rows], y[rows]) for rows in places])
    >>> merged.seen
    array([[ True,  True, False],
           [False,  True,  True]])
    """

    _: KW_ONLY
    weights: FloatArray
    seen: BoolArray | None
    parts: list[tuple[slice, list[FloatArray]]]

    @described_like(model_distance)
    def distances(self, *, measure: Measure = "uniform", X: ArrayLike | None = None, verbose: int = 0) -> FloatArray:
        """Compute the distance of every model from their mean: how much of each is lost.

        Returns
        -------
        ndarray of shape (n_models,), float64
            Roots of the mean squared differences, summed over the outputs, as :func:`model_distance` gives them.
        """
        given: dict[str, Any] = {f"other_{name}": of_mean for name, of_mean in self.arguments.items()}
        given |= {"measure": measure, "X": X}
        found = []
        for of_model, values in progress(self.parts, len(self.parts), "models", enabled=bool(verbose)):
            given |= {"weights": np.ones(len(values)), "values": values}
            found.append(model_distance(self.codes.trees[of_model], self.trees, self.cardinalities, **given).distance)
        return np.array(found)

    def __repr__(self) -> str:
        return f"<MergedModel of {len(self.weights)} models, {len(self.codes.trees)} trees, output={self.output!r}>"


def merge(models: Iterable[Any], weights: ArrayLike | None = None) -> MergedModel:
    """Merge models that were trained in different places, on the same features, into their weighted mean.

    The function is exactly the mean of the models' functions, for any thresholds, and whichever classes and categories
    each has seen: only trees are moved, no samples [1]_. Merging merged models, with the sums of their weights, gives
    the model that merging all at once gives.

    Parameters
    ----------
    models : sequence of fitted models
        Models that :func:`additive_model` takes or makes, of one kind: all give probabilities, or margins, or values.
    weights : array-like of shape (n_models,), optional
        Weights that are not negative, such as the numbers of samples that the models have learned from. By default all
        are equal.

    Returns
    -------
    MergedModel
        The mean. Its `classes` are the classes of all models together. `seen` says which model knows which class: a
        model gives an unknown class probability 0, and lowers its mean by the model's weight. A sample stays at a node
        if the node's model has not seen its category.

    Raises
    ------
    TypeError
        If :func:`additive_model` takes no such model.
    ValueError
        If there are no models; if they differ in the number or names of features, in their categorical features, or in
        their outputs; if margins are of different classes or link functions; if classes cannot be sorted together; if
        some models have seen missing values, and others refuse them; if the number of weights is not the number of
        models, or weights are negative or all zero; as in :func:`additive_model`.

    See Also
    --------
    additive_model : One model.
    model_distance : The distance of two models.
    tree_from_ensemble : One tree of the mean, by its `arguments`.

    References
    ----------
    .. [1] H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006: section VIII, on
       distributed data.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionForestClassifier
    >>> from pytrees.fourier import merge
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> places = [slice(0, 200), slice(200, 300), slice(300, 569)]
    >>> models = [DecisionForestClassifier(10, random_state=0).fit(X[rows], y[rows]) for rows in places]
    >>> merged = merge(models, weights=[200, 100, 269])
    >>> merged
    <MergedModel of 3 models, 30 trees, output='probability'>
    >>> bool((merged.evaluate(X)[:, 0] > 0.5).astype(int)[0] == y[0])
    True
    """
    models = _listed(models)
    shares = check_shares(weights, len(models), "one a model")
    sums, codes, outputs, classes, names = code_together(models)
    values: list[FloatArray] = []
    parts: list[tuple[slice, list[FloatArray]]] = []
    baseline: Any = 0.0
    for read, (of_trees, constant), share in zip(sums, outputs, shares, strict=True):
        start = len(values)
        values += [share / read.n_averaged * of_tree for of_tree in of_trees]
        parts.append((slice(start, len(values)), with_baseline(read, of_trees, constant)))
        baseline = baseline + share * constant
    seen = None if classes is None else np.array([positions_in(classes, _known(read, classes)) >= 0 for read in sums])
    return MergedModel(
        codes,
        values,
        n_averaged=1,
        baseline=baseline,
        classes=classes,
        output=sums[0].output,
        feature_names=names,
        link=sums[0].link,
        weights=shares,
        seen=seen,
        parts=parts,
    )


def _listed(models: Iterable[Any]) -> list[Any]:
    if not isinstance(models, Iterable) or hasattr(models, "fit") or isinstance(models, str):
        raise TypeError(f"A sequence of models is expected, got {type(models).__name__}.")
    found = list(models)
    if not found:
        raise ValueError("There are no models.")
    return found


def _known(read: Sum, classes: AnyArray) -> AnyArray:
    """Return the classes of a model; a booster that names none has the classes of the others."""
    return classes if read.classes is None else read.classes
