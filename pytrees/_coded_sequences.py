"""The labels of a sequence as codes, and the Effort-To-Compress of many slices of codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import gen_even_slices

from ._engine import kernel
from ._missing import is_nan
from ._typing import AnyArray, CodeArray, IntArray
from ._workers import run_in_order
from .input.labels import has_nulls, unpacked

_LABELS_OF_A_PART = 2**22  # a fraction of a second's work: signals are noticed between parts
_LABELS_FOR_THREADS = 2**14  # about a millisecond: sharing less work takes longer than doing it
_LONGEST_NGRAM = 2**31 - 1  # longer than any sequence


def encode(sequence: Any) -> tuple[CodeArray, Sequence[Any]]:
    """Encode the labels of a sequence by 0..k-1 (int32); return the codes and the k different labels.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`.
    """
    if isinstance(sequence, (Set, Mapping)) or not (isinstance(sequence, Iterable) or hasattr(sequence, "__array__")):
        raise TypeError(f"A sequence of labels is expected, got {type(sequence).__name__}.")
    check_not_missing(sequence)
    if isinstance(sequence, memoryview) or (hasattr(sequence, "__array__") and not isinstance(sequence, (str, bytes))):
        array = np.asarray(sequence) if isinstance(sequence, memoryview) else unpacked(sequence, "sequence")
        if array.ndim != 1:
            raise ValueError(f"A sequence has one dimension, got an array with {array.ndim}.")
        if array.dtype.kind not in "OT":
            return _encode_array(array)
        sequence = array.tolist()
    return _encode_labels(sequence)


def check_not_missing(sequence: Any) -> None:
    """Raise ValueError if a container marks labels as missing; NumPy would make floats of its integers."""
    if np.ma.is_masked(sequence):
        raise ValueError("The sequence contains missing values: some of it is masked.")
    if has_nulls(sequence):
        raise ValueError("The sequence contains missing values (NaN, NaT or NA).")


def _encode_array(array: AnyArray) -> tuple[CodeArray, Sequence[Any]]:
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < max(array.size, 256):  # some codes may not occur; this saves sorting
            wide = array if array.dtype.kind == "u" else array.astype(np.int64)
            return (wide - wide.dtype.type(low)).astype(np.int32), range(low, high + 1)
    labels, codes = np.unique(array, return_inverse=True)
    if len(labels) and labels[-1] != labels[-1]:  # missing values are sorted to the end
        raise ValueError("The sequence contains missing values (NaN or NaT).")
    # Dates of nanoseconds have no Python equivalent: they stay NumPy's.
    return codes.astype(np.int32), list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def _encode_labels(sequence: Iterable[Any]) -> tuple[CodeArray, list[Any]]:
    code_of: dict[Any, int] = {}
    try:
        codes = np.array([code_of.setdefault(label, len(code_of)) for label in sequence], dtype=np.int32)
    except TypeError as error:
        raise TypeError(f"The labels of a sequence must be hashable: {error}.") from error
    labels = list(code_of)
    if any(is_nan(label) for label in labels):
        raise ValueError("The sequence contains missing values (NaN, NaT or NA).")
    return codes, labels


def efforts_of_slices(
    codes: CodeArray, n_symbols: int, starts: AnyArray, stops: AnyArray, order: int, n_jobs: int | None
) -> IntArray:
    """Compute the efforts of the slices codes[start:stop] on threads; a signal is noticed between parts of the work."""
    starts, stops = starts.astype(np.int64), stops.astype(np.int64)
    efforts, order = kernel("efforts"), min(order, _LONGEST_NGRAM)
    n_labels = int((stops - starts).sum())
    n_parts = max(1, min(len(starts), n_labels // _LABELS_OF_A_PART))
    if n_jobs not in (None, 1) and n_labels >= _LABELS_FOR_THREADS:
        n_parts = max(n_parts, min(len(starts), 4 * effective_n_jobs(n_jobs)))
    tasks = []
    for part in gen_even_slices(len(starts), n_parts) if len(starts) else ():
        # The kernel looks at every code once, so codes outside the part's slices are left out.
        low, high = int(starts[part].min()), int(stops[part].max())
        tasks.append((codes[low:high], n_symbols, starts[part] - low, stops[part] - low, order))
    found = run_in_order(efforts, tasks, n_jobs if n_parts > 1 else 1, prefer="threads")
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.asarray(part, dtype=np.int64) for part in found)])
