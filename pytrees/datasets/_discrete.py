"""The data sets of the paper on orthogonal decision trees: two classes, and attributes of few values."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .._docstrings import described_like
from .._typing import FloatArray, IntArray
from ._generators import make_stock_moves
from ._tables import checked_name, load

# The numbers of training rows, of all rows and of attributes in the paper's Section VII.
_SIZES = {
    "spect": (80, 267, 22),
    "nasdaq": (200, 1000, 99),
    "dna": (2000, 3186, 180),
    "house_votes_84": (335, 435, 16),
    "cmc": (1320, 1473, 9),
}

# Sets whose training rows must be drawn; in other sets the first rows are the training rows.
_DRAWN = ("nasdaq", "cmc")

_NOTES = {
    "spect": "Class 1 is abnormal. The training part has 40 samples of each class, the test part 172 of 187 class 1.",
    "nasdaq": "Synthetic, by make_stock_moves(random_state=0): the paper's quotes were not published.",
    "dna": "Class 1 are both kinds of boundaries, class 0 is neither.",
    "house_votes_84": "1 is yea, 0 is nay; a vote that is neither counts as 1, as in the paper. Class 1 is republican.",
    "cmc": (
        "Class 1 are those who use any method. An attribute of more than two values is 1 above the cut that parts the "
        "samples most evenly: the paper has binary attributes and a binary class, without saying how. The file is "
        "sorted by class in two runs, so that the last 153 samples are of one class: the training samples are to be "
        "drawn, which the paper does not say."
    ),
}


def discrete_names() -> list[str]:
    """List the data sets of the paper on orthogonal decision trees, which :func:`load_discrete` knows.

    Returns
    -------
    list of str
        In the order of Section VII of Kargupta, Park and Dutta, "Orthogonal Decision Trees", IEEE TKDE 18, 2006.

    See Also
    --------
    load_discrete : Loads one of them.
    ordinal_names : The data sets of the ordinal paper.
    names : The tables in the folder.

    Examples
    --------
    >>> from pytrees.datasets import discrete_names
    >>> discrete_names()
    ['spect', 'nasdaq', 'dna', 'house_votes_84', 'cmc']
    """
    return list(_SIZES)


@described_like(load)
def load_discrete(name: str, *, data_home: str | PathLike[str] | None = None, return_X_y: bool = False) -> Any:
    """Load a data set of the paper on orthogonal decision trees, coded as the paper has it.

    Parameters
    ----------
    name : str
        One of :func:`discrete_names`; "nasdaq" is a synthetic stand-in, and needs no file.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (n_samples, n_features), float64, the codes 0 to ``cardinalities - 1``; ``cardinalities`` of
        shape (n_features,), int64; ``target`` of shape (n_samples,), int64, 0 or 1; ``feature_names``; ``n_train``, the
        number of the paper's training samples, and ``drawn``, whether these must be drawn at random: otherwise they are
        the first ones; ``DESCR``, the meaning of classes and codes, and details that the paper leaves open.

    Raises
    ------
    FileNotFoundError
        If there is no folder, or the table is not in it.
    ValueError
        If there is no such data set, or the table has other samples or columns.

    See Also
    --------
    discrete_names : The names of these data sets.
    make_stock_moves : Makes the stand-in for "nasdaq".
    load : Loads any table as it is in its file.

    Examples
    --------
    >>> from pytrees.datasets import load_discrete
    >>> moves = load_discrete("nasdaq")
    >>> moves.data.shape, moves.n_train, moves.drawn, moves.cardinalities[:3]
    ((1000, 99), 200, True, array([4, 4, 4]))
    """
    if checked_name(name) not in _SIZES:
        raise ValueError(f"The paper on orthogonal trees has no data set {name!r}; it has {discrete_names()}.")
    n_train, *shape = _SIZES[name]
    table = _stand_in() if name == "nasdaq" else load(name, data_home=data_home)
    if table.data.shape != tuple(shape) or any(np.ptp(column) == 0 for column in table.data.T):
        raise ValueError(
            f"Not the known table {name!r}: it has shape {table.data.shape} in place of {tuple(shape)}, "
            "or a constant column."
        )
    data, target = _coded(name, table.data, table.target)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        cardinalities=data.max(axis=0).astype(np.int64) + 1,
        target=target,
        feature_names=table.feature_names,
        n_train=n_train,
        drawn=name in _DRAWN,
        DESCR=_NOTES[name],
    )


def _stand_in() -> Bunch:
    data, target = make_stock_moves(random_state=0)
    return Bunch(data=data, target=target, feature_names=[f"stock_{m}" for m in range(data.shape[1])])


def _coded(name: str, data: FloatArray, target: IntArray) -> tuple[FloatArray, IntArray]:
    """Return data and target as in the paper."""
    if name == "dna":
        target = (target < 2).astype(np.int64)  # the third class is neither kind of boundary
    elif name == "house_votes_84":
        data = (data > 0.0).astype(np.float64)  # nay is the lowest of the three
    elif name == "cmc":
        data = np.column_stack([_above_middle(column) for column in data.T])
        target = (target > 0).astype(np.int64)  # the first class uses nothing
    return data, target


def _above_middle(column: FloatArray) -> FloatArray:
    """Return 1 for values above the cut that divides the rows most evenly, the lowest of several cuts, otherwise 0."""
    values, counts = np.unique(column, return_counts=True)
    below = np.cumsum(counts[:-1])
    cut = values[np.abs(2 * below - len(column)).argmin()]
    return (column > cut).astype(np.float64)
