"""Fourier spectra as flat arrays: made from boxes, added, multiplied, evaluated.

A row of `partitions` is a partition: a digit for every attribute, below its cardinality. Rows are sorted by order (the
number of digits that are not zero), then lexicographically; the first is the partition of zeros.
"""

import numpy as np

from libc.math cimport M_PI, cos, fabs, sin
from libc.stdint cimport int8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.fourier.boxes cimport Boxes

cdef enum:
    LANES = 32              # schemata that are evaluated side by side
    ROWS = 4096             # partitions between two checks for signals while schemata are evaluated

# Coefficients below this share of the greatest value are what rounding leaves of zeros.
cdef float64_t NEGLIGIBLE = 1e-15

# A box on its way through the attributes: what its constraints so far multiply to, and the next one.
cdef struct Traveller:
    float64_t real, imag
    int64_t constraint, stop
    int64_t attribute       # of the next constraint


cdef class Roots:
    def __init__(self, const int64_t[::1] cardinalities):
        cdef int64_t m, t, cardinality
        cdef float64_t* roots
        self.cardinalities = cardinalities
        self.first = np.concatenate([[0], np.cumsum(2 * np.asarray(cardinalities))])
        self.table = np.empty(self.first[cardinalities.shape[0]])
        for m in range(cardinalities.shape[0]):
            cardinality, roots = cardinalities[m], &self.table[self.first[m]]
            # Conjugates are exact, and so are 1, i, -1.
            for t in range(cardinality):
                roots[2 * t] = cos(2.0 * M_PI * min(t, cardinality - t) / cardinality)
                roots[2 * t + 1] = sin(2.0 * M_PI * min(t, cardinality - t) / cardinality)
                if 4 * min(t, cardinality - t) == cardinality:
                    roots[2 * t] = 0.0
                if 2 * t == cardinality:
                    roots[2 * t + 1] = 0.0
                elif 2 * t > cardinality:
                    roots[2 * t + 1] = -roots[2 * t + 1]


cdef inline void sum_roots(
    Boxes boxes, int64_t constraint, Roots roots, int64_t digit, float64_t* total,
) noexcept nogil:
    """Compute the sum of exp(2 pi i x digit / cardinality) over the values x that a constraint allows."""
    cdef int64_t run, x, t, cardinality = roots.cardinalities[boxes.attribute[constraint]]
    cdef const float64_t* table = &roots.table[roots.first[boxes.attribute[constraint]]]
    total[0] = total[1] = 0.0
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        for x in range(boxes.start[run], boxes.stop[run]):
            t = x * digit % cardinality
            total[0] += table[2 * t]
            total[1] += table[2 * t + 1]


# ---------------------------------------------------------------------------------------------------------- from boxes


