"""Gain of a split by category from whole counts, inlined where it is cimported."""

from pytrees._core.criteria.children cimport ChildCounts, QuotientSum
from pytrees._core.criteria.children_scores cimport add_score, two_best
from pytrees._core.criteria.clusterings cimport JaccardScan
from pytrees._core.criteria.counts cimport (
    NLOGN_FRACTION_BITS,
    ClassCounts,
    move_left,
    offer,
    start_feature,
    start_scan,
)
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.base.types cimport (
    ACCURACY,
    ENTROPY,
    GINI,
    JACCARD,
    MAE,
    NONE,
    NVI,
    OGINI,
    RANKING,
    float64_t,
    index_t,
    int64_t,
    int128_t,
)


cdef inline int64_t sum_of_squares(ClassCounts node, const int64_t* counts) noexcept nogil:
    """Of the class counts, and for ordinal Gini of those of the classes up to each."""
    cdef index_t label
    cdef int64_t cumulative = 0, total = 0
    for label in range(node.n_classes):
        cumulative = counts[label] + (cumulative if node.code == OGINI else 0)
        total += cumulative * cumulative
    return total


cdef inline int64_t ranking_form(ClassCounts node, const int64_t* counts) noexcept nogil:
    """For every class the sum over the lower ones, as v_q sum of N_j - sum of v_j N_j; the lowest score counts as 0."""
    cdef index_t label
    cdef int64_t impurity = 0, lower = 0, lower_scores = 0, score
    for label in range(node.n_classes):
        score = node.kernel[0, label]
        impurity += counts[label] * (score * lower - lower_scores)
        lower += counts[label]
        lower_scores += score * counts[label]
    return impurity


cdef inline int64_t sum_of_n_log2_n(ClassCounts node, const int64_t* counts) noexcept nogil:
    cdef index_t label
    cdef int64_t total = 0
    for label in range(node.n_classes):
        total += node.table[counts[label]]
    return total


cdef inline void end_whole_child(ChildCounts children) noexcept nogil:
    cdef const int64_t* counts = &children.counts[0]
    cdef index_t label
    cdef int64_t total = 0, form
    cdef int64_t[2] scores
    for label in range(children.node.n_classes):
        total += counts[label]
    if children.node.code == GINI or children.node.code == OGINI:
        _add_quotient(&children.present.terms, sum_of_squares(children.node, counts), total)
    elif children.node.code == RANKING:
        form = ranking_form(children.node, counts)
        children.cost += <int128_t> total * form if children.node.weighs_children else form
    elif children.node.code == JACCARD:
        if children.n_children == 2:
            _match_first_child(children)
        else:
            _add_to_cluster(children, total)
    elif children.node.code == ACCURACY or children.node.code == MAE:
        label = two_best(counts, children.node.n_classes, children.node.code == MAE, scores)
        add_score(children, label, scores, &children.score, &children.least_loss)
    else:
        children.joint_sum += sum_of_n_log2_n(children.node, counts)
        children.size_sum += children.node.table[total]


cdef inline void _add_quotient(QuotientSum* total, int64_t numerator, int64_t denominator) noexcept nogil:
    total.terms[total.n_terms].numerator = numerator
    total.terms[total.n_terms].denominator = denominator
    total.n_terms += 1
    total.value += <float64_t> numerator / <float64_t> denominator


cdef inline void _match_first_child(ChildCounts children) noexcept nogil:
    """Of two children, as of a cut: that of the first one and of what it leaves."""
    cdef JaccardScan scan
    cdef index_t label
    if children.n_ended == 1:
        return
    start_scan(&scan, children.node)
    start_feature(&scan)
    for label in range(children.node.n_classes):
        move_left(&scan, label, children.counts[label])
    offer(&scan)
    _add_quotient(&children.present.terms, scan.best_numerator, scan.best_denominator)


cdef inline void _add_to_cluster(ChildCounts children, int64_t total) noexcept nogil:
    """The child stands for its majority, the lowest class of several."""
    cdef index_t label, majority = 0
    for label in range(1, children.node.n_classes):
        if children.counts[label] > children.counts[majority]:
            majority = label
    children.cluster_sizes[majority] += total
    children.cluster_counts[majority] += children.counts[majority]
    if children.n_ended == 0:
        children.label_of_all = majority
    elif majority != children.label_of_all:
        children.label_of_all = NONE
    if majority == children.label_of_all:
        _offer_exchange(children, majority, total)


cdef inline void _offer_exchange(ChildCounts children, index_t majority, int64_t total) noexcept nogil:
    """The child could stand for another class than all others: keep the best sum of two similarities."""
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
        children.exchange.numerator = numerator
        children.exchange.denominator = denominator


cdef inline void add_clusters(ChildCounts children) noexcept nogil:
    """The similarities of all children of a majority, taken together, to that class."""
    cdef index_t label
    cdef int64_t both
    if children.label_of_all != NONE:
        _add_quotient(&children.present.terms, children.exchange.numerator, children.exchange.denominator)
        return
    for label in range(children.node.n_classes):
        if children.cluster_sizes[label] > 0:
            both = children.cluster_counts[label]
            _add_quotient(
                &children.present.terms, both,
                children.cluster_sizes[label] + children.node.total_counts[label] - both,
            )


cdef inline Gain whole_gain(ChildCounts children) noexcept nogil:
    """Of criteria whose gain is one fraction."""
    cdef int64_t total_sum, gained, denominator
    cdef int128_t form
    cdef Gain gain
    if children.node.code == RANKING:
        form = children.node_sum
        if children.node.weighs_children:
            return exact_gain(form * children.total - children.cost, 1, children.total)
        return exact_gain((form - children.cost) * children.total, 1, children.total)
    if children.node.code == ACCURACY or children.node.code == MAE:
        gained = children.score - (children.least_loss if children.label_of_all != NONE else 0)
        return exact_gain(gained - children.node_sum, 1, children.total)
    total_sum = children.node.table[children.total]
    gained = total_sum - children.node_sum + children.joint_sum - children.size_sum
    if children.node.code == ENTROPY:
        gain = exact_gain(gained, 1 << NLOGN_FRACTION_BITS, children.total)
    else:
        denominator = total_sum - (children.joint_sum if children.node.code == NVI else children.size_sum)
        gain = exact_gain(<int128_t> gained * children.total, denominator, children.total)
    # The rounding of the table can take a gain of nothing below zero.
    if gain.value < 0.0:
        gain.value = 0.0
    return gain
