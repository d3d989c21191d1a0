"""Bootstraps by blocks: against their definitions, one sample after the other; the same for any engine and n_jobs."""

import numpy as np
import pytest
from samples import trees_of
from scipy.stats import chisquare
from support import on_both_engines

from pytrees import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from pytrees.trees.bootstrap import cube_root, moving_blocks, stationary_blocks

BOTH = pytest.mark.parametrize("bootstrap", ["moving_block", "stationary"])


def naive_moving_blocks(seed, size, length):
    random_state, rows = np.random.RandomState(seed), []
    for start in random_state.randint(size - length + 1, size=-(-size // length)):
        for row in range(start, start + length):
            if len(rows) < size:
                rows.append(row)
    return rows


def naive_stationary_blocks(seed, size, length):
    random_state, rows = np.random.RandomState(seed), []
    ends, starts = random_state.random_sample(size) < 1 / length, random_state.randint(size, size=size)
    for place in range(size):
        goes_on = place > 0 and not ends[place]
        rows.append((rows[-1] + 1) % size if goes_on else starts[place])
    return rows


NAIVE = {"moving_block": naive_moving_blocks, "stationary": naive_stationary_blocks}


@BOTH
@pytest.mark.parametrize(("size", "length"), [(1, 1), (2, 1), (5, 2), (12, 4), (13, 5), (50, 50)])
def test_draws_follow_the_definition(bootstrap, size, length):
    draw = {"moving_block": moving_blocks, "stationary": stationary_blocks}[bootstrap]
    for seed in range(10):
        rows = draw(np.random.RandomState(seed), size, length)
        np.testing.assert_array_equal(rows, NAIVE[bootstrap](seed, size, length))


def test_every_block_is_as_likely():
    starts = [moving_blocks(np.random.RandomState(seed), 12, 4)[0::4] for seed in range(600)]
    assert chisquare(np.bincount(np.ravel(starts), minlength=9)).pvalue > 0.01


def test_every_sample_is_as_likely_in_the_stationary_bootstrap():
    rows = [stationary_blocks(np.random.RandomState(seed), 12, 3) for seed in range(600)]
    counts = np.bincount(np.ravel(rows), minlength=12)
    assert counts.min() > 500  # of 600, blocks being dependent
    goes_on = np.mean([(np.diff(of_tree) % 12 == 1).mean() for of_tree in rows])
    assert abs(goes_on - (2 / 3 + 1 / 3 / 12)) < 0.02


@pytest.mark.parametrize(("size", "root"), [(1, 1), (8, 2), (9, 3), (27, 3), (28, 4), (125, 5), (10**6, 100)])
def test_blocks_are_as_long_as_the_cube_root(size, root):
    assert cube_root(size) == root


@BOTH
@pytest.mark.parametrize("block_length", [None, 1, 5])
def test_trees_grow_on_the_drawn_samples(engine, bootstrap, block_length):
    rng = np.random.default_rng(0)
    X, y, keys = rng.normal(size=(20, 2)), rng.integers(0, 2, 20), rng.permutation(20)
    forest = PermutationDecisionForestClassifier(3, bootstrap=bootstrap, block_length=block_length, random_state=1).fit(
        X, y, order=keys
    )
    in_order = np.argsort(keys)
    for fitted, rows in zip(forest, forest.estimators_samples_, strict=True):
        expected = NAIVE[bootstrap](fitted.random_state, 20, block_length or 3)
        np.testing.assert_array_equal(rows, in_order[expected])
        assert fitted.tree_ == PermutationDecisionTreeClassifier().fit(X[rows], y[rows]).tree_


@BOTH
def test_engines_and_jobs_give_one_forest(bootstrap):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (15, 2)), rng.integers(0, 2, 15)

    def grow(n_jobs):
        forest = PermutationDecisionForestClassifier(4, bootstrap=bootstrap, n_jobs=n_jobs, random_state=0)
        return trees_of(forest.fit(X, y))

    one, other = on_both_engines(grow, 1), on_both_engines(grow, 2)
    assert one[0] == one[1] == other[0] == other[1]


@BOTH
def test_short_groups_are_drawn_from_as_a_whole(bootstrap):
    X, y, groups = np.arange(12.0).reshape(-1, 1), np.arange(12) % 2, np.repeat([0, 1], [9, 3])
    forest = PermutationDecisionForestClassifier(3, bootstrap=bootstrap, block_length=5, random_state=0)
    for rows in forest.fit(X, y, groups=groups).estimators_samples_:
        assert (groups[rows] == groups).all()
        if bootstrap == "moving_block":
            np.testing.assert_array_equal(rows[9:], [9, 10, 11])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bootstrap": "block"}, "'bootstrap' parameter"),
        ({"block_length": 3}, "block_length needs bootstrap="),
        ({"bootstrap": True, "block_length": 3}, "block_length needs bootstrap="),
        ({"bootstrap": "stationary", "block_length": 0}, "'block_length' parameter"),
        ({"bootstrap": "stationary", "block_length": 2.5}, "'block_length' parameter"),
        ({"bootstrap": "moving_block", "block_length": 6}, "block_length=6 leaves one block of 6 samples"),
    ],
)
def test_invalid_block_lengths_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PermutationDecisionForestClassifier(2, **options).fit(np.arange(6.0).reshape(-1, 1), [0, 1] * 3)
