"""Trees and forests of several libraries side by side, printed as a page of the site."""

from datetime import UTC, datetime
from functools import partial
from statistics import median

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier

from pytrees import DecisionForestClassifier, DecisionTreeClassifier, config_context

from .forests import IntelForestClassifier, processor_time
from .machine import machine
from .timing import informative_data, race, rows

try:
    import ydf
except ImportError:
    ydf = None
try:
    import biosphere
except ImportError:
    biosphere = None
try:
    import lightgbm
except ImportError:
    lightgbm = None
try:
    import obliquetree
except ImportError:
    obliquetree = None

OURS, REFERENCE = "pytrees", "reference engine"
N_TREES = 100

TITLE = "# Comparison with other libraries\n"

INTRODUCTION = """
Processor time of one thread, and in brackets how many times as long as pytrees takes: medians of turns on the same
data. Times depend on the machine, ratios less so. This page is printed by
`python asv_bench/ratios.py comparison --page docs/comparison.md`.
"""

NOTES = """
Ten of the twenty features are informative, and there are two classes. Trees grow until their leaves are pure. Trees of
a forest have bootstrap samples, and consider the square root of the features at every split. The whole `fit` or
`predict` is measured. The contestants differ:

- *pytrees* and *scikit-learn* look at every threshold and compare by Gini impurity. Ties go to the first split in
  pytrees, to any split in scikit-learn. The *reference engine* is pytrees in plain Python, to be read and compared
  with.
- *sklearnex* (scikit-learn-intelex) puts the values of a feature into 256 bins: its trees are approximate. It has no
  single trees: a forest of one tree, with all samples and all features, stands for them.
- *YDF* (Yggdrasil Decision Forests) looks at every threshold and compares by information gain. Its times include making
  a data set of the arrays.
- *biosphere*, a library in Rust, looks at every threshold. It fits the classes as numbers, which for two classes is
  Gini impurity, and predicts numbers.
- *LightGBM* puts values into 255 bins and grows the leaf that gains most first, by gradients, in its mode `"rf"`. A
  tree has 63 % of the samples, drawn without replacement.
- *obliquetree* grows trees whose splits combine features, or use one feature, as here.
"""

ELSEWHERE = """
Beyond speed: scikit-learn and YDF also boost trees; YDF serves models in other languages; sklearnex also runs on
Intel's graphics processors. pytrees does none of these. All of them fit numbers, too, as [pytrees
does](guide/regression.md); the table is about classes.
[Performance](performance.md) measures pytrees in more detail.
"""


class NumbersOfClasses:
    """An estimator of biosphere or obliquetree, whose classes are numbers."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator.fit(X, y.astype(np.float64))
        return self

    def predict(self, X):
        return self.estimator.predict(X)


class Learner:
    """A learner of YDF that takes arrays."""

    def __init__(self, name, **parameters):
        self.name, self.parameters = name, parameters

    def fit(self, X, y):
        ydf.verbose(0)
        learner = getattr(ydf, self.name)(label="y", max_depth=-1, min_examples=1, num_threads=1, **self.parameters)
        self.model = learner.train({"x": X, "y": y})
        return self

    def predict(self, X):
        return self.model.predict({"x": X})


class Reference(DecisionTreeClassifier):
    def fit(self, X, y):
        with config_context(engine="reference"):
            return super().fit(X, y)


def trees():
    """Return {name: estimator} of the contestants that are installed."""
    found = {OURS: DecisionTreeClassifier(), "scikit-learn": SklearnTreeClassifier(random_state=0)}
    if IntelForestClassifier is not None:
        found["sklearnex"] = IntelForestClassifier(1, bootstrap=False, max_features=None, n_jobs=1, random_state=0)
    if ydf is not None:
        found["YDF"] = Learner("CartLearner", validation_ratio=0.0)
    if biosphere is not None:
        found["biosphere"] = NumbersOfClasses(biosphere.DecisionTree(max_depth=None, max_features=None))
    if obliquetree is not None:
        found["obliquetree"] = NumbersOfClasses(obliquetree.Classifier(use_oblique=False, random_state=0))
    return found


def forests():
    """Return {name: estimator} of the contestants that are installed."""
    shared = {"n_estimators": N_TREES, "n_jobs": 1, "random_state": 0}
    found = {OURS: DecisionForestClassifier(**shared), "scikit-learn": RandomForestClassifier(**shared)}
    if IntelForestClassifier is not None:
        found["sklearnex"] = IntelForestClassifier(**shared)
    if ydf is not None:
        found["YDF"] = Learner("RandomForestLearner", num_trees=N_TREES, compute_oob_performances=False)
    if biosphere is not None:
        found["biosphere"] = NumbersOfClasses(biosphere.RandomForest(max_depth=None, max_features="sqrt", **shared))
    if lightgbm is not None:
        found["LightGBM"] = lightgbm.LGBMClassifier(
            boosting_type="rf",
            num_leaves=10_000,  # no limit for 10,000 samples
            subsample=0.632,
            subsample_freq=1,
            feature_fraction_bynode=20**-0.5,
            min_child_samples=1,
            min_child_weight=0.0,
            verbose=-1,
            **shared,
        )
    return found


def of_methods(estimators, method):
    return {name: processor_time(getattr(estimator, method)) for name, estimator in estimators.items()}


def measure():
    """Return {work: {contestant: seconds of every turn}}."""
    fits = [(300, {**trees(), REFERENCE: Reference()}, 31), (10_000, trees(), 7), (100_000, trees(), 5)]
    found = {}
    for n, contestants, turns in fits:
        data = partial(informative_data, n)
        found[f"tree, {n:,} × 20"] = race(of_methods(contestants, "fit"), data, turns, returns_time=True)
    contestants, data = forests(), partial(informative_data, 10_000)
    fit = race(of_methods(contestants, "fit"), data, 3, returns_time=True)
    found[f"forest of {N_TREES}, 10,000 × 20"] = fit
    n_seen = rows(10_000)
    X, y = informative_data(30_000, np.random.default_rng(0))
    for contestant in contestants.values():
        contestant.fit(X[:n_seen], y[:n_seen])
    calls = of_methods(contestants, "predict")
    for n, turns in ((1, 101), (20_000, 7)):
        seen = X[n_seen : n_seen + n]
        found[f"its predictions, {n:,} sample{'s' * (n > 1)}"] = race(
            calls, lambda rng, seen=seen: (seen,), turns, returns_time=True
        )
    return found


def in_words(seconds):
    """Return a time with three digits and a unit."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{float(f'{seconds / size:.3g}'):g} {unit}"
    return f"{float(f'{seconds * 1e6:.3g}'):g} µs"


