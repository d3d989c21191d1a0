"""Memory does not grow with the number of fits."""

import gc
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from estimators import KINDS
from sklearn.base import clone, is_classifier
from support import assert_refuses, without_sanitizer

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DistilledTreesClassifier,
    MinimalTreeClassifier,
)
from pytrees.criteria import CountCriterion

FEW = {"n_estimators": 2, "random_state": 0, "max_leaf_nodes": 6}
N_FITS = 400


def make_noise(n_samples, n_features, n_classes=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, n_features)), rng.integers(0, n_classes, n_samples)


def resident():
    """Return the bytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class Broken(CountCriterion):
    """Judges three nodes, and then fails."""

    n_left = 3

    def gains(self, left, right):
        type(self).n_left -= 1
        if type(self).n_left < 0:
            type(self).n_left = 3
            raise ValueError("this criterion is broken")
        return left.max(axis=1) + right.max(axis=1)


def fit_and_ask(estimator, X, y):
    fitted = pickle.loads(pickle.dumps(clone(estimator).fit(X, y)))
    fitted.predict(X)
    fitted.predict_proba(X)


def fail(estimator, X, y):
    assert_refuses(RuntimeError, "this criterion is broken", estimator.fit, X, y)


def of_few_leaves(kind):
    """Return an estimator of a class, of few leaves and members."""
    known = kind().get_params()
    if kind is DistilledTreesClassifier:  # has an ensemble of 100 trees by default
        return kind(of_few_leaves(DecisionForestClassifier), max_leaf_nodes=4)
    return kind(**{name: value for name, value in FEW.items() if name in known})


# The search for the smallest tree of noise would take hours.
CLASSIFIERS = [kind for kind in KINDS if is_classifier(kind()) and kind is not MinimalTreeClassifier]
REPEATED = [(fit_and_ask, of_few_leaves(kind)) for kind in CLASSIFIERS] + [(fail, DecisionTreeClassifier(Broken()))]


@without_sanitizer
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("function", "estimator"), REPEATED, ids=[*(kind.__name__ for kind in CLASSIFIERS), "broken"])
def test_memory_of_repeated_calls_does_not_grow(function, estimator):
    """A call that leaks leaves some kilobytes."""
    X, y = make_noise(30, 3)
    sizes = []
    for repetition in range(N_FITS):
        function(estimator, X, y)
        if repetition % (N_FITS // 10) == 0:
            gc.collect()
            sizes.append(resident())
    assert sizes[-1] - sizes[2] < 2**20
    # NumPy and the interpreter keep freed blocks, which traced ones replace bit by bit: this ends, a leak does not.
    assert any(growth < 10_000 for growth in traced_growths(function, estimator, X, y))


def traced_growths(function, *arguments):
    """Yield the bytes by which each of at most five rounds of 20 calls made the traced memory grow."""
    tracemalloc.start()
    try:
        before = None
        for _ in range(6):
            for _ in range(20):
                function(*arguments)
            gc.collect()
            after = tracemalloc.get_traced_memory()[0]
            if before is not None:
                yield after - before
            before = after
    finally:
        tracemalloc.stop()
