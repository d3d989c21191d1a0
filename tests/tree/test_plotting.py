"""Pictures of trees: a box for every node, in its place."""

import io
import sys
from itertools import product

import matplotlib
import numpy as np
import pandas as pd
import pytest
from pictures import Texts
from samples import make_chain, make_classes, make_stump, make_stump_of_numbers, without_impurity
from sklearn.exceptions import NotFittedError
from sklearn.tree import plot_tree as sklearn_plot_tree
from support import assert_refuses

from pytrees import (
    DecisionForestRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OrdinalDecisionTreeClassifier,
    PermutationDecisionForestClassifier,
)
from pytrees._colours import class_colours, contrast, ink_on, muted_on
from pytrees._tree_layout import close_positions
from pytrees.plotting import plot_decision_path, plot_distinct_trees, plot_tree


@pytest.fixture
def plt():
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture
def fitted():
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


@pytest.mark.parametrize("usetex", [False, True])
def test_names_are_drawn_literally(plt, usetex):
    name, shown = "$a_{$ 5 % \\q\n\x1b", "$a_{$ 5 % \\q\\n\\x1b"
    names = {"feature_names": [name], "class_names": ["_" + name, name]}
    with plt.rc_context({"text.usetex": usetex}):
        nodes = plot_tree(make_stump(), **names, fontsize=8)
        plt.gcf().savefig(io.BytesIO())
        assert [node.get_text().split("\n")[0] for node in nodes] == [
            f"{shown} ≤ 0.5",
            f"class _{shown}",
            f"class {shown}",
        ]
        plt.close("all")
        questions = plot_decision_path(make_stump(), [0], **names, fontsize=8)
        legend = plt.gca().get_legend()
        plt.gcf().savefig(io.BytesIO())
    assert [text.get_text() for text in questions] == [f"{shown} is 0: at most 0.5", f"predicted: _{shown}"]
    assert [text.get_text() for text in legend.get_texts()] == ["_" + shown, shown]
    assert any(text.get_text() == f"100 % of these are _{shown}" for text in plt.gca().texts)


def test_categories_are_drawn_literally(plt):
    X = np.array([["$a_{$"], ["b\nc"]])
    plot_tree(ID3Classifier(categorical_features=[0]).fit(X, [0, 1]))
    plt.gcf().savefig(io.BytesIO())
    assert {"$a_{$", r"b\nc"} <= {text.get_text() for text in plt.gca().texts}


@pytest.mark.parametrize("ax", [5, "ax", [], {}, True, np.zeros(2)], ids=repr)
def test_axes_of_other_kinds_are_refused(plt, fitted, ax):
    for draw in (plot_tree, lambda tree, ax: plot_decision_path(tree, np.zeros(3), ax=ax)):
        assert_refuses(TypeError, "ax must be axes of matplotlib, got", draw, fitted, ax=ax)
    forest = PermutationDecisionForestClassifier(2).fit([[1], [2]], [0, 1])
    assert_refuses(TypeError, "figure must be a figure of matplotlib, got", plot_distinct_trees, forest, figure=ax)


@pytest.mark.parametrize("fontsize", [0, -1, 1001, 2**63, np.inf, np.nan])
def test_letters_are_of_a_size_that_can_be_drawn(plt, fitted, fontsize):
    assert_refuses(ValueError, "The 'fontsize' parameter", plot_tree, fitted, fontsize=fontsize)


