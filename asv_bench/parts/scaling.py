"""Growth of the time of a fit with samples, features and classes."""

from functools import partial
from math import log2
from pathlib import Path
from statistics import median

from pytrees import DecisionTreeClassifier

from .timing import informative_data, race, rows

TREES = {
    "Gini": DecisionTreeClassifier(),
    "entropy": DecisionTreeClassifier("entropy"),
    "Gini, two threads": DecisionTreeClassifier(n_jobs=2),
}
ROWS = [round(10 ** (k / 2)) for k in range(6, 13)]
FEATURES = [5, 10, 20, 40, 80, 160]
CLASSES = [2, 4, 8, 16, 32, 64, 100]
PLOT = Path(__file__).parents[2] / "docs" / "images" / "growth.svg"


def scaling(plot=False):
    """Fit time of ours over rows, features and classes: seconds, the factor per step, and ns / (n d log2 n)."""
    print(" " * 26 + "".join(f"{name:<41}" for name in TREES).rstrip())
    over_rows = []
    for n in ROWS:
        over_rows.append(_fit_seconds(n, 20, 2, repetitions=min(25, max(3, 10**6 // n))))
        _print_step(f"{rows(n):,} rows × 20", over_rows, rows(n) * 20 * log2(rows(n)))
    over_features = []
    for d in FEATURES:
        over_features.append(_fit_seconds(20_000, d, 2, repetitions=7))
        _print_step(f"{rows(20_000):,} rows × {d}", over_features, rows(20_000) * d * log2(rows(20_000)))
    over_classes = []
    for n_classes in CLASSES:
        over_classes.append(_fit_seconds(50_000, 20, n_classes, repetitions=3))
        _print_step(f"{rows(50_000):,} × 20, {n_classes} classes", over_classes, rows(50_000) * 20 * log2(rows(50_000)))
    if plot:
        _draw([rows(n) for n in ROWS], over_rows)
        print(f"drawn: {PLOT}")


def _fit_seconds(n, n_features, n_classes, repetitions):
    contestants = {name: tree.fit for name, tree in TREES.items()}
    data = partial(informative_data, n, n_features=n_features, n_classes=n_classes)
    return {name: median(times) for name, times in race(contestants, data, repetitions).items()}


def _print_step(title, measured, work):
    line = f"{title:<26}"
    for name in TREES:
        time = measured[-1][name]
        factor = f"({time / measured[-2][name]:.2f}×)" if len(measured) > 1 else ""
        line += f"{time:10.4g} s {factor:<9}{time / work * 1e9:8.3f} ns       "
    print(line.rstrip())


def _draw(sizes, measured):
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    for name, marker in zip(TREES, "os^", strict=True):
        axes.loglog(sizes, [times[name] for times in measured], marker=marker, label=name)
    scale = measured[-1]["Gini"] / (sizes[-1] * log2(sizes[-1]))
    axes.loglog(sizes, [scale * n * log2(n) for n in sizes], "--", color="grey", label="n log n")
    axes.set_xlabel("rows")
    axes.set_ylabel("seconds")
    axes.set_title("Fit without limits, 20 features, 2 classes")
    axes.grid(alpha=0.3)
    axes.legend()
    # The same measurements give the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "growth"}):
        figure.savefig(PLOT, metadata={"Date": None})
