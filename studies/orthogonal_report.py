"""The tables of the study of orthogonal trees, ours beside the paper's, on the screen and as CSV files."""

import numpy as np

from pytrees.tour.report import format_table, import_pyplot, write_csv

from .orthogonal_paper import ERROR_ROWS, IN_ORDER, LEAST_SQUARES, SETTINGS
from .orthogonal_plots import draw_components, draw_forest, draw_members, draw_variance
from .orthogonal_protocol import FOREST_COMPONENTS, LEAVES, MAX_LEAF_NODES, VARIANTS

# The models that are printed; all are in the CSV files.
MODELS = {
    "majority": "always the most frequent training class",
    "best_constant": "always the most frequent test class",
    "stump": "one split",
    "c45": "C4.5",
    "tree": "binary tree by entropy, not pruned",
    "bagged_alone": "bagged trees of C4.5, alone",
    "bagging": "bagging",
    "forest": "random forest",
    "rebuilt_alone": "RFT of the bagged trees, alone",
    "rebuilt": "RFT of the bagged trees, vote",
    "aft_energy": "AFT, truncated spectra",
    "aft_uniform": "AFT",
    "aft_empirical": "AFT, empirical",
    "first_uniform": "ODT, first component",
    "first_empirical": "ODT, first component, empirical",
    "least_squares_uniform": "ODT-LR",
    "least_squares_empirical": "ODT-LR, empirical",
    "first_fitted_uniform_test": "ODT, first component, weight from the test samples",
    "least_squares_uniform_test": "ODT-LR, weights from the test samples",
    "least_squares_empirical_test": "ODT-LR, empirical, weights from the test samples",
}

# Names of the paper's rows.
PAPER_TITLES = dict(
    zip(ERROR_ROWS, ("C4.5", "bagging", "random forest", "AFT", "ODT from the 1st PC", "ODT-LR"), strict=True)
)

# The figures of a model: the fields of a row after its name.
FIGURES = ("error", "balanced_accuracy", "share_of_class_1", "differs_from_vote", "nodes", "merged_nodes")

VARIANT_TITLES = {
    "uniform": "uniform",
    "uniform_centered": "uniform, centred",
    "empirical": "empirical",
    "empirical_centered": "empirical, centred",
}


def report(results, tables, output):
    """Print and write all tables, and draw all pictures.

    Parameters
    ----------
    results : dict
        The result of :func:`studies.orthogonal.run_orthogonal`.
    tables : dict of str to sklearn.utils.Bunch
    output : pathlib.Path
        Folder of CSV files and pictures.
    """
    judged = {name: collect(results[name]) for name in tables}
    print_models(results, judged, tables)
    write_models(results, judged, output)
    print_cross_validation(results, tables, output)
    print_constants(judged, tables)
    print_fitted_to_test(judged)
    print_leaves(results, tables, output)
    print_variance(results, tables, output)
    write_curves(results, tables, output)
    print_forest(results["forest"], output)
    if import_pyplot() is None:
        print("\nThe pictures need matplotlib: pip install 'decision-pytrees[study]'.")
    else:
        draw_variance({name: results[name] for name in tables}, output / "orthogonal_variance.png")
        draw_components({name: (results[name], judged[name]) for name in tables}, output / "orthogonal_components.png")
        for name in tables:
            if name != IN_ORDER:
                path = output / f"orthogonal_figure_{SETTINGS[name].members_figure}.png"
                draw_members(results[name][0], SETTINGS[name], path)
        draw_forest(results["forest"], collect(results["forest"]), output / "orthogonal_forest.png")
    print(f"\nFigures of every seed, all tables and the pictures are in {output}.")


def collect(results):
    """Collect by model, by figure, an array over the seeds."""
    by_model = {}
    for found in results:
        for name, *figures in found["rows"]:
            by_model.setdefault(name, []).append(figures)
    return {name: dict(zip(FIGURES, np.array(figures).T, strict=True)) for name, figures in by_model.items()}


