"""Read what a user checks: trees of several libraries and arrays as one kind of tree, and criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from .._given_judges import ERRORS
from .._judges import OwnCriterion
from .._numbers import check_array, within_float64
from .._tree_checks import LEAF
from .._typing import AnyArray, FloatArray, IntArray, MatrixLike, is_real
from ..criteria import ALIASES, CRITERIA, resolve
from ..tree import Tree

_STRUCTURE = ("children_left", "children_right", "feature", "threshold")
# The further entries of a node, which arrays of other tools may lack.
_OF_NODES = ("n_node_samples", "value", "gain")
_OF_NUMBERS = ("weighted_n_node_samples", "impurity")
_EXAMPLES = "a Tree, a fitted tree of pytrees or scikit-learn, a dict of export_dict, or a dict of arrays"


@dataclass
class ReadTree:
    """A tree, and what is known about it."""

    tree: Tree
    # The names among n_node_samples, value, gain, n_features and, in a tree of numbers, weighted_n_node_samples and
    # impurity that were given; others are filled in.
    known: frozenset[str]
    classes: AnyArray | None = None
    feature_names: Sequence[str] | None = None
    # Whether the library has given the gains; otherwise they are computed from the counts.
    has_own_gains: bool = True
    is_ours: bool = False

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

    `of_numbers`: arrays whose names do not tell what they are belong to a tree of numbers.
    """
    if isinstance(given, Tree):
        return ReadTree(given, _known_of(given), is_ours=True)
    if isinstance(given, Mapping):
        return _of_dict(given, of_numbers)
    own = getattr(given, "tree_", None)
    classes, names = getattr(given, "classes_", None), getattr(given, "feature_names_in_", None)
    if isinstance(own, (Tree, Mapping)):
        read = read_tree(own, of_numbers)
        read.classes = read.classes if classes is None else np.asarray(classes)
        read.feature_names = read.feature_names if names is None else list(names)
        return read
    if hasattr(given, "fit") and own is None:
        hint = ": pass one tree, such as estimators_[0]" if hasattr(given, "estimators_") else ", or is not fitted"
        raise TypeError(f"{type(given).__name__} has no tree_{hint}. Expected is {_EXAMPLES}.")
    if own is None:
        raise TypeError(f"{type(given).__name__} is no tree: expected is {_EXAMPLES}.")
    tree = Tree.from_sklearn(given)
    known = _known_of(tree)
    if getattr(given, "monotonic_cst", None) is not None:
        known -= {"value"}  # its nodes have what they predict, not the shares of their samples
    return ReadTree(tree, known, None if tree.is_regressor else np.asarray(classes), names, has_own_gains=False)


def _known_of(tree: Tree) -> frozenset[str]:
    """Return the names of what is known about a whole tree."""
    numbers = [name for name in _OF_NUMBERS if tree.is_regressor and hasattr(tree, name)]
    return frozenset({*_OF_NODES, "n_features", *numbers})


def _of_dict(given: Mapping[str, Any], of_numbers: bool) -> ReadTree:
    if "counts" in given or ("value" in given and not set(_STRUCTURE[:2]) & given.keys()):
        tree = Tree.from_dict(dict(given))
        classes = None if tree.is_regressor else np.asarray(given["class_names"])
        return ReadTree(tree, _known_of(tree), classes, is_ours=True)
    lacking = [name for name in _STRUCTURE if name not in given]
    if lacking:
        raise ValueError(f"A dict of arrays needs {', '.join(_STRUCTURE)}; it lacks {', '.join(lacking)}.")
    of_numbers = of_numbers or "weighted_n_node_samples" in given
    of_nodes = (*_OF_NODES, *_OF_NUMBERS) if of_numbers else _OF_NODES
    arrays = {name: np.asarray(given[name]) for name in (*_STRUCTURE, *of_nodes, "missing_go_to_left") if name in given}
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
    filled = {
        "n_node_samples": np.ones(n_nodes, dtype=np.int64),
        "value": np.ones((n_nodes, 1)),
        "gain": np.zeros(n_nodes),
    }
    if of_numbers:
        filled["weighted_n_node_samples"] = np.ones(n_nodes)
        if "value" in arrays:
            arrays["value"] = arrays["value"].reshape(n_nodes, -1)
    n_features = int(given.get("n_features", max(1, arrays["feature"].max() + 1)))
    classes = given.get("classes")
    return ReadTree(
        Tree(**(filled | arrays), n_features=n_features), known, None if classes is None else np.asarray(classes)
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
