"""Ctrl-C ends every long computation soon, leaves estimators as they were, and no worker that goes on."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from support import chain, interrupted

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    FourierSpectrum,
    ID3Classifier,
    ID3ForestClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    minimal_tree,
)
from pytrees._engine import KERNELS, kernel
from pytrees._tree_checks import LEAF
from pytrees.criteria import CountCriterion

# A forest for every line, which would grow or predict for minutes. After an interruption the program tells when threads
# are idle.
PROGRAM = """
import signal, sys, time
from contextlib import nullcontext
import joblib
import numpy as np
from pytrees import DecisionForestClassifier, ID3ForestClassifier, PermutationDecisionForestClassifier, config_context

FITTED = []

def fit(kind, n_rows, n_jobs, backend, engine):
    forest = {
        "gini": DecisionForestClassifier(100, max_features=None),
        "etc": PermutationDecisionForestClassifier(100),
        "global": ID3ForestClassifier(100, evaluation="global"),
        "predict": DecisionForestClassifier(100),
    }[kind].set_params(n_jobs=int(n_jobs), random_state=0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(int(n_rows), 20)), rng.integers(0, 2, int(n_rows))
    if kind == "predict":
        if not FITTED:  # one forest for all predictions
            FITTED.append(forest.fit(X[:20_000], y[:20_000]))
        forest = FITTED[0].set_params(n_jobs=int(n_jobs))
        X = X[np.zeros(3_000_000 if engine == "compiled" else int(n_rows), dtype=int)]
    print("fits", flush=True)
    try:
        with config_context(engine=engine), nullcontext() if backend == "default" else joblib.parallel_config(backend):
            forest.predict_proba(X) if kind == "predict" else forest.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        while is_busy():
            pass
        print("idle", hasattr(forest, "estimators_") and kind != "predict", flush=True)

def is_busy():
    before = time.process_time()
    time.sleep(0.3)
    return time.process_time() - before > 0.1

# A shell's background jobs ignore it, and so would this program.
signal.signal(signal.SIGINT, signal.default_int_handler)
for line in iter(sys.stdin.readline, ""):
    fit(*line.split())
