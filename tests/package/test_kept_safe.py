"""Memory does not grow with the number of fits; Ctrl-C ends a long fit, and leaves the estimator as it was."""

import gc
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from support import assert_refuses, interrupted, without_sanitizer

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DistilledTreesClassifier,
    ID3Classifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
)
from pytrees.criteria import CountCriterion

FEW = {"n_estimators": 2, "random_state": 0}

# An estimator, and how many samples and features keep it busy for seconds.
ESTIMATORS = [
    (DecisionTreeClassifier(), (200_000, 30)),
    (DecisionTreeClassifier("gini", n_jobs=2), (200_000, 30)),
    (DecisionTreeClassifier("entropy", max_leaf_nodes=300_000), (200_000, 30)),
    (DecisionTreeClassifier("jaccard"), (400_000, 30)),
    (C45Classifier(), (400_000, 30)),
    (PermutationDecisionTreeClassifier(), (20_000, 10)),
    (PermutationDecisionTreeClassifier(n_jobs=2), (20_000, 10)),
    (OrdinalDecisionTreeClassifier("wig"), (200_000, 30)),
    (ID3Classifier(), (200_000, 30)),
    (ID3Classifier("nvi", evaluation="global"), (20_000, 10)),
    (ID3Classifier("mts"), (400, 6)),
    (DecisionForestClassifier(**FEW), (200_000, 30)),
    (PermutationDecisionForestClassifier(**FEW), (20_000, 10)),
    (OrdinalDecisionForestClassifier(**FEW), (200_000, 30)),
    (ID3ForestClassifier(**FEW, evaluation="global"), (20_000, 10)),
    (ReconstructedFourierTree(DecisionTreeClassifier()), (200_000, 30)),
    (AggregatedFourierTreeClassifier(DecisionForestClassifier(**FEW)), (200_000, 30)),
    (OrthogonalTreesClassifier(DecisionForestClassifier(**FEW)), (200_000, 30)),
    (DistilledTreesClassifier(DecisionForestClassifier(**FEW)), (200_000, 30)),
]

N_FITS = 400


def named(estimator):
    return repr(estimator).replace("\n", "").replace(" ", "")


def make_noise(n_samples, n_features, n_classes=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, n_features)), rng.integers(0, n_classes, n_samples)


def make_steps(n_samples, n_features):
    """Make samples of classes that follow two features, but for a fifth: C4.5, which gives up on noise, is busy too."""
    X, y = make_noise(n_samples, n_features)
    follows = np.random.default_rng(1).random(n_samples) < 0.8
    return X, np.where(follows, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0), y)


@pytest.mark.parametrize(("estimator", "size"), ESTIMATORS, ids=[named(estimator) for estimator, _ in ESTIMATORS])
def test_long_fits_can_be_interrupted(estimator, size):
    estimator = clone(estimator).fit(*make_steps(9, size[1]))
    before = dict(vars(estimator))
    X, y = make_steps(*size)
    with interrupted(0.5):
        estimator.fit(X, y)
    after = vars(estimator)
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)


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
    return kind(**{name: value for name, value in (FEW | {"max_leaf_nodes": 6}).items() if name in known})


KINDS = dict.fromkeys(type(estimator) for estimator, _ in ESTIMATORS)
REPEATED = [(fit_and_ask, of_few_leaves(kind)) for kind in KINDS] + [(fail, DecisionTreeClassifier(Broken()))]


@without_sanitizer
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("function", "estimator"), REPEATED, ids=[*(kind.__name__ for kind in KINDS), "broken"])
def test_memory_of_repeated_calls_does_not_grow(function, estimator):
    """A call that leaks leaves some kilobytes."""
    X, y = make_noise(60, 3)
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
