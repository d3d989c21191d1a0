"""Kernels index memory by what arrays hold: what public calls hand to them is checked before, on both engines."""

import copy
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest
from estimators import CLASSIFIERS
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from support import NO_LIMITS, assert_refuses

from pytrees import (
    DecisionForestClassifier,
    DecisionTreeClassifier,
    FourierSpectrum,
    ID3Classifier,
    ID3ForestClassifier,
    PermutationDecisionTreeClassifier,
    Tree,
    export_graphviz,
    from_sklearn,
)
from pytrees._engine import KERNELS, kernel
from pytrees.fourier import additive_model, ordinal_codes

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), np.array([0, 1, 1, 0])


# ------------------------------------------------------------------------------------------------- criteria of a tree


def leaf_of(value, criterion):
    return Tree([-1], [-1], [-2], [-2.0], [1], [value], [0.0], 1, criterion=criterion)


NO_CRITERIA = [
    *(
        (wrong, "must be one of")
        for wrong in ((), [], ("gini",), ("gini", {}, 1), ("gini", None), (["gini"], {}), "nvi", "user_counts", 3)
    ),
    (("gini", {"alpha": 1.0}), "has no parameter 'alpha'"),
    (("ranking", {"alpha": 1.0}), "has no parameter 'alpha'"),
    (("ranking", {"class_scores": [1.0]}), "1 scores for 3 classes"),
    (("ranking", {"class_scores": [2.0, 1.0, 3.0]}), "must increase"),
    (("ranking", {"class_scores": 5}), "another kind"),
    (("ranking", {"class_scores": [1, 2, 10**400]}), "beyond the range of float64"),
    (("ranking", {"cost_matrix": [[0.0]]}), "costs of 1 classes for 3 classes"),
    (("ranking", {"cost_matrix": [0.0]}), "a row and a column for every class"),
    (("wig", {"class_scores": [1.0, 2.0]}), "2 scores for 3 classes"),
    (("wig", {"distance_from": "nowhere"}), "distance_from must be one of"),
]


@pytest.mark.parametrize(("criterion", "message"), NO_CRITERIA)
def test_a_tree_refuses_what_is_no_criterion(engine, criterion, message):
    assert_refuses(ValueError, rf"^Not a tree: .*{message}", leaf_of, [1.0, 1.0, 1.0], criterion)


def test_a_tree_with_a_wrong_criterion_is_not_unpickled(engine):
    good = leaf_of([1.0, 1.0, 1.0], ("ranking", {"class_scores": (1.0, 2.0, 4.0)}))
    make, arguments = good.__reduce__()
    assert pickle.loads(pickle.dumps(good)).impurity == good.impurity
    for wrong in ((), ("ranking", {"class_scores": (1.0,)})):
        tampered = [wrong if argument is good._criterion else argument for argument in arguments]
        assert_refuses(ValueError, "Not a tree", make, *tampered)


@pytest.mark.parametrize(
    ("criterion", "impurity"),
    [
        ("gini", 0.5),
        (("gini", {}), 0.5),
        ("ranking", 4.0),
        (("ranking", {"class_scores": [0, 3]}), 12.0),
        (("ranking", {"cost_matrix": [[0, 2], [2, 0]]}), 8.0),
        (("wig", {"alpha": 2.0}), 0.5),
    ],
)
def test_a_tree_takes_criteria_as_documented(engine, criterion, impurity):
    tree = leaf_of([2.0, 2.0], criterion)
    np.testing.assert_allclose(tree.impurity, [impurity])
    assert export_graphviz(tree).startswith("digraph")


@pytest.mark.parametrize("criterion", [(), [], ("gini",), ("gini", None), ("ranking", {"class_scores": [1.0]})])
@pytest.mark.parametrize("function", ["impurities", "weighted_fractions"])
def test_kernels_refuse_what_is_no_criterion(engine, function, criterion):
    with pytest.raises(ValueError, match=r"A criterion is a name|class_scores must be 3 numbers"):
        kernel(function)(criterion, np.ones((1, 3), dtype=np.int64))


