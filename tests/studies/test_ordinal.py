"""The ordinal study: the paper's figures, the protocol, runs that go on, the tables, the command line."""

import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.utils import Bunch
from support import assert_refuses

from pytrees import OrdinalDecisionTreeClassifier
from pytrees.criteria import RankingImpurity, WeightedInformationGain
from pytrees.datasets import load_ordinal, load_toy_ordinal, make_balance_scale
from pytrees.metrics import make_ordinal_scorer
from studies import ordinal, ordinal_impurities, ordinal_paper, ordinal_report, ordinal_variants
from studies.__main__ import main

KEPT = "ordinal_tasks.jsonl"
TABLES = {
    "ordinal_splits.csv",
    "ordinal_datasets.csv",
    "ordinal_table_2.csv",
    "ordinal_tables_3_to_5.csv",
    "ordinal_pairs.csv",
    KEPT,
}
PICTURES = {"ordinal_datasets.png", "ordinal_means.png"}


def as_table(X, y, train_size, n_classes=None):
    n_classes = n_classes or int(y.max()) + 1
    return Bunch(
        data=X, target=y, train_size=train_size, test_size=len(y) - train_size, target_names=np.arange(n_classes)
    )


def staircase(n_rows, n_classes, seed):
    """Classes that rise with a feature, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    ranks = np.argsort(np.argsort(X[:, 0] + 0.5 * rng.normal(size=n_rows)))
    return X, ranks * n_classes // n_rows


@pytest.fixture(scope="module")
def tables():
    """Two small data sets of few classes, and two of many."""
    toy = load_toy_ordinal()
    scale = make_balance_scale()
    return {
        "toy": as_table(toy.data, toy.target, 24),
        "balance-scale": as_table(scale[0][::5], scale[1][::5], 90),
        "stock10": as_table(*staircase(100, 10, 0), 60),
        "ESL": as_table(*staircase(90, 9, 1), 60),
    }


@pytest.fixture(scope="module")
def finished(tables, tmp_path_factory):
    """The folder and the results of a run of three splits, beside whose folder there is what it printed."""
    folder = tmp_path_factory.mktemp("ordinal") / "results"
    folder.mkdir()
    with open(folder.with_name("printed.txt"), "w", encoding="utf-8") as file, redirect_stdout(file):
        return folder, ordinal.run_ordinal(tables, 3, folder, n_jobs=1)


# -------------------------------------------------------------------------------------------------- the paper's figures


@pytest.mark.parametrize("criterion", ordinal_paper.TABLE_6)
def test_figures_of_table_6_agree(criterion):
    matrix = np.array(ordinal_paper.TABLE_6[criterion])
    truth, predicted = (np.repeat(codes.ravel(), matrix.ravel()) for codes in np.indices(matrix.shape))
    assert len(truth) == 22584  # the test samples of Table I
    printed = ordinal_paper.TABLE_6_MEASURES[criterion]
    assert np.abs(truth - predicted).mean() == pytest.approx(printed["mae"], abs=0.0005)
    assert cohen_kappa_score(truth, predicted, weights="quadratic") == pytest.approx(printed["qwk"], abs=0.0005)


# -------------------------------------------------------------------------------------------------------- the protocol


def labelled(kind):
    """Return samples and classes that rise with a feature, that are noise, or of which one is rare."""
    if kind == "few":
        X, y = staircase(60, 3, 0)
        return X, np.where(y == 1, np.where(np.arange(60) % 20 == 0, 1, 0), y)
    X, y = staircase(150, 5, {"first": 0, "second": 1, "noise": 2}[kind])
    return X, np.random.default_rng(2).permutation(y) if kind == "noise" else y


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("criterion", ordinal_paper.CRITERIA)
@pytest.mark.parametrize("kind", ["first", "second", "noise", "few"])
def test_choose_depth_agrees_with_grid_search(criterion, kind):
    X, y = labelled(kind)
    classes = np.unique(y)
    model = OrdinalDecisionTreeClassifier(criterion, classes=classes)
    scorer = make_ordinal_scorer("mae", labels=classes)
    search = GridSearchCV(model, {"max_depth": [3, 5, 8, 16]}, scoring=scorer, cv=5, error_score="raise").fit(X, y)
    assert ordinal.choose_depth(model, X, y) == search.best_params_["max_depth"]
    assert model.max_depth is None


def test_small_classes_are_reported_once_and_do_not_warn(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ordinal, "report", lambda *args: None)
    y = np.repeat([0, 1, 2], [40, 4, 40])
    tables = {"ERA": as_table(np.arange(84.0)[:, None], y, 60), "LEV": as_table(*staircase(84, 3, 0), 60)}
    ordinal.run_ordinal(tables, 2, tmp_path, n_jobs=1)
    assert capsys.readouterr().out.count("fewer training samples than cross-validation has parts (5) in ERA:") == 1


def test_a_split_judges_trees_of_the_chosen_depths(tables):
    table = tables["ESL"]
    X, y = table.data, table.target
    rows = {row["model"]: row for row in ordinal.judge_split(X, y, 9, 60, 30, seed=4)}
    assert list(rows) == list(ordinal_report.MODELS)
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=60, test_size=30, stratify=y, random_state=4)
    criteria = {name: name for name in ordinal_paper.CRITERIA}
    criteria["ranking_unweighted"] = RankingImpurity(weighted=False)
    for name, criterion in criteria.items():
        row = rows[name]
        assert row["max_depth"] in (3, 5, 8, 16)
        tree = OrdinalDecisionTreeClassifier(criterion, max_depth=row["max_depth"]).fit(X_train, y_train)
        predicted = tree.predict(X_test)
        assert row["mae"] == np.abs(predicted - y_test).mean()
        assert row["qwk"] == cohen_kappa_score(y_test, predicted, weights="quadratic", labels=np.arange(9))
        below = np.cumsum(tree.predict_proba(X_test), axis=1)
        seen = (y_test[:, None] <= np.arange(9)).astype(float)
        assert row["rps"] == pytest.approx(((below - seen) ** 2).sum(axis=1).mean(), rel=1e-12)
        assert (row["depth"], row["leaves"]) == (tree.get_depth(), tree.get_n_leaves())
        matrix = np.zeros((9, 9), dtype=int)
        np.add.at(matrix, (y_test, predicted), 1)
        assert row["confusion"] == matrix.tolist()


def test_constant_answers_are_judged_by_hand(tables):
    y = np.repeat([0, 1, 2, 3], [40, 20, 25, 15])
    rows = {row["model"]: row for row in ordinal.judge_split(np.arange(100.0)[:, None], y, 4, 60, 40, seed=0)}
    # Stratified: 16, 8, 10 and 6 test samples; the median class is the second.
    assert rows["majority"]["mae"] == (8 + 2 * 10 + 3 * 6) / 40
    assert rows["median"]["mae"] == (16 + 10 + 2 * 6) / 40
    shares = np.cumsum([0.4, 0.2, 0.25, 0.15])
    score = sum(n * ((shares - (q <= np.arange(4))) ** 2).sum() for q, n in enumerate([16, 8, 10, 6])) / 40
    for name in ordinal.CONSTANTS:
        assert rows[name]["qwk"] == 0.0
        assert rows[name]["rps"] == pytest.approx(score, rel=1e-12)
        assert "max_depth" not in rows[name]


# ------------------------------------------------------------------------------------------------------ runs that go on


@pytest.fixture
def again(finished, tmp_path, monkeypatch):
    """A folder with the finished splits of another one; nothing is reported."""
    monkeypatch.setattr(ordinal, "report", lambda *args: None)
    (tmp_path / KEPT).write_bytes((finished[0] / KEPT).read_bytes())
    return tmp_path


def without_seconds(results):
    return [{field: value for field, value in row.items() if field != "seconds"} for row in results]


def fail(*arguments):
    raise AssertionError("a finished split was computed again")


def test_results_in_their_order(finished, tables):
    _, results = finished
    order = [(row["dataset"], row["seed"], row["model"]) for row in results]
    assert order == [(name, seed, model) for name in tables for seed in range(3) for model in ordinal_report.MODELS]


def test_finished_splits_are_not_computed_again(finished, again, tables, monkeypatch, capsys):
    _, results = finished
    monkeypatch.setattr(ordinal, "judge_split", fail)
    assert ordinal.run_ordinal(tables, 3, again, n_jobs=1) == results
    assert ordinal.run_ordinal(tables, 2, again, n_jobs=1) == [row for row in results if row["seed"] < 2]
    assert "12 of 12 splits are finished in" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["data", "target", "size", "protocol"])
def test_other_splits_are_not_used(again, tables, monkeypatch, change):
    table = Bunch(**tables["toy"])
    if change == "data":
        table.data = table.data + 1.0
    elif change == "target":
        table.target = 3 - table.target
    elif change == "size":
        table.train_size, table.test_size = 20, 20
    else:
        monkeypatch.setattr(ordinal, "PROTOCOL_VERSION", 0)
    monkeypatch.setattr(ordinal, "judge_split", fail)
    assert_refuses(RuntimeError, "computed again", ordinal.run_ordinal, {"toy": table}, 1, again, n_jobs=1)


# ------------------------------------------------------------------------------------------------- tables and pictures


def test_files_of_the_study(finished):
    folder, results = finished
    pytest.importorskip("matplotlib")
    pytest.importorskip("statsmodels")
    assert {path.name for path in folder.iterdir()} == TABLES | PICTURES | {"ordinal_anova.csv"}
    assert all((folder / name).stat().st_size > 10_000 for name in PICTURES)
    splits = read_csv(folder / "ordinal_splits.csv")
    assert len(splits) == len(results)
    assert [float(row["mae"]) for row in splits] == [row["mae"] for row in results]


def test_means_are_over_splits_and_data_sets(finished, tables):
    folder, results = finished
    written = read_csv(folder / "ordinal_table_2.csv")
    assert [row["group"] for row in written[:: len(ordinal_report.MODELS)]] == ["all data sets", "Q >= 6", "Q < 6"]
    rows = {row["model"]: row for row in written if row["group"] == "all data sets"}
    assert list(rows) == list(ordinal_report.MODELS)
    for model, row in rows.items():
        by_set = [[r["rps"] for r in results if (r["model"], r["dataset"]) == (model, name)] for name in tables]
        assert float(row["rps_mean"]) == pytest.approx(np.mean(by_set), abs=5e-5)
        assert float(row["rps_std"]) == pytest.approx(np.mean(np.std(by_set, axis=1, ddof=1)), abs=5e-5)
    assert float(rows["wig"]["rps_paper"]) == 0.770
    assert rows["median"]["rps_paper"] == ""
    by_set = {(row["dataset"], row["model"]): row for row in read_csv(folder / "ordinal_datasets.csv")}
    errors = [r["mae"] for r in results if (r["model"], r["dataset"]) == ("gini", "ESL")]
    assert float(by_set["ESL", "gini"]["mae_mean"]) == pytest.approx(np.mean(errors), abs=5e-5)


def test_groups_by_the_number_of_classes(finished):
    folder, results = finished
    rows = {(r["group"], r["metric"], r["criterion"]): r for r in read_csv(folder / "ordinal_tables_3_to_5.csv")}
    assert len(rows) == 3 * 3 * 5
    for group, names in (("Q >= 6", {"stock10", "ESL"}), ("Q < 6", {"toy", "balance-scale"})):
        mean = np.mean([r["qwk"] for r in results if r["model"] == "ogini" and r["dataset"] in names])
        assert float(rows[group, "qwk", "ogini"]["mean"]) == pytest.approx(mean, abs=5e-5)
        assert rows[group, "qwk", "ogini"]["data_sets"] == "2"
    assert float(rows["Q >= 6", "mae", "ogini"]["paper_mean"]) == 1.393
    assert float(rows["Q < 6", "mae", "ogini"]["paper_mean"]) == 0.519
    assert float(rows["all data sets", "mae", "ogini"]["paper_mean"]) == 0.849


def test_all_tables_are_printed(finished):
    printed = finished[0].with_name("printed.txt").read_text("utf-8")
    for text in ("Table II", "Tables III to V", "RI, unweighted", "MAE, Q >= 6 (2)", "RPS, Q < 6 (2)", "In short"):
        assert text in printed
    assert "0.849 ± 0.094" in printed
    assert "Table VI" not in printed


@pytest.mark.parametrize("n_seeds", [1, 2])
def test_one_data_set(tables, tmp_path, capsys, n_seeds):
    ordinal.run_ordinal({"toy": tables["toy"]}, n_seeds, tmp_path, n_jobs=1)
    printed = capsys.readouterr().out
    assert "Analysis of variance needs two data sets and two splits that differ" in printed
    assert "Q >= 6" not in printed
    assert (tmp_path / "ordinal_means.png").exists()
    assert all(row["tukey_p"] == "" for row in read_csv(tmp_path / "ordinal_pairs.csv"))


def test_confusion_matrices_are_printed_and_written(tmp_path, capsys):
    table = as_table(*staircase(120, 5, 0), 80)
    results = ordinal.run_ordinal(
        {"census2-5": table, "toy": as_table(*staircase(60, 5, 1), 40)}, 2, tmp_path, n_jobs=1
    )
    printed = capsys.readouterr().out
    assert "Table VI" in printed
    assert "2197  1289" in printed
    assert "paper 0.948" in printed
    assert (tmp_path / "ordinal_confusion.png").stat().st_size > 10_000
    cells = {(r["criterion"], r["class"], r["predicted"]): r for r in read_csv(tmp_path / "ordinal_confusion.csv")}
    assert len(cells) == 5 * 25
    counts = [r["confusion"][1][2] for r in results if (r["model"], r["dataset"]) == ("ogini", "census2-5")]
    assert float(cells["ogini", "2", "3"]["mean_count"]) == np.mean(counts)
    assert (cells["ogini", "2", "3"]["paper"], cells["wig", "2", "3"]["paper"]) == ("1895", "")


def test_without_the_optional_libraries(finished, tables, tmp_path, monkeypatch, capsys):
    _, results = finished
    for name in ("matplotlib", "pandas", "statsmodels", "statsmodels.formula.api", "statsmodels.stats.diagnostic"):
        monkeypatch.setitem(sys.modules, name, None)
    ordinal_report.report(results, {name: len(table.target_names) for name, table in tables.items()}, tmp_path)
    printed = capsys.readouterr().out
    assert "needs statsmodels: pip install 'decision-pytrees[study]'" in printed
    assert "need matplotlib: pip install 'decision-pytrees[study]'" in printed
    assert {path.name for path in tmp_path.iterdir()} == TABLES - {KEPT}


# -------------------------------------------------------------------------------------------------------- the variants


def test_variants_have_their_parameters():
    models = ordinal_variants.make_variants(4)
    assert list(models) == list(ordinal_variants.VARIANTS)
    assert all(variant.base in models for variant in ordinal_variants.VARIANTS.values())
    assert models["wig_present"].criterion == WeightedInformationGain(normalize_over="present")
    unweighted, X, y = RankingImpurity(weighted=False), *staircase(60, 4, 0)
    equal = RankingImpurity(weighted=False, cost_matrix=1 - np.eye(4))
    assert models["ranking_unweighted"].criterion == unweighted
    assert models["ranking_equal"].criterion == equal
    np.testing.assert_array_equal(models["ranking_squared"].criterion.cost_matrix[3], [9.0, 4.0, 1.0, 0.0])
    absolute, median = (
        tree.set_params(max_depth=2).fit(X, y)
        for tree in (models["ogini_absolute"], OrdinalDecisionTreeClassifier(predict_rule="median"))
    )
    assert np.array_equal(absolute.predict(X), median.predict(X))


def test_variants_are_compared_with_their_base(tables, tmp_path, capsys):
    results = ordinal.run_variants(tables, 2, tmp_path, n_jobs=1)
    printed = capsys.readouterr().out
    assert "Variants, means over 2 splits of 4 data sets" in printed
    assert "... over the classes present" in printed
    rows = {(row["variant"], row["metric"]): row for row in read_csv(tmp_path / "ordinal_variants.csv")}
    assert len(rows) == 3 * len(ordinal_variants.VARIANTS)
    errors = {
        name: np.array([[r["mae"] for r in results if (r["dataset"], r["model"]) == (t, name)] for t in tables])
        for name in ("wig", "wig_highest")
    }
    row = rows["wig_highest", "mae"]
    assert float(row["mean"]) == pytest.approx(errors["wig_highest"].mean(), abs=5e-5)
    lead = (errors["wig"].mean(axis=1) - errors["wig_highest"].mean(axis=1)).round(12)
    counts = [int(row[field]) for field in ("better", "equal", "worse")]
    assert counts == [(lead > 0).sum(), (lead == 0).sum(), (lead < 0).sum()]
    assert rows["ogini", "qwk"]["better"] == ""
    table = tables["ESL"]
    (found,) = [r for r in results if (r["dataset"], r["model"], r["seed"]) == ("ESL", "ogini", 0)]
    split = ordinal.judge_split(table.data, table.target, 9, 60, 30, seed=0)
    (plain,) = [r for r in split if r["model"] == "ogini"]
    assert without_seconds([found | {"dataset": "", "seed": 0}]) == without_seconds(
        [plain | {"dataset": "", "seed": 0}]
    )


# ------------------------------------------------------------------------------------------------------ Figures 1 to 3


def test_figure_1_has_five_classes():
    points, classes = ordinal_impurities.make_problem()
    assert len(points) == 400
    assert set(classes.tolist()) == {0, 1, 2, 3, 4}


def test_figure_1_follows_the_rule_of_toy(clone_tables):
    try:
        toy = load_ordinal("toy")
    except FileNotFoundError as error:
        pytest.skip(f"tools/fetch_tables.py fetches the table: {error}")
    of_rule = np.digitize(ordinal_impurities.latent(*toy.data.T), ordinal_impurities.BOUNDS)
    np.testing.assert_array_equal(of_rule, toy.target)


def test_impurities_of_figure_2_and_gains_of_figure_3():
    impurities, gains = ordinal_impurities.compute_impurities()
    # The paper gives .5 and 1.0 for both nodes; the others from the definitions.
    assert impurities["gini"].tolist() == [0.5, 0.5]
    assert impurities["entropy"].tolist() == [1.0, 1.0]
    assert impurities["ogini"].tolist() == [0.75, 0.25]
    assert impurities["wig"] == pytest.approx([1 / 4, 1 / 12])
    assert impurities["ranking"].tolist() == [300.0, 100.0]
    # The node's impurities are 3/4, 2, 5/8, 1/2 and 1000; the shares of the children are 1/2.
    assert gains["gini"].tolist() == [0.25, 0.25]
    assert gains["entropy"].tolist() == [1.0, 1.0]
    assert gains["ogini"].tolist() == [5 / 8 - (3 / 4 + 1 / 4) / 2, 5 / 8 - 1 / 4]
    assert gains["wig"] == pytest.approx([1 / 2 - (1 / 4 + 1 / 8) / 2, 1 / 2 - (1 / 12 + 1 / 8) / 2])
    assert gains["ranking"].tolist() == [1000 - (300 + 100) / 2, 1000 - 100]
    assert gains["ranking_unweighted"].tolist() == [1000 - 400, 1000 - 200]


def test_figures_need_no_data(tmp_path, capsys, monkeypatch):
    assert main(["ordinal", "--part", "impurities", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "Figure 2" in printed
    assert "RI, unweighted" in printed
    assert (tmp_path / "ordinal_impurities.png").stat().st_size > 10_000
    assert (tmp_path / "ordinal_problem.png").stat().st_size > 10_000
    rows = read_csv(tmp_path / "ordinal_impurities.csv")
    assert {row["figure"] for row in rows} == {"2", "3"}
    assert len(rows) == 2 * 5 + 2 * 6
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["ordinal", "--part", "impurities", "--output", str(tmp_path / "plain")]) == 0
    assert {path.name for path in (tmp_path / "plain").iterdir()} == {"ordinal_impurities.csv"}


# ----------------------------------------------------------------------------------------------------- the command line


def write_tables(folder):
    """The files of two data sets."""
    X, y = make_balance_scale()
    rows = [(*(f"{x:g}" for x in row), "LBR"[code]) for row, code in zip(X, y, strict=True)]
    text = "\n".join(",".join(row) for row in [("a", "b", "c", "d", "target"), *rows])
    (folder / "balance_scale.csv").write_text(text + "\n", encoding="utf-8")
    X, y = staircase(300, 5, 0)
    lines = [f"{a},{b},{code + 1}" for (a, b, _), code in zip(X, y, strict=True)]
    (folder / "toy.csv").write_text("\n".join(["x1,x2,target", *lines]) + "\n", encoding="utf-8")


def test_data_sets_that_are_absent_are_named(tmp_path, capsys, monkeypatch):
    write_tables(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # pictures take seconds
    output = tmp_path / "new" / "results"
    arguments = ["ordinal", "--splits", "1", "--jobs", "1", "--data-home", str(tmp_path), "--output", str(output)]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert "Left out, for want of their tables (tools/fetch_tables.py): ERA, ESL, LEV" in err
    assert "splits: " in err
    assert "seconds in all" in out
    assert {row["dataset"] for row in read_csv(output / "ordinal_splits.csv")} == {"balance-scale", "toy"}
    (first, *_) = [row for row in read_csv(output / "ordinal_splits.csv") if row["model"] == "ogini"]
    assert first["max_depth"] in {"3", "5", "8", "16"}
    assert {path.name for path in output.iterdir()} >= {"ordinal_variants.csv", "ordinal_impurities.csv"}
    assert main(arguments) == 0
    assert capsys.readouterr().err.count("2 of 2 splits are finished") == 2
    assert main([*arguments, "--part", "tables"]) == 0
    assert capsys.readouterr().err.count("2 of 2 splits are finished") == 1


def test_missing_data_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ordinal, "judge_split", fail)
    output = ["--output", str(tmp_path / "results")]
    assert main(["ordinal", *output]) == 2
    assert "PYTREES_DATA or --data-home" in capsys.readouterr().err
    assert main(["ordinal", "--data-home", str(tmp_path / "absent"), *output]) == 2
    assert "There is no folder" in capsys.readouterr().err
    assert main(["ordinal", "--data-home", str(tmp_path), *output]) == 2
    assert "None of the ordinal data sets is in" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
