"""The example of a package that takes the base class of criteria by cimport builds and works."""

from pathlib import Path

import numpy as np
import pytest
from extensions import built
from support import assert_same_tree, grow, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.criteria import CountCriterion

EXAMPLE = Path(__file__).parents[2] / "examples" / "cython_criterion"


@pytest.fixture(scope="module")
def hellinger(tmp_path_factory):
    """The example's extension module, built in a folder of its own."""
    return built(EXAMPLE, "hellinger", tmp_path_factory.mktemp("example"))


class Hellinger(CountCriterion):
    """The same in NumPy."""

    def gains(self, left, right):
        gains = np.zeros(len(left))
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        for of_left, of_right in zip(left.T, right.T, strict=True):
            gains += (np.sqrt(of_left / n_left) - np.sqrt(of_right / n_right)) ** 2
        return gains * (n_left * n_right / ((n_left + n_right) * (n_left + n_right)))


def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    return rng.normal(size=(200, 3)) + 0.5 * y[:, None], y


def test_a_criterion_in_cython_grows_the_tree_of_its_twin(hellinger):
    X, y = data()
    in_cython, in_numpy = (
        DecisionTreeClassifier(criterion).fit(X, y).tree_ for criterion in (hellinger.HellingerDistance(), Hellinger())
    )
    assert in_cython == in_numpy


def test_a_criterion_in_cython_works_on_both_engines(hellinger):
    X, y = data()
    criterion = hellinger.HellingerDistance().specification(3)
    assert_same_tree(*on_both_engines(grow, X[:60], y[:60], None, 3, criterion, max_depth=4))


def test_a_criterion_in_cython_works_in_forests(hellinger):
    X, y = data()
    forest = DecisionForestClassifier(5, criterion=hellinger.HellingerDistance(), n_jobs=2, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.9
