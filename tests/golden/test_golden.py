"""Golden trees: every machine grows the trees that others grew. `tools/golden.py` compares all of them."""

import importlib
import json

import pytest
from sources import ROOT

if not (ROOT / "tools" / "golden.py").exists():
    pytest.skip("the problems are in tools/ of a clone", allow_module_level=True)


@pytest.fixture
def golden(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("golden")


# The reference is slow: it takes some of the groups.
@pytest.mark.parametrize(
    ("engine", "n_threads", "step"), [("compiled", 1, 1), ("compiled", 4, 1), ("plain", 1, 1), ("reference", 1, 4)]
)
def test_trees_are_those_of_other_machines(golden, engine, n_threads, step):
    chosen = golden.few(golden.golden_problems())
    groups = sorted({golden.group_of(name) for name, *_ in chosen})[::step]
    found = golden.digests([one for one in chosen if golden.group_of(one[0]) in groups], engine, n_threads)
    assert len(found) > 40
    assert golden.differing(found, golden.recorded()["few"]) == []


def test_every_group_of_golden_problems_is_recorded(golden):
    groups = {golden.group_of(name) for name, *_ in golden.golden_problems()}
    assert groups == set(json.loads(golden.RECORD.read_text()))


def test_a_changed_number_changes_the_digest(golden, monkeypatch):
    name, call, _ = next(one for one in golden.golden_problems() if one[0].startswith("tree, gini"))
    before = golden.digests([(name, call, True)], "compiled")
    other = golden.digests([(name, lambda: [*call(), 0.0], True)], "compiled")
    assert golden.differing(other, before) == ["tree, gini"]


@pytest.mark.parametrize(("shift", "is_same"), [(1e-15, True), (1e-6, False)])
def test_numbers_of_logarithms_count_to_nine_digits(golden, shift, is_same):
    numbers = [0.0, 0.5, 1 / 1024, 1.25]
    shifted = [number + shift for number in numbers]
    assert (str(golden.coarse([shifted])) == str(golden.coarse([numbers]))) == is_same
