"""Packages of others that are compiled by a test."""

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location

import pytest


def built(source, name, folder):
    """Copy the sources of a package into a folder, build them there, and return the extension module `name`."""
    pytest.importorskip("Cython", reason="the package is built with Cython")
    pytest.importorskip("setuptools", reason="the package is built with setuptools")
    shutil.copytree(source, folder, dirs_exist_ok=True)
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    unoptimised = os.environ | {"CFLAGS": "-O0"}  # which compiles in half the time
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=unoptimised)
    spec = spec_from_file_location(name, folder / f"{name}{EXTENSION_SUFFIXES[0]}")
    module = module_from_spec(spec)
    sys.modules[name] = module  # pickle looks for classes here
    spec.loader.exec_module(module)
    return module
