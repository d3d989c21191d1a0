"""Boxes: products of sets of values, one set for every attribute; and their masses under a product measure.

An attribute has the values 0 to its cardinality - 1. A leaf of a tree has a box: the points that reach the leaf. A
schema, on which a function is looked at, is a box as well.
"""

from pytrees._core.base.types cimport NONE, float64_t, int64_t


cdef class Boxes:
    """Boxes as flat arrays.

    Box b has the constraints indptr[b] to indptr[b + 1] - 1, in ascending order of their attributes. An attribute
    without constraint may have any value. Constraint c allows the values of the runs run_indptr[c] to
    run_indptr[c + 1] - 1, which ascend and are disjoint. Run r has the values start[r] to stop[r] - 1.
    """

    cdef const int64_t[::1] indptr, attribute, run_indptr, start, stop
    cdef Py_ssize_t n_boxes


cdef class Measure:
    """A product measure, as cumulated weights: the values a to b - 1 of attribute m weigh
    cumulative[offsets[m] + b] - cumulative[offsets[m] + a]."""

    cdef const int64_t[::1] offsets
    cdef const float64_t[::1] cumulative


cdef class BoxOverlaps:
    """The probabilities of the intersections of chosen boxes on a schema: of one box with all boxes up to it at a time.

    The intersection of two boxes has the product of their probabilities, times a factor for every attribute that both
    constrain: P(both) / (P(one) P(other)), the lift. Constraints that exclude a part of the schema are entries; the
    entries of attribute m are first[m] to first[m + 1] - 1, in the order of their boxes. So no pair of boxes is looked
    at for an attribute that only one of the two constrains.
    """

    cdef Boxes boxes
    cdef Measure measure
    cdef const int64_t[::1] chosen              # the boxes, each of which has mass on the schema
    cdef const int64_t[::1] low, high           # the schema: attribute m has the values low[m] to high[m] - 1
    cdef float64_t[::1] mass                    # by chosen box: its probability on the schema
    cdef int64_t[::1] first                     # by attribute
    cdef int64_t[::1] place, constraint         # by entry: the place of its box in `chosen`, and its constraint
    cdef float64_t[::1] inverse                 # by entry: one over the weight that the constraint allows
    cdef float64_t[::1] common                  # what `take` computes
    cdef float64_t done, whole                  # work: of the boxes that were shown, and of all boxes
    cdef int64_t unchecked                      # work since signals were checked

    cdef int show_work(self, Py_ssize_t i, float64_t before, float64_t share) except -1 nogil
    cdef int64_t work(self, Py_ssize_t i) noexcept nogil
    cdef void take(self, Py_ssize_t i, int64_t left_out) noexcept nogil


cdef float64_t LEAST

cdef tuple everywhere(Measure measure)
cdef float64_t[::1] constraint_shares(Boxes boxes, Measure measure)
cdef list boxes_that_count(Boxes boxes, shares, values)


cdef inline float64_t run_mass(Measure measure, int64_t attribute, int64_t start, int64_t stop) noexcept nogil:
    """Return the weight of the values start to stop - 1; zero if there are none."""
    cdef int64_t first = measure.offsets[attribute]
    return measure.cumulative[first + stop] - measure.cumulative[first + start] if start < stop else 0.0


cdef inline int64_t cardinality_of(Measure measure, int64_t attribute) noexcept nogil:
    return measure.offsets[attribute + 1] - measure.offsets[attribute] - 1


cdef inline float64_t total_mass(Measure measure, int64_t attribute) noexcept nogil:
    return measure.cumulative[measure.offsets[attribute + 1] - 1]


cdef inline float64_t clipped_mass(
    Boxes boxes, Measure measure, int64_t constraint, int64_t low, int64_t high,
) noexcept nogil:
    """Return the weight of the values from low to high - 1 that the constraint allows."""
    cdef int64_t run, attribute = boxes.attribute[constraint]
    cdef float64_t mass = 0.0
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        mass += run_mass(measure, attribute, max(boxes.start[run], low), min(boxes.stop[run], high))
    return mass


cdef inline float64_t common_mass(
    Boxes boxes, int64_t constraint, Boxes others, int64_t other, Measure measure, int64_t low, int64_t high,
) noexcept nogil:
    """Return the weight of the values from low to high - 1 that two constraints on one attribute both allow."""
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


cdef inline float64_t narrowing(BoxOverlaps overlaps, int64_t constraint) noexcept nogil:
    """Return one over the share of the schema that a constraint allows; 0 if the constraint allows all of it."""
    cdef int64_t m = overlaps.boxes.attribute[constraint]
    cdef float64_t whole = run_mass(overlaps.measure, m, overlaps.low[m], overlaps.high[m])
    cdef float64_t weight = clipped_mass(
        overlaps.boxes, overlaps.measure, constraint, overlaps.low[m], overlaps.high[m]
    )
    return whole / max(weight, LEAST) if weight < whole else 0.0


cdef inline float64_t lift(
    BoxOverlaps overlaps, int64_t constraint, float64_t its_narrowing, int64_t entry
) noexcept nogil:
    """Return P(both) / (P(one) P(other)) of a constraint and an entry of the same attribute."""
    cdef int64_t m = overlaps.boxes.attribute[constraint]
    cdef float64_t common = common_mass(
        overlaps.boxes, constraint, overlaps.boxes, overlaps.constraint[entry], overlaps.measure, overlaps.low[m],
        overlaps.high[m],
    )
    return common * overlaps.inverse[entry] * its_narrowing


cdef inline float64_t dot(const float64_t[:, ::1] values, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the product of two rows."""
    cdef Py_ssize_t k
    cdef float64_t product = 0.0
    for k in range(values.shape[1]):
        product += values[i, k] * values[j, k]
    return product
