"""The joint distribution of samples as a measure: against the predictions on the samples, and against grids."""

import numpy as np
import pytest
from fourier_samples import (
    CLOSE,
    LIMITS,
    SEEDS,
    assert_same_rebuilt,
    domain,
    naive_values,
    random_cardinalities,
    random_multiway_trees,
    random_schema,
    random_trees,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionTreeClassifier, OrthogonalTreesClassifier
from pytrees._engine import kernel
from pytrees.fourier import gram, measures, ordinal_codes, schema_average, tree_from_ensemble, tree_inner
from pytrees.fourier.measures import Samples


def sample(seed, n_trees=3, n_classes=2, *, multiway=False):
    """Random trees, values at their nodes, and samples: repeated ones, and sometimes a single one."""
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, largest=4, n_attributes=3)
    make = random_multiway_trees if multiway else random_trees
    trees = make(rng, cardinalities, n_trees, n_classes)
    values = [rng.integers(-2, 3, (tree.node_count, n_classes - 1)).astype(float) for tree in trees]
    X = rng.integers(0, cardinalities, (int(rng.choice([1, 2, 9])), cardinalities.size))
    return rng, cardinalities, trees, values, X


def functions_at(trees, values, X):
    return np.array([naive_values(tree, X, of_tree) for tree, of_tree in zip(trees, values, strict=True)])


@examples(100)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]), multiway=st.booleans())
def test_gram_equals_the_gram_matrix_of_the_predictions(engine, seed, n_classes, multiway):
    _, cardinalities, trees, values, X = sample(seed, n_classes=n_classes, multiway=multiway)
    at = functions_at(trees, values, X)
    given_ = {"measure": "joint", "X": X}
    np.testing.assert_allclose(
        gram(trees, cardinalities, values=values, **given_), np.einsum("snk,tnk->st", at, at) / len(X), **CLOSE
    )
    np.testing.assert_allclose(
        tree_inner(*trees[:2], cardinalities, values=values[:2], **given_), (at[0] * at[1]).sum() / len(X), **CLOSE
    )


@examples(50)
@given(seed=SEEDS, n_outputs=st.sampled_from([1, 3]))
def test_kernels_of_both_engines_are_equal(seed, n_outputs):
    rng = np.random.default_rng(seed)
    places, values = rng.integers(0, 6, (7, 4)), rng.choice([0.0, 0.0, 1.0, 0.1, -2.5], (6, n_outputs))
    weights = rng.choice([1.0, 2.0, 0.3], 7)
    ours, naive = on_both_engines(lambda: np.asarray(kernel("gram_of_samples")(places, values, weights)))
    np.testing.assert_array_equal(ours, naive)


def test_many_samples_are_taken_in_parts(monkeypatch):
    _, cardinalities, trees, values, X = sample(3)
    X = np.tile(X, (5, 1))
    whole = gram(trees, cardinalities, values=values, measure="joint", X=X)
    monkeypatch.setattr(measures, "_ROWS", 2)
    np.testing.assert_allclose(gram(trees, cardinalities, values=values, measure="joint", X=X), whole, **CLOSE)


@examples(100)
@given(seed=SEEDS)
def test_schema_average_is_a_mean_over_samples(engine, seed):
    rng, cardinalities, trees, values, X = sample(seed)
    schema, mask = random_schema(rng, cardinalities)
    inside = mask[tuple(X.T)]
    weights = rng.normal(size=len(trees))
    arguments = {"weights": weights, "values": values, "measure": "joint", "X": X}
    if not inside.any():
        assert_refuses(ValueError, "has probability zero", schema_average, trees, schema, cardinalities, **arguments)
        return
    at = functions_at(trees, values, X)[:, inside, 0]
    found = schema_average(trees, schema, cardinalities, **arguments)
    np.testing.assert_allclose(found, (weights @ at).mean(), **CLOSE)


@examples(100)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]), multiway=st.booleans(), limits=LIMITS)
def test_engines_rebuild_the_same_tree(seed, n_classes, multiway, limits):
    rng, cardinalities, trees, _, X = sample(seed, n_classes=n_classes, multiway=multiway)
    weights = rng.choice([0.0, 1.0, 2.0, 0.5], len(X))
    weights[0] = 1.0
    class_index = None if n_classes > 2 else -1
    for measure in ({"measure": "joint", "X": X}, {"measure": Samples(X, weights)}):
        ours, naive = on_both_engines(
            lambda measure=measure: tree_from_ensemble(
                trees, cardinalities, class_index=class_index, **measure, **limits
            )
        )
        assert_same_rebuilt(ours, naive)


