"""Exact decision trees: a compiled engine grows them, and a reference in pure Python grows equal ones."""

from . import _same_name as _same_name  # first: files of another project may be among those imported below

# isort: split
from . import criteria, distances
from ._engine import config_context
from ._version import __version__ as __version__
from ._versions import show_versions
from .causality import compression_complexity_causality
from .export import export_dict, export_text, to_sklearn
from .fourier import (
    AggregatedFourierTreeClassifier,
    DistilledTreesClassifier,
    DistilledTreesRegressor,
    FourierSpectrum,
    OrthogonalTreesClassifier,
    ReconstructedFourierTree,
)
from .graphviz import export_graphviz
from .order import order_sensitivity
from .plotting import plot_decision_path, plot_distinct_trees, plot_tree
from .programs import export_c, export_python, export_sql
from .rules import leaf_rules
from .sequence import effort_to_compress, lempel_ziv_complexity, nsrps, sliding_effort_to_compress
from .simplify import merge_redundant, redundant_splits
from .symbols import join_symbols, symbolize
from .tree import Tree
from .trees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ID3ForestClassifier,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    from_sklearn,
    minimal_tree,
    optimal_tree,
)

__all__ = [
    "AggregatedFourierTreeClassifier",
    "C45Classifier",
    "DecisionForestClassifier",
    "DecisionForestRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DistilledTreesClassifier",
    "DistilledTreesRegressor",
    "FourierSpectrum",
    "ID3Classifier",
    "ID3ForestClassifier",
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "OrdinalDecisionForestClassifier",
    "OrdinalDecisionTreeClassifier",
    "OrthogonalTreesClassifier",
    "PermutationDecisionForestClassifier",
    "PermutationDecisionTreeClassifier",
    "ReconstructedFourierTree",
    "Tree",
    "compression_complexity_causality",
    "config_context",
    "criteria",
    "distances",
    "effort_to_compress",
    "export_c",
    "export_dict",
    "export_graphviz",
    "export_python",
    "export_sql",
    "export_text",
    "from_sklearn",
    "join_symbols",
    "leaf_rules",
    "lempel_ziv_complexity",
    "merge_redundant",
    "minimal_tree",
    "nsrps",
    "optimal_tree",
    "order_sensitivity",
    "plot_decision_path",
    "plot_distinct_trees",
    "plot_tree",
    "redundant_splits",
    "show_versions",
    "sliding_effort_to_compress",
    "symbolize",
    "to_sklearn",
]
