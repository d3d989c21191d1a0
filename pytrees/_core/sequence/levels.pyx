"""Effort-To-Compress of two children of a cut, while rows move from one to the other.

Few rows lie between neighbouring cuts, or a small share of all, so a child's sequence changes little from cut to cut.
So do the sequences that its substitutions make, as long as they replace the same pairs. Level 0 is the sequence of a
child. Level t + 1 is level t with its most frequent pair replaced by a new symbol, n_classes + t. A row that comes or
goes changes every level only near the row's position, up to the level at which another pair becomes the most frequent.
The levels above this one are given up, and built again when a cut asks for them.

A level is a list of symbols, linked over positions. Row r of the node has position r + 1, and a symbol stands at the
position of the first of the rows that it is made of. Along the links positions ascend, from HEAD to the position after
the last row. These two ends have symbols of their own, HEAD_SYMBOL and TAIL_SYMBOL; the pairs with them occur once.

To load a level is to write its symbols, and their positions, one after another to scratch memory.
"""

import numpy as np

cimport cython
from libc.string cimport memset

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.types cimport index_t, int64_t, uint8_t
from pytrees._core.sequence.passes cimport replace_pair
from pytrees._core.sequence.substitution cimport PairSubstitution, effort

cdef enum:
    # Levels pay if few rows lie between neighbouring cuts, or a small share of all, and the sequence is not short.
    ROWS_BETWEEN_CUTS = 16
    MANY_CUTS = 128
    SHORT = 200
    MAX_LENGTH = 65533      # of a sequence with levels: positions, and those of both ends, have 16 bits
    CACHED_LENGTH = 4096    # longer sequences are fetched ahead
    MAX_LEVELS = 8
    TABLE_SIDE = 16         # symbols in a table of pair counts: classes, a new symbol for every level, two ends
    HEAD_SYMBOL = 14
    TAIL_SYMBOL = 15
    MAX_SHARED_CLASSES = 5  # with the symbols of all levels they stay below HEAD_SYMBOL
    LEVEL_SHARE = 16        # a further level while the top pair is at least 1/16 of the sequence
    HEAD = 0

_SYMBOL = np.dtype([(name, np.uint16) for name in ("previous", "next", "symbol")])
_LINK = np.dtype([(name, np.int32) for name in ("position", "symbol")])
_LEVEL = np.dtype([(name, np.int32) for name in ("length", "n_distinct", "left", "right", "count", "rival")])


@cython.final
cdef class ChildSequence:
    def __cinit__(self, Py_ssize_t capacity, index_t n_classes):
        self.n_classes = n_classes
        self.levels = np.zeros(MAX_LEVELS, dtype=_LEVEL)
        self.symbols = np.empty((MAX_LEVELS, capacity + 2), dtype=_SYMBOL)
        self.counts = np.empty((MAX_LEVELS, TABLE_SIDE * TABLE_SIDE), dtype=np.int32)
        self.links = np.empty(capacity + 2, dtype=_LINK)
        self.flat_positions = np.empty(capacity, dtype=np.int32)


@cython.final
cdef class LevelChildren:
    def __cinit__(self, Py_ssize_t capacity, index_t n_classes):
        self.left = ChildSequence(capacity, n_classes)
        self.right = ChildSequence(capacity, n_classes)


def level_children(Py_ssize_t capacity, index_t n_classes):
    """Return memory for the children of nodes of up to `capacity` rows; None if there are too many classes."""
    return LevelChildren(min(capacity, MAX_LENGTH), n_classes) if n_classes <= MAX_SHARED_CLASSES else None


cdef bint levels_pay(index_t length, index_t n_cuts) noexcept nogil:
    if not SHORT <= length <= MAX_LENGTH:
        return False
    return n_cuts >= MANY_CUTS or <int64_t> n_cuts * ROWS_BETWEEN_CUTS >= length


cdef void start_levels(
    LevelChildren children, PairSubstitution state, const index_t[::1] labels, index_t length
) noexcept nogil:
    _start_child(children.left, state, labels, length, True)
    _start_child(children.right, state, labels, length, False)


cdef void fetch_symbol(LevelChildren children, index_t row) noexcept nogil:
    cdef index_t level
    if children.left.n_rows <= CACHED_LENGTH:
        return
    for level in range(children.left.n_levels):
        prefetch(&children.left.symbols[level, row + 1])
    for level in range(children.right.n_levels):
        prefetch(&children.right.symbols[level, row + 1])


