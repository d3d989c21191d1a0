"""TCFS: a decision tree of a function, from its spectrum or from the boxes of an ensemble.

A function on a schema tells its averages over the schema's parts and its energy, from boxes or from a spectrum; a split
restricts it to the parts.
"""

import numpy as np

from libc.math cimport M_PI, cos, log2, sin, sqrt
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, UNDEFINED, UNLIMITED, float64_t, int64_t
from pytrees._core.fourier.boxes cimport BoxOverlaps, Boxes, Measure, clipped_mass, run_mass, total_mass
from pytrees._core.fourier.spectrum cimport Roots, digit_t

# Folded coefficients below this share of the greatest one are what rounding leaves of zeros.
cdef float64_t NEGLIGIBLE = 1e-15

# Gains and energies that differ by less, in units of the function, are equal: rounding could have made the difference.
cdef float64_t TOLERANCE = 1e-12

cdef struct AttributeSplit:
    int64_t attribute, value    # values up to this one go left; NONE where every value goes a way of its own
    float64_t gain


# ------------------------------------------------------------------------------------------------ functions on schemata


cdef class Function:
    """A function of some outputs on a schema: for every attribute the values low to high - 1."""

    cdef Measure measure
    cdef int64_t[::1] low, high
    cdef float64_t[::1] average                 # over the schema
    cdef float64_t[:, ::1] profiles             # over what of it has a value, which is at measure.offsets + the value
    cdef float64_t[::1] touching                # energy of the coefficients that touch an attribute

    cdef int look(self) except -1:
        """Compute the average and the profiles."""
        raise NotImplementedError

    cdef int look_closer(self) except -1:
        """Compute `touching` too, where `look` has not."""
        return 0

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        raise NotImplementedError

    cdef bint is_constant(self, float64_t tol) except -1:
        """Whether the energy is at most tol."""
        raise NotImplementedError

    cdef float64_t mass(self) noexcept:
        """Return the probability of the schema."""
        cdef int64_t m
        cdef float64_t mass = 1.0
        for m in range(self.low.shape[0]):
            mass *= run_mass(self.measure, m, self.low[m], self.high[m]) / total_mass(self.measure, m)
        return mass


