"""Decision trees and forests for classes that have an order.

R. Ayllón-Gavilán, F. J. Martínez-Estudillo, D. Guijo-Rubio, C. Hervás-Martínez and P. A. Gutiérrez, "Splitting criteria
for ordinal decision trees: an experimental study", 2024.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._docstrings import described_like
from .._given_judges import CriterionLike
from .._judges import check_costs
from .._sklearn import StrOptions
from .._typing import (
    AnyArray,
    CategoricalFeatures,
    CategoricalSplit,
    ClassWeight,
    CodeArray,
    FloatArray,
    HandleUnknown,
    IntArray,
    LabelsLike,
    MatrixLike,
    MaxFeatures,
    MonotonicConstraints,
    OobScore,
    PredictRule,
    RandomState,
)
from ..input.class_scale import class_order, codes_in, ordered_categories, warn_of_other_order
from ..input.validation import validate_X_y, warn_of_words
from .base import MixedIn
from .cart import DecisionTreeClassifier
from .forest import DecisionForestClassifier

__all__ = ["OrdinalDecisionForestClassifier", "OrdinalDecisionTreeClassifier"]

# Sums of rounded shares this close to a tie count as tied. Whole counts are either tied or farther apart.
_TOLERANCE = 1e-12

# Criteria by whose name it is known that they look at the order of the classes.
_LOOK_AT_ORDER = ("ogini", "wig", "ranking", "mae")


def cumulative(weights: FloatArray) -> FloatArray:
    """Sum the weights up to every class, after scaling each sample's weights; the last sum is the total."""
    # Scaled by a power of two, which rounds nothing, to totals near 1: no multiple of a total overflows.
    return np.cumsum(np.ldexp(weights, -_exponent(weights, axis=1)), axis=1)


