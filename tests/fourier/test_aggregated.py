"""Trees rebuilt from one tree, or from an ensemble, as estimators; weights of rows."""

import numpy as np
import pytest
from fourier_samples import SEEDS, Problem, assert_equal_trees
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from support import SKLEARN, assert_refuses, examples, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    FourierSpectrum,
    OrthogonalTreesClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
)
from pytrees.fourier import gram, ordinal_codes


@examples(40)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]), criterion=st.sampled_from(["entropy", "variance"]))
def test_a_tree_rebuilt_from_its_whole_spectrum_is_its_function(seed, n_classes, criterion):
    problem = Problem(seed, n_classes, n_trees=1)
    for options in ({}, {"energy": 1.0}, {"measure": problem.masses}):
        estimator = ReconstructedFourierTree(problem.trees[0], criterion=criterion, **options)
        fitted, reference = on_both_engines(lambda estimator=estimator: problem.fit(clone(estimator)))
        assert_equal_trees(fitted.tree_, reference.tree_)
        np.testing.assert_array_equal(fitted.predict(problem.X), problem.scores.argmax(axis=1))
        np.testing.assert_allclose(fitted.predict_proba(problem.X), problem.scores, atol=1e-12)


@examples(40)
@given(seed=SEEDS, energy=st.floats(0.1, 1.0), max_order=st.sampled_from([None, 0, 1, 2]))
def test_truncated_spectra(seed, energy, max_order):
    problem = Problem(seed)
    estimator = AggregatedFourierTreeClassifier(
        problem.trees, energy=energy, max_order=max_order, max_leaf_nodes=None, criterion="variance"
    )
    fitted = problem.fit(estimator)
    expected = np.zeros(len(problem.X))
    for tree in problem.codes.trees:
        spectrum = FourierSpectrum.from_tree(tree, problem.codes.cardinalities)
        expected += spectrum.truncate(energy=energy, max_order=max_order).evaluate(problem.points) / len(problem.trees)
    np.testing.assert_allclose(fitted.averages_[fitted.apply(problem.X), 0], expected, atol=1e-5)
    clipped = np.clip(expected, 0.0, 1.0)
    np.testing.assert_allclose(fitted.predict_proba(problem.X)[:, 1], clipped, atol=1e-5)
    if max_order == 0:
        assert fitted.get_n_leaves() == 1


@examples(40)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]))
def test_one_tree_of_an_ensemble_is_its_weighted_vote(seed, n_classes):
    problem = Problem(seed, n_classes)
    weights = np.random.default_rng(seed).integers(0, 4, len(problem.trees)) + np.eye(len(problem.trees))[0]
    estimator = AggregatedFourierTreeClassifier(problem.trees, weights=weights, max_leaf_nodes=None)
    fitted, reference = on_both_engines(lambda: problem.fit(clone(estimator)))
    assert_equal_trees(fitted.tree_, reference.tree_)
    votes = np.einsum("t,tqp->pq", weights / weights.sum(), problem.tables)
    scores = np.hstack([1.0 - votes, votes]) if n_classes == 2 else votes
    np.testing.assert_allclose(fitted.predict_proba(problem.X), scores, atol=1e-9)
    np.testing.assert_array_equal(fitted.predict(problem.X), np.round(scores, 9).argmax(axis=1))
    assert fitted.member_node_counts_.tolist() == [tree.node_count for tree in problem.trees]
    bounded = problem.fit(clone(estimator).set_params(max_leaf_nodes=2, max_depth=1))
    assert bounded.get_n_leaves() <= 2


MAKERS = [
    AggregatedFourierTreeClassifier,
    OrthogonalTreesClassifier,
    lambda *args, **kwargs: OrthogonalTreesClassifier(*args, combine="least_squares", center=True, **kwargs),
]
MAKER_NAMES = ["aggregated", "orthogonal", "least_squares"]


@examples(60)
@given(
    seed=SEEDS,
    make=st.sampled_from([*MAKERS, lambda trees, **options: ReconstructedFourierTree(trees[0], **options)]),
    n_classes=st.sampled_from([2, 3]),
    measure=st.sampled_from(["empirical", "joint"]),
)
def test_weighted_samples_are_repeated_samples(seed, make, n_classes, measure):
    """The measure and least squares; the trees have learned already."""
    problem = Problem(seed, n_classes, n_trees=3)
    X, y = problem.X[problem.rows], problem.y
    weights = np.random.default_rng(seed).integers(0, 3, len(X))
    weights[-n_classes:] = 1  # all classes stay
    repeated = np.repeat(np.arange(len(X)), weights)
    estimator = make(problem.trees, measure=measure, max_leaf_nodes=4)
    expected = clone(estimator).fit(X[repeated], y[repeated])
    for fitted in on_both_engines(lambda: clone(estimator).fit(X, y, sample_weight=weights)):
        np.testing.assert_allclose(fitted.predict_proba(problem.X), expected.predict_proba(problem.X), atol=1e-9)
    halves = clone(estimator).fit(X, y, sample_weight=0.5 * weights)
    np.testing.assert_allclose(halves.predict_proba(problem.X), expected.predict_proba(problem.X), atol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        ReconstructedFourierTree(),
        ReconstructedFourierTree(DecisionTreeClassifier(max_depth=2), measure="empirical"),
        AggregatedFourierTreeClassifier(DecisionForestClassifier(3, bootstrap=False, max_depth=2), measure="empirical"),
        OrthogonalTreesClassifier(DecisionForestClassifier(3, bootstrap=False, max_depth=2), combine="least_squares"),
    ],
    ids=repr,
)
def test_ensembles_are_fitted_with_the_sample_weights(engine, estimator):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3, :2], y[::3]
    weights = np.arange(len(X)) % 4
    repeated = np.repeat(np.arange(len(X)), weights)
    estimator = clone(estimator).set_params(random_state=0)
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    expected = clone(estimator).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(weighted.predict_proba(X), expected.predict_proba(X), atol=1e-9)
    unweighted = clone(estimator).fit(X, y)
    assert not np.allclose(weighted.predict_proba(X), unweighted.predict_proba(X))
    np.testing.assert_array_equal(
        clone(estimator).fit(X, y, np.ones(len(X))).predict_proba(X), unweighted.predict_proba(X)
    )


