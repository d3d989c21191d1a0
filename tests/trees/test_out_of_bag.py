"""Importances of features from the samples that trees have not seen."""

import numpy as np
import pytest
from samples import make_classes
from sklearn.base import clone

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
)


def mixed_impurity(trained, unseen):
    """Sum, over unseen samples of these classes, how often a class drawn from the training samples is another."""
    shares = trained / trained.sum()
    return sum(count * (1.0 - share) for count, share in zip(unseen, shares, strict=True))


def by_definition(forest, X, codes, weights):
    """Compute the importances node by node, from paths."""
    found = []
    for estimator, seen in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        tree = estimator.tree_
        rows = np.setdiff1d(np.flatnonzero(weights), seen)
        if not len(rows):
            continue
        paths = tree.decision_path(X[rows]).toarray()
        unseen = np.zeros((tree.node_count, forest.n_classes_))
        for path, row in zip(paths, rows, strict=True):
            unseen[path > 0, codes[row]] += weights[row]
        gains = np.zeros(X.shape[1])
        for node in range(tree.node_count):
            children = tree.children[tree.child_offsets[node] : tree.child_offsets[node + 1]]
            if len(children):
                below = sum(mixed_impurity(tree.value[child], unseen[child]) for child in children)
                gone_on = unseen[children].sum(axis=0)
                gains[tree.feature[node]] += mixed_impurity(tree.value[node], gone_on) - below
        found.append(gains / weights[rows].sum())
    return np.mean(found, axis=0)


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionForestClassifier(20, oob_score=True, random_state=0),
        DecisionForestClassifier(20, criterion="etc", oob_score=True, random_state=0, max_depth=3),
        DecisionForestClassifier(20, max_samples=0.3, categorical_features=[0], oob_score=True, random_state=0),
        OrdinalDecisionForestClassifier(20, oob_score=True, random_state=0),
    ],
    ids=lambda estimator: " ".join(repr(estimator).split()),
)
@pytest.mark.parametrize("weighted", [False, True])
def test_importances_follow_their_definition(engine, estimator, weighted):
    X, y = make_classes(n_samples=60)
    X = X.round()
    weights, options = np.ones(len(X)), {}
    if weighted and estimator.criterion != "etc":
        weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
        options = {"sample_weight": weights}
    forest = clone(estimator).fit(X, y, **options)
    coded = X.copy()
    if forest.is_categorical_ is not None:
        seen = np.unique(X[weights > 0, 0])
        coded[:, 0] = np.where(np.isin(X[:, 0], seen), np.searchsorted(seen, X[:, 0]), -1)
    codes = np.searchsorted(forest.classes_, y)
    expected = by_definition(forest, coded, codes, weights)
    np.testing.assert_allclose(forest.unbiased_feature_importances_, expected, rtol=1e-12, atol=1e-13)
    again = clone(forest).set_params(n_jobs=2).fit(X, y, **options)
    assert np.array_equal(again.unbiased_feature_importances_, forest.unbiased_feature_importances_)


def test_trees_whose_unseen_samples_have_no_weight_do_not_count(engine):
    X, y = make_classes(n_samples=9)
    y[:4], weights = [0, 1, 0, 1], np.array([1.0] * 4 + [0.0] * 5)
    forest = DecisionForestClassifier(60, oob_score=True, random_state=0).fit(X, y, sample_weight=weights)
    seen = [len(np.unique(samples)) for samples in forest.estimators_samples_]
    assert 0 < seen.count(4) < 30
    expected = by_definition(forest, X, np.searchsorted(forest.classes_, y), weights)
    np.testing.assert_allclose(forest.unbiased_feature_importances_, expected, rtol=1e-12, atol=1e-13)


def test_a_feature_that_tells_nothing_has_no_importance():
    found, biased = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 100)
        X = np.column_stack([np.where(rng.random(100) < 0.7, y, 1 - y), rng.normal(size=100)])
        forest = DecisionForestClassifier(20, max_features=1, oob_score=True, random_state=seed).fit(X, y)
        found.append(forest.unbiased_feature_importances_)
        biased.append(forest.feature_importances_)
    telling, noise = np.mean(found, axis=0)
    assert abs(noise) < 3 * np.std(found, axis=0)[1] / np.sqrt(len(found))
    assert telling > 5 * abs(noise)
    assert np.mean(biased, axis=0)[1] > 0.5


def test_importances_need_samples_that_were_not_drawn():
    X, y = make_classes(n_samples=40)
    forest = DecisionForestClassifier(20, random_state=0).fit(X, y)
    assert not hasattr(forest, "unbiased_feature_importances_")
    forest.set_params(oob_score=True).fit(X, y)
    assert forest.unbiased_feature_importances_.shape == (X.shape[1],)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "unbiased_feature_importances_")
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest.set_params(oob_score=True, max_samples=5000).fit(X, y)
    assert np.isnan(forest.unbiased_feature_importances_).all()


def test_forests_without_out_of_bag_scores_have_none():
    X, y = make_classes(n_samples=40)
    assert not hasattr(ID3ForestClassifier(2, random_state=0).fit(X, y), "unbiased_feature_importances_")


def test_missing_categories_out_of_bag():
    words = np.array(["a", "b", None, "c"] * 10, dtype=object).reshape(-1, 1)
    y = np.isin(words[:, 0], ["a", "c"])
    forest = DecisionForestClassifier(40, categorical_features=[0], oob_score=True, random_state=0).fit(words, y)
    assert forest.oob_score_ == 1.0


def test_missing_categories_among_numbers_out_of_bag(engine):
    X, y = [[0.0], [1.0], [0.0], [1.0], [np.nan], [np.nan]], [0, 1, 0, 1, 1, 0]
    for cls in (DecisionForestClassifier, OrdinalDecisionForestClassifier, DecisionForestRegressor):
        forest = cls(40, categorical_features=[0], oob_score=True, random_state=0).fit(X, y)
        means = getattr(forest, "oob_decision_function_", None)
        means = forest.oob_prediction_ if means is None else means[:, 1]
        assert np.all(means[[0, 2]] < 0.5)
        assert np.all(means[[1, 3]] > 0.5)
        assert np.isfinite(means[4:]).all()
