"""Repetitions of the study of global evaluation: one function for one repetition of one of the paper's figures.

Every function gives lists and numbers as JSON knows them. Among equally good splits a tree takes the lowest feature,
which would favour a lucky order of features (in Monks 1 the first two decide). Every repetition therefore shuffles the
columns.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pytrees import ID3Classifier, distances
from pytrees.datasets import make_from_random_tree
from pytrees.simplify import redundant_splits
from pytrees.trees.minimal import minimal_tree

# Counts up when the results of a function below change.
PROTOCOL_VERSION = 2

# The paper's Table 1, in the order of its Figure 4, then the two that it leaves out there.
DISTANCES = {
    "information_gain": "information gain",
    "gini": "Gini",
    "jaccard": "Jaccard",
    "nvi": "normalized VI",
    "gain_ratio": "gain ratio",
    "accuracy": "accuracy",
}
# Global evaluation by both rules for ties: of equally good trees the first in the order of features and thresholds, or
# the one whose split is best within its leaf, as in the authors' code.
WAYS = {
    "local": {"evaluation": "local"},
    "global": {"evaluation": "global"},
    "global, local ties": {"evaluation": "global", "ties": "local"},
    "glocal": {"evaluation": "glocal"},
}
EVALUATIONS = tuple(WAYS)

# Figures 4 and 7: the share of the rows to test on.
TEST_SHARE = 0.1

# Under global evaluation time grows with rows times nodes, and nodes with rows. All 1,913 training rows of
# Cardiotocography would take most of the time of the study.
MOST_TRAINING_ROWS = 1000

# Figure 5.
TREE_SIZES = tuple(range(3, 24, 2))
N_VECTORS, N_FEATURES, N_CLASSES = 500, 6, 4
SECONDS_TO_PROVE = 2.0

# Figure 7.
NOISE_SHARE = 0.5
PRUNINGS = {
    "none": {},
    "nodes": {"max_leaf_nodes": 5},
    "min_samples_split": {"min_samples_split": 30},
    "no_distance_decay": {"stop": "no_distance_decay"},
    "no_decrease": {"stop": "no_decrease"},
}
EVALUATIONS_UNDER_NOISE = EVALUATIONS[:3]

# Figure 8: all ways, and global and glocal evaluation with the best of all pairs of labels, as Algorithm 3 has it,
# instead of the most frequent classes.
GROWTHS = {
    **WAYS,
    **{f"{evaluation}, all labels": {"evaluation": evaluation, "labels": "all"} for evaluation in ("global", "glocal")},
}


def train_sizes(n_rows):
    """List the sizes of training sets: 10, 20, 40, ..., and all other samples, at most `MOST_TRAINING_ROWS`."""
    n_most = min(n_rows - test_size(n_rows), MOST_TRAINING_ROWS)
    sizes = [10 * 2**power for power in range(n_most.bit_length()) if 10 * 2**power < n_most]
    return [*sizes, n_most]


def test_size(n_rows):
    return max(1, round(TEST_SHARE * n_rows))


def draw_rows(X, y, random):
    """Draw training and test part of the samples in a random order, with the columns shuffled."""
    rows = random.permutation(len(y))
    X = X[:, random.permutation(X.shape[1])]
    test, train = rows[: test_size(len(y))], rows[test_size(len(y)) :]
    return X[train], y[train], X[test], y[test]


def models():
    """Return every distance under every evaluation."""
    return [(distance, evaluation) for distance in DISTANCES for evaluation in EVALUATIONS]


def fit(tree, X, y):
    """Fit without a warning of equal samples of different classes: Monks 3 and noisy labels have them by design."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Equal samples in X")
        return tree.fit(X, y)


def grow_sizes(X, y, seed):
    """Repeat Figure 4: trees on growing parts of one training set.

    Returns
    -------
    list of list
        For every tree: rows of the training set, distance, evaluation, share of the test samples that are predicted
        right, nodes, redundant splits. A last one for every size has the constant answer, the training samples' most
        frequent class.
    """
    X_train, y_train, X_test, y_test = draw_rows(X, y, np.random.RandomState(seed))
    rows = []
    for size in train_sizes(len(y)):
        for distance, evaluation in models():
            tree = fit(ID3Classifier(distance, **WAYS[evaluation]), X_train[:size], y_train[:size])
            right = float(np.mean(tree.predict(X_test) == y_test))
            rows.append([size, distance, evaluation, right, tree.tree_.node_count, sum(redundant_splits(tree))])
        rows.append([size, "constant", "", float(np.mean(y_test == np.bincount(y_train[:size]).argmax())), 1, 0])
    return rows


