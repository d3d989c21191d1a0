"""Gains of entropies that are equal as real numbers, or nearly: both engines against powers of whole numbers."""

from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from information import comparable_gain
from support import assert_same_tree, examples, grow, on_both_engines

from pytrees import DecisionTreeClassifier
from pytrees.reference.criteria.logarithms import ZERO, BitRatio, Bits, bits, entropy_bits

INFORMATION = ["entropy", "gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi"]
# Those that gain nothing where children have the same shares of the classes, and otherwise more.
GROWING = INFORMATION[:-1]


def best_cut(criterion, y, n_classes):
    """Return how many samples the first of the best cuts of a sequence sends left."""
    best, n_left = None, None
    for i in range(1, len(y)):
        gain = comparable_gain(criterion, [np.bincount(part, minlength=n_classes).tolist() for part in (y[:i], y[i:])])
        if best is None or gain > best:
            best, n_left = gain, i
    return n_left


def assert_best_cut(criterion, y, n_classes):
    X = np.arange(len(y), dtype=np.float64)[:, None]
    tree = grow(X, y, n_classes=n_classes, criterion=criterion, max_depth=1)
    assert tree["threshold"][0] == best_cut(criterion, y, n_classes) - 0.5, y


def test_equal_gains_are_ties(engine):
    # The cuts 0 | 1 0 0 1 1 0 and 0 1 0 0 | 1 1 0 gain the same.
    X, y = np.arange(7.0)[:, None], [0, 1, 0, 0, 1, 1, 0]
    assert DecisionTreeClassifier("entropy", max_depth=1).fit(X, y).tree_.threshold[0] == 0.5


@pytest.mark.parametrize("criterion", INFORMATION)
@pytest.mark.parametrize(("n_classes", "longest"), [(2, 9), (3, 6), (4, 5)])
def test_every_short_sequence_of_the_compiled_engine(criterion, n_classes, longest):
    for length in range(2, longest + 1):
        for y in product(range(n_classes), repeat=length):
            if len(set(y)) > 1:
                assert_best_cut(criterion, y, n_classes)


@pytest.mark.parametrize("criterion", INFORMATION)
@examples(300)
@given(data=st.data())
def test_random_sequences(engine, criterion, data):
    n_classes = data.draw(st.integers(2, 6))
    y = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=2, max_size=40))
    if len(set(y)) > 1:
        assert_best_cut(criterion, y, n_classes)


@pytest.mark.parametrize("criterion", GROWING)
def test_a_gain_of_nothing_is_nothing(engine, criterion):
    for k in range(1, 40):
        y, weights = [0, 1, 0, 1], np.array([k, 2 * k, 3, 6])
        tree = grow([[0], [0], [1], [1]], y, weights, criterion=criterion, max_depth=1)
        assert tree["gain"][0] == 0.0
        assert not np.signbit(tree["gain"][0])


@pytest.mark.parametrize("criterion", GROWING)
@pytest.mark.parametrize("size", [10, 1000, 10**6])
def test_one_sample_more_is_not_nothing(engine, criterion, size):
    """Shares of the first feature's children are equal; of the second's they differ by one sample."""
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 0], [1, 1]])
    weights = np.array([size, size, size - 1, 1, size])
    tree = grow(X, [0, 1, 0, 0, 1], weights, criterion=criterion, max_depth=1)
    assert tree["feature"][0] == 1
    assert 0.0 < tree["gain"][0] < 0.1 / size


# Children of (0, 2) and (3, 1) samples, or a multiple: H(T) is twice the information gain.
@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_variation_of_information_gains_nothing_or_has_a_sign(engine, size):
    X, y, weights = [[0], [1], [1]], [1, 0, 1], np.array([2, 3, 1]) * size
    gain = grow(X, y, weights, criterion="vi", max_depth=1)["gain"][0]
    assert gain == 0.0
    assert not np.signbit(gain)
    for i, more in product(range(3), (-1, 1) if size > 1 else (1,)):
        changed = weights + more * (np.arange(3) == i)
        sign = np.sign(digits_of_gain("vi", [[0, int(changed[0])], [int(changed[1]), int(changed[2])]]))
        assert np.sign(grow(X, y, changed, criterion="vi", max_depth=1)["gain"][0]) == sign != 0


