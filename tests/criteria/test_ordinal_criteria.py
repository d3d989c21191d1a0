"""The ordinal criteria: numbers worked out by hand, a naive computation of gains, equal trees, parameters."""

import pickle
from fractions import Fraction
from itertools import pairwise
from math import log2

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from strategies import ordinal_specifications
from support import UNLIMITED, assert_refuses, assert_same_tree, examples, grow, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, OrdinalDecisionTreeClassifier
from pytrees.criteria import CRITERIA, RankingImpurity, WeightedInformationGain, gain
from pytrees.testing.strategies import problems

ORDINAL = ["ogini", "wig", "ranking"]


def of_counts(counts):
    """One row for every label, and one feature that separates the classes."""
    y = np.repeat(np.arange(len(counts)), counts)
    return y.reshape(-1, 1).astype(float), y


# The two distributions of 20 rows over four classes that Fig. 2 of Ayllón-Gavilán et al. is about: a split that
# separates their two classes gains all of the impurity. Weighted entropy of the first: the mode is class 0, the weights
# are 0, 1/6, 2/6, 3/6, and -3/6 * 1/2 * log2 1/2 = 1/4.
@pytest.mark.parametrize(
    ("criterion", "far", "near"),
    [
        ("gini", 0.5, 0.5),
        ("entropy", 1.0, 1.0),
        ("ogini", 0.75, 0.25),
        ("wig", 1 / 4, 1 / 12),
        ("ranking", 300.0, 100.0),
    ],
)
def test_ordinal_impurities_prefer_near_classes(engine, criterion, far, near):
    assert grow(*of_counts([10, 0, 0, 10]), None, 4, criterion)["gain"][0] == pytest.approx(far, rel=1e-15)
    assert grow(*of_counts([10, 10, 0, 0]), None, 4, criterion)["gain"][0] == pytest.approx(near, rel=1e-15)


# Counts (2, 1, 1): cut behind the first class, which leaves (2, 0, 0) and (0, 1, 1).
# ogini: F = 1/2, 3/4, 1: 1/4 + 3/16 = 7/16; right F = 0, 1/2, 1: 1/4; 7/16 - 1/2 * 1/4 = 5/16.
# ranking: 1*2*1 + 2*2*1 + 1*1*1 = 7; right 1; 7 - 1/2 * 1 = 13/2, unweighted 6.
# wig: node weights 0, 1/3, 2/3: -(1/3 + 2/3) 1/4 log2 1/4 = 1/2; right mode 1: weights 1/2, 0, 1/2: 1/2 * 1/2 = 1/4.
@pytest.mark.parametrize(
    ("criterion", "gain"),
    [
        ("ogini", 5 / 16),
        ("ranking", 13 / 2),
        (("ranking", {"weighted": False}), 6.0),
        (("ranking", {"class_scores": [0.0, 10.0, 11.0]}), 20 + 22 + 1 - 0.5),
        ("wig", 1 / 2 - 1 / 2 * 1 / 4),
        (("wig", {"alpha": 0.0}), 1 / 3 * (3 / 2) - 1 / 2 * 1 / 3 * 1.0),
        # From the highest class the weights are 2/3, 1/3, 0, also of the right child: node 2/3 1/2 + 1/3 1/2 = 1/2,
        # right child 1/3 * 1/2.
        (("wig", {"distance_from": "highest"}), 1 / 2 - 1 / 2 * 1 / 6),
        # Costs 1 of (1, 0), 5 of (2, 0), 2 of (2, 1): 1*2*1 + 5*2*1 + 2*1*1 = 14; right 2.
        (("ranking", {"cost_matrix": [[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]]}), 14 - 1 / 2 * 2),
    ],
)
def test_gains_by_hand(engine, criterion, gain):
    X, y = of_counts([2, 1, 1])
    X[y > 0] = 1.0
    assert grow(X, y, None, 3, criterion)["gain"][0] == pytest.approx(gain, rel=1e-15)


