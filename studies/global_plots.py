"""The pictures of the study of global evaluation; they need matplotlib."""

import numpy as np

from pytrees.tour.report import import_pyplot

from .global_protocol import DISTANCES, EVALUATIONS, EVALUATIONS_UNDER_NOISE
from .report import standard_error

# In the order of drawing: glocal trees are often local trees, and then form a broad line behind them.
COLORS = {"glocal": "C2", "local": "C0", "global": "C3", "global, local ties": "C1"}
WIDTHS = {"glocal": 3.5, "local": 1.4, "global": 1.4, "global, local ties": 1.4}

# A picture of growth ends when at most this share of the trees is unfinished.
SHARE_TO_SHOW = 0.05


def band(ax, x, values, **style):
    """Return the mean over the repetitions and its interval of two standard errors."""
    means = values.mean(axis=1)
    errors = 2.0 * np.array([standard_error(row) for row in values])
    ax.plot(x, means, **style)
    ax.fill_between(x, means - errors, means + errors, color=style["color"], alpha=0.2, linewidth=0)


def draw_sizes(grown, path):
    """Draw Figure 4: data sets in rows, distances in columns; accuracy on the left axis, nodes on the right."""
    plt = import_pyplot()
    figure, axes = plt.subplots(
        len(grown), len(DISTANCES), figsize=(16, 2.2 * len(grown)), layout="constrained", squeeze=False, sharey="row"
    )
    for row, (title, sizes) in zip(axes, grown.items(), strict=True):
        x = list(sizes)
        most_nodes = max(by[d, e][1].mean() for by in sizes.values() for d in DISTANCES for e in EVALUATIONS)
        for ax, distance in zip(row, DISTANCES, strict=True):
            nodes_ax = ax.twinx()
            for evaluation, color in COLORS.items():
                model = (distance, evaluation)
                accuracy, nodes = (np.array([sizes[size][model][figure] for size in x]) for figure in (0, 1))
                style = {"color": color, "alpha": 0.5 if evaluation == "glocal" else 1.0}
                band(ax, x, accuracy, linewidth=WIDTHS[evaluation], **style)
                band(nodes_ax, x, nodes, linewidth=0.7 * WIDTHS[evaluation], linestyle="--", **style)
            constant = [sizes[size]["constant", ""][0].mean() for size in x]
            ax.plot(x, constant, color="0.5", linestyle=":", linewidth=1.0)
            ax.set_xscale("log")
            ax.grid(alpha=0.25)
            nodes_ax.set_ylim(0.0, 1.05 * most_nodes)
            if distance != list(DISTANCES)[-1]:
                nodes_ax.set_yticklabels([])
        row[0].set_ylabel(title.replace(", ", ",\n"))
    for ax, title in zip(axes[0], DISTANCES.values(), strict=True):
        ax.set_title(title)
    legend(
        figure,
        plt,
        {"accuracy": ("-", 1.4), "nodes (right)": ("--", 1.0), "most frequent class": (":", 1.0)},
        EVALUATIONS,
    )
    figure.supxlabel("training samples")
    save(plt, figure, path)


def legend(figure, plt, styles, evaluations):
    """Draw colours of the evaluations, and styles and widths of the lines, above the picture."""
    handles = [plt.Line2D([], [], color=COLORS[evaluation], label=evaluation) for evaluation in evaluations]
    handles += [
        plt.Line2D([], [], color="0.4", linestyle=style, linewidth=width, label=label)
        for label, (style, width) in styles.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)


def draw_random_trees(random_trees, path):
    """Draw Figure 5: the nodes of the trees by the nodes of the random tree and of the smallest tree."""
    plt = import_pyplot()
    figure, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained", sharex=True, sharey=True)
    x = np.array(list(random_trees))
    for ax, (distance, title) in zip(axes.flat, DISTANCES.items(), strict=True):
        for evaluation, color in COLORS.items():
            nodes = [found["nodes"][distance, evaluation] for found in random_trees.values()]
            low, middle, high = np.array([np.percentile(values, (25, 50, 75)) for values in nodes]).T
            alpha = 0.5 if evaluation == "glocal" else 1.0
            ax.plot(x, [values.mean() for values in nodes], color=color, linewidth=WIDTHS[evaluation], alpha=alpha)
            ax.plot(x, middle, color=color, linestyle="--", linewidth=1.0)
            ax.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(x, x, color="black")
        proven = [found["minimal"][found["proven"]] for found in random_trees.values()]
        ax.plot(x, [sizes.mean() if len(sizes) else np.nan for sizes in proven], "k.", markersize=5)
        ax.set_yscale("log")
        ax.set_title(title)
        ax.grid(alpha=0.25)
    styles = {"mean": ("-", 1.4), "median, and middle half": ("--", 1.0)}
    handles = [plt.Line2D([], [], color="black", label="random tree")]
    handles += [plt.Line2D([], [], color="black", marker=".", linestyle="", label="smallest tree, proven")]
    axes[0, 0].legend(handles=handles, frameon=False, loc="upper left")
    legend(figure, plt, styles, EVALUATIONS)
    figure.supxlabel("nodes of the random tree")
    figure.supylabel("nodes")
    save(plt, figure, path)


