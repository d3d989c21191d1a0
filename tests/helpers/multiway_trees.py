"""Random trees with multiway nodes, and the plainest way through them."""

import numpy as np

from pytrees._tree_checks import LEAF, MULTIWAY
from pytrees.tree import Tree


def random_tree(rng, cardinalities, n_classes=3, depth=4, deepest_share=0.7, sets=False, cut=0.2):
    """Make a tree on codes: features of cardinality 0 are split by thresholds, others also by category or, with `sets`,
    by sets of categories, `cut` of them by thresholds."""
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "gain", "category", "value")
    arrays = {name: [] for name in names}
    children, codes_of = [], []

    def grow(level, codes):
        number = len(children)
        children.append([])
        codes_of.append(codes)
        for name, entry in (
            ("category", codes[0] if codes else -1),
            ("gain", 0.0),
            ("n_node_samples", 1),
            ("threshold", -2.0),
        ):
            arrays[name].append(entry)
        arrays["value"].append(rng.integers(0, 5, n_classes) + 1)
        for name in ("children_left", "children_right"):
            arrays[name].append(LEAF)
        arrays["feature"].append(-2)
        if level == depth or rng.random() > deepest_share:
            return number
        feature = int(rng.integers(len(cardinalities)))
        arrays["feature"][number] = feature
        if cardinalities[feature] and rng.random() >= cut:
            arrays["children_left"][number] = arrays["children_right"][number] = MULTIWAY
            codes = np.flatnonzero(rng.random(cardinalities[feature]) < 0.6)
            codes = codes if codes.size else np.array([0])
            children[number] = [grow(level + 1, part) for part in parts_of(rng, codes.tolist(), sets)]
        else:
            arrays["threshold"][number] = float(rng.integers(0, 5)) + 0.5
            children[number] = [grow(level + 1, []) for _ in range(2)]
            arrays["children_left"][number], arrays["children_right"][number] = children[number]
        arrays["value"][number] = sum(arrays["value"][child] for child in children[number])
        arrays["n_node_samples"][number] = sum(arrays["n_node_samples"][child] for child in children[number])
        return number

    grow(0, [])
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in children])])
    flat = [child for some in children for child in some]
    arrays["value"] = np.array(arrays["value"], dtype=float).reshape(-1, n_classes)
    below = {"child_offsets": offsets, "children": np.array(flat, dtype=np.int64)}
    below["category_offsets"] = np.concatenate([[0], np.cumsum([len(codes) for codes in codes_of])])
    below["categories"] = np.array([code for codes in codes_of for code in codes], dtype=np.int64)
    return Tree(**arrays, **below, n_features=len(cardinalities))


def parts_of(rng, codes, sets):
    """Divide codes: one by one, or into some sets in the order of their lowest code."""
    if not sets:
        return [[code] for code in codes]
    number = rng.integers(0, 3, len(codes)).tolist()
    parts = [[code for code, part in zip(codes, number, strict=True) if part == one] for one in range(3)]
    return sorted(part for part in parts if part)


def random_rows(rng, cardinalities, n_rows):
    """Draw rows of codes, also of categories that no node knows: -1 and the first beyond the cardinality."""
    columns = [
        rng.integers(-1, cardinality + 1, n_rows) if cardinality else rng.integers(0, 6, n_rows)
        for cardinality in cardinalities
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def way(tree, row):
    """Return the nodes that a row visits, from the definition."""
    nodes = [0]
    while tree.children_left[nodes[-1]] != LEAF:
        node = nodes[-1]
        value = row[tree.feature[node]]
        if tree.children_left[node] == MULTIWAY:
            found = [child for child in tree.children_of(node) if value in tree.categories_of(child)]
            if not found:
                break
            nodes.append(int(found[0]))
        else:
            goes_left = value <= tree.threshold[node]
            nodes.append(int(tree.children_left[node] if goes_left else tree.children_right[node]))
    return nodes
