"""Compression-complexity causality, against its definition."""

import math

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, on_both_engines

from pytrees import compression_complexity_causality, effort_to_compress, symbolize

LENGTHS = {"past": 20, "present": 5, "step": 7}


def by_definition(cause, effect, past, present, step):
    """The mean over windows of what the present adds to the effect alone, less what it adds to both."""
    terms = []
    for start in range(0, len(effect) - past - present + 1, step):
        effect_past, cause_past = effect[start : start + past], cause[start : start + past]
        now = effect[start + past : start + past + present]
        joint_past = list(zip(effect_past, cause_past, strict=True))
        joint = list(zip([*effect_past, *now], [*cause_past, *now], strict=True))
        alone = effort_to_compress([*effect_past, *now], True) - effort_to_compress(effect_past, True)
        terms.append(alone - (effort_to_compress(joint, True) - effort_to_compress(joint_past, True)))
    return math.fsum(terms) / len(terms)


def both(x, y, **options):
    found = compression_complexity_causality(x, y, **options)
    return (found.x_to_y, found.y_to_x, *found.surrogates_x_to_y, *found.surrogates_y_to_x)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=8, max_size=50),
    st.integers(2, 6),
    st.integers(1, 2),
    st.integers(1, 9),
)
def test_values(rows, past, present, step):
    x, y = (list(column) for column in zip(*rows, strict=True))
    options = {"past": past, "present": present, "step": step}
    compiled, reference = on_both_engines(lambda: both(x, y, **options))
    assert compiled == reference
    assert compiled[0] == pytest.approx(by_definition(x, y, **options), abs=1e-12)
    assert compiled[1] == pytest.approx(by_definition(y, x, **options), abs=1e-12)


def test_all_windows_that_fit():
    x, y = np.random.default_rng(0).integers(2, size=(2, 39))
    assert compression_complexity_causality(x, y, **LENGTHS).n_windows == 3
    assert compression_complexity_causality(x[:-1], y[:-1], **LENGTHS).n_windows == 2
    assert compression_complexity_causality(x[:25], y[:25], **LENGTHS).n_windows == 1


def test_labels_are_compared():
    x, y = np.random.default_rng(1).integers(2, size=(2, 100))
    words = np.array(["down", "up"])
    expected = both(x, y, **LENGTHS)
    assert both(words[x], words[y].tolist(), **LENGTHS) == expected
    assert both(x.astype(float), y, **LENGTHS) == expected
    # If both have labels of their own, the joint present differs from the joint past.
    assert both(x, y + 2, **LENGTHS) != expected


def test_surrogates_are_shifts(engine):
    x, y = np.random.default_rng(2).integers(2, size=(2, 70))
    found = compression_complexity_causality(x, y, **LENGTHS, n_surrogates=5, random_state=0)
    shifts = range(25, 70 - 25 + 1)
    for surrogates, cause, effect in ((found.surrogates_x_to_y, x, y), (found.surrogates_y_to_x, y, x)):
        assert surrogates.shape == (5,)
        possible = [by_definition(np.roll(cause, shift).tolist(), effect.tolist(), **LENGTHS) for shift in shifts]
        assert all(np.isclose(possible, value, rtol=0, atol=1e-12).any() for value in surrogates)
    n_high = np.count_nonzero(found.surrogates_x_to_y >= found.x_to_y)
    n_low = np.count_nonzero(found.surrogates_x_to_y <= found.x_to_y)
    assert found.pvalue_x_to_y == min(1.0, 2 * (1 + min(n_high, n_low)) / 6)


def test_all_surrogates_are_different_shifts():
    x, y = np.random.default_rng(3).integers(2, size=(2, 60))
    found = compression_complexity_causality(x, y, **LENGTHS, n_surrogates=11, random_state=0)
    expected = sorted(compression_complexity_causality(np.roll(x, s), y, **LENGTHS).x_to_y for s in range(25, 36))
    assert sorted(found.surrogates_x_to_y) == expected
    assert_refuses(ValueError, "have 11 shifts", compression_complexity_causality, x, y, **LENGTHS, n_surrogates=12)


def test_threads_and_states():
    x, y = np.random.default_rng(4).integers(3, size=(2, 400))
    options = {**LENGTHS, "n_surrogates": 19}
    expected = both(x, y, **options, random_state=5)
    for n_jobs in (2, -1):
        assert both(x, y, **options, random_state=5, n_jobs=n_jobs) == expected
    assert both(x, y, **options, random_state=6) != expected
    forward, backward = np.split(np.array(both(y, x, **options, random_state=5))[2:], 2)
    assert [*backward, *forward] == list(expected[2:])


