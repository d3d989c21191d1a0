"""Children that are labelled with classes: the two best scores of a child, and the match of two children.

Jaccard similarity, accuracy and mean absolute error ask which class a child stands for. A child's score as a class is
the similarity, the samples that are right, or minus the sum of the absolute errors.
"""

from pytrees._core.base.types cimport NONE, index_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport Count


cdef inline void forget_scores(int64_t* scores) noexcept nogil:
    """Set both scores below every real score, but so that two of them can be added."""
    scores[0] = scores[1] = -(<int64_t> 1 << 62)


cdef inline void take_score(index_t label, int64_t score, index_t* best, int64_t* scores) noexcept nogil:
    """Update the two best scores and the best label."""
    if score <= scores[1]:
        return
    if score <= scores[0]:
        scores[1] = score
        return
    scores[1] = scores[0]
    scores[0] = score
    best[0] = label


cdef inline int64_t matched(
    index_t left, const int64_t* left_scores, index_t right, const int64_t* right_scores
) noexcept nogil:
    """Return the greatest sum of the scores of two different classes: if both children are best as the same class, one
    of them takes its second-best class."""
    if left != right:
        return left_scores[0] + right_scores[0]
    return max(left_scores[0] + right_scores[1], left_scores[1] + right_scores[0])


cdef inline index_t two_best(
    const int64_t* counts, index_t n_classes, bint counts_errors, int64_t* scores
) noexcept nogil:
    """Write the two best scores of a child of these class counts, and return its best class, the lowest of several.

    The scores are the counts, or with `counts_errors` minus the sums of the absolute errors.
    """
    cdef index_t label, best = 0
    cdef int64_t error = 0, below = 0, total = 0
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


cdef inline index_t majority_of(const Count* counts, index_t n_classes) noexcept nogil:
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


cdef inline void add_score(ChildCounts children, index_t label, const int64_t* scores) noexcept nogil:
    """Add a child's best score to the total, and keep the least loss of labelling one child with another class. If all
    children are best as the same class, one of them must be labelled otherwise."""
    cdef int64_t loss = scores[0] - scores[1]
    children.score += scores[0]
    note_label(children, label)
    if children.n_ended == 0 or label == children.label_of_all and loss < children.least_loss:
        children.least_loss = loss
