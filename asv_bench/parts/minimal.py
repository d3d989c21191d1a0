"""Smallest consistent trees: how long they take to be proven, and what a time limit gives."""

from statistics import median
from time import process_time

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from pytrees import datasets, minimal_tree
from pytrees.datasets import make_from_random_tree

from .timing import Quick

# Samples, features and classes of data from random trees of so many nodes, with as many seeds.
FROM_TREES = ((500, 6, 4, 17), (500, 6, 4, 23), (500, 20, 3, 17), (2_000, 10, 3, 17))
SEEDS = 5
TIME_LIMITS = (1, 2, 15)


def minimal():
    """Measure smallest trees: processor seconds until they are proven, and nodes and bounds within time limits."""
    for name, load in (("Iris", load_iris), ("Wine", load_wine)):
        _print_proof(name, [load(return_X_y=True)] * (1 if Quick.wanted else 5))
    for shape in FROM_TREES:
        seeds = range(1 if Quick.wanted else SEEDS)
        problems = [make_from_random_tree(*shape, random_state=seed)[:2] for seed in seeds]
        _print_proof("{:,} × {}, {} classes, tree of {} nodes".format(*shape), problems)
    _print_limits("Breast Cancer", *load_breast_cancer(return_X_y=True))
    try:
        table = datasets.load("ionosphere")
    except FileNotFoundError as error:
        print(f"Ionosphere is left out: {error}")
    else:
        _print_limits("Ionosphere", np.asarray(table.data, dtype=float), table.target)


def _print_proof(name, problems):
    times = sorted(_processor_seconds(X, y) for X, y in problems)
    print(f"{name:<46} {median(times):.3g} s ({times[0]:.3g} to {times[-1]:.3g})")


def _processor_seconds(X, y):
    start = process_time()
    minimal_tree(X, y)
    return process_time() - start


def _print_limits(name, X, y):
    for limit in TIME_LIMITS[:1] if Quick.wanted else TIME_LIMITS:
        found = minimal_tree(X, y, time_limit=float(limit))
        print(f"{name:<46} {limit:3d} s: {found.tree.node_count} nodes, at least {found.lower_bound} are needed")
