"""Figures 1 to 3 of the ordinal paper: an ordinal problem, impurities of two nodes, gains of two splits of a node."""

import numpy as np

from pytrees.criteria import RankingImpurity, gain, impurity
from pytrees.tour.report import format_table, import_pyplot, write_csv

from .ordinal_paper import CRITERIA

# Figure 1 has five classes in the plane. The paper's points are not published; these follow the rule of the data set
# `toy`: its classes are the intervals, by these bounds, of 10 (x1 - 1/2) (x2 - 1/2).
BOUNDS = (-1.0, -0.1, 0.25, 1.0)
N_POINTS = 400

# Figure 2: ten samples of each of two classes, far and near on the scale.
NODES = {"distant classes": (10, 0, 0, 10), "adjacent classes": (10, 10, 0, 0)}

# Figure 3: ten samples of every class, split against the order of the classes and by it.
SPLITS = {
    "C1 and C4 | C2 and C3": ((10, 0, 0, 10), (0, 10, 10, 0)),
    "C1 and C2 | C3 and C4": ((10, 10, 0, 0), (0, 0, 10, 10)),
}

# Ranking impurity in both forms: its impurities are the same, its gains are not.
MEASURED = {
    **{name: (title, name) for name, title in CRITERIA.items()},
    "ranking_unweighted": ("RI, unweighted", RankingImpurity(weighted=False)),
}

NAMES_OF_IMPURITIES = {"entropy": "H", "wig": "H_w"}


def make_problem():
    """Make the points of Figure 1 in the unit square, and their classes 0 to 4."""
    points = np.random.default_rng(0).uniform(size=(N_POINTS, 2))
    return points, np.digitize(latent(*points.T), BOUNDS)


def latent(x1, x2):
    """Return the number that orders the points of Figure 1."""
    return 10.0 * (x1 - 0.5) * (x2 - 0.5)


def compute_impurities():
    """Compute the numbers of the figures.

    Returns
    -------
    impurities : dict of str to ndarray
        By criterion, for the nodes of Figure 2.
    gains : dict of str to ndarray
        By criterion, for the splits of Figure 3.
    """
    nodes = np.array(list(NODES.values()))
    left, right = np.moveaxis(np.array(list(SPLITS.values())), 1, 0)
    impurities = {name: impurity(name, nodes) for name in CRITERIA}
    return impurities, {name: gain(criterion, left, right) for name, (_, criterion) in MEASURED.items()}


def report_impurities(output):
    """Print and write the numbers of Figures 2 and 3; draw all three figures if matplotlib is installed."""
    impurities, gains = compute_impurities()
    rows = [(NAMES_OF_IMPURITIES.get(name, CRITERIA[name]), *map(_number, found)) for name, found in impurities.items()]
    print("\nFigure 2: impurities of twenty samples of four ordered classes; the less the better\n")
    print(format_table(("", *NODES), rows))
    rows = [(MEASURED[name][0], *map(_number, found)) for name, found in gains.items()]
    print("\nFigure 3: gains of two splits of forty samples; the more the better\n")
    print(format_table(("", *SPLITS), rows))
    written = [
        (figure, name, shown, float(value))
        for figure, found, titles in ((2, impurities, NODES), (3, gains, SPLITS))
        for name, values in found.items()
        for shown, value in zip(titles, values, strict=True)
    ]
    write_csv(output / "ordinal_impurities.csv", ("figure", "criterion", "shown", "value"), written)
    if import_pyplot() is not None:
        draw_impurities(impurities, gains, output / "ordinal_impurities.png")
        draw_problem(output / "ordinal_problem.png")


def draw_problem(path):
    """Draw the points of Figure 1 by class, and the bounds of the classes."""
    plt = import_pyplot()
    points, classes = make_problem()
    figure, ax = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
    colors = plt.get_cmap("RdYlGn")(np.linspace(0.0, 1.0, len(BOUNDS) + 1))
    for code, color in enumerate(colors):
        ax.scatter(*points[classes == code].T, color=color, edgecolor="0.4", linewidth=0.4, s=22, label=f"C{code + 1}")
    x1, x2 = np.meshgrid(*[np.linspace(0.0, 1.0, 201)] * 2)
    ax.contour(x1, x2, latent(x1, x2), levels=BOUNDS, colors="black", linestyles="solid", linewidths=0.8)
    ax.set(xlabel="x1", ylabel="x2", aspect="equal", title="Figure 1: a problem of five ordered classes")
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_impurities(impurities, gains, path):
    """Draw the class counts of both figures, with the numbers of the criteria below them."""
    plt = import_pyplot()
    figure = plt.figure(figsize=(10, 7), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[1, 1.05])
    upper.suptitle("Figure 2: impurities of two nodes; the less the better")
    for ax, (title, counts), numbers in zip(
        upper.subplots(1, 2, sharey=True), NODES.items(), _numbers(impurities, NAMES_OF_IMPURITIES), strict=True
    ):
        _draw_counts(ax, counts, title)
        ax.set_xlabel(numbers)
    lower.suptitle("Figure 3: gains of two splits of one node; the more the better")
    halves = lower.subfigures(1, 2)
    titles = {name: title for name, (title, _) in MEASURED.items()}
    for half, (title, children), numbers in zip(halves, SPLITS.items(), _numbers(gains, titles), strict=True):
        for ax, counts, part in zip(half.subplots(1, 2, sharey=True), children, title.split(" | "), strict=True):
            _draw_counts(ax, counts, part)
        half.supxlabel(numbers, fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _draw_counts(ax, counts, title):
    ax.bar([f"C{q + 1}" for q in range(len(counts))], counts, color=["C0", "C2", "C1", "C3"], width=0.6)
    ax.set_title(title, fontsize="medium")
    ax.set_yticks([0, 5, 10])


def _numbers(found, titles):
    """Return a text of all numbers for every node or split."""
    texts = []
    for place in range(2):
        parts = [f"{titles.get(name, CRITERIA.get(name))} {_number(values[place])}" for name, values in found.items()]
        half = (len(parts) + 1) // 2
        texts.append("\n".join("    ".join(line) for line in (parts[:half], parts[half:])))
    return texts


def _number(value):
    return f"{value:.3f}" if value < 10.0 else f"{value:g}"
