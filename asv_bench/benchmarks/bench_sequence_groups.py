"""Permutation trees of samples in groups, whose sequences never join: the kernel groups."""

import numpy as np

from pytrees import PermutationDecisionTreeClassifier


class Groups:
    params = (["etc", "lz76"], [1, 2, 10, 100])
    param_names = ("criterion", "n_groups")
    timeout = 300

    def setup(self, criterion, n_groups):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.normal(size=(1_000, 4)), rng.integers(0, 2, 1_000)
        self.groups = np.arange(1_000) * n_groups // 1_000
        self.tree = PermutationDecisionTreeClassifier(criterion, max_depth=3)

    def time_fit(self, criterion, n_groups):
        self.tree.fit(self.X, self.y, groups=self.groups)
