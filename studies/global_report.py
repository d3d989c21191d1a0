"""Tables of the study of global evaluation: accuracy and size (Figures 4 and 5) and redundant splits (Figure 6)."""

import numpy as np

from pytrees.tour.report import format_table, import_pyplot, write_csv

from .global_growth_report import report_glocal, report_noise
from .global_plots import draw_random_trees, draw_situations, draw_sizes
from .global_protocol import DISTANCES, EVALUATIONS, MOST_TRAINING_ROWS, judge_situation, models, situations
from .report import standard_error, with_error

# The data sets of Figure 4, and whether they are artificial.
DATA_SETS = {
    "monks1": ("Monks 1", True),
    "monks2": ("Monks 2", True),
    "monks3": ("Monks 3", True),
    "blobs": ("Gaussian blobs", True),
    "wine": ("Wine", False),
    "iris": ("Iris", False),
    "ctg_nsp": ("CTG, 3 classes", False),
    "ctg_class": ("CTG, 10 classes", False),
}

CONSTANT = ("constant", "")

# Training sets of at most this many rows are called small.
MOST_ROWS_OF_SMALL = 40

# The distances of the paper's Figure 4.
PAPERS_DISTANCES = ("information_gain", "gini", "jaccard", "nvi")

# A difference counts if it is this many standard errors.
ERRORS_THAT_COUNT = 2.0


def report(results, tables, output):
    """Print and write all tables, and draw all pictures.

    Parameters
    ----------
    results : dict
        The result of :func:`studies.global_evaluation.run_global`.
    tables : dict of str to (X, y)
    output : pathlib.Path
        Folder of CSV files and pictures.
    """
    grown = collect_sizes(results["figure_4"])
    print_sizes(grown, tables)
    print_comparison(grown)
    print_lead(grown, output)
    write_sizes(grown, results["figure_4"], output)
    random_trees = collect_random_trees(results["figure_5"])
    print_random_trees(random_trees)
    write_random_trees(random_trees, results["figure_5"], output)
    judged = judge_situations(output)
    shares = print_redundancy(grown, random_trees, output)
    noise = report_noise(results["figure_7"], len(tables["iris"][1]), output)
    glocal = report_glocal(results["figure_8"], tables, output)
    if import_pyplot() is None:
        print("\nThe pictures need matplotlib: pip install 'decision-pytrees[study]'.")
    else:
        draw_sizes({DATA_SETS[name][0]: found for name, found in grown.items()}, output / "global_figure_4.png")
        draw_random_trees(random_trees, output / "global_figure_5.png")
        draw_situations(situations(), judged, shares, output / "global_figure_6.png")
        noise.draw(output / "global_figure_7.png")
        glocal.draw(output / "global_figure_8.png")
    print(f"\nFigures of every repetition, all tables and the pictures are in {output}.")


# ------------------------------------------------------------------------------------------------------------ Figure 4


def collect_sizes(results):
    """Collect by data set, by size, by model an array (3, n_seeds): accuracies, nodes and redundant splits."""
    grown = {name: {} for name in DATA_SETS if any(name == of for of, _ in results)}
    for (name, _), rows in results.items():
        for size, distance, evaluation, *figures in rows:
            grown[name].setdefault(size, {}).setdefault((distance, evaluation), []).append(figures)
    return {
        name: {size: {model: np.array(found).T for model, found in by.items()} for size, by in sizes.items()}
        for name, sizes in grown.items()
    }


