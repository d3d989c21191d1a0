"""
Do the trees of a forest repeat each other?
===========================================

The trees of a forest agree on most samples. As functions they have inner products and principal components: a few
orthogonal trees predict nearly the same as all trees.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from pytrees import OrthogonalTreesClassifier
from pytrees.fourier import gram, ordinal_codes

X, y = load_breast_cancer(return_X_y=True)
limits = {"max_leaf_nodes": 16, "random_state": 0}
ensembles = {
    "random forest": RandomForestClassifier(20, **limits),
    "bagged trees": BaggingClassifier(
        DecisionTreeClassifier(**limits), n_estimators=20, random_state=0
    ),
}

# %%
# The pictures have cosines between the trees over the samples, and the shares of the variance of their principal
# components. One forest is a random forest, whose trees see few features at every split. The other has bagged trees,
# which see all features.

codes = ordinal_codes(ensembles["random forest"].fit(X, y))
products = gram(codes.trees, codes.cardinalities, measure="joint", X=codes.transform(X))
lengths = np.sqrt(np.diag(products))
shares = {
    name: OrthogonalTreesClassifier(
        ensemble, n_components=20, center=True, measure="joint"
    )
    .fit(X, y)
    .explained_variance_ratio_
    for name, ensemble in ensembles.items()
}

# %%
fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
image = axes[0].imshow(products / np.outer(lengths, lengths))
fig.colorbar(image, ax=axes[0])
axes[0].set(
    xlabel="tree", ylabel="tree", xticks=range(0, 20, 5), yticks=range(0, 20, 5)
)
axes[0].set_title("Cosines between 20 trees of a forest")
for (name, ratio), style in zip(shares.items(), ("o-", "s--"), strict=True):
    axes[1].plot(np.arange(1, len(ratio) + 1), np.cumsum(ratio), style, label=name)
axes[1].set(
    xlabel="number of components",
    ylabel="share of the variance",
    ylim=(None, 1.01),
    xticks=range(0, 21, 5),
)
axes[1].set_title("Principal components of 20 trees")
axes[1].legend()
fig.suptitle("Common parts of the trees of a forest")
plt.show()
for name, ratio in shares.items():
    print(
        f"{name}: the first component has {ratio[0]:.0%}, "
        f"five have {ratio[:5].sum():.0%}"
    )

# %%
# Every two trees have a cosine of .94 or more: they predict nearly the same. The first component holds nine tenths
# of the variance, and the rest spreads over all others. The few features at every split of a random forest make no
# visible difference here.
#
# Do not conclude that one tree is as good as twenty. The trees differ little, but their average removes errors. And
# the cosines are over known samples, about which all trees are nearly right; on new samples they agree less.
