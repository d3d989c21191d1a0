"""Cost of a threshold by each criterion, against Gini."""

from statistics import median
from time import process_time

import numpy as np
from benchmarks.common import NO_LIMITS, count_instructions, grow, has_valgrind

from .timing import Quick, informative_data, rows

# The goal is the most that a threshold may cost, as a multiple of Gini's.
GOALS = {"gini": None, "entropy": None, "ogini": 1.6, "ranking": 1.6, "wig": 1.6}
N_CLASSES = 10


def noise(rng, n, n_features=20):
    """Make (X, y) of random features whose values all differ."""
    return rng.normal(size=(n, n_features)), rng.integers(N_CLASSES, size=n).astype(np.int32)


def informative(rng, n):
    X, y = informative_data(n, rng, n_classes=N_CLASSES)
    return X, y.astype(np.int32)


def nanoseconds(X, y, turns):
    """Return {criterion: time of a threshold}: the least of some turns of the root's split, less that of a root that
    may not be split, whose features are only sorted. Processor time, because the differences are small."""
    least = dict.fromkeys([*GOALS, "sort"], np.inf)
    for _ in range(turns):
        for name in least:
            criterion, min_samples_leaf = ("gini", len(y)) if name == "sort" else (name, 1)
            start = process_time()
            grow("compiled", X, y, criterion, max_depth=1, min_samples_leaf=min_samples_leaf)
            least[name] = min(least[name], process_time() - start)
    return {criterion: (least[criterion] - least["sort"]) / X.size * 1e9 for criterion in GOALS}


def instructions(X, y, criterion):
    """Count the instructions of a threshold, by the same subtraction."""
    call = ("grow_by_gain", X, y, None, N_CLASSES, criterion)
    limits = NO_LIMITS | {"max_depth": 1}
    split, sort = (count_instructions(*call, **(limits | {"min_samples_leaf": least})) for least in (1, len(y)))
    return (split - sort) / X.size


def ordinal():
    """Measure cost of a threshold: the split of a root of 15,000 × 20 and ten classes, all values different, less the
    sort of its features. Fresh data every time, of which each criterion takes the least of some turns; then medians,
    and medians of the ratios to Gini on the same data. Instructions, of one small root, do not depend on the load."""
    n, turns, repetitions = (rows(15_000), 2, 1) if Quick.wanted else (15_000, 15, 21)
    for title, draw in {"features of noise": noise, "informative features": informative}.items():
        rng = np.random.default_rng(0)
        times = [nanoseconds(*draw(rng, n), turns) for _ in range(repetitions)]
        few = draw(np.random.default_rng(0), 4_000)
        counted = {}
        for criterion, goal in GOALS.items():
            ratios = sorted(taken[criterion] / taken["gini"] for taken in times)
            spread = f"({ratios[len(ratios) // 4]:.2f} to {ratios[-1 - len(ratios) // 4]:.2f})"
            line = f"{f'{title}, {criterion}':<34}{median(taken[criterion] for taken in times):6.2f} ns"
            line += f"{median(ratios):7.2f}× {spread}"
            if has_valgrind() and not Quick.wanted:
                counted[criterion] = instructions(*few, criterion)
                line += f"{counted[criterion]:8.1f} instructions {counted[criterion] / counted['gini']:6.2f}×"
            if goal is not None and not Quick.wanted:
                line = f"{line:<112} goal {goal:3.1f}×, {'reached' if median(ratios) <= goal else 'MISSED'}"
            print(line)
