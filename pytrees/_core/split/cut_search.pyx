"""The best cut of a node, by a criterion of the engine on class counts.

A node's cuts come from its sorted entries, or from an accelerator. Every source offers cuts in ascending order of
feature and threshold, with missing values on the right first, and the criterion keeps a cut only if its gain is greater
than the best so far, so ties go to the first cut.
"""

from pytrees._core.base.types cimport NONE
from pytrees._core.criteria.codes cimport LAST_ON_COUNTS, refuse_code
from pytrees._core.criteria.table cimport CountScan, start_scan, write_left_of_best
from pytrees._core.split.node_search cimport NodeRows, NodeSearch, NodeSearch as Task, Split, count_node
from pytrees._core.split.sorted_cuts cimport find_sorted_cut


cdef int find_cut(NodeSearch search, const NodeRows* node, Split* best) except -1 nogil:
    """Write the best cut of the node's samples, whose classes are counted first; best.feature is NONE without one."""
    if not 0 <= search.counts.code <= LAST_ON_COUNTS:
        return refuse_code(search.counts.code)
    count_node(search, node)
    search.node, search.best = node, best
    if search.accelerator.find_cut(search, node, best):
        return 0
    return with_scan(search, search.counts)


cdef int run(NodeSearch search, CountScan* scan) except -1 nogil:
    """Search the node, and keep what is known of its children."""
    start_scan(scan, search.counts)
    find_sorted_cut(search, scan, search.node, search.best)
    if search.best.feature != NONE:
        search.best.knows_left = write_left_of_best(scan, search.best.left_counts)


include "../criteria/scans.pxi"
