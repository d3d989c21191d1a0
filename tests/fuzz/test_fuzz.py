"""A short run of the fuzz harness; defects of every kind are seen. `make fuzz` runs for longer."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import settings
from support import assert_refuses

import tools.fuzz.__main__ as fuzz
from pytrees import DecisionTreeClassifier, FourierSpectrum
from pytrees.distances import clustering_distance
from tools.fuzz.errors import Defect, attempt, checked
from tools.fuzz.parameters import ESTIMATORS, make, parameters_of, values_of
from tools.fuzz.plain import compare
from tools.fuzz.problem import frozen
from tools.fuzz.recipes import FUNCTIONS
from tools.fuzz.values import features
from tools.fuzz.worker import Worker

TAME = {
    "subject": "DecisionTreeClassifier",
    "n": 9,
    "d": 2,
    "n_classes": 2,
    "seed": 0,
    "X": {"matrix": "grid", "container": "array"},
    "y": "numbers",
    "parameters": {},
    "weights": "not given",
    "order": "not given",
    "groups": "not given",
    "new X": None,
    "attack": None,
}


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.close()


# Two groups, so that two cores share the work.
@pytest.mark.parametrize("subjects", [ESTIMATORS, FUNCTIONS], ids=["estimators", "calls"])
def test_hostile_input_meets_errors_that_say_what_is_wrong(subjects):
    known = fuzz.run(max(60, 4 * settings().max_examples), 0, subjects)
    assert {name: (found["case"], found["told"]) for name, found in known.items()} == {}


@pytest.mark.parametrize("subject", ESTIMATORS)
def test_tame_cases_have_no_defects(worker, subject):
    assert worker.run(TAME | {"subject": subject}) is None


def test_engines_tell_the_same_of_a_criterion_of_a_wrong_shape(worker):
    assert worker.run(TAME | {"n": 2, "d": 3, "parameters": {"criterion": "one's own, of a wrong shape"}}) is None


def test_every_estimator_can_be_made_with_every_value():
    for estimator in ESTIMATORS:
        for parameter in parameters_of(estimator):
            assert values_of(estimator, parameter), parameter
            for value in values_of(estimator, parameter):
                make(estimator, {parameter: value})


def test_a_process_that_dies_is_a_crash_and_another_one_goes_on(worker):
    assert worker.run(TAME) is None

    def kill():
        time.sleep(0.5)
        os.kill(worker.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    found = None
    while found is None:  # the signal meets one of many cases
        found = worker.run(TAME | {"subject": "minimal_tree", "arguments": {}})
    thread.join()
    assert found[0].startswith(f"crash with code {-signal.SIGKILL}")
    assert worker.run(TAME) is None


def test_a_process_that_hangs_is_ended():
    worker = Worker(hangs=0.01)
    try:
        name, told = worker.run(TAME | {"n": 2000, "X": {"matrix": "normal", "container": "array"}})
    finally:
        worker.close()
    assert name.startswith("hang at ")
    assert "Timeout" in told


def test_a_case_is_run_by_the_program(capsys):
    assert fuzz.main(["--case", repr(TAME)]) == 0
    assert capsys.readouterr().out == "no defect\n"
    assert fuzz.main(["--case", repr(TAME | {"y": "no such labels"})]) == 1
    assert capsys.readouterr().out.startswith("the harness fails: KeyError")


def fit_nothing():
    DecisionTreeClassifier().fit(np.zeros((0, 2)), [])


def wrong_key():
    return {}["missing"]


def test_errors_of_users_are_no_defects():
    assert attempt("fit", fit_nothing)[:2] == ("error", "ValueError")
    assert attempt("sum", lambda: 1 + 1) == ("value", 2)


@pytest.mark.parametrize(
    ("error", "name"),
    [(KeyError("x"), "KeyError"), (ValueError(), "ValueError"), (RuntimeWarning("nan"), "RuntimeWarning")],
)
def test_other_errors_are_defects(error, name):
    assert_refuses(Defect, name, checked, error, "a step")


def test_errors_that_come_from_elsewhere_are_defects():
    assert_refuses(Defect, "KeyError at nowhere", attempt, "a step", wrong_key)


@pytest.mark.parametrize(("one", "other"), [(1, 2), (np.arange(2), np.arange(3)), (np.arange(2), np.arange(2.0))])
def test_different_results_are_defects(one, other):
    compare("a step", [("value", one), ("value", one)])
    assert_refuses(Defect, "disagree", compare, "a step", [("value", one), ("value", other)])
    assert_refuses(Defect, "one engine raises", compare, "a step", [("value", one), ("error", "ValueError", "wrong")])


@pytest.mark.parametrize("address", ["0x7f00ab", "0xFC02527FC40"])  # of Python, of NumPy
def test_addresses_in_memory_are_no_difference(address):
    assert attempt("repr", lambda: f"<RandomState at {address}>") == ("value", "<RandomState at 0x>")


@pytest.mark.parametrize("container", ["array", "frame", "objects", "frame, Int64", "CSR", "list"])
def test_input_that_is_written_to_is_reported(container):
    X, again = (features("grid", container, 5, 2, 0) for _ in range(2))
    assert frozen({"X": X}) == frozen({"X": again})
    if container == "frame" or container.startswith("frame"):
        again.iloc[0, 0] = 9
    elif container == "list":
        again[0][0] = 9.0
    else:
        again[0, 0] = 9.0
    assert frozen({"X": X}) != frozen({"X": again})


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda: clustering_distance([b"a", 1], [b"a", 1]), TypeError, "labels that cannot be sorted"),
        (lambda: clustering_distance([None, None], [None, None]), ValueError, "Input y_true contains None"),
        (lambda: FourierSpectrum.from_table(np.array([1j, 2.0])), ValueError, "must hold real numbers"),
        (lambda: FourierSpectrum.from_table(["word", 1.0]), ValueError, "must hold real numbers"),
        (lambda: FourierSpectrum.from_table(1.0), ValueError, "an axis for every attribute"),
    ],
)
def test_known_defects_stay_mended(function, error, message):
    assert_refuses(error, message, function)
