"""Arguments to try of parameters that take more than numbers, words and flags, by the parameter's name.

Every argument has a name, and a function of the problem that makes it. The tamest comes first.
"""

import inspect
import io
import math
import tempfile
from functools import partial
from pathlib import Path
from typing import get_args

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

import pytrees
from pytrees import _typing
from pytrees.criteria import CRITERIA
from pytrees.distances import DISTANCES, JaccardDistance
from pytrees.metrics import mae_scorer

from . import parameters
from .problem import MODELS, N_VALUES
from .surface import public_names
from .values import CONTAINERS, GROUPS, LABELS, MATRICES, ORDERS, WEIGHTS, features

_ODD_NAMES = ("$a_{$", "a\nb", '"', "<b>", "\\", "", "\0", "ä", "{}", "%s", "a" * 300)


def given(values):
    """Return makers of values that no problem changes, by what they look like."""
    return {repr(value): partial(lambda value, _: value, value) for value in values}


def _made(table):
    """Return makers of values from functions without arguments."""
    return {name: partial(lambda make, _: make(), make) for name, make in table.items()}


def _models(*first):
    """Return all models, these first."""
    names = [*first, *(name for name in MODELS if name not in first)]
    return {name: partial(lambda name, p: p.model(name), name) for name in names}


def _for_each(table):
    """Return makers of weights or keys: one for every row of the tame table, or of the case's X."""
    tame = {"None": lambda p: None}
    of_table = {
        name: partial(lambda make, p: make(p.rng(), len(p.grid())), make) for name, make in table.items() if make
    }
    of_X = {f"{name}, n": partial(lambda make, p: make(p.rng(), p.n), make) for name, make in table.items() if make}
    return tame | of_table | of_X


def _seeded(make):
    """Make a model that draws the same every time."""
    model = make()
    return model.set_params(random_state=0) if getattr(model, "random_state", 0) is None else model


def _list_of_models(p):
    return [p.model("a tree"), p.model("an ordinal tree")]


def _shares(p):
    shares = p.rng().random((len(p.grid()), max(p.case["n_classes"], 2)))
    return shares / shares.sum(axis=1, keepdims=True)


def _counts(p):
    return p.rng().integers(0, 9, max(p.case["n_classes"], 2))


def _square(p):
    square = p.rng().random((max(p.n, 2), max(p.n, 2)))
    return square + square.T


def _exported(p):
    return pytrees.export_dict(p.model("a tree"))


def _arrays(p):
    state = dict(zip(inspect.signature(pytrees.Tree).parameters, p.model("a Tree").__reduce__()[1], strict=False))
    return {name: array for name, array in state.items() if name not in ("n_features", "criterion")}


def _axes(_):
    return plt.figure().add_subplot()


def _matrices():
    kinds = {name: partial(lambda name, p: features(name, "array", p.n, p.d, p.seed), name) for name in MATRICES}
    as_kinds = {name: partial(lambda name, p: features("grid", name, p.n, p.d, p.seed), name) for name in CONTAINERS}
    return kinds | as_kinds


def _names(n):
    """Return lists of names, one for every feature or class."""
    return {
        "None": lambda p: None,
        "names": lambda p: [f"name {number}" for number in range(n(p))],
        "odd names": lambda p: [_ODD_NAMES[number % len(_ODD_NAMES)] for number in range(n(p))],
        "numbers": lambda p: np.arange(n(p)) / 3,
        "dates": lambda p: np.datetime64("2000-01-01") + np.arange(n(p)),
        "None among them": lambda p: [None] * n(p),
        "too few": lambda p: ["name"] * (n(p) - 1),
        "none": lambda p: [],
        "a word": lambda p: "x" * n(p),
        "a set": lambda p: {f"x{number}" for number in range(n(p))},
        "a number": lambda p: 5,
    }


# ------------------------------------------------------------------------------------------------- tables by names

