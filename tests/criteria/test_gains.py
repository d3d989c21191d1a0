"""Impurities and gains as functions: the gains of trees, numbers by hand, shapes, what is refused."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from clusterings import bits, entropy, measure
from hypothesis import given
from hypothesis import strategies as st
from strategies import ordinal_specifications
from support import assert_refuses, examples, grow, on_both_engines

from pytrees import DecisionTreeClassifier
from pytrees._engine import kernel
from pytrees._weights import on_grid
from pytrees.criteria import (
    CRITERIA,
    CountCriterion,
    RankingImpurity,
    SequenceCriterion,
    WeightedInformationGain,
    gain,
    impurity,
    resolve,
)

ON_COUNTS = [name for name, criterion in CRITERIA.items() if criterion.judges == "counts"]
WITH_IMPURITY = [name for name in ON_COUNTS if CRITERIA[name].has_impurity]


class Twoing(CountCriterion):
    def __repr__(self):  # the same in every process that collects the tests
        return "Twoing()"

    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        difference = np.abs(left / n_left[:, None] - right / n_right[:, None]).sum(axis=1)
        return n_left * n_right / (n_left + n_right) ** 2 * difference**2 / 4


def parameters(name):
    """Return objects of a criterion: with default parameters and, where it has some, others."""
    others = {
        "wig": [
            WeightedInformationGain(2.0, class_scores=[0, 1, 4]),
            WeightedInformationGain(normalize_over="present"),
            WeightedInformationGain(distance_from="highest"),
        ],
        "ranking": [
            RankingImpurity(weighted=False),
            RankingImpurity(class_scores=[0, 1, 4]),
            RankingImpurity(class_scores=[0, 0.1, 0.4]),
            RankingImpurity(cost_matrix=[[0, 3, 1], [3, 0, 2], [1, 2, 0]]),
            RankingImpurity(cost_matrix=[[0, 0.3, 1], [0.3, 0, 0.2], [1, 0.2, 0]]),
        ],
    }
    return [name, *others.get(name, [])]


def tables(n_classes=3, largest=6):
    """Draw class counts of both children, neither of them empty."""
    counts = st.lists(st.integers(0, largest), min_size=n_classes, max_size=n_classes).filter(any)
    return st.tuples(counts, counts)


def samples(left, right):
    """Make samples of one feature that is cut between both children."""
    labels = np.repeat(np.tile(np.arange(len(left)), 2), [*left, *right])
    return np.repeat([0.0, 1.0], [sum(left), sum(right)])[:, np.newaxis], labels


@pytest.mark.parametrize("criterion", [c for name in ON_COUNTS for c in parameters(name)] + [Twoing()], ids=str)
@examples(80)
@given(children=tables())
def test_gains_are_those_of_trees(engine, criterion, children):
    X, y = samples(*children)
    tree = grow(X, y, None, 3, resolve(criterion).specification(3))
    if tree["feature"][0] == 0:
        assert gain(criterion, *children) == tree["gain"][0]
        assert np.signbit(gain(criterion, *children)) == np.signbit(tree["gain"][0])


@pytest.mark.parametrize("criterion", ON_COUNTS)
@examples(40)
@given(children=tables(n_classes=2, largest=2**20))
def test_gains_of_large_whole_weights_are_those_of_trees(criterion, children):
    weights = np.concatenate(children)
    tree = grow([[0], [0], [1], [1]], [0, 1, 0, 1], weights, 2, criterion)
    if weights.all():
        assert gain(criterion, *children) == tree["gain"][0]


@pytest.mark.parametrize("criterion", ON_COUNTS)
@examples(40)
@given(children=tables(n_classes=2, largest=40))
def test_gains_of_weights_that_are_not_whole_are_those_of_trees(engine, criterion, children):
    left, right = np.array(children) / 4 + 0.125  # sums of such weights are exact
    left[0] = 0.125  # so that the unit of all weights is a power of two
    tree = grow([[0], [0], [1], [1]], [0, 1, 0, 1], np.concatenate([left, right]), 2, criterion)
    unit = float(on_grid(np.concatenate([left, right]))[1]) ** 2 if criterion == "ranking" else 1.0
    assert gain(criterion, left, right) == tree["gain"][0] * unit


@pytest.mark.parametrize("criterion", ON_COUNTS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_engines_agree_where_one_class_has_all_samples(criterion, n_classes):
    for label in range(n_classes):
        left, right = np.zeros((2, 3, n_classes), dtype=np.int64)
        left[:, label], right[:, label] = [1, 2, 3], [1, 1, 4]
        for factor in (1, 2**40 + 1):
            counts = left * factor, right * factor
            gains = on_both_engines(lambda counts=counts: np.asarray(kernel("gains_of_cuts")(criterion, *counts)))
            np.testing.assert_array_equal(*gains)
            assert np.abs(gains[0]).max() <= n_classes


@examples(200)
@given(data=st.data(), n_classes=st.sampled_from([2, 3, 5, 25]), scale=st.sampled_from([1, 99, 2**24 + 1, 2**41 + 7]))
def test_engines_agree(data, n_classes, scale):
    specification = data.draw(ordinal_specifications(n_classes) | st.sampled_from(ON_COUNTS))
    row = st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes)
    counts = np.array(data.draw(st.lists(st.tuples(row, row), min_size=1, max_size=8))) * scale
    left, right = np.moveaxis(counts, 1, 0).copy()
    gains = on_both_engines(lambda: np.asarray(kernel("gains_of_cuts")(specification, left, right)))
    np.testing.assert_array_equal(*gains)
    np.testing.assert_array_equal(*map(np.signbit, gains))
    if CRITERIA[specification if isinstance(specification, str) else specification[0]].has_impurity:
        np.testing.assert_array_equal(*on_both_engines(lambda: np.asarray(kernel("impurities")(specification, left))))


# By the definitions: 20 samples of far and of near classes, as in Fig. 2 of Ayllón-Gavilán et al., and (2, 1, 1).
@pytest.mark.parametrize(
    ("criterion", "of_far", "of_near", "of_three"),
    [
        ("gini", 1 / 2, 1 / 2, 5 / 8),
        ("entropy", 1.0, 1.0, 3 / 2),
        ("ogini", 3 / 4, 1 / 4, 7 / 16),
        ("wig", 1 / 4, 1 / 12, 1 / 2),
        ("ranking", 300.0, 100.0, 7.0),
        (RankingImpurity(weighted=False), 300.0, 100.0, 7.0),
    ],
    ids=str,
)
def test_impurities_by_hand(engine, criterion, of_far, of_near, of_three):
    found = impurity(criterion, [[10, 0, 0, 10], [10, 10, 0, 0]])
    np.testing.assert_allclose(found, [of_far, of_near], rtol=1e-15)
    assert impurity(criterion, [2, 1, 1]) == pytest.approx(of_three, rel=1e-15)


@examples(100)
@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any))
def test_impurities_of_whole_counts_are_nearest_to_the_exact_ones(engine, counts):
    total, up_to = sum(counts), np.cumsum(counts).tolist()
    pairs = [(q, j) for q in range(len(counts)) for j in range(q)]
    assert impurity("gini", counts) == float(1 - sum(Fraction(count, total) ** 2 for count in counts))
    assert impurity("ogini", counts) == float(sum(Fraction(c * (total - c), total**2) for c in up_to))
    assert impurity("ranking", counts) == sum((q - j) * counts[q] * counts[j] for q, j in pairs)
    assert impurity("entropy", counts) == nearest_entropy(counts)


def nearest_entropy(counts):
    """Return the entropy as the nearest double, from 120 digits of which 60 are kept."""
    total = sum(counts)
    with localcontext(prec=120):
        logs = {count: Decimal(count).ln() for count in {total, 2, *counts} if count}
        gained = total * logs[total] - sum(count * logs[count] for count in counts if count)
        return float((gained / (total * logs[2])).quantize(Decimal(10) ** -60))


@examples(60)
@given(counts=st.lists(st.integers(0, 2**20), min_size=2, max_size=6).filter(any))
def test_entropies_of_large_counts_are_nearest_to_the_exact_ones(counts):
    compiled, reference = on_both_engines(impurity, "entropy", counts)
    assert compiled == reference == nearest_entropy(counts)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([3, 3], 1.0), ([7] * 8, 3.0), ([6, 3, 3], 1.5), ([12, 6, 3, 3], 1.75), ([5, 0], 0.0), ([2**23 - 1] * 2, 1.0)],
)
def test_entropies_that_are_fractions_are_exact(engine, counts, expected):
    assert impurity("entropy", counts) == expected


@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio", "nvi"])
@examples(100)
@given(children=tables(n_classes=3, largest=1000))
def test_error_of_gains_of_entropies(criterion, children):
    rows = np.arange(6)
    clusters = [set(rows[:3]), set(rows[3:])]
    classes = [{label, label + 3} for label in range(3)]
    weights = np.concatenate(children)
    with localcontext(prec=60):
        exact = measure("information_gain" if criterion == "entropy" else criterion, clusters, classes, weights)
        exact = 1 - exact if criterion == "nvi" else exact
        divisor = {
            "entropy": Decimal(2 * int(weights.sum())),
            "gain_ratio": entropy(clusters, weights, bits),
            "nvi": entropy([{row} for row in range(6)], weights, bits),
        }[criterion]
    error = Fraction(3 * (3 + 1), 2**30) / Fraction(divisor)
    assert abs(Fraction(gain(criterion, *children)) - exact) <= error + exact / 2**53


@pytest.mark.parametrize(
    "criterion",
    [c for name in WITH_IMPURITY for c in parameters(name) if getattr(c, "normalize_over", "all") == "all"],
    ids=str,
)
@examples(40)
@given(children=tables())
def test_gains_are_decreases_of_impurity(engine, criterion, children):
    left, right = np.array(children)
    shares = np.array([left.sum(), right.sum()]) / (left + right).sum()
    if not getattr(criterion, "weighted", True):
        shares[:] = 1.0
    decrease = impurity(criterion, left + right) - shares @ impurity(criterion, [left, right])
    assert gain(criterion, left, right) == pytest.approx(decrease, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("criterion", WITH_IMPURITY)
def test_one_class_and_no_samples_have_no_impurity(engine, criterion):
    for counts in ([5], [0, 7, 0], [0.0, 0.3, 0.0], [0, 0, 0]):
        assert impurity(criterion, counts) == 0.0


@pytest.mark.parametrize("criterion", [*ON_COUNTS, Twoing()], ids=str)
def test_shapes_of_gains(engine, criterion):
    left, right = np.random.default_rng(0).integers(0, 5, (2, 4, 3, 2)) + 1
    found = gain(criterion, left, right)
    assert (found.shape, found.dtype) == ((4, 3), np.float64)
    assert all(gain(criterion, left[place], right[place]) == found[place] for place in np.ndindex(4, 3))
    assert isinstance(gain(criterion, left[0, 0], right[0, 0]), float)
    np.testing.assert_array_equal(gain(criterion, left[0, 0], right), gain(criterion, left[:1, :1] + 0 * right, right))
    assert gain(criterion, left[:0], right[:0]).shape == (0, 3)
    if criterion in WITH_IMPURITY:
        assert impurity(criterion, left).shape == (4, 3)
        assert impurity(criterion, left)[1, 2] == impurity(criterion, left[1, 2])


@pytest.mark.parametrize("criterion", [*ON_COUNTS, Twoing()], ids=str)
def test_an_empty_child_gains_nothing(engine, criterion):
    empty, found = np.zeros(3), gain(criterion, [[1, 2, 3], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [4, 5, 6], [0, 0, 0]])
    np.testing.assert_array_equal(found, 0.0)
    assert gain(criterion, [0.1, 0.2, 0.3], empty) == gain(criterion, empty, [0.1, 0.2, 0.3]) == 0.0


@pytest.mark.parametrize("criterion", ON_COUNTS)
def test_one_class_has_nothing_to_gain(engine, criterion):
    assert gain(criterion, [3], [4]) == 0.0


@pytest.mark.parametrize("criterion", ON_COUNTS)
def test_a_cut_does_not_depend_on_others(engine, criterion):
    """Whole counts stay exact beside others."""
    left, right = np.array([[3, 1, 1], [0.3, 0.1, 0.1]]), np.array([[1, 2, 6], [0.1, 0.2, 0.6]])
    together = gain(criterion, left, right)
    assert together[0] == gain(criterion, left[0], right[0])
    assert together[1] == gain(criterion, left[1], right[1])


def test_the_cuts_of_a_feature():
    """The best of all cuts is the one that a tree makes."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.integers(0, 4, 200)
    up_to = np.cumsum(np.eye(4)[y[np.argsort(x)]], axis=0)
    for criterion in ("gini", "ogini", "wig", "gain_ratio"):
        gains = gain(criterion, up_to[:-1], up_to[-1] - up_to[:-1])
        tree = DecisionTreeClassifier(criterion, max_depth=1).fit(x[:, np.newaxis], y).tree_
        assert gains.max() == tree.gain[0]
        assert gains.argmax() + 1 == tree.n_node_samples[1]


