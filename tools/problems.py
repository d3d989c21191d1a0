"""Seeded problems for `same_trees.py`: what is fitted, and what is recorded of it.

Every problem is a name and a function without arguments that returns the fitted arrays. Problems are only added, and
use public names only: a record of an older commit must remain comparable. Samples, targets and weights are the same on
every machine, as `golden.py` needs them: logarithms and powers, by which numbers may be drawn, are not.
"""

import inspect
import warnings
import zlib
from functools import partial
from itertools import product

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import pytrees
from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionTreeClassifier,
    DistilledTreesClassifier,
    FourierSpectrum,
    ID3Classifier,
    ID3ForestClassifier,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionForestClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
)
from pytrees.criteria import CountCriterion, RankingImpurity, SequenceCriterion, WeightedInformationGain
from pytrees.distances import DISTANCES, JaccardDistance, clustering_distance
from pytrees.fourier import gram, ordinal_codes, schema_average, tree_from_ensemble

TREE_ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "n_node_samples",
    "value",
    "gain",
    "child_offsets",
    "children",
    "category",
)

FITTED_ARRAYS = (
    "classes_",
    "feature_importances_",
    "node_labels_",
    "split_steps_",
    "distance_path_",
    "is_consistent_",
    "oob_decision_function_",
    "explained_variance_ratio_",
    "node_counts_",
    "gram_",
    "components_",
    "weights_",
)


class Twoing(CountCriterion):
    """Twoing (Breiman et al., 1984) for any number of classes."""

    def gains(self, left, right):
        n_left, n_right = left.sum(axis=1, keepdims=True), right.sum(axis=1, keepdims=True)
        difference = np.abs(left / n_left - right / n_right).sum(axis=1, keepdims=True)
        return (n_left * n_right / (4 * (n_left + n_right) ** 2) * difference**2)[:, 0]

    def gain_of_children(self, counts):
        return float(counts.max(axis=1).sum() / counts.sum())


class Changes(SequenceCriterion):
    """The number of changes of class from sample to sample."""

    def impurity(self, labels):
        return np.count_nonzero(np.diff(labels))


COUNT_CRITERIA = {
    **{
        name: name
        for name in (
            "gini",
            "entropy",
            "ogini",
            "wig",
            "ranking",
            "gain_ratio",
            "nvi",
            "nvi_sum",
            "nvi_max",
            "vi",
            "jaccard",
            "accuracy",
            "mae",
        )
    },
    "wig alpha": WeightedInformationGain(alpha=2.5, class_scores=[0.0, 1.0, 3.0, 4.5]),
    "wig present": WeightedInformationGain(normalize_over="present"),
    "wig highest": WeightedInformationGain(distance_from="highest"),
    "ranking costs": RankingImpurity(cost_matrix=[[0, 3, 1, 1], [3, 0, 2, 5], [1, 2, 0, 1], [1, 5, 1, 0]]),
    "ranking scores": RankingImpurity(class_scores=[0, 1, 4, 6]),
    "ranking real scores": RankingImpurity(weighted=False, class_scores=[0.0, 0.7, 1.1, 3.0]),
    "twoing": Twoing(),
}
SEQUENCE_CRITERIA = {"etc": "etc", "lz76": "lz76", "changes": Changes()}
CRITERIA = COUNT_CRITERIA | SEQUENCE_CRITERIA

LIMITS = {
    "unlimited": {},
    "depth and split": {"max_depth": 3, "min_samples_split": 5},
    "leaf": {"min_samples_leaf": 3},
    "features": {"max_features": 1},
    "candidates": {"max_candidates": 2},
    "gain": {"min_gain": 0.05},
}
# A child for every category.
MULTIWAY = {"categorical_features": [0, 2], "categorical_split": "multiway"}
GROWTHS = {"depth-first": {}, "best-first": {"max_leaf_nodes": 6}}
WEIGHTS = ("none", "whole", "real")


def rng_of(name):
    """Return random numbers of a problem, which follow from its name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def on_every_machine(drawn, bits=30):
    """Round numbers to multiples of 2**-bits; the tails of normal ones come from the machine's own logarithm."""
    return np.round(drawn * 2.0**bits) / 2.0**bits


