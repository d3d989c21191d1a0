"""Regression trees in the Fourier algebra: trees of numbers are real functions, as their scikit-learn twins are."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fourier_samples import (
    CLOSE,
    KINDS,
    SEEDS,
    STRUCTURE,
    domain,
    naive_values,
    probabilities,
    random_measure,
    sample_trees,
)
from hypothesis import given
from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, GradientBoostingRegressor, RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnTree
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FourierSpectrum,
    OrthogonalTreesClassifier,
    ReconstructedFourierTree,
)
from pytrees.fourier import (
    AdditiveModel,
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
    sobol_indices,
    tree_from_ensemble,
    tree_inner,
)
from pytrees.fourier.codes import with_value

RELATIVE = {"rtol": 1e-12, "atol": 1e-12}


def diabetes(n_rows=442):
    """Return numbers that are exact in float32, so that both libraries decide alike."""
    X, y = load_diabetes(return_X_y=True)
    return X[:n_rows].astype(np.float32).astype(np.float64), y[:n_rows]


def forest(n_rows=442, n_estimators=4, max_depth=3, **parameters):
    X, y = diabetes(n_rows)
    return DecisionForestRegressor(n_estimators, max_depth=max_depth, random_state=0, **parameters).fit(X, y), X, y


def forest_and_twin(n_rows=200, n_estimators=4):
    """Return a forest, its twin of scikit-learn, whose trees have grown on the same bootstrap samples, and X."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4)).astype(np.float32).astype(np.float64)  # both libraries decide alike
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + rng.normal(size=n_rows)
    model = DecisionForestRegressor(n_estimators, max_depth=2, max_features=1.0, random_state=0).fit(X, y)
    twin = RandomForestRegressor(n_estimators).fit(X[:2], y[:2])
    samples = model.estimators_samples_
    twin.estimators_ = [SklearnTree(max_depth=2, random_state=0).fit(X[rows], y[rows]) for rows in samples]
    return model, twin, X


def of_numbers(trees, rng, scale=3.0):
    """Return trees of numbers with the splits of some trees."""
    found = []
    for tree in trees:
        value = scale * rng.normal(size=(tree.node_count, 1))
        found.append(with_value(tree, value, weighted_n_node_samples=np.ones(tree.node_count)))
    return found


# ------------------------------------------------------------------------------------------------- the function itself


@examples(60)
@given(seed=SEEDS, kind=KINDS)
def test_the_function_of_a_tree_is_its_numbers(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=3)
    trees = of_numbers(trees, rng)
    points = domain(cardinalities)
    functions = np.array([naive_values(tree, points, tree.value[:, 0]) for tree in trees])
    spectra = [FourierSpectrum.from_tree(tree, cardinalities) for tree in trees]
    for tree, spectrum, function in zip(trees, spectra, functions, strict=True):
        np.testing.assert_allclose(spectrum.evaluate(points), function, **CLOSE)
        np.testing.assert_array_equal(tree.predict(points), function)
        assert spectrum.energy == pytest.approx(np.mean(function**2), abs=1e-12)  # Parseval
    products = functions @ functions.T / len(points)
    np.testing.assert_allclose(gram(trees, cardinalities), products, **RELATIVE)
    assert spectra[0].inner(spectra[1]) == pytest.approx(products[0, 1], abs=1e-12)
    assert tree_inner(*trees[:2], cardinalities, class_index=None) == pytest.approx(products[0, 1], abs=1e-12)
    whole = FourierSpectrum.from_ensemble(trees, cardinalities, weights=[1.0, -2.0, 0.5])
    np.testing.assert_allclose(whole.evaluate(points), np.array([1.0, -2.0, 0.5]) @ functions, **CLOSE)


@examples(60)
@given(seed=SEEDS, kind=KINDS)
def test_means_and_variances_of_numbers(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=2)
    trees = of_numbers(trees, rng)
    points, (_, measure) = domain(cardinalities), random_measure(rng, cardinalities, "masses")
    masses = probabilities(measure).ravel()
    function = np.mean([naive_values(tree, points, tree.value[:, 0]) for tree in trees], axis=0)
    mean = masses @ function
    variance = masses @ (function - mean) ** 2
    assert schema_average(trees, {}, cardinalities, measure=measure) == pytest.approx(mean, abs=1e-12)
    indices = sobol_indices(trees, cardinalities, measure=measure)
    assert indices.mean == pytest.approx(mean, abs=1e-12)
    assert indices.variance == pytest.approx(variance, abs=1e-10)
    if indices.variance:
        assert indices.energy_by_order[1:].sum() == pytest.approx(indices.variance)
        assert indices.first_order.sum() <= 1.0 + 1e-9
        assert indices.total.sum() >= 1.0 - 1e-9
    dependence = partial_dependence(trees, cardinalities, [0], measure=measure)[0]
    assert measure[0] @ dependence == pytest.approx(mean, abs=1e-12)
    assert anova_effects(trees, cardinalities, measure=measure).mean == pytest.approx(mean, abs=1e-12)


