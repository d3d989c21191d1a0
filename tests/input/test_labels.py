"""Labels and targets of any container: exact, and refused if some are missing."""

from decimal import Decimal
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from support import assert_refuses

import pytrees
from pytrees import (
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    DistilledTreesRegressor,
    OptimalTreeClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionTreeClassifier,
    effort_to_compress,
    join_symbols,
    lempel_ziv_complexity,
    minimal_tree,
    nsrps,
    optimal_tree,
    order_sensitivity,
    sliding_effort_to_compress,
)
from pytrees.causality import compression_complexity_causality
from pytrees.distances import GroupedCardinality, clustering_distance
from pytrees.fourier import ModelStream, merge
from pytrees.input.labels import labels_of
from pytrees.metrics import accuracy_off_by, mae_scorer, make_ordinal_scorer, ranked_probability_score
from pytrees.testing import check_tree

X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]])
CODES = np.array([0, 1, 2, 0, 1, 2])

# Three classes that are equal as float64, but for the booleans and strings.
KINDS = {
    "int": [2**60, 2**60 + 1, 2**60 + 2],
    "uint": [2**63, 2**63 + 1, 2**63 + 2],
    "bool": [False, True, True],
    "str": ["a", "b", "b\0"],
}


def arrow(values):
    pa = pytest.importorskip("pyarrow")
    are_large = all(isinstance(value, int) and value >= 2**63 for value in values if value is not None)
    return pa.array(values, pa.uint64() if are_large else None)


def of_pandas(values, arrow_backed=False):
    known = [value for value in values if value is not None]
    if arrow_backed:
        return pd.Series(values, dtype=pd.ArrowDtype(arrow(values).type))
    name = {bool: "boolean", str: "string", float: "Float64"}.get(type(known[0]))
    return pd.Series(values, dtype=name or ("UInt64" if known[0] >= 2**63 else "Int64"))


def as_scalar(value):
    return np.array(value)[()] if isinstance(value, (bool, int, float)) else value


def of_polars(values):
    return pytest.importorskip("polars").Series("label", values)


# Containers, made of values of which None is missing.
CONTAINERS = {
    "pandas": of_pandas,
    "arrow_backed": partial(of_pandas, arrow_backed=True),
    "extension": lambda values: of_pandas(values).array,
    "index": lambda values: pd.Index(of_pandas(values)),
    "category": lambda values: of_pandas(values).astype("category"),
    "ordered": lambda values: pd.Series(pd.Categorical(of_pandas(values), ordered=True)),
    "pyarrow": arrow,
    "polars": of_polars,
    "chunks": lambda values: pytest.importorskip("pyarrow").chunked_array([arrow(values[:2]), arrow(values[2:])]),
    "dictionary": lambda values: arrow(values).dictionary_encode(null_encoding="encode"),
    "objects": lambda values: np.array(values, dtype=object),
    "list": list,
    "tuple": tuple,
    "scalars": lambda values: list(map(as_scalar, values)),
}
COLUMNS = {
    "pandas_frame": lambda values: of_pandas(values).to_frame(),
    "polars_frame": lambda values: of_polars(values).to_frame(),
    "pyarrow_table": lambda values: pytest.importorskip("pyarrow").table({"label": arrow(values)}),
    "nested": lambda values: [[value] for value in values],
}
CLASSIFIERS = {
    name: kind() if name != "OptimalTreeClassifier" else kind(max_depth=2)
    for name, kind in vars(pytrees).items()
    if isinstance(kind, type) and issubclass(kind, ClassifierMixin) and name != "ReconstructedFourierTree"
} | {
    "of_scikit_learn": OrthogonalTreesClassifier(RandomForestClassifier(3, random_state=0)),
    "distilled": DistilledTreesClassifier(RandomForestClassifier(3, random_state=0)),
    "absolute": OptimalTreeClassifier(max_depth=2, cost_matrix="absolute"),
}
for _estimator in CLASSIFIERS.values():
    _given = {"n_estimators": 3, "random_state": 0}
    if isinstance(_estimator, DistilledTreesClassifier) and _estimator.estimator is None:
        _given["estimator"] = DecisionForestClassifier(3, random_state=0)  # of the kind of the default
    _estimator.set_params(**{name: value for name, value in _given.items() if name in _estimator.get_params()})


