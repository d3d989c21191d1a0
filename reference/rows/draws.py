"""Samples drawn with replacement, and counted."""


def count_draws(random_state, n_rows, n_draws):
    """Return how often each sample is drawn."""
    counts = [0] * n_rows
    for row in random_state.randint(n_rows, size=n_draws).tolist():
        counts[row] += 1
    return counts
