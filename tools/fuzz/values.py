"""Hostile input, by name: features, labels, weights and keys of order. A name and a seed say what a case was."""

import datetime
import decimal
import fractions
import tempfile

import numpy as np
import pandas as pd
from scipy import sparse

# ------------------------------------------------------------------------------------------------------------ features


def _special(rng, shape, *values):
    """Make small whole numbers with some special values among them."""
    X = rng.integers(0, 3, shape).astype(np.float64)
    X[rng.random(shape) < 0.3] = rng.choice(np.array(values))
    return X


def _twice(rng, shape):
    half = rng.normal(size=((shape[0] + 1) // 2, shape[1]))
    return np.concatenate([half, half])[: shape[0]]


# The tamest come first, because Hypothesis shrinks a failing case towards the first option.
MATRICES = {
    "grid": lambda rng, shape: rng.integers(0, 3, shape).astype(np.float64),
    "normal": lambda rng, shape: rng.normal(size=shape),
    "constant": lambda rng, shape: np.full(shape, 1.5),
    "twice": _twice,
    "wide range": lambda rng, shape: np.exp2(rng.uniform(-1070, 1023, shape)) * rng.choice([-1.0, 1.0], shape),
    "zeros of both signs": lambda rng, shape: rng.choice([-0.0, 0.0, 5e-324, -5e-324], shape),
    "denormals": lambda rng, shape: rng.integers(-9, 9, shape) * 5e-324,
    "last bits": lambda rng, shape: 1.0 + rng.integers(0, 4, shape) * 2.0**-52,
    "huge": lambda rng, shape: rng.choice([-1.7e308, 1.0, 1.7e308], shape),
    "beyond float32": lambda rng, shape: rng.choice([1e39, -1e39, 0.0, 16777217.0], shape),
    "negative": lambda rng, shape: -rng.integers(0, 9, shape) / 7.0,
    "large integers": lambda rng, shape: rng.choice([2.0**53, 2.0**63, -(2.0**63), 2.0**31], shape),
    "NaN": lambda rng, shape: _special(rng, shape, np.nan),
    "all NaN": lambda rng, shape: np.full(shape, np.nan),
    "infinity": lambda rng, shape: _special(rng, shape, np.inf),
    "minus infinity": lambda rng, shape: _special(rng, shape, -np.inf),
    "NaN and infinity": lambda rng, shape: _special(rng, shape, np.nan, np.inf, -np.inf),
}


def _as_kind(X, kind):
    with np.errstate(all="ignore"):
        return X.astype(kind)


def _with_cell(X, value):
    """Return X as an array of objects that holds this value once."""
    cells = X.astype(object)
    if cells.size:
        cells.flat[cells.size // 2] = value
    return cells


def _mapped(X):
    if not X.size:
        return X
    with tempfile.TemporaryFile() as file:  # the map outlives the file
        mapped = np.memmap(file, dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    return mapped


def _read_only(X):
    X.flags.writeable = False
    return X


def _every_second(X):
    return np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]


def _words(X):
    return np.array([f"word {value}" for value in X.ravel()], dtype=object).reshape(X.shape)


class _Arrays:
    """Have only the method by which NumPy makes an array of it."""

    def __init__(self, X):
        self.X = X

    def __array__(self, dtype=None, copy=None):
        return self.X if dtype is None else self.X.astype(dtype)


class _Raises:
    """Have a length, and raise where elements are read."""

    def __len__(self):
        return 3

    def __getitem__(self, place):
        raise ValueError("this cannot be read")


def _frame(X, names=None, kind=None):
    frame = pd.DataFrame(X, columns=names(X.shape[1]) if names else [f"x{m}" for m in range(X.shape[1])])
    return frame if kind is None else frame.astype(kind)


def _nullable(X, kind):
    with np.errstate(all="ignore"):
        whole = np.where(np.isfinite(X) & (np.abs(X) < 2**31), X, 0.0).round()
    frame = _frame(whole % 2 if kind == "boolean" else whole).astype(kind)
    return frame.mask(pd.DataFrame(~np.isfinite(X), columns=frame.columns))


def _mixed_frame(X):
    frame = _frame(X).astype(object)
    for m, name in enumerate(frame.columns):
        frame[name] = [frame[name], frame[name].map(str), frame[name].astype("category")][m % 3]
    return frame


CONTAINERS = {
    "array": lambda X: X,
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X.tolist())),
    "frame": _frame,
    "integers": lambda X: _as_kind(X, np.int64),
    "bytes of 8 bits": lambda X: _as_kind(X, np.uint8),
    "bool": lambda X: X.astype(bool),
    "float32": lambda X: _as_kind(X, np.float32),
    "float16": lambda X: _as_kind(X, np.float16),
    "long double": lambda X: X.astype(np.longdouble),
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "Fortran": np.asfortranarray,
    "every second": _every_second,
    "backwards": lambda X: X[::-1, ::-1],
    "read-only": _read_only,
    "mapped": _mapped,
    "masked": lambda X: np.ma.masked_array(X, mask=np.isnan(X)),
    "half masked": lambda X: np.ma.masked_array(X, mask=np.median(X) < X if X.size else False),
    "complex": lambda X: X.astype(np.complex128),
    "objects": lambda X: X.astype(object),
    "a word among them": lambda X: _with_cell(X, "word"),
    "None among them": lambda X: _with_cell(X, None),
    "NA among them": lambda X: _with_cell(X, pd.NA),
    "NaT among them": lambda X: _with_cell(X, pd.NaT),
    "a list among them": lambda X: _with_cell(X, [1, 2]),
    "a set among them": lambda X: _with_cell(X, {1}),
    "a fraction among them": lambda X: _with_cell(X, fractions.Fraction(1, 3)),
    "a decimal among them": lambda X: _with_cell(X, decimal.Decimal("0.1")),
    "a signalling NaN among them": lambda X: _with_cell(X, decimal.Decimal("sNaN")),
    "a huge integer among them": lambda X: _with_cell(X, 10**400),
    "a huge integer in a list": lambda X: _with_cell(X, 10**400).tolist(),
    "numbers as text": lambda X: X.astype(str),
    "words": _words,
    "text of bytes": lambda X: X.astype("S8"),
    "dates": lambda X: _as_kind(np.nan_to_num(X), np.int32).astype("datetime64[s]"),
    "durations": lambda X: _as_kind(np.nan_to_num(X), np.int32).astype("timedelta64[D]"),
    "records": lambda X: np.zeros(len(X), dtype=[("a", float), ("b", int)]),
    "one dimension": lambda X: X.ravel(),
    "three dimensions": lambda X: X[:, :, None],
    "a number": lambda X: 1.0,
    "None": lambda X: None,
    "a word": lambda X: "word",
    "bytes": lambda X: b"word",
    "dict": lambda X: {m: X[:, m] for m in range(X.shape[1])},
    "generator": lambda X: (row for row in X),
    "ragged": lambda X: [row.tolist()[: 1 + place % 2] for place, row in enumerate(X)],
    "an object with __array__": _Arrays,
    "an object that raises": lambda X: _Raises(),
    "a class": lambda X: dict,
    "CSR": lambda X: sparse.csr_matrix(np.nan_to_num(X)),
    "CSC array": lambda X: sparse.csc_array(np.nan_to_num(X)),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "neither": lambda X: X[:0, :0],
    "no rows of a frame": lambda X: _frame(X)[:0],
    "no columns of a frame": lambda X: _frame(X)[[]],
    "frame, numbers as names": lambda X: pd.DataFrame(X),
    "frame, names of two kinds": lambda X: _frame(X, lambda d: [m if m % 2 else f"x{m}" for m in range(d)]),
    "frame, one name": lambda X: _frame(X, lambda d: ["x"] * d),
    "frame, odd names": lambda X: _frame(X, lambda d: ["", "\n", "a <= 1", "ä", "{}", "%s"][:d] + list(range(6, d))),
    "frame, dates as names": lambda X: _frame(X, lambda d: pd.date_range("2000", periods=d)),
    "frame, names of two levels": lambda X: _frame(
        X, lambda d: pd.MultiIndex.from_tuples([("a", m) for m in range(d)])
    ),
    "frame, other index": lambda X: _frame(X).set_index(pd.Index(["row"] * len(X))),
    "frame of categories": lambda X: _frame(X, kind="category"),
    "frame of ordered categories": lambda X: _frame(X).apply(lambda x: pd.Series(pd.Categorical(x, ordered=True))),
    "frame of words": lambda X: _frame(_words(X)),
    "frame of pandas' text": lambda X: _frame(_words(X), kind="string"),
    "frame of kinds": _mixed_frame,
    "frame, Int64": lambda X: _nullable(X, "Int64"),
    "frame, Float64": lambda X: _frame(X, kind="Float64"),
    "frame, boolean": lambda X: _nullable(X, "boolean"),
    "frame, sparse": lambda X: _frame(X, kind=pd.SparseDtype("float64", 0.0)),
    "frame of dates": lambda X: _frame(_as_kind(np.nan_to_num(X), np.int32).astype("datetime64[s]")),
    "frame of objects": lambda X: _frame(X, kind=object),
    "series": lambda X: pd.Series(X.ravel()),
}


def features(matrix, container, n, d, seed):
    """Make X: values of a kind, in a container of a kind."""
    with np.errstate(all="ignore"):
        return CONTAINERS[container](MATRICES[matrix](np.random.default_rng(seed), (n, d)))


# -------------------------------------------------------------------------------------------------------------- labels


def _among(codes, *values):
    """Return labels "a", "b", ... as objects, and some special values among them."""
    labels = np.array(list("abcdefghij"), dtype=object)[codes % 10]
    labels[: len(values)] = values[: len(labels)]
    return labels


def _column_of_objects(codes):
    labels = np.empty(len(codes), dtype=object)
    labels[:] = [(code,) for code in codes.tolist()]
    return labels


LABELS = {
    "numbers": lambda y: y,
    "words": lambda y: np.array(list("abcdefghij"))[y % 10],
    "list": lambda y: y.tolist(),
    "one class": lambda y: np.zeros_like(y),
    "one class, words": lambda y: np.full(len(y), "only"),
    "a class for each": lambda y: np.arange(len(y)),
    "bool": lambda y: y > 0,
    "negative": lambda y: -5 * y,
    "whole floats": lambda y: y.astype(np.float64),
    "floats": lambda y: y + 0.5,
    "NaN": lambda y: np.where(y > 0, y, np.nan),
    "infinity": lambda y: np.where(y > 0, y, np.inf),
    "uint64": lambda y: y.astype(np.uint64) + np.uint64(2**63),
    "int8": lambda y: y.astype(np.int8),
    "float16": lambda y: y.astype(np.float16),
    "complex": lambda y: y.astype(np.complex128),
    "objects": lambda y: y.astype(object),
    "words as objects": _among,
    "None among them": lambda y: _among(y, None),
    "NaN among words": lambda y: _among(y, float("nan")),
    "NA among words": lambda y: _among(y, pd.NA),
    "numbers among words": lambda y: _among(y, 1, 2.5),
    "numbers among words, listed": lambda y: [1, *_among(y).tolist()[1:]],
    "None in a list": lambda y: [None, *y.tolist()[1:]],
    "tuples": _column_of_objects,
    "huge integers": lambda y: [10**30 * (code + 1) for code in y.tolist()],
    "bytes": lambda y: np.array(list("abcdefghij")).astype("S1")[y % 10],
    "empty words": lambda y: np.array(["", " ", "\n", "\0", "ä"])[y % 5],
    "dates": lambda y: np.datetime64("2000-01-01") + y,
    "dates of Python": lambda y: [datetime.date(2000, 1, 1 + code % 28) for code in y.tolist()],
    "series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "series, Int64": lambda y: pd.Series(y).astype("Int64"),
    "series, Int64 with NA": lambda y: pd.Series(y).astype("Int64").mask(y == 0),
    "series of text": lambda y: pd.Series(np.array(list("abcdefghij"))[y % 10], dtype="string"),
    "categories": lambda y: pd.Series(pd.Categorical(y % 10)),
    "ordered categories": lambda y: pd.Categorical(y % 10, categories=list(range(9, -1, -1)), ordered=True),
    "ordered categories, one missing": lambda y: pd.Categorical(y % 10, categories=list(range(1, 10)), ordered=True),
    "frame": lambda y: pd.DataFrame({"y": y}),
    "column": lambda y: y[:, None],
    "two outputs": lambda y: np.stack([y, y], axis=1),
    "three dimensions": lambda y: y[:, None, None],
    "read-only": lambda y: np.frombuffer(y.tobytes(), dtype=y.dtype),
    "other byte order": lambda y: y.astype(y.dtype.newbyteorder()),
    "masked": lambda y: np.ma.masked_array(y, mask=y == 0),
    "sparse": lambda y: sparse.csr_matrix(y[:, None]),
    "too short": lambda y: y[:-1],
    "too long": lambda y: np.append(y, 0),
    "empty": lambda y: y[:0],
    "None": lambda y: None,
    "a number": lambda y: 1,
    "a word": lambda y: "word",
    "set": lambda y: set(y.tolist()),
    "generator": lambda y: (code for code in y),
    "dict": lambda y: dict(enumerate(y.tolist())),
}

# Targets of regression. Classifiers and functions of labels get them too, as numbers that are no classes.
TARGETS = {
    "tenths": lambda y: y / 10,
    "sums of tenths": lambda y: np.where(y % 2, 0.1 + 0.2, 0.3) + y // 2,
    "thirds": lambda y: y / 3.0,
    "last bits above one": lambda y: 1.0 + y * 2.0**-52,
    "far from zero": lambda y: 2.0**52 + y,
    "extreme spread": lambda y: np.where(y % 2, 1e300, -1e-300) * (1 + y),
    "one far from all": lambda y: np.where(np.arange(len(y)) == 0, 1e18, y),
    "greatest": lambda y: np.where(y % 2, 1.7e308, -1.7e308),
    "denormals": lambda y: y * 5e-324,
    "zeros of both signs": lambda y: np.where(y % 2, 0.0, -0.0),
    "a number for each": lambda y: np.sin(np.arange(len(y))),
    "float32": lambda y: (y / 10).astype(np.float32),
    "long doubles": lambda y: y.astype(np.longdouble) / 3,
    "large integers": lambda y: y.astype(np.int64) * 2**59,
    "beyond floats": lambda y: [10**400 * code for code in y.tolist()],
    "fractions": lambda y: [fractions.Fraction(code, 3) for code in y.tolist()],
    "decimals of Python": lambda y: [decimal.Decimal(code) / 10 for code in y.tolist()],
    "durations": lambda y: y.astype("timedelta64[s]"),
    "series, Float64 with NA": lambda y: pd.Series(y / 10, dtype="Float64").mask(y == 0),
}
LABELS |= TARGETS


def labels(kind, n_classes, n, seed):
    """Make y: labels of a kind."""
    return LABELS[kind](np.random.default_rng(seed + 1).integers(0, n_classes, n))


# ------------------------------------------------------------------------------------------------------------- weights

WEIGHTS = {
    "not given": None,
    "None": lambda rng, n: None,
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(0, 4, n),
    "real": lambda rng, n: rng.random(n) + 0.1,
    "zeros": lambda rng, n: np.zeros(n),
    "one above zero": lambda rng, n: np.eye(1, n)[0],
    "negative": lambda rng, n: rng.normal(size=n),
    "negative zeros": lambda rng, n: np.where(rng.random(n) < 0.5, -0.0, 1.0),
    "NaN": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, 1.0),
    "infinity": lambda rng, n: np.where(rng.random(n) < 0.3, np.inf, 1.0),
    "huge": lambda rng, n: np.full(n, 1e308),
    "huge and small": lambda rng, n: np.where(rng.random(n) < 0.5, 1e200, 1e-10),
    "denormals": lambda rng, n: rng.integers(1, 9, n) * 5e-324,
    "denormals and ones": lambda rng, n: np.where(rng.random(n) < 0.5, 5e-324, 1.0),
    "the last below a limit": lambda rng, n: np.r_[2.0**24 - n, np.ones(n - 1)] if n else np.ones(0),
    "whole beyond a limit": lambda rng, n: np.full(n, 2.0**24),
    "whole beyond 32 bits": lambda rng, n: np.full(n, 2.0**32),
    "whole beyond 53 bits": lambda rng, n: rng.choice([1.0, 2.0**60], n),
    "beyond 64 bits": lambda rng, n: [2**70] * n,
    "beyond floats": lambda rng, n: [10**400] * n,
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "list": lambda rng, n: [1] * n,
    "words": lambda rng, n: ["1"] * n,
    "objects": lambda rng, n: np.full(n, 1.5, dtype=object),
    "None among them": lambda rng, n: [None] + [1.0] * (n - 1),
    "complex": lambda rng, n: np.ones(n, dtype=np.complex128),
    "series": lambda rng, n: pd.Series(rng.random(n) + 0.1, index=np.arange(n)[::-1]),
    "column": lambda rng, n: np.ones((n, 1)),
    "a number": lambda rng, n: 2.0,
    "a word": lambda rng, n: "balanced",
    "too short": lambda rng, n: np.ones(max(n - 1, 0)),
    "read-only": lambda rng, n: np.frombuffer(np.full(n, 2.5).tobytes()),
    "other byte order": lambda rng, n: rng.random(n).astype(">f8"),
}


