"""The page about scikit-learn's parameters and attributes: whether it names all of them, and is right."""

import inspect
import re
from pathlib import Path

import pytest
from samples import make_classes
from sklearn.base import is_classifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier as SklearnDecisionTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnDecisionTreeRegressor

from pytrees import DecisionForestClassifier, DecisionForestRegressor, DecisionTreeClassifier, DecisionTreeRegressor

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "scikit-learn.md"
PAIRS = [
    (SklearnDecisionTreeClassifier, DecisionTreeClassifier),
    (RandomForestClassifier, DecisionForestClassifier),
    (ExtraTreesClassifier, DecisionForestClassifier),
    (SklearnDecisionTreeRegressor, DecisionTreeRegressor),
    (RandomForestRegressor, DecisionForestRegressor),
]
# Parameters whose default is another one here.
OTHER_DEFAULTS = {(ExtraTreesClassifier, "bootstrap"), (RandomForestRegressor, "max_features")}
KINDS = {"all", "tree", "forests", "classifiers", "regressors", "classification forests", "regression forests"}


def table(heading, estimator):
    """Return what the table under a heading says of every name of scikit-learn's estimator: what there is here."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.*) \|$", section, re.MULTILINE)
    assert {of for _, of, _ in rows} <= KINDS
    found = [(name, here) for name, of, here in rows if of in kinds_of(estimator)]
    assert len(dict(found)) == len(found)
    return dict(found)


def kinds_of(estimator):
    kind, task = ("classifiers", "classification") if is_classifier(estimator()) else ("regressors", "regression")
    own = {"forests", f"{task} forests"} if hasattr(estimator, "estimators_samples_") else {"tree"}
    return {"all", kind, *own}


def attributes_of(estimator):
    """Return the attributes that scikit-learn documents."""
    documented = inspect.getdoc(estimator).split("Attributes\n")[1].split("See Also")[0]
    return re.findall(r"^(\w+_) :", documented, re.MULTILINE)


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_parameter_is_there_or_on_the_page(theirs, ours):
    parameters, known, there = inspect.signature(theirs).parameters, table("Parameters", theirs), ours().get_params()
    assert [name for name in parameters if name not in known] == []
    assert [name for name in known if name not in parameters] == []
    for name in parameters:
        here = known[name]
        assert here.startswith("Yes") == (name in there), name
        if here.startswith("Yes"):
            assert (there[name] == parameters[name].default) == ((theirs, name) not in OTHER_DEFAULTS), name


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_attribute_is_there_or_on_the_page(theirs, ours):
    X, y = make_classes()
    fitted = ours(**({"oob_score": True} if "oob_score" in ours().get_params() else {}))
    fitted.fit(X, y)
    known = table("Attributes", theirs)
    attributes = attributes_of(theirs)
    assert len(attributes) > (7 if is_classifier(theirs()) else 5)
    for name in attributes:
        here = known[name]
        assert here.startswith("Yes") == (hasattr(fitted, name) or name == "feature_names_in_"), name


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_every_method_is_there(theirs, ours):
    methods = [name for name, _ in inspect.getmembers(theirs, inspect.isfunction) if not name.startswith("_")]
    assert len(methods) > 8
    assert [name for name in methods if not hasattr(ours, name)] == []


def test_arrays_of_fitted_trees_are_there():
    section = PAGE.read_text(encoding="utf-8").split("## The fitted tree\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    there, missing = (set(re.findall(r"`(\w+)`", row.split(" | ")[0])) for row in rows[1:4:2])
    X, y = make_classes()
    ours, theirs = DecisionTreeClassifier().fit(X, y).tree_, SklearnDecisionTreeClassifier().fit(X, y).tree_
    assert "impurity" in there
    for name in there | missing:
        assert hasattr(theirs, name), name
        assert hasattr(ours, name) == (name in there), name
