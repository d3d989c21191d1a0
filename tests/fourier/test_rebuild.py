"""TCFS: the rebuilt tree is the function; with and without spectra, and on both engines, it is the same tree."""

import numpy as np
import pytest
from fourier_samples import (
    CLOSE,
    LIMITS,
    SEEDS,
    assert_same_rebuilt,
    domain,
    indicator,
    random_cardinalities,
    random_masses,
    random_trees,
    sample_trees,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionTreeClassifier, FourierSpectrum, Tree
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.fourier import gram, ordinal_codes, schema_average, tree_from_ensemble, tree_from_spectra


def sample(seed, n_classes=2, multiway=False):
    """Return a generator, cardinalities, two trees, and what to split into categories."""
    rng, cardinalities, trees = sample_trees(seed, {} if multiway else None, 2, n_classes, 4, 3)
    return rng, cardinalities, trees, {"categorical_features": rng.random(cardinalities.size) < 0.6} if multiway else {}


@pytest.mark.parametrize("criterion", ["entropy", "variance"])
def test_nearly_equal_gains_are_ties(engine, criterion):
    """A cut must gain more than the cuts before it by more than 1e-12: otherwise the lowest attribute is split."""
    for more, attribute in ((0.0, 0), (1e-13, 0), (1e-11, 1)):
        # The shares of a class rise by 0.3 along the first attribute, and by as much or more along the second.
        table = 0.2 + 0.3 * np.add.outer([0.0, 1.0], [0.0, 1.0 + more])
        tree = FourierSpectrum.from_table(table).to_tree(criterion=criterion, max_leaf_nodes=2).tree
        assert tree.feature[0] == attribute
    equal = FourierSpectrum.from_table(np.bitwise_xor.outer([0, 1], [0, 1])).to_tree(criterion=criterion).tree
    assert (equal.feature[0], equal.gain[0]) == (0, 0.0)


def siblings_differ(rebuilt):
    """Whether no two leaves side by side are the same constant."""
    left, right = rebuilt.tree.children_left, rebuilt.tree.children_right
    last = [n for n in range(len(left)) if left[n] != LEAF and left[left[n]] == LEAF and left[right[n]] == LEAF]
    return bool(np.all(np.abs(rebuilt.averages[left[last]] - rebuilt.averages[right[last]]) > 1e-9))


@examples(140)
@given(seed=SEEDS, criterion=st.sampled_from(["entropy", "variance"]), multiway=st.booleans())
def test_tree_of_a_full_spectrum_is_the_function(engine, seed, criterion, multiway):
    rng, cardinalities, trees, how = sample(seed, multiway=multiway)
    weights = rng.choice([0.25, 0.5, 1.0], 2)
    table = sum(w * table_of(tree, cardinalities) for w, tree in zip(weights, trees, strict=True))
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, weights)
    for rebuilt in (
        spectrum.to_tree(criterion=criterion, **how),
        tree_from_ensemble(trees, cardinalities, weights=weights, criterion=criterion, **how),
    ):
        np.testing.assert_allclose(rebuilt.evaluate(domain(cardinalities))[:, 0], table.ravel(), **CLOSE)
        if multiway:
            tree, mask = rebuilt.tree, how["categorical_features"]
            inner = np.flatnonzero(tree.children_left != LEAF)
            np.testing.assert_array_equal(tree.children_left[inner] == MULTIWAY, mask[tree.feature[inner]])
            for node in inner[mask[tree.feature[inner]]]:
                values = np.arange(cardinalities[tree.feature[node]])
                np.testing.assert_array_equal(tree.category[tree.children_of(node)], values)
            continue
        assert siblings_differ(rebuilt)
        again = FourierSpectrum.from_tree(rebuilt.tree, cardinalities, values=rebuilt.averages[:, 0])
        np.testing.assert_allclose((again - spectrum).coefficients, 0.0, **CLOSE)


@examples(100)
@given(seed=SEEDS)
def test_averages_equal_the_means_of_parts_of_the_table(engine, seed):
    """Spectra of several functions, restricted on the way down."""
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, largest=6, n_attributes=3)
    tables = rng.integers(0, 3, (rng.integers(1, 3), *cardinalities)).astype(float)
    spectra = [FourierSpectrum.from_table(table) for table in tables]
    rebuilt = tree_from_spectra(spectra, criterion="variance", max_depth=3)
    leaves = rebuilt.tree.apply(domain(cardinalities).astype(float))
    for leaf in np.unique(leaves):
        parts = tables.reshape(len(tables), -1)[:, leaves == leaf]
        np.testing.assert_allclose(rebuilt.averages[leaf], parts.mean(axis=1), **CLOSE)


