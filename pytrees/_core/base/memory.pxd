"""Arrays that grow, and large ones, inlined where they are cimported."""

from libc.stdlib cimport free, realloc
from libc.string cimport memmove

from pytrees._core.base.types cimport index_t

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "pages.h" nogil:
    void ask_for_large_pages "pytrees_ask_for_large_pages"(void*, size_t) noexcept

cdef enum:
    FIRST_CAPACITY = 64


cdef inline int reserve(
    void** memory, Py_ssize_t* capacity, Py_ssize_t wanted, Py_ssize_t item_size, const char* items
) except -1 nogil:
    """Make room for `wanted` items of `item_size` bytes; doubling the capacity keeps the cost of growing linear.

    Raises MemoryError, which names the items, if the memory is refused or its size overflows.
    """
    cdef Py_ssize_t most = PY_SSIZE_T_MAX // item_size, new_capacity = max(FIRST_CAPACITY, capacity[0])
    cdef void* moved = NULL
    if memory[0] != NULL and wanted <= capacity[0]:
        return 0
    while new_capacity < wanted and new_capacity < most:
        new_capacity = 2 * new_capacity if new_capacity <= most // 2 else most
    if wanted <= most:
        moved = realloc(memory[0], new_capacity * item_size)
    if moved == NULL:
        with gil:
            raise MemoryError(f"no memory for {max(wanted, new_capacity)} {items.decode()}")
    ask_for_large_pages(moved, <size_t> (new_capacity * item_size))
    memory[0] = moved
    capacity[0] = new_capacity


cdef inline void shrink(void** memory, Py_ssize_t* capacity, Py_ssize_t wanted, Py_ssize_t item_size) noexcept nogil:
    """Keep only the first `wanted` items."""
    cdef void* moved
    if wanted == 0:
        free(memory[0])
        memory[0] = NULL
        capacity[0] = 0
        return
    moved = realloc(memory[0], wanted * item_size)
    if moved != NULL:
        memory[0] = moved
        capacity[0] = wanted


cdef inline void* insert_item(
    void** memory, Py_ssize_t* capacity, index_t* n_items, index_t position, Py_ssize_t item_size, const char* items
) except NULL nogil:
    """Return the place of the item to write at this position; the items from there on move up by one."""
    cdef char* place
    reserve(memory, capacity, <Py_ssize_t> n_items[0] + 1, item_size, items)
    place = <char*> memory[0] + position * item_size
    memmove(place + item_size, place, (n_items[0] - position) * item_size)
    n_items[0] += 1
    return place


cdef inline void remove_item(void* memory, index_t* n_items, index_t position, Py_ssize_t item_size) noexcept nogil:
    cdef char* place = <char*> memory + position * item_size
    n_items[0] -= 1
    memmove(place, place + item_size, (n_items[0] - position) * item_size)
