"""Growth of a tree whose splits are judged by a distance between clusterings of its training rows.

A tree induces the clustering T of its rows by predicted class, and the true classes are the clustering Y. What the
distances of F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning" (Section 1.1), ask of both is the
table of |T_i ∩ Y_j|. A split is judged by the two sides of its leaf (local evaluation, Algorithm 2), or by the whole
tree that it leads to (global evaluation, Algorithm 3).
"""

from .criteria import class_counts, is_greater, reported
from .distances import DISTANCES, SIMILARITIES, merit, merit_of_sides, table_distance
from .partition import split_rows
from .scanner import MASK, allowed_thresholds, draw_features, find_split, mix64

LEAF, UNDEFINED = -1, -2


class Node:
    """A node while the tree grows: its rows in order, its depth, its label as a leaf, where its draws start."""

    def __init__(self, tree, rows, depth, random_state, label=None):
        self.rows = rows
        self.depth = depth
        self.random_state = random_state
        self.counts = class_counts([tree.y[row] for row in rows], [tree.weights[row] for row in rows], tree.n_classes)
        self.label = majority(self.counts) if label is None else label
        self.feature, self.threshold, self.gain, self.step = UNDEFINED, float(UNDEFINED), 0.0, LEAF
        self.left = self.right = None


class GrowingTree:
    """What a tree grows from, and its leaves from left to right."""

    def __init__(self, X, y, weights, n_classes, distance, evaluation, labels, stop, limits):
        self.X, self.y = X, y
        self.weights = [1] * len(y) if weights is None else weights
        self.n_classes, self.distance, self.evaluation = n_classes, distance, evaluation
        self.labels, self.stop, self.limits = labels, stop, limits
        self.leaves = []

    def table(self):
        """|T_i ∩ Y_j| of the present tree."""
        table = [[0] * self.n_classes for _ in range(self.n_classes)]
        for leaf in self.leaves:
            table[leaf.label] = add_lists(table[leaf.label], leaf.counts)
        return table

    def may_split(self, leaf):
        return (
            len(leaf.rows) >= self.limits["min_samples_split"]
            and leaf.depth < self.limits["max_depth"]
            and sum(count > 0 for count in leaf.counts) > 1
        )


def majority(counts):
    """The most frequent class, the lowest of several."""
    return counts.index(max(counts))


