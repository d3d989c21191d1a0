"""The search for a tree of least cost, which `optimal_tree` and `OptimalTreeClassifier` share.

Branch and bound over sets of samples finds the tree; see `optimal/best_tree` of both engines. The search has
whole costs of errors and of a leaf. Any two trees compare by these costs as they do by their objectives: the mean cost
of the samples plus alpha for every leaf.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from numbers import Rational
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._engine import kernel
from .._typing import AnyArray, CodeArray, FloatArray, IntArray
from .._weights import GRID_TOTAL, on_grid, weights_of
from ..input.validation import level_of_caller
from ..pruning import with_leaves
from ..tree import Tree
from .base import UNLIMITED, or_unlimited
from .minimal import MOST_MEMORY, end_of_time
from .search_columns import SearchColumns, Structure, grown_tree, structure_of_cuts, structure_of_tree

# All whole costs, and their sums, stay below 2**62. Grids of weights and costs leave room for the price of leaves.
_MOST_COST = 2**62
_BITS_OF_GRIDS = 57


@dataclass(frozen=True)
class Limits:
    """The limits of a tree, and the price of a leaf as a share of the samples."""

    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    alpha: float = 0.0

    @property
    def are_none(self) -> bool:
        """Whether nothing limits the size of a tree."""
        return self.max_depth is None and self.max_leaf_nodes is None and self.alpha == 0

    def most_leaves(self, n_samples: int, alpha: Fraction, greatest_cost: Fraction) -> int:
        """Return the greatest number of leaves of a best tree, if a leaf alone costs at most `greatest_cost`: every
        leaf has a sample, and every leaf after the first must be worth its price."""
        by_depth = n_samples if self.max_depth is None or self.max_depth > 31 else 2**self.max_depth
        by_leaves = n_samples if self.max_leaf_nodes is None else self.max_leaf_nodes
        by_price = n_samples if alpha == 0 else floor(greatest_cost / alpha) + 1
        return int(max(1, min(n_samples // self.min_samples_leaf, by_depth, by_leaves, by_price)))


class Problem:
    """Samples on grids of whole numbers, and the whole costs of their trees.

    Parameters
    ----------
    columns : SearchColumns
    codes : ndarray of shape (n_samples,), int32
    n_classes : int
    limits : Limits
    weights : ndarray of shape (n_samples,) or None
        Weights above 0; None: all are 1.
    cost_matrix : ndarray of shape (n_classes, n_classes), float64, or None
        The costs of predicting class k for a sample of class j; None: every error costs 1.

    Attributes
    ----------
    numbers : ndarray of shape (n_samples,), int64, or None
        The weights on their grid, of which 1 stands for `unit`.
    class_costs : ndarray of shape (n_classes,), int64
        The cost of an error of every class on the grid of costs, of which 1 stands for `cost_unit`.
    matrix : ndarray of shape (n_classes, n_classes), int64, or None
        The costs on this grid if they depend on the class that is predicted. Then the class costs are 1.
    share : Fraction
        The part of the mean cost of the samples that a cost of 1 on the grids is.
    cost_of_root : int
        The cost of the samples if the tree is a leaf.
    costs : tuple of int
        The whole costs of the number 1, and of a leaf.
    most_leaves : int
        The greatest number of leaves of a best tree.
    """

    columns: SearchColumns
    codes: CodeArray
    n_classes: int
    limits: Limits
    alpha: Fraction
    numbers: IntArray | None
    unit: Fraction
    class_costs: IntArray
    matrix: IntArray | None
    cost_unit: Fraction
    share: Fraction
    cost_of_root: int
    costs: tuple[int, int]
    most_leaves: int

    def __init__(
        self,
        columns: SearchColumns,
        codes: CodeArray,
        n_classes: int,
        limits: Limits,
        *,
        weights: AnyArray | None = None,
        cost_matrix: FloatArray | None = None,
    ) -> None:
        self.columns, self.codes, self.n_classes, self.limits = columns, codes, n_classes, limits
        self.alpha = as_written(limits.alpha)
        self._put_on_grids(weights, cost_matrix)
        total = len(codes) if self.numbers is None else int(self.numbers.sum())
        self.share = self.cost_unit / total
        counts = np.bincount(codes, self.numbers, minlength=n_classes).astype(np.int64)
        self.cost_of_root = int(self.costs_of_leaves(counts[np.newaxis])[0][0])
        self.most_leaves = limits.most_leaves(len(codes), self.alpha, self.cost_of_root * self.share)
        price = min(self.alpha / self.share, Fraction(self.cost_of_root + 1))
        self.costs = whole_costs(price, self.most_leaves)
        self._check_costs(total)

    def _put_on_grids(self, weights: AnyArray | None, cost_matrix: FloatArray | None) -> None:
        """Set the weights and costs on their grids: what one of them does not need of the bits, the other one gets."""
        greatest = Fraction(1) if cost_matrix is None else Fraction(float(cost_matrix.max()))
        most_leaves = self.limits.most_leaves(len(self.codes), self.alpha, greatest) if self.alpha > 0 else 1
        bits = _BITS_OF_GRIDS - most_leaves.bit_length()
        self.matrix = None
        self.class_costs, self.cost_unit = np.ones(self.n_classes, dtype=np.int64), Fraction(1)
        if cost_matrix is None or not cost_matrix.any():
            self.numbers, self.unit = _reduced(*on_grid(weights, _total_of(bits)))
            self.class_costs[:] = cost_matrix is None
            return
        costs, _ = on_grid(cost_matrix.ravel(), _total_of(bits // 2))
        self.numbers, self.unit = _reduced(*on_grid(weights, _total_of(bits - _bits_of(costs, 1))))
        costs, unit = on_grid(cost_matrix.ravel(), _total_of(bits - _bits_of(self.numbers, len(self.codes))))
        _check_range(cost_matrix, costs, unit)
        costs, self.cost_unit = _reduced(costs, unit)
        numbers = (cost_matrix if costs is None else costs).astype(np.int64).reshape(cost_matrix.shape)
        if _depends_on_prediction(numbers):
            self.matrix = numbers
        else:
            self.class_costs = numbers.max(axis=1)

    def _check_costs(self, total: int) -> None:
        """Raise ValueError if the costs of all samples could add up to more than the kernels can count."""
        greatest = int(self.class_costs.max() if self.matrix is None else self.matrix.max())
        if total * max(1, greatest) * self.costs[0] + 2 * self.costs[1] >= _MOST_COST:
            raise ValueError(
                "cost_matrix, weights and alpha together have too many digits for the exact search: round the costs to "
                "a few digits, or use a greater alpha."
            )

    def costs_of_leaves(self, counts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the least costs of nodes as leaves, and the classes that cost least, the lowest of several; `counts`
        has sums of numbers by node and class."""
        if self.matrix is not None:
            costs = counts @ self.matrix
        else:
            of_classes = counts * self.class_costs
            costs = of_classes.sum(axis=1, keepdims=True) - of_classes
        classes = costs.argmin(axis=1)
        return costs[np.arange(len(costs)), classes], classes

    def whole_cost(self, cost: int, n_leaves: int) -> int:
        """Return the whole cost of a tree whose leaves have this cost together."""
        return self.costs[0] * cost + self.costs[1] * n_leaves

    def objective(self, cost: int, n_leaves: int) -> float:
        """Return the mean cost of the samples plus alpha for every leaf."""
        return float(self._exact_objective(cost, n_leaves))

    def _exact_objective(self, cost: int, n_leaves: int) -> Fraction:
        return cost * self.share + n_leaves * self.alpha

    def lower_bound(self, least: int, cost: int, n_leaves: int) -> float:
        """Return the least objective of trees that cost `least` or more, but at most that of a known tree, which has
        this cost and these leaves. It is the known tree's objective only if no tree is better, exactly."""
        # The number of leaves counts only if they have a price.
        leaves = np.arange(1, (self.most_leaves if self.costs[1] else 1) + 1)
        costs = np.maximum(0, -((self.costs[1] * leaves - least) // self.costs[0]))
        unit = lcm(self.share.denominator, self.alpha.denominator)
        of_cost, of_leaf = int(self.share * unit), int(self.alpha * unit)
        i = int((costs.astype(object) * of_cost + leaves.astype(object) * of_leaf).argmin())
        bound, known = self._exact_objective(int(costs[i]), int(leaves[i])), self._exact_objective(cost, n_leaves)
        if bound >= known:
            return float(known)
        return min(float(bound), float(np.nextafter(float(known), -np.inf)))

    def whole_gap(self, max_gap: float) -> int:
        """Return the greatest difference of whole costs for which objectives differ by at most `max_gap`."""
        of_number, of_leaf = self.costs
        price = self.alpha / self.share
        # Whole costs have another price of a leaf, for as many leaves as trees can differ by.
        spare = as_written(max_gap) / self.share - abs(price - Fraction(of_leaf, of_number)) * self.most_leaves
        return max(0, min(floor(spare * of_number), _MOST_COST))

    def for_kernel(self) -> tuple[Any, ...]:
        """Return the samples and costs as the kernel takes them."""
        codes, n_classes, matrix = self.codes, self.n_classes, self.matrix
        numbers = np.ones(len(codes), dtype=np.int64) if self.numbers is None else self.numbers
        if self.cost_of_root == 0:
            # Nothing is wrong if all samples have the class that costs nothing, and no class has a cost of 0.
            codes, n_classes, matrix, numbers = np.zeros_like(codes), 1, None, np.ones_like(numbers)
        elif matrix is None:
            numbers = numbers * self.class_costs[codes]
        return self.columns.ranks, codes, numbers * self.costs[0], matrix, n_classes, self.costs[1]

    def finished(self, structure: Structure) -> tuple[Tree, int]:
        """Return the tree of a structure, and the cost of its leaves. The gain of a split is the cost that its subtree
        saves, beyond a leaf."""
        counts = structure.counts(self.codes, self.n_classes, self.numbers)
        costs, classes = self.costs_of_leaves(counts)
        below = structure.sums(costs)
        gain = weights_of((costs - below).astype(np.float64), self.unit * self.cost_unit)
        shares = _shares_that_predict(classes, counts, weights_of(counts.astype(np.float64), self.unit))
        return structure.tree(self.columns.X.shape[1], counts, self.unit, gain, shares), int(below[0])

    def best_grown(self) -> tuple[Tree, int]:
        """Return the cheaper of the trees that gini and entropy grow, after both are cut back; and its cost."""
        limits = {
            "max_depth": or_unlimited(self.limits.max_depth),
            "max_leaf_nodes": or_unlimited(self.limits.max_leaf_nodes),
            "min_samples_leaf": min(self.limits.min_samples_leaf, UNLIMITED // 2),
        }
        weights = self.numbers
        if self.matrix is None and self.cost_of_root > 0:
            ones = np.ones(len(self.codes), dtype=np.int64) if weights is None else weights
            weights, _ = on_grid(ones * self.class_costs[self.codes])
        found = []
        for criterion in ("gini", "entropy"):
            tree = grown_tree(self.columns, self.codes, weights, self.n_classes, criterion, **limits)
            found.append(self.finished(self.cut_back(structure_of_tree(self.columns, tree), tree)))
        return min(found, key=lambda one: self.whole_cost(one[1], one[0].n_leaves))

    def cut_back(self, structure: Structure, tree: Tree) -> Structure:
        """Return the cheapest structure that is left after cutting off branches of a tree."""
        costs, _ = self.costs_of_leaves(structure.counts(self.codes, self.n_classes, self.numbers))
        of_leaf, is_leaf = costs.tolist(), structure.is_leaf.tolist()
        below, n_leaves, cut = [0] * len(of_leaf), [0] * len(of_leaf), []
        for node in reversed(range(len(of_leaf))):
            if is_leaf[node] or self.whole_cost(below[node], n_leaves[node]) >= self.whole_cost(of_leaf[node], 1):
                below[node], n_leaves[node] = of_leaf[node], 1
                if not is_leaf[node]:
                    cut.append(node)
            if node > 0:
                above = structure.parent[node]
                below[above] += below[node]
                n_leaves[above] += n_leaves[node]
        return structure_of_tree(self.columns, with_leaves(tree, np.array(cut, dtype=np.int64)))


def as_written(number: float | Rational) -> Fraction:
    """Return a parameter as the decimal that users write: 0.1 is one tenth, not the double nearest to it."""
    if isinstance(number, Rational):  # NumPy's integers would wrap around in a fraction
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, np.floating) and not isinstance(number, float):  # fewer digits tell them apart
        return Fraction(np.format_float_scientific(number, unique=True, trim="0"))
    return Fraction(repr(float(number)))


def whole_costs(price: Fraction, most_leaves: int) -> tuple[int, int]:
    """Return whole costs of an error and of a leaf that compare any two trees as their objectives do.

    The price of a leaf, in errors, is only compared with quotients of a number of errors by a number of leaves. The
    mediant of the two quotients next to the price compares in the same way (H. Farey).
    """
    near = price.limit_denominator(most_leaves)
    if near == price:
        return near.denominator, near.numerator
    numerator, denominator = near.numerator, near.denominator
    sign = 1 if price > near else -1
    # The next quotient on the other side of the price: the determinant of both quotients is one.
    inverse = pow(numerator, -1, denominator) if denominator > 1 else 0
    other = most_leaves - (most_leaves + sign * inverse) % denominator
    return denominator + other, numerator + (numerator * other + sign) // denominator


def _check_range(cost_matrix: FloatArray, numbers: IntArray | None, unit: Fraction) -> None:
    """Raise ValueError if the grid rounds a cost by more than a thousandth of the cost."""
    costs = cost_matrix.ravel()
    counted = costs if numbers is None else numbers * float(unit)
    if np.any(np.abs(counted - costs) > costs / 1_000):
        least, most = costs[costs > 0].min(), costs.max()
        raise ValueError(
            f"The costs of cost_matrix, from {least:.3g} to {most:.3g}, lie too far apart: the exact search counts in "
            f"units of {float(unit):.3g}. Give the greatest costs lower values; an error that costs more than all "
            "others together is avoided wherever that is possible."
        )


def _reduced(numbers: IntArray | None, unit: Fraction) -> tuple[IntArray | None, Fraction]:
    """Divide numbers on a grid by their common divisor; None stands for ones."""
    if numbers is None:
        return None, unit
    divisor = int(np.gcd.reduce(numbers))
    return (None if np.all(numbers == divisor) else numbers // divisor), unit * divisor


def _total_of(bits: int) -> int:
    """Return the least sum on a grid that rounds, for sums of so many bits."""
    return min(GRID_TOTAL, 1 << max(bits - 1, 1))


def _bits_of(numbers: IntArray | None, n: int) -> int:
    """Return how many bits the sum of numbers has; None stands for n ones."""
    return (n if numbers is None else int(numbers.sum())).bit_length()


def _depends_on_prediction(matrix: IntArray) -> bool:
    """Whether the cost of an error depends on the class that is predicted, not only on the class of the sample."""
    others = matrix[~np.eye(len(matrix), dtype=bool)].reshape(len(matrix), -1)
    # The kernel's weights are positive: with more than two classes, a class without costs needs a matrix too.
    return bool(np.any(others != others[:, :1])) or (len(matrix) > 2 and not others.all())


def _shares_that_predict(classes: IntArray, counts: IntArray, value: FloatArray) -> FloatArray | None:
    """Return shares of the classes whose greatest, the first of several, is that of these classes: in other nodes the
    cheapest class and the most frequent class exchange their shares. None: no node is such a node."""
    nodes = np.arange(len(counts))
    most_frequent = counts.argmax(axis=1)
    if np.array_equal(most_frequent, classes):
        return None
    shares = value / value.sum(axis=1, keepdims=True)
    of_class, of_most = shares[nodes, classes], shares[nodes, most_frequent]
    shares[nodes, most_frequent], shares[nodes, classes] = of_class, of_most
    # A lower class may have the same share.
    is_tied = shares.argmax(axis=1) != classes
    shares[nodes[is_tied], classes[is_tied]] = np.nextafter(of_most[is_tied], 2.0)
    return shares


# ----------------------------------------------------------------------------------------------------------- the search


@dataclass(frozen=True, eq=False)
class Found:
    """The tree that a search has found, and a bound.

    Attributes
    ----------
    tree : Tree
    cost : int
        The cost of its leaves, without their price.
    objective, lower_bound : float
    n_subproblems : int
    n_best_roots : int
        -1 if it is not known.
    ended_by : str
        The reason why the search ended early: an event, its time limit, or the depth of trees; empty if the tree is
        proven, or as near to the best one as was asked for.
    was_searched : bool
        Whether there was time to search.
    """

    tree: Tree
    cost: int
    objective: float
    lower_bound: float
    n_subproblems: int
    n_best_roots: int
    ended_by: str
    was_searched: bool

    def warn_of_early_end(self) -> None:
        """Warn if the search ended early, and say what the tree is."""
        if not self.ended_by:
            return
        said = f"{self.ended_by} ended the search: "
        kept = "the tree kept is the best one found by then"
        if not self.was_searched:
            said = f"{self.ended_by} leaves no time for a search: "
            kept = "the tree is grown split by split, and cut back"
        if self.objective == self.lower_bound:
            said += "the tree found by then is the best one."
        else:
            said += (
                f"{kept}, with the objective {self.objective:.6g}; no tree within the limits is below "
                f"{self.lower_bound:.6g}. A search that takes longer, or has stricter limits, may prove more."
            )
        warn(said, ConvergenceWarning, stacklevel=level_of_caller())


@dataclass(frozen=True)
class Effort:
    """How much a search may take, and what it is to tell; the parameters of `OptimalTreeClassifier`."""

    time_limit: float | None = None
    memory_limit: int = 2**30
    max_gap: float = 0.0
    count_best_roots: bool = False
    n_threads: int = 1
    verbose: bool = False


def search(problem: Problem, effort: Effort, start: float) -> Found:
    """Search for the best tree.

    Parameters
    ----------
    problem : Problem
    effort : Effort
    start : float
        The time since which the time limit counts, by `time.monotonic`.
    """
    known = None if effort.time_limit is None else problem.best_grown()
    remaining = None if effort.time_limit is None else max(0.0, start + effort.time_limit - time.monotonic())
    budget = None if known is None else problem.whole_cost(known[1], known[0].n_leaves) + 1
    splits, _, least, n_subproblems, n_roots, ended_by = kernel("cheapest_tree")(
        *problem.for_kernel(),
        or_unlimited(problem.limits.max_depth),
        or_unlimited(problem.limits.max_leaf_nodes),
        min(problem.limits.min_samples_leaf, UNLIMITED // 2),
        budget=budget,
        gap=problem.whole_gap(effort.max_gap),
        time_limit=remaining,
        memory_limit=min(effort.memory_limit, MOST_MEMORY),
        count_roots=effort.count_best_roots,
        n_threads=effort.n_threads,
        report=_reporter(problem, known, start) if effort.verbose else None,
    )
    if splits is not None:
        known = problem.finished(_structure_of(problem.columns, splits))
    elif known is None and not ended_by:
        raise ValueError("The tree is too deep to be searched for: use max_depth.")
    tree, cost = problem.best_grown() if known is None else known
    objective = problem.objective(cost, tree.n_leaves)
    is_proven = problem.whole_cost(cost, tree.n_leaves) <= least
    bound = objective if is_proven else problem.lower_bound(int(least), cost, tree.n_leaves)
    if effort.verbose:
        _print_line(start, objective, bound)
    was_searched = is_proven or remaining is None or remaining > 0.0
    if not ended_by and problem.whole_cost(cost, tree.n_leaves) - int(least) > problem.whole_gap(effort.max_gap):
        ended_by = end_of_time(effort.time_limit, start)
    n_roots = int(n_roots) if is_proven else -1
    return Found(tree, cost, objective, bound, int(n_subproblems), n_roots, ended_by, was_searched)


def _structure_of(columns: SearchColumns, splits: Any) -> Structure:
    """Return the structure of a tree from the kernel's splits."""
    splits = np.asarray(splits, dtype=np.int64)
    column, below = splits[:, 0], splits[:, 1]
    return structure_of_cuts(columns, column, columns.ranks[column, below].astype(np.int64))


def _reporter(problem: Problem, known: tuple[Tree, int] | None, start: float) -> Callable[[int | None, int], None]:
    """Return the function that the kernel calls about once a second, and that prints a line."""
    best = None if known is None else problem.objective(known[1], known[0].n_leaves)
    scale = float(problem.share / problem.costs[0])

    def report(cost: int | None, least: int) -> None:
        _print_line(start, best if cost is None else cost * scale, least * scale)

    return report


def _print_line(start: float, objective: float | None, bound: float) -> None:
    found = "none" if objective is None else f"{objective:.6g}"
    print(f"{time.monotonic() - start:.1f} s: objective {found}, bound {bound:.6g}", flush=True)


def wrong_samples(tree: Tree, X: FloatArray, codes: CodeArray) -> NDArray[np.bool_]:
    """Return which samples the tree gets wrong."""
    wrong: NDArray[np.bool_] = tree.majority_at(tree._apply_valid(X)) != codes
    return wrong
