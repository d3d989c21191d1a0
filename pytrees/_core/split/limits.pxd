"""All limits on splits: which cuts, children and divisions of a node are allowed, and which cuts are tried.

A new limit is a field of Limits (`allowed_cuts.pxd`, where `least_samples` gives it a value that limits nothing), a
parameter of `growth/by_gain`, and a condition: on numbers of samples at a cut in `allow_by_samples`, on other things at
a cut in `allow_cuts`, of a child for every category in `allowed_children`, of two sets of categories in `may_divide`
and `allows_division`. Name it in `counts_samples_alone`, and no accelerator chooses cuts where it applies.

Criteria on label sequences see `allow_by_samples` alone, and globally evaluated ID3 (`id3/by_distance`) counts samples
itself: refuse other limits there. A draw of features asks only for enough samples, so it may draw a feature that has no
allowed cut.
"""

from pytrees._core.base.sorting cimport Entry
from pytrees._core.base.types cimport index_t, int64_t
from pytrees._core.split.allowed_cuts cimport AllowedCuts, allow_by_samples, choose_candidates
from pytrees._core.split.node_search cimport NodeRows, NodeSearch


cdef inline AllowedCuts allow_cuts(
    NodeSearch search, const NodeRows* node, const Entry* entries, index_t n_missing
) noexcept nogil:
    """Return the cuts of the sorted entries that numbers and weights of samples allow, and that are tried. The last
    n_missing entries lack the value. The classes of the node are counted."""
    cdef AllowedCuts allowed = allow_by_samples(&search.limits, node.stop - node.start, n_missing)
    if search.limits.min_leaf_weight > 0:
        _allow_by_weight(search, node, entries, n_missing, &allowed)
    choose_candidates(&allowed, entries, search.limits.max_candidates)
    return allowed


cdef void _allow_by_weight(
    NodeSearch search, const NodeRows* node, const Entry* entries, index_t n_missing, AllowedCuts* allowed
) noexcept nogil
cdef void allow_by_order(
    NodeSearch search, const NodeRows* node, index_t feature, const Entry* entries, index_t n_missing,
    AllowedCuts* allowed
) noexcept nogil
cdef index_t allowed_children(NodeSearch search, const NodeRows* node, const Entry* entries) noexcept nogil
cdef bint may_divide(NodeSearch search, index_t n) noexcept nogil
cdef bint allows_division(NodeSearch search, index_t n_left, int64_t left_weight, index_t n) noexcept nogil
