"""A user's program. test_types.py checks it with mypy and runs it; every asserted type holds in both."""

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from pytrees import (
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    DistilledTreesRegressor,
    FourierSpectrum,
    ID3Classifier,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionForestClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    config_context,
    effort_to_compress,
    export_dict,
    export_text,
    merge_redundant,
    minimal_tree,
    nsrps,
    optimal_tree,
)
from pytrees.criteria import CountCriterion, RankingImpurity, SequenceCriterion, SumCriterion, gain, impurity
from pytrees.distances import Coverage, JaccardDistance, clustering_distance
from pytrees.fourier import (
    PartialDependence,
    SobolIndices,
    gram,
    model_distance,
    ordinal_codes,
    partial_dependence,
    sobol_indices,
)
from pytrees.metrics import mae_scorer, ranked_probability_score
from pytrees.trees.base_forest import BaseForestClassifier
from pytrees.typing import CriterionLike, DistanceLike, ErrorLike, MatrixLike

X = np.random.RandomState(0).randint(4, size=(60, 3)).astype(np.float64)
y = np.where(X[:, 0] + X[:, 1] > 3.0, "high", np.where(X[:, 2] > 1.0, "middle", "low"))


class Twoing(CountCriterion):
    """A criterion on class counts."""

    def gains(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the gain of every cut."""
        n_left, n_right = left.sum(axis=1, keepdims=True), right.sum(axis=1, keepdims=True)
        difference = np.abs(left / n_left - right / n_right).sum(axis=1, keepdims=True)
        found: NDArray[np.float64] = (n_left * n_right / (4 * (n_left + n_right) ** 2) * difference**2)[:, 0]
        return found


class Changes(SequenceCriterion):
    """A criterion on label sequences."""

    def impurity(self, labels: NDArray[np.int32]) -> float:
        """Count the changes of class from sample to sample."""
        return float(np.count_nonzero(np.diff(labels)))


class Variance(SumCriterion):
    """A criterion on sums of targets."""

    def gains(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the gain of every cut."""
        difference = left[:, 1] / left[:, 0] - right[:, 1] / right[:, 0]
        found: NDArray[np.float64] = left[:, 0] * right[:, 0] / (left[:, 0] + right[:, 0]) ** 2 * difference**2
        return found


def one_tree() -> None:
    """Fit a tree, and read it."""
    fitted = DecisionTreeClassifier("entropy", max_depth=3, class_weight="balanced", random_state=0).fit(X, y)
    assert_type(fitted, DecisionTreeClassifier)
    assert_type(fitted.predict(X), NDArray[Any])
    assert_type(fitted.predict_proba(X), NDArray[np.float64])
    assert_type(fitted.apply(X), NDArray[np.int64])
    assert_type(fitted.classes_, NDArray[Any])
    assert_type(fitted.n_features_in_, int)
    assert_type(fitted.get_depth(), int)
    tree = fitted.tree_
    assert_type(tree, Tree)
    assert_type(tree.children_left, NDArray[np.int64])
    assert_type(tree.threshold, NDArray[np.float64])
    assert_type(tree.value, NDArray[np.float64])
    assert_type(tree.missing_go_to_left, NDArray[np.uint8])
    assert_type(tree.saw_missing, NDArray[np.bool_])
    assert_type(tree.impurity, NDArray[np.float64])
    assert_type(tree.node_count, int)
    assert_type(tree.is_multiway, bool)
    assert_type(export_text(fitted, feature_names=["a", "b", "c"]), str)
    assert_type(export_dict(tree), dict[str, Any])
    assert_type(merge_redundant(tree), Tree)
    assert_type(merge_redundant(tree, tree.majority), tuple[Tree, NDArray[Any]])


def categories_and_missing_values() -> None:
    """Fit rows of words and numbers, without an array."""
    rows: list[list[object]] = [["red", 1.0], ["blue", 2.0], ["red", 3.0], [None, 4.0]]
    fitted = C45Classifier(categorical_features=[0], handle_unknown="majority").fit(rows, ["a", "b", "a", "b"])
    assert_type(fitted.is_categorical_, NDArray[np.bool_] | None)
    assert_type(fitted.categories_, list[NDArray[Any]])
    assert_type(fitted.ordered_categories_, dict[int, NDArray[Any]])
    assert_type(fitted.encode(rows), NDArray[np.float64])
    tree = DecisionTreeClassifier(categorical_features=[0], categorical_split="subset").fit(X, y).tree_
    assert_type(tree.has_category_sets, bool)
    assert_type(tree.categories, NDArray[np.int64])
    assert_type(tree.categories_of(1), NDArray[np.int64])


def own_criteria() -> None:
    """Grow trees by criteria and distances with parameters, and of one's own."""
    DecisionTreeClassifier(Twoing()).fit(X, y, sample_weight=np.ones(len(X)))
    DecisionTreeRegressor(Variance(), max_depth=3).fit(X, X[:, 0])
    DecisionForestRegressor(3, criterion=Variance()).fit(X, X[:, 0])
    PermutationDecisionTreeClassifier(Changes(), max_features="sqrt").fit(X, y, order=list(range(len(X))))
    fitted = ID3Classifier(JaccardDistance(), evaluation="global", ties="local").fit(X, y)
    assert_type(fitted.node_labels_, NDArray[np.int64])
    assert_type(fitted.is_consistent_, bool)
    assert_type(fitted.staged_predict(X), Iterator[NDArray[Any]])
    assert_type(impurity("gini", [3, 4]), float | NDArray[np.float64])
    assert_type(gain(RankingImpurity(weighted=False), [[3, 4]], [[4, 3]]), float | NDArray[np.float64])
    assert_type(clustering_distance(y, fitted.predict(X), "nvi", labels=["low", "middle", "high"]), float)
    assert_type(Coverage(X)(np.array([0, 1])), float)


def forests() -> None:
    """Fit forests, and take trees out of them."""
    forest = DecisionForestClassifier(30, oob_score=True, max_samples=0.8, n_jobs=1).fit(X, y)
    assert_type(forest.estimators_, list[DecisionTreeClassifier])
    assert_type(forest.estimators_[0].tree_.max_depth, int)
    assert isinstance(forest[0], DecisionTreeClassifier)
    assert_type(forest.oob_decision_function_, NDArray[np.float64])
    assert_type(forest.estimators_samples_, list[NDArray[np.int64]])
    distinct = PermutationDecisionForestClassifier(5, random_state=0).fit(X, y).distinct_trees()
    assert_type(distinct[0].count, int)
    assert_type(distinct[0].feature_usage, NDArray[np.int64])
    of_any_kind: BaseForestClassifier = forest
    assert_type(len(of_any_kind), int)


def ordered_classes() -> None:
    """Predict classes that stand in an order, and judge what is predicted."""
    fitted = OrdinalDecisionTreeClassifier("ogini", classes=["low", "middle", "high"], predict_rule="median").fit(X, y)
    assert_type(fitted, OrdinalDecisionTreeClassifier)
    assert_type(fitted.predict_cumulative_proba(X), NDArray[np.float64])
    assert_type(ranked_probability_score(y, fitted.predict_proba(X), labels=fitted.classes_), float)
    assert_type(mae_scorer(fitted, X, y), float)


def sequences() -> None:
    """Measure sequences, on either engine."""
    assert_type(effort_to_compress("00011"), int)
    assert_type(effort_to_compress([1, 1, 2], normalized=True), float)
    assert_type(nsrps("00011")[0].pair, tuple[Any, Any])
    assert_type(nsrps("00011")[0].count, int)
    with config_context(engine="reference"):
        assert_type(effort_to_compress("00011"), int)


def fourier() -> None:
    """Take an ensemble into the Fourier algebra."""
    forest = DecisionForestClassifier(3, random_state=0).fit(X, y)
    codes = ordinal_codes(forest)
    assert_type(codes.trees, list[Tree])
    assert_type(codes.cardinalities, NDArray[np.int64])
    assert_type(gram(codes.trees, codes.cardinalities), NDArray[np.float64])
    spectrum = FourierSpectrum.from_ensemble(codes.trees, codes.cardinalities)
    assert_type(spectrum, FourierSpectrum)
    assert_type(2.0 * spectrum - spectrum, FourierSpectrum)
    assert_type(spectrum.coefficients, NDArray[np.complex128])
    assert_type(spectrum.schema_average([None, 0, None]), float)
    assert_type(spectrum.to_tree(max_leaf_nodes=8).tree, Tree)
    orthogonal = OrthogonalTreesClassifier(forest, n_components=2, measure="empirical").fit(X, y)
    assert_type(orthogonal.components_, NDArray[np.float64])
    few = DistilledTreesClassifier(forest, n_trees=2, max_leaf_nodes=4).fit(X, y)
    assert_type(few.intercept_, NDArray[np.float64])
    numbers = DistilledTreesRegressor(DecisionForestRegressor(3), max_leaf_nodes=4).fit(X, X[:, 0])
    assert_type(numbers.predict(X), NDArray[np.float64])
    assert_type(sobol_indices(forest, X), SobolIndices)
    assert_type(sobol_indices(codes.trees, codes.cardinalities).total, NDArray[np.float64])
    assert_type(partial_dependence(forest, X, [0, (0, 1)]), PartialDependence)
    assert_type(model_distance(forest, few, X, measure="joint").distance, float)
    assert_type(minimal_tree(X, y).tree, Tree)
    assert_type(optimal_tree(X, y, max_depth=2).n_errors, int)
    best = OptimalTreeClassifier(max_depth=2, cost_matrix="absolute", count_best_roots=True).fit(X, X[:, 0])
    assert_type(best.cost_, float)
    assert_type(best.n_best_roots_, int | None)
    assert_type(MinimalTreeClassifier(time_limit=1.0).fit(X, y).lower_bound_, int)


def grown(X: MatrixLike, by: CriterionLike, distance: DistanceLike, error: ErrorLike) -> list[Tree]:
    """Grow trees by what a program of the user's own takes."""
    of_numbers = DecisionTreeRegressor(error, max_depth=1).fit(X, np.arange(60.0))
    return [DecisionTreeClassifier(by).fit(X, y).tree_, ID3Classifier(distance).fit(X, y).tree_, of_numbers.tree_]


def types_of_parameters() -> None:
    """Name the types of parameters."""
    trees = grown(X, Twoing(), "gini", Variance()) + grown(X, "entropy", JaccardDistance(), "squared_error")
    assert_type(trees[0].feature, NDArray[np.int64])


def main() -> None:
    """Do all of it."""
    one_tree()
    categories_and_missing_values()
    own_criteria()
    forests()
    ordered_classes()
    sequences()
    fourier()
    types_of_parameters()


if __name__ == "__main__":
    main()