@examples(60)
@given(seed=SEEDS, kind=KINDS)
def test_one_tree_of_trees_of_numbers_is_their_mean(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=2, largest=4, n_attributes=3)
    trees = of_numbers(trees, rng)
    points = domain(cardinalities)
    one = tree_from_ensemble(trees, cardinalities, criterion="variance")
    assert one.tree.is_regressor
    function = np.mean([tree.predict(points) for tree in trees], axis=0)
    np.testing.assert_allclose(one.tree.predict(points), function, **CLOSE)
    np.testing.assert_array_equal(one.evaluate(points)[:, 0], one.tree.predict(points))
    np.testing.assert_array_equal(one.tree.value, one.averages)
    leaves = one.tree.children_left == -1
    assert one.tree.weighted_n_node_samples[leaves].sum() == pytest.approx(1.0)
    by_spectrum = FourierSpectrum.from_ensemble(trees, cardinalities).to_tree(criterion="variance")
    np.testing.assert_allclose(by_spectrum.evaluate(points)[:, 0], function, **CLOSE)


def test_functions_of_numbers_are_the_same_on_both_engines():
    model, X, _ = forest(60)
    codes = ordinal_codes(model)

    def answers():
        one = tree_from_ensemble(codes.trees, codes.cardinalities, criterion="variance", max_leaf_nodes=7)
        indices = sobol_indices(codes.trees, codes.cardinalities, measure="empirical", X=codes.transform(X))
        return one, indices, gram(codes.trees, codes.cardinalities)

    (one, indices, products), (other, others, other_products) = on_both_engines(answers)
    np.testing.assert_array_equal(one.tree.threshold, other.tree.threshold)
    np.testing.assert_allclose(one.tree.value, other.tree.value, **RELATIVE)
    np.testing.assert_allclose(indices.total, others.total, **RELATIVE)
    np.testing.assert_allclose(products, other_products, **RELATIVE)


# ----------------------------------------------------------------------------------------------------------- the coding


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_on_codes_predict_the_same(engine, criterion, weighted):
    X, y = diabetes(80)
    weights = np.arange(80) % 3 if weighted else None
    model = DecisionForestRegressor(2, criterion=criterion, max_depth=4, random_state=0)
    model.fit(X, y, sample_weight=weights)
    codes = ordinal_codes(model)
    assert all(np.array_equal(labels, np.zeros(len(labels))) for labels in codes.labels)
    for tree, member in zip(codes.trees, model, strict=True):
        own = member.tree_
        np.testing.assert_array_equal(tree.predict(codes.transform(X)), own.predict(X))
        assert codes.decode(tree) == own
        np.testing.assert_array_equal(tree.impurity, own.impurity)
        np.testing.assert_array_equal(tree.weighted_n_node_samples, own.weighted_n_node_samples)
        assert pickle.loads(pickle.dumps(tree)) == tree
    one = tree_from_ensemble(codes.trees, codes.cardinalities, criterion="variance", max_leaf_nodes=9)
    decoded = codes.decode(one.tree)
    np.testing.assert_array_equal(decoded.predict(X), one.evaluate(codes.transform(X))[:, 0])
    assert ordinal_codes(model[0].tree_).trees == ordinal_codes(model[0]).trees


def test_codes_of_scikit_learns_regressors():
    X, y = diabetes()
    model = RandomForestRegressor(3, max_leaf_nodes=9, random_state=0).fit(X, y)
    codes = ordinal_codes(model)
    for tree, member in zip(codes.trees, model.estimators_, strict=True):
        np.testing.assert_array_equal(tree.predict(codes.transform(X)), member.predict(X))


# ----------------------------------------------------------------------------------------------------- sums and models

