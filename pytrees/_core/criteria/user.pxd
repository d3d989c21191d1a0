"""Base classes of users' criteria, and the tables of cuts that they judge."""

cimport cython

from pytrees._core.base.types cimport float64_t, index_t, int64_t, uint8_t

# Compiled packages of others derive from the classes of criteria, and look them up in this module. So these classes
# keep their methods and fields, none more, none less; a new base class is for what they cannot do.


cdef class CutCriterion:
    # Write the gain of every cut to `gains`: minus infinity forbids a cut. `left` and `right` tell of the children, a
    # row for each cut. The default asks the Python method `gains`; a cdef class that overrides it needs no interpreter.
    cdef int judge(
        self, const float64_t[:, :] left, const float64_t[:, :] right, float64_t[:] gains
    ) except -1 nogil


cdef class CountCriterion(CutCriterion):
    # `left` and `right` are the class counts of the children, of shape (n_cuts, n_classes).
    pass


cdef class SumCriterion(CutCriterion):
    # `left` and `right` are weights, sums of targets and sums of squares about the mean, of shape (n_cuts, 3).
    pass


cdef class SequenceCriterion:
    # Write the gain of every cut of a feature to `gains`. `labels` are the classes of the node's rows in their order,
    # `row_ids` the rows' numbers in X. Cut k sends the rows order[:n_left[k]] to the left. `order` holds indices into
    # `labels`; `n_left` is ascending. If values of the feature are missing, one call has the cuts with the missing
    # values on the right, and another call, in another order, the cuts with the missing values on the left. The default
    # asks the Python methods `gain` and `impurity`.
    cdef int judge(
        self, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order, const index_t[:] n_left,
        float64_t[:] gains
    ) except -1 nogil


cdef struct Segment:
    # Neighbouring cuts of one feature of one node.
    index_t node, feature, start, stop
    index_t starts_feature, ends_feature


cdef struct UserCut:
    # The best cut of a node, or of a feature.
    index_t feature     # NONE if there is none
    index_t n_known_left    # samples that go left and have the feature's value
    bint missing_left       # whether these go left
    float64_t gain
    float64_t weight    # of a node: the sum of its rows'


@cython.final
cdef class CutTable:
    """Cuts of any number of features and nodes, to be judged in one call."""

    cdef readonly CutCriterion criterion
    cdef readonly bint per_feature          # a call holds all cuts of one feature of one node
    cdef bint is_checked                    # whether a cut judged alone was found to gain the same
    cdef Py_ssize_t capacity
    cdef index_t n_cuts, n_segments
    cdef float64_t[::1, :] left, right      # column by column: sums over classes then run over whole columns
    cdef float64_t[::1] gains
    cdef index_t[::1] n_known_left
    cdef uint8_t[::1] missing_left
    cdef Segment[::1] segments
    cdef int64_t[::1] running               # scratch: the left child's class counts
    cdef float64_t[::1] alone               # scratch: the gain of one cut
    cdef UserCut best_of_feature


cdef int reserve_cuts(CutTable table, Py_ssize_t n_cuts) except -1 nogil
cdef int judge_table(CutTable table, UserCut* best_of_node) except -1 nogil
cdef int judge_sequences(
    SequenceCriterion criterion, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order,
    const index_t[:] n_left, float64_t[:] gains
) except -1 nogil
cdef bint takes_lead(float64_t gain, index_t best, float64_t best_gain) noexcept nogil
