"""Sums of boxes, each times its values, without their spectra: inner products, and averages over schemata.

A box allows every attribute a set of values. The boxes of a tree's leaves are disjoint; a schema is a box as well.
A measure is (offsets, cumulative): the weight of the values a to b - 1 of attribute m is
cumulative[offsets[m] + b] - cumulative[offsets[m] + a].
"""

from itertools import accumulate
from math import nan, prod

from ..base.types import LEAF, MULTIWAY


def unpack(boxes):
    """Return the boxes of flat arrays as dicts: attribute -> set of the values that it may have."""
    indptr, attribute, run_indptr, start, stop = boxes
    allowed = [
        {value for run in range(run_indptr[c], run_indptr[c + 1]) for value in range(start[run], stop[run])}
        for c in range(len(attribute))
    ]
    return [{attribute[c]: allowed[c] for c in range(indptr[b], indptr[b + 1])} for b in range(len(indptr) - 1)]


def weights_of(measure):
    """Return the weights of every attribute's values."""
    offsets, cumulative = measure
    return [
        [cumulative[i + 1] - cumulative[i] for i in range(offsets[m], offsets[m + 1] - 1)]
        for m in range(len(offsets) - 1)
    ]


def share(weights, values):
    """Return the probability of some values of an attribute."""
    return sum(weights[value] for value in sorted(values)) / sum(weights)


def overlap(box, other, weights):
    """Return the probability of the intersection of two boxes."""
    everything = [set(range(len(attribute_weights))) for attribute_weights in weights]
    return prod(
        share(weights[m], box.get(m, everything[m]) & other.get(m, everything[m])) for m in sorted({*box, *other})
    )


def runs(values):
    """Return values as runs: (start, stop) for every maximal run of neighbours."""
    starts = sorted(value for value in values if value - 1 not in values)
    stops = sorted(value + 1 for value in values if value + 1 not in values)
    return list(zip(starts, stops, strict=True))


def leaf_boxes(
    children_left,
    children_right,
    feature,
    threshold,
    cardinalities,
    child_offsets=None,
    children=None,
    category_offsets=None,
    categories=None,
    missing_left=None,
):
    """Return the boxes of a tree's leaves, empty ones excluded: (leaves, indptr, attribute, run_indptr, start, stop).

    Box b belongs to the leaf leaves[b], or to the multiway node leaves[b]: the values that no child has stay at the
    node. Boxes are in preorder. `child_offsets` and the next three are for trees with multiway nodes. A node sends
    missing_left[node], the code of missing values, to the left of its threshold; -1 is no code.
    """
    leaves, indptr, constraints = [], [0], []

    def add(node, allowed):
        leaves.append(node)
        constraints.extend((m, values) for m, values in enumerate(allowed) if len(values) < cardinalities[m])
        indptr.append(len(constraints))

    def visit(node, allowed):
        if not all(allowed):
            return
        if children_left[node] == LEAF:
            add(node, allowed)
            return
        m = feature[node]
        if children_left[node] == MULTIWAY:
            below = children[child_offsets[node] : child_offsets[node + 1]]
            parts = [(child, set(categories[category_offsets[child] : category_offsets[child + 1]])) for child in below]
            staying = allowed[m].difference(*(values for _, values in parts))
            if staying:
                add(node, [*allowed[:m], staying, *allowed[m + 1 :]])
        else:
            code = -1 if missing_left is None else missing_left[node]
            left = {value for value in allowed[m] if value <= threshold[node] or value == code}
            parts = [(children_left[node], left), (children_right[node], allowed[m] - left)]
        for child, values in parts:
            visit(child, [*allowed[:m], allowed[m] & values, *allowed[m + 1 :]])

    visit(0, [set(range(cardinality)) for cardinality in cardinalities])
    of_constraints = [runs(values) for _, values in constraints]
    run_indptr = list(accumulate(map(len, of_constraints), initial=0))
    flat = [run for of_one in of_constraints for run in of_one]
    attribute = [m for m, _ in constraints]
    return leaves, indptr, attribute, run_indptr, [start for start, _ in flat], [stop for _, stop in flat]


def gram(tree_indptr, boxes, values, measure):
    """Return the inner products of the functions of all pairs of trees, summed over their outputs.

    Tree t has the boxes tree_indptr[t] to tree_indptr[t + 1] and on them the rows of `values`.
    """
    boxes, weights = unpack(boxes), weights_of(measure)

    def inner(tree, other):
        return sum(
            sum(x * y for x, y in zip(values[a], values[b], strict=True)) * overlap(boxes[a], boxes[b], weights)
            for a in range(tree_indptr[tree], tree_indptr[tree + 1])
            for b in range(tree_indptr[other], tree_indptr[other + 1])
        )

    numbers = range(len(tree_indptr) - 1)
    return [[inner(min(tree, other), max(tree, other)) for other in numbers] for tree in numbers]


def box_averages(boxes, values, schemata, measure):
    """Return the average of the sum of the boxes' functions over every schema; NaN if a schema has no mass."""
    boxes, weights = unpack(boxes), weights_of(measure)
    n_outputs = len(values[0]) if values else 0
    found = []
    for schema in unpack(schemata):
        mass = overlap(schema, {}, weights)
        sums = [
            sum(value[k] * overlap(box, schema, weights) for box, value in zip(boxes, values, strict=True))
            for k in range(n_outputs)
        ]
        found.append([total / mass if mass else nan for total in sums])
    return found
