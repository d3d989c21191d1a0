"""Sequences of every kind that users have, the steps of the substitution, and deep phrases."""

import array
import copy
import datetime
import pickle
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support import assert_refuses, examples, on_both_engines

from pytrees import effort_to_compress, lempel_ziv_complexity, nsrps
from pytrees.sequence import Phrase, Substitution
from pytrees.testing.strategies import sequences

DATES = ["2020-01-01"] * 3 + ["2021-05-05"] * 2
CODES = [0, 0, 0, 1, 1]
READ_ONLY = np.array(CODES)
READ_ONLY.flags.writeable = False

# The sequence 00011 in many kinds of labels.
KINDS = {
    "str": "00011",
    "str_subclass": np.str_("00011"),
    "bytes": b"00011",
    "bytearray": bytearray(b"00011"),
    "memoryview": memoryview(b"00011"),
    "list": CODES,
    "tuple": tuple(CODES),
    "list_of_str": ["no", "no", "no", "yes", "yes"],
    "list_of_tuples": [(0, "a")] * 3 + [(1, "b")] * 2,
    "list_of_None": [None, None, None, 1, 1],
    "equal_but_of_other_type": [1, True, 1.0, 0, False],
    "dates": [datetime.date(2020, 1, 1)] * 3 + [datetime.date(2021, 5, 5)] * 2,
    "array.array": array.array("i", CODES),
    **{
        f"array_{kind}": np.array(CODES, dtype=kind)
        for kind in ("i1", "u8", "i8", ">i4", "?", "f2", "f8", ">f8", "c16")
    },
    "array_longdouble": np.array(CODES, dtype=np.longdouble),
    "array_str": np.array(["no", "no", "no", "yes", "yes"]),
    "array_bytes": np.array([b"no", b"no", b"no", b"yes", b"yes"]),
    "array_object": np.array(["no", "no", "no", 7, 7], dtype=object),
    "array_extreme": np.array([2**64 - 1] * 3 + [0] * 2, dtype=np.uint64),
    "array_infinite": np.array([np.inf] * 3 + [-np.inf] * 2),
    "array_signed_zeros": np.array([0.0, -0.0, 0.0, 1.0, 1.0]),
    "array_datetime_D": np.array(DATES, dtype="M8[D]"),
    "array_datetime_us": np.array(DATES, dtype="M8[us]"),
    "array_datetime_ns": np.array(DATES, dtype="M8[ns]"),
    "array_timedelta_s": np.array(CODES, dtype="m8[s]"),
    "array_timedelta_ns": np.array(CODES, dtype="m8[ns]"),
    "array_read_only": READ_ONLY,
    "array_strided": np.repeat(CODES, 3)[::3],
    "array_backwards": np.array([1, 1, 0, 0, 0])[::-1],
    "series": pd.Series(CODES, index=[5, 4, 3, 2, 1]),
    "series_str": pd.Series(["no", "no", "no", "yes", "yes"]),
    "series_object": pd.Series(["no", "no", "no", 7, 7], dtype=object),
    "series_Int64": pd.Series(CODES, dtype="Int64"),
    "series_boolean": pd.Series(CODES, dtype="boolean"),
    "series_datetime": pd.Series(pd.to_datetime(DATES)),
    "series_datetime_zone": pd.Series(pd.to_datetime(DATES, utc=True)),
    "categorical": pd.Categorical(["no", "no", "no", "yes", "yes"], categories=["yes", "unused", "no"]),
    "series_categorical": pd.Series(["no", "no", "no", "yes", "yes"], dtype="category"),
    "index": pd.Index(CODES),
    "index_datetime": pd.DatetimeIndex(DATES),
    "periods": pd.PeriodIndex(DATES, freq="D"),
    "multi_index": pd.MultiIndex.from_tuples([(0, "a")] * 3 + [(1, "b")] * 2),
}


@pytest.fixture(params=KINDS, ids=str)
def sequence(request):
    return KINDS[request.param]


def test_effort_of_every_kind_of_sequence(engine, sequence):
    effort = effort_to_compress(sequence)
    assert effort == 4
    assert type(effort) is int


def test_steps_name_the_labels_of_the_sequence(engine, sequence):
    steps = nsrps(sequence)
    assert [(step.count, step.length) for step in steps] == [(1, 4), (1, 3), (1, 2), (1, 1)]
    labels = list(sequence)
    assert steps[0].pair == (labels[0], labels[1])
    assert list(steps[-1].pair[0]) == labels[:4]
    assert steps[-1].pair[1] == labels[4]


def test_labels_matter_only_by_which_are_equal(engine):
    assert effort_to_compress(range(5)) == 4
    assert effort_to_compress("abcab") == effort_to_compress([9, -1, 3.5, 9, -1]) == effort_to_compress("zyxzy")


def test_a_generator_is_taken_once(engine):
    assert effort_to_compress(symbol for symbol in "00011") == 4


