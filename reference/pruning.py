"""Minimal cost-complexity pruning by its definition: L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification
and Regression Trees", 1984, Section 3.3.

The weakest link of a tree is the inner node that, as a leaf, raises the risk least per leaf that goes. The weakest link
becomes a leaf again and again, until the root is a leaf.
"""

from fractions import Fraction
from itertools import pairwise


def prune_path(child_offsets, children, risks, total):
    """Return the nodes that become leaves, the weakest first, and alphas and risks of the tree before and after each.

    `risks` are the impurities of all nodes times their weights, as fractions or floating-point numbers, and `total` is
    the weight of the root, a whole number. Nodes of equal alphas are in ascending order. The first alpha is 0, and no
    alpha is lower.
    """
    risks = [Fraction(risk) / total for risk in risks]
    below = [children[start:stop] for start, stop in pairwise(child_offsets)]
    nodes, alphas, impurities = [], [0.0], [float(risk_of_leaves(below, risks, 0))]
    while below[0]:
        alpha, node = min((effective_alpha(below, risks, node), node) for node in inner_nodes(below))
        below[node] = []
        nodes.append(node)
        alphas.append(max(0.0, float(alpha)))
        impurities.append(float(risk_of_leaves(below, risks, 0)))
    return nodes, alphas, impurities


def branch(below, node):
    """Return the nodes of the branch of a node, itself among them."""
    nodes = [node]
    for one in nodes:
        nodes += below[one]
    return nodes


def inner_nodes(below):
    return [node for node in branch(below, 0) if below[node]]


def leaves_of(below, node):
    return [leaf for leaf in branch(below, node) if not below[leaf]]


def risk_of_leaves(below, risks, node):
    return sum((risks[leaf] for leaf in leaves_of(below, node)), Fraction(0))


def effective_alpha(below, risks, node):
    """Return g(t) = (R(t) - R(T_t)) / (the number of leaves of T_t - 1)."""
    return (risks[node] - risk_of_leaves(below, risks, node)) / (len(leaves_of(below, node)) - 1)
