"""Order sensitivity: valid p-values, the orders of samples, and the results."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import binom, chisquare
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor
from support import assert_refuses

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    PermutationDecisionTreeClassifier,
    order_sensitivity,
)
from pytrees._orders import reversed_rows, shuffled_rows, shuffled_within


class Fading(ClassifierMixin, BaseEstimator):
    """Knows the mean of X, of which the latest samples weigh most: its scores depend on the order, without ties."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.mean_ = np.average(X[:, 0], weights=0.9 ** np.arange(len(X), 0, -1))
        return self


def distance_to_the_mean(estimator, X, y):
    return -abs(float(X[:, 0].mean()) - estimator.mean_)


@pytest.fixture(scope="module")
def bursts():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)), np.arange(60) // 10 % 2


@pytest.fixture
def plain_arrays(monkeypatch):
    """Take samples of arrays at once: scikit-learn takes most of the time to ask what X is."""
    monkeypatch.setattr("pytrees.order._safe_indexing", lambda part, rows: part[rows])


ONE_SPLIT = PredefinedSplit([-1] * 15 + [0] * 5)


@pytest.mark.parametrize(
    ("shuffle", "cv", "block_size"),
    [("all", TimeSeriesSplit(3), None), ("all", TimeSeriesSplit(3), 2), ("training", ONE_SPLIT, None)],
)
def test_p_values_are_uniform_if_the_order_does_not_matter(plain_arrays, shuffle, cv, block_size):
    n_permutations, n_tables = 9, 600
    pvalues = []
    for seed in range(n_tables):
        X = np.random.default_rng(seed).normal(size=(20, 1))
        found = order_sensitivity(
            Fading(), X, np.zeros(20), cv=cv, scoring=distance_to_the_mean, shuffle=shuffle, block_size=block_size,
            n_permutations=n_permutations, alternative="greater", random_state=seed,
        )  # fmt: skip
        pvalues.append(found.pvalue)
    counts = np.bincount(np.round(np.array(pvalues) * 10).astype(int), minlength=11)[1:]
    assert chisquare(counts).pvalue > 0.01


def pvalues_of(found):
    """Return the p-values of all alternatives, by their definition: the true order is one of the orders."""
    n_orders = 1 + len(found.shuffled_scores)
    greater = (1 + np.count_nonzero(found.shuffled_scores >= found.score)) / n_orders
    less = (1 + np.count_nonzero(found.shuffled_scores <= found.score)) / n_orders
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}


def test_p_values_of_scores_with_ties_are_not_too_small(plain_arrays):
    tree, pvalues = PermutationDecisionTreeClassifier(max_depth=2), []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(24, 2)), rng.integers(0, 2, 24)
        found = order_sensitivity(tree, X, y, cv=TimeSeriesSplit(2), n_permutations=9, random_state=seed)
        pvalues.append(list(pvalues_of(found).values()))
    for level in (0.1, 0.2, 0.5):
        for n_below in np.count_nonzero(np.array(pvalues) <= level + 1e-12, axis=0):
            assert binom.sf(n_below - 1, len(pvalues), level) > 0.01


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_values_are_those_of_the_alternative(bursts, alternative):
    tree = PermutationDecisionTreeClassifier(max_depth=2)
    found = order_sensitivity(tree, *bursts, n_permutations=9, alternative=alternative, random_state=0)
    assert found.pvalue == pvalues_of(found)[alternative]


def test_an_order_that_matters_is_found():
    rng = np.random.default_rng(0)
    X = np.arange(200.0)[:, np.newaxis] + rng.normal(size=(200, 1))
    y = np.arange(200) // 20 % 2  # known from neighbours, of whom a shuffled order has some among the training samples
    found = order_sensitivity(DecisionTreeClassifier(), X, y, n_permutations=19, random_state=0)
    assert found.pvalue == 0.1  # the least that is possible on two sides
    assert found.effect < -0.1
    assert found.interval[1] < 0.0


def test_scores_equal_cross_validation_in_each_order(bursts):
    X, y = bursts
    tree, cv = PermutationDecisionTreeClassifier(max_depth=3), TimeSeriesSplit(4)
    found = order_sensitivity(tree, X, y, cv=cv, n_permutations=3, random_state=7)
    assert found.score == cross_val_score(tree, X, y, cv=cv).mean()
    assert found.reversed_score == cross_val_score(tree, X[::-1], y[::-1], cv=cv).mean()
    seeds = np.random.RandomState(7).randint(np.iinfo(np.int32).max, size=3)
    orders = [shuffled_rows(len(X), None, seed) for seed in seeds]
    expected = [cross_val_score(tree, X[rows], y[rows], cv=cv).mean() for rows in orders]
    np.testing.assert_array_equal(found.shuffled_scores, expected)
    trees = [tree.fit(X[rows], y[rows]).feature_usage(X) / len(X) for rows in (np.arange(len(X)), *orders)]
    np.testing.assert_array_equal(found.feature_usage, trees)


