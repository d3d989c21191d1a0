"""Labels and categories that stand for a missing value."""


def is_nan(label):
    """Whether a label is NaN, NaT or NA: they alone are not equal to themselves, or do not say."""
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return True


def is_missing(label):
    """Whether a label is None, NaN, NaT or NA."""
    return label is None or is_nan(label)
