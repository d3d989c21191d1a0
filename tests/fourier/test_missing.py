"""Missing values in the functions of trees: they go as in the model, on both engines, and have codes."""

import pickle
import sqlite3
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fourier_samples import (
    CLOSE,
    SEEDS,
    last_of_two,
    random_cardinalities,
    random_tree,
    random_trees,
    shapley_by_definition,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor
from sklearn.tree import ExtraTreeClassifier
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    ID3Classifier,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    ReconstructedFourierTree,
    Tree,
    export_dict,
    export_sql,
    export_text,
    leaf_rules,
    plot_tree,
)
from pytrees._engine import kernel
from pytrees.fourier import (
    FourierSpectrum,
    ModelStream,
    additive_model,
    anova_effects,
    distil,
    gram,
    merge,
    model_distance,
    ordinal_codes,
    partial_dependence,
    schema_average,
    shapley_values,
    sobol_indices,
    tree_from_ensemble,
)
from pytrees.fourier.boxes import CodedTree, Coding, Leaves

NAN = np.nan


def numbers(seed, n_samples=40, n_features=4, share=0.25):
    """Draw numbers with gaps; the last column lacks all values, and the values of the second tell the class."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n_samples, n_features)) / 2.0
    y = ((X[:, 0] > 1) ^ (X[:, 1] > rng.integers(0, 3))).astype(int)
    y[rng.random(n_samples) < 0.1] = 0
    X[rng.random(X.shape) < share] = NAN
    X[(y == 1) & (rng.random(n_samples) < 0.5), 2] = NAN
    X[:, -1] = NAN
    y[:2] = 0, 1
    return X, y


def new_samples(X, seed=0):
    """Return the samples, samples of other values and gaps, and one that lacks all values."""
    rng = np.random.default_rng(seed)
    others = rng.normal(size=X.shape)
    others[rng.random(X.shape) < 0.4] = NAN
    return np.vstack([X, others, np.full((1, X.shape[1]), NAN)])


def categories(seed, n_samples=40):
    """Draw a feature of categories, some of them missing, and two of numbers."""
    rng = np.random.default_rng(seed)
    words = np.array(["red", "green", "blue", None], dtype=object)
    X = np.empty((n_samples, 3), dtype=object)
    X[:, 0] = words[rng.integers(0, 4, n_samples)]
    X[:, 1:] = np.where(rng.random((n_samples, 2)) < 0.2, NAN, rng.integers(0, 5, (n_samples, 2)))
    y = np.array([word in ("red", None) for word in X[:, 0]]) ^ (rng.random(n_samples) < 0.2)
    y[:2] = False, True
    return pd.DataFrame(X, columns=["colour", "size", "age"]).astype({"size": float, "age": float}), y.astype(int)


def predicted(model, X):
    """Return what a model predicts, as its additive model has it."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X).reshape(len(X), -1)
    if hasattr(model, "predict_proba"):
        return last_of_two(model.predict_proba(X))
    return model.predict(X).reshape(len(X), -1)


def check(model, X, rows, atol=1e-15):
    """Compare the sum with the model, and its trees on codes and decoded trees with the sum."""
    expected = predicted(model, rows)
    np.testing.assert_allclose(additive_model(model).evaluate(rows), expected, rtol=1e-14, atol=atol)
    coded = additive_model(model, missing=pd.DataFrame(rows).isna().any().to_numpy())
    np.testing.assert_allclose(coded.evaluate(rows), expected, rtol=1e-14, atol=atol)
    C = coded.codes.transform(rows)
    assert C.min() >= 0
    assert (coded.cardinalities > C).all()
    total = sum(values[tree.apply(C)] for tree, values in zip(coded.codes.trees, coded.values, strict=True))
    np.testing.assert_allclose(total / coded.n_averaged + coded.baseline, expected, rtol=1e-14, atol=atol)
    plain = coded.codes._numbers(rows)
    for tree in coded.codes.trees:
        decoded = coded.codes.decode(tree)
        np.testing.assert_array_equal(decoded.apply(plain), tree.apply(C))
        assert Tree.from_dict(export_dict(decoded)) == decoded, "exports tell all ways"
        assert pickle.loads(pickle.dumps(tree)) == tree
    again = merge([coded])
    np.testing.assert_allclose(again.evaluate(rows), expected, rtol=1e-13, atol=1e-13)
    return coded


