"""Effort-To-Compress of slices of a sequence, by pairs or by longer n-grams.

The rule is the one of ``reference/sequence/ngrams.py``: a step replaces the most frequent n-gram, `order` neighbouring
symbols, by a new symbol. `substitution` does this for pairs. For longer n-grams, the symbols are linked over their
positions, and so are the positions of every n-gram, in ascending order. A step visits only the occurrences that it
replaces, and the n-grams that it makes.

A heap holds the n-grams by their counts and first positions. The count of an n-gram never rises after the step that
makes it, and its first position never moves to the left. An old count is therefore an upper bound: an n-gram is counted
anew only when it comes to the top of the heap. If its count has not changed, it is the most frequent one.
"""

import numpy as np

cimport cython

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.sequence.heap cimport pop, push
from pytrees._core.sequence.substitution cimport PairSubstitution, effort

from pytrees._core.sequence.substitution import MAX_LENGTH


cdef enum:
    OCCURRENCES_BETWEEN_CHECKS = 100000     # for signals


cdef struct LinkedSymbol:
    index_t symbol
    index_t previous, next      # neighbouring positions that hold a symbol
    index_t ngram               # the n-gram that starts here, or NONE
    index_t earlier, later      # neighbouring positions at which the same n-gram starts


cdef struct NGram:
    index_t first, last         # its positions are linked from first to last; NONE if it no longer occurs
    index_t count               # occurrences without overlap when they were counted last
    index_t is_changed          # whether it has lost a position since then
    index_t counted_to          # position of the last symbol of the occurrence that was counted last
    index_t hashed_at           # its element of `hashed`


_SYMBOL = np.dtype([(name, np.int32) for name in ("symbol", "previous", "next", "ngram", "earlier", "later")])
_NGRAM = np.dtype([(name, np.int32) for name in ("first", "last", "count", "is_changed", "counted_to", "hashed_at")])


