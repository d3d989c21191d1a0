"""Distil a model into a few orthogonal trees of few leaves, and compute the loss exactly."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from .._axes import pyplot, several_axes
from .._numbers import in_float64, times_power
from .._progress import progress
from .._tree_checks import LEAF
from .._tree_layout import draw_leaves
from .._typing import FloatArray, LabelsLike, MatrixLike, Measure
from ..input.validation import level_of_caller
from ..tree import Tree
from .additive import AdditiveModel, additive_for, centred_values
from .boxes import Leaves, check_whole, weighted_leaves
from .codes import structure_of, with_trees, with_value
from .ensembles import tree_of_leaves
from .measures import Product, Samples, measure_of, rounding
from .rebuild import Limits, RebuiltTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class DistilledModel(AdditiveModel):
    """A few orthogonal trees in place of a model; made by :func:`distil`.

    Parameters
    ----------
    model : AdditiveModel
        The model that the trees approximate.
    built : list of RebuiltTree
        The trees on its codes, with their values.
    mean : ndarray of shape (n_outputs,), float64
        The mean of the model, which is added to the trees.
    variance : float
        The variance of the model, summed over its outputs; infinite, or 0, beyond the range of float64.
    explained_variance : ndarray of shape (n_trees,), float64
        The variance of every tree, summed over its outputs.
    loss : float
        The root of the mean squared difference from the model, summed over the outputs, as in :func:`model_distance`.

    Attributes
    ----------
    codes, values, baseline, classes, output, feature_names, link, trees, arguments
        As in :class:`AdditiveModel`: the trees are a model that all functions of the algebra take, on the codes of the
        original model.

    See Also
    --------
    distil : Makes one of any ensemble.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> from pytrees.fourier import distil
    >>> X, y = load_diabetes(return_X_y=True)
    >>> few = distil(GradientBoostingRegressor(random_state=0).fit(X, y), X, n_trees=3, max_leaf_nodes=8)
    >>> few
    <DistilledModel of 3 trees, 24 leaves, 0.75 of the variance>
    """

    variance: float
    explained_variance: FloatArray
    loss: float
    _shares: FloatArray | None = None  # also if variances are beyond the range of float64

    def __init__(
        self,
        model: AdditiveModel,
        built: list[RebuiltTree],
        *,
        mean: FloatArray,
        variance: float,
        explained_variance: FloatArray,
        loss: float,
    ) -> None:
        codes = with_trees(model.codes, [tree for tree, _ in built])
        given: dict[str, Any] = {"classes": model.classes, "output": model.output, "link": model.link}
        values = [values for _, values in built]
        super().__init__(codes, values, n_averaged=1, baseline=mean, feature_names=model.feature_names, **given)
        self.variance, self.explained_variance, self.loss = variance, explained_variance, loss

    @property
    def explained_variance_ratio(self) -> FloatArray:
        """The share of the model's variance that every tree has; (n_trees,) float64. Zeros if there is no variance."""
        if self._shares is not None:
            return self._shares
        return self.explained_variance / (self.variance or 1.0)

    @property
    def decoded(self) -> list[RebuiltTree]:
        """The trees on the original features: their ``averages[tree.apply(X)]`` and `baseline` add up to the model.

        With one output they are trees of numbers, which texts, pictures and programs show with the names that the model
        knows; their `weighted_n_node_samples` are the probabilities of the nodes under the measure.
        """
        trees = map(self.codes.decode, self.codes.trees)
        if self.n_outputs > 1:
            return [RebuiltTree(tree, values) for tree, values in zip(trees, self.values, strict=True)]
        return [
            RebuiltTree(with_value(tree, values, weighted_n_node_samples=tree.value[:, 0]), values)
            for tree, values in zip(trees, self.values, strict=True)
        ]

    def plot(self, axes: Any = None, *, feature_names: LabelsLike | None = None) -> list[Axes]:
        """Draw every tree: the values of its leaves, and their shares of the domain; needs matplotlib.

        Parameters
        ----------
        axes : array of matplotlib.axes.Axes, optional
            Axes for every tree; by default axes of a new figure, side by side.
        feature_names : sequence of str of length n_features, optional
            By default the names that the model knows, or numbers.

        Returns
        -------
        list of matplotlib.axes.Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there are several outputs; if the number of axes is not the number of trees.
        """
        plt = pyplot("plot")
        if self.n_outputs > 1:
            raise ValueError(
                f"Only trees of one output can be drawn; the model has {self.n_outputs} outputs. "
                "DistilledTreesClassifier has a tree for every output, which plot_tree takes: trees_[0, 0]."
            )
        if axes is None:
            width = sum(tree.n_leaves for tree in self.codes.trees)
            axes = plt.subplots(1, len(self.values), figsize=(max(6.0, width), 4.0), squeeze=False)[1]
        axes = several_axes("plot", axes)
        if len(axes) != len(self.values):
            raise ValueError(f"There are {len(axes)} axes for {len(self.values)} trees.")
        bound = max(float(np.abs(values).max()) for values in self.values) or 1.0
        names = self.feature_names if feature_names is None else feature_names
        for ax, (tree, values), share in zip(axes, self.decoded, self.explained_variance_ratio, strict=True):
            leaves = np.flatnonzero(tree.children_left == LEAF).tolist()
            masses = tree.weighted_n_node_samples
            texts = {node: f"{values[node, 0]:+.3g}\n{100 * masses[node]:.2g} %" for node in leaves}
            faces = np.full((tree.node_count, 3), 0.96)
            faces[leaves] = plt.get_cmap("RdBu_r")(0.5 + 0.4 * values[leaves, 0] / bound)[:, :3]
            draw_leaves(structure_of(tree), texts, faces, ax, names)
            ax.set_title(f"{share:.1%} of the variance")
        return axes

    def __repr__(self) -> str:
        n_leaves = sum(tree.n_leaves for tree in self.codes.trees)
        share = float(self.explained_variance_ratio.sum())
        return f"<DistilledModel of {len(self.values)} trees, {n_leaves} leaves, {share:.2f} of the variance>"


