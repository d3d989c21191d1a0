"""Effort-To-Compress by pairs and longer n-grams, of arrays, windows and joint sequences, against the definitions."""

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, on_both_engines

from pytrees import (
    _coded_sequences,
    config_context,
    effort_to_compress,
    join_symbols,
    nsrps,
    sliding_effort_to_compress,
)
from pytrees._engine import kernel
from pytrees.testing.strategies import label_sequences

RUNS = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), max_size=12).map(
    lambda runs: [symbol for symbol, length in runs for _ in range(length)]
)
PERIODIC = st.tuples(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.integers(0, 60)).map(
    lambda drawn: np.resize(drawn[0], drawn[1]).tolist()
)
SEQUENCES = st.lists(st.integers(0, 3), max_size=60) | RUNS | PERIODIC


def efforts(codes, slices, order, n_symbols=4):
    starts, stops = (np.array([bounds[i] for bounds in slices], dtype=np.int64) for i in (0, 1))
    return list(kernel("efforts")(np.array(codes, dtype=np.int32), n_symbols, starts, stops, order))


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("", 3, 0),
        ("0", 3, 0),
        ("01", 3, 0),  # shorter than an n-gram
        ("000", 3, 0),  # all symbols are equal
        ("001", 3, 1),
        ("001001", 3, 1),  # two of 001, then all symbols are equal
        ("0010011", 3, 2),  # 2 2 1, then one of 221
        ("01010101", 3, 2),  # 010 twice without overlap, at 0 and 4: 2 1 2 1, then 212 once: 3 1, too few
        ("0000001", 3, 2),  # 000 twice: 2 2 1 -> 3
        ("0123456789", 4, 3),  # every n-gram occurs once: 10 symbols, 7, 4, 1
        ("0123456789", 5, 2),  # 10, 6, 2
    ],
)
def test_steps_of_longer_ngrams_as_worked_out_by_hand(engine, text, order, expected):
    assert effort_to_compress(text, order=order) == expected


def by_definition(text, order):
    """The steps, worked out on text with one new letter a step."""
    steps = []
    while len(text) >= order and len(set(text)) > 1:
        ngrams = [text[i : i + order] for i in range(len(text) - order + 1)]
        ngram = max(ngrams, key=text.count)  # str.count counts without overlap, max takes the first of equal ones
        text = text.replace(ngram, chr(ord("a") + len(steps)))
        steps.append(ngram)
    return steps


@given(SEQUENCES, st.integers(2, 7))
def test_steps_equal_those_found_by_string_methods(codes, order):
    text = "".join(map(str, codes))
    assert effort_to_compress(text, order=order) == len(by_definition(text, order))


@given(SEQUENCES, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5), st.integers(2, 7))
def test_efforts_of_slices_on_both_engines(codes, bounds, order):
    slices = [tuple(sorted(min(bound, len(codes)) for bound in pair)) for pair in bounds] + [(0, len(codes))]
    compiled, reference = on_both_engines(efforts, codes, slices, order)
    assert compiled == reference


@given(label_sequences())
def test_pairs_are_ngrams_of_order_two(drawn):
    codes, n_symbols = drawn
    found = efforts(codes, [(0, len(codes))], 2, n_symbols)
    assert found == [effort_to_compress(codes, order=2)] == [len(nsrps(codes))]


def test_long_sequences_on_both_engines():
    codes = np.random.default_rng(0).integers(3, size=1500)
    for order in (3, 4):
        compiled = effort_to_compress(codes, order=order)
        with config_context(engine="reference"):
            assert effort_to_compress(codes, order=order) == compiled


@pytest.mark.parametrize("order", [3, 5])
def test_normalized_by_the_largest_value(engine, order):
    for n in range(20):
        different = effort_to_compress(range(n), True, order=order)
        assert different == (1.0 if n >= order else 0.0)
    assert effort_to_compress("0123456", normalized=True, order=3) == 1.0


def test_kernel_refuses_slices_outside_the_sequence():
    codes = np.zeros(3, dtype=np.int32)
    for starts, stops, order in (([0], [4], 2), ([2], [1], 2), ([-1], [1], 2), ([0, 0], [1], 2), ([0], [1], 1)):
        with pytest.raises(ValueError, match="slice"):
            kernel("efforts")(codes, 1, np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64), order)
    with pytest.raises(ValueError, match="Code 0"):
        kernel("efforts")(codes, 0, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), 2)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("normalized", [False, True])
def test_efforts_along_an_axis(engine, axis, order, normalized):
    array = np.random.default_rng(1).integers(3, size=(3, 5, 8))
    found = effort_to_compress(array, normalized, order=order, axis=axis)
    expected = np.apply_along_axis(lambda row: effort_to_compress(row, normalized, order=order), axis, array)
    assert found.tolist() == expected.tolist()
    assert found.dtype == (np.float64 if normalized else np.int64)


def test_kinds_of_arrays():
    rows = [["a", "b", "a", "b"], ["a", "a", "b", "b"]]
    for array in (rows, np.array(rows), np.array(rows, dtype=object), pd.DataFrame(rows)):
        assert effort_to_compress(array, axis=1).tolist() == [1, 3]
    assert effort_to_compress(np.array([0, 1, 0, 1]), axis=0) == 1
    assert effort_to_compress(np.zeros((2, 0)), axis=1).tolist() == [0, 0]
    assert effort_to_compress(np.zeros((0, 2)), axis=1).tolist() == []
    assert effort_to_compress(np.zeros((2, 0)), True, axis=0).tolist() == []


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_threads_change_nothing(n_jobs):
    array = np.random.default_rng(2).integers(4, size=(40, 600))
    assert effort_to_compress(array, axis=1, n_jobs=n_jobs).tolist() == [effort_to_compress(row) for row in array]
    with config_context(engine="reference"):
        assert effort_to_compress(array[:2, :50], axis=1, n_jobs=n_jobs).tolist() == [
            effort_to_compress(row) for row in array[:2, :50]
        ]


