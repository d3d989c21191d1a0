"""The pictures of the study of orthogonal trees; they need matplotlib."""

import numpy as np

from pytrees.tour.report import import_pyplot

from .orthogonal_paper import FIRST, SETTINGS

COLORS = {"uniform": "C0", "uniform_centered": "C9", "empirical": "C3", "empirical_centered": "C1"}
TITLES = {name: name.replace("_centered", ", centred") for name in COLORS}
WAYS = {"vote": "--", "least_squares": "-"}


def panels(plt, names, width=3.6, height=2.9):
    """Make a figure with an axis for every data set, under its title."""
    n_columns = min(3, len(names))
    n_rows = -(-len(names) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(width * n_columns, height * n_rows + 0.6), layout="constrained", squeeze=False
    )
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    used = dict(zip(names, axes.flat, strict=False))
    for name, ax in used.items():
        ax.set_title(SETTINGS[name].title, fontsize=10)
        ax.grid(alpha=0.25)
        ax.xaxis.get_major_locator().set_params(integer=True)
    return figure, used


def draw_variance(results, path):
    """Draw, by data set, the share of the variance that the first 1, 2, ... components carry."""
    plt = import_pyplot()
    figure, axes = panels(plt, list(results))
    for name, ax in axes.items():
        for variant, color in COLORS.items():
            listed = [found["variance"][variant] for found in results[name]]
            n_all = max(map(len, listed))
            captured = [np.cumsum([*shares, *[0.0] * (n_all - len(shares))]) for shares in listed]
            x, means = np.arange(1, n_all + 1), 100.0 * np.mean(captured, axis=0)
            ax.plot(x, means, ".-", color=color, markersize=3, linewidth=1.2, label=TITLES[variant])
        if SETTINGS[name].first_share is not None:
            ax.plot(1, SETTINGS[name].first_share, "x", color="black", label="first component, paper")
        ax.axhline(90.0, color="0.5", linewidth=0.8, linestyle=":")
        ax.set_ylim(0.0, 103.0)
    named_once(figure, axes)
    figure.supxlabel("components")
    figure.supylabel("variance carried, %")
    save(plt, figure, path)


def draw_components(results, path):
    """Draw, by data set, the error of the first 1, 2, ... components, beside bagging and a constant answer."""
    plt = import_pyplot()
    figure, axes = panels(plt, list(results))
    for name, ax in axes.items():
        found, judged = results[name]
        for variant in ("uniform", "empirical"):
            for way, style in WAYS.items():
                curves = [of_seed["curves"][variant][way] for of_seed in found]
                n_least = min(map(len, curves))  # which every seed has
                means = 100.0 * np.mean([curve[:n_least] for curve in curves], axis=0)
                label = f"{TITLES[variant]}, {way.replace('_', ' ')}"
                ax.plot(np.arange(1, n_least + 1), means, ".", linestyle=style, color=COLORS[variant], label=label)
        for model, color, label in (
            ("bagging", "C2", "bagging"),
            ("best_constant", "0.4", "best constant answer"),
        ):
            ax.axhline(100.0 * judged[model]["error"].mean(), color=color, linewidth=1.2, label=label)
        ax.axhline(SETTINGS[name].errors[FIRST], color="black", linewidth=1.0, linestyle=":", label="ODT, paper")
        ax.set_ylim(bottom=0.0)
    named_once(figure, axes)
    figure.supxlabel("components")
    figure.supylabel("test samples wrong, %")
    save(plt, figure, path)


def draw_members(found, setting, path):
    """Draw one seed's bagged trees of C4.5 beside the trees rebuilt from them: accuracy left, nodes right.

    Figures 7, 9, 12, 13 and 15 of the paper.
    """
    plt = import_pyplot()
    errors, nodes, rebuilt_errors, rebuilt_nodes, merged_nodes = np.array(found["members"]).T
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
    numbers = np.arange(1, len(errors) + 1)
    left.plot(numbers, 100.0 * (1.0 - errors), "o-", color="C0", markersize=4, label="C4.5")
    left.plot(numbers, 100.0 * (1.0 - rebuilt_errors), "s--", color="C3", markersize=4, label="RFT, 90 % of the energy")
    right.plot(numbers, nodes, "o-", color="C0", markersize=4)
    right.plot(numbers, rebuilt_nodes, "s--", color="C3", markersize=4)
    right.plot(numbers, merged_nodes, ".:", color="C1", label="RFT, redundant splits merged")
    left.set_ylabel("test samples right, %")
    right.set_ylabel("nodes")
    right.set_ylim(bottom=0.0)
    for ax in (left, right):
        ax.set_xlabel("bagged tree")
        ax.grid(alpha=0.25)
        ax.xaxis.get_major_locator().set_params(integer=True)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    left.set_title(f"Figure {setting.members_figure}: {setting.title}", fontsize=10, loc="left")
    save(plt, figure, path)


def draw_forest(results, judged, path):
    """Draw a forest as a few trees: the error, and the variance carried, by nodes."""
    plt = import_pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
    for variant, color in COLORS.items():
        by_seed = [[row[2:] for row in found["components"] if row[0] == variant] for found in results]
        variance, nodes, _, fitted = np.mean(by_seed, axis=0).T
        left.plot(nodes, 100.0 * fitted, ".-", color=color, label=f"ODT-LR, {TITLES[variant]}")
        right.plot(nodes, 100.0 * variance, ".-", color=color)
    points = {
        "c45": ("s", "C4.5"),
        "forest": ("D", "the forest"),
        "aft_uniform": ("^", "AFT, uniform"),
        "aft_empirical": ("v", "AFT, empirical"),
    }
    for model, (marker, title) in points.items():
        left.plot(
            judged[model]["nodes"].mean(), 100.0 * judged[model]["error"].mean(), marker, color="black", label=title
        )
    for ax in (left, right):
        ax.set_xscale("log")
        ax.set_xlabel("nodes of all trees")
        ax.grid(alpha=0.25)
    left.set_ylim(bottom=0.0)
    right.set_ylim(0.0, 100.0)
    left.set_ylabel("test samples wrong, %")
    right.set_ylabel("variance carried, %")
    figure.legend(loc="outside right center", frameon=False)
    figure.suptitle(f"Breast Cancer: a forest of {results[0]['n_trees']} trees as 1, 2, 3, 5, 10 and 20 trees")
    save(plt, figure, path)


def named_once(figure, axes):
    """Draw one legend for all panels."""
    named = {}
    for ax in axes.values():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=4, frameon=False, fontsize=9)


def save(plt, figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
