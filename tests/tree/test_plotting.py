"""Pictures of trees: a box for every node, in its place."""

import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from samples import make_chain, make_classes, make_stump
from sklearn.exceptions import NotFittedError
from sklearn.tree import plot_tree as sklearn_plot_tree

from pytrees import DecisionTreeClassifier
from pytrees.plotting import node_positions, plot_tree


@pytest.fixture
def plt():
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture
def fitted(engine):
    X, y = make_classes(n_samples=25)
    frame = pd.DataFrame(X, columns=["age", "weight", "height"])
    return DecisionTreeClassifier().fit(frame, np.array(["a", "b", "c"])[y])


def test_a_box_for_every_node(plt, fitted):
    nodes = plot_tree(fitted)
    tree = fitted.tree_
    assert len(nodes) == tree.node_count
    for node, box in enumerate(nodes):
        if tree.children_left[node] == -1:
            n_samples = tree.n_node_samples[node]
            name = "abc"[tree.majority[node]]
            assert box.get_text() == f"class {name}\n{n_samples} sample{'s' if n_samples > 1 else ''}"
        else:
            name = ["age", "weight", "height"][tree.feature[node]]
            assert box.get_text() == f"{name} ≤ {tree.threshold[node]:.4g}"
    plt.gcf().canvas.draw()


def test_a_line_for_every_branch_and_answers_at_the_root(plt, fitted):
    plot_tree(fitted)
    ax = plt.gca()
    assert len(ax.lines) == fitted.tree_.node_count - 1
    answers = [text.get_text() for text in ax.texts if text.get_text() in ("yes", "no")]
    assert answers == ["yes", "no"]


def test_given_axes_names_and_size(plt):
    _, (left, right) = plt.subplots(1, 2)
    nodes = plot_tree(make_stump(), feature_names=["age"], class_names=["no", "yes"], ax=left, fontsize=7.5)
    assert [node.get_text() for node in nodes] == ["age ≤ 0.5", "class no\n1 sample", "class yes\n1 sample"]
    assert {node.get_fontsize() for node in nodes} == {7.5}
    assert all(node.axes is left for node in nodes)
    assert not right.texts


def test_a_single_leaf(plt):
    nodes = plot_tree(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert [node.get_text() for node in nodes] == ["class a\n2 samples"]


def test_pure_nodes_are_darker_than_mixed_ones(plt):
    root, left, right = (node.get_bbox_patch().get_facecolor() for node in plot_tree(make_stump()))
    assert sum(root[:3]) > sum(left[:3])
    assert left != right


def test_many_classes_and_wide_trees_are_drawn(plt):
    y = np.arange(75) % 25
    nodes = plot_tree(DecisionTreeClassifier().fit(y[:, None], y))
    assert len(nodes) == 49
    assert nodes[0].get_fontsize() == 3.0


def test_positions_of_nodes(fitted):
    tree = fitted.tree_
    x, depth = node_positions(tree)
    inner = np.flatnonzero(tree.children_left != -1)
    assert depth[0] == 0
    assert depth.max() == tree.max_depth
    np.testing.assert_array_equal(depth[tree.children_left[inner]], depth[inner] + 1)
    np.testing.assert_array_equal(depth[tree.children_right[inner]], depth[inner] + 1)
    assert sorted(x[tree.children_left == -1]) == list(range(tree.n_leaves))
    assert np.all(x[tree.children_left[inner]] < x[inner])
    assert np.all(x[inner] < x[tree.children_right[inner]])


@pytest.mark.parametrize("max_depth", [0, 1, 2, 50])
def test_the_first_levels_are_those_of_scikit_learn(plt, fitted, max_depth):
    nodes = plot_tree(fitted, max_depth=max_depth, ax=plt.figure().subplots())
    theirs = sklearn_plot_tree(fitted.tree_.to_sklearn(), max_depth=max_depth, ax=plt.figure().subplots())
    theirs = [text.get_text() for text in theirs if text.get_text() not in ("True  ", "  False")]
    assert [node.get_text() == "(...)" for node in nodes] == ["(...)" in text for text in theirs]
    plt.gcf().canvas.draw()


def test_the_first_levels_of_a_deep_tree_are_drawn_as_those_of_a_small_one(plt):
    deep, small = (plot_tree(make_chain(depth), max_depth=1, ax=plt.figure().subplots()) for depth in (100_000, 3))
    assert [node.get_text() for node in deep] == [
        "feature_0 ≤ 0.5",
        "class 0\n1 sample",
        "feature_0 ≤ 1.5",
        "(...)",
        "(...)",
    ]
    assert [node.xy for node in deep] == [node.xy for node in small]
    assert deep[0].axes.get_xlim() == (-0.7, 2.7)


def test_the_size_of_letters_is_above_zero(plt):
    with pytest.raises(ValueError, match="fontsize"):
        plot_tree(make_stump(), fontsize=0)


def test_positions_in_a_deep_tree_need_no_recursion():
    _, depth = node_positions(make_chain(3000))
    assert depth.max() == 3000


def test_objects_without_a_tree_are_refused(plt):
    with pytest.raises(TypeError):
        plot_tree(3)
    with pytest.raises(NotFittedError):
        plot_tree(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="feature_names has 2 names"):
        plot_tree(make_stump(), feature_names=["a", "b"])


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'pytrees\[plot\]'"):
        plot_tree(make_stump())
