"""The table of n log2 n, and the reference's impurities and gains against numbers worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, examples, grow, on_both_engines

from pytrees._engine import kernel, load
from pytrees.reference.criteria.counts import counted, is_greater, n_log2_n_of, remainder
from pytrees.reference.criteria.etc import etc
from pytrees.reference.criteria.gini import gini
from pytrees.reference.criteria.logarithms import BitRatio, bits, entropy_bits
from pytrees.reference.criteria.structural import structural_gain
from pytrees.reference.criteria.table import gain_of_counts

UNIT = Fraction(1, 2**30)


def table_of(largest):
    return np.asarray(kernel("n_log2_n")(largest))


def test_tables_are_equal():
    compiled, reference = on_both_engines(table_of, 5000)
    assert compiled.dtype == reference.dtype == np.int64
    np.testing.assert_array_equal(compiled, reference)


@examples(500)
@given(st.integers(0, 2_000_000) | st.sampled_from([999_999, 1_000_000, 1_000_001, 1_000_003, 2_000_000]))
def test_large_entries_are_equal(n):
    assert table_of(2_000_000)[n] == n_log2_n_of(n)


# The logarithms up to half of the table are kept, those above follow from them.
@pytest.mark.parametrize("largest", [1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 1023, 1024, 1025, 4999])
def test_entries_do_not_depend_on_the_size_of_the_table(largest):
    table = load("pytrees._core.criteria.counts")._tabulate_n_log2_n(largest)
    np.testing.assert_array_equal(table, table_of(5000)[: largest + 1])


def test_powers_of_two_are_exact(engine):
    table = table_of(2**12)
    assert [table[2**k] for k in range(13)] == [k * 2**k * 2**30 for k in range(13)]


def test_table_starts_with_zeros(engine):
    # 0 log2 0 = 0 by convention, 1 log2 1 = 0, 2 log2 2 = 2; log2 3 = 1.58496250072115618...
    assert table_of(3).tolist() == [0, 0, 2 * 2**30, round(Fraction("4.75488750216346854") * 2**30)]
    assert table_of(0).tolist() == [0]


def test_table_grows_and_is_not_written_to():
    small = table_of(10).copy()
    table_of(30_000)
    again = table_of(10)
    np.testing.assert_array_equal(small, again)
    assert not again.flags.writeable


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([5], 0),
        ([0, 7, 0], 0),
        ([1, 1], Fraction(1, 2)),  # 1 - 1/4 - 1/4
        ([3, 2], Fraction(12, 25)),  # 1 - 9/25 - 4/25
        ([1, 2, 3], Fraction(11, 18)),  # 1 - 1/36 - 4/36 - 9/36 = 22/36
    ],
)
def test_gini(counts, expected):
    assert gini(counts) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([4], 0),
        ([0, 4], 0),
        ([3, 3], 1),
        ([1, 1, 1, 1], 2),
        ([2, 1, 1], Fraction(3, 2)),  # 1/2 * 1 + 1/4 * 2 + 1/4 * 2
        ([4, 2, 1, 1], Fraction(7, 4)),  # 1/2 * 1 + 1/4 * 2 + 1/8 * 3 + 1/8 * 3
    ],
)
def test_entropy_of_powers_of_two_is_exact(counts, expected):
    assert entropy_bits(counts).exponents == ({2: expected * sum(counts)} if expected else {})
    # Three equal counts round three times: 6 log2 6 - 3 (2 log2 2).
    assert float(entropy(counts)) == pytest.approx(float(expected), abs=float(UNIT))


def entropy(counts):
    return BitRatio(entropy_bits(counts), bits(sum(counts)))


def test_reported_entropy_is_rounded_to_the_unit():
    # log2 3 = 1.58496250072115618...; 3 log2 3 is in the table, rounded once.
    assert abs(Fraction(float(entropy([1, 1, 1]))) - Fraction("1.58496250072115618")) <= UNIT / 6


def test_etc_is_the_effort():
    assert etc([0, 0, 0, 1, 1], 2) == 4


def gain(criterion, left, right, n_classes=3):
    return gain_of_pairs(criterion, [(label, 1) for label in left + right], len(left), n_classes)


def gain_of_pairs(criterion, pairs, n_left, n_classes):
    """Return the gain of a cut after the first n_left pairs of a label and a weight."""
    node, left = (counted(part, n_classes) for part in (pairs, pairs[:n_left]))
    return gain_of_counts(criterion, node, [left, remainder(node, left)])


@pytest.mark.parametrize(
    ("criterion", "left", "right", "expected"),
    [
        ("gini", [0, 0], [1, 1], Fraction(1, 2)),  # 1/2 - 0 - 0
        ("gini", [0, 1], [0, 1], 0),  # 1/2 - 1/2 * 1/2 - 1/2 * 1/2
        ("gini", [0, 0], [0, 1, 1], Fraction(16, 75)),  # 12/25 - 2/5 * 0 - 3/5 * 4/9 = 36/75 - 20/75
        ("gini", [2], [0, 1], Fraction(1, 3)),  # 2/3 - 1/3 * 0 - 2/3 * 1/2
        ("entropy", [0, 0], [1, 1], 1),  # 1 - 0 - 0
        ("entropy", [0, 1], [0, 1], 0),  # 1 - 1/2 - 1/2
        ("entropy", [0, 0], [1, 2], 1),  # 3/2 - 1/2 * 0 - 1/2 * 1
    ],
)
def test_gains(criterion, left, right, expected):
    found = gain(criterion, left, right)
    assert (found if criterion == "gini" else float(found)) == expected


def test_reported_entropy_gain_is_rounded_to_the_unit():
    # 1 - 3/4 (log2 3 - 2/3) - 1/4 * 0 = 3/2 - 3/4 * 1.58496250072115618 = 0.311278124459132865
    assert abs(Fraction(float(gain("entropy", [0, 0, 1], [1]))) - Fraction("0.311278124459132865")) <= UNIT


@pytest.mark.parametrize(
    ("criterion", "text", "goes_left", "expected"),
    [
        ("etc", "111000", "111000", 5),  # ETC 5 - 1/2 * 0 - 1/2 * 0
        ("etc", "010101", "101010", 1),  # ETC 1, and both children are constant
        ("etc", "010101", "111000", -1),  # ETC 1 - 1/2 ETC(010) - 1/2 ETC(101) = 1 - 1 - 1
        ("etc", "00011", "11110", Fraction(8, 5)),  # ETC 4 - 4/5 ETC(0001) - 1/5 * 0 = 4 - 4/5 * 3
        ("lz76", "111000", "111000", 1),  # 1 110 00 less 1 11 and 0 00
        ("lz76", "010101", "101010", 1),  # 0 1 0101 less 0 00 and 1 11
        ("lz76", "010101", "111000", 0),  # 0 1 0101 less 0 1 0 and 1 0 1
        ("lz76", "00011", "11110", Fraction(6, 5)),  # 0 001 1 less 4/5 of 0 001 and 1/5 of 1
    ],
)
def test_structural_gains(criterion, text, goes_left, expected):
    assert structural_gain(criterion, [int(c) for c in text], [c == "1" for c in goes_left], 2) == expected


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        # Node (3, 1): 1 - 9/16 - 1/16 = 3/8; left (1, 1): 1/2; right (2, 0): 0. 3/8 - 1/2 * 1/2 - 0
        ("gini", 0.125),
        # Node: 3/4 log2 4/3 + 1/4 log2 4 = 2 - 3/4 log2 3 = 0.8112781244591328; 0.811... - 1/2 * 1 - 0
        ("entropy", 0.3112781244591328),
    ],
)
@pytest.mark.parametrize("unit", [1, 2**23, 2**47])
def test_gain_of_weights(criterion, expected, unit):
    node = [(0, unit), (1, unit), (0, 2 * unit)]
    assert float(gain_of_pairs(criterion, node, 2, 2)) == pytest.approx(expected, abs=1e-9 if unit == 1 else 1e-15)


def test_whole_weights_count_as_repeated_samples():
    repeated = gain("gini", [0, 0, 0], [0, 1, 1])
    assert gain_of_pairs("gini", [(0, 3), (0, 1), (1, 2)], 1, 2) == repeated


def test_a_criterion_without_arithmetic_for_large_weights_is_refused(monkeypatch):
    """Real weights never go into arithmetic of whole counts, by a criterion that nobody has decided it for."""
    monkeypatch.delitem(load("pytrees._core.criteria.table").WIDE_KINDS, 0)
    assert_refuses(ValueError, "'gini' is missing in WIDE_KINDS", grow, [[0.0], [1.0]], [0, 1], [0.1, 0.7])


def test_exact_gains_need_no_tolerance_and_other_gains_do():
    assert is_greater(Fraction(1) + Fraction(1, 10**30), Fraction(1))
    assert not is_greater(Fraction(1), Fraction(1))
    assert not is_greater(1.0 + 0.5e-12, 1.0)
    assert is_greater(1.0 + 2e-12, 1.0)
    assert not is_greater(1000.0 + 0.5e-9, 1000.0)
    assert is_greater(2e-12, 0.0)
    assert not is_greater(0.5e-12, 0.0)
