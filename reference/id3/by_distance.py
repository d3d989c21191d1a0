"""Growth of a tree whose splits are judged by a distance between clusterings of its training rows.

A tree induces the clustering T of its rows by predicted class, and the true classes are the clustering Y. The distances
of F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning" (Section 1.1), only need the table of
|T_i ∩ Y_j|. A split is judged by the two sides of its leaf (local evaluation, Algorithm 2), or by the whole
tree that it leads to (global evaluation, Algorithm 3). The paper does not say which of equally good global steps is
taken. With `ties` of "local", the step whose split comes nearest to the classes within its leaf is taken.
"""

from ..base.signals import raise_if_stopped
from ..base.types import MISSING_LEFT, NONE_MISSING, UNDEFINED, UNLIMITED
from ..criteria.counts import MAX_TOTAL_COUNT, check_weights, given_of, is_greater, name_of
from ..criteria.user import check_criterion
from ..growth.tree import Node, as_arrays, children_of, in_preorder, parts_of
from ..rows.partition import check_categories
from ..split.node_search import allowed_cuts, allows_children, draw_features, mix64
from ..split.node_split import best_of, better_split, find_split
from ..split.problem import Problem
from .distances import (
    DISTANCES,
    SIMILARITIES,
    labellings,
    merit,
    merit_of_children,
    set_distance,
    table_distance,
)

NO_STEP = -1


class GrowthByDistance:
    """The problem, the options of growth, and the leaves from left to right. The problem's criterion judges the splits
    of a leaf as the distance does."""

    def __init__(self, problem, rows, distance, evaluation, labels, ties, stop):
        self.problem, self.rows, self.distance, self.evaluation = problem, rows, distance, evaluation
        self.labels, self.ties, self.stop = labels, ties, stop
        self.name, self.function = name_of(distance), given_of(distance).get("function")
        self.leaves = []

    def clustering(self, leaves):
        """Return the clustering by these leaves: the table of |T_i ∩ Y_j|, and the rows by predicted class."""
        labels, rows, counts = ([getattr(leaf, name) for leaf in leaves] for name in ("label", "rows", "counts"))
        n_classes = self.problem.n_classes
        no_rows = [[0] * n_classes for _ in range(n_classes)], [[] for _ in range(n_classes)]
        return with_parts(no_rows, labels, rows, counts)

    def classes(self, rows):
        """Return the rows by true class."""
        problem = self.problem
        return [[row for row in rows if problem.y[row] == label] for label in range(problem.n_classes)]

    def has_room(self, n_children):
        """Whether a leaf may be replaced by `n_children` leaves."""
        return len(self.leaves) - 1 + n_children <= self.problem.limits["max_leaf_nodes"]

    def may_split(self, leaf):
        limits = self.problem.limits
        return (
            len(leaf.rows) >= limits["min_samples_split"]
            and leaf.depth < limits["max_depth"]
            and sum(count > 0 for count in leaf.counts) > 1
        )


def make_leaf(tree, node, label=None):
    """Give a node its class counts and its label; without a label it gets its majority."""
    node.counts = tree.problem.class_counts(node.rows)
    node.label = majority(node.counts) if label is None else label
    node.step = NO_STEP
    return node


def majority(counts):
    """Return the most frequent class, the lowest of several."""
    return counts.index(max(counts))


