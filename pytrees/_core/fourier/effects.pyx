"""Parts of a function: its variance by attribute and by interaction, and its profiles.

The variance of a function with independent attributes is a sum over the sets of attributes: the variance of their
interaction (Sobol'). The first-order variance of an attribute is the part of the attribute alone; its total variance is
the sum of the parts of all sets with the attribute. A profile is the function's mean with one attribute, or two, set to
each of their values. Functions are sums of boxes, or given by their values at samples.
"""

import numpy as np

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals, show_share
from pytrees._core.base.types cimport NONE, float64_t, int64_t
from pytrees._core.fourier.boxes cimport (
    BoxOverlaps, Boxes, Measure, boxes_that_count, constraint_shares, dot, everywhere, lift, narrowing,
)
from pytrees._core.fourier.functions cimport mean_variance

from pytrees._core.fourier.boxes import check_codes, check_values


cdef class Effects:
    """The parts of the variance of a sum of boxes, while pairs of boxes are added.

    A pair of boxes has a weight w, the product of the probabilities and of the values of both, and an excess d_m for
    every attribute m that both constrain: the lift P(both) / (P(one) P(other)) less 1. The covariance of the pair is
    w (prod(1 + d_m) - 1). Multiplied out, it is a sum over sets of attributes: w times the product of their excesses is
    the part of their interaction.
    """

    cdef float64_t[::1] first, total, by_order
    cdef float64_t[:, ::1] pairs                # (attribute, higher attribute)

    cdef void add(self, float64_t w, const int64_t* attribute, const float64_t* excess, Py_ssize_t n) noexcept nogil:
        """Add a pair of boxes that both constrain n attributes, in ascending order.

        No step overflows, because products start from w, and w is at most the probability of each box times values.
        """
        cdef Py_ssize_t a, b
        cdef float64_t product
        for a in range(n):
            product = w * excess[a]
            self.first[attribute[a]] += product
            for b in range(a + 1, n):
                self.pairs[attribute[a], attribute[b]] += product * excess[b]
            for b in range(n):
                if b != a:
                    product += product * excess[b]
            self.total[attribute[a]] += product

    cdef void add_orders(self, float64_t w, const float64_t* excess, Py_ssize_t n, float64_t* of_order) noexcept nogil:
        """Add a pair of boxes to the variances by order: w times the elementary symmetric sums of the excesses."""
        cdef Py_ssize_t a, order
        of_order[0] = w
        # of_order has the sums of the excesses before a.
        for a in range(n):
            of_order[a + 1] = 0.0
            for order in range(a + 1, 0, -1):
                of_order[order] += of_order[order - 1] * excess[a]
        for order in range(1, n + 1):
            self.by_order[order] += of_order[order]


def box_effects(boxes, const float64_t[:, ::1] values, measure):
    """Decompose the variance of a sum of boxes, each times its row of values, under a product measure.

    Returns (mean, first, total, pairs, by_order). `mean` are the means of the outputs, (n_outputs,). The variances are
    summed over the outputs: `first` and `total` by attribute, (n_attributes,); `pairs` of the interactions of two
    attributes, (n_attributes, n_attributes), exactly symmetric; `by_order` of all interactions of as many attributes as
    the index says, (n_attributes + 1,), with the square of the mean at 0.
    """
    cdef Measure under = Measure(measure)
    cdef Boxes given = Boxes(boxes, under.cardinalities())
    check_values(given, values)
    cdef Effects effects = Effects()
    cdef Py_ssize_t n_attributes = under.offsets.shape[0] - 1
    shares, outputs = constraint_shares(given, under), np.asarray(values)
    effects.first, effects.total = np.zeros(n_attributes), np.zeros(n_attributes)
    effects.by_order, effects.pairs = np.zeros(n_attributes + 1), np.zeros((n_attributes, n_attributes))
    mean = np.zeros(outputs.shape[1])
    parts = boxes_that_count(given, shares, outputs)
    for part, chosen in enumerate(parts):
        overlaps = BoxOverlaps(given, under, chosen, *everywhere(under))
        mean += add_pairs_of_boxes(effects, overlaps, outputs[chosen], part, len(parts))
    effects.by_order[0] = np.sum(mean**2)
    pairs = np.asarray(effects.pairs)
    return mean, np.asarray(effects.first), np.asarray(effects.total), pairs + pairs.T, np.asarray(effects.by_order)


