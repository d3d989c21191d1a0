"""Check the arrays of a spectrum, its partitions and coefficients, and convert them for the kernels."""

from __future__ import annotations

from math import isfinite, prod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._engine import kernel
from .._typing import AnyArray, Boxes, ComplexArray, FloatArray, IntArray
from .boxes import Leaves, check_memory_limit

# The coefficients of j and -j may differ from conjugates by this share of the greatest coefficient.
_CONJUGATE = 1e-9

# Spectra and averages that take more steps are refused: these take some ten minutes.
_MOST_STEPS = 2**36


def is_number(value: object) -> bool:
    """Whether a value is a finite real number, by which a spectrum can be multiplied."""
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:
        return False


def finite(coefficients: ComplexArray) -> ComplexArray:
    """Return the coefficients; raise OverflowError if one is not finite."""
    if not np.all(np.isfinite(coefficients)):
        raise OverflowError("The coefficients of the spectrum would not be finite.")
    return coefficients


def plain_values(cardinalities: IntArray) -> tuple[int, ...]:
    return tuple(int(cardinality) for cardinality in cardinalities)


def digit_dtype(cardinalities: IntArray) -> np.dtype[Any]:
    """Return the smallest signed type that holds all digits."""
    greatest = int(cardinalities.max())
    return np.dtype(np.int8 if greatest <= 2**7 else np.int16 if greatest <= 2**15 else np.int32)


def as_digits(partitions: ArrayLike, cardinalities: IntArray) -> AnyArray:
    """Return rows of digits as the kernels take them."""
    digits = np.require(partitions, digit_dtype(cardinalities), ["C", "A"])
    return digits.reshape(-1, cardinalities.size)


def negated(partitions: AnyArray, cardinalities: IntArray) -> AnyArray:
    """Return the partitions -j, modulo the cardinalities."""
    return np.where(partitions != 0, cardinalities - partitions, 0).astype(partitions.dtype)


def check_digits(partitions: AnyArray, cardinalities: IntArray) -> None:
    """Raise ValueError if a digit is not below the cardinality of its attribute."""
    if np.any((partitions < 0) | (partitions >= cardinalities)):
        raise ValueError("partitions has digits outside the cardinalities.")


def check_partitions(
    partitions: ArrayLike, coefficients: ArrayLike, cardinalities: IntArray
) -> tuple[AnyArray, ComplexArray]:
    """Check and sort the arrays of a spectrum, and add the partition of zeros; refuse functions that are not real."""
    try:
        partitions, coefficients = np.asarray(partitions), np.array(coefficients, dtype=np.complex128)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"partitions and coefficients must be arrays of numbers: {error}.") from error
    if partitions.ndim != 2 or partitions.shape[1] != cardinalities.size:
        raise ValueError(f"partitions has shape {partitions.shape}; there are {cardinalities.size} attributes.")
    if coefficients.shape != partitions.shape[:1]:
        raise ValueError(f"There are {len(partitions)} partitions, but coefficients of shape {coefficients.shape}.")
    if partitions.size and partitions.dtype.kind not in "iu":
        raise ValueError(f"partitions must hold whole numbers, got {partitions.dtype}.")
    check_digits(partitions, cardinalities)
    if not np.all(np.isfinite(coefficients)):
        raise ValueError("coefficients holds NaN or infinity.")
    if not np.any(~partitions.any(axis=1)):
        partitions = np.concatenate([np.zeros((1, cardinalities.size), dtype=np.int64), partitions])
        coefficients = np.concatenate([[0.0], coefficients])
    in_order = np.lexsort((*partitions.T[::-1], (partitions != 0).sum(axis=1)))
    digits, coefficients = as_digits(partitions[in_order], cardinalities), coefficients[in_order]
    if np.any((digits[1:] == digits[:-1]).all(axis=1)):
        raise ValueError("partitions contains a duplicate row.")
    opposite = np.asarray(kernel("find_partitions")(digits, negated(digits, cardinalities)), dtype=np.int64)
    conjugates = np.where(opposite >= 0, coefficients[opposite].conj(), 0.0)
    if np.any(np.abs(coefficients - conjugates) > _CONJUGATE * np.abs(coefficients).max()):
        raise ValueError("The function is not real: j and -j have coefficients that are not conjugate.")
    return digits, coefficients


def expanded(leaves: Leaves, cardinalities: IntArray, memory_limit: int) -> tuple[AnyArray, ComplexArray]:
    """Expand the spectrum of leaf boxes; raise MemoryError if it exceeds the limit."""
    check_memory_limit(memory_limit)
    values = np.ascontiguousarray(leaves.values[:, 0])
    row_bytes = cardinalities.size * digit_dtype(cardinalities).itemsize + 16
    # Infinity // row_bytes would be NaN, and no number exceeds NaN.
    possible = memory_limit // row_bytes if memory_limit < 2**63 else np.inf
    counts = kernel("count_orders")(leaves.boxes, values, cardinalities, float(possible))
    counts = np.asarray(counts, dtype=np.float64)
    if counts.sum() > possible:
        most = most_coefficients(leaves.boxes, values, cardinalities)
        raise MemoryError(
            f"The spectrum has more than {possible} coefficients, of {row_bytes} bytes each, and up to {most:.4g} "
            f"({most * row_bytes:.4g} bytes); memory_limit is {memory_limit} bytes. gram, schema_average and "
            "tree_from_ensemble need no spectrum."
        )
    check_steps(leaves.boxes, cardinalities, _pairs(leaves.boxes, values, cardinalities))
    return kernel("expand_spectrum")(leaves.boxes, values, cardinalities, counts)


def check_steps(boxes: Boxes, cardinalities: IntArray, n_pairs: int = 0) -> None:
    """Raise ValueError if characters over the constraints of boxes, and pairs of a box and a partition, take too long.

    The mean of a constraint's characters takes a step for every digit of the attribute, times every value allowed.
    """
    _, attribute, run_indptr, start, stop = boxes
    n_digits = np.repeat(cardinalities[attribute].astype(np.float64), np.diff(run_indptr))
    n_steps = n_pairs + int((n_digits * (stop - start)).sum())
    if n_steps > _MOST_STEPS:
        raise ValueError(
            f"With cardinalities up to {cardinalities.max()} this takes {float(min(n_steps, 10**300)):.3g} steps, more "
            f"than {_MOST_STEPS:.3g}, some ten minutes. pytrees.fourier.ordinal_codes makes codes of fewer values; "
            "gram, schema_average and tree_from_ensemble need no spectrum."
        )


def most_coefficients(boxes: Boxes, values: FloatArray, cardinalities: IntArray) -> int:
    """Bound the number of coefficients: by the sum over the boxes, or by the number of all partitions."""
    return min(_pairs(boxes, values, cardinalities), prod(plain_values(cardinalities)))


def _pairs(boxes: Boxes, values: FloatArray, cardinalities: IntArray) -> int:
    """Count the pairs of a box, of a value other than zero, and a partition in whose coefficient it has a part."""
    indptr, attribute = boxes[:2]
    return sum(
        prod(int(cardinalities[m]) for m in attribute[indptr[b] : indptr[b + 1]]) for b in np.flatnonzero(values)
    )
