"""Trees of data in many places: the same model as a loop over them, whatever the workers do, and invalid input."""

import os
import pickle
import signal
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor
from support import assert_refuses

import pytrees.dask
from pytrees import DecisionForestClassifier, DecisionTreeClassifier, config_context
from pytrees.fourier import additive_model, distil, merge

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

# Warnings of Dask's own processes, sockets and coroutines as they come and go.
pytestmark = pytest.mark.filterwarnings("default")

FOREST = DecisionForestClassifier(3, random_state=0)


def shuffled(load=load_iris):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], y[order]


def in_blocks(X, y, chunks):
    return da.from_array(X, chunks=(chunks, -1)), da.from_array(y, chunks=chunks)


def in_a_loop(estimator, X, y, sizes):
    """The model without Dask."""
    ends = np.cumsum(sizes)
    models = [
        clone(estimator).fit(X[end - size : end], y[end - size : end])
        for size, end in zip(sizes, ends, strict=True)
        if size
    ]
    return merge(models, [size for size in sizes if size])


def assert_same(model, other):
    """All trees, values and weights to the last bit."""
    assert model.codes.trees == other.codes.trees
    for values, others in zip(model.values, other.values, strict=True):
        np.testing.assert_array_equal(values, others)
    np.testing.assert_array_equal(model.weights, other.weights)
    for cuts, others in zip(model.codes.thresholds, other.codes.thresholds, strict=True):
        np.testing.assert_array_equal(cuts, others)


@pytest.fixture(scope="module", params=["threads of this process", "processes"])
def client(request):
    processes = request.param == "processes"
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": processes, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("n_blocks", [1, 3, 19])
def test_the_model_equals_a_loop_over_blocks(scheduler, n_blocks):
    X, y = shuffled()
    sizes = [len(part) for part in np.array_split(X, n_blocks)]
    with dask.config.set(scheduler=scheduler):
        model = pytrees.dask.fit(FOREST, *in_blocks(X, y, tuple(sizes)))
    assert_same(model, in_a_loop(FOREST, X, y, sizes))
    assert len(model.weights) == n_blocks


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3),
        FOREST,
        RandomForestRegressor(3, random_state=0),
        pytrees.DecisionTreeRegressor("absolute_error", max_depth=3),
        pytrees.DecisionForestRegressor(3, max_depth=4, random_state=0),
        HistGradientBoostingClassifier(max_iter=3),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_on_a_cluster(client, estimator):
    X, y = shuffled(load_diabetes if "Regressor" in type(estimator).__name__ else load_breast_cancer)
    sizes = (100, 50, 200, len(X) - 350)
    model = pytrees.dask.fit(estimator, *in_blocks(X, y, sizes))
    expected = in_a_loop(estimator, X, y, sizes)
    assert_same(model, expected)
    blocks, _ = in_blocks(X, y, (150, len(X) - 150))
    np.testing.assert_array_equal(pytrees.dask.evaluate(model, blocks).compute(), expected.evaluate(X))
    found = pytrees.dask.predict(model, blocks)
    assert found.chunks == ((150, len(X) - 150),)
    np.testing.assert_array_equal(found.compute(), expected.predict(X))


class DiesOnce(DecisionTreeClassifier):
    """Kills the process of its worker the first time that it is fitted there."""

    def __init__(self, path=None):
        super().__init__()
        self.path = path

    def fit(self, X, y):
        if len(X) == 40 and not os.path.exists(self.path):
            with open(self.path, "w") as file:
                file.write("killed")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    """Dask gives its work to others."""
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[DiesOnce.__module__])
    X, y = shuffled()
    sizes, path = (30, 40, 50, 30), tmp_path / "killed"
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        model = pytrees.dask.fit(DiesOnce(str(path)), *in_blocks(X, y, sizes))
    assert path.read_text() == "killed"
    assert_same(model, in_a_loop(DecisionTreeClassifier(), X, y, sizes))


