"""Code several models together: trees of all of them on the same codes, with the same outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._tree_checks import LEAF
from .._typing import AnyArray, FloatArray
from ..input.labels import positions_in, together
from ..tree import Tree
from .additive import Named, read_model
from .codes import (
    Member,
    OrdinalCodes,
    arrays_of,
    code_members,
    greatest_rounded_below,
    lacking,
    structure_of,
)
from .readers import Sum


class CodedModels(NamedTuple):
    """Several models on the same codes.

    Attributes
    ----------
    sums : list of Sum
        The models, as they were read.
    codes : OrdinalCodes
        The trees of all models, one model after another.
    outputs : list of (list of ndarray, ndarray)
        For every model the values that its trees add, and its baseline, with outputs for the classes of all models.
    classes : ndarray of shape (n_classes,), or None
        The classes of all models, if they are known.
    feature_names : ndarray of shape (n_features,), or None
    """

    sums: list[Sum]
    codes: OrdinalCodes
    outputs: list[tuple[list[FloatArray], FloatArray]]
    classes: AnyArray | None
    feature_names: AnyArray | None


def code_together(models: Iterable[Any], X: Any = None) -> CodedModels:
    """Read several models, and code their trees together, with codes for the missing values in X.

    Raise ValueError if the models are not of one kind.
    """
    sums = [read_model(model) for model in models]
    _check_schema(sums)
    classes = _all_classes(sums)
    names = next((read.feature_names for read in sums if read.feature_names is not None), None)
    members = [member for read in sums for member in read.members]
    codes = code_members(_of_one_kind(members), Named(names), missing=lacking(members, X))
    return CodedModels(sums, codes, [_in_columns(read, classes) for read in sums], classes, names)


def with_baseline(read: Sum, values: Sequence[FloatArray], baseline: FloatArray) -> list[FloatArray]:
    """Return the values that trees add to the function of a model, the baseline included in the first tree."""
    own = [of_tree / read.n_averaged for of_tree in values]
    return [own[0] + baseline, *own[1:]]


def _check_schema(sums: Sequence[Sum]) -> None:
    """Raise ValueError if models differ in their features or in the kind of their output."""
    first = sums[0]
    for number, read in enumerate(sums[1:], 1):
        n_features, expected = (one.members[0].tree.n_features for one in (read, first))
        if n_features != expected:
            raise ValueError(f"Model {number} has {n_features} features, the first model {expected}.")
        categorical, expected = (sorted(set().union(*(m.categories for m in one.members))) for one in (read, first))
        if categorical != expected:
            raise ValueError(
                f"The categorical features of model {number} are {categorical}, of the first model {expected}."
            )
        if read.output != first.output:
            raise ValueError(f"Model {number} gives a {read.output}, the first model a {first.output}.")
        if read.output == "margin" and read.link != first.link:
            raise ValueError(
                f"Margins of different link functions have no mean or distance: {read.link} in model {number}, "
                f"{first.link} in the first model."
            )
        n_outputs, expected = read.baseline.size, first.baseline.size
        if read.output == "margin" and not _same_classes(read, first):
            raise ValueError("Margins of different classes have no mean or distance: give models of probabilities.")
        if read.output != "probability" and n_outputs != expected:
            raise ValueError(f"Model {number} has {n_outputs} outputs, the first model {expected}.")
    named = [(number, read.feature_names) for number, read in enumerate(sums) if read.feature_names is not None]
    for number, names in named[1:]:
        wrong = np.flatnonzero(named[0][1] != names)
        if wrong.size:
            m, (other, others) = wrong[0], named[0]
            raise ValueError(
                f"Feature {m} is {str(names[m])!r} in model {number}, {str(others[m])!r} in model {other}."
            )


def _same_classes(read: Sum, other: Sum) -> bool:
    """Whether two models have the same classes, as far as they are known."""
    return read.classes is None or other.classes is None or np.array_equal(read.classes, other.classes)


def _all_classes(sums: Sequence[Sum]) -> AnyArray | None:
    """Return the classes of all models, in order."""
    known = [np.asarray(read.classes) for read in sums if read.classes is not None]
    if not known:
        return None
    if all(np.array_equal(known[0], other) for other in known[1:]):
        return known[0]
    if len({part.dtype.kind in "biuf" for part in known}) > 1:
        raise ValueError("The classes of some models are numbers, the classes of other models are not.")
    try:
        in_order = all(np.array_equal(part, np.unique(part)) for part in known)
        classes = np.unique(together(*known))
    except TypeError as error:
        raise ValueError(f"The classes of the models cannot be sorted together: {error}.") from error
    if not in_order:
        raise ValueError("The models have scales of different classes: give all of them the same `classes`.")
    return classes


def _in_columns(read: Sum, classes: AnyArray | None) -> tuple[list[FloatArray], FloatArray]:
    """Return values and baseline of a model, with outputs for the classes of all models."""
    if read.output != "probability" or classes is None or read.classes is None:
        return read.values, read.baseline
    columns, found = positions_in(read.classes, classes), []
    if len(classes) == len(read.classes):
        return read.values, read.baseline
    for values in read.values:
        of_own = np.hstack([1.0 - values, values]) if len(read.classes) == 2 else values
        of_all = np.zeros((len(values), len(classes)))
        of_all[:, columns] = of_own
        found.append(np.ascontiguousarray(of_all[:, 1:] if len(classes) == 2 else of_all))
    return found, np.zeros(found[0].shape[1])


def _of_one_kind(members: Sequence[Member]) -> list[Member]:
    """Return trees that compare numbers of one type; their `value` is one column of ones, without information."""
    to_double = len({member.dtype for member in members}) > 1
    found = []
    for member in members:
        tree = structure_of(member.tree)
        if to_double and member.dtype == np.float32:
            arrays, cuts = arrays_of(tree), np.flatnonzero(tree.children_left != LEAF)
            arrays["threshold"][cuts] = greatest_rounded_below(arrays["threshold"][cuts])
            tree = Tree(**arrays, n_features=tree.n_features)
        labels, dtype = np.zeros(tree.node_count, dtype=np.int64), np.float64 if to_double else member.dtype
        found.append(Member(tree, labels, dtype, member.categories))
    return found
