"""Arrays that grow, inlined where they are cimported."""

from libc.stdlib cimport realloc


cdef inline int reserve(void** memory, Py_ssize_t* capacity, Py_ssize_t wanted, Py_ssize_t item_size) except -1 nogil:
    """Make room for so many items; doubling keeps the cost of growing linear."""
    cdef Py_ssize_t new_capacity = max(64, capacity[0])
    cdef void* moved
    if memory[0] != NULL and wanted <= capacity[0]:
        return 0
    while new_capacity < wanted:
        new_capacity *= 2
    moved = realloc(memory[0], new_capacity * item_size)
    if moved == NULL:
        with gil:
            raise MemoryError(f"no memory for a tree of {new_capacity} nodes")
    memory[0] = moved
    capacity[0] = new_capacity
    return 0
