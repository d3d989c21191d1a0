"""A user or a damaged file may hand over these: trees, estimators, dictionaries and scikit-learn's trees, changed.

Every function makes the changed thing of a sound one, a place and the name of a change.
"""

import copy
import inspect
import json

import numpy as np

import pytrees

# The parameters of `Tree`, in the order in which its pickled state gives them.
ARRAYS = tuple(inspect.signature(pytrees.Tree).parameters)


def _at(change):
    """Change one entry of an array."""

    def changed(array, place):
        array = np.array(array)
        if array.size:
            array.flat[place % array.size] = change(array.flat[place % array.size])
        return array

    return changed


def _objects(array, place):
    array = np.array(array, dtype=object)
    if array.size:
        array.flat[place % array.size] = "word"
    return array


CHANGES = {
    "one more": _at(lambda entry: entry + 1),
    "one less": _at(lambda entry: entry - 1),
    "zero": _at(lambda entry: 0),
    "minus one": _at(lambda entry: -1),
    "minus two": _at(lambda entry: -2),
    "negative": _at(lambda entry: -entry),
    "large": _at(lambda entry: 2**31 - 1),
    "largest": _at(lambda entry: 2**63 - 1024),
    "lowest": _at(lambda entry: -(2**63)),
    "NaN": lambda array, place: _at(lambda entry: np.nan)(np.asarray(array, dtype=np.float64), place),
    "infinity": lambda array, place: _at(lambda entry: np.inf)(np.asarray(array, dtype=np.float64), place),
    "floats": lambda array, place: np.asarray(array, dtype=np.float64),
    "halves": lambda array, place: np.asarray(array, dtype=np.float64) + 0.5,
    "int8": lambda array, place: np.asarray(array).astype(np.int8),
    "uint64": lambda array, place: np.asarray(array).astype(np.int64).astype(np.uint64),
    "bool": lambda array, place: np.asarray(array).astype(bool),
    "complex": lambda array, place: np.asarray(array).astype(np.complex128),
    "a word among them": _objects,
    "words": lambda array, place: np.asarray(array).astype(str),
    "None": lambda array, place: None,
    "a number": lambda array, place: place,
    "a word": lambda array, place: "word",
    "empty": lambda array, place: np.asarray(array).ravel()[:0],
    "shorter": lambda array, place: np.atleast_1d(array)[:-1],
    "longer": lambda array, place: np.concatenate([np.atleast_1d(array), np.atleast_1d(array)[-1:]]),
    "column": lambda array, place: np.asarray(array)[..., None],
    "flat": lambda array, place: np.asarray(array).ravel(),
    "backwards": lambda array, place: np.atleast_1d(array)[::-1],
    "rolled": lambda array, place: np.roll(np.atleast_1d(array), place, axis=0),
    "all zero": lambda array, place: np.zeros_like(array),
    "list": lambda array, place: np.asarray(array).tolist(),
    "ragged": lambda array, place: [[1, 2], [3]],
}

# Specifications of criteria, in the place of a tree's own. The parameters are for other numbers of classes.
SPECIFICATIONS = {
    "empty": (),
    "a list": [],
    "alone": ("gini",),
    "a list of one": ["gini"],
    "no such": "no such",
    "no word": 5,
    "a null byte": "gini\0",
    "three": ("wig", {}, {}),
    "no parameters": ("wig", None),
    "other parameters": ("wig", {"no such": 1}),
    "one score": ("ranking", {"class_scores": [1]}),
    "no scores": ("wig", {"class_scores": []}),
    "scores of words": ("ranking", {"class_scores": ["a", "b", "c"]}),
    "scores of NaN": ("ranking", {"class_scores": [float("nan")] * 3}),
    "many scores": ("ranking", {"class_scores": list(range(99))}),
    "alpha of words": ("wig", {"alpha": "a"}),
    "on sequences": "etc",
    "a distance": "jaccard",
    "an object": object(),
}


def tampered_tree(tree, array, change, place):
    """Make the tree that unpickling a changed state makes.

    Parameters
    ----------
    tree : Tree
    array : str
        The parameter of `Tree` to change.
    change : str
        A name in `CHANGES`, for the criterion in `SPECIFICATIONS`.
    place : int
        Which entry.

    Returns
    -------
    callable
        It makes the Tree, if that passes the tree's own checks.
    """
    make, state = pytrees.Tree.__reduce__(tree)  # without the names that some trees have
    state = dict(zip(ARRAYS, state, strict=False))
    if array == "criterion":
        state[array] = SPECIFICATIONS[change]
    else:
        given = state.get(array)
        with np.errstate(all="ignore"):
            state[array] = CHANGES[change](_array_of(tree, array) if given is None else given, place)
    return lambda: make(**state)