cdef void move_symbol(LevelChildren children, index_t row, index_t label, const uint8_t* is_left) noexcept nogil:
    """Move a row to the left. is_left[p] says whether position p is on the left, HEAD included."""
    cdef index_t position = row + 1, before = row
    while not is_left[before]:
        before -= 1
    children.left.links[0] = Link(position, label)
    _change(children.left, before, children.left.symbols[0, before].next, 1)
    _change(children.right, children.right.symbols[0, position].previous, children.right.symbols[0, position].next, 0)


# ------------------------------------------------------------------------------------------------------------ building

cdef inline void _start_child(
    ChildSequence child, PairSubstitution state, const index_t[::1] labels, index_t n_rows, bint is_empty
) noexcept nogil:
    """Start with the sequence of all labels, at positions 1 to n_rows, or with an empty one."""
    cdef index_t i
    child.n_rows = n_rows
    child.n_levels = 1
    for i in range(n_rows):
        state.sequence[i] = labels[i]
        child.flat_positions[i] = i + 1
    _link_level(child, state, 0, 0 if is_empty else n_rows)


cdef inline void _build_level(ChildSequence child, PairSubstitution state) noexcept nogil:
    """Build a level on top of the highest one, which is loaded; afterwards the new level is loaded."""
    cdef index_t level = child.n_levels - 1, length
    cdef const SequenceLevel* below = &child.levels[level]
    length = replace_pair[index_t](
        &state.sequence[0], &child.flat_positions[0], below.length, below.left, below.right, child.n_classes + level
    )
    child.n_levels += 1
    _link_level(child, state, level + 1, length)


cdef inline void _load(ChildSequence child, index_t level, PairSubstitution state) noexcept nogil:
    """Write a level's symbols to state.sequence, and their positions to `flat_positions`."""
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    cdef index_t* sequence = &state.sequence[0]
    cdef index_t* positions = &child.flat_positions[0]
    cdef index_t i, length = child.levels[level].length, half = length // 2, at = HEAD, last = child.n_rows + 1
    # Both ends at once, because the next load waits for the link before it.
    for i in range(half):
        at = symbols[at].next
        last = symbols[last].previous
        sequence[i] = symbols[at].symbol
        positions[i] = at
        sequence[length - 1 - i] = symbols[last].symbol
        positions[length - 1 - i] = last
    if length > 2 * half:
        at = symbols[at].next
        sequence[half] = symbols[at].symbol
        positions[half] = at


