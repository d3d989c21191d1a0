"""Functions of trees on codes that get fitted models and samples: the numbers of the parts, names, and errors."""

from inspect import signature

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fourier_samples import CLOSE
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import assert_refuses

from pytrees import DecisionForestClassifier, DecisionForestRegressor, DecisionTreeClassifier, OrthogonalTreesClassifier
from pytrees.fourier import (
    additive_model,
    anova_effects,
    distil,
    merge,
    model_distance,
    ordinal_codes,
    partial_dependence,
    sobol_indices,
)

FUNCTIONS = [sobol_indices, partial_dependence, anova_effects]


def frame(load):
    X, y = load(return_X_y=True, as_frame=True)
    return X.iloc[::3, :4], y.iloc[::3]


# Few leaves: the reference takes a while for every pair of them.
MODELS = {
    "forest of pytrees": (load_breast_cancer, DecisionForestClassifier(3, max_depth=2, random_state=0)),
    "forest of pytrees, three classes": (load_iris, DecisionForestClassifier(3, random_state=0)),
    "forest of numbers of pytrees": (load_diabetes, DecisionForestRegressor(3, max_depth=2, random_state=0)),
    "forest of scikit-learn": (load_breast_cancer, RandomForestClassifier(3, max_depth=2, random_state=0)),
    "forest of numbers of scikit-learn": (load_diabetes, RandomForestRegressor(3, max_depth=2, random_state=0)),
    "boosting": (load_breast_cancer, GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)),
    "boosting of three classes": (load_iris, GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)),
    "boosting of numbers": (load_diabetes, GradientBoostingRegressor(n_estimators=3, max_depth=2, random_state=0)),
    "histogram boosting": (load_breast_cancer, HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=5)),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    load, model = MODELS[request.param]
    X, y = frame(load)
    return model.fit(X, y), X, y


def of_parts(function, model, *further, measure, X=None):
    """Call a function with the parts of a model."""
    model = additive_model(model)
    given = {} if X is None else {"X": model.codes.transform(X)}
    return function(model.trees, model.cardinalities, *further, **model.arguments, measure=measure, **given)


def assert_same(found, expected):
    """Compare the numbers of two results."""
    if isinstance(expected, list):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        return
    assert type(found) is type(expected)
    for name in set(vars(expected)) - {"categories", "classes", "feature_names", "thresholds"}:
        one, other = getattr(found, name), getattr(expected, name)
        if isinstance(other, dict):
            assert list(one) == list(other)
            one, other = list(one.values()), list(other.values())
        if isinstance(other, list):
            assert_same(one, other)
        else:
            np.testing.assert_array_equal(one, other)


def test_numbers_of_models_are_those_of_their_parts(fitted, engine):
    model, X, _ = fitted
    for function, further in ((sobol_indices, ()), (partial_dependence, ([0, (1, 2)],)), (anova_effects, ([(1, 2)],))):
        assert_same(function(model, X, *further), of_parts(function, model, *further, measure="empirical", X=X))
        assert_same(function(model, None, *further), of_parts(function, model, *further, measure="uniform"))
        if function is not anova_effects:
            expected = of_parts(function, model, *further, measure="joint", X=X)
            assert_same(function(additive_model(model), X, *further, measure="joint"), expected)


def test_all_ways_to_give_a_model():
    X, y = frame(load_breast_cancer)
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    expected = sobol_indices(model, X)
    masses = [np.full(size, 1.0 / size) for size in additive_model(model).cardinalities]
    for found in (
        sobol_indices(model, X=X),
        sobol_indices(trees=model, X=X, measure="empirical"),
        sobol_indices(FrozenEstimator(model), X),
        sobol_indices(additive_model(model), X),
    ):
        assert_same(found, expected)
    assert_same(sobol_indices(model), of_parts(sobol_indices, model, measure="uniform"))
    assert sobol_indices(model, measure=masses).variance == pytest.approx(sobol_indices(model).variance)
    merged = merge([model, model])
    assert sobol_indices(merged, X).variance == pytest.approx(expected.variance)
    few = distil(model, X, n_trees=2, max_leaf_nodes=4)
    assert sobol_indices(few, X).variance == pytest.approx(few.explained_variance.sum())


def test_a_tree_of_numbers_is_a_model():
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionForestRegressor(1, max_depth=3, random_state=0).fit(X, y)[0].tree_
    assert_same(sobol_indices(tree, X), of_parts(sobol_indices, tree, measure="empirical", X=X))


