"""Effects of functions, against all points of the domain, dense transforms, samples, SciPy and scikit-learn."""

import pickle
import sys
from functools import partial
from itertools import combinations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from fourier_samples import (
    CLOSE,
    SEEDS,
    domain,
    joined,
    naive_values,
    probabilities,
    random_cardinalities,
    random_measure,
    random_multiway_trees,
    random_schema,
    random_trees,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence as sklearn_dependence
from support import examples, on_both_engines

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, FourierSpectrum, Tree
from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, UNDEFINED
from pytrees.fourier import (
    AnovaEffects,
    additive_model,
    anova_effects,
    gram,
    model_distance,
    ordinal_codes,
    partial_dependence,
    schema_average,
    sobol_indices,
    tree_from_ensemble,
    tree_inner,
)
from pytrees.fourier.boxes import Leaves, box_of_schema
from pytrees.fourier.measures import Samples, measure_of

MEASURES = st.sampled_from(["uniform", "masses", "empirical"])


class Problem:
    """Random trees and values, a product measure, and the function at all points of the domain."""

    def __init__(self, seed, kind="uniform", n_outputs=1, *, multiway=False):
        rng = self.rng = np.random.default_rng(seed)
        self.cardinalities = random_cardinalities(rng, largest=4, n_attributes=4)
        make = random_multiway_trees if multiway else random_trees
        self.trees = make(rng, self.cardinalities, 3)
        self.values = [rng.normal(size=(tree.node_count, n_outputs)) for tree in self.trees]
        self.weights = rng.normal(size=3)
        self.measure, self.masses = random_measure(rng, self.cardinalities, kind)
        parts = zip(self.weights, self.trees, self.values, strict=True)
        shape = (*self.cardinalities, n_outputs)
        self.table = sum(w * naive_values(t, domain(self.cardinalities), v) for w, t, v in parts).reshape(shape)
        self.arguments = {"weights": self.weights, "values": self.values, **self.measure}

    def mean_given(self, kept):
        """The mean over all attributes but some, at every point."""
        table = self.table
        for m, masses in enumerate(self.masses):
            if m not in kept:
                table = np.broadcast_to(np.average(table, axis=m, weights=masses, keepdims=True), self.table.shape)
        return table

    def variance_given(self, kept):
        """The variance of that mean, summed over the outputs."""
        distances = self.mean_given(kept) - self.mean_given(())
        return float((probabilities(self.masses)[..., np.newaxis] * distances**2).sum())


# ------------------------------------------------------------------------------------------------------ Sobol indices


@examples(150)
@given(seed=SEEDS, kind=MEASURES, n_outputs=st.sampled_from([1, 3]), multiway=st.booleans())
def test_indices_are_variances_of_means(engine, seed, kind, n_outputs, multiway):
    problem = Problem(seed, kind, n_outputs, multiway=multiway)
    found = sobol_indices(problem.trees, problem.cardinalities, **problem.arguments)
    numbers = range(problem.cardinalities.size)
    variance = problem.variance_given(numbers)
    first = [problem.variance_given([m]) for m in numbers]
    np.testing.assert_allclose(found.variance, variance, **CLOSE)
    np.testing.assert_allclose(found.mean, problem.mean_given(()).reshape(-1, n_outputs)[0], **CLOSE)
    np.testing.assert_allclose(found.first_order * variance, first, **CLOSE)
    total = [variance - problem.variance_given(set(numbers) - {m}) for m in numbers]
    np.testing.assert_allclose(found.total * variance, total, **CLOSE)
    for m, n in combinations(numbers, 2):
        of_both = problem.variance_given([m, n]) - first[m] - first[n]
        assert found.pairs[m, n] * variance == pytest.approx(of_both, abs=1e-12)
    np.testing.assert_array_equal(found.pairs, found.pairs.T)
    np.testing.assert_array_equal(np.diag(found.pairs), 0.0)
    np.testing.assert_allclose(found.energy_by_order.sum(), variance + (found.mean**2).sum(), **CLOSE)
    np.testing.assert_allclose(found.energy_by_order[1], sum(first), **CLOSE)
    np.testing.assert_allclose(found.energy_by_order[2:3].sum(), found.pairs.sum() / 2 * variance, **CLOSE)


@examples(100)
@given(seed=SEEDS)
def test_indices_are_energies_of_the_dense_transform(engine, seed):
    problem = Problem(seed)
    energies = np.abs(np.fft.ifftn(problem.table[..., 0])) ** 2
    digits = np.stack(np.unravel_index(np.arange(energies.size), energies.shape), axis=1) != 0
    found = sobol_indices(problem.trees, problem.cardinalities, **problem.arguments)
    of_digits = energies.ravel()
    orders = digits.sum(axis=1)
    n_attributes = problem.cardinalities.size
    for m in range(n_attributes):
        alone = of_digits[digits[:, m] & (orders == 1)].sum()
        assert found.first_order[m] * found.variance == pytest.approx(alone, abs=1e-12)
        assert found.total[m] * found.variance == pytest.approx(of_digits[digits[:, m]].sum(), abs=1e-12)
        for n in set(range(n_attributes)) - {m}:
            both = of_digits[digits[:, m] & digits[:, n] & (orders == 2)].sum()
            assert found.pairs[m, n] * found.variance == pytest.approx(both, abs=1e-12)
    by_order = np.bincount(orders, of_digits, n_attributes + 1)
    np.testing.assert_allclose(found.energy_by_order, by_order, **CLOSE)
    spectra = zip(problem.weights, problem.trees, problem.values, strict=True)
    spectrum = sum(FourierSpectrum.from_tree(t, problem.cardinalities, values=v[:, 0]) * w for w, t, v in spectra)
    np.testing.assert_allclose(found.energy_by_order, spectrum.energy_by_order(), **CLOSE)


@examples(100)
@given(seed=SEEDS, kind=MEASURES, n_outputs=st.sampled_from([1, 2]))
def test_kernels_of_both_engines_agree(seed, kind, n_outputs):
    """Boxes of any sets of values."""
    problem = Problem(seed, kind)
    rng, cardinalities = problem.rng, problem.cardinalities
    arrays = measure_of(problem.measure.get("measure", "uniform"), cardinalities, problem.measure.get("X"))
    boxes = joined([box_of_schema(random_schema(rng, cardinalities)[0], cardinalities) for _ in range(4)])
    values = rng.choice([0.0, 1.0, -0.3], (4, n_outputs))
    rows, weights = rng.integers(0, cardinalities, (5, cardinalities.size)), rng.choice([0.5, 1.0, 2.0], 5)
    outputs = rng.normal(size=(5, n_outputs))
    numbers = range(cardinalities.size)
    wanted = [(m, -1) for m in numbers] + [(m, n) for m in numbers for n in numbers if m != n]
    for name, arguments in (
        ("box_effects", (boxes, values, arrays)),
        ("sample_effects", (rows, outputs, weights)),
        ("box_profiles", (boxes, values, arrays, wanted)),
        ("sample_profiles", (boxes, values, rows, weights, cardinalities, wanted)),
    ):
        ours, naive = on_both_engines(lambda name=name, arguments=arguments: kernel(name)(*arguments))
        for a, b in zip(ours, naive, strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)


@examples(60)
@given(seed=SEEDS, n_outputs=st.sampled_from([1, 2]))
def test_joint_indices_are_variances_over_groups_of_samples(engine, seed, n_outputs):
    problem = Problem(seed, n_outputs=n_outputs)
    n_features = problem.cardinalities.size
    X = problem.rng.integers(0, problem.cardinalities, (9, n_features))
    at = problem.table[tuple(X.T)]
    found = sobol_indices(
        problem.trees, problem.cardinalities, weights=problem.weights, values=problem.values, measure="joint", X=X
    )

    def variance_of_means(columns):
        keys = [tuple(row) for row in X[:, columns]]
        means = np.array([at[[other == key for other in keys]].mean(axis=0) for key in keys])
        return ((means - at.mean(axis=0)) ** 2).mean(axis=0).sum()

    variance = at.var(axis=0).sum()
    first = [variance_of_means([m]) for m in range(n_features)]
    others = [[n for n in range(n_features) if n != m] for m in range(n_features)]
    np.testing.assert_allclose(found.mean, at.mean(axis=0), **CLOSE)
    np.testing.assert_allclose(found.variance, variance, **CLOSE)
    np.testing.assert_allclose(found.first_order * variance, first, **CLOSE)
    np.testing.assert_allclose(found.total * variance, [variance - variance_of_means(o) for o in others], **CLOSE)
    for m, n in combinations(range(n_features), 2):
        of_both = variance_of_means([m, n]) - first[m] - first[n]
        assert found.pairs[m, n] * variance == pytest.approx(of_both, abs=1e-12)
    assert found.energy_by_order is None


def test_joint_indices_of_a_grid_equal_the_product_measures():
    """All points of the domain as samples, some of them twice over: the joint distribution is a product."""
    problem = Problem(3)
    X = domain(problem.cardinalities)
    arguments = {"weights": problem.weights, "values": problem.values}
    product = sobol_indices(problem.trees, problem.cardinalities, **arguments)
    joint = sobol_indices(problem.trees, problem.cardinalities, measure="joint", X=np.tile(X, (2, 1)), **arguments)
    for name in ("mean", "variance", "first_order", "total", "pairs"):
        np.testing.assert_allclose(getattr(joint, name), getattr(product, name), **CLOSE)


def test_weights_of_samples_are_repetitions(engine):
    problem = Problem(4)
    X = problem.rng.integers(0, problem.cardinalities, (6, problem.cardinalities.size))
    weights = np.array([1.0, 3.0, 0.0, 2.0, 1.0, 1.0])
    arguments = {"weights": problem.weights, "values": problem.values}
    weighted = {"measure": Samples(X, weights)}
    repeated = {"measure": "joint", "X": np.repeat(X, weights.astype(int), axis=0)}
    one, two = (sobol_indices(problem.trees, problem.cardinalities, **arguments, **m) for m in (weighted, repeated))
    for name in ("mean", "variance", "first_order", "total", "pairs"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), **CLOSE)
    pair = [partial_dependence(problem.trees, problem.cardinalities, **arguments, **m) for m in (weighted, repeated)]
    for a, b in zip(*pair, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)


