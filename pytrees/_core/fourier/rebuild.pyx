"""Tree construction from a Fourier spectrum (TCFS, Kargupta, Park & Dutta): a decision tree of a given function.

The function is given by its spectrum, by the boxes of an ensemble, or by its values at samples; `functions` has a class
for each. A node of the tree has a schema, which fixes attributes to ranges of values, and asks the function for its
averages and its energy there. A node whose energy is at most a tolerance is a leaf. Other nodes are split by gain; if
no split gains, as with XOR, by the attribute that most of the energy touches. A numeric attribute is cut into two
ranges of values, a categorical attribute into all its values.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport ldexp, log2
from libc.stdint cimport uint8_t

from pytrees._core.base.signals cimport show_share
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNDEFINED, UNLIMITED, float64_t, int64_t
from pytrees._core.fourier.boxes cimport run_mass
from pytrees._core.fourier.functions cimport Function, box_function, sample_function, spectrum_function

# Gains and energies that differ by less, in units of the function, are equal: rounding may have made the difference.
cdef float64_t TOLERANCE = 1e-12

cdef struct AttributeSplit:
    int64_t attribute           # NONE: no split
    int64_t value               # values up to this one go left; NONE: every value has a child
    float64_t gain


# --------------------------------------------------------------------------------------------------------------- splits


cdef inline float64_t mass_of(Function function, int64_t m, int64_t low, int64_t high) noexcept nogil:
    return run_mass(function.measure, m, low, high)


cdef inline bint is_cut(Function function, int64_t m, int64_t value) noexcept nogil:
    """Whether a cut after a value leaves weight on both sides."""
    return mass_of(function, m, function.low[m], value + 1) > 0.0 and mass_of(
        function, m, value + 1, function.high[m]
    ) > 0.0


cdef list values_with_weight(Function function, int64_t m):
    return [value for value in range(function.low[m], function.high[m]) if mass_of(function, m, value, value + 1) > 0.0]


cdef int64_t middle(Function function, int64_t m) noexcept:
    """Return the lowest cut with at least half of the weight on its left, otherwise the last cut; NONE without cuts."""
    cdef int64_t value, low = function.low[m], found = NONE
    cdef float64_t total = mass_of(function, m, low, function.high[m])
    for value in range(low, function.high[m] - 1):
        if is_cut(function, m, value) and (
            found == NONE or 2.0 * mass_of(function, m, low, found + 1) < total * (1.0 - TOLERANCE)
        ):
            found = value
    return found


# --------------------------------------------------------------------------------------------------------------- growth


cdef class SchemaNode:
    """A node of the new tree."""

    cdef Function function              # None once the node is split, or cannot be
    cdef AttributeSplit split
    cdef int64_t depth
    cdef int64_t category               # the value that leads to the node, if every value has a child; otherwise NONE
    cdef float64_t mass
    cdef object average
    cdef list children


@cython.final
cdef class Rebuilding:
    """The limits of a tree's growth, and the growth."""

    cdef bint of_classes
    cdef float64_t tol, scale, unit
    cdef int exponent                           # the function is given times 2**-exponent
    cdef int64_t max_depth, max_leaf_nodes, most_leaves
    cdef const uint8_t[::1] is_categorical      # by attribute: whether it is split into all its values
    # An output is settled if its average is at most the one number, or at least the other: by group and output of the
    # group. A node is a leaf if every group has a settled output. Without groups no node is settled.
    cdef const float64_t[:, ::1] at_most, at_least

    cdef float64_t impurity(self, const float64_t* sums, float64_t weight, Py_ssize_t n_outputs) noexcept nogil:
        """Compute the impurity of the averages sums[k] / weight.

        For classes it is the entropy in bits of the shares, which are the averages times 2**exponent. One output is the
        share of a class, and the other classes have the rest. Otherwise it is minus the sum of squares.
        """
        cdef float64_t total = 0.0, share
        cdef Py_ssize_t k
        for k in range(n_outputs):
            share = sums[k] / weight
            if self.of_classes:
                if self.exponent != 0:
                    share = ldexp(share, self.exponent)
                share = min(1.0, max(0.0, share))
                total -= share * log2(share) if share > 0.0 else 0.0
                if n_outputs == 1 and share < 1.0:
                    total -= (1.0 - share) * log2(1.0 - share)
            else:
                total -= share * share
        return total

    cdef bint is_settled(self, Function function) noexcept:
        """Whether every group of outputs has a settled output."""
        cdef Py_ssize_t group, k, n_outputs = self.at_most.shape[1]
        cdef float64_t average
        cdef bint found
        for group in range(self.at_most.shape[0]):
            found = False
            for k in range(n_outputs):
                average = function.average[group * n_outputs + k]
                found |= average <= self.at_most[group, k] or average >= self.at_least[group, k]
            if not found:
                return False
        return self.at_most.shape[0] > 0

    cdef SchemaNode node(self, Function function, int64_t depth, int64_t category):
        """Make a node, and find its split, if it may be split."""
        cdef SchemaNode node = SchemaNode()
        PyErr_CheckSignals()
        node.depth, node.category = depth, category
        node.mass, node.average, node.children = function.mass(), np.array(function.average), []
        node.split = AttributeSplit(NONE, NONE, 0.0)
        if depth < self.max_depth and not self.is_settled(function) and not function.is_constant(self.tol):
            self.find_split(function, &node.split)
        if node.split.attribute != NONE:
            node.function = function
        return node

    cdef int find_split(self, Function function, AttributeSplit* best) except -1:
        """Find the split of the greatest gain; if none gains, a split by the attribute that most of the energy touches.

        Ties go to the lowest attribute, then to the lowest cut. The attribute stays NONE if nothing can be split.
        """
        cdef int64_t m, cut
        cdef float64_t most = 0.0
        for m in range(function.low.shape[0]):
            if self.is_categorical[m]:
                self.offer_values(function, m, best)
            elif function.high[m] - function.low[m] > 1:
                self.offer_cuts(function, m, best)
        if best.attribute != NONE:
            return 0
        function.look_closer()
        for m in range(function.low.shape[0]):
            cut = NONE if self.is_categorical[m] else middle(function, m)
            if cut == NONE and not (self.is_categorical[m] and len(values_with_weight(function, m)) > 1):
                continue
            if best.attribute == NONE or function.touching[m] > most + TOLERANCE * max(self.scale, most):
                best[0], most = AttributeSplit(m, cut, 0.0), function.touching[m]

    cdef int offer_cuts(self, Function function, int64_t m, AttributeSplit* best) except -1:
        """Offer the cuts of one attribute, from the lowest."""
        cdef Py_ssize_t n_outputs = function.average.shape[0], k
        cdef int64_t low = function.low[m], high = function.high[m], value, first = function.measure.offsets[m]
        cdef float64_t[::1] left = np.zeros(n_outputs), right = np.zeros(n_outputs)
        cdef float64_t weight, left_weight, right_weight, gain, total = mass_of(function, m, low, high)
        with nogil:
            for value in range(low, high):
                weight = mass_of(function, m, value, value + 1)
                for k in range(n_outputs):
                    right[k] += weight * function.profiles[first + value, k]
            # The values up to this one are on the left.
            for value in range(low, high - 1):
                weight = mass_of(function, m, value, value + 1)
                for k in range(n_outputs):
                    left[k] += weight * function.profiles[first + value, k]
                    right[k] -= weight * function.profiles[first + value, k]
                if not is_cut(function, m, value):
                    continue
                left_weight, right_weight = mass_of(function, m, low, value + 1), mass_of(function, m, value + 1, high)
                gain = self.impurity(&function.average[0], 1.0, n_outputs)
                gain -= left_weight / total * self.impurity(&left[0], left_weight, n_outputs)
                gain -= right_weight / total * self.impurity(&right[0], right_weight, n_outputs)
                self.offer(m, value, gain, best)

    cdef int offer_values(self, Function function, int64_t m, AttributeSplit* best) except -1:
        """Offer the split of an attribute into its values."""
        cdef Py_ssize_t n_outputs = function.average.shape[0]
        cdef int64_t value
        cdef list values = values_with_weight(function, m)
        cdef float64_t weight, total = mass_of(function, m, function.low[m], function.high[m])
        cdef float64_t gain = self.impurity(&function.average[0], 1.0, n_outputs)
        if len(values) < 2:
            return 0
        for value in values:
            weight = mass_of(function, m, value, value + 1)
            gain -= weight / total * self.impurity(
                &function.profiles[function.measure.offsets[m] + value, 0], 1.0, n_outputs
            )
        self.offer(m, NONE, gain, best)

    cdef void offer(self, int64_t m, int64_t value, float64_t gain, AttributeSplit* best) noexcept nogil:
        if gain > best.gain + TOLERANCE * max(self.unit, best.gain):
            best[0] = AttributeSplit(m, value, gain)

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
        """List the children of a split as (low, high, category): the values low to high - 1."""
        cdef int64_t m = split.attribute, low = function.low[m], high = function.high[m]
        if split.value != NONE:
            return [(low, split.value + 1, NONE), (split.value + 1, high, NONE)]
        return [(value, value + 1, value) for value in values_with_weight(function, m)]

    cdef SchemaNode grow(self, Function function):
        """Grow the tree; return its root, or None if there would be more leaves than `most_leaves`.

        If the number of leaves is limited, the most promising node is split first. A split that would exceed the limit
        is not made.
        """
        cdef SchemaNode root = self.node(function, 0, NONE), node
        cdef list frontier = [root] if root.function is not None else [], parts
        cdef int64_t n_leaves = 1, low, high, category
        while frontier and n_leaves < self.max_leaf_nodes:
            node = frontier.pop(self.most_promising(frontier) if self.max_leaf_nodes != UNLIMITED else -1)
            function, node.function = node.function, None
            parts = self.parts(function, &node.split)
            if len(parts) > self.max_leaf_nodes - n_leaves + 1:
                continue
            if len(parts) > self.most_leaves - n_leaves + 1:
                return None
            for low, high, category in parts:
                node.children.append(
                    self.node(function.restricted(node.split.attribute, low, high), node.depth + 1, category)
                )
            frontier += [child for child in node.children if (<SchemaNode>child).function is not None]
            n_leaves += len(parts) - 1
            if self.max_leaf_nodes != UNLIMITED:
                show_share(<float64_t>n_leaves / self.max_leaf_nodes)
        return root


