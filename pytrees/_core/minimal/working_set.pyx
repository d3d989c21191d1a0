"""A working set of samples, which are its members: its memory, its members, and the conflicts between them.

*Two kinds.* A complete working set holds all samples. A growing one starts empty and gets one sample after the other;
whenever its members do not fit the words of a set any more, sets become twice as long.

*Conflicts.* Two samples conflict if their classes differ, or if a sample of another class, their witness, lies between
them in every feature: they cannot share a leaf. Conflicts are looked for among the first members only.
"""

import numpy as np

cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.memory cimport reserve
from pytrees._core.base.types cimport NONE, UNLIMITED, index_t, int64_t, uint64_t
from pytrees._core.minimal.problem cimport STOPPED, YES, check_limits
from pytrees._core.minimal.sets cimport add_bit, close_table, open_table, take_bit, words_for

cdef enum:
    FIRST_NOGOODS = 1024            # in a table
    MOST_COMPARED = 1024            # members among which conflicts are looked for


@cython.final
cdef class WorkingSet:
    """Members of a set of distinct samples, and the facts that have been found about sets of members."""

    def __cinit__(self, labels, ranks, orders, Py_ssize_t n_classes, memory_limit, complete_from=None):
        """With `complete_from`, the working set is complete; that many samples are compared for conflicts."""
        n_features, n_samples = ranks.shape
        memset(&self.levels[0], 0, sizeof(self.levels))
        memset(&self.nogoods, 0, sizeof(Nogoods))
        self.labels, self.ranks, self.orders = labels, ranks, orders
        self.n_features, self.n_samples = n_features, n_samples
        self.n_classes, self.memory_limit = n_classes, memory_limit
        self.is_complete = complete_from is not None
        if self.is_complete:
            self.member_labels, self.member_ranks, self.member_orders = labels, ranks, orders
            self.member_of = np.arange(n_samples, dtype=np.int32)
            self.n_members = n_samples
        else:
            self.member_labels = np.empty(n_samples, dtype=np.int32)
            self.member_ranks, self.member_orders = np.empty((2, n_features, n_samples), dtype=np.int32)
            self.member_of = np.full(n_samples, NONE, dtype=np.int32)
        self.most_compared = min(n_samples, complete_from if self.is_complete else n_samples, MOST_COMPARED)
        n_words, n_conflict_words = words_for(n_samples), words_for(self.most_compared)
        self.conflicts = np.zeros((64 * n_conflict_words, n_conflict_words), dtype=np.uint64)
        self.witnesses = np.empty((64 * n_conflict_words, 64 * n_conflict_words), dtype=np.int32)
        self.of_class = np.zeros((n_classes, n_conflict_words), dtype=np.uint64)
        self.compared = np.empty((n_features, self.most_compared), dtype=np.int32)
        self.below, self.up_to = np.empty((2, n_features, self.most_compared), dtype=np.uint64)
        self.kept_clique = np.empty(64 * n_conflict_words, dtype=np.int32)
        self.in_node = np.empty(n_words, dtype=np.uint64)
        self.class_counts = np.empty(n_classes, dtype=np.int32)
        self.first_members = np.empty((2, n_classes), dtype=np.int32)
        self.supports = np.empty((n_features, n_words), dtype=np.uint64)
        _set_words(self, n_words if self.is_complete else 1)
        open_level(self, WHOLE)

    def __dealloc__(self):
        cdef Py_ssize_t number
        close_table(&self.bounds)
        for number in range(MOST_LEVELS):
            free(self.levels[number].members)
            free(self.levels[number].limits)
            free(self.levels[number].inherited)
        free(self.nogoods.sets)
        free(self.nogoods.needs)
        free(self.nogoods.ranks)
        free(self.nodes)
        free(self.numbers)
        free(self.sources)


# -------------------------------------------------------------------------------------------------------------- memory

cdef int open_level(WorkingSet work, Py_ssize_t number) except -1 nogil:
    """Allocate a level, which is kept, for any set."""
    cdef Level* level = &work.levels[number]
    cdef Py_ssize_t n = work.n_samples, n_words = words_for(n)
    level.members = <uint64_t*> malloc(
        2 * n_words * sizeof(uint64_t) + (3 * n + work.kept_clique.shape[0]) * sizeof(index_t)
    )
    if level.members == NULL:
        with gil:
            raise MemoryError(f"no memory for sets of {n} samples")
    level.nogood = level.members + n_words
    level.order = <index_t*> (level.nogood + n_words)
    level.ends = level.order + n
    level.cut_ranks = level.ends + n
    level.clique = level.cut_ranks + n


cdef int reserve_limits(WorkingSet work, Level* level, index_t budget) except -1 nogil:
    cdef Py_ssize_t n = 2 * budget
    reserve(
        <void**> &level.limits, &level.limits_capacity, n * (1 + work.n_features), sizeof(index_t), b"limits of cuts"
    )
    level.limits_by_nogoods = level.limits + n
    reserve(<void**> &work.sources, &work.sources_capacity, n, sizeof(index_t), b"limits of cuts")


cdef int _set_words(WorkingSet work, Py_ssize_t n_words) except -1:
    """Make sets as long as `n_words` words. Nogoods stay; bounds are forgotten."""
    cdef Py_ssize_t capacity = work.nogoods.sets_capacity, number
    cdef uint64_t* sets = <uint64_t*> calloc(capacity, n_words * sizeof(uint64_t))
    if capacity > 0 and sets == NULL:
        raise MemoryError(f"no memory for {capacity} sets of samples")
    for number in range(work.nogoods.n_sets):
        memcpy(sets + number * n_words, set_of(work, number), work.n_words * sizeof(uint64_t))
    free(work.nogoods.sets)
    work.nogoods.sets = sets
    close_table(&work.bounds)
    open_table(
        &work.bounds, n_words, sizeof(SplitBounds), work.memory_limit if work.is_complete else work.memory_limit // 3
    )
    work.n_words, work.n_conflict_words = n_words, min(n_words, words_for(work.most_compared))


