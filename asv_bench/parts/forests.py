"""Random forests against scikit-learn's and, where it is installed, scikit-learn-intelex's, which has 256 approximate
bins: processor time, bootstrap, square root of the features unless stated."""

from functools import partial
from time import process_time
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from pytrees import DecisionForestClassifier

from .timing import cut_into, informative_data, print_ratio, race, rows

try:
    from sklearnex.ensemble import RandomForestClassifier as IntelForestClassifier
except ImportError:
    IntelForestClassifier = None


class Case(NamedTuple):
    title: str
    make_arguments: callable
    repetitions: int
    n_estimators: int = 100
    n_jobs: int = 1
    with_sklearn: bool = False
    goal: float | None = None
    goal_against_sklearn: float | None = None
    max_features: str | None = "sqrt"


def whole_numbers(n, rng):
    X, y = informative_data(n, rng)
    return cut_into(X, 32), y


def digits(rng):
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    return X[order], y[order]


# A goal is the ratio of sklearnex's time to ours.
CASES = [
    Case("10,000 × 20", partial(informative_data, 10_000), 5, with_sklearn=True, goal=2.9, goal_against_sklearn=15),
    Case("100,000 × 20", partial(informative_data, 100_000), 3, 100, 1, True, 2.9, 18),
    Case("10,000 × 20, 10 classes", partial(informative_data, 10_000, n_classes=10), 5, goal=2.9),
    Case("100,000 × 20, 10 classes", partial(informative_data, 100_000, n_classes=10), 3, goal=2.9),
    Case("10,000 × 20, whole numbers 0..31", partial(whole_numbers, 10_000), 5, goal=2.5),
    Case("100,000 × 20, whole numbers 0..31", partial(whole_numbers, 100_000), 3, goal=2.5),
    Case("10,000 × 20, all features", partial(informative_data, 10_000), 3, goal=4, max_features=None),
    Case("100,000 × 20, all features", partial(informative_data, 100_000), 3, 20, goal=4, max_features=None),
    Case("10,000 × 100", partial(informative_data, 10_000, n_features=100), 3, goal=1),
    Case("digits, 1,797 × 64, 10 classes", digits, 7, goal=1),
    Case("10,000 × 20, n_jobs=2", partial(informative_data, 10_000), 5, n_jobs=2, with_sklearn=True),
]


def processor_time(method):
    """Return a call of the method that returns the processor time of all threads."""

    def call(*arguments):
        start = process_time()
        method(*arguments)
        return process_time() - start

    return call


def forests():
    """Compare forests of trees without limits: processor seconds, or seconds where there are several threads."""
    for case in CASES:
        parameters = {name: getattr(case, name) for name in ("n_estimators", "max_features", "n_jobs")}
        parameters["random_state"] = 0
        contestants = {"pytrees": DecisionForestClassifier(**parameters)}
        for criterion in ("entropy", "ogini", "ranking"):
            if case.title in ("10,000 × 20", "10,000 × 20, 10 classes"):
                contestants[criterion] = DecisionForestClassifier(criterion=criterion, **parameters)
        if case.with_sklearn:
            contestants["scikit-learn"] = RandomForestClassifier(**parameters)
        if IntelForestClassifier is not None:
            contestants["sklearnex"] = IntelForestClassifier(**parameters)
        calls = {name: processor_time(estimator.fit) for name, estimator in contestants.items()}
        times = race(calls, case.make_arguments, case.repetitions, returns_time=case.n_jobs == 1)
        goals = {"scikit-learn": case.goal_against_sklearn, "sklearnex": case.goal}
        for name in times:
            if name != "pytrees":
                pair = {"pytrees": times["pytrees"], name: times[name]}
                print_ratio(f"forest of {case.n_estimators}, {case.title}", pair, goals.get(name))
    if IntelForestClassifier is None:
        print("sklearnex is not installed: not compared")


def forest_prediction():
    """Compare forests of 100 trees without limits that predict samples which they have not seen: processor seconds."""
    if IntelForestClassifier is None:
        print("sklearnex is not installed: not compared")
        return
    n_seen, n_new = rows(100_000), 20_000
    X, y = informative_data(100_000 + n_new, np.random.default_rng(0))
    kinds = {"pytrees": DecisionForestClassifier, "sklearnex": IntelForestClassifier}
    forests = {name: kind(n_jobs=1, random_state=0).fit(X[:n_seen], y[:n_seen]) for name, kind in kinds.items()}
    new = np.ascontiguousarray(X[n_seen:])
    for method in ("predict", "predict_proba"):
        for n, repetitions, goal in ((1, 101, 5.0), (1_000, 31, 4.0), (n_new, 11, 2.0)):
            calls = {name: processor_time(getattr(forest, method)) for name, forest in forests.items()}
            times = race(calls, lambda rng, n=n: (new[:n],), repetitions, returns_time=True)
            print_ratio(f"{method}, forest of 100, {n:,} rows", times, goal)
