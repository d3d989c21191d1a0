"""The data sets of the ordinal paper, as in its Table I."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch
from sklearn.utils.validation import column_or_1d

from .._docstrings import described_like
from .._numbers import check_array, within_float64
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, is_whole
from ._tables import checked_name, load


class _Row(NamedTuple):
    """A row of Table I, and the name of the table with the data."""

    train: int
    test: int
    n_classes: int
    n_features: int
    table: str = ""  # the name of the table, if it is not the data set's with "_" for "-"


# Table I of Ayllón-Gavilán et al. without nhanes (3499 and 1724 rows, 5 classes, 30 features), which is not public in
# its prepared form.
_TABLE_1 = {
    "ERA": _Row(750, 250, 9, 4),
    "ESL": _Row(366, 122, 9, 4),
    "LEV": _Row(750, 250, 5, 4),
    "SWD": _Row(750, 250, 4, 10),
    "automobile": _Row(153, 52, 6, 71),
    "balance-scale": _Row(468, 157, 3, 4),
    "bondrate": _Row(42, 15, 4, 37),
    "car": _Row(1296, 432, 4, 21),
    "contact-lenses": _Row(18, 6, 3, 6),
    "eucalyptus": _Row(552, 184, 5, 91),
    "mammoexp": _Row(276, 136, 3, 5),
    "newthyroid": _Row(161, 54, 3, 5),
    "pasture": _Row(27, 9, 3, 25),
    "squash-stored": _Row(39, 13, 3, 51),
    "squash-unstored": _Row(39, 13, 3, 52),
    "support": _Row(489, 241, 5, 19),
    "tae": _Row(113, 38, 3, 54),
    "toy": _Row(225, 75, 5, 2),
    "vlbw": _Row(115, 57, 9, 19),
    "winequality-red": _Row(1199, 400, 6, 11),
    "abalone": _Row(1000, 3177, 5, 10),
    "abalone10": _Row(1000, 3177, 10, 10, "abalone"),
    "bank1-10": _Row(50, 8142, 10, 8, "bank8fm"),
    "bank1-5": _Row(50, 8142, 5, 8, "bank8fm"),
    "bank2-10": _Row(75, 8117, 10, 32, "bank32nh"),
    "bank2-5": _Row(75, 8117, 5, 32, "bank32nh"),
    "calhousing-10": _Row(150, 20490, 10, 8, "calhousing"),
    "calhousing-5": _Row(150, 20490, 5, 8, "calhousing"),
    "census1-10": _Row(175, 22609, 10, 8, "house_8L"),
    "census1-5": _Row(175, 22609, 5, 8, "house_8L"),
    "census2-10": _Row(200, 22584, 10, 16, "house_16H"),
    "census2-5": _Row(200, 22584, 5, 16, "house_16H"),
    "computer1-10": _Row(100, 8092, 10, 12, "cpu_small"),
    "computer1-5": _Row(100, 8092, 5, 12, "cpu_small"),
    "computer2-10": _Row(125, 8067, 10, 21, "cpu_act"),
    "computer2-5": _Row(125, 8067, 5, 21, "cpu_act"),
    "housing": _Row(300, 206, 5, 13),
    "housing10": _Row(300, 206, 10, 13, "housing"),
    "machine": _Row(150, 59, 5, 6, "machine_cpu"),
    "machine10": _Row(150, 59, 10, 6, "machine_cpu"),
    "pyrim": _Row(50, 24, 5, 26),
    "pyrim10": _Row(50, 24, 10, 26, "pyrim"),
    "stock": _Row(600, 350, 5, 9),
    "stock10": _Row(600, 350, 10, 9, "stock"),
}

# Columns that the paper leaves out, by its number of features.
_LEFT_OUT = {"pyrim": ("p3_pi_acceptor",)}


def ordinal_names() -> list[str]:
    """List the data sets of the ordinal paper that :func:`load_ordinal` knows.

    Returns
    -------
    list of str
        In the order and with the names of Table I of Ayllón-Gavilán et al., "Splitting criteria for ordinal decision
        trees": 44 of its 45. The other one, nhanes, is not publicly available as it was prepared.

    See Also
    --------
    load_ordinal : Loads one of them.
    discrete_names : The data sets of the paper on orthogonal decision trees.
    names : The tables in the folder.

    Examples
    --------
    >>> from pytrees.datasets import ordinal_names
    >>> len(ordinal_names()), ordinal_names()[:5]
    (44, ['ERA', 'ESL', 'LEV', 'SWD', 'automobile'])
    """
    return list(_TABLE_1)


@described_like(load)
def load_ordinal(
    name: str,
    *,
    data_home: str | PathLike[str] | None = None,
    return_X_y: bool = False,
    one_hot: bool = True,
    impute: bool = True,
) -> Any:
    """Load a data set of the ordinal paper, ready to be split and fitted.

    Parameters
    ----------
    name : str
        One of :func:`ordinal_names`; "_" may stand for "-", and "abalone5" for "abalone" (there is also "abalone10").
    one_hot : bool, default=True
        Give nominal features one column for every value, or a single column for two values. Otherwise they are codes.
    impute : bool, default=True
        Replace missing values by the mean of the column, or the most frequent value of a nominal one. That uses all
        samples, also those of a later test part; with False they are NaN, for an imputer in a pipeline.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (n_samples, n_features), float64; ``target``, codes 0..n_classes-1 from the lowest class to
        the highest, int64; ``target_names``, the classes in this order; ``feature_names``; ``categorical``, the mask of
        features that are codes of nominal values; ``train_size`` and ``test_size``, the numbers of samples in the
        paper's random stratified splits; ``paper``, a Bunch of ``n_classes`` and ``n_features`` as Table I prints them;
        ``origin`` and ``DESCR`` as in :func:`pytrees.datasets.load`.

        A numeric target is cut by :func:`equal_frequency_classes`; bondrate's lowest two classes are joined.

    Raises
    ------
    FileNotFoundError
        If there is no folder, or the table is not in it.
    ValueError
        If there is no such data set.

    See Also
    --------
    ordinal_names : The names of these data sets.
    equal_frequency_classes : Cuts numeric targets into ordered classes.
    load : Loads any table as it is in its file.

    Notes
    -----
    The number of features is as in Table I, except for squash-unstored (50; printed 52), support (33, or 19 without
    `one_hot`; printed 19) and vlbw (28, or 25 without `one_hot`; printed 19).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pytrees.datasets import load_ordinal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder, "toy.csv")
    ...     _ = table.write_text("x,y,target\\n1,2,1\\n,3,2\\n3,4,3\\n4,5,4\\n5,6,5\\n")
    ...     toy = load_ordinal("toy", data_home=folder)
    >>> toy.target_names, toy.data[1], toy.train_size
    (array(['1', '2', '3', '4', '5'], dtype='<U1'), array([3.25, 3.  ]), 225)
    """
    name = _paper_name(name)
    row = _TABLE_1[name]
    table = row.table or name.replace("-", "_")
    bunch = load(table, data_home=data_home)
    target, target_names = _ordered_target(name, bunch, row.n_classes)
    data = _impute(bunch.data, bunch.categorical) if impute else bunch.data
    kept = [index for index, feature in enumerate(bunch.feature_names) if feature not in _LEFT_OUT.get(table, ())]
    features = [bunch.feature_names[index] for index in kept]
    data, categorical = data[:, kept], bunch.categorical[kept]
    if one_hot:
        data, features = _one_hot(data, features, categorical, bunch.categories)
        categorical = np.zeros(len(features), dtype=bool)
    if return_X_y:
        return data, target
    result = Bunch(data=data, target=target, target_names=target_names, feature_names=features, categorical=categorical)
    result.update(train_size=row.train, test_size=row.test, origin=bunch.origin, DESCR=bunch.DESCR)
    result.paper = Bunch(n_classes=row.n_classes, n_features=row.n_features)
    return result


def equal_frequency_classes(target: ArrayLike, n_classes: int) -> IntArray:
    """Cut a numeric target into ordered classes, as equally frequent as its ties allow.

    Samples of the same target are of the same class. The lowest class ends at the value whose rank is nearest to n/Q,
    the lower one of two; the other samples are cut into Q-1 classes in the same way.

    Parameters
    ----------
    target : array-like of shape (n_samples,)
        Finite numbers.
    n_classes : int
        Q, at most the number of different values.

    Returns
    -------
    ndarray of shape (n_samples,), int64
        Codes 0..n_classes-1, all of which occur.

    Raises
    ------
    ValueError
        If there are fewer different values than classes.

    See Also
    --------
    load_ordinal : Loads the data sets of the ordinal paper, whose numeric targets are cut like this.
    sklearn.preprocessing.KBinsDiscretizer : Cuts features into bins.

    Notes
    -----
    Takes O(n log n + m Q) steps for m different values. If many samples have the same target, such as 0 in bank2, their
    class is larger, and the others share the remaining samples.

    Examples
    --------
    >>> from pytrees.datasets import equal_frequency_classes
    >>> equal_frequency_classes([0.3, 2.0, 0.1, 0.2, 1.0, 9.0], 3)
    array([1, 2, 0, 0, 1, 2])
    >>> equal_frequency_classes([5, 5, 5, 5, 5, 7, 8, 9], 3)
    array([0, 0, 0, 0, 0, 1, 2, 2])
    """
    with within_float64("target"):
        target = column_or_1d(check_array(target, ensure_2d=False, dtype=np.float64, input_name="target"))
    values, inverse, counts = np.unique(target, return_inverse=True, return_counts=True)
    if not is_whole(n_classes) or not 1 <= n_classes <= len(values):
        raise ValueError(f"{len(values)} different values cannot be cut into {n_classes} classes.")
    ranks = np.cumsum(counts)
    cuts, first, done = [], 0, 0
    for left in range(n_classes, 1, -1):
        # Every class that is still to come needs a value.
        ends = ranks[first : len(values) - left + 1] - done
        first += int(np.abs(left * ends - (len(target) - done)).argmin()) + 1
        done = int(ranks[first - 1])
        cuts.append(first)
    return np.searchsorted(np.array(cuts, dtype=np.int64), inverse, side="right").astype(np.int64)


# ---------------------------------------------------------------------------------------------------------------- steps


def _paper_name(name: str) -> str:
    """Return the name that Table I has for a data set."""
    dashed = checked_name(name).replace("_", "-")
    if dashed in _TABLE_1:
        return dashed
    if dashed.endswith("5") and f"{dashed[:-1]}10" in _TABLE_1:
        return dashed[:-1]
    raise ValueError(f"The ordinal paper has no data set {name!r}, or it is not available; ordinal_names() lists them.")


def _ordered_target(name: str, bunch: Bunch, n_classes: int) -> tuple[IntArray, AnyArray]:
    """Return the codes of the classes as in the paper, and the names of the classes."""
    target, classes = bunch.target, bunch.target_names
    if name == "bondrate":
        return np.maximum(target - 1, 0), np.append("(5)_BB or (4)_BBB", classes[2:])
    if classes is not None:
        return target, classes
    codes = equal_frequency_classes(target, n_classes)
    parts = [target[codes == code] for code in range(n_classes)]
    return codes, np.array([f"{part.min():g} to {part.max():g}" for part in parts])


def _impute(data: FloatArray, categorical: BoolArray) -> FloatArray:
    """Replace missing values: numbers by their mean, codes by the most frequent one, the lowest of several."""
    data = data.copy()
    for column in np.flatnonzero(np.isnan(data).any(axis=0)):
        missing = np.isnan(data[:, column])
        values, counts = np.unique(data[~missing, column], return_counts=True)
        fill = values[counts.argmax()] if categorical[column] else data[~missing, column].mean()
        data[missing, column] = fill
    return data


def _one_hot(
    data: FloatArray, features: list[str], categorical: BoolArray, categories: dict[str, list[Any]]
) -> tuple[FloatArray, list[str]]:
    """Make a column for every value of a nominal feature, for two values only for the second; NaN if it is missing."""
    columns, names = [], []
    for feature, column, nominal in zip(features, data.T, categorical, strict=True):
        if not nominal:
            columns.append(column)
            names.append(feature)
            continue
        words = categories[feature]
        codes = range(len(words)) if isinstance(words[0], str) else words
        pairs = list(zip(words, codes, strict=True))
        for word, code in pairs[1:] if len(pairs) == 2 else pairs:
            columns.append(np.where(np.isnan(column), np.nan, column == code))
            names.append(f"{feature}={word}" if isinstance(word, str) else f"{feature}={word:g}")
    return np.column_stack(columns), names
