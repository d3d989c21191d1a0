"""The grid of targets: it is exact if it can be, keeps its limit, and gives correctly rounded means."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import assert_refuses, on_both_engines

from pytrees._engine import load
from pytrees._weights import GRID_TOTAL_OF_NUMBERS, limits_of_kernel
from pytrees.input.targets import MOST_SUM, MOST_TARGET, Grid, on_grid, whole_numbers

TARGETS = {
    "normal": st.floats(-3, 3, width=64),
    "decimals": st.integers(-200, 200).map(lambda k: k / 10),
    "cents": st.integers(-(10**9), 10**9).map(lambda k: k / 100),
    "whole": st.integers(-5, 5).map(float),
    "far from zero": st.floats(1e9, 1e9 + 1),
    "any magnitude": st.floats(-1e308, 1e308),
    "subnormal": st.integers(-9, 9).map(lambda k: k * 5e-324),
    "neighbours": st.integers(0, 9).map(lambda k: 1.0 + k * 2.0**-52),
}
WEIGHTS = st.sampled_from([1, 3, 2**20, 2**40, 2**52])


@st.composite
def targets(draw):
    kind = draw(st.sampled_from(sorted(TARGETS)))
    y = np.array(draw(st.lists(TARGETS[kind], min_size=1, max_size=12)))
    return y, len(y) * draw(WEIGHTS) // draw(st.sampled_from([1, len(y)]))


def targets_of(numbers, grid):
    """Return the targets for which numbers of a grid stand, as fractions."""
    return [(grid.centre + int(k)) / (Fraction(grid.divisor) * Fraction(2) ** grid.exponent) for k in numbers]


@given(targets())
def test_numbers_stand_for_the_nearest_targets(drawn):
    y, total = drawn
    codes, found = on_grid(y, total)
    numbers, grid = found.numbers, found.grid
    assert codes.dtype == np.int32
    assert numbers.dtype == np.int64
    assert np.all(np.diff(numbers) > 0)
    assert max(-int(numbers[0]), int(numbers[-1])) * total <= MOST_SUM
    unit = 1 / (Fraction(grid.divisor) * Fraction(2) ** grid.exponent)
    distances = [abs(a - Fraction(b)) for a, b in zip(targets_of(numbers[codes], grid), y.tolist(), strict=True)]
    if grid.divisor == 1:
        assert max(distances) <= unit / 2
        # A finer grid would break the limit, or hold nothing more.
        assert max(distances) == 0 or max(-int(numbers[0]), int(numbers[-1]), 1) * total * 4 > MOST_SUM - 4 * total
    else:
        assert [float(target) for target in targets_of(numbers[codes], grid)] == y.tolist()


@given(targets(), st.data())
def test_means_are_correctly_rounded(drawn, data):
    y, total = drawn
    codes, found = on_grid(y, total)
    numbers, grid = found.numbers, found.grid
    weight = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(y), max_size=len(y))))
    sums = weight * numbers[codes] + np.array([data.draw(st.integers(-3, 3)) for _ in y])
    expected = [
        float((grid.centre + Fraction(int(s), int(w))) / (Fraction(grid.divisor) * Fraction(2) ** grid.exponent))
        for s, w in zip(sums, weight, strict=True)
    ]
    parts = np.stack(np.divmod(sums, 2**62), axis=1)
    for means in on_both_engines(grid.means, weight, parts):
        assert means.tolist() == expected


@pytest.mark.parametrize("package", ["pytrees._core", "pytrees.reference"])
def test_both_engines_take_all_that_a_grid_holds(package):
    limits = load(f"{package}.criteria.counts")
    assert (limits.MOST_TARGET_SUM, limits.MOST_TARGET) == (MOST_SUM, MOST_TARGET)
    # A sum of rounded weights, in which no weight is rounded to 0, may be drawn several times.
    assert limits.MOST_WEIGHT_OF_TARGETS == 16 * GRID_TOTAL_OF_NUMBERS


def test_ties_of_decimals_are_ties():
    codes, targets = on_grid(np.array([0.1, 0.2, 0.3]), 3)
    assert targets.numbers.tolist() == [-1, 0, 1]
    assert codes.tolist() == [0, 1, 2]
    assert targets.grid == Grid(2, 10, 0)


def test_small_targets_beside_great_ones_merge():
    codes, targets = on_grid(np.array([1e300, 1e-300, 2e-300]), 3)
    assert codes.tolist() == [1, 0, 0]
    assert len(targets) == 2


def test_one_target_is_kept_exactly():
    for value in (0.1, 1e300, 5e-324, -0.0, 1 / 3):
        _, targets = on_grid(np.full(4, value), 4)
        assert targets.grid.means(np.array([4]), np.array([divmod(4 * int(targets.numbers[0]), 2**62)]))[0] == value


@pytest.mark.parametrize(
    ("grid", "power", "distance"),
    [
        (Grid(0, 10, 0), 2, 0.04),
        (Grid(0, 10, 0), 1, 0.4),
        (Grid(0, 1, 3), 2, 0.0625),
        (Grid(0, 1, 3), 1, 0.5),
        (Grid(0, 1, -600), 2, np.inf),
        (Grid(0, 1, 600), 2, 0.0),
    ],
)
def test_distances(grid, power, distance):
    assert grid.distances(np.array([4.0]), power)[0] == distance
    limits = {"min_gain": distance, "min_impurity_decrease": 0.0}
    least = limits_of_kernel(limits, lambda gain: grid.distances(gain, power))["min_gain"]
    assert grid.distances(least, power) >= distance > grid.distances(np.nextafter(least, -1.0), power) or least == 0.0


@given(
    weight=st.lists(st.integers(1, 2**45), min_size=1, max_size=5),
    data=st.data(),
    grid=st.builds(
        Grid, st.sampled_from([0, 7, -(2**50), 10**25]), st.sampled_from([1, 10, 10**15]), st.integers(-1100, 1100)
    ),
)
def test_means_of_sums_beyond_64_bits(weight, data, grid):
    sums = [data.draw(st.integers(-(2**35) * of_one, 2**35 * of_one)) for of_one in weight]
    unit = Fraction(grid.divisor) * Fraction(2) ** grid.exponent
    numbers = [(grid.centre + Fraction(total, of_one)) / unit for total, of_one in zip(sums, weight, strict=True)]
    if max(map(abs, numbers)) > 1e308:
        return
    parts = np.array([divmod(total, 2**62) for total in sums])
    assert whole_numbers(parts).tolist() == sums
    for means in on_both_engines(grid.means, np.array(weight), parts):
        assert means.tolist() == list(map(float, numbers))


@pytest.mark.parametrize(
    ("weight", "target_sum", "divisor"),
    [([0], [[0, 1]], 1), ([1], [[0, 1]], 0), ([1, 1], [[0, 1]], 1), ([1], [[1]], 1)],
)
def test_means_need_weights(engine, weight, target_sum, divisor):
    assert_refuses(ValueError, "positive weight", Grid(0, divisor, 0).means, np.array(weight), np.array(target_sum))
