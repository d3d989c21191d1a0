"""What forests share: seeds drawn up front, trees grown in parallel, votes."""

from math import ceil
from numbers import Integral
from typing import ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ._base import GROWTH_CONSTRAINTS, BaseClassifier, grow, growth_limits, unchanged_on_error
from ._engine import config_context, current_engine, kernel
from ._progress import Progress
from ._validation import row_order, validate_X, validate_X_y

# Fewer are walked sooner than a worker starts.
_FEWEST_ROWS_OF_A_WORKER = 1024

FOREST_CONSTRAINTS = {
    **GROWTH_CONSTRAINTS,
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "bootstrap": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


def in_order(n_jobs, prefer):
    """joblib's Parallel, giving results one by one where its backend can: all but multiprocessing."""
    try:
        return Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")
    except ValueError:
        return Parallel(n_jobs=n_jobs, prefer=prefer)


def _grow_from_seed(engine, X, codes, n_classes, criterion, limits, bootstrap, seed):
    """One tree of a forest, on its own arrangement of the rows: everything follows from the seed."""
    random_state = np.random.RandomState(seed)  # its streams are the same in every version of NumPy
    rows = random_state.randint(len(X), size=len(X)) if bootstrap else random_state.permutation(len(X))
    with config_context(engine=engine):
        return grow(X[rows], codes[rows], None, n_classes, criterion, limits, seed)


def sum_votes(trees, X, n_jobs=None):
    """How many of the trees vote for each class, row by row; ndarray of shape (n_rows, n_classes), float64."""
    if all(tree.worth_packing(len(X)) for tree in trees):
        return _sums("sum_votes", trees, [tree.majority for tree in trees], X, n_jobs)
    votes = np.zeros((len(X), trees[0].n_classes))
    rows = np.arange(len(X))
    for tree in trees:
        votes[rows, tree.majority_at(tree.apply_valid(X))] += 1.0
    return votes


def sum_shares(trees, X, n_jobs=None):
    """The sum over the trees, in their order, of the class shares of every row's leaf; as `sum_votes` gives it."""
    if all(tree.worth_packing(len(X)) for tree in trees):
        return _sums("sum_values", trees, [tree.shares for tree in trees], X, n_jobs)
    shares = np.zeros((len(X), trees[0].n_classes))
    for tree in trees:
        shares += tree.shares_at(tree.apply_valid(X))
    return shares


def _sums(function, trees, of_nodes, X, n_jobs):
    """Every worker sums over all the trees for rows of its own: sums do not depend on the number of workers."""
    packed, n_classes = [tree.packed() for tree in trees], trees[0].n_classes
    n_parts = min(effective_n_jobs(n_jobs), ceil(len(X) / _FEWEST_ROWS_OF_A_WORKER))
    if n_parts == 1:
        return _part_of_sums(current_engine(), function, packed, of_nodes, n_classes, X)
    parts = in_order(n_jobs, prefer="threads")(
        delayed(_part_of_sums)(current_engine(), function, packed, of_nodes, n_classes, rows)
        for rows in np.array_split(X, n_parts)
    )
    return np.concatenate(list(parts))


def _part_of_sums(engine, function, packed, of_nodes, n_classes, X):
    with config_context(engine=engine):
        return np.asarray(kernel("traverse", function)(packed, of_nodes, n_classes, X), dtype=np.float64)


class BaseForestClassifier(BaseClassifier):
    """Trees on rearranged rows, and their majority vote.

    A subclass names its trees' class as `_tree_class`, whose parameters it shares by name.
    """

    _parameter_constraints: ClassVar[dict] = FOREST_CONSTRAINTS

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X, y, *, order=None):
        with unchanged_on_error(self):
            X, codes, classes = validate_X_y(self, X, y)
            rows = row_order(order, len(X))
            if rows is not None:
                X, codes = np.ascontiguousarray(X[rows]), codes[rows]
            random_state = check_random_state(self.random_state)
            seeds = random_state.randint(np.iinfo(np.int32).max, size=self.n_estimators).tolist()
            limits = growth_limits(self, *X.shape)
            engine = current_engine()
            # The kernels release the interpreter's lock; the reference never does.
            parallel = in_order(self.n_jobs, prefer="threads" if engine == "compiled" else "processes")
            grown = parallel(
                delayed(_grow_from_seed)(engine, X, codes, len(classes), self.criterion, limits, self.bootstrap, seed)
                for seed in seeds
            )
            trees = []
            with Progress(len(seeds), "trees", enabled=bool(self.verbose)) as progress:
                for tree in grown:
                    trees.append(tree)
                    progress.advance()
            self.classes_, self.n_classes_ = classes, len(classes)
            self.estimators_ = [self._wrap(tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
        return self

    def _wrap(self, tree, seed):
        """The tree as a fitted estimator of its own."""
        names = self._tree_class._get_param_names()
        parameters = {name: getattr(self, name) for name in names if hasattr(self, name)}
        estimator = self._tree_class(**{**parameters, "random_state": seed})
        estimator.classes_, estimator.n_classes_, estimator.tree_ = self.classes_, self.n_classes_, tree
        estimator.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            estimator.feature_names_in_ = self.feature_names_in_
        return estimator

    def predict(self, X):
        """Predict by majority vote of the trees, the lowest of several classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), of the classes' dtype
        """
        votes = self._count_votes(X)
        return self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X):
        """The share of the trees that vote for each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`.
        """
        return self._count_votes(X) / len(self.estimators_)

    def _count_votes(self, X):
        check_is_fitted(self)
        X = validate_X(self, X)
        return sum_votes(self._trees(), X, self.n_jobs)

    def _trees(self):
        """The trees, known to be of one kind: an exchanged one of another would walk out of the arrays."""
        trees = [estimator.tree_ for estimator in self.estimators_]
        for tree in trees:
            if (tree.n_features, tree.n_classes) != (self.n_features_in_, self.n_classes_):
                raise ValueError(
                    f"The forest has {self.n_features_in_} features and {self.n_classes_} classes; estimators_ holds a "
                    f"tree of {tree.n_features} features and {tree.n_classes} classes."
                )
        return trees

    def apply(self, X):
        """The leaf that every row comes to in every tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_estimators), int64
        """
        check_is_fitted(self)
        X = validate_X(self, X)
        return np.column_stack([tree.apply_valid(X) for tree in self._trees()])

    @property
    def feature_importances_(self):
        """Mean over the trees of every feature's share in the total gain; ndarray of shape (n_features,)."""
        check_is_fitted(self)
        return np.mean([estimator.feature_importances_ for estimator in self.estimators_], axis=0)
