"""Non-sequential recursive pair substitution (NSRPS) and Effort-To-Compress (ETC).

Harikrishnan and Nagaraj, "Permutation Decision Trees", Section 2; Nagaraj, Balasubramanian and Dey, "A new complexity
measure for time series analysis and classification", Eur. Phys. J. Special Topics 222 (2013).

In every iteration the pair of neighbouring symbols with the highest frequency is replaced, everywhere, by a new symbol,
until all symbols are equal. ETC is the number of iterations. Frequencies count occurrences without overlap, greedily
from the left; among equally frequent pairs the one met first from the left is taken.
"""


def is_homogeneous(sequence):
    """Whether all symbols are equal; so are the symbols of a sequence of length 0 or 1."""
    return len(set(sequence)) <= 1


def pair_counts(sequence):
    """Count every pair without overlap, greedily from the left; return counts in the order in which pairs are met."""
    counts = {}
    last_counted = {}
    for i in range(len(sequence) - 1):
        pair = (sequence[i], sequence[i + 1])
        if last_counted.get(pair) == i - 1:
            continue
        counts[pair] = counts.get(pair, 0) + 1
        last_counted[pair] = i
    return counts


def most_frequent_pair(sequence):
    """Return the pair with the highest count, the first from the left if several have it; and that count."""
    best, best_count = None, 0
    for pair, count in pair_counts(sequence).items():
        if count > best_count:
            best, best_count = pair, count
    return best, best_count


def replace(sequence, pair, new_symbol):
    """Return the sequence with every occurrence of the pair, taken from left to right, replaced by the new symbol."""
    replaced = []
    i = 0
    while i < len(sequence):
        if i + 1 < len(sequence) and (sequence[i], sequence[i + 1]) == pair:
            replaced.append(new_symbol)
            i += 2
        else:
            replaced.append(sequence[i])
            i += 1
    return replaced


def substitutions(codes, n_symbols):
    """Return every iteration as (left, right, count, length after); iteration i makes the symbol n_symbols + i."""
    sequence = list(codes)
    steps = []
    while not is_homogeneous(sequence):
        pair, count = most_frequent_pair(sequence)
        sequence = replace(sequence, pair, n_symbols + len(steps))
        steps.append((*pair, count, len(sequence)))
    return steps


def effort_to_compress(codes, n_symbols):
    """Return the number of iterations until the sequence is homogeneous."""
    return len(substitutions(codes, n_symbols))