@pytest.mark.parametrize("parameters", [{"cost_matrix": [[0.0]]}, {"class_scores": [0.0, 1.0, 2.0, 3.0]}])
def test_kernels_refuse_parameters_of_other_classes(engine, parameters):
    counts = np.ones((1, 3), dtype=np.int64)
    for function, arrays in (("impurities", [counts]), ("gains_of_cuts", [counts, counts])):
        with pytest.raises(ValueError, match=r"costs of 3 classes|class_scores must be 3 numbers"):
            kernel(function)(("ranking", parameters), *arrays)


# ---------------------------------------------------------------------------------------------------- exchanged trees

SINGLE_TREES = [one for one in map(clone, CLASSIFIERS) if hasattr(one.fit(X, Y), "tree_")]
DOORS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "apply",
    "decision_path",
    "feature_usage",
    "staged_predict",
    "predict_cumulative_proba",
    "predict_expected_score",
]


def tree_of_many_features():
    counts = [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
    sides = [1, -1, -1], [2, -1, -1]
    return Tree(*sides, [2**31 - 2, -2, -2], [0.5, -2.0, -2.0], [4, 2, 2], counts, [0.5, 0.0, 0.0], 2**31 - 1)


def tree_of_many_classes():
    return DecisionTreeClassifier().fit(X, [0, 1, 2, 3]).tree_


@pytest.mark.parametrize("make", [tree_of_many_features, tree_of_many_classes])
@pytest.mark.parametrize("estimator", SINGLE_TREES, ids=lambda estimator: type(estimator).__name__)
def test_an_exchanged_tree_is_refused(engine, estimator, make):
    estimator.fit(X, Y).tree_ = make()
    incomplete = np.where(X == 3.0, np.nan, X)
    for door in DOORS:
        for given in (X, np.tile(X, (30, 1)), incomplete):
            if hasattr(estimator, door) and (given is not incomplete or estimator._allows_missing):
                assert_refuses(ValueError, "but tree_ is a tree of", getattr(estimator, door), given)
    with pytest.raises(ValueError, match="but tree_ is a tree of"):
        estimator.feature_importances_  # noqa: B018


def test_other_labels_of_nodes_are_refused(engine):
    tree = ID3Classifier().fit(X, Y)
    tree.node_labels_ = tree.node_labels_[:1]
    for call in (tree.predict, tree.staged_predict, lambda _: tree.distance_path_):
        assert_refuses(ValueError, r"node_labels_ and split_steps_ have 1 and", call, X)
    forest = ID3ForestClassifier(2, random_state=0).fit(X, Y)
    for wrong in (forest[0].node_labels_ + 2, forest[0].node_labels_ - 1, forest[0].node_labels_[:1]):
        forest[0].node_labels_ = wrong
        for given in (X[:1], np.tile(X, (200, 1))):
            assert_refuses(ValueError, "must vote for one of the classes", forest.predict_proba, given)


def test_a_tree_checks_the_width_of_its_samples(engine):
    tree = DecisionTreeClassifier().fit(X, Y).tree_
    for call in (tree.apply, tree._apply_valid, tree.decision_path, tree.feature_usage, tree.predict):
        assert_refuses(ValueError, "X has 1 features, but the tree was grown on 2", call, X[:, :1].copy())


# ---------------------------------------------------------------------------------------- trees of other libraries


def sklearn_tree(**state_changes):
    """A tree of scikit-learn of 7 nodes whose arrays are changed: by their names dicts of nodes and new values."""
    X, y = load_iris(return_X_y=True)
    tree = SklearnTree(max_leaf_nodes=4, random_state=0).fit(X, y)
    for name, entries in state_changes.items():
        for node, value in entries.items():
            getattr(tree.tree_, name)[node] = value
    return tree


TAMPERED_TREES = {
    "circle": ({"children_left": {2: 0}}, "0 is the child of a node"),
    "own child": ({"children_left": {2: 2}}, "node 2 is the child of two nodes"),
    "circle beside the root": ({"children_right": {0: 4, 2: 2}}, "not below the root"),
    "two parents": ({"children_right": {2: 1}}, "node 1 is the child of two nodes"),
    "out of range": ({"children_left": {2: 1000}}, "1000 is the child of a node"),
    "far below": ({"children_right": {2: -5}}, "-5 is the child of a node"),
    "one child": ({"children_right": {2: -1}}, "-1 is the child of a node"),
    "leaf with samples": ({"children_left": {0: -1}}, "not below the root"),
    "feature": ({"feature": {0: 99}}, "tests feature 99"),
}


@pytest.mark.parametrize(("changes", "message"), TAMPERED_TREES.values(), ids=TAMPERED_TREES)
def test_broken_trees_of_scikit_learn_are_refused(changes, message):
    tree = sklearn_tree(**changes)
    for read in (Tree.from_sklearn, from_sklearn, ordinal_codes, additive_model):
        if read is additive_model and "below the root" in message:
            continue  # nodes that no sample reaches change no sum
        assert_refuses(ValueError, rf"Not a tree.*{message}", read, tree)


def test_broken_trees_of_ensembles_are_refused():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    bagging = BaggingClassifier(n_estimators=2, max_features=2, random_state=0).fit(X, y)
    boosting = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, y)
    histograms = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    forest.estimators_[1].tree_.children_left[0] = 0
    bagging.estimators_[1].tree_.children_right[0] = 0
    boosting.estimators_[1, 0].tree_.children_left[0] = 12_345
    histograms._predictors[1][0].nodes["left"][0] = 0
    for model in (forest, bagging, boosting, histograms):
        assert_refuses(ValueError, "Not a tree", additive_model, model)
    for read in (from_sklearn, ordinal_codes):
        assert_refuses(ValueError, "Not a tree", read, forest)
    bagging.estimators_[1].tree_.children_right[0] = 2
    bagging.estimators_[1].tree_.feature[0] = 3  # of two
    assert_refuses(ValueError, r"Not a tree", additive_model, bagging)


