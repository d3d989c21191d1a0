"""The job of growing a forest: the data and settings of all its trees, and the event that stops them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from threading import Event
from typing import Any

from .._engine import config_context
from .._typing import AnyArray, CodeArray, Draws, Engine, FloatArray, IntArray, Specification, TableArray
from .._weights import on_grid


class StopEvent(Event):
    """Tells the workers of a forest to stop, because Ctrl-C reaches the main thread alone.

    A copy in another process is another event: joblib ends that process itself.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return StopEvent, ()


@dataclass(frozen=True, eq=False)
class GrowthJob:
    """The data and settings that the trees of a forest grow from, except their seeds.

    Attributes
    ----------
    engine : str
    criterion : str or tuple
        As the kernels take it.
    X : ndarray of shape (n_samples, n_features), float64 or float32, in any layout
    codes : ndarray of shape (n_samples,), int32
        The codes of their classes or targets.
    y : ndarray of shape (n_samples,), float64, or None
        Targets of regression.
    n_classes : int
        The number of codes.
    rows : ndarray of shape (n_used,), int64, or None
        The samples to draw from, in their order; None: all, as they are stored.
    weights : ndarray of shape (n_used,) or None
        Weights of these samples, whole numbers on a grid; None: all 1.
    unit : Fraction
        The unit of the weights.
    grid_total : int
        The sum of weights on a grid that rounds: see `on_grid`.
    limits : dict
        Limits of growth as the kernels take them.
    kinds : dict
        The kernels' options about categorical features, if there are any: n_categories, and `subsets` if categories
        are divided into two sets.
    shared : object
        The data that the engine has prepared from X for all trees.
    draw : callable
        Draws the samples of a tree from a seed, n_rows and weights. It returns two arrays. The first holds indices in
        `rows`, in the order in which the tree takes the samples; None: all samples, in the order of `rows`. The second
        holds the samples' weights, which need not be whole; None: all 1.
    grow : callable
        Grows one tree, with the arguments of `base.grow`.
    stop_event : StopEvent
        Set if the fit ends with an error.
    """

    engine: Engine
    criterion: Specification
    X: TableArray
    codes: CodeArray
    y: FloatArray | None
    n_classes: int
    rows: IntArray | None
    weights: AnyArray | None
    unit: Fraction
    grid_total: int
    limits: dict[str, Any]
    kinds: dict[str, Any]
    shared: object
    draw: Callable[..., Draws]
    grow: Callable[..., Any]
    stop_event: StopEvent

    def __sizeof__(self) -> int:
        """Return the bytes of the data: joblib's Dask backend sends large objects once, not with every tree."""
        arrays = self.X, self.codes, self.y, self.rows, self.weights
        return object.__sizeof__(self) + sum(array.nbytes for array in arrays if array is not None)

    def check_not_stopped(self) -> None:
        """Raise RuntimeError if the fit ended with an error, which the caller of the fit sees."""
        if self.stop_event.is_set():
            raise RuntimeError("The fit of the forest has ended.")

    def arrange(self, seed: int) -> tuple[IntArray | None, IntArray | None, Fraction]:
        """Return the samples of the tree of this seed, None for all as they are stored; their weights on a grid, or
        None; and the unit of the grid."""
        n_rows = len(self.X) if self.rows is None else len(self.rows)
        with config_context(engine=self.engine):
            drawn, weights = self.draw(seed, n_rows, self.weights)
        numbers, unit = on_grid(weights, self.grid_total)
        if self.rows is None or drawn is None:
            return (self.rows if drawn is None else drawn), numbers, unit * self.unit
        return self.rows[drawn], numbers, unit * self.unit
