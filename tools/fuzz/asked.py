"""Questions to a fitted estimator, to a tree and to a result: every public method, attribute and function."""

import inspect
import json
import pickle
from functools import cache

from sklearn.base import clone

import pytrees

from .errors import ATTRIBUTE, Defect
from .plain import NOT_COMPARED, plain
from .problem import N_VALUES
from .surface import methods_of, names_of, properties_of, public_names

_MOST_NODES_FOR_A_SPECTRUM = 60

# Functions that take a model under one of these names, and need nothing else, are asked of every model.
_MODEL = ("tree", "model", "ensemble")
_MODEL_NOT_ASKED = {
    "plot_tree": "drawing takes too long to ask for in every case; it is drawn by itself",
    "fourier.distil": "asks for X, or takes long; it is drawn by itself",
}

# Methods that are not asked: they change what is asked.
_CHANGES = ("fit", "update", "add")


def required(function):
    """Return the names of the parameters that a call must give."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def asked(thing, known):
    """Yield (name, function) for every public method and attribute of an object.

    Parameters
    ----------
    thing : object
    known : dict of str to callable
        Arguments to call methods with, by the names of parameters; a method that needs something else is not called.
    """
    yield "repr", lambda: repr(thing)
    for name in methods_of(type(thing)):
        needed = required(getattr(thing, name)) if hasattr(thing, name) and name not in _CHANGES else ["nothing"]
        if set(needed) <= known.keys() and not name.startswith(("from_", "plot")):
            yield name, lambda name=name, needed=needed: plain(getattr(thing, name)(*(known[k]() for k in needed)))
    for name in properties_of(type(thing)):
        yield ATTRIBUTE + name, lambda name=name: plain(getattr(thing, name))
    for name in getattr(thing, "__dict__", ()):
        if not name.startswith("_") and name not in NOT_COMPARED:
            yield ATTRIBUTE + name, lambda name=name: plain(getattr(thing, name))


@cache
def _functions_of_models():
    calls = {name: public_names()[name] for name in names_of("call") if inspect.isfunction(public_names()[name])}
    return {
        name: function
        for name, function in calls.items()
        if len(needed := required(function)) == 1 and needed[0] in _MODEL and name not in _MODEL_NOT_ASKED
    }


def asked_of_model(model):
    """Yield (name, function) for every function that a model can be given to."""
    for name, function in _functions_of_models().items():
        yield name, lambda function=function: plain(function(model))


def asked_of_estimator(estimator, X, y):
    """Yield (name, function) for every question to a fitted estimator.

    Parameters
    ----------
    estimator : estimator
    X, y : callable
        Functions that make the samples and labels of a question.
    """
    yield "clone", lambda: repr(clone(estimator))
    yield from asked(estimator, {"X": X, "y": y})
    yield from asked_of_model(estimator)
    if hasattr(estimator, "tree_"):
        yield "from_dict", lambda: as_it_was(estimator)
    if hasattr(estimator, "to_sklearn"):
        yield "from_sklearn", lambda: plain(pytrees.from_sklearn(pytrees.to_sklearn(estimator)))


def asked_of_tree(tree, X):
    """Yield (name, function) for every question to a tree, whose samples are `X`."""
    known = {"X": lambda: X, "node": lambda: 0, "n_rows": lambda: len(X)}
    yield "hash", lambda: hash(tree)
    yield from asked(tree, known)
    yield "feature_usage of X", lambda: tree.feature_usage(X)
    yield "pickle", lambda: pickle.loads(pickle.dumps(tree)) == tree
    yield from asked_of_model(tree)
    yield "from_dict", lambda: as_it_was(tree)
    if tree.node_count < _MOST_NODES_FOR_A_SPECTRUM and tree.n_features < 9:
        spectrum = pytrees.FourierSpectrum.from_tree
        yield "spectrum", lambda: spectrum(tree, [N_VALUES] * tree.n_features).partitions


def as_it_was(given):
    """Check that a tree survives the way to JSON and back, except for values at the leaves of a changed tree."""
    back, again = given, None
    for _ in range(2):
        again, back = back, pytrees.Tree.from_dict(json.loads(json.dumps(pytrees.export_dict(back))))
    if back != again or back != getattr(given, "tree_", back):
        raise Defect("another tree comes back from JSON", "from_dict")