def test_a_single_leaf(plt):
    nodes = plot_tree(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert [node.get_text() for node in nodes] == ["class a\n2 samples"]


def test_pure_nodes_are_darker_than_mixed_ones(plt):
    root, left, right = (node.get_bbox_patch().get_facecolor() for node in plot_tree(make_stump()))
    assert sum(root[:3]) > sum(left[:3])
    assert left != right


def test_many_classes_and_wide_trees_are_drawn(plt):
    y = np.arange(75) % 25
    tree = DecisionTreeClassifier().fit(y[:, None], y)
    nodes = plot_tree(tree, max_depth=None, ax=plt.figure().subplots())
    assert len(nodes) == 49
    assert nodes[0].get_fontsize() == 3.0
    wider = plot_tree(tree, ax=plt.figure(figsize=(30, 30)).subplots())
    assert [node.get_text() for node in wider] == [node.get_text() for node in nodes]


def counties():
    rng = np.random.default_rng(0)
    names = ["Oxfordshire", "Worcestershire", "Buckinghamshire", "Northamptonshire", "Kent", "Gloucestershire"]
    frame = pd.DataFrame({"county of residence": rng.choice(names, 300), "monthly income": rng.random(300)})
    y = np.where(frame.iloc[:, 0].isin(names[::2]) & (frame.iloc[:, 1] > 0.3), "further questions", "accepted")
    return frame, np.where(rng.random(300) < 0.1, "declined", y)


@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_a_new_figure_is_large_enough_for_the_tree(plt, split):
    plt.close("all")
    frame, y = counties()
    options = {"categorical_features": [frame.columns[0]], "categorical_split": split}
    sizes = []
    for depth in (1, 2, 3):
        nodes = plot_tree(DecisionTreeClassifier(max_depth=depth, **options).fit(frame, y), show_weights=True)
        is_limited = max(plt.gcf().get_size_inches()) == 24.0
        assert is_limited or {node.get_fontsize() for node in nodes} == {10.0}
        assert not Texts(plt.gca()).overlapping()
        assert not Texts(plt.gca()).cut_off()
        sizes.append(plt.gcf().get_size_inches())
        plt.close("all")
    assert np.all(np.diff(sizes, axis=0) >= 0.0)
    assert np.any(sizes[0] < sizes[2])
    plot_tree(DecisionTreeClassifier(max_depth=1, **options).fit(frame, y), fontsize=30, impurity=True)
    assert np.any(plt.gcf().get_size_inches() > sizes[0])
    plt.close("all")


def test_an_open_figure_is_drawn_on_and_a_small_tree_has_a_figure_as_usual(plt, fitted):
    plt.close("all")
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    assert plot_tree(fitted)[0].axes is axes[1]
    assert figure.get_size_inches().tolist() == [7.0, 3.0]
    plt.close("all")
    plot_tree(make_stump())
    assert plt.gcf().get_size_inches().tolist() == plt.rcParams["figure.figsize"]
    plt.close("all")
    assert_refuses(TypeError, "ax must be axes", plot_tree, make_stump(), ax=figure)
    assert_refuses(TypeError, "A Tree or a fitted tree", plot_tree, "tree")
    assert not plt.get_fignums()
    X, y = make_classes(n_samples=1000)
    big = plot_tree(DecisionTreeClassifier().fit(X, y))
    assert plt.gcf().get_size_inches().tolist() == [24.0, 16.0]
    assert big[0].get_fontsize() >= 6.0
    assert not Texts(plt.gca()).cut_off()
    plt.close("all")


def test_texts_are_not_cut_at_the_sides(plt):
    frame, y = counties()
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=[frame.columns[0]]).fit(frame, y)
    for size in ((2, 2), (3, 2), (5, 3)):
        plt.close("all")
        plot_tree(tree, ax=plt.figure(figsize=size).subplots(), max_depth=None)
        assert not Texts(plt.gca()).cut_off()
    plt.close("all")
    nodes = plot_tree(make_stump(), feature_names=["a long name " * 12], ax=plt.figure().subplots())
    assert not Texts(plt.gca()).cut_off()
    assert 3.0 < nodes[0].get_fontsize() < 10.0
    plt.close("all")
    assert plot_tree(make_stump(), feature_names=["a long name " * 12])[0].get_fontsize() == 10.0
    assert not Texts(plt.gca()).cut_off()


