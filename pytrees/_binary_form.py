"""A tree's decisions with thresholds only, for programs that know no other splits."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from ._tree_checks import LEAF, MULTIWAY, UNDEFINED
from ._typing import FloatArray, IntArray

# The upper end of an interval of codes, and the child that they lead to; None: samples stay at the node.
_Interval = tuple[float, int | None]


class BinaryForm(NamedTuple):
    """A tree's decisions with thresholds only, as arrays of shape (n_nodes,), the nodes in preorder.

    `children_left`, `children_right`, `feature` and `threshold` are as in a `Tree` without multiway nodes. `node` tells
    for every node here which node of the tree it is a part of. The parts of a multiway node include leaves, for samples
    whose category has no child. If several ranges of categories lead to one child, the child is repeated, and the
    copies share their children: this graph is no tree, but is walked like a tree.
    """

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    node: IntArray


def binary_form(tree: Any) -> BinaryForm:
    """Replace every multiway node by a balanced search among its categories, with thresholds half-way between codes."""
    links: list[list[int]] = []  # of every part: the left and the right one below
    nodes: list[int] = []
    cuts: list[float | None] = []  # None: the part is a leaf
    first: dict[int, int] = {}  # the first part of every node
    copies: dict[int, int] = {}
    # The parts still to add, the next one last: a node, the intervals of the search in it, the parent and the side.
    pending: list[tuple[int, list[_Interval], int, int]] = [(0, [], -1, 0)]
    kinds, thresholds = tree.children_left.tolist(), tree.threshold.tolist()
    while pending:
        node, found, parent, side = pending.pop()
        if len(found) == 1 and found[0][1] is not None:
            node, found = found[0][1], []
        number = len(nodes)
        if parent >= 0:
            links[parent][side] = number
        links.append([LEAF, LEAF])
        nodes.append(node)
        cuts.append(None)
        if not found and node in first:
            copies[number] = first[node]
            continue
        if not found:
            first[node] = number
            if kinds[node] == MULTIWAY:
                found = _intervals(tree, node)
        if len(found) > 1:
            middle = len(found) // 2
            cuts[number] = found[middle - 1][0]
            pending += [(node, found[middle:], number, 1), (node, found[:middle], number, 0)]
        elif not found and kinds[node] != LEAF:
            cuts[number] = thresholds[node]
            pending += [(int(tree.children_right[node]), [], number, 1), (kinds[node], [], number, 0)]
    for number, original in copies.items():
        links[number], cuts[number] = links[original], cuts[original]
    left, right = np.array(links, dtype=np.int64).T.copy()
    of_parts = np.array(nodes, dtype=np.int64)
    feature = np.where(left == LEAF, UNDEFINED, tree.feature[of_parts])
    cut = np.array([UNDEFINED if cut is None else cut for cut in cuts], dtype=np.float64)
    return BinaryForm(left, right, feature, cut, of_parts)


def _intervals(tree: Any, node: int) -> list[_Interval]:
    """Return the intervals of codes at a multiway node in ascending order."""
    child_of = {code: child for child in tree.children_of(node).tolist() for code in tree.categories_of(child).tolist()}
    found: list[_Interval] = [(min(child_of) - 0.5, None)]
    for code in sorted(child_of):
        if found[-1][0] < code - 0.5:
            found.append((code - 0.5, None))
        if found[-1][1] == child_of[code]:
            found.pop()
        found.append((code + 0.5, child_of[code]))
    return [*found, (inf, None)]
