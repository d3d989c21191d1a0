"""Pages of the documentation: all of their code runs, and gives what it says."""

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


# Pages that another test runs, with more checks.
ELSEWHERE = {"guide/elsewhere"}


def pages():
    """Return the names of the pages with code."""
    found = (path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    return sorted(name for name in found if name not in ELSEWHERE and blocks((DOCS / f"{name}.md").read_text("utf-8")))


@pytest.mark.parametrize("page", pages())
def test_the_page_runs(page):
    matplotlib.use("agg")
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
