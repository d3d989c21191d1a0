"""Functions on schemata, which a tree is built from: given by boxes, by a spectrum, or by values at samples.

A schema is the box of a node of the tree that is built: for every attribute a range of values. A function on a schema
knows its averages over the schema and over the parts of the schema where one attribute has one value (the profiles). It
also tells its energy, the variance on the schema: the sum of the squared coefficients of the spectrum but the first
one. A coefficient touches an attribute if the digit of the attribute is not zero. A split restricts the function to the
parts of the schema.
"""

import numpy as np

from libc.math cimport M_PI, cos, sin, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcmp

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals
from pytrees._core.base.types cimport NONE, float64_t, int32_t, int64_t
from pytrees._core.fourier.boxes cimport (
    BoxOverlaps, Boxes, Measure, clipped_mass, dot, everywhere, run_mass, total_mass,
)
from pytrees._core.fourier.spectrum cimport Roots, digit_t, times

from pytrees._core.fourier.boxes import check_codes, check_values
from pytrees._core.fourier.spectrum import check_spectrum

# Rounding leaves folded coefficients of less than this share of the greatest coefficient in place of zeros.
cdef float64_t NEGLIGIBLE = 1e-15


cdef class Function:
    cdef int look(self) except -1:
        """Compute the average and the profiles."""
        raise NotImplementedError

    cdef int look_closer(self) except -1:
        """Compute `touching`, unless `look` did."""

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        """Return the function on the part of the schema where an attribute has the values low to high - 1."""
        raise NotImplementedError

    cdef bint is_constant(self, float64_t tol) except -1:
        """Whether the energy is at most tol."""
        raise NotImplementedError

    cdef float64_t mass(self) except? -1.0:
        """Return the probability of the schema."""
        cdef int64_t m
        cdef float64_t mass = 1.0
        for m in range(self.low.shape[0]):
            mass *= run_mass(self.measure, m, self.low[m], self.high[m]) / total_mass(self.measure, m)
        return mass


