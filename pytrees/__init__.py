"""Exact decision trees on one engine, with a pure-Python reference beside it."""

from . import criteria
from ._engine import config_context
from .aggregated import AggregatedFourierTreeClassifier, ReconstructedFourierTree
from .cart import DecisionTreeClassifier
from .export import export_dict, export_text
from .forest import DecisionForestClassifier
from .fourier import FourierSpectrum
from .ordinal import OrdinalDecisionForestClassifier, OrdinalDecisionTreeClassifier
from .orthogonal import OrthogonalTreesClassifier
from .permutation import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from .plotting import plot_tree
from .sequence import effort_to_compress, nsrps
from .tree import Tree

__version__ = "0.1.0"

__all__ = [
    "AggregatedFourierTreeClassifier",
    "DecisionForestClassifier",
    "DecisionTreeClassifier",
    "FourierSpectrum",
    "OrdinalDecisionForestClassifier",
    "OrdinalDecisionTreeClassifier",
    "OrthogonalTreesClassifier",
    "PermutationDecisionForestClassifier",
    "PermutationDecisionTreeClassifier",
    "ReconstructedFourierTree",
    "Tree",
    "config_context",
    "criteria",
    "effort_to_compress",
    "export_dict",
    "export_text",
    "nsrps",
    "plot_tree",
]
