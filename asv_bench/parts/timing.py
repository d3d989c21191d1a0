"""Contestants measured side by side, and data for them."""

from statistics import median
from time import perf_counter

import numpy as np
from sklearn.datasets import make_classification


class Quick:
    """Whether only a look is wanted: a tenth of the rows, once."""

    wanted = False


def rows(n):
    return n // 10 if Quick.wanted else n


def seconds(call, *args):
    start = perf_counter()
    call(*args)
    return perf_counter() - start


def race(contestants, make_arguments, repetitions, *, returns_time=False):
    """Return {name: seconds of every repetition}: on the same fresh data, taking turns, everyone first in turn. The
    contestants may return the time that they took themselves."""
    rng = np.random.default_rng(0)
    names = list(contestants)
    times = {name: [] for name in names}
    for i in range(1 if Quick.wanted else repetitions):
        arguments = make_arguments(rng)
        for name in names[i % len(names) :] + names[: i % len(names)]:
            if returns_time:
                times[name].append(contestants[name](*arguments))
            else:
                times[name].append(seconds(contestants[name], *arguments))
    return times


def print_ratio(title, times, goal=None):
    """Print two contestants' median seconds, the median and quartiles of their paired ratios; return the median."""
    fast, slow = times.values()
    ratios = sorted(b / a for a, b in zip(fast, slow, strict=True))
    spread = f"({ratios[len(ratios) // 4]:.1f} to {ratios[-1 - len(ratios) // 4]:.1f})"
    line = f"{title:<46} {' against '.join(times):<29} {median(fast):10.4g} s {median(slow):10.4g} s"
    line += f"{median(ratios):7.1f}× {spread}"
    if goal is not None and not Quick.wanted:
        line = f"{line:<126} goal {goal:4.1f}×, {'reached' if median(ratios) >= goal else 'MISSED'}"
    print(line)
    return median(ratios)


def compare(title, contestants, make_arguments, repetitions):
    """Race two contestants and print the result."""
    print_ratio(title, race(contestants, make_arguments, repetitions))


def report(title, call, make_arguments, repetitions):
    """Print the median seconds of one contestant."""
    times = race({title: call}, make_arguments, repetitions)[title]
    print(f"{title:<76} {median(times):10.4g} s")


def informative_data(n, rng, n_features=20, n_classes=2):
    """Make (X, y) of make_classification: half of the features are informative, X is float64."""
    return make_classification(
        rows(n),
        n_features,
        n_informative=max(2, n_features // 2),
        n_classes=n_classes,
        random_state=int(rng.integers(2**31)),
    )


def cut_into(X, n_values):
    """Return whole numbers 0..n_values - 1, about equally frequent, that rise with the values."""
    return (X.argsort(axis=0).argsort(axis=0) * n_values // len(X)).astype(np.float64)
