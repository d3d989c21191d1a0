"""Lempel-Ziv complexity: golden values, brute force by the definition, all ways to compute it, the public function."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import long_label_sequences
from support import complexity, examples, on_both_engines

from pytrees import lempel_ziv_complexity
from pytrees.reference.sequence.history import exhaustive_history
from pytrees.testing.strategies import _fibonacci_word, label_sequences

# A sequence of at most this many labels, 8 of them different, is decomposed over planes of bits. Other sequences take
# an automaton, whose edges stand in a table for at most 4 different labels, and otherwise in a hash table.
MAX_PLANE_LENGTH = 2048
MAX_PLANES = 8


def codes_of(text):
    return np.array([int(symbol) for symbol in text], dtype=np.int32)


def joined(text):
    return ["".join(map(str, component)) for component in exhaustive_history(codes_of(text).tolist())]


@pytest.mark.parametrize(
    ("text", "history"),
    [
        # Lempel and Ziv (1976), the example of Section II; Kaspar and Schuster count it as six.
        ("0001101001000101", ["0", "001", "10", "100", "1000", "101"]),
        # Kaspar and Schuster (1987), Section II: a sequence of equal symbols has complexity 2, one of period two 3.
        ("0000000000", ["0", "000000000"]),
        ("0101010101", ["0", "1", "01010101"]),
        # The last component may be complete or not.
        ("001", ["0", "01"]),
        ("0010", ["0", "01", "0"]),
        ("0", ["0"]),
        ("", []),
        ("0120120123", ["0", "1", "2", "0120123"]),
    ],
)
def test_history(engine, text, history):
    assert joined(text) == history
    assert lempel_ziv_complexity(text) == len(history)


@pytest.mark.parametrize("n", [1, 2, 3, 100])
def test_regular_sequences(engine, n):
    assert lempel_ziv_complexity([7] * n) == min(n, 2)
    assert lempel_ziv_complexity(range(n)) == n
    # The first period, and all the rest.
    assert lempel_ziv_complexity([*range(n)] * 3) == n + 1


def brute_force(codes):
    """By substrings: a component ends at the first place where it is no substring of what stands before its end."""
    text, start, n_components = "".join(chr(97 + code) for code in codes), 0, 0
    while start < len(text):
        stops = (stop for stop in range(start + 1, len(text)) if text[start:stop] not in text[: stop - 1])
        start, n_components = next(stops, len(text)), n_components + 1
    return n_components


@pytest.mark.parametrize(("n_symbols", "longest"), [(2, 12), (3, 7)])
def test_all_short_sequences(n_symbols, longest):
    for length in range(longest + 1):
        for codes in product(range(n_symbols), repeat=length):
            expected = brute_force(codes)
            # A larger alphabet takes the automaton.
            for alphabet in (n_symbols, MAX_PLANES + 1):
                assert complexity(codes, alphabet) == expected


def test_short_sequences_of_the_reference():
    for length in range(9):
        for codes in product(range(2), repeat=length):
            assert len(exhaustive_history(codes)) == brute_force(codes)


@examples(800)
@given(label_sequences(max_length=60))
def test_engines_agree(drawn):
    compiled, reference = on_both_engines(complexity, *drawn)
    assert compiled == reference


@examples(300)
@given(long_label_sequences(60, 400))
def test_longer_sequences_agree_with_brute_force(drawn):
    codes, n_symbols = drawn
    expected = brute_force(codes.tolist())
    assert complexity(codes, n_symbols) == expected
    assert complexity(codes, max(n_symbols, MAX_PLANES + 1)) == expected


@pytest.mark.parametrize("n_symbols", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize(
    "length", [63, 64, 65, 128, MAX_PLANE_LENGTH - 1, MAX_PLANE_LENGTH, MAX_PLANE_LENGTH + 1, 5000]
)
def test_every_way_gives_the_same(n_symbols, length):
    rng = np.random.default_rng(length + n_symbols)
    uniform = rng.integers(0, n_symbols, length)
    for codes in (
        uniform,
        np.where(rng.random(length) < 0.05, uniform, 0),
        np.repeat(uniform, rng.integers(1, 9, length))[:length],
        np.r_[uniform[: length // 3], uniform[: length - length // 3]],
        np.array(_fibonacci_word(length)) % n_symbols,
    ):
        assert complexity(codes, n_symbols) == complexity(codes, 40) == brute_force(codes.tolist())


@examples(200)
@given(label_sequences(max_length=100), st.integers(0, 100))
def test_a_longer_sequence_is_not_less_complex(drawn, stop):
    codes, n_symbols = drawn
    assert complexity(codes[:stop], n_symbols) <= complexity(codes, n_symbols)


@pytest.mark.parametrize(
    ("sequence", "n_symbols"), [("0001101001000101", 2), ("aaaa", 2), ("abcabcabd", 4), ([5, 9, 900, 5], 3)]
)
def test_normalized_complexity(engine, sequence, n_symbols):
    n = len(sequence)
    expected = lempel_ziv_complexity(sequence) * math.log(n, n_symbols) / n
    assert lempel_ziv_complexity(sequence, normalized=True) == pytest.approx(expected, rel=1e-14)


def test_random_sequences_come_near_one():
    rng = np.random.default_rng(0)
    for n_symbols in (2, 4, 20):
        assert lempel_ziv_complexity(rng.integers(0, n_symbols, 10**5), normalized=True) == pytest.approx(1.0, abs=0.1)


def test_labels_matter_only_by_which_are_equal(engine):
    assert lempel_ziv_complexity("abcab") == lempel_ziv_complexity([9, -1, 3.5, 9, -1]) == 4
    assert lempel_ziv_complexity(symbol for symbol in "00011") == lempel_ziv_complexity("00011") == 3


def test_huge_alphabets():
    n = 50_000
    labels = np.random.default_rng(0).permutation(n)
    assert lempel_ziv_complexity(labels) == n
    assert lempel_ziv_complexity(np.concatenate([labels, labels])) == n + 1
    # One state of the automaton has an edge for every other label.
    assert lempel_ziv_complexity(np.ravel(np.column_stack([np.full(n, -1), labels]))) == n + 1
