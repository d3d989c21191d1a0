"""Tell what happens in a case, and whether that is a defect.

A defect is: an error that neither the library nor scikit-learn raises by itself with a message, a warning from inside,
a fitted estimator that a failed or interrupted fit changes, input that is written to, engines or threads that do not do
the same. Crashes and hangs end the process; `worker` sees to these.
"""

import contextlib
import io
import pickle
import warnings

import matplotlib as mpl
import numpy as np
from joblib import parallel_config

from pytrees import config_context

from .asked import asked_of_estimator
from .attacks import JUDGES, fitted_state, trees_of
from .calls import judge_call
from .errors import Defect, attempt
from .large import MOST_FOR_THE_REFERENCE, judge_large
from .parameters import ESTIMATORS, ends_anywhere, make
from .plain import ENGINES, compare, plain, same
from .problem import Problem, frozen, quietly
from .values import features


def fit(problem):
    """Fit the case's estimator in the engine in force; return it, and what happened."""
    estimator, arguments = problem.estimator(), problem.arguments()
    before = quietly(frozen, arguments)
    found = attempt("fit", lambda: estimator.fit(**arguments) and None)
    if quietly(frozen, arguments) != before:
        raise Defect("fit writes to what it is given", "fit")
    return estimator, found


def judge_estimator(problem):
    """Fit on all engines, and ask the fitted estimators every question."""
    fitted, results = [], []
    for engine in ENGINES:
        with config_context(engine=engine):
            estimator, found = fit(problem)
        fitted.append(estimator)
        results.append(found)
    compare("fit", results)
    if results[0][0] == "error":
        judge_failed_refit(problem)
        return
    if ends_anywhere(problem.case):
        judge_pickle(problem, fitted[0])
        return
    trees = [plain(trees_of(estimator)) for estimator in fitted]
    if not all(same(trees[0], other, problem.closeness) for other in trees[1:]):
        raise Defect("engines grow different trees", str(trees)[:800])
    judge_answers(problem, fitted)
    judge_pickle(problem, fitted[0])
    if attack := problem.case["attack"]:
        JUDGES[attack["what"]](problem, fitted[0], attack)


def judge_answers(problem, fitted):
    """Ask the estimators of all engines every question, and compare the answers."""
    for which in ("X", "new X") if problem.case["new X"] else ("X",):
        answers = []
        for engine, estimator in zip(ENGINES, fitted, strict=True):
            with config_context(engine=engine):
                given = problem.X(which)
                before = quietly(frozen, given)
                asked = asked_of_estimator(estimator, lambda given=given: given, problem.y)
                answers.append({step: attempt(step, function) for step, function in asked})
                if quietly(frozen, given) != before:
                    raise Defect("a question writes to X", which)
        for step in answers[0]:
            compare(step, [answer.get(step, ("not asked",)) for answer in answers], problem.closeness)


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
    X = features("normal", "array", n=12, d=2, seed=0)
    estimator = make(problem.case["subject"], {})
    estimator.fit(X, np.arange(12) % 3)
    before, answer = fitted_state(estimator), estimator.predict(X)
    old = estimator.get_params(deep=False)
    estimator.set_params(**problem.estimator().get_params(deep=False))
    found = attempt("fit again", lambda: estimator.fit(**problem.arguments()) and None)
    estimator.set_params(**old)
    if found[0] == "value":
        raise Defect("what a first fit refuses a second accepts", "fit again")
    after = fitted_state(estimator)
    if before.keys() != after.keys() or any(before[name] is not after[name] for name in before):
        raise Defect("a failed fit changes the estimator", str(sorted(after)))
    if not same(estimator.predict(X), answer):
        raise Defect("a failed fit changes predictions", "predict")


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
    mpl.use("agg")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), parallel_config(backend="threading"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # what the library and scikit-learn have to tell users
        if case["subject"] not in ESTIMATORS:
            judge_call(case)
        elif case["n"] > MOST_FOR_THE_REFERENCE:
            judge_large(Problem(case))
        else:
            judge_estimator(Problem(case))
