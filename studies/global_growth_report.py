"""Tables of trees while they grow: pruning under noise (Figure 7) and glocal evaluation (Figure 8)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from pytrees.tour.report import format_table, write_csv

from .global_plots import draw_glocal, draw_noise
from .global_protocol import DISTANCES, EVALUATIONS_UNDER_NOISE, PRUNINGS, test_size
from .report import with_error

PRUNING_TITLES = {
    "none": "no pruning",
    "nodes": f"at most {2 * PRUNINGS['nodes']['max_leaf_nodes'] - 1} nodes",
    "min_samples_split": f"{PRUNINGS['min_samples_split']['min_samples_split']} samples to split",
    "no_distance_decay": "no distance decay",
    "no_decrease": "no decrease",
}


class Growth(NamedTuple):
    """Trees of one kind while they grow, after 0, 1, 2, ... splits; a tree that has ended stays as it is."""

    train: np.ndarray  # of shape (n_seeds, n_steps): shares of the training samples that are predicted right
    test: np.ndarray
    n_splits: np.ndarray  # of shape (n_seeds,)

    @property
    def unfinished(self):
        """Share of the trees that are split once more, by step."""
        return np.mean(self.n_splits[:, np.newaxis] > np.arange(self.train.shape[1]), axis=0)

    @property
    def peak(self):
        """The step of the greatest mean test accuracy."""
        return int(self.test.mean(axis=0).argmax())


class Report(NamedTuple):
    """The results of one kind of data, and the function that draws them."""

    growths: dict
    draw: partial


def collect_growth(rows, n_rows):
    """Collect the growth of one kind of tree from pairs of paths, given the number of samples."""
    n_splits = np.array([len(train) - 1 for train, _ in rows])
    n_steps = n_splits.max() + 1
    sizes = (n_rows - test_size(n_rows), test_size(n_rows))
    paths = [
        np.array([path + path[-1:] * (n_steps - len(path)) for path in part]) / size
        for part, size in zip(zip(*rows, strict=True), sizes, strict=True)
    ]
    return Growth(*paths, n_splits)


def collect(results, n_keys):
    """Collect pairs of paths by the first columns of the rows."""
    by_kind = {}
    for rows in results:
        for row in rows:
            by_kind.setdefault(tuple(row[:n_keys]), []).append(row[n_keys:])
    return by_kind


def final(growth):
    """Return mean and standard error of the test accuracy of the whole trees."""
    return with_error(growth.test[:, -1])


def report_noise(results, n_rows, output):
    """Report Figure 7: pruning under noise.

    Parameters
    ----------
    results : dict
        Rows of :func:`studies.global_protocol.prune_noise` by data set and seed.
    n_rows : int
        Rows of the data set.
    output : pathlib.Path

    Returns
    -------
    Report
    """
    growths = {kind: collect_growth(rows, n_rows) for kind, rows in collect(results.values(), 3).items()}
    print(f"\nFigure 7: Iris with half of the training labels replaced by random classes; {len(results)} repetitions")
    print("Share of the test samples' own labels that the whole trees predict, mean ± standard error\n")
    kinds = [(distance, evaluation) for distance in DISTANCES for evaluation in EVALUATIONS_UNDER_NOISE]
    rows = [
        (f"{DISTANCES[kind[0]]}, {kind[1]}", *(final(growths[*kind, pruning]) for pruning in PRUNINGS))
        for kind in kinds
    ]
    print(format_table(("", *PRUNING_TITLES.values()), rows))
    constant = next(iter(growths.values())).test[:, 0].mean()
    print(f"\nAlways the most frequent class of the training samples, a tree without splits: {constant:.3f}")
    print("\nThe greatest mean test accuracy on the way and after how many splits; splits of the whole trees\n")
    rows = [
        (
            f"{DISTANCES[kind[0]]}, {kind[1]}",
            *(
                f"{growth.test[:, growth.peak].mean():.3f} at {growth.peak}; {growth.n_splits.mean():.1f}"
                for pruning in PRUNINGS
                for growth in [growths[*kind, pruning]]
            ),
        )
        for kind in kinds
    ]
    print(format_table(("", *PRUNING_TITLES.values()), rows))
    write_growths(growths, ("distance", "evaluation", "pruning"), output / "global_figure_7.csv")
    write_ends(growths, ("distance", "evaluation", "pruning"), output / "global_figure_7_trees.csv")
    return Report(growths, partial(draw_noise, growths, PRUNING_TITLES))


def report_glocal(results, tables, output):
    """Report Figure 8: growth by the Jaccard distance; parameters as of :func:`report_noise`, and all tables."""
    growths = {}
    for name in dict.fromkeys(name for name, _ in results):
        of_set = [rows for (other, _), rows in results.items() if other == name]
        n_rows = len(tables[name][1])
        growths |= {(name, *kind): collect_growth(rows, n_rows) for kind, rows in collect(of_set, 1).items()}
    print("\nFigure 8: trees by the Jaccard distance on all training samples; means ± standard errors\n")
    rows = [
        (
            f"{name}, {kind}",
            final(growth),
            f"{growth.train[:, -1].mean():.3f}",
            with_error(2.0 * growth.n_splits + 1.0, 1),
        )
        for (name, kind), growth in growths.items()
    ]
    print(format_table(("", "test", "train", "nodes"), rows))
    write_growths(growths, ("dataset", "evaluation"), output / "global_figure_8.csv")
    write_ends(growths, ("dataset", "evaluation"), output / "global_figure_8_trees.csv")
    return Report(growths, partial(draw_glocal, growths))


def write_growths(growths, columns, path):
    """Write the means by step."""
    rows = [
        (*kind, step, *(round(float(curve[step]), 5) for curve in curves))
        for kind, growth in growths.items()
        for curves in [(growth.train.mean(axis=0), growth.test.mean(axis=0), growth.unfinished)]
        for step in range(len(curves[0]))
    ]
    write_csv(path, (*columns, "splits", "train_accuracy", "test_accuracy", "unfinished"), rows)


def write_ends(growths, columns, path):
    """Write the whole trees of every repetition."""
    rows = [
        (*kind, seed, int(n_splits), round(float(train), 5), round(float(test), 5))
        for kind, growth in growths.items()
        for seed, (n_splits, train, test) in enumerate(
            zip(growth.n_splits, growth.train[:, -1], growth.test[:, -1], strict=True)
        )
    ]
    write_csv(path, (*columns, "seed", "splits", "train_accuracy", "test_accuracy"), rows)
