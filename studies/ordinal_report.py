"""The ordinal study's tables, ours beside the paper's, on the screen and as CSV files."""

from typing import NamedTuple

import numpy as np

from pytrees.tour.report import format_table, import_pyplot, write_csv

from .ordinal_comparisons import compare_criteria, paper_means
from .ordinal_paper import ALL, CONFUSED, CRITERIA, FEW, MANY, MANY_CLASSES, METRICS, TABLE_2, TABLE_6, TABLE_6_MEASURES
from .ordinal_plots import draw_confusions, draw_data_sets, draw_means

# The criteria, further models, and the constant answers.
MODELS = {**CRITERIA, "ranking_unweighted": "RI, unweighted", "majority": "most frequent", "median": "median"}
N_CONSTANTS = 2

SPLIT_FIELDS = ("dataset", "seed", "model", *METRICS, "max_depth", "depth", "leaves", "seconds")


class Scores(NamedTuple):
    """Measures of data sets; the arrays are of shape (n_sets, n_models, n_seeds), models as in `MODELS`."""

    names: list
    n_classes: np.ndarray
    values: dict  # an array by measure
    depths: np.ndarray  # the chosen depths, of the criteria alone

    def only(self, kept):
        """Return the scores of some data sets."""
        names = [name for name, keep in zip(self.names, kept, strict=True) if keep]
        values = {metric: array[kept] for metric, array in self.values.items()}
        return Scores(names, self.n_classes[kept], values, self.depths[kept])

    def criteria(self, metric):
        """Return a measure of the criteria, without the constant answers."""
        return self.values[metric][:, : len(CRITERIA)]


def collect(results, n_classes):
    """Collect the rows of :func:`studies.ordinal.run_ordinal` as arrays."""
    of = {(row["dataset"], row["model"], row["seed"]): row for row in results}
    n_seeds = 1 + max(row["seed"] for row in results)

    def array(field, models):
        return np.array([[[of[name, m, seed][field] for seed in range(n_seeds)] for m in models] for name in n_classes])

    values = {metric: array(metric, MODELS) for metric in METRICS}
    return Scores(list(n_classes), np.array(list(n_classes.values())), values, array("max_depth", CRITERIA))


def report(results, n_classes, output):
    """Print and write all tables, and draw all pictures.

    Parameters
    ----------
    results : list of dict
        Rows of :func:`studies.ordinal.run_ordinal`.
    n_classes : dict of str to int
        The data sets, in their order, and how many classes they have.
    output : pathlib.Path
        Folder of CSV files and pictures.
    """
    write_csv(
        output / "ordinal_splits.csv", SPLIT_FIELDS, [[row.get(field, "") for field in SPLIT_FIELDS] for row in results]
    )
    scores = collect(results, n_classes)
    many = scores.n_classes >= MANY_CLASSES
    groups = {ALL: scores, MANY: scores.only(many), FEW: scores.only(~many)}
    groups = {title: group for title, group in groups.items() if group.names}
    print_data_sets(scores, output)
    print_means(groups, output)
    print_depths(scores)
    comparisons = compare_criteria(groups, output)
    confusions = collect_confusions(results)
    if confusions:
        print_confusions(confusions, scores, output)
    if import_pyplot() is None:
        print("\nThe pictures need matplotlib: pip install 'decision-pytrees[study]'.")
    else:
        draw_data_sets(scores, output / "ordinal_datasets.png")
        draw_means(groups, comparisons, output / "ordinal_means.png")
        if confusions:
            draw_confusions(confusions, output / "ordinal_confusion.png")
    print(f"\nFigures of every split, all tables and the pictures are in {output}.")


def print_data_sets(scores, output):
    """Print the mean absolute error on every data set; all measures go into the CSV file."""
    n_seeds = scores.depths.shape[2]
    printed, written = [], []
    for place, name in enumerate(scores.names):
        means = scores.values["mae"][place].mean(axis=1)
        best = means[: len(CRITERIA)].min()
        cells = [f"{mean:.3f}{'*' if mean == best and i < len(CRITERIA) else ' '}" for i, mean in enumerate(means)]
        printed.append((name, scores.n_classes[place], *cells))
        for i, model in enumerate(MODELS):
            spreads = [(values[place, i].mean(), deviation(values[place, i])) for values in scores.values.values()]
            depth = round(float(scores.depths[place, i].mean()), 2) if model in CRITERIA else ""
            figures = [round(float(figure), 4) for spread in spreads for figure in spread]
            written.append((name, scores.n_classes[place], model, *figures, depth, n_seeds))
    print(f"\nMean absolute error on the test samples, mean over {n_seeds} random splits; * the least of the criteria")
    print("The two on the right always answer one class of the training samples: the most frequent, the median.\n")
    print(format_table(("", "Q", *(f"{title} " for title in MODELS.values())), printed))
    useless = [
        name
        for name, means in zip(scores.names, scores.values["mae"].mean(axis=2), strict=True)
        if means[: len(CRITERIA)].min() >= means[-N_CONSTANTS:].min()
    ]
    print(f"\nNo criterion is better than a constant answer on: {', '.join(useless) or 'none'}.")
    columns = [f"{metric}_{statistic}" for metric in METRICS for statistic in ("mean", "std")]
    header = ("dataset", "n_classes", "model", *columns, "max_depth_mean", "splits")
    write_csv(output / "ordinal_datasets.csv", header, written)


