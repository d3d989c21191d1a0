"""Estimators on the Fourier algebra: rebuilt, aggregated and orthogonal trees, against tables of all values."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fourier_samples import SEEDS, Problem, assert_equal_trees
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor
from support import assert_refuses, examples, on_both_engines

from pytrees import (
    AggregatedFourierTreeClassifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    ReconstructedFourierTree,
    Tree,
)
from pytrees.fourier import ordinal_codes
from pytrees.fourier.base import nearest_shares
from pytrees.fourier.orthogonal import with_signs


def orthogonal(trees, **parameters):
    return OrthogonalTreesClassifier(trees, **{"n_components": 1.0, "max_leaf_nodes": None, **parameters})


# ------------------------------------------------------------------------------------------------- principal components


@examples(25)
@given(
    seed=SEEDS,
    n_classes=st.sampled_from([2, 3]),
    measure=st.sampled_from(["uniform", "empirical", "masses"]),
    center=st.booleans(),
    structure=st.sampled_from(["separate", "shared"]),
)
def test_components_equal_the_principal_components_of_all_values(seed, n_classes, measure, center, structure):
    problem = Problem(seed, n_classes, n_trees=3)  # few: the reference is slow
    measure, masses = problem.measured(measure)
    tables = problem.tables - (problem.tables @ masses)[:, :, np.newaxis] * center
    products = np.einsum("sqp,tqp,p->st", tables, tables, masses)
    estimator = orthogonal(problem.trees, measure=measure, center=center, structure=structure)
    fitted, reference = on_both_engines(lambda: problem.fit(clone(estimator)))
    for (tree, averages), (other, other_averages) in zip(fitted.trees_, reference.trees_, strict=True):
        assert_equal_trees(tree, other)
        assert tree.value.shape == (tree.node_count, 1)
        assert tree.value[0] == pytest.approx(1.0)
        np.testing.assert_allclose(averages, other_averages, rtol=0.0, atol=1e-12)
    energies = np.linalg.eigvalsh(products)[::-1]
    rank = np.count_nonzero(energies > 1e-11 * np.einsum("tqp,p->t", problem.tables, masses).max())
    assert fitted.n_components_ == rank
    np.testing.assert_allclose(fitted.explained_variance_, energies[:rank], atol=1e-12)
    np.testing.assert_allclose(fitted.explained_variance_ratio_.sum(), float(rank > 0), atol=1e-9)
    np.testing.assert_allclose(fitted.gram_, np.diag(energies[:rank]), atol=1e-10)
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(rank), atol=1e-9)
    np.testing.assert_allclose(fitted.components_ @ products, energies[:rank, None] * fitted.components_, atol=1e-9)
    assert np.all(fitted.components_.sum(axis=1) >= -1e-9)
    expected = np.einsum("ct,tqp->pcq", fitted.components_, tables)
    np.testing.assert_allclose(fitted.evaluate(problem.X), expected, atol=1e-10)


@examples(40)
@given(
    seed=SEEDS,
    n_classes=st.sampled_from([2, 3]),
    center=st.booleans(),
    structure=st.sampled_from(["separate", "shared"]),
)
def test_all_components_vote_like_the_ensemble(seed, n_classes, center, structure):
    problem = Problem(seed, n_classes)
    fitted = problem.fit(orthogonal(problem.trees, center=center, structure=structure))
    np.testing.assert_allclose(fitted.predict_proba(problem.X), problem.scores, atol=1e-9)
    rounded = np.round(problem.scores, 9)
    assert fitted.predict(problem.X).tolist() == rounded.argmax(axis=1).tolist()


@examples(40)
@given(seed=SEEDS, center=st.booleans(), n_classes=st.sampled_from([2, 3]), max_leaf_nodes=st.integers(2, 5))
def test_a_shared_structure_is_orthogonal_at_any_size(seed, center, n_classes, max_leaf_nodes):
    problem = Problem(seed, n_classes)
    fitted = problem.fit(
        orthogonal(
            problem.trees, center=center, structure="shared", max_leaf_nodes=max_leaf_nodes, measure=problem.masses
        )
    )
    assert np.all(fitted.node_counts_ < 2 * max_leaf_nodes)
    outside = fitted.gram_ - np.diag(np.diag(fitted.gram_))
    np.testing.assert_allclose(outside, 0.0, atol=1e-10)
    assert np.all(np.diff(np.diag(fitted.gram_)) <= 1e-10)
    identity = np.eye(fitted.n_components_)
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, identity, atol=1e-9)


def test_bounded_separate_trees_are_nearly_orthogonal(engine):
    X, y = load_breast_cancer(return_X_y=True)
    forest = DecisionForestClassifier(3, max_depth=2, random_state=0)
    gram = orthogonal(forest, max_leaf_nodes=3).fit(X, y).gram_
    outside = np.abs(gram - np.diag(np.diag(gram))).max()
    assert 1e-6 < outside < gram[0, 0]


@examples(40)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]), center=st.booleans(), max_leaf_nodes=st.integers(2, 4))
def test_least_squares_leaves_residuals_that_components_do_not_explain(seed, n_classes, center, max_leaf_nodes):
    problem = Problem(seed, n_classes)
    estimator = orthogonal(problem.trees, combine="least_squares", center=center, max_leaf_nodes=max_leaf_nodes)
    fitted = problem.fit(estimator)
    outputs = fitted.evaluate(problem.X[problem.rows])
    classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    targets = (problem.y[:, np.newaxis] == classes).astype(float)
    residuals = targets - fitted.intercept_ - np.einsum("c,ncq->nq", fitted.weights_, outputs)
    np.testing.assert_allclose(np.einsum("ncq,nq->c", outputs, residuals), 0.0, atol=1e-8)
    if center:
        np.testing.assert_allclose(residuals.sum(axis=0), 0.0, atol=1e-8)
    else:
        assert not fitted.intercept_.any()


@examples(40)
@given(seed=SEEDS, n_classes=st.sampled_from([2, 3]))
def test_the_first_component_is_a_weighted_vote(seed, n_classes):
    problem = Problem(seed, n_classes)
    fitted = problem.fit(orthogonal(problem.trees, combine="first"))
    if fitted.n_components_ == 0:
        assert not fitted.predict(problem.X).any()
        return
    assert not fitted.weights_[1:].any()
    weights = fitted.components_[0] / fitted.components_[0].sum()
    votes = np.einsum("t,tqp->pq", weights, problem.tables)
    scores = np.hstack([1.0 - votes, votes]) if n_classes == 2 else votes
    np.testing.assert_allclose(fitted.predict_proba(problem.X), nearest_shares(scores), atol=1e-9)


def test_number_of_components(engine):
    problem = Problem(5, n_trees=6)
    whole = problem.fit(orthogonal(problem.trees))
    ratios = np.cumsum(whole.explained_variance_ratio_)
    for share in (0.3, 0.8, 0.95, float(ratios[1])):
        fitted = problem.fit(orthogonal(problem.trees, n_components=share))
        assert fitted.n_components_ == np.count_nonzero(ratios < share - 1e-9) + 1
    assert problem.fit(orthogonal(problem.trees, n_components=2)).components_.tolist() == whole.components_[:2].tolist()
    twice = [problem.trees[0]] * 3
    assert problem.fit(orthogonal(twice, n_components=1)).n_components_ == 1
    with pytest.raises(ValueError, match="n_components=2, but the functions of the 3 trees have rank 1"):
        problem.fit(orthogonal(twice, n_components=2))


def test_equal_eigenvalues_have_the_same_components_on_both_engines():
    """Five trees that differ in one attribute each: rounding must not choose among their eigenvectors."""
    X = np.stack(np.unravel_index(np.arange(3**5), (3,) * 5), axis=1).astype(float)
    y = (X == 0.0)[:, 0].astype(int)
    tree = DecisionTreeClassifier().fit(X[:, :1], y).tree_
    trees = [
        Tree(tree.children_left, tree.children_right, np.where(tree.feature < 0, -2, m), *arrays, n_features=5)
        for m in range(5)
        for arrays in [(tree.threshold, tree.n_node_samples, tree.value, tree.gain)]
    ]
    for options in ({"center": True}, {"center": True, "structure": "shared", "measure": "empirical"}, {}):
        fitted, reference = on_both_engines(lambda options=options: orthogonal(trees, **options).fit(X, y))
        assert fitted.n_components_ == 5
        np.testing.assert_array_equal(fitted.components_, reference.components_)


def test_trees_without_variance_have_no_component(engine):
    """Trees that say one class where there is mass: what rounding leaves of their variance is none."""
    X, y = np.array([[0.0], [0.0], [1.0]] * 3), np.array([0, 1, 1] * 3)
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    fitted = orthogonal([tree, tree], center=True, measure=[[0.0, 1.0]]).fit(X, y)
    assert fitted.n_components_ == 0
    assert fitted.predict(X).tolist() == [1] * 9


def test_trees_that_all_predict_the_first_class_have_no_component(engine):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    says_no = DecisionTreeClassifier(max_depth=1).fit([[0.0], [0.0], [0.0]], ["no", "no", "yes"])
    X, y = [[0.0], [1.0]], ["no", "yes"]
    for combine in ("vote", "first", "least_squares"):
        fitted = OrthogonalTreesClassifier([says_no, says_no], combine=combine).fit(X, y)
        assert fitted.n_components_ == 0
        assert fitted.gram_.shape == (0, 0)
        assert fitted.predict(X).tolist() == ["no", "no"]
    with pytest.raises(ValueError, match="rank 0: every tree predicts one class everywhere"):
        OrthogonalTreesClassifier([says_no], n_components=1).fit(X, y)
    assert OrthogonalTreesClassifier([tree, says_no, tree]).fit(X, y).predict(X).tolist() == y


def test_one_class():
    X = [[0.0], [1.0]]
    for estimator in (OrthogonalTreesClassifier(), AggregatedFourierTreeClassifier(), ReconstructedFourierTree()):
        fitted = estimator.fit(X, ["only", "only"])
        assert fitted.predict(X).tolist() == ["only", "only"]
        assert fitted.predict_proba(X).tolist() == [[1.0], [1.0]]


def test_signs():
    half = np.sqrt(0.5)
    given = [[-0.6, -0.8], [0.6, -0.8], [-half, half], [half, -half]]
    signed = [[0.6, 0.8], [-0.6, 0.8], [half, -half], [half, -half]]
    np.testing.assert_array_equal(with_signs(np.array(given)), signed)
    noise = np.array([[0.0, 0.0], [0.0, 0.0], [1e-13, 3e-13], [-1e-13, -3e-13]])
    np.testing.assert_allclose(with_signs(np.array(given) + noise), signed, rtol=0.0, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------ ensembles


ENSEMBLES = [
    RandomForestClassifier(5, max_depth=4, random_state=0),
    ExtraTreesClassifier(5, max_depth=4, random_state=0),
    BaggingClassifier(SklearnTree(max_depth=4), 5, max_features=0.5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=4), 5, max_features=0.5, random_state=0),
    DecisionForestClassifier(5, max_depth=4, random_state=0),
    ID3ForestClassifier(5, evaluation="global", max_leaf_nodes=8, random_state=0),  # leaves not of the majority
]


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda ensemble: type(ensemble).__name__)
def test_ensembles_of_continuous_features_are_reproduced(ensemble, load):
    """The vote of the trees, to the last row: also where values are rounded to float32 next to a threshold."""
    X, y = load(return_X_y=True)
    X, y = X[:, :4], np.array(["a", "b", "c"])[y]
    ensemble = clone(ensemble).fit(X, y)
    cuts = ordinal_codes(ensemble).thresholds
    near = np.stack([np.resize(np.concatenate([part, np.nextafter(part, np.inf), part]), 600) for part in cuts], axis=1)
    rows = np.concatenate([X, near])
    columns = getattr(ensemble, "estimators_features_", [slice(None)] * len(ensemble.estimators_))
    votes = np.zeros((len(rows), len(ensemble.classes_)))
    for tree, chosen in zip(ensemble.estimators_, columns, strict=True):
        said = tree.predict(rows[:, chosen])  # scikit-learn's trees predict codes
        said = np.searchsorted(ensemble.classes_, said) if said.dtype.kind == "U" else said.astype(int)
        votes[np.arange(len(rows)), said] += 1.0 / len(columns)
    expected = ensemble.classes_[np.round(votes, 9).argmax(axis=1)]
    one = AggregatedFourierTreeClassifier(FrozenEstimator(ensemble), max_leaf_nodes=None).fit(X, y)
    np.testing.assert_array_equal(one.predict(rows), expected)
    np.testing.assert_allclose(one.predict_proba(rows), votes, atol=1e-9)
    all_of_them = orthogonal(FrozenEstimator(ensemble), structure="shared").fit(X, y)
    np.testing.assert_array_equal(all_of_them.predict(rows), expected)
    np.testing.assert_allclose(all_of_them.predict_proba(rows), votes, atol=1e-9)


@given(seed=SEEDS, exponent=st.integers(-140, 120))
def test_decoded_trees_give_the_leaves_of_scikit_learn(seed, exponent):
    rng = np.random.default_rng(seed)
    X = np.ldexp(1.0 + rng.integers(0, 4, (12, 2)) * 2.0**-23, exponent) * rng.choice([-1.0, 1.0], (12, 2))
    forest = RandomForestClassifier(2, random_state=int(seed % 1000)).fit(X, np.arange(12) % 2)
    codes = ordinal_codes(forest)
    cuts = np.concatenate([X.ravel(), *codes.thresholds])
    halves = 0.5 * cuts[:, None] + 0.5 * cuts
    values = np.concatenate(
        [halves.ravel(), np.nextafter(halves, np.inf).ravel(), np.nextafter(halves, -np.inf).ravel()]
    )
    rows = np.stack([values, values[::-1]], axis=1)
    for coded, tree in zip(codes.trees, forest.estimators_, strict=True):
        np.testing.assert_array_equal(codes.decode(coded).apply(rows), tree.apply(rows))


@examples(30)
@given(seed=SEEDS)
def test_decoded_trees_of_pytrees_are_the_trees(seed):
    problem = Problem(seed)
    for coded, tree in zip(problem.codes.trees, problem.trees, strict=True):
        assert problem.codes.decode(coded) == tree


def test_frozen_ensembles_and_lists_of_trees_are_not_fitted_again():
    X, y = load_iris(return_X_y=True)
    forest = DecisionForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
    frozen = OrthogonalTreesClassifier(FrozenEstimator(forest), random_state=0).fit(X[::-1], y[::-1])
    listed = OrthogonalTreesClassifier(forest.estimators_).fit(X, y)
    numbered = OrthogonalTreesClassifier([tree.tree_ for tree in forest.estimators_]).fit(X, y)
    afresh = OrthogonalTreesClassifier(DecisionForestClassifier(4, max_depth=2), random_state=0).fit(X, y)
    for other in (listed, numbered, afresh):
        assert [tree for tree, _ in other.trees_] == [tree for tree, _ in frozen.trees_]
    assert clone(frozen).fit(X, y).components_.tolist() == frozen.components_.tolist()
    tree = FrozenEstimator(forest.estimators_[0])  # one tree is not grown again
    assert OrthogonalTreesClassifier(tree).fit(X, y).components_.tolist() == [[1.0]]
    np.testing.assert_array_equal(ReconstructedFourierTree(tree).fit(X, y).predict(X), tree.predict(X))
    bagged = OrthogonalTreesClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0).fit(X, y)
    again = OrthogonalTreesClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0).fit(X, y)
    assert bagged.member_node_counts_.tolist() == again.member_node_counts_.tolist()
    assert bagged.components_.shape[1] == 3


@pytest.mark.parametrize("combine", ["vote", "least_squares"])
def test_classes_in_the_order_of_their_scale(combine):
    X, y = load_iris(return_X_y=True)
    words = np.array(["low", "medium", "high"])
    ordinal = OrdinalDecisionForestClassifier(5, classes=words, max_depth=3, random_state=0)
    named = OrthogonalTreesClassifier(ordinal, combine=combine).fit(X, words[y])
    numbered = OrthogonalTreesClassifier(clone(ordinal).set_params(classes=None), combine=combine).fit(X, y)
    assert named.classes_.tolist() == words.tolist()
    np.testing.assert_array_equal(named.predict(X), words[numbered.predict(X)])
    assert named.score(X, words[y]) > 0.9


@pytest.mark.parametrize(
    "make",
    [OrthogonalTreesClassifier, AggregatedFourierTreeClassifier, ReconstructedFourierTree],
    ids=lambda m: m.__name__,
)
def test_ordered_categories_give_an_ordinal_ensemble_its_order(make):
    X, y = load_iris(return_X_y=True)
    words = pd.Categorical.from_codes(y, ["low", "medium", "high"], ordered=True)
    ordinal = OrdinalDecisionForestClassifier(3, max_depth=2, random_state=0)
    if make is ReconstructedFourierTree:
        ordinal = OrdinalDecisionTreeClassifier(max_depth=2)
    named = make(ordinal).fit(X, pd.Series(words, name="grade"))
    given = make(clone(ordinal).set_params(classes=["low", "medium", "high"])).fit(X, np.asarray(words))
    assert named.classes_.tolist() == ["low", "medium", "high"]
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))
    assert ordinal.classes is None
    two = make(ordinal).fit(X[50:], words[50:])
    assert two.classes_.tolist() == ["medium", "high"]


def test_bagging_of_ordinal_trees_says_that_it_loses_the_order():
    X, y = load_iris(return_X_y=True)
    words = pd.Categorical.from_codes(y, ["low", "medium", "high"], ordered=True)
    bagged = OrthogonalTreesClassifier(OrdinalDecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0)
    with pytest.warns(UserWarning, match="sorted order, not in the order of the categories"):
        bagged.fit(X, words)


# --------------------------------------------------------------------------------------------------------------- pieces


@given(st.lists(st.lists(st.floats(-3, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_nearest_shares_by_bisection(scores):
    scores = np.round(scores, 6)
    shares = nearest_shares(scores)
    for row, share in zip(scores, shares, strict=True):
        low, high = row.min() - 1.0, row.max()
        for _ in range(60):  # what is taken from all scores so that those above zero sum to one
            middle = (low + high) / 2
            low, high = (middle, high) if np.maximum(row - middle, 0.0).sum() > 1.0 else (low, middle)
        np.testing.assert_allclose(share, np.maximum(row - low, 0.0), atol=1e-9)
        assert share.argmax() == row.argmax()


# ---------------------------------------------------------------------------------------------------- as scikit-learn's


@pytest.mark.parametrize(
    "estimator", [OrthogonalTreesClassifier(), AggregatedFourierTreeClassifier(), ReconstructedFourierTree()], ids=repr
)
def test_frames_and_pickles(estimator):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = clone(estimator).set_params(random_state=0).fit(X, y)
    assert list(fitted.feature_names_in_) == list(X.columns)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(X), fitted.predict_proba(X))
    assert_refuses(ValueError, "feature names", fitted.predict, pd.DataFrame(X.to_numpy(), columns=list("abcd")))
    assert_refuses(NotFittedError, None, clone(estimator).predict, X)
    before = pickle.dumps(fitted)
    assert_refuses(ValueError, "infinity", fitted.fit, X.replace(X.iloc[0, 0], np.inf), y)
    assert pickle.dumps(fitted) == before


def test_trees_split_the_original_features():
    X, y = load_iris(return_X_y=True)
    fitted = OrthogonalTreesClassifier(RandomForestClassifier(5, random_state=0), n_components=2).fit(X, y)
    tree, averages = fitted.trees_[0]
    np.testing.assert_array_equal(fitted.evaluate(X)[:, 0], averages[tree.apply(X)])
    assert fitted.merged_node_counts_.shape == fitted.node_counts_.shape == (2,)
    assert np.all(fitted.merged_node_counts_ <= fitted.node_counts_)


@pytest.mark.parametrize("make", [OrthogonalTreesClassifier, AggregatedFourierTreeClassifier])
def test_incompatible_trees_are_refused(engine, make):
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    binary = DecisionTreeClassifier(max_depth=2).fit(X[:100], y[:100])
    others = DecisionTreeClassifier(max_depth=2).fit(X, y + 1)
    narrow = DecisionTreeClassifier(max_depth=2).fit(X[:, :2], y)
    sklearns = SklearnTree(max_depth=2).fit(X, y)
    for trees, message in [
        ([tree.tree_, binary.tree_], "differ in their features or classes"),
        ([tree, binary], "differ in their"),
        ([tree, others], "differ in their classes"),
        ([tree, narrow], "differ in their features or classes"),
        ([narrow], "X has 4 features; the trees have 2"),
        ([tree, sklearns], "code them apart"),
        ([binary], r"y holds the classes \[2\]; the trees know \[0, 1\]"),
        ([binary.tree_], "There are 3 classes, but a tree knows 2"),
        ([], "There are no trees"),
    ]:
        assert_refuses(ValueError, message, make(trees).fit, X, y)
    assert_refuses(TypeError, "classification tree", make([DecisionTreeRegressor().fit(X, y)]).fit, X, y)
    for unfitted in ([DecisionTreeClassifier()], FrozenEstimator(RandomForestClassifier())):
        assert_refuses(NotFittedError, None, make(unfitted).fit, X, y)
    for parameters in ({"measure": "normal"}, {"max_leaf_nodes": 1}, {"estimator": "tree"}, {"n_estimators": 0}):
        assert_refuses(ValueError, f"'{next(iter(parameters))}' parameter", make(**parameters).fit, X, y)
    assert_refuses(ValueError, "measure has masses for 1 attributes", make([tree], measure=[[1.0]]).fit, X, y)


def test_great_weights_of_trees_have_the_shares_of_small_ones(engine):
    X, y = load_iris(return_X_y=True)
    trees = [DecisionTreeClassifier(max_depth=depth).fit(X, y) for depth in (1, 2)]
    small, great = (
        AggregatedFourierTreeClassifier(trees, weights=weights).fit(X, y) for weights in ([3, 4], [0.75e308, 1e308])
    )
    np.testing.assert_allclose(great.averages_, small.averages_, rtol=1e-12)


def test_invalid_parameters_are_refused(engine):
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    for weights in ([1.0], [1.0, -1.0], [0.0, 0.0], [1.0, np.nan]):
        with pytest.raises(ValueError, match="weights must be 2 numbers"):
            AggregatedFourierTreeClassifier([tree, tree], weights=weights).fit(X, y)
    with pytest.raises(ValueError, match="weights contains a number that is beyond the range of float64"):
        AggregatedFourierTreeClassifier([tree, tree], weights=[1, 10**400]).fit(X, y)
    for make in (AggregatedFourierTreeClassifier, ReconstructedFourierTree):
        for energy in (0.0, -0.5, 1.5, np.nan):
            assert_refuses(ValueError, "'energy' parameter", make(energy=energy).fit, X, y)
    for make in (OrthogonalTreesClassifier, ReconstructedFourierTree):
        for least in (0.0, 1.5, "x"):
            assert_refuses(ValueError, "'min_confidence' parameter", make(min_confidence=least).fit, X, y)
    for options in ({"energy": 0.9}, {"max_order": 1}):
        with pytest.raises(ValueError, match="spectra need measure='uniform'"):
            AggregatedFourierTreeClassifier([tree], measure="empirical", **options).fit(X, y)
        rebuilt = ReconstructedFourierTree(tree, measure="joint", **options)
        assert_refuses(ValueError, "spectra need measure='uniform'", rebuilt.fit, X, y)
    for several in ([tree, tree], RandomForestClassifier()):
        assert_refuses(ValueError, "One tree is rebuilt", ReconstructedFourierTree(several).fit, X, y)
    for parameters in ({"combine": "mean"}, {"structure": "one"}, {"n_components": 0}, {"n_components": 1.5}):
        with pytest.raises(ValueError, match=f"'{next(iter(parameters))}' parameter"):
            OrthogonalTreesClassifier(**parameters).fit(X, y)
