"""Examples of the gallery: their form, and that quick ones run."""

import ast
import importlib
import runpy

import matplotlib
import matplotlib.pyplot as plt
import pytest
from pages import DOCS

GALLERY = DOCS / "gallery"
EXAMPLES = sorted(GALLERY.glob("*/plot_*.py"))
MOST_LINES = 120

# Builds of the site run all of them; these take about two seconds.
QUICK = ("explain/plot_fourier_energy", "order/plot_permutation_trees")


def named(path):
    """Return the name of an example."""
    return path.stem


def test_there_are_enough():
    assert len(EXAMPLES) >= 15
    assert (GALLERY / "GALLERY_HEADER.rst").exists()


def test_every_example_has_a_place_in_its_section(monkeypatch):
    pytest.importorskip("sphinx_gallery")
    monkeypatch.syspath_prepend(str(DOCS))
    sections = importlib.import_module("site_gallery").SECTIONS
    listed = {f"{section}/plot_{name}.py" for section, names in sections.items() for name in names}
    assert {path.relative_to(GALLERY).as_posix() for path in EXAMPLES} == listed
    assert all((GALLERY / section / "GALLERY_HEADER.rst").exists() for section in sections)


@pytest.mark.parametrize("path", EXAMPLES, ids=named)
def test_an_example_is_a_question_with_a_picture_and_its_limits(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    tree = ast.parse(text)
    title, underline, blank, *about = ast.get_docstring(tree).splitlines()
    assert (set(underline), len(underline), blank) == ({"="}, len(title), "")
    assert about
    assert "plt.show()" in text
    assert "# Do not conclude that " in text
    # Sphinx takes the title as the alternative text of a picture.
    for cell in text.split("\n# %%\n"):
        if "plt.show()" in cell:
            assert "title(" in cell


@pytest.mark.parametrize("path", EXAMPLES, ids=named)
def test_an_example_needs_no_file_and_no_network(path):
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module.partition(".")[0])
            taken = {alias.name for alias in node.names}
            assert not any(name.startswith("fetch_") for name in taken)
            assert not {"load", "load_ordinal", "load_discrete", "load_table"} & taken
    assert modules <= {"matplotlib", "numpy", "pytrees", "sklearn", "time", "warnings"}


@pytest.mark.parametrize("name", QUICK)
def test_a_quick_example_runs(name):
    matplotlib.use("agg")
    found = runpy.run_path(str(GALLERY / f"{name}.py"))
    assert found["fig"].axes
    assert all(ax.get_title() for ax in found["fig"].axes)
    plt.close("all")
