"""Attacks on an estimator that was fitted, or that is being fitted: changes from outside, Ctrl-C, a second thread."""

import contextlib
import copy
import signal
import threading
import time
from _thread import interrupt_main

import numpy as np
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import clone, is_regressor
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor as SklearnRegressionTree

import pytrees
from pytrees import config_context
from pytrees.fourier import additive_model, ordinal_codes

from .asked import asked_of_estimator, asked_of_tree
from .errors import Defect, attempt, loosely
from .parameters import is_searched, predicts_numbers
from .plain import ENGINES, compare, plain, same
from .tampered import (
    ARRAYS,
    ATTRIBUTES,
    CHANGES,
    COLUMNS,
    ENTRIES,
    SPECIFICATIONS,
    VALUES,
    tampered_dict,
    tampered_estimator,
    tampered_sklearn,
    tampered_tree,
)

# Seconds of processor time within which a call ends after Ctrl-C.
_SOON = 2.0

# A long prediction is of so many samples, and takes more than these seconds.
_MUCH = 1_200_000
_LONG_PREDICTION = 1.0

# An interrupted fit takes up to this many seconds, so that fast and slow estimators are interrupted in their work.
_LONG_ENOUGH = 0.2

# The reference searches for the best tree of so many samples in a second or so.
_MOST_SEARCHED = 14


def fitted_state(estimator):
    """Return the fitted attributes by name, trees and arrays included."""
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def trees_of(estimator):
    """Return the trees of a fitted estimator, and the trees of its members."""
    found = [estimator.tree_] if hasattr(estimator, "tree_") else []
    of_outputs = isinstance(estimator, (pytrees.DistilledTreesClassifier, pytrees.DistilledTreesRegressor))
    found += [*estimator.trees_.flat] if of_outputs else [built.tree for built in getattr(estimator, "trees_", [])]
    for member in getattr(estimator, "estimators_", []):
        found += trees_of(member) if isinstance(getattr(member, "tree_", None), pytrees.Tree) else []
    return found


# ------------------------------------------------------------------------------------------------ changes from outside


def _judge_tree(step, make):
    """Make a changed tree and, if it is accepted, ask it every question on both engines."""
    made = attempt(step, make)
    if made[0] == "error":
        return
    n_features = max(min(made[1].n_features, 50), 1)
    X = np.random.default_rng(0).integers(0, 3, (20, n_features)).astype(np.float64)
    X[::7, 0] = np.nan if made[1].takes_missing else 0.0
    for question, _ in asked_of_tree(made[1], X):
        answers = []
        for engine in ENGINES:
            with config_context(engine=engine):
                # The tree is made anew, because a tree caches some answers.
                answers.append(attempt(f"{step}: {question}", dict(asked_of_tree(make(), X))[question]))
        compare(f"{step}: {question}", answers)


def judge_changed_tree(problem, estimator, attack):
    """Change an array of the tree, or its criterion."""
    if hasattr(estimator, "tree_"):
        changed = tampered_tree(estimator.tree_, attack["array"], attack["change"], attack["place"])
        _judge_tree("a changed tree", changed)


def judge_changed_dict(problem, estimator, attack):
    """Change an entry of the tree's dictionary, and read it."""
    if hasattr(estimator, "tree_"):
        exported = tampered_dict(estimator, attack["change"], attack["place"])
        _judge_tree("a changed dictionary", lambda: pytrees.Tree.from_dict(copy.deepcopy(exported)))


def judge_changed_sklearn(problem, estimator, attack):
    """Change a node of scikit-learn's tree, and read it: by `from_sklearn`, and for the Fourier algebra."""
    kind = SklearnRegressionTree if predicts_numbers(problem.case["subject"]) else SklearnTree
    model = kind(max_depth=4, random_state=0).fit(problem.grid(), problem.codes())
    column, change, place = attack["column"], attack["change"], attack["place"]
    if tampered_sklearn(model, column, change, place, by_state=attack["by state"]) is None:
        return
    step = "scikit-learn's tree, changed"
    for name, reader in (("additive_model", additive_model), ("ordinal_codes", ordinal_codes)):
        attempt(f"{step}: {name}", lambda reader=reader: reader(model) and None)
    _judge_tree(step, lambda: pytrees.from_sklearn(model).tree_)


