"""The table of impurities: of a node whose classes are counted, by every criterion that has one."""

from pytrees._core.base.types cimport float64_t
from pytrees._core.criteria.codes cimport (
    ABSOLUTE_ERROR, ENTROPY, GINI, ORDINAL_GINI, RANKING, SQUARED_ERROR, WIG, refuse_code,
)
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.gain cimport Gain, exact_gain
from pytrees._core.criteria.gini cimport impurity_by_gini
from pytrees._core.criteria.logarithms cimport nearest_entropy
from pytrees._core.criteria.ordinal_gini cimport impurity_by_ordinal_gini
from pytrees._core.criteria.ranking cimport impurity_by_ranking
from pytrees._core.criteria.squared_error cimport nearest_squared_error
from pytrees._core.criteria.wig cimport wig_of_node


cdef inline Gain whole_impurity(ClassCounts node) except *:
    """Return the impurity of a node whose classes are counted, and which has samples, by a criterion of fractions that
    fit 128 bits."""
    if node.code == GINI:
        return impurity_by_gini(node)
    if node.code == ORDINAL_GINI:
        return impurity_by_ordinal_gini(node)
    if node.code == RANKING:
        return impurity_by_ranking(node)
    if node.code == ABSOLUTE_ERROR:
        return exact_gain(node.sums.spread, 1, node.sums.weight)
    refuse_code(node.code)


cdef inline float64_t nearest_impurity(ClassCounts node) except *:
    """Return the double nearest to the impurity of a node whose classes are counted, and which has samples."""
    if node.code == ENTROPY:
        return nearest_entropy(&node.total_counts[0], node.n_classes)
    if node.code == WIG:
        return wig_of_node(node)
    if node.code == SQUARED_ERROR:
        return nearest_squared_error(&node.sums)
    return whole_impurity(node).value
