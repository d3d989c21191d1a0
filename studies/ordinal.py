"""The ordinal paper's experiment: five splitting criteria on its data sets, over many random splits.

The paper's protocol (Section IV) has stratified random splits of the sizes of Table I. Stratified fivefold
cross-validation on the training samples chooses the depth of a tree among 3, 5, 8 and 16, by mean absolute error, the
lowest of the best. The test samples give mean absolute error (MAE), kappa with quadratic weights (QWK) and ranked
probability score (RPS). Two more models are trees by ranking impurity in its original form, with unweighted children,
and constant answers: the most frequent class of the training samples, and their median class.

Further parts judge variants of the criteria and of the prediction by the same protocol, and draw Figures 2 and 3, which
needs no data.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.metrics import cohen_kappa_score, confusion_matrix, mean_absolute_error
from sklearn.model_selection import StratifiedKFold, train_test_split

from pytrees import OrdinalDecisionTreeClassifier
from pytrees.criteria import RankingImpurity
from pytrees.datasets import get_data_home, load_ordinal, ordinal_names
from pytrees.metrics import ranked_probability_score
from pytrees.trees.ordinal import median_class, mode_class

from .ordinal_impurities import report_impurities
from .ordinal_paper import CRITERIA, DEPTHS, N_FOLDS
from .ordinal_report import report
from .ordinal_variants import make_variants, report_variants
from .resumable import add_resumable_options, digest_of, run_resumable, versions
from .tables import load_present

SUMMARY = "five splitting criteria on the 44 data sets of the ordinal paper, with its statistics"

# Beside the paper's criteria: its Eq. 12 weights the children of ranking impurity, the original does not.
MORE_CRITERIA = {"ranking_unweighted": RankingImpurity(weighted=False)}

# Constant answers, and the classes that they give; their probabilities are the shares of the training samples.
CONSTANTS = {"majority": mode_class, "median": median_class}

# The parts of the study: the paper's experiment, variants of its criteria, and Figures 2 and 3.
PARTS = ("tables", "variants", "impurities")

KEPT = "ordinal_tasks.jsonl"
KEPT_VARIANTS = "ordinal_variants.jsonl"

# Counts up when the results of `judge_split` change.
PROTOCOL_VERSION = 1


def add_options(parser):
    """Add the options of the study."""
    add_resumable_options(parser, "splits", 20, f"{KEPT} and {KEPT_VARIANTS}")
    parser.add_argument(
        "--part",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="what to do; the impurities, which are Figures 1 to 3, need no data",
    )


def load_tables(options):
    """Load the data sets by name; name and leave out those whose file is absent, which not all may be."""
    if set(options.part) == {"impurities"}:
        return {}
    home = get_data_home(options.data_home)
    if home is None:
        raise FileNotFoundError("The ordinal data sets are files: name their folder by PYTREES_DATA or --data-home.")
    tables = load_present(partial(load_ordinal, data_home=home), ordinal_names())
    if not tables:
        raise FileNotFoundError(f"None of the ordinal data sets is in {home}.")
    return tables


def run(tables, options):
    """Run the parts of the study with their tables and pictures; return 0."""
    if "impurities" in options.part:
        report_impurities(options.output)
    if "tables" in options.part:
        run_ordinal(tables, options.splits, options.output, n_jobs=options.jobs)
    if "variants" in options.part:
        run_variants(tables, options.splits, options.output, n_jobs=options.jobs)
    return 0


def run_ordinal(tables, n_seeds, output, *, n_jobs=None):
    """Run the protocol on data sets, print the tables, and write CSV files and pictures.

    Parameters
    ----------
    tables : dict of str to sklearn.utils.Bunch
        Data sets by name, as :func:`pytrees.datasets.load_ordinal` gives them.
    n_seeds : int
        Random splits of every data set, of the seeds 0, 1, ...
    output : pathlib.Path
        Folder of the results; ``ordinal_tasks.jsonl`` in it keeps finished splits, as
        :func:`studies.resumable.run_resumable` says.
    n_jobs : int, optional
        Splits worked on at once.

    Returns
    -------
    list of dict
        For every model on every split: its data set and seed, and the result of :func:`judge_split`.
    """
    tell_small_classes(tables)
    results = judge_all(judge_split, tables, n_seeds, output / KEPT, settings(), n_jobs)
    report(results, {name: len(table.target_names) for name, table in tables.items()}, output)
    return results


def run_variants(tables, n_seeds, output, *, n_jobs=None):
    """Run the protocol with all variants, print their table, and write a CSV file; parameters as for
    :func:`run_ordinal`.

    Returns
    -------
    list of dict
        For every variant on every split: its data set and seed, and the result of :func:`judge_variants`.
    """
    of_variants = {**settings(), "study": "ordinal variants", "criteria": list(make_variants(2))}
    results = judge_all(judge_variants, tables, n_seeds, output / KEPT_VARIANTS, of_variants, n_jobs)
    report_variants(results, output)
    return results


def judge_all(judge, tables, n_seeds, path, settings, n_jobs):
    """Judge all splits of all data sets, except those that a file holds; return the rows in their order."""
    tasks = {}
    # Long tasks first, so that the last tasks to finish are short.
    for name in sorted(tables, key=lambda name: -tables[name].train_size * tables[name].data.shape[1]):
        table = tables[name]
        arguments = (table.data, table.target, len(table.target_names), table.train_size, table.test_size)
        digest = digest_of(*arguments)
        tasks |= {(name, digest, seed): (*arguments, seed) for seed in range(n_seeds)}
    finished = run_resumable(judge, tasks, path, settings, n_jobs=n_jobs, label="splits")
    of_split = {(name, seed): rows for (name, _, seed), rows in finished.items()}
    return [
        {"dataset": name, "seed": seed, **row}
        for name in tables
        for seed in range(n_seeds)
        for row in of_split[name, seed]
    ]


def settings():
    """Return everything that the results depend on, except the data and the seed."""
    return {
        "study": "ordinal",
        "version": PROTOCOL_VERSION,
        "criteria": [*CRITERIA, *MORE_CRITERIA],
        "depths": DEPTHS,
        "folds": N_FOLDS,
        **versions(),
    }


def tell_small_classes(tables):
    """Name the data sets in which a class has fewer training samples than cross-validation has parts."""
    # A stratified part has a class's share of the rows, rounded up or down.
    small = [
        name
        for name, table in tables.items()
        if np.bincount(table.target).min() * table.train_size < N_FOLDS * len(table.target)
    ]
    if small:
        print(
            f"A class has fewer training samples than cross-validation has parts ({N_FOLDS}) in {', '.join(small)}: "
            "some parts lack it."
        )


def judge_split(X, y, n_classes, train_size, test_size, seed):
    """Judge all criteria and the constant answers on one random split; return a row of figures for each."""
    # All classes of the scale, even if a part of the rows lacks some.
    models = {
        name: OrdinalDecisionTreeClassifier(MORE_CRITERIA.get(name, name), classes=np.arange(n_classes))
        for name in (*CRITERIA, *MORE_CRITERIA)
    }
    y_train, y_test, rows = judge_trees(models, X, y, n_classes, train_size, test_size, seed)
    counts = np.bincount(y_train, minlength=n_classes).astype(np.float64)[np.newaxis]
    y_proba = np.repeat(counts / counts.sum(), len(y_test), axis=0)
    for name, rule in CONSTANTS.items():
        predicted = np.full(len(y_test), rule(counts)[0])
        rows.append({"model": name, **measure(y_test, predicted, y_proba, n_classes)})
    return rows


def judge_variants(X, y, n_classes, train_size, test_size, seed):
    """Judge all variants on one random split; return a row of figures for each."""
    return judge_trees(make_variants(n_classes), X, y, n_classes, train_size, test_size, seed)[-1]


def judge_trees(models, X, y, n_classes, train_size, test_size, seed):
    """Judge trees by name on one random split; return the classes of both parts, and a row of figures for each tree."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=train_size, test_size=test_size, stratify=y, random_state=seed
    )
    rows = []
    for name, tree in models.items():
        started = time.perf_counter()
        tree.set_params(max_depth=choose_depth(tree, X_train, y_train)).fit(X_train, y_train)
        measured = measure(y_test, tree.predict(X_test), tree.predict_proba(X_test), n_classes)
        shape = {"max_depth": tree.max_depth, "depth": tree.get_depth(), "leaves": tree.get_n_leaves()}
        rows.append({"model": name, **measured, **shape, "seconds": round(time.perf_counter() - started, 4)})
    return y_train, y_test, rows


