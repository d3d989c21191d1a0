from pytrees._core.base.types cimport float64_t, index_t, int64_t


cdef class CutCriterion:
    cdef int judge(
        self, const float64_t[:, :] left, const float64_t[:, :] right, float64_t[:] gains
    ) except -1 nogil


cdef class CountCriterion(CutCriterion):
    pass


cdef class SumCriterion(CutCriterion):
    pass


cdef class SequenceCriterion:
    cdef int judge(
        self, const index_t[:] labels, const int64_t[:] row_ids, const index_t[:] order, const index_t[:] n_left,
        float64_t[:] gains
    ) except -1 nogil
