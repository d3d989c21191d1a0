"""Functions on schemata, as TCFS asks them."""

from pytrees._core.base.types cimport float64_t, int32_t, int64_t
from pytrees._core.fourier.boxes cimport BoxOverlaps, Boxes, Measure


cdef class Function:
    """A function of some outputs on a schema: for every attribute the values low to high - 1."""

    cdef Measure measure
    cdef int64_t[::1] low, high
    cdef float64_t[::1] average                 # over the schema
    cdef float64_t[:, ::1] profiles             # over what of it has a value, which is at measure.offsets + the value
    cdef float64_t[::1] touching                # energy of the coefficients that touch an attribute

    cdef int look(self) except -1
    cdef int look_closer(self) except -1
    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high)
    cdef bint is_constant(self, float64_t tol) except -1
    cdef float64_t mass(self) except? -1.0


cdef class BoxFunction(Function):
    """The sum of boxes, each times its values. The boxes of one tree follow each other, and have nothing in common."""

    cdef Boxes boxes
    cdef const float64_t[:, ::1] values
    cdef const int64_t[::1] tree_of_box
    cdef int64_t[::1] live                      # the boxes that have something in common with the schema
    cdef float64_t[::1] shares                  # scratch: of the schema, what every constraint of a box allows

    cdef float64_t take_shares(self, int64_t box) noexcept nogil
    cdef void add_steps(self, int64_t constraint, Py_ssize_t k, float64_t part) noexcept nogil
    cdef float64_t first_order_energy(self) noexcept
    cdef float64_t greatest_energy(self) noexcept
    cdef float64_t energy(self) except? -1.0
    cdef float64_t products(self, BoxOverlaps overlaps, Py_ssize_t i, int64_t left_out) noexcept nogil


cdef class SpectrumFunction(Function):
    """A function given by its spectrum: rows of digits, the first of them zeros, and coefficients."""

    cdef object partitions, coefficients        # the latter with a column for every output
    cdef float64_t energy                       # outside the first coefficient: the variance


cdef class SampleFunction(Function):
    """A function given by its values at samples, of which those on the schema are here; none has weight zero.

    The measure is theirs: for every attribute the weights that its values have among these samples.
    """

    cdef object samples, values, weights        # codes, int32; of every sample and output; of every sample
    cdef float64_t total                        # weight of all samples, on the schema or not


cdef BoxFunction box_function(boxes, values, tree_of_box, measure)
cdef SpectrumFunction spectrum_function(partitions, coefficients, measure)
cdef SampleFunction sample_function(rows, values, weights, cardinalities)
cdef float64_t mean_variance(
    const int32_t[:, ::1] samples, const float64_t[:, ::1] values, const float64_t[::1] weights, int64_t attribute
) except? -1.0
