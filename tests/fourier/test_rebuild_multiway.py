"""TCFS of categorical attributes: a child for every value, as in the paper; the same with and without spectra."""

import numpy as np
import pytest
from fourier_samples import (
    CLOSE,
    LIMITS,
    SEEDS,
    assert_same_rebuilt,
    domain,
    probabilities,
    random_cardinalities,
    random_masses,
    random_multiway_trees,
    random_trees,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from pytrees import FourierSpectrum, Tree
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.fourier import tree_from_ensemble

CRITERIA = st.sampled_from(["entropy", "variance"])


def sample(seed, n_trees=2, n_classes=2, **kind):
    """Trees, and a mask of attributes to split into values."""
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, 5, 3)
    trees = random_multiway_trees(rng, cardinalities, n_trees, n_classes, **kind)
    return rng, cardinalities, trees, rng.random(cardinalities.size) < 0.6


def entropies(shares):
    shares = np.stack([shares, 1.0 - shares])
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(shares > 0.0, shares * np.log2(shares), 0.0).sum(axis=0)


def naive_tcfs(table, free, tie=1e-9):
    """Fig. 5 from all values of a function: a leaf's value, or (feature, children); ties as `to_tree` breaks them."""
    if not free or np.ptp(table) < tie:
        return float(table.mean())
    others = {m: tuple(k for k in range(table.ndim) if k != m) for m in free}
    averages = {m: table.mean(axis=others[m]) for m in free}
    gains = {m: entropies(table.mean()) - entropies(averages[m]).mean() for m in free}
    if max(gains.values()) < tie:
        touching = {m: (table**2).mean() - (table.mean(axis=m) ** 2).mean() for m in free}
        gains = touching
    best = min(m for m in free if gains[m] > max(gains.values()) - tie)
    parts = [table.take([value], axis=best) for value in range(table.shape[best])]
    return best, [naive_tcfs(part, [m for m in free if m != best]) for part in parts]


def as_nested(rebuilt, node=0):
    tree = rebuilt.tree
    if tree.children_left[node] == LEAF:
        return pytest.approx(rebuilt.averages[node, 0], abs=1e-9)
    return int(tree.feature[node]), [as_nested(rebuilt, int(child)) for child in tree.children_of(node)]


@examples(100)
@given(seed=SEEDS)
def test_the_papers_tree(engine, seed):
    """All attributes categorical, the uniform measure: the tree that Build of Fig. 5 makes."""
    _, cardinalities, trees, _ = sample(seed)
    table = sum(table_of(tree, cardinalities) for tree in trees) / 2
    expected = naive_tcfs(table, [m for m in range(table.ndim) if table.shape[m] > 1])
    everything = range(cardinalities.size)
    rebuilt = FourierSpectrum.from_ensemble(trees, cardinalities).to_tree(categorical_features=everything)
    assert as_nested(rebuilt) == expected
    assert as_nested(tree_from_ensemble(trees, cardinalities, categorical_features=everything)) == expected


def test_xor_of_three_values(engine):
    """Whether two attributes are equal modulo 3: no split gains anything, the third attribute is left out."""
    table = np.zeros((3, 2, 3))
    for a in range(3):
        table[a, :, a] = 1.0
    spectrum = FourierSpectrum.from_table(table)
    rebuilt = spectrum.to_tree(categorical_features=[True, True, True])
    tree = rebuilt.tree
    assert tree.feature.tolist() == [0] + [2, -2, -2, -2] * 3
    assert tree.gain[0] == 0.0
    assert tree.category.tolist() == [-1, 0, 0, 1, 2, 1, 0, 1, 2, 2, 0, 1, 2]
    np.testing.assert_allclose(rebuilt.evaluate(domain(table.shape))[:, 0], table.ravel(), **CLOSE)
    # The tree's own multiway nodes say that these attributes are categorical.
    assert_same_rebuilt(tree_from_ensemble([tree], table.shape, values=[rebuilt.averages]), rebuilt)
    mixed = spectrum.to_tree(categorical_features=[2])
    assert mixed.tree.feature[:2].tolist() == [0, 2]
    assert mixed.tree.threshold[:2].tolist() == [1.5, -2.0]
    np.testing.assert_allclose(mixed.evaluate(domain(table.shape))[:, 0], table.ravel(), **CLOSE)


