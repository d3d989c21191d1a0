"""Spectra on parts of the domain: against the transform of the part."""

import numpy as np
import pytest
from fourier_samples import SEEDS, random_cardinalities
from hypothesis import given
from support import examples, on_both_engines

from pytrees import FourierSpectrum
from pytrees._engine import kernel

CLOSE = {"rtol": 0.0, "atol": 1e-12}


def restricted(tables, attribute, low, high):
    """The tables that `restrict` makes of the spectra of several functions."""
    spectra = [FourierSpectrum.from_table(table) for table in tables]
    shape = list(tables[0].shape)
    dtype = spectra[0].partitions.dtype
    partitions = np.stack(np.unravel_index(np.arange(tables[0].size), shape), axis=1).astype(dtype)
    columns = np.stack([np.fft.ifftn(table).ravel() for table in tables], axis=1)
    found, coefficients = kernel("restrict")(partitions, columns, attribute, shape[attribute], low, high)
    found, coefficients = np.array(found), np.array(coefficients)
    assert not found[0].any()
    assert len({tuple(j) for j in found.tolist()}) == len(found)
    shape[attribute] = high - low
    dense = np.zeros((len(tables), *shape), dtype=np.complex128)
    for k in range(len(tables)):
        dense[(k, *found.T)] = coefficients[:, k]
    return np.fft.fftn(dense, axes=range(1, len(shape) + 1))


@examples(150)
@given(seed=SEEDS)
def test_restriction_is_the_part_of_the_table(engine, seed):
    rng = np.random.default_rng(seed)
    cardinalities = random_cardinalities(rng, largest=6, n_attributes=3)
    tables = rng.integers(0, 3, (rng.integers(1, 3), *cardinalities)).astype(float)
    attribute = int(rng.integers(0, cardinalities.size))
    low, high = sorted(rng.choice(cardinalities[attribute] + 1, 2, replace=False))
    parts = restricted(tables, attribute, int(low), int(high))
    expected = np.take(tables, range(low, high), axis=attribute + 1)
    np.testing.assert_allclose(parts, expected, **CLOSE)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 16, 17, 33])
def test_engines_agree_at_all_sizes_of_the_hash_table(n_rows):
    rng = np.random.default_rng(n_rows)
    rows = rng.permutation(np.unique(rng.integers(0, 3, (3 * n_rows, 4)), axis=0))[: n_rows - 1]
    partitions = np.concatenate([np.zeros((1, 4)), rows[rows.any(axis=1)]]).astype(np.int8)
    coefficients = rng.normal(size=(len(partitions), 2)) + 1j * rng.normal(size=(len(partitions), 2))
    call = kernel
    compiled, twin = on_both_engines(lambda: call("restrict")(partitions, coefficients, 1, 3, 1, 3))
    np.testing.assert_array_equal(sorted(map(tuple, compiled[0].tolist())), sorted(map(tuple, twin[0])))
    place = {tuple(j): w for j, w in zip(twin[0], twin[1], strict=True)}
    for j, w in zip(compiled[0].tolist(), compiled[1], strict=True):
        np.testing.assert_allclose(w, place[tuple(j)], **CLOSE)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_digits_of_all_types(dtype):
    partitions = np.array([[0, 0], [1, 1]], dtype=dtype)
    coefficients = np.array([[0.5], [-0.5]], dtype=np.complex128)
    found, folded = kernel("restrict")(partitions, coefficients, 0, 2, 1, 2)
    assert found.dtype == dtype
    assert found.tolist() == [[0, 0], [0, 1]]
    assert folded.tolist() == [[0.5], [0.5]]
