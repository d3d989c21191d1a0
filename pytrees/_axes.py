"""The axes of matplotlib that a drawing takes, and how it writes texts on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    """Return the axes that a function of this name draws on: the given axes, or the current ones."""
    plt = pyplot(function)
    if ax is None:
        return plt.gca()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"{name} must be axes of matplotlib, got {ax!r}.")
    return ax


def several_axes(function: str, axes: Any) -> list[Axes]:
    """Return the axes that a function of this name is given, one of an array or sequence for every drawing."""
    return [axes_of(function, ax, "every element of axes") for ax in np.ravel(np.asarray(axes, dtype=object))]
