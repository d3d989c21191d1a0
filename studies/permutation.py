"""Tables 4 and 5 of the permutation paper on all of its six data sets, with random forests tuned as in the paper.

The protocol is the tour's, :mod:`pytrees.tour.permutation`. The study adds random forests whose number of trees and
depth are chosen on the training samples by fivefold cross-validation. Finished splits are kept: a run that was killed
continues where it stopped.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from pytrees.datasets import get_data_home, load_table
from pytrees.tour import permutation as tour
from pytrees.tour.permutation import PAPER, SHIPPED
from pytrees.tour.report import format_table, write_csv

from .permutation_forests import FOREST_DEPTHS, NUMBERS_OF_TREES, tuned_forest
from .permutation_forests import N_FOLDS as N_FOREST_FOLDS
from .resumable import add_resumable_options, digest_of, run_resumable, versions

__all__ = ["SUMMARY", "add_options", "load_tables", "run"]

SUMMARY = "permutation trees and forests on all six sets of their paper, after the toy example"

KEPT = "permutation_tasks.jsonl"

# Counts up when the results of `judge_split` change.
PROTOCOL_VERSION = 1

MODELS = (*tour.MODELS, "tuned_forest", "best_on_test")


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "splits", 20, KEPT)


def load_tables(options):
    """Return all six data sets by name.

    Raises
    ------
    FileNotFoundError
        If no folder is named; it says which of the data sets want one.
    """
    home = get_data_home(options.data_home)
    if home is None:
        files = ", ".join(row.title for name, row in PAPER.items() if name not in SHIPPED)
        raise FileNotFoundError(f"{files} are files: name their folder by PYTREES_DATA or --data-home.")
    return {name: load_table(name, home) for name in PAPER}


def run(tables, options):
    """Run the toy example and the protocol; return 0, or 1 if the example does not give the paper's figures."""
    return tour.run_with(run_permutation, tables, options)


def run_permutation(tables, n_seeds, output, *, n_jobs=None):
    """Run the protocol on data sets, print the tables, and write CSV files and a plot.

    Parameters
    ----------
    tables : dict of str to sklearn.utils.Bunch
        Data sets by their key in `PAPER`, as :func:`pytrees.datasets.load_table` gives them.
    n_seeds : int
        Random splits of every data set, of the seeds 0, 1, ...
    output : pathlib.Path
        Folder of the results; ``permutation_tasks.jsonl`` in it keeps finished splits, as
        :func:`studies.resumable.run_resumable` says.
    n_jobs : int, optional
        Splits worked on at once.

    Returns
    -------
    list of tuple
        Rows of `pytrees.tour.permutation.RESULT_FIELDS`.
    """
    tasks = {}
    # One seed of all sets after the other, so that a run that is stopped has whole splits. Large sets first.
    by_size = sorted(tables, key=lambda name: -tables[name].data.size)
    for seed in range(n_seeds):
        for name in by_size:
            X, codes = tables[name].data, np.unique(tables[name].target, return_inverse=True)[1]
            tasks[name, digest_of(X, codes), seed] = (name, X, tables[name].target, seed)
    finished = run_resumable(judge_split, tasks, output / KEPT, settings(), n_jobs=n_jobs, label="splits")
    results = [tuple(row) for rows in finished.values() for row in rows]
    results.sort(key=lambda row: (list(PAPER).index(row[0]), row[1], MODELS.index(row[2])))
    write_csv(output / tour.SPLITS_FILE, tour.RESULT_FIELDS, results)
    tour.report(results, output)
    report_tuned(results, output)
    return results


def settings():
    """Return everything that the results depend on, except the data and the seed."""
    return {
        "study": "permutation",
        "version": PROTOCOL_VERSION,
        "depths": list(tour.DEPTHS),
        "folds": tour.N_FOLDS,
        "forests": {"n_estimators": NUMBERS_OF_TREES, "max_depth": FOREST_DEPTHS, "folds": N_FOREST_FOLDS},
        **versions(),
    }


def judge_split(name, X, y, seed):
    """Judge all models on one random split."""
    parts = train_test_split(X, y, test_size=0.2, random_state=seed)
    return tour.judge_split(name, X, y, seed) + tuned_forest(name, *parts, seed)


def report_tuned(results, output):
    """Print and write the results of tuned random forests, and of forests tuned on the test samples."""
    of_model = {}
    for row in results:
        entry = dict(zip(tour.RESULT_FIELDS, row, strict=True))
        of_model.setdefault(entry["dataset"], {}).setdefault(entry["model"], []).append(entry)
    printed, written = [], []
    for name, kinds in of_model.items():
        paper, tuned = PAPER[name], kinds["tuned_forest"]
        scores = {
            "tuned": [row["macro_f1"] for row in tuned],
            "folds": [row["cv_macro_f1"] for row in tuned],
            "best_on_test": [row["macro_f1"] for row in kinds["best_on_test"]],
        }
        chosen = [[row[field] for row in tuned] for field in ("n_estimators", "max_depth")]
        trees, depths = (
            ", ".join(f"{value}: {values.count(value)}" for value in sorted(set(values))) for values in chosen
        )
        cells = list(map(tour.spread_text, scores.values()))
        of_paper = paper.random_forest_parameters
        printed.append((paper.title, f"{paper.random_forest:.3f}", *cells, of_paper[0], trees, of_paper[1], depths))
        numbers = [round(value, 4) for of_forest in scores.values() for value in tour.spread(of_forest)[:2]]
        written.append((name, paper.random_forest, *numbers, of_paper[0], trees, of_paper[1], depths))
    header = ("", "paper", "tuned", "its folds", "best on test", "trees, paper", "ours", "depth, paper", "ours")
    title = (
        "Table 5, random forests tuned on the training samples: macro F1 on the test samples and in cross-validation;\n"
        "macro F1 of the forest of the grid that is best on the test samples, which is no result, but the report of\n"
        "someone who chooses there; and how often each number of trees and each depth was chosen"
    )
    print(f"\n{title}\n\n{format_table(header, printed)}")
    columns = [f"{model}_{statistic}" for model in ("tuned", "folds", "best_on_test") for statistic in ("mean", "std")]
    columns += ["trees_paper", "trees", "depth_paper", "depths"]
    write_csv(output / "table_5_tuned.csv", ("dataset", "paper", *columns), written)
