"""Check scikit-learn's trees node by node: the table of docs/cross_checking.md.

    python tools/check_scikit_learn.py --cases 1000

It takes some minutes. Every row grows so many trees on seeded tables, and counts what their splits are.
"""

import argparse
import platform

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pytrees.testing import TreeCheckError, check_tree_estimator

# Every row of the table: parameters of the tree, and of the check.
ROWS = {
    "gini": ({}, {}),
    "entropy": ({"criterion": "entropy"}, {}),
    "gini, weights": ({}, {"weighted": True}),
    "entropy, weights": ({"criterion": "entropy"}, {"weighted": True}),
    "`max_leaf_nodes=5`": ({"max_leaf_nodes": 5}, {}),
    "`min_samples_leaf=3`": ({"min_samples_leaf": 3}, {}),
    "`min_samples_split=6`": ({"min_samples_split": 6}, {}),
    "`min_impurity_decrease=0.02`": ({"min_impurity_decrease": 0.02}, {}),
    "`min_weight_fraction_leaf=0.2`, weights": ({"min_weight_fraction_leaf": 0.2}, {"weighted": True}),
    "missing values": ({}, {"tables": ["missing"]}),
    "values less than 1e-7 apart": ({}, {"tables": ["close"]}),
    "values from 1e-30 to 1e30": ({}, {"tables": ["extreme"]}),
    "real numbers, not rounded to float32": ({}, {"tables": ["real"], "dtype": np.float64}),
    **{
        f"{name.replace('_', ' ')}{told}": ({"criterion": name, **parameters}, check)
        for name in ("squared_error", "absolute_error")
        for told, parameters, check in (
            ("", {}, {}),
            (", weights", {}, {"weighted": True}),
            (", `max_leaf_nodes=5`", {"max_leaf_nodes": 5}, {}),
            (", `min_samples_leaf=3`", {"min_samples_leaf": 3}, {}),
            (", missing values", {}, {"tables": ["missing"]}),
        )
        if name == "squared_error" or told != ", missing values"  # which absolute errors of scikit-learn do not take
    },
}
COLUMNS = ("best", "tie, first", "tie, another", "within rounding")


def row_of(name, parameters, check, n_cases):
    """Return a row of the table, and the report."""
    given = {"dtype": np.float32, "n_cases": n_cases, **check}
    criterion = parameters.get("criterion", "gini")
    tree_class = DecisionTreeRegressor if criterion.endswith("_error") else DecisionTreeClassifier
    try:
        report = check_tree_estimator(tree_class(**parameters), criterion, **given)
    except TreeCheckError as error:
        report = error.report
    counts = [f"{report.splits[kind]:,}" for kind in COLUMNS]
    errors = ", ".join(f"{kind}: {number:,}" for kind, number in sorted(report.errors.items())) or "0"
    return f"| {name} | {report.n_nodes:,} | {' | '.join(counts)} | {errors} |", report


def main(arguments=None):
    """Print the table and, if asked for, the examples of errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000, help="trees of every row (%(default)s)")
    parser.add_argument("--examples", action="store_true", help="show the smallest example of every kind of error")
    given = parser.parse_args(arguments)
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, Python {platform.python_version()}; ", end="")
    print(f"{given.cases} trees a row.\n")
    print(f"| tree | nodes | {' | '.join(COLUMNS)} | errors |")
    print(f"|---|{'--:|' * (len(COLUMNS) + 1)}---|")
    examples = []
    for name, (parameters, check) in ROWS.items():
        row, report = row_of(name, parameters, check, given.cases)
        print(row, flush=True)
        examples += [(name, kind, report.examples[kind]) for kind in report.errors]
    for name, kind, example in examples if given.examples else ():
        print(f"\n{name}, {kind}: {example.message}\n{example.code}")


if __name__ == "__main__":
    main()