# --------------------------------------------------------------------------------------------------------------- order


def _dates(rng, n):
    return np.datetime64("2000-01-01", "s") + rng.integers(0, 5, n)


ORDERS = {
    "not given": None,
    "None": lambda rng, n: None,
    "backwards": lambda rng, n: np.arange(n)[::-1],
    "ties": lambda rng, n: rng.integers(0, 3, n),
    "list": lambda rng, n: rng.permutation(n).tolist(),
    "floats": lambda rng, n: rng.normal(size=n),
    "zeros of both signs": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "infinity": lambda rng, n: rng.choice([-np.inf, np.inf, 0.0], n),
    "NaN": lambda rng, n: np.r_[np.nan, np.zeros(max(n - 1, 0))],
    "dates": _dates,
    "NaT": lambda rng, n: np.r_[np.datetime64("NaT", "s"), _dates(rng, max(n - 1, 0))],
    "series of dates": lambda rng, n: pd.Series(_dates(rng, n)),
    "dates with zones": lambda rng, n: pd.Series(_dates(rng, n)).dt.tz_localize("UTC"),
    "words": lambda rng, n: np.array(["b", "a", "", "ä"])[rng.integers(0, 4, n)],
    "words as objects": lambda rng, n: ["b"] * n,
    "numbers among words": lambda rng, n: ["b"] * (n - 1) + [1],
    "None among them": lambda rng, n: [None] + [1] * (n - 1),
    "NA": lambda rng, n: pd.Series([pd.NA] + [1] * (n - 1), dtype="Int64"),
    "tuples": lambda rng, n: [(1, 2)] * n,
    "huge integers": lambda rng, n: [10**400] * n,
    "complex": lambda rng, n: np.ones(n, dtype=np.complex128),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "ordered categories": lambda rng, n: pd.Categorical(rng.integers(0, 3, n), ordered=True),
    "categories": lambda rng, n: pd.Categorical(rng.integers(0, 3, n)),
    "column": lambda rng, n: np.ones((n, 1)),
    "too short": lambda rng, n: np.ones(max(n - 1, 0)),
    "a number": lambda rng, n: 1,
    "a word": lambda rng, n: "time",
    "set": lambda rng, n: set(range(n)),
    "dict": lambda rng, n: dict.fromkeys(range(n)),
    "generator": lambda rng, n: (place for place in range(n)),
    "records": lambda rng, n: np.zeros(n, dtype=[("a", float)]),
}

# Groups are labels that can be sorted, as keys of order are.
GROUPS = {
    "not given": None,
    "two": lambda rng, n: rng.integers(0, 2, n),
    "one": lambda rng, n: np.zeros(n, dtype=np.int64),
    "each its own": lambda rng, n: np.arange(n),
} | {name: make for name, make in ORDERS.items() if name != "not given"}


def for_each_sample(table, kind, n, seed):
    """Return weights or keys of a kind as a tuple of one; an empty one where they are not given."""
    return () if table[kind] is None else (table[kind](np.random.default_rng(seed + 2), n),)
