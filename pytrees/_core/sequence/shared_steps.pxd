"""Pair substitutions that neighbouring cuts share; inlined into sequence_scanner.pyx.

A cut differs from the one before by the few rows between them, and so do its children's sequences, and, as long as the
same pairs are replaced, so does what the substitutions make of these. Level 0 is a child's sequence, level t + 1 is
level t with its most frequent pair replaced. A row that comes or goes changes every level near its own place only, up
to the level at which another pair becomes the most frequent; the levels above that one are given up, and built again
when a cut asks for them.

A level is linked over the places of the rows: a symbol stands where the first of its rows stands. Places ascend along
the links, from HEAD to the place behind the last row; these two hold symbols of their own, and belong to two pairs
that occur once.
"""

from libc.string cimport memset

from pytrees._core.sequence.substitution cimport PairSubstitution, effort
from pytrees._core.sequence.scanner cimport ChildSequence, Level, Link, Place
from pytrees._core.base.types cimport index_t

cdef enum:
    MAX_LEVELS = 10
    TABLE_SIDE = 16         # of a table of pair counts: classes, a new symbol a level, and two ends
    HEAD_SYMBOL = 14
    TAIL_SYMBOL = 15
    MAX_SHARED_CLASSES = 5  # with the symbols of all levels they stay below HEAD_SYMBOL
    LEVEL_SHARE = 24        # a further level while the top pair is at least 1/16 of the sequence
    HEAD = 0


# ------------------------------------------------------------------------------------------------------------ building

cdef inline void start_child(
    ChildSequence child, PairSubstitution state, const index_t[::1] labels, index_t n_rows, bint is_empty
) noexcept nogil:
    """The sequence of all labels, at places 1 to n_rows; or none of them yet."""
    cdef index_t i
    child.n_rows = n_rows
    child.n_levels = 1
    for i in range(n_rows):
        state.sequence[i] = labels[i]
        child.flat_places[i] = i + 1
    _link_level(child, state, 0, 0 if is_empty else n_rows)


cdef inline void _build_level(ChildSequence child, PairSubstitution state) noexcept nogil:
    """Build the level above the highest one, which is loaded; then the new one is."""
    cdef index_t level = child.n_levels - 1, length = child.levels[level].length
    cdef index_t left = child.levels[level].left, right = child.levels[level].right
    cdef index_t i, here, starts, written = 0, emits = 1, following = state.sequence[0]
    cdef index_t changes = left ^ (child.n_classes + level), may_overlap = left == right
    # As in the dense phase of nsrps_dense.pxd.
    for i in range(length - 1):
        here = following
        following = state.sequence[i + 1]
        starts = (here == left) & (following == right) & (emits | (1 - may_overlap))
        state.sequence[written] = here ^ (changes & -starts)
        child.flat_places[written] = child.flat_places[i]
        written += emits
        emits = 1 - starts
    state.sequence[written] = following
    child.flat_places[written] = child.flat_places[length - 1]
    child.n_levels += 1
    _link_level(child, state, level + 1, written + emits)


cdef inline void _load(ChildSequence child, index_t level, PairSubstitution state) noexcept nogil:
    """Write a level's symbols to state.sequence, and their places to `flat_places`."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t i, at = HEAD
    for i in range(child.levels[level].length):
        at = places[at].next
        state.sequence[i] = places[at].symbol
        child.flat_places[i] = at


cdef inline void _link_level(
    ChildSequence child, PairSubstitution state, index_t level, index_t length
) noexcept nogil:
    """Undo _load: link what is loaded; and count its pairs."""
    cdef Place* places = &child.places[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t i, place, right, same, last = HEAD, left = HEAD_SYMBOL, tail = child.n_rows + 1
    cdef index_t overlaps = 0, n_distinct = 1
    memset(counts, 0, TABLE_SIDE * TABLE_SIDE * sizeof(index_t))
    # overlaps: the pair that ends at `left`, at the place `last`, was counted, and is a pair of equal symbols.
    for i in range(length):
        place = child.flat_places[i]
        right = state.sequence[i]
        places[last].next = place
        places[place].previous = last
        places[place].symbol = right
        same = left == right
        n_distinct += counts[left * TABLE_SIDE + right] == 0
        counts[left * TABLE_SIDE + right] += 1 - (same & overlaps)
        overlaps = same & (1 - overlaps)
        last = place
        left = right
    counts[left * TABLE_SIDE + TAIL_SYMBOL] = 1
    places[last].next = tail
    places[HEAD].previous = tail
    places[HEAD].symbol = HEAD_SYMBOL
    places[tail].previous = last
    places[tail].next = HEAD
    places[tail].symbol = TAIL_SYMBOL
    child.levels[level].length = length
    child.levels[level].n_distinct = n_distinct
    _find_top(child, level)


cdef inline void _add_pairs(
    ChildSequence child, index_t level, index_t at, index_t stop, index_t overlaps, index_t n_further
) noexcept nogil:
    """Count the pairs between two places, and those of the n_further symbols that continue the run of the second one.
    overlaps: the pair that ends at the first place was counted, and is a pair of equal symbols."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t left = places[at].symbol, right, same, pair, n_distinct = 0
    cdef index_t rival = child.levels[level].rival
    cdef index_t top = child.levels[level].left * TABLE_SIDE + child.levels[level].right
    # overlaps: as above, for `at`, whose symbol is `left`.
    while at != stop:
        at = places[at].next
        right = places[at].symbol
        same = left == right
        pair = left * TABLE_SIDE + right
        n_distinct += counts[pair] == 0
        counts[pair] += 1 - (same & overlaps)
        rival = max(rival, counts[pair] & -<index_t> (pair != top))
        overlaps = same & (1 - overlaps)
        left = right
    pair = left * (TABLE_SIDE + 1)
    n_further = (n_further + 1 - overlaps) >> 1
    n_distinct += (counts[pair] == 0) & (n_further > 0)
    counts[pair] += n_further
    child.levels[level].rival = max(rival, counts[pair] & -<index_t> (pair != top))
    child.levels[level].n_distinct += n_distinct


