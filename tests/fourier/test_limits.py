"""Limits of rebuilt trees: the minimum confidence, and too many leaves; arguments that are none."""

import numpy as np
import pytest
from fourier_samples import SEEDS, Problem, assert_same_rebuilt, random_cardinalities, random_trees
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, examples, on_both_engines

from pytrees import AggregatedFourierTreeClassifier, DecisionTreeClassifier, FourierSpectrum, OrthogonalTreesClassifier
from pytrees._tree_checks import LEAF
from pytrees.fourier import gram, orthogonal, rebuild, tree_from_ensemble, tree_from_spectra

CONFIDENCES = st.sampled_from([0.4, 0.6, 0.75, 0.9, 1.0])
XOR = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def sample(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, 4, 3)
    return cardinalities, random_trees(rng, cardinalities, 3, n_classes)


def confidence(averages):
    """Return the confidence of every node, as the paper defines it."""
    return np.maximum(averages, 1 - averages)[:, 0] if averages.shape[1] == 1 else averages.max(axis=1)


@examples(100)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]), least=CONFIDENCES)
def test_nodes_of_the_minimum_confidence_are_leaves(engine, seed, n_classes, least):
    """The tree is the one without the limit, cut off where the confidence is reached."""
    cardinalities, trees = sample(seed, n_classes)
    class_index = None if n_classes > 2 else -1
    whole = tree_from_ensemble(trees, cardinalities, class_index=class_index)
    cut = tree_from_ensemble(trees, cardinalities, class_index=class_index, min_confidence=least)
    pairs = [(0, 0)]
    while pairs:
        ours, uncut = pairs.pop()
        np.testing.assert_allclose(cut.averages[ours], whole.averages[uncut], atol=1e-12)
        is_sure = confidence(whole.averages[[uncut]])[0] >= least - 1e-12
        assert (cut.tree.children_left[ours] == LEAF) == (is_sure or whole.tree.children_left[uncut] == LEAF)
        if cut.tree.children_left[ours] != LEAF:
            assert cut.tree.feature[ours] == whole.tree.feature[uncut]
            assert cut.tree.threshold[ours] == whole.tree.threshold[uncut]
            sides = "children_left", "children_right"
            pairs += [(getattr(cut.tree, side)[ours], getattr(whole.tree, side)[uncut]) for side in sides]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("structure", ["separate", "shared"])
def test_trees_of_components_end_at_confident_nodes(structure, center, n_classes):
    """A component whose weights have one sign is a vote of these weights, and has its confidence."""
    problem = Problem(7, n_classes=n_classes)
    options = {"structure": structure, "center": center, "n_components": 1, "max_leaf_nodes": None}
    fitted = [
        problem.fit(OrthogonalTreesClassifier(problem.trees, min_confidence=least, **options))
        for least in (None, 0.75, 1e-6)
    ]
    whole, cut, stump = (model.trees_[0] for model in fitted)
    assert stump.tree.node_count == 1
    assert cut.tree.node_count <= whole.tree.node_count
    weights = fitted[0].components_[0]
    assert (weights >= 0).all() or center
    if not center:
        sure = confidence(cut.averages / weights.sum())
        inner = cut.tree.children_left != LEAF
        assert (sure[inner] < 0.75).all()
    ours, naive = on_both_engines(
        lambda: problem.fit(OrthogonalTreesClassifier(problem.trees, min_confidence=0.75, **options))
    )
    assert_same_rebuilt(ours.trees_[0], naive.trees_[0])


def test_trees_without_limits_are_given_up(engine, monkeypatch):
    problem = Problem(6)
    codes = problem.codes
    n_leaves = tree_from_ensemble(codes.trees, codes.cardinalities).tree.n_leaves
    assert n_leaves > 3
    for module in (rebuild, orthogonal):
        monkeypatch.setattr(module, "MOST_LEAVES", n_leaves)
    assert tree_from_ensemble(codes.trees, codes.cardinalities).tree.n_leaves == n_leaves
    for module in (rebuild, orthogonal):
        monkeypatch.setattr(module, "MOST_LEAVES", n_leaves - 1)
    spectrum = FourierSpectrum.from_ensemble(codes.trees, codes.cardinalities)
    for call in (
        lambda: tree_from_ensemble(codes.trees, codes.cardinalities),
        spectrum.to_tree,
        lambda: problem.fit(AggregatedFourierTreeClassifier(problem.trees, max_leaf_nodes=None)),
        lambda: problem.fit(OrthogonalTreesClassifier(problem.trees, n_components=1.0, max_leaf_nodes=None)),
    ):
        assert_refuses(ValueError, f"more than {n_leaves - 1} leaves, and max_leaf_nodes=None", call)
    # A max_leaf_nodes that is given may exceed the limit.
    assert tree_from_ensemble(codes.trees, codes.cardinalities, max_leaf_nodes=n_leaves).tree.n_leaves == n_leaves