def test_gains_by_hand(engine):
    """f is 1 at one of three values with one of two: the gain of three children, and of two."""
    table = np.zeros((3, 2))
    table[1, 0] = 1.0
    h = lambda p: float(entropies(np.array(p)))  # noqa: E731
    rebuilt = FourierSpectrum.from_table(table).to_tree(categorical_features=[0, 1])
    assert rebuilt.tree.feature.tolist() == [0, -2, 1, -2, -2, -2]
    np.testing.assert_allclose(rebuilt.tree.gain, [h(1 / 6) - h(0.5) / 3, 0, 1, 0, 0, 0], **CLOSE)
    np.testing.assert_allclose(rebuilt.averages[:, 0], [1 / 6, 0, 0.5, 1, 0, 0], **CLOSE)
    variance = FourierSpectrum.from_table(table).to_tree(categorical_features=[0, 1], criterion="variance")
    np.testing.assert_allclose(variance.tree.gain[:1], [0.25 / 3 - 1 / 36], **CLOSE)
    # Weighted by the masses of the values: 1/2, 1/4, 1/4 of the first attribute.
    weighted = tree_from_ensemble(
        [rebuilt.tree], [3, 2], values=[rebuilt.averages], measure=[[0.5, 0.25, 0.25], [0.5, 0.5]]
    )
    np.testing.assert_allclose(weighted.tree.gain[0], h(1 / 8) - h(0.5) / 4, **CLOSE)


@examples(60)
@given(seed=SEEDS, limits=LIMITS)
def test_two_values_are_split_alike_as_cut_and_as_categories(engine, seed, limits):
    """Trees of attributes with two values differ in the kind of their nodes only."""
    rng = np.random.default_rng(seed)
    cardinalities = np.full(3, 2)
    trees = random_multiway_trees(rng, cardinalities, 2)
    as_categories = tree_from_ensemble(trees, cardinalities, categorical_features=range(3), **limits)
    as_cuts = tree_from_ensemble(trees, cardinalities, categorical_features=[], **limits)
    assert not as_cuts.tree.is_multiway
    for name in ("feature", "child_offsets", "children"):
        np.testing.assert_array_equal(getattr(as_categories.tree, name), getattr(as_cuts.tree, name))
    np.testing.assert_allclose(as_categories.averages, as_cuts.averages, **CLOSE)
    np.testing.assert_allclose(as_categories.tree.gain, as_cuts.tree.gain, **CLOSE)


@examples(120)
@given(seed=SEEDS, multiway=st.booleans())
def test_values_without_mass_have_no_child(engine, seed, multiway):
    rng, cardinalities, trees, mask = sample(seed)
    if not multiway:
        trees, mask = random_trees(rng, cardinalities, 2), []
    masses = random_masses(rng, cardinalities, zeros=True)
    rebuilt = tree_from_ensemble(trees, cardinalities, measure=masses, categorical_features=mask)
    tree, points = rebuilt.tree, domain(cardinalities)
    assert np.all(tree.value.sum(axis=1) > 0.0)
    for node in np.flatnonzero(tree.children_left == MULTIWAY):
        present = np.flatnonzero(masses[tree.feature[node]] > 0.0)
        np.testing.assert_array_equal(tree.category[tree.children_of(node)], present)
        assert present.size > 1
    table = sum(table_of(one, cardinalities) for one in trees).ravel() / 2
    has_mass = probabilities(masses).ravel() > 0.0
    np.testing.assert_allclose(rebuilt.evaluate(points)[has_mass, 0], table[has_mass], **CLOSE)
    # The others stay where they have no child, at the average over what has mass.
    for point, node in zip(points, tree.apply(points), strict=True):
        assert tree.children_left[node] != MULTIWAY or masses[tree.feature[node]][point[tree.feature[node]]] == 0.0
    shares = tree.value.sum(axis=1)
    for node in np.flatnonzero(tree.children_left == MULTIWAY):
        below = tree.children_of(node)
        np.testing.assert_allclose(shares[below].sum(), shares[node], **CLOSE)
        np.testing.assert_allclose(shares[below] @ rebuilt.averages[below, 0] / shares[node], rebuilt.averages[node])


