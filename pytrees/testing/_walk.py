"""Walk through a fitted tree with its training samples, and find the kind and the errors of every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from .._engine import reference
from .._tree_arrays import goes_left
from .._tree_checks import LEAF
from .._typing import AnyArray, BoolArray, FloatArray
from ._equal import condition
from ._limits import Limits
from ._nodes import (
    AnySamples,
    Cut,
    Node,
    Samples,
    is_greater,
    judge,
    number,
    position_of_threshold,
    shortfall,
    values_beside,
)
from ._numbers import NumberSamples
from ._read import ReadTree
from ._reports import (
    BELOW_ERRORS,
    BEST,
    CHECKED,
    FIRST_OF_TIES,
    OTHER_OF_TIES,
    ROUNDING,
    Hints,
    TreeReport,
    keep_example,
)

# Reported gains may be rounded; gains of entropies may be rounded to the units of a table.
_GAIN_TOLERANCE = 1e-6
_SHARE_TOLERANCE = 1e-9
_NONE: Mapping[str, str] = MappingProxyType({})


class Walk:
    """A walk through a tree with its training samples, which adds its findings to a report and to hints.

    `ties` and `tolerance` are as in :func:`check_tree`; `code` returns the program that shows the tree.
    """

    def __init__(
        self,
        read: ReadTree,
        samples: AnySamples,
        limits: Limits,
        ties: str,
        tolerance: float,
        report: TreeReport,
        hints: Hints,
        code: Callable[[], str],
    ) -> None:
        self.read, self.tree, self.samples, self.limits = read, read.tree, samples, limits
        self.ties, self.tolerance, self.report, self.hints, self.code = ties, tolerance, report, hints, code
        # The samples as the tree counts them: without weights if the tree ignores weights.
        self.counted = samples
        self.unit = number(samples.unit)
        self.X = np.array(samples.X)
        self.is_leaf = self.tree.children_left == LEAF
        self.total = sum(samples.weights)
        # All cuts of every node that could be split, and the cut that it takes.
        self.judged: dict[int, Node] = {}
        self.taken: dict[int, Cut] = {}
        self.wrong: list[tuple[Node, Cut]] = []
        self.rows: dict[int, list[int]] = {}
        self.bounds: dict[int, tuple[Any, Any]] = {0: reference("split.monotonic").NO_BOUNDS}

    def run(self) -> None:
        """Check every node that has samples."""
        self.report.n_trees += 1
        rows = list(range(len(self.X)))
        if not self.check_root(rows):
            return
        self.report.n_nodes += self.tree.node_count
        pending = [(0, rows, 0)]
        while pending:
            node, rows, depth = pending.pop()
            self.rows[node] = rows
            if self.is_leaf[node]:
                self.check_leaf(node, rows, depth)
            elif self.check_split(node, rows, depth):
                left = goes_left(self.tree, node, self.X[rows, self.tree.feature[node]])
                children = int(self.tree.children_left[node]), int(self.tree.children_right[node])
                for child, side in zip(children, (left, ~left), strict=True):
                    pending.append((child, [row for row, goes in zip(rows, side, strict=True) if goes], depth + 1))
        if np.count_nonzero(self.is_leaf) > self.limits.max_leaf_nodes:
            self.error("limit ignored", 0, f"has more than max_leaf_nodes={self.limits.max_leaf_nodes} leaves below it")
        elif self.limits.max_leaf_nodes < np.inf:
            self.check_order()

    @property
    def outcome(self) -> str:
        """The word of errors for what the tree predicts."""
        return "class" if isinstance(self.samples, Samples) else "target"

    def error(self, kind: str, node: int, message: str, hints: Mapping[str, str] = _NONE) -> None:
        """Count an error of a node, and what would explain it."""
        self.report.errors[kind] += 1
        text = f"node {node}{self.path(node)} {message}."
        is_example = keep_example(self.report, kind, text, self.code, len(self.X))
        self.hints.add(kind, hints, is_example)

    def path(self, node: int) -> str:
        """Return the conditions on the path to a node."""
        conditions: list[str] = []
        while node:
            (parent,) = np.flatnonzero((self.tree.children_left == node) | (self.tree.children_right == node))
            conditions.insert(0, condition(self.read, int(parent), int(self.tree.children_right[parent] == node)))
            node = int(parent)
        return f" ({', '.join(conditions)})" if conditions else ""

    def told(self, cut: Cut) -> str:
        """Describe the test that sends samples to the left of a cut."""
        name = self.read.name_of(cut.feature)
        if cut.threshold == np.inf:
            return f"{name} known on the left, missing on the right"
        is_left = cut.missing == reference("base.types").MISSING_LEFT
        return f"{name} <= {cut.threshold!r}{' or missing' if is_left else ''}"

    def split(self, node: int, judged: Node, taken: Cut) -> str:
        """Describe the split of a node, with its own threshold."""
        if taken.threshold == np.inf or self.tree.threshold[node] == taken.threshold:
            return self.told(taken)
        low, high = values_beside(judged, taken)
        return f"{condition(self.read, node, 0)} (between the values {low!r} and {high!r})"

    def judge(self, node: int, rows: list[int]) -> Node:
        """Return a node with all its cuts, and keep it."""
        limits = self.limits
        self.judged[node] = judge(
            self.samples,
            rows,
            limits.min_samples_leaf,
            limits.min_leaf_weight,
            limits.monotonic_cst,
            self.bounds[node],
        )
        return self.judged[node]

    def share(self, node: Node) -> float:
        """Return the share of a node in the weight of all samples."""
        return node.weight / self.total

    # ------------------------------------------------------------------------------------------------------- leaves

    def check_leaf(self, node: int, rows: list[int], depth: int) -> None:
        """Count why a node is a leaf, or that it should not be one."""
        limits = self.limits
        if Node(self.samples, rows).is_pure:
            self.report.leaves["pure"] += 1
            return
        if depth >= limits.max_depth or len(rows) < limits.min_samples_split:
            self.report.leaves["limit"] += 1
            return
        judged = self.judge(node, rows)
        if judged.best is None:
            self.report.leaves["limit" if judged.cuts else "no cut"] += 1
            del self.judged[node]
            return
        gain = number(judged.best.gain)
        is_full = np.count_nonzero(self.is_leaf) >= limits.max_leaf_nodes
        gains_too_little = 0.0 < limits.min_impurity_decrease > self.share(judged) * gain
        if is_full or gains_too_little or gain < limits.min_gain:
            self.report.leaves["limit"] += 1
        elif gain <= self.tolerance * self.unit:
            self.report.leaves["no gain"] += 1
        else:
            self.error("not split", node, f"is a leaf, but {self.told(judged.best)} gains {gain:.6g}")

    # ------------------------------------------------------------------------------------------------------- splits

    def check_split(self, node: int, rows: list[int], depth: int) -> bool:
        """Count the split of a node by its kind; return whether the children have the samples that the tree says."""
        if Node(self.samples, rows).is_pure:
            self.check_pure_split(node)
            self.hand_bounds_down(node, None)
            return self.check_children(node, judge(self.samples, rows, 1, 0.0))
        judged, feature = self.judge(node, rows), int(self.tree.feature[node])
        if not self.check_children(node, judged):
            return False
        left = self.left_of(node, rows)
        if not 0 < len(left) < len(rows):
            self.error("empty child", node, f"sends {len(left)} of {len(rows)} samples to the left")
            return False
        # If one side of a cut has only missing values, the reference has this side on the right.
        sides = [left, frozenset(rows) - left]
        taken = next(cut for side in sides for cut in judged.cuts if cut.feature == feature and cut.left == side)
        self.taken[node] = taken
        self.hand_bounds_down(node, taken)
        self.report.thresholds[position_of_threshold(judged, taken, float(self.tree.threshold[node]))] += 1
        if broken := self.broken_limit(judged, taken, depth):
            self.error("limit ignored", node, broken)
            return True
        self.check_gain(node, judged, taken)
        reported = float(self.tree.gain[node])
        exact = number(taken.gain)
        if (
            self.read.has_own_gains
            and self.counted is self.samples
            and "gain" in self.read.known
            and reported != exact
            and not (abs(reported - exact) <= _GAIN_TOLERANCE * max(self.unit, abs(exact)))
        ):
            self.error("gain", node, f"says that its split gains {reported:.9g}, which gains {exact:.9g}")
        return True

    def check_pure_split(self, node: int) -> None:
        """Count the split of a node of one class or target: an error, unless rounding left the node an impurity.

        The mean of equal decimals, added up in floating point, differs from them.
        """
        if "impurity" in self.read.known and self.tree.impurity[node] > 0.0:
            self.report.splits[ROUNDING] += 1
            text = f"node {node}{self.path(node)} is split: its targets are equal, but rounding gives it an impurity."
            keep_example(self.report, ROUNDING, text, self.code, len(self.X))
        else:
            self.error("pure node split", node, f"is split, but all its samples have one {self.outcome}")

    def hand_bounds_down(self, node: int, taken: Cut | None) -> None:
        """Give the children of a node the bounds of their values."""
        direction = 0 if taken is None or not self.limits.monotonic_cst else self.limits.monotonic_cst[taken.feature]
        values = [0, 0] if taken is None else taken.values()
        children = int(self.tree.children_left[node]), int(self.tree.children_right[node])
        bounds = reference("split.monotonic").bounds_of_children(direction, values, self.bounds[node])
        self.bounds.update(zip(children, bounds, strict=True))

    def left_of(self, node: int, rows: list[int]) -> frozenset[int]:
        """Return the samples that go left."""
        left = goes_left(self.tree, node, self.X[rows, self.tree.feature[node]])
        return frozenset(row for row, goes in zip(rows, left, strict=True) if goes)

    def broken_limit(self, node: Node, taken: Cut, depth: int) -> str | None:
        """Return which limit a split breaks."""
        limits, n_samples, n_left = self.limits, len(node.rows), taken.n_left
        gain = number(taken.gain)
        if depth >= limits.max_depth:
            return f"is split at depth {depth}, with max_depth={limits.max_depth}"
        if n_samples < limits.min_samples_split:
            return f"splits {n_samples} samples, with min_samples_split={limits.min_samples_split}"
        if taken.breaks_order:
            return f"splits by {self.told(taken)}, which breaks the monotonic constraint of this feature or of the path"
        if not taken.is_allowed and not taken.is_doubtful:
            return f"has children of {n_left} and {n_samples - n_left} samples, which limits or the criterion forbid"
        slack = self.tolerance * self.unit
        if gain < limits.min_gain - slack:
            return f"is split with a gain of {gain:.6g}, with min_gain={limits.min_gain}"
        if 0.0 < limits.min_impurity_decrease > self.share(node) * gain + slack:
            return f"is split with a gain of {gain:.6g}, with min_impurity_decrease={limits.min_impurity_decrease}"
        return None

    def check_gain(self, node: int, judged: Node, taken: Cut) -> None:
        """Count whether a split is the best, a tie, rounded or an error."""
        best, split = judged.best, self.split(node, judged, taken)
        code, n_samples = self.code, len(self.X)
        if taken.is_doubtful and (best is None or not is_greater(best.gain, taken.gain)):
            self.report.splits[ROUNDING] += 1
            text = f"node {node}{self.path(node)} splits by {split}, which just keeps the monotonic constraints."
            keep_example(self.report, ROUNDING, text, code, n_samples)
            return
        assert best is not None  # the split that is taken is allowed
        first = self.told(best)
        if is_greater(best.gain, taken.gain):
            if shortfall(taken.gain, best.gain, self.samples.unit) <= self.tolerance:
                self.report.splits[ROUNDING] += 1
                text = f"node {node}{self.path(node)} takes {split}, {first} gains a little more."
                keep_example(self.report, ROUNDING, text, code, n_samples)
                return
            self.wrong.append((judged, taken))
            gains = f"gains {number(taken.gain):.9g}; {first} gains {number(best.gain):.9g}"
            hints = self.off_by_one(node, judged, taken)
            self.error("worse split", node, f"splits by {split}, which {gains}", hints)
            return
        ties = [cut for cut in judged.allowed if not is_greater(best.gain, cut.gain)]
        if len(ties) == 1:
            self.report.splits[BEST] += 1
            return
        kind = FIRST_OF_TIES if taken is best else OTHER_OF_TIES
        self.report.splits[kind] += 1
        text = f"splits by {split}; {first} gains as much, {len(ties)} cuts in all"
        keep_example(self.report, kind, f"node {node}{self.path(node)} {text}.", code, n_samples)
        if kind == OTHER_OF_TIES and self.ties == "first":
            rounding = "; they are exactly equal, and floats that differ by rounding may have hidden it"
            last = "It is the last of them: is a cut taken that gains as much as the best before, by >= in place of >?"
            hints = {"last": last} if taken is ties[-1] else {}
            self.error("tie rule", node, f"{text}, of which the first should be taken{rounding}", hints)

    def cuts_beside(self, node: int, judged: Node) -> list[Cut]:
        """Return the cuts of a node's feature, by ascending threshold, that send missing values where the node does."""
        types, feature = reference("base.types"), int(self.tree.feature[node])
        side = types.MISSING_LEFT if self.tree.missing_go_to_left[node] else types.MISSING_RIGHT
        cuts = [cut for cut in judged.cuts if cut.feature == feature and cut.threshold < np.inf]
        return [cut for cut in cuts if cut.missing in (types.NONE_MISSING, side)]

    def off_by_one(self, node: int, judged: Node, taken: Cut) -> dict[str, str]:
        """Return hints if a neighbouring cut is as good as the best cut."""
        cuts = self.cuts_beside(node, judged)
        if taken not in cuts:
            return {}
        place, name, hints = cuts.index(taken), self.read.name_of(taken.feature), {}
        best = [cut for cut in judged.allowed if judged.best is not None and not is_greater(judged.best.gain, cut.gain)]
        for other, side in ((place + 1, "higher"), (place - 1, "lower")):
            if 0 <= other < len(cuts) and cuts[other] in best:
                hints[side] = f"The next {side} cut of {name} is a best one: off by one?"
        return hints

    def check_root(self, rows: list[int]) -> bool:
        """Whether the root has all samples. If the tree ignores weights, the further checks ignore them too."""
        n_samples = int(self.tree.n_node_samples[0])
        if "n_node_samples" in self.read.known and n_samples != len(rows):
            self.error("samples", 0, f"has {_samples(n_samples)}, but was fitted to {len(rows)}")
            return False
        if self.has_samples(0, rows):
            return True
        others = {
            name: f"That would be right for the criterion {name!r}."
            for name, criterion in self.samples.other_criteria().items()
            if replace(self.samples, criterion=criterion).agree_with(self.read, 0, rows)
        }
        found = f"has {self.samples_told(0)}, but the samples have {self.samples.told(rows)}"
        self.counted = replace(self.samples, weights=[1] * len(rows))
        if self.has_samples(0, rows):
            hint = "These are numbers of samples: are sample weights ignored?"
            self.error("samples", 0, f"{found} by their weights", {"weights": hint})
            return True
        self.error("samples", 0, found, others)
        return False

    def check_children(self, node: int, judged: Node) -> bool:
        """Whether the children have the samples that the tree says they have."""
        left = self.left_of(node, judged.rows)
        right = [row for row in judged.rows if row not in left]
        children = int(self.tree.children_left[node]), int(self.tree.children_right[node])
        for child, side, rows in zip(children, ("left", "right"), (sorted(left), right), strict=True):
            if not self.has_samples(child, rows):
                found = f"{_samples(len(rows))} of {self.counted.told(rows)} go {side}"
                split = f"splits by {condition(self.read, node, 0)}: {found}, but the tree has"
                hints = self.hints_of_samples(children[0], node, judged)
                self.error("samples", node, f"{split} {self.samples_told(child)}", hints)
                return False
        return True

    def samples_told(self, node: int) -> str:
        """Describe a node's samples as the tree counts them."""
        number = int(self.tree.n_node_samples[node])
        told = [_samples(number)] if "n_node_samples" in self.read.known else []
        return " of ".join(part for part in (*told, self.samples.told_at(self.read, node)) if part)

    def has_samples(self, node: int, rows: list[int]) -> bool:
        """Whether these samples give a node's number of samples, and class counts or numbers, as far as known."""
        is_known = "n_node_samples" in self.read.known
        if is_known and self.tree.n_node_samples[node] != len(rows):
            return False
        return self.counted.agree_with(self.read, node, rows)

    def hints_of_samples(self, child: int, node: int, judged: Node) -> dict[str, str]:
        """Return hints that would explain the samples of the left child."""
        feature, threshold = int(self.tree.feature[node]), float(self.tree.threshold[node])
        name, column = self.read.name_of(feature), {row: self.samples.X[row][feature] for row in judged.rows}
        left, hints = self.left_of(node, judged.rows), {}
        at = [row for row, value in column.items() if value == threshold]
        if at and self.has_samples(child, sorted(left.difference(at))):
            told = f"{name} < {threshold!r}, without sample {at[0]}, whose value is the threshold"
            hints["<"] = f"On the left the tree has the samples with {told}: < in the place of <=?"
        missing = [row for row, value in column.items() if value != value]
        if missing and self.has_samples(child, sorted(left.symmetric_difference(missing))):
            hints["missing"] = f"It has the samples whose {name} is missing on the other side: are they sent there?"
        cuts = self.cuts_beside(node, judged)
        place = sum(cut.threshold <= threshold for cut in cuts)
        for other, side in ((place, "higher"), (place - 1, "lower"), (place - 2, "lower")):
            if not hints and 0 <= other < len(cuts) and self.has_samples(child, sorted(cuts[other].left)):
                told = f"the next {side} threshold of {name}, {cuts[other].threshold!r}"
                hints[side] = f"On the left the tree has the samples of {told}: off by one?"
        return hints

    # ------------------------------------------------------------------------------------------------- order of growth

    def check_order(self) -> None:
        """Check that a tree with a limit on its leaves always split the leaf of the greatest gain times samples."""
        total_gain = {
            node: judged.weight * cut.gain
            for node, judged in self.judged.items()
            if (cut := self.taken.get(node) or judged.best) is not None
        }
        open_leaves = [0] if 0 in total_gain else []
        while open_leaves:
            split = [node for node in open_leaves if not self.is_leaf[node]]
            if not split:
                return
            # If several gain as much, a node whose child gains more and is a leaf was split last.
            best = max(split, key=lambda node: number(total_gain[node]))
            short = {node: shortfall(total_gain[node], total_gain[best], self.samples.unit) for node in split}
            tied = [node for node in split if short[node] <= self.tolerance]
            best = min(tied, key=lambda node: self.opens_leaf(node, total_gain))
            for node in open_leaves:
                lacks = shortfall(total_gain[best], total_gain[node], self.samples.unit)
                if self.is_leaf[node] and lacks > self.tolerance:
                    gains = f"{number(total_gain[node]):.6g}, and node {best} gains {number(total_gain[best]):.6g}"
                    self.error("order of growth", node, f"is a leaf: its best split gains, times its samples, {gains}")
                    return
            open_leaves.remove(best)
            children = int(self.tree.children_left[best]), int(self.tree.children_right[best])
            open_leaves += [child for child in children if child in total_gain]

    def opens_leaf(self, node: int, total_gain: Mapping[int, Any]) -> bool:
        """Whether a child of a node is a leaf that gains more than the node."""
        children = int(self.tree.children_left[node]), int(self.tree.children_right[node])
        is_open = [child for child in children if child in total_gain and self.is_leaf[child]]
        return any(is_greater(total_gain[child], total_gain[node]) for child in is_open)

    # ----------------------------------------------------------------------------------------------------- predictions

    def check_predictions(self, fitted: Any, classes: AnyArray | None, rounded_to: type[np.floating]) -> None:
        """Check the predictions of the training samples, and of samples on the tree's thresholds.

        `classes` is None if the tree predicts numbers.
        """
        X = self.probes(rounded_to)
        leaves = [self.leaf_of(row) for row in X]
        if any(leaf not in self.rows for leaf in leaves):
            self.report.predictions[BELOW_ERRORS] += 1  # the training samples of that leaf are not known
            return
        self.report.predictions[CHECKED] += 1
        try:
            predicted = np.asarray(fitted.predict(X))
        except Exception as error:
            self.report.errors["exception"] += 1
            told = f"predict raised {type(error).__name__}: {error}"
            keep_example(self.report, "exception", told, self.code, len(self.X))
            return
        if predicted.shape != (len(X),):
            self.error("prediction", 0, f"predicts an array of shape {predicted.shape} for {len(X)} samples")
            return
        if classes is None:
            predicted, wrong = predicted.astype(float), self.wrong_numbers(predicted, leaves)
            what = "predicts"
        else:
            predicted, wrong, what = self.wrong_classes(fitted, X, predicted, classes, leaves)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            told = f"the estimator {what} {predicted[row].tolist()}"
            message = f"has {self.counted.told(self.rows[leaves[row]])}, but for {X[row].tolist()} {told}"
            hints = {}
            if classes is not None and what == "predicts" and not np.isin(predicted, classes).all():
                hints["codes"] = f"Does predict return codes? The classes are {classes.tolist()}."
            elif self.leaf_of(X[row].astype(np.float32).astype(np.float64)) != leaves[row]:
                hints["rounded"] = "Is X rounded to float32? Then tell it by dtype=np.float32."
            elif self.leaf_of(X[row], strictly=True) != leaves[row]:
                hints["<"] = "The sample lies on a threshold of its path: < in the place of <=?"
            self.error("prediction", leaves[row], message, hints)

    def wrong_numbers(self, predicted: AnyArray, leaves: list[int]) -> BoolArray:
        """Return which predictions are not the numbers of the samples' leaves."""
        assert isinstance(self.counted, NumberSamples)
        numbers, is_value = zip(predicted.tolist(), leaves, strict=True), self.counted.is_value
        return np.array([not is_value(number, self.rows[leaf], self.bounds[leaf]) for number, leaf in numbers])

    def wrong_classes(
        self, fitted: Any, X: FloatArray, predicted: AnyArray, classes: AnyArray, leaves: list[int]
    ) -> tuple[AnyArray, BoolArray, str]:
        """Return predictions, which of them are wrong, and what they are: classes, or shares if the classes are right.

        Any of several most frequent classes is right.
        """
        assert isinstance(self.counted, Samples)
        counts = np.array([self.counted.counts(self.rows[leaf]) for leaf in leaves], dtype=float)
        if self.limits.monotonic_cst:
            counts = self.within_bounds(counts, leaves)
        is_class = predicted[:, np.newaxis] == classes
        wrong = ~((counts == counts.max(axis=1, keepdims=True)) & is_class).any(axis=1)
        if wrong.any() or not hasattr(fitted, "predict_proba"):
            return predicted, wrong, "predicts"
        shares = np.asarray(fitted.predict_proba(X))
        wrong = (np.abs(shares - counts / counts.sum(axis=1, keepdims=True)) > _SHARE_TOLERANCE).any(axis=1)
        return shares, wrong, "gives the shares"

    def within_bounds(self, counts: FloatArray, leaves: list[int]) -> FloatArray:
        """Return shares of two classes in place of class counts, within the bounds of their leaves."""
        ones = counts[:, -1] / counts.sum(axis=1) if counts.shape[1] == 2 else np.zeros(len(counts))
        ones = np.clip(ones, *np.array([self.bounds[leaf] for leaf in leaves], dtype=float).T)
        return np.stack([1.0 - ones, ones], axis=1) if counts.shape[1] == 2 else counts

    def probes(self, rounded_to: type[np.floating]) -> FloatArray:
        """Return the training samples, and for every split one of its samples with the threshold as its value."""
        probes = []
        for node, rows in self.rows.items():
            if not self.is_leaf[node] and rows and np.isfinite(self.tree.threshold[node]):
                probe = self.X[rows[0]].copy()
                probe[self.tree.feature[node]] = rounded_to(self.tree.threshold[node])
                probes.append(probe)
        return np.concatenate([self.X, np.array(probes)]) if probes else self.X

    def leaf_of(self, values: FloatArray, strictly: bool = False) -> int:
        """Return the leaf of a sample, `strictly` with < in place of <=."""
        node = 0
        while not self.is_leaf[node]:
            value = values[self.tree.feature[node]]
            left = goes_left(self.tree, node, value) and not (strictly and value == self.tree.threshold[node])
            node = int(self.tree.children_left[node] if left else self.tree.children_right[node])
        return node


def _samples(number: int) -> str:
    return f"{number} sample{'' if number == 1 else 's'}"
