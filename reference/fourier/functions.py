"""Functions on schemata, which a tree is built from: given by boxes, by a spectrum, or by values at samples.

A schema is the box of a node of the tree that is built: for every attribute a range of values. A function on a schema
tells its average, its energy (its variance on the schema), and the energy that touches an attribute. A split restricts
the function to the parts of the schema.
"""

from math import prod

from .boxes import share, unpack, weights_of
from .spectrum import NEGLIGIBLE, root


def restrict(partitions, coefficients, attribute, cardinality, low, high):
    """Restrict spectra to the values low to high - 1 of an attribute, which become 0 to high - low - 1.

    Every old character, on these values, is a sum of the new ones: its own transform gives their coefficients.
    `coefficients` has a column for every output. The first row is of zeros.
    """
    size = high - low
    turns = [
        [
            sum(root(x * new, size) * root(-(low + x) * old, cardinality) for x in range(size)) / size
            for new in range(size)
        ]
        for old in range(cardinality)
    ]
    folded = {}
    for j, row in zip(partitions, coefficients, strict=True):
        for new, turn in enumerate(turns[j[attribute]]):
            key = (*j[:attribute], new, *j[attribute + 1 :])
            folded[key] = [total + w * turn for total, w in zip(folded.get(key, [0j] * len(row)), row, strict=True)]
    negligible = NEGLIGIBLE * max(abs(w) for row in coefficients for w in row)
    kept = [j for j, row in folded.items() if not any(j) or max(map(abs, row)) > negligible]
    return [list(j) for j in kept], [folded[j] for j in kept]


class Function:
    """A function on a schema: attribute m has a value from limits[m][0] to limits[m][1] - 1.

    The measure is the product of the weights weights[m]; a `SampleFunction` has the measure of its samples instead.
    """

    def weight(self, m, low, high):
        """Return the probability of some values of an attribute, among those of the schema."""
        return share(self.weights[m], set(range(low, high))) / share(self.weights[m], set(range(*self.limits[m])))

    def mass(self):
        """Return the probability of the schema."""
        return prod(
            share(weights, set(range(*limits))) for weights, limits in zip(self.weights, self.limits, strict=True)
        )


class BoxFunction(Function):
    """The sum of boxes, each times its values."""

    def __init__(self, boxes, values, weights, limits):
        self.boxes, self.values, self.weights, self.limits = boxes, values, weights, limits

    @classmethod
    def everywhere(cls, boxes, values, measure):
        weights = weights_of(measure)
        return cls(unpack(boxes), values, weights, [(0, len(of_values)) for of_values in weights])

    def restricted(self, attribute, low, high):
        limits = [*self.limits[:attribute], (low, high), *self.limits[attribute + 1 :]]
        return BoxFunction(self.boxes, self.values, self.weights, limits)

    def share(self, m, *boxes):
        """Return the probability, on the schema, of the values of an attribute that all boxes allow."""
        here = set(range(*self.limits[m]))
        return share(self.weights[m], here.intersection(*(box[m] for box in boxes if m in box))) / share(
            self.weights[m], here
        )

    def overlap(self, *boxes):
        """Return the probability, on the schema, of the intersection of boxes."""
        return prod(self.share(m, *boxes) for m in sorted(set().union(*boxes)))

    def average(self):
        return [
            sum(value[k] * self.overlap(box) for box, value in zip(self.boxes, self.values, strict=True))
            for k in range(len(self.values[0]))
        ]

    def pairs(self):
        """Yield every pair of boxes, with the product of their values."""
        for box, value in zip(self.boxes, self.values, strict=True):
            for other, other_value in zip(self.boxes, self.values, strict=True):
                product = sum(x * y for x, y in zip(value, other_value, strict=True))
                if product:
                    yield product, box, other

    def energy(self):
        """Return the energy outside w_0: the variance."""
        mean_square = sum(product * self.overlap(box, other) for product, box, other in self.pairs())
        return mean_square - sum(mean * mean for mean in self.average())

    def touching(self, m):
        """Return the energy of the coefficients that touch an attribute: what is lost if its values are averaged."""
        return sum(
            product
            * (self.share(m, box, other) - self.share(m, box) * self.share(m, other))
            * prod(self.share(n, box, other) for n in sorted({*box, *other} - {m}))
            for product, box, other in self.pairs()
        )


class SpectrumFunction(Function):
    """A function given by its spectrum."""

    def __init__(self, partitions, coefficients, weights, limits):
        self.partitions, self.coefficients, self.weights, self.limits = partitions, coefficients, weights, limits

    @classmethod
    def everywhere(cls, partitions, coefficients, measure):
        weights = weights_of(measure)
        return cls(partitions, coefficients, weights, [(0, len(of_values)) for of_values in weights])

    def restricted(self, attribute, low, high):
        start, stop = self.limits[attribute]
        spectrum = restrict(self.partitions, self.coefficients, attribute, stop - start, low - start, high - start)
        limits = [*self.limits[:attribute], (low, high), *self.limits[attribute + 1 :]]
        return SpectrumFunction(*spectrum, self.weights, limits)

    def average(self):
        return [w.real for w in self.coefficients[0]]

    def energy(self):
        return sum(abs(w) ** 2 for row in self.coefficients[1:] for w in row)

    def touching(self, m):
        return sum(abs(w) ** 2 for j, row in zip(self.partitions, self.coefficients, strict=True) if j[m] for w in row)


class SampleFunction(Function):
    """A function given by its values at the weighted samples that are on the schema."""

    def __init__(self, samples, limits, total):
        self.samples, self.limits, self.total = samples, limits, total

    @classmethod
    def everywhere(cls, rows, values, weights, cardinalities):
        samples = [sample for sample in zip(rows, values, weights, strict=True) if sample[2]]
        return cls(samples, [(0, size) for size in cardinalities], sum(weights))

    def restricted(self, attribute, low, high):
        limits = [*self.limits[:attribute], (low, high), *self.limits[attribute + 1 :]]
        inside = [sample for sample in self.samples if low <= sample[0][attribute] < high]
        return SampleFunction(inside, limits, self.total)

    def weight(self, m, low, high):
        here = sum(w for x, _, w in self.samples if low <= x[m] < high)
        return here / sum(w for _, _, w in self.samples)

    def mass(self):
        return sum(w for _, _, w in self.samples) / self.total

    def average(self):
        return mean_value(self.samples)

    def energy(self):
        return variance(self.samples)

    def touching(self, m):
        """Return the energy that is lost if samples that differ in one attribute at most are averaged."""
        groups = {}
        for x, value, w in self.samples:
            groups.setdefault((*x[:m], *x[m + 1 :]), []).append((x, value, w))
        weights = [sum(w for _, _, w in group) for group in groups.values()]
        parts = zip(groups.values(), weights, strict=True)
        return sum(variance(group) * w for group, w in parts) / sum(weights)


def mean_value(samples):
    """Return the mean value of weighted samples, for every output."""
    total = sum(w for _, _, w in samples)
    return [sum(w * value[k] for _, value, w in samples) / total for k in range(len(samples[0][1]))]


def variance(samples):
    """Return the mean squared distance of weighted samples from their mean."""
    mean, total = mean_value(samples), sum(w for _, _, w in samples)
    distances = [sum((x - center) ** 2 for x, center in zip(value, mean, strict=True)) for _, value, _ in samples]
    return sum(w * distance for (_, _, w), distance in zip(samples, distances, strict=True)) / total
