"""Numbers as float64, which does not hold all: integers and fractions of Python know no bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from ._typing import FloatArray


@contextmanager
def within_float64(name: str) -> Iterator[None]:
    """Turn the error about a number beyond the range of float64 into a ValueError that names what holds it."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(f"{name} contains a number that is beyond the range of float64, 1.8e308.") from error


def real_array(name: str, numbers: ArrayLike) -> FloatArray:
    """Return an array of real numbers as float64; raise ValueError for anything else, such as complex numbers."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind in "biufO":
            with within_float64(name):
                return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers, in rows of equal length: {error}.") from error
    raise ValueError(f"{name} must hold real numbers, got {array.dtype}.")
