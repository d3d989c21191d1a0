"""Distances between clusterings: by hand, against sets of rows, on both engines; their registry."""

from math import log, log2

import numpy as np
import pytest
from by_distance import ABSENT_DIFFER, EVERY_DISTANCE
from clusterings import measure, rounded_bits
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score
from support import assert_refuses, examples, on_both_engines

from pytrees._engine import kernel
from pytrees.distances import DISTANCES, JaccardDistance, clustering_distance, resolve

NAMES = ["information_gain", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "gini", "jaccard", "accuracy", "mae"]
labelled = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=30)
)


# Ten rows: T = {0: 6, 1: 4}, Y = {0: 5, 1: 5}, 4 and 3 of them right: |T_0 ∩ Y_0| = 4, |T_0 ∩ Y_1| = 2, then 1 and 3.
Y_TRUE = [0] * 5 + [1] * 5
Y_PRED = [0, 0, 0, 0, 1, 0, 0, 1, 1, 1]
H_T, H_Y = -(0.6 * log2(0.6) + 0.4 * log2(0.4)), 1.0
H_BOTH = -sum(p * log2(p) for p in (0.4, 0.2, 0.1, 0.3))


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("information_gain", H_Y + H_T - H_BOTH),
        ("gain_ratio", (H_Y + H_T - H_BOTH) / H_T),
        ("nvi", 1 - (H_Y + H_T - H_BOTH) / H_BOTH),
        ("nvi_sum", 1 - 2 * (H_Y + H_T - H_BOTH) / (H_Y + H_T)),
        ("nvi_max", 1 - (H_Y + H_T - H_BOTH) / H_Y),
        ("vi", 2 * H_BOTH - H_Y - H_T),
        ("gini", 0.6 * (1 - (4 / 6) ** 2 - (2 / 6) ** 2) + 0.4 * (1 - (1 / 4) ** 2 - (3 / 4) ** 2)),
        ("jaccard", 2 - 4 / 7 - 3 / 6),
        ("accuracy", 0.3),
        ("mae", 0.3),
    ],
)
def test_distances_by_hand(engine, name, distance):
    assert clustering_distance(Y_TRUE, Y_PRED, name) == pytest.approx(distance, abs=1e-8)
    rational = name in ("gini", "jaccard", "accuracy", "mae")
    assert not rational or clustering_distance(Y_TRUE, Y_PRED, name) == pytest.approx(distance, rel=1e-15)


# Divisors of zero: entropies of one cluster, and empty unions, which no class of either clustering has.
@pytest.mark.parametrize(
    ("y_true", "y_pred", "distances"),
    [
        ([0, 0], [0, 0], {"information_gain": 0, "gain_ratio": 0, "nvi": 0, "gini": 0, "jaccard": 0, "accuracy": 0}),
        ([0, 0], [1, 1], {"information_gain": 0, "gain_ratio": 0, "nvi": 0, "gini": 0, "jaccard": 2, "accuracy": 1}),
        ([0, 1], [0, 0], {"information_gain": 0, "gain_ratio": 0, "nvi": 1, "gini": 0.5, "jaccard": 1.5, "mae": 0.5}),
        ([0, 0], [0, 1], {"information_gain": 0, "gain_ratio": 0, "nvi": 1, "gini": 0, "jaccard": 1.5, "mae": 0.5}),
        ([0, 1], [1, 0], {"information_gain": 1, "gain_ratio": 1, "nvi": 0, "gini": 0, "jaccard": 2, "accuracy": 1}),
        ([0, 1, 2], [2, 1, 0], {"gain_ratio": 1, "nvi": 0, "jaccard": 2, "accuracy": 2 / 3, "mae": 4 / 3}),
    ],
)
def test_distances_of_trivial_clusterings(engine, y_true, y_pred, distances):
    for name, distance in distances.items():
        assert clustering_distance(y_true, y_pred, name) == distance, name


VARIATIONS = ["vi", "nvi", "nvi_sum", "nvi_max"]