cdef class BoxFunction(Function):
    """The sum of boxes, each times its values. The boxes of one tree follow each other, and have nothing in common."""

    cdef Boxes boxes
    cdef const float64_t[:, ::1] values
    cdef const int64_t[::1] tree_of_box
    cdef int64_t[::1] live                      # the boxes that have something in common with the schema
    cdef float64_t[::1] shares                  # scratch: of the schema, what every constraint of a box allows

    cdef float64_t take_shares(self, int64_t box) noexcept nogil:
        """Note what the constraints of a box allow of the schema; returns what they allow together."""
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
        cdef int64_t box, constraint, m, value
        cdef float64_t product, part
        cdef float64_t[:, ::1] shifts = np.zeros((self.low.shape[0], n_outputs))
        self.average = np.zeros(n_outputs)
        self.profiles = np.zeros((self.measure.cumulative.shape[0], n_outputs))
        with nogil:
            for i in range(self.live.shape[0]):
                box = self.live[i]
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
                            if self.values[box, k] == 0.0:  # of indicators of classes, all but one
                                continue
                            part = self.values[box, k] * (product / self.shares[constraint])
                            shifts[m, k] -= self.values[box, k] * product
                            self.add_steps(constraint, k, part)
            # From steps to values: the profile is the average where no box tells of the attribute.
            for m in range(self.low.shape[0]):
                for k in range(n_outputs):
                    part = self.average[k] + shifts[m, k]
                    for value in range(self.low[m], self.high[m]):
                        part += self.profiles[self.measure.offsets[m] + value, k]
                        self.profiles[self.measure.offsets[m] + value, k] = part
        self.live = self.live[:n_live]
        return 0

    cdef void add_steps(self, int64_t constraint, Py_ssize_t k, float64_t part) noexcept nogil:
        """Add a part to the profile where a constraint allows it, as a step up and a step down."""
        cdef int64_t run, start, stop, m = self.boxes.attribute[constraint]
        for run in range(self.boxes.run_indptr[constraint], self.boxes.run_indptr[constraint + 1]):
            start = max(self.low[m], self.boxes.start[run])
            stop = min(self.high[m], self.boxes.stop[run])
            if start < stop:
                self.profiles[self.measure.offsets[m] + start, k] += part
                self.profiles[self.measure.offsets[m] + stop, k] -= part

    cdef bint is_constant(self, float64_t tol) except -1:
        # Bounds from both sides; the energy itself takes all pairs of boxes.
        if self.first_order_energy() > tol:
            return False
        if self.greatest_energy() <= tol:
            return True
        return self.energy() <= tol

    cdef float64_t first_order_energy(self) noexcept:
        """Return the variance of the profiles, all together: no more than the energy."""
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
        """Return a bound: standard deviations of trees add up at most."""
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
        cdef int64_t constraint, m
        cdef Py_ssize_t i
        cdef float64_t square
        self.touching = np.zeros(self.low.shape[0])
        with nogil:
            for i in range(self.live.shape[0]):
                square = self.products(overlaps, i, NONE)
                for constraint in range(
                    self.boxes.indptr[self.live[i]], self.boxes.indptr[self.live[i] + 1]
                ):
                    m = self.boxes.attribute[constraint]
                    self.touching[m] += square - self.products(overlaps, i, m)
        return 0

    cdef float64_t energy(self) except? -1.0:
        cdef BoxOverlaps overlaps = BoxOverlaps(self.boxes, self.measure, self.live, self.low, self.high)
        cdef Py_ssize_t i, k
        cdef float64_t energy = 0.0
        with nogil:
            for i in range(self.live.shape[0]):
                energy += self.products(overlaps, i, NONE)
            for k in range(self.average.shape[0]):
                energy -= self.average[k] * self.average[k]
        return energy

    cdef float64_t products(self, BoxOverlaps overlaps, Py_ssize_t i, int64_t left_out) noexcept nogil:
        """Return what a box, with itself and with all boxes before it, adds to the mean square."""
        cdef Py_ssize_t j, k
        cdef float64_t value, total = 0.0
        overlaps.take(i, left_out)
        for j in range(i + 1):
            value = 0.0
            for k in range(self.average.shape[0]):
                value += self.values[self.live[i], k] * self.values[self.live[j], k]
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

    cdef object partitions, coefficients        # the latter with a column for every output
    cdef float64_t energy                       # outside the first coefficient: the variance

    cdef int look(self) except -1:
        cdef Py_ssize_t n_outputs = self.coefficients.shape[1]
        self.average = self.coefficients[0].real.copy()
        self.profiles = np.zeros((self.measure.cumulative.shape[0], n_outputs))
        self.touching = np.zeros(self.low.shape[0])
        _describe(self.partitions, self.coefficients.view(np.float64), self)
        return 0

    cdef bint is_constant(self, float64_t tol) except -1:
        return self.energy <= tol

    cdef Function restricted(self, int64_t attribute, int64_t low, int64_t high):
        """Fold the spectrum: on the values that are left an old character is a sum of new ones."""
        cdef SpectrumFunction part = SpectrumFunction()
        cdef int64_t size = high - low, cardinality = self.high[attribute] - self.low[attribute]
        x = np.arange(size)
        roots = np.asarray(Roots(np.array([cardinality, size])).table).view(np.complex128)
        old = roots[np.outer(np.arange(cardinality), low - self.low[attribute] + x) % cardinality].conj()
        turns = old @ roots[cardinality + np.outer(x, x) % size] / size
        turns[0] = x == 0
        part.partitions, part.coefficients = _fold(
            self.partitions, self.coefficients.view(np.float64), attribute,
            turns.view(np.float64).reshape(cardinality, size, 2),
        )
        narrow(part, self, attribute, low, high)
        return part


cdef int narrow(Function part, Function whole, int64_t attribute, int64_t low, int64_t high) except -1:
    part.measure, part.low, part.high = whole.measure, whole.low.copy(), whole.high.copy()
    part.low[attribute], part.high[attribute] = low, high
    return part.look()


