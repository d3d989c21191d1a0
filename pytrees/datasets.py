"""Data sets of the papers: a toy set that needs no file, and tables found through ``PYTREES_DATA``."""

import csv
import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.utils import Bunch

__all__ = ["get_data_home", "load_shipped", "load_table", "load_toy_permutations"]

_SHIPPED = {"iris": load_iris, "breast_cancer_wisconsin_diagnostic": load_breast_cancer, "wine": load_wine}


def get_data_home(data_home=None):
    """The folder that tables are read from.

    Parameters
    ----------
    data_home : path-like, optional
        The folder itself. By default the environment variable ``PYTREES_DATA`` names it.

    Returns
    -------
    pathlib.Path or None
        None where neither is given.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.

    Examples
    --------
    >>> from pytrees.datasets import get_data_home
    >>> get_data_home(".").is_dir()
    True
    """
    named = os.environ.get("PYTREES_DATA") if data_home is None else data_home
    if not named:
        return None
    home = Path(named).expanduser()
    if not home.is_dir():
        raise FileNotFoundError(f"There is no folder {home}, which PYTREES_DATA or data_home names.")
    return home


def load_table(name, data_home=None):
    """Load a table of numeric features whose last column is the target.

    Parameters
    ----------
    name : str
        Name of the file without ``.csv``.
    data_home : path-like, optional
        As in :func:`get_data_home`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (n_samples, n_features), float64; ``target`` of shape (n_samples,), str; ``feature_names``.

    Raises
    ------
    FileNotFoundError
        If no folder is named, or the table is not in it.
    ValueError
        If a feature is not a number.
    """
    home = get_data_home(data_home)
    if home is None:
        raise FileNotFoundError(f"The data set {name!r} is a file: set PYTREES_DATA or data_home to its folder.")
    path = home / f"{name}.csv"
    if not path.is_file():
        raise FileNotFoundError(f"There is no {path.name} in {home}.")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return Bunch(
        data=np.array([row[:-1] for row in rows], dtype=np.float64),
        target=np.array([row[-1] for row in rows]),
        feature_names=header[:-1],
    )


def load_shipped(name):
    """Load one of the tables that scikit-learn ships, by the name that :func:`load_table` has for it.

    Parameters
    ----------
    name : {"iris", "breast_cancer_wisconsin_diagnostic", "wine"}

    Returns
    -------
    sklearn.utils.Bunch
        As of :func:`load_table`.

    Raises
    ------
    KeyError
        If scikit-learn does not ship it.

    Examples
    --------
    >>> from pytrees.datasets import load_shipped
    >>> load_shipped("wine").data.shape
    (178, 13)
    """
    bunch = _SHIPPED[name]()
    return Bunch(
        data=bunch.data, target=bunch.target_names[bunch.target], feature_names=[str(n) for n in bunch.feature_names]
    )


def load_toy_permutations():
    """The 14 patients of the permutation paper's toy example, and five orders in which they may arrive.

    Table 2 and the list of permutations in Section 3 of Harikrishnan and Nagaraj, arXiv:2306.02617. The first feature
    stands for the severity of the symptoms, the second for a molecular test; class 1 is to be quarantined.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (14, 2), float64; ``target`` of shape (14,), int64; ``feature_names``; ``permutations``, a
        dict from "A".."E" to arrays of row numbers, counted from 0.

    Examples
    --------
    >>> from pytrees import PermutationDecisionTreeClassifier
    >>> from pytrees.datasets import load_toy_permutations
    >>> toy = load_toy_permutations()
    >>> for name in "BD":
    ...     rows = toy.permutations[name]
    ...     tree = PermutationDecisionTreeClassifier().fit(toy.data[rows], toy.target[rows])
    ...     print(name, tree.feature_usage(toy.data))
    B [14 14]
    D [14  4]
    """
    data = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)]
    data += [(5, 3), (5, 4)]
    permutations = {
        "A": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
        "B": (14, 3, 10, 12, 2, 4, 5, 11, 9, 8, 7, 1, 6, 13),
        "C": (13, 11, 8, 12, 7, 6, 4, 14, 10, 5, 2, 3, 1, 9),
        "D": (3, 2, 13, 10, 11, 1, 4, 7, 6, 9, 8, 14, 5, 12),
        "E": (10, 12, 1, 2, 13, 14, 8, 11, 4, 7, 9, 6, 5, 3),
    }
    return Bunch(
        data=np.array(data, dtype=np.float64),
        target=np.array([2] * 8 + [1] * 6),
        feature_names=["f0", "f1"],
        permutations={name: np.array(rows) - 1 for name, rows in permutations.items()},
    )
