"""Check types: what the Python layer does with them by mypy, and that every public name has one by pyright.

    python tools/check_types.py

Needs the extra "lint" and NumPy. Settings of mypy are in pyproject.toml. scikit-learn has no types: those of the base
classes of estimators, for which pyright asks, are in `tools/stubs`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


def check_bodies():
    """Run mypy on the package; return its exit code."""
    return subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, check=False).returncode


def check_public_names():
    """Run pyright on a copy of the package as if it were installed, and on a user's program; return its exit codes."""
    with TemporaryDirectory() as folder:
        others = shutil.ignore_patterns("reference", "__pycache__", "*.so", "*.pyd", "*.c", "*.pyx", "*.pxd")
        shutil.copytree(ROOT / "pytrees", Path(folder, "pytrees"), ignore=others)
        shutil.copytree(ROOT / "tools" / "stubs", folder, dirs_exist_ok=True)
        shutil.copy(ROOT / "tests" / "package" / "typed_program.py", folder)
        codes = [pyright(folder, "--verifytypes", "pytrees", "--ignoreexternal"), pyright(folder, "typed_program.py")]
    return max(codes)


def pyright(folder, *arguments):
    """Run pyright in a folder, in which it finds packages too; print what it says, in short where all is well."""
    # pyright finds other packages through the first `python` on the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pyright", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": folder, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0:
        lines = [line for line in lines if line.startswith(("Type completeness", "0 errors"))]
    print("\n".join(lines))
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(check_bodies() | check_public_names())
