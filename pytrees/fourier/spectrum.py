"""The Fourier spectrum of a function of discrete attributes, such as a decision tree.

Kargupta, Park & Dutta, "Orthogonal Decision Trees", IEEE TKDE 2006. Attribute m has the values 0 to lambda_m - 1; a
tree that splits them is a function f on their product. With psi_j(x) = exp(2 pi i sum_m x_m j_m / lambda_m),

    w_j = mean over x of f(x) psi_j(x),    f(x) = sum over partitions j of w_j conj(psi_j(x)).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._axes import axes_of, inks_on
from .._docstrings import described_like
from .._engine import kernel
from .._given_tree import TreeEstimator
from .._numbers import real_array, times_power
from .._typing import AnyArray, BoolArray, Boxes, ComplexArray, FloatArray, IntArray, RebuildCriterion, Schema
from ..input.validation import aligned
from .boxes import (
    MEMORY_LIMIT,
    Leaves,
    box_of_schema,
    boxes_of_points,
    check_budget,
    check_cardinalities,
    check_codes,
    check_share,
    check_weights,
    check_whole,
    extreme_exponent,
    listed,
    of_coded_trees,
)
from .measures import measure_of
from .partitions import (
    as_digits,
    check_digits,
    check_partitions,
    check_steps,
    expanded,
    finite,
    is_number,
    negated,
    plain_values,
)
from .rebuild import Limits, RebuiltTree, categorical_mask, rebuild, settled_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..tree import Tree

__all__ = ["FourierSpectrum", "tree_from_spectra"]

# This many points are evaluated at a time, so that their boxes take little memory.
_POINTS = 4096


class FourierSpectrum:
    """The non-zero Fourier coefficients of a real function of discrete attributes.

    Spectra are added, subtracted, and multiplied by numbers like the functions they represent. They are immutable.

    Parameters
    ----------
    partitions : array-like of shape (n_coefficients, n_attributes), int
        The partitions, all different; digit m from 0 to ``cardinalities[m] - 1``.
    coefficients : array-like of shape (n_coefficients,), complex
        The coefficients of a real function: j and -j (modulo the cardinalities) have conjugate coefficients.
    cardinalities : array-like of shape (n_attributes,), int
        The number of values of every attribute; 1 is allowed.

    Attributes
    ----------
    partitions : ndarray of shape (n_coefficients, n_attributes)
        The partitions, sorted by order, then lexicographically; the first is always the partition of zeros. The dtype
        is the smallest of int8, int16 and int32 that holds the digits.
    coefficients : ndarray of shape (n_coefficients,), complex128
        The coefficients of these partitions.
    cardinalities : ndarray of shape (n_attributes,), int64
        The number of values of every attribute.

    Raises
    ------
    ValueError
        If a digit is outside its cardinality, a partition occurs twice, a coefficient is not finite, or the function
        is not real.

    See Also
    --------
    tree_from_spectra : Build one tree of several spectra, one for every class.
    gram : Inner products of trees without their spectra, in polynomial time.
    AggregatedFourierTreeClassifier : Estimator that turns an ensemble into one tree by its spectrum.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, FourierSpectrum
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).tree_
    >>> spectrum = FourierSpectrum.from_tree(tree, [2, 2])
    >>> spectrum.partitions.tolist(), spectrum.coefficients.real.tolist()
    ([[0, 0], [1, 1]], [0.5, -0.5])
    >>> (1 - 2 * spectrum).evaluate([[0, 0], [0, 1]])
    array([ 1., -1.])
    """

    partitions: AnyArray
    coefficients: ComplexArray
    cardinalities: IntArray

    # In arithmetic with numbers of NumPy, the spectrum decides, not NumPy.
    __array_ufunc__ = None

    def __init__(self, partitions: ArrayLike, coefficients: ArrayLike, cardinalities: ArrayLike) -> None:
        cardinalities = check_cardinalities(cardinalities)
        self._hold(*check_partitions(partitions, coefficients, cardinalities), cardinalities)

    def _hold(self, partitions: AnyArray, coefficients: ComplexArray, cardinalities: IntArray) -> None:
        for name, array in zip(FourierSpectrum.__annotations__, (partitions, coefficients, cardinalities), strict=True):
            held = aligned(array)
            held.flags.writeable = False
            object.__setattr__(self, name, held)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A FourierSpectrum cannot be changed: {name!r} is read-only.")

    @classmethod
    def _of(cls, partitions: AnyArray, coefficients: ComplexArray, cardinalities: IntArray) -> Self:
        """Make a spectrum of sorted arrays without checking them."""
        spectrum = object.__new__(cls)
        spectrum._hold(as_digits(partitions, cardinalities), np.asarray(coefficients, np.complex128), cardinalities)
        return spectrum

    @classmethod
    @of_coded_trees
    def from_tree(
        cls,
        tree: Tree | TreeEstimator,
        cardinalities: ArrayLike,
        class_index: int = -1,
        *,
        values: ArrayLike | None = None,
        memory_limit: int = MEMORY_LIMIT,
    ) -> Self:
        """Compute the spectrum of a tree's function.

        Parameters
        ----------
        tree : Tree or fitted tree estimator
            A tree that splits codes: attribute m has the values 0 to ``cardinalities[m] - 1``.
        cardinalities : array-like of shape (n_attributes,), int
            The number of values of every attribute.
        class_index : int, default=-1
            The function is 1 where this class has the majority, and 0 elsewhere; -1 is the last class. The function of
            an estimator is 1 where the estimator predicts the class, which in ID3 trees need not be the majority. The
            function of a tree of numbers is the number that the tree predicts.
        values : array-like of shape (node_count,), optional
            The function at the leaves, in place of the indicator of a class, or of numbers. Among inner nodes only
            multiway nodes matter: samples stay there if no child has their value.
        memory_limit : int, default=2**30
            Bytes that the spectrum may take.

        Returns
        -------
        FourierSpectrum
            The spectrum.

        Raises
        ------
        ValueError
            If the tree has other features, or splits outside the cardinalities; if there is no such class; if
            cardinalities are so great that the spectrum would take more than some ten minutes.
        MemoryError
            If the spectrum would be greater than `memory_limit`: nothing is computed then.

        Notes
        -----
        Eq. 1 of the paper, from the boxes of the leaves, so that an attribute may repeat on a path. A partition can
        have a coefficient only if a leaf constrains all attributes of its non-zero digits. Takes time of the order of
        the number of pairs of such a leaf and partition.
        """
        given = None if values is None else [values]
        return cls.from_ensemble(
            [tree], cardinalities, class_index=class_index, values=given, memory_limit=memory_limit
        )

    @classmethod
    @described_like(from_tree)
    @of_coded_trees
    def from_ensemble(
        cls,
        trees: Iterable[Tree | TreeEstimator],
        cardinalities: ArrayLike,
        weights: ArrayLike | None = None,
        class_index: int = -1,
        *,
        values: Iterable[ArrayLike] | None = None,
        memory_limit: int = MEMORY_LIMIT,
    ) -> Self:
        """Compute the spectrum of a weighted sum of trees.

        Parameters
        ----------
        trees : sequence of Tree or of fitted tree estimators
            Trees that split codes.
        weights : array-like of shape (n_trees,), optional
            By default the trees are averaged.
        values : sequence of array-like of shape (node_count,), optional
            The function of every tree at its leaves.

        Raises
        ------
        ValueError, MemoryError
            As in :meth:`from_tree`; also if the trees differ in their features or classes.
        """
        cardinalities = check_cardinalities(cardinalities)
        trees = listed(trees)
        leaves = Leaves(
            trees, cardinalities, class_index=class_index, values=values, weights=check_weights(weights, len(trees))
        )
        if leaves.values.shape[1] != 1:
            raise ValueError("A spectrum has one output: make one for every class, or for every column of values.")
        return cls._of(*expanded(leaves, cardinalities, memory_limit), cardinalities)

    @classmethod
    def from_table(cls, table: ArrayLike) -> Self:
        """Compute the spectrum of a function given by all its values: ``numpy.fft.ifftn(table)`` without the zeros.

        Parameters
        ----------
        table : array-like of shape cardinalities, float
            All values of the function, an axis for every attribute.

        Returns
        -------
        FourierSpectrum
            The spectrum.

        Raises
        ------
        ValueError
            If a value is not a finite real number, or there is no value, or sums of values are not finite.
        """
        table = real_array("table", table)
        if table.ndim == 0 or table.size == 0 or not np.all(np.isfinite(table)):
            raise ValueError("table must have an axis for every attribute, and finite values.")
        with np.errstate(over="ignore", invalid="ignore"):
            dense = np.fft.ifftn(table)
        if not np.all(np.isfinite(dense)):
            raise ValueError("table has values that are too large: their sums are not finite.")
        dense = 0.5 * (dense + np.roll(np.flip(dense), 1, tuple(range(table.ndim))).conj())
        coefficients = dense.ravel()
        kept = np.maximum(abs(coefficients.real), abs(coefficients.imag)) > 1e-15 * np.abs(table).max()
        kept[0] = True
        partitions = np.stack(np.unravel_index(np.flatnonzero(kept), table.shape), axis=1)
        in_order = np.argsort((partitions != 0).sum(axis=1), kind="stable")
        return cls._of(partitions[in_order], coefficients[kept][in_order], check_cardinalities(table.shape))

    # ------------------------------------------------------------------------------------------------- as an object

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.partitions, self.coefficients, self.cardinalities)

    def __eq__(self, other: object) -> bool:
        """Whether all arrays are equal."""
        if not isinstance(other, FourierSpectrum):
            return NotImplemented
        names = ("cardinalities", "partitions", "coefficients")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.cardinalities.tobytes(), self.partitions.tobytes()))

    def __repr__(self) -> str:
        return (
            f"<FourierSpectrum of {self.n_coefficients} coefficients up to order {self.orders[-1]}, "
            f"{self.cardinalities.size} attributes>"
        )

    @property
    def n_coefficients(self) -> int:
        """Number of coefficients."""
        return len(self.coefficients)

    @property
    def orders(self) -> IntArray:
        """The orders of the partitions, how many digits are not zero; ndarray of shape (n_coefficients,), int64."""
        starts = np.asarray(kernel("order_starts")(self.partitions))
        return np.repeat(np.arange(self.cardinalities.size + 1), np.diff(starts))

    # ------------------------------------------------------------------------------------------------------- algebra

    def __add__(self, other: FourierSpectrum | float) -> FourierSpectrum:
        if isinstance(other, FourierSpectrum):
            check_same_domain(self, other)
            partitions, columns = merged([self, other])
            with np.errstate(over="ignore", invalid="ignore"):
                total = columns.sum(axis=1)
            greatest = max(np.abs(self.coefficients).max(), np.abs(other.coefficients).max())
            kept = np.maximum(abs(total.real), abs(total.imag)) > 1e-15 * greatest
            kept[0] = True
            return self._of(partitions[kept], finite(total[kept]), self.cardinalities)
        if not is_number(other):
            return NotImplemented
        coefficients = self.coefficients.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            coefficients[0] += float(other)
        return self._of(self.partitions, finite(coefficients), self.cardinalities)

    __radd__ = __add__

    def __mul__(self, factor: float) -> FourierSpectrum:
        if not is_number(factor):
            return NotImplemented
        with np.errstate(over="ignore", invalid="ignore"):
            coefficients = self.coefficients * float(factor)
        return self._of(self.partitions, finite(coefficients), self.cardinalities)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> FourierSpectrum:
        if not is_number(divisor):
            return NotImplemented
        inverse = 1.0 / float(divisor)
        if not isfinite(inverse):
            raise OverflowError(f"One over {divisor!r} is not finite.")
        return self * inverse

    def __neg__(self) -> FourierSpectrum:
        return self * -1.0

    def __sub__(self, other: FourierSpectrum | float) -> FourierSpectrum:
        return self + -other if isinstance(other, FourierSpectrum) or is_number(other) else NotImplemented

    def __rsub__(self, other: float) -> FourierSpectrum:
        return -self + other

    def inner(self, other: FourierSpectrum) -> float:
        """Compute the inner product with another spectrum.

        Parameters
        ----------
        other : FourierSpectrum
            The spectrum of a function of the same attributes.

        Returns
        -------
        float
            The mean of the product of both functions, sum_j w_j conj(v_j) (Lemma 2).

        Raises
        ------
        TypeError
            If `other` is no spectrum.
        ValueError
            If it has other attributes.
        """
        if not isinstance(other, FourierSpectrum):
            raise TypeError(f"The inner product needs another FourierSpectrum, got {type(other).__name__}.")
        check_same_domain(self, other)
        rows = np.asarray(kernel("find_partitions")(other.partitions, self.partitions), dtype=np.int64)
        both = rows >= 0
        (first, exponent), (second, other_exponent) = scaled(self.coefficients), scaled(other.coefficients)
        products = (first[both] * second[rows[both]].conj()).real
        return float(times_power(products.sum(), exponent + other_exponent))

    def _times_power(self, exponent: int) -> Self:
        """Return the spectrum of the function times 2**exponent."""
        coefficients = times_power(self.coefficients.view(np.float64), exponent).view(np.complex128)
        return self._of(self.partitions, coefficients, self.cardinalities)

    @property
    def energy(self) -> float:
        """The sum of all squared magnitudes: the mean of the squared function."""
        return float(self.energy_by_order().sum())

    def energy_by_order(self) -> FloatArray:
        """Compute the energy of the coefficients of every order.

        The energy of trees falls exponentially with the order (Lemma 1 of the paper).

        Returns
        -------
        ndarray of shape (n_attributes + 1,), float64
            Sums of squared magnitudes, starting with order 0.
        """
        squares, exponent = squared_magnitudes(self.coefficients)
        found = np.bincount(self.orders, weights=squares, minlength=self.cardinalities.size + 1)
        return times_power(found, exponent)

    def truncate(self, *, energy: float | None = None, max_order: int | None = None) -> FourierSpectrum:
        """Drop the smallest coefficients, or coefficients of high order.

        The mean squared error is exactly the energy that is dropped. w_0 always stays, and j is dropped with -j.

        Parameters
        ----------
        energy : float in (0, 1], optional
            Keep the fewest coefficients that have this share of the energy outside w_0. The greatest stay; ties (up to
            1e-12 of the greatest) are broken by order, then lexicographically.
        max_order : int, optional
            Drop the coefficients of higher order first.

        Returns
        -------
        FourierSpectrum
            The spectrum.

        Raises
        ------
        ValueError
            If `energy` is not in (0, 1], or `max_order` is no whole number from 0.
        """
        if max_order is not None:
            check_whole("max_order", max_order, 0)
        kept = self.orders <= (np.inf if max_order is None else max_order)
        if energy is not None:
            check_share("energy", energy)
            if energy < 1.0:
                kept &= self._greatest(kept, energy)
        return self._of(self.partitions[kept], self.coefficients[kept], self.cardinalities)

    def _greatest(self, among: BoolArray, energy: float) -> BoolArray:
        """Find the fewest of these coefficients that have this share of the whole energy outside w_0."""
        coefficients = self.coefficients.copy()
        coefficients[0] = 0.0
        squares, _ = squared_magnitudes(coefficients)
        total = squares[1:].sum()
        first, second = pairs_by_magnitude(self, among)
        shares = np.where(first == second, squares[first], squares[first] + squares[second])
        reached = np.cumsum(shares) >= (energy - 1e-12) * total
        n_pairs = int(reached.argmax()) + 1 if reached.any() else len(first)
        kept = np.zeros(self.n_coefficients, dtype=bool)
        kept[0] = kept[first[:n_pairs]] = kept[second[:n_pairs]] = True
        return kept

    # ---------------------------------------------------------------------------------------------------- the function

    def evaluate(self, X: ArrayLike) -> FloatArray:
        """Evaluate the function at some points.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_attributes)
            Values, as codes.

        Returns
        -------
        ndarray of shape (n_rows,), float64
            The values of the function.

        Raises
        ------
        ValueError
            If X holds values outside the cardinalities.

        Notes
        -----
        Takes time of the order of n_rows * n_coefficients, times how many digits change from one partition to the next.
        """
        X = check_codes(X, self.cardinalities)
        parts = [X[start : start + _POINTS] for start in range(0, len(X), _POINTS)]
        return np.concatenate([np.zeros(0), *(self._averages(boxes_of_points(p, self.cardinalities)) for p in parts)])

    def _averages(self, boxes: Boxes) -> FloatArray:
        check_steps(boxes, self.cardinalities)
        averages = kernel("evaluate_spectrum")(self.partitions, self.coefficients, boxes, self.cardinalities)
        return np.asarray(averages, dtype=np.float64)

    def schema_average(self, schema: Schema) -> float:
        """Compute the mean of the function over a schema, which fixes some attributes.

        Parameters
        ----------
        schema : dict of int to int or set of int, or sequence of length n_attributes
            The values that attributes may have; in a sequence, None is the wild-card.

        Returns
        -------
        float
            The mean (Eqs. 2 and 3, the sign of Eq. 3 corrected).

        Raises
        ------
        ValueError
            If the schema fixes an attribute or a value that does not exist.
        """
        return float(self._averages(box_of_schema(schema, self.cardinalities))[0])

    def to_table(self, *, memory_limit: int = MEMORY_LIMIT) -> FloatArray:
        """Compute all values of the function.

        Parameters
        ----------
        memory_limit : int, default=2**30
            Bytes that the table may take while it is computed.

        Returns
        -------
        ndarray of shape cardinalities, float64
            The values.

        Raises
        ------
        MemoryError
            If the table would take more.
        """
        plain = plain_values(self.cardinalities)
        check_budget("The table", plain, np.prod(plain, dtype=object) * 16, memory_limit)
        dense = np.zeros(plain, dtype=np.complex128)
        dense[tuple(self.partitions.T)] = self.coefficients
        return np.ascontiguousarray(np.fft.fftn(dense).real)

    def to_tree(
        self,
        *,
        criterion: RebuildCriterion = "entropy",
        tol: float = 0.0,
        min_confidence: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        categorical_features: ArrayLike | None = None,
    ) -> RebuiltTree:
        """Build a tree of the function by TCFS (Figs. 4 and 5 of the paper).

        A node is a schema. It takes the split of the greatest gain: a categorical attribute into a child for every
        value, as in the paper, other attributes in two. If no split gains anything (XOR), it splits the attribute that
        most of the energy touches, in two at the lowest code with half of the values. Gains that differ by no more than
        1e-12, in bits or of the function's squared magnitude, are ties, too, and so are energies. Ties go to the lowest
        attribute, then to the lowest code; with `max_leaf_nodes`, to the node that was made first. The tree of a whole
        spectrum is the function itself; without limits, the tree of a sum of trees can have exponentially more leaves
        than these trees.

        Parameters
        ----------
        criterion : {"entropy", "variance"}, default="entropy"
            The gain: of information about the class, in bits, with averages cut off at 0 and 1; or of explained
            variance, which suits functions that are not indicators of a class.
        tol : float, default=0
            A node whose variance is at most this (the energy outside w_0 of the function on the schema) is a leaf.
            1e-12 of the function's energy, which can be rounding alone, always counts as nothing.
        min_confidence : float in (0, 1], optional
            A node is a leaf if its confidence, max(phi, 1 - phi) of the function's average phi there, is at least this
            (section V of the paper), for functions that are shares of a class.
        max_depth : int, optional
            Greatest depth of the tree.
        max_leaf_nodes : int, optional
            Greatest number of leaves. With this limit, nodes are split in the order of gain times probability, but none
            into more children than are left. Without it, a tree of more than 10,000 leaves is an error.
        categorical_features : array-like of bool or int, optional
            The attributes that are split into all their values: a mask, or indices. By default none.

        Returns
        -------
        RebuiltTree
            ``tree`` and ``averages``.

        Raises
        ------
        ValueError
            If the criterion is unknown, a limit is invalid, or there is no such attribute; if there would be more than
            10,000 leaves, and `max_leaf_nodes` is None.

        Notes
        -----
        All nodes of a level together take time of the order of the number of coefficients, times the number of values
        of the attribute that is split.
        """
        return tree_from_spectra(
            [self],
            criterion=criterion,
            tol=tol,
            min_confidence=min_confidence,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            categorical_features=categorical_features,
        )

    def plot_energy(self, ax: Axes | None = None, *, tree: Tree | TreeEstimator | None = None) -> Axes:
        """Draw the energy of every order, on a logarithmic scale; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; the current axes by default.
        tree : Tree or fitted tree estimator, optional
            The tree of this spectrum, to draw lines too: the energy of every order and all above, and two bounds of it.
            The leaves give one (if few points of the domain reach leaves of k attributes or more, there is little
            energy of order k or more), and Linial's lemma, whose constants are generous, gives the other.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the tree has other features than there are attributes.
        """
        ax = axes_of("plot_energy", ax)
        energies = self.energy_by_order()[: self.orders[-1] + 1]
        orders = np.arange(len(energies))
        ax.bar(orders, energies, color="0.8", label="of the order")
        if tree is not None:
            ax.plot(orders[1:], np.cumsum(energies[::-1])[::-1][1:], "o-", label="of the order or higher")
            of_leaves, of_circuits = energy_bounds(self, tree)
            ax.plot(orders[1:], of_leaves[1 : len(orders)], "s--", label="bound by the leaves")
            ink = inks_on(ax, has_frame=True)[0]
            ax.plot(orders[1:], of_circuits[1 : len(orders)], ":", color=ink, label="Linial's bound")
            ax.legend(loc="lower left")
        locator: Any = ax.xaxis.get_major_locator()
        locator.set_params(integer=True)
        ax.set_yscale("log")
        ax.set_xlabel("order")
        ax.set_ylabel("energy")
        return ax


def _restored(partitions: AnyArray, coefficients: ComplexArray, cardinalities: IntArray) -> FourierSpectrum:
    """Rebuild a spectrum from its pickled arrays; check what kernels rely on."""
    cardinalities = check_cardinalities(cardinalities)
    partitions, coefficients = np.asarray(partitions), np.asarray(coefficients)
    if partitions.ndim != 2 or partitions.dtype.kind != "i" or coefficients.shape != partitions.shape[:1]:
        raise ValueError("Not a spectrum: partitions are rows of whole numbers, each with a coefficient.")
    if len(partitions) == 0 or partitions.shape[1] != cardinalities.size or partitions[0].any():
        raise ValueError("Not a spectrum: the first partition has a zero for every attribute.")
    check_digits(partitions, cardinalities)
    return FourierSpectrum._of(partitions, coefficients, cardinalities)


def energy_bounds(spectrum: FourierSpectrum, tree: Tree | TreeEstimator) -> tuple[FloatArray, FloatArray]:
    """Bound the energy of all coefficients of order k or higher; two arrays, for k from 0 to n_attributes.

    Both bounds hold for functions of values in [0, 1], and are scaled by the squared difference of the greatest and the
    least value at a leaf.

    - The leaves: a coefficient of order k vanishes if no leaf constrains k attributes (Lemma 5 of Kargupta, Park &
      Dutta, "Orthogonal Decision Trees"). A tree whose paths are cut at k - 1 attributes has no such leaf, and its
      squared error is at most 1/4 at leaves of k attributes: the bound is a quarter of the probability of these leaves.
    - Linial, Mansour & Nisan (Lemma 1): 2M 2^(-t^(1/d) / 20) / 4 for orders above t = k - 1, if circuits of depth d
      and M gates tell whether the value is above any number: an OR of the leaves, each an AND of its tests. A test
      of an attribute of more than two values is an OR of values, each an AND of bits (Theorem 1).
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
    of_leaves[0] = np.inf  # the bounds are about differences of values, which do not bound w_0
    several = spectrum.cardinalities[attribute] > 2
    n_gates = 1 + len(orders) + int((1 + n_values[several]).sum())
    above = np.arange(len(at_order)) - 1.0
    above[0] = np.nan
    of_circuits = quarter * 2.0 * n_gates * 2.0 ** (-(above ** (0.25 if several.any() else 0.5)) / 20.0)
    of_circuits[0] = np.inf
    return of_leaves, of_circuits


