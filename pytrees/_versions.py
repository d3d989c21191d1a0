"""The versions that a report of a defect needs."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from ._engine import current_engine, how_compiled
from ._version import __version__

__all__ = ["show_versions"]

_NEEDED = ("numpy", "scipy", "scikit-learn", "joblib")
_OPTIONAL = ("pandas", "polars", "matplotlib", "statsmodels", "dask", "treelite", "shap", "hypothesis", "Cython")


def show_versions() -> None:
    """Print the versions of pytrees, Python and other packages, and how the kernels were compiled.

    A report of a defect needs them.

    See Also
    --------
    sklearn.show_versions : The same for scikit-learn.
    config_context : Chooses the engine.

    Examples
    --------
    >>> import pytrees
    >>> pytrees.show_versions()  # doctest: +ELLIPSIS
    pytrees
        version: ...
        engine: compiled
    ...
    """
    built = {name: str(value) for name, value in how_compiled().items()}
    _print_section("pytrees", {"version": __version__, "engine": current_engine(), **built})
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    about = {"python": sys.version.replace("\n", " "), "executable": sys.executable, "platform": platform.platform()}
    _print_section("System", about | {"global interpreter lock": "on" if lock else "off"})
    _print_section("Packages", {name: _version_of(name) for name in (*_NEEDED, *_OPTIONAL)})


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _print_section(title: str, lines: dict[str, str]) -> None:
    print(title)
    for name, value in lines.items():
        print(f"    {name}: {value}")
