"""A working set of samples, which are its members, and the facts that a search keeps about sets of its members.

*Two kinds.* A complete working set holds all samples. A growing one starts empty and gets one sample after the other.

*Bounds.* The table of a working set has the number of splits that are enough for a set and, in a complete working set,
the number that is needed. A growing working set has *nogoods* instead: small sets that need too many splits, as do all
sets that they are part of.

*Cliques.* Two samples conflict if their classes differ, or if a sample of another class, their witness, lies between
them in every feature: they cannot share a leaf. Samples that all conflict with each other, a clique, need a leaf each.
A clique and its witnesses are a nogood.
"""

import numpy as np

cimport cython
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.compiler cimport popcount, trailing_zeros
from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport NO, STOPPED, YES, check_limits
from pytrees._core.minimal.sets cimport (
    add_bit, close_table, contains, find_item, holds, open_table, take_item, words_for,
)

cdef enum:
    FIRST_NOGOODS = 1024            # in a table
    MOST_IN_CONFLICT = 1024         # members among which conflicts are looked for


@cython.final
cdef class WorkingSet:
    """Members of a set of distinct samples, and the facts that have been found about sets of members."""

    def __cinit__(self, labels, ranks, orders, Py_ssize_t n_classes, memory_limit, complete_from=None):
        """With `complete_from`, the working set is complete; that many samples are compared for conflicts."""
        memset(&self.levels[0], 0, sizeof(self.levels))
        memset(&self.nogoods, 0, sizeof(Nogoods))
        self.labels, self.ranks, self.orders = labels, ranks, orders
        self.n_features, self.n_samples = ranks.shape
        self.n_classes, self.memory_limit = n_classes, memory_limit
        self.class_counts = np.zeros(n_classes, dtype=np.int32)
        self.left_members, self.right_members = np.zeros((2, n_classes), dtype=np.int32)
        self.is_complete = complete_from is not None
        self.most_in_conflict = MOST_IN_CONFLICT
        if self.is_complete:
            self.most_in_conflict = min(self.n_samples, complete_from, MOST_IN_CONFLICT)
        if self.is_complete:
            self.member_labels, self.member_ranks, self.member_orders = labels, ranks, orders
            self.samples = np.arange(self.n_samples, dtype=np.int32)
            self.member_of = self.samples
            self.n_members = <index_t> self.n_samples
        else:
            self.member_of = np.full(self.n_samples, NONE, dtype=np.int32)
            self.member_labels = self.samples = None
            self.member_ranks = self.member_orders = None
        self.conflicts = self.of_class = None
        self.witnesses = None
        _widen(self, words_for(self.n_samples) if self.is_complete else 1)

    def __dealloc__(self):
        cdef Py_ssize_t number
        close_table(&self.bounds)
        for number in range(MOST_LEVELS):
            _close_level(&self.levels[number])
        free(self.nogoods.sets)
        free(self.nogoods.needs)
        free(self.nogoods.ranks)
        free(self.nodes)
        free(self.candidates)
        free(self.candidate_needs)
        free(self.candidate_ranks)
        free(self.positions)
        free(self.sources)


# -------------------------------------------------------------------------------------------------------------- memory

cdef void _close_level(Level* level) noexcept nogil:
    free(level.members)
    free(level.order)
    free(level.high)
    free(level.inherited)
    memset(level, 0, sizeof(Level))


cdef int open_level(WorkingSet work, Py_ssize_t number) except -1 nogil:
    """Allocate a level, which is kept until members no longer fit it. Every level is opened by the one above it."""
    cdef Level* level = &work.levels[number]
    cdef Py_ssize_t capacity = work.n_samples if number == WHOLE else work.stride
    cdef Py_ssize_t in_clique = MOST_IN_CONFLICT if number == WHOLE else 64 * work.n_conflict_words
    if level.members != NULL:
        return 0
    level.members = <uint64_t*> malloc(2 * work.n_words * sizeof(uint64_t))
    if level.order == NULL:
        level.order = <index_t*> malloc((3 * capacity + in_clique) * sizeof(index_t))
    if level.members == NULL or level.order == NULL:
        with gil:
            raise MemoryError(f"no memory for sets of {capacity} samples")
    level.nogood = level.members + work.n_words
    level.ends = level.order + capacity
    level.cut_ranks = level.ends + capacity
    level.clique = level.cut_ranks + capacity
    return 0


