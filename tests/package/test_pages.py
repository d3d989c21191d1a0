"""Pages of the documentation: all of their code runs, gives what it says, and is as narrow as the pages."""

import ast
import re
import warnings

import matplotlib
import matplotlib.pyplot as plt
import pytest
from pages import DOCS, blocks, run

from pytrees.datasets import get_data_home

# Packages that blocks need, by what stands in them.
NEEDS = {
    "import shap": ["shap"],
    "import xgboost": ["xgboost", "treelite"],
    "import dask": ["dask", "distributed"],
    "from dask": ["dask", "distributed"],
    "import lightgbm": ["lightgbm", "treelite"],
}


MOST_COLUMNS = 88  # of code, for which a page has room; outputs of programs are as wide as they are
README = DOCS.parent / "README.md"
WITH_CODE = [README, *DOCS.rglob("*.md"), *(DOCS / "gallery").rglob("*.py")]
WITH_CODE = sorted(path for path in WITH_CODE if not {"auto_examples", "generated"} & set(path.parts))

# Pages that another test runs, with more checks.
ELSEWHERE = {"guide/elsewhere"}


def pages():
    """Return the names of the pages with code."""
    found = (path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    return sorted(name for name in found if name not in ELSEWHERE and blocks((DOCS / f"{name}.md").read_text("utf-8")))


@pytest.mark.parametrize("page", pages())
def test_the_page_runs(page, tmp_path, monkeypatch):
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)  # pages write files
    names = {}
    for code, output in blocks((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what other packages say as they are imported
            for package in (package for line, packages in NEEDS.items() if line in code for package in packages):
                pytest.importorskip(
                    package, reason="needs the extras: pip install 'decision-pytrees[interop,boosters,dask]'"
                )
            if "get_data_home()" in code and get_data_home() is None:
                pytest.skip("needs the tables of a clone")
            try:
                run(code, output, names)
            except FileNotFoundError as error:
                if "pytrees.datasets" not in code:
                    raise
                pytest.skip(f"tools/fetch_tables.py fetches the table: {error}")
    plt.close("all")


def lines_of_code(path):
    """Yield (line number, line) of the code of a page, or of an example outside its text."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if path.suffix == ".py":
        about = ast.parse(text).body[0]
        yield from ((n, lines[n - 1]) for n in range(about.end_lineno + 1, len(lines) + 1) if lines[n - 1][:1] != "#")
        return
    language = None
    for n, line in enumerate(lines, start=1):
        if fence := re.match(r" *```([\w{}-]*)", line):
            language = fence[1] if language is None else None
        elif language is not None and language != "text" and not language.startswith("{"):
            yield n, line


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: path.relative_to(DOCS.parent).as_posix())
def test_code_is_as_narrow_as_the_page(path):
    assert [(n, line) for n, line in lines_of_code(path) if len(line) > MOST_COLUMNS] == []
