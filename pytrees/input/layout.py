"""Tables of single precision or any layout: kernels of growth read them as they are, prediction converts slabs.

Every float32 is a float64 too, so that trees and predictions are those of a copy in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sklearn import narwhals
from .._typing import FloatArray, TableArray
from .categories import frame_of

# A slab of a table takes about so many bytes of float64: it stays in the cache, and takes far longer than a call. If
# it has few rows, which threads share, it takes up to four times as many.
_BYTES_OF_A_SLAB = 2**21
_FEWEST_ROWS_OF_A_SLAB = 4096

# How scikit-learn's checks convert a table for kernels that read one layout.
PLAIN: dict[str, Any] = {"dtype": np.float64, "order": "C"}


def reads_any_layout(estimator: Any) -> bool:
    """Whether an estimator's kernels of growth read float32 too, and any layout."""
    return getattr(estimator, "_reads_any_layout", False)


def as_it_is(X: Any) -> dict[str, Any]:
    """Return how scikit-learn's checks convert a table to float64 or float32, in any layout, without need: numbers of
    other dtypes become float32 if that holds all of them."""
    first = np.float32 if _holds_all(X) else np.float64
    return {"dtype": [first, np.float32, np.float64], "order": None}


def _holds_all(X: Any) -> bool:
    """Whether float32 holds all numbers of the dtypes of an array or data frame."""
    if isinstance(X, np.ndarray):
        return np.can_cast(X.dtype, np.float32)
    frame = None if narwhals is None else frame_of(X)
    if frame is None:
        return False
    narrow = narwhals.Float32, narwhals.Int8, narwhals.Int16, narwhals.UInt8, narwhals.UInt16
    return all(isinstance(dtype, narrow) for dtype in frame.schema.values())


def plain(X: TableArray) -> FloatArray:
    """Return a table as float64 in C order."""
    return np.ascontiguousarray(X, dtype=np.float64)


def slabs_of(X: TableArray) -> list[slice]:
    """Divide the rows of a table into slabs."""
    n_rows = max(1, _BYTES_OF_A_SLAB // (8 * X.shape[1]))
    n_rows = max(n_rows, min(4 * n_rows, _FEWEST_ROWS_OF_A_SLAB))
    return [slice(first, first + n_rows) for first in range(0, len(X), n_rows)]
