"""The page about scikit-learn's parameters and attributes: whether it names all of them, and is right."""

import inspect
import re
from pathlib import Path

import pytest
from samples import make_classes
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier

from pytrees import DecisionForestClassifier, DecisionTreeClassifier

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "scikit-learn.md"
PAIRS = [
    (SklearnDecisionTreeClassifier, DecisionTreeClassifier),
    (RandomForestClassifier, DecisionForestClassifier),
    (ExtraTreesClassifier, DecisionForestClassifier),
]


def table(heading):
    """Return what the table under a heading says of every name: of which estimators, and what there is here."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", section, re.MULTILINE)
    assert len({name for name, _, _ in rows}) == len(rows)
    return {name: (of, here) for name, of, here in rows}


def is_of(estimator, of):
    return of in ("all", "tree" if estimator is SklearnDecisionTreeClassifier else "forests")


def attributes_of(estimator):
    """Return the attributes that scikit-learn documents."""
    documented = inspect.getdoc(estimator).split("Attributes\n")[1].split("See Also")[0]
    return re.findall(r"^(\w+_) :", documented, re.MULTILINE)


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_parameter_is_there_or_on_the_page(theirs, ours):
    parameters, known, there = inspect.signature(theirs).parameters, table("Parameters"), ours().get_params()
    assert [name for name in parameters if name not in known and name not in there] == []
    assert [name for name in parameters if name not in known] == []
    for name in parameters:
        of, here = known[name]
        assert is_of(theirs, of), name
        assert here.startswith("Yes") == (name in there), name
        if here.startswith("Yes") and name in parameters and name != "bootstrap":
            assert there[name] == parameters[name].default, name
    assert [name for name, (of, _) in known.items() if is_of(theirs, of) and name not in parameters] == []


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_attribute_is_there_or_on_the_page(theirs, ours):
    X, y = make_classes()
    fitted = ours(**({"oob_score": True} if ours is DecisionForestClassifier else {}))
    fitted.fit(X, y)
    known = table("Attributes")
    attributes = attributes_of(theirs)
    assert len(attributes) > 7
    for name in attributes:
        of, here = known[name]
        assert is_of(theirs, of), name
        assert here.startswith("Yes") == (hasattr(fitted, name) or name == "feature_names_in_"), name


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_method_is_there(theirs, ours):
    methods = [name for name, _ in inspect.getmembers(theirs, inspect.isfunction) if not name.startswith("_")]
    assert len(methods) > 8
    assert [name for name in methods if not hasattr(ours, name)] == []


def test_arrays_of_fitted_trees_are_there():
    section = PAGE.read_text(encoding="utf-8").split("## The fitted tree\n")[1].split("\n## ")[0]
    there, missing = (set(re.findall(r"`(\w+)`", line.split(" | ")[0])) for line in section.splitlines()[3::2][:2])
    X, y = make_classes()
    ours, theirs = DecisionTreeClassifier().fit(X, y).tree_, SklearnDecisionTreeClassifier().fit(X, y).tree_
    assert "impurity" in there
    for name in there | missing:
        assert hasattr(theirs, name), name
        assert hasattr(ours, name) == (name in there), name
