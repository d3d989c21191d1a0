"""Reports of checks: counts by kind, hints, and the smallest example of each kind, as code that runs."""

from __future__ import annotations

import importlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._typing import AnyArray, FloatArray
from ..convert.to_dict import export_dict
from ..tree import Tree

# Verdicts on splits that do not count against the tree.
BEST = "best"
FIRST_OF_TIES = "tie, first"
OTHER_OF_TIES = "tie, another"
ROUNDING = "within rounding"
SPLITS = (BEST, FIRST_OF_TIES, OTHER_OF_TIES, ROUNDING)
# Verdicts on predictions.
CHECKED = "checked"
NO_PREDICT = "not checked (no estimator with predict)"
BELOW_ERRORS = "not checked (after errors)"

# Data of more samples that a user gave, and trees with a longer text, are not written out in examples.
_MOST_SAMPLES = 30
_LONGEST_TREE = 3000


@dataclass(frozen=True)
class Example:
    """A node that shows a kind of split or of error.

    Parameters
    ----------
    message : str
        The description.
    code : str
        A program that fits the tree again, or holds it, and checks it. If :func:`check_tree` was given more than 30
        samples, they are left to be filled in.
    n_samples : int
        Number of training samples.

    See Also
    --------
    TreeReport : Has the one with the fewest samples of every kind.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from pytrees.testing import check_tree_estimator
    >>> report = check_tree_estimator(DecisionTreeClassifier(), "gini", n_cases=20, dtype=np.float32)
    >>> report.examples["tie, another"].code.splitlines()[:2]
    ['import numpy as np', 'from pytrees.testing import check_tree']
    """

    message: str
    code: str
    n_samples: int


@dataclass
class TreeReport:
    """Hold the findings of :func:`check_tree_estimator` or :func:`check_tree`.

    ``print`` shows the counts, and the examples of errors; `examples` also has ties.

    Parameters
    ----------
    n_trees, n_nodes : int
        How many trees, and nodes of them, were checked.
    splits : dict of str to int
        How many splits were the only best (``"best"``), the first of several that gain exactly as much, by feature and
        threshold (``"tie, first"``), another of these (``"tie, another"``), or less than the best by no more than the
        tolerance (``"within rounding"``).
    thresholds : dict of str to int
        How many thresholds were the ``"midpoint"`` between the values that they separate, the ``"lower value"``, or
        ``"elsewhere"`` between them; ``"missing against known"`` has no values on one side.
    leaves : dict of str to int
        Why nodes are leaves: ``"pure"``, a ``"limit"``, ``"no cut"`` is possible, or ``"no gain"``.
    predictions : dict of str to int
        How many trees had their predictions ``"checked"``, or why not. It is printed if some were not.
    errors : dict of str to int
        How many errors there were, by kind.
    examples : dict of str to Example
        The example with the fewest samples of every kind of split that is not the only best, and of every error.
    causes : list of str
        Mistakes that would explain all splits that gain less than the best.

    See Also
    --------
    check_tree_estimator : Grow many trees and check them.
    check_tree : Check one tree.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.testing import check_tree_estimator
    >>> report = check_tree_estimator(DecisionTreeClassifier(max_depth=1), "gini", n_cases=10)
    >>> sorted(report.thresholds), report.leaves["limit"] > 0
    (['midpoint'], True)
    """

    n_trees: int = 0
    n_nodes: int = 0
    splits: Counter[str] = field(default_factory=Counter)
    thresholds: Counter[str] = field(default_factory=Counter)
    leaves: Counter[str] = field(default_factory=Counter)
    predictions: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.n_trees} trees, {self.n_nodes} nodes"]
        unchecked = ("predictions",) if self.predictions.keys() - {CHECKED} else ()
        for name in ("splits", "thresholds", "leaves", *unchecked, "errors"):
            counts: Counter[str] = getattr(self, name)
            told = "; ".join(f"{kind}: {number}" for kind, number in counts.most_common()) or "none"
            lines.append(f"{name + ':':11} {told}")
        lines += [f"Explains all splits that gain too little: {cause}." for cause in self.causes]
        for kind in self.errors:
            example = self.examples[kind]
            lines += ["", f"{kind}: {example.message}", *(f"    {line}" for line in example.code.splitlines())]
        return "\n".join(lines)


def keep_example(report: TreeReport, kind: str, message: str, code: Callable[[], str], n_samples: int) -> bool:
    """Keep an example, unless there is one with as few samples, and return whether; its code is made only then."""
    if kind in report.examples and n_samples >= report.examples[kind].n_samples:
        return False
    report.examples[kind] = Example(message, code(), n_samples)
    return True


