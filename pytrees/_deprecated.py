"""Parameters on their way out: they still work, and a warning names what takes their place."""

from __future__ import annotations

from typing import Any, Literal
from warnings import warn

from ._sklearn import Hidden, StrOptions

# The default of a deprecated parameter, by which a function knows whether the user gave it.
NOT_GIVEN: Literal["deprecated"] = "deprecated"

# The constraint that allows the default, which error messages do not name.
NOT_GIVEN_CONSTRAINT = Hidden(StrOptions({NOT_GIVEN}))


def is_given(function: str, name: str, value: Any, instead: str, removed_in: str) -> bool:
    """Whether a deprecated parameter was given to a function with validated parameters; if so, warn its caller.

    Parameters
    ----------
    function, name : str
        The function and its parameter.
    value : object
        The parameter's value.
    instead : str
        The advice that ends the warning.
    removed_in : str
        The version without the parameter.
    """
    if isinstance(value, str) and value == NOT_GIVEN:
        return False
    # The caller stands above this function, the function, and scikit-learn's validation of its parameters.
    warn(
        f"The parameter {name!r} of {function} is deprecated, and will be removed in version {removed_in}: {instead}.",
        FutureWarning,
        stacklevel=4,
    )
    return True