def _array_of(tree, array):
    """Return an array that the tree was made without: what follows from the others, or ones if nothing does."""
    try:
        return getattr(tree, array)
    except (AttributeError, ValueError):  # no impurity, or no shares of classes
        return np.ones((tree.node_count, 2) if array == "shares" else tree.node_count)


# ------------------------------------------------------------------------------------------------------- dictionaries

VALUES = {
    "nothing": None,
    "minus one": -1,
    "zero": 0,
    "2**63": 2**63,
    "10**400": 10**400,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "half": 0.5,
    "huge": 1e308,
    "true": True,
    "a word": "word",
    "digits": "feature_1",
    "many digits": "feature_" + "9" * 30,
    "a list": [],
    "numbers": [1, 2],
    "a dict": {},
}


def _places(exported):
    """Return all containers in a dictionary with their keys, from the root down."""
    found, pending = [], [exported]
    while pending:
        container = pending.pop(0)
        keys = container.keys() if isinstance(container, dict) else range(len(container))
        found += [(container, key) for key in list(keys)]
        pending += [container[key] for key in keys if isinstance(container[key], (dict, list))]
    return found


def tampered_dict(tree, change, place):
    """Return the dictionary of a tree with one entry changed, missing, or in its own place.

    Parameters
    ----------
    tree : Tree or estimator
    change : str
        A name in `VALUES`, or ``"missing"``, ``"twice"`` or ``"itself"``.
    place : int
        Which entry.

    Returns
    -------
    dict
    """
    exported = json.loads(json.dumps(pytrees.export_dict(tree)))
    places = _places(exported)
    container, key = places[place % len(places)]
    if change == "missing":
        del container[key]
    elif change == "twice":
        others = [at for at, _ in places if isinstance(at, dict)]
        container[key] = copy.deepcopy(others[place % len(others)])
    elif change == "itself":
        container[key] = container
    else:
        container[key] = VALUES[change]
    return exported


# ----------------------------------------------------------------------------------------------- scikit-learn's trees

# The columns of scikit-learn's nodes, and the attributes through which they are written to; the values by themselves.
COLUMNS = {
    "left_child": "children_left",
    "right_child": "children_right",
    "feature": "feature",
    "threshold": "threshold",
    "impurity": "impurity",
    "n_node_samples": "n_node_samples",
    "weighted_n_node_samples": "weighted_n_node_samples",
    "values": "value",
}
ENTRIES = {
    "the root": 0,
    "a child": 1,
    "a leaf's": -1,
    "no feature": -2,
    "minus three": -3,
    "large": 10**6,
    "largest": 2**63 - 1,
    "lowest": -(2**63),
    "NaN": np.nan,
    "infinity": np.inf,
    "minus infinity": -np.inf,
    "huge": 1e308,
    "negative": -0.5,
}


def tampered_sklearn(model, column, change, place, *, by_state):
    """Change one entry of the nodes of scikit-learn's fitted tree, in place or by the state of a pickle.

    Returns
    -------
    estimator
        The model, or nothing if scikit-learn refuses the state or the column cannot hold the entry.
    """
    make, arguments, state = model.tree_.__reduce__()
    nodes, values = state["nodes"].copy(), state["values"].copy()
    written = getattr(model.tree_, COLUMNS[column])
    array = written if not by_state else values if column == "values" else nodes[column]
    try:
        array.flat[place % array.size] = ENTRIES[change]
        if by_state:
            model.tree_ = make(*arguments)
            model.tree_.__setstate__(state | {"nodes": nodes, "values": values})
    except (ValueError, OverflowError, TypeError):
        return None
    return model


# ---------------------------------------------------------------------------------------------------------- estimators

ATTRIBUTES = {
    "another's": lambda value, other: other,
    "None": lambda value, other: None,
    "a word": lambda value, other: "word",
    "a number": lambda value, other: 7,
    "one more": lambda value, other: value + 1,
    "shorter": lambda value, other: value[:-1],
    "longer": lambda value, other: [*value, value[0]],
    "empty": lambda value, other: value[:0],
    "backwards": lambda value, other: value[::-1],
}


def tampered_estimator(estimator, other, change, place):
    """Change a fitted attribute of an estimator, in a copy.

    Parameters
    ----------
    estimator, other : estimator
        Fitted to different numbers of features and classes.
    change : str
        A name in `ATTRIBUTES`, or ``"missing"``.
    place : int
        Which attribute.

    Returns
    -------
    tuple
        The name of the attribute, and the copy; None for the copy if the attribute cannot be changed so.
    """
    copied = copy.copy(estimator)
    names = sorted(name for name in vars(estimator) if name.endswith("_"))
    name = names[place % len(names)]
    if change == "missing":
        delattr(copied, name)
        return name, copied
    try:
        setattr(copied, name, ATTRIBUTES[change](getattr(estimator, name), getattr(other, name, None)))
    except (TypeError, IndexError, KeyError):
        return name, None
    return name, copied
