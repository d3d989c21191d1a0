"""A criterion in plain Python against the same one of the engine."""

from benchmarks.bench_criteria_user import Effort, Gini
from sklearn.datasets import load_wine

from pytrees import DecisionTreeClassifier

from .timing import informative_data, print_ratio, race


def own():
    """Measure whole fits with a criterion written in Python: how many times as long as with the engine's own."""
    for n_classes in (2, 10):
        contestants = {"gini": fit_with("gini"), "gini in Python": fit_with(Gini())}

        def draw(rng, n_classes=n_classes):
            return informative_data(10_000, rng, n_classes=n_classes)

        print_ratio(f"10,000 × 20, {n_classes} classes", race(contestants, draw, 9))
    wine = load_wine(return_X_y=True)

    def reorder(rng):
        order = rng.permutation(len(wine[1]))
        return wine[0][order], wine[1][order]

    print_ratio("Wine", race({"etc": fit_with("etc"), "etc in Python": fit_with(Effort())}, reorder, 3))


def fit_with(criterion):
    return lambda X, y: DecisionTreeClassifier(criterion).fit(X, y)
