"""The parameter `sample_weight` of ``fit``, which an estimator has only if its samples can have weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import Signature, signature
from types import MethodType
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


class FitOfUnweighted:
    """The ``fit`` of an estimator whose samples have no weights, without the parameter `sample_weight`."""

    __signature__: Signature
    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], estimator: Any) -> None:
        update_wrapper(self, function)
        self.estimator = estimator
        parameters = signature(function).parameters.values()
        names = [each for each in parameters if each.name not in ("self", "sample_weight")]
        self.__signature__ = signature(function).replace(parameters=names)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(self.estimator, *args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.estimator, "fit")


class _WeighsIfItCan:
    """A method `fit` that has the parameter `sample_weight` only if the estimator's samples have weights.

    Meta-estimators look for this parameter. Without it, bagging repeats samples in the order of its draws instead of
    weighing them, and boosting says that it needs it. A label sequence cannot take weights: it has no positions for the
    repetitions that a whole-number weight stands for.
    """

    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(cast("Any", self), function)

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self.__wrapped__
        takes_weights = estimator._takes_weights()
        return (MethodType if takes_weights else FitOfUnweighted)(self.__wrapped__, estimator)


def weighs_if_it_can(method: _Method) -> _Method:
    """Decorate a method `fit` so that it has the parameter `sample_weight` only if samples have weights."""
    return cast("_Method", _WeighsIfItCan(method))
