"""Which tree for me: the scores of every family of trees beside scikit-learn's random forest and histogram boosting.

A question has tables and models of its own. The samples of a table, 700 at most, are divided by fivefold
cross-validation, twice; the folds have the classes' shares, if there are classes. All models of a question see the same
folds, and have their default parameters, except for the limits that the question is about. Models are compared in pairs
over the tables of a question: a table counts once, with its mean over the folds.

Fits run on one thread, because their processor time is compared: scikit-learn's boosting would take every core.

Samples that arrive in time are not shuffled. They come in windows of up to 600, whose first three quarters train and
whose last quarter tests, as in the study of order.
"""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from pytrees.datasets import get_data_home

from . import order
from .choose_models import JUDGES, boosting, leaves_of, timed_fit
from .choose_report import QUESTIONS, report
from .choose_tables import load_problems
from .order_tables import GENERATORS, load_ordered, make_ordered
from .resumable import add_resumable_options, digest_of, run_resumable, versions

SUMMARY = "which tree for which question, beside a random forest and histogram boosting"

KEPT = "choose_tasks.jsonl"

# Counts up when the results of a task change.
PROTOCOL_VERSION = 2

N_FOLDS = 5


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "repetitions", 2, KEPT)
    parser.add_argument(
        "--question", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), help="what to ask (default: everything)"
    )


def load_tables(options):
    """Load the tables of all questions that are asked; those whose file is absent are named and left out."""
    home = get_data_home(options.data_home)
    if home is None:
        raise FileNotFoundError("The tables are files: name their folder by PYTREES_DATA or --data-home.")
    tables = load_problems(home)
    if "time" in options.question:
        made = {f"{name} {seed + 1}": make_ordered(name, seed) for name in GENERATORS for seed in range(order.N_SEEDS)}
        tables["time"] = load_ordered(home) | made
    return {question: tables[question] for question in options.question}


def run(tables, options):
    """Run the study; return 0."""
    tasks = {}
    for question, problems in tables.items():
        for name, problem in problems.items():
            if question == "time":
                key = (question, name, digest_of(problem.data, problem.target), 0)
                tasks[key] = (judge_windows, problem)
                continue
            digest = digest_of(problem.X, problem.y, *problem.categorical)
            for repetition in range(options.repetitions):
                tasks[question, name, digest, repetition] = (judge_folds, question, problem, repetition)
    settings = {"study": "choose", "version": PROTOCOL_VERSION, "folds": N_FOLDS, **versions()}
    found = run_resumable(order.call, tasks, options.output / KEPT, settings, n_jobs=options.jobs, label="tasks")
    rows = [
        {"question": question, "table": name, "repetition": repetition, **row}
        for (question, name, _, repetition), result in found.items()
        for row in result
    ]
    report(rows, options.output)
    return 0


@threadpool_limits.wrap(limits=1)
def judge_folds(question, problem, repetition):
    """Judge all models of a question on the folds of one repetition; return a row for each model and fold."""
    rows = []
    for fold, (train, test) in enumerate(folds_of(problem, repetition)):
        parts = [(problem.X[part], problem.y[part]) for part in (train, test)]
        judged = JUDGES[question](question, *parts, problem.categorical, repetition * N_FOLDS + fold)
        rows += [{"fold": fold, **row} for row in judged]
    return rows


def folds_of(problem, repetition):
    """Divide samples at random, or with the shares of the classes."""
    kind = KFold if problem.y.dtype == np.float64 else StratifiedKFold
    with warnings.catch_warnings():
        # Some classes have fewer samples than there are folds; all models see the same folds.
        warnings.filterwarnings("ignore", message="The least populated class in y has only")
        return list(kind(N_FOLDS, shuffle=True, random_state=repetition).split(problem.X, problem.y))


@threadpool_limits.wrap(limits=1)
def judge_windows(table):
    """Judge all models on the windows of an ordered table; return a row for each model and window."""
    before = np.r_[table.target[0], table.target[:-1]]
    rows = []
    for number, (train, test) in enumerate(order.windows_of(len(table.target))):
        for name, (make, is_told) in timed_models().items():
            columns = (*table.categorical, table.data.shape[1]) if is_told else table.categorical
            data = np.column_stack([table.data, before]) if is_told else table.data
            model = make(columns, number)
            seconds = timed_fit(model, data[train], table.target[train])
            recall = order.mean_recall(table.target[test], model.predict(data[test]))
            rows.append(
                {"fold": number, "model": name, "recall": recall, "seconds": seconds, "leaves": leaves_of(model)}
            )
        persistent = order.mean_recall(table.target[test], before[test])
        rows.append({"fold": number, "model": "before", "recall": persistent, "seconds": None, "leaves": None})
    return rows


def timed_models():
    """Return the models of the question of time by name, and whether they are told the class before."""

    def of_study(name):
        return lambda columns, seed: order.MODELS[name](list(columns) or None, seed)

    plain = {
        "etc": of_study("etc"),
        "gini": of_study("gini"),
        "permutation_forest": of_study("permuted"),
        "block_forest": of_study("moving_block"),
        "rf": lambda columns, seed: RandomForestClassifier(random_state=seed),
        "hgb": boosting,
    }
    told = {f"{name}_told": (plain[name], True) for name in ("gini", "rf", "hgb")}
    return {name: (make, False) for name, make in plain.items()} | told
