"""Random forests: trees on bootstrap samples, each node looking at some of the features."""

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import gen_even_slices
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.parallel import delayed

from .._engine import config_context
from ..input.categories import encode
from ..input.validation import MAX_SAMPLES, counts_where_exact
from .base import unchanged_on_error
from .base_forest import FOREST_CONSTRAINTS, BaseForestClassifier, in_order, sum_shares
from .cart import DecisionTreeClassifier

__all__ = ["DecisionForestClassifier"]


def all_rows(random_state, n_rows, weights):
    """Every tree's rows where nothing is drawn."""
    return None, weights


def draw_sequence(random_state, n_rows, weights, *, n_draws):
    """A tree's rows drawn with replacement, in the order of the draws; for criteria without weights."""
    return random_state.randint(n_rows, size=n_draws), weights


def draw_counts(random_state, n_rows, weights, *, n_draws):
    """The rows that are drawn at least once, in their own order, each weighted by how often it was drawn."""
    counts = np.bincount(random_state.randint(n_rows, size=n_draws), minlength=n_rows)
    places = np.flatnonzero(counts)
    counts = counts[places]
    return places, counts_where_exact(counts if weights is None else counts * weights[places])


def _sum_out_of_bag(plan, trees, seeds, block):
    """For a block of rows: class shares added over the trees that have not seen the row, and how many these are."""
    X = plan.X[block]
    total, n_trees = np.zeros((len(X), plan.n_classes)), np.zeros(len(X), dtype=np.int64)
    with config_context(engine=plan.engine):
        for tree, seed in zip(trees, seeds, strict=True):
            unseen = np.ones(len(plan.X), dtype=bool)
            unseen[plan.arrange(seed)[0]] = False  # drawn again: to keep all draws would take more room than the trees
            rows = np.flatnonzero(unseen[block])
            total[rows] += tree.shares_at(tree.apply_valid(X[rows]))
            n_trees[rows] += 1
    return total, n_trees


