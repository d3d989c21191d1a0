"""Which way the cuts of a node are searched: one value, chosen in one place from the sizes of `base/sizes.h`. `engine`
prepares the ways of a tree, which is the same on each."""

from pytrees._core.base.sizes cimport (
    FEWEST_IN_BINS, FEWEST_SCORED, MOST_IN_FEW, MOST_OF_FORM, MOST_SCORED, MOST_WEIGHT_OF_NUMBERS,
)
from pytrees._core.base.types cimport index_t, int64_t, uint32_t
from pytrees._core.criteria.table cimport TargetScan
from pytrees._core.fast.bounds cimport BinnedScan, ScoredScan
from pytrees._core.fast.node_bins cimport NodeBins
from pytrees._core.fast.score_table cimport (
    FormScan, counts_in_halves, fits_lanes, fits_pairs, greatest_form, most_counted,
)
from pytrees._core.fast.state cimport FastState
from pytrees._core.split.node_search cimport NodeRows, NodeSearch


cdef enum Way:
    SORTED_ENTRIES      # one after another
    FEW_SAMPLES         # without sorted entries: every sample compared with all others
    SCORED_ENTRIES      # sorted entries whose cuts are scored in vectors
    BINS_OF_TABLE
    BINS_OF_NODE        # heavy: counted in 32 bits
    SCORED_BINS         # light bins of the node, scored in vectors
    ALL_PAIRS           # every sample of the node compared with all others


cdef inline Way way_of(FastState fast, NodeSearch search, const ScoredScan* scan, const NodeRows* node) noexcept nogil:
    """Choose the way of a node whose classes are counted, for a criterion with bounds or scores. A node whose
    ranked features are cut into bins of its own has its keys laid out before."""
    cdef index_t n = node.stop - node.start
    if ScoredScan in BinnedScan:
        if not node.in_block:
            return BINS_OF_TABLE
        if fast.node_bins is not None:
            return _way_of_bins(fast.node_bins, scan, n)
        if fast.pairs_few and n <= MOST_IN_FEW:
            return FEW_SAMPLES
    if (
        fast.entry_scores is not None and 2 * <int64_t> search.limits.min_samples_leaf <= n
        and _has_scores(search, scan, n)
    ):
        return SCORED_ENTRIES
    return SORTED_ENTRIES


cdef inline Way _way_of_bins(NodeBins bins, const BinnedScan* scan, index_t n) noexcept nogil:
    if not fits_lanes(scan):
        return BINS_OF_NODE
    if fits_pairs(scan, n) and not _has_few_values(scan, bins, n):
        return ALL_PAIRS
    return SCORED_BINS


cdef inline bint _has_scores(NodeSearch search, const ScoredScan* scan, index_t n) noexcept nogil:
    """Whether the numbers of the sorted entries fit what their scores are made of."""
    if ScoredScan in TargetScan:
        return (
            FEWEST_SCORED <= n and search.counts.least < search.counts.greatest
            and scan.total <= MOST_WEIGHT_OF_NUMBERS
        )
    elif ScoredScan in FormScan:
        return FEWEST_SCORED <= n <= MOST_SCORED and greatest_form(scan, n) < MOST_OF_FORM
    else:
        return FEWEST_SCORED <= n and most_counted(scan, n) <= MOST_SCORED


cdef inline bint _has_few_values(const BinnedScan* scan, NodeBins bins, index_t n) noexcept nogil:
    """Whether all features have so few values that bins of one value each take less time than pairs."""
    cdef index_t k
    cdef uint32_t most = n if counts_in_halves(scan) else n // 2
    if n < FEWEST_IN_BINS:
        return False
    for k in range(bins.n_slots):
        if bins.slots[k].span >= most:
            return False
    return True