# ----------------------------------------------------------------------------------------------------- Tables I to V


def place_of(figure, values):
    """Say whether the paper's figure lies within the range of ours, below or above it."""
    # Half of the last digit that the paper prints.
    return "below" if figure < values.min() - 0.005 else "above" if figure > values.max() + 0.005 else "within"


def print_models(results, judged, tables):
    """Print errors and nodes of the models on every data set, beside the paper's."""
    n_seeds = len(results["forest"])
    print(
        f"\nTables I to V: errors in per cent of the test samples, mean [least, greatest] over {n_seeds} seeds; where"
    )
    print(
        "the paper's lies; balanced accuracy, the mean of the classes' shares of samples that are right (of one class"
    )
    print("alone, its share); per cent of the test samples that get another class than most bagged trees give them;")
    print("nodes, of several trees their mean, and without redundant splits, a component deciding alone. In a weighted")
    print("sum of components what they are counts, not what they decide: there merging saves nothing.")
    print("The measure is uniform where nothing else is said.")
    header = ("", "paper", "error", "paper is", "balanced", "other", "paper's nodes", "nodes", "merged")
    for name, models in judged.items():
        setting, n_test = SETTINGS[name], len(tables[name].target) - tables[name].n_train
        drawn = "drawn by the seed" if tables[name].drawn else "the first ones"
        print(f"\n{setting.title} (Table {setting.table})")
        print(f"{tables[name].n_train} training samples, {drawn}, and {n_test} to test on; {setting.n_trees} trees\n")
        printed = []
        for model, title in MODELS.items():
            values = models[model]
            error, balanced, _, differs, nodes, merged = (values[figure].mean() for figure in FIGURES)
            least, greatest = values["error"].min(), values["error"].max()
            cells = [f"{100.0 * error:.2f} [{100.0 * least:.2f}, {100.0 * greatest:.2f}]", "", f"{balanced:.3f}"]
            cells += [f"{100.0 * differs:.1f}", "", f"{nodes:.1f}", f"{merged:.1f}"]
            paper = ""
            if model in setting.errors:
                paper, cells[1] = (
                    f"{setting.errors[model]:.2f}",
                    place_of(setting.errors[model], 100.0 * values["error"]),
                )
            if model in setting.nodes:
                cells[4] = f"{setting.nodes[model]:g}"
            printed.append((title, paper, *cells))
        print(format_table(header, printed))
        out_of_bag = 100.0 * np.array([found["out_of_bag"] for found in results[name]])
        told = "" if setting.out_of_bag is None else f"; paper {setting.out_of_bag:.2f} %"
        print(
            f"\nOut-of-bag error of the random forest: {out_of_bag.mean():.2f} "
            f"[{out_of_bag.min():.2f}, {out_of_bag.max():.2f}] %{told}"
        )


def write_models(results, judged, output):
    """Write all models, the paper's figures beside means, and all seeds."""
    written = []
    for name, models in judged.items():
        setting = SETTINGS[name]
        for model, values in models.items():
            means = [round(float(values[figure].mean()), 6) for figure in FIGURES]
            ends = [round(float(end), 6) for end in (values["error"].min(), values["error"].max())]
            paper = ["", "", setting.nodes.get(model, "")]
            if model in setting.errors:
                error = setting.errors[model]
                paper[:2] = round(error / 100.0, 6), place_of(error, 100.0 * values["error"])
            written.append((name, model, *means, *ends, *paper, len(values["error"])))
    header = ("dataset", "model", *FIGURES, "error_min", "error_max", "paper_error", "paper_is", "paper_nodes", "seeds")
    write_csv(output / "orthogonal_tables.csv", header, written)
    rows = [(name, seed, *row) for name in judged for seed, found in enumerate(results[name]) for row in found["rows"]]
    write_csv(output / "orthogonal_models.csv", ("dataset", "seed", "model", *FIGURES), rows)


