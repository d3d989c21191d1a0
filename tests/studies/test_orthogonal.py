"""The study of orthogonal trees: the protocol against the estimators, the paper's numbers, tables, runs that go on."""

import sys

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.utils import Bunch
from support import assert_refuses

from pytrees import DecisionTreeClassifier, OrthogonalTreesClassifier
from pytrees.datasets import load_discrete
from studies import orthogonal, orthogonal_report
from studies.__main__ import main
from studies.orthogonal_paper import ERROR_ROWS, IN_ORDER, NODE_ROWS, SETTINGS
from studies.orthogonal_protocol import VARIANTS, Components, HeldOutRows, c45, cross_validate_c45, judge

KEPT = "orthogonal_tasks.jsonl"
RUN = orthogonal, "run_orthogonal"
TABLES = {
    "orthogonal_tables.csv",
    "orthogonal_models.csv",
    "orthogonal_leaves.csv",
    "orthogonal_cross_validation.csv",
    "orthogonal_members.csv",
    "orthogonal_variance.csv",
    "orthogonal_components.csv",
    "orthogonal_forest.csv",
    "orthogonal_forest_models.csv",
}
PICTURES = {
    "orthogonal_variance.png",
    "orthogonal_components.png",
    "orthogonal_forest.png",
    "orthogonal_figure_7.png",
    "orthogonal_figure_15.png",
}
N_FOREST_TREES = 20
FEWER = SETTINGS["spect"]._replace(n_trees=8, n_components=4)


def make_table(n_rows, n_features, n_train, *, drawn, ones=0):
    """Binary attributes, the first two of which decide a noisy class; or so many test samples of class 1, the last."""
    random = np.random.RandomState(n_rows)
    data = random.randint(2, size=(n_rows, n_features)).astype(float)
    target = ((data[:, 0] + data[:, 1] > 1) ^ (random.rand(n_rows) < 0.15)).astype(np.int64)
    if ones:
        target[n_train:] = np.arange(n_rows - n_train) >= n_rows - n_train - ones
    return Bunch(data=data, target=target, n_train=n_train, drawn=drawn)


@pytest.fixture(scope="module")
def tables():
    drawn = make_table(60, 9, 45, drawn=True)
    return {
        "spect": make_table(70, 13, 40, drawn=False, ones=28),
        "cmc": drawn,
        IN_ORDER: make_table(60, 9, 45, drawn=False, ones=15),
    }


@pytest.fixture(scope="module")
def finished(tables, tmp_path_factory):
    """The folder and the results of a run of two seeds."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SETTINGS, "spect", FEWER)
        results = orthogonal.run_orthogonal(tables, 2, folder, n_forest_trees=N_FOREST_TREES, n_jobs=1)
    return folder, results


@pytest.mark.parametrize(("name", "n_test"), [("spect", 187), ("dna", 1186), ("house_votes_84", 100), ("cmc", 153)])
def test_errors_of_the_paper_are_numbers_of_test_samples(name, n_test):
    """Errors of random forests are means, and DNA's 10.70 % are 126.9 samples."""
    for model, error in SETTINGS[name].errors.items():
        wrong = error * n_test / 100.0
        if model != "forest":
            assert abs(wrong - round(wrong)) < 0.11, model
            assert abs(error - 100.0 * round(wrong) / n_test) < 0.011, model


def test_every_line_of_the_papers_tables_has_a_model(finished):
    models = {row[0] for row in finished[1]["spect"][0]["rows"]}
    assert {*ERROR_ROWS, *NODE_ROWS} <= models
    assert set(orthogonal_report.MODELS) <= models


def test_figures_of_a_model():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    trees = [DecisionTreeClassifier().fit(X, y) for y in ([0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1])]
    rows = HeldOutRows.of(X, np.array([0, 0, 0, 1]), trees)
    assert rows.vote.tolist() == [0, 0, 1, 1]
    assert HeldOutRows.of(X, rows.y, trees[:2]).vote.tolist() == [0, 0, 0, 0]
    assert rows.judged("x", rows.vote, 5, 3) == ["x", 0.25, 0.833333, 0.5, 0.0, 5.0, 3.0]
    assert rows.judged("x", np.ones(4, dtype=int), 1, 1) == ["x", 0.75, 0.5, 1.0, 0.5, 1.0, 1.0]
    of_one_class = HeldOutRows(X[:2], np.array([1, 1]), np.array([1, 1]))
    assert of_one_class.judged("x", np.array([0, 1]), 1, 1) == ["x", 0.5, 0.5, 0.5, 0.5, 1.0, 1.0]


def test_cross_validation_of_c45(tables):
    """Against scikit-learn's own functions."""
    X, y = tables["cmc"].data, tables["cmc"].target
    folds = StratifiedKFold(10, shuffle=True, random_state=3)
    shares = cross_val_predict(c45(X.shape[1]), X, y, cv=folds, method="predict_proba")[:, 1]
    errors = 1.0 - cross_val_score(c45(X.shape[1]), X, y, cv=folds)
    expected = np.sqrt(brier_score_loss(y, shares)), errors.mean(), errors.std(ddof=1)
    assert cross_validate_c45(X, y, 3) == pytest.approx(expected, abs=1e-6)


