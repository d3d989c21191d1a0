"""Which criteria have bounds and scores."""

from pytrees._core.base.sizes cimport LANES_OF_ORDER
from pytrees._core.criteria.codes cimport ENTROPY, GINI, ORDINAL_GINI, RANKING, SQUARED_ERROR, is_binary_gini

from pytrees._core.criteria.table import code_of, exact_costs


def has_bounds(criterion, n_classes):
    """Whether there is a bound on what cuts inside a bin gain, so that features can be cut into bins."""
    code = code_of(criterion)
    if code == RANKING and n_classes == 2:
        # If pairs cost nothing, all cuts are alike.
        cost = exact_costs(criterion, n_classes)[0][1]
        return isinstance(cost, int) and cost > 0
    return code in (GINI, ENTROPY, ORDINAL_GINI)


def has_wide_bounds(criterion, n_classes):
    """Whether there is such a bound for sums of weights on a fine grid."""
    code = code_of(criterion)
    return n_classes == 2 and (code == ENTROPY or is_binary_gini(code, n_classes))


def has_sums_in_bins(criterion):
    """Whether bins contain sums of targets, which bound the gain of cuts inside a bin."""
    return code_of(criterion) == SQUARED_ERROR


def scores_cuts(criterion, n_classes, weights):
    """Whether the cuts of sorted entries have scores in vectors."""
    code = code_of(criterion)
    return code == SQUARED_ERROR or is_binary_gini(code, n_classes) or weights is None and (
        code == GINI or code == ENTROPY or scores_forms(criterion, n_classes)
    )


def scores_logarithms(criterion):
    """Whether the scores of sorted entries are sums of n log2 n."""
    return code_of(criterion) == ENTROPY


def scores_forms(criterion, n_classes):
    """Whether the scores of sorted entries are forms of the samples of the classes above each: ordinal Gini, and
    ranking impurity if neighbouring classes are all equally far from each other."""
    code = code_of(criterion)
    if not 2 < n_classes <= LANES_OF_ORDER + 1:
        return False
    if code != RANKING:
        return code == ORDINAL_GINI
    costs = exact_costs(criterion, n_classes)
    unit = costs[0][1]
    return isinstance(unit, int) and unit > 0 and all(
        cost == unit * abs(one - other) for one, row in enumerate(costs) for other, cost in enumerate(row)
    )
