"""Grow C4.5 trees with Weka's J48 and with `C45Classifier`, and compare them node by node.

    python tools/compare_j48.py --weka .../weka/lib

Needs Java with its compiler, and the folder of weka.jar: the installed package python-weka-wrapper3 has it, and so has
its source distribution (``pip download --no-deps --no-binary :all: python-weka-wrapper3``). The data sets are those of
the folder of the tables: all that have classes, and the ordinal paper's, whole and as samples of their
rows. Prints how many trees are equal under which settings, and where the others differ first.

Nodes are equal where they split by the same feature, into the same children, at the same place, and have the same class
weights to 1e-6. J48 puts a threshold on the greatest training value below ours, and so ours is moved there.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from pytrees import C45Classifier
from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.datasets import get_data_home, load, load_ordinal, names, ordinal_names

# The settings of J48, and of ours that mean the same.
SETTINGS = {
    "as they are": ("", {}),
    "no raising": ("-S", {"subtree_raising": False}),
    "not pruned": ("-U", {"confidence": None}),
    "confidence 0.05": ("-C 0.05", {"confidence": 0.05}),
    "leaves of 10": ("-M 10", {"min_samples_leaf": 10}),
    "leaves of 1, not pruned": ("-M 1 -U", {"min_samples_leaf": 1, "confidence": None}),
}

# Samples have no weights; whole weights on both sides; or weights for us and repeated rows for J48.
WEIGHTS = ("none", "weighted", "repeated for J48")

# Larger data sets are compared whole only.
MOST_ROWS_TO_SAMPLE = 3000

CLOSE = 1e-6


class J48:
    """Weka's J48 in a process of Java.

    Parameters
    ----------
    folder : path-like
        Where weka.jar is; all other jars there are given to Java too.
    """

    def __init__(self, folder):
        jars = os.pathsep.join(map(str, sorted(Path(folder).glob("*.jar"))))
        program = Path(__file__).with_name("PrintJ48.java")
        command = ["java", "-cp", jars, str(program)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def grow(self, arff, options):
        """Return the nodes of a tree in preorder: lists of the feature, the threshold and the class weights."""
        self._process.stdin.write(f"{arff}\t{options}\n")
        self._process.stdin.flush()
        nodes = []
        for line in iter(self._process.stdout.readline, "\n"):
            if not line:
                raise RuntimeError(f"J48 ended at {arff} with {options!r}.")
            nodes.append([float(number) for number in line.split()])
        return nodes

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()


def find_weka():
    """Return the folder of the installed package's weka.jar, or None."""
    found = importlib.util.find_spec("weka")
    folders = [Path(place) / "lib" for place in found.submodule_search_locations] if found else []
    return next((folder for folder in folders if (folder / "weka.jar").exists()), None)


def is_runnable(folder):
    """Whether weka.jar is in the folder, and there is Java with a compiler; says what is missing."""
    if folder is None or not (Path(folder) / "weka.jar").exists():
        print("No weka.jar: name its folder by --weka, or install python-weka-wrapper3.", file=sys.stderr)
    elif not (shutil.which("java") and shutil.which("javac")):
        print("No Java with its compiler: install a JDK.", file=sys.stderr)
    else:
        return True
    return False


def write_arff(path, X, codes, n_classes, is_categorical, weights):
    """Write samples as Weka reads them: categories and classes by their codes, NaN as missing."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("@relation samples\n")
        for m in range(X.shape[1]):
            known = X[~np.isnan(X[:, m]), m]
            n_codes = int(known.max(initial=0)) + 1
            kind = "{" + ",".join(map(str, range(n_codes))) + "}" if is_categorical[m] else "numeric"
            file.write(f"@attribute x{m} {kind}\n")
        file.write("@attribute class {" + ",".join(f"c{code}" for code in range(n_classes)) + "}\n@data\n")
        for row, code, weight in zip(X, codes, weights, strict=True):
            cells = [
                "?" if np.isnan(value) else str(int(value)) if categorical else repr(float(value))
                for value, categorical in zip(row, is_categorical, strict=True)
            ]
            file.write(",".join([*cells, f"c{code}"]) + (f",{{{weight}}}\n" if weight != 1 else "\n"))


def first_difference(nodes, tree, X):
    """Return what differs first between J48's nodes and a tree, in preorder, or None."""
    theirs = iter(nodes)
    for node in range(tree.node_count):
        other = next((found for found in theirs if found[0] != -2), None)  # J48 has children without samples
        feature = int(tree.feature[node]) if tree.children_left[node] != LEAF else -1
        if other is None:
            return "size"
        if feature != int(other[0]):
            return "a leaf" if -1 in (feature, int(other[0])) else "feature"
        if feature >= 0 and tree.children_left[node] != MULTIWAY:
            below = X[X[:, feature] <= tree.threshold[node], feature].max()
            if below != other[1]:
                return "threshold"
        if not np.allclose(tree.value[node], other[2:], rtol=0.0, atol=CLOSE * max(1.0, tree.value[node].max())):
            return "class weights"
    return None if next((found for found in theirs if found[0] != -2), None) is None else "size"