# ------------------------------------------------------------------------------------------------------------ our trees

OWN = {
    "tree": DecisionTreeClassifier(),
    "small tree": DecisionTreeClassifier(criterion="entropy", max_depth=2),
    "best-first": DecisionTreeClassifier(max_leaf_nodes=4),
    "forest": DecisionForestClassifier(4, random_state=0),
    "permutation": PermutationDecisionForestClassifier(3, random_state=0),
    "ordinal": OrdinalDecisionForestClassifier(3, random_state=0),
    "ID3": ID3Classifier("accuracy"),
    "optimal": OptimalTreeClassifier(max_depth=2),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=3), 3, max_features=0.7, random_state=0),
    "tree of numbers": DecisionTreeRegressor(max_depth=3),
    "forest of numbers": DecisionForestRegressor(3, random_state=0),
}


@pytest.mark.filterwarnings("ignore:Equal samples in X have different classes")
@pytest.mark.parametrize("name", OWN)
@examples(15)
@given(seed=SEEDS, share=st.sampled_from([0.0, 0.1, 0.5]))
def test_trees_of_numbers_follow_their_model(name, seed, share):
    X, y = numbers(seed, share=share)
    model = OWN[name].fit(X, y)
    coded = check(model, X, new_samples(X, seed))
    assert not coded.codes.has_missing[-1], "no tree splits a column without values"
    assert coded.cardinalities[-1] == 1


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(categorical_features=["colour"]),
        DecisionForestClassifier(3, categorical_features=["colour"], random_state=0),
        DecisionForestClassifier(3, categorical_features=[0], categorical_split="multiway", random_state=0),
        DecisionForestRegressor(3, categorical_features=["colour"], random_state=0),
    ],
    ids=repr,
)
@examples(25)
@given(seed=SEEDS)
def test_trees_of_categories_follow_their_model(model, seed):
    X, y = categories(seed)
    model.fit(X, y)
    rows = pd.concat([X, X.sample(frac=1.0, random_state=0).assign(size=NAN), X.assign(colour=None, age=NAN)])
    coded = check(model, X, rows)
    assert coded.codes.categories[0].tolist()[:-1] == sorted(set(X["colour"].dropna()))
    assert not coded.codes.has_missing[0], "a missing category is a category"


def test_categories_of_several_trees_have_the_missing_one_last():
    X, y = categories(1)
    full = X.assign(colour=X["colour"].fillna("grey"))
    given = {"categorical_features": ["colour"], "handle_unknown": "majority"}
    trees = [DecisionTreeClassifier(**given).fit(one, y) for one in (X, full)]
    codes = ordinal_codes(trees)
    assert codes.categories[0].tolist()[:4] == ["blue", "green", "grey", "red"]
    assert len(codes.categories[0]) == 5
    C = codes.transform(X.to_numpy())
    assert set(C[X["colour"].isna(), 0]) == {4}
    for tree, own in zip(codes.trees, trees, strict=True):
        np.testing.assert_array_equal(tree.apply(C), own.apply(X))
    numbered = [DecisionTreeClassifier(categorical_features=[0]).fit(np.array(one)[:, None], [0, 1, 0, 1])
                for one in ([1.0, 2, NAN, 1], [1.0, 3, 5, 3])]  # fmt: skip
    np.testing.assert_array_equal(ordinal_codes(numbered).categories[0], [1, 2, 3, 5, NAN])