def print_cross_validation(results, tables, output):
    """Print and write the cross-validation of C4.5 beside the paper's, and write every bagged and rebuilt tree."""
    print(
        "\nC4.5, ten-fold cross-validation of the training samples: the root mean squared error of the classes' shares;"
    )
    print(
        "the error, and the standard deviations of the folds' errors and of the errors of repetitions, one a seed, in"
    )
    print("per cent. The paper does not say which standard deviation it prints.\n")
    printed, written = [], []
    for name in tables:
        paper, folds = SETTINGS[name].cross_validation, np.array([found["cross_validation"] for found in results[name]])
        between = float(np.std(folds[:, 1], ddof=1)) if len(folds) > 1 else 0.0
        rmse, error, of_folds = folds.mean(axis=0).tolist()
        cells = f"{100.0 * error:.2f}", f"{100.0 * of_folds:.2f}", f"{100.0 * between:.2f}"
        printed.append((SETTINGS[name].title, f"{paper[0]:.4f}", f"{rmse:.4f}", *cells, f"{paper[1]:.4f}"))
        written.append((name, *(round(figure, 6) for figure in (rmse, error, of_folds, between)), *paper, len(folds)))
    header = "", "RMSE, paper", "RMSE", "error", "of folds", "of repetitions", "deviation, paper"
    print(format_table(header, printed))
    header = (
        "dataset",
        "rmse",
        "error",
        "deviation_of_folds",
        "deviation_of_repetitions",
        "paper_rmse",
        "paper_deviation",
    )
    write_csv(output / "orthogonal_cross_validation.csv", (*header, "seeds"), written)
    header = "dataset", "seed", "tree", "error", "nodes", "error_rebuilt", "nodes_rebuilt", "merged_nodes_rebuilt"
    rows = [
        (name, seed, number, *row)
        for name in tables
        for seed, found in enumerate(results[name])
        for number, row in enumerate(found["members"], start=1)
    ]
    write_csv(output / "orthogonal_members.csv", header, rows)


def print_leaves(results, tables, output):
    """Print the cost of the limit of leaves for an aggregated tree."""
    print(
        "\nAFT by its greatest number of leaves: error in per cent of the test samples; in brackets the per cent that"
    )
    print("get another class than most bagged trees give them; means over the seeds\n")
    printed, written = [], []
    for name in tables:
        for measure in results[name][0]["leaves"]:
            means = np.mean([found["leaves"][measure] for found in results[name]], axis=0)
            cells = [f"{100.0 * error:.1f} ({100.0 * differs:.1f})" for error, differs in means]
            printed.append((f"{SETTINGS[name].title}, {measure}", *cells))
            written += [(name, measure, n, *np.round(row, 6).tolist()) for n, row in zip(LEAVES, means, strict=True)]
    print(format_table(("", *(f"{n}" for n in LEAVES)), printed))
    header = ("dataset", "measure", "max_leaf_nodes", "error", "differs_from_vote")
    write_csv(output / "orthogonal_leaves.csv", header, written)


# ---------------------------------------------------------------------------------- constant answers, and test samples


def constant_answers(models):
    """Find the models that predict one class for all test samples: this class, or None for both, and the seeds."""
    found = {}
    for model, values in models.items():
        shares = values["share_of_class_1"]
        seeds = np.flatnonzero((shares == 0.0) | (shares == 1.0))
        if seeds.size and model not in ("majority", "best_constant"):
            classes = set(shares[seeds].astype(int).tolist())
            found[model] = (classes.pop() if len(classes) == 1 else None, seeds.size)
    return found


def simple_errors(models, target):
    """Return errors on fixed test samples, in per cent, of constant answers and of the smallest trees."""
    wrong = {f"always {label}": 100.0 * float(np.mean(target != label)) for label in (0, 1)}
    return wrong | {"one split": 100.0 * float(models["stump"]["error"][0])}


