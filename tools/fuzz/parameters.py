"""Values of parameters to try: valid ones, edges and invalid ones, from the constraints that an estimator declares."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from numbers import Integral

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.utils._param_validation import Interval, StrOptions

import pytrees
from pytrees.criteria import CountCriterion, RankingImpurity, SequenceCriterion, SumCriterion, WeightedInformationGain
from pytrees.distances import JaccardDistance

from .surface import names_of, public_names

ESTIMATORS = names_of("estimator")

# Defaults of every case: ensembles are small, and both engines draw the same.
_DEFAULTS = {"n_estimators": 2, "random_state": 0}
_OWN_DEFAULTS = {
    "OptimalTreeClassifier": {"max_depth": 2},
    "DistilledTreesClassifier": {"estimator": pytrees.DecisionForestClassifier(2, max_depth=2)},
    "DistilledTreesRegressor": {"estimator": pytrees.DecisionForestRegressor(2, max_depth=2)},
}

# These parameters end a search anywhere, or near the best tree: the engines may find different trees.
_END_SEARCHES = ("time_limit", "memory_limit", "max_gap")

# These parameters decide how long a case takes, so that only small values are tried.
_COSTS_TIME = {"n_estimators": 4, "n_trees": 4, "n_jobs": 3, "verbose": 2}

NUMBERS = (0, 1, 2, 3, -1, 2**31 - 1, 2**31, 2**63, 10**30, 0.0, -0.0, 0.5, 1.0, 1.5, 5e-324, 1e308, -1e308)
ODD = (math.nan, math.inf, -math.inf, True, "2", None, [], Fraction(1, 2), Decimal("0.5"), 1j, np.float32(0.5))
ODD_NUMPY = (np.int8(2), np.uint64(3), np.array(2), np.array([2]), np.bool_(True), np.float16(0.1))
WORDS = ("", "Gini", "gini\0", b"gini", 1, None, [], np.str_("gini"), True)


class HalfTwoing(CountCriterion):
    """A criterion of a user."""

    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1, keepdims=True), right.sum(axis=1, keepdims=True)
        return np.abs(left / n_left - right / n_right).sum(axis=1) / 2


class Changes(SequenceCriterion):
    """A criterion of a user, on sequences."""

    def impurity(self, labels):
        return np.count_nonzero(np.diff(labels))


class StepOfMeans(SumCriterion):
    """A criterion of a user, on sums of targets."""

    def gains(self, left, right):
        means = [side[:, 1] / side[:, 0] for side in (left, right)]
        spread = np.sqrt(left[:, 2] + right[:, 2])
        with np.errstate(all="ignore"):
            gains = np.minimum(left[:, 0], right[:, 0]) * np.abs(means[0] - means[1]) - spread
        return np.where(np.isfinite(gains), gains, -np.inf)

    def gain_of_children(self, sums):
        return float(-len(sums))


class NoNumbers(CountCriterion):
    """A criterion of a user whose gains are not numbers."""

    def gains(self, left, right):
        return np.full(len(left), np.nan)


class WrongShape(CountCriterion):
    """A criterion of a user that gives one gain too many."""

    per_feature = True  # otherwise the engines ask for the cuts in groups of their own, whose sizes the error tells

    def gains(self, left, right):
        return np.zeros(len(left) + 1)


CRITERIA = {
    "WIG(alpha=0)": lambda: WeightedInformationGain(alpha=0.0),
    "WIG(alpha=1e308)": lambda: WeightedInformationGain(alpha=1e308),
    "WIG(class_scores of 2)": lambda: WeightedInformationGain(class_scores=[0.0, 1.5]),
    "WIG(class_scores apart)": lambda: WeightedInformationGain(class_scores=[-1e308, 1e308]),
    "Ranking(unweighted)": lambda: RankingImpurity(weighted=False),
    "Ranking(class_scores of 2)": lambda: RankingImpurity(class_scores=[0, 2**40]),
    "Ranking(class_scores apart)": lambda: RankingImpurity(class_scores=[-1e308, 1e308]),
    "Ranking(class_scores near)": lambda: RankingImpurity(class_scores=[0.0, 5e-324]),
    "JaccardDistance(sqrt)": lambda: JaccardDistance(math.sqrt),
    "one's own": HalfTwoing,
    "one's own, on sequences": Changes,
    "one's own, on sums": StepOfMeans,
    "one's own, NaN": NoNumbers,
    "one's own, of a wrong shape": WrongShape,
    "a class": lambda: HalfTwoing,
}

FEATURES = {
    "[0]": lambda: [0],
    "[0, 1]": lambda: np.array([0, 1]),
    "[True]": lambda: [True],
    "[False, False]": lambda: [False, False],
    "[]": list,
    "['x0']": lambda: ["x0"],
    "['x']": lambda: ["x"],
    "'from_dtype'": lambda: "from_dtype",
    "None": lambda: None,
    "[-1]": lambda: [-1],
    "[2**70]": lambda: [2**70],
    "[0, 0]": lambda: [0, 0],
    "[0.0]": lambda: [0.0],
    "[0, 'x0']": lambda: [0, "x0"],
    "[None]": lambda: [None],
    "[[0]]": lambda: [[0]],
    "range": lambda: range(1),
    "{0}": lambda: {0},
    "'x0'": lambda: "x0",
}

_CLASSES = {
    "[0, 1, 2]": lambda: [0, 1, 2],
    "backwards": lambda: np.arange(9)[::-1],
    "words": lambda: list("cbadefghij"),
    "one": lambda: [0],
    "none": list,
    "twice": lambda: [0, 0, 1],
    "NaN": lambda: [0, 1, math.nan],
    "None among them": lambda: [None, 0, 1],
    "of two kinds": lambda: ["a", 0],
    "two dimensions": lambda: [[0, 1]],
    "a set": lambda: {0, 1},
    "a word": lambda: "abc",
    "None": lambda: None,
}

_CLASS_WEIGHTS = {
    "balanced": lambda: "balanced",
    "{0: 2}": lambda: {0: 2},
    "{0: 0}": lambda: {0: 0, 1: 0},
    "{0: -1}": lambda: {0: -1},
    "{0: NaN}": lambda: {0: math.nan},
    "{0: 1e308}": lambda: {0: 1e308, 1: 1e308},
    "{0: 10**400}": lambda: {0: 10**400},
    "{0: 5e-324}": lambda: {0: 5e-324, 1: 1e-300},
    "{0: 'a'}": lambda: {0: "a"},
    "{0: None}": lambda: {0: None},
    "{'a': 2}": lambda: {"a": 2},
    "{}": dict,
    "None": lambda: None,
    "a list": lambda: [{0: 1}],
}

_CONSTRAINTS = {
    "[1, -1]": lambda: [1, -1],
    "rising": lambda: [1] * 3,
    "falling": lambda: np.full(4, -1),
    "[1, 0]": lambda: (1, 0),
    "[-1]": lambda: [-1.0],
    "zeros": lambda: np.zeros(3),
    "{'x0': 1}": lambda: {"x0": 1},
    "{'x9': 1}": lambda: {"x9": 1},
    "{'x0': 2}": lambda: {"x0": 2},
    "{}": dict,
    "None": lambda: None,
    "[2, 0]": lambda: [2, 0],
    "NaN": lambda: [math.nan, 1],
    "0.5": lambda: [0.5, 0.5],
    "words": lambda: ["a", "b"],
    "None among them": lambda: [None, 1],
    "2**70": lambda: [2**70, 0],
    "two dimensions": lambda: [[1, 0]],
    "none": list,
    "a word": lambda: "rising",
    "1": lambda: 1,
}

TREES = {
    "None": lambda: None,
    "a tree": lambda: pytrees.DecisionTreeClassifier(max_depth=3),
    "a tree of categories": lambda: pytrees.DecisionTreeClassifier(max_depth=2, categorical_features=[0]),
    "a permutation tree": lambda: pytrees.PermutationDecisionTreeClassifier(max_depth=2),
    "an ordinal tree": lambda: pytrees.OrdinalDecisionTreeClassifier(max_depth=2, predict_rule="median"),
    "a C4.5 tree": pytrees.C45Classifier,
    "a best tree": lambda: pytrees.OptimalTreeClassifier(max_depth=1),
    "a forest": lambda: pytrees.DecisionForestClassifier(2, max_depth=2),
    "an ID3 forest": lambda: pytrees.ID3ForestClassifier(2, max_depth=2),
    "scikit-learn's tree": lambda: SklearnTree(max_depth=2, random_state=0),
    "scikit-learn's forest": lambda: RandomForestClassifier(2, max_depth=2, random_state=0),
    "bagged trees": lambda: BaggingClassifier(SklearnTree(max_depth=2), n_estimators=2, random_state=0),
    "itself": lambda: pytrees.ReconstructedFourierTree(max_leaf_nodes=4),
    "a tree of numbers": lambda: pytrees.DecisionTreeRegressor(max_depth=2),
    "a forest of numbers": lambda: pytrees.DecisionForestRegressor(2, max_depth=2),
    "a Tree of numbers": lambda: pytrees.DecisionTreeRegressor().fit([[0.0, 0.0], [1.0, 1.0]], [0.5, 1.5]).tree_,
    "no tree": DummyClassifier,
    "a regression": LinearRegression,
    "a class": lambda: pytrees.DecisionTreeClassifier,
    "no estimators": list,
    "a list of one not fitted": lambda: [pytrees.DecisionTreeClassifier()],
    "a Tree": lambda: pytrees.DecisionTreeClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1]).tree_,
    "a word": lambda: "tree",
}

MEASURES = {
    "uniform": lambda: "uniform",
    "empirical": lambda: "empirical",
    "none": list,
    "shares": lambda: [[0.5, 0.5], [0.5, 0.5]],
    "negative shares": lambda: [[1.5, -0.5], [0.5, 0.5]],
    "shares of NaN": lambda: [[math.nan, 0.5], [0.5, 0.5]],
    "words": lambda: ["a", "b"],
    "other": lambda: "other",
}

SPECIAL = {
    "criterion": CRITERIA,
    "distance": CRITERIA,
    "categorical_features": FEATURES,
    "classes": _CLASSES,
    "class_weight": _CLASS_WEIGHTS,
    "monotonic_cst": _CONSTRAINTS,
    "estimator": TREES,
    "measure": MEASURES,
    "weights": {
        "two": lambda: [1.0, 2.0],
        "one": lambda: [1.0],
        "zeros": lambda: [0.0, 0.0],
        "negative": lambda: [-1.0, 2.0],
        "NaN": lambda: [math.nan, 1.0],
        "huge": lambda: [1e308, 1e308],
        "words": lambda: ["a", "b"],
        "two dimensions": lambda: [[1.0, 2.0]],
    },
    "cost_matrix": {
        "of 2": lambda: [[0, 3], [1, 0]],
        "of 3": lambda: np.array([[0.0, 0.5, 2.0], [1.0, 0.0, 0.1], [1.0, 0.0, 0.0]]),
        "of classes": lambda: [[0, 2, 2], [1, 0, 1], [5, 5, 0]],
        "zeros": lambda: np.zeros((2, 2)),
        "far apart": lambda: [[0.0, 1e308], [5e-324, 0.0]],
        "negative": lambda: [[0, -1], [1, 0]],
        "NaN": lambda: [[0, math.nan], [1, 0]],
        "infinity": lambda: [[0, math.inf], [1, 0]],
        "not zero on the diagonal": lambda: [[1, 1], [1, 1]],
        "one dimension": lambda: [0, 1],
        "not square": lambda: [[0, 1, 1], [1, 0, 1]],
        "words": lambda: [["a", "b"], ["c", "d"]],
        "2**70": lambda: [[0, 2**70], [1, 0]],
        "none": list,
    },
    "random_state": {
        "0": lambda: 0,
        "RandomState": lambda: np.random.RandomState(0),
        "2**32": lambda: 2**32,
        "-1": lambda: -1,
        "a Generator": lambda: np.random.default_rng(0),
        "1.0": lambda: 1.0,
        "a word": lambda: "0",
    },
    "oob_score": {"True": lambda: True, "a function": lambda: lambda y, p: 0.5, "None": lambda: None, "1": lambda: 1},
}


def _listed(values):
    return {repr(value): partial(lambda value: value, value) for value in values}


def _of_interval(interval):
    edges = [edge for edge in (interval.left, interval.right) if edge is not None]
    if issubclass(interval.type, Integral):
        return [edge + step for edge in edges for step in (-1, 0, 1)]
    return [*edges, *(float(np.nextafter(edge, to)) for edge in edges for to in (-np.inf, np.inf))]


@cache
def values_of(estimator, parameter):
    """Return what to try of an estimator's parameter: functions that make values, by names.

    Parameters
    ----------
    estimator : str
        The name of its class.
    parameter : str

    Returns
    -------
    dict of str to callable
        Valid values first.
    """
    constraints = public_names()[estimator]._parameter_constraints[parameter]
    found = {}
    for constraint in constraints:
        if isinstance(constraint, StrOptions):
            found |= _listed(sorted(constraint.options)) | _listed(WORDS)
        elif isinstance(constraint, Interval):
            found |= _listed(_of_interval(constraint)) | _listed(NUMBERS) | _listed(ODD + ODD_NUMPY)
        elif constraint is None:
            found |= _listed([None])
        elif constraint in ("boolean", "verbose", Integral):
            found |= _listed([True, False, 1, 0, 2, -1, *ODD])
    found |= SPECIAL.get(parameter, {})
    if parameter in _OWN_DEFAULTS.get(estimator, {}):
        found.pop("None", None)  # stands for more than a case has time for
    if parameter in _COSTS_TIME:
        found = {name: value for name, value in found.items() if _is_small(value(), _COSTS_TIME[parameter])}
    return found


def _is_small(value, limit):
    try:
        return not value > limit
    except (TypeError, ValueError):
        return True


def parameters_of(estimator):
    """Return the names of an estimator's parameters."""
    return tuple(public_names()[estimator]._parameter_constraints)


def is_searched(subject):
    """Whether an estimator's tree is searched for, which takes long on more than a few samples."""
    return subject in ESTIMATORS and "time_limit" in parameters_of(subject)


def ends_anywhere(case):
    """Whether the parameters of a case let engines find different trees."""
    return any(name in case["parameters"] for name in _END_SEARCHES)


def predicts_numbers(subject):
    """Whether a name is of a regressor."""
    return subject in ESTIMATORS and issubclass(public_names()[subject], RegressorMixin)


def make(estimator, chosen):
    """Make an estimator.

    Parameters
    ----------
    estimator : str
        The name of its class.
    chosen : dict of str to str
        Names of parameters, and of their values among `values_of`.

    Returns
    -------
    estimator
        Not fitted; ensembles are small, where `chosen` does not say how large.
    """
    values = {name: values_of(estimator, name)[value]() for name, value in chosen.items()}
    defaults = {name: value for name, value in _DEFAULTS.items() if name in parameters_of(estimator)}
    defaults |= _OWN_DEFAULTS.get(estimator, {})
    return public_names()[estimator](**(defaults | values))