def test_codes_and_thresholds_of_a_feature_with_gaps(engine):
    X = np.array([[0.0], [2], [4], [NAN]])
    tree = DecisionTreeClassifier().fit(X, [0, 1, 1, 0])
    codes = ordinal_codes(tree)
    np.testing.assert_array_equal(codes.thresholds[0], [1, np.inf])
    assert (codes.cardinalities.tolist(), codes.has_missing.tolist(), codes.takes_missing) == ([3], [True], True)
    np.testing.assert_array_equal(codes.transform([[0.5], [1.5], [NAN]]), [[0], [1], [2]])
    np.testing.assert_array_equal(codes.number(X)[:, 0], [0, 1, 1, 2])
    assert gram([codes.trees[0]], [3])[0, 0] == pytest.approx(1 / 3)
    masses = [[0.5, 0.2, 0.3]]
    assert schema_average(codes.trees, {}, [3], measure=masses) == pytest.approx(0.2)
    assert schema_average(codes.trees, {0: 2}, [3]) == 0.0
    parted = DecisionTreeClassifier().fit(X, [0, 0, 0, 1])
    np.testing.assert_array_equal(parted.tree_.threshold, [np.inf, -2, -2])
    codes = ordinal_codes(parted)
    np.testing.assert_array_equal(codes.thresholds[0], [np.inf])
    np.testing.assert_array_equal(codes.trees[0].threshold, [0.5, -2, -2])
    assert codes.decode(codes.trees[0]) == Tree(*parted.tree_.__reduce__()[1][:11], missing_go_to_left=[0, 0, 0],
                                                saw_missing=[1, 0, 0])  # fmt: skip


def test_trees_on_codes_have_the_methods_of_trees():
    X, y = numbers(5)
    model = DecisionTreeClassifier().fit(X, y)
    codes = ordinal_codes(model)
    tree, C, own = codes.trees[0], codes.transform(X), model.tree_
    np.testing.assert_array_equal(tree.predict(C), own.predict(X))
    np.testing.assert_array_equal(tree.feature_usage(C), own.feature_usage(X))
    assert (tree.decision_path(C) != own.decision_path(X)).nnz == 0
    assert "or missing" in export_text(tree)


@examples(30)
@given(seed=SEEDS)
def test_features_that_lacked_nothing_in_training(seed):
    """Nodes that saw no missing value send them to the child of more weight, and features get codes on demand."""
    X, y = numbers(seed)
    full = np.nan_to_num(X)
    model = DecisionForestClassifier(3, random_state=0).fit(full, y)
    plain = additive_model(model)
    assert not plain.codes.has_missing.any()
    np.testing.assert_allclose(plain.evaluate(X), predicted(model, X), atol=1e-15)
    with pytest.raises(ValueError, match=r"NaN in column \d, but missing values of this feature have no code"):
        plain.codes.transform(X)
    coded = check(model, full, X)
    np.testing.assert_array_equal(coded.codes.transform(full), plain.codes.transform(full))
    measure = {"measure": "joint"}
    for given_model in (model, plain, coded):
        found = sobol_indices(given_model, X, **measure)
        assert found.mean == pytest.approx(predicted(model, X).mean())
    distance = model_distance(model, plain, X, **measure)
    assert distance.distance == pytest.approx(0.0, abs=1e-7)


# --------------------------------------------------------------------------------------------------------- other models

OTHERS = {
    "tree": SklearnTreeClassifier(),
    "random tree": ExtraTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, random_state=0),
    "bagging": BaggingClassifier(SklearnTreeClassifier(), 4, max_features=0.7, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2),
    "tree of numbers": SklearnTreeRegressor(max_depth=4),
    "forest of numbers": RandomForestRegressor(5, random_state=0),
    "bagging of numbers": BaggingRegressor(n_estimators=4, random_state=0),
    "boosting of numbers": HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=2),
}


@pytest.mark.parametrize("gaps", [True, False], ids=["with gaps", "complete"])
@pytest.mark.parametrize("name", OTHERS)
@examples(10)
@given(seed=SEEDS)
def test_models_of_scikit_learn_are_followed(name, gaps, seed):
    X, y = numbers(seed, n_samples=60)
    X[:3, -1] = 0, 1, 0.3
    model = OTHERS[name].fit(X if gaps else np.nan_to_num(X), y)
    check(model, X, new_samples(X, seed))
    if not hasattr(model, "_predictors") and not name.startswith("bagging"):
        codes = ordinal_codes(model, missing=np.ones(4, dtype=bool))
        rows = new_samples(X, seed)
        C = codes.transform(rows)
        for tree, one in zip(codes.trees, getattr(model, "estimators_", [model]), strict=True):
            np.testing.assert_array_equal(tree.apply(C), one.apply(rows))


