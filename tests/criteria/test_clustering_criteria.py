"""The criteria that compare clusterings: numbers worked out by hand, distances of sets of rows, equal trees."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sklearn
from hypothesis import example, given
from hypothesis import strategies as st
from information import comparable_gain
from support import assert_same_tree, examples, grow, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
)
from pytrees._engine import kernel
from pytrees.criteria import gain as gain_of
from pytrees.testing.strategies import count_weights, no_weights, problems

RATIOS = ["gain_ratio", "nvi", "nvi_sum", "nvi_max"]
INFORMATION = [*RATIOS, "vi"]
MATCHINGS = ["jaccard", "accuracy", "mae"]
CRITERIA = [*INFORMATION, *MATCHINGS]


def root_gain(left, right, criterion, scale=None):
    """Gain of the only cut, between children with these class counts; `scale` is the weight of every sample."""
    y = np.concatenate([np.repeat(np.arange(len(counts)), counts) for counts in (left, right)])
    X = (np.arange(len(y)) >= sum(left)).astype(float)[:, None]
    weights = None if scale is None else np.full(len(y), scale)
    return grow(X, y, weights, len(left), criterion, max_depth=1)["gain"][0]


@pytest.mark.parametrize(
    ("left", "right", "gains"),
    [
        # H(Y) = 3/2, H(T) = 1, H(T, Y) = 3/2: the gain is 1, and the children are 1/2 bit from the classes.
        # Jaccard: 2/2 + 1/2 - 2/4. Rows right: 3 of 4, before 2.
        # Errors: the right child as class 1 has 1, the node as class 0 or 1 has 3.
        ([2, 0, 0], [0, 1, 1], {"gain_ratio": 1, "nvi": 2 / 3, "jaccard": 1, "accuracy": 1 / 4, "mae": 1 / 2}),
        ([2, 0, 0], [0, 1, 1], {"nvi_sum": 4 / 5, "nvi_max": 2 / 3, "vi": 1}),
        # The cut is the clustering by class.
        ([2, 0], [0, 2], dict.fromkeys(INFORMATION, 1) | {"jaccard": 3 / 2, "accuracy": 1 / 2, "mae": 1 / 2}),
        ([0, 2], [2, 0], {"gain_ratio": 1, "nvi": 1, "jaccard": 3 / 2, "accuracy": 1 / 2, "mae": 1 / 2}),
        # The cut tells nothing: H(T, Y) = 2. Jaccard: 1/3 + 1/3 - 2/4. Rows right: 2, as before.
        ([1, 1], [1, 1], dict.fromkeys([*RATIOS, "accuracy", "mae"], 0) | {"vi": -1, "jaccard": 1 / 6}),
        # Both children are mostly of class 0, and only one can be it. Jaccard: 2/4 + 1/3 beats 0 + 2/5; 4/5 before.
        # Rows right: 3 of 5, before 4; errors: 2 as (0, 1), before 1.
        ([2, 0], [2, 1], {"jaccard": 1 / 30, "accuracy": -1 / 5, "mae": -1 / 5}),
        # Labels of the fewest errors are 0 and 1, though the node has no row of class 1: 3 errors, before 2.
        ([2, 0, 0], [2, 0, 1], {"jaccard": 2 / 4 + 1 / 3 - 4 / 5, "accuracy": -1 / 5, "mae": -1 / 5}),
        # Labels: the left child is 3, the right one 0: errors 1 + 1 of 5 rows, before 5 as class 2.
        ([0, 0, 1, 2], [1, 1, 0, 0], {"jaccard": 2 / 3 + 1 / 2 - 2 / 5, "accuracy": 3 / 5 - 2 / 5, "mae": 3 / 5}),
    ],
)
def test_gains_by_hand(engine, left, right, gains):
    for criterion, gain in gains.items():
        assert root_gain(left, right, criterion) == pytest.approx(gain, rel=1e-14, abs=0)
        assert root_gain(left, right, criterion, scale=0.3) == pytest.approx(gain, rel=1e-14, abs=1e-15)


@examples(60)
@given(
    left=st.lists(st.integers(0, 3), min_size=2, max_size=4),
    right=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    unit=st.sampled_from([1, 2**30, 0.3]),
)
@example(left=[1, 0], right=[1, 0, 0, 0], unit=1)
@example(left=[0, 2, 0], right=[0, 1, 0, 0], unit=0.3)
@pytest.mark.parametrize("criterion", MATCHINGS)
def test_gains_of_given_counts_are_differences_of_distances(criterion, left, right, unit):
    """Also in a node of one class, where some child stands for a class without rows."""
    n_classes = len(left)
    right = right[:n_classes]
    if not (any(left) and any(right)):
        return
    y = np.concatenate([np.repeat(np.arange(n_classes), counts) for counts in (left, right)])
    expected = gain_of_cut(criterion, np.arange(len(y)) < sum(left), y, n_classes)
    for found in on_both_engines(lambda: gain_of(criterion, np.multiply(unit, left), np.multiply(unit, right))):
        assert found == pytest.approx(float(expected), rel=1e-14, abs=1e-15)


# H(Y) = 1, H(T) = 2 - 3/4 log2 3 = 0.8112781244591328; H(T, Y) = 3/2 (1/4, 1/4, 1/2).
# Gain(Y, T) = 1 + 0.8112781244591328 - 3/2 = 0.3112781244591328.
def test_ratios_by_hand(engine):
    assert root_gain([1, 0], [1, 2], "gain_ratio") == pytest.approx(0.3112781244591328 / 0.8112781244591328, abs=1e-9)
    assert root_gain([1, 0], [1, 2], "nvi") == pytest.approx(0.3112781244591328 / 1.5, abs=1e-9)


@pytest.mark.parametrize("criterion", RATIOS)
def test_ratios_are_never_reported_below_zero(engine, criterion):
    """Shares that are the same on both sides gain nothing, but n log2 n is rounded."""
    for k in range(1, 40):
        gain = root_gain([k, 2 * k], [3, 6], criterion)
        assert 0.0 <= gain < 1e-9
        assert not np.signbit(gain)


def entropy(*clusterings):
    """Return the entropy of a clustering into sets of samples, or of two jointly, from the table of n log2 n."""
    clusters = [set.union(*clusterings[0])]
    n = len(clusters[0])
    for clustering in clusterings:
        clusters = [a & b for a in clusters for b in clustering]
    table = kernel("n_log2_n")(n)
    return Fraction(int(table[n]) - sum(int(table[len(cluster)]) for cluster in clusters), n << 30)


def quotient(a, b):
    return a / b if b else Fraction(0)


def distance(criterion, clusters, classes):
    """Return the distance of two lists of sets of the same samples, or minus their similarity (Section 1.1)."""
    n = sum(map(len, classes))
    gain = entropy(classes) + entropy(clusters) - entropy(clusters, classes)
    if criterion == "gain_ratio":
        return -quotient(gain, entropy(clusters))
    if criterion == "nvi":
        return 1 - quotient(gain, entropy(clusters, classes))
    if criterion == "nvi_sum":
        return 1 - quotient(2 * gain, entropy(clusters) + entropy(classes))
    if criterion == "nvi_max":
        return 1 - quotient(gain, max(entropy(clusters), entropy(classes)))
    if criterion == "vi":
        return entropy(clusters) + entropy(classes) - 2 * gain
    pairs = list(zip(clusters, classes, strict=True))
    if criterion == "jaccard":
        return len(classes) - sum(Fraction(len(a & b), len(a | b)) if a | b else 1 for a, b in pairs)
    if criterion == "accuracy":
        return 1 - Fraction(sum(len(a & b) for a, b in pairs), n)
    label = {row: q for q, rows in enumerate(classes) for row in rows}
    return Fraction(sum(abs(label[row] - q) for q, rows in enumerate(clusters) for row in rows), n)


def least_distance(criterion, parts, classes):
    """Return the least distance of the parts, labelled with different classes."""
    distances = []
    for labels in permutations(range(len(classes)), len(parts)):
        clusters = [set() for _ in classes]
        for label, part in zip(labels, parts, strict=True):
            clusters[label] = part
        distances.append(distance(criterion, clusters, classes))
    return min(distances)


def gain_of_cut(criterion, goes_left, y, n_classes):
    rows = set(range(len(y)))
    left = {row for row in rows if goes_left[row]}
    classes = [{row for row in rows if y[row] == label} for label in range(n_classes)]
    return least_distance(criterion, [rows], classes) - least_distance(criterion, [left, rows - left], classes)


def comparable_gain_of_cut(criterion, goes_left, y, n_classes):
    """Return a number that grows with the gain, and is 0 where nothing is gained."""
    if criterion not in INFORMATION:
        return gain_of_cut(criterion, goes_left, y, n_classes)
    return comparable_gain(
        criterion, [np.bincount(part, minlength=n_classes).tolist() for part in (y[goes_left], y[~goes_left])]
    )


def best_cut(criterion, X, y, n_classes):
    """(gain, feature, lower value) of the first cut that none exceeds."""
    cuts = [
        (comparable_gain_of_cut(criterion, column <= below, y, n_classes), feature, below)
        for feature, column in enumerate(X.T)
        for below in np.unique(column)[:-1]
    ]
    if not cuts:
        return None
    comparable, feature, below = max(cuts, key=lambda cut: cut[0])
    gain = gain_of_cut(criterion, X[:, feature] <= below, y, n_classes)
    # The table of n log2 n is rounded, and can make something of nothing.
    return gain if comparable != 0 or criterion not in INFORMATION else 0, feature, below


@pytest.mark.parametrize("criterion", CRITERIA)
@examples(150)
@given(problem=problems(no_weights, max_rows=10) | problems(lambda n: count_weights(n, 3), max_rows=8))
def test_root_split_is_nearest_to_the_classes(criterion, problem):
    X, y, weights, n_classes = problem
    y, n_classes = y % 5, min(max(n_classes, 2), 5)
    repeats = np.ones(len(y), dtype=int) if weights is None else weights
    cut = best_cut(criterion, np.repeat(X, repeats, axis=0), np.repeat(y, repeats), n_classes)
    for tree in on_both_engines(grow, X, y, weights, n_classes, criterion, max_depth=1):
        if len(np.unique(y)) == 1 or cut is None:
            assert len(tree["feature"]) == 1
            continue
        gain, feature, below = cut
        assert tree["gain"][0] == float(gain)
        assert tree["feature"][0] == feature
        np.testing.assert_array_equal(X[:, feature] <= tree["threshold"][0], X[:, feature] <= below)


def test_nearly_equal_similarities_are_compared_exactly(engine):
    """Two cuts of which the second is the better one, by less than a double can tell."""
    n = 500_000_003
    cuts = [(301_724_290, 101_889_622), (301_855_490, 102_033_139)]  # rows of the two classes in the left child
    sums = [Fraction(zeros, ones + n) + Fraction(n - ones, 2 * n - zeros) for zeros, ones in cuts]
    assert sums[0] < sums[1]
    rounded = [zeros / (ones + n) + (n - ones) / (2 * n - zeros) for zeros, ones in cuts]
    assert rounded[0] == rounded[1]
    # Rows by class and by the side of either cut on which they lie.
    (zeros, ones), (more_zeros, more_ones) = cuts
    weights = np.array([zeros, more_zeros - zeros, n - more_zeros, ones, more_ones - ones, n - more_ones])
    X = np.array([[0, 1, 1, 0, 1, 1], [0, 0, 1, 0, 0, 1]], dtype=float).T
    y = [0, 0, 0, 1, 1, 1]
    for order, feature in (([0, 1], 1), ([1, 0], 0)):
        tree = grow(np.ascontiguousarray(X[:, order]), y, weights, 2, "jaccard", max_depth=1)
        assert tree["feature"][0] == feature
        assert tree["gain"][0] == float(sums[1] - Fraction(1, 2))


# Most of many cuts are passed over because no row that moves changes a score by much; the reference looks at all.
@pytest.mark.parametrize("criterion", MATCHINGS)
@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.sampled_from([2, 3, 5, 10]),
    signal=st.sampled_from([0.0, 0.3, 1.0]),
    largest_weight=st.sampled_from([1, 1, 3, 1000]),
)
def test_engines_agree_on_many_cuts(criterion, seed, n_classes, signal, largest_weight):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2))
    y = np.clip(np.floor(n_classes * (0.5 + signal * X[:, 0] + rng.normal(size=120)) / 2), 0, n_classes - 1)
    weights = None if largest_weight == 1 else rng.integers(1, largest_weight + 1, 120)
    assert_same_tree(*on_both_engines(grow, X, y, weights, n_classes, criterion, max_depth=2))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_cuts_that_separate_two_classes_are_taken(engine, criterion):
    """No other cut can be better; the first of several is taken."""
    X, y = np.array([[3, 0, 0], [1, 0, 1], [2, 1, 1], [4, 1, 1]], dtype=float), [0, 0, 1, 1]
    assert grow(X, y, criterion=criterion)["feature"].tolist() == [1, -2, -2]


def test_min_gain_of_zero_excludes_negative_gains(engine):
    """Children must have different classes: if nearly all rows have one class, a cut makes it worse."""
    X, y = np.arange(10.0)[:, None], np.arange(10) == 4
    for criterion in ("accuracy", "mae"):
        assert len(grow(X, y, criterion=criterion, min_gain=0.0)["feature"]) == 1
        assert grow(X, y, criterion=criterion)["gain"].min() < 0.0


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    "make", [DecisionForestClassifier, OrdinalDecisionForestClassifier, PermutationDecisionForestClassifier]
)
@pytest.mark.parametrize("max_leaf_nodes", [None, 5])
def test_both_engines_fit_the_same_forest(make, criterion, max_leaf_nodes):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)).round(1), rng.integers(0, 4, 30)
    forest = make(3, criterion=criterion, max_leaf_nodes=max_leaf_nodes, random_state=0, n_jobs=2)
    compiled, reference = on_both_engines(lambda: sklearn.clone(forest).fit(X, y))
    assert [tree.tree_ for tree in compiled.estimators_] == [tree.tree_ for tree in reference.estimators_]


def test_absolute_errors_follow_the_order_of_the_classes():
    """On the scale the first cut takes two of four errors away; in alphabetical order the second cut does."""
    X, words = np.arange(6.0)[:, None], np.repeat(["low", "medium", "high"], 2)
    ordered = OrdinalDecisionTreeClassifier("mae", classes=["low", "medium", "high"], max_depth=1).fit(X, words)
    alphabetical = DecisionTreeClassifier("mae", max_depth=1).fit(X, words)
    assert (ordered.tree_.threshold[0], alphabetical.tree_.threshold[0]) == (1.5, 3.5)
    assert ordered.tree_.gain[0] == alphabetical.tree_.gain[0] == pytest.approx(1 / 3)
