"""
Why did the tree say that?
==========================

Those who build a tree want to see it whole. Those about whom it decides want to see the questions that it asked in
their case.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from pytrees import C45Classifier, export_text, plot_decision_path, plot_tree

data = load_wine()
names = {"feature_names": data.feature_names, "class_names": data.target_names}
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, stratify=data.target, random_state=0
)
tree = C45Classifier().fit(X_train, y_train)
print(export_text(tree, **names))

# %%
# The same tree as a picture. A leaf says how many of the training samples came there.

fig, ax = plt.subplots(figsize=(11, 5), layout="constrained")
plot_tree(tree, **names, ax=ax)
ax.set_title(
    "A C4.5 tree of the wine data: "
    f"right about {tree.score(X_test, y_test):.0%} of new samples"
)
plt.show()

# %%
# One wine of the test samples, question by question. The bars show how many of the training samples gave the same
# answers, and their classes.

fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
plot_decision_path(tree, X_test[4], **names, ax=ax)
fig.suptitle("One wine, question by question")
plt.show()

# %%
# Do not conclude that a feature which the tree does not use is useless. Many features carry the same information
# about these wines; if several divide the samples equally well, the tree uses only one. And a path tells why the
# *tree* decides, not why the wine is of its class.
