"""
How much of a forest can two trees keep?
========================================

:func:`pytrees.fourier.distil` turns a forest, or any sum of trees, into a few orthogonal ones, and says exactly how
much of the forest's variance they keep.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from pytrees.fourier import distil

data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, stratify=data.target, random_state=0
)
forest = RandomForestClassifier(random_state=0).fit(X_train, y_train)
few = distil(forest, X_train, n_trees=2, max_leaf_nodes=6, measure="joint")
print(few)

# %%
# Two trees of six leaves. A leaf shows how much it adds to the probability of a benign tumour, and its share of the
# samples.

fig, axes = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
few.plot(axes, feature_names=data.feature_names)
fig.suptitle("A forest of 100 trees in two orthogonal trees")
plt.show()

# %%
# The share of the variance that is kept, and the accuracy, by the number of trees and leaves:

leaves = (2, 4, 8, 16, 32)
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for n_trees, style in ((1, "o-"), (2, "s--"), (4, "^:")):
    models = [
        distil(forest, X_train, n_trees=n_trees, max_leaf_nodes=n, measure="joint")
        for n in leaves
    ]
    label = f"{n_trees} tree" + "s" * (n_trees > 1)
    axes[0].plot(
        leaves,
        [model.explained_variance_ratio.sum() for model in models],
        style,
        label=label,
    )
    axes[1].plot(
        leaves,
        [np.mean((model.evaluate(X_test)[:, 0] > 0.5) == y_test) for model in models],
        style,
    )
axes[1].axhline(forest.score(X_test, y_test), color="0.5", label="the forest")
for ax, title in zip(
    axes, ("Variance that is kept", "Accuracy on test samples"), strict=True
):
    ax.set(xscale="log", xlabel="leaves of a tree")
    ax.set_xticks(leaves, leaves)
    ax.minorticks_off()
    ax.set_title(title)
    ax.legend()
fig.suptitle("The part of a forest that few trees keep")
plt.show()

# %%
# One tree of eight leaves keeps most of the variance, and more leaves keep nearly all of it on the training samples.
#
# Do not conclude that accuracy follows variance, or that these trees are more accurate than grown ones. Accuracy
# moves up and down by single test samples, 143 in all, and the forest remains ahead. In :doc:`/choose`, grown trees
# with the same number of leaves are just as accurate. Distilled trees show the forest's own function, and say how
# much they leave out.
