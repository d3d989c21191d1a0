"""The arrays that make a tree, and the checks that make walking them safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._given_judges import ERRORS
from ._typing import AnyArray, BoolArray, FloatArray, IntArray, Specification, is_whole
from .criteria import CRITERIA, Criterion

_Scalar = TypeVar("_Scalar", bound=np.generic)

# In children_left and children_right: the node is a leaf, or has children by category.
LEAF = -1
MULTIWAY = -2

# In feature and threshold: the node has no feature or threshold.
UNDEFINED = -2

# The number of features and the codes of categories stay below this.
CODE_END = 2**31

# A call that walks samples through a tree takes the time of this many samples more.
ROWS_OF_A_CALL = 32

# In missing_go_to_left: training had no missing value at the node, which sends them to the child of more weight.
TO_GREATER_CHILD = -1

# The arrays of every tree, the arrays of the children of multiway nodes, the arrays of their sets of categories, and
# the arrays that a tree of numbers has besides, in which class counts do not tell weights and impurities.
DTYPES = {
    "children_left": np.int64,
    "children_right": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "n_node_samples": np.int64,
    "value": np.float64,
    "gain": np.float64,
}

CHILD_DTYPES = {"child_offsets": np.int64, "children": np.int64, "category": np.int64}
SET_DTYPES = {"category_offsets": np.int64, "categories": np.int64}
NUMBER_DTYPES = {"weighted_n_node_samples": np.float64, "impurity": np.float64}


class TreeArrays(Protocol):
    """The parts of a tree that the checks read: the class of this name in `_tree_arrays`."""

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    n_node_samples: IntArray
    value: FloatArray
    gain: FloatArray
    n_features: int
    is_multiway: bool
    _impurity: FloatArray | None
    _weights: FloatArray | None

    @property
    def node_count(self) -> int: ...
    @property
    def is_regressor(self) -> bool: ...
    @property
    def weighted_n_node_samples(self) -> FloatArray: ...
    @property
    def child_offsets(self) -> IntArray: ...
    @property
    def children(self) -> IntArray: ...
    @property
    def category(self) -> IntArray: ...


# -------------------------------------------------------------------------------------------------- read-only arrays


def read_only(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Copy an array to memory that cannot be written to, even if the flags of the array are changed."""
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def _is_read_only(array: NDArray[Any]) -> bool:
    """Whether the memory of an array is a `bytes` object, in one contiguous and aligned piece."""
    base = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, bytes) and array.flags.c_contiguous and array.flags.aligned


