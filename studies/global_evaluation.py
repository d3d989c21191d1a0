"""The experiments of "Global Evaluation for Decision Tree Learning", with many repetitions of each.

F. Späh and S. Kosub, arXiv:2208.04828, Figures 4 to 8: trees on growing training sets, trees on points that a random
tree has labelled, redundant splits, pruning under noise, and glocal evaluation. :mod:`studies.global_protocol` has one
repetition.
"""

import numpy as np

from pytrees.datasets import get_data_home, load, load_shipped, make_gaussian_blobs, make_monks, names

from .global_protocol import (
    MOST_TRAINING_ROWS,
    PROTOCOL_VERSION,
    SECONDS_TO_PROVE,
    TREE_SIZES,
    grow_on_random_tree,
    grow_sizes,
    prune_noise,
    watch_glocal,
)
from .global_report import DATA_SETS, report
from .resumable import add_resumable_options, digest_of, run_resumable, versions
from .tables import report_absent

SUMMARY = "local, global and glocal evaluation of ID3 trees: Figures 4 to 8 of their paper"

KEPT = "global_tasks.jsonl"

GLOCAL_SETS = ("iris", "monks3")


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "repetitions", 100, KEPT)


def load_tables(options):
    """Load features and classes (0, 1, ...) of the data sets by name.

    The folder's tables come first. Without a folder, Monks' problems have all their 432 rows without noise, and Iris
    and Wine come from scikit-learn. Cardiotocography needs the folder, and is left out without it.
    """
    home = get_data_home(options.data_home)
    in_folder = set() if home is None else set(names(home))
    tables = {}
    for name in DATA_SETS:
        if name in in_folder:
            bunch = load(name, data_home=home)
            tables[name] = (bunch.data, bunch.target)
        elif name in ("iris", "wine"):
            bunch = load_shipped(name)
            tables[name] = (bunch.data, np.unique(bunch.target, return_inverse=True)[1])
        elif name.startswith("monks"):
            tables[name] = make_monks(int(name.removeprefix("monks")))
        elif name == "blobs":
            # Three blobs that overlap, from the authors' published code.
            tables[name] = make_gaussian_blobs(2000, 3, 3, cluster_std=(2.3, 3.5, 2.4), random_state=0)
    report_absent([name for name in DATA_SETS if name not in tables])
    return tables


def run(tables, options):
    """Run all experiments with their tables and pictures; return 0."""
    run_global(tables, options.repetitions, options.output, n_jobs=options.jobs)
    return 0


def run_global(tables, n_seeds, output, *, tree_sizes=TREE_SIZES, n_jobs=None):
    """Run the experiments, print the tables, and write CSV files and pictures.

    Parameters
    ----------
    tables : dict of str to (X, y)
        Data sets by name; Iris, on which Figures 7 and 8 rest, must be one of them.
    n_seeds : int
        Repetitions of everything, of the seeds 0, 1, ...
    output : pathlib.Path
        Folder of the results; ``global_tasks.jsonl`` in it keeps finished repetitions, as
        :func:`studies.resumable.run_resumable` says.
    tree_sizes : sequence of int
        Nodes of the random trees of Figure 5.
    n_jobs : int, optional
        Repetitions worked on at once.

    Returns
    -------
    dict
        By figure, a dict by (data set or nodes of the random tree, seed) of the results of
        :mod:`studies.global_protocol`.
    """
    tasks = list_tasks(tables, n_seeds, tree_sizes)
    finished = run_resumable(repeat, tasks, output / KEPT, settings(), n_jobs=n_jobs, label="repetitions")
    results = {figure: {} for figure in EXPERIMENTS}
    for (figure, name, _, seed), found in finished.items():
        results[figure][name, seed] = found
    report(results, tables, output)
    return results


# Long tasks first, so that the last tasks to finish are short.
EXPERIMENTS = {
    "figure_4": grow_sizes,
    "figure_5": grow_on_random_tree,
    "figure_7": prune_noise,
    "figure_8": watch_glocal,
}


def repeat(figure, *arguments):
    """Run one repetition of a figure's experiment."""
    return EXPERIMENTS[figure](*arguments)


def list_tasks(tables, n_seeds, tree_sizes):
    """List arguments of :func:`repeat` by figure, data set or size of tree, digest of the data, and seed."""
    digests = {name: digest_of(*table) for name, table in tables.items()}
    by_size = sorted(tables, key=lambda name: -tables[name][0].size)
    listed = [("figure_4", name) for name in by_size] + [("figure_5", n_nodes) for n_nodes in reversed(tree_sizes)]
    listed += [("figure_7", "iris"), *(("figure_8", name) for name in GLOCAL_SETS if name in tables)]
    tasks = {}
    for figure, of in listed:
        data, digest = ((of,), "") if figure == "figure_5" else (tables[of], digests[of])
        tasks |= {(figure, of, digest, seed): (figure, *data, seed) for seed in range(n_seeds)}
    return tasks


def settings():
    """Return everything that the results depend on, except the data and the seed."""
    return {
        "study": "global",
        "version": PROTOCOL_VERSION,
        "most_training_rows": MOST_TRAINING_ROWS,
        "seconds_to_prove": SECONDS_TO_PROVE,
        **versions(),
    }
