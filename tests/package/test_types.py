"""Types of the public names are complete enough for a user's program, and values have these types."""

import importlib
import importlib.util
import inspect
import runpy
import sys
import types
import typing

import numpy as np
import pytest
from estimators import CLASSIFIERS
from programs import run_python
from sklearn.utils._param_validation import Interval, StrOptions
from sources import ROOT

import pytrees
from pytrees import _given_judges, _typing, criteria, distances
from pytrees._engine import KERNELS, load

PROGRAM = ROOT / "tests" / "package" / "typed_program.py"

CLASSIFIERS = [type(estimator) for estimator in CLASSIFIERS]

# Where these names of annotations are looked up: modules import some of them for type checkers alone.
NAMES = {
    name: value for module in (criteria, distances, _given_judges, _typing) for name, value in vars(module).items()
} | {name: getattr(criteria, name) for name in ("CountCriterion", "SequenceCriterion", "SumCriterion")}
NAMES["Tree"] = pytrees.Tree


def run_mypy(*arguments, module="mypy"):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    return run_python("-m", module, *arguments, MYPYPATH=str(ROOT))


def test_mypy_accepts_a_users_program_and_finds_wrong_words(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from pytrees import DecisionTreeClassifier, ID3Classifier\n"
        'DecisionTreeClassifier("ginny")\n'
        'ID3Classifier(evaluation="nowhere")\n'
        'DecisionTreeClassifier(max_depth="3")\n'
    )
    settings = ("--config-file=", "--strict", "--follow-imports=silent", "--ignore-missing-imports")
    done = run_mypy(*settings, f"--cache-dir={tmp_path}", str(PROGRAM), str(wrong))
    assert done.stdout.count("wrong.py") == done.stdout.count("[arg-type]") == 3, done.stdout
    assert done.stdout.endswith("Found 3 errors in 1 file (checked 2 source files)\n")


def test_a_users_program_runs():
    runpy.run_path(str(PROGRAM), run_name="__main__")


def test_the_stub_matches_the_compiled_classes(tmp_path):
    allowed = tmp_path / "allowed.txt"
    # Whether these methods of a subclass have the parameter `rows` depends on its `needs_rows`.
    methods = ("impurity", "gain", "gain_of_children")
    allowed.write_text("\n".join(f"pytrees._core.criteria.user.SequenceCriterion.{name}" for name in methods))
    ignored = ("--ignore-missing-stub", "--ignore-disjoint-bases", "--allowlist", str(allowed))
    settings = ("--mypy-config-file", "pyproject.toml", *ignored)
    done = run_mypy("pytrees._core.criteria.user", *settings, module="mypy.stubtest")
    assert done.returncode == 0, done.stdout


