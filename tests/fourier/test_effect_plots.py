"""Plots of effects: steps, bars and colours, and the names at their axes."""

from functools import partial

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fourier_samples import random_trees
from support import assert_refuses

from pytrees import DecisionForestClassifier, DecisionTreeClassifier
from pytrees.fourier import AnovaEffects, additive_model, anova_effects, partial_dependence, sobol_indices


def test_pictures():
    matplotlib.use("agg")
    trees = random_trees(np.random.default_rng(2), [3, 4, 5], 4)
    indices, effects = sobol_indices(trees, [3, 4, 5]), anova_effects(trees, [3, 4, 5], [(1, 2)])
    names = ["a", "b", "c"]
    ax = indices.plot(feature_names=names, max_features=2)
    order = np.argsort(-indices.total, kind="stable")[:2][::-1]
    assert [label.get_text() for label in ax.get_yticklabels()] == [names[m] for m in order]
    assert [bar.get_width() for bar in ax.patches[:2]] == pytest.approx(indices.total[order])
    ax = indices.plot_pairs(plt.figure().add_subplot())
    order = np.argsort(-indices.total, kind="stable")
    drawn = ax.images[0].get_array()
    np.testing.assert_allclose(drawn.filled(0.0), indices.pairs[np.ix_(order, order)])
    assert drawn.mask.diagonal().all()
    assert ax.images[0].get_clim()[0] == 0.0
    stumps = [DecisionTreeClassifier().fit(X, [0, 1]) for X in ([[0, 0], [1, 0]], [[0, 0], [0, 1]])]
    joint = sobol_indices(stumps, [2, 2], measure="joint", X=[[0, 0], [1, 1]])
    assert joint.pairs[0, 1] == -1.0  # both tell the same
    low, high = joint.plot_pairs(plt.figure().add_subplot()).images[0].get_clim()
    assert low == -high
    ax = effects.plot(1, plt.figure().add_subplot(), feature_names=names)
    assert ax.get_xlabel() == "code of b"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), effects.features[1])
    ax = effects.plot((1, 2), plt.figure().add_subplot())
    assert ax.get_ylabel() == "code of feature 2"
    np.testing.assert_allclose(ax.images[0].get_array(), effects.pairs[1, 2].T)
    assert_refuses(ValueError, "no effect of the pair", effects.plot, (0, 1), ax)
    assert_refuses(ValueError, "feature_names has 1 names", indices.plot, ax, feature_names=["a"])
    plt.close("all")


@pytest.fixture
def drawn_effects():
    matplotlib.use("agg")
    trees = random_trees(np.random.default_rng(2), [3, 4, 5], 4)
    yield sobol_indices(trees, [3, 4, 5]), anova_effects(trees, [3, 4, 5], [(1, 2)])
    plt.close("all")


def test_names_in_pictures_are_drawn_literally(drawn_effects):
    indices, effects = drawn_effects
    names, shown = ["$a_{$", "b\nc", "_d"], {"$a_{$", r"b\nc", "_d"}
    for draw in (indices.plot, indices.plot_pairs):
        ax = draw(plt.figure().add_subplot(), feature_names=names)
        ax.figure.canvas.draw()
        assert {label.get_text() for label in ax.get_yticklabels()} == shown
    for effect in (0, (1, 2)):
        ax = effects.plot(effect, plt.figure().add_subplot(), feature_names=names)
        ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"code of b\nc", "code of _d")


