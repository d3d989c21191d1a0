"""Trees in the language of Graphviz: the text of scikit-learn's."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from samples import make_chain, make_classes, make_stump
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from sklearn.tree import export_graphviz as sklearn_export_graphviz
from support import assert_refuses

from pytrees import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier, export_graphviz, from_sklearn


@pytest.fixture(params=["gini", "squared_error", "absolute_error"])
def fitted(engine, request):
    X, y = make_classes(n_samples=40)
    X = pd.DataFrame(np.round(X, 1).astype(np.float32), columns=["a", "b", "c"])
    if request.param == "gini":
        return DecisionTreeClassifier(max_depth=3).fit(X, np.array(["x", "y", "z"])[y])
    return DecisionTreeRegressor(request.param, max_depth=3).fit(X, np.sqrt(y + np.abs(X["a"]), dtype=np.float64))


def lines_of(text):
    """Return the nodes and edges, with whole counts as whole numbers, and without the colours."""
    lines = text.replace("\n,", ",").splitlines()
    lines = [re.sub(r', fillcolor="#\w+"', "", line) for line in lines if re.match(r"\d+ ", line)]
    whole = [re.sub(r"value = \[.*?\]", lambda found: re.sub(r"\.0\b", "", found[0]), line) for line in lines]
    return sorted(re.sub(r"\s+", " ", line.replace(r"\n", " ")) for line in whole)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_depth": 0},
        {"max_depth": 1, "filled": True},
        {"node_ids": True, "precision": 5},
        {"proportion": True, "rotate": True},
        {"impurity": False, "filled": True},
    ],
    ids=repr,
)
def test_text_equals_scikit_learns(fitted, options):
    ours = export_graphviz(fitted, **options)
    names = {"feature_names": ["a", "b", "c"], "class_names": None if fitted.tree_.is_regressor else ["x", "y", "z"]}
    theirs = sklearn_export_graphviz(fitted.to_sklearn(), **names, **options)
    assert lines_of(ours) == lines_of(theirs)
    assert ("rankdir=LR" in ours) == ("rankdir=LR" in theirs)
    assert ours.count("fillcolor") == theirs.count("fillcolor")
    assert ours.count("{") == ours.count("}") == 1


def test_categories_stand_at_edges(engine):
    X = pd.DataFrame({"sky": ["sun", "rain", 'a "cloud"\\', "sun"]})
    tree = DecisionTreeClassifier(categorical_features=["sky"], categorical_split="multiway")
    tree.fit(X, ["go", "stay", "stay", "go"])
    lines = export_graphviz(tree, impurity=False).splitlines()
    assert lines[3:] == [
        r'0 [label="sky\nsamples = 4\nvalue = [2, 2]\nclass = go"] ;',
        r'1 [label="samples = 1\nvalue = [0, 1]\nclass = stay"] ;',
        r'2 [label="samples = 1\nvalue = [0, 1]\nclass = stay"] ;',
        r'3 [label="samples = 2\nvalue = [2, 0]\nclass = go"] ;',
        r'0 -> 1 [label="a \"cloud\"\\"] ;',
        r'0 -> 2 [label="rain"] ;',
        r'0 -> 3 [label="sun"] ;',
        "}",
    ]


def test_nodes_show_the_side_of_missing_values():
    X, y = [[1.0], [2.0], [3.0], [np.nan]], ["a", "b", "c", "a"]
    text = export_graphviz(DecisionTreeClassifier().fit(X, y), impurity=False)
    assert r'0 [label="feature_0 <= 1.5\nmissing: left\nsamples = 4' in text
    text = export_graphviz(DecisionTreeClassifier().fit([[1.0], [np.nan]], ["a", "b"]), impurity=False)
    assert r'0 [label="feature_0 not missing\nsamples = 2' in text
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(pd.DataFrame({"sky": ["sun", None]}), ["a", "b"])
    assert '0 -> 2 [label="missing"] ;' in export_graphviz(tree)


def test_names_weights_and_labels():
    tree = make_stump(value=[[12, 1.5], [12, 0], [0, 1.5]])
    text = export_graphviz(tree, feature_names=["age"], class_names=["no", "yes"])
    assert r'0 [label="age <= 0.5\nsamples = 2\nvalue = [12.0, 1.5]\nclass = no"] ;' in text
    assert r"value = [12, 0]\nclass = no" in text
    assert "gini" not in text
    fitted = ID3Classifier().fit([[1.0], [2.0]], ["a", "b"])
    fitted.node_labels_ = 1 - fitted.tree_.majority
    assert r"value = [1, 0]\nclass = b" in export_graphviz(fitted)


def test_an_impurity_without_a_name_is_shown():
    theirs = SklearnRegressor(criterion="poisson", max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    with pytest.warns(UserWarning, match="no criterion='poisson'"):
        ours = from_sklearn(theirs)
    assert r"\nimpurity = " in export_graphviz(ours)


def test_huge_weights_are_written_as_they_are():
    for weight, written in ((2.0**62, 2**62), (2.0**63, "9.223372036854776e+18"), (1e300, "1e+300")):
        tree = make_stump(value=[[weight, weight], [weight, 0], [0, weight]])
        assert f"value = [{written}, {written}]" in export_graphviz(tree)
    assert "value = [1e+308, 0.333]" in export_graphviz(make_stump(value=[[1e308, 1 / 3], [1e308, 0], [0, 1 / 3]]))


def test_names_are_written_literally():
    name = 'a"\\N&lt;b\n1 [label="forged"] ;\r\x1b\u2028\ud800 é\u200d&'
    text = export_graphviz(make_stump(), feature_names=[name], class_names=[name, "b"])
    assert len(text.splitlines()) == len(export_graphviz(make_stump()).splitlines())
    quoted = r"a\"\\N&amp;lt;b\\n1 [label=\"forged\"] ;\\r\\x1b\\u2028\\ud800 é" + "\u200d&"
    assert f'0 [label="{quoted} <= 0.5\\n' in text
    assert f'class = {quoted}"' in text


def test_written_to_files(tmp_path, fitted):
    text, file = export_graphviz(fitted), io.StringIO()
    assert export_graphviz(fitted, file) is None
    assert file.getvalue() == text
    for path in (tmp_path / "one.dot", str(tmp_path / "two.dot")):
        assert export_graphviz(fitted, path) is None
    assert (tmp_path / "one.dot").read_text() == (tmp_path / "two.dot").read_text() == text


def test_the_first_levels_of_a_deep_tree():
    assert len(export_graphviz(make_chain(50_000), max_depth=1).splitlines()) == 3 + 5 + 4 + 1
    assert len(export_graphviz(make_chain(3000)).splitlines()) == 3 + 6001 + 6000 + 1


def test_wrong_parameters_are_refused():
    assert_refuses(TypeError, "A Tree or a fitted tree estimator", export_graphviz, 3)
    assert_refuses(NotFittedError, None, export_graphviz, DecisionTreeClassifier())
    for name, value in (("precision", -1), ("filled", "yes"), ("max_depth", 1.5), ("out_file", 3)):
        assert_refuses(ValueError, name, export_graphviz, make_stump(), **{name: value})