cdef object add_pairs_of_boxes(
    Effects effects, BoxOverlaps overlaps, const float64_t[:, ::1] values, float64_t part, float64_t n_parts
):
    """Add all pairs of chosen boxes, one part of several; return the means of the outputs."""
    cdef Py_ssize_t n = overlaps.chosen.shape[0], i, j, slot
    cdef Py_ssize_t width = np.diff(overlaps.boxes.indptr)[np.asarray(overlaps.chosen)].max(initial=0) + 1
    # For every box up to i: the attributes that both boxes constrain, and their excesses.
    cdef int64_t[::1] n_common = np.zeros(n, dtype=np.int64), attribute = np.empty(n * width, dtype=np.int64)
    cdef float64_t[::1] excess = np.empty(n * width), of_order = np.empty(width + 1)
    cdef float64_t w, product
    with nogil:
        for i in range(n):
            overlaps.show_work(i, part / n_parts, 1.0 / n_parts)
            find_excesses(overlaps, i, width, n_common, attribute, excess)
            for j in range(i + 1):
                if n_common[j] == 0:
                    continue
                product = dot(values, i, j)
                w = overlaps.mass[i] * overlaps.mass[j] * (product if i == j else 2.0 * product)
                if w != 0.0:
                    slot = j * width
                    effects.add(w, &attribute[slot], &excess[slot], n_common[j])
                    effects.add_orders(w, &excess[slot], n_common[j], &of_order[0])
                n_common[j] = 0
    return np.asarray(overlaps.mass) @ np.asarray(values)


cdef void find_excesses(
    BoxOverlaps overlaps, Py_ssize_t i, Py_ssize_t width, int64_t[::1] n_common, int64_t[::1] attribute,
    float64_t[::1] excess,
) noexcept nogil:
    """Write for every box j up to i the attributes that both constrain, and their excesses, from j * width on.

    n_common[j] becomes their number; it is 0 before.
    """
    cdef int64_t constraint, m, entry, j, slot, box = overlaps.chosen[i]
    cdef float64_t its_narrowing
    for constraint in range(overlaps.boxes.indptr[box], overlaps.boxes.indptr[box + 1]):
        m = overlaps.boxes.attribute[constraint]
        its_narrowing = narrowing(overlaps, constraint)
        if its_narrowing == 0.0:
            continue
        for entry in range(overlaps.first[m], overlaps.first[m + 1]):
            j = overlaps.place[entry]
            if j > i:
                break
            slot = j * width + n_common[j]
            attribute[slot] = m
            excess[slot] = lift(overlaps, constraint, its_narrowing, entry) - 1.0
            n_common[j] += 1


def sample_effects(rows, values, weights):
    """Decompose the variance of a function that is given by its rows of values at weighted samples.

    Returns (mean, first, total, pairs, variance). `mean` are the means of the outputs, (n_outputs,). The variances are
    summed over the outputs. Samples of equal values form groups: `first` is the variance of the groups' means, with
    groups by one attribute, (n_attributes,); `total` is the mean variance in the groups, with groups by all attributes
    but one, (n_attributes,); `pairs` is the variance of the groups' means, with groups by two attributes, less the
    first variances of both, (n_attributes, n_attributes), exactly symmetric; `variance` is the whole variance.
    """
    counted = np.flatnonzero(weights)
    samples = np.ascontiguousarray(np.asarray(rows)[counted], dtype=np.int32)
    outputs, weights = np.asarray(values)[counted], np.asarray(weights)[counted]
    cdef Py_ssize_t n_attributes = samples.shape[1], m, other
    cdef float64_t variance
    # `mean_variance` groups by all attributes but one. A column of zeros as this one leaves groups by all others.
    nothing = np.zeros((len(samples), 1), dtype=np.int32)
    variance = mean_variance(nothing, outputs, weights, 0)
    first, total = np.zeros(n_attributes), np.zeros(n_attributes)
    pairs = np.zeros((n_attributes, n_attributes))
    for m in range(n_attributes):
        first[m] = variance - mean_variance(np.hstack([samples[:, m:m + 1], nothing]), outputs, weights, 1)
        total[m] = mean_variance(samples, outputs, weights, m)
    for m in range(n_attributes):
        show_share(1.0 - ((n_attributes - m) / <float64_t>n_attributes) ** 2)  # pairs of attributes before this one
        for other in range(m + 1, n_attributes):
            of_both = np.hstack([samples[:, m:m + 1], samples[:, other:other + 1], nothing])
            pairs[m, other] = variance - mean_variance(of_both, outputs, weights, 2) - first[m] - first[other]
            pairs[other, m] = pairs[m, other]
    return np.average(outputs, axis=0, weights=weights), first, total, pairs, variance


