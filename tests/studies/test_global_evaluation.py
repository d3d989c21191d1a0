"""The study of global evaluation: the protocol, the settings of Figure 6, the tables, runs that go on."""

import sys

import numpy as np
import pytest
from csv_tables import read_csv

from pytrees import ID3Classifier, minimal_tree
from pytrees.datasets import load_shipped, make_monks
from studies import global_evaluation, global_protocol, global_report
from studies.__main__ import main
from studies.global_growth_report import collect_growth
from studies.global_protocol import DISTANCES, EVALUATIONS, EVALUATIONS_UNDER_NOISE, PRUNINGS, WAYS

KEPT = "global_tasks.jsonl"
RUN = global_evaluation, "run_global"
TABLES = {
    "global_figure_4.csv",
    "global_figure_4_trees.csv",
    "global_figure_5.csv",
    "global_figure_5_trees.csv",
    "global_figure_6.csv",
    "global_lead.csv",
    "global_redundant.csv",
    "global_figure_7.csv",
    "global_figure_7_trees.csv",
    "global_figure_8.csv",
    "global_figure_8_trees.csv",
}
PICTURES = {f"global_figure_{number}.png" for number in range(4, 9)}
TREE_SIZES = (3, 7)


def iris():
    bunch = load_shipped("iris")
    return bunch.data, np.unique(bunch.target, return_inverse=True)[1]


@pytest.fixture(scope="module")
def tables():
    few = tuple(part[::3] for part in iris())
    return {"monks3": make_monks(3, n_samples=60, noise=0.05, random_state=0), "iris": few}


@pytest.fixture(scope="module")
def finished(tables, tmp_path_factory):
    """The folder and the results of a run of two repetitions."""
    folder = tmp_path_factory.mktemp("results")
    return folder, global_evaluation.run_global(tables, 2, folder, tree_sizes=TREE_SIZES, n_jobs=1)


def test_sizes_of_training_sets():
    assert global_protocol.train_sizes(150) == [10, 20, 40, 80, 135]
    assert global_protocol.train_sizes(11) == [10]
    assert global_protocol.train_sizes(2126) == [10, 20, 40, 80, 160, 320, 640, 1000]


