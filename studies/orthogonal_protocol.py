"""One seed of the study of orthogonal trees: a data set of the paper, or a large forest.

All results are lists and numbers as JSON knows them.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold, train_test_split

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OrthogonalTreesClassifier,
    ReconstructedFourierTree,
    merge_redundant,
)
from pytrees.fourier import ordinal_codes
from pytrees.fourier.orthogonal import least_squares

from .orthogonal_paper import ENERGY

# Counts up when the results of the functions below change.
PROTOCOL_VERSION = 2

# For the cross-validation of C4.5.
N_FOLDS = 10

# Leaves of an aggregated tree and of a component's tree: the paper limits them, and does not say how.
MAX_LEAF_NODES = 32

# Leaves of the aggregated trees that show the cost of the limit.
LEAVES = (8, 32, 128, 512)

# Measure of the domain, and whether the functions are centred; the paper's come first.
VARIANTS = {
    "uniform": ("uniform", False),
    "uniform_centered": ("uniform", True),
    "empirical": ("empirical", False),
    "empirical_centered": ("empirical", True),
}

# For the large forest.
N_FOREST_TREES = 500
FOREST_COMPONENTS = (1, 2, 3, 5, 10, 20)
TEST_SHARE = 0.3


def c45(n_features):
    """Make a C4.5 tree on categories; a bag may lack some of them."""
    return C45Classifier(categorical_features=list(range(n_features)), handle_unknown="majority")


# ------------------------------------------------------------------------------------------------ a data set, one seed


class HeldOutRows(NamedTuple):
    """The samples that models are judged on.

    `vote` is the class that most trees of the ensemble give them, the lower of two.
    """

    X: np.ndarray
    y: np.ndarray
    vote: np.ndarray

    @classmethod
    def of(cls, X, y, members):
        predicted = [member.predict(X) for member in members]
        return cls(X, y, (2 * np.sum(predicted, axis=0) > len(predicted)).astype(np.int64))

    def judged(self, name, predicted, nodes, merged):
        """Return a row of the results.

        Returns
        -------
        list
            The name; the share of the rows that the model gets wrong; the mean of the shares of the classes' rows that
            it gets right; the share that it calls class 1; the share that it calls otherwise than the vote; its nodes,
            and its nodes when redundant splits are merged, of several trees means.
        """
        right = predicted == self.y
        balanced = np.mean([right[self.y == label].mean() for label in np.unique(self.y)])
        differs = np.mean(predicted != self.vote)
        figures = (1.0 - right.mean(), balanced, predicted.mean(), differs, nodes, merged)
        return [name, *(round(float(figure), 6) for figure in figures)]


def judge(X, y, n_train, drawn, setting, seed):
    """Judge all models on one division of the samples.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Codes.
    y : ndarray of shape (n_samples,)
        0 or 1.
    n_train : int
        The rows to train on.
    drawn : bool
        Whether these rows are drawn; otherwise they are the first rows.
    setting : dict
        ``n_trees``, ``max_features``, ``n_components`` and ``max_samples`` of a
        :class:`studies.orthogonal_paper.Setting`.
    seed : int
        For the rows, if they are drawn, for bags and for the forest.

    Returns
    -------
    dict
        ``rows``, for every model the result of :meth:`HeldOutRows.judged`; ``out_of_bag``, the error of the forest on
        the training samples that a tree has not seen; ``leaves``, by measure, of aggregated trees of `LEAVES` leaves at
        most the errors and how often they differ from the vote; ``variance``, by variant the shares of all components;
        ``curves``, by variant and way to combine, the errors of the first 1, 2, ... components; ``overlap``, by variant
        the greatest absolute cosine between two of the components' trees; ``cross_validation``, the result of
        :func:`cross_validate_c45` for the training samples; ``members``, for every bagged tree its error and nodes, and
        the error and nodes of the tree rebuilt from it.
    """
    rows = np.random.RandomState(seed).permutation(len(y)) if drawn else np.arange(len(y))
    train = X[rows[:n_train]], y[rows[:n_train]]
    bag, forest = fit_ensembles(train, setting, seed)
    test = HeldOutRows.of(X[rows[n_train:]], y[rows[n_train:]], bag.estimators_)
    rebuilt = rebuild_members(bag, train)
    found = [*judge_simple(train, test), *judge_grown(bag, forest, train, test), *judge_rebuilt(rebuilt, test)]
    one = aggregated(bag)
    found += [judge_one(f"aft_{name}", tree.fit(*train), test) for name, tree in one.items()]
    result = {"rows": found, "variance": {}, "curves": {}, "overlap": {}, "leaves": {}}
    result["cross_validation"] = cross_validate_c45(*train, seed)
    result["members"] = judge_members(bag, rebuilt, test)
    result["out_of_bag"] = round(1.0 - forest.oob_score_, 6)
    for measure in ("uniform", "empirical"):
        trees = [clone(one[measure]).set_params(max_leaf_nodes=n_leaves).fit(*train) for n_leaves in LEAVES]
        rows = [judge_one("", tree, test) for tree in trees]
        result["leaves"][measure] = [[row[1], row[4]] for row in rows]
    for name, (measure, center) in VARIANTS.items():
        components = Components(bag, measure, center, train, test)
        found += components.judge(name, setting["n_components"])
        result["variance"][name] = np.round(components.model.explained_variance_ratio_, 6).tolist()
        result["curves"][name] = components.curves(setting["n_components"])
        result["overlap"][name] = components.overlap(setting["n_components"])
    return result


def fit_ensembles(train, setting, seed):
    """Fit bagged trees and the random forest."""
    tree = c45(train[0].shape[1])
    bag = BaggingClassifier(tree, setting["n_trees"], max_samples=setting["max_samples"], random_state=seed)
    forest = DecisionForestClassifier(
        setting["n_trees"],
        criterion="entropy",
        max_features=setting["max_features"],
        oob_score=True,
        random_state=seed,
    )
    with warnings.catch_warnings():
        # With ten trees some rows are in all bags; the other rows tell the error.
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        return bag.fit(*train), forest.fit(*train)


def judge_simple(train, test):
    """Judge models that are no tree: one class always, and one split."""
    stump = DecisionTreeClassifier("entropy", max_depth=1).fit(*train)
    # The second one needs the classes of the test samples, as do weights that are fitted to them.
    constants = {"majority": np.bincount(train[1]).argmax(), "best_constant": np.bincount(test.y).argmax()}
    rows = [test.judged(name, np.full(len(test.y), label), 1, 1) for name, label in constants.items()]
    return [*rows, test.judged("stump", stump.predict(test.X), *sizes([stump.tree_]))]


def sizes(trees):
    """Count nodes, and nodes when redundant splits are merged, means over trees."""
    return np.mean([(tree.node_count, merge_redundant(tree).node_count) for tree in trees], axis=0)


def judge_grown(bag, forest, train, test):
    """Judge C4.5, a tree not pruned, bagged trees of C4.5 alone and together, and the random forest."""
    pruned = c45(train[0].shape[1]).fit(*train)
    unpruned = DecisionTreeClassifier("entropy").fit(*train)
    nodes = sizes([member.tree_ for member in bag.estimators_])
    return [
        test.judged("c45", pruned.predict(test.X), *sizes([pruned.tree_])),
        test.judged("tree", unpruned.predict(test.X), *sizes([unpruned.tree_])),
        mean_of([test.judged("bagged_alone", member.predict(test.X), *nodes) for member in bag.estimators_]),
        test.judged("bagging", bag.predict(test.X), *nodes),
        test.judged("forest", forest.predict(test.X), *sizes([member.tree_ for member in forest.estimators_])),
    ]


def mean_of(rows):
    """Return the row of means of some trees' rows."""
    return [rows[0][0], *np.round(np.mean([row[1:] for row in rows], axis=0), 6).tolist()]


