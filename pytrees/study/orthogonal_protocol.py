"""What the study of orthogonal trees does with one seed: a data set of the paper, or a large forest.

All of it gives lists and numbers as JSON knows them. A row of the results is a model's: its name, the share of the test
rows that it gets wrong, the mean of the classes' shares that it gets right, the share of the test rows that it calls
class 1, its nodes, and its nodes when redundant splits are merged. Of several trees nodes are means over the trees.
"""

import numpy as np
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from .. import (
    AggregatedFourierTreeClassifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    OrthogonalTreesClassifier,
    ReconstructedFourierTree,
    merge_redundant,
)
from ..fourier import ordinal_codes
from ..orthogonal import least_squares
from .orthogonal_paper import ENERGY

# Counts up when the results of the functions below change.
PROTOCOL_VERSION = 1

# Leaves of an aggregated tree and of a component's tree: the paper limits them, and does not say how.
MAX_LEAF_NODES = 32

# Measure of the domain, and whether the functions are centred; the paper's come first.
VARIANTS = {
    "uniform": ("uniform", False),
    "uniform_centered": ("uniform", True),
    "empirical": ("empirical", False),
    "empirical_centered": ("empirical", True),
}

# Of the large forest.
N_FOREST_TREES = 500
FOREST_COMPONENTS = (1, 2, 3, 5, 10, 20)
TEST_SHARE = 0.3


def base_tree():
    """A tree that is grown on a bag, and alone."""
    return DecisionTreeClassifier("entropy", min_samples_leaf=2)


# ------------------------------------------------------------------------------------------------ a data set, one seed


def judge(X, y, n_train, drawn, setting, seed):
    """All models on one division of the rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Codes.
    y : ndarray of shape (n_samples,)
        0 or 1.
    n_train : int
        The rows to train on.
    drawn : bool
        Whether they are drawn; otherwise they are the first ones.
    setting : dict
        ``n_trees``, ``max_features``, ``n_components`` and ``max_samples`` of a
        :class:`pytrees.study.orthogonal_paper.Setting`.
    seed : int
        Of the rows, if they are drawn, of bags and of the forest.

    Returns
    -------
    dict
        ``rows``, a list for every model; ``variance``, by variant the shares of all components; ``curves``, by variant
        and way to combine, the errors of the first 1, 2, ... components; ``overlap``, by variant the greatest absolute
        cosine between two of the components' trees.
    """
    rows = np.random.RandomState(seed).permutation(len(y)) if drawn else np.arange(len(y))
    train, test = (X[rows[:n_train]], y[rows[:n_train]]), (X[rows[n_train:]], y[rows[n_train:]])
    bag = BaggingClassifier(base_tree(), setting["n_trees"], max_samples=setting["max_samples"], random_state=seed).fit(
        *train
    )
    forest = DecisionForestClassifier(
        setting["n_trees"], criterion="entropy", max_features=setting["max_features"], random_state=seed
    ).fit(*train)
    found = [*judge_constants(train, test), *judge_trees(bag, forest, train, test)]
    found += [*judge_rebuilt(bag, train, test), *judge_aggregated(bag, train, test)]
    result = {"rows": found, "variance": {}, "curves": {}, "overlap": {}}
    for name, (measure, center) in VARIANTS.items():
        measure = even(bag, train) if measure == "uniform" else measure
        components = Components(bag, measure, center, train, test)
        found += components.judge(name, setting["n_components"])
        result["variance"][name] = np.round(components.model.explained_variance_ratio_, 6).tolist()
        result["curves"][name] = components.curves(setting["n_components"])
        result["overlap"][name] = components.overlap(setting["n_components"])
    return result


def judged(name, predicted, y, nodes, merged):
    """A row of the results."""
    right = predicted == y
    balanced = np.mean([right[y == label].mean() for label in np.unique(y)])
    figures = (1.0 - right.mean(), balanced, predicted.mean(), nodes, merged)
    return [name, *(round(float(figure), 6) for figure in figures)]


def judge_constants(train, test):
    """What it takes no tree for: one class always, and one split."""
    y_train, y_test = train[1], test[1]
    stump = DecisionTreeClassifier("entropy", max_depth=1).fit(*train)
    majority = int(np.bincount(y_train).argmax())
    # Known to no one who has not seen the test rows; what is to be compared with weights that have.
    best = int(np.bincount(y_test).argmax())
    return [
        judged("majority", np.full(len(y_test), majority), y_test, 1, 1),
        judged("best_constant", np.full(len(y_test), best), y_test, 1, 1),
        judged("stump", stump.predict(test[0]), y_test, *sizes([stump.tree_])),
    ]


