"""scikit-learn's own test of splits, `test_split_impurity`, with our trees in the place of its own."""

from functools import partial

import numpy as np
import pytest

from pytrees import DecisionTreeClassifier, DecisionTreeRegressor

theirs = pytest.importorskip("sklearn.tree.tests.test_split", reason="scikit-learn has this test from 1.9 on")


def of_float32(tree_class):
    """Return a subclass that rounds samples to float32, as the test expects of scikit-learn's trees."""

    class Rounded(tree_class):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X.astype(np.float32), y, sample_weight=sample_weight)

    Rounded.__name__ = tree_class.__name__
    return Rounded


class Shares:
    """A tree whose `value` has shares of classes, as in scikit-learn, not counts."""

    def __init__(self, tree):
        self.tree, self.value = tree, tree.shares[:, np.newaxis]

    def __getattr__(self, name):
        return getattr(self.tree, name)


class OfShares(of_float32(DecisionTreeClassifier)):
    """Its fitted tree is one of `Shares`."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight=sample_weight)
        self.tree_ = Shares(self.tree_)
        return self


@pytest.fixture
def split_impurity(monkeypatch):
    """Their test, with whole weights and the lower median, which it gets from the function that is replaced."""
    made = theirs.make_simple_dataset

    def with_whole_weights(*arguments):
        X_dense, X, y, weights = made(*arguments)
        return X_dense, X, y, np.ceil(16.0 * weights)

    def lower_median(y, weights, percentile_rank, average):
        return np.sort(y)[np.searchsorted(np.cumsum(weights[np.argsort(y)]), 0.5 * weights.sum())]

    monkeypatch.setattr(theirs, "make_simple_dataset", with_whole_weights)
    monkeypatch.setattr(theirs, "_weighted_percentile", lower_median)
    return partial(theirs.test_split_impurity, sparse=False)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing_values", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_regressors(engine, split_impurity, criterion, missing_values, seed):
    split_impurity(
        Tree=of_float32(DecisionTreeRegressor),
        criterion=criterion,
        missing_values=missing_values,
        global_random_seed=seed,
    )


@pytest.mark.parametrize("missing_values", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "log_loss"])
def test_classifiers(engine, split_impurity, criterion, missing_values):
    split_impurity(Tree=OfShares, criterion=criterion, missing_values=missing_values, global_random_seed=0)
