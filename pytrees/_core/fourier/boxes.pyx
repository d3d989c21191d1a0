"""Sums of boxes, each times its values, without their spectra: inner products, and averages over schemata.

The boxes of one tree's leaves are disjoint. The function of a tree is the sum of its boxes, each times the values of
its leaf; the function of an ensemble is the sum over the boxes of all trees. `boxes.pxd` says how boxes and measures
lie in memory.
"""

import numpy as np

from pytrees._core.base.signals cimport WORK_BETWEEN_CHECKS, check_signals, show_share
from pytrees._core.base.types cimport LEAF, MULTIWAY, NONE, float64_t, int64_t

cdef enum:
    WORK_OF_A_NODE = 1000       # of a tree, in units of WORK_BETWEEN_CHECKS

# Divisors are at least this: a smaller weight is nothing, and the quotient might not be finite.
LEAST = 1e-300


cdef class Boxes:
    def __init__(self, boxes, cardinalities):
        self.indptr, self.attribute, self.run_indptr, self.start, self.stop = boxes
        self.n_boxes = self.indptr.shape[0] - 1
        if not _are_boxes(*map(np.asarray, boxes), np.asarray(cardinalities)):
            raise ValueError("The arrays are no boxes of attributes with these cardinalities.")


def _are_boxes(indptr, attribute, run_indptr, start, stop, cardinalities):
    """Whether arrays are boxes as `Boxes` describes them, so that nothing reads past the ends of arrays."""
    if len(run_indptr) != len(attribute) + 1 or len(stop) != len(start):
        return False
    if not _divides(indptr, len(attribute)) or not _divides(run_indptr, len(start)):
        return False
    if np.any(attribute < 0) or np.any(attribute >= len(cardinalities)):
        return False
    box = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    sizes = np.repeat(cardinalities[attribute], np.diff(run_indptr))
    ascends = np.all((attribute[1:] > attribute[:-1]) | (box[1:] > box[:-1]))
    return ascends and not (np.any(start < 0) or np.any(start > stop) or np.any(stop > sizes))


def _divides(indptr, size):
    """Whether offsets ascend from 0 to the size of the array that they divide."""
    if len(indptr) == 0 or indptr[0] != 0 or indptr[len(indptr) - 1] != size:
        return False
    return not np.any(indptr[1:] < indptr[:-1])


def check_values(Boxes boxes, values):
    """Raise ValueError unless every box has a row of values."""
    if len(values) != boxes.n_boxes:
        raise ValueError(f"{boxes.n_boxes} boxes need as many rows of values, got {len(values)}.")


cdef class Measure:
    def __init__(self, measure):
        self.offsets, self.cumulative = measure
        if not _divides(np.asarray(self.offsets), self.cumulative.shape[0]) or np.any(np.diff(self.offsets) < 1):
            raise ValueError("The arrays are no measure.")

    def cardinalities(self):
        """Return how many values every attribute has."""
        return np.diff(np.asarray(self.offsets)) - 1


def check_codes(samples, cardinalities):
    """Raise ValueError unless the samples hold codes of values, (n_samples, n_attributes)."""
    if samples.shape[1] != len(cardinalities) or np.any(samples < 0) or np.any(samples >= cardinalities):
        raise ValueError("Samples must hold codes from 0 to the cardinalities of their attributes.")


cdef class Found:
    """Boxes while they are found, and the box of the node where the search is.

    The node's box allows attribute m the values low[m] to high[m] - 1, or several[m], a list of runs (low, high).
    """

    cdef const int64_t[::1] cardinalities
    cdef int64_t[::1] low, high
    cdef dict several
    cdef list nodes, indptr, attribute, run_indptr, runs

    def __init__(self, const int64_t[::1] cardinalities):
        self.cardinalities = cardinalities
        self.low, self.high, self.several = np.zeros_like(cardinalities), np.array(cardinalities), {}
        self.nodes, self.indptr, self.attribute, self.run_indptr, self.runs = [], [0], [], [0], []

    cdef list runs_of(self, int64_t m):
        """List the runs of values of an attribute."""
        return self.several.get(m) or [(self.low[m], self.high[m])]

    cdef int limit(self, int64_t m, list runs) except -1:
        """Set the values of an attribute."""
        self.low[m], self.high[m] = runs[0][0], runs[len(runs) - 1][1]
        if len(runs) > 1:
            self.several[m] = runs
        else:
            self.several.pop(m, None)

    cdef int add(self, int64_t node) except -1:
        """Add the box of a node here."""
        cdef const int64_t[::1] low = self.low, high = self.high, cardinalities = self.cardinalities
        cdef bint has_several = len(self.several) > 0
        cdef int64_t m
        for m in range(low.shape[0]):
            if has_several and m in self.several:
                self.runs += self.several[m]
            elif high[m] - low[m] < cardinalities[m]:
                self.runs.append((low[m], high[m]))
            else:
                continue
            self.attribute.append(m)
            self.run_indptr.append(len(self.runs))
        self.nodes.append(node)
        self.indptr.append(len(self.attribute))

    def arrays(self):
        start, stop = np.array(self.runs, dtype=np.int64).reshape(-1, 2).T.copy()
        lists = self.nodes, self.indptr, self.attribute, self.run_indptr
        return *(np.array(one, dtype=np.int64) for one in lists), start, stop


