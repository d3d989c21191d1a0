"""Trees as text, as dicts and as scikit-learn's: equal decisions down to the last bit of a float32."""

import datetime
import enum
import json
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from samples import hostile, make_chain, make_classes, make_stump, make_stump_of_numbers, trees_of
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import export_text as sklearn_export_text
from support import assert_predicts_the_same, assert_refuses

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    OptimalTreeClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    export_c,
    export_dict,
    export_graphviz,
    export_python,
    export_sql,
    export_text,
    leaf_rules,
    plot_tree,
)
from pytrees.export import to_sklearn
from pytrees.testing.strategies import problems

EXPORTS = [export_c, export_dict, export_graphviz, export_python, export_sql, export_text, leaf_rules, plot_tree]
NAMES, NO_SEQUENCES = ["class_names", "feature_names"], [np.array(2), {"a": 0, "b": 1}.keys(), {"a": 0, "b": 1}]
LARGEST32 = float(np.finfo(np.float32).max)
SMALLEST32 = float(np.nextafter(np.float32(0), np.float32(1)))


@pytest.fixture
def fitted(engine):
    X, y = make_classes(n_samples=30, n_classes=2)
    frame = pd.DataFrame(X, columns=["age", "weight", "height"])
    return DecisionTreeClassifier(max_depth=3).fit(frame, np.array(["ill", "well"])[y])


def decide(node, row):
    """The class of a row, by the exported dicts."""
    while "left" in node:
        node = node["left"] if row[node["feature"]] <= node["threshold"] else node["right"]
    return node["class"]


# ----------------------------------------------------------------------------------------------------------------- text


def test_text_of_a_tree_and_of_an_estimator(engine):
    tree = make_stump(threshold=[0.123456, -2, -2], gain=[2 / 3, 0, 0], value=[[12, 1.5], [12, 0], [0, 1.5]])
    assert export_text(tree) == (
        "feature_0 <= 0.1235 (gain 0.6667)\n|   class 0 [12, 0]\nfeature_0 > 0.1235\n|   class 1 [0, 1.5]"
    )
    assert export_text(tree, feature_names=["age"], class_names=["no", "yes"], precision=2) == (
        "age <= 0.12 (gain 0.67)\n|   class no [12, 0]\nage > 0.12\n|   class yes [0, 1.5]"
    )
    estimator = PermutationDecisionTreeClassifier().fit(pd.DataFrame({"age": [1.0, 3.0]}), [True, False])
    assert export_text(estimator) == "age <= 2 (gain 1)\n|   class True [0, 1]\nage > 2\n|   class False [1, 0]"


def test_text_with_decimals_shares_and_without_counts():
    tree = make_stump(threshold=[0.123456, -2, -2], gain=[2 / 3, 0, 0], value=[[12, 1.5], [12, 0], [1, 2]])
    lines = export_text(tree, precision=2, proportion=True).splitlines()
    assert lines[0] == "feature_0 <= 0.12 (gain 0.67)"
    assert lines[3] == "|   class 1 [0.33, 0.67]"
    assert export_text(tree, proportion=True).splitlines()[3] == "|   class 1 [0.3333, 0.6667]"
    assert export_text(tree, show_weights=False).splitlines()[3] == "|   class 1"
    for name, value in (("precision", -1), ("precision", 101), ("show_weights", "no"), ("proportion", 1)):
        assert_refuses(ValueError, name, export_text, tree, **{name: value})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("class_1", "class_1"),
        ("Class 2", "Class 2"),
        ("class", "class"),
        ("class3", "class3"),
        ("classic", "class classic"),
        ("", "class "),
        (2, "class 2"),
    ],
)
def test_the_word_class_is_not_doubled(name, said):
    names = {"class_names": np.array([name, "other"], dtype=object)}
    assert export_text(make_stump(), **names).splitlines()[1] == f"|   {said} [1, 0]"
    assert plot_tree(make_stump(), **names)[1].get_text() == f"{said}\n1 sample"