def test_pictures_name_categories():
    matplotlib.use("agg")
    rng = np.random.default_rng(0)
    words = ["$b_{$", "a", *("a county of a long name " + letter for letter in "xyz")]
    frame = pd.DataFrame({"few": rng.choice(words[:2], 60), "many": rng.choice(words, 60), "n": rng.random(60)})
    y = (frame["few"] == "a") & (frame["n"] > 0.5) | (frame["many"] == words[2])
    forest = DecisionForestClassifier(3, categorical_features=["few", "many"], random_state=0).fit(frame, y)
    effects = anova_effects(forest, frame, [("few", "many"), ("n", "few")])
    assert {m: values.tolist() for m, values in effects.categories.items()} == {0: sorted(words[:2]), 1: sorted(words)}
    drawn = {effect: effects.plot(effect, plt.figure().add_subplot()) for effect in ("few", "many", "n")}
    drawn |= {effect: effects.plot(effect, plt.figure().add_subplot()) for effect in effects.pairs}
    for ax in drawn.values():
        ax.figure.canvas.draw()
    ticks = {effect: [label.get_text() for label in ax.get_xticklabels()] for effect, ax in drawn.items()}
    assert ticks["few"] == sorted(words[:2])
    assert ticks["many"] == sorted(words)
    assert [drawn[effect].get_xticklabels()[0].get_rotation() for effect in ("few", "many")] == [0.0, 90.0]
    assert [drawn[effect].get_xlabel() for effect in ("few", "many", "n")] == ["few", "many", "n"]
    assert [label.get_text() for label in drawn[0, 1].get_yticklabels()] == sorted(words)
    assert (drawn[2, 0].get_xlabel(), drawn[2, 0].get_ylabel()) == ("n", "few")
    of_codes = AnovaEffects(0.0, [np.array([-1.0, 1.0])], {}, categories={0: np.array(["a", np.nan], dtype=object)})
    ax = of_codes.plot(0, plt.figure().add_subplot())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "missing"]
    plt.close("all")


@pytest.fixture
def kinds():
    """Samples with numbers, of which some lack, and categories, and a forest of three classes."""
    matplotlib.use("agg")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 120).astype(float), "colour": rng.choice(list("rgb"), 120)})
    frame["size"] = rng.random(120)
    frame.loc[::9, "age"] = np.nan
    y = np.where(frame["age"].fillna(20.0) < 40.0, "low", np.where(frame["colour"] == "r", "_$mid", "high"))
    forest = DecisionForestClassifier(3, max_depth=4, categorical_features=["colour"], random_state=0)
    yield frame, y, forest
    plt.close("all")


def test_effects_of_numbers_are_steps_over_the_numbers(kinds):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y))
    effects = anova_effects(model, frame)
    assert effects.classes.tolist() == ["_$mid", "high", "low"]
    assert effects.thresholds is model.codes.thresholds
    ax = effects.plot("age", plt.figure().add_subplot())
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class _$mid", "class high", "class low"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "effect")
    cuts, apart = model.codes.thresholds[0][:-1], ax.lines[3:6]
    assert model.codes.has_missing[0]
    # A number between two steps has the height of its code, and so has a threshold itself.
    for at in (*cuts, cuts[0] - 0.01, *(cuts + 0.01)):
        code = cuts.searchsorted(at)
        for k, line in enumerate(ax.lines[:3]):
            x, heights = line.get_data()
            assert line.get_drawstyle() == "steps-pre"
            assert heights[np.searchsorted(x, at)] == effects.features[0][code, k]
    assert [line.get_ydata()[0] for line in apart] == effects.features[0][-1].tolist()
    assert [line.get_color() for line in apart] == [line.get_color() for line in ax.lines[:3]]
    assert all(line.get_xdata()[0] > ax.lines[0].get_xdata()[-1] for line in apart)
    assert [label.get_text() for label in ax.get_xticklabels(minor=True)] == ["missing"]
    assert max(ax.get_xticks()) <= ax.lines[0].get_xdata()[-1]
    whole = effects.plot("size", plt.figure().add_subplot())
    assert len(whole.lines) == 4  # three outputs, and zero
    assert not len(whole.get_xticks(minor=True))


