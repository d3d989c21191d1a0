"""Progress of a computation, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ._engine import kernel

_Result = TypeVar("_Result")


def progress(results: Iterable[_Result], total: int, label: str, *, enabled: bool = True) -> Iterator[_Result]:
    """Yield the results of some pieces of work, and show how many there are.

    That is a progress bar where tqdm is installed, in notebooks a graphical one, and otherwise a line for every tenth
    of the pieces.

    Parameters
    ----------
    results : iterable
        One result for every piece of work, as they are finished.
    total : int
        Number of pieces.
    label : str
        What is counted.
    enabled : bool, default=True
        Whether to show anything.

    Yields
    ------
    object
        The results.

    Examples
    --------
    >>> from pytrees._progress import progress
    >>> list(progress(map(abs, [-1, 2]), 2, "numbers", enabled=False))
    [1, 2]
    """
    if enabled and total:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            results = _with_lines(results, total, label)
        else:
            results = tqdm(results, desc=label, total=total)
    yield from results


def _with_lines(results: Iterable[_Result], total: int, label: str) -> Iterator[_Result]:
    started = time.monotonic()
    for done, result in enumerate(results, 1):
        if done * 10 // total > (done - 1) * 10 // total:
            seconds = time.monotonic() - started
            remaining = seconds / done * (total - done)
            print(f"{label}: {done} of {total}, {seconds:.1f} s, {remaining:.1f} s to go", file=sys.stderr, flush=True)
        yield result


@contextmanager
def shown(label: str, *, enabled: bool = True) -> Iterator[None]:
    """Show which share of its work the kernel that runs inside the block has done, as :func:`progress` does.

    Parameters
    ----------
    label : str
        What the work is on.
    enabled : bool, default=True
        Whether to show anything.

    Yields
    ------
    None
    """
    if not enabled:
        yield
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        show = _share_in_lines(label)
        with kernel("watched")(show):
            yield
        show(1.0)
        return
    with tqdm(desc=label, total=100, unit="%") as bar:

        def show_in_bar(share: float) -> None:
            bar.update(int(100 * share) - bar.n)

        with kernel("watched")(show_in_bar):
            yield
        show_in_bar(1.0)


def _share_in_lines(label: str) -> Callable[[float], None]:
    """Return what prints a line for every tenth of the work that is done."""
    started, tenths = time.monotonic(), 0

    def show(share: float) -> None:
        nonlocal tenths
        if int(10 * share) > tenths:
            tenths = int(10 * share)
            seconds = time.monotonic() - started
            remaining = seconds / share * (1.0 - share)
            print(f"{label}: {10 * tenths} %, {seconds:.1f} s, {remaining:.1f} s to go", file=sys.stderr, flush=True)

    return show
