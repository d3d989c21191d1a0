"""The best and smallest trees as estimators: parameters, weights, costs, missing values, categories, warnings."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import assert_refuses, interrupted

from pytrees import (
    AggregatedFourierTreeClassifier,
    DecisionTreeClassifier,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    ReconstructedFourierTree,
    export_text,
    from_sklearn,
    minimal_tree,
    optimal_tree,
    to_sklearn,
)
from pytrees._engine import kernel
from pytrees.datasets import make_from_random_tree
from pytrees.trees import optimal_search


def samples(n=24, n_features=3, n_classes=2, n_values=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_values, (n, n_features)).astype(float), rng.integers(0, n_classes, n)


def words_and_numbers():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 20), "size": rng.integers(0, 3, 20) / 2})
    frame.loc[[3, 8], "colour"] = None
    frame.loc[[4, 9], "size"] = np.nan
    is_in = frame["colour"].isin(["red", "blue"]) | (frame["size"] > 0.5)
    return frame, np.where(is_in, "in", "out")


# ------------------------------------------------------------------------------------------------------ like the others


def test_the_function_and_the_estimator_find_the_same(engine):
    X, y = samples()
    found, tree = optimal_tree(X, y, max_depth=2), OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert tree.tree_ == found.tree
    assert (tree.n_errors_, tree.cost_, tree.lower_bound_) == (found.n_errors, found.objective, found.lower_bound)
    assert tree.n_subproblems_ == found.n_subproblems
    smallest = minimal_tree(X[:12], np.unique(X[:12], axis=0, return_inverse=True)[1] % 2)
    smallest_estimator = MinimalTreeClassifier().fit(X[:12], np.unique(X[:12], axis=0, return_inverse=True)[1] % 2)
    assert smallest_estimator.tree_ == smallest.tree
    assert smallest_estimator.lower_bound_ == smallest.lower_bound
    # Only estimators take missing values in prediction, even if they saw none.
    assert (tree.tree_.takes_missing, found.tree.takes_missing) == (True, False)


def test_the_default_is_three_levels(engine):
    X, y = samples(14, 2)
    tree = OptimalTreeClassifier().fit(X, y)
    assert tree.get_depth() <= 3
    assert tree.tree_ == OptimalTreeClassifier(max_depth=3).fit(X, y).tree_


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier(max_depth=2), MinimalTreeClassifier()])
def test_words_frames_copies_and_exports(engine, estimator):
    frame, y = words_and_numbers()
    estimator = clone(estimator).set_params(categorical_features=["colour"]).fit(frame, y)
    assert estimator.classes_.tolist() == ["in", "out"]
    assert estimator.feature_names_in_.tolist() == ["colour", "size"]
    assert estimator.score(frame, y) == 1.0
    text = export_text(estimator)
    assert "colour in" in text
    assert "or missing" in text
    copy = pickle.loads(pickle.dumps(estimator))
    assert copy.tree_ == estimator.tree_
    np.testing.assert_array_equal(copy.predict_proba(frame), estimator.predict_proba(frame))
    assert (estimator.predict_proba(frame).argmax(axis=1) == (y == "out")).all()
    unseen = pd.DataFrame({"colour": ["violet"], "size": [0.0]})
    assert_refuses(ValueError, "unknown categories in column 0", estimator.predict, unseen)
    assert estimator.set_params(handle_unknown="majority").predict(unseen)[0] in ("in", "out")


def test_ordered_categories_are_numbers(engine):
    sizes = pd.Categorical(list("MSLSML"), categories=["S", "M", "L"], ordered=True)
    tree = OptimalTreeClassifier(max_depth=2, categorical_features="from_dtype").fit(
        pd.DataFrame({"size": sizes}), [1, 0, 0, 0, 1, 0]
    )
    assert tree.n_errors_ == 0
    assert not tree.tree_.is_multiway
    assert sorted(tree.tree_.threshold.tolist()) == [-2, -2, -2, 0.5, 1.5]


@pytest.mark.parametrize("options", [{}, {"cost_matrix": [[0, 1, 1], [7, 0, 7], [1, 2, 0]]}])
def test_scikit_learn_predicts_alike(engine, options):
    X, y = samples(20, n_classes=3)
    estimator = OptimalTreeClassifier(max_depth=2, **options).fit(X, y)
    for theirs in (estimator.to_sklearn(), to_sklearn(estimator)):
        np.testing.assert_array_equal(theirs.predict(X), estimator.predict(X))
        np.testing.assert_allclose(theirs.predict_proba(X), estimator.predict_proba(X), rtol=1e-15)
    back = from_sklearn(estimator.to_sklearn())
    np.testing.assert_array_equal(back.predict(X), estimator.predict(X))


def test_the_fourier_algebra_takes_them(engine):
    X, y = samples(16, 2, n_values=3)
    best = OptimalTreeClassifier(max_depth=2)
    rebuilt = ReconstructedFourierTree(best).fit(X, y)
    np.testing.assert_array_equal(rebuilt.predict(X), best.fit(X, y).predict(X))
    aggregated = AggregatedFourierTreeClassifier(best, n_estimators=2, random_state=0).fit(X, y)
    assert aggregated.predict(X).shape == (16,)


def test_pipelines_searches_and_cross_validation(engine):
    X, y = samples(18, 2)
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=2))
    assert pipeline.fit(X, y).score(X, y) == 1 - optimal_tree(X, y, max_depth=2).n_errors / 18
    grid = {"optimaltreeclassifier__max_depth": [1, 2], "optimaltreeclassifier__min_samples_leaf": [1, 4]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.best_estimator_.score(X, y) > 0.5
    assert cross_val_score(OptimalTreeClassifier(max_leaf_nodes=2), X, y, cv=3).shape == (3,)


def test_weights_are_routed(engine):
    X, y = samples(18, 2)
    estimator = OptimalTreeClassifier(max_depth=1)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(estimator, {"min_samples_leaf": [1]}, cv=2).fit(X, y, sample_weight=np.arange(1.0, 19.0))
    assert search.best_estimator_.tree_.value[0].sum() == np.arange(19).sum()


def test_one_class_one_sample_and_constant_features(engine):
    for X, y in (
        ([[1.0], [1.0]], [0, 1]),
        ([[0.0], [1.0]], ["a", "a"]),
        ([[0.0]], [0]),
        ([[np.nan], [np.nan]], [0, 1]),
    ):
        tree = OptimalTreeClassifier(cost_matrix="absolute").fit(X, y)
        assert tree.get_n_leaves() == 1
        assert tree.is_proven_
        assert tree.n_errors_ == len(set(y)) - 1


# -------------------------------------------------------------------------------------------------------------- weights


def test_weights_of_classes_and_of_samples(engine):
    X, y = samples(n_classes=3)
    by_class = OptimalTreeClassifier(max_depth=2, class_weight={0: 1, 1: 3, 2: 0.5}).fit(X, y)
    by_sample = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=np.array([1, 3, 0.5])[y])
    assert by_class.tree_ == by_sample.tree_
    assert by_class.cost_ == by_sample.cost_
    balanced = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y)
    weights = len(y) / (3 * np.bincount(y))
    wrong = weights[y[balanced.predict(X) != y]].sum() / weights[y].sum()
    assert balanced.cost_ == pytest.approx(wrong, rel=1e-12)
    assert balanced.tree_.value[0] == pytest.approx(np.full(3, len(y) / 3))


def test_samples_of_weight_zero_are_left_out(engine):
    X, y = samples()
    weights = np.tile([0.0, 2.0, 1.0], 8)
    for estimator in (OptimalTreeClassifier(max_depth=2), MinimalTreeClassifier()):
        if isinstance(estimator, MinimalTreeClassifier):
            y = np.unique(X, axis=0, return_inverse=True)[1] % 2
            y[weights == 0] = 1 - y[weights == 0]  # else equal samples have different labels
        some = weights > 0
        fitted = clone(estimator).fit(X, y, sample_weight=weights)
        others = clone(estimator).fit(X[some], y[some], sample_weight=weights[some])
        assert fitted.tree_ == others.tree_
        assert fitted.tree_.value[0].sum() == weights.sum()


def test_categories_of_weight_zero_are_forgotten(engine):
    X = [["a"], ["b"], ["c"], ["d"]]
    tree = OptimalTreeClassifier(max_depth=1, categorical_features=[0]).fit(X, [0, 1, 0, 1], sample_weight=[1, 1, 1, 0])
    assert tree.categories_[0].tolist() == ["a", "b", "c"]
    assert tree.n_errors_ == 0


def test_the_smallest_leaf_counts_samples(engine):
    X, y = np.arange(6.0).reshape(-1, 1), [0, 1, 1, 1, 1, 1]
    weights = [10, 1, 1, 1, 1, 1]
    tree = OptimalTreeClassifier(min_samples_leaf=2).fit(X, y, sample_weight=weights)
    assert tree.tree_.n_node_samples.min() == 2
    assert OptimalTreeClassifier(min_samples_leaf=4).fit(X, y).get_n_leaves() == 1
    assert OptimalTreeClassifier(min_samples_leaf=0.5).fit(X, y).tree_.n_node_samples.min() >= 3
    assert OptimalTreeClassifier(min_samples_leaf=2**70).fit(X, y).get_n_leaves() == 1


# ---------------------------------------------------------------------------------------------------------------- costs


def test_a_leaf_predicts_the_class_that_costs_least(engine):
    X, y = [[0.0]] * 5, [0, 0, 0, 1, 2]
    tree = OptimalTreeClassifier(cost_matrix=[[0, 1, 1], [9, 0, 1], [1, 1, 0]]).fit(X, y)
    assert tree.predict([[0.0]]).tolist() == [1]  # 0 costs 9 + 1, 1 costs 3 + 1, 2 costs 3 + 1
    assert tree.cost_ == 4 / 5
    assert tree.n_errors_ == 4
    np.testing.assert_allclose(tree.predict_proba([[0.0]]), [[0.2, 0.6, 0.2]])
    assert tree.tree_.value.tolist() == [[3.0, 1.0, 1.0]]
    assert tree.tree_.majority.tolist() == [1]
    assert "class 1" in export_text(tree)


def test_a_class_that_costs_least_is_predicted_in_spite_of_ties(engine):
    X, y = [[0.0]] * 4, [0, 0, 1, 1]
    tree = OptimalTreeClassifier(cost_matrix=[[0, 1], [2, 0]]).fit(X, y)
    assert tree.predict([[0.0]]).tolist() == [1]
    proba = tree.predict_proba([[0.0]])
    assert proba.argmax() == 1
    np.testing.assert_allclose(proba, [[0.5, 0.5]], rtol=1e-15)
    # Both 0 and 1 have the greatest share; 2 costs least.
    costs = [[0, 9, 1], [9, 0, 1], [1, 1, 0]]
    tree = OptimalTreeClassifier(cost_matrix=costs).fit([[0.0]] * 5, [0, 0, 1, 1, 2])
    assert tree.predict([[0.0]]).tolist() == [2]
    assert tree.predict_proba([[0.0]]).argmax() == 2


def test_the_absolute_error_of_ordered_classes(engine):
    X, y = samples(14, 2, n_classes=4)
    absolute = OptimalTreeClassifier(max_depth=2, cost_matrix="absolute").fit(X, y)
    explicit = OptimalTreeClassifier(max_depth=2, cost_matrix=abs(np.arange(4)[:, np.newaxis] - np.arange(4))).fit(X, y)
    assert absolute.tree_ == explicit.tree_
    assert absolute.cost_ == explicit.cost_ == pytest.approx(np.abs(absolute.predict(X) - y).mean())


def test_the_absolute_error_takes_the_order_of_an_ordered_categorical(engine):
    X, y = samples(20, 2, n_classes=3)
    words = np.array(["low", "mid", "high"])[y]
    grades = pd.Series(pd.Categorical(words, categories=["low", "mid", "high", "never"], ordered=True))
    by_numbers = OptimalTreeClassifier(max_depth=2, cost_matrix="absolute", class_weight="balanced").fit(X, y)
    by_grades = clone(by_numbers).fit(X, grades)
    assert by_grades.tree_ == by_numbers.tree_
    assert by_grades.classes_.tolist() == ["low", "mid", "high"]
    assert by_grades.cost_ == by_numbers.cost_
    with pytest.warns(UserWarning, match="The classes are words, in the alphabet's order: 'high', 'low', 'mid'"):
        by_words = clone(by_numbers).fit(X, words)
    assert by_words.classes_.tolist() == ["high", "low", "mid"]
    assert OptimalTreeClassifier(max_depth=1).fit(X, words).classes_.tolist() == ["high", "low", "mid"]


def test_costs_of_classes_act_as_their_weights(engine):
    X, y = samples(n_classes=3)
    costs = np.array([[0, 2, 2], [0.5, 0, 0.5], [1, 1, 0]])
    by_costs = OptimalTreeClassifier(max_depth=2, cost_matrix=costs).fit(X, y)
    by_weights = OptimalTreeClassifier(max_depth=2, class_weight={0: 2, 1: 0.5, 2: 1}).fit(X, y)
    np.testing.assert_array_equal(by_costs.predict(X), by_weights.predict(X))
    for name in ("feature", "threshold"):
        np.testing.assert_array_equal(getattr(by_costs.tree_, name), getattr(by_weights.tree_, name))
    assert by_costs.cost_ == pytest.approx(by_weights.cost_ * np.array([2, 0.5, 1])[y].mean())


def test_gains_are_what_subtrees_save(engine):
    X, y = samples(n_classes=3)
    costs = np.array([[0, 1, 2.5], [1, 0, 1], [2, 1, 0]])
    tree = OptimalTreeClassifier(max_depth=2, cost_matrix=costs).fit(X, y).tree_
    of_leaf = (tree.value @ costs).min(axis=1)
    leaves = tree.children_left == -1
    assert tree.gain[0] == pytest.approx(of_leaf[0] - of_leaf[leaves].sum())
    assert (tree.gain[leaves] == 0).all()
    assert (tree.gain[~leaves] > 0).all()


# ------------------------------------------------------------------------------------------- missing values, categories


def test_missing_values_go_where_they_cost_least(engine):
    X, y = [[0.0], [1.0], [np.nan], [np.nan], [2.0]], [0, 1, 0, 0, 1]
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert tree.n_errors_ == 0
    assert tree.tree_.missing_go_to_left[0] == 1
    assert tree.tree_.threshold[0] == 0.5
    tree = OptimalTreeClassifier(max_depth=1).fit(X, [1, 1, 0, 0, 1])
    assert (tree.n_errors_, tree.tree_.threshold[0], tree.tree_.missing_go_to_left[0]) == (0, np.inf, 0)
    assert tree.predict([[5.0], [np.nan]]).tolist() == [1, 0]


def test_missing_values_that_training_lacks_go_to_the_child_of_more_weight(engine):
    X, y = [[0.0], [1.0], [2.0]], [0, 0, 1]
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert tree.predict([[np.nan]]).tolist() == [0]
    assert not tree.tree_.saw_missing.any()
    weighted = OptimalTreeClassifier(max_depth=1).fit(X, y, sample_weight=[1, 1, 5])
    assert weighted.predict([[np.nan]]).tolist() == [1]


def test_categories_that_a_node_lacks_stay_there(engine):
    """The best tree asks for the number first: its sides need other sets."""
    X = [["a", 0], ["b", 0], ["b", 1], ["c", 0], ["c", 1], ["d", 1], ["g", 0], ["g", 1], ["h", 0], ["h", 1]]
    y = [0, 1, 0, 0, 1, 1, 0, 0, 1, 1]
    tree = OptimalTreeClassifier(max_depth=2, categorical_features=[0]).fit(X, y)
    by_set = DecisionTreeClassifier(max_depth=2, categorical_features=[0], categorical_split="subset").fit(X, y)
    for arrays in (tree.tree_, by_set.tree_):  # the nodes are written in the same way
        for node in np.flatnonzero(arrays.children_left == -2).tolist():
            sets = [arrays.categories_of(child).tolist() for child in arrays.children_of(node)]
            assert len(sets) == 2
            assert sets == sorted(sets)
    assert (tree.n_errors_, tree.tree_.feature[0]) == (0, 1)
    leaves = tree.apply([["d", 0], ["a", 1]])
    assert (tree.tree_.children_left[leaves] == -2).all()
    assert tree.predict([["d", 0], ["a", 1]]).tolist() == [0, 1]


def test_too_many_categories_are_refused_by_name(engine):
    frame = pd.DataFrame({"size": range(11), "letter": list("abcdefghijk")})
    for estimator in (OptimalTreeClassifier, MinimalTreeClassifier):
        message = rf"11 categories in column 1 \('letter'\)\. {estimator.__name__} .* at most 10 categories"
        assert_refuses(ValueError, message, estimator(categorical_features=["letter"]).fit, frame, [0, 1] * 5 + [0])
    tree = OptimalTreeClassifier(max_depth=1, categorical_features=["letter"]).fit(frame[:10], [0, 1] * 5)
    assert tree.n_errors_ == 0


# -------------------------------------------------------------------------------------------------- limits and warnings


def test_the_best_roots_are_counted_if_asked(engine):
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [0, 1, 1]
    tree = OptimalTreeClassifier(max_depth=1, count_best_roots=True).fit(X, y)
    assert tree.n_best_roots_ == 2
    tree.set_params(count_best_roots=False).fit(X, y)
    assert not hasattr(tree, "n_best_roots_")
    with pytest.warns(ConvergenceWarning):
        tree.set_params(count_best_roots=True, time_limit=0.0, max_depth=2).fit(*samples())
    assert tree.n_best_roots_ is None


def test_no_time_gives_the_grown_tree_and_a_warning(engine):
    X, y = samples(60, n_classes=3)
    X[::7, 0] = np.nan
    given = {"max_depth": 3, "min_samples_leaf": 4, "cost_matrix": "absolute"}
    estimator = OptimalTreeClassifier(**given, time_limit=0.0)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.0 leaves no time") as warned:
        estimator.fit(X, y, sample_weight=1 + np.arange(60) % 3)
    assert not estimator.is_proven_
    assert estimator.lower_bound_ < estimator.cost_
    assert estimator.get_depth() <= 3
    assert estimator.tree_.n_node_samples.min() >= 4
    weights = 1 + np.arange(60) % 3
    assert estimator.cost_ == pytest.approx((weights * np.abs(estimator.predict(X) - y)).sum() / weights.sum())
    assert f"no tree within the limits is below {estimator.lower_bound_:.6g}" in str(warned[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the compiled engine may prove it at once
        minimal = MinimalTreeClassifier(time_limit=0.0).fit(X[:9], np.arange(9) % 2)
    assert minimal.score(X[:9], np.arange(9) % 2) == 1.0
    assert minimal.lower_bound_ <= minimal.tree_.node_count
    assert set(minimal.tree_.gain.tolist()) == {0.0, 1.0}


def test_a_search_that_ends_with_its_time_warns_and_one_that_ends_with_its_gap_does_not():
    X, y, _ = make_from_random_tree(1_000, 10, 3, 41, random_state=0)
    for estimator in (OptimalTreeClassifier(max_depth=5, time_limit=0.3), MinimalTreeClassifier(time_limit=0.3)):
        with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.3 ended the search: the tree kept") as warned:
            estimator.fit(X[:200, :5], np.arange(200) % 3)
        assert len(warned) == 1
        assert warned[0].filename == __file__
        assert not estimator.is_proven_
    near = OptimalTreeClassifier(max_depth=3, max_gap=1.0, time_limit=60.0).fit(X, y)
    assert not near.is_proven_


def kernel_that(answers):
    """Return a function in the place of `kernel` whose cheapest tree is found by a function of the arguments."""

    def stand_in(name):
        return (lambda *args, **options: answers(kernel(name), *args, **options)) if name == "cheapest_tree" else None

    return stand_in


@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_depth": None, "alpha": 0.03}, {"max_leaf_nodes": 4}])
def test_threads_fit_the_same_tree(limits):
    """Words, missing values, weights and costs of three classes reach the threads too."""
    frame, _ = words_and_numbers()
    frame = pd.concat([frame] * 3, ignore_index=True)
    rng = np.random.default_rng(0)
    y, weights = rng.choice(["a", "b", "c"], len(frame)), rng.random(len(frame))
    costs = [[0, 1, 2], [1, 0, 1], [3, 1, 0]]
    tree = OptimalTreeClassifier(**limits, cost_matrix=costs, categorical_features=["colour"], count_best_roots=True)
    alone, together = (
        clone(tree).set_params(n_jobs=n_jobs).fit(frame, y, sample_weight=weights) for n_jobs in (None, 2)
    )
    assert together.tree_ == alone.tree_
    assert (together.cost_, together.lower_bound_, together.n_best_roots_) == (
        alone.cost_,
        alone.lower_bound_,
        alone.n_best_roots_,
    )
    assert together.is_proven_


@pytest.mark.parametrize("event", ["Ctrl-C", "A lack of memory"])
def test_an_early_end_warns_and_keeps_a_tree(engine, monkeypatch, event):
    X, y = samples(20, n_classes=2)

    def interrupt(search, *args, **options):
        return None, 0, 0, 5, -1, event

    monkeypatch.setattr(optimal_search, "kernel", kernel_that(interrupt))
    with pytest.warns(ConvergenceWarning, match=rf"{event} ended the search: the tree kept .*objective 0\.\d+;"):
        tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert not tree.is_proven_
    assert tree.lower_bound_ == 0.0
    assert tree.n_errors_ == round(tree.cost_ * 20)
    with pytest.warns(ConvergenceWarning, match=f"{event} ended"):
        assert not optimal_tree(X, y, max_depth=2).is_proven

    def interrupt_late(search, *args, **options):
        return *search(*args, **options)[:-1], event

    monkeypatch.setattr(optimal_search, "kernel", kernel_that(interrupt_late))
    with pytest.warns(ConvergenceWarning, match=f"{event} ended the search: the tree found by then is the best one"):
        assert OptimalTreeClassifier(max_depth=2).fit(X, y).is_proven_


def test_ctrl_c_ends_a_fit(engine):
    n, depth = (60, 3) if engine == "reference" else (2_000, 6)
    X, y, _ = make_from_random_tree(n, 10, 3, 41, random_state=0)
    y = np.random.default_rng(0).permutation(y) if engine == "reference" else y
    estimator = OptimalTreeClassifier(max_depth=depth)
    with interrupted(warned=ConvergenceWarning):
        estimator.fit(X, y)
    assert 0 <= estimator.lower_bound_ < estimator.cost_ == estimator.n_errors_ / n
    assert estimator.get_depth() <= depth


def test_a_tree_too_deep_is_an_error_and_nothing_is_lost(engine, monkeypatch):
    X, y = samples(12)
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    before = dict(vars(tree))
    monkeypatch.setattr(optimal_search, "kernel", kernel_that(lambda *_, **__: (None, 0, 0, 1, -1, False)))
    assert_refuses(ValueError, "too deep to be searched for: use max_depth", tree.fit, X[:, :2], y)
    assert vars(tree) == before
    with pytest.warns(ConvergenceWarning, match="The depth of the trees ended the search: the tree kept is"):
        assert not tree.set_params(time_limit=60.0).fit(X, y).is_proven_


def test_reports_are_printed_a_line_a_second(engine, monkeypatch, capsys):
    X, y = samples(20)

    def search_and_tell(search, *args, report, **options):
        if report is not None:
            report(None, 1)
            report(8, 3)
        return search(*args, **options)

    monkeypatch.setattr(optimal_search, "kernel", kernel_that(search_and_tell))
    tree = OptimalTreeClassifier(max_depth=2, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    told = [re.fullmatch(r"\d+\.\d s: objective (.+), bound (.+)", line).groups() for line in lines]
    assert told == [("none", "0.05"), ("0.4", "0.15"), (f"{tree.cost_:.6g}", f"{tree.cost_:.6g}")]
    OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert capsys.readouterr().out == ""


def test_a_gap_reaches_the_kernel_as_a_whole_cost(engine, monkeypatch):
    X, y = samples(20)
    told = []

    def search_and_note(search, *args, gap, **options):
        told.append(gap)
        return search(*args, **options)

    monkeypatch.setattr(optimal_search, "kernel", kernel_that(search_and_note))
    for max_gap in (0.0, 0.04, 0.05, 0.16, 1e300):
        OptimalTreeClassifier(max_depth=1, max_gap=max_gap).fit(X, y)
    assert told == [0, 0, 1, 3, 2**62]


def test_a_gap_bounds_the_distance_to_the_best_tree(engine):
    X, y = samples(16, 2)
    best = OptimalTreeClassifier(max_depth=2).fit(X, y)
    near = OptimalTreeClassifier(max_depth=2, max_gap=0.2).fit(X, y)
    assert near.lower_bound_ <= best.cost_ <= near.cost_ <= near.lower_bound_ + 0.2
    assert near.is_proven_ == (near.lower_bound_ == near.cost_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": None}, "needs max_depth, max_leaf_nodes or alpha; MinimalTreeClassifier"),
        ({"max_depth": 0}, "'max_depth' parameter"),
        ({"max_leaf_nodes": 1}, "'max_leaf_nodes' parameter"),
        ({"alpha": -0.1}, "'alpha' parameter"),
        ({"alpha": np.nan}, "'alpha' parameter"),
        ({"alpha": np.inf}, "'alpha' parameter"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter"),
        ({"min_samples_leaf": 1.0}, "'min_samples_leaf' parameter"),
        ({"max_gap": -1.0}, "'max_gap' parameter"),
        ({"time_limit": -1}, "'time_limit' parameter"),
        ({"time_limit": np.nan}, "'time_limit' parameter"),
        ({"memory_limit": -1}, "'memory_limit' parameter"),
        ({"memory_limit": None}, "'memory_limit' parameter"),
        ({"count_best_roots": "yes"}, "'count_best_roots' parameter"),
        ({"cost_matrix": "squared"}, "'cost_matrix' parameter"),
        ({"cost_matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, "costs of 3 classes for 2 classes"),
        ({"cost_matrix": [[0, 1], [-1, 0]]}, "must not be negative"),
        ({"cost_matrix": [[0, 1], [1, 1]]}, "zero on the diagonal: a sample that is right"),
        ({"cost_matrix": [[0, np.nan], [1, 0]]}, "cost_matrix contains NaN"),
        ({"cost_matrix": [[0, np.inf], [1, 0]]}, "cost_matrix contains infinity"),
        ({"cost_matrix": [[0, 1e18], [0.3, 0]]}, r"from 0\.3 to 1e\+18, lie too far apart"),
        ({"cost_matrix": [["a", "b"], ["c", "d"]]}, "cost_matrix must hold a number for every pair of classes"),
        ({"cost_matrix": [[0, 1], [1]]}, "cost_matrix must hold a number for every pair of classes"),
        ({"cost_matrix": [0, 1]}, "a row and a column for every class"),
        ({"categorical_features": [1]}, "categorical_features holds 1"),
        ({"class_weight": "even"}, "'class_weight' parameter"),
    ],
)
def test_bad_parameters(engine, options, message):
    assert_refuses(ValueError, message, OptimalTreeClassifier(**options).fit, [[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier(), MinimalTreeClassifier()])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"X": [[0.0], [np.inf]]}, "infinity in column 0"),
        ({"y": [0, 1, 1]}, "inconsistent"),
        ({"y": [0.5, 1.2]}, "Unknown label type.*DecisionTreeRegressor"),
        ({"sample_weight": [1.0, -1.0]}, "Negative values in data"),
        ({"sample_weight": [0.0, 0.0]}, "non-zero"),
        ({"sample_weight": [1.0]}, "sample_weight"),
        ({"X": [["a"], ["b"]]}, "name this column in categorical_features"),
        ({"X": pd.DataFrame({"a": ["b", "c"]}, dtype="category")}, "by categorical_features='from_dtype'"),
    ],
)
def test_bad_input(engine, estimator, data, message):
    assert_refuses(ValueError, message, clone(estimator).fit, **{"X": [[0.0], [1.0]], "y": [0, 1]} | data)
    assert_refuses(NotFittedError, None, clone(estimator).predict, [[0.0]])


def test_equal_samples_of_different_classes_have_no_consistent_tree(engine):
    for X in ([[0.0], [0.0]], [[np.nan], [np.nan]]):
        assert_refuses(ValueError, "no consistent tree", MinimalTreeClassifier().fit, X, [0, 1])
        assert MinimalTreeClassifier().fit(X, [0, 1], sample_weight=[1, 0]).get_n_leaves() == 1
    with pytest.raises(ValueError, match="no consistent tree"):
        MinimalTreeClassifier(categorical_features=[0]).fit([["a"], ["a"]], [0, 1])
