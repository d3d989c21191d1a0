"""Jaccard similarity of children to classes (F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning",
Section 1.1).
"""

from .counts import add_up, quotient, subtracted
from .labels import best_but


def overlap_of_clusters(node, children, totals):
    """Return the sum of the Jaccard similarities of each class to the union of the children with this majority. The
    majority is the lowest of several. If all children have the same majority, one child gets another class: the child
    that gains most by it.
    """
    total, *sizes = totals
    labels = [counts.index(max(counts)) for counts in children]
    if len(set(labels)) == 1:
        return max(
            overlaps(subtracted(node, counts), total - size, node)[labels[0]]
            + best_but(overlaps(counts, size, node), labels[0])
            for counts, size in zip(children, sizes, strict=True)
        )
    similarities = []
    for label in sorted(set(labels)):
        members = [child for child in range(len(children)) if labels[child] == label]
        in_both, size = (add_up(numbers[child] for child in members) for numbers in (column(children, label), sizes))
        similarities.append(quotient(in_both, size + node[label] - in_both))
    return add_up(similarities)


def similarity_of_node(node, total):
    """Return the similarity of an undivided node to its most frequent class. In a node of one class, a child must stand
    for a class without rows: the child differs from this class, and the undivided node is as similar as it can be.
    """
    return quotient(max(node), total) if max(node) < total else 2


def column(children, label):
    return [counts[label] for counts in children]


def overlaps(counts, total, node):
    """Return the Jaccard similarity of a set of rows to every class of the node: rows in both, divided by rows in
    either."""
    return [quotient(count, total + in_node - count) for count, in_node in zip(counts, node, strict=True)]
