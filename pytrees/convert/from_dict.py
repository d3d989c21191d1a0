"""The arrays of a tree from the nested dicts that `export_dict` writes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .._tree_checks import CODE_END, DTYPES, LEAF, MULTIWAY, NUMBER_DTYPES, TO_GREATER_CHILD, UNDEFINED
from .._typing import is_real, is_whole


def arrays_of_dict(exported: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the Tree that was exported; see :meth:`pytrees.Tree.from_dict`."""
    return _Reader(exported).arrays()


class _Reader:
    """Reads the arrays of a tree from nested dicts, without recursion."""

    def __init__(self, exported: dict[str, Any]) -> None:
        self.root = exported
        self.n_features = self.entry(exported, "n_features", Integral)
        names = exported.get("feature_names")
        self.features = None if names is None else self.positions(names, "feature_names")
        if names is not None and len(names) != self.n_features:
            raise ValueError(f"Not an exported tree: {len(names)} feature_names for {self.n_features} features.")
        categories = exported.get("categories", {})
        if not isinstance(categories, dict):
            raise ValueError("Not an exported tree: categories is no dict.")
        self.categories = {
            name: self.positions(values, f"categories of {name!r}") for name, values in categories.items()
        }
        # A tree of numbers has no classes.
        self.is_regressor = "class_names" not in exported and "value" in exported
        self.n_classes = 0 if self.is_regressor else len(self.entry(exported, "class_names", list))
        self.takes_missing = exported.get("takes_missing", False)
        if not isinstance(self.takes_missing, bool):
            raise ValueError("Not an exported tree: takes_missing is neither true nor false.")

    @staticmethod
    def entry(node: Any, name: str, kind: Any) -> Any:
        """Return an entry of a node, which must be of a kind."""
        if not isinstance(node, dict):
            raise ValueError(f"Not an exported tree: a dict is expected for a node, got {type(node).__name__}.")
        if name not in node:
            raise ValueError(f"Not an exported tree: {name} is missing in a node.")
        if not isinstance(node[name], kind) or (isinstance(node[name], bool) and kind is not object):
            raise ValueError(f"Not an exported tree: {name} is {node[name]!r:.50}.")
        return node[name]

    @staticmethod
    def positions(names: object, what: str) -> dict[tuple[Any, ...], int]:
        """Return the positions of names in their list."""
        if not isinstance(names, list):
            raise ValueError(f"Not an exported tree: {what} is no list.")
        keys = [_key(name) for name in names]
        if len(set(keys)) < len(keys):
            raise ValueError(f"Not an exported tree: {what} has a name twice.")
        return {key: position for position, key in enumerate(keys)}

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
        """Return the codes of a child's categories in the feature of this name."""
        if not isinstance(child, dict) or "category" in child or "categories" not in child:
            return [self.code(name, self.entry(child, "category", object))]
        values = self.entry(child, "categories", list)
        if len(values) < 2:
            raise ValueError(f"Not an exported tree: categories of a child are {values!r:.50}.")
        return [self.code(name, value) for value in values]

    def code(self, name: str, value: Any) -> int:
        """Return the code of a category in the feature of this name."""
        found = self.categories[name].get(_key(value)) if name in self.categories else value
        if not is_whole(found) or isinstance(found, bool) or not 0 <= found < CODE_END:
            raise ValueError(f"Not an exported tree: {value!r:.50} is no category of {name!r:.50}.")
        return found

    def arrays(self) -> dict[str, Any]:
        """Return the parameters of a Tree."""
        names = (*DTYPES, "category", "missing_go_to_left", "shares", *self.names_of_numbers)
        columns: dict[str, Any] = {name: [] for name in names}
        # A stack of nodes to read: each with its parent's number and its categories.
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
            columns["child_offsets"], columns["children"] = _joined(below)
            columns["category_offsets"], columns["categories"] = _joined(sets)
        else:
            del columns["category"]
        if not self.takes_missing:
            del columns["missing_go_to_left"]
        if self.is_regressor:
            columns |= {"criterion": self.root.get("criterion"), "shares": None}
        else:
            columns["shares"] = _completed(columns["shares"], columns["value"])
        return columns | {"n_features": self.n_features}

    def row(self, node: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[dict[str, Any], list[int]]]]:
        """Return a node's value in every column, and its children with their categories.

        The numbers of a left and a right child are not known yet, and 0.
        """
        row: dict[str, Any] = {
            "value": self.value(node),
            "n_node_samples": self.entry(node, "n_node_samples", Integral),
        }
        row |= {name: self.number(node, name) for name in self.names_of_numbers}
        row["missing_go_to_left"], row["shares"] = self.side_of_missing(node), self.shares(node)
        if "truncated" in node:
            raise ValueError("Not a whole tree: levels were cut off by max_depth when it was exported.")
        if "feature" not in node:
            return row | _split(LEAF) | {"gain": 0.0}, []
        row |= {"feature": self.feature(node), "gain": self.number(node, "gain")}
        if "children" not in node:
            split = _split(0) | {"threshold": self.threshold(node)}
            return split | row, [(self.entry(node, side, dict), []) for side in ("left", "right")]
        children = self.entry(node, "children", list)
        return _split(MULTIWAY) | row, [(child, self.codes(node["feature"], child)) for child in children]

    @property
    def names_of_numbers(self) -> tuple[str, ...]:
        """The names of further numbers of every node in a tree of numbers."""
        if not self.is_regressor:
            return ()
        return tuple(name for name in NUMBER_DTYPES if name == "weighted_n_node_samples" or name in self.root)

    def value(self, node: dict[str, Any]) -> list[float]:
        """Return the class counts of a node, or its number."""
        if self.is_regressor:
            return [self.number(node, "value")]
        return self.of_classes(node, "counts")

    def shares(self, node: dict[str, Any]) -> list[float] | None:
        """Return the shares of classes that a node predicts; None if these are the shares of its counts."""
        return self.of_classes(node, "shares") if "shares" in node else None

    def of_classes(self, node: dict[str, Any], name: str) -> list[float]:
        """Return an entry of a node that has a number for every class."""
        numbers: list[float] = self.entry(node, name, list)
        if len(numbers) != self.n_classes or not all(map(_is_number, numbers)):
            raise ValueError(f"Not an exported tree: {name} are not {self.n_classes} numbers: {numbers!r:.50}.")
        if not all(map(is_real, numbers)):
            raise ValueError(f"Not an exported tree: {name} contain a number that is beyond the range of float64.")
        return numbers

    def threshold(self, node: dict[str, Any]) -> float:
        """Return the threshold of a node: infinity if None separates missing values."""
        separates_missing = "threshold" in node and node["threshold"] is None and "missing" in node
        return np.inf if separates_missing else self.number(node, "threshold")

    def side_of_missing(self, node: dict[str, Any]) -> int:
        """Return where missing values go from a node: 1 is left, 0 right, -1 to the greater child."""
        if "missing" not in node:
            return TO_GREATER_CHILD
        if not self.takes_missing or node["missing"] not in ("left", "right") or "threshold" not in node:
            raise ValueError(f"Not an exported tree: missing is {node['missing']!r:.50} in a node.")
        return int(node["missing"] == "left")

    def number(self, node: dict[str, Any], name: str) -> float:
        """Return a number of a node; infinities come as text."""
        if node.get(name) in ("inf", "-inf"):
            return float(node[name])
        try:
            return float(self.entry(node, name, (int, float)))
        except OverflowError:
            raise ValueError(f"Not an exported tree: {name} is beyond the range of float64.") from None


