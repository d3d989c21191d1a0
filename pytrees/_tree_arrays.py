"""Check that the arrays of a tree are safe to walk, and derive what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._typing import BoolArray, FloatArray, IntArray, is_whole

if TYPE_CHECKING:
    from .tree import Tree

_Scalar = TypeVar("_Scalar", bound=np.generic)

# In children_left and children_right: the node is a leaf, or has children by category.
LEAF = -1
MULTIWAY = -2

# Numbers that a packed tree keeps of its nodes and features stay below.
PACKABLE = 2**31

# In missing_go_to_left: the node saw no missing value, and sends them to the child of more weight.
TO_GREATER_CHILD = -1

# Of the arrays of a tree; of its multiway nodes' children; of the sets of their categories.
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


class BinaryForm(NamedTuple):
    """A tree's decisions with thresholds only, as arrays of shape (n_nodes,), the nodes in preorder.

    `children_left`, `children_right`, `feature` and `threshold` are as in a `Tree` without multiway nodes. `node` tells
    whose part a node is. Among the parts of a multiway node are leaves: for samples of none of its children's
    categories. Where several ranges of categories lead to one child, its node is there as often, and these nodes share
    their own children: they are no tree then, but are walked like one.
    """

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    node: IntArray


def read_only(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Copy an array to memory that nobody can write to, not even through its flags."""
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def _is_read_only(array: NDArray[Any]) -> bool:
    """Whether an array lies in bytes, in one piece."""
    base = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, bytes) and array.flags.c_contiguous


def frozen(name: str, array: ArrayLike, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """Return one of the given arrays as a read-only array of its dtype, a copy where it is none."""
    try:
        array = np.asarray(array)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Not a tree: {name} is no array: {error}") from error
    if array.dtype == dtype and _is_read_only(array):
        return array
    if array.size and not np.can_cast(array.dtype, dtype, casting="same_kind"):
        raise ValueError(f"Not a tree: {name} has dtype {array.dtype}, which {np.dtype(dtype)} cannot hold.")
    return read_only(array.astype(dtype, copy=False))


def checked_number(n_features: object) -> int:
    """Return the number of features, which kernels count to."""
    if not is_whole(n_features) or not 1 <= n_features < PACKABLE:
        raise ValueError(f"Not a tree: n_features must be a whole number from 1 to {PACKABLE - 1}, got {n_features!r}.")
    return int(n_features)


def check_tree(tree: Tree) -> int:
    """Raise a ValueError if the tree's arrays could not be walked safely; return its depth."""
    _check_shapes(tree)
    _check_sides(tree)
    if tree.is_multiway:
        _check_child_offsets(tree)
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != LEAF)
    children = tree.children if tree.is_multiway else np.concatenate([left[inner], right[inner]])
    if not np.array_equal(np.sort(children), np.arange(1, tree.node_count)):
        raise ValueError("Not a tree: the children are not all nodes but the root, every one once.")
    if tree.is_multiway:
        _check_multiway_nodes(tree)
    _check_nodes(tree, inner)
    return _check_preorder(tree, inner)


def _check_shapes(tree: Tree) -> None:
    n_nodes = tree.node_count
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    expected = dict.fromkeys(names, n_nodes)
    if tree.is_multiway:
        expected |= {"child_offsets": n_nodes + 1, "children": n_nodes - 1, "category": n_nodes}
    for name, size in expected.items():
        shape = getattr(tree, name).shape
        if shape[:1] != (size,) or len(shape) != (2 if name == "value" else 1):
            raise ValueError(f"Not a tree: {name} has shape {shape} in a tree of {n_nodes} nodes.")
    if n_nodes == 0 or tree.value.shape[1] == 0:
        raise ValueError("Not a tree: it needs a node and a class at least.")


def _check_sides(tree: Tree) -> None:
    left, right = tree.children_left, tree.children_right
    if not np.array_equal(left == LEAF, right == LEAF):
        raise ValueError("Not a tree: a node has one child.")
    if not np.array_equal(left == MULTIWAY, right == MULTIWAY):
        raise ValueError("Not a tree: a node is multiway on one side.")


