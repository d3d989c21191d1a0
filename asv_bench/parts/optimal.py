"""Trees of least error within limits, beside ConTree where it is installed."""

from statistics import median
from time import process_time

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from pytrees import datasets, optimal_tree

from .timing import Quick

DEPTHS = (2, 3, 4)
LEAVES = (3, 4, 5, 6)
REPETITIONS = 3


def optimal():
    """Measure trees of least error: processor seconds until they are proven, beside those of ConTree."""
    contestants = {"pytrees": _errors_of_ours, **_contree()}
    for name, (X, y) in _tables().items():
        for depth in DEPTHS[:1] if Quick.wanted else DEPTHS:
            times = {contestant: [] for contestant in contestants}
            errors = {}
            for _ in range(1 if Quick.wanted else REPETITIONS):
                for contestant, find in contestants.items():
                    start = process_time()
                    errors[contestant] = find(X, y, depth)
                    times[contestant].append(process_time() - start)
            line = "".join(f"{median(times[one]):10.4f} s {errors[one]:4d} errors" for one in contestants)
            print(f"{name}, {depth} levels".ljust(28) + line)
        for n_leaves in LEAVES[:1] if Quick.wanted else LEAVES:
            start = process_time()
            found = optimal_tree(X, y, max_leaf_nodes=n_leaves, time_limit=60.0)
            proven = "proven" if found.is_proven else f"at least {round(found.lower_bound * len(X))}"
            line = f"{process_time() - start:10.4f} s {found.n_errors:4d} errors, {proven}"
            print(f"{name}, {n_leaves} leaves".ljust(28) + line)


def _tables():
    loaders = {"Iris": load_iris, "Wine": load_wine, "Breast Cancer": load_breast_cancer}
    tables = {name: load(return_X_y=True) for name, load in loaders.items()}
    for name in ("haberman", "ionosphere"):
        try:
            table = datasets.load(name)
        except FileNotFoundError as error:
            print(f"{name.capitalize()} is left out: {error}")
        else:
            tables[name.capitalize()] = (
                np.asarray(table.data, dtype=float),
                np.unique(table.target, return_inverse=True)[1],
            )
    return tables


def _errors_of_ours(X, y, depth):
    return optimal_tree(X, y, max_depth=depth).n_errors


def _contree():
    try:
        from pycontree import ConTree
    except ImportError:
        print("ConTree is left out: pip install pycontree")
        return {}
    return {"ConTree": lambda X, y, depth: int((ConTree(max_depth=depth).fit(X, y).predict(X) != y).sum())}
