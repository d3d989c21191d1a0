"""Non-sequential recursive pair substitution (NSRPS) and the Effort-To-Compress it measures.

A step replaces the most frequent pair of neighbouring symbols by a new symbol, everywhere; the effort is the number of
steps until all symbols are equal. Occurrences are counted without overlap, greedily from the left; among equally
frequent pairs the first one from the left is taken (``reference/sequence/substitution.py`` has the source). A sequence
goes through up to three phases, which together take nearly linear time.

*Run phase.* If the sequence has few long runs of equal symbols, it is kept as runs, and a step visits each run once,
however long the run is. Neighbouring runs have different symbols, and no run is empty.

*Dense phase.* While the most frequent pair is a good share of the sequence and the alphabet is small, a step is two
sequential passes: one counts all pairs in a table, one rewrites the sequence. The passes suit the cache, and long
sequences shrink here to a fraction of their length.

*Sparse phase.* The rest is grammar compression (Larsson and Moffat, "Off-line dictionary-based compression", 2000). The
symbols are linked over their positions, the positions of every pair stand together in ascending order, and the pairs
wait in buckets by count. A step visits only the occurrences that it replaces. It makes new pairs only with its new
symbol, so the count of an older pair never rises. The buckets are therefore walked downwards once, and a pair that
occurs once when it is made is never tracked.
"""

from threading import local

import numpy as np

cimport cython
from libc.string cimport memset

from pytrees._core.base.compiler cimport prefetch, trailing_zeros
from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint8_t, uint64_t
from pytrees._core.sequence.marks cimport clear_marks, is_marked, mark, n_groups, n_words, take_lowest
from pytrees._core.sequence.occurrences cimport (
    SINGLE, Event, Fresh, Pair, PairStep, Position, fetch_neighbours, replace_occurrence,
)
from pytrees._core.sequence.passes cimport count_pairs, load_codes, replace_in_bytes

cdef enum:
    RUN_SHARE = 3           # run phase while there are at most a third as many runs as symbols,
    FEW_RUNS = 12           # or at most 12 runs, for which no table of all pairs pays
    TABLE_SYMBOLS = 64      # the alphabet at which the dense phase ends: the table holds its square
    CACHED_LENGTH = 32768   # above this many symbols, half a megabyte, the sparse phase fetches memory ahead
    DENSE_SHARE = 20        # dense phase while the top pair is at least 1/20 of the sequence,
    LONG_DENSE_SHARE = 48   # or 1/48 if the sequence is not cached
    CANDIDATES = 7          # pairs whose memory is fetched,
    WORDS_AHEAD = 8         # if their marks are in one of so many words
    FIRST_FETCHED = 4       # occurrences of a pair fetched before its step,
    FETCHED_AHEAD = 16      # and in it,
    NEIGHBOURS_AHEAD = 6    # and of the pairs on both sides
    WORK_OF_AN_OCCURRENCE = 10  # of the sparse phase, in labels of the dense one
    MAX_KEPT_LENGTH = 16384     # labels of the state that a thread keeps: about a megabyte

_POSITION = np.dtype([(name, np.int32) for name in ("symbol", "previous", "next", "pair")])
_PAIR = np.dtype([(name, np.int32) for name in ("count", "first", "stop", "next")])
_EVENT = np.dtype([(name, np.int32) for name in ("position", "fresh")])
_RUN = np.dtype([(name, np.int32) for name in ("symbol", "length")])
_FRESH = np.dtype([(name, np.int32) for name in ("count", "size", "pair")])

# The largest numbers kept are indices into `occurrences`, four for a label; they must fit index_t.
MAX_LENGTH = (2**31 - 2) // 4

_kept = local()