class DecisionForestClassifier(BaseForestClassifier):
    """A random forest: decision trees on bootstrap samples of the rows, each node looking at some of the features.

    Class probabilities are the mean over the trees of the class shares in their leaves (as in scikit-learn; [1]_ takes
    votes). The forest is the same on both engines, for every number of threads, and on every machine.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : str or criterion object, default="gini"
        As in :class:`DecisionTreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes, min_gain, max_candidates
        Of every tree, as in :class:`DecisionTreeClassifier`. Numbers of rows are those of different rows, and fractions
        of them refer to all rows that could be drawn.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        How many features, drawn at random for every node, are looked at for its split; as in
        :class:`DecisionTreeClassifier`.
    categorical_features, handle_unknown
        As in :class:`DecisionTreeClassifier`. All trees know the categories of all rows.
    bootstrap : bool, default=True
        Draw the rows of every tree with replacement, all with the same probability. Rows stay in their order and weigh
        as often as they were drawn, which grows the tree of the repeated rows; with ``criterion="etc"``, whose
        sequences have no weights, they are repeated in the order of the draws. False: all rows for every tree.
    max_samples : int, float or None, default=None
        With `bootstrap`, how many rows are drawn for a tree: a number, or a fraction of all rows, rounded down but at
        least 1; rows of weight 0 do not count. Either can go beyond the number of rows. None: as many as there are.
    oob_score : bool or callable, default=False
        With `bootstrap`, judge the forest on the rows that its trees have not seen: by accuracy, or by a function
        ``metric(y_true, y_pred)`` of the class labels.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn, from all rows; not with ``criterion="etc"``.
    n_jobs : int or None, default=None
        Trees grown at once, through joblib. The forest is the same for every number and every backend.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for every tree, before any of them grows.
    verbose : int, default=0
        Show a progress bar on standard error.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The fitted trees; `random_state` of each is its seed.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_, n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where X had column names.
    is_categorical_, categories_
        As in :class:`DecisionTreeClassifier`.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Mean over the trees.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes), float64
        Only with `oob_score`. For every row the mean over the trees that have not seen it; NaN where all have.
    oob_score_ : float
        Only with `oob_score`. Of the rows that some tree has not seen; NaN where there are none.

    See Also
    --------
    DecisionTreeClassifier : One such tree.
    PermutationDecisionForestClassifier : Trees that differ by the order of their rows.

    Notes
    -----
    A tree costs about what a :class:`DecisionTreeClassifier` with this `max_features` costs on the about 63 % of the
    rows that are drawn. What has to be sorted is sorted once for all trees, and no tree copies a row of X. Prediction
    costs O(n_samples · (depth + n_classes)) a tree.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 5-32, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = DecisionForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> round(forest.oob_score_, 2)
    0.95
    """

    _tree_class = DecisionTreeClassifier
    _sums = staticmethod(sum_shares)

    _parameter_constraints: ClassVar[dict] = {
        **FOREST_CONSTRAINTS,
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, None, closed="neither"),
            None,
        ],
        "oob_score": ["boolean", callable],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        max_leaf_nodes=None,
        max_features="sqrt",
        min_gain=None,
        max_candidates=None,
        categorical_features=None,
        handle_unknown="error",
        bootstrap=True,
        max_samples=None,
        oob_score=False,
        class_weight=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, order=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, taken as float64; in categorical features, values of any type that can be sorted.
        y : array-like of shape (n_samples,)
            Class labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, not negative; rows of weight 0 are left out. They do not change what is drawn: a row
            weighs its weight times how often it was drawn. Not with ``criterion="etc"``.
        order : array-like of shape (n_samples,), optional
            Sortable keys, such as time stamps. The rows are put into their order before they are drawn, so that the
            forest does not depend on how they are stored. Key i belongs to row i. Without `bootstrap`, this is the
            order of the sequence for ``criterion="etc"``.

        Returns
        -------
        DecisionForestClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            As in :meth:`DecisionTreeClassifier.fit`; also if `oob_score` or `max_samples` is given without `bootstrap`,
            or more rows are to be drawn for a tree than can be fitted.

        Warns
        -----
        UserWarning
            If every tree has seen some row, so that `oob_score` cannot judge it.
        """
        with unchanged_on_error(self):
            for name in ("oob_decision_function_", "oob_score_"):
                vars(self).pop(name, None)  # of an earlier fit
            plan = self._fit(X, y, sample_weight=sample_weight, class_weight=self.class_weight, order=order)
            if self.oob_score:
                if self.is_categorical_ is not None:  # rows of weight 0 can have values that fit has not seen
                    plan = replace(plan, X=encode(self, X, handle_unknown="majority"))
                self._judge_out_of_bag(plan)
        return self

    def _make_draw(self, n_rows):
        if not self.bootstrap:
            for name in ("oob_score", "max_samples"):
                if getattr(self, name):
                    raise ValueError(f"{name} needs bootstrap=True: without it, every tree sees all rows.")
            return all_rows
        n_draws = self.max_samples
        if n_draws is None:
            n_draws = n_rows
        elif not isinstance(n_draws, Integral):
            n_draws = max(1, n_draws * n_rows)
        if n_draws > MAX_SAMPLES:
            raise ValueError(
                f"max_samples={self.max_samples} draws more than {MAX_SAMPLES} rows, which cannot be fitted."
            )
        draw = draw_counts if self._judge().judges == "counts" else draw_sequence
        return partial(draw, n_draws=int(n_draws))

    def _judge_out_of_bag(self, plan):
        trees = [estimator.tree_ for estimator in self.estimators_]
        seeds = [estimator.random_state for estimator in self.estimators_]
        blocks = gen_even_slices(len(plan.X), min(len(plan.X), effective_n_jobs(self.n_jobs)))
        parts = in_order(self.n_jobs, prefer="threads")(
            delayed(_sum_out_of_bag)(plan, trees, seeds, block) for block in blocks
        )
        total, n_trees = (np.concatenate(part) for part in zip(*parts, strict=True))
        judged = n_trees > 0
        if not judged.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                stacklevel=3,
            )
        self.oob_decision_function_ = np.full(total.shape, np.nan)
        self.oob_decision_function_[judged] = total[judged] / n_trees[judged, None]
        self.oob_score_ = np.nan
        if judged.any():
            from sklearn.metrics import accuracy_score  # here: it takes longer to import than all of this package

            true, predicted = plan.codes[judged], self._decide(self.oob_decision_function_[judged])
            if callable(self.oob_score):
                self.oob_score_ = self.oob_score(self.classes_[true], self.classes_[predicted])
            else:
                self.oob_score_ = accuracy_score(true, predicted)
