"""Tell what happens in a case, and whether that is a defect.

A defect is: an error that neither the library nor scikit-learn raises by itself with a message, a warning from inside,
a fitted estimator that a failed fit changes, input that is written to, and engines that do not do the same. Crashes and
hangs end the process; `worker` sees to these.
"""

import contextlib
import inspect
import io
import json
import linecache
import os
import pickle
import re
import traceback
import warnings
from itertools import repeat
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

import pytrees
from pytrees import config_context
from pytrees.distances import clustering_distance
from pytrees.metrics import ranked_probability_score

from .parameters import ESTIMATORS, make
from .tampered import tamper
from .values import ORDERS, WEIGHTS, features, for_each_sample, labels

ROOT = Path(__file__).parents[2]
ENGINES = ("compiled", "reference")

# Functions that may raise errors on the library's behalf, which say what is wrong with a user's input.
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("sklearn", "joblib"))
_OURS = tuple(f"{name}{os.sep}" for name in ("pytrees", "reference"))

_MOST_NODES_FOR_A_SPECTRUM = 60

_ATTRIBUTES = ("distance_path_", "is_consistent_", "oob_decision_function_")

# Both engines compute averages of the Fourier algebra to this tolerance; everything else must be equal.
_CLOSE = 1e-9


class Defect(Exception):
    """Something that must not happen; its first argument is a short name that is equal for all cases of one defect."""


# ---------------------------------------------------------------------------------------------------- errors and values


def place_of(error):
    """Return where an error comes from, and whether the library or scikit-learn raised it deliberately.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    place : str
        File and function of the innermost call that is the library's or scikit-learn's.
    deliberate : bool
        Whether that call raised it by a statement, or scikit-learn's checks did.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place, deliberate = "nowhere", False
    for number, frame in enumerate(frames):
        path = os.path.relpath(frame.filename, ROOT) if os.path.isabs(frame.filename) else frame.filename
        if any(library in frame.filename for library in _LIBRARIES):
            place, deliberate = f"{Path(path).name}: {frame.name}", True
        elif path.startswith(_OURS):
            line = linecache.getline(str(ROOT / path), frame.lineno).strip()
            place, deliberate = f"{path}: {frame.name}", line.startswith("raise") and number == len(frames) - 1
    return place, deliberate


def checked(error, step):
    """Return the message of an error that users may get; raise a Defect for any other error."""
    name = type(error).__name__
    place, deliberate = place_of(error)
    if isinstance(error, Warning):
        raise Defect(f"warning {name}: {str(error)[:60]} at {place}", step) from error
    if isinstance(error, MemoryError) and str(error):
        return name, "no memory"
    if step in _ATTRIBUTES and isinstance(error, AttributeError) and deliberate:
        return name, str(error)  # as scikit-learn has it where an attribute is not there for all parameters
    if not (isinstance(error, (ValueError, TypeError)) and deliberate and str(error)):
        raise Defect(f"{name} at {place}", f"in {step}: {str(error)[:200]}") from error
    return name, str(error)


def attempt(step, function):
    """Call a function; return its result, or the message of its error, without addresses in memory."""
    try:
        found = function()
    except Exception as error:
        name, told = checked(error, step)
        return "error", name, _without_addresses(told)
    return "value", _without_addresses(found) if isinstance(found, str) else found


def _without_addresses(text):
    return re.sub(r"0x[0-9a-fA-F]+", "0x", text)


def same(one, other, closeness=0.0):
    """Whether two results are equal, kinds of arrays included; NaN equals NaN, floats may differ a little."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], closeness) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other, repeat(closeness)))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        kinds = {array.dtype.newbyteorder("=") for array in (one, other)}
        return one.shape == other.shape and len(kinds) == 1 and same(one.tolist(), other.tolist(), closeness)
    if closeness and isinstance(one, float) and isinstance(other, float) and np.isfinite(one):
        return bool(abs(one - other) <= closeness * max(1.0, abs(one)))
    return bool(one == other) or bool(one != one and other != other)


# ------------------------------------------------------------------------------------------- what can be asked of it


def _dense(found):
    return found.toarray() if hasattr(found, "toarray") else found


def _as_json(exported):
    json.dumps(exported)
    return exported


