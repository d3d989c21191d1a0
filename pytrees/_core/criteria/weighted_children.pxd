"""Gain of a split by category in floating point, inlined where it is cimported."""

from pytrees._core.criteria.children cimport ChildCounts
from pytrees._core.criteria.children_scores cimport add_score, two_best
from pytrees._core.criteria.clusterings cimport compares_clusterings, entropy_term, weighted_clustering_gain
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.base.types cimport GAIN_RATIO, JACCARD, MAE, NONE, NVI, float64_t, index_t
from pytrees._core.criteria.weighted cimport weighted_impurity


cdef inline void end_weighted_child(ChildCounts children) noexcept nogil:
    cdef index_t label
    cdef float64_t impurity
    cdef float64_t[2] scores
    if children.node.code == GAIN_RATIO or children.node.code == NVI:
        children.of_split -= entropy_term(children.weight, children.scan.total)
        for label in range(children.node.n_classes):
            children.joint -= entropy_term(children.weights[label], children.scan.total)
    elif compares_clusterings(children.node.code) and children.n_children == 2:
        if children.n_ended == 0:
            children.scan.left_total = children.weight
            children.gain = weighted_clustering_gain(&children.scan)
    elif children.node.code == JACCARD:
        _add_to_weighted_cluster(children)
    elif compares_clusterings(children.node.code):
        label = two_best(&children.weights[0], children.node.n_classes, children.node.code == MAE, scores)
        add_score(children, label, scores, &children.weighted_score, &children.weighted_loss)
    else:
        impurity = weighted_impurity(&children.scan, 1, children.weight)
        children.gain -= children.weight / children.scan.total * impurity if children.node.weighs_children else impurity


cdef inline float64_t _similarity(float64_t both, float64_t size, float64_t in_node) noexcept nogil:
    cdef float64_t either = size + in_node - both
    return both / either if either > 0.0 else 0.0


cdef inline void _add_to_weighted_cluster(ChildCounts children) noexcept nogil:
    cdef const float64_t* in_node = &children.node.total_weights[0]
    cdef index_t label, majority = 0
    cdef float64_t exchange = 0.0, rest
    for label in range(1, children.node.n_classes):
        if children.weights[label] > children.weights[majority]:
            majority = label
    children.cluster_weights[majority] += children.weight
    children.cluster_class_weights[majority] += children.weights[majority]
    if children.n_ended == 0:
        children.label_of_all = majority
    elif majority != children.label_of_all:
        children.label_of_all = NONE
    if majority != children.label_of_all:
        return
    for label in range(children.node.n_classes):
        if label != majority:
            exchange = max(exchange, _similarity(children.weights[label], children.weight, in_node[label]))
    rest = in_node[majority] - children.weights[majority]
    exchange = _similarity(rest, children.scan.total - children.weight, in_node[majority]) + exchange
    children.weighted_exchange = max(children.weighted_exchange, exchange)


cdef inline float64_t weighted_children_gain(ChildCounts children) noexcept nogil:
    cdef index_t label
    cdef float64_t score = 0.0, denominator
    if children.node.code == GAIN_RATIO or children.node.code == NVI:
        denominator = children.of_split if children.node.code == GAIN_RATIO else children.joint
        score = children.scan.node_impurity + children.of_split - children.joint
        return score / denominator if denominator > 0.0 else 0.0
    if not compares_clusterings(children.node.code) or children.n_children == 2:
        return children.gain
    if children.node.code != JACCARD:
        score = children.weighted_score
        if children.label_of_all != NONE:
            score -= children.weighted_loss
        return (score - children.scan.node_impurity) / children.scan.total
    if children.label_of_all != NONE:
        return children.weighted_exchange - children.scan.node_impurity
    for label in range(children.node.n_classes):
        if children.cluster_weights[label] > 0.0:
            score += _similarity(
                children.cluster_class_weights[label], children.cluster_weights[label],
                children.node.total_weights[label],
            )
    return score - children.scan.node_impurity
