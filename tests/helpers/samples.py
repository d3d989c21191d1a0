"""Data sets, most of them small, and hand-made trees that several test modules share."""

import numpy as np

from pytrees import DecisionTreeRegressor, Tree

NODE_ARRAYS = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")

# Doubles next to each other, in descending order, and zeros of both signs beside the smallest numbers.
NEIGHBOURS = [
    [np.nextafter(value, np.inf), value, np.nextafter(value, -np.inf)]
    for value in (1.0, -1.0, 1e308, -1e308, 2.2250738585072014e-308, 5e-324, -5e-324, 0.0)
]
SMALLEST = [0.0, -0.0, 5e-324, -0.0, -5e-324, 0.0]


def make_classes(n_samples=40, n_features=3, n_classes=3, seed=0):
    """Make overlapping classes in continuous features: no value occurs twice, and all values are exact in float32."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    X = rng.normal(size=(n_samples, n_features)) + 0.8 * y[:, None] * rng.uniform(0.2, 1.0, n_features)
    return X.astype(np.float32).astype(np.float64), y


def make_ties(n_samples=30, n_features=3, n_classes=3, seed=0):
    """Make random classes on a small grid: many rows share values, and many splits gain the same."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_samples, n_features)).astype(np.float64)
    return X, rng.integers(0, n_classes, n_samples)


def stump_arrays(**changes):
    """Make the arguments of `Tree` for one split of two samples at 0.5, some of them changed."""
    arrays = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [0.5, -2.0, -2.0],
        "n_node_samples": [2, 1, 1],
        "value": [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
        "gain": [0.5, 0.0, 0.0],
        "n_features": 1,
    }
    return arrays | changes


def make_stump(**changes):
    return Tree(**stump_arrays(**changes))


def make_stump_of_numbers():
    """Fit a stump of leaves that predict 0.25 and 3.75, of the weights 2 and 4."""
    return DecisionTreeRegressor().fit([[0.0], [1.0], [1.0]], [0.25, 3.0, 4.0], sample_weight=[2, 1, 3])


def without_impurity(tree):
    arrays = {name: getattr(tree, name) for name in ("children_left", "children_right", "feature", "threshold", "gain")}
    arrays |= {name: getattr(tree, name) for name in ("n_node_samples", "value", "weighted_n_node_samples")}
    return Tree(**arrays, n_features=tree.n_features)


def assert_same_numbers(tree, other):
    """Compare all that trees of numbers hold: `==` leaves out impurities and the name of their criterion."""
    assert tree == other
    np.testing.assert_array_equal([tree.impurity, tree.gain], [other.impurity, other.gain])
    assert tree.criterion_name == other.criterion_name


def make_chain(depth):
    """Make the tree of rows 0, 1, ..., depth in alternating classes that splits off the lowest row at every level."""
    n_nodes = 2 * depth + 1
    inner, left = np.arange(0, n_nodes - 1, 2), np.arange(1, n_nodes, 2)
    children_left, children_right, feature = np.full((3, n_nodes), -1)
    children_left[inner], children_right[inner] = inner + 1, inner + 2
    feature[:] = -2
    feature[inner] = 0
    threshold = np.full(n_nodes, -2.0)
    threshold[inner] = np.arange(depth) + 0.5
    n_node_samples = np.ones(n_nodes, dtype=np.int64)
    n_node_samples[inner] = np.arange(depth + 1, 1, -1)
    leaf_value = np.zeros((n_nodes, 2))
    leaf_value[left, np.arange(depth) % 2] = 1.0
    leaf_value[-1, depth % 2] = 1.0
    value = np.cumsum(leaf_value[::-1], axis=0)[::-1].copy()
    value[left] = leaf_value[left]
    return Tree(children_left, children_right, feature, threshold, n_node_samples, value, np.zeros(n_nodes), 1)


