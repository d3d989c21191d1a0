"""Spectra: against the dense transform, by their invariants, and both engines against each other."""

import pickle
import tracemalloc

import numpy as np
import pytest
from fourier_samples import CLOSE, KINDS, SEEDS, domain, random_schema, random_tree, sample_trees, table_of
from hypothesis import given
from hypothesis import strategies as st
from multiway_trees import way
from sklearn.datasets import load_breast_cancer
from support import assert_refuses, examples, on_both_engines

from pytrees import DecisionTreeClassifier, FourierSpectrum, Tree
from pytrees.fourier import gram, schema_average, tree_inner
from pytrees.fourier.spectrum import energy_bounds
from pytrees.reference.fourier import spectrum as reference


def dense(spectrum):
    """All coefficients as a tensor."""
    tensor = np.zeros(spectrum.cardinalities, dtype=np.complex128)
    tensor[tuple(spectrum.partitions.T)] = spectrum.coefficients
    return tensor


@examples(350)
@given(seed=SEEDS, kind=KINDS)
def test_transform_and_its_inverse(engine, seed, kind):
    rng, cardinalities, (tree,) = sample_trees(seed, kind)
    for values in (None, rng.normal(size=tree.node_count)):
        table = table_of(tree, cardinalities, values)
        spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
        np.testing.assert_allclose(dense(spectrum), np.fft.ifftn(table), **CLOSE)
        np.testing.assert_allclose(np.fft.fftn(dense(spectrum)), table, **CLOSE)
        np.testing.assert_allclose(spectrum.to_table(), table, **CLOSE)
        np.testing.assert_allclose(spectrum.evaluate(domain(cardinalities)), table.ravel(), **CLOSE)
        np.testing.assert_allclose(dense(FourierSpectrum.from_table(table)), dense(spectrum), **CLOSE)


@examples(160)
@given(seed=SEEDS, kind=KINDS)
def test_engines_agree(seed, kind):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=3)
    weights = rng.normal(size=3)
    compiled, twin = on_both_engines(FourierSpectrum.from_ensemble, trees, cardinalities, weights)
    np.testing.assert_array_equal(compiled.partitions, twin.partitions)
    assert compiled.partitions.dtype == twin.partitions.dtype
    np.testing.assert_allclose(compiled.coefficients, twin.coefficients, **CLOSE)


@examples(200)
@given(seed=SEEDS, kind=KINDS)
def test_shape_of_a_spectrum(engine, seed, kind):
    """Sorted, conjugate symmetric to the bit, nothing beyond the features of a path, and energy as Parseval has it."""
    rng, cardinalities, (tree,) = sample_trees(seed, kind)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=rng.normal(size=tree.node_count))
    orders = (spectrum.partitions != 0).sum(axis=1)
    keys = [(order, *digits) for order, digits in zip(orders, spectrum.partitions.tolist(), strict=True)]
    assert keys == sorted(set(keys))
    assert not spectrum.partitions[0].any()
    np.testing.assert_array_equal(spectrum.orders, orders)
    tensor = dense(spectrum)
    opposite = np.roll(np.flip(tensor), 1, range(tensor.ndim))
    np.testing.assert_allclose(tensor, opposite.conj(), rtol=0.0, atol=0.0)
    asked = [{tree.feature[node] for node in way(tree, row)} - {-2} for row in domain(cardinalities)]
    assert orders.max() <= max(map(len, asked)) <= tree.max_depth
    assert all(any(set(np.flatnonzero(j)) <= features for features in asked) for j in spectrum.partitions)
    by_order = spectrum.energy_by_order()
    assert by_order.shape == (cardinalities.size + 1,)
    assert spectrum.energy == pytest.approx(by_order.sum())
    assert spectrum.energy == pytest.approx((spectrum.to_table() ** 2).mean(), abs=1e-12)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_spectra_of_classes_add_up_to_one(engine, seed, kind):
    _, cardinalities, (tree,) = sample_trees(seed, kind, n_classes=3)
    spectra = [FourierSpectrum.from_tree(tree, cardinalities, class_index) for class_index in range(3)]
    total = sum(spectra[1:], spectra[0])
    np.testing.assert_allclose(total.coefficients[0], 1.0, **CLOSE)
    np.testing.assert_allclose(total.coefficients[1:], 0.0, **CLOSE)
    assert FourierSpectrum.from_tree(tree, cardinalities) == spectra[-1]


