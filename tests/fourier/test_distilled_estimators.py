"""Distilled estimators: the numbers of `distil`, what they are fitted with, their text, and what they refuse."""

import pickle
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from support import assert_refuses, on_both_engines

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    DistilledTreesRegressor,
    OrdinalDecisionForestClassifier,
    Tree,
    export_c,
    export_dict,
    export_graphviz,
    export_python,
    export_sql,
    export_text,
    leaf_rules,
    plot_decision_path,
    plot_tree,
)
from pytrees.fourier import additive_model, distil, merge, model_distance, sobol_indices

TABLES = {"two": load_breast_cancer, "three": load_iris, "numbers": load_diabetes}
FEW = {"n_trees": 2, "max_leaf_nodes": 6}


def data(kind):
    X, y = TABLES[kind](return_X_y=True)
    return X[::2, :4], y[::2]


ENSEMBLES = [
    DecisionForestClassifier(5, max_depth=4, random_state=0),
    RandomForestClassifier(5, max_depth=4, random_state=0),
    GradientBoostingClassifier(n_estimators=6, random_state=0),
    HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=6, random_state=0),
]
OF_NUMBERS = [
    DecisionForestRegressor(5, max_depth=4, random_state=0),
    RandomForestRegressor(5, max_depth=4, random_state=0),
    GradientBoostingRegressor(n_estimators=6, random_state=0),
    HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=6, random_state=0),
]
X, Y = data("numbers")


def distilled(ensemble, **options):
    """Return the estimator that takes an ensemble of its kind."""
    return (DistilledTreesClassifier if is_classifier(ensemble) else DistilledTreesRegressor)(ensemble, **options)


def shares_or_numbers(fitted, X):
    return fitted.predict_proba(X) if is_classifier(fitted) else fitted.predict(X)


def expected_probabilities(few, X):
    """Probabilities from the sums of a distilled model."""
    found = few.evaluate(X)
    if few.output == "margin":
        return softmax(found, axis=1) if few.n_outputs > 1 else np.hstack([1.0 - expit(found), expit(found)])
    return np.hstack([1.0 - found, found]) if few.n_outputs == 1 else found


# --------------------------------------------------------------------------------------------------------- what it does