# Folding looks partitions up in a table of hashes, of 4 slots for 2 partitions, 8 for 4 and so on.
@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 16, 17, 33])
def test_engines_agree_at_all_sizes_of_the_spectrum(n_rows):
    rng = np.random.default_rng(n_rows)
    rows = np.concatenate(
        [np.zeros((1, 6), int), 1 + rng.permutation(63)[: n_rows - 1, np.newaxis] >> np.arange(6) & 1]
    )
    spectrum = FourierSpectrum(rows, rng.normal(size=n_rows), [2] * 6)
    assert len(spectrum.partitions) == n_rows
    assert_same_rebuilt(*on_both_engines(lambda: spectrum.to_tree(criterion="variance", max_leaf_nodes=8)))


@pytest.mark.parametrize(("cardinality", "dtype"), [(128, np.int8), (129, np.int16), (32769, np.int32)])
def test_digits_of_all_types(cardinality, dtype):
    spectrum = FourierSpectrum([[0, 0], [1, 0]], [0.5, -0.5], [2, cardinality])
    assert spectrum.partitions.dtype == dtype
    rebuilt = spectrum.to_tree()
    assert rebuilt.tree.feature.tolist() == [0, -2, -2]
    assert rebuilt.averages.tolist() == [[0.5], [0.0], [1.0]]


def parity(n_attributes, signs=False):
    table = np.indices((2,) * n_attributes).sum(axis=0) % 2
    return 1.0 - 2.0 * table if signs else table.astype(float)


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("criterion", ["entropy", "variance"])
def test_xor(engine, criterion, signs):
    """No cut gains anything; the energy finds the attributes, and leaves the third one out."""
    table = np.repeat(parity(2, signs)[:, np.newaxis, :], 3, axis=1)
    spectrum = FourierSpectrum.from_table(table)
    rebuilt = spectrum.to_tree(criterion=criterion)
    np.testing.assert_allclose(rebuilt.evaluate(domain(table.shape))[:, 0], table.ravel(), **CLOSE)
    if criterion == "variance" or not signs:
        assert rebuilt.tree.feature.tolist() == [0, 2, LEAF - 1, LEAF - 1, 2, LEAF - 1, LEAF - 1]
        assert rebuilt.tree.gain[0] == 0.0
    given = {"values": [rebuilt.averages], "criterion": criterion}
    for measure in ({}, {"measure": "joint", "X": domain(table.shape)}):
        assert_same_rebuilt(tree_from_ensemble([rebuilt.tree], table.shape, **given, **measure), rebuilt)


def test_function_of_zeros_and_xor(engine):
    """Noise of folded coefficients is not split, where every average is zero."""
    table = np.stack([np.zeros((3, 3)), np.pad(parity(2, signs=True), (0, 1))])
    rebuilt = FourierSpectrum.from_table(table).to_tree(criterion="variance")
    np.testing.assert_allclose(rebuilt.evaluate(domain(table.shape))[:, 0], table.ravel(), **CLOSE)
    assert siblings_differ(rebuilt)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_additive_function_of_any_magnitude(engine, scale):
    """Categories need one node where thresholds need several."""
    table = scale * np.add.outer([0.0, 3.0, 1.0, 2.0], np.add.outer([0.0, 10.0], np.zeros(3)))
    spectrum, points = FourierSpectrum.from_table(table), domain(table.shape)
    by_cuts, by_categories = (
        spectrum.to_tree(criterion="variance", categorical_features=features) for features in (None, [0, 2])
    )
    for rebuilt in (by_cuts, by_categories):
        np.testing.assert_allclose(rebuilt.evaluate(points)[:, 0], table.ravel(), rtol=0, atol=1e-12 * scale)
    assert by_cuts.tree.n_leaves == 8
    assert by_cuts.tree.feature[0] == 1  # it explains 25 of 26.25
    assert set(by_cuts.tree.feature.tolist()) == {0, 1, -2}
    assert by_categories.tree.feature.tolist() == [1] + [0, -2, -2, -2, -2] * 2