def cross_validate_c45(X, y, seed):
    """Cross-validate C4.5 on training samples, in ten stratified folds that the seed draws.

    Returns
    -------
    list
        The root of the mean squared error of the classes' shares in the leaves, as Weka has it; the mean
        error of the folds; and the standard deviation of the folds' errors.
    """
    shares, of_folds = np.zeros(len(y)), []
    for train, held_out in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y):
        model = c45(X.shape[1]).fit(X[train], y[train])
        shares[held_out] = model.predict_proba(X[held_out])[:, 1]
        of_folds.append(np.mean(model.predict(X[held_out]) != y[held_out]))
    figures = np.sqrt(np.mean((shares - y) ** 2)), np.mean(of_folds), np.std(of_folds, ddof=1)
    return [round(float(figure), 6) for figure in figures]


def rebuild_members(bag, train):
    """Rebuild every bagged tree from most of its spectrum, with no more leaves than it has."""
    return [
        ReconstructedFourierTree(
            FrozenEstimator(member), energy=ENERGY, max_leaf_nodes=max(2, member.tree_.n_leaves)
        ).fit(*train)
        for member in bag.estimators_
    ]


def judge_members(bag, rebuilt, test):
    """Return, for every bagged tree, its error and nodes, and the error and nodes of the tree rebuilt from it.

    The last number counts the rebuilt tree's nodes with redundant splits merged.
    """
    found = []
    for member, tree in zip(bag.estimators_, rebuilt, strict=True):
        errors = [round(float(np.mean(one.predict(test.X) != test.y)), 6) for one in (member, tree)]
        counts = member.tree_.node_count, tree.tree_.node_count, tree.merged_node_count_
        found.append([errors[0], int(counts[0]), errors[1], int(counts[1]), int(counts[2])])
    return found


