"""Ranking impurity: sum over the pairs of classes j < q of (v_q - v_j) N_q N_j, or with other costs in the place of
v_q - v_j (Eq. 11 of R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study",
2024)."""

from pytrees._core.base.types cimport float64_t, index_t, int64_t
from pytrees._core.base.wide cimport int128_t
from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.counts cimport ClassCounts, sum_of_counts
from pytrees._core.criteria.quadratic_form cimport FormRows, form_of_node, move_in_rows, start_forms, start_rows
from pytrees._core.criteria.gain cimport Gain, exact_gain

cdef enum:
    LARGEST_INT64 = 9223372036854775807


cdef struct RankingScan:
    # The gain falls as L q(left) + R q(right) grows, or q(left) + q(right) if children are not weighted, q being the
    # form of the kernel |v_i - v_j|, or of other costs.
    FormRows rows
    bint weighs_children
    int64_t total, total_form, left_total, left_form, right_form
    bint is_small                   # costs are below 2**62
    int64_t best_small_cost         # if so: 2**63 - 1 before the first one
    bint has_best
    int128_t best_cost


cdef struct BinaryRankingScan:
    # With two classes, the form is a product: the gain falls as L l_0 l_1 + R r_0 r_1 grows, or l_0 l_1 + r_0 r_1 if
    # children are not weighted. l_k are the samples of class k in the left child, r_k in the right child.
    bint weighs_children
    int64_t cost_of_pair
    int64_t unit                    # 1, or 0 if pairs cost nothing: then all cuts are alike
    int64_t total, left_total
    int64_t total_counts[2]
    int64_t left_counts[2]
    bint is_small                   # costs are below 2**62
    int64_t best_small_cost         # if so: 2**63 - 1 before the first one
    bint has_best
    int128_t best_cost


ctypedef fused AnyRankingScan:
    RankingScan
    BinaryRankingScan


cdef inline void start_ranking(RankingScan* scan, ClassCounts counts) noexcept nogil:
    scan.weighs_children = counts.weighs_children
    scan.total = sum_of_counts(&counts.total_counts[0], counts.n_classes)
    start_forms(&scan.rows, counts)
    scan.total_form = form_of_node(counts)
    # Children's forms are not greater than the node's.
    scan.is_small = <float64_t> scan.total * <float64_t> scan.total_form < 2.0**62
    forget_best_ranking(scan)


cdef inline void forget_best_ranking(AnyRankingScan* scan) noexcept nogil:
    scan.best_small_cost = LARGEST_INT64
    scan.best_cost = 0
    scan.has_best = False


cdef inline void start_ranking_feature(RankingScan* scan) noexcept nogil:
    scan.left_total = scan.left_form = 0
    scan.right_form = scan.total_form
    start_rows(&scan.rows)


cdef inline void move_ranking(RankingScan* scan, index_t label, int64_t weight) noexcept nogil:
    cdef int64_t added = move_in_rows(&scan.rows, label, weight)
    scan.left_total += weight
    scan.left_form += added
    scan.right_form += added - weight * scan.rows.node_rows[label]


cdef inline bint offer_ranking(AnyRankingScan* scan) noexcept nogil:
    if AnyRankingScan is RankingScan:
        return _offer_forms(scan)
    else:
        return _offer_products(scan)


cdef inline bint _keep_small_cost(AnyRankingScan* scan, int64_t cost) noexcept nogil:
    """Keep a cut whose cost is below 2**62, if it costs less than the best cut so far."""
    if cost >= scan.best_small_cost:
        return False
    scan.best_small_cost = cost
    scan.best_cost = cost
    scan.has_best = True
    return True


cdef inline bint _keep_cost(AnyRankingScan* scan, int128_t cost) noexcept nogil:
    if scan.has_best and cost >= scan.best_cost:
        return False
    scan.has_best = True
    scan.best_cost = cost
    return True


cdef inline bint _offer_forms(RankingScan* scan) noexcept nogil:
    cdef int64_t right_total = scan.total - scan.left_total
    if not scan.weighs_children:
        if scan.is_small:
            return _keep_small_cost(scan, scan.left_form + scan.right_form)
        return _keep_cost(scan, scan.left_form + scan.right_form)
    if scan.is_small:
        return _keep_small_cost(scan, scan.left_total * scan.left_form + right_total * scan.right_form)
    return _keep_cost(scan, <int128_t> scan.left_total * scan.left_form + <int128_t> right_total * scan.right_form)


