"""Helpers of several test modules: calls of the kernels, and comparisons of trees."""

import gc
import os
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
import sklearn
from hypothesis import settings

from pytrees._engine import config_context, kernel
from pytrees._tree_checks import LEAF, MULTIWAY, UNDEFINED
from pytrees._weights import on_grid

SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))
UNLIMITED = 2**31 - 1
NO_LIMITS = {
    "max_depth": UNLIMITED,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_leaf_nodes": UNLIMITED,
    "min_gain": -np.inf,
    "max_candidates": UNLIMITED,
    "max_features": UNLIMITED,
    "seed": 0,
}

# How many times as long as elsewhere work may take: emulators of processors are slow.
PATIENCE = float(os.environ.get("PYTREES_PATIENCE", "1"))

without_sanitizer = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers keep freed memory, and reserve addresses"
)


def examples(number):
    """Return this number of hypothesis examples in the thorough profile, and in others the same share of theirs."""
    return settings(max_examples=max(1, number * settings().max_examples // 100))


def assert_refuses(error, message, call, /, *arguments, **options):
    """Assert that a call raises an error whose text matches a message, or has any text if that is None."""
    with pytest.raises(error, match=message):
        call(*arguments, **options)


def on_both_engines(call, *args, **kwargs):
    """Return the results of a call on the compiled engine and on the reference; `grow` grows the compiled engine's tree
    on the plain engine, too."""
    results = {}
    for engine in ("compiled", "plain", "reference") if call is grow else ("compiled", "reference"):
        with config_context(engine=engine):
            results[engine] = call(*args, **kwargs)
    if call is grow:
        assert_same_tree(results["plain"], results["compiled"])
    return [results["compiled"], results["reference"]]


@contextmanager
def interrupted(after=0.3, warned=None):
    """Send the signal of Ctrl-C after these seconds of processor time, which the load of the machine does not change,
    and want KeyboardInterrupt, or a warning of a class. Signals are looked at every half a second at least; what a
    search keeps after a warning takes two seconds at most."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no signals of timers here")
    looks = []

    def look(*args):
        looks.append(time.process_time())
        if looks[-1] - looks[0] > after:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.default_int_handler(*args)

    # A finalizer of other tests' garbage would swallow the exception, if it happened to run when the signal comes.
    gc.collect()
    gc.disable()
    previous = signal.signal(signal.SIGPROF, look)
    looks.append(time.process_time())
    signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt) if warned is None else pytest.warns(warned, match="Ctrl-C ended"):
            yield
        looks.append(time.process_time())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
        gc.enable()
    *between, to_the_end = np.diff(looks)
    assert max(between, default=0.0) < 0.5 * PATIENCE
    assert to_the_end < (0.5 if warned is None else 2.0) * PATIENCE


def chain(depth):
    """Return the arrays of a tree in which samples below zero go left `depth` times."""
    inner, ends = np.arange(depth), np.full(depth + 1, LEAF)
    undefined = np.full(depth + 1, UNDEFINED)
    left, right = np.append(inner + 1, ends), np.append(2 * depth - inner, ends)
    return left, right, np.append(np.zeros(depth, dtype=np.int64), undefined), np.append(np.zeros(depth), undefined)


def effort(codes, n_symbols=None):
    codes = np.asarray(codes, dtype=np.int32)
    return kernel("effort_to_compress")(codes, n_symbols or int(codes.max(initial=0)) + 1)


def complexity(codes, n_symbols=None):
    codes = np.asarray(codes, dtype=np.int32)
    return kernel("lempel_ziv_complexity")(codes, n_symbols or int(codes.max(initial=0)) + 1)


def grow(X, y, weights=None, n_classes=None, criterion="gini", **limits):
    """Return the arrays of a tree that the engine in force grows; limits not given do not apply. Weights are put on
    their grid."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.asarray(y, dtype=np.int32)
    if n_classes is None:
        n_classes = int(y.max()) + 1
    weights = on_grid(np.asarray(weights))[0] if weights is not None and len(weights) > 0 else weights
    tree = kernel("grow_by_gain")(X, y, weights, n_classes, criterion, **(NO_LIMITS | limits))
    # An empty list has no numbers that would tell their kind.
    return {name: np.asarray(array, dtype=None if len(array) else np.int64) for name, array in tree.items()}


def grow_one_by_one(*problem, **options):
    """Grow a tree from sorted samples, cut by cut."""
    with config_context(engine="plain"):
        return grow(*problem, **options)


def grow_reference(*problem, **options):
    with config_context(engine="reference"):
        return grow(*problem, **options)


def assert_same_tree(tree, other, *, names=None):
    """Assert equal arrays of the same kinds, down to the signs of zeros."""
    assert tree.keys() == other.keys()
    for name in names or tree:
        assert tree[name].dtype.kind == other[name].dtype.kind, name
        if tree[name].shape == other[name].shape and tree[name].tobytes() == other[name].tobytes():
            continue  # in no time, which matters: most tests of kernels end here
        np.testing.assert_array_equal(tree[name], other[name], err_msg=name)
        if tree[name].dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(tree[name]), np.signbit(other[name]), err_msg=name)


def assert_as_one_by_one(*problem, **options):
    """Grow a tree that `grow_one_by_one` grows too; return it."""
    tree = grow(*problem, **options)
    assert_same_tree(tree, grow_one_by_one(*problem, **options))
    return tree


def grown(estimator, X, y, **options):
    """Return a copy that the compiled engine has grown, whichever engine predicts: growth has its own tests."""
    with config_context(engine="compiled"):
        return sklearn.clone(estimator).fit(X, y, **options)


def assert_predicts_the_same(theirs, ours, X):
    """Assert equal leaves and predictions of fitted estimators, and equal shares if they predict classes."""
    for name in ("apply", "predict", "predict_proba"):
        if name != "predict_proba" or hasattr(ours, name):
            np.testing.assert_array_equal(getattr(theirs, name)(X), getattr(ours, name)(X), err_msg=name)


def children_of(tree, node):
    """Return the children of a node, also of trees whose nodes have two at most."""
    if "children" in tree:
        return tree["children"][tree["child_offsets"][node] : tree["child_offsets"][node + 1]]
    children = [tree["children_left"][node], tree["children_right"][node]]
    return np.array([child for child in children if child != LEAF], dtype=np.int64)


def categories_of(tree, node):
    """Return the categories that lead to a node."""
    if "categories" not in tree:
        return tree["category"][[node]]
    return tree["categories"][tree["category_offsets"][node] : tree["category_offsets"][node + 1]]


def rows_of_nodes(tree, X):
    """Return for every node the rows that come through it, by a walk from the root."""
    rows = [np.arange(len(X))] + [None] * (len(tree["feature"]) - 1)
    for node, here in enumerate(rows):
        children = children_of(tree, node)
        values = X[here, tree["feature"][node]] if len(children) else []
        for number, child in enumerate(children):
            if tree["children_left"][node] == MULTIWAY:
                chosen = np.isin(values, categories_of(tree, child))
            else:
                goes_left = values <= tree["threshold"][node]
                if "missing_go_to_left" in tree:
                    goes_left |= np.isnan(values) & (tree["missing_go_to_left"][node] == 1)
                chosen = goes_left == (number == 0)
            rows[child] = here[chosen]
    return rows