def frozen(name: str, array: ArrayLike, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """Return an array as a read-only array of a dtype: the array itself if it is such an array, otherwise a copy."""
    try:
        array = np.asarray(array)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Not a tree: {name} is no array: {error}") from error
    if array.dtype == dtype:
        return array if _is_read_only(array) else read_only(array)
    if array.size and not np.can_cast(array.dtype, dtype, casting="same_kind"):
        raise ValueError(f"Not a tree: {name} has dtype {array.dtype}, which {np.dtype(dtype)} cannot hold.")
    return read_only(array.astype(dtype))


def all_frozen(dtypes: Mapping[str, Any], arrays: Sequence[ArrayLike]) -> tuple[AnyArray, ...]:
    """Return arrays as read-only arrays; `dtypes` has their dtypes by their names in errors."""
    return tuple(frozen(name, array, dtype) for (name, dtype), array in zip(dtypes.items(), arrays, strict=True))


# ------------------------------------------------------------------------------------------------------------- checks


def checked_number(n_features: object) -> int:
    """Return the number of features; raise ValueError if kernels cannot count so far."""
    if not is_whole(n_features) or not 1 <= n_features < CODE_END:
        raise ValueError(f"Not a tree: n_features must be a whole number from 1 to {CODE_END - 1}, got {n_features!r}.")
    return int(n_features)


def checked_criterion(criterion: object, n_classes: int) -> Specification | None:
    """Return the measure of impurity as the kernels take it; raise ValueError if it is none for so many classes, or
    none for numbers if there are no classes."""
    if criterion is None:
        return None
    try:
        return _checked_error(criterion) if n_classes == 0 else _checked_specification(criterion, n_classes)
    except ValueError as error:
        raise ValueError(f"Not a tree: {error}") from error


def checked_below(tree: TreeArrays, below_threshold: ArrayLike) -> FloatArray:
    """Return the greatest values that go left as a read-only array; raise ValueError if one of them does not."""
    below = frozen("below_threshold", below_threshold, np.float64)
    if below.shape != (tree.node_count,):
        raise ValueError(f"Not a tree: below_threshold has shape {below.shape}, not ({tree.node_count},).")
    has_threshold = tree.children_left >= 0
    if not np.all(below[has_threshold] <= tree.threshold[has_threshold]):
        raise ValueError("Not a tree: below_threshold is no number, or lies above the threshold.")
    return read_only(np.where(has_threshold, below, np.float64(UNDEFINED)))


def checked_heuristic(tree: TreeArrays, splits_by_heuristic: ArrayLike) -> BoolArray:
    """Return a read-only array of bool; raise ValueError unless there is a bool, 0 or 1 for every node."""
    given = frozen("splits_by_heuristic", splits_by_heuristic, np.int64)
    if given.shape != (tree.node_count,) or not np.all((given == 0) | (given == 1)):
        raise ValueError(f"Not a tree: splits_by_heuristic must be 0 or 1 at each of {tree.node_count} nodes.")
    return read_only(given == 1)


def checked_shares(tree: TreeArrays, shares: ArrayLike) -> NDArray[np.float64]:
    """Return the shares of classes as a read-only array; raise ValueError if they are none."""
    found = frozen("shares", shares, np.float64)
    if tree._weights is not None:
        raise ValueError("Not a tree: a tree of numbers has no shares of classes.")
    if found.shape != tree.value.shape:
        raise ValueError(f"Not a tree: shares has shape {found.shape}, but value has {tree.value.shape}.")
    if not (np.all(found >= 0.0) and np.allclose(found.sum(axis=1), 1.0, rtol=0.0, atol=1e-9)):
        raise ValueError("Not a tree: the shares of the classes must not be negative, and add up to 1 at every node.")
    return found


def check_tree(tree: TreeArrays) -> int:
    """Raise a ValueError if the tree's arrays could not be walked safely; return its depth."""
    _check_shapes(tree)
    _check_sides(tree)
    if tree.is_multiway:
        _check_child_offsets(tree)
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != LEAF)
    children = tree.children if tree.is_multiway else np.concatenate([left[inner], right[inner]])
    if not np.array_equal(np.sort(children), np.arange(1, tree.node_count)):
        raise ValueError("Not a tree: the children must be all nodes but the root, each of them once.")
    if tree.is_multiway:
        _check_multiway_nodes(tree)
    _check_nodes(tree, inner)
    return _check_preorder(tree, inner)


def _check_shapes(tree: TreeArrays) -> None:
    n_nodes = tree.node_count
    expected = dict.fromkeys(DTYPES, n_nodes)
    if tree.is_multiway:
        expected |= {"child_offsets": n_nodes + 1, "children": n_nodes - 1, "category": n_nodes}
    for name, size in expected.items():
        shape = getattr(tree, name).shape
        if shape[:1] != (size,) or len(shape) != (2 if name == "value" else 1):
            raise ValueError(f"Not a tree: {name} has shape {shape} in a tree of {n_nodes} nodes.")
    if n_nodes == 0 or tree.value.shape[1] == 0:
        raise ValueError("Not a tree: it needs a node and a class at least.")
    if tree.is_regressor:
        _check_numbers(tree)


def _check_numbers(tree: TreeArrays) -> None:
    """Check what a tree of numbers has in place of class counts."""
    n_nodes = tree.node_count
    if tree.value.shape != (n_nodes, 1):
        raise ValueError(f"Not a tree: value has shape {tree.value.shape} in a tree of numbers with {n_nodes} nodes.")
    for name, array in (("weighted_n_node_samples", tree._weights), ("impurity", tree._impurity)):
        if array is not None and array.shape != (n_nodes,):
            raise ValueError(f"Not a tree: {name} has shape {array.shape} in a tree of {n_nodes} nodes.")
    if not np.all(np.isfinite(tree.value)):
        raise ValueError("Not a tree: value holds a number that is not finite.")
    if tree._impurity is not None and not np.all(tree._impurity >= 0.0):
        raise ValueError("Not a tree: impurity holds NaN or a negative number.")


def _check_sides(tree: TreeArrays) -> None:
    left, right = tree.children_left, tree.children_right
    if not np.array_equal(left == LEAF, right == LEAF):
        raise ValueError("Not a tree: a node has one child.")
    if not np.array_equal(left == MULTIWAY, right == MULTIWAY):
        raise ValueError("Not a tree: a node is multiway on one side.")


def _check_offsets(name: str, offsets: AnyArray, what: str, size: int) -> None:
    """Check that offsets divide an array of this size, which is named `what`."""
    if offsets[0] != 0 or offsets[-1] != size or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(
            f"Not a tree: {name} do not agree with {what}: they must ascend from 0 to the number of {what}, {size}."
        )


