"""Threads at once: on one fitted estimator, each on an estimator of its own, and on what the package keeps for all.

On a free-threaded Python the threads run side by side. On others they take turns, here as often as possible.
"""

import pickle
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import cycle
from types import ModuleType

import numpy as np
import pytest
from estimators import ESTIMATORS
from programs import run_python
from samples import consistent, make_ties
from sklearn.base import clone

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    config_context,
    effort_to_compress,
    export_dict,
    export_text,
    lempel_ziv_complexity,
)
from pytrees._engine import current_engine
from pytrees._judges import OwnCriterion
from pytrees.criteria import CountCriterion
from pytrees.trees import forest_prediction

N_THREADS = 8
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


class Gini(CountCriterion):
    def gains(self, left, right):
        totals = [side.sum(axis=1) for side in (left, right)]
        squares = [(side**2).sum(axis=1) / total for side, total in zip((left, right), totals, strict=True)]
        whole = ((left + right) ** 2).sum(axis=1)
        return (sum(squares) - whole / sum(totals)) / sum(totals)


MORE = [
    DecisionTreeClassifier("entropy"),
    DecisionTreeClassifier("gain_ratio", max_leaf_nodes=6),
    DecisionTreeClassifier(Gini(), max_depth=3),
    DecisionTreeRegressor("absolute_error", max_depth=3),
    DecisionForestClassifier(3, random_state=0, n_jobs=2),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS + MORE, ids=lambda given: type(given).__name__)


@pytest.fixture(autouse=True)
def frequent_switches():
    """Let a Python with a lock switch between threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(calls):
    """Make calls in threads of their own, which start together; return the results in order."""
    calls = list(calls)
    start = threading.Barrier(len(calls), timeout=60)

    def run(call):
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def by_all_threads(call, *args):
    return at_once([partial(call, *args)] * N_THREADS)


def samples(seed=0):
    X, y = make_ties(40, seed=seed)
    return X, consistent(X, y)


def same(value, other):
    """Whether results are equal to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype == other.dtype and value.shape == other.shape and value.tobytes() == other.tobytes()
    if isinstance(value, dict):
        return value.keys() == other.keys() and all(same(value[key], other[key]) for key in value)
    return value == other


def told_by(fitted, X):
    """Return what a fitted estimator tells in every way that it has."""
    ways = ("predict", "predict_proba", "apply", "score", "get_depth")
    told = {way: getattr(fitted, way) for way in ways if hasattr(fitted, way)}
    told["score"] = partial(told["score"], y=fitted.predict(X))
    told = {way: call() if way == "get_depth" else call(X) for way, call in told.items()}
    if hasattr(fitted, "feature_importances_"):
        told["importances"] = fitted.feature_importances_
    if hasattr(fitted, "tree_"):
        told["text"], told["dict"] = export_text(fitted), repr(export_dict(fitted))
    told["copy"] = pickle.loads(pickle.dumps(fitted)).predict(X)
    return told


def told_by_a_fit(estimator, seed):
    X, y = samples(seed)
    return told_by(clone(estimator).fit(X, y), X)


@each_estimator
def test_threads_share_a_fitted_estimator(estimator):
    X, y = samples()
    content = pickle.dumps(clone(estimator).fit(X, y))
    expected = told_by(pickle.loads(content), X)
    shared = pickle.loads(content)  # it has not yet computed what estimators and trees compute once
    for _ in range(2):
        assert all(same(told, expected) for told in by_all_threads(told_by, shared, X))


@each_estimator
def test_threads_fit_estimators_of_their_own(estimator):
    expected = [told_by_a_fit(estimator, seed) for seed in range(N_THREADS)]
    found = at_once([partial(told_by_a_fit, estimator, seed) for seed in range(N_THREADS)])
    assert all(map(same, found, expected))


