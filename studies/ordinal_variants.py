"""Measure the choices that the ordinal paper leaves open or cites: variants of criteria and of the prediction.

Every variant changes a criterion in one point, and is compared with it on the same splits by the same protocol.
Weighted information gain varies in the classes that its weights are normalised over, and in the class that distances
are taken from. The original form of ranking impurity varies in the cost of a pair of classes. Trees of ordinal Gini
vary in the rule of a leaf's prediction.
"""

from typing import NamedTuple

import numpy as np

from pytrees import OrdinalDecisionTreeClassifier
from pytrees.criteria import RankingImpurity, WeightedInformationGain
from pytrees.tour.report import format_table, write_csv

from .ordinal_paper import METRICS
from .ordinal_statistics import compare_with


class Variant(NamedTuple):
    """A way to grow trees and to predict, and the variant that it changes."""

    title: str
    base: str
    criterion: object  # for trees, or a function that makes one from the distances of the classes
    costs: object = None  # of predictions, from the distances of the classes; None: the most frequent class


def squared(distances):
    """Return squared distances of the classes."""
    return distances**2


def unchanged(distances):
    """Return the distances of the classes as they are."""
    return distances


VARIANTS = {
    "wig": Variant("WIG", "wig", "wig"),
    "wig_present": Variant("... over the classes present", "wig", WeightedInformationGain(normalize_over="present")),
    "wig_highest": Variant("... from the highest class", "wig", WeightedInformationGain(distance_from="highest")),
    "wig_both": Variant("... both", "wig", WeightedInformationGain(normalize_over="present", distance_from="highest")),
    "ranking_unweighted": Variant("RI, unweighted", "ranking_unweighted", RankingImpurity(weighted=False)),
    "ranking_equal": Variant(
        "... all pairs cost 1", "ranking_unweighted", lambda distances: _ranking_by(np.minimum(distances, 1))
    ),
    "ranking_squared": Variant(
        "... squared distances", "ranking_unweighted", lambda distances: _ranking_by(distances**2)
    ),
    "ogini": Variant("OGini", "ogini", "ogini"),
    "ogini_absolute": Variant("... least absolute error", "ogini", "ogini", unchanged),
    "ogini_squared": Variant("... least squared error", "ogini", "ogini", squared),
}


def _ranking_by(costs):
    return RankingImpurity(weighted=False, cost_matrix=costs)


def make_variants(n_classes):
    """Make the trees of all variants for a number of classes; a dict by name."""
    ranks = np.arange(n_classes)
    distances = np.abs(np.subtract.outer(ranks, ranks))
    models = {}
    for name, variant in VARIANTS.items():
        criterion = variant.criterion(distances) if callable(variant.criterion) else variant.criterion
        tree = OrdinalDecisionTreeClassifier(criterion, classes=ranks)
        if variant.costs is not None:
            tree.set_params(predict_rule="cost", cost_matrix=variant.costs(distances))
        models[name] = tree
    return models


def report_variants(results, output):
    """Print and write a table of all variants: means, and on how many data sets they are better than their base.

    Parameters
    ----------
    results : list of dict
        A row of figures for every variant on every split.
    output : pathlib.Path
        Folder of the CSV file.
    """
    names = list(dict.fromkeys(row["dataset"] for row in results))
    n_seeds = 1 + max(row["seed"] for row in results)
    of = {(row["dataset"], row["model"], row["seed"]): row for row in results}
    printed, written = {name: [variant.title] for name, variant in VARIANTS.items()}, []
    for metric, greater_is_better in METRICS.items():
        values = np.array(
            [[[of[name, v, seed][metric] for seed in range(n_seeds)] for v in VARIANTS] for name in names]
        )
        for base, family in families().items():
            places = [list(VARIANTS).index(name) for name in family]
            compared = {
                family[other]: counts
                for other, *counts in compare_with(values[:, places], family.index(base), greater_is_better)
            }
            for name, place in zip(family, places, strict=True):
                mean = float(values[:, place].mean())
                # The comparison is told from the base's side: its losses are the variant's wins.
                worse, equal, better, p = compared.get(name, ("", "", "", ""))
                against = f"{better}/{equal}/{worse}, {_p(p)}" if name in compared else ""
                printed[name] += [f"{mean:.3f}", against]
                written.append((name, metric, round(mean, 4), base, better, equal, worse, p))
    print(
        f"\nVariants, means over {n_seeds} splits of {len(names)} data sets; on how many data sets their mean is "
        "better / equal / worse\nthan the first of their group, and p of Wilcoxon's signed ranks, by Holm's "
        "method for each group\n"
    )
    print(format_table(("", *(part for m in METRICS for part in (m.upper(), "against"))), printed.values()))
    header = ("variant", "metric", "mean", "base", "better", "equal", "worse", "wilcoxon_holm_p")
    write_csv(output / "ordinal_variants.csv", header, written)


def families():
    """Return, by the name of a base, the base and its variants."""
    found = {}
    for name, variant in VARIANTS.items():
        found.setdefault(variant.base, []).append(name)
    return found


def _p(p):
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"
