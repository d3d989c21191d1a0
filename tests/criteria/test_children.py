"""Gains of splits by category: by hand, from naive oracles, exactly compared, and equal on both engines."""

from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest
from category_gains import (
    CRITERIA,
    PRIMES,
    UNWEIGHTED_RANKING,
    children_of_primes,
    gini,
    impurity_gain,
    nearly_equal_splits,
    sized,
    tables,
)
from clusterings import measure
from hypothesis import given
from hypothesis import strategies as st
from information import comparable_gain
from strategies import grid_weights
from support import examples, grow, on_both_engines

from pytrees.reference.criteria.counts import n_log2_n_of
from pytrees.reference.sequence.history import lempel_ziv_complexity
from pytrees.reference.sequence.substitution import effort_to_compress
from pytrees.testing.strategies import count_weights, labels, no_weights


def root_of(criterion, y, columns, weights=None, n_classes=None):
    """The arrays of a tree whose only split is the best one by a categorical feature."""
    columns = np.stack(columns, axis=1)
    n_classes = n_classes or int(np.max(y)) + 1
    n_categories = columns.max(axis=0) + 1
    return grow(columns, y, weights, n_classes, sized(criterion, n_classes), max_depth=1, n_categories=n_categories)


def gain_of(criterion, y, codes, weights=None, n_classes=None):
    return float(root_of(criterion, y, [codes], weights, n_classes)["gain"][0])


def compare(criterion, y, codes, other_codes, weights=None, n_classes=None):
    """Return 1 if the split by the codes is better, -1 if the split by the other codes is, 0 if they tie."""
    # Ties go to the first feature.
    after_other = root_of(criterion, y, [other_codes, codes], weights, n_classes)["feature"][0] == 1
    before_other = root_of(criterion, y, [codes, other_codes], weights, n_classes)["feature"][0] == 1
    return int(after_other) - int(before_other)


@st.composite
def splits(draw, weights=no_weights, max_rows=30):
    """(y, codes, weights, n_classes): samples of two classes and two categories at least."""
    n_rows = draw(st.integers(2, max_rows))
    y, n_classes = draw(labels(n_rows).filter(lambda drawn: len(set(drawn[0])) > 1))
    n_codes = draw(st.sampled_from([2, 3, 5, n_rows + 1]))
    codes = draw(
        st.lists(st.integers(0, n_codes - 1), min_size=n_rows, max_size=n_rows).filter(
            lambda drawn: len(set(drawn)) > 1
        )
    )
    return y, np.array(codes, dtype=np.int32), draw(weights(n_rows)), n_classes


# The outlook of Quinlan's Saturday mornings: sunny (2 of 5 are right to play), overcast (4 of 4), rain (3 of 5).
OUTLOOK = [0] * 5 + [1] * 4 + [2] * 5
PLAY = [1, 1, 0, 0, 0] + [1] * 4 + [1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        # J. R. Quinlan, "Induction of Decision Trees", Machine Learning 1 (1986), Section 4: 0.246 bits, from rounded
        # entropies; and C4.5 (1993), Section 2.2: gain ratio 0.246 / 1.577 = 0.156.
        ("entropy", 0.24675),
        ("gain_ratio", 0.24675 / 1.57741),
        # 1 - (9/14)**2 - (5/14)**2 = 90/196, minus 10/14 of 12/25: 45/98 - 12/35.
        ("gini", 45 / 98 - 12 / 35),
        # With every outlook as its majority 3 + 4 + 3 are right, and 9 if all are to play.
        ("accuracy", 1 / 14),
        ("mae", 1 / 14),
        # Sunny is the cluster of "no": 3 of 5 + 5 - 3. Overcast and rain are that of "yes": 7 of 9 + 9 - 7.
        ("jaccard", 3 / 7 + 7 / 11 - 9 / 14),
        # 9 * 5 pairs of different classes, minus 10/14 of 3 * 2.
        ("ranking", 45 - 30 / 7),
        (UNWEIGHTED_RANKING, 45 - 12),
    ],
)
def test_gains_by_hand(engine, criterion, expected):
    assert gain_of(criterion, PLAY, OUTLOOK) == pytest.approx(expected, abs=2e-5)


