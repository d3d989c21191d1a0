"""ID3 trees and forests: a distance judges every split, within a leaf or for the whole tree.

F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._engine import config_context, current_engine, kernel
from .._given_judges import DistanceLike
from .._judges import OwnCriterion, judges_sets, with_sets_of
from .._sklearn import StrOptions
from .._tree_arrays import goes_left
from .._tree_checks import LEAF, MULTIWAY
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    ClassWeight,
    CodeArray,
    Draws,
    Evaluation,
    FloatArray,
    HandleUnknown,
    IntArray,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    RandomState,
    Specification,
    SplitLabels,
    Stop,
    Ties,
)
from .._weights import MAX_TOTAL_COUNT, weights_of
from ..criteria import ALIASES, CRITERIA, RankingImpurity, WeightedInformationGain
from ..distances import DISTANCES, Distance, JaccardDistance, resolve
from ..input.categories import CATEGORICAL_CONSTRAINTS
from ..input.validation import validate_X
from ..tree import Tree
from .base import BaseTreeClassifier, CriterionOptions, MixedIn, Samples, size_limits, unit_of_gains
from .base_forest import FOREST_CONSTRAINTS, BaseForest, BaseForestClassifier
from .cart import DecisionTreeClassifier
from .minimal import grow_by_size
from .weighing import weighs_if_it_can

__all__ = ["ID3Classifier", "ID3ForestClassifier"]

# With more classes, the pairs of labels of a split outnumber the samples of most data sets.
_MANY_CLASSES = 100

# Distances that stay the same if the clusters are permuted.
_KNOWS_NO_LABELS = ("information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini")

ID3_CONSTRAINTS: dict[str, list[Any]] = {
    "distance": [
        CriterionOptions(
            {"mts", *DISTANCES, *CRITERIA, *ALIASES}, JaccardDistance, WeightedInformationGain, RankingImpurity
        )
    ],
    "evaluation": [StrOptions({"local", "global", "glocal"})],
    "labels": [StrOptions({"majority", "all"})],
    "ties": [StrOptions({"first", "local"})],
    "stop": [StrOptions({"pure", "no_distance_decay", "no_decrease"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    **CATEGORICAL_CONSTRAINTS,
    **{
        name: FOREST_CONSTRAINTS[name]
        for name in (
            "max_depth",
            "max_leaf_nodes",
            "min_samples_split",
            "min_samples_leaf",
            "max_features",
            "random_state",
        )
    },
}


class GrownTree(NamedTuple):
    """A tree, the class that each node predicts as a leaf, and the order of the splits."""

    tree: Tree
    labels: IntArray
    steps: IntArray


def grow_id3(
    X: FloatArray,
    codes: CodeArray,
    weights: AnyArray | None,
    n_classes: int,
    distance: Specification,
    limits: dict[str, Any],
    seed: int,
    *,
    unit: Fraction = Fraction(1),
    **options: Any,
) -> GrownTree:
    """Grow one tree; under a user's set function on the reference engine, otherwise on the engine in force.

    `weights` are whole numbers on a grid of this `unit`. `options` are the options of trees by criteria: n_threads,
    `rows`, n_categories.
    """
    if distance == "mts":
        if np.any(options.get("n_categories", 0)):
            raise ValueError("distance='mts' is about trees of thresholds: features cannot be categorical.")
        weights = None if weights is None else weights_of(weights.astype(np.float64), unit)
        tree, steps = grow_by_size(X, codes, weights, n_classes, limits, options.get("rows"))
        return GrownTree(tree, tree.majority, steps)
    if judges_sets(distance):
        distance = with_sets_of(distance, len(X))
    with config_context(engine="reference" if judges_sets(distance) else current_engine()):
        arrays = kernel("grow_by_distance")(X, codes, weights, n_classes, distance, seed=seed, **limits, **options)
    labels, steps = (np.asarray(arrays.pop(name), dtype=np.int64) for name in ("label", "split_step"))
    arrays["value"] = weights_of(np.asarray(arrays["value"], dtype=np.float64), unit)
    arrays["gain"] = np.asarray(arrays["gain"]) * unit_of_gains(distance, unit) ** 2
    return GrownTree(Tree.from_arrays(arrays, X.shape[1]), labels, steps)


class ID3Mixin(MixedIn):
    """Mixin of ID3 trees and forests: checks combinations of parameters, and grows a tree by distance."""

    _judge_parameter = "distance"
    _reads_any_layout = True
    _resolve = staticmethod(resolve)
    _grow = staticmethod(grow_id3)

    def _limits(self, n_samples: int, n_features: int) -> dict[str, Any]:
        ways = {name: getattr(self, name) for name in ("evaluation", "labels", "ties", "stop")}
        return size_limits(self, n_samples, n_features) | ways

    def _validate_X_y(self, X: MatrixLike, y: LabelsLike) -> tuple[FloatArray, CodeArray, AnyArray]:
        if self.evaluation == "local" and self.labels == "all":
            raise ValueError(
                "labels='all' needs evaluation='global' or 'glocal': local evaluation judges a split within its leaf "
                "and has no labels to choose."
            )
        if self.evaluation != "local" and not getattr(self._judge(), "knows_the_tree", False):
            known = sorted(name for name, distance in DISTANCES.items() if distance.knows_the_tree)
            raise ValueError(
                f"distance={self.distance!r} judges single leaves only: evaluation={self.evaluation!r} needs one of "
                f"{known} or a JaccardDistance."
            )
        X, codes, classes = super()._validate_X_y(X, y)
        if self.labels == "all" and self.distance in _KNOWS_NO_LABELS and len(classes) > 1:
            warnings.warn(
                f"distance={self.distance!r} does not know which cluster is which class: with labels='all' a leaf can "
                "get any of equally good labels, and so predict another class.",
                stacklevel=2,
            )
        if self.labels == "all" and len(classes) > _MANY_CLASSES:
            warnings.warn(
                f"labels='all' tries all pairs of {len(classes)} classes as labels of a split, which is slow; "
                "labels='majority' tries one.",
                stacklevel=2,
            )
        return X, codes, classes

    def _takes_weights(self) -> bool:
        return super()._takes_weights() and not isinstance(self.distance, JaccardDistance)

    def _rows_that_count(
        self,
        X: FloatArray,
        y: AnyArray,
        sample_weight: ArrayLike | None,
        class_weight: ClassWeight,
        order: LabelsLike | None,
    ) -> tuple[IntArray | None, AnyArray | None]:
        rows, weights = super()._rows_that_count(X, y, sample_weight, class_weight, order)
        if weights is None:
            return rows, weights
        if judges_sets(self.distance):
            raise ValueError(
                "Samples have no weights under a JaccardDistance with a set function: it judges sets of samples."
            )
        is_drawn = getattr(self, "bootstrap", False)  # by weight: a tree counts draws
        if self.evaluation != "local" and weights.dtype == np.float64 and not is_drawn:
            raise ValueError(
                f"evaluation={self.evaluation!r} counts samples: sample_weight times class_weight must give whole "
                "numbers of a sum below 2**24. evaluation='local' takes any weights."
            )
        return rows, weights


@described_like(DecisionTreeClassifier)
class ID3Classifier(ID3Mixin, BaseTreeClassifier):
    """A decision tree that grows by the distance between its clustering of the training samples and their classes.

    The leaf with the best split of all is always split next (Algorithms 2 and 3 of [1]_), so that the tree is known
    after every split. The tree is exact: distances are compared in whole numbers and fractions. Ties go to the lowest
    feature, then the lowest threshold, the leftmost leaf and the lowest labels, unless `ties` says otherwise, on every
    machine and on all engines.

    Parameters
    ----------
    distance : {"information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", \
            "mae", "mts"}, JaccardDistance, or a criterion, default="information_gain"
        See :func:`pytrees.distances.clustering_distance`. With ``evaluation="local"`` also ``"mts"``, which gives the
        tree of :func:`minimal_tree`, or a criterion of :class:`DecisionTreeClassifier` by name or as an object, which
        compares leaves by the gain of their best split.
    evaluation : {"local", "global", "glocal"}, default="local"
        The clustering whose distance judges a split:

        - ``"local"``: the distance between the two sides of the cut and the classes, within the leaf and whatever its
          size. Distances that depend on which cluster belongs to which class (jaccard, accuracy, mae) match the sides
          to two different classes as well as possible.
        - ``"global"``: the distance of the whole tree's clustering by predicted class.
        - ``"glocal"``: globally while that strictly decreases the distance of the whole tree, otherwise one step
          locally, after which a global step is tried again.
    labels : {"majority", "all"}, default="majority"
        The labels of a global split: the most frequent classes of its sides, the lowest of several; or the best of all
        pairs. If a categorical feature makes more than two children, they always have their most frequent classes.
        Information gain, gain ratio, all variations of information and gini do not depend on which cluster is which
        class: with ``"all"`` they take the lowest of equally good labels, which need not be the samples' own.
    ties : {"first", "local"}, default="first"
        The choice among equally good global splits. Very often no split changes a prediction, because both sides of
        every cut have the same majority: then all are equally good globally.

        - ``"first"``: the lowest feature, then threshold, the leftmost leaf and the lowest labels. It tends to cut off
          single samples.
        - ``"local"``: the least distance between the clustering by child and the classes within its leaf, as in
          ``evaluation="local"``; then as ``"first"``. Späh and Kosub do not name their rule; in the code that they
          link to, this rule breaks ties for all distances but Jaccard. Trees are many times smaller.

        Without effect in local evaluation.
    stop : {"pure", "no_distance_decay", "no_decrease"}, default="pure"
        The end of growth: by the distance of the whole tree in global evaluation, of some leaf to its classes in local
        and in glocal evaluation. Global steps of glocal evaluation always decrease the distance; growth ends when there
        is neither such a step nor a local one.

        - ``"pure"``: when no leaf can be split: each holds one class, or equal samples, or is at a limit.
        - ``"no_distance_decay"``: also when every split increases the distance, the pruning of this name in Section 4
          of the paper. Splits that leave the distance as it is are made: the tree walks over plateaus.
        - ``"no_decrease"``: already when no split strictly decreases the distance: the tree ends at a plateau.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves. A split that would exceed it is not made. None: no limit.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features, drawn at random for every leaf, among which its split is searched, as in
        :class:`DecisionTreeClassifier`. None: all.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default=None
        As in :class:`DecisionTreeClassifier`; not with ``distance="mts"``.
    handle_unknown : {"error", "majority"}, default="error"
        As in :class:`DecisionTreeClassifier`. A sample that stays at a node is predicted to be of the class in
        `node_labels_`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn. Global and glocal evaluation take whole numbers only.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays. It predicts the majority in every node, not `node_labels_`. The gain of a global split
        is the decrease of the whole tree's distance, divided by the node's share of the samples; it can be negative.
    node_labels_ : ndarray of shape (node_count,), int64
        For every node the code of the class that it predicts, or predicted while it was a leaf.
    split_steps_ : ndarray of shape (node_count,), int64
        For every node the number of splits made before its own; -1 at leaves.
    is_consistent_ : bool
        Whether every training sample is predicted right. No tree is consistent if equal samples have different classes;
        their leaf then has the most frequent class.
    distance_path_ : ndarray of shape (n_splits + 1,), float64
        The distance of the whole tree after 0, 1, 2, ... splits; for information gain and gain ratio the similarity.
        Absent if weights are not whole numbers of a sum below 2**24, and for mts, criteria and set functions.
    feature_importances_ : ndarray of shape (n_features,)
        Share of every feature in the total gain; negative gains count as zero.

    See Also
    --------
    DecisionTreeClassifier : Growth by criteria, without an order of the splits.
    pytrees.distances.clustering_distance : The distances.

    Notes
    -----
    Every feature is sorted once. A local step costs a scan of the two new leaves, O(n_features) for every sample; a
    global step a scan of all leaves that can be split, O(n_features) for every sample with ``labels="majority"`` and
    O(n_features · n_classes) with ``"all"``. Accuracy and mae need a scan of the new leaves only. A categorical
    feature costs O(n + k · n_classes + n_classes²) for a leaf of n samples and k categories.

    Information gains, gain ratios and variations of information are compared as real numbers, so that equal ones tie
    and a gain of nothing is no decrease; see the notes on exactness in the documentation.

    ``"nvi_sum"`` grows the trees of ``"nvi"``, because either distance falls if the other one does; gains and
    `distance_path_` differ. A local split by ``"vi"`` can have a negative gain: the entropy of its sides counts against
    it, so that ``stop="no_decrease"`` ends growth early, and ``"pure"`` goes on.

    A leaf of one class is never split, even if ``labels="all"`` gave it a wrong label: then the tree ends without
    being consistent. `predict_proba` gives the shares of the classes in a leaf; with ``labels="all"`` the predicted
    class can be another than the one of the greatest share.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import ID3Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=4).fit(X, y)
    >>> tree.distance_path_.round(3)
    array([2.667, 1.5  , 0.226, 0.117])
    >>> [round(float((y == predicted).mean()), 2) for predicted in tree.staged_predict(X)]
    [0.33, 0.67, 0.96, 0.98]
    """

    node_labels_: IntArray
    split_steps_: IntArray
    is_consistent_: bool
    max_features_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = ID3_CONSTRAINTS

    def __init__(
        self,
        distance: DistanceLike = "information_gain",
        *,
        evaluation: Evaluation = "local",
        labels: SplitLabels = "majority",
        ties: Ties = "first",
        stop: Stop = "pure",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_features: MaxFeatures = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
    ) -> None:
        self.distance = distance
        self.evaluation = evaluation
        self.labels = labels
        self.ties = ties
        self.stop = stop
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.random_state = random_state

    @weighs_if_it_can
    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. A whole number acts exactly as that
            many repetitions of the sample, except in limits on numbers of samples.

        Raises
        ------
        ValueError
            If parameters do not go together, X holds infinity (the column is named), y is continuous, lengths
            differ, weights are negative or all zero, or weights cannot be used: weights that are not whole numbers with
            global and glocal evaluation, any weights with ``distance="etc"``, ``"lz76"`` or a set function.

        Warns
        -----
        UserWarning
            If ``labels="all"`` has more than 100 classes to pair, or the distance does not distinguish labels; if
            equal samples have different classes, so that a tree with majority labels and no limits predicts a training
            sample wrongly.
        """
        self._fit(X, y, sample_weight=sample_weight, class_weight=self.class_weight)
        if not self.is_consistent_ and self._grows_until_pure():
            warnings.warn(
                "Equal samples in X have different classes, which no tree can tell apart: their leaves predict the "
                "most frequent class, and is_consistent_ is False.",
                stacklevel=2,
            )
        return self

    def _grows_until_pure(self) -> bool:
        """Whether nothing but equal samples can keep a leaf from being split until it holds one class."""
        limits = self.max_depth, self.max_leaf_nodes, self.min_samples_split, self.min_samples_leaf
        may_forbid = isinstance(self.distance, OwnCriterion)
        return self.stop == "pure" and self.labels == "majority" and limits == (None, None, 2, 1) and not may_forbid

    def _keep(self, tree: GrownTree) -> None:
        super()._keep(tree.tree)
        self.node_labels_, self.split_steps_ = tree.labels, tree.steps
        self._distance = self._judge()
        leaves = self.tree_.children_left == LEAF
        right = self.tree_.value[leaves, self.node_labels_[leaves]]
        self.is_consistent_ = bool(np.all(right == self.tree_.value[leaves].sum(axis=1)))

    def _own_tree(self) -> Tree:
        tree = super()._own_tree()
        if len(self.node_labels_) != tree.node_count or len(self.split_steps_) != tree.node_count:
            raise ValueError(
                f"node_labels_ and split_steps_ have {len(self.node_labels_)} and {len(self.split_steps_)} entries, "
                f"but tree_ has {tree.node_count} nodes."
            )
        return tree

    @described_like(BaseTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of every sample: the label of its leaf."""
        leaves = self.apply(X)
        return self.classes_.take(self.node_labels_.take(leaves))

    @described_like(BaseTreeClassifier.encode)
    def staged_predict(self, X: MatrixLike) -> Iterator[AnyArray]:
        """Predict with the single leaf, and then with the tree after every split, in the order of growth.

        Returns
        -------
        generator of n_splits + 1 ndarrays of shape (n_samples,), of the classes' dtype
            The predictions after every split; the last array is the result of `predict`.
        """
        check_is_fitted(self)
        self._own_tree()
        return self._stages(validate_X(self, X))

    def _stages(self, X: FloatArray) -> Iterator[AnyArray]:
        labels = self.classes_.take(self.node_labels_)
        predicted = np.full(len(X), labels[0], dtype=labels.dtype)
        rows_at = {0: np.arange(len(X))}
        yield predicted.copy()
        for node in self._nodes_as_split():
            rows = rows_at.pop(node)
            for child, here in self._parts(X, node, rows):
                rows_at[child] = here
                predicted[here] = labels[child]
            yield predicted.copy()

    def _parts(self, X: FloatArray, node: int, rows: IntArray) -> Iterable[tuple[int, IntArray]]:
        """Return the children of an inner node, each with the samples that go to it."""
        tree = self.tree_
        children, values = tree.children_of(node).tolist(), X[rows, tree.feature[node]]
        if tree.children_left[node] == MULTIWAY:
            return [(child, rows[values == tree.category[child]]) for child in children]
        left = goes_left(tree, node, values)
        return zip(children, (rows[left], rows[~left]), strict=True)

    def _nodes_as_split(self) -> list[int]:
        """Return the inner nodes in the order in which they were split."""
        return np.argsort(self.split_steps_)[self.tree_.n_leaves :].tolist()

    @property
    def distance_path_(self) -> FloatArray:
        """The distance of the single leaf, and then of the tree after every split; ndarray of shape (n_splits + 1,)."""
        check_is_fitted(self)
        tree, labels = self._own_tree(), self.node_labels_
        is_counted = np.all(tree.value == np.floor(tree.value)) and tree.value[0].sum() < MAX_TOTAL_COUNT
        of_tables = isinstance(self._distance, Distance | JaccardDistance) and not judges_sets(self._distance)
        if not of_tables or not is_counted:
            raise AttributeError(
                "distance_path_ is unavailable for this distance, or for weights that are not whole numbers of a sum "
                "below 2**24."
            )
        counts = tree.value.astype(np.int64)
        distance = partial(kernel("table_distance"), distance=self._distance.specification(tree.n_classes))
        table = np.zeros((tree.n_classes, tree.n_classes), dtype=np.int64)
        table[labels[0]] = counts[0]
        path = [distance(table)]
        for node in self._nodes_as_split():
            table[labels[node]] -= counts[node]
            for child in tree.children_of(node):
                table[labels[child]] += counts[child]
            path.append(distance(table))
        return np.array(path)


@described_like(BaseForest, ID3Classifier)
class ID3ForestClassifier(ID3Mixin, BaseForestClassifier):
    """A forest of ID3 trees on bootstrap samples, which vote.

    The paper's random forest (Section 1.2 of [1]_): strong learners on samples drawn with replacement, and the mode of
    their predictions. The forest is the same on all engines, for every number of threads, and on every machine.

    Parameters
    ----------
    min_samples_split : int or float, default=2
        Fewest samples that a node must have to be split. Repeated samples count once; a float is a fraction of all
        samples that could be drawn, rounded up.
    min_samples_leaf : int or float, default=1
        Fewest samples in every child of a split, counted as for `min_samples_split`.
    bootstrap : bool, default=True
        Draw as many samples as there are for every tree, with replacement. Samples stay in their order and weigh as
        often as they were drawn; with ``"etc"`` and ``"lz76"`` they are repeated in the order of the draws. False: all
        samples for every tree; trees then differ by `max_features` alone.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn, from all samples. Without `bootstrap`, global and glocal evaluation
        take whole numbers only.

    Attributes
    ----------
    estimators_ : list of ID3Classifier
        The fitted trees; `random_state` of each is its seed.

    See Also
    --------
    ID3Classifier : One such tree.
    DecisionForestClassifier : Random forests, whose trees say shares of the classes instead of votes.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import ID3ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ID3ForestClassifier(20, distance="nvi", evaluation="global", random_state=0).fit(X, y)
    >>> forest.predict_proba(X[:1])
    array([[1., 0., 0.]])
    """

    estimators_: list[ID3Classifier]

    _tree_class = ID3Classifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ID3_CONSTRAINTS,
        **{name: FOREST_CONSTRAINTS[name] for name in ("n_estimators", "bootstrap", "warm_start", "n_jobs", "verbose")},
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        distance: DistanceLike = "information_gain",
        evaluation: Evaluation = "local",
        labels: SplitLabels = "majority",
        ties: Ties = "first",
        stop: Stop = "pure",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_features: MaxFeatures = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        bootstrap: bool = True,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.distance = distance
        self.evaluation = evaluation
        self.labels = labels
        self.ties = ties
        self.stop = stop
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.bootstrap = bootstrap
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @weighs_if_it_can
    @described_like(DecisionTreeClassifier.fit)
    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, not negative; samples of weight 0 are left out. With `bootstrap`, samples are drawn
            in proportion to their weights, and a tree counts a sample as often as it was drawn, as in scikit-learn from
            1.9 on. Otherwise every tree weighs all samples.

        Raises
        ------
        ValueError
            As in :meth:`ID3Classifier.fit`, though with `bootstrap` weights need not be whole; also for a set function
            with `bootstrap`.
        """
        self._fit(X, y, sample_weight=sample_weight, class_weight=self.class_weight)
        return self

    def _make_draw(self, samples: Samples) -> Callable[..., Draws]:
        if self.bootstrap and judges_sets(self.distance):
            raise ValueError(
                "A JaccardDistance with a set function needs bootstrap=False: it judges sets, in which no sample "
                "repeats."
            )
        return super()._make_draw(samples)

    def _n_draws(self, n_rows: int, weights: AnyArray | None, unit: Fraction) -> int | None:
        return n_rows if self.bootstrap else None

    def _share(self, *args: Any, **kwargs: Any) -> None:
        """Prepare nothing: every tree sorts its own samples."""

    def _labels_of_nodes(self) -> list[IntArray]:
        return [estimator.node_labels_ for estimator in self.estimators_]
