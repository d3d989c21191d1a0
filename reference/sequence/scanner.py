"""Best split of one node by the Effort-To-Compress of its children's label sequences: every cut, from scratch."""

from .substitution import effort_to_compress


def children(labels, order, n_left):
    """Return the labels of the rows that a cut sends left and right, both in the order of the rows."""
    left = set(order[:n_left])
    return (
        [label for row, label in enumerate(labels) if row in left],
        [label for row, label in enumerate(labels) if row not in left],
    )


def cost_of_cut(labels, n_classes, order, n_left):
    """Return the sum over the children of length times effort: the subtrahend of Eq. 1, times the rows of the node."""
    return sum(len(child) * effort_to_compress(child, n_classes) for child in children(labels, order, n_left))


def best_sequence_cut(labels, n_classes, orders, cuts, n_threads=1):
    """Return (cost, feature, rows on the left) of the cut of least cost; ties go to the lowest feature, then to the
    fewest rows on the left; None where there is no cut. The number of threads makes no difference."""
    costs = [
        (cost_of_cut(labels, n_classes, order, n_left), feature, n_left)
        for feature, (order, of_feature) in enumerate(zip(orders, cuts, strict=True))
        for n_left in of_feature
    ]
    return min(costs, default=None)
