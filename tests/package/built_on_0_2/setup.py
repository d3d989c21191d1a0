"""The declarations of pytrees 0.2 come first on Cython's path, before those of the installed pytrees."""

from Cython.Build import cythonize
from setuptools import Extension, setup

setup(name="older", ext_modules=cythonize([Extension("older", ["older.pyx"])], include_path=["declarations"]))
