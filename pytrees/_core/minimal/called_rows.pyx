"""Rows that have been called, one after the other, and what is known of sets of them.

*Easy sets* are those for which so many splits are enough, *hard sets* those that need so many.

*Cliques.* Two rows conflict if their classes differ, or that of a row between them in every feature does, their
witness: they cannot share a leaf. Rows that all conflict with each other need a leaf each; with their witnesses they
are a hard set, and so is every part of them.
"""

import time

cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from pytrees._core.base.compiler cimport popcount
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.signals cimport check_signals
from pytrees._core.base.types cimport NONE, UNLIMITED, float64_t, index_t, int64_t, uint32_t, uint64_t
from pytrees._core.minimal.sets cimport add_bit, holds

cdef enum:
    STEPS_BETWEEN_CHECKS = 1000000  # of the clock and of signals: some milliseconds
    FIRST_CAPACITY = 1024           # sets of rows in a table
    MOST_IN_CONFLICT = 1024         # called rows among which conflicts are looked for


@cython.final
cdef class CalledRows:
    """Distinct rows, those that have been called, and what has been learned of sets of these."""

    def __cinit__(self, labels, ranks, orders, Py_ssize_t n_classes, int64_t memory_limit, float64_t deadline):
        cdef Py_ssize_t row
        memset(&self.levels[0], 0, sizeof(self.levels))
        memset(&self.hard, 0, sizeof(HardSets))
        memset(&self.easy, 0, sizeof(EasySets))
        self.labels, self.ranks, self.orders = labels, ranks, orders
        self.n_features, self.n_rows = ranks.shape
        self.n_classes, self.memory_limit, self.deadline = n_classes, memory_limit, deadline
        self.bit_of = <index_t*> malloc(self.n_rows * sizeof(index_t))
        self.class_counts = <index_t*> malloc(3 * self.n_classes * sizeof(index_t))
        if self.bit_of == NULL or self.class_counts == NULL:
            raise MemoryError(f"no memory for {self.n_rows} rows")
        self.left_rows = self.class_counts + self.n_classes
        self.right_rows = self.left_rows + self.n_classes
        for row in range(self.n_rows):
            self.bit_of[row] = NONE
        _widen(self)
        open_level(self, WHOLE)

    def __dealloc__(self):
        cdef Py_ssize_t number
        for number in range(MOST_LEVELS):
            _close_level(&self.levels[number])
        free(self.hard.rows)
        free(self.hard.needs)
        free(self.hard.ranks)
        free(self.easy.rows)
        free(self.easy.enough)
        free(self.easy.splits)
        free(self.easy.slots)
        free(self.called)
        free(self.bit_of)
        free(self.called_labels)
        free(self.called_ranks)
        free(self.called_orders)
        free(self.kept_orders)
        free(self.conflicts)
        free(self.witnesses)
        free(self.nodes)
        free(self.class_counts)
        free(self.supports)
        free(self.candidates)
        free(self.candidate_needs)
        free(self.candidate_ranks)
        free(self.places)
        free(self.sources)


# --------------------------------------------------------------------------------------------------- limits and memory

cdef int check_limits(CalledRows search, int64_t n_steps) except -1 nogil:
    """Count steps; now and then handle signals and look at the clock. STOPPED where the time is over."""
    if not check_signals(&search.n_steps, n_steps, STEPS_BETWEEN_CHECKS):
        return YES
    with gil:
        return STOPPED if time.monotonic() >= search.deadline else YES


cdef int _refuse(bint is_refused) except -1 nogil:
    if is_refused:
        with gil:
            raise MemoryError("no memory for the search of the smallest tree")
    return 0


cdef int _restride(
    void** memory, Py_ssize_t n_old, Py_ssize_t old_bytes, Py_ssize_t n_new, Py_ssize_t new_bytes
) except -1 nogil:
    """Move so many items to larger places, the rest of which is zero."""
    cdef Py_ssize_t i
    cdef char* moved = <char*> calloc(max(1, n_new), new_bytes)
    _refuse(moved == NULL)
    for i in range(n_old):
        memcpy(moved + i * new_bytes, <char*> memory[0] + i * old_bytes, old_bytes)
    free(memory[0])
    memory[0] = moved
    return 0


