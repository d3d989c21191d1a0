"""Splits by category: one child for every category that the node's rows have, as C4.5 and ID3 split.

The gain of k children is the impurity of the node minus those of the children by their shares, or what the clustering
by child takes off the distance to the classes, of any criterion; of two children it is that of a cut.
"""

from ..criteria.counts import counted, remainder, user_criterion_of
from ..criteria.etc import etc_gain
from ..criteria.user import gain_by_user, sequence_gain_by_user
from .scan import gain_of_counts, judges_sequence


def counts_of_children(labels, weights, codes, n_classes):
    """Return class counts and totals, added in the order of the rows, of the node and its children by category.

    Of two children the second is the node minus the first, as at a cut: this fixes the rounding.
    """
    rows = list(zip(labels, weights, strict=True))
    node = counted(rows, n_classes)
    children = [
        counted([row for row, code in zip(rows, codes, strict=True) if code == category], n_classes)
        for category in sorted(set(codes))
    ]
    if len(children) == 2:
        children[1] = remainder(node, children[0])
    return node, children


def exact_gain_of_children(criterion, labels, weights, codes, n_classes, rows):
    """Return the gain as it is compared, of rows by their labels, weights and categories, and by their numbers where a
    user's criterion needs them."""
    if criterion == "etc":
        return etc_gain(labels, codes, n_classes)
    if judges_sequence(criterion):
        present = sorted(set(codes))
        return sequence_gain_by_user(criterion, labels, [present.index(code) for code in codes], rows)
    node, children = counts_of_children(labels, weights, codes, n_classes)
    if user_criterion_of(criterion)[0] is not None:
        return gain_by_user(criterion, [counts for counts, _ in children])
    return gain_of_counts(criterion, node, children)
