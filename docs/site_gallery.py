"""The gallery: its sections, the examples of each in their order, and thumbnails that are drawn at their own size."""

import os
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.gridspec import GridSpec
from sphinx_gallery.scrapers import matplotlib_scraper

SECTIONS = {
    "explain": ["decision_path", "model_effects", "fourier_energy"],
    "small": ["optimal_tree", "pruning", "minimal_tree", "distilled_forest", "orthogonal_trees"],
    "data": ["ordered_classes", "unequal_costs", "regression", "categories", "missing_values"],
    "order": ["order_sensitivity", "permutation_trees", "distinct_trees", "effort_to_compress", "causality"],
    "grow": ["own_criterion", "staged_growth", "two_engines"],
}
PLACES = [f"plot_{name}.py" for names in SECTIONS.values() for name in names]
INCHES = (4.0, 2.8)  # of a thumbnail, so that letters of 10 points are read at 300 pixels
DPI = 140


def place(file):
    """Return the place of an example in the gallery."""
    return PLACES.index(Path(file).name)


def scrape(block, variables, conf):
    """Save the figures as sphinx-gallery does, and a thumbnail of the example's first figure."""
    first = len(variables["image_path_iterator"]) == 0
    figures = [plt.figure(number) for number in plt.get_fignums()]
    text = matplotlib_scraper(block, variables, conf)
    if first and figures:
        path = Path(variables["target_file"]).with_suffix(".small.png")
        draw_small(figures[0], path)
        variables["file_conf"]["thumbnail_path"] = os.path.relpath(path, conf["src_dir"])
    return text


def draw_small(figure, path):
    """Draw and save the first panel of a figure, alone and small; a tree as small as its boxes allow."""
    panel, *others = figure.axes
    figure.suptitle("")
    panel.set_title("")
    for other in others:
        other.remove()
    panel.set_subplotspec(GridSpec(1, 1, figure=figure)[0])
    panel.set_anchor("C")
    figure.set_size_inches(INCHES)
    if panel.get_legend() is not None:
        for text in panel.get_legend().texts:
            text.set_fontsize("small")
    if not panel.axison:
        for text in panel.texts:
            text.set_fontsize("medium")
        while boxes_overlap(figure, panel):
            figure.set_size_inches(1.1 * figure.get_size_inches())
    figure.savefig(path, dpi=DPI, bbox_inches=None if panel.axison else "tight")


def boxes_overlap(figure, panel):
    """Tell whether boxes of a drawn tree overlap at the figure's size."""
    figure.draw_without_rendering()
    boxes = [text.get_bbox_patch().get_window_extent() for text in panel.texts if text.get_bbox_patch() is not None]
    return any(box.count_overlaps(boxes) > 1 for box in boxes)
