"""Read tables in a folder, with the facts of the catalog, and the tables that scikit-learn ships."""

from __future__ import annotations

import csv
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.utils import Bunch

from .._docstrings import described_like
from .._typing import AnyArray, FloatArray
from ._catalog import ALL, CATALOG, Entry

_SHIPPED = {"iris": load_iris, "breast_cancer_wisconsin_diagnostic": load_breast_cancer, "wine": load_wine}
_PARTS = ("train", "test")
_OPENERS: dict[str, Callable[..., Any]] = {".csv": open, ".gz": gzip.open, ".xz": lzma.open}
_ENDINGS = (".csv", ".csv.gz", ".csv.xz")

# Python reads further texts as numbers, such as "1_000", "inf" and digits of other scripts.
_OF_DECIMALS = frozenset("0123456789+-.eE \t")
# Labels that take at most this many characters as an array are always taken, and beyond, as many for each of the file.
_ROOM_FOR_LABELS, _MOST_PADDING = 2**20, 64

# A clone has a folder of tables, which no wheel has: tools/fetch_tables.py fetches those that are not packed there.
_CLONED = Path(__file__).resolve().parents[2] / "studies" / "data"


def get_data_home(data_home: str | PathLike[str] | None = None) -> Path | None:
    """Return the folder that tables are read from.

    Parameters
    ----------
    data_home : path-like, optional
        The folder of the tables. By default the environment variable ``PYTREES_DATA`` names it. If neither names a
        folder, it is ``studies/data`` of a clone of the repository.

    Returns
    -------
    pathlib.Path or None
        None if neither is given and the package does not run from a clone, or if the name of the folder is empty.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    TypeError
        If `data_home` is not a path, or the name of a table not a string.

    See Also
    --------
    names : The data sets in this folder.
    load : Loads one of them.

    Examples
    --------
    >>> from pytrees.datasets import get_data_home
    >>> get_data_home(".").is_dir()
    True
    """
    named = os.environ.get("PYTREES_DATA") if data_home is None else data_home
    if not isinstance(named, (str, PathLike, NoneType)):
        raise TypeError(f"data_home must be the path of a folder, got {named!r}.")
    if named is None and (_CLONED / "MANIFEST.csv").is_file():
        return _CLONED
    if not named:
        return None
    home = Path(os.path.expanduser(named))
    if not os.path.isdir(home):
        raise FileNotFoundError(f"There is no folder {home}, which PYTREES_DATA or data_home names.")
    return home


@described_like(get_data_home)
def load_table(name: str, data_home: str | PathLike[str] | None = None) -> Bunch:
    """Load a table of numeric features whose last column is the target, as it is in its file.

    Parameters
    ----------
    name : str
        Name of the file without ``.csv``; not a path.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (n_samples, n_features), float64; ``target`` of shape (n_samples,), str; ``feature_names``.

    Raises
    ------
    FileNotFoundError
        If there is no folder, or the table is not in it.
    ValueError
        If a feature is not a number, the file is not a table as :func:`load` describes it, or `name` leads out of the
        folder.

    See Also
    --------
    load : Reads words, missing values, fixed splits and numeric targets too.
    names : The data sets in the folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pytrees.datasets import load_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "mine.csv").write_text("size,weight,target\\n1,3.5,no\\n2,4,yes\\n")
    ...     mine = load_table("mine", data_home=folder)
    >>> mine.data.tolist(), mine.target.tolist(), mine.feature_names
    ([[1.0, 3.5], [2.0, 4.0]], ['no', 'yes'], ['size', 'weight'])
    """
    header, rows = _read(_find(name, data_home))
    *columns, target = zip(*rows, strict=True)
    data = np.empty((len(rows), len(columns)))
    for index, (feature, column) in enumerate(zip(header[:-1], columns, strict=True)):
        numbers = _checked_numbers(name, feature, column)
        if numbers is None or np.isnan(numbers).any():
            raise ValueError(f"Column {feature!r} of {name!r} must contain numbers alone: load reads other columns.")
        data[:, index] = numbers
    return Bunch(data=data, target=_labels(name, target), feature_names=header[:-1])


