"""Models of data that arrives in blocks: new models are added, old models fade, and their drift is watched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from .._axes import pyplot, several_axes
from .._docstrings import described_like
from .._numbers import check_array, within_float64
from .._sklearn import feature_names_of
from .._tree_checks import LEAF, MULTIWAY
from .._typing import AnyArray, FloatArray, IntArray, LabelsLike, MatrixLike
from ..tree import Tree
from ..trees.base import unchanged_on_error
from .additive import AdditiveModel, centred_values, read_model
from .boxes import check_number, check_whole, splits_missing
from .codes import arrays_of, leaf_like, structure_of
from .ensembles import gram
from .merged import MergedModel, merge
from .orthogonal import eigenvectors
from .readers import Sum

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Block(NamedTuple):
    """The model of one block, its number of samples, and its function on the grid of the reference.

    `trees` split indices in the grid, and `values` has an array for every tree: a column for every class or output.
    Margins and values are stored minus their `offset`, because squares of large numbers would lose digits; `means` are
    the means of the differences. For probabilities both are empty.
    """

    model: Sum
    n_samples: float
    trees: list[Tree]
    values: list[FloatArray]
    offset: FloatArray
    means: FloatArray


class ModelStream:
    """An ensemble of the models of the latest blocks of data, in which old ones fade.

    Every block of samples fits a model of its own, a tree or a forest. The ensemble is their mean, weighted by numbers
    of samples that halve as blocks get older. The Gram matrix of the models' functions gains one row with every block.
    It tells at once how far the newest model is from the models before, and how much they all have in common [1]_.

    Parameters
    ----------
    estimator : estimator
        An estimator that :func:`additive_model` takes, not fitted. Every block fits a clone.
    reference : array-like of shape (n_samples, n_features)
        Samples that give the measure of inner products, which must stay the same over time; for example the first
        block. Numbers without missing values.
    half_life : float, default=10
        Number of blocks after which the weight of a model is halved.
    max_models : int, default=50
        Number of models that are kept; beyond it the oldest model is dropped.
    measure : {"empirical", "joint"}, default="empirical"
        The product of the features' frequencies in `reference`, or the distribution of its samples.

    Attributes
    ----------
    n_blocks : int
        Number of blocks so far.
    gram : ndarray of shape (n_models, n_models), float64
        The inner products of the kept models' functions, from the oldest to the newest, summed over the outputs.
    weights : ndarray of shape (n_models,), float64
        The weights of the kept models in the mean.
    drift : ndarray of shape (n_blocks,), float64
        For every block the distance of its model from the mean of the models before, as :func:`model_distance` and the
        ``distances`` of :func:`merge` define it: a root of a mean square, summed over the outputs. NaN for the first.
    shares : list of ndarray
        For every block the shares of the principal components in the energy of the weighted models, falling.

    See Also
    --------
    merge : The mean of models without time.
    distil : Distils `model` into a few trees.

    Notes
    -----
    Adding a block takes the time of the inner products of its model with every kept model.

    The outputs are those of `model`: the probability of every class; of the second class alone if the kept models know
    two classes. Older models give a new class probability 0, and the earlier `drift` stays. With a third class the
    probabilities of all classes count, so that the same models of two classes are sqrt(2) times as far apart.

    References
    ----------
    .. [1] H. Kargupta, B.-H. Park, H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006: section II, on watching
       streams by the eigenvalues of an ensemble.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import ModelStream
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stream = ModelStream(DecisionTreeClassifier(max_depth=3), X[:100], half_life=2)
    >>> for start in range(0, 500, 100):
    ...     stream = stream.update(X[start : start + 100], y[start : start + 100])
    >>> stream
    <ModelStream of 5 models, 5 blocks>
    >>> stream.weights.round(2)
    array([0.09, 0.13, 0.18, 0.25, 0.36])
    >>> bool((stream.predict(X[500:]) == y[500:]).mean() > 0.9)
    True
    """

    estimator: Any
    half_life: float
    max_models: int
    measure: Literal["empirical", "joint"]
    n_blocks: int
    drift: FloatArray
    shares: list[FloatArray]

    def __init__(
        self,
        estimator: Any,
        reference: MatrixLike,
        *,
        half_life: float = 10.0,
        max_models: int = 50,
        measure: Literal["empirical", "joint"] = "empirical",
    ) -> None:
        check_number("half_life", half_life, np.finfo(np.float64).tiny)
        check_whole("max_models", max_models, 1)
        if not isinstance(measure, str) or measure not in ("empirical", "joint"):
            raise ValueError(f"measure must be 'empirical' or 'joint', which stay the same over time, got {measure!r}.")
        self._names = feature_names_of(reference)
        with within_float64("reference"):
            X = check_array(reference, dtype=np.float64)
        self.estimator, self.half_life, self.max_models, self.measure = estimator, half_life, max_models, measure
        # The values of every feature in the reference. The code of a value is its index plus 1; values outside have
        # the code 0 or the last code.
        self._grid = [np.unique(column) for column in X.T]
        self._rows = np.stack([np.searchsorted(g, x) + 1 for g, x in zip(self._grid, X.T, strict=True)], axis=1)
        self._blocks: list[_Block] = []
        self._model: MergedModel | None = None
        self.n_blocks, self._products, self.drift, self.shares = 0, np.zeros((0, 0)), np.zeros(0), []

    def update(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fit a model to a block of samples, and add it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,)
            The classes or values of the samples.

        Returns
        -------
        ModelStream
            The stream itself.

        Raises
        ------
        TypeError
            If the estimator of the stream has no `fit`.
        ValueError
            As in the estimator's `fit`, and in `add`.
        """
        if not hasattr(self.estimator, "fit"):
            raise TypeError(f"update fits the estimator of the stream, which has no fit: {self.estimator!r}.")
        return self.add(clone(self.estimator).fit(X, y), float(len(np.asarray(y))))

    def add(self, model: Any, n_samples: float = 1.0) -> Self:
        """Add a model that was fitted elsewhere.

        Parameters
        ----------
        model : fitted model
            A model that :func:`additive_model` takes or makes.
        n_samples : float, default=1
            The weight of the model while it is the newest.

        Returns
        -------
        ModelStream
            The stream itself. An error leaves it unchanged.

        Raises
        ------
        TypeError, ValueError
            As in :func:`additive_model`; if the model splits categories, which have no order in the reference, or by
            missing values; if it cannot be merged with the models before, as in :func:`merge`.
        """
        check_number("n_samples", n_samples, np.finfo(np.float64).tiny, np.finfo(np.float64).max)
        read = read_model(model)
        self._check_features(read)
        newest = self._block(read, n_samples)
        if self._blocks:
            merge([self._blocks[-1].model, read])  # raises if they cannot be merged
        row = np.array([self._inner(block, newest) for block in [*self._blocks, newest]])
        first = max(0, len(row) - self.max_models)
        with unchanged_on_error(self):
            drift = self._distance(newest, row) if self._blocks else np.nan
            self._products = np.block([[self._products, row[:-1, np.newaxis]], [row]])[first:, first:]
            self._blocks = [*self._blocks, newest][first:]
            self._model, self.n_blocks = None, self.n_blocks + 1
            self.drift, self.shares = np.append(self.drift, drift), [*self.shares, self.components()[0]]
        return self

    @property
    def gram(self) -> FloatArray:
        """The inner products of the kept models' functions, from the oldest to the newest; (n_models, n_models)."""
        if not self._blocks:
            return self._products
        offsets = np.array([block.offset for block in self._blocks])
        mixed = offsets @ np.array([block.means for block in self._blocks]).T
        return _share_of_outputs(self._blocks) * self._products + mixed + mixed.T + offsets @ offsets.T

    @property
    def weights(self) -> FloatArray:
        """The weights of the kept models in the mean, from the oldest to the newest; (n_models,) float64."""
        sizes = np.array([block.n_samples for block in self._blocks], dtype=np.float64)
        ages = np.arange(len(sizes))[::-1]
        faded = np.log2(sizes) - ages / self.half_life
        faded = np.exp2(faded - faded.max(initial=-np.inf)) if sizes.size else sizes
        return faded / (faded.sum() or 1.0)

    @property
    def model(self) -> MergedModel:
        """The weighted mean of the kept models, as a sum of trees."""
        if not self._blocks:
            raise ValueError("There has been no block yet.")
        if self._model is None:
            self._model = merge([block.model for block in self._blocks], self.weights)
        return self._model

    @described_like(AdditiveModel.evaluate)
    def evaluate(self, X: MatrixLike) -> FloatArray:
        """Evaluate the mean of the models, as :meth:`AdditiveModel.evaluate` does."""
        return self.model.evaluate(X)

    @described_like(AdditiveModel.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict classes or values by the mean of the models, as :meth:`AdditiveModel.predict` does."""
        return self.model.predict(X)

    def components(self) -> tuple[FloatArray, FloatArray]:
        """Compute the principal components of the weighted models.

        Returns
        -------
        shares : ndarray of shape (n_models,), float64
            Shares of the energy, falling. If one component has nearly all of it, the models agree.
        vectors : ndarray of shape (n_models, n_models), float64
            Column c has the coefficients in component c of the models, each times the root of its weight.
        """
        roots = np.sqrt(self.weights)
        products = self.gram * np.outer(roots, roots)
        energies, vectors = eigenvectors(products, float(products.diagonal().max(initial=0.0)) or 1.0)
        return energies / (energies.sum() or 1.0), vectors

    def plot(self, axes: Any = None, *, n_components: int = 3) -> list[Axes]:
        """Draw the drift of new models over time, and the shares of components; needs matplotlib.

        Parameters
        ----------
        axes : pair of matplotlib.axes.Axes, optional
            By default axes of a new figure, one above the other.
        n_components : int, default=3
            Number of components that are drawn.

        Returns
        -------
        list of matplotlib.axes.Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there are not two axes.
        """
        plt = pyplot("plot")
        check_whole("n_components", n_components, 1)
        axes = plt.subplots(2, 1, sharex=True)[1] if axes is None else axes
        axes = several_axes("plot", axes)
        if len(axes) != 2:
            raise ValueError(f"Two axes are expected, got {len(axes)}.")
        above, below = axes
        blocks = np.arange(1, self.n_blocks + 1)
        above.plot(blocks, self.drift, "o-", markersize=3)
        above.set_ylabel("distance of the newest")
        shares = np.zeros((self.n_blocks, n_components))
        for found, known in zip(shares, self.shares, strict=True):
            found[: known.size] = known[:n_components]
        below.stackplot(blocks, shares.T, labels=[f"component {c + 1}" for c in range(n_components)])
        below.set_ylim(0.0, 1.0)
        below.set_ylabel("share of the energy")
        below.set_xlabel("block")
        below.legend(loc="lower left")
        return axes

    def _on_grid(self, read: Sum) -> tuple[list[Tree], list[FloatArray]]:
        """Return the trees on indices in the reference, and their values: a column for every class or output."""
        trees = []
        for tree, _, dtype, categories in read.members:
            if categories or np.any(tree.children_left == MULTIWAY):
                raise ValueError("The model splits categories; streams only take models that compare numbers.")
            if splits_missing(tree).any():
                raise ValueError("The model has seen missing values; streams only take models of complete samples.")
            arrays, cuts = arrays_of(tree), np.flatnonzero(tree.children_left != LEAF)
            for node in cuts:
                known = self._grid[tree.feature[node]].astype(dtype)
                arrays["threshold"][node] = np.searchsorted(known, tree.threshold[node], side="right") + 0.5
            trees.append(structure_of(Tree(**arrays, n_features=tree.n_features)))
        values = [of_tree / read.n_averaged for of_tree in read.values]
        values[0] = values[0] + read.baseline
        if read.output == "probability" and read.classes is not None and len(read.classes) == 2:
            rest = [1.0 / len(trees) - of_tree for of_tree in values]
            values = [np.hstack(pair) for pair in zip(rest, values, strict=True)]
        return trees, values

    def _check_features(self, read: Sum) -> None:
        n_features = read.members[0].tree.n_features
        if n_features != len(self._grid):
            raise ValueError(f"The model has {n_features} features, the reference {len(self._grid)}.")
        names = read.feature_names
        if self._names is not None and names is not None and list(self._names) != list(names):
            raise ValueError(
                f"The features of the model are {list(names)}, the features of the reference {list(self._names)}."
            )

    def _block(self, read: Sum, n_samples: float) -> _Block:
        """Return the model as a block; margins and values are stored apart from their offset."""
        trees, values = self._on_grid(read)
        if read.output == "probability":
            return _Block(read, n_samples, trees, values, np.zeros(0), np.zeros(0))
        values, middles = centred_values(trees, values)
        offset = np.sum(middles, axis=0)
        constants, units = [leaf_like(trees[0])] * len(offset), list(np.eye(len(offset))[:, np.newaxis])
        products = gram([*trees, *constants], self._cardinalities, values=[*values, *units], **self._measured())
        return _Block(read, n_samples, trees, values, offset, products[: len(trees), len(trees) :].sum(axis=0))

    def _distance(self, newest: _Block, row: FloatArray) -> float:
        """Return the distance of a model from the mean of the models before; `row` has its inner products with all."""
        weights = self.weights
        offset = newest.offset - weights @ np.array([block.offset for block in self._blocks])
        mean = newest.means - weights @ np.array([block.means for block in self._blocks])
        square = row[-1] - 2.0 * weights @ row[:-1] + weights @ self._products @ weights
        square *= _share_of_outputs([*self._blocks, newest])
        return float(np.sqrt(max(square + 2.0 * offset @ mean + offset @ offset, 0.0)))

    @property
    def _cardinalities(self) -> IntArray:
        return np.array([len(known) + 2 for known in self._grid], dtype=np.int64)

    def _inner(self, block: _Block, other: _Block) -> float:
        """Return the inner product of the functions of two blocks."""
        columns = _columns(block.model, other.model)
        values = [part[:, columns[0]] for part in block.values] + [part[:, columns[1]] for part in other.values]
        if not values[0].shape[1]:
            return 0.0  # no class is known to both
        products = gram([*block.trees, *other.trees], self._cardinalities, values=values, **self._measured())
        n_trees = len(block.trees)
        return float(products[:n_trees, n_trees:].sum())

    def _measured(self) -> dict[str, Any]:
        if self.measure == "joint":
            return {"measure": "joint", "X": self._rows}
        columns = zip(self._rows.T, self._cardinalities, strict=True)
        return {"measure": [np.bincount(column, minlength=size) / len(column) for column, size in columns]}

    def __repr__(self) -> str:
        return f"<ModelStream of {len(self._blocks)} models, {self.n_blocks} blocks>"


def _share_of_outputs(blocks: list[_Block]) -> float:
    """Return the share of the outputs' squares in the squares of the columns: of two classes, the second class is the
    only output, and the first class differs by as much."""
    models = [block.model for block in blocks if block.model.output == "probability"]
    classes = set().union(*(model.classes.tolist() for model in models if model.classes is not None))
    return 0.5 if len(classes) == 2 else 1.0


def _columns(read: Sum, other: Sum) -> tuple[Any, Any]:
    """Return the columns of the outputs that two models have in common."""
    if read.output != "probability" or read.classes is None or other.classes is None:
        return slice(None), slice(None)
    _, of_one, of_other = np.intersect1d(read.classes, other.classes, return_indices=True)
    return of_one, of_other
