"""Arguments of functions and methods to try, by the parameter's name, its annotation and its default.

A parameter that has no table in `tables`, and whose annotation names something else than numbers, words or flags,
cannot be drawn.
"""

import ast
import inspect
import re
from functools import cache
from typing import Literal, get_args, get_origin

import numpy as np

from pytrees import _typing

from .parameters import NUMBERS, ODD, ODD_NUMPY, WORDS
from .surface import calls, public_names
from .tables import TABLES, given

# Arguments that are always given, because the defaults take a second and more, draw anew each time, or are refused.
ALWAYS = {
    "n_cases": 2,
    "n_permutations": 2,
    "max_samples": 6,
    "n_samples": 20,
    "n_stocks": 4,
    "random_state": 0,
    "optimal_tree.max_depth": 2,
    "background": "tame",
    "fourier.distil.X": "tame",
    "cardinalities": "tame",
}

# These decide how long a call takes: no number is tried between the largest here and an absurd one.
_COSTS_TIME = {
    "n_cases": 3,
    "n_permutations": 3,
    "max_samples": 9,
    "max_features": 4,
    "n_samples": 60,
    "n_stocks": 5,
    "n_jobs": 3,
    "n_surrogates": 3,
    "n_nodes": 20,
    "n_classes": 9,
    "max_classes": 6,
    "n_features": 6,
    "n_trees": 3,
    "min_rows": 9,
    "max_rows": 9,
    "n_rows": 40,
    "max_length": 40,
    "most_categories": 6,
    "verbose": 2,
    "fontsize": 99,
}
_ABSURD = 2**62
# Numbers of times that something is done: no absurd number is tried.
_REPEATED = ("n_cases",)

_KINDS = {"int", "float", "bool", "str", "None", "RandomState"}


def target_of(subject):
    """Return the function or class that a name stands for; a method as a function of its class."""
    owner, name = calls()[subject]
    return public_names()[name] if owner is None else getattr(owner, name)


@cache
def parameters_of(subject):
    """Return the parameters of a call by name; the object of a method, and what only hypothesis takes, are left out.

    Returns
    -------
    dict of str to inspect.Parameter
    """
    owner, name = calls()[subject]
    found = dict(inspect.signature(target_of(subject)).parameters)
    if owner is not None and not isinstance(inspect.getattr_static(owner, name), (classmethod, staticmethod)):
        found.pop(next(iter(found)))
    return {name: parameter for name, parameter in found.items() if parameter.kind is not parameter.VAR_KEYWORD}


@cache
def table_of(subject, name):
    """Return what to try of a parameter: functions of the problem that make arguments, by names.

    Returns
    -------
    dict of str to callable, or None
        The tamest argument first; None if the parameter cannot be drawn.
    """
    parameter = parameters_of(subject)[name]
    parts = f"{subject}.{name}".split(".")
    for start in range(len(parts) - 1):
        if (key := ".".join(parts[start:])) in TABLES:
            return TABLES[key]
    if (scalars := _scalars(subject, parameter)) is not None:
        return given(scalars)
    optional = f"{name} | None"
    return TABLES[optional] if optional in TABLES and parameter.default is None else TABLES.get(name)


def _always(subject, name, default=None):
    """Return an argument that is always given, or the default."""
    return ALWAYS.get(f"{subject}.{name}", ALWAYS.get(name, default))


def _scalars(subject, parameter):
    """Return numbers, words and flags to try, the default first; None if the annotation names something else."""
    parts = _parts(str(parameter.annotation))
    if not parts or parameter.annotation is parameter.empty:
        return None
    if parameter.name in TABLES and parts <= {"str", "None"}:
        return None
    words = [word for part in parts if isinstance(part, tuple) for word in part]
    default = _always(subject, parameter.name, parameter.default)
    found = [*words] if default is parameter.empty else [default, *words]
    if not words:
        found += [2, 1, 0, *NUMBERS] if parts != {"bool"} else [True, False, 1, 0]
    found += WORDS if words or "str" in parts else ODD + ODD_NUMPY
    absurd = np.inf if parameter.name in _REPEATED else _ABSURD
    return [value for value in found if _is_cheap(value, _COSTS_TIME.get(parameter.name), absurd)]


def _parts(annotation):
    """Return the parts of a union: names among `_KINDS`, and tuples of words; None if there is anything else."""
    found = set()
    for part in re.findall(r"[\w.]+(?:\[.*?\])?", annotation.replace("ForwardRef('", "").replace("')", "")):
        words = _words_of(part)
        if words is None and part not in _KINDS:
            return None
        found.add(part if words is None else words)
    return found


def _words_of(part):
    if part.startswith("Literal["):
        return tuple(ast.literal_eval(f"[{part.removeprefix('Literal[')}"))
    alias = getattr(_typing, part, None)
    return get_args(alias) if get_origin(alias) is Literal else None


def _is_cheap(value, most, absurd):
    try:
        return most is None or not most < abs(value) < absurd
    except (TypeError, ValueError):
        return True


def make_arguments(problem, chosen):
    """Make the arguments of a call.

    Parameters
    ----------
    problem : Problem
    chosen : dict of str to str
        Names of parameters, and of their arguments in `table_of`. Parameters without defaults have the tamest one.

    Returns
    -------
    dict of str to object
        By the names of parameters.
    """
    subject, found = problem.case["subject"], {}
    for name, parameter in parameters_of(subject).items():
        table = table_of(subject, name)
        if name in chosen:
            found[name] = table[chosen[name]](problem)
        elif parameter.default is parameter.empty or _always(subject, name) is not None:
            found[name] = next(iter(table.values()))(problem)
    return found


def not_drawn():
    """Return the names of all parameters that cannot be drawn, with the calls that have them."""
    return [
        f"{subject}.{name}" for subject in calls() for name in parameters_of(subject) if not table_of(subject, name)
    ]