@pytest.mark.parametrize("kind", ["XGBClassifier", "Booster", "LGBMRegressor", "Model"])
def test_boosters_of_other_libraries(kind):
    treelite = pytest.importorskip("treelite")
    library = pytest.importorskip("lightgbm" if kind == "LGBMRegressor" else "xgboost")
    X, y = frame(load_breast_cancer)
    if kind == "LGBMRegressor":
        model = library.LGBMRegressor(n_estimators=5, num_leaves=4, verbose=-1).fit(X, y)
    else:
        model = library.XGBClassifier(n_estimators=5, max_depth=2).fit(X, y)
        if kind != "XGBClassifier":
            model = model.get_booster()
        if kind == "Model":
            model = treelite.frontend.from_xgboost(model)
    expected = of_parts(sobol_indices, model, measure="empirical", X=X)
    assert_same(sobol_indices(model, X), expected)
    assert sobol_indices(model, X).feature_names.tolist() == X.columns.tolist()


def test_brute_force_of_scikit_learn():
    X, y = frame(load_diabetes)
    model = RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, y)
    additive = additive_model(model)
    grid = additive.codes.transform(X)[:, 2]
    (table,) = partial_dependence(additive, X, ["bmi"], measure="joint")
    brute = sklearn_dependence(
        model, X, ["bmi"], method="brute", kind="average", custom_values={"bmi": np.sort(X["bmi"])[:5]}
    )
    np.testing.assert_allclose(table[np.sort(grid)[:5]], brute["average"][0])


@pytest.mark.parametrize("measure", ["empirical", "joint", "uniform"])
def test_distances_of_two_models(fitted, measure):
    model, X, y = fitted
    other = type(model)(**{**model.get_params(), "max_depth": 2}).fit(X[::2], y[::2])
    given = {} if measure == "uniform" else {"X": X}
    found = model_distance(model, other, measure=measure, **given)
    merged = merge([model, other])
    parts = []
    for trees, values in merged.parts:
        parts.append((merged.codes.trees[trees], np.ones(len(values)), values))
    (trees, weights, values), (others, other_weights, other_values) = parts
    coded = {name: merged.codes.transform(rows) for name, rows in given.items()}
    expected = model_distance(
        trees, others, merged.cardinalities, weights=weights, values=values, other_weights=other_weights,
        other_values=other_values, measure=measure, **coded,
    )  # fmt: skip
    assert found == expected
    np.testing.assert_allclose(2.0 * merged.distances(measure=measure, **coded), found.distance, rtol=1e-6)
    if measure == "joint":
        difference = additive_model(model).evaluate(X) - additive_model(other).evaluate(X)
        assert found.distance == pytest.approx(np.sqrt((difference**2).sum(axis=1).mean()))
    if measure == "empirical":
        assert model_distance(model, other, X) == found
    same = model_distance(model, model, X)
    assert same.distance == 0.0
    assert same.correlation == pytest.approx(1.0)


def test_distances_between_libraries_and_from_what_was_distilled():
    X, y = frame(load_breast_cancer)
    ours = DecisionForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    theirs = ExtraTreesClassifier(5, max_depth=3, random_state=0).fit(X, y)
    found = model_distance(ours, theirs, X, measure="joint")
    difference = ours.predict_proba(X)[:, 1] - theirs.predict_proba(X)[:, 1]
    assert found.distance == pytest.approx(np.sqrt(np.mean(difference**2)))
    for measure in ("joint", "empirical"):
        few = distil(theirs, X, n_trees=2, max_leaf_nodes=4, measure=measure)
        np.testing.assert_allclose(model_distance(theirs, few, X, measure=measure).distance, few.loss, **CLOSE)


def test_names_of_features():
    X, y = frame(load_diabetes)
    model = GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=0).fit(X, y)
    nameless = GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=0).fit(X.to_numpy(), y)
    names = ["age", "sex", "bmi", "bp"]
    for found in (
        sobol_indices(model, X),
        sobol_indices(nameless, X),
        sobol_indices(model, X.to_numpy()),
        sobol_indices(model),
        anova_effects(model, X),
    ):
        assert found.feature_names.tolist() == names
    assert sobol_indices(nameless, X.to_numpy()).feature_names is None
    by_name = partial_dependence(model, X, ["bp", ("bmi", "bp"), ("age", 2), 1])
    assert_same(by_name, partial_dependence(model, X, [3, (2, 3), (0, 2), 1]))
    effects = anova_effects(nameless, X, [("bmi", "bp")])
    assert list(effects.pairs) == [(2, 3)]
    ax = sobol_indices(model, X).plot(plt.figure().gca())
    assert {label.get_text() for label in ax.get_yticklabels()} == set(names)
    assert sobol_indices(model, X).plot_pairs(plt.figure().gca()).get_yticklabels()[0].get_text() in names
    assert effects.plot("bmi", plt.figure().gca()).get_xlabel() == "bmi"
    assert effects.plot(("bmi", "bp"), plt.figure().gca()).get_ylabel() == "bp"
    assert effects.plot(0, plt.figure().gca(), feature_names=list("abcd")).get_xlabel() == "a"
    plt.close("all")
    with pytest.raises(ValueError, match=r"no feature 'height'; the names are \['age', 'sex', 'bmi', 'bp'\]"):
        partial_dependence(model, X, ["height"])
    assert_refuses(ValueError, "no feature 'height'", effects.plot, "height")
    with pytest.raises(ValueError, match="Features are numbers from 0 to 3, got 'bmi'"):
        partial_dependence(nameless, X.to_numpy(), ["bmi"])
    assert_refuses(ValueError, "A sequence of features", partial_dependence, model, X, "bmi")


