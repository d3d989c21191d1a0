"""Fourier spectra as flat arrays: expanded from boxes, merged, searched, evaluated.

A spectrum has a coefficient for every partition: w_j is the mean of f(x) psi_j(x) over all points x. A partition j has
a digit for every attribute, below the attribute's cardinality; its character psi_j(x) is the product of
exp(2 pi i x_m j_m / cardinality) over the attributes m. The order of a partition is the number of digits that are not
zero. Row i of `partitions` has the digits of one partition, and coefficients[i] is its coefficient. Rows are sorted by
order, then lexicographically; the first row is the partition of zeros.

The coefficients of a box are products, too: of a factor for every attribute that the box constrains. An attribute
without constraint has the factor 1 at the digit zero and 0 elsewhere. The expansion chooses the digits attribute by
attribute, and carries along the boxes whose coefficients are not zero; a box on its way is a traveller.
"""

import numpy as np

from libc.math cimport M_PI, cos, fabs, sin
from libc.stdint cimport int8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.fourier.boxes cimport Boxes

from pytrees._core.fourier.boxes import check_values

cdef enum:
    LANES = 32              # schemata that are evaluated side by side
    ROWS = 4096             # partitions between two checks for signals while schemata are evaluated

# Rounding leaves coefficients of less than this share of the greatest value in place of zeros.
cdef float64_t NEGLIGIBLE = 1e-15

# A box on its way through the attributes.
cdef struct Traveller:
    float64_t real, imag    # its value, times the factors of its constraints so far
    int64_t constraint      # the next constraint
    int64_t stop            # the number after its last constraint
    int64_t attribute       # attribute of the next constraint


cdef class Roots:
    def __init__(self, const int64_t[::1] cardinalities):
        cdef int64_t m, t, cardinality
        cdef double complex* roots
        self.cardinalities = cardinalities
        self.first = np.concatenate([[0], np.cumsum(cardinalities)])
        self.table = np.empty(self.first[cardinalities.shape[0]], dtype=np.complex128)
        for m in range(cardinalities.shape[0]):
            cardinality, roots = cardinalities[m], &self.table[self.first[m]]
            # Conjugates are exact, and so are 1, i, -1.
            for t in range(cardinality):
                roots[t].real = cos(2.0 * M_PI * min(t, cardinality - t) / cardinality)
                roots[t].imag = sin(2.0 * M_PI * min(t, cardinality - t) / cardinality)
                if 4 * min(t, cardinality - t) == cardinality:
                    roots[t].real = 0.0
                if 2 * t == cardinality:
                    roots[t].imag = 0.0
                elif 2 * t > cardinality:
                    roots[t].imag = -roots[t].imag