@cython.final
cdef class NGramSubstitution:
    """Memory for sequences of up to `capacity` symbols, and for n-grams of `order` symbols, at least three."""

    cdef index_t order, length, n_ngrams, n_old, heap_size
    cdef int64_t unchecked          # occurrences since signals were checked
    cdef uint64_t mask
    cdef LinkedSymbol[::1] symbols
    cdef NGram[::1] ngrams          # ngrams[n_old:n_ngrams] are made by the present step
    cdef index_t[::1] hashed        # the indices of these n-grams by their hash, or NONE
    cdef index_t[::1] replaced      # the positions that hold the new symbol
    cdef int64_t[::1] heap

    def __cinit__(self, Py_ssize_t capacity, Py_ssize_t order):
        # A replaced occurrence takes order - 1 symbols, and makes at most `order` n-grams.
        cdef Py_ssize_t most_ngrams = 2 * capacity + capacity // (order - 1) + 1, n_hashed = 4
        if capacity > MAX_LENGTH:
            raise ValueError(f"Sequences of at most {MAX_LENGTH} labels can be compressed.")
        while n_hashed < 2 * capacity:
            n_hashed *= 2
        self.order = <index_t> order
        self.mask = <uint64_t> (n_hashed - 1)
        self.symbols = np.empty(capacity, dtype=_SYMBOL)
        self.ngrams = np.empty(most_ngrams, dtype=_NGRAM)
        self.hashed = np.full(n_hashed, NONE, dtype=np.int32)
        self.replaced = np.empty(capacity // order + 1, dtype=np.int32)
        # Every position enters the heap at most once. The heap's loops read one element after its last.
        self.heap = np.zeros(most_ngrams + 1, dtype=np.int64)


cdef index_t _effort_of_ngrams(NGramSubstitution state, index_t length, index_t n_symbols) except -1 nogil:
    """Count the steps of the sequence symbols[:length]."""
    cdef index_t i, ngram, n_replaced, n_steps = 0
    cdef bint is_constant = True
    for i in range(1, length):
        is_constant = is_constant and state.symbols[i].symbol == state.symbols[0].symbol
    if length < state.order or is_constant:
        return 0
    _start(state, length)
    while True:
        ngram = _take_ngram(state)
        if ngram == NONE:
            # Every n-gram occurs once. The same holds after every later step, which takes the first n-gram.
            return n_steps + (state.length - 1) // (state.order - 1)
        n_replaced = _replace(state, ngram, n_symbols + n_steps)
        n_steps += 1
        if state.length == n_replaced:
            return n_steps
        _add_around(state, n_replaced)


cdef inline int _check(NGramSubstitution state) except -1 nogil:
    check_signals(&state.unchecked, 1, OCCURRENCES_BETWEEN_CHECKS)


cdef int _start(NGramSubstitution state, index_t length) except -1 nogil:
    """Link the symbols, and add the n-grams of all positions."""
    cdef index_t i
    state.length = length
    state.n_ngrams = state.n_old = state.heap_size = 0
    for i in range(length):
        state.symbols[i].previous = i - 1 if i > 0 else NONE
        state.symbols[i].next = i + 1 if i + 1 < length else NONE
    for i in range(length):
        _check(state)
        _add_position(state, i)
    return _push_new(state)


cdef int _add_around(NGramSubstitution state, index_t n_replaced) except -1 nogil:
    """Add the n-grams that contain a new symbol: they start at its position, or up to order - 1 positions before it."""
    cdef index_t i, _j, at, done = NONE
    # The positions up to `done` have been added.
    for i in range(n_replaced):
        _check(state)
        at = state.replaced[i]
        for _j in range(state.order - 1):
            if state.symbols[at].previous <= done:
                break
            at = state.symbols[at].previous
        while done < state.replaced[i]:
            _add_position(state, at)
            done = at
            at = state.symbols[at].next
    return _push_new(state)


cdef inline index_t _last_position(NGramSubstitution state, index_t position) noexcept nogil:
    """Return the position of the last symbol of the n-gram that starts here; NONE if the sequence ends before it."""
    cdef index_t _i
    for _i in range(state.order - 1):
        if position == NONE:
            break
        position = state.symbols[position].next
    return position


cdef inline void _add_position(NGramSubstitution state, index_t position) noexcept nogil:
    """Add an occurrence to the n-gram that starts here, if there is one. The positions of a step ascend."""
    cdef LinkedSymbol* here = &state.symbols[position]
    cdef index_t last = _last_position(state, position)
    cdef NGram* ngram
    here.ngram = NONE
    if last == NONE:
        return
    here.ngram = _find_new(state, position)
    ngram = &state.ngrams[here.ngram]
    here.later = NONE
    here.earlier = ngram.last
    if ngram.last != NONE:
        state.symbols[ngram.last].later = position
    ngram.last = position
    if position > ngram.counted_to:
        ngram.count += 1
        ngram.counted_to = last


cdef inline index_t _find_new(NGramSubstitution state, index_t position) noexcept nogil:
    """Return the index of the n-gram that starts here among those that the present step makes."""
    cdef uint64_t code = 0
    cdef index_t _i, at = position, hashed_at, ngram
    for _i in range(state.order):
        code = (code ^ <uint64_t> state.symbols[at].symbol) * <uint64_t> 0x9E3779B97F4A7C15
        code ^= code >> 29
        at = state.symbols[at].next
    hashed_at = <index_t> (code & state.mask)
    # The n-gram is not in the elements from its hash up to this one.
    while state.hashed[hashed_at] != NONE:
        ngram = state.hashed[hashed_at]
        if _are_equal(state, state.ngrams[ngram].first, position):
            return ngram
        hashed_at = <index_t> (<uint64_t> (hashed_at + 1) & state.mask)
    ngram = state.n_ngrams
    state.n_ngrams += 1
    state.hashed[hashed_at] = ngram
    state.ngrams[ngram] = NGram(position, NONE, 0, False, NONE, hashed_at)
    return ngram


cdef inline bint _are_equal(NGramSubstitution state, index_t first, index_t second) noexcept nogil:
    cdef index_t _i
    for _i in range(state.order):
        if state.symbols[first].symbol != state.symbols[second].symbol:
            return False
        first, second = state.symbols[first].next, state.symbols[second].next
    return True


cdef int _push_new(NGramSubstitution state) except -1 nogil:
    """End a step: put the n-grams that it has made into the heap."""
    cdef index_t ngram
    for ngram in range(state.n_old, state.n_ngrams):
        _check(state)
        state.hashed[state.ngrams[ngram].hashed_at] = NONE
        _push(state, ngram)
    state.n_old = state.n_ngrams


cdef inline void _push(NGramSubstitution state, index_t ngram) noexcept nogil:
    """Put an n-gram into the heap if it occurs twice; the highest count comes first, then the leftmost position."""
    if state.ngrams[ngram].count >= 2:
        push(state.heap, &state.heap_size, _key(&state.ngrams[ngram]))


cdef inline int64_t _key(const NGram* ngram) noexcept nogil:
    return (-<int64_t> ngram.count) * (<int64_t> 1 << 32) + ngram.first


cdef index_t _take_ngram(NGramSubstitution state) except -2 nogil:
    """Return the most frequent n-gram, the leftmost of several; NONE if none occurs twice."""
    cdef index_t ngram
    cdef int64_t key
    while state.heap_size > 0:
        _check(state)
        key = pop(state.heap, &state.heap_size)
        ngram = state.symbols[<index_t> (key & 0x7FFFFFFF)].ngram
        # An n-gram that has lost its first position was pushed once more, with the new one.
        if ngram == NONE or _key(&state.ngrams[ngram]) != key:
            continue
        if not state.ngrams[ngram].is_changed:
            return ngram
        _count_again(state, ngram)
        _push(state, ngram)
    return NONE


cdef void _count_again(NGramSubstitution state, index_t ngram) noexcept nogil:
    """Count an n-gram without overlap, greedily from the left."""
    cdef index_t position = state.ngrams[ngram].first, counted_to = NONE, count = 0
    while position != NONE:
        if position > counted_to:
            count += 1
            counted_to = _last_position(state, position)
        position = state.symbols[position].later
    state.ngrams[ngram].count = count
    state.ngrams[ngram].is_changed = False


cdef index_t _replace(NGramSubstitution state, index_t ngram, index_t new) except -1 nogil:
    """Replace every occurrence of the n-gram, left to right; return their number."""
    cdef index_t _i, position, at, n_replaced = 0
    state.ngrams[ngram].count = 0
    while state.ngrams[ngram].first != NONE:
        _check(state)
        position = at = state.ngrams[ngram].first
        # The n-grams that start in this occurrence are lost here; those that reach into it, below.
        for _i in range(state.order):
            _lose(state, at)
            at = state.symbols[at].next
        state.symbols[position].next = at
        if at != NONE:
            state.symbols[at].previous = position
        state.symbols[position].symbol = new
        at = state.symbols[position].previous
        for _i in range(state.order - 1):
            if at == NONE:
                break
            _lose(state, at)
            at = state.symbols[at].previous
        state.replaced[n_replaced] = position
        n_replaced += 1
    state.length -= n_replaced * (state.order - 1)
    return n_replaced


cdef inline void _lose(NGramSubstitution state, index_t position) noexcept nogil:
    """Take the occurrence at a position from its n-gram."""
    cdef LinkedSymbol* here = &state.symbols[position]
    cdef NGram* ngram
    if here.ngram == NONE:
        return
    ngram = &state.ngrams[here.ngram]
    ngram.is_changed = True
    if here.later != NONE:
        state.symbols[here.later].earlier = here.earlier
    if here.earlier != NONE:
        state.symbols[here.earlier].later = here.later
    else:
        ngram.first = here.later
        if here.later != NONE:
            _push(state, here.ngram)
    here.ngram = NONE


# --------------------------------------------------------------------------------------------------------- from Python

def efforts(
    const index_t[::1] codes, Py_ssize_t n_symbols, const int64_t[::1] starts, const int64_t[::1] stops,
    Py_ssize_t order,
):
    """Count, for every slice codes[start:stop], the substitutions of n-grams of `order` symbols until the slice is
    constant or shorter than an n-gram."""
    cdef Py_ssize_t i, longest = 0
    cdef index_t length
    cdef int64_t work_done = 0
    for i in range(codes.shape[0]):
        if not 0 <= codes[i] < n_symbols:
            raise ValueError(f"Code {codes[i]} at position {i} is outside 0..{n_symbols - 1}.")
    if starts.shape[0] != stops.shape[0] or order < 2:
        raise ValueError("A slice needs a start and a stop, and an n-gram at least two symbols.")
    for i in range(starts.shape[0]):
        if not 0 <= starts[i] <= stops[i] <= codes.shape[0]:
            raise ValueError(f"No slice {starts[i]}:{stops[i]} in a sequence of {codes.shape[0]}.")
        longest = max(longest, <Py_ssize_t> (stops[i] - starts[i]))
    cdef int64_t[::1] counts = np.zeros(starts.shape[0], dtype=np.int64)
    if order > longest:
        return np.asarray(counts)
    cdef PairSubstitution pairs = PairSubstitution(longest, min(longest, n_symbols)) if order == 2 else None
    cdef NGramSubstitution ngrams = NGramSubstitution(longest, order) if order > 2 else None
    cdef index_t[::1] recoded = np.zeros(n_symbols, dtype=np.int32)
    cdef int64_t[::1] met_in = np.full(n_symbols, NONE, dtype=np.int64)
    with nogil:
        for i in range(starts.shape[0]):
            length = <index_t> (stops[i] - starts[i])
            check_signals(&work_done, length + 1, WORK_BETWEEN_CHECKS)
            if length >= order:
                counts[i] = _effort_of_slice(pairs, ngrams, &codes[starts[i]], length, i, recoded, met_in)
    return np.asarray(counts)


cdef index_t _effort_of_slice(
    PairSubstitution pairs, NGramSubstitution ngrams, const index_t* codes, index_t length, int64_t number,
    index_t[::1] recoded, int64_t[::1] met_in
) except -1 nogil:
    """Return the effort of one slice.

    Its symbols are coded anew, so that the work does not grow with the symbols of other slices. recoded[code] is valid
    if met_in[code] is the number of the slice.
    """
    cdef index_t i, n_symbols = 0
    for i in range(length):
        if met_in[codes[i]] != number:
            met_in[codes[i]] = number
            recoded[codes[i]] = n_symbols
            n_symbols += 1
        if pairs is not None:
            pairs.sequence[i] = recoded[codes[i]]
        else:
            ngrams.symbols[i].symbol = recoded[codes[i]]
    if pairs is not None:
        return effort(pairs, length, n_symbols, UNLIMITED)
    return _effort_of_ngrams(ngrams, length, n_symbols)