def test_worked_example_of_the_paper(engine):
    """Fig. 2: x_1 is tested, then x_2 where it is 0; averages 1/4 and 1 below. w_000 = 5/8, w_010 = -1/4."""
    node = (1, [(2, [0.0, 0.5]), 1.0])
    coefficients = reference.extract_fs(node, [2, 2, 2])
    assert coefficients[0, 0, 0] == 5 / 8
    tree = DecisionTreeClassifier().fit([[0, 0, 0], [0, 0, 1], [0, 1, 0]], [0, 1, 2]).tree_
    assert tree.children_left.tolist() == [1, 2, -1, -1, -1]
    values = np.array([0, 0, 0.0, 0.5, 1.0])
    spectrum = FourierSpectrum.from_tree(tree, [2, 2, 2], values=values)
    found = dict(zip(map(tuple, spectrum.partitions.tolist()), spectrum.coefficients, strict=True))
    first, second = tree.feature[0], tree.feature[1]
    assert (first, second) == (1, 2)
    assert found.keys() == coefficients.keys()
    for partition, coefficient in found.items():
        assert coefficient == pytest.approx(coefficients[partition])
    # "F_x1(0) is 1/2": where the paper's numbers are 1/2 and 1, w_010 is -1/4.
    assert reference.extract_fs((1, [0.5, 1.0]), [2, 2, 2])[0, 1, 0] == pytest.approx(-1 / 4)


def test_partitions_beyond_a_byte(engine):
    for cardinality, dtype in ((128, np.int8), (129, np.int16), (40_000, np.int32)):
        table = np.zeros(cardinality)
        table[: cardinality // 3] = 1.0
        spectrum = FourierSpectrum([[1], [cardinality - 1]], [1j, -1j], [cardinality])
        assert spectrum.partitions.dtype == dtype
        assert (spectrum + spectrum - spectrum).partitions.dtype == dtype
        assert spectrum.partitions.tolist() == [[0], [1], [cardinality - 1]]
        if cardinality < 1000:
            tree = DecisionTreeClassifier().fit(np.arange(cardinality)[:, None], table).tree_
            np.testing.assert_allclose(
                dense(FourierSpectrum.from_tree(tree, [cardinality])), np.fft.ifft(table), **CLOSE
            )


@examples(100)
@given(seed=SEEDS)
def test_algebra(engine, seed):
    _, cardinalities, (a, b) = sample_trees(seed, n_trees=2)
    f, g = table_of(a, cardinalities), table_of(b, cardinalities)
    v, w = FourierSpectrum.from_tree(a, cardinalities), FourierSpectrum.from_tree(b, cardinalities)
    for spectrum, table in (
        (v + w, f + g),
        (v - w, f - g),
        (-v, -f),
        (2.5 * v - w * 0.5, 2.5 * f - 0.5 * g),
        (1 - v / 4, 1 - f / 4),
        (v - v, np.zeros_like(f)),
        (np.float64(0.25) + v, f + 0.25),
        (np.float32(2) * v * np.int64(3), 6 * f),
    ):
        np.testing.assert_allclose(spectrum.to_table(), table, **CLOSE)
    assert (v - v).n_coefficients == 1
    assert v.inner(w) == pytest.approx((f * g).mean(), abs=1e-12)
    assert v.inner(w) == pytest.approx(tree_inner(a, b, cardinalities), abs=1e-12)
    ensemble = FourierSpectrum.from_ensemble([a, b], cardinalities, [0.25, -3.0])
    np.testing.assert_allclose(ensemble.to_table(), 0.25 * f - 3.0 * g, **CLOSE)
    np.testing.assert_allclose(FourierSpectrum.from_ensemble([a, b], cardinalities).to_table(), (f + g) / 2, **CLOSE)


@examples(200)
@given(seed=SEEDS, kind=KINDS)
def test_schema_averages_three_ways(engine, seed, kind):
    rng, cardinalities, trees = sample_trees(seed, kind, n_trees=2)
    weights = rng.normal(size=2)
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, weights)
    schema, mask = random_schema(rng, cardinalities)
    expected = sum(w * table_of(tree, cardinalities)[mask].mean() for w, tree in zip(weights, trees, strict=True))
    fixed = {m: values for m, values in enumerate(schema) if values is not None}
    assert spectrum.schema_average(schema) == pytest.approx(expected, abs=1e-12)
    assert spectrum.schema_average(fixed) == spectrum.schema_average(schema)
    for given_schema in (schema, fixed):
        average = schema_average(trees, given_schema, cardinalities, weights=weights)
        assert average == pytest.approx(expected, abs=1e-12)


