"""The plan of a forest: what all of its trees grow from, and how their growth is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

from .._engine import config_context
from .._typing import AnyArray, CodeArray, Draws, Engine, FloatArray, IntArray, Specification


class Stop(Event):
    """Asks the workers of a forest to stop: Ctrl-C reaches the main thread alone, and they would go on growing trees.

    A copy in another process is another event. joblib ends that process.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return Stop, ()


@dataclass(frozen=True, eq=False)
class Plan:
    """The data and settings that the trees of a forest grow from, all but their seeds.

    Attributes
    ----------
    engine : str
    criterion : str or tuple
        As the kernels take it.
    X : ndarray of shape (n_samples, n_features), float64
    codes : ndarray of shape (n_samples,), int32
    n_classes : int
    rows : ndarray of shape (n_used,), int64, or None
        The samples to draw from, in their order; None: all, as they are stored.
    weights : ndarray of shape (n_used,) or None
        Of these samples, as the kernels take them; None: all 1.
    limits : dict
        Limits of growth as the kernels take them.
    kinds : dict
        The kernels' options about features, where some are categorical: n_categories, and `subsets` where these are
        divided into two sets.
    shared : object
        The data that the engine has prepared from X for all trees.
    draw : callable
        Takes a seed, n_rows and weights, and draws a tree's samples: their indices in `rows`, in the order in
        which the tree takes them, or None for all in order; and their weights, or None.
    grow : callable
        Grows one tree, with the arguments of `base.grow`.
    stop : Stop
        Set where the fit ends with an error.
    """

    engine: Engine
    criterion: Specification
    X: FloatArray
    codes: CodeArray
    n_classes: int
    rows: IntArray | None
    weights: AnyArray | None
    limits: dict[str, Any]
    kinds: dict[str, Any]
    shared: object
    draw: Callable[..., Draws]
    grow: Callable[..., Any]
    stop: Stop

    def __sizeof__(self) -> int:
        """Return the bytes of the data, by which joblib's Dask backend knows that it is to be sent once, not with every
        tree."""
        arrays = self.X, self.codes, self.rows, self.weights
        return object.__sizeof__(self) + sum(array.nbytes for array in arrays if array is not None)

    def arrange(self, seed: int) -> tuple[IntArray | None, AnyArray | None]:
        """Return the samples of the tree of this seed, None for all as they are stored; and their weights or None."""
        n_rows = len(self.X) if self.rows is None else len(self.rows)
        with config_context(engine=self.engine):
            places, weights = self.draw(seed, n_rows, self.weights)
        if self.rows is None or places is None:
            return (self.rows if places is None else places), weights
        return self.rows[places], weights