cdef struct ValueRun:
    int64_t start, stop


cdef inline int64_t n_runs_of(Boxes boxes, int64_t constraint) noexcept nogil:
    return 1 if constraint == NONE else boxes.run_indptr[constraint + 1] - boxes.run_indptr[constraint]


cdef inline ValueRun run_of(Boxes boxes, int64_t constraint, int64_t i, int64_t size) noexcept nogil:
    """Return run i of a constraint; the constraint NONE allows all values, which are `size`."""
    if constraint == NONE:
        return ValueRun(0, size)
    return ValueRun(boxes.start[boxes.run_indptr[constraint] + i], boxes.stop[boxes.run_indptr[constraint] + i])


cdef class Profile:
    """The mean of a function over all attributes but one or two, at every value of these.

    Boxes are added as steps, an array of (values, values of the other attribute or 1, outputs) with one more row and
    column. `table` sums the steps up: a value is the sum of the steps at or before it, in both directions.
    """

    cdef Boxes boxes
    cdef int64_t attribute, other               # `other` is NONE if there is one attribute
    cdef int64_t size, other_size
    cdef float64_t[:, :, ::1] steps

    def __init__(self, Boxes boxes, cardinalities, int64_t attribute, int64_t other, Py_ssize_t n_outputs):
        self.boxes, self.attribute, self.other = boxes, attribute, other
        self.size, self.other_size = cardinalities[attribute], cardinalities[other] if other >= 0 else 1
        self.steps = np.zeros((self.size + 1, self.other_size + 1, n_outputs))

    cdef void add(self, int64_t box, const float64_t[:, ::1] values, float64_t share) noexcept nogil:
        """Add a share of a box's values wherever the box allows the attributes."""
        cdef int64_t constraint, here = NONE, there = NONE, i, j
        for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
            if self.boxes.attribute[constraint] == self.attribute:
                here = constraint
            elif self.boxes.attribute[constraint] == self.other:
                there = constraint
        for i in range(n_runs_of(self.boxes, here)):
            for j in range(n_runs_of(self.boxes, there)):
                self.add_steps(
                    run_of(self.boxes, here, i, self.size), run_of(self.boxes, there, j, self.other_size),
                    &values[box, 0], share,
                )

    cdef void add_steps(self, ValueRun rows, ValueRun columns, const float64_t* values, float64_t share) noexcept nogil:
        cdef Py_ssize_t k
        cdef float64_t part
        for k in range(self.steps.shape[2]):
            part = share * values[k]
            self.steps[rows.start, columns.start, k] += part
            self.steps[rows.stop, columns.start, k] -= part
            self.steps[rows.start, columns.stop, k] -= part
            self.steps[rows.stop, columns.stop, k] += part

    cdef object table(self):
        return np.cumsum(np.cumsum(self.steps, axis=0), axis=1)[:-1, :-1]


def box_profiles(boxes, const float64_t[:, ::1] values, measure, wanted):
    """Average a sum of boxes over all attributes but one or two, under a product measure.

    `wanted` has pairs (attribute, other), with the other -1 for one attribute alone. Returns a list of float64 arrays
    of the shape (values of the attribute, values of the other or 1, n_outputs). Values without mass have means, too.
    """
    cdef Measure under = Measure(measure)
    cdef Boxes given = Boxes(boxes, under.cardinalities())
    check_values(given, values)
    cdef const float64_t[::1] shares = constraint_shares(given, under)
    cdef Profile profile
    cdef int64_t box, work_done = 0
    cdef float64_t share
    cardinalities = under.cardinalities()
    tables = []
    for attribute, other in wanted:
        profile = Profile(given, cardinalities, attribute, other, values.shape[1])
        with nogil:
            for box in range(given.n_boxes):
                check_signals(&work_done, given.indptr[box + 1] - given.indptr[box], WORK_BETWEEN_CHECKS)
                share = share_of_others(given, box, shares, profile.attribute, profile.other)
                if share != 0.0:
                    profile.add(box, values, share)
        tables.append(profile.table())
    return tables


