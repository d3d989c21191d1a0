"""
How far should a C4.5 tree be pruned?
=====================================

C4.5 cuts a branch off if it expects no more errors without the branch. ``confidence`` says how pessimistic these
expectations are: the lower, the smaller the tree. The default in Quinlan's book is 25 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

from pytrees import C45Classifier
from pytrees.datasets import make_monks

sets = {
    "breast cancer": load_breast_cancer(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "Monks 3, a tenth of the labels wrong": make_monks(3, noise=0.1, random_state=0),
}
confidences = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)

# %%
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for (name, (X, y)), style in zip(sets.items(), ("o-", "s--", "^:"), strict=True):
    accuracy, leaves = [], []
    for confidence in confidences:
        found = cross_validate(
            C45Classifier(confidence=confidence), X, y, cv=folds, return_estimator=True
        )
        accuracy.append(found["test_score"].mean())
        leaves.append(np.mean([tree.get_n_leaves() for tree in found["estimator"]]))
    axes[0].plot(confidences, accuracy, style, label=name)
    axes[1].plot(confidences, leaves, style, label=name)
for ax, what in zip(axes, ("accuracy on new samples", "leaves"), strict=True):
    ax.set(xscale="log", xlabel="confidence", ylabel=what)
    ax.axvline(0.25, color="0.8", zorder=0)
    ax.set_title(what.capitalize())
axes[0].legend()
fig.suptitle("C4.5 trees from hardly pruned (right) to pruned hard (left)")
plt.show()

# %%
# The vertical line is the usual 25 %. Breast cancer does equally well with seven leaves and with eleven. The rule of
# Monks 3 needs about six leaves: a tree that is pruned harder loses a part of the rule, and a tree that is pruned less
# learns wrong labels. Wine's trees are so pure that no confidence changes them.
#
# Do not conclude that accuracy says which confidence is best. On breast cancer all differences are within one
# point. Take the smaller tree then.