@pytest.mark.parametrize("seed", range(12))
def test_rounding_makes_no_index_negative(engine, seed):
    """Two trees cancel, one of which splits the features in the other order: rounding is left of their effects."""
    rng = np.random.default_rng(seed)
    left, right = [1, 2, LEAF, LEAF, 5, LEAF, LEAF], [4, 3, LEAF, LEAF, 6, LEAF, LEAF]
    inner, counts = np.array(left) != LEAF, [4, 2, 1, 1, 2, 1, 1]

    def crossed(first):
        feature = np.where(inner, [first, 1 - first, 0, 0, 1 - first, 0, 0], UNDEFINED)
        arrays = feature, np.where(inner, 0.5, UNDEFINED), counts, np.reshape(counts, (-1, 1)), np.zeros(7)
        return Tree(left, right, *arrays, n_features=3)

    stump = Tree([1, -1, -1], [2, -1, -1], [2, -2, -2], [0.5, -2, -2], [2, 1, 1], [[2], [1], [1]], [0, 0, 0], 3)
    table, leaves = rng.normal(size=(2, 2)), np.flatnonzero(~inner)
    values = np.zeros((2, 7, 1))
    values[0, leaves, 0], values[1, leaves, 0] = table.ravel(), table.T.ravel()
    found = sobol_indices(
        [crossed(0), crossed(1), stump],
        [2, 2, 2],
        weights=[1.0, -1.0, 1.0],
        values=[*values, np.array([[0.0], [-1.0], [1.0]])],
        measure=[[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]],
    )
    np.testing.assert_allclose(found.first_order, [0.0, 0.0, 1.0], atol=1e-15)
    for indices in (found.first_order, found.total, found.pairs):
        assert (indices >= 0.0).all()


