"""Ready set functions: values by hand, and their declared properties on all sets of a few samples."""

from itertools import chain, combinations

import numpy as np
import pytest
from samples import make_ties
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from support import assert_refuses

from pytrees import ID3Classifier
from pytrees.distances import (
    ConcaveOfModular,
    Coverage,
    FacilityLocation,
    GraphCut,
    GroupedCardinality,
    JaccardDistance,
    MatroidRank,
    clustering_distance,
)

N = 5


def random_functions(seed):
    rng = np.random.default_rng(seed)
    weights, groups, codes = rng.integers(0, 4, N), rng.integers(0, 3, N), rng.integers(0, 3, (N, 3))
    similarity = rng.random((N, N)) * rng.integers(0, 2, (N, N))
    return [
        ConcaveOfModular(),
        ConcaveOfModular(weights),
        ConcaveOfModular(rng.random(N), power=0.5),
        ConcaveOfModular(weights, power=0.3, cap=4.5),
        ConcaveOfModular(cap=2),
        GroupedCardinality(groups),
        GroupedCardinality(groups, power=1.0, cap=1),
        GroupedCardinality(groups.astype(str), power=0.7, cap=2),
        Coverage(codes),
        Coverage(codes, rng.random(3)),
        FacilityLocation(similarity),
        MatroidRank(rng.integers(-1, 2, (N, 3))),
        GraphCut(similarity),
        GraphCut(similarity + similarity.T),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_set_functions_are_submodular_and_monotone_if_declared(seed):
    sets = [set(rows) for rows in chain.from_iterable(combinations(range(N), n) for n in range(N + 1))]
    for function in random_functions(seed):
        value = {frozenset(rows): function(np.array(sorted(rows), dtype=np.int64)) for rows in sets}
        assert value[frozenset()] == 0.0, function
        assert all(isinstance(number, float) for number in value.values())
        assert min(value.values()) >= 0.0
        for a in value:
            for b in value:
                assert value[a] + value[b] >= value[a | b] + value[a & b] - 1e-9, function
                assert not function.is_monotone or value[a | b] >= value[a] - 1e-9, function


def test_a_cut_is_not_monotone():
    cut = GraphCut(np.ones((3, 3)))
    assert [cut(np.arange(n)) for n in range(4)] == [0.0, 2.0, 2.0, 0.0]


@pytest.mark.parametrize("seed", range(4))
def test_distances_of_monotone_ones_are_metrics(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (4, N))
    for function in random_functions(seed):
        if function.is_monotone:
            distance = {
                (i, j): clustering_distance(labels[i], labels[j], JaccardDistance(function), labels=range(3))
                for i in range(4)
                for j in range(4)
            }
            for i, j, k in np.ndindex(4, 4, 4):
                assert distance[i, j] == pytest.approx(distance[j, i])
                assert distance[i, k] <= distance[i, j] + distance[j, k] + 1e-9


def test_values_by_hand():
    rows = np.array([0, 2, 3])
    assert ConcaveOfModular()(rows) == 3.0
    assert ConcaveOfModular([1, 9, 2, 6], power=0.5)(rows) == 3.0
    assert ConcaveOfModular([1, 9, 2, 6], cap=4)(rows) == 4.0
    assert ConcaveOfModular([1, 9, 2, 6], power=0.5, cap=4)(rows) == 2.0
    assert GroupedCardinality(["a", "b", "a", "b"], power=0.5)(rows) == pytest.approx(2**0.5 + 1)
    assert Coverage([[1, 1], [1, 2], [2, 3], [1, 4]], [10, 1])(rows) == 23.0
    assert FacilityLocation(np.eye(4) + 1)(rows) == 7.0
    assert MatroidRank([[1, 0], [0, 1], [2, 0], [0, 0]])(rows) == 1.0
    assert GraphCut(np.arange(16).reshape(4, 4))(rows) == 1 + 9 + 13


def test_equal_weights_grow_the_unweighted_tree():
    X, y = make_ties(n_samples=14)
    named = ID3Classifier("jaccard", evaluation="global", max_leaf_nodes=5).fit(X, y)
    for function in (ConcaveOfModular(), ConcaveOfModular(np.full(14, 2.0))):
        tree = ID3Classifier(JaccardDistance(function), evaluation="global", max_leaf_nodes=5).fit(X, y)
        np.testing.assert_array_equal(tree.tree_.feature, named.tree_.feature)
        np.testing.assert_array_equal(tree.tree_.threshold, named.tree_.threshold)


def test_trees_grow_by_every_function():
    X, y = make_ties(n_samples=N)
    for function in random_functions(0):
        for ways in ({}, {"evaluation": "global", "ties": "local"}, {"evaluation": "glocal", "stop": "no_decrease"}):
            tree = clone(ID3Classifier(JaccardDistance(function, "different"), **ways)).fit(X, y)
            assert tree.predict(X).shape == (N,)


def test_functions_of_other_samples_are_refused():
    X, y = load_iris(return_X_y=True)
    distance = JaccardDistance(Coverage(X))
    with pytest.raises(ValueError, match="is about 150 samples, and there are 20"):
        ID3Classifier(distance).fit(X[:20], np.arange(20) % 2)
    assert_refuses(ValueError, "is about 150 samples, and there are 2", clustering_distance, [0, 1], [0, 1], distance)
    # Those that know no samples can be cross-validated.
    by_root = ID3Classifier(JaccardDistance(ConcaveOfModular(power=0.5)), max_leaf_nodes=3)
    assert cross_val_score(by_root, X[::3], y[::3], cv=2).min() > 0.8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConcaveOfModular([1, -1]), "weights must not be negative"),
        (lambda: ConcaveOfModular([[1, 1]]), "weights must have 1 dimension"),
        (lambda: ConcaveOfModular([1, np.nan]), "weights contains NaN"),
        (lambda: ConcaveOfModular(power=1.5), "power must be a number above 0"),
        (lambda: GroupedCardinality([0, 1], power=0), "power must be a number above 0"),
        (lambda: GroupedCardinality([0, 1], cap=0), "cap must be a positive number"),
        (lambda: Coverage([[1, 2]], [1]), "1 numbers for 2 features"),
        (lambda: FacilityLocation([[1, 2]]), "one row and one column for every sample"),
        (lambda: GraphCut([[1, -2], [0, 1]]), "weights must not be negative"),
        (lambda: MatroidRank([[np.inf]]), "infinity"),
    ],
)
def test_bad_parameters(make, message):
    assert_refuses(ValueError, message, make)
