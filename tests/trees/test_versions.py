"""Pickled estimators know the version that they were fitted with, and warn if another version loads them."""

import pickle

import numpy as np
import pytest
from estimators import ESTIMATORS
from samples import make_classes
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning

from pytrees import DecisionTreeClassifier
from pytrees.trees import base


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_pickles_of_other_versions_warn(estimator, monkeypatch):
    X, y = make_classes(n_samples=40)
    fitted = clone(estimator).fit(X, y)
    content = pickle.dumps(fitted)
    assert np.array_equal(pickle.loads(content).predict(X), fitted.predict(X))
    monkeypatch.setattr(base, "__version__", "7.0")
    with pytest.warns(InconsistentVersionWarning, match="of pytrees when using version 7.0 of pytrees") as seen:
        again = pickle.loads(content)
    assert f"unpickle estimator {type(estimator).__name__} " in str(seen[-1].message)
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert vars(again).keys() == vars(fitted).keys()


def test_pickles_without_a_version_warn():
    state = DecisionTreeClassifier().__getstate__()
    del state["_pytrees_version"]
    with pytest.warns(InconsistentVersionWarning, match=r"from version before 0\.1\.0 of pytrees"):
        DecisionTreeClassifier().__setstate__(state)