def test_names_cannot_forge_lines():
    name = "age\n|   class 0\r\x1b[1m\u2028\u202e\ud800"
    escaped = r"age\n|   class 0\r\x1b[1m\u2028\u202e\ud800"
    text = export_text(make_stump(), feature_names=[name], class_names=[name, "well"])
    assert text == (f"{escaped} <= 0.5 (gain 0.5)\n|   class {escaped} [1, 0]\n{escaped} > 0.5\n|   class well [0, 1]")
    levels = np.array(["a\nb", "c\td"])[:, np.newaxis]
    text = export_text(ID3Classifier(categorical_features=[0]).fit(levels, [0, 1]))
    assert [line.split(" = ")[1] for line in text.splitlines()[::2]] == [r"a\nb (gain 1)", r"c\td"]


def test_usual_names_of_all_scripts_are_written_as_they_are():
    for name in (r"C:\new", "größe", "年龄", "می\u200cخواهم", "👩\u200d🔬", "שם\u200f", "a\u00a0b", "x̂", "$a_{$"):
        text = export_text(make_stump(), feature_names=[name], class_names=[name, f"{name} "])
        assert text.count(name) == 4


def test_text_has_numbers_and_weights(engine):
    stump = make_stump_of_numbers()
    assert export_text(stump, feature_names=["age"]) == (
        "age <= 0.5 (gain 2.722)\n|   value 0.25 [2]\nage > 0.5\n|   value 3.75 [4]"
    )
    assert export_text(stump, show_weights=False, precision=1).splitlines()[1] == "|   value 0.2"
    assert export_text(stump.tree_, proportion=True).splitlines()[3] == "|   value 3.75 [0.6667]"


def test_text_of_a_leaf():
    assert export_text(DecisionTreeClassifier().fit([[1.0]], ["only"])) == "class only [1]"


def test_text_has_a_line_for_every_branch_and_leaf(fitted):
    tree = fitted.tree_
    lines = export_text(fitted).splitlines()
    assert len(lines) == tree.node_count - 1 + tree.n_leaves
    assert sum("class ill" in line or "class well" in line for line in lines) == tree.n_leaves
    assert all(any(name in line for name in ("age", "weight", "height", "class")) for line in lines)


# ---------------------------------------------------------------------------------------------------------------- dicts


def test_dict_decides_as_the_tree_does(fitted):
    X = pd.DataFrame(make_classes(n_samples=30, n_classes=2)[0], columns=["age", "weight", "height"])
    root = export_dict(fitted)
    assert [decide(root, row) for _, row in X.iterrows()] == fitted.predict(X).tolist()


def test_dict_goes_through_json_unchanged(fitted):
    root = export_dict(fitted)
    assert json.loads(json.dumps(root)) == root
    assert root["n_node_samples"] == 30
    assert sum(root["counts"]) == 30.0
    of_nodes = {"n_node_samples", "counts", "class", "feature", "threshold", "gain", "left", "right"}
    assert set(root) == of_nodes | {"n_features", "feature_names", "class_names", "takes_missing"}
    assert set(root["left"]) <= of_nodes
    assert (root["n_features"], root["class_names"]) == (3, ["ill", "well"])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1], 0),
        ([False, True], False),
        ([-1.0, 2.0], -1.0),
        (["a", "b"], "a"),
        (np.array([0, 1], dtype=np.uint8), 0),
        (np.array(["a", "b"], dtype=object), "a"),
        (np.array(["2000-01-01", "2000-02-01"], dtype="datetime64[D]"), "2000-01-01"),
        (np.array(["2000-01-01", "2000-02-01"], dtype="datetime64[ns]"), "2000-01-01"),
        (np.array(["2000-01-01T12:30", "2000-02-01"], dtype="datetime64[us]"), "2000-01-01T12:30"),
        (np.array([5, 7], dtype="timedelta64[D]"), "5 days"),
    ],
    ids=repr,
)
def test_labels_become_plain_values(engine, labels, expected):
    fitted = DecisionTreeClassifier().fit([[1.0], [2.0]], labels)
    root = export_dict(fitted)
    assert json.loads(json.dumps(root))["left"]["class"] == expected
    assert type(root["left"]["class"]) is type(expected)
    assert f"class {expected} [1, 0]" in export_text(fitted)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([datetime.date(2000, 1, 1), datetime.date(2000, 2, 1)], "2000-01-01"),
        ([datetime.datetime(2000, 1, 1, 12, 30), datetime.date.max], "2000-01-01T12:30:00"),
        ([Fraction(1, 3), Fraction(1, 2)], "1/3"),
        ([("a", Fraction(1, 3)), "b"], ["a", "1/3"]),
    ],
    ids=["dates", "dates with times", "fractions", "tuples"],
)
def test_objects_as_class_names_go_through_json(names, expected):
    given = np.empty(2, dtype=object)
    given[:] = names
    assert json.loads(json.dumps(export_dict(make_stump(), class_names=given)))["left"]["class"] == expected


