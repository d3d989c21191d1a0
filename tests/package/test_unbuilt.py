"""The package whose kernels were never compiled: the reference works, the compiled engine says what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytrees
import pytrees.reference

FIT_EVERY_CRITERION = """
import pytrees
from pytrees import C45Classifier, DecisionTreeClassifier, ID3Classifier, OrdinalDecisionForestClassifier
from pytrees import config_context
from pytrees.criteria import CRITERIA
X, y = [[0, 3], [1, 2], [2, 1], [3, 0], [4, 4]], [0, 1, 1, 0, 2]
estimators = [DecisionTreeClassifier(name) for name in CRITERIA]
estimators += [ID3Classifier(evaluation="global"), OrdinalDecisionForestClassifier(2, bootstrap=False)]
with config_context(engine="reference"):
    C45Classifier().fit(X, y)
    print(pytrees.__file__, min(estimator.fit(X, y).score(X, y) for estimator in estimators))
    try:
        DecisionTreeClassifier(object()).fit(X, y)
    except ValueError as error:
        print("CountCriterion" in str(error))
"""


@pytest.fixture(scope="module", params=["installed", "clone"])
def unbuilt(request, tmp_path_factory):
    """A folder with the package without compiled modules; the reference inside it, or beside it as in a clone."""
    folder = tmp_path_factory.mktemp("unbuilt")
    without = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "reference")
    shutil.copytree(Path(pytrees.__file__).parent, folder / "pytrees", ignore=without)
    place = folder / "pytrees" / "reference" if request.param == "installed" else folder / "reference"
    shutil.copytree(Path(pytrees.reference.__file__).parent, place)
    return folder


def run_in(folder, code):
    # Importing from this folder alone: nothing is found through an editable installation.
    alone = "import sys; sys.meta_path = [f for f in sys.meta_path if 'Editable' not in getattr(f, '__name__', '')]"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", f"{alone}\n{code}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_reference_needs_no_kernels(unbuilt):
    done = run_in(unbuilt, FIT_EVERY_CRITERION)
    assert (done.stdout.split(), done.stderr) == ([str(unbuilt / "pytrees" / "__init__.py"), "1.0", "True"], "")


@pytest.mark.parametrize(
    "code",
    [
        "import pytrees; pytrees.effort_to_compress('00011')",
        "import pytrees; pytrees.DecisionTreeClassifier().fit([[0], [1]], [0, 1])",
        "from pytrees.criteria import CountCriterion",
    ],
)
def test_missing_kernels_are_explained(unbuilt, code):
    done = run_in(unbuilt, code)
    assert done.returncode == 1
    assert "has not been built" in done.stderr
    assert "pip install" in done.stderr
