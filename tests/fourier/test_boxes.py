"""Inner products and averages without spectra: against all points of the domain, under any product measure."""

import numpy as np
import pytest
from fourier_samples import (
    CLOSE,
    KINDS,
    SEEDS,
    beside_thresholds,
    domain,
    indicator,
    joined,
    probabilities,
    random_measure,
    random_schema,
    random_tree,
    random_trees,
    sample_trees,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, FourierSpectrum, ID3Classifier
from pytrees._engine import kernel
from pytrees.fourier import gram, ordinal_codes, schema_average, tree_from_ensemble, tree_inner
from pytrees.fourier.boxes import Leaves, box_of_schema
from pytrees.fourier.measures import measure_of

MEASURES = st.sampled_from(["uniform", "masses", "empirical"])


@examples(250)
@given(seed=SEEDS, kind=KINDS, measure=MEASURES)
def test_gram(engine, seed, kind, measure):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=3)
    measure, masses = random_measure(rng, cardinalities, measure)
    mass = probabilities(masses)
    tables = [table_of(tree, cardinalities) for tree in trees]
    expected = [[(mass * f * g).sum() for g in tables] for f in tables]
    found = gram(trees, cardinalities, **measure)
    np.testing.assert_allclose(found, expected, **CLOSE)
    np.testing.assert_array_equal(found, found.T)
    assert tree_inner(trees[0], trees[2], cardinalities, **measure) == pytest.approx(expected[0][2], abs=1e-12)


@examples(50)
@given(seed=SEEDS, kind=MEASURES)
def test_several_outputs_at_the_leaves(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, n_trees=2, n_classes=3)
    measure, masses = random_measure(rng, cardinalities, kind)
    mass = probabilities(masses)
    values = [rng.normal(size=(tree.node_count, 3)) for tree in trees]
    columns = [[table_of(t, cardinalities, v[:, k]) for k in range(3)] for t, v in zip(trees, values, strict=True)]
    expected = [[sum((mass * f * g).sum() for f, g in zip(a, b, strict=True)) for b in columns] for a in columns]
    np.testing.assert_allclose(gram(trees, cardinalities, values=values, **measure), expected, **CLOSE)
    one_hot = [np.stack([indicator(tree, k) for k in range(3)], axis=1) for tree in trees]
    every_class = gram(trees, cardinalities, class_index=None, **measure)
    np.testing.assert_array_equal(every_class, gram(trees, cardinalities, values=one_hot, **measure))
    assert every_class[0, 0] == pytest.approx(1.0)


@examples(100)
@given(seed=SEEDS, kind=MEASURES)
def test_schema_average(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, n_trees=2, n_classes=3)
    measure, masses = random_measure(rng, cardinalities, kind)
    mass = probabilities(masses)
    weights = rng.normal(size=2)
    schema, mask = random_schema(rng, cardinalities)
    if not (mass * mask).sum():
        assert_refuses(ValueError, "probability zero", schema_average, trees, schema, cardinalities, **measure)
        return
    one_hot = [np.stack([indicator(tree, k) for k in range(3)], axis=1) for tree in trees]
    expected = [
        sum(
            w * np.average(table_of(tree, cardinalities, v[:, k])[mask], weights=mass[mask])
            for w, tree, v in zip(weights, trees, one_hot, strict=True)
        )
        for k in range(3)
    ]
    arguments = {"weights": weights, **measure}
    np.testing.assert_allclose(
        schema_average(trees, schema, cardinalities, class_index=None, **arguments), expected, **CLOSE
    )
    for class_index in (0, 1, 2, -1):
        average = schema_average(trees, schema, cardinalities, class_index=class_index, **arguments)
        assert average == pytest.approx(expected[class_index], abs=1e-12)


def without_nan(rows):
    return np.nan_to_num(np.asarray(rows, dtype=np.float64), nan=-1.0)


@examples(50)
@given(seed=SEEDS, kind=MEASURES)
def test_engines_agree(seed, kind):
    """Boxes of any sets of values: schemata stand in for leaves of nodes with more than two children."""
    rng, cardinalities, _ = sample_trees(seed, n_trees=2)
    measure, _ = random_measure(rng, cardinalities, kind)
    arrays = measure_of(measure.get("measure", "uniform"), cardinalities, measure.get("X"))
    boxes = joined([box_of_schema(random_schema(rng, cardinalities)[0], cardinalities) for _ in range(4)])
    values, trees = rng.normal(size=(4, 2)), np.array([0, 1, 4])
    products = on_both_engines(lambda: np.asarray(kernel("gram")(trees, boxes, values, arrays)))
    np.testing.assert_allclose(*products, **CLOSE)
    averages = on_both_engines(lambda: without_nan(kernel("box_averages")(boxes, values, boxes, arrays)))
    np.testing.assert_allclose(*averages, **CLOSE)


