"""The harness draws every public name, or says why there is nothing to draw."""

import matplotlib.pyplot as plt
import pytest

import pytrees
from pytrees.criteria import CountCriterion, SequenceCriterion, SumCriterion
from tools.fuzz import parameters, surface
from tools.fuzz.arguments import not_drawn, parameters_of, table_of
from tools.fuzz.calls import instance_of
from tools.fuzz.problem import Problem
from tools.fuzz.surface import KINDS, calls, kind_of, methods_of, names_of, properties_of, public_names

TAME = {
    "n": 9,
    "d": 3,
    "n_classes": 2,
    "seed": 0,
    "X": {"matrix": "grid", "container": "array"},
    "y": "numbers",
    "arguments": {},
}
CACHED = (surface.public_names, surface.names_of, surface.calls, surface._returned, parameters_of, table_of)


@pytest.fixture
def fresh():
    """Let public names be found anew, now and afterwards."""

    def forget():
        for function in CACHED:
            function.cache_clear()

    forget()
    yield
    forget()


def test_every_public_name_is_of_a_kind():
    assert {name for name, thing in public_names().items() if kind_of(thing) not in KINDS} == set()


def test_every_parameter_can_be_drawn():
    assert not_drawn() == []


def unheard_of(sequence, something=None):
    """Stand for a new function."""


def test_a_new_name_that_cannot_be_drawn_is_noticed(fresh, monkeypatch):
    monkeypatch.setattr(pytrees.sequence, "unheard_of", unheard_of, raising=False)
    monkeypatch.setattr(pytrees.sequence, "__all__", [*pytrees.sequence.__all__, "unheard_of"])
    assert not_drawn() == ["sequence.unheard_of.something"]


def test_a_new_name_of_no_kind_is_noticed(fresh, monkeypatch):
    monkeypatch.setattr(pytrees.sequence, "LIMIT", 5, raising=False)
    monkeypatch.setattr(pytrees.sequence, "__all__", [*pytrees.sequence.__all__, "LIMIT"])
    assert kind_of(public_names()["sequence.LIMIT"]) not in KINDS


@pytest.mark.parametrize("module", surface.NEEDED)
def test_names_that_need_a_package_are_called_if_it_is_there(module, fresh, monkeypatch):
    pytest.importorskip(surface.NEEDED[module])
    assert any(name.startswith(f"{module}.") for name in calls())
    calls.cache_clear()
    monkeypatch.setattr(surface, "find_spec", lambda name: None)
    assert not any(name.startswith(f"{module}.") for name in calls())


def test_names_are_found_in_every_public_module():
    modules = {name.rpartition(".")[0] for name in public_names()}
    assert {"", "criteria", "datasets", "dask", "fourier", "metrics", "testing", "testing.strategies"} <= modules


def test_criteria_of_a_user_derive_from_the_base_classes():
    made = [make() for make in parameters.CRITERIA.values()]
    for base in (CountCriterion, SequenceCriterion, SumCriterion):
        assert base in {public_names()[name] for name in names_of("base")}
        assert any(isinstance(criterion, base) for criterion in made)


def test_every_class_with_methods_has_an_object_to_ask():
    owners = {owner for owner, _ in calls().values() if owner is not None}
    for owner in owners:
        assert isinstance(instance_of(owner, Problem(TAME | {"subject": "nsrps"})), owner)


def test_methods_and_properties_are_found():
    assert {"apply", "predict", "from_dict"} <= set(methods_of(pytrees.Tree))
    assert not set(surface.UNCHECKED) & set(methods_of(pytrees.Tree))
    assert "impurity" in properties_of(pytrees.Tree)


def test_every_argument_can_be_made():
    makers = {}
    for subject in calls():
        for name in parameters_of(subject):
            makers |= {(name, argument): (subject, make) for argument, make in table_of(subject, name).items()}
    for subject, make in makers.values():
        make(Problem(TAME | {"subject": subject}))
    plt.close("all")
