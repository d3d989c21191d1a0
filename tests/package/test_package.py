"""The package as it is installed: its public names, its typed and cimportable files, and a twin for every kernel."""

import ast
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import subprocess
import sys

import pytest

import pytrees
import pytrees._core
import pytrees.reference

KERNELS = sorted(module.name for module in pkgutil.iter_modules(pytrees._core.__path__))
TWINS = sorted(module.name for module in pkgutil.iter_modules(pytrees.reference.__path__))


def public_functions(module):
    """Names of the functions that a module defines itself and does not hide."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and inspect.isroutine(value)
        and getattr(value, "__module__", None) == module.__name__
    }


def test_public_names():
    assert sorted(pytrees.__all__) == pytrees.__all__
    assert set(pytrees.__all__) >= {
        "AggregatedFourierTreeClassifier",
        "C45Classifier",
        "DecisionForestClassifier",
        "DecisionTreeClassifier",
        "FourierSpectrum",
        "ID3Classifier",
        "ID3ForestClassifier",
        "OrdinalDecisionForestClassifier",
        "OrdinalDecisionTreeClassifier",
        "OrthogonalTreesClassifier",
        "PermutationDecisionForestClassifier",
        "PermutationDecisionTreeClassifier",
        "ReconstructedFourierTree",
        "Tree",
        "config_context",
        "criteria",
        "distances",
        "effort_to_compress",
        "export_dict",
        "export_text",
        "merge_redundant",
        "minimal_tree",
        "nsrps",
        "plot_tree",
        "redundant_splits",
    }
    for name in pytrees.__all__:
        assert hasattr(pytrees, name), name


@pytest.mark.parametrize(
    "name",
    [
        "aggregated",
        "c45",
        "cart",
        "criteria",
        "datasets",
        "distances",
        "export",
        "forest",
        "fourier",
        "id3",
        "metrics",
        "minimal",
        "ordinal",
        "orthogonal",
        "permutation",
        "plotting",
        "sequence",
        "simplify",
        "tree",
    ],
)
def test_public_names_of_modules(name):
    module = importlib.import_module(f"pytrees.{name}")
    for public in module.__all__:
        assert getattr(module, public) is not None


def test_version():
    assert pytrees.__version__ == importlib.metadata.version("pytrees")


def test_files_for_type_checkers_and_other_cython_packages():
    assert importlib.resources.files("pytrees").joinpath("py.typed").is_file()
    core = importlib.resources.files("pytrees._core")
    names = {
        "__init__",
        "bin_cuts",
        "bounds",
        "boxes",
        "c45_splits",
        "clusterings",
        "conflicts",
        "criteria",
        "distances",
        "exact",
        "fourier",
        "fractional_rows",
        "exact_sums",
        "gain",
        "gini",
        "global_growth",
        "histogram",
        "leaf_scan",
        "memory",
        "nsrps",
        "ordinal",
        "partition",
        "pessimism",
        "restriction",
        "row_sets",
        "scanner",
        "sequence_scanner",
        "sides",
        "sorting",
        "types",
        "weighted",
    }
    assert {f"{name}.pxd" for name in names} <= {file.name for file in core.iterdir() if file.name.endswith(".pxd")}


def test_every_kernel_has_a_twin():
    assert KERNELS == TWINS
    searched = {"criteria", "histogram", "nsrps", "partition", "scanner", "sequence_scanner"}
    assert set(KERNELS) >= searched | {"distances", "global_growth", "growth", "minimal", "traverse"}


@pytest.mark.parametrize("name", KERNELS)
def test_public_functions_of_kernels_have_twins(name):
    kernel = importlib.import_module(f"pytrees._core.{name}")
    twin = importlib.import_module(f"pytrees.reference.{name}")
    assert public_functions(kernel) <= public_functions(twin)


def test_kernels_have_public_functions():
    found = {name: public_functions(importlib.import_module(f"pytrees._core.{name}")) for name in KERNELS}
    assert found["growth"] == {"grow_tree", "share_features"}
    assert found["traverse"] == {
        "apply",
        "apply_packed",
        "binarise",
        "decision_path",
        "feature_usage",
        "pack",
        "sum_values",
        "sum_votes",
    }
    assert found["c45"] == {"grow_tree", "pessimistic_errors"}
    assert found["c45_splits"] == {"find_split"}
    assert found["fractional_rows"] == {"class_shares", "divide"}
    assert found["categories"] == {"compare_gains", "gain_of_children"}
    assert found["minimal"] == {"minimal_tree"}
    assert found["global_growth"] == {"grow_tree"}
    assert found["distances"] == {"sign_of_fractions", "table_distance"}
    assert found["histogram"] == {"bin_features", "highest_score"}
    assert found["sequence_scanner"] == {"best_cut"}
    assert found["boxes"] == {"averages", "gram", "leaf_boxes"}
    assert found["fourier"] == {"count_orders", "evaluate", "expand", "merge", "order_starts", "positions"}
    assert found["restriction"] == {"restrict"}
    assert found["tcfs"] == {"tree_from_boxes", "tree_from_spectrum"}
    assert found["nsrps"] == {"effort_to_compress", "substitutions"}


@pytest.mark.parametrize("name", TWINS)
def test_the_reference_needs_the_standard_library_alone(name):
    source = inspect.getsource(importlib.import_module(f"pytrees.reference.{name}"))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module.split(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= sys.stdlib_module_names


def run_python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120)


def test_import_loads_only_what_everyone_needs():
    unwanted = ("matplotlib", "sklearn.tree", "sklearn.metrics", "pytrees.reference", "studies")
    code = f"import sys, pytrees; print([name for name in {unwanted} if name in sys.modules])"
    done = run_python("-c", code)
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("[]", "", 0)


def test_runs_as_a_program():
    done = run_python("-m", "pytrees", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: python -m pytrees")