def judge_rebuilt(rebuilt, test):
    """Judge the rebuilt trees alone and together."""
    alone = [
        test.judged("rebuilt_alone", tree.predict(test.X), tree.tree_.node_count, tree.merged_node_count_)
        for tree in rebuilt
    ]
    together = HeldOutRows.of(test.X, test.y, rebuilt).vote
    return [mean_of(alone), test.judged("rebuilt", together, *mean_of(alone)[-2:])]


def aggregated(ensemble):
    """Make one tree of all trees without a fit: from truncated spectra as in the paper, and under both measures."""
    options = {
        "energy": {"energy": ENERGY},
        "uniform": {"measure": "uniform"},
        "empirical": {"measure": "empirical"},
    }
    shared = {"estimator": FrozenEstimator(ensemble), "max_leaf_nodes": MAX_LEAF_NODES}
    return {name: AggregatedFourierTreeClassifier(**shared, **of_one) for name, of_one in options.items()}


def judge_one(name, tree, test):
    """Return the row of a fitted tree that is made of several."""
    return test.judged(name, tree.predict(test.X), tree.tree_.node_count, tree.merged_node_count_)


class Components:
    """All principal components of an ensemble as trees, and their values at the training and test samples."""

    def __init__(self, ensemble, measure, center, train, test, n_components=1.0):
        self.model = OrthogonalTreesClassifier(
            FrozenEstimator(ensemble),
            n_components=n_components,
            combine="first",
            center=center,
            measure=measure,
            max_leaf_nodes=MAX_LEAF_NODES,
        ).fit(*train)
        self.center, self.test = center, test
        # The components at the rows, and the rows' classes.
        self.at_train, self.at_test = ((self.model.evaluate(X)[:, :, 0], y) for X, y in (train, (test.X, test.y)))

    def predict(self, weights, intercept):
        """Predict the classes of the test samples by the weights of the first components."""
        # Rounded, so that rounding does not decide between equal votes.
        scores = np.round(intercept + self.at_test[0][:, : len(weights)] @ weights, 10)
        return (scores > 0.5).astype(np.int64)

    def by_vote(self, n_components):
        """Return the first components' share of the mean vote."""
        weights = self.model.components_[:n_components].mean(axis=1)
        return self.predict(weights, self.model.intercept_[0])

    def by_least_squares(self, n_components, rows):
        """Return the first components with the weights that fit some samples best."""
        outputs, y = rows
        targets = y[:, np.newaxis].astype(np.float64)
        intercept, weights = least_squares(
            outputs[:, :n_components].T[:, :, np.newaxis], targets, intercept=self.center
        )
        return self.predict(weights, intercept[0])

    def judge(self, variant, n_components):
        """Judge the first components: with weights of the vote, or fitted to training or to test samples."""
        model = self.model
        first = (model.node_counts_[0], model.merged_node_counts_[0])
        several = (model.node_counts_[:n_components].mean(), model.merged_node_counts_[:n_components].mean())
        alone = self.predict(model.weights_[:1], model.intercept_[0])
        rows = [
            self.test.judged(f"first_{variant}", alone, *first),
            self.test.judged(f"vote_{variant}", self.by_vote(n_components), *several),
        ]
        for end, fitted_to in (("", self.at_train), ("_test", self.at_test)):
            for name, n, nodes in (("first_fitted", 1, first), ("least_squares", n_components, several)):
                rows.append(self.test.judged(f"{name}_{variant}{end}", self.by_least_squares(n, fitted_to), *nodes))
        return rows

    def curves(self, n_most):
        """Return errors of the first 1, 2, ... components."""
        counts = range(1, min(n_most, self.model.n_components_) + 1)
        y = self.test.y
        return {
            "vote": [round(float(np.mean(self.by_vote(n) != y)), 6) for n in counts],
            "least_squares": [round(float(np.mean(self.by_least_squares(n, self.at_train) != y)), 6) for n in counts],
        }

    def overlap(self, n_most):
        """Return the greatest absolute cosine between two of the first components' trees: 0 if they are orthogonal."""
        products = self.model.gram_[:n_most, :n_most]
        norms = np.sqrt(np.maximum(np.diag(products), np.finfo(np.float64).tiny))
        cosines = np.abs(products / np.outer(norms, norms))
        np.fill_diagonal(cosines, 0.0)
        return round(float(cosines.max(initial=0.0)), 6)


