"""
Which of two signals drives the other?
======================================

If the past of one signal makes the present of another easier to compress, it may drive it. Compression-complexity
causality measures this without a model. We know the answer here: the first signal drives the second.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import compression_complexity_causality, symbolize


def coupled(strength, n_samples=1200, seed=0):
    """Make two autoregressive signals; the first drives the second."""
    noise = 0.03 * np.random.default_rng(seed).normal(size=(n_samples, 2))
    signals = np.zeros((n_samples, 2))
    for t in range(1, n_samples):
        signals[t, 0] = 0.9 * signals[t - 1, 0] + noise[t, 0]
        signals[t, 1] = (
            0.8 * signals[t - 1, 1] + strength * signals[t - 1, 0] + noise[t, 1]
        )
    return signals.T


# %%
# There are five pairs of signals for every strength of the coupling. Each signal becomes eight symbols, at equal steps
# of its range; windows have a past of 150 and a present of 15 symbols.

strengths = np.linspace(0.0, 0.9, 7)
drives, driven = np.zeros((2, len(strengths), 5))
for place, strength in enumerate(strengths):
    for seed in range(5):
        x, y = (
            symbolize(signal, "width", n_symbols=8)
            for signal in coupled(strength, seed=seed)
        )
        found = compression_complexity_causality(x, y, past=150, present=15, step=80)
        drives[place, seed], driven[place, seed] = found.x_to_y, found.y_to_x

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for values, label in (
    (drives, "first to second (true)"),
    (driven, "second to first (false)"),
):
    ax.errorbar(
        strengths,
        values.mean(axis=1),
        values.std(axis=1, ddof=1),
        capsize=3,
        marker="o",
        label=label,
    )
ax.axhline(0.0, color="0.7", zorder=0)
ax.set(xlabel="strength of the coupling", ylabel="causality")
ax.set_title("With strong coupling the true direction stands out")
ax.legend()
plt.show()

# %%
# If the coupling is strong, the true direction stands out and the false one goes to zero. Error bars are the
# standard deviation of five pairs of signals.
#
# Do not conclude that any positive number is a cause. Without coupling both directions are positive here, and the
# false one more than the true one. Compare both directions, and use surrogates (``n_surrogates=``), which give a
# p-value. Symbols, past and present are choices, too: make them before you look at the answer.