cdef inline double complex mean_root(
    Boxes boxes, int64_t constraint, Roots roots, int64_t digit, int64_t n_values
) noexcept nogil:
    """Return the sum of exp(2 pi i x digit / cardinality) over the values x that a constraint allows, by n_values."""
    cdef int64_t run, x, cardinality = roots.cardinalities[boxes.attribute[constraint]]
    cdef const double complex* table = &roots.table[roots.first[boxes.attribute[constraint]]]
    cdef double complex total = 0.0
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        for x in range(boxes.start[run], boxes.stop[run]):
            total = total + table[x * digit % cardinality]
    total.real = total.real / <float64_t>n_values
    total.imag = total.imag / <float64_t>n_values
    return total


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
    """Make travellers of the boxes whose value is not zero; `settled` is the sum of those without constraints.

    The memory that is returned has room for all boxes, and for each of them once more for each of its constraints.
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

    cdef int count_from(self, Traveller* here, Py_ssize_t n, float64_t number, Py_ssize_t order) except -1 nogil:
        """Count the partitions that `number` partitions of an order become as the travellers go on."""
        cdef Py_ssize_t i, n_kept, n_taken
        cdef int64_t attribute
        cdef Traveller* beyond
        # The digits before the next attribute are chosen; this loop chooses zeros.
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


def count_orders(boxes, const float64_t[::1] values, const int64_t[::1] cardinalities, float64_t limit):
    """Count the partitions of every order that a sum of boxes can have; (n_attributes + 1,) float64.

    Boxes of value zero do not count. Counting ends soon after more than `limit` partitions were met.
    """
    cdef Count count = Count()
    cdef float64_t settled
    cdef Py_ssize_t n
    count.boxes, count.cardinalities, count.limit = Boxes(boxes, cardinalities), cardinalities, limit
    check_values(count.boxes, values)
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
    # Real and imaginary parts in turn: for constraint c and digit d, from factors[first_factor[c] + 2 * d] on; by row.
    cdef float64_t[::1] factors, coefficients
    cdef int64_t[::1] first_factor
    cdef int64_t[::1] places            # by order: the row before which its next partition is written
    cdef int64_t work_done              # travellers since signals were checked


cdef int expand_from(
    Expansion expansion, digit_t* partitions, digit_t* row, Traveller* here, Py_ssize_t n, float64_t real,
    float64_t imag, Py_ssize_t order,
) except -1 nogil:
    """Write the coefficients of all partitions that begin with the row's digits, from the last partition to the first.

    `real` and `imag` are the sum of the boxes that have no constraint left. The n travellers have one each, or more.
    """
    cdef Py_ssize_t i, n_kept, n_taken, n_attributes = expansion.cardinalities.shape[0]
    cdef int64_t attribute, digit, place
    cdef float64_t taken_real, taken_imag
    cdef Traveller* beyond
    # The digits before the next attribute are chosen. Partitions whose next digit that is not zero comes earlier are
    # written.
    while n > 0:
        attribute, beyond = next_attribute(here, n), here + n
        for digit in range(expansion.cardinalities[attribute] - 1, 0, -1):
            check_signals(&expansion.work_done, n, WORK_BETWEEN_CHECKS)
            n_taken, taken_real, taken_imag = 0, 0.0, 0.0
            for i in range(n):
                if here[i].attribute != attribute:
                    continue
                beyond[n_taken] = here[i]
                multiply(&beyond[n_taken], &expansion.factors[expansion.first_factor[here[i].constraint] + 2 * digit])
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
    """Write all partitions and coefficients. Bring those that are not negligible to the front; return their number."""
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
    cdef const int64_t[::1] attribute = expansion.boxes.attribute
    cdef Roots roots = Roots(expansion.cardinalities)
    cdef int64_t constraint, digit, cardinality, place, work_done = 0
    cdef double complex factor
    sizes = 2 * np.asarray(expansion.cardinalities)[np.asarray(attribute)]
    expansion.first_factor = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    expansion.factors = np.empty(sizes.sum())
    for constraint in range(attribute.shape[0]):
        cardinality = expansion.cardinalities[attribute[constraint]]
        for digit in range(cardinality):
            check_signals(&work_done, cardinality, WORK_BETWEEN_CHECKS)
            place = expansion.first_factor[constraint] + 2 * digit
            factor = mean_root(expansion.boxes, constraint, roots, digit, cardinality)
            expansion.factors[place], expansion.factors[place + 1] = factor.real, factor.imag


def expand_spectrum(
    boxes, const float64_t[::1] values, const int64_t[::1] cardinalities, const float64_t[::1] order_counts
):
    """Compute the spectrum of a sum of boxes, each times its value: (partitions, coefficients).

    `order_counts` is what `count_orders` gives without a limit. Coefficients that only rounding keeps from being zero
    are left out, but for the first; conjugate partitions have exactly conjugate coefficients.
    """
    cdef Expansion expansion = Expansion()
    cdef Py_ssize_t n_attributes = cardinalities.shape[0]
    expansion.boxes, expansion.cardinalities = Boxes(boxes, cardinalities), cardinalities
    check_values(expansion.boxes, values)
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
    """Compare partitions of one order: return -1 if the first comes before the other, 0 if they are equal, else 1."""
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


def check_spectrum(const digit_t[:, ::1] partitions, coefficients, const int64_t[::1] cardinalities):
    """Raise ValueError unless every partition has a coefficient, and digits below the cardinalities."""
    cdef Py_ssize_t i, m
    cdef bint is_good = partitions.shape[1] == cardinalities.shape[0] and partitions.shape[0] == len(coefficients)
    for i in range(partitions.shape[0] if is_good else 0):
        for m in range(partitions.shape[1]):
            is_good &= 0 <= partitions[i, m] < cardinalities[m]
    if not is_good:
        raise ValueError("The partitions are not those of coefficients and attributes of these cardinalities.")


def check_widths(partitions, others):
    """Raise ValueError unless the partitions have the same attributes."""
    if partitions.shape[1] != others.shape[1]:
        raise ValueError(f"Partitions of {partitions.shape[1]} and of {others.shape[1]} attributes do not go together.")


def order_starts(const digit_t[:, ::1] partitions):
    """Find where the partitions of every order start, in sorted rows; (n_attributes + 2,) int64."""
    cdef Py_ssize_t n_attributes = partitions.shape[1], i
    cdef int64_t[::1] starts = np.zeros(n_attributes + 2, dtype=np.int64)
    for i in range(partitions.shape[0]):
        starts[order_of(&partitions[i, 0], n_attributes) + 1] += 1
    return np.cumsum(np.asarray(starts))


def find_partitions(const digit_t[:, ::1] partitions, const digit_t[:, ::1] wanted):
    """Find the rows where partitions stand in sorted rows, -1 where they do not; (n_wanted,) int64."""
    check_widths(partitions, wanted)
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
            # The partition stands in one of the rows low to high - 1, or nowhere.
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
    """Compare any two partitions in the order of a spectrum, as `compare` does."""
    cdef Py_ssize_t order = order_of(row, n_attributes), other_order = order_of(other, n_attributes)
    if order != other_order:
        return -1 if order < other_order else 1
    return compare(row, other, n_attributes)


def merge_partitions(const digit_t[:, ::1] partitions, const digit_t[:, ::1] others):
    """Merge the partitions of two spectra: (partitions, rows, other_rows), sorted.

    `rows` and `other_rows` say in which rows of the two spectra a partition stands, -1 if in none.
    """
    check_widths(partitions, others)
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
    """Write the means of the conjugate characters over a schema to a lane of tables, for every attribute and digit."""
    cdef Py_ssize_t n_attributes = roots.cardinalities.shape[0]
    cdef int64_t m, digit, run, size, place, constraint
    cdef double complex mean
    # Without a constraint, only the digit zero has a mean other than zero.
    for m in range(n_attributes):
        place = roots.first[m]
        for digit in range(roots.cardinalities[m]):
            real[(place + digit) * LANES + lane] = digit == 0
            imag[(place + digit) * LANES + lane] = 0.0
    for constraint in range(schemata.indptr[schema], schemata.indptr[schema + 1]):
        m, size = schemata.attribute[constraint], 0
        place = roots.first[m]
        is_constrained[m] = True
        for run in range(schemata.run_indptr[constraint], schemata.run_indptr[constraint + 1]):
            size += schemata.stop[run] - schemata.start[run]
        for digit in range(1, roots.cardinalities[m]):
            check_signals(work_done, size, WORK_BETWEEN_CHECKS)
            mean = mean_root(schemata, constraint, roots, digit, size)
            real[(place + digit) * LANES + lane] = mean.real
            imag[(place + digit) * LANES + lane] = -mean.imag


cdef void add_block(
    const digit_t* partitions, const double complex* coefficients, Py_ssize_t n, Roots roots, const float64_t* real,
    const float64_t* imag, const int8_t* is_constrained, float64_t* products, digit_t* last, float64_t* sums,
) noexcept nogil:
    """Add up the real parts of coefficients times characters in all lanes.

    `products` has LANES real and then LANES imaginary parts for every number d: the products of the characters of the
    first d digits that are not zero, in the partition at hand. The digits that the next partition shares with it, from
    the left, are not multiplied again. `last` is the partition at hand; at the start it has only zeros.
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
            place = (roots.first[m] + row[m]) * LANES
            before_here, here = products + 2 * LANES * (depth - 1), products + 2 * LANES * depth
            for lane in range(LANES):
                here[lane] = before_here[lane] * real[place + lane] - before_here[LANES + lane] * imag[place + lane]
                here[LANES + lane] = (
                    before_here[lane] * imag[place + lane] + before_here[LANES + lane] * real[place + lane]
                )
        memcpy(last, row, n_attributes * sizeof(digit_t))
        here = products + 2 * LANES * depth
        for lane in range(LANES):
            sums[lane] += coefficients[i].real * here[lane] - coefficients[i].imag * here[LANES + lane]


