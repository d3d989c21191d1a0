"""Numbers as float64, which does not hold all: integers and fractions of Python know no bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array as _check_array

from ._typing import FloatArray


@contextmanager
def within_float64(name: str) -> Iterator[None]:
    """Turn the error about a number beyond the range of float64 into a ValueError that names what holds it."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(f"{name} contains a number that is beyond the range of float64, 1.8e308.") from error


def any_sum() -> np.errstate:
    """Let scikit-learn add numbers up in search of NaN without a warning: numbers near both ends of float64 have no
    sum."""
    return np.errstate(over="ignore", invalid="ignore")


def check_array(X: Any, **how: Any) -> Any:
    """Validate an array as scikit-learn's function of this name does, without a warning of its search for NaN."""
    with any_sum():
        return _check_array(X, **how)


def real_array(name: str, numbers: ArrayLike) -> FloatArray:
    """Return an array of real numbers as float64; raise ValueError for anything else, such as complex numbers."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind in "biufO":
            with within_float64(name), any_sum():
                found = array.astype(np.float64)
                if np.any(np.isinf(found) & (array != found)):  # of a decimal or a wider float
                    raise OverflowError
            return found
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers, in rows of equal length: {error}.") from error
    raise ValueError(f"{name} must hold real numbers, got {array.dtype}.")
