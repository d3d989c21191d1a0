"""One model of data in several places: trees are sent instead of rows.

The setting is from H. Kargupta, B.-H. Park and H. Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006, Section VIII,
which has no figures for it. Rows are divided over sites, evenly and skewed. The sum of the sites' models is compared
with a model of all rows and with a site alone, and the sent bytes are counted.
"""

import pickle
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch

from pytrees import DecisionForestClassifier
from pytrees.datasets import get_data_home, load
from pytrees.fourier import additive_model, distil, merge
from pytrees.fourier.additive import read_model
from pytrees.tour.report import format_table, write_csv

from .report import with_error
from .resumable import add_resumable_options, digest_of, run_resumable, versions
from .tables import load_present

SUMMARY = "one model of data in several places: rows divided evenly and skewed, accuracy, bytes sent"

KEPT = "sites_tasks.jsonl"

# Counts up when the results of :func:`judge` change.
PROTOCOL_VERSION = 1

# All forests together have this many trees; TEST_SHARE of the rows are for tests.
N_TREES = 96
TEST_SHARE = 0.3
SITES = (3, 12)

# Trees that a site sends instead of its forest, their leaves, and the leaves of the last tree of all.
N_FEW, FEW_LEAVES, LAST_LEAVES = 3, 32, 64

# How rows are divided.
DIVISIONS = {
    "even": "at random, evenly",
    "sizes": "at random, each site half as many as the one before (at least 20)",
    "classes": "shares of the classes drawn, Dirichlet(0.3)",
    "ranges": "by the feature that tells the classes apart best: each site a range",
}

MODELS = {
    "all": "forest of all rows",
    "all_last": "the same, as one tree",
    "sum": "sum of the sites' forests",
    "sum_few": "sum of three trees of each site",
    "sum_last": "sum of the forests, as one tree",
    "alone": "a site alone, mean",
}
COLUMNS = ("data", "division", "sites", "model", "seed", "accuracy", "balanced_accuracy", "bytes")


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "seeds", 5, KEPT)


def load_tables(options):
    """Load Breast Cancer and digits, and two more from a folder of tables. The class of California Housing is whether a
    house costs more than half of the others."""
    tables = {"breast_cancer": load_breast_cancer(), "digits": load_digits()}
    home = get_data_home(options.data_home)
    more = load_present(partial(load, data_home=home), ("dna", "calhousing"))
    if "dna" in more:
        tables["dna"] = more["dna"]
    if "calhousing" in more:
        houses = more["calhousing"]
        above = (houses.target > np.median(houses.target)).astype(np.int64)
        tables["california"] = Bunch(data=houses.data, target=above)
    return tables


def run(tables, options):
    """Run the study with its tables; return 0."""
    run_sites(tables, options.seeds, options.output, n_jobs=options.jobs)
    return 0


def run_sites(tables, n_seeds, output, *, n_jobs=None):
    """Run the experiment, print its table, and write all figures as a CSV file.

    Parameters
    ----------
    tables : dict of str to sklearn.utils.Bunch
        ``data`` and ``target`` by name.
    n_seeds : int
        Repetitions, of the seeds 0, 1, ...
    output : pathlib.Path
        Folder of the results.
    n_jobs : int, optional
        Seeds worked on at once.

    Returns
    -------
    list
        Rows of `COLUMNS`.
    """
    tasks = {
        (name, digest_of(table.data, table.target), seed): (table.data, table.target, seed)
        for name, table in sorted(tables.items(), key=lambda item: -len(item[1].target))
        for seed in range(n_seeds)
    }
    numbers = [N_TREES, TEST_SHARE, SITES, N_FEW, FEW_LEAVES, LAST_LEAVES]
    settings = {"study": "sites", "version": PROTOCOL_VERSION, "numbers": numbers, **versions()}
    finished = run_resumable(judge, tasks, output / KEPT, settings, n_jobs=n_jobs, label="seeds")
    rows = [
        (name, division, n_sites, model, seed, *figures)
        for (name, _, seed), found in finished.items()
        for division, n_sites, model, *figures in found
    ]
    write_csv(output / "sites_models.csv", COLUMNS, rows)
    for name in tables:
        print_table(name, [row for row in rows if row[0] == name], tables[name])
    print(f"\nFigures of every seed are in {output}.")
    return rows


# ------------------------------------------------------------------------------------------------------------ one seed