cdef list runs_among(list runs, const int64_t[::1] values):
    """List the runs of the values that lie in the given runs; the values ascend."""
    cdef list found = []
    cdef int64_t low, high, first
    cdef Py_ssize_t i = 0, n = values.shape[0]
    for low, high in runs:
        while i < n and values[i] < low:
            i += 1
        while i < n and values[i] < high:
            first = values[i]
            i += 1
            while i < n and values[i] < high and values[i] == values[i - 1] + 1:
                i += 1
            found.append((first, values[i - 1] + 1))
    return found


cdef list runs_without(list runs, list taken):
    """List the runs of what the taken values leave of the given runs; the taken values ascend."""
    cdef list found = []
    cdef int64_t low, high, value
    for low, high in runs:
        for value in taken:
            if low <= value < high:
                if low < value:
                    found.append((low, value))
                low = value + 1
        if low < high:
            found.append((low, high))
    return found


cdef list with_value(list runs, list others, int64_t value):
    """Add a value to runs if it lies in others, which are above all of them."""
    if not any(low <= value < high for low, high in others):
        return runs
    if runs and runs[len(runs) - 1][1] == value:
        return [*runs[:-1], (runs[len(runs) - 1][0], value + 1)]
    return [*runs, (value, value + 1)]


def leaf_boxes(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const int64_t[::1] cardinalities, const int64_t[::1] child_offsets=None,
    const int64_t[::1] children=None, const int64_t[::1] category_offsets=None, const int64_t[::1] categories=None,
    const int64_t[::1] missing_left=None,
):
    """Find the boxes of a tree's leaves that hold a value at all: (leaves, indptr, attribute, run_indptr, start, stop).

    All int64. Box b belongs to the leaf leaves[b], or to the multiway node leaves[b]: the values that no child has stay
    at the node. Boxes are in preorder. `child_offsets` and the next three are for trees with multiway nodes. A node
    sends missing_left[node], the code of missing values, to the left of its threshold; -1 is no code.
    """
    cdef Found found = Found(cardinalities)
    # Pending steps: (node to visit, attribute, runs that are first set as its values). Node -1 only sets the runs.
    cdef list pending = [(0, -1, None)], below, old, runs
    cdef int64_t node, attribute, cut, i, first, stop, work_done = 0
    while pending:
        node, attribute, runs = pending.pop()
        check_signals(&work_done, WORK_OF_A_NODE, WORK_BETWEEN_CHECKS)
        if attribute >= 0:
            found.limit(attribute, runs)
        if node < 0:
            continue
        if children_left[node] == LEAF:
            found.add(node)
            continue
        attribute = feature[node]
        old = found.runs_of(attribute)
        pending.append((-1, attribute, old))
        if children_left[node] == MULTIWAY:
            below, taken = [], []
            for i in range(child_offsets[node], child_offsets[node + 1]):
                first, stop = category_offsets[children[i]], category_offsets[children[i] + 1]
                taken += categories[first:stop]
                runs = runs_among(old, categories[first:stop])
                if runs:
                    below.append((children[i], attribute, runs))
            runs = runs_without(old, sorted(taken))
            if runs:
                found.limit(attribute, runs)
                found.add(node)
            pending += reversed(below)
            continue
        # The first value that goes right.
        first, stop = old[0][0], old[len(old) - 1][1]
        cut = <int64_t>min(<float64_t>stop, max(<float64_t>first, np.floor(threshold[node]) + 1.0))
        below = [(low, min(high, cut)) for low, high in old if low < cut]
        runs = [(max(low, cut), high) for low, high in old if high > cut]
        if missing_left is not None and missing_left[node] >= 0:
            below, runs = with_value(below, runs, missing_left[node]), runs_without(runs, [missing_left[node]])
        if runs:
            pending.append((children_right[node], attribute, runs))
        if below:
            pending.append((children_left[node], attribute, below))
    return found.arrays()


cdef tuple everywhere(Measure measure):
    """Return the schema without constraints: (low, high)."""
    cardinalities = np.diff(np.asarray(measure.offsets)) - 1
    return np.zeros_like(cardinalities), cardinalities