cdef dict arrays_of(SchemaNode root):
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
    is_categorical, settled, int64_t most_leaves, int exponent,
):
    """Build the tree of a function on the schema without constraints: a dict of arrays, one element for every node.

    `scale` is the square of the function's magnitude. The function is given times 2**-exponent, and so are its
    averages; only the entropy takes the shares of classes that it stands for. `is_categorical`, bool, tells which
    attributes are split into all their values, by default none. `settled` is a pair of arrays (at_most, at_least) of
    shape (n_groups, n_outputs of a group): a node becomes a leaf if every group has an output whose average is at most
    the number in the first array, or at least the number in the second. In the result, `mass` is the probability of
    the node's schema, and `average` has the function's averages over it, (n_nodes, n_outputs). None if there would be
    more leaves than `most_leaves`.
    """
    cdef Rebuilding growth = Rebuilding()
    growth.of_classes, growth.tol, growth.scale = criterion == "entropy", tol, scale
    growth.exponent = exponent
    growth.unit = 1.0 if growth.of_classes else scale
    growth.max_depth, growth.max_leaf_nodes, growth.most_leaves = max_depth, max_leaf_nodes, most_leaves
    growth.is_categorical = np.zeros(function.low.shape[0], dtype=np.uint8)
    if is_categorical is not None:
        growth.is_categorical = is_categorical.view(np.uint8)
    growth.at_most, growth.at_least = (np.empty((0, 1)), np.empty((0, 1))) if settled is None else settled
    cdef SchemaNode root = growth.grow(function)
    return None if root is None else arrays_of(root)


