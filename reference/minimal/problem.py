"""Checks of the samples that all searches of consistent trees share."""


def check_consistent(X, y):
    if len(set(map(tuple, X))) < len({(tuple(row), label) for row, label in zip(X, y, strict=True)}):
        raise ValueError("There is no consistent tree: equal samples have different labels.")