def test_indices_of_a_forest():
    """As scikit-learn's forest, and by the Gram matrix of its trees; great numbers added to trees change nothing."""
    X, y = load_breast_cancer(return_X_y=True)
    codes = ordinal_codes(RandomForestClassifier(20, random_state=0).fit(X, y))
    measure = {"measure": "empirical", "X": codes.transform(X)}
    indices = sobol_indices(codes.trees, codes.cardinalities, **measure)
    products = gram(codes.trees, codes.cardinalities, **measure)
    mean = schema_average(codes.trees, {}, codes.cardinalities, **measure)
    assert indices.mean == pytest.approx([mean], abs=1e-12)
    assert indices.variance == pytest.approx(products.mean() - mean**2, abs=1e-12)
    assert np.all(indices.first_order <= indices.total + 1e-15)
    assert np.all(indices.total <= 1.0)
    values = [1e6 * (t + 1) + (labels == 1) for t, labels in enumerate(codes.labels)]
    moved = sobol_indices(codes.trees, codes.cardinalities, values=values, **measure)
    np.testing.assert_allclose(moved.total, indices.total, rtol=0.0, atol=1e-9)


def test_indices_of_scipy_by_sampling():
    rng = np.random.default_rng(0)
    cardinalities = np.array([3, 5, 2, 4])
    trees = random_trees(rng, cardinalities, 6)
    exact = sobol_indices(trees, cardinalities)

    def function(points):
        codes = np.minimum((points * cardinalities[:, np.newaxis]).astype(int), cardinalities[:, np.newaxis] - 1).T
        return np.mean([tree.majority_at(tree.apply(codes)) for tree in trees], axis=0)[np.newaxis]

    uniform = [scipy.stats.uniform()] * 4
    seed = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "random_state"
    sampled = scipy.stats.sobol_indices(func=function, n=2**14, dists=uniform, **{seed: 1})
    np.testing.assert_allclose(np.ravel(sampled.first_order), exact.first_order, atol=0.02)
    np.testing.assert_allclose(np.ravel(sampled.total_order), exact.total, atol=0.02)


@pytest.mark.parametrize("measure", ["uniform", "empirical", "joint"])
def test_constant_functions_have_no_indices(engine, measure):
    """One tree less itself is nothing, whatever rounding leaves."""
    tree = random_trees(np.random.default_rng(1), [3, 4], 1)[0]
    given_ = {} if measure == "uniform" else {"measure": measure, "X": domain([3, 4])}
    indices = sobol_indices([tree, tree], [3, 4], weights=[0.1, -0.1], **given_)
    assert indices.variance == 0.0
    assert not indices.first_order.any()
    assert not indices.total.any()
    assert not indices.pairs.any()


def test_thousands_of_values_and_tiny_masses():
    rng = np.random.default_rng(0)
    cardinalities = [5000, 3000, 4000]
    trees = random_trees(rng, cardinalities, 5)
    masses = [np.geomspace(1e-290, 1.0, size) for size in cardinalities]
    masses = [part / part.sum() for part in masses]
    for measure in ("uniform", masses):
        indices = sobol_indices(trees, cardinalities, measure=measure)
        assert np.isfinite(indices.total).all()
        assert indices.energy_by_order[1:].sum() == pytest.approx(indices.variance)
        assert indices.first_order.sum() + indices.pairs.sum() / 2 <= 1.0 + 1e-9


# -------------------------------------------------------------------------------------------------------------- effects


@examples(100)
@given(seed=SEEDS, kind=MEASURES, n_outputs=st.sampled_from([1, 3]), multiway=st.booleans())
def test_dependence_and_effects_are_means(engine, seed, kind, n_outputs, multiway):
    problem = Problem(seed, kind, n_outputs, multiway=multiway)
    trees, cardinalities = problem.trees, problem.cardinalities
    n = cardinalities.size
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    wanted = [*range(n), *pairs]
    found = partial_dependence(trees, cardinalities, wanted, **problem.arguments)
    effects = anova_effects(trees, cardinalities, pairs, **problem.arguments)

    def means(*kept):
        at_zero = [slice(None) if m in kept else 0 for m in range(n)]
        table = problem.mean_given(kept)[tuple(at_zero)]
        table = table if len(kept) < 2 or kept[0] < kept[1] else table.swapaxes(0, 1)
        return table[..., 0] if n_outputs == 1 else table

    singles = [means(m) for m in range(n)]
    for m in range(n):
        np.testing.assert_allclose(found[m], singles[m], **CLOSE)
        np.testing.assert_allclose(effects.features[m], singles[m] - means(), **CLOSE)
    for (a, b), table in zip(pairs, found[n:], strict=True):
        np.testing.assert_allclose(table, means(a, b), **CLOSE)
        alone = singles[a][:, np.newaxis] + singles[b][np.newaxis]
        np.testing.assert_allclose(effects.pairs[a, b], means(a, b) - alone + means(), **CLOSE)
    np.testing.assert_allclose(effects.mean, means(), **CLOSE)


@examples(60)
@given(seed=SEEDS, n_outputs=st.sampled_from([1, 2]), multiway=st.booleans())
def test_dependence_at_samples_sets_values_in_all(engine, seed, n_outputs, multiway):
    problem = Problem(seed, n_outputs=n_outputs, multiway=multiway)
    n = problem.cardinalities.size
    X = problem.rng.integers(0, problem.cardinalities, (5, n))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    found = partial_dependence(
        problem.trees, problem.cardinalities, [*range(n), *pairs], weights=problem.weights, values=problem.values,
        measure="joint", X=X,
    )  # fmt: skip
    for chosen, table in zip([*((m,) for m in range(n)), *pairs], found, strict=True):
        sizes = tuple(problem.cardinalities[list(chosen)])
        for values in np.ndindex(sizes):
            points = X.copy()
            points[:, list(chosen)] = values
            np.testing.assert_allclose(table[values], np.squeeze(problem.table[tuple(points.T)].mean(axis=0)), **CLOSE)


