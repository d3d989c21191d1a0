"""Effort-To-Compress of sequences, windows and pairs of series, beside ETCPy where it is installed."""

from functools import partial

from pytrees import compression_complexity_causality, effort_to_compress, join_symbols, sliding_effort_to_compress

from .timing import compare, report

N_LABELS = 10_000
N_KINDS = (2, 4, 10)


def sequences():
    """Measure Effort-To-Compress, joint and not, windows and causality, beside ETCPy (from its repository; `ETC`)."""
    try:
        import ETC
    except ImportError:
        print("ETCPy is left out: it is installed from its repository")
        ETC = None
    for n_kinds in N_KINDS:
        make = partial(_labels, n_kinds=n_kinds)
        title = f"{N_LABELS:,} labels of {n_kinds} kinds"
        if ETC is None:
            report(title, effort_to_compress, make, 5)
            continue
        compare(title, {"pytrees": effort_to_compress, "ETCPy": partial(_by_etcpy, ETC)}, make, 3)
    report("joint, 10,000 labels of 4 and 4 kinds", _joint, partial(_pairs, n_kinds=4), 5)
    report("windows of 150 of 10,000 labels of 2 kinds", partial(sliding_effort_to_compress, window=150), _labels, 5)
    causality = partial(compression_complexity_causality, past=150, present=15, step=20)
    report("causality of two series of 10,000 labels", causality, _pairs, 5)


def _labels(rng, n_kinds=2):
    return (rng.integers(0, n_kinds, N_LABELS) + 1,)


def _pairs(rng, n_kinds=2):
    return tuple(rng.integers(0, n_kinds, (2, N_LABELS)) + 1)


def _by_etcpy(ETC, labels):
    return ETC.compute_1D(labels.tolist(), order=2, verbose=False, truncate=True)


def _joint(x, y):
    return effort_to_compress(join_symbols(x, y))