def test_every_bagged_tree_stands_beside_its_rebuilt_tree(finished):
    """Their means are the rows of the table."""
    for found in finished[1]["spect"]:
        rows = {row[0]: row for row in found["rows"]}
        means = np.mean(found["members"], axis=0)
        ours = rows["bagged_alone"][1], rows["bagged_alone"][5], *(rows["rebuilt_alone"][i] for i in (1, 5, 6))
        assert means == pytest.approx(ours, abs=1e-5)


@pytest.fixture(scope="module")
def ensemble(tables):
    table = tables["cmc"]
    X, y = table.data[:, :4], table.target
    bag = BaggingClassifier(DecisionTreeClassifier("entropy"), 7, random_state=0).fit(X[:45], y[:45])
    return bag, (X[:45], y[:45]), HeldOutRows.of(X[45:], y[45:], bag.estimators_)


@pytest.mark.parametrize("variant", VARIANTS)
def test_components_predict_as_the_estimator_does(ensemble, variant):
    bag, train, test = ensemble
    measure, center = VARIANTS[variant]
    ours = Components(bag, measure, center, train, test)
    rows = {row[0]: row for row in ours.judge(variant, 3)}
    shared = {"measure": measure, "center": center}

    def theirs(fitted_to, **options):
        model = OrthogonalTreesClassifier(FrozenEstimator(bag), **shared, **options).fit(*fitted_to)
        return test.judged("", model.predict(test.X), 0, 0)[1:5]

    assert rows[f"first_{variant}"][1:5] == theirs(train, n_components=1, combine="first")
    assert rows[f"vote_{variant}"][1:5] == theirs(train, n_components=3, combine="vote")
    assert rows[f"least_squares_{variant}"][1:5] == theirs(train, n_components=3, combine="least_squares")
    if measure == "uniform":
        for name, n_components in (("first_fitted", 1), ("least_squares", 3)):
            expected = theirs((test.X, test.y), n_components=n_components, combine="least_squares")
            assert rows[f"{name}_{variant}_test"][1:5] == expected


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_components_are_the_vote(ensemble, variant):
    """Four binary attributes need no more than 16 leaves: nothing is lost."""
    bag, train, test = ensemble
    ours = Components(bag, *VARIANTS[variant], train, test)
    assert np.array_equal(ours.by_vote(ours.model.n_components_), test.vote)
    assert ours.overlap(ours.model.n_components_) < 1e-6
    assert ours.curves(3)["vote"][2] == round(float(np.mean(ours.by_vote(3) != test.y)), 6)
    assert len(ours.curves(1000)["least_squares"]) == ours.model.n_components_


def test_a_seed_draws_samples_bags_and_forest(tables):
    table = tables["cmc"]
    setting = SETTINGS["cmc"]._asdict() | {"n_trees": 3, "n_components": 2}
    arguments = (table.data, table.target, table.n_train)
    first = judge(*arguments, True, setting, 0)
    assert first == judge(*arguments, True, setting, 0) != judge(*arguments, True, setting, 1)
    in_order = [judge(*arguments, False, setting, seed)["rows"] for seed in (0, 1)]
    same = [row[0] for row, other in zip(*in_order, strict=True) if row[:4] == other[:4]]
    assert {"majority", "best_constant", "stump", "c45", "tree"} <= set(same)
    assert "bagged_alone" not in same


def test_weights_from_the_test_samples_of_spect_always_predict_1(clone_tables):
    """The paper's 8.02 % are 15 of 187, the error of always answering 1; weights from training samples do better."""
    table = load_discrete("spect")
    train, (X, y) = ((table.data[rows], table.target[rows]) for rows in (slice(80), slice(80, None)))
    assert round(100.0 * float(np.mean(y != 1)), 2) == SETTINGS["spect"].errors["least_squares_uniform_test"]
    bag = BaggingClassifier(c45(22), SETTINGS["spect"].n_trees, random_state=0).fit(*train)
    test = HeldOutRows.of(X, y, bag.estimators_)
    components = Components(bag, "uniform", False, train, test, SETTINGS["spect"].n_components)
    assert components.by_least_squares(15, components.at_test).tolist() == [1] * 187
    fitted = components.by_least_squares(15, components.at_train)
    assert np.mean(fitted[y == 0] == 0) > 0.5


def test_files_of_the_study(finished, tables):
    folder, results = finished
    assert {path.name for path in folder.iterdir()} == TABLES | PICTURES | {KEPT}
    rows = read_csv(folder / "orthogonal_models.csv")
    models = [row[0] for row in results["spect"][0]["rows"]]
    assert len(rows) == 2 * len(tables) * len(models)
    errors = [float(row["error"]) for row in rows if (row["dataset"], row["model"]) == ("cmc", "bagging")]
    means = {(row["dataset"], row["model"]): row for row in read_csv(folder / "orthogonal_tables.csv")}
    of_bagging = means["cmc", "bagging"]
    assert float(of_bagging["error"]) == pytest.approx(np.mean(errors), abs=1e-6)
    assert float(of_bagging["error_max"]) == max(errors)
    assert [of_bagging[f"paper_{what}"] for what in ("error", "is", "nodes")] == ["0.522876", "above", "24.8"]
    assert len(read_csv(folder / "orthogonal_forest.csv")) == 2 * len(VARIANTS) * 6