def test_given_names_are_exported():
    root = export_dict(make_stump(), feature_names=pd.Index(["age"]), class_names=np.array(["no", "yes"]))
    assert (root["feature"], root["left"]["class"], root["right"]["class"]) == ("age", "no", "yes")
    assert type(root["feature"]) is type(root["left"]["class"]) is str


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("export", [export_text, export_dict, export_graphviz, plot_tree, to_sklearn])
def test_objects_without_a_tree_are_refused(export):
    for other in (None, 3, "tree", {}, PermutationDecisionForestClassifier):
        assert_refuses(TypeError, None, export, other)
    assert_refuses(NotFittedError, None, export, DecisionTreeClassifier())
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    for steps in (pipeline, pipeline.fit([[1.0], [2.0]], [0, 1])):
        assert_refuses(
            TypeError, r"got Pipeline: pass its fitted tree, named_steps\['decisiontreeclassifier'\]", export, steps
        )
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2).fit([[1.0], [2.0]] * 2, [0, 1] * 2)
    assert_refuses(TypeError, "got GridSearchCV: pass its best_estimator_", export, search)
    others = [sklearn.tree.DecisionTreeClassifier()]
    if export is not to_sklearn:
        others.append(PermutationDecisionForestClassifier(n_estimators=2))
    for estimator in others:
        assert_refuses(TypeError, f"got {type(estimator).__name__}", export, estimator.fit([[1.0], [2.0]], [0, 1]))


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize(
    ("parameter", "given", "said"),
    [
        *[(name, given, "must be a sequence of names, got") for name in NAMES for given in NO_SEQUENCES],
        *[("feature_names", [given], "strings. Got .* at position 0") for given in (["a"], None, 3, b"a", 1.5, np.nan)],
        ("feature_names", np.array([["a"]]), r"strings. Got \['a'\] at position 0"),
        *[
            ("class_names", ["a", given], "at position 1")
            for given in (["b"], None, np.nan, pd.NA, {"b"}, np.arange(2))
        ],
        ("class_names", np.array([["a"], ["b"]]), r"Got \['a'\] at position 0"),
        ("class_names", np.ma.array([1, 2], mask=[0, 1]), "Got None at position 1"),
        ("feature_names", ["a", "b"], "has 2 names; the tree has 1"),
        ("class_names", ["a"], "has 1 names; the tree has 2"),
        *[
            ("class_names", given, "must be different, got .* at position 1 like position 0")
            for given in (["a", "a"], [1, 1.0], [1, True], [1, "1"], [hostile(str)("a"), "a"], np.zeros(2))
        ],
    ],
    ids=repr,
)
def test_wrong_names_are_refused(export, parameter, given, said):
    assert_refuses(ValueError, f"{parameter}.*{said}", export, make_stump(), **{parameter: given})


@pytest.mark.parametrize("show", [export_text, export_dict, export_graphviz, to_sklearn, plot_tree])
def test_trees_of_numbers_have_no_names_of_classes(show):
    name = "classes" if show is to_sklearn else "class_names"
    with pytest.raises(ValueError, match=r"Names of classes are given, .*, but the tree predicts numbers"):
        show(make_stump_of_numbers(), **{name: ["a"]})


@pytest.mark.parametrize("export", EXPORTS)
def test_equal_names_of_features_are_refused(export):
    tree = DecisionTreeClassifier().fit([[0.0, 1.0], [1.0, 1.0]], [0, 1])
    for names in (["a", "a"], ["a", hostile(str)("a")], np.array(["a", "a"], dtype=object)):
        with pytest.raises(ValueError, match="feature_names must be different, got 'a' at position 1"):
            export(tree, feature_names=names)
    tree.feature_names_in_ = np.array(["a", "a"], dtype=object)
    assert_refuses(ValueError, "feature_names must be different, got 'a' at position 1", export, tree)


