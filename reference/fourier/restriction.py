"""Functions on a schema: their averages over its parts and their energies, from boxes or from a spectrum."""

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


class BoxFunction:
    """The sum of boxes, each times its values, where attribute m has a value from limits[m][0] to limits[m][1] - 1."""

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
        """Return the probability, on the schema, of what boxes have in common."""
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
        """Return the energy of the coefficients that touch an attribute, lost where its values are averaged."""
        return sum(
            product
            * (self.share(m, box, other) - self.share(m, box) * self.share(m, other))
            * prod(self.share(n, box, other) for n in sorted({*box, *other} - {m}))
            for product, box, other in self.pairs()
        )


class SpectrumFunction:
    """A function given by its spectrum, where attribute m has a value from limits[m][0] to limits[m][1] - 1."""

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
