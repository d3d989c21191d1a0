"""Accuracy and time on tables with gaps, beside scikit-learn on the same rows.

    python tools/compare_missing.py          # the table of docs/guide/missing.md, in some ten minutes

Categories are numbered by their order, as both libraries then have the same numbers, and gaps stay gaps. Accuracies are
means of ten times tenfold cross-validation, on the same folds (once where there are 5,000 samples or more); times are
those of fits to all rows, the best of five.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier as TheirTree

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.datasets import get_data_home

PAIRS = {
    "tree, gini": (DecisionTreeClassifier(), TheirTree(random_state=0)),
    "tree, entropy, 5 samples a leaf": (
        DecisionTreeClassifier("entropy", min_samples_leaf=5),
        TheirTree(criterion="entropy", min_samples_leaf=5, random_state=0),
    ),
    "forest of 100": (DecisionForestClassifier(random_state=0), RandomForestClassifier(random_state=0)),
}


def numbered(table):
    """Return a data frame as numbers: words by their order, gaps as NaN."""
    columns = {}
    for name, column in table.items():
        if not pd.api.types.is_numeric_dtype(column):
            codes = column.astype("category").cat.codes
            column = codes.where(codes >= 0)
        columns[name] = column.astype(np.float64)
    # scikit-learn's trees see float32: the same numbers for both.
    return pd.DataFrame(columns).to_numpy(dtype=np.float32).astype(np.float64)


def tables(folder):
    """Yield the name, the numbers and the classes of every table; the target is the last column."""
    for name in ("house_votes_84", "eucalyptus", "automobile", "ordered/flights_lga"):
        found = sorted(folder.glob(f"{name}.csv*"))
        if not found:
            print(f"{name} is left out: tools/fetch_tables.py fetches it.", file=sys.stderr)
            continue
        table = pd.read_csv(found[0])
        yield Path(name).name, numbered(table.iloc[:, :-1]), table.iloc[:, -1].astype(str).to_numpy()


def seconds_of_fit(estimator, X, y):
    times = []
    for _ in range(5):
        start = perf_counter()
        estimator.fit(X, y)
        times.append(perf_counter() - start)
    return min(times)


def main(arguments=None):
    """Print a row for every table and pair of estimators."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10, help="of tenfold cross-validation (default: 10)")
    repeats = parser.parse_args(arguments).repeats
    print("| table | samples, features, missing | estimator | accuracy | scikit-learn | ms | scikit-learn |")
    print("|---|---|---|---|---|---|---|")
    for name, X, y in tables(get_data_home()):
        n_repeats = repeats if len(X) < 5000 else 1
        folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=n_repeats, random_state=0)
        gaps = f"{len(X):,}, {X.shape[1]}, {np.isnan(X).mean():.1%}"
        for kind, pair in PAIRS.items():
            scores = [100 * cross_val_score(estimator, X, y, cv=folds).mean() for estimator in pair]
            times = [1000 * seconds_of_fit(estimator, X, y) for estimator in pair]
            print(f"| {name} | {gaps} | {kind} | {scores[0]:.1f} | {scores[1]:.1f} | {times[0]:.1f} | {times[1]:.1f} |")
            gaps = ""


if __name__ == "__main__":
    main()