def judge_changed_estimator(problem, estimator, attack):
    """Change a fitted attribute: nothing crashes, and both engines answer or refuse."""
    wider = np.hstack([problem.grid()] * 2)
    other = pytrees.DecisionTreeClassifier().fit(wider[:, ::-1], np.arange(len(wider)))
    with contextlib.suppress(ValueError):  # the parameters may not be for these
        other = clone(estimator).fit(wider[:, ::-1], np.arange(len(wider)))
    name, changed = tampered_estimator(estimator, other, attack["change"], attack["place"])
    if changed is None:
        return
    told, *found = loosely(lambda: list(asked_of_estimator(changed, problem.grid, problem.codes)))
    steps = [step for step, _ in found[0]] if told == "value" else []
    for step in steps:
        answers = []
        for engine in ENGINES:
            with config_context(engine=engine):
                question = dict(asked_of_estimator(copy.deepcopy(changed), problem.grid, problem.codes))[step]
                answers.append(loosely(question))
        compare(f"{name} changed: {step}", answers, problem.closeness)


# ------------------------------------------------------------------------------------------------------------- Ctrl-C


def interrupted(function, after):
    """Call a function, and send the signal of Ctrl-C after some seconds.

    Returns
    -------
    bool
        Whether KeyboardInterrupt was raised, perhaps after the function's end.

    Raises
    ------
    Defect
        If the function goes on for long.
    """
    sent = []

    def send():
        sent.append(time.process_time())
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        else:
            interrupt_main()

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, send)
    try:
        timer.start()
        try:
            function()
        finally:
            timer.cancel()
            timer.join()
        time.sleep(0)
    except KeyboardInterrupt:
        is_interrupted = True
    else:
        is_interrupted = False
    finally:
        timer.join()
        signal.signal(signal.SIGINT, previous)
    if sent and time.process_time() - sent[0] > _SOON:
        raise Defect("Ctrl-C is not heard", f"{time.process_time() - sent[0]:.1f} s")
    return is_interrupted


def _prepared(problem, most_rows):
    """Return an estimator of the case that gives the same trees every time, data on which its fit takes its time, and
    the seconds of that fit; None if its parameters are refused."""
    estimator = problem.estimator()
    tame = {"random_state": 0, "warm_start": False, "verbose": 0, "time_limit": None, "max_gap": 0.0}
    estimator.set_params(**{name: value for name, value in tame.items() if name in estimator.get_params(deep=False)})
    rng = problem.rng()
    for n_rows in (_MOST_SEARCHED,) if is_searched(problem.case["subject"]) else (50, 400, 3000, 20_000):
        X = rng.integers(0, 50, (n_rows, 4)).astype(np.float64)
        y = (X[:, 0] + rng.integers(0, 30, n_rows) > 40).astype(np.int64) + (X[:, 1] > 25)
        y = y + rng.integers(0, 1000, n_rows) / 1000 if is_regressor(estimator) else y
        start = time.perf_counter()
        try:
            estimator.fit(X, y)
        except (ValueError, TypeError, MemoryError):
            return None
        seconds = time.perf_counter() - start
        if seconds > _LONG_ENOUGH or n_rows >= most_rows:
            break
    return estimator, X, y, seconds


def judge_interrupted(problem, estimator, attack):
    """Interrupt a refit, or a prediction, at any moment; what was fitted stays, and the next fit is right."""
    is_compiled = attack["engine"] == "compiled"
    with config_context(engine=attack["engine"]):
        prepared = _prepared(problem, attack["rows"] if is_compiled else 50)
        if prepared is None:
            return
        if attack["step"] == "fit":
            _interrupt_fit(*prepared, attack["when"] / 100)
        else:
            much = attack["step"] == "predict much" and is_compiled
            _interrupt_prediction(*prepared[:3], attack["when"] / 100, _MUCH if much else 1)


def _interrupt_fit(expected, X, y, seconds, when):
    refitted = clone(expected).fit(X[:30], y[:30])
    before = fitted_state(refitted)
    is_interrupted = interrupted(lambda: refitted.fit(X, y), seconds * when)
    after = fitted_state(refitted)
    is_new = same(plain(trees_of(refitted)), plain(trees_of(expected)))
    is_old = before.keys() == after.keys() and all(before[name] is after[name] for name in before)
    # A search that is interrupted keeps the best tree found by then.
    is_stopped = not getattr(refitted, "is_proven_", True)
    if not (is_new or is_stopped or (is_interrupted and is_old)):
        raise Defect("an interrupted fit changes the estimator", str(sorted(after)))
    if not same(plain(trees_of(refitted.fit(X, y))), plain(trees_of(expected))):
        raise Defect("the fit after an interrupted fit is another", "fit")


