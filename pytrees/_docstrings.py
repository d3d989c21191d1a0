"""Docstrings that share descriptions: a parameter is described once, and `help` shows its description everywhere.

The decorator ``@described_like(DecisionTreeClassifier)`` completes the docstring of a class or function: parameters
without a description get the description in ``DecisionTreeClassifier``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from inspect import cleandoc, get_annotations, isclass, signature
from typing import Any, TypeVar

_Documented = TypeVar("_Documented")

# The title of a section in a numpydoc docstring, and the line below it.
_TITLE = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
# An entry of a section: a line with one or several names, and its indented description.
_ENTRY = re.compile(r"^\S.*\n(?:(?: +\S.*)?\n)*", re.MULTILINE)


def described_like(*others: Any) -> Callable[[_Documented], _Documented]:
    """Return a decorator that completes a docstring by the docstrings of other classes or functions.

    Parameters of the signature, and attributes that the class declares, get the description of the first of `others`
    that describes them. A function without a section ``Returns`` or ``Raises`` gets the first such section of `others`.
    Descriptions in the docstring itself always stay.

    Parameters
    ----------
    *others : classes or functions
        Objects with numpydoc docstrings.

    Returns
    -------
    callable
        The decorator. It returns the object that it is given.
    """

    def complete(documented: _Documented) -> _Documented:
        if documented.__doc__ is not None:  # python -OO strips docstrings
            documented.__doc__ = _completed(documented, [_sections(other.__doc__) for other in others])
        return documented

    return complete


def _completed(documented: Any, theirs: list[dict[str, str]]) -> str:
    sections = dict(_sections(documented.__doc__))
    summary = sections.pop("")
    of_signature = [name for name in signature(documented).parameters if name not in ("self", "cls")]
    sections["Parameters"] = _entries("Parameters", of_signature, sections, theirs)
    if isclass(documented):
        own = sections.get("Attributes", "")
        named = {name for entry in _ENTRY.findall(own) for name in _names(entry)}
        inherited = [name for other in theirs for name in _by_name(other.get("Attributes", "")) if name not in named]
        declared = [name for name in dict.fromkeys(inherited) if _declares(documented, name)]
        sections["Attributes"] = own.rstrip("\n") + "\n" * bool(own) + _entries("Attributes", declared, {}, theirs)
    else:
        for title in ("Returns", "Raises"):
            found = [other[title] for other in theirs if title in other]
            if found:
                sections.setdefault(title, found[0])
    order = ["Parameters", "Attributes", "Returns", "Yields", "Raises"]
    titles = [*order, *(title for title in sections if title not in order)]
    blocks = [f"{title}\n{'-' * len(title)}\n{sections[title].strip()}\n" for title in titles if sections.get(title)]
    return "\n".join([summary.rstrip("\n") + "\n", *blocks])


@cache
def _sections(docstring: str) -> dict[str, str]:
    """Return the text of every section by its title, and the text before the first section by ""."""
    summary, *parts = _TITLE.split(cleandoc(docstring) + "\n")
    return {"": summary} | dict(zip(parts[::2], parts[1::2], strict=True))


def _entries(title: str, names: list[str], own: dict[str, str], theirs: list[dict[str, str]]) -> str:
    """Return the entries of these names, each from the first docstring that has it; KeyError if none has it."""
    known = _by_name(own.get(title, ""))
    for other in theirs:
        known = _by_name(other.get(title, "")) | known
    return "".join(dict.fromkeys(known[name] for name in names))


def _by_name(body: str) -> dict[str, str]:
    return {name: entry.rstrip("\n") + "\n" for entry in _ENTRY.findall(body) for name in _names(entry)}


def _names(entry: str) -> list[str]:
    return [name.strip(" *") for name in entry.partition("\n")[0].partition(" : ")[0].split(",")]


def _declares(documented: type, name: str) -> bool:
    """Whether a class, or a class above it, annotates an attribute or has it as a property."""
    return any(name in get_annotations(above) or name in vars(above) for above in documented.__mro__)
