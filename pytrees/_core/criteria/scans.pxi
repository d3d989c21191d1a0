# Included by modules that judge cuts by class counts. The module defines `Task`, an extension type, and a function
# `run(Task task, CountScan* scan)`; `with_scan` calls it with the structure of the criterion.

from pytrees._core.criteria.codes cimport (
    ABSOLUTE_ERROR, ACCURACY, ENTROPY, GINI, JACCARD, MAE, ORDINAL_GINI, RANKING, SQUARED_ERROR, VI, WIG,
    is_binary_gini, refuse_code, takes_ratio,
)
from pytrees._core.criteria.counts cimport ClassCounts
from pytrees._core.criteria.table cimport (
    AbsoluteErrorScan, BinaryGiniScan, BinaryRankingScan, EntropyScan, GiniScan, JaccardScan, LabelledScan,
    OrdinalGiniScan, RankingScan, RatioScan, SquaredErrorScan, WideBinaryScan, WideScan, WideSquaredErrorScan, WigScan,
)
from pytrees._core.criteria.wig cimport WigBest


cdef int with_scan(Task task, ClassCounts counts) except -1 nogil:
    """Call `run` with the structure of the criterion, which is not started."""
    cdef BinaryGiniScan binary_gini
    cdef GiniScan gini
    cdef EntropyScan entropy
    cdef OrdinalGiniScan ordinal_gini
    cdef RankingScan ranking
    cdef BinaryRankingScan binary_ranking
    cdef RatioScan ratio
    cdef JaccardScan jaccard
    cdef LabelledScan labelled
    cdef WigScan wig
    cdef WigBest best_of_wig
    cdef SquaredErrorScan squared_error
    cdef WideSquaredErrorScan wide_squared_error
    cdef AbsoluteErrorScan absolute_error
    cdef WideBinaryScan wide_binary
    cdef WideScan wide
    if counts.is_wide:
        if is_binary_gini(counts.code, counts.n_classes):
            return run(task, &wide_binary)
        return run(task, &wide)
    if is_binary_gini(counts.code, counts.n_classes):
        return run(task, &binary_gini)
    if counts.code == GINI:
        return run(task, &gini)
    if counts.code == ENTROPY or counts.code == VI:
        return run(task, &entropy)
    if counts.code == ORDINAL_GINI:
        return run(task, &ordinal_gini)
    if counts.code == RANKING:
        return run(task, &binary_ranking) if counts.n_classes == 2 else run(task, &ranking)
    if takes_ratio(counts.code):
        return run(task, &ratio)
    if counts.code == JACCARD:
        return run(task, &jaccard)
    if counts.code == ACCURACY or counts.code == MAE:
        return run(task, &labelled)
    if counts.code == SQUARED_ERROR:
        return run(task, &wide_squared_error) if counts.has_wide_sums else run(task, &squared_error)
    if counts.code == ABSOLUTE_ERROR:
        return run(task, &absolute_error)
    if counts.code == WIG:
        wig.best = &best_of_wig
        return run(task, &wig)
    return refuse_code(counts.code)
