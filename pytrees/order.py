"""Measure whether the order of the samples matters to an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import _num_samples, has_fit_parameter

from ._axes import axes_of
from ._by_keyword import by_keyword
from ._orders import reversed_rows, rows_of_groups, shuffled_within
from ._sklearn import HasMethods, Interval, StrOptions, predicts_numbers, validate_params
from ._typing import AnyArray, FloatArray, IntArray, LabelsLike, MatrixLike
from ._workers import run_in_order
from .input.class_scale import ordered_categories
from .input.labels import labels_of
from .input.validation import group_codes, row_order
from .tree import Tree
from .trees.distinct import decisions_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OrderSensitivity", "order_sensitivity"]


@dataclass(frozen=True, eq=False, repr=False)
class OrderSensitivity:
    """How much the order of the samples matters to an estimator; made by :func:`order_sensitivity`.

    Parameters
    ----------
    score : float
        The mean score over the splits in the true order.
    shuffled_scores : ndarray of shape (n_permutations,), float64
        The mean score in every shuffled order.
    reversed_score : float
        The mean score in the reversed order.
    pvalue : float
        The probability of a score that is as extreme as `score` if the order does not matter.
    n_distinct_trees : int or None
        How many trees that differ in a decision grow on all samples in the true and the shuffled orders. None for
        estimators that are not one tree.
    feature_usage : ndarray of shape (n_permutations + 1, n_features), float64, or None
        By feature, the share of all samples for which the tree tests it: first for the tree in the true order, then for
        the trees in the shuffled ones. The sum of a row is the mean number of features tested for a sample. None for
        estimators that are not one tree.

    Attributes
    ----------
    effect : float
        `score` minus the mean of `shuffled_scores`.
    interval : tuple of two floats
        `score` minus the 97.5th percentile of `shuffled_scores`, and minus the 2.5th: 95 % of the effects are between.
    cost_of_tests : ndarray of shape (n_permutations + 1,), float64, or None
        How many features the tree tests for a sample, on average: first in the true order, then in the shuffled ones.
    """

    score: float
    shuffled_scores: FloatArray
    reversed_score: float
    pvalue: float
    n_distinct_trees: int | None
    feature_usage: FloatArray | None

    def __repr__(self) -> str:
        low, high = self.interval
        trees = "" if self.n_distinct_trees is None else f", {self.n_distinct_trees} distinct trees"
        return (
            f"<OrderSensitivity: score {self.score:.4g}, effect {self.effect:+.4g} [{low:+.4g}, {high:+.4g}], "
            f"pvalue {self.pvalue:.4g}, {len(self.shuffled_scores)} shuffled orders{trees}>"
        )

    @property
    def effect(self) -> float:
        """Mean gain of the true order, in units of the score."""
        return float(np.mean(self.score - self.shuffled_scores))

    @property
    def interval(self) -> tuple[float, float]:
        """Gains against the better and the worse of the shuffled orders: 95 % of the gains are between."""
        high, low = np.quantile(self.shuffled_scores, [0.975, 0.025])
        return float(self.score - high), float(self.score - low)

    @property
    def cost_of_tests(self) -> FloatArray | None:
        """Mean number of features tested for a sample, by order."""
        if self.feature_usage is None:
            return None
        costs: FloatArray = self.feature_usage.sum(axis=1)
        return costs

    def plot(self, ax: Axes | None = None, *, what: Literal["scores", "cost"] = "scores") -> Axes:
        """Draw a histogram of the shuffled orders, a line for the true one and, of scores, a line for the reversed one.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; the current axes by default.
        what : {"scores", "cost"}, default="scores"
            The scores, or `cost_of_tests`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `what` is none of these, or the estimator is not one tree and has no cost of tests.
        """
        if what not in ("scores", "cost"):
            raise ValueError(f"what must be 'scores' or 'cost', got {what!r}.")
        costs = self.cost_of_tests
        if what == "cost" and costs is None:
            raise ValueError("Only single trees of this package have a cost of tests.")
        ax = axes_of("plot", ax)
        if what == "cost" and costs is not None:
            true, shuffled, told = costs[0], costs[1:], ""
            ax.set_xlabel("features tested for a sample")
        else:
            true, shuffled, told = self.score, self.shuffled_scores, f", p = {self.pvalue:.3g}"
            ax.axvline(self.reversed_score, color="C1", linestyle="--", label="reversed order")
            ax.set_xlabel("score")
        ax.hist(shuffled, bins="auto", color="0.8", label="shuffled orders")
        ax.axvline(true, color="C0", label=f"true order{told}")
        ax.set_ylabel("number of orders")
        ax.legend()
        return ax


@by_keyword()
@validate_params(
    {
        "estimator": [HasMethods(["fit"])],
        "X": ["array-like", "sparse matrix"],
        "y": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "shuffle": [StrOptions({"all", "training"})],
        "block_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_permutations": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "alternative": [StrOptions({"two-sided", "greater", "less"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=False,
)
def order_sensitivity(
    estimator: Any,
    X: MatrixLike,
    y: LabelsLike,
    *,
    order: LabelsLike | None = None,
    groups: LabelsLike | None = None,
    cv: Any = None,
    scoring: Any = None,
    shuffle: Literal["all", "training"] = "all",
    block_size: int | None = None,
    n_permutations: int = 100,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> OrderSensitivity:
    """Measure how much the order of the samples matters to an estimator.

    It is fitted and scored by cross-validation in the true order, in `n_permutations` shuffled orders, and in reverse.
    The null hypothesis is that all orders of the samples (of the blocks, with `block_size`) are equally likely.

    Parameters
    ----------
    estimator : estimator object
        A classifier or regressor. If it is one tree of this package, its trees are compared too.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their class labels, or targets.
    order : array-like of shape (n_samples,), optional
        Keys by which the samples are sorted first; equal keys keep the order of the rows. By default the rows are in
        order.
    groups : array-like of shape (n_samples,), optional
        The series that every sample belongs to. Samples are shuffled, and reversed, within their group. The groups are
        handed to `cv`, and to estimators whose ``fit`` takes them or that request them by metadata routing.
    cv : int, cross-validation generator or iterable, optional
        The splits, by positions in the order; by default ``TimeSeriesSplit()``, five splits that are tested by later
        samples; with `groups` it splits every group, in time. ``GroupKFold`` tests on series that were never seen. A
        splitter that shuffles hides the order.
    scoring : str or callable, optional
        As of ``cross_val_score``; by default the estimator's ``score``.
    shuffle : {"all", "training"}, default="all"
        Shuffle all samples before they are split, so that also a drift of `y` matters; or only the training
        samples of every split, so that only the estimator's use of their order matters.
    block_size : int, optional
        Shuffle blocks of this many samples, in which samples keep their order; the last block can be shorter. Every
        order keeps the dependence within blocks, so that it cannot be the effect. Each group has blocks of its own. By
        default samples are shuffled one by one.
    n_permutations : int, default=100
        The number of shuffled orders.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The scores of the true order that are extreme. Two-sided is twice the smaller probability of the other two.
    n_jobs : int, optional
        How many orders are computed at the same time, by the kind of workers that joblib and its contexts choose.
    random_state : int, RandomState instance or None, default=None
        Draws the orders. The result does not depend on `n_jobs`.

    Returns
    -------
    OrderSensitivity
        The scores, the p-value, the gain of the true order over the mean of the shuffled ones (`effect`) with an
        interval of 95 %, and the trees; it can be drawn.

    Raises
    ------
    ValueError
        If X and y have different numbers of samples, or `order` or `groups` have missing keys; if every group has one
        sample, or, for the splits by default, a group has fewer than six; if `block_size` leaves one block.

    See Also
    --------
    sklearn.model_selection.permutation_test_score : Shuffles the labels alone: whether they depend on X at all.

    Notes
    -----
    A p-value is (1 + b) / (1 + n_permutations) if b shuffled orders score at least as high (as low) as the true one.
    With ``shuffle="all"``, or with one split, it is exact: under the null hypothesis it is at most a with probability
    at most a, and all multiples of 1 / (1 + n_permutations) are equally likely but for ties. With
    ``shuffle="training"`` and several splits it is an approximation, as the training samples of splits overlap.

    Takes ``n_permutations + 2`` times the time of ``cross_val_score`` and, for a tree, of one more fit.

    Examples
    --------
    Labels in bursts, about which X says nothing:

    >>> import numpy as np
    >>> from pytrees import PermutationDecisionTreeClassifier, order_sensitivity
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(120, 2)), np.arange(120) // 20 % 2
    >>> tree = PermutationDecisionTreeClassifier(max_depth=3)
    >>> found = order_sensitivity(tree, X, y, n_permutations=49, random_state=0)
    >>> round(found.score, 3), round(found.effect, 3), found.pvalue
    (0.34, -0.139, 0.04)
    """
    # At import they would take longer than all of this package.
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import TimeSeriesSplit, check_cv

    X, y = indexable(X, y if ordered_categories(y) is not None else labels_of(y))
    n_samples = _num_samples(X)
    if n_samples == 0:
        raise ValueError("There are no samples, whose order could matter.")
    in_order = row_order(order, n_samples)
    codes = np.zeros(n_samples, dtype=np.int32) if groups is None else group_codes(groups, n_samples)
    if in_order is not None:
        X, y, codes = (_safe_indexing(part, in_order) for part in (X, y, codes))
    _check_can_shuffle(codes, block_size)
    if cv is None:
        cv = TimeSeriesSplit() if groups is None else _TimeSplitOfGroups(TimeSeriesSplit())
    cv = check_cv(cv, y, classifier=not predicts_numbers(estimator))
    hands_on = groups is not None and _takes_groups(estimator)
    scorer = check_scoring(estimator, scoring=scoring)
    task = _Task(estimator, X, y, cv, scorer, shuffle, None if groups is None else codes, hands_on)
    seeds = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_permutations)
    orders = [np.arange(n_samples), *(shuffled_within(codes, block_size, seed) for seed in seeds), reversed_rows(codes)]
    results = list(run_in_order(task.run, [(rows,) for rows in orders], n_jobs))
    scores = np.array([result.score for result in results])
    score, shuffled = float(scores[0]), scores[1:-1]
    is_tree = results[0].usage is not None
    return OrderSensitivity(
        score=score,
        shuffled_scores=shuffled,
        reversed_score=float(scores[-1]),
        pvalue=_pvalue(score, shuffled, alternative),
        n_distinct_trees=len({result.decisions for result in results[:-1]}) if is_tree else None,
        feature_usage=np.stack([result.usage for result in results[:-1]]) if is_tree else None,
    )


def _check_can_shuffle(codes: AnyArray, block_size: int | None) -> None:
    longest = int(np.bincount(codes).max())
    if len(codes) > 1 and longest == 1:
        raise ValueError("groups leaves every sample alone: there is nothing to shuffle.")
    if block_size is not None and block_size >= longest:
        what = f"{longest} samples" if longest == len(codes) else f"every group, of at most {longest} samples"
        raise ValueError(f"block_size={block_size} leaves one block of {what}: there is nothing to shuffle.")


def _takes_groups(estimator: Any) -> bool:
    """Whether the estimator's fit takes the groups, or hands them on to an estimator that requests them."""
    if has_fit_parameter(estimator, "groups"):
        return True
    routes = get_config()["enable_metadata_routing"]
    return bool(routes and get_routing_for_object(estimator).consumes("fit", ["groups"]))


