"""Forests: every tree follows from its seed, on any number of workers; how trees vote."""

import copy
import pickle
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from samples import make_stump, make_ties, trees_of
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from support import assert_refuses

import pytrees.trees.forest_prediction
from pytrees import (
    DecisionForestClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    config_context,
)
from pytrees._engine import current_engine


@pytest.fixture(scope="module")
def data():
    return make_ties(n_samples=18, n_features=2)


@pytest.fixture(
    scope="module",
    params=[PermutationDecisionForestClassifier, DecisionForestClassifier],
    ids=["permutation", "bootstrap"],
)
def make_forest(request):
    """Makes a small forest, in turn of every kind."""

    def make(n_estimators=5, random_state=0, **parameters):
        return request.param(n_estimators, random_state=random_state, **parameters)

    return make


@pytest.fixture(scope="module")
def expected(data, make_forest):
    """The forest as one thread grows it, on the compiled engine."""
    return make_forest().fit(*data)


def permutation_forest(n_estimators=5, random_state=0, **parameters):
    return PermutationDecisionForestClassifier(n_estimators, random_state=random_state, **parameters)


def forest_of(trees):
    """A fitted forest of given trees on one feature, of the classes "a" and "b"."""
    forest = permutation_forest(n_estimators=len(trees)).fit([[0.0], [1.0]], ["a", "b"])
    for estimator, tree in zip(forest.estimators_, trees, strict=True):
        estimator.tree_ = tree
    return forest


@pytest.mark.parametrize("bootstrap", [False, True])
def test_every_tree_grows_on_the_arrangement_of_its_seed(engine, data, bootstrap):
    X, y = data
    forest = permutation_forest(bootstrap=bootstrap).fit(X, y)
    for estimator in forest.estimators_:
        random_state = np.random.RandomState(estimator.random_state)
        rows = random_state.randint(18, size=18) if bootstrap else random_state.permutation(18)
        classes = forest.classes_[np.unique(y[rows])]
        alone = PermutationDecisionTreeClassifier().fit(X[rows], y[rows])
        np.testing.assert_array_equal(alone.classes_, classes)
        np.testing.assert_array_equal(estimator.tree_.threshold, alone.tree_.threshold)
        np.testing.assert_array_equal(estimator.tree_.gain, alone.tree_.gain)
        assert estimator.tree_.n_node_samples[0] == 18
    assert len(set(trees_of(forest))) > 1


def test_members_are_fitted_estimators(engine, make_forest, data):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b"])
    forest = make_forest(max_depth=2, max_features=1).fit(frame, np.array(["x", "y", "z"])[y])
    seeds = [estimator.random_state for estimator in forest.estimators_]
    assert len(set(seeds)) == 5
    for estimator in forest.estimators_:
        assert type(estimator) is forest._tree_class
        assert estimator.max_depth == 2
        assert estimator.max_features == 1
        assert estimator.get_depth() <= 2
        assert estimator.feature_names_in_.tolist() == ["a", "b"]
        assert set(estimator.predict(frame)) <= {"x", "y", "z"}
        assert estimator.n_features_in_ == 2
    np.testing.assert_allclose(
        forest.feature_importances_, np.mean([one.feature_importances_ for one in forest.estimators_], axis=0)
    )


@pytest.mark.parametrize("limits", [{}, {"max_depth": 2}, {"max_leaf_nodes": 4}])
def test_a_tree_grows_again_from_its_samples_and_its_random_state(engine, make_forest, data, limits):
    """As scikit-learn's test_estimators_samples wants; nodes draw features, and some classes may not be drawn."""
    X, y = data
    forest = make_forest(max_features=1, **limits).fit(X, y)
    assert len(set(trees_of(forest))) > 1
    for estimator, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        again = clone(estimator).fit(X[rows], y[rows])
        for name in ("children_left", "children_right", "feature", "threshold", "gain"):
            np.testing.assert_array_equal(getattr(again.tree_, name), getattr(estimator.tree_, name), err_msg=name)
        np.testing.assert_array_equal(again.predict(X), estimator.predict(X))


def test_equal_random_states_grow_equal_forests(engine, make_forest, data):
    assert trees_of(make_forest().fit(*data)) == trees_of(make_forest().fit(*data))
    assert trees_of(make_forest().fit(*data)) == trees_of(make_forest(random_state=np.random.RandomState(0)).fit(*data))
    assert trees_of(make_forest().fit(*data)) != trees_of(make_forest(random_state=1).fit(*data))
    assert len(make_forest(random_state=None).fit(*data).estimators_) == 5
    stream = np.random.RandomState(0)
    assert trees_of(make_forest(random_state=stream).fit(*data)) != trees_of(
        make_forest(random_state=stream).fit(*data)
    )


