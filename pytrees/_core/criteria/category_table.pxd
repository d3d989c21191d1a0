"""The table of splits by category: what a criterion adds up over the children, and the gain of all of them."""

from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.criteria.children cimport ChildCounts, offer_gain, offer_sum
from pytrees._core.criteria.codes cimport (
    ACCURACY, ENTROPY, GINI, JACCARD, MAE, ORDINAL_GINI, RANKING, VI, refuse_code, takes_ratio,
)
from pytrees._core.criteria.counts cimport sum_of_counts, sum_of_n_log2_n
from pytrees._core.criteria.entropy cimport end_information_child, entropy_gain_of_children, variation_gain_of_children
from pytrees._core.criteria.gain cimport Gain, tolerant_gain
from pytrees._core.criteria.gini cimport end_gini_child, start_gini_node
from pytrees._core.criteria.jaccard cimport add_jaccard_clusters, end_jaccard_child, start_jaccard_node
from pytrees._core.criteria.labelled cimport end_labelled_child, labelled_gain_of_children, start_labelled_node
from pytrees._core.criteria.logarithms cimport NO_INFORMATION
from pytrees._core.criteria.ordinal_gini cimport end_ordinal_gini_child, start_ordinal_gini_node
from pytrees._core.criteria.ranking cimport end_ranking_child, ranking_gain_of_children, start_ranking_node
from pytrees._core.criteria.ratios cimport ratio_gain_of_children
from pytrees._core.criteria.wide cimport gain_of_wide_children
from pytrees._core.criteria.wig cimport wig_gain_of_children


cdef inline int start_whole_node(ChildCounts children) except -1 nogil:
    """Compute what a node whose classes are counted adds to the gains of its splits."""
    children.scale = 1
    children.base.denominator = max(children.total, 1)
    if children.node.code == GINI:
        start_gini_node(children)
    elif children.node.code == ORDINAL_GINI:
        start_ordinal_gini_node(children)
    elif children.node.code == JACCARD:
        start_jaccard_node(children)
    elif children.node.code == RANKING:
        start_ranking_node(children)
    elif children.node.code == ACCURACY or children.node.code == MAE:
        start_labelled_node(children, children.node.code == MAE)
    elif children.node.form != NO_INFORMATION:
        children.node_sum = sum_of_n_log2_n(
            &children.node.table[0], &children.node.total_counts[0], children.node.n_classes
        )
    else:
        return refuse_code(children.node.code)
    return 0


cdef inline int end_whole_child(ChildCounts children) except -1 nogil:
    """Add a child, whose classes are counted, to the gain of the split."""
    cdef int64_t total = sum_of_counts(&children.counts[0], children.node.n_classes)
    if children.node.code == GINI:
        end_gini_child(children, total)
    elif children.node.code == ORDINAL_GINI:
        end_ordinal_gini_child(children, total)
    elif children.node.code == JACCARD:
        end_jaccard_child(children, total)
    elif children.node.code == RANKING:
        end_ranking_child(children, total)
    elif children.node.code == ACCURACY or children.node.code == MAE:
        end_labelled_child(children, children.node.code == MAE)
    elif children.node.form != NO_INFORMATION:
        end_information_child(children, total)
    else:
        return refuse_code(children.node.code)
    return 0


cdef inline void complete_sum(ChildCounts children) noexcept nogil:
    """Complete a gain that is a sum of fractions by the terms that need all children."""
    if children.node.code == JACCARD and children.n_children > 2:
        add_jaccard_clusters(children)


cdef inline int whole_gain(ChildCounts children, Gain* gain) except -1 nogil:
    """Write the gain of a split by a criterion whose gain is one fraction."""
    if children.node.code == RANKING:
        gain[0] = ranking_gain_of_children(children)
    elif children.node.code == ACCURACY or children.node.code == MAE:
        gain[0] = labelled_gain_of_children(children)
    elif children.node.code == ENTROPY:
        entropy_gain_of_children(children, gain)
    elif takes_ratio(children.node.code):
        ratio_gain_of_children(children, gain)
    elif children.node.code == VI:
        variation_gain_of_children(children, gain)
    else:
        return refuse_code(children.node.code)
    return 0


cdef inline int add_child(ChildCounts children) except -1 nogil:
    """Add a child whose classes are counted to the gain of the split."""
    return end_whole_child(children)


cdef inline int offer_split(ChildCounts children) except -1 nogil:
    """Keep the split whose children have been added if it is better than the best of the node so far."""
    cdef Gain gain
    cdef float64_t error
    if children.keeps_counts and children.node.is_wide:
        gain = tolerant_gain(
            gain_of_wide_children(&children.scan, children.present.counts, children.n_children, &error),
            <float64_t> children.total,
        )
        gain.error = error * <float64_t> children.total
    elif children.keeps_counts:
        gain = tolerant_gain(
            wig_gain_of_children(children.node, children.present.counts, children.n_children, children.total),
            <float64_t> children.total,
        )
    elif children.sums_fractions:
        complete_sum(children)
        return offer_sum(children)
    else:
        whole_gain(children, &gain)
    return offer_gain(children, children.present.feature, children.n_children, &gain)
