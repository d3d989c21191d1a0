"""One tree, or a forest of 100, on two threads against one."""

from functools import partial

import numpy as np

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, PermutationDecisionTreeClassifier

from .cart import real_weights
from .timing import informative_data, print_ratio, race, rows

GOAL = 1.7
GOAL_OF_FOREST = 1.7


def of_probability(n, rng):
    """Make n samples of ten features; two of them tell of random labels."""
    X = rng.normal(size=(rows(n), 10))
    return X, rng.random(len(X)) < 1 / (1 + np.exp(-2 * (X[:, 3] + X[:, 7])))


ORDERED = PermutationDecisionTreeClassifier(max_candidates=256)
FOREST = DecisionForestClassifier(random_state=0)
CASES = [
    ("1,000,000 × 20, gini", DecisionTreeClassifier(), partial(informative_data, 1_000_000), 5, GOAL),
    ("1,000,000 × 20, entropy", DecisionTreeClassifier("entropy"), partial(informative_data, 1_000_000), 3, None),
    ("100,000 × 20, gini", DecisionTreeClassifier(), partial(informative_data, 100_000), 15, None),
    ("100,000 × 20, real row weights, gini", DecisionTreeClassifier(), partial(real_weights, 100_000), 7, None),
    ("100,000 × 20, ordinal gini", DecisionTreeClassifier("ogini"), partial(informative_data, 100_000), 7, None),
    ("forest, 1,000 × 20", FOREST, partial(informative_data, 1_000), 31, None),
    ("forest, 10,000 × 20", FOREST, partial(informative_data, 10_000), 15, GOAL_OF_FOREST),
    ("forest, 100,000 × 20", FOREST, partial(informative_data, 100_000), 3, GOAL_OF_FOREST),
    ("permutation tree, 100,000 × 10, 256 cuts", ORDERED, partial(of_probability, 100_000), 1, None),
]


def fit(estimator, n_jobs, X, y, *weights):
    estimator.set_params(n_jobs=n_jobs).fit(X, y, *weights)


def threads():
    """Compare two threads with one, whole `fit`, by the clock: another program beside them lowers the ratio."""
    for title, estimator, make_arguments, repetitions, goal in CASES:
        contestants = {f"{n_jobs} thread{'s' * (n_jobs > 1)}": partial(fit, estimator, n_jobs) for n_jobs in (2, 1)}
        print_ratio(title, race(contestants, make_arguments, repetitions), goal)
