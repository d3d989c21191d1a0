"""Accuracy of the ways to split categories, and of one-hot columns with scikit-learn, on the same folds.

    python tools/compare_categories.py   # the table of docs/guide/categorical.md, in some ten minutes

Means of fivefold cross-validation, repeated four times (splice: once; the MONK's problems: their training samples; tae:
without class size), all features categorical, without limits.
"""

import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier as TheirTree

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.datasets import get_data_home

TABLES = ["car", "house_votes_84", "monks1.train", "monks2.train", "monks3.train", "tae", "splice"]


def contestants():
    """Return the estimators by the heads of their columns."""
    found = {}
    for split in ("multiway", "subset"):
        kind = {"categorical_features": "from_dtype", "handle_unknown": "majority", "categorical_split": split}
        found |= {
            f"tree, {split}": DecisionTreeClassifier("entropy", random_state=0, **kind),
            f"gain ratio, {split}": DecisionTreeClassifier("gain_ratio", random_state=0, **kind),
            f"50 trees, {split}": DecisionForestClassifier(50, criterion="entropy", random_state=0, **kind),
        }
    encoder = OneHotEncoder(handle_unknown="ignore")
    found["tree, one-hot"] = make_pipeline(encoder, TheirTree(criterion="entropy", random_state=0))
    found["50 trees, one-hot"] = make_pipeline(encoder, RandomForestClassifier(50, criterion="entropy", random_state=0))
    return found


def table_of(folder, name):
    """Return a data frame of categories, and the classes."""
    table = pd.read_csv(next(folder.glob(f"{name}.csv*")), dtype=str).fillna("missing")
    if name == "tae":
        table = table.drop(columns=table.columns[4])
    return table.iloc[:, :-1].astype("category"), table.iloc[:, -1].to_numpy()


def main():
    """Print a row for every table."""
    names = contestants()
    print("| samples × features | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for name in TABLES:
        X, y = table_of(get_data_home(), name)
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1 if name == "splice" else 4, random_state=0)
        cells = []
        for estimator in names.values():
            try:
                cells.append(f"{cross_val_score(estimator, X, y, cv=folds, error_score='raise').mean():.3f}"[1:])
            except ValueError as error:
                cells.append("refused" if "categories" in str(error) else "error")
        print(f"| {name.partition('.')[0]}, {len(X)} × {X.shape[1]} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