POWERS = [-1000, -601, -300, -299, 299, 300, 530, 1015]
POINTS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def three_trees():
    return [DecisionTreeClassifier().fit(POINTS, y) for y in ([0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0])]


@pytest.mark.parametrize("measure", [{}, {"measure": "joint", "X": POINTS}], ids=["uniform", "joint"])
def test_trees_do_not_depend_on_the_scale_of_weights(engine, measure):
    def built(factor, tol=0.0):
        weights = factor * np.array([1.0, 0.5, 3.0])
        return tree_from_ensemble(three_trees(), [2, 2], weights=weights, criterion="variance", tol=tol, **measure)

    of_one = built(1.0)
    assert of_one.tree.n_leaves == 4
    assert 1 < built(1.0, 2.0).tree.n_leaves < 4
    for power in POWERS:
        scaled = built(2.0**power)
        np.testing.assert_array_equal(scaled.tree.feature, of_one.tree.feature)
        np.testing.assert_array_equal(scaled.averages, np.ldexp(of_one.averages, power))
        with np.errstate(over="ignore"):
            gain = np.minimum(np.ldexp(of_one.tree.gain, 2 * power), np.finfo(float).max)
            tol = np.ldexp(2.0, 2 * power)
        np.testing.assert_array_equal(scaled.tree.gain, gain)
        if 0.0 < tol < np.inf:
            assert built(2.0**power, tol).tree.n_leaves == built(1.0, 2.0).tree.n_leaves
    for weight in (1e-162, 1e160, 5e-324, 1e307, -1e160):
        assert built(weight).tree.n_leaves == 4


def test_shares_beside_extreme_weights(engine):
    """The entropy is of shares as they are: none gains anything, and the energy decides."""
    for weight in (1e-162, 1e160, 5e-324, 1e307):
        rebuilt = tree_from_ensemble(three_trees(), [2, 2], weights=[weight, weight, 3 * weight])
        assert rebuilt.tree.n_leaves == 4
        assert rebuilt.tree.gain.tolist() == [0.0] * 7
    assert tree_from_ensemble(three_trees(), [2, 2], weights=[1e-162] * 3, min_confidence=0.9).tree.n_leaves == 1
    # The share of the root is a half, the shares of its children are 0 and 1 after they are cut off.
    trees = [DecisionTreeClassifier().fit(POINTS, y) for y in ([0, 0, 1, 1], [0, 1, 0, 1])]
    values = [[0.0, -1e150, 1e150], [0.0, 0.5, 0.5]]
    assert tree_from_ensemble(trees, [2, 2], weights=[1.0, 1.0], values=values).tree.gain[0] == 1.0


def test_sums_beyond_float64_are_refused(engine):
    trees = three_trees()
    tens = [[10.0] * tree.tree_.node_count for tree in trees]
    for options in ({}, {"values": tens}):
        with pytest.raises(ValueError, match=r"beyond the range of float64, 1\.8e308"):
            tree_from_ensemble(trees, [2, 2], weights=[1e308] * 3, **options)


def test_spectra_of_any_scale(engine):
    spectrum = FourierSpectrum.from_table([[0.0, 1.0, 1.0], [4.0, 2.0, 1.0]])
    trees = [spectrum.to_tree(criterion="variance"), tree_from_spectra([spectrum, spectrum * 2], criterion="variance")]
    for power in POWERS:
        scaled = spectrum * 2.0**power
        others = [scaled.to_tree(criterion="variance"), tree_from_spectra([scaled, scaled * 2], criterion="variance")]
        for other, one in zip(others, trees, strict=True):
            np.testing.assert_array_equal(other.averages, np.ldexp(one.averages, power))
        for energy in (0.1, 0.5, 0.9, 0.999):
            kept, of_one = scaled.truncate(energy=energy), spectrum.truncate(energy=energy)
            np.testing.assert_array_equal(kept.partitions, of_one.partitions)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(scaled.energy_by_order(), np.ldexp(spectrum.energy_by_order(), 2 * power))
            assert scaled.inner(scaled) == np.ldexp(spectrum.inner(spectrum), 2 * power)
        assert scaled.inner(spectrum) == np.ldexp(spectrum.inner(spectrum), power)


