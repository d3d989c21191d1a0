"""The package as it is installed: public names and modules, files for other packages, a twin for every kernel."""

import ast
import importlib
import importlib.metadata
import importlib.resources
import inspect
import re

import pytest
from programs import run_python
from sources import PUBLIC_MODULES, source_files

import pytrees
from pytrees._engine import KERNELS

MODULES = sorted(set(KERNELS.values()))

# Distances of sets, for any function of their sizes: the reference answers whichever engine is in force.
ONLY_IN_THE_REFERENCE = {"set_distance"}
# The compiled scanner judges cuts of sequences, and the compiled entropies judge variations of information too. The
# problem of the reference is the plan, the features and the rows of the compiled engine.
WITHOUT_A_KERNEL = {"criteria/etc", "criteria/lz76", "criteria/structural", "criteria/variation", "split/problem"}


def public_functions(module):
    """Names of the functions that a module defines itself and does not hide."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and inspect.isroutine(value)
        and getattr(value, "__module__", None) == module.__name__
    }


def test_public_names_are_sorted_and_exist():
    assert sorted(pytrees.__all__) == pytrees.__all__
    for name in pytrees.__all__:
        assert hasattr(pytrees, name), name


@pytest.mark.parametrize("name", PUBLIC_MODULES)
def test_public_modules_list_their_names(name):
    module = importlib.import_module(f"pytrees.{name}")
    assert module.__doc__
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is not None


@pytest.mark.parametrize("name", [*PUBLIC_MODULES, "causality", "order", "symbols", "trees"])
def test_public_modules_define_listed_and_hidden_names_alone(name):
    """Parts that other modules of the package share are in modules with an underscore."""
    module = importlib.import_module(f"pytrees.{name}")
    defined = []
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined += [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    assert [name for name in defined if not name.startswith("_") and name not in module.__all__] == []


def test_types_of_parameters_are_in_one_public_module():
    for name in ("CriterionLike", "ErrorLike", "DistanceLike", "Ensemble", "TreeEstimator"):
        for module in ("criteria", "distances", "tree"):
            assert not hasattr(importlib.import_module(f"pytrees.{module}"), name)


def test_versions_name_the_compiler(capsys):
    pytrees.show_versions()
    (compiler,) = re.findall(r"^    compiler: (.*)$", capsys.readouterr().out, re.MULTILINE)
    assert re.match("[A-Za-z]", compiler), compiler  # its name comes before its version


def test_the_version_is_that_of_the_installation():
    assert pytrees.__version__ == importlib.metadata.version("decision-pytrees")


def test_files_for_type_checkers_and_other_cython_packages():
    package = importlib.resources.files("pytrees")
    for name in (
        "py.typed",
        "criteria.pxd",
        "_core/criteria/user.pxd",
        "_core/criteria/user.pyi",
        "_core/base/types.pxd",
    ):
        assert package.joinpath(name).is_file()


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_exist_in_both_engines(name):
    for engine in ("reference",) if name in ONLY_IN_THE_REFERENCE else ("_core", "reference"):
        module = importlib.import_module(f"pytrees.{engine}.{KERNELS[name]}")
        assert name in public_functions(module), f"{module.__name__} has no function {name}"


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_of_kernels_are_in_the_table_or_documented(name):
    module = importlib.import_module(f"pytrees._core.{name}")
    helpers = public_functions(module) - {kernel for kernel, place in KERNELS.items() if place == name}
    assert {helper for helper in helpers if not getattr(module, helper).__doc__} == set()


def test_the_reference_mirrors_the_kernels():
    compiled, reference = (
        {path.relative_to(folder).with_suffix("").as_posix() for path in source_files(folder)}
        for folder in ("pytrees/_core", "reference")
    )
    assert reference - compiled == WITHOUT_A_KERNEL
    assert {name.replace(".", "/") for name in MODULES} <= compiled & reference


UNWANTED = ["dask", "hypothesis", "matplotlib", "sklearn.tree", "sklearn.metrics", "pytrees.reference"]
UNWANTED += ["pytrees.testing", "studies"]

# The tour and the checks do without what only other parts of the package need.
PROGRAM = f"""
import runpy, sys
import pytrees
print([name for name in {UNWANTED} if name in sys.modules])
sys.modules |= dict.fromkeys(["hypothesis", "matplotlib", "pandas", "statsmodels", "tqdm", "studies"])
import pytrees.testing
from pytrees.tour import permutation, toy
try:
    import pytrees.testing.strategies
except ImportError as error:
    print(error)
sys.argv[1:] = ["--help"]
runpy.run_module("pytrees", run_name="__main__")
"""


def test_modules_load_only_what_they_need_and_the_package_runs_as_a_program():
    done = run_python("-c", PROGRAM)
    loaded, error, usage, *_ = [*done.stdout.splitlines(), "", "", ""]
    assert (loaded, done.stderr, done.returncode) == ("[]", "", 0)
    assert error == "pytrees.testing.strategies needs hypothesis: pip install 'decision-pytrees[testing]'."
    assert usage.startswith("usage: python -m pytrees")
