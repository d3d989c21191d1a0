"""Trees as functions in Python and C, as SQL, and as a table: what runs decides as the tree does."""

import ctypes
import enum
import re
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from samples import hostile, make_chain, make_classes, make_stump
from support import assert_refuses, grown

from pytrees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_c,
    export_python,
    export_sql,
    leaf_rules,
)

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="There is no C compiler.")


def python_predictions(source, X):
    """Predict the samples by the function in Python."""
    program = {}
    exec(source, program)
    return [program["predict"](row) for row in np.asarray(X).tolist()]


def sql_predictions(expression, X):
    """Predict the samples by the expression, in SQLite."""
    connection = sqlite3.connect(":memory:")
    names = ", ".join('"' + str(name).replace('"', '""') + '"' for name in X.columns)
    connection.execute(f"CREATE TABLE samples ({names})")
    rows = [[None if pd.isna(value) else value for value in row] for row in X.to_numpy(object).tolist()]
    connection.executemany(f"INSERT INTO samples VALUES ({', '.join('?' * X.shape[1])})", rows)
    return [row[0] for row in connection.execute(f"SELECT {expression} FROM samples ORDER BY rowid")]


@pytest.fixture
def c_predictions(tmp_path):
    def predict(source, X):
        """Predict the samples, which hold codes, by the function in C."""
        number = len(list(tmp_path.iterdir()))
        path, library = tmp_path / f"tree{number}.c", tmp_path / f"tree{number}.so"
        path.write_text(source, encoding="utf-8")
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-O1"]
        subprocess.run([COMPILER, *strict, "-o", library, path], check=True)
        function = ctypes.CDLL(str(library)).predict
        returns_double = "double predict(" in source
        function.restype = ctypes.c_double if returns_double else ctypes.c_int
        return [function(row.ctypes.data_as(ctypes.c_void_p)) for row in np.ascontiguousarray(X, dtype=np.float64)]

    return predict


def samples_of_numbers(with_missing=False):
    X, y = make_classes(n_samples=300, n_features=4)
    rng = np.random.default_rng(1)
    if with_missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    X = pd.DataFrame(X, columns=["age", 'a "quoted" name', "it's; -- %s :x ?", "/* */ ]]> `\ufeff` ??/" + 5000 * "x"])
    new = pd.DataFrame(rng.normal(size=(500, 4)) * 2.0, columns=X.columns)
    if with_missing:
        new[rng.random(new.shape) < 0.2] = np.nan
    return X, y, pd.concat([X, new], ignore_index=True)