def test_forests_of_more_trees_begin_with_the_same_trees(engine, make_forest, data):
    assert trees_of(make_forest(n_estimators=7).fit(*data))[:5] == trees_of(make_forest().fit(*data))


def test_order_makes_the_forest_independent_of_storage(engine, make_forest, data):
    X, y = data
    times = np.arange(18)
    stored = np.random.default_rng(2).permutation(18)
    expected = trees_of(make_forest().fit(X, y))
    assert trees_of(make_forest().fit(X[stored], y[stored])) != expected
    assert trees_of(make_forest().fit(X[stored], y[stored], order=times[stored])) == expected


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_the_forest_is_the_same_for_every_number_of_workers(engine, make_forest, data, expected, n_jobs):
    forest = make_forest(n_jobs=n_jobs).fit(*data)
    assert trees_of(forest) == trees_of(expected)
    np.testing.assert_array_equal(forest.predict_proba(data[0]), expected.predict_proba(data[0]))


# Later versions of Python warn if a process with threads forks.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["sequential", "threading", "loky", "multiprocessing"])
@pytest.mark.parametrize("has_many_samples", [False, True])
def test_the_forest_is_the_same_for_every_backend(
    engine, make_forest, data, expected, backend, has_many_samples, monkeypatch
):
    """Predictions of many samples share memory."""
    if has_many_samples:
        monkeypatch.setattr(pytrees.trees.forest_prediction, "_FEWEST_ROWS_OF_A_WORKER", 8)
    n_jobs, here = 1 if backend == "sequential" else 2, make_forest().fit(*data)
    with joblib.parallel_config(backend=backend, n_jobs=n_jobs):
        forest = make_forest().fit(*data)
        # A packed forest cannot be pickled.
        proba, proba_here = forest.predict_proba(data[0]), here.predict_proba(data[0])
    np.testing.assert_array_equal(proba_here, proba)
    assert trees_of(forest) == trees_of(expected)
    np.testing.assert_array_equal(proba, expected.predict_proba(data[0]))