@cython.final
cdef class PairSubstitution:
    """Memory for sequences of up to `capacity` labels over up to `symbol_capacity` different ones."""

    def __cinit__(self, Py_ssize_t capacity, Py_ssize_t symbol_capacity, bint record=False):
        if not 0 <= capacity <= MAX_LENGTH or not 0 <= symbol_capacity <= MAX_LENGTH:
            raise ValueError(f"Sequences of at most {MAX_LENGTH} labels can be compressed.")
        self.capacity = capacity
        self.symbol_capacity = symbol_capacity
        self.record = record
        # A substitution of a pair that occurs twice shortens the sequence by two. So fewer than capacity / 2 symbols
        # are made, and at most capacity / 2 + capacity pairs are tracked.
        cdef Py_ssize_t symbols = symbol_capacity + capacity // 2 + 2
        self.sequence = np.empty(capacity, dtype=np.int32)
        self.substitutions = np.empty((capacity if record else 0, 4), dtype=np.int32)
        # One run more than there are symbols, because an empty run is written after the last one.
        self.runs = np.empty(2 * (capacity + 1), dtype=_RUN)
        self.run_table = np.zeros(TABLE_SYMBOLS * TABLE_SYMBOLS, dtype=np.int32)
        self.dense = np.empty(capacity, dtype=np.uint8)
        self.stays = np.empty(capacity, dtype=np.uint8)
        self.table = np.empty(TABLE_SYMBOLS * TABLE_SYMBOLS, dtype=np.int32)
        self.positions = np.empty(capacity, dtype=_POSITION)
        # A label starts one occurrence, or two as `_track_from_table` estimates. A replaced one makes at most two more.
        self.occurrences = np.empty(4 * capacity + 1, dtype=np.int32)
        self.pairs = np.empty(capacity + capacity // 2 + 2, dtype=_PAIR)
        self.buckets = np.empty(capacity // 2 + 2, dtype=np.int32)
        self.words = np.empty(n_words(capacity), dtype=np.uint64)
        self.groups = np.empty(n_groups(capacity), dtype=np.uint64)
        self.pair_of_mark = np.empty(capacity, dtype=np.int32)
        self.events = np.empty(capacity + 2, dtype=_EVENT)
        self.fresh = np.empty(capacity + 2, dtype=_FRESH)
        self.fresh_before = np.empty(symbols, dtype=np.int32)
        self.fresh_after = np.empty(symbols, dtype=np.int32)
        self.offsets = np.empty(symbols + 1, dtype=np.int32)


cdef index_t effort(PairSubstitution state, index_t length, index_t n_symbols, index_t limit) except -1 nogil:
    """Count steps until `state.sequence[:length]` is constant; return `limit` as soon as they are known to reach it."""
    cdef index_t n_runs
    if length < 2:
        return 0
    state.length = length
    n_runs = _count_runs(state)
    if _goes_by_runs(length, n_runs):
        _runs_from_sequence(state)
        return effort_of_runs(state, n_runs, length, n_symbols, limit)
    _start(state, length, n_symbols, limit)
    return _finish(state)


cdef index_t effort_of_runs(
    PairSubstitution state, index_t n_runs, index_t length, index_t n_symbols, index_t limit
) except -1 nogil:
    """Return the effort of the sequence that `state.runs[:n_runs]` spell."""
    _start(state, length, n_symbols, limit)
    if n_runs < 2:
        return 0
    if _substitute_runs(state, n_runs):
        return min(state.n_steps, limit)
    return _finish(state)


cdef inline void _start(PairSubstitution state, index_t length, index_t n_symbols, index_t limit) noexcept nogil:
    state.length = length
    state.n_symbols = n_symbols
    state.n_steps = 0
    state.limit = limit


cdef index_t _finish(PairSubstitution state) except -1 nogil:
    if not _substitute_dense(state):
        _substitute_sparse(state)
    return min(state.n_steps, state.limit)


cdef inline int _check(PairSubstitution state, int64_t work) except -1 nogil:
    """Handle signals now and then."""
    check_signals(&state.unchecked, work, WORK_BETWEEN_CHECKS)


# ------------------------------------------------------------------------------------------------- steps of all phases

cdef inline void _note(PairSubstitution state, index_t left, index_t right, index_t count) noexcept nogil:
    """Count one substitution; `length` is already the length after it."""
    if state.record:
        state.substitutions[state.n_steps, 0] = left
        state.substitutions[state.n_steps, 1] = right
        state.substitutions[state.n_steps, 2] = count
        state.substitutions[state.n_steps, 3] = state.length
    state.n_steps += 1


cdef inline bint _reaches_limit(PairSubstitution state) noexcept nogil:
    """Whether the steps done and the steps that must follow reach the limit: at least n_distinct - 1 steps follow.

    A step that replaces (a, b) lowers n_distinct by at most one. Other pairs may die out, (x, a) before or (b, y) after
    a replaced (a, b), but the pair (x, new) or (new, y) takes the place of each. In the end n_distinct is 1 for a
    constant sequence of two or more symbols, and 0 for a single symbol.
    """
    return state.n_steps + state.n_distinct - 1 >= state.limit


cdef inline void _finish_single(PairSubstitution state) noexcept nogil:
    """Finish a sequence in which every pair occurs once. Each step replaces the first pair, after which
    every pair still occurs once."""
    cdef index_t i, left, length = state.length
    if not state.record:
        state.n_steps += state.length - 1
        return
    left = state.sequence[0]
    for i in range(1, length):
        state.length -= 1
        _note(state, left, state.sequence[i], 1)
        left = state.n_symbols
        state.n_symbols += 1


# ----------------------------------------------------------------------------------------------------------- run phase

cdef inline bint _goes_by_runs(index_t length, index_t n_runs) noexcept nogil:
    return n_runs * RUN_SHARE <= length or n_runs <= FEW_RUNS


cdef inline index_t _count_runs(PairSubstitution state) noexcept nogil:
    cdef index_t i, n_runs = 1
    for i in range(1, state.length):
        n_runs += state.sequence[i] != state.sequence[i - 1]
    return n_runs


cdef inline bint _substitute_runs(PairSubstitution state, index_t n_runs) except -1 nogil:
    """Substitute while the runs are long; return whether the sequence is done. If it is not, `sequence` holds it."""
    cdef Run* runs = &state.runs[0]
    cdef Run* spare_runs = &state.runs[state.capacity + 1]
    cdef index_t left = NONE, right = NONE, count
    while _goes_by_runs(state.length, n_runs) and state.n_symbols < TABLE_SYMBOLS:
        _check(state, n_runs)
        count = _most_frequent_in_runs(state, runs, n_runs, &left, &right)
        if _reaches_limit(state):
            state.n_steps = state.limit
            return True
        if count == 1:
            _sequence_from_runs(state, runs, n_runs)
            _finish_single(state)
            return True
        if left == right:
            n_runs = _replace_equal(state, runs, n_runs, spare_runs, left)
        else:
            n_runs = _replace_unequal(state, runs, n_runs, spare_runs, left, right)
        runs, spare_runs = spare_runs, runs
        state.n_symbols += 1
        state.length -= count
        _note(state, left, right, count)
        if state.length == count:
            return True
    _sequence_from_runs(state, runs, n_runs)
    return False


cdef inline void _runs_from_sequence(PairSubstitution state) noexcept nogil:
    cdef Run* runs = &state.runs[0]
    cdef index_t i, n_runs = 0
    runs[0] = Run(state.sequence[0], 1)
    # runs[:n_runs + 1] hold sequence[:i].
    for i in range(1, state.length):
        if state.sequence[i] == runs[n_runs].symbol:
            runs[n_runs].length += 1
        else:
            n_runs += 1
            runs[n_runs] = Run(state.sequence[i], 1)


cdef inline void _sequence_from_runs(PairSubstitution state, const Run* runs, index_t n_runs) noexcept nogil:
    cdef index_t i, j, written = 0
    for i in range(n_runs):
        for j in range(runs[i].length):
            state.sequence[written + j] = runs[i].symbol
        written += runs[i].length


cdef inline index_t _most_frequent_in_runs(
    PairSubstitution state, const Run* runs, index_t n_runs, index_t* left, index_t* right
) noexcept nogil:
    """Find the top count and the first pair from the left that reaches it; count the distinct pairs.

    `run_table` is zero before and after. Only the counts of pairs that occur are visited.
    """
    cdef index_t i, symbol, before, count, best = 0, n_distinct = 0
    for i in range(n_runs):
        symbol = runs[i].symbol
        if i > 0:
            count = state.run_table[before * TABLE_SYMBOLS + symbol]
            n_distinct += count == 0
            state.run_table[before * TABLE_SYMBOLS + symbol] = count + 1
        count = state.run_table[symbol * (TABLE_SYMBOLS + 1)]
        n_distinct += (count == 0) & (runs[i].length > 1)
        state.run_table[symbol * (TABLE_SYMBOLS + 1)] = count + (runs[i].length >> 1)
        before = symbol
    state.n_distinct = n_distinct
    # Pairs are met in the order of their first occurrences. A count that was taken is zero.
    for i in range(n_runs):
        symbol = runs[i].symbol
        if i > 0:
            _take_count(state, before, symbol, &best, left, right)
        if runs[i].length > 1:
            _take_count(state, symbol, symbol, &best, left, right)
        before = symbol
    return best


cdef inline void _take_count(
    PairSubstitution state, index_t symbol, index_t following, index_t* best, index_t* left, index_t* right
) noexcept nogil:
    cdef index_t count = state.run_table[symbol * TABLE_SYMBOLS + following]
    state.run_table[symbol * TABLE_SYMBOLS + following] = 0
    if count > best[0]:
        best[0] = count
        left[0] = symbol
        right[0] = following


cdef inline index_t _replace_equal(
    PairSubstitution state, const Run* runs, index_t n_runs, Run* target, index_t symbol
) noexcept nogil:
    """Replace the pairs of a symbol with itself: a run becomes half as long, and an odd run keeps one symbol."""
    cdef index_t i, pairs, rest, written = 0
    for i in range(n_runs):
        pairs = (runs[i].length >> 1) & -(runs[i].symbol == symbol)
        rest = runs[i].length - 2 * pairs
        target[written] = Run(state.n_symbols, pairs)
        written += pairs > 0
        target[written] = Run(runs[i].symbol, rest)
        written += rest > 0
    return written


cdef inline index_t _replace_unequal(
    PairSubstitution state, const Run* runs, index_t n_runs, Run* target, index_t left, index_t right
) noexcept nogil:
    """Replace the pairs of two symbols: a pair takes one symbol from each of two neighbouring runs."""
    cdef index_t i, rest, starts, ends = 0, written = 0
    for i in range(n_runs):
        starts = i + 1 < n_runs and runs[i].symbol == left and runs[i + 1].symbol == right
        rest = runs[i].length - starts - ends
        target[written] = Run(runs[i].symbol, rest)
        written += rest > 0
        if starts and rest == 0 and written > 0 and target[written - 1].symbol == state.n_symbols:
            target[written - 1].length += 1
        elif starts:
            target[written] = Run(state.n_symbols, 1)
            written += 1
        ends = starts
    return written


# --------------------------------------------------------------------------------------------------------- dense phase

cdef inline bint _substitute_dense(PairSubstitution state) except -1 nogil:
    """Substitute by whole passes while these are cheaper; return whether the sequence is done.

    If it is not, `sequence` holds it, and `table` the counts of its pairs, if the table has room for the alphabet.
    """
    cdef index_t i, left = NONE, right = NONE, count = 0, length = state.length
    cdef index_t share = LONG_DENSE_SHARE if length > CACHED_LENGTH else DENSE_SHARE
    cdef uint8_t* dense = &state.dense[0]
    cdef bint is_done = False
    if state.n_symbols > TABLE_SYMBOLS:
        return False
    for i in range(state.length):
        dense[i] = <uint8_t> state.sequence[i]
    while state.n_symbols <= TABLE_SYMBOLS and not is_done:
        _check(state, state.length)
        count_pairs(dense, state.length, state.n_symbols, &state.table[0])
        count = _most_frequent(state, &left, &right)
        if _reaches_limit(state):
            state.n_steps = state.limit
            return True
        if count == 1 or count * share < state.length + state.n_symbols * state.n_symbols // 16:
            break
        state.length = replace_in_bytes(
            dense, &state.stays[0], state.length, <uint8_t> left, <uint8_t> right, <uint8_t> state.n_symbols
        )
        state.n_symbols += 1
        _note(state, left, right, count)
        is_done = state.length == count
    if state.length < length:
        for i in range(state.length):
            state.sequence[i] = dense[i]
    if count == 1:
        _finish_single(state)
    return is_done or count == 1


cdef inline index_t _most_frequent(PairSubstitution state, index_t* left, index_t* right) noexcept nogil:
    """Find the top count and the first pair from the left that reaches it; count the distinct pairs."""
    cdef index_t i, count, best = 0, n_distinct = 0, n_symbols = state.n_symbols
    for i in range(n_symbols * n_symbols):
        count = state.table[i]
        best = count if count > best else best
        n_distinct += count > 0
    state.n_distinct = n_distinct
    for i in range(state.length - 1):
        if state.table[state.dense[i] * n_symbols + state.dense[i + 1]] == best:
            left[0] = state.dense[i]
            right[0] = state.dense[i + 1]
            break
    return best


# -------------------------------------------------------------------------------------------------------- sparse phase

cdef int _substitute_sparse(PairSubstitution state) except -1 nogil:
    cdef index_t pair
    if state.n_symbols > TABLE_SYMBOLS and not _has_repeated_symbol(state):
        _finish_single(state)
        return 0
    _start_sparse(state)
    _check(state, WORK_OF_AN_OCCURRENCE * <int64_t> state.length)
    if state.n_symbols > TABLE_SYMBOLS and not _count_by_sorting(state):
        _finish_single(state)
        return 0
    _link(state)
    _check(state, WORK_OF_AN_OCCURRENCE * <int64_t> state.length)
    if state.n_symbols <= TABLE_SYMBOLS:
        _track_from_table(state)
    else:
        _settle(state)
    while True:
        if _reaches_limit(state):
            state.n_steps = state.limit
            return 0
        pair = _next_pair(state)
        if pair == NONE:
            _unlink(state)
            _finish_single(state)
            return 0
        _check(state, WORK_OF_AN_OCCURRENCE * <int64_t> state.pairs[pair].count)
        if _substitute(state, pair):
            return 0


cdef bint _has_repeated_symbol(PairSubstitution state) noexcept nogil:
    """Whether any symbol occurs twice. Otherwise no pair does, and the memory for pairs need not be touched."""
    cdef index_t i
    memset(&state.offsets[0], 0, state.n_symbols * sizeof(index_t))
    for i in range(state.length):
        if state.offsets[state.sequence[i]] > 0:
            return True
        state.offsets[state.sequence[i]] = 1
    return False


cdef void _start_sparse(PairSubstitution state) noexcept nogil:
    cdef index_t i
    state.n_pairs = SINGLE + 1
    state.pairs[SINGLE].count = 0
    state.pairs[SINGLE].stop = <index_t> state.occurrences.shape[0] - 1     # written to, never read
    state.n_occurrences = 0
    clear_marks(&state.marks, &state.words[0], &state.groups[0], state.length)
    state.fetches = state.length > CACHED_LENGTH
    state.length_at_start = state.length
    state.fresh_base = 0
    state.top_count = state.length // 2 + 1
    for i in range(state.top_count + 1):
        state.buckets[i] = NONE
    for i in range(state.n_symbols):
        state.fresh_before[i] = state.fresh_after[i] = NONE
    state.n_events = state.n_fresh = 0


cdef void _link(PairSubstitution state) noexcept nogil:
    cdef index_t i
    for i in range(state.length):
        state.positions[i] = Position(state.sequence[i], i - 1, i + 1, SINGLE)
    state.positions[state.length - 1].next = NONE


cdef void _track_from_table(PairSubstitution state) noexcept nogil:
    """Track the pairs that the dense phase has counted last.

    The table counts occurrences without overlap; a pair of equal symbols has at most twice as many with overlap.
    """
    cdef index_t i, pair, n_symbols = state.n_symbols
    for i in range(n_symbols * n_symbols):
        state.table[i] = _track(state, state.table[i], state.table[i] << (i % (n_symbols + 1) == 0))
    for i in range(state.length - 1):
        _place(state, state.table[state.sequence[i] * n_symbols + state.sequence[i + 1]], i)
    for pair in range(SINGLE + 1, state.n_pairs):
        _file(state, pair)


cdef inline index_t _track(PairSubstitution state, index_t count, index_t size) noexcept nogil:
    """Track a pair, with room for `size` positions, if it occurs twice; return its index, or SINGLE.

    There is no branch on the count, which cannot be predicted: a pair that is not tracked is overwritten by the next.
    """
    cdef index_t pair = state.n_pairs, is_tracked = count >= 2
    state.pairs[pair].count = count
    state.pairs[pair].first = state.pairs[pair].stop = state.n_occurrences
    state.n_pairs += is_tracked
    state.n_occurrences += size & -is_tracked
    return pair & -is_tracked


cdef inline void _place(PairSubstitution state, index_t pair, index_t position) noexcept nogil:
    """Note that a pair starts at a position. The positions of SINGLE are written to one element that is never read."""
    state.positions[position].pair = pair
    state.occurrences[state.pairs[pair].stop] = position
    state.pairs[pair].stop += pair != SINGLE


cdef bint _count_by_sorting(PairSubstitution state) noexcept nogil:
    """Count the pairs of any alphabet: sort positions by their symbol, then count them by the symbol that follows.

    Return whether any pair occurs twice; otherwise nothing more needs to be built.
    """
    cdef index_t i, symbol, start = 0
    # Stable counting sort. In the end, offsets[s] is the end of the group of symbol s.
    memset(&state.offsets[0], 0, (state.n_symbols + 1) * sizeof(index_t))
    for i in range(state.length - 1):
        state.offsets[state.sequence[i] + 1] += 1
    for i in range(state.n_symbols):
        state.offsets[i + 1] += state.offsets[i]
    for i in range(state.length - 1):
        symbol = state.sequence[i]
        state.events[state.offsets[symbol]] = Event(i, state.sequence[i + 1])
        state.offsets[symbol] += 1
    for symbol in range(state.n_symbols):
        _count_group(state, symbol, start, state.offsets[symbol])
        start = state.offsets[symbol]
    state.n_events = state.length - 1
    state.n_distinct = state.fresh_base = state.n_fresh
    for i in range(state.n_fresh):
        if state.fresh[i].count >= 2:
            return True
    return False


cdef void _count_group(PairSubstitution state, index_t left, index_t start, index_t stop) noexcept nogil:
    """Count the pairs whose left symbol is `left`; `fresh` of an event is the right symbol, and becomes the pair."""
    cdef index_t i, position, right, index, counted_at = NONE - 1, group = state.n_fresh
    for i in range(start, stop):
        position = state.events[i].position
        right = state.events[i].fresh
        index = state.fresh_after[right]
        if index < group:
            index = state.n_fresh
            state.n_fresh += 1
            state.fresh_after[right] = index
            state.fresh[index].count = state.fresh[index].size = 0
        state.fresh[index].size += 1
        state.events[i].fresh = index
        if right == left:
            if position - 1 == counted_at:
                continue
            counted_at = position
        state.fresh[index].count += 1


cdef void _settle(PairSubstitution state) noexcept nogil:
    """Track the fresh pairs that occur twice: give them room, list their positions, put them into buckets."""
    cdef index_t i, pair, first_new = state.n_pairs
    for i in range(state.n_fresh):
        state.fresh[i].pair = _track(state, state.fresh[i].count, state.fresh[i].size)
    for i in range(state.n_events):
        _place(state, state.fresh[state.events[i].fresh].pair, state.events[i].position)
    for pair in range(first_new, state.n_pairs):
        _file(state, pair)


cdef inline void _file(PairSubstitution state, index_t pair) noexcept nogil:
    """Mark the first position of a pair of the top count; put any other pair into the bucket of its count."""
    cdef index_t count, position, other
    while True:
        count = state.pairs[pair].count
        if count != state.top_count:
            if count >= 2:
                state.pairs[pair].next = state.buckets[count]
                state.buckets[count] = pair
            return
        position = _first_position(state, pair)
        other = state.pair_of_mark[position]
        state.pair_of_mark[position] = pair
        if not is_marked(&state.marks, position):
            mark(&state.marks, position)
            return
        # The other pair no longer starts at its mark.
        pair = other


cdef inline index_t _first_position(PairSubstitution state, index_t pair) noexcept nogil:
    """Return a pair's leftmost position; positions at which it no longer starts are passed over for good."""
    cdef index_t first = state.pairs[pair].first
    while state.positions[state.occurrences[first]].pair != pair:
        first += 1
    state.pairs[pair].first = first
    return state.occurrences[first]


cdef index_t _next_pair(PairSubstitution state) noexcept nogil:
    """Return the most frequent pair, the leftmost of several; NONE if no pair occurs twice."""
    cdef index_t pair, following, position
    while True:
        # The count or the first position of a pair may have changed since the position was marked.
        while True:
            position = take_lowest(&state.marks)
            if position == NONE:
                break
            pair = state.pair_of_mark[position]
            if state.fetches:
                _fetch_candidates(state, position)
            if state.pairs[pair].count == state.top_count and state.positions[position].pair == pair:
                return pair
            _file(state, pair)
        state.top_count -= 1
        if state.top_count < 2:
            return NONE
        pair = state.buckets[state.top_count]
        while pair != NONE:
            following = state.pairs[pair].next
            _file(state, pair)
            pair = following


cdef inline void _fetch_candidates(PairSubstitution state, index_t position) noexcept nogil:
    """Fetch memory for the next steps, most of which replace few occurrences, far apart.

    Unless new pairs come first, the pairs of the next marks go next. The first positions of the next pair are fetched,
    the lists of positions of the two pairs after it, and the entries of the pairs after these.
    """
    cdef index_t word = position >> 6, last = min(word + WORDS_AHEAD, (state.length_at_start - 1) >> 6), i = 0, pair
    cdef uint64_t bits
    cdef Pair* pairs = &state.pairs[0]
    while word <= last and i < CANDIDATES:
        bits = state.marks.words[word]
        while bits != 0 and i < CANDIDATES:
            pair = state.pair_of_mark[word << 6 | trailing_zeros(bits)]
            bits &= bits - 1
            if i > 2:
                prefetch(pairs + pair)
            elif i > 0:
                prefetch(&state.occurrences[pairs[pair].first])
            else:
                _fetch_positions(state, pairs[pair].first, min(pairs[pair].first + FIRST_FETCHED, pairs[pair].stop))
            i += 1
        word += 1


cdef inline void _fetch_positions(PairSubstitution state, index_t first, index_t stop) noexcept nogil:
    cdef index_t i
    for i in range(first, stop):
        prefetch(&state.positions[state.occurrences[i]])


cdef bint _substitute(PairSubstitution state, index_t pair) noexcept nogil:
    """Replace every occurrence of the pair, left to right; return whether the sequence has become constant."""
    cdef PairStep step
    cdef index_t i, position, right
    cdef index_t first = state.pairs[pair].first, stop = state.pairs[pair].stop, count = state.pairs[pair].count
    cdef const index_t* occurrences = &state.occurrences[0]
    cdef bint fetches = state.fetches
    _start_step(state, &step, pair)
    position = occurrences[first]
    step.left = step.positions[position].symbol
    right = step.positions[step.positions[position].next].symbol
    if fetches:
        _fetch_positions(state, first + FIRST_FETCHED, min(first + FETCHED_AHEAD, stop))
    for i in range(first, stop):
        if fetches:
            if i + FETCHED_AHEAD < stop:
                prefetch(&step.positions[occurrences[i + FETCHED_AHEAD]])
            if i + NEIGHBOURS_AHEAD < stop:
                fetch_neighbours(&step, occurrences[i + NEIGHBOURS_AHEAD])
        position = occurrences[i]
        if step.positions[position].pair == pair:
            replace_occurrence(&step, position)
    step.pairs[pair].count = 0
    state.n_distinct = step.n_distinct - 1 + step.n_fresh
    state.n_symbols += 1
    state.length -= count
    _note(state, step.left, right, count)
    if state.length == count:
        return True
    state.n_fresh = step.n_fresh
    state.n_events = step.n_events
    if step.has_repeated:
        _settle(state)
    # Numbers below the base in `fresh_before` and `fresh_after` belong to earlier steps.
    state.fresh_base += step.n_fresh
    return False


cdef inline void _start_step(PairSubstitution state, PairStep* step, index_t pair) noexcept nogil:
    step.positions = &state.positions[0]
    step.pairs = &state.pairs[0]
    step.events = &state.events[0]
    step.fresh = &state.fresh[0]
    step.fresh_before = &state.fresh_before[0]
    step.fresh_after = &state.fresh_after[0]
    step.fresh_base = state.fresh_base
    step.pair = pair
    step.new = state.n_symbols
    step.counted_at = NONE - 1
    step.n_distinct = state.n_distinct
    step.n_events = step.n_fresh = 0
    step.has_repeated = False
    step.fresh[0] = Fresh(0, 0, SINGLE)
    step.fresh_before[step.new] = step.fresh_after[step.new] = NONE


cdef void _unlink(PairSubstitution state) noexcept nogil:
    """Write the linked symbols back as a sequence, for the record of the last steps. The first position never goes."""
    cdef index_t at = 0, i = 0
    if not state.record:
        return
    while at != NONE:
        state.sequence[i] = state.positions[at].symbol
        i += 1
        at = state.positions[at].next


# --------------------------------------------------------------------------------------------------------- from Python

def effort_to_compress(const index_t[::1] codes, Py_ssize_t n_symbols):
    """Count the substitutions until the sequence of codes 0..n_symbols-1 is constant."""
    cdef PairSubstitution state = _loaded(codes, n_symbols, False)
    cdef index_t steps
    with nogil:
        steps = effort(state, <index_t> codes.shape[0], <index_t> n_symbols, UNLIMITED)
    return steps


def substitutions(const index_t[::1] codes, Py_ssize_t n_symbols):
    """List the substitutions as rows (left, right, count, length after); step i makes symbol n_symbols + i."""
    cdef PairSubstitution state = _loaded(codes, n_symbols, True)
    with nogil:
        effort(state, <index_t> codes.shape[0], <index_t> n_symbols, UNLIMITED)
    return np.asarray(state.substitutions)[:state.n_steps].copy()


cdef PairSubstitution _loaded(const index_t[::1] codes, Py_ssize_t n_symbols, bint record):
    """Return a state that holds the codes, which are checked."""
    cdef Py_ssize_t length = codes.shape[0]
    cdef PairSubstitution state = None
    # Every thread keeps arrays for short sequences: to make them takes as long as the substitutions.
    if not record and length <= MAX_KEPT_LENGTH and n_symbols <= MAX_KEPT_LENGTH:
        state = getattr(_kept, "state", None)
    if state is None or state.capacity < length or state.symbol_capacity < n_symbols:
        state = PairSubstitution(length, n_symbols, record)
        if not record and length <= MAX_KEPT_LENGTH and n_symbols <= MAX_KEPT_LENGTH:
            _kept.state = state
    load_codes(codes, n_symbols, &state.sequence[0] if length > 0 else NULL)
    return state
