"""Effort-To-Compress of sequences, the substitutions that it counts, and Lempel-Ziv complexity."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from ._coded_sequences import check_not_missing, efforts_of_slices, encode
from ._docstrings import described_like
from ._engine import kernel
from ._typing import AnyArray, CodeArray, FloatArray, IntArray, is_whole

__all__ = [
    "Phrase",
    "Substitution",
    "effort_to_compress",
    "lempel_ziv_complexity",
    "nsrps",
    "sliding_effort_to_compress",
]


@overload
def effort_to_compress(
    sequence: Iterable[Hashable],
    normalized: Literal[False] = False,
    *,
    order: int = 2,
    axis: None = None,
    n_jobs: int | None = None,
) -> int: ...
@overload
def effort_to_compress(
    sequence: Iterable[Hashable],
    normalized: Literal[True],
    *,
    order: int = 2,
    axis: None = None,
    n_jobs: int | None = None,
) -> float: ...
@overload
def effort_to_compress(
    sequence: Iterable[Hashable],
    normalized: bool,
    *,
    order: int = 2,
    axis: None = None,
    n_jobs: int | None = None,
) -> int | float: ...
@overload
def effort_to_compress(
    sequence: ArrayLike, normalized: bool = False, *, order: int = 2, axis: int, n_jobs: int | None = None
) -> IntArray | FloatArray: ...
def effort_to_compress(
    sequence: Iterable[Hashable] | ArrayLike,
    normalized: bool = False,
    *,
    order: int = 2,
    axis: int | None = None,
    n_jobs: int | None = None,
) -> int | float | IntArray | FloatArray:
    """Compute the Effort-To-Compress (ETC) of a sequence.

    In every step the most frequent pair of neighbouring symbols is replaced, everywhere, by a new symbol, until all
    symbols are equal; ETC is the number of steps. Pairs are counted without overlap, greedily from the left. If several
    pairs are equally frequent, the first from the left is replaced.

    Parameters
    ----------
    sequence : sequence of hashable labels
        A list, tuple, string, range or other iterable, one-dimensional array or pandas column of shape (n,). Labels
        matter only by which of them are equal; None is a label like others. A sequence of length 0 or 1 has ETC 0.
        With `axis`, an array of any number of dimensions.
    normalized : bool, default=False
        Divide by the largest value that a sequence of length n can have, n - 1 for pairs and (n - 1) // (order - 1)
        for n-grams. The result is 0.0 if the largest value is 0.
    order : int, default=2
        Replace n-grams of `order` neighbouring symbols; pairs are n-grams of order 2. The steps also end if fewer than
        `order` symbols are left.
    axis : int, optional
        The axis of an array along which its sequences run: the result is an array of the other dimensions.
    n_jobs : int, optional
        The number of threads that share the sequences of an array, as joblib counts them.

    Returns
    -------
    int or float
        The number of steps; a float in [0, 1] if `normalized`. With `axis`, an ndarray of int64 or float64.

    Raises
    ------
    TypeError
        If the sequence is not one, has no order (a set), or holds labels that cannot be hashed.
    ValueError
        If the sequence does not have one dimension and no `axis` is given, `axis` is not one of its axes, it holds
        missing values (NaN, NaT, NA), or `order` is less than 2.

    See Also
    --------
    sliding_effort_to_compress : Effort-To-Compress of all windows of a sequence.
    join_symbols : Makes one sequence of several; its ETC is their joint ETC.
    symbolize : Makes a sequence of labels from numbers.
    nsrps : The steps themselves.
    lempel_ziv_complexity : Another measure of how irregular a sequence is.
    compression_complexity_causality : Whether one series adds to the complexity of another.

    Notes
    -----
    Takes nearly linear time, and about 100 bytes of memory for every label. Described in Section 2 of [1]_, whose
    Tables 1 and 3 are reproduced exactly. ETCPy gives the same values, with and without its truncation, which stops
    counting as soon as the remaining steps are known; this function always does so. ETCPy divides by n - 1 also for
    longer n-grams, and it can miscount n-grams of four symbols or more that overlap at the end of a sequence.

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
    >>> effort_to_compress([[0, 1, 0, 1], [0, 0, 1, 1]], axis=1)
    array([1, 3])
    """
    _check_whole("order", order)
    if axis is not None:
        codes, n_symbols, shape = _rows_along(sequence, axis)
        length = shape[-1]
        starts = np.arange(math.prod(shape[:-1]), dtype=np.int64) * length
        found = efforts_of_slices(codes, n_symbols, starts, starts + length, order, n_jobs).reshape(shape[:-1])
        return _normalized_efforts(found, length, order) if normalized else found
    codes, labels = encode(sequence)
    if order == 2:
        steps = kernel("effort_to_compress")(codes, len(labels))
    else:
        steps = int(efforts_of_slices(codes, len(labels), np.array([0]), np.array([len(codes)]), order, None)[0])
    return steps / max(1, (len(codes) - 1) // (order - 1)) if normalized else steps


@described_like(effort_to_compress)
def sliding_effort_to_compress(
    sequence: Iterable[Hashable],
    window: int,
    step: int = 1,
    *,
    normalized: bool = False,
    order: int = 2,
    n_jobs: int | None = None,
) -> IntArray | FloatArray:
    """Compute the Effort-To-Compress of every window of a sequence.

    Parameters
    ----------
    sequence : sequence of hashable labels
        As in :func:`effort_to_compress`, of length n.
    window : int
        The number of labels of a window.
    step : int, default=1
        The number of labels from the start of one window to the start of the next.
    n_jobs : int, optional
        The number of threads that share the windows, as joblib counts them.

    Returns
    -------
    ndarray of shape (n_windows,), int64 or float64
        The efforts of labels 0 to window - 1, step to step + window - 1, and so on. (n - window) // step + 1 windows
        fit.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`; also if the window is longer than the sequence.

    See Also
    --------
    effort_to_compress : Effort-To-Compress of the whole sequence.
    symbolize : Makes the sequence from numbers, once for all windows.

    Notes
    -----
    Takes nearly linear time in the labels of all windows: the work on a window does not grow with the sequence.

    Examples
    --------
    >>> from pytrees import sliding_effort_to_compress
    >>> sliding_effort_to_compress("0000001011", 6)
    array([0, 4, 4, 4, 4])
    >>> sliding_effort_to_compress("0000001011", 6, step=2, normalized=True)
    array([0. , 0.8, 0.8])
    """
    _check_whole("window", window, 1)
    _check_whole("step", step, 1)
    _check_whole("order", order)
    codes, labels = encode(sequence)
    if window > len(codes):
        raise ValueError(f"A window of {window} labels is longer than the sequence of {len(codes)}.")
    starts = np.arange(0, len(codes) - window + 1, step, dtype=np.int64)
    found = efforts_of_slices(codes, len(labels), starts, starts + window, order, n_jobs)
    return _normalized_efforts(found, window, order) if normalized else found


def _normalized_efforts(found: IntArray, length: int, order: int) -> FloatArray:
    return found / max(1, (length - 1) // (order - 1))


def _check_whole(name: str, value: Any, least: int = 2) -> None:
    if isinstance(value, bool) or not is_whole(value) or value < least:
        raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}.")


def _rows_along(sequence: Any, axis: int) -> tuple[CodeArray, int, tuple[int, ...]]:
    """Encode an array with the axis moved to the end; return the flat codes, the number of symbols, and the shape."""
    check_not_missing(sequence)
    array: AnyArray = np.asarray(sequence)
    if array.dtype.kind in "fUS" and not isinstance(sequence, np.ndarray):  # of labels that may have been others
        array = np.array(sequence, dtype=object)
    if isinstance(axis, bool) or not is_whole(axis) or not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis must be a whole number from {-array.ndim} to {array.ndim - 1}, got {axis!r}.")
    array = np.moveaxis(array, int(axis), -1)
    codes, labels = encode(array.ravel())
    return codes, len(labels), array.shape


@overload
def lempel_ziv_complexity(sequence: Iterable[Hashable], normalized: Literal[False] = False) -> int: ...
@overload
def lempel_ziv_complexity(sequence: Iterable[Hashable], normalized: Literal[True]) -> float: ...
@overload
def lempel_ziv_complexity(sequence: Iterable[Hashable], normalized: bool) -> int | float: ...
def lempel_ziv_complexity(sequence: Iterable[Hashable], normalized: bool = False) -> int | float:
    """Compute the Lempel-Ziv complexity (1976) of a sequence.

    It is the number of components of the sequence's exhaustive history. A component starts where the one before ends.
    It is the shortest substring that does not occur in the symbols before its own last symbol; an earlier occurrence
    may overlap it. The last component counts even if the sequence ends before it is complete.

    Parameters
    ----------
    sequence : sequence of hashable labels
        As in :func:`effort_to_compress`. The empty sequence has complexity 0, one symbol 1, and two or more equal
        symbols 2.
    normalized : bool, default=False
        Multiply by log_k(n) / n for a sequence of length n with k different symbols, at least two (Section II of
        [2]_). The complexity of a sequence drawn at random from k equally frequent symbols approaches n / log_k(n) as n
        grows. Short sequences can exceed 1. The result is 0.0 for n < 2.

    Returns
    -------
    int or float
        The number of components; a float if `normalized`.

    Raises
    ------
    TypeError, ValueError
        As in :func:`effort_to_compress`.

    See Also
    --------
    effort_to_compress : Another measure of how irregular a sequence is.
    PermutationDecisionTreeClassifier : Its ``criterion="lz76"`` judges splits by this measure.

    Notes
    -----
    Described in Section II of [1]_. Takes linear time, and up to about 100 bytes of memory for every label.

    References
    ----------
    .. [1] A. Lempel and J. Ziv, "On the complexity of finite sequences", IEEE Transactions on Information Theory 22,
       1976.
    .. [2] F. Kaspar and H. G. Schuster, "Easily calculable measure for the complexity of spatiotemporal patterns",
       Physical Review A 36, 1987.

    Examples
    --------
    The components are 0, 001, 10, 100, 1000 and 101, as in [1]_:

    >>> from pytrees import lempel_ziv_complexity
    >>> lempel_ziv_complexity("0001101001000101")
    6
    >>> [lempel_ziv_complexity(labels) for labels in ("111111", "121212", "222111", "122112", "211122")]
    [2, 3, 3, 4, 4]
    >>> lempel_ziv_complexity([1, 2, 1, 2], normalized=True)
    1.5
    """
    codes, labels = encode(sequence)
    n_components = kernel("lempel_ziv_complexity")(codes, len(labels))
    if not normalized:
        return n_components
    if len(codes) < 2:
        return 0.0
    n_symbols = max(2, len(np.unique(codes)))
    return n_components * math.log(len(codes)) / (math.log(n_symbols) * len(codes))


def nsrps(sequence: Iterable[Hashable]) -> list[Substitution]:
    """Apply non-sequential recursive pair substitution (NSRPS), step by step.

    Parameters
    ----------
    sequence : sequence of hashable labels
        As in :func:`effort_to_compress`.

    Returns
    -------
    list of Substitution
        One for every step; their number is the sequence's Effort-To-Compress. Each half of a pair is a label of the
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
    rows = np.asarray(kernel("substitutions")(codes, len(labels)), dtype=np.int32).reshape(-1, 4)
    phrases = _phrases_of(_Pairs(labels, rows[:, :2]))
    return [
        Substitution((phrase.left, phrase.right), count, length)
        for phrase, (count, length) in zip(phrases, rows[:, 2:].tolist(), strict=True)
    ]


class Substitution(NamedTuple):
    """One step of :func:`nsrps`.

    Parameters
    ----------
    pair : tuple of two
        The pair that was replaced; each half is a label of the sequence or a :class:`Phrase` of labels.
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

    pair: tuple[Any, Any]
    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    length: int


class Phrase:
    """The labels that a new symbol stands for; iterates over them from left to right.

    Phrases share their parts, so that all steps of a long sequence fit into memory. Phrases that are pickled together
    share them too; a phrase of :func:`pytrees.nsrps` is pickled with the pairs of all steps. ``len`` is the number of
    labels; phrases of the same labels are equal. A phrase never changes.

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

    left: Any
    right: Any
    _number: Any
    _pairs: Any

    __slots__ = ("_length", "_number", "_pairs", "left", "right")

    _SHOWN = 20

    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right
        self._length = sum(len(part) if isinstance(part, Phrase) else 1 for part in (left, right))
        # A phrase of `nsrps` knows the pairs of all steps, and the number of its own step.
        self._pairs = self._number = None

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        pending: list[Any] = [self]
        while pending:
            part = pending.pop()
            if isinstance(part, Phrase):
                pending += (part.right, part.left)
            else:
                yield part

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phrase):
            return NotImplemented
        if self is other or len(self) != len(other):
            return self is other
        return self._is_of_same_pairs(other) or tuple(self) == tuple(other)

    def _is_of_same_pairs(self, other: Phrase) -> bool:
        """Whether both phrases are the same step of equal sequences; comparing their labels would take longer."""
        if self._pairs is None or other._pairs is None or self._number != other._number:
            return False
        stop = self._number + 1
        return self._pairs.labels == other._pairs.labels and np.array_equal(
            self._pairs.pairs[:stop], other._pairs.pairs[:stop]
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # The pickle is flat, because recursion into a deep phrase would exhaust the stack.
        return _phrase_at, (self._number, self._pairs) if self._pairs is not None else (-1, _pairs_below(self))

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, memo: object) -> Self:
        return self  # its labels are hashable, and so never change either

    def __repr__(self) -> str:
        shown = [str(label) for label, _ in zip(self, range(self._SHOWN), strict=False)]
        separator = "" if all(len(label) == 1 for label in shown) else " "
        return f"<{separator.join(shown)}{'...' if len(self) > self._SHOWN else ''}>"


class _Pairs:
    """The pairs of a sequence of phrases, as arrays: phrases are pickled in this form.

    Attributes
    ----------
    labels : sequence
        The symbols that no pair replaced.
    pairs : ndarray of shape (n_phrases, 2), int32
        The numbers of the symbols that each phrase joins: of labels, then of earlier phrases.
    phrases : list of Phrase or None
        The phrases that were made from pickled pairs.
    """

    phrases: list[Phrase] | None

    __slots__ = ("labels", "pairs", "phrases")

    def __init__(self, labels: Sequence[Any], pairs: CodeArray) -> None:
        self.labels, self.pairs, self.phrases = labels, pairs, None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Pairs, (self.labels, self.pairs)


def _phrases_of(pairs: _Pairs) -> list[Phrase]:
    """Make the phrases of all pairs."""
    symbols = list(pairs.labels)
    n_labels = len(symbols)
    for number, (left, right) in enumerate(pairs.pairs.tolist()):
        phrase = Phrase(symbols[left], symbols[right])
        phrase._pairs, phrase._number = pairs, number
        symbols.append(phrase)
    return symbols[n_labels:]


def _phrase_at(number: int, pairs: _Pairs) -> Phrase:
    """Return one of the phrases of pickled pairs, always as the same object."""
    if pairs.phrases is None:
        pairs.phrases = _phrases_of(pairs)
    return pairs.phrases[number]


def _pairs_below(phrase: Phrase) -> _Pairs:
    """List the pairs of a phrase's parts, each part once, the phrase itself last; parts from `nsrps` stay labels."""
    labels: list[Any] = []
    joined: list[Phrase] = []
    number_of_part: dict[int, tuple[int, bool]] = {}
    pending: list[Any] = [phrase]
    while pending:
        part = pending[-1]
        below = (part.right, part.left) if isinstance(part, Phrase) and part._pairs is None else ()
        unlisted = [half for half in below if id(half) not in number_of_part]
        if unlisted:
            pending += unlisted
            continue
        pending.pop()
        if id(part) not in number_of_part:
            number_of_part[id(part)] = len(joined if below else labels), bool(below)
            (joined if below else labels).append(part)
    numbers = [
        (number + is_joined * len(labels))
        for part in joined
        for number, is_joined in (number_of_part[id(part.left)], number_of_part[id(part.right)])
    ]
    return _Pairs(labels, np.array(numbers, dtype=np.int32).reshape(-1, 2))
