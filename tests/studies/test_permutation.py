"""The tour and the permutation study: golden figures of the paper, the protocol, the tables, the command lines."""

import sys

import numpy as np
import pytest
from csv_tables import read_csv
from sklearn.metrics import f1_score
from sklearn.model_selection import TimeSeriesSplit
from support import assert_refuses

from pytrees import DecisionTreeClassifier, PermutationDecisionTreeClassifier, effort_to_compress
from pytrees.__main__ import main as run_tour
from pytrees.datasets import load_shipped, load_toy_permutations
from pytrees.tour import overview, permutation, report, toy
from studies import permutation as permutation_study
from studies.__main__ import STUDIES
from studies.__main__ import main as run_study

TOY_PICTURE = "toy_trees.png"


def test_table_1_and_section_2(engine):
    # Harikrishnan and Nagaraj, arXiv:2306.02617, Table 1; the last is the example of Section 2.
    golden = {"111111": 0, "121212": 1, "222111": 5, "122112": 4, "211122": 5, "00011": 4}
    assert golden == toy.TABLE_1
    assert {sequence: effort_to_compress(sequence) for sequence in golden} == golden


def test_efforts_are_those_of_table_3(engine):
    golden = {"A": 7, "B": 8, "C": 9, "D": 9, "E": 8}
    assert golden == toy.TABLE_3
    example = load_toy_permutations()
    assert {name: effort_to_compress(example.target[rows]) for name, rows in example.permutations.items()} == golden


def test_entropy_and_gini_of_tables_1_and_3():
    one = {"121212": (1, 0.5), "222111": (1, 0.5), "122112": (1, 0.5), "211122": (1, 0.5), "111111": (0, 0)}
    assert one == toy.COUNT_IMPURITIES_1
    assert toy.COUNT_IMPURITIES_3 == (0.985, 0.490)
    assert {sequence: toy.count_impurities(sequence) for sequence in one} == one
    example = load_toy_permutations()
    for rows in example.permutations.values():
        assert tuple(round(value, 3) for value in toy.count_impurities(example.target[rows])) == (0.985, 0.490)


def test_toy_example_agrees_with_the_paper(engine, tmp_path, capsys):
    assert toy.run_toy(tmp_path / "new" / "folder")
    printed = capsys.readouterr().out
    assert "5 of the 5 trees are different" in printed
    header, _, *lines = printed.split("\n\n")[1].splitlines()
    assert header.split()[-1] == "Lempel-Ziv"
    assert lines[2].split() == ["222111", "5", "5", "1.000", "1.000", "0.500", "0.500", "3"]
    # The example of Section 2 is not in the table.
    assert lines[-1].split() == ["00011", "4", "4", "0.971", "0.480", "3"]
    assert (tmp_path / "new" / "folder" / TOY_PICTURE).stat().st_size > 10_000


@pytest.fixture
def no_overview(monkeypatch):
    """Leave out what takes seconds; `test_one_split_of_one_set` has it."""
    monkeypatch.setattr(overview, "run_overview", lambda: None)


def test_toy_example_that_disagrees_is_reported(no_overview, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(toy, "import_pyplot", lambda: None)
    monkeypatch.setitem(toy.TABLE_3, "C", 10)
    assert not toy.run_toy(tmp_path)
    monkeypatch.setattr(permutation, "run_permutation", lambda *args, **options: None)
    assert run_tour(["--output", str(tmp_path)]) == 1
    assert "does NOT give the paper's figures" in capsys.readouterr().err


def naive_depth(model, X, y):
    """Every depth on every fold."""
    means = []
    for depth in permutation.DEPTHS:
        scores = []
        for train, test in TimeSeriesSplit(n_splits=3).split(X):
            fitted = type(model)(**{**model.get_params(), "max_depth": depth}).fit(X[train], y[train])
            scores.append(f1_score(y[test], fitted.predict(X[test]), average="macro", zero_division=0.0))
        means.append(sum(scores, 0.0))
    return list(permutation.DEPTHS)[int(np.argmax(means))], max(means) / 3


def test_depths_are_the_papers():
    assert list(permutation.DEPTHS) == [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 101, 111, 121, 131, 141]


@pytest.mark.parametrize("seed", range(4))
def test_choose_depth_is_the_best_of_all_depths(seed):
    # A class that is rare and random makes the trees grow deeper than the first depths.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 1))
    y = rng.integers(0, 2, 300) * (rng.random(300) < 0.3)
    model = DecisionTreeClassifier()
    assert model.fit(X, y).get_depth() > 11
    assert permutation.choose_depth(model, X, y) == naive_depth(model, X, y)


def test_choose_depth_of_permutation_trees(engine):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 2)), rng.integers(0, 2, 24)
    model = PermutationDecisionTreeClassifier()
    assert permutation.choose_depth(model, X, y) == naive_depth(model, X, y)
    assert model.max_depth is None


