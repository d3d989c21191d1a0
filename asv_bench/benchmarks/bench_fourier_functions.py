"""Questions of TCFS to a function on a schema: means by value, whether it is constant, which features it touches."""

import numpy as np

from pytrees import FourierSpectrum
from pytrees.fourier.boxes import Leaves, check_cardinalities
from pytrees.fourier.measures import measure_of

from .common import ENGINES, kernel_of, skip_unless
from .fourier_data import full_trees


class Nodes:
    """A root and two leaves of the sum of 20 full trees, from boxes, spectra and samples."""

    params = (ENGINES, [2, 5], ["boxes", "spectrum", "samples"])
    param_names = ("engine", "depth", "function")

    def setup(self, engine, depth, function):
        skip_unless(engine == "compiled" or depth == 2)
        cardinalities = check_cardinalities([4] * 10)
        trees, values = full_trees(20 if engine == "compiled" else 2, depth, cardinalities)
        measure = measure_of("uniform", cardinalities)
        leaves = Leaves(trees, cardinalities, values=values)
        rows = np.random.default_rng(0).integers(0, 4, (10_000 if engine == "compiled" else 50, 10))
        if function == "boxes":
            self.of_function = leaves.boxes, leaves.values, leaves.tree_of_box, measure
        elif function == "spectrum":
            spectrum = FourierSpectrum.from_ensemble(trees, cardinalities, values=values)
            columns = np.ascontiguousarray(spectrum.coefficients[:, np.newaxis])
            self.of_function = spectrum.partitions, columns, measure
        else:
            at_rows = np.random.default_rng(1).normal(size=(len(rows), 1))
            self.of_function = rows, at_rows, np.ones(len(rows)), cardinalities
        self.scale = leaves.magnitude**2
        self.kernel = kernel_of(engine, f"tree_from_{function}")

    def grow(self, tol):
        # The criterion, the tolerance, the scale, the depth, the leaves.
        self.kernel(*self.of_function, "variance", tol, self.scale, 1, 2)

    def time_split(self, engine, depth, function):
        """The variance is well above the tolerance: bounds decide."""
        self.grow(1e-12)

    def time_nearly_constant(self, engine, depth, function):
        """The variance is near the tolerance: bounds do not decide, so all pairs of leaves are summed."""
        self.grow(1e-3 * self.scale)