cdef inline int64_t next_attribute(const Traveller* here, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t attribute = here[0].attribute
    for i in range(1, n):
        attribute = min(attribute, here[i].attribute)
    return attribute


cdef inline bint advance(Boxes boxes, Traveller* traveller) noexcept nogil:
    """Go to the next constraint; return whether there is one."""
    traveller.constraint += 1
    if traveller.constraint == traveller.stop:
        return False
    traveller.attribute = boxes.attribute[traveller.constraint]
    return True


cdef inline void multiply(Traveller* traveller, const float64_t* factor) noexcept nogil:
    cdef float64_t real = traveller.real
    traveller.real = real * factor[0] - traveller.imag * factor[1]
    traveller.imag = real * factor[1] + traveller.imag * factor[0]


cdef Traveller* set_out(
    Boxes boxes, const float64_t[::1] values, Py_ssize_t* n_travellers, float64_t* settled
) except NULL:
    """Send boxes of values other than zero on their way; add up the values of those that are constrained nowhere.

    There is room for all boxes, and for each of them once more for each of its constraints.
    """
    cdef size_t n = <size_t>(boxes.n_boxes + boxes.indptr[boxes.n_boxes] + 1)
    cdef Traveller* room = <Traveller*>malloc(n * sizeof(Traveller))
    cdef Py_ssize_t box
    if room == NULL:
        raise MemoryError(f"no memory for {n} boxes on their way")
    n_travellers[0], settled[0] = 0, 0.0
    for box in range(boxes.n_boxes):
        if values[box] == 0.0:
            continue
        if boxes.indptr[box] == boxes.indptr[box + 1]:
            settled[0] += values[box]
        else:
            room[n_travellers[0]] = Traveller(
                values[box], 0.0, boxes.indptr[box], boxes.indptr[box + 1], boxes.attribute[boxes.indptr[box]]
            )
            n_travellers[0] += 1
    return room


cdef class Count:
    """State of a count of coefficients by order."""

    cdef Boxes boxes
    cdef const int64_t[::1] cardinalities
    cdef float64_t[::1] numbers         # of partitions, by their order
    cdef float64_t total, limit
    cdef int64_t work_done              # travellers since signals were checked

    cdef int count_from(
        self, Traveller* here, Py_ssize_t n, float64_t number, Py_ssize_t order
    ) except -1 nogil:
        """Count what so many partitions of an order can become through the constraints that are left."""
        cdef Py_ssize_t i, n_kept, n_taken
        cdef int64_t attribute
        cdef Traveller* beyond
        # The digits of the attributes before the next one are chosen; here they are zero.
        while n > 0 and self.total <= self.limit:
            check_signals(&self.work_done, n, WORK_BETWEEN_CHECKS)
            attribute, beyond, n_kept, n_taken = next_attribute(here, n), here + n, 0, 0
            for i in range(n):
                if here[i].attribute == attribute:
                    if not advance(self.boxes, &here[i]):
                        continue
                    beyond[n_taken] = here[i]
                    n_taken += 1
                here[n_kept] = here[i]
                n_kept += 1
            self.count_from(beyond, n_taken, number * <float64_t>(self.cardinalities[attribute] - 1), order + 1)
            n = n_kept
        self.numbers[order] += number
        self.total += number
        return 0


def count_orders(boxes, const float64_t[::1] values, const int64_t[::1] cardinalities, float64_t limit):
    """Count the partitions of every order that a sum of boxes can have; (n_attributes + 1,) float64.

    Boxes of value zero do not count. Counting ends soon after more than `limit` partitions were met.
    """
    cdef Count count = Count()
    cdef float64_t settled
    cdef Py_ssize_t n
    count.boxes, count.cardinalities, count.limit = Boxes(boxes), cardinalities, limit
    count.numbers = np.zeros(cardinalities.shape[0] + 1)
    cdef Traveller* room = set_out(count.boxes, values, &n, &settled)
    try:
        with nogil:
            count.count_from(room, n, 1.0, 0)
    finally:
        free(room)
    return np.asarray(count.numbers)


cdef class Expansion:
    """State of an expansion of leaf boxes into coefficients."""

    cdef Boxes boxes
    cdef const int64_t[::1] cardinalities
    cdef float64_t[::1] factors         # of every constraint and digit: real part, imaginary part
    cdef int64_t[::1] first_factor      # of every constraint
    cdef float64_t[::1] coefficients
    cdef int64_t[::1] places            # for every order, the row before which its next partition is written
    cdef int64_t work_done              # travellers since signals were checked


cdef int expand_from(
    Expansion expansion, digit_t* partitions, digit_t* row, Traveller* here, Py_ssize_t n, float64_t real,
    float64_t imag, Py_ssize_t order,
) except -1 nogil:
    """Write the coefficients of the partitions that begin with the row's digits, the last one first.

    `real` and `imag` are the sum of the boxes that have no constraint left; the travellers have one each.
    """
    cdef Py_ssize_t i, n_kept, n_taken, n_attributes = expansion.cardinalities.shape[0]
    cdef int64_t attribute, digit, place
    cdef float64_t taken_real, taken_imag
    cdef Traveller* beyond
    # The digits of the attributes before the next one are chosen; those behind are zero, and all others done.
    while n > 0:
        attribute, beyond = next_attribute(here, n), here + n
        for digit in range(expansion.cardinalities[attribute] - 1, 0, -1):
            check_signals(&expansion.work_done, n, WORK_BETWEEN_CHECKS)
            n_taken, taken_real, taken_imag = 0, 0.0, 0.0
            for i in range(n):
                if here[i].attribute != attribute:
                    continue
                beyond[n_taken] = here[i]
                multiply(
                    &beyond[n_taken], &expansion.factors[expansion.first_factor[here[i].constraint] + 2 * digit]
                )
                if advance(expansion.boxes, &beyond[n_taken]):
                    n_taken += 1
                else:
                    taken_real += beyond[n_taken].real
                    taken_imag += beyond[n_taken].imag
            row[attribute] = <digit_t>digit
            expand_from(expansion, partitions, row, beyond, n_taken, taken_real, taken_imag, order + 1)
        row[attribute] = 0
        n_kept = 0
        for i in range(n):
            if here[i].attribute == attribute:
                multiply(&here[i], &expansion.factors[expansion.first_factor[here[i].constraint]])
                if not advance(expansion.boxes, &here[i]):
                    real += here[i].real
                    imag += here[i].imag
                    continue
            here[n_kept] = here[i]
            n_kept += 1
        n = n_kept
    expansion.places[order] -= 1
    place = expansion.places[order]
    memcpy(partitions + place * n_attributes, row, n_attributes * sizeof(digit_t))
    expansion.coefficients[2 * place], expansion.coefficients[2 * place + 1] = real, imag
    return 0


cdef Py_ssize_t drop_negligible(
    digit_t* partitions, float64_t* coefficients, Py_ssize_t n, Py_ssize_t n_attributes, float64_t threshold,
) noexcept nogil:
    """Close the gaps that small coefficients leave; return how many rows are left. The first one stays."""
    cdef Py_ssize_t i, n_kept = 1
    for i in range(1, n):
        if fabs(coefficients[2 * i]) <= threshold and fabs(coefficients[2 * i + 1]) <= threshold:
            continue
        if i != n_kept:
            memcpy(partitions + n_kept * n_attributes, partitions + i * n_attributes, n_attributes * sizeof(digit_t))
            coefficients[2 * n_kept], coefficients[2 * n_kept + 1] = coefficients[2 * i], coefficients[2 * i + 1]
        n_kept += 1
    return n_kept


def _expand(digit_t[:, ::1] partitions, const float64_t[::1] values, Expansion expansion):
    """Write all partitions and coefficients; return how many are not negligible, which come first then."""
    cdef Py_ssize_t n, i, n_attributes = partitions.shape[1]
    cdef digit_t[::1] row = np.zeros(n_attributes, dtype=np.asarray(partitions).dtype)
    cdef float64_t settled, greatest = 0.0
    cdef Traveller* room = set_out(expansion.boxes, values, &n, &settled)
    try:
        with nogil:
            expand_from(expansion, &partitions[0, 0], &row[0], room, n, settled, 0.0, 0)
    finally:
        free(room)
    with nogil:
        for i in range(values.shape[0]):
            greatest = max(greatest, fabs(values[i]))
        n = drop_negligible(
            &partitions[0, 0], &expansion.coefficients[0], partitions.shape[0], n_attributes, NEGLIGIBLE * greatest
        )
    return n


cdef int set_factors(Expansion expansion) except -1:
    """Compute the coefficients of every constraint alone: the mean of exp(2 pi i x digit / cardinality) where it is
    met."""
    cdef const int64_t[::1] attribute = expansion.boxes.attribute
    cdef Roots roots = Roots(expansion.cardinalities)
    cdef int64_t constraint, digit, cardinality, work_done = 0
    cdef float64_t* factor
    sizes = 2 * np.asarray(expansion.cardinalities)[np.asarray(attribute)]
    expansion.first_factor = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    expansion.factors = np.empty(sizes.sum())
    for constraint in range(attribute.shape[0]):
        cardinality = expansion.cardinalities[attribute[constraint]]
        for digit in range(cardinality):
            factor = &expansion.factors[expansion.first_factor[constraint] + 2 * digit]
            check_signals(&work_done, cardinality, WORK_BETWEEN_CHECKS)
            sum_roots(expansion.boxes, constraint, roots, digit, factor)
            factor[0] /= <float64_t>cardinality
            factor[1] /= <float64_t>cardinality
    return 0


def expand_spectrum(
    boxes, const float64_t[::1] values, const int64_t[::1] cardinalities, const float64_t[::1] order_counts
):
    """Compute the spectrum of a sum of boxes, each times its value: (partitions, coefficients).

    `order_counts` is what `count_orders` gives without a limit. Coefficients that only rounding keeps from being zero
    are left out, but for the first; conjugate partitions have exactly conjugate coefficients.
    """
    cdef Expansion expansion = Expansion()
    cdef Py_ssize_t n_attributes = cardinalities.shape[0]
    expansion.boxes, expansion.cardinalities = Boxes(boxes), cardinalities
    expansion.places = np.cumsum(np.asarray(order_counts)).astype(np.int64)
    set_factors(expansion)
    # The smallest signed integers that hold all digits.
    partitions = np.empty((expansion.places[n_attributes], n_attributes), np.min_scalar_type(-np.max(cardinalities)))
    coefficients = np.empty(len(partitions), dtype=np.complex128)
    expansion.coefficients = coefficients.view(np.float64)
    n_kept = _expand(partitions, values, expansion)
    expansion.coefficients = None
    # Nothing else refers to the arrays.
    partitions.resize((n_kept, n_attributes), refcheck=False)
    coefficients.resize(n_kept, refcheck=False)
    return partitions, coefficients


# ----------------------------------------------------------------------------------------------------- between spectra


cdef inline int compare(const digit_t* row, const digit_t* other, Py_ssize_t n_attributes) noexcept nogil:
    """Return -1, 0 or 1 as the first of two partitions of one order comes before the other one, is it, or comes
    after."""
    cdef Py_ssize_t m
    for m in range(n_attributes):
        if row[m] != other[m]:
            return -1 if row[m] < other[m] else 1
    return 0


cdef inline Py_ssize_t order_of(const digit_t* row, Py_ssize_t n_attributes) noexcept nogil:
    cdef Py_ssize_t m, order = 0
    for m in range(n_attributes):
        order += row[m] != 0
    return order


def order_starts(const digit_t[:, ::1] partitions):
    """Find where the partitions of every order start, in sorted rows; (n_attributes + 2,) int64."""
    cdef Py_ssize_t n_attributes = partitions.shape[1], i
    cdef int64_t[::1] starts = np.zeros(n_attributes + 2, dtype=np.int64)
    for i in range(partitions.shape[0]):
        starts[order_of(&partitions[i, 0], n_attributes) + 1] += 1
    return np.cumsum(np.asarray(starts))


def find_partitions(const digit_t[:, ::1] partitions, const digit_t[:, ::1] wanted):
    """Find the rows where partitions stand in sorted rows, -1 where they do not; (n_wanted,) int64."""
    cdef const int64_t[::1] starts = order_starts(partitions)
    cdef int64_t[::1] found = np.full(wanted.shape[0], -1, dtype=np.int64)
    cdef Py_ssize_t n_attributes = partitions.shape[1], i
    cdef int64_t low, high, middle, order, work_done = 0
    cdef int sign
    with nogil:
        for i in range(wanted.shape[0]):
            check_signals(&work_done, n_attributes, WORK_BETWEEN_CHECKS)
            order = order_of(&wanted[i, 0], n_attributes)
            low, high = starts[order], starts[order + 1]
            # It stands in low to high - 1, or nowhere.
            while low < high:
                middle = (low + high) // 2
                sign = compare(&partitions[middle, 0], &wanted[i, 0], n_attributes)
                if sign == 0:
                    found[i] = middle
                    break
                if sign < 0:
                    low = middle + 1
                else:
                    high = middle
    return np.asarray(found)


cdef inline int before(const digit_t* row, const digit_t* other, Py_ssize_t n_attributes) noexcept nogil:
    """Return -1, 0 or 1 as the first partition stands before the other one in a spectrum, is it, or stands behind
    it."""
    cdef Py_ssize_t order = order_of(row, n_attributes), other_order = order_of(other, n_attributes)
    if order != other_order:
        return -1 if order < other_order else 1
    return compare(row, other, n_attributes)


def merge_partitions(const digit_t[:, ::1] partitions, const digit_t[:, ::1] others):
    """Merge the partitions of two spectra, sorted, with their rows in both: (partitions, rows, other_rows), -1 for
    none."""
    cdef Py_ssize_t n_attributes = partitions.shape[1], n = partitions.shape[0], n_others = others.shape[0]
    cdef Py_ssize_t i = 0, j = 0, n_merged = 0
    cdef int64_t work_done = 0
    cdef int sign
    dtype = np.asarray(partitions).dtype
    cdef digit_t[:, ::1] merged = np.empty((n + n_others, n_attributes), dtype=dtype)
    cdef int64_t[::1] rows = np.full(n + n_others, -1, dtype=np.int64)
    cdef int64_t[::1] other_rows = np.full(n + n_others, -1, dtype=np.int64)
    with nogil:
        # The rows before i and j are merged.
        while i < n or j < n_others:
            check_signals(&work_done, n_attributes, WORK_BETWEEN_CHECKS)
            if i == n:
                sign = 1
            elif j == n_others:
                sign = -1
            else:
                sign = before(&partitions[i, 0], &others[j, 0], n_attributes)
            memcpy(
                &merged[n_merged, 0], &partitions[i, 0] if sign <= 0 else &others[j, 0],
                n_attributes * sizeof(digit_t),
            )
            if sign <= 0:
                rows[n_merged] = i
                i += 1
            if sign >= 0:
                other_rows[n_merged] = j
                j += 1
            n_merged += 1
    return np.asarray(merged)[:n_merged], np.asarray(rows)[:n_merged], np.asarray(other_rows)[:n_merged]


# ---------------------------------------------------------------------------------------------------------- evaluation


cdef int mean_characters(
    Boxes schemata, Roots roots, Py_ssize_t schema, Py_ssize_t lane, float64_t* real, float64_t* imag,
    int8_t* is_constrained, int64_t* work_done,
) except -1 nogil:
    """Compute the means of the conjugate characters over a schema, for every attribute and digit, into a lane of
    tables."""
    cdef Py_ssize_t n_attributes = roots.cardinalities.shape[0]
    cdef int64_t m, digit, run, size, place, constraint
    cdef float64_t total[2]
    # Where nothing is constrained, only the digit zero has a mean other than zero.
    for m in range(n_attributes):
        place = roots.first[m] // 2
        for digit in range(roots.cardinalities[m]):
            real[(place + digit) * LANES + lane] = digit == 0
            imag[(place + digit) * LANES + lane] = 0.0
    for constraint in range(schemata.indptr[schema], schemata.indptr[schema + 1]):
        m, size = schemata.attribute[constraint], 0
        place = roots.first[m] // 2
        is_constrained[m] = True
        for run in range(schemata.run_indptr[constraint], schemata.run_indptr[constraint + 1]):
            size += schemata.stop[run] - schemata.start[run]
        for digit in range(1, roots.cardinalities[m]):
            check_signals(work_done, size, WORK_BETWEEN_CHECKS)
            sum_roots(schemata, constraint, roots, digit, total)
            real[(place + digit) * LANES + lane] = total[0] / <float64_t>size
            imag[(place + digit) * LANES + lane] = -total[1] / <float64_t>size
    return 0


cdef void add_block(
    const digit_t* partitions, const float64_t* coefficients, Py_ssize_t n, Roots roots, const float64_t* real,
    const float64_t* imag, const int8_t* is_constrained, float64_t* products, digit_t* last, float64_t* sums,
) noexcept nogil:
    """Add up the real parts of coefficients times characters in all lanes.

    `products` has LANES real and LANES imaginary parts for every number of digits: those of the partition at hand that
    are not zero, from the left. `last` is that partition; it begins with zeros.
    """
    cdef Py_ssize_t n_attributes = roots.cardinalities.shape[0], i, m, lane, depth, place
    cdef bint shared, vanishes
    cdef const digit_t* row
    cdef float64_t* before_here
    cdef float64_t* here
    for i in range(n):
        row, depth, shared, vanishes = partitions + i * n_attributes, 0, True, False
        for m in range(n_attributes):
            vanishes |= row[m] != 0 and not is_constrained[m]
        if vanishes:
            continue
        for m in range(n_attributes):
            shared = shared and row[m] == last[m]
            if row[m] == 0:
                continue
            depth += 1
            if shared:
                continue
            place = (roots.first[m] // 2 + row[m]) * LANES
            before_here, here = products + 2 * LANES * (depth - 1), products + 2 * LANES * depth
            for lane in range(LANES):
                here[lane] = before_here[lane] * real[place + lane] - before_here[LANES + lane] * imag[place + lane]
                here[LANES + lane] = (
                    before_here[lane] * imag[place + lane] + before_here[LANES + lane] * real[place + lane]
                )
        memcpy(last, row, n_attributes * sizeof(digit_t))
        here = products + 2 * LANES * depth
        for lane in range(LANES):
            sums[lane] += coefficients[2 * i] * here[lane] - coefficients[2 * i + 1] * here[LANES + lane]


def evaluate_spectrum(const digit_t[:, ::1] partitions, coefficients, schemata, const int64_t[::1] cardinalities):
    """Compute the average of a spectrum's function over every schema, a box; (n_schemata,) float64.

    A schema with one value for every attribute is a point.
    """
    cdef Boxes given = Boxes(schemata)
    cdef Roots roots = Roots(cardinalities)
    cdef const float64_t[::1] parts = coefficients.view(np.float64)
    cdef Py_ssize_t n_attributes = cardinalities.shape[0], n_schemata = given.n_boxes
    cdef Py_ssize_t start = 0, lane, first, n_rows
    cdef int64_t work_done = 0
    cdef float64_t[::1] averages = np.zeros(n_schemata + LANES)
    cdef float64_t[::1] real = np.zeros(roots.table.shape[0] // 2 * LANES), imag = np.zeros_like(real)
    cdef float64_t[::1] products = np.zeros(2 * LANES * (n_attributes + 1))
    cdef digit_t[::1] last = np.zeros(n_attributes, dtype=np.asarray(partitions).dtype)
    cdef int8_t[::1] is_constrained = np.zeros(n_attributes, dtype=np.int8)
    for lane in range(LANES):
        products[lane] = 1.0
    with nogil:
        while start < n_schemata:
            memset(&is_constrained[0], 0, n_attributes)
            memset(&last[0], 0, n_attributes * sizeof(digit_t))
            for lane in range(min(LANES, n_schemata - start)):
                mean_characters(
                    given, roots, start + lane, lane, &real[0], &imag[0], &is_constrained[0], &work_done
                )
            first = 0
            # `products` and `last` go on from one part of the partitions to the next.
            while first < partitions.shape[0]:
                n_rows = min(<Py_ssize_t>ROWS, partitions.shape[0] - first)
                check_signals(&work_done, LANES * n_rows * n_attributes, WORK_BETWEEN_CHECKS)
                add_block(
                    &partitions[first, 0], &parts[2 * first], n_rows, roots, &real[0], &imag[0], &is_constrained[0],
                    &products[0], &last[0], &averages[start],
                )
                first += n_rows
            start += LANES
    return np.asarray(averages)[:n_schemata]