cdef class BoxFunction(Function):
    """The sum of boxes, each times its values. The boxes of one tree follow each other, and are disjoint."""

    cdef Boxes boxes
    cdef const float64_t[:, ::1] values
    cdef const int64_t[::1] tree_of_box
    cdef int64_t[::1] live                      # the boxes that have mass on the schema
    cdef float64_t[::1] shares                  # scratch, by constraint: the share of the schema that it allows

    cdef float64_t take_shares(self, int64_t box) noexcept nogil:
        """Compute the shares of the schema that the constraints of a box allow; return their product."""
        cdef int64_t constraint, m
        cdef float64_t product = 1.0
        for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
            m = self.boxes.attribute[constraint]
            self.shares[constraint] = (
                clipped_mass(self.boxes, self.measure, constraint, self.low[m], self.high[m])
                / run_mass(self.measure, m, self.low[m], self.high[m])
            )
            product *= self.shares[constraint]
        return product

    cdef int look(self) except -1:
        cdef Py_ssize_t n_outputs = self.values.shape[1], n_live = 0, i, k
        cdef int64_t box, constraint, m, value, work_done = 0
        cdef float64_t product, part
        cdef float64_t[:, ::1] shifts = np.zeros((self.low.shape[0], n_outputs))
        self.average = np.zeros(n_outputs)
        self.profiles = np.zeros((self.measure.cumulative.shape[0], n_outputs))
        with nogil:
            for i in range(self.live.shape[0]):
                box = self.live[i]
                check_signals(&work_done, self.boxes.indptr[box + 1] - self.boxes.indptr[box], WORK_BETWEEN_CHECKS)
                product = self.take_shares(box)
                if product == 0.0:
                    continue
                self.live[n_live] = box
                n_live += 1
                for k in range(n_outputs):
                    self.average[k] += self.values[box, k] * product
                for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
                    if self.shares[constraint] < 1.0:
                        m = self.boxes.attribute[constraint]
                        for k in range(n_outputs):
                            if self.values[box, k] == 0.0:  # an indicator of classes has one other value
                                continue
                            part = self.values[box, k] * (product / self.shares[constraint])
                            shifts[m, k] -= self.values[box, k] * product
                            self.add_steps(constraint, k, part)
            # Sum up the steps. If no box constrains the attribute, the profile is the average everywhere.
            for m in range(self.low.shape[0]):
                for k in range(n_outputs):
                    part = self.average[k] + shifts[m, k]
                    for value in range(self.low[m], self.high[m]):
                        part += self.profiles[self.measure.offsets[m] + value, k]
                        self.profiles[self.measure.offsets[m] + value, k] = part
        self.live = self.live[:n_live]

    cdef void add_steps(self, int64_t constraint, Py_ssize_t k, float64_t part) noexcept nogil:
        """Add a part to the profile at the values that a constraint allows: a step up and a step down a run."""
        cdef int64_t run, start, stop, m = self.boxes.attribute[constraint]
        for run in range(self.boxes.run_indptr[constraint], self.boxes.run_indptr[constraint + 1]):
            start = max(self.low[m], self.boxes.start[run])
            stop = min(self.high[m], self.boxes.stop[run])
            if start < stop:
                self.profiles[self.measure.offsets[m] + start, k] += part
                self.profiles[self.measure.offsets[m] + stop, k] -= part

    cdef bint is_constant(self, float64_t tol) except -1:
        # Bounds decide where they can: the energy itself takes all pairs of boxes.
        if self.first_order_energy() > tol:
            return False
        if self.greatest_energy() <= tol:
            return True
        return self.energy() <= tol

    cdef float64_t first_order_energy(self) noexcept:
        """Return a lower bound of the energy: the variances of the profiles, summed over the attributes."""
        cdef int64_t m, value, place
        cdef Py_ssize_t k
        cdef float64_t energy = 0.0, weight, distance
        for m in range(self.low.shape[0]):
            weight = run_mass(self.measure, m, self.low[m], self.high[m])
            for value in range(self.low[m], self.high[m]):
                place = self.measure.offsets[m] + value
                for k in range(self.average.shape[0]):
                    distance = self.profiles[place, k] - self.average[k]
                    energy += run_mass(self.measure, m, value, value + 1) / weight * (distance * distance)
        return energy

    cdef float64_t greatest_energy(self) noexcept:
        """Return an upper bound of the energy: the square of the sum of the trees' standard deviations."""
        cdef Py_ssize_t n_outputs = self.values.shape[1], k, i
        cdef float64_t mean, square, deviations, bound = 0.0, product, value
        for k in range(n_outputs):
            mean = square = deviations = 0.0
            for i in range(self.live.shape[0]):
                product = self.take_shares(self.live[i])
                value = self.values[self.live[i], k]
                mean += value * product
                square += value * (value * product)
                if i + 1 == self.live.shape[0] or self.tree_of_box[self.live[i]] != self.tree_of_box[self.live[i + 1]]:
                    deviations += sqrt(max(0.0, square - mean * mean))
                    mean = square = 0.0
            bound += deviations * deviations
        return bound

    cdef int look_closer(self) except -1:
        cdef BoxOverlaps overlaps = BoxOverlaps(self.boxes, self.measure, self.live, self.low, self.high)
        cdef int64_t constraint, m, work_done = 0
        cdef Py_ssize_t i
        cdef float64_t square
        self.touching = np.zeros(self.low.shape[0])
        with nogil:
            for i in range(self.live.shape[0]):
                check_signals(&work_done, overlaps.work(i), WORK_BETWEEN_CHECKS)
                square = self.products(overlaps, i, NONE)
                for constraint in range(self.boxes.indptr[self.live[i]], self.boxes.indptr[self.live[i] + 1]):
                    m = self.boxes.attribute[constraint]
                    check_signals(&work_done, overlaps.work(i), WORK_BETWEEN_CHECKS)
                    self.touching[m] += square - self.products(overlaps, i, m)

    cdef float64_t energy(self) except? -1.0:
        cdef BoxOverlaps overlaps = BoxOverlaps(self.boxes, self.measure, self.live, self.low, self.high)
        cdef Py_ssize_t i, k
        cdef int64_t work_done = 0
        cdef float64_t energy = 0.0
        with nogil:
            for i in range(self.live.shape[0]):
                check_signals(&work_done, overlaps.work(i), WORK_BETWEEN_CHECKS)
                energy += self.products(overlaps, i, NONE)
            for k in range(self.average.shape[0]):
                energy -= self.average[k] * self.average[k]
        return energy

    cdef float64_t products(self, BoxOverlaps overlaps, Py_ssize_t i, int64_t left_out) noexcept nogil:
        """Return what the products of a box with itself and with all boxes before it add to the mean square.

        The boxes are averaged over the attribute `left_out`, unless it is NONE.
        """
        cdef Py_ssize_t j
        cdef float64_t value, total = 0.0
        overlaps.take(i, left_out)
        for j in range(i + 1):
            value = dot(self.values, self.live[i], self.live[j])
            total += (value if i == j else 2.0 * value) * overlaps.common[j]
        return total

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        cdef BoxFunction part = BoxFunction()
        part.boxes, part.values, part.tree_of_box, part.shares = self.boxes, self.values, self.tree_of_box, self.shares
        part.live = self.live.copy()
        narrow(part, self, attribute, low, high)
        return part


