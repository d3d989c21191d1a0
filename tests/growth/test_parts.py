"""One tree grown by several threads: in parts of any size, and the same as that of one thread."""

import subprocess
import sys
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import effective_n_jobs
from own_criteria import Gini
from seeded import count_weights, grid_weights, no_weights, problems, problems_with_categories
from strategies import limits
from support import PATIENCE, assert_refuses, assert_same_tree, examples, grow

from pytrees import DecisionTreeClassifier, OrdinalDecisionTreeClassifier
from pytrees._core.base.sizes import sizes
from pytrees._engine import kernel
from pytrees.trees import base

SIZES = sizes()
PART_ROWS, ROWS_WITHOUT_BINS = SIZES["PART_ROWS"], SIZES["MOST_ROWS_WITHOUT_BINS"]
ROWS_OF_A_THREAD = SIZES["ROWS_OF_A_THREAD"]

THREADS = st.integers(2, 5)
PARTS = st.integers(1, 30)
BLOCKS = st.integers(1, 20)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini", "wig", "ranking", "gain_ratio", "vi", "mae"])
@pytest.mark.parametrize("weights", [no_weights, count_weights, grid_weights])
@examples(60)
@given(data=st.data())
def test_parts_of_any_size_make_the_same_tree(criterion, weights, data):
    problem = data.draw(problems(weights, max_rows=40, missing=True))
    options = data.draw(limits()) | {"max_leaf_nodes": 2**31 - 1, "block_rows": data.draw(BLOCKS)}
    alone = grow(*problem, criterion, **options)
    together = grow(*problem, criterion, **options, n_threads=data.draw(THREADS), part_rows=data.draw(PARTS))
    assert_same_tree(together, alone)


@pytest.mark.parametrize("subsets", [False, True])
@examples(100)
@given(data=st.data())
def test_parts_below_categories_keep_them(subsets, data):
    # Not all divisions of more than 12 categories are judged.
    problem, n_categories = data.draw(problems_with_categories(max_rows=10 if subsets else 40))
    options = {"n_categories": n_categories, "subsets": subsets, "block_rows": data.draw(BLOCKS)}
    alone = grow(*problem, "gini", **options)
    assert_same_tree(grow(*problem, "gini", **options, n_threads=data.draw(THREADS), part_rows=data.draw(PARTS)), alone)


def noisy_steps(n_samples, n_features=4, n_classes=3):
    rng = np.random.default_rng(n_samples)
    X = rng.normal(size=(n_samples, n_features)).round(3)
    y = (X[:, 0] > 0.0).astype(int) + (X[:, 1] > X[:, 2])
    return X, np.where(rng.random(n_samples) < 0.1, rng.integers(n_classes, size=n_samples), y)


@pytest.mark.parametrize(
    "n_samples", [1, 5, PART_ROWS, PART_ROWS + 1, ROWS_WITHOUT_BINS + 1, ROWS_OF_A_THREAD, 2 * ROWS_OF_A_THREAD + 3]
)
@pytest.mark.parametrize("parameters", [{}, {"criterion": "entropy", "max_features": 2, "random_state": 0}])
def test_n_jobs_changes_no_tree(n_samples, parameters):
    X, y = noisy_steps(n_samples)
    y[:1] = 0
    tree = DecisionTreeClassifier(**parameters).fit(X, y).tree_
    for n_jobs in (2, 3, -1):
        assert DecisionTreeClassifier(**parameters, n_jobs=n_jobs).fit(X, y).tree_ == tree


def test_all_kinds_of_weights_and_trees_take_n_jobs():
    X, y = noisy_steps(3 * PART_ROWS)
    weights = np.random.default_rng(0).random(len(y))
    trees = [DecisionTreeClassifier(n_jobs=n_jobs).fit(X, y, weights).tree_ for n_jobs in (None, 2)]
    assert trees[0] == trees[1]
    X[::7, 0] = np.nan
    for parameters in ({"max_leaf_nodes": 50}, {"max_depth": 3}, {"criterion": "ranking"}):
        trees = [OrdinalDecisionTreeClassifier(**parameters, n_jobs=n_jobs).fit(X, y).tree_ for n_jobs in (None, 2)]
        assert trees[0] == trees[1]


def test_your_own_criterion_is_asked_by_one_thread():
    X, y = noisy_steps(2 * PART_ROWS)
    trees = [DecisionTreeClassifier(Gini(), max_depth=3, n_jobs=n_jobs).fit(X, y).tree_ for n_jobs in (1, 2)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("n_jobs", [1.5, "2", 0])
def test_n_jobs_must_be_a_number_of_threads(n_jobs):
    assert_refuses(ValueError, "n_jobs", DecisionTreeClassifier(n_jobs=n_jobs).fit, [[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 4, 5000, -1])
def test_a_tree_has_no_more_threads_than_there_are_processors(n_jobs, monkeypatch):
    seen = []

    def watched_kernel(name):
        def grow(*args, n_threads, **options):
            seen.append(n_threads)
            return kernel(name)(*args, n_threads=1, **options)

        return grow if name == "grow_by_gain" else kernel(name)

    monkeypatch.setattr(base, "kernel", watched_kernel)
    monkeypatch.setattr(base, "cpu_count", lambda: 3)
    DecisionTreeClassifier(n_jobs=n_jobs).fit([[0.0], [1.0]], [0, 1])
    assert seen == [min(3, effective_n_jobs(n_jobs))]


# Asks the thread that calls to stop, and ends if all threads that grow the tree end.
STOPPED = """
import threading
import numpy as np
from pytrees import DecisionTreeClassifier
from pytrees._engine import kernel

rng, event = np.random.default_rng(0), threading.Event()
X, y = rng.normal(size=(60_000, 100)), rng.integers(0, 3, 60_000)
event.set()
try:
    with kernel("stoppable")(event):
        DecisionTreeClassifier(n_jobs=3).fit(X, y)
except RuntimeError as error:
    print(error)
"""


def test_a_thread_that_fails_stops_the_others():
    command = [sys.executable, "-c", STOPPED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120 * PATIENCE)
    assert done.stdout == "The work of this thread was asked to stop.\n"


def test_a_stop_outside_a_block_holds_after_the_block(engine):
    X, y = noisy_steps(500 if engine == "reference" else 200_000)
    event = Event()
    event.set()
    with kernel("stoppable")(event):
        with kernel("stoppable")(Event()):
            assert DecisionTreeClassifier().fit(X[:9], y[:9]).tree_.node_count > 1
        assert_refuses(RuntimeError, "asked to stop", DecisionTreeClassifier().fit, X, y)
    assert DecisionTreeClassifier().fit(X[:9], y[:9]).tree_.node_count > 1


@pytest.mark.parametrize("categorical_split", ["multiway", "subset"])
def test_categories_in_a_large_tree_are_the_same_on_threads(categorical_split):
    X, y = noisy_steps(2 * ROWS_WITHOUT_BINS, n_classes=2)
    X[:, 0] = np.floor(3.0 * X[:, 0])
    tree = DecisionTreeClassifier(categorical_features=[0], categorical_split=categorical_split)
    assert tree.fit(X, y % 2).tree_ == tree.set_params(n_jobs=2).fit(X, y % 2).tree_
