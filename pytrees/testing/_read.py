"""Read what a user checks: trees of several libraries and arrays as one kind of tree, and criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from .._given_judges import ERRORS
from .._judges import OwnCriterion
from .._numbers import check_array, within_float64
from .._tree_checks import DTYPES, LEAF, NUMBER_DTYPES, checked_number, frozen
from .._typing import AnyArray, FloatArray, IntArray, MatrixLike, is_real
from ..criteria import ALIASES, CRITERIA, resolve
from ..tree import Tree

_STRUCTURE = ("children_left", "children_right", "feature", "threshold")
# The further entries of a node, which arrays of other tools may lack.
_OF_NODES = ("n_node_samples", "weighted_n_node_samples", "value", "gain")
_DTYPES = DTYPES | NUMBER_DTYPES
# Sums of shares and of weights may be rounded.
_ROUNDED = 1e-9
_EXAMPLES = "a Tree, a fitted estimator of pytrees or scikit-learn, a dict of export_dict, or a dict of arrays"


@dataclass
class ReadTree:
    """A tree, and what is known about it."""

    tree: Tree
    # The names among n_node_samples, weighted_n_node_samples, value, gain, n_features and, in a regression tree,
    # impurity that were given; others are filled in.
    known: frozenset[str]
    classes: AnyArray | None = None
    feature_names: Sequence[str] | None = None
    # Whether the library has given the gains; otherwise they are computed from the counts.
    has_own_gains: bool = True
    is_ours: bool = False
    # Whether nodes were given the shares of their classes, which are counts only where weights are known.
    has_shares: bool = False

    @property
    def what(self) -> str:
        """The word for the values of nodes: shares of classes without weights are no counts."""
        if self.tree.is_regressor:
            return "number"
        return "shares" if self.has_shares and "weighted_n_node_samples" not in self.known else "class counts"

    def name_of(self, feature: int) -> str:
        """Return the name of a feature."""
        return f"x[{feature}]" if self.feature_names is None else str(self.feature_names[feature])


def check_tolerance(name: str, given: object) -> None:
    """Raise ValueError unless a tolerance is a number that is not negative, infinity at most."""
    if not is_real(given) or not given >= 0.0:
        raise ValueError(f"{name} must be a number that is not negative, got {given!r}.")


def generator_of(random_state: object) -> np.random.Generator:
    """Return the generator of a seed; raise ValueError unless it is one."""
    try:
        return np.random.default_rng(cast("int", random_state))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be a whole number that is not negative, got {random_state!r:.100}."
        ) from error


def checked_table(X: MatrixLike) -> FloatArray:
    """Return X as doubles, which are finite or missing."""
    # scikit-learn first adds up all values; the sum can overflow.
    with np.errstate(over="ignore", invalid="ignore"), within_float64("X"):
        return check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")


def read_tree(given: Any, of_numbers: bool = False) -> ReadTree:
    """Return the tree of a Tree, estimator or dict, with its nodes in preorder; raise an error if there is none.

    `of_numbers`: arrays that do not show what they predict belong to a regression tree.
    """
    if isinstance(given, Tree):
        return ReadTree(given, _known_of(given), is_ours=True)
    kind = predicts_numbers(given)
    if isinstance(given, Mapping):
        return _of_dict(given, of_numbers if kind is None else kind)
    own = getattr(given, "tree_", None)
    classes, names = getattr(given, "classes_", None), getattr(given, "feature_names_in_", None)
    if isinstance(own, (Tree, Mapping)):
        read = read_tree(own) if isinstance(own, Tree) else _of_dict(own, of_numbers if kind is None else kind)
        read.classes = read.classes if classes is None else np.asarray(classes)
        read.feature_names = read.feature_names if names is None else list(names)
        return read
    if hasattr(given, "fit") and own is None:
        hint = ": pass one tree, such as estimators_[0]" if hasattr(given, "estimators_") else ", or is not fitted"
        raise TypeError(f"{type(given).__name__} has no tree_{hint}. Expected {_EXAMPLES}.")
    if own is None:
        raise TypeError(f"Expected {_EXAMPLES}; got {type(given).__module__}.{type(given).__name__}.")
    tree = Tree.from_sklearn(given)
    known = _known_of(tree)
    if getattr(given, "monotonic_cst", None) is not None:
        known -= {"value"}  # its nodes have what they predict, not the shares of their samples
    return ReadTree(tree, known, None if tree.is_regressor else np.asarray(classes), names, has_own_gains=False)


def predicts_numbers(given: Any) -> bool | None:
    """Return whether a tree is a regression tree; None if arrays do not show it, by classes or the shape of `value`.

    Arrays of one value per node, of shape (node_count, 1) or (node_count, 1, 1), can be of one class or of numbers.
    """
    own = getattr(given, "tree_", given)
    if isinstance(own, Tree):
        return own.is_regressor
    if isinstance(given, BaseEstimator) and is_regressor(given):
        return True
    if getattr(given, "classes_", None) is not None:
        return False
    if not isinstance(own, Mapping):
        return None
    if own.get("classes", own.get("class_names")) is not None or "counts" in own:
        return False
    shape = np.shape(own.get("value", [[0.0]]))
    return True if len(shape) < 2 else None if shape[-1] == 1 else False


def _known_of(tree: Tree) -> frozenset[str]:
    """Return the names of what is known about a whole tree."""
    impurity = {"impurity"} if tree.is_regressor and hasattr(tree, "impurity") else set()
    return frozenset({*_OF_NODES, "n_features", *impurity})


def _of_dict(given: Mapping[str, Any], of_numbers: bool) -> ReadTree:
    if "counts" in given or ("value" in given and not set(_STRUCTURE[:2]) & given.keys()):
        tree = Tree.from_dict(dict(given))
        classes = None if tree.is_regressor else np.asarray(given["class_names"])
        return ReadTree(tree, _known_of(tree), classes, is_ours=True)
    lacking = [name for name in _STRUCTURE if name not in given]
    if lacking:
        raise ValueError(f"A dict of arrays needs {', '.join(_STRUCTURE)}; it lacks {', '.join(lacking)}.")
    of_nodes = (*_OF_NODES, "impurity") if of_numbers else _OF_NODES
    names = [name for name in (*_STRUCTURE, *of_nodes, "missing_go_to_left") if name in given]
    arrays: dict[str, AnyArray] = {name: frozen(name, given[name], _DTYPES.get(name, np.int64)) for name in names}
    n_nodes = arrays["children_left"].size
    for name, array in arrays.items():
        if array.shape[:1] != (n_nodes,) or n_nodes == 0:
            raise ValueError(f"{name} has shape {array.shape} in a tree of {n_nodes} nodes.")
    order, number = _preorder(arrays["children_left"], arrays["children_right"])
    arrays = {name: array[order] for name, array in arrays.items()}
    leaves = arrays["children_left"] < 0
    for name in ("children_left", "children_right"):
        arrays[name] = np.where(leaves, LEAF, number[np.where(leaves, 0, arrays[name])])
    for name in ("feature", "threshold"):
        arrays[name] = np.where(leaves, -2, arrays[name])
    known = frozenset(name for name in of_nodes if name in given) | ({"n_features"} & given.keys())
    weights = arrays.get("weighted_n_node_samples", np.ones(n_nodes))
    if "value" in arrays:
        arrays["value"] = _one_output(arrays["value"])
    has_shares = "value" in arrays and not of_numbers and _are_shares(arrays["value"])
    if has_shares and "weighted_n_node_samples" in arrays:
        from ..convert.sklearn_nodes import whole_where_near  # here: it imports scikit-learn's trees

        arrays["value"] = whole_where_near(arrays["value"] * weights[:, np.newaxis])
    filled = {
        "n_node_samples": np.ones(n_nodes, dtype=np.int64),
        "value": np.ones((n_nodes, 1)) if of_numbers else weights[:, np.newaxis],
        "gain": np.zeros(n_nodes),
        "weighted_n_node_samples": np.ones(n_nodes),
    }
    values: dict[str, Any] = filled | arrays
    if not of_numbers:
        del values["weighted_n_node_samples"]  # the sums of counts
        if "weighted_n_node_samples" in arrays:
            _check_sums(values["value"], weights, order)
    n_features = checked_number(given.get("n_features", max(1, int(arrays["feature"].max()) + 1)))
    classes = given.get("classes")
    return ReadTree(
        Tree(**values, n_features=n_features),
        known,
        None if classes is None else np.asarray(classes),
        has_shares=has_shares,
    )


def _one_output(value: AnyArray) -> AnyArray:
    """Return values of shape (n_nodes, n_classes), or (n_nodes, 1); scikit-learn has outputs as a further axis."""
    if value.ndim == 3 and value.shape[1] != 1:
        raise ValueError(f"value has shape {value.shape}: the tree has {value.shape[1]} outputs. Expected one output.")
    return value[:, np.newaxis] if value.ndim == 1 else value[:, 0] if value.ndim == 3 else value


def _are_shares(value: AnyArray) -> bool:
    """Whether nodes have the shares of their classes, as scikit-learn's have since 1.3, and not counts."""
    return bool(np.allclose(value.sum(axis=-1), 1.0, rtol=0.0, atol=_ROUNDED))


