"""Trees as text. The other exports, which conversions read back, are in `convert`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Literal

import numpy as np

from ._deprecated import NOT_GIVEN, NOT_GIVEN_CONSTRAINT, is_given
from ._digits import Digits, ThresholdTexts
from ._docstrings import described_like
from ._given_tree import (
    SHOWING_CONSTRAINTS,
    CategoryNames,
    TreeEstimator,
    class_said,
    counts_of,
    label_of_categories,
    levels_of_branches,
    predicted_labels,
    rules_said,
    side_of_missing,
    steps_through,
    tree_and_names,
)
from ._names import one_line
from ._sklearn import Interval, validate_params
from ._tree_checks import LEAF, MULTIWAY
from ._typing import LabelsLike, Names
from .convert.sklearn_estimators import to_sklearn
from .convert.to_dict import export_dict
from .tree import Tree

__all__ = ["export_dict", "export_text", "to_sklearn"]


@described_like(export_dict)
@validate_params(
    {
        **SHOWING_CONSTRAINTS,
        "precision": [Interval(Integral, 0, 100, closed="both"), None],
        "show_weights": ["boolean"],
        "proportion": ["boolean"],
        "digits": [Interval(Integral, 1, 100, closed="both"), NOT_GIVEN_CONSTRAINT],
        "decimals": [Interval(Integral, 0, 100, closed="both"), None, NOT_GIVEN_CONSTRAINT],
    },
    prefer_skip_nested_validation=True,
)
def export_text(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = 10,
    precision: int | None = None,
    show_weights: bool = True,
    proportion: bool = False,
    digits: int | Literal["deprecated"] = NOT_GIVEN,
    decimals: int | Literal["deprecated"] | None = NOT_GIVEN,
) -> str:
    """Export the rules of a tree as text.

    Parameters
    ----------
    max_depth : int or None, default=10
        Only splits down to this depth are exported, the root's being 0; other branches end with
        ``truncated branch of depth`` and the number of their levels. None: all. Lines are indented by depth, so that
        the text of a chain of n splits grows with n squared, to 5 GB for n = 20,000.
    precision : int, optional
        Decimal places of thresholds, gains, numbers and shares; by default they have at least four significant digits.
        A threshold has no exponent, and more digits where it takes more to divide the training samples as the tree
        does: the printed rules send every training sample to the leaf that the tree sends it to.
    show_weights : bool, default=True
        Whether leaves show the numbers of their samples, or sums of weights, of every class; of all samples in a tree
        of numbers.
    proportion : bool, default=False
        Whether leaves show shares in place of these numbers: of the classes, or of all training samples in a tree of
        numbers.
    digits : int
        Deprecated in 0.2, removed in 0.4: significant digits. Use `precision`.
    decimals : int
        Deprecated in 0.2, removed in 0.4: another name of `precision`.

    Returns
    -------
    str
        A line for every branch and leaf; leaves with their class and the class counts, or with their number and the
        number of their samples. A class that is not the most frequent one, but costs least, or follows from the order
        of the classes, says so: ``(least cost)``, ``(median)`` or ``(expected)``. A sample whose category has no branch
        at a node gets the most frequent class of that node, or its number. If training samples of a node lacked the
        value, the branch that samples without it take says ``or missing``.

    See Also
    --------
    export_dict : The tree as nested dicts, ready for JSON.
    plot_tree : The tree as a picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, export_text
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(export_text(DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)))
    petal length (cm) <= 2.45 (gain 0.3333)
    |   class 0 [50, 0, 0]
    petal length (cm) > 2.45
    |   petal width (cm) <= 1.75 (gain 0.3897)
    |   |   class 1 [0, 49, 5]
    |   petal width (cm) > 1.75
    |   |   class 2 [0, 1, 45]

    >>> from sklearn.datasets import load_diabetes
    >>> from pytrees import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> print(export_text(DecisionTreeRegressor(max_depth=1).fit(X, y)))
    s5 <= -0.003761 (gain 1729)
    |   value 110 [218]
    s5 > -0.003761
    |   value 193.2 [224]
    """
    given = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    labels = None if tree.is_regressor else predicted_labels(given, tree)
    rules = {} if labels is None else rules_said(given, tree, labels)
    written = Digits(precision if precision is None else int(precision))
    if is_given("export_text", "digits", digits, "use precision, the number of decimal places", "0.4"):
        written = Digits(significant=int(digits))
    if is_given("export_text", "decimals", decimals, "use precision", "0.4") and decimals is not None:
        written = Digits(int(decimals))
    tests = _BranchTests(tree, feature_names, CategoryNames(given), ThresholdTexts(tree, written))
    max_depth = tree.max_depth if max_depth is None else max_depth
    levels = levels_of_branches(tree) if tree.max_depth > max_depth + 1 else []
    number, lines = written.number, []
    for node, depth, branch in steps_through(tree, max_depth):
        if tree.children_left[node] == LEAF:
            said = (
                class_said(class_names[labels[node]]) if labels is not None else f"value {number(tree.value[node, 0])}"
            )
            said += rules.get(node, "")
            said += f" {counts_of(tree, node, number if proportion else None)}" if show_weights else ""
        elif depth > max_depth:
            said = f"truncated branch of depth {levels[node]}"
        elif branch < len(tree.children_of(node)):
            gain = f" (gain {number(tree.gain[node])})" if branch == 0 else ""
            said = f"{tests(node, branch)}{gain}"
        else:
            continue
        lines.append(f"{'|   ' * depth}{said}")
    return "\n".join(map(one_line, lines))


class _BranchTests:
    """The tests of a tree's inner nodes as text.

    Parameters
    ----------
    tree : Tree
    feature_names : sequence of str
    name_of : CategoryNames
    threshold_of : callable
        Returns the text of a node's threshold.
    """

    def __init__(
        self, tree: Tree, feature_names: Names, name_of: CategoryNames, threshold_of: Callable[[int], str]
    ) -> None:
        self._tree, self._feature_names, self._name_of = tree, feature_names, name_of
        self._threshold_of = threshold_of

    def __call__(self, node: int, branch: int) -> str:
        """Describe the test that samples pass which go from an inner node into a branch."""
        tree, feature = self._tree, int(self._tree.feature[node])
        name = self._feature_names[feature]
        if tree.children_left[node] == MULTIWAY:
            return f"{name} {self._said_of_categories(feature, int(tree.children_of(node)[branch]))}"
        if tree.threshold[node] == np.inf:
            return f"{name} {('is not missing', 'is missing')[branch]}"
        threshold = self._name_of.level(feature, tree.threshold[node]) or self._threshold_of(node)
        missing = " or missing" if side_of_missing(tree, node) == ("left", "right")[branch] else ""
        return f"{name} {('<=', '>')[branch]} {threshold}{missing}"

    def _said_of_categories(self, feature: int, child: int) -> str:
        tree, codes = self._tree, self._tree.categories_of(child)
        if len(codes) == 1 and self._name_of(feature, codes[0]) is None:
            return "is missing"
        return f"{'=' if len(codes) == 1 else 'in'} {label_of_categories(tree, feature, child, self._name_of)}"
