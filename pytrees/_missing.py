"""Labels and categories that stand for a missing value."""

from __future__ import annotations

from typing import Any


def is_nan(label: Any) -> bool:
    """Whether a label is NaN, NaT or NA. NaN and NaT differ from themselves; NA and signaling NaN give no answer."""
    try:
        return bool(label != label)
    except (ArithmeticError, TypeError, ValueError):
        return True


def is_missing(label: object) -> bool:
    """Whether a label is None, NaN, NaT or NA."""
    return label is None or is_nan(label)
