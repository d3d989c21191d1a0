"""Other projects install a package `pytrees` too: importing this module warns if one of them is installed."""

from __future__ import annotations

import warnings
from importlib.metadata import Distribution

# The projects on the package index that do. Looking for these two takes a quarter of a millisecond; reading what every
# installed distribution provides would take half a second.
_OTHERS = ("pytrees", "pytrees-rs")


def _warn() -> None:
    """Warn if another distribution has installed its files into a package of the same name."""
    others = [f"{name} {found.version}" for name in _OTHERS if (found := _find(name)) is not None]
    if others:
        names = " ".join(name.partition(" ")[0] for name in others)
        warnings.warn(
            f"Another distribution installs a package named pytrees too: {', '.join(others)}. Where both are in one "
            "folder they replace each other's files, and elsewhere the first on Python's path hides the other. "
            f"Uninstall both (pip uninstall {names} decision-pytrees), then install decision-pytrees again.",
            stacklevel=4,  # the import of pytrees; frames of the import system do not count
        )


def _find(name: str) -> Distribution | None:
    """Return the installed distribution of this name if it provides a package `pytrees`."""
    for found in Distribution.discover(name=name):
        packages = (found.read_text("top_level.txt") or "").split()
        files = (found.read_text("RECORD") or "").splitlines()
        if "pytrees" in packages or any(file.startswith("pytrees/") for file in files):
            return found
    return None


_warn()