def classifiers(container):
    """All classifiers for two containers, otherwise three that read y by code of their own."""
    names = CLASSIFIERS if container in ("pandas", "polars") else ("DecisionTreeClassifier", "absolute", "distilled")
    return {name: clone(CLASSIFIERS[name]) for name in names}


def share(calls, container, kind):
    """Return some of the calls, such that each meets every container and every kind, but not all pairs of both."""
    # Two containers meet all classifiers: one has an even place, and one an odd place.
    parts = 2 if len(calls) == len(CLASSIFIERS) else 3
    start = list(CONTAINERS | COLUMNS).index(container) + list(KINDS).index(kind)
    return {name: call for i, (name, call) in enumerate(calls.items()) if (i + start) % parts == 0}


def sensitivity(y):
    found = order_sensitivity(PermutationDecisionTreeClassifier(), X, y, cv=2, n_permutations=1, random_state=0)
    return found.score, found.shuffled_scores.tolist(), found.n_distinct_trees


# Functions whose result depends only on which labels are equal, and on their order.
FUNCTIONS = {
    "effort": effort_to_compress,
    "efforts": lambda y: int(effort_to_compress(y, axis=0)),
    "lempel_ziv": lempel_ziv_complexity,
    "substitutions": lambda y: [step.count for step in nsrps(y)],
    "sliding": lambda y: sliding_effort_to_compress(y, 3).tolist(),
    "joint": lambda y: effort_to_compress(join_symbols(y, "ababab")),
    "causality": lambda y: compression_complexity_causality(y, CODES, past=2, present=1, step=1).x_to_y,
    "observed": lambda y: accuracy_off_by(y, labels_of(y)[::-1], k=0),
    "predicted": lambda y: accuracy_off_by(labels_of(y)[::-1], y, k=0),
    "rps": lambda y: ranked_probability_score(y, np.eye(len(set(labels_of(y).tolist())))[[0, 1, 1] * 2]),
    "distance": lambda y: clustering_distance(y, CODES, "vi"),
    "prediction": lambda y: clustering_distance(CODES, y, "vi"),
    "labels": lambda y: clustering_distance(y, labels_of(y)[::-1], "vi", labels=y),
    "groups": lambda y: GroupedCardinality(y)([0, 1, 2]),
    "minimal": lambda y: minimal_tree(X, y).tree.node_count,
    "optimal": lambda y: optimal_tree(X, y, max_depth=1).n_errors,
    "sensitivity": sensitivity,
    "stream": lambda y: len(ModelStream(DecisionTreeClassifier(), X).update(X, y).model.classes),
    "check": lambda y: check_tree(DecisionTreeClassifier().fit(X, y), X, y, "gini").n_nodes,
    "scorer": lambda y: mae_scorer(DecisionTreeClassifier().fit(X, y), X, y),
    "order": lambda y: PermutationDecisionTreeClassifier().fit(X, CODES, order=y).tree_.gain.tolist(),
}


@cache
def fitted_to_codes(name, codes):
    fitted = clone(CLASSIFIERS[name]).fit(X, codes)
    return fitted.predict(X), fitted.score(X, codes)


@cache
def of_codes(name, codes):
    return FUNCTIONS[name](np.array(codes))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("container", CONTAINERS | COLUMNS)
@pytest.mark.filterwarnings("ignore:A column-vector y", "ignore:The classes are words")
def test_labels_are_exact(container, kind):
    if kind == "str" and container in ("category", "ordered") and len(pd.Categorical(["b", "b\0"]).categories) < 2:
        pytest.skip("this pandas drops zeros at the ends of categories")
    values = [KINDS[kind][code] for code in CODES]
    classes = sorted(set(values))
    y = (CONTAINERS | COLUMNS)[container](values)
    codes = tuple(classes.index(value) for value in values)
    for name, estimator in share(classifiers(container), container, kind).items():
        found, (predicted, score) = estimator.fit(X, y), fitted_to_codes(name, codes)
        assert found.classes_.tolist() == classes, name
        assert found.classes_.dtype.kind in {"int": "i", "uint": "u", "bool": "b", "str": "OU"}[kind], name
        assert found.predict(X).tolist() == [classes[code] for code in predicted], name
        assert found.score(X, y) == score, name
    if container in CONTAINERS:
        for name, function in share(FUNCTIONS, container, kind).items():
            if name != "check" or kind != "str":
                assert function(y) == of_codes(name, codes), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("container", CONTAINERS | COLUMNS)
