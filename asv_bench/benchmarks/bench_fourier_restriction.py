"""Spectra folded onto a part of an attribute's values."""

import numpy as np

from pytrees import FourierSpectrum

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import full_trees


class Restriction:
    params = (ENGINES, [2, 4], [4, 6, 8])
    param_names = ("engine", "cardinality", "depth")

    def setup(self, engine, cardinality, depth):
        skip_unless(engine == "compiled" or depth <= 4)
        cardinalities = [cardinality] * 20
        trees, values = full_trees(1, depth, cardinalities)
        spectrum = FourierSpectrum.from_tree(trees[0], cardinalities, values=values[0])
        columns = np.ascontiguousarray(spectrum.coefficients[:, np.newaxis])
        m = int(trees[0].feature[0])
        self.arguments = spectrum.partitions, columns, m, cardinality, 0, cardinality // 2
        self.restrict = kernel_of(engine, "restrict")

    def time_restrict(self, engine, cardinality, depth):
        self.restrict(*self.arguments)
