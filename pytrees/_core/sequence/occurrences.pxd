"""The replacement of one occurrence of a pair, in symbols that are linked: the inner loop of the sparse phase.

A pair of two symbols is tracked if it occurred twice when it was made. A step replaces all occurrences of one pair by a
new symbol. The pairs that it makes, all with the new symbol, are called fresh until the step ends.
"""

from pytrees._core.base.compiler cimport prefetch
from pytrees._core.base.types cimport NONE, index_t

cdef enum:
    SINGLE = 0      # stands for all pairs that are not tracked; tracked pairs are numbered from 1


cdef struct Position:
    index_t symbol
    index_t previous
    index_t next
    index_t pair        # the tracked pair that starts here, or SINGLE


cdef struct Pair:
    index_t count       # occurrences without overlap
    index_t first       # its positions are occurrences[first:stop], ascending; at some of them it no longer starts
    index_t stop
    index_t next        # the next pair of its bucket


cdef struct Event:
    index_t position
    index_t fresh       # the fresh pair that starts there: one that the present step makes


cdef struct Fresh:
    index_t count
    index_t size        # its positions, with overlap
    index_t pair        # its index among the tracked pairs, or SINGLE if it occurs once


cdef struct PairStep:
    # Memory of the sparse phase.
    Position* positions
    Pair* pairs
    Event* events
    Fresh* fresh
    index_t* fresh_before
    index_t* fresh_after
    index_t fresh_base
    index_t pair, left, new         # the pair that is replaced, its left symbol, and the symbol in its place
    index_t counted_at              # where the pair of the new symbol with itself was counted last
    index_t n_distinct, n_events, n_fresh
    bint has_repeated               # whether a fresh pair occurs twice


cdef inline void fetch_neighbours(const PairStep* step, index_t position) noexcept nogil:
    """Fetch what the replacement of an occurrence will change beside its symbols."""
    cdef index_t before = max(step.positions[position].previous, 0), second = max(step.positions[position].next, 0)
    prefetch(step.pairs + step.positions[before].pair)
    prefetch(step.pairs + step.positions[second].pair)
    prefetch(step.fresh_before + step.positions[before].symbol)
    prefetch(step.fresh_after + step.positions[max(step.positions[second].next, 0)].symbol)


cdef inline void replace_occurrence(PairStep* step, index_t position) noexcept nogil:
    """Replace the occurrence at a position."""
    cdef Position* at = step.positions + position
    cdef index_t before = at.previous, second = at.next, after = step.positions[second].next
    if before != NONE:
        _lose_before(step, before)
        _gain_before(step, before)
    _lose_after(step, second, after)
    at.symbol = step.new
    at.pair = SINGLE
    at.next = after
    if after != NONE:
        step.positions[after].previous = position
        # If the pair follows itself, the new symbol will follow the new symbol.
        if step.positions[after].pair != step.pair:
            _gain(step, position, step.fresh_after + step.positions[after].symbol, 1)


cdef inline void _lose_before(PairStep* step, index_t before) noexcept nogil:
    """Lose the pair that ends at an occurrence's left symbol."""
    cdef index_t lost = step.positions[before].pair, symbol = step.positions[before].symbol, run = 0, at = before
    if symbol == step.left and lost != SINGLE:
        # `before` is the right end of a run of equal symbols, which holds half as many pairs, rounded down. The loop is
        # linear in this step's work: the run is at most three times as long as the count of its pair, and the pair that
        # is replaced has at least that count.
        run = 1
        while at != NONE and step.positions[at].pair == lost:
            run += 1
            at = step.positions[at].previous
    _lose(step, lost, run)
    # The new symbol has no pair yet, and has lost none.
    step.n_distinct += (lost == SINGLE) & (symbol == step.new)
    step.positions[before].pair = SINGLE


cdef inline void _lose_after(PairStep* step, index_t second, index_t after) noexcept nogil:
    """Lose the pair that starts at an occurrence's right symbol."""
    cdef index_t lost = step.positions[second].pair, run = 0, at = after
    step.positions[second].pair = SINGLE
    if lost == step.pair or after == NONE:
        return
    if step.positions[after].symbol == step.positions[second].symbol and lost != SINGLE:
        # `second` is the left end of a run. Its pairs now start one further right; there is one less if it was even.
        run = 2
        while at != NONE and step.positions[at].pair == lost:
            run += 1
            at = step.positions[at].next
    _lose(step, lost, run)


cdef inline void _lose(PairStep* step, index_t lost, index_t run) noexcept nogil:
    """Take one occurrence from a pair, unless its run has odd length and so a symbol to spare.

    n_distinct stays a lower bound, because a pair of equal symbols may have a further, overlapping occurrence.
    """
    cdef index_t count = step.pairs[lost].count + (run & 1) - 1
    step.pairs[lost].count = count
    step.n_distinct -= (count == 0) | (lost == SINGLE)


cdef inline void _gain_before(PairStep* step, index_t before) noexcept nogil:
    """Gain the pair at position `before`, which the new symbol follows."""
    cdef index_t symbol = step.positions[before].symbol, counts = 1
    if symbol == step.new:
        # Every second pair of a run of the new symbol counts.
        counts = step.positions[before].previous != step.counted_at
        step.counted_at = before if counts else step.counted_at
    _gain(step, before, step.fresh_before + symbol, counts)


cdef inline void _gain(PairStep* step, index_t position, index_t* known, index_t counts) noexcept nogil:
    """Gain a pair at a position, whether it counts or not; `known` remembers its fresh pair, or an earlier step's."""
    cdef index_t index = known[0] - step.fresh_base, is_new = index < 0
    index += (step.n_fresh - index) & -is_new
    known[0] = step.fresh_base + index
    step.n_fresh += is_new
    step.fresh[step.n_fresh].count = step.fresh[step.n_fresh].size = 0
    step.fresh[index].count += counts
    step.fresh[index].size += 1
    step.has_repeated |= step.fresh[index].count > 1
    step.events[step.n_events] = Event(position, index)
    step.n_events += 1