def print_sizes(grown, tables):
    """Print accuracy and nodes on a small training set and on the largest one."""
    n_seeds = next(iter(grown["iris"].values()))[CONSTANT].shape[1]
    print(
        f"\nFigure 4: share of test samples that are predicted right, mean ± standard error of {n_seeds} repetitions,"
    )
    print(f"and nodes, mean of {' / '.join(EVALUATIONS)}.")
    print("A tenth of the samples is for testing, drawn anew every time;")
    print(f"training sets, of at most {MOST_TRAINING_ROWS}, are parts of the others. Repetitions share samples,")
    print("which makes standard errors too small.")
    for name, sizes in grown.items():
        small, most = MOST_ROWS_OF_SMALL, max(sizes)
        print(f"\n{DATA_SETS[name][0]}: {small} and {most} training samples, of {len(tables[name][1])} in all\n")
        rows = [
            (
                DISTANCES[distance],
                *(
                    with_error(sizes[size][distance, evaluation][0])
                    for size in (small, most)
                    for evaluation in EVALUATIONS
                ),
                " / ".join(f"{sizes[most][distance, evaluation][1].mean():.0f}" for evaluation in EVALUATIONS),
            )
            for distance in DISTANCES
        ]
        constants = [
            cell
            for size in (small, most)
            for cell in (with_error(sizes[size][CONSTANT][0]), *[""] * (len(EVALUATIONS) - 1))
        ]
        rows.append(("most frequent class", *constants, "1"))
        header = [f"{size}, {evaluation}" for size in (small, most) for evaluation in EVALUATIONS]
        print(format_table(("", *header, f"{most}, nodes"), rows))


def compare(grown, first, second, names, sizes_of, figure):
    """Count how often the first evaluation's mean is clearly greater than, close to, or clearly less than the second's.

    Parameters
    ----------
    grown : dict
        The result of :func:`collect_sizes`.
    first, second : str
        The evaluations.
    names : list of str
        Data sets.
    sizes_of : callable
        Takes the sizes of training sets of a data set, and gives those to count.
    figure : int
        0 for accuracy, 1 for nodes.

    Returns
    -------
    dict of str to list of int
        By distance the three numbers.
    """
    counts = {distance: [0, 0, 0] for distance in DISTANCES}
    for name in names:
        for size in sizes_of(list(grown[name])):
            for distance in DISTANCES:
                found = grown[name][size]
                difference = found[distance, first][figure] - found[distance, second][figure]
                mean, error = difference.mean(), standard_error(difference)
                place = 1 if abs(mean) <= ERRORS_THAT_COUNT * error else int(mean < 0.0) * 2
                counts[distance][place] += 1
    return counts


def print_comparison(grown):
    """Print local against global evaluation: artificial and natural data, small training sets and all samples."""
    print(
        "\nLocal against global evaluation, paired by repetition: training sets for which the mean of the local trees"
    )
    print(f"is greater / not clearly other / smaller, clear being more than {ERRORS_THAT_COUNT:.0f} standard errors")
    for other in ("global", "global, local ties"):
        print(f"\nLocal against {other}\n")
        print_counts(grown, other)


def print_counts(grown, other):
    """Print how often local evaluation is ahead of, level with and behind another way."""
    kinds = {
        "artificial": [name for name in grown if DATA_SETS[name][1]],
        "natural": [name for name in grown if not DATA_SETS[name][1]],
    }
    ranges = {
        f"up to {MOST_ROWS_OF_SMALL} samples": lambda sizes: [size for size in sizes if size <= MOST_ROWS_OF_SMALL],
        "more": lambda sizes: [size for size in sizes if size > MOST_ROWS_OF_SMALL],
    }
    rows = []
    for figure, title in enumerate(("accuracy", "nodes")):
        for kind, names in kinds.items():
            for range_title, sizes_of in ranges.items():
                counts = compare(grown, "local", other, names, sizes_of, figure)
                total = np.sum(list(counts.values()), axis=0)
                cells = ["/".join(map(str, numbers)) for numbers in (*counts.values(), total)]
                rows.append((f"{title}, {kind}, {range_title}", *cells))
    print(format_table(("", *DISTANCES.values(), "all"), rows))


def print_lead(grown, output):
    """Print and write the lead of global over local evaluation by data set and size, mean of the paper's distances."""
    print("\nTest accuracy of global less that of local evaluation, in per cent: mean of the paper's four distances")
    print("± standard error; * more than two of them. The last column has the largest training set.")
    written = []
    for evaluation in ("global", "global, local ties"):
        print(f"\n{evaluation}\n")
        written += print_lead_of(grown, evaluation)
    write_csv(output / "global_lead.csv", ("dataset", "train_size", "evaluation", "less_local", "se"), written)


