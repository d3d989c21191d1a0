"""Nested dicts of a tree, from which `from_dict` makes the tree again."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from .._given_tree import (
    SHOWING_CONSTRAINTS,
    CategoryNames,
    NumberedNames,
    TreeEstimator,
    levels_of_branches,
    predicted_labels,
    shown_nodes,
    side_of_missing,
    tree_and_names,
)
from .._missing import is_missing
from .._names import plain_text, plain_value, plain_values
from .._sklearn import validate_params
from .._tree_arrays import numbers_of
from .._tree_checks import LEAF, MULTIWAY
from .._typing import AnyArray, LabelsLike
from ..tree import Tree


@validate_params(SHOWING_CONSTRAINTS, prefer_skip_nested_validation=True)
def export_dict(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = None,
) -> dict[str, Any]:
    """Export a tree as nested dicts of plain Python values, ready for JSON.

    Parameters
    ----------
    tree : Tree or fitted tree estimator
        The tree, or an estimator that has one.
    feature_names : sequence of str of length n_features, optional
        All different. By default the names that the estimator was fitted with, or ``feature_0``, ``feature_1``, ...
    class_names : sequence of length n_classes, optional
        Strings, numbers, dates or other labels, all different. By default the estimator's classes, or 0, 1, ... Members
        of an ``enum.StrEnum`` or ``enum.IntEnum``, like all subclasses of str, int and float, stand for the value of
        the base class.
    max_depth : int or None, default=None
        Only splits down to this depth are exported, the root's being 0. A node whose branch is cut off has
        ``truncated``, the number of levels from it on, as in :func:`export_text`. None: all.

    Returns
    -------
    dict
        Every node has ``n_node_samples``, and ``counts`` and ``class``; or, in a tree of numbers, ``value``, which is
        the number that it predicts, ``weighted_n_node_samples`` and, if the tree has impurities, ``impurity``. Inner
        nodes also have ``feature`` and ``gain``, and either ``threshold`` with the nodes ``left`` (at most the
        threshold) and ``right``, or ``children``: a list of nodes, each with its ``category``, None for missing values,
        or with several ``categories``. If training samples lacked the value, ``missing`` is the side of samples without
        it, ``"left"`` or ``"right"``; the threshold is None if all others go left. Other infinite thresholds, which no
        training makes, and infinite gains and impurities are ``"inf"`` and ``"-inf"``. If monotonic constraints keep a
        node from predicting the shares of its ``counts``, ``shares`` are what it predicts.

        The root also has ``n_features``; ``class_names``, the classes in the order of ``counts``, or the ``criterion``
        of the impurities of a tree of numbers, None if it is not known; ``feature_names`` if
        they are known; ``takes_missing`` if samples may lack values; ``categories``, lists by the names of categorical
        features; and ``ordered_categories``, whose positions from 0 the thresholds compare. Classes and categories that
        are dates come as text by ISO 8601 (``2000-01-31``, ``2000-01-31T12:30``), durations, intervals and other
        objects as their ``str``.

    Raises
    ------
    TypeError
        If `tree` is neither a Tree nor an estimator with one.
    ValueError
        If there are too many or too few names, or a parameter is not as above.

    See Also
    --------
    pytrees.Tree.from_dict : Makes an equal tree of it.
    export_text : The rules as text, to be read.
    to_sklearn : A fitted scikit-learn estimator that decides alike.

    Notes
    -----
    ``json.dumps``, ``copy.deepcopy`` and ``==`` follow the nesting of the dicts, and raise RecursionError if a tree is
    deeper than some hundred levels. Give a `max_depth` then, or write the flat arrays of the :class:`Tree`,
    ``{name: getattr(tree, name).tolist() for name in ("children_left", "children_right", ...)}``, from which ``Tree``
    makes the tree again.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, export_dict
    >>> export_dict(DecisionTreeClassifier().fit([[1.0], [3.0]], ["a", "b"]))["left"]
    {'n_node_samples': 1, 'counts': [1.0, 0.0], 'class': 'a'}

    >>> from pytrees import DecisionTreeRegressor
    >>> export_dict(DecisionTreeRegressor().fit([[1.0], [3.0]], [0.5, 0.7]))["left"]
    {'n_node_samples': 1, 'value': 0.5, 'weighted_n_node_samples': 1.0, 'impurity': 0.0}
    """
    given: Any = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    shown, with_children = shown_nodes(tree, max_depth)
    name_of, class_names = CategoryNames(given), [_for_json(name) for name in class_names]
    columns: dict[str, list[Any]] = {"n_node_samples": tree.n_node_samples[shown].tolist()}
    if tree.is_regressor:
        columns |= {"value": tree.value[shown, 0].tolist()}
        columns |= {name: list(map(_number, numbers)) for name, numbers in numbers_of(tree, shown).items()}
    else:
        columns |= {"counts": tree.value[shown].tolist()}
        columns |= {"class": [class_names[label] for label in predicted_labels(given, tree)[shown].tolist()]}
    rows = zip(*columns.values(), strict=True)
    nodes = {node: dict(zip(columns, row, strict=True)) for node, row in zip(shown.tolist(), rows, strict=True)}
    if tree._given_shares is not None:
        differ = shown[np.any(tree._evidence[shown] != tree.value[shown], axis=1)]
        for node, shares in zip(differ.tolist(), tree.shares[differ].tolist(), strict=True):
            nodes[node]["shares"] = shares
    for node in with_children.tolist():
        feature, children = tree.feature[node], tree.children_of(node).tolist()
        nodes[node] |= {"feature": feature_names[feature], "gain": _number(tree.gain[node])}
        if tree.children_left[node] == MULTIWAY:
            for child in children:
                names = [_for_json(name_of(feature, code)) for code in tree.categories_of(child)]
                nodes[child] |= {"category": names[0]} if len(names) == 1 else {"categories": names}
            nodes[node]["children"] = [nodes[child] for child in children]
        else:
            threshold, missing = float(tree.threshold[node]), side_of_missing(tree, node)
            nodes[node] |= {"threshold": _threshold(threshold, missing)}
            nodes[node] |= {} if missing is None else {"missing": missing}
            nodes[node] |= {"left": nodes[children[0]], "right": nodes[children[1]]}
    truncated = np.setdiff1d(shown[tree.children_left[shown] != LEAF], with_children).tolist()
    levels = levels_of_branches(tree) if truncated else []
    for node in truncated:
        nodes[node]["truncated"] = levels[node]
    nodes[0] |= {"n_features": tree.n_features}
    nodes[0] |= {"criterion": tree.criterion_name} if tree.is_regressor else {"class_names": class_names}
    nodes[0] |= {"takes_missing": True} if tree.takes_missing else {}
    if not isinstance(feature_names, NumberedNames):
        nodes[0]["feature_names"] = feature_names
    ordered = getattr(given, "ordered_categories_", None)
    if ordered:
        levels = {feature_names[feature]: plain_values(values) for feature, values in ordered.items()}
        nodes[0]["ordered_categories"] = {name: list(map(_for_json, values)) for name, values in levels.items()}
    categories = getattr(given, "categories_", None)
    if categories:
        names = [feature_names[feature] for feature in np.flatnonzero(given.is_categorical_)]
        as_json = [[_for_json(value) for value in _known_values(values)] for values in categories]
        nodes[0]["categories"] = dict(zip(names, as_json, strict=True))
    return nodes[0]


def _threshold(threshold: float, missing: str | None) -> float | str | None:
    """Return a threshold as JSON holds it: None for infinity at a node that only separates missing values."""
    return None if threshold == np.inf and missing is not None else _number(threshold)


def _number(number: float) -> float | str:
    """Return a number as JSON holds it: infinity as text."""
    return float(number) if np.isfinite(number) else str(float(number))


def _known_values(categories: AnyArray) -> list[Any]:
    """Return categories as values of Python, with None for missing values."""
    return [None if is_missing(value) else plain_values(categories[i : i + 1])[0] for i, value in enumerate(categories)]


def _for_json(name: Any) -> Any:
    """Return words, numbers, truth values and None as they are, lists of names as lists; other objects as text."""
    name = plain_value(name)
    if name is None or isinstance(name, (str, int, float)):
        return name
    if isinstance(name, (list, tuple)):
        return [_for_json(part) for part in name]
    return name.isoformat() if isinstance(name, datetime.date) else plain_text(name)
