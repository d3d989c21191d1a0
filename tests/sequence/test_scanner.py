"""The best cut by the impurity of label sequences: compiled against the naive reference, neighbouring cuts, threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, assert_same_tree, complexity, effort, examples, grow, interrupted, on_both_engines

import pytrees._core.sequence.scanner
from pytrees import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from pytrees._core.base import threads
from pytrees._tree_checks import LEAF
from pytrees.testing.strategies import _fibonacci_word, label_sequences

# Below 200 labels cuts are judged one by one. From there on neighbouring cuts share steps, if there are at most 5
# classes, at most 4 labels to a run, at least 128 cuts or at most 16 rows from cut to cut, and at most 65,533 labels.
SHARED_LENGTH = 200
MANY_CUTS = 128
MAX_SHARED_LENGTH = 65_533
# By Lempel-Ziv complexity neighbouring cuts share components if there are at most 8 classes and this many labels.
CHANGING_LENGTH = 8192
# Features are scanned on threads from this product of labels and cuts on.
LABELS_FOR_THREADS = 300_000

IMPURITIES = {"etc": effort, "lz76": complexity}

both = pytest.mark.parametrize("criterion", IMPURITIES)


def best_cut(labels, orders, cuts, criterion="etc", n_threads=1):
    """(cost, feature, rows on the left) of the root's best cut, or None if there is no cut."""
    labels, n_rows = np.asarray(labels, dtype=np.int32), len(labels)
    X = np.empty((n_rows, len(orders)))
    for feature, (order, of_feature) in enumerate(zip(orders, cuts, strict=True)):
        # Values that change where a cut is.
        X[order, feature] = np.searchsorted(list(of_feature), np.arange(n_rows), side="right")
    threads = {"n_threads": n_threads} if n_threads > 1 else {}
    tree = grow(X, labels, criterion=criterion, max_depth=1, **threads)
    if tree["children_left"][0] == LEAF:
        return None
    cost = round(n_rows * (IMPURITIES[criterion](labels) - tree["gain"][0]))
    return cost, tree["feature"][0], tree["n_node_samples"][1]


def all_cuts(labels, orders):
    return [range(1, len(labels))] * len(orders)


def costs(labels, order, cuts, criterion="etc"):
    """Return the costs of cuts by the engine's own function of one sequence, which has tests of its own."""
    position, impurity, n_rows = np.argsort(order), IMPURITIES[criterion], len(labels)
    return [
        n_left * impurity(labels[position < n_left]) + (n_rows - n_left) * impurity(labels[position >= n_left])
        for n_left in cuts
    ]


def cheapest_cut(labels, orders, cuts, criterion="etc"):
    return min(
        (cost, feature, n_left)
        for feature, (order, of_feature) in enumerate(zip(orders, cuts, strict=True))
        for cost, n_left in zip(costs(labels, order, of_feature, criterion), of_feature, strict=True)
    )


@pytest.mark.parametrize(
    ("labels", "orders", "cuts", "found"),
    [
        ([0, 0, 1, 1], [[0, 1, 2, 3]], [[1, 2, 3]], (0, 0, 2)),  # between two classes
        # 0 alone costs nothing; of 0 1 1, 01 goes first: 2 1, then 3. Three rows by two steps.
        ([0, 0, 1, 1], [[0, 1, 2, 3]], [[1]], (6, 0, 1)),
        # Ties go to the lowest feature, then to the fewest rows.
        ([0, 1, 0], [[0, 1, 2]], [[1, 2]], (2, 0, 1)),
        ([0, 1, 0], [[0, 1, 2], [2, 1, 0]], [[2], [1, 2]], (2, 0, 2)),
        ([0, 1], [[0, 1], [1, 0]], [[], []], None),
    ],
)
def test_cuts_by_hand(engine, labels, orders, cuts, found):
    assert best_cut(labels, orders, cuts) == found


@st.composite
def nodes(draw, sequences, most_features=3, least_features=1):
    """(labels, orders, cuts): any orders and cuts, of features that may tell of the labels, of several classes."""
    labels, _ = draw(sequences.filter(lambda drawn: len(set(drawn[0])) > 1))
    n_rows = len(labels)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    orders, cuts = [], []
    for _ in range(draw(st.integers(least_features, most_features))):
        signal_of_labels = draw(st.sampled_from([0.0, 0.0, 1.0, 10.0]))
        orders.append(np.argsort(rng.normal(size=n_rows) + signal_of_labels * labels, kind="stable"))
        step = draw(st.sampled_from([1, 1, 2, 5]))
        cuts.append(range(draw(st.integers(1, step)), n_rows, step))
    return labels, orders, cuts


