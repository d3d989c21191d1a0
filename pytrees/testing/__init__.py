"""Check any tree or criterion against the reference: equality, and errors as opposed to ties.

:mod:`pytrees.testing.strategies`, which needs hypothesis, draws tables and label sequences for tests of your own.
"""

from ._criteria import CriterionCheckError, CriterionReport, check_criterion
from ._equal import assert_trees_equal
from ._estimators import check_tree, check_tree_estimator
from ._reports import Example, TreeCheckError, TreeReport

__all__ = [
    "CriterionCheckError",
    "CriterionReport",
    "Example",
    "TreeCheckError",
    "TreeReport",
    "assert_trees_equal",
    "check_criterion",
    "check_tree",
    "check_tree_estimator",
]
