"""Whole calls of the public interface, validation included, on data that never changes.

As a program, inside `callgrind` of `common`, it makes every call, and prints one line for each: its name, or nothing if
this version of pytrees cannot make it.
"""

import gc
import sys
from functools import partial

import numpy as np
from sklearn.datasets import load_iris, load_wine

import pytrees
from pytrees import fourier

from .common import COUNT_CALLS, classification_data, label_sequence


def fit_tree(criterion="gini", n=4_000, n_classes=2, n_values=None, **parameters):
    X, y = classification_data(n, n_classes=n_classes, n_values=n_values)
    return pytrees.DecisionTreeClassifier(criterion, **parameters).fit, X, y


def fit_with_missing():
    X, y = classification_data(4_000)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return pytrees.DecisionTreeClassifier().fit, X, y


def fit_with_weights():
    X, y = classification_data(4_000)
    return pytrees.DecisionTreeClassifier().fit, X, y, np.random.default_rng(1).random(len(y))


def fit_categories():
    X, y = classification_data(4_000, n_features=6, n_values=50)
    categorical = {"categorical_features": [0, 1, 2], "categorical_split": "subset"}
    return pytrees.DecisionTreeClassifier(**categorical).fit, X, y


def fit_own_criterion():
    def impurity(counts):
        return 1.0 - ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)

    class Gini(pytrees.criteria.CountCriterion):
        def gains(self, left, right):
            node = left + right
            n = node.sum(axis=1)
            return impurity(node) - (left.sum(axis=1) * impurity(left) + right.sum(axis=1) * impurity(right)) / n

    return fit_tree(Gini(), n=500)


def fit_numbers(criterion, n, n_features):
    X, _ = classification_data(n, n_features=n_features)
    return pytrees.DecisionTreeRegressor(criterion).fit, X, X.sum(axis=1) + np.random.default_rng(1).normal(size=n)


def fit_forest():
    X, y = classification_data(2_000)
    return pytrees.DecisionForestClassifier(n_estimators=20, random_state=0, n_jobs=1).fit, X, y


def fit_forest_of_numbers():
    X, _ = classification_data(1_000)
    return pytrees.DecisionForestRegressor(n_estimators=10, random_state=0, n_jobs=1).fit, X, X.sum(axis=1)


def predict_by_tree(n):
    X, y = classification_data(20_000)
    return pytrees.DecisionTreeClassifier().fit(X[:4_000], y[:4_000]).predict, X[:n]


def predict_by_forest(n):
    X, y = classification_data(5_000)
    forest = pytrees.DecisionForestClassifier(n_estimators=20, random_state=0, n_jobs=1)
    return forest.fit(X[:2_000], y[:2_000]).predict, X[:n]


def fit_permutation_tree(criterion):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return pytrees.PermutationDecisionTreeClassifier(criterion).fit, X[order], y[order]


def fit_ordinal_tree(criterion):
    X, y = classification_data(1_500, n_features=10, n_classes=10)
    return pytrees.OrdinalDecisionTreeClassifier(criterion).fit, X, y


def fit_id3(evaluation):
    X, y = load_wine(return_X_y=True)
    return pytrees.ID3Classifier(evaluation=evaluation).fit, X, y


def fit_c45():
    X, y = classification_data(1_000, n_features=10)
    return pytrees.C45Classifier().fit, X, y


def find_best_tree(n_levels):
    X, y = load_iris(return_X_y=True)
    return partial(pytrees.optimal_tree, max_depth=n_levels), X, y


def find_smallest_tree():
    X, y = load_wine(return_X_y=True)
    return pytrees.minimal_tree, X, y


def fit_orthogonal_trees():
    X, y = load_wine(return_X_y=True)
    return pytrees.OrthogonalTreesClassifier(n_estimators=10, random_state=0).fit, X, y


def multiply_trees():
    X, y = classification_data(2_000, n_values=50)
    trees = [pytrees.DecisionTreeClassifier(max_depth=5, max_features=4, random_state=i).fit(X, y) for i in range(20)]
    return fourier.gram, [tree.tree_ for tree in trees], [50] * X.shape[1]


def distil_forest():
    X, y = load_wine(return_X_y=True)
    forest = pytrees.DecisionForestClassifier(n_estimators=20, max_depth=4, random_state=0).fit(X, y)
    return fourier.distil, forest, X


def compress(function, kind, n):
    return function, label_sequence(kind, n, np.random.default_rng(0))[0].tolist()


# Never changed: a call with other arguments is another line.
CALLS = {
    "tree, gini": fit_tree,
    "tree, entropy": lambda: fit_tree("entropy"),
    "tree, gini, 10 classes": lambda: fit_tree(n_classes=10),
    "tree, gini, 32 values": lambda: fit_tree(n_values=32),
    "tree, gini, missing values": fit_with_missing,
    "tree, gini, weights": fit_with_weights,
    "tree, gini, 50 leaves": lambda: fit_tree(max_leaf_nodes=50),
    "tree, gini, sets of categories": fit_categories,
    "tree, own criterion": fit_own_criterion,
    "tree, squared error": lambda: fit_numbers("squared_error", 4_000, 20),
    "tree, absolute error": lambda: fit_numbers("absolute_error", 1_000, 10),
    "forest of 20": fit_forest,
    "forest of 10, squared error": fit_forest_of_numbers,
    "predict, tree, 20,000 samples": lambda: predict_by_tree(20_000),
    "predict, tree, 1 sample": lambda: predict_by_tree(1),
    "predict, forest of 20, 5,000 samples": lambda: predict_by_forest(5_000),
    "predict, forest of 20, 1 sample": lambda: predict_by_forest(1),
    "permutation tree, effort to compress": lambda: fit_permutation_tree("etc"),
    "permutation tree, Lempel-Ziv": lambda: fit_permutation_tree("lz76"),
    "ordinal tree, ordinal Gini": lambda: fit_ordinal_tree("ogini"),
    "ordinal tree, ranking impurity": lambda: fit_ordinal_tree("ranking"),
    "ordinal tree, weighted information gain": lambda: fit_ordinal_tree("wig"),
    "ID3, local": lambda: fit_id3("local"),
    "ID3, global": lambda: fit_id3("global"),
    "C4.5": fit_c45,
    "best tree, 2 levels": lambda: find_best_tree(2),
    "best tree, 3 levels": lambda: find_best_tree(3),
    "smallest tree": find_smallest_tree,
    "orthogonal trees": fit_orthogonal_trees,
    "Gram matrix of 20 trees": multiply_trees,
    "distilled forest": distil_forest,
    "effort to compress, 20,000 labels": lambda: compress(pytrees.effort_to_compress, "random 10", 20_000),
    "Lempel-Ziv, 20,000 labels": lambda: compress(pytrees.lempel_ziv_complexity, "random 10", 20_000),
}


def main():
    gc.disable()  # when it collects is chance
    namespace = {}
    exec(COUNT_CALLS, namespace)
    counted = namespace["Counted"]()
    for name, prepare in CALLS.items():
        try:
            call, *arguments = prepare()
            call(*arguments)  # imports what it needs, and asks for memory
        except Exception as error:  # of whatever kind: an old version
            print(f"{name}: {error}", file=sys.stderr)
            continue
        counted @= lambda call=call, arguments=arguments: call(*arguments)
        print(name)


if __name__ == "__main__":
    main()