ENUMS = [
    *(enum.Enum("E", {"a": base("3"), "b": base("4")}, type=base) for base in (str, int)),
    *(of("E", {"a": base("3"), "b": base("4")}) for of, base in ((enum.StrEnum, str), (enum.IntEnum, int))),
]
LABELS = [(hostile(base), [base(value) for value in "34"]) for base in (str, int, float, np.str_, np.int64, np.float64)]
LABELS += [(kind, ["3", "4"] if issubclass(kind, str) else [3, 4]) for kind in ENUMS]


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize(("kind", "plain"), LABELS, ids=lambda of: type(of[0]).__name__ if type(of) is list else "")
def test_subclasses_of_labels_are_their_values(export, kind, plain):
    def shown(estimator, **names):
        found = export(estimator, **names)
        if export is plot_tree:
            found[0].axes.remove()  # more and more texts in one picture would take ever longer
            return [node.get_text() for node in found]
        return repr(found)

    labels = np.empty(4, dtype=object)
    labels[:] = [kind(value) for value in plain * 2]
    for names in (labels[:2], labels[:2].tolist()):
        assert shown(make_stump(), class_names=names) == shown(make_stump(), class_names=plain)
    ours, is_str = DecisionTreeClassifier(categorical_features=["x"]), isinstance(plain[0], str)
    found, wanted = (
        shown(ours.fit(pd.DataFrame({"x": pd.Series(values, dtype=object)}), values if is_str else ["a", "b"] * 2))
        for values in (labels, np.array(plain * 2, dtype=object))
    )
    assert found == wanted
    if is_str:
        assert shown(make_stump(), feature_names=labels[:1]) == shown(make_stump(), feature_names=["3"])


@pytest.mark.parametrize(
    "ours", [make_stump(), [make_stump()] * 2, PermutationDecisionForestClassifier(2).fit([[0.0], [1.0]], [0, 1])]
)
@pytest.mark.parametrize(
    "classes", [5, "ab", {"a": 0, "b": 1}.keys(), ["a", ["b"]], ["a", None], ["a", "a"], ["a"], [["a"], ["b"]]]
)
def test_wrong_classes_are_refused(ours, classes):
    assert_refuses(ValueError, r"^classes (must be|has 1 names)", to_sklearn, ours, classes=classes)


# --------------------------------------------------------------------------------------------------------- scikit-learn


def neighbours32(thresholds):
    """The float32 numbers at and next to the thresholds."""
    with np.errstate(over="ignore"):
        nearest = np.clip(np.asarray(thresholds, dtype=np.float64), -LARGEST32, LARGEST32).astype(np.float32)
        below, above = (np.nextafter(nearest, np.float32(to)) for to in (-np.inf, np.inf))
    values = np.concatenate([below, nearest, above])
    return np.unique(values[np.isfinite(values)]).astype(np.float64)


@pytest.mark.parametrize("criterion", ["gini", "etc"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learns_tree_decides_the_same(engine, criterion, weighted):
    X, y = make_classes(n_samples=40)
    weights = np.linspace(0.1, 2.0, 40) if weighted and criterion == "gini" else None
    ours = DecisionTreeClassifier(criterion, max_depth=4).fit(X, np.array(["c", "a", "b"])[y], sample_weight=weights)
    theirs = to_sklearn(ours)
    assert_predicts_the_same(theirs, ours, X)
    close = np.concatenate([neighbours32(column) for column in X.T] + [neighbours32(ours.tree_.threshold)])
    assert_predicts_the_same(theirs, ours, np.random.default_rng(0).choice(close, size=(500, 3)))


@pytest.mark.parametrize(
    "threshold",
    [
        0.0,
        -0.0,
        0.1,
        1 / 3,
        -0.1,
        1.0 + 2**-24,
        1.0 - 2**-26,
        16777217.0,
        SMALLEST32 / 2,
        -SMALLEST32 / 2,
        5e-324,
        -5e-324,
    ]
    + [sign * factor * LARGEST32 for sign in (1, -1) for factor in (1.0, 1 + 1e-12, 1 - 1e-12, 1 + 1e-7, 1e200)],
)
def test_thresholds_are_kept_to_the_last_bit_of_a_float32(engine, threshold):
    ours = make_stump(threshold=[threshold, -2, -2])
    X = np.concatenate([neighbours32([threshold, 0.0]), [-LARGEST32, LARGEST32]])[:, None]
    theirs = ours.to_sklearn()
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))


