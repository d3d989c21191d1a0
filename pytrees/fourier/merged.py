"""Merge models that were trained in different places: the merged model is the weighted mean of their functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._docstrings import described_like
from .._progress import progress
from .._tree_checks import LEAF
from .._typing import AnyArray, BoolArray, FloatArray, Measure
from ..tree import Tree
from .additive import AdditiveModel, Named, read_model
from .boxes import check_shares
from .codes import Member, arrays_of, code_members, greatest_rounded_below, structure_of
from .ensembles import model_distance
from .readers import Sum


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
        the number of weights is not the number of models, or weights are negative or all zero; as in
        :func:`additive_model`.

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
    sums = [read_model(model) for model in _listed(models)]
    _check_schema(sums)
    shares, classes = check_shares(weights, len(sums), "one a model"), _all_classes(sums)
    members: list[Member] = []
    values: list[FloatArray] = []
    parts: list[tuple[slice, list[FloatArray]]] = []
    baseline: Any = 0.0
    for read, share in zip(sums, shares, strict=True):
        of_trees, constant = _in_columns(read, classes)
        start = len(members)
        members += read.members
        values += [share / read.n_averaged * of_tree for of_tree in of_trees]
        own = [of_tree / read.n_averaged for of_tree in of_trees]
        parts.append((slice(start, len(members)), [own[0] + constant, *own[1:]]))
        baseline = baseline + share * constant
    seen = None if classes is None else np.array([np.isin(classes, _known(read, classes)) for read in sums])
    names = next((read.feature_names for read in sums if read.feature_names is not None), None)
    codes = code_members(_of_one_kind(members), Named(names))
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


def _check_schema(sums: Sequence[Sum]) -> None:
    """Raise ValueError if models differ in their features or in the kind of their output."""
    first = sums[0]
    for number, read in enumerate(sums[1:], 1):
        n_features, expected = (one.members[0].tree.n_features for one in (read, first))
        if n_features != expected:
            raise ValueError(f"Model {number} has {n_features} features, the first model {expected}.")
        categorical, expected = (sorted(set().union(*(m.categories for m in one.members))) for one in (read, first))
        if categorical != expected:
            raise ValueError(
                f"The categorical features of model {number} are {categorical}, of the first model {expected}."
            )
        if read.output != first.output:
            raise ValueError(f"Model {number} gives a {read.output}, the first model a {first.output}.")
        if read.output == "margin" and read.link != first.link:
            raise ValueError(
                f"Margins of different link functions have no mean: {read.link} in model {number}, {first.link} in the "
                "first model."
            )
        n_outputs, expected = read.baseline.size, first.baseline.size
        if read.output == "margin" and not _same_classes(read, first):
            raise ValueError("Margins of different classes have no mean: merge models that give probabilities.")
        if read.output != "probability" and n_outputs != expected:
            raise ValueError(f"Model {number} has {n_outputs} outputs, the first model {expected}.")
    named = [(number, read.feature_names) for number, read in enumerate(sums) if read.feature_names is not None]
    for number, names in named[1:]:
        wrong = np.flatnonzero(named[0][1] != names)
        if wrong.size:
            m, (other, others) = wrong[0], named[0]
            raise ValueError(
                f"Feature {m} is {str(names[m])!r} in model {number}, {str(others[m])!r} in model {other}."
            )


def _same_classes(read: Sum, other: Sum) -> bool:
    """Whether two models have the same classes, as far as they are known."""
    return read.classes is None or other.classes is None or np.array_equal(read.classes, other.classes)


def _known(read: Sum, classes: AnyArray) -> AnyArray:
    """Return the classes of a model; a booster that names none has the classes of the others."""
    return classes if read.classes is None else read.classes


def _all_classes(sums: Sequence[Sum]) -> AnyArray | None:
    """Return the classes of all models, in order."""
    known = [np.asarray(read.classes) for read in sums if read.classes is not None]
    if not known:
        return None
    if all(np.array_equal(known[0], other) for other in known[1:]):
        return known[0]
    if len({part.dtype.kind in "biuf" for part in known}) > 1:
        raise ValueError("The classes of some models are numbers, the classes of other models are not.")
    try:
        in_order = all(np.array_equal(part, np.unique(part)) for part in known)
        classes = np.unique(np.concatenate(known))
    except TypeError as error:
        raise ValueError(f"The classes of the models cannot be sorted together: {error}.") from error
    if not in_order:
        raise ValueError("The models have scales of different classes: give all of them the same `classes`.")
    return classes


def _in_columns(read: Sum, classes: AnyArray | None) -> tuple[list[FloatArray], FloatArray]:
    """Return values and baseline of a model, with outputs for the classes of all models."""
    if read.output != "probability" or classes is None or read.classes is None:
        return read.values, read.baseline
    columns, found = np.searchsorted(classes, read.classes), []
    if len(classes) == len(read.classes):
        return read.values, read.baseline
    for values in read.values:
        of_own = np.hstack([1.0 - values, values]) if len(read.classes) == 2 else values
        of_all = np.zeros((len(values), len(classes)))
        of_all[:, columns] = of_own
        found.append(np.ascontiguousarray(of_all[:, 1:] if len(classes) == 2 else of_all))
    return found, np.zeros(found[0].shape[1])


def _of_one_kind(members: Sequence[Member]) -> list[Member]:
    """Return trees that compare numbers of one type; their `value` is one column of ones, without information."""
    to_double = len({member.dtype for member in members}) > 1
    found = []
    for member in members:
        tree = structure_of(member.tree)
        if to_double and member.dtype == np.float32:
            arrays, cuts = arrays_of(tree), np.flatnonzero(tree.children_left != LEAF)
            arrays["threshold"][cuts] = greatest_rounded_below(arrays["threshold"][cuts])
            tree = Tree(**arrays, n_features=tree.n_features)
        labels, dtype = np.zeros(tree.node_count, dtype=np.int64), np.float64 if to_double else member.dtype
        found.append(Member(tree, labels, dtype, member.categories))
    return found
