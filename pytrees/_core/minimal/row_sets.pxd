"""Sets of rows as bits, 64 a word, and a table of what is known of such sets; inlined where they are cimported."""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from pytrees._core.base.types cimport UNLIMITED, index_t, int64_t, uint32_t, uint64_t

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil
    int trailing_zeros "__builtin_ctzll"(uint64_t) noexcept nogil


cdef inline Py_ssize_t words_for(Py_ssize_t n_rows) noexcept nogil:
    return (n_rows + 63) // 64


cdef inline bint holds(const uint64_t* rows, index_t row) noexcept nogil:
    return (rows[row >> 6] >> (row & 63)) & 1


cdef inline void add_row(uint64_t* rows, index_t row) noexcept nogil:
    rows[row >> 6] |= <uint64_t> 1 << (row & 63)


cdef inline index_t count_common(const uint64_t* rows, const uint64_t* others, Py_ssize_t n_words) noexcept nogil:
    cdef Py_ssize_t word
    cdef index_t total = 0
    for word in range(n_words):
        total += popcount(rows[word] & others[word])
    return total


# ------------------------------------------------------------------------------------------------------------ the table

# What is known of a set of rows: it needs at least `lower` splits, and `upper` are enough.
cdef struct Known:
    index_t lower, upper

# Sets and what is known of them, in the order in which they came, and an open-addressing table of their numbers. Where
# there is no room for another one, the table forgets everything and starts anew.
cdef struct SetTable:
    Py_ssize_t n_words
    uint64_t* sets
    Known* known
    uint32_t* slots             # 0 where empty, otherwise a set's number plus one
    int64_t n_sets, capacity, largest_capacity
    uint64_t mask


cdef enum:
    FIRST_CAPACITY = 1024


cdef inline int64_t bytes_of_set(Py_ssize_t n_words) noexcept nogil:
    """With the slots, of which there are two to four for a set."""
    return n_words * sizeof(uint64_t) + sizeof(Known) + 4 * sizeof(uint32_t)


cdef inline void release(SetTable* table) noexcept nogil:
    free(table.sets)
    free(table.known)
    free(table.slots)


cdef inline uint64_t hash_of(const uint64_t* rows, Py_ssize_t n_words) noexcept nogil:
    cdef uint64_t mixed = 0x9E3779B97F4A7C15
    cdef Py_ssize_t word
    for word in range(n_words):
        mixed = (mixed ^ rows[word]) * <uint64_t> 0xBF58476D1CE4E5B9
        mixed ^= mixed >> 29
    return mixed


cdef inline uint32_t* slot_of(SetTable* table, const uint64_t* rows) noexcept nogil:
    """Where the set's number stands, or would stand. At most half of the slots are taken: the search ends."""
    cdef uint64_t place = hash_of(rows, table.n_words) & table.mask
    cdef const uint64_t* candidate
    while table.slots[place] != 0:
        candidate = &table.sets[<Py_ssize_t> (table.slots[place] - 1) * table.n_words]
        if memcmp(candidate, rows, table.n_words * sizeof(uint64_t)) == 0:
            break
        place = (place + 1) & table.mask
    return &table.slots[place]


cdef inline Known* find_known(SetTable* table, const uint64_t* rows) noexcept nogil:
    """What is known of the set, or NULL. It may move when the next set comes."""
    cdef uint32_t number
    if table.n_sets == 0:
        return NULL
    number = slot_of(table, rows)[0]
    return NULL if number == 0 else &table.known[number - 1]


cdef inline int _make_room(SetTable* table) except -1 nogil:
    """Double the capacity up to the largest one; then forget everything."""
    cdef int64_t capacity = min(table.largest_capacity, max(FIRST_CAPACITY, 2 * table.capacity)), number
    cdef uint64_t n_slots = 2
    cdef void* moved
    if capacity == table.capacity:
        table.n_sets = 0
        memset(table.slots, 0, (table.mask + 1) * sizeof(uint32_t))
        return 0
    while n_slots < 2 * <uint64_t> capacity:
        n_slots *= 2
    moved = realloc(table.sets, capacity * table.n_words * sizeof(uint64_t))
    if moved != NULL:
        table.sets = <uint64_t*> moved
        moved = realloc(table.known, capacity * sizeof(Known))
    if moved != NULL:
        table.known = <Known*> moved
        free(table.slots)
        table.slots = <uint32_t*> calloc(n_slots, sizeof(uint32_t))
        moved = table.slots
    if moved == NULL:
        with gil:
            raise MemoryError(f"no memory for a table of {capacity} sets of rows")
    table.capacity = capacity
    table.mask = n_slots - 1
    for number in range(table.n_sets):
        slot_of(table, &table.sets[number * table.n_words])[0] = <uint32_t> (number + 1)
    return 0


cdef inline Known* take_known(SetTable* table, const uint64_t* rows) except? NULL nogil:
    """What is known of the set; of a new one that it needs a split at least. NULL where the table has no room at all.
    """
    cdef Known* known = find_known(table, rows)
    cdef uint32_t* slot
    if known != NULL or table.largest_capacity == 0:
        return known
    if table.n_sets == table.capacity:
        _make_room(table)
    slot = slot_of(table, rows)
    memcpy(&table.sets[table.n_sets * table.n_words], rows, table.n_words * sizeof(uint64_t))
    known = &table.known[table.n_sets]
    known.lower, known.upper = 1, UNLIMITED
    table.n_sets += 1
    slot[0] = <uint32_t> table.n_sets
    return known