cdef inline float64_t share_of_others(
    Boxes boxes, int64_t box, const float64_t[::1] shares, int64_t attribute, int64_t other
) noexcept nogil:
    """Return the probability of a box, averaged over one attribute or two."""
    cdef int64_t constraint
    cdef float64_t share = 1.0
    for constraint in range(boxes.indptr[box], boxes.indptr[box + 1]):
        if boxes.attribute[constraint] != attribute and boxes.attribute[constraint] != other:
            share *= shares[constraint]
    return share


cdef inline bint allows(Boxes boxes, int64_t constraint, int64_t value) noexcept nogil:
    cdef int64_t run
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        if boxes.start[run] <= value < boxes.stop[run]:
            return True
    return False


cdef class NearMisses:
    """The weights of the samples in a box, and of the samples that only one or two constraints of the box keep out."""

    cdef float64_t inside
    cdef float64_t[::1] one                     # by attribute
    cdef float64_t[:, ::1] two                  # (attribute, higher attribute)

    def __init__(self, Py_ssize_t n_attributes):
        self.inside = 0.0
        self.one, self.two = np.zeros(n_attributes), np.zeros((n_attributes, n_attributes))

    cdef void count(
        self, Boxes boxes, int64_t box, const int64_t[:, ::1] rows, const float64_t[::1] weights
    ) noexcept nogil:
        """Sum up the weights of the samples for a box; all sums are zero before."""
        cdef int64_t constraint, m, n_missed
        cdef int64_t[2] missed
        cdef Py_ssize_t i
        for i in range(rows.shape[0]):
            n_missed = 0
            for constraint in range(boxes.indptr[box], boxes.indptr[box + 1]):
                m = boxes.attribute[constraint]
                if not allows(boxes, constraint, rows[i, m]):
                    if n_missed == 2:
                        n_missed = 3
                        break
                    missed[n_missed] = m
                    n_missed += 1
            if n_missed == 0:
                self.inside += weights[i]
            elif n_missed == 1:
                self.one[missed[0]] += weights[i]
            elif n_missed == 2:
                self.two[missed[0], missed[1]] += weights[i]

    cdef void forget(self, Boxes boxes, int64_t box) noexcept nogil:
        """Set all weights to zero after a box."""
        cdef int64_t i, j
        self.inside = 0.0
        for i in range(boxes.indptr[box], boxes.indptr[box + 1]):
            self.one[boxes.attribute[i]] = 0.0
            for j in range(i + 1, boxes.indptr[box + 1]):
                self.two[boxes.attribute[i], boxes.attribute[j]] = 0.0

    cdef float64_t without(self, int64_t attribute, int64_t other) noexcept nogil:
        """Return the weight of the samples that are in the box if one attribute, or two, may have any value."""
        cdef float64_t weight = self.inside + self.one[attribute]
        if other >= 0:
            weight += self.one[other] + self.two[min(attribute, other), max(attribute, other)]
        return weight


def sample_profiles(
    boxes, const float64_t[:, ::1] values, const int64_t[:, ::1] rows, const float64_t[::1] weights, cardinalities,
    wanted,
):
    """Average a sum of boxes over weighted samples, in all of which one attribute or two are set to their values.

    Returns a list of arrays as `box_profiles` does.
    """
    cdef Boxes given = Boxes(boxes, cardinalities)
    cdef NearMisses misses = NearMisses(rows.shape[1])
    cdef Profile profile
    cdef int64_t box, work_done = 0
    cdef float64_t share, total = np.sum(weights)
    check_values(given, values)
    check_codes(np.asarray(rows), cardinalities)
    if weights.shape[0] != rows.shape[0]:
        raise ValueError(f"{rows.shape[0]} samples need as many weights, got {weights.shape[0]}.")
    profiles = [Profile(given, cardinalities, attribute, other, values.shape[1]) for attribute, other in wanted]
    for box in range(given.n_boxes):
        with nogil:
            if check_signals(&work_done, rows.shape[0], WORK_BETWEEN_CHECKS):
                show_share(<float64_t>box / given.n_boxes)
            misses.count(given, box, rows, weights)
        for profile in profiles:
            share = misses.without(profile.attribute, profile.other)
            if share != 0.0:
                profile.add(box, values, share / total)
        misses.forget(given, box)  # the next box may have no constraint that writes over these sums
    return [(<Profile>profile).table() for profile in profiles]
