"""The experiments of "Orthogonal Decision Trees", over many seeds, and a large forest as a few trees.

H. Kargupta, B.-H. Park and H. Dutta, IEEE TKDE 18, 2006, Section VII: C4.5, bagging, random forests, trees rebuilt from
their spectra (RFT), one tree of all (AFT) and orthogonal trees (ODT) on five data sets.
:mod:`studies.orthogonal_protocol` has one seed.
"""

from functools import partial

import numpy as np
from sklearn.utils import Bunch

from pytrees.datasets import discrete_names, get_data_home, load_discrete, load_shipped

from .orthogonal_paper import ENERGY, IN_ORDER, SETTINGS
from .orthogonal_protocol import (
    FOREST_COMPONENTS,
    LEAVES,
    MAX_LEAF_NODES,
    N_FOREST_TREES,
    PROTOCOL_VERSION,
    TEST_SHARE,
    compress,
    judge,
)
from .orthogonal_report import report
from .resumable import add_resumable_options, digest_of, run_resumable, versions
from .tables import load_present

SUMMARY = "a forest as a few orthogonal trees: Tables I to V of their paper, and what that costs"

KEPT = "orthogonal_tasks.jsonl"

# The data of the forest.
FOREST = "forest"
FOREST_DATA = "breast_cancer_wisconsin_diagnostic"


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "seeds", 10, KEPT)
    parser.add_argument("--quick", action="store_true", help="one seed, and a forest of 50 trees")


def load_tables(options):
    """Load the paper's data sets by name; those whose file is absent are named and left out.

    The rows of Contraceptive Method stand there twice: to be drawn, and in the order of the file.
    """
    home = get_data_home(options.data_home)
    tables = load_present(partial(load_discrete, data_home=home), discrete_names())
    if "cmc" in tables:
        tables[IN_ORDER] = Bunch(**{**tables["cmc"], "drawn": False})
    return tables


def run(tables, options):
    """Run the protocol with its tables and pictures; return 0."""
    n_seeds, n_trees = (1, 50) if options.quick else (options.seeds, N_FOREST_TREES)
    run_orthogonal(tables, n_seeds, options.output, n_forest_trees=n_trees, n_jobs=options.jobs)
    return 0


def run_orthogonal(tables, n_seeds, output, *, n_forest_trees=N_FOREST_TREES, n_jobs=None):
    """Run the experiments, print the tables, and write CSV files and pictures.

    Parameters
    ----------
    tables : dict of str to sklearn.utils.Bunch
        Data sets of :data:`studies.orthogonal_paper.SETTINGS` by name, as
        :func:`pytrees.datasets.load_discrete` gives them.
    n_seeds : int
        Repetitions of everything, of the seeds 0, 1, ...
    output : pathlib.Path
        Folder of the results; ``orthogonal_tasks.jsonl`` in it keeps finished seeds, as
        :func:`studies.resumable.run_resumable` says.
    n_forest_trees : int
        Trees of the forest on Breast Cancer.
    n_jobs : int, optional
        Seeds worked on at once.

    Returns
    -------
    dict
        By data set a list, by seed, of the results of :func:`studies.orthogonal_protocol.judge`; ``"forest"`` is the
        result of :func:`studies.orthogonal_protocol.compress`.
    """
    tasks = list_tasks(tables, n_seeds, n_forest_trees)
    finished = run_resumable(repeat, tasks, output / KEPT, settings(), n_jobs=n_jobs, label="seeds")
    of_seed = {(name, seed): found for (name, _, seed), found in finished.items()}
    results = {name: [of_seed[name, seed] for seed in range(n_seeds)] for name in (*tables, FOREST)}
    report(results, tables, output)
    return results


def repeat(name, *arguments):
    """Run one seed of a data set, or of the forest."""
    return compress(*arguments) if name == FOREST else judge(*arguments)


def list_tasks(tables, n_seeds, n_forest_trees):
    """List arguments of :func:`repeat` by data set, digest of the settings, and seed."""
    bunch = load_shipped(FOREST_DATA)
    # Class 1 is benign, as scikit-learn has it.
    forest = (bunch.data, (bunch.target == "benign").astype(np.int64), n_forest_trees)
    # Long tasks first, so that the last tasks to finish are short.
    tasks = {(FOREST, digest_of(*forest), seed): (FOREST, *forest, seed) for seed in range(n_seeds)}
    for name in sorted(tables, key=lambda name: -SETTINGS[name].n_trees * tables[name].data.shape[1]):
        table, setting = tables[name], SETTINGS[name]
        numbers = {key: getattr(setting, key) for key in ("n_trees", "max_features", "n_components", "max_samples")}
        data = (table.data, table.target, table.n_train, table.drawn)
        digest = digest_of(*data, *numbers.values())
        tasks |= {(name, digest, seed): (name, *data, numbers, seed) for seed in range(n_seeds)}
    return tasks


def settings():
    """Return everything that the results depend on, except the data, the paper's numbers and the seed."""
    return {
        "study": "orthogonal",
        "version": PROTOCOL_VERSION,
        "energy": ENERGY,
        "max_leaf_nodes": MAX_LEAF_NODES,
        "leaves": LEAVES,
        "forest_components": FOREST_COMPONENTS,
        "test_share": TEST_SHARE,
        **versions(),
    }