@pytest.mark.parametrize(
    "ours",
    [
        DecisionTreeClassifier(),
        *[kind(4, max_depth=2) for kind in (DecisionForestClassifier, PermutationDecisionForestClassifier)],
    ],
    ids=repr,
)
@given(problem=problems(max_rows=15), seed=st.integers(0, 2**32 - 1))
def test_any_tree_or_forest_on_float32_data_predicts_the_same(ours, problem, seed):
    # scikit-learn adds the numbers up, which must not overflow.
    X = np.clip(problem.X, -1e30, 1e30).astype(np.float32).astype(np.float64)
    ours = sklearn.base.clone(ours).set_params(random_state=seed).fit(X, problem.y)
    close = np.concatenate([*(neighbours32(tree.threshold) for tree in trees_of(ours)), X.ravel()])
    rows = np.random.default_rng(seed).choice(close, size=(50, X.shape[1]))
    assert_predicts_the_same(to_sklearn(ours), ours, np.concatenate([X, rows]))


def test_the_estimators_names_and_classes_are_kept(fitted):
    theirs = to_sklearn(fitted)
    assert theirs.classes_.tolist() == ["ill", "well"]
    assert theirs.feature_names_in_.tolist() == ["age", "weight", "height"]
    assert (theirs.n_features_in_, theirs.n_outputs_, theirs.n_classes_) == (3, 1, 2)
    assert (theirs.get_depth(), theirs.get_n_leaves()) == (fitted.get_depth(), fitted.get_n_leaves())
    assert to_sklearn(fitted, classes=[7, 5]).classes_.tolist() == [7, 5]
    assert fitted.tree_.to_sklearn().classes_.tolist() == [0, 1]
    assert fitted.tree_.to_sklearn(["x", "y"]).classes_.tolist() == ["x", "y"]
    for wrong in ("xy", [["x", "y"]], 5):
        with pytest.raises(ValueError, match=r"classes (must be a sequence of names|has \d names; the tree has 2)"):
            fitted.tree_.to_sklearn(wrong)
    assert not hasattr(fitted.tree_.to_sklearn(), "feature_names_in_")


def test_scikit_learns_tools_take_the_tree(fitted):
    theirs = to_sklearn(fitted)
    assert "class: " in sklearn.tree.export_text(theirs)
    nodes = theirs.tree_
    np.testing.assert_array_equal(nodes.n_node_samples, fitted.tree_.n_node_samples)
    np.testing.assert_array_equal(nodes.weighted_n_node_samples, fitted.tree_.value.sum(axis=1))
    np.testing.assert_allclose(nodes.impurity[nodes.children_left == -1], 0.0, atol=0.5)
    np.testing.assert_allclose(theirs.feature_importances_.sum(), 1.0)
    root = fitted.tree_.value[0] / 30
    assert nodes.impurity[0] == pytest.approx(1 - np.sum(root**2))


@pytest.mark.parametrize(("X", "y"), [([[1.0]], [5]), ([[1.0], [2.0]], ["a", "a"])])
def test_a_leaf_in_scikit_learn(engine, X, y):
    ours = DecisionTreeClassifier().fit(X, y)
    assert_predicts_the_same(to_sklearn(ours), ours, np.array(X))


def test_another_layout_of_scikit_learns_nodes_is_refused(monkeypatch):
    fields = [(name, sklearn.tree._tree.NODE_DTYPE[name]) for name in sklearn.tree._tree.NODE_DTYPE.names]
    monkeypatch.setattr(sklearn.tree._tree, "NODE_DTYPE", np.dtype([*fields, ("something_new", np.float64)]))
    assert_refuses(RuntimeError, "something_new", to_sklearn, make_stump())
    monkeypatch.setattr(sklearn.tree._tree, "NODE_DTYPE", np.dtype(fields[:-1]))
    assert_refuses(RuntimeError, "scikit-learn stores", to_sklearn, make_stump())


# ----------------------------------------------------------------------------------------------------------- deep trees


