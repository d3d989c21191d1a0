"""Weights near the ends of the range of float64, and very different ones: both engines fit, and grow the same trees."""

import numpy as np
import pytest
from samples import trees_of
from support import on_both_engines

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    Tree,
)
from pytrees.criteria import RankingImpurity

N_ROWS = 11
SCALES = {
    "from_the_least_to_1": np.geomspace(5e-324, 1.0, N_ROWS),
    "from_1e-10_to_1e200": np.geomspace(1e-10, 1e200, N_ROWS),
    "over_the_whole_range": np.geomspace(5e-324, 1e300, N_ROWS),
    "the_least": np.full(N_ROWS, 5e-324),
    "small_multiples_of_the_least": 5e-324 * (1.0 + np.arange(N_ROWS) % 3),
    "small": np.geomspace(1e-170, 2e-170, N_ROWS),
    "large": np.geomspace(1e160, 2e160, N_ROWS),
    "of_a_sum_near_the_greatest": np.full(N_ROWS, np.finfo(np.float64).max / (32 * N_ROWS)),
    "whole_beyond_the_table": np.full(N_ROWS, 2.0**32),
}
VARIATIONS = ("nvi", "nvi_sum", "nvi_max", "vi")
CRITERIA = ("gini", "entropy", "ogini", "wig", "gain_ratio", *VARIATIONS, "jaccard", "accuracy", "mae")
DISTANCES = ("information_gain", "gain_ratio", *VARIATIONS, "gini", "jaccard", "accuracy", "mae")
ESTIMATORS = [
    *(DecisionTreeClassifier(criterion) for criterion in CRITERIA),
    *(DecisionTreeClassifier(criterion, max_leaf_nodes=5, categorical_features=[0]) for criterion in CRITERIA),
    DecisionForestClassifier(3, criterion="entropy", random_state=0),
    OrdinalDecisionTreeClassifier(predict_rule="expected"),
    *(ID3Classifier(distance) for distance in DISTANCES),
    *(ID3Classifier(distance, stop="no_decrease", categorical_features=[0]) for distance in DISTANCES),
    ID3ForestClassifier(3, distance="gini", random_state=0),
    OptimalTreeClassifier(max_depth=2),
    OptimalTreeClassifier(max_depth=2, alpha=0.01, cost_matrix="absolute", categorical_features=[0]),
    C45Classifier(min_samples_leaf=1),
    C45Classifier(confidence=None, categorical_features=[0]),
]


def samples(seed):
    rng = np.random.default_rng(seed)
    X = np.arange(3 * N_ROWS).reshape(3, N_ROWS).T % 7 + rng.integers(0, 9, size=(N_ROWS, 3)) * 7.0
    X[:, 0] %= 4
    return X, rng.integers(0, 3, N_ROWS), rng.permutation(N_ROWS)


@pytest.mark.filterwarnings("ignore:Equal samples")
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: " ".join(repr(estimator).split()))
def test_both_engines_grow_the_same_trees(estimator, scale, seed):
    X, y, order = samples(seed)

    def fit(X, y, weights):
        fitted = estimator.fit(X, y, sample_weight=weights)
        return trees_of(fitted), fitted.predict_proba(X), fitted.feature_importances_

    compiled, reference = on_both_engines(fit, X, y, SCALES[scale][order])
    assert compiled[0] == reference[0]
    for results in (compiled, reference):
        assert np.all(np.isfinite(results[1]))
        assert np.all(np.isfinite(results[2]))
    np.testing.assert_array_equal(compiled[1], reference[1])


def few_samples(weights, n_classes=2):
    n_rows = len(weights)
    return np.arange(float(n_rows))[:, np.newaxis], np.arange(n_rows) % n_classes, np.asarray(weights)


@pytest.mark.parametrize(
    ("estimator", "weight"),
    [
        (DecisionTreeClassifier("ranking"), 1e155),
        (DecisionTreeClassifier(RankingImpurity(weighted=False, class_scores=[0, 1e150])), 1e90),
        (DecisionForestClassifier(2, criterion="ranking", bootstrap=False), 1e155),
        (OrdinalDecisionTreeClassifier("mae"), 3e307),
        (ID3Classifier("jaccard"), 3e307),
        (ID3ForestClassifier(2, distance="mae", bootstrap=False), 3e307),
    ],
    ids=repr,
)
def test_gains_that_overflow_are_refused(engine, estimator, weight):
    X, y, weights = few_samples(np.full(4, weight))
    with pytest.raises(ValueError, match=r"sample_weight( or class_scores)? are too large for '(ranking|mae|jaccard)'"):
        estimator.fit(X, y, sample_weight=weights)
    assert np.all(np.isfinite(estimator.fit(X, y, sample_weight=weights / 1e10 / weight).feature_importances_))


@pytest.mark.parametrize("make", [DecisionForestClassifier, ID3ForestClassifier, OrdinalDecisionForestClassifier])
def test_bootstrap_samples_of_great_weights_are_counted(engine, make):
    X, y, weights = few_samples([1e308, 1.0, 1.0, 2.0])
    for one in make(2, bootstrap=True).fit(X, y, sample_weight=weights):
        assert one.tree_.value.tolist() == [np.bincount([y[0]] * 4, minlength=2).tolist()]
    assert make(2, bootstrap=False).fit(X, y, sample_weight=weights).score(X, y) == 1.0


def test_importances_of_great_gains_and_weights():
    arrays = {"children_left": [1, -1, 3, -1, -1], "children_right": [2, -1, 4, -1, -1]}
    arrays |= {"feature": [0, -2, 1, -2, -2], "threshold": [0.5, -2, 0.5, -2, -2], "n_node_samples": [3, 1, 2, 1, 1]}
    value = np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 2.0], [0.0, 1.0], [0.0, 1.0]])
    gain = np.array([1.0, 0.0, 3.0, 0.0, 0.0])
    for weight_scale in (1e-300, 1.0, 5e307):
        for gain_scale in (1e-300, 1.0, 1e300):
            tree = Tree(**arrays, value=weight_scale * value, gain=gain_scale * gain, n_features=2)
            np.testing.assert_allclose(tree.feature_importances(), [1 / 3, 2 / 3])


def test_distance_path_counts_whole_weights_below_the_limit_of_the_engine(engine):
    X, y, weights = few_samples(np.full(6, 2.0**20), 3)
    for distance in DISTANCES:
        once = ID3Classifier(distance).fit(X, y)
        np.testing.assert_allclose(
            ID3Classifier(distance).fit(X, y, sample_weight=weights).distance_path_, once.distance_path_, atol=1e-9
        )
        for factor in (4.0, 2.0**12, 2.0**200):  # a table of n log2 n would need 128 MiB or more, a square 64 bits
            fitted = ID3Classifier(distance).fit(X, y, sample_weight=factor * weights)
            with pytest.raises(AttributeError, match="below 2\\*\\*24"):
                _ = fitted.distance_path_
