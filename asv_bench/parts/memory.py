"""Peak memory of whole calls beyond the table that they are given: tables of many kinds, and forests on two threads."""

import gc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from .timing import rows

N_FEATURES = 20
MIB = 2**20


def whole_numbers(X, dtype):
    return np.clip(np.round(X * 30 + 128), 0, 255).astype(dtype)


def columns_of(X):
    return {f"x{j}": X[:, j].copy() for j in range(X.shape[1])}


def pandas(X):
    from pandas import DataFrame

    return DataFrame(X)


def pandas_of_both(X):
    return pandas(X).astype(dict.fromkeys(range(0, X.shape[1], 2), np.float32))


def pandas_of_arrow(X):
    from pandas import ArrowDtype

    return arrow(X).to_pandas(types_mapper=ArrowDtype)


def polars(X):
    from polars import DataFrame

    return DataFrame(columns_of(X))


def arrow(X):
    from pyarrow import table

    return table(columns_of(X))


TABLES = {
    "float64, C order": np.ascontiguousarray,
    "float64, Fortran order": np.asfortranarray,
    "float32, C order": np.float32,
    "float32, Fortran order": lambda X: np.asfortranarray(X, dtype=np.float32),
    "int64": lambda X: whole_numbers(X, np.int64),
    "uint8": lambda X: whole_numbers(X, np.uint8),
    "pandas, float64": pandas,
    "pandas, float32": lambda X: pandas(X.astype(np.float32)),
    "pandas, both": pandas_of_both,
    "pandas, float64 of Arrow": pandas_of_arrow,
    "polars, float64": polars,
    "polars, float32": lambda X: polars(X.astype(np.float32)),
    "Arrow, float64": arrow,
    "Arrow, float32": lambda X: arrow(X.astype(np.float32)),
}


def estimator_of(library, work, n_jobs):
    if library == "pytrees":
        from pytrees import DecisionForestClassifier as Forest
        from pytrees import DecisionTreeClassifier as Tree
        from pytrees import DecisionTreeRegressor as Regressor
    else:
        from sklearn.ensemble import RandomForestClassifier as Forest
        from sklearn.tree import DecisionTreeClassifier as Tree
        from sklearn.tree import DecisionTreeRegressor as Regressor
    if work == "regression":
        return Regressor(random_state=0)
    n_estimators = {"forest": 100, "small forest": 10}.get(work)
    if n_estimators is not None:
        return Forest(n_estimators, n_jobs=n_jobs, random_state=0)
    return Tree(max_depth=8, random_state=0)


def bytes_of(field):
    return int(re.search(rf"{field}:\s*(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024


def measure(library, work, kind, n, n_jobs):
    """Print by how many MiB the memory of this process grows at its peak during one call."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, N_FEATURES))
    y = X[:, 3] + X[:, 7] + rng.normal(size=n)
    y = y if work == "regression" else (y > 0).astype(np.int64)
    estimator = estimator_of(library, work, n_jobs)
    few = TABLES[kind](X[:500])
    # The first calls import what they need, and give `predict` a tree; they are small, so that little memory is free.
    estimator.fit(few, y[:500]).predict(few)
    table = TABLES[kind](X)
    del X
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = bytes_of("VmRSS")
    if work == "predict":
        estimator.predict(table)
    else:
        estimator.fit(table, y)
    print((bytes_of("VmHWM") - before) / MIB)


def peak(library, work, kind, n, n_jobs=1):
    """Measure in a process of its own, which no other measurement has left memory."""
    arguments = [library, work, kind, str(n), str(n_jobs)]
    command = [sys.executable, "-m", "parts.memory", *arguments]
    child = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return float(child.stdout)


def memory():
    """Peak memory in MiB beyond the table: 1,000,000 × 20 for trees of depth 8, then 100,000 × 20 for larger models."""
    if not Path("/proc/self/clear_refs").exists():
        print("only Linux tells the peak of a process anew")
        return
    print(f"{'':<28}{'fit':>10}{'scikit-learn':>14}{'predict':>10}{'scikit-learn':>14}")
    for kind, convert in TABLES.items():
        try:
            convert(np.zeros((2, N_FEATURES)))
        except ImportError as error:
            print(f"{kind:<28}{error}")
            continue
        peaks = [
            peak(library, work, kind, rows(1_000_000))
            for work in ("fit", "predict")
            for library in ("pytrees", "scikit-learn")
        ]
        print("{:<28}{:10.0f}{:14.0f}{:10.0f}{:14.0f}".format(kind, *peaks))
    for n_jobs in (1, 2):
        peaks = [
            peak(library, "forest", "float64, C order", rows(100_000), n_jobs)
            for library in ("pytrees", "scikit-learn")
        ]
        print("{:<28}{:10.0f}{:14.0f}".format(f"forest, n_jobs={n_jobs}", *peaks))
    for work, kind in (
        ("regression", "float64, C order"),
        ("small forest", "float64, C order"),
        ("predict", "float32, C order"),
    ):
        peaks = [peak(library, work, kind, rows(100_000)) for library in ("pytrees", "scikit-learn")]
        print("{:<28}{:10.1f}{:14.1f}".format(f"{work}, {kind.split(',')[0]}", *peaks))


if __name__ == "__main__":
    library, work, kind, *numbers = sys.argv[1:]
    measure(library, work, kind, *map(int, numbers))