def test_a_big_tree_is_drawn_as_far_as_there_is_room(plt):
    X, y = make_classes(n_samples=500)
    tree = DecisionTreeClassifier().fit(X, y)
    drawn = [plot_tree(tree, ax=plt.figure(figsize=size).subplots()) for size in ((3, 3), (12, 9))]
    assert len(drawn[0]) < len(drawn[1]) < tree.tree_.node_count
    assert all("(...)" in [node.get_text() for node in nodes] for nodes in drawn)
    for nodes in drawn:  # boxes, yes and no, and where the tree is cut
        depth = sum(text.get_text() == "(...)" for text in nodes) and nodes[0].axes.texts[-1].get_text()
        assert len(nodes[0].axes.texts) == len(nodes) + 3
        assert depth == f"cut at depth {max(-node.xy[1] for node in nodes) - 1} of {tree.get_depth()}"
        assert not Texts(nodes[0].axes).overlapping()
    large = plot_tree(tree, ax=plt.figure(figsize=(12, 9)).subplots(), fontsize=10)
    assert len(large) < len(drawn[1])
    assert_refuses(ValueError, "max_depth", plot_tree, tree, max_depth="all")


@pytest.mark.parametrize("max_depth", [0, 1, 2, 50])
def test_first_levels_equal_scikit_learns(plt, fitted, max_depth):
    nodes = plot_tree(fitted, max_depth=max_depth, ax=plt.figure().subplots())
    theirs = sklearn_plot_tree(fitted.tree_.to_sklearn(), max_depth=max_depth, ax=plt.figure().subplots())
    theirs = [text.get_text() for text in theirs if text.get_text() not in ("True  ", "  False")]
    assert [node.get_text() == "(...)" for node in nodes] == ["(...)" in text for text in theirs]
    plt.gcf().canvas.draw()


def test_first_levels_of_a_deep_tree_are_drawn_like_a_small_tree(plt):
    deep, small = (plot_tree(make_chain(depth), max_depth=1, ax=plt.figure().subplots()) for depth in (100_000, 3))
    assert [node.get_text() for node in deep] == [
        "feature_0 ≤ 0.5",
        "class 0\n1 sample",
        "feature_0 ≤ 1.5",
        "(...)",
        "(...)",
    ]
    assert [node.xy for node in deep] == [node.xy for node in small]
    assert deep[0].axes.get_xlim() == small[0].axes.get_xlim()


def test_the_size_of_letters_is_above_zero(plt):
    assert_refuses(ValueError, "fontsize", plot_tree, make_stump(), fontsize=0)


def test_objects_without_a_tree_are_refused(plt):
    assert_refuses(TypeError, None, plot_tree, 3)
    assert_refuses(NotFittedError, None, plot_tree, DecisionTreeClassifier())
    assert_refuses(ValueError, "feature_names has 2 names", plot_tree, make_stump(), feature_names=["a", "b"])


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot_tree, plot_distinct_trees, lambda tree: plot_decision_path(tree, [0.0])):
        assert_refuses(ImportError, r"pip install 'decision-pytrees\[plot\]'", draw, make_stump())


def test_options_add_lines_to_nodes(plt):
    tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.25]], ["a", "b", "b"])

    def texts(**options):
        return [node.get_text() for node in plot_tree(tree, ax=plt.figure().subplots(), **options)]

    assert texts(precision=3)[0] == "feature_0 ≤ 1.500"
    assert texts(node_ids=True)[1] == "node 1\nclass a\n1 sample"
    assert texts(impurity=True)[:2] == ["feature_0 ≤ 1.5\ngini 0.4444", "class a\ngini 0\n1 sample"]
    assert texts(show_weights=True)[::2] == ["feature_0 ≤ 1.5\n3 samples\n[1, 2]", "class b\n2 samples\n[0, 2]"]
    assert texts(proportion=True)[2] == "class b\n66.7 % of samples"
    assert texts(proportion=True, show_weights=True, precision=2)[0] == (
        "feature_0 ≤ 1.50\n100.0 % of samples\n[0.33, 0.67]"
    )
    assert plot_tree(make_stump(), impurity=True)[0].get_text() == "feature_0 ≤ 0.5"