def evaluate_spectrum(
    const digit_t[:, ::1] partitions, const double complex[::1] coefficients, schemata,
    const int64_t[::1] cardinalities,
):
    """Compute the average of a spectrum's function over every schema, a box; (n_schemata,) float64.

    A schema with one value for every attribute is a point.
    """
    cdef Boxes given = Boxes(schemata, cardinalities)
    cdef Roots roots = Roots(cardinalities)
    cdef Py_ssize_t n_attributes = cardinalities.shape[0], n_schemata = given.n_boxes
    cdef Py_ssize_t start = 0, lane, first, n_rows
    cdef int64_t work_done = 0
    cdef float64_t[::1] averages = np.zeros(n_schemata + LANES)
    cdef float64_t[::1] real = np.zeros(roots.table.shape[0] * LANES), imag = np.zeros_like(real)
    cdef float64_t[::1] products = np.zeros(2 * LANES * (n_attributes + 1))
    cdef digit_t[::1] last = np.zeros(n_attributes, dtype=np.asarray(partitions).dtype)
    cdef int8_t[::1] is_constrained = np.zeros(n_attributes, dtype=np.int8)
    check_spectrum(partitions, coefficients, cardinalities)
    for lane in range(LANES):
        products[lane] = 1.0
    with nogil:
        while start < n_schemata:
            memset(&is_constrained[0], 0, n_attributes)
            memset(&last[0], 0, n_attributes * sizeof(digit_t))
            for lane in range(min(LANES, n_schemata - start)):
                mean_characters(given, roots, start + lane, lane, &real[0], &imag[0], &is_constrained[0], &work_done)
            first = 0
            # `products` and `last` carry over from one block of partitions to the next.
            while first < partitions.shape[0]:
                n_rows = min(<Py_ssize_t>ROWS, partitions.shape[0] - first)
                check_signals(&work_done, LANES * n_rows * n_attributes, WORK_BETWEEN_CHECKS)
                add_block(
                    &partitions[first, 0], &coefficients[first], n_rows, roots, &real[0], &imag[0], &is_constrained[0],
                    &products[0], &last[0], &averages[start],
                )
                first += n_rows
            start += LANES
    return np.asarray(averages)[:n_schemata]
