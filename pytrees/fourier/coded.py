"""Trees on codes that know which coding theirs is, so that trees of two codings are not taken for one another's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from .._typing import AnyArray, FloatArray
from ..tree import Tree


class CodedTree(Tree):
    """A tree on codes, and the digest of what these stand for; compared with other trees it is one like any."""

    coding: bytes | None

    __slots__ = ("coding",)

    def __init__(self, *arrays: Any, coding: bytes | None = None, **further: Any) -> None:
        super().__init__(*arrays, **further)
        object.__setattr__(self, "coding", coding)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (super().__reduce__()[1], self.coding)


def _again(arguments: tuple[Any, ...], coding: bytes | None) -> CodedTree:
    return CodedTree(*arguments, coding=coding)


def digest(thresholds: Iterable[FloatArray], categories: Mapping[int, AnyArray]) -> bytes:
    """Return the digest of a coding: of the thresholds of every feature, and of what its categories are."""
    found = blake2b(digest_size=16)
    for cuts in thresholds:
        found.update(np.asarray(cuts, dtype=np.float64).tobytes() + b";")
    for m in sorted(categories):
        found.update(repr((m, categories[m].tolist())).encode())
    return found.digest()


def coding_of(trees: Iterable[Tree]) -> bytes | None:
    """Return the coding of some trees, None where no tree knows its own; refuse trees of two codings."""
    known = {tree.coding for tree in trees if isinstance(tree, CodedTree)} - {None}
    if len(known) > 1:
        raise ValueError(
            "The trees are of two codings: a code of one is not what it is of the other. Code all trees together: "
            "ordinal_codes takes them in one list, and merge makes one model of several."
        )
    return next(iter(known), None)


def of_coding(tree: Tree, coding: bytes | None) -> Tree:
    """Return a tree that was made of trees on codes, with their coding where they know it."""
    return tree if coding is None else _again(tree.__reduce__()[1], coding)
