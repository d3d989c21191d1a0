"""The library in a minute: rules, speed, equal trees, a criterion, a check, and a best tree."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from .._engine import config_context
from .._typing import AnyArray, FloatArray
from ..criteria import CountCriterion
from ..export import export_text
from ..testing import check_tree
from ..trees import DecisionForestClassifier, DecisionTreeClassifier, OptimalTreeClassifier

N_SAMPLES = 20_000
N_FEATURES = 20


class Twoing(CountCriterion):
    """The twoing criterion (Breiman et al., 1984), for every cut at once."""

    def gains(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the gain of every cut, from the class counts on both sides."""
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        apart = np.abs(left / n_left[:, np.newaxis] - right / n_right[:, np.newaxis]).sum(axis=1)
        return np.asarray(n_left * n_right * (apart / (n_left + n_right)) ** 2 / 4)


def run_overview() -> None:
    """Print each thing that the library does: the code, and what it gives."""
    data = load_breast_cancer()
    X, y = data.data, data.target_names[data.target]
    print("pytrees in a minute. X, y: Breast Cancer, 569 samples, 30 numbers.")
    show_rules(X, y, data.feature_names)
    show_speed()
    show_equal_trees(X, y)
    show_own_criterion(X, y)
    show_check(X, y)
    show_best_tree(X, y)


def announce(title: str, *code: str) -> None:
    """Print a heading, and the code that gives what follows."""
    print(f"\n{title}\n")
    for line in code:
        print(f"    >>> {line}")


def indent(text: str) -> None:
    """Print lines like the results of code."""
    print("\n".join(f"    {line}" for line in text.splitlines()))


def show_rules(X: FloatArray, y: AnyArray, names: AnyArray) -> None:
    """Print a small tree."""
    announce("A tree that people can read", "export_text(DecisionTreeClassifier(max_depth=2).fit(X, y))")
    indent(export_text(DecisionTreeClassifier(max_depth=2).fit(X, y), feature_names=names))


def show_speed() -> None:
    """Fit a tree and a forest beside scikit-learn's, and print both times."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    y = (X[:, :3].sum(axis=1) + rng.normal(size=N_SAMPLES) > 0).astype(int)
    announce(f"Speed: {N_SAMPLES:,} samples of {N_FEATURES} numbers, exact trees, one thread")
    pairs = (
        ("a tree", DecisionTreeClassifier(), SklearnTree(random_state=0)),
        ("ten trees", DecisionForestClassifier(10, random_state=0), RandomForestClassifier(10, random_state=0)),
    )
    for title, ours, theirs in pairs:
        seconds, of_sklearn = seconds_of(ours, X, y), seconds_of(theirs, X, y)
        ratio = of_sklearn / seconds
        indent(f"{title:9}  {seconds:.3f} s, scikit-learn's {of_sklearn:.2f} s: {ratio:.0f} times as fast here")


def seconds_of(estimator: Any, X: FloatArray, y: AnyArray) -> float:
    """Return the shortest of three times of a fit."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        clone(estimator).fit(X, y)
        times.append(time.perf_counter() - started)
    return min(times)


def show_equal_trees(X: FloatArray, y: AnyArray) -> None:
    """Grow a tree by both engines, and by several threads, and compare."""
    announce(
        "The same trees, to the last bit, on every machine", "DecisionForestClassifier(4, random_state=0).fit(X, y)"
    )
    forest = DecisionForestClassifier(4, random_state=0).fit(X, y)
    with parallel_config("threading", n_jobs=4):
        on_threads = clone(forest).fit(X, y)
    with config_context(engine="reference"):
        in_python = clone(forest).fit(X, y)
    for title, other in (("four threads", on_threads), ("the reference in plain Python", in_python)):
        are_equal = all(one.tree_ == another.tree_ for one, another in zip(forest, other, strict=True))
        indent(f"equal to those of {title}: {'yes' if are_equal else 'no'}")


def show_own_criterion(X: FloatArray, y: AnyArray) -> None:
    """Grow a tree by a criterion in NumPy."""
    announce(
        "Your own criterion, in NumPy",
        "DecisionTreeClassifier(Twoing())    # a class of five lines: pytrees/tour/overview.py",
    )
    own, gini = (
        cross_val_score(DecisionTreeClassifier(criterion), X, y, cv=5).mean() for criterion in (Twoing(), "gini")
    )
    indent(f"accuracy, fivefold: {own:.3f}; by Gini impurity {gini:.3f}")


def show_check(X: FloatArray, y: AnyArray) -> None:
    """Check every split of a tree of scikit-learn."""
    announce(
        "Anybody's tree, checked by exact arithmetic",
        "check_tree(sklearn.tree.DecisionTreeClassifier().fit(X, y), X, y, 'gini')",
    )
    rounded = X.astype(np.float32)
    indent(str(check_tree(SklearnTree(random_state=0).fit(rounded, y), rounded, y, "gini", dtype=np.float32)))


def show_best_tree(X: FloatArray, y: AnyArray) -> None:
    """Print the errors of the best tree of two levels, and of a grown one."""
    announce("The best tree, proven", "OptimalTreeClassifier(max_depth=2).fit(X, y)")
    best, grown = (model(max_depth=2).fit(X, y) for model in (OptimalTreeClassifier, DecisionTreeClassifier))
    errors, of_grown = (int(np.sum(model.predict(X) != y)) for model in (best, grown))
    indent(f"{errors} training errors, and no tree of two levels has fewer; the grown tree has {of_grown}")
