"""Ordered tables, and generators of which it is known whether the order says something."""

from typing import NamedTuple

import numpy as np

from .tables import load_present

# The files of the folder `ordered`, and their columns that only count the time.
FILES = {
    "smarket": ("Stock market, days", ()),
    "weekly": ("Stock market, weeks", ()),
    "seattle_weather": ("Weather, days", ("date",)),
    "electricity_victoria": ("Electricity, half hours", ()),
    "flights_lga": ("Flights, by departure", ()),
}

FOLDER = "ordered"

N_GENERATED = 3000


class OrderedTable(NamedTuple):
    """Samples in the order in which they happened."""

    title: str
    data: np.ndarray  # of shape (n_samples, n_features), float64; categories as codes
    target: np.ndarray  # of shape (n_samples,), codes
    categorical: tuple[int, ...]  # columns
    is_real: bool
    order_matters: bool | None  # None if nobody knows


def load_ordered(home):
    """Load the tables of the folder ``ordered`` by name; those whose file is absent are named and left out."""
    return load_present(lambda name: _load(home / FOLDER, name, *FILES[name]), FILES)


def _load(folder, name, title, left_out):
    import pandas as pd

    found = sorted(folder.glob(f"{name}.csv*"))
    if not found:
        raise FileNotFoundError(f"{name}.csv is not in {folder}.")
    frame = pd.read_csv(found[0]).drop(columns=list(left_out))
    columns, categorical = [], []
    for place, column in enumerate(frame.columns[:-1]):
        values = frame[column]
        if not pd.api.types.is_numeric_dtype(values):
            categorical.append(place)
            values = np.unique(values.to_numpy(dtype=object), return_inverse=True)[1]
        columns.append(np.asarray(values, dtype=np.float64))
    codes = np.unique(frame["target"].to_numpy(dtype=object), return_inverse=True)[1]
    return OrderedTable(title, np.column_stack(columns), codes, tuple(categorical), True, None)


def make_regimes(rng, n_samples):
    """Labels are the states of a Markov chain that seldom changes; a feature says a little about them."""
    changes = rng.random(n_samples) < 0.03
    labels = np.cumsum(changes) % 2
    X = rng.normal(size=(n_samples, 5))
    X[:, 0] += 1.2 * labels
    return X, labels


def make_drift(rng, n_samples):
    """The line between the classes turns by half a circle: late samples are worth more than early samples."""
    X = rng.normal(size=(n_samples, 5))
    angle = np.linspace(0.0, np.pi, n_samples)
    score = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] + 0.5 * rng.normal(size=n_samples)
    return X, (score > 0).astype(np.int64)


def make_alarms(rng, n_samples):
    """Bursts of two kinds of alarm come now and then; each kind has a feature that rises during the burst."""
    labels = np.zeros(n_samples, dtype=np.int64)
    at = int(rng.geometric(1 / 40))
    while at < n_samples:
        length = int(rng.geometric(1 / 15))
        labels[at : at + length] = rng.integers(1, 3)
        at += length + int(rng.geometric(1 / 40))
    X = rng.normal(size=(n_samples, 5))
    X[:, 0] += 1.2 * (labels == 1)
    X[:, 1] += 1.2 * (labels == 2)
    return X, labels


def make_exchangeable(rng, n_samples):
    """Every sample is drawn alone: labels by a line through the features, with noise."""
    X = rng.normal(size=(n_samples, 5))
    score = X[:, 0] + X[:, 1] + rng.normal(size=n_samples)
    return X, (score > 0).astype(np.int64)


def make_noise(rng, n_samples):
    """Labels are drawn by themselves; no feature says anything."""
    return rng.normal(size=(n_samples, 5)), rng.integers(0, 2, n_samples)


GENERATORS = {
    "regimes": ("Markov regimes", make_regimes, True),
    "drift": ("Concept drift", make_drift, True),
    "alarms": ("Alarms in bursts", make_alarms, True),
    "exchangeable": ("Exchangeable", make_exchangeable, False),
    "noise": ("Noise", make_noise, False),
}


def make_ordered(name, seed, n_samples=N_GENERATED):
    """Make a table of a generator."""
    title, make, order_matters = GENERATORS[name]
    rng = np.random.default_rng([seed, list(GENERATORS).index(name)])
    return OrderedTable(title, *make(rng, n_samples), (), False, order_matters)