def add_lists(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def with_parts(clustering, labels, parts, counts):
    """Return a clustering after further parts, given as rows and class counts, have joined the clusters of their
    labels."""
    table, clusters = map(list, clustering)
    for label, part, of_part in zip(labels, parts, counts, strict=True):
        table[label] = add_lists(table[label], of_part)
        clusters[label] = clusters[label] + part
    return table, clusters


def grow_by_distance(
    X,
    y,
    weights,
    n_classes,
    distance,
    *,
    evaluation,
    labels,
    stop,
    ties="first",
    rows=None,
    shared=None,
    n_threads=1,
    n_categories=None,
    **limits,
):
    """Grow a tree and return a dict of its arrays, the nodes in preorder. A limit of UNLIMITED does not apply.

    `label` is the prediction of a node as a leaf. `split_step` numbers the splits in the order of growth, and is -1 at
    leaves. Features with `n_categories` above 0 hold codes below that.
    """
    check_categories(X, n_categories)
    check_criterion(distance, n_categories)
    check_weights(weights)
    rows = list(range(len(y))) if rows is None else list(rows)
    weights = [1] * len(y) if weights is None else weights
    limits |= {"max_candidates": UNLIMITED}
    problem = Problem(X, y, weights, n_classes, criterion_of(distance), limits, n_categories)
    if evaluation != "local" and problem.weight(rows) >= MAX_TOTAL_COUNT:
        raise ValueError("Global evaluation counts samples: their weights must be whole numbers of a sum below 2**24.")
    tree = GrowthByDistance(problem, rows, distance, evaluation, labels, ties, stop)
    root = make_leaf(tree, Node(rows, 0, mix64(limits["seed"])))
    tree.leaves.append(root)
    n_steps = 0
    while (best := best_step(tree)) is not None:
        split_leaf(tree, best, n_steps)
        n_steps += 1
    order = in_preorder(root)
    return as_arrays(problem, order) | {
        "label": [node.label for node in order],
        "split_step": [node.step for node in order],
    }


def best_step(tree):
    """Return the next split by the evaluation as a dict, or None if growth stops."""
    if tree.evaluation == "local":
        return best_local_step(tree)
    best = best_global_step(tree)
    if best is not None:
        now = merit_of_tree(tree, tree.clustering(tree.leaves))
        if may_step("no_decrease" if tree.evaluation == "glocal" else tree.stop, best["merit"], now):
            return best
    return best_local_step(tree) if tree.evaluation == "glocal" else None


def may_step(stop, after, before):
    """Whether growth goes on with a step that changes the merit from `before` to `after`: with "no_decrease" only if
    the distance decreases, with "no_distance_decay" also if it stays, with "pure" always."""
    if stop == "no_decrease":
        return is_greater(after, before)
    return stop == "pure" or not is_greater(before, after)


def best_global_step(tree):
    """Return the split of an impure leaf whose whole tree is nearest to the classes, with its labels (Algorithm 3).

    If there are more than two children, their majorities are their labels, because there are too many other choices.
    """
    best = None
    for place, leaf in enumerate(tree.leaves):
        raise_if_stopped()
        if not tree.may_split(leaf):
            continue
        others = tree.clustering(tree.leaves[:place] + tree.leaves[place + 1 :])
        for feature, cut, children in splits(tree, leaf):
            if not tree.has_room(len(children)):
                continue
            counts = [tree.problem.class_counts(child) for child in children]
            choices = [tuple(map(majority, counts))]
            if tree.labels == "all" and len(children) == 2:
                classes = range(tree.problem.n_classes)
                choices = [(i, j) for i in classes for j in classes]
            for labels in choices:
                step = {"position": position_of(feature, cut, place, labels), "labels": labels}
                step |= {"place": place, "feature": feature, "cut": cut}
                step["clustering"] = with_parts(others, labels, children, counts)
                step["merit"] = merit_of_tree(tree, step["clustering"])
                if best is not None and is_greater(best["merit"], step["merit"]):
                    continue
                step["local_merit"] = merit_in_leaf(tree, leaf, children) if tree.ties == "local" else 0
                if is_better(step, best):
                    best = step
    if best is not None:
        best["gain"] = global_gain(tree, best)
    return best


def position_of(feature, cut, place, labels=()):
    """Return the key that breaks ties between equally good steps, the lowest first: the feature, the threshold, missing
    values on the right before the left, the leaf from the left, and the labels."""
    threshold, missing = cut
    return feature, threshold, missing == MISSING_LEFT, place, labels


def is_better(step, best):
    """Whether a step is better. Ties go to the greater merit within the leaf, if steps have one, then to the lowest
    position."""
    if best is None:
        return True
    for name in ("merit", "local_merit"):
        if is_greater(step[name], best[name]):
            return True
        if is_greater(best[name], step[name]):
            return False
    return step["position"] < best["position"]


def merit_in_leaf(tree, leaf, children):
    """Return a number that grows as the children, given as rows, come closer to the classes within their leaf."""
    counts = [tree.problem.class_counts(child) for child in children]
    if tree.function is None:
        return merit_of_children(tree.distance, counts)
    classes = tree.classes(leaf.rows)
    return max(merit_of_sets(tree, classes, children, labels) for labels in labellings("jaccard", counts))


def merit_of_tree(tree, clustering):
    """Return a number that grows as the whole tree's clustering comes closer to the classes."""
    table, clusters = clustering
    if tree.function is None:
        return merit(tree.distance, table)
    return -set_distance(tree.distance, clusters, tree.classes(tree.rows))


def splits(tree, leaf):
    """Yield (feature, cut, rows of the children) of every valid split of a leaf."""
    problem = tree.problem
    for feature in draw_features(problem, leaf):
        if not problem.is_categorical(feature):
            cuts = allowed_cuts(problem, leaf.rows, feature)
        else:
            may_divide = allows_children(problem.X, leaf.rows, feature, problem.limits["min_samples_leaf"])
            cuts = [(float(UNDEFINED), NONE_MISSING)] if may_divide else []
        for cut in cuts:
            yield feature, cut, child_rows(problem, leaf.rows, feature, cut)


def child_rows(problem, rows, feature, cut):
    """Return the rows on both sides of the cut, or of every category that has rows."""
    return [child for _, child in parts_of(problem, rows, feature, cut)]


def global_gain(tree, step):
    """Return the decrease of the whole tree's distance, divided by the leaf's share of the rows."""
    before, after = tree.clustering(tree.leaves), step["clustering"]
    if tree.function is not None:
        gain = merit_of_tree(tree, after) - merit_of_tree(tree, before)
    elif tree.distance in SIMILARITIES:
        gain = table_distance(after[0], tree.distance) - table_distance(before[0], tree.distance)
    else:
        gain = table_distance(before[0], tree.distance) - table_distance(after[0], tree.distance)
    return gain * sum(map(sum, after[0])) / sum(tree.leaves[step["place"]].counts)


def best_local_step(tree):
    """Return the split of an impure leaf that comes nearest to the classes within the leaf (Algorithm 2).

    Criteria, which cannot judge whole trees, compare leaves by their gain.
    """
    best = None
    for place, leaf in enumerate(tree.leaves):
        raise_if_stopped()
        if not tree.may_split(leaf):
            continue
        split = split_by_sets(tree, leaf) if tree.function else split_by_criterion(tree, leaf)
        if split is None or not may_step(tree.stop, split[1], 0.0 if isinstance(split[1], float) else 0):
            continue
        step_merit, gain, feature, cut = split
        if not tree.has_room(len(child_rows(tree.problem, leaf.rows, feature, cut))):
            continue
        step = {"merit": step_merit, "local_merit": 0, "position": position_of(feature, cut, place), "labels": None}
        step |= {"place": place, "feature": feature, "cut": cut, "gain": float(gain)}
        if is_better(step, best):
            best = step
    return best


def criterion_of(distance):
    """Return the criterion that judges the splits of a leaf as the distance does."""
    if name_of(distance) == "jaccard":
        return "jaccard"
    return "entropy" if distance == "information_gain" else distance


def split_by_criterion(tree, leaf):
    """Return (merit, gain, feature, cut) of the leaf's best split, or None."""
    split = find_split(tree.problem, leaf)
    if split is None:
        return None
    gain, feature, cut = split
    if tree.name not in DISTANCES:
        return gain, gain, feature, cut
    children = [tree.problem.class_counts(child) for child in child_rows(tree.problem, leaf.rows, feature, cut)]
    return merit_of_children(tree.distance, children), gain, feature, cut


def split_by_sets(tree, leaf):
    """Return the leaf's best split under a set function; Jaccard's rule matches children to classes."""
    classes = tree.classes(leaf.rows)
    whole = max(merit_of_sets(tree, classes, [leaf.rows], [label]) for label in range(tree.problem.n_classes))
    cuts, by_category = [], []
    for feature, cut, children in splits(tree, leaf):
        split_merit = merit_in_leaf(tree, leaf, children)
        kind = by_category if tree.problem.is_categorical(feature) else cuts
        kind.append((split_merit, feature, cut))
    if not cuts and not by_category:
        return None
    split_merit, feature, cut = better_split(best_of(cuts), best_of(by_category))
    return split_merit, split_merit - whole, feature, cut


def merit_of_sets(tree, classes, children, labels):
    clusters = [[] for _ in range(tree.problem.n_classes)]
    for child, label in zip(children, labels, strict=True):
        clusters[label] += child
    return -set_distance(tree.distance, clusters, classes)


def split_leaf(tree, step, number):
    """Replace a leaf by its children, labelled by the step or by their majorities."""
    place, feature, cut = step["place"], step["feature"], step["cut"]
    leaf = tree.leaves[place]
    leaf.feature, leaf.cut, leaf.gain, leaf.step = feature, cut, step["gain"], number
    leaf.children = children_of(tree.problem, leaf, feature, cut)
    for child, label in zip(leaf.children, step["labels"] or [None] * len(leaf.children), strict=True):
        make_leaf(tree, child, label)
    tree.leaves[place : place + 1] = leaf.children
