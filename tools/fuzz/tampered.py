"""Trees whose pickled state was changed: what a tree is made of, with something wrong in it."""

import numpy as np

# The arrays that `Tree.__reduce__` gives, by the names of the parameters of `Tree`.
ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "n_node_samples",
    "value",
    "gain",
    "n_features",
    "child_offsets",
    "children",
    "category",
)


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


def tamper(tree, change):
    """Make the tree that unpickling a changed state makes.

    Parameters
    ----------
    tree : Tree
    change : dict
        The ``"array"`` to change, how (``"change"``), and at which ``"place"``.

    Returns
    -------
    Tree
        If it passes the tree's own checks.
    """
    make, state = tree.__reduce__()
    state = dict(zip(ARRAYS, state, strict=False))
    with np.errstate(all="ignore"):
        state[change["array"]] = CHANGES[change["change"]](state.get(change["array"], 0), change["place"])
    return make(**state)
