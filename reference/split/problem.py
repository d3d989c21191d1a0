"""The samples, the criterion and the limits of a tree, which are the same for all of its nodes."""

from dataclasses import dataclass

from ..criteria.counts import add_up, counted


@dataclass(frozen=True)
class Problem:
    """The samples of a tree, which are known by their rows, its criterion, and its limits, a dict.

    Feature values are X[row][feature]. A feature with n_categories above 0 has codes below that, and n_categories is
    None if no feature is categorical.
    """

    X: list
    y: list
    weights: list
    n_classes: int
    criterion: str | tuple
    limits: dict
    n_categories: list | None

    def is_categorical(self, feature):
        """Whether the feature's values are codes of categories."""
        return self.n_categories is not None and self.n_categories[feature] > 0

    def labels(self, rows):
        """Return the classes of the rows."""
        return [self.y[row] for row in rows]

    def weight(self, rows):
        """Return the total weight of the rows."""
        return add_up(self.weights[row] for row in rows)

    def counted(self, rows):
        """Return the class counts of the rows and their total."""
        return counted([(self.y[row], self.weights[row]) for row in rows], self.n_classes)

    def class_counts(self, rows):
        """Return the class counts of the rows."""
        return self.counted(rows)[0]