def test_dependence_equals_scikit_learns():
    """By brute force, at a value inside of every interval between a forest's thresholds."""
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    shares = [tree.value for tree in codes.trees]
    found = partial_dependence(
        codes.trees, codes.cardinalities, [2, (2, 3)], measure="joint", X=codes.transform(X), values=shares
    )
    for features, table in zip([2, (2, 3)], found, strict=True):
        theirs = sklearn_dependence(forest, X, [features], method="brute", kind="average", grid_resolution=100)
        grids = [np.searchsorted(codes.thresholds[m], grid) for m, grid in
                 zip(np.ravel(features), theirs["grid_values"], strict=True)]  # fmt: skip
        np.testing.assert_allclose(np.moveaxis(table[np.ix_(*grids)], -1, 0), theirs["average"], atol=1e-12)


def test_effects_are_uncorrelated_and_have_the_variances_of_the_indices():
    X, y = load_iris(return_X_y=True)
    codes = ordinal_codes(RandomForestClassifier(10, random_state=0).fit(X, y))
    measure = {"measure": "empirical", "X": codes.transform(X)}
    pairs = list(combinations(range(4), 2))
    effects = anova_effects(codes.trees, codes.cardinalities, pairs, **measure)
    indices = sobol_indices(codes.trees, codes.cardinalities, **measure)
    columns = zip(measure["X"].T, codes.cardinalities, strict=True)
    masses = [np.bincount(column, minlength=size) / len(X) for column, size in columns]
    for m, effect in enumerate(effects.features):
        assert masses[m] @ effect == pytest.approx(0.0, abs=1e-12)
        assert masses[m] @ effect**2 == pytest.approx(indices.first_order[m] * indices.variance, abs=1e-12)
    for (m, n), effect in effects.pairs.items():
        np.testing.assert_allclose(masses[m] @ effect, 0.0, atol=1e-12)
        np.testing.assert_allclose(effect @ masses[n], 0.0, atol=1e-12)
        assert masses[m] @ effect**2 @ masses[n] == pytest.approx(indices.pairs[m, n] * indices.variance, abs=1e-12)


def test_values_without_mass_have_means():
    """The function at such a value, the other features drawn from the measure; a schema of it has none."""
    tree = Tree([1, -1, -1], [2, -1, -1], [0, -2, -2], [0.5, -2, -2], [2, 1, 1], [[1, 1], [1, 0], [0, 1]], [0] * 3, 2)
    measure = [[1.0, 0.0], [0.5, 0.5]]
    assert partial_dependence([tree], [2, 2], [0], measure=measure)[0].tolist() == [0.0, 1.0]
    assert sobol_indices([tree], [2, 2], measure=measure).variance == 0.0
    with pytest.raises(ValueError, match="probability zero"):
        schema_average([tree], {0: 1}, [2, 2], measure=measure)


# ------------------------------------------------------------------------------------------------------------- distance


@examples(80)
@given(seed=SEEDS, kind=st.sampled_from(["uniform", "masses", "empirical", "joint"]), n_outputs=st.sampled_from([1, 2]))
def test_distance_and_correlation_of_two_models(engine, seed, kind, n_outputs):
    problem = Problem(seed, kind, n_outputs)
    rng, cardinalities = problem.rng, problem.cardinalities
    others = random_trees(rng, cardinalities, 2)
    other_values = [rng.normal(size=(tree.node_count, n_outputs)) for tree in others]
    mass = probabilities(problem.masses)[..., np.newaxis]
    measure = problem.measure
    if kind == "joint":
        X = rng.integers(0, cardinalities, (6, cardinalities.size))
        mass = np.zeros((*cardinalities, 1))
        np.add.at(mass, tuple(X.T), 1 / len(X))
        measure = {"measure": "joint", "X": X}
    found = model_distance(
        problem.trees, others, cardinalities, weights=problem.weights, values=problem.values,
        other_values=other_values, **measure,
    )  # fmt: skip
    columns = [
        [table_of(tree, cardinalities, of_tree[:, k]) for tree, of_tree in zip(others, other_values, strict=True)]
        for k in range(n_outputs)
    ]
    f, g = problem.table, np.stack([np.mean(of_output, axis=0) for of_output in columns], axis=-1)
    centred = [table - (mass * table).sum(axis=tuple(range(cardinalities.size))) for table in (f, g)]
    np.testing.assert_allclose(found.distance**2, (mass * (f - g) ** 2).sum(), **CLOSE)
    variances = [(mass * table**2).sum() for table in centred]
    if min(variances) < 1e-10:
        return
    expected = (mass * centred[0] * centred[1]).sum() / np.sqrt(variances[0] * variances[1])
    assert found.correlation == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_rounding_makes_no_correlation_exceed_one(engine, seed):
    trees = random_trees(np.random.default_rng(seed), [3, 4], 3)
    for weight in (-1.0, 1.0, 3.0):
        correlation = model_distance(trees, trees, [3, 4], other_weights=[weight] * 3).correlation
        assert correlation == pytest.approx(np.sign(weight))
        assert abs(correlation) <= 1.0


def test_distance_of_a_model_to_itself_and_to_a_constant(engine):
    trees = random_trees(np.random.default_rng(0), [3, 4], 3)
    assert model_distance(trees, trees, [3, 4]).distance == 0.0
    assert model_distance(trees, trees, [3, 4]).correlation == pytest.approx(1.0)
    opposite = model_distance(trees, trees, [3, 4], other_weights=[-1.0] * 3)
    assert opposite.correlation == pytest.approx(-1.0)
    constant = Tree([-1], [-1], [-2], [-2.0], [1], [[1.0, 0.0]], [0.0], 2)
    assert np.isnan(model_distance(trees, [constant], [3, 4]).correlation)