def test_constant_function(engine):
    for constant in (0.0, 0.25, -3.0):
        rebuilt = FourierSpectrum.from_table(np.full((2, 3), constant)).to_tree()
        assert rebuilt.tree.node_count == 1
        assert rebuilt.averages.tolist() == [[constant]]
    tree = Tree([-1], [-1], [-2], [-2], [5], [[5.0, 0.0]], [0.0], 2)
    assert tree_from_ensemble([tree, tree], [2, 3]).averages.tolist() == [[0.0]]


def test_gains_by_hand(engine):
    """f is 1 on a quarter of two bits: H(1/4) - H(1/2) / 2 bits for either, then 1 bit."""
    rebuilt = FourierSpectrum.from_table([[0.0, 0.0], [0.0, 1.0]]).to_tree()
    entropy = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    assert rebuilt.tree.feature.tolist() == [0, -2, 1, -2, -2]
    np.testing.assert_allclose(rebuilt.tree.gain, [entropy - 0.5, 0, 1, 0, 0], **CLOSE)
    np.testing.assert_allclose(rebuilt.averages[:, 0], [0.25, 0, 0.5, 0, 1], **CLOSE)
    np.testing.assert_allclose(
        rebuilt.tree.value, [[0.75, 0.25], [0.5, 0], [0.25, 0.25], [0.25, 0], [0, 0.25]], **CLOSE
    )
    variance = FourierSpectrum.from_table([[0.0, 0.0], [0.0, 1.0]]).to_tree(criterion="variance")
    np.testing.assert_allclose(variance.tree.gain, [1 / 16, 0, 1 / 4, 0, 0], **CLOSE)


@examples(180)
@given(seed=SEEDS, limits=LIMITS, multiway=st.booleans())
def test_with_and_without_spectra(engine, seed, limits, multiway):
    rng, cardinalities, trees, how = sample(seed, multiway=multiway)
    limits = limits | how
    weights = rng.choice([0.25, 0.5, 1.0], 2)
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, weights)
    assert_same_rebuilt(spectrum.to_tree(**limits), tree_from_ensemble(trees, cardinalities, weights=weights, **limits))


@examples(140)
@given(seed=SEEDS, limits=LIMITS, multiway=st.booleans())
def test_engines_agree(seed, limits, multiway):
    rng, cardinalities, trees, how = sample(seed, multiway=multiway)
    measure = [random_masses(rng, cardinalities, zeros=True), "uniform"][rng.integers(0, 2)]
    assert_same_rebuilt(*on_both_engines(tree_from_ensemble, trees, cardinalities, measure=measure, **limits))
    limits = limits | how
    assert_same_rebuilt(*on_both_engines(tree_from_ensemble, trees, cardinalities, measure=measure, **limits))
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities)
    assert_same_rebuilt(*on_both_engines(spectrum.to_tree, **limits))
    truncated = spectrum.truncate(energy=0.8)
    assert_same_rebuilt(*on_both_engines(truncated.to_tree, **limits))


@examples(80)
@given(seed=SEEDS, limits=LIMITS, multiway=st.booleans())
def test_several_classes(engine, seed, limits, multiway):
    _, cardinalities, trees, how = sample(seed, 3, multiway)
    limits = limits | how
    spectra = [FourierSpectrum.from_ensemble(trees, cardinalities, class_index=k) for k in range(3)]
    rebuilt = tree_from_spectra(spectra, **limits)
    assert_same_rebuilt(rebuilt, tree_from_ensemble(trees, cardinalities, class_index=None, **limits))
    np.testing.assert_allclose(rebuilt.averages.sum(axis=1), 1.0, **CLOSE)
    np.testing.assert_allclose(rebuilt.tree.shares, rebuilt.averages, **CLOSE)
    if [limits[name] for name in ("max_depth", "max_leaf_nodes", "min_confidence", "tol")] == [None, None, None, 0.0]:
        shares = np.stack(
            [sum(table_of(t, cardinalities, indicator(t, k)) for t in trees).ravel() / 2 for k in range(3)], axis=1
        )
        np.testing.assert_allclose(rebuilt.evaluate(domain(cardinalities)), shares, **CLOSE)


