"""The run phase of pair substitution: passes over runs of equal symbols; inlined into nsrps.pyx.

Where the sequence consists of few long runs, a step costs one visit to every run, however long the runs are.
Neighbouring runs have different symbols, and none is empty.
"""

from pytrees._core.sequence.substitution cimport PairSubstitution, Run
from pytrees._core.sequence.nsrps_dense cimport TABLE_SYMBOLS, finish_single, note, reaches_limit
from pytrees._core.base.types cimport NONE, index_t

cdef enum:
    RUN_SHARE = 3       # by runs while there are at most a third as many of them as of symbols,
    FEW_RUNS = 12       # or so few that no table of all pairs pays


cdef inline bint goes_by_runs(index_t length, index_t n_runs) noexcept nogil:
    return n_runs * RUN_SHARE <= length or n_runs <= FEW_RUNS


cdef inline index_t count_runs(PairSubstitution state) noexcept nogil:
    cdef index_t i, n_runs = 1
    for i in range(1, state.length):
        n_runs += state.sequence[i] != state.sequence[i - 1]
    return n_runs


cdef inline bint substitute_runs(PairSubstitution state, index_t n_runs) noexcept nogil:
    """Substitute by runs while they are long; True where the sequence is done. Where it is not, `sequence` holds it."""
    cdef Run* runs = &state.runs[0]
    cdef Run* spare_runs = &state.runs[state.capacity + 1]
    cdef index_t left = NONE, right = NONE, count
    while goes_by_runs(state.length, n_runs) and state.n_symbols < TABLE_SYMBOLS:
        count = _most_frequent_in_runs(state, runs, n_runs, &left, &right)
        if reaches_limit(state):
            state.n_steps = state.limit
            return True
        if count == 1:
            _sequence_from_runs(state, runs, n_runs)
            finish_single(state)
            return True
        if left == right:
            n_runs = _replace_equal(state, runs, n_runs, spare_runs, left)
        else:
            n_runs = _replace_unequal(state, runs, n_runs, spare_runs, left, right)
        runs, spare_runs = spare_runs, runs
        state.n_symbols += 1
        state.length -= count
        note(state, left, right, count)
        if state.length == count:
            return True
    _sequence_from_runs(state, runs, n_runs)
    return False


cdef inline void runs_from_sequence(PairSubstitution state) noexcept nogil:
    cdef Run* runs = &state.runs[0]
    cdef index_t i, n_runs = 0
    runs[0].symbol = state.sequence[0]
    runs[0].length = 1
    # runs[:n_runs + 1] hold sequence[:i].
    for i in range(1, state.length):
        if state.sequence[i] == runs[n_runs].symbol:
            runs[n_runs].length += 1
        else:
            n_runs += 1
            runs[n_runs].symbol = state.sequence[i]
            runs[n_runs].length = 1


cdef inline void _sequence_from_runs(PairSubstitution state, const Run* runs, index_t n_runs) noexcept nogil:
    cdef index_t i, j, written = 0
    for i in range(n_runs):
        for j in range(runs[i].length):
            state.sequence[written + j] = runs[i].symbol
        written += runs[i].length


cdef inline index_t _most_frequent_in_runs(
    PairSubstitution state, const Run* runs, index_t n_runs, index_t* left, index_t* right
) noexcept nogil:
    """The top count and, of the pairs that reach it, the one met first from the left; counts the distinct pairs.
    `run_table` is zero before and after: only what the runs touch is ever looked at."""
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
    # Pairs are met in the order of their first occurrences; a count that was met before is zero by now.
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
    """Replace the pairs of a symbol with itself: a run of them becomes half a run, and one symbol where it was odd."""
    cdef index_t i, pairs, rest, written = 0
    for i in range(n_runs):
        pairs = (runs[i].length >> 1) & -(runs[i].symbol == symbol)
        rest = runs[i].length - 2 * pairs
        target[written].symbol = state.n_symbols
        target[written].length = pairs
        written += pairs > 0
        target[written].symbol = runs[i].symbol
        target[written].length = rest
        written += rest > 0
    return written


cdef inline index_t _replace_unequal(
    PairSubstitution state, const Run* runs, index_t n_runs, Run* target, index_t left, index_t right
) noexcept nogil:
    """Replace the pairs of two symbols, each of which takes one symbol from two neighbouring runs."""
    cdef index_t i, rest, starts, ends = 0, written = 0
    for i in range(n_runs):
        starts = i + 1 < n_runs and runs[i].symbol == left and runs[i + 1].symbol == right
        rest = runs[i].length - starts - ends
        target[written].symbol = runs[i].symbol
        target[written].length = rest
        written += rest > 0
        if starts and rest == 0 and written > 0 and target[written - 1].symbol == state.n_symbols:
            target[written - 1].length += 1
        elif starts:
            target[written].symbol = state.n_symbols
            target[written].length = 1
            written += 1
        ends = starts
    return written
