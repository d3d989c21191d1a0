"""The program that runs scikit-learn's own tests: how files change, which tests are excluded, and a run of one file."""

import ast
from textwrap import dedent

import numpy as np
import pytest
from programs import run_python
from sklearn.base import clone
from support import assert_refuses

from tools.foreign_tests import __main__ as program
from tools.foreign_tests import copies, plugin, stand_ins, stand_ins_with_shares

SOURCE = '''
"""Tests."""
import pytest
from sklearn import tree
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.fixes import CSC_CONTAINERS

CRITERIA = ("gini", "friedman_mse", "poisson")
TREES = {"DecisionTreeClassifier": DecisionTreeClassifier, "ExtraTreeClassifier": ExtraTreeClassifier}
CASES = [("gini", 1), ("poisson", 2), (ExtraTreeClassifier(), 3), *CRITERIA]


def test_one():
    first, second = CASES[:2]
    assert tree.DecisionTreeClassifier and tree.plot_tree
'''


def test_copies_have_our_names_and_no_random_trees():
    text = copies.changed("test_common.py", dedent(SOURCE))
    module = ast.parse(text)
    names = ", ".join(copies.STAND_INS)
    assert f"from tools.foreign_tests.stand_ins import {names}\nCOO_CONTAINERS = CSC_CONTAINERS = " in text
    assert text.index("import CSC_CONTAINERS") < text.index("stand_ins")
    assert "CRITERIA = ('gini',)" in text
    assert "TREES = {'DecisionTreeClassifier': DecisionTreeClassifier}" in text
    assert "CASES = [('gini', 1), *CRITERIA]" in text
    assert "assert DecisionTreeClassifier and tree.plot_tree" in text
    assert "first, second = CASES[:2]" in text
    assert isinstance(module.body[0], ast.Expr)
    assert "stand_ins_with_shares" in copies.changed("test_split.py", dedent(SOURCE))


def test_a_text_that_is_replaced_must_be_there():
    with pytest.raises(ValueError, match=r"test_forest\.py of scikit-learn .* has no text 'dtype == np\.int32'"):
        copies.changed("test_forest.py", dedent(SOURCE))
    for changes in copies.TEXTS.values():
        assert all(before != after and reason for before, after, reason in changes)


def test_exclusions_name_files_and_have_reasons():
    table = plugin.exclusions()
    assert len(set(table)) == len(table) > 40
    for one in table:
        assert one.file in copies.FILES
        assert one.test.startswith("test_")
        assert one.reason.endswith(".")


def test_exclusions_take_tests_by_name_and_words():
    exclusion = plugin.Exclusion("test_a.py", "test_x", ("sparse", "gini"), "A reason.")
    assert exclusion.takes("test_a.py", "test_x[1-sparse-gini]")
    assert not exclusion.takes("test_a.py", "test_x[1-dense-gini]")
    assert not exclusion.takes("test_a.py", "test_xy[sparse-gini]")
    assert not exclusion.takes("test_b.py", "test_x[sparse-gini]")
    assert plugin.Exclusion("test_a.py", "test_x", (), "A reason.").takes("test_a.py", "test_x")


def test_stand_ins_have_the_defaults_of_scikit_learn():
    forest = stand_ins.RandomForestRegressor(3, max_depth=2)
    assert forest.get_params()["max_features"] == 1.0
    assert clone(forest.set_params(max_features=2)).max_features == 2
    assert stand_ins.RandomForestClassifier().get_params()["max_features"] == "sqrt"
    X, y = np.array([[0.1], [0.2], [0.3]]), [0, 1, 1]
    assert stand_ins_with_shares.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_.value.tolist() == [
        [[1 / 3, 2 / 3]],
        [[1.0, 0.0]],
        [[0.0, 1.0]],
    ]
    regressor = stand_ins_with_shares.DecisionTreeRegressor(max_depth=1).fit(X, y)
    assert regressor.tree_.value.shape == (3, 1, 1)
    assert regressor.predict(X).tolist() == [0.0, 1.0, 1.0]


@pytest.mark.skipif(not copies.FILES["test_split.py"].is_file(), reason="scikit-learn has this test from 1.9 on")
def test_scikit_learns_tests_of_splits_pass():
    ran = run_python("-m", "tools.foreign_tests", "test_split.py", "--", "-p", "no:randomly")
    assert ran.returncode == 0, ran.stdout
    assert "7 passed" in ran.stdout
    assert "5 xfailed" in ran.stdout


def test_an_excluded_test_that_passes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setitem(copies.FILES, "test_split.py", tmp_path / "theirs.py")
    (tmp_path / "theirs.py").write_text("import pytest\n\ndef test_split_impurity():\n    pass\n")
    table = [plugin.Exclusion("test_split.py", "test_split_impurity", (), "It cannot pass.")]
    monkeypatch.setattr(plugin, "exclusions", lambda: table)
    copies.write_copies(["test_split.py"], tmp_path)

    class Item:
        path, name, marks = tmp_path / "test_split.py", "test_split_impurity", ()

        def add_marker(self, mark):
            self.marks = (*self.marks, mark)

    item = Item()
    plugin.pytest_collection_modifyitems([item])
    [mark] = item.marks
    assert (mark.name, mark.kwargs) == ("xfail", {"reason": "It cannot pass.", "strict": True})


def test_unknown_files_are_refused(capsys):
    assert_refuses(SystemExit, None, program.main, ["test_none.py"])
    assert "There are no tests test_none.py" in capsys.readouterr().err


def test_options_after_two_dashes_are_for_pytest(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(program, "run", lambda names, options, folder: called.append((names, options)) or 0)
    assert program.main(["test_tree.py", "--", "-k", "prune"]) == 0
    assert program.main([]) == 0
    assert called == [(["test_tree.py"], ["-k", "prune"]), (list(copies.FILES), [])]
