"""Functions that are constant on boxes, without their spectra: inner products and averages over schemata."""

import numpy as np

from pytrees._core.types cimport LEAF, float64_t, int64_t


cdef class Boxes:
    def __init__(self, boxes):
        self.indptr, self.attribute, self.run_indptr, self.start, self.stop = boxes
        # Pointers to empty arrays are never followed.
        self.arrays = BoxArrays(
            self.indptr.shape[0] - 1, &self.indptr[0], address(self.attribute), &self.run_indptr[0],
            address(self.start), address(self.stop),
        )


cdef class Measure:
    def __init__(self, measure):
        self.offsets, self.cumulative = measure
        self.masses = Masses(&self.offsets[0], &self.cumulative[0])


cdef const int64_t* address(const int64_t[::1] array) noexcept:
    return &array[0] if array.shape[0] else NULL


def leaf_boxes(
    const int64_t[::1] children_left, const int64_t[::1] children_right, const int64_t[::1] feature,
    const float64_t[::1] threshold, const int64_t[::1] cardinalities,
):
    """The boxes of a tree's leaves that hold a value at all: (leaves, indptr, attribute, start, stop), int64.

    Box b is that of the leaf leaves[b], in preorder. Every constraint is one run: values from start to stop - 1.
    """
    cdef int64_t n_attributes = cardinalities.shape[0]
    cdef int64_t[::1] low = np.zeros(n_attributes, dtype=np.int64), high = np.array(cardinalities)
    cdef list found = [], leaves = [], indptr = [0]
    # What a node has yet to do: (node, attribute whose limits are set first, low, high); node -1 only sets them.
    cdef list pending = [(0, -1, 0, 0)]
    cdef int64_t node, attribute, old_low, old_high, cut
    while pending:
        node, attribute, old_low, old_high = pending.pop()
        if attribute >= 0:
            low[attribute], high[attribute] = old_low, old_high
        if node < 0:
            continue
        if children_left[node] == LEAF:
            leaves.append(node)
            found += [(m, low[m], high[m]) for m in range(n_attributes) if high[m] - low[m] < cardinalities[m]]
            indptr.append(len(found))
            continue
        attribute = feature[node]
        old_low, old_high = low[attribute], high[attribute]
        # The first value that goes right.
        cut = <int64_t>min(<float64_t>old_high, max(<float64_t>old_low, np.floor(threshold[node]) + 1.0))
        pending.append((-1, attribute, old_low, old_high))
        if cut < old_high:
            pending.append((children_right[node], attribute, cut, old_high))
        if cut > old_low:
            pending.append((children_left[node], attribute, old_low, cut))
    columns = np.array(found, dtype=np.int64).reshape(-1, 3).T.copy()
    return np.array(leaves, dtype=np.int64), np.array(indptr, dtype=np.int64), columns[0], columns[1], columns[2]


cdef float64_t[::1] constraint_shares(BoxArrays* boxes, Masses* masses):
    """The probability of every constraint alone."""
    cdef int64_t constraint, attribute
    cdef float64_t[::1] shares = np.empty(boxes.indptr[boxes.n_boxes])
    for constraint in range(shares.shape[0]):
        attribute = boxes.attribute[constraint]
        shares[constraint] = (
            clipped_mass(boxes, masses, constraint, 0, masses.offsets[attribute + 1] - masses.offsets[attribute] - 1)
            / total_mass(masses, attribute)
        )
    return shares


