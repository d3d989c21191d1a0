"""Minimal cost-complexity pruning (L. Breiman et al., "Classification and Regression Trees", 1984, Section 3.3).

A pruned tree costs its risk plus alpha for every leaf. The risk is the sum of the leaves' impurities, each times the
leaf's share of the samples. At its effective alpha, a node costs the same as a leaf and as the cheapest pruned branch
below it. The nodes below a node stand in a heap by their effective alphas, the greatest first. Nodes leave the heap as
long as their alpha is not lower than the node's own; the rest of the heap are the nodes that become leaves before it.
Each node enters and leaves a heap once, so n nodes of any depth take O(n log n).

Risks are exact numbers. They are added in units of 2**-shift and rounded down if they are not multiples. The number of
roundings in a sum bounds its error. If the error could change which of two alphas is greater, fractions decide.
"""

from fractions import Fraction
from functools import cmp_to_key

import numpy as np

cimport cython

from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport int64_t

cdef enum:
    STEPS_BETWEEN_CHECKS = 10000    # for signals

# The shift for risks whose denominators are not powers of two.
SHIFT = 256


@cython.final
cdef class Pruning:
    """The inner nodes, each judged as if it became a leaf, and heaps of them by their effective alphas."""

    cdef list risks
    cdef object total, shift
    cdef list units, is_rounded         # of the risk of a node
    # If a node becomes a leaf of the cheapest branch: the rise of the risk in units, the number of rounded units in it,
    # the number of leaves that go, and the effective alpha as the nearest double.
    cdef list rise, n_rounded, n_fewer, alpha
    cdef list absorbed                  # nodes below that never become leaves, because this node does so before
    cdef list child_list
    cdef dict exact_rises, exact_alphas  # of near ties; an alpha as numerator and denominator
    cdef int64_t[::1] first, following  # in a heap: a node's first child and its next sibling
    cdef int64_t unchecked              # steps since signals were checked

    def __init__(self, const int64_t[::1] child_offsets, const int64_t[::1] children, list risks, total):
        cdef Py_ssize_t node, n_nodes = child_offsets.shape[0] - 1
        ratios = []
        for risk in risks:
            check_signals(&self.unchecked, 1, STEPS_BETWEEN_CHECKS)
            ratios.append(risk.as_integer_ratio())
        self.risks, self.total = risks, total
        self.shift = SHIFT
        if all(denominator & (denominator - 1) == 0 for _, denominator in ratios):
            self.shift = max(denominator.bit_length() for _, denominator in ratios) - 1
        self.units, self.is_rounded = [], []
        for numerator, denominator in ratios:
            check_signals(&self.unchecked, 1, STEPS_BETWEEN_CHECKS)
            quotient, remainder = divmod(numerator << self.shift, denominator)
            self.units.append(quotient)
            self.is_rounded.append(remainder != 0)
        listed = np.asarray(children).tolist()
        self.child_list = [listed[child_offsets[node]:child_offsets[node + 1]] for node in range(n_nodes)]
        self.rise, self.n_rounded, self.n_fewer = [0] * n_nodes, [0] * n_nodes, [0] * n_nodes
        self.alpha, self.absorbed = [0.0] * n_nodes, [None] * n_nodes
        self.exact_rises, self.exact_alphas = {}, {}
        self.first = np.full(n_nodes, -1, dtype=np.int64)
        self.following = np.full(n_nodes, -1, dtype=np.int64)


# ----------------------------------------------------------------------------------------------------- effective alphas

cdef int64_t _add_node(Pruning pruning, int64_t node, list heaps) except -2:
    """Find the effective alpha of an inner node from the nodes below it; return the heap of its branch."""
    cdef int64_t heap = -1, child, greatest
    rise, n_rounded = pruning.units[node], int(pruning.is_rounded[node])
    for child in pruning.child_list[node]:
        rise -= pruning.units[child]
        n_rounded += pruning.is_rounded[child]
        heap = _meld(pruning, heap, heaps[child])
    absorbed = pruning.absorbed[node] = []
    pruning.rise[node], pruning.n_rounded[node] = rise, n_rounded
    pruning.n_fewer[node] = len(pruning.child_list[node]) - 1
    pruning.alpha[node] = _nearest_alpha(pruning, node)
    # Nodes in the heap whose alpha is not lower than the node's own do not become leaves before it: it absorbs them.
    while heap >= 0 and _compare(pruning, node, heap) <= 0:
        greatest, heap = heap, _without_greatest(pruning, heap)
        pruning.rise[node] += pruning.rise[greatest]
        pruning.n_rounded[node] += pruning.n_rounded[greatest]
        pruning.n_fewer[node] += pruning.n_fewer[greatest]
        absorbed.append(greatest)
        pruning.exact_rises.pop(node, None)
        pruning.exact_alphas.pop(node, None)
        pruning.alpha[node] = _nearest_alpha(pruning, node)
    return _meld(pruning, heap, node)


cdef object _nearest_alpha(Pruning pruning, int64_t node):
    """Return the double that is nearest to the effective alpha."""
    found = _nearest(pruning, pruning.rise[node], pruning.n_rounded[node], pruning.n_fewer[node] * pruning.total)
    if found is None:
        return float(_exact_rise(pruning, node) / (pruning.n_fewer[node] * pruning.total))
    return found


cdef object _nearest(Pruning pruning, units, n_rounded, divisor):
    """Return the double nearest to a quotient of units, or None if the roundings leave it open."""
    divisor <<= pruning.shift
    found = (units - n_rounded) / divisor
    check_signals(&pruning.unchecked, 1, STEPS_BETWEEN_CHECKS)
    return found if n_rounded == 0 or (units + n_rounded) / divisor == found else None