def grow_on_random_tree(n_nodes, seed):
    """Repeat Figure 5: trees on points that a random tree has labelled, and the smallest such tree.

    Points are drawn anew if a consistent tree is smaller than the tree that has labelled them.

    Returns
    -------
    dict
        ``discarded``, how often they were drawn anew; ``minimal`` and ``lower_bound``, nodes of the smallest tree that
        was found and a proven bound; ``trees``: the distance, evaluation, nodes and redundant splits of every tree.
    """
    random = np.random.RandomState(seed)
    n_classes = min(N_CLASSES, (n_nodes + 1) // 2)
    discarded = 0
    while True:
        X, y, _ = make_from_random_tree(N_VECTORS, N_FEATURES, n_classes, n_nodes, random_state=random)
        trees = []
        for distance, evaluation in models():
            tree = ID3Classifier(distance, **WAYS[evaluation]).fit(X, y)
            if tree.tree_.node_count < n_nodes:
                discarded += 1
                break
            trees.append([distance, evaluation, tree.tree_.node_count, sum(redundant_splits(tree))])
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the lower bound is reported
                smallest = minimal_tree(X, y, time_limit=SECONDS_TO_PROVE)
            return {
                "discarded": discarded,
                "minimal": smallest.tree.node_count,
                "lower_bound": smallest.lower_bound,
                "trees": trees,
            }


def situations():
    """Make two settings in the manner of Figure 6 where no single cut separates the classes.

    Returns
    -------
    dict of str to (X, y, borders)
        The borders are the cuts (feature, threshold) that a smallest tree can begin with.
    """
    line = np.arange(1.0, 14.0)[:, np.newaxis]
    interval = (line, (line[:, 0] == 7).astype(int), {(0, 6.5), (0, 7.5)})
    grid = np.array([(a, b) for a in range(1, 9) for b in range(1, 9)], dtype=float)
    corner = (grid, (grid > 6).all(axis=1).astype(int), {(0, 6.5), (1, 6.5)})
    return {"interval": interval, "corner": corner}


def judge_situation(X, y, borders, distance, evaluation):
    """Judge Figure 6: whether the first split is at a border, how many are equally good, and the tree's redundant
    splits."""
    tree = ID3Classifier(distance, **WAYS[evaluation]).fit(X, y)
    first = (int(tree.tree_.feature[0]), float(tree.tree_.threshold[0]))
    return {
        "first_split": first,
        "efficient": first in borders,
        "as_good": len(best_first_cuts(X, y, distance)) if evaluation == "global" else None,
        "nodes": tree.tree_.node_count,
        "redundant": sum(redundant_splits(tree)),
    }


def best_first_cuts(X, y, distance):
    """Find the first cuts whose sides, labelled by their majority, have the least distance to the classes."""
    sign = -1.0 if distances.DISTANCES[distance].is_similarity else 1.0
    judged = {}
    for feature, column in enumerate(X.T):
        values = np.unique(column)
        for threshold in 0.5 * values[:-1] + 0.5 * values[1:]:
            left = column <= threshold
            labels = np.where(left, np.bincount(y[left]).argmax(), np.bincount(y[~left]).argmax())
            judged[feature, float(threshold)] = sign * distances.clustering_distance(labels, y, distance)
    least = min(judged.values())
    return [cut for cut, judgement in judged.items() if judgement <= least + 1e-12]


def make_noise(y, n_classes, random):
    """Replace half of the labels by classes at random, which can be the old ones."""
    noisy = y.copy()
    rows = random.permutation(len(y))[: round(NOISE_SHARE * len(y))]
    noisy[rows] = random.randint(n_classes, size=len(rows))
    return noisy


def prune_noise(X, y, seed):
    """Repeat Figure 7: trees under noise, pruned in five ways.

    Returns
    -------
    list of list
        For every tree: distance, evaluation, pruning, and the result of :func:`watch_growth`.
    """
    random = np.random.RandomState(seed)
    X_train, y_train, X_test, y_test = draw_rows(X, y, random)
    noisy = make_noise(y_train, int(y.max()) + 1, random)
    return [
        [distance, evaluation, pruning, *watch_growth(tree, (X_train, noisy), (X_test, y_test))]
        for distance in DISTANCES
        for evaluation in EVALUATIONS_UNDER_NOISE
        for pruning, limits in PRUNINGS.items()
        for tree in [ID3Classifier(distance, **WAYS[evaluation], **limits)]
    ]


def watch_glocal(X, y, seed):
    """Repeat Figure 8, trees by the Jaccard distance; list every tree's key in `GROWTHS` and :func:`watch_growth`."""
    X_train, y_train, X_test, y_test = draw_rows(X, y, np.random.RandomState(seed))
    return [
        [name, *watch_growth(ID3Classifier("jaccard", **ways), (X_train, y_train), (X_test, y_test))]
        for name, ways in GROWTHS.items()
    ]


def watch_growth(tree, train, test):
    """Grow a tree; count, after 0, 1, 2, ... splits, the training and test samples that are predicted right."""
    fit(tree, *train)
    return [[int(np.sum(predicted == y)) for predicted in tree.staged_predict(X)] for X, y in (train, test)]