cdef float64_t[::1] constraint_shares(Boxes boxes, Measure measure):
    """Compute the probability of every constraint alone."""
    cdef int64_t constraint, m
    cdef float64_t[::1] shares = np.empty(boxes.attribute.shape[0])
    for constraint in range(shares.shape[0]):
        m = boxes.attribute[constraint]
        shares[constraint] = (
            clipped_mass(boxes, measure, constraint, 0, cardinality_of(measure, m)) / total_mass(measure, m)
        )
    return shares


cdef inline float64_t overlap(
    Boxes boxes, const float64_t[::1] shares, Py_ssize_t box, Boxes others, const float64_t[::1] other_shares,
    Py_ssize_t other, Measure measure,
) noexcept nogil:
    """Return the probability of the intersection of two boxes."""
    cdef int64_t i = boxes.indptr[box], end = boxes.indptr[box + 1]
    cdef int64_t j = others.indptr[other], other_end = others.indptr[other + 1], m
    cdef float64_t product = 1.0
    # The attributes below those of i and j are in the product.
    while i < end or j < other_end:
        if j == other_end or i < end and boxes.attribute[i] < others.attribute[j]:
            product *= shares[i]
            i += 1
        elif i == end or others.attribute[j] < boxes.attribute[i]:
            product *= other_shares[j]
            j += 1
        else:
            m = boxes.attribute[i]
            product *= (
                common_mass(boxes, i, others, j, measure, 0, cardinality_of(measure, m)) / total_mass(measure, m)
            )
            i += 1
            j += 1
    return product


cdef class BoxOverlaps:
    def __init__(
        self, Boxes boxes, Measure measure, const int64_t[::1] chosen, const int64_t[::1] low, const int64_t[::1] high
    ):
        cdef int64_t constraint, m
        cdef Py_ssize_t i, n_chosen = chosen.shape[0], n_entries = 0
        cdef float64_t whole, weight
        for i in range(n_chosen):
            n_entries += boxes.indptr[chosen[i] + 1] - boxes.indptr[chosen[i]]
        cdef int64_t[::1] constraints = np.empty(n_entries, dtype=np.int64)
        cdef int64_t[::1] places = np.empty(n_entries, dtype=np.int64)
        cdef float64_t[::1] weights = np.empty(n_entries)
        self.boxes, self.measure, self.chosen, self.low, self.high = boxes, measure, chosen, low, high
        self.mass, self.common = np.ones(n_chosen), np.empty(n_chosen)
        n_entries = 0
        for i in range(n_chosen):
            for constraint in range(boxes.indptr[chosen[i]], boxes.indptr[chosen[i] + 1]):
                m = boxes.attribute[constraint]
                whole = run_mass(measure, m, low[m], high[m])
                weight = clipped_mass(boxes, measure, constraint, low[m], high[m])
                self.mass[i] *= weight / whole
                if weight < whole:
                    constraints[n_entries], places[n_entries], weights[n_entries] = constraint, i, weight
                    n_entries += 1
        attributes = np.asarray(boxes.attribute)[np.asarray(constraints)[:n_entries]]
        by_attribute = np.argsort(attributes, kind="stable")
        self.first = np.searchsorted(attributes[by_attribute], np.arange(low.shape[0] + 1)).astype(np.int64)
        self.place = np.asarray(places)[by_attribute]
        self.constraint = np.asarray(constraints)[by_attribute]
        self.inverse = 1.0 / np.maximum(weights, LEAST)[by_attribute]
        for i in range(n_chosen):
            self.whole += self.work(i)

    cdef int show_work(self, Py_ssize_t i, float64_t before, float64_t share) except -1 nogil:
        """Note that box i is at hand. Now and then, handle signals and show progress.

        These boxes have a share of all work, and other boxes had the share before them.
        """
        cdef int64_t work = self.work(i)
        self.done += work
        if check_signals(&self.unchecked, work, WORK_BETWEEN_CHECKS):
            show_share(before + share * self.done / self.whole)

    cdef int64_t work(self, Py_ssize_t i) noexcept nogil:
        """Bound the work of `take` for box i, in runs of values that are looked at."""
        cdef int64_t constraint, m, box = self.chosen[i], work = i + 1
        for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
            m = self.boxes.attribute[constraint]
            work += (self.first[m + 1] - self.first[m]) * (
                self.boxes.run_indptr[constraint + 1] - self.boxes.run_indptr[constraint]
            )
        return work

    cdef void take(self, Py_ssize_t i, int64_t left_out) noexcept nogil:
        """Compute the probabilities of the intersections of box i with the boxes up to it, in `common`.

        Both boxes are averaged over the attribute `left_out`, unless it is NONE.
        """
        cdef int64_t constraint, m, entry, box = self.chosen[i]
        cdef float64_t its_narrowing
        cdef Py_ssize_t j
        for j in range(i + 1):
            self.common[j] = self.mass[i] * self.mass[j]
        # `common` takes the boxes as independent in the attributes of this constraint and of those after it.
        for constraint in range(self.boxes.indptr[box], self.boxes.indptr[box + 1]):
            m = self.boxes.attribute[constraint]
            its_narrowing = narrowing(self, constraint)
            if m == left_out or its_narrowing == 0.0:
                continue
            for entry in range(self.first[m], self.first[m + 1]):
                if self.place[entry] > i:
                    break
                self.common[self.place[entry]] *= lift(self, constraint, its_narrowing, entry)


