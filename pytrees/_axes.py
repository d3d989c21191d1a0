"""The axes of matplotlib that a drawing takes, the room and the colours on them, and how it writes texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import BLACK, ink_on, muted_on
from ._typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How texts with names by users are drawn: "$" and "_" are letters, not commands of mathtext or of TeX.
LITERALLY: dict[str, Any] = {"parse_math": False, "usetex": False}


def pyplot(function: str) -> Any:
    """Import matplotlib's pyplot for a function of this name, or raise an ImportError that names it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{function} needs matplotlib: pip install 'decision-pytrees[plot]'.") from error
    return plt


def axes_of(function: str, ax: Any, name: str = "ax") -> Any:
    """Return the axes that a function of this name draws on: the given axes, or the current ones.

    If no figure is open, they are those of a new one, with room for names of any length at the axes.
    """
    plt = pyplot(function)
    if ax is None:
        return plt.gca() if plt.get_fignums() else plt.figure(layout="constrained").add_subplot()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"{name} must be axes of matplotlib, got {ax!r}.")
    return ax


def several_axes(function: str, axes: Any) -> list[Axes]:
    """Return the axes that a function of this name is given, one of an array or sequence for every drawing."""
    return [axes_of(function, ax, "every element of axes") for ax in np.ravel(np.asarray(axes, dtype=object))]


def room_of(ax: Any) -> FloatArray:
    """Return the width and height of axes in points, after the figure's layout, if it has one, has placed them."""
    figure = ax.figure
    while getattr(figure, "figure", figure) not in (None, figure):  # the figure of a subfigure
        figure = figure.figure
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    extent = ax.get_window_extent()
    return np.array([extent.width, extent.height]) * 72.0 / figure.dpi


def background_of(ax: Any, *, has_frame: bool = False) -> FloatArray:
    """Return the colour behind a drawing, (3,) float64: of the figure, or of the axes if their frame is drawn."""
    from matplotlib.colors import to_rgba

    behind, figure = [to_rgba(ax.get_facecolor())] if has_frame else [], ax.figure
    while figure is not None:
        behind.append(to_rgba(figure.get_facecolor()))
        outer = getattr(figure, "figure", None)
        figure = None if outer is figure else outer
    colour = 1.0 - BLACK
    for *rgb, opacity in reversed(behind):
        colour = opacity * np.array(rgb) + (1.0 - opacity) * colour
    return colour


def inks_on(ax: Any, *, has_frame: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return the colours of letters and of lines that can be seen on the background of axes, black or white, and paler
    ones for what matters less."""
    background = background_of(ax, has_frame=has_frame)
    return ink_on(background), muted_on(background)