# Counts (2, 1, 0, 1) of four classes: of those present the distances from class 0 are 0, 1, 3, so that the weights are
# 0, 1/4, 3/4: -(1/4 + 3/4) 1/4 log2 1/4 = 1/2. The right child (0, 1, 0, 1) has the mode 1: distances 1, 0, 2 of the
# node's classes, weights 1/3, 0, 2/3, and 2/3 * 1/2 = 1/3. Over all classes: node (1 + 3)/6 * 1/2, right 2/4 * 1/2.
# From the highest class: 3, 2, 0 are the distances, weights 3/5, 2/5, 0; node 3/5 * 1/2 + 2/5 * 1/2, right 2/5 * 1/2.
@pytest.mark.parametrize(
    ("parameters", "of_node", "of_right"),
    [
        ({"normalize_over": "present"}, 1 / 2, 1 / 3),
        ({"normalize_over": "all"}, 1 / 3, 1 / 4),
        ({"normalize_over": "present", "distance_from": "highest"}, 1 / 2, 1 / 5),
    ],
)
@pytest.mark.parametrize("scale", [1, 0.3])
def test_weights_are_normalised_over_the_classes_of_the_node(engine, parameters, of_node, of_right, scale):
    X, y = of_counts([2, 1, 0, 1])
    X[y > 0] = 1.0
    weights = None if scale == 1 else np.full(4, scale)
    gain = grow(X, y, weights, 4, ("wig", parameters))["gain"][0]
    assert gain == pytest.approx(of_node - 1 / 2 * of_right, rel=1e-14)


def impurity(criterion, y, n_classes, of_node):
    """Compute the impurity of labels in a node, or a child of it, that has these classes."""
    name, given = (criterion, {}) if isinstance(criterion, str) else criterion
    scores = given.get("class_scores") or range(n_classes)
    counts = np.bincount(y, minlength=n_classes).tolist()
    if name == "ogini":
        shares = [Fraction(sum(counts[: q + 1]), len(y)) for q in range(n_classes)]
        return sum(share * (1 - share) for share in shares)
    if "cost_matrix" in given:
        return sum(Fraction(given["cost_matrix"][i][j]) for i in y for j in y) / 2
    if name == "ranking":
        return sum(Fraction(abs(scores[i] - scores[j])) for i in y for j in y) / 2
    mode = int(np.argmax(counts))
    origin = scores[-1] if given.get("distance_from") == "highest" else scores[mode]
    weights = np.array([abs(score - origin) ** given.get("alpha", 1.0) for score in scores])
    if given.get("normalize_over") == "present":
        weights[~np.isin(np.arange(n_classes), of_node)] = 0.0
    weights /= weights.sum() or 1.0
    shares = np.array(counts) / len(y)
    return -sum(w * p * log2(p) for w, p in zip(weights, shares, strict=True) if p > 0)


@examples(150)
@given(problem=problems(max_rows=12), data=st.data())
def test_root_gain_is_the_greatest(problem, data):
    X, y, _, n_classes = problem
    criterion = data.draw(ordinal_specifications(n_classes))
    is_weighted = isinstance(criterion, str) or criterion[1].get("weighted", True)
    gains = [0.0]
    for column in X.T:
        for below, _ in pairwise(np.unique(column)):
            sides = [y[column <= below], y[column > below]]
            shares = [Fraction(len(side), len(y)) if is_weighted else 1 for side in sides]
            children = sum(
                share * impurity(criterion, side, n_classes, y) for share, side in zip(shares, sides, strict=True)
            )
            gains.append(float(impurity(criterion, y, n_classes, y) - children))
    for tree in on_both_engines(grow, X, y, None, n_classes, criterion):
        if tree["children_left"][0] >= 0:
            assert tree["gain"][0] == pytest.approx(max(gains[1:]), rel=1e-9, abs=1e-9)


