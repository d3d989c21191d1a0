"""TCFS, Figs. 4 and 5 of Kargupta, Park & Dutta: a decision tree of a function, from its spectrum or from boxes.

The paper keeps the coefficients that are not used yet, and adds them to the averages of all candidate schemata. Here a
function is restricted to the schema, and asked for what is needed. A categorical attribute is split as in the paper,
into a child for every value; others into two, of values up to a threshold and above.
"""

from itertools import accumulate
from math import log2, prod

from ..base.types import LEAF, MULTIWAY, NO_CATEGORY, UNDEFINED
from .boxes import share, unpack, weights_of
from .spectrum import NEGLIGIBLE, root

TOLERANCE = 1e-12


def restrict(partitions, coefficients, attribute, cardinality, low, high):
    """Restrict spectra to the values low to high - 1 of an attribute, which become 0 to high - low - 1.

    Every old character, on these values, is a sum of the new ones: its own transform gives their coefficients.
    `coefficients` has a column for every output. The first row is of zeros.
    """
    size = high - low
    turns = [
        [
            sum(root(x * new, size) * root(-(low + x) * old, cardinality) for x in range(size)) / size
            for new in range(size)
        ]
        for old in range(cardinality)
    ]
    folded = {}
    for j, row in zip(partitions, coefficients, strict=True):
        for new, turn in enumerate(turns[j[attribute]]):
            key = (*j[:attribute], new, *j[attribute + 1 :])
            folded[key] = [total + w * turn for total, w in zip(folded.get(key, [0j] * len(row)), row, strict=True)]
    negligible = NEGLIGIBLE * max(abs(w) for row in coefficients for w in row)
    kept = [j for j, row in folded.items() if not any(j) or max(map(abs, row)) > negligible]
    return [list(j) for j in kept], [folded[j] for j in kept]


class BoxFunction:
    """The sum of boxes, each times its values, where attribute m has a value from limits[m][0] to limits[m][1] - 1."""

    def __init__(self, boxes, values, weights, limits):
        self.boxes, self.values, self.weights, self.limits = boxes, values, weights, limits

    @classmethod
    def everywhere(cls, boxes, values, measure):
        weights = weights_of(measure)
        return cls(unpack(boxes), values, weights, [(0, len(of_values)) for of_values in weights])

    def restricted(self, attribute, low, high):
        limits = [*self.limits[:attribute], (low, high), *self.limits[attribute + 1 :]]
        return BoxFunction(self.boxes, self.values, self.weights, limits)

    def share(self, m, *boxes):
        """Return the probability, on the schema, of the values of an attribute that all boxes allow."""
        here = set(range(*self.limits[m]))
        return share(self.weights[m], here.intersection(*(box[m] for box in boxes if m in box))) / share(
            self.weights[m], here
        )

    def overlap(self, *boxes):
        """Return the probability, on the schema, of what boxes have in common."""
        return prod(self.share(m, *boxes) for m in sorted(set().union(*boxes)))

    def average(self):
        return [
            sum(value[k] * self.overlap(box) for box, value in zip(self.boxes, self.values, strict=True))
            for k in range(len(self.values[0]))
        ]

    def pairs(self):
        """Yield every pair of boxes, with the product of their values."""
        for box, value in zip(self.boxes, self.values, strict=True):
            for other, other_value in zip(self.boxes, self.values, strict=True):
                product = sum(x * y for x, y in zip(value, other_value, strict=True))
                if product:
                    yield product, box, other

    def energy(self):
        """Return the energy outside w_0: the variance."""
        mean_square = sum(product * self.overlap(box, other) for product, box, other in self.pairs())
        return mean_square - sum(mean * mean for mean in self.average())

    def touching(self, m):
        """Return the energy of the coefficients that touch an attribute, lost where its values are averaged."""
        return sum(
            product
            * (self.share(m, box, other) - self.share(m, box) * self.share(m, other))
            * prod(self.share(n, box, other) for n in sorted({*box, *other} - {m}))
            for product, box, other in self.pairs()
        )


class SpectrumFunction:
    """A function given by its spectrum, where attribute m has a value from limits[m][0] to limits[m][1] - 1."""

    def __init__(self, partitions, coefficients, weights, limits):
        self.partitions, self.coefficients, self.weights, self.limits = partitions, coefficients, weights, limits

    @classmethod
    def everywhere(cls, partitions, coefficients, measure):
        weights = weights_of(measure)
        return cls(partitions, coefficients, weights, [(0, len(of_values)) for of_values in weights])

    def restricted(self, attribute, low, high):
        start, stop = self.limits[attribute]
        spectrum = restrict(self.partitions, self.coefficients, attribute, stop - start, low - start, high - start)
        limits = [*self.limits[:attribute], (low, high), *self.limits[attribute + 1 :]]
        return SpectrumFunction(*spectrum, self.weights, limits)

    def average(self):
        return [w.real for w in self.coefficients[0]]

    def energy(self):
        return sum(abs(w) ** 2 for row in self.coefficients[1:] for w in row)

    def touching(self, m):
        return sum(abs(w) ** 2 for j, row in zip(self.partitions, self.coefficients, strict=True) if j[m] for w in row)


def impurity(averages, criterion):
    """Return the entropy in bits, of one class and the others or of all classes; or minus the squared averages."""
    if criterion != "entropy":
        return -sum(average * average for average in averages)
    shares = [min(1.0, max(0.0, average)) for average in averages]
    if len(shares) == 1:
        shares = [shares[0], 1.0 - shares[0]]
    return -sum(p * log2(p) for p in shares if p > 0.0)


def weight(function, m, low, high):
    """Return the probability of some values of an attribute, among those of the schema."""
    return share(function.weights[m], set(range(low, high))) / share(
        function.weights[m], set(range(*function.limits[m]))
    )


def splits(function, m, categorical):
    """Return all splits of the schema by an attribute, as lists of parts, (low, high) for every child; all have mass.

    A categorical attribute is split into its values; others may have a cut behind each of their values, ascending.
    """
    low, high = function.limits[m]
    if m in categorical:
        values = [(value, value + 1) for value in range(low, high) if weight(function, m, value, value + 1) > 0.0]
        return [values] if len(values) > 1 else []
    cuts = [[(low, value + 1), (value + 1, high)] for value in range(low, high - 1)]
    return [parts for parts in cuts if all(weight(function, m, *part) > 0.0 for part in parts)]


def gain(function, m, parts, criterion):
    """Return Gain(h, k) of the paper, with the parts weighted."""
    return impurity(function.average(), criterion) - sum(
        weight(function, m, *part) * impurity(function.restricted(m, *part).average(), criterion) for part in parts
    )


def find_split(function, categorical, criterion, unit, scale):
    """Return the split of the greatest gain; where none gains, one by the attribute that most of the energy touches.

    That is the lowest cut with half of the weight on its left, if there is one, or else the last. Ties go to the lowest
    attribute, then to the lowest cut. (attribute, parts, gain), or None where nothing can be split.
    """
    best, best_gain = None, 0.0
    attributes = range(len(function.limits))
    for m in attributes:
        for parts in splits(function, m, categorical):
            gain_here = gain(function, m, parts, criterion)
            if gain_here > best_gain + TOLERANCE * max(unit, best_gain):
                best, best_gain = (m, parts, gain_here), gain_here
    if best is not None:
        return best
    most = 0.0
    for m in attributes:
        possible = splits(function, m, categorical)
        if possible and (best is None or function.touching(m) > most + TOLERANCE * max(scale, most)):
            halves = [parts for parts in possible if weight(function, m, *parts[0]) >= 0.5 * (1.0 - TOLERANCE)]
            best, most = (m, (halves or possible[-1:])[0], 0.0), function.touching(m)
    return best


class Node:
    def __init__(self, function, category, depth, categorical, criterion, tol, scale, max_depth):
        self.function, self.category, self.depth, self.children = function, category, depth, []
        self.average = function.average()
        self.mass = prod(
            share(weights, set(range(*limits)))
            for weights, limits in zip(function.weights, function.limits, strict=True)
        )
        self.split = None
        if depth < max_depth and function.energy() > tol:
            unit = 1.0 if criterion == "entropy" else scale
            self.split = find_split(function, categorical, criterion, unit, scale)


def most_promising(frontier, unit):
    """Return the node of the greatest gain times mass; ties go to the node that was met first."""
    best = frontier[0]
    for node in frontier[1:]:
        least = best.mass * best.split[2] + TOLERANCE * unit * max(node.mass, best.mass)
        if node.mass * node.split[2] > least:
            best = node
    return best


def grow(function, categorical, criterion, tol, scale, max_depth, max_leaf_nodes):
    """Build the tree (Fig. 5), the most promising node first. A split that exceeds the limit of leaves is not made."""
    unit = 1.0 if criterion == "entropy" else scale
    limits = categorical, criterion, tol, scale, max_depth
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


def tree_from_boxes(
    boxes, values, tree_of_box, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None
):
    """Build a tree by TCFS of the sum of boxes, each times its row of `values`: a dict of lists, one entry per node.

    `scale` is the square of the function's magnitude; `is_categorical` tells which attributes are split into all their
    values, by default none. `mass` is the probability of the node's schema, `average` the function's averages over it.
    (`tree_of_box` lets the engine estimate energies; the reference computes them.)
    """
    function = BoxFunction.everywhere(boxes, values, measure)
    return tree_of(function, is_categorical, criterion, tol, scale, max_depth, max_leaf_nodes)


def tree_from_spectrum(
    partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None
):
    """Build a tree by TCFS of spectra on the same partitions, each a column of `coefficients`; as `tree_from_boxes`.

    The measure must be uniform.
    """
    function = SpectrumFunction.everywhere(partitions, coefficients, measure)
    return tree_of(function, is_categorical, criterion, tol, scale, max_depth, max_leaf_nodes)


def tree_of(function, is_categorical, *limits):
    categorical = {m for m, yes in enumerate(is_categorical or []) if yes}
    return arrays_of(grow(function, categorical, *limits), categorical)
