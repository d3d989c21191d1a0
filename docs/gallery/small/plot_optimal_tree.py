"""
How far from the best is a greedy tree of a few leaves?
=======================================================

A search can find the best tree of a few leaves: :func:`pytrees.optimal_tree` finds the fewest errors within a limit,
and proves that there are no fewer. Greedy growth takes the best split at every node and never looks ahead. The second
picture shows how a search nears its proof.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from pytrees import DecisionTreeClassifier, optimal_tree

X, y = load_breast_cancer(return_X_y=True)
# Ten of the thirty features, so that three levels take a moment:
X = X[:, [0, 1, 4, 7, 20, 21, 23, 24, 26, 27]]
levels = (1, 2, 3)

# %%
# Errors on all samples, and errors on new samples in tenfold cross-validation:

found = {level: optimal_tree(X, y, max_depth=level) for level in levels}
print(
    *(
        f"{level} levels: {tree.n_errors} errors, proven: {tree.is_proven}"
        for level, tree in found.items()
    ),
    sep="\n",
)
shares = {
    ("greedy", "known"): [],
    ("optimal", "known"): [],
    ("greedy", "new"): [],
    ("optimal", "new"): [],
}
folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
for level in levels:
    greedy = DecisionTreeClassifier(max_depth=level)
    shares["greedy", "known"].append(np.mean(greedy.fit(X, y).predict(X) != y))
    shares["optimal", "known"].append(found[level].n_errors / len(y))
    errors = np.zeros(2)
    for train, test in folds:
        errors[0] += np.sum(greedy.fit(X[train], y[train]).predict(X[test]) != y[test])
        best = optimal_tree(X[train], y[train], max_depth=level).tree
        errors[1] += np.sum(best.predict(X[test]) != y[test])
    shares["greedy", "new"].append(errors[0] / len(y))
    shares["optimal", "new"].append(errors[1] / len(y))

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for ax, samples in zip(axes, ("known", "new"), strict=True):
    for shift, who in ((-0.18, "greedy"), (0.18, "optimal")):
        bars = ax.bar(
            np.array(levels) + shift,
            100 * np.array(shares[who, samples]),
            width=0.34,
            label=who,
        )
        ax.bar_label(bars, fmt="%.1f")
    ax.set(xlabel="levels of splits", xticks=levels)
    ax.set_title(f"Errors on {samples} samples")
axes[0].set(ylabel="% of the samples", ylim=(0, 12))
axes[0].legend()
fig.suptitle("The best tree of few levels, and the greedy one")
plt.show()

# %%
# It is proven that no tree of the same number of levels is better on the training samples. The greedy tree makes more
# errors there.
#
# Do not conclude that the optimal tree is better on new samples. The fewest errors on known samples are partly luck,
# and more so with more levels. Use it if a tiny tree must make as few errors as possible on given data, or to check
# other searches.

# %%
# A search knows two things at any time: the errors of the best tree found so far, and a number of errors below which
# there is no tree. A limit of time shows both. Every limit is a search of its own, on a machine with other work; what
# one search has found or excluded remains true, so we keep the best of both. Four levels on 600 samples:

X, y = make_classification(
    600, 6, n_informative=3, n_redundant=1, flip_y=0.1, random_state=0
)
warnings.simplefilter("ignore", ConvergenceWarning)  # of searches that the time ends
seconds, errors, bounds = [], [], []
for limit in 0.01 * 1.25 ** np.arange(25):
    search = optimal_tree(X, y, max_depth=4, time_limit=limit)
    seconds.append(limit)
    errors.append(min([search.n_errors, *errors[-1:]]))
    bounds.append(max([search.lower_bound * len(y), *bounds[-1:]]))
    if search.is_proven:
        break
print(
    f"{errors[0]} errors at first, {errors[-1]} in the end, proven: {search.is_proven}"
)

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.step(seconds, errors, where="post", marker="o", label="errors of the tree found")
ax.step(seconds, bounds, where="post", marker="o", label="no tree has fewer errors")
ax.fill_between(seconds, bounds, errors, step="post", alpha=0.15)
ax.set(xscale="log", xlabel="seconds", ylabel="errors", ylim=(0, None))
ax.set_title("Errors of the best tree found, and their bound, over time")
ax.legend(loc="center left")
plt.show()

# %%
# The tree is nearly the best one long before the proof; most of the time is spent on excluding other trees. Do not
# conclude that a proof is always near if the two lines are: the last errors take longest.
