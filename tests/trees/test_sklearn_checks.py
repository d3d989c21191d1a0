"""scikit-learn's own checks, on every estimator; also the checks that it does not yield to third parties."""

import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from pytrees import (
    AggregatedFourierTreeClassifier,
    C45Classifier,
    DecisionForestClassifier,
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DistilledTreesClassifier,
    DistilledTreesRegressor,
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

ORDINAL_CRITERION = "ogini"

ESTIMATORS = [
    C45Classifier(),
    C45Classifier(confidence=None, max_depth=5),
    C45Classifier(categorical_features=[0], handle_unknown="majority"),
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=10),
    DecisionTreeClassifier(criterion="gain_ratio", max_leaf_nodes=10),
    DecisionTreeClassifier(criterion="jaccard"),
    DecisionTreeClassifier(criterion="etc", max_candidates=16),
    DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority"),
    DecisionForestClassifier(n_estimators=5),
    DecisionForestClassifier(n_estimators=5, categorical_features=[0], handle_unknown="majority"),
    DecisionForestClassifier(n_estimators=5, criterion="entropy", bootstrap=False, max_leaf_nodes=10),
    DecisionForestClassifier(n_estimators=5, criterion="etc", max_candidates=8, max_samples=0.5),
    DecisionTreeRegressor(),
    DecisionTreeRegressor("absolute_error", max_leaf_nodes=10),
    DecisionTreeRegressor(max_features=0.5, max_depth=5, random_state=0),
    DecisionTreeRegressor(ccp_alpha=0.01, min_weight_fraction_leaf=0.01),
    DecisionForestRegressor(n_estimators=5),
    DecisionForestRegressor(n_estimators=5, criterion="absolute_error", max_depth=4, max_features=0.5),
    DecisionForestRegressor(n_estimators=5, bootstrap=False, max_leaf_nodes=10, max_features="sqrt"),
    PermutationDecisionTreeClassifier(max_candidates=16),
    PermutationDecisionForestClassifier(n_estimators=5, max_candidates=8),
    PermutationDecisionForestClassifier(
        n_estimators=5, criterion="gini", bootstrap=True, max_features="sqrt", random_state=0
    ),
    *(
        OrdinalDecisionTreeClassifier(ORDINAL_CRITERION, predict_rule=rule, max_leaf_nodes=leaves)
        for rule, leaves in (("mode", None), ("median", None), ("expected", None), ("median", 10))
    ),
    *(
        OrdinalDecisionForestClassifier(n_estimators=5, criterion=ORDINAL_CRITERION, predict_rule=rule)
        for rule in ("mode", "median", "expected")
    ),
    ID3Classifier(),
    ID3Classifier("jaccard", evaluation="global"),
    # The checks round values that are meant for categorical features, so that samples become equal; a limit avoids a
    # warning about them.
    ID3Classifier(evaluation="global", max_depth=50, categorical_features=[0], handle_unknown="majority"),
    ID3Classifier("accuracy", evaluation="glocal", labels="all", max_leaf_nodes=10),
    ID3ForestClassifier(n_estimators=5, distance="gini", evaluation="global", max_features="sqrt"),
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, cost_matrix="absolute"),
    OptimalTreeClassifier(max_depth=2, alpha=0.01, max_leaf_nodes=3),
    OptimalTreeClassifier(max_depth=2, categorical_features=[0], handle_unknown="majority"),
    # Some checks have noise as labels, which no small tree gets right.
    MinimalTreeClassifier(time_limit=0.5),
    ReconstructedFourierTree(max_leaf_nodes=32),
    # Bagging of scikit-learn before 1.9 can draw samples of weight zero alone: a seed.
    AggregatedFourierTreeClassifier(n_estimators=5, random_state=0),
    AggregatedFourierTreeClassifier(DecisionForestClassifier(5), measure="empirical", criterion="variance"),
    OrthogonalTreesClassifier(n_estimators=5, random_state=0),
    OrthogonalTreesClassifier(n_estimators=5, combine="first", center=True, measure="empirical", random_state=0),
    OrthogonalTreesClassifier(DecisionForestClassifier(5), combine="least_squares", structure="shared"),
    DistilledTreesClassifier(DecisionForestClassifier(5), n_trees=3, random_state=0),
    DistilledTreesClassifier(DecisionTreeClassifier(), measure="joint", max_leaf_nodes=100),
    DistilledTreesClassifier(RandomForestClassifier(5, random_state=0), n_trees=2, measure="joint"),
    DistilledTreesClassifier(GradientBoostingClassifier(n_estimators=5, random_state=0), n_trees=2),
    DistilledTreesRegressor(DecisionTreeRegressor(), measure="joint", max_leaf_nodes=100),
    DistilledTreesRegressor(RandomForestRegressor(5, random_state=0), n_trees=2, measure="joint"),
    *(
        made(DecisionTreeClassifier(categorical_features=[0], handle_unknown="majority"), **few)
        for made, few in (
            (ReconstructedFourierTree, {}),
            (AggregatedFourierTreeClassifier, {"n_estimators": 5, "max_leaf_nodes": 100, "random_state": 0}),
            (OrthogonalTreesClassifier, {"n_estimators": 5, "max_leaf_nodes": 100, "random_state": 0}),
            (DistilledTreesClassifier, {"max_leaf_nodes": 100}),
        )
    ),
]