def parts_of(hint):
    """Return the members of a union and of the unions in it; or the type alone."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return [hint]
    return [part for member in typing.get_args(hint) for part in parts_of(member)]


def words_of(parts):
    literals = [part for part in parts if typing.get_origin(part) is typing.Literal]
    return {word for literal in literals for word in flat_words(literal)}


def flat_words(literal):
    for word in typing.get_args(literal):
        yield from flat_words(word) if typing.get_origin(word) is typing.Literal else (word,)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_parameters_have_the_types_of_their_constraints(classifier):
    module = vars(sys.modules[classifier.__init__.__module__])
    hints = typing.get_type_hints(classifier.__init__, globalns={**NAMES, **module})
    for name, constraints in classifier._parameter_constraints.items():
        parts = parts_of(hints[name])
        words = {
            word for constraint in constraints if isinstance(constraint, StrOptions) for word in constraint.options
        }
        assert words_of(parts) == words, name
        assert (type(None) in parts) == (None in constraints or "random_state" in constraints), name
        assert bool not in parts or "boolean" in constraints, name
        for constraint in constraints:
            if constraint == "boolean":
                assert bool in parts, name
            elif isinstance(constraint, Interval):
                assert (int if constraint.type.__name__ == "Integral" else float) in parts, name


def test_words_of_functions_are_those_of_the_registries():
    names = {*criteria.CRITERIA, *criteria.ALIASES}
    assert words_of(parts_of(typing.get_type_hints(criteria.gain, NAMES)["criterion"])) == {
        name for name in names if criteria.resolve(name).judges == "counts"
    }
    assert words_of(parts_of(typing.get_type_hints(criteria.impurity, NAMES)["criterion"])) == {
        name for name in names if criteria.resolve(name).judges == "counts" and criteria.resolve(name).has_impurity
    }
    hints = typing.get_type_hints(distances.clustering_distance, NAMES)
    assert words_of(parts_of(hints["distance"])) == set(distances.DISTANCES)
    metrics = importlib.import_module("pytrees.metrics")
    assert words_of([_typing.OrdinalMetric]) == set(metrics._SCORES)


def declared(cls):
    """Return the types of the attributes and properties that a class and those above it declare."""
    hints = {}
    for owner in reversed(cls.__mro__):
        if owner.__module__.startswith("pytrees."):
            names = {**NAMES, **vars(sys.modules[owner.__module__])}
            for name, hint in vars(owner).get("__annotations__", {}).items():
                hints[name] = eval(hint, names) if isinstance(hint, str) else hint
            for name, member in vars(owner).items():
                if isinstance(member, property) and "return" in member.fget.__annotations__:
                    hints[name] = eval(member.fget.__annotations__["return"], names, {"_Tree": typing.Any})
    return {name: hint for name, hint in hints.items() if not name.startswith("_")}


def is_of(value, hint):
    """Whether a value is of a type, as far as this is told: arrays by their dtype, and lists by their first entry."""
    if hint is typing.Any or isinstance(hint, typing.TypeVar):
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hasattr(origin, "__value__"):  # NumPy's names of types, from Python 3.12 on
        return is_of(value, origin.__value__[arguments])
    if origin in (typing.Union, types.UnionType):
        return any(is_of(value, part) for part in arguments)
    if origin is np.ndarray:
        (scalar,) = typing.get_args(arguments[1])
        return isinstance(value, np.ndarray) and (scalar is typing.Any or value.dtype == scalar)
    if origin is list:
        return isinstance(value, list) and all(is_of(entry, arguments[0]) for entry in value[:1])
    if origin is typing.ClassVar:
        return True
    return value is None if hint is None else isinstance(value, origin or hint)


@pytest.fixture(scope="module")
def data():
    random = np.random.RandomState(0)
    X = random.randint(4, size=(60, 3)).astype(np.float64)
    return X, np.where(X[:, 0] + X[:, 1] > 3, "b", "a")


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_fitted_attributes_have_their_declared_types(classifier, data):
    parameters = {"n_estimators": 3} if "n_estimators" in classifier().get_params() else {}
    if classifier.__name__.startswith(("Decision", "OrdinalDecision")) and parameters:
        parameters = {"n_estimators": 30, "oob_score": True}
    fitted = classifier(**parameters).fit(*data)
    hints = declared(classifier)
    assert {"classes_", "n_classes_", "n_features_in_"} <= hints.keys()
    for name, hint in hints.items():
        if hasattr(fitted, name):
            assert is_of(getattr(fitted, name), hint), f"{name}: {hint}, {getattr(fitted, name)!r}"
    found = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert found <= hints.keys(), "an attribute has no type"


@pytest.mark.parametrize(
    "parameters",
    [{}, {"categorical_features": [0]}, {"categorical_features": [0], "categorical_split": "subset"}],
    ids=["thresholds", "multiway", "subset"],
)
def test_arrays_of_trees_have_their_declared_types(parameters, data):
    tree = pytrees.DecisionTreeClassifier(**parameters).fit(*data).tree_
    hints = declared(pytrees.Tree)
    assert len(hints) > 20
    for name, hint in hints.items():
        assert is_of(getattr(tree, name), hint), f"{name}: {hint}"
    for name in ("apply", "predict", "feature_usage"):
        hint = eval(getattr(pytrees.Tree, name).__annotations__["return"], NAMES)
        assert is_of(getattr(tree, name)(data[0]), hint), name


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "set_distance"])
def test_kernels_have_the_signatures_of_their_twins(name):
    compiled, twin = (
        inspect.signature(getattr(load(f"pytrees.{engine}.{KERNELS[name]}"), name)).parameters
        for engine in ("_core", "reference")
    )
    named = [each.name for each in twin.values() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    assert all(each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in compiled.values())
    assert [each for each in compiled if each in named] == named
    assert all(compiled[each].default == twin[each].default for each in named)
