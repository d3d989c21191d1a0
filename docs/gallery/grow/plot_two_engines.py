"""
Is the fast tree the right one?
===============================

Every tree here grows on two engines: a compiled one, and a reference in plain Python that follows the definitions.
Their trees must be equal in every number. You can check this with your own data.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from pytrees import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    PermutationDecisionTreeClassifier,
    config_context,
)

X, y = load_iris(return_X_y=True)
trees = {
    "CART": DecisionTreeClassifier(),
    "ordinal Gini": DecisionTreeClassifier("ogini"),
    "permutation": PermutationDecisionTreeClassifier(),
    "C4.5": C45Classifier(),
    "global ID3": ID3Classifier(evaluation="global"),
}
seconds = {}
for name, tree in trees.items():
    grown = {}
    for engine in ("compiled", "reference"):
        with config_context(engine=engine):
            for _ in range(4):  # the fastest of four counts
                started = time.perf_counter()
                grown[engine] = tree.fit(X, y).tree_
                taken = time.perf_counter() - started
                seconds[name, engine] = min(taken, seconds.get((name, engine), taken))
    print(f"{name:13} equal: {grown['compiled'] == grown['reference']}")

# %%
# Equal means that all arrays are equal bit by bit. Does the order of the rows, or a seed, change the tree? We compare
# with scikit-learn's tree, which takes one of several equally good splits at random.

ours, theirs = set(), set()
for seed in range(20):
    rows = np.random.default_rng(seed).permutation(len(y))
    ours.add(
        DecisionTreeClassifier(random_state=seed)
        .fit(X[rows], y[rows])
        .tree_.threshold.tobytes()
    )
    theirs.add(
        SklearnTree(random_state=seed).fit(X[rows], y[rows]).tree_.threshold.tobytes()
    )
print(f"20 seeds and orders of the rows: {len(ours)} tree here, {len(theirs)} there")

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
positions = np.arange(len(trees))
for shift, engine in ((-0.2, "compiled"), (0.2, "reference")):
    ax.bar(
        positions + shift,
        [1000 * seconds[name, engine] for name in trees],
        width=0.38,
        label=engine,
    )
ax.set(yscale="log", ylabel="milliseconds of a fit", ylim=(None, 1000))
ax.set_xticks(positions, list(trees))
ax.set_title("Equal trees from two engines; the compiled one is much faster")
ax.legend(loc="upper left", ncols=2)
plt.show()

# %%
# The compiled engine gives the same trees and is much faster, above all on large data.
#
# Do not conclude that equal trees are right because they are equal. Both engines could share a misunderstanding;
# this is why the reference is short, and cites its definitions. A tree that depends on a seed is not wrong, either: if
# splits tie, all of them are equally good on the training samples.
