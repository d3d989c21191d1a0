"""Tables of the study of choices: means over the tables of a question, and models in pairs."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from pytrees.tour.report import format_table, write_csv

from .choose_tables import AT_RANDOM, CUT_NUMBERS, GRADES, HIGH_VALUES
from .ordinal_statistics import adjust_by_holm


class Question(NamedTuple):
    """Hold a question, its tables, and the models that are compared."""

    title: str
    metrics: dict  # by name: whether a greater figure is better
    pairs: tuple  # (model, rival)
    groups: tuple = ()  # (name, tables): compared by themselves too, by the first measure


ACCURACY = {"accuracy": True}

QUESTIONS = {
    "accuracy": Question(
        "Most accuracy: all features as numbers",
        ACCURACY,
        (
            ("forest", "rf"),
            ("hgb", "rf"),
            ("permutation_forest", "rf"),
            ("gini", "sklearn_tree"),
            ("gini", "rf"),
            ("c45", "rf"),
            ("c45", "gini"),
            ("id3_global", "gini"),
            ("permutation", "gini"),
        ),
    ),
    "grades": Question(
        "My classes are grades",
        {"mae": False, "qwk": True, "rps": False, "accuracy": True},
        (
            ("ogini_median", "rf"),
            ("ogini_median", "hgb"),
            ("ogini", "rf"),
            ("ogini", "gini"),
            ("ogini_median", "gini_median"),
            ("gini_median", "gini"),
            ("ogini_median", "ogini"),
            ("rf_median", "rf"),
            ("ogini_median", "rf_median"),
            ("hgb_median", "hgb"),
            ("ogini_median", "rf_rounded"),
            ("ogini_median", "hgb_rounded"),
            ("ogini_tree", "gini_tree"),
            ("ogini_tree_median", "ogini_tree"),
        ),
        (("scales", GRADES), ("numbers cut into five classes", CUT_NUMBERS)),
    ),
    "small": Question(
        "Few nodes: 8 leaves, or 2 and 3 levels",
        ACCURACY,
        (
            ("gini", "sklearn_tree"),
            ("entropy", "gini"),
            ("id3_global", "gini"),
            ("distilled", "gini"),
            ("c45", "gini"),
            ("optimal_2", "gini_2"),
            ("optimal_3", "gini_3"),
            ("optimal_3", "distilled"),
            ("distilled", "rf"),
            ("distilled", "hgb"),
        ),
    ),
    "few": Question(
        "A big forest as few trees: 32 leaves each",
        ACCURACY,
        (
            ("distilled_1", "gini"),
            ("distilled_1", "aggregated"),
            ("distilled_3", "distilled_1"),
            ("distilled_5", "five_trees"),
            ("distilled_3", "orthogonal"),
            ("orthogonal", "five_trees"),
            ("distilled_5", "rf"),
            ("distilled_5", "hgb"),
        ),
    ),
    "categories": Question(
        "Categories",
        ACCURACY,
        (
            ("forest", "rf"),
            ("forest", "one_hot"),
            ("forest", "hgb"),
            ("forest", "forest_multiway"),
            ("forest", "forest_codes"),
            ("forest_multiway", "forest_codes"),
            ("gini", "gini_multiway"),
            ("gini", "gini_codes"),
            ("gini_multiway", "gini_codes"),
            ("c45", "gini"),
            ("c45", "gini_codes"),
        ),
    ),
    "missing": Question(
        "Missing values",
        ACCURACY,
        (
            ("forest", "rf"),
            ("forest", "imputed"),
            ("rf", "imputed"),
            ("forest", "hgb"),
            ("gini", "sklearn_tree"),
            ("c45", "gini"),
            ("c45", "rf"),
        ),
        (("gaps at random", AT_RANDOM), ("gaps of high values", HIGH_VALUES)),
    ),
    "time": Question(
        "Samples arrive in time",
        {"recall": True},
        (
            ("etc", "gini"),
            ("permutation_forest", "rf"),
            ("block_forest", "permutation_forest"),
            ("gini", "rf"),
            ("gini_told", "gini"),
            ("rf_told", "rf"),
            ("gini_told", "rf_told"),
            ("gini_told", "hgb_told"),
            ("gini_told", "before"),
        ),
    ),
    "numbers": Question(
        "My target is a number",
        {"r2": True, "relative_mae": False},
        (
            ("forest", "rf"),
            ("forest_shuffled", "rf"),
            ("forest_shuffled", "forest"),
            ("forest_third", "forest"),
            ("forest_third", "rf_third"),
            ("forest_third", "rf"),
            ("hgb", "rf"),
            ("forest_third", "hgb"),
            ("absolute", "forest"),
            ("absolute_third", "forest_third"),
            ("absolute_third", "hgb_absolute"),
            ("tree", "sklearn_tree"),
            ("tree_5", "tree"),
            ("tree_5", "sklearn_tree_5"),
            ("absolute_tree_5", "tree_5"),
            ("tree_5", "rf"),
        ),
    ),
    "cut": Question(
        "My grades are a number, cut into five classes",
        {"mae": False, "qwk": True, "accuracy": True},
        (
            ("ogini_median", "rf"),
            ("forest_cut", "rf_cut"),
            ("rf_cut", "ogini_median"),
            ("hgb_cut", "ogini_median"),
            ("forest_cut", "ogini_median"),
            ("forest_third_cut", "ogini_median"),
            ("absolute_third_cut", "ogini_median"),
            ("rf_cut", "rf_rounded"),
            ("hgb_cut", "hgb_rounded"),
            ("forest_third_cut", "forest_third_rounded"),
        ),
    ),
    "same": Question("The same tree again", {}, ()),
}

SAME_FIELDS = ("trees_seeds", "differ_seeds", "trees_orders", "differ_orders")

LEVEL = 0.95


def report(rows, output):
    """Print and write the results of every question.

    Parameters
    ----------
    rows : list of dict
        One for every model, table, repetition and fold.
    output : pathlib.Path
        Folder of the CSV files.
    """
    written = []
    for question, about in QUESTIONS.items():
        found = [row for row in rows if row["question"] == question]
        if not found:
            continue
        print(f"\n{about.title}: {len({row['table'] for row in found})} tables\n")
        if question == "same":
            print_same(found)
            continue
        print_models(found, about)
        written += [(question, *line) for line in print_pairs(found, about)]
    fields = ("question", "table", "repetition", "fold", "model", "accuracy", "mae", "qwk", "rps", "recall", "r2")
    fields = (*fields, "relative_mae", "seconds", "leaves", "proven", *SAME_FIELDS)
    write_csv(output / "choose_folds.csv", fields, [[row.get(field, "") for field in fields] for row in rows])
    header = ("question", "metric", "group", "model", "rival", "tables", "difference", "low", "high")
    write_csv(output / "choose_pairs.csv", (*header, "better", "equal", "worse", "wilcoxon_holm_p"), written)
    print(f"\nEvery fold and all pairs are in {output}.")


def means_of(rows, field):
    """Return the mean of a figure over the folds, by model and table; a model that tells none has no entry."""
    folds = {}
    for row in rows:
        if row.get(field) is not None:
            folds.setdefault(row["model"], {}).setdefault(row["table"], []).append(row[field])
    return {model: {name: float(np.nanmean(of)) for name, of in tables.items()} for model, tables in folds.items()}


def print_models(rows, about):
    """Print the means of all models over the tables, their sizes, and their times."""
    scores = {metric: means_of(rows, metric) for metric in about.metrics}
    seconds, leaves = means_of(rows, "seconds"), means_of(rows, "leaves")
    first = next(iter(scores.values()))
    tables = {row["table"] for row in rows}
    printed = []
    for model in first:
        cells = [f"{np.mean([scores[metric][model][name] for name in tables]):.3f}" for metric in scores]
        size = f"{np.mean([leaves[model][name] for name in tables]):.0f}" if model in leaves else ""
        ratio = np.median([seconds[model][name] / seconds["rf"][name] for name in tables]) if model in seconds else None
        printed.append((model, *cells, size, "" if ratio is None else f"{ratio:.3g}"))
    print(format_table(("", *scores, "leaves", "fit, times rf"), printed))
    unproven = {(row["table"], row["model"]) for row in rows if row.get("proven") is False}
    if unproven:
        print(f"Not proven to be the best within the time: {', '.join(sorted(map(' '.join, unproven)))}.")


def print_pairs(rows, about):
    """Print every pair of models, over all tables and over groups of tables; return the lines of the CSV file."""
    lines = []
    for metric, greater in about.metrics.items():
        means = means_of(rows, metric)
        groups = (("", None), *(about.groups if metric == next(iter(about.metrics)) else ()))
        for group, names in groups:
            found = compare(means, about.pairs, greater, names)
            lines += [(metric, group, *line) for line in found]
            printed = [
                (f"{model} - {rival}", n, f"{mean:+.4f}", f"[{low:+.4f}, {high:+.4f}]", f"{b}/{e}/{w}", f"{p:.3f}")
                for model, rival, n, mean, low, high, b, e, w, p in found
                if n
            ]
            print(f"\n{metric}, {'greater' if greater else 'less'} is better{group and ': '}{group}\n")
            print(format_table(("", "tables", "difference", "95 %", "better/equal/worse", "p"), printed))
    return lines


def compare(means, pairs, greater_is_better, only=None):
    """Compare models in pairs over the tables that both take, or over the named tables.

    Returns
    -------
    list of tuple
        For every pair: model, rival, number of tables, the mean difference and its interval by Student's t, the numbers
        of tables on which the model is better, equal, worse, and p of Wilcoxon's signed ranks, by Holm's method for all
        pairs.
    """
    found = []
    for model, rival in pairs:
        names = [name for name in means[rival] if name in means[model] and (only is None or name in only)]
        lead = np.array([means[model][name] - means[rival][name] for name in names]).round(12)
        half = stats.t.ppf(0.5 + LEVEL / 2.0, len(lead) - 1) * stats.sem(lead) if len(lead) > 1 else np.inf
        sign = 1.0 if greater_is_better else -1.0
        won = [int(np.sum(sign * lead > 0)), int(np.sum(lead == 0)), int(np.sum(sign * lead < 0))]
        p = float(stats.wilcoxon(lead).pvalue) if np.any(lead) else 1.0
        mean = float(lead.mean()) if len(lead) else np.nan
        found.append((model, rival, len(names), mean, mean - half, mean + half, *won, p))
    adjusted = adjust_by_holm([row[-1] for row in found])
    return [(*row[:-1], p) for row, p in zip(found, adjusted, strict=True)]


def print_same(rows):
    """Print how many trees grow from ten seeds and from ten orders of the samples, and how often they differ."""
    means = {field: means_of(rows, field) for field in SAME_FIELDS}
    printed = []
    for model, tables in means["trees_seeds"].items():
        cells = [f"{np.mean(list(means[field][model].values())):.3f}" for field in SAME_FIELDS]
        several = sum(mean > 1.0 for mean in tables.values())
        printed.append((model, *cells, several))
    header = ("trees, ten seeds", "samples that differ", "trees, ten orders", "samples that differ")
    print(format_table(("", *header, "tables with several trees of the seeds"), printed))
