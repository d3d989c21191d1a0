"""Growth by gain on both engines: one table of criteria, kinds of weights and kinds of splits."""

import numpy as np
import pytest
from category_gains import CRITERIA, sized
from hypothesis import given
from hypothesis import strategies as st
from own_criteria import OF_CHILDREN, OF_CUTS, OF_SEQUENCES
from seeded import count_weights, grid_weights, no_weights, problems, problems_with_categories
from strategies import limits
from support import UNLIMITED, assert_same_tree, examples, grow, grow_reference, on_both_engines

from pytrees._core.criteria.categories import MOST_CATEGORIES
from pytrees._core.criteria.table import CONVEX
from pytrees._tree_checks import MULTIWAY

SEQUENCE_CRITERIA = ["etc", "lz76"]
INFORMATION = {"gain_ratio", "nvi", "nvi_sum", "nvi_max", "vi"}  # which nearly tie
WITH_IMPURITY = {"gini", "entropy", "ogini", "wig", "ranking"}
DECREASES = st.sampled_from([0.0, 0.0, 1e-9, 0.01, 0.05, 0.25])


def numeric(weights=no_weights, **shape):
    return problems(weights, missing=True, **shape).map(lambda problem: (problem, {}))


def by_category(weights=no_weights, **shape):
    drawn = problems_with_categories(weights, missing=True, **shape)
    return drawn.map(lambda drawn: (drawn[0], {"n_categories": drawn[1]}))


def by_sets(weights=no_weights, max_rows=MOST_CATEGORIES - 2, most_categories=5, **shape):
    """Draw features of so few categories that all divisions are judged, as a rule."""
    drawn = by_category(weights, max_rows=max_rows, most_categories=most_categories, **shape)
    return drawn.map(lambda drawn: (drawn[0], drawn[1] | {"subsets": True}))


KINDS = [numeric, by_category, by_sets]
every_kind = pytest.mark.parametrize("kind", KINDS)
WEIGHTS = [no_weights, count_weights, grid_weights]


def two_classes(drawn):
    problem, options = drawn
    problem.y %= 2
    problem.n_classes = 2
    return problem, options


@every_kind
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_engines_grow_the_same_tree(criterion, weights, kind):
    name = criterion if isinstance(criterion, str) else criterion[0]

    @examples(150 if criterion in ("gini", "entropy") else 80 if name in INFORMATION else 40)
    @given(kind(weights), limits(), DECREASES)
    def check(drawn, growth_limits, decrease):
        problem, options = drawn
        if name in WITH_IMPURITY and criterion != ("ranking", {"weighted": False}) and decrease:
            options = options | {"min_impurity_decrease": decrease}
        specification = sized(criterion, problem.n_classes)
        assert_same_tree(*on_both_engines(grow, *problem, specification, **options, **growth_limits))

    check()


def assert_engines_agree(n_examples, drawn_problems, specification_of, **ways):
    """Grow trees of drawn problems and limits on both engines."""

    @examples(n_examples)
    @given(drawn_problems, limits())
    def check(drawn, growth_limits):
        problem, options = drawn
        specification = specification_of(problem.n_classes)
        assert_same_tree(*on_both_engines(grow, *problem, specification, **options, **growth_limits, **ways))

    check()


def with_some(weights, kind, **shape):
    return st.sampled_from(weights).flatmap(lambda weights: kind(weights, **shape))


@every_kind
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("criterion", SEQUENCE_CRITERIA)
def test_engines_grow_the_same_tree_of_sequences(criterion, n_threads, kind):
    drawn = kind(max_rows=9) if kind is by_sets else kind(max_rows=30)
    assert_engines_agree(150 if kind is numeric else 40, drawn, lambda n_classes: criterion, n_threads=n_threads)


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [
        *((criterion, kind) for criterion in OF_CHILDREN for kind in KINDS),
        *((criterion, numeric) for criterion in [*OF_CUTS, *OF_SEQUENCES[1:]]),
    ],
    ids=lambda value: value.__name__ if callable(value) else value.name,
)
def test_engines_grow_the_same_tree_by_a_user_s_criterion(criterion, kind):
    weights = [no_weights] if criterion.judges == "sequence" else WEIGHTS
    assert_engines_agree(60, with_some(weights, kind, max_rows=9), criterion.specification)


