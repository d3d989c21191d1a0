"""Regression trees and forests against scikit-learn's and, where it is installed, scikit-learn-intelex's, whose forests
have 256 approximate bins: processor time of a whole fit on one thread."""

from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1, make_regression
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

from pytrees import DecisionForestRegressor, DecisionTreeRegressor

from .forests import processor_time
from .timing import cut_into, print_ratio, race, rows

try:
    from sklearnex.ensemble import RandomForestRegressor as IntelForestRegressor
except ImportError:
    IntelForestRegressor = None


class Case(NamedTuple):
    title: str
    make_arguments: callable
    repetitions: int
    goal: float | None = None
    limits: MappingProxyType = MappingProxyType({})
    n_estimators: int = 0  # 0 is a single tree


def linear(n, rng, n_features=20):
    return make_regression(
        rows(n), n_features, n_informative=n_features // 2, noise=10.0, random_state=int(rng.integers(2**31))
    )


def friedman(n, rng):
    return make_friedman1(rows(n), 20, noise=1.0, random_state=int(rng.integers(2**31)))


def few_values(n, rng):
    X, y = linear(n, rng)
    return cut_into(X, 32), y


def whole_targets(n, rng, n_values):
    X, y = linear(n, rng)
    return X, cut_into(y[:, np.newaxis], n_values)[:, 0]


def weighted(n, rng):
    X, y = linear(n, rng)
    return X, y, rng.integers(1, 4, size=len(y))


def diabetes(rng):
    X, y = load_diabetes(return_X_y=True)
    order = rng.permutation(len(y))
    return X[order], y[order]


ABSOLUTE = {"criterion": "absolute_error"}
CASES = [
    Case("100,000 × 20", partial(linear, 100_000), 5, 18),
    Case("100,000 × 20, friedman1", partial(friedman, 100_000), 3, 18),
    Case("100,000 × 20, max_depth=8", partial(linear, 100_000), 5, 18, {"max_depth": 8}),
    Case("100,000 × 20, min_samples_leaf=5", partial(linear, 100_000), 3, 18, {"min_samples_leaf": 5}),
    Case("100,000 × 20, y 0..9", partial(whole_targets, 100_000, n_values=10), 3, 18),
    Case("100,000 × 20, 32 values a feature", partial(few_values, 100_000), 5, 10),
    Case("100,000 × 20, weights 1..3", partial(weighted, 100_000), 3),
    Case("10,000 × 20", partial(linear, 10_000), 15, 15),
    Case("10,000 × 20, 32 values a feature", partial(few_values, 10_000), 15, 10),
    Case("500 × 10", partial(linear, 500, n_features=10), 51, 10),
    Case("diabetes, 442 × 10", diabetes, 51, 10),
    Case("10,000 × 10, absolute error", partial(linear, 10_000, n_features=10), 3, 12, ABSOLUTE),
    Case("10,000 × 20, all features", partial(linear, 10_000), 2, 16, {"max_features": 1.0}, 100),
    Case("10,000 × 20, a third of them", partial(linear, 10_000), 2, 8, {"max_features": 1 / 3}, 100),
]


def contestants_of(case):
    """Return the estimators by name; scikit-learn-intelex's single tree is a forest of one tree on all samples."""
    if case.n_estimators == 0:
        found = {
            "pytrees": DecisionTreeRegressor(**case.limits),
            "scikit-learn": SklearnTreeRegressor(random_state=0, **case.limits),
        }
        shared = {"n_estimators": 1, "bootstrap": False}
    else:
        shared = {"n_estimators": case.n_estimators}
        found = {
            "pytrees": DecisionForestRegressor(random_state=0, **shared, **case.limits),
            "scikit-learn": RandomForestRegressor(random_state=0, **shared, **case.limits),
        }
    if IntelForestRegressor is not None and "criterion" not in case.limits:
        found["sklearnex"] = IntelForestRegressor(random_state=0, **shared, **case.limits)
    return found


def regression():
    """Compare regression trees, and forests of 100 of them."""
    for case in CASES:
        calls = {name: processor_time(estimator.fit) for name, estimator in contestants_of(case).items()}
        times = race(calls, case.make_arguments, case.repetitions, returns_time=True)
        title = f"forest of {case.n_estimators}, {case.title}" if case.n_estimators else case.title
        for name in times:
            if name != "pytrees":
                goal = case.goal if name == "scikit-learn" else 1.0
                print_ratio(title, {"pytrees": times["pytrees"], name: times[name]}, goal)
    if IntelForestRegressor is None:
        print("sklearnex is not installed: not compared")