def print_lead_of(grown, evaluation):
    """Print the lead of one way; return its rows of the CSV file."""
    powers = sorted({size for sizes in grown.values() for size in list(sizes)[:-1]})
    printed, written = [], []
    for name, sizes in grown.items():
        cells = dict.fromkeys([*powers, "largest"], "")
        for size, found in sizes.items():
            leads = [found[distance, evaluation][0] - found[distance, "local"][0] for distance in PAPERS_DISTANCES]
            lead = 100.0 * np.mean(leads, axis=0)
            mean, error = float(lead.mean()), standard_error(lead)
            mark = "*" if abs(mean) > ERRORS_THAT_COUNT * error else " "
            cells[size if size != max(sizes) else "largest"] = f"{mean:+.1f} ± {error:.1f}{mark}"
            written.append((name, size, evaluation, round(mean, 4), round(error, 4)))
        printed.append((DATA_SETS[name][0], *cells.values()))
    print(format_table(("training samples", *map(str, powers), "largest"), printed))
    return written


def write_sizes(grown, results, output):
    header = ("dataset", "seed", "train_size", "distance", "evaluation", "accuracy", "nodes", "redundant_splits")
    trees = [(name, seed, *row) for (name, seed), rows in results.items() for row in rows]
    write_csv(output / "global_figure_4_trees.csv", header, trees)
    means = [
        (name, size, *model, *(round(figure(values), 5) for values in found for figure in (np.mean, standard_error)))
        for name, sizes in grown.items()
        for size, by_model in sizes.items()
        for model, found in by_model.items()
    ]
    columns = [f"{figure}_{statistic}" for figure in header[5:] for statistic in ("mean", "se")]
    write_csv(output / "global_figure_4.csv", (header[0], *header[2:5], *columns), means)


# ------------------------------------------------------------------------------------------------------------ Figure 5


def collect_random_trees(results):
    """Collect by nodes of the random tree: nodes and redundant splits by model, and proven bounds on the least
    nodes."""
    by_size = {}
    for (n_nodes, _), found in sorted(results.items()):
        by_size.setdefault(n_nodes, []).append(found)
    return {
        n_nodes: {
            "nodes": dict(
                zip(models(), np.array([[tree[2] for tree in one["trees"]] for one in found]).T, strict=True)
            ),
            "redundant": dict(
                zip(models(), np.array([[tree[3] for tree in one["trees"]] for one in found]).T, strict=True)
            ),
            "minimal": np.array([one["minimal"] for one in found]),
            "proven": np.array([one["minimal"] == one["lower_bound"] for one in found]),
            "discarded": sum(one["discarded"] for one in found),
        }
        for n_nodes, found in by_size.items()
    }


def print_random_trees(random_trees):
    """Print the sizes of the trees, by the size of the tree that labelled the points."""
    n_seeds = len(next(iter(random_trees.values()))["minimal"])
    print(f"\nFigure 5: nodes of trees on points that a random tree has labelled, mean (median) of {n_seeds} samples")
    print("Samples for which a tree is smaller than that one are discarded, as in the paper. Below: the nodes of the")
    print(
        "smallest consistent tree, where they are proven; how often they are; how often they are fewer than the random"
    )
    print("tree's; samples discarded.\n")
    rows = []
    for evaluation in EVALUATIONS:
        for distance in DISTANCES:
            nodes = [found["nodes"][distance, evaluation] for found in random_trees.values()]
            cells = (f"{sizes.mean():.3g} ({np.median(sizes):.3g})" for sizes in nodes)
            rows.append((f"{DISTANCES[distance]}, {evaluation}", *cells))
    proven = {n_nodes: found["minimal"][found["proven"]] for n_nodes, found in random_trees.items()}
    fewer = (f"{100.0 * np.mean(sizes < n_nodes):.0f} %" if len(sizes) else "" for n_nodes, sizes in proven.items())
    rows += [
        ("smallest, proven", *(f"{sizes.mean():.2f}" if len(sizes) else "" for sizes in proven.values())),
        ("proven", *(f"{100.0 * found['proven'].mean():.0f} %" for found in random_trees.values())),
        ("smaller than random", *fewer),
        ("discarded", *(str(found["discarded"]) for found in random_trees.values())),
    ]
    print(format_table(("random tree's nodes", *map(str, random_trees)), rows))