@pytest.mark.parametrize("criterion", CONVEX)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_engines_divide_many_categories_of_two_classes_alike(criterion, weights):
    drawn = by_sets(weights, max_rows=40, most_categories=20).map(two_classes)
    assert_engines_agree(80, drawn, lambda n_classes: criterion)


MANY = {"max_rows": 40, "most_categories": 30, "max_features": 2}


@pytest.mark.parametrize(
    "criterion", CRITERIA + SEQUENCE_CRITERIA + OF_CHILDREN, ids=lambda c: getattr(c, "name", str(c))
)
def test_engines_divide_many_categories_alike(criterion):
    is_own, judges = hasattr(criterion, "judges"), getattr(criterion, "judges", None)
    weights = [no_weights] if criterion in SEQUENCE_CRITERIA or judges == "sequence" else WEIGHTS
    specification_of = criterion.specification if is_own else lambda n_classes: sized(criterion, n_classes)
    assert_engines_agree(20, with_some(weights, by_sets, **MANY), specification_of)


@pytest.mark.parametrize("kind", [by_category, by_sets])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weights", [no_weights, count_weights])
def test_bins_and_blocks_of_any_size_agree_with_the_reference(criterion, weights, kind):
    drawn_problems = kind(weights, max_rows=40, most_categories=8).map(two_classes)

    @examples(100)
    @given(drawn_problems, limits(max_candidates=UNLIMITED), st.integers(1, 12), st.sampled_from([2, 3, 4, 5, 256]))
    def check(drawn, growth_limits, block_rows, max_bins):
        problem, options = drawn
        options = options | growth_limits
        tree = grow(*problem, criterion, block_rows=block_rows, max_bins=max_bins, **options)
        assert_same_tree(tree, grow_reference(*problem, criterion, **options))

    check()


@pytest.mark.parametrize("kind", [by_category, by_sets])
@pytest.mark.parametrize("criterion", ["gini", "entropy", *SEQUENCE_CRITERIA])
def test_subsamples_and_repeated_samples(criterion, kind):
    @examples(60)
    @given(kind(min_rows=2, max_rows=9), limits(), st.data())
    def check(drawn, growth_limits, data):
        problem, options = drawn
        numbers = st.integers(0, len(problem.X) - 1)
        # A sequence can hold a sample more than once.
        rows = data.draw(st.lists(numbers, min_size=1, max_size=20, unique=criterion not in SEQUENCE_CRITERIA))
        assert_same_tree(*on_both_engines(grow, *problem, criterion, rows=np.array(rows), **options, **growth_limits))

    check()


@pytest.mark.parametrize("subsets", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "ogini"])
@pytest.mark.parametrize("n_rows", [16384, 16385, 65536, 65537])
def test_all_ways_to_search_categories_agree_around_their_thresholds(criterion, n_rows, subsets):
    rng = np.random.default_rng(n_rows)
    sizes = [7, 3000, 2]
    X = np.column_stack([rng.normal(size=n_rows), *(rng.integers(0, size, n_rows) for size in sizes)])
    y = (rng.random(n_rows) < 0.3 + 0.05 * X[:, 1] * (X[:, 0] > 0)).astype(np.int32)
    options = {"n_categories": [0, *sizes], "max_depth": 4, "min_samples_leaf": 3, "subsets": subsets}
    tree = grow(X, y, None, 2, criterion, **options)
    assert (tree["children_left"] == MULTIWAY).any()
    for way in ({"block_rows": n_rows}, {"block_rows": 500, "max_bins": 16}, {"max_leaf_nodes": 10**6}):
        assert_same_tree(tree, grow(X, y, None, 2, criterion, **options, **way))