# Entropies that are nothing: of one class, of one cluster, of both.
@pytest.mark.parametrize(
    ("y_true", "y_pred", "variation", "others"),
    [
        ([0, 0], [0, 0], 0, 0),
        ([0, 0], [1, 1], 0, 0),
        ([0, 1], [0, 0], 1, 1),
        ([0, 0], [0, 1], 1, 1),
        ([0, 1], [1, 0], 0, 0),
        ([0, 0, 1, 1], [0, 1, 0, 1], 2, 1),
        ([0, 1, 2, 3], [0, 0, 0, 0], 2, 1),
    ],
)
def test_variations_of_trivial_clusterings(engine, y_true, y_pred, variation, others):
    assert [clustering_distance(y_true, y_pred, name) for name in VARIATIONS] == [variation, others, others, others]


@examples(200)
@given(labelled=labelled)
def test_variations_are_those_of_scikit_learn(engine, labelled):
    y_true, y_pred = np.array(labelled).T
    entropies = [mutual_info_score(y, y) / log(2) for y in (y_true, y_pred)]
    variation = sum(entropies) - 2 * mutual_info_score(y_true, y_pred) / log(2)
    assert clustering_distance(y_true, y_pred, "vi") == pytest.approx(variation, abs=1e-7)
    for name, mean in (("nvi_sum", "arithmetic"), ("nvi_max", "max")):
        score = normalized_mutual_info_score(y_true, y_pred, average_method=mean)
        assert clustering_distance(y_true, y_pred, name) == pytest.approx(1 - score, abs=1e-7)


@examples(200)
@given(labelled=labelled)
def test_variations_are_symmetric_and_0_for_equal_clusterings(engine, labelled):
    a, b = np.array(labelled).T
    is_equal = len(set(labelled)) == len(set(a.tolist())) == len(set(b.tolist()))
    for name in VARIATIONS:
        distance = clustering_distance(a, b, name)
        assert distance == clustering_distance(b, a, name)
        assert (distance == 0.0) == is_equal


def test_classes_of_an_empty_union(engine):
    table = np.array([[2, 1, 0], [0, 3, 0], [0, 0, 0]])
    assert kernel("table_distance")(table, "jaccard") == 1 / 3 + 1 / 4
    assert kernel("table_distance")(table, ABSENT_DIFFER) == 1 / 3 + 1 / 4 + 1
    assert kernel("table_distance")(table, "gini") == pytest.approx(0.5 * (1 - 5 / 9), rel=1e-15)


@pytest.mark.parametrize("name", NAMES)
@examples(100)
@given(labelled=labelled)
def test_distances_are_those_of_sets_of_samples(engine, name, labelled):
    y_true, y_pred = np.array(labelled).T
    codes = np.unique(labelled)
    clusters, classes = ([set(np.flatnonzero(y == code).tolist()) for code in codes] for y in (y_pred, y_true))
    expected = float(measure(name, clusters, classes, np.ones(len(y_true), dtype=int), rounded_bits))
    if name in ("information_gain", "gain_ratio") and not measure(name, clusters, classes, np.ones(len(y_true))):
        expected = 0.0  # whatever rounding makes of it
    assert clustering_distance(y_true, y_pred, name) == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("name", EVERY_DISTANCE)
@examples(100)
@given(
    table=st.integers(1, 6).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 9) | st.integers(0, 10**6), min_size=k, max_size=k), min_size=k, max_size=k
        )
    )
)
def test_engines_agree(name, table):
    table = np.array(table)
    table[0, 0] += 1
    compiled, reference = on_both_engines(lambda: kernel("table_distance")(table, name))
    assert compiled == reference


def test_jaccard_distance_of_set_functions():
    assert clustering_distance(Y_TRUE, Y_PRED, JaccardDistance(len)) == clustering_distance(Y_TRUE, Y_PRED, "jaccard")
    # f(A) = min(|A|, 3): symmetric differences of 3 and 3 rows, unions of more.
    assert clustering_distance(Y_TRUE, Y_PRED, JaccardDistance(lambda rows: min(len(rows), 3))) == 2.0
    # f(∅) = 1 is taken off: (1 + 3 - 1) / (1 + 7) + (1 + 3 - 1) / (1 + 6).
    moved = JaccardDistance(lambda rows: 1 + len(rows))
    assert clustering_distance(Y_TRUE, Y_PRED, moved) == 3 / 8 + 3 / 7
    assert clustering_distance(Y_TRUE, Y_PRED, JaccardDistance(lambda rows: 0.0)) == 0.0


