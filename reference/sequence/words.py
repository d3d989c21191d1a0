"""Effort-To-Compress of slices of a sequence, by pairs or by longer words.

Nagaraj, Balasubramanian and Dey, "A new complexity measure for time series analysis and classification", Eur. Phys. J.
Special Topics 222 (2013), define it by pairs. By words of `order` symbols, an iteration replaces the most frequent word
of so many neighbouring symbols, until all symbols are equal or fewer than `order` are left. Frequencies count
occurrences without overlap, greedily from the left; among equally frequent words the one met first is taken.
"""

from .substitution import is_homogeneous


def word_counts(sequence, order):
    """Count every word without overlap, greedily from the left; return counts in the order in which words are met."""
    counts = {}
    last_counted = {}
    for i in range(len(sequence) - order + 1):
        word = tuple(sequence[i : i + order])
        if word in last_counted and i < last_counted[word] + order:
            continue
        counts[word] = counts.get(word, 0) + 1
        last_counted[word] = i
    return counts


def most_frequent_word(sequence, order):
    """Return the word with the highest count, the first met from the left where several have it."""
    best, best_count = None, 0
    for word, count in word_counts(sequence, order).items():
        if count > best_count:
            best, best_count = word, count
    return best


def replace(sequence, word, new_symbol):
    """Return the sequence with every occurrence of the word, taken from left to right, replaced by the new symbol."""
    replaced = []
    i = 0
    while i < len(sequence):
        if tuple(sequence[i : i + len(word)]) == word:
            replaced.append(new_symbol)
            i += len(word)
        else:
            replaced.append(sequence[i])
            i += 1
    return replaced


def effort(codes, n_symbols, order):
    """Return the number of iterations until the sequence is homogeneous or shorter than a word."""
    sequence = list(codes)
    n_steps = 0
    while len(sequence) >= order and not is_homogeneous(sequence):
        sequence = replace(sequence, most_frequent_word(sequence, order), n_symbols + n_steps)
        n_steps += 1
    return n_steps


def efforts(codes, n_symbols, starts, stops, order):
    """Return the effort of every slice codes[start:stop]."""
    return [effort(codes[start:stop], n_symbols, order) for start, stop in zip(starts, stops, strict=True)]
