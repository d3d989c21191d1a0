"""Which errors are defects, and what a call answers: a result, or the message of an error that users may get."""

import linecache
import os
import re
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Functions that may raise errors on the library's behalf, which say what is wrong with a user's input; hypothesis does
# so for the strategies of `pytrees.testing`.
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("sklearn", "joblib", "hypothesis"))
_OURS = tuple(f"{name}{os.sep}" for name in ("pytrees", "reference"))

# How questions for attributes start: an attribute that is not there for all parameters raises AttributeError.
ATTRIBUTE = "attribute "


class Defect(Exception):
    """Something that must not happen; its first argument is a short name that is equal for all cases of one defect."""


def place_of(error):
    """Return where an error comes from, and whether the library or scikit-learn raised it deliberately.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    place : str
        File and function of the innermost call that is the library's or scikit-learn's.
    deliberate : bool
        Whether that call raised it by a statement, or scikit-learn's checks did.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place, deliberate = "nowhere", False
    for number, frame in enumerate(frames):
        path = os.path.relpath(frame.filename, ROOT) if os.path.isabs(frame.filename) else frame.filename
        if any(library in frame.filename for library in _LIBRARIES):
            place, deliberate = f"{Path(path).name}: {frame.name}", True
        elif path.startswith(_OURS):
            line = linecache.getline(str(ROOT / path), frame.lineno).strip()
            place, deliberate = f"{path}: {frame.name}", line.startswith("raise") and number == len(frames) - 1
    return place, deliberate


def checked(error, step, documented=()):
    """Return the message of an error that users may get; raise a Defect for any other error.

    Parameters
    ----------
    error : Exception
    step : str
        The step that was done.
    documented : container of str
        Names of the errors that it raises by its docstring, besides ValueError and TypeError.

    Returns
    -------
    tuple of two str
        The name of the error, and its message.
    """
    name = type(error).__name__
    place, deliberate = place_of(error)
    if isinstance(error, Warning):
        raise Defect(f"warning {name}: {str(error)[:60]} at {place}", step) from error
    if isinstance(error, MemoryError) and str(error):
        return name, "no memory"
    if isinstance(error, OSError) and error.filename is not None:
        return name, str(error)  # the system's, which names the file that a user has named
    if ATTRIBUTE in step and isinstance(error, AttributeError) and deliberate:
        return name, str(error)  # as scikit-learn has it where an attribute is not there for all parameters
    is_allowed = isinstance(error, (ValueError, TypeError)) or name in documented
    if not (is_allowed and deliberate and str(error)):
        raise Defect(f"{name} at {place}", f"in {step}: {str(error)[:200]}") from error
    return name, str(error)


def attempt(step, function, documented=()):
    """Call a function; return its result, or the message of its error, without what differs from run to run."""
    try:
        found = function()
    except Exception as error:
        name, told = checked(error, step, documented)
        return "error", name, without_chance(told)
    return "value", without_chance(found) if isinstance(found, str) else found


def loosely(function):
    """Call a function that was given something broken; return its result, or that there is an error of any kind."""
    try:
        found = function()
        return "value", without_chance(found) if isinstance(found, str) else found
    except Exception as error:
        if isinstance(error, SystemError):
            raise Defect(f"SystemError at {place_of(error)[0]}", str(error)) from error
        return ("error",)


def without_chance(text):
    """Return a text without addresses in memory, and without the number of steps of a search."""
    return re.sub(r"0x[0-9a-fA-F]+|n_subproblems=\d+", "0x", text)
