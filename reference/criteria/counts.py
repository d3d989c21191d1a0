"""Impurities, and the gain of a split that follows from them.

Gains are exact: fractions for ``gini``, ``ogini``, ``ranking``, ``jaccard``, ``accuracy``, ``mae`` and ``etc``, and for
``entropy``, ``gain_ratio`` and ``nvi`` too, because their n log2 n are whole multiples of 2**-30 bit. Floating-point
numbers, which count as different where they differ by more than a tolerance, are the gains of ``wig``, of ``ranking``
with class scores that are not whole numbers, and of all criteria on counts where weights are not whole numbers.

The ordinal criteria are those of R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an
experimental study" (2024). ``gain_ratio``, ``nvi``, ``jaccard`` and ``accuracy`` compare the clustering of a node's
rows by the cut to that by their classes, as in F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning",
Section 1.1; ``mae`` does so for ordered classes. A criterion is its name, or its name and a dict of parameters.
"""

import heapq
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, partial

from ..sequence.substitution import effort_to_compress

TOLERANCE = 1e-12

RATIOS = ("gain_ratio", "nvi")
MATCHINGS = ("jaccard", "accuracy", "mae")


@cache
def n_log2_n_of(n):
    """n log2 n in bits, to the nearest multiple of 2**-30, as the whole number of these; 0 for n = 0."""
    if n == 0:
        return 0
    with localcontext() as context:
        context.prec = 60
        return int((Decimal(n) * Decimal(n).ln() / Decimal(2).ln() * 2**30).to_integral_value())


def n_log2_n(largest):
    """The table of n log2 n for n = 0..largest."""
    return [n_log2_n_of(n) for n in range(largest + 1)]


def gini(counts):
    """Gini impurity: 1 - sum of p_k**2."""
    total = sum(counts)
    return 1 - sum(Fraction(count, total) ** 2 for count in counts)


def entropy(counts):
    """Shannon entropy in bits: -sum of p_k log2 p_k, which is (n log2 n - sum of n_k log2 n_k) / n."""
    total = sum(counts)
    return Fraction(n_log2_n_of(total) - sum(n_log2_n_of(count) for count in counts), total * 2**30)


def etc(labels, n_classes):
    """Structural impurity: the Effort-To-Compress of the label sequence."""
    return Fraction(effort_to_compress(labels, n_classes))


def weighted_gini(weights, total):
    if total <= 0.0:
        return 0.0
    impurity = 1.0
    for weight in weights:
        if weight > 0.0:
            impurity -= weight / total * (weight / total)
    return impurity


def weighted_entropy(weights, total):
    impurity = 0.0
    for weight in weights:
        if total > 0.0 and weight > 0.0:
            impurity -= weight / total * math.log2(weight / total)
    return impurity


def ogini(counts):
    """Ordinal Gini: sum over the classes of F_q (1 - F_q), F_q being the share of the classes up to q (Eq. 4).

    The equation is printed without its squares; gains are the same as for minus the sum of F_q**2.
    """
    total = sum(counts)
    shares = [Fraction(sum(counts[: q + 1]), total) for q in range(len(counts))]
    return sum(share * (1 - share) for share in shares)


def ranking(counts, scores):
    """Ranking impurity: sum over the pairs of classes j < q of (v_q - v_j) N_q N_j (Eq. 11)."""
    return sum(Fraction(scores[q] - scores[j]) * counts[q] * counts[j] for q in range(len(counts)) for j in range(q))


def class_weights(scores, alpha):
    """For every class as the mode the weights of all classes: |v_q - v_mode|**alpha, of sum 1 (Eq. 8)."""
    all_weights = []
    for mode in scores:
        distances = [float(abs(score - mode)) ** alpha for score in scores]
        total = add_up(distances)
        all_weights.append([distance / total if total > 0.0 else 0.0 for distance in distances])
    return all_weights


def wig(counts, total, class_weights):
    """Weighted entropy: -sum of w_q p_q log2 p_q, with the weights of the most frequent class, the lowest of several
    (Eq. 9)."""
    if total <= 0.0:
        return 0.0
    weights = class_weights[counts.index(max(counts))]
    impurity = 0.0
    for count, weight in zip(counts, weights, strict=True):
        if count > 0.0:
            impurity -= weight * (count / total * math.log2(count / total))
    return impurity


def weighted_ogini(weights, total):
    if total <= 0.0:
        return 0.0
    impurity = cumulative = 0.0
    for weight in weights:
        cumulative += weight
        impurity += cumulative / total * (1.0 - cumulative / total)
    return impurity


