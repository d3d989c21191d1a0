"""Effort-To-Compress of slices of a sequence, by pairs or by longer n-grams.

Nagaraj, Balasubramanian and Dey, "A new complexity measure for time series analysis and classification", Eur. Phys. J.
Special Topics 222 (2013), define it by pairs. An n-gram is `order` neighbouring symbols. An iteration replaces the most
frequent n-gram by a new symbol, until all symbols are equal or fewer than `order` are left. Frequencies count
occurrences without overlap, greedily from the left; of equally frequent n-grams the first from the left is taken.
"""

from .substitution import is_homogeneous


def ngram_counts(sequence, order):
    """Count every n-gram without overlap, greedily from the left; return counts in the order of first occurrences."""
    counts = {}
    last_counted = {}
    for i in range(len(sequence) - order + 1):
        ngram = tuple(sequence[i : i + order])
        if ngram in last_counted and i < last_counted[ngram] + order:
            continue
        counts[ngram] = counts.get(ngram, 0) + 1
        last_counted[ngram] = i
    return counts


def most_frequent_ngram(sequence, order):
    """Return the n-gram with the highest count, the first from the left if several have it."""
    best, best_count = None, 0
    for ngram, count in ngram_counts(sequence, order).items():
        if count > best_count:
            best, best_count = ngram, count
    return best


def replace(sequence, ngram, new_symbol):
    """Replace every occurrence of the n-gram by the new symbol, from left to right; return the new sequence."""
    replaced = []
    i = 0
    while i < len(sequence):
        if tuple(sequence[i : i + len(ngram)]) == ngram:
            replaced.append(new_symbol)
            i += len(ngram)
        else:
            replaced.append(sequence[i])
            i += 1
    return replaced


def effort(codes, n_symbols, order):
    """Return the number of iterations until the sequence is homogeneous or shorter than an n-gram."""
    sequence = list(codes)
    n_steps = 0
    while len(sequence) >= order and not is_homogeneous(sequence):
        sequence = replace(sequence, most_frequent_ngram(sequence, order), n_symbols + n_steps)
        n_steps += 1
    return n_steps


def efforts(codes, n_symbols, starts, stops, order):
    """Return the effort of every slice codes[start:stop]."""
    return [effort(codes[start:stop], n_symbols, order) for start, stop in zip(starts, stops, strict=True)]
