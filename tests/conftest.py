"""All engines for every behavioural test, the mark of kernels' tests, and how hard hypothesis tries."""

import gc
import os
from pathlib import Path

# Tests run on all cores already: threads of BLAS and OpenMP would wait for each other. This precedes NumPy's import.
# LightGBM obeys the limit alone.
os.environ.update(
    {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
)

import pytest
from hypothesis import HealthCheck, settings

from pytrees._engine import config_context

# The engine fixture has no state that an example could change, so its examples may share it.
_COMMON = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.function_scoped_fixture]}

# Tests that ask for a number of examples get their share of it by `support.examples`.
settings.register_profile("thorough", max_examples=100, **_COMMON)
settings.register_profile("default", max_examples=25, **_COMMON)
settings.register_profile("fast", max_examples=5, **_COMMON)  # for builds with bounds checks, which are slow
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Folders of the tests that `-m kernels` runs; tests elsewhere are marked where they stand.
_KERNEL_FOLDERS = {
    "sequence",
    "criteria",
    "rows",
    "split",
    "growth",
    "id3",
    "c45",
    "minimal",
    "optimal",
    "fourier",
    "golden",
}

# Folders of the tests that grow trees by gain, which the plain engine does in a way of its own.
_PLAIN_FOLDERS = {"criteria", "rows", "split", "growth", "id3", "order", "trees"}

# These test what only a clone has; wheels are tested beside the other tests alone.
_FOLDERS_OF_A_CLONE = ["fuzz", "package", "studies"]
collect_ignore = [] if (Path(__file__).parents[1] / "studies").is_dir() else _FOLDERS_OF_A_CLONE


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Run tests that are named one by one in this process: `pytest tests/package/test_engine.py::test_blocks_nest`."""
    return 0 if config.args and all("::" in argument for argument in config.args) else None


def pytest_collection_finish():
    """Leave the objects of imports and collection out of later collections of garbage, which they would slow down."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items):
    """Mark the tests of kernels, so that no list of them is kept by hand."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] in _KERNEL_FOLDERS:
            item.add_marker(pytest.mark.kernels)


def pytest_generate_tests(metafunc):
    """Give a test that takes an engine all engines that differ in what it tests."""
    parametrised = (mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    lists = (names.split(",") if isinstance(names, str) else names for names in parametrised)
    if "engine" in metafunc.fixturenames and not any("engine" in names for names in lists):
        folder = metafunc.definition.path.relative_to(Path(__file__).parent).parts[0]
        engines = ["compiled", "plain", "reference"] if folder in _PLAIN_FOLDERS else ["compiled", "reference"]
        metafunc.parametrize("engine", engines, indirect=True)


@pytest.fixture
def engine(request):
    """The name of the engine that is in force during the test."""
    with config_context(engine=request.param):
        yield request.param