@described_like(FourierSpectrum.to_tree)
def tree_from_spectra(
    spectra: Iterable[FourierSpectrum],
    *,
    criterion: RebuildCriterion = "entropy",
    tol: float = 0.0,
    min_confidence: float | None = None,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    categorical_features: ArrayLike | None = None,
) -> RebuiltTree:
    """Build one tree of several functions at once by TCFS, such as the indicators of all classes.

    The extension to several classes of section V.C of the paper: the entropy is taken of all averages together.

    Parameters
    ----------
    spectra : sequence of FourierSpectrum
        Spectra on the same domain, one for every class or output.
    tol : float, default=0
        As in :meth:`FourierSpectrum.to_tree`; variances and energies of the spectra are added up.
    min_confidence : float in (0, 1], optional
        As in :meth:`FourierSpectrum.to_tree`; the confidence of several spectra is the greatest average.

    Returns
    -------
    RebuiltTree
        ``tree`` and ``averages``.

    Raises
    ------
    ValueError
        If there are no spectra, or they are of different domains; as in :meth:`FourierSpectrum.to_tree`.

    See Also
    --------
    FourierSpectrum.to_tree : Builds a tree of a single spectrum.
    tree_from_ensemble : Builds a tree of an ensemble, without spectra.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, FourierSpectrum
    >>> from pytrees.fourier import tree_from_spectra
    >>> tree = DecisionTreeClassifier().fit([[0, 0], [0, 1], [0, 2], [1, 0]], [0, 1, 2, 2]).tree_
    >>> spectra = [FourierSpectrum.from_tree(tree, [2, 3], class_index) for class_index in range(3)]
    >>> tree_from_spectra(spectra).tree.predict([[0, 0], [0, 1], [0, 2], [1, 0]])
    array([0, 1, 2, 2])
    """
    if isinstance(spectra, FourierSpectrum) or not isinstance(spectra, Iterable):
        raise TypeError(f"A sequence of FourierSpectrum is expected, got {type(spectra).__name__}.")
    spectra = list(spectra)
    if not spectra:
        raise ValueError("There are no spectra.")
    wrong = [type(one).__name__ for one in spectra if not isinstance(one, FourierSpectrum)]
    if wrong:
        raise TypeError(f"A sequence of FourierSpectrum is expected, got one with {wrong[0]}.")
    for spectrum in spectra[1:]:
        check_same_domain(spectra[0], spectrum)
    exponent = scaled(np.concatenate([spectrum.coefficients for spectrum in spectra]))[1]
    spectra = [spectrum._times_power(-exponent) for spectrum in spectra]
    partitions, columns = merged(spectra)
    measure = measure_of("uniform", spectra[0].cardinalities)
    energy = sum(spectrum.energy for spectrum in spectra)
    arguments = partitions, columns, measure
    mask = categorical_mask(categorical_features, spectra[0].cardinalities.size)
    limits = Limits(criterion, tol, max_depth, max_leaf_nodes, settled_classes(min_confidence, len(spectra)))
    return rebuild("tree_from_spectrum", arguments, energy, mask, limits, exponent)