def draw_situations(situations, judged, shares, path):
    """Draw Figure 6: both settings, which distances split them well, and redundant splits of grown trees."""
    plt = import_pyplot()
    figure, axes = plt.subplots(2, 2, figsize=(12, 7), layout="constrained", width_ratios=[1, 1.5])
    for ax, (name, (X, y, borders)) in zip(axes[:, 0], situations.items(), strict=True):
        second = X[:, 1] if X.shape[1] > 1 else np.zeros(len(X))
        ax.scatter(X[:, 0], second, c=np.where(y, "C3", "C0"), s=45)
        inefficient = judged[name]["accuracy", "local"]["first_split"]
        ax.axvline(min(threshold for feature, threshold in borders if feature == 0), color="black")
        ax.axvline(inefficient[1], color="black", linestyle="--")
        ax.set_title(f"{name}: an efficient split (solid), that of local accuracy (dashed)", fontsize=9)
        ax.set_xticks([])
        ax.set_yticks([])
    draw_verdicts(axes[0, 1], judged)
    ax, width = axes[1, 1], 0.8 / len(EVALUATIONS)
    titles = list(DISTANCES.values())
    for place, evaluation in enumerate(EVALUATIONS):
        means = [np.mean([by[distance, evaluation] for by in shares.values()]) for distance in DISTANCES]
        ax.bar(
            np.arange(len(titles)) + (place - 0.5 * (len(EVALUATIONS) - 1)) * width,
            means,
            width,
            color=COLORS[evaluation],
            label=evaluation,
        )
    ax.set_xticks(range(len(titles)), titles, fontsize=9)
    ax.set_ylabel("redundant splits, per cent")
    ax.set_title("trees of Figures 4 (largest training sets) and 5: mean over the data", fontsize=9)
    ax.set_ylim(0.0, 1.2 * ax.get_ylim()[1])
    ax.legend(frameon=False, ncols=len(EVALUATIONS))
    ax.grid(axis="y", alpha=0.25)
    ax.set_axisbelow(True)
    save(plt, figure, path)


def draw_verdicts(ax, judged):
    """Draw a table of colours: is the first split of a model efficient?"""
    columns = [(name, evaluation) for name in judged for evaluation in EVALUATIONS]
    efficient = np.array(
        [[judged[name][distance, evaluation]["efficient"] for name, evaluation in columns] for distance in DISTANCES]
    )
    ax.imshow(efficient, cmap="RdYlGn", vmin=-0.5, vmax=1.5, aspect="auto")
    for (row, column), good in np.ndenumerate(efficient):
        ax.text(column, row, "efficient" if good else "not", ha="center", va="center", fontsize=9)
    ax.set_xticks(
        range(len(columns)),
        [f"{name},\n{evaluation}".replace(", local", ",\nlocal") for name, evaluation in columns],
        fontsize=9,
    )
    ax.set_yticks(range(len(DISTANCES)), DISTANCES.values(), fontsize=9)
    ax.set_title("the first split", fontsize=9)


def draw_growth(ax, growth, color, width):
    """Draw test (broad) and train accuracy by step, paler as more trees have ended; a tick marks half of the trees."""
    from matplotlib.collections import LineCollection

    unfinished = growth.unfinished
    n_shown = min(int(np.sum(unfinished > SHARE_TO_SHOW)) + 1, len(unfinished))
    opacity = 0.15 + 0.85 * unfinished[: n_shown - 1]
    for values, linewidth in ((growth.train, 0.5 * width), (growth.test, width)):
        points = np.column_stack([np.arange(n_shown), values.mean(axis=0)[:n_shown]])
        steps = np.stack([points[:-1], points[1:]], axis=1)
        ax.add_collection(LineCollection(steps, colors=color, alpha=opacity, linewidths=linewidth))
    ax.autoscale_view()
    majority = int(np.sum(unfinished >= 0.5))
    ax.plot([majority], [growth.test.mean(axis=0)[majority]], "|", color=color, markersize=14, markeredgewidth=2)


def draw_noise(growths, pruning_titles, path):
    """Draw Figure 7: distances in rows, prunings in columns; lines at the right: test accuracy of whole trees."""
    plt = import_pyplot()
    figure, axes = plt.subplots(
        len(DISTANCES),
        len(pruning_titles),
        figsize=(13, 2.3 * len(DISTANCES)),
        layout="constrained",
        sharey=True,
        sharex="col",
    )
    for row, (distance, distance_title) in zip(axes, DISTANCES.items(), strict=True):
        for ax, pruning in zip(row, pruning_titles, strict=True):
            for evaluation in EVALUATIONS_UNDER_NOISE:
                growth = growths[distance, evaluation, pruning]
                draw_growth(ax, growth, COLORS[evaluation], 2.0)
                ax.axhline(growth.test[:, -1].mean(), color=COLORS[evaluation], linewidth=0.8, linestyle=":")
            ax.grid(alpha=0.25)
        row[0].set_ylabel(distance_title)
    for ax, title in zip(axes[0], pruning_titles.values(), strict=True):
        ax.set_title(title)
    legend(
        figure, plt, {"test": ("-", 2.0), "train": ("-", 1.0), "test, whole trees": (":", 0.8)}, EVALUATIONS_UNDER_NOISE
    )
    figure.supxlabel("splits")
    figure.supylabel("accuracy")
    save(plt, figure, path)


def draw_glocal(growths, path):
    """Draw Figure 8: one panel for each data set; its axis begins at the accuracy of trees of a few splits."""
    plt = import_pyplot()
    names = list(dict.fromkeys(name for name, _ in growths))
    figure, axes = plt.subplots(1, len(names), figsize=(5.5 * len(names), 4), layout="constrained", squeeze=False)
    for ax, name in zip(axes[0], names, strict=True):
        for evaluation in COLORS:
            draw_growth(ax, growths[name, evaluation], COLORS[evaluation], 1.2 * WIDTHS[evaluation])
        ax.set_ylim(0.88, 1.01)
        ax.set_title(f"Jaccard distance, {name}")
        ax.set_xlabel("splits")
        ax.grid(alpha=0.25)
    axes[0, 0].set_ylabel("accuracy")
    legend(figure, plt, {"test": ("-", 2.0), "train": ("-", 1.0)}, EVALUATIONS)
    save(plt, figure, path)


def save(plt, figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
