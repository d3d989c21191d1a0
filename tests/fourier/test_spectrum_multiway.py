"""Spectra, inner products and averages of trees with multiway nodes: the paper's algorithms, and all points."""

import numpy as np
import pytest
from fourier_samples import (
    SEEDS,
    domain,
    naive_values,
    probabilities,
    random_cardinalities,
    random_masses,
    random_multiway_tree,
    random_multiway_trees,
    random_schema,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import way
from support import examples, on_both_engines

from pytrees import FourierSpectrum, Tree
from pytrees._engine import kernel
from pytrees.fourier import gram, schema_average, tree_from_ensemble, tree_inner
from pytrees.fourier.spectrum import energy_bounds
from pytrees.reference.fourier import spectrum as reference
from pytrees.tree import MULTIWAY

CLOSE = {"rtol": 0.0, "atol": 1e-12}
PAPER = {"cut": 0.0, "absent": 0.0}
KINDS = st.sampled_from([PAPER, {"cut": 0.0}, {"absent": 0.0}, {}, {"absent": 0.7}, {"sets": True}])


def sample(seed, kind, n_trees=1, n_classes=2, n_attributes=4):
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, n_attributes=n_attributes)
    return rng, cardinalities, random_multiway_trees(rng, cardinalities, n_trees, n_classes, **kind)


def dense(coefficients, cardinalities):
    """All coefficients, from a mapping, as a tensor."""
    tensor = np.zeros(tuple(cardinalities), dtype=np.complex128)
    for partition, coefficient in coefficients.items():
        tensor[partition] = coefficient
    return tensor


def tensor_of(spectrum):
    digits = map(tuple, spectrum.partitions.tolist())
    return dense(dict(zip(digits, spectrum.coefficients, strict=True)), spectrum.cardinalities)


def lists_of(tree):
    names = ("children_left", "feature", "threshold", "child_offsets", "children", "category_offsets", "categories")
    return {name: getattr(tree, name).tolist() for name in names}


def leaf_boxes(tree, cardinalities):
    names = ("children_left", "children_right", "feature", "threshold")
    below = tree.child_offsets, tree.children, tree.category_offsets, tree.categories
    arguments = *(getattr(tree, name) for name in names), np.asarray(cardinalities, dtype=np.int64), *below
    return [np.asarray(part, dtype=np.int64).tolist() for part in kernel("leaf_boxes")(*arguments)]


# ----------------------------------------------------------------------------------------------------------- leaf boxes


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_boxes_partition_the_domain(engine, seed, kind):
    _, cardinalities, (tree,) = sample(seed, kind)
    nodes, indptr, attribute, run_indptr, start, stop = leaf_boxes(tree, cardinalities)
    points = domain(cardinalities)
    ends = naive_values(tree, points, np.arange(tree.node_count))
    assert nodes == np.unique(ends).astype(int).tolist()
    for b, node in enumerate(nodes):
        inside = np.ones(len(points), dtype=bool)
        constraints = range(indptr[b], indptr[b + 1])
        for c in constraints:
            runs = list(
                zip(start[run_indptr[c] : run_indptr[c + 1]], stop[run_indptr[c] : run_indptr[c + 1]], strict=True)
            )
            edges = [edge for run in runs for edge in run]
            assert edges == sorted(set(edges))
            assert 0 < sum(high - low for low, high in runs) < cardinalities[attribute[c]]
            column = points[:, attribute[c]]
            inside &= np.any([(low <= column) & (column < high) for low, high in runs], axis=0)
        assert attribute[indptr[b] : indptr[b + 1]] == sorted(set(attribute[indptr[b] : indptr[b + 1]]))
        np.testing.assert_array_equal(inside, ends == node)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_engines_find_equal_boxes(seed, kind):
    _, cardinalities, (tree,) = sample(seed, kind)
    compiled, twin = on_both_engines(leaf_boxes, tree, cardinalities)
    assert compiled == twin


