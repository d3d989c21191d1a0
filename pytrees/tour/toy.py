"""Tables 1 and 3 of the permutation paper, and the five trees of its toy example (Figures 3 to 7)."""

import numpy as np

from ..datasets import load_toy_permutations
from ..plotting import plot_tree
from ..sequence import effort_to_compress
from ..trees import PermutationDecisionTreeClassifier
from .report import format_table, import_pyplot

# Harikrishnan and Nagaraj, arXiv:2306.02617: the sequences of Table 1 with their structural impurity, and the example
# of Section 2.
TABLE_1 = {"111111": 0, "121212": 1, "222111": 5, "122112": 4, "211122": 5, "00011": 4}

# Table 3: structural impurity of the five permutations.
TABLE_3 = {"A": 7, "B": 8, "C": 9, "D": 9, "E": 8}

# Section 3.1: how many of the 14 patients need the molecular test under permutations B and D.
PATIENTS_TESTED = {"B": 14, "D": 4}


def run_toy(output):
    """Print the tables, ours beside the paper's, and draw the trees into ``output / "toy_trees.png"``.

    Returns
    -------
    bool
        Whether all figures are the paper's and the five trees all differ.
    """
    rows = [(sequence, paper, effort_to_compress(sequence)) for sequence, paper in TABLE_1.items()]
    agrees = all(paper == ours for _, paper, ours in rows)
    print("Effort-To-Compress of the sequences of Table 1 and Section 2\n")
    print(format_table(("sequence", "paper", "ours"), rows))

    toy = load_toy_permutations()
    trees, rows = {}, []
    for name, order in toy.permutations.items():
        labels = toy.target[order]
        trees[name] = PermutationDecisionTreeClassifier().fit(toy.data[order], labels)
        etc, tested = effort_to_compress(labels), int(trees[name].feature_usage(toy.data)[1])
        rows.append((name, TABLE_3[name], etc, PATIENTS_TESTED.get(name, ""), tested, trees[name].get_n_leaves()))
        agrees &= etc == TABLE_3[name] and PATIENTS_TESTED.get(name, tested) == tested
    n_different = len({fitted.tree_ for fitted in trees.values()})
    print("\nTable 3, and how many of the 14 patients need the second test (f1)\n")
    print(format_table(("permutation", "ETC, paper", "ETC, ours", "tested, paper", "tested, ours", "leaves"), rows))
    print(f"\n{n_different} of the {len(trees)} trees are different.")
    draw_toy_trees(toy, trees, output)
    return agrees and n_different == len(trees)


def draw_toy_trees(toy, trees, output):
    """Draw the patients in the plane of the two features, and the five trees, in one picture."""
    plt = import_pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(2, 3, figsize=(13, 8), layout="constrained")
    patients = axes.flat[0]
    for label, marker in ((1, "x"), (2, "o")):
        shown = toy.data[toy.target == label]
        patients.scatter(shown[:, 0], shown[:, 1], marker=marker, label=f"class {label}")
    patients.set(xlabel="f0: symptoms", ylabel="f1: molecular test", title="The 14 patients")
    patients.set_xticks(np.arange(1, 6))
    patients.set_yticks(np.arange(1, 5))
    patients.legend()
    for ax, (name, fitted) in zip(axes.flat[1:], trees.items(), strict=True):
        plot_tree(fitted, feature_names=toy.feature_names, ax=ax, fontsize=9)
        tested = fitted.feature_usage(toy.data)[1]
        ax.set_title(f"Permutation {name}: {tested} of 14 need the test f1")
    output.mkdir(parents=True, exist_ok=True)
    path = output / "toy_trees.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"The trees are drawn in {path}.")