@both
@examples(500)
@given(node=nodes(label_sequences(max_length=40)))
def test_engines_find_the_same_cut(criterion, node):
    compiled, reference = on_both_engines(best_cut, *node, criterion)
    assert compiled == reference


@st.composite
def long_sequences(draw, shortest=SHARED_LENGTH - 5, longest=SHARED_LENGTH + 60):
    """Around the length from which on cuts share steps: few and many classes, rare ones, runs, repeats."""
    length = draw(st.integers(shortest, longest))
    n_classes = draw(st.sampled_from([2, 2, 2, 3, 4, 5, 6, 7, 8, 9]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, n_classes, length)
    if draw(st.booleans()):
        labels[rng.random(length) < draw(st.sampled_from([0.3, 0.6, 0.9]))] = 0
    if draw(st.booleans()):
        labels = np.repeat(labels, rng.integers(1, draw(st.sampled_from([3, 5, 9])), length))[:length]
    if draw(st.booleans()):
        period = draw(st.integers(1, 6))
        labels[: length // 2] = np.arange(length // 2) % period % n_classes
    return labels.astype(np.int32), n_classes


@both
@examples(150)
@given(node=nodes(long_sequences(), 2))
def test_neighbouring_cuts_share_work_exactly(criterion, node):
    assert best_cut(*node, criterion) == cheapest_cut(*node, criterion)


@both
@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1), n_classes=st.sampled_from([2, 3, 5, 6]), step=st.sampled_from([1, 3, 15, 16, 17])
)
def test_every_single_cut_has_its_cost(criterion, seed, n_classes, step):
    # Cuts are offered from the cheapest up, so that each is found once; rows between them move all the same.
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, 220).astype(np.int32)
    order = np.argsort(rng.normal(size=220) + labels)
    n_left = np.arange(1, 220, step)
    of_cuts = np.array(costs(labels, order, n_left, criterion))
    for cost in np.sort(of_cuts)[:5]:
        cuts = n_left[of_cuts >= cost].tolist()
        assert best_cut(labels, [order], [cuts], criterion) == (cost, 0, n_left[of_cuts == cost].min())


@pytest.mark.parametrize(
    "labels",
    [
        np.arange(240) % 2,
        np.arange(240) // 120,
        np.arange(240) % 120 // 60,
        np.arange(240) % 7,
        _fibonacci_word(240),
        np.repeat(np.arange(60) % 3, 4),
        np.r_[np.zeros(239, dtype=int), 1],
    ],
    ids=["alternating", "two runs", "four runs", "period 7", "Fibonacci", "runs of 4", "one other"],
)
@pytest.mark.parametrize("order", ["rows", "reversed", "shuffled", "by label"])
@both
def test_regular_sequences(criterion, labels, order):
    labels = np.asarray(labels, dtype=np.int32)
    rows = np.arange(len(labels))
    shuffled = np.random.default_rng(0).permutation(rows)
    by_label = shuffled[np.argsort(labels[shuffled], kind="stable")]
    orders = [{"rows": rows, "reversed": rows[::-1], "shuffled": shuffled, "by label": by_label}[order]]
    cuts = all_cuts(labels, orders)
    assert best_cut(labels, orders, cuts, criterion) == cheapest_cut(labels, orders, cuts, criterion)


@pytest.mark.parametrize("n_classes", [2, 8, 9])
@pytest.mark.parametrize("n_rows", [CHANGING_LENGTH, CHANGING_LENGTH + 1])
def test_long_sequences_by_complexity(n_rows, n_classes):
    rng = np.random.default_rng(n_classes)
    labels = np.where(rng.random(n_rows) < 0.2, rng.integers(0, n_classes, n_rows), 0).astype(np.int32)
    orders = [np.argsort(rng.normal(size=n_rows) + 2 * labels)]
    cuts = [[1, 60, 4000, 4001, 4002, n_rows - 70, n_rows - 1]]
    assert best_cut(labels, orders, cuts, "lz76") == cheapest_cut(labels, orders, cuts, "lz76")


@pytest.mark.parametrize("n_cuts", [MANY_CUTS - 1, MANY_CUTS])
@pytest.mark.parametrize("n_rows", [4096, 4097, MAX_SHARED_LENGTH, MAX_SHARED_LENGTH + 1])
def test_long_sequences_by_effort(n_rows, n_cuts):
    rng = np.random.default_rng(n_rows)
    labels = (rng.random(n_rows) < 0.4).astype(np.int32)
    orders = [np.argsort(rng.normal(size=n_rows) + labels)]
    cuts = [np.linspace(1, n_rows - 1, n_cuts).astype(int).tolist()]
    assert best_cut(labels, orders, cuts) == cheapest_cut(labels, orders, cuts)