def tree_from_boxes(
    boxes, values, tree_of_box, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None,
    settled=None, most_leaves=UNLIMITED, exponent=0,
):
    """Build the tree of the sum of boxes, each times its row of `values`; see `tree_of` for the limits.

    Boxes of the same `tree_of_box` are disjoint, and follow each other.
    """
    return tree_of(
        box_function(boxes, values, tree_of_box, measure), criterion, tol, scale, max_depth, max_leaf_nodes,
        is_categorical, settled, most_leaves, exponent,
    )


def tree_from_spectrum(
    partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None,
    settled=None, most_leaves=UNLIMITED, exponent=0,
):
    """Build the tree of spectra on the same partitions, a column of `coefficients` each; see `tree_of` for the limits.

    The measure must be uniform.
    """
    return tree_of(
        spectrum_function(partitions, coefficients, measure), criterion, tol, scale, max_depth, max_leaf_nodes,
        is_categorical, settled, most_leaves, exponent,
    )


def tree_from_samples(
    rows, values, weights, cardinalities, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None,
    settled=None, most_leaves=UNLIMITED, exponent=0,
):
    """Build the tree of a function that is known at weighted rows, under their joint distribution.

    `rows` are codes, (n_rows, n_attributes); `values` (n_rows, n_outputs); `weights` (n_rows,), not all zero. See
    `tree_of` for the limits.
    """
    return tree_of(
        sample_function(rows, values, weights, cardinalities), criterion, tol, scale, max_depth, max_leaf_nodes,
        is_categorical, settled, most_leaves, exponent,
    )