@examples(600)
@given(
    problem=problems(max_rows=30, missing=True),
    max_leaf_nodes=st.sampled_from([UNLIMITED, UNLIMITED, 2, 4]),
    min_samples_leaf=st.sampled_from([1, 1, 2, 4]),
    max_features=st.sampled_from([UNLIMITED, 1, 2]),
    max_candidates=st.sampled_from([UNLIMITED, UNLIMITED, 2]),
    scale=st.sampled_from([None, None, None, 0.1, 0.37, 1e-3]),
    data=st.data(),
)
def test_engines_grow_the_same_tree(problem, scale, data, **limits):
    X, y, weights, n_classes = problem
    if scale is not None:  # weights that are not whole
        weights = scale * (np.ones(len(y)) if weights is None else weights)
    criterion = data.draw(ordinal_specifications(n_classes))
    trees = on_both_engines(grow, X, y, weights, n_classes, criterion, **limits)
    assert_same_tree(*trees)


WIG_VARIANTS = [
    ("wig", {"normalize_over": over, "distance_from": origin})
    for over in ("all", "present")
    for origin in ("mode", "highest")
]


@pytest.mark.parametrize("criterion", [*ORDINAL, *WIG_VARIANTS[1:]])
def test_many_samples_of_ordered_classes(criterion):
    """The compiled engine rules out most cuts by sums; the reference computes every gain."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.clip(np.round(X[:, 0] + 2.5 + rng.normal(size=150) / 2), 0, 5).astype(np.int32)
    assert_same_tree(*on_both_engines(grow, X, y, None, 6, criterion))


@pytest.mark.parametrize("criterion", WIG_VARIANTS)
@pytest.mark.parametrize("n_absent", [0, 3])
def test_clear_and_near_cuts_of_weighted_information_gain(criterion, n_absent):
    """Weights normalised over all classes are small for the classes that are present."""
    rng = np.random.default_rng(n_absent)
    X = rng.integers(0, 12, (200, 3)).astype(float)
    y = (np.clip(X[:, 0] // 3 + rng.integers(-1, 2, 200), 0, 3) + n_absent).astype(np.int32)
    weights = rng.integers(1, 4, 200)
    for some in (None, weights, weights * 0.1):
        assert_same_tree(*on_both_engines(grow, X, y, some, 4 + 2 * n_absent, criterion, min_samples_leaf=3))


def test_class_scores_and_equal_costs_grow_the_same_tree():
    """A cost matrix of differences grows the tree of the scores, whether they are whole or not."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (120, 3)).astype(float), rng.integers(0, 4, 120).astype(np.int32)
    for scores in ([0.0, 1.0, 4.0, 6.0], [0.0, 0.5, 0.75, 4.0]):
        costs = np.abs(np.subtract.outer(scores, scores)).tolist()
        for weighted in (True, False):
            trees = [
                grow(X, y, None, 4, ("ranking", {"weighted": weighted} | parameters))
                for parameters in ({"class_scores": scores}, {"cost_matrix": costs})
            ]
            assert_same_tree(*trees)


@pytest.mark.parametrize(
    "criterion",
    [
        *(name for name, criterion in CRITERIA.items() if criterion.judges == "counts"),
        WeightedInformationGain(2.0),
        WeightedInformationGain(normalize_over="present", distance_from="highest"),
        RankingImpurity(weighted=False),
        RankingImpurity(cost_matrix=[[0, 1, 1], [1, 0, 5], [1, 5, 0]]),
    ],
    ids=str,
)
def test_estimators_take_names_and_objects(engine, criterion):
    X, y, weights = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3, np.arange(1.0, 31.0)
    for make in (DecisionTreeClassifier, OrdinalDecisionTreeClassifier):
        tree = make(criterion, max_leaf_nodes=6).fit(X, y, sample_weight=weights)
        assert pickle.loads(pickle.dumps(tree)).tree_ == tree.tree_
        assert sklearn.clone(tree).fit(X, y, sample_weight=weights).tree_ == tree.tree_
    forest = DecisionForestClassifier(3, criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    assert forest.predict(X).shape == (30,)


def test_names_are_objects_with_default_parameters():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 4
    for name in ("wig", "ranking"):
        named, given = (DecisionTreeClassifier(criterion).fit(X, y).tree_ for criterion in (name, CRITERIA[name]))
        assert named == given


@pytest.mark.parametrize("alpha", [-0.5, np.inf, np.nan, "1"])
def test_alpha_must_not_be_negative(alpha):
    assert_refuses(ValueError, "alpha must be", WeightedInformationGain, alpha)


@pytest.mark.parametrize("make", [WeightedInformationGain, RankingImpurity])
def test_class_scores_must_increase_and_be_as_many_as_classes(make):
    assert_refuses(ValueError, "must increase", make, class_scores=[0, 2, 2])
    assert_refuses(ValueError, "finite", make, class_scores=[0, np.nan])
    with pytest.raises(ValueError, match="2 scores for 3 classes"):
        DecisionTreeClassifier(make(class_scores=[0, 1])).fit([[0.0], [1.0], [2.0]], [0, 1, 2])


@pytest.mark.parametrize("name", ["normalize_over", "distance_from"])
def test_choices_of_weighted_information_gain(name):
    assert_refuses(ValueError, f"{name} must be one of", WeightedInformationGain, **{name: "none"})


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [2, 0]], "symmetric, or zero above"),
        ([[1, 1], [1, 0]], "zero on the diagonal"),
        ([[0, -1], [-1, 0]], "not be negative"),
        ([[0, np.inf], [np.inf, 0]], "infinity"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
        ([[0, 1, 2], [1, 0, 1]], "a row and a column for every class"),
        ([0, 1], "a row and a column for every class"),
        ([[[0]]], "dim"),
    ],
)
def test_costs_that_are_refused(costs, message):
    assert_refuses(ValueError, message, RankingImpurity, cost_matrix=costs)


