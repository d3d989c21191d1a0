"""The dense phase of pair substitution: whole passes over the sequence; inlined into nsrps.pyx.

What both phases share, the count of steps and the early end at a limit, is here too.
"""

from libc.string cimport memset

from pytrees._core.sequence.substitution cimport PairSubstitution
from pytrees._core.base.types cimport NONE, index_t

cdef enum:
    TABLE_SYMBOLS = 64      # the alphabet at which the dense phase ends: the table holds its square
    DENSE_SHARE = 12        # dense while the top pair is at least 1/12 of the sequence


cdef inline void note(PairSubstitution state, index_t left, index_t right, index_t count) noexcept nogil:
    """Count one substitution; called when `length` is already the length after it."""
    if state.record:
        state.substitutions[state.n_steps, 0] = left
        state.substitutions[state.n_steps, 1] = right
        state.substitutions[state.n_steps, 2] = count
        state.substitutions[state.n_steps, 3] = state.length
    state.n_steps += 1


cdef inline bint reaches_limit(PairSubstitution state) noexcept nogil:
    """Whether the steps done and those that must follow reach the limit: at least n_distinct - 1 steps follow.

    For let a step replace f pairs. Every other kind of pair that dies out with it, (x, a) before or (b, y) after the
    replaced (a, b), leaves a kind of its own behind, (x, new) or (new, y): n_distinct falls by one at most. In the end
    it is 1 for a constant sequence of two or more symbols, and 0 for a single symbol.
    """
    return state.n_steps + state.n_distinct - 1 >= state.limit


cdef inline bint substitute_dense(PairSubstitution state) noexcept nogil:
    """Substitute by whole passes while that is the cheaper way; True where the sequence is done. Where it is not, and
    the alphabet fits it, the table holds the counts of the sequence as it is."""
    cdef index_t left = NONE, right = NONE, count
    while state.n_symbols <= TABLE_SYMBOLS:
        _count_pairs(state)
        count = _most_frequent(state, &left, &right)
        if reaches_limit(state):
            state.n_steps = state.limit
            return True
        if count == 1:
            finish_single(state)
            return True
        if count * DENSE_SHARE < state.length + state.n_symbols * state.n_symbols // 16:
            return False
        _replace(state, left, right)
        note(state, left, right, count)
        if state.length == count:
            return True
    return False


cdef inline void finish_single(PairSubstitution state) noexcept nogil:
    """Every pair occurs once, and so will every pair of every later step: the first one always goes next."""
    cdef index_t i, left
    if not state.record:
        state.n_steps += state.length - 1
        return
    left = state.sequence[0]
    for i in range(1, state.length):
        state.substitutions[state.n_steps, 0] = left
        state.substitutions[state.n_steps, 1] = state.sequence[i]
        state.substitutions[state.n_steps, 2] = 1
        state.substitutions[state.n_steps, 3] = state.length - i
        state.n_steps += 1
        left = state.n_symbols
        state.n_symbols += 1


cdef inline void _count_pairs(PairSubstitution state) noexcept nogil:
    cdef index_t i, left, right, same, n_symbols = state.n_symbols
    cdef index_t overlaps = 0
    memset(&state.table[0], 0, n_symbols * n_symbols * sizeof(index_t))
    left = state.sequence[0]
    # overlaps: the pair that ends at `left` was counted, and is a pair of equal symbols.
    for i in range(1, state.length):
        right = state.sequence[i]
        same = left == right
        state.table[left * n_symbols + right] += 1 - (same & overlaps)
        overlaps = same & (1 - overlaps)
        left = right


cdef inline index_t _most_frequent(PairSubstitution state, index_t* left, index_t* right) noexcept nogil:
    """The top count and, of the pairs that reach it, the one met first from the left; counts the distinct pairs."""
    cdef index_t i, count, best = 0, n_distinct = 0, n_symbols = state.n_symbols
    for i in range(n_symbols * n_symbols):
        count = state.table[i]
        best = count if count > best else best
        n_distinct += count > 0
    state.n_distinct = n_distinct
    for i in range(state.length - 1):
        if state.table[state.sequence[i] * n_symbols + state.sequence[i + 1]] == best:
            left[0] = state.sequence[i]
            right[0] = state.sequence[i + 1]
            break
    return best


cdef inline void _replace(PairSubstitution state, index_t left, index_t right) noexcept nogil:
    """Rewrite the sequence in place with a new symbol for every (left, right), greedily from the left."""
    cdef index_t i, here, starts, written = 0, emits = 1, following = state.sequence[0]
    cdef index_t changes = left ^ state.n_symbols, may_overlap = left == right
    # emits: position i is not the second half of a replaced pair. sequence[:written] is final, and written <= i.
    # No branches: where the pair stands cannot be predicted.
    for i in range(state.length - 1):
        here = following
        following = state.sequence[i + 1]
        starts = (here == left) & (following == right) & (emits | (1 - may_overlap))
        state.sequence[written] = here ^ (changes & -starts)
        written += emits
        emits = 1 - starts
    state.sequence[written] = following
    state.length = written + emits
    state.n_symbols += 1
