"""Sets of rows as bits, 64 a word, and tables of what is known of them, inlined where they are cimported."""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from pytrees._core.base.types cimport index_t, int64_t, uint32_t, uint64_t

cdef enum:
    FIRST_SETS = 1024               # in a table

# Sets and the items that tell what is known of them, in the order in which they came, and an open-addressing table of
# their numbers. Where there is no room for another one, the table forgets everything and starts anew.
cdef struct SetTable:
    Py_ssize_t n_words, item_size
    uint64_t* sets
    char* items
    uint32_t* slots             # 0 where empty, otherwise a set's number plus one
    int64_t n_sets, capacity, largest_capacity
    uint64_t mask


cdef inline Py_ssize_t words_for(Py_ssize_t n_rows) noexcept nogil:
    return (n_rows + 63) // 64


cdef inline bint holds(const uint64_t* rows, index_t bit) noexcept nogil:
    return (rows[bit >> 6] >> (bit & 63)) & 1


cdef inline void add_bit(uint64_t* rows, index_t bit) noexcept nogil:
    rows[bit >> 6] |= <uint64_t> 1 << (bit & 63)


cdef inline void open_table(SetTable* table, Py_ssize_t n_words, Py_ssize_t item_size, memory_limit) except *:
    """Begin a table of sets of so many words, within a limit of bytes."""
    memset(table, 0, sizeof(SetTable))
    table.n_words, table.item_size = n_words, item_size
    # Two to four slots a set.
    bytes_of_set = n_words * sizeof(uint64_t) + item_size + 4 * sizeof(uint32_t)
    table.largest_capacity = min(memory_limit // bytes_of_set, 2**31 - 1)


cdef inline void close_table(SetTable* table) noexcept nogil:
    free(table.sets)
    free(table.items)
    free(table.slots)


cdef inline uint64_t hash_of(const uint64_t* rows, Py_ssize_t n_words) noexcept nogil:
    cdef uint64_t mixed = 0x9E3779B97F4A7C15
    cdef Py_ssize_t word
    for word in range(n_words):
        mixed = (mixed ^ rows[word]) * <uint64_t> 0xBF58476D1CE4E5B9
        mixed ^= mixed >> 29
    return mixed


cdef inline uint32_t* slot_of(SetTable* table, const uint64_t* rows) noexcept nogil:
    """Return where the set's number stands, or would stand. At most half of the slots are taken: the search ends."""
    cdef uint64_t place = hash_of(rows, table.n_words) & table.mask
    cdef const uint64_t* candidate
    while table.slots[place] != 0:
        candidate = &table.sets[<Py_ssize_t> (table.slots[place] - 1) * table.n_words]
        if memcmp(candidate, rows, table.n_words * sizeof(uint64_t)) == 0:
            break
        place = (place + 1) & table.mask
    return &table.slots[place]


cdef inline void* find_item(SetTable* table, const uint64_t* rows) noexcept nogil:
    """Return what is known of the set, or NULL. It may move when the next set comes."""
    cdef uint32_t number
    if table.n_sets == 0:
        return NULL
    number = slot_of(table, rows)[0]
    return NULL if number == 0 else table.items + <Py_ssize_t> (number - 1) * table.item_size


cdef inline int make_room(SetTable* table) except -1 nogil:
    """Double the capacity up to the largest one; then forget everything."""
    cdef int64_t capacity = min(table.largest_capacity, max(FIRST_SETS, 2 * table.capacity)), number
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
        moved = realloc(table.items, capacity * table.item_size)
    if moved != NULL:
        table.items = <char*> moved
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


cdef inline void* take_item(SetTable* table, const uint64_t* rows, const void* unknown) except? NULL nogil:
    """Return what is known of the set, at first what `unknown` says; NULL where the table has no room at all."""
    cdef void* item = find_item(table, rows)
    cdef uint32_t* slot
    if item != NULL or table.largest_capacity == 0:
        return item
    if table.n_sets == table.capacity:
        make_room(table)
    slot = slot_of(table, rows)
    memcpy(&table.sets[table.n_sets * table.n_words], rows, table.n_words * sizeof(uint64_t))
    item = table.items + table.n_sets * table.item_size
    memcpy(item, unknown, table.item_size)
    table.n_sets += 1
    slot[0] = <uint32_t> table.n_sets
    return item
