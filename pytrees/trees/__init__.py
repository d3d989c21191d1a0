"""The estimators that grow trees: single trees, forests of them, and the best and smallest trees.

`base` has the parameters, limits of growth, fit and predict of all estimators; `forest` has the base of all forests.
"""

from .c45 import C45Classifier
from .cart import DecisionTreeClassifier
from .distinct import DistinctTree
from .forest import DecisionForestClassifier
from .from_sklearn import from_sklearn
from .id3 import ID3Classifier, ID3ForestClassifier
from .minimal import MinimalTree, minimal_tree
from .optimal import OptimalTree, optimal_tree
from .optimal_classifier import MinimalTreeClassifier, OptimalTreeClassifier
from .ordinal import OrdinalDecisionForestClassifier, OrdinalDecisionTreeClassifier
from .permutation import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from .regression_forest import DecisionForestRegressor
from .regression_tree import DecisionTreeRegressor

__all__ = [
    "C45Classifier",
    "DecisionForestClassifier",
    "DecisionForestRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DistinctTree",
    "ID3Classifier",
    "ID3ForestClassifier",
    "MinimalTree",
    "MinimalTreeClassifier",
    "OptimalTree",
    "OptimalTreeClassifier",
    "OrdinalDecisionForestClassifier",
    "OrdinalDecisionTreeClassifier",
    "PermutationDecisionForestClassifier",
    "PermutationDecisionTreeClassifier",
    "from_sklearn",
    "minimal_tree",
    "optimal_tree",
]