cdef int reserve_limits(WorkingSet work, Level* level, index_t budget) except -1 nogil:
    cdef Py_ssize_t capacity = level.limits_capacity, n = budget
    reserve(<void**> &level.high, &capacity, 2 * n * (1 + work.n_features), sizeof(index_t), b"limits of cuts")
    level.limits_capacity = capacity
    level.low = level.high + n
    level.high_by_nogoods = level.low + n
    level.low_by_nogoods = level.high_by_nogoods + n * work.n_features
    reserve(<void**> &work.sources, &work.sources_capacity, 2 * n, sizeof(index_t), b"limits of cuts")
    return 0


def _widened(array, dtype, *shape, fill=0):
    """Return a larger copy of an array, if it is not None, with new entries `fill`."""
    wide = np.full(shape, fill, dtype=dtype)
    if array is not None:
        wide[tuple(map(slice, array.shape))] = array
    return wide


cdef int _widen(WorkingSet work, Py_ssize_t n_words) except -1:
    """Make sets as long as `n_words` words. Nogoods stay, and so do the cuts of level WHOLE, which may be in use."""
    cdef Py_ssize_t old = work.n_words, number, stride = 64 * n_words
    cdef Py_ssize_t n = work.n_features
    cdef uint64_t[:, ::1] sets
    close_table(&work.bounds)
    open_table(
        &work.bounds, n_words, sizeof(SplitBounds), work.memory_limit if work.is_complete else work.memory_limit // 3
    )
    for number in range(1, MOST_LEVELS):
        _close_level(&work.levels[number])
    free(work.levels[WHOLE].members)
    work.levels[WHOLE].members = NULL
    if work.nogoods.n_sets:
        sets = <uint64_t[:work.nogoods.n_sets, :old]> work.nogoods.sets
        sets = _widened(sets, np.uint64, work.nogoods.capacity, n_words)
        free(work.nogoods.sets)
        work.nogoods.sets = <uint64_t*> malloc(sets.nbytes)
        if work.nogoods.sets == NULL:
            raise MemoryError(f"no memory for {work.nogoods.capacity} sets of samples")
        memcpy(work.nogoods.sets, &sets[0, 0], sets.nbytes)
    if not work.is_complete:
        work.member_labels = _widened(work.member_labels, np.int32, stride)
        work.samples = _widened(work.samples, np.int32, stride)
        work.member_ranks = _widened(work.member_ranks, np.int32, n, stride)
        work.member_orders = _widened(work.member_orders, np.int32, n, stride)
        work.kept_orders = np.empty((n, stride), dtype=np.int32)
    work.n_words, work.stride = n_words, work.n_samples if work.is_complete else stride
    work.n_conflict_words = min(n_words, words_for(work.most_in_conflict))
    stride = 64 * work.n_conflict_words
    work.conflicts = _widened(work.conflicts, np.uint64, stride, work.n_conflict_words)
    work.witnesses = _widened(work.witnesses, np.int32, stride, stride, fill=NONE)
    work.of_class = _widened(work.of_class, np.uint64, work.n_classes, work.n_conflict_words)
    work.listed, work.starts, work.stops = np.empty((3, n, stride), dtype=np.int32)
    work.before = np.empty((n, stride + 1), dtype=np.uint64)
    work.supports = np.empty((n, n_words), dtype=np.uint64)
    work.kept_clique = np.empty(stride, dtype=np.int32)
    return open_level(work, WHOLE)


# ------------------------------------------------------------------------------------------------- bounds of exact sets

cdef int remember(WorkingSet work, Level* level, int answer, index_t budget) except -1 nogil:
    """Keep the answer to whether the budget is enough for a level's members, and return it."""
    cdef SplitBounds unknown
    cdef SplitBounds* known
    unknown.least, unknown.enough = 0, UNLIMITED
    known = <SplitBounds*> take_item(&work.bounds, level.members, &unknown)
    if known != NULL and answer == NO:
        known.least = max(known.least, budget + 1)
    elif known != NULL and budget < known.enough:
        known.enough, known.split = budget, level.split
    return answer


