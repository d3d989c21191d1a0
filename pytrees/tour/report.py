"""Tables on the screen and as CSV files, and the import of matplotlib."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def format_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as lines of text, its first column aligned to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(columns))
        for columns in (list(zip(row, widths, strict=True)) for row in cells)
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table with a header line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def import_pyplot() -> Any:
    """Return matplotlib.pyplot, set up to draw to files, or None if matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    return plt
