"""Memory refused, and memory given back."""

import os
import pickle
import subprocess
import sys
import textwrap
import tracemalloc
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from support import PATIENCE, assert_refuses, without_sanitizer

import pytrees
from pytrees import DecisionForestClassifier, DecisionForestRegressor, DecisionTreeClassifier, DecisionTreeRegressor

resource = pytest.importorskip("resource", reason="limits on memory are POSIX")

# The programs below begin with this; each runs in a process of its own, whose memory it may limit.
# Only the kernels are imported, which takes a fraction of the time.
_PRELUDE = """
import resource, sys, types
import numpy as np

package = types.ModuleType("pytrees")
package.__path__ = [sys.argv[1]]
sys.modules["pytrees"] = package
from pytrees._engine import kernel

def data(n_rows, n_features, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = np.where(X[:, 0] > 0.0, 0, rng.integers(n_classes, size=n_rows)).astype(np.int32)
    return X, y, None, n_classes

def grow(problem, criterion="gini", **changes):
    no = 2**31 - 1
    limits = dict(max_depth=no, min_samples_split=2, min_samples_leaf=1, max_leaf_nodes=no, min_gain=-np.inf,
                  max_candidates=no, max_features=no, seed=0)
    return kernel("grow_by_gain")(*problem, criterion, **(limits | changes))

def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

def limit(size):
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
"""


def run(program):
    code = _PRELUDE + textwrap.dedent(program)
    # The C library of Linux then hands large pieces back at once, whatever the pieces before.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    folder = os.path.dirname(pytrees.__file__)
    command = [sys.executable, "-c", code, folder]
    seconds = 300 * PATIENCE
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


needs_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc, and limits address space")


@pytest.fixture(scope="module")
def limited():
    """Skip tests that limit memory if a limit has no effect: QEMU ignores limits of the programs that it runs."""
    printed = run("""
        limit(address_space() + 2**24)
        try:
            bytearray(2**30)
        except MemoryError:
            print("refused")
    """)
    if printed != "refused\n":
        pytest.skip("a limit on address space has no effect here")


@needs_proc
@without_sanitizer
@pytest.mark.parametrize(
    ("shape", "changes", "step", "of_kernel"),
    [
        # Large arrays, made before growth begins.
        ((200_000, 20, 2), {"max_depth": 3}, 2 * 2**20, False),
        ((20_000, 20, 2), {"max_depth": 3, "max_candidates": 5}, 2**18, False),
        # Many nodes at once have counts of their bins, in memory that is asked for as they come.
        ((20_000, 8, 50), {"block_rows": 300, "max_leaf_nodes": 30}, 2**20, True),
        # A tree that outgrows the memory it has, again and again.
        ((6000, 2, 100), {}, 2**19, True),
    ],
)
def test_refused_memory_raises_and_leaves_no_trace(limited, shape, changes, step, of_kernel):
    # From next to nothing up to what is enough, so that the refusal meets one allocation after another.
    printed = run(f"""
        problem, changes = data{shape}, {changes}
        wanted = grow(problem, **changes)["threshold"]
        messages = []
        base = address_space()
        for extra in range(0, 400 * {step}, {step}):
            limit(base + extra)
            try:
                tree = grow(problem, **changes)
            except MemoryError as error:
                messages.append(str(error))
                del error
            else:
                break
            finally:
                limit(resource.RLIM_INFINITY)
        print(len(messages), any(message.startswith("no memory for") for message in messages))
        # A refused request leaves nothing behind.
        assert np.array_equal(tree["threshold"], wanted)
        assert np.array_equal(grow(problem, **changes)["threshold"], wanted)
    """)
    n_refused, refused_by_kernel = printed.split()
    assert 2 <= int(n_refused) < 400
    assert refused_by_kernel == "True" or not of_kernel


@needs_proc
@without_sanitizer
def test_refusals_leak_nothing(limited):
    printed = run("""
        problem, changes = data(20_000, 8, 50), {"block_rows": 300, "max_leaf_nodes": 30}
        grow(problem, **changes)
        sizes = []
        for repetition in range(40):
            limit(address_space() + 2**20)
            try:
                grow(problem, **changes)
            except MemoryError:
                pass
            else:
                raise AssertionError("there was enough memory")
            limit(resource.RLIM_INFINITY)
            sizes.append(address_space())
        print(sizes[-1] - sizes[5])
    """)
    assert int(printed) < 2**20


