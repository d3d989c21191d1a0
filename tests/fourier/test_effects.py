"""Effects of functions, against all points of the domain, dense transforms, samples, SciPy and scikit-learn."""

import pickle
import sys
from functools import partial
from itertools import combinations

import numpy as np
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
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionTreeClassifier, FourierSpectrum, Tree
from pytrees._engine import kernel
from pytrees._tree_checks import LEAF, UNDEFINED
from pytrees.fourier import (
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
    assert_refuses(ValueError, "probability zero", schema_average, [tree], {0: 1}, [2, 2], measure=measure)


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
        assert_refuses(TypeError, message, call, estimator.fit(X, y))


def test_invalid_arguments_are_refused():
    tree, other = (random_trees(np.random.default_rng(seed), [3, 3], 1)[0] for seed in (0, 1))
    for features in ([2], [-1], [(0, 0)], [(0, 1, 0)], [True], [0.5], ["0"], "0", 3, [()]):
        assert_refuses(ValueError, r"eature", partial_dependence, [tree], [3, 3], features)
    assert_refuses(ValueError, "pairs must hold pairs", anova_effects, [tree], [3, 3], [0])
    with pytest.raises(ValueError, match="Effects need a product measure"):
        anova_effects([tree], [3, 3], measure="joint", X=[[0, 0]])
    for call in (sobol_indices, partial_dependence, anova_effects):
        assert_refuses(ValueError, "no trees", call, [], [3, 3])
        assert_refuses(ValueError, "weights must be", call, [tree], [3, 3], weights=[1.0, 2.0])
        assert_refuses(ValueError, "needs X", call, [tree], [3, 3], measure="empirical")
    one_and_two = {"values": [np.zeros(tree.node_count)], "other_values": [np.zeros((other.node_count, 2))]}
    assert_refuses(ValueError, "1 and 2 outputs", model_distance, [tree], [other], [3, 3], **one_and_two)
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
    assert_refuses(MemoryError, "memory_limit=1000", anova_effects, [constant], [100, 100], memory_limit=1000)
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
        assert_refuses(ValueError, "trees are of two codings", model_distance, alone[0].trees, trees, sizes)
        assert_refuses(ValueError, "trees are of two codings", gram, [alone[0].trees[0], trees[0]], sizes)
    # Equal thresholds give equal codings, and trees made of coded trees have their coding.
    again = ordinal_codes(forests[0])
    sizes = again.cardinalities
    assert model_distance(alone[0].trees, again.trees, sizes).distance == 0.0
    one = tree_from_ensemble(again.trees, sizes)
    assert again.trees[0] == Tree(*alone[0].trees[0].__reduce__()[1][0])
    assert_refuses(ValueError, "trees are of two codings", gram, [one.tree, together.trees[0]], together.cardinalities)


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
    plain = sobol_indices(trees, sizes, values=values, **given)
    with pytest.warns(RuntimeWarning, match=r"variance .* beyond the range of float64.*The indices are right"):
        of_all = sobol_indices(trees, sizes, values=small, **given)
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