@examples(100)
@given(seed=SEEDS, energy=st.floats(0.01, 1.0), max_order=st.none() | st.integers(0, 3))
def test_truncation_error_is_the_dropped_energy(engine, seed, energy, max_order):
    rng, cardinalities, trees = sample_trees(seed, n_trees=3)
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, rng.normal(size=3))
    kept = spectrum.truncate(energy=energy, max_order=max_order)
    error = ((kept.to_table() - spectrum.to_table()) ** 2).mean()
    assert error == pytest.approx(spectrum.energy - kept.energy, abs=1e-12)
    assert error == pytest.approx((spectrum - kept).energy, abs=1e-12)
    assert kept.coefficients[0] == spectrum.coefficients[0]
    outside = spectrum.energy_by_order()[1:].sum()
    if max_order is None:
        assert kept.energy_by_order()[1:].sum() >= (energy - 1e-9) * outside
    else:
        assert kept.orders.max() <= max_order
    # Real: j went with -j.
    assert FourierSpectrum(kept.partitions, kept.coefficients, cardinalities) == kept


def test_truncation_keeps_the_fewest(engine):
    """|w| = 3, 2 (a pair), 1, 1: the greatest first, equal ones by order, then lexicographically."""
    partitions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 2, 0], [0, 0, 1], [1, 0, 1]]
    spectrum = FourierSpectrum(partitions, [7.0, 3.0, 2j, -2j, 1.0, 1.0], [2, 3, 2])
    total = 9 + 8 + 1 + 1
    for share, expected in ((9 / total, 2), (9.5 / total, 4), (17 / total, 4), (18 / total, 5), (1.0, 6)):
        kept = spectrum.truncate(energy=share)
        assert kept.n_coefficients == expected
    assert [0, 0, 1] in spectrum.truncate(energy=18 / total).partitions.tolist()
    assert spectrum.truncate(max_order=0).partitions.tolist() == [[0, 0, 0]]
    assert spectrum.truncate() == spectrum


def test_equality_pickle_repr(engine):
    spectrum = FourierSpectrum([[0, 1], [1, 0]], [0.5, 0.25], [2, 2])
    again = pickle.loads(pickle.dumps(spectrum))
    assert again == spectrum
    assert hash(again) == hash(spectrum)
    assert not again.coefficients.flags.writeable
    assert spectrum != 2 * spectrum
    assert spectrum != FourierSpectrum([[0, 1], [1, 0]], [0.5, 0.25], [2, 2]) + FourierSpectrum([[1, 1]], [1], [2, 2])
    assert spectrum != "spectrum"
    assert repr(spectrum) == "<FourierSpectrum of 3 coefficients up to order 1, 2 attributes>"
    with pytest.raises(ValueError, match="read-only"):
        spectrum.coefficients[0] = 1.0


def test_plot_energy():
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = FourierSpectrum([[0, 1], [1, 1]], [0.5, 0.25], [2, 2]).plot_energy(plt.figure().gca())
    assert [bar.get_height() for bar in axes.patches] == [0.0, 0.25, 0.0625]
    assert axes.get_yscale() == "log"
    assert not axes.lines
    plt.close("all")


def test_plot_energy_and_its_bounds(engine):
    """Breast Cancer above and below the medians: energy falls with the order, below both bounds."""
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = load_breast_cancer(return_X_y=True)
    X = np.greater(X, np.median(X, axis=0)).astype(float)[:, :12]
    tree = DecisionTreeClassifier("entropy", max_depth=6).fit(X, y)
    spectrum = FourierSpectrum.from_tree(tree, [2] * 12)
    axes = spectrum.plot_energy(plt.figure().gca(), tree=tree)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert set(names) == {"of the order", "of the order or higher", "bound by the leaves", "Linial's bound"}
    of_tails, of_leaves, of_circuits = (line.get_ydata() for line in axes.lines)
    np.testing.assert_allclose(of_tails[0], spectrum.energy - spectrum.coefficients[0].real ** 2)
    assert np.all(np.diff(of_tails) < 0)
    assert np.all(of_tails <= of_leaves)
    assert np.all(of_leaves <= of_circuits)
    assert_refuses(ValueError, "features", FourierSpectrum([[0]], [1.0], [2]).plot_energy, axes, tree=tree)
    plt.close("all")


