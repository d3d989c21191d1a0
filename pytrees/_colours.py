"""The colours of nodes: the colour of the class, paler if the node is more mixed; or a scale of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._given_tree import ShownTree
from ._typing import FloatArray, IntArray

# The colours of matplotlib's map tab10, repeated here so that it need not be installed.
_PALETTE = (0x1F77B4, 0xFF7F0E, 0x2CA02C, 0xD62728, 0x9467BD, 0x8C564B, 0xE377C2, 0x7F7F7F, 0xBCBD22, 0x17BECF)

BLACK: FloatArray = np.zeros(3)

# The contrast that letters need at least, by the Web Content Accessibility Guidelines 2.2, 1.4.3. Black or white has it
# on every colour.
_LEAST_CONTRAST = 4.5


def luminance(colour: ArrayLike) -> float:
    """Return the relative luminance of a colour in sRGB, from 0 to 1."""
    rgb: FloatArray = np.asarray(colour, dtype=np.float64)[:3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(colour: ArrayLike, other: ArrayLike) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(background: ArrayLike) -> FloatArray:
    """Return black or white, whichever has more contrast to a background."""
    return max(BLACK, 1.0 - BLACK, key=lambda ink: contrast(ink, background))


def muted_on(background: ArrayLike) -> FloatArray:
    """Return a grey for letters that matter less, which has enough contrast to a background."""
    ink = ink_on(background)
    muted = 0.7 * ink + 0.3 * np.asarray(background, dtype=np.float64)[:3]
    return muted if contrast(muted, background) >= _LEAST_CONTRAST else ink


def class_colours(codes: ArrayLike) -> FloatArray:
    """Return the colours of classes by their codes, ten in turn; ndarray of shape (n, 3), from 0 to 1."""
    rgb = np.array([[colour >> 16, colour >> 8 & 255, colour & 255] for colour in _PALETTE]) / 255.0
    return rgb[np.asarray(codes) % len(_PALETTE)]


def node_colours(value: FloatArray, codes: ArrayLike) -> FloatArray:
    """Return the colour of every node: its class's, with more white the more mixed the node is."""
    share = value.max(axis=1) / value.sum(axis=1)
    return 1.0 - 0.6 * share[:, np.newaxis] * (1.0 - class_colours(codes))


def places_on_scale(numbers: FloatArray, of_scale: FloatArray) -> FloatArray:
    """Return where numbers stand on a scale, from 0 at the lowest number of the scale to 1 at the highest.

    All stand in the middle if the numbers of the scale are equal.
    """
    # Halves, as the difference of two doubles can be beyond the range of doubles.
    low, high = 0.5 * of_scale.min(), 0.5 * of_scale.max()
    return (0.5 * numbers - low) / (high - low) if high > low else np.full(np.shape(numbers), 0.5)


def number_colours(numbers: FloatArray, of_scale: FloatArray) -> FloatArray:
    """Return the colours of numbers on a scale, from almost white at its lowest number to blue at its highest."""
    depth = 0.06 + 0.54 * places_on_scale(numbers, of_scale)
    return 1.0 - depth[:, np.newaxis] * (1.0 - class_colours(0))


def colours_of(shown: ShownTree, nodes: Sequence[int] | IntArray) -> FloatArray:
    """Return the colours of nodes: of their classes, or of their numbers on the `scale` of what is shown."""
    if shown.tree.is_regressor:
        return number_colours(shown.tree.value[nodes, 0], shown.scale)
    return node_colours(shown.tree._evidence[nodes], shown.labels[nodes])