cdef class SpectrumFunction(Function):
    """A function given by its spectrum: rows of digits, the first of them zeros, and coefficients."""

    cdef object partitions, coefficients        # the coefficients have a column for every output
    cdef float64_t energy                       # outside the first coefficient: the variance

    cdef int look(self) except -1:
        cdef Py_ssize_t n_outputs = self.coefficients.shape[1]
        self.average = self.coefficients[0].real.copy()
        self.profiles = np.zeros((self.measure.cumulative.shape[0], n_outputs))
        self.touching = np.zeros(self.low.shape[0])
        _describe(self.partitions, self.coefficients, self)

    cdef bint is_constant(self, float64_t tol) except -1:
        return self.energy <= tol

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        """Fold the spectrum: on the part of the schema, an old character is a sum of new characters.

        turns[i, j] is the coefficient of the new digit j in the character of the old digit i.
        """
        cdef SpectrumFunction part = SpectrumFunction()
        cdef int64_t size = high - low, cardinality = self.high[attribute] - self.low[attribute]
        x = np.arange(size)
        roots = np.asarray(Roots(np.array([cardinality, size])).table)
        old = roots[np.outer(np.arange(cardinality), low - self.low[attribute] + x) % cardinality].conj()
        turns = old @ roots[cardinality + np.outer(x, x) % size] / size
        turns[0] = x == 0
        part.partitions, part.coefficients = _fold(self.partitions, self.coefficients, attribute, turns)
        narrow(part, self, attribute, low, high)
        return part


