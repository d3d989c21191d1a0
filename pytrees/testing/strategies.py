"""Hypothesis strategies: label sequences, tables, labels, classes in an order, categories and weights.

They draw data that implementations of trees get wrong: ties, duplicates, constants, one sample, values at the ends of
the range of floats and next to each other, missing values, classes that do not occur. Needs hypothesis,
``pip install 'decision-pytrees[testing]'``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._docstrings import described_like
from .._typing import AnyArray, FloatArray

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import DrawFn, SearchStrategy
except ImportError as _error:
    raise ImportError(
        "pytrees.testing.strategies needs hypothesis: pip install 'decision-pytrees[testing]'."
    ) from _error

__all__ = [
    "Problem",
    "count_weights",
    "feature_matrices",
    "float_weights",
    "label_sequences",
    "labels",
    "no_weights",
    "ordered_labels",
    "problems",
    "problems_with_categories",
    "sequences",
]

_LARGEST_FINITE = np.finfo(np.float64).max
_SMALLEST_DENORMAL = 5e-324
_EXTREME_VALUES: list[float] = [
    -_LARGEST_FINITE,
    -1e308,
    -1.0,
    np.nextafter(-1.0, 0.0),
    -_SMALLEST_DENORMAL,
    -0.0,
    0.0,
    _SMALLEST_DENORMAL,
    2 * _SMALLEST_DENORMAL,
    3 * _SMALLEST_DENORMAL,
    np.nextafter(2.2250738585072014e-308, 0.0),
    2.2250738585072014e-308,
    1.0,
    np.nextafter(1.0, 2.0),
    np.nextafter(np.nextafter(1.0, 2.0), 2.0),
    1e308,
    np.nextafter(1e308, np.inf),
    _LARGEST_FINITE,
]

# Numbers of symbols on both sides of 64, from which on the engine has no table of pair counts.
_ALPHABETS: SearchStrategy[int] = st.sampled_from([1, 2, 3, 4, 5, 8, 16, 30, 62, 63, 64, 65, 100]) | st.integers(1, 100)

_Weights = Callable[[int], SearchStrategy[Any]]


# ------------------------------------------------------------------------------------------------ label sequences


def _fibonacci_word(length: int) -> list[int]:
    """Return the first symbols of the infinite Fibonacci word: 0, 01, 010, 01001, ..."""
    word, following = [0], [0, 1]
    while len(word) < length:
        word, following = following, following + word
    return word[:length]


def _random_sequences(max_length: int) -> SearchStrategy[list[int]]:
    return _ALPHABETS.flatmap(lambda n_symbols: st.lists(st.integers(0, n_symbols - 1), max_size=max_length))


@st.composite
def _runs(draw: DrawFn, max_length: int) -> list[int]:
    """Draw runs of equal symbols, of every parity."""
    n_symbols = draw(st.integers(1, 4))
    lengths = st.tuples(st.integers(0, n_symbols - 1), st.integers(1, 9))
    drawn = draw(st.lists(lengths, max_size=max(1, max_length // 5)))
    return [symbol for symbol, length in drawn for _ in range(length)][:max_length]


@st.composite
def _periodic(draw: DrawFn, max_length: int) -> list[int]:
    """Draw a word repeated, the last time in part, and perhaps with one symbol changed."""
    word = draw(st.lists(st.integers(0, 5), min_size=1, max_size=8))
    length = draw(st.integers(1, max_length))
    sequence = (word * (length // len(word) + 1))[:length]
    if draw(st.booleans()):
        sequence[draw(st.integers(0, length - 1))] = draw(st.integers(0, 5))
    return sequence


def sequences(max_length: int = 60) -> SearchStrategy[list[int]]:
    """Draw sequences of every shape that matters to pair substitution.

    Parameters
    ----------
    max_length : int, default=60
        The most symbols, at least 2.

    Returns
    -------
    strategy
        It draws lists of codes 0, 1, ...: random ones of up to 100 symbols, runs, repeated words with one symbol
        changed, Fibonacci words, constants, permutations; also an empty list.

    See Also
    --------
    label_sequences : Draws arrays, with the number of symbols.

    Examples
    --------
    >>> from hypothesis import given
    >>> from pytrees import effort_to_compress
    >>> from pytrees.testing.strategies import sequences
    >>> @given(sequences(max_length=20))
    ... def effort_is_less_than_the_length(sequence):
    ...     assert effort_to_compress(sequence) <= max(0, len(sequence) - 1)
    >>> effort_is_less_than_the_length()
    """
    lengths = st.integers(0, max_length)
    return st.one_of(
        _random_sequences(max_length),
        st.lists(st.integers(0, 1), max_size=max_length),
        _runs(max_length),
        _periodic(max_length),
        lengths.map(_fibonacci_word),
        st.tuples(st.integers(0, 99), lengths).map(lambda drawn: [drawn[0]] * drawn[1]),
        lengths.flatmap(lambda length: st.permutations(range(length))),
        st.tuples(_runs(max_length // 2), _periodic(max_length // 2)).map(lambda parts: parts[0] + parts[1]),
    )


@described_like(sequences)
@st.composite
def label_sequences(draw: DrawFn, max_length: int = 60) -> tuple[AnyArray, int]:
    """Draw label sequences as arrays, with their number of symbols.

    Returns
    -------
    strategy
        It draws pairs: an ndarray of shape (n_samples,), int32, and a number of symbols, some of which may not occur.

    See Also
    --------
    sequences : Draws lists; describes their shapes.

    Examples
    --------
    >>> from hypothesis import given
    >>> from pytrees.testing.strategies import label_sequences
    >>> @given(label_sequences())
    ... def labels_are_codes(drawn):
    ...     labels, n_symbols = drawn
    ...     assert all(0 <= label < n_symbols for label in labels)
    >>> labels_are_codes()
    """
    codes = draw(sequences(max_length))
    n_symbols = max(codes, default=0) + 1
    return np.array(codes, dtype=np.int32), n_symbols + draw(st.sampled_from([0, 0, 1, 40]))


# ----------------------------------------------------------------------------------------- features, labels, weights


def _columns(n_rows: int) -> SearchStrategy[list[float]]:
    """Draw one feature: few values with many ties, a constant, extreme values, or any finite ones."""
    elements: SearchStrategy[SearchStrategy[Any]] = st.one_of(
        st.just(st.integers(0, 3).map(float)),
        st.just(st.integers(0, 30).map(float)),
        st.just(st.just(1.5)),
        st.just(st.sampled_from(_EXTREME_VALUES)),
        st.just(st.floats(allow_nan=False, allow_infinity=False)),
    )
    return elements.flatmap(lambda values: st.lists(values, min_size=n_rows, max_size=n_rows))


@st.composite
def feature_matrices(
    draw: DrawFn, min_rows: int = 1, max_rows: int = 25, max_features: int = 3, missing: bool = False
) -> FloatArray:
    """Draw the values of some samples: with ties, duplicates, constants, extreme values, and missing ones.

    Parameters
    ----------
    min_rows, max_rows : int, default=1 and 25
        The fewest and the most samples.
    max_features : int, default=3
        The most features.
    missing : bool, default=False
        Whether some values, or all of a feature, are NaN in most cases.

    Returns
    -------
    strategy
        It draws ndarrays of shape (n_samples, n_features), float64. Features have few values, a single one, or values
        at the ends of the range of float64 or next to each other; every fifth table repeats samples.

    See Also
    --------
    problems : With labels and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import given
    >>> from pytrees.testing.strategies import feature_matrices
    >>> @given(feature_matrices(max_rows=5))
    ... def values_are_finite(X):
    ...     assert np.isfinite(X).all()
    >>> values_are_finite()
    """
    n_rows = draw(st.integers(min_rows, max_rows))
    n_features = draw(st.integers(1, max_features))
    X = np.array([draw(_columns(n_rows)) for _ in range(n_features)]).T
    if draw(st.integers(0, 4)) == 0:
        X = X[draw(st.lists(st.integers(0, n_rows - 1), min_size=n_rows, max_size=n_rows))]
    if missing and draw(st.integers(0, 4)) > 0:
        numbers = st.integers(0, n_features - 1)
        for feature in draw(st.lists(numbers, min_size=1, max_size=n_features, unique=True)):
            lack = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows) | st.just([True] * n_rows))
            X[lack, feature] = np.nan
    return np.ascontiguousarray(X)


@st.composite
def labels(draw: DrawFn, n_rows: int) -> tuple[AnyArray, int]:
    """Draw the labels of samples, of one class up to one for every sample.

    Parameters
    ----------
    n_rows : int
        Number of samples.

    Returns
    -------
    strategy
        It draws pairs: an ndarray of shape (n_samples,), int32, and the number of classes, some of which may not occur.

    See Also
    --------
    ordered_labels : Labels of classes in an order.

    Examples
    --------
    >>> from hypothesis import given
    >>> from pytrees.testing.strategies import labels
    >>> @given(labels(6))
    ... def labels_are_codes(drawn):
    ...     y, n_classes = drawn
    ...     assert y.shape == (6,) and y.max() < n_classes
    >>> labels_are_codes()
    """
    n_classes = draw(st.sampled_from([1, 2, 2, 2, 3, 3, 4, 7, 25]))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    return np.array(y, dtype=np.int32), n_classes


@described_like(labels)
@st.composite
def ordered_labels(draw: DrawFn, n_rows: int) -> tuple[AnyArray, list[str]]:
    """Draw the labels of samples and the order of their classes, which is not alphabetical.

    Returns
    -------
    strategy
        It draws pairs: an ndarray of shape (n_samples,) of words, and the list of all classes in their order, some of
        which may not occur.

    See Also
    --------
    labels : Labels as codes.
    pytrees.OrdinalDecisionTreeClassifier : Takes the classes as ``classes``.

    Examples
    --------
    >>> from hypothesis import given
    >>> from pytrees import OrdinalDecisionTreeClassifier
    >>> from pytrees.testing.strategies import ordered_labels
    >>> @given(ordered_labels(5))
    ... def classes_keep_their_order(drawn):
    ...     y, classes = drawn
    ...     fitted = OrdinalDecisionTreeClassifier(classes=classes).fit([[0], [1], [2], [3], [4]], y)
    ...     assert list(fitted.classes_) == classes
    >>> classes_keep_their_order()
    """
    names = ["awful", "bad", "fair", "good", "great", "poor"]
    classes = draw(st.permutations(names))[: draw(st.integers(2, len(names)))]
    return np.array(draw(st.lists(st.sampled_from(classes), min_size=n_rows, max_size=n_rows))), classes


@described_like(labels)
def no_weights(n_rows: int) -> SearchStrategy[None]:
    """Give no weights, as a strategy of weights.

    Returns
    -------
    strategy
        It draws None.

    See Also
    --------
    count_weights, float_weights : Weights.

    Examples
    --------
    >>> from pytrees.testing.strategies import no_weights, problems
    >>> strategy = problems(no_weights, max_rows=10)
    """
    return st.none()


@described_like(labels)
def count_weights(n_rows: int, largest: int = 5) -> SearchStrategy[AnyArray]:
    """Draw weights that are whole numbers, which count as repeated samples.

    Parameters
    ----------
    largest : int, default=5
        The greatest weight; the least is 1.

    Returns
    -------
    strategy
        It draws ndarrays of shape (n_samples,), int64.

    See Also
    --------
    float_weights : Weights that are not whole.

    Examples
    --------
    >>> from pytrees.testing.strategies import count_weights, problems
    >>> strategy = problems(count_weights, max_rows=10)
    """
    return st.lists(st.integers(1, largest), min_size=n_rows, max_size=n_rows).map(
        lambda weights: np.array(weights, dtype=np.int64)
    )


@described_like(labels)
def float_weights(n_rows: int) -> SearchStrategy[FloatArray]:
    """Draw weights from 0.001 to 1000, some of which are often equal.

    Returns
    -------
    strategy
        It draws ndarrays of shape (n_samples,), float64.

    See Also
    --------
    count_weights : Weights that are whole numbers.

    Examples
    --------
    >>> from pytrees.testing.strategies import float_weights, problems
    >>> strategy = problems(float_weights, max_rows=10)
    """
    values = st.sampled_from([0.1, 0.5, 1.0, 1.5, 2.0]) | st.floats(1e-3, 1e3)
    return st.lists(values, min_size=n_rows, max_size=n_rows).map(lambda weights: np.array(weights, dtype=np.float64))


# ------------------------------------------------------------------------------------------------------ whole problems


@dataclass
class Problem:
    """Training data of a tree; it unpacks to its four parts.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Samples.
    y : ndarray of shape (n_samples,), int32
        Codes of their classes.
    weights : ndarray of shape (n_samples,) or None
        Their weights.
    n_classes : int
        Number of classes, some of which may not occur.

    See Also
    --------
    problems : Draws them.

    Examples
    --------
    >>> import numpy as np
    >>> from pytrees.testing.strategies import Problem
    >>> X, y, weights, n_classes = Problem(np.zeros((1, 1)), np.zeros(1, dtype=np.int32), None, 1)
    """

    X: FloatArray
    y: AnyArray
    weights: AnyArray | None
    n_classes: int

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y, self.weights, self.n_classes))


@st.composite
def problems(draw: DrawFn, weights: _Weights = no_weights, **shape: Any) -> Problem:
    """Draw the training data of a tree.

    Parameters
    ----------
    weights : callable, default=no_weights
        Takes the number of samples, and returns a strategy of their weights.
    **shape
        Parameters of :func:`feature_matrices`.

    Returns
    -------
    strategy
        It draws a `Problem`.

    See Also
    --------
    problems_with_categories : With categorical features.

    Examples
    --------
    Compare a tree of your own with another one:

    >>> from hypothesis import given
    >>> from pytrees import DecisionTreeClassifier, config_context
    >>> from pytrees.testing import assert_trees_equal
    >>> from pytrees.testing.strategies import count_weights, problems
    >>> @given(problems(count_weights, max_rows=10))
    ... def both_engines_grow_the_same(problem):
    ...     X, y, weights, _ = problem
    ...     tree = DecisionTreeClassifier().fit(X, y, sample_weight=weights)
    ...     with config_context(engine="reference"):
    ...         assert_trees_equal(tree, DecisionTreeClassifier().fit(X, y, sample_weight=weights))
    >>> both_engines_grow_the_same()
    """
    X = draw(feature_matrices(**shape))
    y, n_classes = draw(labels(len(X)))
    return Problem(X, y, draw(weights(len(X))), n_classes)


@described_like(problems)
@st.composite
def problems_with_categories(
    draw: DrawFn, weights: _Weights = no_weights, most_categories: int = 6, **shape: Any
) -> tuple[Problem, list[int]]:
    """Draw the training data of a tree, at least one feature of which is categorical.

    Parameters
    ----------
    most_categories : int, default=6
        The most categories of a feature, unless it has two more than there are samples.
    **shape
        Parameters of :func:`feature_matrices`.

    Returns
    -------
    strategy
        It draws pairs: a `Problem`, whose categorical features hold the codes 0, 1, ..., and a list of the numbers of
        categories of all features, 0 for numeric ones.

    See Also
    --------
    problems : Numeric features only.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import given
    >>> from pytrees import DecisionTreeClassifier
    >>> from pytrees.testing.strategies import problems_with_categories
    >>> @given(problems_with_categories(max_rows=10))
    ... def trees_grow(drawn):
    ...     problem, n_categories = drawn
    ...     DecisionTreeClassifier(categorical_features=np.flatnonzero(n_categories)).fit(problem.X, problem.y)
    >>> trees_grow()
    """
    problem = draw(problems(weights, **shape))
    n_rows, n_features = problem.X.shape
    sizes = st.integers(1, most_categories) | st.just(n_rows + 2)
    n_categories = draw(st.lists(st.just(0) | sizes, min_size=n_features, max_size=n_features).filter(any))
    for feature, n_codes in enumerate(n_categories):
        if n_codes > 0:
            codes = st.lists(st.integers(0, n_codes - 1), min_size=n_rows, max_size=n_rows)
            problem.X[:, feature] = draw(codes)
    return problem, n_categories