cdef bint reserve_nogood(WorkingSet work) except -1 nogil:
    """Make room for one more nogood, or forget all if the memory limit allows no more; return whether there is room.

    Two thirds of the limit are for the nogoods and for the lists of two levels that inherit all of them.
    """
    cdef Nogoods* nogoods = &work.nogoods
    cdef Py_ssize_t bytes_of_ranks = 2 * work.n_features * sizeof(index_t)
    cdef Py_ssize_t bytes_of_set = work.n_words * sizeof(uint64_t), number, bytes_of_all
    cdef Py_ssize_t wanted = max(FIRST_NOGOODS, 2 * nogoods.ranks_capacity)
    if nogoods.n_sets < nogoods.ranks_capacity:
        return True
    # Both lists are reckoned as numbers of 8 bytes.
    bytes_of_all = bytes_of_set + sizeof(index_t) + bytes_of_ranks + 2 * sizeof(int64_t)
    if wanted > min(work.memory_limit // 3 * 2 // bytes_of_all, UNLIMITED):
        nogoods.n_sets = 0
        for number in range(MOST_LEVELS):
            work.levels[number].n_inherited = work.levels[number].n_limiting = 0
        return nogoods.ranks_capacity > 0
    reserve(<void**> &nogoods.sets, &nogoods.sets_capacity, wanted, bytes_of_set, b"nogoods")
    reserve(<void**> &nogoods.needs, &nogoods.needs_capacity, wanted, sizeof(index_t), b"nogoods")
    reserve(<void**> &nogoods.ranks, &nogoods.ranks_capacity, wanted, bytes_of_ranks, b"nogoods")
    return True


# ----------------------------------------------------------------------------------------------------------- conflicts

cdef void _list_compared(WorkingSet work, index_t n_members) noexcept nogil:
    """List the first members in the order of every feature."""
    cdef Py_ssize_t feature
    cdef index_t i, n
    for feature in range(work.n_features):
        n = 0
        for i in range(work.n_members):
            if work.member_orders[feature, i] < n_members:
                work.compared[feature, n] = work.member_orders[feature, i]
                n += 1


cdef void _mark_word(WorkingSet work, Py_ssize_t word, index_t n_members) noexcept nogil:
    """Write, for every feature and member, which members of one word have lower ranks, and which no higher ones."""
    cdef Py_ssize_t feature
    cdef const index_t* ranks
    cdef const index_t* order
    cdef index_t start, stop
    cdef uint64_t below, up_to
    for feature in range(work.n_features):
        ranks, order = &work.member_ranks[feature, 0], &work.compared[feature, 0]
        below = up_to = 0
        start = stop = 0
        while start < n_members:
            while stop < n_members and ranks[order[stop]] == ranks[order[start]]:
                if order[stop] >> 6 == word:
                    add_bit(&up_to, order[stop] & 63)
                stop += 1
            while start < stop:
                work.below[feature, order[start]], work.up_to[feature, order[start]] = below, up_to
                start += 1
            below = up_to


cdef inline uint64_t _members_between(
    WorkingSet work, index_t first, index_t second, uint64_t candidates
) noexcept nogil:
    """Return those of the candidates, of the word marked, that lie between two members in every feature."""
    cdef Py_ssize_t feature
    for feature in range(work.n_features):
        candidates &= work.up_to[feature, first] | work.up_to[feature, second]
        candidates &= ~(work.below[feature, first] & work.below[feature, second])
        if candidates == 0:
            break
    return candidates


cdef int compare_members(WorkingSet work) except -1 nogil:
    """Find the conflicts of the members that have not been compared yet, and the older members' conflicts whose
    witnesses they are."""
    cdef index_t member, n = <index_t> min(<Py_ssize_t> work.n_members, work.most_compared), n_old = work.n_compared
    cdef Py_ssize_t word
    cdef uint64_t in_word, is_new, others
    if n == n_old:
        return YES
    _list_compared(work, n)
    for member in range(n_old, n):
        add_bit(&work.of_class[work.member_labels[member], 0], member)
    for word in range(words_for(n)):
        _mark_word(work, word, n)
        in_word = ~<uint64_t> 0 >> max(0, 64 * word + 64 - n)
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
            first = <index_t> (64 * other + take_bit(&unseen))
            found = _members_between(work, first, member, candidates)
            if found:
                add_bit(conflicts, first)
                add_bit(&work.conflicts[first, 0], member)
                work.witnesses[first, member] = work.witnesses[member, first] = <index_t> (64 * word + take_bit(&found))


# ------------------------------------------------------------------------------------------------------------- members

cdef int add_sample(WorkingSet work, index_t sample) except -1 nogil:
    cdef Py_ssize_t feature
    cdef index_t member = work.n_members
    if member == 64 * work.n_words:
        with gil:
            _set_words(work, min(2 * work.n_words, words_for(work.n_samples)))
    for feature in range(work.n_features):
        work.member_ranks[feature, member] = work.ranks[feature, sample]
        insert_by_rank(&work.member_ranks[feature, 0], &work.member_orders[feature, 0], member, member)
    work.member_labels[member], work.member_of[sample] = work.labels[sample], member
    work.n_members += 1
    return compare_members(work)
