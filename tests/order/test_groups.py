"""Groups: each is a sequence of its own, whose gains are averaged; the definition, both engines, routing, bad input."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from samples import trees_of
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import assert_refuses, assert_same_tree, complexity, effort, examples, grow, on_both_engines

from pytrees import DecisionTreeClassifier, PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from pytrees.criteria import SequenceCriterion

IMPURITIES = {"etc": effort, "lz76": complexity}

both = pytest.mark.parametrize("criterion", IMPURITIES)


def gain_of_group(impurity, labels, is_left, n_classes):
    """Eq. 1 of one sequence."""
    children = [labels[is_left], labels[~is_left]]
    return impurity(labels, n_classes) - sum(
        Fraction(len(child) * impurity(child, n_classes), len(labels)) for child in children if len(child)
    )


def mean_gain(impurity, y, groups, is_left, n_classes):
    """The mean of the groups' gains, by their numbers of samples."""
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    gains = [gain_of_group(impurity, y[rows], is_left[rows], n_classes) for rows in members]
    return sum(Fraction(len(rows), len(y)) * gain for rows, gain in zip(members, gains, strict=True))


def best_gain(impurity, X, y, groups):
    """By trial of all cuts."""
    n_classes = int(y.max()) + 1
    cuts = [X[:, feature] <= value for feature in range(X.shape[1]) for value in np.unique(X[:, feature])[:-1]]
    return max(mean_gain(impurity, y, groups, is_left, n_classes) for is_left in cuts)


@st.composite
def tables(draw, max_size=24):
    n_samples = draw(st.integers(3, max_size))
    numbers = st.integers(0, 5)
    X = np.array(draw(st.lists(st.tuples(numbers, numbers), min_size=n_samples, max_size=n_samples)), dtype=np.float64)
    columns = [
        np.array(draw(st.lists(st.integers(0, 2), min_size=n_samples, max_size=n_samples))) for _ in range(3)
    ]  # labels, groups and keys of the order
    return X, *columns


def tree_of(criterion, X, y, keys, groups, **parameters):
    return PermutationDecisionTreeClassifier(criterion, **parameters).fit(X, y, order=keys, groups=groups).tree_


@both
@examples(60)
@given(table=tables())
def test_the_root_gains_the_mean_of_its_groups(criterion, table):
    X, y, groups, keys = table
    if np.bincount(groups).max() == 1 or len(np.unique(y)) < 2 or not np.ptp(X, axis=0).any():
        return
    tree = tree_of(criterion, X, y, keys, groups, max_depth=1)
    rows = np.argsort(keys, kind="stable")
    codes = np.unique(y, return_inverse=True)[1]
    assert tree.gain[0] == float(best_gain(IMPURITIES[criterion], X[rows], codes[rows], groups[rows]))


@both
@pytest.mark.parametrize(
    "options",
    [{}, {"categorical_features": [0]}, {"categorical_features": [0, 1], "categorical_split": "subset"}],
    ids=["cuts", "children", "sets"],
)
@pytest.mark.parametrize("missing", [False, True])
@examples(25)
@given(table=tables(14))
def test_engines_agree_on_groups(criterion, options, missing, table):
    X, y, groups, keys = table
    if np.bincount(groups).max() == 1:
        return
    X = np.where(X == 5.0, np.nan, X) if missing else X
    compiled, reference = on_both_engines(tree_of, criterion, X, y, keys, groups, **options)
    assert compiled == reference


@both
@pytest.mark.parametrize("n_groups", [2, 7, 60])
@pytest.mark.parametrize("n_classes", [2, 7])
def test_long_series_take_the_best_of_all_single_cuts(criterion, n_groups, n_classes):
    rng = np.random.default_rng(n_groups)
    X, y = rng.integers(0, 40, (900, 2)), rng.integers(0, n_classes, 900)
    groups = np.sort(rng.integers(0, n_groups, 900))
    y[X[:, 1] > 35] = 0
    tree = grow(X, y, criterion=(criterion, {"groups": groups}), max_depth=1)
    cuts = np.array([X[:, feature] <= value for feature in range(2) for value in range(39)])
    gains = [mean_gain(IMPURITIES[criterion], y, groups, is_left, n_classes) for is_left in cuts]
    assert tree["gain"][0] == float(max(gains))
    is_left = X[:, tree["feature"][0]] <= tree["threshold"][0]
    np.testing.assert_array_equal(is_left, cuts[gains.index(max(gains))])