# ------------------------------------------------------------------------------------------- what is refused, and drawn


@pytest.mark.parametrize(
    "call",
    [
        gram,
        tree_from_ensemble,
        FourierSpectrum.from_tree,
        FourierSpectrum.from_ensemble,
        lambda model: schema_average(model, {0: 1}),
        lambda model: tree_inner(model, model),
    ],
)
def test_fitted_estimators_without_their_codes(call):
    X, y = load_iris(return_X_y=True)
    for estimator in (DecisionTreeClassifier(max_depth=2), RandomForestClassifier(2)):
        message = (
            r"\w+ lacks cardinalities: .* codes = ordinal_codes\(ensemble\) .* codes.trees and codes.cardinalities"
        )
        with pytest.raises(TypeError, match=message):
            call(estimator.fit(X, y))


def test_invalid_arguments_are_refused():
    tree, other = (random_trees(np.random.default_rng(seed), [3, 3], 1)[0] for seed in (0, 1))
    for features in ([2], [-1], [(0, 0)], [(0, 1, 0)], [True], [0.5], ["0"], "0", 3, [()]):
        with pytest.raises(ValueError, match=r"eature"):
            partial_dependence([tree], [3, 3], features)
    with pytest.raises(ValueError, match="pairs must hold pairs"):
        anova_effects([tree], [3, 3], [0])
    with pytest.raises(ValueError, match="Effects need a product measure"):
        anova_effects([tree], [3, 3], measure="joint", X=[[0, 0]])
    for call in (sobol_indices, partial_dependence, anova_effects):
        with pytest.raises(ValueError, match="no trees"):
            call([], [3, 3])
        with pytest.raises(ValueError, match="weights must be"):
            call([tree], [3, 3], weights=[1.0, 2.0])
        with pytest.raises(ValueError, match="needs X"):
            call([tree], [3, 3], measure="empirical")
    one_and_two = {"values": [np.zeros(tree.node_count)], "other_values": [np.zeros((other.node_count, 2))]}
    with pytest.raises(ValueError, match="1 and 2 outputs"):
        model_distance([tree], [other], [3, 3], **one_and_two)
    for name, values in one_and_two.items():
        with pytest.raises(ValueError, match="values are given for one of the models only"):
            model_distance([tree], [other], [3, 3], **{name: [values[0].reshape(-1, values[0].ndim)[:, :1]]})
    with pytest.raises(ValueError, match="2 and 3 classes"):
        model_distance([tree], random_trees(np.random.default_rng(0), [3, 3], 1, 3), [3, 3])
    with pytest.raises(ValueError, match=r"measure must be 'uniform', 'empirical', 'joint'.*got 'unknown'"):
        sobol_indices([tree], [3, 3], measure="unknown", X=[[0, 0]])


def test_tables_that_would_be_too_large_are_refused_before_work_begins():
    constant = Tree([-1], [-1], [-2], [-2.0], [1], [[1.0, 0.0]], [0.0], 2)
    sizes = [2**20, 2**20]  # of the pair's array
    with pytest.raises(MemoryError, match=r"The means of shape \(1099511627776, 1\) would take 8.8e\+12 bytes"):
        partial_dependence([constant], sizes, [(0, 1)])
    with pytest.raises(MemoryError, match="memory_limit=1000"):
        anova_effects([constant], [100, 100], memory_limit=1000)
    with pytest.raises(MemoryError, match=r"masses of all values would take 1.72e\+10 bytes, more than 1073741824"):
        gram([constant], [2**31 - 1, 2])
    with pytest.raises(ValueError, match="memory_limit must be a number"):
        partial_dependence([constant], [2, 2], memory_limit="much")


def test_trees_of_two_codings_are_refused():
    X, y = load_iris(return_X_y=True)
    forests = [RandomForestClassifier(3, random_state=seed).fit(X, y) for seed in (0, 1)]
    alone = [ordinal_codes(forest) for forest in forests]
    together = ordinal_codes([*forests[0], *forests[1]])
    sizes = np.maximum(*(codes.cardinalities for codes in alone))
    assert 0.0 < model_distance(together.trees[:3], together.trees[3:], together.cardinalities).distance < 1.0
    for trees in (alone[1].trees, pickle.loads(pickle.dumps(alone[1].trees))):
        with pytest.raises(ValueError, match="trees are of two codings"):
            model_distance(alone[0].trees, trees, sizes)
        with pytest.raises(ValueError, match="trees are of two codings"):
            gram([alone[0].trees[0], trees[0]], sizes)
    # Equal thresholds give equal codings, and trees made of coded trees have their coding.
    again = ordinal_codes(forests[0])
    sizes = again.cardinalities
    assert model_distance(alone[0].trees, again.trees, sizes).distance == 0.0
    one = tree_from_ensemble(again.trees, sizes)
    assert again.trees[0] == Tree(*alone[0].trees[0].__reduce__()[1][0])
    with pytest.raises(ValueError, match="trees are of two codings"):
        gram([one.tree, together.trees[0]], together.cardinalities)


@pytest.mark.parametrize("kind", ["uniform", "joint"])
@pytest.mark.parametrize("exponent", [-1000, -560, 900])
def test_values_may_be_of_any_size(engine, exponent, kind):
    problem = Problem(4)
    trees, sizes, values = problem.trees, problem.cardinalities, problem.values
    given = {"measure": "joint", "X": problem.rng.integers(0, sizes, (9, sizes.size))} if kind == "joint" else {}
    others = [of_tree[::-1].copy() for of_tree in values]
    small = [np.ldexp(of_tree, exponent) for of_tree in values]
    expected = model_distance(trees, trees, sizes, values=values, other_values=others, **given)
    scaled = [np.ldexp(of_tree, exponent) for of_tree in others]
    found = model_distance(trees, trees, sizes, values=small, other_values=scaled, **given)
    assert found.distance == pytest.approx(np.ldexp(expected.distance, exponent), rel=1e-3)
    assert found.correlation == pytest.approx(expected.correlation, rel=1e-3)
    one_small = model_distance(trees, trees, sizes, values=small, other_values=others, **given)
    assert one_small.correlation == pytest.approx(expected.correlation, rel=1e-3)
    of_all, plain = (sobol_indices(trees, sizes, values=of_one, **given) for of_one in (small, values))
    np.testing.assert_allclose(of_all.total, plain.total, rtol=1e-3)
    np.testing.assert_allclose(of_all.mean, np.ldexp(plain.mean, exponent), rtol=1e-3)


