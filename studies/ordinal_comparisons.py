"""Tables III to V of the ordinal paper and their tests: which criteria differ, and by how much."""

from typing import NamedTuple

import numpy as np

from pytrees.tour.report import format_table, write_csv

from .ordinal_paper import ALL, CRITERIA, FEW, MANY, MEANS_FEW, MEANS_MANY, METRICS, TABLE_2
from .ordinal_statistics import (
    ALPHA,
    Pairs,
    analyse_variance,
    compare_pairs,
    compare_with,
    count_not_normal,
    has_variance,
    homogeneous_groups,
    rank_models,
)

TITLES = list(CRITERIA.values())
OGINI = list(CRITERIA).index("ogini")


class Comparison(NamedTuple):
    """The results for one measure on one group of data sets."""

    group: str
    metric: str
    n_sets: int
    means: np.ndarray
    paper: dict
    order: list  # indices of the criteria, the best mean first
    pairs: Pairs | None  # None if splits do not vary
    ranks: np.ndarray
    friedman: float
    against: list  # OGini against the others, by data sets


def compare_criteria(groups, output):
    """Test every measure on every group of data sets; print the tables and write them.

    Parameters
    ----------
    groups : dict of str to studies.ordinal_report.Scores
    output : pathlib.Path

    Returns
    -------
    list of Comparison
    """
    tests = [test_criteria(title, group, metric) for title, group in groups.items() for metric in METRICS]
    print("\nTables III to V: means of the criteria. Those that share a letter do not differ by Tukey's test at 5 %.")
    print("The mean ranks count a data set once (1 is best).")
    for test in tests:
        print_test(test)
    print_variance(groups, output)
    print_against(tests)
    print("\nIn short\n")
    for test in tests:
        print(verdict(test))
    write_tests(tests, output)
    return tests


def test_criteria(title, group, metric):
    """Test a measure on a group of data sets."""
    values, greater = group.criteria(metric), METRICS[metric]
    means = values.mean(axis=(0, 2))
    ranks, friedman = rank_models(values, greater)
    return Comparison(
        title,
        metric,
        len(group.names),
        means,
        paper_means(title, metric),
        np.argsort(-means if greater else means, kind="stable").tolist(),
        compare_pairs(values) if has_variance(values) else None,
        ranks,
        friedman,
        compare_with(values, OGINI, greater),
    )


def paper_means(title, metric):
    """Return the paper's figures for a group of data sets, by criterion."""
    if title == ALL:
        return {criterion: row[metric][0] for criterion, row in TABLE_2.items()}
    return {MANY: MEANS_MANY, FEW: MEANS_FEW}[title][metric]


def letters_of(test):
    """Return the groups of every criterion as letters, a for the best; none if splits do not vary."""
    groups = homogeneous_groups(test.pairs, test.order) if test.pairs else []
    return ["".join(chr(ord("a") + g) for g, group in enumerate(groups) if i in group) for i in range(len(TITLES))]


def print_test(test):
    letters = letters_of(test)
    rows = [
        (TITLES[i], f"{test.paper[list(CRITERIA)[i]]:.3f}", f"{test.means[i]:.3f}", letters[i], f"{test.ranks[i]:.2f}")
        for i in test.order
    ]
    print(f"\n{test.metric.upper()}, {test.group} ({test.n_sets})\n")
    print(format_table(("", "paper", "ours", "groups", "mean rank"), rows))


def print_variance(groups, output):
    """Print the analyses of variance, and in how many samples normality is rejected."""
    tested = {
        (title, metric): group.criteria(metric)
        for title, group in groups.items()
        for metric in METRICS
        if has_variance(group.criteria(metric))
    }
    if not tested:
        print("\nAnalysis of variance needs two data sets and two splits that differ.")
        return
    try:
        factors = {key: analyse_variance(values) for key, values in tested.items()}
        normal = {key: count_not_normal(values) for key, values in tested.items()}
    except ImportError:
        print(
            "\nAnalysis of variance needs statsmodels: pip install 'decision-pytrees[study]'. "
            "Tukey's test stands above."
        )
        return
    print("\nTwo-way analysis of variance: data set and criterion, with interaction; the splits are the repetitions.")
    print("At the right: samples (of a data set and a criterion) in which normality is rejected at 5 %, by the test of")
    print("Kolmogorov and Smirnov as the paper has it, and with Lilliefors' correction.\n")
    rows, written = [], []
    for (title, metric), found in factors.items():
        samples, by_ks, by_lilliefors = normal[title, metric]
        cells = [f"F = {factor.f:.1f}, p {format_p(factor.p)}" for factor in found[1:]]
        rows.append((f"{metric.upper()}, {title}", *cells, f"{by_ks}, {by_lilliefors} of {samples}"))
        written += [(title, metric, *factor) for factor in found]
    print(format_table(("", "criterion", "interaction", "not normal"), rows))
    write_csv(output / "ordinal_anova.csv", ("group", "metric", "source", "sum_of_squares", "df", "f", "p"), written)


