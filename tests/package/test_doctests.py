"""The examples of the documentation run, on whichever module they stand."""

import doctest
import importlib
import pkgutil

import pytest

import pytrees


def module_names():
    names = [module.name for module in pkgutil.walk_packages(pytrees.__path__, "pytrees.")]
    references = importlib.import_module("pytrees.reference")
    names += [module.name for module in pkgutil.walk_packages(references.__path__, "pytrees.reference.")]
    return sorted(set(names) - {"pytrees.__main__"})


@pytest.mark.parametrize("name", ["pytrees", *module_names()])
def test_examples_of_docstrings_run(name):
    if name == "pytrees.dask":
        pytest.importorskip("dask.dataframe")
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_public_names_have_examples():
    """The public functions show how they are used."""
    for name in pytrees.__all__:
        documented = getattr(pytrees, name).__doc__
        assert documented, name
        if name not in {"criteria"}:
            assert ">>>" in documented, name