def _check_sums(counts: AnyArray, weights: AnyArray, order: IntArray) -> None:
    """Raise a ValueError unless weights are the sums of class counts."""
    sums = counts.sum(axis=-1)
    for node in np.flatnonzero(~np.isclose(sums, weights, rtol=_ROUNDED, atol=0.0))[:1]:
        raise ValueError(
            f"Not a tree: node {order[node]} has weighted_n_node_samples={weights[node]:.12g}, "
            f"but class counts of the sum {sums[node]:.12g}."
        )


def _preorder(left: AnyArray, right: AnyArray) -> tuple[IntArray, IntArray]:
    """Return the nodes in preorder, and the new number of every node."""
    sides, pending = (left.tolist(), right.tolist()), [0]
    order: list[int] = []
    number = np.full(left.size, -1)
    while pending:
        node = pending.pop()
        if not 0 <= node < left.size or number[node] >= 0:
            raise ValueError(f"Not a tree: node {node} is reached twice, or there is no such node.")
        number[node] = len(order)
        order.append(node)
        if sides[0][node] >= 0:
            pending += (sides[1][node], sides[0][node])
    if len(order) < left.size:
        raise ValueError(f"Not a tree: {left.size - len(order)} of {left.size} nodes are not below the root, node 0.")
    return np.array(order), number


def checked_criterion(criterion: Any) -> Any:
    """Return a criterion as an object; raise a ValueError or TypeError if it is none."""
    if isinstance(criterion, type):
        name = criterion.__name__
        raise TypeError(f"criterion must be an object, got the class {name}: write {name}().")
    if isinstance(criterion, OwnCriterion):
        return criterion
    if isinstance(criterion, str) and criterion in ERRORS:
        return ERRORS[criterion]
    if isinstance(criterion, str) and criterion not in CRITERIA | ALIASES:
        names = sorted(CRITERIA | ERRORS)
        raise ValueError(f"criterion must be one of {names} or an object, got {criterion!r}.")
    judge = resolve(criterion)
    if not hasattr(judge, "judges"):
        name = type(criterion).__name__
        raise TypeError(f"{name} is no criterion: derive from CountCriterion, SequenceCriterion or SumCriterion.")
    return judge
