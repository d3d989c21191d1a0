"""The study of order: its tables, windows and tests, and a small run from end to end."""

import itertools

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.metrics import recall_score

from pytrees import PermutationDecisionTreeClassifier
from pytrees.datasets import get_data_home
from studies import order, order_report, order_tables
from studies.__main__ import main
from studies.ordinal_statistics import adjust_by_holm


def test_tables_are_read_as_they_stand(tmp_path):
    folder = tmp_path / order_tables.FOLDER
    folder.mkdir()
    for name in order_tables.FILES:
        (folder / f"{name}.csv").write_text("date,size,kind,target\n2020-01-02,1.5,b,up\n2020-01-01,,a,down\n")
    tables = order_tables.load_ordered(tmp_path)
    assert list(tables) == list(order_tables.FILES)
    weather = tables["seattle_weather"]
    np.testing.assert_array_equal(weather.data, [[1.5, 1.0], [np.nan, 0.0]])
    np.testing.assert_array_equal(weather.target, [1, 0])
    assert (weather.categorical, weather.is_real) == ((1,), True)


def test_an_absent_table_is_named_and_left_out(tmp_path, capsys):
    (tmp_path / "ordered").mkdir()
    (tmp_path / "ordered" / "weekly.csv").write_text("size,target\n1.5,up\n2.5,down\n")
    assert list(order_tables.load_ordered(tmp_path)) == ["weekly"]
    assert "want of their tables" in capsys.readouterr().err


def test_tables_of_the_clone(clone_tables):
    tables = order_tables.load_ordered(get_data_home())
    assert len(tables["flights_lga"].target) == 20000
    assert len(tables["seattle_weather"].target) == 1460


@pytest.mark.parametrize("name", order_tables.GENERATORS)
def test_generators_follow_their_seed(name):
    table, again, other = (order_tables.make_ordered(name, seed, 500) for seed in (0, 0, 1))
    np.testing.assert_array_equal(table.data, again.data)
    np.testing.assert_array_equal(table.target, again.target)
    assert (table.data != other.data).any()
    assert len(table.data) == len(table.target) == 500
    assert len(np.unique(table.target)) > 1


def test_sticky_generators_repeat_labels():
    repeated = {
        name: np.mean(np.diff(order_tables.make_ordered(name, 0).target) == 0) for name in order_tables.GENERATORS
    }
    assert min(repeated["regimes"], repeated["alarms"]) > 0.85
    assert max(repeated["exchangeable"], repeated["noise"], repeated["drift"]) < 0.6


@pytest.mark.parametrize("n_samples", [60, 1089, 1800, 20000])
def test_windows_do_not_overlap_and_test_by_later_samples(n_samples):
    windows = order.windows_of(n_samples)
    assert order.FEWEST_WINDOWS <= len(windows) <= order.MOST_WINDOWS
    for train, test in windows:
        assert train[-1] < test[0]
        np.testing.assert_array_equal(np.diff(np.concatenate([train, test])), 1)
    used = np.concatenate(list(itertools.chain.from_iterable(windows)))
    assert len(used) == len(set(used.tolist()))
    assert used.max() < n_samples


def test_recall_averages_the_present_classes():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 2, 30), rng.integers(0, 3, 30)
    expected = recall_score(true, predicted, labels=[0, 1], average="macro")
    assert order.mean_recall(true, predicted) == pytest.approx(expected)


def test_holm_multiplies_the_smallest_most():
    np.testing.assert_allclose(adjust_by_holm([0.04, 0.01, 0.03, 0.9]), [0.09, 0.04, 0.09, 0.9])
    np.testing.assert_allclose(adjust_by_holm([0.6, 0.7]), [1.0, 1.0])


def test_the_permutation_test_is_of_the_means_over_the_windows():
    effect, (low, high), p = order_report.permutation_test([0.9, 0.7], [[0.5, 0.6, 0.8], [0.5, 0.8, 0.8]])
    assert effect == pytest.approx(0.8 - np.mean([0.5, 0.7, 0.8]))
    assert low == pytest.approx(0.8 - np.quantile([0.5, 0.7, 0.8], 0.975))
    assert high == pytest.approx(0.8 - np.quantile([0.5, 0.7, 0.8], 0.025))
    assert p == 1.0  # one of three reaches the true score: 2 * (1 + 1) / (1 + 3)
    assert order_report.permutation_test([0.9], [[0.1] * 39])[2] == 0.05


def test_a_model_is_judged_on_every_window_and_order():
    table = order_tables.make_ordered("regimes", 0, 90)
    result = order.judge_model(table, "etc", 3)
    windows = order.windows_of(90)
    assert np.shape(result["true"]) == np.shape(result["reversed"]) == (len(windows),)
    assert np.shape(result["shuffled"]) == np.shape(result["blocks"]) == (len(windows), 3)
    for (train, test), score in zip(windows, result["true"], strict=True):
        tree = PermutationDecisionTreeClassifier(max_depth=order.TREE_DEPTH, max_candidates=order.MAX_CANDIDATES)
        predicted = tree.fit(table.data[train], table.target[train]).predict(table.data[test])
        assert score == order.mean_recall(table.target[test], predicted)


def test_counts_do_not_see_the_order():
    result = order.judge_model(order_tables.make_ordered("alarms", 0, 120), "gini", 0)
    assert result["true"] == result["reversed"]


def test_the_label_before_is_known_to_one_model():
    table = order_tables.make_ordered("regimes", 0, 600)
    lagged, gini = (np.mean(order.judge_model(table, model, 0)["true"]) for model in ("lagged", "gini"))
    assert lagged > gini + 0.1


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(order_tables, "N_GENERATED", 90)
    monkeypatch.setattr(order, "FOREST", order.FOREST | {"n_estimators": 2})
    monkeypatch.setattr(order, "make_ordered", lambda name, seed: order_tables.make_ordered(name, seed, 90))


def test_a_small_run_from_end_to_end(small, tmp_path, capsys):
    arguments = ["order", "--orders", "3", "--jobs", "1", "--output", str(tmp_path)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "Over the 5 sets, real and generated, signed ranks" in printed
    assert "ETC tree: the true order of the training samples, against shuffled blocks" in printed
    effects = read_csv(tmp_path / "order_effects.csv")
    assert len(effects) == 2 * 2 * order.N_SEEDS * len(order_tables.GENERATORS)
    assert len(read_csv(tmp_path / "order_pairs.csv")) == len(order_report.PAIRS)
    assert not (tmp_path / "order_pairs_real.csv").exists()
    assert main(arguments) == 0  # from what is kept
    assert capsys.readouterr().out.splitlines()[:-1] == printed.splitlines()[:-1]
