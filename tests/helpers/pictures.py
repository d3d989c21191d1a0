"""Faults of pictures: texts that overlap, that are cut off, or that cannot be read."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from pytrees._colours import contrast


class Texts:
    """The texts of axes that are not empty, as they are drawn, with the boxes around them."""

    def __init__(self, ax):
        self.ax = ax
        ax.figure.draw_without_rendering()  # puts the boxes around their texts
        self.texts = [text for text in ax.texts if text.get_text()]
        self.boxes = [text.get_bbox_patch() for text in self.texts]
        self.letters = self._extents(Text.get_window_extent(text) for text in self.texts)
        self.extents = self._extents(
            (text if box is None else box).get_window_extent() for text, box in zip(self.texts, self.boxes, strict=True)
        )

    @staticmethod
    def _extents(extents):
        """Return left, bottom, right and top of extents, (n, 4)."""
        return np.array([extent.extents for extent in extents]).reshape(-1, 4)

    def overlapping(self, *more):
        """Return the pairs of texts, boxes included, that overlap, or that overlap further artists."""
        extents = np.vstack([self.extents, *(one.get_window_extent().extents for one in more)])
        names = [*(text.get_text() for text in self.texts), *map(repr, more)]
        left, bottom, right, top = extents.T
        apart = (right[:, None] <= left) | (top[:, None] <= bottom)
        return [(names[i], names[k]) for i, k in np.argwhere(~(apart | apart.T)) if i < k]

    def cut_off(self):
        """Return the texts whose boxes are not all in the figure, or whose letters are not all in their box."""
        whole = self.ax.figure.bbox
        outer = np.tile(whole.extents, (len(self.texts), 1))
        inner = np.where([[box is not None] for box in self.boxes], self.extents, outer)
        is_inside = np.ones(len(self.texts), dtype=bool)
        for one, other in ((self.letters, inner), (self.extents, outer)):
            is_inside &= np.all(one[:, :2] >= other[:, :2], axis=1) & np.all(one[:, 2:] <= other[:, 2:], axis=1)
        return [text.get_text() for text, fits in zip(self.texts, is_inside, strict=True) if not fits]

    def unreadable(self):
        """Return the texts whose letters have too little contrast to the box, or to the figure, behind them."""
        legend = self.ax.get_legend()
        pairs = [*zip(self.texts, self.boxes, strict=True)]
        pairs += [] if legend is None else [(text, None) for text in legend.get_texts()]
        plain = self.ax.figure.get_facecolor()
        faces = [plain if box is None else box.get_facecolor() for _, box in pairs]
        return [
            text.get_text()
            for (text, _), face in zip(pairs, faces, strict=True)
            if contrast(to_rgb(text.get_color()), face) < 4.5
        ]


def assert_is_whole(figure):
    """Assert that no tree of a figure is cut, and that no text at axes is cut off."""
    figure.draw_without_rendering()
    assert "(...)" not in {text.get_text() for text in figure.findobj(Text)}
    for ax in figure.axes:
        drawn = ax.get_tightbbox()
        assert drawn is None or np.all([drawn.min >= -1.0, drawn.max <= figure.bbox.max + 1.0]), ax.get_title()
