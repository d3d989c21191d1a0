"""Check a criterion: its contract, its definition and claimed properties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.base import clone

from .._engine import config_context
from .._typing import is_whole
from ..criteria import Criterion
from ..trees import DecisionForestClassifier, DecisionForestRegressor, DecisionTreeClassifier, DecisionTreeRegressor
from ._counts import Cases, CountCases, GainsError
from ._equal import assert_trees_equal
from ._read import check_tolerance, checked_criterion, generator_of
from ._reports import CheckError
from ._sequences import SequenceCases
from ._tables import draw_table
from ._targets import NumberCases

# Tables of more classes take long, and say nothing new.
_MOST_CLASSES = 10_000
# The kinds of tables on which trees grow, in turn.
_TABLES = ("ties", "real", "duplicates", "missing")
# Trees cost much more than tables of cuts: every tenth case grows them.
_CASES_PER_TREE = 10
_HOLDS, _NOT_TESTED = "holds", "not tested"


@dataclass
class CriterionReport:
    """Hold the findings of :func:`check_criterion`.

    ``print`` shows all findings.

    Parameters
    ----------
    n_cases : int
        Number of tables of cuts that were judged.
    errors : dict of str to str
        The first error of every kind.
    properties : dict of str to str
        By property, ``"holds"``, or the first case against it, or ``"not tested"`` after an error in the first case. A
        criterion may lack a property, unless it is claimed.
    has_definition : bool
        Whether gains were compared with a definition. If not, a criterion without errors can still judge something else
        than it should.

    See Also
    --------
    check_criterion : Makes it.

    Examples
    --------
    >>> from pytrees.testing import check_criterion
    >>> report = check_criterion("ogini", n_cases=20)
    >>> [name for name, told in report.properties.items() if told != "holds"]
    ['classes']
    """

    n_cases: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    has_definition: bool = False

    def __str__(self) -> str:
        lines = [f"{self.n_cases} tables of cuts"]
        lacking = {name: told for name, told in self.properties.items() if told not in (_HOLDS, _NOT_TESTED)}
        for name, told in self.properties.items():
            fails = "FAILS: " if f"claimed {name!r}" in self.errors else "does not hold: "
            lines += [f"{name + ':':13} {fails if name in lacking else ''}{told}"]
        shown = lacking.values()
        for kind, told in self.errors.items():
            lines += [f"ERROR, {kind}: {'it does not hold, see above' if told in shown else told}"]
        if not self.errors:
            told = "no errors of the contract" if lacking else "no errors"
            told += "" if self.has_definition else "; gains were not compared with a definition"
            number = "1 property does" if len(lacking) == 1 else f"{len(lacking)} properties do"
            lines += [f"{told}; {number} not hold (claims= makes that an error)" if lacking else told]
        return "\n".join(lines)


class CriterionCheckError(CheckError):
    """Raised if a criterion breaks its contract; its text is the report.

    Parameters
    ----------
    report : CriterionReport
        The findings, also as an attribute.

    See Also
    --------
    check_criterion : Raises it.

    Examples
    --------
    >>> from pytrees.testing import CriterionCheckError, check_criterion
    >>> try:
    ...     check_criterion("ogini", definition="gini", n_cases=20)
    ... except CriterionCheckError as error:
    ...     list(error.report.errors)
    ['definition']
    """

    report: CriterionReport


def check_criterion(
    criterion: Any,
    *,
    definition: Callable[..., Any] | str | None = None,
    claims: Iterable[str] = (),
    max_classes: int = 5,
    n_cases: int = 100,
    tolerance: float = 1e-9,
    random_state: int = 0,
) -> CriterionReport:
    """Check that a criterion keeps its contract; raise an error that shows the first breach of every kind.

    It judges tables of cuts, with whole and other weights, few and many, and grows trees. The engines rely on the
    following, which is always checked: gains are numbers, or minus infinity; the same counts always give the same gain,
    whatever other cuts there are; arguments stay unchanged; both engines grow the same trees, and so do two threads;
    and ``gain_of_children`` gives two children the gain of the cut.

    Parameters
    ----------
    criterion : str or criterion object
        A criterion of your own, derived from :class:`pytrees.criteria.CountCriterion`,
        :class:`pytrees.criteria.SequenceCriterion` or :class:`pytrees.criteria.SumCriterion` in Python or Cython; or
        one of pytrees, ``"squared_error"`` and ``"absolute_error"`` included. A criterion of continuous targets that
        gives an error for negative targets, such as a Poisson deviance, is checked with others; if it raises an
        exception for targets of 0 too, such as a gamma deviance, with targets above 0. Nodes have two classes, or two
        different targets, at least, because trees do not split others.
    definition : callable or str, optional
        The correct gain, written as plainly as possible: a function ``definition(left, right)`` of two lists of class
        counts, of numbers two lists of targets, or for label sequences ``definition(labels, goes_left)`` of two lists,
        that returns a number or a Fraction. Or the name of a criterion of pytrees, which the reference computes.
    claims : iterable of str, default=()
        Properties that must hold. All are tested and reported:

        - ``"nonnegative"``: no gain is below 0;
        - ``"pure"``: a cut of a node with one class gains 0;
        - ``"independent"``: a cut after which both sides have the shares of the node gains 0;
        - ``"sides"``: left and right can be exchanged;
        - ``"classes"``: classes can be exchanged; ordinal criteria lack it;
        - ``"scale"``: counts times a number have the same gain;
        - ``"convex"``: gains, as a function of the counts on the left, are convex, so that a best cut never parts
          equal neighbours of one class.

        Criteria on label sequences have ``"nonnegative"``, ``"pure"``, ``"sides"``, ``"classes"``, and ``"order"``: the
        order of the samples does not matter. Criteria of numbers have ``"nonnegative"``, ``"pure"``, ``"sides"``,
        ``"order"``; ``"shift"``: a number may be added to all targets; and ``"scale"``: targets times a number have the
        gain times that number, or its square. Your own may also have the same gain.
    max_classes : int, default=5
        The most classes of a table and of the samples of a tree, at least 2; 2 for a criterion of two classes only.
    n_cases : int, default=100
        Number of tables of cuts; for every tenth, trees are grown.
    tolerance : float, default=1e-9
        By how much gains may differ from the definition and from the claims, relative to the greater of 1 and the
        expected gain.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    CriterionReport
        The properties that hold.

    Raises
    ------
    CriterionCheckError
        If the contract, the definition or a claim is broken: an AssertionError with the report.
    ValueError
        If a parameter is wrong.

    See Also
    --------
    check_tree_estimator : Checks a tree.
    pytrees.criteria.CountCriterion : How to write a criterion.

    Notes
    -----
    A case takes some 10 cuts of at most `max_classes` classes, twice for every property, and three of them alone.

    Examples
    --------
    >>> import numpy as np
    >>> from pytrees.criteria import CountCriterion
    >>> from pytrees.testing import check_criterion
    >>> class Gini(CountCriterion):
    ...     def gains(self, left, right):
    ...         def impurity(counts):
    ...             shares = counts / counts.sum(axis=1, keepdims=True)
    ...             return 1.0 - (shares**2).sum(axis=1)
    ...         share = left.sum(axis=1) / (left + right).sum(axis=1)
    ...         return impurity(left + right) - share * impurity(left) - (1.0 - share) * impurity(right)
    >>> print(check_criterion(Gini(), definition="gini", claims=["nonnegative", "convex"], n_cases=20))
    20 tables of cuts
    nonnegative:  holds
    pure:         holds
    independent:  holds
    sides:        holds
    classes:      holds
    scale:        holds
    convex:       holds
    no errors
    """
    judge = checked_criterion(criterion)
    for name, value, least in (("max_classes", max_classes, 2), ("n_cases", n_cases, 1)):
        if not is_whole(value) or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    if max_classes > _MOST_CLASSES:
        raise ValueError(f"max_classes must be at most {_MOST_CLASSES}, got {max_classes!r}.")
    check_tolerance("tolerance", tolerance)
    kinds: dict[str, Any] = {"counts": CountCases, "sequence": SequenceCases, "numbers": NumberCases}
    cases = kinds[judge.judges](judge, max_classes, tolerance)
    if isinstance(claims, str) or not isinstance(claims, Iterable):
        raise TypeError(f"claims must be a list of names, got {claims!r}.")
    claims = list(claims)
    unknown = [name for name in claims if name not in list(cases.properties)]
    if unknown:
        raise ValueError(f"claims must be some of {list(cases.properties)}, got {unknown}.")
    defined = None if definition is None else cases.definition_of(definition)
    rng = generator_of(random_state)
    report = CriterionReport(
        properties=dict.fromkeys(cases.properties, _NOT_TESTED), has_definition=defined is not None
    )
    for case in range(n_cases):
        report.n_cases += 1
        for kind, told in cases.errors(rng, defined):
            report.errors.setdefault(kind, told)
        if "raises" not in report.errors:
            _look_at_properties(cases, rng, report)
        if "raises" in report.errors:
            break  # further cases would raise the same error
        if case % _CASES_PER_TREE == 0:
            _check_trees(judge, cases, rng, _TABLES[case // _CASES_PER_TREE % len(_TABLES)], report)
    for name in claims:
        if report.properties[name] not in (_HOLDS, _NOT_TESTED):
            report.errors[f"claimed {name!r}"] = report.properties[name]
    if report.errors:
        raise CriterionCheckError(report)
    return report


def _look_at_properties(
    cases: CountCases | SequenceCases | NumberCases, rng: Generator, report: CriterionReport
) -> None:
    """Keep the first example against every property."""
    for name in cases.properties:
        if report.properties[name] in (_HOLDS, _NOT_TESTED):
            try:
                report.properties[name] = cases.counterexample(name, rng) or _HOLDS
            except GainsError as error:
                if name != "pure":  # trees do not split such nodes: the criterion need not be defined there
                    report.errors.setdefault("raises", str(error))
                    return
                report.properties[name] = str(error)


def _check_trees(criterion: Any, cases: Cases, rng: Generator, kind: str, report: CriterionReport) -> None:
    """Grow trees and forests on both engines, and on two threads; keep the first that differ."""
    of_numbers = criterion.judges == "numbers"
    weighted = bool(rng.integers(2)) and criterion.judges != "sequence"
    table = draw_table(
        kind, rng, 20, 3, weighted, np.float64, numbers=of_numbers, max_classes=4 if of_numbers else cases.max_classes
    )
    weights = {} if table.sample_weight is None else {"sample_weight": table.sample_weight * rng.choice([1.0, 0.3])}
    if weights and of_numbers:
        weights = {"sample_weight": table.sample_weight}
    data = table.X, cases.takeable(table.y)
    # Estimators take criteria without parameters by name.
    given: Any = criterion.name if isinstance(criterion, Criterion) else criterion
    tree: type[Any] = DecisionTreeRegressor if of_numbers else DecisionTreeClassifier
    forest: type[Any] = DecisionForestRegressor if of_numbers else DecisionForestClassifier
    for estimator in (tree(given), tree(given, max_leaf_nodes=4), forest(2, criterion=given, random_state=0)):
        try:
            grown = clone(estimator).fit(*data, **weights)
            with config_context(engine="reference"):
                by_reference = clone(estimator).fit(*data, **weights)
            _compare("engines", f"the engines grow other trees of {estimator!r}", (grown, by_reference), report)
            if isinstance(estimator, forest):
                on_threads = clone(estimator).set_params(n_jobs=2).fit(*data, **weights)
                _compare("threads", f"two threads grow other trees of {estimator!r}", (on_threads, grown), report)
        except (ValueError, RuntimeError) as error:
            limit = "" if of_numbers else cases.limit_of_classes(len(np.unique(table.y)))
            report.errors.setdefault("trees", f"{estimator!r} failed: {error}{limit}")
            return


def _compare(kind: str, told: str, fitted: Sequence[Any], report: CriterionReport) -> None:
    try:
        assert_trees_equal(*fitted)
    except AssertionError as error:
        report.errors.setdefault(kind, f"{told}. {error}")
