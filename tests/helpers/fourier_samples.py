"""Random trees on codes, and their functions on every point of the domain: the oracle of the Fourier algebra."""

from itertools import combinations, product
from math import factorial

import numpy as np
from hypothesis import strategies as st
from multiway_trees import parts_of, way

from pytrees import Tree
from pytrees._tree_checks import LEAF, MULTIWAY, UNDEFINED
from pytrees.fourier import ordinal_codes

SEEDS = st.integers(0, 2**32 - 1)
CLOSE = {"rtol": 0.0, "atol": 1e-12}
# Keywords of `random_multiway_tree`; None stands for binary trees, PAPER for trees with a child for every value.
PAPER = {"cut": 0.0, "absent": 0.0}
KINDS = st.sampled_from([None, PAPER, {"cut": 0.0}, {"absent": 0.0}, {}, {"absent": 0.7}, {"sets": True}])
LIMITS = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["entropy", "variance"]),
        "max_depth": st.sampled_from([None, None, 0, 1, 2, 3]),
        "max_leaf_nodes": st.sampled_from([None, None, 1, 2, 3, 5, 8, 12]),
        "tol": st.sampled_from([0.0, 0.0, 1e-3, 0.05]),
        "min_confidence": st.sampled_from([None, None, None, 0.4, 0.6, 0.75, 0.75, 0.9, 1.0]),
    }
)
STRUCTURE = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "child_offsets",
    "children",
    "category_offsets",
    "categories",
)


def domain(cardinalities):
    """Return every point, in C order."""
    return np.stack(np.unravel_index(np.arange(np.prod(cardinalities)), cardinalities), axis=1)


def random_cardinalities(rng, largest=5, n_attributes=4):
    return rng.integers(1, largest + 1, rng.integers(1, n_attributes + 1))


def random_tree(rng, cardinalities, n_splits=6, n_classes=2):
    """Make a tree that splits where there are values; features repeat on paths where they have more than two."""
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


def random_multiway_tree(rng, cardinalities, depth=3, n_classes=2, *, cut=0.3, absent=0.3, sets=False):
    """Make a tree with multiway nodes; some splits are cuts, some categories absent, features repeat on paths. With
    `sets` their children have sets of categories.

    Without cuts and absent categories it is as in the paper: a child for every value, a feature once on a path.
    """
    names = ("children_left", "children_right", "feature", "threshold", "value", "category")
    arrays, children, codes_of = {name: [] for name in names}, [], []

    def grow(levels, free, codes):
        number = len(children)
        children.append([])
        codes_of.append(codes)
        category = codes[0] if codes else -1
        counts = rng.integers(0, 4, n_classes) + (rng.random(n_classes) < 0.1)
        counts[0] += not counts.any()
        for name, entry in zip(names, (LEAF, LEAF, UNDEFINED, UNDEFINED, counts, category), strict=True):
            arrays[name].append(entry)
        if not levels or not free or rng.random() < 0.1:
            return number
        m = arrays["feature"][number] = int(rng.choice(sorted(free)))
        below = free if absent else free - {m}
        if cardinalities[m] > 1 and rng.random() < cut:
            arrays["threshold"][number] = rng.integers(0, cardinalities[m] - 1) + rng.choice([0.0, 0.5])
            children[number] = [grow(levels - 1, free, []) for _ in range(2)]
            sides = children[number]
        else:
            codes = np.flatnonzero(rng.random(cardinalities[m]) >= absent)
            codes = codes.tolist() if codes.size else [int(rng.integers(cardinalities[m]))]
            children[number] = [grow(levels - 1, below, part) for part in parts_of(rng, codes, sets)]
            sides = MULTIWAY, MULTIWAY
        arrays["children_left"][number], arrays["children_right"][number] = sides
        return number

    grow(depth, set(range(len(cardinalities))), [])
    n_nodes = len(children)
    return Tree(
        n_node_samples=np.ones(n_nodes, dtype=int),
        gain=np.zeros(n_nodes),
        n_features=len(cardinalities),
        child_offsets=np.cumsum([0, *map(len, children)]),
        children=np.array([child for below in children for child in below], dtype=int),
        category_offsets=np.cumsum([0, *map(len, codes_of)]),
        categories=np.array([code for codes in codes_of for code in codes], dtype=int),
        **arrays,
    )


def random_multiway_trees(rng, cardinalities, n_trees, n_classes=2, **kind):
    return [
        random_multiway_tree(rng, cardinalities, int(rng.integers(0, 4)), n_classes, **kind) for _ in range(n_trees)
    ]


def sample_trees(seed, kind=None, n_trees=1, n_classes=2, largest=5, n_attributes=4):
    """Return a generator, cardinalities, and trees of a kind."""
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, largest, n_attributes)
    if kind is None:
        return rng, cardinalities, random_trees(rng, cardinalities, n_trees, n_classes)
    return rng, cardinalities, random_multiway_trees(rng, cardinalities, n_trees, n_classes, **kind)


def naive_values(tree, X, values):
    """Return the values of the nodes that samples reach, by a walk from the root."""
    return np.array([values[way(tree, row)[-1]] for row in X], dtype=np.float64)


def indicator(tree, class_index=-1):
    """Return 1 at nodes where the class has the majority, the lowest of equal ones."""
    return np.array([float(np.argmax(counts) == class_index % tree.n_classes) for counts in tree.value])


def table_of(tree, cardinalities, values=None):
    """Return all values of a tree's function."""
    values = indicator(tree) if values is None else values
    return naive_values(tree, domain(cardinalities), values).reshape(tuple(cardinalities))


