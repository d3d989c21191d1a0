"""Shannon entropy in bits."""

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
