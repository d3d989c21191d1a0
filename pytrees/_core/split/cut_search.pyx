"""The best cut of a node, by a criterion of the engine on class counts.

A node's cuts come from one of three sources: sorted entries, bins of the whole table, and bins of the node. Bins are
refined: their samples are sorted if the criterion's bound says that a cut inside a bin may be the best. Every source
offers cuts in ascending order of feature and threshold, with missing values on the right first, and the criterion
keeps a cut only if its gain is greater than the best so far, so ties go to the first cut. The score in vectors, if the
criterion has one, decides only which cuts are offered.
"""

from pytrees._core.base.types cimport NONE
from pytrees._core.criteria.codes cimport LAST_ON_COUNTS, refuse_code
from pytrees._core.criteria.table cimport BinnedScan, CountScan, FewScan, ScoredScan, start_scan, write_left_of_best
from pytrees._core.criteria.wide cimport BoxedScan
from pytrees._core.rows.node_bins cimport take_features
from pytrees._core.rows.partition cimport sort_few
from pytrees._core.split.bin_cuts cimport find_bin_cut
from pytrees._core.split.few_cuts cimport find_few_cut
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, NodeSearch as Task, Split, count_node
from pytrees._core.split.scored_cuts cimport find_scored_cut
from pytrees._core.split.sorted_cuts cimport find_sorted_cut
from pytrees._core.split.way cimport BINS_OF_NODE, BINS_OF_TABLE, FEW_SAMPLES, SORTED_ENTRIES, Way, way_of


cdef int find_cut(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose classes are counted first; best.feature is NONE without one."""
    if not 0 <= search.counts.code <= LAST_ON_COUNTS:
        return refuse_code(search.counts.code)
    count_node(search, node)
    search.node, search.best = node, best
    return with_scan(search, search.counts)


cdef int run(NodeSearch search, CountScan* scan) except -1 nogil:
    """Search the node, and keep what is known of its children."""
    _search(search, scan)
    if search.best.feature != NONE:
        search.best.knows_left = write_left_of_best(scan, search.best.left_counts)
    return 0


cdef inline int _search(NodeSearch search, CountScan* scan) except -1 nogil:
    """Search the node by its way."""
    cdef const NodeRows* node = search.node
    cdef Way way
    start_scan(scan, search.counts)
    if CountScan in ScoredScan:
        if search.node_bins is not None:
            take_features(search.node_bins, &search.drawn[0], search.n_drawn, node.start, node.stop)
        way = way_of(search, scan, node)
        if way == BINS_OF_TABLE or way == BINS_OF_NODE:
            if CountScan in BinnedScan:
                return find_bin_cut(search, scan, node, search.best)
        elif way == FEW_SAMPLES:
            if CountScan in FewScan:
                if find_few_cut(search, scan, node, search.best):
                    return 0
                sort_few(search.partition, node.block, node.start, node.stop)
        elif way != SORTED_ENTRIES and find_scored_cut(search, scan, node, way, search.best):
            return 0
    elif CountScan in BoxedScan:
        if not node.in_block:
            return find_bin_cut(search, scan, node, search.best)
    return find_sorted_cut(search, scan, node, search.best)


include "../criteria/scans.pxi"
