"""Packages of others that take the base classes of criteria by cimport: the example, and one that was built on the
declarations of an older version. They build and load, and their criteria grow the trees of their twins in NumPy."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from extensions import built
from samples import make_classes
from support import assert_same_tree, grow, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, DecisionTreeRegressor
from pytrees import PermutationDecisionTreeClassifier as PermutationTree
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion

ROOT, OLDER = Path(__file__).parents[2], Path(__file__).parent / "built_on_0_2"
SOURCES = {"hellinger": ROOT / "examples" / "cython_criterion", "older": OLDER}


class Hellinger(CountCriterion):
    def gains(self, left, right):
        gains = np.zeros(len(left))
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        for of_left, of_right in zip(left.T, right.T, strict=True):
            gains += (np.sqrt(of_left / n_left) - np.sqrt(of_right / n_right)) ** 2
        return gains * (n_left * n_right / ((n_left + n_right) * (n_left + n_right)))


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
def package(tmp_path_factory):
    """Return a function that builds a package in a folder of its own, once, and returns its extension module."""
    return cache(lambda name: built(SOURCES[name], name, tmp_path_factory.mktemp(name)))


@pytest.fixture(params=SOURCES)
def twins(package, request):
    """A criterion of classes in Cython, and the same in NumPy."""
    module = package(request.param)
    return (module.Gini(2.0), Gini()) if request.param == "older" else (module.HellingerDistance(), Hellinger())


def test_a_criterion_of_classes_grows_the_same_trees_on_both_engines(twins):
    X, y = make_classes(n_samples=120, seed=0)
    in_cython, in_numpy = (criterion.specification(3) for criterion in twins)
    compiled, reference = on_both_engines(grow, X, y, None, 3, in_cython, max_depth=4)
    assert_same_tree(compiled, reference)
    assert_same_tree(compiled, grow(X, y, None, 3, in_numpy, max_depth=4))


def test_a_criterion_of_classes_keeps_its_own_fields_in_forests_on_threads(twins):
    X, y = make_classes(n_samples=200, seed=0)
    forest, twin = (
        DecisionForestClassifier(5, criterion=criterion, n_jobs=n_jobs, random_state=0).fit(X, y)
        for criterion, n_jobs in zip(twins, (2, 1), strict=True)
    )
    assert all(mine.tree_ == other.tree_ for mine, other in zip(forest, twin, strict=True))
    assert forest.score(X, y) > 0.9
    assert isinstance(twins[1], Hellinger) or twins[0].n_calls > 0


def test_criteria_of_all_kinds_grow_the_same_trees(package):
    X, y = make_classes(n_samples=120, seed=0)
    older = package("older")
    for estimator, in_cython, in_numpy in (
        (DecisionTreeClassifier, package("hellinger").HellingerDistance(), Hellinger()),
        (DecisionTreeRegressor, older.Variance(2.0), Variance()),
        (PermutationTree, older.Changes(2.0), Changes()),
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
    place = Path("pytrees", "_core", "criteria", "user.pxd")
    assert declared(ROOT / place) == declared(OLDER / "declarations" / place)
