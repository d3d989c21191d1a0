"""
Does a missed disease cost more than a false alarm?
===================================================

A tree's leaves hold shares of classes. The class to predict from them is a second question, and the answer may
depend on the costs of errors. ``predict_rule="cost"`` takes the class of the least expected cost, and ``set_params``
changes the costs without another fit.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from pytrees import OrdinalDecisionForestClassifier

data = load_breast_cancer()
order = ["benign", "malignant"]
y = np.where(data.target == 0, "malignant", "benign")
X_train, X_test, y_train, y_test = train_test_split(
    data.data, y, test_size=0.5, stratify=y, random_state=0
)
forest = OrdinalDecisionForestClassifier(
    classes=order, predict_rule="cost", cost_matrix=[[0, 1], [1, 0]], random_state=0
)
forest.fit(X_train, y_train)

# %%
# The rows of a cost matrix are the true classes, its columns the predicted classes. We predict at a rising price of a
# missed malignant tumour; a false alarm costs 1.

prices = np.array([1, 2, 3, 5, 8, 12, 20, 30, 50])
missed, alarms = [], []
for price in prices:
    forest.set_params(cost_matrix=[[0, 1], [float(price), 0]])
    predicted = forest.predict(X_test)
    missed.append(np.sum((y_test == "malignant") & (predicted == "benign")))
    alarms.append(np.sum((y_test == "benign") & (predicted == "malignant")))

# %%
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.plot(prices, missed, "o-", label="malignant, predicted benign")
ax.plot(prices, alarms, "s--", label="benign, predicted malignant")
ax.set(
    xscale="log",
    xlabel="price of a missed tumour, in false alarms",
    ylabel=f"of {len(y_test)} tumours",
)
ax.set_xticks(prices, prices)
ax.minorticks_off()
ax.set_title("The dearer a missed tumour, the more false alarms")
ax.legend()
plt.show()

# %%
# One forest gives all points, because it needs the costs for prediction, not for growth. For three and more classes in
# order, a matrix can say how much each confusion costs.
#
# Do not conclude that a price of 50 is right: you choose the price. The numbers are counts of one division of 569
# tumours; another division moves them by several tumours.