cdef float64_t overlap(
    BoxArrays* boxes, const float64_t* shares, Py_ssize_t box, BoxArrays* others, const float64_t* other_shares,
    Py_ssize_t other, Masses* masses,
) noexcept nogil:
    """The probability of what two boxes have in common."""
    cdef int64_t i = boxes.indptr[box], end = boxes.indptr[box + 1]
    cdef int64_t j = others.indptr[other], other_end = others.indptr[other + 1]
    cdef int64_t attribute, other_attribute
    cdef float64_t product = 1.0
    # The attributes below those of i and j are in the product.
    while i < end and j < other_end:
        attribute, other_attribute = boxes.attribute[i], others.attribute[j]
        if attribute < other_attribute:
            product *= shares[i]
            i += 1
        elif other_attribute < attribute:
            product *= other_shares[j]
            j += 1
        else:
            product *= (
                common_mass(
                    boxes, i, others, j, masses, 0, masses.offsets[attribute + 1] - masses.offsets[attribute] - 1
                ) / total_mass(masses, attribute)
            )
            if product == 0.0:
                return 0.0
            i += 1
            j += 1
    while i < end:
        product *= shares[i]
        i += 1
    while j < other_end:
        product *= other_shares[j]
        j += 1
    return product


cdef inline float64_t dot(const float64_t* a, const float64_t* b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef float64_t total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


def gram(const int64_t[::1] tree_indptr, boxes, const float64_t[:, ::1] values, measure):
    """Inner products of the functions of all pairs of trees, summed over their outputs; (n_trees, n_trees) float64.

    Tree t has the boxes tree_indptr[t] to tree_indptr[t + 1] and on them the rows of `values`, (n_boxes, n_outputs).
    """
    cdef Boxes given = Boxes(boxes)
    cdef Measure under = Measure(measure)
    cdef Py_ssize_t n_trees = tree_indptr.shape[0] - 1, n_outputs = values.shape[1]
    cdef float64_t[:, ::1] products = np.zeros((n_trees, n_trees))
    cdef float64_t[::1] shares = constraint_shares(&given.arrays, &under.masses)
    cdef const float64_t* share = &shares[0] if shares.shape[0] else NULL
    cdef Py_ssize_t a, b, box, other
    cdef float64_t total, value
    with nogil:
        for a in range(n_trees):
            for b in range(a, n_trees):
                total = 0.0
                for box in range(tree_indptr[a], tree_indptr[a + 1]):
                    for other in range(tree_indptr[b], tree_indptr[b + 1]):
                        value = dot(&values[box, 0], &values[other, 0], n_outputs)
                        if value != 0.0:
                            total += value * overlap(
                                &given.arrays, share, box, &given.arrays, share, other, &under.masses
                            )
                products[a, b] = products[b, a] = total
    return np.asarray(products)


def averages(boxes, const float64_t[:, ::1] values, schemata, measure):
    """The average of the sum of the boxes' functions over every schema; (n_schemata, n_outputs) float64.

    The schemata are boxes too; one of no mass has the average NaN.
    """
    cdef Boxes given = Boxes(boxes), over = Boxes(schemata)
    cdef Measure under = Measure(measure)
    cdef Py_ssize_t n_outputs = values.shape[1]
    cdef float64_t[:, ::1] found = np.zeros((over.arrays.n_boxes, n_outputs))
    cdef float64_t[::1] shares = constraint_shares(&given.arrays, &under.masses)
    cdef float64_t[::1] schema_shares = constraint_shares(&over.arrays, &under.masses)
    cdef const float64_t* share = &shares[0] if shares.shape[0] else NULL
    cdef const float64_t* schema_share = &schema_shares[0] if schema_shares.shape[0] else NULL
    cdef Py_ssize_t schema, box, k
    cdef float64_t mass, part
    with nogil:
        for schema in range(over.arrays.n_boxes):
            for box in range(given.arrays.n_boxes):
                part = overlap(
                    &given.arrays, share, box, &over.arrays, schema_share, schema, &under.masses
                )
                for k in range(n_outputs):
                    found[schema, k] += part * values[box, k]
            mass = 1.0
            for k in range(over.indptr[schema], over.indptr[schema + 1]):
                mass *= schema_shares[k]
            for k in range(n_outputs):
                found[schema, k] = found[schema, k] / mass
    return np.asarray(found)
