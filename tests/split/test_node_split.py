"""The best split of a node: what is refused, and which of a cut and a split by category is taken."""

import numpy as np
import pytest
from support import grow

from pytrees import config_context


@pytest.mark.parametrize("weights", [None, [1, 1, 2, 1], [0.5, 1.0, 1.0, 1.0]])
def test_unknown_criterion_is_refused_by_name(weights):
    weights = None if weights is None else np.array(weights)
    with config_context(engine="compiled"), pytest.raises(ValueError, match="got 'nonsense'"):
        grow([[0], [1], [2], [3]], [0, 1, 0, 1], weights, criterion="nonsense")


def test_equal_gains_go_to_the_lower_feature(engine):
    # Both columns separate the classes; either may be the categorical one.
    X, y = [[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1]
    for n_categories, is_multiway in (([2, 0], True), ([0, 2], False)):
        tree = grow(X, y, n_categories=n_categories)
        assert tree["feature"][0] == 0
        assert (tree["children_left"][0] == -2) == is_multiway