@pytest.mark.parametrize("call", [gram, sobol_indices, model_distance, partial_dependence, tree_from_ensemble])
@pytest.mark.parametrize("kind", ["uniform", "joint"])
@pytest.mark.parametrize("with_tqdm", [False, True])
def test_progress_is_shown_on_request(engine, call, kind, with_tqdm, capsys, monkeypatch):
    if with_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    problem = Problem(1)
    given = {"measure": "joint", "X": np.zeros((2, problem.cardinalities.size), int)} if kind == "joint" else {}
    trees = (problem.trees, problem.trees) if call is model_distance else (problem.trees,)
    further = {"max_leaf_nodes": 4} if call is tree_from_ensemble else {}
    asked = partial(call, *trees, problem.cardinalities, **given, **further)
    asked()
    assert capsys.readouterr() == ("", "")
    asked(verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    if kind == "uniform" or call is not model_distance:
        assert "100%" in err.replace(" ", "") or "1 of 1" in err


def test_the_share_of_the_work_that_is_done_rises(monkeypatch):
    """Show the progress of a kernel that works for some tenths of a second."""
    codes = ordinal_codes(RandomForestClassifier(400, random_state=0).fit(*load_breast_cancer(return_X_y=True)))
    leaves = Leaves(codes.trees, codes.cardinalities)
    measure = measure_of("uniform", codes.cardinalities)
    for name, of_trees in (("gram", (leaves.indptr,)), ("box_effects", ())):
        shares = []
        with kernel("watched")(shares.append):
            kernel(name)(*of_trees, leaves.boxes, leaves.values + 1.0, measure)
        assert len(shares) > 1
        assert shares == sorted(shares)
        assert 0.0 < shares[0] < shares[-1] <= 1.0


def test_pictures():
    matplotlib.use("agg")
    trees = random_trees(np.random.default_rng(2), [3, 4, 5], 4)
    indices, effects = sobol_indices(trees, [3, 4, 5]), anova_effects(trees, [3, 4, 5], [(1, 2)])
    names = ["a", "b", "c"]
    ax = indices.plot(feature_names=names, max_features=2)
    order = np.argsort(-indices.total, kind="stable")[:2][::-1]
    assert [label.get_text() for label in ax.get_yticklabels()] == [names[m] for m in order]
    assert [bar.get_width() for bar in ax.patches[:2]] == pytest.approx(indices.total[order])
    ax = indices.plot_pairs(plt.figure().add_subplot())
    order = np.argsort(-indices.total, kind="stable")
    drawn = ax.images[0].get_array()
    np.testing.assert_allclose(drawn.filled(0.0), indices.pairs[np.ix_(order, order)])
    assert drawn.mask.diagonal().all()
    assert ax.images[0].get_clim()[0] == 0.0
    stumps = [DecisionTreeClassifier().fit(X, [0, 1]) for X in ([[0, 0], [1, 0]], [[0, 0], [0, 1]])]
    joint = sobol_indices(stumps, [2, 2], measure="joint", X=[[0, 0], [1, 1]])
    assert joint.pairs[0, 1] == -1.0  # both tell the same
    low, high = joint.plot_pairs(plt.figure().add_subplot()).images[0].get_clim()
    assert low == -high
    ax = effects.plot(1, plt.figure().add_subplot(), feature_names=names)
    assert ax.get_xlabel() == "code of b"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), effects.features[1])
    ax = effects.plot((1, 2), plt.figure().add_subplot())
    assert ax.get_ylabel() == "code of feature 2"
    np.testing.assert_allclose(ax.images[0].get_array(), effects.pairs[1, 2].T)
    with pytest.raises(ValueError, match="no effect of the pair"):
        effects.plot((0, 1), ax)
    with pytest.raises(ValueError, match="feature_names has 1 names"):
        indices.plot(ax, feature_names=["a"])
    plt.close("all")


@pytest.fixture
def drawn_effects():
    matplotlib.use("agg")
    trees = random_trees(np.random.default_rng(2), [3, 4, 5], 4)
    yield sobol_indices(trees, [3, 4, 5]), anova_effects(trees, [3, 4, 5], [(1, 2)])
    plt.close("all")


def test_names_in_pictures_are_drawn_literally(drawn_effects):
    indices, effects = drawn_effects
    names, shown = ["$a_{$", "b\nc", "_d"], {"$a_{$", r"b\nc", "_d"}
    for draw in (indices.plot, indices.plot_pairs):
        ax = draw(plt.figure().add_subplot(), feature_names=names)
        ax.figure.canvas.draw()
        assert {label.get_text() for label in ax.get_yticklabels()} == shown
    for effect in (0, (1, 2)):
        ax = effects.plot(effect, plt.figure().add_subplot(), feature_names=names)
        ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"code of b\nc", "code of _d")


