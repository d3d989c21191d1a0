"""Spectra, inner products and averages of trees with multiway nodes: the paper's algorithms, and all points."""

import numpy as np
import pytest
from fourier_samples import (
    CLOSE,
    KINDS,
    PAPER,
    SEEDS,
    domain,
    naive_values,
    random_multiway_tree,
    sample_trees,
    table_of,
)
from hypothesis import given
from support import assert_refuses, examples, on_both_engines

from pytrees import FourierSpectrum, Tree
from pytrees._engine import kernel
from pytrees._tree_checks import MULTIWAY
from pytrees.fourier import gram, tree_from_ensemble
from pytrees.reference.fourier import spectrum as reference


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


@examples(150)
@given(seed=SEEDS, kind=KINDS)
def test_boxes_partition_the_domain(engine, seed, kind):
    _, cardinalities, (tree,) = sample_trees(seed, kind)
    nodes, indptr, attribute, run_indptr, start, stop = leaf_boxes(tree, cardinalities)
    if kind is None:  # cuts leave neighbouring values
        assert run_indptr == list(range(len(attribute) + 1))
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
            assert set(edges) <= set(range(cardinalities[attribute[c]] + 1))
            assert 0 < sum(high - low for low, high in runs) < cardinalities[attribute[c]]
            column = points[:, attribute[c]]
            inside &= np.any([(low <= column) & (column < high) for low, high in runs], axis=0)
        assert attribute[indptr[b] : indptr[b + 1]] == sorted(set(attribute[indptr[b] : indptr[b + 1]]))
        np.testing.assert_array_equal(inside, ends == node)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_engines_find_equal_boxes(seed, kind):
    _, cardinalities, (tree,) = sample_trees(seed, kind)
    compiled, twin = on_both_engines(leaf_boxes, tree, cardinalities)
    assert compiled == twin


def test_unreachable_leaves_have_no_box(engine):
    """x <= 0 first; then, on its left, x <= 1, and on its right x <= 0 once more."""
    tree = Tree(
        [1, 2, -1, -1, 5, -1, -1], [4, 3, -1, -1, 6, -1, -1], [0, 0, -2, -2, 0, -2, -2],
        [0.5, 1.5, -2, -2, 0.5, -2, -2], [1] * 7, np.ones((7, 2)), np.zeros(7), 1,
    )  # fmt: skip
    assert leaf_boxes(tree, [3]) == [[2, 6], [0, 1, 2], [0, 0], [0, 1, 2], [0, 1], [1, 3]]
    assert gram([tree], [3], values=[[0, 0, 1, 5, 0, 7, 2]]) == pytest.approx((1 + 2 * 4) / 3)


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


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_algorithms_of_the_paper(engine, seed, kind):
    """The definition, ExtractFS line by line, its bottom-up form, and what the engine makes of the leaves' boxes."""
    rng, cardinalities, (tree,) = sample_trees(seed, kind, n_attributes=3)
    values = rng.normal(size=tree.node_count)
    node = reference.unfolded(lists_of(tree), values.tolist(), cardinalities.tolist())
    table = table_of(tree, cardinalities, values)
    expected = dense(reference.transform(table.ravel(), cardinalities.tolist()), cardinalities)
    for found in (reference.extract_fs(node, cardinalities), reference.bottom_up(node, cardinalities)):
        np.testing.assert_allclose(dense(found, cardinalities), expected, **CLOSE)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
    np.testing.assert_allclose(tensor_of(spectrum), expected, **CLOSE)


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


def test_categories_beyond_the_cardinality(engine):
    tree = random_multiway_tree(np.random.default_rng(1), [4], 1, **PAPER)
    assert tree.children_left[0] == MULTIWAY
    for call in (FourierSpectrum.from_tree, lambda *a: gram([a[0]], a[1]), lambda *a: tree_from_ensemble([a[0]], a[1])):
        assert_refuses(ValueError, "child for category 3 of feature 0, but its cardinality is 3", call, tree, [3])
