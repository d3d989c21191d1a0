"""Results as lists, dicts and arrays, which can be compared: the engines must give equal ones."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice, repeat

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.base import BaseEstimator

import pytrees

from .errors import Defect, without_chance
from .surface import names_of, public_names

_MOST_OF_AN_ITERATOR = 99

_NUMBER = re.compile(r"-?\d[\d.e+-]*")

ENGINES = ("compiled", "plain", "reference")

# Attributes that tell how an engine found the result.
NOT_COMPARED = ("n_subproblems", "n_subproblems_")


def plain(found):
    """Return what a result holds; figures are drawn.

    Parameters
    ----------
    found : object

    Returns
    -------
    object
        Made of numbers, words, arrays, lists, tuples and dicts alone.
    """
    if isinstance(found, Mapping):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, (list, tuple, Iterator)):
        return [plain(part) for part in islice(found, _MOST_OF_AN_ITERATOR)]
    if sparse.issparse(found):
        return found.toarray()
    if isinstance(found, (pd.DataFrame, pd.Series)):
        return pd.DataFrame(found).to_dict("split")
    if isinstance(found, np.ndarray) and found.dtype == object:
        return plain(found.tolist())
    if isinstance(found, pytrees.Tree):
        return ["Tree", plain(found.__reduce__()[1])]
    if isinstance(found, (Artist, Figure)):
        return _drawn(found)
    if isinstance(found, (BaseEstimator, *_records())):
        return _contents(found)
    return (
        found if isinstance(found, (bool, int, float, complex, str, bytes, np.ndarray, np.generic)) else _named(found)
    )


@cache
def _records():
    things = [public_names()[name] for kind in ("result", "call") for name in names_of(kind)]
    return tuple(thing for thing in things if isinstance(thing, type))


def _contents(found):
    names = sorted(getattr(found, "__dict__", None) or getattr(type(found), "__slots__", ()))
    kept = {
        name: plain(getattr(found, name)) for name in names if not name.startswith("_") and name not in NOT_COMPARED
    }
    return [type(found).__name__, kept]


def _named(found):
    return None if found is None else without_chance(f"{type(found).__name__} {found!r:.200}")


def _drawn(artist):
    """Draw the figure of an artist; return the texts that are on it."""
    figure = artist if isinstance(artist, Figure) else artist.get_figure(root=True)
    figure.canvas.draw()
    return [text.get_text() for text in figure.findobj(plt.Text)]


def greatest(found):
    """Return the greatest absolute value of the finite numbers in a result, at least 1."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return max(map(greatest, found), default=1.0)
    if not isinstance(found, (int, float, complex, np.ndarray, np.number)):
        return 1.0
    numbers = np.abs(np.asarray(found, dtype=np.complex128)) if np.asarray(found).dtype.kind in "biufc" else np.zeros(1)
    return float(np.max(numbers, initial=1.0, where=np.isfinite(numbers)))


def same(one, other, closeness=0.0):
    """Whether two results are equal, kinds of arrays included; NaN equals NaN, floats may differ, in texts too."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], closeness) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other, repeat(closeness)))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        kinds = {array.dtype.newbyteorder("=") for array in (one, other)}
        return one.shape == other.shape and len(kinds) == 1 and same(one.tolist(), other.tolist(), closeness)
    if closeness and isinstance(one, (float, complex)) and isinstance(other, (float, complex)) and np.isfinite(one):
        return bool(abs(one - other) <= closeness * max(1.0, abs(one)))
    if closeness and isinstance(one, str) and isinstance(other, str):
        return _NUMBER.sub("#", one) == _NUMBER.sub("#", other)
    return bool(one == other) or bool(one != one and other != other)


def compare(step, results, closeness=0.0):
    """Raise a Defect if the engines differ."""
    one, *others = results
    if any(one[0] != other[0] for other in others):
        raise Defect(f"one engine raises an error in {step}", str(results)[:400])
    if not all(same(one, other, closeness) for other in others):
        raise Defect(f"engines disagree in {step}", str(results)[:800])