cdef class SampleFunction(Function):
    """A function given by its values at samples on the schema; no sample has weight zero.

    The samples are the measure: the weight of an attribute's value is the sum of the weights of its samples.
    """

    cdef object samples, values, weights        # codes, int32; by sample and output; by sample
    cdef float64_t total                        # weight of all samples, on the schema or not

    cdef int look(self) except -1:
        cdef Py_ssize_t n_outputs = self.values.shape[1]
        offsets = np.asarray(self.measure.offsets)
        self.average = np.zeros(n_outputs)
        self.profiles = np.zeros((offsets.item(-1), n_outputs))
        masses = np.zeros(offsets.item(-1))
        _add_samples(self, masses, self.samples, self.values, self.weights)
        # A measure has the weights of every attribute cumulated, from 0 on.
        cumulative = np.zeros(offsets.item(-1))
        for first, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist()):
            np.cumsum(masses[first:stop - 1], out=cumulative[first + 1:stop])
        self.measure = Measure((offsets, cumulative))

    cdef int look_closer(self) except -1:
        """Compute the energy that is lost if samples that differ in one attribute at most are averaged."""
        cdef int64_t m
        self.touching = np.zeros(self.low.shape[0])
        for m in range(self.low.shape[0]):
            self.touching[m] = mean_variance(self.samples, self.values, self.weights, m)

    cdef bint is_constant(self, float64_t tol) except -1:
        distances = np.asarray(self.values) - np.asarray(self.average)
        return (self.weights[:, np.newaxis] * distances**2).sum() / self.weights.sum() <= tol

    cdef float64_t mass(self) except? -1.0:
        return self.weights.sum() / self.total

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        cdef SampleFunction part = SampleFunction()
        codes = self.samples[:, attribute]
        inside = np.flatnonzero((low <= codes) & (codes < high))
        part.samples, part.values, part.weights = self.samples[inside], self.values[inside], self.weights[inside]
        part.total = self.total
        narrow(part, self, attribute, low, high)
        return part


cdef int _add_samples(
    SampleFunction function, float64_t[::1] masses, const int32_t[:, ::1] samples, const float64_t[:, ::1] values,
    const float64_t[::1] weights,
) except -1:
    """Compute the average and the profiles, and the weight of every value of every attribute."""
    cdef Py_ssize_t n_attributes = samples.shape[1], n_outputs = values.shape[1], i, k
    cdef int64_t m, place, work_done = 0
    cdef float64_t total = 0.0
    with nogil:
        for i in range(samples.shape[0]):
            check_signals(&work_done, n_attributes * n_outputs, WORK_BETWEEN_CHECKS)
            total += weights[i]
            for k in range(n_outputs):
                function.average[k] += weights[i] * values[i, k]
            for m in range(n_attributes):
                place = function.measure.offsets[m] + samples[i, m]
                masses[place] += weights[i]
                for k in range(n_outputs):
                    function.profiles[place, k] += weights[i] * values[i, k]
        for k in range(n_outputs):
            function.average[k] /= total
        for place in range(masses.shape[0]):
            if masses[place] > 0.0:
                for k in range(n_outputs):
                    function.profiles[place, k] /= masses[place]


cdef float64_t mean_variance(
    const int32_t[:, ::1] samples, const float64_t[:, ::1] values, const float64_t[::1] weights, int64_t attribute
) except? -1.0:
    """Return the mean of the variances in groups of samples: the samples of a group differ in one attribute at most."""
    cdef Py_ssize_t n = samples.shape[0], i, k
    cdef int64_t[::1] group_of_row = np.empty(n, dtype=np.int64), first_of_group = np.empty(n, dtype=np.int64)
    cdef int64_t n_groups = group_rows(samples, attribute, group_of_row, first_of_group), group
    cdef float64_t[::1] masses = np.zeros(n_groups)
    cdef float64_t[:, ::1] means = np.zeros((n_groups, values.shape[1]))
    cdef float64_t distance, total = 0.0, weight = 0.0
    with nogil:
        for i in range(n):
            masses[group_of_row[i]] += weights[i]
            for k in range(values.shape[1]):
                means[group_of_row[i], k] += weights[i] * values[i, k]
        for group in range(n_groups):
            for k in range(values.shape[1]):
                means[group, k] /= masses[group]
        for i in range(n):
            weight += weights[i]
            for k in range(values.shape[1]):
                distance = values[i, k] - means[group_of_row[i], k]
                total += weights[i] * (distance * distance)
    return total / weight


cdef int narrow(Function part, Function whole, int64_t attribute, int64_t low, int64_t high) except -1:
    """Set what all kinds of functions have on a part of a schema, and look at the part."""
    part.measure, part.low, part.high = whole.measure, whole.low.copy(), whole.high.copy()
    part.low[attribute], part.high[attribute] = low, high
    return part.look()