def digits_of_gain(criterion, children):
    """Return the gain of a split with eighty digits, times a constant."""

    def entropy(counts):
        total = Decimal(sum(counts))
        return total * total.ln() - sum(Decimal(count) * Decimal(count).ln() for count in counts if count)

    with localcontext(prec=120):
        node = [sum(column) for column in zip(*children, strict=True)]
        sizes, joint = [sum(counts) for counts in children], [count for counts in children for count in counts]
        gain = entropy(node) + entropy(sizes) - entropy(joint)
        if criterion == "vi":
            gain = 2 * gain - entropy(sizes)
        gain /= {
            "gain_ratio": entropy(sizes),
            "nvi": entropy(joint),
            "nvi_sum": entropy(sizes) + entropy(node),
            "nvi_max": max(entropy(sizes), entropy(node)),
        }.get(criterion, 1)
        return gain.quantize(Decimal(10) ** -80)


# Counts that differ by a few from a large number gain nearly the same where they are cut.
@pytest.mark.parametrize("criterion", INFORMATION)
@examples(100)
@given(
    size=st.sampled_from([10, 1000, 50_000]),
    further=st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=2, max_size=5),
)
def test_near_ties_of_large_counts(engine, criterion, size, further):
    counts = [[size + more for more in group] for group in further]
    X = [[i] for i, group in enumerate(counts) for _ in group]
    y = [label for group in counts for label in range(len(group))]
    tree = grow(X, y, np.array(counts).ravel(), criterion=criterion, max_depth=1)
    gains = [
        digits_of_gain(criterion, [np.sum(part, axis=0).tolist() for part in (counts[:i], counts[i:])])
        for i in range(1, len(counts))
    ]
    assert tree["threshold"][0] == gains.index(max(gains)) + 0.5
    assert (tree["gain"][0] > 0.0) == (max(gains) > 0)


def binary_table(seed, n_rows, n_features, n_classes=2):
    """Make a table of few values, in which most gains tie."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n_rows, n_features)).astype(float), rng.integers(0, n_classes, n_rows)


# The leaves that tie when the best is taken are those of few samples.
@pytest.mark.parametrize("criterion", INFORMATION)
@pytest.mark.parametrize("n_classes", [2, 3])
@examples(100)
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(10, 40), max_leaf_nodes=st.integers(2, 20))
def test_engines_agree_best_first(criterion, n_classes, seed, n_rows, max_leaf_nodes):
    X, y = binary_table(seed, n_rows, 3, n_classes)
    assert_same_tree(
        *on_both_engines(grow, X, y, n_classes=n_classes, criterion=criterion, max_leaf_nodes=max_leaf_nodes)
    )


# The same table twice, once with features cut into bins, whose bounds must leave room for ties.
@examples(50)
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(20, 300), n_values=st.sampled_from([5, 40, 300]))
def test_bins_keep_ties(seed, n_rows, n_values):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, n_values, (n_rows, 3)).astype(float), rng.integers(0, 3, n_rows)
    X[:, 2] = -X[:, 0]
    sorted_tree = grow(X, y, criterion="entropy")
    assert_same_tree(sorted_tree, grow(X, y, criterion="entropy", block_rows=8, max_bins=6))


def test_equal_sums_of_different_numbers():
    # 1 1 2 | 3 3 6 has the shares of 2 2 4 | 2 2 4: nothing is gained, and powers of primes say so.
    assert (entropy_bits([2, 4]) - entropy_bits([1, 2]) - entropy_bits([1, 2])).is_zero()
    assert not (entropy_bits([2, 4]) - entropy_bits([1, 3]) - entropy_bits([1, 1])).is_zero()


def test_quotients_compare_as_real_numbers():
    half = BitRatio(entropy_bits([1, 1]), bits(4))  # 2 bits by 4
    same = BitRatio(entropy_bits([3, 3]), bits(12))  # 6 bits by 12
    assert not half > same
    assert not same > half
    assert half > ZERO
    assert half > 0
    assert not ZERO > 0
    assert float(ZERO) == 0.0
    # Their floating-point numbers come from the rounded table of n log2 n.
    assert float(half) == 0.5
    assert float(same) == pytest.approx(0.5, abs=1e-9)


def test_quotients_equal_in_thirty_digits_are_told_apart():
    # log2 3 = 1.5849625007211561814537389439478165087598144..., of which 40 decimals are kept.
    exact = Bits({3: 10**40}, 0)
    below = Bits({2: 15849625007211561814537389439478165087598}, 0)
    above = Bits({2: 15849625007211561814537389439478165087599}, 0)
    assert BitRatio(exact, bits(1)) > BitRatio(below, bits(1))
    assert BitRatio(above, bits(1)) > BitRatio(exact, bits(1))
    assert not BitRatio(below, bits(1)) > BitRatio(exact, bits(1))
