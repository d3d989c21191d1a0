"""Convert models of many kinds to sums of trees on codes, which the Fourier algebra takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._numbers import any_sum, in_float64
from .._tree_checks import LEAF
from .._typing import AnyArray, FloatArray, IntArray, MatrixLike, ModelOutput
from ..convert.library_nodes import library_of
from ..tree import Tree
from .codes import Member, OrdinalCodes, code_members, lacking, lacking_in, leaf_like, members_of
from .readers import Sum, averaged, gradient_boosting, histogram_gradient_boosting, of_numbers, treelite_model


@dataclass(eq=False, repr=False)
class AdditiveModel:
    """A model as a sum of trees on codes; made by :func:`additive_model`.

    Parameters
    ----------
    codes : OrdinalCodes
        The trees on codes, and the coding of samples.
    values : list of ndarray of shape (node_count, n_outputs), float64
        The values that the leaves of every tree of `codes` add, learning rates included.
    n_averaged : int
        The divisor of the sum: the number of trees if they are averaged, else 1.
    baseline : ndarray of shape (n_outputs,), float64
        The constant that is added to the sum: the start of boosting.
    classes : ndarray of shape (n_classes,), or None
        The classes of a classifier, if they are known.
    output : {"probability", "margin", "value"}
        The meaning of the function: the probabilities of the classes; margins before the link function, as
        ``decision_function`` and ``raw_score`` give them; or the prediction of a regressor. Two classes have one
        output, for the last class.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if the model has learned from data with column names.
    link : str or None, default=None
        The link function of margins, if it is known: models of different link functions are not merged.

    Attributes
    ----------
    trees : list of Tree
        The trees of `codes`, then a single leaf for the baseline if it is not zero.
    cardinalities : ndarray of shape (n_features,), int64
        The number of codes of every feature.
    arguments : dict
        ``weights`` and ``values`` of `trees`, as the functions of the algebra take them.
    n_outputs : int
        The number of outputs.

    See Also
    --------
    additive_model : Makes one of an ensemble.
    ordinal_codes : The trees alone, which vote for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> from pytrees.fourier import additive_model, tree_from_ensemble
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = additive_model(GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y))
    >>> one = tree_from_ensemble(
    ...     model.trees, model.cardinalities, criterion="variance", max_leaf_nodes=8, **model.arguments
    ... )
    >>> one.tree.n_leaves
    8
    """

    codes: OrdinalCodes
    values: list[FloatArray]
    _: KW_ONLY
    n_averaged: int
    baseline: FloatArray
    classes: AnyArray | None
    output: ModelOutput
    feature_names: AnyArray | None = None
    link: str | None = None
    trees: list[Tree] = field(init=False)
    arguments: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        has_baseline = bool(np.any(self.baseline))
        weights = np.full(len(self.values) + has_baseline, 1.0 / self.n_averaged)
        self.trees, values = self.codes.trees, self.values
        if has_baseline:
            weights[-1] = 1.0
            self.trees = [*self.trees, leaf_like(self.trees[0])]
            values = [*values, self.baseline[np.newaxis]]
        self.arguments = {"weights": weights, "values": values}

    @property
    def cardinalities(self) -> IntArray:
        """The number of codes of every feature."""
        return self.codes.cardinalities

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return self.baseline.size

    def evaluate(self, X: MatrixLike) -> FloatArray:
        """Evaluate the function at samples, adding up in the order of the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples as the model takes them. Missing values go as they go in the model.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs), float64
            The probabilities, margins or values.

        Raises
        ------
        ValueError
            If X has another number of features, columns of other names, or missing values that the model refuses.
        """
        rows = self.codes._places(self.codes._numbers(X))
        with any_sum():
            found = self._sum(rows, 0)
        if np.all(np.isfinite(found)):
            return found
        # Sums of numbers near the ends of float64 are infinite, but their mean is not.
        exponent = len(self.values).bit_length() + 1
        return in_float64("Sums", self._sum(rows, -exponent), exponent)

    def _sum(self, rows: FloatArray, exponent: int) -> FloatArray:
        """Evaluate the function times 2**exponent."""
        baseline, total = np.ldexp(self.baseline, exponent), np.zeros((len(rows), self.n_outputs))
        if self.n_averaged == 1:
            total += baseline
        for tree, values in zip(self.codes.trees, self.values, strict=True):
            at_leaves = values[tree._apply_valid(rows)]
            total += np.ldexp(at_leaves, exponent) if exponent else at_leaves
        return total if self.n_averaged == 1 else total / self.n_averaged + baseline

    @described_like(evaluate)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the classes of samples, or their values.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_outputs) for several values
            The class of the greatest probability or margin, the lowest of several; or the values of `evaluate`.

        Raises
        ------
        ValueError
            As in :meth:`evaluate`; if the function gives margins whose classes are not known, as for boosters that are
            no estimators, or regressors with a link function.
        """
        if self.classes is None and self.output != "value":
            numbers = "margins" if self.output == "margin" else "probabilities"
            raise ValueError(f"The classes of these {numbers} are not known: use the numbers that `evaluate` gives.")
        found = self.evaluate(X)
        if self.classes is None:
            return found[:, 0] if self.n_outputs == 1 else found
        if self.n_outputs == 1:
            # A single class is predicted always.
            threshold = 0.0 if self.output == "margin" else 0.5
            return self.classes[(found[:, 0] > threshold) * (len(self.classes) - 1)]
        return self.classes[found.argmax(axis=1)]

    def __repr__(self) -> str:
        return f"<AdditiveModel of {len(self.codes.trees)} trees, output={self.output!r}>"