cdef void _close_level(Level* level) noexcept nogil:
    free(level.rows)
    free(level.order)
    free(level.high)
    free(level.inherited)
    memset(level, 0, sizeof(Level))


cdef int open_level(CalledRows search, Py_ssize_t number) except -1 nogil:
    """Allocate a level, which is kept until bits no longer fit it. Every level is opened by the one above it."""
    cdef Level* level = &search.levels[number]
    cdef Py_ssize_t n_bits = 64 * search.n_words, capacity = search.n_rows if number == WHOLE else n_bits
    if level.rows != NULL:
        return 0
    level.rows = <uint64_t*> calloc(2 * search.n_words, sizeof(uint64_t))
    level.order = <index_t*> malloc((3 * capacity + 2 * n_bits) * sizeof(index_t))
    _refuse(level.rows == NULL or level.order == NULL)
    level.hard = level.rows + search.n_words
    level.ends = level.order + capacity
    level.cut_ranks = level.ends + capacity
    level.clique = level.cut_ranks + capacity
    level.kept_clique = level.clique + n_bits
    return 0


cdef int reserve_limits(CalledRows search, Level* level, index_t budget) except -1 nogil:
    cdef Py_ssize_t capacity = level.limits_capacity, n = budget
    reserve(<void**> &level.high, &capacity, 2 * n * (1 + search.n_features), sizeof(index_t), b"limits of cuts")
    level.limits_capacity = capacity
    level.low = level.high + n
    level.high_by_sets = level.low + n
    level.low_by_sets = level.high_by_sets + n * search.n_features
    capacity = search.sources_capacity
    reserve(<void**> &search.sources, &capacity, 2 * n, sizeof(index_t), b"limits of cuts")
    search.sources_capacity = <index_t> capacity
    return 0


cdef int _widen(CalledRows search) except -1 nogil:
    """Double the words of a set. Hard sets stay; easy ones are forgotten, and all levels but the first are closed."""
    cdef Py_ssize_t old = search.n_words, wide = max(1, 2 * old), n_old = search.n_features if old else 0, number
    cdef Py_ssize_t word = sizeof(uint64_t), bits = 64 * sizeof(index_t), n = search.n_features
    cdef Py_ssize_t in_conflict = min(64 * wide, MOST_IN_CONFLICT), before = min(64 * old, MOST_IN_CONFLICT)
    _forget_easy(search)
    for number in range(1, MOST_LEVELS):
        _close_level(&search.levels[number])
    _restride(<void**> &search.hard.rows, search.hard.n_sets, old * word, search.hard.capacity, wide * word)
    _restride(<void**> &search.conflicts, before, old * word, in_conflict, wide * word)
    _restride(<void**> &search.witnesses, before, before * sizeof(index_t), in_conflict, in_conflict * sizeof(index_t))
    _restride(<void**> &search.supports, 0, 0, n, wide * word)
    _restride(<void**> &search.called, min(old, 1), old * bits, 1, wide * bits)
    _restride(<void**> &search.called_labels, min(old, 1), old * bits, 1, wide * bits)
    _restride(<void**> &search.called_ranks, n_old, old * bits, n, wide * bits)
    _restride(<void**> &search.called_orders, n_old, old * bits, n, wide * bits)
    _restride(<void**> &search.kept_orders, 0, 0, n, wide * bits)
    search.n_words = wide
    return _widen_whole(search, old)


cdef int _widen_whole(CalledRows search, Py_ssize_t old) except -1 nogil:
    cdef Level* level = &search.levels[WHOLE]
    cdef uint64_t* rows = level.rows
    if rows == NULL:
        return 0
    level.rows = <uint64_t*> calloc(2 * search.n_words, sizeof(uint64_t))
    if level.rows != NULL:
        memcpy(level.rows, rows, old * sizeof(uint64_t))
    free(rows)
    _refuse(level.rows == NULL)
    level.hard = level.rows + search.n_words
    return 0


# --------------------------------------------------------------------------------------------------------- easy sets