def _interrupt_prediction(estimator, X, y, when, n_rows):
    """Interrupt a prediction of at least some samples; a long one ends in less than half of the time that is left."""
    if n_rows > 1 and "n_estimators" in estimator.get_params(deep=False) and hasattr(estimator, "n_jobs"):
        estimator = clone(estimator).set_params(n_estimators=60, n_jobs=1).fit(X[:400], y[:400])
    X = np.tile(X, (-(-n_rows // len(X)), 1))
    start = time.process_time()
    answer = estimator.predict(X)
    seconds = time.process_time() - start
    start = time.process_time()
    is_interrupted = interrupted(lambda: estimator.predict(X), seconds * when)
    taken = time.process_time() - start
    if is_interrupted and seconds > _LONG_PREDICTION and taken > seconds * (0.5 + when / 2) + _LONG_ENOUGH:
        raise Defect("Ctrl-C is not heard in a prediction", f"after {taken:.1f} s of {seconds:.1f} s, sent at {when}")
    if not same(estimator.predict(X), answer):
        raise Defect("an interrupted prediction changes the next", "predict")


# -------------------------------------------------------------------------------------------------------- two threads


def judge_two_threads(problem, estimator, attack):
    """Ask one estimator in two threads at once, and fit two clones at once: the answers are those of one thread."""
    prepared = _prepared(problem, 400)
    if prepared is None:
        return
    estimator, X, y, _ = prepared
    with parallel_config(backend="threading"):
        _judge_asked_at_once(estimator, X[: attack["rows"]], y[: attack["rows"]])
        clones = [clone(estimator), clone(estimator)]
        at_once([lambda one=one: one.fit(X, y) for one in clones])
    for one in clones:
        if not same(plain(trees_of(one)), plain(trees_of(estimator))):
            raise Defect("two fits at once grow other trees", "fit")


def _judge_asked_at_once(estimator, X, y):
    copied = copy.deepcopy(estimator)
    alone = {step: loosely(function) for step, function in asked_of_estimator(copied, lambda: X, lambda: y)}
    found = at_once([lambda: _asked(estimator, X, y)] * 2)
    for answers in found:
        for step, answer in answers.items():
            if not same(answer, alone[step]):
                raise Defect(f"two threads get another answer of {step}", str((answer, alone[step]))[:400])


def _asked(estimator, X, y):
    return {step: loosely(function) for step, function in asked_of_estimator(estimator, lambda: X, lambda: y)}


def at_once(functions):
    """Call functions in threads that start together; return their results, or raise the first error."""
    barrier, results = threading.Barrier(len(functions)), {}

    def run(number, function):
        barrier.wait()
        try:
            results[number] = function()
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results.values():
        if isinstance(result, Exception):
            raise Defect(f"{type(result).__name__} in one of two threads", str(result)[:400]) from result
    return [results[number] for number in range(len(functions))]


# ------------------------------------------------------------------------------------------------------ how to draw


def _strategy(what, **choices):
    return st.fixed_dictionaries({"what": st.just(what)} | choices)


def _any_of(table):
    return st.sampled_from(list(table))


_PLACE = st.integers(0, 9)

JUDGES = {
    "a changed tree": judge_changed_tree,
    "a changed dictionary": judge_changed_dict,
    "scikit-learn's tree, changed": judge_changed_sklearn,
    "a changed estimator": judge_changed_estimator,
    "Ctrl-C": judge_interrupted,
    "two threads": judge_two_threads,
}

ATTACKS = st.one_of(
    _strategy(
        "a changed tree",
        array=_any_of([array for array in ARRAYS if array != "criterion"]),
        change=_any_of(CHANGES),
        place=_PLACE,
    ),
    _strategy("a changed tree", array=st.just("criterion"), change=_any_of(SPECIFICATIONS), place=st.just(0)),
    _strategy(
        "a changed dictionary", change=_any_of([*VALUES, "missing", "twice", "itself"]), place=st.integers(0, 99)
    ),
    _strategy(
        "scikit-learn's tree, changed",
        column=_any_of(COLUMNS),
        change=_any_of(ENTRIES),
        place=_PLACE,
        **{"by state": st.booleans()},
    ),
    _strategy("a changed estimator", change=_any_of([*ATTRIBUTES, "missing"]), place=st.integers(0, 30)),
    _strategy(
        "Ctrl-C",
        step=st.sampled_from(("fit", "fit", "predict", "predict", "predict much")),
        when=st.integers(0, 99),
        rows=st.sampled_from((50, 400, 3000, 20_000)),
        engine=st.sampled_from(ENGINES),
    ),
    _strategy("two threads", rows=st.sampled_from((5, 50, 400))),
)
