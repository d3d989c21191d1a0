"""numpydoc's validation of every public name: parameters, returns, links, examples, a verb that opens the summary."""

import importlib
import inspect
import re
from inspect import cleandoc

import pytest
from sources import PUBLIC_MODULES

import pytrees
from pytrees._docstrings import described_like

validate = pytest.importorskip("numpydoc.validate").validate

# numpydoc checks these too, and they are not asked for here.
NOT_CHECKED = {
    "GL01",  # the summary stands in the line of the opening quotes, as in PEP 257
    "ES01",  # a summary that says everything needs no second paragraph
}
# The docstring of the class has the links and the examples of its methods and properties.
NOT_CHECKED_OF_MEMBERS = NOT_CHECKED | {"SA01", "EX01"}

# A function's docstring starts with one of these; more verbs are welcome.
VERBS = """
    Add Apply Average Build Check Choose Combine Compute Convert Count Cut Decide Distil Divide Draw Drop Encode
    Evaluate Export Find Fit Generate Give Grow Judge List Load Make Measure Merge Number Pack Plot Predict
    Print Raise Read Rebuild Replace Resolve Return Score Search Select Simplify Sum Test Transform Whether Write
    Yield
""".split()  # noqa: SIM905

# A context manager yields, but not to its user.
EXCEPTIONS = {"pytrees.config_context": {"YD01"}}


def public_names():
    """Return the import paths of the public classes and functions, each once."""
    names = [f"pytrees.{name}" for name in pytrees.__all__ if not inspect.ismodule(getattr(pytrees, name))]
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(f"pytrees.{module_name}")
        public = [name for name in module.__all__ if callable(getattr(module, name)) and module_name != "typing"]
        names += [f"pytrees.{module_name}.{name}" for name in public if name not in pytrees.__all__]
    return names


def find(name):
    """Return the object of an import path."""
    parent, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(parent), attribute)
    except ModuleNotFoundError:
        return getattr(find(parent), attribute)


def members():
    """Return the import paths of the public methods and properties of public classes, an inherited one once.

    Members that come from other libraries are left out, and properties that the class describes as attributes.
    """
    found = {}
    for class_name in filter(lambda name: inspect.isclass(find(name)), public_names()):
        owner = find(class_name)
        for name, member in inspect.getmembers(owner):
            function = member.fget if isinstance(member, property) else member
            is_attribute = isinstance(member, property) and re.search(rf"^ *{name} ?:", owner.__doc__, re.MULTILINE)
            is_ours = inspect.isroutine(function) and (getattr(function, "__module__", None) or "").startswith(
                "pytrees"
            )
            if is_ours and not is_attribute and not name.startswith("_"):
                found.setdefault(f"{function.__module__}.{function.__qualname__}", f"{class_name}.{name}")
    return list(found.values())


@pytest.mark.parametrize("name", [*public_names(), *members()])
def test_docstrings_are_valid(name):
    not_checked = EXCEPTIONS.get(name, set()) | (NOT_CHECKED if name in public_names() else NOT_CHECKED_OF_MEMBERS)
    assert [error for error in validate(name)["errors"] if error[0] not in not_checked] == []


@pytest.mark.parametrize("name", [*public_names(), *members()])
def test_docstrings_of_functions_start_with_a_verb(name):
    found = find(name)
    if inspect.isroutine(found):
        assert found.__doc__.split()[0] in VERBS


@pytest.mark.parametrize("name", [*public_names(), *members()])
def test_documented_defaults_are_those_of_the_signature(name):
    found = find(name)
    is_compiled = (
        found.__module__.startswith("pytrees._core") if inspect.isclass(found) else not inspect.isroutine(found)
    )
    for parameter in () if is_compiled else inspect.signature(found).parameters.values():
        default = re.search(rf"^ *{parameter.name} : .*default=(.*)$", found.__doc__, re.MULTILINE)
        if default and not callable(parameter.default):
            assert eval(default[1]) == parameter.default, parameter.name


def measure(length, unit="m", /, *, digits=2):
    """Measure a length.

    Parameters
    ----------
    length, unit : float, str
        The measured length, and its unit.
    digits : int, default=2
        How many digits count.

        At least one.

    Returns
    -------
    str
        The measure.

    Notes
    -----
    By hand.
    """


def test_descriptions_that_are_missing_come_from_another_docstring():
    @described_like(measure)
    def estimate(length, *, digits=3):
        """Estimate a length.

        Parameters
        ----------
        digits : int, default=3
            As many as wanted.

        Examples
        --------
        None.
        """

    assert (
        estimate.__doc__
        == cleandoc(
            """Estimate a length.

        Parameters
        ----------
        length, unit : float, str
            The measured length, and its unit.
        digits : int, default=3
            As many as wanted.

        Returns
        -------
        str
            The measure.

        Examples
        --------
        None.
        """
        )
        + "\n"
    )


def test_attributes_that_a_class_declares_are_described():
    class Ruler:
        """A ruler.

        Attributes
        ----------
        width, height : int
            Its size.
        colour : str
            Its colour.
        """

    @described_like(Ruler)
    class Tape:
        """A tape."""

        colour: str

    assert Tape.__doc__ == "A tape.\n\nAttributes\n----------\ncolour : str\n    Its colour.\n"


def test_a_parameter_that_nothing_describes_is_an_error():
    with pytest.raises(KeyError, match="weight"):

        @described_like(measure)
        def weigh(length, weight):
            """Weigh."""