def make_multiway_chain(depth):
    """Make the tree of rows whose only feature has category 0 until a leaf is split off at every level."""
    n_nodes = 2 * depth + 1
    inner, leaves = np.arange(0, n_nodes - 1, 2), np.append(np.arange(1, n_nodes, 2), n_nodes - 1)
    children_left, feature, category = np.full((3, n_nodes), -1)
    children_left[inner], category[1::2], category[2::2] = -2, 0, 1
    feature[:] = -2
    feature[inner] = 0
    leaf_value = np.zeros((n_nodes, 2))
    leaf_value[leaves, np.arange(depth + 1) % 2] = 1.0
    value = np.cumsum(leaf_value[::-1], axis=0)[::-1].copy()
    value[leaves] = leaf_value[leaves]
    return Tree(
        children_left,
        children_left,
        feature,
        np.full(n_nodes, -2.0),
        value.sum(axis=1).astype(np.int64),
        value,
        np.zeros(n_nodes),
        1,
        np.concatenate([[0], np.cumsum(2 * (children_left == -2))]),
        np.arange(1, n_nodes),
        category,
    )


def consistent(X, y):
    """Return the labels, those of equal rows made equal."""
    _, group = np.unique(X + 0.0, axis=0, return_inverse=True)
    first = np.unique(group, return_index=True)[1]
    return y[first][group.ravel()]


def columns_of_some_kinds(n_rows, rng, n_features):
    """Draw so many of the features below, in any order and with repeats."""
    kinds = list(columns_of_all_kinds(n_rows, int(rng.integers(2**31))).values())
    return np.column_stack([kinds[i] for i in rng.integers(len(kinds), size=n_features)])


def noisy_labels(X, n_classes, rng, noise=0.2):
    """Draw labels that follow the ranks of the first two features, but for a share of the samples."""
    ranks = X[:, :2].argsort(axis=0, kind="stable").argsort(axis=0).mean(axis=1) / len(X)
    y = np.minimum(ranks * 1.2 * n_classes, n_classes - 1).astype(np.int32)
    return np.where(rng.random(len(X)) < noise, rng.integers(n_classes, size=len(X)), y)


def trees_of(estimator):
    """Return the trees of a forest, or the one of a tree estimator."""
    return [one.tree_ for one in getattr(estimator, "estimators_", [estimator])]


def columns_of_all_kinds(n_rows, seed=0):
    """Return features by a name for the special property of their values."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=n_rows)
    last_bits = rng.integers(3000, size=n_rows)
    outliers = normal.copy()
    outliers[rng.integers(n_rows, size=2)] = 1e308, -1e308
    return {
        "continuous": rng.normal(size=n_rows),
        "32 values": rng.integers(32, size=n_rows) / 8.0,
        "two values": rng.integers(2, size=n_rows) * 1.0,
        "constant": np.full(n_rows, 1.5),
        "mostly zero": np.where(rng.random(n_rows) < 0.9, 0.0, normal),
        "rounded": rng.normal(size=n_rows).round(2),
        "sorted": np.arange(n_rows) * 1.0,
        "skewed": np.exp(8.0 * rng.normal(size=n_rows)),
        # Nearly all values lie in one of the equal parts of the range that say where to look for a value's bin.
        "outliers": outliers,
        "one outlier": np.where(np.arange(n_rows) == n_rows // 3, 1e9, rng.integers(1000, size=n_rows) / 7.0),
        # A range so small that it has no parts.
        "denormals": rng.integers(-3000, 3000, size=n_rows) * 5e-324,
        "zeros of both signs": rng.choice([-0.0, 0.0, 5e-324, -5e-324], size=n_rows),
        # Differences in the last bits, which 32 bits of a key show where the range is so small, and not beside -1.
        "last bits": 1.0 + last_bits * 2.0**-50,
        "last bits and far": np.where(rng.random(n_rows) < 0.01, -1.0, 1.0 + last_bits * 2.0**-52),
        "any magnitude": rng.choice([-1.0, 1.0], size=n_rows) * np.exp2(rng.uniform(-1070.0, 1023.0, size=n_rows)),
    }


def hostile(base):
    """Return a subclass of a class of labels, whose members print as code."""
    methods = ("__repr__", "__str__", "__format__", "replace", "isidentifier", "item", "tolist")
    return type("Hostile", (base,), dict.fromkeys(methods, lambda self, *_: "forged()"))
