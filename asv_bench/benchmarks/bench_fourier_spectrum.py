"""Spectra of trees: extraction, sums, evaluation."""

import numpy as np

from pytrees import FourierSpectrum
from pytrees.fourier.boxes import Leaves, boxes_of_points, check_cardinalities

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import full_trees, multiway_trees


class Extraction:
    """One full tree, with a real number at every leaf."""

    params = (ENGINES, ["binary", "four values"], [4, 8, 10, 12])
    param_names = ("engine", "attributes", "depth")

    def setup(self, engine, attributes, depth):
        skip_unless((engine == "compiled" or depth <= 4) and (attributes == "binary" or depth <= 8))
        self.cardinalities = check_cardinalities([2 if attributes == "binary" else 4] * 40)
        trees, values = full_trees(1, depth, self.cardinalities)
        leaves = Leaves(trees, self.cardinalities, values=values)
        self.arguments = leaves.boxes, leaves.values[:, 0].copy(), self.cardinalities
        self.count_orders = kernel_of(engine, "count_orders")
        self.expand = kernel_of(engine, "expand_spectrum")
        self.counts = np.asarray(self.count_orders(*self.arguments, 1e12))

    def time_count_orders(self, engine, attributes, depth):
        self.count_orders(*self.arguments, 1e12)

    def time_expand(self, engine, attributes, depth):
        self.expand(*self.arguments, self.counts)

    def peakmem_expand(self, engine, attributes, depth):
        self.expand(*self.arguments, self.counts)


class MultiwayExtraction:
    """One tree with a child for every value of its attributes, a real number at every leaf."""

    params = (ENGINES, [2, 4, 6])
    param_names = ("engine", "depth")

    def setup(self, engine, depth):
        skip_unless(engine == "compiled" or depth <= 2)
        self.cardinalities = check_cardinalities([4] * 40)
        trees, values = multiway_trees(1, depth, self.cardinalities)
        leaves = Leaves(trees, self.cardinalities, values=values)
        self.arguments = leaves.boxes, leaves.values[:, 0].copy(), self.cardinalities
        self.expand = kernel_of(engine, "expand_spectrum")
        self.counts = np.asarray(kernel_of(engine, "count_orders")(*self.arguments, 1e12))

    def time_expand(self, engine, depth):
        self.expand(*self.arguments, self.counts)


class Algebra:
    """Two spectra of full trees on 40 binary attributes."""

    params = (ENGINES, [4, 10])
    param_names = ("engine", "depth")

    def setup(self, engine, depth):
        skip_unless(engine == "compiled" or depth <= 4)
        cardinalities = check_cardinalities([2] * 40)
        trees, values = full_trees(2, depth, cardinalities)
        self.spectra = [
            FourierSpectrum.from_tree(t, cardinalities, values=v) for t, v in zip(trees, values, strict=True)
        ]
        X = np.random.default_rng(0).integers(0, 2, (100, 40))
        self.points = boxes_of_points(X, cardinalities)
        self.kernels = {
            name: kernel_of(engine, name)
            for name in ("merge_partitions", "find_partitions", "order_starts", "evaluate_spectrum")
        }

    def time_merge(self, engine, depth):
        self.kernels["merge_partitions"](*(spectrum.partitions for spectrum in self.spectra))

    def time_positions(self, engine, depth):
        self.kernels["find_partitions"](*(spectrum.partitions for spectrum in self.spectra))

    def time_order_starts(self, engine, depth):
        self.kernels["order_starts"](self.spectra[0].partitions)

    def time_evaluate(self, engine, depth):
        spectrum = self.spectra[0]
        self.kernels["evaluate_spectrum"](
            spectrum.partitions, spectrum.coefficients, self.points, spectrum.cardinalities
        )


class Truncation:
    params = ([10, 12],)
    param_names = ("depth",)

    def setup(self, depth):
        trees, values = full_trees(1, depth, [2] * 40)
        self.spectrum = FourierSpectrum.from_tree(trees[0], [2] * 40, values=values[0])

    def time_truncate(self, depth):
        self.spectrum.truncate(energy=0.9)
