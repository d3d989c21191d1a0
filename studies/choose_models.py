"""Models of the study of choices, and how each is judged.

A model is made from the columns of categories and a seed. Judges take the training and the test samples, and return a
row of figures for every model: its scores, `seconds` of processor time of the fit, and `leaves`.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    optimal_tree,
)
from pytrees.datasets import equal_frequency_classes
from pytrees.fourier import distil
from pytrees.trees.ordinal import median_class

from .ordinal import measure

LEAVES = 8
MORE_LEAVES = 32
N_SEEDS = 10
N_GRADES = 5
THIRD = 1.0 / 3.0
OPTIMAL_SECONDS = 20.0
PERMUTED = {"max_depth": 8, "max_candidates": 16}


class Distilled:
    """A random forest, told in a few trees."""

    def __init__(self, n_trees, max_leaf_nodes, seed):
        self.n_trees, self.max_leaf_nodes, self.seed = n_trees, max_leaf_nodes, seed

    def fit(self, X, y):
        forest = RandomForestClassifier(random_state=self.seed).fit(X, y)
        limits = {"n_trees": self.n_trees, "max_leaf_nodes": self.max_leaf_nodes}
        self.classes_, self.model_ = forest.classes_, distil(forest, X, measure="joint", **limits)
        return self

    def predict(self, X):
        shares = self.model_.evaluate(X)
        return self.classes_[shares.argmax(axis=1) if shares.shape[1] > 1 else (shares[:, 0] > 0.5).astype(int)]


class Optimal:
    """The tree with the fewest training errors within a number of levels, and among these with the fewest leaves."""

    def __init__(self, max_depth):
        self.max_depth = max_depth

    def fit(self, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # is_proven_ is reported
            found = optimal_tree(X, y, max_depth=self.max_depth, alpha=1e-9, time_limit=OPTIMAL_SECONDS)
        self.tree_, self.classes_, self.is_proven_ = found.tree, np.unique(y), found.is_proven
        return self

    def predict(self, X):
        return self.classes_[self.tree_.predict(X)]


all_features = partial(DecisionForestRegressor, max_features=1.0)


class ShuffledForest:
    """A forest of numbers with all features, in another order for every tree: ties fall to features by chance."""

    def __init__(self, seed, n_estimators=100):
        self.seed, self.n_estimators = seed, n_estimators

    def fit(self, X, y):
        rng = np.random.RandomState(self.seed)
        self.orders_ = [rng.permutation(X.shape[1]) for _ in range(self.n_estimators)]
        one = [all_features(n_estimators=1, random_state=rng).fit(X[:, order], y) for order in self.orders_]
        self.estimators_ = [forest.estimators_[0] for forest in one]
        return self

    def predict(self, X):
        trees = zip(self.estimators_, self.orders_, strict=True)
        return np.mean([tree.predict(X[:, order]) for tree, order in trees], axis=0)


def categories(columns):
    """Return the arguments of our trees for categories."""
    return {"categorical_features": list(columns), "handle_unknown": "majority"} if columns else {}


def boosting(columns, seed):
    """Make scikit-learn's histogram boosting."""
    return HistGradientBoostingClassifier(categorical_features=list(columns) or None, random_state=seed)


def one_hot(columns, seed):
    """Make a random forest on one-hot codes."""
    encoder = (OneHotEncoder(handle_unknown="ignore"), list(columns))
    return make_pipeline(
        make_column_transformer(encoder, remainder="passthrough", sparse_threshold=0.0),
        RandomForestClassifier(random_state=seed),
    )


FORESTS = {
    "rf": lambda columns, seed: RandomForestClassifier(random_state=seed),
    "hgb": boosting,
}