@examples(120)
@given(seed=SEEDS, kind=KINDS)
def test_energy_is_bounded(engine, seed, kind):
    rng, cardinalities, (tree,) = sample_trees(seed, kind)
    values = rng.normal(size=tree.node_count)
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
    tails = np.cumsum(spectrum.energy_by_order()[::-1])[::-1]
    for bound in energy_bounds(spectrum, tree):
        assert bound.shape == tails.shape
        assert np.all(tails <= bound + 1e-12)


def test_energy_bounds_by_hand():
    """x_0 and x_1 and x_2: an eighth of the bits comes to the leaf of three attributes, and to its sibling."""
    tree = Tree(
        [1, -1, 3, -1, 5, -1, -1], [2, -1, 4, -1, 6, -1, -1], [0, -2, 1, -2, 2, -2, -2], [0.5, -2] * 3 + [-2],
        np.ones(7, int), np.eye(2)[[0, 0, 0, 0, 0, 0, 1]], np.zeros(7), 3,
    )  # fmt: skip
    of_leaves, of_circuits = energy_bounds(FourierSpectrum.from_tree(tree, [2, 2, 2]), tree)
    np.testing.assert_allclose(of_leaves[1:], [1 / 4, 1 / 8, 1 / 16])
    np.testing.assert_allclose(of_circuits[1:], 2.5 * 2.0 ** (-np.sqrt([0, 1, 2]) / 20))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 2]], [1.0], [2, 2]), "digits outside"),
        (([[0, -1]], [1.0], [2, 2]), "digits outside"),
        (([[0, 1], [0, 1]], [1.0, 1.0], [2, 2]), "duplicate row"),
        (([[0, 1]], [1.0, 1.0], [2, 2]), "coefficients of shape"),
        (([[0, 1]], [np.nan], [2, 2]), "NaN"),
        (([[0.5, 1]], [1.0], [2, 2]), "whole numbers"),
        (([[0, 1]], [1.0], [2, 3]), "function is not real"),
        (([[0, 1]], [1j], [2, 2]), "function is not real"),
        (([[0, 1]], [1.0], [2, 2, 2]), "attributes"),
        (([[0, 1]], [1.0], [2, 0]), "from 1 to"),
        (([[0, 1]], [1.0], [2.5, 2]), "whole number"),
    ],
)
def test_arrays_that_are_no_spectrum_are_refused(engine, arguments, message):
    assert_refuses(ValueError, message, FourierSpectrum, *arguments)


def test_invalid_input_is_refused(engine):
    tree = random_tree(np.random.default_rng(0), [3, 3], 5)
    spectrum = FourierSpectrum.from_tree(tree, [3, 3])
    other = FourierSpectrum([[0]], [1.0], [3])
    for combine in (spectrum.__add__, spectrum.__sub__, spectrum.inner):
        assert_refuses(ValueError, "different domains", combine, other)
    with pytest.raises(TypeError):
        spectrum * "2"
    with pytest.raises(TypeError):
        spectrum + 1j
    assert_refuses(TypeError, "FourierSpectrum", spectrum.inner, 3)
    for X in ([[0, 3]], [[-1, 0]]):
        assert_refuses(ValueError, "outside the cardinality in column", spectrum.evaluate, X)
    assert_refuses(ValueError, "whole numbers", spectrum.evaluate, [[0.5, 0]])
    assert_refuses(ValueError, "whole numbers", spectrum.evaluate, np.array([[0, 0]], dtype="timedelta64[s]"))
    for energy in (0.0, -1, 1.5, np.nan, "0.5"):
        assert_refuses(ValueError, "energy must be", spectrum.truncate, energy=energy)
    assert_refuses(ValueError, "max_order", spectrum.truncate, max_order=-1)
    assert_refuses(ValueError, "its cardinality is", FourierSpectrum.from_tree, tree, [2, 2])
    assert_refuses(ValueError, "features", FourierSpectrum.from_tree, tree, [3, 3, 3])
    assert_refuses(ValueError, "class_index", FourierSpectrum.from_tree, tree, [3, 3], 2)
    assert_refuses(ValueError, "one output", FourierSpectrum.from_tree, tree, [3, 3], None)
    for values in ([1.0], np.full(tree.node_count, np.nan)):
        assert_refuses(ValueError, "values", FourierSpectrum.from_tree, tree, [3, 3], values=values)
    assert_refuses(TypeError, "Tree", FourierSpectrum.from_tree, "tree", [3, 3])
    assert_refuses(ValueError, "finite", FourierSpectrum.from_table, [np.inf])