@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
@pytest.mark.parametrize(
    ("kind", "ensemble"),
    [*product(["two", "three"], ENSEMBLES), *product(["numbers"], OF_NUMBERS)],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_it_is_distil_of_the_fitted_ensemble(ensemble, kind, measure):
    X, y = data(kind)
    fitted = clone(ensemble).fit(X, y)
    few = distil(fitted, None if measure == "uniform" else X, **FEW, measure=measure)
    for estimator in (ensemble, FrozenEstimator(fitted)):
        found = distilled(estimator, **FEW, measure=measure).fit(X, y)
        assert found.distilled_.loss == few.loss
        assert found.trees_.shape == (2, few.n_outputs)
        for trees, (tree, values) in zip(found.trees_, few.decoded, strict=True):
            for output, one in enumerate(trees):
                np.testing.assert_array_equal(one.threshold, tree.threshold)
                np.testing.assert_array_equal(one.value[:, 0], values[:, output])
        np.testing.assert_array_equal(found.intercept_, few.baseline)
        scores = found.intercept_ + sum(np.stack([tree.predict(X) for tree in trees], axis=1) for trees in found.trees_)
        np.testing.assert_allclose(scores, few.evaluate(X), rtol=1e-12, atol=1e-12)
        if kind == "numbers":
            assert [tree for tree, _ in few.decoded] == found.trees_[:, 0].tolist()
            np.testing.assert_allclose(found.predict(X), few.evaluate(X)[:, 0], rtol=1e-12)
            continue
        shares = found.predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        expected = expected_probabilities(few, X)
        are_shares = np.all((expected >= 0.0) & (expected <= 1.0), axis=1)  # others are projected
        assert are_shares.any()
        assert np.all(shares >= 0.0)
        np.testing.assert_allclose(shares[are_shares], expected[are_shares], atol=1e-9)
        np.testing.assert_array_equal(found.predict(X), found.classes_[shares.argmax(axis=1)])
    assert found.score(X, y) > (0.2 if kind == "numbers" else 0.85) or measure == "uniform"
    assert model_distance(fitted, found, X, measure="joint").distance >= 0.0


@pytest.mark.parametrize(("kind", "ensemble"), [("three", ENSEMBLES[0]), ("numbers", OF_NUMBERS[0])])
def test_engines_agree(kind, ensemble):
    X, y = data(kind)
    estimator = distilled(ensemble, n_trees=2, max_leaf_nodes=4, measure="joint")
    ours, naive = on_both_engines(lambda: clone(estimator).fit(X[:40], y[:40]))
    np.testing.assert_allclose(shares_or_numbers(ours, X), shares_or_numbers(naive, X), rtol=1e-12, atol=1e-12)


def test_enough_leaves_predict_as_the_ensemble():
    X, y = data("two")
    for ensemble in (
        RandomForestClassifier(2, max_depth=2, random_state=0),
        GradientBoostingClassifier(n_estimators=2),
    ):
        exact = DistilledTreesClassifier(FrozenEstimator(ensemble.fit(X, y)), max_leaf_nodes=500).fit(X, y)
        assert exact.distilled_.loss == 0.0
        np.testing.assert_allclose(exact.predict_proba(X), ensemble.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_probabilities_of_losses(loss):
    X, y = data("two")
    boosted = GradientBoostingClassifier(loss=loss, n_estimators=2, max_depth=1, random_state=0).fit(X, y)
    exact = DistilledTreesClassifier(FrozenEstimator(boosted), max_leaf_nodes=50).fit(X, y)
    np.testing.assert_allclose(exact.predict_proba(X), boosted.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_numbers_of_losses(loss):
    boosted = HistGradientBoostingRegressor(loss=loss, max_iter=2, max_leaf_nodes=3, random_state=0).fit(X, Y)
    exact = DistilledTreesRegressor(FrozenEstimator(boosted), max_leaf_nodes=500).fit(X, Y)
    assert exact.distilled_.output == ("margin" if loss == "poisson" else "value")
    np.testing.assert_allclose(exact.predict(X), boosted.predict(X), rtol=1e-9)


@pytest.mark.parametrize("name", ["XGBClassifier", "LGBMClassifier"])
@pytest.mark.parametrize("kind", ["two", "three"])
def test_boosters_of_other_libraries(name, kind):
    pytest.importorskip("treelite")
    library = pytest.importorskip("xgboost" if name == "XGBClassifier" else "lightgbm")
    options = {"verbose": -1} if name == "LGBMClassifier" else {}
    X, y = data(kind)
    boosted = getattr(library, name)(n_estimators=2, max_depth=1, **options).fit(X, y)
    exact = DistilledTreesClassifier(FrozenEstimator(boosted), max_leaf_nodes=500).fit(X, y)
    np.testing.assert_allclose(exact.predict_proba(X), boosted.predict_proba(X), atol=1e-5)
    fitted = DistilledTreesClassifier(clone(boosted), max_leaf_nodes=500).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), exact.predict_proba(X), atol=1e-5)


def test_boosters_of_numbers():
    pytest.importorskip("treelite")
    xgboost = pytest.importorskip("xgboost")
    for objective, y in (("reg:squarederror", Y), ("reg:logistic", (Y - Y.min()) / np.ptp(Y))):
        boosted = xgboost.XGBRegressor(n_estimators=2, max_depth=1, objective=objective).fit(X, y)
        exact = DistilledTreesRegressor(FrozenEstimator(boosted), max_leaf_nodes=500).fit(X, y)
        np.testing.assert_allclose(exact.predict(X), boosted.predict(X), rtol=1e-5)


def test_log_odds_with_a_factor():
    pytest.importorskip("treelite")
    library = pytest.importorskip("lightgbm")
    X, y = data("two")
    boosted = library.LGBMClassifier(n_estimators=2, max_depth=1, verbose=-1, sigmoid=2.0).fit(X, y)
    exact = DistilledTreesClassifier(FrozenEstimator(boosted), max_leaf_nodes=50).fit(X, y)
    np.testing.assert_allclose(exact.predict_proba(X), boosted.predict_proba(X), atol=1e-6)
    X, y = data("three")
    each = library.LGBMClassifier(n_estimators=2, max_depth=1, verbose=-1, objective="multiclassova").fit(X, y)
    with pytest.raises(ValueError, match=r"margins of this classifier, of link function multiclass_ova.* no probab"):
        DistilledTreesClassifier(FrozenEstimator(each)).fit(X, y)


@pytest.mark.parametrize(
    ("kind", "make", "forest", "other"),
    [
        ("two", DistilledTreesClassifier, DecisionForestClassifier, ENSEMBLES[1]),
        ("numbers", DistilledTreesRegressor, DecisionForestRegressor, OF_NUMBERS[1]),
    ],
)
def test_defaults_seeds_pickles_and_cross_validation(kind, make, forest, other):
    X, y = data(kind)
    few, labels = X[:60], y[:60]  # a default forest is large
    labels = np.where(labels == 1, "good", "bad") if kind == "two" else labels
    found = make(random_state=0).fit(few, labels)
    again = make(forest(random_state=0)).fit(few, labels)
    copied = pickle.loads(pickle.dumps(found))
    for one in (again, copied):
        np.testing.assert_array_equal(shares_or_numbers(found, X), shares_or_numbers(one, X))
    if kind == "two":
        assert found.classes_.tolist() == ["bad", "good"]
        assert set(found.predict(X)) == {"bad", "good"}
    assert cross_val_score(make(other, **FEW), X, y, cv=3).mean() > (0.8 if kind == "two" else 0.0)
    assert additive_model(found).predict(X).tolist() == pytest.approx(found.predict(X).tolist())


@pytest.mark.parametrize("measure", ["empirical", "joint"])
@pytest.mark.parametrize(("kind", "tree"), [("three", DecisionTreeClassifier), ("numbers", DecisionTreeRegressor)])
def test_weights_are_those_of_the_ensemble_and_of_the_measure(kind, tree, measure):
    X, y = data(kind)
    weights = np.arange(len(y)) % 3
    repeated = np.repeat(np.arange(len(y)), weights)
    estimator = distilled(tree(max_depth=4), **FEW, measure=measure)
    found = clone(estimator).fit(X, y, sample_weight=weights)
    expected = clone(estimator).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(shares_or_numbers(found, X), shares_or_numbers(expected, X), rtol=1e-9, atol=1e-9)
    assert found.distilled_.loss == pytest.approx(expected.distilled_.loss, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("kind", [DecisionForestClassifier, DecisionForestRegressor])
def test_categories(kind, frozen):
    table = pd.DataFrame({"a": list("xyzxyzxyu"), "b": np.arange(9.0)})
    words, weights = np.array(["n", "p", "p", "n", "n", "p", "n", "p", "p"]), np.array([1.0] * 8 + [0.0])
    y = words if kind is DecisionForestClassifier else np.array([1.5, 2.0, 3.0, 1.0, 2.5, 3.5, 1.2, 2.2, 9.0])
    forest = kind(3, categorical_features=["a"], handle_unknown="majority", random_state=0)
    forest.fit(table, y, sample_weight=weights)
    estimator = FrozenEstimator(forest) if frozen else forest
    found = distilled(estimator, max_leaf_nodes=50, measure="uniform").fit(table, y, weights)
    assert [part.tolist() for part in found.categories_] == [["x", "y", "z"]]
    np.testing.assert_allclose(
        shares_or_numbers(found, table[:8]), shares_or_numbers(forest, table[:8]), rtol=1e-9, atol=1e-9
    )
    assert found.predict(table).shape == (9,)
    assert "a = y" in export_text(found.trees_[0, 0])
    strict = distilled(clone(forest).set_params(handle_unknown="error")).fit(table[:8], y[:8])
    assert_refuses(ValueError, "u", strict.predict, table)
    assert_refuses(ValueError, "feature names", found.predict, table.rename(columns={"b": "c"}))


def test_the_order_of_classes_of_an_ordinal_ensemble():
    X, y = data("three")
    scale = pd.Categorical(np.array(["low", "mid", "high"])[y], ["low", "mid", "high"], ordered=True)
    forest = OrdinalDecisionForestClassifier(3, random_state=0)
    found = DistilledTreesClassifier(forest, max_leaf_nodes=50, measure="joint").fit(X, pd.Series(scale))
    assert found.classes_.tolist() == ["low", "mid", "high"]
    assert found.score(X, np.asarray(scale)) > 0.9


# --------------------------------------------------------------------------------------- trees, and the other functions


def test_trees_have_text_pictures_and_programs():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = DistilledTreesClassifier(ENSEMBLES[1], **FEW, measure="joint").fit(X, y)
    first = found.trees_[0, 0]
    assert first.is_regressor
    text = export_text(first, feature_names=found.feature_names_in_, precision=2)
    assert text.count("value") == first.n_leaves == 6
    assert any(name in text for name in X.columns)
    assert "CASE" in export_sql(first, feature_names=found.feature_names_in_)
    plot_tree(first)
    np.testing.assert_allclose(first.weighted_n_node_samples[0], 1.0)
    found.distilled_.plot()


def coloured():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 60), "size": rng.normal(size=60)})
    y = np.where((frame["colour"] == "red") & (frame["size"] > 0.0), "yes", "no")
    return frame, y, DecisionForestClassifier(5, categorical_features=["colour"], random_state=0)


