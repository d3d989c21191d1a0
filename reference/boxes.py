"""Functions that are constant on boxes, without their spectra: inner products and averages over schemata.

A measure is (offsets, cumulative): the weight of the values a to b - 1 of attribute m is
cumulative[offsets[m] + b] - cumulative[offsets[m] + a].
"""

from math import floor, nan, prod

LEAF = -1


def unpack(boxes):
    """The boxes of flat arrays as dicts: attribute -> set of the values that it may have."""
    indptr, attribute, run_indptr, start, stop = boxes
    allowed = [
        {value for run in range(run_indptr[c], run_indptr[c + 1]) for value in range(start[run], stop[run])}
        for c in range(len(attribute))
    ]
    return [{attribute[c]: allowed[c] for c in range(indptr[b], indptr[b + 1])} for b in range(len(indptr) - 1)]


def weights_of(measure):
    """For every attribute the weights of its values."""
    offsets, cumulative = measure
    return [
        [cumulative[i + 1] - cumulative[i] for i in range(offsets[m], offsets[m + 1] - 1)]
        for m in range(len(offsets) - 1)
    ]


def share(weights, values):
    """The probability of some values of an attribute."""
    return sum(weights[value] for value in sorted(values)) / sum(weights)


def overlap(box, other, weights):
    """The probability of what two boxes have in common."""
    everything = [set(range(len(attribute_weights))) for attribute_weights in weights]
    return prod(
        share(weights[m], box.get(m, everything[m]) & other.get(m, everything[m])) for m in sorted({*box, *other})
    )


def leaf_boxes(children_left, children_right, feature, threshold, cardinalities):
    """The boxes of a tree's leaves that hold a value at all: (leaves, indptr, attribute, start, stop).

    Box b is that of the leaf leaves[b], in preorder. Every constraint is one run: values from start to stop - 1.
    """
    leaves, indptr, constraints = [], [0], []

    def visit(node, limits):
        if any(low >= high for low, high in limits):
            return
        if children_left[node] == LEAF:
            leaves.append(node)
            constraints.extend((m, low, high) for m, (low, high) in enumerate(limits) if high - low < cardinalities[m])
            indptr.append(len(constraints))
            return
        m = feature[node]
        low, high = limits[m]
        cut = floor(max(-1.0, min(threshold[node], float(cardinalities[m])))) + 1
        visit(children_left[node], [*limits[:m], (low, min(high, cut)), *limits[m + 1 :]])
        visit(children_right[node], [*limits[:m], (max(low, cut), high), *limits[m + 1 :]])

    visit(0, [(0, cardinality) for cardinality in cardinalities])
    return leaves, indptr, *([constraint[i] for constraint in constraints] for i in range(3))


def gram(tree_indptr, boxes, values, measure):
    """Inner products of the functions of all pairs of trees, summed over their outputs.

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


def averages(boxes, values, schemata, measure):
    """The average of the sum of the boxes' functions over every schema; NaN where a schema has no mass."""
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