def gram(const int64_t[::1] tree_indptr, boxes, const float64_t[:, ::1] values, measure):
    """Compute inner products of the functions of all pairs of trees, summed over their outputs; (n_trees, n_trees)
    float64.

    Tree t has the boxes tree_indptr[t] to tree_indptr[t + 1] and on them the rows of `values`, (n_boxes, n_outputs).
    """
    cdef Measure under = Measure(measure)
    cdef Boxes given = Boxes(boxes, under.cardinalities())
    cdef Py_ssize_t n_trees = tree_indptr.shape[0] - 1, i, j
    check_values(given, values)
    if not _divides(np.asarray(tree_indptr), given.n_boxes):
        raise ValueError(f"tree_indptr must divide the {given.n_boxes} boxes among the trees.")
    cdef float64_t[:, ::1] products = np.zeros((n_trees, n_trees))
    tree_of_box = np.repeat(np.arange(n_trees), np.diff(tree_indptr)).astype(np.int64)
    parts = boxes_that_count(given, constraint_shares(given, under), values)
    for part, chosen in enumerate(parts):
        overlaps = BoxOverlaps(given, under, chosen, *everywhere(under))
        add_products(products, overlaps, tree_of_box[chosen], np.asarray(values)[chosen], part, len(parts))
    for i in range(n_trees):
        for j in range(i):
            products[j, i] = products[i, j]
    return np.asarray(products)


cdef list boxes_that_count(Boxes boxes, shares, values):
    """List the boxes that have mass and a value, in one array or in an array for every output.

    If no box has values of two outputs, boxes of different outputs have no product, and the outputs are kept apart.
    """
    box_of_constraint = np.repeat(np.arange(boxes.n_boxes), np.diff(boxes.indptr))
    has_value = np.asarray(values) != 0.0
    has_value[box_of_constraint[np.asarray(shares) == 0.0]] = False
    if np.any(has_value.sum(axis=1) > 1):
        has_value = has_value.any(axis=1, keepdims=True)
    return [np.flatnonzero(of_output) for of_output in has_value.T]


cdef int add_products(
    float64_t[:, ::1] products, BoxOverlaps overlaps, const int64_t[::1] tree, const float64_t[:, ::1] values,
    float64_t part, float64_t n_parts,
) except -1:
    """Add the inner products of chosen boxes to the products of their trees: one part of several."""
    cdef Py_ssize_t i, j
    cdef float64_t value
    with nogil:
        for i in range(tree.shape[0]):
            overlaps.show_work(i, part / n_parts, 1.0 / n_parts)
            overlaps.take(i, NONE)
            for j in range(i + 1):
                value = dot(values, i, j) * overlaps.common[j]
                products[tree[i], tree[j]] += 2.0 * value if i != j and tree[i] == tree[j] else value


def box_averages(boxes, const float64_t[:, ::1] values, schemata, measure):
    """Compute the average of the sum of the boxes' functions over every schema; (n_schemata, n_outputs) float64.

    The schemata are boxes too; one of no mass has the average NaN.
    """
    cdef Measure under = Measure(measure)
    cdef Boxes given = Boxes(boxes, under.cardinalities()), over = Boxes(schemata, under.cardinalities())
    cdef Py_ssize_t n_outputs = values.shape[1]
    cdef float64_t[:, ::1] found = np.zeros((over.n_boxes, n_outputs))
    cdef float64_t[::1] shares = constraint_shares(given, under), schema_shares = constraint_shares(over, under)
    cdef Py_ssize_t schema, box, k
    cdef int64_t work_done = 0
    cdef float64_t mass, part
    with nogil:
        for schema in range(over.n_boxes):
            for box in range(given.n_boxes):
                check_signals(&work_done, given.indptr[box + 1] - given.indptr[box], WORK_BETWEEN_CHECKS)
                part = overlap(given, shares, box, over, schema_shares, schema, under)
                for k in range(n_outputs):
                    found[schema, k] += part * values[box, k]
            mass = 1.0
            for k in range(over.indptr[schema], over.indptr[schema + 1]):
                mass *= schema_shares[k]
            for k in range(n_outputs):
                found[schema, k] /= mass
    return np.asarray(found)
