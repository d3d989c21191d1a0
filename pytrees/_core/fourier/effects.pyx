"""Parts of a function: its variance by attribute and by interaction, and its profile over each attribute."""

import numpy as np

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals, show_share
from pytrees._core.base.types cimport float64_t, int64_t
from pytrees._core.fourier.boxes cimport (
    LEAST,
    BoxOverlaps,
    Boxes,
    Measure,
    boxes_that_count,
    clipped_mass,
    common_mass,
    constraint_shares,
    run_mass,
)
from pytrees._core.fourier.functions cimport mean_variance


cdef class Effects:
    """The variance of a sum of boxes, by what it comes from, while pairs of boxes are added.

    A pair of boxes has their probabilities' product w, times its values, and for every attribute m that both constrain
    an excess d_m: by how much they go together, P(both) / (P(one) P(other)) - 1. Its covariance is
    w (prod(1 + d_m) - 1), of which w times a product of excesses is that of the interaction of their attributes.
    """

    cdef float64_t[::1] first, total, by_order
    cdef float64_t[:, ::1] pairs                # (attribute, higher attribute)

    cdef void add(self, float64_t w, const int64_t* attribute, const float64_t* excess, Py_ssize_t n) noexcept nogil:
        """Add a pair of boxes with some attributes in common, ascending.

        Products start from w, which is no more than a share of each box: no step overflows.
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

    cdef void add_orders(
        self, float64_t w, const float64_t* excess, Py_ssize_t n, float64_t* of_order
    ) noexcept nogil:
        """Add a pair of boxes to the variances of all orders: w times the elementary symmetric sums of excesses."""
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

    Returns (mean, first, total, pairs, by_order): the means of the outputs, (n_outputs,); and, summed over the outputs,
    the variances of first order and total of every attribute, (n_attributes,); those of the interactions of two
    attributes, (n_attributes, n_attributes), exactly symmetric; and those of all interactions of as many attributes as
    the index says, (n_attributes + 1,), where the first is the mean's square.
    """
    cdef Boxes given = Boxes(boxes)
    cdef Measure under = Measure(measure)
    cdef Effects effects = Effects()
    cdef Py_ssize_t n_attributes = under.offsets.shape[0] - 1
    everything = np.diff(np.asarray(under.offsets)) - 1
    shares, outputs = constraint_shares(given, under), np.asarray(values)
    effects.first, effects.total = np.zeros(n_attributes), np.zeros(n_attributes)
    effects.by_order, effects.pairs = np.zeros(n_attributes + 1), np.zeros((n_attributes, n_attributes))
    mean = np.zeros(outputs.shape[1])
    parts = boxes_that_count(given, shares, outputs)
    for part, chosen in enumerate(parts):
        overlaps = BoxOverlaps(given, under, chosen, np.zeros_like(everything), everything)
        of_all = part / len(parts), 1.0 / len(parts)
        mean += add_pairs_of_boxes(effects, overlaps, outputs[chosen], of_all)
    effects.by_order[0] = np.sum(mean**2)
    pairs = np.asarray(effects.pairs)
    return mean, np.asarray(effects.first), np.asarray(effects.total), pairs + pairs.T, np.asarray(effects.by_order)


cdef object add_pairs_of_boxes(
    Effects effects, BoxOverlaps overlaps, const float64_t[:, ::1] values, (float64_t, float64_t) of_all
):
    """Add all pairs of chosen boxes, whose values are given; returns the means of the outputs.

    `of_all` are the share of all work that was done before, and that of these boxes.
    """
    cdef Py_ssize_t n = overlaps.chosen.shape[0], i, j, k, slot
    cdef Py_ssize_t width = np.diff(overlaps.boxes.indptr)[np.asarray(overlaps.chosen)].max(initial=0) + 1
    # For every box up to i: the attributes that both boxes constrain, and their excesses.
    cdef int64_t[::1] n_common = np.zeros(n, dtype=np.int64), attribute = np.empty(n * width, dtype=np.int64)
    cdef float64_t[::1] excess = np.empty(n * width), of_order = np.empty(width + 1)
    cdef int64_t work_done = 0
    cdef float64_t w, product, done = 0.0, whole = overlaps.whole_work()
    with nogil:
        for i in range(n):
            done += overlaps.work(i)
            if check_signals(&work_done, overlaps.work(i), WORK_BETWEEN_CHECKS):
                show_share(of_all[0] + of_all[1] * done / whole)
            find_excesses(overlaps, overlaps.measure, i, width, n_common, attribute, excess)
            for j in range(i + 1):
                if n_common[j] == 0:
                    continue
                product = 0.0
                for k in range(values.shape[1]):
                    product += values[i, k] * values[j, k]
                w = overlaps.mass[i] * overlaps.mass[j] * (product if i == j else 2.0 * product)
                if w != 0.0:
                    slot = j * width
                    effects.add(w, &attribute[slot], &excess[slot], n_common[j])
                    effects.add_orders(w, &excess[slot], n_common[j], &of_order[0])
                n_common[j] = 0
    return np.asarray(overlaps.mass) @ np.asarray(values)


