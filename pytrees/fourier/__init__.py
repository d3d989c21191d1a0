"""The Fourier algebra on decision trees: sparse spectra, the same without spectra, and the estimators made of them.

H. Kargupta, B.-H. Park and H. Dutta, "Orthogonal Decision Trees", IEEE TKDE, 2006. Which file answers which question:

- `codes`: how do trees of real features, scikit-learn's too, become trees of discrete codes?
- `readers`: which trees, with which values at the leaves, are the ensembles of other libraries sums of?
- `additive`: how does such an ensemble become a sum of trees of discrete codes?
- `distilled`: which few trees are nearly a model, and what do they leave out?
- `merged`: which model are those that were trained in several places, together?
- `streams`: which model are those of the latest blocks of data, and do they drift?
- `boxes`: what do the kernels take: leaves, schemata and measures as flat arrays?
- `spectrum`: which coefficients does a tree have, and what can be computed from them?
- `energy`: how does the energy of a spectrum fall with the order, and what bounds it?
- `samples`: what are trees at given samples, where these are the measure?
- `ensembles`: the same quantities straight from the leaves of the trees, where a spectrum would be too large.
- `effects`: what is a function made of: its variance by features, its means over features?
- `rebuild`: how is a tree made of a function (TCFS), whichever of the two it comes from?
- `aggregated`: one tree in place of a tree or an ensemble, as a classifier.
- `orthogonal`: the principal components of an ensemble as a few trees, as a classifier.
- `base`: what these classifiers share.
"""

from .additive import AdditiveModel, additive_model
from .aggregated import AggregatedFourierTreeClassifier, ReconstructedFourierTree
from .codes import OrdinalCodes, ordinal_codes
from .distilled import DistilledModel, distil
from .effects import AnovaEffects, SobolIndices, anova_effects, partial_dependence, sobol_indices
from .ensembles import ModelDistance, gram, model_distance, schema_average, tree_from_ensemble, tree_inner
from .merged import MergedModel, merge
from .orthogonal import OrthogonalTreesClassifier
from .rebuild import RebuiltTree
from .spectrum import FourierSpectrum, tree_from_spectra
from .streams import ModelStream

__all__ = [
    "AdditiveModel",
    "AggregatedFourierTreeClassifier",
    "AnovaEffects",
    "DistilledModel",
    "FourierSpectrum",
    "MergedModel",
    "ModelDistance",
    "ModelStream",
    "OrdinalCodes",
    "OrthogonalTreesClassifier",
    "RebuiltTree",
    "ReconstructedFourierTree",
    "SobolIndices",
    "additive_model",
    "anova_effects",
    "distil",
    "gram",
    "merge",
    "model_distance",
    "ordinal_codes",
    "partial_dependence",
    "schema_average",
    "sobol_indices",
    "tree_from_ensemble",
    "tree_from_spectra",
    "tree_inner",
]
