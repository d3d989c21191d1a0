"""Compare two trees, and describe the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._tree_arrays import goes_left
from .._tree_checks import LEAF, MULTIWAY
from .._typing import FloatArray, IntArray, MatrixLike
from ..tree import Tree
from ._read import ReadTree, check_tolerance, checked_table, predicts_numbers, read_tree

# Up to these differences, gains look like a tie, thresholds look rounded to float32, and sums of weights look rounded.
_TIE, _FLOAT32, _ROUNDED = 1e-12, 1e-6, 1e-9
# The differences that can come from a tie.
_OF_SPLITS = (
    "the feature",
    "the threshold",
    "the kind of split",
    "the categories of its children",
    "the samples of X that go left",
)


def assert_trees_equal(
    actual: Any, desired: Any, *, X: MatrixLike | None = None, rtol: float = 0.0, gains: bool = True
) -> None:
    """Raise an AssertionError that names the first difference, unless two trees are equal.

    Trees are equal if their classes and all nodes are: the splits, the ways of missing values and categories, and, as
    far as both sides know them, the numbers of samples, class counts or predicted numbers, and gains. Nodes are
    compared by their paths, in preorder, whatever their numbers are.

    Parameters
    ----------
    actual, desired : Tree, fitted estimator or dict
        Trees or forests of pytrees or scikit-learn, a dict of :func:`pytrees.export_dict`, or a dict of arrays of shape
        (node_count,), by scikit-learn's names: ``children_left``, ``children_right`` (-1 at leaves), ``feature`` and
        ``threshold``, and if known ``n_node_samples``, ``weighted_n_node_samples``, ``impurity`` (of a regression
        tree), ``value``, ``gain`` and ``missing_go_to_left``; also ``n_features`` and ``classes``. In a classification
        tree ``value`` has the class counts, sums of weights, or shares of the classes, which add up to 1, of shape
        (node_count, n_classes) or, as in scikit-learn, (node_count, 1, n_classes); in a regression tree the numbers
        that nodes predict, of shape (node_count,), (node_count, 1) or (node_count, 1, 1). Arrays of one value per node
        without ``classes`` are read as the other tree, or the criterion of :func:`check_tree`, needs it.
    X : array-like of shape (n_samples, n_features), optional
        Samples. With them, thresholds may be different numbers if they send each of these samples to the same side.
        Without them, thresholds are compared as numbers. Round X to float32, ``X.astype(np.float32)``, if one of the
        trees does so, as scikit-learn's do.
    rtol : float, default=0.0
        By how much class counts, predicted numbers and gains may differ, relative to the greater of 1 and the desired
        one. With weights that are not whole numbers they are rounded, and differ in the last digits; so do the means
        and impurities of libraries that add targets up in floating point.
    gains : bool, default=True
        Whether gains are compared. scikit-learn's trees have none: the gains by their criterion are compared.

    Raises
    ------
    AssertionError
        If the trees differ.
    TypeError, ValueError
        If one of them is no tree.

    See Also
    --------
    check_tree : Whether every split of one tree is the best, or a tie.
    pytrees.Tree : Trees that compare by ``==``, if all their arrays are equal.

    Notes
    -----
    It takes O(node_count), and with X O(n_samples · depth).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.testing import assert_trees_equal
    >>> X, y = load_iris(return_X_y=True)
    >>> ours = DecisionTreeClassifier().fit(X, y)
    >>> assert_trees_equal(ours, ours.to_sklearn(), X=X.astype("float32"))
    >>> assert_trees_equal(ours, DecisionTreeClassifier(max_depth=2).fit(X, y))
    Traceback (most recent call last):
    ...
    AssertionError: The trees differ in whether it is split of node 3:
      path     x[2] > 2.45, x[3] <= 1.75
      samples  54, by class [0, 49, 5]
      actual   x[2] <= 4.95 (gain 0.0823903)
      desired  a leaf
    """
    check_tolerance("rtol", rtol)
    if _is_forest(actual) and _is_forest(desired):
        _assert_classes(getattr(actual, "classes_", None), getattr(desired, "classes_", None))
        sizes = len(actual.estimators_), len(desired.estimators_)
        if sizes[0] != sizes[1]:
            raise AssertionError(f"The forests differ: actual has {sizes[0]} trees, desired {sizes[1]}.")
        for number, (one, other) in enumerate(zip(actual.estimators_, desired.estimators_, strict=True)):
            _assert_equal(read_tree(one), read_tree(other), X, rtol, gains, f" of tree {number}")
        return
    one, other = _read_both(actual, desired)
    _assert_classes(one.classes, other.classes)
    _assert_equal(one, other, X, rtol, gains, "")


def _read_both(actual: Any, desired: Any) -> tuple[ReadTree, ReadTree]:
    """Read two trees. A dict of arrays need not show what it predicts: then it is what the other tree predicts."""
    kinds = predicts_numbers(actual), predicts_numbers(desired)
    of_numbers = next((kind for kind in kinds if kind is not None), True)
    return read_tree(actual, of_numbers), read_tree(desired, of_numbers)


def _is_forest(given: Any) -> bool:
    return hasattr(given, "estimators_") and not hasattr(given, "tree_")


def _assert_classes(actual: Any, desired: Any) -> None:
    if actual is not None and desired is not None and not np.array_equal(actual, desired):
        classes = f"actual {np.asarray(actual).tolist()}, desired {np.asarray(desired).tolist()}"
        raise AssertionError(f"The trees differ in their classes: {classes}.")


def _assert_equal(
    actual: ReadTree, desired: ReadTree, X: MatrixLike | None, rtol: float, gains: bool, where: str
) -> None:
    """Raise an AssertionError with the first difference of two trees."""
    if actual.tree.is_regressor != desired.tree.is_regressor:
        told = ["numbers" if read.tree.is_regressor else "classes" for read in (actual, desired)]
        raise AssertionError(f"The trees differ in what they predict{where}: actual {told[0]}, desired {told[1]}.")
    for name, what in (("n_features", "n_features"), ("value", "n_classes")):
        numbers = getattr(actual.tree, what), getattr(desired.tree, what)
        if name in actual.known & desired.known and numbers[0] != numbers[1]:
            raise AssertionError(f"The trees differ in {what}{where}: actual {numbers[0]}, desired {numbers[1]}.")
    samples = None if X is None else _checked_samples(X, actual.tree)
    pair = _Pair(actual, desired, samples, rtol, gains)
    # A stack of pairs of nodes to compare, with the samples of X that reach them, and the path.
    rows = np.arange(0 if samples is None else len(samples))
    pending: list[tuple[int, int, IntArray, tuple[str, ...]]] = [(0, 0, rows, ())]
    while pending:
        node, other, rows, path = pending.pop()
        difference = pair.difference(node, other, rows)
        if difference is not None:
            raise AssertionError(pair.message(difference, node, other, path, where))
        pending += reversed(pair.children(node, other, rows, path))


def _checked_samples(X: MatrixLike, tree: Tree) -> FloatArray:
    X = checked_table(X)
    if X.shape[1] < tree.n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the trees have {tree.n_features}.")
    return X


@dataclass
class _Pair:
    """Two trees that are compared."""

    actual: ReadTree
    desired: ReadTree
    X: FloatArray | None
    rtol: float
    gains: bool

    def difference(self, node: int, other: int, rows: IntArray) -> str | None:
        """Return the first property in which two nodes differ, or None."""
        a, b = self.actual.tree, self.desired.tree
        kinds = [min(int(tree.children_left[at]), 0) for tree, at in ((a, node), (b, other))]
        if kinds[0] != kinds[1]:
            return "whether it is split" if LEAF in kinds else "the kind of split"
        if kinds[0] != LEAF:
            if a.feature[node] != b.feature[other]:
                return "the feature"
            if kinds[0] == MULTIWAY:
                if _categories(a, node) != _categories(b, other):
                    return "the categories of its children"
            elif found := self._difference_of_cuts(node, other, rows):
                return found
        return self._difference_of_numbers(node, other)

    def _difference_of_cuts(self, node: int, other: int, rows: IntArray) -> str | None:
        a, b = self.actual.tree, self.desired.tree
        if self.X is not None:
            values = self.X[rows, a.feature[node]]
            same = np.array_equal(goes_left(a, node, values), goes_left(b, other, values))
            return None if same else "the samples of X that go left"
        if a.threshold[node] != b.threshold[other]:
            return "the threshold"
        saw = bool(a.saw_missing[node]), bool(b.saw_missing[other])
        if self.actual.is_ours and self.desired.is_ours and saw[0] != saw[1]:
            return "whether it saw missing values"
        if (
            any(saw)
            and a.takes_missing
            and b.takes_missing
            and a.missing_go_to_left[node] != b.missing_go_to_left[other]
        ):
            return "the side of missing values"
        return None

    def _difference_of_numbers(self, node: int, other: int) -> str | None:
        known = self.actual.known & self.desired.known
        a, b = self.actual.tree, self.desired.tree
        if "n_node_samples" in known and a.n_node_samples[node] != b.n_node_samples[other]:
            return "the number of samples"
        if "value" in known:
            what, values = self.actual.what, (a.value[node], b.value[other])
            if "shares" in (what, self.desired.what):
                what, values = "shares", (values[0] / values[0].sum(), values[1] / values[1].sum())
            if not self._near(*values):
                return f"the {what}"
        weights = a.weighted_n_node_samples, b.weighted_n_node_samples
        if "weighted_n_node_samples" in known and not self._near(weights[0][node], weights[1][other]):
            return "the weight of the samples"
        if self.gains and "gain" in known and not self._near(a.gain[node], b.gain[other]):
            return "the gain"
        return None

    def _near(self, actual: Any, desired: Any) -> bool:
        scale = np.maximum(1.0, np.abs(desired))
        return bool(np.all((actual == desired) | (np.abs(actual - desired) <= self.rtol * scale)))

    def children(
        self, node: int, other: int, rows: IntArray, path: tuple[str, ...]
    ) -> list[tuple[int, int, IntArray, tuple[str, ...]]]:
        """Return the pairs of children of two equal nodes."""
        a, b = self.actual.tree, self.desired.tree
        pairs = list(zip(a.children_of(node).tolist(), b.children_of(other).tolist(), strict=True))
        if not pairs:
            return []
        values = np.empty(0) if self.X is None else self.X[rows, a.feature[node]]
        if a.children_left[node] == MULTIWAY:
            sides = [np.isin(values, a.categories_of(child)) for child, _ in pairs]
        else:
            left = goes_left(a, node, values)
            sides = [left, ~left]
        return [
            (*pair, rows[side], (*path, condition(self.actual, node, number)))
            for number, (pair, side) in enumerate(zip(pairs, sides, strict=True))
        ]

    def message(self, difference: str, node: int, other: int, path: tuple[str, ...], where: str) -> str:
        """Describe a difference of two nodes."""
        sides = {"actual": (self.actual, node), "desired": (self.desired, other)}
        lines = [f"The trees differ in {difference} of node {node}{where}:"]
        lines += [f"  path     {', '.join(path) or 'the root'}"]
        parts = {name: (samples_at(read, at), split_at(read, at)) for name, (read, at) in sides.items()}
        if len({samples for samples, _ in parts.values()}) == 1:
            lines += [f"  samples  {parts['actual'][0]}"] if parts["actual"][0] else []
            lines += [f"  {name:8} {split}" for name, (_, split) in parts.items()]
        else:
            lines += [f"  {name:8} {split}; samples {samples or 'unknown'}" for name, (samples, split) in parts.items()]
        hint = self.hint(difference, node, other)
        return "\n".join([*lines, f"  {hint}"] if hint else lines)

    def hint(self, difference: str, node: int, other: int) -> str:
        """Return a likely reason of a difference, or nothing."""
        a, b = self.actual.tree, self.desired.tree
        one, two = float(a.threshold[node]), float(b.threshold[other])
        if difference == "the threshold" and abs(one - two) <= _FLOAT32 * abs(two):
            return "To float32 both thresholds are the same: compare them with X=X.astype(np.float32)."
        counts = a.value[node], b.value[other]
        if difference in ("the class counts", "the number") and np.allclose(*counts, rtol=_ROUNDED, atol=_ROUNDED):
            return "They differ by rounding: allow it by rtol=1e-12."
        if difference not in _OF_SPLITS or "gain" not in self.actual.known & self.desired.known:
            return ""
        are_split = a.children_left[node] != LEAF and b.children_left[other] != LEAF
        is_tie = abs(a.gain[node] - b.gain[other]) <= _TIE * max(1.0, abs(b.gain[other]))
        return "Both splits gain the same: it can be a tie." if are_split and is_tie else ""


def _categories(tree: Tree, node: int) -> list[list[int]]:
    return [tree.categories_of(child).tolist() for child in tree.children_of(node)]


def condition(read: ReadTree, node: int, child: int) -> str:
    """Describe the test that the samples of a node's child pass; the child is given by its index among the children."""
    tree, name = read.tree, read.name_of(int(read.tree.feature[node]))
    if tree.children_left[node] == MULTIWAY:
        categories = tree.categories_of(int(tree.children_of(node)[child])).tolist()
        return f"{name} in {categories}" if len(categories) > 1 else f"{name} = {categories[0]}"
    if tree.threshold[node] == np.inf and not tree.missing_go_to_left[node]:
        return f"{name} {'missing' if child else 'known'}"
    missing = " or missing" if tree.saw_missing[node] and tree.missing_go_to_left[node] == 1 - child else ""
    return f"{name} {'>' if child else '<='} {float(tree.threshold[node])!r}{missing}"


def samples_at(read: ReadTree, node: int) -> str:
    """Describe the samples of a node as far as they are known."""
    number = f"{read.tree.n_node_samples[node]}" if "n_node_samples" in read.known else ""
    value = ""
    if "value" in read.known:
        value = (
            f"value {read.tree.value[node, 0]:.6g}"
            if read.tree.is_regressor
            else f"by class {class_counts(read, node)}"
        )
    return ", ".join(part for part in (number, value) if part)


def class_counts(read: ReadTree, node: int) -> str:
    """Return the class counts of a node as text."""
    return f"[{', '.join(_exactly(count) for count in read.tree.value[node].tolist())}]"


def _exactly(count: float) -> str:
    return f"{count:.12g}" if float(f"{count:.12g}") == count else repr(count)


def split_at(read: ReadTree, node: int) -> str:
    """Describe the split of a node."""
    tree = read.tree
    if tree.children_left[node] == LEAF:
        return "a leaf"
    gain = f" (gain {tree.gain[node]:.6g})" if "gain" in read.known else ""
    if tree.children_left[node] == MULTIWAY:
        return f"{read.name_of(int(tree.feature[node]))} into categories {_categories(tree, node)}{gain}"
    return condition(read, node, 0) + gain
