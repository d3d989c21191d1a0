"""Accuracy and, for ordered classes, mean absolute error of children that are labelled with different classes.

F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1 (accuracy). Several of more than two
children may have the same label, but not all.
"""

from pytrees._core.base.types cimport NONE, index_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.labels cimport add_score, forget_scores, matched, take_score, two_best


cdef struct LabelledScan:
    # The children are labelled with two different classes so that the most rows are right, or the sum of the absolute
    # errors is the least. A sample that moves raises no score by more than `steepness`: after a score that misses the
    # best, the next cut that can exceed the best has `next_left` samples on the left.
    index_t n_classes
    bint counts_errors
    index_t first, last             # class of the node, two at least: no label beyond them has fewer errors
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, left_total, next_left, next_with_missing, steepness, node_score
    int64_t node_error, left_error  # with the label `first`
    bint has_best
    int64_t best_score


cdef inline void start_labelled(LabelledScan* scan, bint counts_errors) noexcept nogil:
    cdef index_t label, best = 0
    cdef int64_t error, below = 0
    cdef int64_t[2] scores
    scan.counts_errors = counts_errors
    scan.has_best = False
    scan.first = 0
    while scan.first < scan.n_classes - 1 and scan.total_counts[scan.first] == 0:
        scan.first += 1
    scan.last = scan.n_classes - 1
    while scan.last > scan.first and scan.total_counts[scan.last] == 0:
        scan.last -= 1
    # A node of one class, which no tree splits: its children need another label too.
    if scan.first == scan.last:
        scan.first = max(0, scan.first - 1)
        scan.last = min(scan.first + 1, scan.n_classes - 1)
    scan.steepness = max(1, scan.last - scan.first) if scan.counts_errors else 1
    scan.node_error = 0
    for label in range(scan.first, scan.last + 1):
        scan.node_error += (label - scan.first) * scan.total_counts[label]
    error = scan.node_error
    forget_scores(scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, -error if scan.counts_errors else scan.total_counts[label], &best, scores)
        below += scan.total_counts[label]
        error += 2 * below - scan.total
    scan.node_score = scores[0]


cdef inline bint offer_labelled(LabelledScan* scan) noexcept nogil:
    cdef int64_t score
    if scan.left_total < scan.next_left:
        return False
    score = _minus_errors(scan) if scan.counts_errors else _hits(scan)
    if scan.has_best and score <= scan.best_score:
        scan.next_left = scan.left_total + (scan.best_score - score) // scan.steepness + 1
        return False
    scan.has_best = True
    scan.best_score = score
    return True


cdef inline int64_t _hits(const LabelledScan* scan) noexcept nogil:
    cdef index_t label, left = 0, right = 0
    cdef int64_t[2] left_scores, right_scores
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, scan.left_counts[label], &left, left_scores)
        take_score(label, scan.total_counts[label] - scan.left_counts[label], &right, right_scores)
    return matched(left, left_scores, right, right_scores)


cdef inline int64_t _minus_errors(const LabelledScan* scan) noexcept nogil:
    """Return minus the least sum of absolute errors. From one label to the next, the errors of samples up to the former
    label grow by one, and the errors of the others fall by one."""
    cdef index_t label, left = 0, right = 0
    cdef int64_t left_error = scan.left_error, right_error = scan.node_error - scan.left_error
    cdef int64_t left_below = 0, right_below = 0, count, right_total = scan.total - scan.left_total
    cdef int64_t[2] left_scores, right_scores
    forget_scores(left_scores)
    forget_scores(right_scores)
    for label in range(scan.first, scan.last + 1):
        take_score(label, -left_error, &left, left_scores)
        take_score(label, -right_error, &right, right_scores)
        count = scan.left_counts[label]
        left_below += count
        left_error += 2 * left_below - scan.left_total
        right_below += scan.total_counts[label] - count
        right_error += 2 * right_below - right_total
    return matched(left, left_scores, right, right_scores)


cdef inline bint is_perfect_labelled(const LabelledScan* scan) noexcept nogil:
    return scan.has_best and scan.best_score == (0 if scan.counts_errors else scan.total)


cdef inline Gain gain_of_labelled(const LabelledScan* scan) noexcept nogil:
    return exact_gain(scan.best_score - scan.node_score, 1, scan.total)


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline void start_labelled_node(ChildCounts children, bint counts_errors) noexcept nogil:
    cdef int64_t[2] scores
    two_best(&children.node.total_counts[0], children.node.n_classes, counts_errors, scores)
    children.node_sum = scores[0]


cdef inline void end_labelled_child(ChildCounts children, bint counts_errors) noexcept nogil:
    cdef int64_t[2] scores
    cdef index_t label = two_best(&children.counts[0], children.node.n_classes, counts_errors, scores)
    add_score(children, label, scores)


cdef inline Gain labelled_gain_of_children(ChildCounts children) noexcept nogil:
    cdef int64_t score = children.score
    if children.label_of_all != NONE:
        score -= children.least_loss
    return exact_gain(score - children.node_sum, 1, children.total)