@pytest.mark.parametrize("gaps", [True, False], ids=["with gaps", "complete"])
@pytest.mark.parametrize("seed", range(3))
def test_models_of_xgboost_and_lightgbm_are_followed(seed, gaps):
    pytest.importorskip("treelite")
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    X, y = numbers(seed, n_samples=120)
    X[:3, -1] = 0, 1, 0.3
    rows = np.vstack([new_samples(X - 1.0, seed), new_samples(X, seed)])
    train = X if gaps else np.nan_to_num(X)
    for shift in (0.0, 1.0):  # zeros at the thresholds, and negative numbers
        few = {"n_estimators": 6, "verbose": -1, "min_child_samples": 3}
        for options in ({}, {"use_missing": False}):
            light = lightgbm.LGBMClassifier(**few, **options).fit(train - shift, y)
            model = additive_model(light, missing=np.ones(4, dtype=bool))
            expected = light.predict(rows, raw_score=True)
            np.testing.assert_allclose(model.evaluate(rows)[:, 0], expected, atol=1e-13)
            values, C = model.arguments["values"], model.codes.transform(rows)
            total = sum(of_tree[tree.apply(C)] for of_tree, tree in zip(values, model.trees, strict=True))
            np.testing.assert_allclose(total[:, 0], expected, atol=1e-13)
        boosted = xgboost.XGBClassifier(n_estimators=6).fit(train - shift, y)
        found = additive_model(boosted).evaluate(rows)[:, 0]
        np.testing.assert_allclose(found, boosted.predict(rows, output_margin=True), atol=2e-6)


def test_only_values_that_are_known_or_not_count(engine):
    """A split that parts missing values from all others has the threshold infinity, whichever side they take."""
    X = np.array([[NAN, 0], [NAN, 1], [2, 0], [3, 1], [4, 0], [NAN, 0]] * 10)
    y = np.isnan(X[:, 0]).astype(int)
    for model in (
        SklearnTreeClassifier(),
        RandomForestClassifier(4, random_state=0),
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2),
        DecisionTreeClassifier(),
    ):
        found = additive_model(model.fit(X, y))
        assert found.codes.has_missing.tolist() == [True, False]
        np.testing.assert_array_equal(found.codes.thresholds[0][-1], np.inf)
        C = found.codes.transform(X)
        np.testing.assert_allclose(found.evaluate(X), predicted(model, X), rtol=1e-14)
        indices = sobol_indices(model, X)
        assert indices.first_order[0] == pytest.approx(1.0)
        mean = schema_average(found.trees, {0: C[0, 0]}, found.cardinalities, **found.arguments)
        np.testing.assert_allclose(mean, found.evaluate(X)[0], rtol=1e-14)


# ---------------------------------------------------------------------------------------------------- the algebra


def with_ways(rng, tree, cardinalities):
    """Return a tree on codes whose nodes send the last code of some features to the left."""
    missing = tuple((m, int(size) - 1) for m, size in enumerate(cardinalities) if size > 1 and rng.random() < 0.7)
    arrays = {
        name: getattr(tree, name)
        for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    }
    ways = np.where(tree.children_left >= 0, rng.integers(0, 2, tree.node_count), 0)
    given = {"n_features": tree.n_features, "missing_go_to_left": ways, "saw_missing": ways * 0}
    return CodedTree(**arrays, **given, coding=Coding(b"", missing))


def reached(tree, point):
    """Return the leaf of a point by the definition."""
    node, codes = 0, dict(tree.coding.missing)
    while tree.children_left[node] >= 0:
        m = tree.feature[node]
        goes_left = point[m] <= tree.threshold[node]
        if point[m] == codes.get(m):
            goes_left = tree.missing_go_to_left[node]
        node = (tree.children_left if goes_left else tree.children_right)[node]
    return node