MODELS = [
    DecisionTreeRegressor(),
    DecisionTreeRegressor("absolute_error", max_leaf_nodes=9),
    DecisionForestRegressor(5, random_state=0),
    DecisionForestRegressor(5, criterion="absolute_error", max_depth=3, random_state=0),
    BaggingRegressor(DecisionTreeRegressor(max_depth=4), 5, max_features=0.5, random_state=0),
]


@pytest.mark.parametrize("estimator", MODELS, ids=lambda estimator: type(estimator).__name__)
def test_sums_predict_what_models_predict(engine, estimator):
    X, y = diabetes(60)
    estimator.fit(X, y)
    model = additive_model(FrozenEstimator(estimator))
    assert (model.output, model.classes, model.n_outputs) == ("value", None, 1)
    np.testing.assert_allclose(model.predict(X), estimator.predict(X), rtol=1e-14)
    indices = sobol_indices(
        model.trees, model.cardinalities, measure="joint", X=model.codes.transform(X), **model.arguments
    )
    assert indices.variance == pytest.approx(estimator.predict(X).var())
    np.testing.assert_allclose(additive_model(model).predict(X), estimator.predict(X), rtol=1e-14)


def test_one_tree_is_exact(engine):
    model, X, _ = forest(60)
    for one in (model[0], model[0].tree_):
        np.testing.assert_array_equal(additive_model(one).predict(X), model[0].predict(X))


def test_a_forest_and_its_twin_give_the_same_answers():
    model, twin, X = forest_and_twin()
    np.testing.assert_allclose(twin.predict(X), model.predict(X), **RELATIVE)
    ours, others = additive_model(model), additive_model(twin)
    for one, other in zip(ours.trees, others.trees, strict=True):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in STRUCTURE)
    for one, other in zip(ours.values, others.values, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    rows = ours.codes.transform(X)
    for measure in ("empirical", "joint"):
        found = [
            sobol_indices(one.trees, one.cardinalities, measure=measure, X=rows, **one.arguments)
            for one in (ours, others)
        ]
        np.testing.assert_allclose(found[0].total, found[1].total, **RELATIVE)
        few = [distil(one, X, n_trees=2, max_leaf_nodes=6, measure=measure) for one in (model, twin)]
        np.testing.assert_allclose(few[0].predict(X), few[1].predict(X), rtol=1e-10)
    codes, other_codes = ordinal_codes(model), ordinal_codes(twin)
    np.testing.assert_allclose(
        gram(codes.trees, codes.cardinalities), gram(other_codes.trees, other_codes.cardinalities), rtol=1e-12
    )
    # Values that are given, and numbers of trees, are the same function.
    np.testing.assert_allclose(
        gram(codes.trees, codes.cardinalities), gram(ours.trees, ours.cardinalities, values=ours.values), rtol=1e-12
    )


@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
def test_enough_leaves_reproduce_a_forest(measure):
    model, X, _ = forest(40, max_depth=2)
    few = distil(model, None if measure == "uniform" else X, max_leaf_nodes=5000, measure=measure)
    assert few.loss == 0.0
    np.testing.assert_allclose(few.predict(X), model.predict(X), rtol=1e-10)


def test_few_trees_lose_what_they_say():
    model, X, _ = forest()
    few = distil(model, X, n_trees=3, max_leaf_nodes=5, measure="joint")
    assert few.loss == pytest.approx(np.sqrt(np.mean((few.predict(X) - model.predict(X)) ** 2)))
    left = few.variance - few.explained_variance.sum()
    assert few.loss**2 == pytest.approx(left)


def test_merged_models_predict_the_weighted_mean():
    X, y = diabetes()
    models = [
        forest(200)[0],
        DecisionTreeRegressor(max_depth=4).fit(X[200:], y[200:]),
        GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y),
        DecisionTreeRegressor(max_depth=2).fit(X, y).tree_,
    ]
    merged = merge(models, [2, 1, 3, 4])
    expected = sum(w * one.predict(X) for w, one in zip([0.2, 0.1, 0.3, 0.4], models, strict=True))
    np.testing.assert_allclose(merged.predict(X), expected, rtol=1e-12)
    assert merged.output == "value"
    with pytest.raises(ValueError, match="gives a probability, the first model a value"):
        merge([models[0], DecisionTreeClassifier(max_depth=2).fit(X, y > 100)])


