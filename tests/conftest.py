"""Both engines for every behavioural test, and how hard hypothesis tries."""

import os

import pytest
from hypothesis import HealthCheck, settings

from pytrees._engine import config_context

# The engine fixture has no state that an example could change, so its examples may share it.
_COMMON = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.function_scoped_fixture]}

settings.register_profile("default", max_examples=100, **_COMMON)
# For builds with bounds checks, which are slow. Tests that ask for more examples get the same share of them.
settings.register_profile("fast", max_examples=5, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=["compiled", "reference"])
def engine(request):
    """The name of the engine that is in force during the test."""
    with config_context(engine=request.param):
        yield request.param