@both
def test_threads_change_nothing(criterion):
    rng = np.random.default_rng(1)
    X, y, groups = rng.normal(size=(3000, 4)), rng.integers(0, 3, 3000), np.arange(3000) % 9
    one, two = (tree_of(criterion, X, y, None, groups, max_depth=3, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert one == two


def test_one_group_is_the_plain_sequence(engine):
    rng = np.random.default_rng(2)
    X, y, keys = rng.integers(0, 6, (30, 2)), rng.integers(0, 2, 30), rng.permutation(30)
    assert tree_of("etc", X, y, keys, ["all"] * 30) == tree_of("etc", X, y, keys, None)


def test_series_that_are_repeated_give_the_same_tree(engine):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (20, 2)), rng.integers(0, 2, 20)
    once = tree_of("etc", X, y, None, None)
    thrice = tree_of("etc", np.tile(X, (3, 1)), np.tile(y, 3), None, np.repeat([5, 1, 3], 20))
    np.testing.assert_array_equal(thrice.threshold, once.threshold)
    np.testing.assert_array_equal(thrice.gain, once.gain)
    np.testing.assert_array_equal(thrice.n_node_samples, 3 * once.n_node_samples)


def test_how_series_are_stored_does_not_matter(engine):
    rng = np.random.default_rng(4)
    X, y, groups = rng.integers(0, 9, (30, 2)), rng.integers(0, 3, 30), np.array(["b", "a", "c"])[np.arange(30) % 3]
    times = np.arange(30) // 3  # ties between groups, none within
    expected = tree_of("etc", X, y, times, groups)
    rows = rng.permutation(30)
    assert tree_of("etc", X[rows], y[rows], times[rows], pd.Series(groups[rows], index=rows)) == expected
    names = {"a": 7, "b": 0, "c": 3}
    assert tree_of("etc", X, y, times, [names[group] for group in groups]) == expected


def test_equal_keys_keep_their_own_order_within_a_group(engine):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    groups, keys = [0, 0, 1, 1], [1, 1, 1, 1]
    assert tree_of("etc", X, y, keys, groups) == tree_of("etc", X, y, None, groups)


def test_permutation_forests_permute_within_groups(engine):
    rng = np.random.default_rng(5)
    X, y, groups = rng.normal(size=(12, 2)), rng.integers(0, 2, 12), np.arange(12) % 2
    for options in ({}, {"bootstrap": True}, {"bootstrap": "moving_block", "block_length": 2}):
        forest = PermutationDecisionForestClassifier(4, random_state=0, **options).fit(X, y, groups=groups)
        for fitted, rows in zip(forest, forest.estimators_samples_, strict=True):
            np.testing.assert_array_equal(groups[rows], np.repeat([0, 1], 6))
            alone = PermutationDecisionTreeClassifier().fit(X[rows], y[rows], groups=groups[rows])
            assert fitted.tree_ == alone.tree_


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_forests_are_the_same_on_both_engines(n_jobs):
    rng = np.random.default_rng(6)
    X, y, groups = rng.integers(0, 5, (14, 2)), rng.integers(0, 2, 14), np.arange(14) // 5
    forest = PermutationDecisionForestClassifier(3, random_state=0, n_jobs=n_jobs)
    compiled, reference = on_both_engines(lambda: trees_of(forest.fit(X, y, groups=groups)))
    assert compiled == reference


@pytest.fixture
def series():
    rng = np.random.default_rng(7)
    return rng.normal(size=(40, 2)), rng.integers(0, 2, 40), rng.permutation(40), np.arange(40) % 4


def test_groups_reach_the_folds_and_their_splitter(engine, series):
    X, y, keys, groups = series
    with sklearn.config_context(enable_metadata_routing=True):
        tree = PermutationDecisionTreeClassifier(max_depth=3).set_fit_request(order=True, groups=True)
        model = make_pipeline(StandardScaler(), tree)
        params = {"order": keys, "groups": groups}
        scored = cross_validate(model, X, y, cv=GroupKFold(4), params=params, return_estimator=True)
        name = "permutationdecisiontreeclassifier__max_depth"
        search = GridSearchCV(model, {name: [3]}, cv=GroupKFold(2), error_score="raise").fit(X, y, **params)
    scaler = StandardScaler()
    for (train, _), fitted in zip(GroupKFold(4).split(X, y, groups), scored["estimator"], strict=True):
        expected = tree_of("etc", scaler.fit_transform(X[train]), y[train], keys[train], groups[train], max_depth=3)
        assert fitted[-1].tree_ == expected
    expected = tree_of("etc", scaler.fit_transform(X), y, keys, groups, max_depth=3)
    assert search.best_estimator_[-1].tree_ == expected


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([0] * 5, "groups has 5 keys for 6 samples"),
        ([0, 1, 2, 3, 4, 5], "groups leaves every sample alone"),
        ([0, 0, 0, 1, 1, np.nan], "groups contains missing values"),
        (["a", "a", "b", "b", None, "b"], "groups contains missing values"),
        ([0, "a", 0, "a", 0, 0], "groups holds keys that cannot be sorted"),
        (np.zeros((6, 1)), "groups must have one dimension"),
        ("aabbab", "groups must be a sequence of keys"),
    ],
)
@pytest.mark.parametrize("kind", [PermutationDecisionTreeClassifier, PermutationDecisionForestClassifier])
def test_invalid_groups_are_refused(kind, groups, message):
    assert_refuses(ValueError, message, kind().fit, np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1], groups=groups)


