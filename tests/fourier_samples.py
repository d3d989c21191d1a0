"""Random trees on codes, and their functions on every point of the domain: the oracle of the Fourier algebra."""

import numpy as np
from hypothesis import strategies as st
from support import LEAF, UNDEFINED

from pytrees import Tree

SEEDS = st.integers(0, 2**32 - 1)


def domain(cardinalities):
    """Every point, in C order."""
    return np.stack(np.unravel_index(np.arange(np.prod(cardinalities)), cardinalities), axis=1)


def random_cardinalities(rng, largest=5, n_attributes=4):
    return rng.integers(1, largest + 1, rng.integers(1, n_attributes + 1))


def random_tree(rng, cardinalities, n_splits=6, n_classes=2):
    """A tree that splits where there are values; features repeat on paths where they have more than two."""
    nodes = []

    def grow(limits, budget):
        number = len(nodes)
        nodes.append([LEAF, LEAF, UNDEFINED, UNDEFINED, rng.integers(0, 4, n_classes) + (rng.random(n_classes) < 0.1)])
        open_attributes = [m for m, (low, high) in enumerate(limits) if high - low > 1]
        if budget and open_attributes:
            m = int(rng.choice(open_attributes))
            low, high = limits[m]
            cut = int(rng.integers(low, high - 1))
            share = int(rng.integers(0, budget))
            nodes[number][2:4] = m, cut + rng.choice([0.0, 0.5])
            nodes[number][0] = grow([*limits[:m], (low, cut + 1), *limits[m + 1 :]], share)
            nodes[number][1] = grow([*limits[:m], (cut + 1, high), *limits[m + 1 :]], budget - 1 - share)
        return number

    grow([(0, int(size)) for size in cardinalities], int(n_splits))
    left, right, feature, threshold, value = zip(*nodes, strict=True)
    value = np.array(value, dtype=np.float64)
    value[value.sum(axis=1) == 0] = 1.0
    n_nodes = len(nodes)
    return Tree(left, right, feature, threshold, np.ones(n_nodes, int), value, np.zeros(n_nodes), len(cardinalities))


def random_trees(rng, cardinalities, n_trees, n_classes=2):
    return [random_tree(rng, cardinalities, rng.integers(0, 8), n_classes) for _ in range(n_trees)]


def naive_values(tree, X, values):
    """What stands at the leaves that rows come to, by a walk from the root."""
    found = []
    for row in X:
        node = 0
        while tree.children_left[node] != LEAF:
            goes_left = row[tree.feature[node]] <= tree.threshold[node]
            node = tree.children_left[node] if goes_left else tree.children_right[node]
        found.append(values[node])
    return np.array(found, dtype=np.float64)


def indicator(tree, class_index=-1):
    """1 at nodes where the class has the majority, the lowest of equal ones."""
    return np.array([float(np.argmax(counts) == class_index % tree.n_classes) for counts in tree.value])


def table_of(tree, cardinalities, values=None):
    """All values of a tree's function."""
    values = indicator(tree) if values is None else values
    return naive_values(tree, domain(cardinalities), values).reshape(tuple(cardinalities))


def random_masses(rng, cardinalities, zeros=False):
    """A product measure, some values perhaps without mass."""
    masses = []
    for size in cardinalities:
        part = rng.random(size) + 0.05
        if zeros and size > 1:
            part[rng.integers(0, size)] = 0.0
        masses.append(part / part.sum())
    return masses


def probabilities(masses):
    """The probability of every point of the domain."""
    joint = np.ones(())
    for part in masses:
        joint = np.multiply.outer(joint, part)
    return joint


def random_schema(rng, cardinalities):
    """A schema with a value, a set of values, or a wild-card for every attribute; and its points as a mask."""
    schema, mask = [], np.ones((), dtype=bool)
    for size in cardinalities:
        kind = rng.integers(0, 3)
        allowed = np.ones(size, dtype=bool)
        if kind:
            allowed[:] = False
            allowed[rng.choice(size, 1 if kind == 1 else rng.integers(1, size + 1), replace=False)] = True
        values = np.flatnonzero(allowed).tolist()
        schema.append(None if kind == 0 else values[0] if kind == 1 else set(values))
        mask = np.logical_and.outer(mask, allowed)
    return schema, mask


def joined(boxes):
    """Boxes, one in each of several groups of arrays, in one group."""
    indptr, attribute, run_indptr, start, stop = zip(*boxes, strict=True)
    lengths = np.concatenate([np.diff(part) for part in run_indptr])
    return (
        np.concatenate([[0], np.cumsum([part[1] for part in indptr])]),
        np.concatenate(attribute),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(start),
        np.concatenate(stop),
    )