@examples(30)
@given(seed=SEEDS, kind=MEASURES)
def test_classes_are_outputs_that_add_up(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, n_trees=2, n_classes=3)
    measure, _ = random_measure(rng, cardinalities, kind)
    of_classes = [gram(trees, cardinalities, class_index=k, **measure) for k in range(3)]
    np.testing.assert_allclose(gram(trees, cardinalities, class_index=None, **measure), sum(of_classes), **CLOSE)
    values = [rng.integers(-1, 2, (tree.node_count, 3)) for tree in trees]  # some nodes have several
    of_outputs = [gram(trees, cardinalities, values=[part[:, k] for part in values], **measure) for k in range(3)]
    np.testing.assert_allclose(gram(trees, cardinalities, values=values, **measure), sum(of_outputs), **CLOSE)


def test_thousands_of_values():
    """Only intervals are kept, whatever the cardinality."""
    rng = np.random.default_rng(0)
    cardinalities = [5000, 3000, 4000]
    trees = random_trees(rng, cardinalities, 5)
    X = rng.integers(0, cardinalities, (20_000, 3))
    outputs = np.stack([tree.majority_at(tree.apply(X)) for tree in trees], axis=1)
    np.testing.assert_allclose(gram(trees, cardinalities), outputs.T @ outputs / len(X), atol=0.03)


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(5, random_state=0),
        BaggingClassifier(SklearnTreeClassifier(), n_estimators=4, max_features=3, random_state=0),
        DecisionForestClassifier(5, random_state=0),
        SklearnTreeClassifier(),
        DecisionTreeClassifier(),
    ],
    ids=lambda ensemble: type(ensemble).__module__.split(".")[0] + type(ensemble).__name__,
)
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_codes_reproduce_every_leaf(ensemble, load):
    X, y = load(return_X_y=True)
    ensemble.fit(X, y)
    codes = ordinal_codes(ensemble)
    X = beside_thresholds(codes.thresholds, X)
    members = getattr(ensemble, "estimators_", [ensemble])
    columns = getattr(ensemble, "estimators_features_", [slice(None)] * len(members))
    rows = codes.transform(X)
    assert np.all((rows >= 0) & (rows < codes.cardinalities))
    for tree, member, features in zip(codes.trees, members, columns, strict=True):
        np.testing.assert_array_equal(tree.apply(rows), member.apply(X[:, features]))
        np.testing.assert_array_equal(ensemble.classes_[tree.predict(rows)], ensemble.classes_[member.predict(
            X[:, features]).astype(int)])  # fmt: skip
    assert gram(codes.trees, codes.cardinalities).shape == (len(members), len(members))
    assert "OrdinalCodes" in repr(codes)


