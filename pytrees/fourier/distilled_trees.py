"""Common parts of the estimators that are a few orthogonal trees: they fit an ensemble, and distil it."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, Interval, rows_of
from .._typing import AnyArray, FloatArray, MatrixLike, Measure, RandomState
from ..input.validation import row_weights, validate_X
from ..tree import Tree
from ..trees.base import unchanged_on_error
from .additive import AdditiveModel, additive_for, reader_of
from .base import REBUILD_CONSTRAINTS, MadeOfTreesMixin, fitted_to
from .codes import OrdinalCodes, with_value
from .distilled import DistilledModel, distilled
from .measures import measure_of
from .named_trees import NamedTree, Names
from .rebuild import Limits


class DistilledTreesMixin(MadeOfTreesMixin):
    """Mixin of estimators that distil an ensemble: their parameters, `fit`, and the sums of their trees."""

    trees_: NDArray[np.object_]
    intercept_: FloatArray
    distilled_: DistilledModel

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
        **{name: REBUILD_CONSTRAINTS[name] for name in ("max_depth", "measure", "random_state", "verbose")},
    }

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_trees: int = 1,
        max_leaf_nodes: int = 32,
        max_depth: int | None = None,
        measure: Measure = "empirical",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_trees = n_trees
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.measure = measure
        self.random_state = random_state
        self.verbose = verbose

    def _given(self) -> Any:
        """Return the estimator to distil, perhaps a default; raise TypeError if it predicts something else."""
        raise NotImplementedError

    def _checked(self, X: Any, y: Any, codes: OrdinalCodes | None = None) -> tuple[FloatArray, Any, AnyArray | None]:
        """Validate X and y, by the categories in `codes` if these are given; return X, y as the ensemble is fitted to
        it, and the classes in y, None for numbers."""
        raise NotImplementedError

    def _outcome(self, additive: AdditiveModel, classes: AnyArray | None) -> AnyArray | None:
        """Return the classes that a model predicts, None for numbers; raise ValueError if it does not predict what this
        estimator predicts."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        with unchanged_on_error(self):
            given = self._given()
            if isinstance(given, FrozenEstimator):
                additive = additive_for(given, X)
                checked, _, classes = self._checked(X, y, additive.codes)
                weights = row_weights(checked, y, sample_weight, None)
            else:
                reader_of(given)  # an estimator that cannot be read is not fitted first
                checked, y, _ = self._checked(X, y)
                weights = row_weights(checked, y, sample_weight, None)
                additive = additive_for(fitted_to(clone(given), self.random_state, X, y, weights), X)
                if weights is not None and not weights.all():
                    kept = np.flatnonzero(weights)  # the estimator has not learned categories of other samples
                    X, y, weights = rows_of(X, kept), rows_of(y, kept), weights[kept]
                _, _, classes = self._checked(X, y, additive.codes)
            outcome = self._outcome(additive, classes)
            self._distil(additive, X, weights)
            self._know(outcome)

    def _distil(self, additive: AdditiveModel, X: MatrixLike, weights: AnyArray | None) -> None:
        """Distil a model, and keep the trees."""
        of_samples = isinstance(self.measure, str) and self.measure in ("empirical", "joint")
        rows = additive.codes.transform(X) if of_samples else None
        under = measure_of(self.measure, additive.cardinalities, rows, weights)
        limits = Limits("variance", 0.0, self.max_depth, self.max_leaf_nodes, None)
        few = distilled(additive, under, self.n_trees, limits, self.verbose)
        trees: NDArray[np.object_] = np.empty((len(few.values), few.n_outputs), dtype=object)
        for t, (tree, values) in enumerate(few.decoded):
            for output in range(few.n_outputs):
                trees[t, output] = self._of_numbers(tree, values[:, [output]], few.codes)
        self.trees_, self.intercept_, self.distilled_ = trees, few.baseline, few

    def _of_numbers(self, tree: Tree, values: FloatArray, codes: OrdinalCodes) -> Tree:
        """Return a tree of numbers with the names that `fit` has seen."""
        of_numbers = with_value(tree, values, weighted_n_node_samples=tree.weighted_n_node_samples)
        feature_names = getattr(self, "feature_names_in_", codes.feature_names)
        return NamedTree.of(of_numbers, Names(feature_names, codes.is_categorical, codes.categories, codes._encoder))

    def _sums(self, X: MatrixLike) -> FloatArray:
        """Return the sums of the leaves of samples and the intercept; (n_samples, n_outputs) float64."""
        check_is_fitted(self)
        X = validate_X(self, X)
        outputs = np.tile(self.intercept_, (len(X), 1))
        for trees in self.trees_:
            leaves = trees[0]._apply_valid(X)
            outputs += np.hstack([tree.value[leaves] for tree in trees])
        return outputs