class Runs(SequenceCriterion):
    def __repr__(self):
        return "Runs()"

    def impurity(self, labels):
        return 0.0


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        *((criterion, "judges label sequences") for criterion in ("etc", Runs())),
        *((criterion, r"criterion must be one of .*'gini'") for criterion in ("ginni", None, 3, Twoing, ["gini"])),
    ],
    ids=str,
)
def test_criteria_that_are_refused(criterion, message):
    assert_refuses(ValueError, message, impurity, criterion, [1, 2])
    assert_refuses(ValueError, message, gain, criterion, [1, 2], [2, 1])


@pytest.mark.parametrize(
    "criterion", ["gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi", "jaccard", "accuracy", "mae", Twoing()], ids=str
)
def test_criteria_without_an_impurity_are_refused(engine, criterion):
    assert_refuses(ValueError, "no impurity", impurity, criterion, [1, 2])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, -2], "must not be negative"),
        ([1, np.nan], "NaN"),
        ([1, np.inf], "infinity"),
        (["a", "b"], "could not convert"),
        (3, "shape"),
        ([], "a class at least"),
        ([[], []], "a class at least"),
        (np.array([1 + 2j, 3]), "Complex"),
    ],
)
def test_counts_that_are_refused(counts, message):
    assert_refuses(ValueError, message, impurity, "gini", counts)
    assert_refuses(ValueError, message, gain, "gini", counts, [1, 2])


def test_children_of_other_shapes_are_refused():
    assert_refuses(ValueError, "2 classes, right of 3", gain, "gini", [1, 2], [1, 2, 3])
    assert_refuses(ValueError, "2 classes, right of 1", gain, "gini", [1, 2], [1])
    assert_refuses(ValueError, "cannot be broadcast", gain, "gini", [[1, 2]] * 2, [[1, 2]] * 3)
    assert_refuses(ValueError, "2 scores for 3 classes", impurity, RankingImpurity(class_scores=[0, 1]), [1, 2, 3])


def test_infinite_and_missing_results_are_refused(engine):
    assert_refuses(ValueError, "too great for 'ranking'", impurity, "ranking", [1e200, 1e200])
    assert gain("gini", [1e308, 1e308], [1e308, 1e308]) == 0.0


def test_kernels_refuse_criteria_that_they_do_not_know():
    left = np.ones((1, 2), dtype=np.int64)
    for criterion in ("etc", ("user_counts", {"criterion": Twoing()})):
        with pytest.raises(ValueError, match="No criterion that judges class counts"):
            kernel("gains_of_cuts")(criterion, left, left)
    assert_refuses(ValueError, "No criterion that judges class counts", kernel("impurities"), "jaccard", left)
