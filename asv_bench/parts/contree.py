"""Trees of fewest errors on the tables of ConTree's authors, beside ConTree and STreeD where they are installed.

The tables are the files of https://github.com/ConSol-Lab/contree, folder train-datasets, packed, in the folder contree
of the tables.
"""

import warnings
from functools import partial
from statistics import geometric_mean, median
from time import process_time
from typing import NamedTuple

import numpy as np

from pytrees import OptimalTreeClassifier, optimal_tree
from pytrees.datasets import get_data_home

from .timing import Quick, print_ratio, race

# The fewest errors of a tree of two, three and four levels: three and four as examples/contree_test.py of that
# repository lists them, two as three programs found them. Four levels of the other tables are not known.
FEWEST_ERRORS = {
    "bank": (82, 19, 0),
    "wilt": (37, 18, 2),
    "bidding": (95, 37, 16),
    "occupancy": (86, 47, 26),
    "room": (441, 62, 11),
    "segment": (786, 208, 76),
    "page": (200, 125, 91),
    "raisin": (91, 76),
    "rice": (203, 189),
    "avila": (4781, 4329),
    "htru": (300, 275),
    "magic": (2971, 2567),
    "bean": (3667, 1406),
    "eeg": (4012, 3495),
    "fault": (647, 494),
}
REPETITIONS = 3
LONG = 10.0  # a call of so many seconds has one turn
SOON = 1.0
SHARED = (("fault", 3), ("htru", 3), ("eeg", 3), ("room", 4), ("segment", 4))  # by two threads


class Answer(NamedTuple):
    seconds: float
    n_errors: int
    is_proven: bool


def load(name):
    """Return a table; raise FileNotFoundError if it is not there."""
    home = get_data_home()
    if home is None:
        raise FileNotFoundError("ConTree's tables are files: set PYTREES_DATA to the folder above them.")
    found = sorted((home / "contree").glob(f"{name}.txt*"))
    if not found:
        raise FileNotFoundError(f"{name}.txt is not in {home / 'contree'}.")
    table = np.loadtxt(found[0])
    return np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(np.int64)


def cut_at_quartiles(X):
    """Return a column of 0 and 1 for every quartile of every feature."""
    quartiles = [np.unique(np.quantile(column, (0.25, 0.5, 0.75))) for column in X.T]
    columns = [X[:, j] <= cut for j, cuts in enumerate(quartiles) for cut in cuts if cut < X[:, j].max()]
    return np.ascontiguousarray(np.transpose(columns), dtype=np.float64)


def contree(time_limit):
    """Measure optimal trees on ConTree's tables: processor seconds of whole calls in turns; what is found early."""
    try:
        tables = {name: load(name) for name in (["bank", "wilt"] if Quick.wanted else FEWEST_ERRORS)}
    except FileNotFoundError as error:
        print(f"ConTree's tables are left out: {error}")
        return
    with_contree, with_streed = _contestants("pycontree"), _contestants("pystreed")
    contradictions = []
    for depth in (2, 3, 4):
        of_depth = {name: errors[depth - 2] for name, errors in FEWEST_ERRORS.items() if depth < len(errors) + 2}
        for name in [name for name in of_depth if name in tables]:
            answers = _answers(with_contree, *tables[name], depth, time_limit)
            _print_answers(f"{name}, {depth} levels", answers)
            contradictions += _contradictions(name, depth, answers, of_depth[name])
            if depth > 2:
                contradictions += _look_soon(*tables[name], depth, of_depth[name])
    for name, depth in SHARED:
        if name in tables:
            _race_threads(f"{name}, {depth} levels", *tables[name], depth)
    ratios = []
    for name, (X, y) in tables.items():
        X = cut_at_quartiles(X)
        # Without a limit of time: with one, our search begins with trees that are grown.
        answers = _answers(with_streed, X, y, 3, None)
        ratios += _print_answers(f"{name} at quartiles, 3 levels, {X.shape[1]} columns", answers)
        contradictions += _contradictions(f"{name} at quartiles", 3, answers)
    if ratios:
        print(f"STreeD takes {geometric_mean(ratios):.2f} times as long in the geometric mean")
    if contradictions:
        raise AssertionError(contradictions)