@both
def test_reference_agrees_where_cuts_share_work(criterion):
    rng = np.random.default_rng(5)
    labels = (rng.random(230) < 0.3).astype(np.int32)
    orders = [np.argsort(rng.normal(size=230) + labels)]
    compiled, reference = on_both_engines(best_cut, labels, orders, [range(1, 230, 5)], criterion)
    assert compiled == reference


@both
@examples(150)
@given(
    node=nodes(long_sequences(225, 300), 6, 6),  # see LABELS_FOR_THREADS
    n_threads=st.integers(2, 4),
)
def test_threads_find_the_same_cut(criterion, node, n_threads):
    assert best_cut(*node, criterion, n_threads) == best_cut(*node, criterion)


@both
@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_threads_keep_to_ties(criterion, n_threads):
    # Every feature has the same best cut.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 250).astype(np.int32)
    order = np.argsort(labels + 0.5 * rng.normal(size=250))
    orders = np.tile(order, (6, 1))
    expected = best_cut(labels, orders[:1], all_cuts(labels, orders[:1]), criterion)
    for _ in range(20):
        assert best_cut(labels, orders, all_cuts(labels, orders), criterion, n_threads) == expected


def data_of_size(n_rows, n_features=6, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, n_features)), rng.integers(0, 3, n_rows)
    X[:, 1] += y
    return X, y


# Six features of n rows: 6 n (n - 1) labels, on both sides of LABELS_FOR_THREADS.
@both
@pytest.mark.parametrize("n_rows", [100, 223, 224, 225, 400])
def test_trees_are_the_same_for_every_number_of_threads(criterion, n_rows):
    X, y = data_of_size(n_rows)
    one, two, three = (grow(X, y, criterion=criterion, n_threads=n_threads) for n_threads in (1, 2, 3))
    assert_same_tree(one, two)
    assert_same_tree(one, three)


@pytest.mark.parametrize(("n_rows", "starts"), [(223, False), (225, True)])
def test_threads_start_where_the_scan_is_long(monkeypatch, n_rows, starts):
    assert (6 * n_rows * (n_rows - 1) >= LABELS_FOR_THREADS) == starts
    started = spy_on_threads(monkeypatch)
    X, y = data_of_size(n_rows)
    grow(X, y, criterion="etc", n_threads=2, max_depth=1)
    assert len(started) == starts


def spy_on_threads(monkeypatch):
    """Return a list to which every thread that starts adds an item."""
    started, start = [], threads.start_new_thread
    monkeypatch.setattr(threads, "start_new_thread", lambda *args: started.append(start(*args)))
    return started


def test_error_within_a_thread_comes_through(monkeypatch):
    main, work = threading.get_ident(), pytrees._core.sequence.scanner._work

    def fail_elsewhere(*args):
        if threading.get_ident() != main:
            raise OSError("in a thread")
        work(*args)

    monkeypatch.setattr(pytrees._core.sequence.scanner, "_work", fail_elsewhere)
    X, y = data_of_size(300)
    assert_refuses(OSError, "in a thread", grow, X, y, criterion="etc", n_threads=2)


@both
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_long_scan_can_be_interrupted(criterion, n_jobs):
    # Without the interruption this would take minutes.
    X, y = data_of_size(40_000)
    tree = PermutationDecisionTreeClassifier(criterion=criterion, n_jobs=n_jobs)
    with interrupted():
        tree.fit(X, y)
    assert not hasattr(tree, "tree_")


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_n_jobs_changes_no_tree(n_jobs):
    X, y = data_of_size(300)
    assert PermutationDecisionTreeClassifier(n_jobs=n_jobs).fit(X, y).tree_ == (
        PermutationDecisionTreeClassifier().fit(X, y).tree_
    )


@pytest.mark.parametrize("n_jobs", [1.5, "2"])
def test_n_jobs_must_be_whole(n_jobs):
    assert_refuses(ValueError, "n_jobs", PermutationDecisionTreeClassifier(n_jobs=n_jobs).fit, [[0.0], [1.0]], [0, 1])


def test_both_engines_take_n_jobs(engine):
    X, y = data_of_size(20)
    assert PermutationDecisionTreeClassifier(n_jobs=2).fit(X, y).score(X, y) == 1.0


def test_trees_of_a_forest_scan_on_one_thread(monkeypatch):
    started = spy_on_threads(monkeypatch)
    X, y = data_of_size(300)
    forest = PermutationDecisionForestClassifier(2, n_jobs=2, max_depth=1, random_state=0).fit(X, y)
    assert started == []
    assert [tree.n_jobs for tree in forest.estimators_] == [None, None]
