"""Lempel-Ziv complexity (1976): the number of components of a sequence's exhaustive history.

A component starts where the component before it ends. It is the shortest substring that does not occur in the labels
before its own last label. The last component counts even if the sequence ends before it is complete. There are two ways
to find the components:

*Planes.* A short sequence over few labels has a bit for every label and position: a plane for every label. A component
grows label by label. The earlier positions at which its labels so far occur are kept as bits, and a step looks at 64
positions at once. If the sequence changes, the components that end before the change stay.

*Automaton.* For other sequences the suffix automaton is built label by label (Blumer et al., "The smallest automaton
recognizing the subwords of a text", 1985). A state stands for the substrings that end at the same positions. The link
of the last state leads to the longest suffix of the labels so far that also occurs before the end. A component is
complete as soon as this suffix is shorter than the component. This takes linear time.
"""

import numpy as np

cimport cython
from libc.string cimport memmove, memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint8_t, uint64_t
from pytrees._core.sequence.passes cimport load_codes

cdef enum:
    MAX_PLANES = 8                  # labels, and so planes
    MAX_PLANE_LENGTH = 2048         # of a sequence that is decomposed once,
    MAX_CHANGING_LENGTH = 8192      # and of one that changes label by label
    MAX_COLUMNS = 4                 # labels of an automaton whose edges are a table; more are hashed
    LABELS_BETWEEN_CHECKS = 1 << 16     # for signals
    ROOT = 0

_STATE = np.dtype([(name, np.int32) for name in ("longest", "link", "edge")])
_EDGE = np.dtype([(name, np.int32) for name in ("state", "symbol", "target", "next_of_state", "next_of_bucket")])

# There are fewer than three edges for a label; their number must fit index_t.
MAX_LENGTH = (2**31 - 2) // 4


