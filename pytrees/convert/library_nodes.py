"""The trees of other libraries' ensembles as Trees: of boosting in scikit-learn, of XGBoost, LightGBM and treelite.

A Tree has no place for the numbers that its leaves add: readers also return which node of the library each node was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._tree_arrays import check_children
from .._tree_checks import LEAF, UNDEFINED
from .._typing import AnyArray, FloatArray, IntArray
from ..tree import Tree

# treelite's numbers for comparisons, and for nodes.
_LESS, _LESS_OR_EQUAL = 2, 3
_CATEGORICAL_NODE = 2
# LightGBM takes smaller numbers, of either sign, for zero, and cuts zeros off at this number.
_TINY = float(np.float32(1e-35))
# LightGBM's decision types: the bits below the kind of missing values, and the number of the kind "zeros".
_MISSING_BITS, _ZEROS = 2, 1


def binary_tree(
    children_left: AnyArray,
    children_right: AnyArray,
    feature: AnyArray,
    threshold: AnyArray,
    n_features: int,
    missing_go_to_left: AnyArray | None,
) -> tuple[Tree, IntArray]:
    """Return a tree from arrays of nodes in any order, the root first, and the original index of every node.

    Leaves have a left child of -1. Without `missing_go_to_left` the tree refuses missing values. A split that sends all
    samples to one side is left out; one that only separates missing values gets an infinite threshold.
    """
    check_children(children_left, children_right)
    left, right, cuts = children_left.tolist(), children_right.tolist(), threshold.tolist()
    # At an infinite threshold: the side of the missing values, where there are any, and the side of all numbers.
    goes_left = cuts if missing_go_to_left is None else missing_go_to_left.tolist()
    old: list[int] = []
    below: list[list[int]] = []
    pending = [(0, -1, 0)]
    while pending:
        node, parent, side = pending.pop()
        while left[node] != LEAF and not np.isfinite(cuts[node]) and (goes_left[node] > 0) == (cuts[node] > 0):
            node = left[node] if cuts[node] > 0 else right[node]
        if parent >= 0:
            below[parent][side] = len(old)
        if left[node] != LEAF:
            pair = [(right[node], len(old), 1), (left[node], len(old), 0)]
            if not (np.isfinite(cuts[node]) or cuts[node] > 0):  # all numbers are on the right, and come left
                pair = [(left[node], len(old), 1), (right[node], len(old), 0)]
            pending += pair
        old.append(node)
        below.append([LEAF, LEAF])
    order, children = np.array(old, dtype=np.int64), np.array(below, dtype=np.int64)
    leaves = children[:, 0] == LEAF
    n_nodes = len(order)
    is_infinite = ~leaves & ~np.isfinite(threshold[order])
    ways: dict[str, Any] = {}
    if missing_go_to_left is not None:
        sides = np.where(leaves | is_infinite, 0, missing_go_to_left[order])
        ways = {"missing_go_to_left": sides, "saw_missing": np.zeros(n_nodes, dtype=bool)}
    tree = Tree(
        children[:, 0],
        children[:, 1],
        np.where(leaves, UNDEFINED, feature[order]),
        np.where(leaves, UNDEFINED, np.where(is_infinite, np.inf, threshold[order])),
        np.ones(n_nodes, dtype=np.int64),
        np.ones((n_nodes, 1)),
        np.zeros(n_nodes),
        n_features=n_features,
        **ways,
    )
    return tree, order


def tree_of_columns(
    nodes: Any, columns: ArrayLike | None, n_features: int, missing_go_to_left: IntArray | None = None
) -> tuple[Tree, IntArray]:
    """Return a tree of scikit-learn that has learned from these columns, as a tree on all columns.

    Without `missing_go_to_left` it refuses missing values.
    """
    # The features of leaves are negative, and are not used.
    feature = nodes.feature
    if columns is not None:
        of_tree = np.asarray(columns)
        if feature.max(initial=0) >= len(of_tree):
            raise ValueError(f"Not a tree of {len(of_tree)} features: a node tests feature {feature.max()}.")
        feature = of_tree[np.maximum(feature, 0)]
    children = nodes.children_left, nodes.children_right
    return binary_tree(*children, feature, nodes.threshold, n_features, missing_go_to_left)


def tree_of_predictor(nodes: Any, n_features: int) -> tuple[Tree, IntArray]:
    """Return a tree of scikit-learn's histogram gradient boosting, and its numbers of the nodes."""
    left = np.where(nodes["is_leaf"], LEAF, nodes["left"].astype(np.int64))
    right = np.where(nodes["is_leaf"], LEAF, nodes["right"].astype(np.int64))
    cuts = nodes["feature_idx"], nodes["num_threshold"]
    return binary_tree(left, right, *cuts, n_features, nodes["missing_go_to_left"])


