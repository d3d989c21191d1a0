"""
How small can a tree without errors be?
=======================================

Greedy growth can make a large tree of a short rule. If two features are only informative together, no single split
gains, and the first split is arbitrary. :func:`pytrees.minimal_tree` finds the smallest tree that makes no error.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import DecisionTreeClassifier, minimal_tree, plot_tree

# %%
# The class is whether exactly one of the first two of five features is above one half. The other three are noise.

rng = np.random.default_rng(1)
X = rng.integers(0, 2, (60, 5)).astype(float)
y = X[:, 0].astype(int) ^ X[:, 1].astype(int)
greedy = DecisionTreeClassifier().fit(X, y)
smallest = minimal_tree(X, y)
print(
    f"greedy: {greedy.get_n_leaves()} leaves; "
    f"smallest: {smallest.tree.n_leaves}, proven: {smallest.is_proven}"
)

# %%
sizes = {}
for n_samples in (10, 15, 20, 30, 45, 60, 90):
    for seed in range(15):
        rng = np.random.default_rng([n_samples, seed])
        X_drawn = rng.integers(0, 2, (n_samples, 5)).astype(float)
        y_drawn = X_drawn[:, 0].astype(int) ^ X_drawn[:, 1].astype(int)
        grown = DecisionTreeClassifier().fit(X_drawn, y_drawn).get_n_leaves()
        sizes.setdefault(n_samples, []).append(
            (grown, minimal_tree(X_drawn, y_drawn).tree.n_leaves)
        )

fig, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
names = [f"x{j}" for j in range(5)]
plot_tree(smallest.tree, feature_names=names, class_names=["no", "yes"], ax=axes[0])
axes[0].set_title("The smallest tree of 60 samples")
means = np.array([np.mean(found, axis=0) for found in sizes.values()])
axes[1].plot(list(sizes), means[:, 0], "s--", label="greedy (Gini)")
axes[1].plot(list(sizes), means[:, 1], "o-", label="smallest")
axes[1].set(
    xlabel="number of samples", ylabel="leaves, mean of 15 sets", ylim=(0, None)
)
axes[1].set_title("Leaves of trees without errors")
axes[1].legend()
fig.suptitle("One of two, but not both: a rule of four leaves")
plt.show()

# %%
# The smallest tree has the four leaves of the rule, or fewer if ten samples do not show all of it. The greedy tree
# often has two to three times as many leaves: its first split is a noise feature that gains a little by chance, while
# the right feature gains nothing.
#
# Do not conclude that this works for any data. The time of the search grows steeply with the size of the smallest
# tree; ``time_limit=`` ends it with the best tree so far and a bound.
