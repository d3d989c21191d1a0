"""TCFS, Figs. 4 and 5 of Kargupta, Park & Dutta: a decision tree of a function, from its spectrum or from boxes.

The paper keeps the coefficients that are not used yet, and adds them to the averages of all candidate schemata. Here a
function is restricted to the schema, and asked for what is needed. Nodes have two children, of values up to a threshold
and above; for attributes of two values this is the paper's tree.
"""

from math import log2, prod

from .boxes import share
from .restriction import BoxFunction, SpectrumFunction

LEAF, UNDEFINED, UNLIMITED = -1, -2, 2**31 - 1
TOLERANCE = 1e-12


def impurity(averages, criterion):
    """Entropy in bits, of one class and the others or of all classes; or what the squares lack of the mean square."""
    if criterion != "entropy":
        return -sum(average * average for average in averages)
    shares = [min(1.0, max(0.0, average)) for average in averages]
    if len(shares) == 1:
        shares = [shares[0], 1.0 - shares[0]]
    return -sum(p * log2(p) for p in shares if p > 0.0)


def weight(function, m, low, high):
    """The probability of some values of an attribute, among those of the schema."""
    return share(function.weights[m], set(range(low, high))) / share(
        function.weights[m], set(range(*function.limits[m]))
    )


def cuts(function, m):
    """The values of an attribute that may be the last to go left: both sides have mass."""
    low, high = function.limits[m]
    return [
        value
        for value in range(low, high - 1)
        if weight(function, m, low, value + 1) > 0.0 and weight(function, m, value + 1, high) > 0.0
    ]


def gain(function, m, value, criterion):
    """Gain(h, k) of the paper, of a cut."""
    low, high = function.limits[m]
    return impurity(function.average(), criterion) - sum(
        weight(function, m, *part) * impurity(function.restricted(m, *part).average(), criterion)
        for part in ((low, value + 1), (value + 1, high))
    )


def find_split(function, criterion, unit, scale):
    """The cut of the greatest gain; where none gains anything, a cut of the attribute that most of the energy touches.

    That is the lowest cut with half of the weight on its left, if there is one, or else the last. Ties go to the lowest
    attribute, then to the lowest cut. (attribute, value, gain), or None where nothing can be cut.
    """
    best, best_gain = None, 0.0
    attributes = range(len(function.limits))
    for m in attributes:
        for value in cuts(function, m):
            value_gain = gain(function, m, value, criterion)
            if value_gain > best_gain + TOLERANCE * max(unit, best_gain):
                best, best_gain = (m, value, value_gain), value_gain
    if best is not None:
        return best
    most = 0.0
    for m in attributes:
        possible = cuts(function, m)
        if possible and (best is None or function.touching(m) > most + TOLERANCE * max(scale, most)):
            low = function.limits[m][0]
            halves = [v for v in possible if weight(function, m, low, v + 1) >= 0.5 * (1.0 - TOLERANCE)]
            best, most = (m, (halves or possible[-1:])[0], 0.0), function.touching(m)
    return best


class Node:
    def __init__(self, function, depth, criterion, tol, scale, max_depth):
        self.function, self.depth, self.children = function, depth, []
        self.average = function.average()
        self.mass = prod(
            share(weights, set(range(*limits)))
            for weights, limits in zip(function.weights, function.limits, strict=True)
        )
        self.split = None
        if depth < max_depth and function.energy() > tol:
            self.split = find_split(function, criterion, 1.0 if criterion == "entropy" else scale, scale)


def most_promising(frontier, unit):
    """The node where the gain is greatest, by the node's mass; ties go to the node that was met first."""
    best = frontier[0]
    for node in frontier[1:]:
        least = best.mass * best.split[2] + TOLERANCE * unit * max(node.mass, best.mass)
        if node.mass * node.split[2] > least:
            best = node
    return best


def grow(function, criterion, tol, scale, max_depth, max_leaf_nodes):
    """Build, Fig. 5, the most promising node first: the root."""
    unit = 1.0 if criterion == "entropy" else scale
    root = Node(function, 0, criterion, tol, scale, max_depth)
    frontier, n_leaves = [root], 1
    while n_leaves < max_leaf_nodes:
        frontier = [node for node in frontier if node.split is not None]
        if not frontier:
            break
        node = most_promising(frontier, unit)
        frontier.remove(node)
        m, value, _ = node.split
        low, high = node.function.limits[m]
        node.children = [
            Node(node.function.restricted(m, *part), node.depth + 1, criterion, tol, scale, max_depth)
            for part in ((low, value + 1), (value + 1, high))
        ]
        frontier += node.children
        n_leaves += 1
    return root


def arrays_of(root):
    """The nodes in preorder, as lists."""
    names = ("children_left", "children_right", "feature", "threshold", "gain", "mass", "average")
    tree = {name: [] for name in names}

    def visit(node):
        number = len(tree["mass"])
        m, value, node_gain = node.split if node.children else (UNDEFINED, UNDEFINED - 0.5, 0.0)
        row = (LEAF, LEAF, m, value + 0.5, node_gain, node.mass, node.average)
        for name, entry in zip(names, row, strict=True):
            tree[name].append(entry)
        for name, child in zip(names, node.children, strict=False):
            tree[name][number] = visit(child)
        return number

    visit(root)
    return tree


def tree_from_boxes(boxes, values, tree_of_box, measure, criterion, tol, scale, max_depth, max_leaf_nodes):
    """TCFS of the sum of boxes, each times its row of `values`: a dict of lists, one element for every node.

    `scale` is the square of the function's magnitude. `mass` is the probability of the node's schema, `average` the
    function's averages over it. (`tree_of_box` lets the engine estimate energies; the reference computes them.)
    """
    function = BoxFunction.everywhere(boxes, values, measure)
    return arrays_of(grow(function, criterion, tol, scale, max_depth, max_leaf_nodes))


def tree_from_spectrum(partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes):
    """TCFS of spectra on the same partitions, a column of `coefficients` for each, as `tree_from_boxes` has it.

    The measure must be uniform.
    """
    function = SpectrumFunction.everywhere(partitions, coefficients, measure)
    return arrays_of(grow(function, criterion, tol, scale, max_depth, max_leaf_nodes))