def add_lists(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract_lists(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def grow_tree(
    X, y, weights, n_classes, distance, *, evaluation, labels, stop, rows=None, shared=None, n_threads=1, **limits
):
    """Grow a tree: a dict of its arrays, the nodes in preorder. Limits that do not apply are UNLIMITED.

    `label` is what the tree predicts, or predicted while the node was a leaf; `split_step` counts the splits in the
    order in which they were made, and is -1 at leaves.
    """
    tree = GrowingTree(X, y, weights, n_classes, distance, evaluation, labels, stop, limits)
    if evaluation != "local" and any(isinstance(weight, float) for weight in tree.weights):
        raise ValueError("Global evaluation counts rows: their weights must be whole numbers.")
    root = Node(tree, list(range(len(y))) if rows is None else list(rows), 0, mix64(limits["seed"]))
    tree.leaves.append(root)
    n_steps = 0
    while len(tree.leaves) < limits["max_leaf_nodes"]:
        best = best_step(tree)
        if best is None:
            break
        split_leaf(tree, best, n_steps)
        n_steps += 1
    return as_arrays(root)


def best_step(tree):
    """The next split as the evaluation wants it: a dict, or None where growth stops."""
    if tree.evaluation == "local":
        return best_local_step(tree, tree.stop == "no_decrease")
    best = best_global_step(tree)
    decreases = best is not None and best["merit"] > merit(tree.distance, tree.table())
    if decreases or (tree.evaluation == "global" and tree.stop == "pure"):
        return best
    return best_local_step(tree, tree.stop == "no_decrease") if tree.evaluation == "glocal" else None


def best_global_step(tree):
    """Of all impure leaves, features, thresholds and labels those of the nearest whole tree (Algorithm 3)."""
    best = None
    before = tree.table()
    for place, leaf in enumerate(tree.leaves):
        if not tree.may_split(leaf):
            continue
        without = list(before)
        without[leaf.label] = subtract_lists(before[leaf.label], leaf.counts)
        for feature, threshold, left, right in cuts(tree, leaf):
            pairs = [(majority(left), majority(right))]
            if tree.labels == "all":
                pairs = [(i, j) for i in range(tree.n_classes) for j in range(tree.n_classes)]
            for pair in pairs:
                after = list(without)
                after[pair[0]] = add_lists(after[pair[0]], left)
                after[pair[1]] = add_lists(after[pair[1]], right)
                step_merit, position = merit(tree.distance, after), (feature, threshold, place, pair)
                if best is None or (step_merit, best["position"]) > (best["merit"], position):
                    best = {"merit": step_merit, "position": position, "labels": pair}
    if best is not None:
        best["gain"] = global_gain(tree, before, best)
    return best


def cuts(tree, leaf):
    """(feature, threshold, class counts of both sides) of every valid split of a leaf."""
    limits = tree.limits
    for feature in draw_features(
        tree.X, leaf.rows, limits["min_samples_leaf"], limits["max_features"], leaf.random_state
    ):
        for threshold in allowed_thresholds(tree.X, leaf.rows, feature, limits["min_samples_leaf"]):
            sides = split_rows(tree.X, leaf.rows, feature, threshold)
            yield feature, threshold, *(counts_of(tree, side) for side in sides)


def counts_of(tree, rows):
    return class_counts([tree.y[row] for row in rows], [tree.weights[row] for row in rows], tree.n_classes)


def global_gain(tree, before, step):
    """By how much the whole tree comes closer, by the leaf's share of the rows: what importances multiply by it."""
    feature, threshold, place, labels = step["position"]
    leaf = tree.leaves[place]
    left, right = (counts_of(tree, side) for side in split_rows(tree.X, leaf.rows, feature, threshold))
    after = list(before)
    after[leaf.label] = subtract_lists(after[leaf.label], leaf.counts)
    after[labels[0]] = add_lists(after[labels[0]], left)
    after[labels[1]] = add_lists(after[labels[1]], right)
    gain = table_distance(before, tree.distance) - table_distance(after, tree.distance)
    if tree.distance in SIMILARITIES:
        gain = table_distance(after, tree.distance) - table_distance(before, tree.distance)
    return gain * sum(map(sum, before)) / sum(leaf.counts)


def best_local_step(tree, must_gain):
    """Of all impure leaves the one whose best split comes nearest to the classes within it (Algorithm 2).

    Distances that know no whole tree, which are criteria of their own, compare by their gain.
    """
    best = None
    criterion = "entropy" if tree.distance == "information_gain" else tree.distance
    for place, leaf in enumerate(tree.leaves):
        split = None
        if tree.may_split(leaf):
            limits = tree.limits | {"max_candidates": 2**31 - 1}
            split = find_split(
                tree.X, tree.y, tree.weights, tree.n_classes, criterion, limits, leaf.rows, leaf.random_state
            )
        if split is None or (must_gain and not is_greater(split[0], type(split[0])(0))):
            continue
        gain, feature, threshold = split
        step_merit, position = gain, (feature, threshold, place)
        if tree.distance in DISTANCES:
            step_merit = merit_of_sides(tree.distance, *ascending_counts(tree, leaf, feature, threshold))
        if (
            best is None
            or is_greater(step_merit, best["merit"])
            or (not is_greater(best["merit"], step_merit) and position < best["position"])
        ):
            best = {"merit": step_merit, "position": position, "labels": None, "gain": reported(criterion, gain)}
    return best


def ascending_counts(tree, leaf, feature, threshold):
    """Class counts of both sides, weights being added in ascending order of the feature."""
    rows = sorted(leaf.rows, key=lambda row: tree.X[row][feature])
    return [counts_of(tree, side) for side in split_rows(tree.X, rows, feature, threshold)]


def split_leaf(tree, step, number):
    """Put two leaves in the place of one, labelled as the step says, or by their majorities."""
    feature, threshold, place = step["position"][:3]
    leaf = tree.leaves[place]
    labels = step["labels"] or (None, None)
    leaf.feature, leaf.threshold, leaf.gain, leaf.step = feature, threshold, step["gain"], number
    left, right = split_rows(tree.X, leaf.rows, feature, threshold)
    leaf.left = Node(tree, left, leaf.depth + 1, mix64((leaf.random_state + 1) & MASK), labels[0])
    leaf.right = Node(tree, right, leaf.depth + 1, mix64((leaf.random_state + 2) & MASK), labels[1])
    tree.leaves[place : place + 1] = [leaf.left, leaf.right]


def as_arrays(root):
    """The tree's arrays in preorder."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        node.number = len(order)
        order.append(node)
        if node.left:
            stack += [node.right, node.left]
    return {
        "children_left": [node.left.number if node.left else LEAF for node in order],
        "children_right": [node.right.number if node.right else LEAF for node in order],
        "feature": [node.feature for node in order],
        "threshold": [node.threshold for node in order],
        "n_node_samples": [len(node.rows) for node in order],
        "value": [[float(count) for count in node.counts] for node in order],
        "gain": [node.gain for node in order],
        "label": [node.label for node in order],
        "split_step": [node.step for node in order],
    }
