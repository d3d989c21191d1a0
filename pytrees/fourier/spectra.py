"""Arrays of spectra: what is checked, coerced and handed to the kernels."""

from math import prod
from numbers import Real

import numpy as np

from .._engine import kernel

# Relative to the greatest coefficient, how far those of j and -j may be from conjugates.
_CONJUGATE = 1e-9


def is_number(value):
    """Whether a spectrum can be multiplied by it: a finite real number."""
    return isinstance(value, Real) and np.isfinite(value)


def check_same_domain(spectrum, other):
    """Refuse to combine functions of different attributes."""
    if not np.array_equal(spectrum.cardinalities, other.cardinalities):
        raise ValueError(
            f"The spectra are of different domains: cardinalities {spectrum.cardinalities} and {other.cardinalities}."
        )


def plain_values(cardinalities):
    return tuple(int(cardinality) for cardinality in cardinalities)


def digit_dtype(cardinalities):
    """The smallest signed type that holds all digits."""
    greatest = int(cardinalities.max())
    return np.dtype(np.int8 if greatest <= 2**7 else np.int16 if greatest <= 2**15 else np.int32)


def as_digits(partitions, cardinalities):
    """Rows of digits as the kernels take them."""
    digits = np.ascontiguousarray(partitions, dtype=digit_dtype(cardinalities))
    return digits.reshape(-1, cardinalities.size)


def negated(partitions, cardinalities):
    """The partitions -j, modulo the cardinalities."""
    return np.where(partitions != 0, cardinalities - partitions, 0).astype(partitions.dtype)


def check_partitions(partitions, coefficients, cardinalities):
    """The arrays of a spectrum, sorted, with the partition of zeros; those of no real function are refused."""
    partitions, coefficients = np.asarray(partitions), np.array(coefficients, dtype=np.complex128)
    if partitions.ndim != 2 or partitions.shape[1] != cardinalities.size:
        raise ValueError(f"partitions has shape {partitions.shape}; there are {cardinalities.size} attributes.")
    if coefficients.shape != partitions.shape[:1]:
        raise ValueError(f"There are {len(partitions)} partitions, but coefficients of shape {coefficients.shape}.")
    if partitions.size and not np.issubdtype(partitions.dtype, np.integer):
        raise ValueError(f"partitions must hold whole numbers, got {partitions.dtype}.")
    if np.any((partitions < 0) | (partitions >= cardinalities)):
        raise ValueError("partitions has digits outside the cardinalities.")
    if not np.all(np.isfinite(coefficients)):
        raise ValueError("coefficients holds NaN or infinity.")
    if not np.any(~partitions.any(axis=1)):
        partitions = np.concatenate([np.zeros((1, cardinalities.size), dtype=np.int64), partitions])
        coefficients = np.concatenate([[0.0], coefficients])
    in_order = np.lexsort((*partitions.T[::-1], (partitions != 0).sum(axis=1)))
    digits, coefficients = as_digits(partitions[in_order], cardinalities), coefficients[in_order]
    if np.any((digits[1:] == digits[:-1]).all(axis=1)):
        raise ValueError("A partition stands in partitions twice.")
    opposite = np.asarray(kernel("find_partitions")(digits, negated(digits, cardinalities)), dtype=np.int64)
    conjugates = np.where(opposite >= 0, coefficients[opposite].conj(), 0.0)
    if np.any(np.abs(coefficients - conjugates) > _CONJUGATE * np.abs(coefficients).max()):
        raise ValueError("This is no real function: j and -j have coefficients that are not conjugate.")
    return digits, coefficients


def check_budget(what, shape, n_bytes, memory_limit):
    """Refuse what would take more memory than allowed."""
    if n_bytes > memory_limit:
        raise MemoryError(
            f"{what} of shape {shape} would take {n_bytes:.3g} bytes, more than memory_limit={memory_limit}."
        )


def expanded(leaves, cardinalities, memory_limit):
    """The spectrum of leaf boxes, if there is room for it."""
    values = np.ascontiguousarray(leaves.values[:, 0])
    row_bytes = cardinalities.size * digit_dtype(cardinalities).itemsize + 16
    possible = memory_limit // row_bytes
    counts = kernel("count_orders")(leaves.boxes, values, cardinalities, float(possible))
    counts = np.asarray(counts, dtype=np.float64)
    if counts.sum() > possible:
        most = most_coefficients(leaves.boxes, values, cardinalities)
        raise MemoryError(
            f"The spectrum has more than {possible} coefficients, of {row_bytes} bytes each, and up to {most:.4g} "
            f"({most * row_bytes:.4g} bytes); memory_limit is {memory_limit} bytes. Without a spectrum, gram, "
            "schema_average and tree_from_ensemble do the same."
        )
    return kernel("expand_spectrum")(leaves.boxes, values, cardinalities, counts)


def most_coefficients(boxes, values, cardinalities):
    """A bound on the number of coefficients: what the boxes have one by one, or all there are."""
    indptr, attribute = boxes[:2]
    of_boxes = sum(
        prod(int(cardinalities[m]) for m in attribute[indptr[b] : indptr[b + 1]]) for b in np.flatnonzero(values)
    )
    return min(of_boxes, prod(plain_values(cardinalities)))


def merged(spectra):
    """All partitions of some spectra, and their coefficients, a column for each; C-contiguous."""
    partitions, columns = spectra[0].partitions, spectra[0].coefficients[:, np.newaxis]
    for spectrum in spectra[1:]:
        partitions, rows, new_rows = kernel("merge_partitions")(partitions, spectrum.partitions)
        partitions = as_digits(partitions, spectrum.cardinalities)
        columns = np.hstack([_taken(columns, rows), _taken(spectrum.coefficients[:, np.newaxis], new_rows)])
    return partitions, np.ascontiguousarray(columns)


def _taken(columns, rows):
    """Rows of columns, zeros where there is none."""
    rows = np.asarray(rows, dtype=np.int64)
    return np.where((rows >= 0)[:, np.newaxis], columns[rows], 0.0)


def pairs_by_magnitude(spectrum, among):
    """The places of j and of -j for all pairs but that of zeros: the greatest first, then in the spectrum's order."""
    opposite = kernel("find_partitions")(spectrum.partitions, negated(spectrum.partitions, spectrum.cardinalities))
    opposite = np.asarray(opposite, dtype=np.int64)
    places = np.arange(spectrum.n_coefficients)
    opposite = np.where(opposite >= 0, opposite, places)  # one that is less than what the constructor checks
    first = np.flatnonzero(among & (places <= opposite) & (places > 0))
    magnitudes = np.abs(spectrum.coefficients[first])
    rounded = np.round(magnitudes / (magnitudes.max(initial=0.0) or 1.0), 12)
    first = first[np.argsort(-rounded, kind="stable")]
    return first, opposite[first]
