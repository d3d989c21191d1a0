"""Trees in the language of Graphviz."""

from __future__ import annotations

import re
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ._colours import colours_of
from ._digits import Digits, ThresholdTexts
from ._docstrings import described_like
from ._given_tree import (
    MOST_CATEGORIES,
    SHOWING_CONSTRAINTS,
    ShownTree,
    TreeEstimator,
    has_samples,
    label_of_categories,
    samples_said,
    side_of_missing,
)
from ._names import one_line
from ._sklearn import HasMethods, Interval, validate_params
from ._tree_checks import LEAF, MULTIWAY
from ._typing import AnyArray, FloatArray, LabelsLike, SupportsWrite
from .export import export_text
from .tree import Tree

__all__ = ["export_graphviz"]


@described_like(export_text)
@validate_params(
    {
        **SHOWING_CONSTRAINTS,
        "out_file": [str, PathLike, HasMethods("write"), None],
        "filled": ["boolean"],
        "impurity": ["boolean"],
        "node_ids": ["boolean"],
        "proportion": ["boolean"],
        "rotate": ["boolean"],
        "precision": [Interval(Integral, 0, 100, closed="both")],
    },
    prefer_skip_nested_validation=True,
)
def export_graphviz(
    tree: Tree | TreeEstimator,
    out_file: str | PathLike[str] | SupportsWrite | None = None,
    *,
    feature_names: LabelsLike | None = None,
    class_names: LabelsLike | None = None,
    max_depth: int | None = None,
    filled: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rotate: bool = False,
    precision: int = 3,
) -> str | None:
    """Export a tree in the DOT language, from which Graphviz draws a picture.

    Nodes have the same text as in scikit-learn's function of this name: the test, the impurity, the number of samples,
    and the class counts with the class, or the number that the node predicts. A node with a child for every category
    shows its feature, and its edges show the categories.

    Parameters
    ----------
    out_file : str, path or file object, optional
        The file to write to. By default the text is returned.
    max_depth : int or None, default=None
        Only nodes down to this depth are exported, the root's being 0; ``(...)`` stands for their children. None: all.
    filled : bool, default=False
        Whether nodes have the colour of their class, paler if they are more mixed; or a colour for their number, the
        darker the higher the number is in the tree.
    impurity : bool, default=True
        Whether nodes show their impurity, if the criterion of the tree has one.
    node_ids : bool, default=False
        Whether nodes show their numbers.
    proportion : bool, default=False
        Whether nodes show shares of all samples and of the classes in place of numbers of samples.
    rotate : bool, default=False
        Whether the root is on the left, not on top.
    precision : int, default=3
        Decimal places of thresholds, impurities, numbers, and of class counts or shares that are not whole. A threshold
        has more where it takes more to divide the training samples as the tree does.

    Returns
    -------
    str or None
        The text, if it was not written to a file.

    See Also
    --------
    plot_tree : A picture, by matplotlib.
    export_text : The rules of a tree as text.

    Examples
    --------
    >>> from pytrees import DecisionTreeClassifier, export_graphviz
    >>> print(export_graphviz(DecisionTreeClassifier().fit([[1.0], [3.0]], ["a", "b"]), impurity=False))
    digraph Tree {
    node [shape=box, style="rounded", fontname="helvetica"] ;
    edge [fontname="helvetica"] ;
    0 [label="feature_0 <= 2.0\\nsamples = 2\\nvalue = [1, 1]\\nclass = a"] ;
    1 [label="samples = 1\\nvalue = [1, 0]\\nclass = a"] ;
    2 [label="samples = 1\\nvalue = [0, 1]\\nclass = b"] ;
    0 -> 1 [labeldistance=2.5, labelangle=45, headlabel="True"] ;
    0 -> 2 [labeldistance=2.5, labelangle=-45, headlabel="False"] ;
    }
    """
    nodes = _Nodes(tree, feature_names, class_names, max_depth)
    nodes.node_ids, nodes.proportion, nodes.precision = node_ids, proportion, int(precision)
    nodes.threshold_of = ThresholdTexts(nodes.tree, Digits(nodes.precision))
    nodes.impurity = nodes.tree.impurity if impurity and hasattr(nodes.tree, "impurity") else None
    style = "filled, rounded" if filled else "rounded"
    lines = ["digraph Tree {", f'node [shape=box, style="{style}", fontname="helvetica"] ;']
    lines += ['edge [fontname="helvetica"] ;', *(["rankdir=LR ;"] if rotate else [])]
    lines += nodes.nodes(filled) + nodes.edges(rotate) + ["}"]
    text = "\n".join(lines)
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
    else:
        Path(out_file).write_text(text, encoding="utf-8")
    return None