def test_streams_of_regressors():
    X, y = diabetes(400)
    stream = ModelStream(DecisionTreeRegressor(max_depth=3), X[:100], half_life=2, measure="joint")
    models = []
    for start in range(0, 400, 100):
        rows = slice(start, start + 100)
        stream.update(X[rows], y[rows])
        models.append(DecisionTreeRegressor(max_depth=3).fit(X[rows], y[rows]))
    predicted = np.array([model.predict(X) for model in models])
    np.testing.assert_allclose(stream.predict(X), stream.weights @ predicted, rtol=1e-12)
    at_reference = predicted[:, :100]
    np.testing.assert_allclose(stream.gram, at_reference @ at_reference.T / 100, rtol=1e-12)
    before = 2.0 ** (np.arange(3) / 2)
    mean = before @ at_reference[:3] / before.sum()
    assert stream.drift[-1] == pytest.approx(np.sqrt(np.mean((at_reference[3] - mean) ** 2)))


def test_distances_of_regressors():
    X, y = diabetes()
    tree, other = (DecisionTreeRegressor(max_depth=depth).fit(X, y) for depth in (2, 4))
    codes = ordinal_codes([tree, other])
    rows = codes.transform(X)
    found = model_distance(codes.trees[:1], codes.trees[1:], codes.cardinalities, measure="joint", X=rows)
    assert found.distance == pytest.approx(np.sqrt(np.mean((tree.predict(X) - other.predict(X)) ** 2)))
    assert found.correlation == pytest.approx(np.corrcoef(tree.predict(X), other.predict(X))[0, 1])


def test_a_baseline_joins_trees_of_numbers():
    model, X, _ = forest(60)
    codes = ordinal_codes(model)
    values = [tree.value for tree in codes.trees]
    shifted = AdditiveModel(
        codes, values, n_averaged=len(values), baseline=np.array([7.0]), classes=None, output="value"
    )
    np.testing.assert_allclose(shifted.predict(X), model.predict(X) + 7.0, rtol=1e-14)
    joint = {"measure": "joint", "X": codes.transform(X)}
    assert schema_average(shifted.trees, {}, shifted.cardinalities, **shifted.arguments, **joint) == pytest.approx(
        model.predict(X).mean() + 7.0
    )


@pytest.mark.parametrize("split", ["multiway", "subset"])
def test_categories_of_regressors(engine, split):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("vwxyz"), 60), "b": rng.integers(0, 9, 60)})
    y = frame["a"].map(dict(zip("vwxyz", [3.0, 1.0, 4.0, 1.5, 9.0], strict=True))) + frame["b"] / 10
    models = [
        DecisionForestRegressor(
            3, categorical_features=["a"], categorical_split=split, max_depth=4, random_state=seed
        ).fit(frame, y)
        for seed in (0, 1)
    ]
    additive = additive_model(models[0])
    np.testing.assert_allclose(additive.predict(frame), models[0].predict(frame), rtol=1e-14)
    codes = ordinal_codes(models[0])
    means = np.mean([tree.predict(codes.transform(frame)) for tree in codes.trees], axis=0)
    np.testing.assert_allclose(means, models[0].predict(frame), rtol=1e-14)
    one = tree_from_ensemble(codes.trees, codes.cardinalities, criterion="variance")
    np.testing.assert_allclose(one.evaluate(codes.transform(frame))[:, 0], means, rtol=1e-12)
    expected = 0.5 * models[0].predict(frame) + 0.5 * models[1].predict(frame)
    np.testing.assert_allclose(merge(models).predict(frame), expected, rtol=1e-12)


def test_large_targets_keep_their_digits():
    X, y = diabetes(100)
    model = DecisionForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    shifted = DecisionForestRegressor(3, max_depth=3, random_state=0).fit(X, y + 2.0**40)
    for one, other in zip(model, shifted, strict=True):
        np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    codes, others = ordinal_codes(model), ordinal_codes(shifted)
    found, expected = (sobol_indices(one.trees, one.cardinalities).variance for one in (others, codes))
    assert found == pytest.approx(expected, rel=1e-4)


# -------------------------------------------------------------------------------------------------------------- refused


def test_trees_with_missing_values_that_are_not_coded_are_refused():
    X, y = diabetes(60)
    gaps = X.copy()
    gaps[::5, 2] = np.nan
    fitted = DecisionTreeRegressor().fit(gaps, y)
    assert_refuses(ValueError, "grown with missing values of feature 2", gram, [fitted], [60] * X.shape[1])
    assert gram(ordinal_codes(fitted).trees, ordinal_codes(fitted).cardinalities).shape == (1, 1)


