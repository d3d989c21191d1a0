"""Tables that the studies have written."""

import csv


def read_csv(path):
    """Return the rows of a CSV file as dicts of text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