@pytest.mark.filterwarnings("ignore:A column-vector y", "ignore:The classes are words")
def test_missing_labels_are_refused(container, kind):
    y = (CONTAINERS | COLUMNS)[container]([*KINDS[kind][:2], None, *KINDS[kind]])
    fitted = DecisionTreeClassifier().fit(X, CODES)
    calls = {name: partial(estimator.fit, X) for name, estimator in classifiers(container).items()}
    calls |= {
        "score": partial(fitted.score, X),
        "scorer": partial(mae_scorer, fitted, X),
        "labels": lambda y: make_ordinal_scorer("mae", labels=y),
        "regressor": partial(DecisionTreeRegressor().fit, X),
        "minimal": partial(minimal_tree, X),
        "sensitivity": sensitivity,
        "check": lambda y: check_tree(fitted, X, y, "gini"),
        "distance": lambda y: clustering_distance(y, CODES, "vi"),
        "rps": lambda y: ranked_probability_score(y, np.eye(3)[CODES]),
        "groups": GroupedCardinality,
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=r"Input \w+ (contains (NaN|None)|holds no numbers)"):
            pytest.fail(f"{name}: {call(y)}")
    if container in CONTAINERS and container not in ("objects", "list", "tuple", "scalars"):  # None is a label of these
        for call in (effort_to_compress, lempel_ziv_complexity, nsrps, partial(effort_to_compress, axis=0)):
            assert_refuses(ValueError, "The sequence contains missing values", call, y)
    if container in CONTAINERS:
        for call, name in (
            (lambda y: PermutationDecisionTreeClassifier().fit(X, CODES, order=y), "order contains missing"),
            (lambda y: PermutationDecisionTreeClassifier().fit(X, CODES, groups=y), "groups contains missing"),
            (lambda y: OrdinalDecisionTreeClassifier(classes=y).fit(X, CODES), "classes holds a missing value"),
        ):
            assert_refuses(ValueError, name, call, y)


def test_masked_labels_weights_and_targets_are_refused():
    masked = np.ma.array(CODES, mask=CODES == 1)
    tree, numbers = DecisionTreeClassifier().fit(X, CODES), DecisionTreeRegressor().fit(X, CODES)
    for call in (
        partial(tree.fit, X),
        partial(tree.fit, X, CODES),
        partial(tree.score, X),
        partial(numbers.fit, X),
        partial(numbers.score, X),
        partial(OrdinalDecisionTreeClassifier(classes=[0, 1, 2]).fit, X),
        lambda y: accuracy_off_by(CODES, y),
    ):
        assert_refuses(ValueError, r"Input (y|y_pred|sample_weight) contains NaN: leave out", call, masked)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([2**64, 2**64 + 1] * 3, "no dtype of NumPy represents exactly, such as 18446744073709551617: .* to strings"),
        ([-1, 2**63] * 3, "no dtype of NumPy represents exactly, such as 9223372036854775808"),
        ([2**60, 2**60 + 1, 0.0] * 2, "no dtype of NumPy represents exactly, such as 1152921504606846977"),
        ([1, "1"] * 3, "labels that cannot be sorted"),
        ([Decimal(1), Decimal(2)] * 3, "Unknown label type"),
    ],
)
@pytest.mark.parametrize("container", [list, lambda y: np.array(y, dtype=object)])
def test_labels_that_no_array_represents_are_refused(y, message, container):
    for call in (DecisionTreeClassifier().fit, DecisionForestClassifier(2).fit, minimal_tree):
        assert_refuses(ValueError, message, call, X, container(y))
    assert effort_to_compress(container(y)) == effort_to_compress(list(map(repr, y)))


