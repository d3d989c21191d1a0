"""Which cuts of a feature are allowed, and which of these are tried: `limits` fills this in for a node.

All allowed cuts of bins are tried. `fast/scored_cuts` compares numbers of samples itself.

A cut is behind a number of known values in ascending order. Missing values come after the known ones; they go to the
right at one kind of cut, and to the left at another.
"""

from pytrees._core.base.sorting cimport Entry, key_of
from pytrees._core.base.types cimport MISSING_LEFT, MISSING_RIGHT, UNLIMITED, index_t, int64_t, uint8_t


# The limits on the children of every split. Monotonic constraints, by feature, are in NodeSearch.
cdef struct Limits:
    index_t min_samples_leaf
    int64_t min_leaf_weight     # 0 is no limit
    index_t max_candidates      # thresholds of a feature to try


cdef inline Limits least_samples(index_t min_samples_leaf) noexcept nogil:
    """Return a limit on the samples of a child alone."""
    return Limits(min_samples_leaf, 0, UNLIMITED)


cdef inline bint counts_samples_alone(const Limits* limits) noexcept nogil:
    """Whether numbers of samples decide which cuts are allowed, and all of these are tried: accelerators compare
    numbers of samples, and know no other limit."""
    return limits.min_leaf_weight == 0 and limits.max_candidates == UNLIMITED


cdef struct AllowedCuts:
    # The fewest and the most known values that a cut sends left, with missing values on the right (MISSING_RIGHT) and
    # on the left. Without missing values the second kind has no cut.
    index_t[2] fewest, most
    # If the feature has a monotonic constraint: whether the cut behind so many known values keeps it. Otherwise NULL.
    const uint8_t* keeps_order[2]
    # The thresholds at which a cut is allowed, and the thresholds to try: all, or `n_tried` evenly spaced ones.
    index_t n_allowed, n_tried
    index_t n_seen, n_taken


cdef inline AllowedCuts allow_by_samples(const Limits* limits, index_t n, index_t n_missing) noexcept nogil:
    """Allow the cuts that leave enough of n samples on both sides: of sorted entries, bins and label sequences."""
    cdef AllowedCuts allowed
    cdef index_t fewest = limits.min_samples_leaf
    allowed.fewest[MISSING_RIGHT] = fewest
    allowed.most[MISSING_RIGHT] = min(n - fewest, n - n_missing)
    allowed.fewest[MISSING_LEFT] = max(fewest - n_missing, 1)
    allowed.most[MISSING_LEFT] = n - n_missing - fewest if n_missing > 0 else 0
    allowed.keeps_order[0] = allowed.keeps_order[1] = NULL
    allowed.n_allowed = allowed.n_tried = allowed.n_seen = allowed.n_taken = 0
    return allowed


cdef inline bint allows(const AllowedCuts* allowed, int missing, index_t n_known_left) noexcept nogil:
    return allowed.fewest[missing] <= n_known_left <= allowed.most[missing]


cdef inline bint allows_in_order(const AllowedCuts* allowed, int missing, index_t n_known_left) noexcept nogil:
    """Whether numbers of samples allow a cut, and a monotonic constraint of the feature, if it has one, does too."""
    return allows(allowed, missing, n_known_left) and (
        allowed.keeps_order[missing] == NULL or allowed.keeps_order[missing][n_known_left]
    )


cdef inline bint allows_some_in_order(const AllowedCuts* allowed, index_t n_known_left) noexcept nogil:
    return allows_in_order(allowed, MISSING_RIGHT, n_known_left) or allows_in_order(allowed, MISSING_LEFT, n_known_left)


cdef inline bint allows_some(const AllowedCuts* allowed, index_t n_known_left) noexcept nogil:
    """Whether a cut behind this number of known values is allowed with missing values on one of the sides."""
    return allows(allowed, MISSING_RIGHT, n_known_left) or allows(allowed, MISSING_LEFT, n_known_left)


cdef inline index_t last_cut(const AllowedCuts* allowed) noexcept nogil:
    """Return the greatest number of known values that a cut can have on its left."""
    return max(allowed.most[MISSING_RIGHT], allowed.most[MISSING_LEFT])


cdef inline bint has_cut_between(const AllowedCuts* allowed, const Entry* entries) noexcept nogil:
    """Whether two neighbouring values of the sorted entries, none of which is missing, differ at an allowed cut."""
    cdef index_t fewest = allowed.fewest[MISSING_RIGHT], most = allowed.most[MISSING_RIGHT]
    return fewest <= most and key_of(entries[fewest - 1]) != key_of(entries[most])


cdef inline void choose_candidates(AllowedCuts* allowed, const Entry* entries, index_t max_candidates) noexcept nogil:
    """Choose the thresholds to try, at most `max_candidates`."""
    cdef index_t i
    if max_candidates == UNLIMITED:
        return
    allowed.n_allowed = 0
    for i in range(1, last_cut(allowed) + 1):
        allowed.n_allowed += key_of(entries[i - 1]) != key_of(entries[i]) and allows_some_in_order(allowed, i)
    allowed.n_tried = min(allowed.n_allowed, max_candidates)


cdef inline bint is_tried(AllowedCuts* allowed) noexcept nogil:
    """Whether to try the next threshold: each, or number (2k + 1) n_allowed // (2 n_tried) for k = 0..n_tried-1."""
    cdef int64_t target
    cdef bint tried
    if allowed.n_tried == allowed.n_allowed:
        return True
    target = (2 * <int64_t> allowed.n_taken + 1) * allowed.n_allowed // (2 * <int64_t> allowed.n_tried)
    tried = allowed.n_seen == target
    allowed.n_seen += 1
    allowed.n_taken += tried
    return tried