cdef void find_excesses(
    BoxOverlaps overlaps, Measure measure, Py_ssize_t i, Py_ssize_t width, int64_t[::1] n_common,
    int64_t[::1] attribute, float64_t[::1] excess,
) noexcept nogil:
    """Note for every box j up to i the attributes that both constrain, from j * width on, and how many they are."""
    cdef int64_t constraint, m, entry, j, slot, box = overlaps.chosen[i]
    cdef float64_t whole, weight
    for constraint in range(overlaps.boxes.indptr[box], overlaps.boxes.indptr[box + 1]):
        m = overlaps.boxes.attribute[constraint]
        whole = run_mass(measure, m, overlaps.low[m], overlaps.high[m])
        weight = clipped_mass(overlaps.boxes, measure, constraint, overlaps.low[m], overlaps.high[m])
        if not weight < whole:
            continue
        for entry in range(overlaps.first[m], overlaps.first[m + 1]):
            j = overlaps.place[entry]
            if j > i:
                break
            slot = j * width + n_common[j]
            attribute[slot] = m
            excess[slot] = (
                common_mass(
                    overlaps.boxes, constraint, overlaps.boxes, overlaps.constraint[entry], measure, overlaps.low[m],
                    overlaps.high[m],
                ) * overlaps.inverse[entry] * (whole / max(weight, LEAST)) - 1.0
            )
            n_common[j] += 1


def sample_effects(rows, values, weights):
    """Decompose the variance of a function that is given by its rows of values at weighted samples.

    Returns (mean, first, total, pairs, variance): the means of the outputs; and, summed over these, for every attribute
    the variance of the means of samples that have the same value of it, and the mean variance of those that have the
    same values of all others, (n_attributes,); for two attributes the variance of the means of samples that have the
    same values of both, less those of each of them, (n_attributes, n_attributes), exactly symmetric; and the whole
    variance.
    """
    counted = np.flatnonzero(weights)
    samples = np.ascontiguousarray(np.asarray(rows)[counted], dtype=np.int32)
    outputs, weights = np.asarray(values)[counted], np.asarray(weights)[counted]
    cdef Py_ssize_t n_attributes = samples.shape[1], m, other
    cdef float64_t variance
    # In groups of samples that are equal but for one attribute: where that is a column of zeros, equal in the others.
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