def load_shipped(name: str) -> Bunch:
    """Load one of the tables that scikit-learn ships, by its name in :func:`load_table`.

    Parameters
    ----------
    name : {"iris", "breast_cancer_wisconsin_diagnostic", "wine"}
        The name of the table.

    Returns
    -------
    sklearn.utils.Bunch
        ``data``, ``target`` and ``feature_names``, as in :func:`load_table`.

    Raises
    ------
    KeyError
        If scikit-learn does not ship it.

    See Also
    --------
    load_table : Loads a table from a file.
    sklearn.datasets.load_wine : One of the tables.

    Examples
    --------
    >>> from pytrees.datasets import load_shipped
    >>> load_shipped("wine").data.shape
    (178, 13)
    """
    if checked_name(name) not in _SHIPPED:
        raise KeyError(f"scikit-learn ships no {name!r}, but {', '.join(_SHIPPED)}.")
    bunch = _SHIPPED[name]()
    return Bunch(
        data=bunch.data, target=bunch.target_names[bunch.target], feature_names=[str(n) for n in bunch.feature_names]
    )


@described_like(get_data_home)
def names(
    data_home: str | PathLike[str] | None = None, *, task: Literal["nominal", "ordinal", "regression"] | None = None
) -> list[str]:
    """List the data sets that the folder holds.

    Parameters
    ----------
    task : {"nominal", "ordinal", "regression"}, optional
        Only the known sets of this task.

    Returns
    -------
    list of str
        In alphabetical order; a set that comes as ``NAME.train`` and ``NAME.test`` is named once. Unknown tables
        are listed too, unless `task` is given.

    Raises
    ------
    FileNotFoundError
        If there is no folder, or it does not exist.
    ValueError
        If there is no such task.

    See Also
    --------
    load : Loads one of these data sets.
    get_data_home : The folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pytrees.datasets import names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ["wine.csv", "car.csv.gz", "spect.train.csv", "spect.test.csv", "mine.csv"]:
    ...         pathlib.Path(folder, name).touch()
    ...     names(folder), names(folder, task="ordinal")
    (['car', 'mine', 'spect', 'wine'], ['car'])
    """
    tasks = {entry.task for entry in CATALOG.values()}
    if task is not None and not (isinstance(task, str) and task in tasks):
        raise ValueError(f"task must be one of {sorted(tasks)}, got {task!r}.")
    found = set()
    for path in _home(data_home, "Data sets").iterdir():
        name, dot, ending = path.name.partition(".csv")
        if dot and dot + ending in _ENDINGS and name != "MANIFEST" and path.is_file():
            stem, _, part = name.rpartition(".")
            found.add(stem if part in _PARTS else name)
    return sorted(name for name in found - {""} if task is None or getattr(CATALOG.get(name), "task", None) == task)