@pytest.mark.parametrize("make", [*MAKERS, ReconstructedFourierTree], ids=[*MAKER_NAMES, "rebuilt"])
def test_weights_that_are_refused(engine, make):
    X, y = load_iris(return_X_y=True)
    X, y = X[::10], y[::10]
    for weights, message in (
        (np.zeros(len(X)), "zero"),
        (-np.ones(len(X)), "[Nn]egative"),
        (np.full(len(X), np.nan), "NaN"),
        (np.ones(3), "shape"),
    ):
        assert_refuses(ValueError, message, make().fit, X, y, sample_weight=weights)
    given = PermutationDecisionTreeClassifier()
    if SKLEARN < (1, 7) and make is not ReconstructedFourierTree:
        return  # there bagging does not draw by weights
    if make is not ReconstructedFourierTree:  # which would be bagged, and bootstrap samples can be weighted
        given = BaggingClassifier(given, 2).set_params(bootstrap=True)
        assert make(given, random_state=0).fit(X, y, sample_weight=np.arange(len(X)) + 1.0).n_classes_ == 3
        return
    with pytest.raises(ValueError, match="PermutationDecisionTreeClassifier has no sample_weight in its fit"):
        make(given).fit(X, y, sample_weight=np.arange(len(X)) + 1.0)


def test_frozen_ensembles_take_weights(engine):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    for make in MAKERS:
        fitted = make(FrozenEstimator(forest), measure="empirical").fit(X, y, sample_weight=np.arange(150.0))
        assert fitted.score(X, y) > 0.9


@pytest.mark.parametrize("make", MAKERS, ids=MAKER_NAMES)
def test_bootstrap_samples_without_a_class(make):
    """Permutation trees are bagged by copies of rows, so that some know fewer classes."""
    X, y = load_iris(return_X_y=True)
    X, y = X[:102:2], np.array(["a", "b", "rare"])[y[:102:2]]
    bagged = BaggingClassifier(PermutationDecisionTreeClassifier(), 5, random_state=0).fit(X, y)
    assert {tree.n_classes_ for tree in bagged.estimators_} == {2, 3}
    fitted = make(FrozenEstimator(bagged), max_leaf_nodes=None).fit(X, y)
    assert fitted.classes_.tolist() == ["a", "b", "rare"]
    if make is AggregatedFourierTreeClassifier:
        votes = np.zeros((len(X), 3))
        for tree in bagged.estimators_:
            votes[np.arange(len(X)), tree.predict(X).astype(int)] += 1.0
        np.testing.assert_allclose(fitted.predict_proba(X), votes / 5, atol=1e-9)


@pytest.mark.parametrize("Forest", [RandomForestClassifier, ExtraTreesClassifier])
def test_scikit_learns_trees_that_grew_best_first(engine, Forest):
    X, y = (array[::3] for array in load_iris(return_X_y=True))
    forest = Forest(4, max_leaf_nodes=6, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    leaves = [tree.apply(codes.transform(X)) for tree in codes.trees]
    shares = np.mean([tree.shares_at(nodes) for tree, nodes in zip(codes.trees, leaves, strict=True)], axis=0)
    np.testing.assert_allclose(shares, forest.predict_proba(X), atol=1e-12)
    rebuilt = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure="empirical", max_leaf_nodes=None)
    fitted = rebuilt.fit(X, y)
    labels = [tree.majority_at(nodes) for tree, nodes in zip(codes.trees, leaves, strict=True)]
    votes = np.mean(np.array(labels)[:, :, None] == range(3), axis=0)
    assert fitted.predict(X).tolist() == votes.argmax(axis=1).tolist()


def test_trees_of_different_classes_are_refused(engine):
    X = [[0], [1], [1], [0]]
    trees = [DecisionTreeClassifier().fit(X, y) for y in (["no", "yes", "yes", "no"], ["yes", "zebra", "zebra", "yes"])]
    assert_refuses(ValueError, "differ in their classes", gram, trees, [2])
    assert_refuses(ValueError, "differ in their classes", FourierSpectrum.from_ensemble, trees, [2])
    assert_refuses(ValueError, "differ in their classes", ordinal_codes, trees)
    assert_refuses(ValueError, "There are no trees", FourierSpectrum.from_ensemble, [], [2])
    for other in (None, 5, "tree"):
        assert_refuses(TypeError, "a list of trees, is expected", ordinal_codes, other)
