"""Ctrl-C ends the fit or the prediction of a forest soon, and leaves no worker that goes on."""

import os
import signal
import subprocess
import sys
import time

import pytest

# A forest for every line, which would grow or predict for minutes. After an interruption the program tells when threads
# are idle.
PROGRAM = """
import signal, sys, time
from contextlib import nullcontext
import joblib
import numpy as np
from pytrees import DecisionForestClassifier, ID3ForestClassifier, PermutationDecisionForestClassifier, config_context

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
        forest.fit(X[:20_000], y[:20_000])
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