def test_boxes_have_numbers_and_darker_colours_for_higher_ones(plt):
    stump = make_stump_of_numbers()
    boxes = plot_tree(stump, feature_names=["age"])
    assert [box.get_text() for box in boxes] == ["age ≤ 0.5", "value 0.25\n1 sample", "value 3.75\n2 samples"]
    root, low, high = (sum(box.get_bbox_patch().get_facecolor()) for box in boxes)
    assert high < root < low
    boxes = plot_tree(stump, show_weights=True, impurity=True, precision=1)
    assert boxes[2].get_text() == "value 3.8\nsquared_error 0.2\n2 samples\nweight 4"
    unweighted = DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 1.0])
    assert plot_tree(unweighted, show_weights=True)[0].get_text() == "value 1\n2 samples"


def test_colours_of_numbers_at_both_ends_of_the_doubles(plt):
    tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [-1.7e308, 1.7e308])
    colours = [box.get_bbox_patch().get_facecolor() for box in plot_tree(tree)]
    assert np.all(np.isfinite(colours))
    assert len(set(colours)) == 3


# Trees of at most 16 leaves, which are never cut, with the names of their features and classes.
def small_trees():
    X, y = make_classes(n_samples=60)
    words = np.array(["a class of a long name", "versicolor", "c"])
    chain = DecisionTreeClassifier().fit(np.arange(9.0)[:, None], np.arange(9) % 2)
    frame, asked = counties()
    by_county = {"categorical_features": [0], "max_depth": 2}
    yield "stump", make_stump(), {}
    yield (
        "long names",
        DecisionTreeClassifier(max_leaf_nodes=5).fit(X, words[y]),
        {"feature_names": [f"petal length {i} (cm)" for i in range(3)]},
    )
    yield "16 leaves", DecisionTreeClassifier(max_leaf_nodes=16).fit(*make_classes(n_samples=300)), {}
    yield "chain", chain, {"class_names": ["$no_", "yes"]}
    yield "numbers", DecisionTreeRegressor(max_leaf_nodes=8).fit(X, X[:, 0] * 1e6), {"show_weights": True}
    yield "subsets", DecisionTreeClassifier(**by_county).fit(frame, asked), {"impurity": True}
    yield "multiway", DecisionTreeClassifier(**by_county, categorical_split="multiway").fit(frame, asked), {}


SMALL_TREES = {name: (tree, options) for name, tree, options in small_trees()}
STYLES = ["default", "dark_background", "Solarize_Light2", "grayscale"]


@pytest.mark.parametrize("name", SMALL_TREES)
def test_small_trees_are_whole_and_readable(plt, name):
    tree, options = SMALL_TREES[name]
    for i, (size, fontsize) in enumerate(product([(2, 3), (6.4, 4.8), (14, 5)], [None, 6, 12])):
        with plt.style.context(STYLES[i % len(STYLES)]):
            ax = plt.figure(figsize=size, layout=[None, "constrained"][i % 2]).subplots()
            nodes = plot_tree(tree, **options, ax=ax, fontsize=fontsize)
        assert len(nodes) == getattr(tree, "tree_", tree).node_count
        assert "(...)" not in [text.get_text() for text in ax.texts]
        letters, texts = nodes[0].get_fontsize(), Texts(ax)
        assert (3.0 if size[0] < 14 else 5.0) <= letters <= (fontsize or 10.0)
        assert not texts.unreadable()
        assert letters == 3.0 or not (texts.overlapping() or texts.cut_off())
        plt.close()


