"""A package that was built on the declarations of an older version loads, and its criteria grow the same trees."""

from pathlib import Path

import numpy as np
import pytest
from extensions import built
from samples import make_classes
from support import assert_same_tree, grow, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeRegressor, PermutationDecisionTreeClassifier
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion

OLDER = Path(__file__).parent / "built_on_0_2"
TODAY = Path(__file__).parents[2] / "pytrees" / "_core" / "criteria" / "user.pxd"


class Gini(CountCriterion):
    def gains(self, left, right):
        return -sum(2.0 * (side.sum(axis=1) - (side**2).sum(axis=1) / side.sum(axis=1)) for side in (left, right))


class Variance(SumCriterion):
    def gains(self, left, right):
        return -2.0 * (left[:, 2] + right[:, 2])


class Changes(SequenceCriterion):
    def gain(self, labels, goes_left):
        return -2.0 * sum(np.count_nonzero(np.diff(labels[side])) for side in (goes_left, ~goes_left))


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    return built(OLDER, "older", tmp_path_factory.mktemp("older"))


def test_a_criterion_of_classes_grows_the_same_trees_on_both_engines(older):
    X, y = make_classes(n_samples=120, seed=0)
    of_package = on_both_engines(grow, X, y, None, 3, older.Gini(2.0).specification(3), max_depth=4)
    assert_same_tree(*of_package)
    assert_same_tree(of_package[0], grow(X, y, None, 3, Gini().specification(3), max_depth=4))


def test_a_criterion_of_classes_keeps_its_own_fields_in_forests_on_threads(older):
    X, y = make_classes(n_samples=120, seed=0)
    criterion = older.Gini(2.0)
    forest = DecisionForestClassifier(4, criterion=criterion, n_jobs=2, random_state=0).fit(X, y)
    twin = DecisionForestClassifier(4, criterion=Gini(), random_state=0).fit(X, y)
    assert all(mine.tree_ == other.tree_ for mine, other in zip(forest, twin, strict=True))
    assert criterion.n_calls > 0


def test_criteria_of_numbers_and_of_sequences_grow_the_same_trees(older):
    X, y = make_classes(n_samples=120, seed=0)
    for estimator, in_cython, in_numpy in (
        (DecisionTreeRegressor, older.Variance(2.0), Variance()),
        (PermutationDecisionTreeClassifier, older.Changes(2.0), Changes()),
    ):
        trees = [estimator(criterion, max_depth=3).fit(X, y).tree_ for criterion in (in_cython, in_numpy)]
        assert trees[0] == trees[1]


def declared(path):
    """Return the declarations of the classes of criteria, without comments."""
    lines = (line.split("#")[0].rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    classes = "\n".join(filter(None, lines)).partition("cdef struct")[0]
    return classes[classes.index("cdef class") :].rstrip()


def test_the_declarations_are_those_of_0_2():
    """A method or a field more lies where a compiled package has its own, and not every such package would fail."""
    assert declared(TODAY) == declared(OLDER / "declarations" / "pytrees" / "_core" / "criteria" / "user.pxd")
