"""Pair substitution and Effort-To-Compress: golden values, invariants, and compiled against reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import long_label_sequences
from support import assert_refuses, effort, examples, on_both_engines

from pytrees._engine import kernel
from pytrees.testing.strategies import _fibonacci_word, label_sequences


def substitutions(codes, n_symbols):
    return np.asarray(kernel("substitutions")(codes, n_symbols)).reshape(-1, 4)


def codes_of(text):
    return np.array([int(symbol) for symbol in text], dtype=np.int32)


# Harikrishnan and Nagaraj, "Permutation Decision Trees" (arXiv 2306.02617), Table 1.
TABLE_1 = {"111111": 0, "121212": 1, "222111": 5, "122112": 4, "211122": 5}

# Ibid., Section 2: the worked example, in which a run of three zeros holds one pair.
WORKED_EXAMPLE = {"00011": 4}

# Ibid., Table 3: the labels of patients 1..14 of the toy data set, in five orders.
TOY_LABELS = "22222222111111"
TABLE_3 = {
    "A": ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], 7),
    "B": ([14, 3, 10, 12, 2, 4, 5, 11, 9, 8, 7, 1, 6, 13], 8),
    "C": ([13, 11, 8, 12, 7, 6, 4, 14, 10, 5, 2, 3, 1, 9], 9),
    "D": ([3, 2, 13, 10, 11, 1, 4, 7, 6, 9, 8, 14, 5, 12], 9),
    "E": ([10, 12, 1, 2, 13, 14, 8, 11, 4, 7, 9, 6, 5, 3], 8),
}


@pytest.mark.parametrize(("text", "expected"), [*TABLE_1.items(), *WORKED_EXAMPLE.items()])
def test_golden_efforts(engine, text, expected):
    assert effort(codes_of(text)) == expected


@pytest.mark.parametrize("permutation", TABLE_3)
def test_golden_efforts_of_permutations(engine, permutation):
    patients, expected = TABLE_3[permutation]
    assert sorted(patients) == list(range(1, 15))
    assert effort(codes_of(TOY_LABELS[patient - 1] for patient in patients)) == expected


def test_substitutions_by_hand(engine):
    # 00011: pairs 00, 01, 11 once each, 00 first -> 2 0 1 1 -> 3 1 1 -> 4 1 -> 5.
    assert substitutions(codes_of("00011"), 2).tolist() == [[0, 0, 1, 4], [2, 0, 1, 3], [3, 1, 1, 2], [4, 1, 1, 1]]
    # 0000101: 00 twice and 01 twice, 00 met first -> 2 2 1 0 1; then four pairs, 22 first.
    assert substitutions(codes_of("0000101"), 2).tolist() == [
        [0, 0, 2, 5],
        [2, 2, 1, 4],
        [3, 1, 1, 3],
        [4, 0, 1, 2],
        [5, 1, 1, 1],
    ]


def test_more_frequent_pair_goes_before_earlier_one(engine):
    # 0 1 2 1 2: 12 twice, met after 01.
    assert substitutions(codes_of("01212"), 3).tolist()[0] == [1, 2, 2, 3]


@pytest.mark.parametrize("length", range(2, 10))
def test_run_holds_half_as_many_pairs_as_symbols(engine, length):
    left, right, count, length_after = substitutions(codes_of("0" * length + "1"), 2)[0]
    if length >= 4:
        assert (left, right, count, length_after) == (0, 0, length // 2, length + 1 - length // 2)
    else:
        assert (left, right, count) == (0, 0, 1)


@pytest.mark.parametrize("codes", [[], [0], [3], [0, 0], [2] * 50])
def test_constant_sequences_take_no_effort(engine, codes):
    codes = np.array(codes, dtype=np.int32)
    assert effort(codes, 4) == 0
    assert substitutions(codes, 4).shape == (0, 4)


def test_empty_alphabet_of_an_empty_sequence(engine):
    assert kernel("effort_to_compress")(np.array([], dtype=np.int32), 0) == 0


@pytest.mark.parametrize("n_symbols", [2, 63, 64, 65, 1000])
def test_different_symbols_take_a_step_for_every_pair(engine, n_symbols):
    assert effort(np.arange(n_symbols), n_symbols) == n_symbols - 1


@pytest.mark.parametrize("spare_symbols", [1, 61, 62, 63, 1000])
def test_symbols_that_do_not_occur_change_nothing(engine, spare_symbols):
    codes = codes_of("0110100110010110100101100110")
    steps = substitutions(codes, 2)
    with_spare = substitutions(codes, 2 + spare_symbols)
    np.testing.assert_array_equal(
        np.where(steps[:, :2] < 2, steps[:, :2], steps[:, :2] + spare_symbols), with_spare[:, :2]
    )
    np.testing.assert_array_equal(steps[:, 2:], with_spare[:, 2:])


@pytest.mark.parametrize(
    ("codes", "n_symbols"), [([0, 1, 2], 2), ([0, -1], 2), ([0], 0), ([5, 0, 0], 5), ([0, 2**31 - 1], 9)]
)
@pytest.mark.parametrize("function", ["effort_to_compress", "substitutions", "lempel_ziv_complexity"])
def test_codes_outside_the_alphabet_are_rejected(function, codes, n_symbols):
    assert_refuses(ValueError, "outside", kernel(function), np.array(codes, dtype=np.int32), n_symbols)


def test_too_many_symbols_are_rejected():
    for function, verb in (("effort_to_compress", "compressed"), ("lempel_ziv_complexity", "decomposed")):
        assert_refuses(ValueError, f"labels can be {verb}", kernel(function), np.array([0], dtype=np.int32), 2**31)


def test_input_is_left_alone():
    codes = codes_of("0010110111")
    before = codes.copy()
    codes.flags.writeable = False
    assert effort(codes) == len(substitutions(codes, 2))
    np.testing.assert_array_equal(codes, before)


def assert_engines_agree(codes, n_symbols):
    compiled, reference = on_both_engines(substitutions, codes, n_symbols)
    np.testing.assert_array_equal(compiled, reference)
    assert on_both_engines(effort, codes, n_symbols) == [len(reference)] * 2


@examples(5000)
@given(label_sequences())
def test_engines_agree(drawn):
    assert_engines_agree(*drawn)


# Random sequences of these lengths begin with whole passes and end with the linked list.
@examples(300)
@given(long_label_sequences(60, 300))
def test_engines_agree_on_both_sides_of_the_dense_phase(drawn):
    assert_engines_agree(*drawn)


@st.composite
def long_runs(draw):
    """Draw (codes, n_symbols): some runs of labels. Steps go by runs down to 12 runs, and to three labels a run; their
    table holds 64 symbols."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_symbols = draw(st.sampled_from([1, 2, 3, 5, 60, 62, 63, 64, 65]))
    n_runs = draw(st.integers(1, 20))
    longest = draw(st.sampled_from([1, 2, 3, 4, 6, 20, 150]))
    codes = np.repeat(rng.integers(0, n_symbols, n_runs), rng.integers(1, longest + 1, n_runs))
    return codes.astype(np.int32), n_symbols