def print_constants(judged, tables):
    """Print which models, ours and the paper's, predict one class only, or have the error of a simple answer."""
    print("\nSimple answers: errors of the paper that equal a constant's or one split's, and which of ours call all")
    print("test samples one class")
    for name, models in judged.items():
        setting, table = SETTINGS[name], tables[name]
        lines = []
        if not table.drawn:
            test = table.target[table.n_train :]
            for label in (0, 1):
                wrong, balanced = int(np.sum(test != label)), np.mean(np.unique(test) == label)
                lines.append(
                    f"always {label}: {wrong} of {len(test)} test samples wrong, {100.0 * wrong / len(test):.2f} %; "
                    f"balanced accuracy {balanced:.1f}"
                )
            for answer, error in simple_errors(models, test).items():
                same = [
                    PAPER_TITLES[model] for model, printed in setting.errors.items() if abs(printed - error) < 0.006
                ]
                if same:
                    lines.append(f"{error:.2f} %, the error of {answer}, is what the paper has for {', '.join(same)}")
        n_seeds = len(models["majority"]["error"])
        for model, (label, times) in constant_answers(models).items():
            what = "one class" if label is None else f"always {label}"
            lines.append(f"{model}: {what}, {times} of {n_seeds} seeds")
        print(f"\n{setting.title}")
        for line in lines or ["none"]:
            print(f"  {line}")


def print_fitted_to_test(judged):
    """Print the gain of weights that are fitted to the test samples."""
    print(
        "\nODT-LR with weights of least squares from the training samples -> from the test samples, as the paper has it"
    )
    print('("Since the class-labels in the test set are already known, we use the least square regression"): mean')
    print("error in per cent, and the balanced accuracy; * all seeds give one class\n")
    rows = []
    for name, models in judged.items():
        cells = []
        for variant in VARIANTS:
            train, test = (models[f"least_squares_{variant}{end}"] for end in ("", "_test"))
            pair = []
            for values in (train, test):
                constant = "*" if np.isin(values["share_of_class_1"], (0.0, 1.0)).all() else ""
                pair.append(
                    f"{100.0 * values['error'].mean():.1f} ({values['balanced_accuracy'].mean():.2f}){constant}"
                )
            cells.append(" -> ".join(pair))
        rows.append((SETTINGS[name].title, f"{SETTINGS[name].errors[LEAST_SQUARES]:.2f}", *cells))
    print(format_table(("", "paper", *VARIANT_TITLES.values()), rows))


# ------------------------------------------------------------------------------------------------ variance, components


def shares_of(results, variant):
    """Return variance of the components, mean over the seeds; a component that a seed lacks counts 0."""
    listed = [found["variance"][variant] for found in results]
    shares = np.zeros((len(listed), max(map(len, listed))))
    for row, found in zip(shares, listed, strict=True):
        row[: len(found)] = found
    return shares


def print_variance(results, tables, output):
    """Print and write the variance that components carry: the first, the paper's number, those that carry 90 %."""
    print("\nVariance: the share of the first component in per cent, of the paper's number of components, and how many")
    print("components carry 90 %, of all that there are; the greatest cosine between two of the components' trees, of")
    print(
        f"{MAX_LEAF_NODES} leaves at most. Means over the seeds. Not centred, the mean vote w_0 counts as variance.\n"
    )
    printed, written = [], []
    for name in tables:
        setting = SETTINGS[name]
        for variant, title in VARIANT_TITLES.items():
            shares = shares_of(results[name], variant)
            captured = np.cumsum(shares, axis=1)
            needed = np.mean(np.sum(captured < 0.9 - 1e-6, axis=1) + 1)
            n_all = np.mean([len(found["variance"][variant]) for found in results[name]])
            overlap = np.mean([found["overlap"][variant] for found in results[name]])
            paper = setting.first_share if variant == "uniform" else None
            k = min(setting.n_components, shares.shape[1])
            printed.append(
                (
                    f"{setting.title}, {title}",
                    "" if paper is None else f"{paper:.1f}",
                    f"{100.0 * shares[:, 0].mean():.1f}",
                    f"{setting.n_components}: {100.0 * captured[:, k - 1].mean():.1f}",
                    f"{needed:.1f} of {n_all:.0f}",
                    f"{overlap:.2f}",
                )
            )
            written += [
                (name, variant, place + 1, round(share, 6)) for place, share in enumerate(shares.mean(axis=0).tolist())
            ]
    print(format_table(("", "first, paper", "first", "first k", "for 90 %", "cosine"), printed))
    write_csv(output / "orthogonal_variance.csv", ("dataset", "variant", "component", "share"), written)


