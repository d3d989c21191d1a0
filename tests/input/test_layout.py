"""Tables of float32 and of any layout: the same trees and predictions without a copy of the whole table."""

import tracemalloc
from contextlib import contextmanager
from functools import cache

import numpy as np
import pandas as pd
import pytest
from samples import trees_of
from sklearn.base import clone
from support import assert_refuses

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees._engine import kernel
from pytrees.input import layout

# The numbers of `make_table` are exact in float32.
LAYOUTS = {
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "float32": np.float32,
    "float32, fortran": lambda X: np.asfortranarray(X, dtype=np.float32),
    "float32, strided": lambda X: np.repeat(X.astype(np.float32), 2, axis=1)[:, ::2],
}
FRAMES = {
    "frame, float64": pd.DataFrame,
    "frame, float32": lambda X: pd.DataFrame(X.astype(np.float32)),
    "frame, both": lambda X: pd.DataFrame(X).astype({0: np.float32}),
    "frame, Float32": lambda X: pd.DataFrame(X).astype("Float32"),
    "polars": lambda X: pytest.importorskip("polars").DataFrame(X),
    "polars, float32": lambda X: pytest.importorskip("polars").DataFrame(X.astype(np.float32)),
    "Arrow": lambda X: pytest.importorskip("pyarrow").table({str(j): X[:, j] for j in range(X.shape[1])}),
    "Arrow, float32": lambda X: pytest.importorskip("pyarrow").table(
        {str(j): X[:, j].astype(np.float32) for j in range(X.shape[1])}
    ),
}
ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier("entropy", max_leaf_nodes=9, n_jobs=2),
    DecisionTreeRegressor(),
    DecisionForestClassifier(3, max_features=1, random_state=0),  # ranks
    DecisionForestClassifier(3, random_state=0),
    DecisionForestRegressor(3, random_state=0),
    ID3Classifier(evaluation="global", max_depth=3),
    PermutationDecisionTreeClassifier(max_depth=2),
    PermutationDecisionForestClassifier(2, random_state=0),
    OrdinalDecisionTreeClassifier(),
    OrdinalDecisionForestClassifier(2, random_state=0),
    C45Classifier(),  # converts the table
]


def make_table(n_samples, n_features=6, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)).astype(np.float32).astype(np.float64)
    X[:, 1] = np.round(X[:, 1] * 4)
    y = (X[:, 0] + X[:, 2] + rng.normal(size=n_samples) > 0).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def check_are_equal(fitted, expected, same_X, X):
    assert trees_of(fitted) == trees_of(expected)
    np.testing.assert_array_equal(fitted.predict(same_X), expected.predict(X))


@cache
def fitted_as_usual(estimator, engine):
    """Return an estimator that the engine in force has fitted to the table as it is."""
    return clone(estimator).fit(*make_table(40))


@pytest.mark.parametrize("convert", (LAYOUTS | FRAMES).values(), ids=[*LAYOUTS, *FRAMES])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_every_estimator_learns_the_same_from_every_layout(engine, estimator, convert):
    X, y = make_table(40)
    check_are_equal(clone(estimator).fit(convert(X), y), fitted_as_usual(estimator, engine), convert(X), X)


@pytest.mark.parametrize("convert", LAYOUTS.values(), ids=LAYOUTS)
def test_the_smallest_tree_is_the_same_for_every_layout(engine, convert):
    X, y = make_table(12)
    check_are_equal(ID3Classifier("mts").fit(convert(X), y), ID3Classifier("mts").fit(X, y), convert(X), X)