cdef int _compare(Pruning pruning, int64_t node, int64_t other) except -2:
    """Compare the effective alphas of two nodes: 1 if the first is greater, 0 if both are equal, otherwise -1."""
    check_signals(&pruning.unchecked, 1, STEPS_BETWEEN_CHECKS)
    if pruning.alpha[node] != pruning.alpha[other]:
        return 1 if pruning.alpha[node] > pruning.alpha[other] else -1
    n_fewer, other_fewer = pruning.n_fewer[node], pruning.n_fewer[other]
    difference = pruning.rise[node] * other_fewer - pruning.rise[other] * n_fewer
    margin = pruning.n_rounded[node] * other_fewer + pruning.n_rounded[other] * n_fewer
    if margin > 0 and -margin <= difference <= margin:
        numerator, denominator = _exact_alpha(pruning, node)
        other_numerator, other_denominator = _exact_alpha(pruning, other)
        difference = numerator * other_denominator - other_numerator * denominator
    return (difference > 0) - (difference < 0)


cdef tuple _exact_alpha(Pruning pruning, int64_t node):
    if node not in pruning.exact_alphas:
        rise = _exact_rise(pruning, node)
        pruning.exact_alphas[node] = rise.numerator, rise.denominator * pruning.n_fewer[node]
    return pruning.exact_alphas[node]


cdef object _exact_rise(Pruning pruning, int64_t node):
    """Return the rise of the risk as a fraction: the sum of the decreases by the splits of the node and of all nodes
    that it absorbs."""
    cdef int64_t below
    if node in pruning.exact_rises:
        return pruning.exact_rises[node]
    rise, pending = Fraction(0), [node]
    while pending:
        below = pending.pop()
        if below in pruning.exact_rises:
            rise += pruning.exact_rises[below]
            continue
        rise += Fraction(pruning.risks[below]) - sum(Fraction(pruning.risks[c]) for c in pruning.child_list[below])
        pending += pruning.absorbed[below]
    pruning.exact_rises[node] = rise
    return rise


# ------------------------------------------------------------------------------------------------------ pairing heaps

cdef int64_t _meld(Pruning pruning, int64_t heap, int64_t other) except -2:
    """Join two heaps; the root has the greatest alpha, and -1 is an empty heap."""
    if heap < 0 or other < 0:
        return max(heap, other)
    if _compare(pruning, heap, other) < 0:
        heap, other = other, heap
    pruning.following[other] = pruning.first[heap]
    pruning.first[heap] = other
    return heap


cdef int64_t _without_greatest(Pruning pruning, int64_t heap) except -2:
    """Return a heap without its root. The root's children are melded by pairs, then one after another."""
    cdef int64_t left, right, node = pruning.first[heap], melded = -1
    pairs = []
    pruning.first[heap] = -1
    while node >= 0:
        left, right = node, pruning.following[node]
        node = pruning.following[right] if right >= 0 else -1
        pruning.following[left] = -1
        if right >= 0:
            pruning.following[right] = -1
        pairs.append(_meld(pruning, left, right))
    for left in reversed(pairs):
        melded = _meld(pruning, melded, left)
    return melded


cdef list _nodes_of(Pruning pruning, int64_t heap):
    cdef int64_t node
    nodes, pending = [], [heap] if heap >= 0 else []
    while pending:
        node = pending.pop()
        nodes.append(node)
        for below in (pruning.first[node], pruning.following[node]):
            if below >= 0:
                pending.append(below)
    return nodes


# --------------------------------------------------------------------------------------------------------- from Python

def prune_path(const int64_t[::1] child_offsets, const int64_t[::1] children, risks, total):
    """Return the nodes that become leaves, the weakest first, and the alphas and risks of the tree before and after
    each.

    `risks` are the impurities of all nodes times their weights, as fractions or floating-point numbers, and `total` is
    the weight of the root, a whole number. Nodes of equal alphas are in ascending order. The first alpha is 0, and no
    alpha is lower.
    """
    cdef Pruning pruning = Pruning(child_offsets, children, risks, total)
    cdef Py_ssize_t node
    heaps = [-1] * len(risks)
    # Children have higher numbers than their parent.
    for node in range(len(risks) - 1, -1, -1):
        if pruning.child_list[node]:
            heaps[node] = _add_node(pruning, node, heaps)
    nodes = _nodes_of(pruning, heaps[0])
    # Doubles sort the nodes nearly; exact comparisons do the rest.
    nodes.sort(key=lambda node: (pruning.alpha[node], node))
    nodes.sort(key=cmp_to_key(lambda node, other: _compare(pruning, node, other) or node - other))
    return nodes, [0.0, *(max(0.0, pruning.alpha[node]) for node in nodes)], _risks_after(pruning, nodes)


cdef list _risks_after(Pruning pruning, list nodes):
    """Return the risk of the tree, and its risk after each of the nodes became a leaf, as the nearest doubles."""
    leaves = [node for node, below in enumerate(pruning.child_list) if not below]
    units, n_rounded = sum(pruning.units[leaf] for leaf in leaves), sum(pruning.is_rounded[leaf] for leaf in leaves)
    found, exact, n_added = [], None, 0
    for n_leaves in range(len(nodes) + 1):
        if n_leaves > 0:
            units += pruning.rise[nodes[n_leaves - 1]]
            n_rounded += pruning.n_rounded[nodes[n_leaves - 1]]
        risk = _nearest(pruning, units, n_rounded, pruning.total)
        if risk is None:
            exact = sum(Fraction(pruning.risks[leaf]) for leaf in leaves) if exact is None else exact
            exact += sum(_exact_rise(pruning, node) for node in nodes[n_added:n_leaves])
            n_added, risk = n_leaves, float(exact / pruning.total)
        found.append(risk)
    return found
