"""The package whose kernels were never compiled: the reference works, the compiled engine says what is missing."""

import shutil
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from programs import run_python

import pytrees
import pytrees.reference

PROGRAM = """
import sys
# Nothing is found through an editable installation, so that imports are from the folder alone.
sys.meta_path = [finder for finder in sys.meta_path if "Editable" not in getattr(finder, "__name__", "")]
import pytrees
from pytrees import C45Classifier, DecisionTreeClassifier, ID3Classifier, OrdinalDecisionForestClassifier
from pytrees import config_context
from pytrees.criteria import CRITERIA

X, y = [[0, 3], [1, 2], [2, 1], [3, 0], [4, 4]], [0, 1, 1, 0, 2]
estimators = [DecisionTreeClassifier(name) for name in CRITERIA]
estimators += [ID3Classifier(evaluation="global"), OrdinalDecisionForestClassifier(2, bootstrap=False)]
with config_context(engine="reference"):
    C45Classifier().fit(X, y)
    print(pytrees.__file__)
    print(min(estimator.fit(X, y).score(X, y) for estimator in estimators))
    try:
        DecisionTreeClassifier(object()).fit(X, y)
    except ValueError as error:
        print("CountCriterion" in str(error))

def import_base_class():
    from pytrees.criteria import CountCriterion

for needs_kernels in (
    lambda: pytrees.effort_to_compress("00011"), lambda: DecisionTreeClassifier().fit(X, y), import_base_class
):
    try:
        needs_kernels()
    except ImportError as error:
        print("has not been built" in str(error) and "pip install" in str(error))
"""


@pytest.mark.parametrize("layout", ["installed", "clone"])
def test_the_reference_needs_no_kernels_and_missing_ones_are_explained(layout, tmp_path):
    """The reference is inside the package, or beside it as in a clone."""
    without = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "reference")
    shutil.copytree(Path(pytrees.__file__).parent, tmp_path / "pytrees", ignore=without)
    place = tmp_path / "pytrees" / "reference" if layout == "installed" else tmp_path / "reference"
    shutil.copytree(Path(pytrees.reference.__file__).parent, place)
    done = run_python("-c", PROGRAM, folder=tmp_path, PYTHONPATH=str(tmp_path))
    file = tmp_path / "pytrees" / "__init__.py"
    assert (done.stdout.splitlines(), done.stderr) == ([str(file), "1.0", *["True"] * 4], "")


GROW = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "Editable" not in getattr(finder, "__name__", "")]
from pytrees import DecisionTreeClassifier
try:
    DecisionTreeClassifier().fit([[0], [1]], [0, 1])
except ImportError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the files of kernels have other names")
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda kernel: kernel.unlink(), "is missing: this is a source folder of pytrees that has not been built"),
        (
            lambda kernel: kernel.rename(kernel.with_name("cut_search.cpython-39-other-gnu.so")),
            "was built for another Python or machine: cut_search.cpython-39-other-gnu.so. This Python takes",
        ),
        (lambda kernel: kernel.write_text("no program of this machine"), "A kernel is for another machine, or the"),
    ],
    ids=["half built", "another Python", "another machine"],
)
def test_a_kernel_that_does_not_fit_is_told_in_one_sentence(damage, message, tmp_path):
    """The tree needs a kernel that needs this one."""
    without = shutil.ignore_patterns("__pycache__", "reference")
    shutil.copytree(Path(pytrees.__file__).parent, tmp_path / "pytrees", ignore=without)
    [kernel] = (tmp_path / "pytrees" / "_core" / "split").glob(f"cut_search{EXTENSION_SUFFIXES[0]}")
    damage(kernel)
    done = run_python("-c", GROW, folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert message in done.stdout
    assert "nstall" in done.stdout
    assert done.stderr == ""