def test_deep_trees_are_exported_without_recursion():
    depth = 2500
    tree = make_chain(depth)
    assert export_text(tree, max_depth=None).count("\n") == 3 * depth
    node, levels = export_dict(tree), 0
    while "right" in node:
        node, levels = node["right"], levels + 1
    assert levels == depth
    X = np.arange(depth + 1.0)[:, None]
    np.testing.assert_array_equal(to_sklearn(tree).predict(X), tree.predict(X))


# -------------------------------------------------------------------------------- what scikit-learn's trees cannot do


GRADES = ["low", "medium", "high"]
GRADED = np.array([[1.0]] * 5 + [[2.0]] * 2), np.array(["low", "low", "medium", "high", "high", "high", "high"])


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier("entropy"),
        PermutationDecisionTreeClassifier(),
        OrdinalDecisionTreeClassifier(classes=GRADES),
        OrdinalDecisionTreeClassifier(classes=[*GRADES, "extreme"], predict_rule="mode"),
        ID3Classifier(max_leaf_nodes=2),
        C45Classifier(min_samples_leaf=1),
        ReconstructedFourierTree(),
        AggregatedFourierTreeClassifier(n_estimators=3, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_convert_with_their_names_to_plain_trees(estimator):
    X, y = GRADED
    ours = estimator.fit(pd.DataFrame(X, columns=["x"]), y)
    theirs = pickle.loads(pickle.dumps(ours.to_sklearn()))
    rows = pd.DataFrame({"x": [0.0, 1.0, 1.5, 2.0, 3.0]})
    assert type(theirs) is sklearn.tree.DecisionTreeClassifier
    assert theirs.classes_.tolist() == ours.classes_.tolist()
    np.testing.assert_array_equal(theirs.predict(rows), ours.predict(rows))
    np.testing.assert_array_equal(theirs.predict_proba(rows), ours.predict_proba(rows))
    lacking = pd.DataFrame({"x": [1.0, np.nan]})
    for name in ("predict", "predict_proba", "apply"):
        if ours.tree_.takes_missing:
            np.testing.assert_array_equal(getattr(theirs, name)(lacking), getattr(ours, name)(lacking))
    again = sklearn.base.clone(theirs).fit(X, y)
    assert again.score(X, y) == ours.score(pd.DataFrame(X, columns=["x"]), y)


def test_predictions_that_are_not_the_most_frequent_class_are_refused():
    X, y = GRADED
    ours = OrdinalDecisionTreeClassifier(classes=GRADES, predict_rule="median").fit(X, y)
    assert ours.predict(X)[0] == "medium"
    assert_refuses(ValueError, r"at 1 nodes \(predict_rule='median'\).*tree_\.to_sklearn\(classes_\)", ours.to_sklearn)
    assert_refuses(ValueError, "OrdinalDecisionTreeClassifier predicts another class", to_sklearn, ours)
    assert ours.tree_.to_sklearn(ours.classes_).predict(X)[0] == "low"
    np.testing.assert_array_equal(ours.set_params(predict_rule="mode").to_sklearn().predict(X), ours.predict(X))
    pure = ours.set_params(predict_rule="expected").fit([[1], [2], [3]], GRADES)
    assert pure.to_sklearn().predict([[1], [2], [3]]).tolist() == GRADES


def test_labels_that_are_not_the_most_frequent_class_are_refused():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 0, 1])
    ours = ID3Classifier("nvi", evaluation="global", labels="all", max_leaf_nodes=2)
    with pytest.warns(UserWarning, match="does not know which cluster"):
        ours.fit(X, y)
    ours.node_labels_ = 1 - ours.tree_.majority
    assert_refuses(ValueError, r"at 2 nodes \(node_labels_\)", ours.to_sklearn)
    ours.node_labels_ = ours.tree_.majority
    np.testing.assert_array_equal(ours.to_sklearn().predict(X), ours.predict(X))


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 10, 100])
def test_text_is_truncated_at_the_depth_of_scikit_learns(max_depth):
    tree = DecisionTreeClassifier().fit(*make_classes(n_samples=200)).tree_
    ours = export_text(tree, max_depth=max_depth).splitlines()
    theirs = sklearn_export_text(tree.to_sklearn(), max_depth=max_depth).splitlines()
    assert [line.count("|") for line in ours] == [line.count("|") - 1 for line in theirs]
    assert [line.split("truncated")[1:] for line in ours] == [line.split("truncated")[1:] for line in theirs]
    assert ["class" in line for line in ours] == ["class" in line for line in theirs]