cdef inline uint32_t* _slot_of(EasySets* easy, const uint64_t* rows, Py_ssize_t n_words) noexcept nogil:
    """Return where the set's number stands, or would stand. At most half of the slots are taken: the search ends."""
    cdef uint64_t place = 0x9E3779B97F4A7C15
    cdef Py_ssize_t word
    for word in range(n_words):
        place = (place ^ rows[word]) * <uint64_t> 0xBF58476D1CE4E5B9
        place ^= place >> 29
    place &= easy.mask
    while easy.slots[place] != 0:
        if memcmp(easy.rows + (<int64_t> easy.slots[place] - 1) * n_words, rows, n_words * sizeof(uint64_t)) == 0:
            break
        place = (place + 1) & easy.mask
    return &easy.slots[place]


cdef void _forget_easy(CalledRows search) noexcept nogil:
    free(search.easy.rows)
    free(search.easy.enough)
    free(search.easy.splits)
    free(search.easy.slots)
    memset(&search.easy, 0, sizeof(EasySets))


cdef int _grow_easy(CalledRows search) except -1 nogil:
    """Make room for more easy sets; where the memory limit allows none, forget all. A third of it is for them."""
    cdef EasySets* easy = &search.easy
    cdef Py_ssize_t n_words = search.n_words, capacity = easy.capacity, wanted = max(FIRST_CAPACITY, 2 * capacity)
    cdef int64_t number, bytes_of_set = n_words * sizeof(uint64_t) + sizeof(index_t) + sizeof(FirstSplit) + 8
    if wanted > search.memory_limit // 3 // bytes_of_set or wanted > UNLIMITED // 2:
        easy.n_sets = 0
        if capacity:
            memset(easy.slots, 0, (easy.mask + 1) * sizeof(uint32_t))
        return 0
    reserve(<void**> &easy.rows, &capacity, wanted, n_words * sizeof(uint64_t), b"easy sets of rows")
    capacity = easy.capacity
    reserve(<void**> &easy.enough, &capacity, wanted, sizeof(index_t), b"easy sets of rows")
    capacity = easy.capacity
    reserve(<void**> &easy.splits, &capacity, wanted, sizeof(FirstSplit), b"easy sets of rows")
    free(easy.slots)
    easy.slots = <uint32_t*> calloc(2 * capacity, sizeof(uint32_t))
    _refuse(easy.slots == NULL)
    easy.capacity, easy.mask = capacity, 2 * capacity - 1
    for number in range(easy.n_sets):
        _slot_of(easy, easy.rows + number * n_words, n_words)[0] = <uint32_t> (number + 1)
    return 0


cdef int learn_easy(CalledRows search, const uint64_t* rows, index_t budget, FirstSplit split) except -1 nogil:
    """Remember that so many splits are enough."""
    cdef EasySets* easy = &search.easy
    cdef uint32_t* slot
    if easy.n_sets == easy.capacity:
        _grow_easy(search)
    if easy.n_sets == easy.capacity:
        return 0
    slot = _slot_of(easy, rows, search.n_words)
    if slot[0] == 0:
        memcpy(easy.rows + easy.n_sets * search.n_words, rows, search.n_words * sizeof(uint64_t))
        easy.enough[easy.n_sets] = UNLIMITED
        easy.n_sets += 1
        slot[0] = <uint32_t> easy.n_sets
    if budget < easy.enough[slot[0] - 1]:
        easy.enough[slot[0] - 1] = budget
        easy.splits[slot[0] - 1] = split
    return 0


cdef bint is_easy(CalledRows search, Level* level, index_t budget) noexcept nogil:
    """Whether the rows of a level are known to need no more than the budget; then write their first split."""
    cdef uint32_t number
    if search.easy.n_sets == 0:
        return False
    number = _slot_of(&search.easy, level.rows, search.n_words)[0]
    if number == 0 or search.easy.enough[number - 1] > budget:
        return False
    level.split = search.easy.splits[number - 1]
    return True


# --------------------------------------------------------------------------------------------------------- hard sets

cdef int inherit(Level* level, int64_t number) except -1 nogil:
    cdef Py_ssize_t capacity = level.inherited_capacity
    if level.n_inherited == capacity:
        reserve(<void**> &level.inherited, &capacity, capacity + 1, sizeof(int64_t), b"hard sets of a level")
        level.inherited_capacity = capacity
    level.inherited[level.n_inherited] = number
    level.n_inherited += 1
    return 0