def weighted_ranking(weights, total, scores):
    """For every class the sum over the lower ones, as v_q sum of N_j - sum of v_j N_j."""
    impurity = lower = lower_scores = 0.0
    for weight, score in zip(weights, scores, strict=True):
        impurity += weight * (score * lower - lower_scores)
        lower += weight
        lower_scores += score * weight
    return impurity


def clustering_gain(name, node, children, totals):
    """What a split takes off the distance of the node's clustering to its classes, from the class counts of the node
    and its children and their totals: of whole numbers a fraction, of others a floating-point number."""
    if name in RATIOS:
        return ratio_gain(name, node, children, totals)
    scores = {"jaccard": overlaps, "accuracy": hits, "mae": minus_absolute_errors}[name]
    undivided = max(scores(node, totals[0], node))
    children_scores = [scores(counts, total, node) for counts, total in zip(children, totals[1:], strict=True)]
    if len(children) == 2:
        gain = matched(*children_scores) - undivided
    elif name == "jaccard":
        gain = overlap_of_clusters(node, children, totals) - undivided
    else:
        gain = labelled(children_scores) - undivided
    return gain if name == "jaccard" else quotient(gain, totals[0])


def ratio_gain(name, node, children, totals):
    """Gain(Y, T) / H(T), or what Gain(Y, T) / H(T, Y) takes off the distance of 1: T is the split, Y the classes, and
    Gain(Y, T) = H(Y) + H(T) - H(T, Y)."""
    total, *sizes = totals
    impurity = partial(weighted_entropy, total=total) if isinstance(total, float) else entropy
    of_split, joint = impurity(sizes), impurity([count for counts in children for count in counts])
    return quotient(impurity(node) + of_split - joint, of_split if name == "gain_ratio" else joint)


def matched(left, right):
    """The greatest left[a] + right[b] of two different classes; they are among the two best of each child."""
    best_left, best_right = (heapq.nlargest(2, range(len(side)), key=side.__getitem__) for side in (left, right))
    return max(left[a] + right[b] for a in best_left for b in best_right if a != b)


def labelled(children_scores):
    """The greatest sum of the children's scores as classes of which several may be the same, but not all: where all
    children are best as one class, the one to which it makes the least difference is the second-best of its own."""
    labels = [scores.index(max(scores)) for scores in children_scores]
    best = add_up(max(scores) for scores in children_scores)
    if len(set(labels)) > 1:
        return best
    return best - min(scores[labels[0]] - best_but(scores, labels[0]) for scores in children_scores)


def best_but(scores, label):
    """The greatest score of all classes but one."""
    return max(scores[:label] + scores[label + 1 :])


def overlap_of_clusters(node, children, totals):
    """Sum over the classes of their Jaccard similarity to the children of which they are the majority, the lowest of
    several, taken together; where one class is that of all, one child stands for another: that which makes most of it.
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


def column(children, label):
    return [counts[label] for counts in children]


def subtracted(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def overlaps(counts, total, node):
    """Jaccard similarity of a set of rows to every class of the node: rows in both over rows in either."""
    return [quotient(count, total + in_node - count) for count, in_node in zip(counts, node, strict=True)]


def hits(counts, total, node):
    """For every class the rows that are predicted right where all are predicted to be of the class."""
    return counts


def minus_absolute_errors(counts, total, node):
    """The same for minus the sum of the absolute errors: from one class to the next the error of the rows up to the
    first grows by one, that of the others falls by one."""
    total, below, scores = add_up(counts), 0, []
    error = add_up(label * count for label, count in enumerate(counts))
    for count in counts:
        scores.append(-error)
        below += count
        error += below - (total - below)
    return scores


def quotient(numerator, denominator):
    """Exact where both are; 0 where the denominator is not positive."""
    if denominator <= 0:
        return type(denominator)(0)
    if isinstance(denominator, float):
        return numerator / denominator
    return Fraction(numerator) / denominator


def class_counts(labels, weights, n_classes):
    counts = [0] * n_classes
    for label, weight in zip(labels, weights, strict=True):
        counts[label] += weight
    return counts


def parameters_of(criterion, n_classes):
    """(name, alpha, class scores, whether children count by their share), with defaults for what is not given."""
    name, given = (criterion, {}) if isinstance(criterion, str) else criterion
    scores = given.get("class_scores")
    return name, given.get("alpha", 1.0), range(n_classes) if scores is None else scores, given.get("weighted", True)


def judges_sequence(criterion):
    """Whether the criterion sees the labels in the order of the rows, which then have no weights."""
    return name_of(criterion) in ("etc", "user_sequence")


def user_criterion_of(criterion):
    """The criterion as an object, and the numbers of the rows where they are not 0, 1, 2, ...; None, None if it is the
    engine's own."""
    given = {} if isinstance(criterion, str) else criterion[1]
    return given.get("criterion"), given.get("rows")