def samples_of_words():
    rng = np.random.default_rng(2)
    n = 400
    X = pd.DataFrame(
        {
            "city": rng.choice(["Berlin", "Rome", "Oslo's", 'a"b', "ü", "'; -- */\n", "\ufeffx" + 5000 * "x"], n),
            "size": rng.random(n).round(2),
            "code": rng.choice([1, 4, 9], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "city"] = None
    y = (
        X["city"].isin(["Rome", "ü"]).to_numpy() + (X["size"] > 0.5) + (X["code"] == 4) + rng.integers(0, 2, n)
    ).to_numpy()
    return X, y


def assert_all_decide(tree, X, c_predictions, codes=None):
    """The functions, the expression and the estimator predict the same."""
    wanted = tree.predict(X).tolist()
    assert python_predictions(export_python(tree), X.to_numpy(object)) == wanted
    assert sql_predictions(export_sql(tree), X) == wanted
    if COMPILER is not None:
        found = c_predictions(export_c(tree), X if codes is None else codes)
        assert (found if tree.tree_.is_regressor else tree.classes_[found].tolist()) == wanted


@pytest.mark.parametrize("with_missing", [False, True])
def test_classes_of_numbers(engine, with_missing, c_predictions):
    X, y, rows = samples_of_numbers(with_missing)
    tree = DecisionTreeClassifier(max_depth=5).fit(X, np.array(["one", "it's two", 'thr"ee\n--'])[y])
    assert_all_decide(tree, rows, c_predictions)


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("labels", [[0, 1, 2], [-2.0, 1.0, 1e6], [False, True, True]], ids=repr)
def test_classes_of_other_kinds(labels, with_missing, c_predictions):
    X, y, rows = samples_of_numbers(with_missing)
    assert_all_decide(DecisionTreeClassifier(max_depth=6).fit(X, np.array(labels)[y]), rows, c_predictions)


@pytest.mark.parametrize("with_missing", [False, True])
def test_numbers(engine, with_missing, c_predictions):
    X, y, rows = samples_of_numbers(with_missing)
    y = y + np.random.default_rng(0).normal(size=len(y)) / 3.0
    assert_all_decide(grown(DecisionTreeRegressor(max_depth=6), X, y), rows, c_predictions)


def test_values_that_only_missing_ones_are_divided_from(c_predictions):
    X = pd.DataFrame({"x": [1.0, np.nan, 1.0, np.nan]})
    tree = DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    assert tree.tree_.threshold[0] == np.inf
    assert_all_decide(tree, X, c_predictions)


@pytest.mark.parametrize("split", ["multiway", "subset"])
def test_categories(engine, split, c_predictions):
    X, y = samples_of_words()
    for estimator in (DecisionTreeClassifier, DecisionTreeRegressor):
        tree = estimator(
            categorical_features=["city", "code"], categorical_split=split, max_depth=4, handle_unknown="majority"
        ).fit(X, y.astype(float))
        rows = pd.concat([X, X.assign(city="Paris"), X.assign(code=7)], ignore_index=True)
        assert_all_decide(tree, rows, c_predictions, tree.encode(rows))


def test_comments_in_c_tell_a_missing_category_from_a_word():
    X = pd.DataFrame({"city": ["nan", "Oslo", None, "Oslo"]})
    program = export_c(DecisionTreeClassifier(categorical_features=["city"]).fit(X, [0, 1, 2, 1]))
    assert '// x[0] is 0 for "Oslo", 1 for "nan", 2 for missing.' in program.splitlines()


def test_ordered_categories(c_predictions):
    rng = np.random.default_rng(3)
    sizes = ["small", "mid", "large", "huge"]
    X = pd.DataFrame({"size": pd.Categorical(rng.choice(sizes, 200), sizes, ordered=True), "n": rng.random(200)})
    X.loc[::17, "size"] = None
    y = (X["size"].cat.codes >= 2) + rng.integers(0, 2, 200)
    tree = DecisionTreeClassifier(categorical_features="from_dtype", max_depth=4).fit(X, y)
    assert 0 in tree.tree_.feature
    assert_all_decide(tree, X, c_predictions, tree.encode(X))


def test_trees_of_all_kinds(c_predictions):
    X, y, rows = samples_of_numbers()
    for estimator in (
        PermutationDecisionTreeClassifier(max_depth=4),
        OrdinalDecisionTreeClassifier(predict_rule="median", max_depth=4),
        ID3Classifier(max_leaf_nodes=6),
        C45Classifier(),
    ):
        assert_all_decide(estimator.fit(X, y), rows, c_predictions)


def test_a_tree_alone_takes_codes(c_predictions):
    X, y = samples_of_words()
    tree = DecisionTreeClassifier(categorical_features=["city", "code"], max_depth=3).fit(X, y)
    codes = tree.encode(X)
    of_nodes = [
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "n_node_samples",
        "value",
        "gain",
        "n_features",
    ]
    alone = Tree(**{name: getattr(tree.tree_, name) for name in [*of_nodes, "child_offsets", "children", "category"]})
    wanted = alone.predict(codes).tolist()
    assert python_predictions(export_python(alone), codes) == wanted
    frame = pd.DataFrame(codes, columns=[f"feature_{i}" for i in range(3)])
    assert sql_predictions(export_sql(alone), frame) == wanted
    if COMPILER is not None:
        assert c_predictions(export_c(alone), codes) == wanted


def test_a_single_leaf(c_predictions):
    X = pd.DataFrame({"x": [1.0, 2.0]})
    tree = DecisionTreeClassifier().fit(X, ["a", "a"])
    assert python_predictions(export_python(tree), X) == sql_predictions(export_sql(tree), X) == ["a", "a"]
    assert export_sql(tree) == "'a'"
    assert leaf_rules(tree) == [{"leaf": 0, "path": "", "n_samples": 2, "prediction": "a"}]


def test_missing_values_are_refused_where_the_tree_takes_none():
    tree = make_stump()
    program = {}
    exec(export_python(tree), program)
    for missing in (None, np.nan):
        assert_refuses(ValueError, r"x\[0\] is missing", program["predict"], [missing])
    rows = pd.DataFrame({"feature_0": [0.0, None, 1.0]})
    assert sql_predictions(export_sql(tree), rows) == [0, None, 1]


@needs_compiler
def test_missing_values_in_c_where_the_tree_takes_none(c_predictions):
    assert c_predictions(export_c(make_stump()), [[0.0], [np.nan], [1.0]]) == [0, -1, 1]
    arrays = {"value": [[0.5], [0.25], [0.75]], "weighted_n_node_samples": [2.0, 1.0, 1.0]}
    found = c_predictions(export_c(make_stump(**arrays)), [[0.0], [np.nan], [1.0]])
    np.testing.assert_array_equal(found, [0.25, np.nan, 0.75])


@pytest.mark.parametrize("export", [export_python, export_c, export_sql])
def test_infinite_thresholds_that_no_training_makes_are_refused(export):
    assert_refuses(ValueError, "The threshold of node 0 is -inf", export, make_stump(threshold=[-np.inf, -2.0, -2.0]))


@pytest.mark.parametrize("export", [export_python, export_sql])
def test_classes_and_categories_that_have_no_literal_are_refused(export):
    days = np.array(["2000-01-01", "2000-02-01"], dtype="datetime64[D]")
    tree = ID3Classifier(categorical_features=[0]).fit(pd.DataFrame({"day": days}), [0, 1])
    assert_refuses(ValueError, r"The category datetime.date.* is no word, number or truth value", export, tree)
    names = np.empty(2, dtype=object)
    names[:] = [("a", 1), ("b", 2)]
    with pytest.raises(ValueError, match=r"The class .* is no word, number or truth value.*: pass class_names"):
        export(make_stump(), class_names=names)
    assert_refuses(ValueError, "inf cannot be written", export, make_stump(), class_names=[np.inf, 0.0])


NO_NAMES = ["", "a b", "1a", "return", "x;y", "a\n", "é " * 40]
NO_NAMES_IN_PYTHON = ["None", "__debug__", "__builtins__", "ValueError", "\ufb01t", "\U0001d41a", "a\u2126"]
NO_NAMES_IN_C = ["_Bool", "_tree", "a__b", "bool", "nullptr", "class", "main", "linux", "printf", "expf", "isnan", "é"]


@pytest.mark.parametrize(
    ("export", "name"),
    [(export_python, name) for name in NO_NAMES + NO_NAMES_IN_PYTHON]
    + [(export_c, name) for name in NO_NAMES + NO_NAMES_IN_C]
    + [(export, hostile(str)("x):\n    pass  #")) for export in (export_python, export_c)],
)
def test_names_of_functions(export, name):
    assert_refuses(ValueError, "name must be a name in", export, make_stump(), name=name)
    assert " decide(" in export(make_stump(), name="decide")


@pytest.mark.parametrize("name", ["match", "_", "print", "x", "größe", "年龄"])
def test_allowed_names_of_functions_in_python(name):
    program = {}
    exec(export_python(make_stump(), name=name), program)
    assert program[name]([1.0]) == 1


def test_names_cannot_forge_code(c_predictions):
    name = "a\n    return 7  # \\"
    assert len(export_python(make_stump(), feature_names=[name]).splitlines()) == 7
    for end in ("\\", "??/", "*/ /*", "\u202e"):
        source = export_c(make_stump(), feature_names=[name + end], class_names=[name + end, "b" + end])
        assert len(source.splitlines()) == 11
        if COMPILER is not None:
            assert c_predictions(source, [[0.0], [1.0]]) == [0, 1]


@pytest.mark.parametrize("character", ["\0", "\\", "\ud800", "\u202e", "\u2066"])
def test_characters_that_databases_read_in_different_ways_are_refused(character):
    text = f"a{character}"
    X = pd.DataFrame({"x": pd.Series([text, "b"], dtype=object)})
    for tree, names, said in (
        (make_stump(), {"feature_names": [text]}, "feature .* pass feature_names"),
        (make_stump(), {"class_names": [text, "b"]}, "class .* pass class_names"),
        (DecisionTreeClassifier(categorical_features=["x"]).fit(X, [0, 1]), {}, "category .* rename it before the fit"),
    ):
        assert_refuses(ValueError, f"(?s)The {said}", export_sql, tree, **names)


def test_names_that_differ_by_case_alone_are_refused_in_sql():
    tree = DecisionTreeClassifier().fit(pd.DataFrame({"Age": [0.0, 1.0], "age": 0.0}), ["no", "NO"])
    assert_refuses(ValueError, "feature_names must be different by more than case in SQL, got 'age'", export_sql, tree)
    assert "ELSE 'NO'" in export_sql(tree, feature_names=["a", "b"])  # labels that were learned are values, not names
    with pytest.raises(ValueError, match="class_names must be different by more than case in SQL, got 'NO'"):
        export_sql(make_stump(), class_names=["no", "NO"])


def test_members_of_enums_as_classes_and_categories(c_predictions):
    colours, sizes = enum.StrEnum("Colour", ["red", "blue"]), enum.IntEnum("Size", ["small", "large"])
    X = pd.DataFrame({"size": pd.Series([*sizes] * 4, dtype=object), "x": np.arange(8.0)})
    forged = hostile(str)
    for labels in ([*colours], [forged("red"), forged("blue")]):
        y = np.empty(8, dtype=object)
        y[:] = labels * 4
        tree = DecisionTreeClassifier(categorical_features=["size"]).fit(X, y)
        assert_all_decide(tree, X, c_predictions, tree.encode(X))
        program = {}
        exec(export_python(tree), program)
        assert type(program["predict"]([1, 0.0])) is str


def test_long_chains_need_no_nested_blocks(c_predictions):
    tree, X = make_chain(900), np.arange(901.0)[:, None]
    wanted = tree.predict(X).tolist()
    assert python_predictions(export_python(tree), X) == wanted
    assert sql_predictions(export_sql(tree), pd.DataFrame({"feature_0": X[:, 0]})) == wanted


def leaning(depth):
    """Make a tree whose nodes all are left children."""
    n = 2 * depth + 1
    left, right, feature, threshold = (np.full(n, fill) for fill in (-1, -1, -2, -2.0))
    left[:depth], right[:depth] = np.arange(1, depth + 1), np.arange(2 * depth, depth, -1)
    feature[:depth], threshold[:depth] = 0, np.arange(depth, 0, -1) - 0.5
    value = np.zeros((n, 2))
    value[np.arange(depth, n), np.arange(depth, n) % 2] = 1.0
    value[:depth] = 1.0
    return Tree(left, right, feature, threshold, np.ones(n, dtype=int), value, np.zeros(n), 1)


def test_blocks_are_nested_as_deep_as_languages_promise(c_predictions):
    tree, X = leaning(89), np.arange(100.0)[:, None]
    wanted = tree.predict(X).tolist()
    assert python_predictions(export_python(tree), X) == wanted
    assert sql_predictions(export_sql(tree), pd.DataFrame({"feature_0": X[:, 0]})) == wanted
    if COMPILER is not None:
        assert c_predictions(export_c(tree), X) == wanted
    for export in (export_python, export_c, export_sql):
        assert_refuses(ValueError, "more than 90 blocks inside each other", export, leaning(91))


def holds(test, row):
    """Whether a test of a path holds of a sample, given by the names of its features."""
    name, sign, number = re.fullmatch(r"(.*) (<=|>) (\S+)", test).groups()
    return row[name] <= float(number) if sign == "<=" else row[name] > float(number)


def test_paths_lead_to_the_leaves(engine):
    X, y, _ = samples_of_numbers()
    tree = DecisionTreeClassifier(max_depth=4).fit(X, np.array(["a", "b", "c"])[y])
    rules = leaf_rules(tree)
    assert [rule["leaf"] for rule in rules] == np.flatnonzero(tree.tree_.children_left == -1).tolist()
    leaves, predicted = tree.apply(X), tree.predict(X)
    for rule in rules:
        ends = [all(holds(test, row) for test in rule["path"].split(" and ")) for _, row in X.iterrows()]
        np.testing.assert_array_equal(leaves[ends], rule["leaf"])
        assert sum(ends) == rule["n_samples"] == np.sum(leaves == rule["leaf"])
        assert set(predicted[ends]) == {rule["prediction"]}


def test_leaves_as_a_frame():
    X, y = samples_of_words()
    options = {"categorical_features": ["city", "code"], "categorical_split": "multiway"}
    tree = DecisionTreeRegressor(max_depth=2, **options).fit(X, y)
    frame = leaf_rules(tree, as_frame=True)
    assert frame.to_dict("records") == leaf_rules(tree)
    assert frame["n_samples"].sum() == len(X)
    assert frame["prediction"].dtype == np.float64
    assert frame["path"].str.contains("city is missing").any()


def test_leaves_need_pandas_only_for_frames(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    assert len(leaf_rules(make_stump())) == 2
    assert_refuses(ImportError, "as_frame=True needs pandas", leaf_rules, make_stump(), as_frame=True)
