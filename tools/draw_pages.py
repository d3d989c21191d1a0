"""Draw the pictures of the guide anew, by the code that stands on its pages; from the root of a clone.

``python -m tools.draw_pages`` draws all, ``python -m tools.draw_pages streams`` those that are named.
"""

import re
import sys
from pathlib import Path

import matplotlib as mpl

DOCS = Path(__file__).parents[1] / "docs"


def _effects(names):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    names["indices"].plot(axes[0], max_features=10)
    names["indices"].plot_pairs(axes[1], max_features=10)
    names["effects"].plot("worst perimeter", axes[2])
    return figure


def _distilled(names):
    import matplotlib.pyplot as plt

    axes = plt.subplots(1, 3, figsize=(18, 4.2), layout="constrained")[1]
    return names["few"].plot(axes, feature_names=names["data"].feature_names)[0].figure


def _streams(names):
    import matplotlib.pyplot as plt

    axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")[1]
    return names["stream"].plot(axes)[0].figure


# For every picture its page, what the last block that it needs says, and its figure from the names of these blocks.
PICTURES = {
    "decision_path": ("elsewhere", "plot_decision_path(", lambda names: names["ax"].figure),
    "distilled": ("distil", "few = distil(", _distilled),
    "effects": ("effects", "effects = anova_effects(", _effects),
    "sequences_beats": ("sequences", "above.plot(", lambda names: names["figure"]),
    "sequences_days": ("sequences", "figure_of_days", lambda names: names["figure_of_days"]),
    "sequences_maps": ("sequences", "figure_of_maps", lambda names: names["figure_of_maps"]),
    "streams": ("streams", "stream.update(", _streams),
}


def draw(picture):
    """Run the blocks of a picture's page down to the last one that it needs, and save the figure."""
    page, said, figure_of = PICTURES[picture]
    names, text = {"__name__": page}, (DOCS / "guide" / f"{page}.md").read_text("utf-8")
    if page == "elsewhere":  # its sections only need its first blocks
        text = text.partition("\n## ")[0] + text.partition("\n## Text and pictures\n")[2]
    for code in re.findall(r"```python\n(.*?)```\n", text, re.DOTALL):
        exec(code, names)
        if said in code:
            break
    path = DOCS / "images" / f"{picture}.png"
    whole = None if picture != "decision_path" else "tight"
    figure_of(names).savefig(path, dpi=100 if page == "sequences" else 80, bbox_inches=whole)
    print(f"drawn: {path}")


if __name__ == "__main__":
    mpl.use("agg")
    for picture in sys.argv[1:] or PICTURES:
        draw(picture)
