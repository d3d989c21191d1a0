"""Calls of kernels whose instructions `same_trees.py` counts. Calls are only added."""

import numpy as np
from benchmarks.common import NO_LIMITS, classification_data, label_sequence

from pytrees._weights import on_grid


def counted_calls():
    """Return (name, kernel and its arguments, keyword arguments) of every counted call."""
    X, y = classification_data(4_000)
    for criterion in ("gini", "entropy", "ogini", "ranking", "wig", "gain_ratio", "jaccard", "mae"):
        yield f"tree, {criterion}", ("grow_by_gain", X, y, None, 2, criterion), NO_LIMITS
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    yield "tree, gini, real weights", ("grow_by_gain", X, y, on_grid(weights)[0], 2, "gini"), NO_LIMITS
    yield "tree, best-first", ("grow_by_gain", X, y, None, 2, "gini"), NO_LIMITS | {"max_leaf_nodes": 50}
    yield "tree, ranks", ("grow_by_gain", X, y, None, 2, "gini"), NO_LIMITS | {"max_features": 4}
    yield "tree, etc", ("grow_by_gain", X[:150], y[:150], None, 2, "etc"), NO_LIMITS
    codes = np.ascontiguousarray(np.minimum(np.abs(X).round(), 9))
    n_categories = np.full(X.shape[1], 10)
    yield "tree, categories", ("grow_by_gain", codes, y, None, 2, "gini"), NO_LIMITS | {"n_categories": n_categories}
    many, labels = classification_data(40_000, 10, 10)
    for criterion in ("gini", "entropy"):
        yield (
            f"tree, {criterion}, bins",
            ("grow_by_gain", many, labels, None, 10, criterion),
            NO_LIMITS | {"max_depth": 8},
        )
    X, y = classification_data(300, 10, 4)
    limits = {name: NO_LIMITS[name] for name in NO_LIMITS if name not in ("min_gain", "max_candidates")}
    for distance, evaluation in (("information_gain", "global"), ("jaccard", "global"), ("nvi", "local")):
        options = {"evaluation": evaluation, "labels": "majority", "stop": "pure", **limits}
        yield f"by distance, {distance}, {evaluation}", ("grow_by_distance", X, y, None, 4, distance), options
    yield "minimal tree", ("minimal_tree", X[:60, :4].round(), (X[:60, 1] > 0).astype(np.int32), 2), {}
    sequence, n_symbols = label_sequence("random 10", 20_000, np.random.default_rng(0))
    yield "effort to compress", ("effort_to_compress", sequence, n_symbols), {}
    yield "complexity", ("lempel_ziv_complexity", sequence, n_symbols), {}
    X, y = classification_data(300)
    yield "tree, lz76", ("grow_by_gain", X, y, None, 2, "lz76"), NO_LIMITS
