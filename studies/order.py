"""When the order of the samples matters: permutation trees and forests on ordered data, and on shuffled training data.

The protocol: every table gives up to five windows that do not overlap, spread over all of its time. The first three
quarters of a window train and the last quarter tests, so that every test sample is later. Trees have depth 4, and
forests 50 trees of depth 8. The score is the recall, averaged over the classes of the test samples.

Trees by label sequences are also grown on the training samples in shuffled orders, of single samples and of blocks;
the test samples stay. A p-value comes from a two-sided permutation test of the mean over the windows. It is exact,
because windows have no sample in common. Holm's correction is over all tables.

One model, a Gini tree, has the class of the sample before as a further feature. It shows the value of the order if
that class is known at prediction.

`pytrees.order_sensitivity` of a Gini tree tells whether the order of a table matters at all.
"""

import sys

import numpy as np

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    order_sensitivity,
)
from pytrees._orders import shuffled_rows
from pytrees.datasets import get_data_home

from .order_report import report
from .order_tables import GENERATORS, load_ordered, make_ordered
from .resumable import add_resumable_options, digest_of, run_resumable, versions

SUMMARY = "whether the order of the samples matters: permutation trees and forests on ordered tables"

KEPT = "order_tasks.jsonl"

# Counts up when the results of a task change.
PROTOCOL_VERSION = 1

WINDOW = 600
MOST_WINDOWS = 5
FEWEST_WINDOWS = 3
TEST_SHARE = 0.25
TREE_DEPTH = 4
FOREST_DEPTH = 8
N_TREES = 50
MAX_CANDIDATES = 16
BLOCK = 20
N_SEEDS = 2

# `order_sensitivity` takes this many of the first samples.
MOST_SAMPLES = 3000

# A child for every category, in all models.
TREE = {"max_depth": TREE_DEPTH, "max_candidates": MAX_CANDIDATES, "handle_unknown": "majority"}
TREE |= {"categorical_split": "multiway"}
FOREST = {"n_estimators": N_TREES, **TREE, "max_depth": FOREST_DEPTH}

# Takes a table's categorical columns and a seed.
MODELS = {
    "etc": lambda columns, seed: PermutationDecisionTreeClassifier("etc", categorical_features=columns, **TREE),
    "lz76": lambda columns, seed: PermutationDecisionTreeClassifier("lz76", categorical_features=columns, **TREE),
    "gini": lambda columns, seed: DecisionTreeClassifier("gini", categorical_features=columns, **TREE),
    "entropy": lambda columns, seed: DecisionTreeClassifier("entropy", categorical_features=columns, **TREE),
    "lagged": lambda columns, seed: DecisionTreeClassifier("gini", categorical_features=columns, **TREE),
    "permuted": lambda columns, seed: PermutationDecisionForestClassifier(
        categorical_features=columns, random_state=seed, **FOREST
    ),
    "bootstrap": lambda columns, seed: PermutationDecisionForestClassifier(
        categorical_features=columns, random_state=seed, bootstrap=True, **FOREST
    ),
    "moving_block": lambda columns, seed: PermutationDecisionForestClassifier(
        categorical_features=columns, random_state=seed, bootstrap="moving_block", block_length=BLOCK, **FOREST
    ),
    "stationary": lambda columns, seed: PermutationDecisionForestClassifier(
        categorical_features=columns, random_state=seed, bootstrap="stationary", block_length=BLOCK, **FOREST
    ),
    "random_forest": lambda columns, seed: DecisionForestClassifier(
        categorical_features=columns, random_state=seed, **FOREST
    ),
}

# Models that are also grown on shuffled training samples.
SHUFFLED = ("etc", "lz76")


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "orders", 999, KEPT)


def load_tables(options):
    """Return all tables by name and seed; real ones have one seed."""
    home = get_data_home(options.data_home)
    if home is None:
        print("The ordered tables are files: name the folder by PYTREES_DATA or --data-home.", file=sys.stderr)
    real = {} if home is None else {(name, 0): table for name, table in load_ordered(home).items()}
    return real | {(name, seed): make_ordered(name, seed) for name in GENERATORS for seed in range(N_SEEDS)}