def booster_of_xgboost(model: Any) -> Any:
    """Return the booster that predicts; refuse boosters that are no sums of functions constant on boxes."""
    if hasattr(model, "get_booster"):
        if not np.isnan(model.missing):
            raise ValueError(
                f"{type(model).__name__} has missing={model.missing}; only NaN can mean a missing value here."
            )
        booster, best = model.get_booster(), getattr(model, "best_iteration", None)
        if best is not None:
            booster = booster[: best + 1]
    else:
        booster = model
    if '"name":"gblinear"' in booster.save_config().replace(" ", ""):
        raise ValueError("The booster gblinear is a linear model and has no trees.")
    if "c" in (booster.feature_types or []):
        m = booster.feature_types.index("c")
        raise ValueError(f"Feature {m} is categorical; only splits at thresholds are taken.")
    return booster


def booster_of_lightgbm(model: Any) -> Any:
    """Return the booster; refuse boosters that are no sums of functions constant on boxes."""
    if hasattr(model, "booster_"):
        model = model.booster_
    for line in model.model_to_string().splitlines():
        if line == "is_linear=1":
            raise ValueError("The trees have linear leaves (linear_tree=True), which are not constant on boxes.")
        if line.startswith("decision_type="):
            types = np.array(line.partition("=")[2].split(), dtype=np.int64)
            if np.any(types >> _MISSING_BITS & 3 == _ZEROS):
                raise ValueError(
                    "The trees take zeros for missing (zero_as_missing=True), so that leaves are no boxes."
                )
    return model


def tree_of_treelite(nodes: Any, n_features: int, library: str) -> tuple[Tree, IntArray, type[np.floating[Any]]]:
    """Return a tree, the numbers of its nodes in treelite, and the type of the numbers that it compares."""
    tiny = _TINY if library == "lightgbm" else 0.0
    left, right = nodes.get_field("cleft"), nodes.get_field("cright")
    feature, threshold = nodes.get_field("split_index"), nodes.get_field("threshold")
    inner = left != LEAF
    categorical = np.flatnonzero(inner & (nodes.get_field("node_type") == _CATEGORICAL_NODE))
    if categorical.size:
        raise ValueError(
            f"A tree has a categorical split of feature {feature[categorical[0]]}; only splits at thresholds are taken."
        )
    comparison = nodes.get_field("cmp")
    if not np.all(np.isin(comparison[inner], [_LESS, _LESS_OR_EQUAL])):
        raise ValueError("A tree compares by another operator than < and <=.")
    dtype = np.float32 if threshold.dtype == np.float32 else np.float64
    # "less than a number" is "at most the number before it".
    strict = inner & (comparison == _LESS)
    threshold = np.where(strict, np.nextafter(threshold, threshold.dtype.type(-np.inf)), threshold)
    if tiny:
        threshold = np.where((-tiny <= threshold) & (threshold < 0.0), np.nextafter(-tiny, -np.inf), threshold)
        threshold = np.where((threshold >= 0.0) & (threshold < tiny), tiny, threshold)
    sides = nodes.get_field("default_left")
    tree, order = binary_tree(left, right, feature, threshold.astype(np.float64), n_features, sides)
    return tree, order, dtype


def values_of_treelite(nodes: Any, shape: IntArray) -> FloatArray:
    """Return the values of all nodes: (n_nodes, n_targets or 1, n_classes or 1)."""
    begin, end = nodes.get_field("leaf_vector_begin"), nodes.get_field("leaf_vector_end")
    if not np.any(end > begin):
        return np.asarray(nodes.get_field("leaf_value"), dtype=np.float64)[:, np.newaxis, np.newaxis]
    vectors = nodes.get_field("leaf_vector")
    found = np.zeros((len(begin), *map(int, shape)))
    for node in np.flatnonzero(end > begin):
        found[node] = vectors[begin[node] : end[node]].reshape(shape)
    return found


def library_of(model: Any) -> str:
    """Return the name of the library that a model's class, or one that it derives from, comes from."""
    return next(filter(None, _libraries(model)), "")


def _libraries(model: Any) -> Iterator[str]:
    for base in type(model).__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("xgboost", "lightgbm", "treelite", "sklearn", "pytrees"):
            yield name