# -------------------------------------------------------------------------------------------------------- spectra


def test_a_tampered_spectrum_is_refused(engine):
    spectrum = FourierSpectrum([[0, 0], [1, 1]], [0.5, 0.5], [2, 2])
    make, (partitions, coefficients, cardinalities) = spectrum.__reduce__()
    assert pickle.loads(pickle.dumps(spectrum)) == spectrum
    for wrong in (
        (partitions + np.int8(100), coefficients, cardinalities),
        (partitions[1:] * np.int8(-1), coefficients[1:], cardinalities),
        (partitions, coefficients[:1], cardinalities),
        (partitions, coefficients, cardinalities[:1]),
        (partitions[:0], coefficients[:0], cardinalities),
        (partitions.astype(float), coefficients, cardinalities),
    ):
        assert_refuses(ValueError, r"Not a spectrum|digits outside the cardinalities", make, *wrong)
    far = np.array([[0, 0], [100, 100]], dtype=np.int8)
    for name, value in (("partitions", far), ("coefficients", coefficients[:1]), ("cardinalities", cardinalities[:1])):
        tampered = copy.copy(spectrum)
        assert_refuses(AttributeError, "cannot be changed", setattr, tampered, name, value)
        object.__setattr__(tampered, name, value)
        assert_refuses(ValueError, r"not those of coefficients|attributes|features|codes", tampered.evaluate, [[0, 1]])