def test_text_ends_at_depth_10_by_default():
    assert export_text(make_chain(12)).splitlines()[-1] == 11 * "|   " + "truncated branch of depth 2"
    assert "truncated" not in export_text(make_chain(11))
    assert len(export_text(make_chain(100_000))) < 10_000


def test_dict_of_the_first_levels():
    tree = make_chain(3)
    whole, cut = export_dict(tree), export_dict(tree, max_depth=0)
    assert cut["left"] == whole["left"]
    assert cut["right"] == {"n_node_samples": 3, "counts": [1.0, 2.0], "class": 1, "truncated": 3}
    assert export_dict(tree, max_depth=2) == export_dict(tree, max_depth=None) == whole
    top = export_dict(make_chain(100_000), max_depth=3)
    assert json.loads(json.dumps(top))["right"]["right"]["right"]["right"]["truncated"] == 100_000 - 3


@pytest.mark.parametrize("show", [export_text, export_dict, plot_tree])
@pytest.mark.parametrize(
    ("parameter", "wrong"), [("max_depth", [-1, 1.5, "2"]), ("feature_names", ["a", 3]), ("class_names", [iter("ab")])]
)
def test_parameters_of_other_kinds_are_refused(show, parameter, wrong):
    for value in wrong:
        assert_refuses(ValueError, parameter, show, make_stump(), **{parameter: value})


# ----------------------------------------------------------------------------------------------------- what goes away


def test_former_names_of_the_precision_still_work():
    tree = make_stump(threshold=[0.123456, -2, -2], gain=[2 / 3, 0, 0])
    with pytest.warns(FutureWarning, match=r"'decimals' of export_text .* version 0\.4: use precision\.") as caught:
        assert export_text(tree, decimals=2) == export_text(tree, precision=2)
    assert caught[0].filename == __file__
    with pytest.warns(FutureWarning, match="'digits' of export_text"):
        assert export_text(tree, digits=2).startswith("feature_0 <= 0.12 (gain 0.67)")
    with pytest.warns(FutureWarning, match="'digits' of export_text"):
        assert export_text(tree, digits=4) == export_text(tree)


@pytest.mark.parametrize("name", ["digits", "decimals"])
@pytest.mark.parametrize("given", [-1, 2.5, "2", 2**31])
def test_former_names_of_the_precision_take_a_small_whole_number(name, given):
    assert_refuses(ValueError, name, export_text, make_stump(), **{name: given})


def test_leaves_say_why_they_predict_another_class_than_their_most_frequent_one():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array(["bad", "good", "good", "good"])
    costly = OptimalTreeClassifier(max_depth=1, cost_matrix=[[0, 10], [1, 0]]).fit(X, y)
    assert "class bad (least cost) [1, 2]" in export_text(costly)
    assert "class good [0, 1]" in export_text(costly)
    assert "(" not in export_text(costly.tree_).replace("(gain", "")
    assert "cost" not in export_text(OptimalTreeClassifier(max_depth=1).fit(X, y))
    assert export_dict(costly)["left"]["class"] == "bad"
    grades = ["a", "b", "c"]
    X, y = np.zeros((7, 1)), np.array(["a"] * 3 + ["b"] * 2 + ["c"] * 2)
    ordinal = OrdinalDecisionTreeClassifier(classes=grades).fit(X, y)
    assert export_text(ordinal) == "class a [3, 2, 2]"
    for rule in ("median", "expected"):
        ordinal.set_params(predict_rule=rule)
        assert export_text(ordinal) == f"class b ({rule}) [3, 2, 2]"
        assert export_dict(ordinal)["class"] == leaf_rules(ordinal)[0]["prediction"] == ordinal.predict(X[:1])[0] == "b"
    ordinal.set_params(predict_rule="cost", cost_matrix=[[0, 9, 1], [9, 0, 1], [99, 99, 0]])
    assert export_text(ordinal) == "class c (least cost) [3, 2, 2]"
