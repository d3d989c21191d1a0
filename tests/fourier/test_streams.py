"""Models of data in blocks: the Gram matrix against brute force, fading weights, drift, and invalid input."""

import pickle
from itertools import product

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor
from support import assert_refuses

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.fourier import ModelStream, merge, streams

CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def blocks(n_blocks=4, size=30):
    X, y = load_iris(return_X_y=True)
    X, y = X[:, 2:].round(0), y  # few values, and some between the values of the reference
    order = np.random.default_rng(0).permutation(len(X))[: n_blocks * size]
    parts = np.array_split(order, n_blocks)
    return [(X[part] + 0.25 * i, y[part]) for i, part in enumerate(parts)]


def streamed(estimator, data, measure, **options):
    stream = ModelStream(estimator, data[0][0], measure=measure, **options)
    for part in data:
        assert stream.update(*part) is stream
    return stream


def reference_of(data, measure):
    """Samples and their masses: the samples of the first block, or all combinations of their values."""
    X = data[0][0]
    if measure == "joint":
        return X, np.full(len(X), 1 / len(X))
    known = [np.unique(column, return_counts=True) for column in X.T]
    points = np.array(list(product(*(values for values, _ in known))))
    masses = np.array(list(product(*(counts / len(X) for _, counts in known)))).prod(axis=1)
    return points, masses


def functions(models, points, classes):
    """The probabilities of all classes; 0 for classes that a model does not know."""
    found = np.zeros((len(models), len(points), len(classes)))
    for one, model in zip(found, models, strict=True):
        one[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(points)
    return found


@pytest.mark.parametrize("measure", ["empirical", "joint"])
@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3),
        DecisionForestClassifier(3, random_state=0),
        RandomForestClassifier(2, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_inner_products_and_drift_equal_brute_force(engine, estimator, measure):
    """Blocks lack classes: the second has two, the third one."""
    data = blocks()
    for i, kept in ((1, [0, 2]), (2, [1])):
        X, y = data[i]
        data[i] = X[np.isin(y, kept)], y[np.isin(y, kept)]
    stream = streamed(estimator, data, measure, half_life=2)
    points, masses = reference_of(data, measure)
    models = [clone(estimator).fit(*part) for part in data]
    f = functions(models, points, np.arange(3))
    expected = np.einsum("ipq,jpq,p->ij", f, f, masses)
    np.testing.assert_allclose(stream.gram, expected, **CLOSE)
    assert np.isnan(stream.drift[0])
    for i in range(1, len(data)):
        weights = np.array([len(y) for _, y in data[:i]]) * 0.5 ** (np.arange(i)[::-1] / 2)
        rest = f[i] - np.einsum("i,ipq->pq", weights / weights.sum(), f[:i])
        assert stream.drift[i] == pytest.approx(np.sqrt((masses[:, np.newaxis] * rest**2).sum()))
    roots = np.sqrt(stream.weights)
    energies = np.linalg.eigvalsh(expected * np.outer(roots, roots))[::-1]
    np.testing.assert_allclose(stream.shares[-1], energies / energies.sum(), atol=1e-9)
    merged = merge(models, stream.weights)
    np.testing.assert_array_equal(stream.evaluate(points), merged.evaluate(points))
    np.testing.assert_array_equal(stream.predict(points), merged.predict(points))


def test_old_models_fade_and_are_left_out():
    stream = streamed(DecisionTreeClassifier(), blocks(6, 20), "joint", half_life=1, max_models=3)
    np.testing.assert_allclose(stream.weights, [1 / 7, 2 / 7, 4 / 7])
    assert stream.gram.shape == (3, 3)
    assert (stream.n_blocks, len(stream.drift), [len(part) for part in stream.shares]) == (6, 6, [1, 2, 3, 3, 3, 3])
    assert repr(stream) == "<ModelStream of 3 models, 6 blocks>"
    last = streamed(DecisionTreeClassifier(), blocks(6, 20)[3:], "joint", half_life=1)
    points = blocks()[0][0]
    np.testing.assert_allclose(stream.evaluate(points), last.evaluate(points), **CLOSE)
    long = ModelStream(DecisionTreeClassifier(), points, half_life=5e-4)
    for part in blocks(6, 20):
        long.update(*part)
    np.testing.assert_array_equal(long.weights, [0, 0, 0, 0, 0, 1])


def test_the_model_is_the_mean_after_every_block():
    data = blocks(3, 20)
    stream, models = ModelStream(DecisionTreeClassifier(max_depth=2), data[0][0]), []
    for part in data:
        models.append(DecisionTreeClassifier(max_depth=2).fit(*part))
        expected = merge(models, stream.update(*part).weights)
        assert stream.model is stream.model
        np.testing.assert_array_equal(stream.model.evaluate(data[0][0]), expected.evaluate(data[0][0]))


def test_a_block_costs_one_row_of_inner_products(monkeypatch):
    asked = []

    def count(trees, *given, **options):
        asked.append(len(trees))
        return gram(trees, *given, **options)

    gram = streams.gram
    monkeypatch.setattr(streams, "gram", count)
    stream = ModelStream(DecisionTreeClassifier(), blocks()[0][0])
    for i, part in enumerate(blocks(5, 30)):
        asked.clear()
        stream.update(*part)
        assert asked == [2] * (i + 1)


def test_values_and_margins(engine):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60, :3], y[:60]
    stream = ModelStream(DecisionTreeRegressor(max_depth=2, random_state=0), X[:20], measure="joint")
    for start in (0, 20, 40):
        stream.update(X[start : start + 20], y[start : start + 20])
    models = [DecisionTreeRegressor(max_depth=2, random_state=0).fit(X[i : i + 20], y[i : i + 20]) for i in (0, 20, 40)]
    f = np.array([model.predict(X[:20]) for model in models])
    np.testing.assert_allclose(stream.gram, f @ f.T / 20)
    margins = ModelStream(GradientBoostingClassifier(n_estimators=3, max_depth=2), X[:20])
    margins.update(X[:30], y[:30] > 100).update(X[30:], y[30:] > 100)
    assert set(margins.predict(X)) <= {False, True}
    assert margins.gram[0, 0] > 0