def make_problem(name, n=32, n_features=4, n_classes=4, categories=False, n_codes=5):
    """Make X, y: ties, duplicates, a constant column and continuous values. With `categories` two columns hold codes,
    the first `n_codes`."""
    rng = rng_of(name)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    X = np.empty((n, n_features))
    X[:, 0] = rng.integers(0, 4, n) + (y > 1)
    X[:, 1] = on_every_machine(rng.normal(size=n)) + 0.5 * y
    X[:, 2] = rng.integers(0, 3, n)
    X[:, 3:] = rng.normal(size=(n, n_features - 3)).round(1)
    if not categories and rng.random() < 0.3:
        X[:, 2] = 1.5
    if categories:
        X[:, 0] = np.minimum(X[:, 0], 4) if n_codes == 5 else (7 * y + rng.integers(0, n_codes // 2, n)) % n_codes
    return X, y


def make_weights(kind, n, rng, fewest=0):
    if kind == "none":
        return None
    return rng.integers(fewest, 4, n) if kind == "whole" else rng.random(n) + 0.1


def tree_arrays(tree):
    return [getattr(tree, name) for name in TREE_ARRAYS] + [tree.n_features]


def fitted_arrays(estimator, X):
    """Return all that is fitted: the trees' arrays, other fitted arrays, and what is predicted."""
    found = [getattr(estimator, name) for name in FITTED_ARRAYS if hasattr(estimator, name)]
    if hasattr(estimator, "tree_"):
        found += tree_arrays(estimator.tree_)
    for member in getattr(estimator, "estimators_", []):
        if hasattr(member, "tree_"):
            found += fitted_arrays(member, X) if isinstance(member, ID3Classifier) else tree_arrays(member.tree_)
    if isinstance(estimator, DistilledTreesClassifier):
        found += [estimator.intercept_, *map(tree_arrays, estimator.trees_.flat)]
    else:
        for rebuilt in getattr(estimator, "trees_", []):
            found += [tree_arrays(rebuilt.tree), rebuilt.averages]
    return [*found, estimator.predict(X), estimator.predict_proba(X)]


def fit(name, estimator, weights="none", n_classes=4, **made):
    """Fit the estimator on the problem of this name; warnings are not caught."""
    X, y = make_problem(name, n_classes=n_classes, **made)
    # A category that only samples of weight 0 have would be unknown to `predict`.
    weights = make_weights(weights, len(X), rng_of("weights of " + name), fewest=int(made.get("categories", False)))
    fitted = estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)
    return fitted_arrays(fitted, X)


# ------------------------------------------------------------------------------------------------------------ trees


def tree_problems():
    """Yield trees of every criterion, by growth, limits, weights and categories."""
    for (label, criterion), growth, limits in product(CRITERIA.items(), GROWTHS, LIMITS):
        for weights, categories in product(WEIGHTS, (False, True)):
            if weights != "none" and label in SEQUENCE_CRITERIA:
                continue
            name = f"tree, {label}, {growth}, {limits}, weights {weights}, {'' if categories else 'no '}categories"
            options = {"random_state": 3, **GROWTHS[growth], **LIMITS[limits], **(MULTIWAY if categories else {})}
            yield name, partial(fit, name, DecisionTreeClassifier(criterion, **options), weights, categories=categories)
    for n_classes, n in product((1, 2, 12), (12, 90)):
        for criterion in ("gini", "entropy", "ogini", "nvi", "jaccard", "mae", "etc", "lz76"):
            name = f"tree, {criterion}, {n_classes} classes, {n} samples"
            yield name, partial(fit, name, DecisionTreeClassifier(criterion), n=n, n_classes=n_classes)


def set_problems():
    """Yield trees and forests that divide few and many categories into two sets."""
    for (label, criterion), growth, weights in product(CRITERIA.items(), GROWTHS, WEIGHTS):
        if weights != "none" and label in SEQUENCE_CRITERIA:
            continue
        for n_classes, n_codes in ((2, 5), (4, 5), (2, 40), (4, 13), (4, 40)):
            if n_classes == 2 and ("costs" in label or "scores" in label or label == "wig alpha"):
                continue  # they have costs and scores of four classes
            name = f"sets, {label}, {growth}, weights {weights}, {n_classes} classes, {n_codes} codes"
            options = {"categorical_features": [0, 2], "min_samples_leaf": 2, **GROWTHS[growth]}
            made = {"n": 90, "n_classes": n_classes, "categories": True, "n_codes": n_codes}
            if label not in SEQUENCE_CRITERIA:
                yield name, partial(fit, name, DecisionTreeClassifier(criterion, **options), weights, **made)
            else:
                options |= {"categorical_split": "subset"}
                made |= {"n": 30}
                yield name, partial(fit, name, PermutationDecisionTreeClassifier(criterion, **options), weights, **made)
    for n_classes, n_codes in ((2, 40), (4, 5), (4, 40)):
        name = f"sets, forest, {n_classes} classes, {n_codes} codes"
        estimator = DecisionForestClassifier(4, categorical_features=[0, 2], handle_unknown="majority", random_state=5)
        yield name, partial(fit, name, estimator, n=90, n_classes=n_classes, categories=True, n_codes=n_codes)


def family_problems():
    """Yield the other single trees, with what only they have."""
    for criterion, rule in product(("ogini", "wig", "ranking", "gini"), ("mode", "median", "expected")):
        name = f"ordinal tree, {criterion}, {rule}"
        estimator = OrdinalDecisionTreeClassifier(criterion, predict_rule=rule, classes=[3, 1, 0, 2], max_depth=3)
        yield name, partial(fit, name, estimator)
    for criterion, growth, weights in product(("ogini", "wig", "ranking", "entropy"), GROWTHS, WEIGHTS):
        name = f"constrained tree, {criterion}, {growth}, weights {weights}"
        estimator = OrdinalDecisionTreeClassifier(criterion, monotonic_cst=[1, -1, 0, 1], **GROWTHS[growth])
        yield name, partial(fit, name, estimator, weights, n=60)
    for n_jobs, max_features in product((1, 2), (None, 2)):
        name = f"permutation tree, {n_jobs} threads, {max_features} features"
        estimator = PermutationDecisionTreeClassifier(n_jobs=n_jobs, max_features=max_features, random_state=1)
        yield name, partial(fit, name, estimator, n=50)
    for confidence, raising, weights, missing in product((0.25, None), (True, False), WEIGHTS, (False, True)):
        name = f"c45, confidence {confidence}, raising {raising}, weights {weights}, missing {missing}"
        estimator = C45Classifier(
            confidence=confidence, subtree_raising=raising, min_samples_leaf=1, categorical_features=[0, 2]
        )
        yield name, partial(fit_with_missing, name, estimator, weights, missing)


def fit_with_missing(name, estimator, weights, missing):
    X, y = make_problem(name, n=48, categories=True)
    if missing:
        X[rng_of("missing in " + name).random(X.shape) < 0.1] = np.nan
    weights = make_weights(weights, len(X), rng_of("weights of " + name))
    return fitted_arrays(estimator.fit(X, y, sample_weight=weights), X)


def forest_problems():
    """Yield forests of every kind, with and without bootstrap."""
    for (label, criterion), bootstrap in product(CRITERIA.items(), (False, True)):
        options = {"criterion": criterion, "bootstrap": bootstrap, "max_depth": 4, "random_state": 5}
        if label not in SEQUENCE_CRITERIA:
            for weights in ("none", "real"):
                name = f"forest, {label}, bootstrap {bootstrap}, weights {weights}"
                estimator = DecisionForestClassifier(4, oob_score=bootstrap, n_jobs=2, **options)
                yield name, partial(fit_quietly, name, estimator, weights)
        name = f"permutation forest, {label}, bootstrap {bootstrap}"
        yield name, partial(fit_quietly, name, PermutationDecisionForestClassifier(3, max_features=2, **options))
    for rule, categories in product(("mode", "median", "expected"), (False, True)):
        name = f"ordinal forest, {rule}, categories {categories}"
        options = {"max_features": None, "max_samples": 0.7, "random_state": 2, **(MULTIWAY if categories else {})}
        estimator = OrdinalDecisionForestClassifier(3, predict_rule=rule, **options)
        yield name, partial(fit, name, estimator, categories=categories)
    for distance, evaluation in product(("information_gain", "jaccard", "mae", "mts"), ("local", "global")):
        if (distance, evaluation) != ("mts", "global"):
            name = f"id3 forest, {distance}, {evaluation}"
            estimator = ID3ForestClassifier(2, distance=distance, evaluation=evaluation, random_state=2)
            yield name, partial(fit_quietly, name, estimator, n=18)


def fit_quietly(name, estimator, weights="none", **made):
    """Fit where warnings depend on the draws: out-of-bag samples that no tree has, equal samples of two classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit(name, estimator, weights, **made)


# --------------------------------------------------------------------------------------------------------------- ID3


def id3_problems():
    """Yield trees by distance: evaluation, labels, stop, weights, categories and limits."""
    settings = product(DISTANCES, ("local", "global", "glocal"), ("majority", "all"), ("pure", "no_decrease"))
    for distance, evaluation, labels, stop in settings:
        for weights, categories in product(WEIGHTS, (False, True)):
            if (weights == "real" and evaluation != "local") or (labels == "all" and evaluation == "local"):
                continue
            name = f"id3, {distance}, {evaluation}, {labels}, {stop}, weights {weights}, categories {categories}"
            estimator = ID3Classifier(
                distance,
                evaluation=evaluation,
                labels=labels,
                stop=stop,
                categorical_features=[0, 2] if categories else None,
            )
            yield name, partial(fit_quietly, name, estimator, weights, n=20, categories=categories)
    others = ("etc", "lz76", "ogini", "wig")
    for distance, limits in product((*DISTANCES, *others), ({"max_leaf_nodes": 5}, {"max_features": 2})):
        name = f"id3, {distance}, local, {limits}"
        yield name, partial(fit_quietly, name, ID3Classifier(distance, random_state=0, **limits), n=24)
    for evaluation in ("local", "global", "glocal"):
        name = f"id3, set function, {evaluation}"
        estimator = ID3Classifier(JaccardDistance(lambda rows: len(rows) ** 0.5), evaluation=evaluation)
        yield name, partial(fit_quietly, name, estimator, n=10, n_classes=3)
    for n_classes in (2, 3, 4):
        name = f"id3, mts, {n_classes} classes"
        yield name, partial(fit_quietly, name, ID3Classifier("mts"), n=16, n_classes=n_classes)
    for distance, evaluation in product(DISTANCES, ("global", "glocal")):
        for stop, categories in (("pure", False), ("no_distance_decay", True)):
            name = f"id3 ties, {distance}, {evaluation}, {stop}, categories {categories}"
            options = {"categorical_features": [0, 2]} if categories else {}
            estimator = ID3Classifier(distance, evaluation=evaluation, ties="local", stop=stop, **options)
            yield name, partial(fit_quietly, name, estimator, n=24, categories=categories)
    for distance in DISTANCES:
        yield f"distance {distance}", partial(distances_of, distance)
    for seed in range(4):
        yield f"staged {seed}", partial(staged, f"staged {seed}")


def distances_of(distance):
    rng = rng_of(distance)
    pairs = [rng.integers(0, k, (2, 30)) for k in (1, 2, 5, 9)]
    return [clustering_distance(*pair, distance) for pair in pairs]


def staged(name):
    X, y = make_problem(name)
    tree = ID3Classifier("nvi", evaluation="global", max_leaf_nodes=6).fit(X, y)
    return [*tree.staged_predict(X)]


# ------------------------------------------------------------------------------------ sequences, minimal trees, Fourier


def other_problems():
    """Yield Effort-To-Compress, Lempel-Ziv complexity, best and minimal trees, and simplification."""
    for n_symbols, n in product((1, 2, 3, 20), (1, 2, 17, 300)):
        name = f"sequence of {n} over {n_symbols}"
        yield name, partial(substitutions_of, name, n_symbols, n)
        yield f"complexity of {name}", partial(complexity_of, name, n_symbols, n)
    for n_classes in (2, 3, 4):
        name = f"minimal tree, {n_classes} classes"
        yield name, partial(minimal, name, n_classes)
    for weights, costs, missing in product(WEIGHTS, (None, "absolute"), (False, True)):
        name = f"best tree, weights {weights}, costs {costs}, missing {missing}"
        yield name, partial(optimal, name, weights, costs, missing)
    for missing in (False, True):
        yield f"smallest tree, missing {missing}", partial(smallest, f"smallest tree, missing {missing}", missing)
    for seed in range(3):
        yield f"simplified {seed}", partial(simplified, f"simplified {seed}")


def substitutions_of(name, n_symbols, n):
    sequence = rng_of(name).integers(0, n_symbols, n)
    steps = pytrees.nsrps(sequence)
    return [pytrees.effort_to_compress(sequence), pytrees.effort_to_compress(sequence, normalized=True), repr(steps)]


def complexity_of(name, n_symbols, n):
    sequence = rng_of(name).integers(0, n_symbols, n)
    return [pytrees.lempel_ziv_complexity(sequence, normalized=normalized) for normalized in (False, True)]


def optimal(name, weights, costs, missing):
    X, y = make_problem(name, n=16, categories=True)
    if missing:
        X[rng_of("missing in " + name).random(X.shape) < 0.2] = np.nan
    weights = make_weights(weights, len(X), rng_of("weights of " + name), fewest=1)
    tree = OptimalTreeClassifier(max_depth=2, alpha=0.02, cost_matrix=costs, categorical_features=[0])
    fitted = tree.fit(X, y, sample_weight=weights)
    return [*fitted_arrays(fitted, X), fitted.cost_, fitted.lower_bound_]


def minimal(name, n_classes):
    X, y = make_problem(name, n=16, n_classes=n_classes)
    found = pytrees.minimal_tree(X, y)
    return [tree_arrays(found.tree), found.is_proven, found.lower_bound]


def smallest(name, missing):
    X, y = make_problem(name, n=14)
    if missing:
        X[rng_of("missing in " + name).random(X.shape) < 0.2] = np.nan
    tree = MinimalTreeClassifier().fit(X, y)
    return [*fitted_arrays(tree, X), tree.lower_bound_]


def simplified(name):
    X, y = make_problem(name, n_classes=2)
    tree = ID3Classifier("accuracy", evaluation="global", max_leaf_nodes=12).fit(X, y).tree_
    return [tree_arrays(pytrees.merge_redundant(tree)), repr(pytrees.redundant_splits(tree))]


def fourier_problems():
    """Yield spectra, averages, Gram matrices and rebuilt trees, and the estimators made of them."""
    for n_classes, categories in product((2, 3), (False, True)):
        name = f"spectra, {n_classes} classes, categories {categories}"
        yield name, partial(spectra_of, name, n_classes, categories)
    for structure, combine, center in product(("separate", "shared"), ("vote", "least_squares"), (False, True)):
        name = f"orthogonal, {structure}, {combine}, center {center}"
        estimator = OrthogonalTreesClassifier(
            n_estimators=3, structure=structure, combine=combine, center=center, max_leaf_nodes=8, random_state=0
        )
        yield name, partial(fit_quietly, name, estimator, n_classes=2)
    for n_classes, measure in product((2, 3), ("uniform", "empirical")):
        forest = DecisionForestClassifier(4, max_depth=3, random_state=0)
        name = f"aggregated, {n_classes} classes, {measure}"
        estimator = AggregatedFourierTreeClassifier(forest, measure=measure, max_leaf_nodes=9)
        yield name, partial(fit_quietly, name, estimator, n_classes=n_classes)
        name = f"reconstructed, {n_classes} classes, {measure}"
        max_order = 2 if measure == "uniform" else None
        estimator = ReconstructedFourierTree(DecisionTreeClassifier(max_depth=3), max_order=max_order, measure=measure)
        yield name, partial(fit_quietly, name, estimator, n_classes=n_classes)
        name = f"distilled, {n_classes} classes, {measure}"
        estimator = DistilledTreesClassifier(forest, n_trees=2, measure=measure, max_leaf_nodes=5)
        yield name, partial(fit_quietly, name, estimator, n_classes=n_classes)
        name = f"aggregated, scikit-learn's, {n_classes} classes, {measure}"
        yield name, partial(aggregated_from_sklearn, name, n_classes, measure)


def aggregated_from_sklearn(name, n_classes, measure):
    X, y = make_problem(name, n_classes=n_classes)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X.astype(np.float32), y)
    estimator = AggregatedFourierTreeClassifier(FrozenEstimator(forest), measure=measure, max_leaf_nodes=9)
    return fitted_arrays(estimator.fit(X, y), X)


def spectra_of(name, n_classes, categories):
    X, y = make_problem(name, n_classes=n_classes, categories=categories)
    forest = DecisionForestClassifier(
        4, max_depth=3, categorical_features=[0, 2] if categories else None, random_state=0
    )
    codes = ordinal_codes(forest.fit(X, y))
    X = codes.transform(X)
    trees, cardinalities = codes.trees, codes.cardinalities
    spectrum = FourierSpectrum.from_ensemble(trees, cardinalities)
    truncated = spectrum.truncate(energy=0.8)
    found = [spectrum.partitions, spectrum.coefficients, spectrum.energy_by_order(), spectrum.evaluate(X)]
    found += [truncated.partitions, truncated.coefficients]
    found += [gram(trees, cardinalities), gram(trees, cardinalities, measure="empirical", X=X, class_index=None)]
    found += [schema_average(trees, {0: 0}, cardinalities), spectrum.schema_average({1: 0})]
    for rebuilt in (
        spectrum.to_tree(max_leaf_nodes=6),
        spectrum.to_tree(criterion="variance", max_depth=3),
        tree_from_ensemble(trees, cardinalities, max_leaf_nodes=7),
        tree_from_ensemble(trees, cardinalities, measure="empirical", X=X, class_index=None, max_depth=3),
    ):
        found += [tree_arrays(rebuilt.tree), rebuilt.averages]
    return [*found, [tree_arrays(codes.decode(tree)) for tree in trees]]


# ---------------------------------------------------------------------------------------- problems of many samples


def large_problems():
    """Yield nodes that are cut into bins, blocks of wide and narrow entries, ranks: for the compiled engine only."""
    for criterion, n, weights in product(("gini", "entropy"), (20_000, 70_000), WEIGHTS):
        for n_classes, options in (
            (2, {}),
            (5, {"max_depth": 7}),
            (3, {"max_features": 2}),
            (2, {"max_leaf_nodes": 40}),
        ):
            name = f"large tree, {criterion}, {n} samples, weights {weights}, {n_classes} classes, {options}"
            estimator = DecisionTreeClassifier(criterion, random_state=0, **options)
            yield name, partial(fit, name, estimator, weights, n_classes=n_classes, n=n, n_features=8)
    for criterion in ("ogini", "ranking", "wig", "nvi", "gain_ratio", "jaccard", "accuracy", "mae"):
        name = f"large tree, {criterion}"
        estimator = DecisionTreeClassifier(criterion, max_depth=9)
        yield name, partial(fit, name, estimator, n=4_000)
    for criterion in ("gini", "entropy"):
        name = f"large tree, {criterion}, categories"
        estimator = DecisionTreeClassifier(criterion, **MULTIWAY)
        yield name, partial(fit, name, estimator, n=30_000, categories=True)
        name = f"large sets, {criterion}"
        estimator = DecisionTreeClassifier(criterion, categorical_features=[0, 2], max_depth=9)
        yield name, partial(fit, name, estimator, n=30_000, categories=True, n_codes=60)
        name = f"large forest, {criterion}"
        yield name, partial(fit, name, DecisionForestClassifier(3, criterion=criterion, random_state=0), n=20_000)
    for distance, evaluation in product(("information_gain", "gini", "jaccard", "accuracy"), ("local", "global")):
        name = f"large id3, {distance}, {evaluation}"
        yield name, partial(fit_quietly, name, ID3Classifier(distance, evaluation=evaluation, max_leaf_nodes=60), n=600)
    name = "large permutation tree"
    yield name, partial(fit, name, PermutationDecisionTreeClassifier(max_candidates=30), n=2_000)


def way_problems():
    """Yield trees and forests on every way to search a node, each with and without missing values: sorted samples, bins
    of the table, bins of the node, all pairs; for the compiled engine only."""
    weighted = product(("gini", "entropy", "ogini", "ranking"), WEIGHTS, (2, 12))
    for (criterion, weights, n_classes), gaps in product(weighted, (False, True)):
        for n, options in (
            (70_000, {"max_depth": 5}),
            (70_000, {"max_depth": 6, "max_features": 2, "min_samples_leaf": 3}),
            (3_000, {}),
            (3_000, {"max_features": 2}),
            (3_000, {"max_features": 2, "min_samples_leaf": 4}),
            (3_000, {"max_features": 3, "max_leaf_nodes": 30}),
            (3_000, {"max_candidates": 9, "max_depth": 6}),
        ):
            name = f"ways, {criterion}, weights {weights}, {n_classes} classes, gaps {gaps}, {n} samples, {options}"
            estimator = DecisionTreeClassifier(criterion, random_state=1, **options)
            yield name, partial(fit_on_a_way, name, estimator, weights, gaps, n=n, n_features=8, n_classes=n_classes)
    for (label, criterion), gaps in product(COUNT_CRITERIA.items(), (False, True)):
        for options in ({"min_samples_leaf": 4}, {"min_weight_fraction_leaf": 0.01, "max_features": 2}):
            name = f"ways, {label}, gaps {gaps}, {options}"
            estimator = DecisionTreeClassifier(criterion, random_state=1, max_depth=8, **options)
            yield name, partial(fit_on_a_way, name, estimator, "none", gaps, n=500, n_features=8)
    for criterion, n_classes, gaps in product(("gini", "entropy", "ranking", "ogini"), (2, 3, 40, 150), (False, True)):
        for n, options in (
            (5_000, {}),
            (5_000, {"max_features": 4, "min_samples_leaf": 3}),
            (40_000, {"max_depth": 7, "bootstrap": False}),
        ):
            name = f"ways, forest, {criterion}, {n_classes} classes, gaps {gaps}, {n} samples, {options}"
            estimator = DecisionForestClassifier(2, criterion=criterion, random_state=1, **options)
            yield name, partial(fit_on_a_way, name, estimator, "none", gaps, n=n, n_features=20, n_classes=n_classes)


def fit_on_a_way(name, estimator, weights, gaps, **made):
    """Fit where a fifth of two features may be missing, and one feature has a value of its own for every sample."""
    X, y = make_problem(name, **made)
    rng = rng_of("values of " + name)
    X[:, 3] = np.where(y % 2, X[:, 1], on_every_machine(rng.normal(size=len(X))))
    X[:, 4] = rng.integers(0, 200, len(X)) + 3 * y
    if gaps:
        for feature in (1, 4):
            X[rng.random(len(X)) < 0.2, feature] = np.nan
    weights = make_weights(weights, len(X), rng_of("weights of " + name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)
    return fitted_arrays(fitted, X)


def gap_problems():
    """Yield trees of every criterion, and other estimators, of samples that lack values."""
    for (label, criterion), growth, weights in product(CRITERIA.items(), GROWTHS, WEIGHTS):
        if weights == "none" or label not in SEQUENCE_CRITERIA:
            name = f"gaps, tree, {label}, {growth}, weights {weights}"
            estimator = DecisionTreeClassifier(criterion, random_state=3, **GROWTHS[growth])
            yield name, partial(fit_with_gaps, name, estimator, weights)
    for distance, evaluation in product(DISTANCES, ("local", "global", "glocal")):
        if distance != "mts":
            name = f"gaps, id3, {distance}, {evaluation}"
            estimator = ID3Classifier(distance, evaluation=evaluation, max_leaf_nodes=8)
            yield name, partial(fit_with_gaps, name, estimator)
    for estimator in (
        DecisionForestClassifier(5, random_state=0),
        OrdinalDecisionForestClassifier(5, random_state=0),
        PermutationDecisionForestClassifier(3, random_state=0),
        ID3ForestClassifier(3, max_leaf_nodes=8, random_state=0),
    ):
        name = f"gaps, {type(estimator).__name__}"
        yield name, partial(fit_with_gaps, name, estimator)


def fit_with_gaps(name, estimator, weights="none"):
    X, y = make_problem(name)
    X[rng_of("gaps of " + name).random(X.shape) < 0.25] = np.nan
    weights = make_weights(weights, len(X), rng_of("weights of " + name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)
    trees = [member.tree_ for member in getattr(fitted, "estimators_", [fitted])]
    return [*fitted_arrays(fitted, X), *((tree.missing_go_to_left, tree.saw_missing) for tree in trees)]


def problems():
    """Yield (name, function, whether for both engines) of every problem."""
    numbers = _numbers()
    families = [tree_problems, set_problems, family_problems, forest_problems, id3_problems, other_problems]
    families += [
        fourier_problems,
        gap_problems,
        numbers.number_problems,
        numbers.own_problems,
        numbers.algebra_problems,
    ]
    for family in families:
        for name, call in family():
            yield name, call, True
    for family in (large_problems, way_problems, numbers.large_number_problems):
        for name, call in family():
            yield name, call, False


def _numbers():
    import problems_of_numbers  # here, because that module takes functions of this one

    return problems_of_numbers


def estimators_without_problem():
    """Return public estimators that no problem fits: there must be none."""
    source = inspect.getsource(inspect.getmodule(problems)) + inspect.getsource(_numbers())
    kinds = "Classifier", "Regressor", "Tree"
    return [name for name in pytrees.__all__ if name.endswith(kinds) and name not in source]
