"""Memory does not grow with the number of fits."""

import ctypes
import gc
import os
import pickle
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
N_CALLS = 20  # between two measurements


class Mallinfo(ctypes.Structure):
    """The answer of glibc's mallinfo2, of which `uordblks` and `hblkhd` are bytes in use."""

    names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = tuple((name, ctypes.c_size_t) for name in names)


def make_noise(n_samples, n_features, n_classes=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, n_features)), rng.integers(0, n_classes, n_samples)


def allocated():
    """Return the bytes that C has in use: of kernels and arrays, and of Python's objects of more than 512 bytes."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


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


LEAKS = {
    "of C": lambda: ctypes.CDLL(None).malloc(ctypes.c_size_t(200)),
    "an array": lambda: KEPT.append(np.zeros(40)),
    "objects": lambda: KEPT.append([object() for _ in range(30)]),
}
KEPT = []


def grows(function, *arguments):
    """Return whether each round of calls leaves more than a hundred bytes of C, or 500 of Python, for every call."""
    if not any(growth < N_CALLS * 100 for growth in growths(allocated, function, *arguments)):
        return True
    tracemalloc.start()
    try:
        traced = growths(lambda: tracemalloc.get_traced_memory()[0], function, *arguments)
        # NumPy and the interpreter keep freed blocks, which traced ones replace bit by bit: this ends, a leak does not.
        return not any(growth < N_CALLS * 500 for growth in traced)
    finally:
        tracemalloc.stop()


def growths(measure, function, *arguments):
    """Yield the bytes by which each of at most five rounds of calls made the memory grow."""
    before = None
    for _ in range(6):
        for _ in range(N_CALLS):
            function(*arguments)
        gc.collect()
        after = measure()
        if before is not None:
            yield after - before
        before = after


needs_glibc = pytest.mark.skipif(
    os.name != "posix" or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="asks glibc for its memory"
)


@without_sanitizer
@needs_glibc
@pytest.mark.parametrize(("function", "estimator"), REPEATED, ids=[*(kind.__name__ for kind in CLASSIFIERS), "broken"])
def test_memory_of_repeated_calls_does_not_grow(function, estimator):
    assert not grows(function, estimator, *make_noise(30, 3))


@without_sanitizer
@needs_glibc
@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
@pytest.mark.parametrize("function", [fit_and_ask, fail])
def test_leaks_are_noticed(function, leak):
    def call(*arguments):
        function(*arguments)
        leak()

    try:
        assert grows(call, DecisionTreeClassifier(Broken() if function is fail else "gini"), *make_noise(30, 3))
    finally:
        KEPT.clear()