@pytest.mark.filterwarnings("ignore:distance=.* does not know which cluster is which class")
def test_classes_that_are_not_the_majority(engine):
    """ID3 with all labels: what the estimator predicts counts, not the majority of its nodes."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 2)), rng.integers(0, 3, 60)
    own = ID3Classifier(evaluation="global", labels="all").fit(X, y)
    assert np.any(own.node_labels_ != own.tree_.majority)
    codes = ordinal_codes(own)
    points = domain([3, 3])
    predicted = own.predict(points)
    for class_index in range(3):
        spectrum = FourierSpectrum.from_tree(own, [3, 3], class_index)
        np.testing.assert_allclose(spectrum.evaluate(points), predicted == class_index, **CLOSE)
        values = [labels == class_index for labels in codes.labels]
        products = gram(codes.trees, codes.cardinalities, values=values, measure="empirical", X=codes.transform(points))
        assert products[0, 0] == pytest.approx(np.mean(predicted == class_index))


def test_codes_of_lists_of_trees():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert ordinal_codes(forest.estimators_).trees == ordinal_codes(forest).trees
    own = DecisionTreeClassifier().fit(X, y)
    assert ordinal_codes([own, own.tree_]).trees == ordinal_codes([own.tree_, own]).trees
    assert_refuses(ValueError, "float64", ordinal_codes, [own, forest.estimators_[0]])
    assert_refuses(ValueError, "no trees", ordinal_codes, [])
    assert_refuses(ValueError, "features or classes", ordinal_codes, [own, DecisionTreeClassifier().fit(X, y == 0)])
    two_outputs = DecisionTreeRegressor().fit(X, X[:, :2])
    for other in (LogisticRegression(max_iter=1000).fit(X, y), [two_outputs], ["tree"]):
        assert_refuses(TypeError, "expected", ordinal_codes, other)
    codes = ordinal_codes(own)
    assert_refuses(ValueError, "NaN", codes.transform, np.full((1, 4), np.nan))
    assert_refuses(ValueError, "features", codes.transform, [[1.0]])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ({"measure": "normal"}, "measure must be"),
        ({"measure": "empirical"}, "needs X"),
        ({"X": [[0, 0]]}, "X is only for measure='empirical' and measure='joint'"),
        ({"measure": "joint"}, "measure='joint' needs X"),
        *(
            ({"measure": measure, "X": X}, message)
            for measure in ("empirical", "joint")
            for X, message in (
                ([[0, 3]], "outside the cardinality in column 1"),
                (np.zeros((0, 2)), "X has no samples"),
                ([[0]], "X has 1 columns"),
            )
        ),
        ({"measure": [[0.5, 0.25, 0.25], [0.5, 0.25, 0.2]]}, "sum to 1"),
        ({"measure": [[1.5, -0.5, 0], [1, 0, 0]]}, "0 or more"),
        ({"measure": [[1, 0, 0]]}, "masses for 1 attributes"),
        ({"measure": [[1, 0, 0], [1, 0]]}, "of shape"),
        ({"measure": [[1, 0, 0], [np.nan, 0, 0]]}, "0 or more"),
    ],
)
def test_invalid_measures_are_refused(engine, measure, message):
    tree = random_tree(np.random.default_rng(0), [3, 3], 4)
    for call in (gram, tree_from_ensemble):
        assert_refuses(ValueError, message, call, [tree], [3, 3], **measure)


def test_incompatible_trees_are_refused(engine):
    rng = np.random.default_rng(0)
    tree = random_tree(rng, [3, 3], 4)
    for trees, message in (
        ([], "no trees"),
        ([tree, random_tree(rng, [3, 3, 3], 4)], "features"),
        ([tree, random_tree(rng, [3, 3], 4, n_classes=3)], "classes"),
    ):
        assert_refuses(ValueError, message, gram, trees, [3, 3])
    assert_refuses(ValueError, "for 1 trees", gram, [tree, tree], [3, 3], values=[np.zeros(tree.node_count)])
    with pytest.raises(ValueError, match="numbers of outputs"):
        gram([tree, tree], [3, 3], values=[np.zeros(tree.node_count), np.zeros((tree.node_count, 2))])
    for weights in ([1.0, 2.0], [np.inf], 1.0):
        assert_refuses(ValueError, "weights must be", schema_average, [tree], {}, [3, 3], weights=weights)


def test_objects_that_are_no_sequence_of_trees_are_refused(engine):
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    tree = DecisionTreeClassifier().fit(X, [0, 0, 0, 1])
    for make in (gram, lambda trees, sizes: schema_average(trees, {}, sizes), FourierSpectrum.from_ensemble):
        for ensemble in (RandomForestClassifier(2).fit(X, [0, 0, 0, 1]), tree, tree.tree_):
            with pytest.raises(TypeError, match=r"A sequence of trees is expected, got .* \(ordinal_codes"):
                make(ensemble, [2, 2])
        with pytest.raises(TypeError, match=r"got a DecisionTreeClassifier of another library. \(ordinal_codes"):
            make([SklearnTreeClassifier().fit(X, [0, 0, 0, 1])], [2, 2])


def test_leaves_of_all_trees_are_concatenated():
    rng = np.random.default_rng(0)
    trees = random_trees(rng, [3, 4], 3)
    leaves = Leaves(trees, np.array([3, 4]), weights=[1.0, -2.0, 3.0])
    assert leaves.indptr[-1] == len(leaves.values) == len(leaves.tree_of_box)
    assert leaves.magnitude <= 6.0


@pytest.mark.parametrize("scale", [1e160, 1e-170, 1e-150])
def test_products_of_extreme_values(engine, scale):
    trees = [DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], y) for y in ([0, 0, 1, 1], [0, 1, 0, 1])]
    if scale != 1e-150:
        with pytest.raises(ValueError, match=r"Inner products of values of about 2\*\*-?\d+ are beyond the range"):
            gram(trees, [2, 2], values=[[0.0, scale, scale]] * 2)
        return
    found = gram(trees, [2, 2], values=[[0.0, scale, scale]] * 2)
    np.testing.assert_allclose(found, np.full((2, 2), 1e-300), rtol=1e-12)