cdef class Profile:
    """The mean of a function over all attributes but one or two, at every value of these: (values, values of the
    other, or one, outputs). Boxes are added as steps, which `table` sums up."""

    cdef Boxes boxes
    cdef int64_t attribute, other               # the latter NONE where there is one attribute
    cdef int64_t size, other_size
    cdef float64_t[:, :, ::1] steps

    def __init__(self, Boxes boxes, cardinalities, int64_t attribute, int64_t other, Py_ssize_t n_outputs):
        self.boxes, self.attribute, self.other = boxes, attribute, other
        self.size, self.other_size = cardinalities[attribute], cardinalities[other] if other >= 0 else 1
        self.steps = np.zeros((self.size + 1, self.other_size + 1, n_outputs))

    cdef void add(self, int64_t box, const float64_t[:, ::1] values, float64_t share) noexcept nogil:
        """Add a share of a box's values wherever the box allows the attributes."""
        cdef int64_t constraint, here = -1, there = -1, run
        for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
            if self.boxes.attribute[constraint] == self.attribute:
                here = constraint
            elif self.boxes.attribute[constraint] == self.other:
                there = constraint
        if here < 0:
            self.add_rows(0, self.size, there, box, values, share)
            return
        for run in range(self.boxes.run_indptr[here], self.boxes.run_indptr[here + 1]):
            self.add_rows(self.boxes.start[run], self.boxes.stop[run], there, box, values, share)

    cdef void add_rows(
        self, int64_t start, int64_t stop, int64_t there, int64_t box, const float64_t[:, ::1] values, float64_t share
    ) noexcept nogil:
        """Add a share of a box's values to the rows from start to stop - 1, in the columns that a constraint allows."""
        cdef int64_t run
        if there < 0:
            self.add_steps(start, stop, 0, self.other_size, box, values, share)
            return
        for run in range(self.boxes.run_indptr[there], self.boxes.run_indptr[there + 1]):
            self.add_steps(start, stop, self.boxes.start[run], self.boxes.stop[run], box, values, share)

    cdef void add_steps(
        self, int64_t start, int64_t stop, int64_t first, int64_t last, int64_t box, const float64_t[:, ::1] values,
        float64_t share,
    ) noexcept nogil:
        cdef Py_ssize_t k
        cdef float64_t part
        for k in range(values.shape[1]):
            part = share * values[box, k]
            self.steps[start, first, k] += part
            self.steps[stop, first, k] -= part
            self.steps[start, last, k] -= part
            self.steps[stop, last, k] += part

    cdef object table(self):
        return np.cumsum(np.cumsum(self.steps, axis=0), axis=1)[:-1, :-1]


def box_profiles(boxes, const float64_t[:, ::1] values, measure, wanted):
    """Average a sum of boxes over all attributes but one or two, under a product measure.

    For every pair (attribute, other, -1 where there is one alone) in `wanted` the list that is returned has an array of
    (values of the attribute, those of the other or 1, n_outputs) float64. Values without mass have means too.
    """
    cdef Boxes given = Boxes(boxes)
    cdef Measure under = Measure(measure)
    cdef const float64_t[::1] shares = constraint_shares(given, under)
    cdef Profile profile
    cdef int64_t box, work_done = 0
    cdef float64_t share
    cardinalities = np.diff(np.asarray(under.offsets)) - 1
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
    """Return the probability of what a box allows of all attributes but one or two."""
    cdef int64_t constraint
    cdef float64_t share = 1.0
    for constraint in range(boxes.indptr[box], boxes.indptr[box + 1]):
        if boxes.attribute[constraint] != attribute and boxes.attribute[constraint] != other:
            share *= shares[constraint]
    return share


cdef inline bint allows(Boxes boxes, int64_t constraint, int64_t value) noexcept nogil:
    """Whether a constraint allows a value."""
    cdef int64_t run
    for run in range(boxes.run_indptr[constraint], boxes.run_indptr[constraint + 1]):
        if boxes.start[run] <= value < boxes.stop[run]:
            return True
    return False


cdef class NearMisses:
    """The weights of the samples in a box, and of those that one or two of its constraints alone keep out."""

    cdef float64_t inside
    cdef float64_t[::1] one                     # by attribute
    cdef float64_t[:, ::1] two                  # (attribute, higher attribute)

    def __init__(self, Py_ssize_t n_attributes):
        self.inside = 0.0
        self.one, self.two = np.zeros(n_attributes), np.zeros((n_attributes, n_attributes))

    cdef void count(
        self, Boxes boxes, int64_t box, const int64_t[:, ::1] rows, const float64_t[::1] weights
    ) noexcept nogil:
        """Sum up the weights of samples for a box, from zeros."""
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
        """Return the weight of the samples that come into the box by changes of one attribute, or two."""
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
    cdef Boxes given = Boxes(boxes)
    cdef NearMisses misses = NearMisses(rows.shape[1])
    cdef Profile profile
    cdef int64_t box, work_done = 0
    cdef float64_t share, total = np.sum(weights)
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
        misses.forget(given, box)  # of attributes that the next box does not constrain nothing is missed
    return [(<Profile>profile).table() for profile in profiles]
