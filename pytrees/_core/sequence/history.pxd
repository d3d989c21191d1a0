"""The exhaustive history of a sequence and the number of its components: Lempel-Ziv complexity."""

cimport cython

from pytrees._core.base.types cimport index_t, uint8_t, uint64_t


@cython.final
cdef class LabelPlanes:
    """A short sequence over few labels, which may change label by label, and the components known of it."""

    cdef readonly Py_ssize_t capacity
    cdef index_t n_labels, length
    cdef uint8_t[::1] labels
    cdef uint64_t[:, ::1] planes    # a bit for every label and position: whether the label stands there
    cdef uint64_t[::1] starts       # scratch: a bit for every position
    cdef index_t n_known            # the first components, which no change has touched, and which are complete
    cdef index_t[::1] stops         # by known component: the position after its last label


@cython.final
cdef class PlaneChildren:
    """The two children of a cut, while rows move from one to the other."""

    cdef LabelPlanes left, right
    cdef uint64_t[::1] left_rows    # a bit for every row of the node


cdef struct State:
    index_t longest     # length of its longest substring
    index_t link        # the state of the longest suffix that its substrings share but that is not one of them, or NONE
    index_t edge        # the first of its edges if edges are kept in lists, or NONE


cdef struct Edge:
    index_t state, symbol, target
    index_t next_of_state, next_of_bucket


@cython.final
cdef class ExhaustiveHistory:
    """Memory for the history of one sequence after the other."""

    cdef readonly Py_ssize_t capacity

    # The caller writes the labels here, coded 0..n_symbols-1.
    cdef index_t[::1] sequence

    cdef LabelPlanes planes         # None if there are too many labels

    # The suffix automaton of the labels so far, for sequences that are too long for planes.
    cdef State[::1] states
    cdef index_t[::1] targets       # few labels: the target by state and label; ROOT stands for no edge
    cdef Edge[::1] edges            # more labels: edges in a hash table, and in a list for every state
    cdef index_t[::1] buckets
    cdef index_t n_symbols, n_states, n_edges, last
    cdef uint64_t bucket_mask


cdef index_t complexity(ExhaustiveHistory history, index_t length, index_t n_symbols, index_t limit) except -1 nogil
cdef bint has_planes(index_t length, index_t n_symbols) noexcept nogil
cdef void start_planes(PlaneChildren children, const index_t[::1] labels, index_t length) noexcept nogil
cdef void move_label(PlaneChildren children, index_t row, index_t label) noexcept nogil
cdef index_t least_complexity(LabelPlanes planes) noexcept nogil
cdef index_t complexity_of_planes(LabelPlanes planes, index_t limit) noexcept nogil