def test_effects_of_categories_are_bars(kinds):
    frame, y, forest = kinds
    effects = anova_effects(forest.fit(frame, y), frame)
    ax = effects.plot("colour", plt.figure().add_subplot())
    assert len(ax.lines) == 1  # zero
    assert [[bar.get_height() for bar in group] for group in ax.containers] == effects.features[1].T.tolist()
    assert {bar.get_facecolor() for bar in ax.containers[0]} != {bar.get_facecolor() for bar in ax.containers[1]}
    for code in range(3):  # a group of bars stands at its word
        bars = [group[code] for group in ax.containers]
        assert np.mean([bar.get_x() + 0.5 * bar.get_width() for bar in bars]) == pytest.approx(code)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["b", "g", "r"]
    assert len(ax.get_legend().get_texts()) == 3


def test_pictures_of_two_classes_and_of_pairs(kinds):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y == "low"))
    effects = anova_effects(model, frame, [("age", "size"), ("size", "age")])
    ax = effects.plot("colour", plt.figure().add_subplot())
    assert (ax.get_ylabel(), ax.get_legend()) == ("effect on class True", None)
    for pair, name in (("age", "size"), "x"), (("size", "age"), "y"):
        ax = effects.plot(pair, plt.figure().add_subplot())
        axis, cuts = getattr(ax, f"{name}axis"), model.codes.thresholds[0]
        assert axis.get_label_text() == "age"
        assert [label.get_text() for label in axis.get_ticklabels(minor=True)] == ["missing"]
        assert axis.get_ticklocs(minor=True).tolist() == [cuts.size]
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True):
            assert float(label.get_text()) == pytest.approx(cuts[int(place - 0.5)], abs=0.5)


def test_pairs_are_drawn_in_both_orders_and_for_every_class(kinds):
    frame, y, forest = kinds
    pair = ("age", "colour")
    effects = anova_effects(forest.fit(frame, y), frame, [pair])
    for output, name in ((None, "low"), (0, "_$mid"), (1, "high")):
        for effect, turned in ((pair, False), (pair[::-1], True)):
            ax = effects.plot(effect, plt.figure().add_subplot(), output=output)
            expected = effects.pairs[0, 1][..., -1 if output is None else output]
            np.testing.assert_array_equal(ax.images[0].get_array(), expected if turned else expected.T)
            assert ax.images[0].colorbar.ax.get_ylabel() == f"effect on class {name}"
            assert (ax.get_xlabel(), ax.get_ylabel()) == effect
    ax = effects.plot("age", plt.figure().add_subplot(), output=1)
    assert (ax.get_ylabel(), ax.get_legend()) == ("effect on class high", None)
    assert_refuses(IndexError, None, effects.plot, "age", output=3)
    one = anova_effects(forest.fit(frame, y == "low"), frame)
    assert_refuses(IndexError, "There is one output, got output=1", one.plot, "age", output=1)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_partial_dependence_has_a_grid_and_a_plot(kinds, n_labels):
    frame, y, forest = kinds
    model = additive_model(forest.fit(frame, y if n_labels == 3 else y == "low"))
    wanted = ["age", "colour", ("size", "colour"), ("age", "size")]
    found = partial_dependence(model, frame, wanted)
    assert [*found] == found[:] == [found[one] for one in wanted]
    assert repr(found) == repr(found.tables)
    # A value of the grid has the code that it stands for.
    assert found.grid[1].tolist() == ["b", "g", "r"]
    for values, m in ((found.grid[0], 0), (found.grid[2][0], 2), (found.grid[3][1], 2)):
        rows = frame.iloc[[0] * len(values)].copy()
        rows.isetitem(m, values)
        np.testing.assert_array_equal(model.codes.transform(rows)[:, m], np.arange(len(values)))
    assert np.isnan(found.grid[0][-1])
    ax = found.plot("age", plt.figure().add_subplot())
    of_class = "" if n_labels == 3 else " for class True"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", f"partial dependence{of_class}")
    table = found["age"].reshape(len(found["age"]), -1)
    steps = [line.get_ydata()[1:] for line in ax.lines[: table.shape[1]]]
    np.testing.assert_array_equal(np.transpose(steps), table[:-1])
    assert (ax.get_legend() is None) == (n_labels == 2)
    table = found["size", "colour"] if n_labels == 2 else found["size", "colour"][..., -1]
    for effect, drawn in ((("size", "colour"), table.T), (("colour", "size"), table)):
        ax = found.plot(effect, plt.figure().add_subplot())
        np.testing.assert_array_equal(ax.images[0].get_array(), drawn)
        axis = ax.yaxis if effect[0] == "size" else ax.xaxis
        assert [label.get_text() for label in axis.get_ticklabels()] == ["b", "g", "r"]
    assert_refuses(ValueError, "no partial dependence of the feature 2", found.plot, "size")
    with pytest.raises(KeyError, match="partial dependence of 'size' was not computed"):
        found["size"]
    of_codes = partial_dependence(model.trees, model.cardinalities, [0, (0, 1)])
    assert [len(grid) for grid in (of_codes.grid[0], *of_codes.grid[1])] == [*model.cardinalities[[0, 0, 1]]]
    assert of_codes.plot(0, plt.figure().add_subplot()).get_xlabel() == "code of feature 0"
    with pytest.raises(ValueError, match="Features are numbers from 0 to 2"):
        of_codes["age"]


