"""Seeded data and helpers of the benchmarks. Only ever added to: changed data makes older results incomparable."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from pytrees._engine import KERNELS, config_context, kernel

ENGINES = ["compiled", "reference"]

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

# Labels drawn at random, labels that mostly repeat the one before, and inputs that are hostile to pair substitution.
SEQUENCE_KINDS = [
    "random 2",
    "random 10",
    "random 1000",
    "persistent 2",
    "constant",
    "alternating",
    "sorted runs",
    "Fibonacci",
    "distinct",
]


def kernel_of(engine, name):
    """Return a kernel of the named engine."""
    with config_context(engine=engine):
        return kernel(name)


def skip_unless(condition):
    """Leave out a combination of parameters: benchmarks call this in their setup."""
    if not condition:
        raise NotImplementedError


def label_sequence(kind, n, rng):
    """Make (codes, n_symbols) of a sequence of n labels of one of SEQUENCE_KINDS; only random kinds use rng."""
    name, _, n_symbols = kind.partition(" ")
    if name == "random":
        codes, n_symbols = rng.integers(int(n_symbols), size=n), int(n_symbols)
    elif name == "persistent":
        codes, n_symbols = np.cumsum(rng.random(n) < 0.1) % 2, 2
    elif name == "constant":
        codes, n_symbols = np.full(n, 1), 2
    elif name == "alternating":
        codes, n_symbols = np.arange(n) % 2, 2
    elif name == "sorted":
        codes, n_symbols = np.arange(n) * 10 // n, 10
    elif name == "Fibonacci":
        codes, n_symbols = _fibonacci_word(n), 2
    else:
        codes, n_symbols = rng.permutation(n), n
    return codes.astype(np.int32), n_symbols


def _fibonacci_word(n):
    shorter, longer = np.array([0]), np.array([0, 1])
    while len(longer) < n:
        shorter, longer = longer, np.concatenate([longer, shorter])
    return longer[:n]


def label_sequences(kind, n, seed=0):
    """Make different sequences of one kind, enough of them that a processor cannot learn their branches by heart."""
    rng = np.random.default_rng(seed)
    return [label_sequence(kind, n, rng) for _ in range(min(64, max(2, 2**20 // n)))]


def classification_data(n_rows, n_features=20, n_classes=2, n_values=None, seed=0):
    """Make (X, y): overlapping classes of unequal size, in random order.

    A third of the features tells of the class, a third mixes these, the rest is noise. Every second feature is measured
    to one decimal, so that values repeat; with `n_values` every feature has at most so many.
    """
    rng = np.random.default_rng(seed)
    shares = np.arange(n_classes, 0, -1) / (n_classes * (n_classes + 1) / 2)
    y = rng.choice(n_classes, size=n_rows, p=shares).astype(np.int32)
    n_informative = n_features // 3
    informative = rng.normal(size=(n_classes, n_informative))[y] + rng.normal(size=(n_rows, n_informative))
    mixed = informative @ rng.normal(size=(n_informative, n_informative))
    noise = rng.lognormal(size=(n_rows, n_features - 2 * n_informative))
    X = np.hstack([informative, mixed, noise])[:, rng.permutation(n_features)]
    X[:, ::2] = X[:, ::2].round(1)
    if n_values is not None:
        X = (X.argsort(axis=0).argsort(axis=0) * n_values // n_rows).astype(np.float64)
    return np.ascontiguousarray(X), y


def grow(engine, X, y, criterion, weights=None, **limits):
    """Return a tree of the named engine; limits that are not given do not apply."""
    return kernel_of(engine, "grow_by_gain")(X, y, weights, int(y.max()) + 1, criterion, **(NO_LIMITS | limits))


# Run under valgrind. Only the kernel is imported: the Python layer would take minutes.
_CALL_KERNEL = """
import gc, importlib, pickle, sys, types
gc.disable()  # when it collects is chance
package = types.ModuleType("pytrees")
package.__path__ = [sys.argv[1]]
sys.modules["pytrees"] = package
with open(sys.argv[2], "rb") as file:
    module, function, args, kwargs = pickle.load(file)
getattr(importlib.import_module(f"pytrees._core.{module}"), function)(*args, **kwargs)
"""


def count_instructions(function, *args, **kwargs):
    """Count the instructions of one call of a compiled kernel by callgrind; the load of the machine does not
    matter."""
    with tempfile.TemporaryDirectory() as folder:
        call = os.path.join(folder, "call.pickle")
        with open(call, "wb") as file:
            pickle.dump((KERNELS[function], function, args, kwargs), file)
        package = Path(sys.modules["pytrees"].__file__).parent
        return callgrind(function, ["-c", _CALL_KERNEL, package, call])


def callgrind(function, command):
    """Count the instructions inside a kernel of that name while Python runs a command."""
    valgrind = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={os.devnull}",
        "--collect-atstart=no",
        # Cython numbers the functions that Python sees, with one digit or two.
        f"--toggle-collect=__pyx_pw_*_?{function}",
        f"--toggle-collect=__pyx_pw_*_??{function}",
    ]
    report = subprocess.run([*valgrind, sys.executable, *command], check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", report)[1])


def has_valgrind():
    return shutil.which("valgrind") is not None
