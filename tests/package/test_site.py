"""The site: the reference has every public name, links lead somewhere, and pictures say what they show."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
from pages import DOCS

import pytrees
from pytrees._site import SITE

ROOT = DOCS.parent
TEXTS = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
MODULES = ("criteria", "dask", "datasets", "distances", "export", "fourier", "graphviz", "metrics", "plotting")
MODULES += ("sequence", "simplify", "tree", "trees", "symbols", "order", "causality", "testing", "testing.strategies")


def find(name):
    """Return the object of a path below `pytrees`."""
    *modules, attribute = name.split(".")
    return getattr(importlib.import_module(".".join(["pytrees", *modules])), attribute)


def documented_names():
    """Return the names in the lists of the API pages."""
    names = []
    for page in (DOCS / "api").glob("*.md"):
        for block in re.findall(r":toctree: generated\n\n((?:   \S+\n)+)", page.read_text(encoding="utf-8")):
            names += block.split()
    return names


def test_every_public_name_is_in_the_reference_once():
    names = documented_names()
    assert len(names) == len(set(names))
    documented = [find(name) for name in names]
    public = {name: getattr(pytrees, name) for name in pytrees.__all__}
    for module in MODULES:
        found = importlib.import_module(f"pytrees.{module}")
        public |= {f"{module}.{name}": getattr(found, name) for name in found.__all__}
    public = {name: value for name, value in public.items() if not inspect.ismodule(value)}
    assert [name for name, value in public.items() if not any(value is one for one in documented)] == []
    assert [name for name in names if name not in public] == []


def test_every_public_type_is_in_its_table():
    text = (DOCS / "api" / "typing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == importlib.import_module("pytrees.typing").__all__


def anchors(text):
    """Return the addresses of the headings of a Markdown page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", text):
        name, _, heading = target.partition("#")
        found = path.parent / name if name else path
        assert found.exists(), target
        assert not heading or heading in anchors(found.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pictures_have_alternative_text(path):
    text = path.read_text(encoding="utf-8")
    assert all(len(words) > 10 for words in re.findall(r"!\[(.*?)\]\(", text))
    for block in re.findall(r"(?:\{image\}|\{figure\}|\.\. (?:image|figure)::).*?\n((?:\s*:.*\n)*)", text):
        assert ":alt:" in block


def test_files_named_in_the_text_of_the_project_exist():
    sources = [
        path for folder in ("pytrees", "tools", "studies", "asv_bench") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name for path in sources for name in re.findall(r"docs/[\w/-]+\.md", Path(path).read_text(encoding="utf-8"))
    }
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


ESTIMATORS = [name for name in pytrees.__all__ if hasattr(getattr(pytrees, name), "get_params")]
JUDGES = ["criteria.RankingImpurity", "criteria.WeightedInformationGain", "distances.JaccardDistance"]


@pytest.mark.parametrize("name", ESTIMATORS + JUDGES)
def test_the_html_of_an_estimator_links_to_its_page(name):
    estimator = find(name)()
    name = f"fourier.{name}" if hasattr(pytrees.fourier, name) else name
    page = f"{SITE}/api/generated/pytrees.{name}.html"
    assert estimator._get_doc_link() == page
    assert f'href="{page}"' in estimator._repr_html_()
    assert name in documented_names()


def test_the_html_of_a_class_defined_elsewhere_links_nowhere():
    class Mine(pytrees.DecisionTreeClassifier):
        pass

    assert SITE not in Mine()._repr_html_()


def test_the_html_of_the_gallery_is_kept_out_of_the_search(monkeypatch):
    nodes = pytest.importorskip("docutils.nodes")
    document = pytest.importorskip("docutils.utils").new_document("page")
    # As sphinx-gallery writes it, and other HTML.
    shown = '<div class="output_subarea output_html rendered_html output_result">\n<b>expand</b>\n</div>\n<br />'
    document += [nodes.raw("", text, format="html") for text in (shown, "<b>a picture</b>")]
    monkeypatch.syspath_prepend(str(DOCS))
    importlib.import_module("site_links").hide_from_search(None, document)
    assert [raw["classes"] for raw in document.findall(nodes.raw)] == [["no-search"], []]
