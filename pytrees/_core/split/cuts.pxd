"""Which cuts of a feature are tried: all that are allowed, or so many evenly spaced ones."""

from pytrees._core.base.sorting cimport Entry, key_of
from pytrees._core.base.types cimport UNLIMITED, index_t, int64_t


cdef struct Cuts:
    # Of the allowed cuts of a feature, those to try: all, or `n_tried` evenly spaced ones.
    index_t n_allowed, n_tried
    index_t n_seen, n_taken


cdef inline bint entries_have_cut(const Entry* entries, index_t n, index_t min_samples_leaf) noexcept nogil:
    """Whether a cut is allowed: one between different neighbouring values that leaves min_samples_leaf rows on both
    sides."""
    return (
        2 * <int64_t> min_samples_leaf <= n
        and key_of(entries[min_samples_leaf - 1]) != key_of(entries[n - min_samples_leaf])
    )


cdef inline Cuts cuts_to_try(
    const Entry* entries, index_t n, index_t min_samples_leaf, index_t max_candidates
) noexcept nogil:
    cdef index_t i
    cdef Cuts cuts
    cuts.n_allowed = 0
    cuts.n_seen = 0
    cuts.n_taken = 0
    if max_candidates < UNLIMITED:
        for i in range(min_samples_leaf - 1, n - min_samples_leaf):
            cuts.n_allowed += key_of(entries[i]) != key_of(entries[i + 1])
    cuts.n_tried = min(cuts.n_allowed, max_candidates)
    return cuts


cdef inline bint is_tried(Cuts* cuts) noexcept nogil:
    """Whether to try the next allowed cut: all, or number (2k + 1) n_allowed // (2 n_tried) for k = 0..n_tried-1."""
    cdef int64_t target
    cdef bint tried
    if cuts.n_tried == cuts.n_allowed:
        return True
    target = (2 * <int64_t> cuts.n_taken + 1) * cuts.n_allowed // (2 * <int64_t> cuts.n_tried)
    tried = cuts.n_seen == target
    cuts.n_seen += 1
    cuts.n_taken += tried
    return tried