cdef inline bint _offer_products(BinaryRankingScan* scan) noexcept nogil:
    cdef int64_t left_0 = scan.left_counts[0], left_1 = scan.left_counts[1]
    cdef int64_t right_0 = scan.total_counts[0] - left_0, right_1 = scan.total_counts[1] - left_1
    cdef int64_t left_factor = scan.unit, right_factor = scan.unit
    if scan.weighs_children:
        left_factor *= scan.left_total
        right_factor *= scan.total - scan.left_total
    if scan.is_small:
        return _keep_small_cost(scan, left_factor * left_0 * left_1 + right_factor * right_0 * right_1)
    return _keep_cost(scan, <int128_t> left_factor * left_0 * left_1 + <int128_t> right_factor * right_0 * right_1)


cdef inline Gain gain_of_ranking(const AnyRankingScan* scan) noexcept nogil:
    cdef int128_t form, less
    if AnyRankingScan is RankingScan:
        form = scan.total_form
    else:
        form = <int128_t> scan.total_counts[0] * scan.total_counts[1]
    less = form * scan.total - scan.best_cost if scan.weighs_children else (form - scan.best_cost) * scan.total
    if AnyRankingScan is BinaryRankingScan:
        less *= scan.cost_of_pair
    return exact_gain(less, 1, scan.total)


cdef inline bint is_perfect_ranking(const AnyRankingScan* scan) noexcept nogil:
    return scan.has_best and scan.best_cost == 0


# --------------------------------------------------------------------------------------------- ranking of two classes

cdef inline void start_binary_ranking(BinaryRankingScan* scan, ClassCounts counts) noexcept nogil:
    scan.weighs_children = counts.weighs_children
    scan.cost_of_pair = counts.kernel[0, 1]
    scan.unit = scan.cost_of_pair > 0
    scan.total_counts[0] = counts.total_counts[0]
    scan.total_counts[1] = counts.total_counts[1]
    scan.total = scan.total_counts[0] + scan.total_counts[1]
    scan.is_small = (
        <float64_t> scan.total * <float64_t> scan.total_counts[0] * <float64_t> scan.total_counts[1] < 2.0**62
    )
    forget_best_ranking(scan)


# ------------------------------------------------------------------------------------ children of a categorical split

cdef inline int64_t _ranking_form(ClassCounts node, const int64_t* counts) noexcept nogil:
    """Sum over every class its pairs with lower classes: costs, or v_q sum of N_j - sum of v_j N_j, with the lowest
    score as 0."""
    cdef index_t label, other
    cdef int64_t impurity = 0, lower = 0, lower_scores = 0, score
    if node.has_costs:
        for label in range(node.n_classes):
            for other in range(label):
                impurity += node.kernel[label, other] * counts[label] * counts[other]
        return impurity
    for label in range(node.n_classes):
        score = node.kernel[0, label]
        impurity += counts[label] * (score * lower - lower_scores)
        lower += counts[label]
        lower_scores += score * counts[label]
    return impurity


cdef inline Gain impurity_by_ranking(ClassCounts node) noexcept nogil:
    """Return the impurity of a node whose classes are counted, and which has samples."""
    cdef int64_t total = sum_of_counts(&node.total_counts[0], node.n_classes)
    return exact_gain(<int128_t> _ranking_form(node, &node.total_counts[0]) * total, 1, total)


cdef inline void start_ranking_node(ChildCounts children) noexcept nogil:
    children.node_sum = _ranking_form(children.node, &children.node.total_counts[0])


cdef inline void end_ranking_child(ChildCounts children, int64_t total) noexcept nogil:
    cdef int64_t form = _ranking_form(children.node, &children.counts[0])
    children.cost += <int128_t> total * form if children.node.weighs_children else form


cdef inline Gain ranking_gain_of_children(ChildCounts children) noexcept nogil:
    cdef int128_t form = children.node_sum
    if children.node.weighs_children:
        return exact_gain(form * children.total - children.cost, 1, children.total)
    return exact_gain((form - children.cost) * children.total, 1, children.total)
