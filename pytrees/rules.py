"""The leaves of a tree as a table of rules."""

from __future__ import annotations

from typing import Any

from ._digits import exact
from ._docstrings import described_like
from ._given_tree import (
    NAMING_CONSTRAINTS,
    CategoryNames,
    TreeEstimator,
    has_samples,
    predicted_labels,
    steps_through,
    tree_and_names,
)
from ._names import one_line
from ._sklearn import validate_params
from ._tree_checks import LEAF
from ._typing import LabelsLike
from .export import _BranchTests, export_text
from .tree import Tree

__all__ = ["leaf_rules"]


@described_like(export_text)
@validate_params({**NAMING_CONSTRAINTS, "as_frame": ["boolean"]}, prefer_skip_nested_validation=True)
def leaf_rules(
    tree: Tree | TreeEstimator,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    as_frame: bool = False,
) -> Any:
    """List the leaves of a tree, each with the tests on the path from the root.

    Thresholds are written with all digits of the doubles that they are.

    Parameters
    ----------
    as_frame : bool, default=False
        Give a pandas DataFrame.

    Returns
    -------
    list of dict, or pandas.DataFrame
        A record for every leaf, from left to right: ``leaf``, its node, as `apply` returns it; ``path``, the tests that
        its samples pass, with ``and`` between them, which is empty if the tree is one leaf; ``n_samples``, its training
        samples; ``prediction``, the class or number that the tree predicts there. A tree that was made of an ensemble
        has no training samples: in place of their number, ``share`` is the share of the leaf under the measure.

    Raises
    ------
    ImportError
        If pandas is asked for, but not installed.
    TypeError
        If `tree` is neither a Tree nor an estimator with one.
    ValueError
        If there are too many or too few names, or a parameter is not as above.

    See Also
    --------
    export_text : The same as an indented text.
    export_python, export_c, export_sql : The tree as a program.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pytrees import DecisionTreeClassifier, leaf_rules
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> for rule in leaf_rules(DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)):
    ...     print(rule["leaf"], rule["path"], rule["n_samples"], rule["prediction"], sep=": ")
    1: petal length (cm) <= 2.45: 50: 0
    3: petal length (cm) > 2.45 and petal width (cm) <= 1.75: 54: 1
    4: petal length (cm) > 2.45 and petal width (cm) > 1.75: 46: 2
    """
    given = tree
    tree, feature_names, class_names = tree_and_names(given, feature_names, class_names)
    labels = None if tree.is_regressor else predicted_labels(given, tree)
    tests = _BranchTests(tree, feature_names, CategoryNames(given), lambda node: exact(tree.threshold[node]))
    weights, counts_samples = tree.weighted_n_node_samples, has_samples(tree)
    records: list[dict[str, Any]] = []
    path: list[str] = []
    for node, depth, branch in steps_through(tree):
        del path[depth:]
        if tree.children_left[node] == LEAF:
            predicted = float(tree.value[node, 0]) if labels is None else class_names[labels[node]]
            said = {"leaf": node, "path": one_line(" and ".join(path))}
            if counts_samples:
                said["n_samples"] = int(tree.n_node_samples[node])
            else:
                said["share"] = float(weights[node] / weights[0])
            records.append({**said, "prediction": predicted})
        elif branch < tree.children_of(node).size:
            path.append(tests(node, branch))
    if not as_frame:
        return records
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas, which is not installed.") from error
    return pd.DataFrame(records)