def write_curves(results, tables, output):
    """Write mean errors by the number of components."""
    rows = []
    for name in tables:
        for variant in VARIANTS:
            for way in ("vote", "least_squares"):
                for n, errors in enumerate(errors_by_number(results[name], variant, way), start=1):
                    rows.append((name, variant, way, n, round(float(np.mean(errors)), 6), len(errors)))
    write_csv(output / "orthogonal_components.csv", ("dataset", "variant", "way", "components", "error", "seeds"), rows)


def errors_by_number(results, variant, way):
    """Collect, for k = 1, 2, ... components, the errors of the seeds that have k components."""
    curves = [found["curves"][variant][way] for found in results]
    return [[curve[n] for curve in curves if n < len(curve)] for n in range(max(map(len, curves)))]


# ------------------------------------------------------------------------------------------------------ a large forest


def print_forest(results, output):
    """Print and write a large forest as one tree and as a few."""
    models = collect(results)
    n_trees = results[0]["n_trees"]
    print(f"\nBreast Cancer: a random forest of {n_trees} trees as one tree, and as a few; 30 % of samples to test on.")
    print(f"Trees have {MAX_LEAF_NODES} leaves at most. Means over {len(results)} seeds, of errors with the standard")
    print("deviation.\n")
    titles = {
        "majority": "always the most frequent class",
        "c45": "C4.5",
        "tree": "tree by entropy, not pruned",
        "forest": f"forest of {n_trees} trees",
        "aft_uniform": "one tree of it (AFT), uniform",
        "aft_empirical": "one tree of it (AFT), empirical",
    }
    rows = []
    for model, title in titles.items():
        nodes = [f"{models[model][figure].mean():,.0f}" for figure in ("nodes", "merged_nodes")]
        rows.append((title, *nodes, *(spread(models[model][figure]) for figure in ("error", "differs_from_vote"))))
    print(format_table(("", "nodes", "merged", "error, %", "other than the vote, %"), rows))
    by = collect_components(results)
    for variant, title in VARIANT_TITLES.items():
        rows = []
        for n in FOREST_COMPONENTS:
            variance, nodes, vote, fitted = by[variant, n]
            rows.append((n, f"{nodes.mean():,.0f}", f"{variance.mean():.3f}", spread(vote), spread(fitted)))
        print(f"\n{title}\n")
        print(format_table(("components", "nodes", "variance", "vote, %", "least squares, %"), rows))
    header = ("variant", "components", "seed", "variance", "nodes", "error_vote", "error_least_squares")
    written = [(v, n, s, *figures) for s, found in enumerate(results) for v, n, *figures in found["components"]]
    write_csv(output / "orthogonal_forest.csv", header, written)
    rows = [(seed, *row) for seed, found in enumerate(results) for row in found["rows"]]
    write_csv(output / "orthogonal_forest_models.csv", ("seed", "model", *FIGURES), rows)


def collect_components(results):
    """Collect variance, nodes, and the errors of both ways, by variant and number of components, over the seeds."""
    by = {}
    for found in results:
        for variant, n, *figures in found["components"]:
            by.setdefault((variant, n), []).append(figures)
    return {key: np.array(figures).T for key, figures in by.items()}


def spread(errors):
    """Return mean and standard deviation in per cent; a single error has no deviation."""
    deviation = f" ± {100.0 * np.std(errors, ddof=1):.1f}" if len(errors) > 1 else ""
    return f"{100.0 * np.mean(errors):.1f}{deviation}"