def _check_child_offsets(tree: TreeArrays) -> None:
    """Check that child_offsets give every node the right number of `children`, within that array."""
    left = tree.children_left
    _check_offsets("child_offsets", tree.child_offsets, "children", tree.children.size)
    counts = np.diff(tree.child_offsets)
    expected = np.where(left == LEAF, 0, np.where(left == MULTIWAY, np.maximum(counts, 1), 2))
    if not np.array_equal(counts, expected):
        node = int(np.flatnonzero(counts != expected)[0])
        raise ValueError(
            f"Not a tree: child_offsets do not agree with children_left: node {node} has {counts[node]} children."
        )


def _check_multiway_nodes(tree: TreeArrays) -> None:
    """Check that `children` agree with left and right ones, and have ascending categories."""
    offsets, children, left, right = tree.child_offsets, tree.children, tree.children_left, tree.children_right
    binary = np.flatnonzero((left != LEAF) & (left != MULTIWAY))
    starts = offsets[binary]
    if not (np.array_equal(children[starts], left[binary]) and np.array_equal(children[starts + 1], right[binary])):
        raise ValueError("Not a tree: children do not agree with children_left and children_right.")
    parents = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    are_siblings = parents[1:] == parents[:-1]
    is_category = left[parents] == MULTIWAY
    category = tree.category[children]
    if (
        tree.category[0] != -1
        or np.any((category >= 0) != is_category)
        or np.any(category < -1)
        or np.any(are_siblings & is_category[1:] & (category[1:] <= category[:-1]))
    ):
        raise ValueError(
            "Not a tree: category must ascend among the children of a multiway node, and be -1 at all other nodes."
        )
    if category.size and category.max() >= CODE_END:
        raise ValueError(f"Not a tree: category holds {category.max()}, which is no code of a category.")


def check_sets(tree: TreeArrays, offsets: AnyArray, categories: AnyArray) -> None:
    """Raise a ValueError unless the arrays give every child of a multiway node a set of categories, and `category` is
    the lowest category of each set."""
    if offsets.shape != (tree.node_count + 1,) or categories.ndim != 1:
        raise ValueError(
            f"Not a tree: category_offsets and categories have shapes {offsets.shape} and {categories.shape} in a tree "
            f"of {tree.node_count} nodes."
        )
    _check_offsets("category_offsets", offsets, "categories", categories.size)
    has_category = tree.category >= 0
    if not np.array_equal(np.diff(offsets) > 0, has_category):
        raise ValueError("Not a tree: category_offsets do not agree with category.")
    child = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    if np.any((child[1:] == child[:-1]) & (categories[1:] <= categories[:-1])) or not np.array_equal(
        categories[offsets[:-1][has_category]], tree.category[has_category]
    ):
        raise ValueError("Not a tree: the categories of every child must ascend, and start with its category.")
    if categories.size and categories.max() >= CODE_END:
        raise ValueError(f"Not a tree: categories holds {categories.max()}, which is no code of a category.")
    parents = np.zeros(tree.node_count, dtype=np.int64)
    parents[tree.children] = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    taken = np.sort(parents[child] * CODE_END + categories)
    if np.any(taken[1:] == taken[:-1]):
        raise ValueError("Not a tree: a category leads to two children of a node.")


def _check_nodes(tree: TreeArrays, inner: IntArray) -> None:
    wrong = inner[(tree.feature[inner] < 0) | (tree.feature[inner] >= tree.n_features)]
    if wrong.size:
        feature, number = tree.feature[wrong[0]], tree.n_features
        raise ValueError(
            f"Not a tree of {number} features: node {wrong[0]} tests feature {feature}; features are numbered from 0."
        )
    for name in ("threshold", "gain"):
        if np.any(np.isnan(getattr(tree, name))):
            raise ValueError(f"Not a tree: {name} holds NaN.")
    with np.errstate(over="ignore"):
        weights = tree.weighted_n_node_samples
    is_positive = np.all((weights > 0) & (weights < np.inf)) and np.all(tree.n_node_samples >= 1)
    if not is_positive or (not tree.is_regressor and np.any(tree.value < 0.0)):
        needed = "a weight that is finite and positive"
        if not tree.is_regressor:
            needed = "class counts that are finite, not negative and not all zero"
        raise ValueError(f"Not a tree: every node needs samples, and {needed}.")
    if tree.n_node_samples.sum(dtype=np.float64) >= 2.0**63:
        raise ValueError("Not a tree: n_node_samples of all nodes add up to more than an int64 holds.")


