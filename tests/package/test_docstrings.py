"""numpydoc's validation of every public name: parameters, returns, links, examples, a verb that opens the summary."""

import importlib
import inspect
import re

import pytest
from numpydoc.validate import validate
from sources import PUBLIC_MODULES

import pytrees

# numpydoc checks these too, and they are not asked for here.
NOT_CHECKED = {
    "GL01",  # the summary stands in the line of the opening quotes, as in PEP 257
    "ES01",  # a summary that says everything needs no second paragraph
}
# The docstring of the class has the links and the examples of its methods and properties.
NOT_CHECKED_OF_MEMBERS = NOT_CHECKED | {"SA01", "EX01"}

# A function's docstring starts with one of these; more verbs are welcome.
VERBS = """
    Add Apply Average Build Check Choose Combine Compute Convert Count Cut Decide Distil Divide Draw Drop Encode
    Evaluate Export Find Fit Generate Give Grow Judge List Load Make Measure Merge Number Pack Plot Predict
    Print Raise Read Rebuild Replace Resolve Return Score Search Select Simplify Sum Test Transform Whether Write
    Yield
""".split()  # noqa: SIM905

# A context manager yields, but not to its user.
EXCEPTIONS = {"pytrees.config_context": {"YD01"}}


def public_names():
    """Return the import paths of the public classes and functions, each once."""
    names = [f"pytrees.{name}" for name in pytrees.__all__ if not inspect.ismodule(getattr(pytrees, name))]
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(f"pytrees.{module_name}")
        public = [name for name in module.__all__ if callable(getattr(module, name))]
        names += [f"pytrees.{module_name}.{name}" for name in public if name not in pytrees.__all__]
    return names


def find(name):
    """Return the object of an import path."""
    parent, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(parent), attribute)
    except ModuleNotFoundError:
        return getattr(find(parent), attribute)


def members():
    """Return the import paths of the public methods and properties of public classes, an inherited one once.

    Members that come from other libraries are left out, and properties that the class describes as attributes.
    """
    found = {}
    for class_name in filter(lambda name: inspect.isclass(find(name)), public_names()):
        owner = find(class_name)
        for name, member in inspect.getmembers(owner):
            function = member.fget if isinstance(member, property) else member
            is_attribute = isinstance(member, property) and re.search(rf"^ *{name} ?:", owner.__doc__, re.MULTILINE)
            is_ours = inspect.isroutine(function) and (getattr(function, "__module__", None) or "").startswith(
                "pytrees"
            )
            if is_ours and not is_attribute and not name.startswith("_"):
                found.setdefault(f"{function.__module__}.{function.__qualname__}", f"{class_name}.{name}")
    return list(found.values())


def errors_of(name, not_checked):
    not_checked = not_checked | EXCEPTIONS.get(name, set())
    return [f"{code}: {message}" for code, message in validate(name)["errors"] if code not in not_checked]


@pytest.mark.parametrize("name", public_names())
def test_public_names(name):
    assert errors_of(name, NOT_CHECKED) == []


@pytest.mark.parametrize("name", members())
def test_members_of_public_classes(name):
    assert errors_of(name, NOT_CHECKED_OF_MEMBERS) == []


@pytest.mark.parametrize("name", [*public_names(), *members()])
def test_docstrings_of_functions_start_with_a_verb(name):
    found = find(name)
    if inspect.isroutine(found):
        assert found.__doc__.split()[0] in VERBS
