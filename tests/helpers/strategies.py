"""Hypothesis strategies: label sequences, feature matrices, labels, weights and limits of growth."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from support import UNLIMITED

LARGEST_FINITE = np.finfo(np.float64).max
SMALLEST_DENORMAL = 5e-324
EXTREME_VALUES = [
    -LARGEST_FINITE,
    -1e308,
    -1.0,
    np.nextafter(-1.0, 0.0),
    -SMALLEST_DENORMAL,
    -0.0,
    0.0,
    SMALLEST_DENORMAL,
    2 * SMALLEST_DENORMAL,
    3 * SMALLEST_DENORMAL,
    np.nextafter(2.2250738585072014e-308, 0.0),
    2.2250738585072014e-308,
    1.0,
    np.nextafter(1.0, 2.0),
    np.nextafter(np.nextafter(1.0, 2.0), 2.0),
    1e308,
    np.nextafter(1e308, np.inf),
    LARGEST_FINITE,
]

# On both sides of the 64 symbols at which the table of pair counts is given up.
ALPHABETS = st.sampled_from([1, 2, 3, 4, 5, 8, 16, 30, 62, 63, 64, 65, 100]) | st.integers(1, 100)


# ------------------------------------------------------------------------------------------------ label sequences


def fibonacci_word(length):
    word, following = [0], [0, 1]
    while len(word) < length:
        word, following = following, following + word
    return word[:length]


def random_sequences(max_length):
    return ALPHABETS.flatmap(lambda n_symbols: st.lists(st.integers(0, n_symbols - 1), max_size=max_length))


@st.composite
def runs(draw, max_length):
    """Draw runs of equal symbols, of every parity."""
    n_symbols = draw(st.integers(1, 4))
    lengths = st.tuples(st.integers(0, n_symbols - 1), st.integers(1, 9))
    drawn = draw(st.lists(lengths, max_size=max(1, max_length // 5)))
    return [symbol for symbol, length in drawn for _ in range(length)][:max_length]


@st.composite
def periodic(draw, max_length):
    """Draw a word repeated, the last time in part, and perhaps with one symbol changed."""
    word = draw(st.lists(st.integers(0, 5), min_size=1, max_size=8))
    length = draw(st.integers(1, max_length))
    sequence = (word * (length // len(word) + 1))[:length]
    if draw(st.booleans()):
        sequence[draw(st.integers(0, length - 1))] = draw(st.integers(0, 5))
    return sequence


def sequences(max_length=60):
    """Draw lists of codes of every shape that a pair substitution may meet."""
    lengths = st.integers(0, max_length)
    return st.one_of(
        random_sequences(max_length),
        st.lists(st.integers(0, 1), max_size=max_length),
        runs(max_length),
        periodic(max_length),
        lengths.map(fibonacci_word),
        st.tuples(st.integers(0, 99), lengths).map(lambda drawn: [drawn[0]] * drawn[1]),
        lengths.flatmap(lambda length: st.permutations(range(length))),
        st.tuples(runs(max_length // 2), periodic(max_length // 2)).map(lambda parts: parts[0] + parts[1]),
    )


@st.composite
def label_sequences(draw, max_length=60):
    """Draw (codes, n_symbols); the alphabet may hold symbols that do not occur."""
    codes = draw(sequences(max_length))
    n_symbols = max(codes, default=0) + 1
    return np.array(codes, dtype=np.int32), n_symbols + draw(st.sampled_from([0, 0, 1, 40]))


@st.composite
def long_label_sequences(draw, min_length, max_length):
    """Draw (codes, n_symbols), too long to be drawn code by code: from a seed, with repeats and without."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_symbols = draw(ALPHABETS)
    length = draw(st.integers(min_length, max_length))
    # Beside uniform codes such as favour the low ones, and such as stay for a while.
    codes = rng.integers(0, n_symbols, length)
    if draw(st.booleans()):
        codes = np.minimum(codes, rng.integers(0, n_symbols, length))
    if draw(st.booleans()):
        codes = np.repeat(codes, rng.integers(1, 5, length))[:length]
    return codes.astype(np.int32), n_symbols


# ----------------------------------------------------------------------------------------- features, labels, weights


def columns(n_rows):
    """Draw one feature: few values with many ties, a constant, extreme values, or any finite ones."""
    elements = st.one_of(
        st.just(st.integers(0, 3).map(float)),
        st.just(st.integers(0, 30).map(float)),
        st.just(st.just(1.5)),
        st.just(st.sampled_from(EXTREME_VALUES)),
        st.just(st.floats(allow_nan=False, allow_infinity=False)),
    )
    return elements.flatmap(lambda values: st.lists(values, min_size=n_rows, max_size=n_rows))


@st.composite
def feature_matrices(draw, min_rows=1, max_rows=25, max_features=3, missing=False):
    """Draw the values of some samples; with `missing` some of them, or all of a feature, are NaN in most cases."""
    n_rows = draw(st.integers(min_rows, max_rows))
    n_features = draw(st.integers(1, max_features))
    X = np.array([draw(columns(n_rows)) for _ in range(n_features)]).T
    if draw(st.integers(0, 4)) == 0:
        X = X[draw(st.lists(st.integers(0, n_rows - 1), min_size=n_rows, max_size=n_rows))]
    if missing and draw(st.integers(0, 4)) > 0:
        numbers = st.integers(0, n_features - 1)
        for feature in draw(st.lists(numbers, min_size=1, max_size=n_features, unique=True)):
            lack = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows) | st.just([True] * n_rows))
            X[lack, feature] = np.nan
    return np.ascontiguousarray(X)