def test_the_engine_reaches_the_workers(engine, make_forest, data, monkeypatch):
    seen = {"grow": set(), "walk": set()}
    forest_class, kernel = type(make_forest()), pytrees.trees.base_forest.kernel
    grow = forest_class._grow

    def recorded_grow(*args, **of_forest):
        seen["grow"].add(current_engine())
        return grow(*args, **of_forest)

    def recorded_kernel(name):
        seen["walk"].add(current_engine())
        return kernel(name)

    monkeypatch.setattr(forest_class, "_grow", staticmethod(recorded_grow))
    monkeypatch.setattr(pytrees.trees.base_forest, "kernel", recorded_kernel)
    monkeypatch.setattr(pytrees.trees.forest_prediction, "_FEWEST_ROWS_OF_A_WORKER", 1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        make_forest().fit(*data).predict(data[0])
    assert seen == {"grow": {engine}, "walk": {engine}}


def test_an_error_in_a_worker_is_raised_and_leaves_the_last_fit_whole(make_forest, data, expected, monkeypatch):
    forest = make_forest(n_jobs=2).fit(*data)

    def fail(*args, **of_forest):
        raise MemoryError("no room")

    monkeypatch.setattr(type(forest), "_grow", staticmethod(fail))
    assert_refuses(MemoryError, "no room", forest.fit, data[0][:, :1], data[1] > 0)
    monkeypatch.undo()
    np.testing.assert_array_equal(forest.predict_proba(data[0]), expected.predict_proba(data[0]))


def test_in_a_parallel_grid_search(make_forest, data):
    search = GridSearchCV(make_forest(n_jobs=2), {"max_depth": [1, 2]}, cv=2, n_jobs=2, error_score="raise").fit(*data)
    depth = search.best_params_["max_depth"]
    assert trees_of(search.best_estimator_) == trees_of(make_forest(max_depth=depth).fit(*data))


@pytest.mark.parametrize("n_estimators", [1, 15, 16, 17, 35])
def test_probabilities_are_shares_of_the_votes(engine, data, n_estimators):
    X, y = data
    forest = permutation_forest(n_estimators, max_depth=3).fit(X, y)
    votes = np.array(
        [[np.sum(column == k) for k in range(3)] for column in np.stack([e.predict(X) for e in forest.estimators_], 1)]
    )
    np.testing.assert_array_equal(forest.predict_proba(X), votes / n_estimators)
    np.testing.assert_array_equal(forest.predict(X), votes.argmax(axis=1))


def test_majority_and_ties(engine):
    a_left, b_left = make_stump(), make_stump(value=[[1, 1], [0, 1], [1, 0]])
    rows = [[0.0], [1.0]]
    tie = forest_of([b_left, a_left])
    assert tie.predict_proba(rows).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert tie.predict(rows).tolist() == ["a", "a"]
    assert forest_of([b_left, a_left, b_left]).predict(rows).tolist() == ["b", "a"]


def test_a_tree_votes_for_the_lowest_of_its_most_frequent_classes(engine):
    undecided = make_stump(value=[[2, 2], [1, 1], [1, 1]])
    forest = forest_of([undecided, undecided, make_stump(value=[[1, 2], [0, 1], [1, 1]])])
    assert forest.predict_proba([[0.0], [1.0]]).tolist() == [[2 / 3, 1 / 3], [1.0, 0.0]]


@pytest.mark.parametrize("n_rows", [1, 15, 16, 200])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_sums_for_any_number_of_samples_and_workers(engine, data, expected, n_rows, n_jobs, monkeypatch):
    monkeypatch.setattr(pytrees.trees.forest_prediction, "_FEWEST_ROWS_OF_A_WORKER", 30)
    X = np.random.default_rng(n_rows).integers(0, 4, (n_rows, 2)).astype(np.float64)
    trees = [make_stump(value=[[1, 2, 4], [1, 2, 0], [0, 3, 4]], n_features=2), *trees_of(expected)]
    votes, shares = np.zeros((n_rows, 3)), np.zeros((n_rows, 3))
    for tree in trees:
        for row, leaf in enumerate(tree.apply(X)):
            votes[row, tree.majority[leaf]] += 1
            shares[row] += tree.shares[leaf]
    sums = pytrees.trees.forest_prediction.ForestSums()
    for _ in range(3):  # the trees are packed by then
        np.testing.assert_array_equal(sums(trees, X, [tree.majority for tree in trees], n_jobs=n_jobs), votes)
        np.testing.assert_array_equal(sums(trees, X, n_jobs=n_jobs), shares)


def test_sums_of_other_votes_of_the_same_trees(engine, data, expected):
    """Votes that change are no votes that the packed trees know."""
    X = np.tile(data[0], (20, 1))
    trees, sums = trees_of(expected), pytrees.trees.forest_prediction.ForestSums()
    for shift in (0, 0, 0, 1, 2):
        votes = [(tree.majority + shift) % 3 for tree in trees]
        found = sums(trees, X, votes)
        of_rows = np.stack([vote[tree.apply(X)] for tree, vote in zip(trees, votes, strict=True)])
        np.testing.assert_array_equal(found, [np.bincount(of_row, minlength=3) for of_row in of_rows.T])


@pytest.mark.parametrize(
    "changes", [{"feature": [1, -2, -2], "n_features": 2}, {"value": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}]
)
def test_a_tree_of_other_features_or_classes_is_refused(engine, changes):
    forest = forest_of([make_stump(), make_stump(**changes)])
    for method in ("predict", "predict_proba", "apply"):
        with pytest.raises(ValueError, match="The forest has 1 features and 2 classes"):
            getattr(forest, method)(np.zeros((20, 1)))


@pytest.mark.parametrize(("X", "y"), [([[1.0], [2.0]], ["a", "a"]), ([[1.0]], ["a"])], ids=["one_class", "one_row"])
def test_forests_of_one_class_predict_it(engine, make_forest, X, y):
    forest = make_forest(bootstrap=True).fit(X, y)
    assert forest.predict(X).tolist() == y
    assert forest.predict_proba(X).tolist() == [[1.0]] * len(X)
    assert forest.feature_importances_.tolist() == [0.0]


def test_classes_that_a_bootstrap_leaves_out_keep_their_column(engine):
    X, y = np.arange(9.0)[:, None], np.array([0, 1, 1, 1, 1, 1, 1, 1, 2])
    forest = permutation_forest(n_estimators=8, bootstrap=True).fit(X, y)
    assert any(tree.value[0].min() == 0.0 for tree in trees_of(forest))
    assert all(tree.n_classes == 3 for tree in trees_of(forest))
    assert forest.predict_proba(X).shape == (9, 3)


def test_decision_paths_stand_side_by_side(engine, make_forest, data):
    forest = make_forest().fit(*data)
    indicator, n_nodes_ptr = forest.decision_path(data[0])
    assert indicator.shape == (18, n_nodes_ptr[-1])
    assert n_nodes_ptr.tolist() == [0, *np.cumsum([tree.node_count for tree in trees_of(forest)])]
    for i, tree in enumerate(trees_of(forest)):
        own = indicator[:, n_nodes_ptr[i] : n_nodes_ptr[i + 1]]
        np.testing.assert_array_equal(own.toarray(), tree.decision_path(data[0]).toarray())
        assert indicator[np.arange(18), n_nodes_ptr[i] + forest.apply(data[0])[:, i]].min() == 1


def test_unfitted_forests_raise(make_forest):
    for method in ("predict", "predict_proba", "apply", "decision_path"):
        assert_refuses(NotFittedError, None, getattr(make_forest(), method), [[1.0]])
    assert not hasattr(make_forest(), "feature_importances_")


def test_clone_and_html(make_forest, data):
    fitted = make_forest(bootstrap=True).fit(*data)
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "estimators_")
    assert type(fitted).__name__ in fitted._repr_html_()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_verbose_prints_a_line_for_every_tenth_of_the_trees_without_tqdm(
    engine, make_forest, data, capsys, monkeypatch, n_jobs
):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    make_forest(n_estimators=12, max_depth=1, verbose=1, n_jobs=n_jobs).fit(*data)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 10
    assert all(line.startswith("trees: ") for line in lines)
    assert lines[-1].startswith("trees: 12 of 12, ")


