"""Numbers that float64 or the kernels' integers do not hold, in every place that takes numbers: they work, or the error
is a ValueError or TypeError that says what was given."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from support import assert_refuses

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FourierSpectrum,
    OptimalTreeClassifier,
    OrdinalDecisionTreeClassifier,
    OrthogonalTreesClassifier,
    PermutationDecisionTreeClassifier,
    ReconstructedFourierTree,
    Tree,
    effort_to_compress,
    export_dict,
    minimal_tree,
    optimal_tree,
    order_sensitivity,
    symbolize,
)
from pytrees.criteria import CRITERIA, RankingImpurity, WeightedInformationGain, gain, impurity
from pytrees.criteria import resolve as resolve_criterion
from pytrees.datasets import (
    equal_frequency_classes,
    make_from_random_tree,
    make_gaussian_blobs,
    make_monks,
    make_stock_moves,
    names,
)
from pytrees.distances import (
    ConcaveOfModular,
    Coverage,
    FacilityLocation,
    GraphCut,
    GroupedCardinality,
    JaccardDistance,
    MatroidRank,
    clustering_distance,
)
from pytrees.distances import resolve as resolve_distance
from pytrees.fourier import ModelStream, additive_model, ordinal_codes, tree_from_ensemble, tree_from_spectra
from pytrees.metrics import mae_scorer, make_ordinal_scorer, qwk_scorer, ranked_probability_score
from pytrees.testing import assert_trees_equal, check_criterion, check_tree, check_tree_estimator

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]], dtype=float)
y = np.array([0, 1, 1, 0, 1, 0])
TREE = DecisionTreeClassifier().fit(X, y)
MULTIWAY = DecisionTreeClassifier(categorical_features=[0], categorical_split="multiway").fit(X, [0, 0, 1, 1, 0, 0])
CODES = ordinal_codes([TREE])
SPECTRUM = FourierSpectrum.from_table([[0.0, 1.0], [1.0, 0.5]])


def distance_by(function):
    return clustering_distance([0, 0, 1], [0, 1, 1], JaccardDistance(function))


def from_dict(**entries):
    """Read a tree with categories of which the last node has other entries."""
    exported = export_dict(MULTIWAY.tree_)
    child = exported["children"][2]
    if "categories" in entries:
        del child["category"]
    child |= entries
    return Tree.from_dict(exported)


def arrays_with(name, number):
    """Return the arrays of a tree, with a number in one of them."""
    arrays = {each: getattr(TREE.tree_, each) for each in ("children_left", "children_right", "feature", "threshold")}
    arrays |= {"value": TREE.tree_.value}
    changed = arrays[name].astype(object)
    changed.flat[0] = number
    return arrays | {name: changed.tolist()}


def rebuilt(**limits):
    return tree_from_ensemble(CODES.trees, CODES.cardinalities, **limits)


# Calls that take one real number, which float64 must hold.
REAL = {
    "alpha of optimal_tree": lambda number: optimal_tree(X, y, alpha=number),
    "time_limit of optimal_tree": lambda number: optimal_tree(X, y, max_depth=1, time_limit=number),
    "time_limit of minimal_tree": lambda number: minimal_tree(X, y, time_limit=number),
    "tol of tree_from_ensemble": lambda number: rebuilt(tol=number),
    "tol of tree_from_spectra": lambda number: tree_from_spectra([SPECTRUM], tol=number),
    "tol of to_tree": lambda number: SPECTRUM.to_tree(tol=number),
    "tol of a rebuilt tree": lambda number: ReconstructedFourierTree(DecisionTreeClassifier(), tol=number).fit(X, y),
    "tol of an aggregated tree": lambda number: AggregatedFourierTreeClassifier([TREE], tol=number).fit(X, y),
    "half_life": lambda number: ModelStream(TREE, X, half_life=number),
    "weight of a model": lambda number: ModelStream(TREE, X).add(TREE, number),
    "alpha of a criterion": lambda number: WeightedInformationGain(number).specification(3),
    "cap of weights": lambda number: distance_by(ConcaveOfModular(cap=number)),
    "cap of groups": lambda number: distance_by(GroupedCardinality([0, 0, 1], cap=number)),
    "rtol": lambda number: assert_trees_equal(TREE, TREE, rtol=number),
    "tolerance of check_criterion": lambda number: check_criterion("gini", tolerance=number, n_cases=1),
    "tolerance of check_tree": lambda number: check_tree(TREE, X, y, "gini", tolerance=number),
    "min_gain of check_tree": lambda number: check_tree(TREE, X, y, "gini", limits={"min_gain": number}),
    "cluster_std": lambda number: make_gaussian_blobs(10, cluster_std=number),
    "noise": lambda number: make_monks(1, noise=number),
    "value of a set function": lambda number: distance_by(lambda rows: number),
}
# Calls that take arrays of numbers, one of which float64 must hold.
ELEMENT = {
    "cost_matrix": lambda number: OrdinalDecisionTreeClassifier(
        predict_rule="cost", cost_matrix=[[0, number], [1, 0]]
    ).fit(X, y),
    "cost_matrix of a criterion": lambda number: RankingImpurity(cost_matrix=[[0, number], [number, 0]]),
    "class_scores of ranking": lambda number: RankingImpurity(class_scores=[0, number]),
    "class_scores of wig": lambda number: WeightedInformationGain(class_scores=[0, number]),
    "counts of a gain": lambda number: gain("gini", [number, 1], [1, 2]),
    "counts of an impurity": lambda number: impurity("entropy", [number, 1]),
    "sample_weight": lambda number: TREE.fit(X, y, sample_weight=[number] * 6),
    "class_weight": lambda number: DecisionTreeClassifier(class_weight={0: number, 1: 1}).fit(X, y),
    "sample_weight of a score": lambda number: mae_scorer(TREE, X, y, sample_weight=[number] * 6),
    "sample_weight of another score": lambda number: qwk_scorer(TREE, X, y, sample_weight=[number] * 6),
    "sample_weight of check_tree": lambda number: check_tree(TREE, X, y, "gini", sample_weight=[number] * 6),
    "probabilities": lambda number: ranked_probability_score([0, 1], [[number, 1], [0.5, 0.5]]),
    "series": lambda number: symbolize([number, 1, 2]),
    "thresholds": lambda number: symbolize([0, 1, 2], "thresholds", thresholds=[number]),
    "samples of a tree": lambda number: TREE.tree_.apply([[number, 0]]),
    "samples of an estimator": lambda number: TREE.predict([[number, 0]]),
    "a table that is none": lambda number: TREE.predict(number),
    "samples of codes": lambda number: CODES.transform([[number, 0]]),
    "samples of a model": lambda number: additive_model(TREE).evaluate([[number, 0]]),
    "samples of assert_trees_equal": lambda number: assert_trees_equal(TREE, TREE, X=[[number, 0]]),
    "reference of a stream": lambda number: ModelStream(TREE, [[number, 0]]),
    "targets": lambda number: equal_frequency_classes([number, 1, 2], 2),
    "cuts": lambda number: make_stock_moves(5, 2, cuts=[number]),
    "weights of samples": lambda number: ConcaveOfModular([number, 1, 1]),
    "weights of elements": lambda number: Coverage([[1], [0], [1]], [number]),
    "similarities": lambda number: FacilityLocation([[number]]),
    "weights of edges": lambda number: GraphCut([[0, number], [number, 0]]),
    "vectors": lambda number: MatroidRank([[number, 0]]),
    "weights of trees": lambda number: rebuilt(weights=[number]),
    "counts of a dict": lambda number: from_dict(counts=[number, 0]),
    "shares of a dict": lambda number: from_dict(shares=[number, 0]),
    "category of a dict": lambda number: from_dict(category=number),
    "value of arrays": lambda number: assert_trees_equal(arrays_with("value", number), TREE),
    "children of arrays": lambda number: assert_trees_equal(arrays_with("children_right", number), TREE),
    "targets of a tree": lambda number: DecisionTreeRegressor().fit(X, [number, *y[1:]]),
    "targets of a forest": lambda number: DecisionForestRegressor().fit(X, np.array([number, *y[1:]], dtype=object)),
}
NUMBERS = {"great": 10**400, "negative": -(10**400), "fraction": Fraction(10**400, 3), "decimal": Decimal("1e400")}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("call", [*REAL.values(), *ELEMENT.values()], ids=[*REAL, *ELEMENT])
def test_numbers_beyond_float64_are_refused(call, number):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(number)
    assert not isinstance(caught.value.__context__, OverflowError) or "beyond the range" in str(caught.value)
    assert "ufunc" not in str(caught.value)


@pytest.mark.parametrize("number", [Fraction(1, 3), np.float32(0.5), np.float64(0.5)], ids=repr)
@pytest.mark.parametrize("name", [name for name in REAL if not name.startswith(("min_gain", "tolerance"))])
def test_fractions_and_numbers_of_numpy_are_numbers(name, number):
    REAL[name](number)


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, np.uint64(2**63)], ids=str)
def test_categories_of_dicts_have_codes(number):
    for entries in ({"category": number}, {"categories": [2, number]}):
        assert_refuses(ValueError, r"Not an exported tree: .* is no category of 'feature_0'", from_dict, **entries)


@pytest.mark.parametrize("number", [Decimal("Infinity"), Decimal("NaN"), Decimal("sNaN"), np.longdouble("1e4000")])
def test_targets_beyond_the_finite_numbers_are_refused(number):
    targets = [number, *y[1:]]
    for given in (targets, np.array(targets, dtype=object)):
        assert_refuses(ValueError, r"Input y contains (NaN|infinity)", DecisionTreeRegressor().fit, X, given)


def test_estimators_take_fractions():
    share = Fraction(1, 4)
    assert C45Classifier(confidence=share).fit(X, y).tree_ == C45Classifier(confidence=0.25).fit(X, y).tree_
    given = {"min_weight_fraction_leaf": share, "min_impurity_decrease": share, "ccp_alpha": share, "min_gain": share}
    fitted = DecisionTreeClassifier(**given).fit(X, y)
    plain = DecisionTreeClassifier(**dict.fromkeys(given, 0.25)).fit(X, y)
    assert fitted.tree_ == plain.tree_
    assert_refuses(ValueError, "'max_features' parameter", DecisionTreeClassifier(max_features=share).fit, X, y)
    few = OrthogonalTreesClassifier([TREE, TREE], min_confidence=share).fit(X, y)
    assert few.n_components_ == 1


@pytest.mark.parametrize("share", [np.inf, -np.inf, np.nan, 1e308, 2.0, -0.5, "2", []], ids=str)
def test_shares_of_samples_that_check_tree_takes(share):
    for name in ("min_samples_leaf", "min_samples_split"):
        with pytest.raises(ValueError, match=f"limits has {name}=.*, which is no limit"):
            check_tree(TREE, X, y, "gini", limits={name: share})


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 2**64, np.uint64(2**64 - 1), 10**400], ids=str)
def test_limits_without_bound_are_no_limits(number):
    assert minimal_tree(X, y, memory_limit=number).is_proven
    assert optimal_tree(X, y, max_depth=number, max_leaf_nodes=number, memory_limit=number).n_errors == 0
    limits = {"max_depth": number, "max_leaf_nodes": number}
    assert rebuilt(**limits).tree == rebuilt().tree
    assert DecisionTreeClassifier(**limits, max_candidates=number).fit(X, y).tree_ == TREE.tree_
    assert check_tree(TREE, X, y, "gini", limits=limits).n_trees == 1
    for limit in ({"min_samples_leaf": number}, {"min_samples_split": number}):
        assert DecisionTreeClassifier(**limit).fit(X, y).tree_.node_count == 1
    assert C45Classifier(min_samples_leaf=number).fit(X, y).tree_.node_count == 1
    found = order_sensitivity(
        PermutationDecisionTreeClassifier(), X, y, cv=2, n_permutations=1, n_jobs=None, random_state=0
    )
    assert found.shuffled_scores.shape == (1,)


@pytest.mark.parametrize(
    "number", [2**31, 2**63, 2**64, 10**400, -3, 0.5, Fraction(1), np.nan, True, "1", [], 1j], ids=str
)
def test_axes_of_arrays_are_whole_numbers(number):
    with pytest.raises(ValueError, match="axis must be a whole number from -2 to 1, got"):
        effort_to_compress([[0, 1], [1, 0]], axis=number)
    assert effort_to_compress([[0, 1], [1, 0]], axis=np.int8(-1)).tolist() == [1, 1]


@pytest.mark.parametrize("number", [0, -1, 1.5, np.nan, np.inf, 10**400, 2**63, "2", [], None, 1j], ids=str)
def test_sizes_of_drawn_tables_are_checked(number):
    calls = [
        lambda: make_monks(number),
        lambda: make_from_random_tree(n_nodes=number),
        lambda: make_from_random_tree(n_samples=number),
        lambda: make_from_random_tree(n_features=number),
        lambda: make_from_random_tree(n_classes=number),
        lambda: make_stock_moves(number, 2),
        lambda: make_stock_moves(2, number),
        lambda: equal_frequency_classes([1, 2, 3], number),
        lambda: check_criterion("gini", max_classes=number, n_cases=1),
        lambda: check_criterion("etc", max_classes=number, n_cases=1),
        lambda: check_tree_estimator(TREE, "gini", max_samples=number, n_cases=1),
        lambda: check_tree_estimator(TREE, "gini", max_features=number, n_cases=1),
    ]
    for call in calls:
        assert_refuses(ValueError, r".", call)


def test_estimators_of_estimators_have_a_greatest_number():
    for estimator in (OrthogonalTreesClassifier, AggregatedFourierTreeClassifier):
        with pytest.raises(ValueError, match="'n_estimators' parameter"):
            estimator(DecisionTreeClassifier(), n_estimators=2**63).fit(X, y)


def test_names_that_are_unknown_are_refused():
    for resolve in (resolve_criterion, resolve_distance):
        assert_refuses(ValueError, "There is no criterion '2'", resolve, "2")
    assert all(resolve_distance(name).name == name for name in CRITERIA)
    for given in ([], {}, 5, np.zeros(1)):
        assert_refuses(ValueError, "metric must be one of", make_ordinal_scorer, given)
        assert_refuses(ValueError, "task must be one of", names, ".", task=given)
        with pytest.raises(TypeError, match="update fits the estimator of the stream, which has no fit"):
            ModelStream(given, X).update(X, y)


@pytest.mark.parametrize("scores", [5, 1j, [0, None], [0, 1j], np.array(2)], ids=repr)
def test_class_scores_are_a_sequence_of_numbers(scores):
    for criterion in (RankingImpurity, WeightedInformationGain):
        assert_refuses(TypeError, "class_scores must be a sequence of numbers, got", criterion, class_scores=scores)


def test_the_order_of_no_samples_is_refused():
    for rows in ([], np.zeros((0, 2))):
        with pytest.raises(ValueError, match="There are no samples, whose order could matter"):
            order_sensitivity(PermutationDecisionTreeClassifier(), rows, [])


def test_numbers_without_a_sum_are_validated_without_a_warning():
    """A search for NaN adds all numbers up; numbers near both ends of float64, read from several rows at once, sum up
    to NaN."""
    X = np.tile([1.7e308, -1.7e308], (8, 8))
    stream = ModelStream(DecisionTreeClassifier(max_depth=2), X, half_life=2)
    stream.update(X, np.arange(8) % 2)
    assert np.all(np.isfinite(stream.evaluate(X)))
    assert np.array_equal(MatroidRank(X).X, X)


ODD = [2**63, 10**400, -1, np.int8(2), np.uint64(2**63), np.float32(0.1), np.bool_(True), Fraction(1, 3), "x", 1j]
ODD += [[[1]], Decimal("0.1"), Decimal("1e400"), Decimal("sNaN"), np.nan, np.inf, 5e-324]
FORESTS = partial(DecisionForestClassifier, 2), partial(DecisionForestRegressor, 2)
ESTIMATORS = DecisionTreeClassifier, DecisionTreeRegressor, OptimalTreeClassifier, C45Classifier, *FORESTS


@pytest.mark.parametrize("name", sorted({"sample_weight", *OptimalTreeClassifier().get_params()} - {"n_jobs"}))
def test_odd_numbers_are_read_or_refused_by_name(engine, name):
    X, y = np.arange(4.0)[:, np.newaxis], np.array([0, 1, 1, 0])
    for make, number in product(ESTIMATORS, ODD):
        message = ""
        try:
            if name == "sample_weight":
                make().fit(X, y, sample_weight=number)
            elif name in make().get_params():
                make(**{name: {0: 1, 1: number} if name == "class_weight" else number}).fit(X, y)
        except (TypeError, ValueError) as error:
            message = str(error)
        assert not message or name in message or "Sample weights" in message


def test_small_integers_of_numpy_do_not_wrap_around(engine):
    X, y = np.arange(10)[:, np.newaxis], np.arange(10) % 2
    for number in (np.uint8(200), np.uint64(2**63)):
        assert OptimalTreeClassifier(alpha=number).fit(X, y).cost_ == pytest.approx(0.5 + float(number))
    for number in (0.1, np.float32(0.1), Fraction(1, 10)):  # as they are written
        assert OptimalTreeClassifier(max_depth=1, alpha=number).fit(X, X[:, 0] < 1).get_n_leaves() == 1
