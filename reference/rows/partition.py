"""The order of the rows by a feature, and the partition of a node's rows at a threshold or by category.

A missing value is NaN. It comes after all others, and goes to the side of a threshold that the cut names.
"""

from ..base.types import MISSING_LEFT, NONE_MISSING


def is_missing(value):
    return value != value


def by_value(X, feature):
    """Return a key that sorts rows by a feature, missing values last."""
    return lambda row: (is_missing(X[row][feature]), X[row][feature])


def known_values(X, rows, feature):
    """Return the distinct known values of the rows, ascending."""
    return sorted({X[row][feature] for row in rows if not is_missing(X[row][feature])})


def threshold_between(below, above):
    """Return the middle of two neighbouring distinct values, or the lower one if rounding puts the middle outside."""
    middle = 0.5 * below + 0.5 * above
    if not below <= middle < above:
        middle = below
    return middle + 0.0  # of the two zeros the positive one


def goes_left(value, threshold, missing):
    """Whether a value goes left at a threshold; `missing` is the side of missing values."""
    return missing == MISSING_LEFT if is_missing(value) else value <= threshold


def split_rows(X, rows, feature, threshold, missing=NONE_MISSING):
    """Return the rows that go left and the rows that go right, both in their given order."""
    left, right = [], []
    for row in rows:
        (left if goes_left(X[row][feature], threshold, missing) else right).append(row)
    return left, right


def rows_by_category(X, rows, feature):
    """Return the categories that the rows have, ascending, each with its rows in their given order."""
    return [
        (category, [row for row in rows if X[row][feature] == category])
        for category in sorted({int(X[row][feature]) for row in rows})
    ]


def check_categories(X, n_categories):
    """Raise ValueError if a value of a categorical feature is not one of its codes 0, 1, ..., n_categories - 1."""
    if n_categories is None:
        return
    if X and len(n_categories) != len(X[0]):
        raise ValueError(f"n_categories must have {len(X[0])} numbers, one for every feature, got {len(n_categories)}.")
    for feature, n_codes in enumerate(n_categories):
        if not 0 <= n_codes <= 2**31 - 1:
            raise ValueError(f"n_categories of feature {feature} must be in 0..{2**31 - 1}, got {n_codes}.")
        for row, values in enumerate(X):
            if n_codes > 0 and not (0 <= values[feature] < n_codes and values[feature] == int(values[feature])):
                raise ValueError(
                    f"Feature {feature} has the categories 0..{n_codes - 1}, but row {row} has {values[feature]}."
                )
