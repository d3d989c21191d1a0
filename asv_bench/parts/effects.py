"""Measure exact indices, partial dependences and distances of forests, beside shap, shapiq, SciPy and scikit-learn, in
processor time."""

from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from itertools import combinations
from time import process_time

import numpy as np
import scipy.stats
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence as sklearn_dependence

from pytrees.fourier import gram, model_distance, ordinal_codes, partial_dependence, shapley_values, sobol_indices

from .timing import Quick, print_ratio, race, rows


class Problem:
    """A forest on Breast Cancer, with codes, and its mean vote as a function of codes."""

    def __init__(self, rng, n_trees):
        data = load_breast_cancer()
        X = data.data.astype(np.float32)
        order = rng.permutation(len(X))[: rows(len(X))]
        self.X, self.y = X[order], data.target[order]
        seed = int(rng.integers(2**31))
        self.forest = RandomForestClassifier(n_trees, random_state=seed).fit(self.X, self.y)
        self.codes = ordinal_codes(self.forest)
        self.trees, self.cardinalities = self.codes.trees, self.codes.cardinalities
        self.C = self.codes.transform(self.X)
        self.shares = [tree.value[:, 1] / tree.value.sum(axis=1) for tree in self.trees]

    def vote(self, points):
        """The mean vote at points of the unit cube, (n_features, n_points), each cut into codes."""
        codes = np.minimum((points.T * self.cardinalities).astype(np.int64), self.cardinalities - 1)
        return np.mean([tree.predict(codes) == 1 for tree in self.trees], axis=0)


def effects():
    """Measure Sobol indices, partial dependences, distances and Shapley values of 100 trees on Breast Cancer.

    shap and shapiq also compute interactions of single samples, which are other quantities for the same questions.
    """
    n_trees = 10 if Quick.wanted else 100
    beside("all Sobol indices against the Gram matrix", "gram", gram_of, n_trees)
    for n in (256, 1024, 4096):
        beside(f"Sobol indices against SciPy's, n = {n}", "SciPy", scipy_indices(n), n_trees, 1 if n > 256 else 3)
    beside("partial dependence at samples, one feature", "scikit-learn", sklearn_of_one, n_trees, 3, one_dependence)
    beside("partial dependence of all pairs", "Sobol indices", indices, n_trees, 3, pairs)
    beside("distance of two halves", "indices", indices, n_trees, 5, distance)
    if available("shap"):
        beside("Shapley values of all samples", "shap", shap_values, n_trees, 3, own_shapley_values)
        beside("indices against pairs for 50 samples", "shap", shapley_pairs, n_trees, 1, joint_indices)
    if available("shapiq"):
        beside("indices against pairs for 10 samples", "shapiq", shapiq_pairs, n_trees, 1, joint_indices)


def available(package):
    try:
        import_module(package)
    except ImportError:
        print(f"{package} is not installed: pip install 'decision-pytrees[interop]'")
        return False
    return True


def indices(problem):
    sobol_indices(problem.trees, problem.cardinalities)


def beside(title, name, theirs, n_trees, repetitions=5, ours=indices):
    """Race a rival against our function in processor time; each repetition has a forest of its own."""
    contestants = {"pytrees": in_processor_time(ours), name: in_processor_time(theirs)}
    times = race(contestants, lambda rng: [Problem(rng, n_trees)], repetitions, returns_time=True)
    print_ratio(title, times)


def in_processor_time(call):
    def timed(problem):
        start = process_time()
        call(problem)
        return process_time() - start

    return timed


def joint_indices(problem):
    sobol_indices(problem.trees, problem.cardinalities, values=problem.shares, measure="joint", X=problem.C)


def gram_of(problem):
    gram(problem.trees, problem.cardinalities)


def one_dependence(problem):
    partial_dependence(problem.trees, problem.cardinalities, [27], values=problem.shares, measure="joint", X=problem.C)


def pairs(problem):
    partial_dependence(problem.trees, problem.cardinalities, combinations(range(30), 2))


def distance(problem):
    half = len(problem.trees) // 2
    model_distance(problem.trees[:half], problem.trees[half:], problem.cardinalities)


def scipy_indices(n):
    def call(problem):
        dists = [scipy.stats.uniform()] * len(problem.cardinalities)
        scipy.stats.sobol_indices(func=problem.vote, n=n, dists=dists, rng=np.random.default_rng(0))

    return call


def sklearn_of_one(problem):
    """At one value between all thresholds of the feature, as many as there are codes."""
    cuts = problem.codes.thresholds[27]
    grid = np.concatenate([[cuts[0] - 1.0], (cuts[1:] + cuts[:-1]) / 2, [cuts[-1] + 1.0]])
    sklearn_dependence(problem.forest, problem.X, [27], custom_values={27: grid}, method="brute")


def own_shapley_values(problem):
    shapley_values(problem.forest, problem.X)


def shap_values(problem):
    shap = import_module("shap")
    with redirect_stderr(StringIO()):  # it draws a bar
        explain_all(shap, problem)


def explain_all(shap, problem):
    background = shap.maskers.Independent(problem.X, max_samples=len(problem.X))
    explainer = shap.TreeExplainer(problem.forest, background, feature_perturbation="interventional")
    explainer.shap_values(problem.X, check_additivity=False)


def shapley_pairs(problem):
    import_module("shap").TreeExplainer(problem.forest).shap_interaction_values(problem.X[:50])


def shapiq_pairs(problem):
    explainer = import_module("shapiq").TreeExplainer(problem.forest, max_order=2, class_index=1)
    for x in problem.X[:10]:
        explainer.explain(x)
