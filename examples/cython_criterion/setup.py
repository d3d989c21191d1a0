"""A package of its own that takes the base class of criteria from an installed pytrees: `pip install .` beside it."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import pytrees

setup(
    name="hellinger-criterion",
    version="0.1",
    ext_modules=cythonize(
        [Extension("hellinger", ["hellinger.pyx"])],
        # Cython finds pytrees/criteria.pxd here; an editable installation is not on its own search path.
        include_path=[str(Path(pytrees.__file__).parents[1])],
    ),
)