cdef int _grow_hard(CalledRows search) except -1 nogil:
    """Make room for more hard sets; where the memory limit allows none, forget all. Two thirds of it are for them, and
    for the lists of two levels that hold them all."""
    cdef HardSets* hard = &search.hard
    cdef Py_ssize_t capacity = hard.capacity, wanted = max(FIRST_CAPACITY, 2 * capacity), number
    cdef Py_ssize_t bytes_of_ranks = 2 * search.n_features * sizeof(index_t)
    cdef int64_t bytes_of_set = search.n_words * sizeof(uint64_t) + sizeof(index_t) + bytes_of_ranks + 16
    if wanted > search.memory_limit // 3 * 2 // bytes_of_set or wanted > UNLIMITED:
        hard.n_sets = 0
        for number in range(MOST_LEVELS):
            search.levels[number].n_inherited = search.levels[number].n_limiting = 0
        return 0
    reserve(<void**> &hard.rows, &capacity, wanted, search.n_words * sizeof(uint64_t), b"hard sets of rows")
    capacity = hard.capacity
    reserve(<void**> &hard.needs, &capacity, wanted, sizeof(index_t), b"hard sets of rows")
    capacity = hard.capacity
    reserve(<void**> &hard.ranks, &capacity, wanted, bytes_of_ranks, b"hard sets of rows")
    hard.capacity = capacity
    return 0


cdef int learn_hard(CalledRows search, Py_ssize_t number, index_t need) except -1 nogil:
    """Remember the hard rows of a level, which all levels above it hold too."""
    cdef HardSets* hard = &search.hard
    cdef const uint64_t* rows = search.levels[number].hard
    cdef Py_ssize_t word, feature
    cdef index_t rank, lowest, highest
    cdef uint64_t unseen
    if hard.n_sets == hard.capacity:
        _grow_hard(search)
    if hard.n_sets == hard.capacity:
        return 0
    memcpy(hard.rows + hard.n_sets * search.n_words, rows, search.n_words * sizeof(uint64_t))
    hard.needs[hard.n_sets] = need
    for feature in range(search.n_features):
        lowest, highest = UNLIMITED, NONE
        for word in range(search.n_words):
            unseen = rows[word]
            while unseen:
                rank = rank_of(search, feature, <index_t> (64 * word + trailing_zeros(unseen)))
                unseen &= unseen - 1
                lowest, highest = min(lowest, rank), max(highest, rank)
        hard.ranks[2 * search.n_features * hard.n_sets + feature] = lowest
        hard.ranks[(2 * hard.n_sets + 1) * search.n_features + feature] = highest
    for word in range(number):
        inherit(&search.levels[word], hard.n_sets)
    hard.n_sets += 1
    return 0


cdef int inherit_hard(CalledRows search, Py_ssize_t number, index_t budget) except -1 nogil:
    """List the hard sets that a level holds. NO where one of them needs more than the budget, which is then `hard`."""
    cdef Level* level = &search.levels[number]
    cdef const Level* above = &search.levels[number - 1]
    cdef const uint64_t* rows
    cdef int64_t i, inherited
    level.n_inherited = 0
    for i in range(above.n_inherited):
        inherited = above.inherited[i]
        rows = search.hard.rows + inherited * search.n_words
        if contains(level.rows, rows, search.n_words):
            if search.hard.needs[inherited] > budget:
                memcpy(level.hard, rows, search.n_words * sizeof(uint64_t))
                return NO
            inherit(level, inherited)
    return YES


# ------------------------------------------------------------------------------------------------ conflicts and cliques

cdef bint _lies_between(CalledRows search, index_t middle, index_t first, index_t second) noexcept nogil:
    cdef Py_ssize_t feature
    cdef index_t rank, of_first, of_second
    for feature in range(search.n_features):
        rank = rank_of(search, feature, middle)
        of_first, of_second = rank_of(search, feature, first), rank_of(search, feature, second)
        if rank < min(of_first, of_second) or rank > max(of_first, of_second):
            return False
    return True


cdef inline index_t* _witness_of(CalledRows search, index_t first, index_t second) noexcept nogil:
    return &search.witnesses[first * min(64 * search.n_words, MOST_IN_CONFLICT) + second]