def test_categories():
    table = pd.DataFrame({"a": list("xyzxyzxy"), "b": np.arange(8.0)})
    y = [0, 1, 1, 0, 0, 1, 0, 1]
    model = DecisionForestClassifier(3, categorical_features=["a"], random_state=0).fit(table, y)
    other = DecisionForestClassifier(3, categorical_features=["a"], random_state=1).fit(table, y)
    assert_same(sobol_indices(model, table), of_parts(sobol_indices, model, measure="empirical", X=table))
    difference = model.predict_proba(table)[:, 1] - other.predict_proba(table)[:, 1]
    distance = model_distance(model, other, table, measure="joint").distance
    assert distance == pytest.approx(np.sqrt(np.mean(difference**2)))


def calls():
    return [*FUNCTIONS, lambda model, *rest, **options: model_distance(model, model, *rest, **options)]


@pytest.mark.parametrize("call", calls())
def test_models_and_samples_that_are_refused(call):
    X, y = frame(load_breast_cancer)
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    assert_refuses(NotFittedError, None, call, RandomForestClassifier(), X)
    assert_refuses(NotFittedError, None, call, DecisionForestClassifier(), X)
    assert_refuses(ValueError, "X has 3 features; the trees have 4", call, forest, X.to_numpy()[:, :3])
    assert_refuses(ValueError, "The columns of X should be", call, forest, X.rename(columns={X.columns[0]: "size"}))
    assert_refuses(ValueError, "NaN", call, GradientBoostingClassifier(n_estimators=2).fit(X, y), X.where(X.min() < X))
    for model in (LogisticRegression(), LogisticRegression(max_iter=9999).fit(X, y)):
        assert_refuses(TypeError, r"got LogisticRegression\. These can be read: trees and forests of", call, model, X)
    few = OrthogonalTreesClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2, random_state=0).fit(X, y)
    assert_refuses(TypeError, r"got OrthogonalTreesClassifier\. These can be read", call, few, X)
    with pytest.raises(TypeError, match=r"got GridSearchCV: pass its best_estimator_\."):
        call(GridSearchCV(forest, {"max_depth": [1, 2]}), X)
    with pytest.raises(TypeError, match=r"got Pipeline: pass its last step, pipeline\[-1\], .* pipeline\[:-1\]"):
        call(make_pipeline(StandardScaler(), forest).fit(X, y), X)
    assert_refuses(TypeError, "got Tree", call, DecisionTreeClassifier(max_depth=1).fit(X, y).tree_, X)
    assert_refuses(ValueError, "needs X", call, forest, measure="empirical")
    assert_refuses(ValueError, "X is only for", call, forest, X, measure="uniform")


@pytest.mark.parametrize("call", calls())
def test_both_forms_mixed(call):
    X, y = frame(load_breast_cancer)
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    for option, value in (
        ("weights", [0.5, 0.5]),
        ("values", [tree.value for tree in codes.trees]),
        ("class_index", 0),
        ("cardinalities", codes.cardinalities),
    ):
        with pytest.raises(TypeError, match=f"got a fitted RandomForestClassifier and {option}, which describe trees"):
            call(forest, **{option: value})
    for sizes in (codes.cardinalities, codes.cardinalities.tolist()):
        with pytest.raises(ValueError, match=r"takes the samples X after a fitted model, .*cardinalities belong"):
            call(forest, sizes)
    assert_refuses(TypeError, "samples twice", call, forest, X, X=X)
    assert_refuses(ValueError, "cardinalities must be one whole number for every attribute", call, codes.trees, X)


def test_a_model_and_trees_have_no_distance():
    X, y = frame(load_breast_cancer)
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    boosted = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    codes = ordinal_codes(forest)
    for pair, names in (
        ((forest, codes.trees), "RandomForestClassifier and list"),
        ((codes.trees, forest), "list and"),
    ):
        assert_refuses(TypeError, f"takes two fitted models and samples X, .*got {names}", model_distance, *pair, X)
    with pytest.raises(TypeError, match="other_weights, which describe trees"):
        model_distance(forest, forest, X, other_weights=[1.0, 1.0])
    with pytest.raises(ValueError, match="Model 1 gives a margin, the first model a probability"):
        model_distance(forest, boosted, X)
    with pytest.raises(ValueError, match="Model 1 has 3 features, the first model 4"):
        model_distance(forest, RandomForestClassifier(2).fit(X.iloc[:, :3], y), X)


def test_signatures_tell_the_parameters_of_both_forms():
    for function in (*FUNCTIONS, model_distance):
        assert signature(function).parameters["cardinalities"].default is None
        assert "fitted model" in function.__doc__