def test_models_that_are_refused_leave_the_stream_unchanged():
    data = blocks()
    stream = streamed(DecisionTreeClassifier(), data, "empirical")
    before = pickle.dumps(stream)
    X, y = data[0]
    wrong = {
        "features": DecisionTreeClassifier().fit(X[:, :1], y),
        "gives a value": DecisionTreeRegressor().fit(X, y),
        "splits categories": DecisionTreeClassifier(categorical_features=[0]).fit(X, y),
    }
    for message, model in wrong.items():
        assert_refuses(ValueError, message, stream.add, model)
    for n_samples in (0, -1, np.nan, "5"):
        with pytest.raises(ValueError, match="n_samples must be a number"):
            stream.add(DecisionTreeClassifier().fit(X, y), n_samples)
    assert_refuses(ValueError, "inconsistent numbers of samples", stream.update, X, y[:3])
    assert pickle.dumps(stream) == before
    assert pickle.loads(before).predict(X).tolist() == stream.predict(X).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"half_life": 0}, "half_life must be a number"),
        ({"max_models": 0}, "max_models must be a whole number"),
        ({"measure": "uniform"}, "measure must be 'empirical' or 'joint', which stay the same"),
        ({"measure": [[0.5, 0.5]]}, "measure must be 'empirical' or 'joint'"),
        ({"reference": [[np.nan]]}, "NaN"),
        ({"reference": [1.0]}, "2D array"),
    ],
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ModelStream(DecisionTreeClassifier(), **({"reference": [[0.0], [1.0]]} | options))


def test_before_the_first_block_there_is_no_model():
    stream = ModelStream(DecisionTreeClassifier(), [[0.0], [1.0]])
    assert_refuses(ValueError, "There has been no block yet", stream.predict, [[0.0]])
    assert stream.weights.shape == stream.components()[0].shape == (0,)


def test_pictures():
    matplotlib.use("agg")
    stream = streamed(DecisionTreeClassifier(), blocks(), "empirical")
    above, below = stream.plot(n_components=2)
    assert above.get_ylabel() == "distance of the newest"
    assert [text.get_text() for text in below.get_legend().get_texts()] == ["component 1", "component 2"]
    assert_refuses(ValueError, "Two axes are expected, got 1", stream.plot, [above])
    for axes in (5, [above, "below"]):
        assert_refuses(TypeError, "every element of axes must be axes of matplotlib, got", stream.plot, axes)
    plt.close("all")


