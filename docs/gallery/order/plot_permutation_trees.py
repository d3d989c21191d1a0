"""
Which trees do other orders of the same patients give?
======================================================

A permutation tree judges a split by how hard the sequence of the labels is to compress. The order in which samples
arrive therefore decides which tree grows. Here fourteen patients arrive in five orders.
"""

import matplotlib.pyplot as plt

from pytrees import PermutationDecisionTreeClassifier, plot_tree
from pytrees.datasets import load_toy_permutations

toy = load_toy_permutations()
trees = {}
for name, rows in toy.permutations.items():
    trees[name] = PermutationDecisionTreeClassifier().fit(
        toy.data[rows], toy.target[rows]
    )
for name, tree in trees.items():
    print(
        f"{name}: {tree.get_n_leaves()} leaves; "
        f"patients that take each test: {tree.feature_usage(toy.data)}"
    )

# %%
# All trees are right about all patients. They differ in their tests: the second feature stands for a molecular test,
# which costs more than a look at the symptoms. Here are two of the trees:

fig, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for ax, name in zip(axes, "BD", strict=True):
    plot_tree(
        trees[name],
        feature_names=["symptoms", "molecular test"],
        class_names=["quarantine", "free"],
        ax=ax,
    )
    tested = trees[name].feature_usage(toy.data)[1]
    ax.set_title(f"order {name}: {tested} of 14 patients need the molecular test")
fig.suptitle("Two orders of the same patients, two trees")
plt.show()

# %%
# Someone who knows the costs of the tests can choose among trees that are equally right. ``distinct_trees`` lists the
# trees of a forest of permuted samples, and how often each grew.
#
# Do not conclude that one of the orders is the true one, or that the cheaper tree will be as right about new
# patients. Fourteen samples cannot tell.