cdef int recall(WorkingSet work, Level* level, index_t budget) noexcept nogil:
    """Return the answer for a level's members, with `split` or `nogood`; STOPPED if it is not known."""
    cdef const SplitBounds* known = <const SplitBounds*> find_item(&work.bounds, level.members)
    if known == NULL or known.least <= budget < known.enough:
        return STOPPED
    if known.enough <= budget:
        level.split = known.split
        return YES
    memcpy(level.nogood, level.members, work.n_words * sizeof(uint64_t))
    return NO


# ------------------------------------------------------------------------------------------------------------- nogoods

cdef int inherit(Level* level, int64_t number) except -1 nogil:
    cdef Py_ssize_t capacity = level.inherited_capacity
    if level.n_inherited == capacity:
        reserve(<void**> &level.inherited, &capacity, capacity + 1, sizeof(int64_t), b"nogoods of a level")
        level.inherited_capacity = capacity
    level.inherited[level.n_inherited] = number
    level.n_inherited += 1
    return 0


cdef int _make_room(WorkingSet work) except -1 nogil:
    """Make room for more nogoods, or forget all if the memory limit allows no more. Two thirds of the limit are for
    the nogoods and for the lists of two levels that inherit all of them."""
    cdef Nogoods* nogoods = &work.nogoods
    cdef Py_ssize_t capacity = nogoods.capacity, wanted = max(FIRST_NOGOODS, 2 * capacity), number
    cdef Py_ssize_t bytes_of_ranks = 2 * work.n_features * sizeof(index_t)
    cdef int64_t bytes_of_set = work.n_words * sizeof(uint64_t) + sizeof(index_t) + bytes_of_ranks + 16
    if wanted > work.memory_limit // 3 * 2 // bytes_of_set or wanted > UNLIMITED:
        nogoods.n_sets = 0
        for number in range(MOST_LEVELS):
            work.levels[number].n_inherited = work.levels[number].n_limiting = 0
        return 0
    reserve(<void**> &nogoods.sets, &capacity, wanted, work.n_words * sizeof(uint64_t), b"nogoods")
    capacity = nogoods.capacity
    reserve(<void**> &nogoods.needs, &capacity, wanted, sizeof(index_t), b"nogoods")
    capacity = nogoods.capacity
    reserve(<void**> &nogoods.ranks, &capacity, wanted, bytes_of_ranks, b"nogoods")
    nogoods.capacity = capacity
    return 0


cdef int learn_nogood(WorkingSet work, Py_ssize_t number, index_t need) except -1 nogil:
    """Keep the nogood of a level; all levels above it inherit it, as their sets are larger."""
    cdef Nogoods* nogoods = &work.nogoods
    cdef const uint64_t* members = work.levels[number].nogood
    cdef Py_ssize_t word, feature
    cdef index_t rank, lowest, highest
    cdef uint64_t unseen
    if nogoods.n_sets == nogoods.capacity:
        _make_room(work)
    if nogoods.n_sets == nogoods.capacity:
        return 0
    memcpy(nogoods.sets + nogoods.n_sets * work.n_words, members, work.n_words * sizeof(uint64_t))
    nogoods.needs[nogoods.n_sets] = need
    for feature in range(work.n_features):
        lowest, highest = UNLIMITED, NONE
        for word in range(work.n_words):
            unseen = members[word]
            while unseen:
                rank = work.member_ranks[feature, 64 * word + trailing_zeros(unseen)]
                unseen &= unseen - 1
                lowest, highest = min(lowest, rank), max(highest, rank)
        nogoods.ranks[2 * work.n_features * nogoods.n_sets + feature] = lowest
        nogoods.ranks[(2 * nogoods.n_sets + 1) * work.n_features + feature] = highest
    for word in range(number):
        inherit(&work.levels[word], nogoods.n_sets)
    nogoods.n_sets += 1
    return 0


