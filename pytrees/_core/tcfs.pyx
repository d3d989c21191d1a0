"""TCFS: a decision tree of a function, from its spectrum or from the boxes of an ensemble."""

import numpy as np

from libc.math cimport log2

from pytrees._core.boxes cimport Boxes, Masses, Measure, run_mass
from pytrees._core.restriction cimport BoxFunction, Function, SpectrumFunction
from pytrees._core.types cimport LEAF, NONE, UNDEFINED, UNLIMITED, float64_t, int64_t

# Gains and energies that differ by less, in units of the function, are equal: rounding could have made the difference.
cdef float64_t TOLERANCE = 1e-12

cdef struct Split:
    int64_t attribute, value    # values up to this one go left
    float64_t gain


# --------------------------------------------------------------------------------------------------------------- splits


cdef float64_t impurity(const float64_t* averages, Py_ssize_t n_outputs, bint of_classes) noexcept nogil:
    """Entropy in bits, of one class and the others or of all classes; or what the squares lack of the mean square."""
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


cdef int best_of_attribute(Function function, int64_t m, bint of_classes, float64_t unit, Split* best) except -1:
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
                best[0] = Split(m, value, gain)
    return 0


cdef int64_t middle(Function function, int64_t m) noexcept:
    """The lowest cut with half of the weight on its left, or else the last; NONE where no cut leaves weight on both."""
    cdef int64_t value, found = NONE
    cdef Masses* masses = &function.measure.masses
    cdef int64_t low = function.low[m], high = function.high[m]
    cdef float64_t total = run_mass(masses, m, low, high)
    for value in range(low, high - 1):
        if run_mass(masses, m, low, value + 1) > 0.0 and run_mass(masses, m, value + 1, high) > 0.0:
            if found == NONE or 2.0 * run_mass(masses, m, low, found + 1) < total * (1.0 - TOLERANCE):
                found = value
    return found


cdef int find_split(Function function, bint of_classes, float64_t unit, float64_t scale, Split* best) except -1:
    """The cut of the greatest gain; where none gains anything, a cut of the attribute that most of the energy touches.

    Ties go to the lowest attribute, then to the lowest cut. NONE where nothing can be cut.
    """
    cdef int64_t m, cut
    cdef float64_t most = 0.0
    best[0] = Split(NONE, NONE, 0.0)
    for m in range(function.low.shape[0]):
        if function.high[m] - function.low[m] > 1:
            best_of_attribute(function, m, of_classes, unit, best)
    if best.attribute != NONE:
        return 0
    function.look_closer()
    for m in range(function.low.shape[0]):
        cut = middle(function, m)
        if cut != NONE and (best.attribute == NONE or function.touching[m] > most + TOLERANCE * max(scale, most)):
            best[0], most = Split(m, cut, 0.0), function.touching[m]
    return 0


# --------------------------------------------------------------------------------------------------------------- growth


cdef class Node:
    """A node of the new tree; while it may still be split, it keeps its function."""

    cdef Function function
    cdef Split split
    cdef int64_t depth
    cdef float64_t mass
    cdef object average
    cdef Node left, right


cdef class Growth:
    """What all nodes share."""

    cdef bint of_classes
    cdef float64_t tol, scale, unit
    cdef int64_t max_depth, max_leaf_nodes

    cdef Node node(self, Function function, int64_t depth):
        """A node, and how it would be split, if it may be."""
        cdef Node node = Node()
        node.depth, node.mass, node.average = depth, function.mass(), np.array(function.average)
        node.split = Split(NONE, NONE, 0.0)
        if depth < self.max_depth and not function.is_constant(self.tol):
            find_split(function, self.of_classes, self.unit, self.scale, &node.split)
        if node.split.attribute != NONE:
            node.function = function
        return node

    cdef Py_ssize_t most_promising(self, list frontier):
        """Where the gain is greatest, by the weight of the node; ties go to the node that was met first."""
        cdef Py_ssize_t best = 0, i
        cdef Node node, leader = frontier[0]
        for i in range(1, len(frontier)):
            node = frontier[i]
            if (
                node.mass * node.split.gain
                > leader.mass * leader.split.gain + TOLERANCE * self.unit * max(node.mass, leader.mass)
            ):
                best, leader = i, node
        return best

    cdef Node grow(self, Function function):
        """Split nodes, the most promising first, where the number of leaves is limited."""
        cdef Node root = self.node(function, 0), node
        cdef list frontier = [root] if root.function is not None else []
        cdef int64_t n_leaves = 1
        while frontier and n_leaves < self.max_leaf_nodes:
            node = frontier.pop(self.most_promising(frontier) if self.max_leaf_nodes != UNLIMITED else -1)
            function, node.function = node.function, None
            node.left = self.node(
                function.restricted(node.split.attribute, function.low[node.split.attribute], node.split.value + 1),
                node.depth + 1,
            )
            node.right = self.node(
                function.restricted(node.split.attribute, node.split.value + 1, function.high[node.split.attribute]),
                node.depth + 1,
            )
            frontier += [child for child in (node.left, node.right) if (<Node>child).function is not None]
            n_leaves += 1
        return root