def _check_child_offsets(tree: Tree) -> None:
    """Check that child_offsets give every node as many of `children` as it has, within that array."""
    offsets, left = tree.child_offsets, tree.children_left
    if offsets[0] != 0 or offsets[-1] != tree.children.size or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(
            "Not a tree: child_offsets do not agree with children: they must ascend from 0 to the number of children, "
            f"{tree.children.size}."
        )
    counts = np.diff(offsets)
    expected = np.where(left == LEAF, 0, np.where(left == MULTIWAY, np.maximum(counts, 1), 2))
    if not np.array_equal(counts, expected):
        node = int(np.flatnonzero(counts != expected)[0])
        raise ValueError(
            f"Not a tree: child_offsets do not agree with children_left: node {node} has {counts[node]} children."
        )


def _check_multiway_nodes(tree: Tree) -> None:
    """Check that `children` agree with left and right ones, and have ascending categories."""
    offsets, children, left, right = tree.child_offsets, tree.children, tree.children_left, tree.children_right
    binary = np.flatnonzero((left != LEAF) & (left != MULTIWAY))
    starts = offsets[binary]
    if not (np.array_equal(children[starts], left[binary]) and np.array_equal(children[starts + 1], right[binary])):
        raise ValueError("Not a tree: children do not agree with children_left and children_right.")
    parents = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    siblings = parents[1:] == parents[:-1]
    is_category = left[parents] == MULTIWAY
    category = tree.category[children]
    if (
        tree.category[0] != -1
        or np.any((category >= 0) != is_category)
        or np.any(category < -1)
        or np.any(siblings & is_category[1:] & (category[1:] <= category[:-1]))
    ):
        raise ValueError("Not a tree: category does not ascend among the children of a multiway node, or is not -1.")
    if category.size and category.max() >= PACKABLE:
        raise ValueError(f"Not a tree: category holds {category.max()}, which is no code of a category.")


def check_sets(tree: Tree, offsets: IntArray, categories: IntArray) -> None:
    """Raise a ValueError where the arrays do not give the children of multiway nodes sets of categories, `category`
    being the lowest of each."""
    if offsets.shape != (tree.node_count + 1,) or categories.ndim != 1:
        raise ValueError(
            f"Not a tree: category_offsets and categories have shapes {offsets.shape} and {categories.shape} in a tree "
            f"of {tree.node_count} nodes."
        )
    if offsets[0] != 0 or offsets[-1] != categories.size or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(
            "Not a tree: category_offsets do not agree with categories: they must ascend from 0 to the number of "
            f"categories, {categories.size}."
        )
    has_category = tree.category >= 0
    if not np.array_equal(np.diff(offsets) > 0, has_category):
        raise ValueError("Not a tree: category_offsets do not agree with category.")
    child = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    if np.any((child[1:] == child[:-1]) & (categories[1:] <= categories[:-1])) or not np.array_equal(
        categories[offsets[:-1][has_category]], tree.category[has_category]
    ):
        raise ValueError("Not a tree: categories do not ascend from category for every child.")
    if categories.size and categories.max() >= PACKABLE:
        raise ValueError(f"Not a tree: categories holds {categories.max()}, which is no code of a category.")
    parents = np.zeros(tree.node_count, dtype=np.int64)
    parents[tree.children] = np.repeat(np.arange(tree.node_count), np.diff(tree.child_offsets))
    if len(np.unique(np.stack([parents[child], categories]), axis=1).T) < categories.size:
        raise ValueError("Not a tree: a category leads to two children of a node.")


def _check_nodes(tree: Tree, inner: IntArray) -> None:
    features = tree.feature[inner]
    if np.any((features < 0) | (features >= tree.n_features)):
        raise ValueError(f"Not a tree of {tree.n_features} features: a node looks at another one.")
    for name in ("threshold", "gain"):
        if np.any(np.isnan(getattr(tree, name))):
            raise ValueError(f"Not a tree: {name} holds NaN.")
    with np.errstate(over="ignore"):
        weights = tree.value.sum(axis=1)
    if np.any(tree.n_node_samples < 1) or np.any(tree.value < 0.0) or not np.all((weights > 0) & (weights < np.inf)):
        raise ValueError("Not a tree: every node has samples, and class counts that are not negative nor all zero.")
    if tree.n_node_samples.sum(dtype=np.float64) >= 2.0**63:
        raise ValueError("Not a tree: n_node_samples of all nodes add up to more than an int64 holds.")


