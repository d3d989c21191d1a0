"""Tree construction from a Fourier spectrum (TCFS): a decision tree of a function.

Figs. 4 and 5 of Kargupta, Park & Dutta. The function is given by its spectrum, by boxes, or by its values at samples.
The paper keeps the coefficients that are not used yet, and adds them to the averages of all candidate schemata. Here
the function is restricted to the schema of a node, and asked for its averages and its energy. A categorical attribute
is split as in the paper, into a child for every value. Another attribute is cut in two: values up to a threshold, and
values above it.
"""

from itertools import accumulate
from math import copysign, inf, ldexp, log2

from ..base.types import LEAF, MULTIWAY, NO_CATEGORY, UNDEFINED, UNLIMITED
from .functions import BoxFunction, SampleFunction, SpectrumFunction

TOLERANCE = 1e-12


def times_power(number, exponent):
    """Return a number times 2**exponent, infinity if that is too great."""
    try:
        return ldexp(number, exponent)
    except OverflowError:
        return copysign(inf, number)


def impurity(averages, criterion, exponent=0):
    """Return the entropy of classes in bits, or minus the sum of the squared averages.

    The shares of classes are the averages times 2**exponent. A single one is the share of a class; the other classes
    have the rest.
    """
    if criterion != "entropy":
        return -sum(average * average for average in averages)
    shares = [min(1.0, max(0.0, times_power(average, exponent))) for average in averages]
    if len(shares) == 1:
        shares = [shares[0], 1.0 - shares[0]]
    return -sum(p * log2(p) for p in shares if p > 0.0)


def splits(function, m, categorical):
    """Return all splits of the schema by an attribute: lists with a part (low, high) for every child.

    All parts have mass. A categorical attribute is split into its values; another one may be cut after each value,
    ascending.
    """
    low, high = function.limits[m]
    if m in categorical:
        values = [(value, value + 1) for value in range(low, high) if function.weight(m, value, value + 1) > 0.0]
        return [values] if len(values) > 1 else []
    cuts = [[(low, value + 1), (value + 1, high)] for value in range(low, high - 1)]
    return [parts for parts in cuts if all(function.weight(m, *part) > 0.0 for part in parts)]


def gain(function, m, parts, criterion, exponent):
    """Return Gain(h, k) of the paper, with the parts weighted."""
    return impurity(function.average(), criterion, exponent) - sum(
        function.weight(m, *part) * impurity(function.restricted(m, *part).average(), criterion, exponent)
        for part in parts
    )


def find_split(function, categorical, criterion, unit, scale, exponent):
    """Return the split of the greatest gain; if none gains, a split by the attribute that most of the energy touches.

    The second is the lowest cut with at least half of the weight on its left, or else the last cut. Ties go to the
    lowest attribute, then to the lowest cut. Return (attribute, parts, gain), or None if nothing can be split.
    """
    best, best_gain = None, 0.0
    attributes = range(len(function.limits))
    for m in attributes:
        for parts in splits(function, m, categorical):
            gain_here = gain(function, m, parts, criterion, exponent)
            if gain_here > best_gain + TOLERANCE * max(unit, best_gain):
                best, best_gain = (m, parts, gain_here), gain_here
    if best is not None:
        return best
    most = 0.0
    for m in attributes:
        possible = splits(function, m, categorical)
        if possible and (best is None or function.touching(m) > most + TOLERANCE * max(scale, most)):
            halves = [parts for parts in possible if function.weight(m, *parts[0]) >= 0.5 * (1.0 - TOLERANCE)]
            best, most = (m, (halves or possible[-1:])[0], 0.0), function.touching(m)
    return best


def is_settled(averages, settled):
    """Whether every group of outputs has a settled output. Then the node becomes a leaf.

    `settled` is None, or a pair (at_most, at_least) of lists of groups. An output is settled if its average is at most
    the one number, or at least the other. This is the paper's "minimum confidence" c: the confidence in one output is
    max(phi, 1 - phi), so its numbers are 1 - c and c.
    """
    if settled is None:
        return False
    at_most, at_least = settled
    of_groups, found = iter(averages), []
    for lows, highs in zip(at_most, at_least, strict=True):
        group = [(next(of_groups), low, high) for low, high in zip(lows, highs, strict=True)]
        found.append(any(average <= low or average >= high for average, low, high in group))
    return all(found)


class Node:
    def __init__(self, function, category, depth, categorical, criterion, tol, scale, max_depth, settled, exponent):
        self.function, self.category, self.depth, self.children = function, category, depth, []
        self.average, self.mass = function.average(), function.mass()
        self.split = None
        if depth < max_depth and not is_settled(self.average, settled) and function.energy() > tol:
            unit = 1.0 if criterion == "entropy" else scale
            self.split = find_split(function, categorical, criterion, unit, scale, exponent)


