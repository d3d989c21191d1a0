"""The codes of criteria, and what follows from a code alone: all that most kernels need to know of a criterion."""

from pytrees._core.base.types cimport index_t
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.logarithms cimport (
    BY_GREATER, BY_JOINT, BY_MEAN, BY_SPLIT, LESS_SPLIT, NO_INFORMATION, PLAIN, InformationForm,
)


cdef enum CriterionCode:
    # Criteria that judge class counts come first.
    GINI
    ENTROPY
    ORDINAL_GINI
    WIG
    RANKING
    GAIN_RATIO
    NVI
    NVI_SUM
    NVI_MAX
    VI
    JACCARD
    ACCURACY
    MAE
    SQUARED_ERROR
    ABSOLUTE_ERROR
    LAST_ON_COUNTS = ABSOLUTE_ERROR
    ETC
    LZ76
    USER_COUNTS
    USER_SEQUENCE
    USER_SUMS


cdef enum Judging:
    # The input of a criterion: class counts (or, if classes are numbers, sums) or label sequences, for the engine's
    # criteria and (OWN_) for a user's.
    CLASS_COUNTS
    SEQUENCES
    OWN_CLASS_COUNTS
    OWN_SEQUENCES


cdef inline int refuse_code(int code) except -1 nogil:
    with gil:
        raise ValueError(f"No criterion that judges class counts has the code {code}.")


cdef inline bint is_binary_gini(int code, index_t n_classes) noexcept nogil:
    """Whether the criterion is Gini of two classes, or ordinal Gini, which is half of it: p (1 - p) of one class."""
    return n_classes == 2 and (code == GINI or code == ORDINAL_GINI)


cdef inline bint takes_ratio(int code) noexcept nogil:
    return code == GAIN_RATIO or code == NVI or code == NVI_SUM or code == NVI_MAX


cdef inline bint has_impurity(int code) noexcept nogil:
    """Whether the gain of a split is the impurity of the node less the impurities of its children."""
    return (
        code == GINI or code == ENTROPY or code == ORDINAL_GINI or code == WIG or code == RANKING
        or code == SQUARED_ERROR or code == ABSOLUTE_ERROR
    )


cdef inline bint sums_fractions(int code) noexcept nogil:
    """Whether the gain of a categorical split is a sum of one fraction a child."""
    return code == GINI or code == ORDINAL_GINI or code == JACCARD or code == SQUARED_ERROR


cdef inline InformationForm information_form(int code) noexcept nogil:
    """Return which entropies a criterion compares, if any."""
    if code == ENTROPY:
        return PLAIN
    if code == GAIN_RATIO:
        return BY_SPLIT
    if code == NVI:
        return BY_JOINT
    if code == NVI_SUM:
        return BY_MEAN
    if code == NVI_MAX:
        return BY_GREATER
    return LESS_SPLIT if code == VI else NO_INFORMATION


cdef inline bint keeps_counts(ClassCounts node) noexcept nogil:
    """Whether gains of categorical splits are computed from the counts of all children."""
    return node.is_wide or node.code == WIG