@pytest.mark.parametrize("style", STYLES)
def test_paths_are_readable(plt, style):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a county of residence": rng.choice(list("abcdefgh"), 400), "income": rng.random(400)})
    names = [f"class of {word}" for word in ("cod", "elk", "emu", "gnu", "hen", "owl", "ray", "yak")]
    by_frame = {"categorical_features": [0], "categorical_split": "multiway", "max_depth": 4}
    eight = DecisionTreeClassifier(**by_frame).fit(frame, np.array(names)[rng.integers(0, 8, 400)])
    two = DecisionTreeClassifier(**by_frame).fit(frame, frame.iloc[:, 0].isin([*"aceg"]) & (frame["income"] > 0.4))
    numbers = DecisionTreeRegressor(max_depth=3).fit(frame[["income"]], 1e5 * frame["income"] ** 2)
    for i, (tree, size) in enumerate(product((eight, two, numbers), ((6.4, 4.8), (9, 6)))):
        with plt.style.context(style):
            ax = plt.figure(figsize=size).subplots()
            sample = frame.iloc[0] if tree is not numbers else frame[["income"]].iloc[0]
            nodes = plot_decision_path(tree, sample, ax=ax, fontsize=[None, 7][i % 2])
        texts = Texts(ax)
        assert not texts.overlapping(*([] if ax.get_legend() is None else [ax.get_legend()]))
        assert not texts.cut_off()
        assert not texts.unreadable()
        right = max(box.get_bbox_patch().get_window_extent().x1 for box in nodes)
        assert right <= min(bar.get_window_extent().x0 for bar in ax.patches if bar.get_width() > 0.0)
        plt.close()


def test_letters_have_contrast_to_all_colours():
    for colour in (*class_colours(range(25)), *(np.linspace(0.0, 1.0, 40)[:, None] * np.ones(3))):
        assert min(contrast(ink_on(colour), colour), contrast(muted_on(colour), colour)) >= 4.5


def test_middles_of_close_boxes():
    # A chain of many levels needs no recursion; every level has two boxes with a gap between them.
    n_levels = 20_000
    children = [[] for _ in range(2 * n_levels + 1)]
    for level in range(n_levels):
        children[2 * level] = [2 * level + 1, 2 * level + 2]
    x, width = close_positions(children, [2.0] * len(children), 1.0)
    np.testing.assert_allclose(x[2::2] - x[1::2], 3.0)
    np.testing.assert_allclose(0.5 * (x[2::2] + x[1::2]), x[:-1:2])
    assert width == pytest.approx(x.max() - x.min() + 2.0)
    # Subtrees go under each other: the wide leaf above leaves room for one of two levels on its right.
    x, width = close_positions([[1, 2, 3], [], [4, 5], [], [], []], [1.0, 1.0, 1.0, 1.0, 3.0, 3.0], 0.5)
    np.testing.assert_allclose(x[[1, 2, 3]] - x[2], [-1.5, 0.0, 1.5])
    assert width == pytest.approx(6.5)
    assert close_positions([[]], [4.0], 1.0) == (np.array([2.0]), 4.0)


# ------------------------------------------------------------------------------------------------------ decision paths


def test_the_path_of_a_sample(plt, fitted):
    X = pd.DataFrame(make_classes(n_samples=25)[0], columns=["age", "weight", "height"])
    leaves = fitted.apply(X)
    for i in np.unique(leaves, return_index=True)[1]:
        nodes = fitted.decision_path(X.iloc[[i]]).indices
        ax = plt.figure(figsize=(9, 6)).subplots()
        texts = [text.get_text() for text in plot_decision_path(fitted, X.iloc[i], ax=ax)]
        assert len(texts) == len(nodes)
        assert texts[-1] == f"predicted: {fitted.predict(X.iloc[[i]])[0]}"
        for text, node in zip(texts, nodes[:-1], strict=False):
            name = X.columns[fitted.tree_.feature[node]]
            goes_left = X[name].iloc[i] <= fitted.tree_.threshold[node]
            assert text.startswith(f"{name} is {X[name].iloc[i]:.4g}: {'at most' if goes_left else 'above'} ")
        assert not Texts(ax).overlapping(ax.get_legend())
        plt.close()


def test_the_path_to_a_number(plt):
    tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 4.0, 6.0])
    texts = plot_decision_path(tree, [3.0], feature_names=["age"])
    assert [text.get_text() for text in texts] == ["age is 3: above 0.5", "predicted: 5"]
    written = [text.get_text() for text in plt.gca().texts]
    assert {"1", "5", "all 3 samples"} <= {*written}
    assert written[-1] == "these differ from it by about 1"
    error = DecisionTreeRegressor("absolute_error", max_depth=1).fit([[0.0], [1.0], [2.0]], [1.0, 4.0, 6.0])
    plot_decision_path(error, [3.0])
    assert plt.gca().texts[-1].get_text() == "these differ from it by about 1"
    plot_decision_path(without_impurity(tree.tree_), [3.0])
    assert plt.gca().texts[-1].get_text() == ""


