"""Minimal cost-complexity pruning: both engines, numbers by hand, and trees of every shape."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import make_classes
from support import examples, on_both_engines

from pytrees import DecisionTreeClassifier
from pytrees._engine import kernel
from pytrees.criteria import CRITERIA, impurity
from pytrees.pruning import pruned, pruning_path

WITH_IMPURITY = [name for name, one in CRITERIA.items() if one.judges == "counts" and one.has_impurity]


def make_structure(rng, n_inner, most_children=4):
    """Return child_offsets and children of a tree in preorder, whose leaves were split in random order."""
    below, leaves = {0: []}, [0]
    for _ in range(n_inner):
        node = leaves.pop(rng.integers(len(leaves)))
        below[node] = list(range(len(below), len(below) + rng.integers(2, most_children + 1)))
        below |= {child: [] for child in below[node]}
        leaves += below[node]
    order, pending = [], [0]
    while pending:
        order.append(pending.pop())
        pending += reversed(below[order[-1]])
    number = {node: i for i, node in enumerate(order)}
    children = [[number[child] for child in below[node]] for node in order]
    return np.cumsum([0, *map(len, children)]), np.array([child for some in children for child in some], dtype=np.int64)


def make_risks(kind, rng, n_nodes):
    """Return risks with many ties, or none; splits can raise the risk, as with wig."""
    if kind == "fractions":
        return [Fraction(int(rng.integers(0, 9)), int(rng.choice([1, 2, 3, 5, 7]))) for _ in range(n_nodes)]
    if kind == "few":
        return [Fraction(int(rng.integers(0, 3)), 3) for _ in range(n_nodes)]
    return (rng.random(n_nodes) if kind == "doubles" else rng.integers(0, 4, n_nodes) * 5e-324).tolist()


@pytest.mark.parametrize("kind", ["fractions", "few", "doubles", "denormal"])
@examples(150)
@given(seed=st.integers(0, 2**32 - 1), n_inner=st.integers(0, 14), total=st.sampled_from([1, 7, 2**24]))
def test_engines_agree_on_pruning_paths(kind, seed, n_inner, total):
    rng = np.random.default_rng(seed)
    structure = make_structure(rng, n_inner)
    risks = make_risks(kind, rng, len(structure[0]) - 1)
    compiled, reference = on_both_engines(lambda: kernel("prune_path")(*structure, risks, total))
    assert compiled == reference


@examples(100)
@given(seed=st.integers(0, 2**32 - 1), n_inner=st.integers(1, 8))
def test_pruned_trees_cost_least(seed, n_inner):
    # All trees that pruning can give, by brute force.
    rng = np.random.default_rng(seed)
    offsets, children = make_structure(rng, n_inner, most_children=2)
    risks = make_risks("fractions", rng, len(offsets) - 1)
    below = [children[offsets[i] : offsets[i + 1]] for i in range(len(risks))]

    def trees(node):
        yield risks[node], 1
        if len(below[node]):
            for left in trees(below[node][0]):
                yield from ((left[0] + right[0], left[1] + right[1]) for right in trees(below[node][1]))

    nodes, alphas, impurities = kernel("prune_path")(offsets, children, risks, 1)
    assert sorted(alphas) == alphas
    for step in range(1, len(nodes) + 1):
        cheapest = min(risk + Fraction(alphas[step]) * n_leaves for risk, n_leaves in trees(0))
        n_leaves = 1 + sum(len(below[node]) - 1 for node in remaining(below, nodes[:step]))
        if alphas[step] > 0.0:
            assert impurities[step] + alphas[step] * n_leaves == pytest.approx(float(cheapest), rel=1e-12)


def remaining(below, leaves):
    """Return the inner nodes of the tree in which these nodes are leaves."""
    found, pending = [], [0]
    while pending:
        node = pending.pop()
        if node not in leaves and len(below[node]):
            found.append(node)
            pending += below[node].tolist()
    return found


def test_pruning_path_of_a_small_tree(engine):
    # Gini, of 8 samples: the root has 1 - (16 + 4 + 4) / 64 = 5/8, the right child, of two pure leaves, 1/2 of half of
    # the samples: its split saves 1/4 for one leaf more. The root's saves 3/8.
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 1, 2, 2]
    tree = DecisionTreeClassifier().fit(X, y).tree_
    path = pruning_path(tree, "gini")
    assert path.nodes.tolist() == [2, 0]
    assert path.ccp_alphas.tolist() == [0.0, 0.25, 0.375]
    assert path.impurities.tolist() == [0.0, 0.25, 0.625]
    smaller = pruned(tree, path, 0.25)
    assert smaller == DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    assert pruned(tree, path, np.nextafter(0.25, 0.0)) == tree
    assert pruned(tree, path, 0.375).node_count == 1


def test_nodes_with_a_child_for_every_category(engine):
    X, y = [[0], [0], [1], [1], [2], [2]], [0, 0, 1, 1, 2, 3]
    tree = DecisionTreeClassifier(categorical_features=[0], categorical_split="multiway").fit(X, y).tree_
    path = pruning_path(tree, "gini")
    # 1 - (4 + 4 + 1 + 1) / 36 = 26/36 in one leaf, and a third of 1/2 in three: 20/36 for two leaves.
    assert path.ccp_alphas.tolist() == [0.0, 10 / 36]
    assert path.impurities.tolist() == [1 / 6, 26 / 36]
    smaller = DecisionTreeClassifier(max_depth=1, min_samples_split=7).fit(X, y).tree_
    assert pruned(tree, path, 0.3) == smaller


@pytest.mark.parametrize("weights", ["none", "whole", "real"])
@pytest.mark.parametrize("criterion", WITH_IMPURITY)
@pytest.mark.parametrize("categorical", [None, [0]])
def test_engines_agree_on_grown_trees(criterion, weights, categorical):
    rng = np.random.default_rng(0)
    X, y = make_classes(n_samples=50, n_classes=3, seed=1)
    X[:, 0] = rng.integers(0, 5, len(y))
    sample_weight = {"none": None, "whole": rng.integers(1, 4, len(y)), "real": rng.random(len(y)) + 0.1}[weights]
    tree = DecisionTreeClassifier(criterion, categorical_features=categorical).fit(X, y, sample_weight).tree_
    paths = on_both_engines(pruning_path, tree, criterion)
    for compiled, reference in zip(*paths, strict=True):
        np.testing.assert_array_equal(compiled, reference)
    path = paths[0]
    for alpha in path.ccp_alphas:
        smaller = pruned(tree, path, alpha)
        is_leaf, shares = smaller.children_left == -1, smaller.value.sum(axis=1) / smaller.value[0].sum()
        risk = (shares * impurity(criterion, smaller.value))[is_leaf].sum()
        assert risk == pytest.approx(path.impurities[path.ccp_alphas <= alpha][-1], rel=1e-9, abs=1e-12)
    assert pruned(tree, path, path.ccp_alphas[-1]).node_count == 1


def test_a_tree_of_one_leaf(engine):
    tree = DecisionTreeClassifier().fit([[0.0], [0.0]], [0, 1]).tree_
    path = pruning_path(tree, "gini")
    assert (path.nodes.tolist(), path.ccp_alphas.tolist(), path.impurities.tolist()) == ([], [0.0], [0.5])
    assert pruned(tree, path, 1.0) == tree


def test_a_split_without_gain_is_kept_for_the_gains_below(engine):
    # The root's split gains 0, each split below it 1/4: together they save 1/2 for three more leaves.
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    path = pruning_path(DecisionTreeClassifier().fit(X, y).tree_, "gini")
    assert (path.nodes.tolist(), path.ccp_alphas.tolist()) == ([0], [0.0, 0.5 / 3])


def test_trees_of_any_depth_are_pruned():
    n_inner = 20_000
    # Node 2 i splits into the leaf 2 i + 1 and node 2 i + 2.
    offsets = np.concatenate([np.repeat(2 * np.arange(n_inner), 2) + np.tile([0, 2], n_inner), [2 * n_inner] * 2])
    children = np.arange(1, 2 * n_inner + 1)
    risks = [0.0] * (2 * n_inner + 1)
    risks[0::2] = (np.arange(n_inner + 1)[::-1] ** 2.0).tolist()
    nodes, alphas, impurities = kernel("prune_path")(offsets, children, risks, 1)
    assert nodes == list(range(2 * n_inner - 2, -1, -2))
    assert impurities[-1] == n_inner**2
    assert alphas[1:4] == [1.0, 3.0, 5.0]
