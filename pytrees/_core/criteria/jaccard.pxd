"""Jaccard similarity of the children to two different classes, summed.

F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", Section 1.1. More than two children stand for
their majority classes, and children of one majority are taken together.
"""

from pytrees._core.base.types cimport NONE, float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.children cimport ChildCounts, Quotient, add_quotient
from pytrees._core.criteria.counts cimport sum_of_counts
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.labels cimport majority_of, note_label


cdef struct Overlap:
    int64_t both, either    # rows of the child and the class: their quotient is the Jaccard similarity


cdef struct Overlaps:
    # The class that is most similar to a child, and the two best similarities.
    index_t label
    Overlap first, second


cdef struct JaccardScan:
    # The children are matched with two different classes so that the sum of the similarities is the greatest.
    index_t n_classes
    const int64_t* total_counts
    int64_t* left_counts
    int64_t total, left_total, next_left, next_with_missing, largest_count
    float64_t best_similarity           # nearly best_numerator / best_denominator
    int64_t best_numerator, best_denominator        # of 2**31 rows below 2**63; the latter is 0 before the first cut


cdef inline void start_jaccard(JaccardScan* scan) noexcept nogil:
    cdef index_t label
    scan.largest_count = 0
    for label in range(scan.n_classes):
        scan.largest_count = max(scan.largest_count, scan.total_counts[label])
    scan.best_numerator = scan.best_denominator = 0
    scan.best_similarity = 0.0


cdef inline bint _exceeds(const Overlap* a, const Overlap* b) noexcept nogil:
    return a.both * b.either > b.both * a.either


cdef inline void _take_overlap(Overlaps* overlaps, index_t label, int64_t both, int64_t either) noexcept nogil:
    cdef Overlap overlap = Overlap(both, either)
    if not _exceeds(&overlap, &overlaps.second):
        return
    if not _exceeds(&overlap, &overlaps.first):
        overlaps.second = overlap
        return
    overlaps.second = overlaps.first
    overlaps.first = overlap
    overlaps.label = label


cdef inline bint offer_jaccard(JaccardScan* scan) noexcept nogil:
    cdef Overlaps left, right
    cdef index_t label
    cdef int64_t count, in_node
    cdef float64_t similarity = 0.0
    cdef bint is_kept
    if scan.left_total < scan.next_left:
        return False
    # A similarity of 0 is right to start with: with two or more classes, each child has two classes of at least this
    # similarity.
    left.label = right.label = 0
    left.first.both = left.second.both = right.first.both = right.second.both = 0
    left.first.either = left.second.either = right.first.either = right.second.either = 1
    for label in range(scan.n_classes):
        in_node = scan.total_counts[label]
        count = scan.left_counts[label]
        if count > 0:
            _take_overlap(&left, label, count, scan.left_total + in_node - count)
        if count < in_node:
            _take_overlap(&right, label, in_node - count, scan.total - scan.left_total + count)
    if left.label != right.label:
        is_kept = _offer_pair(scan, &left.first, &right.first, &similarity)
    else:
        is_kept = _offer_pair(scan, &left.first, &right.second, &similarity)
        is_kept = _offer_pair(scan, &left.second, &right.first, &similarity) or is_kept
    if not is_kept:
        _pass_over(scan, similarity, <float64_t> right.first.both / <float64_t> right.first.either)
    return is_kept


cdef inline bint _offer_pair(
    JaccardScan* scan, const Overlap* left, const Overlap* right, float64_t* similarity
) noexcept nogil:
    """Keep the sum of two similarities if it beats the best so far; `similarity` becomes about the greatest sum of this
    cut."""
    cdef float64_t present = (
        <float64_t> left.both / <float64_t> left.either + <float64_t> right.both / <float64_t> right.either
    )
    cdef int64_t numerator, denominator
    similarity[0] = max(similarity[0], present)
    # Either sum is rounded by less than 1e-15.
    if present < scan.best_similarity - 4e-15:
        return False
    numerator = left.both * right.either + right.both * left.either
    denominator = left.either * right.either
    if (
        present <= scan.best_similarity + 4e-15 and scan.best_denominator > 0
        and <int128_t> numerator * scan.best_denominator <= <int128_t> scan.best_numerator * denominator
    ):
        return False
    scan.best_similarity = present
    scan.best_numerator = numerator
    scan.best_denominator = denominator
    return True