def run(tables, options):
    """Run the study; return 0."""
    tasks, n_orders = {}, options.orders
    for (name, seed), table in tables.items():
        digest = digest_of(table.data, table.target)
        for model in MODELS:
            n_shuffled = n_orders if model in SHUFFLED else 0
            tasks["model", name, seed, digest, model, n_shuffled] = (judge_model, table, model, n_shuffled)
        tasks["sensitivity", name, seed, digest, n_orders] = (judge_sensitivity, table, n_orders)
    found = run_resumable(call, tasks, options.output / KEPT, settings(), n_jobs=options.jobs, label="tasks")
    scores = {(key[1], key[2], key[4]): result for key, result in found.items() if key[0] == "model"}
    sensitivity = {key[1:3]: result for key, result in found.items() if key[0] == "sensitivity"}
    report(tables, scores, sensitivity, options.output)
    return 0


def settings():
    """Return everything that the results depend on, except the data and the seed."""
    return {
        "study": "order",
        "version": PROTOCOL_VERSION,
        "windows": [WINDOW, MOST_WINDOWS, FEWEST_WINDOWS, TEST_SHARE],
        "trees": [TREE_DEPTH, FOREST_DEPTH, N_TREES, MAX_CANDIDATES, BLOCK],
        "sensitivity": [MOST_SAMPLES],
        **versions(),
    }


def call(function, *arguments):
    """Call a function of a task."""
    return function(*arguments)


def windows_of(n_samples):
    """Return the training and the test samples of every window, in time."""
    n_windows = min(MOST_WINDOWS, max(FEWEST_WINDOWS, n_samples // WINDOW))
    length = min(WINDOW, n_samples // n_windows)
    n_test = round(TEST_SHARE * length)
    starts = np.linspace(0, n_samples - length, n_windows).astype(int)
    return [np.split(np.arange(start, start + length), [length - n_test]) for start in starts]


def mean_recall(y_true, y_pred):
    """Return the recall, averaged over the classes that there are."""
    return float(np.mean([np.mean(y_pred[y_true == label] == label) for label in np.unique(y_true)]))


def judge_model(table, model, n_shuffled):
    """Score a model on every window: in the true order, in reverse, and in shuffled orders.

    Returns
    -------
    dict of str to list
        ``"true"`` and ``"reversed"``: a score of every window; ``"shuffled"`` and ``"blocks"``: a list of n_shuffled
        scores of every window.
    """
    result = {"true": [], "reversed": [], "shuffled": [], "blocks": []}
    data, columns = table.data, list(table.categorical)
    if model == "lagged":
        columns.append(data.shape[1])
        data = np.column_stack([data, np.r_[table.target[0], table.target[:-1]]])
    for number, (train, test) in enumerate(windows_of(len(table.target))):
        estimator = MODELS[model](columns or None, number)
        orders = {"true": [train], "reversed": [train[::-1]]}
        for kind, block_size in (("shuffled", None), ("blocks", BLOCK)):
            seeds = np.random.RandomState(number).randint(2**31 - 1, size=n_shuffled)
            orders[kind] = [train[shuffled_rows(len(train), block_size, seed)] for seed in seeds]
        for kind, listed in orders.items():
            scores = [
                mean_recall(table.target[test], estimator.fit(data[rows], table.target[rows]).predict(data[test]))
                for rows in listed
            ]
            result[kind].append(scores if kind in ("shuffled", "blocks") else scores[0])
    return result


def judge_sensitivity(table, n_orders):
    """Measure whether the order of a table's first samples matters to a Gini tree that later samples test."""
    tree = MODELS["gini"](list(table.categorical) or None, 0)
    data, target = table.data[:MOST_SAMPLES], table.target[:MOST_SAMPLES]
    found = order_sensitivity(tree, data, target, scoring=score_recall, n_permutations=n_orders, random_state=0)
    return {"score": found.score, "effect": found.effect, "interval": found.interval, "p": found.pvalue}


def score_recall(estimator, X, y):
    """Score an estimator by :func:`mean_recall`."""
    return mean_recall(y, estimator.predict(X))