def _as_it_was(given):
    """Check that a tree survives the way to JSON and back, except for values at the leaves of a changed tree."""
    back, again = given, None
    for _ in range(2):
        again, back = back, pytrees.Tree.from_dict(json.loads(json.dumps(pytrees.export_dict(back))))
    if back != again or back != getattr(given, "tree_", back):
        raise Defect("another tree comes back from JSON", "from_dict")


def _merged(estimator):
    merged = pytrees.merge_redundant(estimator)
    return merged[0] if isinstance(merged, tuple) else merged  # with labels of its own


def asked_of_estimator(estimator, X):
    """Yield (name, function) for every question to a fitted estimator."""
    yield "repr", lambda: repr(estimator)
    yield "clone", lambda: repr(clone(estimator))
    methods = ("predict", "predict_proba", "predict_log_proba", "apply", "feature_usage", "encode", "score")
    for name in (*methods, "predict_cumulative_proba", "predict_expected_score", "evaluate"):
        if hasattr(estimator, name) and name != "score":
            yield name, lambda name=name: getattr(estimator, name)(X)
    if hasattr(estimator, "decision_path"):
        path = estimator.decision_path
        yield "decision_path", lambda: [_dense(part) for part in np.atleast_1d(np.array(path(X), dtype=object))]
    if hasattr(estimator, "staged_predict"):
        yield "staged_predict", lambda: list(estimator.staged_predict(X))
    for name in _ATTRIBUTES:
        if hasattr(type(estimator), name) or name in vars(estimator):
            yield name, lambda name=name: getattr(estimator, name)
    if hasattr(type(estimator), "feature_importances_"):
        yield "feature_importances_", lambda: estimator.feature_importances_
    if hasattr(estimator, "tree_"):
        yield "export_text", lambda: pytrees.export_text(estimator)
        yield "export_dict", lambda: _as_json(pytrees.export_dict(estimator))
        yield "from_dict", lambda: _as_it_was(estimator)
        yield "export_graphviz", lambda: pytrees.export_graphviz(estimator)
        yield "to_sklearn", lambda: pytrees.to_sklearn(estimator).tree_.threshold.tolist()
        yield "from_sklearn", lambda: pytrees.from_sklearn(pytrees.to_sklearn(estimator)).tree_.value
        yield "merge_redundant", lambda: _merged(estimator).threshold
        yield "redundant_splits", lambda: list(pytrees.redundant_splits(estimator))
    if hasattr(estimator, "distinct_trees"):
        yield "distinct_trees", lambda: [one.members for one in estimator.distinct_trees()]
        yield "to_sklearn", lambda: [one.tree_.value for one in pytrees.to_sklearn(estimator).estimators_]
        back = pytrees.from_sklearn
        yield "from_sklearn", lambda: [one.tree_.value for one in back(pytrees.to_sklearn(estimator))]


def asked_of_tree(tree, X):
    """Yield (name, function) for every question to a tree."""
    yield "repr", lambda: repr(tree)
    yield "hash", lambda: hash(tree)
    yield "apply", lambda: tree.apply(X)
    yield "predict", lambda: tree.predict(X)
    yield "decision_path", lambda: tree.decision_path(X).toarray()
    yield "feature_usage", lambda: tree.feature_usage(X)
    yield "feature_usage, without X", lambda: tree.feature_usage()
    yield "feature_importances", tree.feature_importances
    yield "shares", lambda: tree.shares
    yield "children_of", lambda: tree.children_of(0)
    yield "binary", lambda: list(tree.binary)
    yield "pickle", lambda: pickle.loads(pickle.dumps(tree)) == tree
    yield "export_text", lambda: pytrees.export_text(tree)
    yield "export_dict", lambda: _as_json(pytrees.export_dict(tree))
    yield "from_dict", lambda: _as_it_was(tree)
    yield "export_graphviz", lambda: pytrees.export_graphviz(tree)
    yield "to_sklearn", lambda: tree.to_sklearn().tree_.threshold.tolist()
    yield "merge_redundant", lambda: pytrees.merge_redundant(tree).threshold
    yield "redundant_splits", lambda: list(pytrees.redundant_splits(tree))
    if tree.node_count < _MOST_NODES_FOR_A_SPECTRUM and tree.n_features < 9:
        spectrum = pytrees.FourierSpectrum.from_tree
        yield "spectrum", lambda: spectrum(tree, [3] * tree.n_features).partitions


