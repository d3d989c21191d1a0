"""Known fewest errors of ConTree's tables: what a search has found and its bound never contradict them."""

from functools import cache

import pytest

from pytrees import optimal_tree

contree = pytest.importorskip("asv_bench.parts.contree", reason="the known errors are in a clone")

CASES = [
    pytest.param(name, depth, errors, id=f"{name}-{depth}")
    for name, several in contree.FEWEST_ERRORS.items()
    for depth, errors in enumerate(several, start=2)
]
QUICK = {("bank", 4), ("wilt", 4)} | {
    (name, 3) for name in ("bank", "wilt", "bidding", "occupancy", "room", "segment", "page", "raisin", "rice")
}


@cache
def _loaded(name):
    return contree.load(name)


@pytest.fixture
def table():
    """Return a function that loads a table, or skips the test."""

    def load(name):
        try:
            return _loaded(name)
        except FileNotFoundError as error:
            pytest.skip(str(error))

    return load


@pytest.mark.filterwarnings("ignore:time_limit")
@pytest.mark.parametrize(("name", "depth", "fewest"), CASES)
@pytest.mark.parametrize("time_limit", [0.0, 0.05, 0.25])
def test_errors_and_bounds_never_contradict_the_fewest_errors(table, name, depth, fewest, time_limit):
    X, y = table(name)
    found = optimal_tree(X, y, max_depth=depth, time_limit=time_limit)
    assert found.n_errors == (found.classes[found.tree.majority_at(found.tree.apply(X))] != y).sum()
    assert round(found.lower_bound * len(y)) <= fewest <= found.n_errors
    assert not found.is_proven or found.n_errors == fewest


@pytest.mark.parametrize(("name", "depth", "fewest"), [case for case in CASES if case.values[:2] in QUICK])
def test_the_fewest_errors_are_proven(table, name, depth, fewest):
    X, y = table(name)
    found = optimal_tree(X, y, max_depth=depth)
    assert (found.n_errors, found.is_proven, found.tree.max_depth <= depth) == (fewest, True, True)