def test_values_far_from_zero_keep_their_drift():
    X = np.random.default_rng(0).normal(size=(300, 3))
    drifts = []
    for offset in (0.0, 1e8):
        models = [
            GradientBoostingRegressor(n_estimators=5, random_state=seed, subsample=0.5).fit(X, X[:, 0] + offset)
            for seed in (0, 1)
        ]
        stream = ModelStream(models[0], X, measure="joint").add(models[0]).add(models[1])
        drifts.append(stream.drift[1])
        distance = np.sqrt(np.mean((models[0].predict(X) - models[1].predict(X)) ** 2))
        assert stream.drift[1] == pytest.approx(distance, rel=1e-6)
        products = np.mean([[m.predict(X) * n.predict(X) for m in models] for n in models], axis=2)
        np.testing.assert_allclose(stream.gram, products, rtol=1e-9)
    assert drifts[0] == pytest.approx(drifts[1], rel=1e-6)


def test_a_model_that_weighs_infinitely_much_changes_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    stream = ModelStream(DecisionTreeClassifier(max_depth=2), X).update(X[:200], y[:200])
    with pytest.raises(ValueError, match="n_samples must be a number"):
        stream.add(DecisionTreeClassifier(max_depth=2).fit(X, y), np.inf)
    assert stream.n_blocks == 1
    assert stream.update(X[200:], y[200:]).n_blocks == 2


def test_columns_in_another_order_than_the_reference():
    pandas = pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True)
    frame = pandas.DataFrame(X[:, :3], columns=list("abc"))
    stream = ModelStream(DecisionTreeClassifier(max_depth=2), frame[list("cba")])
    assert_refuses(ValueError, r"The features of the model are \['a', 'b', 'c'\]", stream.update, frame, y)


@pytest.mark.parametrize("measure", ["empirical", "joint"])
def test_drift_is_the_distance_of_merged_models(engine, measure):
    """The second of two classes is the only output; the classes may be known to some models alone, or three."""
    X, y = load_iris(return_X_y=True)
    X = X.round(0)
    for kept in ([[0, 1], [0, 1]], [[0, 1], [1]], [[0, 1, 2], [0, 1, 2]], [[0, 1], [1, 2]]):
        stream, models = ModelStream(DecisionTreeClassifier(max_depth=2), X, measure=measure), []
        for part, classes in zip((slice(0, 150, 2), slice(1, 100, 3)), kept, strict=True):
            is_kept = np.isin(y[part], classes)
            models.append(DecisionTreeClassifier(max_depth=2).fit(X[part][is_kept], y[part][is_kept]))
            stream.add(models[-1])
        merged = merge(models)
        of_models = merged.distances(measure=measure, X=merged.codes.transform(X))  # from the mean of both, half as far
        assert stream.drift[1] == pytest.approx(2.0 * of_models[0], abs=1e-12)
        assert stream.drift[1] == pytest.approx(2.0 * of_models[1], abs=1e-12)
        gram = stream.gram
        assert stream.drift[1] == pytest.approx(np.sqrt(gram[0, 0] + gram[1, 1] - 2.0 * gram[0, 1]), abs=1e-9)


def test_a_third_class_changes_no_earlier_drift():
    data = blocks(3)
    data[:2] = [(X[y < 2], y[y < 2]) for X, y in data[:2]]
    stream = streamed(DecisionTreeClassifier(), data[:2], "joint")
    before, products = stream.drift.copy(), stream.gram
    stream.update(*data[2])
    np.testing.assert_array_equal(stream.drift[:2], before)
    np.testing.assert_allclose(stream.gram[:2, :2], stream.gram[:2, :2].T)
    # The second class alone, and both classes.
    assert products[0, 0] + products[1, 1] - 2.0 * products[0, 1] == pytest.approx(before[1] ** 2)
    later = stream.gram
    assert later[0, 0] + later[1, 1] - 2.0 * later[0, 1] == pytest.approx(2.0 * before[1] ** 2)