def fitted_state(estimator):
    """Return the fitted attributes by name, trees and arrays included."""
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def trees_of(estimator):
    """Return the trees of a fitted estimator, and the trees of its members."""
    found = [estimator.tree_] if hasattr(estimator, "tree_") else []
    found += [rebuilt.tree for rebuilt in getattr(estimator, "trees_", [])]
    for member in getattr(estimator, "estimators_", []):
        found += trees_of(member) if isinstance(getattr(member, "tree_", None), pytrees.Tree) else []
    return found


# ------------------------------------------------------------------------------------------------------------ the cases

_FOR_EACH_SAMPLE = {"sample_weight": (WEIGHTS, "weights"), "order": (ORDERS, "order")}


def takes(subject, argument):
    """Whether an estimator's `fit` takes an argument; functions take none of them."""
    return subject in ESTIMATORS and argument in inspect.signature(getattr(pytrees, subject).fit).parameters


class Case:
    """A case, made of what its names stand for.

    Parameters
    ----------
    case : dict
        As `recipes.cases` draws it.
    """

    def __init__(self, case):
        self.case = case
        self.size = case["n"], case["d"], case["seed"]
        self.closeness = _CLOSE if hasattr(pytrees.fourier, case["subject"].partition(".")[0]) else 0.0

    def X(self, which="X"):
        """Return X, or what to predict."""
        return features(**self.case[which], n=self.size[0], d=self.size[1], seed=self.size[2])

    def arguments(self):
        """Return the arguments of `fit`."""
        case, (n, _, seed) = self.case, self.size
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arguments = {"X": self.X(), "y": labels(case["y"], case["n_classes"], n, seed)}
            for name, (table, kind) in _FOR_EACH_SAMPLE.items():
                given = for_each_sample(table, case[kind], n, seed) if takes(case["subject"], name) else ()
                arguments |= {name: given[0]} if given else {}
        return arguments

    def fit(self):
        """Fit the estimator in the engine in force; return it, and what happened."""
        estimator = make(self.case["subject"], self.case["parameters"])
        arguments = self.arguments()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before = frozen(arguments)
        found = attempt("fit", lambda: estimator.fit(**arguments) and None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = frozen(arguments)
        if before != after:
            raise Defect("fit writes to what it is given", "fit")
        return estimator, found


def frozen(given):
    """Return the content of the input as text and bytes, to show that nothing writes to it."""
    if isinstance(given, dict):
        return [(name, frozen(value)) for name, value in given.items()]
    if isinstance(given, np.ndarray):
        return given.dtype, given.shape, given.tolist().__repr__()
    if sparse.issparse(given):
        return frozen(given.toarray())
    if isinstance(given, (pd.DataFrame, pd.Series, pd.Categorical)):
        return frozen(pd.DataFrame(given).to_dict("split"))
    return repr(given)


def compare(step, results, closeness=0.0):
    """Raise a Defect if the engines differ."""
    one, other = results
    if one[0] != other[0]:
        raise Defect(f"one engine raises an error in {step}", str(results)[:400])
    if not same(one, other, closeness):
        raise Defect(f"engines disagree in {step}", str(results)[:800])


def judge_estimator(case):
    """Fit on both engines, and ask the fitted estimators every question."""
    problem = Case(case)
    fitted, results = [], []
    for engine in ENGINES:
        with config_context(engine=engine):
            estimator, found = problem.fit()
        fitted.append(estimator)
        results.append(found)
    compare("fit", results)
    if results[0][0] == "error":
        judge_failed_refit(problem)
        return
    trees = [[tree.__reduce__()[1] for tree in trees_of(estimator)] for estimator in fitted]
    if not same(*trees, problem.closeness):
        raise Defect("engines grow different trees", str(trees)[:800])
    judge_answers(problem, fitted)
    judge_pickle(problem, fitted[0])
    if case["tampered"] and hasattr(fitted[0], "tree_"):
        judge_tampered(problem, fitted[0].tree_)


def judge_answers(problem, fitted):
    """Ask the estimators of both engines every question, and compare the answers."""
    for which in ("X", "new X") if problem.case["new X"] else ("X",):
        answers = []
        for engine, estimator in zip(ENGINES, fitted, strict=True):
            with config_context(engine=engine):
                asked = asked_of_estimator(estimator, problem.X(which))
                answers.append({step: attempt(step, function) for step, function in asked})
        for step in answers[0]:
            compare(step, [answer.get(step) for answer in answers], problem.closeness)


def judge_pickle(problem, estimator):
    """Check that a copy has the same predictions."""
    copy = attempt("pickle", lambda: pickle.loads(pickle.dumps(estimator)))
    if copy[0] == "error":
        if callable(problem.case["parameters"].get("oob_score")):
            return
        raise Defect("a fitted estimator cannot be pickled", copy[2])
    answers = [attempt("predict", lambda one=one: one.predict(problem.X())) for one in (estimator, copy[1])]
    if not same(*answers):
        raise Defect("a copy predicts something else", str(answers)[:400])


def judge_failed_refit(problem):
    """Check that a fit that fails leaves the fitted estimator as it was."""
    tame = {"matrix": "normal", "container": "array"}
    X = features(**tame, n=12, d=2, seed=0)
    estimator = make(problem.case["subject"], {})
    estimator.fit(X, np.arange(12) % 3)
    before, answer = fitted_state(estimator), estimator.predict(X)
    changed = make(problem.case["subject"], problem.case["parameters"])
    old = estimator.get_params(deep=False)
    estimator.set_params(**changed.get_params(deep=False))
    found = attempt("fit again", lambda: estimator.fit(**problem.arguments()) and None)
    estimator.set_params(**old)
    if found[0] == "value":
        raise Defect("what a first fit refuses a second accepts", "fit again")
    after = fitted_state(estimator)
    if before.keys() != after.keys() or any(before[name] is not after[name] for name in before):
        raise Defect("a failed fit changes the estimator", str(sorted(after)))
    if not same(estimator.predict(X), answer):
        raise Defect("a failed fit changes predictions", "predict")


def judge_tampered(problem, tree):
    """Make the tree of a changed state and, if the tree is accepted, ask it every question."""
    made = attempt("a changed tree", lambda: tamper(tree, problem.case["tampered"]))
    if made[0] == "error":
        return
    X = np.random.default_rng(0).integers(0, 3, (20, max(min(made[1].n_features, 50), 1))).astype(np.float64)
    for step, _ in asked_of_tree(made[1], X):
        answers = []
        for engine in ENGINES:
            with config_context(engine=engine):
                # The tree is made anew, because a tree caches some answers.
                changed = tamper(tree, problem.case["tampered"])
                answers.append(attempt(f"a changed tree: {step}", dict(asked_of_tree(changed, X))[step]))
        compare(f"a changed tree: {step}", answers)


def judge_function(case):
    """Call a function on both engines."""
    problem, results = Case(case | {"weights": "not given", "order": "not given"}), []
    for engine in ENGINES:
        arguments = problem.arguments()
        X, y = arguments["X"], arguments["y"]
        call = {
            "effort_to_compress": lambda y=y: pytrees.effort_to_compress(y),
            "nsrps": lambda y=y: repr(pytrees.nsrps(y)),
            "minimal_tree": lambda X=X, y=y: vars_of_minimal(X, y),
            "clustering_distance": lambda y=y: clustering_distance(y, y),
            "ranked_probability_score": lambda X=X, y=y: ranked_probability_score(y, X),
            "FourierSpectrum.from_table": lambda X=X: pytrees.FourierSpectrum.from_table(X).partitions,
        }[case["subject"]]
        with config_context(engine=engine):
            results.append(attempt(case["subject"], call))
    compare(case["subject"], results, problem.closeness)


def vars_of_minimal(X, y):
    found = pytrees.minimal_tree(X, y)
    return [found.tree.threshold, found.is_proven, found.lower_bound]


def judge(case):
    """Run a case.

    Parameters
    ----------
    case : dict
        As `recipes.cases` draws it.

    Raises
    ------
    Defect
        If something happens that must not.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # what the library and scikit-learn have to tell users
        (judge_estimator if case["subject"] in ESTIMATORS else judge_function)(case)
