"""Tables 4 and 5 of the permutation paper: trees and forests on public data, over many random splits.

The paper's protocol: 80 % of the samples, drawn at random, for training and 20 % for testing; the depth of a tree is
chosen among 1, 11, ..., 141 by threefold time-series cross-validation on the training samples, and judged by macro F1.
Forests have the numbers of trees and depths of the paper's Table 5. The paper reports one split; here there are many.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import TimeSeriesSplit, train_test_split

from .._progress import progress
from .._typing import AnyArray, FloatArray
from ..datasets import get_data_home, load_shipped
from ..trees import DecisionTreeClassifier, PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from .report import format_table, import_pyplot, write_csv
from .toy import run_toy

if TYPE_CHECKING:
    from argparse import Namespace

    from sklearn.utils import Bunch

DEPTHS = range(1, 150, 10)
N_FOLDS = 3


@dataclass(frozen=True)
class PaperRow:
    """The figures of a data set in Tables 4 and 5 of the paper: macro F1 on the test samples; for trees the depth that
    cross-validation chose, and its macro F1; for forests their parameters."""

    title: str
    tree: float
    permutation_tree: float
    random_forest: float
    permutation_forest: float
    random_forest_parameters: tuple[int, int]  # n_estimators, max_depth
    permutation_forest_parameters: tuple[int, int]
    tree_chosen: tuple[float, int]  # macro F1 of cross-validation, max_depth
    permutation_tree_chosen: tuple[float, int]


PAPER = {
    "iris": PaperRow("Iris", 0.966, 0.966, 1.000, 0.931, (100, 3), (31, 10), (0.915, 11), (0.935, 1)),
    "breast_cancer_wisconsin_diagnostic": PaperRow(
        "Breast Cancer", 0.761, 0.893, 0.918, 0.893, (1000, 9), (5, 10), (0.935, 11), (0.899, 11)
    ),
    "haberman": PaperRow("Haberman", 0.595, 0.527, 0.560, 0.621, (1, 3), (5, 10), (0.612, 1), (0.637, 11)),
    "ionosphere": PaperRow("Ionosphere", 0.862, 0.862, 0.980, 0.910, (1000, 4), (5, 5), (0.861, 11), (0.820, 11)),
    "seeds": PaperRow("Seeds", 0.834, 0.741, 0.877, 0.877, (100, 5), (11, 10), (0.903, 11), (0.848, 1)),
    "wine": PaperRow("Wine", 0.879, 0.878, 0.960, 0.943, (10, 4), (5, 10), (0.856, 11), (0.892, 11)),
}

SHIPPED = ("iris", "breast_cancer_wisconsin_diagnostic", "wine")

# The results of one model on one split; cv_macro_f1 is the score in cross-validation if that chose the parameters.
RESULT_FIELDS = ("dataset", "seed", "model", "macro_f1", "cv_macro_f1", "n_estimators", "max_depth", "seconds")

SPLITS_FILE = "permutation_splits.csv"

MODELS = ("constant", "tree", "permutation_tree", "random_forest", "permutation_forest")


def load_shipped_tables(options: Namespace) -> dict[str, Bunch]:
    """Return the data sets that scikit-learn ships; a folder is not needed, but must exist if it is named."""
    get_data_home(options.data_home)
    return {name: load_shipped(name) for name in SHIPPED}


def run(tables: dict[str, Bunch], options: Namespace) -> int:
    """Run the toy example and the protocol; return 0, or 1 if the example does not give the paper's figures."""
    return run_with(run_permutation, tables, options)


def run_with(protocol: Callable[..., object], tables: dict[str, Bunch], options: Namespace) -> int:
    """Run the toy example, and the protocol of :func:`run_permutation` or a study's; return the exit code."""
    agrees = run_toy(options.output)
    print(f"\n{len(tables)} data sets, {options.splits} random split{'s' if options.splits > 1 else ''} each\n")
    protocol(tables, options.splits, options.output, n_jobs=options.jobs)
    if import_pyplot() is None:
        print("The pictures are left out: they need matplotlib (pip install 'decision-pytrees[plot]').")
    if not agrees:
        print("The toy example does NOT give the paper's figures.", file=sys.stderr)
    return 0 if agrees else 1