def _describe(const digit_t[:, ::1] partitions, const double complex[:, ::1] coefficients, SpectrumFunction function):
    """Compute the energies, and the profiles from the coefficients of order one.

    An attribute's profile is the average plus the sum of w_j conj(psi_j) over the partitions j in which only the digit
    of the attribute is not zero.
    """
    cdef Py_ssize_t n_attributes = partitions.shape[1], n_outputs = coefficients.shape[1], i, k
    cdef int64_t m, value, size, order, place, work_done = 0
    cdef float64_t energy, angle
    function.energy = 0.0
    with nogil:
        for m in range(n_attributes):
            for value in range(function.low[m], function.high[m]):
                for k in range(n_outputs):
                    function.profiles[function.measure.offsets[m] + value, k] = function.average[k]
        for i in range(1, partitions.shape[0]):
            check_signals(&work_done, n_attributes, WORK_BETWEEN_CHECKS)
            energy = 0.0
            for k in range(n_outputs):
                energy += coefficients[i, k].real * coefficients[i, k].real
                energy += coefficients[i, k].imag * coefficients[i, k].imag
            function.energy += energy
            order = 0
            for m in range(n_attributes):
                if partitions[i, m] != 0:
                    order += 1
                    place = m
                    function.touching[m] += energy
            if order != 1:
                continue
            size = function.high[place] - function.low[place]
            for value in range(size):
                angle = 2.0 * M_PI * <float64_t>(partitions[i, place] * value % size) / <float64_t>size
                for k in range(n_outputs):
                    function.profiles[function.measure.offsets[place] + function.low[place] + value, k] += (
                        coefficients[i, k].real * cos(angle) + coefficients[i, k].imag * sin(angle)
                    )


