"""The common parts of judges of splits: the base class of criteria and distances, the test for criteria of a user, set
functions as the reference calls them, and checks of costs."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from ._numbers import check_array, within_float64
from ._site import CRITERION_PAGE
from ._typing import FloatArray, IntArray, Specification, is_real

OWN_CRITERIA = "pytrees._core.criteria.user"
OWN_BASES = ("CountCriterion", "SequenceCriterion", "SumCriterion")

_REMEMBERED_SETS = 4096


class _OwnCriterionType(type):
    def __instancecheck__(cls, candidate: object) -> bool:
        # While another thread still imports the module, it lacks classes, and these have no instances.
        module = sys.modules.get(OWN_CRITERIA)
        return isinstance(candidate, tuple(getattr(module, base) for base in OWN_BASES if hasattr(module, base)))


class OwnCriterion(metaclass=_OwnCriterionType):
    """Stand for the base classes of criteria of one's own in ``isinstance`` without loading their module.

    While their module is not loaded, there are no instances.
    """

    name: str
    judges: str
    specification: Callable[[int, IntArray | None], tuple[str, dict[str, Any]]]


class Judge(BaseEstimator):
    """Base class of criteria and distances: a judge has a `name`, and `judges` class counts or label sequences.

    Its parameters are an estimator's: kept as they are given, known to ``get_params``, ``set_params`` and ``clone``,
    and searched as ``criterion__alpha``. Judges of equal parameters are equal.
    """

    _doc_link_module: ClassVar[str] = "pytrees"
    _doc_link_template: ClassVar[str] = CRITERION_PAGE

    @property
    def _judges_sets(self) -> bool:
        """Whether the judge has a set function."""
        return False

    def _key(self) -> tuple[Any, ...]:
        return type(self), *(_comparable(getattr(self, name)) for name in self._get_param_names())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Judge) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        names = inspect.signature(type(self)).parameters
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def specification(self, n_classes: int, rows: IntArray | None = None) -> Specification:
        """Return the judge as the kernels take it.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        rows : ndarray of shape (n_samples,), int64, optional
            The indices, in the X that was fitted, of the samples that the kernels see; by default all samples of X.

        Returns
        -------
        str or tuple
            The name, or the name and a dict of parameters if the judge has some.
        """
        parameters = self._parameters(n_classes)
        return (self.name, parameters) if parameters else self.name

    def _check_total(self, total: float, n_classes: int) -> None:
        """Raise a ValueError if weights of this sum are so great that the judge's own sums could overflow.

        Parameters
        ----------
        total : float
            The sum of the weights of all samples.
        n_classes : int
            Number of classes.
        """
        if not math.isfinite(self._greatest_sum(float(total), n_classes)):
            has_scores = getattr(self, "class_scores", None) is not None
            raise ValueError(
                f"The values of sample_weight{' or class_scores' if has_scores else ''} are too large for "
                f"{self.name!r}: its sums over samples of total weight {total:.3g} can be infinite. Divide them all by "
                "the same number."
            )

    def _greatest_sum(self, total: float, n_classes: int) -> float:
        """Bound the judge's sums over weights of this total."""
        return {"jaccard": 2.0, "mae": 4.0 * n_classes}.get(self.name, 1.0) * total

    def _parameters(self, n_classes: int) -> dict[str, Any]:
        return {}


def _comparable(value: Any) -> Any:
    """Return arrays and lists as tuples, which compare and hash."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(map(_comparable, value)) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True)
class TreeSize(Judge):
    """Delta_mts: the sizes of the smallest consistent trees of both sides of a split, added (Section 3.1 of [1]_).

    The distance depends on the samples themselves, not only on class counts, and judges single leaves. ID3 grows the
    smallest tree with it.

    References
    ----------
    .. [1] F. Späh and S. Kosub, "Global Evaluation for Decision Tree Learning", arXiv:2208.04828.
    """

    name: ClassVar[str] = "mts"
    judges: ClassVar[str] = "counts"


def check_costs(cost_matrix: ArrayLike, n_classes: int | None = None) -> FloatArray:
    """Check a matrix of costs, and return it as an array.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_classes)
        The costs.
    n_classes : int, optional
        The number of classes that it must have.

    Returns
    -------
    ndarray of shape (n_classes, n_classes), float64
        The costs: finite, and not negative.
    """
    try:
        with within_float64("cost_matrix"):
            costs = check_array(cost_matrix, dtype=np.float64, ensure_2d=False, input_name="cost_matrix")
    except (TypeError, ValueError) as error:
        if "cost_matrix" in str(error):
            raise
        raise ValueError(f"cost_matrix must hold a number for every pair of classes: {error}") from error
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1]:
        raise ValueError(f"cost_matrix must have a row and a column for every class, got the shape {costs.shape}.")
    if costs.min() < 0.0:
        raise ValueError(f"cost_matrix must not be negative, got {costs.min():g}.")
    if n_classes is not None and len(costs) != n_classes:
        raise ValueError(f"cost_matrix has the costs of {len(costs)} classes for {n_classes} classes.")
    return costs


def judges_sets(distance: object) -> bool:
    """Whether a distance, as users give it or as kernels take it, has a set function."""
    if isinstance(distance, tuple):
        return "function" in distance[1]
    return bool(getattr(distance, "_judges_sets", False))


def with_sets_of(distance: Any, n_samples: int) -> tuple[str, dict[str, Any]]:
    """Return the kernels' specification of a distance, with its set function as the reference calls it.

    A function that knows its samples must know `n_samples` of them.
    """
    name, parameters = distance
    known = getattr(parameters["function"], "n_samples", None)
    if known is not None and known != n_samples:
        raise ValueError(
            f"The set function of the JaccardDistance is about {known} samples, and there are {n_samples}: it must be "
            "made of the same samples that the distance is about."
        )
    return name, parameters | {"function": _of_lists(parameters["function"])}


def _of_lists(function: Callable[[IntArray], float]) -> Callable[[Iterable[int]], float]:
    """Return the set function as the reference calls it; results are kept, because the reference repeats many sets."""

    @lru_cache(maxsize=_REMEMBERED_SETS)
    def of_rows(rows: tuple[int, ...]) -> float:
        given = function(np.array(rows, dtype=np.int64))
        if not is_real(given):
            raise ValueError(f"The set function of a JaccardDistance must give real numbers, got {given!r}.")
        value = float(given)
        if not 0.0 <= value < math.inf:
            raise ValueError(f"A set function must give finite numbers that are not negative, got {value}.")
        return value

    return lambda rows: of_rows(tuple(rows))
