"""Convert trees and schemata to boxes, the flat arrays that the kernels of the Fourier algebra take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import wraps
from inspect import signature
from numbers import Integral
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._given_tree import TreeEstimator, node_labels, tree_and_names
from .._numbers import check_array, exponent_of, real_array, times_power
from .._tree_checks import LEAF, MULTIWAY
from .._typing import AnyArray, BoolArray, Boxes, FloatArray, IntArray, MatrixLike, Schema, is_real, is_whole
from ..input.validation import aligned
from ..tree import Tree

LARGEST_CARDINALITY = 2**31 - 1
# By default, results may take this many bytes; so may the masses of a measure.
MEMORY_LIMIT = 2**30
# Values with a smaller binary exponent, of either sign, are not scaled: squares times probabilities neither overflow
# nor vanish.
_ORDINARY = 300


_Function = TypeVar("_Function", bound=Callable[..., Any])


def of_coded_trees(function: _Function) -> _Function:
    """Let a call without `cardinalities`, as for an estimator that a user has fitted, say where they come from."""
    place = list(signature(function).parameters).index("cardinalities")

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        if len(args) <= place and "cardinalities" not in options:
            raise TypeError(
                f"{function.__name__} lacks cardinalities: it takes trees that split codes, and the number of codes of "
                "every attribute. For fitted estimators and ensembles, codes = ordinal_codes(ensemble) has both: pass "
                "codes.trees and codes.cardinalities."
            )
        return function(*args, **options)

    return cast("_Function", called)


def check_cardinalities(cardinalities: ArrayLike | MatrixLike | None) -> IntArray:
    """Check the numbers of values of the attributes; return them as (n_attributes,) int64, not writeable."""
    try:
        checked = np.array(cardinalities, ndmin=1)
    except ValueError:
        checked = np.zeros(0)  # rows of different lengths
    if checked.ndim != 1 or checked.size == 0 or checked.dtype.kind not in "iu":
        raise ValueError(f"cardinalities must be one whole number for every attribute, got {cardinalities!r:.100}.")
    if np.any((checked < 1) | (checked > LARGEST_CARDINALITY)):
        raise ValueError(f"Every attribute has from 1 to {LARGEST_CARDINALITY} values, got cardinalities {checked}.")
    checked = checked.astype(np.int64)
    checked.flags.writeable = False
    return checked


def check_codes(X: MatrixLike, cardinalities: IntArray) -> IntArray:
    """Return samples of codes as int64, C-contiguous; refuse a value that an attribute does not have."""
    X = check_array(X, ensure_min_samples=0)
    if X.shape[1] != cardinalities.size:
        raise ValueError(f"X has {X.shape[1]} columns; there are {cardinalities.size} attributes.")
    if X.dtype.kind not in "biuf" or (X.dtype.kind == "f" and np.any(np.floor(X) != X)):
        raise ValueError("X must hold whole numbers, the codes of values.")
    wrong = np.any((X < 0) | (cardinalities <= X), axis=0)
    if np.any(wrong):
        column = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"X has values outside the cardinality in column {column}: they must be from 0 to "
            f"{cardinalities[column] - 1}."
        )
    return np.require(X, np.int64, ["C", "A"])


def boxes_of_points(X: IntArray, cardinalities: IntArray) -> Boxes:
    """Convert every sample of X to a box."""
    varied = np.flatnonzero(cardinalities > 1)
    start = X[:, varied].ravel()
    runs = np.arange(start.size + 1, dtype=np.int64)
    return np.arange(len(X) + 1, dtype=np.int64) * varied.size, np.tile(varied, len(X)), runs, start, start + 1


def box_of_schema(schema: Schema, cardinalities: IntArray) -> Boxes:
    """Convert a schema to a box: a mapping from attributes to values, or a sequence with None for every wild-card."""
    if isinstance(schema, Mapping):
        fixed = dict(schema)
    elif np.iterable(schema) and not isinstance(schema, str):
        listed = list(schema)
        if len(listed) != cardinalities.size:
            raise ValueError(f"The schema has {len(listed)} positions; there are {cardinalities.size} attributes.")
        fixed = {m: values for m, values in enumerate(listed) if values is not None}
    else:
        raise TypeError(f"A schema is a mapping or a sequence, got {type(schema).__name__}.")
    attributes, run_indptr, runs = [], [0], []
    for m in sorted(fixed, key=_as_index):
        if not 0 <= _as_index(m) < cardinalities.size:
            raise ValueError(f"The schema fixes attribute {m}; there are {cardinalities.size} attributes.")
        allowed = _values(fixed[m], m, cardinalities[m])
        if len(allowed) < cardinalities[m]:
            attributes.append(m)
            runs += _runs(allowed)
            run_indptr.append(len(runs))
    start, stop = np.array(runs, dtype=np.int64).reshape(-1, 2).T.copy()
    indptr = np.array([0, len(attributes)], dtype=np.int64)
    return indptr, np.array(attributes, dtype=np.int64), np.array(run_indptr, dtype=np.int64), start, stop


def _as_index(m: Any) -> int:
    if isinstance(m, bool) or not isinstance(m, Integral):
        raise TypeError(f"Attributes of a schema are given by their numbers, got {m!r}.")
    return int(m)


def _values(values: Any, m: Any, cardinality: int) -> list[int]:
    """Return the values that a schema allows, sorted."""
    allowed = set()
    for value in values if np.iterable(values) else [values]:
        if not 0 <= _as_value(value, m) < cardinality:
            raise ValueError(
                f"The schema allows the value {value} for attribute {m}; values must be from 0 to {cardinality - 1}."
            )
        allowed.add(int(value))
    if not allowed:
        raise ValueError(f"The schema allows no values for attribute {m}; one at least is needed.")
    return sorted(allowed)


def _as_value(value: object, m: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"The schema has {value!r} for attribute {m}; values are whole numbers.")
    return int(value)


def _runs(values: list[int]) -> list[tuple[int, int]]:
    """Return sorted values as (start, stop) of runs."""
    edges = np.flatnonzero(np.diff(values) > 1) + 1
    return [(part[0], part[-1] + 1) for part in np.split(values, edges)]


def listed(trees: Iterable[Tree | TreeEstimator]) -> list[Tree | TreeEstimator]:
    """Return a sequence of trees as a list; refuse an ensemble."""
    if isinstance(trees, Tree) or hasattr(trees, "fit"):
        raise TypeError(
            f"A sequence of trees is expected, got {type(trees).__name__}. (ordinal_codes makes one of an ensemble.)"
        )
    if not isinstance(trees, Iterable):
        raise TypeError(f"A sequence of trees is expected, got {type(trees).__name__}.")
    return list(trees)


class Coding(NamedTuple):
    """A coding: its digest, which tells apart trees of two codings, and the codes of missing values.

    `missing` has pairs of a feature and the code of its missing values, for the features that have one.
    """

    digest: bytes
    missing: tuple[tuple[int, int], ...]


class CodedTree(Tree):
    """A tree on codes that knows its coding; ``==`` ignores it.

    A tree with ways of missing values, `missing_go_to_left`, sends the codes of missing values these ways. Without them
    it compares these codes as numbers.
    """

    coding: Coding | None

    __slots__ = ("coding",)

    def __init__(self, *arrays: Any, coding: Coding | None = None, **further: Any) -> None:
        super().__init__(*arrays, **further)
        object.__setattr__(self, "coding", coding)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (super().__reduce__()[1], self.coding)

    def _rows(self, X: MatrixLike) -> FloatArray:
        return self._with_gaps(super()._rows(X))

    def _apply_checked(self, X: FloatArray, named_in_errors: Any) -> IntArray:
        return super()._apply_checked(self._with_gaps(X), named_in_errors)

    def _with_gaps(self, X: FloatArray) -> FloatArray:
        """Return samples with NaN for the codes of missing values, if the tree has ways for them."""
        if self.takes_missing and self.coding is not None:
            missing = {m: X[:, m] == code for m, code in self.coding.missing}
            if any(are_missing.any() for are_missing in missing.values()):
                X = X.copy()
                for m, are_missing in missing.items():
                    X[are_missing, m] = np.nan
        return X

    @property
    def missing_left(self) -> IntArray | None:
        """The codes of missing values that nodes send to the left, -1 at other nodes; None if there are none."""
        if not (self.takes_missing and self.coding is not None and self.coding.missing):
            return None
        codes = np.full(self.n_features, -1, dtype=np.int64)
        for m, code in self.coding.missing:
            codes[m] = code
        return np.where(self.missing_go_to_left > 0, codes[np.maximum(self.feature, 0)], -1)


def _again(arguments: tuple[Any, ...], coding: Coding | None) -> CodedTree:
    return CodedTree(*arguments, coding=coding)


def coding_of(trees: Iterable[Tree]) -> Coding | None:
    """Return the coding of some trees, None if no tree knows its own; refuse trees of two codings."""
    known = {tree.coding for tree in trees if isinstance(tree, CodedTree)} - {None}
    if len(known) > 1:
        raise ValueError(
            "The trees are of two codings: equal codes mean different values. Code all trees together: ordinal_codes "
            "takes them in one list, and merge makes one model of several."
        )
    return next(iter(known), None)


def of_coding(tree: Tree, coding: Coding | None) -> Tree:
    """Return the tree with a coding, if there is one."""
    return tree if coding is None else _again(tree.__reduce__()[1], coding)


def check_trees(given: Sequence[Any], cardinalities: IntArray) -> list[Tree]:
    """Return trees, or estimators with one tree each, as a list of Tree; check that they split within the codes."""
    for tree in given:
        if hasattr(tree, "tree_") and not isinstance(tree.tree_, Tree):
            raise TypeError(
                f"A Tree or a fitted tree estimator of pytrees is expected, got a {type(tree).__name__} of another "
                "library. (ordinal_codes takes scikit-learn's.)"
            )
    trees = [tree_and_names(tree)[0] for tree in given]
    if not trees:
        raise ValueError("There are no trees.")
    check_same_classes(given)
    check_same_kind(trees)
    coding_of(trees)
    for tree in trees:
        _check_codes_missing(tree)
        if tree.n_features != cardinalities.size:
            raise ValueError(f"A tree has {tree.n_features} features; there are {cardinalities.size} attributes.")
        if tree.n_classes != trees[0].n_classes:
            raise ValueError(f"The trees have {trees[0].n_classes} and {tree.n_classes} classes.")
        _check_splits(tree, cardinalities)
    return trees


def _check_codes_missing(tree: Tree) -> None:
    """Raise a ValueError if a tree was grown with missing values, and has no codes for them."""
    saw_missing = splits_missing(tree)
    if saw_missing.any() and not isinstance(tree, CodedTree):
        m = tree.feature[np.argmax(saw_missing)]
        raise ValueError(
            f"A tree was grown with missing values of feature {m}, and is no tree on codes: ordinal_codes makes one of "
            "it, with a code for missing values."
        )


def splits_missing(tree: Tree) -> BoolArray:
    """Return which nodes saw missing values, or part these from all others; ndarray of shape (node_count,), bool."""
    return tree.saw_missing | np.isinf(tree.threshold)


def check_same_kind(trees: Sequence[Tree]) -> None:
    """Raise ValueError if some trees predict numbers, and some classes."""
    if len({tree.is_regressor for tree in trees}) > 1:
        raise ValueError("Some of the trees predict numbers, and some classes: they have no sum, mean or product.")


def check_same_classes(given: Sequence[Any]) -> None:
    """Raise ValueError if estimators have equally many, but different classes; a Tree knows only their number."""
    known = [np.asarray(tree.classes_) for tree in given if hasattr(tree, "classes_")]
    for classes in known:
        if classes.shape == known[0].shape and not np.array_equal(classes, known[0]):
            raise ValueError(f"The trees differ in their classes: {known[0].tolist()} and {classes.tolist()}.")


def _check_splits(tree: Tree, cardinalities: IntArray) -> None:
    """Raise ValueError if a tree splits outside of the cardinalities."""
    binary = (tree.children_left != LEAF) & (tree.children_left != MULTIWAY)
    feature, threshold = tree.feature[binary], tree.threshold[binary]
    wrong = (threshold < 0) | (threshold >= cardinalities[feature] - 1)
    found = [(m, f"splits feature {m} at {at}") for m, at in zip(feature[wrong], threshold[wrong], strict=True)]
    if tree.is_multiway:
        feature, category = feature_of_categories(tree), tree.categories
        wrong = category >= cardinalities[feature]
        children = zip(feature[wrong], category[wrong], strict=True)
        found += [(m, f"has a child for category {code} of feature {m}") for m, code in children]
    if found:
        m, what = found[0]
        raise ValueError(
            f"A tree {what}, but its cardinality is {cardinalities[m]}: its values are the codes 0 to "
            f"{cardinalities[m] - 1}. (ordinal_codes codes trees of other numbers.)"
        )


def feature_of_categories(tree: Tree) -> IntArray:
    """Return the feature that every one of `tree.categories` is a category of."""
    feature_of_parent = np.empty(tree.node_count, dtype=np.int64)
    feature_of_parent[tree.children] = np.repeat(tree.feature, np.diff(tree.child_offsets))
    return np.repeat(feature_of_parent, np.diff(tree.category_offsets))


def multiway_features(tree: Tree) -> BoolArray:
    """Return which features multiway nodes split by; ndarray of shape (n_features,), bool."""
    return np.isin(np.arange(tree.n_features), tree.feature[tree.children_left == MULTIWAY])


def check_weights(weights: ArrayLike | None, n_trees: int) -> FloatArray:
    """Return one finite number for every tree; by default 1 / n_trees, which averages them."""
    if n_trees == 0:
        raise ValueError("There are no trees.")
    if weights is None:
        return np.full(n_trees, 1.0 / n_trees)
    weights = real_array("weights", weights)
    if weights.shape != (n_trees,) or not np.all(np.isfinite(weights)):
        raise ValueError(f"weights must be {n_trees} finite numbers, one for every tree, got shape {weights.shape}.")
    return weights


def check_shares(weights: ArrayLike | None, number: int, what: str) -> FloatArray:
    """Return weights scaled to a sum of one, all equal for None; raise ValueError unless they are valid."""
    if weights is None:
        return np.full(number, 1.0 / number)
    weights = real_array("weights", weights)
    if weights.shape != (number,) or not np.all(np.isfinite(weights)) or np.any(weights < 0) or not np.any(weights):
        raise ValueError(f"weights must be {number} numbers, {what}, not negative and not all zero.")
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # by a power of two: their sum does not overflow
    return weights / weights.sum()


def are_numbers(trees: Sequence[Tree]) -> bool:
    """Whether trees of one kind predict numbers."""
    return bool(trees) and trees[0].is_regressor


def node_values(
    given: Sequence[Any], trees: Sequence[Tree], class_index: int | None, values: Iterable[ArrayLike] | None
) -> list[FloatArray]:
    """Return the function of every tree at its nodes: a list of arrays of shape (node_count, n_outputs)."""
    if values is None and are_numbers(trees):
        if class_index is not None and not (is_whole(class_index) and class_index == -1):
            raise ValueError(f"The trees predict numbers and have no classes, got class_index={class_index!r}.")
        return [tree.value for tree in trees]
    if values is None:
        if len(trees) and all(isinstance(one, Tree) and one.n_classes == 1 for one in given):
            raise ValueError(
                "These trees have one class, whose share is 1 everywhere: give their values, such as "
                "**model.arguments of an additive model."
            )
        pairs = zip(given, trees, strict=True)
        return [_indicators(node_labels(one, tree), tree.n_classes, class_index) for one, tree in pairs]
    if not np.iterable(values):
        raise ValueError(f"values must have an array for every tree, got {values!r}.")
    values = list(values)
    if len(values) != len(trees):
        raise ValueError(f"values has arrays for {len(values)} trees; there are {len(trees)}.")
    checked = [_checked_values(given, tree) for given, tree in zip(values, trees, strict=True)]
    if len({part.shape[1] for part in checked}) > 1:
        raise ValueError("values has different numbers of outputs for different trees.")
    return checked


def _checked_values(values: ArrayLike, tree: Tree) -> FloatArray:
    values = real_array("values", values)
    if values.ndim not in (1, 2) or len(values) != tree.node_count or not values.size:
        raise ValueError(f"values has shape {values.shape} for a tree of {tree.node_count} nodes.")
    if not np.all(np.isfinite(values)):
        raise ValueError("values holds NaN or infinity.")
    return values.reshape(tree.node_count, -1)


def _indicators(labels: AnyArray, n_classes: int, class_index: int | None) -> FloatArray:
    """Return 1 for nodes that predict this class, 0 for others; None gives a column for every class."""
    if class_index is None:
        return (labels[:, np.newaxis] == np.arange(n_classes)).astype(np.float64)
    is_number = isinstance(class_index, Integral) and not isinstance(class_index, bool)
    if not is_number or not -n_classes <= class_index < n_classes:
        raise ValueError(f"class_index must be the index of one of {n_classes} classes, got {class_index!r}.")
    return (labels == class_index % n_classes).astype(np.float64)[:, np.newaxis]


def extreme_exponent(magnitude: float) -> int:
    """Return the binary exponent of a greatest absolute value if squares could overflow or vanish, otherwise 0."""
    exponent = int(np.frexp(magnitude)[1])
    return 0 if abs(exponent) < _ORDINARY else exponent


def _product(factor: float, values: FloatArray, exponent: int) -> FloatArray:
    """Return factor * values * 2**exponent; unless the exponent is 0, no part of the product overflows or vanishes."""
    if not exponent:
        return factor * values
    (mantissa, of_factor), of_values = np.frexp(factor), exponent_of(values)
    return times_power(mantissa * times_power(values, -of_values), int(of_factor) + of_values + exponent)


class Leaves:
    """The leaf boxes of some trees as the kernels take them, with boxes of the values that stay at multiway nodes.

    `boxes` are five flat arrays, and `values` has a row for every box. Tree t has the boxes from ``indptr[t]`` to
    ``indptr[t + 1]``. `node_values` has an array for every tree: a row for every node, times the weight of the tree.
    """

    trees: list[Tree]
    node_values: list[FloatArray]
    indptr: IntArray
    values: FloatArray
    boxes: Boxes

    def __init__(
        self,
        trees: Iterable[Tree | TreeEstimator],
        cardinalities: IntArray,
        *,
        class_index: int | None = -1,
        values: Iterable[ArrayLike] | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        given = listed(trees)
        self.trees = check_trees(given, cardinalities)
        factors = np.ones(len(self.trees)) if weights is None else weights
        of_nodes = node_values(given, self.trees, class_index, values)
        self._given = [(factor, of_tree, 0) for factor, of_tree in zip(factors, of_nodes, strict=True)]
        parts = [_leaf_boxes(tree, cardinalities) for tree in self.trees]
        self._leaves = [leaves for leaves, *_ in parts]
        self._multiply()
        if not all(np.all(np.isfinite(of_tree)) for of_tree in self.node_values):
            raise ValueError("The products of weights and values are beyond the range of float64, 1.8e308.")
        self.indptr = _starts(list(map(len, self._leaves)))
        lengths = [np.diff(indptr) for _, indptr, *_ in parts]
        n_runs = [np.diff(run_indptr) for _, _, _, run_indptr, _, _ in parts]
        attribute, start, stop = (np.concatenate([part[i] for part in parts]) for i in (2, 4, 5))
        self.boxes = _starts(np.concatenate(lengths)), attribute, _starts(np.concatenate(n_runs)), start, stop

    def _multiply(self) -> None:
        """Set the values to the products of weights, given values and powers of two."""
        with np.errstate(over="ignore"):
            self.node_values = [_product(*of_tree) for of_tree in self._given]
        at_leaves = [of_tree[leaves] for of_tree, leaves in zip(self.node_values, self._leaves, strict=True)]
        self.values = np.ascontiguousarray(np.concatenate(at_leaves))

    def less(self, other: Leaves) -> Leaves:
        """Return the leaves of this sum of trees minus another sum with as many outputs."""
        found = Leaves.__new__(Leaves)
        found.trees = self.trees + other.trees
        found._given = [*self._given, *((-factor, *of_tree) for factor, *of_tree in other._given)]
        found._leaves = self._leaves + other._leaves
        found._multiply()
        found.indptr = np.concatenate([self.indptr, self.indptr[-1] + other.indptr[1:]])
        indptr, attribute, run_indptr, start, stop = self.boxes
        more, *_, other_start, other_stop = other.boxes
        found.boxes = (
            np.concatenate([indptr, indptr[-1] + more[1:]]),
            np.concatenate([attribute, other.boxes[1]]),
            np.concatenate([run_indptr, run_indptr[-1] + other.boxes[2][1:]]),
            np.concatenate([start, other_start]),
            np.concatenate([stop, other_stop]),
        )
        return found

    def times_power(self, exponent: int) -> Leaves:
        """Return the leaves with values times a power of two, which rounds only the smallest numbers."""
        if not exponent:
            return self
        found = copy(self)
        found._given = [(*of_tree, power + exponent) for *of_tree, power in self._given]
        found._multiply()
        return found

    def scaled(self) -> tuple[Leaves, int]:
        """Return the leaves with values scaled by a power of two, to a greatest value near one, and its exponent.

        Squares then neither vanish nor overflow, and nothing is rounded.
        """
        exponents = [
            exponent_of(_product(factor, of_tree[leaves], -known)) + known + power
            for (factor, of_tree, power), leaves in zip(self._given, self._leaves, strict=True)
            for known in [exponent_of(factor) + exponent_of(of_tree[leaves])]
            if factor and np.any(of_tree[leaves])
        ]
        exponent = max(exponents, default=0)
        exponent = 0 if abs(exponent) < _ORDINARY else exponent
        return self.times_power(-exponent), exponent

    @property
    def tree_of_box(self) -> IntArray:
        return np.repeat(np.arange(len(self.trees), dtype=np.int64), np.diff(self.indptr))

    @property
    def magnitude(self) -> float:
        """The sum of the trees' greatest absolute values, an upper bound of their sum."""
        return float(np.sum(np.maximum.reduceat(np.abs(self.values).max(axis=1), self.indptr[:-1])))