def _total_and_score(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the total weight of every sample, and the weighted sum of the ranks of its classes."""
    up_to = cumulative(weights)
    total = up_to[:, -1]
    # Class q is above q classes: its rank is q.
    return total, np.cumsum(total[:, np.newaxis] - up_to, axis=1)[:, -1]


def expected_score(weights: FloatArray) -> FloatArray:
    """Compute the mean rank in the order, from 0 to n_classes - 1; ndarray of shape (n_samples,)."""
    total, score = _total_and_score(weights)
    return score / total


def mode_class(weights: FloatArray) -> IntArray:
    """Return the class of the greatest weight, the lowest of several."""
    return weights.argmax(axis=1)


def median_class(weights: FloatArray) -> IntArray:
    """Return the lowest class whose cumulative weight is at least half of the total."""
    up_to = cumulative(weights)
    return (2.0 * up_to >= (1.0 - _TOLERANCE) * up_to[:, -1:]).argmax(axis=1)


def nearest_class(weights: FloatArray) -> IntArray:
    """Return the class nearest to the expected score, the lower one halfway between two."""
    total, score = _total_and_score(weights)
    nearest = np.zeros(len(weights), dtype=np.int64)
    for halves in range(1, 2 * weights.shape[1] - 2, 2):  # not divided: sums of whole counts are compared exactly
        nearest += 2.0 * score > (1.0 + _TOLERANCE) * halves * total
    return nearest


def cheapest_class(weights: Any, costs: Any) -> IntArray:
    """Return the class of the least expected cost, the lowest of several.

    `costs` has shape (n_classes, n_classes): rows are the classes of samples, columns the predicted classes.
    """
    with np.errstate(over="ignore"):
        largest = weights.sum(axis=1).max() * costs.max()
    if np.all(weights == np.floor(weights)) and np.all(costs == np.floor(costs)):
        if largest >= 2.0**53:
            weights, costs = (np.frompyfunc(int, 1, 1)(whole) for whole in (weights, costs))
        return _expected_costs(weights, costs).argmin(axis=1)
    # Scaled by powers of two, which round nothing, to weights and costs up to 1: no sum of them overflows.
    weights, costs = np.ldexp(weights, -_exponent(weights, axis=1)), np.ldexp(costs, -_exponent(costs))
    expected = _expected_costs(weights, costs)
    return (expected <= (1.0 + _TOLERANCE) * expected.min(axis=1, keepdims=True)).argmax(axis=1)


def _expected_costs(weights: FloatArray, costs: FloatArray) -> FloatArray:
    """Sum the costs of every prediction, in the order of the classes."""
    expected = weights[:, :1] * costs[0]
    for label in range(1, len(costs)):
        expected = expected + weights[:, label : label + 1] * costs[label]
    return expected


def _exponent(numbers: FloatArray, axis: int | None = None) -> CodeArray:
    return np.frexp(numbers.max(axis=axis, keepdims=True))[1]


RULES = {"mode": mode_class, "median": median_class, "expected": nearest_class}
BY_COST = "cost"  # the rule that needs a matrix of costs

ORDINAL_CONSTRAINTS: dict[str, list[Any]] = {
    "classes": ["array-like", None],
    "predict_rule": [StrOptions({*RULES, BY_COST})],
    "cost_matrix": ["array-like", None],
}


class OrdinalMixin(MixedIn):
    """Mixin of ordinal trees and forests: gives classes an order, and uses the order in predictions.

    A subclass has the method `_evidence(X)`, which returns for every sample the counts or shares of the classes.
    """

    _orders_classes: ClassVar[bool] = True

    def _validate_X_y(self, X: MatrixLike, y: LabelsLike) -> tuple[FloatArray, CodeArray, AnyArray]:
        coded = self._coded(y)
        if coded is None:
            X, codes, classes = super()._validate_X_y(X, y)
            self._warn_of_words(classes)
        else:
            codes, classes = coded
            X, codes, present = validate_X_y(self, X, codes, are_codes=True)
            if self.classes is None:
                classes = classes[present]
            else:
                codes = present[codes].astype(np.int32)
            self._check_class_weight(classes)
        self._check_costs(len(classes))
        return X, codes, classes

    def _warn_of_words(self, classes: AnyArray) -> None:
        """Warn if the classes are words in the order of the alphabet, and something looks at their order."""
        looks_at_order = (
            self._judge().name in _LOOK_AT_ORDER or self.predict_rule != "mode" or self.monotonic_cst is not None
        )
        if looks_at_order:
            warn_of_words(
                classes,
                "Give classes=[...] from the lowest to the highest, or y as an ordered pandas Categorical.",
            )

    def _check_costs(self, n_classes: int) -> FloatArray | None:
        """Check the costs and return them, or None if there are none; the rule "cost" needs them."""
        if self.cost_matrix is not None:
            return check_costs(self.cost_matrix, n_classes)
        if self.predict_rule == BY_COST:
            raise ValueError("predict_rule='cost' needs a cost_matrix.")
        return None

    def _coded(self, y: LabelsLike) -> tuple[IntArray, AnyArray] | None:
        """Return the codes of y in the given order, and the classes in it; None if no order or no y is given."""
        if self.classes is None:
            return ordered_categories(y)
        classes = class_order(self.classes)
        if y is None:
            return None
        codes = codes_in(y, classes)
        warn_of_other_order(y, classes)
        return codes, classes

    def _check_class_weight(self, classes: AnyArray) -> None:
        try:
            np.sort(classes)
        except TypeError:
            if self.class_weight is not None:
                raise ValueError(
                    "class_weight needs classes that can be sorted; sample_weight can weigh these."
                ) from None

    def _decide(self, weights: FloatArray) -> IntArray:
        if self.predict_rule == BY_COST:
            return cheapest_class(weights, self._check_costs(weights.shape[1]))
        if self.predict_rule not in RULES:  # set after fit
            raise ValueError(f"predict_rule must be one of {sorted([*RULES, BY_COST])}, got {self.predict_rule!r}.")
        return RULES[self.predict_rule](weights)

    def _codes(self, X: MatrixLike) -> IntArray:
        return self._decide(self._evidence(X))

    @described_like(DecisionTreeClassifier.predict)
    def predict(self, X: MatrixLike) -> AnyArray:
        """Predict the class of every sample by `predict_rule`."""
        check_is_fitted(self)
        return self.classes_.take(self._codes(X))

    @described_like(DecisionTreeClassifier.encode)
    def predict_cumulative_proba(self, X: MatrixLike) -> FloatArray:
        """Predict the cumulative probabilities: for every class, the probability of this class or a lower one.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            In the order of `classes_`; never falling from one class to the next, and exactly 1 for the last.
        """
        check_is_fitted(self)
        up_to = cumulative(self._evidence(X))
        return up_to / up_to[:, -1:]

    @described_like(DecisionTreeClassifier.encode)
    def predict_expected_score(self, X: MatrixLike) -> FloatArray:
        """Predict the expected rank of the class in the order.

        Returns
        -------
        ndarray of shape (n_samples,), float64
            The mean of 0, 1, ..., n_classes - 1 by `predict_proba`.
        """
        check_is_fitted(self)
        return expected_score(self._evidence(X))


@described_like(DecisionTreeClassifier)
class OrdinalDecisionTreeClassifier(OrdinalMixin, DecisionTreeClassifier):
    """A decision tree for classes that stand in an order, such as grades or levels of severity.

    It differs from a :class:`DecisionTreeClassifier` in three things: criteria that penalise distant classes in one
    node more than near ones [1]_, an order of the classes that need not be the sorted one, and predictions that can use
    it.

    Parameters
    ----------
    criterion : str or criterion object, default="ogini"
        The measure of a split's gain: ``"ogini"``, the ordinal Gini index of cumulative class frequencies (Eq. 5 of
        [1]_), ``"wig"``, weighted information gain (Eq. 10), ``"ranking"`` impurity (Eq. 12), or ``"mae"``, the
        absolute error in ranks on the scale; others, and objects of :mod:`pytrees.criteria`, as in
        :class:`DecisionTreeClassifier`. Class scores of these objects are in the order of `classes_`.
    classes : array-like of shape (n_classes,), default=None
        All classes, from the lowest to the highest, of any types. They become `classes_`, and a class that y lacks has
        probability 0: the ordinal criteria, distances and cumulative probabilities use the whole scale. None: the order
        of the categories if y is an ordered pandas Categorical, or a column of one, without the categories that y
        lacks; otherwise the sorted order, also for unordered categories, with a warning if three or more classes are
        words and the criterion, the rule or `monotonic_cst` looks at their order.
    predict_rule : {"mode", "median", "expected", "cost"}, default="mode"
        The prediction from the class counts in a sample's leaf: the most frequent class, the lowest of several; the
        lowest class whose cumulative probability reaches one half; the class nearest to the expected score of the
        ranks 0, 1, ..., the lower one exactly halfway; or the class of the least expected cost by `cost_matrix`, the
        lowest of several. On the samples of the leaf these rules make the fewest errors, the least absolute distance,
        the least squared distance in ranks, and the least cost. Whole counts and whole costs are compared exactly;
        otherwise all rules but ``"mode"`` take numbers within 1e-12 of a tie for tied. Fitting does not depend on the
        rule: ``set_params`` can change it afterwards.
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        The cost of a prediction, by the class of the sample (row) and the predicted class (column), both in the order
        of `classes_`: finite, and not negative. Only ``predict_rule="cost"`` needs and uses it; a tree grows by the
        costs of :class:`pytrees.criteria.RankingImpurity`.
    monotonic_cst : array-like of int of shape (n_features,), dict of str to int, or None, default=None
        As in :class:`DecisionTreeClassifier`, for any number of classes: along a feature of 1 the expected score, the
        mean of the ranks 0, 1, ... by `predict_proba`, must not fall, along a feature of -1 not rise. Single
        probabilities may do both, and so may predictions other than by ``predict_rule="expected"``. See the Notes.
    handle_unknown : {"error", "majority"}, default="error"
        As in :class:`DecisionTreeClassifier`; samples that stay at a node are predicted from its counts by
        `predict_rule`.
    class_weight : dict, "balanced" or None, default=None
        As in :class:`DecisionTreeClassifier`; only for classes that can be sorted.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays; its classes are in the order of `classes_`.
    classes_ : ndarray of shape (n_classes,)
        The classes, from the lowest to the highest: not always sorted.

    Raises
    ------
    ValueError
        From `fit`: as in :meth:`DecisionTreeClassifier.fit`; also if `classes` is empty, holds a class twice or a
        missing value, or has no order (a set), or if y has a class that is not in it; if `cost_matrix` is not a matrix
        of costs of all classes, or is absent with ``predict_rule="cost"``.

    Warns
    -----
    UserWarning
        From `fit`: if y is an ordered Categorical whose order contradicts `classes`, which is used.

    See Also
    --------
    OrdinalDecisionForestClassifier : Many of them.
    pytrees.metrics : Measures and scorers that know the order of `classes_`.

    Notes
    -----
    Growth costs as much as for :class:`DecisionTreeClassifier`; a prediction by median or expectation takes
    O(n_classes) more.

    If the bounds of `monotonic_cst` raise the expected score of a leaf, the same part of every class counts for the
    next higher class, and for the next lower class if they lower the score. Values and bounds are compared exactly;
    scores of two classes keep the constraint to the last bit, and scores of more classes, which are sums of rounded
    probabilities, to some 1e-15.

    Parts of scikit-learn ignore an order of words that is not the sorted order. Its scorers of probabilities
    (``"roc_auc"``, ``"neg_log_loss"``) take the columns as sorted and give wrong values. Tools that code the labels on
    their own, such as ``cross_val_predict(method="predict_proba")``, bagging and voting, pass on the codes of sorted
    labels: these are not among `classes`, and the order of categories is lost. `pytrees.metrics` knows the order, and
    with classes 0, 1, ..., in their order, everything does. scikit-learn's metrics, including `score`, refuse labels of
    mixed types. Exported trees show the most frequent classes, whatever the rule; ``to_sklearn`` refuses a rule that
    predicts others.

    References
    ----------
    .. [1] R. Ayllón-Gavilán et al., "Splitting criteria for ordinal decision trees: an experimental study", 2024.

    Examples
    --------
    >>> from pytrees import OrdinalDecisionTreeClassifier
    >>> X = [[1], [1], [1], [1], [1], [2], [2]]
    >>> y = ["low", "low", "medium", "high", "high", "high", "high"]
    >>> tree = OrdinalDecisionTreeClassifier(classes=["low", "medium", "high", "extreme"]).fit(X, y)
    >>> tree.predict_cumulative_proba([[1], [2]])
    array([[0.4, 0.6, 1. , 1. ],
           [0. , 0. , 1. , 1. ]])
    >>> tree.predict([[1], [2]])
    array(['low', 'high'], dtype='<U7')
    >>> tree.set_params(predict_rule="median").predict([[1], [2]])
    array(['medium', 'high'], dtype='<U7')

    Costs, if too low a prediction is worse than too high a one:

    >>> costs = [[0, 1, 2, 3], [5, 0, 1, 2], [10, 5, 0, 1], [15, 10, 5, 0]]
    >>> tree.set_params(predict_rule="cost", cost_matrix=costs).predict([[1], [2]])
    array(['high', 'high'], dtype='<U7')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DecisionTreeClassifier._parameter_constraints,
        **ORDINAL_CONSTRAINTS,
    }

    def __init__(
        self,
        criterion: CriterionLike = "ogini",
        *,
        classes: LabelsLike | None = None,
        predict_rule: PredictRule = "mode",
        cost_matrix: ArrayLike | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_candidates: int | None = None,
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "subset",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_leaf_nodes=max_leaf_nodes,
            max_features=max_features,
            min_gain=min_gain,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            max_candidates=max_candidates,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            handle_unknown=handle_unknown,
            categorical_split=categorical_split,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.classes = classes
        self.predict_rule = predict_rule
        self.cost_matrix = cost_matrix

    def _evidence(self, X: MatrixLike) -> FloatArray:
        return self.tree_._evidence.take(self.apply(X), axis=0)

    def _codes(self, X: MatrixLike) -> IntArray:
        leaves, value = self.apply(X), self.tree_._evidence
        if len(leaves) < len(value):
            return self._decide(value.take(leaves, axis=0))
        return self._decide(value).take(leaves)


@described_like(DecisionForestClassifier, OrdinalDecisionTreeClassifier)
class OrdinalDecisionForestClassifier(OrdinalMixin, DecisionForestClassifier):
    """A random forest for classes that stand in an order.

    A :class:`DecisionForestClassifier` of ordinal trees: class probabilities are the mean over the trees of the class
    shares in their leaves.

    Parameters
    ----------
    criterion : str or criterion object, default="ogini"
        As in :class:`OrdinalDecisionTreeClassifier`.
    predict_rule : {"mode", "median", "expected", "cost"}, default="mode"
        As in :class:`OrdinalDecisionTreeClassifier`, applied to the mean shares.
    oob_score : bool or callable, default=False
        As in :class:`DecisionForestClassifier`; the scored predictions are made by `predict_rule`.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        As in :class:`DecisionForestClassifier`; only for classes that can be sorted.

    Attributes
    ----------
    estimators_ : list of OrdinalDecisionTreeClassifier
        The fitted trees; `random_state` of each is its seed.
    classes_ : ndarray of shape (n_classes,)
        The classes, from the lowest to the highest: not always sorted.

    Raises
    ------
    ValueError
        From `fit`: as in :meth:`DecisionForestClassifier.fit`; also as :class:`OrdinalDecisionTreeClassifier` says.

    See Also
    --------
    OrdinalDecisionTreeClassifier : One such tree; its notes hold for forests too.

    Examples
    --------
    >>> from pytrees import OrdinalDecisionForestClassifier
    >>> from pytrees.datasets import make_balance_scale
    >>> from pytrees.metrics import mae_scorer
    >>> X, y = make_balance_scale()
    >>> forest = OrdinalDecisionForestClassifier(20, predict_rule="median", random_state=0).fit(X[::2], y[::2])
    >>> mae_scorer(forest, X[1::2], y[1::2]) > -0.3
    True
    >>> forest.predict_cumulative_proba(X[:3]).shape
    (3, 3)
    """

    estimators_: list[OrdinalDecisionTreeClassifier]

    _tree_class = OrdinalDecisionTreeClassifier

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DecisionForestClassifier._parameter_constraints,
        **ORDINAL_CONSTRAINTS,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: CriterionLike = "ogini",
        classes: LabelsLike | None = None,
        predict_rule: PredictRule = "mode",
        cost_matrix: ArrayLike | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        max_features: MaxFeatures = "sqrt",
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_candidates: int | None = None,
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = None,
        handle_unknown: HandleUnknown = "error",
        categorical_split: CategoricalSplit = "subset",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: OobScore = False,
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_leaf_nodes=max_leaf_nodes,
            max_features=max_features,
            min_gain=min_gain,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            max_candidates=max_candidates,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            handle_unknown=handle_unknown,
            categorical_split=categorical_split,
            bootstrap=bootstrap,
            max_samples=max_samples,
            oob_score=oob_score,
            class_weight=class_weight,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )
        self.classes = classes
        self.predict_rule = predict_rule
        self.cost_matrix = cost_matrix

    def _evidence(self, X: MatrixLike) -> FloatArray:
        return self.predict_proba(X)