cdef inline void _remove_pairs(
    ChildSequence child, index_t level, index_t at, index_t stop, index_t overlaps, index_t n_further
) noexcept nogil:
    """Undo what _add_pairs has counted."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t* counts = &child.counts[level, 0]
    cdef index_t left = places[at].symbol, right, same, counted, n_distinct = 0
    while at != stop:
        at = places[at].next
        right = places[at].symbol
        same = left == right
        counted = 1 - (same & overlaps)
        counts[left * TABLE_SIDE + right] -= counted
        n_distinct += counted & (counts[left * TABLE_SIDE + right] == 0)
        overlaps = same & (1 - overlaps)
        left = right
    n_further = (n_further + 1 - overlaps) >> 1
    counts[left * (TABLE_SIDE + 1)] -= n_further
    n_distinct += (n_further > 0) & (counts[left * (TABLE_SIDE + 1)] == 0)
    child.levels[level].n_distinct -= n_distinct


cdef inline void _find_top(ChildSequence child, index_t level) noexcept nogil:
    """The most frequent pair, of several the one met first from the left, and the count of its strongest rival.
    Where all pairs occur once, no pair is looked for."""
    cdef index_t* counts = &child.counts[level, 0]
    cdef const Place* places = &child.places[level, 0]
    cdef index_t i, pair, at, top = 0, rival = 0, n_counts = (child.n_classes + level) * TABLE_SIDE
    for i in range(n_counts):
        top = max(top, counts[i])
    child.levels[level].count = top
    if top <= 1:
        child.levels[level].rival = top
        return
    at = places[HEAD].next
    while True:
        pair = places[at].symbol * TABLE_SIDE + places[places[at].next].symbol
        if counts[pair] == top:
            break
        at = places[at].next
    child.levels[level].left = pair // TABLE_SIDE
    child.levels[level].right = pair % TABLE_SIDE
    counts[pair] = 0
    for i in range(n_counts):
        rival = max(rival, counts[i])
    counts[pair] = top
    child.levels[level].rival = rival


# ------------------------------------------------------------------------------------------------------------ changing

cdef inline void insert_row(ChildSequence child, index_t before, index_t place, index_t label) noexcept nogil:
    """A row comes in behind the place `before` of the sequence."""
    child.links[0].place = place
    child.links[0].symbol = label
    _change(child, before, child.places[0, before].next, 1)


cdef inline void remove_row(ChildSequence child, index_t place) noexcept nogil:
    _change(child, child.places[0, place].previous, child.places[0, place].next, 0)


cdef inline void _change(ChildSequence child, index_t before, index_t after, index_t n_links) noexcept nogil:
    """Put links[:n_links] in the place of all that stands between the places `before` and `after`; on all levels."""
    cdef index_t level = 0, first_link = 0, at, overlaps, n_further, last
    while True:
        # Of a run, counted from its left end, every second pair counts: overlaps says whether the one that ends at
        # `before` does.
        overlaps = 0
        at = before
        while child.places[level, child.places[level, at].previous].symbol == child.places[level, at].symbol:
            at = child.places[level, at].previous
            overlaps ^= 1
        n_further = 0
        last = after
        while child.places[level, child.places[level, last].next].symbol == child.places[level, last].symbol:
            last = child.places[level, last].next
            n_further += 1
        _remove_pairs(child, level, before, after, overlaps, n_further)
        _splice(child, level, before, after, first_link, n_links)
        _add_pairs(child, level, before, after, overlaps, n_further)
        if not _keeps_top(child, level):
            child.n_levels = level + 1
        if level + 1 == child.n_levels:
            return
        n_links = _rewrite(child, level, overlaps, last, &before, &after)
        level += 1
        first_link = _trim(child, level, &before, &after, &n_links)
        if n_links == 0 and child.places[level, before].next == after:
            return


cdef inline bint _keeps_top(ChildSequence child, index_t level) noexcept nogil:
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
    cdef Place* places = &child.places[level, 0]
    cdef index_t i, place, at = places[before].next
    child.levels[level].length += n_links
    while at != after:
        child.levels[level].length -= 1
        at = places[at].next
    at = before
    for i in range(first_link, first_link + n_links):
        place = child.links[i].place
        places[place].symbol = child.links[i].symbol
        places[place].previous = at
        places[at].next = place
        at = place
    places[at].next = after
    places[after].previous = at


cdef inline index_t _parse(ChildSequence child, index_t level, index_t at, index_t* symbol) noexcept nogil:
    """The symbol that stands at this place on the next level; returns the next place that holds one there."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t following = places[at].next, here = places[at].symbol
    cdef index_t starts = -<index_t> (
        (here == child.levels[level].left) & (places[following].symbol == child.levels[level].right)
    )
    # Without branches: where the pair stands cannot be predicted.
    symbol[0] = here ^ ((here ^ (child.n_classes + level)) & starts)
    return following ^ ((following ^ places[following].next) & starts)