_GRID = {"tame": lambda p: p.grid(), "X": lambda p: p.X()}
_X = _GRID | _matrices()
_X_OR_NONE = {"None": lambda p: None} | _X
_LABELS = {"y": lambda p: p.y()} | {kind: partial(lambda kind, p: p.y(kind), kind) for kind in LABELS}
_TAME_LABELS = {"tame": lambda p: p.codes()} | _LABELS
_LABELS_OR_NONE = {"None": lambda p: None} | _LABELS
_NUMBERS = given([2, 1, 0, *parameters.NUMBERS, *parameters.ODD])
_ANY = given(["a", 1, None, 0.5, (), (1, "a"), b"x", math.nan, 10**400]) | {
    "a list": lambda p: [1],
    "y": lambda p: p.y(),
}
_CRITERIA = given(sorted(CRITERIA)) | _made(parameters.CRITERIA) | given(parameters.WORDS)
_DISTANCES = given(sorted(DISTANCES)) | _made(parameters.CRITERIA) | given(parameters.WORDS)
_FEATURES = given([0, 1, (0, 1), (0, 0), (1,), -1, 2**63, 0.5, True, None, "x0", (0, "a"), (0, 1, 2)])
_MEASURES = (
    _made(parameters.MEASURES)
    | {"joint": lambda p: "joint", "masses": lambda p: [[0.5, 0.25, 0.25]] * p.d}
    | given([None, 1])
)
_NODE_LABELS = {
    "None": lambda p: None,
    "of nodes": lambda p: np.arange(p.model("a tree").tree_.node_count) % 2,
    "words": lambda p: np.array(["a", "b"])[np.arange(p.model("a tree").tree_.node_count) % 2],
} | _LABELS
_LISTS_OF_MODELS = (
    {
        "two trees": _list_of_models,
        "a generator": lambda p: iter(_list_of_models(p)),
        "Trees": lambda p: [model.tree_ for model in _list_of_models(p)],
        "the trees of a forest": lambda p: p.model("a forest").estimators_,
        "none": lambda p: [],
        "of two widths": lambda p: [p.model("a tree"), pytrees.DecisionTreeClassifier().fit(np.eye(9), range(9))],
    }
    | {f"a list of {name}": partial(lambda name, p: [p.model(name)], name) for name in MODELS}
    | _models("a forest")
)
_ESTIMATORS = {
    "a permutation tree": lambda p: pytrees.PermutationDecisionTreeClassifier(max_depth=2),
    "a tree of Gini": lambda p: pytrees.DecisionTreeClassifier(max_depth=2),
} | _made({name: partial(_seeded, make) for name, make in parameters.TREES.items() if name != "itself"})
_CARDINALITIES = {
    "tame": lambda p: [N_VALUES] * p.d,
    "more": lambda p: np.arange(N_VALUES, N_VALUES + p.d),
    "ones": lambda p: [1] * p.d,
    "too few": lambda p: [N_VALUES] * (p.d - 1),
    "many": lambda p: [200] * p.d,
    "2**40": lambda p: [2**40] * p.d,
    "2**62": lambda p: [2**62] * p.d,
    "10**30": lambda p: [10**30] * p.d,
    "0": lambda p: [0] * p.d,
    "-1": lambda p: [-1] * p.d,
    "floats": lambda p: [2.5] * p.d,
    "NaN": lambda p: [math.nan] * p.d,
    "words": lambda p: ["3"] * p.d,
    "two dimensions": lambda p: [[N_VALUES] * p.d],
    "a number": lambda p: N_VALUES,
    "None": lambda p: None,
    "uint8": lambda p: np.full(p.d, N_VALUES, dtype=np.uint8),
}
_WEIGHTS_OF_TREES = (
    {"None": lambda p: None}
    | _made(parameters.SPECIAL["weights"])
    | {
        "tiny": lambda p: [1e-162, 1e-162],
        "one, huge": lambda p: [1e160],
        "strong": lambda p: np.array([3.0, 1.0]),
        "10**400": lambda p: [10**400, 1],
    }
)
_VALUES_OF_TREES = {
    "None": lambda p: None,
    "of nodes": lambda p: [np.arange(model.tree_.node_count) / 7 for model in _list_of_models(p)],
    "two columns": lambda p: [np.ones((model.tree_.node_count, 2)) for model in _list_of_models(p)],
    "NaN": lambda p: [np.full(model.tree_.node_count, np.nan) for model in _list_of_models(p)],
    "huge": lambda p: [np.full(model.tree_.node_count, 1e308) for model in _list_of_models(p)],
    "too short": lambda p: [[1.0], [1.0]],
    "too few": lambda p: [np.arange(p.model("a tree").tree_.node_count)],
    "words": lambda p: [["a"] * model.tree_.node_count for model in _list_of_models(p)],
    "a number": lambda p: 5,
}
_PAIRS = {
    "none": lambda p: (),
    "a pair": lambda p: [(0, p.d - 1)],
    "all": lambda p: [(one, other) for one in range(p.d) for other in range(one)],
} | {
    repr(feature): partial(lambda feature, p: [feature], feature)
    for feature in [(0, 0), (0, 9), 0, None, "ab", (0, 2**63)]
}
_SCHEMAS = {
    "one value": lambda p: {0: 1},
    "values": lambda p: {p.d - 1: [0, 2]},
    "a list": lambda p: [None] * p.d,
    "nothing": lambda p: {},
    "no value": lambda p: {0: []},
    "too large": lambda p: {0: N_VALUES},
    "no feature": lambda p: {p.d: 0},
    "2**63": lambda p: {0: 2**63},
    "words": lambda p: {"x0": 0},
    "floats": lambda p: {0: 0.5},
    "too short": lambda p: [0] * (p.d - 1),
    "a number": lambda p: 5,
    "None": lambda p: None,
}
_FOLDERS = {
    "None": lambda p: None,
    "a folder": lambda p: Path(__file__).parents[1],
    "as text": lambda p: str(Path(__file__).parent),
    "no folder": lambda p: "/no/such/folder",
    "a file": lambda p: __file__,
    "a null byte": lambda p: "\0",
    "a number": lambda p: 5,
    "bytes": lambda p: b"folder",
    "empty": lambda p: "",
    "a list": lambda p: [],
}
_TABLES = given(
    ["iris", "car", "wine", "balance-scale", "ERA", "no such", "", "../iris", "/etc/passwd", "\0", "a/b", "."]
) | given([None, 5, b"iris", (), np.str_("iris"), "iris.csv", "x" * 5000])
_COST_MATRIX = {
    "None": lambda p: None,
    "distances": lambda p: abs(np.subtract.outer(*2 * [np.arange(max(p.case["n_classes"], 2))])),
    "negative": lambda p: -np.ones((2, 2)),
    "NaN": lambda p: np.full((2, 2), np.nan),
    "not square": lambda p: np.ones((2, 3)),
    "words": lambda p: [["a", "b"], ["c", "d"]],
    "huge": lambda p: [[0, 1e308], [1e308, 0]],
    "a number": lambda p: 3,
    "10**400": lambda p: [[0, 10**400], [1, 0]],
}
_ARRAYS = {
    "counts": _counts,
    "a row": lambda p: p.grid()[0],
    "a table": lambda p: p.grid(),
    "square": _square,
    "shares": _shares,
    "empty": lambda p: [],
    "a number": lambda p: 3,
    "2**63": lambda p: [2**63, 1],
    "10**400": lambda p: [10**400, 1],
    "floats": lambda p: [0.5, 1.5],
    "negative": lambda p: [-1, 2],
    "NaN": lambda p: [math.nan, 1.0],
    "infinity": lambda p: [math.inf, 1.0],
    "words": lambda p: ["a", "b"],
    "complex": lambda p: [1j, 2.0],
    "ragged": lambda p: [[1], [1, 2]],
    "None": lambda p: None,
    "three dimensions": lambda p: np.ones((2, 2, 2)),
    "zeros": lambda p: [0, 0],
    "sparse": lambda p: CONTAINERS["CSR"](p.grid()),
}
_AXES = {"None": lambda p: None, "axes": _axes, "a figure": lambda p: plt.figure()} | given([5, "ax", [], True])
_INDICES = {"none": lambda p: None} | _made(parameters.FEATURES)