@st.composite
def labels(draw, n_rows):
    """Draw (y, n_classes), from one class to a class for every sample; some classes may be empty."""
    n_classes = draw(st.sampled_from([1, 2, 2, 2, 3, 3, 4, 7, 25]))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    return np.array(y, dtype=np.int32), n_classes


def no_weights(n_rows):
    return st.none()


def count_weights(n_rows, largest=5):
    return st.lists(st.integers(1, largest), min_size=n_rows, max_size=n_rows).map(
        lambda weights: np.array(weights, dtype=np.int64)
    )


def float_weights(n_rows):
    values = st.sampled_from([0.1, 0.5, 1.0, 1.5, 2.0]) | st.floats(1e-3, 1e3)
    return st.lists(values, min_size=n_rows, max_size=n_rows).map(lambda weights: np.array(weights, dtype=np.float64))


# ------------------------------------------------------------------------------------------------------ whole problems


@dataclass
class Problem:
    """Training data of a tree."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    n_classes: int

    def __iter__(self):
        return iter((self.X, self.y, self.weights, self.n_classes))


@st.composite
def problems(draw, weights=no_weights, **shape):
    """Draw a feature matrix, labels, and weights from a strategy that takes the number of rows."""
    X = draw(feature_matrices(**shape))
    y, n_classes = draw(labels(len(X)))
    return Problem(X, y, draw(weights(len(X))), n_classes)


@st.composite
def problems_with_categories(draw, weights=no_weights, most_categories=6, **shape):
    """Draw a problem and the numbers of categories of its features, 0 of numeric ones, one of which at least is
    categorical: of few categories with many rows each, of one, or of as many as rows and more."""
    problem = draw(problems(weights, **shape))
    n_rows, n_features = problem.X.shape
    sizes = st.integers(1, most_categories) | st.just(n_rows + 2)
    n_categories = draw(st.lists(st.just(0) | sizes, min_size=n_features, max_size=n_features).filter(any))
    for feature, n_codes in enumerate(n_categories):
        if n_codes > 0:
            codes = st.lists(st.integers(0, n_codes - 1), min_size=n_rows, max_size=n_rows)
            problem.X[:, feature] = draw(codes)
    return problem, n_categories


def limits(**fixed):
    """Draw limits of growth, most of which do not apply in most cases."""

    def rarely(values, otherwise):
        return st.one_of(st.just(otherwise), st.just(otherwise), values)

    drawn = {
        "max_depth": rarely(st.integers(0, 5), UNLIMITED),
        "min_samples_split": rarely(st.integers(2, 8), 2),
        "min_samples_leaf": rarely(st.integers(1, 5), 1),
        "max_leaf_nodes": rarely(st.integers(1, 8), UNLIMITED),
        "min_gain": rarely(st.sampled_from([-0.5, 0.0, 1e-9, 0.1, 0.25, 1.0]), -np.inf),
        "max_candidates": rarely(st.integers(1, 5), UNLIMITED),
        "max_features": rarely(st.integers(1, 3), UNLIMITED),
        "seed": st.integers(0, 2**64 - 1),
    }
    return st.fixed_dictionaries(drawn | {name: st.just(value) for name, value in fixed.items()})


def ordinal_specifications(n_classes):
    """Draw ordinal criteria as the kernels take them, with parameters of every kind."""
    steps = st.lists(st.integers(1, 3) | st.floats(0.1, 2.0), min_size=n_classes, max_size=n_classes)
    scores = st.none() | steps.map(lambda steps: np.cumsum(steps).astype(float).tolist())
    wig = st.fixed_dictionaries(
        {
            "alpha": st.sampled_from([0.0, 0.5, 1.0, 2.0]),
            "class_scores": scores,
            "normalize_over": st.sampled_from(["all", "all", "present"]),
            "distance_from": st.sampled_from(["mode", "mode", "highest"]),
        }
    )
    by_scores = st.fixed_dictionaries({"weighted": st.booleans(), "class_scores": scores})
    by_costs = st.fixed_dictionaries({"weighted": st.booleans(), "cost_matrix": costs_of_pairs(n_classes)})
    ranking = by_scores | by_costs
    return st.sampled_from(["ogini", "wig", "ranking"]) | st.one_of(
        st.tuples(st.just("wig"), wig), st.tuples(st.just("ranking"), ranking)
    )


@st.composite
def costs_of_pairs(draw, n_classes):
    """Draw a symmetric matrix of costs, zero on its diagonal: whole numbers, or others."""
    costs = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(0.0, 2.0)]))
    matrix = [[0.0] * n_classes for _ in range(n_classes)]
    # Of many classes drawing each cost would be most of a test's work.
    drawn = draw(st.lists(costs, min_size=1, max_size=10))
    for q in range(n_classes):
        for j in range(q):
            matrix[q][j] = matrix[j][q] = drawn[(q * (q - 1) // 2 + j) % len(drawn)]
    return matrix
