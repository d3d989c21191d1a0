"""Random forests tuned as for Table 5 of the permutation paper: number of trees and depth by cross-validation.

A forest of fewer trees has the first trees of a larger forest of the same seed. A tree of less depth is the upper part
of a deeper tree, because the draws of a node follow from its path. One :class:`pytrees.DecisionForestClassifier` of the
most trees and the greatest depth thus gives the predictions of all forests of the grid.
"""

import time

import numpy as np
from sklearn.model_selection import StratifiedKFold

from pytrees import DecisionForestClassifier
from pytrees.tour.permutation import score

# The paper's grid, and its number of folds.
NUMBERS_OF_TREES = (1, 10, 100, 1000, 10000)
FOREST_DEPTHS = tuple(range(1, 12))
N_FOLDS = 5

TREES_AT_ONCE = 500


def tuned_forest(name, X_train, X_test, y_train, y_test, seed, numbers=NUMBERS_OF_TREES, depths=FOREST_DEPTHS):
    """Judge the forest that cross-validation on the training samples chooses, and the one that the test samples would.

    The second is no result: it tells how much too good a figure becomes that is chosen by looking at the test samples.

    Returns
    -------
    list of tuple
        Rows of `pytrees.tour.permutation.RESULT_FIELDS`, for ``tuned_forest`` and ``best_on_test``.
    """
    started = time.perf_counter()
    folds = StratifiedKFold(N_FOLDS).split(X_train, y_train)
    of_folds = np.mean(
        [
            grid_scores(X_train[train], y_train[train], X_train[test], y_train[test], seed, numbers, depths)
            for train, test in folds
        ],
        axis=0,
    )
    of_test = grid_scores(X_train, y_train, X_test, y_test, seed, numbers, depths)
    seconds = round(time.perf_counter() - started, 4)
    rows = []
    for model, by in (("tuned_forest", of_folds), ("best_on_test", of_test)):
        depth, number = np.unravel_index(by.round(12).argmax(), by.shape)
        rows.append(
            (
                name,
                seed,
                model,
                round(float(of_test[depth, number]), 4),
                round(float(of_folds[depth, number]), 4),
                numbers[number],
                depths[depth],
                seconds,
            )
        )
    return rows


def grid_scores(X, y, X_test, y_test, seed, numbers=NUMBERS_OF_TREES, depths=FOREST_DEPTHS):
    """Compute macro F1 on test samples of the forests of all depths and numbers of trees.

    Parameters
    ----------
    X, y : ndarray
        Training samples and their classes.
    X_test, y_test : ndarray
        Test samples and their classes.
    seed : int
        The seed of every forest.
    numbers, depths : sequence of int
        The grid, ascending.

    Returns
    -------
    ndarray of shape (len(depths), len(numbers)), float64
        The first of equal scores has the lowest depth, then the fewest trees.
    """
    forest = DecisionForestClassifier(numbers[-1], max_depth=depths[-1], random_state=seed).fit(X, y)
    trees = [estimator.tree_ for estimator in forest.estimators_]
    scores = np.empty((len(depths), len(numbers)))
    sums = np.zeros((len(depths), len(X_test), len(forest.classes_)))
    n_added = 0
    for j, n_trees in enumerate(numbers):
        while n_added < n_trees:
            some = trees[n_added : min(n_trees, n_added + TREES_AT_ONCE)]
            add_shares(sums, some, X_test, depths)
            n_added += len(some)
        for i, of_depth in enumerate(sums):
            scores[i, j] = score(y_test, forest.classes_[(of_depth / n_trees).argmax(axis=1)])
    return scores


def add_shares(sums, trees, X, depths):
    """Add for every depth the class shares of the samples' nodes in trees that are grown to that depth only."""
    starts = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
    feature, threshold, shares = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "threshold", "shares")
    )
    # Children as nodes of all trees together; a leaf is its own.
    left, right = (
        np.concatenate(
            [
                np.where(tree.children_left >= 0, getattr(tree, name), np.arange(tree.node_count)) + start
                for tree, start in zip(trees, starts, strict=True)
            ]
        )
        for name in ("children_left", "children_right")
    )
    samples = np.arange(len(X))
    nodes = np.repeat(starts[:, np.newaxis], len(X), axis=1)
    reached = 0
    for i, depth in enumerate(depths):
        for _ in range(reached, depth):
            # A leaf may have any feature.
            goes_left = X[samples, np.maximum(feature[nodes], 0)] <= threshold[nodes]
            nodes = np.where(goes_left, left[nodes], right[nodes])
        reached = depth
        # In the order of the trees, as the forest itself adds them.
        for of_tree in nodes:
            sums[i] += shares[of_tree]
