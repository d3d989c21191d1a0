"""Run scikit-learn's own tests of trees, forests and ensembles on our estimators.

    python -m tools.foreign_tests                            # all files, some six minutes on one core
    python -m tools.foreign_tests test_split.py test_tree.py
    python -m tools.foreign_tests test_forest.py -- -k oob   # what follows "--" is for pytest

The installed scikit-learn's test files are copied into a temporary folder and changed there: `copies.py` says how, and
`stand_ins.py` gives our estimators its names. `exclusions.toml` lists every test that cannot pass, with the reason. An
excluded test that passes is an error, too, so that the table stays true. The program exits with pytest's exit code.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import sklearn

from .copies import FILES, write_copies

ROOT = Path(__file__).resolve().parents[2]


def run(names, options, folder):
    """Write the copies into a folder and run them; return pytest's exit code."""
    absent = write_copies(names, folder)
    for name in absent:
        print(f"scikit-learn {sklearn.__version__} has no {name}.")
    (folder / "conftest.py").write_text("from sklearn.conftest import *\n", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    plugins = ["-p", "tools.foreign_tests.plugin", "-p", "no:cacheprovider"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        *plugins,
        "-q",
        *options,
        *(name for name in names if name not in absent),
    ]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, check=False).returncode


def main(arguments=None):
    """Run the program."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    dashes = given.index("--") if "--" in given else len(given)
    given, options = given[:dashes], given[dashes + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"of {', '.join(FILES)} (default: all)")
    names = parser.parse_args(given).files or list(FILES)
    if unknown := [name for name in names if name not in FILES]:
        parser.error(f"There are no tests {', '.join(unknown)}.")
    print(f"scikit-learn {sklearn.__version__}", flush=True)
    with TemporaryDirectory() as folder:
        return run(names, options, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
