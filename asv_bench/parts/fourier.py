"""The Fourier algebra of trees: spectra, and the same without spectra.

Run as `python -m parts.fourier depth`, it prints what one spectrum takes: its bytes, and how far memory rises.
"""

import json
import subprocess
import sys
from functools import partial
from math import log2
from pathlib import Path
from statistics import median

import numpy as np
from benchmarks.fourier_data import chains, full_trees
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from pytrees import DecisionTreeClassifier, FourierSpectrum, config_context
from pytrees.fourier import gram, ordinal_codes, schema_average, tree_from_ensemble

from .peak import forget_peak, peak
from .timing import Quick, compare, print_ratio, race, report, seconds

MIB = 2**20
# Seconds of the public C++ extraction on 40 binary attributes, by depth; spectra are to be ten times as fast.
PUBLIC = {8: None, 10: 0.47, 12: 9.6}
BINARY = [2] * 40
WIDE = [100] * 40
PLOT = Path(__file__).parents[2] / "docs" / "images" / "energy.svg"


def fourier(plot=False):
    """Measure spectra of one tree; growth of what needs none; forests on Breast Cancer; compiled against the
    reference."""
    for part in (extraction, growth_without_spectra, forests, with_and_without_spectra, engines):
        print(f"{part.__name__.replace('_', ' ')}: {part.__doc__}")
        part()
    if plot:
        draw_energies()
        print(f"drawn: {PLOT}")


# -------------------------------------------------------------------------------------------------------------- spectra


def extraction():
    """Measure full trees on 40 binary attributes, a real number at every leaf; peak memory in a process of its own."""
    for depth, public in PUBLIC.items():
        if Quick.wanted and depth > 10:
            continue
        times, sizes = [], []
        for seed in range(1 if Quick.wanted else 7):
            (tree,), (values,) = full_trees(1, depth, BINARY, seed)
            make = partial(FourierSpectrum.from_tree, tree, BINARY, values=values)
            times.append(seconds(make))
            sizes.append(make().n_coefficients)
        own, above = spectrum_alone(depth)
        line = f"depth {depth:>2} {median(sizes):>11,.0f} coefficients {median(times):9.4f} s"
        line += f"   memory {above / MIB:7.1f} MiB, {above / own:.2f} of the spectrum's own"
        line += "" if above <= 2 * own else " (goal 2: MISSED)"
        if public is not None and not Quick.wanted:
            reached = "reached" if median(times) <= public / 10 else "MISSED"
            line += f"   public C++ {public} s: {public / median(times):.0f}×, goal 10×, {reached}"
        print(line)


