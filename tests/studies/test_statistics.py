"""The statistics of the ordinal study, against their definitions and against statsmodels."""

import numpy as np
import pytest
from scipy import stats

from studies import ordinal_statistics as statistics


def scores(n_sets, n_models, n_splits, seed=0, effect=0.3):
    """Data sets of different difficulty, models of different quality, and noise."""
    rng = np.random.default_rng(seed)
    sets = rng.normal(size=(n_sets, 1, 1))
    models = effect * np.arange(n_models)[:, None]
    return sets + models + 0.2 * rng.normal(size=(n_sets, n_models, 1)) + rng.normal(size=(n_sets, n_models, n_splits))


@pytest.mark.parametrize("shape", [(2, 2, 2), (3, 5, 4), (7, 3, 10)])
def test_analysis_of_variance_by_its_sums_of_squares(shape):
    pytest.importorskip("statsmodels")
    pytest.importorskip("pandas")
    values = scores(*shape)
    a, b, n = shape
    mean = values.mean()
    of_sets = b * n * ((values.mean(axis=(1, 2)) - mean) ** 2).sum()
    of_models = a * n * ((values.mean(axis=(0, 2)) - mean) ** 2).sum()
    of_cells = n * ((values.mean(axis=2) - mean) ** 2).sum()
    residual = ((values - values.mean(axis=2, keepdims=True)) ** 2).sum()
    degrees = a * b * (n - 1)
    expected = [(of_sets, a - 1), (of_models, b - 1), (of_cells - of_sets - of_models, (a - 1) * (b - 1))]
    found = statistics.analyse_variance(values)
    assert [factor.source for factor in found] == ["data set", "criterion", "interaction"]
    for factor, (squares, free) in zip(found, expected, strict=True):
        f = (squares / free) / (residual / degrees)
        assert factor.degrees == free
        np.testing.assert_allclose(factor[1:], (squares, free, f, stats.f.sf(f, free, degrees)), rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_tukey_of_one_data_set_agrees_with_one_factor(seed):
    multicomp = pytest.importorskip("statsmodels.stats.multicomp")
    values = scores(1, 4, 12, seed)
    pairs = statistics.compare_pairs(values)
    expected = multicomp.pairwise_tukeyhsd(values.ravel(), np.repeat(np.arange(4), 12))
    above = np.triu_indices(4, 1)
    np.testing.assert_allclose(pairs.p[above], expected.pvalues, atol=1e-6)
    np.testing.assert_array_equal(pairs.p, pairs.p.T)
    np.testing.assert_allclose(np.diag(pairs.p), 1.0)
    np.testing.assert_allclose(pairs.means, values.mean(axis=(0, 2)))


@pytest.mark.parametrize("seed", range(5))
def test_disjoint_intervals_are_significant(seed):
    pairs = statistics.compare_pairs(scores(6, 5, 8, seed))
    apart = np.abs(pairs.means[:, None] - pairs.means) > 2.0 * pairs.half_width
    np.testing.assert_array_equal(apart, pairs.p < 0.05)
    assert apart.any()


def test_differences_between_data_sets_are_not_counted_as_noise():
    values = scores(6, 3, 8)
    shifted = values + 100.0 * np.arange(6)[:, None, None]
    np.testing.assert_allclose(statistics.compare_pairs(shifted).p, statistics.compare_pairs(values).p, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_greatest_runs_without_a_difference(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(6).tolist()
    # The further apart, the smaller p.
    places = np.argsort(order)
    p = np.exp(-rng.uniform(0.3, 4.0) * np.abs(places[:, None] - places))
    pairs = statistics.Pairs(np.zeros(6), p, 0.0)
    runs = [order[i:j] for i in range(6) for j in range(i + 1, 7) if p[order[i], order[j - 1]] >= 0.05]
    expected = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert statistics.homogeneous_groups(pairs, order) == expected


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_mean_ranks_take_rounded_ties_for_ties(greater_is_better):
    means = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 2.0], [5.0, 4.0, 4.0]])
    # By rounding the sum 0.1 + 0.2 exceeds 0.3: a tie all the same.
    values = np.stack([means, means], axis=2) + np.array([[[0.1, 0.2]]])
    ranks = [[1, 2, 3], [1.5, 1.5, 3], [3, 1.5, 1.5]]
    expected = np.mean([[4 - rank for rank in row] if greater_is_better else row for row in ranks], axis=0)
    found, p = statistics.rank_models(values, greater_is_better)
    np.testing.assert_allclose(found, expected)
    assert p == pytest.approx(stats.friedmanchisquare(*means.T).pvalue)


def test_ranks_of_one_data_set_or_of_ties_alone():
    ranks, p = statistics.rank_models(np.array([[[1.0], [3.0], [2.0]]]), False)
    assert ranks.tolist() == [1.0, 3.0, 2.0]
    assert np.isnan(p)
    ranks, p = statistics.rank_models(np.ones((4, 3, 2)), True)
    assert ranks.tolist() == [2.0, 2.0, 2.0]
    assert np.isnan(p)


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_one_model_against_the_others(greater_is_better):
    values = scores(20, 4, 3)
    values[5, 2] = values[5, 1]
    compared = statistics.compare_with(values, 1, greater_is_better)
    means = values.mean(axis=2).round(12)
    assert [row[0] for row in compared] == [0, 2, 3]
    for other, better, equal, worse, p in compared:
        ahead = means[:, 1] > means[:, other] if greater_is_better else means[:, 1] < means[:, other]
        assert (better, equal) == (ahead.sum(), int(other == 2))
        assert better + equal + worse == 20
        alone = stats.wilcoxon(means[:, 1], means[:, other]).pvalue
        assert alone <= p <= 3.0 * alone


def test_a_model_like_the_other():
    assert statistics.compare_with(np.ones((5, 2, 2)), 0, True) == [(1, 0, 5, 0, 1.0)]


@pytest.mark.parametrize("p", [[0.01, 0.04, 0.03, 0.005], [0.9, 0.5, 0.6], [0.02], [0.01, 0.01]])
def test_adjusted_by_holm(p):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    np.testing.assert_allclose(statistics.adjust_by_holm(p), multitest.multipletests(p, method="holm")[1])


def test_samples_that_are_not_normal():
    pytest.importorskip("statsmodels")
    rng = np.random.default_rng(0)
    normal, skewed, constant = rng.normal(size=(2, 3, 60)), rng.exponential(size=(2, 1, 60)) ** 3, np.ones((2, 1, 60))
    samples, by_ks, by_lilliefors = statistics.count_not_normal(np.concatenate([normal, skewed, constant], axis=1))
    assert (samples, by_ks, by_lilliefors) == (8, 2, 2)
    assert statistics.count_not_normal(normal[:, :, :3]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.ones((3, 2, 4)), False),
        (np.arange(24.0).reshape(3, 2, 4), True),
        (np.arange(8.0).reshape(1, 2, 4), False),
        (np.arange(6.0).reshape(3, 2, 1), False),
    ],
)
def test_groups_without_variance_are_not_tested(values, expected):
    assert statistics.has_variance(values) is expected
