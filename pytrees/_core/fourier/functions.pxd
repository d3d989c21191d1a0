"""Functions on schemata: the base class, which a rebuilt tree asks, and the makers of its three kinds."""

from pytrees._core.base.types cimport float64_t, int32_t, int64_t
from pytrees._core.fourier.boxes cimport Measure


cdef class Function:
    """A function of some outputs on a schema, where attribute m has the values low[m] to high[m] - 1."""

    cdef Measure measure
    cdef int64_t[::1] low, high
    cdef float64_t[::1] average             # by output: the mean over the schema
    cdef float64_t[:, ::1] profiles         # the mean where attribute m has value v: in row measure.offsets[m] + v
    cdef float64_t[::1] touching            # by attribute: the energy of the coefficients that touch it

    cdef int look(self) except -1
    cdef int look_closer(self) except -1
    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high)
    cdef bint is_constant(self, float64_t tol) except -1
    cdef float64_t mass(self) except? -1.0


cdef Function box_function(boxes, values, tree_of_box, measure)
cdef Function spectrum_function(partitions, coefficients, measure)
cdef Function sample_function(rows, values, weights, cardinalities)
cdef float64_t mean_variance(
    const int32_t[:, ::1] samples, const float64_t[:, ::1] values, const float64_t[::1] weights, int64_t attribute
) except? -1.0
