"""Cases as Hypothesis draws them: what is fitted, on what, and what is done to it, all by names and numbers.

A case is a dict of words and numbers. It is printed as it is, and `python -m tools.fuzz --case "..."` runs it again.
The tamest option of every choice comes first: Hypothesis shrinks a failing case to it where it can.
"""

from hypothesis import strategies as st

from .parameters import ESTIMATORS, parameters_of, values_of
from .tampered import ARRAYS, CHANGES
from .values import CONTAINERS, LABELS, MATRICES, ORDERS, WEIGHTS

# Functions that take samples or sequences as they come.
FUNCTIONS = (
    "effort_to_compress",
    "nsrps",
    "minimal_tree",
    "clustering_distance",
    "ranked_probability_score",
    "FourierSpectrum.from_table",
)


def _mostly(tame, table):
    """Draw a tame option in two cases of three, otherwise any option."""
    return st.one_of(st.sampled_from(tame), st.sampled_from(tame), st.sampled_from(list(table)))


_TAME_MATRICES = ("grid", "normal", "constant", "twice", "wide range", "zeros of both signs", "denormals")
_TAME_CONTAINERS = ("array", "frame", "list", "frame of kinds")
_TAME_LABELS = ("numbers", "words", "one class", "list", "words as objects", "ordered categories")
_TAME_WEIGHTS = ("not given", "whole", "real")


@st.composite
def _parameters(draw, estimator):
    names = draw(st.lists(st.sampled_from(parameters_of(estimator)), max_size=4, unique=True))
    return {name: draw(st.sampled_from(list(values_of(estimator, name)))) for name in sorted(names)}


def _features():
    return st.fixed_dictionaries(
        {"matrix": _mostly(_TAME_MATRICES, MATRICES), "container": _mostly(_TAME_CONTAINERS, CONTAINERS)}
    )


_TAMPERED = st.fixed_dictionaries(
    {
        "array": st.sampled_from(ARRAYS),
        "change": st.sampled_from(list(CHANGES)),
        "place": st.integers(0, 9),
    }
)


@st.composite
def cases(draw, subjects=ESTIMATORS + FUNCTIONS):
    """Draw a case."""
    subject = draw(st.sampled_from(subjects))
    case = {
        "subject": subject,
        "n": draw(st.integers(1, 24 if subject != "minimal_tree" else 9)),
        "d": draw(st.integers(1, 4)),
        "n_classes": draw(st.sampled_from((2, 3, 1, 6, 20))),
        "seed": draw(st.integers(0, 99)),
        "X": draw(_features()),
        "y": draw(_mostly(_TAME_LABELS, LABELS)),
    }
    if subject in ESTIMATORS:
        case["parameters"] = draw(_parameters(subject))
        case["weights"] = draw(_mostly(_TAME_WEIGHTS, WEIGHTS))
        case["order"] = draw(_mostly(("not given",), ORDERS))
        case["new X"] = draw(st.none() | _features())
        case["tampered"] = draw(st.none() | _TAMPERED)
    return case