def distil(
    model: Any,
    X: MatrixLike | None = None,
    *,
    n_trees: int = 1,
    max_leaf_nodes: int = 32,
    max_depth: int | None = None,
    measure: Measure = "empirical",
    verbose: int = 0,
) -> DistilledModel:
    """Distil a model into one tree of few leaves, or into several orthogonal trees, and compute the loss.

    TCFS makes the first tree of the model, and every further tree of the rest that the trees before it leave. The
    values of its leaves are the nearest values of mean zero that are orthogonal to the trees before. So the variances
    of the trees add up, and the rest of the model's variance is exactly the mean squared error.

    Parameters
    ----------
    model : fitted model
        Any model that :func:`additive_model` takes or makes: forests, boosted ensembles, merged ones.
    X : array-like of shape (n_samples, n_features), optional
        Samples as the model takes them, for the measures ``"empirical"`` and ``"joint"``.
    n_trees : int, default=1
        Number of trees; there are fewer if they already are the model, or if nothing orthogonal to them is left.
    max_leaf_nodes : int, default=32
        Greatest number of leaves of a tree.
    max_depth : int, optional
        Greatest depth of a tree.
    measure : {"uniform", "empirical", "joint"} or list of array-like, default="empirical"
        The measure of variances and losses, as in :func:`gram`. Under ``"joint"`` only the samples in `X` count, which
        take fewer leaves, and say nothing about the points between them.
    verbose : int, default=0
        Show progress bars on standard error.

    Returns
    -------
    DistilledModel
        The trees, their variances, and the loss.

    Raises
    ------
    TypeError
        If :func:`additive_model` takes no such model.
    ValueError
        As in :func:`additive_model` and :func:`gram`; if a number of trees, leaves or levels is out of range.

    See Also
    --------
    tree_from_ensemble : One tree of trees on codes, with more options.
    OrthogonalTreesClassifier : The principal components of a forest's votes.
    model_distance : The loss of any other model.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from pytrees.fourier import distil
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = HistGradientBoostingClassifier(random_state=0).fit(X, y)
    >>> few = distil(boosted, X, n_trees=3, max_leaf_nodes=8, measure="joint")
    >>> float(round(few.explained_variance_ratio.sum(), 2))
    0.96
    >>> bool(((few.evaluate(X)[:, 0] > 0) == boosted.predict(X)).mean() > 0.98)
    True

    A forest of numbers:

    >>> from sklearn.datasets import load_diabetes
    >>> from pytrees import DecisionForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> distil(DecisionForestRegressor(20, max_depth=4, random_state=0).fit(X, y), X, n_trees=2, max_leaf_nodes=8)
    <DistilledModel of 2 trees, 16 leaves, 0.85 of the variance>
    """
    additive = additive_for(model, X)
    check_whole("n_trees", n_trees, 1)
    check_whole("max_leaf_nodes", max_leaf_nodes, 2)
    if max_depth is not None:
        check_whole("max_depth", max_depth, 1)
    under = measure_of(measure, additive.cardinalities, None if X is None else additive.codes.transform(X))
    return distilled(additive, under, n_trees, Limits("variance", 0.0, max_depth, max_leaf_nodes, None), verbose)


