"""The page about taking trees elsewhere: all of its code runs, and gives what it says; and the same of other trees."""

import importlib
import importlib.util
import re
import warnings

import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
from pages import DOCS, blocks, run
from samples import make_classes
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier

from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3ForestClassifier,
    OrdinalDecisionForestClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    from_sklearn,
    to_sklearn,
)

PAGE = (DOCS / "guide" / "elsewhere.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

# Packages of the extra `interop`, by their sections.
PACKAGES = {
    "shap": ["shap"],
    "shapiq": ["shapiq"],
    "treelite": ["treelite"],
    "ONNX": ["skl2onnx", "onnxruntime"],
    "dtreeviz": ["dtreeviz"],
    "skops": ["skops"],
}
# An entry of the dict that shapiq takes from 1.8 on.
MISSING_OF_SHAPIQ = re.search(r' +"children_missing": .*\n', PAGE)[0]


def imported(*names):
    """Import packages of the extra, or skip the test if they are not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say about each other as they are imported
        for name in names:
            pytest.importorskip(name, reason="needs the extra: pip install -e '.[interop]'")
        return [importlib.import_module(name) for name in names]


@pytest.fixture
def names():
    """The names of the page's first block."""
    matplotlib.use("agg")
    found = {}
    run(*blocks(PAGE)[0], found)
    yield found
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("section", SECTIONS)
def test_the_page_runs(section, names):
    packages = imported(*PACKAGES.get(section, ()))
    for code, output in blocks(SECTIONS[section]):
        if section == "shapiq" and is_old(*packages):
            code = code.replace("shapiq.tree", "shapiq.explainer.tree").replace(MISSING_OF_SHAPIQ, "")
        run(code, output, names)


def is_old(shapiq):
    """Whether shapiq is older than its page, as it is for Python 3.11."""
    return importlib.util.find_spec("shapiq.tree") is None


def test_the_page_has_all_tools():
    assert set(PACKAGES) <= set(SECTIONS)
    assert all(blocks(text) for text in SECTIONS.values())


def trees_in(model):
    return [one.tree_ for one in getattr(model, "estimators_", [model])]


def near(estimator):
    """Return samples of the float32 numbers at and next to the thresholds of all trees: there decisions change."""
    nearest = np.concatenate([tree.threshold for tree in trees_in(estimator)]).astype(np.float32)
    values = np.concatenate([nearest, *(np.nextafter(nearest, np.float32(to)) for to in (-np.inf, np.inf))])
    return np.random.default_rng(0).choice(values.astype(np.float64), (100, estimator.n_features_in_))


def fitted():
    """Return estimators of all kinds by names, and samples that are exact in float32, as each takes them."""
    X, y = make_classes(n_samples=90, seed=3)
    y = np.array(["a", "b", "c"])[y]
    table = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[np.arange(90) % 3], "x": X[:, 0]})
    kinds = {
        "tree": DecisionTreeClassifier(max_depth=4),
        "permutation tree": PermutationDecisionTreeClassifier(),
        "forest": DecisionForestClassifier(8, random_state=0),
        "shallow permutations": PermutationDecisionForestClassifier(8, max_depth=2, random_state=0),
        "ID3": ID3ForestClassifier(3, max_leaf_nodes=4, random_state=0),
        "ordinal": OrdinalDecisionForestClassifier(4, classes=["a", "b", "c"], max_depth=3, random_state=0),
    }
    found = {name: (estimator.fit(X, y), near(estimator)) for name, estimator in kinds.items()}
    for name, kind in (("tree", DecisionTreeClassifier), ("forest", DecisionForestClassifier)):
        options = {"categorical_features": ["colour"], "categorical_split": "multiway"}
        estimator = kind(max_depth=3, random_state=0, **options).fit(table, y)
        found[f"{name} of categories"] = estimator, estimator.encode(table)
    return found


def fitted_to_numbers():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 3)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + np.abs(X[:, 1]) + 0.1 * rng.normal(size=90)
    kinds = {
        "tree of numbers": DecisionTreeRegressor(max_depth=4),
        "median tree": DecisionTreeRegressor("absolute_error", max_depth=4),
        "forest of numbers": DecisionForestRegressor(8, max_depth=5, random_state=0),
    }
    return {name: (estimator.fit(X, y), near(estimator)) for name, estimator in kinds.items()}


