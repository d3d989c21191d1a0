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

import pytrees
from pytrees._engine import config_context, kernel

try:
    from pytrees._weights import on_grid
except ImportError:  # kernels of earlier versions take weights that are not whole
    on_grid = None

_PACKAGE = Path(pytrees.__file__).parent

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

# Counts differ from run to run without these: an import may compile Python files, and threads wait for each other.
STEADY = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
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
    to one decimal, so that values repeat; with `n_values` every feature has at most that many values.
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
    if weights is not None and weights.dtype == np.float64 and on_grid is not None:
        weights = on_grid(weights)[0]
    return kernel_of(engine, "grow_by_gain")(X, y, weights, int(y.max()) + 1, criterion, **(NO_LIMITS | limits))


# Finds the kernel that a file names. Only the kernel is imported: under valgrind the Python layer would take minutes.
_FIND_KERNEL = """
import gc, pickle, sys, types
gc.disable()  # when it collects is chance
package = types.ModuleType("pytrees")
package.__path__ = [sys.argv[1]]
sys.modules["pytrees"] = package
with open(sys.argv[2], "rb") as file:
    name, args, kwargs = pickle.load(file)
from pytrees._engine import kernel as kernel_of_engine
kernel = kernel_of_engine(name)
"""
# Callgrind counts between the begin and the end of a function in C: of the one behind `@=`, which nothing else uses.
COUNTED = "PyNumber_InPlaceMatrixMultiply"
COUNT_CALLS = """
class Counted:
    def __imatmul__(self, call):
        call()
        return self
"""
CALL_KERNEL = (
    _FIND_KERNEL
    + COUNT_CALLS
    + """
counted = Counted()
counted @= lambda: kernel(*args, **kwargs)
"""
)

# Prints a kernel's share in scikit-learn's processor time for a tree of the same data: the median of turns.
RACE_KERNEL = (
    _FIND_KERNEL
    + """
from statistics import median
from time import process_time
from sklearn.tree import DecisionTreeClassifier

def seconds(call, *args, **kwargs):
    start = process_time()
    call(*args, **kwargs)
    return process_time() - start

def turn():
    theirs = seconds(DecisionTreeClassifier(random_state=0).fit, *args[:2])
    return seconds(kernel, *args, **kwargs) / theirs

turn()
print(median(turn() for _ in range(31)))
"""
)


def run_kernel(program, name, args, kwargs, run=None):
    """Run CALL_KERNEL or RACE_KERNEL on a compiled kernel, in a process of its own; return what it prints, or what
    `run` makes of Python's arguments."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "call.pickle")
        with open(file, "wb") as stream:
            pickle.dump((name, args, kwargs), stream)
        command = ["-c", program, _PACKAGE, file]
        if run is not None:
            return run(command)
        return subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True).stdout


def count_instructions(function, *args, **kwargs):
    """Count the instructions of one call of a compiled kernel by callgrind; the load of the machine does not
    matter."""
    [counted] = run_kernel(CALL_KERNEL, function, args, kwargs, callgrind)
    return counted


def share_of_sklearn(function, *args, **kwargs):
    """Return the processor time of a compiled kernel that grows a tree of (X, y, ...), divided by scikit-learn's."""
    return float(run_kernel(RACE_KERNEL, function, args, kwargs))


def callgrind(command, cwd=None, tries=6):
    """Run Python with these arguments; return the instructions of every call that `@=` of COUNT_CALLS made."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        valgrind = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={file}",
            "--collect-atstart=no",
            f"--toggle-collect={COUNTED}",
            f"--dump-after={COUNTED}",
        ]
        try:
            subprocess.run(
                [*valgrind, sys.executable, *command],
                check=True,
                capture_output=True,
                cwd=cwd,
                env=os.environ | STEADY,
            )
        except subprocess.CalledProcessError:
            # Valgrind itself dies now and then on a busy machine.
            if tries == 1:
                raise
            return callgrind(command, cwd, tries - 1)
        dumps = sorted(file.parent.glob(f"{file.name}.*"), key=lambda dump: int(dump.suffix[1:]))
        return [int(re.search(r"^totals: (\d+)", dump.read_text(), re.MULTILINE)[1]) for dump in dumps]


def has_valgrind():
    return shutil.which("valgrind") is not None
