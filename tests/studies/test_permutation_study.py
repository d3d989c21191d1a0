"""The study of the permutation paper: tuned forests, and runs that go on."""

from functools import partial

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from pytrees import DecisionForestClassifier
from pytrees.datasets import load_shipped
from pytrees.tour.permutation import RESULT_FIELDS
from studies import permutation, permutation_forests

NUMBERS, DEPTHS = (1, 3, 10), (1, 2, 4)


def split_of(name, seed=0):
    table = load_shipped(name)
    return train_test_split(table.data, table.target, test_size=0.2, random_state=seed)


def test_the_grid_is_the_paper_s():
    assert permutation_forests.NUMBERS_OF_TREES == (1, 10, 100, 1000, 10000)
    assert permutation_forests.FOREST_DEPTHS == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    assert permutation_forests.N_FOLDS == 5


def naive_scores(X, y, X_test, y_test, seed):
    """A forest for every point of the grid."""
    return [
        [
            f1_score(
                y_test,
                DecisionForestClassifier(number, max_depth=depth, random_state=seed).fit(X, y).predict(X_test),
                average="macro",
                zero_division=0.0,
            )
            for number in NUMBERS
        ]
        for depth in DEPTHS
    ]


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.parametrize("at_once", [1, 4, 500])
def test_one_forest_tells_the_scores_of_the_grid(monkeypatch, name, at_once):
    monkeypatch.setattr(permutation_forests, "TREES_AT_ONCE", at_once)
    X, X_test, y, y_test = split_of(name)
    scores = permutation_forests.grid_scores(X, y, X_test, y_test, 3, NUMBERS, DEPTHS)
    np.testing.assert_array_equal(scores, naive_scores(X, y, X_test, y_test, 3))


def test_trees_that_are_a_single_leaf():
    X, y = np.arange(6.0).reshape(-1, 1), np.zeros(6, dtype=int)
    assert (permutation_forests.grid_scores(X, y, X, y, 0, NUMBERS, DEPTHS) == 1.0).all()


def test_the_forest_is_chosen_on_training_samples():
    X, X_test, y, y_test = split_of("wine")
    tuned, best = (
        dict(zip(RESULT_FIELDS, row, strict=True))
        for row in permutation_forests.tuned_forest("wine", X, X_test, y, y_test, 0, NUMBERS, DEPTHS)
    )
    of_folds = np.mean(
        [naive_scores(X[a], y[a], X[b], y[b], 0) for a, b in StratifiedKFold(5).split(X, y)], axis=0
    ).round(12)
    of_test = np.array(naive_scores(X, y, X_test, y_test, 0))
    for row, by in ((tuned, of_folds), (best, of_test)):
        # The lowest depth of the best, then the fewest trees.
        depth, number = next((i, j) for i in range(3) for j in range(3) if by[i, j] == by.max())
        assert (row["max_depth"], row["n_estimators"]) == (DEPTHS[depth], NUMBERS[number])
        assert row["macro_f1"] == round(of_test[depth, number], 4)
        assert row["cv_macro_f1"] == round(of_folds[depth, number], 4)
    assert (tuned["model"], best["model"]) == ("tuned_forest", "best_on_test")
    assert best["macro_f1"] >= tuned["macro_f1"]


@pytest.fixture
def small_grid(monkeypatch):
    """Tune over few forests, which takes a second."""
    small = partial(permutation_forests.tuned_forest, numbers=NUMBERS, depths=DEPTHS)
    monkeypatch.setattr(permutation, "tuned_forest", small)


def test_tables_and_resumed_run(small_grid, tmp_path, monkeypatch, capsys):
    tables = {name: load_shipped(name) for name in ("iris", "wine")}
    first = permutation.run_permutation(tables, 2, tmp_path, n_jobs=1)
    assert len(first) == 2 * 2 * len(permutation.MODELS)
    assert [row[2] for row in first[: len(permutation.MODELS)]] == list(permutation.MODELS)
    assert {path.name for path in tmp_path.iterdir()} == {
        "permutation.png",
        "permutation_splits.csv",
        "permutation_tasks.jsonl",
        "table_4.csv",
        "table_4_depths.csv",
        "table_5.csv",
        "table_5_tuned.csv",
    }
    assert "best on test" in capsys.readouterr().out
    row = read_csv(tmp_path / "table_5_tuned.csv")[1]
    tuned = [float(result[3]) for result in first if result[0] == "wine" and result[2] == "tuned_forest"]
    assert float(row["tuned_mean"]) == pytest.approx(np.mean(tuned), abs=1e-4)
    assert (float(row["paper"]), int(row["trees_paper"]), int(row["depth_paper"])) == (0.960, 10, 4)
    # A second run computes nothing, and one of a split more only that.
    monkeypatch.setattr(permutation, "judge_split", lambda *args: pytest.fail("computed again"))
    assert permutation.run_permutation(tables, 2, tmp_path, n_jobs=1) == first