@examples(60)
@given(seed=SEEDS)
def test_averages_are_schema_averages(engine, seed):
    rng, cardinalities, trees, _ = sample(seed)
    masses = random_masses(rng, cardinalities)
    rebuilt = tree_from_ensemble(trees, cardinalities, measure=masses, max_leaf_nodes=5)
    limits = {0: [(0, size) for size in cardinalities]}
    tree = rebuilt.tree
    for node in range(tree.node_count):
        schema = {m: set(range(low, high)) for m, (low, high) in enumerate(limits[node])}
        average = schema_average(trees, schema, cardinalities, measure=masses)
        assert rebuilt.averages[node, 0] == pytest.approx(average, abs=1e-12)
        if tree.children_left[node] != LEAF:
            m, cut = tree.feature[node], int(np.floor(tree.threshold[node])) + 1
            low, high = limits[node][m]
            for child, part in ((tree.children_left[node], (low, cut)), (tree.children_right[node], (cut, high))):
                limits[child] = [*limits[node]]
                limits[child][m] = part


def test_best_first_and_its_limits(engine):
    """The nodes of greatest gain times probability; every limit is kept, and the rest of the tree is a part of more."""
    rng = np.random.default_rng(1)
    trees = random_trees(rng, [3, 3, 3], 3)
    full = tree_from_ensemble(trees, [3, 3, 3]).tree
    assert full.n_leaves > 5
    for n_leaves in range(1, 6):
        assert tree_from_ensemble(trees, [3, 3, 3], max_leaf_nodes=n_leaves).tree.n_leaves == n_leaves
    for depth in range(4):
        assert tree_from_ensemble(trees, [3, 3, 3], max_depth=depth).tree.max_depth == min(depth, full.max_depth)
    as_limited = tree_from_ensemble(trees, [3, 3, 3], max_leaf_nodes=1000)
    assert_same_rebuilt(as_limited, tree_from_ensemble(trees, [3, 3, 3]))


@examples(50)
@given(seed=SEEDS, tol=st.sampled_from([0.0, 0.01, 0.05, 0.3]))
def test_leaves_have_at_most_the_tolerated_variance(engine, seed, tol):
    _, cardinalities, trees, _ = sample(seed)
    rebuilt = tree_from_ensemble(trees, cardinalities, tol=tol)
    points = domain(cardinalities)
    f = sum(table_of(tree, cardinalities) for tree in trees).ravel() / 2
    leaves = rebuilt.tree.apply(points)
    for leaf in np.unique(leaves):
        assert f[leaves == leaf].var() <= tol + 1e-12
    parents = set(range(rebuilt.tree.node_count)) - set(leaves.tolist())
    assert all(rebuilt.tree.children_left[node] != LEAF for node in parents)


def test_breast_cancer():
    """A scikit-learn forest becomes one tree that says almost the same; the energies of bounded trees fall."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    rows = codes.transform(X)
    arguments = {"measure": "empirical", "X": rows}
    products = gram(codes.trees, codes.cardinalities, **arguments)
    mean_square = products.mean()
    errors = []
    for n_leaves in (1, 4, 16, 64):
        rebuilt = tree_from_ensemble(codes.trees, codes.cardinalities, max_leaf_nodes=n_leaves, **arguments)
        # The averages are the projection on the leaves: the error is the missing energy.
        leaves = rebuilt.tree.children_left == LEAF
        masses = rebuilt.tree.value.sum(axis=1)
        errors.append(mean_square - (masses * rebuilt.averages[:, 0] ** 2)[leaves].sum())
    assert np.all(np.diff(errors) < 0)
    assert errors[-1] > -1e-12
    assert (rebuilt.tree.predict(rows) == forest.predict(X)).mean() > 0.93


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"criterion": "gini"}, "criterion must be"),
        ({"tol": -1.0}, "tol must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"max_depth": -1}, "max_depth must be"),
        ({"max_depth": 1.5}, "max_depth must be"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes must be"),
        ({"max_leaf_nodes": True}, "max_leaf_nodes must be"),
    ],
)
def test_invalid_limits_are_refused(engine, limits, message):
    tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    assert_refuses(ValueError, message, tree_from_ensemble, [tree], [2], **limits)
    assert_refuses(ValueError, message, FourierSpectrum.from_tree(tree, [2]).to_tree, **limits)


def test_spectra_of_different_domains_are_refused(engine):
    assert_refuses(ValueError, "no spectra", tree_from_spectra, [])
    with pytest.raises(ValueError, match="different domains"):
        tree_from_spectra([FourierSpectrum([[0]], [1.0], [2]), FourierSpectrum([[0]], [1.0], [3])])