@each_estimator
def test_threads_that_fit_one_estimator_leave_one_of_their_fits(estimator):
    """It is an error of the caller: no thread can know what it gets, but nothing breaks."""
    X, y = samples()
    targets = [y, (y + 1) % 3]
    expected = [told_by(clone(estimator).fit(X, target), X) for target in targets]
    shared = clone(estimator).fit(X, y)

    def predict():
        with suppress(AttributeError, IndexError, ValueError):  # of the leaves of one tree in another
            assert shared.predict(X).shape == y.shape

    fits = [partial(shared.fit, X, target) for target in targets]
    at_once(fits * (N_THREADS // 4) + [predict] * (N_THREADS // 2))
    told = told_by(shared, X)
    assert any(same(told, of_fit) for of_fit in expected)


def test_threads_predict_while_the_trees_of_a_forest_are_exchanged():
    X, y = samples()
    forests = [DecisionForestClassifier(3, random_state=seed).fit(X, y) for seed in range(2)]
    expected = [forest.predict_proba(X) for forest in forests]
    shared = pickle.loads(pickle.dumps(forests[0]))
    ended = threading.Event()

    def exchange():
        for forest, _ in zip(cycle(forests), range(300), strict=False):
            shared.estimators_ = forest.estimators_
        ended.set()

    def predict():
        found = []
        while not ended.is_set():
            found.append(shared.predict_proba(X))
        return found

    _, *of_threads = at_once([exchange] + [predict] * (N_THREADS - 1))
    assert all(any(same(proba, known) for known in expected) for found in of_threads for proba in found)


def test_trees_that_come_while_others_are_packed_stay_apart(monkeypatch):
    X, y = samples()
    forests = [DecisionForestClassifier(3, random_state=seed).fit(X, y) for seed in range(2)]
    expected = [forest.predict_proba(X) for forest in forests]
    shared = pickle.loads(pickle.dumps(forests[0]))
    pack, seen = forest_prediction._pack_together, []

    def predict_in_the_middle(*args):
        packed = pack(*args)
        if not seen:
            seen.append(None)
            shared.estimators_ = forests[1].estimators_
            seen[0] = shared.predict_proba(X)
        return packed

    monkeypatch.setattr(forest_prediction, "_pack_together", predict_in_the_middle)
    assert same(shared.predict_proba(X), expected[0])
    assert same(seen[0], expected[1])
    assert same(shared.predict_proba(X), expected[1])


@pytest.mark.parametrize("measure", [effort_to_compress, lempel_ziv_complexity])
def test_threads_measure_sequences(measure):
    """Every thread keeps memory for short sequences."""
    rng = np.random.default_rng(0)
    sequences = [rng.integers(0, 3, length) for length in rng.integers(2, 2000, 10 * N_THREADS)]
    parts = [sequences[i::N_THREADS] for i in range(N_THREADS)]
    expected = [[measure(sequence) for sequence in part] for part in parts]
    assert at_once([partial(list, map(measure, part)) for part in parts]) == expected


def test_threads_enter_one_choice_of_the_engine():
    choice, all_inside = config_context(engine="reference"), threading.Barrier(N_THREADS, timeout=60)
    decorated = choice(current_engine)

    def enter():
        seen = []
        for _ in range(20):
            before = current_engine()
            with choice:
                all_inside.wait()
                seen.append(current_engine())
                with config_context(engine="compiled"), choice:
                    seen.append(decorated())
            seen.append(before == current_engine() == "compiled")
        return seen

    assert by_all_threads(enter) == [["reference", "reference", True] * 20] * N_THREADS
    assert current_engine() == "compiled"


# Imports of kernels and tables of logarithms are made when they are first asked for, here by all threads at once.
FIRST_USE = """
import sys, threading
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from pytrees import DecisionTreeClassifier

sys.setswitchinterval(1e-6)
rng = np.random.default_rng(0)
X, y = rng.integers(0, 4, (60, 3)).astype(float), rng.integers(0, 3, 60)
weights = rng.integers(2**40, 2**41, 60)
start = threading.Barrier(8, timeout=60)

def fit(criterion):
    start.wait()
    estimator = DecisionTreeClassifier(criterion, categorical_features=[1])
    trees = [estimator.fit(X, y, sample_weight=given).tree_ for given in (None, weights)]
    return [array.tobytes().hex() for tree in trees for array in (tree.feature, tree.threshold, tree.gain)]

criteria = ["entropy", "gain_ratio", "nvi", "nvi_sum"] * 2
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(fit, criteria))
start = threading.Barrier(1)
assert found == [fit(criterion) for criterion in criteria]

from pytrees._core.criteria import counts, logarithms
assert logarithms._has_words
assert len(counts._n_log2_n) > 60
"""


def test_threads_are_the_first_to_use_kernels_and_tables():
    done = run_python("-c", FIRST_USE)
    assert done.returncode == 0, done.stderr


def test_a_criterion_is_known_by_its_class_while_another_thread_imports_the_classes(monkeypatch):
    monkeypatch.setitem(sys.modules, CountCriterion.__module__, ModuleType("user"))
    assert not isinstance("gini", OwnCriterion)
    monkeypatch.undo()
    assert isinstance(Gini(), OwnCriterion)


IMPORT_ALL = """
import pkgutil, sys
from importlib import import_module
import pytrees._core

for module in pkgutil.walk_packages(pytrees._core.__path__, "pytrees._core."):
    import_module(module.name)
assert not sys._is_gil_enabled()
"""


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has no build without the lock")
def test_no_kernel_turns_the_lock_on():
    done = run_python("-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr
