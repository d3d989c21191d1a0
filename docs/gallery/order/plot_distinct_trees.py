"""
How many different trees does a forest hold?
============================================

Trees of a forest of permutations differ only by the order of the samples. Often few different trees grow, and an
expert can choose among them by their frequency, their number of leaves, and the cost of their tests.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from pytrees import PermutationDecisionForestClassifier, plot_distinct_trees

data = load_iris()
forest = PermutationDecisionForestClassifier(200, max_depth=2, random_state=0)
forest.fit(data.data, data.target)
distinct = forest.distinct_trees(data.data)
print(f"{len(distinct)} different trees among 200")
for found in distinct[:5]:
    print(
        f"{found.count:3} times: {found.tree.n_leaves} leaves, "
        f"{found.tests_per_row:.2f} tests a flower"
    )

# %%
# The most frequent trees, drawn:

figure = plt.figure(figsize=(13, 7), layout="constrained")
plot_distinct_trees(
    forest,
    max_trees=4,
    feature_names=data.feature_names,
    class_names=data.target_names,
    figure=figure,
)
figure.suptitle("The four most frequent of 200 trees on the iris data")
plt.show()

# %%
# Every panel says how often its tree grew.
#
# Do not conclude that a tree which grew often is more likely to be right. Many orders of *these* samples lead
# to it; ask cross-validation about new samples.
