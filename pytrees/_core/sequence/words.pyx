"""Effort-To-Compress of slices of a sequence, by pairs or by longer words.

The rule is the one of ``reference/sequence/words.py``. Pairs are those of `substitution`. Longer words are kept much
like pairs in its sparse phase: the symbols are linked over their positions, and the positions of every word stand
together in ascending order. A step visits only the occurrences that it replaces and the words that these make.

How often a word occurs without overlap is counted anew only where it has lost a position and would be taken: no count
rises once a word is made, and its first position never moves to the left. So the word at the top of a heap of old
counts is the most frequent one if its own count has not changed.
"""

import numpy as np

cimport cython
from libc.stdint cimport uint64_t

from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t
from pytrees._core.sequence.substitution cimport PairSubstitution, effort

from pytrees._core.sequence.substitution import MAX_LENGTH

cdef enum:
    SINGLE = 0              # stands for all words that occur once, of which nothing is kept; others count from 1


cdef struct LinkedSymbol:
    index_t symbol
    index_t previous
    index_t next
    index_t word            # the tracked word that starts here, or SINGLE


cdef struct Word:
    index_t first           # its positions are occurrences[first:stop], ascending; some may be stale
    index_t stop
    index_t count           # occurrences without overlap when they were last counted
    index_t is_changed      # a position was lost since


cdef struct FreshWord:
    index_t position        # the first one
    index_t reach           # last position of the occurrence that was counted last
    index_t count
    index_t size            # positions, with overlap
    index_t word            # its place among the tracked words, or SINGLE
    index_t slot


cdef struct WordEvent:
    index_t position
    index_t fresh           # index into the words that the present step makes, or NONE where no word starts


cdef struct WordCandidate:
    int64_t key             # the least is taken first: the highest count, then the leftmost position
    int64_t word


_SYMBOL = np.dtype([(name, np.int32) for name in ("symbol", "previous", "next", "word")])
_WORD = np.dtype([(name, np.int32) for name in ("first", "stop", "count", "is_changed")])
_FRESH = np.dtype([(name, np.int32) for name in ("position", "reach", "count", "size", "word", "slot")])
_EVENT = np.dtype([(name, np.int32) for name in ("position", "fresh")])
_CANDIDATE = np.dtype([(name, np.int64) for name in ("key", "word")])