MODELS = {
    "accuracy": FORESTS
    | {
        "forest": lambda columns, seed: DecisionForestClassifier(random_state=seed),
        "permutation_forest": lambda columns, seed: PermutationDecisionForestClassifier(
            50, random_state=seed, max_features="sqrt", **PERMUTED
        ),
        "sklearn_tree": lambda columns, seed: SklearnTree(random_state=seed),
        "gini": lambda columns, seed: DecisionTreeClassifier(),
        "c45": lambda columns, seed: C45Classifier(),
        "id3_global": lambda columns, seed: ID3Classifier(evaluation="global", ties="local"),
        "permutation": lambda columns, seed: PermutationDecisionTreeClassifier(max_candidates=16),
    },
    "small": FORESTS
    | {
        "sklearn_tree": lambda columns, seed: SklearnTree(max_leaf_nodes=LEAVES, random_state=seed),
        "gini": lambda columns, seed: DecisionTreeClassifier(max_leaf_nodes=LEAVES),
        "entropy": lambda columns, seed: DecisionTreeClassifier("entropy", max_leaf_nodes=LEAVES),
        "id3_global": lambda columns, seed: ID3Classifier(evaluation="global", ties="local", max_leaf_nodes=LEAVES),
        "distilled": lambda columns, seed: Distilled(1, LEAVES, seed),
        "c45": lambda columns, seed: C45Classifier(),
        "gini_2": lambda columns, seed: DecisionTreeClassifier(max_depth=2),
        "optimal_2": lambda columns, seed: Optimal(2),
        "gini_3": lambda columns, seed: DecisionTreeClassifier(max_depth=3),
        "optimal_3": lambda columns, seed: Optimal(3),
    },
    "few": FORESTS
    | {
        "gini": lambda columns, seed: DecisionTreeClassifier(max_leaf_nodes=MORE_LEAVES),
        "distilled_1": lambda columns, seed: Distilled(1, MORE_LEAVES, seed),
        "distilled_3": lambda columns, seed: Distilled(3, MORE_LEAVES, seed),
        "distilled_5": lambda columns, seed: Distilled(5, MORE_LEAVES, seed),
        "five_trees": lambda columns, seed: DecisionForestClassifier(5, max_leaf_nodes=MORE_LEAVES, random_state=seed),
        "aggregated": lambda columns, seed: AggregatedFourierTreeClassifier(
            RandomForestClassifier(n_estimators=20, max_leaf_nodes=MORE_LEAVES, random_state=seed)
        ),
        "orthogonal": lambda columns, seed: OrthogonalTreesClassifier(
            RandomForestClassifier(n_estimators=20, max_leaf_nodes=MORE_LEAVES, random_state=seed),
            n_components=3,
            combine="least_squares",
        ),
    },
    "categories": FORESTS
    | {
        "one_hot": one_hot,
        "forest": lambda columns, seed: DecisionForestClassifier(random_state=seed, **categories(columns)),
        "forest_multiway": lambda columns, seed: DecisionForestClassifier(
            random_state=seed, categorical_split="multiway", **categories(columns)
        ),
        "forest_codes": lambda columns, seed: DecisionForestClassifier(random_state=seed),
        "c45": lambda columns, seed: C45Classifier(**categories(columns)),
        "gini": lambda columns, seed: DecisionTreeClassifier(**categories(columns)),
        "gini_multiway": lambda columns, seed: DecisionTreeClassifier(
            categorical_split="multiway", **categories(columns)
        ),
        "gini_codes": lambda columns, seed: DecisionTreeClassifier(),
    },
    "missing": FORESTS
    | {
        "imputed": lambda columns, seed: make_pipeline(
            SimpleImputer(strategy="median"), RandomForestClassifier(random_state=seed)
        ),
        "forest": lambda columns, seed: DecisionForestClassifier(random_state=seed, **categories(columns)),
        "c45": lambda columns, seed: C45Classifier(**categories(columns)),
        "gini": lambda columns, seed: DecisionTreeClassifier(min_samples_leaf=2, **categories(columns)),
        "sklearn_tree": lambda columns, seed: SklearnTree(min_samples_leaf=2, random_state=seed),
    },
}

