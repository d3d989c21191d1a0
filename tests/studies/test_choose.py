"""The study of choices: its tables, judges and comparisons, and a small run from end to end."""

import functools

import numpy as np
import pytest
from csv_tables import read_csv
from scipy import stats
from sklearn.model_selection import KFold, StratifiedKFold

from pytrees import DecisionTreeClassifier, DecisionTreeRegressor, OrdinalDecisionForestClassifier
from pytrees.datasets import equal_frequency_classes
from studies import choose, choose_models, choose_report, choose_tables, order_tables
from studies.__main__ import main
from studies.choose_tables import Problem


def make_problem(n_samples=90, n_classes=3, columns=()):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_samples)
    X = np.column_stack([y + rng.normal(size=n_samples), rng.integers(0, 5, n_samples)]).astype(float)
    return Problem(X, y, columns)


def make_numbers(n_samples=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 2))
    return Problem(X, np.exp(X[:, 0] + rng.normal(size=n_samples)), ())


def test_a_large_table_keeps_its_order_and_shares():
    y = np.repeat([3, 5, 9], [1000, 600, 400])
    y = y[np.random.default_rng(0).permutation(len(y))]
    problem = choose_tables.cut_down(np.arange(2000.0)[:, np.newaxis], y, ())
    assert len(problem.y) == choose_tables.MOST_SAMPLES
    assert (np.diff(problem.X[:, 0]) > 0).all()
    np.testing.assert_array_equal(np.array([3, 5, 9])[problem.y], y[problem.X[:, 0].astype(int)])
    np.testing.assert_allclose(np.bincount(problem.y) / len(problem.y), [0.5, 0.3, 0.2], atol=0.002)


def test_a_large_table_of_numbers_is_drawn_once_and_keeps_its_order():
    X, y = np.arange(2000.0)[:, np.newaxis], np.arange(2000.0) / 7.0
    problem, again = (choose_tables.cut_down_numbers(X, y) for _ in range(2))
    assert len(problem.y) == choose_tables.MOST_SAMPLES
    assert (np.diff(problem.X[:, 0]) > 0).all()
    np.testing.assert_array_equal(problem.y, problem.X[:, 0] / 7.0)
    np.testing.assert_array_equal(problem.y, again.y)
    assert len(choose_tables.cut_down_numbers(X[:50], y[:50]).y) == 50


def test_gaps_are_as_many_at_random_and_of_high_values():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    problem = Problem(X, np.zeros(5000), ())
    at_random, high = (np.isnan(choose_tables._with_gaps(problem, high=high).X) for high in (False, True))
    assert at_random.mean() == pytest.approx(0.2, abs=0.01)
    assert high.mean() == pytest.approx(0.2, abs=0.01)
    assert X[high].min() > np.quantile(X, 0.59)
    assert X[at_random].min() < np.quantile(X, 0.1)


def test_models_are_judged_on_the_same_folds(monkeypatch):
    problem = make_problem()
    monkeypatch.setitem(choose_models.MODELS, "accuracy", {"gini": choose_models.MODELS["accuracy"]["gini"]})
    rows = choose.judge_folds("accuracy", problem, 1)
    folds = StratifiedKFold(choose.N_FOLDS, shuffle=True, random_state=1).split(problem.X, problem.y)
    for row, (train, test) in zip(rows, folds, strict=True):
        tree = DecisionTreeClassifier().fit(problem.X[train], problem.y[train])
        assert row["accuracy"] == tree.score(problem.X[test], problem.y[test])
        assert row["leaves"] == tree.get_n_leaves()


def test_models_of_numbers_are_judged_on_plain_folds_beside_the_median(monkeypatch):
    problem = make_numbers()
    monkeypatch.setattr(choose_models, "NUMBERS", {"tree": choose_models.NUMBERS["tree"]})
    rows = choose.judge_folds("numbers", problem, 1)
    folds = KFold(choose.N_FOLDS, shuffle=True, random_state=1).split(problem.X)
    for row, (train, test) in zip(rows, folds, strict=True):
        tree = DecisionTreeRegressor().fit(problem.X[train], problem.y[train])
        assert row["r2"] == tree.score(problem.X[test], problem.y[test])
        errors = np.abs(tree.predict(problem.X[test]) - problem.y[test]).mean()
        of_median = np.abs(np.median(problem.y[train]) - problem.y[test]).mean()
        assert row["relative_mae"] == pytest.approx(errors / of_median)
        assert row["leaves"] == tree.get_n_leaves()


def test_a_shuffled_forest_knows_where_its_columns_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    forest = choose_models.ShuffledForest(0, n_estimators=10).fit(X, X[:, 4])
    assert len({tuple(order) for order in forest.orders_}) > 5
    for tree, order in zip(forest.estimators_, forest.orders_, strict=True):
        assert tree.tree_.feature[0] == list(order).index(4)
    assert np.abs(forest.predict(X) - X[:, 4]).mean() < 0.1


def test_numbers_are_cut_where_the_grades_are():
    y = np.r_[make_numbers(200).y, np.zeros(70)]
    edges = choose_models.edges_of_grades(y)
    np.testing.assert_array_equal(np.searchsorted(edges, y), equal_frequency_classes(y, choose_models.N_GRADES))