def print_against(tests):
    """Print OGini against every other criterion; a data set counts once."""
    print("\nOGini against the others, where a data set counts once: data sets on which its mean is better / equal /")
    print("worse, and p of Wilcoxon's signed ranks, adjusted by Holm; p of Friedman's test that all are alike\n")
    rows = []
    for test in tests:
        cells = [f"{better}/{equal}/{worse}, {format_p(p)}" for _, better, equal, worse, p in test.against]
        rows.append((f"{test.metric.upper()}, {test.group}", *cells, format_p(test.friedman)))
    print(format_table(("", *(title for i, title in enumerate(TITLES) if i != OGINI), "Friedman"), rows))


def verdict(test):
    """Say in words how OGini does."""
    greater = METRICS[test.metric]
    place = test.order.index(OGINI) + 1
    gini = list(CRITERIA).index("gini")
    lead = (test.means[OGINI] - test.means[gini]) * (1.0 if greater else -1.0)
    of_paper = (test.paper["ogini"] - test.paper["gini"]) * (1.0 if greater else -1.0)
    others = [i for i in test.order if i != OGINI]
    better = {i for i in others if test.order.index(i) > place - 1}
    by_splits = [i for i in others if test.pairs and test.pairs.p[OGINI, i] < ALPHA]
    by_sets = [(other, ahead > behind) for other, ahead, _, behind, p in test.against if p < ALPHA]
    return (
        f"{test.metric.upper()}, {test.group}: OGini is number {place}, {lead:+.3f} better than Gini (paper "
        f"{of_paper:+.3f}); by Tukey better than {listed(i for i in by_splits if i in better)}, worse than "
        f"{listed(i for i in by_splits if i not in better)}; by data sets better than "
        f"{listed(i for i, ahead in by_sets if ahead)}, worse than {listed(i for i, ahead in by_sets if not ahead)}."
    )


def listed(places):
    return ", ".join(TITLES[i] for i in places) or "none"


def write_tests(tests, output):
    """Write the means with their groups and ranks, and the p of all pairs."""
    means, pairs = [], []
    for test in tests:
        letters = letters_of(test)
        for i, criterion in enumerate(CRITERIA):
            figures = (
                test.paper[criterion],
                round(float(test.means[i]), 4),
                letters[i],
                round(float(test.ranks[i]), 3),
            )
            means.append((test.group, test.metric, criterion, *figures, test.n_sets))
        by_sets = {other: (better, equal, worse, p) for other, better, equal, worse, p in test.against}
        for i in range(len(TITLES)):
            for j in range(i + 1, len(TITLES)):
                tukey = "" if test.pairs is None else float(test.pairs.p[i, j])
                of_sets = ("",) * 4
                if OGINI in (i, j):
                    of_sets = by_sets[i if j == OGINI else j]
                pairs.append((test.group, test.metric, *(list(CRITERIA)[k] for k in (i, j)), tukey, *of_sets))
    header = ("group", "metric", "criterion", "paper_mean", "mean", "tukey_groups", "mean_rank", "data_sets")
    write_csv(output / "ordinal_tables_3_to_5.csv", header, means)
    by_sets = ("ogini_better", "equal", "ogini_worse", "wilcoxon_holm_p")
    write_csv(output / "ordinal_pairs.csv", ("group", "metric", "criterion", "other", "tukey_p", *by_sets), pairs)


def format_p(p):
    if np.isnan(p):
        return "-"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