def test_values_without_a_child_share_one_box(engine):
    """Two of five values have a child; the others stay at the node, also where a cut above leaves fewer values."""
    tree = Tree(
        [-2, -1, -1], [-2, -1, -1], [0, -2, -2], [-2, -2, -2], [1, 1, 1], np.ones((3, 2)), np.zeros(3), 2,
        [0, 2, 2, 2], [1, 2], [-1, 1, 3],
    )  # fmt: skip
    assert leaf_boxes(tree, [5, 2]) == [
        [0, 1, 2],
        [0, 1, 2, 3],
        [0, 0, 0],
        [0, 3, 4, 5],
        [0, 2, 4, 1, 3],
        [1, 3, 5, 2, 4],
    ]
    tree = Tree(
        [1, -2, -1, -1], [3, -2, -1, -1], [0, 0, -2, -2], [1.5, -2, -2, -2], [1] * 4, np.ones((4, 2)), np.zeros(4), 1,
        [0, 2, 3, 3, 3], [1, 3, 2], [-1, -1, 4, -1],
    )  # fmt: skip
    assert leaf_boxes(tree, [5]) == [[1, 3], [0, 1, 2], [0, 0], [0, 1, 2], [0, 2], [2, 5]]
    assert gram([tree], [5], values=[[7, 2, 9, 1]]) == pytest.approx((2 * 4 + 3 * 1) / 5)


# -------------------------------------------------------------------------------------------------------------- spectra


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_algorithms_of_the_paper(engine, seed, kind):
    """The definition, ExtractFS line by line, its bottom-up form, and what the engine makes of the leaves' boxes."""
    rng, cardinalities, (tree,) = sample(seed, kind, n_attributes=3)
    values = rng.normal(size=tree.node_count)
    node = reference.unfolded(lists_of(tree), values.tolist(), cardinalities.tolist())
    table = table_of(tree, cardinalities, values)
    expected = dense(reference.transform(table.ravel(), cardinalities.tolist()), cardinalities)
    for found in (reference.extract_fs(node, cardinalities), reference.bottom_up(node, cardinalities)):
        np.testing.assert_allclose(dense(found, cardinalities), expected, **CLOSE)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
    np.testing.assert_allclose(tensor_of(spectrum), expected, **CLOSE)


@examples(150)
@given(seed=SEEDS, kind=KINDS)
def test_transform_and_its_inverse(engine, seed, kind):
    rng, cardinalities, (tree,) = sample(seed, kind)
    for values in (None, rng.normal(size=tree.node_count)):
        table = table_of(tree, cardinalities, values)
        spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
        np.testing.assert_allclose(tensor_of(spectrum), np.fft.ifftn(table), **CLOSE)
        np.testing.assert_allclose(np.fft.fftn(tensor_of(spectrum)), table, **CLOSE)
        np.testing.assert_allclose(spectrum.evaluate(domain(cardinalities)), table.ravel(), **CLOSE)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_shape_of_a_spectrum(engine, seed, kind):
    """Conjugate symmetric to the bit, nothing beyond the features of a path, and energy as Parseval has it."""
    rng, cardinalities, (tree,) = sample(seed, kind)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=rng.normal(size=tree.node_count))
    tensor = tensor_of(spectrum)
    np.testing.assert_array_equal(tensor, np.roll(np.flip(tensor), 1, range(tensor.ndim)).conj())
    asked = [{tree.feature[node] for node in way(tree, row)} - {-2} for row in domain(cardinalities)]
    assert spectrum.orders[-1] <= max(map(len, asked)) <= tree.max_depth
    assert all(any(set(np.flatnonzero(j)) <= features for features in asked) for j in spectrum.partitions)
    table = table_of(tree, cardinalities)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities)
    assert spectrum.energy == pytest.approx((table**2).mean(), abs=1e-12)
    assert spectrum.energy_by_order().sum() == pytest.approx(spectrum.energy, abs=1e-12)


@examples(60)
@given(seed=SEEDS, kind=KINDS)
def test_engines_agree_on_spectra(seed, kind):
    rng, cardinalities, trees = sample(seed, kind, n_trees=3)
    compiled, twin = on_both_engines(FourierSpectrum.from_ensemble, trees, cardinalities, rng.normal(size=3))
    np.testing.assert_array_equal(compiled.partitions, twin.partitions)
    np.testing.assert_allclose(compiled.coefficients, twin.coefficients, **CLOSE)


@examples(60)
@given(seed=SEEDS, kind=KINDS)
def test_energy_is_below_its_bounds(engine, seed, kind):
    _, cardinalities, (tree,) = sample(seed, kind)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities)
    of_orders_above = np.cumsum(spectrum.energy_by_order()[::-1])[::-1]
    for bounds in energy_bounds(spectrum, tree):
        assert np.all(of_orders_above[1:] <= bounds[1:] + 1e-12)