class DepthClassifier:
    """Right if its depth is in `right`, and otherwise wrong; as deep as it may be."""

    def __init__(self, right, max_depth=None):
        self.right, self.max_depth = right, max_depth

    def get_params(self):
        return {"right": self.right, "max_depth": self.max_depth}

    def fit(self, X, y):
        return self

    def get_depth(self):
        return self.max_depth

    def predict(self, X):
        return X[:, 0] if self.max_depth in self.right else 1 - X[:, 0]


@pytest.mark.parametrize("right", [{1}, {141}, {21, 51}, set()], ids=str)
def test_choose_depth_takes_the_lowest_of_the_best(right):
    y = np.arange(40) % 2
    depth, of_folds = permutation.choose_depth(DepthClassifier(right), y[:, None], y)
    assert (depth, of_folds) == (min(right, default=1), float(bool(right)))


def test_one_split_of_one_set(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(permutation, "SHIPPED", ("iris",))
    monkeypatch.setattr(overview, "N_SAMPLES", 500)
    assert run_tour(["--splits", "1", "--jobs", "1", "--output", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    for line in (
        "    worst radius <= 16.8",
        "times as fast here",
        "    equal to those of four threads: yes",
        "    equal to those of the reference in plain Python: yes",
        "    errors:     none",
        "    22 training errors, and no tree of two levels has fewer; the grown tree has 33",
        "Table 4",
        "Table 5",
    ):
        assert line in out
    assert "splits: " in err
    assert {path.name for path in tmp_path.iterdir()} == {
        TOY_PICTURE,
        "permutation.png",
        "permutation_splits.csv",
        "table_4.csv",
        "table_4_depths.csv",
        "table_5.csv",
    }
    splits = read_csv(tmp_path / "permutation_splits.csv")
    assert tuple(splits[0]) == permutation.RESULT_FIELDS
    assert [row["model"] for row in splits] == list(permutation.MODELS)
    assert {(row["dataset"], row["seed"]) for row in splits} == {("iris", "0")}
    assert all(0.0 <= float(row["macro_f1"]) <= 1.0 for row in splits)
    (row,) = read_csv(tmp_path / "table_4.csv")
    assert row["dataset"] == "iris"
    assert float(row["tree_paper"]) == 0.966
    by_model = {row["model"]: float(row["macro_f1"]) for row in splits}
    assert float(row["permutation_tree_mean"]) == by_model["permutation_tree"]
    assert int(row["splits"]) == 1
    (row,) = read_csv(tmp_path / "table_4_depths.csv")
    (tree,) = (split for split in splits if split["model"] == "tree")
    assert (float(row["tree_cv_paper"]), int(row["tree_depth_paper"])) == (0.915, 11)
    assert (float(row["tree_cv_mean"]), row["tree_depths"]) == (float(tree["cv_macro_f1"]), f"{tree['max_depth']}: 1")


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path, capsys):
    def figures(n_jobs):
        results = permutation.run_permutation({"iris": load_shipped("iris")}, 2, tmp_path, n_jobs=n_jobs)
        return [row[:-1] for row in results]

    alone = figures(1)
    assert alone == figures(2)
    assert len(alone) == 2 * len(permutation.MODELS)


def test_verdict_agrees_with_the_figures():
    def kinds(before, after):
        return {kind: np.c_[values, np.zeros(3)] for kind, values in (("tree", before), ("permutation_tree", after))}

    figures = {
        "iris": kinds([0.90, 0.91, 0.97], [0.95, 0.96, 0.99]),  # ahead; the paper's 0.966 lies within
        "wine": kinds([0.87, 0.88, 0.89], [0.77, 0.78, 0.80]),  # behind; the paper's 0.878 does not
        "seeds": kinds([0.8, 0.9, 0.7], [0.7, 0.8, 0.9]),  # neither
    }
    text = permutation.verdict(figures, "tree", "permutation_tree", "DT", "PDT")
    assert "PDT is ahead of DT by more than two standard errors on Iris, behind it on Wine." in text
    assert text.endswith("lies outside the range of our splits on Wine (PDT 0.878).")


def test_one_split_has_no_deviation_and_no_range(tmp_path, capsys):
    assert permutation.spread_text([0.25]) == permutation.spread_text([0.25], has_range=True) == "0.250"
    assert permutation.spread_text([0.25, 0.75], has_range=True) == "0.500 ± 0.354 [0.250, 0.750]"
    permutation.run_permutation({"iris": load_shipped("iris")}, 1, tmp_path, n_jobs=1)
    printed = capsys.readouterr().out
    assert "±" not in printed
    assert "One split has neither a standard error nor a range" in printed
    assert "standard errors on" not in printed


def test_tables_are_aligned():
    assert report.format_table(("name", "n"), [("a", 10), ("long name", 5)]) == (
        "name        n\n-------------\na          10\nlong name   5"
    )


def test_written_tables_make_their_folder(tmp_path):
    path = tmp_path / "a" / "b" / "table.csv"
    report.write_csv(path, ("name", "number"), [("x, y", 1), ("ä", 0.5)])
    assert path.read_bytes().decode() == 'name,number\n"x, y",1\nä,0.5\n'


def test_without_matplotlib_one_line_says_that_pictures_are_left_out(no_overview, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(permutation, "SHIPPED", ("iris",))
    assert report.import_pyplot() is None
    assert run_tour(["--splits", "1", "--jobs", "1", "--output", str(tmp_path)]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("The pictures")]
    assert told == ["The pictures are left out: they need matplotlib (pip install 'decision-pytrees[plot]')."]
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv"}


@pytest.fixture
def nothing_runs(monkeypatch):
    """Fail if a study starts in spite of a mistake on the command line."""

    def fail(*args, **options):
        raise AssertionError("a study started")

    monkeypatch.setattr(permutation, "run_permutation", fail)
    monkeypatch.setattr(permutation_study, "run_permutation", fail)


def test_all_six_sets_need_a_folder(nothing_runs, tmp_path, capsys):
    assert run_study(["permutation", "--output", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "Haberman, Ionosphere, Seeds are files" in error
    assert "PYTREES_DATA or --data-home" in error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("main", "words"), [(run_tour, []), (run_study, ["permutation"])], ids=["tour", "study"])
def test_an_absent_folder_is_reported(nothing_runs, tmp_path, capsys, monkeypatch, main, words):
    absent = str(tmp_path / "absent")
    assert main([*words, "--data-home", absent]) == 2
    assert f"There is no folder {absent}" in capsys.readouterr().err
    monkeypatch.setenv("PYTREES_DATA", absent)
    assert main(words) == 2
    assert f"There is no folder {absent}" in capsys.readouterr().err


def test_a_folder_without_the_tables_is_reported(tmp_path, capsys):
    output = tmp_path / "results"
    assert run_study(["permutation", "--splits", "1", "--data-home", str(tmp_path), "--output", str(output)]) == 2
    assert ".csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        *((run_tour, words.split()) for words in ("--splits 0", "--splits x", "--jobs 0", "--jobs x", "other")),
        *((run_study, words.split()) for words in ("", "other", "permutation --splits 0", "ordinal --jobs x")),
    ],
)
def test_other_arguments_are_refused(nothing_runs, tmp_path, capsys, monkeypatch, main, arguments):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert f"usage: python -m {'pytrees' if main is run_tour else 'studies'}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("main", "arguments"),
    [(run_tour, ["--help"]), (run_study, ["-h"]), *((run_study, [name, "-h"]) for name in STUDIES)],
)
def test_help_names_the_folder_of_tables(capsys, main, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert "PYTREES_DATA" in capsys.readouterr().out


def test_help_lists_the_studies(capsys):
    assert_refuses(SystemExit, None, run_study, ["-h"])
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} " in printed and study.SUMMARY in printed for name, study in STUDIES.items())


@pytest.mark.parametrize(("main", "words"), [(run_tour, []), (run_study, ["permutation"])], ids=["tour", "study"])
def test_an_interrupted_run_says_so(no_overview, monkeypatch, tmp_path, capsys, main, words):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(permutation, "run_permutation", interrupt)
    monkeypatch.setattr(permutation_study, "run_permutation", interrupt)
    monkeypatch.setattr("studies.permutation.load_tables", lambda options: {})
    assert main([*words, "--output", str(tmp_path)]) == 130
    assert capsys.readouterr().err.endswith("Interrupted.\n")