def test_integers_of_both_signs_are_told_apart():
    """As float64, 2**60 and 2**60 + 1 are equal; NumPy makes float64 of int64 and uint64 together."""
    low, high = np.array([2**60] * 3), np.array([2**60, 2**60 + 1, 2**63], dtype=np.uint64)
    assert accuracy_off_by(low, high, k=0) == 1 / 3
    assert clustering_distance(low, high, "vi") == clustering_distance([0] * 3, [0, 1, 2], "vi")
    assert clustering_distance(low, high, "vi", labels=high) == clustering_distance([0] * 3, [0, 1, 2], "vi")
    models = [DecisionTreeClassifier().fit(X[:2], y) for y in ([2**60, 2**60 + 1], high[1:])]
    assert merge(models).classes.tolist() == [2**60, 2**60 + 1, 2**63]
    assert merge(models).seen.tolist() == [[True, True, False], [False, True, True]]
    forest = FrozenEstimator(DecisionForestClassifier(3, random_state=0).fit(X[:2], [2**60, 2**60 + 1]))
    with pytest.raises(ValueError, match=r"y holds the classes \[9223372036854775808\]"):
        OrthogonalTreesClassifier(forest).fit(X[:2], high[1:])
    assert OrthogonalTreesClassifier(forest).fit(X[:2], high[:2]).classes_.tolist() == [2**60, 2**60 + 1]


def test_weights_and_scales_of_large_classes():
    low, high = 2**60, 2**60 + 1
    y = of_pandas([low, high, low, high])
    weighed = DecisionTreeClassifier(class_weight={low: 1, high: 3}).fit(np.zeros((4, 1)), y)
    assert weighed.tree_.value.tolist() == [[2.0, 6.0]]
    assert weighed.predict([[0.0]]).tolist() == [high]
    for classes in ([high, low], of_pandas([high, low]), arrow([high, low])):
        ordinal = OrdinalDecisionTreeClassifier(classes=classes).fit(np.zeros((4, 1)), y)
        assert ordinal.classes_.tolist() == [high, low]
        assert make_ordinal_scorer("mae", labels=classes)(ordinal, np.zeros((4, 1)), y) == -0.5
    assert OrdinalDecisionTreeClassifier(classes=[2**63, -1]).fit(X[:2], [-1, 2**63]).classes_.tolist() == [2**63, -1]
    true = DecisionTreeClassifier(class_weight={True: 3}).fit(np.zeros((4, 1)), of_pandas([True, False] * 2))
    assert true.predict([[0.0]]).tolist() == [True]


NUMBERS = [0.5, 1.25, -3.0, 0.5, 1.25, -3.0]


@pytest.mark.parametrize("container", CONTAINERS | COLUMNS)
@pytest.mark.parametrize("kind", [float, Decimal])
@pytest.mark.parametrize("make", [DecisionTreeRegressor, partial(DecisionForestRegressor, 3, random_state=0)])
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_targets_and_weights_of_any_container(container, kind, make):
    if kind is Decimal and container in ("pandas", "extension", "index", "category", "ordered", "pandas_frame"):
        pytest.skip("pandas has no nullable decimals")
    y = (CONTAINERS | COLUMNS)[container]([kind(number) for number in NUMBERS])
    expected = make().fit(X, NUMBERS)
    found = make().fit(X, y)
    assert found.predict(X).tolist() == expected.predict(X).tolist()
    assert found.score(X, y) == expected.score(X, NUMBERS)
    if container in CONTAINERS:
        weights = CONTAINERS[container]([kind(number**2) for number in NUMBERS])
        weighted = make().fit(X, NUMBERS, np.square(NUMBERS))
        assert make().fit(X, y, weights).predict(X).tolist() == weighted.predict(X).tolist()


@pytest.mark.parametrize("container", CONTAINERS)
def test_strings_are_no_targets_and_no_weights(container):
    words = CONTAINERS[container](["1", "2", "3"] * 2)
    distilled = DistilledTreesRegressor(DecisionForestRegressor(2, random_state=0))
    for estimator in (DecisionTreeRegressor(), DecisionForestRegressor(2), distilled, DecisionTreeClassifier()):
        message = "Input sample_weight holds no numbers" if is_classifier(estimator) else "Input y holds no numbers"
        assert_refuses(ValueError, message, estimator.fit, X, *([CODES] if is_classifier(estimator) else []), words)
    assert_refuses(ValueError, "Input y holds no numbers", DecisionTreeRegressor().fit(X, CODES).score, X, words)