def weighted_leaves(
    trees: Iterable[Tree | TreeEstimator],
    cardinalities: IntArray,
    weights: ArrayLike | None,
    class_index: int | None,
    values: Iterable[ArrayLike] | None,
) -> Leaves:
    """Collect the leaves of trees, with values times the weights of the trees; by default trees are averaged."""
    trees = listed(trees)
    factors = check_weights(weights, len(trees))
    return Leaves(trees, cardinalities, class_index=class_index, values=values, weights=factors)


def _leaf_boxes(tree: Tree, cardinalities: IntArray) -> list[IntArray]:
    arrays = tree.children_left, tree.children_right, tree.feature, tree.threshold, aligned(cardinalities)
    below = ()
    if tree.is_multiway:
        below = tree.child_offsets, tree.children, tree.category_offsets, tree.categories
    missing_left = tree.missing_left if isinstance(tree, CodedTree) else None
    found = kernel("leaf_boxes")(*arrays, *below, missing_left=missing_left)
    return [np.asarray(part, dtype=np.int64) for part in found]


def _starts(lengths: ArrayLike) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def check_positive(name: str, number: object) -> None:
    """Raise ValueError unless a limit is None or a whole number from 1."""
    if number is not None and (isinstance(number, bool) or not is_whole(number) or number < 1):
        raise ValueError(f"{name} must be a whole number from 1, or None, got {number!r}.")