@cython.final
cdef class LabelPlanes:
    """Memory for sequences of up to `capacity` labels over `n_labels` different ones."""

    def __cinit__(self, Py_ssize_t capacity, index_t n_labels):
        self.capacity = capacity
        self.n_labels = n_labels
        self.length = self.n_known = 0
        self.labels = np.empty(capacity, dtype=np.uint8)
        # A shift reads the element after.
        self.planes = np.zeros((n_labels, capacity // 64 + 2), dtype=np.uint64)
        self.starts = np.empty(capacity // 64 + 2, dtype=np.uint64)
        self.stops = np.empty(capacity, dtype=np.int32)


@cython.final
cdef class ExhaustiveHistory:
    """Memory for sequences of up to `capacity` labels over up to `symbol_capacity` different ones."""

    def __cinit__(self, Py_ssize_t capacity, Py_ssize_t symbol_capacity):
        if not 0 <= capacity <= MAX_LENGTH or not 0 <= symbol_capacity <= MAX_LENGTH:
            raise ValueError(f"Sequences of at most {MAX_LENGTH} labels can be decomposed.")
        cdef bint has_table = symbol_capacity <= MAX_COLUMNS
        cdef Py_ssize_t length = capacity, n_states, n_edges
        self.capacity = capacity
        self.n_symbols = <index_t> symbol_capacity
        self.sequence = np.empty(capacity, dtype=np.int32)
        if symbol_capacity <= MAX_PLANES:
            self.planes = LabelPlanes(min(capacity, MAX_PLANE_LENGTH), <index_t> symbol_capacity)
            if capacity <= MAX_PLANE_LENGTH:
                length = 0
        # A label makes a state, and at most one copy of a state. There are fewer edges than states and labels together.
        n_states = 2 * length + 1
        n_edges = 0 if has_table else 3 * length + 1
        self.states = np.empty(n_states, dtype=_STATE)
        self.targets = np.empty(n_states * symbol_capacity if has_table else 0, dtype=np.int32)
        self.edges = np.empty(n_edges, dtype=_EDGE)
        self.buckets = np.empty(_n_buckets(length) if n_edges > 0 else 0, dtype=np.int32)


cdef index_t complexity(ExhaustiveHistory history, index_t length, index_t n_symbols, index_t limit) except -1 nogil:
    """Count the components of `history.sequence[:length]`; return `limit` as soon as they are known to reach it."""
    if length == 0:
        return 0
    if length <= MAX_PLANE_LENGTH and n_symbols <= MAX_PLANES:
        _load(history.planes, &history.sequence[0], length)
        return complexity_of_planes(history.planes, limit)
    return _complexity_by_automaton(history, length, n_symbols, limit)


cdef bint has_planes(index_t length, index_t n_symbols) noexcept nogil:
    """Whether a sequence that changes label by label is short enough for planes, and has few enough labels."""
    return length <= MAX_CHANGING_LENGTH and n_symbols <= MAX_PLANES


@cython.final
cdef class PlaneChildren:
    def __cinit__(self, Py_ssize_t n_rows, Py_ssize_t capacity, index_t n_labels):
        self.left = LabelPlanes(capacity, n_labels)
        self.right = LabelPlanes(capacity, n_labels)
        self.left_rows = np.empty(n_rows // 64 + 1, dtype=np.uint64)


def plane_children(Py_ssize_t n_rows, Py_ssize_t n_symbols):
    """Return memory for the children of nodes of up to `n_rows` rows; None if there are too many labels."""
    if n_symbols > MAX_PLANES:
        return None
    return PlaneChildren(n_rows, min(n_rows, MAX_CHANGING_LENGTH), <index_t> n_symbols)


# --------------------------------------------------------------------------------------------------------------- planes

cdef void start_planes(PlaneChildren children, const index_t[::1] labels, index_t length) noexcept nogil:
    children.left_rows[:] = 0
    _load(children.left, &labels[0], 0)
    _load(children.right, &labels[0], length)


cdef void move_label(PlaneChildren children, index_t row, index_t label) noexcept nogil:
    cdef index_t i, n_before = 0
    for i in range(row >> 6):
        n_before += popcount(children.left_rows[i])
    n_before += popcount(children.left_rows[row >> 6] & ((<uint64_t> 1 << (row & 63)) - 1))
    children.left_rows[row >> 6] |= <uint64_t> 1 << (row & 63)
    _insert_label(children.left, n_before, label)
    _remove_label(children.right, row - n_before)


cdef inline void _load(LabelPlanes planes, const index_t* labels, index_t length) noexcept nogil:
    cdef index_t i
    memset(&planes.planes[0, 0], 0, planes.n_labels * planes.planes.shape[1] * sizeof(uint64_t))
    for i in range(length):
        planes.labels[i] = <uint8_t> labels[i]
        planes.planes[labels[i], i >> 6] |= <uint64_t> 1 << (i & 63)
    planes.length = length
    planes.n_known = 0


cdef inline void _insert_label(LabelPlanes planes, index_t position, index_t label) noexcept nogil:
    """Insert a label; the labels from its position on move up."""
    cdef index_t k, i, first = position >> 6, last = planes.length >> 6
    cdef uint64_t below = (<uint64_t> 1 << (position & 63)) - 1, bits, carry
    cdef uint64_t* plane
    memmove(&planes.labels[0] + position + 1, &planes.labels[0] + position, planes.length - position)
    planes.labels[position] = <uint8_t> label
    for k in range(planes.n_labels):
        plane = &planes.planes[k, 0]
        carry = plane[first] >> 63
        plane[first] = (plane[first] & below) | ((plane[first] & ~below) << 1)
        plane[first] |= <uint64_t> (k == label) << (position & 63)
        # carry: the highest bit of the element before, as it was.
        for i in range(first + 1, last + 1):
            bits = plane[i]
            plane[i] = (bits << 1) | carry
            carry = bits >> 63
    planes.length += 1
    _forget_from(planes, position)


cdef inline void _remove_label(LabelPlanes planes, index_t position) noexcept nogil:
    """Remove the label at a position; the labels after it move down."""
    cdef index_t k, i, first = position >> 6, last = (planes.length - 1) >> 6
    cdef uint64_t below = (<uint64_t> 1 << (position & 63)) - 1
    cdef uint64_t* plane
    planes.length -= 1
    memmove(&planes.labels[0] + position, &planes.labels[0] + position + 1, planes.length - position)
    for k in range(planes.n_labels):
        plane = &planes.planes[k, 0]
        plane[first] = (plane[first] & below) | ((plane[first] >> 1) & ~below)
        # The words before word i have moved down; only the top bit of word i - 1 is missing.
        for i in range(first + 1, last + 1):
            plane[i - 1] |= plane[i] << 63
            plane[i] >>= 1
    _forget_from(planes, position)


cdef inline void _forget_from(LabelPlanes planes, index_t position) noexcept nogil:
    """Forget the components that contain this position or a later one."""
    while planes.n_known > 0 and planes.stops[planes.n_known - 1] > position:
        planes.n_known -= 1


cdef index_t least_complexity(LabelPlanes planes) noexcept nogil:
    """Return a lower bound of the complexity: the known components, and one more if labels follow them."""
    return planes.n_known + (_first_unknown(planes) < planes.length)


cdef inline index_t _first_unknown(LabelPlanes planes) noexcept nogil:
    return planes.stops[planes.n_known - 1] if planes.n_known > 0 else 0


cdef index_t complexity_of_planes(LabelPlanes planes, index_t limit) noexcept nogil:
    """Count the components; return `limit` as soon as they are known to reach it."""
    cdef index_t start = _first_unknown(planes), stop
    # The components before `start` are known.
    while start < planes.length:
        if planes.n_known + 1 >= limit:
            return limit
        stop = start + _longest_match(planes, start) + 1
        if stop > planes.length:
            return planes.n_known + 1
        planes.stops[planes.n_known] = stop
        planes.n_known += 1
        start = stop
    return planes.n_known


cdef inline index_t _longest_match(LabelPlanes planes, index_t start) noexcept nogil:
    """Return the length of the longest substring that starts at a position and also at an earlier one."""
    cdef uint64_t* starts = &planes.starts[0]
    cdef const uint8_t* labels = &planes.labels[start]
    cdef const uint64_t* plane = &planes.planes[labels[0], 0]
    cdef index_t i, matched = 1, left = planes.length - start, first = 0, last = (start - 1) >> 6
    cdef bint follows_once
    if start == 0:
        return 0
    for i in range(last + 1):
        starts[i] = plane[i]
    starts[last] &= ~<uint64_t> 0 >> (63 - ((start - 1) & 63))
    if not _trim(starts, &first, &last):
        return 0
    # starts: the earlier positions at which the first `matched` labels also occur, all in starts[first:last + 1].
    while matched + 1 < left:
        follows_once = _keep_followed(
            starts, &planes.planes[labels[matched], 0], &planes.planes[labels[matched + 1], 0], matched, first, last
        )
        if not _trim(starts, &first, &last):
            return matched + follows_once
        matched += 2
    if matched < left:
        # The last label alone: its plane stands for the plane of the next label, too.
        plane = &planes.planes[labels[matched], 0]
        matched += _keep_followed(starts, plane, plane, matched, first, last)
    return matched


cdef inline bint _trim(const uint64_t* starts, index_t* first, index_t* last) noexcept nogil:
    """Leave out elements without a position at both ends; return whether others are left."""
    while first[0] <= last[0] and starts[first[0]] == 0:
        first[0] += 1
    while first[0] <= last[0] and starts[last[0]] == 0:
        last[0] -= 1
    return first[0] <= last[0]


cdef inline bint _keep_followed(
    uint64_t* starts, const uint64_t* plane, const uint64_t* next_plane, index_t distance, index_t first, index_t last
) noexcept nogil:
    """Keep the positions that are followed, at a distance, by the label of the first plane and then of the next one.

    Return whether any position is followed by the label of the first plane.
    """
    cdef index_t i, bits = distance & 63, next_bits = (distance + 1) & 63
    cdef uint64_t kept, follow_once = 0
    plane += distance >> 6
    next_plane += (distance + 1) >> 6
    # Each shift is done in two steps, because 64 bits cannot be shifted by 64.
    for i in range(first, last + 1):
        kept = starts[i] & ((plane[i] >> bits) | ((plane[i + 1] << 1) << (63 - bits)))
        follow_once |= kept
        starts[i] = kept & ((next_plane[i] >> next_bits) | ((next_plane[i + 1] << 1) << (63 - next_bits)))
    return follow_once != 0


# ------------------------------------------------------------------------------------------------------------ automaton

cdef index_t _complexity_by_automaton(
    ExhaustiveHistory history, index_t length, index_t n_symbols, index_t limit
) except -1 nogil:
    cdef index_t i, first, stop = 0, start = 0, n_components = 0
    cdef int64_t unchecked = 0
    _start_automaton(history, length, n_symbols)
    # The components before `start` are complete, `n_components` in all; the next one reaches to i at least.
    while stop < length:
        check_signals(&unchecked, stop, 1)
        first, stop = stop, min(length, stop + LABELS_BETWEEN_CHECKS)
        for i in range(first, stop):
            if i == start and n_components + 1 >= limit:
                return limit
            _add_symbol(history, history.sequence[i])
            if history.states[history.states[history.last].link].longest < i - start + 1:
                n_components += 1
                start = i + 1
    return n_components + (start < length)


cdef inline Py_ssize_t _n_buckets(Py_ssize_t length) noexcept nogil:
    """Return a power of two, at least twice the length."""
    cdef Py_ssize_t n_buckets = 4
    while n_buckets < 2 * length:
        n_buckets *= 2
    return n_buckets


cdef inline void _start_automaton(ExhaustiveHistory history, index_t length, index_t n_symbols) noexcept nogil:
    cdef Py_ssize_t n_buckets = _n_buckets(length)
    history.n_symbols = n_symbols
    history.n_states = history.n_edges = 0
    if history.edges.shape[0] > 0:
        history.bucket_mask = n_buckets - 1
        memset(&history.buckets[0], -1, n_buckets * sizeof(index_t))
    history.last = _new_state(history, 0, NONE)


cdef inline index_t _new_state(ExhaustiveHistory history, index_t longest, index_t link) noexcept nogil:
    cdef index_t i, state = history.n_states
    history.n_states += 1
    history.states[state] = State(longest, link, NONE)
    if history.edges.shape[0] == 0:
        for i in range(history.n_symbols):
            history.targets[state * <Py_ssize_t> history.n_symbols + i] = ROOT
    return state


cdef inline void _add_symbol(ExhaustiveHistory history, index_t symbol) noexcept nogil:
    cdef State* states = &history.states[0]
    cdef index_t new = _new_state(history, states[history.last].longest + 1, ROOT)
    cdef index_t at = history.last, target = ROOT, copy
    history.last = new
    while at != NONE:
        target = _target(history, at, symbol)
        if target != ROOT:
            break
        _add_edge(history, at, symbol, new)
        at = states[at].link
    if at == NONE:
        return
    if states[target].longest == states[at].longest + 1:
        states[new].link = target
        return
    # Only the shorter substrings of the target are suffixes of the labels so far. These substrings get a state
    # of their own.
    copy = _new_state(history, states[at].longest + 1, states[target].link)
    _copy_edges(history, target, copy)
    while at != NONE and _redirect(history, at, symbol, target, copy):
        at = states[at].link
    states[target].link = copy
    states[new].link = copy


# Edges of few labels are in a table; edges of more labels are hashed by state and symbol, and listed by state.

cdef inline index_t _bucket(ExhaustiveHistory history, index_t state, index_t symbol) noexcept nogil:
    cdef uint64_t mixed = (<uint64_t> state << 32 | <uint64_t> symbol) * <uint64_t> 0x9E3779B97F4A7C15
    return <index_t> ((mixed >> 32) & history.bucket_mask)


cdef inline index_t _find_edge(ExhaustiveHistory history, index_t state, index_t symbol) noexcept nogil:
    cdef index_t edge = history.buckets[_bucket(history, state, symbol)]
    while edge != NONE and not (history.edges[edge].state == state and history.edges[edge].symbol == symbol):
        edge = history.edges[edge].next_of_bucket
    return edge


cdef inline index_t _target(ExhaustiveHistory history, index_t state, index_t symbol) noexcept nogil:
    """Return the state to which the edge of a symbol leads; ROOT, to which no edge leads, if there is no edge."""
    cdef index_t edge
    if history.edges.shape[0] == 0:
        return history.targets[state * <Py_ssize_t> history.n_symbols + symbol]
    edge = _find_edge(history, state, symbol)
    return history.edges[edge].target if edge != NONE else ROOT


cdef inline void _add_edge(ExhaustiveHistory history, index_t state, index_t symbol, index_t target) noexcept nogil:
    """Add an edge that does not exist yet."""
    cdef index_t edge, bucket
    if history.edges.shape[0] == 0:
        history.targets[state * <Py_ssize_t> history.n_symbols + symbol] = target
        return
    edge = history.n_edges
    bucket = _bucket(history, state, symbol)
    history.n_edges += 1
    history.edges[edge] = Edge(state, symbol, target, history.states[state].edge, history.buckets[bucket])
    history.states[state].edge = edge
    history.buckets[bucket] = edge


cdef inline bint _redirect(
    ExhaustiveHistory history, index_t state, index_t symbol, index_t old, index_t new
) noexcept nogil:
    """Lead an edge to another state if it leads to the old one; return whether it did."""
    cdef index_t* target
    if history.edges.shape[0] == 0:
        target = &history.targets[state * <Py_ssize_t> history.n_symbols + symbol]
    else:
        target = &history.edges[_find_edge(history, state, symbol)].target
    if target[0] != old:
        return False
    target[0] = new
    return True


cdef inline void _copy_edges(ExhaustiveHistory history, index_t state, index_t copy) noexcept nogil:
    cdef index_t i, edge
    cdef Py_ssize_t n_symbols = history.n_symbols
    if history.edges.shape[0] == 0:
        for i in range(history.n_symbols):
            history.targets[copy * n_symbols + i] = history.targets[state * n_symbols + i]
        return
    edge = history.states[state].edge
    while edge != NONE:
        _add_edge(history, copy, history.edges[edge].symbol, history.edges[edge].target)
        edge = history.edges[edge].next_of_state


# --------------------------------------------------------------------------------------------------------- from Python

def lempel_ziv_complexity(const index_t[::1] codes, Py_ssize_t n_symbols):
    """Count the components of the exhaustive history of the sequence of codes 0..n_symbols-1."""
    cdef Py_ssize_t length = codes.shape[0]
    cdef ExhaustiveHistory history = ExhaustiveHistory(length, n_symbols)
    cdef index_t n_components
    load_codes(codes, n_symbols, &history.sequence[0] if length > 0 else NULL)
    with nogil:
        n_components = complexity(history, <index_t> length, <index_t> n_symbols, UNLIMITED)
    return n_components