def scaled(coefficients: ComplexArray) -> tuple[ComplexArray, int]:
    """Return coefficients times 2**-exponent, and the exponent: their squares then neither overflow nor vanish."""
    numbers = coefficients.view(np.float64)
    exponent = extreme_exponent(float(np.abs(numbers).max(initial=0.0)))
    return times_power(numbers, -exponent).view(np.complex128), exponent


def squared_magnitudes(coefficients: ComplexArray) -> tuple[FloatArray, int]:
    """Return the squared magnitudes of coefficients times 2**-exponent, and the exponent."""
    coefficients, exponent = scaled(coefficients)
    return coefficients.real**2 + coefficients.imag**2, 2 * exponent


def check_same_domain(spectrum: FourierSpectrum, other: FourierSpectrum) -> None:
    """Refuse to combine functions of different attributes."""
    if not np.array_equal(spectrum.cardinalities, other.cardinalities):
        raise ValueError(
            f"The spectra are of different domains: cardinalities {spectrum.cardinalities} and {other.cardinalities}."
        )


def merged(spectra: Sequence[FourierSpectrum]) -> tuple[AnyArray, ComplexArray]:
    """Return all partitions of some spectra, and their coefficients, a column for each spectrum; C-contiguous."""
    partitions, columns = spectra[0].partitions, spectra[0].coefficients[:, np.newaxis]
    for spectrum in spectra[1:]:
        partitions, rows, new_rows = kernel("merge_partitions")(partitions, spectrum.partitions)
        partitions = as_digits(partitions, spectrum.cardinalities)
        columns = np.hstack([_taken(columns, rows), _taken(spectrum.coefficients[:, np.newaxis], new_rows)])
    return partitions, np.ascontiguousarray(columns)


def _taken(columns: ComplexArray, rows: ArrayLike) -> ComplexArray:
    """Return rows of columns; negative rows are zeros."""
    rows = np.asarray(rows, dtype=np.int64)
    return np.where((rows >= 0)[:, np.newaxis], columns[rows], 0.0)


def pairs_by_magnitude(spectrum: FourierSpectrum, among: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the indices of j and of -j for all pairs but zeros: the greatest first, then in order."""
    opposite = kernel("find_partitions")(spectrum.partitions, negated(spectrum.partitions, spectrum.cardinalities))
    opposite = np.asarray(opposite, dtype=np.int64)
    indices = np.arange(spectrum.n_coefficients)
    opposite = np.where(opposite >= 0, opposite, indices)  # tiny coefficients may lack an opposite
    first = np.flatnonzero(among & (indices <= opposite) & (indices > 0))
    magnitudes = np.abs(spectrum.coefficients[first])
    rounded = np.round(magnitudes / (magnitudes.max(initial=0.0) or 1.0), 12)
    first = first[np.argsort(-rounded, kind="stable")]
    return first, opposite[first]
