"""What ID3 trees and forests share: parameters that go together, and how a tree grows."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions

from .._engine import config_context, current_engine, kernel
from ..criteria import CRITERIA, CountCriterion, RankingImpurity, SequenceCriterion, WeightedInformationGain
from ..distances import DISTANCES, JaccardDistance, resolve
from ..input.categories import CATEGORICAL_CONSTRAINTS
from ..tree import Tree
from .base import BaseClassifier, size_limits
from .base_forest import FOREST_CONSTRAINTS
from .minimal import grow_by_size

# With more classes, the pairs of labels of a split outnumber the rows of most data sets.
_MANY_CLASSES = 100

# Permuting the clusters does not change these.
_KNOWS_NO_LABELS = ("information_gain", "gain_ratio", "nvi", "gini")

ID3_CONSTRAINTS = {
    "distance": [
        StrOptions({"mts"} | set(DISTANCES) | set(CRITERIA)),
        JaccardDistance,
        WeightedInformationGain,
        RankingImpurity,
        CountCriterion,
        SequenceCriterion,
    ],
    "evaluation": [StrOptions({"local", "global", "glocal"})],
    "labels": [StrOptions({"majority", "all"})],
    "stop": [StrOptions({"pure", "no_decrease"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    **CATEGORICAL_CONSTRAINTS,
    **{
        name: FOREST_CONSTRAINTS[name]
        for name in (
            "max_depth",
            "max_leaf_nodes",
            "min_samples_split",
            "min_samples_leaf",
            "max_features",
            "random_state",
        )
    },
}


class GrownTree(NamedTuple):
    """A tree, what its nodes predict or predicted as leaves, and in which order they were split."""

    tree: Tree
    labels: np.ndarray
    steps: np.ndarray


def grow(X, codes, weights, n_classes, distance, limits, seed, **options):
    """Grow one tree; under a set function of the user's on the reference engine, otherwise on the one in force.

    `options` are as of trees by criteria: n_threads, rows, n_categories.
    """
    if distance == "mts":
        if np.any(options.get("n_categories", 0)):
            raise ValueError("distance='mts' is about trees of thresholds: there can be no categorical features.")
        tree, steps = grow_by_size(X, codes, weights, n_classes, limits, options.get("rows"))
        return GrownTree(tree, tree.majority, steps)
    is_of_sets = isinstance(distance, tuple) and "function" in distance[1]
    with config_context(engine="reference" if is_of_sets else current_engine()):
        arrays = kernel("grow_by_distance")(X, codes, weights, n_classes, distance, seed=seed, **limits, **options)
    labels, steps = (np.asarray(arrays.pop(name), dtype=np.int64) for name in ("label", "split_step"))
    return GrownTree(Tree.from_arrays(arrays, X.shape[1]), labels, steps)


class BaseID3(BaseClassifier):
    """What ID3 trees and forests share: parameters that go together, and how a tree grows."""

    _judge_parameter = "distance"
    _resolve = staticmethod(resolve)
    _grow = staticmethod(grow)

    def _limits(self, n_samples, n_features):
        ways = {name: getattr(self, name) for name in ("evaluation", "labels", "stop")}
        return size_limits(self, n_samples, n_features) | ways

    def _validate_X_y(self, X, y):
        if self.evaluation == "local" and self.labels == "all":
            raise ValueError(
                "labels='all' needs evaluation='global' or 'glocal': a split that is judged within its leaf has no "
                "labels to choose."
            )
        if self.evaluation != "local" and not getattr(self._judge(), "knows_the_tree", False):
            known = sorted(name for name, distance in DISTANCES.items() if distance.knows_the_tree)
            raise ValueError(
                f"distance={self.distance!r} judges single leaves only: evaluation={self.evaluation!r} needs one of "
                f"{known} or a JaccardDistance."
            )
        X, codes, classes = super()._validate_X_y(X, y)
        if self.labels == "all" and self.distance in _KNOWS_NO_LABELS and len(classes) > 1:
            warnings.warn(
                f"distance={self.distance!r} does not know which cluster is which class: with labels='all' a leaf can "
                "get any of equally good labels, and predictions be those of another class.",
                stacklevel=2,
            )
        if self.labels == "all" and len(classes) > _MANY_CLASSES:
            warnings.warn(
                f"labels='all' tries all pairs of {len(classes)} classes as labels of a split, which is slow; "
                "labels='majority' tries one.",
                stacklevel=2,
            )
        return X, codes, classes

    def _rows_that_count(self, X, y, sample_weight, class_weight, order):
        rows, weights = super()._rows_that_count(X, y, sample_weight, class_weight, order)
        if weights is None:
            return rows, weights
        if isinstance(self.distance, JaccardDistance):
            raise ValueError("Rows have no weights under a JaccardDistance, which judges sets of them.")
        if self.evaluation != "local" and weights.dtype == np.float64:
            raise ValueError(
                f"evaluation={self.evaluation!r} counts rows: sample_weight times class_weight must give whole numbers "
                "of a sum below 2**24. evaluation='local' takes any weights."
            )
        return rows, weights