def test_cut_rounded_and_classified_grades_are_the_same_grades(monkeypatch):
    X, y, _ = make_numbers(100)
    X = np.column_stack([y, X])
    tree_classes = {"GRADED": DecisionTreeClassifier, "CUT": DecisionTreeRegressor, "ROUNDED": DecisionTreeRegressor}
    for name, tree_class in tree_classes.items():
        monkeypatch.setattr(choose_models, name, {name: lambda seed, tree_class=tree_class: tree_class()})
    rows = choose_models.judge_cut("cut", (X, y), (X, y), (), 0)
    assert [(row["model"], row["mae"], row["accuracy"]) for row in rows] == [(name, 0.0, 1.0) for name in tree_classes]


def test_rules_of_the_grades_are_those_of_the_estimators(monkeypatch):
    monkeypatch.setattr(choose_models, "REGRESSORS", {})
    ours = {name: choose_models.ORDINAL[name] for name in ("ogini", "ogini_tree")}
    monkeypatch.setattr(choose_models, "ORDINAL", ours)
    X, y, _ = make_problem(120, 4)
    rows = choose_models.judge_grades("grades", (X[:80], y[:80]), (X[80:], y[80:]), (), 3)
    found = {row["model"]: row["mae"] for row in rows}
    for suffix, rule in (("", "mode"), ("_median", "median")):
        forest = OrdinalDecisionForestClassifier(predict_rule=rule, random_state=3).fit(X[:80], y[:80])
        assert found["ogini" + suffix] == np.abs(forest.predict(X[80:]) - y[80:]).mean()
    assert len({row["rps"] for row in rows if row["model"].startswith("ogini_tree")}) == 1


def test_trees_of_ties_are_counted():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 60).astype(float)
    X, y = np.column_stack([x, x, rng.integers(0, 3, 60)]), x.astype(int)
    y[:5] = 1 - y[:5]
    sklearn_tree, ours = choose_models.judge_same("same", (X, y), (X, y), (), 0)
    assert sklearn_tree["trees_seeds"] > 1
    assert [ours[field] for field in choose_report.SAME_FIELDS] == [1, 0.0, 1, 0.0]


def test_pairs_are_compared_over_the_tables_of_both():
    means = {"a": {"x": 0.9, "y": 0.8, "z": 0.5}, "b": {"x": 0.7, "y": 0.8}}
    ((*names, n, mean, low, high, better, equal, worse, p),) = choose_report.compare(means, [("a", "b")], True)
    assert (names, n, better, equal, worse) == (["a", "b"], 2, 1, 1, 0)
    assert mean == pytest.approx(0.1)
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 1, loc=0.1, scale=stats.sem([0.2, 0.0])))
    assert p == 1.0
    assert choose_report.compare(means, [("a", "b")], False)[0][6:9] == (0, 1, 1)
    assert choose_report.compare(means, [("a", "b")], True, ["y"])[0][6:9] == (0, 1, 0)


def test_every_pair_compares_known_models():
    models = {question: set(of) for question, of in choose_models.MODELS.items()}
    models["grades"] = {name + rule for name in choose_models.ORDINAL for rule in ("", "_median")}
    models["grades"] |= set(choose_models.REGRESSORS)
    models["numbers"] = set(choose_models.NUMBERS)
    models["cut"] = {*choose_models.GRADED, *choose_models.CUT, *choose_models.ROUNDED}
    models["time"] = {*choose.timed_models(), "before"}
    for question, about in choose_report.QUESTIONS.items():
        assert {name for pair in about.pairs for name in pair} <= models.get(question, set())


@pytest.fixture
def small(monkeypatch):
    plain, coded = {"one": make_problem(40), "two": make_problem(40, 2)}, {"three": make_problem(40, 2, (1,))}
    tables = {question: {"one": plain["one"]} for question in choose_report.QUESTIONS}
    tables |= {"accuracy": plain, "categories": coded}
    tables |= {question: {"four": make_numbers()} for question in ("numbers", "cut")}
    monkeypatch.setattr(choose, "load_problems", lambda home: tables)
    monkeypatch.setattr(choose, "load_ordered", lambda home: {})
    monkeypatch.setattr(choose, "make_ordered", lambda name, seed: order_tables.make_ordered(name, seed, 90))
    monkeypatch.setattr(choose, "GENERATORS", ["regimes"])
    monkeypatch.setattr(choose, "N_FOLDS", 2)
    for name in ("RandomForestClassifier", "RandomForestRegressor", "DecisionForestRegressor"):
        forest = getattr(choose_models, name)
        monkeypatch.setattr(choose_models, name, functools.partial(forest, n_estimators=5))
    monkeypatch.setitem(choose_models.PERMUTED, "max_depth", 1)
    stump = choose.timed_models()["gini"]
    told = {name: (stump[0], is_told) for name, (_, is_told) in choose.timed_models().items()}
    monkeypatch.setattr(choose, "timed_models", lambda: told)


def test_a_small_run_from_end_to_end(small, tmp_path, capsys):
    arguments = ["choose", "--repetitions", "1", "--jobs", "1", "--data-home", str(tmp_path)]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for about in choose_report.QUESTIONS.values():
        assert about.title in printed
    pairs = read_csv(tmp_path / "choose_pairs.csv")
    of_questions = choose_report.QUESTIONS.values()
    assert len(pairs) == sum(len(about.pairs) * (len(about.metrics) + len(about.groups)) for about in of_questions)
    assert main([*arguments, "--output", str(tmp_path)]) == 0  # from what is kept
    assert capsys.readouterr().out.splitlines()[:-1] == printed.splitlines()[:-1]


def test_without_a_folder_the_study_says_so(capsys):
    assert main(["choose"]) == 2
    assert "PYTREES_DATA" in capsys.readouterr().err
