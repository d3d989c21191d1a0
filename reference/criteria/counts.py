"""Class counts and their sums, n log2 n, and the comparison of two gains."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

TOLERANCE = 1e-12
# Sums of targets fit 64 bits up to the first limit, and 128 bits up to the other two.
MOST_TARGET_SUM = 2**60
MOST_TARGET = 2**35
MOST_WEIGHT_OF_TARGETS = 2**45
# The table of n log2 n ends here.
MAX_TOTAL_COUNT = 2**24
MOST_TOTAL = 2**52


@cache
def n_log2_n_of(n):
    """Return n log2 n in units of 2**-30 bit, to the nearest whole number; 0 for n = 0, None beyond the table."""
    if n == 0:
        return 0
    if n >= MAX_TOTAL_COUNT:
        return None
    with localcontext() as context:
        context.prec = 60
        return int((Decimal(n) * Decimal(n).ln() / Decimal(2).ln() * 2**30).to_integral_value())


def n_log2_n(largest):
    """Return the table of n log2 n for n = 0..largest."""
    return [n_log2_n_of(n) for n in range(largest + 1)]


def class_counts(labels, weights, n_classes):
    counts = [0] * n_classes
    for label, weight in zip(labels, weights, strict=True):
        counts[label] += weight
    return counts


def counted(rows, n_classes):
    """Return the class counts of (label, weight) pairs and their total, added up in the order of the rows."""
    labels, weights = zip(*rows, strict=True) if rows else ((), ())
    return class_counts(labels, weights, n_classes), add_up(weights)


def counted_up_to(labels, weights, n_classes):
    """Return for n = 0, 1, ... the class counts and the total of the first n rows."""
    counts, total = [0] * n_classes, 0
    found = [(counts, total)]
    for label, weight in zip(labels, weights, strict=True):
        counts = counts.copy()
        counts[label] += weight
        total += weight
        found.append((counts, total))
    return found


def added(part, other):
    """Return the class counts and the total of two parts together."""
    return [x + y for x, y in zip(part[0], other[0], strict=True)], part[1] + other[1]


def remainder(node, child):
    """Subtract a child from a node: return the remaining class counts and total."""
    return subtracted(node[0], child[0]), node[1] - child[1]


def subtracted(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def add_up(numbers):
    """Add from left to right: since Python 3.12 `sum` compensates the rounding of floats."""
    total = 0
    for number in numbers:
        total += number
    return total


def quotient(numerator, denominator):
    """Divide exactly; return 0 if the denominator is not positive."""
    return Fraction(numerator) / denominator if denominator > 0 else 0


def parameters_of(criterion, n_classes):
    """Return name, alpha, class scores, and whether children are weighted by their shares; defaults are filled in."""
    name, given = name_and_given(criterion)
    scores = given.get("class_scores")
    scores = range(n_classes) if scores is None else scores
    if len(scores) != n_classes:
        raise ValueError(f"class_scores must be {n_classes} numbers, got {len(scores)}.")
    return name, given.get("alpha", 1.0), scores, given.get("weighted", True)


def name_and_given(criterion):
    """Return the name of a criterion, and the parameters that are given by name; a criterion is a name, or a name and a
    dict of parameters."""
    if isinstance(criterion, str):
        return criterion, {}
    if not isinstance(criterion, (list, tuple)) or len(criterion) != 2 or not isinstance(criterion[1], dict):
        raise ValueError(f"A criterion is a name, or a name and a dict of parameters, got {criterion!r}.")
    return criterion[0], criterion[1]


def given_of(criterion):
    """Return the parameters that are given, by name."""
    return name_and_given(criterion)[1]


def costs_of(criterion, n_classes):
    """Return the costs of pairs of classes, a list for every class; None if there are none."""
    costs = given_of(criterion).get("cost_matrix")
    if costs is not None and [len(row) for row in costs] != [n_classes] * n_classes:
        raise ValueError(f"cost_matrix must have the costs of {n_classes} classes.")
    return costs


def targets_of(criterion, n_classes):
    """Return the targets by class, ascending whole numbers, if classes are numbers; otherwise None."""
    targets = given_of(criterion).get("targets")
    if (targets is not None) != (name_of(criterion) in ("squared_error", "absolute_error", "user_sums")):
        raise ValueError(f"criterion={name_of(criterion)!r} and targets do not go together.")
    if targets is not None and (len(targets) != n_classes or any(a >= b for a, b in pairwise(targets))):
        raise ValueError(f"targets must be {n_classes} ascending whole numbers, one for each class.")
    return targets


def check_weights(weights):
    """Raise ValueError unless weights are whole numbers, of a sum that the compiled engine adds up exactly."""
    if weights is None:
        return
    if any(isinstance(weight, float) for weight in weights):
        raise ValueError("Weights must be whole numbers, int64, got float64.")
    if sum(weights) > MOST_TOTAL:
        raise ValueError(f"The weights of all samples must add up to at most 2**52, got {sum(weights)}.")


def check_targets(criterion, n_classes, weights, rows):
    """Raise ValueError unless sums of the targets, and their products with weights, fit the compiled engine's types."""
    targets = targets_of(criterion, n_classes)
    if targets is None:
        return
    total = len(rows) if weights is None else sum(weights)
    greatest = max(-targets[0], targets[-1], 1)
    if greatest * total > MOST_TARGET_SUM and (greatest > MOST_TARGET or total > MOST_WEIGHT_OF_TARGETS):
        raise ValueError(
            f"The greatest target times the weight of all samples must be at most {MOST_TARGET_SUM}, or the targets at "
            f"most {MOST_TARGET} and the weight of all samples at most {MOST_WEIGHT_OF_TARGETS}."
        )


def scaled(counts, criterion):
    """Return class counts as a user's criterion sees them: floating-point numbers in the unit of the weights, which is
    given as a quotient of two."""
    top, bottom = given_of(criterion).get("scale", (1.0, 1.0))
    return [float(count) * top / bottom for count in counts]


def exact(number):
    """Return a number of the user as a fraction: a floating-point number as the decimal number that it is written
    as."""
    if isinstance(number, Fraction):
        return number
    return int(number) if number == int(number) else Fraction(repr(float(number)))


def user_criterion_of(criterion):
    """Return the user's criterion as an object, and the numbers of the rows, or None if they are 0, 1, 2, ... For a
    criterion of the engine return None, None."""
    name, given = name_and_given(criterion)
    if name in ("user_counts", "user_sequence", "user_sums") and given.get("criterion") is None:
        raise ValueError(f"{name!r} needs the user's criterion.")
    return given.get("criterion"), given.get("rows")


def name_of(criterion):
    return name_and_given(criterion)[0]


def is_greater(gain, other):
    """Whether a gain is greater: exactly for exact gains, otherwise by more than the tolerance."""
    if isinstance(gain, float):
        return gain - other > TOLERANCE * max(1.0, abs(other))
    return gain > other