def fitted_to_gaps():
    """Return models that learned where samples without a value go, and such samples."""
    X, y = make_classes(n_samples=150, seed=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    kinds = {
        "tree of gaps": DecisionTreeClassifier(),
        "forest of gaps": DecisionForestClassifier(10, random_state=0),
        "scikit-learn's own forest": RandomForestClassifier(10, random_state=0),
    }
    return {name: (estimator.fit(X, y), X) for name, estimator in kinds.items()}


CLASSES, NUMBERS, GAPS = fitted(), fitted_to_numbers(), fitted_to_gaps()
FITTED = CLASSES | NUMBERS | GAPS


def told(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


@pytest.fixture(params=FITTED)
def model(request):
    """A model in scikit-learn, its probabilities or numbers, samples, and the model as a forest."""
    estimator, X = FITTED[request.param]
    theirs = estimator if request.param.startswith("scikit-learn") else to_sklearn(estimator)
    again = from_sklearn(theirs) if request.param in GAPS else estimator
    as_forest = theirs if hasattr(theirs, "estimators_") else to_sklearn([again])
    for each in (theirs, as_forest):
        vars(each).pop("feature_names_in_", None)  # samples are arrays here
    if request.param not in CLASSES:
        np.testing.assert_array_equal(told(theirs, X), told(estimator, X))
    if request.param in GAPS:
        assert any(tree.missing_go_to_left[tree.feature >= 0].any() for tree in trees_in(theirs))
    return theirs, told(theirs, X), X, as_forest


def of_kinds(names):
    return pytest.mark.parametrize("model", names, indirect=True)


def has_leaves_without_samples(theirs):
    return any((tree.n_node_samples == 0).any() for tree in trees_in(theirs))


def test_shap_is_additive(model):
    (shap,) = imported("shap")
    theirs, expected, X, _ = model
    if has_leaves_without_samples(theirs):
        explainer = shap.TreeExplainer(theirs, X, feature_perturbation="interventional")
        closeness = 1e-6  # of the background's mean, which shap computes in float32
    else:
        explainer, closeness = shap.TreeExplainer(theirs), 1e-12
    values = explainer.shap_values(X).sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=closeness)


@of_kinds(CLASSES)
def test_shapiq_is_additive(model):
    (shapiq,) = imported("shapiq")
    theirs, probabilities, X, _ = model
    if has_leaves_without_samples(theirs) and is_old(shapiq):
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            shapiq.TreeExplainer(theirs, index="SV", max_order=1, class_index=0).explain(X[0])
        return
    for label in range(3):
        explainer = shapiq.TreeExplainer(theirs, index="SV", max_order=1, class_index=label)
        total = explainer.explain(X[0]).values.sum()
        np.testing.assert_allclose(total, probabilities[0, label], rtol=0.0, atol=1e-12)


def test_treelite_predicts_the_same(model):
    (treelite,) = imported("treelite")
    theirs, expected, X, as_forest = model
    compiled = treelite.sklearn.import_model(as_forest)
    for dtype in (np.float32, np.float64):
        found = treelite.gtil.predict(compiled, X.astype(dtype)).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-15 if is_classifier(theirs) else 1e-14)


def run_onnx(theirs, X):
    """Return what the model tells as a program of ONNX: classes too, if it has some."""
    skl2onnx, onnxruntime = imported("skl2onnx", "onnxruntime")
    X, options = X.astype(np.float32), {"options": {"zipmap": False}} if is_classifier(theirs) else {}
    converted = skl2onnx.to_onnx(theirs, X[:1], **options)
    return onnxruntime.InferenceSession(converted.SerializeToString()).run(None, {"X": X})


@of_kinds(CLASSES | NUMBERS)
def test_onnx_predicts_the_same(model):
    theirs, expected, X, _ = model
    *labels, found = run_onnx(theirs, X)
    assert len(labels) == is_classifier(theirs)
    for said in labels:
        np.testing.assert_array_equal(said, theirs.predict(X.astype(np.float32)))
    closeness = 1e-6 if is_classifier(theirs) else 1e-5
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0.0, atol=closeness)


def test_skops_reads_what_it_wrote(model):
    (sio,) = imported("skops.io")
    theirs, expected, X, _ = model
    again = sio.loads(sio.dumps(theirs), trusted=["sklearn.tree._tree.Tree"])
    np.testing.assert_array_equal(told(again, X), expected)


def to_the_right(theirs, X):
    """Return the probabilities if all samples without a value go right."""
    found = []
    for tree in trees_in(theirs):
        leaves = []
        for x in X:
            node = 0
            while tree.children_left[node] != -1:
                left = x[tree.feature[node]] <= tree.threshold[node]
                node = tree.children_left[node] if left else tree.children_right[node]
            leaves.append(node)
        found.append(tree.value[leaves, 0])
    return np.mean(found, axis=0)


@of_kinds(GAPS)
def test_shapiq_before_1_8_sends_missing_values_to_the_right(model):
    (shapiq,) = imported("shapiq")
    theirs, probabilities, X, _ = model
    expected = to_the_right(theirs, X) if is_old(shapiq) else probabilities
    explainer = shapiq.TreeExplainer(theirs, index="SV", max_order=1, class_index=0)
    found = [explainer.explain(x).values.sum() for x in X[:15]]
    np.testing.assert_allclose(found, expected[:15, 0], rtol=0.0, atol=1e-12)


@of_kinds(GAPS)
def test_onnx_still_sends_missing_values_to_the_right(model):
    """If this fails, skl2onnx has been mended: change the page."""
    theirs, probabilities, X, _ = model
    _, shares = run_onnx(theirs, X)
    np.testing.assert_allclose(shares, to_the_right(theirs, X), rtol=0.0, atol=1e-6)
    assert np.abs(shares - probabilities).max() > 0.01


@of_kinds(["tree of gaps"])
def test_dtreeviz_refuses_missing_values(model):
    (dtreeviz,) = imported("dtreeviz")
    theirs, _, X, _ = model
    columns = [f"x{m}" for m in range(X.shape[1])]
    with pytest.raises(ValueError, match="does not support NaN"):
        dtreeviz.model(theirs, X_train=X, y_train=theirs.predict(X), feature_names=columns, target_name="y")
