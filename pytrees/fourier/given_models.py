"""Let functions of trees on codes take fitted models and samples, as users have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np

from .._sklearn import feature_names_of
from .._typing import AnyArray, is_whole
from ..convert.library_nodes import library_of
from ..tree import Tree
from .additive import AdditiveModel, additive_for
from .codes import OrdinalCodes
from .together import code_together, with_baseline

_Function = TypeVar("_Function", bound=Callable[..., Any])

# These describe trees on codes; a model knows them itself.
_OF_TREES = ("cardinalities", "weights", "values", "other_weights", "other_values", "class_index")


def takes_models(function: _Function) -> _Function:
    """Let a function also take fitted models, with samples in place of the cardinalities.

    The parameters before `cardinalities` are models then, all of them, and the function gets their trees on codes. The
    measure is the empirical one by default if there are samples, features may have names, and a result gets those of
    `feature_names`, `categories`, `thresholds` and `classes` that it has as fields.
    """
    called_with = signature(function)
    names = list(called_with.parameters)
    names = names[: names.index("cardinalities")]

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | options
        models = [given.get(name) for name in names]
        if not any(map(is_model, models)):
            return function(*args, **options)
        _refuse_trees(function.__name__, models, options)
        arguments = dict(called_with.bind(*args, **options).arguments)
        rows = _samples(function.__name__, arguments)
        codes, pieces, feature_names, classes = _pieces(models, rows)
        arguments |= pieces
        if rows is not None:
            arguments["X"] = codes.transform(rows)
            arguments.setdefault("measure", "empirical")
            columns = feature_names_of(rows)
            feature_names = feature_names if columns is None else columns
        for name in ("features", "pairs"):
            if name in arguments:
                arguments[name] = numbered(arguments[name], feature_names)
        found = function(**arguments)
        if is_dataclass(found):
            known = {"feature_names": feature_names, "categories": categories_of(codes)}
            known |= {"thresholds": codes.thresholds, "classes": classes}
            return replace(cast("Any", found), **{name: known[name] for name in known if hasattr(found, name)})
        return found

    return cast("_Function", called)


def categories_of(codes: OrdinalCodes) -> dict[int, AnyArray]:
    """Return the categories of every categorical feature."""
    return dict(zip(np.flatnonzero(codes.is_categorical).tolist(), codes.categories, strict=True))


def is_model(given: Any) -> bool:
    """Whether something is a model by itself, fitted or not, and no sequence of trees."""
    is_own = isinstance(given, (AdditiveModel, Tree)) or hasattr(given, "fit")
    return is_own or library_of(given) in ("xgboost", "lightgbm", "treelite")


def numbered(features: Any, names: AnyArray | None) -> Any:
    """Return features and pairs with numbers in place of names; raise ValueError if there is no such name."""
    if names is None or isinstance(features, str) or not np.iterable(features):
        return features
    places = {name: m for m, name in enumerate(names)}

    def number(feature: Any) -> Any:
        if not isinstance(feature, str):
            return feature
        if feature not in places:
            raise ValueError(f"There is no feature {feature!r}; the names are {[*map(str, names)]}.")
        return places[feature]

    return [tuple(map(number, one)) if isinstance(one, (tuple, list)) else number(one) for one in features]


def _refuse_trees(name: str, models: Sequence[Any], options: dict[str, Any]) -> None:
    """Raise TypeError if arguments of trees on codes are given together with a model."""
    others = [one for one in models if not is_model(one)]
    if others:
        raise TypeError(
            f"{name} takes two fitted models and samples X, or the trees of both on the same codes and their "
            f"cardinalities, got {' and '.join(type(one).__name__ for one in models)}."
        )
    wrong = [option for option in _OF_TREES if option in options]
    if wrong:
        raise TypeError(
            f"{name} got a fitted {type(models[0]).__name__} and {', '.join(wrong)}, which describe trees on codes: a "
            "model has its own. For another function of the model take its parts: model = additive_model(...) has "
            "model.trees, model.cardinalities and model.arguments."
        )


def _samples(name: str, arguments: dict[str, Any]) -> Any:
    """Take the samples out of the arguments, from the place of the cardinalities or from X; None without samples."""
    rows = arguments.pop("cardinalities", None)
    if rows is None:
        return arguments.pop("X", None)
    if arguments.get("X") is not None:
        raise TypeError(f"{name} got samples twice: after the model, and as X.")
    if getattr(rows, "ndim", None) == 1 or (isinstance(rows, (list, tuple)) and rows and all(map(is_whole, rows))):
        raise ValueError(
            f"{name} takes the samples X after a fitted model, got {rows!r:.60}: cardinalities belong to a sequence of "
            "trees on codes, and a model knows its own."
        )
    return rows


def _pieces(models: Sequence[Any], X: Any) -> tuple[OrdinalCodes, dict[str, Any], AnyArray | None, AnyArray | None]:
    """Return the coding of one or two models, their parts as arguments, the names of their features, and the classes of
    a single model.

    Missing values in X, or None, have codes.
    """
    if len(models) == 1:
        model = additive_for(models[0], X)
        found = {"trees": model.trees, "cardinalities": model.cardinalities, **model.arguments}
        return model.codes, found, model.feature_names, model.classes
    both = code_together(models, X)
    pieces: dict[str, Any] = {"cardinalities": both.codes.cardinalities}
    start = 0
    for read, (values, baseline), which in zip(both.sums, both.outputs, ("", "other_"), strict=True):
        stop = start + len(values)
        pieces["others" if which else "trees"] = both.codes.trees[start:stop]
        pieces[f"{which}weights"] = np.ones(len(values))
        pieces[f"{which}values"] = with_baseline(read, values, baseline)
        start = stop
    return both.codes, pieces, both.feature_names, None