def centred_values(trees: Sequence[Tree], values: Sequence[FloatArray]) -> tuple[list[FloatArray], list[FloatArray]]:
    """Subtract from the values of each tree the middle of its least and greatest leaf; return values and middles.

    Differences of numbers far from zero would lose their digits when the numbers are squared.
    """
    at_leaves = [of_tree[tree.children_left == LEAF] for tree, of_tree in zip(trees, values, strict=True)]
    middles = [0.5 * found.min(axis=0) + 0.5 * found.max(axis=0) for found in at_leaves]
    return [of_tree - middle for of_tree, middle in zip(values, middles, strict=True)], middles


def additive_model(model: Any, missing: ArrayLike | None = None) -> AdditiveModel:
    """Convert a fitted tree ensemble of another library, or of this one, to a sum of trees on codes.

    The sum has the model's real numbers at its leaves, while :func:`ordinal_codes` takes votes for classes. The
    functions of the algebra take its `trees` and its `arguments`.

    Parameters
    ----------
    model : fitted estimator, booster, or treelite model
        From pytrees: any tree or forest, of classes or of numbers, and a :class:`Tree` of numbers. From scikit-learn:
        decision trees, random forests, extra trees and bagging of trees, gradient boosting and histogram gradient
        boosting, classifiers and regressors. From XGBoost and LightGBM: boosters and estimators, which treelite reads
        (``pip install treelite``); from treelite: a Model.
    missing : array-like of shape (n_features,), bool, optional
        Features whose missing values get a code, such as ``numpy.isnan(X).any(axis=0)``, besides those of which trees
        are known to have seen missing values. Models of other libraries tell this only of features whose missing values
        they have parted from all others.

    Returns
    -------
    AdditiveModel
        The sum. Averages of trees give probabilities, or the values of regressors; boosting gives margins, or the
        values of regressors without a link function.

    Raises
    ------
    TypeError
        If the model is none of these.
    ValueError
        If the model is no sum of functions of boxes: categorical splits, linear leaves or linear boosters, zeros that
        count as missing, an `init` that is no constant; if a classifier has several outputs; if there are no trees; if
        missing values are to have codes, but the model refuses them.
    ImportError
        If treelite is needed and not installed.

    See Also
    --------
    ordinal_codes : The trees of an ensemble, which vote.
    sobol_indices : The parts of the function's variance.
    tree_from_ensemble : One tree of the function.

    Notes
    -----
    Missing values go as they go in the model, in nodes that saw none in training too. `evaluate` takes them in all
    features, if the model does; on codes they are one more value, the last, of the features that `codes.has_missing`
    names. Functions that take a model and samples give such a code to every feature that the samples lack.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from pytrees.fourier import additive_model, sobol_indices
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=8).fit(X, y)
    >>> model = additive_model(boosted)
    >>> model
    <AdditiveModel of 10 trees, output='margin'>
    >>> bool((model.evaluate(X)[:, 0] == boosted.decision_function(X)).all())
    True
    >>> bool(sobol_indices(model.trees, model.cardinalities, **model.arguments).variance > 0)
    True
    """
    return _summed(read_model(model), missing)


def additive_for(model: Any, *tables: Any) -> AdditiveModel:
    """Convert a model to a sum of trees on codes, with codes for the missing values in tables; None is no table.

    An AdditiveModel is returned as it is if it has these codes.
    """
    if not isinstance(model, AdditiveModel):
        read = read_model(model)
        return _summed(read, lacking(read.members, *tables))
    codes = model.codes
    if not codes.takes_missing:
        return model
    missing = lacking_in(tables, codes.cardinalities.size)
    lack_codes = ~codes.has_missing & ~codes.is_categorical & (codes.cardinalities > 1)
    return _summed(read_model(model), missing | codes.has_missing) if np.any(missing & lack_codes) else model