@cython.final
cdef class WordSubstitution:
    """Memory for sequences of up to `capacity` symbols, and words of `order` of them, three at least."""

    cdef index_t order, length, n_words, n_occurrences, n_events, n_fresh, n_candidates
    cdef uint64_t mask
    cdef LinkedSymbol[::1] symbols
    cdef Word[::1] words
    cdef index_t[::1] occurrences
    cdef FreshWord[::1] fresh
    cdef WordEvent[::1] events
    cdef WordCandidate[::1] heap
    cdef index_t[::1] replaced
    cdef index_t[::1] slots         # of fresh words by their hash: their index, or NONE

    def __cinit__(self, Py_ssize_t capacity, Py_ssize_t order):
        # An occurrence that is replaced takes order - 1 symbols, and makes `order` words.
        cdef Py_ssize_t n_occurrences = 2 * capacity + capacity // (order - 1) + 1, n_slots = 4
        if capacity > MAX_LENGTH:
            raise ValueError(f"Sequences of at most {MAX_LENGTH} labels can be compressed.")
        while n_slots < 2 * capacity:
            n_slots *= 2
        self.order = <index_t> order
        self.mask = <uint64_t> (n_slots - 1)
        self.symbols = np.empty(capacity, dtype=_SYMBOL)
        self.words = np.zeros(n_occurrences // 2 + 2, dtype=_WORD)
        # A slot behind the heap is read.
        self.heap = np.zeros(n_occurrences // 2 + 3, dtype=_CANDIDATE)
        self.occurrences = np.empty(n_occurrences, dtype=np.int32)
        self.fresh = np.empty(capacity + 1, dtype=_FRESH)
        self.events = np.empty(capacity + 1, dtype=_EVENT)
        self.replaced = np.empty(capacity // order + 1, dtype=np.int32)
        self.slots = np.full(n_slots, NONE, dtype=np.int32)


cdef index_t _effort_of_words(WordSubstitution state, index_t length, index_t n_symbols) noexcept nogil:
    """Count the steps of the sequence that the first `length` symbols spell."""
    cdef index_t i, word, n_replaced, n_steps = 0
    cdef bint is_constant = True
    for i in range(1, length):
        is_constant = is_constant and state.symbols[i].symbol == state.symbols[0].symbol
    if length < state.order or is_constant:
        return 0
    _start(state, length)
    while True:
        _settle(state)
        word = _take_word(state)
        if word == SINGLE:
            # Every word occurs once, and so will those of later steps: the first one always goes next.
            return n_steps + (state.length - 1) // (state.order - 1)
        n_replaced = _replace_word(state, word, n_symbols + n_steps)
        n_steps += 1
        if state.length == n_replaced:
            return n_steps
        _collect_events(state, n_replaced)


cdef void _start(WordSubstitution state, index_t length) noexcept nogil:
    """Link the symbols; a word may start at every position."""
    cdef index_t i
    state.length = length
    state.n_words = 1
    state.n_occurrences = state.n_candidates = 0
    state.n_events = length
    for i in range(length):
        state.symbols[i].previous = i - 1 if i > 0 else NONE
        state.symbols[i].next = i + 1 if i + 1 < length else NONE
        state.symbols[i].word = SINGLE
        state.events[i].position = i


cdef inline index_t _last_position(WordSubstitution state, index_t position) noexcept nogil:
    """Return the position of the last symbol of the word that starts here; NONE where the sequence ends before it."""
    cdef index_t _i
    for _i in range(state.order - 1):
        if position == NONE:
            break
        position = state.symbols[position].next
    return position


cdef void _settle(WordSubstitution state) noexcept nogil:
    """Track the words at the positions of the events, which ascend, as far as they occur twice without overlap."""
    cdef index_t i, position, reach, fresh, word
    state.n_fresh = 0
    for i in range(state.n_events):
        position = state.events[i].position
        state.symbols[position].word = SINGLE
        reach = _last_position(state, position)
        state.events[i].fresh = NONE
        if reach != NONE:
            fresh = _find_fresh(state, position)
            state.events[i].fresh = fresh
            state.fresh[fresh].size += 1
            if position > state.fresh[fresh].reach:
                state.fresh[fresh].count += 1
                state.fresh[fresh].reach = reach
    for fresh in range(state.n_fresh):
        state.slots[state.fresh[fresh].slot] = NONE
        state.fresh[fresh].word = SINGLE
        if state.fresh[fresh].count >= 2:
            word = state.n_words
            state.n_words += 1
            state.fresh[fresh].word = word
            state.words[word].first = state.words[word].stop = state.n_occurrences
            state.words[word].count = state.fresh[fresh].count
            state.words[word].is_changed = False
            state.n_occurrences += state.fresh[fresh].size
            _push(state, word, state.fresh[fresh].position)
    for i in range(state.n_events):
        fresh = state.events[i].fresh
        if fresh != NONE and state.fresh[fresh].word != SINGLE:
            word = state.fresh[fresh].word
            state.symbols[state.events[i].position].word = word
            state.occurrences[state.words[word].stop] = state.events[i].position
            state.words[word].stop += 1


cdef index_t _find_fresh(WordSubstitution state, index_t position) noexcept nogil:
    """Return the index of the fresh word that starts here, a new one where it was not met in this step."""
    cdef uint64_t code = 0
    cdef index_t _i, at = position, slot, fresh
    for _i in range(state.order):
        code = (code ^ <uint64_t> state.symbols[at].symbol) * <uint64_t> 0x9E3779B97F4A7C15
        code ^= code >> 29
        at = state.symbols[at].next
    slot = <index_t> (code & state.mask)
    # The word is in no slot between the one of its code and this one.
    while state.slots[slot] != NONE:
        fresh = state.slots[slot]
        if _are_equal(state, state.fresh[fresh].position, position):
            return fresh
        slot = <index_t> (<uint64_t> (slot + 1) & state.mask)
    fresh = state.n_fresh
    state.n_fresh += 1
    state.slots[slot] = fresh
    state.fresh[fresh].slot = slot
    state.fresh[fresh].position = position
    state.fresh[fresh].reach = NONE
    state.fresh[fresh].count = state.fresh[fresh].size = 0
    return fresh


cdef inline bint _are_equal(WordSubstitution state, index_t first, index_t second) noexcept nogil:
    cdef index_t _i
    for _i in range(state.order):
        if state.symbols[first].symbol != state.symbols[second].symbol:
            return False
        first, second = state.symbols[first].next, state.symbols[second].next
    return True


cdef index_t _take_word(WordSubstitution state) noexcept nogil:
    """Return the most frequent word, the leftmost of several; SINGLE where none occurs twice."""
    cdef index_t word
    while state.n_candidates > 0:
        word = _pop(state)
        if not state.words[word].is_changed:
            return word
        _count_again(state, word)
        if state.words[word].count >= 2:
            _push(state, word, state.occurrences[state.words[word].first])
    return SINGLE


cdef void _count_again(WordSubstitution state, index_t word) noexcept nogil:
    """Count a word without overlap, greedily from the left; positions where it no longer starts are forgotten."""
    cdef index_t i, position, reach = NONE, count = 0, kept = state.words[word].first
    for i in range(state.words[word].first, state.words[word].stop):
        position = state.occurrences[i]
        if state.symbols[position].word == word:
            state.occurrences[kept] = position
            kept += 1
            if position > reach:
                count += 1
                reach = _last_position(state, position)
    state.words[word].stop = kept
    state.words[word].count = count
    state.words[word].is_changed = False


cdef index_t _replace_word(WordSubstitution state, index_t word, index_t new) noexcept nogil:
    """Replace every occurrence of the word, left to right; return their number."""
    cdef index_t i, _j, position, at, n_replaced = 0
    for i in range(state.words[word].first, state.words[word].stop):
        position = state.occurrences[i]
        if state.symbols[position].word != word:
            continue
        # The words that reach into this occurrence are lost, and so are those that start in it.
        at = position
        for _j in range(state.order):
            _lose(state, at)
            at = state.symbols[at].next
        state.symbols[position].next = at
        if at != NONE:
            state.symbols[at].previous = position
        state.symbols[position].symbol = new
        at = state.symbols[position].previous
        for _j in range(state.order - 1):
            if at == NONE:
                break
            _lose(state, at)
            at = state.symbols[at].previous
        state.replaced[n_replaced] = position
        n_replaced += 1
    state.length -= n_replaced * (state.order - 1)
    return n_replaced


cdef inline void _lose(WordSubstitution state, index_t position) noexcept nogil:
    state.words[state.symbols[position].word].is_changed = True
    state.symbols[position].word = SINGLE


cdef void _collect_events(WordSubstitution state, index_t n_replaced) noexcept nogil:
    """List the positions of all words with a new symbol, ascending: where it stands, and order - 1 before it."""
    cdef index_t i, j, _j, at, last = NONE, n_events = 0, start
    for i in range(n_replaced):
        at = state.replaced[i]
        start = n_events
        for _j in range(state.order):
            if at == NONE or at == last:
                break
            state.events[n_events].position = at
            n_events += 1
            at = state.symbols[at].previous
        last = state.replaced[i]
        # They were met from right to left.
        for j in range((n_events - start) // 2):
            at = state.events[start + j].position
            state.events[start + j].position = state.events[n_events - 1 - j].position
            state.events[n_events - 1 - j].position = at
    state.n_events = n_events


# ------------------------------------------------------------------------------------------------- heap of candidates

cdef inline void _push(WordSubstitution state, index_t word, index_t position) noexcept nogil:
    cdef index_t i = state.n_candidates, parent
    cdef int64_t key = (-<int64_t> state.words[word].count) * (<int64_t> 1 << 32) + position
    state.n_candidates += 1
    # Everything but slot i is a heap, and the key belongs at i or above.
    while i > 0:
        parent = (i - 1) >> 1
        if state.heap[parent].key <= key:
            break
        state.heap[i] = state.heap[parent]
        i = parent
    state.heap[i].key = key
    state.heap[i].word = word


cdef inline index_t _pop(WordSubstitution state) noexcept nogil:
    """Take the word of the least key. The slot behind the heap is read, and is part of the array."""
    cdef index_t word = <index_t> state.heap[0].word, i = 0, child
    cdef WordCandidate moved
    state.n_candidates -= 1
    moved = state.heap[state.n_candidates]
    # Everything but slot i is a heap, and what was moved belongs at i or below.
    while True:
        child = 2 * i + 1
        if child >= state.n_candidates:
            break
        child += (child + 1 < state.n_candidates) & (state.heap[child + 1].key < state.heap[child].key)
        if state.heap[child].key >= moved.key:
            break
        state.heap[i] = state.heap[child]
        i = child
    state.heap[i] = moved
    return word


# --------------------------------------------------------------------------------------------------------- from Python

def efforts(
    const index_t[::1] codes,
    Py_ssize_t n_symbols,
    const int64_t[::1] starts,
    const int64_t[::1] stops,
    Py_ssize_t order,
):
    """Count the substitutions of words of `order` symbols until the slice codes[start:stop] is constant, or shorter
    than a word: for every slice."""
    cdef Py_ssize_t i, longest = 0
    cdef index_t length
    for i in range(codes.shape[0]):
        if not 0 <= codes[i] < n_symbols:
            raise ValueError(f"Code {codes[i]} at position {i} is outside 0..{n_symbols - 1}.")
    if starts.shape[0] != stops.shape[0] or order < 2:
        raise ValueError("A slice has a start and a stop, and a word two symbols or more.")
    for i in range(starts.shape[0]):
        if not 0 <= starts[i] <= stops[i] <= codes.shape[0]:
            raise ValueError(f"No slice {starts[i]}:{stops[i]} in a sequence of {codes.shape[0]}.")
        longest = max(longest, <Py_ssize_t> (stops[i] - starts[i]))
    cdef int64_t[::1] counts = np.zeros(starts.shape[0], dtype=np.int64)
    if order > longest:
        return np.asarray(counts)
    cdef PairSubstitution pairs = None
    cdef WordSubstitution words = None
    if order == 2:
        pairs = PairSubstitution(longest, min(longest, n_symbols))
    else:
        words = WordSubstitution(longest, order)
    cdef index_t[::1] recoded = np.zeros(n_symbols, dtype=np.int32)
    cdef int64_t[::1] met_in = np.full(n_symbols, NONE, dtype=np.int64)
    with nogil:
        for i in range(starts.shape[0]):
            length = <index_t> (stops[i] - starts[i])
            if length >= order:
                counts[i] = _effort_of_slice(pairs, words, &codes[starts[i]], length, i, recoded, met_in)
    return np.asarray(counts)


cdef index_t _effort_of_slice(
    PairSubstitution pairs,
    WordSubstitution words,
    const index_t* codes,
    index_t length,
    int64_t number,
    index_t[::1] recoded,
    int64_t[::1] met_in,
) noexcept nogil:
    """Return the effort of one slice, whose symbols are coded anew: the work on a slice is not to grow with the symbols
    that others have. `recoded[code]` holds where `met_in[code]` is the slice's number."""
    cdef index_t i, n_symbols = 0
    for i in range(length):
        if met_in[codes[i]] != number:
            met_in[codes[i]] = number
            recoded[codes[i]] = n_symbols
            n_symbols += 1
        if pairs is not None:
            pairs.sequence[i] = recoded[codes[i]]
        else:
            words.symbols[i].symbol = recoded[codes[i]]
    if pairs is not None:
        return effort(pairs, length, n_symbols, UNLIMITED)
    return _effort_of_words(words, length, n_symbols)
