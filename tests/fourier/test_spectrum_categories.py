"""Estimators on the Fourier algebra where features are categorical: codes, votes reproduced, unknown categories."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fourier_samples import SEEDS, assert_equal_trees
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import random_rows, random_tree, way
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    ReconstructedFourierTree,
    Tree,
)
from pytrees._tree_checks import MULTIWAY
from pytrees.fourier import gram, ordinal_codes, tree_from_ensemble

CATEGORICAL = {"categorical_features": ["colour", "size"]}


def table(n_rows=120, seed=0):
    """A colour, a size that is a number, and a number; labels that depend on all of them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["blue", "green", "red", "white"], n_rows, p=[0.4, 0.3, 0.27, 0.03]),
            "weight": np.round(rng.normal(size=n_rows), 1),
            "size": rng.choice([10, 20, 40], n_rows),
        }
    )
    odd = (X.colour == "red").to_numpy() ^ (X["size"] == 20).to_numpy() ^ (X.weight > 0.5).to_numpy()
    y = np.where(odd ^ (rng.random(n_rows) < 0.1), "yes", "no")
    X.loc[0, "colour"] = "white"
    return X, y


def everything():
    """All categories, and weights between all thresholds there may be."""
    weights = np.arange(-4.0, 4.0, 0.25)
    grid = np.array(np.meshgrid(["blue", "green", "red", "white"], weights, [10, 20, 40], indexing="ij"), dtype=object)
    X = pd.DataFrame(grid.reshape(3, -1).T, columns=["colour", "weight", "size"])
    return X.astype({"weight": float, "size": int})


def votes(trees, X):
    """The share of the trees that say the last class."""
    return np.mean([np.asarray(tree.predict(X)) == tree.classes_[-1] for tree in trees], axis=0)


FORESTS = [
    DecisionForestClassifier(4, max_depth=4, random_state=0, **CATEGORICAL),
    PermutationDecisionForestClassifier(4, max_depth=4, random_state=0, **CATEGORICAL),
]
ENSEMBLES = [*FORESTS, DecisionTreeClassifier(**CATEGORICAL), C45Classifier(**CATEGORICAL)]
NAMES = [type(ensemble).__name__ for ensemble in ENSEMBLES]


