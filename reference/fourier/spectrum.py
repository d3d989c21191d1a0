"""Fourier spectra, from their definition and by the algorithms of the paper.

Kargupta, Park & Dutta, "Orthogonal Decision Trees". A partition j has a digit for every attribute m, below its
cardinality; its order is the number of digits that are not zero. With psi_j(x) = exp(2 pi i sum_m x_m j_m / lambda_m),

    w_j = mean over x of f(x) psi_j(x),    f(x) = sum over j of w_j conj(psi_j(x)).

A spectrum is sorted by order, then lexicographically; the partition of zeros is always in it. (The paper's section III
divides psi by a square root and conjugates the other one of the two; sections IV and V do as here.)
"""

from cmath import exp, pi
from itertools import product
from math import prod

from .boxes import LEAF, MULTIWAY, unpack

NEGLIGIBLE = 1e-15


def root(t, n):
    """Return exp(2 pi i t / n); for -t it is exactly the conjugate."""
    t %= n
    if 2 * t == n:
        return -1.0 + 0.0j
    return exp(2j * pi * t / n) if 2 * t < n else exp(2j * pi * (n - t) / n).conjugate()


def character(partition, x, cardinalities):
    """Return psi_j(x). Where x is None, a wild-card, the digit must be zero."""
    return prod(root(v * j, n) for j, v, n in zip(partition, x, cardinalities, strict=True) if j)


def order_of(partition):
    return sum(digit != 0 for digit in partition)


def sort_key(partition):
    return order_of(partition), tuple(partition)


def sorted_spectrum(found, negligible):
    """Return (partitions, coefficients) of a dict, without coefficients that are only rounding."""
    kept = sorted(
        (j for j, w in found.items() if order_of(j) == 0 or max(abs(w.real), abs(w.imag)) > negligible), key=sort_key
    )
    return [list(j) for j in kept], [found[j] for j in kept]


# ----------------------------------------------------------------------------------------------- the paper's algorithms


def transform(table, cardinalities):
    """Return all coefficients of a function given by its values in C order: by definition, a sum over the domain."""
    domain = list(product(*map(range, cardinalities)))
    return {
        j: sum(f * character(j, x, cardinalities) for f, x in zip(table, domain, strict=True)) / len(domain)
        for j in domain
    }


def extract_fs(node, cardinalities):
    """Return the coefficients of a tree whose nodes have one child for every value of their feature: ExtractFS, Fig. 3.

    A node is (feature, children), or the number at a leaf. Line numbers are the paper's. The paper does not say that
    w_0 is the average of the tree from the start, that a leaf returns, and that S is passed by value (line 15 adds to
    the copy that the children get).
    """
    w = {(0,) * len(cardinalities): complex(average(node))}

    def extract(S, node, h):
        if not isinstance(node, tuple):
            return
        k, children = node  # 2
        N = {(*j[:k], i, *j[k + 1 :]) for j in S for i in range(1, cardinalities[k])}  # 3-8
        fixed = prod(n for n, value in zip(cardinalities, h, strict=True) if value is not None)
        size = 1 / (cardinalities[k] * fixed)  # 9: |node| / (lambda_k |Lambda|)
        for j in sorted(N):  # 10-14
            for i, child in enumerate(children):
                schema = [*h[:k], i, *h[k + 1 :]]
                w[j] = w.get(j, 0j) + size * average(child) * character(j, schema, cardinalities)
        S = S | N  # 15
        for i, child in enumerate(children):  # 16-18
            extract(S, child, [*h[:k], i, *h[k + 1 :]])

    extract(set(w), node, [None] * len(cardinalities))
    return w


def categories_of(tree, node):
    """Return the categories that lead to a node."""
    return tree["categories"][tree["category_offsets"][node] : tree["category_offsets"][node + 1]]


def unfolded(tree, values, cardinalities):
    """Return nested nodes for a tree, a mapping from the names of its arrays, with these values at its nodes.

    All values on one side of a threshold get the same child; all values that a multiway node lacks get a leaf. If a
    feature repeats on a path, its value is known, and the node is passed at once.
    """

    def child_for(node, value):
        """Return the child for a value of the node's feature; None if rows of the value stay at the node."""
        below = tree["children"][tree["child_offsets"][node] : tree["child_offsets"][node + 1]]
        if tree["children_left"][node] == MULTIWAY:
            return next((child for child in below if value in categories_of(tree, child)), None)
        return below[value > tree["threshold"][node]]

    def visit(node, known):
        while node is not None and tree["children_left"][node] != LEAF and tree["feature"][node] in known:
            last, node = node, child_for(node, known[tree["feature"][node]])
        if node is None:
            return values[last]
        if tree["children_left"][node] == LEAF:
            return values[node]
        k = tree["feature"][node]
        found = [(child_for(node, value), known | {k: value}) for value in range(cardinalities[k])]
        return k, [values[node] if child is None else visit(child, below) for child, below in found]

    return visit(0, {})


