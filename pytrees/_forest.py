"""What forests share: seeds drawn up front, trees grown in parallel, votes."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ._base import GROWTH_CONSTRAINTS, BaseClassifier, grow, growth_limits, unchanged_on_error
from ._engine import config_context, current_engine
from ._progress import Progress
from ._validation import row_order, validate_X, validate_X_y

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


def _votes(engine, trees, X):
    """How many of the trees vote for each class, row by row."""
    with config_context(engine=engine):
        votes = np.zeros((len(X), trees[0].n_classes))
        rows = np.arange(len(X))
        for tree in trees:
            votes[rows, tree.majority[tree.apply_valid(X)]] += 1
        return votes


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
        # The forest's jobs are whole trees: each of them grows on one thread.
        parameters = {name: getattr(self, name) for name in names if hasattr(self, name) and name != "n_jobs"}
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
        X = validate_X(self, X, reset=False)
        trees = [estimator.tree_ for estimator in self.estimators_]
        parallel = in_order(self.n_jobs, prefer="threads")
        engine = current_engine()
        counted = parallel(delayed(_votes)(engine, trees[i : i + 16], X) for i in range(0, len(trees), 16))
        return sum(counted)

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
        X = validate_X(self, X, reset=False)
        return np.column_stack([estimator.tree_.apply_valid(X) for estimator in self.estimators_])

    @property
    def feature_importances_(self):
        """Mean over the trees of every feature's share in the total gain; ndarray of shape (n_features,)."""
        check_is_fitted(self)
        return np.mean([estimator.feature_importances_ for estimator in self.estimators_], axis=0)
