"""Call a public function, class or method on both engines, and ask what it returns every question."""

import inspect
import re
from functools import cache, partial

import matplotlib.pyplot as plt

from pytrees import config_context

from .arguments import make_arguments, parameters_of, target_of
from .asked import asked
from .errors import Defect, attempt
from .plain import ENGINES, compare, greatest, plain
from .problem import Problem, frozen, quietly
from .surface import calls, names_of, public_names
from .tables import TABLES

# Models that have methods; what else has methods is what a function returns, or made with tame arguments.
_MODELS = {
    "Tree": "a Tree",
    "AdditiveModel": "an additive model",
    "MergedModel": "a merged model",
    "DistilledModel": "a distilled model",
    "ModelStream": "a stream",
    "FourierSpectrum": "a spectrum",
}

# Limits of time and memory end a search anywhere: what it has found until then is not compared.
_ENDS_ANYWHERE = ("time_limit", "memory_limit")

# The greatest of shares that are equal but for rounding is any of them.
_DECIDED_BY_ROUNDING = "predict"


def is_search(subject):
    """Whether a call searches for a best tree, which takes long on more than a few samples."""
    return "time_limit" in parameters_of(subject)


@cache
def _makers():
    """Return for every class of results the first function that returns one by its annotation."""
    found = {}
    for name in reversed(names_of("call")):
        thing = public_names()[name]
        if inspect.isfunction(thing):
            found |= dict.fromkeys(re.findall(r"\w+", str(inspect.signature(thing).return_annotation)), name)
    return found


def instance_of(owner, problem):
    """Make an object that has a method."""
    if owner.__name__ in _MODELS:
        return problem.model(_MODELS[owner.__name__])
    maker = _makers().get(owner.__name__)
    if maker is None:
        maker = next(name for name, thing in public_names().items() if thing is owner)
    tame = Problem(problem.case | {"subject": maker, "X": {"matrix": "grid", "container": "array"}, "y": "numbers"})
    positional, keywords = _ordered(maker, make_arguments(tame, {}))
    return quietly(partial(target_of(maker), *positional, **keywords))


def _ordered(subject, arguments):
    """Return arguments by position and by keyword."""
    positional, keywords = [], {}
    for name, value in arguments.items():
        kind = parameters_of(subject)[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional += [value] * 2
        elif kind is inspect.Parameter.KEYWORD_ONLY or len(positional) < list(parameters_of(subject)).index(name):
            keywords[name] = value
        else:
            positional.append(value)
    return positional, keywords


def _documented(subject):
    """Return the words of the docstring, among them the errors that it names."""
    owner, _ = calls()[subject]
    texts = [inspect.getdoc(thing) or "" for thing in (target_of(subject), owner) if thing is not None]
    return set(re.findall(r"\w+", " ".join(texts)))


def answers_of(case):
    """Call in the engine in force, and ask.

    Returns
    -------
    dict of str to tuple
        The answers by question; the call itself is the first.
    """
    problem, subject = Problem(case), case["subject"]
    owner, name = calls()[subject]
    function = target_of(subject)
    with config_context(engine="compiled"):
        if owner is not None and not inspect.ismethod(function):
            function = getattr(instance_of(owner, problem), name)
        arguments = quietly(make_arguments, problem, case["arguments"])
    positional, keywords = _ordered(subject, arguments)
    before, returned = quietly(frozen, arguments), []

    def call():
        returned.append(function(*positional, **keywords))
        return plain(returned[0])

    try:
        answers = {subject: attempt(subject, call, _documented(subject))}
        if quietly(frozen, arguments) != before:
            raise Defect(f"{subject} writes to what it is given", str(before)[:400])
        for result in returned:
            answers |= _asked_of_result(result, problem, subject)
    finally:
        plt.close("all")
    return answers


def _asked_of_result(result, problem, subject):
    """Ask what is public of a result; arguments are the tame ones of the table, X that of the case."""
    if type(result) not in _asked_classes():
        return {}
    known = {
        name: lambda name=name: next(iter(TABLES[name].values()))(problem) for name in ("effect", "schema", "tree")
    }
    known |= {"X": problem.grid, "y": problem.codes}
    documented = _documented(subject)
    return {
        f"{subject}: {step}": attempt(step, function, documented)
        for step, function in quietly(list, asked(result, known))
    }


@cache
def _asked_classes():
    return {public_names()[name] for kind in ("call", "result") for name in names_of(kind)}


def judge_call(case):
    """Call on all engines, and compare the answers."""
    problem, answers = Problem(case), []
    for engine in ENGINES:
        with config_context(engine=engine):
            answers.append(answers_of(case))
    if set(_ENDS_ANYWHERE) & case["arguments"].keys() and is_search(case["subject"]):
        return
    # A number is rounded as the greatest of those that it is computed from.
    closeness = problem.closeness and problem.closeness * greatest(answers[0])
    for step in answers[0]:
        if problem.closeness and step.endswith(_DECIDED_BY_ROUNDING):
            continue
        compare(step, [answer.get(step, ("not asked",)) for answer in answers], closeness)
