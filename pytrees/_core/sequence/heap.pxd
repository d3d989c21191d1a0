"""A heap of whole numbers, the smallest on top, in memory of the caller."""

from pytrees._core.base.types cimport index_t, int64_t


cdef inline void push(int64_t[::1] heap, index_t* size, int64_t key) noexcept nogil:
    cdef index_t i = size[0], parent
    size[0] += 1
    # Everything but heap[i] is a heap, and the key belongs at i or above.
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key


cdef inline int64_t pop(int64_t[::1] heap, index_t* size) noexcept nogil:
    """Take the smallest key. The array must have one more element than the heap, because it is read."""
    cdef int64_t smallest = heap[0], key
    cdef index_t i = 0, child
    size[0] -= 1
    key = heap[size[0]]
    # Everything but heap[i] is a heap, and the key belongs at i or below.
    while True:
        child = 2 * i + 1
        if child >= size[0]:
            break
        child += (child + 1 < size[0]) & (heap[child + 1] < heap[child])
        if heap[child] >= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    return smallest