def test_spectra_that_take_too_long_are_refused_at_once(engine):
    counts = [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
    tree = Tree([1, -1, -1], [2, -1, -1], [0, -2, -2], [5e5, -2, -2], [4, 2, 2], counts, [0.5, 0.0, 0.0], 3)
    for call in (
        lambda: FourierSpectrum.from_tree(tree, [2**20] * 3),
        lambda: FourierSpectrum([[0]], [1.0], [2**20]).schema_average({0: range(2**19)}),
    ):
        assert_refuses(ValueError, r"steps, more than .*, some ten minutes", call)


# ------------------------------------------------------------------------------------------------- what guards kernels

# Every kernel: which arrays it indexes by what they hold (None: by nothing), who hands them over, what guards it, and
# the test that hands over bad ones, in this file if none is named. "Trees" are checked when they are made
# (`_tree_arrays`), and read-only.
NOTHING = None, "takes numbers, or values that it indexes nothing by", "test_every_kernel_is_listed"
CODES = "labels", "`check_samples` of the kernel; `input.validation` before it"
WALKED = "trees; columns of X", "checks of trees; `Tree._check_columns`"
CODED = "codes of symbols", "the kernel; `_coded_sequences.encode` before it"
BOXES = (
    "boxes, measures, values",
    "`Boxes`, `Measure` and `check_values` of the kernel; `fourier.boxes.Leaves` before it",
)
DIGITS = "digits of partitions", "`check_spectrum` of the kernel; `fourier.partitions` before it"
COUNTS = "criteria; class counts", "`name_and_given`, `parameters_of`, `costs_of` and a check of counts in the kernel"
EXCHANGED = "test_an_exchanged_tree_is_refused"
TAMPERED = "test_a_tampered_spectrum_is_refused"
BAD_BOXES = "test_kernels_refuse_arrays_that_are_no_boxes"
BAD_ALPHABET = "sequence/test_substitution.py::test_codes_outside_the_alphabet_are_rejected"
BAD_CRITERIA = "test_kernels_refuse_what_is_no_criterion"
NO_TREE = "tree/test_tree.py::test_arrays_that_are_no_tree_are_refused"
GUARDS = {
    "stoppable": NOTHING,
    "watched": NOTHING,
    "effort_to_compress": (*CODED, BAD_ALPHABET),
    "substitutions": (*CODED, BAD_ALPHABET),
    "lempel_ziv_complexity": (*CODED, BAD_ALPHABET),
    "efforts": (
        "codes of symbols; starts and stops of slices",
        "the kernel",
        "sequence/test_ngrams.py::test_kernel_refuses_slices_outside_the_sequence",
    ),
    "n_log2_n": NOTHING,
    "gains_of_cuts": (*COUNTS, "test_kernels_refuse_negative_counts"),
    "impurities": (*COUNTS, BAD_CRITERIA),
    "weighted_fractions": (*COUNTS, BAD_CRITERIA),
    "means_of_targets": ("weights", "the kernel", "input/test_targets.py::test_means_need_weights"),
    "codes_of_objects": ("kind of the array", "the kernel", "rows/test_codes.py::test_other_arrays_are_refused"),
    "codes_of_records": ("widths of records", "the kernel", "rows/test_codes.py::test_other_arrays_are_refused"),
    "count_draws": ("sizes", "the kernel", "rows/test_draws.py::test_sizes_are_checked"),
    "bin_features": ("number of bins", "the kernel", "rows/test_histogram.py::test_number_of_bins_is_checked"),
    "grow_by_gain": (
        "labels, weights, groups, codes of categories; samples of trees, which `trees.bootstrap` draws",
        "`check_samples`, `check_groups` and `Features` of the kernel; `input.validation` before it",
        "test_growth_refuses_labels_outside_the_classes",
    ),
    "node_bounds": (
        "children and features of nodes",
        "the kernel",
        "growth/test_monotonic.py::test_bounds_of_no_tree_are_refused",
    ),
    "share_features": (
        "codes of categories",
        "`Features` of the kernel",
        "test_growth_refuses_labels_outside_the_classes",
    ),
    "grow_by_distance": (*CODES, "id3/test_by_distance.py::test_codes_and_lengths_are_checked"),
    "set_distance": (
        "sets of samples",
        "a function of the user",
        "id3/test_set_functions.py::test_functions_of_other_samples_are_refused",
    ),
    "table_distance": ("numbers of samples", "the kernel", "test_kernels_refuse_negative_counts"),
    "grow_c45": (
        "labels, codes of categories",
        "`_check` of the kernel",
        "c45/test_tree.py::test_bad_input_is_refused",
    ),
    "pessimistic_errors": NOTHING,
    "class_shares": (*WALKED, EXCHANGED),
    "cheapest_tree": (
        "labels, ranks",
        "the kernel",
        "optimal/test_best_tree.py::test_the_kernel_refuses_invalid_class_codes",
    ),
    "small_tree": (
        "labels",
        "`check_codes` of the kernel",
        "minimal/test_search.py::test_the_kernels_refuse_invalid_class_codes",
    ),
    "minimal_tree": (
        "labels",
        "`check_codes` of the kernel",
        "minimal/test_search.py::test_the_kernels_refuse_invalid_class_codes",
    ),
    "box_averages": (*BOXES, BAD_BOXES),
    "gram": (*BOXES, BAD_BOXES),
    "leaf_boxes": ("trees; cardinalities", "checks of trees; `fourier.boxes` compares both", NO_TREE),
    "box_effects": (*BOXES, BAD_BOXES),
    "box_profiles": (*BOXES, BAD_BOXES),
    "sample_effects": NOTHING,
    "sample_profiles": (*BOXES, BAD_BOXES),
    "gram_of_samples": ("rows of values", "the kernel", "test_kernels_refuse_places_without_values"),
    "count_orders": (*BOXES, BAD_BOXES),
    "evaluate_spectrum": (*DIGITS, TAMPERED),
    "expand_spectrum": (*BOXES, BAD_BOXES),
    "find_partitions": ("widths of partitions", "the kernel", TAMPERED),
    "merge_partitions": ("widths of partitions", "the kernel", TAMPERED),
    "order_starts": NOTHING,
    "tree_from_boxes": (*BOXES, BAD_BOXES),
    "tree_from_samples": (
        "codes of samples",
        "`check_codes` of the kernel and of `fourier.boxes`",
        "fourier/test_boxes.py::test_invalid_measures_are_refused",
    ),
    "tree_from_spectrum": (*DIGITS, TAMPERED),
    "prune_path": ("trees", "checks of trees", NO_TREE),
    "apply": (*WALKED, EXCHANGED),
    "decision_path": (*WALKED, EXCHANGED),
    "feature_usage": (*WALKED, EXCHANGED),
    "find_leaves": (*WALKED, EXCHANGED),
    "pack_forest": ("votes of nodes", "the kernel; `ForestSums` before it", "test_other_labels_of_nodes_are_refused"),
    "sum_leaves": ("trees; columns of X", "`ForestSums`; forests before it", "test_forests_check_the_width_of_samples"),
}


def test_every_kernel_is_listed():
    assert sorted(GUARDS) == sorted(KERNELS)
    for name, (_, guard, test) in GUARDS.items():
        file, _, function = test.rpartition("::")
        path = Path(__file__).parents[1] / file if file else Path(__file__)
        assert guard
        assert f"def {function}(" in path.read_text(encoding="utf-8"), f"{name}: {test}"


@pytest.mark.parametrize("function", ["grow_by_gain", "grow_by_distance"])
def test_growth_refuses_labels_outside_the_classes(function):
    limits, judge = NO_LIMITS, "gini"
    if function == "grow_by_distance":
        limits = {name: limit for name, limit in NO_LIMITS.items() if name not in ("min_gain", "max_candidates")}
        limits |= {"evaluation": "global", "labels": "majority", "stop": "pure"}
        judge = "information_gain"
    for wrong in ([0, 1, 2, 0], [0, -1, 1, 0], [0, 1]):
        with pytest.raises(ValueError, match=r"Class code|must have 4 samples"):
            kernel(function)(X, np.array(wrong, dtype=np.int32), None, 2, judge, **limits)
    if function == "grow_by_gain":
        with pytest.raises(ValueError, match=r"Feature 0 has the categories 0\.\.1, but row 2"):
            kernel(function)(X, Y.astype(np.int32), None, 2, "gini", n_categories=[2, 0], **limits)


def test_kernels_refuse_negative_counts():
    negative = np.array([[-5, 2]], dtype=np.int64)
    assert_refuses(ValueError, "not be negative", kernel("gains_of_cuts"), "entropy", negative, -negative)
    assert_refuses(ValueError, "not negative", kernel("table_distance"), negative, "information_gain")


def boxes_of_two():
    """One box of two attributes of three values each, and a measure on them."""
    boxes = [np.array(part, dtype=np.int64) for part in ([0, 2], [0, 1], [0, 1, 2], [0, 1], [2, 3])]
    return boxes, (np.array([0, 4, 8]), np.tile([0.0, 1.0, 2.0, 3.0], 2))


BAD_PARTS = [
    (0, [0, 5]),
    (0, [1, 2]),
    (1, [0, 7]),
    (1, [-1, 1]),
    (1, [1, 0]),
    (2, [0, 9, 2]),
    (3, [-4, 1]),
    (4, [2, 99]),
]


@pytest.mark.parametrize(("part", "wrong"), BAD_PARTS)
def test_kernels_refuse_arrays_that_are_no_boxes(part, wrong):
    boxes, measure = boxes_of_two()
    values, cardinalities = np.ones((1, 1)), np.array([3, 3])
    counts = kernel("count_orders")(boxes, values[:, 0], cardinalities, np.inf)
    assert counts.tolist() == [1.0, 4.0, 4.0]
    boxes[part] = np.array(wrong, dtype=np.int64)
    rows, limits = np.zeros((1, 2), dtype=np.int64), ("variance", 0.0, 1.0, 5, 5)
    calls = [
        ("gram", np.array([0, 1]), boxes, values, measure),
        ("box_averages", boxes, values, boxes, measure),
        ("box_effects", boxes, values, measure),
        ("box_profiles", boxes, values, measure, [(0, -1)]),
        ("sample_profiles", boxes, values, rows, np.ones(1), cardinalities, [(0, -1)]),
        ("count_orders", boxes, values[:, 0], cardinalities, np.inf),
        ("expand_spectrum", boxes, values[:, 0], cardinalities, counts),
        ("tree_from_boxes", boxes, values, np.zeros(1, dtype=np.int64), measure, *limits),
    ]
    for function, *arguments in calls:
        assert_refuses(ValueError, "are no boxes", kernel(function), *arguments)


def test_kernels_refuse_places_without_values():
    for wrong in (7, -1):
        places = np.array([[0, wrong]], dtype=np.int64)
        assert_refuses(ValueError, "rows of the values", kernel("gram_of_samples"), places, np.ones((2, 1)), np.ones(1))


def test_forests_check_the_width_of_samples(engine):
    forest = DecisionForestClassifier(2, random_state=0).fit(X, Y)
    many = np.tile(X, (200, 1))
    forest.predict_proba(many)
    forest.n_features_in_ = 1  # no check of the forest sees it while the trees are packed
    for given in (X[:1, :1], many[:, :1]):
        assert_refuses(ValueError, r"features", forest.predict_proba, np.ascontiguousarray(given))


# ------------------------------------------------------------------------------------------------- threads that start


@pytest.mark.parametrize("n_startable", [0, 1])
@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(n_jobs=3, max_depth=4),
        PermutationDecisionTreeClassifier(n_jobs=3, max_depth=1),
        DecisionForestClassifier(3, n_jobs=3, max_depth=2, random_state=0),
    ],
    ids=["parts", "sequences", "forest"],
)
def test_a_fit_goes_on_if_threads_cannot_start(monkeypatch, estimator, n_startable):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "4")
    rng = np.random.default_rng(0)
    table, labels = rng.normal(size=(20_000, 4)), rng.integers(0, 2, 20_000)
    if isinstance(estimator, PermutationDecisionTreeClassifier):
        table, labels = table[:2000], labels[:2000]
    wanted = clone(estimator).set_params(n_jobs=1).fit(table, labels).predict_proba(table)
    start, n_started = threading.Thread.start, []

    def start_few(thread):
        if len(n_started) >= n_startable:
            raise RuntimeError("can't start new thread")
        n_started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    found = clone(estimator).fit(table, labels).predict_proba(table)
    np.testing.assert_array_equal(found, wanted)
