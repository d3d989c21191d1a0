"""Whether arrays are those of a tree, so that it is safe to walk."""

import numpy as np

LEAF = -1
MULTIWAY = -2
UNDEFINED = -2


def check_tree(tree):
    """Raise a ValueError if the tree's arrays could not be walked safely; return its depth."""
    _check_shapes(tree)
    if tree.is_multiway:
        _check_children_by_offsets(tree)
    _check_children(tree)
    _check_nodes(tree)
    depth, level = -1, np.array([0])
    while level.size:
        depth += 1
        level = _children_of_level(tree, level)
    return depth


def _check_shapes(tree):
    n_nodes = tree.node_count
    names = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value", "gain")
    expected = dict.fromkeys(names, n_nodes)
    if tree.is_multiway:
        expected |= {"child_offsets": n_nodes + 1, "children": n_nodes - 1, "category": n_nodes}
    for name, size in expected.items():
        shape = getattr(tree, name).shape
        if shape[:1] != (size,) or len(shape) != (2 if name == "value" else 1):
            raise ValueError(f"Not a tree: {name} has shape {shape} in a tree of {n_nodes} nodes.")
    if n_nodes == 0 or tree.value.shape[1] == 0:
        raise ValueError("Not a tree: it needs a node and a class at least.")


def _check_children(tree):
    n_nodes, left, right = tree.node_count, tree.children_left, tree.children_right
    if not np.array_equal(left == LEAF, right == LEAF):
        raise ValueError("Not a tree: a node has one child.")
    if not np.array_equal(left == MULTIWAY, right == MULTIWAY):
        raise ValueError("Not a tree: a node is multiway on one side.")
    inner = np.flatnonzero(left != LEAF)
    binary = np.flatnonzero((left != LEAF) & (left != MULTIWAY))
    if not np.array_equal(left[binary], binary + 1):
        raise ValueError("Not a tree in preorder: a left child does not follow its parent.")
    children = tree.children if tree.is_multiway else np.concatenate([left[binary], right[binary]])
    if not np.array_equal(np.sort(children), np.arange(1, n_nodes)) or np.any(right[binary] <= binary):
        raise ValueError("Not a tree: the children are not all nodes but the root, once, behind their parents.")
    if np.any((tree.feature[inner] < 0) | (tree.feature[inner] >= tree.n_features)):
        raise ValueError(f"Not a tree of {tree.n_features} features: a node looks at another one.")


def _check_children_by_offsets(tree):
    """That they agree with the left and right children, stand in preorder, and have ascending categories."""
    offsets, children, left, right = tree.child_offsets, tree.children, tree.children_left, tree.children_right
    counts = np.diff(offsets)
    multiway, binary = np.flatnonzero(left == MULTIWAY), np.flatnonzero((left != LEAF) & (left != MULTIWAY))
    if (
        offsets[0] != 0
        or offsets[-1] != children.size
        or np.any(counts[multiway] < 1)
        or np.any(counts[binary] != 2)
        or np.any(counts[left == LEAF] != 0)
        or not np.array_equal(children[offsets[binary]], left[binary])
        or not np.array_equal(children[offsets[binary] + 1], right[binary])
    ):
        raise ValueError("Not a tree: child_offsets and children do not agree with the other arrays.")
    parents = np.repeat(np.arange(tree.node_count), counts)
    siblings = parents[1:] == parents[:-1]
    if np.any(children[offsets[multiway]] != multiway + 1) or np.any(siblings & (children[1:] <= children[:-1])):
        raise ValueError("Not a tree in preorder: the children of a node do not follow it and each other.")
    is_category = left[parents] == MULTIWAY
    category = tree.category[children]
    if (
        tree.category[0] != -1
        or np.any((category >= 0) != is_category)
        or np.any(category < -1)
        or np.any(siblings & is_category[1:] & (category[1:] <= category[:-1]))
    ):
        raise ValueError("Not a tree: category does not ascend among the children of a multiway node, or is not -1.")


def _check_nodes(tree):
    for name in ("threshold", "gain"):
        if np.any(np.isnan(getattr(tree, name))):
            raise ValueError(f"Not a tree: {name} holds NaN.")
    weights = tree.value.sum(axis=1)
    if np.any(tree.n_node_samples < 1) or np.any(tree.value < 0.0) or not np.all((weights > 0) & (weights < np.inf)):
        raise ValueError("Not a tree: every node has rows, and class counts that are not negative nor all zero.")


def _children_of_level(tree, level):
    level = level[tree.children_left[level] != LEAF]
    if not tree.is_multiway:
        return np.concatenate([tree.children_left[level], tree.children_right[level]])
    starts, counts = tree.child_offsets[level], np.diff(tree.child_offsets)[level]
    return tree.children[np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
