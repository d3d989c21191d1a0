"""The harness finds defects that are planted on purpose."""

import pytest

from tools.fuzz.planted import PLANTS, cases_until_found


@pytest.mark.parametrize("plant", PLANTS)
def test_planted_defects_are_found(plant):
    assert cases_until_found(plant, most=250, subjects=("DecisionTreeClassifier",))
