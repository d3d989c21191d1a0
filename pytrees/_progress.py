"""Progress of a computation, on standard error: a bar if tqdm is installed, otherwise a line for every tenth."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ._engine import kernel

_Result = TypeVar("_Result")


def progress(results: Iterable[_Result], total: int, label: str, *, enabled: bool = True) -> Iterator[_Result]:
    """Yield the results of `total` pieces of work as they are finished, and show their number after `label`.

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
            show = _in_lines(label)
            for done, result in enumerate(results, 1):
                show(done, total, f"{done} of {total}")
                yield result
            return
        results = tqdm(results, desc=label, total=total)
    yield from results


@contextmanager
def shown(label: str, *, enabled: bool = True) -> Iterator[None]:
    """Show the share of the work that the kernel inside the block has done, as :func:`progress` does."""
    if not enabled:
        yield
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        print_line = _in_lines(label)

        def show(share: float) -> None:
            print_line(share, 1.0, f"{10 * int(10 * share)} %")

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


def _in_lines(label: str) -> Callable[[float, float, str], None]:
    """Return a function of the work done, the whole work and a text, which prints a line for every tenth."""
    started, tenths = time.monotonic(), 0

    def show(done: float, total: float, text: str) -> None:
        nonlocal tenths
        if int(10 * done / total) > tenths:
            tenths = int(10 * done / total)
            seconds = time.monotonic() - started
            remaining = seconds / done * (total - done)
            print(f"{label}: {text}, {seconds:.1f} s, {remaining:.1f} s to go", file=sys.stderr, flush=True)

    return show
