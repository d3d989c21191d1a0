"""Numbers that float64 does not hold: Python's integers and fractions know no bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within_float64(name: str) -> Iterator[None]:
    """Turn the error about a number beyond the range of float64 into a ValueError that names what holds it."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(f"{name} contains a number that is beyond the range of float64, 1.8e308.") from error