@examples(100)
@given(seed=SEEDS)
def test_boxes_inner_products_and_spectra_by_enumeration(engine, seed):
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng)
    trees = [with_ways(rng, tree, cardinalities) for tree in random_trees(rng, cardinalities, 2)]
    coding = trees[0].coding
    trees[1] = CodedTree(*trees[1].__reduce__()[1][0], coding=coding)
    points = np.array(list(product(*map(range, cardinalities))))
    ends = np.array([[reached(tree, point) for point in points] for tree in trees])
    for tree, of_tree in zip(trees, ends, strict=True):
        np.testing.assert_array_equal(tree.apply(points), of_tree)
    values = [rng.normal(size=tree.node_count) for tree in trees]
    at = np.array([of_tree[end] for of_tree, end in zip(values, ends, strict=True)])
    found = gram(trees, cardinalities, values=values)
    np.testing.assert_allclose(found, at @ at.T / len(points), **CLOSE)
    joint = gram(trees, cardinalities, values=values, measure="joint", X=points)
    np.testing.assert_allclose(joint, found, **CLOSE)
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, values=values, weights=[1.0, 1.0])
    np.testing.assert_allclose(spectrum.evaluate(points), at.sum(axis=0), **CLOSE)
    rebuilt = tree_from_ensemble(trees, cardinalities, values=values, weights=[1.0, 1.0], criterion="variance")
    np.testing.assert_allclose(rebuilt.evaluate(points)[:, 0], at.sum(axis=0), **CLOSE)
    assert rebuilt.tree.coding == coding


@examples(100)
@given(seed=SEEDS)
def test_engines_find_equal_boxes(seed):
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng)
    tree = with_ways(rng, random_tree(rng, cardinalities), cardinalities)
    splits = tree.children_left, tree.children_right, tree.feature, tree.threshold
    compiled, twin = on_both_engines(
        lambda: kernel("leaf_boxes")(*splits, cardinalities, missing_left=tree.missing_left)
    )
    assert [part.tolist() for part in compiled] == [np.asarray(part).tolist() for part in twin]


def test_a_box_of_two_runs_and_one_of_neighbours(engine):
    """x <= 1 or missing, and below it x <= 0; with the missing ones beside the cut they make one run."""
    arrays = [1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, -2, -2, -2], [1.5, 0.5, -2, -2, -2], [1] * 5
    given = {"value": np.ones((5, 2)), "gain": np.zeros(5), "n_features": 1, "missing_go_to_left": [1, 0, 0, 0, 0]}
    found = Leaves([CodedTree(*arrays, **given, coding=Coding(b"", ((0, 3),)))], np.array([4])).boxes
    assert [part.tolist() for part in found] == [
        [0, 1, 2, 3], [0, 0, 0], [0, 1, 3, 4], [0, 1, 3, 2], [1, 2, 4, 3],
    ]  # fmt: skip
    given["missing_go_to_left"] = [1, 1, 0, 0, 0]
    found = Leaves([CodedTree(*arrays, **given, coding=Coding(b"", ((0, 2),)))], np.array([3])).boxes
    assert [part.tolist() for part in found] == [[0, 1, 2], [0, 0], [0, 2, 3], [0, 2, 1], [1, 3, 2]]


# -------------------------------------------------------------------------------------------------------- what is built