def _answers(contestants, X, y, depth, time_limit):
    """Return the answers of every contestant, which take turns."""
    answers = {name: [] for name in contestants}
    for _ in range(1 if Quick.wanted else REPETITIONS):
        for name, find in contestants.items():
            if not answers[name] or answers[name][-1].seconds < LONG:
                answers[name].append(find(X, y, depth, time_limit))
    return answers


def _print_answers(title, answers):
    """Print median seconds, errors, and how many times as long the others take; return these ratios."""
    seconds = {name: median(answer.seconds for answer in found) for name, found in answers.items()}
    ours = seconds["pytrees"]
    line = title.ljust(44)
    for name, found in answers.items():
        proven = "" if found[-1].is_proven else " not proven"
        line += f"{name:>10} {seconds[name]:9.4f} s {found[-1].n_errors:5d} errors{proven}"
    ratios = [taken / ours for name, taken in seconds.items() if name != "pytrees"]
    print(line + "".join(f" {ratio:7.2f}×" for ratio in ratios))
    return ratios


def _contradictions(name, depth, answers, fewest=None):
    """Return which answers contradict each other, or the known fewest errors."""
    found = [(contestant, answer) for contestant, several in answers.items() for answer in several]
    proven = {answer.n_errors for _, answer in found if answer.is_proven} | ({fewest} - {None})
    return [
        f"{name}, {depth} levels: {contestant} found {answer.n_errors}, known are {sorted(proven)}"
        for contestant, answer in found
        if len(proven) > 1 or answer.n_errors < max(proven, default=0)
    ]


def _race_threads(title, X, y, depth):
    """Compare two threads with one by the clock: other work on the machine lowers the ratio."""
    trees = {f"{n} thread{'s' * (n > 1)}": OptimalTreeClassifier(max_depth=depth, n_jobs=n) for n in (2, 1)}
    print_ratio(title, race({name: partial(tree.fit, X, y) for name, tree in trees.items()}, lambda rng: (), 3))


def _look_soon(X, y, depth, fewest):
    """Print what is known after a short time; return a contradiction, if there is one."""
    found = optimal_tree(X, y, max_depth=depth, time_limit=SOON)
    bound = round(found.lower_bound * len(y))
    more = f" ({found.n_errors / fewest - 1:+.1%})" if fewest else ""
    print(f"{f'    after {SOON} s':44} {found.n_errors} errors{more}, at least {bound}")
    if bound <= fewest <= found.n_errors:
        return []
    return [f"after {SOON} s, {depth} levels: bound {bound}, fewest {fewest}, found {found.n_errors}"]


# ---------------------------------------------------------------------------------------------------------- contestants


def _contestants(other):
    """Return our search and, if it is installed, another one."""
    contestants = {"pytrees": _ours}
    try:
        if other == "pycontree":
            from pycontree import ConTree

            contestants["ConTree"] = lambda *problem: _theirs(ConTree, *problem)
        else:
            from pystreed import STreeDClassifier

            contestants["STreeD"] = lambda X, *problem: _theirs(STreeDClassifier, X.astype(np.int32), *problem)
    except ImportError:
        print(f"Nothing is compared with {other}: pip install {other}")
    return contestants


def _ours(X, y, depth, time_limit):
    start = process_time()
    found = optimal_tree(X, y, max_depth=depth, time_limit=time_limit)
    return Answer(process_time() - start, found.n_errors, found.is_proven)


def _theirs(estimator, X, y, depth, time_limit):
    """Fit another library's estimator. At the end of the time limit ConTree warns, and STreeD has a result that says
    so."""
    limits = {"max_depth": depth} | ({} if time_limit is None else {"time_limit": time_limit})
    start = process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model = estimator(**limits).fit(X, y)
    seconds = process_time() - start
    was_stopped = any("time limit" in str(warning.message) for warning in caught)
    is_proven = model.fit_result.is_optimal() if hasattr(model, "fit_result") else not was_stopped
    return Answer(seconds, int(np.count_nonzero(model.predict(X) != y)), bool(is_proven))
