"""Other projects that install a package `pytrees`: the import warns of them, and nothing here asks for them."""

import importlib
import os
import re
import sys
import tomllib
import warnings
from pathlib import Path

import pytest
from programs import run_python
from sources import ROOT

import pytrees
from pytrees import _same_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]


def install(folder, name, version, **files):
    """Write what an installer notes about a distribution."""
    place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    for file, text in files.items():
        (place / {"top_level": "top_level.txt"}.get(file, file)).write_text(text, encoding="utf-8")


def warned(folder, monkeypatch):
    """Return the warnings of an import with a further folder on the path."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    importlib.invalidate_caches()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        importlib.reload(_same_name)
    return [str(each.message) for each in told]


def test_the_import_names_the_others_and_the_remedy(tmp_path, monkeypatch):
    install(tmp_path, "pytrees", "0.0.1", top_level="pytrees\n")
    install(tmp_path, "pytrees-rs", "2.0.0", RECORD="pytrees/__init__.py,,\npytrees/tree.py,,\n")
    (message,) = warned(tmp_path, monkeypatch)
    assert "named pytrees too: pytrees 0.0.1, pytrees-rs 2.0.0." in message
    assert "Uninstall both (pip uninstall pytrees pytrees-rs decision-pytrees), then install" in message


@pytest.mark.parametrize(
    "files", [{}, {"top_level": "trees\n"}, {"RECORD": "trees/pytrees.py,,\npytrees_rs/__init__.py,,\n"}]
)
def test_distributions_of_these_names_that_install_something_else_are_welcome(files, tmp_path, monkeypatch):
    install(tmp_path, "pytrees", "9.0", **files)
    assert warned(tmp_path, monkeypatch) == []


def test_the_warning_points_at_the_import(tmp_path):
    install(tmp_path, "pytrees-rs", "2.0.0", RECORD="pytrees/__init__.py,,\n")
    program = tmp_path / "program.py"
    program.write_text("import sys\n\nfrom pytrees.trees import ID3Classifier\n", encoding="utf-8")
    folders = [str(Path(pytrees.__file__).parents[1]), str(tmp_path)]
    done = run_python("-W", "default", program, PYTHONPATH=os.pathsep.join(folders))
    assert done.stderr.startswith(f"{program}:3: UserWarning: Another distribution installs a package named pytrees")


def test_the_example_asks_for_this_project():
    example = tomllib.loads((ROOT / "examples" / "cython_criterion" / "pyproject.toml").read_text(encoding="utf-8"))
    assert PROJECT in example["build-system"]["requires"]


def test_pages_say_where_the_name_is_not_published_yet():
    """Before the release, a page that installs the project by its name says that there is none yet."""
    newest = re.search(r"^## .*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if "(unreleased)" not in newest[0]:
        pytest.skip("the version is released")
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    pages += [page for folder in ("guide", "api", "papers") for page in (ROOT / "docs" / folder).glob("*.md")]
    pages.remove(ROOT / "docs" / "releasing.md")  # about the release itself
    silent = []
    for page in pages:
        for sentence in re.split(r"(?<=[.:|])\s+|\n\n", page.read_text(encoding="utf-8")):
            by_its_name = re.search(rf"""install ['"]?{PROJECT}""", sentence) and "releas" not in sentence
            if by_its_name or re.search(r"install ['\"]?pytrees\b(?!-)", sentence):
                silent.append((page.name, sentence))
    assert silent == []
