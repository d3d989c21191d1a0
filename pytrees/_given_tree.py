"""A tree as a user gives it: its nodes, the names of its features, classes and categories, and its predictions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._missing import is_missing
from ._names import checked_names, plain_values
from ._sklearn import Interval, predicts_numbers
from ._tree_arrays import node_depths
from ._tree_checks import LEAF
from ._typing import AnyArray, FloatArray, IntArray, Names
from .tree import Tree

# Pictures name this many categories of a child.
MOST_CATEGORIES = 4


# The constraints of functions that name the features and classes of a tree, and of those that show it to a depth.
NAMING_CONSTRAINTS: dict[str, list[Any]] = {
    "feature_names": ["array-like", None],
    "class_names": ["array-like", None],
}
SHOWING_CONSTRAINTS: dict[str, list[Any]] = {
    **NAMING_CONSTRAINTS,
    "max_depth": [Interval(Integral, 0, None, closed="left"), None],
}


class NumberedNames:
    """The names ``feature_0``, ``feature_1``, ..., each made when it is asked for."""

    def __getitem__(self, feature: int) -> str:
        return f"feature_{feature}"


def tree_and_names(tree: Any, feature_names: Any = None, class_names: Any = None) -> tuple[Tree, Names, list[Any]]:
    """Return the Tree of a tree or estimator, and the names of its features and classes: given, learned, or numbers."""
    estimator: Any = tree
    if not isinstance(tree, Tree):
        if hasattr(estimator, "fit") and not hasattr(estimator, "steps"):
            check_is_fitted(estimator)
        tree = getattr(estimator, "tree_", None)
        if not isinstance(tree, Tree):
            hint = _hint_of(estimator)
            raise TypeError(f"A Tree or a fitted tree estimator is expected, got {type(estimator).__name__}{hint}.")
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    if class_names is not None and tree.is_regressor:
        raise ValueError(f"Names of classes are given, {class_names!r:.50}, but the tree predicts numbers.")
    if class_names is None:
        class_names = plain_values(getattr(estimator, "classes_", range(tree.n_classes)))
    else:
        class_names = checked_names("class_names", class_names, tree.n_classes)
    if feature_names is None:
        return tree, NumberedNames(), class_names
    return tree, checked_names("feature_names", feature_names, tree.n_features), class_names


def has_samples(tree: Tree) -> bool:
    """Whether the nodes count training samples: a tree that was made of other trees has 1 everywhere."""
    return tree.node_count == 1 or int(tree.n_node_samples[0]) > 1


def samples_said(tree: Tree, node: int) -> str:
    """Describe the number of a node's training samples, or its share of the measure if there are none."""
    if not has_samples(tree):
        weights = tree.weighted_n_node_samples
        return f"{100.0 * float(weights[node] / weights[0]):.3g} %"
    n_samples = int(tree.n_node_samples[node])
    return f"{n_samples} sample{'' if n_samples == 1 else 's'}"


def _hint_of(estimator: Any) -> str:
    """Return for an error message what to pass in place of an estimator that holds trees."""
    if hasattr(estimator, "trees_"):
        return ": pass one of its trees, trees_[0, 0]" if hasattr(estimator, "distilled_") else ""
    of_sklearn = type(estimator).__module__.startswith("sklearn.")
    if hasattr(estimator, "tree_"):
        return ": convert it, by from_sklearn" if of_sklearn else ""
    few = f"DistilledTrees{'Regressor' if predicts_numbers(estimator) else 'Classifier'} makes one tree of the ensemble"
    if getattr(getattr(estimator, "estimators_", None), "ndim", 0) > 1:
        return f": {few}"  # stages of boosting, which are no models by themselves
    if hasattr(estimator, "estimators_"):
        one = "from_sklearn(estimators_[0])" if of_sklearn else "estimators_[0]"
        return f": pass one tree, such as {one}; {few}"
    if hasattr(estimator, "_predictors") or hasattr(estimator, "get_booster") or hasattr(estimator, "booster_"):
        return f": {few}"
    if hasattr(estimator, "best_estimator_"):
        return ": pass its best_estimator_"
    steps = getattr(estimator, "steps", None)
    if not steps or isinstance(estimator, type):
        return ""
    return (
        f": pass its fitted tree, named_steps[{steps[-1][0]!r}], with the names of the features that the steps before "
        "it make, feature_names=pipeline[:-1].get_feature_names_out()"
    )


