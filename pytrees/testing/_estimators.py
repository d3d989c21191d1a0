"""Check fitted trees against the reference: every split, leaf, threshold and prediction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import check_consistent_length, column_or_1d

from .._docstrings import described_like
from .._judges import OwnCriterion
from .._numbers import check_array
from .._typing import AnyArray, FloatArray, IntArray, LabelsLike, MatrixLike, is_whole
from ..input.labels import label_column
from ..input.validation import check_sample_weight
from ..tree import Tree
from ._causes import causes_of
from ._limits import Limits, checked_limits, parameters_of
from ._nodes import AnySamples, Cut, Node, Samples
from ._numbers import NumberSamples
from ._read import check_tolerance, checked_criterion, checked_table, generator_of, read_tree
from ._reports import BELOW_ERRORS, NO_PREDICT, Hints, TreeCheckError, TreeReport, code_of, keep_example
from ._tables import KINDS, draw_table
from ._walk import Walk

# More samples or features of a table would take days.
_LARGEST_TABLE = 10_000
# The kinds of tables that every implementation should take.
_USUAL = ("ties", "duplicates", "constants", "copies", "real")


def check_tree(
    tree: Any,
    X: MatrixLike,
    y: LabelsLike,
    criterion: Any,
    *,
    sample_weight: ArrayLike | None = None,
    limits: Mapping[str, Any] | None = None,
    ties: Literal["any", "first"] = "any",
    tolerance: float = 1e-12,
    dtype: type[np.floating] = np.float64,
) -> TreeReport:
    """Check every node of a tree with the samples that it was grown on; raise an error unless all are right.

    The reference computes the gain of every cut of every node; gains of numbers are recomputed from the targets, in
    fractions. The split of a node must be exactly the best, or tie with the best, or gain less by no more than the
    tolerance; the three cases are counted. Leaves must be pure, at a limit, or have no cut that gains more than the
    tolerance. Numbers of samples, class counts, predicted numbers, impurities, gains and predictions must be right.

    Parameters
    ----------
    tree : Tree, fitted estimator or dict
        One tree with thresholds, as :func:`assert_trees_equal` takes it. If it has ``predict``, predictions are
        checked.
    X : array-like of shape (n_samples, n_features)
        Its training samples. Missing values are NaN.
    y : array-like of shape (n_samples,)
        Their classes, or numbers.
    criterion : str or criterion object
        The criterion of the splits: a name in ``pytrees.criteria.CRITERIA``, or an object, also one of your own; or
        ``"squared_error"`` or ``"absolute_error"`` for a tree of numbers. With ``monotonic_cst``, absolute errors
        compare lower medians in trees of pytrees, and the middle of both medians in others.
    sample_weight : array-like of shape (n_samples,), optional
        Weights: whole numbers, above 0.
    limits : dict, optional
        Limits that the tree was grown with, by scikit-learn's names: ``max_depth``, ``min_samples_split``,
        ``min_samples_leaf``, ``min_weight_fraction_leaf``, ``max_leaf_nodes``, ``min_impurity_decrease``,
        ``monotonic_cst``; and ``min_gain``. By default the estimator's own; a tree has none.
    ties : {"any", "first"}, default="any"
        Whether any of several equally good splits is right, or only the first, by feature and then by threshold.
    tolerance : float, default=1e-12
        A split counts as ``"within rounding"`` if it gains less than the best by no more than this, relative to the
        greater of a unit and the best gain. The unit is 1; in a tree of numbers by squared or absolute error, the
        impurity of all samples, unless that is 0. A leaf has ``"no gain"`` if no cut gains more than this times the
        unit, and splits may miss ``min_gain`` and ``min_impurity_decrease`` by as much. With ``max_leaf_nodes``, gains
        times weights compare as the gains of splits do.
    dtype : type, default=float64
        The type to which the implementation rounds X: ``np.float32`` for scikit-learn's trees.

    Returns
    -------
    TreeReport
        Counts of splits, thresholds and leaves by kind, with examples.

    Raises
    ------
    TreeCheckError
        If a node is wrong: an AssertionError with the report. A report lists these errors:

        - ``"worse split"``: it gains less than another; ``"tie rule"``: not the first of those that gain as much;
        - ``"samples"``: its children have other samples, class counts, numbers or impurities than its threshold gives
          them, or the root has others than X;
          ``"empty child"``: a child has none;
        - ``"gain"``: it reports another gain than it has, by more than 1e-6 of the greater of the unit and the gain;
        - ``"not split"``: a leaf that could be split; ``"pure node split"``; ``"limit ignored"``;
        - ``"order of growth"``: with ``max_leaf_nodes``, a leaf was left that gains more than one that was split;
        - ``"prediction"``, ``"classes"``, ``"no tree"``, ``"exception"``: in ``fit`` or ``predict``.
    ValueError
        If a parameter is wrong, if the tree splits by categories, or if it was grown with a parameter such as
        `max_features`, so that a node need not take the best of all splits.

    See Also
    --------
    check_tree_estimator : Checks trees on many tables.
    assert_trees_equal : Compare two trees.

    Notes
    -----
    The gain of every cut is computed exactly: for a node of n samples by O(n_features · n · (log n + n_classes))
    operations on fractions or sums of logarithms, some ten seconds for a tree on 3,000 samples of ten features. A
    criterion on label sequences, on numbers, or of your own, takes O(n_features · n²), which allows hundreds of
    samples. Gains by ``"wig"``, and by a criterion of your own, are floating-point numbers: whatever the tolerance, two
    gains tie if they differ by no more than 1e-12, relative to the greater of 1 and the other gain.

    Numbers have to be near: a predicted number may differ by 1e-9 of the greatest target (of its absolute value) from
    the mean of the samples, or from some median of them, an impurity by 1e-9 of that target or its square. So neither
    targets that pytrees rounds to its grid are errors, nor sums in floating point. Two cuts that tie on the grid of
    decimals, such as 0.1 + 0.2 and 0.3, need not tie exactly, and count as ``"within rounding"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from pytrees.testing import check_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> print(check_tree(tree, X, y, "gini", dtype="float32"))
    1 trees, 5 nodes
    splits:     tie, another: 1; best: 1
    thresholds: midpoint: 2
    leaves:     limit: 2; pure: 1
    errors:     none
    """
    given = (parameters_of(tree) if hasattr(tree, "get_params") else {}) if limits is None else checked_limits(limits)
    check = _Check(criterion, given, ties, tolerance, dtype, "" if limits is None else f", limits={limits!r}")
    check.check_kind(tree)
    check.look_at(tree, *_checked_data(X, y, sample_weight, check.dtype, check.is_of_numbers))
    return check.finished()


@described_like(check_tree)
def check_tree_estimator(
    estimator: Any,
    criterion: Any,
    *,
    n_cases: int = 200,
    max_samples: int = 20,
    max_features: int = 3,
    tables: Sequence[str] = _USUAL,
    weighted: bool = False,
    ties: Literal["any", "first"] = "any",
    tolerance: float = 1e-12,
    dtype: type[np.floating] = np.float64,
    random_state: int = 0,
) -> TreeReport:
    """Grow many trees and check every node of them; raise an error unless all are right.

    Parameters
    ----------
    estimator : estimator
        A tree classifier or regressor that is compatible with scikit-learn: it is cloned and fitted. Its `tree_` may be
        anything that :func:`assert_trees_equal` takes, such as a dict of arrays. Limits are read from its parameters,
        by scikit-learn's names. With `monotonic_cst`, tables have a feature for each constraint, and two classes.
    n_cases : int, default=200
        Number of trees.
    max_samples, max_features : int
        The most samples and features of a table; most have `max_samples`.
    tables : sequence of str, default=("ties", "duplicates", "constants", "copies", "real")
        Kinds of tables, taken in turn: ``"ties"`` has few values, ``"duplicates"`` equal samples of several classes,
        ``"constants"`` constant features, ``"copies"`` features with the same cuts, ``"real"`` no ties. Further kinds
        are ``"missing"`` with NaN, ``"close"`` with distinct values less than 1e-7 apart, and ``"extreme"`` with values
        up to 1e30.
    weighted : bool, default=False
        Whether samples get weights, of 1 to 5.
    random_state : int, default=0
        Seed of the tables, and of the estimator if its own is None.

    Returns
    -------
    TreeReport
        Counts of splits, thresholds and leaves by kind, with the smallest example of each as code.

    Raises
    ------
    TreeCheckError
        If a node is wrong: an AssertionError with the report of all cases, with the errors of :func:`check_tree`.
    TypeError
        If `estimator` is not an instance that scikit-learn can copy.
    ValueError
        As in :func:`check_tree`.

    See Also
    --------
    check_tree : One tree, grown on samples of your own.
    check_criterion : Checks a criterion.

    Notes
    -----
    A case takes O(max_features · max_samples²) exact operations a node: some 10 ms with the default sizes. If three
    splits or more gain too little, the report names mistakes that would explain all of them: weights of children,
    ignored sample weights, another criterion.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from pytrees.testing import check_tree_estimator
    >>> report = check_tree_estimator(DecisionTreeClassifier(), "gini", n_cases=20, dtype=np.float32)
    >>> dict(report.errors), report.splits["tie, another"] > 0
    ({}, True)

    >>> from pytrees import DecisionTreeRegressor
    >>> dict(check_tree_estimator(DecisionTreeRegressor(), "squared_error", n_cases=20, ties="first").errors)
    {}
    """
    if isinstance(tables, str) or not isinstance(tables, Sequence):
        raise TypeError(f"tables must be a list of names, got {tables!r}.")
    unknown = [kind for kind in tables if kind not in list(KINDS)]
    if unknown or len(tables) == 0:
        raise ValueError(f"tables must be some of {list(KINDS)}, got {list(tables)}.")
    for name, value in (("n_cases", n_cases), ("max_samples", max_samples), ("max_features", max_features)):
        if not is_whole(value) or value < 1:
            raise ValueError(f"{name} must be a whole number above 0, got {value!r}.")
        if name != "n_cases" and value > _LARGEST_TABLE:
            raise ValueError(f"{name} must be at most {_LARGEST_TABLE}, got {value!r}.")
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise TypeError(
            f"estimator must be an instance of a class derived from sklearn.base.BaseEstimator, of which copies are "
            f"fitted, got {estimator!r}. check_tree takes any tree."
        )
    check = _Check(criterion, parameters_of(estimator), ties, tolerance, dtype, is_drawn=True)
    check.check_weights(weighted)
    check.check_kind(estimator)
    rng, estimator = generator_of(random_state), clone(estimator)
    constraints = check.given.get("monotonic_cst")
    n_constrained = None if constraints is None else len(constraints)
    takes_seed = "random_state" in estimator.get_params(deep=False) and estimator.random_state is None
    for case in range(n_cases):
        kind = tables[case % len(tables)]
        shape = max_samples, max_features
        table = draw_table(kind, rng, *shape, weighted, check.dtype, n_constrained, check.is_of_numbers)
        seed = int(rng.integers(2**31 - 1))
        fitted = clone(estimator)
        if takes_seed:
            fitted.set_params(random_state=seed)
        weights = {} if table.sample_weight is None else {"sample_weight": table.sample_weight}
        try:
            returned = fitted.fit(table.X, table.y, **weights)
        except Exception as error:
            told = f"fit raised {type(error).__name__}: {error}"
        else:
            told = "" if returned is fitted else f"fit returned {returned!r}: it must return self"
        if told:
            code = check.code(fitted, table.X, table.y, table.sample_weight)
            check.report.errors["exception"] += 1
            keep_example(check.report, "exception", told, code, len(table.y))
            continue
        check.look_at(fitted, table.X, table.y, table.sample_weight)
    return check.finished()


class _Check:
    """Check trees against a criterion and limits, and collect the findings."""

    def __init__(
        self,
        criterion: Any,
        given: Mapping[str, Any],
        ties: str,
        tolerance: float,
        dtype: Any,
        further: str = "",
        is_drawn: bool = False,
    ) -> None:
        if ties not in ("any", "first"):
            raise ValueError(f"ties must be 'any' or 'first', got {ties!r}.")
        check_tolerance("tolerance", tolerance)
        self.dtype = np.dtype(dtype).type
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"dtype must be float32 or float64, got {dtype!r}.")
        self.judge = checked_criterion(criterion)
        self.criterion, self.given, self.ties, self.tolerance = criterion, given, ties, tolerance
        # Further arguments of the calls of check_tree in examples.
        self.further = further + ("" if ties == "any" else f", ties={ties!r}")
        self.further += "" if self.dtype is np.float64 else ", dtype=np.float32"
        self.is_drawn = is_drawn
        self.report, self.hints = TreeReport(), Hints()
        self.wrong: list[tuple[Node, Cut]] = []

    def check_weights(self, has_weights: bool) -> None:
        """Raise a ValueError if samples have weights that the criterion cannot see."""
        if has_weights and self.judge.judges == "sequence":
            raise ValueError("A label sequence has no weights: check the criterion without them.")

    @property
    def is_of_numbers(self) -> bool:
        """Whether the criterion judges numbers."""
        return bool(self.judge.judges == "numbers")

    def check_kind(self, checked: Any) -> None:
        """Raise a ValueError unless an estimator or tree predicts what the criterion judges: classes, or numbers."""
        if isinstance(checked, Tree):
            predicts_numbers = checked.is_regressor
        elif isinstance(checked, BaseEstimator) and (is_regressor(checked) or is_classifier(checked)):
            predicts_numbers = is_regressor(checked)
        else:
            return
        if predicts_numbers != self.is_of_numbers:
            kinds = ("classes", "numbers")
            raise ValueError(
                f"criterion={self.criterion!r} judges {kinds[self.is_of_numbers]}, but {type(checked).__name__} "
                f"predicts {kinds[predicts_numbers]}."
            )

    def code(self, fitted: Any, X: FloatArray, y: AnyArray, weights: AnyArray | None) -> Callable[[], str]:
        """Return a function that writes the program that shows a tree."""
        return partial(code_of, fitted, X, y, weights, self.criterion, self.further, self.is_drawn)

    def look_at(self, fitted: Any, X: FloatArray, y: AnyArray, weights: IntArray | None) -> None:
        """Add the findings about one tree to the report."""
        self.check_weights(weights is not None)
        code = self.code(fitted, X, y, weights)
        try:
            read = read_tree(fitted, self.is_of_numbers)
        except (TypeError, ValueError) as error:
            self.report.errors["no tree"] += 1
            keep_example(self.report, "no tree", str(error), code, len(y))
            return
        if read.tree.is_multiway:
            raise ValueError("The tree splits by categories; only trees with thresholds are checked.")
        self.check_kind(read.tree)
        samples: AnySamples
        if self.is_of_numbers:
            own = self.judge if isinstance(self.judge, OwnCriterion) else None
            targets = np.asarray(y, dtype=np.float64)
            classes, samples = None, NumberSamples.of(X, targets, weights, self.judge.name, own)
            samples.takes_lower_median = read.is_ours
            if own is not None:
                read.known -= {"impurity"}  # a criterion of the user has none, but a tree by another library may
        else:
            classes, labels = np.unique(y, return_inverse=True)
            specification = self.judge.specification(len(classes))
            samples = Samples.of(X, labels, weights, len(classes), specification)
        if classes is not None and read.classes is not None and not np.array_equal(read.classes, classes):
            self.report.errors["classes"] += 1
            text = f"the classes are {list(read.classes)}, but y has {list(classes)}"
            keep_example(self.report, "classes", text, code, len(y))
            return
        limits = Limits.of(self.given, len(y), sum(samples.weights))
        if limits.monotonic_cst and (self.is_of_numbers or read.has_shares):
            read.known -= {"value"}  # its nodes have what they predict within bounds, not the means of their samples
        walk = Walk(read, samples, limits, self.ties, self.tolerance, self.report, self.hints, code)
        walk.run()
        self.wrong += walk.wrong
        if isinstance(fitted, Tree) or not hasattr(fitted, "predict"):
            self.report.predictions[NO_PREDICT] += 1
        elif 0 not in walk.rows:
            self.report.predictions[BELOW_ERRORS] += 1
        else:
            walk.check_predictions(fitted, classes, self.dtype)

    def finished(self) -> TreeReport:
        """Return the report; raise it if there are errors."""
        self.report.causes = causes_of(self.wrong)
        for kind, n_errors in self.report.errors.items():
            # If a cause explains all worse splits, a hint at a single example would mislead.
            if kind != "worse split" or not self.report.causes:
                example = self.report.examples[kind]
                message = example.message + self.hints.of(kind, n_errors)
                self.report.examples[kind] = replace(example, message=message)
        if self.report.errors:
            raise TreeCheckError(self.report)
        return self.report


def _checked_data(
    X: MatrixLike, y: LabelsLike, sample_weight: ArrayLike | None, dtype: Any, of_numbers: bool
) -> tuple[FloatArray, AnyArray, IntArray | None]:
    X = checked_table(X)
    X = X.astype(dtype).astype(np.float64)
    y = column_or_1d(y) if of_numbers else label_column(y, "y")
    if of_numbers:
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(X, y, sample_weight)
    if sample_weight is None:
        return X, y, None
    weights = check_sample_weight(sample_weight, X)
    if not np.all((weights > 0) & (weights == np.floor(weights))) or not weights.sum() <= 2.0**53:
        raise ValueError(
            "sample_weight must be whole numbers above 0, of a sum up to 2**53: with other weights, gains cannot be "
            "compared exactly."
        )
    return X, y, weights.astype(np.int64)