@examples(80)
@given(seed=SEEDS, max_leaf_nodes=st.integers(1, 12), criterion=CRITERIA)
def test_max_leaf_nodes_is_respected(engine, seed, max_leaf_nodes, criterion):
    _, cardinalities, trees, mask = sample(seed)
    how = {"categorical_features": mask, "criterion": criterion}
    full = tree_from_ensemble(trees, cardinalities, **how).tree
    limited = tree_from_ensemble(trees, cardinalities, max_leaf_nodes=max_leaf_nodes, **how).tree
    assert limited.n_leaves <= max_leaf_nodes
    if full.n_leaves <= max_leaf_nodes:
        assert limited == full
    # A part of the full tree from its root, and no split that there is still room for is left out.
    pending = [(0, 0)]
    while pending:
        node, whole = pending.pop()
        if limited.children_left[node] == LEAF:
            n_children = len(full.children_of(whole))
            assert n_children == 0 or limited.n_leaves + n_children - 1 > max_leaf_nodes
        else:
            assert limited.feature[node] == full.feature[whole]
            pending += zip(limited.children_of(node), full.children_of(whole), strict=True)


def test_a_split_that_exceeds_max_leaf_nodes_is_skipped(engine):
    """Four values of attribute 0 gain most; with room for three leaves, nothing is split below its node."""
    table = np.add.outer([0.0, 4.0, 8.0, 12.0], [0.0, 1.0])
    spectrum = FourierSpectrum.from_table(table)
    how = {"criterion": "variance", "categorical_features": [0]}
    assert spectrum.to_tree(max_leaf_nodes=3, **how).tree.n_leaves == 1
    assert spectrum.to_tree(max_leaf_nodes=4, **how).tree.n_leaves == 4
    assert spectrum.to_tree(max_leaf_nodes=6, **how).tree.n_leaves == 6
    # Below a first cut, one side has three values to split into, the other one a cut: that one goes on.
    table = np.zeros((2, 3, 2))
    table[0] = [[0.0, 0.0], [6.0, 6.0], [12.0, 12.0]]
    table[1] = [50.0, 51.0]
    rebuilt = FourierSpectrum.from_table(table).to_tree(
        criterion="variance", categorical_features=[1], max_leaf_nodes=3
    )
    assert rebuilt.tree.feature.tolist() == [0, -2, 2, -2, -2]


def test_which_attributes_are_categorical(engine):
    rng = np.random.default_rng(3)
    cardinalities = [3, 4, 3]
    cuts = random_trees(rng, cardinalities, 3)
    assert not tree_from_ensemble(cuts, cardinalities).tree.is_multiway
    as_indices = tree_from_ensemble(cuts, cardinalities, categorical_features=[1])
    assert as_indices.tree.is_multiway
    assert set(as_indices.tree.feature[as_indices.tree.children_left == MULTIWAY]) == {1}
    assert_same_rebuilt(as_indices, tree_from_ensemble(cuts, cardinalities, categorical_features=[False, True, False]))
    # By default the attributes that the trees' own multiway nodes split by.
    by_default = tree_from_ensemble([*cuts, as_indices.tree], cardinalities)
    assert_same_rebuilt(
        by_default, tree_from_ensemble([*cuts, as_indices.tree], cardinalities, categorical_features=[1])
    )
    assert not tree_from_ensemble([*cuts, as_indices.tree], cardinalities, categorical_features=[]).tree.is_multiway
    spectrum = FourierSpectrum.from_ensemble([as_indices.tree], cardinalities)
    assert not spectrum.to_tree().tree.is_multiway


@pytest.mark.parametrize(
    ("categorical_features", "message"),
    [
        ([3], "from 0 to 2"),
        ([-1], "from 0 to 2"),
        ([0, 0], "more than once"),
        ([True, False], "a mask of 2 values for 3"),
        ("from_dtype", "a mask or indices"),
        (["a"], "no data frame"),
        ([0.5], "sequence of bool, of int"),
        (1, "sequence of bool, int"),
    ],
)
def test_absent_attributes_are_refused(engine, categorical_features, message):
    tree = Tree([-1], [-1], [-2], [-2], [5], [[5.0, 0.0]], [0.0], 3)
    with pytest.raises(ValueError, match=message):
        tree_from_ensemble([tree], [2, 2, 2], categorical_features=categorical_features)
    with pytest.raises(ValueError, match=message):
        FourierSpectrum.from_tree(tree, [2, 2, 2]).to_tree(categorical_features=categorical_features)