# Later versions of Python warn if a process with threads forks.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_backends_change_nothing(engine, backend, monkeypatch):
    monkeypatch.setattr(_coded_sequences, "_LABELS_FOR_THREADS", 0)
    array = np.random.default_rng(0).integers(0, 3, (9, 20))
    with joblib.parallel_config(backend):
        found = effort_to_compress(array, axis=1, n_jobs=2).tolist()
        of_windows = sliding_effort_to_compress(array[0], 5, n_jobs=2).tolist()
    assert found == [effort_to_compress(row) for row in array]
    assert of_windows == [effort_to_compress(array[0, first : first + 5]) for first in range(16)]


@pytest.mark.parametrize(
    ("sequence", "options", "message"),
    [
        ([0, 1], {"order": 1}, "order must be a whole number, 2 or more, got 1"),
        ([0, 1], {"order": 2.0}, "order must be"),
        ([0, 1], {"order": True}, "order must be"),
        ([0, 1], {"axis": 1}, "axis must be a whole number from -1 to 0"),
        ([[0, 1]], {"axis": 1.0}, "axis must be a whole number from -2 to 1"),
        ([[0.0, np.nan]], {"axis": 1}, "missing values"),
        ([[0, None], [1, float("nan")]], {"axis": 1}, "missing values"),
        ([[0, 1], [0]], {"axis": 0}, "inhomogeneous"),
        (np.ma.masked_array([[0, 1]], [[0, 1]]), {"axis": 1}, "masked"),
        (np.zeros((2, 2)), {}, "one dimension"),
        ("aba", {"window": 4}, "window of 4 labels is longer than the sequence of 3"),
        ("aba", {"window": 0}, "window must be a whole number, 1 or more, got 0"),
        ("aba", {"window": 2.5}, "window must be"),
        ("aba", {"window": 2, "step": 0}, "step must be"),
        ("aba", {"window": 2, "order": 1}, "order must be"),
    ],
)
def test_bad_arrays_and_windows(sequence, options, message):
    function = sliding_effort_to_compress if "window" in options else effort_to_compress
    assert_refuses(ValueError, message, function, sequence, **options)


def test_ngrams_longer_than_any_sequence():
    assert effort_to_compress("0101", order=10**30) == 0
    assert effort_to_compress("0101", True, order=10**30) == 0.0


@given(SEQUENCES.filter(len), st.data(), st.integers(2, 4), st.booleans())
def test_windows(codes, data, order, normalized):
    window = data.draw(st.integers(1, len(codes)))
    step = data.draw(st.integers(1, 9))
    expected = [
        effort_to_compress(codes[start : start + window], normalized, order=order)
        for start in range(0, len(codes) - window + 1, step)
    ]
    found = sliding_effort_to_compress(codes, window, step, normalized=normalized, order=order)
    assert found.tolist() == expected


def test_many_windows_on_threads():
    codes = np.random.default_rng(3).integers(1000, size=5000)
    found = sliding_effort_to_compress(codes, 50, n_jobs=2)
    assert found.tolist() == sliding_effort_to_compress(codes, 50).tolist()
    assert found[-1] == effort_to_compress(codes[-50:])


def test_windows_of_constant_sequences(engine):
    assert sliding_effort_to_compress([7] * 5, 3).tolist() == [0, 0, 0]
    assert sliding_effort_to_compress("ab", 1, normalized=True).tolist() == [0.0, 0.0]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.floats(0, 1).map(round)), max_size=40))
def test_joint_symbols_are_tuples(rows):
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    joint = join_symbols(*columns)
    assert joint.dtype == np.int32
    assert [first == second for first in rows for second in rows] == [
        first == second for first in joint for second in joint
    ]
    assert effort_to_compress(joint) == effort_to_compress(rows)


def test_joint_arrays():
    x, y = np.random.default_rng(4).integers(3, size=(2, 4, 9))
    joint = join_symbols(x, y)
    assert joint.shape == (4, 9)
    expected = [effort_to_compress(list(zip(*rows, strict=True))) for rows in zip(x, y, strict=True)]
    assert effort_to_compress(joint, axis=1).tolist() == expected
    # Equal tuples of different rows have one symbol.
    assert len(np.unique(joint)) == len(set(zip(x.ravel(), y.ravel(), strict=True)))


def test_joint_symbols_of_many_labels():
    codes = np.arange(3000)
    many = join_symbols(codes, codes[::-1], codes, codes, codes, codes, codes)
    assert len(np.unique(many)) == 3000
    assert len(np.unique(join_symbols("aab"))) == 2


@pytest.mark.parametrize(
    ("sequences", "error", "message"),
    [
        ((), ValueError, "At least one"),
        (("ab", "abc"), ValueError, "one length"),
        ((np.zeros((2, 3)), np.zeros((3, 2))), ValueError, "one length"),
        (("ab", [0.0, np.nan]), ValueError, "missing values"),
        ((np.ma.masked_array([[0, 1]], [[0, 1]]),), ValueError, "masked"),
        (("ab", {1, 2}), TypeError, "sequence of labels"),
        ((3,), TypeError, "sequence of labels"),
    ],
)
def test_bad_joint_sequences(sequences, error, message):
    assert_refuses(error, message, join_symbols, *sequences)
