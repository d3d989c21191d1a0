"""The pictures of the ordinal study; they need matplotlib."""

import numpy as np

from pytrees._colours import ink_on
from pytrees.tour.report import import_pyplot

from .ordinal_paper import CONFUSED, CRITERIA, METRICS, TABLE_6

MARKERS = {"gini": "o", "entropy": "s", "ogini": "D", "wig": "^", "ranking": "v"}
COLORS = {"gini": "0.55", "entropy": "0.25", "ogini": "C3", "wig": "C0", "ranking": "C2"}


def draw_data_sets(scores, path):
    """Draw, for every data set, the criteria's errors by the error of the median, and OGini's lead over Gini."""
    plt = import_pyplot()
    order = sorted(range(len(scores.names)), key=lambda i: (scores.n_classes[i], scores.names[i].lower()))[::-1]
    n_seeds = scores.depths.shape[2]
    values = scores.values["mae"][order]
    constant = values[:, -1].mean(axis=1)
    shares = values[:, : len(CRITERIA)] / constant[:, np.newaxis, np.newaxis]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 1.6 + 0.24 * len(order)), sharey=True, layout="constrained", width_ratios=[3, 2]
    )
    y = np.arange(len(order))
    for place, (criterion, title) in enumerate(CRITERIA.items()):
        means = shares[:, place].mean(axis=1)
        left.plot(means, y, MARKERS[criterion], color=COLORS[criterion], label=title, alpha=0.8, markersize=5)
    left.axvline(1.0, color="black", linestyle=":")
    left.set_yticks(y, [f"{scores.names[i]}  ({scores.n_classes[i]})" for i in order])
    left.set_xlabel("MAE / MAE of the constant median class (1: no better)")
    left.set_title("mean over the splits, by data set (classes)")
    left.legend(ncols=len(CRITERIA), loc="upper center", bbox_to_anchor=(0.5, -0.06), frameon=False)
    lead = shares[:, list(CRITERIA).index("gini")] - shares[:, list(CRITERIA).index("ogini")]
    error = 2.0 * lead.std(axis=1, ddof=1) / np.sqrt(n_seeds) if n_seeds > 1 else np.zeros(len(order))
    means = lead.mean(axis=1)
    colors = np.where(means > error, COLORS["ogini"], np.where(means < -error, "black", "0.6"))
    right.barh(y, means, color=colors, height=0.6)
    right.errorbar(means, y, xerr=error, fmt="none", ecolor="black", elinewidth=0.8)
    right.axvline(0.0, color="black", linewidth=0.8)
    right.set_xlabel("difference of both, ± 2 standard errors")
    right.set_title("lead of OGini over Gini")
    for ax in (left, right):
        ax.grid(axis="both", alpha=0.25)
        ax.set_axisbelow(True)
    left.set_ylim(-0.7, len(order) - 0.3)
    save(plt, figure, path)


def draw_means(groups, comparisons, path):
    """Draw the mean of every criterion with its interval by Tukey's test, and the paper's mean."""
    plt = import_pyplot()
    figure, axes = plt.subplots(
        len(groups),
        len(METRICS),
        figsize=(11, 0.6 + 2.1 * len(groups)),
        layout="constrained",
        squeeze=False,
        sharey=True,
    )
    y = np.arange(len(CRITERIA))[::-1]
    for ax, found in zip(axes.flat, comparisons, strict=True):
        half_width = found.pairs.half_width if found.pairs else 0.0
        ax.errorbar(found.means, y, xerr=half_width, fmt="none", ecolor="0.4", elinewidth=1.5, capsize=3)
        ax.scatter(found.means, y, color=list(COLORS.values()), zorder=3, label="ours, with Tukey's interval")
        ax.plot([found.paper[c] for c in CRITERIA], y, "|", color="black", markersize=16, markeredgewidth=2)
        ax.set_yticks(y, list(CRITERIA.values()))
        ax.set_ylim(-0.6, len(CRITERIA) - 0.4)
        better = "→" if METRICS[found.metric] else "←"
        ax.set_title(f"{found.metric.upper()} ({better} better), {found.group} ({found.n_sets})", fontsize=10)
        ax.grid(axis="x", alpha=0.3)
    figure.suptitle(
        "Points: ours; where intervals do not overlap, Tukey's test tells two criteria apart. Bars: the paper."
    )
    save(plt, figure, path)


def draw_confusions(confusions, path):
    """Draw the matrices of one data set: the paper's, from one split, and ours, means over the splits."""
    plt = import_pyplot()
    panels = []
    for criterion in [*(c for c in confusions if c in TABLE_6), *(c for c in confusions if c not in TABLE_6)]:
        if criterion in TABLE_6:
            panels.append((f"{CRITERIA[criterion]}, paper", np.array(TABLE_6[criterion])))
        panels.append((f"{CRITERIA[criterion]}, ours", confusions[criterion].mean(axis=0)))
    figure, axes = plt.subplots(2, 4, figsize=(12, 6.4), layout="constrained")
    for ax, (title, matrix) in zip(axes.flat, panels, strict=False):
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        image = ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=0.7)
        for (q, r), share in np.ndenumerate(shares):
            colour = ink_on(image.to_rgba(share))
            ax.text(r, q, f"{100.0 * share:.0f}", ha="center", va="center", color=colour)
        classes = [f"C{q + 1}" for q in range(len(matrix))]
        ax.set_xticks(range(len(classes)), classes)
        ax.set_yticks(range(len(classes)), classes)
        ax.set_title(title)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    figure.colorbar(image, ax=axes, format=lambda share, _: f"{100.0 * share:.0f} %", shrink=0.7)
    figure.supxlabel("predicted class")
    figure.supylabel("class")
    n_splits = len(next(iter(confusions.values())))
    figure.suptitle(f"{CONFUSED}: per cent of a class's test samples. The paper: one split; ours: mean of {n_splits}.")
    save(plt, figure, path)


def save(plt, figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
