"""
A feature with many categories: one child each, or two sets?
============================================================

A category can be split into one child for every value, into two sets of values, or by a threshold on arbitrary codes.
With many values the first way makes leaves of few samples. The second way keeps them together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from pytrees import DecisionTreeClassifier

# %%
# Every sample has a category, such as a shop, a number that matters, and two numbers that do not. Half of the
# categories, in no order, raise the probability of class 1.


def make_shops(n_categories, n_samples=600, seed=0):
    """Make samples of n_categories shops."""
    rng = np.random.default_rng([n_categories, seed])
    good = rng.permutation(n_categories) < n_categories / 2
    shop = rng.integers(0, n_categories, n_samples)
    numbers = rng.normal(size=(n_samples, 3))
    score = (
        np.where(good[shop], 1.0, -1.0)
        + 0.7 * numbers[:, 0]
        + 0.5 * rng.normal(size=n_samples)
    )
    return np.column_stack([shop, numbers]), (score > 0).astype(int)


limits = {"max_leaf_nodes": 60, "min_samples_leaf": 2}
nominal = {"categorical_features": [0], "handle_unknown": "majority", **limits}
trees = {
    "two sets of values": DecisionTreeClassifier(**nominal),
    "one child for every value": DecisionTreeClassifier(
        categorical_split="multiway", **nominal
    ),
    "thresholds on the codes": DecisionTreeClassifier(**limits),
}
numbers_of_shops = (2, 4, 8, 16, 32, 50)
accuracy = {name: [] for name in trees}
for n_categories in numbers_of_shops:
    sets = [make_shops(n_categories, seed=seed) for seed in range(5)]
    for name, tree in trees.items():
        accuracy[name].append(
            np.mean([cross_val_score(tree, X, y, cv=5).mean() for X, y in sets])
        )

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for (name, scores), style in zip(accuracy.items(), ("o-", "s--", "^:"), strict=True):
    ax.plot(numbers_of_shops, scores, style, label=name)
ax.set(xscale="log", xlabel="number of categories", ylabel="accuracy, cross-validated")
ax.set_xticks(numbers_of_shops, numbers_of_shops)
ax.minorticks_off()
ax.set_title("With many categories, thresholds on codes lose accuracy")
ax.legend()
plt.show()

# %%
# With few categories all three are alike. With many, thresholds on codes need a leaf for every run of good shops, and
# run out of leaves. One child for every value and two sets of values stay level here.
#
# Do not conclude that codes never work. If the categories have an order, as sizes have, thresholds are the better
# split. And the two sets of values are the best on the training samples only: with a few samples in each category they
# divide by luck, so ``min_samples_leaf`` matters more than with numbers. With more than two classes and more than
# twelve categories in a node, a heuristic finds the sets.
