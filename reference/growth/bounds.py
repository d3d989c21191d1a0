"""The bounds that monotonic constraints put on the values of a grown tree's nodes."""

from fractions import Fraction
from itertools import pairwise

from ..split.monotonic import NO_BOUNDS, bounds_of_children


def node_bounds(child_offsets, children, feature, monotonic_cst, total, weight, centre=0, divisor=1, exponent=0):
    """Return the lower and the upper bounds of the values of all nodes, infinite if there are none.

    Nodes are in preorder, and `child_offsets` and `children` list the children of every node. The value of a node is
    (centre + total / weight) / (divisor 2**exponent), with whole numbers as `total` and `weight`.
    """
    below = [children[start:stop] for start, stop in pairwise(child_offsets)]
    values = list(map(Fraction, total, weight))
    bounds = [NO_BOUNDS] * len(values)
    for node, of_node in enumerate(below):
        if of_node:
            of_children = bounds_of_children(
                monotonic_cst[feature[node]], [values[child] for child in of_node], bounds[node]
            )
            for child, of_child in zip(of_node, of_children, strict=True):
                bounds[child] = of_child
    unit = Fraction(divisor) * Fraction(2) ** exponent
    lower, upper = (
        [float((centre + bound) / unit) if isinstance(bound, Fraction) else bound for bound in side]
        for side in zip(*bounds, strict=True)
    )
    return lower, upper
