"""Kernels get aligned arrays, whatever users and other processes hand over.

A buffer that came over a network can start at any address. Reading numbers there is undefined in C.
"""

import inspect
import pickle

import numpy as np
import pytest

import pytrees
from pytrees import _engine
from pytrees.fourier import additive_model, distil

NAMES = [name for name in pytrees.__all__ if name.endswith("Classifier")]
CALLS = ("predict", "predict_proba", "apply", "decision_path", "feature_usage", "evaluate", "feature_importances_")

rng = np.random.default_rng(0)
X = rng.integers(0, 4, (60, 4)).astype(np.float64)
y = (X[:, 0] + X[:, 1] > 3).astype(np.int64)
WEIGHTS = np.linspace(0.5, 2.0, 60)


def unaligned(array):
    """Return a copy whose memory starts at an odd address."""
    memory = np.empty(array.nbytes + 1, dtype=np.uint8)
    memory[1:] = np.frombuffer(array.tobytes(), dtype=np.uint8)
    return memory[1:].view(array.dtype).reshape(array.shape)


def unaligned_copy(thing):
    """Return a copy by a pickle whose arrays stand in buffers of their own, at odd addresses."""
    buffers = []
    pickled = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(pickled, buffers=[memoryview(b"\0" + bytes(buffer.raw()))[1:] for buffer in buffers])


def arrays_in(given):
    if isinstance(given, np.ndarray):
        yield given
    elif isinstance(given, (list, tuple, dict)):
        for part in given.values() if isinstance(given, dict) else given:
            yield from arrays_in(part)


@pytest.fixture
def asked(monkeypatch):
    """Let compiled kernels check their arguments; return the names of the kernels that were called."""
    names, kernel_module = [], _engine.load

    class Checking:
        def __init__(self, module):
            self.module = module

        def __getattr__(self, name):
            function = getattr(self.module, name)
            if isinstance(function, type):  # an accelerator
                return function

            def call(*args, **kwargs):
                names.append(name)
                assert all(array.flags.aligned for array in arrays_in([args, kwargs])), name
                return function(*args, **kwargs)

            return call

    monkeypatch.setattr(_engine, "load", lambda name: Checking(kernel_module(name)))
    return names


def test_the_arrays_of_this_test_are_unaligned():
    assert not unaligned(X).flags.aligned
    assert not unaligned_copy(X).flags.aligned


@pytest.mark.parametrize("name", NAMES)
def test_estimators(name, asked):
    estimator = getattr(pytrees, name)()
    given = {}
    if "sample_weight" in inspect.signature(estimator.fit).parameters:
        given["sample_weight"] = unaligned(WEIGHTS)
    estimator.fit(unaligned(X), unaligned(y), **given)
    for one in (estimator, unaligned_copy(estimator)):
        for call in CALLS:
            found = getattr(one, call, None)
            if callable(found):
                found(unaligned(X))
        np.testing.assert_array_equal(one.predict(unaligned(X)), estimator.predict(X))
    assert len(set(asked)) > 1


def test_trees_and_functions(asked):
    forest = pytrees.DecisionForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    tree = forest.estimators_[0].tree_
    for copy in (
        unaligned_copy(tree),
        pytrees.Tree(*(unaligned(a) if isinstance(a, np.ndarray) else a for a in tree._arguments())),
    ):
        np.testing.assert_array_equal(copy.predict(unaligned(X)), tree.predict(X))
        np.testing.assert_array_equal(copy.feature_usage(unaligned(X)), tree.feature_usage(X))
    spectrum = pytrees.FourierSpectrum.from_tree(tree, [4] * 4)
    codes = X.astype(np.int64)
    np.testing.assert_array_equal(unaligned_copy(spectrum).evaluate(unaligned(codes)), spectrum.evaluate(codes))
    model = additive_model(forest)
    copy = unaligned_copy(model)
    np.testing.assert_array_equal(copy.evaluate(unaligned(X)), model.evaluate(X))
    distil(copy, X=unaligned(X))
    pytrees.minimal_tree(unaligned(X[:20]), unaligned(y[:20]))
    pytrees.optimal_tree(unaligned(X[:20]), unaligned(y[:20]), max_depth=2)
    assert len(set(asked)) > 5
