"""TCFS: a decision tree of a function, from its spectrum or from the boxes of an ensemble."""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport uint8_t

from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNDEFINED, UNLIMITED, float64_t, int64_t
from pytrees._core.fourier.boxes cimport Boxes, Masses, Measure, run_mass
from pytrees._core.fourier.restriction cimport BoxFunction, Function, SpectrumFunction

# Gains and energies that differ by less, in units of the function, are equal: rounding could have made the difference.
cdef float64_t TOLERANCE = 1e-12

cdef struct AttributeSplit:
    int64_t attribute, value    # values up to this one go left; NONE where every value goes a way of its own
    float64_t gain


# --------------------------------------------------------------------------------------------------------------- splits


cdef float64_t impurity(const float64_t* averages, Py_ssize_t n_outputs, bint of_classes) noexcept nogil:
    """Compute the entropy in bits, of one class and the others or of all classes, or minus the sum of squared
    averages."""
    cdef float64_t total = 0.0, share
    cdef Py_ssize_t k
    for k in range(n_outputs):
        if of_classes:
            share = min(1.0, max(0.0, averages[k]))
            total -= share * log2(share) if share > 0.0 else 0.0
            if n_outputs == 1 and share < 1.0:
                total -= (1.0 - share) * log2(1.0 - share)
        else:
            total -= averages[k] * averages[k]
    return total


cdef int best_of_attribute(
    Function function, int64_t m, bint of_classes, float64_t unit, AttributeSplit* best
) except -1:
    """Offer the cuts of one attribute, from the lowest."""
    cdef Py_ssize_t n_outputs = function.average.shape[0], k
    cdef Masses* masses = &function.measure.masses
    cdef int64_t low = function.low[m], high = function.high[m], value
    cdef float64_t[::1] left = np.zeros(n_outputs), right = np.zeros(n_outputs), means = np.zeros(n_outputs)
    cdef float64_t weight, left_weight, right_weight, gain, total = run_mass(masses, m, low, high)
    with nogil:
        for value in range(low, high):
            weight = run_mass(masses, m, value, value + 1)
            for k in range(n_outputs):
                right[k] += weight * function.profiles[masses.offsets[m] + value, k]
        # The values up to this one are on the left.
        for value in range(low, high - 1):
            weight = run_mass(masses, m, value, value + 1)
            left_weight, right_weight = run_mass(masses, m, low, value + 1), run_mass(masses, m, value + 1, high)
            for k in range(n_outputs):
                left[k] += weight * function.profiles[masses.offsets[m] + value, k]
                right[k] -= weight * function.profiles[masses.offsets[m] + value, k]
            if left_weight <= 0.0 or right_weight <= 0.0:
                continue
            gain = impurity(&function.average[0], n_outputs, of_classes)
            for k in range(n_outputs):
                means[k] = left[k] / left_weight
            gain -= left_weight / total * impurity(&means[0], n_outputs, of_classes)
            for k in range(n_outputs):
                means[k] = right[k] / right_weight
            gain -= right_weight / total * impurity(&means[0], n_outputs, of_classes)
            if gain > best.gain + TOLERANCE * max(unit, best.gain):
                best[0] = AttributeSplit(m, value, gain)
    return 0


cdef int64_t n_values(Function function, int64_t m) noexcept:
    """Count the values of an attribute that have weight."""
    cdef int64_t value, n = 0
    for value in range(function.low[m], function.high[m]):
        n += run_mass(&function.measure.masses, m, value, value + 1) > 0.0
    return n


cdef int offer_values(Function function, int64_t m, bint of_classes, float64_t unit, AttributeSplit* best) except -1:
    """Offer the split of an attribute into its values."""
    cdef Py_ssize_t n_outputs = function.average.shape[0]
    cdef Masses* masses = &function.measure.masses
    cdef int64_t value
    cdef float64_t weight, total = run_mass(masses, m, function.low[m], function.high[m])
    cdef float64_t gain = impurity(&function.average[0], n_outputs, of_classes)
    if n_values(function, m) < 2:
        return 0
    for value in range(function.low[m], function.high[m]):
        weight = run_mass(masses, m, value, value + 1)
        if weight > 0.0:
            gain -= weight / total * impurity(&function.profiles[masses.offsets[m] + value, 0], n_outputs, of_classes)
    if gain > best.gain + TOLERANCE * max(unit, best.gain):
        best[0] = AttributeSplit(m, NONE, gain)
    return 0


cdef int64_t middle(Function function, int64_t m) noexcept:
    """Return the lowest cut with half of the weight on its left, or else the last; NONE where no cut leaves weight on
    both."""
    cdef int64_t value, found = NONE
    cdef Masses* masses = &function.measure.masses
    cdef int64_t low = function.low[m], high = function.high[m]
    cdef float64_t total = run_mass(masses, m, low, high)
    for value in range(low, high - 1):
        if run_mass(masses, m, low, value + 1) > 0.0 and run_mass(masses, m, value + 1, high) > 0.0:
            if found == NONE or 2.0 * run_mass(masses, m, low, found + 1) < total * (1.0 - TOLERANCE):
                found = value
    return found


# --------------------------------------------------------------------------------------------------------------- growth


cdef class SchemaNode:
    """A node of the new tree; while it may still be split, it keeps its function."""

    cdef Function function
    cdef AttributeSplit split
    cdef int64_t depth, category        # the value that leads to it from its parent, where every value has a child
    cdef float64_t mass
    cdef object average
    cdef list children


cdef class Rebuilding:
    """What all nodes share."""

    cdef bint of_classes
    cdef float64_t tol, scale, unit
    cdef int64_t max_depth, max_leaf_nodes
    cdef const uint8_t[::1] is_categorical      # attributes that are split into all their values

    cdef SchemaNode node(self, Function function, int64_t depth, int64_t category):
        """Make a node, and find how it would be split, if it may be."""
        cdef SchemaNode node = SchemaNode()
        node.depth, node.category = depth, category
        node.mass, node.average, node.children = function.mass(), np.array(function.average), []
        node.split = AttributeSplit(NONE, NONE, 0.0)
        if depth < self.max_depth and not function.is_constant(self.tol):
            self.find_split(function, &node.split)
        if node.split.attribute != NONE:
            node.function = function
        return node

    cdef int find_split(self, Function function, AttributeSplit* best) except -1:
        """Find the split of the greatest gain; where none gains, one by the attribute that most of the energy touches.

        Ties go to the lowest attribute, then to the lowest cut. NONE where nothing can be split.
        """
        cdef int64_t m, cut
        cdef float64_t most = 0.0
        for m in range(function.low.shape[0]):
            if self.is_categorical[m]:
                offer_values(function, m, self.of_classes, self.unit, best)
            elif function.high[m] - function.low[m] > 1:
                best_of_attribute(function, m, self.of_classes, self.unit, best)
        if best.attribute != NONE:
            return 0
        function.look_closer()
        for m in range(function.low.shape[0]):
            cut = NONE if self.is_categorical[m] else middle(function, m)
            if cut == NONE and not (self.is_categorical[m] and n_values(function, m) > 1):
                continue
            if best.attribute == NONE or function.touching[m] > most + TOLERANCE * max(self.scale, most):
                best[0], most = AttributeSplit(m, cut, 0.0), function.touching[m]
        return 0

    cdef Py_ssize_t most_promising(self, list frontier):
        """Return the position of the node of the greatest gain times weight; ties go to the node that was met first."""
        cdef Py_ssize_t best = 0, i
        cdef SchemaNode node, leader = frontier[0]
        for i in range(1, len(frontier)):
            node = frontier[i]
            if (
                node.mass * node.split.gain
                > leader.mass * leader.split.gain + TOLERANCE * self.unit * max(node.mass, leader.mass)
            ):
                best, leader = i, node
        return best

    cdef list parts(self, Function function, AttributeSplit* split):
        """List the children of a split: the first of their values, the one behind the last, and the category."""
        cdef int64_t m = split.attribute, low = function.low[m], high = function.high[m], value
        if split.value != NONE:
            return [(low, split.value + 1, NONE), (split.value + 1, high, NONE)]
        return [
            (value, value + 1, value) for value in range(low, high)
            if run_mass(&function.measure.masses, m, value, value + 1) > 0.0
        ]

    cdef SchemaNode grow(self, Function function):
        """Split nodes, the most promising first where leaves are limited: but not into more than are left."""
        cdef SchemaNode root = self.node(function, 0, NONE), node
        cdef list frontier = [root] if root.function is not None else [], parts
        cdef int64_t n_leaves = 1, low, high, category
        while frontier and n_leaves < self.max_leaf_nodes:
            node = frontier.pop(self.most_promising(frontier) if self.max_leaf_nodes != UNLIMITED else -1)
            function, node.function = node.function, None
            parts = self.parts(function, &node.split)
            if len(parts) > self.max_leaf_nodes - n_leaves + 1:
                continue
            for low, high, category in parts:
                node.children.append(
                    self.node(function.restricted(node.split.attribute, low, high), node.depth + 1, category)
                )
            frontier += [child for child in node.children if (<SchemaNode>child).function is not None]
            n_leaves += len(parts) - 1
        return root


