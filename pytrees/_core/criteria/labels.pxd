"""Children that are labelled with classes: the two best scores of a child, and the match of two children.

Jaccard similarity, accuracy and mean absolute error ask which class a child stands for. A child's score as a class is
the similarity, the samples that are right, or minus the sum of the absolute errors.
"""

from libc.math cimport INFINITY

from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.weighted cimport BY_ERRORS, BY_HITS, BY_OVERLAP, WeightedScan, class_weight

ctypedef fused Score:
    int64_t
    float64_t


cdef inline void forget_scores(Score* scores) noexcept nogil:
    """Set both scores below every real score, but so that two of them can be added."""
    if Score is int64_t:
        scores[0] = scores[1] = -(<int64_t> 1 << 62)
    else:
        scores[0] = scores[1] = -INFINITY


cdef inline void take_score(index_t label, Score score, index_t* best, Score* scores) noexcept nogil:
    """Update the two best scores and the best label."""
    if score <= scores[1]:
        return
    if score <= scores[0]:
        scores[1] = score
        return
    scores[1] = scores[0]
    scores[0] = score
    best[0] = label


cdef inline Score matched(
    index_t left, const Score* left_scores, index_t right, const Score* right_scores
) noexcept nogil:
    """Return the greatest sum of the scores of two different classes: if both children are best as the same class, one
    of them takes its second-best class."""
    if left != right:
        return left_scores[0] + right_scores[0]
    return max(left_scores[0] + right_scores[1], left_scores[1] + right_scores[0])


cdef inline index_t two_best(const Score* counts, index_t n_classes, bint counts_errors, Score* scores) noexcept nogil:
    """Write the two best scores of a child of these class counts, and return its best class, the lowest of several.

    The scores are the counts, or with `counts_errors` minus the sums of the absolute errors.
    """
    cdef index_t label, best = 0
    cdef Score error = 0, below = 0, total = 0
    forget_scores(scores)
    if counts_errors:
        for label in range(n_classes):
            total += counts[label]
            error += label * counts[label]
    for label in range(n_classes):
        take_score(label, -error if counts_errors else counts[label], &best, scores)
        if counts_errors:
            below += counts[label]
            error += below - (total - below)
    return best


cdef inline index_t majority_of(const Score* counts, index_t n_classes) noexcept nogil:
    """Return the class of the greatest count, the lowest of several."""
    cdef index_t label, majority = 0
    for label in range(1, n_classes):
        if counts[label] > counts[majority]:
            majority = label
    return majority


cdef inline void note_label(ChildCounts children, index_t label) noexcept nogil:
    """Note the best class of a child: whether all children so far are best as the same class."""
    if children.n_ended == 0:
        children.label_of_all = label
    elif label != children.label_of_all:
        children.label_of_all = NONE


cdef inline void add_score(
    ChildCounts children, index_t label, const Score* scores, Score* total, Score* least_loss
) noexcept nogil:
    """Add a child's best score to the total, and keep the least loss of labelling one child with another class. If all
    children are best as the same class, one of them must be labelled otherwise."""
    cdef Score loss = scores[0] - scores[1]
    total[0] += scores[0]
    note_label(children, label)
    if children.n_ended == 0 or label == children.label_of_all and loss < least_loss[0]:
        least_loss[0] = loss


# ------------------------------------------------------------------------------ weights that are not whole numbers

cdef inline float64_t weighted_similarity(float64_t both, float64_t size, float64_t in_node) noexcept nogil:
    """Jaccard similarity of a child of weight `size` and a class of weight `in_node`."""
    cdef float64_t either = size + in_node - both
    return both / either if either > 0.0 else 0.0


cdef inline float64_t _score(
    const WeightedScan* scan, float64_t weight, float64_t in_node, float64_t total, float64_t error
) noexcept nogil:
    """Score of assigning a class to a child of weight `total` that holds `weight` of this class."""
    if scan.match == BY_OVERLAP:
        return weighted_similarity(weight, total, in_node)
    return weight if scan.match == BY_HITS else -error


cdef inline index_t _two_best_of(
    const WeightedScan* scan, int side, float64_t total, float64_t* scores
) noexcept nogil:
    """Write the two best scores of the node (0), its left child (1) or its right child (2), whose weight is `total`,
    and return its best class, the lowest of several."""
    cdef index_t label, best = 0
    cdef float64_t error = 0.0, below = 0.0, added_up = 0.0, weight
    forget_scores(scores)
    if scan.match == BY_ERRORS:
        for label in range(scan.n_classes):
            weight = class_weight(scan, side, label)
            added_up += weight
            error += label * weight
    for label in range(scan.n_classes):
        weight = class_weight(scan, side, label)
        take_score(label, _score(scan, weight, scan.total_counts[label], total, error), &best, scores)
        below += weight
        error += below - (added_up - below)
    return best


cdef inline float64_t best_score_of_node(const WeightedScan* scan) noexcept nogil:
    """Return the best score of the undivided node."""
    cdef float64_t[2] scores
    _two_best_of(scan, 0, scan.total, scores)
    return scores[0]


cdef inline float64_t gain_of_match(const WeightedScan* scan) noexcept nogil:
    """Return what the best labels of the two children score more than the undivided node."""
    cdef float64_t[2] left_scores, right_scores
    cdef index_t left = _two_best_of(scan, 1, scan.left_total, left_scores)
    cdef index_t right = _two_best_of(scan, 2, scan.total - scan.left_total, right_scores)
    cdef float64_t gain = matched(left, left_scores, right, right_scores) - scan.node_impurity
    if scan.match == BY_OVERLAP:
        return gain
    return gain / scan.total if scan.total > 0.0 else 0.0