class Hints:
    """Collects explanations of errors; one is shown if it explains at least half of the errors of its kind."""

    def __init__(self) -> None:
        self._explained: dict[str, Counter[str]] = defaultdict(Counter)
        self._of_example: dict[str, Mapping[str, str]] = {}

    def add(self, kind: str, found: Mapping[str, str], is_example: bool) -> None:
        """Add the explanations of an error: sentences by the name of what they have in common."""
        self._explained[kind].update(found.keys())
        if is_example:
            self._of_example[kind] = found

    def of(self, kind: str, n_errors: int) -> str:
        """Return the explanation of most errors of a kind, as a sentence about its example; or nothing."""
        shown = self._of_example.get(kind, {})
        if not shown:
            return ""
        explained = self._explained[kind]
        name = max(shown, key=lambda each: explained[each])
        n_explained = explained[name]
        if 2 * n_explained < n_errors:
            return ""
        if n_errors == 1:
            return f" {shown[name]}"
        which = f"all {n_errors}" if n_explained == n_errors else f"{n_explained} of {n_errors}"
        return f" {shown[name]} This would explain {which} such errors."


class CheckError(AssertionError):
    """Base class of errors that hold a report, which is their text."""

    def __init__(self, report: Any) -> None:
        super().__init__(str(report))
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report,)


class TreeCheckError(CheckError):
    """Raised if trees have errors; its text is the report.

    Parameters
    ----------
    report : TreeReport
        The findings, also as an attribute.

    See Also
    --------
    check_tree_estimator : Raises it.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.testing import TreeCheckError, check_tree_estimator
    >>> try:
    ...     check_tree_estimator(DecisionTreeClassifier("entropy"), "gini")
    ... except TreeCheckError as error:
    ...     error.report.causes
    ["the criterion is 'entropy'"]
    """

    report: TreeReport


# --------------------------------------------------------------------------------------------------- examples as code


def code_of(
    tree: Any,
    X: FloatArray,
    y: AnyArray,
    weights: AnyArray | None,
    criterion: Any,
    further: str = "",
    is_drawn: bool = False,
) -> str:
    """Return a program that fits an estimator, or holds a tree, and checks it.

    Drawn data are always written out, as nobody else has them.
    """
    is_fitted = hasattr(tree, "fit")
    imports = ["import numpy as np", "from pytrees.testing import check_tree"]
    imports += [line for each in ((tree,) if is_fitted else ()) + (criterion,) if (line := _import_of(each))]
    weighted = ", sample_weight=weights" if weights is not None else ""
    if is_drawn or len(y) <= _MOST_SAMPLES:
        shape = f".reshape({X.shape})" if 0 in X.shape else ""
        lines = [f"X = np.array({_literal(X)}){shape}", f"y = np.array({_literal(y)})"]
        lines += [] if weights is None else [f"weights = np.array({_literal(weights)})"]
    else:
        lines = [f"X, y{', weights' if weighted else ''} = ...  # as given"]
    name = "fitted" if is_fitted else "tree"
    lines += [
        f"fitted = {tree!r}.fit(X, y{weighted})" if is_fitted else f"tree = {_text_of_tree(tree, y)}",
        f"print(check_tree({name}, X, y, {criterion!r}{weighted}{further}))",
    ]
    return "\n".join([*imports, *lines])


def _text_of_tree(tree: Any, y: AnyArray) -> str:
    """Return a tree as a dict that Python reads; of an object that has one, its tree."""
    if not isinstance(tree, (Tree, Mapping)):
        tree = getattr(tree, "tree_", tree)
    if isinstance(tree, Tree):
        classes = np.unique(y).tolist()
        tree = export_dict(tree, class_names=classes if len(classes) == tree.n_classes else None)
    text = _literal(tree)
    return text if len(text) <= _LONGEST_TREE else "...  # as given"


def _literal(value: Any) -> str:
    """Return numbers, words, and lists, arrays and dicts of them, as Python reads them; NaN is one of NumPy."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f"-np.{-value}" if value < 0 else f"np.{value}"
    return repr(value)


def _import_of(each: Any) -> str | None:
    """Return the line that imports the class of an object, from the shortest path at which it is public."""
    if isinstance(each, str):
        return None
    name, parts = type(each).__name__, type(each).__module__.split(".")
    for number in range(1, len(parts) + 1):
        path = ".".join(parts[:number])
        module = sys.modules.get(path) or importlib.import_module(path)
        if path != "__main__" and getattr(module, name, None) is type(each):
            return f"from {path} import {name}"
    return f"# from your_module import {name}"
