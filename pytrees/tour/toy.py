"""Tables 1 and 3 of the permutation paper, and the five trees of its toy example (Figures 3 to 7)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import entropy

from ..datasets import load_toy_permutations
from ..plotting import plot_tree
from ..sequence import effort_to_compress, lempel_ziv_complexity
from ..trees import PermutationDecisionTreeClassifier
from .report import format_table, import_pyplot

if TYPE_CHECKING:
    from sklearn.utils import Bunch

# Harikrishnan and Nagaraj, arXiv:2306.02617: the sequences of Table 1 with their structural impurity, and the example
# of Section 2.
TABLE_1 = {"111111": 0, "121212": 1, "222111": 5, "122112": 4, "211122": 5, "00011": 4}

# Shannon entropy (bits) and Gini impurity of the sequences of Table 1, which has none for the example.
COUNT_IMPURITIES_1 = {"111111": (0.0, 0.0)} | dict.fromkeys(("121212", "222111", "122112", "211122"), (1.0, 0.5))

# Table 3: structural impurity of the five permutations, and the entropy and Gini impurity that they share.
TABLE_3 = {"A": 7, "B": 8, "C": 9, "D": 9, "E": 8}
COUNT_IMPURITIES_3 = (0.985, 0.490)

# Section 3.1: the numbers of the 14 patients that need the molecular test under permutations B and D.
PATIENTS_TESTED = {"B": 14, "D": 4}


def run_toy(output: Path) -> bool:
    """Print our tables next to the paper's, and draw the trees into ``output / "toy_trees.png"``.

    Return whether all figures are the paper's, and the five trees all differ.
    """
    print("Impurities of the sequences of Table 1 and of the example of Section 2\n")
    table_1 = {sequence: (sequence, etc, COUNT_IMPURITIES_1.get(sequence)) for sequence, etc in TABLE_1.items()}
    agrees = print_impurities("sequence", table_1)

    toy = load_toy_permutations()
    print("\nTable 3: impurities of the labels of the toy set in five orders\n")
    agrees &= print_impurities(
        "permutation",
        {name: (toy.target[order], TABLE_3[name], COUNT_IMPURITIES_3) for name, order in toy.permutations.items()},
    )
    trees, rows = {}, []
    for name, order in toy.permutations.items():
        labels = toy.target[order]
        trees[name] = PermutationDecisionTreeClassifier().fit(toy.data[order], labels)
        tested = int(trees[name].feature_usage(toy.data)[1])
        rows.append((name, PATIENTS_TESTED.get(name, ""), tested, trees[name].get_n_leaves()))
        agrees &= PATIENTS_TESTED.get(name, tested) == tested
    n_different = len({fitted.tree_ for fitted in trees.values()})
    print("\nThe five trees, and how many of the 14 patients need the second test (f1)\n")
    print(format_table(("permutation", "tested, paper", "tested, ours", "leaves"), rows))
    print(f"\n{n_different} of the {len(trees)} trees are different.")
    draw_toy_trees(toy, trees, output)
    return agrees and n_different == len(trees)


def print_impurities(first: str, sequences: dict[str, tuple[Any, ...]]) -> bool:
    """Print the impurities of sequences next to the paper's, and return whether they agree to the paper's digits.

    `first` is the header of the first column. `sequences` has by name the sequence, and its Effort-To-Compress, entropy
    and Gini impurity in the paper, the last two perhaps None.
    """
    rows, agrees = [], True
    for name, (sequence, etc_of_paper, counts_of_paper) in sequences.items():
        etc, counts = effort_to_compress(sequence), count_impurities(sequence)
        agrees &= etc == etc_of_paper and counts_of_paper in (None, tuple(round(value, 3) for value in counts))
        of_counts = [
            cell
            for paper, ours in zip(counts_of_paper or (None, None), counts, strict=True)
            for cell in ("" if paper is None else f"{paper:.3f}", f"{ours:.3f}")
        ]
        rows.append((name, etc_of_paper, etc, *of_counts, lempel_ziv_complexity(sequence)))
    columns = [f"{measure}, {whose}" for measure in ("ETC", "entropy", "Gini") for whose in ("paper", "ours")]
    print(format_table((first, *columns, "Lempel-Ziv"), rows))
    return agrees


def count_impurities(sequence: Iterable[Any]) -> tuple[float, float]:
    """Return Shannon entropy (bits) and Gini impurity."""
    _, counts = np.unique(list(sequence), return_counts=True)
    shares = counts / counts.sum()
    return float(entropy(shares, base=2)), float(1.0 - np.sum(shares**2))


def draw_toy_trees(toy: Bunch, trees: dict[str, PermutationDecisionTreeClassifier], output: Path) -> None:
    """Draw the patients in the plane of the two features, and the five trees, in one picture."""
    plt = import_pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(2, 3, figsize=(12, 8), layout="constrained")
    patients = axes.flat[0]
    for label, marker, what in ((1, "x", "class 1: quarantine"), (2, "o", "class 2: free")):
        shown = toy.data[toy.target == label]
        patients.scatter(shown[:, 0], shown[:, 1], marker=marker, label=what)
    patients.set(xlabel="f0: symptoms", ylabel="f1: molecular test", title="The 14 patients")
    patients.set_xticks(np.arange(1, 6))
    patients.set_yticks(np.arange(1, 5))
    patients.set_ylim(0.5, 5.5)
    patients.legend(loc="upper center")
    for ax, (name, fitted) in zip(axes.flat[1:], trees.items(), strict=True):
        plot_tree(fitted, feature_names=toy.feature_names, ax=ax, fontsize=9)
        tested = fitted.feature_usage(toy.data)[1]
        ax.set_title(f"Order {name}: {tested} of 14 need f1")
    output.mkdir(parents=True, exist_ok=True)
    path = output / "toy_trees.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"The trees are drawn in {path}.")