def run_permutation(
    tables: dict[str, Bunch], n_seeds: int, output: Path, *, n_jobs: int | None = None
) -> list[tuple[Any, ...]]:
    """Run the protocol on `n_seeds` random splits of data sets, print both tables, and write CSV files and a plot.

    Data sets come by their key in `PAPER`, as :func:`pytrees.datasets.load_table` gives them. The results are tuples of
    `RESULT_FIELDS`.
    """
    tasks = [(name, table.data, table.target, seed) for name, table in tables.items() for seed in range(n_seeds)]
    # Large sets come first, so that the last tasks are short.
    tasks.sort(key=lambda task: -task[1].size)
    results = []
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for rows in progress(parallel(delayed(judge_split)(*task) for task in tasks), len(tasks), "splits"):
        results += rows
    results.sort(key=lambda row: (list(PAPER).index(row[0]), row[1], MODELS.index(row[2])))
    write_csv(output / SPLITS_FILE, RESULT_FIELDS, results)
    report(results, output)
    return results


def judge_split(name: str, X: FloatArray, y: AnyArray, seed: int) -> list[tuple[Any, ...]]:
    """Judge all models on one random split."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
    paper = PAPER[name]
    n_random, depth_random = paper.random_forest_parameters
    n_permuted, depth_permuted = paper.permutation_forest_parameters
    models = {
        "constant": DummyClassifier(strategy="most_frequent"),
        "tree": DecisionTreeClassifier(criterion="gini"),
        "permutation_tree": PermutationDecisionTreeClassifier(),
        "random_forest": RandomForestClassifier(n_random, max_depth=depth_random, random_state=seed),
        "permutation_forest": PermutationDecisionForestClassifier(
            n_permuted, max_depth=depth_permuted, random_state=seed
        ),
    }
    rows = []
    for kind, model in models.items():
        started = time.perf_counter()
        of_folds = None
        if kind in ("tree", "permutation_tree"):
            depth, of_folds = choose_depth(model, X_train, y_train)
            model.set_params(max_depth=depth)
        model.fit(X_train, y_train)
        macro_f1 = score(y_test, model.predict(X_test))
        rows.append(
            (
                name,
                seed,
                kind,
                round(macro_f1, 4),
                of_folds and round(of_folds, 4),
                getattr(model, "n_estimators", None),
                getattr(model, "max_depth", None),
                round(time.perf_counter() - started, 4),
            )
        )
    return rows


def score(y_true: AnyArray, y_predicted: AnyArray) -> float:
    return f1_score(y_true, y_predicted, average="macro", zero_division=0.0)


def choose_depth(model: Any, X: FloatArray, y: AnyArray) -> tuple[int, float]:
    """Choose the depth of best mean macro F1 in threefold time-series cross-validation, the lowest of the best; return
    it and that mean."""
    sums = dict.fromkeys(DEPTHS, 0.0)
    for train, test in TimeSeriesSplit(n_splits=N_FOLDS).split(X):
        fitted = None
        for depth in DEPTHS:
            # If a tree does not reach its limit, every greater limit gives the same tree.
            if fitted is None or fitted.get_depth() == fitted.max_depth:
                fitted = type(model)(**{**model.get_params(), "max_depth": depth}).fit(X[train], y[train])
                macro_f1 = score(y[test], fitted.predict(X[test]))
            sums[depth] += macro_f1
    depth = max(DEPTHS, key=lambda depth: sums[depth])
    return depth, sums[depth] / N_FOLDS


def report(results: list[tuple[Any, ...]], output: Path) -> None:
    """Print and write all tables, say what they mean, and draw a plot."""
    of_model: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in results:
        entry = dict(zip(RESULT_FIELDS, row, strict=True))
        of_model.setdefault(entry["dataset"], {}).setdefault(entry["model"], []).append(entry)
    figures = {
        name: {kind: np.array([(row["macro_f1"], row["seconds"]) for row in rows]) for kind, rows in kinds.items()}
        for name, kinds in of_model.items()
    }
    n_seeds = len(next(iter(figures.values()))["tree"])
    ours = "our one random split"
    if n_seeds > 1:
        ours = f"the mean of ours over {n_seeds} random splits\n± their standard deviation [smallest, largest]"
    print(
        f"\nMacro F1 on the test samples: the paper's one split, and {ours}; "
        "'constant' always predicts the most frequent class.\n"
        "A random split shuffles the samples, so the order that the permutation trees see here is a random one."
    )
    if n_seeds > 1:
        print("Splits share samples, which makes their standard errors too small: a lead by two is a hint, no proof.")
    for title, old, new, file_name in (
        ("Table 4: Gini tree (DT) and permutation tree (PDT)", "tree", "permutation_tree", "table_4.csv"),
        (
            "Table 5: random forest (RF) and permutation forest (PDF)",
            "random_forest",
            "permutation_forest",
            "table_5.csv",
        ),
    ):
        print_comparison(title, figures, old, new, output / file_name)
    print_chosen_depths(of_model, output / "table_4_depths.csv")
    print(f"\nFigures of every split and all tables are in {output}.")
    draw(figures, output)


def print_chosen_depths(of_model: dict[str, dict[str, list[dict[str, Any]]]], path: Path) -> None:
    """Print and write the part of Table 4 about cross-validation: its macro F1, and the depth that it chose."""
    printed, written = [], []
    for name, kinds in of_model.items():
        cells, values = [], []
        for kind in ("tree", "permutation_tree"):
            paper_f1, paper_depth = getattr(PAPER[name], f"{kind}_chosen")
            of_folds, depths = ([row[field] for row in kinds[kind]] for field in ("cv_macro_f1", "max_depth"))
            mean, deviation, _, _ = spread(of_folds)
            counted = {depth: depths.count(depth) for depth in sorted(set(depths))}
            counts = ", ".join(f"{depth}: {count}" for depth, count in counted.items())
            cells += [f"{paper_f1:.3f}", spread_text(of_folds), paper_depth, counts]
            values += [paper_f1, round(mean, 4), round(deviation, 4), paper_depth, counts]
        printed.append((PAPER[name].title, *cells))
        written.append((name, *values))
    header = [
        f"{short} {column}" for short in ("DT", "PDT") for column in ("F1, paper", "F1, ours", "depth, paper", "ours")
    ]
    print(
        "\nTable 4, cross-validation on the training samples: macro F1 at the chosen depth, and how often which depth\n"
        f"was chosen\n\n{format_table(('', *header), printed)}"
    )
    statistics = ("cv_paper", "cv_mean", "cv_std", "depth_paper", "depths")
    columns = [f"{model}_{statistic}" for model in ("tree", "permutation_tree") for statistic in statistics]
    write_csv(path, ("dataset", *columns), written)


def print_comparison(title: str, figures: dict[str, dict[str, FloatArray]], old: str, new: str, path: Path) -> None:
    """Print and write a table of two models: our figures next to the paper's, and how often each model is ahead."""
    short = {"tree": "DT", "permutation_tree": "PDT", "random_forest": "RF", "permutation_forest": "PDF"}
    a, b = short[old], short[new]
    printed, written = [], []
    for name, kinds in figures.items():
        before, after = kinds[old][:, 0], kinds[new][:, 0]
        ahead, behind = int(np.sum(after > before)), int(np.sum(after < before))
        paper = PAPER[name]
        values = (getattr(paper, old), *spread(before), getattr(paper, new), *spread(after))
        seconds = (float(np.mean(kinds[old][:, 1])), float(np.mean(kinds[new][:, 1])))
        constant = float(np.mean(kinds["constant"][:, 0]))
        printed.append(
            (
                paper.title,
                f"{values[0]:.3f}",
                spread_text(before, has_range=True),
                f"{values[5]:.3f}",
                spread_text(after, has_range=True),
                f"{constant:.3f}",
                f"{ahead}/{len(after) - ahead - behind}/{behind}",
                f"{seconds[0]:.3f}",
                f"{seconds[1]:.3f}",
            )
        )
        written.append((name, *(round(value, 4) for value in (*values, constant, *seconds)), ahead, behind, len(after)))
    header = ("", f"{a}, paper", f"{a}, ours", f"{b}, paper", f"{b}, ours", "constant", f"{b} ahead/tie/behind")
    print(f"\n{title}\n\n{format_table((*header, f's, {a}', f's, {b}'), printed)}")
    statistics = ("paper", "mean", "std", "min", "max")
    columns = [f"{model}_{statistic}" for model in (old, new) for statistic in statistics]
    columns += ["constant_mean", f"{old}_seconds", f"{new}_seconds", "ahead", "behind", "splits"]
    write_csv(path, ("dataset", *columns), written)
    print(f"\n{verdict(figures, old, new, a, b)}")


