"""Samples on both sides of every size at which the search changes its way, more than the reference grows trees from.

The compiled engine is judged against itself, with other threads and with its samples in another order, and against the
reference where that has little to do: on trees of one split, and on predictions of a few samples.
"""

import numpy as np

from pytrees import config_context
from pytrees._core.base.sizes import sizes
from pytrees._given_judges import ERRORS
from pytrees.criteria import CRITERIA

from .attacks import trees_of
from .errors import Defect, attempt
from .parameters import make, parameters_of, predicts_numbers
from .plain import plain, same
from .values import TARGETS, features, labels

# The reference grows whole trees from so many samples in a second.
MOST_FOR_THE_REFERENCE = 200

# Samples from which the reference finds one split by class counts in a second, and samples that it predicts.
_MOST_FOR_ONE_SPLIT = 5000
_PREDICTED = 60

# Levels of trees of many samples by absolute errors, whose nodes cost a logarithm more than others.
_MOST_LEVELS = 6

# Larger problems take more than seconds if the whole sequence of labels, or the whole tree, is judged at every cut.
_MOST_ROWS = 70_000
_MOST_JUDGED_WHOLE = 2100

EDGES = tuple(
    edge
    for edge in sorted({size + step for size in sizes().values() for step in (-1, 0, 1)})
    if MOST_FOR_THE_REFERENCE < edge <= _MOST_ROWS
)
MIDDLE = tuple(
    edge
    for edge in sorted({size + step for size in sizes().values() for step in (-1, 0, 1)})
    if 24 < edge <= MOST_FOR_THE_REFERENCE
)


def judges_counts(estimator):
    """Whether an estimator judges a split by class counts or numbers alone, and draws no samples: their order has no
    influence."""
    name = getattr(estimator, "criterion", None)
    is_tree = not {"n_estimators", "estimator"} & estimator.get_params(deep=False).keys()
    judge = (CRITERIA | ERRORS).get(name) if isinstance(name, str) else None
    return is_tree and judge is not None and judge.judges == "counts"


def edges_of(subject):
    """Return the numbers of samples to try with an estimator."""
    forests = "DecisionForestClassifier", "DecisionForestRegressor"
    if judges_counts(make(subject, {})) or subject in ("C45Classifier", *forests):
        return EDGES
    return tuple(edge for edge in EDGES if edge <= _MOST_JUDGED_WHOLE)


def _fitted(problem, rows=slice(None), **parameters):
    case = problem.case
    X = features(case["X"]["matrix"], "array", n=problem.n, d=problem.d, seed=problem.seed)
    is_number = predicts_numbers(case["subject"]) and case["y"] in TARGETS
    y = labels(case["y"] if is_number else "numbers", case["n_classes"], problem.n, problem.seed)
    y = np.asarray(y)
    estimator = problem.estimator()
    if getattr(estimator, "criterion", None) == "absolute_error" and problem.n > _MOST_FOR_ONE_SPLIT:
        parameters = {"max_depth": _MOST_LEVELS} | parameters
    taken = {name: value for name, value in parameters.items() if name in parameters_of(case["subject"])}
    return attempt("fit", lambda: estimator.set_params(**taken).fit(X[rows], y[rows])), X


def _answer(estimator, X):
    return (estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict)(X)


def _expect_equal(what, one, other, closeness=0.0):
    if not same(plain(trees_of(one)), plain(trees_of(other)), closeness):
        raise Defect(f"other trees of {what}", str(plain(trees_of(one)))[:400])


def judge_large(problem):
    """Fit on one thread, on several, on samples in another order, and one split on both engines."""
    (told, estimator, *_), X = _fitted(problem, n_jobs=1)
    if told == "error":
        return
    parameters = parameters_of(problem.case["subject"])
    is_seeded = isinstance(getattr(estimator, "random_state", 0), int)
    if "n_jobs" in parameters and is_seeded:
        for n_jobs in (2, 3):
            (_, other, *_), _ = _fitted(problem, n_jobs=n_jobs)
            _expect_equal(f"{n_jobs} threads", estimator, other)
            if not same(_answer(other, X), _answer(estimator, X)):
                raise Defect("several threads predict something else", "predict")
    if hasattr(estimator, "tree_") and judges_counts(estimator) and is_seeded:
        (_, other, *_), _ = _fitted(problem, problem.rng().permutation(problem.n), n_jobs=1)
        _expect_equal("samples in another order", estimator, other)
    if judges_counts(estimator) and is_seeded and problem.n * problem.d <= _MOST_FOR_ONE_SPLIT:
        shallow = _fitted(problem, max_depth=1)[0][1]
        with config_context(engine="reference"):
            _expect_equal("the reference", shallow, _fitted(problem, max_depth=1)[0][1], problem.closeness)
    few = X[problem.rng().integers(0, problem.n, _PREDICTED)]
    answer = _answer(estimator, few)
    with config_context(engine="reference"):
        if not same(_answer(estimator, few), answer, problem.closeness):
            raise Defect("the reference predicts something else", "predict")
