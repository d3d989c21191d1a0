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


def exponent_of(*arrays: ArrayLike) -> int:
    """Return the binary exponent of the greatest absolute value: divided by 2**exponent, all numbers are below 1."""
    return int(np.frexp(max(float(np.abs(numbers).max(initial=0.0)) for numbers in arrays))[1])


def times_power(numbers: ArrayLike, exponent: int) -> FloatArray:
    """Return numbers times 2**exponent, infinity or zero beyond the range of float64."""
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(numbers, exponent)


def in_float64(what: str, numbers: ArrayLike, exponent: int, degree: int = 1) -> FloatArray:
    """Return numbers times 2**(degree exponent); raise ValueError, which says what they are, if one overflows or all
    squares (degree 2) vanish."""
    found = times_power(numbers, degree * exponent)
    if not np.all(np.isfinite(found)) or (degree == 2 and np.any(numbers) and not np.any(found)):
        raise beyond_float64(what, exponent)
    return found


def beyond_float64(what: str, exponent: int) -> ValueError:
    """Return the error that numbers made of values of about 2**exponent overflow or vanish."""
    return ValueError(
        f"{what} of values of about 2**{exponent} are beyond the range of float64, 5e-324 to 1.8e308. Divide the "
        f"targets, or the values of the trees, by a power of two first, such as 2.0**{exponent}: no split and no share "
        "changes."
    )


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
