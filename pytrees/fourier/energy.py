"""Bound and draw how the energy of a spectrum falls with the order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import FloatArray
from ..plotting import pyplot
from ..tree import TreeEstimator
from .boxes import Leaves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..tree import Tree
    from .spectrum import FourierSpectrum


def energy_bounds(spectrum: FourierSpectrum, tree: Tree | TreeEstimator) -> tuple[FloatArray, FloatArray]:
    """Bound the energy of all coefficients of order k or higher; two arrays, for k from 0 to n_attributes.

    Both hold for functions of values in [0, 1], and are scaled by the squared difference of the greatest and the least
    value at a leaf.

    - The leaves: a coefficient of order k vanishes where no leaf constrains k attributes (Lemma 5 of Kargupta, Park &
      Dutta, "Orthogonal Decision Trees"). A tree that is cut where paths have k - 1 attributes has none, and is wrong
      by 1/4 at most where a leaf has k: the bound is a quarter of their probability.
    - Linial, Mansour & Nisan (Lemma 1): 2M 2^(-t^(1/d) / 20) / 4 for orders above t = k - 1, where circuits of depth d
      and M gates tell whether the value is above any number: an OR of the leaves, each an AND of its tests. A test
      of an attribute of more than two values is an OR of them, of ANDs of their bits (Theorem 1).
    """
    leaves = Leaves([tree], spectrum.cardinalities)
    indptr, attribute, run_indptr, start, stop = leaves.boxes
    n_values = np.add.reduceat(stop - start, run_indptr[:-1]) if attribute.size else np.zeros(0, dtype=np.int64)
    shares = n_values / spectrum.cardinalities[attribute]
    orders = np.diff(indptr)
    probabilities = [np.prod(shares[first:last]) for first, last in pairwise(indptr)]
    values = spectrum._averages(leaves.boxes)
    quarter = 0.25 * (values.max() - values.min()) ** 2
    at_order = np.bincount(orders, weights=probabilities, minlength=spectrum.cardinalities.size + 1)
    of_leaves = quarter * np.cumsum(at_order[::-1])[::-1]
    of_leaves[0] = np.inf  # w_0 is not bounded by how much values differ
    several = spectrum.cardinalities[attribute] > 2
    n_gates = 1 + len(orders) + int((1 + n_values[several]).sum())
    above = np.arange(len(at_order)) - 1.0
    above[0] = np.nan
    of_circuits = quarter * 2.0 * n_gates * 2.0 ** (-(above ** (0.25 if several.any() else 0.5)) / 20.0)
    of_circuits[0] = np.inf
    return of_leaves, of_circuits


def plot_energy(spectrum: FourierSpectrum, ax: Axes | None, tree: Tree | TreeEstimator | None) -> Axes:
    """Draw what :meth:`FourierSpectrum.plot_energy` describes."""
    plt = pyplot("plot_energy")
    ax = plt.gca() if ax is None else ax
    energies = spectrum.energy_by_order()[: spectrum.orders[-1] + 1]
    orders = np.arange(len(energies))
    ax.bar(orders, energies, color="0.8", label="of the order")
    if tree is not None:
        ax.plot(orders[1:], np.cumsum(energies[::-1])[::-1][1:], "o-", label="of the order or higher")
        of_leaves, of_circuits = energy_bounds(spectrum, tree)
        ax.plot(orders[1:], of_leaves[1 : len(orders)], "s--", label="bound by the leaves")
        ax.plot(orders[1:], of_circuits[1 : len(orders)], "k:", label="Linial's bound")
        ax.legend(loc="lower left")
    locator: Any = ax.xaxis.get_major_locator()
    locator.set_params(integer=True)
    ax.set_yscale("log")
    ax.set_xlabel("order")
    ax.set_ylabel("energy")
    return ax