def test_trees_show_the_names_of_features_and_categories(engine):
    frame, y, forest = coloured()
    found = DistilledTreesClassifier(forest, max_leaf_nodes=4, measure="joint").fit(frame, y)
    for tree in (found.trees_[0, 0], pickle.loads(pickle.dumps(found.trees_[0, 0])), found.distilled_.decoded[0].tree):
        assert "colour = green\n|   value -0" in export_text(tree)
        assert "WHEN \"colour\" = 'green' THEN -0." in export_sql(tree)
        assert "if x[0] == 'green':  # colour" in export_python(tree)
        assert '"green"' in export_c(tree)
        assert export_dict(tree)["categories"] == {"colour": ["blue", "green", "red"]}
        assert tree.categories_[0].tolist() == ["blue", "green", "red"]
        np.testing.assert_array_equal(tree.predict(tree.encode(frame)), tree.predict(found.encode(frame)))
        program = {}
        exec(export_python(tree), program)
        said = [program["predict"](sample) for sample in frame.to_numpy().tolist()]
        np.testing.assert_array_equal(said, tree.predict(tree.encode(frame)))
        texts = [text.get_text() for text in plot_decision_path(tree, frame.iloc[0])]
        assert texts[0] == f"colour is {frame['colour'][0]}"
        drawn = plot_tree(tree)
        assert {"blue", "green", "red"} <= {text.get_text() for text in drawn[0].axes.texts}
        plt.close("all")
    assert found.trees_[0, 0] == Tree(*found.trees_[0, 0]._arguments())
    plain = DistilledTreesClassifier(DecisionForestClassifier(2), max_leaf_nodes=4).fit(frame[["size"]].to_numpy(), y)
    assert not hasattr(plain.trees_[0, 0], "feature_names_in_")
    assert "feature_0 <= " in export_text(plain.trees_[0, 0])
    assert_refuses(ValueError, "2 features", plain.trees_[0, 0].predict, plain.trees_[0, 0].encode([[0.0, 1.0]]))