def _describe(const digit_t[:, ::1] partitions, const float64_t[:, ::1] parts, SpectrumFunction function):
    """Compute energies, and profiles from the coefficients of order one: w_j conj(psi_j) summed over their digits."""
    cdef Py_ssize_t n_attributes = partitions.shape[1], n_outputs = parts.shape[1] // 2, i, k
    cdef int64_t m, value, size, order, place
    cdef float64_t energy, angle
    function.energy = 0.0
    with nogil:
        for m in range(n_attributes):
            for value in range(function.low[m], function.high[m]):
                for k in range(n_outputs):
                    function.profiles[function.measure.offsets[m] + value, k] = function.average[k]
        for i in range(1, partitions.shape[0]):
            energy = 0.0
            for k in range(2 * n_outputs):
                energy += parts[i, k] * parts[i, k]
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
                        parts[i, 2 * k] * cos(angle) + parts[i, 2 * k + 1] * sin(angle)
                    )


cdef inline uint64_t mixed(uint64_t key) noexcept nogil:
    """Return a hash (the end of splitmix64)."""
    key = (key ^ (key >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    key = (key ^ (key >> 27)) * <uint64_t>0x94d049bb133111eb
    return key ^ (key >> 31)


cdef inline uint64_t hash_row(const digit_t* row, Py_ssize_t n_attributes, int64_t attribute) noexcept nogil:
    """Return a hash of all digits but that of one attribute."""
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
    """Number the rows that differ at most in one digit, in the order of the first of them; returns how many."""
    cdef Py_ssize_t n = partitions.shape[0], n_attributes = partitions.shape[1], i
    cdef uint64_t slots = 4, slot
    cdef int64_t n_groups = 0
    while slots < 2 * <uint64_t>n:
        slots *= 2
    cdef int64_t[::1] group_at = np.full(slots, NONE, dtype=np.int64)
    with nogil:
        for i in range(n):
            slot = hash_row(&partitions[i, 0], n_attributes, attribute) & (slots - 1)
            # The group is in a slot from here on, before the next empty one.
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


def _fold(const digit_t[:, ::1] partitions, const float64_t[:, ::1] parts, int64_t attribute, turns):
    """Return the spectra on fewer values of an attribute, given what every old digit becomes of every new one:
    (cardinality, size, 2) float64. Rows are not sorted, but the first one is of zeros."""
    cdef Py_ssize_t n = partitions.shape[0], n_parts = parts.shape[1], i, k
    cdef const float64_t[:, :, ::1] turn = turns
    cdef int64_t size = turn.shape[1], n_groups, place, new_digit
    cdef float64_t real, imag
    cdef int64_t[::1] group_of_row = np.empty(n, dtype=np.int64), first_of_group = np.empty(n, dtype=np.int64)
    n_groups = group_rows(partitions, attribute, group_of_row, first_of_group)
    folded = np.repeat(np.asarray(partitions)[np.asarray(first_of_group)[:n_groups]], size, axis=0)
    cdef digit_t[:, ::1] rows = folded
    sums = np.zeros((n_groups * size, n_parts))
    cdef float64_t[:, ::1] total = sums
    with nogil:
        for i in range(n):
            place = group_of_row[i] * size
            for new_digit in range(size):
                rows[place + new_digit, attribute] = <digit_t>new_digit
                real, imag = turn[partitions[i, attribute], new_digit, 0], turn[partitions[i, attribute], new_digit, 1]
                for k in range(0, n_parts // 2):
                    total[place + new_digit, 2 * k] += parts[i, 2 * k] * real - parts[i, 2 * k + 1] * imag
                    total[place + new_digit, 2 * k + 1] += parts[i, 2 * k] * imag + parts[i, 2 * k + 1] * real
    kept = np.abs(sums).max(axis=1) > NEGLIGIBLE * np.abs(np.asarray(parts)).max()
    kept[0] = True
    return folded[kept], sums[kept].view(np.complex128)


# --------------------------------------------------------------------------------------------------------------- splits


cdef float64_t impurity(
    const float64_t* sums, float64_t weight, Py_ssize_t n_outputs, bint of_classes
) noexcept nogil:
    """Compute the entropy in bits, of one class and the others or of all classes, or minus the sum of squares, of
    averages: sums by their weight."""
    cdef float64_t total = 0.0, share
    cdef Py_ssize_t k
    for k in range(n_outputs):
        share = sums[k] / weight
        if of_classes:
            share = min(1.0, max(0.0, share))
            total -= share * log2(share) if share > 0.0 else 0.0
            if n_outputs == 1 and share < 1.0:
                total -= (1.0 - share) * log2(1.0 - share)
        else:
            total -= share * share
    return total


cdef inline float64_t mass_of(Function function, int64_t m, int64_t low, int64_t high) noexcept nogil:
    return run_mass(function.measure, m, low, high)


cdef inline bint is_cut(Function function, int64_t m, int64_t value) noexcept nogil:
    """Whether a cut behind a value leaves weight on both sides."""
    return mass_of(function, m, function.low[m], value + 1) > 0.0 and mass_of(
        function, m, value + 1, function.high[m]
    ) > 0.0


cdef list values_with_weight(Function function, int64_t m):
    return [value for value in range(function.low[m], function.high[m]) if mass_of(function, m, value, value + 1) > 0.0]


cdef int64_t middle(Function function, int64_t m) noexcept:
    """Return the lowest cut with half of the weight on its left, or else the last; NONE where there is none."""
    cdef int64_t value, low = function.low[m], found = NONE
    cdef float64_t total = mass_of(function, m, low, function.high[m])
    for value in range(low, function.high[m] - 1):
        if is_cut(function, m, value) and (
            found == NONE or 2.0 * mass_of(function, m, low, found + 1) < total * (1.0 - TOLERANCE)
        ):
            found = value
    return found


# --------------------------------------------------------------------------------------------------------------- growth


cdef class SchemaNode:
    """A node of the new tree; while it may still be split, it keeps its function."""

    cdef Function function
    cdef AttributeSplit split
    cdef int64_t depth, category        # the value that leads to it from its parent, where every value has a child
    cdef float64_t mass
    cdef object average
    cdef list children


cdef class Rebuilding:
    """State of a tree that is rebuilt: its limits, and scratch memory of all nodes."""

    cdef bint of_classes
    cdef float64_t tol, scale, unit
    cdef int64_t max_depth, max_leaf_nodes
    cdef const uint8_t[::1] is_categorical      # attributes that are split into all their values

    cdef SchemaNode node(self, Function function, int64_t depth, int64_t category):
        """Make a node, and find how it would be split, if it may be."""
        cdef SchemaNode node = SchemaNode()
        node.depth, node.category = depth, category
        node.mass, node.average, node.children = function.mass(), np.array(function.average), []
        node.split = AttributeSplit(NONE, NONE, 0.0)
        if depth < self.max_depth and not function.is_constant(self.tol):
            self.find_split(function, &node.split)
        if node.split.attribute != NONE:
            node.function = function
        return node

    cdef int find_split(self, Function function, AttributeSplit* best) except -1:
        """Find the split of the greatest gain; where none gains, one by the attribute that most of the energy touches.

        Ties go to the lowest attribute, then to the lowest cut. NONE where nothing can be split.
        """
        cdef int64_t m, cut
        cdef float64_t most = 0.0
        for m in range(function.low.shape[0]):
            if self.is_categorical[m]:
                self.offer_values(function, m, best)
            elif function.high[m] - function.low[m] > 1:
                self.offer_cuts(function, m, best)
        if best.attribute != NONE:
            return 0
        function.look_closer()
        for m in range(function.low.shape[0]):
            cut = NONE if self.is_categorical[m] else middle(function, m)
            if cut == NONE and not (self.is_categorical[m] and len(values_with_weight(function, m)) > 1):
                continue
            if best.attribute == NONE or function.touching[m] > most + TOLERANCE * max(self.scale, most):
                best[0], most = AttributeSplit(m, cut, 0.0), function.touching[m]
        return 0

    cdef int offer_cuts(self, Function function, int64_t m, AttributeSplit* best) except -1:
        """Offer the cuts of one attribute, from the lowest."""
        cdef Py_ssize_t n_outputs = function.average.shape[0], k
        cdef int64_t low = function.low[m], high = function.high[m], value, first = function.measure.offsets[m]
        cdef float64_t[::1] left = np.zeros(n_outputs), right = np.zeros(n_outputs)
        cdef float64_t weight, left_weight, right_weight, gain, total = mass_of(function, m, low, high)
        with nogil:
            for value in range(low, high):
                weight = mass_of(function, m, value, value + 1)
                for k in range(n_outputs):
                    right[k] += weight * function.profiles[first + value, k]
            # The values up to this one are on the left.
            for value in range(low, high - 1):
                weight = mass_of(function, m, value, value + 1)
                for k in range(n_outputs):
                    left[k] += weight * function.profiles[first + value, k]
                    right[k] -= weight * function.profiles[first + value, k]
                if not is_cut(function, m, value):
                    continue
                left_weight, right_weight = mass_of(function, m, low, value + 1), mass_of(function, m, value + 1, high)
                gain = impurity(&function.average[0], 1.0, n_outputs, self.of_classes)
                gain -= left_weight / total * impurity(&left[0], left_weight, n_outputs, self.of_classes)
                gain -= right_weight / total * impurity(&right[0], right_weight, n_outputs, self.of_classes)
                self.offer(m, value, gain, best)
        return 0

    cdef int offer_values(self, Function function, int64_t m, AttributeSplit* best) except -1:
        """Offer the split of an attribute into its values."""
        cdef Py_ssize_t n_outputs = function.average.shape[0]
        cdef int64_t value
        cdef list values = values_with_weight(function, m)
        cdef float64_t weight, total = mass_of(function, m, function.low[m], function.high[m])
        cdef float64_t gain = impurity(&function.average[0], 1.0, n_outputs, self.of_classes)
        if len(values) < 2:
            return 0
        for value in values:
            weight = mass_of(function, m, value, value + 1)
            gain -= weight / total * impurity(
                &function.profiles[function.measure.offsets[m] + value, 0], 1.0, n_outputs, self.of_classes
            )
        self.offer(m, NONE, gain, best)
        return 0

    cdef void offer(self, int64_t m, int64_t value, float64_t gain, AttributeSplit* best) noexcept nogil:
        if gain > best.gain + TOLERANCE * max(self.unit, best.gain):
            best[0] = AttributeSplit(m, value, gain)

    cdef Py_ssize_t most_promising(self, list frontier):
        """Return the position of the node of the greatest gain times weight; ties go to the node that was met first."""
        cdef Py_ssize_t best = 0, i
        cdef SchemaNode node, leader = frontier[0]
        for i in range(1, len(frontier)):
            node = frontier[i]
            if (
                node.mass * node.split.gain
                > leader.mass * leader.split.gain + TOLERANCE * self.unit * max(node.mass, leader.mass)
            ):
                best, leader = i, node
        return best

    cdef list parts(self, Function function, AttributeSplit* split):
        """List the children of a split: the first of their values, the one behind the last, and the category."""
        cdef int64_t m = split.attribute, low = function.low[m], high = function.high[m]
        if split.value != NONE:
            return [(low, split.value + 1, NONE), (split.value + 1, high, NONE)]
        return [(value, value + 1, value) for value in values_with_weight(function, m)]

    cdef SchemaNode grow(self, Function function):
        """Split nodes, the most promising first where leaves are limited: but not into more than are left."""
        cdef SchemaNode root = self.node(function, 0, NONE), node
        cdef list frontier = [root] if root.function is not None else [], parts
        cdef int64_t n_leaves = 1, low, high, category
        while frontier and n_leaves < self.max_leaf_nodes:
            node = frontier.pop(self.most_promising(frontier) if self.max_leaf_nodes != UNLIMITED else -1)
            function, node.function = node.function, None
            parts = self.parts(function, &node.split)
            if len(parts) > self.max_leaf_nodes - n_leaves + 1:
                continue
            for low, high, category in parts:
                node.children.append(
                    self.node(function.restricted(node.split.attribute, low, high), node.depth + 1, category)
                )
            frontier += [child for child in node.children if (<SchemaNode>child).function is not None]
            n_leaves += len(parts) - 1
        return root


cdef dict arrays_of(SchemaNode root):
    """Return the nodes in preorder, as arrays."""
    cdef list nodes = [], children = [], pending = [(root, NONE)]
    cdef SchemaNode node
    cdef int64_t parent, i
    while pending:
        node, parent = pending.pop()
        if parent != NONE:
            children[parent].append(len(nodes))
        nodes.append(node)
        children.append([])
        pending += [(child, len(nodes) - 1) for child in reversed(node.children)]
    tree = {
        "children_left": np.full(len(nodes), LEAF, dtype=np.int64),
        "children_right": np.full(len(nodes), LEAF, dtype=np.int64),
        "feature": np.full(len(nodes), UNDEFINED, dtype=np.int64),
        "threshold": np.full(len(nodes), <float64_t>UNDEFINED),
        "gain": np.zeros(len(nodes)),
        "mass": np.array([(<SchemaNode>one).mass for one in nodes]),
        "average": np.array([(<SchemaNode>one).average for one in nodes]),
        "category": np.array([(<SchemaNode>one).category for one in nodes], dtype=np.int64),
        "child_offsets": np.cumsum([0, *map(len, children)]),
        "children": np.array([child for below in children for child in below], dtype=np.int64),
    }
    for i in range(len(nodes)):
        node = nodes[i]
        if not node.children:
            continue
        tree["feature"][i], tree["gain"][i] = node.split.attribute, node.split.gain
        if node.split.value == NONE:
            tree["children_left"][i] = tree["children_right"][i] = MULTIWAY
        else:
            tree["children_left"][i], tree["children_right"][i] = children[i]
            tree["threshold"][i] = node.split.value + 0.5
    return tree


cdef dict tree_of(
    Function function, str criterion, float64_t tol, float64_t scale, int64_t max_depth, int64_t max_leaf_nodes,
    is_categorical,
):
    """Build the tree of a function, given by its outputs and its measure."""
    cdef Rebuilding growth = Rebuilding()
    # The schema without constraints.
    function.high = np.diff(np.asarray(function.measure.offsets)) - 1
    function.low = np.zeros_like(function.high)
    function.look()
    growth.of_classes, growth.tol, growth.scale = criterion == "entropy", tol, scale
    growth.unit = 1.0 if growth.of_classes else scale
    growth.max_depth, growth.max_leaf_nodes = max_depth, max_leaf_nodes
    growth.is_categorical = np.zeros(function.low.shape[0], dtype=np.uint8)
    if is_categorical is not None:
        growth.is_categorical = is_categorical.view(np.uint8)
    return arrays_of(growth.grow(function))


def tree_from_boxes(
    boxes, const float64_t[:, ::1] values, const int64_t[::1] tree_of_box, measure, criterion, tol, scale, max_depth,
    max_leaf_nodes, is_categorical=None,
):
    """Build the tree of the sum of boxes, each times its row of `values`: a dict of arrays, one element for every node.

    `tree_of_box` tells which boxes have nothing in common; `scale` is the square of the function's magnitude;
    `is_categorical`, bool, which attributes are split into all their values, by default none. `mass` is the probability
    of the node's schema, `average` the function's averages over it, of shape (n_nodes, n_outputs).
    """
    cdef BoxFunction function = BoxFunction()
    function.boxes, function.measure = Boxes(boxes), Measure(measure)
    function.values, function.tree_of_box = values, tree_of_box
    function.live = np.flatnonzero(np.any(np.asarray(values) != 0.0, axis=1)).astype(np.int64)
    function.shares = np.empty(function.boxes.attribute.shape[0])
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical)


def tree_from_spectrum(
    partitions, coefficients, measure, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical=None
):
    """Build the tree of spectra on the same partitions, a column of `coefficients` for each, as `tree_from_boxes` has
    it.

    The measure must be uniform.
    """
    cdef SpectrumFunction function = SpectrumFunction()
    function.partitions, function.coefficients, function.measure = partitions, coefficients, Measure(measure)
    return tree_of(function, criterion, tol, scale, max_depth, max_leaf_nodes, is_categorical)
