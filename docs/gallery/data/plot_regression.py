"""
How does a tree follow a curve?
===============================

A regression tree is a step function: every leaf is a step, as high as the mean of its samples by squared error, or
their median by absolute error. We add noise and some outliers to a curve, and look at the steps.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import DecisionForestRegressor, DecisionTreeRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0.0, 6.0, 160))
grid = np.linspace(0.0, 6.0, 1001)


def curve(at):
    """Return the true curve: it rises, stays, and rises again."""
    return at + np.sin(2.0 * at) / 2.0


y = curve(x) + rng.normal(0.0, 0.4, len(x))
wild = rng.choice(len(x), 12, replace=False)
with_wild = y.copy()
with_wild[wild] += rng.uniform(4.0, 8.0, len(wild))


def draw(ax, targets, models):
    """Draw samples, the true curve, and what the models predict."""
    ax.plot(x, targets, ".", color="0.7", label="samples")
    ax.plot(grid, curve(grid), ":", color="black", label="true curve")
    for (name, model), style in zip(models.items(), ("-", "--"), strict=False):
        predicted = model.fit(x[:, np.newaxis], targets).predict(grid[:, np.newaxis])
        error = np.abs(predicted - curve(grid)).mean()
        ax.plot(grid, predicted, style, label=f"{name}: {error:.2f} off")
    ax.set(xlabel="x", ylabel="y", ylim=(-1.5, 1.2 + targets.max()))
    ax.legend(loc="upper left")


# %%
# The left picture has the steps of two trees of eight leaves, without outliers. In the right picture twelve of the
# 160 samples lie far too high.

trees = {
    "squared error": DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=5),
    "absolute error": DecisionTreeRegressor(
        "absolute_error", max_leaf_nodes=8, min_samples_leaf=5
    ),
}
fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
draw(axes[0], y, trees)
axes[0].set_title("Without outliers: nearly equal steps")
draw(axes[1], with_wild, trees)
axes[1].set_title("With outliers: only medians stay")
plt.show()

# %%
# A forest averages many step functions, each grown on another bootstrap sample, and is smoother than a tree.

forests = {
    "tree": DecisionTreeRegressor(min_samples_leaf=5),
    "forest": DecisionForestRegressor(100, min_samples_leaf=5, random_state=0),
}
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
draw(ax, y, forests)
ax.set_title("A forest is the mean of many step functions")
plt.show()

# %%
# The true curve never falls. A tree that is told so by ``monotonic_cst`` has no step down.

free = {"free": DecisionTreeRegressor(min_samples_leaf=3)}
monotone = {"monotone": DecisionTreeRegressor(min_samples_leaf=3, monotonic_cst=[1])}
fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
draw(axes[0], y, free)
axes[0].set_title("Free: steps go up and down")
draw(axes[1], y, monotone)
axes[1].set_title("Monotone: steps go up")
plt.show()

# %%
# Do not conclude that absolute error is better. It follows the median of y, squared error the mean. If targets are
# skewed and the mean is wanted, such as the mean cost of a repair, a tree of medians is wrong on purpose. Nor does a
# tree know the curve beyond the samples: the last step goes on for ever.