def most_promising(frontier, unit):
    """Return the node of the greatest gain times mass; ties go to the node that was met first."""
    best = frontier[0]
    for node in frontier[1:]:
        least = best.mass * best.split[2] + TOLERANCE * unit * max(node.mass, best.mass)
        if node.mass * node.split[2] > least:
            best = node
    return best


def grow(function, categorical, criterion, tol, scale, max_depth, max_leaf_nodes, settled, most_leaves, exponent):
    """Build the tree (Fig. 5), the most promising node first. A split that exceeds the limit of leaves is not made.

    Return None if there would be more leaves than `most_leaves`.
    """
    unit = 1.0 if criterion == "entropy" else scale
    limits = categorical, criterion, tol, scale, max_depth, settled, exponent
    root = Node(function, NO_CATEGORY, 0, *limits)
    frontier, n_leaves = [root], 1
    while True:
        frontier = [node for node in frontier if node.split is not None]
        if not frontier:
            return root
        node = most_promising(frontier, unit)
        frontier.remove(node)
        m, parts, _ = node.split
        if n_leaves + len(parts) - 1 > max_leaf_nodes:
            continue
        if n_leaves + len(parts) - 1 > most_leaves:
            return None
        for low, high in parts:
            category = low if m in categorical else NO_CATEGORY
            node.children.append(Node(node.function.restricted(m, low, high), category, node.depth + 1, *limits))
        frontier += node.children
        n_leaves += len(parts) - 1


def arrays_of(root, categorical):
    """Return the nodes in preorder, as lists."""
    names = "children_left", "children_right", "feature", "threshold", "gain", "category", "mass", "average"
    tree = {name: [] for name in names}
    children = []

    def visit(node):
        number = len(children)
        m, parts, node_gain = node.split if node.children else (UNDEFINED, None, 0.0)
        is_cut = parts is not None and m not in categorical
        threshold = parts[0][1] - 0.5 if is_cut else float(UNDEFINED)
        row = (LEAF, LEAF, m, threshold, node_gain, node.category, node.mass, node.average)
        for name, entry in zip(names, row, strict=True):
            tree[name].append(entry)
        children.append([])
        for child in node.children:
            children[number].append(visit(child))
        if node.children:
            sides = children[number] if is_cut else (MULTIWAY, MULTIWAY)
            tree["children_left"][number], tree["children_right"][number] = sides
        return number

    visit(root)
    offsets = list(accumulate(map(len, children), initial=0))
    return tree | {"child_offsets": offsets, "children": [child for below in children for child in below]}


def tree_from_boxes(boxes, values, tree_of_box, measure, *limits):
    """Build a tree by TCFS of the sum of boxes, each times its row of `values`; see `tree_of` for the limits.

    (`tree_of_box` lets the engine estimate energies; the reference computes them.)
    """
    return tree_of(BoxFunction.everywhere(boxes, values, measure), *limits)


def tree_from_spectrum(partitions, coefficients, measure, *limits):
    """Build a tree by TCFS of spectra on the same partitions, each a column of `coefficients`; see `tree_of`.

    The measure must be uniform.
    """
    return tree_of(SpectrumFunction.everywhere(partitions, coefficients, measure), *limits)


def tree_from_samples(rows, values, weights, cardinalities, *limits):
    """Build a tree by TCFS of a function given by its values at weighted rows, under their joint distribution."""
    return tree_of(SampleFunction.everywhere(rows, values, weights, cardinalities), *limits)


def tree_of(
    function,
    criterion,
    tol,
    scale,
    max_depth,
    max_leaf_nodes,
    is_categorical=None,
    settled=None,
    most_leaves=UNLIMITED,
    exponent=0,
):
    """Build the tree of a function: a dict of lists, one entry per node.

    `scale` is the square of the function's magnitude; the function, and so its averages, is given times 2**-exponent,
    while the entropy takes the shares of classes that it stands for; `is_categorical` tells which attributes are split
    into all their values, by default none; `settled` is explained at `is_settled`. `mass` is the probability of the
    node's schema, `average` the function's averages over it. None if there would be more leaves than `most_leaves`.
    """
    categorical = {m for m, yes in enumerate(is_categorical or []) if yes}
    limits = criterion, tol, scale, max_depth, max_leaf_nodes, settled, most_leaves, exponent
    root = grow(function, categorical, *limits)
    return None if root is None else arrays_of(root, categorical)