cdef inline index_t _rewrite(
    ChildSequence child, index_t level, index_t overlaps, index_t last, index_t* before, index_t* after
) noexcept nogil:
    """Write what the change of a level, between the places `before` and `after`, makes of the next one to `links`, and
    between which places of that level it does. `last` ends the run of `after`."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t left = child.levels[level].left, right = child.levels[level].right
    cdef index_t n_links = 0, at = before[0]
    # Start with a whole symbol of the next level, whatever stands behind `before`.
    if places[at].symbol == right and places[places[at].previous].symbol == left and (left != right or overlaps):
        at = places[at].previous
    if at == HEAD:
        before[0] = HEAD
        at = places[HEAD].next
    else:
        before[0] = child.places[level + 1, at].previous
    # Where pairs of equal symbols are replaced, the change may shift those of the whole run.
    if left != right or places[last].symbol != left:
        last = after[0]
    while at <= last and at <= child.n_rows:
        child.links[n_links].place = at
        at = _parse(child, level, at, &child.links[n_links].symbol)
        n_links += 1
    after[0] = at
    return n_links


cdef inline index_t _trim(
    ChildSequence child, index_t level, index_t* before, index_t* after, index_t* n_links
) noexcept nogil:
    """Leave out links that say what is there, at both ends; returns the first that is left."""
    cdef const Place* places = &child.places[level, 0]
    cdef index_t at, first = 0
    while n_links[0] > 0:
        at = places[before[0]].next
        if child.links[first].place != at or child.links[first].symbol != places[at].symbol:
            break
        before[0] = at
        first += 1
        n_links[0] -= 1
    while n_links[0] > 0:
        at = places[after[0]].previous
        if (
            child.links[first + n_links[0] - 1].place != at
            or child.links[first + n_links[0] - 1].symbol != places[at].symbol
        ):
            break
        after[0] = at
        n_links[0] -= 1
    return first


# ------------------------------------------------------------------------------------------------------------- judging

cdef inline index_t least_effort(ChildSequence child) noexcept nogil:
    """A lower bound of the effort: with d different pairs at least d - 1 steps follow."""
    cdef index_t level, n_distinct, bound = 0
    if child.levels[0].length < 2:
        return 0
    for level in range(child.n_levels):
        n_distinct = _n_distinct(child, level)
        bound = max(bound, level + n_distinct - 1)
        # Where it is constant no further step is done, though there may be a level above.
        if n_distinct <= 1:
            break
    return bound


cdef inline index_t _n_distinct(ChildSequence child, index_t level) noexcept nogil:
    return child.levels[level].n_distinct - 2


cdef inline index_t child_effort(ChildSequence child, PairSubstitution state, index_t limit) noexcept nogil:
    """Steps until the sequence is constant; or, as soon as they are known to reach it, `limit`."""
    cdef index_t level = 0
    cdef bint is_loaded = False
    cdef const Level* here
    if child.levels[0].length < 2:
        return 0
    while True:
        here = &child.levels[level]
        if level + _n_distinct(child, level) - 1 >= limit:
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
    """Of two or more symbols: whether there is one pair only, of equal ones."""
    cdef const Place* places = &child.places[level, 0]
    return _n_distinct(child, level) == 1 and (
        places[places[HEAD].next].symbol == places[places[child.n_rows + 1].previous].symbol
    )
