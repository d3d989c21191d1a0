"""The recipe for conda-forge requires what pyproject.toml requires."""

import tomllib

import pytest
from sources import ROOT

import pytrees

yaml = pytest.importorskip("yaml")

RECIPE = ROOT / "packaging" / "conda-forge" / "recipe.yaml"

pytestmark = pytest.mark.skipif(not RECIPE.exists(), reason="needs a clone")


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load(RECIPE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def card():
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)


def named(requirements):
    """Return requirements as pip writes them, by conda's names."""
    return {text.replace(" ", "").replace("matplotlib-base", "matplotlib").lower() for text in requirements}


def test_it_runs_and_is_built_with_what_the_card_says(recipe, card):
    requirements = recipe["requirements"]
    assert named(requirements["run"]) - {"python"} == named(card["project"]["dependencies"])
    assert named(requirements["host"]) - {"python", "pip"} == named(card["build-system"]["requires"])


def test_its_tests_have_what_the_wheels_tests_have(recipe, card):
    [test] = [test for test in recipe["tests"] if "script" in test]
    assert named(test["requirements"]["run"]) == named(card["project"]["optional-dependencies"]["wheel-tests"])
    assert [path.rstrip("/") for path in test["files"]["source"]] == card["tool"]["cibuildwheel"]["test-sources"]


def test_it_names_this_version_and_this_python(recipe, card):
    assert pytrees.__version__.startswith(recipe["context"]["version"])
    assert card["project"]["requires-python"] == f">={recipe['context']['python_min']}"
    assert recipe["about"]["summary"] == card["project"]["description"]