def expected_failures(estimator):
    if isinstance(estimator, (AggregatedFourierTreeClassifier, OrthogonalTreesClassifier)):
        return {
            "check_sample_weight_equivalence_on_dense_data": "repeated rows make other bootstrap samples than weighted "
            "ones, as in scikit-learn's own ensembles"
        }
    are_distilled = isinstance(estimator, (DistilledTreesClassifier, DistilledTreesRegressor))
    if are_distilled and not isinstance(estimator.estimator, (DecisionTreeClassifier, DecisionTreeRegressor)):
        return {
            "check_sample_weight_equivalence_on_dense_data": "repeated rows make other bootstrap samples than weighted "
            "ones; scikit-learn's gradient boosting fails it by itself"
        }
    if isinstance(estimator, OptimalTreeClassifier) and estimator.alpha == 0.0:
        return {
            "check_class_weight_classifiers": "wants all leaves to predict a class of great weight: the best tree gets "
            "samples of the other class right, too, where that costs nothing"
        }
    is_id3 = isinstance(estimator, (ID3Classifier, ID3ForestClassifier))
    has_draws = isinstance(estimator, (DecisionTreeClassifier, DecisionForestClassifier, DecisionForestRegressor))
    if not is_id3 and not has_draws:
        return {}
    failures = {}
    if is_id3 and estimator.evaluation != "local":
        if isinstance(estimator, ID3Classifier):  # forests draw by these weights
            failures["check_class_weight_classifiers"] = (
                "weighs a class by 0.0001: global evaluation counts samples, by whole numbers"
            )
    elif is_id3 and not estimator.categorical_features:  # which are rounded: leaves are not pure
        failures["check_class_weight_classifiers"] = (
            "wants leaves limited by min_weight_fraction_leaf, which these have not: a tree whose leaves are pure "
            "predicts the training labels whatever the classes weigh"
        )
    elif not is_id3 and estimator.criterion == "etc":
        failures["check_class_weight_classifiers"] = "weighs classes: label sequences have no weights"
    if getattr(estimator, "bootstrap", False):
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "repeated rows make other draws than weighted ones, as in scikit-learn's own forest"
        )
    if isinstance(estimator, OrdinalDecisionForestClassifier) and estimator.predict_rule != "mode":
        failures["check_classifiers_train"] = (
            "wants the class of the greatest probability: the median and the class nearest to the mean can be others"
        )
    return failures


# The smallest tree of noise is not proven in the time that it has.
@pytest.mark.filterwarnings("ignore:time_limit")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_yielded_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_param_validation,
        estimator_checks.check_dataframe_column_names_consistency,
        estimator_checks.check_n_features_in_after_fitting,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.filterwarnings("ignore:time_limit")
def test_checks_that_are_not_yielded(estimator, check):
    check(type(estimator).__name__, estimator)