cdef inline void _link_level(ChildSequence child, PairSubstitution state, index_t level, index_t length) noexcept nogil:
    """Make a level of the symbols that are loaded, and count their pairs: the opposite of `_load`."""
    cdef LevelSymbol* symbols = &child.symbols[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t i, position, right, same, last = HEAD, left = HEAD_SYMBOL, tail = child.n_rows + 1
    cdef index_t overlaps = 0, n_distinct = -1      # the first pair, with HEAD, does not count
    memset(counts, 0, TABLE_SIDE * TABLE_SIDE * sizeof(index_t))
    # overlaps: the pair that ends at the position `last` was counted, and is a pair of equal symbols.
    for i in range(length):
        position = child.flat_positions[i]
        right = state.sequence[i]
        symbols[last].next = position
        symbols[position].previous = last
        symbols[position].symbol = right
        same = left == right
        n_distinct += counts[left * TABLE_SIDE + right] == 0
        counts[left * TABLE_SIDE + right] += 1 - (same & overlaps)
        overlaps = same & (1 - overlaps)
        last = position
        left = right
    counts[left * TABLE_SIDE + TAIL_SYMBOL] = 1
    symbols[last].next = tail
    symbols[HEAD].previous = tail
    symbols[HEAD].symbol = HEAD_SYMBOL
    symbols[tail] = LevelSymbol(last, HEAD, TAIL_SYMBOL)
    child.levels[level].length = length
    child.levels[level].n_distinct = n_distinct
    _find_top(child, level)


cdef inline void _count_pairs(
    ChildSequence child, index_t level, index_t at, index_t stop, index_t overlaps, index_t n_further, index_t sign
) noexcept nogil:
    """Count the pairs from position `at` to `stop`, and in the n_further symbols that continue the run of `stop`.

    If the sign is -1 instead of 1, the count is undone. `overlaps` says whether the pair that ends at the first
    position was counted, and is a pair of equal symbols.
    """
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t left = symbols[at].symbol, right, same, pair, counted, n_distinct = 0
    cdef index_t rival = child.levels[level].rival
    cdef index_t top = child.levels[level].left * TABLE_SIDE + child.levels[level].right
    # overlaps: the same for the present position, whose symbol is `left`.
    while at != stop:
        at = symbols[at].next
        right = symbols[at].symbol
        same = left == right
        pair = left * TABLE_SIDE + right
        counted = 1 - (same & overlaps)
        n_distinct += counted & (counts[pair] == (sign < 0))
        counts[pair] += sign * counted
        rival = max(rival, counts[pair] & -<index_t> (pair != top))
        overlaps = same & (1 - overlaps)
        left = right
    pair = left * (TABLE_SIDE + 1)
    n_further = (n_further + 1 - overlaps) >> 1
    n_distinct += (n_further > 0) & (counts[pair] == (n_further if sign < 0 else 0))
    counts[pair] += sign * n_further
    child.levels[level].n_distinct += sign * n_distinct
    if sign > 0:
        child.levels[level].rival = max(rival, counts[pair] & -<index_t> (pair != top))


cdef inline void _find_top(ChildSequence child, index_t level) noexcept nogil:
    """Find the most frequent pair, the first from the left of equally frequent ones, and the next greatest count.

    No pair is looked for if every pair occurs once.
    """
    cdef index_t* counts = &child.counts[level, 0]
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    cdef index_t i, pair, at, top = 0, rival = 0, n_counts = (child.n_classes + level) * TABLE_SIDE
    for i in range(n_counts):
        top = max(top, counts[i])
    child.levels[level].count = top
    if top <= 1:
        child.levels[level].rival = top
        return
    at = symbols[HEAD].next
    while True:
        pair = symbols[at].symbol * TABLE_SIDE + symbols[symbols[at].next].symbol
        if counts[pair] == top:
            break
        at = symbols[at].next
    child.levels[level].left = pair // TABLE_SIDE
    child.levels[level].right = pair % TABLE_SIDE
    counts[pair] = 0
    for i in range(n_counts):
        rival = max(rival, counts[i])
    counts[pair] = top
    child.levels[level].rival = rival


# -------------------------------------------------------------------------------------------------- a row comes or goes

cdef inline void _change(ChildSequence child, index_t before, index_t after, index_t n_links) noexcept nogil:
    """Replace all symbols between the positions `before` and `after` by links[:n_links], on all levels."""
    cdef index_t level = 0, first_link = 0, at, overlaps, n_further, last, symbol
    cdef const LevelSymbol* symbols
    while True:
        symbols = &child.symbols[level, 0]
        # Every second pair of a run counts, from its left end on. overlaps: the pair that ends at `before` counts.
        overlaps = 0
        symbol = symbols[before].symbol
        at = symbols[before].previous
        while symbols[at].symbol == symbol:
            at = symbols[at].previous
            overlaps ^= 1
        n_further = 0
        symbol = symbols[after].symbol
        last = after
        while symbols[symbols[last].next].symbol == symbol:
            last = symbols[last].next
            n_further += 1
        _count_pairs(child, level, before, after, overlaps, n_further, -1)
        _splice(child, level, before, after, first_link, n_links)
        _count_pairs(child, level, before, after, overlaps, n_further, 1)
        if not _keeps_top(child, level):
            child.n_levels = level + 1
        if level + 1 == child.n_levels:
            return
        n_links = _rewrite(child, level, overlaps, last, &before, &after)
        level += 1
        first_link = _trim(child, level, &before, &after, &n_links)
        if n_links == 0 and child.symbols[level, before].next == after:
            return


cdef inline bint _keeps_top(ChildSequence child, index_t level) noexcept nogil:
    """Find the most frequent pair after a change; return whether it is the pair that is replaced on the next level."""
    cdef index_t left = child.levels[level].left, right = child.levels[level].right
    cdef index_t count = child.counts[level, left * TABLE_SIDE + right]
    if count > child.levels[level].rival:
        child.levels[level].count = count
        return True
    _find_top(child, level)
    return child.levels[level].count > 1 and child.levels[level].left == left and child.levels[level].right == right


cdef inline void _splice(
    ChildSequence child, index_t level, index_t before, index_t after, index_t first_link, index_t n_links
) noexcept nogil:
    cdef LevelSymbol* symbols = &child.symbols[level, 0]
    cdef const Link* links = &child.links[0]
    cdef index_t i, position, at = symbols[before].next, length = child.levels[level].length + n_links
    while at != after:
        length -= 1
        at = symbols[at].next
    child.levels[level].length = length
    at = before
    for i in range(first_link, first_link + n_links):
        position = links[i].position
        symbols[position].symbol = links[i].symbol
        symbols[position].previous = at
        symbols[at].next = position
        at = position
    symbols[at].next = after
    symbols[after].previous = at


cdef inline index_t _rewrite(
    ChildSequence child, index_t level, index_t overlaps, index_t last, index_t* before, index_t* after
) noexcept nogil:
    """Carry the change of a level, between the positions `before` and `after`, over to the next level.

    The new symbols of the next level are written to `links`; return their number. `before` and `after` move to the
    positions between which they stand. `last` is the end of the run of `after`.
    """
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    cdef Link* links = &child.links[0]
    cdef index_t left = child.levels[level].left, right = child.levels[level].right, new = child.n_classes + level
    cdef index_t n_links = 0, at = before[0], n_rows = child.n_rows, here, following, starts
    # Start with a whole symbol of the next level, which may have begun before `before`.
    if symbols[at].symbol == right and symbols[symbols[at].previous].symbol == left and (left != right or overlaps):
        at = symbols[at].previous
    if at == HEAD:
        before[0] = HEAD
        at = symbols[HEAD].next
    else:
        before[0] = child.symbols[level + 1, at].previous
    # If pairs of equal symbols are replaced, the change may shift all pairs of the run.
    if left != right or symbols[last].symbol != left:
        last = after[0]
    # There are no branches, because the positions of the pair cannot be predicted.
    while at <= last and at <= n_rows:
        following, here = symbols[at].next, symbols[at].symbol
        starts = -<index_t> ((here == left) & (symbols[following].symbol == right))
        links[n_links] = Link(at, here ^ ((here ^ new) & starts))
        at = following ^ ((following ^ symbols[following].next) & starts)
        n_links += 1
    after[0] = at
    return n_links


cdef inline index_t _trim(
    ChildSequence child, index_t level, index_t* before, index_t* after, index_t* n_links
) noexcept nogil:
    """Leave out the links at both ends that change nothing; return the number of the first link that is left."""
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    cdef const Link* links = &child.links[0]
    cdef index_t at, first = 0, stop = n_links[0], start = before[0], end = after[0]
    while first < stop:
        at = symbols[start].next
        if links[first].position != at or links[first].symbol != symbols[at].symbol:
            break
        start = at
        first += 1
    while first < stop:
        at = symbols[end].previous
        if links[stop - 1].position != at or links[stop - 1].symbol != symbols[at].symbol:
            break
        end = at
        stop -= 1
    before[0], after[0], n_links[0] = start, end, stop - first
    return first


# --------------------------------------------------------------------------------------------------------------- effort

cdef index_t least_effort(ChildSequence child) noexcept nogil:
    """Return a lower bound of the effort: at least d - 1 steps follow if there are d different pairs."""
    cdef index_t level, n_distinct, bound = 0
    if child.levels[0].length < 2:
        return 0
    for level in range(child.n_levels):
        n_distinct = child.levels[level].n_distinct
        bound = max(bound, level + n_distinct - 1)
        # A constant sequence needs no further step, though there may be a level above.
        if n_distinct <= 1:
            break
    return bound


cdef index_t effort_of_child(ChildSequence child, PairSubstitution state, index_t limit) except -1 nogil:
    """Count steps until the sequence is constant; return `limit` as soon as they are known to reach it."""
    cdef index_t level = 0
    cdef bint is_loaded = False
    cdef const SequenceLevel* here
    if child.levels[0].length < 2:
        return 0
    while True:
        here = &child.levels[level]
        if level + here.n_distinct - 1 >= limit:
            return limit
        if _is_constant(child, level):
            return level
        if here.count == 1:
            return min(level + here.length - 1, limit)
        if level + 1 == child.n_levels:
            if not is_loaded:
                _load(child, level, state)
                is_loaded = True
            if level + 1 == MAX_LEVELS or here.count * LEVEL_SHARE < here.length:
                return level + effort(state, here.length, child.n_classes + level, limit - level)
            _build_level(child, state)
        level += 1


cdef inline bint _is_constant(ChildSequence child, index_t level) noexcept nogil:
    """Whether all symbols are equal; there are two symbols or more."""
    cdef const LevelSymbol* symbols = &child.symbols[level, 0]
    return child.levels[level].n_distinct == 1 and (
        symbols[symbols[HEAD].next].symbol == symbols[symbols[child.n_rows + 1].previous].symbol
    )
