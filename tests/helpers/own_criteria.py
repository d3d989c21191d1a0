"""Criteria in plain Python, as users write them."""

import numpy as np
from scipy.special import xlogy
from support import effort

from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion


class Gini(CountCriterion):
    """The decrease of Gini impurity, without a method for many children."""

    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        n = n_left + n_right
        squares = (left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / n_right
        return squares / n - ((left + right) ** 2).sum(axis=1) / n**2


class GiniOfChildren(Gini):
    def gain_of_children(self, counts):
        sizes = counts.sum(axis=1)
        squares = ((counts**2).sum(axis=1) / sizes).sum() / sizes.sum()
        return squares - (counts.sum(axis=0) ** 2).sum() / sizes.sum() ** 2


class AtMostThreeChildren(GiniOfChildren):
    """Forbids more children than three."""

    def gain_of_children(self, counts):
        return super().gain_of_children(counts) if len(counts) <= 3 else -np.inf


class Purity(CountCriterion):
    """Samples of the most frequent class; a division that leaves their number is forbidden."""

    def gains(self, left, right):
        gains = left.max(axis=1) + right.max(axis=1) - (left + right).max(axis=1)
        return np.where(gains > 0, gains, -np.inf)

    def gain_of_children(self, counts):
        return counts.max(axis=1).sum()


class Entropy(CountCriterion):
    """With logarithms, whose sums depend on their order."""

    def gains(self, left, right):
        return self.total(left + right) - self.total(left) - self.total(right)

    @staticmethod
    def total(counts):
        n = counts.sum(axis=1)
        return n * np.log2(n) - (counts * np.log2(np.where(counts > 0, counts, 1.0))).sum(axis=1)


class ShareOfFeature(CountCriterion):
    """A cut's share in all gains of its feature: the criterion must see the feature as a whole."""

    per_feature = True

    def gains(self, left, right):
        gains = Gini().gains(left, right)
        return gains / gains.sum() if gains.sum() > 0 else gains


class EvenOnly(CountCriterion):
    """Forbids cuts that send an odd number of samples to the left."""

    def gains(self, left, right):
        return np.where(left.sum(axis=1) % 2 == 0, Gini().gains(left, right), -np.inf)


class Effort(SequenceCriterion):
    def impurity(self, labels):
        return effort(labels)


class Changes(SequenceCriterion):
    """Number of changes of class that a cut removes, by a `gain` of its own."""

    def gain(self, labels, goes_left):
        changes = [np.count_nonzero(np.diff(part)) for part in (labels, labels[goes_left], labels[~goes_left])]
        return changes[0] - changes[1] - changes[2]


class Spread(SequenceCriterion):
    """Keeps samples together that stand close together in X: looks at their numbers only."""

    needs_rows = True

    def gain(self, labels, goes_left, rows):
        return np.std(rows) - np.std(rows[goes_left]) - np.std(rows[~goes_left])

    def gain_of_children(self, labels, children, rows):
        return np.std(rows) - sum(np.std(rows[children == child]) for child in range(children.max() + 1))


class Range(SequenceCriterion):
    """Keeps samples together that stand close together in X, by an `impurity`."""

    needs_rows = True

    def impurity(self, labels, rows):
        return float(np.ptp(rows))


OF_CUTS = [Gini(), Entropy(), ShareOfFeature(), EvenOnly()]
OF_CHILDREN = [GiniOfChildren(), AtMostThreeChildren(), Purity(), Effort(), Spread()]
OF_SEQUENCES = [Effort(), Changes(), Range()]


class Variance(SumCriterion):
    """The decrease of the variance, from the means."""

    def gains(self, left, right):
        node = left[:, 0] + right[:, 0]
        difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        return left[:, 0] * right[:, 0] / node**2 * difference**2

    def gain_of_children(self, sums):
        shares, means = sums[:, 0] / sums[:, 0].sum(), sums[:, 1] / sums[:, 0]
        return (shares * (means - shares @ means) ** 2).sum()


class Deviation(SumCriterion):
    """The decrease of the root of the variance, from all columns; more children than three are forbidden."""

    def gains(self, left, right):
        node = left[:, 0] + right[:, 0]
        difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        of_node = left[:, 2] + right[:, 2] + left[:, 0] * right[:, 0] / node * difference**2
        of_children = np.sqrt(left[:, 2] * left[:, 0]) + np.sqrt(right[:, 2] * right[:, 0])
        return np.sqrt(of_node / node) - of_children / node

    def gain_of_children(self, sums):
        weights, means = sums[:, 0], sums[:, 1] / sums[:, 0]
        node = weights.sum()
        of_node = sums[:, 2].sum() + (weights * (means - weights @ means / node) ** 2).sum()
        gain = np.sqrt(of_node / node) - np.sqrt(sums[:, 2] * weights).sum() / node
        return gain if len(sums) <= 3 else -np.inf


class Poisson(SumCriterion):
    """The decrease of half the Poisson deviance."""

    def gains(self, left, right):
        if min(left[:, 1].min(), right[:, 1].min()) < 0:
            raise ValueError("Counts of events are not negative.")
        return (self.total(left) + self.total(right) - self.total(left + right)) / (left + right)[:, 0]

    @staticmethod
    def total(sums):
        return xlogy(sums[:, 1], sums[:, 1] / sums[:, 0])


class PoissonOfEvents(Poisson):
    """Gains per event: undefined for a node without events."""

    def gains(self, left, right):
        node = left + right
        with np.errstate(invalid="ignore"):
            return super().gains(left, right) * node[:, 0] / node[:, 1]


class Gamma(SumCriterion):
    """The decrease of half the gamma deviance, of targets above 0."""

    def gains(self, left, right):
        if min(left[:, 1].min(), right[:, 1].min()) <= 0:
            raise ValueError("Targets must be above 0.")
        return (self.total(left + right) - self.total(left) - self.total(right)) / (left + right)[:, 0]

    @staticmethod
    def total(sums):
        return sums[:, 0] * np.log(sums[:, 1] / sums[:, 0])


class GammaWithZeros(Gamma):
    """Without the exception: gains are infinite for a child whose targets are all 0."""

    def gains(self, left, right):
        with np.errstate(all="ignore"):
            return (self.total(left + right) - self.total(left) - self.total(right)) / (left + right)[:, 0]


class ShareOfFeatureInVariance(SumCriterion):
    """A cut's share in all gains of its feature."""

    per_feature = True

    def gains(self, left, right):
        gains = Variance().gains(left, right)
        return gains / gains.sum() if gains.sum() > 0 else gains


OF_SUMS = [Variance(), Deviation(), Poisson(), ShareOfFeatureInVariance()]