class _TimeSplitOfGroups:
    """Splits every group in time, and joins the groups' splits.

    Parameters
    ----------
    splitter : splitter
        Splits a group.
    """

    def __init__(self, splitter: Any) -> None:
        self.splitter = splitter

    def split(self, X: Any, y: Any, groups: AnyArray) -> Iterator[tuple[IntArray, IntArray]]:
        members = rows_of_groups(groups)
        shortest = min(map(len, members))
        if shortest <= self.splitter.n_splits:
            raise ValueError(
                f"A group of {shortest} samples cannot be split in time into {self.splitter.n_splits + 1} parts: give "
                "another splitter as cv."
            )
        by_group = [[[rows[part] for part in split] for split in self.splitter.split(rows)] for rows in members]
        for of_split in zip(*by_group, strict=True):
            train, test = (np.sort(np.concatenate(parts)) for parts in zip(*of_split, strict=True))
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return int(self.splitter.n_splits)


def _pvalue(score: float, shuffled: FloatArray, alternative: str) -> float:
    greater = (1 + np.count_nonzero(shuffled >= score)) / (1 + len(shuffled))
    less = (1 + np.count_nonzero(shuffled <= score)) / (1 + len(shuffled))
    pvalues = {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}
    return float(pvalues[alternative])


@dataclass
class _Result:
    score: float
    decisions: tuple[bytes, ...] | None = None
    usage: FloatArray | None = None