cdef void _note_conflict(CalledRows search, index_t first, index_t second, index_t witness) noexcept nogil:
    add_bit(&search.conflicts[first * search.n_words], second)
    add_bit(&search.conflicts[second * search.n_words], first)
    _witness_of(search, first, second)[0] = _witness_of(search, second, first)[0] = witness


cdef void _find_conflicts(CalledRows search, index_t bit) noexcept nogil:
    """Note the conflicts of the row called last, and those of which it is the witness."""
    cdef index_t first, second, label = search.called_labels[bit], other
    for first in range(bit):
        other = search.called_labels[first]
        if other != label:
            _note_conflict(search, first, bit, NONE)
            for second in range(first):
                if (
                    search.called_labels[second] == other
                    and not holds(&search.conflicts[first * search.n_words], second)
                    and _lies_between(search, bit, first, second)
                ):
                    _note_conflict(search, first, second, bit)
        else:
            for second in range(bit):
                if search.called_labels[second] != label and _lies_between(search, second, first, bit):
                    _note_conflict(search, first, bit, second)
                    break


cdef void find_clique(CalledRows search, Level* level) noexcept nogil:
    """Find a clique among the rows of a level: always the row is taken that conflicts with most of those left."""
    cdef Py_ssize_t word, other, n_words = min(search.n_words, MOST_IN_CONFLICT // 64)
    cdef uint64_t* candidates = level.hard
    cdef const uint64_t* conflicts
    cdef uint64_t unseen
    cdef index_t bit, best, degree, best_degree
    level.clique_size = 0
    memcpy(candidates, level.rows, n_words * sizeof(uint64_t))
    while True:
        best = best_degree = NONE
        for word in range(n_words):
            unseen = candidates[word]
            while unseen:
                bit = <index_t> (64 * word + trailing_zeros(unseen))
                unseen &= unseen - 1
                conflicts = search.conflicts + bit * search.n_words
                degree = 0
                for other in range(n_words):
                    degree += popcount(candidates[other] & conflicts[other])
                if degree > best_degree:
                    best, best_degree = bit, degree
        if best == NONE:
            return
        level.clique[level.clique_size] = best
        level.clique_size += 1
        for word in range(n_words):
            candidates[word] &= search.conflicts[best * search.n_words + word]


cdef void unite_clique(CalledRows search, uint64_t* rows, const index_t* clique, index_t size) noexcept nogil:
    """Add rows of a clique, with their witnesses."""
    cdef index_t i, j, witness
    for i in range(size):
        add_bit(rows, clique[i])
        for j in range(i):
            witness = _witness_of(search, clique[i], clique[j])[0]
            if witness != NONE:
                add_bit(rows, witness)


cdef index_t keep_clique(CalledRows search, Level* level) noexcept nogil:
    """Copy what the hard rows of a level hold of its clique, with witnesses, and return its size."""
    cdef index_t i, j, witness, n_kept = 0
    for i in range(level.clique_size):
        if not holds(level.hard, level.clique[i]):
            continue
        for j in range(n_kept):
            witness = _witness_of(search, level.clique[i], level.kept_clique[j])[0]
            if witness != NONE and not holds(level.hard, witness):
                break
        else:
            level.kept_clique[n_kept] = level.clique[i]
            n_kept += 1
    return n_kept


# ------------------------------------------------------------------------------------------------------------ new rows

cdef int call_row(CalledRows search, index_t row) except -1 nogil:
    cdef Py_ssize_t feature
    cdef index_t bit = search.n_called, place, rank
    cdef index_t* order
    if bit == 64 * search.n_words:
        _widen(search)
    for feature in range(search.n_features):
        order = search.called_orders + feature * 64 * search.n_words
        rank = search.ranks[feature, row]
        search.called_ranks[feature * 64 * search.n_words + bit] = rank
        place = bit
        while place > 0 and rank_of(search, feature, order[place - 1]) > rank:
            order[place] = order[place - 1]
            place -= 1
        order[place] = bit
    search.called[bit], search.called_labels[bit] = row, search.labels[row]
    search.bit_of[row] = bit
    search.n_called += 1
    if bit < MOST_IN_CONFLICT:
        _find_conflicts(search, bit)
    return 0