_ARRAY = """
from libc.stdlib cimport free
from pytrees._core.base.memory cimport reserve

def capacities(wanted, item_size):
    cdef void* memory = NULL
    cdef Py_ssize_t capacity = 0, size = item_size, number
    reached = []
    try:
        for number in wanted:
            reserve(&memory, &capacity, number, size, b"rooms")
            reached.append(capacity)
    finally:
        free(memory)
    return reached
"""

_SETUP = """
from Cython.Build import cythonize
from setuptools import setup

directives = dict(language_level=3, freethreading_compatible=True)
setup(ext_modules=cythonize("array_that_grows.pyx", include_path=[{path!r}], compiler_directives=directives))
"""


@pytest.fixture(scope="module")
def capacities(tmp_path_factory):
    """Reserve room for these numbers of items, one after the other, and return the capacities."""
    pytest.importorskip("Cython", reason="reserve is inlined where it is cimported")
    pytest.importorskip("setuptools", reason="reserve is inlined where it is cimported")
    package = Path(pytrees.__file__).parent
    if not (package / "_core" / "base" / "memory.pxd").exists():
        pytest.skip("the wheel has no sources")
    folder = tmp_path_factory.mktemp("memory")
    (folder / "array_that_grows.pyx").write_text(_ARRAY)
    (folder / "setup.py").write_text(_SETUP.format(path=str(package.parent)))
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    spec = spec_from_file_location("array_that_grows", folder / f"array_that_grows{EXTENSION_SUFFIXES[0]}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.capacities


def test_capacity_doubles(capacities):
    assert capacities([0, 1, 64, 65, 128, 1000, 3], 8) == [64, 64, 64, 128, 128, 1024, 1024]


@pytest.mark.parametrize("item_size", [1, 8, 48, 100])
@pytest.mark.parametrize("tenths", [10, 7, 6])
def test_sizes_near_the_largest_number_are_refused_by_name(capacities, item_size, tenths):
    # Doubling the capacity, or multiplying it by the size, would exceed the largest number.
    wanted = sys.maxsize // item_size // 10 * tenths
    assert_refuses(MemoryError, r"no memory for \d+ rooms", capacities, [10, wanted], item_size)


@pytest.mark.parametrize("item_size", [2, 8, 48])
def test_sizes_beyond_the_largest_number_are_refused_by_name(capacities, item_size):
    wanted = sys.maxsize // item_size + 1
    assert_refuses(MemoryError, f"no memory for {wanted} rooms", capacities, [10, wanted], item_size)


def test_memory_of_repeated_growth_does_not_rise():
    printed = run("""
        problem = data(17_000, 6, 3)
        cases = [{}, {"max_leaf_nodes": 50}, {"max_features": 3}, {"block_rows": 500}, {"block_rows": 17_000}]
        peaks = []
        for seed in range(30):
            for case in cases:
                grow(problem, seed=seed, max_depth=8, **case)
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        print((peaks[-1] - peaks[9]) / peaks[9])
    """)
    # A tree's working memory is some percent of the process's: a hundred lost ones would be more than all of it.
    assert float(printed) < 0.05


# One call in a process each, with more and more memory, or one refused allocation of Python after another. An alarm
# kills a process that does not end.
_SWEEP = """
import os, resource, signal, sys, warnings
import numpy as np
from sklearn.base import clone
from pytrees import *
from pytrees._engine import KERNELS, load

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(18_000, 6)), rng.integers(0, 3, 18_000)
forest = DecisionForestClassifier(4, max_depth=4, random_state=0, n_jobs=2).fit(X[:6000], y[:6000])
CALLS = {
    "tree": lambda: DecisionTreeClassifier(max_depth=4, n_jobs=2).fit(X, y).tree_.threshold,
    "sequences": lambda: PermutationDecisionTreeClassifier(max_depth=1, n_jobs=2).fit(X[:400], y[:400]).tree_.threshold,
    "forest": lambda: clone(forest).fit(X[:500], y[:500]).estimators_[3].tree_.threshold,
    "predictions": lambda: forest.predict_proba(X[:6000]),
    "optimal": lambda: OptimalTreeClassifier(max_depth=3, n_jobs=2).fit(X[:50] > 0, y[:50]).tree_.threshold,
    "minimal": lambda: MinimalTreeClassifier().fit(X[:30].round(), np.arange(30) % 2).tree_.threshold,
    "slices": lambda: sliding_effort_to_compress(y, 100, n_jobs=2),
}
if loads := sys.argv[1] == "loaded":
    for module in set(KERNELS.values()):
        load(f"pytrees._core.{module}")
    wanted = {name: call() for name, call in CALLS.items()}
try:
    from _testcapi import set_nomemory
except ImportError:
    pass

def outcome(name, kind, size):
    signal.alarm(60)
    if kind == "python":
        set_nomemory(size, size + 1)
    else:
        with open("/proc/self/statm") as file:
            size += int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
    try:
        found = CALLS[name]()
    except MemoryError:
        return "refused"
    except BaseException:
        return "other"
    return "right" if not loads or np.array_equal(found, wanted[name]) else "wrong"

OUTCOMES = ["right", "refused", "other", "wrong"]
for line in sys.stdin:
    name, kind, *sizes = line.split()
    for size in sizes:
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            os.close(2)
            code = 9
            try:
                code = OUTCOMES.index(outcome(name, kind, int(size)))
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(name, kind, OUTCOMES[code] if 0 <= code < len(OUTCOMES) else code)
"""


def swept(loads, *calls):
    """Return the outcomes of calls, each by (name, kind, sizes), for these sizes; -14 of one that has not ended."""
    lines = [" ".join(map(str, [name, kind, *sizes])) for name, kind, sizes in calls]
    command, seconds = [sys.executable, "-c", _SWEEP, loads], 900 * PATIENCE
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=seconds)
    found = {(name, kind): set() for name, kind, _ in calls}
    for line in done.stdout.splitlines():
        name, kind, outcome = line.split()
        found[name, kind].add(outcome)
    return found