cdef inline uint64_t mixed(uint64_t key) noexcept nogil:
    """Return a hash (the end of splitmix64)."""
    key = (key ^ (key >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    key = (key ^ (key >> 27)) * <uint64_t>0x94d049bb133111eb
    return key ^ (key >> 31)


cdef inline uint64_t hash_row(const digit_t* row, Py_ssize_t n_attributes, int64_t attribute) noexcept nogil:
    """Return a hash of all digits but the digit of one attribute."""
    cdef Py_ssize_t m
    cdef uint64_t key = 0
    for m in range(n_attributes):
        if row[m] != 0 and m != attribute:
            key = mixed(key ^ ((<uint64_t>m << 32) + <uint64_t>row[m]))
    return key


cdef inline bint same_rest(
    const digit_t* row, const digit_t* other, Py_ssize_t n_attributes, int64_t attribute
) noexcept nogil:
    return (
        memcmp(row, other, attribute * sizeof(digit_t)) == 0
        and memcmp(row + attribute + 1, other + attribute + 1, (n_attributes - attribute - 1) * sizeof(digit_t)) == 0
    )


cdef int64_t group_rows(
    const digit_t[:, ::1] partitions, int64_t attribute, int64_t[::1] group_of_row, int64_t[::1] first_of_group
) except -1:
    """Number the groups of rows that differ at most in the digit of one attribute; return how many groups there are.

    Groups are numbered in the order of their first rows.
    """
    cdef Py_ssize_t n = partitions.shape[0], n_attributes = partitions.shape[1], i
    cdef uint64_t slots = 4, slot
    cdef int64_t n_groups = 0, work_done = 0
    while slots < 2 * <uint64_t>n:
        slots *= 2
    cdef int64_t[::1] group_at = np.full(slots, NONE, dtype=np.int64)
    with nogil:
        for i in range(n):
            check_signals(&work_done, n_attributes, WORK_BETWEEN_CHECKS)
            slot = hash_row(&partitions[i, 0], n_attributes, attribute) & (slots - 1)
            # If the group is known, it is in this slot or in a later one before the next empty slot.
            while group_at[slot] != NONE and not same_rest(
                &partitions[i, 0], &partitions[first_of_group[group_at[slot]], 0], n_attributes, attribute
            ):
                slot = (slot + 1) & (slots - 1)
            if group_at[slot] == NONE:
                group_at[slot] = n_groups
                first_of_group[n_groups] = i
                n_groups += 1
            group_of_row[i] = group_at[slot]
    return n_groups


def _fold(
    const digit_t[:, ::1] partitions, const double complex[:, ::1] coefficients, int64_t attribute,
    const double complex[:, ::1] turns,
):
    """Return the spectra on fewer values of an attribute. Rows are not sorted, but the first one is of zeros.

    turns[i, j] is the coefficient of the new digit j in the character of the old digit i.
    """
    cdef Py_ssize_t n = partitions.shape[0], n_outputs = coefficients.shape[1], i, k
    cdef int64_t size = turns.shape[1], n_groups, place, new_digit, work_done = 0
    cdef double complex turn
    cdef int64_t[::1] group_of_row = np.empty(n, dtype=np.int64), first_of_group = np.empty(n, dtype=np.int64)
    n_groups = group_rows(partitions, attribute, group_of_row, first_of_group)
    folded = np.repeat(np.asarray(partitions)[np.asarray(first_of_group)[:n_groups]], size, axis=0)
    cdef digit_t[:, ::1] rows = folded
    sums = np.zeros((n_groups * size, n_outputs), dtype=np.complex128)
    cdef double complex[:, ::1] total = sums
    with nogil:
        for i in range(n):
            check_signals(&work_done, 2 * size * n_outputs, WORK_BETWEEN_CHECKS)
            place = group_of_row[i] * size
            for new_digit in range(size):
                rows[place + new_digit, attribute] = <digit_t>new_digit
                turn = turns[partitions[i, attribute], new_digit]
                for k in range(n_outputs):
                    total[place + new_digit, k] = total[place + new_digit, k] + times(coefficients[i, k], turn)
    # A coefficient is as great as the greater of its two parts.
    parts = np.abs(sums.view(np.float64)).max(axis=1)
    kept = parts > NEGLIGIBLE * np.abs(np.asarray(coefficients).view(np.float64)).max()
    kept[0] = True
    return folded[kept], sums[kept]


# ---------------------------------------------------------------------------------------------------------- everywhere


cdef int look_everywhere(Function function) except -1:
    """Look at a function of a given measure on the schema without constraints."""
    function.low, function.high = everywhere(function.measure)
    return function.look()


cdef Function box_function(boxes, values, tree_of_box, measure):
    """Make the function that is a sum of boxes, each times its row of values, and look at it."""
    cdef BoxFunction function = BoxFunction()
    function.measure = Measure(measure)
    function.boxes = Boxes(boxes, function.measure.cardinalities())
    check_values(function.boxes, values)
    check_values(function.boxes, tree_of_box)
    function.values, function.tree_of_box = values, tree_of_box
    function.live = np.flatnonzero(np.any(values != 0.0, axis=1)).astype(np.int64)
    function.shares = np.empty(function.boxes.attribute.shape[0])
    look_everywhere(function)
    return function


cdef Function spectrum_function(partitions, coefficients, measure):
    """Make the functions of spectra on the same partitions, a column of coefficients each, and look at them."""
    cdef SpectrumFunction function = SpectrumFunction()
    function.partitions, function.coefficients, function.measure = partitions, coefficients, Measure(measure)
    check_spectrum(partitions, coefficients, function.measure.cardinalities())
    look_everywhere(function)
    return function


cdef Function sample_function(rows, values, weights, cardinalities):
    """Make the function that has these values at weighted rows, and look at it."""
    cdef SampleFunction function = SampleFunction()
    counted = np.flatnonzero(weights)
    check_codes(rows, cardinalities)
    function.samples = np.ascontiguousarray(rows[counted], dtype=np.int32)
    function.values, function.weights, function.total = values[counted], weights[counted], weights.sum()
    offsets = np.concatenate([[0], np.cumsum(cardinalities + 1)])
    function.measure = Measure((offsets, np.zeros(offsets.item(-1))))
    look_everywhere(function)
    return function
