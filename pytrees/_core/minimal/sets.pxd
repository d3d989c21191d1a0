"""Sets of samples as strings of bits, and a table that keeps an item of facts about each set. Every function is inline.

Bit i of word w stands for number 64 * w + i. The words are as many as the largest number needs.
"""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from pytrees._core.base.compiler cimport trailing_zeros
from pytrees._core.base.types cimport index_t, int64_t, uint32_t, uint64_t

cdef enum:
    FIRST_SETS = 1024               # in a table

# Sets and their items, in the order in which the sets came, which is their number; and a hash table of these numbers by
# open addressing. A table that has no room for another set forgets all sets.
cdef struct SetTable:
    Py_ssize_t n_words, item_size
    uint64_t* sets
    char* items
    uint32_t* slots             # 0 if empty, otherwise a set's number plus one
    int64_t n_sets, capacity, largest_capacity
    uint64_t mask


cdef inline Py_ssize_t words_for(Py_ssize_t n_samples) noexcept nogil:
    return (n_samples + 63) // 64


cdef inline bint holds(const uint64_t* bits, index_t bit) noexcept nogil:
    return (bits[bit >> 6] >> (bit & 63)) & 1


cdef inline void add_bit(uint64_t* bits, index_t bit) noexcept nogil:
    bits[bit >> 6] |= <uint64_t> 1 << (bit & 63)


cdef inline void drop_bit(uint64_t* bits, index_t bit) noexcept nogil:
    bits[bit >> 6] &= ~(<uint64_t> 1 << (bit & 63))


cdef inline int take_bit(uint64_t* word) noexcept nogil:
    """Remove the lowest bit of a word that is not 0, and return its position."""
    cdef int position = trailing_zeros(word[0])
    word[0] &= word[0] - 1
    return position


cdef inline bint contains(const uint64_t* bits, const uint64_t* part, Py_ssize_t n_words) noexcept nogil:
    cdef Py_ssize_t word
    for word in range(n_words):
        if part[word] & ~bits[word]:
            return False
    return True


cdef inline void unite(uint64_t* bits, const uint64_t* part, Py_ssize_t n_words) noexcept nogil:
    cdef Py_ssize_t word
    for word in range(n_words):
        bits[word] |= part[word]


cdef inline void open_table(SetTable* table, Py_ssize_t n_words, Py_ssize_t item_size, memory_limit) except *:
    """Begin an empty table of sets of `n_words` words, within a limit of bytes."""
    memset(table, 0, sizeof(SetTable))
    table.n_words, table.item_size = n_words, item_size
    # Two to four slots a set.
    bytes_of_set = n_words * sizeof(uint64_t) + item_size + 4 * sizeof(uint32_t)
    table.largest_capacity = min(memory_limit // bytes_of_set, 2**31 - 1)


cdef inline void close_table(SetTable* table) noexcept nogil:
    free(table.sets)
    free(table.items)
    free(table.slots)


cdef inline uint64_t hash_of(const uint64_t* bits, Py_ssize_t n_words) noexcept nogil:
    cdef uint64_t mixed = 0x9E3779B97F4A7C15
    cdef Py_ssize_t word
    for word in range(n_words):
        mixed = (mixed ^ bits[word]) * <uint64_t> 0xBF58476D1CE4E5B9
        mixed ^= mixed >> 29
    return mixed


cdef inline uint32_t* slot_of(SetTable* table, const uint64_t* bits) noexcept nogil:
    """Return the slot of the set's number, or the empty slot for it. At least half of the slots are empty."""
    cdef uint64_t slot = hash_of(bits, table.n_words) & table.mask
    cdef const uint64_t* candidate
    while table.slots[slot] != 0:
        candidate = &table.sets[<Py_ssize_t> (table.slots[slot] - 1) * table.n_words]
        if memcmp(candidate, bits, table.n_words * sizeof(uint64_t)) == 0:
            break
        slot = (slot + 1) & table.mask
    return &table.slots[slot]


cdef inline void* find_item(SetTable* table, const uint64_t* bits) noexcept nogil:
    """Return the item of the set, or NULL. The item may move when the next set comes."""
    cdef uint32_t number
    if table.n_sets == 0:
        return NULL
    number = slot_of(table, bits)[0]
    return NULL if number == 0 else table.items + <Py_ssize_t> (number - 1) * table.item_size


cdef inline int make_room(SetTable* table) except -1 nogil:
    """Double the capacity up to the largest one, or forget all sets."""
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
            raise MemoryError(f"no memory for a table of {capacity} sets of samples")
    table.capacity = capacity
    table.mask = n_slots - 1
    for number in range(table.n_sets):
        slot_of(table, &table.sets[number * table.n_words])[0] = <uint32_t> (number + 1)


cdef inline void* take_item(SetTable* table, const uint64_t* bits, const void* first) except? NULL nogil:
    """Return the item of the set; a new set gets a copy of `first`. NULL if the table has no room for any set."""
    cdef void* item = find_item(table, bits)
    cdef uint32_t* slot
    if item != NULL or table.largest_capacity == 0:
        return item
    if table.n_sets == table.capacity:
        make_room(table)
    slot = slot_of(table, bits)
    memcpy(&table.sets[table.n_sets * table.n_words], bits, table.n_words * sizeof(uint64_t))
    item = table.items + table.n_sets * table.item_size
    memcpy(item, first, table.item_size)
    table.n_sets += 1
    slot[0] = <uint32_t> table.n_sets
    return item
