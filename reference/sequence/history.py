"""Lempel-Ziv complexity: the number of components of a sequence's exhaustive history.

Lempel and Ziv, "On the complexity of finite sequences", IEEE Trans. Information Theory 22 (1976); Kaspar and Schuster,
"Easily calculable measure for the complexity of spatiotemporal patterns", Phys. Rev. A 36 (1987).

A component starts where the component before it ends. It is the shortest word that does not occur in the symbols before
its own last symbol; an earlier occurrence may overlap the component. The sequence may end before the last component is
complete, which counts nevertheless.
"""


def occurs(word, sequence):
    """Whether the word stands somewhere in the sequence."""
    return any(sequence[i : i + len(word)] == word for i in range(len(sequence) - len(word) + 1))


def exhaustive_history(codes):
    """Return the components, from left to right."""
    sequence = list(codes)
    components = []
    start = 0
    while start < len(sequence):
        stop = start + 1
        while stop < len(sequence) and occurs(sequence[start:stop], sequence[: stop - 1]):
            stop += 1
        components.append(sequence[start:stop])
        start = stop
    return components


def lempel_ziv_complexity(codes, n_symbols):
    """Return the number of components."""
    return len(exhaustive_history(codes))
