"""Means with their standard errors, as numbers and as text."""

import numpy as np


def standard_error(values):
    """Return the standard error of the mean of some values; 0 for a single value."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def with_error(values, digits=3):
    """Return mean and standard error as text; a single value has no error."""
    error = f" ± {standard_error(values):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{error}"