@pytest.fixture(scope="module")
def outcomes():
    """One process for all calls. Threads that were waited for without end lacked memory at the least limits, or one of
    the last allocations of predictions and slices, which therefore are refused more closely."""
    names, some = ["tree", "sequences", "forest", "optimal", "predictions", "slices"], range(0, 840, 56)
    closely = {"predictions": range(448, 560, 7), "slices": range(700, 812, 7)}
    calls = [(name, "space", [0, 2**13, 2**16, 2**20]) for name in [*names, "minimal"]]
    return swept("loaded", *calls, *((name, "python", [*some, *closely.get(name, ())]) for name in names))


@needs_proc
@without_sanitizer
def test_threads_without_memory_are_not_waited_for(limited, outcomes):
    for (name, kind), found in outcomes.items():
        assert kind == "python" or found <= {"right", "refused"}, name


# Other libraries make errors of other kinds of a lack of memory, and NumPy can crash.
@needs_proc
@without_sanitizer
def test_threads_end_whatever_allocation_is_refused(outcomes):
    pytest.importorskip("_testcapi", reason="refuses allocations")
    for (name, kind), found in outcomes.items():
        assert kind == "space" or ("refused" in found and not {"wrong", "-14"} & found), name


@needs_proc
@without_sanitizer
def test_kernels_that_do_not_fit_into_memory_say_so(limited):
    sizes = [0, 2**18, 2**19, 2**22]
    assert swept("unloaded", ("optimal", "space", sizes))["optimal", "space"] == {"right", "refused"}


@pytest.mark.parametrize("split", ["multiway", "subset"])
@pytest.mark.parametrize("make", [DecisionForestClassifier, DecisionForestRegressor])
def test_predictions_by_many_categories_take_no_more_memory_than_the_forest(make, split):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1000, 4000)
    X = np.column_stack([codes, rng.normal(size=4000)])
    y = (rng.normal(size=1000)[codes] + X[:, 1] > 0).astype(int)
    parameters = {"categorical_features": [0], "categorical_split": split, "handle_unknown": "majority"}
    pickled = pickle.dumps(make(30, random_state=0, **parameters).fit(X[:3500], y[:3500]))
    lacking = X.copy()
    lacking[::7, 1] = np.nan
    found = []
    for n_jobs in (1, 2):
        forest = pickle.loads(pickled).set_params(n_jobs=n_jobs)
        tracemalloc.start()
        found.append([forest.predict(X), forest.predict(lacking)])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= 2 * len(pickled)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "feature_usage"])
@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_walks_by_many_categories_keep_nothing(make, method):
    codes = np.arange(20_000)[:, None] % 5000
    y = np.random.default_rng(0).permutation(5000)[codes[:, 0]] % 2
    tree = make(categorical_features=[0], categorical_split="subset").fit(codes, y)
    getattr(tree, method)(codes)
    pickled = len(pickle.dumps(tree))
    tracemalloc.start()
    getattr(pickle.loads(pickle.dumps(tree)), method)(codes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * pickled + 80 * len(codes)


def test_fit_of_a_deep_regression_tree_takes_little_more_than_the_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 2)), rng.normal(size=40_000)
    tracemalloc.start()
    tree = DecisionTreeRegressor(random_state=0).fit(X, y).tree_
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 160 * tree.node_count
