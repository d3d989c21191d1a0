"""
How many different trees does a forest hold?
============================================

Trees of a forest of permutations differ by the order of the samples alone. Often few different ones grow, and an
expert can choose among them: by how often they grew, by how many leaves they have, and by what their tests cost.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from pytrees import PermutationDecisionForestClassifier, plot_distinct_trees

data = load_iris()
forest = PermutationDecisionForestClassifier(200, max_depth=2, random_state=0).fit(data.data, data.target)
distinct = forest.distinct_trees(data.data)
print(f"{len(distinct)} different trees among 200")
for found in distinct[:5]:
    print(f"{found.count:3} times: {found.tree.n_leaves} leaves, {found.tests_per_row:.2f} tests a flower")

# %%
# The most frequent ones, drawn:

figure = plt.figure(figsize=(13, 7), layout="constrained")
plot_distinct_trees(forest, max_trees=4, feature_names=data.feature_names, class_names=data.target_names, figure=figure)
figure.suptitle("The four most frequent of 200 trees on the iris data")
plt.show()

# %%
# Every panel says how often its tree grew.
#
# What not to conclude: that a tree which grew often is more likely to be right. It is the tree that many orders of
# *these* samples lead to; new samples are another matter, and cross-validation is the way to ask.
