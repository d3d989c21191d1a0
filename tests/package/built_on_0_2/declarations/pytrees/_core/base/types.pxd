from libc.stdint cimport int32_t, int64_t

ctypedef double float64_t
ctypedef int32_t index_t