@pytest.mark.parametrize(
    "model",
    [
        DecisionForestClassifier(3, random_state=0),
        DecisionForestRegressor(3, random_state=0),
        RandomForestClassifier(3, random_state=0),
        HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("seed", range(3))
def test_shapley_values_by_their_definition(model, seed):
    X, y = numbers(seed, n_samples=50)
    X[:3, -1] = 0, 1, 0.3
    model.fit(X, y)
    rows, background = new_samples(X, seed)[45:55], X[:15]
    found = shapley_values(model, rows, background)
    expected = shapley_by_definition(lambda table: predicted(model, table), rows, background)
    np.testing.assert_allclose(found.values, expected[:, :, 0], **CLOSE)
    assert found.base_values == pytest.approx(predicted(model, background).mean())


def test_shapley_values_of_missing_categories():
    X, y = categories(3)
    model = DecisionForestClassifier(3, categorical_features=["colour"], random_state=0).fit(X, y)
    found = shapley_values(model, X)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, predicted(model, X)[:, 0], **CLOSE)


@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
def test_effects_have_a_value_for_missing_ones(engine, measure):
    X, y = numbers(7)
    model = DecisionForestClassifier(3, random_state=0).fit(X, y)
    given = {} if measure == "uniform" else {"X": X}
    codes = additive_model(model).codes
    tables = partial_dependence(model, **given, features=[0, (0, 2)], measure=measure)
    assert tables[0].shape == (codes.cardinalities[0],)
    assert tables[1].shape == (codes.cardinalities[0], codes.cardinalities[2])
    if measure == "joint":
        replaced = X.copy()
        replaced[:, 0] = NAN
        assert tables[0][-1] == pytest.approx(predicted(model, replaced).mean())
        replaced[:, 2] = NAN
        assert tables[1][-1, -1] == pytest.approx(predicted(model, replaced).mean())
    if measure != "joint":
        effects = anova_effects(model, **given, pairs=[(0, 1)], measure=measure)
        for effect in (0, (0, 1)):
            effects.plot(effect)
    indices = sobol_indices(model, **given, measure=measure)
    assert indices.total[0] > 0.0
    indices.plot()
    plt.close("all")


def test_frequencies_count_the_missing_values():
    X, y = numbers(8)
    model = DecisionForestClassifier(3, random_state=0).fit(X, y)
    additive = additive_model(model)
    C = additive.codes.transform(X)
    columns = zip(C.T, additive.cardinalities, strict=True)
    masses = [np.bincount(column, minlength=size) / len(C) for column, size in columns]
    assert masses[0][-1] == np.isnan(X[:, 0]).mean()
    found, expected = sobol_indices(model, X), sobol_indices(
        additive.trees, additive.cardinalities, measure=masses, **additive.arguments
    )  # fmt: skip
    np.testing.assert_allclose(found.total, expected.total, **CLOSE)


DISTILLED = [
    DecisionForestClassifier(5, random_state=0),
    RandomForestClassifier(5, random_state=0),
    HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2),
]


@pytest.mark.parametrize("model", DISTILLED, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
@examples(8)
@given(seed=SEEDS)
def test_distilled_trees_send_missing_values_as_their_codes(model, measure, seed):
    X, y = numbers(seed, n_samples=60)
    X[:3, -1] = 0, 1, 0.3
    model.fit(X, y)
    found = DistilledTreesClassifier(FrozenEstimator(model), n_trees=2, max_leaf_nodes=5, measure=measure).fit(X, y)
    few, rows = found.distilled_, new_samples(X, seed)
    sums = few.baseline + sum(values[tree.apply(rows)] for tree, values in few.decoded)
    np.testing.assert_allclose(few.evaluate(rows), sums, atol=1e-14)
    C, pairs = few.codes.transform(X), zip(few.codes.trees, few.values, strict=True)
    on_codes = few.baseline + sum(values[tree.apply(C)] for tree, values in pairs)
    np.testing.assert_allclose(few.evaluate(X), on_codes, atol=1e-14)
    for tree in found.trees_.ravel():
        assert Tree.from_dict(export_dict(tree)) == tree
    at_leaves = found.intercept_ + sum(tree.predict(rows) for tree in found.trees_[:, 0])
    np.testing.assert_allclose(at_leaves, sums[:, 0], atol=1e-14)
    if measure == "joint":
        distance = np.sqrt(((few.evaluate(X) - predicted(model, X)) ** 2).mean())
        assert few.loss == pytest.approx(distance, abs=1e-7)
    np.testing.assert_array_equal(found.predict(rows), found.classes_[found.predict_proba(rows).argmax(axis=1)])
    again = distil(few, rows, n_trees=2, max_leaf_nodes=40, measure="joint")
    np.testing.assert_allclose(again.evaluate(rows), few.evaluate(rows), atol=1e-9)


def test_whole_trees_of_distilled_models_are_the_model():
    X, y = numbers(3, n_samples=60)
    model = DecisionForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    few = distil(model, X, max_leaf_nodes=10_000)
    assert few.loss == pytest.approx(0.0, abs=1e-7)
    np.testing.assert_allclose(few.evaluate(X), predicted(model, X), atol=1e-7)


def test_texts_rules_pictures_and_programs_of_distilled_trees():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (200, 2)).astype(float)
    X[rng.random(X.shape) < 0.3] = NAN
    y = (np.isnan(X[:, 0]) | (X[:, 1] > 4)).astype(int)
    found = DistilledTreesClassifier(DecisionForestClassifier(5, random_state=0), max_leaf_nodes=4).fit(X, y)
    tree = found.trees_[0, 0]
    assert tree.takes_missing
    assert "feature_0 is missing" in export_text(tree)
    assert any("feature_0 is missing" in rule["path"] for rule in leaf_rules(tree))
    plot_tree(tree)
    found.distilled_.plot()
    plt.close("all")
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE t (i INTEGER, "feature_0" REAL, "feature_1" REAL)')
    rows = [(i, *(None if np.isnan(value) else value for value in row)) for i, row in enumerate(X.tolist())]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    told = [value for (value,) in connection.execute(f"SELECT {export_sql(tree)} FROM t ORDER BY i")]
    connection.close()
    np.testing.assert_array_equal(told, tree.predict(X))


