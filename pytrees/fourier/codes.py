"""Convert trees on real features to trees on ordinal codes, which number the intervals between thresholds.

Categorical features are coded by their categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from .._given_tree import node_labels
from .._numbers import check_array, within_float64
from .._sklearn import feature_names_of, predicts_numbers
from .._tree_arrays import numbers_of
from .._tree_checks import LEAF, MULTIWAY, UNDEFINED
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, MatrixLike
from ..input.categories import encode, has_missing
from ..tree import Tree
from .boxes import (
    CodedTree,
    check_same_classes,
    check_same_kind,
    check_saw_no_missing,
    check_trees,
    coding_of,
    feature_of_categories,
    multiway_features,
    of_coding,
)


class OrdinalCodes:
    """The trees of an ensemble on ordinal codes, and the coding of samples; made by :func:`ordinal_codes`.

    Parameters
    ----------
    trees : list of Tree
        The trees, splitting codes. If they come from scikit-learn, `value` holds shares of classes, or numbers, and the
        nodes are numbered in preorder, as in scikit-learn except for best-first trees.
    labels : list of ndarray of shape (node_count,), int64
        The codes of the classes that the nodes predict as leaves: the majority, but perhaps not in ID3 trees. For
        those, use ``values=[labels == class_index for labels in codes.labels]``. Zeros for trees of numbers, which have
        no classes.
    thresholds : list of ndarray of shape (cardinality - 1,), float64
        The thresholds of every feature, ascending. The code of a value is the number of thresholds below it; in
        categorical features a value is the index of a category.
    dtype : numpy.dtype
        The type that values are rounded to before they are compared: float32 for scikit-learn's trees, as these do.
    categories : dict of int to ndarray
        The sorted categories of every categorical feature, by the index of the feature.
    encoder : object, optional
        An object with the attributes of a fitted estimator that coding categories needs. By default samples have codes
        of categories already.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if they are known: samples with other column names are refused.

    Attributes
    ----------
    cardinalities : ndarray of shape (n_features,), int64
        The number of thresholds of a feature plus 1; the number of categories of a categorical feature.
    is_categorical : ndarray of shape (n_features,), bool
        Whether a feature is categorical.
    categories : list of ndarray
        The categories of every categorical feature, sorted: all that a tree of the ensemble knows. Plain trees know
        codes only, and have the numbers from 0.

    See Also
    --------
    ordinal_codes : Makes one of an ensemble.
    tree_from_ensemble : One tree of the ensemble, on codes; `decode` takes it.
    gram : Inner products of the trees on codes.

    Examples
    --------
    Two trees that split one feature at 1 and at 3 cut it into three intervals:

    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.fourier import ordinal_codes
    >>> trees = [DecisionTreeClassifier().fit([[0], [2], [4]], y) for y in ([0, 1, 1], [0, 0, 1])]
    >>> codes = ordinal_codes(trees)
    >>> codes.thresholds, codes.cardinalities
    ([array([1., 3.])], array([3]))
    >>> codes.transform([[0.5], [1.5], [9.0]]).ravel()
    array([0, 1, 2])
    """

    trees: list[Tree]
    labels: list[IntArray]
    thresholds: list[FloatArray]
    dtype: np.dtype[Any]
    cardinalities: IntArray
    is_categorical: BoolArray
    categories: list[AnyArray]
    feature_names: AnyArray | None

    def __init__(
        self,
        trees: list[Tree],
        labels: list[IntArray],
        thresholds: list[FloatArray],
        dtype: DTypeLike,
        categories: dict[int, AnyArray],
        encoder: Any = None,
        feature_names: AnyArray | None = None,
    ) -> None:
        self.feature_names = feature_names
        self.trees, self.labels, self.thresholds, self.dtype = trees, labels, thresholds, np.dtype(dtype)
        self.cardinalities = np.array([len(cuts) + 1 for cuts in thresholds], dtype=np.int64)
        self.is_categorical = np.isin(np.arange(len(thresholds)), list(categories))
        self.categories = [categories[m] for m in np.flatnonzero(self.is_categorical).tolist()]
        self._encoder = encoder

    def transform(self, X: MatrixLike) -> IntArray:
        """Encode samples: the number of thresholds below a value, or the index of a category.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples as the ensemble, or its plain trees, take them.

        Returns
        -------
        ndarray of shape (n_samples, n_features), int64
            The codes. Categories that no tree knows have codes outside the cardinality, mostly -1: their samples stay
            at the multiway node that splits by the feature.

        Raises
        ------
        ValueError
            If X has another number of features, or columns of other names, or holds NaN or infinity.
        """
        self._check_names(X)
        if self._encoder is not None:
            return self.number(encode(self._encoder, X))
        with within_float64("X"):
            X = check_array(X, dtype=self.dtype)
        if X.shape[1] != len(self.thresholds):
            raise ValueError(f"X has {X.shape[1]} features; the trees have {len(self.thresholds)}.")
        return self.number(X.astype(np.float64))

    def _check_names(self, X: MatrixLike) -> None:
        names = None if self.feature_names is None else feature_names_of(X)
        if names is None:
            return
        underscored = [name.replace(" ", "_") for name in names]  # as LightGBM keeps them
        if not any(np.array_equal(one, np.asarray(self.feature_names, dtype=object)) for one in (names, underscored)):
            raise ValueError(
                f"The columns of X should be {list(map(str, cast('Any', self.feature_names)))}, in this order, got "
                f"{list(map(str, names))}."
            )

    def number(self, X: FloatArray) -> IntArray:
        """Encode samples whose categories are numbered already, by `encode` of an estimator.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float64
            Numbers, and the indices of categories in `categories`.

        Returns
        -------
        ndarray of shape (n_samples, n_features), int64
            The codes, as `transform` gives them.
        """
        columns = [np.searchsorted(cuts, X[:, m], side="left") for m, cuts in enumerate(self.thresholds)]
        for m in np.flatnonzero(self.is_categorical):
            columns[m] = np.clip(np.ceil(X[:, m] - 0.5), -1, self.cardinalities[m])
        return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int64)

    def decode(self, tree: Tree) -> Tree:
        """Convert a tree that splits codes to a tree that splits values: every sample reaches the same leaf.

        Parameters
        ----------
        tree : Tree
            One of `trees`, or a tree made of them, such as by :func:`tree_from_ensemble`.

        Returns
        -------
        Tree
            A tree that compares float64. If values are rounded to float32 first, its thresholds are the last float64
            numbers before the rounding changes. For categorical features it takes the indices in `categories`.

        Raises
        ------
        ValueError
            If the tree has other features, or splits outside the cardinalities; or if it splits the values of a feature
            that is not categorical, whose codes stand for intervals.
        """
        tree = check_trees([tree], self.cardinalities)[0]
        wrong = np.flatnonzero(multiway_features(tree) & ~self.is_categorical)
        if wrong.size:
            raise ValueError(
                f"The tree takes feature {wrong[0]} for categorical, but the codes of this feature are intervals."
            )
        arrays = arrays_of(tree)
        cuts = np.flatnonzero((tree.children_left != LEAF) & (tree.children_left != MULTIWAY))
        for node in cuts:
            arrays["threshold"][node] = self.thresholds[tree.feature[node]][int(tree.threshold[node])]
        if self.dtype == np.float32:
            arrays["threshold"][cuts] = greatest_rounded_below(arrays["threshold"][cuts])
        return Tree(**arrays, n_features=tree.n_features)

    def __repr__(self) -> str:
        return f"<OrdinalCodes of {len(self.trees)} trees, {self.cardinalities.size} features>"


def greatest_rounded_below(thresholds: FloatArray) -> FloatArray:
    """Return the greatest float64 that float32 rounds to a number up to the threshold, for every threshold."""
    below = thresholds.astype(np.float32)
    below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    middle = 0.5 * below.astype(np.float64) + 0.5 * above  # exact: float64 has more than twice the digits
    return np.where(middle.astype(np.float32) == below, middle, np.nextafter(middle, -np.inf))


def ordinal_codes(ensemble: Tree | BaseEstimator | Sequence[Tree | BaseEstimator]) -> OrdinalCodes:
    """Encode the features of an ensemble by its own thresholds, so that its trees split ordinal codes.

    Every tree still sends every sample to the same leaf: ``tree.apply(codes.transform(X))`` has the leaves of the
    original tree. A feature is categorical if the ensemble says so, or if a tree has a multiway node for it.

    Parameters
    ----------
    ensemble : forest, bagging ensemble, or sequence of trees
        A fitted ensemble of trees of pytrees or of scikit-learn, such as RandomForestClassifier or BaggingRegressor, or
        a list of Tree or of fitted trees: all of classes, or all of numbers.

    Returns
    -------
    OrdinalCodes
        The trees on codes, and the coding of samples.

    Raises
    ------
    TypeError
        If something in the ensemble is no tree, or predicts several outputs.
    ValueError
        If there are no trees, if they differ in their features, classes or categorical features, if trees of classes
        and of numbers are mixed, or trees of pytrees and of scikit-learn, which compare values in different precisions.

    See Also
    --------
    OrdinalCodes : The returned object.
    gram : Inner products of the trees on codes.
    tree_from_ensemble : One tree of the ensemble.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from pytrees.fourier import ordinal_codes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    >>> codes = ordinal_codes(forest)
    >>> leaves = codes.trees[0].apply(codes.transform(X))
    >>> bool((leaves == forest.estimators_[0].apply(X)).all())
    True
    """
    return code(ensemble)


def code(ensemble: Any, categories: dict[int, AnyArray] | None = None) -> OrdinalCodes:
    """Encode the features of an ensemble; `categories` lists all codes if the ensemble has learned from codes."""
    return code_members(members_of(ensemble), ensemble, categories)


def code_members(
    members: Sequence[Member], ensemble: Any, categories: dict[int, AnyArray] | None = None
) -> OrdinalCodes:
    """Encode the features of the trees that an ensemble is made of."""
    first = members[0].tree
    check_same_kind([member.tree for member in members])
    if any((tree.n_features, tree.n_classes) != (first.n_features, first.n_classes) for tree, *_ in members):
        raise ValueError("The trees differ in their features or classes.")
    if len({member.dtype for member in members}) > 1:
        raise ValueError("The trees of pytrees compare float64, the trees of scikit-learn float32: code them apart.")
    known = _known_categories(members) if categories is None else categories
    encoder = _CategoryCodes(known, ensemble, first.n_features) if categories is None and known else None
    known = known | _codes_of_multiway_nodes(members, known)
    cuts: list[Any] = [
        np.arange(1, len(known[m])) - 0.5
        if m in known
        else np.unique(np.concatenate([tree.threshold[tree.feature == m] for tree, *_ in members]))
        for m in range(first.n_features)
    ]
    coding = _digest(cuts, known)
    trees: list[Tree] = [_coded(member, cuts, known, coding) for member in members]
    names = getattr(ensemble, "feature_names_in_", None)
    return OrdinalCodes(trees, [member.labels for member in members], cuts, members[0].dtype, known, encoder, names)


class Member(NamedTuple):
    """A tree, the labels of its nodes, the dtype that it compares, and the categories of its categorical features."""

    tree: Tree
    labels: IntArray
    dtype: type[np.floating[Any]]
    categories: dict[int, AnyArray]


class _CategoryCodes(BaseEstimator):
    """The attributes of a fitted estimator that `encode` needs, for the categories of an ensemble."""

    handle_unknown = "majority"
    ordered_categories_: dict[int, AnyArray]

    def __init__(self, categories: dict[int, AnyArray], ensemble: Any, n_features: int) -> None:
        self.is_categorical_ = np.isin(np.arange(n_features), list(categories))
        self.categories_ = [categories[m] for m in sorted(categories)]
        self.ordered_categories_, self.n_features_in_ = {}, n_features
        if hasattr(ensemble, "feature_names_in_"):
            self.feature_names_in_ = ensemble.feature_names_in_


def _known_categories(members: Sequence[Member]) -> dict[int, AnyArray]:
    """Return the categories of all trees, sorted, for every feature that is categorical in some tree."""
    known = {}
    for m in sorted(set().union(*(member.categories for member in members))):
        parts = [member.categories[m] for member in members if m in member.categories]
        known[m] = parts[0] if all(part is parts[0] for part in parts) else _union(parts, m)
    return known


def _union(parts: list[AnyArray], m: int) -> AnyArray:
    """Merge the sorted categories of several trees."""
    are_numbers = {part.dtype.kind in "biuf" for part in parts}
    try:
        if len(are_numbers) > 1:
            raise TypeError("numbers and words")
        return np.unique(np.concatenate(parts))
    except TypeError as error:
        raise ValueError(f"The trees differ in the kinds of categories of feature {m}: {error}.") from error


def _codes_of_multiway_nodes(members: Sequence[Member], known: dict[int, AnyArray]) -> dict[int, AnyArray]:
    """Return the codes from 0 to the greatest that a tree splits by, for other features with multiway nodes."""
    found: dict[int, int] = {}
    for tree, _, _, categories in members:
        for m in known:
            splits = tree.children_left[tree.feature == m]
            if splits.size and (m not in categories or np.any(splits != MULTIWAY)):
                raise ValueError(f"Feature {m} is categorical in some of the trees, but not in all that split by it.")
        found |= dict.fromkeys(set(np.flatnonzero(multiway_features(tree)).tolist()) - known.keys(), 0)
    for m in found:
        for tree, *_ in members:
            categories = tree.categories[feature_of_categories(tree) == m]
            cuts = tree.threshold[(tree.feature == m) & (tree.children_left != MULTIWAY)]
            greatest = max(categories.max(initial=0), np.floor(cuts).max(initial=-1) + 1)
            found[m] = max(found[m], int(greatest) + 1)
    return {m: np.arange(size) for m, size in found.items()}


def members_of(ensemble: Any) -> list[Member]:
    """Return the trees of an ensemble as members."""
    if isinstance(ensemble, Tree) or hasattr(ensemble, "tree_"):
        ensemble = [ensemble]
    elif hasattr(ensemble, "fit"):
        check_is_fitted(ensemble)
        if not hasattr(ensemble, "estimators_"):
            raise TypeError(f"An ensemble of trees is expected, got {type(ensemble).__name__}.")
        check_members_are_alike(ensemble, ensemble.estimators_)
        columns = getattr(ensemble, "estimators_features_", [None] * len(ensemble.estimators_))
        n_features = ensemble.n_features_in_
        pairs = zip(ensemble.estimators_, columns, strict=True)
        members = [_member_of(estimator, features, n_features) for estimator, features in pairs]
        return _of_all_classes(members, ensemble)
    if isinstance(ensemble, str) or not isinstance(ensemble, Iterable):
        raise TypeError(f"An ensemble of trees, or a list of trees, is expected, got {type(ensemble).__name__}.")
    given = list(ensemble)
    if not given:
        raise ValueError("There are no trees.")
    check_same_classes(given)
    return [_member_of(member) for member in given]


def check_members_are_alike(ensemble: Any, estimators: Sequence[Any]) -> None:
    """Raise TypeError if a regressor is made of classifiers, or a classifier of regressors, as bagging can be.

    The mean of what the leaves hold is not what such an ensemble predicts: it takes labels for numbers, or numbers for
    labels.
    """
    for estimator in estimators:
        is_estimator = hasattr(estimator, "__sklearn_tags__")
        if is_estimator and predicts_numbers(estimator) != predicts_numbers(ensemble):
            names = f"{type(ensemble).__name__} of {type(estimator).__name__}"
            raise TypeError(
                f"A classifier of classification trees or a regressor of regression trees is expected, got {names}."
            )


def _of_all_classes(members: list[Member], ensemble: Any) -> list[Member]:
    """Add a column of zeros to the trees of a bagging ensemble whose bootstrap sample lacked a class."""
    n_classes = len(getattr(ensemble, "classes_", []))
    if all(member.tree.n_classes >= n_classes for member in members):
        return members
    ensemble = ensemble.estimator if isinstance(ensemble, FrozenEstimator) else ensemble
    from sklearn.ensemble import BaggingClassifier  # here: it takes longer to import than all of this package

    if not isinstance(ensemble, BaggingClassifier):
        return members
    completed = []
    for member, estimator in zip(members, ensemble.estimators_, strict=True):
        known = estimator.classes_.astype(np.int64)  # the trees of bagging learn the codes of the classes
        value = np.zeros((member.tree.node_count, n_classes))
        value[:, known] = member.tree._evidence
        completed.append(member._replace(tree=with_value(member.tree, value), labels=known[member.labels]))
    return completed


def _member_of(member: Any, columns: ArrayLike | None = None, n_features: Any = None) -> Member:
    """Return a tree or fitted estimator as a member; its features are those columns of all n_features."""
    if not isinstance(member, Tree) and hasattr(member, "fit"):
        check_is_fitted(member)
    tree = member if isinstance(member, Tree) else getattr(member, "tree_", None)
    dtype = np.float64
    if not isinstance(tree, Tree):
        tree, dtype = _from_sklearn(member, tree), np.float32
    check_saw_no_missing(tree)
    if getattr(member, "ordered_categories_", None):
        raise ValueError(
            f"Feature {min(member.ordered_categories_)} has ordered categories: give the Fourier algebra the trees "
            "themselves, `tree_`, and samples as numbers, by `encode`."
        )
    labels = np.zeros(tree.node_count, dtype=np.int64) if tree.is_regressor else node_labels(member, tree)
    is_categorical = getattr(member, "is_categorical_", None)
    categorical: list[int] = [] if is_categorical is None else np.flatnonzero(is_categorical).tolist()
    if columns is not None:
        columns = np.asarray(columns)
        arrays = arrays_of(tree)
        inner = tree.children_left != LEAF
        arrays["feature"][inner] = columns[tree.feature[inner]]
        tree, categorical = Tree(**arrays, n_features=n_features), [columns[m] for m in categorical]
    categories = dict(zip(map(int, categorical), getattr(member, "categories_", []), strict=True))
    for m in categories:
        if has_missing(categories[m]):
            raise ValueError(
                f"Feature {m} has missing values among its categories, but functions of trees are taken of complete "
                "samples: fill in the values, as by a category of their own, and fit again."
            )
    return Member(tree, labels, dtype, categories)


def _from_sklearn(member: Any, nodes: Any) -> Tree:
    """Convert a scikit-learn tree of one output to a Tree: of numbers, or of classes, with shares for counts."""
    if not hasattr(nodes, "children_left"):
        raise TypeError(f"A classification tree or regression tree is expected, got {type(member).__name__}.")
    if nodes.n_outputs != 1:
        raise TypeError(
            f"A tree of one output is expected, got {type(member).__name__} of {nodes.n_outputs} outputs. "
            "(additive_model takes regressors of several outputs.)"
        )
    # The caller has imported scikit-learn.
    from ..convert.sklearn_nodes import number_arrays_of_sklearn, share_arrays_of_sklearn

    return Tree(**(share_arrays_of_sklearn if hasattr(member, "classes_") else number_arrays_of_sklearn)(nodes))


def arrays_of(tree: Tree) -> dict[str, Any]:
    """Copy all arrays that a Tree is made of, by name."""
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    below = ("child_offsets", "children", "category", "category_offsets", "categories") if tree.is_multiway else ()
    found = {name: np.array(getattr(tree, name)) for name in names + below}
    return found | numbers_of(tree, np.arange(tree.node_count))


def with_value(tree: Tree, value: FloatArray, **numbers: FloatArray) -> Tree:
    """Return the tree with another `value`: of classes, or of numbers if these have weights and perhaps impurities."""
    others = {name: array for name, array in arrays_of(tree).items() if name not in numbers_of(tree, [0])}
    found = Tree(**(others | {"value": value} | numbers), n_features=tree.n_features)
    return of_coding(found, coding_of([tree]))


def structure_of(tree: Tree) -> Tree:
    """Return the tree as a mere structure: it has one class, whose count is 1, and its values are kept elsewhere."""
    return with_value(tree, np.ones((tree.node_count, 1)))


def leaf_like(tree: Tree) -> Tree:
    """Return a single leaf with the features of a tree, and its classes, or numbers."""
    numbers: dict[str, Any] = {"value": tree.value[:1], **numbers_of(tree, [0])}
    return Tree([LEAF], [LEAF], [UNDEFINED], [UNDEFINED], [1], gain=[0.0], n_features=tree.n_features, **numbers)


def with_trees(codes: OrdinalCodes, trees: list[Tree]) -> OrdinalCodes:
    """Return a coding with other trees on its codes."""
    labels = [np.zeros(tree.node_count, dtype=np.int64) for tree in trees]
    categories = dict(zip(np.flatnonzero(codes.is_categorical).tolist(), codes.categories, strict=True))
    coding = codes.thresholds, codes.dtype, categories, codes._encoder, codes.feature_names
    return OrdinalCodes(trees, labels, *coding)


def _coded(member: Member, thresholds: list[FloatArray], categories: dict[int, AnyArray], coding: bytes) -> CodedTree:
    """Recode a tree: a threshold lies between the codes of its two intervals; categories get the codes of all trees."""
    tree, arrays = member.tree, arrays_of(member.tree)
    for node in np.flatnonzero((tree.children_left != LEAF) & (tree.children_left != MULTIWAY)):
        m, threshold = tree.feature[node], tree.threshold[node]
        below = np.floor(threshold) if m in categories else np.searchsorted(thresholds[m], threshold)
        arrays["threshold"][node] = below + 0.5
    for m, own in member.categories.items():
        below = feature_of_categories(tree) == m
        if below.any():
            arrays["categories"][below] = np.searchsorted(categories[m], own)[tree.categories[below]]
    if tree.is_multiway:
        # Both lists of categories are sorted: the lowest stays the lowest.
        has_category = tree.category >= 0
        arrays["category"][has_category] = arrays["categories"][tree.category_offsets[:-1][has_category]]
    return CodedTree(**arrays, n_features=tree.n_features, coding=coding)


def _digest(thresholds: Iterable[FloatArray], categories: Mapping[int, AnyArray]) -> bytes:
    """Return the digest of a coding, computed from the thresholds and categories of all features."""
    found = blake2b(digest_size=16)
    for cuts in thresholds:
        found.update(np.asarray(cuts, dtype=np.float64).tobytes() + b";")
    for m in sorted(categories):
        found.update(repr((m, categories[m].tolist())).encode())
    return found.digest()
