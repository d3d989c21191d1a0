"""
When did the dynamics change?
=============================

Effort-To-Compress counts how many substitutions of pairs turn a sequence into a constant one: few for a periodic
sequence, many for a chaotic one. In a sliding window it shows when a signal changes its nature, even if mean and
spread hardly move.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import sliding_effort_to_compress, symbolize


def logistic(parameters, x=0.4):
    """Iterate the logistic map, whose parameter may change at every step."""
    values = []
    for r in parameters:
        x = r * x * (1.0 - x)
        values.append(x)
    return np.array(values)


parameters = np.linspace(3.5, 4.0, 4000)
signal = logistic(parameters)

# %%
# The parameter of a logistic map rises from 3.5 (the map repeats four values) to 4 (it is chaotic). The signal
# becomes two symbols, above and below one half; windows are 120 steps long.

symbols = symbolize(signal, "thresholds", thresholds=[0.5])
window = 120
effort = sliding_effort_to_compress(symbols, window, 10, normalized=True)
centres = parameters[window // 2 :: 10][: len(effort)]

# %%
fig, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
axes[0].plot(parameters, signal, ",", color="0.3")
axes[0].set_ylabel("signal")
axes[0].set_title("A logistic map on its way to chaos")
axes[1].plot(centres, effort, color="tab:red")
axes[1].axvspan(
    3.8284, 3.8568, color="tab:blue", alpha=0.2, label="window of period three"
)
axes[1].set(xlabel="parameter of the map", ylabel="effort to compress (0 to 1)")
axes[1].set_title("The effort of 120 symbols")
axes[1].legend()
plt.show()

# %%
# The effort rises with chaos, and falls to almost nothing while the map repeats three values. It is late by up to a
# window: until all 120 symbols are of the new kind, it mixes both.
#
# Do not conclude that a low effort means few values. The effort only sees the symbols, and another threshold gives
# another curve.