def test_words_given_to_a_tree_name_its_encode():
    frame, y, forest = coloured()
    tree = DistilledTreesClassifier(forest, max_leaf_nodes=4).fit(frame, y).trees_[0, 0]
    for words in (frame, frame.to_numpy(), frame[["size", "colour"]].to_numpy()[:, ::-1]):
        with pytest.raises(ValueError, match=r"holds words in column 0 \('colour'\): .* its own `encode` makes: tree"):
            tree.predict(words)
    assert tree.predict(tree.encode(frame)).shape == (60,)


def test_trees_of_samples_with_gaps_show_names_too():
    frame, y, forest = coloured()
    frame.loc[::7, "size"] = np.nan
    frame.loc[3::7, "colour"] = None
    found = DistilledTreesClassifier(forest, max_leaf_nodes=8, measure="joint").fit(frame, y)
    text = export_text(found.trees_[0, 0])
    assert "colour = green" in text
    assert "colour is missing" in text
    assert "size" in text
    assert "feature_" not in text
    (ax,) = found.distilled_.plot()
    assert {"green", "missing"} <= {drawn.get_text() for drawn in ax.texts}
    plt.close("all")


def test_trees_tell_shares_of_the_measure_and_no_numbers_of_samples():
    frame, y, forest = coloured()
    found = DistilledTreesClassifier(forest, max_leaf_nodes=4, measure="joint").fit(frame, y)
    tree = found.trees_[0, 0]
    rules = leaf_rules(tree)
    leaves = tree.apply(found.encode(frame))
    assert [list(rule) for rule in rules] == [["leaf", "path", "share", "prediction"]] * tree.n_leaves
    shares = {rule["leaf"]: rule["share"] for rule in rules}
    for leaf in np.unique(leaves):
        assert shares[leaf] == pytest.approx(np.mean(leaves == leaf))
    assert leaf_rules(tree, as_frame=True)["share"].sum() == pytest.approx(1.0)
    drawn = [text.get_text() for text in plot_tree(tree)]
    assert not any("sample" in text for text in drawn)
    assert f"{100.0 * shares[rules[0]['leaf']]:.3g} %" in drawn[rules[0]["leaf"]]
    assert not any("sample" in text.get_text() for text in plot_tree(tree, proportion=True, ax=plt.figure().gca()))
    assert "samples = 100%" in export_graphviz(tree)
    path = plot_decision_path(tree, frame.iloc[0], ax=plt.figure().gca())
    assert not any("sample" in text.get_text() for text in path[0].axes.texts)
    plt.close("all")
    grown = DecisionTreeClassifier().fit(frame[["size"]], y)
    assert list(leaf_rules(grown)[0]) == ["leaf", "path", "n_samples", "prediction"]
    assert list(leaf_rules(DecisionTreeClassifier().fit([[0.0]], [1]))[0])[2] == "n_samples"


