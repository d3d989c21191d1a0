"""All that is public: every name in `__all__` of every module without an underscore in its name, found by a walk.

Every name is of a kind, which says how the harness draws it, or why there is nothing to draw. A name of no kind, or one
with a parameter that no table of `arguments` knows, fails a test.
"""

import inspect
import pkgutil
import re
import typing
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pytrees
import pytrees.typing as annotations

KINDS = {
    "estimator": "is fitted to hostile input, with parameters from its own constraints",
    "call": "is called with arguments that are drawn by their names and annotations",
    "result": "is what a function returns: its methods are called, nobody makes one",
    "base": "is a base class of criteria: the criteria of a user in `parameters` derive from it",
    "error": "is raised by the functions of pytrees.testing",
    "table": "is a table of names, which are among the values of parameters",
    "type": "is for annotations, which nothing looks at when a program runs",
    "module": "has names of its own, which are found there",
}

# Methods that hot loops of the library call with arrays that were checked before, as their docstrings say.
UNCHECKED = {
    "majority_at": "takes leaves as `apply` returns them",
    "shares_at": "takes leaves as `apply` returns them",
    "outputs_at": "takes leaves as `apply` returns them",
    "from_arrays": "takes the arrays of a kernel; the constructor, which it calls, gets changed ones as attacks",
    "number": "takes X as `transform` has checked it",
    "specification": "takes the number of classes of checked labels",
}


# Modules whose names are called only if another package is installed: they make nothing without it.
NEEDED = {"dask": "dask"}


def _modules():
    yield pytrees
    for module in pkgutil.walk_packages(pytrees.__path__, "pytrees."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            yield import_module(module.name)


@cache
def public_names():
    """Find all public names.

    Returns
    -------
    dict of str to object
        By the name under which the fewest dots lead to it, without ``"pytrees."``; every object once.
    """
    found, seen = {}, set()
    for module in sorted(_modules(), key=lambda module: (module.__name__.count("."), module.__name__)):
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if id(thing) not in seen:
                seen.add(id(thing))
                found[f"{module.__name__}.{name}".removeprefix("pytrees.")] = thing
    return found


def kind_of(thing):
    """Return the kind of a public object, a key of `KINDS`, or None if the harness knows none."""
    if inspect.ismodule(thing):
        return "module"
    if isinstance(thing, Mapping):
        return "table"
    if typing.get_origin(thing) is not None or any(thing is getattr(annotations, name) for name in annotations.__all__):
        return "type"
    if not inspect.isclass(thing):
        return "call" if callable(thing) else None
    if hasattr(thing, "_parameter_constraints"):
        return "estimator"
    if issubclass(thing, BaseException):
        return "error"
    if _is_record(thing) or thing.__name__ in _returned():
        return "result"
    return "base" if _is_compiled(thing) else "call"


def _is_record(thing):
    return "__dataclass_params__" in vars(thing) or issubclass(thing, tuple)


def _is_compiled(thing):
    try:
        inspect.signature(thing)
    except ValueError:
        return True
    return False


@cache
def _returned():
    """Return the words in the annotations of what public functions return."""
    functions = filter(inspect.isfunction, public_names().values())
    annotations = " ".join(str(inspect.signature(function).return_annotation) for function in functions)
    return set(re.findall(r"\w+", annotations))


@cache
def names_of(kind):
    """Return the public names of a kind."""
    return tuple(name for name, thing in public_names().items() if kind_of(thing) == kind)


def methods_of(thing):
    """Return the names of a class's public methods that the library has written, without those that check nothing."""
    return tuple(name for name in dir(thing) if _is_own(getattr(thing, name)) and name not in UNCHECKED)


def _is_own(method):
    is_public = inspect.isroutine(method) and not method.__name__.startswith("_")
    return is_public and (getattr(method, "__module__", None) or "").startswith("pytrees.")


def properties_of(thing):
    """Return the names of a class's public properties that the library has written."""
    found = [(name, inspect.getattr_static(thing, name)) for name in dir(thing) if not name.startswith("_")]
    return tuple(
        name
        for name, attribute in found
        if isinstance(attribute, property) and attribute.fget.__module__.startswith("pytrees.")
    )


def _is_installed(name):
    needed = NEEDED.get(name.partition(".")[0])
    return needed is None or find_spec(needed) is not None


@cache
def calls():
    """Return all names that are called: functions, classes, and the methods of classes and results.

    Returns
    -------
    dict of str to (class or None, str)
        The class that has the method, and the name of the method; None for functions and classes, which are called
        themselves. Names that need a package that is not installed are left out.
    """
    found = {name: (None, name) for name in names_of("call") if _is_installed(name)}
    for name in names_of("call") + names_of("result"):
        thing = public_names()[name]
        if inspect.isclass(thing):
            found |= {f"{name}.{method}": (thing, method) for method in methods_of(thing)}
    return found