def test_an_additive_spectrum_does_not_explode():
    """A few coefficients of order one on 20 attributes would be a tree of a million leaves."""
    spectrum = FourierSpectrum(np.eye(20, dtype=int), 2.0 ** -np.arange(20.0), [2] * 20)
    with pytest.raises(ValueError, match=r"max_leaf_nodes=None.*max_depth, min_confidence or tol"):
        spectrum.to_tree(criterion="variance")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.truncate(max_order=1.5), "max_order must be a whole number from 0, got 1.5"),
        (lambda s: s.truncate(max_order=True), "max_order must be a whole number"),
        (lambda s: s.truncate(energy=1j), "energy must be a share"),
        (lambda s: s.to_tree(min_confidence=0), r"min_confidence must be a share in \(0, 1\], got 0"),
        (lambda s: s.to_tree(min_confidence=float("nan")), "min_confidence must be a share"),
        (lambda s: s.to_tree(criterion=["entropy"]), "criterion must be one of"),
        (lambda s: s.to_table(memory_limit="1"), "memory_limit must be a number from 0"),
        (lambda s: s.schema_average({0: range(10**9)}), "value 2 for attribute 0; values must be from 0 to 1"),
        (lambda s: FourierSpectrum.from_table([1, 2j]), "table must hold real numbers"),
        (lambda s: FourierSpectrum.from_table(np.array([1, 2 + 0j])), "table must hold real numbers, got complex128"),
        (lambda s: FourierSpectrum.from_table(["1", "2"]), "table must hold real numbers"),
        (lambda s: FourierSpectrum.from_table([[1], [1, 2]]), "table must hold real numbers, in rows of equal"),
        (lambda s: FourierSpectrum.from_table([1e308] * 3), "too large"),
        (lambda s: FourierSpectrum.from_tree(XOR, [2, 2], True), "class_index must be the index of one of 2 classes"),
        (lambda s: FourierSpectrum.from_tree(XOR, [[2], [2, 2]]), "cardinalities must be one whole number"),
        (lambda s: FourierSpectrum.from_tree(XOR, np.array([2, 2], "m8[s]")), "cardinalities must be one whole number"),
        (lambda s: FourierSpectrum.from_tree(XOR, [2, 2], memory_limit=float("nan")), "memory_limit must be a number"),
        (lambda s: FourierSpectrum.from_tree(XOR, [2, 2], values=np.full(7, 1j)), "values must hold real numbers"),
        (lambda s: FourierSpectrum.from_ensemble([XOR], [2, 2], [1j]), "weights must hold real numbers"),
        (lambda s: FourierSpectrum.from_ensemble([XOR], [2, 2], values=5), "values must have an array for every tree"),
        (
            lambda s: FourierSpectrum([[0], [0, 1]], [1, 2], [2]),
            "partitions and coefficients must be arrays of numbers",
        ),
        (lambda s: gram([XOR], [2, 2], measure=[[0.5, 0.5], [1j, 1]]), "measure, for attribute 1, must hold real"),
        (lambda s: gram([XOR], [2, 2], measure=None), "measure must be 'uniform', 'empirical', 'joint'"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    assert_refuses(ValueError, message, call, FourierSpectrum.from_tree(XOR, [2, 2]))


def test_arithmetic_beyond_float64_is_refused():
    spectrum = FourierSpectrum.from_tree(XOR, [2, 2])
    for call in (
        lambda: spectrum * 1e308 * 1e10,
        lambda: spectrum / 5e-324,
        lambda: spectrum * 1e308 * 3 + 1e308 * 1.7,
    ):
        assert_refuses(OverflowError, r"not (be )?finite", call)
    with pytest.raises(ZeroDivisionError):
        spectrum / np.float64(0).item()
    with pytest.raises(TypeError):
        spectrum * 10**400
    assert_refuses(TypeError, "A sequence of FourierSpectrum is expected", tree_from_spectra, spectrum)