def _check_preorder(tree: TreeArrays, inner: IntArray) -> int:
    """Check that nodes are numbered in preorder, the first child first; return the depth of the tree.

    Takes O(n log depth) by operations on whole arrays.
    """
    parents = np.zeros(tree.node_count, dtype=np.int64)
    first, later, before, last = siblings(tree, inner, parents)
    if not np.array_equal(first, inner + 1) or np.any(later <= parents[later]):
        raise ValueError("Not a tree in preorder: the first child of a node must follow it.")
    # ends[v]: the topmost ancestor whose subtree ends at v, found by pointer doubling.
    ends = np.arange(tree.node_count)
    ends[last] = parents[last]
    while not np.array_equal(ends, above := ends[ends]):
        ends = above
    wrong = later[ends[later - 1] != before]
    if wrong.size:
        raise ValueError(
            f"Not a tree in preorder: node {wrong[0]} does not follow the subtree of the child before it: the subtrees "
            "of siblings must be contiguous."
        )
    return int(steps_to_root(parents).max())


def steps_to_root(parents: IntArray) -> IntArray:
    """Count the steps from every node to the root, which is its own parent."""
    steps = np.minimum(np.arange(len(parents)), 1)
    while parents.any():  # `steps` counts the steps to `parents`, which is twice as far away after every turn
        steps += steps[parents]
        parents = parents[parents]
    return steps


def siblings(tree: TreeArrays, inner: IntArray, parents: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Set the parents of all nodes but the root. Return the first children, the later children, the sibling before each
    later child, and the last children.
    """
    left, right = tree.children_left[inner], tree.children_right[inner]
    if not tree.is_multiway:
        parents[left] = parents[right] = inner
        return left, right, left, right
    children, offsets = tree.children, tree.child_offsets
    parents[children] = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    same = np.flatnonzero(parents[children[1:]] == parents[children[:-1]])
    return children[offsets[inner]], children[same + 1], children[same], children[offsets[inner + 1] - 1]


# ------------------------------------------------------------------------------------------------------- missing values


def check_missing(tree: TreeArrays, missing_go_to_left: IntArray | None, saw_missing: IntArray | None) -> None:
    """Raise a ValueError unless the arrays, or None, are valid ways of missing values at every node."""
    has_sides = tree.children_left >= 0
    for name, array, least in (
        ("missing_go_to_left", missing_go_to_left, TO_GREATER_CHILD),
        ("saw_missing", saw_missing, 0),
    ):
        if array is None:
            continue
        if array.shape != (tree.node_count,):
            raise ValueError(f"Not a tree: {name} has shape {array.shape} in a tree of {tree.node_count} nodes.")
        if array.min() < least or array.max() > 1:
            raise ValueError(f"Not a tree: {name} holds other numbers than {least} to 1.")
        if np.any(array[~has_sides] > 0):
            raise ValueError(f"Not a tree: {name} holds 1 at a node without a threshold.")
    if missing_go_to_left is None and saw_missing is not None:
        raise ValueError("Not a tree: saw_missing says nothing without missing_go_to_left.")


def _checked_error(criterion: Any) -> str:
    """Return the name of a criterion of numbers; raise ValueError for anything else."""
    if not isinstance(criterion, str) or criterion not in ERRORS:
        raise ValueError(f"criterion of a tree of numbers must be one of {list(ERRORS)}, got {criterion!r:.100}.")
    return criterion


def _checked_specification(criterion: Any, n_classes: int) -> Specification:
    """Return a criterion that has an impurity of class counts as the kernels take it: a name, or a name and a dict of
    parameters; raise ValueError for anything else."""
    name: Any
    given: Any
    name, given = (criterion, {}) if isinstance(criterion, str) else (None, None)
    if isinstance(criterion, tuple) and len(criterion) == 2:
        name, given = criterion
    names = [known for known, each in CRITERIA.items() if each.judges == "counts" and each.has_impurity]
    if not isinstance(name, str) or name not in names or not isinstance(given, dict):
        raise ValueError(
            f"criterion must be one of {names}, or a tuple of such a name and a dict of parameters, got "
            f"{criterion!r:.100}."
        )
    judge: Any = CRITERIA[name]
    known = () if isinstance(judge, Criterion) else judge._get_param_names()
    unknown = [parameter for parameter in given if parameter not in known]
    if unknown:
        raise ValueError(f"criterion={name!r} has no parameter {unknown[0]!r:.50}.")
    try:
        return (type(judge)(**given) if given else judge).specification(n_classes)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"criterion={name!r} has a parameter of another kind: {error}") from error