def test_groups_of_one_sample_beside_longer_ones(engine):
    tree = PermutationDecisionTreeClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 1], groups=[0, 1, 2, 2])
    assert tree.score([[0], [1], [2], [3]], [0, 0, 1, 1]) == 1.0


def test_groups_have_no_influence_on_counts(engine):
    X, y, groups = [[0], [1], [2], [3]], [0, 1, 0, 1], [0, 1, 2, 3]
    tree = PermutationDecisionTreeClassifier("gini").fit(X, y, groups=groups)
    assert tree.tree_ == DecisionTreeClassifier().fit(X, y).tree_


class Ends(SequenceCriterion):
    def gains(self, sequence, order, n_left):
        return np.zeros(len(n_left))


def test_own_criteria_know_no_groups():
    with pytest.raises(ValueError, match="groups cannot be used with criterion="):
        PermutationDecisionTreeClassifier(Ends()).fit([[0], [1], [2]], [0, 1, 0], groups=[0, 0, 1])


@pytest.mark.parametrize(
    ("groups", "message"),
    [([0, 1, 0], "The rows of a group must stand together"), ([0, 0], "There are 2 groups for 3 rows")],
)
def test_kernels_check_groups(engine, groups, message):
    with pytest.raises(ValueError, match=message):
        grow([[0], [1], [2]], [0, 1, 0], criterion=("etc", {"groups": np.array(groups)}))


def test_kernels_take_rows_of_groups(engine):
    X, y, groups = np.array([[0.0], [1], [2], [3], [4]]), np.array([0, 1, 0, 1, 0]), np.array([1, 0, 1, 0, 1])
    rows = np.array([3, 1, 1, 0, 2, 4])
    found = grow(X, y, criterion=("etc", {"groups": groups}), rows=rows)
    assert_same_tree(found, grow(X[rows], y[rows], criterion=("etc", {"groups": groups[rows]})))


def test_blocks_of_whole_groups_are_refused():
    X, y = np.arange(12.0).reshape(-1, 1), np.arange(12) % 2
    forest = PermutationDecisionForestClassifier(2, bootstrap="moving_block", block_length=4)
    with pytest.raises(ValueError, match="block_length=4 leaves one block of every group"):
        forest.fit(X, y, groups=np.arange(12) // 4)
    assert len(forest.fit(X, y, groups=np.arange(12) // 6)) == 2
