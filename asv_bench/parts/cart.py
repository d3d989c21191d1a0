"""Exact trees of one thread against scikit-learn's and, where it is installed, YDF's."""

from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import DecisionTreeClassifier

from .timing import cut_into, informative_data, print_ratio, race, rows

try:
    import ydf
except ImportError:
    ydf = None

# A share of the ratio that Gini reaches on the same data.
GOAL_OF_ENTROPY = 0.7
GOAL_AGAINST_YDF = 10


class Case(NamedTuple):
    title: str
    make_arguments: callable
    repetitions: int
    goal: float | None = None
    max_depth: int | None = None
    with_ydf: bool = False


def whole_numbers(n, rng):
    X, y = informative_data(n, rng)
    return cut_into(X, 32), y


def weighted_rows(n, rng):
    X, y = informative_data(n, rng)
    return X, y, rng.integers(0, 4, size=len(y))


def real_weights(n, rng):
    X, y = informative_data(n, rng)
    return X, y, rng.gamma(2.0, size=len(y))


def missing_values(n, rng):
    X, y = informative_data(n, rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def breast_cancer(rng):
    X, y = load_breast_cancer(return_X_y=True)
    order = rng.permutation(len(y))
    return X[order], y[order]


LARGE, SMALL = partial(informative_data, 100_000), partial(informative_data, 10_000)
CASES = [
    Case("100,000 × 20", LARGE, 7, goal=40, with_ydf=True),
    Case("100,000 × 20, max_depth=8", LARGE, 7, goal=40, max_depth=8),
    Case("100,000 × 20, 10 classes", partial(LARGE, n_classes=10), 7, goal=20),
    Case("100,000 × 20, whole numbers 0..31", partial(whole_numbers, 100_000), 7, goal=15),
    Case("100,000 × 20, row weights 0..3", partial(weighted_rows, 100_000), 5),
    Case("100,000 × 20, real row weights", partial(real_weights, 100_000), 3, goal=15),
    Case("100,000 × 20, a tenth missing", partial(missing_values, 100_000), 3, goal=25),
    Case("10,000 × 20", SMALL, 25, goal=25),
    Case("10,000 × 20, 10 classes", partial(SMALL, n_classes=10), 15, goal=20),
    Case("10,000 × 20, whole numbers 0..31", partial(whole_numbers, 10_000), 15, goal=15),
    Case("Breast Cancer, 569 × 30", breast_cancer, 101, goal=8),
]


def fit_ours(criterion, max_depth, X, y, weights=None):
    DecisionTreeClassifier(criterion=criterion, max_depth=max_depth).fit(X, y, sample_weight=weights)


def fit_sklearn(criterion, max_depth, X, y, weights=None):
    SklearnTreeClassifier(criterion=criterion, max_depth=max_depth, random_state=0).fit(X, y, sample_weight=weights)


def divide_categories():
    """Compare a feature of 50 categories, divided into two sets, with three features of numbers."""
    n = rows(100_000)

    def make_columns(rng):
        columns = rng.integers(0, 50, size=(n, 1)).astype(np.float64)
        numbers = rng.normal(size=(n, 3))
        return columns, numbers, rng.random(n) < 0.2 + 0.6 * rng.random(50)[columns[:, 0].astype(int)]

    by_sets = DecisionTreeClassifier(categorical_features=[0], categorical_split="subset", max_depth=8)
    contestants = {
        "categories": lambda columns, _, y: by_sets.fit(columns, y),
        "3 numbers": lambda _, numbers, y: DecisionTreeClassifier(max_depth=8).fit(numbers, y),
    }
    print_ratio("two sets of 50 categories, 100,000 rows", race(contestants, make_columns, 5), goal=1)


def fit_ydf(X, y):
    """Fit exact splits by information gain, without pruning and without limits."""
    ydf.verbose(0)
    learner = ydf.CartLearner(label="y", min_examples=1, max_depth=-1, validation_ratio=0.0, num_threads=1)
    learner.train({"x": X, "y": y})


def cart():
    """Compare trees against scikit-learn's, whole `fit` on one thread; the goal of entropy is 0.7 of Gini's ratio."""
    for case in CASES:
        contestants = {}
        for criterion in ("gini", "entropy"):
            contestants["pytrees", criterion] = partial(fit_ours, criterion, case.max_depth)
            contestants["scikit-learn", criterion] = partial(fit_sklearn, criterion, case.max_depth)
        if case.with_ydf and ydf is not None:
            contestants["ydf"] = fit_ydf
        times = race(contestants, case.make_arguments, case.repetitions)
        goal = case.goal
        for criterion in ("gini", "entropy"):
            title, ours = f"{case.title}, {criterion}", times["pytrees", criterion]
            ratio = print_ratio(title, {"pytrees": ours, "scikit-learn": times["scikit-learn", criterion]}, goal)
            goal = None if goal is None else GOAL_OF_ENTROPY * ratio
            if "ydf" in times:
                print_ratio(title, {"pytrees": ours, "ydf": times["ydf"]}, GOAL_AGAINST_YDF)
            elif case.with_ydf:
                print(f"{title:<46} ydf is not installed: not compared")
    divide_categories()
    alone = {criterion: partial(fit_ours, criterion, None) for criterion in ("gini", "entropy")}
    for criterion, taken in race(alone, partial(informative_data, 1_000_000), 3).items():
        print(
            f"{f'1,000,000 × 20, {criterion}':<46} {'pytrees':<29} {median(taken):10.4g} s, range {np.ptp(taken):.2g} s"
        )