def choose_depth(model, X, y):
    """Choose the depth of the least mean absolute error in stratified cross-validation, the lowest of the best.

    The choice equals scikit-learn's ``GridSearchCV``, without its work around every fit.
    """
    errors = np.empty((len(DEPTHS), N_FOLDS))
    with warnings.catch_warnings():
        # `tell_small_classes` says it once for all splits.
        warnings.filterwarnings("ignore", message="The least populated class in y has only")
        folds = list(StratifiedKFold(N_FOLDS).split(X, y))
    for fold, (train, test) in enumerate(folds):
        fitted = None
        for place, depth in enumerate(DEPTHS):
            # A tree that did not reach its limit is the tree of every greater limit.
            if fitted is None or fitted.get_depth() == fitted.max_depth:
                fitted = clone(model).set_params(max_depth=depth).fit(X[train], y[train])
                error = np.abs(y[test] - fitted.predict(X[test])).mean()
            errors[place, fold] = error
    return DEPTHS[errors.mean(axis=1).argmin()]


def measure(y_true, predicted, y_proba, n_classes):
    """Compute the three measures, and count the samples by their class and the predicted one."""
    labels = np.arange(n_classes)
    return {
        "mae": float(mean_absolute_error(y_true, predicted)),
        "qwk": float(cohen_kappa_score(y_true, predicted, labels=labels, weights="quadratic")),
        "rps": ranked_probability_score(y_true, y_proba, labels=labels),
        "confusion": confusion_matrix(y_true, predicted, labels=labels).tolist(),
    }