def test_pictures_name_categories():
    matplotlib.use("agg")
    rng = np.random.default_rng(0)
    words = ["$b_{$", "a", *("a county of a long name " + letter for letter in "xyz")]
    frame = pd.DataFrame({"few": rng.choice(words[:2], 60), "many": rng.choice(words, 60), "n": rng.random(60)})
    y = (frame["few"] == "a") & (frame["n"] > 0.5) | (frame["many"] == words[2])
    forest = DecisionForestClassifier(3, categorical_features=["few", "many"], random_state=0).fit(frame, y)
    effects = anova_effects(forest, frame, [("few", "many"), ("n", "few")])
    assert {m: values.tolist() for m, values in effects.categories.items()} == {0: sorted(words[:2]), 1: sorted(words)}
    drawn = {effect: effects.plot(effect, plt.figure().add_subplot()) for effect in ("few", "many", "n")}
    drawn |= {effect: effects.plot(effect, plt.figure().add_subplot()) for effect in effects.pairs}
    for ax in drawn.values():
        ax.figure.canvas.draw()
    ticks = {effect: [label.get_text() for label in ax.get_xticklabels()] for effect, ax in drawn.items()}
    assert ticks["few"] == sorted(words[:2])
    assert ticks["many"] == sorted(words)
    assert [drawn[effect].get_xticklabels()[0].get_rotation() for effect in ("few", "many")] == [0.0, 90.0]
    assert [drawn[effect].get_xlabel() for effect in ("few", "many", "n")] == ["few", "many", "n"]
    assert [label.get_text() for label in drawn[0, 1].get_yticklabels()] == sorted(words)
    assert (drawn[2, 0].get_xlabel(), drawn[2, 0].get_ylabel()) == ("n", "few")
    of_codes = AnovaEffects(0.0, [np.array([-1.0, 1.0])], {}, categories={0: np.array(["a", np.nan], dtype=object)})
    ax = of_codes.plot(0, plt.figure().add_subplot())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "missing"]
    plt.close("all")


@pytest.fixture
def kinds():
    """Samples with numbers, of which some lack, and categories, and a forest of three classes."""
    matplotlib.use("agg")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 120).astype(float), "colour": rng.choice(list("rgb"), 120)})
    frame["size"] = rng.random(120)
    frame.loc[::9, "age"] = np.nan
    y = np.where(frame["age"].fillna(20.0) < 40.0, "low", np.where(frame["colour"] == "r", "_$mid", "high"))
    forest = DecisionForestClassifier(3, max_depth=4, categorical_features=["colour"], random_state=0)
    yield frame, y, forest
    plt.close("all")


def test_effects_of_numbers_are_steps_over_the_numbers(kinds):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y))
    effects = anova_effects(model, frame)
    assert effects.classes.tolist() == ["_$mid", "high", "low"]
    assert effects.thresholds is model.codes.thresholds
    ax = effects.plot("age", plt.figure().add_subplot())
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class _$mid", "class high", "class low"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "effect")
    cuts, apart = model.codes.thresholds[0][:-1], ax.lines[3:6]
    assert model.codes.has_missing[0]
    # A number between two steps has the height of its code, and so has a threshold itself.
    for at in (*cuts, cuts[0] - 0.01, *(cuts + 0.01)):
        code = cuts.searchsorted(at)
        for k, line in enumerate(ax.lines[:3]):
            x, heights = line.get_data()
            assert line.get_drawstyle() == "steps-pre"
            assert heights[np.searchsorted(x, at)] == effects.features[0][code, k]
    assert [line.get_ydata()[0] for line in apart] == effects.features[0][-1].tolist()
    assert [line.get_color() for line in apart] == [line.get_color() for line in ax.lines[:3]]
    assert all(line.get_xdata()[0] > ax.lines[0].get_xdata()[-1] for line in apart)
    assert [label.get_text() for label in ax.get_xticklabels(minor=True)] == ["missing"]
    assert max(ax.get_xticks()) <= ax.lines[0].get_xdata()[-1]
    whole = effects.plot("size", plt.figure().add_subplot())
    assert len(whole.lines) == 4  # three outputs, and zero
    assert not len(whole.get_xticks(minor=True))


def test_effects_of_categories_are_bars(kinds):
    frame, y, forest = kinds
    effects = anova_effects(forest.fit(frame, y), frame)
    ax = effects.plot("colour", plt.figure().add_subplot())
    assert len(ax.lines) == 1  # zero
    assert [[bar.get_height() for bar in group] for group in ax.containers] == effects.features[1].T.tolist()
    assert {bar.get_facecolor() for bar in ax.containers[0]} != {bar.get_facecolor() for bar in ax.containers[1]}
    for code in range(3):  # a group of bars stands at its word
        bars = [group[code] for group in ax.containers]
        assert np.mean([bar.get_x() + 0.5 * bar.get_width() for bar in bars]) == pytest.approx(code)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["b", "g", "r"]
    assert len(ax.get_legend().get_texts()) == 3


def test_pictures_of_two_classes_and_of_pairs(kinds):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y == "low"))
    effects = anova_effects(model, frame, [("age", "size"), ("size", "age")])
    ax = effects.plot("colour", plt.figure().add_subplot())
    assert (ax.get_ylabel(), ax.get_legend()) == ("effect on class True", None)
    for pair, name in (("age", "size"), "x"), (("size", "age"), "y"):
        ax = effects.plot(pair, plt.figure().add_subplot())
        axis, cuts = getattr(ax, f"{name}axis"), model.codes.thresholds[0]
        assert axis.get_label_text() == "age"
        assert [label.get_text() for label in axis.get_ticklabels(minor=True)] == ["missing"]
        assert axis.get_ticklocs(minor=True).tolist() == [cuts.size]
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True):
            assert float(label.get_text()) == pytest.approx(cuts[int(place - 0.5)], abs=0.5)