def spectrum_alone(depth):
    """Return (bytes of a spectrum, bytes that memory rises by) in a fresh process."""
    command = [sys.executable, "-m", "parts.fourier", str(depth)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return tuple(json.loads(run.stdout))


def main(depth):
    few, values = full_trees(1, 2, BINARY)
    FourierSpectrum.from_tree(few[0], BINARY, values=values[0])
    (tree,), (values,) = full_trees(1, depth, BINARY)
    before = forget_peak()
    spectrum = FourierSpectrum.from_tree(tree, BINARY, values=values)
    print(json.dumps([spectrum.partitions.nbytes + spectrum.coefficients.nbytes, peak() - before]))


# --------------------------------------------------------------------------------------------------------------- growth


def balanced(n_trees=50, depth=5, cardinalities=WIDE):
    return *full_trees(n_trees, depth, cardinalities), cardinalities


def chained(n_trees, length):
    return *chains(n_trees, length, WIDE), WIDE


def halves(cardinalities):
    """Return a schema that leaves every second attribute half of its values."""
    return {m: range(size // 2) for m, size in enumerate(cardinalities) if m % 2 == 0}


def gram_of(trees, values, cardinalities):
    gram(trees, cardinalities, values=values)


def average_of(trees, values, cardinalities):
    schema_average(trees, halves(cardinalities), cardinalities, values=values)


def tree_of(trees, values, cardinalities):
    tree_from_ensemble(trees, cardinalities, values=values, criterion="variance", max_leaf_nodes=32)


AXES = {
    "trees": ([25, 50, 100, 200, 400], lambda n: balanced(n_trees=n), "of 32 leaves"),
    "leaves": ([16, 32, 64, 128, 256], lambda n: balanced(depth=int(log2(n))), "50 balanced trees"),
    "depth": ([8, 16, 32, 64, 128], lambda n: chained(20, n), "20 chains, a leaf at every node"),
    "attributes": ([10, 20, 40, 80, 160], lambda n: balanced(cardinalities=[100] * n), "50 trees of 32 leaves"),
    "values": ([25, 50, 100, 200, 400], lambda n: balanced(cardinalities=[n] * 40), "of 40 attributes, 50 trees"),
}


def growth_without_spectra():
    """Print seconds, and the factor where the size doubles: polynomial, about the number of pairs for inner
    products."""
    calls = {"gram": gram_of, "schema average": average_of, "one tree of 32 leaves": tree_of}
    for axis, (sizes, make, of_what) in AXES.items():
        print(f"  {f'{axis} ({of_what})':<48}" + "".join(f"{name:>24}" for name in calls))
        before = {}
        for size in sizes[:3] if Quick.wanted else sizes:
            arguments = make(size)
            line = f"  {size:>12,}{'':<36}"
            for name, call in calls.items():
                taken = median(seconds(call, *arguments) for _ in range(1 if Quick.wanted else 5))
                factor = f"({taken / before[name]:.1f}×)" if name in before else ""
                line += f"{taken * 1e3:12.4g} ms {factor:>8}"
                before[name] = taken
            print(line)


# -------------------------------------------------------------------------------------------------------------- forests


def forests():
    """Measure scikit-learn's forests on Breast Cancer, and what is made of them."""
    X, y = load_breast_cancer(return_X_y=True)
    for n_trees in (100, 500):
        codes = ordinal_codes(RandomForestClassifier(n_trees, random_state=0).fit(X, y))
        domain = codes.trees, codes.cardinalities
        rows = codes.transform(X)
        under = {"uniform": {}, "empirical": {"measure": "empirical", "X": rows}}
        for measure, options in under.items():
            goal = 0.5 if n_trees == 100 else None
            times = [seconds(partial(gram, *domain, **options)) for _ in range(1 if Quick.wanted else 7)]
            reached = "" if goal is None else f"   goal {goal} s, {'reached' if median(times) <= goal else 'MISSED'}"
            print(f"  {f'Gram matrix of {n_trees} trees, {measure}':<74} {median(times):10.4g} s{reached}")
        for limits in ({"max_leaf_nodes": 32}, {"max_leaf_nodes": 512}, {"max_leaf_nodes": 32, "tol": 0.01}):
            given = ", ".join(f"{name}={limit}" for name, limit in limits.items())
            for measure, options in under.items():
                call = partial(tree_from_ensemble, *domain, **options, **limits)
                report(f"  one tree of {n_trees}, {given}, {measure}", call, lambda rng: (), 3)


# ----------------------------------------------------------------------------------------------------------- two by two


def with_and_without_spectra():
    """Measure the same answers on both ways: 10 trees of depth 6 on 40 binary attributes, and one tree of 32 leaves of
    them."""

    def draw(rng):
        return full_trees(10, 6, BINARY, seed=int(rng.integers(2**31)))

    def inner_of_spectra(trees, values):
        spectra = [FourierSpectrum.from_tree(t, BINARY, values=v) for t, v in zip(trees, values, strict=True)]
        return np.array([[a.inner(b) for b in spectra] for a in spectra])

    def tree_of_spectrum(trees, values):
        spectrum = FourierSpectrum.from_ensemble(trees, BINARY, values=values)
        return spectrum.to_tree(criterion="variance", max_leaf_nodes=32)

    without = {"gram": lambda t, v: gram(t, BINARY, values=v), "tree": lambda t, v: tree_of(t, v, BINARY)}
    for name, spectral in {"gram": inner_of_spectra, "tree": tree_of_spectrum}.items():
        times = race({"without": without[name], "spectra": spectral}, lambda rng: tuple(draw(rng)), 5)
        print_ratio(f"  {name}, without spectra and with", times)


def engines():
    """Compare the compiled engine against the reference, which is far slower: small trees."""

    def on(engine, call):
        def run(*arguments):
            with config_context(engine=engine):
                call(*arguments)

        return run

    few = [100] * 10
    cases = {
        "spectrum, depth 7 on 40 binary attributes": (
            lambda t, v: FourierSpectrum.from_tree(t[0], BINARY, values=v[0]),
            (1, 7, BINARY),
        ),
        "gram, 4 trees of depth 4 on 40 × 100 values": (lambda t, v: gram_of(t, v, WIDE), (4, 4, WIDE)),
        "one tree of 2 of depth 2 on 10 × 100 values": (lambda t, v: tree_of(t, v, few), (2, 2, few)),
    }
    for name, (call, shape) in cases.items():
        contestants = {engine: on(engine, call) for engine in ("compiled", "reference")}
        compare(f"  {name}", contestants, lambda rng, s=shape: tuple(full_trees(*s, seed=int(rng.integers(2**31)))), 3)


# --------------------------------------------------------------------------------------------------------------- figure


def draw_energies():
    """Draw energy by order of two trees on Breast Cancer: of features above their medians, and of their own
    thresholds."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    X, y = load_breast_cancer(return_X_y=True)
    above = np.greater(X, np.median(X, axis=0)).astype(float)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    titles = {"features above their medians": above, "features cut by the tree": X}
    for axes, (title, features) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        codes = ordinal_codes(DecisionTreeClassifier("entropy").fit(features, y))
        tree = codes.trees[0]
        FourierSpectrum.from_tree(tree, codes.cardinalities).plot_energy(axes, tree=tree)
        axes.set_title(f"{title}: {tree.n_leaves} leaves", fontsize="medium")
        axes.set_ylim(1e-8, 1e2)
    # The same trees give the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "energy"}):
        figure.savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    main(int(sys.argv[1]))
