"""Functions that are known at samples: inner products under the samples' joint distribution."""

from ..criteria.counts import add_up


def gram_of_samples(places, values, weights):
    """Return sums of weighted products of the values of all pairs of trees, over samples and outputs.

    Row places[i][t] of `values` has the values of tree t at sample i. (Merz and Pazzani, "A principal components
    approach to combining regression estimates", take the matrix of the predictions on given samples times itself.)
    """
    n_trees = len(places[0]) if places else 0

    def product(tree, other):
        return add_up(
            w * x * y
            for row, w in zip(places, weights, strict=True)
            for x, y in zip(values[row[tree]], values[row[other]], strict=True)
        )

    numbers = range(n_trees)
    return [[product(max(tree, other), min(tree, other)) for other in numbers] for tree in numbers]