def name_of(criterion):
    return criterion if isinstance(criterion, str) else criterion[0]


def is_rational(criterion, n_classes):
    """Whether gains are rational in whole class counts, and so compared exactly."""
    name, _, scores, _ = parameters_of(criterion, n_classes)
    return name != "wig" and all(score == int(score) for score in scores)


def count_gain(criterion, node, left, n_classes):
    """Gain of a cut by a criterion on class counts, for the (label, weight) pairs of the node and of its left child."""
    node, left = counted(node, n_classes), counted(left, n_classes)
    return gain_of_counts(criterion, node, [left, remainder(node, left)])


def counted(rows, n_classes):
    """The class counts of (label, weight) pairs and their total, added up in the order of the rows."""
    labels, weights = zip(*rows, strict=True)
    return class_counts(labels, weights, n_classes), add_up(weights)


def remainder(node, child):
    """What a child leaves of a node: class counts and total."""
    return subtracted(node[0], child[0]), node[1] - child[1]


def gain_of_counts(criterion, node, children):
    """Gain of a split by a criterion on class counts, given those of the node and its children, and their totals."""
    name, _, scores, is_weighted = parameters_of(criterion, len(node[0]))
    if not is_rational(criterion, len(node[0])) or isinstance(node[1], float):
        return weighted_gain(criterion, node, children)
    if name in RATIOS + MATCHINGS:
        return clustering_gain(name, node[0], *transposed(node, children))
    impurity = {"gini": gini, "entropy": entropy, "ogini": ogini, "ranking": partial(ranking, scores=scores)}[name]
    gain = impurity(node[0])
    for counts, total in children:
        gain -= (Fraction(total, node[1]) if is_weighted else 1) * impurity(counts)
    return gain


def transposed(node, children):
    """The class counts of the children, and the totals of the node and of them."""
    return [counts for counts, _ in children], [node[1], *(total for _, total in children)]


def weighted_gain(criterion, node, children):
    """The same in floating point."""
    node_weights, total = node[0], float(node[1])
    name, alpha, scores, is_weighted = parameters_of(criterion, len(node_weights))
    children = [(weights, float(child_total)) for weights, child_total in children]
    if name in RATIOS + MATCHINGS:
        return clustering_gain(name, node_weights, *transposed((node_weights, total), children))
    impurity = {
        "gini": weighted_gini,
        "entropy": weighted_entropy,
        "ogini": weighted_ogini,
        "wig": partial(wig, class_weights=class_weights(scores, alpha)),
        "ranking": partial(weighted_ranking, scores=scores),
    }[name]
    gain = impurity(node_weights, total)
    for weights, child_total in children:
        gain -= child_total / total * impurity(weights, child_total) if is_weighted else impurity(weights, child_total)
    return gain


def add_up(numbers):
    """Plain addition from left to right: since Python 3.12 `sum` compensates the rounding of floats."""
    total = 0
    for number in numbers:
        total += number
    return total


def etc_gain(labels, values, n_classes):
    """ETC gain (Eq. 1): ETC(S) - sum over the values v of |S_v| / |S| ETC(S_v), S_v being S thinned to the rows of the
    value: of a cut True for the rows that go left and False for the others, of a categorical feature its own."""
    gain = etc(labels, n_classes)
    for child_value in sorted(set(values)):
        child = [label for label, value in zip(labels, values, strict=True) if value == child_value]
        gain -= Fraction(len(child), len(labels)) * etc(child, n_classes)
    return gain


def reported(criterion, gain):
    """The double nearest to a gain. Entropy never rises: what the rounded table takes below zero is zero."""
    if criterion in ("entropy", *RATIOS) and not isinstance(gain, float):
        gain = max(gain, 0)
    return float(gain)


def is_greater(gain, other):
    """Exactly for exact gains, otherwise by more than the tolerance."""
    if isinstance(gain, float):
        return gain - other > TOLERANCE * max(1.0, abs(other))
    return gain > other
