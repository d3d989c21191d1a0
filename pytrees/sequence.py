"""Effort-To-Compress of sequences, and the substitutions it counts."""

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

import numpy as np

from ._engine import kernel
from ._missing import is_nan

__all__ = ["Phrase", "Substitution", "effort_to_compress", "nsrps"]


def effort_to_compress(sequence, normalized=False):
    """Compute the Effort-To-Compress (ETC) of a sequence.

    In every step the most frequent pair of neighbouring symbols is replaced, everywhere, by a new symbol, until all
    symbols are equal; ETC is the number of steps. Pairs are counted without overlap, greedily from the left; of equally
    frequent pairs the one met first from the left is replaced.

    Parameters
    ----------
    sequence : sequence of hashable labels
        A list, tuple, string, range or other iterable, one-dimensional array or pandas column of shape (n,). Labels
        matter only by which of them are equal; None is a label like others. A sequence of length 0 or 1 has ETC 0.
    normalized : bool, default=False
        Divide by n - 1, the largest value that a sequence of length n can have; 0.0 for n < 2.

    Returns
    -------
    int or float
        The number of steps; a float in [0, 1] where `normalized`.

    Raises
    ------
    TypeError
        If the sequence is not one, has no order (a set), or holds labels that cannot be hashed.
    ValueError
        If it has not one dimension, or holds missing values (NaN, NaT, NA).

    See Also
    --------
    nsrps : The steps themselves.

    Notes
    -----
    Takes nearly linear time, and about 100 bytes of memory for every label. Described in Section 2 of [1]_, whose
    Tables 1 and 3 are reproduced exactly.

    References
    ----------
    .. [1] Harikrishnan N. B. and N. Nagaraj, "Permutation Decision Trees", arXiv:2306.02617.

    Examples
    --------
    >>> from pytrees import effort_to_compress
    >>> effort_to_compress("00011")
    4
    >>> [effort_to_compress(labels) for labels in ("111111", "121212", "222111", "122112", "211122")]
    [0, 1, 5, 4, 5]
    >>> effort_to_compress([2, 2, 2, 1, 1, 1], normalized=True)
    1.0
    """
    codes, labels = encode(sequence)
    steps = kernel("effort_to_compress")(codes, len(labels))
    if not normalized:
        return steps
    return steps / (len(codes) - 1) if len(codes) > 1 else 0.0


def nsrps(sequence):
    """Apply non-sequential recursive pair substitution (NSRPS), step by step.

    Parameters
    ----------
    sequence : sequence of hashable labels
        As in :func:`effort_to_compress`.

    Returns
    -------
    list of Substitution
        One for every step; as many as the sequence's Effort-To-Compress. Each half of a pair is a label of the
        sequence or, for a symbol that an earlier step made, the :class:`Phrase` that it stands for.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`.

    See Also
    --------
    effort_to_compress : The number of steps alone, which is faster.
    pytrees.sequence.Substitution : One of the steps.
    pytrees.sequence.Phrase : The labels that a new symbol stands for.

    Examples
    --------
    >>> from pytrees import nsrps
    >>> for step in nsrps("00011"):
    ...     print(step.pair, step.count, step.length)
    ('0', '0') 1 4
    (<00>, '0') 1 3
    (<000>, '1') 1 2
    (<0001>, '1') 1 1
    """
    codes, labels = encode(sequence)
    symbols = list(labels)
    steps = []
    for left, right, count, length in np.asarray(kernel("substitutions")(codes, len(labels))).tolist():
        pair = (symbols[left], symbols[right])
        symbols.append(Phrase(*pair))
        steps.append(Substitution(pair, count, length))
    return steps


class Substitution(NamedTuple):
    """One step of :func:`nsrps`.

    Parameters
    ----------
    pair : tuple of two
        The pair that was replaced; each half a label of the sequence or a :class:`Phrase` of labels.
    count : int
        The number of occurrences that were replaced.
    length : int
        Length of the sequence after the step, in symbols.

    See Also
    --------
    nsrps : All steps of a sequence.
    Phrase : The labels that a new symbol stands for.

    Examples
    --------
    >>> from pytrees import nsrps
    >>> first = nsrps("abab")[0]
    >>> first
    Substitution(pair=('a', 'b'), count=2, length=2)
    """

    pair: tuple
    count: int
    length: int