def test_a_tree_of_the_paper_in_three_values(engine):
    """x_1 has three values. If it is 0 or 2, f is 1 or 4; otherwise f is 0 or 2, by x_0."""
    tree = Tree(
        [-2, -1, -2, -1, -1, -1], [-2, -1, -2, -1, -1, -1], [1, -2, 0, -2, -2, -2], [-2] * 6, [1] * 6,
        np.ones((6, 2)), np.zeros(6), 2, [0, 3, 3, 5, 5, 5, 5], [1, 2, 5, 3, 4], [-1, 0, 1, 0, 1, 2],
    )  # fmt: skip
    values = np.array([0, 1.0, 0, 0.0, 2.0, 4.0])
    spectrum = FourierSpectrum.from_tree(tree, [2, 3], values=values)
    third = np.exp(2j * np.pi / 3)
    expected = {
        (0, 0): 2.0,
        (0, 1): (1 + third + 4 * third**2) / 3,
        (0, 2): (1 + third**2 + 4 * third) / 3,
        (1, 0): -1 / 3,
        (1, 1): -third / 3,
        (1, 2): -(third**2) / 3,
    }
    found = dict(zip(map(tuple, spectrum.partitions.tolist()), spectrum.coefficients, strict=True))
    assert found == pytest.approx(expected)
    node = reference.unfolded(lists_of(tree), values.tolist(), [2, 3])
    assert node == (1, [1.0, (0, [0.0, 2.0]), 4.0])
    assert reference.extract_fs(node, [2, 3]) == pytest.approx(expected)


# ------------------------------------------------------------------------------------------- inner products, averages


@examples(100)
@given(seed=SEEDS, kind=KINDS, zeros=st.booleans())
def test_inner_products(engine, seed, kind, zeros):
    rng, cardinalities, trees = sample(seed, kind, n_trees=3)
    masses = random_masses(rng, cardinalities, zeros)
    joint = probabilities(masses)
    tables = [table_of(tree, cardinalities) for tree in trees]
    expected = [[(joint * f * g).sum() for g in tables] for f in tables]
    found = gram(trees, cardinalities, measure=masses)
    np.testing.assert_allclose(found, expected, **CLOSE)
    assert tree_inner(trees[0], trees[2], cardinalities, measure=masses) == pytest.approx(found[0, 2], abs=1e-12)
    a, b = (FourierSpectrum.from_tree(tree, cardinalities) for tree in trees[:2])
    assert a.inner(b) == pytest.approx(tree_inner(*trees[:2], cardinalities), abs=1e-12)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_schema_averages_three_ways(engine, seed, kind):
    rng, cardinalities, trees = sample(seed, kind, n_trees=2)
    weights = rng.normal(size=2)
    schema, mask = random_schema(rng, cardinalities)
    expected = sum(w * table_of(tree, cardinalities)[mask].mean() for w, tree in zip(weights, trees, strict=True))
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, weights)
    assert spectrum.schema_average(schema) == pytest.approx(expected, abs=1e-12)
    assert schema_average(trees, schema, cardinalities, weights=weights) == pytest.approx(expected, abs=1e-12)


@examples(50)
@given(seed=SEEDS, kind=KINDS)
def test_spectra_of_classes_add_up_to_one(engine, seed, kind):
    _, cardinalities, (tree,) = sample(seed, kind, n_classes=3)
    spectra = [FourierSpectrum.from_tree(tree, cardinalities, class_index) for class_index in range(3)]
    total = sum(spectra[1:], spectra[0])
    np.testing.assert_allclose(total.coefficients, [1.0] + [0.0] * (total.n_coefficients - 1), **CLOSE)


def test_categories_beyond_the_cardinality(engine):
    tree = random_multiway_tree(np.random.default_rng(1), [4], 1, **PAPER)
    assert tree.children_left[0] == MULTIWAY
    for call in (FourierSpectrum.from_tree, lambda *a: gram([a[0]], a[1]), lambda *a: tree_from_ensemble([a[0]], a[1])):
        with pytest.raises(ValueError, match="child for category 3 of feature 0, but its cardinality is 3"):
            call(tree, [3])
