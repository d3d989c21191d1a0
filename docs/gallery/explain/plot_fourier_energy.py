"""
How complicated is a function on categories?
============================================

The Fourier spectrum of a tree tells how much of its function needs one feature, two features together, three, and so
on. We look at the rules of the three MONK's problems.
"""

import matplotlib.pyplot as plt
import numpy as np

from pytrees import DecisionTreeClassifier, FourierSpectrum
from pytrees.datasets import make_monks

cardinalities = [3, 3, 2, 3, 4, 2]
rules = {
    1: "1: a1 = a2, or a5 is 1",
    2: "2: exactly two features are 1",
    3: "3: a5 and a2, a little a4",
}
spectra = {}
for problem in rules:
    X, y = make_monks(problem)
    spectra[problem] = FourierSpectrum.from_tree(
        DecisionTreeClassifier().fit(X - 1, y), cardinalities
    )
    print(
        f"Monks {problem}: {spectra[problem].n_coefficients} "
        "of 432 coefficients are not zero"
    )

# %%
# The order of a coefficient is the number of features in it, and the energy of an order is the sum of its squared
# coefficients. The left picture has the energy by order. The right picture keeps coefficients up to an order: how
# often is the truncated function, rounded, still the rule?

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
orders = np.arange(1, 7)
for place, ((problem, rule), style) in enumerate(
    zip(rules.items(), ("o-", "s--", "^:"), strict=True)
):
    spectrum = spectra[problem]
    energy = np.zeros(7)
    by_order = np.asarray(spectrum.energy_by_order())
    energy[: len(by_order)] = by_order
    axes[0].bar(
        orders + 0.27 * (place - 1),
        energy[1:] / energy[1:].sum(),
        width=0.25,
        label=rule,
    )
    X, y = make_monks(problem)
    kept = [
        np.mean((spectrum.truncate(max_order=k).evaluate(X - 1).real > 0.5) == y)
        for k in range(7)
    ]
    axes[1].plot(range(7), kept, style, label=rule)
axes[0].set(xlabel="features together", ylabel="share of the variance")
axes[0].set_title("Energy by order")
axes[0].legend()
axes[1].set(xlabel="greatest order that is kept", ylabel="samples where it is the rule")
axes[1].set_title("The rule without its higher orders")
fig.suptitle("Spectra of the MONK's problems")
plt.show()

# %%
# Pairs of features decide the first problem, and single features nearly decide the third. The second, a count over
# all features, has energy in every order, and needs all of them.
#
# Do not conclude that coefficients of little energy do not matter. A truncated function has the least mean squared
# error, but not the fewest errors after rounding: the curve of the second problem falls once on its way up.