cdef int inherit_nogoods(WorkingSet work, Py_ssize_t number, index_t budget) except -1 nogil:
    """List the nogoods that are part of a level's set. Return NO if one of them, now `nogood`, exceeds the budget."""
    cdef Level* level = &work.levels[number]
    cdef const Level* above = &work.levels[number - 1]
    cdef const uint64_t* members
    cdef int64_t i, inherited
    level.n_inherited = 0
    for i in range(above.n_inherited):
        inherited = above.inherited[i]
        members = work.nogoods.sets + inherited * work.n_words
        if contains(level.members, members, work.n_words):
            if work.nogoods.needs[inherited] > budget:
                memcpy(level.nogood, members, work.n_words * sizeof(uint64_t))
                return NO
            inherit(level, inherited)
    return YES


# ------------------------------------------------------------------------------------------------ conflicts and cliques

cdef void _list_positions(WorkingSet work, index_t n_members) noexcept nogil:
    """List the first members in the order of every feature; those of a member's rank stand at starts:stops."""
    cdef Py_ssize_t feature
    cdef index_t i, n, member, previous
    cdef bint is_new
    cdef const index_t* ranks
    cdef index_t* listed
    for feature in range(work.n_features):
        ranks, listed = &work.member_ranks[feature, 0], &work.listed[feature, 0]
        n = 0
        for i in range(work.n_members):
            member = work.member_orders[feature, i]
            if member < n_members:
                listed[n] = member
                n += 1
        for i in range(n):
            previous = listed[i - 1] if i > 0 else NONE
            is_new = previous == NONE or ranks[previous] != ranks[listed[i]]
            work.starts[feature, listed[i]] = i if is_new else work.starts[feature, previous]
        for i in range(n - 1, -1, -1):
            previous = listed[i + 1] if i + 1 < n else NONE
            is_new = previous == NONE or ranks[previous] != ranks[listed[i]]
            work.stops[feature, listed[i]] = i + 1 if is_new else work.stops[feature, previous]


cdef void _mark_positions(WorkingSet work, Py_ssize_t word, index_t n_members) noexcept nogil:
    """Write, for every feature and position, which members of one word stand before it."""
    cdef Py_ssize_t feature
    cdef index_t i
    cdef uint64_t* before
    for feature in range(work.n_features):
        before = &work.before[feature, 0]
        before[0] = 0
        for i in range(n_members):
            before[i + 1] = before[i]
            if work.listed[feature, i] >> 6 == word:
                add_bit(&before[i + 1], work.listed[feature, i] & 63)


cdef inline uint64_t _members_between(
    WorkingSet work, index_t first, index_t second, uint64_t candidates
) noexcept nogil:
    """Return those of the candidates, of the word marked, that lie between two members in every feature."""
    cdef Py_ssize_t feature
    cdef index_t start, stop
    for feature in range(work.n_features):
        start = min(work.starts[feature, first], work.starts[feature, second])
        stop = max(work.stops[feature, first], work.stops[feature, second])
        candidates &= work.before[feature, stop] & ~work.before[feature, start]
        if candidates == 0:
            break
    return candidates


cdef int compare_members(WorkingSet work) except -1 nogil:
    """Find the conflicts of the members that are not compared yet, and the conflicts that they are witnesses of."""
    cdef index_t member, n = <index_t> min(<Py_ssize_t> work.n_members, work.most_in_conflict), n_old = work.n_compared
    cdef Py_ssize_t word
    cdef uint64_t in_word, is_new, others
    if n == n_old:
        return YES
    _list_positions(work, n)
    for member in range(n_old, n):
        add_bit(&work.of_class[work.member_labels[member], 0], member)
    for word in range(words_for(n)):
        _mark_positions(work, word, n)
        in_word = work.before[0, n]
        is_new = ~<uint64_t> 0 << max(0, n_old - 64 * word) if n_old < 64 * word + 64 else 0
        for member in range(n):
            others = in_word & ~work.of_class[work.member_labels[member], word]
            work.conflicts[member, word] |= others
            _find_witnesses(work, member, word, others if member >= n_old else others & is_new)
            if check_limits(&work.n_steps, member * work.n_features, work.deadline) == STOPPED:
                return STOPPED
    work.n_compared = n
    return YES


