"""Features cut into bins of neighbouring values.

Bins do not change a tree: the kernel looks at the cuts between bins first, and then inside bins where a cut could still
be better (`fast/bin_cuts`). The choice of bins therefore matters for speed alone.
"""

from bisect import bisect_left
from collections import Counter

from ..rows.partition import is_missing

MAX_BINS = 256
SAMPLE_ROWS = 8192


def bin_features(X, max_bins=MAX_BINS):
    """Cut every feature into at most max_bins bins of neighbouring values.

    Returns the bins of the values, row by row, and for every feature a list that says of each bin whether it holds
    different values. Missing values have a bin of their own, the last one.
    """
    if not 2 <= max_bins <= MAX_BINS:
        raise ValueError(f"max_bins must be in 2..{MAX_BINS}, got {max_bins}.")
    if not X:
        raise ValueError("There are no rows to cut into bins.")
    codes, is_mixed = [[] for _ in X], []
    # Evenly spaced rows, at least SAMPLE_ROWS of many, stand for all rows.
    sample = X[:: max(1, len(X) // SAMPLE_ROWS)]
    for feature in range(len(X[0])):
        values = [row_values[feature] for row_values in X]
        lacks_values = any(is_missing(value) for value in values)
        if not lacks_values and are_few_whole_numbers(values, max_bins):
            lasts = sorted(set(values))
        else:
            known = [row_values[feature] for row_values in sample if not is_missing(row_values[feature])]
            lasts = last_values(known, max_bins - lacks_values)
        members = [set() for _ in lasts or [None]]
        for row_values, row_codes in zip(X, codes, strict=True):
            if is_missing(row_values[feature]):
                row_codes.append(len(members))
                continue
            # Every bin but the last has a last value: a value comes after the bins whose last value is smaller.
            code = bisect_left(lasts[:-1], row_values[feature])
            row_codes.append(code)
            members[code].add(row_values[feature])
        is_mixed.append([len(values) > 1 for values in members] + [False] * lacks_values)
    return codes, is_mixed


def are_few_whole_numbers(values, most):
    """Whether all values are whole numbers within a range of less than `most`."""
    return all(value.is_integer() for value in values) and max(values) - min(values) < most


def last_values(sample, max_bins):
    """Return the last value of every bin: one bin for each of few values, else bins of about equal frequency."""
    if len(set(sample)) <= max_bins:
        return sorted(set(sample))
    wanted = len(sample) // max_bins + 1
    while len(lasts := last_values_of_bins_of(wanted, sample)) > max_bins:
        wanted *= 2
    return lasts


def last_values_of_bins_of(wanted, sample):
    """Return the last value of every bin: a bin ends with at least `wanted` values, or before a value that occurs
    `wanted` times."""
    lasts, n_in_bin, last = [], 0, None
    for value, frequency in sorted(Counter(sample).items()):
        if n_in_bin > 0 and frequency >= wanted:
            lasts.append(last)
            n_in_bin = 0
        n_in_bin += frequency
        if n_in_bin >= wanted:
            lasts.append(value)
            n_in_bin = 0
        last = value
    return [*lasts, last] if n_in_bin > 0 else lasts
