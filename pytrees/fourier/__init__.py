"""The Fourier algebra on decision trees: with sparse spectra, without spectra, and estimators made of it.

H. Kargupta, B.-H. Park and H. Dutta, "Orthogonal Decision Trees", IEEE TKDE, 2006. Each file answers one question:

- `codes`: how do trees of real features, scikit-learn's too, become trees of discrete codes?
- `readers`: how do ensembles of other libraries become sums of trees, with values at the leaves?
- `additive`: how do sums of trees become trees of discrete codes?
- `distilled`: which few trees are nearly a model, and what do they leave out?
- `distilled_classifier`: which classifier is a few trees, distilled from an ensemble?
- `together`: how do the trees of several models get the same codes?
- `given_models`: how do functions of trees on codes take fitted models?
- `merged`: what is the mean of models that were trained in several places?
- `streams`: what is the mean of the models of the latest blocks of data, and do they drift?
- `boxes`: how do trees and schemata become the flat arrays of the kernels?
- `measures`: under which measures are means taken, and how are they computed?
- `spectrum`: which coefficients does a tree have, and what can be computed from them?
- `partitions`: how are the arrays of a spectrum checked, and expanded from leaves?
- `ensembles`: how are these computed straight from the leaves, if a spectrum would be too large?
- `effects`: which parts do the variance and the means of a function have, feature by feature?
- `shapley`: how much does every feature add to single predictions?
- `rebuild`: how does TCFS make a tree of a function?
- `aggregated`: which classifier is one tree in place of a tree or an ensemble?
- `orthogonal`: which classifier is a few trees, the principal components of an ensemble?
- `base`: what do these classifiers share?
"""

from .additive import AdditiveModel, additive_model
from .aggregated import AggregatedFourierTreeClassifier, ReconstructedFourierTree
from .codes import OrdinalCodes, ordinal_codes
from .distilled import DistilledModel, distil
from .distilled_classifier import DistilledTreesClassifier
from .distilled_regressor import DistilledTreesRegressor
from .effects import AnovaEffects, PartialDependence, SobolIndices, anova_effects, partial_dependence, sobol_indices
from .ensembles import ModelDistance, gram, model_distance, schema_average, tree_from_ensemble, tree_inner
from .merged import MergedModel, merge
from .orthogonal import OrthogonalTreesClassifier
from .rebuild import RebuiltTree
from .shapley import ShapleyValues, shapley_values
from .spectrum import FourierSpectrum, tree_from_spectra
from .streams import ModelStream

__all__ = [
    "AdditiveModel",
    "AggregatedFourierTreeClassifier",
    "AnovaEffects",
    "DistilledModel",
    "DistilledTreesClassifier",
    "DistilledTreesRegressor",
    "FourierSpectrum",
    "MergedModel",
    "ModelDistance",
    "ModelStream",
    "OrdinalCodes",
    "OrthogonalTreesClassifier",
    "PartialDependence",
    "RebuiltTree",
    "ReconstructedFourierTree",
    "ShapleyValues",
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
    "shapley_values",
    "sobol_indices",
    "tree_from_ensemble",
    "tree_from_spectra",
    "tree_inner",
]
