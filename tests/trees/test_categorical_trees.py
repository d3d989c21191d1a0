"""Trees of categorical features that papers print, or that follow from the definition."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from support import examples, on_both_engines

from pytrees import DecisionTreeClassifier, ID3Classifier, datasets

# R. Quinlan, "Induction of Decision Trees", Machine Learning 1, 1986, Table 1: outlook, temperature, humidity, windy.
WEATHER = """
    sunny hot high false N, sunny hot high true N, overcast hot high false P, rain mild high false P,
    rain cool normal false P, rain cool normal true N, overcast cool normal true P, sunny mild high false N,
    sunny cool normal false P, rain mild normal false P, sunny mild normal true P, overcast mild high true P,
    overcast hot normal false P, rain mild high true N
"""


def load_weather():
    rows = [row.split() for row in WEATHER.split(",")]
    frame = pd.DataFrame(rows, columns=["outlook", "temperature", "humidity", "windy", "class"])
    return frame.drop(columns="class"), frame["class"].to_numpy(dtype=object)


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier("entropy", categorical_split="multiway"), ID3Classifier()], ids=repr
)
def test_tree_of_saturday_mornings(engine, estimator):
    """Fig. 2 of Quinlan's paper, and the gains in bits that its Section 4 prints for the root."""
    X, y = load_weather()
    fitted = clone(estimator).set_params(categorical_features=list(X)).fit(X, y)
    tree, (outlook, _, humidity, windy) = fitted.tree_, fitted.categories_
    assert (outlook.tolist(), humidity.tolist()) == (["overcast", "rain", "sunny"], ["high", "normal"])
    assert windy.tolist() == ["false", "true"]
    overcast, rain, sunny = tree.children_of(0).tolist()
    assert tree.feature[[0, overcast, rain, sunny]].tolist() == [0, -2, 3, 2]
    assert tree.category[[overcast, rain, sunny]].tolist() == [0, 1, 2]
    predicted = fitted.classes_[tree.majority]
    assert predicted[overcast] == "P"
    assert predicted[tree.children_of(rain)].tolist() == ["P", "N"]
    assert predicted[tree.children_of(sunny)].tolist() == ["N", "P"]
    assert (tree.node_count, tree.n_leaves, fitted.score(X, y)) == (8, 5, 1.0)
    stump = clone(estimator).set_params(categorical_features=[0], max_depth=1)
    gains = [clone(stump).fit(X[[name]], y).tree_.gain[0] for name in X]
    assert gains == pytest.approx([0.246, 0.029, 0.151, 0.048], abs=1e-3)


# J. Cendrowska, "PRISM: An algorithm for inducing modular rules", 1987, Table 1: the classes in the order of the rows.
LENSES = """
    none soft none hard none soft none hard none soft none hard none soft none none none none none hard none soft none
    none
"""
AGES = ["young", "pre-presbyopic", "presbyopic"]


def load_lenses():
    values = AGES, ["myope", "hypermetrope"], ["no", "yes"], ["reduced", "normal"]
    rows = np.array(np.meshgrid(*values, indexing="ij"), dtype=object).reshape(4, -1).T
    return pd.DataFrame(rows, columns=["age", "prescription", "astigmatic", "tears"]), np.array(LENSES.split())


def test_the_tree_of_contact_lenses(engine):
    """The tree of ID3, as in Fig. 1.2 of Witten and Frank, "Data Mining", without pruning."""
    X, y = load_lenses()
    fitted = DecisionTreeClassifier("entropy", categorical_features=[0, 1, 2, 3], categorical_split="multiway").fit(
        X, y
    )
    tree = fitted.tree_
    names = np.where(tree.feature >= 0, X.columns.to_numpy()[tree.feature], fitted.classes_[tree.majority])
    assert names.tolist() == [
        "tears",
        *("astigmatic", "age", "soft", "prescription", "soft", "none", "soft"),
        *("prescription", "age", "none", "none", "hard", "hard"),
        "none",
    ]
    assert fitted.score(X, y) == 1.0


def majority_of(rows):
    """The most frequent class, the lowest of several."""
    return min(set(rows), key=lambda label: (-list(rows).count(label), label))


def naive_predictions(X, y, rows):
    """For other rows the class that a tree by Gini impurity predicts, from the definition, in fractions."""

    def impurity(labels):
        return 1 - sum(Fraction(int(labels.count(label)), len(labels)) ** 2 for label in set(labels))

    def predict(here, row):
        labels = [y[i] for i in here]
        parts = []
        for feature in range(len(X[0])):
            values = {value: [i for i in here if X[i][feature] == value] for value in {X[i][feature] for i in here}}
            if len(values) > 1:
                gain = impurity(labels) - sum(
                    Fraction(len(part), len(here)) * impurity([y[i] for i in part]) for part in values.values()
                )
                parts.append((gain, -feature, values))
        if len(set(labels)) == 1 or not parts:
            return majority_of(labels)
        _, feature, values = max(parts, key=lambda part: part[:2])
        child = values.get(row[-feature])
        return majority_of(labels) if child is None else predict(child, row)

    return [predict(range(len(X)), row) for row in rows]


def tables(n_rows, n_features, values):
    row = st.lists(st.sampled_from(values), min_size=n_features, max_size=n_features)
    return st.lists(row, min_size=n_rows, max_size=n_rows)


@given(st.data())
@examples(40)
def test_predictions_follow_the_definition(data):
    n_rows, n_features = data.draw(st.integers(1, 14)), data.draw(st.integers(1, 3))
    X, others = data.draw(tables(n_rows, n_features, "abc")), data.draw(tables(4, n_features, "abcd"))
    y = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    expected = naive_predictions(X, y, others)
    options = {"categorical_features": range(n_features), "handle_unknown": "majority"}
    estimator = DecisionTreeClassifier(categorical_split="multiway", **options)
    for predicted in on_both_engines(lambda: clone(estimator).fit(X, y).predict(others).tolist()):
        assert predicted == expected


@pytest.mark.parametrize("name", ["car", "house_votes_84", "monks1", "contact_lenses", "spect"])
def test_trees_of_real_categorical_tables(name):
    try:
        table = datasets.load(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    X, y = np.asarray(table.data).astype(str).astype(object), np.asarray(table.target)
    compiled, reference = on_both_engines(DecisionTreeClassifier(categorical_features=range(X.shape[1])).fit, X, y)
    assert compiled.tree_ == reference.tree_
    equal_rows = pd.DataFrame(X).groupby(list(range(X.shape[1])), sort=False).ngroup().to_numpy()
    best = sum(pd.Series(y)[equal_rows == group].value_counts().iloc[0] for group in np.unique(equal_rows))
    assert (compiled.predict(X) == y).sum() == best