def check_whole(name: str, number: object, low: int) -> None:
    """Raise ValueError unless a number is whole and not below a bound."""
    if isinstance(number, bool) or not is_whole(number) or number < low:
        raise ValueError(f"{name} must be a whole number from {low}, got {number!r}.")


def check_number(name: str, number: object, low: float, high: float = np.inf) -> None:
    """Raise ValueError unless a number is real and from low to high."""
    if isinstance(number, bool) or not is_real(number) or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}, got {number!r}.")


def check_share(name: str, number: object) -> None:
    """Raise ValueError unless a number is real, above zero and not above one."""
    if isinstance(number, bool) or not is_real(number) or not 0.0 < number <= 1.0:
        raise ValueError(f"{name} must be a share in (0, 1], got {number!r}.")


def check_memory_limit(memory_limit: object) -> None:
    """Raise ValueError unless a limit is a number from 0; whole numbers may be beyond float64, as for no limit."""
    check = check_whole if is_whole(memory_limit) else check_number
    check("memory_limit", memory_limit, 0)


def check_budget(what: str, shape: tuple[int, ...], n_bytes: float, memory_limit: int) -> None:
    """Raise MemoryError if an array would take more memory than allowed."""
    check_memory_limit(memory_limit)
    if n_bytes > memory_limit:
        raise MemoryError(
            f"{what} of shape {shape} would take {n_bytes:.3g} bytes, more than memory_limit={memory_limit}."
        )
