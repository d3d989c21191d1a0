"""Cases as Hypothesis draws them: what is fitted or called, on what, and what is done to it, by names and numbers.

A case is a dict of words and numbers. It is printed as it is, and `python -m tools.fuzz --case "..."` runs it again.
The tamest option of every choice comes first: Hypothesis shrinks a failing case to it where it can.
"""

from hypothesis import strategies as st

from .arguments import parameters_of as parameters_of_call
from .arguments import table_of
from .attacks import ATTACKS
from .calls import is_search
from .large import MIDDLE, edges_of
from .parameters import ESTIMATORS, is_searched, parameters_of, predicts_numbers, values_of
from .problem import is_fourier
from .surface import calls
from .values import CONTAINERS, GROUPS, LABELS, MATRICES, ORDERS, TARGETS, WEIGHTS

# Everything that is called: functions, classes, and methods.
FUNCTIONS = tuple(calls())

# The most samples of most cases, and of a search for a best tree.
_MOST_ROWS = 24
_MOST_SEARCHED = 9


def _mostly(tame, table):
    """Draw a tame option in two cases of three, otherwise any option."""
    return st.one_of(st.sampled_from(tame), st.sampled_from(tame), st.sampled_from(list(table)))


_TAME_MATRICES = ("grid", "normal", "NaN", "constant", "twice", "wide range", "zeros of both signs", "denormals")
_TAME_CONTAINERS = ("array", "frame", "list", "frame of kinds")
_TAME_LABELS = ("numbers", "words", "one class", "list", "words as objects", "ordered categories")
_TAME_WEIGHTS = ("not given", "whole", "real")


@st.composite
def _parameters(draw, estimator):
    names = draw(st.lists(st.sampled_from(parameters_of(estimator)), max_size=4, unique=True))
    return {name: draw(st.sampled_from(list(values_of(estimator, name)))) for name in sorted(names)}


@st.composite
def _arguments(draw, subject):
    """Draw arguments by name: some of the parameters, each the tamest or any."""
    if not (names := tuple(parameters_of_call(subject))):
        return {}
    chosen = draw(st.lists(st.sampled_from(names), max_size=4, unique=True))
    tables = {name: list(table_of(subject, name)) for name in sorted(chosen)}
    return {name: draw(_mostly(table[:3], table)) for name, table in tables.items()}


def _features():
    return st.fixed_dictionaries(
        {"matrix": _mostly(_TAME_MATRICES, MATRICES), "container": _mostly(_TAME_CONTAINERS, CONTAINERS)}
    )


def _sizes(subject):
    """Draw a number of samples: few; in one case of twelve as many as where the search changes its way.

    The Fourier algebra has no switch, and is slow in the reference.
    """
    few, many = st.integers(1, _MOST_ROWS), st.sampled_from(MIDDLE)
    if is_fourier(subject):
        return few
    if is_searched(subject):
        return st.integers(1, _MOST_SEARCHED)
    if subject in ESTIMATORS:
        many = st.one_of(many, st.sampled_from(edges_of(subject)))
    elif is_search(subject):
        return st.integers(1, _MOST_SEARCHED)
    return st.integers(0, 11).flatmap(lambda drawn: many if drawn == 11 else few)


@st.composite
def cases(draw, subjects=ESTIMATORS + FUNCTIONS):
    """Draw a case: of an estimator and of a call about equally often."""
    kinds = [[name for name in subjects if name in kind] for kind in (ESTIMATORS, FUNCTIONS)]
    subject = draw(st.one_of(*(st.sampled_from(kind) for kind in kinds if kind)))
    case = {
        "subject": subject,
        "n": draw(_sizes(subject)),
        "d": draw(st.integers(1, 4)),
        "n_classes": draw(st.sampled_from((2, 3, 1, 6, 20))),
        "seed": draw(st.integers(0, 99)),
        "X": draw(_features()),
        "y": draw(_mostly(tuple(TARGETS) if predicts_numbers(subject) else _TAME_LABELS, LABELS)),
    }
    if subject in ESTIMATORS:
        case["parameters"] = draw(_parameters(subject))
        case["weights"] = draw(_mostly(_TAME_WEIGHTS, WEIGHTS))
        case["order"] = draw(_mostly(("not given",), ORDERS))
        case["groups"] = draw(_mostly(("not given", "two"), GROUPS))
        case["new X"] = draw(st.none() | _features())
        case["attack"] = draw(st.none() | ATTACKS)
    else:
        case["arguments"] = draw(_arguments(subject))
    return case