def test_a_sample_can_be_given_in_many_ways(plt):
    X = pd.DataFrame({"age": [1.0, 2.0, 4.0], "weight": [3.0, 3.0, 5.0]})
    tree = DecisionTreeClassifier().fit(X, ["a", "a", "b"])
    plain = DecisionTreeClassifier().fit(X.to_numpy(), ["a", "a", "b"])
    for estimator, sample in (
        (tree, X.iloc[1]),
        (tree, X.iloc[[1]]),
        (plain, [2.0, 3.0]),
        (plain, [[2, 3]]),
        (plain, X.to_numpy()[1]),
        (tree.tree_, (2.0, 3.0)),
    ):
        names = {} if estimator is tree else {"feature_names": ["age", "weight"], "class_names": ["a", "b"]}
        texts = plot_decision_path(estimator, sample, **names)
        assert [text.get_text() for text in texts] == ["age is 2: at most 3", "predicted: a"]
    texts = plot_decision_path(tree, X.iloc[2], precision=1, fontsize=7)
    assert [text.get_text() for text in texts] == ["age is 4.0: above 3.0", "predicted: b"]
    assert {text.get_fontsize() for text in texts} == {7.0}


def test_the_path_through_categories(plt):
    X = pd.DataFrame({"sky": ["sun", "rain", "sun", "cloud"], "wind": ["weak", "strong", "strong", "weak"]})
    tree = DecisionTreeClassifier(categorical_features=["sky", "wind"], handle_unknown="majority")
    tree.fit(X, ["go", "stay", "stay", "go"])
    texts = plot_decision_path(tree, X.iloc[1])
    assert [text.get_text() for text in texts] == ["wind is strong", "predicted: stay"]
    unknown = pd.Series({"sky": "snow", "wind": "storm"})
    assert [text.get_text() for text in plot_decision_path(tree, unknown)] == ["predicted: go"]


def test_the_path_of_a_sample_that_lacks_values(plt):
    X, y = [[1.0], [2.0], [np.nan], [np.nan]], ["a", "b", "c", "c"]
    tree = DecisionTreeClassifier().fit(X, y)
    for sample in (1.0, 2.0, np.nan):
        texts = [text.get_text() for text in plot_decision_path(tree, [sample], ax=plt.figure().subplots())]
        assert texts[-1] == f"predicted: {tree.predict([[sample]])[0]}"
        assert texts[0] == ("feature_0 is missing" if np.isnan(sample) else "feature_0 is not missing")
    X = pd.DataFrame({"sky": ["sun", None, "rain"]})
    tree = DecisionTreeClassifier(categorical_features=["sky"], categorical_split="multiway").fit(X, ["a", "b", "c"])
    assert plot_decision_path(tree, X.iloc[1])[0].get_text() == "sky is missing"


def test_the_class_at_the_end_is_the_one_that_is_predicted(plt):
    tree = ID3Classifier().fit([[1.0], [2.0]], ["a", "b"])
    tree.node_labels_ = 1 - tree.tree_.majority
    assert plot_decision_path(tree, [1.0])[-1].get_text() == "predicted: b"
    assert "0 % of these are b" in [text.get_text() for text in plt.gca().texts]
    ordinal = OrdinalDecisionTreeClassifier(predict_rule="median", max_depth=1)
    ordinal.fit([[1], [1], [1], [1], [1], [2]], [1, 1, 2, 3, 3, 3])
    assert (
        plot_decision_path(ordinal, [1])[-1].get_text() == f"predicted: {ordinal.predict([[1]])[0]}" == "predicted: 2"
    )