def _split(children: int) -> dict[str, Any]:
    """Return the values that a node without a threshold has in the columns of its split."""
    sides = {"children_left": children, "children_right": children}
    return sides | {"feature": UNDEFINED, "threshold": UNDEFINED}


def _completed(shares: list[Any], counts: list[list[float]]) -> Any:
    """Return the shares of all nodes, those of the counts where there are no others; None if there are none."""
    known = [node for node, of_node in enumerate(shares) if of_node is not None]
    if not known:
        return None
    value = np.array(counts, dtype=np.float64)
    totals = value.sum(axis=1, keepdims=True)
    completed = np.divide(value, totals, out=np.zeros_like(value), where=totals > 0.0)
    completed[known] = [shares[node] for node in known]
    return completed


def _joined(lists: list[list[int]]) -> tuple[Any, Any]:
    """Return the start of every list in their concatenation, and the concatenation."""
    return np.cumsum([0, *map(len, lists)]), np.array([entry for each in lists for entry in each], dtype=np.int64)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(name: Any) -> tuple[Any, ...]:
    """Return a key that tells names apart, such as 1, True and "1"; other objects are told apart by their text."""
    if name is None or isinstance(name, (str, int, float)):
        return type(name).__name__, name
    return type(name).__name__, tuple(map(_key, name)) if isinstance(name, list) else repr(name)
