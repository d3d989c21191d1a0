"""The order of the rows by a feature, and the partition of a node's rows at a threshold."""


def rank_features(X):
    """For every feature the rows in ascending order of their value (equal values in order of the rows), and ranks.

    The rank of a value is the number of smaller distinct values of its feature.
    """
    n_features = len(X[0]) if X else 0
    all_rows, all_ranks = [], []
    for feature in range(n_features):
        rows = sorted(range(len(X)), key=lambda row: X[row][feature])
        distinct = sorted({X[row][feature] for row in rows})
        all_rows.append(rows)
        all_ranks.append([distinct.index(X[row][feature]) for row in rows])
    return all_rows, all_ranks


def threshold_between(below, above):
    """The middle of two neighbouring distinct values, or the lower one where rounding puts the middle outside."""
    middle = 0.5 * below + 0.5 * above
    if not below <= middle < above:
        middle = below
    return middle + 0.0  # of the two zeros the positive one


def split_rows(X, rows, feature, threshold):
    """The rows that go left and those that go right, both in the order in which they came."""
    left = [row for row in rows if X[row][feature] <= threshold]
    right = [row for row in rows if not X[row][feature] <= threshold]
    return left, right