@examples(100)
@given(seed=SEEDS, sets=st.booleans())
def test_codes_of_plain_trees(engine, seed, sets):
    """Samples reach the same nodes, even with categories that no tree knows, also after trees are decoded."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 3) * (rng.random(3) < 0.7)
    trees = [random_tree(rng, sizes, depth=3, sets=sets) for _ in range(3)]
    X = random_rows(rng, sizes, 20)
    codes = ordinal_codes(trees)
    rows = codes.transform(X)
    asked = np.zeros(3, dtype=bool)
    for tree in trees:
        asked[tree.feature[tree.children_left == MULTIWAY]] = True
    np.testing.assert_array_equal(codes.is_categorical, asked)
    for m, categories in zip(np.flatnonzero(asked), codes.categories, strict=True):
        assert categories.tolist() == list(range(codes.cardinalities[m]))
    for tree, coded in zip(trees, codes.trees, strict=True):
        ends = [way(tree, row)[-1] for row in X]
        np.testing.assert_array_equal(coded.apply(rows), ends)
        decoded = codes.decode(coded)
        np.testing.assert_array_equal(decoded.apply(X), ends)
        np.testing.assert_array_equal(decoded.category, tree.category)
    inside = np.all((rows >= 0) & (rows < codes.cardinalities), axis=1)
    if inside.any():
        assert gram(codes.trees, codes.cardinalities, measure="empirical", X=rows[inside]).shape == (3, 3)


@pytest.mark.parametrize("ensemble", FORESTS, ids=NAMES[:2])
def test_codes_of_an_ensemble(ensemble):
    X, y = table()
    forest = clone(ensemble).fit(X, y)
    codes = ordinal_codes(forest)
    assert codes.is_categorical.tolist() == [True, False, True]
    assert [part.tolist() for part in codes.categories] == [part.tolist() for part in forest.categories_]
    assert codes.cardinalities[[0, 2]].tolist() == [4, 3]
    rows = codes.transform(X)
    np.testing.assert_array_equal(rows, codes.number(forest.encode(X)))
    np.testing.assert_array_equal(rows[:, [0, 2]], forest.encode(X)[:, [0, 2]])
    np.testing.assert_array_equal(np.column_stack([tree.apply(rows) for tree in codes.trees]), forest.apply(X))
    unknown = X.head(2).assign(colour=["black", "red"])
    assert codes.transform(unknown)[:, 0].tolist() == [-1, 2]
    assert pickle.loads(pickle.dumps(codes)).transform(X).tolist() == rows.tolist()


def test_categories_of_all_trees_together():
    """Bootstrap samples lack categories: every tree has its own codes, which become the codes of all trees."""
    X, y = table(40)
    X["colour"] = [f"c{i:02}" for i in np.random.default_rng(1).integers(0, 25, 40)]
    tree = DecisionTreeClassifier(categorical_features=[0, 2], handle_unknown="majority")
    bag = BaggingClassifier(tree, 5, random_state=0).fit(X.to_numpy(), y)
    assert len({len(member.categories_[0]) for member in bag.estimators_}) > 1
    codes = ordinal_codes(bag)
    known = set().union(*(member.categories_[0] for member in bag.estimators_))
    assert codes.categories[0].tolist() == sorted(known)
    rows = codes.transform(X.to_numpy())
    for member, coded in zip(bag.estimators_, codes.trees, strict=True):
        np.testing.assert_array_equal(coded.apply(rows), member.apply(X.to_numpy()))
    again = ordinal_codes(bag.estimators_)
    assert again.trees == codes.trees
    assert again.categories[0].tolist() == codes.categories[0].tolist()


def test_trees_that_differ_in_their_categorical_features():
    X, y = [[0, 0], [1, 2], [2, 1], [3, 3]], [0, 1, 1, 0]
    categorical = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    numeric = DecisionTreeClassifier().fit(X, y)
    assert_refuses(ValueError, "Feature 0 is categorical in some of the trees", ordinal_codes, [categorical, numeric])
    words = DecisionTreeClassifier(categorical_features=[0]).fit(np.array([["a", 0], ["b", 1]], dtype=object), [0, 1])
    assert_refuses(ValueError, "differ in the kinds of categories of feature 0", ordinal_codes, [categorical, words])
    codes = ordinal_codes(numeric)
    rebuilt = tree_from_ensemble(codes.trees, codes.cardinalities, categorical_features=[0, 1])
    assert_refuses(ValueError, r"takes feature [01] for categorical", codes.decode, rebuilt.tree)


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=NAMES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_reproduced(ensemble, n_classes):
    """One tree, and all components, say what the trees say: for every category, known to a node or not."""
    X, y = table()
    if n_classes == 3:
        y = np.where(X.colour == "green", "maybe", y)
    fitted, grid = clone(ensemble).fit(X, y), everything()
    trees = getattr(fitted, "estimators_", [fitted])
    expected = np.stack([np.mean([tree.predict(grid) == c for tree in trees], axis=0) for c in fitted.classes_], axis=1)
    if len(trees) > 1:
        made = [
            AggregatedFourierTreeClassifier(FrozenEstimator(fitted), max_leaf_nodes=None),
            AggregatedFourierTreeClassifier(trees, max_leaf_nodes=None, criterion="variance"),
            OrthogonalTreesClassifier(FrozenEstimator(fitted), n_components=1.0, max_leaf_nodes=None),
            OrthogonalTreesClassifier(trees, n_components=1.0, max_leaf_nodes=None, structure="shared", center=True),
        ]
    else:
        made = [ReconstructedFourierTree(FrozenEstimator(fitted)), ReconstructedFourierTree(clone(ensemble))]
    for one in made:
        one.fit(X, y)
        np.testing.assert_allclose(one.predict_proba(grid), expected, atol=1e-9)
        np.testing.assert_array_equal(one.predict(grid), one.classes_[np.round(expected, 9).argmax(axis=1)])
        assert one.is_categorical_.tolist() == [True, False, True]
        assert [part.tolist() for part in one.categories_] == [["blue", "green", "red", "white"], [10, 20, 40]]
        for tree in [one.tree_] if hasattr(one, "tree_") else [tree for tree, _ in one.trees_]:
            inner = np.flatnonzero(tree.feature >= 0)
            np.testing.assert_array_equal(tree.children_left[inner] == MULTIWAY, tree.feature[inner] != 1)


@pytest.mark.parametrize("structure", ["separate", "shared"])
def test_engines_agree(structure):
    X, y = table(60)
    forest = DecisionForestClassifier(3, max_depth=3, random_state=0, **CATEGORICAL).fit(X, y)
    one = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure="empirical", max_leaf_nodes=8)
    compiled, twin = on_both_engines(lambda: clone(one).fit(X, y))
    assert compiled.tree_.is_multiway
    assert_equal_trees(compiled.tree_, twin.tree_)
    np.testing.assert_array_equal(compiled.tree_.category, twin.tree_.category)
    few = OrthogonalTreesClassifier(
        FrozenEstimator(forest), measure="empirical", max_leaf_nodes=6, structure=structure, combine="least_squares"
    )
    compiled, twin = on_both_engines(lambda: clone(few).fit(X, y))
    for (tree, averages), (other, other_averages) in zip(compiled.trees_, twin.trees_, strict=True):
        assert_equal_trees(tree, other)
        np.testing.assert_allclose(averages, other_averages, atol=1e-10)
    np.testing.assert_allclose(compiled.evaluate(X), twin.evaluate(X), atol=1e-10)


def test_trees_are_bagged_on_codes():
    """Names and dtypes of columns reach the tree, and samples without a category do no harm."""
    X, y = table(60)
    by_dtype = X.astype({"colour": "category", "size": "category"})
    for made in (AggregatedFourierTreeClassifier, OrthogonalTreesClassifier):
        one = made(DecisionTreeClassifier(**CATEGORICAL), n_estimators=4, random_state=0).fit(X, y)
        other = made(DecisionTreeClassifier(categorical_features="from_dtype"), n_estimators=4, random_state=0)
        other.fit(by_dtype, y)
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(by_dtype))
        assert one.is_categorical_.tolist() == [True, False, True]
        in_a_bag = made(BaggingClassifier(DecisionTreeClassifier(**CATEGORICAL), 4, random_state=0)).fit(X, y)
        assert in_a_bag.categories_[0].tolist() == ["blue", "green", "red", "white"]
        assert in_a_bag.score(X, y) > 0.8
        assert pickle.loads(pickle.dumps(one)).predict(X).tolist() == one.predict(X).tolist()
        assert one.__sklearn_tags__().input_tags.categorical
        assert not made(DecisionTreeClassifier()).__sklearn_tags__().input_tags.categorical


def test_unknown_categories():
    """Refused as the ensemble refuses them, or at the first node that asks for them."""
    X, y = table()
    unknown = X.head(3).assign(colour="black")
    tree = DecisionTreeClassifier(**CATEGORICAL)
    one = ReconstructedFourierTree(tree).fit(X, y)
    assert_refuses(ValueError, r"unknown categories in column 0 \('colour'\).*'black'", one.predict, unknown)
    one.set_params(estimator__handle_unknown="majority")
    nodes = one.apply(unknown)
    assert np.all(one.tree_.feature[nodes] == 0)
    np.testing.assert_array_equal(one.predict_proba(unknown), one.tree_.shares[nodes])
    for made in (AggregatedFourierTreeClassifier, OrthogonalTreesClassifier):
        forest = DecisionForestClassifier(3, random_state=0, **CATEGORICAL).fit(X, y)
        few = made(FrozenEstimator(forest)).fit(X, y)
        for call in (few.predict, lambda X, y=y, few=few: few.fit(X, y[:3])):
            assert_refuses(ValueError, "unknown categories", call, unknown)
        forest.set_params(handle_unknown="majority")
        assert few.predict(unknown).shape == (3,)
        with pytest.raises(ValueError, match="outside the cardinality in column 0"):
            made(FrozenEstimator(forest), measure="empirical").fit(unknown, y[:3])


def test_categories_of_samples_without_weight_are_unknown():
    X, y = table()
    weights = (X.colour != "white").to_numpy().astype(float)
    for made in (ReconstructedFourierTree, AggregatedFourierTreeClassifier, OrthogonalTreesClassifier):
        tree = DecisionTreeClassifier(handle_unknown="majority", **CATEGORICAL)
        one = made(tree, random_state=0).fit(X, y, sample_weight=weights)
        assert one.categories_[0].tolist() == ["blue", "green", "red"]
        assert one.encode(X.head(1))[0, 0] == -1


def test_plain_trees_of_codes():
    """A Tree knows codes only; others than those stay, as they do in the tree itself."""
    rng = np.random.default_rng(0)
    trees = [random_tree(rng, [3, 0], n_classes=2, depth=3, deepest_share=1.0) for _ in range(4)]
    X = np.array([[a, b] for a in (0, 1, 2) for b in (0.0, 1.0, 2.0, 3.0, 9.0)])
    one = AggregatedFourierTreeClassifier(trees, max_leaf_nodes=None).fit(X, np.arange(len(X)) % 2)
    expected = np.mean([tree.predict(X) for tree in trees], axis=0)
    np.testing.assert_allclose(one.predict_proba(X)[:, 1], expected, atol=1e-12)
    assert one.predict([[7.0, 1.0]]).shape == (1,)
    with pytest.raises(ValueError, match="X has 3 features; the trees have 2"):
        AggregatedFourierTreeClassifier(trees).fit(np.zeros((2, 3)), [0, 1])


@pytest.mark.parametrize("limits", [{"energy": 0.9}, {"max_order": 1}, {"energy": 1.0}])
def test_truncated_spectra(limits):
    X, y = table()
    one = ReconstructedFourierTree(DecisionTreeClassifier(max_depth=4, **CATEGORICAL), **limits).fit(X, y)
    inner = one.tree_.feature >= 0
    np.testing.assert_array_equal(one.tree_.children_left[inner] == MULTIWAY, one.tree_.feature[inner] != 1)
    if limits == {"energy": 1.0}:
        tree = DecisionTreeClassifier(max_depth=4, **CATEGORICAL).fit(X, y)
        np.testing.assert_array_equal(one.predict(everything()), tree.predict(everything()))


def test_ensembles_without_categories_have_none():
    X, y = table()
    X = X[["weight", "size"]]
    one = AggregatedFourierTreeClassifier(RandomForestClassifier(3, random_state=0)).fit(X, y)
    assert one.is_categorical_ is None
    assert one.categories_ == []
    np.testing.assert_array_equal(one.encode(X), X)
    assert isinstance(one.tree_, Tree)
    assert not one.tree_.is_multiway