def test_thresholds_at_pictures_of_pairs_are_short():
    matplotlib.use("agg")
    for cuts, other, said in (
        ([-0.0612, -1e-5, 0.0339], [1 / 3], (["-0.061", "0", "0.034"], ["0.3333"])),
        ([0.12345, 0.12346], np.arange(51) * 1e4, (["0.12345", "0.12346"], [str(k * 10**5) for k in range(6)])),
    ):
        cuts, other = np.array(cuts), np.array(other)
        singles = [np.zeros(cuts.size + 1), np.zeros(other.size + 1)]
        pairs = {(0, 1): np.add.outer(*singles)}
        ax = AnovaEffects(0.0, singles, pairs, thresholds=[cuts, other]).plot((0, 1), plt.figure().add_subplot())
        found = [[label.get_text() for label in axis.get_ticklabels()] for axis in (ax.xaxis, ax.yaxis)]
        assert found == [*said]
    plt.close("all")


def test_pictures_of_few_values():
    matplotlib.use("agg")
    known = {"thresholds": [np.array([]), np.array([np.inf]), np.array([0.0]), np.array([2.0, np.inf])]}
    effects = AnovaEffects(0.0, [np.zeros(1), np.ones(2), np.ones(2), np.arange(3.0)], {}, **known)
    drawn = [effects.plot(m, plt.figure().add_subplot()) for m in range(4)]
    words = [[label.get_text() for label in ax.get_xticklabels()] for ax in drawn[:2]]
    assert words == [["all values"], ["not missing", "missing"]]
    assert [ax.lines[0].get_xdata().tolist() for ax in drawn[2:]] == [[-1.0, 0.0, 1.0], [0.0, 2.0, 4.0]]
    of_codes = AnovaEffects(np.zeros(2), [np.eye(2)], {}).plot(0, plt.figure().add_subplot())
    assert [text.get_text() for text in of_codes.get_legend().get_texts()] == ["output 0", "output 1"]
    plt.close("all")
    assert effects.plot(0) is plt.gca()  # a new figure, as none was open
    plt.close("all")


def test_wrong_parameters_of_pictures_are_refused(drawn_effects):
    indices, effects = drawn_effects
    for draw in (indices.plot, indices.plot_pairs, partial(effects.plot, 0)):
        assert_refuses(TypeError, "ax must be axes of matplotlib, got 5", draw, 5)
        for names in (5, "abc", [["a", "b", "c"]]):
            assert_refuses(ValueError, "feature_names must be a sequence of names", draw, feature_names=names)
    for draw in (indices.plot, indices.plot_pairs):
        for number in (0, -1, 0.5, True, "2", np.nan):
            assert_refuses(ValueError, "max_features must be a whole number from 1, or None", draw, max_features=number)
        draw(max_features=10**400)
