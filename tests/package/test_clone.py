"""A clone to work in: what `pip install -e .` puts on Python's path, and that it compiles only what changed.

The clone here has two kernels. It is built by the calls that pip makes.
"""

import os
import re
import shutil
import tarfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from programs import run_python
from sources import ROOT

COPIED = ["setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "pytrees", "reference"]
KERNELS = {"sizes.pyx", "build.pyx"}  # of _core/base; small ones

# The call of a build backend by an installer: its name, and the folder for its result.
CALL = """
import sys
from setuptools import build_meta
print("built", getattr(build_meta, sys.argv[1])(sys.argv[2]))
"""


def leave_out(folder, names):
    """Return the names that are not copied into the clone: what was built, links, and most kernels."""
    other = {name for name in names if name.endswith((".pyx", ".so", ".pyd", ".c", ".cpp")) and name not in KERNELS}
    return other | {"__pycache__"} | ({"reference"} & set(names) if os.path.basename(folder) == "pytrees" else set())


def run(*command, cwd, **environment):
    """Run Python; return what it prints."""
    done = run_python(*command, folder=cwd, **dict.fromkeys(("CFLAGS", "PYTHONPATH", "MYPYPATH"), "") | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(clone, kind, folder):
    """Build a package of the clone into a folder; return its path, and which kernels were compiled."""
    folder.mkdir(exist_ok=True)
    printed = run("-c", CALL, f"build_{kind}", str(folder), cwd=clone)
    name = re.search(r"^built (.*)$", printed, re.MULTILINE)[1]
    return folder / name, sorted(re.findall(r"building '(.*)' extension", printed))


def make_old(clone):
    """Let everything be older than Cython's own files, as after pip has installed Cython anew; results a bit less."""
    for path in filter(os.path.isfile, (*clone.rglob("*.*"),)):
        age = {".c": 2, ".o": 3, ".so": 4, ".pyd": 4}.get(path.suffix, 1)
        os.utime(path, (age * 100_000_000, age * 100_000_000))


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone in a folder `pytrees`, as `git clone` makes it."""
    pytest.importorskip("Cython", reason="the build needs Cython")
    pytest.importorskip("setuptools", reason="the build needs setuptools")
    root = tmp_path_factory.mktemp("neighbours") / "pytrees"
    root.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=leave_out)
        else:
            shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture(scope="module")
def installed(clone, tmp_path_factory):
    """The folder that `pip install -e .` puts on Python's path."""
    wheel, compiled = build(clone, "editable", tmp_path_factory.mktemp("editable"))
    assert compiled == ["pytrees._core._cyutility", "pytrees._core.base.build", "pytrees._core.base.sizes"]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".pth"))
        (folder,) = archive.read(name).decode().splitlines()
    return folder


def test_the_folder_on_the_path_has_the_package_alone(clone, installed):
    assert os.listdir(installed) == ["pytrees"]
    assert os.path.samefile(os.path.join(installed, "pytrees"), clone / "pytrees")
    assert list((clone / "pytrees").rglob(f"sizes{EXTENSION_SUFFIXES[0]}"))  # in place


@pytest.mark.parametrize("where", [".", "..", "docs", "elsewhere"])
def test_python_finds_the_package_from_every_folder(clone, installed, where, tmp_path):
    """In the clone, beside it, where a folder of the clone's name has no `__init__.py`, below it, and elsewhere."""
    folder = tmp_path if where == "elsewhere" else clone / where
    folder.mkdir(exist_ok=True)
    program = (
        "import pytrees, pytrees.reference.growth.by_gain as growth; from pytrees._core.base.sizes import sizes; "
        "print(pytrees.__file__, growth.__file__, sep='\\n')"
    )
    package, growth = run("-c", program, cwd=folder, PYTHONPATH=installed).splitlines()
    assert os.path.samefile(package, clone / "pytrees" / "__init__.py")
    assert os.path.samefile(growth, clone / "reference" / "growth" / "by_gain.py")


def test_type_checkers_find_the_package(installed, tmp_path):
    pytest.importorskip("mypy", reason="needs mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import pytrees.tree\nimport pytrees.reference.pruning\nfrom pytrees import nothing_of_this_name\n"
    )
    settings = ["--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", "--ignore-missing-imports"]
    command = ["-m", "mypy", *settings, "--disable-error-code=import-untyped", program]
    done = run_python(*command, folder=tmp_path, PYTHONPATH=installed)
    # A package that is not found would have every name.
    assert 'error: Module "pytrees" has no attribute "nothing_of_this_name"' in done.stdout
    assert done.stdout.endswith("Found 1 error in 1 file (checked 1 source file)\n"), done.stdout


def test_an_installation_compiles_only_what_changed(clone, installed, tmp_path):
    make_old(clone)
    assert build(clone, "editable", tmp_path / "again")[1] == []
    os.utime(clone / "pytrees" / "_core" / "base" / "build.pyx")
    assert build(clone, "editable", tmp_path / "changed")[1] == ["pytrees._core.base.build"]
    os.utime(clone / "setup.py")  # it has the settings of all
    compiled = build(clone, "editable", tmp_path / "settings")[1]
    assert {"pytrees._core.base.build", "pytrees._core.base.sizes"} <= set(compiled)
    assert build(clone, "editable", tmp_path / "settings")[1] == []


def test_a_kernel_of_another_kind_of_build_is_replaced(clone, installed, tmp_path):
    """`make debug` leaves newer kernels in place; `make build` compiles nothing, and takes its own."""
    (kernel,) = (clone / "pytrees").rglob(f"sizes{EXTENSION_SUFFIXES[0]}")
    usual = kernel.read_bytes()
    kernel.write_bytes(b"of another kind")
    build(clone, "editable", tmp_path)
    assert kernel.read_bytes() == usual


def test_a_system_without_links_gets_a_hook_of_the_import(clone, installed, tmp_path):
    folder, away = clone / ".editable", clone / "away"
    folder.rename(away)
    folder.touch()  # a folder cannot be made here
    try:
        wheel, _ = build(clone, "editable", tmp_path)
    finally:
        folder.unlink()
        away.rename(folder)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".pth"))
        assert archive.read(name).startswith(b"import __editable__")


def test_packages_hold_the_reference_once(clone, installed, tmp_path):
    """The links of an editable installation are in no wheel and in no source distribution."""
    sources, _ = build(clone, "sdist", tmp_path)
    with tarfile.open(sources) as archive:
        files = [name.partition("/")[2] for name in archive.getnames()]
    assert "reference/pruning.py" in files
    assert [name for name in files if name.startswith(("pytrees/reference", ".editable"))] == []
    wheel, _ = build(clone, "wheel", tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    assert files.count("pytrees/reference/pruning.py") == 1
    assert len(files) == len(set(files))
    assert [name for name in files if not name.startswith(("pytrees/", "decision_pytrees-"))] == []