"""


@pytest.fixture(scope="module")
def program():
    """One process for all tests: to start a process takes longer than to interrupt a fit."""
    command = [sys.executable, "-c", PROGRAM]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, text=True) as process:
        yield process
        process.kill()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to another process")
@pytest.mark.parametrize(
    ("kind", "n_rows", "n_jobs", "backend", "engine"),
    [
        ("gini", 60_000, 1, "default", "compiled"),
        ("gini", 60_000, 2, "default", "compiled"),
        ("etc", 20_000, 2, "default", "compiled"),
        ("global", 20_000, 3, "threading", "compiled"),
        ("gini", 500, 2, "default", "reference"),
        ("global", 200, 2, "threading", "reference"),
        ("predict", 20_000, 1, "default", "compiled"),
        ("predict", 20_000, 2, "default", "compiled"),
        ("predict", 50_000, 2, "default", "reference"),
    ],
)
def test_an_interrupted_forest_stops(program, kind, n_rows, n_jobs, backend, engine):
    print(kind, n_rows, n_jobs, backend, engine, file=program.stdin, flush=True)
    try:
        assert program.stdout.readline() == "fits\n"
        time.sleep(0.7 if engine == "compiled" else 1.5)  # until trees grow
        sent = time.monotonic()
        program.send_signal(signal.SIGINT)
        assert program.stdout.readline() == "interrupted\n"
        interrupted = time.monotonic() - sent
        assert program.stdout.readline() == "idle False\n"
        idle = time.monotonic() - sent
    except AssertionError:
        program.kill()  # the next test would wait for a forest that grows on
        raise AssertionError(program.stderr.read()) from None
    # About a second each on an idle machine; on one with other work nothing near the minutes of the whole forest.
    assert interrupted < 15.0
    assert idle < 30.0


class Shares(CountCriterion):
    def gains(self, left, right):
        return (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)


def fit(estimator, n_samples, n_features, n_classes=2, n_values=None, missing=False):
    """Fit random samples: whole numbers below n_values, or any."""
    rng = np.random.default_rng(0)
    X, y = rng.random((n_samples, n_features), dtype=np.float32), rng.integers(0, n_classes, n_samples)
    X = X if n_values is None else np.floor(X * n_values)
    if missing:
        X[::7, ::2] = np.nan
    y = y + rng.random(n_samples) if isinstance(estimator, DecisionTreeRegressor) else y
    estimator.fit([[0.0] * n_features, [1.0] * n_features], [0, 1])
    before = dict(vars(estimator))

    def run():
        try:
            estimator.fit(X, y)
        except KeyboardInterrupt:
            # Nothing is half fitted.
            assert before.keys() == vars(estimator).keys()
            assert all(before[name] is value for name, value in vars(estimator).items())
            raise

    return run


def search(rng, memory_limit):
    X, y = rng.random((2000, 6)), rng.integers(0, 4, 2000)
    return lambda: kernel("small_tree")(X, y.astype(np.int32), 4, memory_limit=memory_limit)


def walk(name, *further):
    """Samples that go through a chain of 50,000 nodes."""
    tree, X = chain(50_000), np.full((400_000, 1), -1.0)
    left, right, feature, threshold = tree
    if name in ("sum_leaves", "find_leaves"):
        votes = np.zeros(len(left), dtype=np.int64)
        return partial(kernel(name), kernel("pack_forest")([(*tree, None)], [votes], 1), X)
    if name != "class_shares":
        return partial(kernel(name), *tree, X, *further)
    children = np.column_stack([left, right])[left != LEAF].ravel()
    offsets = np.concatenate([[0], np.cumsum(np.where(left != LEAF, 2, 0))])
    shares = offsets, children, np.full(len(left), -1), np.ones((len(left), 1)), X
    return partial(kernel(name), left, feature, threshold, *shares)


def balanced(n_levels):
    """Return the offsets and the children of the nodes of a complete tree."""
    n_inner = 2**n_levels - 1
    return np.append(2 * np.arange(n_inner + 1), np.full(n_inner + 1, 2 * n_inner)), np.arange(1, 2 * n_inner + 1)


def prune(rng):
    offsets, children = balanced(19)
    return partial(kernel("prune_path"), offsets, children, list(rng.random(len(offsets) - 1)), len(offsets))


N_ATTRIBUTES, N_BOXES = 12, 300_000
MEASURE = np.arange(N_ATTRIBUTES + 1) * 51, np.tile(np.arange(51.0), N_ATTRIBUTES)


def boxes(rng, n=N_BOXES):
    """Make boxes of leaves that have an interval of every attribute, and a value of each."""
    n_intervals = n * N_ATTRIBUTES
    start = rng.integers(0, 40, n_intervals)
    runs = np.arange(n_intervals + 1), start, start + 9
    return (np.arange(n + 1) * N_ATTRIBUTES, np.tile(np.arange(N_ATTRIBUTES), n), *runs), np.ones((n, 1))


def profiles(rng):
    rows, sizes = rng.integers(0, 49, (10_000, N_ATTRIBUTES)), np.full(N_ATTRIBUTES, 50)
    return partial(kernel("sample_profiles"), *boxes(rng), rows, np.ones(10_000), sizes, [(0, -1)])


def rebuild(rng):
    spectrum = FourierSpectrum(np.eye(22, dtype=int), 2.0 ** -np.arange(22.0), [2] * 22)
    return partial(spectrum.to_tree, criterion="variance", max_leaf_nodes=10**7)


def sequence(name, n_labels, n_symbols=4):
    return lambda rng: partial(kernel(name), rng.integers(0, n_symbols, n_labels, dtype=np.int32), n_symbols)


def slices(rng):
    codes, ends = rng.integers(0, 4, 5_000_000, dtype=np.int32), np.array([5_000_000])
    return partial(kernel("efforts"), codes, 4, ends - 5_000_000, ends, 3)


ROOT = {"max_depth": 1}

# By kernel, and the way that it goes: what takes seconds in one call or, of growth, in one node.
LONG = {
    "grow_by_gain: bins": lambda rng: fit(DecisionTreeRegressor(**ROOT), 1_000_000, 20),
    "grow_by_gain: bins, missing": lambda rng: fit(DecisionTreeClassifier(**ROOT), 1_000_000, 12, 20, missing=True),
    "grow_by_gain: sorted": lambda rng: fit(DecisionTreeClassifier("nvi", **ROOT), 2_000_000, 12, 50),
    "grow_by_gain: errors": lambda rng: fit(DecisionTreeRegressor("absolute_error", **ROOT), 600_000, 12),
    "grow_by_gain: custom": lambda rng: fit(DecisionTreeClassifier(Shares(), **ROOT), 1_000_000, 10),
    "grow_by_gain: categories": lambda rng: fit(
        DecisionTreeRegressor("absolute_error", categorical_features=range(30), **ROOT), 200_000, 30, n_values=2000
    ),
    "grow_by_gain: nodes": lambda rng: fit(DecisionTreeClassifier(), 300_000, 4),
    "grow_by_gain: best first": lambda rng: fit(DecisionTreeClassifier(max_leaf_nodes=10**6), 300_000, 4),
    "grow_by_gain: sequences": lambda rng: fit(PermutationDecisionTreeClassifier(**ROOT), 3100, 40),
    "grow_by_gain: sequences, threads": lambda rng: fit(PermutationDecisionTreeClassifier(n_jobs=2, **ROOT), 3100, 60),
    "grow_by_gain: sequences, few cuts": lambda rng: fit(
        PermutationDecisionTreeClassifier(**ROOT), 10**6, 30, n_values=2
    ),
    "grow_by_distance: local": lambda rng: fit(ID3Classifier(**ROOT), 1_000_000, 24),
    "grow_by_distance: global": lambda rng: fit(ID3Classifier(evaluation="global", **ROOT), 1_000_000, 20),
    "grow_by_distance: labels": lambda rng: fit(
        ID3Classifier(evaluation="global", labels="all", **ROOT), 20_000, 9, 50
    ),
    "grow_c45": lambda rng: fit(C45Classifier(**ROOT), 1_000_000, 15),
    "share_features": lambda rng: partial(
        kernel("share_features"), rng.random((4_000_000, 6)), 2, "gini", True, 1, 2**31 - 1
    ),
    "small_tree": lambda rng: search(rng, 2**30),
    "minimal_tree": lambda rng: partial(minimal_tree, rng.random((300, 6)), rng.integers(0, 4, 300)),
    "cheapest_tree": lambda rng: fit(OptimalTreeClassifier(max_depth=3), 20_000, 60, n_values=2),
    "count_draws": lambda rng: partial(kernel("count_draws"), 0, 20_000_000, 20_000_000),
    "effort_to_compress": sequence("effort_to_compress", 20_000_000),
    "substitutions": sequence("substitutions", 10_000_000),
    "lempel_ziv_complexity": sequence("lempel_ziv_complexity", 5_000_000),
    "lempel_ziv_complexity: many symbols": sequence("lempel_ziv_complexity", 2_000_000, 26),
    "efforts": slices,
    "prune_path": prune,
    "apply": lambda rng: walk("apply"),
    "apply: missing": lambda rng: walk("apply", np.ones(100_001, dtype=np.uint8)),
    "find_leaves": lambda rng: walk("find_leaves"),
    "sum_leaves": lambda rng: walk("sum_leaves"),
    "feature_usage": lambda rng: walk("feature_usage"),
    "decision_path": lambda rng: walk("decision_path"),
    "class_shares": lambda rng: walk("class_shares"),
    "gram": lambda rng: partial(kernel("gram"), np.array([0, N_BOXES]), *boxes(rng), MEASURE),
    "box_effects": lambda rng: partial(kernel("box_effects"), *boxes(rng), MEASURE),
    "sample_profiles": profiles,
    "gram_of_samples": lambda rng: partial(
        kernel("gram_of_samples"), np.ones((5000, 3000), int), np.ones((2, 1)), np.ones(5000)
    ),
    "sample_effects": lambda rng: partial(
        kernel("sample_effects"), np.ones((99_999, 99), int), np.ones((99_999, 1)), np.ones(99_999)
    ),
    "tree_from_spectrum": rebuild,
}

FEW = {"n_estimators": 2, "random_state": 0}
FOREST = DecisionForestClassifier(**FEW)

# Estimators that grow several trees, or on threads, or by other kernels than their criterion's.
OTHERS = {
    "on threads": lambda rng: fit(DecisionTreeClassifier(n_jobs=2), 200_000, 30),
    "ordinal": lambda rng: fit(OrdinalDecisionTreeClassifier("wig"), 200_000, 30),
    "smallest": lambda rng: fit(ID3Classifier("mts"), 400, 6),
    "forest": lambda rng: fit(FOREST, 500_000, 30),
    "permutations": lambda rng: fit(PermutationDecisionForestClassifier(**FEW), 20_000, 10),
    "ordinal forest": lambda rng: fit(OrdinalDecisionForestClassifier(**FEW), 500_000, 30),
    "ID3 forest": lambda rng: fit(ID3ForestClassifier(**FEW, evaluation="global"), 20_000, 10),
    "reconstructed": lambda rng: fit(ReconstructedFourierTree(DecisionTreeClassifier()), 200_000, 30),
    "aggregated": lambda rng: fit(AggregatedFourierTreeClassifier(FOREST), 200_000, 30),
    "orthogonal": lambda rng: fit(OrthogonalTreesClassifier(FOREST), 200_000, 30),
    "distilled": lambda rng: fit(DistilledTreesClassifier(FOREST), 200_000, 30),
}

# They pass once over values, nodes, cuts, boxes or coefficients, at most some tenths of a second for a million, or are
# called by those above.
SHORT = {
    *("stoppable", "watched", "n_log2_n", "means_of_targets"),
    *("gains_of_cuts", "impurities", "weighted_fractions", "bin_features", "codes_of_objects", "codes_of_records"),
    *("node_bounds", "set_distance", "table_distance", "pessimistic_errors", "box_averages", "leaf_boxes"),
    *("box_profiles", "count_orders", "evaluate_spectrum", "expand_spectrum", "find_partitions", "merge_partitions"),
    *("order_starts", "tree_from_boxes", "tree_from_samples", "pack_forest"),
}


def test_every_kernel_is_listed():
    assert {name.split(":")[0] for name in LONG} | SHORT == KERNELS.keys()


@pytest.mark.filterwarnings("ignore:distance=")
@pytest.mark.parametrize("name", LONG | OTHERS)
def test_kernels_look_for_signals(name):
    """Each would take at least half a second on a fast machine, most of them seconds or hours."""
    run = (LONG | OTHERS)[name](np.random.default_rng(0))
    with interrupted(0.2, ConvergenceWarning if name in ("cheapest_tree", "minimal_tree") else None):
        run()