cdef void _find_witnesses(WorkingSet work, index_t member, Py_ssize_t word, uint64_t candidates) noexcept nogil:
    """Note the conflicts of a member with earlier ones of its class, if one of the candidates, of one word, is a
    witness."""
    cdef const uint64_t* of_class = &work.of_class[work.member_labels[member], 0]
    cdef uint64_t* conflicts = &work.conflicts[member, 0]
    cdef Py_ssize_t other
    cdef index_t first
    cdef uint64_t unseen, found
    if candidates == 0:
        return
    for other in range(words_for(member)):
        unseen = of_class[other] & ~conflicts[other]
        if other == member >> 6:
            unseen &= (<uint64_t> 1 << (member & 63)) - 1
        while unseen:
            first = <index_t> (64 * other + trailing_zeros(unseen))
            unseen &= unseen - 1
            found = _members_between(work, first, member, candidates)
            if found:
                add_bit(conflicts, first)
                add_bit(&work.conflicts[first, 0], member)
                work.witnesses[first, member] = <index_t> (64 * word + trailing_zeros(found))
                work.witnesses[member, first] = work.witnesses[first, member]


cdef void find_clique(WorkingSet work, Level* level) noexcept nogil:
    """Find a clique among a level's members: take, again and again, the member that conflicts with most of the rest."""
    cdef Py_ssize_t word, other, n_words = work.n_conflict_words
    cdef uint64_t* candidates = level.nogood
    cdef const uint64_t* conflicts
    cdef uint64_t unseen
    cdef index_t member, best, degree, best_degree
    level.clique_size = 0
    memcpy(candidates, level.members, n_words * sizeof(uint64_t))
    while True:
        best = best_degree = NONE
        for word in range(n_words):
            unseen = candidates[word]
            while unseen:
                member = <index_t> (64 * word + trailing_zeros(unseen))
                unseen &= unseen - 1
                conflicts = &work.conflicts[member, 0]
                degree = 0
                for other in range(n_words):
                    degree += popcount(candidates[other] & conflicts[other])
                if degree > best_degree:
                    best, best_degree = member, degree
        if best == NONE:
            return
        level.clique[level.clique_size] = best
        level.clique_size += 1
        for word in range(n_words):
            candidates[word] &= work.conflicts[best, word]


cdef void unite_clique(WorkingSet work, uint64_t* members, const index_t* clique, index_t size) noexcept nogil:
    """Add a clique and its witnesses to a set."""
    cdef index_t i, j, witness
    for i in range(size):
        add_bit(members, clique[i])
        for j in range(i):
            witness = work.witnesses[clique[i], clique[j]]
            if witness != NONE:
                add_bit(members, witness)


cdef index_t keep_clique(WorkingSet work, Level* level) noexcept nogil:
    """Copy the part of a level's clique that, with its witnesses, is in the nogood, and return the size of the part."""
    cdef index_t i, j, witness, n_kept = 0
    for i in range(level.clique_size):
        if not holds(level.nogood, level.clique[i]):
            continue
        for j in range(n_kept):
            witness = work.witnesses[level.clique[i], work.kept_clique[j]]
            if witness != NONE and not holds(level.nogood, witness):
                break
        else:
            work.kept_clique[n_kept] = level.clique[i]
            n_kept += 1
    return n_kept


# ------------------------------------------------------------------------------------------------------------- members

cdef int add_sample(WorkingSet work, index_t sample) except -1 nogil:
    """Make a sample a member."""
    cdef Py_ssize_t feature
    cdef index_t member = work.n_members, position, rank
    cdef index_t* order
    cdef const index_t* ranks
    if member == work.stride:
        with gil:
            _widen(work, 2 * work.n_words)
    for feature in range(work.n_features):
        order, ranks = &work.member_orders[feature, 0], &work.member_ranks[feature, 0]
        rank = work.ranks[feature, sample]
        work.member_ranks[feature, member] = rank
        position = member
        while position > 0 and ranks[order[position - 1]] > rank:
            order[position] = order[position - 1]
            position -= 1
        order[position] = member
    work.samples[member], work.member_labels[member] = sample, work.labels[sample]
    work.member_of[sample] = member
    work.n_members += 1
    return compare_members(work)