@examples(500)
@given(long_runs())
def test_engines_agree_on_runs(drawn):
    assert_engines_agree(*drawn)


# A cut of a few symbols at either end decides whether the last step of a phase is its last.
@pytest.mark.parametrize("length", [*range(300, 420, 17), 987, 988])
def test_engines_agree_on_fibonacci_words(length):
    word = np.array(_fibonacci_word(length), dtype=np.int32)
    assert_engines_agree(word, 2)
    assert_engines_agree(word[::-1].copy(), 2)


@pytest.mark.parametrize("n_symbols", [*range(58, 70), 100])
def test_engines_agree_where_the_table_ends(n_symbols):
    rng = np.random.default_rng(n_symbols)
    # One pair is frequent enough for whole passes; the others are left to the linked list.
    noise = rng.integers(0, n_symbols, (60, 3))
    codes = np.hstack([np.tile([0, 1], (60, 1)), noise]).ravel().astype(np.int32)
    for repeats in (1, 2, 5):
        assert_engines_agree(np.tile(codes[: len(codes) // repeats], repeats), n_symbols)


# The top pair's count is swept through the share of the length below which the dense phase ends, a twentieth.
@pytest.mark.parametrize("count", range(14, 48))
def test_engines_agree_where_the_top_pair_becomes_rare(count):
    rng = np.random.default_rng(count)
    codes = rng.integers(2, 24, 400)
    codes[rng.choice(np.arange(0, 400, 2), count, replace=False)[:, None] + [0, 1]] = [0, 1]
    assert_engines_agree(codes.astype(np.int32), 24)


# Above 32,768 symbols the dense phase goes on longer, and memory is fetched ahead.
@pytest.mark.parametrize("length", [32_768, 32_769])
@pytest.mark.parametrize("period", [30, 100])
def test_engines_agree_on_long_sequences(length, period):
    codes = np.resize(np.random.default_rng(period).integers(0, 5, period), length).astype(np.int32)
    codes[length // 3 :: 5000] = 5
    assert_engines_agree(codes, 6)


# From 128 symbols on, pairs of different symbols are replaced in another way; pairs are counted in blocks of 256, and a
# run of equal symbols may go on from one to the next.
@pytest.mark.parametrize("length", [*range(125, 132), *range(254, 261), 511, 512, 513, 514, 770])
def test_engines_agree_where_passes_change(length):
    rng = np.random.default_rng(length)
    for share in (0.5, 0.8):
        codes = (rng.random(length) < share).astype(np.int32)
        assert_engines_agree(codes, 2)
        for run in range(1, 5):
            codes[250 - run : 256 + run] = 1
            assert_engines_agree(codes, 2)


# Sequences that end in either phase, in the middle of a step or after it.
EARLIER = [
    np.repeat(np.arange(9), 50),
    np.arange(9) % 2,
    np.tile(np.arange(30), 4),
    np.tile(np.arange(70), 3),
    np.arange(100),
    np.array(_fibonacci_word(300)),
    np.random.default_rng(0).integers(0, 20, 200),
]


@examples(500)
@given(st.sampled_from(EARLIER), long_label_sequences(8, 80))
def test_an_earlier_sequence_leaves_nothing_behind(earlier, drawn):
    codes, n_symbols = drawn
    effort(earlier, 100)
    assert kernel("effort_to_compress")(codes, n_symbols) == len(substitutions(codes, n_symbols))
    effort(earlier)
    compiled, reference = on_both_engines(effort, codes, n_symbols)
    assert compiled == reference


def assert_valid_substitutions(codes, n_symbols):
    steps = substitutions(codes, n_symbols)
    left, right, counts, lengths = steps.T
    assert effort(codes, n_symbols) == len(steps)
    if len(set(codes.tolist())) <= 1:
        assert len(steps) == 0
        return
    np.testing.assert_array_equal(np.append(len(codes), lengths[:-1]) - counts, lengths)
    assert (np.diff(counts) <= 0).all()
    # A pair is made of symbols that are there already.
    made = n_symbols + np.arange(len(steps))
    assert (left < made).all()
    assert (right < made).all()
    # In the end every symbol is the last one made.
    assert lengths[-1] == counts[-1]
    # A step removes at most one kind of pair more than it makes.
    assert len(steps) >= len(set(zip(codes.tolist(), codes[1:].tolist(), strict=False))) - 1


@examples(1000)
@given(label_sequences(max_length=200))
def test_invariants(drawn):
    assert_valid_substitutions(*drawn)


@pytest.mark.parametrize("n_symbols", [2, 3, 10, 64, 1000])
def test_invariants_of_long_sequences(n_symbols):
    rng = np.random.default_rng(n_symbols)
    assert_valid_substitutions(rng.integers(0, n_symbols, 50_000).astype(np.int32), n_symbols)