@pytest.mark.parametrize(
    "make",
    [
        lambda: OrthogonalTreesClassifier(DecisionForestClassifier(4, random_state=0), structure="shared"),
        lambda: AggregatedFourierTreeClassifier(DecisionForestClassifier(4, random_state=0), max_leaf_nodes=60),
        lambda: ReconstructedFourierTree(DecisionTreeClassifier(max_depth=3)),
        lambda: ReconstructedFourierTree(DecisionTreeClassifier(max_depth=3), energy=1.0, measure="uniform"),
        lambda: ReconstructedFourierTree(SklearnTreeClassifier(max_depth=3)),
    ],
    ids=["orthogonal", "aggregated", "reconstructed", "spectrum", "scikit-learn"],
)
def test_classifiers_of_the_algebra_take_missing_values(engine, make):
    X, y = numbers(4)
    fitted = make().fit(X, y)
    rows = new_samples(X)
    shares = fitted.predict_proba(rows)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    if isinstance(fitted, ReconstructedFourierTree):
        tree = fitted.estimator.fit(X, y)
        np.testing.assert_array_equal(fitted.predict(X), tree.predict(X))
    assert fitted.score(X, y) > 0.7


def test_classifiers_of_the_algebra_take_missing_categories():
    X, y = categories(6, n_samples=80)
    forest = DecisionForestClassifier(4, categorical_features=["colour"], random_state=0)
    for fitted in (
        OrthogonalTreesClassifier(forest),
        AggregatedFourierTreeClassifier(forest),
        DistilledTreesClassifier(forest, max_leaf_nodes=12),
    ):
        fitted.fit(X, y)
        assert fitted.score(X, y) > 0.7
        assert len(fitted.categories_[0]) == 4
    aggregated = AggregatedFourierTreeClassifier(forest, max_leaf_nodes=None).fit(X, y)
    forest.fit(X, y)
    votes = np.mean([tree.predict(X) for tree in forest.estimators_], axis=0)
    np.testing.assert_array_equal(aggregated.predict(X)[votes != 0.5], (votes > 0.5)[votes != 0.5])


def test_merged_models_and_distances():
    X, y = numbers(9, n_samples=90)
    X[:3, -1] = 0, 1, 0.3
    models = [
        DecisionForestClassifier(3, random_state=0).fit(X[:50], y[:50]),
        RandomForestClassifier(3, random_state=0).fit(X[40:], y[40:]),
    ]
    shares = [predicted(model, X) for model in models]
    merged = merge(models)
    np.testing.assert_allclose(merged.evaluate(X), np.mean(shares, axis=0), atol=1e-14)
    found = model_distance(*models, X, measure="joint")
    assert found.distance == pytest.approx(np.sqrt(((shares[0] - shares[1]) ** 2).mean()))
    few = distil(merged, X, max_leaf_nodes=1000, measure="joint")
    np.testing.assert_allclose(few.evaluate(X), merged.evaluate(X), atol=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_gaps_of_data_frames(library):
    module = pytest.importorskip(library)
    columns = {"a": [1, 2, None, 4, 5, None] * 5, "b": [0.1, None, 0.3, 0.2, 0.5, 0.6] * 5}
    X, y = module.DataFrame(columns), [0, 1, 1, 0, 1, 0] * 5
    if library == "pandas":
        X = X.astype({"a": "Int64", "b": "Float64"})
    forest = DecisionForestClassifier(3, random_state=0).fit(X, y)
    model = additive_model(forest)
    np.testing.assert_allclose(model.evaluate(X), predicted(forest, X), atol=1e-15)
    found = shapley_values(forest, X)
    assert found.feature_names.tolist() == ["a", "b"]
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, predicted(forest, X)[:, 0], **CLOSE)
    numbers_of = np.array([columns["a"], columns["b"]], dtype=float).T
    full = DecisionForestClassifier(3, random_state=0).fit(np.nan_to_num(numbers_of), y)
    assert additive_model(full, missing=[True, False]).codes.has_missing.tolist() == [True, False]