def sizes(trees):
    """Nodes, and nodes when redundant splits are merged, means over trees."""
    return np.mean([(tree.node_count, merge_redundant(tree).node_count) for tree in trees], axis=0)


def judge_trees(bag, forest, train, test):
    """A tree, bagged trees alone and together, and the random forest."""
    X, y = test
    tree = base_tree().fit(*train)
    nodes = sizes([member.tree_ for member in bag.estimators_])
    return [
        judged("tree", tree.predict(X), y, *sizes([tree.tree_])),
        mean_of([judged("bagged_alone", member.predict(X), y, *nodes) for member in bag.estimators_]),
        judged("bagging", bag.predict(X), y, *nodes),
        judged("forest", forest.predict(X), y, *sizes([member.tree_ for member in forest.estimators_])),
    ]


def mean_of(rows):
    """The row of means of some trees' rows."""
    return [rows[0][0], *np.round(np.mean([row[1:] for row in rows], axis=0), 6).tolist()]


def judge_rebuilt(bag, train, test):
    """The bagged trees, each rebuilt from the most of its spectrum with no more leaves than it had: alone, together."""
    rebuilt = [
        ReconstructedFourierTree(
            FrozenEstimator(member), energy=ENERGY, max_leaf_nodes=max(2, member.tree_.n_leaves)
        ).fit(*train)
        for member in bag.estimators_
    ]
    X, y = test
    predicted = [tree.predict(X) for tree in rebuilt]
    nodes = np.mean([(tree.tree_.node_count, tree.merged_node_count_) for tree in rebuilt], axis=0)
    vote = (2 * np.sum(predicted, axis=0) > len(rebuilt)).astype(np.int64)
    return [
        mean_of([judged("rebuilt_alone", labels, y, *nodes) for labels in predicted]),
        judged("rebuilt", vote, y, *nodes),
    ]


def judge_aggregated(bag, train, test):
    """One tree of all bagged trees: of truncated spectra, as the paper's, and under both measures."""
    shared = {"max_leaf_nodes": MAX_LEAF_NODES}
    models = {
        "aft_energy": AggregatedFourierTreeClassifier(FrozenEstimator(bag), energy=ENERGY, **shared),
        "aft_uniform": AggregatedFourierTreeClassifier(FrozenEstimator(bag), measure=even(bag, train), **shared),
        "aft_empirical": AggregatedFourierTreeClassifier(FrozenEstimator(bag), measure="empirical", **shared),
    }
    rows = []
    for name, model in models.items():
        model.fit(*train)
        rows.append(judged(name, model.predict(test[0]), test[1], model.tree_.node_count, model.merged_node_count_))
    return rows


def even(ensemble, train):
    """The masses of the intervals between an ensemble's thresholds when all codes in the training rows count alike."""
    codes = ordinal_codes(ensemble)
    n_values = train[0].max(axis=0).astype(np.int64) + 1
    values = np.arange(n_values.max(), dtype=np.float64)
    places = codes.transform(np.repeat(values[:, np.newaxis], len(n_values), axis=1))
    return [
        np.bincount(places[:n, m], minlength=cardinality) / n
        for m, (n, cardinality) in enumerate(zip(n_values, codes.cardinalities, strict=True))
    ]