def shown_nodes(tree: Tree, max_depth: int | None) -> tuple[IntArray, IntArray]:
    """Return the nodes down to one level below `max_depth`, and the nodes whose children are shown, both ascending."""
    if max_depth is None or tree.max_depth <= max_depth:
        return np.arange(tree.node_count), np.flatnonzero(tree.children_left != LEAF)
    depth = node_depths(tree)
    return np.flatnonzero(depth <= max_depth + 1), np.flatnonzero((depth <= max_depth) & (tree.children_left != LEAF))


def steps_through(tree: Tree, max_depth: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Walk through the nodes in preorder, and yield (node, depth, branch).

    An inner node comes before each of its children, with the number of that branch, and once more in the end, with the
    number of its branches. A leaf comes once, with branch 0, and so does an inner node below `max_depth`.
    """
    children, offsets = tree.children.tolist(), tree.child_offsets.tolist()
    pending = [(0, 0, 0)]
    while pending:
        node, depth, branch = pending.pop()
        yield node, depth, branch
        below = children[offsets[node] : offsets[node + 1]]
        if branch < len(below) and (max_depth is None or depth <= max_depth):
            pending += [(node, depth, branch + 1), (below[branch], depth + 1, 0)]


def levels_of_branches(tree: Tree) -> list[int]:
    """Count the levels of the branch that starts at every node, the node's own level included."""
    levels, children, offsets = [1] * tree.node_count, tree.children.tolist(), tree.child_offsets.tolist()
    for node in reversed(range(tree.node_count)):
        below = children[offsets[node] : offsets[node + 1]]
        levels[node] += max((levels[child] for child in below), default=0)
    return levels


def node_labels(given: Any, tree: Tree) -> IntArray:
    """Return for every node of a tree of classes the code of the class that it predicts as a leaf."""
    labels: IntArray | None = getattr(given, "node_labels_", None)
    return tree.majority if labels is None else labels


def predicted_labels(given: Any, tree: Tree) -> IntArray:
    """Return for every node of a tree of classes the code of the class that the estimator's rule predicts for samples
    that end there."""
    decide = getattr(given, "_decide", None)
    return node_labels(given, tree) if decide is None else decide(tree._evidence)


def rules_said(given: Any, tree: Tree, labels: IntArray) -> dict[int, str]:
    """Return for the nodes of a tree of classes that predict another class than their most frequent one, by costs or by
    the order of the classes, in a word why."""
    rule = getattr(given, "predict_rule", "cost" if getattr(given, "cost_matrix", None) is not None else "mode")
    if rule == "mode":
        return {}
    said = f" ({'least cost' if rule == 'cost' else rule})"
    best = tree.value[np.arange(tree.node_count), labels] >= tree.value.max(axis=1)
    return dict.fromkeys(np.flatnonzero(~best).tolist(), said)


class CategoryNames:
    """The names of categories: the estimator's, or their codes.

    Parameters
    ----------
    given : Tree or fitted estimator
    """

    def __init__(self, given: Any) -> None:
        is_categorical = getattr(given, "is_categorical_", None)
        self._names: dict[int, AnyArray] | None = None
        if is_categorical is not None:
            self._names = dict(zip(np.flatnonzero(is_categorical).tolist(), given.categories_, strict=True))
        self._levels: dict[int, AnyArray] = getattr(given, "ordered_categories_", None) or {}

    def __call__(self, feature: int, code: int) -> Any:
        """Return the name of a category of a feature; None for the category of missing values."""
        if self._names is None:
            return int(code)
        named = self._names[int(feature)][code : code + 1]
        return None if is_missing(named[0]) else plain_values(named)[0]

    def value(self, feature: int, code: int) -> Any:
        """Return a category as it is in samples, not as text; None for the category of missing values."""
        if self._names is None:
            return int(code)
        value = self._names[int(feature)][code]
        return None if is_missing(value) else value

    def levels_up_to(self, feature: int, number: float) -> list[Any] | None:
        """Return the ordered categories of a feature up to this number, as they are in samples; None if it has none."""
        return [*self._levels[int(feature)][: int(number) + 1]] if int(feature) in self._levels else None

    def listed(self) -> dict[int, list[Any]]:
        """Return the names of all categories of every feature that has some, in the order of their codes."""
        return {
            feature: plain_values(names) for feature, names in sorted({**(self._names or {}), **self._levels}.items())
        }

    def level(self, feature: int, number: float) -> str | None:
        """Return the name of the last of a feature's ordered categories up to this number; None if it has none."""
        if int(feature) not in self._levels:
            return None
        return str(plain_values(self._levels[int(feature)][[int(number)]])[0])


def class_said(name: object) -> str:
    """Return how a class is named in text: "class" and its name, or the name alone if it begins with that word."""
    return str(name) if re.match(r"class(?![a-z])", str(name), re.IGNORECASE) else f"class {name}"


def label_of_categories(tree: Tree, feature: int, child: int, name_of: CategoryNames, most: int | None = None) -> str:
    """Return the names of the categories that lead to a child of a multiway node, with "missing" for missing values.

    If there are more than `most`, the first ones are named and the others counted.
    """
    names = [name_of(feature, code) for code in tree.categories_of(child)]
    known = [str(name) for name in names if name is not None]
    left_out = len(known) - most if most is not None and len(known) > most else 0
    listed = ", ".join(known[: len(known) - left_out]) + (f" and {left_out} more" if left_out else "")
    return " or ".join([part for part in (listed, "missing" if len(known) < len(names) else "") if part])


def side_of_missing(tree: Tree, node: int) -> Literal["left", "right"] | None:
    """Return the side of samples that lack the value of a node's feature, ``"left"`` or ``"right"``; None if no sample
    lacked it in training."""
    if not tree.saw_missing[node]:
        return None
    return "left" if tree.missing_go_to_left[node] else "right"


class ShownTree:
    """A tree as a user gives it, with all names, and the nodes down to a depth, which are shown.

    Attributes
    ----------
    tree : Tree
    feature_names, class_names : sequence
    labels : ndarray of shape (node_count,), int64
        The codes of the classes that the nodes predict as leaves; only in a tree of classes.
    scale : ndarray of float64
        The numbers from the lowest to the highest of which colours tell; only in a tree of numbers. By default they are
        the numbers of the tree's nodes.
    name_of : CategoryNames
    shown, with_children : ndarray, int64
        The nodes that are shown, and the nodes whose children are shown.
    is_left_out : ndarray of shape (node_count,), bool
        Whether a node is below `max_depth`: ``(...)`` stands for its text.
    """

    labels: IntArray
    scale: FloatArray

    def __init__(self, given: Any, feature_names: Any, class_names: Any, max_depth: int | None = None) -> None:
        self.tree, self.feature_names, self.class_names = tree_and_names(given, feature_names, class_names)
        self.name_of = CategoryNames(given)
        if self.tree.is_regressor:
            self.scale = self.tree.value
        else:
            self.labels = predicted_labels(given, self.tree)
        self.show_down_to(max_depth)

    def show_down_to(self, max_depth: int | None) -> None:
        """Choose the nodes that are shown."""
        self.shown, self.with_children = shown_nodes(self.tree, max_depth)
        self.is_left_out = np.zeros(self.tree.node_count, dtype=bool)
        if max_depth is not None:
            self.is_left_out = node_depths(self.tree) > max_depth


def counts_of(tree: Tree, node: int, number: Callable[[float], str] | None = None) -> str:
    """Describe the class counts of a node, or their shares if a function that writes these is given.

    A node of a tree of numbers has the weight of its samples, or its share in the weight of all samples; or its share
    of the measure if it has no samples.
    """
    if tree.is_regressor:
        weight, total = tree.weighted_n_node_samples[[node, 0]]
        if not has_samples(tree):
            return f"[{weight / total:.4g}]"
        return f"[{weight:.12g}]" if number is None else f"[{number(weight / total)}]"
    if number is not None:
        return f"[{', '.join(map(number, tree.shares_at([node])[0]))}]"
    return f"[{', '.join(f'{count:.12g}' for count in tree.value[node])}]"


class TreeEstimator(Protocol):
    """A fitted estimator that is one tree."""

    @property
    def tree_(self) -> Tree: ...


class ForestEstimator(Protocol):
    """A fitted forest of pytrees."""

    def distinct_trees(self) -> Sequence[Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> TreeEstimator: ...


Ensemble: TypeAlias = BaseEstimator | Tree | Sequence[Tree | TreeEstimator] | None
