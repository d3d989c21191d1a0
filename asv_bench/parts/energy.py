"""A figure of the site: how the energy of trees falls with the order of their coefficients."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from pytrees import DecisionTreeClassifier, FourierSpectrum
from pytrees.fourier import ordinal_codes

PLOT = Path(__file__).parents[2] / "docs" / "images" / "energy.svg"


def energy(plot=False):
    """Count the coefficients of two trees on Breast Cancer, and draw their energy by order."""
    X, y = load_breast_cancer(return_X_y=True)
    above = np.greater(X, np.median(X, axis=0)).astype(float)
    spectra = {}
    for title, features in {"features above their medians": above, "features cut by the tree": X}.items():
        codes = ordinal_codes(DecisionTreeClassifier("entropy").fit(features, y))
        tree = codes.trees[0]
        spectra[title] = tree, FourierSpectrum.from_tree(tree, codes.cardinalities)
        print(f"{title}: {tree.n_leaves} leaves, {spectra[title][1].n_coefficients:,} coefficients")
    if plot:
        _draw(spectra)
        print(f"drawn: {PLOT}")


def _draw(spectra):
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, (title, (tree, spectrum)) in zip(figure.subplots(1, 2), spectra.items(), strict=True):
        spectrum.plot_energy(axes, tree=tree)
        axes.set_title(f"{title}: {tree.n_leaves} leaves", fontsize="medium")
        axes.set_ylim(1e-8, 1e2)
    # The same trees give the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "energy"}):
        figure.savefig(PLOT, metadata={"Date": None})
