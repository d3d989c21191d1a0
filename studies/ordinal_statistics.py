"""The ordinal paper's statistics: analysis of variance, Tukey's test, normality; and ranks of whole data sets.

`values` is an array of shape (n_sets, n_models, n_splits) throughout: one measure, on every split.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats


class Factor(NamedTuple):
    """A line of an analysis of variance."""

    source: str
    sum_of_squares: float
    degrees: float
    f: float
    p: float


class Pairs(NamedTuple):
    """Tukey's test of all pairs of models."""

    means: np.ndarray  # of every model
    p: np.ndarray  # by pair of models, adjusted for all pairs
    half_width: float  # means whose intervals of this half width overlap do not differ at 5 %


ALPHA = 0.05


def has_variance(values):
    """Whether splits of a data set differ, so that a test is possible."""
    return values.shape[0] > 1 and values.shape[2] > 1 and bool(np.any(values.var(axis=2) > 0.0))


def analyse_variance(values):
    """Analyse variance by data set and criterion, with interaction; the splits are the repetitions.

    Parameters
    ----------
    values : ndarray of shape (n_sets, n_models, n_splits)
        At least two of each.

    Returns
    -------
    list of Factor
        Data set, criterion, their interaction.

    Raises
    ------
    ImportError
        If statsmodels is not installed.
    """
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    sets, models, _ = np.indices(values.shape)
    frame = pd.DataFrame({"value": values.ravel(), "dataset": sets.ravel(), "criterion": models.ravel()})
    # The design is balanced, so all types of sums of squares are equal.
    table = anova_lm(ols("value ~ C(dataset) * C(criterion)", frame).fit(), typ=1)
    terms = {"C(dataset)": "data set", "C(criterion)": "criterion", "C(dataset):C(criterion)": "interaction"}
    return [
        Factor(source, *(float(number) for number in table.loc[term, ["sum_sq", "df", "F", "PR(>F)"]]))
        for term, source in terms.items()
    ]


def compare_pairs(values):
    """Test all pairs of models by Tukey's honestly significant differences.

    This variance is the residual mean square of :func:`analyse_variance`.
    """
    n_sets, n_models, n_splits = values.shape
    degrees = n_sets * n_models * (n_splits - 1)
    means = values.mean(axis=(0, 2))
    error = np.sqrt(values.var(axis=2, ddof=1).mean() / (n_sets * n_splits))
    range_in_errors = np.abs(means[:, np.newaxis] - means) / error
    p = stats.studentized_range.sf(range_in_errors, n_models, degrees)
    least = stats.studentized_range.isf(ALPHA, n_models, degrees) * error
    return Pairs(means, p, float(least) / 2.0)


def homogeneous_groups(pairs, order):
    """List runs of models in an order of means whose ends do not differ significantly; no run lies within another.

    Parameters
    ----------
    pairs : Pairs
    order : sequence of int
        The models, the best first.

    Returns
    -------
    list of list of int
        The models of every group, the best first.
    """
    groups, last_end = [], 0
    for first in range(len(order)):
        end = max(j for j in range(first, len(order)) if j == first or pairs.p[order[first], order[j]] >= ALPHA) + 1
        if end > last_end:
            groups.append(list(order[first:end]))
            last_end = end
    return groups


def count_not_normal(values):
    """Count the samples (a model's splits of a data set) in which two tests reject normality at 5 %.

    Returns
    -------
    tuple of int
        Samples whose splits are not all the same; rejected by the Kolmogorov-Smirnov test with their own mean and
        standard deviation; rejected by Lilliefors' test, which allows for these being estimated.

    Raises
    ------
    ImportError
        If statsmodels is not installed.
    """
    from statsmodels.stats.diagnostic import lilliefors

    n_splits = values.shape[2]
    samples = [sample for sample in values.reshape(-1, n_splits) if n_splits >= 4 and np.ptp(sample) > 0.0]
    by_ks = sum(
        stats.kstest((sample - sample.mean()) / sample.std(ddof=1), "norm").pvalue < ALPHA for sample in samples
    )
    by_lilliefors = sum(lilliefors(sample)[1] < ALPHA for sample in samples)
    return len(samples), int(by_ks), int(by_lilliefors)


def rank_models(values, greater_is_better):
    """Rank the models: mean rank over the data sets (1 is best, ties share), and p of Friedman's test.

    A data set counts once, with its mean over the splits. The ranks thus speak about other data sets, which repeated
    splits of the same data sets cannot do.
    """
    means = _comparable(values.mean(axis=2))
    ranks = stats.rankdata(-means if greater_is_better else means, axis=1)
    p = float("nan")
    if len(means) > 1 and np.any(np.ptp(means, axis=1) > 0.0):
        p = float(stats.friedmanchisquare(*means.T).pvalue)
    return ranks.mean(axis=0), p


def compare_with(values, place, greater_is_better):
    """Compare one model with every other by Wilcoxon's signed ranks of the data sets' means.

    Returns
    -------
    list of tuple
        For every other model: its place, the data sets on which `place` is better, equal, worse, and p, adjusted by
        Holm's method.
    """
    means = _comparable(values.mean(axis=2))
    compared = []
    for other in range(means.shape[1]):
        if other != place:
            lead = (means[:, place] - means[:, other]) * (1.0 if greater_is_better else -1.0)
            p = float(stats.wilcoxon(lead).pvalue) if np.any(lead) else 1.0
            compared.append((other, int((lead > 0).sum()), int((lead == 0).sum()), int((lead < 0).sum()), p))
    adjusted = adjust_by_holm([row[-1] for row in compared])
    return [(*row[:-1], p) for row, p in zip(compared, adjusted, strict=True)]


def adjust_by_holm(p):
    """Adjust n p-values by Holm's method: the i-th least times n - i + 1, but not less than the one before."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted.tolist()


def _comparable(means):
    """Round away the effect of the order of sums: the same scores on all splits must be a tie."""
    return means.round(12)