def test_all_children_of_one_majority(engine):
    y, codes = [0, 0, 1, 0, 0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    # All children are best as class 0; child 1 is as good as class 1: 2 + 2 + 3 of 10 are right, as in the node.
    assert gain_of("accuracy", y, codes) == 0.0
    # Child 1 alone is class 1: 5 of 8 in the union for class 0, 2 of 5 for class 1.
    assert gain_of("jaccard", y, codes) == pytest.approx(5 / 8 + 2 / 5 - 7 / 10, abs=1e-15)


def test_gain_of_the_effort(engine):
    # 0,1,0,1 takes one step, then it is constant; so are 0,0 and 1,1 and 1.
    y, codes = [0, 1, 0, 1, 1], [2, 0, 2, 0, 5]
    assert gain_of("etc", y, codes) == effort_to_compress(y, 2)
    assert gain_of("etc", y, [0, 0, 0, 1, 2]) == pytest.approx(
        effort_to_compress(y, 2) - 3 / 5 * effort_to_compress([0, 1, 0], 2)
    )


def ordinal_gini(counts):
    """Return the ordinal Gini: samples up to a class times those above it, summed over the classes."""
    up_to = [sum(counts[: q + 1]) for q in range(len(counts))]
    return sum(Fraction(below * (up_to[-1] - below), up_to[-1] ** 2) for below in up_to)


def ranking(counts):
    return sum(Fraction((q - j) * counts[j] * counts[q]) for q in range(len(counts)) for j in range(q))


def information(counts):
    return -sum(count / sum(counts) * log2(count / sum(counts)) for count in counts if count)


def entropy_units(counts):
    """Return the entropy times the samples, in units of 2**-30 bit, as the table of n log2 n has it."""
    return n_log2_n_of(sum(counts)) - sum(map(n_log2_n_of, counts))


IMPURITIES = {"gini": gini, "ogini": ordinal_gini, "ranking": ranking}


@pytest.mark.parametrize("criterion", [*IMPURITIES, UNWEIGHTED_RANKING])
@examples(150)
@given(splits() | splits(count_weights))
def test_gains_are_decreases_of_impurity(engine, criterion, split):
    children = tables(split[0], split[1], split[2], split[3])
    if criterion == UNWEIGHTED_RANKING:
        node = [sum(counts) for counts in zip(*children, strict=True)]
        expected = ranking(node) - sum(map(ranking, children))
    else:
        expected = impurity_gain(IMPURITIES[criterion], children)
    assert gain_of(criterion, *split) == float(expected)


@examples(150)
@given(splits() | splits(count_weights))
def test_information_gain(engine, split):
    children = tables(*split)
    node = [sum(counts) for counts in zip(*children, strict=True)]
    expected = information(node) - sum(sum(counts) / sum(node) * information(counts) for counts in children)
    assert gain_of("entropy", *split) == pytest.approx(expected, abs=1e-7)
    units = entropy_units(node) - sum(map(entropy_units, children))
    gains = comparable_gain("entropy", children) > 0
    assert gain_of("entropy", *split) == (float(Fraction(max(units, 1), sum(node) * 2**30)) if gains else 0.0)


@pytest.mark.parametrize("criterion", ["gain_ratio", "nvi", "nvi_sum", "nvi_max"])
@examples(150)
@given(splits() | splits(count_weights))
def test_ratios_are_those_of_the_clustering_by_child(engine, criterion, split):
    y, codes, weights, n_classes = split
    children = tables(*split)
    node, sizes = [sum(counts) for counts in zip(*children, strict=True)], list(map(sum, children))
    rows = np.arange(len(y))
    weights = np.ones(len(y), dtype=np.int64) if weights is None else weights
    clusters = [set(rows[codes == code]) for code in np.unique(codes)]
    classes = [set(rows[y == label]) for label in range(n_classes)]
    gained = measure(criterion, clusters, classes, weights)
    if criterion != "gain_ratio":
        gained = 1 - gained
    # The reported gain comes from the rounded table of n log2 n: 0, or at least one unit.
    of_split, joint = entropy_units(sizes), entropy_units([count for counts in children for count in counts])
    of_classes = entropy_units(node)
    divisor = {
        "gain_ratio": of_split,
        "nvi": joint,
        "nvi_sum": of_split + of_classes,
        "nvi_max": max(of_split, of_classes),
    }[criterion]
    times = 2 if criterion == "nvi_sum" else 1
    units = 0
    if comparable_gain("entropy", children) > 0:
        units = max(times * (of_classes + of_split - joint), 1)
    reported = gain_of(criterion, y, codes, weights, n_classes)
    assert reported == float(Fraction(units, divisor))
    # The real number is as near as the table's rounding allows: by half a unit for every entry that adds up.
    error = Fraction(times * (n_classes + 1) * (len(children) + 1), divisor)
    assert abs(Fraction(units, divisor) - gained) <= error


@pytest.mark.parametrize("criterion", ["accuracy", "mae"])
def test_best_labels_of_children_are_not_all_the_same(engine, criterion):
    def errors(counts, label):
        return sum(count * (abs(q - label) if criterion == "mae" else q != label) for q, count in enumerate(counts))

    def is_small(split):
        return split[3] ** len(np.unique(split[1])) <= 1000

    @examples(100)
    @given((splits() | splits(count_weights)).filter(is_small))
    def check(split):
        children, n_classes = tables(*split), split[3]
        node = [sum(counts) for counts in zip(*children, strict=True)]
        least = min(
            sum(errors(counts, label) for counts, label in zip(children, chosen, strict=True))
            for chosen in product(range(n_classes), repeat=len(children))
            if len(set(chosen)) > 1
        )
        undivided = min(errors(node, label) for label in range(n_classes))
        assert gain_of(criterion, *split) == float(Fraction(undivided - least, sum(node)))

    check()


def jaccard_gain(children, n_classes):
    """From the clusters that the children's labels make."""
    node = [sum(counts) for counts in zip(*children, strict=True)]

    def similarity(chosen):
        total = Fraction(0)
        for label in set(chosen):
            cluster = [counts for counts, own in zip(children, chosen, strict=True) if own == label]
            both = sum(counts[label] for counts in cluster)
            total += Fraction(both, sum(map(sum, cluster)) + node[label] - both)
        return total

    majorities = [counts.index(max(counts)) for counts in children]
    candidates = [majorities]
    if len(children) == 2:
        candidates = [pair for pair in product(range(n_classes), repeat=2) if pair[0] != pair[1]]
    elif len(set(majorities)) == 1:
        candidates = [
            [*majorities[:i], label, *majorities[i + 1 :]]
            for i in range(len(children))
            for label in range(n_classes)
            if label != majorities[0]
        ]
    return max(map(similarity, candidates)) - Fraction(max(node), sum(node))


@examples(200)
@given(splits() | splits(count_weights))
def test_jaccard(engine, split):
    assert gain_of("jaccard", *split) == float(jaccard_gain(tables(*split), split[3]))


@pytest.mark.parametrize(("criterion", "impurity"), [("etc", effort_to_compress), ("lz76", lempel_ziv_complexity)])
@examples(100)
@given(splits())
def test_naive_structural_gain(engine, criterion, impurity, split):
    y, codes, _, n_classes = split
    expected = Fraction(impurity(y.tolist(), n_classes))
    for code in np.unique(codes):
        part = y[codes == code].tolist()
        expected -= Fraction(len(part), len(y)) * impurity(part, n_classes)
    assert gain_of(criterion, y, codes, n_classes=n_classes) == float(expected)


@st.composite
def pairs_of_splits(draw, weights):
    """Draw two splits of the same rows: by other categories, or by the same categories under other names."""
    y, codes, drawn_weights, n_classes = draw(splits(weights))
    if draw(st.booleans()):
        return y, codes, draw(st.permutations(range(codes.max() + 1)).map(np.array))[codes], drawn_weights, n_classes
    others = st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y)).filter(lambda drawn: len(set(drawn)) > 1)
    return y, codes, np.array(draw(others)), drawn_weights, n_classes


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weights", [no_weights, count_weights, grid_weights])
def test_engines_agree_on_the_greater_gain(criterion, weights):
    @examples(40)
    @given(pairs_of_splits(weights))
    def check(pair):
        compiled, reference = on_both_engines(compare, criterion, *pair)
        assert compiled == reference

    check()


@pytest.mark.parametrize("criterion", ["gini", "ogini", "jaccard", "entropy", "ranking"])
def test_the_same_children_under_other_names_tie(engine, criterion):
    y, codes, weights = children_of_primes()
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert compare(criterion, y, codes, rng.permutation(len(PRIMES))[codes], weights) == 0


@pytest.mark.parametrize("n_rows", [22, None])
def test_differences_far_below_the_last_bit_of_a_double_decide(engine, n_rows):
    # The first 22 rows without those of primes: a denominator of fewer than 128 bits.
    y, weights, codes, other_codes = (array[:n_rows] for array in nearly_equal_splits())
    exact, other = (impurity_gain(gini, tables(y, of, weights, 2)) for of in (codes, other_codes))
    assert exact != other
    assert float(1 - exact) == float(1 - other)
    assert (exact.denominator.bit_length() > 128) == (n_rows is None)
    expected = 1 if exact > other else -1
    assert compare("gini", y, codes, other_codes, weights) == expected
    assert compare("gini", y, other_codes, codes, weights) == -expected
