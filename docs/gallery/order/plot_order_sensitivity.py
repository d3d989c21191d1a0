"""
Does the order of my samples matter?
====================================

Samples that arrive in time are often shuffled before a model is judged. This may flatter the model.
:func:`pytrees.order_sensitivity` judges a model in the true order, in shuffled orders and in reverse.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import DecisionTreeClassifier, order_sensitivity

rng = np.random.default_rng(0)
n_samples = 600
angle = np.linspace(0.0, 1.5 * np.pi, n_samples)
drifting = rng.normal(size=(n_samples, 4))
drifting_y = (
    np.cos(angle) * drifting[:, 0] + np.sin(angle) * drifting[:, 1] > 0
).astype(int)
still = rng.normal(size=(n_samples, 4))
still_y = (still[:, 0] + still[:, 1] > 0).astype(int)

# %%
# Two sets of 600 samples. In the first the line between the classes turns by three quarters of a circle while they
# arrive; in the second it stays. Later samples test the same tree, five times, in the true order and in 99 shuffled
# orders.

tree = DecisionTreeClassifier(max_depth=4)
found = {
    "the classes drift": order_sensitivity(
        tree, drifting, drifting_y, n_permutations=99, random_state=0
    ),
    "nothing changes": order_sensitivity(
        tree, still, still_y, n_permutations=99, random_state=0
    ),
}
for name, result in found.items():
    print(
        f"{name}: true order {result.score:.2f}, "
        f"effect {result.effect:+.2f}, p = {result.pvalue:.2f}"
    )

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4), sharex=True, layout="constrained")
for ax, (name, result) in zip(axes, found.items(), strict=True):
    result.plot(ax)
    ax.set_title(f"{name}: p = {result.pvalue:.2f}")
fig.suptitle("Accuracy on later samples, in the true order and in shuffled ones")
plt.show()

# %%
# If the classes drift, shuffling mixes the future into the training samples, and every shuffled score is better than
# the score in the true order. If nothing changes, the true order is one of many.
#
# Do not conclude that a tree which looks at the order of its training samples would do better. This is another
# question (``shuffle="training"``), which the :doc:`study of ordered tables </guide/order_study>` answers with no.
