"""Exact decision trees on one engine, with a pure-Python reference beside it."""

from . import criteria, distances
from ._engine import config_context
from .aggregated import AggregatedFourierTreeClassifier, ReconstructedFourierTree
from .c45 import C45Classifier
from .cart import DecisionTreeClassifier
from .export import export_dict, export_text
from .forest import DecisionForestClassifier
from .fourier import FourierSpectrum
from .id3 import ID3Classifier, ID3ForestClassifier
from .minimal import minimal_tree
from .ordinal import OrdinalDecisionForestClassifier, OrdinalDecisionTreeClassifier
from .orthogonal import OrthogonalTreesClassifier
from .permutation import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier
from .plotting import plot_tree
from .sequence import effort_to_compress, nsrps
from .simplify import merge_redundant, redundant_splits
from .tree import Tree

__version__ = "0.1.0"

__all__ = [
    "AggregatedFourierTreeClassifier",
    "C45Classifier",
    "DecisionForestClassifier",
    "DecisionTreeClassifier",
    "FourierSpectrum",
    "ID3Classifier",
    "ID3ForestClassifier",
    "OrdinalDecisionForestClassifier",
    "OrdinalDecisionTreeClassifier",
    "OrthogonalTreesClassifier",
    "PermutationDecisionForestClassifier",
    "PermutationDecisionTreeClassifier",
    "ReconstructedFourierTree",
    "Tree",
    "config_context",
    "criteria",
    "distances",
    "effort_to_compress",
    "export_dict",
    "export_text",
    "merge_redundant",
    "minimal_tree",
    "nsrps",
    "plot_tree",
    "redundant_splits",
]