@examples(100)
@given(seed=SEEDS, criterion=st.sampled_from(["entropy", "variance"]))
def test_tree_without_limits_is_the_function_at_the_samples(engine, seed, criterion):
    _, cardinalities, trees, values, X = sample(seed)
    rebuilt = tree_from_ensemble(
        trees, cardinalities, values=values, weights=[1, 1, 1], measure="joint", X=X, criterion=criterion
    )
    np.testing.assert_allclose(rebuilt.evaluate(X), functions_at(trees, values, X).sum(axis=0), **CLOSE)
    leaves = rebuilt.tree.apply(X.astype(float))
    counts = np.bincount(leaves, minlength=rebuilt.tree.node_count)
    at_leaves = rebuilt.tree.children_left == -1
    np.testing.assert_allclose(rebuilt.tree.value.sum(axis=1)[at_leaves], counts[at_leaves] / len(X), **CLOSE)


@examples(100)
@given(seed=SEEDS, multiway=st.booleans(), limits=LIMITS)
def test_every_point_once_equals_the_uniform_measure(engine, seed, multiway, limits):
    """XOR and other functions where no cut gains anything among them: what an attribute touches is the same."""
    _, cardinalities, trees, _, _ = sample(seed, multiway=multiway)
    points = {"measure": "joint", "X": domain(cardinalities)}
    np.testing.assert_allclose(gram(trees, cardinalities, **points), gram(trees, cardinalities), **CLOSE)
    assert_same_rebuilt(
        tree_from_ensemble(trees, cardinalities, **points, **limits), tree_from_ensemble(trees, cardinalities, **limits)
    )


@pytest.mark.parametrize("center", [False, True])
def test_components_equal_the_principal_components_of_the_predictions(center):
    """Merz and Pazzani's matrix has the same eigenvectors, and exact trees are orthogonal on the samples."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    model = OrthogonalTreesClassifier(
        FrozenEstimator(forest), n_components=3, measure="joint", center=center, max_leaf_nodes=None
    ).fit(X, y)
    predicted = np.array([tree.predict(X) for tree in forest.estimators_])
    predicted = predicted - predicted.mean(axis=1, keepdims=True) * center
    energies, vectors = np.linalg.eigh(predicted @ predicted.T / len(X))
    np.testing.assert_allclose(model.explained_variance_, energies[::-1][:3], atol=1e-10)
    cosines = np.abs(np.sum(model.components_ * vectors[:, ::-1].T[:3], axis=1))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-8)
    np.testing.assert_allclose(model.gram_, np.diag(energies[::-1][:3]), atol=1e-9)
    values = model.evaluate(X)[:, :, 0]
    np.testing.assert_allclose(values, (model.components_ @ predicted).T, atol=1e-9)


def test_shared_structure_is_orthogonal_on_the_samples():
    X, y = load_breast_cancer(return_X_y=True)
    forest = FrozenEstimator(RandomForestClassifier(8, random_state=0).fit(X, y))
    model = OrthogonalTreesClassifier(
        forest, n_components=3, measure="joint", structure="shared", max_leaf_nodes=8
    ).fit(X, y)
    values = model.evaluate(X)[:, :, 0]
    products = values.T @ values / len(X)
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-10)
    np.testing.assert_allclose(model.gram_, products, atol=1e-10)


def test_codes_of_a_forest():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    found = gram(codes.trees, codes.cardinalities, measure="joint", X=codes.transform(X))
    predicted = np.array([tree.predict(X) for tree in forest.estimators_])
    np.testing.assert_array_equal(found, predicted @ predicted.T / len(X))


def test_values_may_be_in_any_order_of_memory(engine):
    trees = [DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])] * 2
    values = np.random.default_rng(0).normal(size=(trees[0].tree_.node_count, 2))
    here = {"measure": "joint", "X": [[0, 1], [1, 1]]}
    expected = gram(trees, [2, 2], values=[values] * 2, **here)
    np.testing.assert_array_equal(gram(trees, [2, 2], values=[np.asfortranarray(values)] * 2, **here), expected)