class Phrase:
    """The labels that a new symbol stands for; iterates over them from left to right.

    Phrases share their parts, so that all steps of a long sequence fit into memory. ``len`` is the number of labels;
    phrases of the same labels are equal.

    Parameters
    ----------
    left, right : label or Phrase
        The pair that the symbol replaced.

    See Also
    --------
    pytrees.nsrps : The steps whose pairs are made of labels and phrases.
    Substitution : One of these steps.

    Examples
    --------
    >>> from pytrees.sequence import Phrase
    >>> phrase = Phrase(Phrase("a", "b"), "c")
    >>> list(phrase), len(phrase)
    (['a', 'b', 'c'], 3)
    """

    __slots__ = ("_depth", "_length", "left", "right")

    _SHOWN = 20

    def __init__(self, left, right):
        self.left = left
        self.right = right
        self._length = sum(len(part) if isinstance(part, Phrase) else 1 for part in (left, right))
        self._depth = 1 + max(part._depth if isinstance(part, Phrase) else 0 for part in (left, right))

    def __len__(self):
        return self._length

    def __iter__(self):
        pending = [self]
        while pending:
            part = pending.pop()
            if isinstance(part, Phrase):
                pending += (part.right, part.left)
            else:
                yield part

    def __eq__(self, other):
        return len(self) == len(other) and tuple(self) == tuple(other) if isinstance(other, Phrase) else NotImplemented

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        # Flat over many levels at once, so that deep phrases do not exhaust the stack; parts below these are left to
        # pickle, which writes what several phrases share once. In postfix order, None joining the last two.
        n_levels = max(64, self._depth // 64)
        postfix, pending = [], [(self, 0)]
        while pending:
            part, level = pending.pop()
            if isinstance(part, Phrase) and level < n_levels:
                postfix.append(None)
                pending += ((part.left, level + 1), (part.right, level + 1))
            else:
                postfix.append((part,))
        return _phrase_from_postfix, (postfix[::-1],)

    def __deepcopy__(self, memo):
        return self  # it never changes, and its labels are hashable

    def __repr__(self):
        shown = [str(label) for label, _ in zip(self, range(self._SHOWN), strict=False)]
        separator = "" if all(len(label) == 1 for label in shown) else " "
        return f"<{separator.join(shown)}{'...' if len(self) > self._SHOWN else ''}>"


def _phrase_from_postfix(postfix):
    stack = []
    for token in postfix:
        if token is None:
            right = stack.pop()
            stack.append(Phrase(stack.pop(), right))
        else:
            stack.append(token[0])
    return stack[0]


def encode(sequence):
    """Encode the labels of a sequence by 0..k-1 (int32); return the codes and the k different labels.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`.
    """
    if isinstance(sequence, (Set, Mapping)) or not (isinstance(sequence, Iterable) or hasattr(sequence, "__array__")):
        raise TypeError(f"A sequence of labels is expected, got {type(sequence).__name__}.")
    if np.ma.is_masked(sequence):
        raise ValueError("The sequence contains missing values: some of it is masked.")
    if isinstance(sequence, memoryview) or (hasattr(sequence, "__array__") and not isinstance(sequence, (str, bytes))):
        array = np.asarray(sequence)
        if array.ndim != 1:
            raise ValueError(f"A sequence has one dimension, got an array with {array.ndim}.")
        if array.dtype.kind not in "OT":
            return _encode_array(array)
        sequence = array.tolist()
    return _encode_labels(sequence)


def _encode_array(array):
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < max(array.size, 256):  # codes need not all occur, and this saves sorting
            wide = array if array.dtype.kind == "u" else array.astype(np.int64)
            return (wide - wide.dtype.type(low)).astype(np.int32), range(low, high + 1)
    labels, codes = np.unique(array, return_inverse=True)
    if len(labels) and labels[-1] != labels[-1]:  # missing values are sorted to the end
        raise ValueError("The sequence contains missing values (NaN or NaT).")
    # Dates of nanoseconds have no Python equivalent: they stay NumPy's.
    return codes.astype(np.int32), list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def _encode_labels(sequence):
    code_of = {}
    try:
        codes = np.array([code_of.setdefault(label, len(code_of)) for label in sequence], dtype=np.int32)
    except TypeError as error:
        raise TypeError(f"The labels of a sequence must be hashable: {error}.") from error
    labels = list(code_of)
    if any(is_nan(label) for label in labels):
        raise ValueError("The sequence contains missing values (NaN, NaT or NA).")
    return codes, labels
