"""Parts of a function: its variance by attributes and their interactions, and its profiles.

I. M. Sobol', "Sensitivity estimates for nonlinear mathematical models", 1993; J. H. Friedman, "Greedy function
approximation: a gradient boosting machine", Annals of Statistics 29, 2001, section 8.2 (partial dependence).
"""

from math import prod

from .boxes import overlap, share, unpack, weights_of
from .functions import mean_value, variance


def box_effects(boxes, values, measure):
    """Return the mean, and the variances of first order, total, of pairs of attributes and of all orders.

    The function is the sum of the boxes, each times its row of values; variances are summed over the outputs. Let
    D(set) be the mean product of the function's values at two points that are equal in the attributes of the set, and
    independent in the others. The first-order variance of an attribute is what D gains if the attribute is added to the
    empty set; its total variance is what D gains if the attribute is added to all others.
    """
    boxes, weights = unpack(boxes), weights_of(measure)
    n_attributes = len(weights)
    everything = [set(range(len(of_values))) for of_values in weights]

    def allowed(box, m):
        return box.get(m, everything[m])

    def apart(a, b, m):
        return share(weights[m], allowed(a, m)) * share(weights[m], allowed(b, m))

    def together(a, b, m):
        return share(weights[m], allowed(a, m) & allowed(b, m))

    rows = list(zip(boxes, values, strict=True))
    pairs = [(sum(x * y for x, y in zip(u, v, strict=True)), a, b) for a, u in rows for b, v in rows]

    def mean_square(kept):
        return sum(
            product * prod((together if m in kept else apart)(a, b, m) for m in range(n_attributes))
            for product, a, b in pairs
        )

    numbers = range(n_attributes)
    nothing, whole = mean_square(set()), mean_square(set(numbers))
    first = [mean_square({m}) - nothing for m in numbers]
    total = [whole - mean_square(set(numbers) - {m}) for m in numbers]
    of_pairs = symmetric(lambda m, n: mean_square({m, n}) - nothing - first[m] - first[n], n_attributes)
    by_order = [0.0] * (n_attributes + 1)
    for product, a, b in pairs:
        # The coefficients of the polynomial prod(apart_m + (together_m - apart_m) x); its powers are the orders.
        of_pair = [product]
        for m in numbers:
            alone = apart(a, b, m)
            shared = together(a, b, m) - alone
            of_pair = [alone * x + shared * y for x, y in zip([*of_pair, 0.0], [0.0, *of_pair], strict=True)]
        by_order = [x + y for x, y in zip(by_order, of_pair, strict=True)]
    mean = [sum(value[k] * overlap(box, {}, weights) for box, value in rows) for k in range(len(values[0]))]
    return mean, first, total, of_pairs, by_order


def sample_effects(rows, values, weights):
    """Return the mean, and the variances of first order, total, and of pairs of attributes, and the whole variance.

    Samples of equal values form groups. With groups by one attribute, the variance of the groups' means is its variance
    of first order. With groups by all other attributes, the mean variance in the groups is its total variance.
    """
    samples = [sample for sample in zip(rows, values, weights, strict=True) if sample[2]]
    n_attributes = len(rows[0])
    whole, weight = variance(samples), sum(w for _, _, w in samples)

    def unexplained(attributes):
        groups = {}
        for x, value, w in samples:
            groups.setdefault(tuple(x[m] for m in attributes), []).append((x, value, w))
        return sum(variance(group) * sum(w for _, _, w in group) for group in groups.values()) / weight

    numbers = range(n_attributes)
    first = [whole - unexplained([m]) for m in numbers]
    total = [unexplained([n for n in numbers if n != m]) for m in numbers]
    pairs = symmetric(lambda m, n: whole - unexplained([m, n]) - first[m] - first[n], n_attributes)
    return mean_value(samples), first, total, pairs, whole


def symmetric(of_pair, n):
    """Return the symmetric matrix of of_pair(i, j) for i < j, with zeros on the diagonal."""
    return [[of_pair(min(i, j), max(i, j)) if i != j else 0.0 for j in range(n)] for i in range(n)]


def box_profiles(boxes, values, measure, wanted):
    """Return the means over all attributes but one or two, at every value of these.

    `wanted` has pairs (attribute, other), with the other -1 for one attribute alone.
    """
    boxes, weights = unpack(boxes), weights_of(measure)

    def probability(box, chosen):
        if any(m in box and value not in box[m] for m, value in chosen.items()):
            return 0.0
        return prod(share(weights[m], box[m]) for m in sorted(box) if m not in chosen)

    def average(chosen):
        parts = [(value, probability(box, chosen)) for box, value in zip(boxes, values, strict=True)]
        return [sum(value[k] * part for value, part in parts) for k in range(len(values[0]))]

    return [table(average, [len(of_values) for of_values in weights], *pair) for pair in wanted]


def sample_profiles(boxes, values, rows, weights, cardinalities, wanted):
    """Return the means over weighted samples, with one attribute or two set to each of their values in all samples."""
    boxes = unpack(boxes)

    def value_at(point, k):
        inside = [all(point[m] in allowed for m, allowed in box.items()) for box in boxes]
        return sum(value[k] for value, is_inside in zip(values, inside, strict=True) if is_inside)

    def average(chosen):
        points = [[chosen.get(m, value) for m, value in enumerate(row)] for row in rows]
        return [
            sum(w * value_at(point, k) for point, w in zip(points, weights, strict=True)) / sum(weights)
            for k in range(len(values[0]))
        ]

    return [table(average, cardinalities, *pair) for pair in wanted]


def table(average, cardinalities, attribute, other):
    """Return the average at every value of an attribute, and of the other attribute unless it is -1."""
    if other < 0:
        return [[average({attribute: value})] for value in range(cardinalities[attribute])]
    return [
        [average({attribute: value, other: another}) for another in range(cardinalities[other])]
        for value in range(cardinalities[attribute])
    ]
