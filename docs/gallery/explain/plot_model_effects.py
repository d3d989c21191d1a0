"""
Which features does a model use, and which together?
====================================================

The variance of a sum of trees divides exactly into shares that features explain alone and shares that they explain
together. Nothing is sampled, so the numbers are exact for the model.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor

from pytrees.fourier import anova_effects, sobol_indices

data = load_diabetes(as_frame=True)
boosted = GradientBoostingRegressor(max_depth=3, n_estimators=60, random_state=0)
boosted.fit(data.data, data.target)
indices = sobol_indices(boosted, data.data)
shares = indices.energy_by_order[1:] / indices.variance
print(f"alone {shares[0]:.0%}, in pairs {shares[1]:.0%}, in threes {shares[2]:.0%}")

# %%
# The left picture has the share that every feature explains alone, and with others. The middle picture has the effect
# of the feature that explains most, and the right picture the strongest effect of a pair. There all intervals between
# two thresholds of the model are equally wide, from low values to high values.

strongest = int(indices.first_order.argmax())
pair = tuple(
    int(m) for m in divmod(int(indices.pairs.argmax()), len(data.feature_names))
)
effects = anova_effects(boosted, data.data, [tuple(sorted(pair))])
fig, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
indices.plot(axes[0])
axes[0].set_title("Shares of the variance")
effects.plot(strongest, axes[1])
axes[1].set_title(f"Effect of {data.feature_names[strongest]}")
effects.plot(tuple(sorted(pair)), axes[2])
axes[2].set_title(
    " and ".join(data.feature_names[m] for m in sorted(pair)) + ", beyond both alone"
)
fig.suptitle("Parts of a boosted model of diabetes")
plt.show()

# %%
# Most of the variance is the sum of single features: a model without interactions would predict nearly the same.
#
# Do not conclude that these are effects of nature. This model learned them from 442 patients. The measure here
# takes features as independent, but body measures and blood values are not; ``measure="joint"`` takes the samples as
# they are.