SCHEMATA = [*((ValueError, schema) for schema in ([0], {5: 0}, {0: 3}, {0: []}, {-1: 0}))]
SCHEMATA += [(TypeError, schema) for schema in ("01", 3, {"a": 0}, {0: "b"}, {0: 0.5}, [True, None])]


@pytest.mark.parametrize(("error", "schema"), SCHEMATA)
def test_invalid_schemata_are_refused(engine, error, schema):
    tree = random_tree(np.random.default_rng(0), [3, 3], 5)
    assert_refuses(error, "schema", FourierSpectrum.from_tree(tree, [3, 3]).schema_average, schema)
    assert_refuses(error, "schema", schema_average, [tree], schema, [3, 3])


@pytest.mark.parametrize("memory_limit", [np.inf, 1e308, 10**400])
def test_no_memory_limit_counts_all_coefficients(engine, memory_limit):
    tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).tree_
    expected = FourierSpectrum.from_tree(tree, [2, 2])
    for _ in range(100):
        assert FourierSpectrum.from_tree(tree, [2, 2], memory_limit=memory_limit) == expected
    assert expected.to_table(memory_limit=memory_limit).shape == (2, 2)


def test_memory_limit_is_kept_before_work_begins(engine):
    cardinalities = np.full(12, 2 if engine == "reference" else 2000)
    rng = np.random.default_rng(0)
    tree = random_tree(rng, cardinalities, 40)
    values = rng.normal(size=tree.node_count)
    with pytest.raises(MemoryError, match=r"more than \d+ coefficients, of \d+ bytes each, and up to "):
        FourierSpectrum.from_tree(
            tree, cardinalities, values=values, memory_limit=2**20 if engine == "compiled" else 200
        )
    assert_refuses(MemoryError, "table", FourierSpectrum([[0] * 60], [1.0], [2] * 60).to_table)


def test_extraction_needs_little_memory_beside_the_spectrum():
    rng = np.random.default_rng(0)
    cardinalities = np.full(20, 3)
    tree = random_tree(rng, cardinalities, 60)
    values = rng.normal(size=tree.node_count)
    tracemalloc.start()
    spectrum = FourierSpectrum.from_tree(tree, cardinalities, values=values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    n_bytes = spectrum.partitions.nbytes + spectrum.coefficients.nbytes
    assert n_bytes > 2**20
    assert peak < 1.5 * n_bytes


@examples(30)
@given(seed=SEEDS)
def test_memory_limit_is_exact(engine, seed):
    rng, cardinalities, trees = sample_trees(seed, n_trees=2)
    values = [rng.normal(size=tree.node_count) for tree in trees]
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, values=values)
    # Coefficients that cancel are counted; the real ones are no more.
    n_bytes = spectrum.partitions.nbytes + spectrum.coefficients.nbytes
    if spectrum.n_coefficients > 1:
        with pytest.raises(MemoryError):
            FourierSpectrum.from_ensemble(trees, cardinalities, values=values, memory_limit=n_bytes - 1)


@examples(100)
@given(seed=SEEDS, kind=KINDS)
def test_gram_of_spectra_and_of_boxes(engine, seed, kind):
    _, cardinalities, trees = sample_trees(seed, kind, n_trees=3)
    spectra = [FourierSpectrum.from_tree(tree, cardinalities) for tree in trees]
    np.testing.assert_allclose(gram(trees, cardinalities), [[a.inner(b) for b in spectra] for a in spectra], **CLOSE)