@dataclass
class _Task:
    """The work to do in every order of the samples."""

    estimator: Any
    X: Any
    y: Any
    cv: Any
    scorer: Any
    shuffle: str
    groups: AnyArray | None
    hands_on_groups: bool

    def run(self, rows: IntArray) -> _Result:
        """Score the estimator on the samples in the order of these rows, and grow it on all of them."""
        X, y = _safe_indexing(self.X, rows), _safe_indexing(self.y, rows)
        # In every order, a position holds a sample of the same group.
        if self.shuffle == "all":
            splits = [(rows[train], rows[test]) for train, test in self.cv.split(X, y, self.groups)]
        else:
            positions = np.argsort(rows)
            kept = self.cv.split(self.X, self.y, self.groups)
            splits = [(self._in_order(train, positions), test) for train, test in kept]
        scores = [self._score(*split) for split in splits]
        fitted = clone(self.estimator).fit(X, y, **self._groups_of(rows))
        if not isinstance(getattr(fitted, "tree_", None), Tree):
            return _Result(float(np.mean(scores)))
        usage = fitted.feature_usage(self.X) / _num_samples(self.X)
        return _Result(float(np.mean(scores)), decisions_of(fitted), usage)

    def _score(self, train: IntArray, test: IntArray) -> float:
        (X, X_test), (y, y_test) = ([_safe_indexing(part, rows) for rows in (train, test)] for part in (self.X, self.y))
        fitted = clone(self.estimator).fit(X, y, **self._groups_of(train))
        return float(self.scorer(fitted, X_test, y_test))

    def _in_order(self, train: IntArray, positions: IntArray) -> IntArray:
        """Return training samples in the order of their new positions; groups keep the positions they had."""
        if self.groups is None:
            return train[np.argsort(positions[train])]
        ordered, groups = np.empty_like(train), self.groups[train]
        ordered[np.argsort(groups, kind="stable")] = train[np.lexsort((positions[train], groups))]
        return ordered

    def _groups_of(self, rows: IntArray) -> dict[str, AnyArray]:
        return {"groups": self.groups[rows]} if self.hands_on_groups and self.groups is not None else {}