@pytest.mark.parametrize("make", [AggregatedFourierTreeClassifier, OrthogonalTreesClassifier, ReconstructedFourierTree])
def test_classifiers_refuse_regressors(make):
    X, y = diabetes(40)
    classes = y > 100
    own, sklearns = DecisionTreeRegressor().fit(X, y), SklearnTree().fit(X, y)
    for estimator, named in [
        (DecisionTreeRegressor(), "got a DecisionTreeRegressor"),
        (SklearnTree(), "got a DecisionTreeRegressor"),
        (FrozenEstimator(own), "got a FrozenEstimator"),
        (own.tree_, "got a Tree of numbers"),
    ]:
        with pytest.raises(TypeError, match=f"{make.__name__} is a classifier and takes .*{named}"):
            make(estimator).fit(X, classes)
    if make is not ReconstructedFourierTree:
        for estimator in ([own], [own.tree_], [sklearns], DecisionForestRegressor(2), BaggingRegressor(n_estimators=2)):
            assert_refuses(TypeError, "is a classifier and takes classification trees", make(estimator).fit, X, classes)
        with pytest.raises(TypeError, match="BaggingClassifier of DecisionTreeRegressor"):
            make(BaggingClassifier(DecisionTreeRegressor(), 2)).fit(X, classes)


def test_classes_and_numbers_are_not_mixed():
    X, y = diabetes(40)
    own, classifier = DecisionTreeRegressor(max_depth=2).fit(X, y), DecisionTreeClassifier(max_depth=2).fit(X, y > 100)
    codes = ordinal_codes(own)
    assert_refuses(ValueError, "Some of the trees predict numbers, and some classes", ordinal_codes, [own, classifier])
    on_codes = ordinal_codes(DecisionForestClassifier(1, max_depth=1, random_state=0).fit(X, y > 100))
    sizes = np.maximum(codes.cardinalities, on_codes.cardinalities)
    plain = [tree.__reduce__()[1][0] for tree in (codes.trees[0], on_codes.trees[0])]
    plain = [type(own.tree_)(*arguments) for arguments in plain]
    for function in (gram, sobol_indices, schema_average):
        arguments = ({},) if function is schema_average else ()
        assert_refuses(ValueError, "Some of the trees predict numbers", function, plain, *arguments, sizes)
    assert_refuses(ValueError, "Some of the trees predict numbers", model_distance, plain[:1], plain[1:], sizes)


@pytest.mark.parametrize("class_index", [0, 1, -2, 0.5, True, "a", 10**400, [-1]])
def test_trees_of_numbers_have_no_classes(class_index):
    codes = ordinal_codes(forest(40)[0])
    with pytest.raises(ValueError, match="The trees predict numbers and have no classes, got class_index="):
        gram(codes.trees, codes.cardinalities, class_index=class_index)


def test_entropy_and_confidence_are_of_classes():
    codes = ordinal_codes(forest(40)[0])
    for limits, message in [
        ({}, "criterion='entropy' judges shares of classes: use criterion='variance'"),
        ({"criterion": "variance", "min_confidence": 0.9}, "have no confidence: use tol"),
        ({"criterion": "gini"}, "criterion must be one of"),
    ]:
        assert_refuses(ValueError, message, tree_from_ensemble, codes.trees, codes.cardinalities, **limits)


def test_ensembles_of_the_other_kind_are_refused():
    X, y = diabetes(40)
    for bagged in (
        BaggingRegressor(SklearnTreeClassifier(), 2).fit(X, y.astype(int) % 3),
        BaggingRegressor(DecisionTreeClassifier(), 2).fit(X, y.astype(int) % 3),
        BaggingClassifier(SklearnTree(), 2).fit(X, y > 100),
        BaggingClassifier(DecisionTreeRegressor(), 2).fit(X, y > 100),
    ):
        for function in (additive_model, ordinal_codes):
            with pytest.raises(TypeError, match="A classifier of classification trees or a regressor of regression"):
                function(bagged)
    with pytest.raises(TypeError, match="A tree of one output is expected, got DecisionTreeRegressor of 2 outputs"):
        ordinal_codes(SklearnTree().fit(X, X[:, :2]))
    with pytest.raises(TypeError, match="A fitted ensemble of trees is expected, got Tree"):
        additive_model(DecisionTreeClassifier().fit(X, y > 100).tree_)
