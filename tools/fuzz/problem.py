"""The names of a case stand for these: X, labels, weights, and models that are fitted to them or to a tame table."""

import inspect
import warnings
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor

import pytrees
from pytrees import config_context
from pytrees.fourier import ModelStream, additive_model, distil, merge

from .parameters import ESTIMATORS, make
from .surface import public_names
from .values import GROUPS, ORDERS, WEIGHTS, features, for_each_sample, labels

# Both engines compute averages of the Fourier algebra to this tolerance; everything else must be equal.
_CLOSE = 1e-9

# The values of every feature of the tame table, and its fewest rows.
N_VALUES = 3
_FEWEST_ROWS = 6

_FOR_EACH_SAMPLE = {"sample_weight": (WEIGHTS, "weights"), "order": (ORDERS, "order"), "groups": (GROUPS, "groups")}


def takes(subject, argument):
    """Whether an estimator's `fit` takes an argument; functions take none of them."""
    return subject in ESTIMATORS and argument in inspect.signature(public_names()[subject].fit).parameters


def is_fourier(subject):
    """Whether a subject belongs to the Fourier algebra, which the reference computes slowly."""
    return subject.startswith("dask.") or hasattr(pytrees.fourier, subject.removeprefix("fourier.").partition(".")[0])


def quietly(function, *arguments):
    """Call a function of the harness; warnings of what it makes are no defects of the library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


class Problem:
    """A case, made of what its names stand for.

    Parameters
    ----------
    case : dict
        As `recipes.cases` draws it.
    """

    def __init__(self, case):
        self.case = case
        self.n, self.d, self.seed = case["n"], case["d"], case["seed"]
        self.closeness = _CLOSE if is_fourier(case["subject"]) else 0.0

    def X(self, which="X"):
        """Return X, or what to predict."""
        return quietly(partial(features, **self.case[which], n=self.n, d=self.d, seed=self.seed))

    def y(self, kind=None, seed=0):
        """Return labels, of the case's kind if none is given."""
        return quietly(labels, kind or self.case["y"], self.case["n_classes"], self.n, self.seed + seed)

    def rng(self):
        """Return a generator of numbers that every call starts anew."""
        return np.random.default_rng(self.seed)

    def grid(self):
        """Return a tame table of a few values, to which tame models are fitted."""
        return self.rng().integers(0, N_VALUES, (max(self.n, _FEWEST_ROWS), self.d)).astype(np.float64)

    def codes(self):
        """Return classes of the tame table: at least two."""
        codes = np.random.default_rng(self.seed + 1).integers(0, max(self.case["n_classes"], 2), len(self.grid()))
        codes[:2] = 0, 1
        return codes

    def model(self, name):
        """Return a model of `MODELS`."""
        with config_context(engine="compiled"):
            return quietly(MODELS[name], self)

    def arguments(self):
        """Return the arguments of an estimator's `fit`."""
        arguments = {"X": self.X(), "y": self.y()}
        for name, (table, kind) in _FOR_EACH_SAMPLE.items():
            if takes(self.case["subject"], name):
                given = quietly(for_each_sample, table, self.case[kind], self.n, self.seed)
                arguments |= {name: given[0]} if given else {}
        return arguments

    def estimator(self):
        """Return the case's estimator, not fitted."""
        return make(self.case["subject"], self.case["parameters"])


# -------------------------------------------------------------------------------------------------------------- models


def _fitted(estimator):
    return lambda problem: estimator().fit(problem.grid(), problem.codes())


def _fitted_to_numbers(estimator):
    return lambda problem: estimator().fit(problem.grid(), problem.codes() / 10)