def test_shuffled_training_samples_are_tested_by_the_same_samples(bursts):
    X, y = bursts
    tree = PermutationDecisionTreeClassifier(max_depth=3)
    found = order_sensitivity(tree, X, y, cv=ONE_OF_60, shuffle="training", n_permutations=2, random_state=1)
    seeds = np.random.RandomState(1).randint(np.iinfo(np.int32).max, size=2)
    for seed, score in zip(seeds, found.shuffled_scores, strict=True):
        rows = shuffled_rows(60, None, seed)
        train = rows[rows < 40]
        assert score == tree.fit(X[train], y[train]).score(X[40:], y[40:])
    assert found.reversed_score == tree.fit(X[39::-1], y[39::-1]).score(X[40:], y[40:])


ONE_OF_60 = PredefinedSplit([-1] * 40 + [0] * 20)


def test_training_orders_do_not_matter_to_a_tree_by_counts(bursts):
    found = order_sensitivity(DecisionTreeClassifier(), *bursts, shuffle="training", n_permutations=5, random_state=0)
    assert set(found.shuffled_scores) == {found.score} == {found.reversed_score}
    assert (found.pvalue, found.effect, found.interval, found.n_distinct_trees) == (1.0, 0.0, (0.0, 0.0), 1)


@pytest.mark.parametrize(
    "estimator", [DecisionTreeRegressor(max_depth=3), SklearnTreeRegressor(random_state=0)], ids=type
)
def test_regressors_have_scores_of_their_own(bursts, estimator):
    """Their targets are numbers, whole ones too: folds are not stratified by them."""
    X, y = bursts
    drifting = 7 * np.arange(len(y)) + y
    found = order_sensitivity(estimator, X, drifting, cv=3, n_permutations=19, alternative="less", random_state=0)
    assert found.score == pytest.approx(cross_val_score(estimator, X, drifting, cv=KFold(3)).mean())
    assert found.pvalue == 0.05
    several = np.arange(60) % 4
    found = order_sensitivity(estimator, X, several, cv=4, n_permutations=1, random_state=0)
    assert found.score == pytest.approx(cross_val_score(estimator, X, several, cv=KFold(4)).mean())
    if isinstance(estimator, DecisionTreeRegressor):
        found = order_sensitivity(estimator, X, drifting, shuffle="training", n_permutations=5, random_state=0)
        assert (found.pvalue, found.effect, found.n_distinct_trees) == (1.0, 0.0, 1)
        assert found.cost_of_tests.shape == (6,)


@pytest.mark.parametrize("n_samples", [2, 7, 10])
@pytest.mark.parametrize("block_size", [1, 2, 3])
def test_blocks_stay_whole(n_samples, block_size):
    block_size = min(block_size, n_samples - 1)
    for seed in range(20):
        rows = shuffled_rows(n_samples, block_size, seed)
        assert sorted(rows) == list(range(n_samples))
        steps = np.diff(rows)
        ends = (rows[:-1] % block_size == block_size - 1) | (rows[:-1] == n_samples - 1)
        assert ((steps == 1) | ends).all()
    seen = {tuple(shuffled_rows(4, 2, seed)) for seed in range(20)}
    assert seen == {(0, 1, 2, 3), (2, 3, 0, 1)}


def test_keys_sort_the_samples_first(bursts):
    X, y = bursts
    keys = np.random.default_rng(1).permutation(60)
    rows = np.argsort(keys)
    tree = PermutationDecisionTreeClassifier(max_depth=2)
    by_keys = order_sensitivity(tree, pd.DataFrame(X), list(y), order=keys, n_permutations=4, random_state=0)
    sorted_first = order_sensitivity(tree, X[rows], y[rows], n_permutations=4, random_state=0)
    assert by_keys.score == sorted_first.score
    np.testing.assert_array_equal(by_keys.shuffled_scores, sorted_first.shuffled_scores)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_number_of_jobs_changes_nothing(bursts, n_jobs):
    tree = PermutationDecisionTreeClassifier(max_depth=2)
    found = order_sensitivity(tree, *bursts, n_permutations=4, random_state=0, n_jobs=n_jobs)
    expected = order_sensitivity(tree, *bursts, n_permutations=4, random_state=0)
    np.testing.assert_array_equal(found.shuffled_scores, expected.shuffled_scores)
    np.testing.assert_array_equal(found.feature_usage, expected.feature_usage)


