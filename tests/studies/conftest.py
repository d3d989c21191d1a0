"""Tests of the studies have the tables that they are given, unless they ask for the clone's."""

import pytest
from pictures import assert_is_whole

from pytrees.datasets import get_data_home


@pytest.fixture(autouse=True)
def no_home(monkeypatch):
    """Let PYTREES_DATA name no folder."""
    monkeypatch.setenv("PYTREES_DATA", "")


@pytest.fixture
def clone_tables(monkeypatch):
    """Let the tables of the clone be found; the source distribution has none."""
    monkeypatch.delenv("PYTREES_DATA")
    if get_data_home() is None:
        pytest.skip("needs the tables of a clone")


@pytest.fixture(autouse=True)
def whole_pictures(monkeypatch):
    """Look at every figure that is saved."""
    pyplot = pytest.importorskip("matplotlib.figure")
    save = pyplot.Figure.savefig

    def looked_at(figure, *args, **options):
        assert_is_whole(figure)
        save(figure, *args, **options)

    monkeypatch.setattr(pyplot.Figure, "savefig", looked_at)


@pytest.fixture
def ran(monkeypatch, request):
    """Return the arguments that the study is run with; `RUN` of the test's module names its function."""
    found = {}
    monkeypatch.setattr(*request.module.RUN, lambda tables, n, output, **rest: found.update(tables=tables, n=n, **rest))
    return found