@described_like(get_data_home)
def load(
    name: str,
    *,
    data_home: str | PathLike[str] | None = None,
    subset: Literal["all", "train", "test"] = "all",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load a data set from the folder.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    subset : {"all", "train", "test"}, default="all"
        Part of a set that has a fixed split; "all" gives the samples of the train part, then those of the test part.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Give data as a pandas DataFrame, in which words are categories, and the target as a Series.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` of shape (n_samples, n_features), float64: numbers unchanged, words as their index in ``categories``,
        NaN for missing values; ``target`` of shape (n_samples,): codes of the classes, int64, or the numbers, float64,
        of a regression set; ``target_names``, the classes in the order of their codes, from the lowest to the highest
        if they are ordered, None for regression; ``feature_names``; ``categorical``, a mask of the nominal features;
        ``categories``, a dict from the names of nominal and word features to their values; ``task``, "nominal",
        "ordinal" or "regression"; ``n_train``, the number of samples in the train part of a fixed split, otherwise
        None; ``frame``, data and target with ``as_frame=True``, otherwise None; ``origin`` and ``DESCR``, the source of
        the set, in short and in full. In an unknown table, columns of words are nominal, and a target of numbers that
        are not whole is a regression target.

    Raises
    ------
    FileNotFoundError
        If there is no folder, or the set is not in it.
    ImportError
        If pandas is asked for, but not installed.
    ValueError
        If there is no such subset, or the file is not the known table or not a table as described in the notes, or
        `name` leads out of the folder.

    See Also
    --------
    names : The data sets in the folder.
    load_table : Only numbers, as they are in the file.
    load_ordinal : The sets of the ordinal paper, ready to be fitted.

    Notes
    -----
    A file is UTF-8, with or without a byte order mark; lines end in any way; fields are separated by commas, and quoted
    by ``"`` if they contain commas, quotes or line breaks. The first line names the columns, of which the last is the
    target: all names differ, and no other column is called ``target``. All lines have as many fields, and no NUL.
    Missing values of features are empty fields.

    A column of which Python reads all fields as numbers has numbers: these must be finite, and written as decimals such
    as ``-1.5`` or ``2e3``, with blanks around them at most. A column with any other text has words, which are read as
    they are, ``nan`` and ``true`` included. Classes that are numbers have one form each: not ``1`` and ``1.0``.

    Memory is proportional to the size of the unpacked file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pytrees.datasets import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "mine.csv").write_text("size,colour,target\\n1,red,no\\n,blue,yes\\n")
    ...     mine = load("mine", data_home=folder)
    >>> mine.data, mine.target, mine.categories
    (array([[ 1.,  1.],
           [nan,  0.]]), array([0, 1]), {'colour': ['blue', 'red']})
    """
    stem, _, part = checked_name(name).rpartition(".")
    if part in _PARTS:
        name, subset = stem, part
    if subset not in ("all", *_PARTS):
        raise ValueError(f"subset must be 'all', 'train' or 'test', got {subset!r}.")
    header, rows, n_train = _read_subset(name, subset, data_home)
    bunch = tidy(name, header, rows)
    bunch.n_train = n_train
    if as_frame:
        _add_frame(bunch)
    return (bunch.data, bunch.target) if return_X_y else bunch


# ---------------------------------------------------------------------------------------------------------------- files


def _home(data_home: str | PathLike[str] | None, what: str) -> Path:
    home = get_data_home(data_home)
    if home is None:
        raise FileNotFoundError(f"{what} are files: set PYTREES_DATA or data_home to their folder.")
    return home


def checked_name(name: object) -> str:
    """Return the name of a table; refuse a path, which could lead out of the folder. (Links in the folder are followed:
    the folder's owner has made them.)"""
    if not isinstance(name, str):
        raise TypeError(f"The name of a data set must be a string, got {name!r}.")
    if not name or Path(name).name != name or any(character in name for character in "/\\\0"):
        raise ValueError(f"The name of a data set must be the name of a file, not a path, got {name!r}.")
    return name


def _find(name: str, data_home: str | PathLike[str] | None) -> Path:
    name = checked_name(name)
    home = get_data_home(data_home)
    if home is None:
        raise FileNotFoundError(f"The data set {name!r} is a file: set PYTREES_DATA or data_home to its folder.")
    for ending in _ENDINGS:
        path = home / f"{name}{ending}"
        if os.path.isfile(path):  # Path.is_file raises an OSError if a name is too long
            return path
    advice = "; tools/fetch_tables.py fetches it" if home == _CLONED else ""
    raise FileNotFoundError(f"There is no {name}.csv in {home}: name its folder by PYTREES_DATA or data_home{advice}.")


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read the header and the rows of a table, all of the same length."""
    opener = _OPENERS[f".{path.name.rpartition('.')[2]}"]  # since Python 3.14 "...csv" has no suffix
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            header, rows = _header_and_rows(file)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not a table: it is not encoded in UTF-8: {error}.") from error
    except (csv.Error, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path.name} is not a table: {error}.") from error
    return header, rows


def _header_and_rows(file: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    reader = csv.reader(file, strict=True)
    header, rows = next(reader, []), []
    if len(header) < 2:
        raise csv.Error("the header must name a feature and the target, separated by commas")
    if len(set(header)) < len(header):
        twice = next(name for number, name in enumerate(header) if name in header[:number])
        raise csv.Error(f"two columns are called {twice!r}")
    if "target" in header[:-1]:
        raise csv.Error("'target' is not its last column")
    if as_numbers(header) is not None:
        raise csv.Error("it has numbers instead of a header")
    for row in reader:
        if len(row) != len(header):
            raise csv.Error(f"line {reader.line_num} has {len(row)} fields, but the header has {len(header)}")
        if any("\0" in text for text in row):
            raise csv.Error(f"line {reader.line_num} contains NUL")
        rows.append(row)
    if not rows:
        raise csv.Error("it has no rows")
    return header, rows


def _read_subset(
    name: str, subset: str, data_home: str | PathLike[str] | None
) -> tuple[list[str], list[list[str]], int | None]:
    """Read header, rows, and the number of rows of the train part, None for a set without split."""
    entry = CATALOG.get(name)
    if entry is None:
        home = get_data_home(data_home)
        split = home is not None and any(os.path.isfile(home / f"{name}.train{ending}") for ending in _ENDINGS)
    else:
        split = entry.split
    if not split:
        if subset != "all":
            raise ValueError(f"The data set {name!r} has no fixed split into train and test samples.")
        return *_read(_find(name, data_home)), None
    parts = [_read(_find(f"{name}.{part}", data_home)) for part in _PARTS if subset in ("all", part)]
    if any(header != parts[0][0] for header, _ in parts):
        raise ValueError(f"The parts of {name!r} have different columns.")
    n_train = 0 if subset == "test" else len(parts[0][1])
    return parts[0][0], [row for _, rows in parts for row in rows], n_train


# -------------------------------------------------------------------------------------------------------------- columns


def tidy(name: str, header: list[str], rows: list[list[str]]) -> Bunch:
    """Make the Bunch of a table's header and rows of text, as :func:`load` gives it without a frame."""
    entry = CATALOG.get(name)
    *columns, target = zip(*rows, strict=True)
    feature_names = header[:-1]
    unknown = entry is None
    if entry is None:
        entry = Entry(_guess_task(name, target), "unknown")
    data, nominal, categories = np.empty((len(rows), len(columns))), [], {}
    for index, (feature, column) in enumerate(zip(feature_names, columns, strict=True)):
        is_nominal = entry.nominal == ALL or feature in entry.nominal
        levels = entry.levels.get(feature, entry.levels.get("", ()))
        data[:, index], values = _code_feature(name, feature, column, levels, entry.empty)
        if values is None and is_nominal:
            values = np.unique(data[:, index][~np.isnan(data[:, index])]).tolist()
        elif values is not None and unknown:
            is_nominal = True
        elif values is not None and not is_nominal and not levels:
            raise ValueError(f"Not the known table {name!r}: column {feature!r} holds words.")
        nominal.append(is_nominal)
        if values is not None:
            categories[feature] = values
    target, target_names = _code_target(name, target, entry)
    bunch = Bunch(data=data, target=target, frame=None, target_names=target_names, feature_names=feature_names)
    bunch.update(categorical=np.array(nominal, dtype=bool), categories=categories, task=entry.task, origin=entry.origin)
    bunch.DESCR = _describe(name, entry, bunch)
    return bunch


def as_numbers(texts: Sequence[str]) -> FloatArray | None:
    """Convert texts to float64, empty ones to NaN; return None if Python does not read one as a number."""
    try:
        return np.fromiter((float(text or "nan") for text in texts), np.float64, len(texts))
    except ValueError:
        return None


def _checked_numbers(name: str, column: str, texts: Sequence[str]) -> FloatArray | None:
    """Return the numbers of a column, or None if one is a word; raise ValueError for numbers that are not decimals."""
    numbers = as_numbers(texts)
    if numbers is None or (_OF_DECIMALS.issuperset("".join(texts)) and not np.isinf(numbers).any()):
        return numbers
    text = next(text for text in texts if not _OF_DECIMALS.issuperset(text) or np.isinf(float(text or "nan")))
    raise ValueError(
        f"Column {column!r} of {name!r} contains {text!r:.50}. Expected finite numbers in the range of float64, "
        "written as decimals such as -1.5 or 2e3, and empty fields for missing values."
    )


def _labels(name: str, texts: Sequence[str]) -> AnyArray:
    """Return texts as an array of strings; refuse a text so long that the array would take much more than the file."""
    longest = max(map(len, texts))
    if longest * len(texts) > _ROOM_FOR_LABELS + _MOST_PADDING * sum(map(len, texts)):
        raise ValueError(f"The target of {name!r} has a class of {longest} characters: give it a shorter name.")
    return np.array(texts)


def _guess_task(name: str, target: Sequence[str]) -> str:
    numbers = _checked_numbers(name, "target", target)
    whole = numbers is None or np.isnan(numbers).any() or np.all(numbers == np.floor(numbers))
    return "nominal" if whole else "regression"


def _code_feature(
    name: str, feature: str, texts: Sequence[str], levels: Sequence[str], empty: str
) -> tuple[FloatArray, list[Any] | None]:
    """Return the numbers of a column and None, or the codes of its words and the words in the order of the codes."""
    texts = [text or empty for text in texts]
    numbers = None if levels else _checked_numbers(name, feature, texts)
    if numbers is not None:
        return numbers, None
    words = list(levels) or sorted({*texts} - {""})
    return _codes(name, feature, texts, words), words


def _codes(name: str, column: str, texts: Sequence[str], words: Sequence[str]) -> FloatArray:
    """Return the index of every text among the words, NaN for empty texts."""
    code = {"": np.nan} | {word: index for index, word in enumerate(words)}
    if unknown := sorted({*texts} - code.keys()):
        raise ValueError(f"Not the known table {name!r}: column {column!r} holds {unknown[0]!r}.")
    return np.fromiter(map(code.__getitem__, texts), np.float64, len(texts))


def _code_target(name: str, texts: Sequence[str], entry: Entry) -> tuple[AnyArray, AnyArray | None]:
    """Return the target as numbers or as codes of classes, and the classes in the order of their codes."""
    if "" in texts:
        raise ValueError(f"The target of {name!r} has missing values.")
    numbers = _checked_numbers(name, "target", texts)
    if entry.task == "regression":
        if numbers is None:
            raise ValueError(f"Not the known table {name!r}: its target holds words.")
        return numbers, None
    classes = list(entry.order) or sorted(sorted({*texts}), key=None if numbers is None else Decimal)
    for one, other in pairwise(classes if numbers is not None and not entry.order else ()):
        if Decimal(one) == Decimal(other):
            raise ValueError(f"The target of {name!r} has one number in two forms, {one!r} and {other!r}: unite them.")
    return _codes(name, "target", texts, classes).astype(np.int64), _labels(name, classes)


def _describe(name: str, entry: Entry, bunch: Bunch) -> str:
    rows, columns = bunch.data.shape
    lines = [
        f"{name} ({entry.task})",
        f"Origin: {entry.origin}",
        f"Samples: {rows}",
        f"Features: {columns}, of which nominal: {bunch.categorical.sum()}",
        f"Missing values: {np.isnan(bunch.data).sum()}",
    ]
    if bunch.target_names is not None:
        between = " < " if entry.task == "ordinal" else ", "
        lines.append(f"Classes: {between.join(bunch.target_names)}")
    return "\n".join([*lines, *filter(None, [entry.note])])


def _add_frame(bunch: Bunch) -> None:
    """Replace the data by a data frame and the target by a series, and put both into `frame`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas, which is not installed.") from error
    columns = {}
    for feature, values, nominal in zip(bunch.feature_names, bunch.data.T, bunch.categorical, strict=True):
        if feature in bunch.categories:
            categories = bunch.categories[feature]
            # Words have codes; numbers stand for themselves.
            codes = values if isinstance(categories[0], str) else np.searchsorted(categories, values)
            codes = np.where(np.isnan(values), -1, codes).astype(np.int64)
            values = pd.Categorical.from_codes(codes, categories=categories, ordered=not nominal)
        columns[feature] = values
    bunch.data = pd.DataFrame(columns)
    bunch.target = pd.Series(bunch.target, name="target")
    bunch.frame = bunch.data.assign(target=bunch.target)
