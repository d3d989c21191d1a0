"""Compile the kernels; everything declarative is in pyproject.toml.

``PYTREES_DEBUG=1`` builds them with bounds checks, of negative indices too, and initialisation checks on.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

DEBUG = os.environ.get("PYTREES_DEBUG", "0") not in ("", "0")

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

extensions = [
    Extension(f"pytrees._core.{source.stem}", [source.as_posix()], extra_compile_args=COMPILE_ARGS)
    for source in sorted(Path("pytrees/_core").glob("*.pyx"))
]

setup(
    ext_modules=extensions,
    # The generated C lies with the objects, and each kind of build in a folder of its own: they never mix.
    options={
        "build": {"build_base": "build/debug" if DEBUG else "build/release"},
        "build_ext": {"cython_c_in_temp": True, "cython_directives": DIRECTIVES, "force": DEBUG},
    },
)