def distilled(
    additive: AdditiveModel, under: Product | Samples, n_trees: int, limits: Limits, verbose: int = 0
) -> DistilledModel:
    """Distil a model into at most `n_trees` trees under a measure that is resolved already."""
    cardinalities, weights = additive.cardinalities, additive.arguments["weights"]
    values_of, middles = centred_values(additive.trees, additive.arguments["values"])
    whole = weighted_leaves(additive.trees, cardinalities, class_index=-1, weights=weights, values=values_of)
    whole, exponent = whole.scaled()
    mean, variance = under.mean_and_variance(whole, "pairs of leaves" if verbose else None)
    variance = variance if variance > rounding(whole) else 0.0
    built: list[RebuiltTree] = []
    rest = whole
    for _ in progress(range(n_trees), n_trees, "trees", enabled=bool(verbose)):
        tree, averages = tree_of_leaves(rest, cardinalities, limits, under)
        tree = with_value(tree, tree.value.sum(axis=1, keepdims=True))
        values = _orthogonal(tree, averages, built, cardinalities, under)
        if built and _variance(tree, values) <= rounding(whole):
            break
        built.append(RebuiltTree(tree, values))
        rest = rest.less(Leaves([tree], cardinalities, values=[values]))
    if variance and built[0].tree.n_leaves == 1:
        warn(
            f"The distilled tree is one leaf, which explains nothing of the model: no split fits into max_leaf_nodes="
            f"{limits.max_leaf_nodes}. A feature of categories is split into all of them.",
            stacklevel=level_of_caller(),
        )
    explained = np.array(list(starmap(_variance, built)))
    left = variance - float(explained.sum())
    found = DistilledModel(
        additive,
        [RebuiltTree(tree, in_float64("Values", values, exponent)) for tree, values in built],
        mean=in_float64("Means", mean, exponent) + weights @ np.array(middles),
        variance=float(times_power(variance, 2 * exponent)),
        explained_variance=times_power(explained, 2 * exponent),
        loss=float(in_float64("Losses", np.sqrt(left), exponent)) if left > rounding(whole) else 0.0,
    )
    found._shares = explained / (variance or 1.0)
    return found


def _variance(tree: Tree, values: FloatArray) -> float:
    """Return the variance of a tree of mean zero, summed over the outputs."""
    leaves = tree.children_left == LEAF
    return float((tree.value[leaves] * values[leaves] ** 2).sum())


def _orthogonal(
    tree: Tree, averages: FloatArray, built: list[RebuiltTree], cardinalities: Any, under: Product | Samples
) -> FloatArray:
    """Return the values of a tree that are nearest to given averages, of mean zero and orthogonal to the trees before.

    Constants, and the means of the other trees on the leaves, are projected out under the masses of the leaves.
    """
    leaves = np.flatnonzero(tree.children_left == LEAF)
    n_outputs, roots = averages.shape[1], np.sqrt(tree.value[leaves])
    others = [_means_on_leaves(tree, leaves, other, cardinalities, under) for other in built]
    constants = [np.tile(row, (len(leaves), 1)) for row in np.eye(n_outputs)]
    forbidden = np.stack([(one * roots).ravel() for one in constants + others], axis=1)
    forbidden = forbidden / np.maximum(np.linalg.norm(forbidden, axis=0), np.finfo(np.float64).tiny)
    wanted = (averages[leaves] * roots).ravel()
    for _ in range(2):  # the second pass removes the rounding errors of the first
        wanted = wanted - forbidden @ np.linalg.lstsq(forbidden, wanted, rcond=None)[0]
    values = np.zeros_like(averages)
    values[leaves] = wanted.reshape(-1, n_outputs) / roots
    for node in np.flatnonzero(tree.children_left != LEAF)[::-1]:  # children come after their parents
        children = tree.children_of(node)
        values[node] = np.average(values[children], axis=0, weights=tree.value[children, 0])
    return values


def _means_on_leaves(
    tree: Tree, leaves: Any, other: RebuiltTree, cardinalities: Any, under: Product | Samples
) -> FloatArray:
    """Compute the means of another tree's function over the leaves of a tree; (n_leaves, n_outputs) float64."""
    if isinstance(under, Samples):
        X = under.rows.astype(np.float64)
        sums, nodes = np.zeros((tree.node_count, other.averages.shape[1])), tree._apply_valid(X)
        np.add.at(sums, nodes, under.weights[:, np.newaxis] * other.averages[other.tree._apply_valid(X)])
        weights = np.bincount(nodes, under.weights, tree.node_count)
        means: FloatArray = sums[leaves] / weights[leaves, np.newaxis]
        return means
    numbers = np.arange(tree.node_count, dtype=np.float64)
    schemata = Leaves([tree], cardinalities, values=[numbers])
    of_other = Leaves([other.tree], cardinalities, values=[other.averages])
    found = under.averages(of_other, schemata.boxes)
    schema_of = {int(node): i for i, node in enumerate(schemata.values[:, 0])}
    return found[[schema_of[int(node)] for node in leaves]]
