"""Names that users give, and labels, as texts and values of Python's own types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

import numpy as np

from ._missing import is_missing

# Control characters, separators of lines and paragraphs, changes of the direction of writing, and halves of characters.
_NOT_TO_BE_WRITTEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: object) -> str:
    """Return a text, which may contain names by users, with escapes such as ``\\n`` for characters that would break its
    line."""
    return _NOT_TO_BE_WRITTEN.sub(lambda found: found[0].encode("unicode_escape").decode(), plain_text(text))


def plain_text(value: object) -> str:
    """Return the characters of a string, or the text of another value, as a str and not as a subclass of it."""
    return str.__str__(value if isinstance(value, str) else str(value))


def plain_value(label: Any) -> Any:
    """Return a label as a value of Python's own types.

    Subclasses, such as members of ``enum.StrEnum``, may print as anything, also as code: the base type's own method
    reads the value.
    """
    if isinstance(label, str):
        return plain_text(label)
    if isinstance(label, int):
        return label if isinstance(label, bool) else int.__int__(label)
    if isinstance(label, float):
        return float.__float__(label)
    value = np.generic.item(label) if isinstance(label, np.generic) else label
    # A date or duration that datetime cannot express would become a number of nanoseconds.
    return label if isinstance(value, int) and isinstance(label, (np.datetime64, np.timedelta64)) else value


def plain_values(names: Any) -> list[Any]:
    """Return names as a list of values of Python. Dates of NumPy become the shortest text by ISO 8601, durations text
    with their unit."""
    names = np.asanyarray(names) if hasattr(names, "__array__") else names
    kind = names.dtype.kind if isinstance(names, np.ndarray) else ""
    if kind == "M":
        return np.datetime_as_string(names, unit="auto").tolist()
    if kind == "m":
        return [str(name) for name in names]
    if kind not in ("", "O"):
        return names.tolist()
    return [
        plain_values(np.array([name]))[0] if isinstance(name, (np.datetime64, np.timedelta64)) else plain_value(name)
        for name in names
    ]


def checked_names(what: str, names: Any, number: int, whose: str = "the tree") -> list[Any]:
    """Return the names of features, which are strings, or of classes, which are labels, as values of Python; raise
    ValueError unless all are names, there are as many as are needed, and all are different."""
    # A string is a sequence too, and what has no order or no number is none.
    if isinstance(names, (str, Set, Mapping)) or not (np.iterable(names) and hasattr(names, "__len__")):
        raise ValueError(f"{what} must be a sequence of names, got {names!r:.50}.")
    is_name, kind = (_is_string, "strings") if what == "feature_names" else (_is_label, "strings, numbers or dates")
    plain = plain_values(names)
    for place, name in enumerate(plain):
        if not is_name(name):
            raise ValueError(f"{what} must be a sequence of names: {kind}. Got {name!r:.50} at position {place}.")
    if len(plain) != number:
        raise ValueError(f"{what} has {len(plain)} names; {whose} has {number}.")
    check_different(what, plain)
    return plain


def check_different(what: str, names: Iterable[Any], said: Callable[[Any], str] = one_line, by: str = "") -> None:
    """Raise ValueError if two names are equal, or are equal as texts."""
    places: dict[Any, int] = {}
    for place, name in enumerate(names):
        for key in (name, said(name)):
            first = places.setdefault(key, place)
            if first != place:
                raise ValueError(
                    f"{what} must be different{by}, got {name!r:.50} at position {place} like position {first}. Pass a "
                    "different name for each."
                )


def _is_string(name: object) -> bool:
    return isinstance(name, str)


def _is_label(name: object) -> bool:
    """Whether a value can be the label of a class: classes are told apart by hashes, and none is missing."""
    try:
        hash(name)
    except TypeError:
        return False
    return not is_missing(name)
