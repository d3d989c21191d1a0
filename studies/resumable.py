"""Runs that can be killed and started again: every finished task is a line in a file.

A line is a JSON object of settings, key and result, written at once. Nothing is ever removed from the file. A line
that is not whole, as a killed run may leave behind, counts as none; lines of other settings stay and are not used; of
several lines of a task the first counts.

`joblib.Memory` would not keep these promises. It deletes all results of a function when its source changes, even in a
comment, and does not notice when something changes that the function calls. A task that fails ends the others. Results
of other settings cannot be told from the present results. It keeps two files for every task, which takes about 1.7
seconds for 2,000 tasks that do nothing; the lines take 0.03.
"""

import hashlib
import json
import sys
import traceback

import numpy as np
import scipy
import sklearn
from joblib import Parallel, delayed

from pytrees import __version__
from pytrees._progress import progress
from pytrees.tour.program import add_common_options


def run_resumable(function, tasks, path, settings, *, n_jobs=None, label="tasks"):
    """Run tasks in parallel, append the result of each to a file as it finishes, and skip those that it holds.

    Parameters
    ----------
    function : callable
        Called with the arguments of a task; it must return data that JSON knows: lists, dicts, numbers, words.
    tasks : dict
        The arguments (a tuple) of every task by its key: a string, an integer, or a tuple of these. They start in this
        order; large tasks first keep all processes busy until the end. If data may change, a key should hold a digest
        of it, because arguments are not compared.
    path : pathlib.Path
        The file; it and its folder are made if they are absent.
    settings : dict
        Everything else that the results depend on, as JSON knows it: the parameters, and a version to be counted up
        when `function` changes. Results of other settings are not used.
    n_jobs : int, optional
        Tasks worked on at once, as in joblib.
    label : str, default="tasks"
        The word for the things that the progress bar counts.

    Returns
    -------
    dict
        Results by key, in the order of `tasks`, as JSON gives them back: tuples are lists, no matter when they were
        computed.

    Raises
    ------
    RuntimeError
        If tasks failed; when all others are finished, and in the file.
    OSError
        If the file cannot be read or written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from studies.resumable import run_resumable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "powers.jsonl")
    ...     first = run_resumable(pow, {"a": (2, 3), "b": (2, 4)}, path, {"version": 1})
    ...     again = run_resumable(pow, {"b": (2, 4), "c": (2, 5)}, path, {"version": 1})  # computes c alone
    ...     first, again, len(path.read_text().splitlines())
    ({'a': 8, 'b': 16}, {'b': 16, 'c': 32}, 3)
    """
    settings = _as_json(settings)
    finished = read_finished(path, settings)
    missing = {key: arguments for key, arguments in tasks.items() if key not in finished}
    if len(missing) < len(tasks):
        print(f"{len(tasks) - len(missing)} of {len(tasks)} {label} are finished in {path}.", file=sys.stderr)
    finished |= _run_missing(function, missing, path, settings, n_jobs, label)
    return {key: finished[key] for key in tasks}


def _run_missing(function, tasks, path, settings, n_jobs, label):
    """Return results by key, each of which is in the file before it counts as finished."""
    results, failures = {}, {}
    path.parent.mkdir(parents=True, exist_ok=True)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    attempts = parallel(delayed(_attempt)(function, settings, *task) for task in tasks.items())
    with path.open("a+b") as file:
        _end_torn_line(file)
        for key, line, failure in progress(attempts, len(tasks), label):
            if failure is None:
                file.write(line)
                file.flush()
                results[key] = json.loads(line)["result"]
            else:
                failures[key] = failure
    if failures:
        key, failure = next(iter(failures.items()))
        raise RuntimeError(
            f"{len(failures)} of {len(tasks)} tasks failed; the results of the others are in {path}. "
            f"The first, {key!r}:\n{failure}"
        )
    return results


def read_finished(path, settings):
    """Return the results in a file that were made with these settings, by key; an absent file has none."""
    settings = _as_json(settings)
    finished = {}
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    for line in lines:
        try:
            entry = json.loads(line)
            key, result = _key(entry["key"]), entry["result"]
            fits = entry["settings"] == settings
        except (ValueError, KeyError, TypeError):  # no JSON, or no line of `run_resumable`
            continue
        if fits:
            finished.setdefault(key, result)
    return finished


def digest_of(data, target, *numbers):
    """Return a word that differs if the data or the numbers differ, for the key of a task."""
    digest = hashlib.sha256(repr((data.shape, numbers)).encode())
    digest.update(np.ascontiguousarray(data, dtype=np.float64).tobytes())
    digest.update(np.ascontiguousarray(target, dtype=np.int64).tobytes())
    return digest.hexdigest()[:16]


def versions():
    """Return the versions of the packages that results depend on, for the settings of a run."""
    return {
        "pytrees": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def add_resumable_options(parser, repeated, default, kept):
    """Add the options of all studies, and name the file of the finished pieces."""
    add_common_options(parser, repeated, default)
    parser.epilog = (
        f"All finished {repeated} are kept in {kept} in the folder of the results. A run that was killed goes on where "
        f"it stopped, and one of more {repeated} computes only what is new."
    )


def _attempt(function, settings, key, arguments):
    """Return key, line of the file and None, or key, None and how the task failed."""
    try:
        entry = {"settings": settings, "key": key, "result": function(*arguments)}
        return key, json.dumps(entry).encode() + b"\n", None
    except Exception:
        return key, None, traceback.format_exc()


def _end_torn_line(file):
    """Begin a new line if the last line has no end, so that new results have lines of their own."""
    if file.seek(0, 2):
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _as_json(value):
    return json.loads(json.dumps(value))


def _key(listed):
    return tuple(listed) if isinstance(listed, list) else listed
