"""The exhaustive history of a sequence and the number of its components: Lempel-Ziv complexity."""

cimport cython

from pytrees._core.base.types cimport index_t, uint8_t, uint64_t


@cython.final
cdef class LabelPlanes:
    """A short sequence over few labels, which may change label by label, and the components known of it."""

    cdef readonly Py_ssize_t capacity
    cdef index_t n_labels, length
    cdef uint8_t[::1] labels
    cdef uint64_t[:, ::1] planes    # of every label a bit for every place: whether it stands there
    cdef uint64_t[::1] starts       # scratch: a bit for every place
    cdef index_t n_known            # components that no change has touched; none of them is cut off by the end
    cdef index_t[::1] stops         # where each of them ends: the place behind its last label


cdef struct State:
    index_t longest     # length of its longest word
    index_t link        # the state of the longest suffix of its words that is not one of them; NONE of the root
    index_t edge        # the first of its edges where they are kept in lists, or NONE


cdef struct Edge:
    index_t state, symbol, target
    index_t next_of_state, next_of_bucket


@cython.final
cdef class ExhaustiveHistory:
    """Memory for the history of one sequence after the other."""

    cdef readonly Py_ssize_t capacity

    # The caller writes the labels here, coded 0..n_symbols-1.
    cdef index_t[::1] sequence

    cdef LabelPlanes planes         # None where there are too many labels

    # The suffix automaton of the labels so far, of sequences that are too long for planes.
    cdef State[::1] states
    cdef index_t[::1] targets       # few labels: a row a state, a column a label; ROOT where there is no edge
    cdef Edge[::1] edges            # more labels: in a hash table
    cdef index_t[::1] buckets
    cdef index_t n_symbols, n_states, n_edges, last
    cdef uint64_t bucket_mask


cdef index_t complexity(ExhaustiveHistory history, index_t length, index_t n_symbols, index_t limit) noexcept nogil
cdef bint has_planes(index_t length, index_t n_symbols) noexcept nogil
cdef void load_planes(LabelPlanes planes, const index_t* labels, index_t length) noexcept nogil
cdef void insert_label(LabelPlanes planes, index_t place, index_t label) noexcept nogil
cdef void remove_label(LabelPlanes planes, index_t place) noexcept nogil
cdef index_t least_complexity(LabelPlanes planes) noexcept nogil
cdef index_t complexity_of_planes(LabelPlanes planes, index_t limit) noexcept nogil