cdef inline void _pass_over(JaccardScan* scan, float64_t similarity, float64_t right_similarity) noexcept nogil:
    """Set `next_left` from a sum of similarities that is not better than the best, and the right child's best."""
    cdef float64_t missing = scan.best_similarity - similarity - 1e-14
    cdef float64_t left_total = <float64_t> scan.left_total, right_total = <float64_t> (scan.total - scan.left_total)
    # While m rows move, a similarity to the left child rises by at most m / L, because its L rows are in the union. A
    # similarity J to the right child, whose union loses at most m of at least R rows, rises by at most J m / (R - m),
    # which is at most 2 J m / R for up to half of the rows.
    if missing > 0.0:
        scan.next_left = scan.left_total + 1 + <int64_t> min(
            missing * left_total * right_total / (right_total + 2.0 * right_similarity * left_total), 0.5 * right_total
        )


cdef inline bint is_perfect_jaccard(const JaccardScan* scan) noexcept nogil:
    """No similarity exceeds 1."""
    return scan.best_denominator > 0 and scan.best_numerator == 2 * scan.best_denominator


cdef inline int64_t _similarity_of_node(int64_t largest_count, int64_t total) noexcept nogil:
    """Return the similarity of a node to its most frequent class, times its rows. In a node of one class, a child must
    stand for a class without rows: the child differs from this class, and the undivided node does not."""
    return largest_count if largest_count < total else 2 * total


cdef inline Gain gain_of_jaccard(const JaccardScan* scan) noexcept nogil:
    return exact_gain(
        <int128_t> scan.best_numerator * scan.total
        - <int128_t> _similarity_of_node(scan.largest_count, scan.total) * scan.best_denominator,
        scan.best_denominator, scan.total,
    )


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline void start_jaccard_node(ChildCounts children) noexcept nogil:
    cdef index_t label
    children.scale = children.total
    children.base.denominator = 1
    children.base.numerator = 0
    for label in range(children.node.n_classes):
        children.base.numerator = max(children.base.numerator, children.node.total_counts[label])
    children.base.numerator = _similarity_of_node(children.base.numerator, children.total)


cdef inline void end_jaccard_child(ChildCounts children, int64_t total) noexcept nogil:
    if children.n_children > 2:
        _add_to_cluster(children, total)
    elif children.n_ended == 0:
        _match_first_child(children)


cdef inline void _match_first_child(ChildCounts children) noexcept nogil:
    """Add the similarities of the first of two children and of what it leaves, as at a cut."""
    cdef JaccardScan scan
    cdef index_t label
    scan.n_classes = children.node.n_classes
    scan.total_counts = &children.node.total_counts[0]
    scan.left_counts = &children.node.left_counts[0]
    scan.total = children.total
    scan.left_total = sum_of_counts(&children.counts[0], scan.n_classes)
    scan.next_left = 0
    for label in range(scan.n_classes):
        scan.left_counts[label] = children.counts[label]
    start_jaccard(&scan)
    offer_jaccard(&scan)
    add_quotient(&children.present.terms, scan.best_numerator, scan.best_denominator)


cdef inline void _add_to_cluster(ChildCounts children, int64_t total) noexcept nogil:
    """Let the child stand for its majority, the lowest class of several."""
    cdef index_t majority = majority_of(&children.counts[0], children.node.n_classes)
    children.cluster_sizes[majority] += total
    children.cluster_counts[majority] += children.counts[majority]
    note_label(children, majority)
    if majority == children.label_of_all:
        _offer_exchange(children, majority, total)


cdef inline void _offer_exchange(ChildCounts children, index_t majority, int64_t total) noexcept nogil:
    """Let the child stand for another class than all others: keep the best sum of two similarities."""
    cdef const int64_t* in_node = &children.node.total_counts[0]
    cdef int64_t both = in_node[majority] - children.counts[majority], either
    cdef int64_t rest_both = both, rest_either = children.total - total + in_node[majority] - both
    cdef int64_t best_both = 0, best_either = 1, numerator, denominator
    cdef index_t label
    for label in range(children.node.n_classes):
        both = children.counts[label]
        either = total + in_node[label] - both
        if label != majority and both * best_either > best_both * either:
            best_both = both
            best_either = either
    numerator = rest_both * best_either + best_both * rest_either
    denominator = rest_either * best_either
    if <int128_t> numerator * children.exchange.denominator > <int128_t> children.exchange.numerator * denominator:
        children.exchange = Quotient(numerator, denominator)


cdef inline void add_jaccard_clusters(ChildCounts children) noexcept nogil:
    """Add the similarities of all children of a majority, taken together, to that class."""
    cdef index_t label
    cdef int64_t both
    if children.label_of_all != NONE:
        add_quotient(&children.present.terms, children.exchange.numerator, children.exchange.denominator)
        return
    for label in range(children.node.n_classes):
        if children.cluster_sizes[label] > 0:
            both = children.cluster_counts[label]
            add_quotient(
                &children.present.terms, both,
                children.cluster_sizes[label] + children.node.total_counts[label] - both,
            )
