"""Numbers as decimals: no exponents, and thresholds that divide samples as the tree does."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from samples import make_stump

from pytrees import Tree, export_graphviz, export_text, plot_tree
from pytrees._digits import Digits, ThresholdTexts, exact, told_apart

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def chain_of(thresholds):
    """Make a tree that compares one feature with one threshold after another, each at the right child of the last."""
    n = len(thresholds)
    inner = np.arange(n) * 2
    arrays = {name: np.full(2 * n + 1, -1) for name in ("children_left", "children_right")}
    arrays["children_left"][inner], arrays["children_right"][inner] = inner + 1, inner + 2
    arrays["feature"], arrays["threshold"] = np.full(2 * n + 1, -2), np.full(2 * n + 1, -2.0)
    arrays["feature"][inner], arrays["threshold"][inner] = 0, thresholds
    value = np.ones((2 * n + 1, 1))
    return Tree(
        **arrays, n_node_samples=np.ones(2 * n + 1, dtype=int), value=value, gain=np.zeros(2 * n + 1), n_features=1
    )


def texts_of(thresholds, digits=Digits()):  # noqa: B008
    tree = chain_of(thresholds)
    texts = ThresholdTexts(tree, digits)
    return [texts(2 * i) for i in range(len(thresholds))]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (52901.157, "52901"),
        (0.123456, "0.1235"),
        (-0.00001234567, "-0.00001235"),
        (2.0, "2"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e15, "1" + 15 * "0"),
        (1.7e308, "1.7e+308"),
        (-1e-300, "-1e-300"),
        (2.0**-20, "0.0000009537"),
        (np.inf, "inf"),
        (np.nan, "nan"),
        (99999.5, "100000"),
    ],
)
def test_numbers_have_four_digits_and_no_exponent(number, text):
    assert Digits().number(number) == text


@pytest.mark.parametrize(("number", "text"), [(2.5, "2.50"), (-0.001, "0.00"), (1e20, "1" + 20 * "0" + ".00")])
def test_numbers_have_the_decimal_places_that_are_asked_for(number, text):
    assert Digits(2).number(number) == text


@given(number=FINITE)
@example(number=5e-324)
@example(number=1.7976931348623157e308)
def test_exact_decimals_are_read_back(number):
    assert float(exact(number)) == number
    assert "e" not in exact(number)


@given(thresholds=st.lists(FINITE, min_size=1, max_size=6, unique=True), decimals=st.sampled_from([None, 0, 3]))
@example(thresholds=[1.0, 1.0 + 2**-52], decimals=None)
@example(thresholds=[-1.7976931348623157e308, 1.7976931348623157e308, 0.0], decimals=None)
@example(thresholds=[1005.5, 1006.5, 1006.0], decimals=0)
def test_thresholds_of_unknown_origin_differ_in_their_order(thresholds, decimals):
    texts = texts_of(thresholds, Digits(decimals))
    assert not any("e" in text for text in texts)
    order = np.argsort(thresholds)
    assert np.all(np.diff([float(texts[i]) for i in order]) > 0)


@given(value=FINITE, threshold=FINITE)
@example(value=52901.6, threshold=52901.9)
@example(value=-5e-324, threshold=0.0)
def test_a_value_stands_on_its_side_of_the_threshold(value, threshold):
    text = texts_of([threshold])[0]
    shown, compared = told_apart(value, threshold, text, Digits())
    assert (float(shown) <= float(compared)) == (value <= threshold)


def test_infinite_thresholds_are_written():
    tree = make_stump(threshold=[-np.inf, -2.0, -2.0])
    assert ThresholdTexts(tree, Digits())(0) == "-inf"


def test_pictures_and_texts_show_the_same_thresholds():
    tree = chain_of([1006.04, 1006.11, 52901.157])
    shown = ["1006", "1006.1", "52901"]
    assert re.findall(r"<= (\S+)", export_text(tree)) == shown
    assert [box.get_text()[len("feature_0 ≤ ") :] for box in plot_tree(tree)[::2][:-1]] == shown
    assert re.findall(r"<= (\S+?)\\n", export_graphviz(tree, precision=0)) == ["1006.0", "1006.1", "52901.0"]