def random_masses(rng, cardinalities, zeros=False):
    """Draw a product measure, some values perhaps without mass."""
    masses = []
    for size in cardinalities:
        part = rng.random(size) + 0.05
        if zeros and size > 1:
            part[rng.integers(0, size)] = 0.0
        masses.append(part / part.sum())
    return masses


def probabilities(masses):
    """Return the probability of every point of the domain."""
    joint = np.ones(())
    for part in masses:
        joint = np.multiply.outer(joint, part)
    return joint


def random_measure(rng, cardinalities, kind):
    """Return arguments of the public functions that name a measure, and its masses."""
    if kind == "masses":
        masses = random_masses(rng, cardinalities, zeros=True)
        return {"measure": masses}, masses
    if kind == "empirical":
        X = rng.integers(0, cardinalities, (7, cardinalities.size))
        columns = zip(X.T, cardinalities, strict=True)
        return {"measure": kind, "X": X}, [np.bincount(column, minlength=size) / len(X) for column, size in columns]
    return {}, [np.full(size, 1 / size) for size in cardinalities]


def last_of_two(shares):
    return shares[:, 1:] if shares.shape[1] == 2 else shares


def beside_thresholds(thresholds, X):
    """Return samples, and numbers at and next to all thresholds in both precisions."""
    extra = np.tile(X[:1], (400, 1))
    for m, cuts in enumerate(thresholds):
        near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), cuts.astype(np.float32)])
        extra[:, m] = np.resize(near, 400) if near.size else extra[:, m]
    return np.concatenate([X, extra])


def random_schema(rng, cardinalities):
    """Draw a schema with a value, a set of values, or a wild-card for every attribute; and its points as a mask."""
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
    """Concatenate boxes, one in each of several groups of arrays, to one group."""
    indptr, attribute, run_indptr, start, stop = zip(*boxes, strict=True)
    lengths = np.concatenate([np.diff(part) for part in run_indptr])
    return (
        np.concatenate([[0], np.cumsum([part[1] for part in indptr])]),
        np.concatenate(attribute),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(start),
        np.concatenate(stop),
    )


class Problem:
    """Random trees of discrete attributes, values for all codes, and the trees' functions on all of them."""

    def __init__(self, seed, n_classes=2, n_trees=4):
        rng = np.random.default_rng(seed)
        self.trees = random_trees(rng, random_cardinalities(rng, largest=4, n_attributes=3), n_trees, n_classes)
        self.codes = ordinal_codes(self.trees)
        self.points = domain(self.codes.cardinalities)
        cuts = self.codes.thresholds
        columns = [
            np.append(part, part[-1] + 1.0 if part.size else 0.0)[self.points[:, m]] for m, part in enumerate(cuts)
        ]
        self.X = np.stack(columns, axis=1)
        labels = rng.integers(0, n_classes, len(self.X))
        self.rows = np.concatenate([np.arange(len(self.X)), np.zeros(n_classes, dtype=int)])
        self.y = np.concatenate([labels, np.arange(n_classes)])
        self.masses = random_masses(rng, self.codes.cardinalities)
        outputs = range(n_classes) if n_classes > 2 else [1]
        says = [naive_values(tree, self.points, tree.value.argmax(axis=1)) for tree in self.codes.trees]
        self.tables = np.array([[np.equal(said, q) for q in outputs] for said in says], dtype=float)  # (tree, q, point)

    def measured(self, name):
        """Return the `measure` of the estimator, and the probabilities of all points."""
        if name == "uniform":
            return name, np.full(len(self.points), 1.0 / len(self.points))
        if name == "masses":
            return self.masses, probabilities(self.masses).ravel()
        sizes = self.codes.cardinalities
        counts = [np.bincount(self.points[self.rows, m], minlength=size) for m, size in enumerate(sizes)]
        return name, probabilities([part / part.sum() for part in counts]).ravel()

    def fit(self, estimator):
        return estimator.fit(self.X[self.rows], self.y)

    @property
    def scores(self):
        """The votes for every class at every point, averaged over the trees."""
        means = self.tables.mean(axis=0).T
        return np.hstack([1.0 - means, means]) if means.shape[1] == 1 else means


def assert_equal_trees(tree, other):
    """Assert the same nodes; probabilities, shares and gains up to rounding."""
    for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)
    for name in ("value", "gain"):
        np.testing.assert_allclose(getattr(tree, name), getattr(other, name), rtol=0.0, atol=1e-12, err_msg=name)


def assert_same_rebuilt(rebuilt, other):
    """Assert the same nodes; numbers up to rounding."""
    for name in STRUCTURE:
        np.testing.assert_array_equal(getattr(rebuilt.tree, name), getattr(other.tree, name), err_msg=name)
    np.testing.assert_allclose(rebuilt.averages, other.averages, **CLOSE)
    for name in ("value", "gain"):
        np.testing.assert_allclose(getattr(rebuilt.tree, name), getattr(other.tree, name), **CLOSE, err_msg=name)


def shapley_by_definition(evaluate, X, background):
    """Return the Shapley values of the mean prediction with some features of a sample and the others of another."""
    n_features = X.shape[1]

    def value(sample, coalition):
        mixed = background.copy()
        mixed[:, list(coalition)] = sample[list(coalition)]
        return evaluate(mixed).mean(axis=0)

    found = np.zeros((*X.shape, evaluate(X).shape[1]))
    for i, feature in product(range(len(X)), range(n_features)):
        others = [m for m in range(n_features) if m != feature]
        for size in range(n_features):
            share = factorial(size) * factorial(n_features - size - 1) / factorial(n_features)
            for coalition in combinations(others, size):
                found[i, feature] += share * (value(X[i], (*coalition, feature)) - value(X[i], coalition))
    return found