cdef dict arrays_of(SchemaNode root):
    """Return the nodes in preorder, as arrays."""
    cdef list nodes = [], children = [], pending = [(root, NONE)]
    cdef SchemaNode node
    cdef int64_t parent, i
    while pending:
        node, parent = pending.pop()
        if parent != NONE:
            children[parent].append(len(nodes))
        nodes.append(node)
        children.append([])
        pending += [(child, len(nodes) - 1) for child in reversed(node.children)]
    tree = {
        "children_left": np.full(len(nodes), LEAF, dtype=np.int64),
        "children_right": np.full(len(nodes), LEAF, dtype=np.int64),
        "feature": np.full(len(nodes), UNDEFINED, dtype=np.int64),
        "threshold": np.full(len(nodes), <float64_t>UNDEFINED),
        "gain": np.zeros(len(nodes)),
        "mass": np.array([(<SchemaNode>one).mass for one in nodes]),
        "average": np.array([(<SchemaNode>one).average for one in nodes]),
        "category": np.array([(<SchemaNode>one).category for one in nodes], dtype=np.int64),
        "child_offsets": np.cumsum([0, *map(len, children)]),
        "children": np.array([child for below in children for child in below], dtype=np.int64),
    }
    for i in range(len(nodes)):
        node = nodes[i]
        if not node.children:
            continue
        tree["feature"][i], tree["gain"][i] = node.split.attribute, node.split.gain
        if node.split.value == NONE:
            tree["children_left"][i] = tree["children_right"][i] = MULTIWAY
        else:
            tree["children_left"][i], tree["children_right"][i] = children[i]
            tree["threshold"][i] = node.split.value + 0.5
    return tree


cdef dict tree_of(
    Function function, str criterion, float64_t tol, float64_t scale, int64_t max_depth, int64_t max_leaf_nodes,
    is_categorical,
):
    """Build the tree of a function, given by its outputs and its measure."""
    cdef Rebuilding growth = Rebuilding()
    # The schema without constraints.
    function.high = np.diff(np.asarray(function.measure.offsets)) - 1
    function.low = np.zeros_like(function.high)
    function.look()
    growth.of_classes, growth.tol, growth.scale = criterion == "entropy", tol, scale
    growth.unit = 1.0 if growth.of_classes else scale
    growth.max_depth, growth.max_leaf_nodes = max_depth, max_leaf_nodes
    growth.is_categorical = np.zeros(function.low.shape[0], dtype=np.uint8)
    if is_categorical is not None:
        growth.is_categorical = is_categorical.view(np.uint8)
    return arrays_of(growth.grow(function))


def tree_from_boxes(
    boxes, const float64_t[:, ::1] values, const int64_t[::1] tree_of_box, measure, criterion, tol, scale, max_depth,
    max_leaf_nodes, is_categorical=None,
):
    """Build the tree of the sum of boxes, each times its row of `values`: a dict of arrays, one element for every node.

    `tree_of_box` tells which boxes have nothing in common; `scale` is the square of the function's magnitude;
    `is_categorical`, bool, which attributes are split into all their values, by default none. `mass` is the probability
    of the node's schema, `average` the function's averages over it, of shape (n_nodes, n_outputs).
    """
    cdef BoxFunction function = BoxFunction()
    function.boxes, function.measure = Boxes(boxes), Measure(measure)
    function.values, function.tree_of_box = values, tree_of_box
    function.live = np.flatnonzero(np.any(np.asarray(values) != 0.0, axis=1)).astype(np.int64)
    function.shares = np.empty(function.boxes.attribute.shape[0])
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical)


def tree_from_spectrum(
    partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None
):
    """Build the tree of spectra on the same partitions, a column of `coefficients` for each, as `tree_from_boxes` has
    it.

    The measure must be uniform.
    """
    cdef SpectrumFunction function = SpectrumFunction()
    function.partitions, function.coefficients, function.measure = partitions, coefficients, Measure(measure)
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical)
