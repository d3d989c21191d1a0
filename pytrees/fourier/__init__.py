"""The Fourier algebra on decision trees: sparse spectra, the same without spectra, and the estimators made of them.

H. Kargupta, B.-H. Park and H. Dutta, "Orthogonal Decision Trees", IEEE TKDE, 2006.
"""

from .codes import OrdinalCodes, ordinal_codes
from .ensembles import gram, schema_average, tree_from_ensemble, tree_inner
from .rebuild import RebuiltTree, tree_from_spectra
from .spectrum import FourierSpectrum

__all__ = [
    "FourierSpectrum",
    "OrdinalCodes",
    "RebuiltTree",
    "gram",
    "ordinal_codes",
    "schema_average",
    "tree_from_ensemble",
    "tree_from_spectra",
    "tree_inner",
]