def spread(values: Sequence[float] | FloatArray) -> tuple[float, float, float, float]:
    """Compute mean, standard deviation, smallest, largest."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), deviation, float(np.min(values)), float(np.max(values))


def spread_text(values: Sequence[float] | FloatArray, *, has_range: bool = False) -> str:
    """Describe values by their mean ± standard deviation and, if asked for, [smallest, largest]; a single value has
    neither."""
    mean, deviation, smallest, largest = spread(values)
    if len(values) == 1:
        return f"{mean:.3f}"
    return f"{mean:.3f} ± {deviation:.3f}" + (f" [{smallest:.3f}, {largest:.3f}]" if has_range else "")


def verdict(figures: dict[str, dict[str, FloatArray]], old: str, new: str, a: str, b: str) -> str:
    """Describe in words how the two models compare."""
    if all(len(kinds[new]) == 1 for kinds in figures.values()):
        return "One split has neither a standard error nor a range: it does not tell a lead from chance."
    clear_ahead: list[str] = []
    clear_behind: list[str] = []
    outside: list[str] = []
    for name, kinds in figures.items():
        difference = kinds[new][:, 0] - kinds[old][:, 0]
        error = np.std(difference, ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
        if abs(np.mean(difference)) > 2.0 * error:
            (clear_ahead if np.mean(difference) > 0 else clear_behind).append(PAPER[name].title)
        outside += [
            f"{PAPER[name].title} ({short} {getattr(PAPER[name], kind):.3f})"
            for kind, short in ((old, a), (new, b))
            if not np.min(kinds[kind][:, 0]) <= getattr(PAPER[name], kind) <= np.max(kinds[kind][:, 0])
        ]
    return (
        f"{b} is ahead of {a} by more than two standard errors on {', '.join(clear_ahead) or 'no set'}, behind it on "
        f"{', '.join(clear_behind) or 'no set'}.\n"
        f"The paper's figure lies outside the range of our splits on {', '.join(outside) or 'no set'}."
    )


def draw(figures: dict[str, dict[str, FloatArray]], output: Path) -> None:
    """Draw every split as a point, and the paper's figure as a bar across."""
    plt = import_pyplot()
    if plt is None:
        return
    models = MODELS[1:]
    figure, axes = plt.subplots(1, len(figures), figsize=(3.2 * len(figures), 4), sharey=True, layout="constrained")
    for ax, (name, kinds) in zip(np.atleast_1d(axes), figures.items(), strict=True):
        for x, kind in enumerate(models):
            values = kinds[kind][:, 0]
            scatter = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
            ax.plot(x + scatter, values, ".", color=f"C{x}", alpha=0.6)
            ax.plot([x - 0.35, x + 0.35], [getattr(PAPER[name], kind)] * 2, color="black", linewidth=2)
        ax.axhline(np.mean(kinds["constant"][:, 0]), color="0.6", linestyle=":")
        ax.set_title(PAPER[name].title)
        ax.set_xticks(range(len(models)), ["DT", "PDT", "RF", "PDF"])
    np.atleast_1d(axes)[0].set_ylabel("macro F1 on the test samples")
    figure.suptitle("Points: our splits. Black: the paper's one split. Dotted: always the most frequent class.")
    path = output / "permutation.png"
    output.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"They are drawn in {path}.")
