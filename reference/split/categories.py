"""Splits by category: one child for every category that the node's rows have, as C4.5 and ID3 split.

The gain of k children is the impurity of the node minus those of the children by their shares, or what the clustering
by child takes off the distance to the classes, of any criterion; of two children it is that of a cut.
"""

from ..criteria.counts import counted, is_greater, remainder, user_criterion_of
from ..criteria.etc import etc_gain
from ..criteria.user import gain_by_user, sequence_gain_by_user
from .scan import gain_of_counts, judges_sequence, reported


def counts_of_children(labels, weights, codes, n_classes):
    """Class counts and totals, added in the order of the rows, of the node and of its children by ascending category.

    Of two children the second has what the first leaves of the node, as at a cut: this fixes what is rounded.
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
    """The gain as it is compared, of rows by their labels, weights and categories; a user's criterion may ask for their
    numbers."""
    if criterion == "etc":
        return etc_gain(labels, codes, n_classes)
    if judges_sequence(criterion):
        present = sorted(set(codes))
        return sequence_gain_by_user(criterion, labels, [present.index(code) for code in codes], rows)
    node, children = counts_of_children(labels, weights, codes, n_classes)
    if user_criterion_of(criterion)[0] is not None:
        return gain_by_user(criterion, [counts for counts, _ in children])
    return gain_of_counts(criterion, node, children)


def gain_of_children(criterion, labels, weights, codes, n_classes):
    """The gain of a split by category of rows with these labels, weights (None: every row counts once) and categories,
    of which there are two at least; as a double."""
    return reported(criterion, checked_gain(criterion, labels, weights, codes, n_classes))


def compare_gains(criterion, labels, weights, codes, other_codes, n_classes):
    """1 where the split by the codes is the better one, -1 where that by the others is, 0 where neither is."""
    gain, other = (
        checked_gain(criterion, labels, weights, categories, n_classes) for categories in (codes, other_codes)
    )
    return is_greater(gain, other) - is_greater(other, gain)


def checked_gain(criterion, labels, weights, codes, n_classes):
    weights = [1] * len(labels) if weights is None else weights
    if not len(labels) == len(weights) == len(codes):
        raise ValueError(f"Labels, weights and codes must be as many, got {len(labels)}, {len(weights)}, {len(codes)}.")
    if not all(0 <= label < n_classes for label in labels):
        raise ValueError(f"Labels must be codes 0..{n_classes - 1}.")
    if len(set(codes)) < 2:
        raise ValueError("A split has two categories at least.")
    return exact_gain_of_children(criterion, labels, weights, codes, n_classes, range(len(labels)))