def data_sets():
    """Yield names, X with codes of categories, codes of classes, and which features are categorical."""
    for name in names():
        if name in names(task="regression"):
            continue
        bunch = load(name)
        yield name, *_coded(np.asarray(bunch.data, dtype=np.float64), bunch.target, np.asarray(bunch.categorical))
    for name in ordinal_names():
        bunch = load_ordinal(name)
        X = np.asarray(bunch.data, dtype=np.float64)
        yield f"{name} (ordinal)", *_coded(X, bunch.target, np.zeros(X.shape[1], dtype=bool))


def _coded(X, y, is_categorical):
    X = X.copy()
    for m in np.flatnonzero(is_categorical):
        known = ~np.isnan(X[:, m])
        X[known, m] = np.unique(X[known, m], return_inverse=True)[1]
    return X, np.unique(y, return_inverse=True)[1], is_categorical


def ranked(X):
    """Replace values by their ranks, 0, 1, ...; equal values have one rank, missing values none."""
    ranks = np.full(X.shape, np.nan)
    for m in range(X.shape[1]):
        known = ~np.isnan(X[:, m])
        ranks[known, m] = np.unique(X[known, m], return_inverse=True)[1]
    return ranks


def samples_of(n_rows, n_samples):
    """Yield all rows, and samples of two thirds of them in the order of the rows."""
    yield np.arange(n_rows)
    for seed in range(n_samples if n_rows <= MOST_ROWS_TO_SAMPLE else 0):
        yield np.sort(np.random.default_rng(seed).permutation(n_rows)[: 2 * n_rows // 3])


def compare(j48, X, codes, is_categorical, options, parameters, weights, repeat, folder):
    """Return what differs first between J48's tree and ours of the same samples, or None."""
    classes, codes = np.unique(codes, return_inverse=True)
    X = _coded(X, codes, is_categorical)[0]
    rows = np.repeat(np.arange(len(X)), weights) if repeat else np.arange(len(X))
    path = folder / "samples.arff"
    their_weights = np.ones_like(rows) if repeat else weights
    write_arff(path, X[rows], codes[rows], len(classes), is_categorical, their_weights)
    nodes = j48.grow(path, options)
    categorical = is_categorical if is_categorical.any() else None
    fitted = C45Classifier(categorical_features=categorical, **parameters).fit(X, codes, sample_weight=weights)
    return first_difference(nodes, fitted.tree_, X)


def run(folder, n_samples, only, by_ranks):
    """Compare all data sets and print the results; values are replaced by ranks, which J48 can always tell apart."""
    j48, equal, all_of, differ = J48(folder), Counter(), Counter(), defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for name, X, codes, is_categorical in data_sets():
            if only and name not in only:
                continue
            X = ranked(X) if by_ranks else X
            for place, rows in enumerate(samples_of(len(X), n_samples)):
                for setting, (options, parameters) in SETTINGS.items():
                    for kind in WEIGHTS:
                        drawn = np.random.default_rng(place).integers(1, 4, len(rows))
                        weights = np.ones(len(rows), dtype=int) if kind == "none" else drawn
                        found = compare(
                            j48,
                            X[rows],
                            codes[rows],
                            is_categorical,
                            options,
                            parameters,
                            weights,
                            kind.startswith("repeated"),
                            Path(scratch),
                        )
                        all_of[setting, kind] += 1
                        equal[setting, kind] += found is None
                        if found is not None:
                            sample = "all rows" if place == 0 else f"sample {place}"
                            differ[kind].append(f"{name}, {sample}, {setting}: {found}")
            print(f"{name}: {sum(equal.values())} of {sum(all_of.values())}", file=sys.stderr, flush=True)
    j48.close()
    report(equal, all_of, differ)


def report(equal, all_of, differ):
    """Print the table of settings, and the differences."""
    print(f"| settings of J48 | {' | '.join(WEIGHTS)} |\n|---|{'---|' * len(WEIGHTS)}")
    for setting, (options, _) in SETTINGS.items():
        cells = [f"{equal[setting, kind]} of {all_of[setting, kind]}" for kind in WEIGHTS]
        print(f"| {setting} `{options}` | {' | '.join(cells)} |")
    for kind, lines in differ.items():
        print(f"\n{kind}: {len(lines)} differ")
        print("\n".join(f"- {line}" for line in lines))


def main(arguments=None):
    """Run the program; return 2 if Weka cannot be run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weka", type=Path, default=find_weka(), help="the folder of weka.jar")
    parser.add_argument("--samples", type=int, default=3, help="samples of every data set (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these data sets alone")
    parser.add_argument("--ranks", action="store_true", help="ranks for values, which J48 tells apart from 1e-5 on")
    options = parser.parse_args(arguments)
    if not is_runnable(options.weka):
        return 2
    if get_data_home() is None:
        parser.error("PYTREES_DATA must name the folder of the data sets.")
    run(options.weka, options.samples, options.only, options.ranks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