def average(node):
    """Return F of the paper: the mean of the function over the subspace of a node."""
    return sum(map(average, node[1])) / len(node[1]) if isinstance(node, tuple) else node


def bottom_up(node, cardinalities):
    """Return the same coefficients from the leaves up: a node transforms those of its children along its feature.

    No feature may repeat on a path.
    """
    if not isinstance(node, tuple):
        return {(0,) * len(cardinalities): complex(node)}
    k, children = node
    n, w = cardinalities[k], {}
    for i, child in enumerate(children):
        for j, coefficient in bottom_up(child, cardinalities).items():
            for digit in range(n):
                partition = (*j[:k], digit, *j[k + 1 :])
                w[partition] = w.get(partition, 0j) + coefficient * root(digit * i, n) / n
    return w


# -------------------------------------------------------------------------------------------------------- the kernels


def supports(boxes, values):
    """Return the sets of attributes in which a partition can have digits other than zero: all subsets of a box's."""
    found = {()}
    for box, value in zip(unpack(boxes), values, strict=True):
        if value:
            found |= {
                tuple(m for m, taken in zip(sorted(box), choice, strict=True) if taken)
                for choice in product((False, True), repeat=len(box))
            }
    return found


def count_orders(boxes, values, cardinalities, limit):
    """Count the partitions of every order that a sum of boxes can have; boxes of value zero do not count.

    (`limit` lets the engine end early; the reference counts all.)
    """
    counts = [0.0] * (len(cardinalities) + 1)
    for support in supports(boxes, values):
        counts[len(support)] += float(prod(cardinalities[m] - 1 for m in support))
    return counts


def expand_spectrum(boxes, values, cardinalities, order_counts):
    """Return the spectrum of a sum of boxes, each times its value: (partitions, coefficients).

    The coefficient of a box is a product over the attributes: of 1 if neither j nor the box has the attribute, and
    otherwise of the mean of exp(2 pi i x j / lambda) over the values x, where the values that the box lacks count as
    zero. `order_counts` only tells the engine how much memory it needs.
    """
    found = {(0,) * len(cardinalities): 0j}
    for box, value in zip(unpack(boxes), values, strict=True):
        if not value:
            continue
        factors = [
            [sum(root(x * j, n) for x in sorted(box[m])) / n for j in range(n)] if m in box else [1.0]
            for m, n in enumerate(cardinalities)
        ]
        for j in product(*(range(len(attribute_factors)) for attribute_factors in factors)):
            found[j] = found.get(j, 0j) + value * prod(factors[m][digit] for m, digit in enumerate(j))
    return sorted_spectrum(found, NEGLIGIBLE * max(map(abs, values), default=0.0))


def check_spectrum(partitions, coefficients, cardinalities):
    """Raise ValueError unless every partition has a coefficient, and digits below the cardinalities."""
    if len(coefficients) != len(partitions) or not all(
        len(j) == len(cardinalities) and all(0 <= digit < n for digit, n in zip(j, cardinalities, strict=True))
        for j in partitions
    ):
        raise ValueError("The partitions are not those of coefficients and attributes of these cardinalities.")


def order_starts(partitions):
    """Return where the partitions of every order start, in sorted rows."""
    n_attributes = len(partitions[0])
    return [sum(order_of(j) < order for j in partitions) for order in range(n_attributes + 2)]


def find_partitions(partitions, wanted):
    """Return the rows of the wanted partitions, -1 for absent ones."""
    place = {tuple(j): i for i, j in enumerate(partitions)}
    return [place.get(tuple(j), -1) for j in wanted]


def merge_partitions(partitions, others):
    """Return all partitions of two spectra, sorted, and their rows in both, -1 for none."""
    merged = sorted({tuple(j) for j in partitions} | {tuple(j) for j in others}, key=sort_key)
    return [list(j) for j in merged], find_partitions(partitions, merged), find_partitions(others, merged)


def evaluate_spectrum(partitions, coefficients, schemata, cardinalities):
    """Return the average of a spectrum's function over every schema: a box; a point has one value for every attribute.

    phi(h) = sum over j of w_j times the mean of conj(psi_j) over h, which is zero where j has a digit at a wild-card.
    (The paper's Eq. 3 lacks the minus sign of the conjugate.)
    """
    check_spectrum(partitions, coefficients, cardinalities)
    averages = []
    for schema in unpack(schemata):
        means = [
            [sum(root(-x * j, n) for x in sorted(schema[m])) / len(schema[m]) for j in range(n)]
            if m in schema
            else [1.0] + [0.0] * (n - 1)
            for m, n in enumerate(cardinalities)
        ]
        total = sum(
            w * prod(means[m][digit] for m, digit in enumerate(j))
            for j, w in zip(partitions, coefficients, strict=True)
        )
        averages.append(complex(total).real)
    return averages
