"""Parameters that are given by name alone: errors about others say how to give them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def by_keyword(**reasons: str) -> Callable[[_Function], _Function]:
    """Return a decorator of a function with keyword-only parameters, which refuses too many positional arguments.

    The error names the keyword-only parameters. `reasons` says for parameters that the function does not have, and
    users expect, why it has none. The signature stays.
    """

    def decorate(function: _Function) -> _Function:
        parameters = signature(function).parameters
        positional = [each.name for each in parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        named = [f"{each.name}=..." for each in parameters.values() if each.kind is Parameter.KEYWORD_ONLY]
        is_method = positional[0] == "self"

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            unknown = next((name for name in kwargs if name not in parameters), None)
            n_more = len(args) - len(positional)
            if unknown is None and n_more <= 0:
                return function(*args, **kwargs)
            name = f"{type(args[0]).__name__}.{function.__name__}" if is_method else function.__name__
            if unknown is not None:
                reason = f" {reasons[unknown]}" if unknown in reasons else ""
                raise TypeError(f"{name}() got an unexpected keyword argument {unknown!r}.{reason}")
            advice = f"Give other arguments by name, such as {' or '.join(named[:2])}"
            reason = "".join(f". There is no {other}. {why}" for other, why in reasons.items())
            expected = ", ".join(positional[is_method:])
            raise TypeError(f"{name}() accepts only {expected} by position, got {n_more} more. {advice}{reason}")

        return cast("_Function", checked)

    return decorate
