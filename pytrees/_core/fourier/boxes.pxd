"""Boxes: products of sets of values, one set for every attribute; and their masses under a product measure."""

from pytrees._core.base.types cimport float64_t, int64_t


cdef class Boxes:
    """Flat arrays. Box b has the constraints indptr[b] to indptr[b + 1], attributes ascending; what is not constrained
    may have any value. Constraint c allows the values of the runs run_indptr[c] to run_indptr[c + 1], ascending and
    disjoint, each from start to stop - 1."""

    cdef const int64_t[::1] indptr, attribute, run_indptr, start, stop
    cdef Py_ssize_t n_boxes


cdef class Measure:
    """A product measure: the weight of the values a to b - 1 of attribute m is cumulative[offsets[m] + b] -
    cumulative[offsets[m] + a]."""

    cdef const int64_t[::1] offsets
    cdef const float64_t[::1] cumulative


cdef class BoxOverlaps:
    """The probabilities of what some boxes have in common on a schema: of one of them and all up to it at a time.

    A pair of boxes has their product, times a factor for every attribute that both constrain. The constraints of all
    boxes stand together by attribute, so that no pair is looked at for an attribute that it does not share.
    """

    cdef Boxes boxes
    cdef Measure measure
    cdef const int64_t[::1] chosen              # the boxes, each of which has mass on the schema
    cdef const int64_t[::1] low, high           # the schema: of every attribute the values low to high - 1
    cdef float64_t[::1] mass                    # of every box on the schema
    cdef int64_t[::1] first                     # entry of every attribute: constraints that exclude some of the schema
    cdef int64_t[::1] place, constraint         # of every entry: place of its box in `chosen`, ascending
    cdef float64_t[::1] inverse                 # of every entry: one over the weight that it allows
    cdef float64_t[::1] common                  # what `take` works out

    cdef int64_t work(self, Py_ssize_t i) noexcept nogil
    cdef float64_t whole_work(self) noexcept nogil
    cdef void take(self, Py_ssize_t i, int64_t left_out) noexcept nogil


cdef float64_t LEAST

cdef float64_t[::1] constraint_shares(Boxes boxes, Measure measure)
cdef list boxes_that_count(Boxes boxes, shares, values)


cdef inline float64_t run_mass(Measure measure, int64_t attribute, int64_t start, int64_t stop) noexcept nogil:
    """Return the weight of the values start to stop - 1; zero where there are none."""
    cdef int64_t first = measure.offsets[attribute]
    return measure.cumulative[first + stop] - measure.cumulative[first + start] if start < stop else 0.0


cdef inline int64_t cardinality_of(Measure measure, int64_t attribute) noexcept nogil:
    return measure.offsets[attribute + 1] - measure.offsets[attribute] - 1


cdef inline float64_t total_mass(Measure measure, int64_t attribute) noexcept nogil:
    return measure.cumulative[measure.offsets[attribute + 1] - 1]


cdef inline float64_t clipped_mass(
    Boxes boxes, Measure measure, int64_t constraint, int64_t low, int64_t high,
) noexcept nogil:
    """Return the weight of those values from low to high - 1 that the constraint allows."""
    cdef int64_t run, attribute = boxes.attribute[constraint]
    cdef float64_t mass = 0.0
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        mass += run_mass(measure, attribute, max(boxes.start[run], low), min(boxes.stop[run], high))
    return mass


cdef inline float64_t common_mass(
    Boxes boxes, int64_t constraint, Boxes others, int64_t other, Measure measure, int64_t low, int64_t high,
) noexcept nogil:
    """Return the weight of those values from low to high - 1 that both constraints, on one attribute, allow."""
    cdef int64_t run = boxes.run_indptr[constraint], end = boxes.run_indptr[constraint + 1]
    cdef int64_t other_run = others.run_indptr[other], other_end = others.run_indptr[other + 1]
    cdef int64_t attribute = boxes.attribute[constraint]
    cdef float64_t mass = 0.0
    # The intersections of the runs before these two are counted.
    while run < end and other_run < other_end:
        mass += run_mass(
            measure, attribute, max(low, max(boxes.start[run], others.start[other_run])),
            min(high, min(boxes.stop[run], others.stop[other_run])),
        )
        if boxes.stop[run] <= others.stop[other_run]:
            run += 1
        else:
            other_run += 1
    return mass