def _summed(read: Sum, missing: ArrayLike | None) -> AdditiveModel:
    codes = code_members(read.members, Named(read.feature_names), missing=missing)
    names = "n_averaged", "baseline", "classes", "output", "feature_names", "link"
    return AdditiveModel(codes, read.values, **{name: getattr(read, name) for name in names})


def read_model(model: Any) -> Sum:
    """Read a model of any library; a `Sum`, which was read already, is returned."""
    if isinstance(model, Sum):
        return model
    model = model.estimator if isinstance(model, FrozenEstimator) else model
    found = _read_again(model) if isinstance(model, AdditiveModel) else _read(model)
    if not found.members:
        raise ValueError(f"{type(model).__name__} has no trees.")
    return found if isinstance(model, AdditiveModel) else replace(found, feature_names=_names_of(model))


class Named:
    """The names of features in the attribute of a fitted estimator."""

    def __init__(self, names: AnyArray | None) -> None:
        if names is not None:
            self.feature_names_in_ = names


def _names_of(model: Any) -> AnyArray | None:
    """Return the names of the features that a model has learned; LightGBM's made-up names do not count."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(model, "feature_names", None)  # of a booster of XGBoost
    if names is None and library_of(model) == "lightgbm" and not hasattr(model, "fit"):
        names = model.feature_name()
    if names is None or list(names) == [f"Column_{m}" for m in range(len(names))]:
        return None
    return np.asarray(names)


def _read_again(model: AdditiveModel) -> Sum:
    """Read an AdditiveModel again, with trees on the original features, which compare float64."""
    categories = dict(zip(np.flatnonzero(model.codes.is_categorical).tolist(), model.codes.categories, strict=True))
    trees = [model.codes._decoded(tree) for tree in model.codes.trees]
    members = [Member(tree, np.zeros(tree.node_count, dtype=np.int64), np.float64, categories) for tree in trees]
    given = members, model.values, model.n_averaged, model.baseline, model.classes, model.output
    return Sum(*given, model.feature_names, model.link)


def _read(model: Any) -> Sum:
    """Read a fitted model of any library."""
    read, library = reader_of(model), library_of(model)
    if library in ("sklearn", "pytrees") and hasattr(model, "fit"):
        check_is_fitted(model)
    return read(model)


def reader_of(model: Any) -> Callable[[Any], Sum]:
    """Return the function that reads models of this kind, fitted or not; raise TypeError if none does."""
    if isinstance(model, Tree) and model.is_regressor:
        return lambda tree: of_numbers(members_of(tree))
    library = library_of(model)
    if library in ("xgboost", "lightgbm", "treelite"):
        return lambda booster: treelite_model(booster, library)
    if library == "pytrees" and hasattr(model, "fit"):
        return _read_own
    if library == "sklearn" and hasattr(model, "fit"):
        from sklearn import ensemble, tree  # here: they take longer to import than all of this package

        averages = (
            tree.BaseDecisionTree,
            ensemble.RandomForestClassifier,
            ensemble.RandomForestRegressor,
            ensemble.ExtraTreesClassifier,
            ensemble.ExtraTreesRegressor,
            ensemble.BaggingClassifier,
            ensemble.BaggingRegressor,
        )
        if isinstance(model, (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor)):
            return gradient_boosting
        if isinstance(model, (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor)):
            return histogram_gradient_boosting
        if isinstance(model, averages):
            return averaged
    raise _cannot_read(model)


def _cannot_read(model: Any) -> TypeError:
    return TypeError(
        f"A fitted ensemble of trees is expected, got {type(model).__name__}{_hint_of(model)}. These can be read: "
        "trees and forests of pytrees; decision trees, random forests, extra trees, bagging of trees, gradient "
        "boosting and histogram gradient boosting of scikit-learn; models of XGBoost, LightGBM and treelite."
    )


def _read_own(model: Any) -> Sum:
    """Read a model of pytrees: an average of trees, or what a classifier was distilled into."""
    if isinstance(getattr(model, "distilled_", None), AdditiveModel):
        return _read_again(model.distilled_)
    if not hasattr(model, "tree_") and not hasattr(model, "estimators_"):
        raise _cannot_read(model)
    return averaged(model)


def _hint_of(model: Any) -> str:
    """Return for an error message what to pass in place of a search or a pipeline."""
    if hasattr(model, "param_grid") or hasattr(model, "best_estimator_"):
        return ": pass its best_estimator_"
    if hasattr(model, "steps"):
        return ": pass its last step, pipeline[-1], and samples as that takes them, pipeline[:-1].transform(X)"
    return ""