# -------------------------------------------------------------------------------------------------------------- refused


def test_models_and_samples_that_are_refused():
    X, y = numbers(1)
    full = np.nan_to_num(X)
    boosted = GradientBoostingClassifier(n_estimators=2).fit(full, y)
    for call in (additive_model(boosted).evaluate, lambda X: sobol_indices(boosted, X), lambda X: distil(boosted, X)):
        assert_refuses(ValueError, "NaN", call, X)
    with pytest.raises(ValueError, match=r"Missing values of feature 0 .* some of the trees refuse missing values"):
        additive_model(boosted, missing=np.ones(4, dtype=bool))
    for missing in ([0], np.ones(3, dtype=bool), np.ones(4), "all"):
        assert_refuses(ValueError, "missing must be a mask of 4 features", additive_model, boosted, missing=missing)
    tree = DecisionTreeClassifier().fit(X, y)
    refusing = Tree(*tree.tree_.__reduce__()[1][:8])
    with pytest.raises(ValueError, match="some of the trees refuse missing values"):
        ordinal_codes([tree.tree_, DecisionTreeClassifier().fit(full, y).tree_, refusing])
    sets = Tree([-2, -1, -1], [-2, -1, -1], [0, -2, -2], [-2.0] * 3, [2, 1, 1], [[1, 1], [1, 0], [0, 1]], [0.0] * 3, 4,
                [0, 2, 2, 2], [1, 2], [-1, 0, 1], missing_go_to_left=[0, 0, 0])  # fmt: skip
    seen = DecisionTreeClassifier(max_depth=1).fit(np.where(np.arange(4) == 0, X, 0.0), y).tree_
    with pytest.raises(ValueError, match="split feature 0 by categories, and others by missing values"):
        ordinal_codes([sets, seen])
    with pytest.raises(ValueError, match=r"grown with missing values of feature .* ordinal_codes makes one of it"):
        gram([tree], [9, 9, 9, 9])
    with pytest.raises(ValueError, match="seen missing values; streams only take"):
        ModelStream(DecisionTreeClassifier(), full).add(tree)
    fractional = C45Classifier().fit(X, y)
    assert_refuses(ValueError, "NaN", additive_model(fractional).evaluate, X)
    fitted = DistilledTreesClassifier(boosted).fit(full, y)
    with pytest.raises(ValueError, match=r"NaN in column \d\. DistilledTreesClassifier does not accept missing"):
        fitted.predict(X)
    before = dict(vars(fitted))
    assert_refuses(ValueError, "NaN", fitted.fit, X, y)
    assert vars(fitted) == before
    assert_refuses(ValueError, "infinity", additive_model(tree).evaluate, np.where(np.isnan(X), np.inf, X))
    for model in (tree, additive_model(tree)):
        assert_refuses(ValueError, "X has 3 features; the trees have 4", sobol_indices, model, X[:, :3])


def test_numbers_beside_categories_are_checked():
    """A feature of numbers that the trees do not know as missing is not coded as the greatest value."""
    X, y = categories(2)
    full = X.fillna({"size": 0.0, "age": 1.0})
    forest = DecisionForestClassifier(3, categorical_features=["colour"], random_state=0).fit(full, y)
    codes = ordinal_codes(forest)
    assert_refuses(ValueError, "NaN in column", codes.transform, X)
    assert_refuses(ValueError, "infinity in column 1", codes.transform, full.assign(size=np.inf))
    np.testing.assert_allclose(additive_model(forest).evaluate(X), predicted(forest, X), atol=1e-15)