# Later versions of Python warn if a process with threads forks.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_every_backend(engine, backend):
    x, y = np.random.default_rng(4).integers(3, size=(2, 400))
    options = {**LENGTHS, "n_surrogates": 2, "random_state": 5}
    expected = both(x, y, **options)
    with joblib.parallel_config(backend, n_jobs=2):
        assert both(x, y, **options) == expected


def test_windows_in_parts(monkeypatch):
    x, y = np.random.default_rng(5).integers(3, size=(2, 300))
    expected = both(x, y, **LENGTHS)
    monkeypatch.setattr("pytrees.causality._LABELS_OF_A_PART", 60)
    assert both(x, y, **LENGTHS) == expected


def test_no_surrogates_no_pvalue():
    found = compression_complexity_causality("ab" * 20, "ba" * 20, **LENGTHS)
    assert math.isnan(found.pvalue_x_to_y)
    assert math.isnan(found.pvalue_y_to_x)


@pytest.mark.parametrize("constant", ["x", "y", "both"])
def test_constant_sequences_say_nothing(constant):
    drawn = np.random.default_rng(6).integers(2, size=100)
    x = np.zeros(100, dtype=int) if constant in ("x", "both") else drawn
    y = np.zeros(100, dtype=int) if constant in ("y", "both") else drawn
    found = compression_complexity_causality(x, y, **LENGTHS, n_surrogates=9, random_state=0)
    if constant == "both":
        assert found.x_to_y == found.y_to_x == 0.0
    assert (found.pvalue_y_to_x if constant == "y" else found.pvalue_x_to_y) == 1.0


def test_pvalues_under_independence():
    """A tenth of the p-values of independent sequences is at most 0.1, or fewer because of ties."""
    rng = np.random.default_rng(7)
    pvalues = []
    for seed in range(100):
        x, y = rng.integers(2, size=(2, 400))
        options = {"past": 30, "present": 10, "step": 20, "n_surrogates": 39, "random_state": seed}
        pvalues.append(compression_complexity_causality(x, y, **options).pvalue_x_to_y)
    # More than 20 of 100 draws with probability 0.1 fall there less than once in a thousand times.
    assert np.count_nonzero(np.array(pvalues) <= 0.1) <= 20
    assert np.count_nonzero(np.array(pvalues) <= 0.5) <= 66


def test_coupled_maps():
    """The p-values find which logistic map drives the other one, and seldom the wrong direction."""
    rng = np.random.default_rng(8)
    found = []
    for seed in range(8):
        x, y = [rng.random()], [rng.random()]
        for _ in range(1999):
            free_x, free_y = (3.8 * last * (1 - last) for last in (x[-1], y[-1]))
            x.append(free_x)
            y.append(0.8 * free_y + 0.2 * free_x)
        symbols = [symbolize(series, "width", n_symbols=4) for series in (x, y)]
        options = {"past": 150, "present": 15, "step": 20, "n_surrogates": 39, "random_state": seed}
        found.append(compression_complexity_causality(*symbols, **options))
    assert sum(one.pvalue_x_to_y <= 0.05 for one in found) >= 7
    assert sum(one.pvalue_y_to_x <= 0.05 for one in found) <= 2


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ("ab" * 20, "ab" * 19, {}, "one length, got 40 and 38"),
        ("ab" * 10, "ba" * 10, {}, "past . present = 25 labels is longer than the sequences of 20"),
        (np.random.default_rng(0).random(40), [0] * 40, {}, "x holds numbers that are not whole"),
        ([0] * 40, [0.5] * 40, {}, "y holds numbers that are not whole"),
        ([0.0] * 39 + [np.nan], [0] * 40, {}, "missing values"),
        (np.zeros((40, 2)), [0] * 40, {}, "one dimension"),
        ([0] * 40, [0] * 40, {"past": 1}, "'past' parameter"),
        ([0] * 40, [0] * 40, {"present": 0}, "'present' parameter"),
        ([0] * 40, [0] * 40, {"step": 0}, "'step' parameter"),
        ([0] * 40, [0] * 40, {"n_surrogates": -1}, "'n_surrogates' parameter"),
        ([0] * 40, [0] * 40, {"n_surrogates": 1}, "have 0 shifts"),
        ([], [], {}, "longer than the sequences of 0"),
    ],
)
def test_bad_input(x, y, options, message):
    assert_refuses(ValueError, message, compression_complexity_causality, x, y, **{**LENGTHS, **options})
