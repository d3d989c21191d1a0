"""Arrays that grow, inlined where they are cimported."""

from libc.stdlib cimport realloc

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef enum:
    FIRST_CAPACITY = 64


cdef inline int reserve(
    void** memory, Py_ssize_t* capacity, Py_ssize_t wanted, Py_ssize_t item_size, const char* items
) except -1 nogil:
    """Make room for `wanted` items of `item_size` bytes; doubling the capacity keeps the cost of growing linear.

    Raises MemoryError, which names the items, where the memory is refused or its size has no number.
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
    memory[0] = moved
    capacity[0] = new_capacity
    return 0