class _Nodes(ShownTree):
    """The nodes that are exported, and their texts."""

    impurity: FloatArray | None
    node_ids: bool
    precision: int
    proportion: bool
    threshold_of: ThresholdTexts

    def nodes(self, filled: bool) -> list[str]:
        """Return a line for every node."""
        colours = np.rint(255.0 * colours_of(self, self.shown)).astype(int).tolist()
        lines = []
        for node, (red, green, blue) in zip(self.shown.tolist(), colours, strict=True):
            text = "(...)" if self.is_left_out[node] else "\\n".join(map(_escaped, self.text(node)))
            colour = "#C0C0C0" if self.is_left_out[node] else f"#{red:02x}{green:02x}{blue:02x}"
            fill = f', fillcolor="{colour}"' if filled else ""
            lines.append(f'{node} [label="{text}"{fill}] ;')
        return lines

    def edges(self, rotate: bool) -> list[str]:
        """Return a line for every edge, labelled by categories below a multiway node, and by answers below the root."""
        tree, lines, angle = self.tree, [], -45 if rotate else 45
        for node in self.with_children.tolist():
            answers = zip(("True", "False"), (angle, -angle), strict=True)
            for child in tree.children_of(node).tolist():
                label = ""
                if tree.children_left[node] == MULTIWAY:
                    categories = label_of_categories(tree, tree.feature[node], child, self.name_of, MOST_CATEGORIES)
                    label = f' [label="{_escaped(categories)}"]'
                elif node == 0 and not self.is_left_out[child]:
                    label = ' [labeldistance=2.5, labelangle={1}, headlabel="{0}"]'.format(*next(answers))
                lines.append(f"{node} -> {child}{label} ;")
        return lines

    def text(self, node: int) -> list[str]:
        """Return the lines of a node."""
        tree, lines = self.tree, [f"node #{node}"] if self.node_ids else []
        if tree.children_left[node] == MULTIWAY:
            lines.append(self.feature_names[tree.feature[node]])
        elif tree.children_left[node] != LEAF:
            name, missing = self.feature_names[tree.feature[node]], side_of_missing(tree, node)
            threshold = float(tree.threshold[node])
            if threshold == np.inf:
                lines.append(f"{name} not missing")
            else:
                level = self.name_of.level(tree.feature[node], threshold) or _as_rounded(self.threshold_of(node))
                lines.append(f"{name} <= {level}")
                lines += [f"missing: {missing}"] if missing else []
        if self.impurity is not None:
            measure = tree.criterion_name or "impurity"
            lines.append(f"{measure} = {round(float(self.impurity[node]), self.precision)}")
        n_samples: Any = tree.n_node_samples[node]
        if not has_samples(tree):
            n_samples = samples_said(tree, node).replace(" ", "")
        elif self.proportion:
            n_samples = f"{round(100.0 * n_samples / tree.n_node_samples[0], 1)}%"
        lines.append(f"samples = {n_samples}")
        if tree.is_regressor:
            return [*lines, f"value = {round(float(tree.value[node, 0]), self.precision)}"]
        lines.append(f"value = [{', '.join(map(str, self.counts(node).tolist()))}]")
        return [*lines, f"class = {self.class_names[self.labels[node]]}"]

    def counts(self, node: int) -> AnyArray:
        """Return the class counts of a node, or their shares."""
        value: AnyArray = self.tree.value[node]
        if self.proportion:
            value = np.around(self.tree.shares_at([node])[0], self.precision)
        elif np.all(value == np.floor(value)):
            value = value.astype(int) if value.max() < 2.0**63 else value
        else:
            # As scikit-learn rounds; that overflows for numbers far above 2**53, which are whole.
            with np.errstate(over="ignore"):
                value = np.where(value < 2.0**53, np.around(value, self.precision), value)
        return value


def _as_rounded(text: str) -> str:
    """Return a decimal as Python writes rounded numbers: with one place at least, and no more zeros at the end."""
    whole, _, places = text.partition(".")
    return f"{whole}.{places.rstrip('0') or '0'}"


def _escaped(text: object) -> str:
    """Return a text as Graphviz's strings have it; Graphviz draws the entities of HTML in them as characters."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", one_line(text))
    return text.replace("\\", "\\\\").replace('"', '\\"')
