"""No test of the studies finds data by the environment."""

import pytest


@pytest.fixture(autouse=True)
def no_home(monkeypatch):
    """Unset PYTREES_DATA."""
    monkeypatch.delenv("PYTREES_DATA", raising=False)
