"""Criteria in plain Python: their arguments, their results, and equal trees on both engines."""

import pickle

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from own_criteria import OF_CUTS, OF_SEQUENCES, Changes, Deviation, Effort, Entropy, Gini, Range, Variance
from support import assert_refuses, assert_same_tree, examples, grow, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
)
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion
from pytrees.testing.strategies import problems


class Roots(CountCriterion):
    """Roots of counts, of which none may be negative."""

    def gains(self, left, right):
        return self.spread(left + right) - self.spread(left) - self.spread(right)

    def gain_of_children(self, counts):
        return self.spread(counts.sum(axis=0, keepdims=True))[0] - self.spread(counts).sum()

    @staticmethod
    def spread(counts):
        return np.sqrt(counts).sum(axis=1) ** 2 - counts.sum(axis=1)


def specification(criterion):
    return criterion.specification(None)


def tree_by(criterion, **parameters):
    make = DecisionTreeRegressor if isinstance(criterion, SumCriterion) else DecisionTreeClassifier
    return make(criterion, **parameters)


def criterion_returning(base, value):
    class Wrong(base):
        def gains(self, left, right):
            return value(left)

    return Wrong()


def blobs(n_samples, n_features, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    return rng.normal(size=(n_samples, n_features)) + 0.7 * y[:, None], y


# --------------------------------------------------------------------------------------------------------- equal trees


@examples(200)
@given(
    problems(
        lambda n_rows: st.lists(st.sampled_from([0.1, 0.3, 0.7, 1.2]), min_size=n_rows, max_size=n_rows), max_rows=20
    ),
    st.booleans(),
    st.booleans(),
)
def test_counts_are_never_negative(problem, has_categories, subsets):
    """A class weighs on the right its weight in the node minus its weight on the left, a rounded sum."""
    X, y, weights, n_classes = problem
    options = {"criterion": specification(Roots())}
    if has_categories:
        X = np.unique(X, return_inverse=True)[1].reshape(X.shape).astype(float) % 4
        options |= {"n_categories": [4] * X.shape[1], "subsets": subsets}
    assert_same_tree(*on_both_engines(grow, X, y, np.array(weights), n_classes, **options))


@pytest.mark.parametrize("criterion", [Gini(), Entropy()])
@pytest.mark.parametrize("n_classes", [2, 40])
def test_nodes_of_more_cuts_than_a_table_holds(criterion, n_classes):
    """40 classes: a table holds 409 cuts, and features of 450 rows are divided."""
    X, y = blobs(450, 2, n_classes)
    limits = {"max_depth": 3}
    assert_same_tree(*on_both_engines(grow, X, y, None, n_classes, specification(criterion), **limits))


@pytest.mark.parametrize("max_leaf_nodes", [None, 20])
def test_gini_by_its_definition_gives_the_tree_of_the_engines_own(max_leaf_nodes):
    X, y = blobs(3000, 4, 3)
    own, built_in = (
        DecisionTreeClassifier(criterion, max_leaf_nodes=max_leaf_nodes).fit(X, y).tree_
        for criterion in (Gini(), "gini")
    )
    np.testing.assert_array_equal(own.feature, built_in.feature)
    np.testing.assert_array_equal(own.threshold, built_in.threshold)
    np.testing.assert_allclose(own.gain, built_in.gain, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("shape", [(3000, 4), (70_000, 1)])
@pytest.mark.parametrize("criteria", [(Gini(), "gini"), (Variance(), "squared_error")], ids=["counts", "sums"])
def test_tables_that_are_full_and_entries_of_64_bits(criteria, shape):
    """A table holds 5461 cuts, which are of many features and nodes; more than 65,536 samples need wide entries."""
    X, y = blobs(*shape, 2)
    y = y + np.random.default_rng(1).normal(size=len(X)) if criteria[1] == "squared_error" else y
    own, built_in = (tree_by(criteria[0], max_depth=4).set_params(criterion=c).fit(X, y).tree_ for c in criteria)
    np.testing.assert_array_equal(own.threshold, built_in.threshold)


def test_effort_by_its_definition_gives_the_permutation_tree():
    X, y = blobs(40, 3, 2)
    own, built_in = (PermutationDecisionTreeClassifier(criterion=c).fit(X, y).tree_ for c in (Effort(), "etc"))
    np.testing.assert_array_equal(own.threshold, built_in.threshold)
    np.testing.assert_allclose(own.gain, built_in.gain, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------- what they see


class Recorder(Gini):
    """Keeps copies of its arguments."""

    def __init__(self, per_feature=False):
        self.per_feature = per_feature
        self.calls = []

    def gains(self, left, right):
        self.calls.append((left.copy(order="K"), right.copy(order="K")))
        return super().gains(left, right)


def test_per_feature_criteria_see_all_cuts_of_a_feature(engine):
    recorder = Recorder(per_feature=True)
    X, y = [[1.0, 5.0], [2.0, 5.0], [2.0, 4.0], [3.0, 4.0]], [0, 1, 2, 0]
    DecisionTreeClassifier(recorder, max_depth=1).fit(X, y)
    (left, right), (left_of_second, right_of_second) = recorder.calls
    np.testing.assert_array_equal(left, [[1, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(right, [[1, 1, 1], [1, 0, 0]])
    np.testing.assert_array_equal(left_of_second, [[1, 0, 1]])
    np.testing.assert_array_equal(right_of_second, [[1, 1, 0]])
    assert left.dtype == right.dtype == np.float64


def test_a_table_holds_many_features_and_nodes():
    X, y = blobs(300, 5, 2)
    recorder = Recorder()
    tree = DecisionTreeClassifier(recorder).fit(X, y)
    assert len(recorder.calls) <= tree.get_depth() + 4  # four cuts are judged alone
    for left, right in recorder.calls:
        assert left.flags.f_contiguous
        assert (left.sum(axis=1) > 0).all()
        assert (right.sum(axis=1) > 0).all()


def test_weights_are_added_up(engine):
    recorder = Recorder(per_feature=True)
    DecisionTreeClassifier(recorder).fit([[1.0], [2.0], [3.0]], [0, 1, 0], sample_weight=[0.5, 2.25, 1.0])
    np.testing.assert_array_equal(recorder.calls[0][0], [[0.5, 0.0], [0.5, 2.25]])
    np.testing.assert_array_equal(recorder.calls[0][1], [[1.0, 2.25], [1.0, 0.0]])


class RowRecorder(Range):
    def __init__(self):
        self.seen = set()

    def impurity(self, labels, rows):
        assert labels.shape == rows.shape
        self.seen.add((*rows.tolist(), *labels.tolist()))
        return super().impurity(labels, rows)


def test_sample_indices_are_those_of_X(engine):
    """The order of keys does not change them: the sample of the latest key comes last."""
    recorder = RowRecorder()
    X, y = [[0.0], [1.0], [2.0]], ["c", "a", "b"]
    PermutationDecisionTreeClassifier(criterion=recorder, max_depth=1).fit(X, y, order=[3, 1, 2])
    assert recorder.seen == {(1, 2, 0, 0, 1, 2), (0, 2), (1, 2, 0, 1), (1, 0, 0, 2), (2, 1)}


@pytest.mark.parametrize("max_features", [None, 1])
def test_sample_indices_are_those_of_X_in_forests(max_features):
    X, y = blobs(30, 4, 2)
    recorder = RowRecorder()
    forest = PermutationDecisionForestClassifier(
        3, criterion=recorder, max_features=max_features, max_depth=2, random_state=0
    )
    forest.fit(X, y)
    for rows_and_labels in recorder.seen:
        rows, labels = np.split(np.array(rows_and_labels), 2)
        np.testing.assert_array_equal(y[rows], labels)


class Confounded(SequenceCriterion):
    """Gain of the class within the groups of a confounder: differences between groups do not count."""

    needs_rows = True

    def __init__(self, groups):
        self.groups = np.asarray(groups)

    def impurity(self, labels, rows):
        groups, total = self.groups[rows], 0.0
        for group in np.unique(groups):
            shares = np.bincount(labels[groups == group]) / len(labels)
            total += shares.sum() - (shares**2).sum() / shares.sum()
        return total


def test_side_information_by_sample_index(engine):
    """Feature 0 is the confounder itself, which alone tells most of the class; feature 1 tells some within groups."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], 40)
    inner = rng.integers(0, 2, 80)
    y = np.where(rng.random(80) < 0.9, groups, inner)
    X = np.column_stack([groups, inner]).astype(float)
    assert DecisionTreeClassifier("gini", max_depth=1).fit(X, y).tree_.feature[0] == 0
    assert DecisionTreeClassifier(Confounded(groups), max_depth=1).fit(X, y).tree_.feature[0] == 1


# ------------------------------------------------------------------------------------------ every estimator, parameters


@pytest.mark.parametrize("criterion", OF_CUTS)
def test_forests(engine, criterion):
    X, y = blobs(40, 3, 3)
    forest = DecisionForestClassifier(4, criterion=criterion, max_features=1, max_depth=3, random_state=0, n_jobs=2)
    assert forest.fit(X, y).score(X, y) > 0.5


def test_forests_do_not_depend_on_the_engine():
    X, y = blobs(40, 6, 3)
    forests = on_both_engines(DecisionForestClassifier(3, criterion=Entropy(), random_state=0).fit, X, y)
    assert [tree.tree_ for tree in forests[0].estimators_] == [tree.tree_ for tree in forests[1].estimators_]


def test_ordinal_trees(engine):
    X, y = blobs(60, 2, 4)
    assert OrdinalDecisionTreeClassifier(Gini(), max_depth=2).fit(X, y).predict(X).max() <= 3


@pytest.mark.parametrize("criterion", [Gini(), Deviation()], ids=["counts", "sums"])
def test_estimators_are_cloned_and_pickled(criterion):
    X, y = blobs(60, 2, 2)
    tree = tree_by(criterion).fit(X, y)
    copied = pickle.loads(pickle.dumps(tree))
    assert copied.tree_ == tree.tree_
    assert type(copied.criterion) is type(criterion)
    assert sklearn.clone(tree).fit(X, y).tree_ == tree.tree_
    assert pickle.loads(pickle.dumps(DecisionTreeClassifier(Confounded([1, 2])))).criterion.groups.tolist() == [1, 2]


@pytest.mark.parametrize("min_gain", [0.001, 0.01, 0.03, 0.1])
@pytest.mark.parametrize("criterion", [Gini, Variance])
def test_min_gain(engine, criterion, min_gain):
    X, y = blobs(80, 2, 2)
    tree = tree_by(criterion(), min_gain=min_gain).fit(X + 3 * y[:, None], y).tree_
    assert tree.node_count > 1
    assert (tree.gain[tree.feature >= 0] >= min_gain).all()


@pytest.mark.parametrize("base", [CountCriterion, SumCriterion])
def test_all_cuts_forbidden(engine, base):
    criterion = criterion_returning(base, lambda left: np.full(len(left), -np.inf))
    assert tree_by(criterion).fit([[0.0], [1.0]], [0, 1]).get_n_leaves() == 1


def test_integers_and_bools_are_gains(engine):
    class Balance(CountCriterion):
        def gains(self, left, right):
            return left.sum(axis=1) == right.sum(axis=1)

    tree = DecisionTreeClassifier(Balance(), max_depth=1).fit(np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1])
    assert tree.tree_.threshold[0] == 2.5


# ------------------------------------------------------------------------------------------------------------- errors


SHOWN = {CountCriterion: r"class counts \[1.0, 0.0\]", SumCriterion: r"weights, sums and spreads \[1.0, 0.0, 0.0\] and"}
WRONG = [
    (lambda left: np.zeros((len(left), 1)), r"Wrong must be of shape \(n_cuts,\) = \(\d+,\), got \(\d+, 1\)"),
    (lambda left: 0.0, r"Wrong must be of shape \(n_cuts,\) = \(\d+,\), got \(\)"),
    (lambda left: None, "gains of the criterion Wrong returned None: is its return missing"),
    (lambda left: np.zeros(len(left) + 1), r"Wrong must be of shape"),
    (lambda left: np.zeros(len(left), dtype=complex), "Wrong must return real numbers, got dtype complex128"),
    (lambda left: np.array(["a"] * len(left)), "Wrong must return real numbers"),
    (lambda left: np.full(len(left), np.nan), "Wrong gives a gain of nan to the cut of {}"),
    (lambda left: np.full(len(left), np.inf), "Wrong gives a gain of inf"),
    (lambda left: np.full(len(left), len(left)), r"Wrong gives a cut .* per_feature = True"),
    (lambda left: np.cumsum(left[:, 0]), r"Wrong gives a cut .* per_feature = True"),
    (lambda left: np.where(left[:, 0] < left[:, 0].max(), -np.inf, 0.0), r"Wrong gives a cut .* per_feature = True"),
]


@pytest.mark.parametrize("base", SHOWN)
@pytest.mark.parametrize(("value", "message"), WRONG)
def test_invalid_gains_are_refused(engine, base, value, message):
    with pytest.raises(ValueError, match=message.format(SHOWN[base])):
        tree_by(criterion_returning(base, value)).fit(np.arange(11.0)[:, np.newaxis], [0, 1] * 5 + [0])


def test_a_best_cut_that_has_another_gain_alone_is_refused(engine):
    """It is the only one of ten, and neither the first, the middle nor the last."""
    wrong = criterion_returning(CountCriterion, lambda left: (left.sum(axis=1) == 3) * (1.0 + (len(left) > 2)))
    with pytest.raises(ValueError, match=r"Wrong gives a cut .* per_feature = True"):
        tree_by(wrong).fit(np.arange(11.0)[:, np.newaxis], [0, 1] * 5 + [0])


@pytest.mark.parametrize("value", [np.nan, np.inf, None, "1", [1.0], 1j])
def test_invalid_gains_of_sequences_are_refused(engine, value):
    class Wrong(SequenceCriterion):
        def gain(self, labels, goes_left):
            return value

    with pytest.raises(ValueError, match="criterion Wrong") as caught:
        DecisionTreeClassifier(Wrong()).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert type(caught.value) is ValueError


def test_invalid_impurities_are_refused(engine):
    class Wrong(SequenceCriterion):
        def impurity(self, labels):
            len(labels)

    with pytest.raises(ValueError, match="impurity of the criterion Wrong returned None"):
        DecisionTreeClassifier(Wrong()).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize(("base", "per_feature"), [(Gini, False), (Gini, True), (SumCriterion, False)])
def test_counts_and_sums_are_read_only(engine, base, per_feature):
    class InPlace(base):
        def gains(self, left, right):
            left /= left.sum(axis=1, keepdims=True)
            return left[:, 0]

    criterion = InPlace()
    InPlace.per_feature = per_feature
    with pytest.raises(RuntimeError, match=r"InPlace failed on . cuts: .*read-only"):
        tree_by(criterion).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize("base", [CountCriterion, SequenceCriterion, SumCriterion])
def test_exceptions_name_the_criterion(engine, base):
    class Broken(base):
        def gains(self, left, right):
            return 1 / 0

        def impurity(self, labels):
            return 1 / 0

    tree = tree_by(Broken()).set_params(criterion="squared_error" if base is SumCriterion else "gini")
    fitted = tree.fit([[0.0], [1.0]], [0, 1]).tree_
    with pytest.raises(RuntimeError, match=r"criterion Broken failed on .* ZeroDivisionError") as caught:
        tree.set_params(criterion=Broken()).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert tree.tree_ is fitted


@pytest.mark.parametrize("base", [CountCriterion, SequenceCriterion, SumCriterion])
def test_exceptions_in_forests(base):
    class Broken(base):
        def gains(self, left, right):
            raise KeyError("no such class")

        def impurity(self, labels):
            raise KeyError("no such class")

    forest = DecisionForestRegressor if base is SumCriterion else DecisionForestClassifier
    with pytest.raises(RuntimeError, match="criterion Broken failed"):
        forest(4, criterion=Broken(), n_jobs=2).fit([[0.0], [1.0], [2.0]] * 5, [0, 1, 0] * 5)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (CountCriterion, "Empty must define gains"),
        (SumCriterion, "Empty must define gains"),
        (SequenceCriterion, "Empty must define impurity"),
    ],
)
def test_missing_methods_are_named(engine, base, message):
    class Empty(base):
        pass

    assert_refuses(NotImplementedError, message, tree_by(Empty()).fit, [[0.0], [1.0]], [0, 1])


def test_keyboard_interrupts_are_not_wrapped(engine):
    class Interrupted(CountCriterion):
        def gains(self, left, right):
            raise KeyboardInterrupt

    assert_refuses(KeyboardInterrupt, None, DecisionTreeClassifier(Interrupted()).fit, [[0.0], [1.0]], [0, 1])


def test_sequences_have_no_weights(engine):
    with pytest.raises(ValueError, match="has no weight"):
        DecisionTreeClassifier(Changes()).fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 2])


@pytest.mark.parametrize(
    ("make", "criterion"),
    [(DecisionTreeClassifier, given) for given in (Gini, len, 3)]
    + [(DecisionTreeRegressor, given) for given in (Variance, "gini", len, 3, None)],
)
def test_invalid_criteria_are_refused(make, criterion):
    with pytest.raises(ValueError, match=f"'criterion' parameter of {make.__name__} must be"):
        make(criterion).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_classes", [1, 2, 7, 8, 9, 100])
def test_sums_over_classes_do_not_depend_on_the_number_of_cuts(n_classes):
    """A sum has the same bits among few cuts and among many, so that engines may call with any number of cuts."""
    counts = np.asfortranarray(np.random.default_rng(0).random((50, n_classes)))
    expected = np.zeros(50)
    for column in counts.T:
        expected += column
    for n_cuts in (2, 3, 17, 50):
        np.testing.assert_array_equal(counts[:n_cuts].sum(axis=1), expected[:n_cuts])
        np.testing.assert_array_equal((1.0 * counts[:n_cuts]).sum(axis=1), expected[:n_cuts])


@pytest.mark.parametrize("criterion", OF_CUTS + OF_SEQUENCES)
@pytest.mark.parametrize("max_leaf_nodes", [None, 5])
def test_local_evaluation_of_id3(criterion, max_leaf_nodes):
    X, y = blobs(40, 2, 3)
    trees = on_both_engines(ID3Classifier(criterion, max_leaf_nodes=max_leaf_nodes).fit, X, y)
    assert trees[0].tree_ == trees[1].tree_


def test_criteria_do_not_judge_whole_trees():
    with pytest.raises(ValueError, match="judges single leaves only"):
        ID3Classifier(Gini(), evaluation="global").fit([[0.0], [1.0]], [0, 1])