# Models of numbers, by seed.
NUMBERS = {
    "rf": lambda seed: RandomForestRegressor(random_state=seed),
    "rf_third": lambda seed: RandomForestRegressor(max_features=THIRD, random_state=seed),
    "hgb": lambda seed: HistGradientBoostingRegressor(random_state=seed),
    "hgb_absolute": lambda seed: HistGradientBoostingRegressor(loss="absolute_error", random_state=seed),
    "forest": lambda seed: all_features(random_state=seed),
    "forest_shuffled": ShuffledForest,
    "forest_third": lambda seed: DecisionForestRegressor(max_features=THIRD, random_state=seed),
    "absolute": lambda seed: all_features(criterion="absolute_error", random_state=seed),
    "absolute_third": lambda seed: DecisionForestRegressor(
        criterion="absolute_error", max_features=THIRD, random_state=seed
    ),
    "tree": lambda seed: DecisionTreeRegressor(),
    "tree_5": lambda seed: DecisionTreeRegressor(min_samples_leaf=5),
    "absolute_tree_5": lambda seed: DecisionTreeRegressor("absolute_error", min_samples_leaf=5),
    "sklearn_tree": lambda seed: SklearnTreeRegressor(random_state=seed),
    "sklearn_tree_5": lambda seed: SklearnTreeRegressor(min_samples_leaf=5, random_state=seed),
}
# Grades that are cut numbers: predict the number and cut it, predict the code of the grade and round it, or classify.
CUT = {f"{name}_cut": NUMBERS[name] for name in ("rf", "hgb", "forest", "forest_third", "absolute_third")}
ROUNDED = {f"{name}_rounded": NUMBERS[name] for name in ("rf", "hgb", "forest_third")}
GRADED = {
    "rf": lambda seed: RandomForestClassifier(random_state=seed),
    "ogini_median": lambda seed: OrdinalDecisionForestClassifier(predict_rule="median", random_state=seed),
}

# By seed. The rules are tried on one fit each.
ORDINAL = {
    "rf": lambda seed: RandomForestClassifier(random_state=seed),
    "hgb": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "gini": lambda seed: DecisionForestClassifier(random_state=seed),
    "ogini": lambda seed: OrdinalDecisionForestClassifier(random_state=seed),
    "gini_tree": lambda seed: DecisionTreeClassifier(min_samples_leaf=5),
    "ogini_tree": lambda seed: OrdinalDecisionTreeClassifier(min_samples_leaf=5),
}
REGRESSORS = {
    "rf_rounded": lambda seed: RandomForestRegressor(random_state=seed),
    "hgb_rounded": lambda seed: HistGradientBoostingRegressor(random_state=seed),
}


def timed_fit(model, X, y):
    """Fit a model, and return the seconds of processor time that it took."""
    started = time.process_time()
    with warnings.catch_warnings():
        # Some tables have equal samples of different classes: the documentation says so, every fold would warn.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y)
    return time.process_time() - started


def leaves_of(model):
    """Count the leaves of a model; None if the model does not tell."""
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(model, "model_"):
        return int(sum(tree.n_leaves for tree in model.model_.codes.trees))
    if hasattr(model, "estimators_"):
        return int(sum(tree.get_n_leaves() for tree in model.estimators_))
    if hasattr(model, "trees_"):
        return int(sum(built.tree.n_leaves for built in model.trees_))
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    return int(model.tree_.n_leaves) if hasattr(model, "tree_") else None


def judge_accuracy(question, train, test, columns, seed):
    """Judge the models of a question by accuracy."""
    rows = []
    for name, make in MODELS[question].items():
        model = make(columns, seed)
        seconds = timed_fit(model, *train)
        accuracy = float(np.mean(model.predict(test[0]) == test[1]))
        rows.append({"model": name, "accuracy": accuracy, "seconds": seconds, "leaves": leaves_of(model)})
        if isinstance(model, Optimal):
            rows[-1]["proven"] = model.is_proven_
    return rows


def judge_grades(question, train, test, columns, seed):
    """Judge models of ordered classes, by the most frequent class and by the median; numbers are rounded."""
    rows, labels = [], np.arange(1 + max(train[1].max(), test[1].max()))
    for name, make in ORDINAL.items():
        model = make(seed)
        seconds = timed_fit(model, *train)
        shares = np.zeros((len(test[1]), len(labels)))
        shares[:, model.classes_] = model.predict_proba(test[0])
        for suffix, rule in (("", lambda shares: shares.argmax(axis=1)), ("_median", median_class)):
            rows.append(_ordinal_row(name + suffix, test[1], rule(shares), shares, seconds, leaves_of(model)))
    for name, make in REGRESSORS.items():
        model = make(seed)
        seconds = timed_fit(model, train[0], train[1].astype(float))
        grades = np.clip(np.rint(model.predict(test[0])), 0, labels[-1]).astype(int)
        rows.append(_ordinal_row(name, test[1], grades, np.eye(len(labels))[grades], seconds, leaves_of(model)))
    return rows