# ------------------------------------------------------------------------------------------------------- a large forest


def compress(X, y, n_trees, seed):
    """Compress a random forest to one tree, and to 1, 2, ... trees.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Real numbers.
    y : ndarray of shape (n_samples,)
        0 or 1.
    n_trees : int
    seed : int
        For the division of the rows and for the forest.

    Returns
    -------
    dict
        ``n_trees``; ``rows``, a list for every model, with the nodes of all its trees; ``components``: lists of a
        variant, a number of components, their share of the variance, their nodes, and the errors of their vote and with
        weights of least squares on the training samples.
    """
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=seed)
    train = X_train, y_train
    forest = RandomForestClassifier(n_trees, random_state=seed).fit(*train)
    test = HeldOutRows.of(X_test, y_test, forest.estimators_)
    trees = ordinal_codes(forest).trees
    pruned, unpruned = C45Classifier().fit(*train), DecisionTreeClassifier("entropy").fit(*train)
    rows = [
        test.judged("majority", np.full(len(y_test), np.bincount(y_train).argmax()), 1, 1),
        test.judged("c45", pruned.predict(X_test), *sizes([pruned.tree_])),
        test.judged("tree", unpruned.predict(X_test), *sizes([unpruned.tree_])),
        test.judged("forest", forest.predict(X_test), *len(trees) * sizes(trees)),
    ]
    for measure in ("uniform", "empirical"):
        one = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure=measure, max_leaf_nodes=MAX_LEAF_NODES)
        rows.append(judge_one(f"aft_{measure}", one.fit(*train), test))
    components = []
    for name, (measure, center) in VARIANTS.items():
        found = Components(forest, measure, center, train, test, max(FOREST_COMPONENTS))
        ratios, nodes = found.model.explained_variance_ratio_, found.model.node_counts_
        for n in FOREST_COMPONENTS:
            answers = found.by_vote(n), found.by_least_squares(n, found.at_train)
            figures = (ratios[:n].sum(), nodes[:n].sum(), *(np.mean(labels != y_test) for labels in answers))
            components.append([name, n, *(round(float(figure), 6) for figure in figures)])
    return {"n_trees": n_trees, "rows": rows, "components": components}