def test_bars_show_the_classes_of_the_training_samples(plt):
    tree = make_stump(value=[[3.0, 1.0], [3.0, 0.0], [0.0, 1.0]])
    plot_decision_path(tree, [0.0])
    widths = [bar.get_width() for bar in plt.gca().patches if bar.get_width() > 0.0]
    np.testing.assert_allclose(np.array(widths) / sum(widths[:2]), [0.75, 0.25, 1.0])
    assert [text.get_text() for text in plt.gca().get_legend().get_texts()] == ["0", "1"]


def test_close_values_are_told_apart(plt):
    tree = make_stump(threshold=[1.0000001, -2, -2])
    assert plot_decision_path(tree, [1.00000011])[0].get_text() == "feature_0 is 1.00000011: above 1.0000001"
    assert plot_decision_path(tree, [1.0000001])[0].get_text() == "feature_0 is 1: at most 1"


def test_long_questions_get_smaller_letters(plt):
    long = plot_decision_path(make_stump(), [0.0], feature_names=["a very long name " * 8], ax=plt.figure().subplots())
    short = plot_decision_path(make_stump(), [0.0], ax=plt.figure().subplots())
    assert 3.0 <= long[0].get_fontsize() < short[0].get_fontsize() == 10.0


@pytest.mark.parametrize("sample", [[], [1.0, 2.0], [[1.0], [2.0]], [[[1.0]]], 3.0, "a", None, [-np.inf], [[np.inf]]])
def test_a_path_needs_exactly_one_sample(plt, sample):
    estimator = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    for tree in (estimator, estimator.tree_):
        assert_refuses((ValueError, TypeError), None, plot_decision_path, tree, sample)


# ------------------------------------------------------------------------------------------------------ distinct trees


def test_distinct_trees_are_drawn(plt):
    X, y = make_classes(n_samples=25)
    forest = PermutationDecisionForestClassifier(20, max_depth=2, random_state=0).fit(X, y)
    distinct = forest.distinct_trees()
    drawn = plot_distinct_trees(forest, max_trees=3, feature_names=["a", "b", "c"], class_names=["x", "y", "z"])
    assert len(drawn) == len(plt.gcf().axes) == 3
    assert {ax.get_subplotspec().get_gridspec().get_geometry() for ax in drawn} == {(2, 2)}
    for ax, one in zip(drawn, distinct, strict=False):
        assert ax.get_title().startswith(f"{one.count} of 20 trees\n")
        assert sum("≤" in text.get_text() or "class" in text.get_text() for text in ax.texts) == one.tree.node_count
    figure = plt.figure()
    assert len(plot_distinct_trees(forest, max_trees=1000, figure=figure, max_depth=0, fontsize=5)) == len(distinct)
    assert len(figure.axes) == len(distinct)


def test_distinct_trees_share_one_scale(plt):
    X, _ = make_classes()
    forest = DecisionForestRegressor(3, max_depth=1, random_state=0).fit(X, X[:, 0] + np.abs(X[:, 1]))
    drawn = plot_distinct_trees(forest)
    assert len(drawn) > 1
    numbers = {}
    for ax in drawn:
        for box in ax.texts:
            if box.get_text().startswith("value"):
                numbers[float(box.get_text().split()[1])] = sum(box.get_bbox_patch().get_facecolor())
    assert [numbers[value] for value in sorted(numbers)] == sorted(numbers.values(), reverse=True)


def test_estimators_without_distinct_trees_are_refused(plt, fitted):
    with pytest.raises(TypeError, match="A forest with distinct_trees is expected, got DecisionTreeClassifier"):
        plot_distinct_trees(fitted)
    assert_refuses(NotFittedError, None, plot_distinct_trees, PermutationDecisionForestClassifier())
    assert_refuses(ValueError, "max_trees", plot_distinct_trees, PermutationDecisionForestClassifier(), max_trees=0)


def test_a_sample_of_words_is_refused_by_name():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    for words in (["a"], [10**400]):
        assert_refuses(ValueError, "sample must hold numbers", plot_decision_path, tree, words)