def test_costs_of_pairs():
    lower = RankingImpurity(cost_matrix=[[0, 0, 0], [1, 0, 0], [4, 2, 0]])
    both = RankingImpurity(cost_matrix=np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]]))
    assert lower.specification(3) == both.specification(3)
    assert hash(both) == hash(RankingImpurity(cost_matrix=both.cost_matrix))
    assert both == RankingImpurity(cost_matrix=both.cost_matrix)
    assert_refuses(ValueError, "give one of them", RankingImpurity, class_scores=[0, 1], cost_matrix=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="costs of 3 classes for 2 classes"):
        DecisionTreeClassifier(both).fit([[0.0], [1.0]], [0, 1])


def test_scores_too_wide_for_integers_are_compared_exactly(engine):
    scores = RankingImpurity(class_scores=[0, 2.0**60])
    costs = RankingImpurity(cost_matrix=[[0, 2.0**60], [2.0**60, 0]])
    for criterion in (scores, costs):
        tree = DecisionTreeClassifier(criterion).fit([[0.0], [1.0]], [0, 1]).tree_
        assert tree.gain.tolist() == [2.0**60, 0.0, 0.0]


@pytest.mark.parametrize(
    ("left", "right", "plain", "weighted"),
    [
        ((97, 3, 1, 2), (2, 85, 5, 6), 0.0770388176848689, 0.0508630423985624),
        ((45, 43, 34, 50), (23, 31, 18, 19), 0.0050607132246584, -0.00523773438603231),
    ],
)
def test_the_mode_of_weighted_information_gain_has_the_greatest_weight(engine, left, right, plain, weighted):
    """The gains are those of the authors' tests; with weights their mode is the class of the most samples."""
    left, right, weights = np.array(left), np.array(right), np.array([1.11, 2.22, 0.33, 1.56])

    def entropy(counts, mode):
        shares, distances = counts / counts.sum(), np.abs(np.arange(4) - mode)
        return -np.sum(distances / distances.sum() * shares * np.log2(shares))

    def naive(modes):
        parts = [(left + right) * weights, left * weights, right * weights]
        node, *children = (entropy(part, mode) * part.sum() for part, mode in zip(parts, modes, strict=True))
        return (node - sum(children)) / parts[0].sum()

    assert gain("wig", left, right) == pytest.approx(plain, abs=1e-8)
    assert naive([np.argmax(counts) for counts in (left + right, left, right)]) == pytest.approx(weighted, abs=1e-8)
    by_weight = naive([np.argmax(counts * weights) for counts in (left + right, left, right)])
    assert gain("wig", left * weights, right * weights) == pytest.approx(by_weight, rel=1e-9)
