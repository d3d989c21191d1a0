"""Exact decision trees on one engine, with a pure-Python reference beside it."""

from . import criteria, distances
from ._engine import config_context
from .export import export_dict, export_text
from .fourier.aggregated import AggregatedFourierTreeClassifier, ReconstructedFourierTree
from .fourier.orthogonal import OrthogonalTreesClassifier
from .fourier.spectrum import FourierSpectrum
from .plotting import plot_tree
from .sequence import effort_to_compress, nsrps
from .simplify import merge_redundant, redundant_splits
from .tree import Tree
from .trees.c45 import C45Classifier
from .trees.cart import DecisionTreeClassifier
from .trees.forest import DecisionForestClassifier
from .trees.id3 import ID3Classifier, ID3ForestClassifier
from .trees.minimal import minimal_tree
from .trees.ordinal import OrdinalDecisionForestClassifier, OrdinalDecisionTreeClassifier
from .trees.permutation import PermutationDecisionForestClassifier, PermutationDecisionTreeClassifier

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