class Components:
    """All principal components of an ensemble as trees, and what they are at the training and the test rows."""

    def __init__(self, ensemble, measure, center, train, test, n_components=1.0):
        self.model = OrthogonalTreesClassifier(
            FrozenEstimator(ensemble),
            n_components=n_components,
            combine="first",
            center=center,
            measure=measure,
            max_leaf_nodes=MAX_LEAF_NODES,
        ).fit(*train)
        self.center = center
        self.train, self.test = ((self.model.evaluate(X)[:, :, 0], y) for X, y in (train, test))

    def predict(self, weights, intercept):
        """The classes of the test rows by the weights of the first components."""
        # Rounded, so that rounding does not decide between equal votes.
        scores = np.round(intercept + self.test[0][:, : len(weights)] @ weights, 10)
        return (scores > 0.5).astype(np.int64)

    def by_vote(self, n_components):
        """The first components' share of the mean vote."""
        weights = self.model.components_[:n_components].mean(axis=1)
        return self.predict(weights, self.model.intercept_[0])

    def by_least_squares(self, n_components, rows):
        """The first components with the weights that fit some rows best."""
        outputs, y = rows
        targets = y[:, np.newaxis].astype(np.float64)
        intercept, weights = least_squares(
            outputs[:, :n_components].T[:, :, np.newaxis], targets, intercept=self.center
        )
        return self.predict(weights, intercept[0])

    def judge(self, variant, n_components):
        """The first component and the first ones: with weights of the vote, or fitted to training or to test rows."""
        model, y = self.model, self.test[1]
        first = (model.node_counts_[0], model.merged_node_counts_[0])
        several = (model.node_counts_[:n_components].mean(), model.merged_node_counts_[:n_components].mean())
        return [
            judged(f"first_{variant}", self.predict(model.weights_[:1], model.intercept_[0]), y, *first),
            judged(f"first_{variant}_test", self.by_least_squares(1, self.test), y, *first),
            judged(f"vote_{variant}", self.by_vote(n_components), y, *several),
            judged(f"least_squares_{variant}", self.by_least_squares(n_components, self.train), y, *several),
            judged(f"least_squares_{variant}_test", self.by_least_squares(n_components, self.test), y, *several),
        ]

    def curves(self, n_most):
        """Errors of the first 1, 2, ... components."""
        counts = range(1, min(n_most, self.model.n_components_) + 1)
        y = self.test[1]
        return {
            "vote": [round(float(np.mean(self.by_vote(n) != y)), 6) for n in counts],
            "least_squares": [round(float(np.mean(self.by_least_squares(n, self.train) != y)), 6) for n in counts],
        }

    def overlap(self, n_most):
        """The greatest absolute cosine between two of the first components' trees: 0 where they are orthogonal."""
        products = self.model.gram_[:n_most, :n_most]
        norms = np.sqrt(np.maximum(np.diag(products), np.finfo(np.float64).tiny))
        cosines = np.abs(products / np.outer(norms, norms))
        np.fill_diagonal(cosines, 0.0)
        return round(float(cosines.max(initial=0.0)), 6)


# ------------------------------------------------------------------------------------------------------- a large forest


def compress(X, y, n_trees, seed):
    """A random forest as one tree, and as 1, 2, ... trees.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Real numbers.
    y : ndarray of shape (n_samples,)
        0 or 1.
    n_trees : int
    seed : int
        Of the division of the rows and of the forest.

    Returns
    -------
    dict
        ``n_trees``; ``rows``, a list for every model, of which nodes are those of all its trees; ``components``: lists
        of a variant, a number of components, their share of the variance, their nodes, and the errors of their vote and
        with weights of least squares on the training rows.
    """
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=seed)
    train, test = (X_train, y_train), (X_test, y_test)
    forest = RandomForestClassifier(n_trees, random_state=seed).fit(*train)
    trees = ordinal_codes(forest).trees
    tree = base_tree().fit(*train)
    rows = [
        judged("majority", np.full(len(y_test), np.bincount(y_train).argmax()), y_test, 1, 1),
        judged("tree", tree.predict(X_test), y_test, *sizes([tree.tree_])),
        judged("forest", forest.predict(X_test), y_test, *len(trees) * sizes(trees)),
    ]
    for measure in ("uniform", "empirical"):
        one = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure=measure, max_leaf_nodes=MAX_LEAF_NODES)
        one.fit(*train)
        rows.append(judged(f"aft_{measure}", one.predict(X_test), y_test, one.tree_.node_count, one.merged_node_count_))
    components = []
    for name, (measure, center) in VARIANTS.items():
        found = Components(forest, measure, center, train, test, max(FOREST_COMPONENTS))
        ratios, nodes = found.model.explained_variance_ratio_, found.model.node_counts_
        for n in FOREST_COMPONENTS:
            errors = (
                np.mean(labels != y_test) for labels in (found.by_vote(n), found.by_least_squares(n, found.train))
            )
            figures = (ratios[:n].sum(), nodes[:n].sum(), *errors)
            components.append([name, n, *(round(float(figure), 6) for figure in figures)])
    return {"n_trees": n_trees, "rows": rows, "components": components}