@pytest.mark.parametrize("sequence", ["", [], (), b"", np.array([]), pd.Series([], dtype=object), range(0), "x", [3]])
def test_fewer_than_two_labels_need_no_effort(engine, sequence):
    assert effort_to_compress(sequence) == 0
    assert nsrps(sequence) == []
    assert lempel_ziv_complexity(sequence) == len(sequence)
    for function in (effort_to_compress, lempel_ziv_complexity):
        normalized = function(sequence, normalized=True)
        assert normalized == 0.0
        assert type(normalized) is float


@pytest.mark.parametrize(("sequence", "share"), [("00011", 1.0), ("121212", 0.2), ("1111", 0.0), ("122112", 0.8)])
def test_normalized_effort_is_a_share_of_the_largest_possible(engine, sequence, share):
    normalized = effort_to_compress(sequence, normalized=True)
    assert normalized == share
    assert type(normalized) is float


def test_huge_alphabets():
    n = 50_000
    assert effort_to_compress(range(n)) == n - 1
    labels = np.random.default_rng(0).permutation(n)
    assert effort_to_compress([str(label) for label in labels], normalized=True) == 1.0
    assert effort_to_compress(np.concatenate([labels, labels])) == n - 1


def test_alphabets_beyond_the_table_of_pairs(engine):
    assert effort_to_compress(range(150)) == 149
    assert effort_to_compress([*range(100), *range(100)]) == 99


MISSING = {
    "list_nan": [1.0, float("nan"), 1.0],
    "list_same_nan": [np.nan, np.nan],
    "list_alone": [float("nan")],
    "list_NA": [1, pd.NA],
    "list_NaT": [pd.NaT, pd.Timestamp("2020")],
    "list_numpy_NaT": [np.datetime64("NaT", "D"), np.datetime64("2020")],
    "array_f8": np.array([0.0, np.nan]),
    "array_f2": np.array([np.nan, 0.0], dtype="f2"),
    "array_c16": np.array([1j, complex(0, np.nan)]),
    "array_datetime": np.array(["2020", "NaT"], dtype="M8[D]"),
    "array_timedelta": np.array(["NaT", 1], dtype="m8[s]"),
    "array_object": np.array(["a", np.nan], dtype=object),
    "array_masked": np.ma.array([0, 1, 0], mask=[False, True, False]),
    "series_float": pd.Series([1.0, None]),
    "series_str": pd.Series(["a", np.nan]),
    "series_Int64": pd.Series([1, None], dtype="Int64"),
    "series_boolean": pd.Series([True, None], dtype="boolean"),
    "series_datetime": pd.Series(pd.to_datetime(["2020", None])),
    "categorical": pd.Categorical(["a", None]),
    "series_categorical": pd.Series(["a", None], dtype="category"),
}
if hasattr(np.dtypes, "StringDType"):
    MISSING["array_StringDType"] = np.array(["a", np.nan], dtype=np.dtypes.StringDType(na_object=np.nan))


REFUSED = [
    (TypeError, "sequence of labels", [{1, 2}, frozenset("ab"), {1: 2}, {1: 2}.keys(), 3, 3.5, None, str, object()]),
    (
        ValueError,
        "one dimension",
        [np.array(3), np.int64(3), np.zeros((2, 2)), np.zeros((0, 2)), pd.DataFrame({"a": [1, 2]})],
    ),
    (TypeError, "hashable", [[[1], [2]], [{}, {}], [np.array([1])], np.array([[1], {}, 2], dtype=object)]),
    (ValueError, "missing values", MISSING.values()),
]


@pytest.mark.parametrize("function", [effort_to_compress, lempel_ziv_complexity, nsrps])
@pytest.mark.parametrize(("error", "message", "objects"), REFUSED, ids=[message for _, message, _ in REFUSED])
def test_objects_that_are_no_sequence_are_refused(engine, error, message, objects, function):
    for one in objects:
        assert_refuses(error, message, function, one)


def nested(symbol):
    """A label as it is, a phrase as nested pairs: phrases of equal labels may be made of different pairs."""
    return (nested(symbol.left), nested(symbol.right)) if isinstance(symbol, Phrase) else symbol


def replay(sequence, steps):
    """The sequence after every step, replaced by a plain loop; its symbols are labels and nested pairs."""
    symbols = list(sequence)
    for step in steps:
        pair = nested(step.pair[0]), nested(step.pair[1])
        replaced, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == pair:
                replaced.append(pair)
                i += 2
            else:
                replaced.append(symbols[i])
                i += 1
        yield step, symbols, replaced
        symbols = replaced


@examples(60)
@given(sequence=sequences(max_length=25))
def test_replaying_the_steps_compresses_the_sequence(engine, sequence):
    steps = nsrps(sequence)
    after = sequence
    for step, before, after in replay(sequence, steps):
        assert len(set(before)) > 1
        assert step.length == len(after)
        assert step.count == len(before) - len(after)
    assert len(set(after)) <= 1
    assert len(steps) == effort_to_compress(sequence)