def ratio(times, name):
    """Return the median of the paired ratios of a contestant's time and ours."""
    return median(theirs / ours for theirs, ours in zip(times[name], times[OURS], strict=True))


def times_ours(times, name):
    """Return how many times as long as ours a contestant takes, with two digits or more."""
    factor = ratio(times, name)
    return f"{factor:,.{0 if factor >= 10 else 1 if factor >= 1 else 2}f}×"


def table(found):
    """Return the lines of a table: medians of every contestant, and how many times as long as ours."""
    names = list(dict.fromkeys(name for times in found.values() for name in times))
    names.sort(key=REFERENCE.__eq__)  # the last
    lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for work, times in found.items():
        cells = {name: in_words(median(times[name])) for name in times}
        cells |= {name: f"{cells[name]} ({times_ours(times, name)})" for name in times if name != OURS}
        lines.append(f"| {work} | {' | '.join(cells.get(name, '–') for name in names)} |")
    return lines


def lead(found):
    """Return the sentence that opens the page: how many times as fast as scikit-learn."""
    tree, forest = (f"{ratio(found[work], 'scikit-learn'):.0f}" for work in DRAWN)
    return (
        f"pytrees grows a tree of 100,000 samples {tree} times as fast as scikit-learn, "
        f"and a forest of {N_TREES} trees {forest} times."
    )


def ahead(found):
    """Return a sentence that names the cases in which others take less time."""
    cases = [
        f"{name} in “{work}” ({times_ours(times, name)})"
        for work, times in found.items()
        for name in times
        if name != OURS and ratio(times, name) < 1
    ]
    return f"Others are ahead here: {'; '.join(cases)}." if cases else "In this table no other library is ahead."


def comparison(page=None):
    """Compare with other libraries that are installed: processor time of one thread. Some minutes."""
    names = ("numpy", "scikit-learn", "scikit-learn-intelex", "ydf", "biosphere", "lightgbm", "obliquetree")
    measured_on = machine(names)  # before the measurement, for the load
    found = measure()
    optional = {
        "sklearnex": IntelForestClassifier,
        "YDF": ydf,
        "biosphere": biosphere,
        "LightGBM": lightgbm,
        "obliquetree": obliquetree,
    }
    absent = [name for name, there in optional.items() if there is None]
    lines = [TITLE, lead(found), INTRODUCTION, *table(found), "", ahead(found), NOTES, "Measured on", ""]
    lines += [f"- {datetime.now(UTC):%Y-%m-%d}", *(f"- {line}" for line in measured_on)]
    lines += [f"- not installed: {', '.join(absent)}"] if absent else []
    text = "\n".join([*lines, ELSEWHERE])
    print(text)
    if page is not None:
        page.write_text(text)
        draw(page)


# The rows of the table that the figure shows, and the contestants.
DRAWN = {"tree, 100,000 × 20": "tree", f"forest of {N_TREES}, 10,000 × 20": f"forest of {N_TREES}"}
SHOWN = (OURS, "sklearnex", "YDF", "scikit-learn")
COLOURS = ("#0b6e4f", "#9aa5b1", "#9aa5b1", "#9aa5b1")


def in_seconds(cell):
    """Return the seconds that a cell of the table tells."""
    number, unit = cell.split()[:2]
    return float(number) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]


def draw(page):
    """Draw bars of what a page's table says, beside the page's images."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.read_text().splitlines() if "|" in line
    ]
    names, cells = rows[0], {row[0]: row for row in rows}
    figure = Figure(figsize=(7.2, 1.9), layout="constrained")
    axes = figure.subplots(1, len(DRAWN))
    for ax, (work, title) in zip(axes, DRAWN.items(), strict=True):
        seconds = [in_seconds(cells[work][names.index(name)]) for name in SHOWN]
        bars = ax.barh(SHOWN, seconds, color=COLOURS)
        said = [f" {cells[work][names.index(name)]}" for name in SHOWN]
        ax.bar_label(bars, said, fontsize=8)
        ax.set(title=f"{title}, {work.split(', ', 1)[1]}", xlim=(0, 1.35 * max(seconds)), xticks=[])
        ax.title.set_size(9)
        ax.tick_params(length=0, labelsize=9)
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)
    # The same page gives the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "speed"}):
        figure.savefig(page.parent / "images" / "speed.svg", metadata={"Date": None})