def _with_missing(problem):
    X = problem.grid()
    X[:: _FEWEST_ROWS // 2, 0] = np.nan
    return pytrees.DecisionTreeClassifier().fit(X, problem.codes())


def _named(problem):
    X = pd.DataFrame(problem.grid(), columns=[f"$x_{m} <\n" for m in range(problem.d)])
    return pytrees.DecisionTreeClassifier().fit(X, np.array(["one\n", "$two_{$"], dtype=object)[problem.codes() % 2])


def _stream(problem):
    stream = ModelStream(pytrees.DecisionTreeClassifier(max_depth=2), problem.grid(), half_life=2)
    return stream.update(problem.grid(), problem.codes()).update(problem.grid()[::-1], problem.codes())


_tree = partial(pytrees.DecisionTreeClassifier, max_depth=4)
_tree_of_numbers = partial(pytrees.DecisionTreeRegressor, max_depth=3)
_forest = partial(pytrees.DecisionForestClassifier, 3, max_depth=3, random_state=0)
_by_category = partial(pytrees.DecisionTreeClassifier, max_depth=3, categorical_features=[0])

# Models by name, each a function of a problem. The tamest is first.
MODELS = {
    "a tree": _fitted(_tree),
    "a Tree": lambda problem: _fitted(_tree)(problem).tree_,
    "a leaf": _fitted(partial(pytrees.DecisionTreeClassifier, min_samples_split=10**6)),
    "a tree of categories": _fitted(_by_category),
    "a tree of sets": _fitted(partial(_by_category, categorical_split="subset")),
    "a tree that saw NaN": _with_missing,
    "a tree with names": _named,
    "a permutation tree": _fitted(partial(pytrees.PermutationDecisionTreeClassifier, max_depth=3)),
    "an ordinal tree": _fitted(partial(pytrees.OrdinalDecisionTreeClassifier, max_depth=3)),
    "an ID3 tree": _fitted(partial(pytrees.ID3Classifier, evaluation="global", max_leaf_nodes=4)),
    "a C4.5 tree": _fitted(pytrees.C45Classifier),
    "a best tree": _fitted(partial(pytrees.OptimalTreeClassifier, max_depth=2, cost_matrix="absolute")),
    "a rebuilt tree": _fitted(partial(pytrees.ReconstructedFourierTree, max_leaf_nodes=4)),
    "a forest": _fitted(_forest),
    "an ordinal forest": _fitted(partial(pytrees.OrdinalDecisionForestClassifier, 2, max_depth=2, random_state=0)),
    "an aggregated tree": _fitted(partial(pytrees.AggregatedFourierTreeClassifier, n_estimators=2, random_state=0)),
    "orthogonal trees": _fitted(partial(pytrees.OrthogonalTreesClassifier, n_estimators=2, random_state=0)),
    "distilled trees": _fitted(partial(pytrees.DistilledTreesClassifier, _forest(), max_leaf_nodes=4)),
    "scikit-learn's tree": _fitted(partial(SklearnTree, max_depth=3, random_state=0)),
    "scikit-learn's forest": _fitted(partial(RandomForestClassifier, 2, max_depth=2, random_state=0)),
    "bagged trees": _fitted(partial(BaggingClassifier, SklearnTree(max_depth=2), n_estimators=2, random_state=0)),
    "boosted trees": _fitted(partial(GradientBoostingClassifier, n_estimators=2, max_depth=2, random_state=0)),
    "scikit-learn's regression tree": _fitted_to_numbers(partial(DecisionTreeRegressor, max_depth=3, random_state=0)),
    "a tree of numbers": _fitted_to_numbers(_tree_of_numbers),
    "a Tree of numbers": lambda problem: _fitted_to_numbers(_tree_of_numbers)(problem).tree_,
    "a tree of numbers by category": _fitted_to_numbers(partial(_tree_of_numbers, categorical_features=[0])),
    "a forest of numbers": _fitted_to_numbers(partial(pytrees.DecisionForestRegressor, 2, max_depth=3, random_state=0)),
    "distilled trees of numbers": _fitted_to_numbers(
        partial(pytrees.DistilledTreesRegressor, pytrees.DecisionForestRegressor(2, max_depth=3), max_leaf_nodes=4)
    ),
    "an additive model": lambda problem: additive_model(_fitted(_forest)(problem)),
    "a merged model": lambda problem: merge([_fitted(_tree)(problem), _fitted(_forest)(problem)]),
    "a distilled model": lambda problem: distil(_fitted(_forest)(problem), problem.grid(), max_leaf_nodes=4),
    "a stream": _stream,
    "a spectrum": lambda problem: pytrees.FourierSpectrum.from_tree(_fitted(_tree)(problem), [N_VALUES] * problem.d),
    "no tree": _fitted(DummyClassifier),
    "a regression": _fitted(LinearRegression),
    "not fitted": lambda problem: pytrees.DecisionTreeClassifier(),
    "a class": lambda problem: pytrees.DecisionTreeClassifier,
    "None": lambda problem: None,
    "a word": lambda problem: "tree",
    "a dict": lambda problem: {"tree_": None},
}


# ------------------------------------------------------------------------------------------- what nothing may write to


def frozen(given):
    """Return the content of the input as text and bytes, to show that nothing writes to it."""
    if isinstance(given, dict):
        return [(name, frozen(value)) for name, value in given.items()]
    if isinstance(given, (list, tuple)):
        return [frozen(value) for value in given]
    if isinstance(given, np.ndarray):
        return given.dtype, given.shape, given.tolist().__repr__()
    if sparse.issparse(given):
        return frozen(given.toarray())
    if isinstance(given, (pd.DataFrame, pd.Series, pd.Categorical)):
        return frozen(pd.DataFrame(given).to_dict("split"))
    if isinstance(given, pytrees.Tree):
        return frozen(given.__reduce__()[1])
    if isinstance(given, BaseEstimator):
        return frozen({name: value for name, value in vars(given).items() if not name.startswith("_")})
    return type(given) if isinstance(given, Artist) else repr(given)  # who draws on axes writes to them
