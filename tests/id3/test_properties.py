"""Properties of the distances: Table 1 of the paper, as the page of the documentation has it, on both engines."""

import re
from itertools import permutations, product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import DOCS
from support import examples

from pytrees._engine import kernel
from pytrees.distances import DISTANCES, clustering_distance

# By distance: the greatest value for K classes; whether it is symmetric; whether clusters have no names; whether it is
# a metric. The least value is 0.
PROPERTIES = {
    "information_gain": ("log2 K", log2, True, True, False),
    "gain_ratio": ("1", lambda k: 1, False, True, False),
    "nvi": ("1", lambda k: 1, True, True, True),
    "gini": ("1 - 1 / K", lambda k: 1 - 1 / k, False, True, False),
    "jaccard": ("K", lambda k: k, True, False, True),
    "accuracy": ("1", lambda k: 1, True, False, True),
    "vi": ("2 log2 K", lambda k: 2 * log2(k), True, True, True),
    "nvi_sum": ("1", lambda k: 1, True, True, False),
    "nvi_max": ("1", lambda k: 1, True, True, True),
    "mae": ("K - 1", lambda k: k - 1, True, False, True),
}
NAMES = list(PROPERTIES)

# Tables of |A_i ∩ B_j|, in which not all counts are nothing.
tables = st.integers(2, 4).flatmap(
    lambda k: (
        st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=k, max_size=k)
        .map(np.array)
        .filter(np.any)
    )
)
# Three clusterings of the same samples.
triples = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12)


def distance_of(name, table):
    return kernel("table_distance")(np.ascontiguousarray(table), name)


def all_clusterings(n_samples, n_clusters):
    return [np.array(codes) for codes in product(range(n_clusters), repeat=n_samples)]


def test_the_page_has_these_properties():
    """The page's table is read: a row for every distance, in its words."""
    page = DOCS / "papers" / "global.md"
    if not page.exists():
        pytest.skip("needs the pages of a clone")
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r'^\| `"(\w+)"` \| (similarity|distance) \| (.*) \| (.*) \| (.*) \| (.*) \|$', text, re.MULTILINE)
    said = {name: (kind, reach, *(words.strip("*") for words in answers)) for name, kind, reach, *answers in rows}
    assert said == {
        name: (
            "similarity" if DISTANCES[name].is_similarity else "distance",
            f"[0, {greatest}]",
            *("yes" if answer else "no" for answer in answers),
        )
        for name, (greatest, _, *answers) in PROPERTIES.items()
    }


@pytest.mark.parametrize("name", NAMES)
@examples(100)
@given(table=tables)
def test_range_symmetry_and_names_on_random_counts(engine, name, table):
    _, greatest, is_symmetric, has_no_names, _ = PROPERTIES[name]
    distance = distance_of(name, table)
    assert -1e-12 <= distance <= greatest(len(table)) + 1e-8
    if is_symmetric:
        assert distance_of(name, table.T) == pytest.approx(distance, abs=1e-12)
    if has_no_names:
        for order in permutations(range(len(table))):
            assert distance_of(name, table[list(order)]) == pytest.approx(distance, abs=1e-12)


# The extremes, for three classes: equal clusterings, independent ones, and ones without a sample in common.
EXTREMES = [np.eye(3, dtype=int), np.ones((3, 3), dtype=int), np.roll(np.eye(3, dtype=int), 1, axis=1)]
FARTHEST = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])  # the first class for the last


@pytest.mark.parametrize("name", NAMES)
def test_ends_of_the_range_are_reached(engine, name):
    distances = [distance_of(name, table) for table in (*EXTREMES, FARTHEST)]
    assert min(distances) == 0.0
    assert max(distances) == pytest.approx(PROPERTIES[name][1](3), abs=1e-8)


# Counts of which a cell of the table says no.
SKEW = np.array([[2, 0, 0], [1, 1, 0], [0, 0, 4]])


@pytest.mark.parametrize("name", NAMES)
def test_distances_that_are_not_symmetric_or_know_the_clusters(engine, name):
    _, _, is_symmetric, has_no_names, _ = PROPERTIES[name]
    distance = distance_of(name, SKEW)
    assert (distance_of(name, SKEW.T) == pytest.approx(distance, abs=1e-9)) == is_symmetric
    assert (distance_of(name, SKEW[[1, 0, 2]]) == pytest.approx(distance, abs=1e-9)) == has_no_names


@pytest.mark.parametrize("name", [name for name in NAMES if PROPERTIES[name][-1]])
@examples(200)
@given(samples=triples)
def test_metrics_on_random_clusterings(engine, name, samples):
    a, b, c = np.array(samples).T
    labels = np.arange(3)
    of_ab, of_bc, of_ac = (clustering_distance(*pair, name, labels=labels) for pair in ((a, b), (b, c), (a, c)))
    assert of_ac <= of_ab + of_bc + 1e-8
    same_clusters = len({*zip(a.tolist(), b.tolist(), strict=True)}) == len({*a.tolist()}) == len({*b.tolist()})
    assert (of_ab == 0.0) == (same_clusters if PROPERTIES[name][3] else (a == b).all())


@pytest.mark.parametrize("name", [name for name in NAMES if not PROPERTIES[name][-1]])
def test_other_distances_are_no_metrics(name):
    """Either some clusterings are at no distance although their clusters differ, or a detour is shorter."""
    clusterings = all_clusterings(4, 3)
    distances = np.array([[clustering_distance(a, b, name) for b in clusterings] for a in clusterings])
    n_clusters = [len(set(a.tolist())) for a in clusterings]
    of_both = [[len({*zip(a.tolist(), b.tolist(), strict=True)}) for b in clusterings] for a in clusterings]
    same = (np.array(of_both) == np.array(n_clusters)) & (np.array(of_both) == np.array(n_clusters)[:, np.newaxis])
    is_apart = ((distances < 1e-9) == same).all()
    detours = (distances[:, :, np.newaxis] + distances[np.newaxis]).min(axis=1)
    assert not is_apart or (distances > detours + 1e-9).any()
    assert is_apart == (name == "nvi_sum")
