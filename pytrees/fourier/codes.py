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
from .._tree_arrays import goes_to_greater_child, missing_arrays, numbers_of
from .._tree_checks import LEAF, MULTIWAY, TO_GREATER_CHILD, UNDEFINED
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, MatrixLike
from ..input.categories import encode, has_missing, lacks_values
from ..input.validation import check_finite
from ..tree import Tree
from .boxes import (
    CodedTree,
    Coding,
    check_same_classes,
    check_same_kind,
    check_trees,
    coding_of,
    feature_of_categories,
    multiway_features,
    of_coding,
    splits_missing,
)
from .named_trees import NamedTree, Names


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
        categorical features a value is the index of a category. Infinity is the last threshold of a feature whose
        missing values have a code: the last one, beyond infinity.
    dtype : numpy.dtype
        The type that values are rounded to before they are compared: float32 for scikit-learn's trees, as these do.
    categories : dict of int to ndarray
        The sorted categories of every categorical feature, by the index of the feature.
    encoder : object, optional
        An object with the attributes of a fitted estimator that coding categories needs. By default samples have codes
        of categories already.
    feature_names : ndarray of shape (n_features,), or None, default=None
        The names of the features, if they are known: samples with other column names are refused.
    takes_missing : bool, default=False
        Whether all trees of the ensemble take samples that lack values.

    Attributes
    ----------
    cardinalities : ndarray of shape (n_features,), int64
        The number of thresholds of a feature plus 1; the number of categories of a categorical feature.
    is_categorical : ndarray of shape (n_features,), bool
        Whether a feature is categorical.
    has_missing : ndarray of shape (n_features,), bool
        Whether missing values of a feature have a code, which is the last one. Missing categories are categories.
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

    Missing values have the last code of a feature of which a tree has seen some:

    >>> codes = ordinal_codes(DecisionTreeClassifier().fit([[0], [2], [4], [float("nan")]], [0, 1, 1, 0]))
    >>> codes.thresholds, codes.has_missing
    ([array([ 1., inf])], array([ True]))
    >>> codes.transform([[0.5], [1.5], [float("nan")]]).ravel()
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
    takes_missing: bool
    has_missing: BoolArray

    def __init__(
        self,
        trees: list[Tree],
        labels: list[IntArray],
        thresholds: list[FloatArray],
        dtype: DTypeLike,
        categories: dict[int, AnyArray],
        encoder: Any = None,
        feature_names: AnyArray | None = None,
        takes_missing: bool = False,
    ) -> None:
        self.feature_names, self.takes_missing = feature_names, takes_missing
        self.trees, self.labels, self.thresholds, self.dtype = trees, labels, thresholds, np.dtype(dtype)
        self.cardinalities = np.array([len(cuts) + 1 for cuts in thresholds], dtype=np.int64)
        self.has_missing = np.array([cuts.size > 0 and np.isinf(cuts[-1]) for cuts in thresholds], dtype=bool)
        self.is_categorical = np.isin(np.arange(len(thresholds)), list(categories))
        self.categories = [categories[m] for m in np.flatnonzero(self.is_categorical).tolist()]
        self._encoder = encoder

    def transform(self, X: MatrixLike) -> IntArray:
        """Encode samples: the number of thresholds below a value, or the index of a category.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples as the ensemble, or its plain trees, take them. A missing value has the last code of its feature, or
            code 0 if no tree splits by the feature.

        Returns
        -------
        ndarray of shape (n_samples, n_features), int64
            The codes. Categories that no tree knows have codes outside the cardinality, mostly -1: their samples stay
            at the multiway node that splits by the feature.

        Raises
        ------
        ValueError
            If X has another number of features, or columns of other names, or holds infinity; if it lacks values of a
            feature whose missing values have no code.
        """
        return self.number(self._numbers(X))

    def _numbers(self, X: MatrixLike) -> FloatArray:
        """Return samples as `number` takes them."""
        self._check_names(X)
        if self._encoder is not None:
            rows = encode(self._encoder, X, allow_missing=self.takes_missing)
            check_finite(self._encoder, rows, type(self).__name__)
            return rows
        with within_float64("X"):
            X = check_array(X, dtype=self.dtype, ensure_all_finite="allow-nan" if self.takes_missing else True)
        if X.shape[1] != len(self.thresholds):
            raise ValueError(f"X has {X.shape[1]} features; the trees have {len(self.thresholds)}.")
        return X.astype(np.float64)

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
            Numbers, and the indices of categories in `categories`; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples, n_features), int64
            The codes, as `transform` gives them.

        Raises
        ------
        ValueError
            If X lacks values of a feature whose missing values have no code.
        """
        places = self._places(X)
        lacking = np.flatnonzero(np.isnan(places).any(axis=0))
        if lacking.size:
            raise ValueError(
                f"Input X contains NaN in column {lacking[0]}, but missing values of this feature have no code: no "
                "tree is known to have seen any. Name such features by `missing`, where trees are coded."
            )
        return places.astype(np.int64)

    def _places(self, X: FloatArray) -> FloatArray:
        """Return codes as float64, C-contiguous, with NaN for missing values that have no code."""
        # NaN is beyond all numbers, infinity included.
        columns: list[Any] = [np.searchsorted(cuts, X[:, m], side="left") for m, cuts in enumerate(self.thresholds)]
        for m in np.flatnonzero(self.is_categorical):
            columns[m] = np.clip(np.ceil(X[:, m] - 0.5), -1, self.cardinalities[m])
        places = np.stack(columns, axis=1, dtype=np.float64, casting="unsafe")
        for m in np.flatnonzero(~self.has_missing & (self.cardinalities > 1)):
            places[np.isnan(X[:, m]), m] = np.nan
        return np.ascontiguousarray(places)

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
            numbers before the rounding changes. For categorical features it takes the indices in `categories`; texts,
            pictures and programs of it have the names of features and categories. If the trees of the ensemble take
            missing values, it does too: they go the way of their codes. If missing values of a feature have no code,
            they go as in the tree of the ensemble, or in a tree made of several to the child of more weight.

        Raises
        ------
        ValueError
            If the tree has other features, or splits outside the cardinalities; or if it splits the values of a feature
            that is not categorical, whose codes stand for intervals.
        """
        return telling_ways(self._decoded(tree))

    def _decoded(self, tree: Tree) -> Tree:
        """Decode a tree as `decode` does; its `saw_missing` is that of the tree on codes."""
        tree = check_trees([tree], self.cardinalities)[0]
        wrong = np.flatnonzero(multiway_features(tree) & ~self.is_categorical)
        if wrong.size:
            raise ValueError(
                f"The tree takes feature {wrong[0]} for categorical, but the codes of this feature are intervals."
            )
        arrays = arrays_of(self._with_ways(tree))
        cuts = np.flatnonzero((tree.children_left != LEAF) & (tree.children_left != MULTIWAY))
        for node in cuts:
            arrays["threshold"][node] = self.thresholds[tree.feature[node]][int(tree.threshold[node])]
        if self.dtype == np.float32:
            arrays["threshold"][cuts] = greatest_rounded_below(arrays["threshold"][cuts])
        names = Names(self.feature_names, self.is_categorical, self.categories, self._encoder)
        return NamedTree(**arrays, n_features=tree.n_features, names=names)

    def _with_ways(self, tree: Tree) -> Tree:
        """Return a tree on codes with ways of missing values, if the ensemble takes these.

        In a tree without ways codes of missing values are compared as numbers: they are the greatest, and go right.
        """
        if not self.takes_missing or tree.takes_missing:
            return tree
        have_codes = (tree.children_left >= 0) & self.has_missing[np.maximum(tree.feature, 0)]
        ways = np.where(have_codes, 0, TO_GREATER_CHILD)
        arrays = arrays_of(tree) | {"missing_go_to_left": ways, "saw_missing": have_codes}
        return of_coding(Tree(**arrays, n_features=tree.n_features), coding_of([tree]))

    def __repr__(self) -> str:
        return f"<OrdinalCodes of {len(self.trees)} trees, {self.cardinalities.size} features>"