def test_ensembles_are_no_tree_and_errors_say_what_to_do():
    X, y = data("two")
    few = DistilledTreesClassifier(ENSEMBLES[0], **FEW).fit(X, y)
    for ensemble, message in (
        (ENSEMBLES[0], r"one tree, such as estimators_\[0\]; DistilledTreesClassifier makes one tree of the ensemble"),
        (ENSEMBLES[1], r"such as from_sklearn\(estimators_\[0\]\); DistilledTreesClassifier makes one tree"),
        (ENSEMBLES[2], r"got GradientBoostingClassifier: DistilledTreesClassifier makes one tree"),
        (ENSEMBLES[3], r"got HistGradientBoostingClassifier: DistilledTreesClassifier makes one tree"),
        (RandomForestRegressor(2), "DistilledTreesRegressor makes one tree of the ensemble"),
        (few, r"pass one of its trees, trees_\[0, 0\]"),
        (SklearnTree(), "convert it, by from_sklearn"),
    ):
        fitted = clone(ensemble).fit(X, y)
        for function in (export_sql, export_python, export_c, leaf_rules, export_text, export_graphviz, plot_tree):
            assert_refuses(TypeError, message, function, fitted)
    plt.close("all")


def test_words_without_categories_and_errors_say_what_to_do():
    frame, y, forest = coloured()
    boosted = HistGradientBoostingClassifier(categorical_features=["colour"])
    message = r"words in column 0 \('colour'\): HistGradientBoostingClassifier is read as .*OneHotEncoder, or give as"
    assert_refuses(ValueError, message, DistilledTreesClassifier(boosted).fit, frame, y)
    with pytest.raises(ValueError, match=r"categorical features; only splits .*OneHotEncoder, and fit it without"):
        DistilledTreesClassifier(FrozenEstimator(boosted.fit(frame, y))).fit(frame, y)
    with pytest.raises(ValueError, match=r"name this column in categorical_features of estimator\."):
        DistilledTreesClassifier(forest.set_params(categorical_features=None)).fit(frame, y)


def test_other_functions_take_it():
    X, y = data("two")
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    found = DistilledTreesClassifier(FrozenEstimator(forest), **FEW).fit(X, y)
    assert sobol_indices(found, X).variance == pytest.approx(found.distilled_.explained_variance.sum())
    assert model_distance(forest, found, X).distance == pytest.approx(found.distilled_.loss)
    np.testing.assert_allclose(additive_model(found).evaluate(X), found.distilled_.evaluate(X))
    assert merge([forest, found]).evaluate(X).shape == (len(X), 1)


# -------------------------------------------------------------------------------------------------------------- refused


