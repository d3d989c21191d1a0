"""Predict with a forest: add up the outputs, or the votes, of the leaves that samples reach in its trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from operator import is_
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from .._engine import config_context, current_engine, kernel
from .._tree_checks import ROWS_OF_A_CALL
from .._typing import Engine, FloatArray, IntArray
from .._workers import run_in_order, set_on_error
from ..input.validation import aligned, check_finite, may_have_missing
from ..tree import Tree, _pack_together
from .growth_job import StopEvent

# With fewer samples a worker costs more than it saves.
_FEWEST_ROWS_OF_A_WORKER = 1024


class ForestSums:
    """Add up over trees, and keep the trees packed between calls with the same trees.

    A forest makes an object of this class when it is fitted. Copies and pickles are empty. Packed trees take
    about as much memory as the trees at most, usually half: 16 bytes a node, tables of categories, and the numbers of
    the leaves unless each gives all to one class. Once a sample lacks values, a second form doubles this.
    """

    def __init__(self) -> None:
        self._kept = _KeptTrees([], 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return ForestSums, ()

    def __call__(
        self,
        trees: Sequence[Tree],
        X: FloatArray,
        labels: Sequence[IntArray] | None = None,
        *,
        n_jobs: int | None = None,
        named_in_errors: Any = None,
        check_trees: Callable[[Sequence[Tree]], None] | None = None,
    ) -> FloatArray:
        """Add up over the trees, in their order, the class shares or the number of every sample's leaf, or its vote.

        `labels` has for every tree the codes of the classes that its nodes vote for; None: nodes give class shares. Up
        to `n_jobs` threads each have samples of their own, so that sums do not depend on the number of threads. Errors
        about infinite values name the estimator `named_in_errors`; None: all values are finite or NaN. Trees that are
        not those of the last call are handed to `check_trees` first. The sums have the shape (n_samples, n_outputs).
        """
        parts = trees if labels is None else [*trees, *labels]
        kept = self._kept
        if kept.n_trees != len(trees) or not kept.are(parts):
            if check_trees is not None:
                check_trees(trees)
            _check_parts(trees, labels)
            self._kept = kept = _KeptTrees(parts, len(trees))
        trees[0]._check_columns(X)
        kept.n_walked += len(X) + ROWS_OF_A_CALL
        if not kept.packed and not all(tree._is_worth_packing(kept.n_walked) for tree in trees):
            return _sums_tree_by_tree(trees, X, labels, named_in_errors)
        sums, finite = _sum(kept, X, trees, labels, n_jobs, False)
        if not finite:
            if named_in_errors is not None:
                check_finite(named_in_errors, X)
            if may_have_missing(X):
                for tree in trees:
                    check_finite(tree, X)  # trees of an earlier version refuse missing values
                sums, _ = _sum(kept, X, trees, labels, n_jobs, True)
        return sums


class _KeptTrees:
    """The trees of a call, and their packed forms. Other trees have another object, because threads share it."""

    def __init__(self, parts: Sequence[object], n_trees: int) -> None:
        self.parts, self.n_trees, self.n_walked = parts, n_trees, 0
        self.packed: dict[tuple[str, bool], Any] = {}

    def are(self, parts: Sequence[object]) -> bool:
        return len(parts) == len(self.parts) and all(map(is_, parts, self.parts))


def _sum(
    kept: _KeptTrees,
    X: FloatArray,
    trees: Sequence[Tree],
    labels: Sequence[IntArray] | None,
    n_jobs: int | None,
    has_missing: bool,
) -> tuple[FloatArray, bool]:
    engine = current_engine()
    key = engine, has_missing
    if key not in kept.packed:
        of_nodes = (tree.outputs for tree in trees) if labels is None else map(aligned, labels)
        kept.packed[key] = _pack_together(trees, of_nodes, trees[0].value.shape[1], has_missing)
    packed = kept.packed[key]
    n_parts = ceil(len(X) / _FEWEST_ROWS_OF_A_WORKER)
    n_parts = n_parts if n_parts <= 1 else min(n_parts, effective_n_jobs(n_jobs))
    if n_parts <= 1:
        return _sum_leaves(packed, X)
    stop = StopEvent()
    tasks = [(engine, packed, rows, stop) for rows in np.array_split(X, n_parts)]
    with set_on_error(stop):
        # A packed forest is shared: it cannot be pickled, and a copy of it costs more than the walk.
        found = run_in_order(_sum_on_worker, tasks, n_jobs, prefer="threads", require="sharedmem")
        sums, finite = zip(*found, strict=True)
    return np.concatenate(sums), all(finite)


def _check_parts(trees: Sequence[Tree], labels: Sequence[IntArray] | None) -> None:
    """Raise ValueError if the trees differ in features or classes, or nodes vote for no class: sums over their leaves
    would read and write past the ends of arrays."""
    if len({(tree.n_features, tree.n_classes) for tree in trees}) != 1:
        raise ValueError("The trees of a forest must have the same features and classes.")
    for tree, votes in zip(trees, labels or [], strict=labels is not None):
        if votes.shape != (tree.node_count,) or votes.min() < 0 or votes.max() >= tree.n_classes:
            raise ValueError(f"Every node of a tree must vote for one of the classes 0..{tree.n_classes - 1}.")


def _sum_on_worker(engine: Engine, packed: Any, X: FloatArray, stop: StopEvent) -> tuple[FloatArray, bool]:
    with config_context(engine=engine), kernel("stoppable")(stop):
        return _sum_leaves(packed, X)


def _sum_leaves(packed: Any, X: FloatArray) -> tuple[FloatArray, bool]:
    sums, finite = kernel("sum_leaves")(packed, X)
    return np.asarray(sums, dtype=np.float64), finite


def _sums_tree_by_tree(
    trees: Sequence[Tree], X: FloatArray, labels: Sequence[IntArray] | None, named_in_errors: Any
) -> FloatArray:
    """Add up as `ForestSums` does, without packing the trees, which would take longer for few samples."""
    sums, rows = np.zeros((len(X), trees[0].value.shape[1])), np.arange(len(X))
    for i, tree in enumerate(trees):
        leaves = tree._apply_checked(X, named_in_errors if i == 0 else None)
        if labels is None:
            sums += tree.outputs_at(leaves)
        else:
            sums[rows, labels[i].take(leaves)] += 1.0
    return sums