def _ordinal_row(name, y, predicted, shares, seconds, leaves):
    # A single class has no agreement beyond chance.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore")
        figures = measure(y, predicted, shares, shares.shape[1])
    del figures["confusion"]
    accuracy = float(np.mean(y == predicted))
    return {"model": name, **figures, "accuracy": accuracy, "seconds": seconds, "leaves": leaves}


def judge_numbers(question, train, test, columns, seed):
    """Judge models of numbers by R² and by the mean absolute error, as a share of the error of the training median."""
    rows = []
    of_median = np.abs(test[1] - np.median(train[1])).mean()
    for name, make in NUMBERS.items():
        model = make(seed)
        seconds = timed_fit(model, *train)
        predicted = model.predict(test[0])
        error = float(np.abs(test[1] - predicted).mean() / of_median)
        r2 = float(r2_score(test[1], predicted))
        rows.append({"model": name, "r2": r2, "relative_mae": error, "seconds": seconds, "leaves": leaves_of(model)})
    return rows


def judge_cut(question, train, test, columns, seed):
    """Judge predictions of grades into which numbers are cut, at edges that all models know."""
    edges = edges_of_grades(np.r_[train[1], test[1]])
    grades, truth = (np.searchsorted(edges, y) for y in (train[1], test[1]))
    rows, labels = [], np.arange(N_GRADES)
    for models, y, to_grades in (
        (GRADED, grades, np.asarray),
        (CUT, train[1], lambda predicted: np.searchsorted(edges, predicted)),
        (ROUNDED, grades.astype(float), lambda predicted: np.clip(np.rint(predicted), 0, labels[-1]).astype(int)),
    ):
        for name, make in models.items():
            model = make(seed)
            seconds = timed_fit(model, train[0], y)
            found = to_grades(model.predict(test[0]))
            rows.append(_ordinal_row(name, truth, found, np.eye(N_GRADES)[found], seconds, leaves_of(model)))
    return rows


def edges_of_grades(y):
    """Return the numbers between equally frequent grades: the middles between neighbours of different grades."""
    grades = equal_frequency_classes(y, N_GRADES)
    return np.array([0.5 * (y[grades <= grade].max() + y[grades > grade].min()) for grade in range(N_GRADES - 1)])


def judge_same(question, train, test, columns, seed):
    """Count the trees of several seeds, and of several orders of the samples, and on how many test samples they differ.

    Both libraries get the seeds 0 to 9, then one seed and the samples in ten orders.
    """
    X, y = train
    orders = [np.random.RandomState(order).permutation(len(y)) for order in range(N_SEEDS)]
    makers = {
        "sklearn_tree": lambda seed: SklearnTree(random_state=seed),
        "gini": lambda seed: DecisionTreeClassifier(),
    }
    rows = []
    for name, make in makers.items():
        grown = {
            "seeds": [make(seed).fit(X, y) for seed in range(N_SEEDS)],
            "orders": [make(0).fit(X[order], y[order]) for order in orders],
        }
        row = {"model": name}
        for what, trees in grown.items():
            predicted = np.array([tree.predict(test[0]) for tree in trees])
            row[f"trees_{what}"] = len({_digest(tree) for tree in trees})
            row[f"differ_{what}"] = float(np.mean(np.any(predicted != predicted[0], axis=0)))
        rows.append(row)
    return rows


def _digest(model):
    """Return the features and thresholds of a tree, node by node, which tell trees apart."""
    return model.tree_.feature.tobytes() + np.asarray(model.tree_.threshold).tobytes()


JUDGES = dict.fromkeys(MODELS, judge_accuracy) | {
    "grades": judge_grades,
    "same": judge_same,
    "numbers": judge_numbers,
    "cut": judge_cut,
}
