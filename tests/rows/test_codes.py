"""Codes of categories: compiled against reference, for objects of all kinds and for NumPy's strings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionTreeClassifier
from pytrees._engine import kernel


class Word(str):
    """A string of a class of its own, equal to others without regard to case."""

    def __eq__(self, other):
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self):
        return hash(str(self))


# Characters of one, two and four bytes; lengths around words of 8 bytes; the same bytes in other widths.
TEXTS = st.text("a\0b\xe9\u6161\U0001f600", max_size=18) | st.sampled_from(["aa", "\u6161", "aaaa", "a" * 300])
OBJECTS = (
    TEXTS
    | TEXTS.map(lambda text: "".join(list(text)))
    | TEXTS.map(Word)
    | st.binary(max_size=3)
    | st.sampled_from([0, 1, True, 1.0, None, np.nan, pd.NaT, pd.NA, (1, "a"), (1.0, "a"), np.str_("aa"), 2**70])
)


def codes(name, values, known):
    return list(kernel(name)(values, known))


def array_of(values, step=1):
    """Return the values as an array of objects whose addresses are `step` places apart."""
    array = np.empty(abs(step) * len(values), dtype=object)[::step]
    array[:] = values
    array.flags.writeable = False
    return array


@given(st.lists(OBJECTS, max_size=40), st.lists(OBJECTS, max_size=12), st.sampled_from([1, 3, -2]))
@examples(2000)
def test_both_engines_find_the_same_objects(values, known, step):
    known = array_of(list(dict.fromkeys(known)))
    found, expected = on_both_engines(codes, "codes_of_objects", array_of([*values, *known], step), known)
    assert found == expected
    assert found[len(values) :] == list(range(len(known)))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 63, 64, 65, 20_000])
def test_many_objects(n):
    known = [f"{i:x}" + "." * (i % 70) for i in range(n)]
    values = [word[:-1] + word[-1:] for word in known] + ["no"] + known
    assert codes("codes_of_objects", array_of(values), array_of(known)) == [*range(n), -1, *range(n)]


def test_objects_that_cannot_be_hashed_are_refused(engine):
    assert_refuses(TypeError, "unhashable type: 'list'", codes, "codes_of_objects", array_of(["a", [1]]), array_of("a"))


@given(st.lists(TEXTS, min_size=1), st.lists(TEXTS, min_size=1), st.sampled_from("US"), st.sampled_from("<>"))
@examples(1000)
def test_numpys_strings_have_the_codes_of_objects(values, known, kind, order):
    if kind == "S":
        values, known = ([text.encode() for text in texts] for texts in (values, known))
    known = np.unique(np.array(known))
    table = np.stack([np.array([*values, *known.tolist()]).astype(f"{order}{kind}{n}") for n in (18, 80)], axis=1)
    for X in (table, np.asfortranarray(table), table[::-1]):
        objects = X.astype(object)
        for categories in (known, known.astype(object)):
            estimator = DecisionTreeClassifier(categorical_features=[0, 1], handle_unknown="majority")
            estimator.is_categorical_, estimator.categories_ = np.array([True, True]), [categories] * 2
            estimator.ordered_categories_, estimator.n_features_in_ = {}, 2
            np.testing.assert_array_equal(estimator.encode(X), estimator.encode(objects))


@given(st.integers(8, 30), st.lists(st.binary(min_size=30, max_size=30), min_size=1), st.data())
@examples(500)
def test_both_engines_find_the_same_records(width, rows, data):
    values = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, 30)[:, :width]
    known = np.unique(values[data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9))], axis=0)
    found, expected = on_both_engines(codes, "codes_of_records", values, known)
    assert found == expected


@pytest.mark.parametrize(
    ("name", "values", "known"),
    [
        ("codes_of_objects", np.array(["a"]), np.array(["a"])),
        ("codes_of_objects", array_of("ab")[:, None], np.array(["a"])),
        ("codes_of_records", np.zeros((2, 7), dtype=np.uint8), np.zeros((2, 7), dtype=np.uint8)),
        ("codes_of_records", np.zeros((2, 8), dtype=np.uint8), np.zeros((2, 9), dtype=np.uint8)),
        ("codes_of_records", np.zeros((8, 8), dtype=np.uint8).T, np.zeros((2, 8), dtype=np.uint8)),
    ],
)
def test_other_arrays_are_refused(name, values, known):
    assert_refuses(ValueError, "must", codes, name, values, known)
