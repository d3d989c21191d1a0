"""Trees as text. The other exports, which conversions read back, are in `convert`."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ._docstrings import described_like
from ._given_tree import (
    SHOWING_CONSTRAINTS,
    CategoryNames,
    TreeEstimator,
    counts_of,
    label_of_categories,
    levels_of_branches,
    node_labels,
    one_line,
    side_of_missing,
    tree_and_names,
)
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
        "digits": [Interval(Integral, 1, 100, closed="both")],
        "decimals": [Interval(Integral, 0, 100, closed="both"), None],
        "show_weights": ["boolean"],
        "proportion": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def export_text(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = 10,
    digits: int = 4,
    decimals: int | None = None,
    show_weights: bool = True,
    proportion: bool = False,
) -> str:
    """Export the rules of a tree as text.

    Parameters
    ----------
    max_depth : int or None, default=10
        Only splits down to this depth are exported, the root's being 0; other branches end with
        ``truncated branch of depth`` and the number of their levels. None: all. Lines are indented by depth, so that
        the text of a chain of n splits grows with n squared, to 5 GB for n = 20,000.
    digits : int, default=4
        Significant digits of thresholds, gains, and shares.
    decimals : int, optional
        Decimal places of these, in place of significant digits.
    show_weights : bool, default=True
        Whether leaves show the numbers of their samples, or sums of weights, of every class; of all samples in a tree
        of numbers.
    proportion : bool, default=False
        Whether leaves show shares in place of these numbers: of the classes, or of all training samples in a tree of
        numbers.

    Returns
    -------
    str
        A line for every branch and leaf; leaves with their class and the class counts, or with their number and the
        number of their samples. A sample whose category has no branch at a node gets the most frequent class of that
        node, or its number. If training samples of a node lacked the value, the branch that samples without it take
        says ``or missing``.

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
    labels = None if tree.is_regressor else node_labels(given, tree)
    name_of, lines = CategoryNames(given), []
    form = f".{int(digits)}g" if decimals is None else f".{int(decimals)}f"
    max_depth = tree.max_depth if max_depth is None else max_depth
    levels = levels_of_branches(tree) if tree.max_depth > max_depth + 1 else []
    # A stack of the pieces to write: a line, or a node and its depth.
    pending: list[tuple[Any, int]] = [(0, 0)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        indent = "|   " * depth
        if tree.children_left[node] == LEAF:
            counts = f" {counts_of(tree, node, form if proportion else None)}" if show_weights else ""
            said = f"value {tree.value[node, 0]:{form}}" if labels is None else f"class {class_names[labels[node]]}"
            lines.append(f"{indent}{said}{counts}")
            continue
        if depth > max_depth:
            lines.append(f"{indent}truncated branch of depth {levels[node]}")
            continue
        gain = f" (gain {tree.gain[node]:{form}})"
        children, tests = tree.children_of(node).tolist(), _tests_of(tree, node, feature_names, name_of, form)
        for child, test in reversed(list(zip(children, tests, strict=True))):
            pending.append((child, depth + 1))
            pending.append((f"{indent}{test}{gain if child == children[0] else ''}", depth))
    return "\n".join(map(one_line, lines))


def _tests_of(tree: Tree, node: int, feature_names: Names, name_of: CategoryNames, form: str) -> list[str]:
    """Describe for each child of an inner node the test that its samples pass."""
    feature = tree.feature[node]
    name = feature_names[feature]
    if tree.children_left[node] == MULTIWAY:
        return [_test_of_categories(tree, feature, child, name, name_of) for child in tree.children_of(node)]
    if tree.threshold[node] == np.inf:
        return [f"{name} is not missing", f"{name} is missing"]
    threshold = name_of.level(feature, tree.threshold[node]) or f"{tree.threshold[node]:{form}}"
    ways = side_of_missing(tree, node)
    return [
        f"{name} {test} {threshold}{' or missing' if way == ways else ''}"
        for test, way in (("<=", "left"), (">", "right"))
    ]


def _test_of_categories(tree: Tree, feature: int, child: int, name: str, name_of: CategoryNames) -> str:
    codes = tree.categories_of(child)
    if len(codes) == 1 and name_of(feature, codes[0]) is None:
        return f"{name} is missing"
    return f"{name} {'=' if len(codes) == 1 else 'in'} {label_of_categories(tree, feature, child, name_of)}"