def test_ensembles_and_parameters_that_are_refused():
    X, y = data("two")
    for regressor in (RandomForestRegressor(), DecisionForestRegressor(2), FrozenEstimator(RandomForestRegressor())):
        with pytest.raises(TypeError, match="DistilledTreesClassifier is a classifier and takes classification trees"):
            DistilledTreesClassifier(regressor).fit(X, y)

    class Counted(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError("is fitted before it is refused")

    assert_refuses(TypeError, r"got Counted\. These can be read", DistilledTreesClassifier(Counted()).fit, X, y)
    with pytest.raises(TypeError, match="got Pipeline: pass its last step"):
        DistilledTreesClassifier(make_pipeline(StandardScaler(), RandomForestClassifier(2))).fit(X, y)
    assert_refuses(NotFittedError, None, DistilledTreesClassifier(FrozenEstimator(RandomForestClassifier())).fit, X, y)
    assert_refuses(NotFittedError, None, DistilledTreesClassifier().predict, X)
    forest = FrozenEstimator(RandomForestClassifier(2, max_depth=2).fit(X, y))
    assert_refuses(ValueError, "X has 3 features; the trees have 4", DistilledTreesClassifier(forest).fit, X[:, :3], y)
    with pytest.raises(ValueError, match=r"y holds the classes \[2, 3\]; the trees know \[0, 1\]"):
        DistilledTreesClassifier(forest).fit(X, y + 2)
    for options in (
        {"estimator": "forest"}, {"estimator": [DecisionTreeClassifier()]}, {"n_trees": 0}, {"max_leaf_nodes": 1},
        {"max_leaf_nodes": None}, {"max_depth": 0}, {"measure": "normal"},
    ):  # fmt: skip
        assert_refuses(ValueError, f"'{next(iter(options))}' parameter", DistilledTreesClassifier(**options).fit, X, y)
    with pytest.raises(ValueError, match="measure has masses for 1 attributes"):
        DistilledTreesClassifier(forest, measure=[[1.0]]).fit(X, y)
    with pytest.raises(ValueError, match="categorical features"):
        DistilledTreesClassifier(HistGradientBoostingClassifier(categorical_features=[0], max_bins=5)).fit(
            np.hstack([y[:, np.newaxis], X]), y
        )


def test_ensembles_and_targets_that_are_refused():
    of_sklearn = RandomForestClassifier()
    for classifier in (of_sklearn, DecisionForestClassifier(2), FrozenEstimator(of_sklearn)):
        with pytest.raises(TypeError, match=r"is a regressor and takes regressors.* DistilledTreesClassifier takes"):
            DistilledTreesRegressor(classifier).fit(X, Y)
    with pytest.raises(TypeError, match=r"got LinearRegression\. These can be read"):
        DistilledTreesRegressor(LinearRegression()).fit(X, Y)
    both = np.column_stack([Y, Y])
    with pytest.raises(ValueError, match="DistilledTreesRegressor predicts one number"):
        DistilledTreesRegressor(RandomForestRegressor(2)).fit(X, both)
    frozen = FrozenEstimator(RandomForestRegressor(2, max_depth=2).fit(X, both))
    assert_refuses(ValueError, r"predicts 2 numbers.* distil makes trees", DistilledTreesRegressor(frozen).fit, X, Y)
    forest = FrozenEstimator(RandomForestRegressor(2, max_depth=2).fit(X, Y))
    for y, message in ((["a"] * len(Y), "words"), (np.full(len(Y), np.nan), "NaN")):
        assert_refuses(ValueError, message, DistilledTreesRegressor(forest).fit, X, y)
    assert_refuses(ValueError, "X has 3 features; the trees have 4", DistilledTreesRegressor(forest).fit, X[:, :3], Y)
    for options in ({"estimator": "forest"}, {"n_trees": 0}, {"max_leaf_nodes": 1}, {"measure": "normal"}):
        assert_refuses(ValueError, f"'{next(iter(options))}' parameter", DistilledTreesRegressor(**options).fit, X, Y)


def test_missing_values_are_refused_if_the_ensemble_refuses_them():
    X, y = data("two")
    with_missing = X.copy()
    with_missing[3, 1] = np.nan
    boosted = GradientBoostingClassifier(n_estimators=3)
    with pytest.raises(ValueError, match=r"NaN in column 1\. DistilledTreesClassifier does not accept missing"):
        DistilledTreesClassifier(boosted).fit(with_missing, y)
    found = DistilledTreesClassifier(boosted).fit(X, y)
    with pytest.raises(ValueError, match=r"NaN in column 1\. DistilledTreesClassifier does not accept missing"):
        found.predict(with_missing)
    before = dict(vars(found))
    assert_refuses(ValueError, "missing", found.fit, with_missing, y)
    assert vars(found) == before
    found = DistilledTreesClassifier(HistGradientBoostingClassifier(max_iter=3)).fit(with_missing, y)
    assert found.predict(with_missing).shape == (len(X),)
