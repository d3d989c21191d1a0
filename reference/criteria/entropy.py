"""Shannon entropy in bits."""

import math

from .logarithms import BitRatio, bits, entropy_bits


def information_gain(node, children):
    """Return the entropy of the node minus the entropies of the children, weighted by their shares, in bits."""
    gained = entropy_bits(node)
    for counts in children:
        gained -= entropy_bits(counts)
    return BitRatio(gained, bits(sum(node)))


def entropy(counts):
    """Return the Shannon entropy of class counts, in bits."""
    return BitRatio(entropy_bits(counts), bits(sum(counts)))


def weighted_entropy(weights, total):
    """Return the Shannon entropy in bits, -sum of p_k log2 p_k, of sums of weights."""
    impurity = 0.0
    for weight in weights:
        share = weight / total if total > 0.0 else 0.0
        if share > 0.0:  # the share of a tiny weight beside a huge one can round to 0
            impurity -= share * math.log2(share)
    return impurity
