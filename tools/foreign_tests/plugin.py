"""A plugin of pytest: tests of the table of exclusions are expected to fail; one that passes is an error."""

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

TABLE = Path(__file__).with_name("exclusions.toml")


class Exclusion(NamedTuple):
    """Tests of a file that cannot pass, and the reason; `words` must all occur in the parameters of a test."""

    file: str
    test: str
    words: tuple[str, ...]
    reason: str

    def takes(self, file, name):
        """Whether a test, by its file and its name with parameters, is excluded."""
        test, _, parameters = name.partition("[")
        return (file, test) == (self.file, self.test) and all(word in parameters for word in self.words)


def exclusions():
    """Read the table."""
    with open(TABLE, "rb") as file:
        groups = tomllib.load(file)["exclusion"]
    found = []
    for group in groups:
        for test in group["tests"]:
            name, *words = test.split()
            file, _, test_name = name.partition("::")
            found.append(Exclusion(file, test_name, tuple(words), group["reason"]))
    return found


def pytest_collection_modifyitems(items):
    """Mark the excluded tests."""
    table, used = exclusions(), set()
    for item in items:
        for exclusion in table:
            if exclusion.takes(item.path.name, item.name):
                item.add_marker(pytest.mark.xfail(reason=exclusion.reason, strict=True))
                used.add(exclusion)
    files = {item.path.name for item in items}
    unused = [one for one in table if one.file in files and one not in used]
    for one in unused:
        print(f"No such test in this version of scikit-learn: {one.file}::{one.test} {' '.join(one.words)}".rstrip())