@pytest.mark.parametrize(
    "estimator", [DecisionForestClassifier(3, random_state=0), SklearnTreeClassifier(random_state=0)], ids=type
)
def test_forests_and_trees_of_others_have_scores_alone(bursts, estimator):
    found = order_sensitivity(estimator, *bursts, cv=KFold(3), n_permutations=2, random_state=0)
    assert found.n_distinct_trees is None
    assert found.feature_usage is None
    assert found.cost_of_tests is None
    assert len(found.shuffled_scores) == 2
    assert_refuses(ValueError, "cost of tests", found.plot, what="cost")


def test_the_picture_has_all_orders(bursts):
    import matplotlib

    matplotlib.use("agg")
    tree = PermutationDecisionTreeClassifier(max_depth=2)
    ax = order_sensitivity(tree, *bursts, n_permutations=5, random_state=0).plot()
    assert sum(bar.get_height() for bar in ax.patches) == 5
    assert any(text.get_text().startswith("true order, p = ") for text in ax.get_legend().get_texts())
    matplotlib.pyplot.close("all")
    found = order_sensitivity(tree, *bursts, n_permutations=5, random_state=0)
    ax = found.plot(matplotlib.pyplot.figure().gca(), what="cost")
    assert sum(bar.get_height() for bar in ax.patches) == 5
    assert ax.lines[0].get_xdata()[0] == found.cost_of_tests[0]
    assert_refuses(ValueError, "what must be", found.plot, what="trees")
    assert_refuses(TypeError, "ax must be axes of matplotlib, got 5", found.plot, 5)
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_permutations": 0}, "'n_permutations' parameter"),
        ({"n_permutations": 2**63}, "'n_permutations' parameter"),
        ({"shuffle": "test"}, "'shuffle' parameter"),
        ({"block_size": 0}, "'block_size' parameter"),
        ({"block_size": 60}, "block_size=60 leaves one block of 60 samples"),
        ({"alternative": "both"}, "'alternative' parameter"),
        ({"scoring": "etc"}, "scoring"),
        ({"order": np.arange(59)}, "order has 59 keys for 60 samples"),
        ({"order": np.r_[np.arange(59.0), np.nan]}, "order contains missing values"),
        ({"cv": TimeSeriesSplit(60)}, "Cannot have number of folds"),
        ({"groups": np.arange(59)}, "groups has 59 keys for 60 samples"),
        ({"groups": np.arange(60)}, "groups leaves every sample alone"),
        ({"groups": np.arange(60) // 5}, "A group of 5 samples cannot be split in time into 6 parts"),
        ({"groups": np.arange(60) // 10, "block_size": 10}, "one block of every group, of at most 10 samples"),
    ],
)
def test_invalid_input_is_refused(bursts, options, message):
    assert_refuses(ValueError, message, order_sensitivity, DecisionTreeClassifier(), *bursts, **options)


def test_lengths_that_differ(bursts):
    X, y = bursts
    assert_refuses(ValueError, "inconsistent numbers of samples", order_sensitivity, DecisionTreeClassifier(), X, y[1:])


def test_an_estimator_that_cannot_be_fitted(bursts):
    assert_refuses(ValueError, "'estimator' parameter", order_sensitivity, "tree", *bursts)


@pytest.fixture(scope="module")
def panel():
    """Three series of 20 samples, side by side, with keys of their order."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(60, 2)), rng.integers(0, 2, 60), np.repeat(np.arange(20), 3), np.tile([7, 3, 5], 20)


@pytest.mark.parametrize("block_size", [None, 4])
def test_samples_are_shuffled_within_their_groups(block_size):
    codes = np.random.default_rng(0).integers(0, 3, 40)
    for seed in range(10):
        rows = shuffled_within(codes, block_size, seed)
        assert sorted(rows) == list(range(40))
        np.testing.assert_array_equal(codes[rows], codes)
        if block_size is not None:
            for group in range(3):
                members = np.flatnonzero(codes == group)
                places = np.searchsorted(members, rows[members])
                ends = (places[:-1] % block_size == block_size - 1) | (places[:-1] == len(members) - 1)
                assert ((np.diff(places) == 1) | ends).all()
    np.testing.assert_array_equal(codes[reversed_rows(codes)], codes)
    assert list(reversed_rows(np.array([0, 1, 0, 1, 0]))) == [4, 3, 2, 1, 0]
    assert list(reversed_rows(np.array([0, 0, 1, 1]))) == [1, 0, 3, 2]


def test_groups_are_split_in_time_and_reach_the_tree(panel):
    X, y, keys, groups = panel
    tree = PermutationDecisionTreeClassifier(max_depth=3)
    found = order_sensitivity(tree, X, y, order=keys, groups=groups, n_permutations=2, random_state=0)
    codes = np.unique(groups, return_inverse=True)[1]
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=2)
    orders = [np.arange(60), *(shuffled_within(codes, None, seed) for seed in seeds)]
    for rows, score in zip(orders, [found.score, *found.shuffled_scores], strict=True):
        scores = []
        for train, test in TimeSeriesSplit().split(np.arange(20)):  # of every series
            in_train, in_test = (np.isin(np.arange(60) // 3, part) for part in (train, test))
            fitted = tree.fit(X[rows[in_train]], y[rows[in_train]], groups=groups[in_train])
            scores.append(fitted.score(X[rows[in_test]], y[rows[in_test]]))
        assert score == np.mean(scores)


@pytest.mark.parametrize("shuffle", ["all", "training"])
def test_series_that_were_never_seen(panel, shuffle):
    X, y, _, groups = panel
    tree = PermutationDecisionTreeClassifier(max_depth=3)
    options = {"cv": GroupKFold(3), "shuffle": shuffle, "n_permutations": 2, "random_state": 0}
    found = order_sensitivity(tree, X, y, groups=groups, **options)
    scores = []
    for train, test in GroupKFold(3).split(X, y, groups):
        scores.append(tree.fit(X[train], y[train], groups=groups[train]).score(X[test], y[test]))
    assert found.score == np.mean(scores)


@pytest.mark.parametrize("shuffle", ["all", "training"])
def test_positions_keep_their_groups(shuffle):
    """In every order, an estimator that takes no groups gets samples of the same groups at the same positions."""
    seen = []

    class Remembering(Fading):
        def fit(self, X, y):
            seen.append(X.tolist())
            return super().fit(X, y)

    groups = np.tile([7, 3, 5], 20)
    X, y = np.column_stack([groups, np.arange(60)]), np.arange(60) % 2
    splits = list(KFold(3).split(X))
    options = {"cv": splits, "scoring": distance_to_the_mean, "n_permutations": 3, "random_state": 0}
    order_sensitivity(Remembering(), X, y, groups=groups, shuffle=shuffle, **options)
    parts = [*(train for train, _ in splits), np.arange(60)]
    assert len(seen) == 5 * len(parts)
    for fold, part in enumerate(parts):
        for of_order in seen[fold :: len(parts)]:
            assert [group for group, _ in of_order] == groups[part].tolist()
        assert len({tuple(number for _, number in of_order) for of_order in seen[fold :: len(parts)]}) == 5


def test_groups_reach_a_tree_in_a_pipeline(panel):
    X, y, keys, groups = panel
    tree = PermutationDecisionTreeClassifier(max_depth=3)
    options = {"groups": groups, "n_permutations": 2, "random_state": 0}
    expected = order_sensitivity(tree, X, y, order=keys, **options)
    joined = order_sensitivity(make_pipeline(StandardScaler(), tree), X, y, order=keys, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), tree.set_fit_request(groups=True))
        routed = order_sensitivity(model, X, y, order=keys, **options)
    np.testing.assert_array_equal(routed.shuffled_scores, expected.shuffled_scores)
    assert (joined.shuffled_scores != expected.shuffled_scores).any()


def test_p_values_are_uniform_if_the_order_within_groups_does_not_matter(plain_arrays):
    pvalues = []
    for seed in range(400):
        groups = np.random.default_rng(seed).permutation(np.arange(24) % 2)
        X = np.random.default_rng(seed).normal(size=(24, 1)) + 3.0 * groups[:, np.newaxis]
        found = order_sensitivity(
            Fading(), X, np.zeros(24), groups=groups, scoring=distance_to_the_mean, n_permutations=9,
            alternative="greater", random_state=seed,
        )  # fmt: skip
        pvalues.append(found.pvalue)
    counts = np.bincount(np.round(np.array(pvalues) * 10).astype(int), minlength=11)[1:]
    assert chisquare(counts).pvalue > 0.01


def test_the_repr_is_one_line(bursts):
    X, y = bursts
    found = order_sensitivity(DecisionTreeClassifier(max_depth=2), X, y, n_permutations=19, random_state=0)
    assert repr(found) == (
        f"<OrderSensitivity: score {found.score:.4g}, effect {found.effect:+.4g} "
        f"[{found.interval[0]:+.4g}, {found.interval[1]:+.4g}], pvalue {found.pvalue:.4g}, 19 shuffled orders, "
        f"{found.n_distinct_trees} distinct trees>"
    )
    others = order_sensitivity(SklearnTreeClassifier(random_state=0), X, y, n_permutations=19, random_state=0)
    assert repr(others).endswith(", 19 shuffled orders>")