@pytest.mark.parametrize("convert", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("n_samples", [2_000, 30_000])
def test_tables_with_bins_and_blocks(convert, missing, n_samples):
    X, y = make_table(n_samples, missing=missing)
    for estimator in (
        DecisionTreeClassifier(),
        DecisionTreeRegressor(),
        DecisionForestClassifier(2, max_features=1, random_state=0),
    ):
        check_are_equal(clone(estimator).fit(convert(X), y), clone(estimator).fit(X, y), convert(X), X)


@pytest.mark.parametrize("convert", LAYOUTS.values(), ids=LAYOUTS)
def test_categories_as_codes_of_any_layout(convert):
    X, y = make_table(400)
    X[:, 3] = np.abs(np.round(X[:, 3] * 3))
    n_categories = np.array([0, 0, 0, int(X[:, 3].max()) + 1, 0, 0])
    limits = {"max_depth": 5, "min_samples_split": 2, "min_samples_leaf": 1, "max_leaf_nodes": 2**31 - 1}
    limits |= {"min_gain": -np.inf, "max_candidates": 2**31 - 1, "max_features": 6, "seed": 0}
    for subsets in (False, True):
        options = {**limits, "n_categories": n_categories, "subsets": subsets}
        grown = kernel("grow_by_gain")(convert(X), y.astype(np.int32), None, 2, "gini", **options)
        expected = kernel("grow_by_gain")(X, y.astype(np.int32), None, 2, "gini", **options)
        assert grown.keys() == expected.keys()
        for name, array in expected.items():
            np.testing.assert_array_equal(grown[name], array)


@pytest.mark.parametrize("dtype", [np.int64, np.float16])
def test_kernels_take_no_other_dtype(dtype):
    with pytest.raises(ValueError, match=r"dtype"):
        kernel("share_features")(np.zeros((3, 2), dtype=dtype), 2, "gini", True, 2, 2**31 - 1)


@pytest.mark.parametrize("convert", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rows_of_a_slab", [1, 7])
def test_predictions_of_several_slabs(engine, monkeypatch, convert, rows_of_a_slab):
    X, y = make_table(60, missing=0.1)
    for estimator in (DecisionTreeClassifier(), DecisionForestRegressor(2, random_state=0)):
        expected = estimator.fit(X, y).predict(X)
        with monkeypatch.context() as patched:
            patched.setattr(layout, "_BYTES_OF_A_SLAB", 8 * 6 * rows_of_a_slab)
            patched.setattr(layout, "_FEWEST_ROWS_OF_A_SLAB", rows_of_a_slab)
            np.testing.assert_array_equal(estimator.predict(convert(X)), expected)


def test_errors_about_slabs_name_the_first_column_of_all_rows(engine, monkeypatch):
    X, y = make_table(30)
    monkeypatch.setattr(layout, "_BYTES_OF_A_SLAB", 1)
    for estimator in (DecisionTreeClassifier(), DecisionForestClassifier(2, random_state=0)):
        estimator.fit(X, y)
        X[3, 4] = X[20, 2] = np.inf
        for convert in LAYOUTS.values():
            assert_refuses(ValueError, r"infinity in column 2\.", estimator.predict, convert(X))
            assert_refuses(ValueError, r"infinity in column 2\.", clone(estimator).fit, convert(X), y)
        X[3, 4] = X[20, 2] = 0.0


def test_sums_beyond_float32_are_no_infinity():
    X, y = make_table(40)
    X = np.full(X.shape, np.finfo(np.float32).max, dtype=np.float32) * np.sign(X, dtype=np.float32)
    expected = DecisionTreeClassifier().fit(X.astype(np.float64), y)
    check_are_equal(DecisionTreeClassifier().fit(X, y), expected, X, X.astype(np.float64))


@contextmanager
def at_most(n_bytes):
    """Let the arrays that the block makes take at most so much memory at a time."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= n_bytes


KEPT = {
    "float64": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "float32": np.float32,
    "float32, fortran": lambda X: np.asfortranarray(X, dtype=np.float32),
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("convert", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(max_depth=8), DecisionTreeRegressor(max_depth=8)])
def test_fit_and_predict_copy_no_whole_table(convert, estimator):
    X, y = make_table(50_000, n_features=40)
    table, n_bytes = convert(X), X.nbytes
    estimator.fit(table[:100], y[:100])
    with at_most(0.45 * n_bytes):
        estimator.fit(table, y)
    with at_most(0.6 * n_bytes):  # a slab is half of this table
        estimator.predict(table)


@pytest.mark.parametrize("name", ["polars", "Arrow"])
def test_frames_of_columns_are_copied_once(name):
    X, y = make_table(50_000, n_features=40)
    for single in (False, True):
        frame = FRAMES[f"{name}, float32" if single else name](X)
        with at_most((0.5 + 0.5 * (not single) + 0.45) * X.nbytes):
            DecisionTreeClassifier(max_depth=8).fit(frame, y)


def test_small_whole_numbers_become_float32():
    X, y = make_table(50_000, n_features=40)
    X = np.clip(X * 30 + 128, 0, 255).astype(np.uint8)
    with at_most(X.nbytes * (4 + 4)):
        fitted = DecisionTreeClassifier(max_depth=8).fit(X, y)
    check_are_equal(fitted, DecisionTreeClassifier(max_depth=8).fit(X.astype(np.float64), y), X, X.astype(np.float64))