def test_verbose_shows_a_progress_bar_of_tqdm(make_forest, data, capsys):
    pytest.importorskip("tqdm")
    make_forest(n_estimators=12, verbose=2).fit(*data)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split("\r")[-1].startswith("trees: 100%")
    assert "12/12 [" in err


@pytest.mark.parametrize("verbose", [0, False])
def test_silent_by_default(make_forest, data, capsys, verbose):
    make_forest(verbose=verbose).fit(*data)
    with config_context(engine="compiled"):
        make_forest().fit(*data)
    assert capsys.readouterr() == ("", "")


def test_a_forest_that_is_asked_again_stays_packed(engine):
    X, y = make_ties()
    forest = PermutationDecisionForestClassifier(3, random_state=0).fit(X, y)
    before = dict(vars(forest))
    content = pickle.dumps(forest)
    expected = [forest.predict_proba(X[i : i + 1]) for i in range(len(X))]
    assert forest._sums._kept.packed
    np.testing.assert_array_equal(np.concatenate(expected), forest.predict_proba(X))
    assert vars(forest) == before
    assert len(pickle.dumps(forest)) == len(content)
    for copied in (pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest)):
        assert not copied._sums._kept.packed
        np.testing.assert_array_equal(copied.predict_proba(X), forest.predict_proba(X))
    # Trees that are exchanged, added or taken away are seen.
    other = PermutationDecisionForestClassifier(3, random_state=1).fit(X[:9], y[:9])
    if other.n_classes_ == forest.n_classes_:
        forest.estimators_[1] = other.estimators_[0]
    del forest.estimators_[2]
    votes = sum(np.eye(forest.n_classes_)[one.tree_.predict(X)] for one in forest.estimators_)
    np.testing.assert_array_equal(forest.predict_proba(X), votes / 2)


@pytest.mark.parametrize("limit", ["_MOST_FEATURES", "_MOST_NODES"])
def test_forests_beyond_the_limits_of_packed_nodes_are_walked_tree_by_tree(engine, limit, monkeypatch):
    X, y = make_ties()
    forest = PermutationDecisionForestClassifier(3, random_state=0).fit(X, y)
    expected = forest.predict_proba(X)
    most = X.shape[1] if limit == "_MOST_FEATURES" else max(tree.node_count for tree in trees_of(forest))
    for beyond in (False, True):
        monkeypatch.setattr(pytrees.tree, limit, most - beyond)
        copied = copy.deepcopy(forest)
        for _ in range(3):
            np.testing.assert_array_equal(copied.predict_proba(X), expected)
        assert bool(copied._sums._kept.packed) != beyond
