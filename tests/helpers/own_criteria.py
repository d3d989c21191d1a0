"""Gini impurity as a user would write it, for tests of criteria of one's own."""

from pytrees.criteria import CountCriterion


class Gini(CountCriterion):
    """The decrease of Gini impurity, without a method for many children."""

    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        n = n_left + n_right
        squares = (left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / n_right
        return squares / n - ((left + right) ** 2).sum(axis=1) / n**2