def test_parts_cover_all_samples_and_columns_are_shuffled():
    X = np.arange(40.0)[:, None] * 10 + np.arange(6)
    y = np.arange(40)
    orders = set()
    for seed in range(5):
        X_train, y_train, X_test, y_test = global_protocol.draw_rows(X, y, np.random.RandomState(seed))
        assert len(y_test) == 4
        assert sorted([*y_train, *y_test]) == list(range(40))
        assert np.array_equal(X_train // 10, np.repeat(y_train[:, None], 6, axis=1))
        assert np.array_equal(np.sort(X_test % 10, axis=1), np.tile(np.arange(6.0), (4, 1)))
        orders.add(tuple(X_test[0] % 10))
    assert len(orders) > 1


def test_trees_of_growing_training_sets():
    X, y = iris()
    rows = {tuple(row[:3]): row[3:] for row in global_protocol.grow_sizes(X, y, seed=3)}
    assert len(rows) == 5 * (len(DISTANCES) * len(EVALUATIONS) + 1)
    X_train, y_train, X_test, y_test = global_protocol.draw_rows(X, y, np.random.RandomState(3))
    for (size, distance, evaluation), (accuracy, nodes, _) in rows.items():
        if distance == "constant":
            assert accuracy == np.mean(y_test == np.bincount(y_train[:size]).argmax())
        else:
            tree = ID3Classifier(distance, **WAYS[evaluation]).fit(X_train[:size], y_train[:size])
            assert (accuracy, nodes) == (tree.score(X_test, y_test), tree.tree_.node_count)


def test_trees_on_points_of_a_random_tree():
    found = global_protocol.grow_on_random_tree(9, seed=0)
    assert [tuple(tree[:2]) for tree in found["trees"]] == [(d, e) for d in DISTANCES for e in EVALUATIONS]
    assert all(nodes >= 9 for _, _, nodes, _ in found["trees"])
    assert found["lower_bound"] <= found["minimal"] <= 9
    assert found["discarded"] >= 0


def test_samples_with_a_smaller_tree_are_discarded(monkeypatch):
    made = []

    def make(*sizes, random_state):
        X = random_state.uniform(size=(20, 2))
        made.append(len(made))
        # One threshold is enough for the first two samples, which are said to need two.
        return X, (X[:, 0] > 0.5).astype(int) + (len(made) > 2) * (X[:, 0] > 0.7), None

    monkeypatch.setattr(global_protocol, "make_from_random_tree", make)
    found = global_protocol.grow_on_random_tree(5, seed=0)
    assert (found["discarded"], len(made), found["minimal"]) == (2, 3, 5)


def test_noise_changes_some_classes():
    y = np.repeat([0, 1, 2], 50)
    noisy = global_protocol.make_noise(y, 3, np.random.RandomState(0))
    assert np.array_equal(y, np.repeat([0, 1, 2], 50))
    # About a third of the 75 samples keep their class by chance.
    assert 35 <= np.sum(noisy != y) <= 65
    assert set(noisy) == {0, 1, 2}


def test_growth_is_measured_on_both_parts():
    X, y = iris()
    rows = global_protocol.prune_noise(X, y, seed=1)
    assert [tuple(row[:3]) for row in rows] == [
        (d, e, p) for d in DISTANCES for e in EVALUATIONS_UNDER_NOISE for p in PRUNINGS
    ]
    random = np.random.RandomState(1)
    X_train, y_train, X_test, y_test = global_protocol.draw_rows(X, y, random)
    noisy = global_protocol.make_noise(y_train, 3, random)
    for distance, evaluation, pruning, train, test in rows:
        tree = ID3Classifier(distance, **WAYS[evaluation], **PRUNINGS[pruning]).fit(X_train, noisy)
        assert len(train) == len(test) == tree.tree_.n_leaves
        assert train[0] == np.bincount(noisy).max()
        assert train[-1] == np.sum(tree.predict(X_train) == noisy)
        assert test[-1] == np.sum(tree.predict(X_test) == y_test)


@pytest.mark.parametrize("name", global_protocol.situations())
def test_settings_need_two_splits_and_begin_at_the_borders(name):
    X, y, borders = global_protocol.situations()[name]
    found = minimal_tree(X, y)
    assert (found.tree.node_count, found.is_proven) == (5, True)
    for feature, threshold in borders:
        left = X[:, feature] <= threshold
        sizes = [minimal_tree(X[side], y[side]).tree.node_count for side in (left, ~left)]
        assert sum(sizes) + 1 == 5


@pytest.mark.parametrize("name", global_protocol.situations())
def test_findings_of_figure_6(name, engine):
    # Section 3.2: all distances are susceptible when evaluated globally; Jaccard and accuracy also locally.
    situation = global_protocol.situations()[name]
    for distance in DISTANCES:
        judged = {e: global_protocol.judge_situation(*situation, distance, e) for e in EVALUATIONS}
        assert judged["local"]["efficient"] == (distance not in ("jaccard", "accuracy"))
        for evaluation in ("glocal", "global, local ties"):
            assert judged[evaluation]["efficient"] == judged["local"]["efficient"]
        assert not judged["global"]["efficient"]
        assert judged["global"]["redundant"] > 0
        # No cut changes any label: all are as good, and a tie decides.
        assert judged["global"]["as_good"] == sum(len(np.unique(column)) - 1 for column in situation[0].T)


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_cut_of_the_tree_is_among_the_best_first_cuts(distance):
    X, y = iris()
    cuts = global_protocol.best_first_cuts(X, y, distance)
    tree = ID3Classifier(distance, evaluation="global", max_leaf_nodes=2).fit(X, y).tree_
    assert cuts[0] == (tree.feature[0], tree.threshold[0])


def test_growth_of_trees_of_different_sizes():
    growth = collect_growth([([4, 9], [0, 1]), ([4, 6, 9], [1, 1, 0])], 10)
    assert np.array_equal(growth.train, np.array([[4, 9, 9], [4, 6, 9]]) / 9)
    assert np.array_equal(growth.test, [[0, 1, 1], [1, 1, 0]])
    assert growth.n_splits.tolist() == [1, 2]
    assert growth.unfinished.tolist() == [1.0, 0.5, 0.0]
    assert growth.peak == 1


def test_comparison_counts_clear_differences():
    level = np.array([[0.5, 0.6, 0.5], [9, 9, 9], [0, 0, 0]])
    better, unclear = level.copy(), level.copy()
    better[0] += 0.1, 0.11, 0.12
    unclear[0] += 0.1, -0.1, 0.02
    by_distance = {"information_gain": (better, level), "gini": (level, better), "jaccard": (unclear, level)}
    grown = {"iris": {10: {}, 20: {}}}
    for size in grown["iris"]:
        for distance in DISTANCES:
            local, of_tree = by_distance.get(distance, (level, level))
            grown["iris"][size] |= {(distance, "local"): local, (distance, "global"): of_tree}
    counts = global_report.compare(grown, "local", "global", ["iris"], lambda sizes: sizes[1:], 0)
    assert counts["information_gain"] == [1, 0, 0]
    assert counts["gini"] == [0, 0, 1]
    assert counts["jaccard"] == counts["nvi"] == [0, 1, 0]


def test_files_of_the_study(finished):
    pytest.importorskip("matplotlib")
    folder, _ = finished
    assert {path.name for path in folder.iterdir()} == TABLES | PICTURES | {KEPT}
    assert all((folder / name).stat().st_size > 10_000 for name in PICTURES)


def test_means_are_those_of_the_trees(finished):
    folder, results = finished
    means = read_csv(folder / "global_figure_4.csv")
    trees = read_csv(folder / "global_figure_4_trees.csv")
    assert len(trees) == 2 * len(means) == sum(map(len, results["figure_4"].values()))
    kind = ("dataset", "train_size", "distance", "evaluation")
    for row in means:
        of_kind = [float(tree["nodes"]) for tree in trees if all(tree[field] == row[field] for field in kind)]
        assert float(row["nodes_mean"]) == np.mean(of_kind)
        assert float(row["nodes_se"]) == pytest.approx(np.std(of_kind, ddof=1) / np.sqrt(2), abs=1e-5)
    for row in read_csv(folder / "global_lead.csv"):
        accuracy = {
            e: [
                float(m["accuracy_mean"])
                for m in means
                if m["dataset"] == row["dataset"]
                and m["evaluation"] == e
                and m["train_size"] == row["train_size"]
                and m["distance"] not in ("gain_ratio", "accuracy")
            ]
            for e in ("local", row["evaluation"])
        }
        lead = 100 * (np.mean(accuracy[row["evaluation"]]) - np.mean(accuracy["local"]))
        assert float(row["less_local"]) == pytest.approx(lead, abs=2e-3)
    assert len(read_csv(folder / "global_figure_5.csv")) == len(TREE_SIZES) * len(DISTANCES) * len(EVALUATIONS)
    for number in (7, 8):
        ends = read_csv(folder / f"global_figure_{number}_trees.csv")
        steps = read_csv(folder / f"global_figure_{number}.csv")
        assert sum(row["splits"] == "0" for row in steps) == len(ends) / 2
        assert {row["unfinished"] for row in steps} == {"0.0", "0.5", "1.0"}


def test_all_tables_are_printed(finished, tables, tmp_path, monkeypatch, capsys):
    _, results = finished
    monkeypatch.setattr(global_report, "import_pyplot", lambda: None)
    global_report.report(results, tables, tmp_path)
    printed = capsys.readouterr().out
    for text in (
        "Monks 3: 40 and 54 training samples, of 60",
        "most frequent class",
        "accuracy, artificial, up to 40 samples",
        "Local against global, local ties",
        "smallest, proven",
        "efficient (5, 0)",
        "at most 9 nodes",
        "iris, glocal",
    ):
        assert text in printed


def test_without_matplotlib_there_are_tables_alone(finished, tables, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    global_report.report(finished[1], tables, tmp_path)
    assert "need matplotlib: pip install 'decision-pytrees[study]'" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == TABLES


def test_one_repetition_has_no_standard_errors(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(global_report, "import_pyplot", lambda: None)
    global_evaluation.run_global({"iris": tables["iris"]}, 1, tmp_path, tree_sizes=(3,), n_jobs=1)
    assert all(float(row["nodes_se"]) == 0.0 for row in read_csv(tmp_path / "global_figure_4.csv"))


def fail(*arguments):
    raise AssertionError("a finished repetition was computed again")


def test_finished_repetitions_are_not_computed_again(finished, tables, tmp_path, monkeypatch, capsys):
    folder, results = finished
    (tmp_path / KEPT).write_bytes((folder / KEPT).read_bytes())
    monkeypatch.setattr(global_evaluation, "report", lambda *args: None)
    monkeypatch.setattr(global_evaluation, "repeat", fail)
    assert global_evaluation.run_global(tables, 2, tmp_path, tree_sizes=TREE_SIZES, n_jobs=1) == results
    assert "14 of 14 repetitions are finished" in capsys.readouterr().err
    other = tables | {"iris": (tables["iris"][0] + 1.0, tables["iris"][1])}
    with pytest.raises(RuntimeError, match="6 of 6 tasks failed"):
        global_evaluation.run_global(other, 2, tmp_path, tree_sizes=TREE_SIZES, n_jobs=1)


def test_results_do_not_depend_on_the_number_of_jobs(finished, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(global_evaluation, "report", lambda *args: None)
    results = global_evaluation.run_global({"iris": tables["iris"]}, 1, tmp_path, tree_sizes=TREE_SIZES[:1], n_jobs=2)
    assert {key: found for key, found in finished[1]["figure_7"].items() if key[1] == 0} == results["figure_7"]


def test_without_a_folder_of_tables(ran, tmp_path, capsys):
    assert main(["global", "--output", str(tmp_path)]) == 0
    assert "want of their tables (tools/fetch_tables.py): ctg_nsp, ctg_class" in capsys.readouterr().err
    sizes = {name: X.shape for name, (X, _) in ran["tables"].items()}
    monks = {f"monks{problem}": (432, 6) for problem in (1, 2, 3)}
    assert sizes == monks | {"blobs": (2000, 3), "wine": (178, 13), "iris": (150, 4)}
    assert all(set(y) in ({0, 1}, {0, 1, 2}) for _, y in ran["tables"].values())
    assert (ran["n"], ran["n_jobs"]) == (100, -1)


def test_tables_of_a_folder(ran, tmp_path, capsys):
    (tmp_path / "monks1.train.csv").write_text("a1,a2,a3,a4,a5,a6,target\n1,1,1,1,1,2,1\n1,2,1,1,2,1,0\n")
    (tmp_path / "monks1.test.csv").write_text("a1,a2,a3,a4,a5,a6,target\n1,1,1,1,1,2,1\n")
    arguments = ["global", "--repetitions", "3", "--jobs", "2", "--data-home", str(tmp_path)]
    assert main([*arguments, "--output", str(tmp_path / "results")]) == 0
    assert ran["tables"]["monks1"][1].tolist() == [1, 0, 1]
    assert (ran["n"], ran["n_jobs"]) == (3, 2)
    assert main(["global", "--data-home", str(tmp_path / "absent")]) == 2
    assert "There is no folder" in capsys.readouterr().err