def deviation(values):
    """Compute the standard deviation over the splits; 0 for a single split."""
    return float(np.std(values, axis=-1, ddof=1).mean()) if values.shape[-1] > 1 else 0.0


def print_means(groups, output):
    """Print and write Table II, and the same for the data sets of many and of few classes."""
    print("\nTable II: means over all splits ± the standard deviation within a data set, mean over the data sets")
    print("Beside the paper's criteria: RI in its original form, with unweighted children, and always the most")
    print("frequent, or the median, class of the training samples.")
    written = []
    for title, scores in groups.items():
        printed = []
        for place, (model, name) in enumerate(MODELS.items()):
            cells, row = [name], [title, model]
            for metric in METRICS:
                paper = paper_means(title, metric).get(model)
                spread = f" ± {TABLE_2[model][metric][1]:.3f}" if paper and title == ALL else ""
                values = scores.values[metric][:, place]
                ours = f" ± {deviation(values):.3f}" if values.shape[-1] > 1 else ""
                cells += [f"{paper:.3f}{spread}" if paper else "", f"{values.mean():.3f}{ours}"]
                row += ["" if paper is None else paper, round(float(values.mean()), 4), round(deviation(values), 4)]
            printed.append(cells)
            written.append(row)
        header = (
            f"{title} ({len(scores.names)})",
            *(f"{m.upper()}, {who}" for m in METRICS for who in ("paper", "ours")),
        )
        print(f"\n{format_table(header, printed)}")
    columns = [f"{metric}_{figure}" for metric in METRICS for figure in ("paper", "mean", "std")]
    write_csv(output / "ordinal_table_2.csv", ("group", "model", *columns), written)


def print_depths(scores):
    """Print how often cross-validation chose which limit of depth."""
    depths = np.unique(scores.depths)
    rows = [
        (title, *(f"{100.0 * np.mean(scores.depths[:, place] == depth):.0f} %" for depth in depths))
        for place, title in enumerate(CRITERIA.values())
    ]
    print("\nThe limits of depth that cross-validation chose\n")
    print(format_table(("", *(str(depth) for depth in depths)), rows))


def collect_confusions(results):
    """Collect the matrices of `CONFUSED` by criterion, (n_seeds, n_classes, n_classes); none if it was left out."""
    matrices = {
        criterion: [row["confusion"] for row in results if (row["dataset"], row["model"]) == (CONFUSED, criterion)]
        for criterion in CRITERIA
    }
    return {criterion: np.array(found) for criterion, found in matrices.items() if found}


def print_confusions(confusions, scores, output):
    """Print Table VI: the paper's matrices of one seed, and the means of ours, with the range of their measures."""
    print(f"\nTable VI: test samples of {CONFUSED} by their class (rows) and the predicted one (columns)")
    place, written = scores.names.index(CONFUSED), []
    for i, (criterion, matrices) in enumerate(confusions.items()):
        depth = scores.depths[place, i].mean()
        print(f"\n{CRITERIA[criterion]}, mean of {len(matrices)} splits; the mean limit of depth is {depth:.1f}\n")
        mean = matrices.mean(axis=0)
        paper = np.array(TABLE_6[criterion]) if criterion in TABLE_6 else None
        n_classes = len(mean)
        header = ["", *(f"C{q + 1}" for q in range(n_classes))]
        rows = [[f"C{q + 1}", *(f"{count:.0f}" for count in mean[q])] for q in range(n_classes)]
        if paper is not None:
            header += ["   paper:", *(f"C{q + 1}" for q in range(n_classes))]
            rows = [[*row, "", *paper[q].tolist()] for q, row in enumerate(rows)]
        print(format_table(header, rows))
        for metric in METRICS:
            values = scores.values[metric][place, i]
            printed = f"; paper {TABLE_6_MEASURES[criterion][metric]:.3f}" if paper is not None else ""
            print(f"{metric.upper()} {values.mean():.3f} [{values.min():.3f}, {values.max():.3f}]{printed}")
        for q, r in np.ndindex(mean.shape):
            published = "" if paper is None else int(paper[q, r])
            written.append((criterion, q + 1, r + 1, round(float(mean[q, r]), 2), published))
    write_csv(output / "ordinal_confusion.csv", ("criterion", "class", "predicted", "mean_count", "paper"), written)