def test_pairs_are_drawn_in_both_orders_and_for_every_class(kinds):
    frame, y, forest = kinds
    pair = ("age", "colour")
    effects = anova_effects(forest.fit(frame, y), frame, [pair])
    for output, name in ((None, "low"), (0, "_$mid"), (1, "high")):
        for effect, turned in ((pair, False), (pair[::-1], True)):
            ax = effects.plot(effect, plt.figure().add_subplot(), output=output)
            expected = effects.pairs[0, 1][..., -1 if output is None else output]
            np.testing.assert_array_equal(ax.images[0].get_array(), expected if turned else expected.T)
            assert ax.images[0].colorbar.ax.get_ylabel() == f"effect on class {name}"
            assert (ax.get_xlabel(), ax.get_ylabel()) == effect
    ax = effects.plot("age", plt.figure().add_subplot(), output=1)
    assert (ax.get_ylabel(), ax.get_legend()) == ("effect on class high", None)
    with pytest.raises(IndexError):
        effects.plot("age", output=3)
    one = anova_effects(forest.fit(frame, y == "low"), frame)
    with pytest.raises(IndexError, match="There is one output, got output=1"):
        one.plot("age", output=1)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_partial_dependence_has_a_grid_and_a_plot(kinds, n_labels):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y if n_labels == 3 else y == "low"))
    wanted = ["age", "colour", ("size", "colour"), ("age", "size")]
    found = partial_dependence(model, frame, wanted)
    assert [*found] == found[:] == [found[one] for one in wanted]
    assert repr(found) == repr(found.tables)
    # A value of the grid has the code that it stands for.
    assert found.grid[1].tolist() == ["b", "g", "r"]
    for values, m in ((found.grid[0], 0), (found.grid[2][0], 2), (found.grid[3][1], 2)):
        rows = frame.iloc[[0] * len(values)].copy()
        rows.isetitem(m, values)
        np.testing.assert_array_equal(model.codes.transform(rows)[:, m], np.arange(len(values)))
    assert np.isnan(found.grid[0][-1])
    ax = found.plot("age", plt.figure().add_subplot())
    of_class = "" if n_labels == 3 else " for class True"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", f"partial dependence{of_class}")
    table = found["age"].reshape(len(found["age"]), -1)
    steps = [line.get_ydata()[1:] for line in ax.lines[: table.shape[1]]]
    np.testing.assert_array_equal(np.transpose(steps), table[:-1])
    assert (ax.get_legend() is None) == (n_labels == 2)
    table = found["size", "colour"] if n_labels == 2 else found["size", "colour"][..., -1]
    for effect, drawn in ((("size", "colour"), table.T), (("colour", "size"), table)):
        ax = found.plot(effect, plt.figure().add_subplot())
        np.testing.assert_array_equal(ax.images[0].get_array(), drawn)
        axis = ax.yaxis if effect[0] == "size" else ax.xaxis
        assert [label.get_text() for label in axis.get_ticklabels()] == ["b", "g", "r"]
    with pytest.raises(ValueError, match="no partial dependence of the feature 2"):
        found.plot("size")
    with pytest.raises(KeyError, match="partial dependence of 'size' was not computed"):
        found["size"]
    of_codes = partial_dependence(model.trees, model.cardinalities, [0, (0, 1)])
    assert [len(grid) for grid in (of_codes.grid[0], *of_codes.grid[1])] == [*model.cardinalities[[0, 0, 1]]]
    assert of_codes.plot(0, plt.figure().add_subplot()).get_xlabel() == "code of feature 0"
    with pytest.raises(ValueError, match="Features are numbers from 0 to 2"):
        of_codes["age"]


def test_thresholds_at_pictures_of_pairs_are_short():
    matplotlib.use("agg")
    for cuts, other, said in (
        ([-0.0612, -1e-5, 0.0339], [1 / 3], (["-0.061", "0", "0.034"], ["0.3333"])),
        ([0.12345, 0.12346], np.arange(51) * 1e4, (["0.12345", "0.12346"], [str(k * 10**5) for k in range(6)])),
    ):
        cuts, other = np.array(cuts), np.array(other)
        singles = [np.zeros(cuts.size + 1), np.zeros(other.size + 1)]
        pairs = {(0, 1): np.add.outer(*singles)}
        ax = AnovaEffects(0.0, singles, pairs, thresholds=[cuts, other]).plot((0, 1), plt.figure().add_subplot())
        found = [[label.get_text() for label in axis.get_ticklabels()] for axis in (ax.xaxis, ax.yaxis)]
        assert found == [*said]
    plt.close("all")


def test_pictures_of_few_values():
    matplotlib.use("agg")
    known = {"thresholds": [np.array([]), np.array([np.inf]), np.array([0.0]), np.array([2.0, np.inf])]}
    effects = AnovaEffects(0.0, [np.zeros(1), np.ones(2), np.ones(2), np.arange(3.0)], {}, **known)
    drawn = [effects.plot(m, plt.figure().add_subplot()) for m in range(4)]
    words = [[label.get_text() for label in ax.get_xticklabels()] for ax in drawn[:2]]
    assert words == [["all values"], ["not missing", "missing"]]
    assert [ax.lines[0].get_xdata().tolist() for ax in drawn[2:]] == [[-1.0, 0.0, 1.0], [0.0, 2.0, 4.0]]
    of_codes = AnovaEffects(np.zeros(2), [np.eye(2)], {}).plot(0, plt.figure().add_subplot())
    assert [text.get_text() for text in of_codes.get_legend().get_texts()] == ["output 0", "output 1"]
    plt.close("all")
    assert effects.plot(0) is plt.gca()  # a new figure, as none was open
    plt.close("all")


def test_wrong_parameters_of_pictures_are_refused(drawn_effects):
    indices, effects = drawn_effects
    for draw in (indices.plot, indices.plot_pairs, partial(effects.plot, 0)):
        with pytest.raises(TypeError, match="ax must be axes of matplotlib, got 5"):
            draw(5)
        for names in (5, "abc", [["a", "b", "c"]]):
            with pytest.raises(ValueError, match="feature_names must be a sequence of names"):
                draw(feature_names=names)
    for draw in (indices.plot, indices.plot_pairs):
        for number in (0, -1, 0.5, True, "2", np.nan):
            with pytest.raises(ValueError, match="max_features must be a whole number from 1, or None"):
                draw(max_features=number)
        draw(max_features=10**400)
