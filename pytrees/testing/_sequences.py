"""Test criteria on label sequences: sequences and their cuts, and the properties of the gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from .._engine import reference
from .._typing import AnyArray, FloatArray
from ._counts import Cases, GainsError, near

Definition = Callable[..., Any]


class SequenceCases(Cases):
    """Cases of a criterion on label sequences: sequences and cuts."""

    properties = ("nonnegative", "pure", "sides", "classes", "order")

    def gains(self, labels: AnyArray, order: AnyArray, n_left: AnyArray) -> FloatArray:
        """Return the gains of cuts that send the first samples of an order to the left, or raise a GainsError."""
        try:
            return self._judged(labels, order, n_left)
        except (ValueError, RuntimeError) as error:
            raise GainsError(self.shortest(error, labels, order, n_left)) from error

    def shortest(self, error: Exception, labels: AnyArray, order: AnyArray, n_left: AnyArray) -> str:
        """Describe an error that labels raised, by a single cut if that cut alone raises an error."""
        limit = self.limit_of_classes(int(labels.max()) + 1)
        for cut in range(len(n_left)):
            try:
                self._judged(labels, order, n_left[cut : cut + 1])
            except (ValueError, RuntimeError) as of_cut:
                return f"{of_cut} It was {_told(labels, order, n_left[cut])}.{limit}"
        return f"{error} The labels were {labels.tolist()}.{limit}"

    def _judged(self, labels: AnyArray, order: AnyArray, n_left: AnyArray) -> FloatArray:
        if self.is_own:
            return np.array(self.criterion.judged(labels, np.arange(len(labels)), order, n_left))
        judge, n_classes = reference("criteria.structural").structural_gain, int(labels.max()) + 1
        specification, rows = self.criterion.specification(n_classes), list(range(len(labels)))
        found = [judge(specification, labels.tolist(), _goes_left(order, n).tolist(), n_classes, rows) for n in n_left]
        return np.array([float(gain) for gain in found])

    def definition_of(self, definition: Definition | str) -> Definition:
        """Return the definition of gains, as a function of the labels and of the samples that go left."""
        if callable(definition):
            return definition
        if definition != "etc":
            raise ValueError(f"definition must be a function, or 'etc', got {definition!r}.")
        effort = reference("sequence.substitution").effort_to_compress

        def defined(labels: list[int], goes_left: list[bool]) -> Fraction:
            n_symbols, gain = max(labels) + 1, Fraction(effort(labels, max(labels) + 1))
            for side in (True, False):
                part = [label for label, goes in zip(labels, goes_left, strict=True) if goes == side]
                gain -= Fraction(len(part), len(labels)) * effort(part, n_symbols)
            return gain

        return defined

    def table(self, rng: Generator) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Draw labels of several classes, an order of the samples, and the numbers of samples to the left of cuts."""
        n_samples, n_classes = int(rng.integers(2, 25)), int(rng.integers(2, self.max_classes + 1))
        labels = rng.integers(0, n_classes, n_samples)
        if rng.random() < 0.4:
            labels = np.repeat(labels, rng.integers(1, 4, n_samples))[:n_samples]
        if np.all(labels == labels[0]):
            labels[0] = (labels[0] + 1) % n_classes  # trees do not split nodes of one class
        order = rng.permutation(n_samples)
        n_left = np.unique(rng.integers(1, n_samples, 6))
        return labels.astype(np.int32), order, n_left

    def errors(self, rng: Generator, defined: Definition | None) -> Iterator[tuple[str, str]]:
        """Yield the errors in the gains of some cuts, by kind."""
        labels, order, n_left = self.table(rng)
        try:
            gains = self.gains(labels, order, n_left)
            self.gains(*self.table(rng))
            again = self.gains(labels, order, n_left)
            alone = np.array([self.gains(labels, order, n_left[k : k + 1])[0] for k in range(len(n_left))])
            yield from self.errors_of_children(labels, order, n_left, gains)
        except GainsError as error:
            yield "raises", str(error)
            return
        expected = {"memory": (again, "is judged again"), "other cuts": (alone, "is judged alone")}
        yield from self.errors_of_arguments(labels, order, n_left)
        if defined is not None:
            found = [defined(labels.tolist(), _goes_left(order, n).tolist()) for n in n_left]
            expected["definition"] = np.array(found, dtype=float), "is judged by the definition"
        for kind, (others, how) in expected.items():
            tolerance = self.tolerance if kind == "definition" else 0.0
            for cut in np.flatnonzero(~near(gains, others, tolerance))[:1]:
                told = f"{_told(labels, order, n_left[cut])} gains {float(gains[cut])!r}"
                yield kind, f"{told}, but {float(others[cut])!r} when it {how}."

    def errors_of_children(
        self, labels: AnyArray, order: AnyArray, n_left: AnyArray, gains: FloatArray
    ) -> Iterator[tuple[str, str]]:
        """Yield an error if the method for children gives two children another gain than their cut has."""
        if not self.is_own:
            return
        try:
            self.criterion.check_children()
        except ValueError:
            return
        for gain, n in zip(gains, n_left, strict=True):
            children = np.where(_goes_left(order, n), 0, 1)
            try:
                found = float(self.criterion.judged_children(labels, children, np.arange(len(labels))))
            except (ValueError, RuntimeError) as error:
                limit = self.limit_of_classes(int(labels.max()) + 1)
                raise GainsError(f"{error} It was {_told(labels, order, n)}.{limit}") from error
            if not near(np.array(gain), np.array(found), self.tolerance):
                told = f"{_told(labels, order, n)} gains {float(gain)!r}, but {found!r}"
                yield "gain_of_children", f"{told} when it is given to gain_of_children."
                return

    def errors_of_arguments(self, labels: AnyArray, order: AnyArray, n_left: AnyArray) -> Iterator[tuple[str, str]]:
        """Yield an error if a method of the criterion writes to `labels`."""
        if not self.is_own:
            return
        rows = (np.arange(len(labels)),) if self.criterion.needs_rows else ()
        given, goes_left = labels.copy(), _goes_left(order, int(n_left[0]))
        methods = {"gain": (given, goes_left.copy()), "impurity": (given,)}
        for name, arguments in methods.items():
            try:
                getattr(self.criterion, name)(*arguments, *rows)
            except NotImplementedError:
                continue
            if not np.array_equal(given, labels):
                yield "arguments", f"{name} writes to labels, which was {labels.tolist()}, and is {given.tolist()}."
                return

    # ------------------------------------------------------------------------------------------------------ properties

    def counterexample(self, name: str, rng: Generator) -> str | None:
        """Return an example against a property, or None."""
        labels, order, n_left = self.table(rng)
        if name in ("nonnegative", "pure"):
            labels = np.zeros_like(labels) if name == "pure" else labels
            gains = self.gains(labels, order, n_left)
            wrong = np.abs(gains) > self.tolerance if name == "pure" else gains < -self.tolerance
            for cut in np.flatnonzero(wrong & np.isfinite(gains)):
                return f"{_told(labels, order, n_left[cut])} gains {gains[cut]:.9g}"
            return None
        others_labels, others_order, cuts = labels, order, n_left
        if name == "sides":
            others_order, cuts = order[::-1], len(labels) - n_left[::-1]
        elif name == "classes":
            others_labels = rng.permutation(self.max_classes)[labels].astype(np.int32)
        else:
            places = rng.permutation(len(labels))
            others_labels, others_order = labels[places], np.argsort(places)[order]
        gains, others = self.gains(labels, order, n_left), self.gains(others_labels, others_order, cuts)
        others = others[::-1] if name == "sides" else others
        for cut in np.flatnonzero(~near(gains, others, self.tolerance)):
            place = len(cuts) - 1 - cut if name == "sides" else cut
            told = f"{_told(labels, order, n_left[cut])} gains {gains[cut]:.9g}"
            return f"{told}, but {_told(others_labels, others_order, cuts[place])} gains {others[cut]:.9g}"
        return None


def _goes_left(order: AnyArray, n_left: int) -> AnyArray:
    goes_left = np.zeros(len(order), dtype=bool)
    goes_left[order[:n_left]] = True
    return goes_left


def _told(labels: AnyArray, order: AnyArray, n_left: int) -> str:
    return f"labels={labels.tolist()}, goes_left={_goes_left(order, n_left).astype(int).tolist()}"