def test_set_functions_see_ascending_sample_numbers():
    seen = []

    def function(rows):
        seen.append(rows)
        return len(rows)

    clustering_distance(["b", "a", "b"], ["b", "b", "a"], JaccardDistance(function))
    assert all(isinstance(rows, np.ndarray) and rows.dtype == np.int64 for rows in seen)
    assert {tuple(rows.tolist()) for rows in seen} == {(), (0, 1, 2), (1, 2)}


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_set_functions_give_numbers_that_are_not_negative(value):
    with pytest.raises(ValueError, match="finite numbers that are not negative"):
        clustering_distance([0, 1], [0, 1], JaccardDistance(lambda rows: value))


def test_set_functions_are_callable():
    assert_refuses(ValueError, "callable", JaccardDistance, 3)


def test_both_rules_for_absent_classes(engine):
    equal, different = JaccardDistance(), JaccardDistance(absent_classes="different")
    assert clustering_distance(Y_TRUE, Y_PRED, equal) == clustering_distance(Y_TRUE, Y_PRED, "jaccard")
    assert clustering_distance(Y_TRUE, Y_PRED, different) == clustering_distance(Y_TRUE, Y_PRED, "jaccard")
    for labels, n_absent in (([2, 1, 0], 1), ([0, 0.5, 1, 7, 7], 2)):
        for function in (None, len):
            for rule, distance in (("equal", 0), ("different", n_absent)):
                judge = JaccardDistance(function, rule)
                assert clustering_distance([0, 1], [0, 1], judge, labels=labels) == distance
    # A class without weight counts as absent.
    nothing = JaccardDistance(lambda rows: float(np.sum(rows == 0)), "different")
    assert clustering_distance([0, 1], [0, 1], nothing) == 1.0
    assert_refuses(ValueError, "absent_classes must be 'equal' or 'different'", JaccardDistance, absent_classes="zero")


def test_classes_that_are_named():
    assert clustering_distance([0, 2], [2, 2], "mae") == 0.5
    assert clustering_distance([0, 2], [2, 2], "mae", labels=[0, 1, 2]) == 1.0
    with pytest.raises(ValueError, match="labels must have all classes, and lacks 2"):
        clustering_distance([0, 2], [2, 2], labels=[0, 1])


def test_registered_names():
    assert list(DISTANCES) == NAMES
    assert [name for name in NAMES if DISTANCES[name].is_similarity] == ["information_gain", "gain_ratio"]
    assert resolve("gini") is DISTANCES["gini"]
    assert resolve("etc").judges == "sequence"
    assert resolve("wig").specification(3)[0] == "wig"


def test_labels_of_any_kind():
    assert clustering_distance(["x", "y"], ["x", "x"], "accuracy") == 0.5
    assert clustering_distance([2.5, 3.5], np.array([3.5, 3.5]), "mae") == 0.5


@pytest.mark.parametrize("distance", ["etc", "Jaccard", 3, None])
def test_unknown_distances(distance):
    assert_refuses(ValueError, "distance must be one of", clustering_distance, [0], [0], distance)


def test_clusterings_of_other_lengths_and_of_no_samples_are_refused():
    assert_refuses(ValueError, "inconsistent numbers", clustering_distance, [0, 1], [0])
    assert_refuses(ValueError, "no samples", clustering_distance, [], [])


@pytest.mark.parametrize("value", [None, "1", 1j])
def test_set_functions_must_give_real_numbers(value):
    with pytest.raises(ValueError, match="set function of a JaccardDistance must give real numbers"):
        clustering_distance([0, 1], [0, 0], JaccardDistance(lambda rows: value))
