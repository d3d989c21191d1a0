"""Convert trees to scikit-learn's and to dicts for JSON, and back."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from ._tree_arrays import LEAF, MULTIWAY, TO_GREATER_CHILD
from ._typing import LabelsLike, is_whole

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

    from .tree import Tree

_UNDEFINED = -2  # as in a Tree, which is made of this module's class


class Exchanged:
    """The methods of a Tree that make something of another library of it, or a tree of that."""

    __slots__ = ()

    def to_sklearn(self, classes: LabelsLike | None = None) -> DecisionTreeClassifier:
        """Convert the tree to a fitted scikit-learn ``DecisionTreeClassifier`` with the same nodes.

        A tree knows the codes of its classes alone: the estimator's own ``to_sklearn()`` keeps their labels and the
        names of the features. See :func:`pytrees.to_sklearn`.

        Parameters
        ----------
        classes : array-like of shape (n_classes,), optional
            The class labels; 0..n_classes-1 by default.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier
            It decides as the tree does on data that is exact in float32.

        Raises
        ------
        RuntimeError
            If this version of scikit-learn keeps its nodes in another way than 1.9 does.
        ValueError
            If there is not one label for every class, or a node divides categories into two sets.
        """
        from ._sklearn_tree import sklearn_tree  # imports scikit-learn's trees, which only these methods need

        tree = cast("Tree", self)
        classes = np.arange(tree.n_classes) if classes is None else np.asarray(classes)
        if len(classes) != tree.n_classes:
            raise ValueError(f"classes has {len(classes)} labels; the tree has {tree.n_classes} classes.")
        return sklearn_tree(tree, classes)

    @classmethod
    def from_sklearn(cls, estimator: Any) -> Self:
        """Make the tree of a fitted scikit-learn ``DecisionTreeClassifier``, with its thresholds to the last bit.

        The class counts are the products of its nodes' shares and weights, rounded to the whole numbers that they are;
        the gains are those of its criterion. The tree compares float64, where scikit-learn rounds samples to float32
        before it compares them: on data that is exact in float32, both decide alike. Labels and names stay behind;
        :func:`pytrees.from_sklearn` takes them over, and forests.

        Parameters
        ----------
        estimator : sklearn.tree.DecisionTreeClassifier
            A fitted tree, or one of a forest's `estimators_`; an ``ExtraTreeClassifier`` is one too.

        Returns
        -------
        Tree
            Its nodes in preorder, which is their order but in best-first trees.

        Raises
        ------
        TypeError
            If it is anything else, such as a regressor.
        ValueError
            If it has several outputs, or nodes without training samples, as trees with a child for every category get
            them by ``to_sklearn``.
        """
        from ._sklearn_tree import arrays_of_sklearn

        return cls(**arrays_of_sklearn(estimator))

    @classmethod
    def from_dict(cls, exported: dict[str, Any]) -> Self:
        """Make the tree that was exported by :func:`pytrees.export_dict`, perhaps to JSON and back.

        Parameters
        ----------
        exported : dict
            A whole tree, with the names of its features as they were exported. It is only read.

        Returns
        -------
        Tree
            Equal to the tree that was exported. Its classes are ``exported["class_names"]``. It has no impurity, as the
            dict does not say by which criterion it was grown.

        Raises
        ------
        ValueError
            If it is no such dict: something is missing, of another type or not a tree's; names or categories are twice
            in it or unknown; or levels were cut off by `max_depth`.
        """
        return cls(**_Reader(exported).arrays())


class _Reader:
    """Reads the arrays of a tree from nested dicts, without recursion."""

    def __init__(self, exported: dict[str, Any]) -> None:
        self.root = exported
        self.n_features = self.entry(exported, "n_features", Integral)
        names = exported.get("feature_names")
        self.features = None if names is None else self.places(names, "feature_names")
        if names is not None and len(names) != self.n_features:
            raise ValueError(f"Not an exported tree: {len(names)} feature_names for {self.n_features} features.")
        categories = exported.get("categories", {})
        if not isinstance(categories, dict):
            raise ValueError("Not an exported tree: categories is no dict.")
        self.categories = {name: self.places(values, f"categories of {name!r}") for name, values in categories.items()}
        self.n_classes = len(self.entry(exported, "class_names", list))
        self.takes_missing = exported.get("takes_missing", False)
        if not isinstance(self.takes_missing, bool):
            raise ValueError("Not an exported tree: takes_missing is neither true nor false.")

    @staticmethod
    def entry(node: Any, name: str, kind: Any) -> Any:
        """Return what a node says, which is of a kind."""
        if not isinstance(node, dict):
            raise ValueError(f"Not an exported tree: a dict is expected for a node, got {type(node).__name__}.")
        if name not in node:
            raise ValueError(f"Not an exported tree: {name} is missing in a node.")
        if not isinstance(node[name], kind) or (isinstance(node[name], bool) and kind is not object):
            raise ValueError(f"Not an exported tree: {name} is {node[name]!r:.50}.")
        return node[name]

    @staticmethod
    def places(names: object, what: str) -> dict[tuple[Any, ...], int]:
        """Return the places of names in their list."""
        if not isinstance(names, list):
            raise ValueError(f"Not an exported tree: {what} is no list.")
        keys = [_key(name) for name in names]
        if len(set(keys)) < len(keys):
            raise ValueError(f"Not an exported tree: {what} has a name twice.")
        return {key: place for place, key in enumerate(keys)}

    def feature(self, node: dict[str, Any]) -> int:
        """Return the number of the feature that a node splits by."""
        name = self.entry(node, "feature", str)
        if self.features is not None:
            found = self.features.get(_key(name))
        else:
            digits = name.removeprefix("feature_")
            found = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 11 else None
        if found is None or found >= self.n_features:
            raise ValueError(f"Not an exported tree: {name!r:.50} is none of its {self.n_features} features.")
        return found

    def codes(self, name: str, child: Any) -> list[int]:
        """Return the codes of the categories that a child stands for, in the feature of this name."""
        if not isinstance(child, dict) or "category" in child or "categories" not in child:
            return [self.code(name, self.entry(child, "category", object))]
        values = self.entry(child, "categories", list)
        if len(values) < 2:
            raise ValueError(f"Not an exported tree: categories of a child are {values!r:.50}.")
        return [self.code(name, value) for value in values]

    def code(self, name: str, value: Any) -> int:
        """Return the code of a category in the feature of this name."""
        found = self.categories[name].get(_key(value)) if name in self.categories else value
        if not is_whole(found) or isinstance(found, bool) or found < 0:
            raise ValueError(f"Not an exported tree: {value!r:.50} is no category of {name!r:.50}.")
        return found

    def arrays(self) -> dict[str, Any]:
        """Return the parameters of a Tree."""
        names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
        columns: dict[str, Any] = {name: [] for name in (*names, "category", "missing_go_to_left")}
        # What is still to be read, the next last: a node, the number of its parent, and its categories.
        pending: list[tuple[dict[str, Any], int | None, list[int]]] = [(self.root, None, [])]
        below: list[list[int]] = []
        seen: set[int] = set()
        sets: list[list[int]] = []
        while pending:
            node, parent, categories = pending.pop()
            number = len(below)
            below.append([])
            if parent is not None:
                below[parent].append(number)
            read, children = self.row(node)
            if id(node) in seen:
                raise ValueError("Not an exported tree: a node is in it twice.")
            seen.add(id(node))
            sets.append(categories)
            for name, value in (read | {"category": categories[0] if categories else -1}).items():
                columns[name].append(value)
            pending += [(child, number, codes) for child, codes in reversed(children)]
        for number, children in enumerate(below):
            if children and columns["children_left"][number] == 0:
                columns["children_left"][number], columns["children_right"][number] = children
        if MULTIWAY in columns["children_left"]:
            columns["child_offsets"] = np.cumsum([0, *map(len, below)])
            columns["children"] = np.array([child for children in below for child in children], dtype=np.int64)
            columns["category_offsets"] = np.cumsum([0, *map(len, sets)])
            columns["categories"] = np.array([code for codes in sets for code in codes], dtype=np.int64)
        else:
            del columns["category"]
        if not self.takes_missing:
            del columns["missing_go_to_left"]
        return columns | {"n_features": self.n_features}

    def row(self, node: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[dict[str, Any], list[int]]]]:
        """Return what a node has in every column, and its children with their categories.

        Where it has children on the left and on the right, they are 0 as yet.
        """
        counts = self.entry(node, "counts", list)
        if len(counts) != self.n_classes or not all(_is_number(count) for count in counts):
            raise ValueError(f"Not an exported tree: counts are not {self.n_classes} numbers: {counts!r:.50}.")
        row: dict[str, Any] = {"n_node_samples": self.entry(node, "n_node_samples", Integral), "value": counts}
        row["missing_go_to_left"] = self.way_of_missing(node)
        if "truncated" in node:
            raise ValueError("Not a whole tree: levels were cut off by max_depth when it was exported.")
        if "feature" not in node:
            sides = {"children_left": LEAF, "children_right": LEAF, "feature": _UNDEFINED, "threshold": _UNDEFINED}
            return row | sides | {"gain": 0.0}, []
        row |= {"feature": self.feature(node), "gain": self.number(node, "gain")}
        if "children" not in node:
            separates_missing = "threshold" in node and node["threshold"] is None and "missing" in node
            threshold = np.inf if separates_missing else self.number(node, "threshold")
            sides = {"children_left": 0, "children_right": 0, "threshold": threshold}
            return row | sides, [(self.entry(node, side, dict), []) for side in ("left", "right")]
        children = self.entry(node, "children", list)
        sides = {"children_left": MULTIWAY, "children_right": MULTIWAY, "threshold": _UNDEFINED}
        return row | sides, [(child, self.codes(node["feature"], child)) for child in children]

    def way_of_missing(self, node: dict[str, Any]) -> int:
        """Return where missing values go from a node: 1 is left, 0 right, -1 to the greater child."""
        if "missing" not in node:
            return TO_GREATER_CHILD
        if not self.takes_missing or node["missing"] not in ("left", "right") or "threshold" not in node:
            raise ValueError(f"Not an exported tree: missing is {node['missing']!r:.50} in a node.")
        return int(node["missing"] == "left")

    def number(self, node: dict[str, Any], name: str) -> float:
        """Return a number that a node says."""
        try:
            return float(self.entry(node, name, (int, float)))
        except OverflowError:
            raise ValueError(f"Not an exported tree: {name} is beyond the range of float64.") from None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(name: Any) -> tuple[Any, ...]:
    """Return what names are told apart by, of which 1, True and "1" are three; what is none is as it is written."""
    if name is None or isinstance(name, (str, int, float)):
        return type(name).__name__, name
    return type(name).__name__, tuple(map(_key, name)) if isinstance(name, list) else repr(name)
