"""
When should a tree stop growing?
================================

An ID3 tree splits leaf after leaf. ``staged_predict`` gives its predictions after every split, so one fit shows when
it begins to learn noise. We compare local evaluation, which judges a split by its leaf, with global evaluation, which
judges the clustering of the whole tree.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from pytrees import ID3Classifier

X, y = load_iris(return_X_y=True)
n_runs, n_stages = 40, 26
accuracy = {
    "local": np.full((n_runs, n_stages), np.nan),
    "global": np.full((n_runs, n_stages), np.nan),
}

# %%
# There are forty runs. Each draws a third of the labels of 100 training samples anew, at random. The labels of the 50
# test samples stay.

for run in range(n_runs):
    rng = np.random.default_rng(run)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=100, stratify=y, random_state=run
    )
    noisy = rng.random(100) < 1 / 3
    y_train[noisy] = rng.integers(0, 3, noisy.sum())
    for evaluation, curve in accuracy.items():
        tree = ID3Classifier(
            "gini", evaluation=evaluation, ties="local", max_leaf_nodes=n_stages
        )
        stages = [
            np.mean(predicted == y_test)
            for predicted in tree.fit(X_train, y_train).staged_predict(X_test)
        ]
        curve[run] = np.pad(stages, (0, n_stages - len(stages)), mode="edge")

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for (evaluation, curve), style in zip(accuracy.items(), ("--", "-"), strict=True):
    mean, error = curve.mean(axis=0), curve.std(axis=0, ddof=1) / np.sqrt(n_runs)
    ax.plot(mean, style, label=f"{evaluation} evaluation")
    ax.fill_between(range(n_stages), mean - 2 * error, mean + 2 * error, alpha=0.2)
ax.set(xlabel="number of splits", ylabel="accuracy on clean test samples")
ax.set_title("Iris with noisy labels: two splits are enough")
ax.legend()
plt.show()
for evaluation, curve in accuracy.items():
    print(
        f"{evaluation}: best mean {curve.mean(axis=0).max():.3f} "
        f"after {curve.mean(axis=0).argmax()} splits"
    )

# %%
# Two splits separate the three kinds, and after them global evaluation has .92. Local growth takes the leaves in
# another order, and reaches .82 at its best. From then on every split learns noise. Bands are two standard errors.
#
# Do not conclude that global evaluation is better. It peaks early here because labels are noisy and there are only
# three clusters. In the end both trees are equally poor, and on clean data the local tree is ahead more often. The
# picture does say: stop early, by ``max_leaf_nodes``, and look at the stages before.