cdef dict arrays_of(Node root):
    """The nodes in preorder, as arrays."""
    cdef list nodes = [], pending = [root], parents = [NONE]
    cdef Node node
    cdef int64_t parent, i
    while pending:
        node, parent = pending.pop(), parents.pop()
        nodes.append((node, parent))
        if node.left is not None:
            pending += [node.right, node.left]
            parents += [len(nodes) - 1, len(nodes) - 1]
    tree = {
        "children_left": np.full(len(nodes), LEAF, dtype=np.int64),
        "children_right": np.full(len(nodes), LEAF, dtype=np.int64),
        "feature": np.full(len(nodes), UNDEFINED, dtype=np.int64),
        "threshold": np.full(len(nodes), <float64_t>UNDEFINED),
        "gain": np.zeros(len(nodes)),
        "mass": np.zeros(len(nodes)),
        "average": np.array([(<Node>pair[0]).average for pair in nodes]),
    }
    for i in range(len(nodes)):
        node, parent = nodes[i]
        if parent != NONE:
            tree["children_left" if parent == i - 1 else "children_right"][parent] = i
        tree["mass"][i] = node.mass
        if node.left is not None:
            tree["feature"][i], tree["threshold"][i] = node.split.attribute, node.split.value + 0.5
            tree["gain"][i] = node.split.gain
    return tree


cdef dict tree_of(Function function, str criterion, float64_t tol, float64_t scale, int64_t max_depth,
                  int64_t max_leaf_nodes):
    cdef Growth growth = Growth()
    function.look()
    growth.of_classes, growth.tol, growth.scale = criterion == "entropy", tol, scale
    growth.unit = 1.0 if growth.of_classes else scale
    growth.max_depth, growth.max_leaf_nodes = max_depth, max_leaf_nodes
    return arrays_of(growth.grow(function))


def tree_from_boxes(
    boxes, const float64_t[:, ::1] values, const int64_t[::1] tree_of_box, measure, criterion, tol, scale, max_depth,
    max_leaf_nodes,
):
    """TCFS of the sum of boxes, each times its row of `values`: a dict of arrays, one element for every node.

    `tree_of_box` tells which boxes have nothing in common; `scale` is the square of the function's magnitude. `mass` is
    the probability of the node's schema, `average` the function's averages over it, of shape (n_nodes, n_outputs).
    """
    cdef BoxFunction function = BoxFunction()
    function.boxes, function.measure = Boxes(boxes), Measure(measure)
    function.values, function.tree_of_box = values, tree_of_box
    function.live = np.flatnonzero(np.any(np.asarray(values) != 0.0, axis=1)).astype(np.int64)
    function.shares = np.empty(function.boxes.attribute.shape[0])
    everything(function)
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes)


def tree_from_spectrum(partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes):
    """TCFS of spectra on the same partitions, a column of `coefficients` for each, as `tree_from_boxes` has it.

    The measure must be uniform.
    """
    cdef SpectrumFunction function = SpectrumFunction()
    function.partitions, function.coefficients, function.measure = partitions, coefficients, Measure(measure)
    everything(function)
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes)


cdef int everything(Function function) except -1:
    """The schema without constraints."""
    cdef const int64_t[::1] offsets = function.measure.offsets
    function.low = np.zeros(offsets.shape[0] - 1, dtype=np.int64)
    function.high = np.diff(np.asarray(offsets)) - 1
    return 0
