"""The table of criteria: the gain of a split by any of them.

Gains are exact: fractions for ``gini``, ``ogini``, ``ranking``, ``jaccard``, ``accuracy``, ``mae``, ``etc`` and
``lz76``, and quotients of sums of n log2 n for ``entropy``, ``gain_ratio``, ``nvi``, ``nvi_sum``, ``nvi_max`` and
``vi``, which compare as real numbers.
Gains of ``wig`` and of a user's criterion are floating-point numbers, which count as different if they differ by more
than a tolerance.

A criterion is its name, or its name and a dict of parameters.
"""

from fractions import Fraction
from functools import partial

from .absolute_error import absolute_error
from .counts import costs_of, given_of, name_of, parameters_of, quotient, targets_of
from .entropy import entropy, information_gain
from .gini import gini
from .jaccard import overlap_of_clusters, overlaps, similarity_of_node
from .labelled import hits, minus_absolute_errors
from .labels import labelled, matched
from .ordinal_gini import ogini
from .ranking import costs_of_scores, ranking
from .ratios import RATIOS, ratio_gain
from .squared_error import squared_error
from .structural import IMPURITIES
from .variation import variation_gain
from .wig import class_weights, wig

MATCHINGS = ("jaccard", "accuracy", "mae")
# Criteria whose gain is a convex function of the left child's class counts, or such a function over a concave one.
CONVEX = ("gini", "entropy", "gain_ratio", "nvi", "nvi_sum", "ogini")
CLUSTERINGS = (*RATIOS, "vi", *MATCHINGS)


def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the rows. The rows then have no weights."""
    return name_of(criterion) in (*IMPURITIES, "user_sequence")


def gain_of_counts(criterion, node, children):
    """Return the gain of a split by a criterion on class counts, from counts and totals of node and children."""
    name, _, _, is_weighted = parameters_of(criterion, len(node[0]))
    if name == "wig":
        return wig_gain(criterion, node, children)
    if name in CLUSTERINGS:
        return clustering_gain(name, node[0], *transposed(node, children))
    if name == "entropy":
        return information_gain(node[0], [counts for counts, _ in children])
    impurity = exact_impurity(criterion, len(node[0]))
    gain = impurity(node[0])
    for counts, total in children:
        gain -= (Fraction(total, node[1]) if is_weighted else 1) * impurity(counts)
    return gain


def exact_impurity(criterion, n_classes):
    """Return the criterion's impurity of class counts, an exact number."""
    name, _, scores, _ = parameters_of(criterion, n_classes)
    if name == "ranking":
        return partial(ranking, costs=costs_of(criterion, n_classes) or costs_of_scores(tuple(scores)))
    if name == "squared_error":
        return partial(squared_error, targets=targets_of(criterion, n_classes))
    if name == "absolute_error":
        return partial(absolute_error, targets=targets_of(criterion, n_classes))
    return {"gini": gini, "entropy": entropy, "ogini": ogini}[name]


def wig_impurity(criterion, node):
    """Return the weighted entropy, a floating-point number, as a function of the class counts and the total of the node
    or of its children."""
    _, alpha, scores, _ = parameters_of(criterion, len(node))
    given = given_of(criterion)
    only_present = given.get("normalize_over") == "present"
    counts_class = tuple(count > 0 or not only_present for count in node)
    of_modes = class_weights(tuple(scores), alpha, given.get("distance_from", "mode"), counts_class)
    return partial(wig, class_weights=of_modes)


def wig_gain(criterion, node, children):
    """Return the gain of a split by weighted entropies, in floating point."""
    counts, total = node
    impurity = wig_impurity(criterion, counts)
    gain = impurity(counts, total)
    for of_child, child_total in children:
        gain -= child_total / total * impurity(of_child, child_total)
    return gain


def clustering_gain(name, node, children, totals):
    """Return the decrease of the distance between the node's clustering and its classes, from class counts and totals
    of the node and its children."""
    if name in RATIOS:
        return ratio_gain(name, node, children, totals)
    if name == "vi":
        return variation_gain(node, children, totals)
    scores = {"jaccard": overlaps, "accuracy": hits, "mae": minus_absolute_errors}[name]
    undivided = similarity_of_node(node, totals[0]) if name == "jaccard" else max(scores(node, totals[0], node))
    children_scores = [scores(counts, total, node) for counts, total in zip(children, totals[1:], strict=True)]
    if len(children) == 2:
        gain = matched(*children_scores) - undivided
    elif name == "jaccard":
        gain = overlap_of_clusters(node, children, totals) - undivided
    else:
        gain = labelled(children_scores) - undivided
    return gain if name == "jaccard" else quotient(gain, totals[0])


def transposed(node, children):
    """Return the class counts of the children, and the totals of the node and the children."""
    return [counts for counts, _ in children], [node[1], *(total for _, total in children)]


def orders_by_share(criterion, n_classes):
    """Whether the best division of categories is among the divisions in the order of the second class's share."""
    return n_classes == 2 and name_of(criterion) in CONVEX and parameters_of(criterion, n_classes)[3]


def orders_by_mean(criterion):
    """Whether the best division of categories is among the divisions in the order of the means of the targets."""
    return name_of(criterion) == "squared_error"
