"""Samples drawn with replacement from a seed, as NumPy's legacy generator draws them.

Numbers are words of the Mersenne Twister (M. Matsumoto and T. Nishimura, "Mersenne twister: a 623-dimensionally
equidistributed uniform pseudo-random number generator", ACM Transactions on Modeling and Computer Simulation 8 (1998),
pages 3-30). Bits that no number needs are dropped, then numbers that are too large. Python has the same generator, but
derives another first state from a seed.
"""

from collections import Counter
from random import Random

N_WORDS = 624


def words(seed):
    """Yield the words of 32 bits that follow from a seed, itself a word."""
    state = [seed]
    for i in range(1, N_WORDS):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + i) % 2**32)
    twister = Random()
    twister.setstate((3, (*state, N_WORDS), None))
    while True:
        yield twister.getrandbits(32)


def count_draws(seed, n_rows, n_draws):
    """Draw numbers below n_rows; return the drawn numbers, ascending, and how often each was drawn."""
    mask = 2 ** (n_rows - 1).bit_length() - 1
    numbers = (word & mask for word in words(seed))
    allowed = (number for number in numbers if number < n_rows)
    counts = Counter(next(allowed) for _ in range(n_draws))
    drawn = sorted(counts)
    return drawn, [counts[row] for row in drawn]