@given(sequence=sequences(max_length=40))
def test_both_engines_take_the_same_steps(sequence):
    compiled, reference = on_both_engines(nsrps, sequence)
    assert repr(compiled) == repr(reference)
    assert [[nested(half) for half in step.pair] for step in compiled] == [
        [nested(half) for half in step.pair] for step in reference
    ]


def test_steps_of_the_papers_example(engine):
    # Section 2 of arXiv:2306.02617.
    steps = nsrps("00011")
    assert all(isinstance(step, Substitution) for step in steps)
    assert [str(step.pair) for step in steps] == ["('0', '0')", "(<00>, '0')", "(<000>, '1')", "(<0001>, '1')"]


def test_phrase_iterates_over_its_labels_from_left_to_right():
    phrase = Phrase(Phrase("a", Phrase("b", "c")), Phrase("d", "e"))
    assert list(phrase) == list("abcde")
    assert len(phrase) == 5
    assert repr(phrase) == "<abcde>"


def test_phrases_of_long_labels_are_shown_with_separators():
    assert repr(Phrase(10, Phrase("x", 2.5))) == "<10 x 2.5>"


def test_long_phrases_are_shown_in_part():
    assert repr(reduce(Phrase, "a" * 20)) == f"<{'a' * 20}>"
    assert repr(reduce(Phrase, "a" * 21)) == f"<{'a' * 20}...>"


def test_tuples_and_strings_are_labels_not_phrases():
    phrase = Phrase((1, 2), "ab")
    assert list(phrase) == [(1, 2), "ab"]
    assert len(phrase) == 2


def test_deep_phrases_are_shown():
    assert repr(left_deep(5000)) == f"<{' '.join(map(str, range(20)))}...>"


def test_all_steps_of_a_long_sequence_of_different_labels():
    steps = nsrps(range(5000))
    assert len(steps) == 4999
    assert list(steps[-1].pair[0]) == list(range(4999))


def left_deep(depth):
    return reduce(Phrase, range(depth + 1))


def right_deep(depth):
    return reduce(lambda phrase, label: Phrase(label, phrase), range(depth + 1))


def zigzag(depth):
    return reduce(lambda phrase, label: Phrase(*[phrase, label][:: 1 if label % 2 else -1]), range(depth + 1))


def step_of_nsrps(depth):
    return nsrps(range(depth + 2))[-1].pair[0]


@pytest.mark.parametrize("depth", [1, 2, 60_000])
@pytest.mark.parametrize("make", [left_deep, right_deep, zigzag, step_of_nsrps])
def test_phrases_of_any_depth_do_all_that_phrases_do(make, depth):
    phrase = make(depth)
    assert sorted(phrase) == list(range(depth + 1))
    again = pickle.loads(pickle.dumps(phrase))
    assert again is not phrase
    assert list(again) == list(phrase)
    assert nested_numbers(again) == nested_numbers(phrase)
    assert pickle.loads(pickle.dumps(again)) == again == phrase
    assert hash(again) == hash(phrase)
    assert repr(again) == repr(phrase)
    assert len(again) == depth + 1
    assert copy.copy(phrase) == copy.deepcopy(phrase) == phrase != make(depth - 1)


def nested_numbers(phrase):
    """Return how a phrase is made of its parts, in preorder."""
    numbers, pending = [], [phrase]
    while pending:
        part = pending.pop()
        numbers.append(len(part) if isinstance(part, Phrase) else ("label", part))
        if isinstance(part, Phrase):
            pending += (part.right, part.left)
    return numbers


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_steps_share_their_phrases(protocol):
    sequence = np.random.default_rng(0).integers(0, 2, 3000)
    steps = nsrps(sequence)
    pickled = pickle.dumps(steps, protocol)
    assert len(pickled) < 200 * len(steps)
    again = pickle.loads(pickled)
    assert again == steps
    phrase_of = {}
    for step, before in zip(again, steps, strict=True):
        for half, half_before in zip(step.pair, before.pair, strict=True):
            if isinstance(half, Phrase):
                assert phrase_of.setdefault(id(half_before), half) is half


def test_phrases_that_occur_twice_are_pickled_once():
    phrase = reduce(lambda part, _: Phrase(part, part), range(50), "a")
    again = pickle.loads(pickle.dumps(phrase))
    assert len(again) == 2**50
    assert again.left is again.right


def test_phrases_of_steps_and_labels_are_pickled():
    first = nsrps("00011")[1].pair[0]
    phrase = Phrase(Phrase("x", first), Phrase(first, first))
    again = pickle.loads(pickle.dumps(phrase))
    assert again == phrase
    assert nested_numbers(again) == nested_numbers(phrase)
    assert again.left.right is again.right.left