def write_random_trees(random_trees, results, output):
    header = ("random_tree_nodes", "seed", "discarded", "smallest", "lower_bound")
    trees = [
        (n_nodes, seed, *(found[field] for field in ("discarded", "minimal", "lower_bound")), *tree)
        for (n_nodes, seed), found in results.items()
        for tree in found["trees"]
    ]
    columns = ("distance", "evaluation", "nodes", "redundant_splits")
    write_csv(output / "global_figure_5_trees.csv", (*header, *columns), trees)
    means = [
        (
            n_nodes,
            *model,
            *(round(float(figure(nodes)), 4) for figure in (np.mean, np.std, standard_error, np.median)),
            round(float(found["redundant"][model].mean()), 4),
        )
        for n_nodes, found in random_trees.items()
        for model, nodes in found["nodes"].items()
    ]
    columns = ("nodes_mean", "nodes_std", "nodes_se", "nodes_median", "redundant_splits_mean")
    write_csv(output / "global_figure_5.csv", ("random_tree_nodes", "distance", "evaluation", *columns), means)


# ------------------------------------------------------------------------------------------------------------ Figure 6


def judge_situations(output):
    """Print and write which distances begin with an efficient split in the two settings.

    Returns
    -------
    dict
        By setting, by model: the result of :func:`studies.global_protocol.judge_situation`.
    """
    judged = {
        name: {model: judge_situation(*situation, *model) for model in models()}
        for name, situation in situations().items()
    }
    print(
        "\nFigure 6: is the first split an efficient one, or one that cuts off too little? In brackets the nodes of the"
    )
    print("whole tree (5 are enough), and how many of its splits are redundant.\n")
    rows = [
        (
            f"{DISTANCES[distance]}, {name}",
            *(
                f"{'efficient' if one['efficient'] else 'not'} ({one['nodes']}, {one['redundant']})"
                for evaluation in EVALUATIONS
                for one in [by_model[distance, evaluation]]
            ),
            f"{by_model[distance, 'global']['as_good']}",
        )
        for name, by_model in judged.items()
        for distance in DISTANCES
    ]
    print(format_table(("", *EVALUATIONS, "globally best cuts"), rows))
    written = [
        (name, *model, *one["first_split"], *(one[field] for field in ("efficient", "as_good", "nodes", "redundant")))
        for name, by_model in judged.items()
        for model, one in by_model.items()
    ]
    columns = ("feature", "threshold", "efficient", "globally_best_cuts", "nodes", "redundant_splits")
    write_csv(output / "global_figure_6.csv", ("setting", "distance", "evaluation", *columns), written)
    return judged


def print_redundancy(grown, random_trees, output):
    """Print and write how many splits of the trees of Figures 4 and 5 are redundant.

    Returns
    -------
    dict of str to dict
        By data, by model: the share of all splits, in per cent.
    """
    found = {DATA_SETS[name][0]: sizes[max(sizes)] for name, sizes in grown.items()}
    found = {title: {model: by_model[model][1:] for model in models()} for title, by_model in found.items()}
    found["random trees"] = {
        model: [
            np.concatenate([one[figure][model] for one in random_trees.values()]) for figure in ("nodes", "redundant")
        ]
        for model in models()
    }
    print(
        "\nRedundant splits: their share of all splits, in trees on the largest training sets and in trees of Fig. 5\n"
    )
    shares = {
        title: {
            model: 100.0 * redundant.sum() / max(1, ((nodes - 1) // 2).sum())
            for model, (nodes, redundant) in by.items()
        }
        for title, by in found.items()
    }
    rows = [
        (f"{DISTANCES[distance]}, {evaluation}", *(f"{by[distance, evaluation]:.1f} %" for by in shares.values()))
        for evaluation in EVALUATIONS
        for distance in DISTANCES
    ]
    print(format_table(("", *shares), rows))
    written = [(title, *model, round(float(share), 4)) for title, by in shares.items() for model, share in by.items()]
    write_csv(output / "global_redundant.csv", ("data", "distance", "evaluation", "per_cent_redundant"), written)
    return shares