def _first(table, *names):
    """Return a table in which these makers come first."""
    return {name: table[name] for name in names} | table


_DASK_X = {"of Dask": lambda p: _dask(p.grid()), "frame of Dask": lambda p: _dask_frame(p.grid())} | _X

# Parameters by name, or by the name of what has them and their own.
TABLES = {
    "X": _X,
    "reference": _X,
    "background": _X | {"None": lambda p: None},
    "table": _X,
    "X | None": _X_OR_NONE,
    "RebuiltTree.evaluate.X": _X,
    "dask.fit.X": _DASK_X,
    "dask.fit.y": {"of Dask": lambda p: _dask(p.codes()), "other parts": lambda p: _dask(p.codes(), 2)} | _LABELS,
    "dask.predict.model": _models("an additive model"),
    "dask.evaluate.model": _models("an additive model"),
    "dask.predict.X": _DASK_X,
    "dask.evaluate.X": _DASK_X,
    "sample": {"a row": lambda p: p.grid()[0], "words": lambda p: ["a"] * p.d} | _ARRAYS | _GRID,
    "y": _TAME_LABELS,
    "sequence": _LABELS,
    "compression_complexity_causality.x": {"long": lambda p: [0, 1, 1] * 9} | _LABELS,
    "compression_complexity_causality.y": {"long": lambda p: [0, 0, 1] * 9} | _LABELS,
    "sliding_effort_to_compress.sequence": {"long": lambda p: [0, 1, 1] * 9} | _LABELS,
    "y_true": _TAME_LABELS,
    "y_pred": {"others": lambda p: p.codes()[::-1]} | _LABELS,
    "labels": _LABELS_OR_NONE,
    "y_proba": {"shares": _shares} | _X,
    "merge_redundant.labels": _NODE_LABELS,
    "redundant_splits.labels": _NODE_LABELS,
    "sample_weight": _for_each(WEIGHTS),
    "order": _for_each(ORDERS),
    "groups": _for_each(GROUPS),
    "GroupedCardinality.groups": _LABELS,
    "target": {"floats": lambda p: p.grid()[:, 0]} | _LABELS | _ARRAYS,
    "symbolize.values": {"a row": lambda p: p.grid()[:, 0]} | _ARRAYS | _LABELS,
    "sequences": _LABELS,
    "thresholds": {"None": lambda p: None, "two": lambda p: [0.5, 1.5]} | _ARRAYS,
    "cuts": {"two": lambda p: [-1.0, 1.0]} | _ARRAYS,
    "cluster_std": {"1.0": lambda p: 1.0, "each": lambda p: [1.0, 2.0, 3.0]} | _NUMBERS | _ARRAYS,
    "tree": _models(),
    "a": _models(),
    "b": _models("a Tree"),
    "actual": _models(),
    "desired": _models(),
    "ensemble": _models("a forest"),
    "model": _models(),
    "estimator": _ESTIMATORS,
    "forest": _models("a forest"),
    "from_sklearn.estimator": _models("scikit-learn's tree"),
    "Tree.from_sklearn.estimator": _models("scikit-learn's tree"),
    "trees": _LISTS_OF_MODELS,
    "others": _LISTS_OF_MODELS,
    "models": _LISTS_OF_MODELS,
    "OrdinalCodes.decode.tree": _models("a Tree"),
    "cardinalities": _CARDINALITIES,
    "measure": _MEASURES,
    "weights": _WEIGHTS_OF_TREES,
    "other_weights": _WEIGHTS_OF_TREES,
    "values": _VALUES_OF_TREES,
    "other_values": _VALUES_OF_TREES,
    "class_index": given([-1, None, 0, 1, 7, 2**63, -2, 0.5, True, "a", 10**400]),
    "features": {"None": lambda p: None}
    | _PAIRS
    | {repr(f): partial(lambda f, p: [f], f) for f in (0, -1, "x0", 2**63)},
    "pairs": _PAIRS,
    "effect": _FEATURES,
    "schema": _SCHEMAS,
    "criterion": _CRITERIA,
    "criteria.impurity.criterion": _first(_CRITERIA, "'gini'"),
    "criteria.gain.criterion": _first(_CRITERIA, "'gini'"),
    "distance": _DISTANCES,
    "categorical_features": _INDICES,
    "testing.check_criterion.criterion": _first(_CRITERIA, "'gini'"),
    "testing.check_tree.criterion": _first(_CRITERIA, "'gini'"),
    "testing.check_tree_estimator.criterion": _first(_CRITERIA, "'gini'"),
    "testing.check_tree_estimator.estimator": _first(_ESTIMATORS, "a tree of Gini"),
    "dask.fit.estimator": _first(_ESTIMATORS, "a tree of Gini"),
    "fourier.ModelStream.estimator": _first(_ESTIMATORS, "a tree of Gini"),
    "counts": _ARRAYS,
    "left": _ARRAYS,
    "right": _ARRAYS,
    "sequence.Phrase.left": _ANY,
    "sequence.Phrase.right": _ANY,
    "FourierSpectrum.partitions": {"constant": lambda p: np.zeros((1, p.d), dtype=np.int64)} | _ARRAYS,
    "FourierSpectrum.coefficients": {"constant": lambda p: [0.5]} | _ARRAYS,
    "other": _models("a spectrum"),
    "spectra": {
        "one": lambda p: [p.model("a spectrum")],
        "two": lambda p: [p.model("a spectrum")] * 2,
        "none": lambda p: [],
        "a spectrum": lambda p: p.model("a spectrum"),
        "trees": _list_of_models,
        "a number": lambda p: 5,
    },
    "plot_energy.tree": _models("None"),
    "exported": {"a tree": _exported} | _ANY | {"{}": lambda p: {}},
    "arrays": {
        "a tree": _arrays,
        "nothing": lambda p: {},
    }
    | _ANY,
    "class_names": _names(lambda p: p.model("a tree").tree_.n_classes),
    "feature_names": _names(lambda p: p.d),
    "classes": _names(lambda p: p.model("a tree").tree_.n_classes),
    "out_file": {
        "None": lambda p: None,
        "text": lambda p: io.StringIO(),
        "a path": lambda p: Path(tempfile.gettempdir()) / "pytrees-fuzz.dot",
        "no folder": lambda p: "/no/such/folder/x",
    }
    | given([5, (), b"", "", "\0"]),
    "ax": _AXES,
    "axes": _AXES | {"three": lambda p: plt.figure().subplots(1, 3)},
    "figure": {
        "None": lambda p: None,
        "a figure": lambda p: plt.figure(),
        "axes": _axes,
    }
    | given([5, "figure"]),
    "cv": {"2": lambda p: 2, "folds": lambda p: KFold(2)} | given([None, 0, 1, -1, 2.5, "cv", (), 10**30]),
    "scoring": given([None, "accuracy", "no such", 5, "roc_auc"]) | {"a scorer": lambda p: mae_scorer},
    "metric": given([*get_args(_typing.OrdinalMetric), *parameters.WORDS]),
    "claims": given([(), ("nonnegative", "convex"), ("no such",), "pure", 5, None]),
    "definition": given([None, "gini", "no such", 5]) | {"a function": lambda p: lambda left, right: 0.5},
    "limits": given(
        [
            None,
            {},
            {"max_depth": 2},
            {"min_samples_leaf": 3, "max_leaf_nodes": 4},
            {"no such": 1},
            {"max_depth": "a"},
            5,
            "word",
        ]
    ),
    "tables": given(
        [("ties",), ("ties", "duplicates", "constants", "copies", "real"), (), ("no such",), "ties", 5, None]
    ),
    "dtype": {"float64": lambda p: np.float64, "float32": lambda p: np.float32, "int": lambda p: int}
    | given(["float32", 5, None]),
    "function": {"None": lambda p: None, "sqrt": lambda p: math.sqrt, "NaN": lambda p: lambda n: math.nan}
    | given([5, "sqrt"]),
    "distances.clustering_distance.distance": _DISTANCES | {"sqrt": lambda p: JaccardDistance(math.sqrt)},
    "class_scores": {"None": lambda p: None, "rising": lambda p: np.arange(max(p.case["n_classes"], 2)) * 1.5}
    | _ARRAYS,
    "cost_matrix": _COST_MATRIX,
    "similarity": _first(_ARRAYS, "square"),
    "distances.GraphCut.weights": _first(_ARRAYS, "square"),
    "distances.Coverage.weights": {"None": lambda p: None} | _ARRAYS,
    "distances.ConcaveOfModular.weights": {"None": lambda p: None} | _ARRAYS,
    "fourier.distil.X": _X,
    "missing": {
        "None": lambda p: None,
        "all": lambda p: np.ones(p.d, dtype=bool),
        "gaps": lambda p: np.isnan(p.grid()).any(axis=0),
    }
    | _ARRAYS,
    "Tree.from_arrays.n_features": {"d": lambda p: p.d} | _NUMBERS,
    "data_home": _FOLDERS,
    "name": _TABLES,
    "testing.strategies.problems.weights": {
        "counts": lambda p: public_names()["testing.strategies.count_weights"],
        "none": lambda p: public_names()["testing.strategies.no_weights"],
    },
    "fourier.ModelStream.add.model": _models(),
    "nodes": _ARRAYS,
}
TABLES |= {
    f"fourier.{name}.cardinalities": _CARDINALITIES | {f"X, {key}": made for key, made in _X.items()}
    for name in ("sobol_indices", "partial_dependence", "anova_effects", "model_distance")
}
TABLES["testing.strategies.problems_with_categories.weights"] = TABLES["testing.strategies.problems.weights"]
TABLES |= {f"{name}.estimator": _models("an ordinal tree") for name in public_names() if name.endswith("_scorer")}
TABLES["random_state"] = _made(parameters.SPECIAL["random_state"])


def _dask(array, n_parts=3):
    import dask.array  # optional

    return dask.array.from_array(array, chunks=(-(-len(array) // n_parts), *array.shape[1:]))


def _dask_frame(array):
    import dask.dataframe  # optional

    frame = pd.DataFrame(array, columns=[f"x{m}" for m in range(array.shape[1])])
    return dask.dataframe.from_pandas(frame, npartitions=2)