def test_frames_with_categories_empty_partitions_and_other_classes():
    """Every site has seen other categories and classes; one has no samples."""
    frame = pd.DataFrame({"a": list("xyxyzzzyxz"), "b": np.arange(10.0), "go": list("nnyyynnvvv")})
    frames = dd.from_pandas(frame, npartitions=5, sort=False)
    frames = frames[(frames.b < 4) | (frames.b > 5)]
    tree = DecisionTreeClassifier(categorical_features=["a"])
    model = pytrees.dask.fit(tree, frames[["a", "b"]], frames["go"])
    parts = [frame[i : i + 2] for i in (0, 2, 6, 8)]
    expected = merge([clone(tree).fit(part[["a", "b"]], part["go"]) for part in parts], [2] * 4)
    assert_same(model, expected)
    assert model.classes.tolist() == ["n", "v", "y"]
    assert list(model.feature_names) == ["a", "b"]
    shares = pytrees.dask.evaluate(model, frames[["a", "b"]]).compute()
    kept = frame[(frame.b < 4) | (frame.b > 5)]
    pd.testing.assert_frame_equal(shares, pd.DataFrame(expected.evaluate(kept[["a", "b"]]), index=kept.index))
    found = pytrees.dask.predict(model, frames[["a", "b"]]).compute()
    assert found.tolist() == expected.predict(kept[["a", "b"]]).tolist()
    nothing = frames[frames.b > 99][["a", "b"]]
    assert pytrees.dask.predict(model, nothing).compute().shape == (0,)
    assert pytrees.dask.evaluate(model, nothing).compute().shape == (0, 3)
    with pytest.raises(ValueError, match="no samples in any partition"):
        pytrees.dask.fit(tree, nothing, frames[frames.b > 99]["go"])


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(3)])
def test_a_seed_that_is_no_integer_is_drawn_once(random_state, monkeypatch):
    """All partitions, and repeated partitions, have the same one."""
    seen = []
    monkeypatch.setattr(DecisionForestClassifier, "fit", remember_seed(DecisionForestClassifier.fit, seen))
    X, y = shuffled()
    estimator = DecisionForestClassifier(2, random_state=random_state)
    with dask.config.set(scheduler="synchronous"):
        pytrees.dask.fit(estimator, *in_blocks(X, y, 50))
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert isinstance(seen[0], int)
    assert estimator.random_state is random_state


def test_seeds_of_nested_estimators_are_drawn_once():
    """`random_state` at any depth, as in a forest of scikit-learn inside an ensemble."""
    nested = BaggingClassifier(RandomForestClassifier(2))
    seeded = pytrees.dask._with_one_seed(nested).get_params()
    names = [name for name in seeded if name.endswith("random_state")]
    assert names == ["estimator__random_state", "random_state"]
    assert all(isinstance(seeded[name], int) for name in names)
    assert nested.random_state is nested.estimator.random_state is None
    kept = pytrees.dask._with_one_seed(nested.set_params(random_state=1, estimator__random_state=2)).get_params()
    assert [kept[name] for name in names] == [2, 1]


def remember_seed(fit, seen):
    def fit_and_remember(self, X, y):
        seen.append(self.random_state)
        return fit(self, X, y)

    return fit_and_remember


def test_the_engine_is_handed_on():
    X, y = shuffled()
    blocks = in_blocks(X[:40, :2], y[:40], 20)
    with config_context(engine="reference"):
        naive = pytrees.dask.fit(FOREST, *blocks)
    assert_same(naive, pytrees.dask.fit(FOREST, *blocks))


def test_predictions_of_any_estimator():
    X, y = shuffled()
    blocks, _ = in_blocks(X, y, 40)
    forest = clone(FOREST).fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_array_equal(pytrees.dask.predict(forest, blocks).compute(), forest.predict(X))
    few = distil(forest, X, max_leaf_nodes=4)
    np.testing.assert_array_equal(pytrees.dask.predict(few, blocks).compute(), few.predict(X))
    empty = da.from_array(X[:0], chunks=(1, -1))
    assert pytrees.dask.predict(forest, empty).compute().shape == (0,)


def test_invalid_arguments_are_refused():
    X, y = shuffled()
    blocks, classes = in_blocks(X, y, 50)
    with pytest.raises(TypeError, match="X must be an array or a frame of Dask, got ndarray"):
        pytrees.dask.fit(FOREST, X, classes)
    with pytest.raises(TypeError, match="y must be an array or a frame of Dask, got list"):
        pytrees.dask.fit(FOREST, blocks, y.tolist())
    assert_refuses(TypeError, "X must be an array or a frame of Dask", pytrees.dask.predict, FOREST, X)
    with pytest.raises(ValueError, match=r"X has 2 blocks of columns.*X.rechunk\({1: -1}\)"):
        pytrees.dask.fit(FOREST, blocks.rechunk({1: 2}), classes)
    assert_refuses(ValueError, "y has 3 dimensions", pytrees.dask.fit, FOREST, blocks, classes[:, None, None])
    for chunks in (75, (40, 60, 50)):
        with pytest.raises(ValueError, match="X and y must have the same partitions"):
            pytrees.dask.fit(FOREST, blocks, classes.rechunk(chunks))
    unknown = blocks[blocks[:, 0] > 5.0]
    assert_refuses(ValueError, r"Partition \d: X has .* samples, y 50", pytrees.dask.fit, FOREST, unknown, classes)
    X[60, 0] = np.inf
    assert_refuses(ValueError, r"Partition 1: .*infinity", pytrees.dask.fit, FOREST, *in_blocks(X, y, 50))
    ordered = np.sort(y)
    with pytest.raises(ValueError, match="Margins of different classes have no mean"):
        pytrees.dask.fit(HistGradientBoostingClassifier(max_iter=2), *in_blocks(shuffled()[0], ordered, 75))