def _check_preorder(tree: Tree, inner: IntArray) -> int:
    """Check that nodes are numbered in preorder, the first child first; return the depth of the tree.

    Takes O(n log depth), by arrays as a whole: neither level by level nor node by node.
    """
    parents = np.zeros(tree.node_count, dtype=np.int64)
    first, later, before, last = _siblings(tree, inner, parents)
    if not np.array_equal(first, inner + 1) or np.any(later <= parents[later]):
        raise ValueError("Not a tree in preorder: a first child does not follow its parent.")
    # Of every node the highest one that it is the last node below of, by twice as many steps up in every turn.
    ends = np.arange(tree.node_count)
    ends[last] = parents[last]
    while not np.array_equal(ends, above := ends[ends]):
        ends = above
    if not np.array_equal(ends[later - 1], before):
        raise ValueError("Not a tree in preorder: a child does not follow the last node below the child before it.")
    return int(_steps_to_root(parents).max())


def _steps_to_root(parents: IntArray) -> IntArray:
    """Count the steps from every node to the root, whose own parent it is."""
    steps = np.minimum(np.arange(len(parents)), 1)
    while parents.any():  # `steps` are those to `parents`: twice as many in every turn
        steps += steps[parents]
        parents = parents[parents]
    return steps


def node_depths(tree: Tree) -> IntArray:
    """Return the depth of every node, 0 of the root; ndarray of shape (node_count,), int64."""
    parents = np.zeros(tree.node_count, dtype=np.int64)
    _siblings(tree, np.flatnonzero(tree.children_left != LEAF), parents)
    return _steps_to_root(parents)


def _siblings(tree: Tree, inner: IntArray, parents: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Set the parents of all nodes but the root; return the first children, the later ones, the sibling before each of
    these, and the last children.
    """
    left, right = tree.children_left[inner], tree.children_right[inner]
    if not tree.is_multiway:
        parents[left] = parents[right] = inner
        return left, right, left, right
    children, offsets = tree.children, tree.child_offsets
    parents[children] = np.repeat(np.arange(tree.node_count), np.diff(offsets))
    siblings = np.flatnonzero(parents[children[1:]] == parents[children[:-1]])
    return children[offsets[inner]], children[siblings + 1], children[siblings], children[offsets[inner + 1] - 1]


# ------------------------------------------------------------------------------------------------------- missing values


def check_missing(tree: Tree, missing_go_to_left: IntArray | None, saw_missing: IntArray | None) -> None:
    """Raise a ValueError where the arrays, which may be None, do not say of nodes where missing values go."""
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
            raise ValueError(f"Not a tree: {name} holds 1 where a node has no threshold.")
    if missing_go_to_left is None and saw_missing is not None:
        raise ValueError("Not a tree: saw_missing says nothing without missing_go_to_left.")


def goes_to_greater_child(tree: Tree) -> BoolArray:
    """Return for every node whether its left child has more weight than its right one; False without such children.

    The class counts, or sums of weights, of both are compared as the real numbers that they are.
    """
    goes_left = np.zeros(tree.node_count, dtype=bool)
    inner = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.value[tree.children_left[inner]], tree.value[tree.children_right[inner]]
    difference = left.sum(axis=1) - right.sum(axis=1)
    # Sums of whole numbers of this size are exact.
    if not (np.all(tree.value == np.floor(tree.value)) and tree.value[0].sum() < 2.0**53):
        is_near = np.abs(difference) <= 1e-9 * (left.sum(axis=1) + right.sum(axis=1))
        for i in np.flatnonzero(is_near):
            difference[i] = fsum([*left[i].tolist(), *(-right[i]).tolist()])
    goes_left[inner] = difference > 0.0
    return goes_left


def missing_arrays(tree: Tree) -> tuple[NDArray[np.uint8], BoolArray] | tuple[()]:
    """Return `missing_go_to_left` and `saw_missing`, as a further tree of these nodes or of some of them is told;
    nothing where the tree refuses missing values."""
    return (tree.missing_go_to_left, tree.saw_missing) if tree.takes_missing else ()


def category_sets_of(tree: Tree, nodes: Sequence[int] | IntArray) -> dict[str, IntArray]:
    """Return `category_offsets` and `categories` of some nodes, as a further tree of these nodes is told; nothing where
    there are no multiway nodes."""
    if not tree.is_multiway:
        return {}
    sizes = np.diff(tree.category_offsets)[nodes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(tree.category_offsets[nodes] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return {"category_offsets": offsets, "categories": tree.categories[places]}


def scaled_to_one(numbers: FloatArray) -> FloatArray:
    """Divide numbers that are not negative by the power of two that takes the greatest below one."""
    return np.ldexp(numbers, -np.frexp(numbers.max(initial=0.0))[1])