def test_all_tables_are_printed(finished, tables, tmp_path, monkeypatch, capsys):
    _, results = finished
    monkeypatch.setattr(orthogonal_report, "import_pyplot", lambda: None)
    orthogonal_report.report(results, tables, tmp_path)
    printed = capsys.readouterr().out
    for text in (
        "SPECT (Table I)\n40 training samples, the first ones, and 30 to test on; 40 trees",
        "always 1: 2 of 30 test samples wrong, 6.67 %; balanced accuracy 0.5",
        "always 1: 0 of 15 test samples wrong, 0.00 %; balanced accuracy 1.0",
        "least_squares_uniform_centered_test: always 1, 2 of 2 seeds",
        "forest of 20 trees",
        "empirical, centred",
    ):
        assert text in printed


def models_of(share_of_class_1):
    """Make the input of `constant_answers`: models with these shares of samples predicted as class 1, by seed."""
    return {name: {"share_of_class_1": np.array(shares)} for name, shares in share_of_class_1.items()}


def test_constant_answers_are_found():
    models = models_of({"a": [1.0, 0.5], "b": [0.0, 1.0], "c": [0.2, 0.9], "majority": [1.0, 1.0]})
    assert orthogonal_report.constant_answers(models) == {"a": (1, 1), "b": (None, 2)}


def test_simple_errors_of_the_paper_are_reported(capsys):
    votes = Bunch(target=np.array([0] * 335 + [0] * 59 + [1] * 41), n_train=335, drawn=False)
    models = {name: {"share_of_class_1": np.array([0.5]), "error": np.array([0.11])} for name in ("majority", "stump")}
    orthogonal_report.print_constants({"house_votes_84": models}, {"house_votes_84": votes})
    told = "11.00 %, the error of one split, is what the paper has for bagging, AFT, ODT from the 1st PC, ODT-LR"
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(("figure", "place"), [(8.0, "below"), (10.0, "within"), (12.0, "within"), (12.1, "above")])
def test_range_of_ours_around_the_papers_figure(figure, place):
    assert orthogonal_report.place_of(figure, np.array([10.0, 11.0, 12.0])) == place


def test_without_matplotlib_there_are_tables_alone(finished, tables, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    orthogonal_report.report(finished[1], tables, tmp_path)
    assert "need matplotlib: pip install 'decision-pytrees[study]'" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == TABLES


def fail(*arguments):
    raise AssertionError("a finished seed was computed again")


def test_finished_seeds_are_not_computed_again(finished, tables, tmp_path, monkeypatch, capsys):
    folder, results = finished
    (tmp_path / KEPT).write_bytes((folder / KEPT).read_bytes())
    monkeypatch.setattr(orthogonal, "report", lambda *args: None)
    monkeypatch.setattr(orthogonal, "repeat", fail)
    monkeypatch.setitem(SETTINGS, "spect", FEWER)
    shared = {"n_forest_trees": N_FOREST_TREES, "n_jobs": 1}
    assert orthogonal.run_orthogonal(tables, 2, tmp_path, **shared) == results
    assert "8 of 8 seeds are finished" in capsys.readouterr().err
    other = {"spect": Bunch(**{**tables["spect"], "n_train": 41})}
    assert_refuses(RuntimeError, "2 of 2 tasks failed", orthogonal.run_orthogonal, other, 2, tmp_path, **shared)


def test_without_a_folder_of_tables(ran, tmp_path, capsys):
    assert main(["orthogonal", "--output", str(tmp_path)]) == 0
    assert "want of their tables (tools/fetch_tables.py): spect, dna, house_votes_84, cmc" in capsys.readouterr().err
    assert list(ran["tables"]) == ["nasdaq"]
    assert (ran["n"], ran["n_forest_trees"], ran["n_jobs"]) == (10, 500, -1)


def test_options_reach_the_study(ran, tmp_path, capsys):
    home = ["--data-home", str(tmp_path), "--output", str(tmp_path / "results")]
    assert main(["orthogonal", "--quick", "--jobs", "2", *home]) == 0
    assert (ran["n"], ran["n_forest_trees"], ran["n_jobs"]) == (1, 50, 2)
    assert main(["orthogonal", "--seeds", "3", *home]) == 0
    assert (ran["n"], ran["n_forest_trees"]) == (3, 500)
    assert main(["orthogonal", "--data-home", str(tmp_path / "absent")]) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_tables_of_the_clone(ran, tmp_path, clone_tables):
    assert main(["orthogonal", "--output", str(tmp_path)]) == 0
    assert list(ran["tables"]) == list(SETTINGS)
    assert ran["tables"]["cmc"].drawn
    assert not ran["tables"][IN_ORDER].drawn