def greatest_rounded_below(thresholds: FloatArray) -> FloatArray:
    """Return the greatest float64 that float32 rounds to a number up to the threshold, for every threshold."""
    below = thresholds.astype(np.float32)
    below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    middle = 0.5 * below.astype(np.float64) + 0.5 * above  # exact: float64 has more than twice the digits
    return np.where(middle.astype(np.float32) == below, middle, np.nextafter(middle, -np.inf))


def ordinal_codes(
    ensemble: Tree | BaseEstimator | Sequence[Tree | BaseEstimator], missing: ArrayLike | None = None
) -> OrdinalCodes:
    """Encode the features of an ensemble by its own thresholds, so that its trees split ordinal codes.

    Every tree still sends every sample to the same leaf: ``tree.apply(codes.transform(X))`` has the leaves of the
    original tree. A feature is categorical if the ensemble says so, or if a tree has a multiway node for it.

    Parameters
    ----------
    ensemble : forest, bagging ensemble, or sequence of trees
        A fitted ensemble of trees of pytrees or of scikit-learn, such as RandomForestClassifier or BaggingRegressor, or
        a list of Tree or of fitted trees: all of classes, or all of numbers.
    missing : array-like of shape (n_features,), bool, optional
        Features whose missing values get a code, such as ``numpy.isnan(X).any(axis=0)``, besides those of which trees
        are known to have seen missing values. scikit-learn's trees tell this only of features whose missing values they
        have parted from all others.

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
        and of numbers are mixed, or trees of pytrees and of scikit-learn, which compare values in different precisions;
        if missing values are to have codes, but some of the trees refuse missing values.

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
    return code_members(members_of(ensemble), ensemble, missing=missing)


def code(ensemble: Any, X: Any, categories: dict[int, AnyArray] | None = None) -> OrdinalCodes:
    """Encode the features of an ensemble, with codes for the missing values in X.

    `categories` lists all codes if the ensemble has learned from codes.
    """
    members = members_of(ensemble)
    return code_members(members, ensemble, categories, lacking(members, X))


def code_members(
    members: Sequence[Member],
    ensemble: Any,
    categories: dict[int, AnyArray] | None = None,
    missing: ArrayLike | None = None,
) -> OrdinalCodes:
    """Encode the features of the trees that an ensemble is made of; `missing` is as in `ordinal_codes`."""
    first = members[0].tree
    check_same_kind([member.tree for member in members])
    if any((tree.n_features, tree.n_classes) != (first.n_features, first.n_classes) for tree, *_ in members):
        raise ValueError("The trees differ in their features or classes.")
    if len({member.dtype for member in members}) > 1:
        raise ValueError("The trees of pytrees compare float64, the trees of scikit-learn float32: code them apart.")
    takes_missing = take_missing(members)
    known = _known_categories(members) if categories is None else categories
    encoder = None
    if categories is None and known:
        encoder = _CategoryCodes(known, ensemble, first.n_features, takes_missing)
    known = known | _codes_of_multiway_nodes(members, known)
    have_codes = _have_codes_of_missing(members, known, missing)
    cuts: list[Any] = [
        np.arange(1, len(known[m])) - 0.5 if m in known else _cuts_of(members, m, has_code)
        for m, has_code in enumerate(have_codes.tolist())
    ]
    coding = Coding(_digest(cuts, known), tuple((int(m), len(cuts[m])) for m in np.flatnonzero(have_codes)))
    trees: list[Tree] = [_coded(member, cuts, known, coding, takes_missing) for member in members]
    labels, names = [member.labels for member in members], getattr(ensemble, "feature_names_in_", None)
    return OrdinalCodes(trees, labels, cuts, members[0].dtype, known, encoder, names, takes_missing)


def _cuts_of(members: Sequence[Member], m: int, has_missing: bool) -> FloatArray:
    """Return the thresholds of a feature in all trees, ascending, and infinity if missing values have a code."""
    beyond = [np.inf] if has_missing else []
    return np.unique(np.concatenate([*(tree.threshold[tree.feature == m] for tree, *_ in members), beyond]))


def take_missing(members: Sequence[Member]) -> bool:
    """Whether all trees take samples that lack values."""
    return all(member.tree.takes_missing or member.tree.node_count == 1 for member in members)


def lacking(members: Sequence[Member], *tables: Any) -> BoolArray | None:
    """Return which features lack values in tables, None if the trees refuse missing values; None is no table."""
    return lacking_in(tables, members[0].tree.n_features) if take_missing(members) else None


def lacking_in(tables: Sequence[Any], n_features: int) -> BoolArray:
    """Return which features lack values in tables; None is no table, and tables of other features do not count."""
    found = [lacks_values(X) for X in tables if X is not None]
    return np.any([np.zeros(n_features, dtype=bool), *(mask for mask in found if mask.size == n_features)], axis=0)


def _have_codes_of_missing(
    members: Sequence[Member], known: dict[int, AnyArray], missing: ArrayLike | None
) -> BoolArray:
    """Return the features whose missing values get a code; ndarray of shape (n_features,), bool."""
    seen = np.zeros(members[0].tree.n_features, dtype=bool)
    is_split = np.zeros_like(seen)
    for tree, *_ in members:
        seen[tree.feature[splits_missing(tree)]] = True
        is_split[tree.feature[tree.children_left != LEAF]] = True
    found = (seen | _mask_of(missing, seen.size)) & is_split
    found[list(known)] = False
    if found.any() and not take_missing(members):
        raise ValueError(
            f"Missing values of feature {np.argmax(found)} are to have a code, but some of the trees refuse missing "
            "values."
        )
    both = [m for m in known if seen[m]]
    if both:
        raise ValueError(
            f"Some trees split feature {both[0]} by categories, and others by missing values of numbers: give the "
            "estimators, which know their categories."
        )
    return found


def _mask_of(missing: Any, n_features: int) -> BoolArray:
    """Return a mask of features, None for no feature; raise ValueError for anything else."""
    mask: Any
    try:
        mask = np.zeros(n_features, dtype=bool) if missing is None else np.asarray(missing)
    except ValueError:
        mask = np.zeros(0)  # rows of different lengths
    if mask.shape != (n_features,) or mask.dtype != bool:
        raise ValueError(f"missing must be a mask of {n_features} features, got {missing!r:.100}.")
    return cast("BoolArray", mask)


class Member(NamedTuple):
    """A tree, the labels of its nodes, the dtype that it compares, and the categories of its categorical features."""

    tree: Tree
    labels: IntArray
    dtype: type[np.floating[Any]]
    categories: dict[int, AnyArray]


class _CategoryCodes(BaseEstimator):
    """The attributes of a fitted estimator that `encode` needs, for the categories of an ensemble."""

    handle_unknown = "majority"
    _missing_is_category = True
    ordered_categories_: dict[int, AnyArray]

    def __init__(self, categories: dict[int, AnyArray], ensemble: Any, n_features: int, allows_missing: bool) -> None:
        self._allows_missing = allows_missing
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
    """Merge the sorted categories of several trees; a missing value stays the last."""
    are_numbers = {part.dtype.kind in "biuf" for part in parts}
    missing = [part[-1:] for part in parts if has_missing(part)][:1]
    try:
        if len(are_numbers) > 1:
            raise TypeError("numbers and words")
        present = np.unique(np.concatenate([part[:-1] if has_missing(part) else part for part in parts]))
        return np.concatenate([present, *missing])
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
            greatest = max(categories.max(initial=0), np.floor(cuts[np.isfinite(cuts)]).max(initial=-1) + 1)
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
        tree = with_value(_with_ways_kept(member.tree), value)
        completed.append(member._replace(tree=tree, labels=known[member.labels]))
    return completed


def _member_of(member: Any, columns: ArrayLike | None = None, n_features: Any = None) -> Member:
    """Return a tree or fitted estimator as a member; its features are those columns of all n_features."""
    if not isinstance(member, Tree) and hasattr(member, "fit"):
        check_is_fitted(member)
    tree = member if isinstance(member, Tree) else getattr(member, "tree_", None)
    dtype = np.float64
    if not isinstance(tree, Tree):
        tree, dtype = _from_sklearn(member, tree), np.float32
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

    return Tree(**(share_arrays_of_sklearn if hasattr(member, "classes_") else number_arrays_of_sklearn)(member))


def arrays_of(tree: Tree) -> dict[str, Any]:
    """Copy all arrays that a Tree is made of, by name."""
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    below = ("child_offsets", "children", "category", "category_offsets", "categories") if tree.is_multiway else ()
    found = {name: np.array(getattr(tree, name)) for name in names + below}
    if tree.takes_missing:
        found |= {"missing_go_to_left": np.array(tree._missing), "saw_missing": np.array(tree.saw_missing)}
    return found | numbers_of(tree, np.arange(tree.node_count))


def _with_ways_kept(tree: Tree) -> Tree:
    """Return a tree whose missing values go the same way even if its values, by which children weigh, are replaced."""
    if not tree.takes_missing:
        return tree
    kept = zip(("missing_go_to_left", "saw_missing"), missing_arrays(tree), strict=True)
    return known_as(tree, Tree(**(arrays_of(tree) | dict(kept)), n_features=tree.n_features))


def telling_ways(tree: Tree) -> Tree:
    """Return a tree whose `saw_missing` is true also where missing values do not go to the child of more weight.

    Exports name the side of missing values at these nodes.
    """
    differ = (tree.missing_go_to_left != goes_to_greater_child(tree)) & ~tree.saw_missing
    if not (tree.takes_missing and differ.any()):
        return tree
    arrays = arrays_of(tree) | {"saw_missing": tree.saw_missing | differ}
    return known_as(tree, Tree(**arrays, n_features=tree.n_features))


def with_value(tree: Tree, value: FloatArray, **numbers: FloatArray) -> Tree:
    """Return the tree with another `value`: of classes, or of numbers if these have weights and perhaps impurities."""
    others = {name: array for name, array in arrays_of(tree).items() if name not in numbers_of(tree, [0])}
    return known_as(tree, Tree(**(others | {"value": value} | numbers), n_features=tree.n_features))


def known_as(tree: Tree, found: Tree) -> Tree:
    """Return a tree with the names, or the coding, of another."""
    if isinstance(tree, NamedTree):
        return NamedTree.of(found, tree._names)
    return of_coding(found, coding_of([tree]))


def structure_of(tree: Tree) -> Tree:
    """Return the tree as a mere structure: it has one class, whose count is 1, and its values are kept elsewhere."""
    return with_value(_with_ways_kept(tree), np.ones((tree.node_count, 1)))


def leaf_like(tree: Tree) -> Tree:
    """Return a single leaf with the features of a tree, and its classes, or numbers."""
    numbers: dict[str, Any] = {"value": tree.value[:1], **numbers_of(tree, [0])}
    return Tree([LEAF], [LEAF], [UNDEFINED], [UNDEFINED], [1], gain=[0.0], n_features=tree.n_features, **numbers)


def with_trees(codes: OrdinalCodes, trees: list[Tree]) -> OrdinalCodes:
    """Return a coding with other trees on its codes, which take missing values if its own trees do."""
    labels = [np.zeros(tree.node_count, dtype=np.int64) for tree in trees]
    trees = [codes._with_ways(tree) for tree in trees]
    categories = dict(zip(np.flatnonzero(codes.is_categorical).tolist(), codes.categories, strict=True))
    coding = codes.thresholds, codes.dtype, categories, codes._encoder, codes.feature_names, codes.takes_missing
    return OrdinalCodes(trees, labels, *coding)


def _coded(
    member: Member,
    thresholds: list[FloatArray],
    categories: dict[int, AnyArray],
    coding: Coding,
    takes_missing: bool,
) -> CodedTree:
    """Recode a tree: a threshold lies between the codes of its two intervals; categories get the codes of all trees."""
    tree, arrays = member.tree, arrays_of(member.tree)
    if takes_missing and not tree.takes_missing:  # a single leaf
        arrays["missing_go_to_left"] = [0]
    for node in np.flatnonzero((tree.children_left != LEAF) & (tree.children_left != MULTIWAY)):
        m, threshold = tree.feature[node], tree.threshold[node]
        below = np.floor(threshold) if m in categories else np.searchsorted(thresholds[m], threshold)
        arrays["threshold"][node] = below + 0.5
    for m, own in member.categories.items():
        below = feature_of_categories(tree) == m
        if below.any():
            arrays["categories"][below] = _positions(own, categories[m])[tree.categories[below]]
    if tree.is_multiway:
        # Both lists of categories are sorted: the lowest stays the lowest.
        has_category = tree.category >= 0
        arrays["category"][has_category] = arrays["categories"][tree.category_offsets[:-1][has_category]]
    return CodedTree(**arrays, n_features=tree.n_features, coding=coding)


def _positions(own: AnyArray, categories: AnyArray) -> IntArray:
    """Return the positions of a tree's categories among those of all trees; a missing value is the last in both."""
    of_missing = [len(categories) - 1] if has_missing(own) else []
    present = own[: len(own) - len(of_missing)]
    known = categories[:-1] if has_missing(categories) else categories
    return np.concatenate([np.searchsorted(known, present), of_missing]).astype(np.int64)


def _digest(thresholds: Iterable[FloatArray], categories: Mapping[int, AnyArray]) -> bytes:
    """Return the digest of a coding, computed from the thresholds and categories of all features."""
    found = blake2b(digest_size=16)
    for cuts in thresholds:
        found.update(np.asarray(cuts, dtype=np.float64).tobytes() + b";")
    for m in sorted(categories):
        found.update(repr((m, categories[m].tolist())).encode())
    return found.digest()
