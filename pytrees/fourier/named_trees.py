"""Trees that know the names of their features and categories, though no estimator has them."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .._numbers import check_array
from .._typing import AnyArray, BoolArray, FloatArray, MatrixLike
from ..input.categories import encode
from ..tree import Tree


class Names(NamedTuple):
    """The names of the features, None if they are not known; which of them are categorical; the sorted categories of
    each of these; and the encoder of an `OrdinalCodes`, None if nothing needs one."""

    feature_names: AnyArray | None
    is_categorical: BoolArray
    categories: list[AnyArray]
    encoder: Any = None


class NamedTree(Tree):
    """A tree with names, which texts, pictures and programs show; ``==`` ignores them.

    It takes samples as every tree does, with codes for categories: `encode` makes them.
    """

    _names: Names

    _remedy_for_words: ClassVar[str] = (
        "this tree takes codes of categories, which its own `encode` makes: tree.predict(tree.encode(X))"
    )

    __slots__ = ("_names",)

    def __init__(self, *arrays: Any, names: Names, **further: Any) -> None:
        super().__init__(*arrays, **further)
        self._set(_names=names)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (super().__reduce__()[1], self._names)

    @classmethod
    def of(cls, tree: Tree, names: Names) -> Self:
        """Return the tree with these names."""
        return cls(*tree._arguments(), names=names)

    @property
    def feature_names_in_(self) -> AnyArray:
        """The names of the features; an AttributeError if they are not known."""
        if self._names.feature_names is None:
            raise AttributeError("The names of the features are not known.")
        return self._names.feature_names

    @property
    def is_categorical_(self) -> BoolArray:
        """Which features are categorical."""
        return self._names.is_categorical

    @property
    def categories_(self) -> list[AnyArray]:
        """The sorted categories of every categorical feature."""
        return self._names.categories

    def encode(self, X: MatrixLike) -> FloatArray:
        """Encode the categories of samples, as the tree takes them."""
        if self._names.encoder is None:
            return check_array(X, dtype=np.float64, ensure_all_finite=False)
        return encode(self._names.encoder, X, allow_missing=self.takes_missing)


def _again(arguments: tuple[Any, ...], names: Names) -> NamedTree:
    return NamedTree(*arguments, names=names)