def test_sites_with_other_columns():
    X, y = shuffled()
    parts = [da.from_delayed(dask.delayed(X[:75, :k]), (75, 4), dtype=float) for k in (4, 3)]
    classes = da.concatenate([da.from_array(y[:75], chunks=75)] * 2)
    with pytest.raises(ValueError, match="Model 1 has 3 features, the first model 4"):
        pytrees.dask.fit(FOREST, da.concatenate(parts), classes)


def test_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", None)
    assert_refuses(ImportError, r'pip install "decision-pytrees\[dask\]"', pytrees.dask.predict, FOREST, None)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_joblib_sends_the_table_of_a_forest_once(client, bootstrap, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 20)), rng.integers(0, 2, 5000)
    forest = DecisionForestClassifier(8, max_depth=3, bootstrap=bootstrap, random_state=0)
    expected = clone(forest).fit(X, y)
    scattered, sent = [], []
    scatter, submit = client.scatter, client.submit

    def count_scattered(data, **options):
        scattered.append(sys.getsizeof(data))
        return scatter(data, **options)

    def count_sent(function, *args, tasks, **options):
        sent.append(
            sum(
                len(pickle.dumps(part)) for _, args, _ in tasks for part in args if type(part) is not distributed.Future
            )
        )
        return submit(function, *args, tasks=tasks, **options)

    monkeypatch.setattr(client, "scatter", count_scattered)
    monkeypatch.setattr(client, "submit", count_sent)
    with joblib.parallel_config("dask", client=client):
        fitted = clone(forest).fit(X, y)
    assert [tree.tree_ for tree in fitted.estimators_] == [tree.tree_ for tree in expected.estimators_]
    assert sum(size > X.nbytes for size in scattered) == 1
    assert sent
    assert max(sent) < 10_000
    many = np.resize(X, (3000, X.shape[1]))  # several tasks, on threads of this process
    with joblib.parallel_config("dask", client=client):
        np.testing.assert_array_equal(fitted.predict(many), expected.predict(many))


def test_additive_models_predict_what_their_estimators_do():
    X, y = shuffled()
    for classes in (y, np.array(["a", "b", "c"])[y], (y > 0).astype(int)):
        for estimator in (FOREST, HistGradientBoostingClassifier(max_iter=4)):
            fitted = clone(estimator).fit(X, classes)
            np.testing.assert_array_equal(additive_model(fitted).predict(X), fitted.predict(X))
    values = RandomForestRegressor(3, random_state=0).fit(X, np.stack([y, -y], axis=1))
    np.testing.assert_allclose(additive_model(values).predict(X), values.predict(X))
    one_class = DecisionTreeClassifier().fit(X, ["only"] * len(X))
    assert set(additive_model(one_class).predict(X)) == {"only"}
    few = additive_model(HistGradientBoostingClassifier(max_iter=2).fit(X, y))
    few.classes = None
    assert_refuses(ValueError, "classes of these margins are not known", few.predict, X)


def test_several_values_of_a_sample_are_predicted():
    X = load_breast_cancer().data
    model = additive_model(DecisionTreeRegressor(max_depth=3).fit(X, X[:, :2]))
    expected = model.predict(X)
    found = pytrees.dask.predict(model, da.from_array(X, chunks=(100, -1)))
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_trees_and_their_estimators_predict_in_partitions(kind):
    """Predictions have the type that Dask was told."""
    X, y = shuffled(load_breast_cancer)
    if kind == "numbers":
        fitted = pytrees.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])
        forest = pytrees.DecisionForestRegressor(2, max_depth=3).fit(X, X[:, 0])
    else:
        fitted, forest = DecisionTreeClassifier(max_depth=3).fit(X, y), clone(FOREST).fit(X, y)
    blocks, frame = da.from_array(X, chunks=(200, -1)), dd.from_pandas(pd.DataFrame(X), npartitions=2)
    for model in (fitted.tree_, fitted, forest):
        expected = model.predict(X)
        for given in (blocks, frame) if model is fitted.tree_ else (blocks,):
            found = pytrees.dask.predict(model, given)
            assert found.dtype == found.compute().dtype == expected.dtype
            np.testing.assert_array_equal(found.compute(), expected)


def test_estimators_that_do_not_predict_are_refused_at_once():
    X = da.from_array(np.zeros((4, 1)), chunks=2)
    assert_refuses(TypeError, "model must have 'predict', got int", pytrees.dask.predict, 3, X)
    with pytest.raises(TypeError, match="model must have 'evaluate', got DecisionTreeRegressor"):
        pytrees.dask.evaluate(DecisionTreeRegressor().fit([[0.0]], [1.0]), X)
