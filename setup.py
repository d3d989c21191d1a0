"""Compile the kernels; everything declarative is in pyproject.toml.

``PYTREES_DEBUG=1`` builds them with bounds checks, of negative indices too, and initialisation checks on. CFLAGS of the
environment come last, so that they win: ``CFLAGS="-O1 -fsanitize=address"``.
"""

import os
import shlex
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

DEBUG = os.environ.get("PYTREES_DEBUG", "0") not in ("", "0")
BUILD_BASE = "build/debug" if DEBUG else "build/release"
N_JOBS = int(os.environ.get("PYTREES_BUILD_JOBS", "0")) or os.cpu_count() or 1

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "wraparound": False,  # so that the bounds check catches negative indices too
    "overflowcheck": False,  # entropy sums wrap on purpose, modulo 2**64
    "cdivision": True,
    "binding": True,
    "embedsignature": True,
    "freethreading_compatible": True,
}

# No fast-math and no contraction to fused multiply-add: sums must have the same bits on every machine.
# Compiling without notes for debuggers, which Python's own flags ask for, takes some 40 % less time.
COMPILE_ARGS = ["-O3", "-ffp-contract=off", "-g0"]

# The scan loops are written once and take a criterion's functions inline: GCC stops at its limits of growth otherwise. Loops
# over the classes are short, so that vector instructions cost more than they save.
SCAN_ARGS = [
    "--param=inline-unit-growth=300",
    "--param=large-function-growth=400",
    "--param=max-inline-insns-single=400",
    "-fno-tree-vectorize",
]

# What Cython compiles for memoryviews, once for all kernels.
SHARED = "pytrees._core._cyutility"


def kernel(name, source):
    arguments = COMPILE_ARGS + (SCAN_ARGS if name == "pytrees._core.split.scan" else [])
    return Extension(name, [source], extra_compile_args=arguments + shlex.split(os.environ.get("CFLAGS", "")))


extensions = [
    kernel(".".join(source.with_suffix("").parts), source.as_posix())
    for source in sorted(Path("pytrees/_core").rglob("*.pyx"))
]
extensions.append(kernel(SHARED, f"{SHARED.replace('.', '/')}.c"))

# The reference lies at the top level, and is installed as pytrees.reference.
packages = find_packages(include=["pytrees", "pytrees.*"]) + [
    f"pytrees.{name}" for name in find_packages(include=["reference", "reference.*"])
]

setup(
    packages=packages,
    # The generated C lies with the objects, and each kind of build in a folder of its own: they never mix.
    ext_modules=cythonize(
        extensions,
        compiler_directives=DIRECTIVES,
        build_dir=f"{BUILD_BASE}/cython",
        nthreads=N_JOBS,
        shared_utility_qualified_name=SHARED,
        force=DEBUG,
    ),
    options={"build": {"build_base": BUILD_BASE}, "build_ext": {"parallel": N_JOBS, "force": DEBUG}},
)
