"""The measured machine: processor, compiler and libraries."""

import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytrees
from pytrees._core.growth import by_gain as growth


def machine(names=("numpy", "scipy", "scikit-learn", "Cython", "ydf", "scikit-learn-intelex")):
    """Return lines about the machine, the compiler of the kernels, and the versions of what was measured."""
    lines = [f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"]
    if hasattr(os, "getloadavg"):
        lines.append("load before the start: {:.2f} {:.2f} {:.2f}".format(*os.getloadavg()))
    versions = ", ".join(f"{name} {_version(name)}" for name in names)
    return [
        *lines,
        f"kernels compiled by {_compiler()}",
        f"Python {platform.python_version()}, {versions}",
        f"pytrees {pytrees.__version__}, commit {_commit()}",
    ]


def print_machine():
    """Print what `machine` returns."""
    print(*machine(), sep="\n")


def _processor():
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.processor() or "unknown processor"


def _compiler():
    """Read the name that the compiler left in the kernels."""
    found = re.search(rb"GCC: \([^)]*\) [\d.]+|clang version [\d.]+", Path(growth.__file__).read_bytes())
    return found[0].decode() if found else "unknown"


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit():
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(
            command, cwd=Path(__file__).parent, check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