def judge(data, target, seed):
    """Divide the rows of a data set in all ways, and judge all models.

    Returns
    -------
    list
        Rows of `COLUMNS` from the division on, without the seed. Bytes are sent to the place of the model as pickles:
        rows in float64, or trees.
    """
    train, test, y, y_test = train_test_split(
        data, np.asarray(target), test_size=TEST_SHARE, stratify=target, random_state=seed
    )
    whole = additive_model(forest(N_TREES, seed).fit(train, y))
    in_rows = size_of([train, y])
    of_all = [("all", whole, in_rows), ("all_last", last_tree(whole, train), in_rows)]
    found = [["", 0, name, *judged(model, test, y_test), size] for name, model, size in of_all]
    for division in DIVISIONS:
        for n_sites in SITES:
            sites = divide(division, train, y, n_sites, np.random.default_rng(seed))
            rows = judge_sites([(train[place], y[place]) for place in sites], (train, test, y_test), seed)
            found += [[division, n_sites, *row] for row in rows]
    return found


def judge_sites(sites, others, seed):
    """Judge the models of all sites together, and of a site alone."""
    train, test, y_test = others
    per_site = max(1, N_TREES // len(sites))
    forests = [forest(per_site, seed + 1000 * i).fit(*site) for i, site in enumerate(sites)]
    few = [
        distil(one, X, n_trees=N_FEW, max_leaf_nodes=FEW_LEAVES, measure="joint")
        for one, (X, _) in zip(forests, sites, strict=True)
    ]
    weights = [len(y) for _, y in sites]
    whole = merge(forests, weights)
    in_trees = sum(size_of(read_model(one)) for one in forests)
    in_few = sum(size_of(read_model(one)) for one in few)
    found = [
        ["sum", *judged(whole, test, y_test), in_trees],
        ["sum_few", *judged(merge(few, weights), test, y_test), in_few],
        # One tree takes the measure of all rows, which no site has: the marginals of the features suffice.
        ["sum_last", *judged(last_tree(whole, train), test, y_test), in_trees],
    ]
    alone = np.mean([judged(additive_model(one), test, y_test) for one in forests], axis=0)
    return [*found, ["alone", *map(float, alone), 0]]


def forest(n_trees, seed):
    """Make a forest whose trees have 64 leaves at most, as they must be small to be sent."""
    return DecisionForestClassifier(n_trees, criterion="entropy", max_leaf_nodes=64, random_state=seed)


def last_tree(model, X):
    """Make one tree of a model, under the product of the features' frequencies."""
    return distil(model, X, max_leaf_nodes=LAST_LEAVES)


def judged(model, test, y_test):
    """Return accuracy and balanced accuracy."""
    predicted = model.predict(test)
    return float(np.mean(predicted == y_test)), float(balanced_accuracy_score(y_test, predicted))


def size_of(sent):
    """Return the bytes of a pickle."""
    return len(pickle.dumps(sent, protocol=5))


def divide(division, X, y, n_sites, rng):
    """Divide rows over sites; each has 20 at least.

    Returns
    -------
    list of ndarray of int
        The rows of every site.
    """
    order = rng.permutation(len(y))
    fewest = min(20, len(y) // n_sites)
    if division == "even":
        return np.array_split(order, n_sites)
    if division == "sizes":
        shares = 0.5 ** np.arange(n_sites)
        sizes = fewest + ((len(y) - fewest * n_sites) * shares / shares.sum()).astype(int)
        return np.split(order, np.cumsum(sizes)[:-1])
    if division == "ranges":
        between = [np.var([X[y == label, m].mean() for label in np.unique(y)]) for m in range(X.shape[1])]
        best = int(np.argmax(np.array(between) / np.maximum(X.var(axis=0), 1e-12)))
        return np.array_split(order[np.argsort(X[order, best], kind="stable")], n_sites)
    if division != "classes":
        raise ValueError(f"There is no division {division!r}.")
    site = np.concatenate([np.repeat(np.arange(n_sites), fewest), np.full(len(y) - fewest * n_sites, -1)])
    for label in np.unique(y):
        free = np.flatnonzero((y[order] == label) & (site < 0))
        site[free] = rng.choice(n_sites, size=len(free), p=rng.dirichlet(np.full(n_sites, 0.3)))
    return [order[site == s] for s in range(n_sites)]


# --------------------------------------------------------------------------------------------------------------- tables


def print_table(name, rows, table):
    """Print the means of a data set over the seeds, with standard errors."""
    n_rows, n_features = table.data.shape
    print(f"\n{name}: {n_rows} rows, {n_features} features, {len(np.unique(table.target))} classes")
    lines = []
    for key in dict.fromkeys(row[1:4] for row in rows):
        division, n_sites, model = key
        of_key = np.array([row[5:] for row in rows if row[1:4] == key], dtype=float)
        size = "" if model == "alone" else f"{of_key[:, 2].mean() / 1000:.0f}"
        figures = with_error(of_key[:, 0]), with_error(of_key[:, 1]), size
        lines.append((MODELS[model], division, n_sites or "", *figures))
    print(format_table(("", "rows are divided", "sites", "accuracy", "balanced", "kB sent"), lines))
